//! A clip of a set: a loop, or a passage that plays once.

use core::f64::consts::{FRAC_1_PI, PI, TAU};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Pose, Skeleton, Take, Tracks,
    analysis::Side,
    math::{Decay, Rigid, Twist, ops},
};
use loopwright_formats::set::{ClipKind, FootEventFacts, LoopStateFacts, SetClip};
use loopwright_moves::{passage::LoopState, play::switch::FADE_SECS};

use crate::{
    SetError,
    keys::{Keys, Lanes, lanes, rigid},
    legs::{Contacts, Leg},
};

/// A loop that moves less than this stands, metres and radians per second.
pub(crate) const STILL: f64 = 0.05;

/// A clip.
#[derive(Clone, Debug)]
pub struct MotionClip {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ClipKind,
    /// Its length.
    pub seconds: f64,
    /// Turn of a passage, radians.
    pub turn: f64,
    /// Events of feet, in the order of time.
    pub events: Vec<FootEventFacts>,
    /// The state of a loop to which it leads.
    pub to: Option<LoopState>,
    /// The state of a loop at which it begins.
    pub from: Option<LoopState>,
    /// Loops and actions that may follow an action, the nearest first; a clip that is only played by name has its loop or nothing.
    pub next: Vec<LoopState>,
    /// When an action may be left for a moving loop, seconds; `None` if the clip is no action.
    pub leave_secs: Option<f64>,
    /// The loop that it is another version of.
    pub variant_of: Option<usize>,
    /// The fade into an action and out of it. A quintic, which continues the acceleration of limbs that are being thrown up, would make them dart
    /// over an action that begins elsewhere.
    pub(crate) fade: Decay,
    pub(crate) warp: f64,
    pub(crate) contacts: [Contacts; 2],
    twist: Twist,
    /// The body seen from the root: its joints, and the tips of its feet, not below their parents but seen from the root.
    pub(crate) body: Keys,
    pub(crate) num_joints: usize,
    /// Its name, and the feet of its events, as events report them.
    pub(crate) told: Arc<str>,
    pub(crate) feet: Vec<Arc<str>>,
    /// The root of a clip that plays once.
    root: Option<Keys>,
}

impl MotionClip {
    /// Whether it repeats; otherwise it plays once.
    pub fn loops(&self) -> bool {
        self.root.is_none()
    }

    /// Whether it is a loop in place.
    pub fn stands(&self) -> bool {
        self.loops() && is_still(self.twist)
    }

    /// Returns the constant motion of the root of a loop.
    pub fn twist(&self) -> Twist {
        self.twist
    }

    /// Returns the phase of the set at a time, 0 to 1.
    pub fn phase_at(&self, secs: f64) -> f64 {
        phase_at(secs / self.seconds, self.warp).rem_euclid(1.0)
    }

    /// Returns the time at a phase of the set; phases beyond 1 are in the next cycle.
    pub fn secs_at(&self, phase: f64) -> f64 {
        share_at(phase, self.warp) * self.seconds
    }

    /// Returns the phase of the set at which one of its events happens.
    pub fn phase_of(&self, event: &FootEventFacts) -> f64 {
        event.phase.unwrap_or_else(|| self.phase_at(event.secs))
    }

    /// Returns the body seen from the root at a time: local transforms in the order of the set's skeleton.
    pub fn pose(&self, secs: f64) -> Pose {
        let mut sum = vec![Lanes::default(); self.body.width()];
        self.body.add(secs, 1.0, &mut sum);
        sum[..self.num_joints]
            .iter()
            .map(rigid)
            .map(|joint| (joint.translation, joint.rotation))
            .collect()
    }

    /// Returns the tip of a foot at a time, seen from the root.
    pub(crate) fn tip(&self, secs: f64, side: usize) -> DVec3 {
        self.body.place(secs, self.num_joints + side)
    }

    /// Returns the root at a time, relative to the clip's start.
    pub fn root(&self, secs: f64) -> Rigid {
        match &self.root {
            None => self.twist.exp(secs),
            Some(root) => root.at(secs, 0),
        }
    }

    /// Creates a clip from its entry, which passed [`check`], and its [tracks](tracks_of). `index` gives the number of a clip by name.
    pub(crate) fn new(
        entry: &SetClip,
        tracks: &Tracks,
        legs: &[Leg],
        index: impl Fn(&str) -> Result<usize, SetError>,
    ) -> Result<Self, SetError> {
        let skeleton = tracks.skeleton();
        let rows = (0..tracks.num_frames()).map(|key| {
            let pose = tracks.pose(key);
            let joints = (0..skeleton.num_joints()).map(|joint| pose.joint(joint));
            let tips = legs.iter().map(|leg| pose.world_of(skeleton, leg.tip));
            joints
                .chain(tips)
                .map(|joint| lanes(joint.rotation, joint.translation))
                .collect()
        });
        let state = |state: &LoopStateFacts| {
            index(&state.clip).map(|loop_index| LoopState {
                loop_index,
                secs: state.secs,
            })
        };
        let twist = twist_of(entry);
        Ok(Self {
            name: entry.name.clone(),
            told: entry.name.as_str().into(),
            feet: entry.events.iter().map(|event| event.foot.as_str().into()).collect(),
            kind: entry.kind,
            seconds: entry.seconds,
            turn: entry.turn_deg.unwrap_or(0.0).to_radians(),
            to: entry.to.as_ref().map(state).transpose()?,
            from: entry.from.as_ref().map(state).transpose()?,
            next: entry.next.iter().map(state).collect::<Result<_, SetError>>()?,
            leave_secs: entry.is_action().then(|| entry.leave_secs.unwrap_or(entry.seconds)),
            variant_of: entry.variant_of.as_deref().map(index).transpose()?,
            fade: Decay::Cubic {
                blend_secs: entry.fade_secs.unwrap_or(FADE_SECS),
            },
            warp: warp(entry),
            contacts: [Side::Left, Side::Right].map(|side| Contacts::new(entry, side, !is_still(twist))),
            twist,
            body: Keys::new(rows.collect(), tracks.step_secs(), entry.is_loop()),
            num_joints: skeleton.num_joints(),
            root: (!entry.is_loop()).then(|| {
                let roots = roots_of(entry).unwrap_or_default();
                let rows = roots.iter().map(|root| vec![lanes(root.rotation, root.translation)]);
                Keys::new(rows.collect(), tracks.step_secs(), false)
            }),
            events: entry.events.clone(),
        })
    }
}

/// Returns the body of a clip relative to the root at the times of its keys; `carrier` is the joint that carries the root motion, if any.
/// Errors: the take does not fit.
pub(crate) fn tracks_of(
    entry: &SetClip,
    take: &Take,
    skeleton: &Skeleton,
    carrier: Option<usize>,
) -> Result<Tracks, SetError> {
    let wrong = |reason: String| SetError::MotionClip {
        name: entry.name.clone(),
        reason,
    };
    // A manifest must not take more than a few times the memory of its files.
    if num_keys(entry) > 4 * (take.num_frames() + 1) {
        let (found, frames) = (take.num_frames(), entry.frames);
        return Err(wrong(format!("its file has {found} frames, not {frames}")));
    }
    let joints: Vec<usize> = skeleton
        .joints()
        .iter()
        .map(|joint| {
            take.skeleton()
                .find(&joint.name)
                .ok_or_else(|| wrong(format!("it lacks the joint \"{}\" of other clips", joint.name)))
        })
        .collect::<Result<_, _>>()?;
    let (step_secs, twist) = (entry.step_secs(), twist_of(entry));
    let roots = if entry.is_loop() {
        (0..num_keys(entry))
            .map(|key| twist.exp(key as f64 * step_secs))
            .collect()
    } else {
        roots_of(entry).map_err(wrong)?
    };
    let poses = roots.iter().enumerate().map(|(key, root)| {
        let sampled = take.sample(key as f64 * step_secs / take.frame_time_secs());
        let mut pose: Pose = joints
            .iter()
            .map(|&joint| (sampled.translations[joint], sampled.rotations[joint]))
            .collect();
        if let Some(joint) = carrier {
            pose.carry(skeleton, joint, root.inverse());
        }
        pose
    });
    Tracks::from_poses(skeleton.clone(), step_secs, poses).map_err(|error| wrong(error.to_string()))
}

fn is_still(twist: Twist) -> bool {
    twist.linear.length() < STILL && twist.angular.length() < STILL
}

fn twist_of(entry: &SetClip) -> Twist {
    entry.twist.map_or(Twist::ZERO, |twist| {
        Twist::new(DVec3::from_array(twist.linear), DVec3::from_array(twist.angular))
    })
}

/// Returns the number of poses that are read from the file of a clip; the last pose of a loop is its first.
pub(crate) fn num_keys(entry: &SetClip) -> usize {
    entry.frames.saturating_add(usize::from(!entry.is_loop()))
}

fn warp(entry: &SetClip) -> f64 {
    entry.phase.map_or(0.0, |phase| phase.warp)
}

/// Checks whether an entry can be a clip. Errors: the reason why not.
pub(crate) fn check(entry: &SetClip) -> Result<(), String> {
    let SetClip { seconds, frames, .. } = entry;
    if !(*seconds > 0.0 && seconds.is_finite() && (3..1_000_000).contains(frames)) {
        return Err(format!("{frames} frames in {seconds} s are no clip"));
    }
    // With a larger warp time would run backwards.
    if warp(entry).abs() >= FRAC_1_PI {
        return Err(format!("its warp is {}, and below 1/pi is wanted", warp(entry)));
    }
    Ok(())
}

/// Returns the keys of the root of a passage. Errors: their fault.
fn roots_of(entry: &SetClip) -> Result<Vec<Rigid>, String> {
    let keys = entry.root.as_ref().ok_or("it has no root keys")?;
    if !keys.are_for(num_keys(entry)) {
        return Err(format!(
            "its root has {} numbers for places and {} for rotations, not those of {} keys",
            keys.metres.len(),
            keys.xyzw.len(),
            num_keys(entry)
        ));
    }
    let roots = keys.transforms(DQuat::NAN);
    if roots
        .iter()
        .any(|root| !(root.rotation.is_finite() && root.translation.is_finite()))
    {
        return Err("a key of its root is no transform".to_owned());
    }
    Ok(roots)
}

/// Returns the share of a loop's time at a phase: p + warp sin^2(pi p), which increases for |warp| < 1/pi.
pub(crate) fn share_at(phase: f64, warp: f64) -> f64 {
    let sine = ops::sin(PI * phase.fract());
    phase + warp * sine * sine
}

/// Returns the phase at a share of a loop's time: Newton's steps, kept in a bracket.
pub(crate) fn phase_at(share: f64, warp: f64) -> f64 {
    if warp == 0.0 {
        return share;
    }
    let (cycles, share) = (share.floor(), share - share.floor());
    let (mut low, mut high, mut phase) = (0.0, 1.0, share);
    for _ in 0..60 {
        let over = share_at(phase, warp) - share;
        if over > 0.0 {
            high = phase;
        } else {
            low = phase;
        }
        let next = phase - over / (1.0 + PI * warp * ops::sin(TAU * phase));
        let next = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        if over.abs() < 1e-15 || next == phase {
            break;
        }
        phase = next;
    }
    cycles + phase
}
