//! A clip of a set: a loop, or a passage that plays once.

use glam::{DQuat, DVec3};
use loopwright_core::loop_clip::Interpolation;
use loopwright_core::math::{Rigid, Twist};
use loopwright_core::{Joint, LoopClip, Pose, RootMotion, Skeleton, Take, Tracks};
use loopwright_formats::set::{ClipKind, FootEventFacts, SetClip};
use loopwright_moves::blend::PhaseMap;
use loopwright_moves::passage::LoopState;

use crate::SetError;

/// A loop that moves less than this stands, metres and radians per second.
pub(crate) const STILL: f64 = 0.05;

/// The motion of a clip.
#[derive(Clone, Debug)]
enum Body {
    Loop(Box<LoopClip>),
    /// The body seen from the root, and the root.
    Once(Take, Take),
}

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
    /// The loop that it is another version of.
    pub variant_of: Option<usize>,
    phase: PhaseMap,
    twist: Twist,
    body: Body,
}

impl MotionClip {
    /// Whether it repeats; otherwise it plays once.
    pub fn loops(&self) -> bool {
        matches!(self.body, Body::Loop(_))
    }

    /// Whether it is a loop in place.
    pub fn stands(&self) -> bool {
        self.loops() && self.twist.linear.length() < STILL && self.twist.angular.length() < STILL
    }

    /// Returns the constant motion of the root of a loop.
    pub fn twist(&self) -> Twist {
        self.twist
    }

    /// Returns the phase of the set at a time, 0 to 1.
    pub fn phase_at(&self, secs: f64) -> f64 {
        self.phase.phase(secs / self.seconds).rem_euclid(1.0)
    }

    /// Returns how much later than half of its time the right foot has its landmark, as a share.
    pub(crate) fn warp(&self) -> f64 {
        self.phase.warp()
    }

    /// Returns the time at a phase of the set; phases beyond 1 are in the next cycle.
    pub fn secs_at(&self, phase: f64) -> f64 {
        self.phase.share(phase) * self.seconds
    }

    /// Returns the phase of the set at which one of its events happens.
    pub fn phase_of(&self, event: &FootEventFacts) -> f64 {
        event.phase.unwrap_or_else(|| self.phase_at(event.secs))
    }

    /// Returns the body seen from the root at a time: local transforms in the order of the set's skeleton.
    pub fn pose(&self, secs: f64) -> Pose {
        match &self.body {
            Body::Loop(clip) => clip.body_pose_at(secs, Interpolation::Cubic),
            Body::Once(take, _) => take.sample(secs / take.frame_time_secs()),
        }
    }

    /// Returns the root at a time, relative to the clip's start.
    pub fn root(&self, secs: f64) -> Rigid {
        match &self.body {
            Body::Loop(_) => self.twist.exp(secs),
            Body::Once(_, root) => root.sample(secs / root.frame_time_secs()).as_ref().joint(0),
        }
    }

    /// A clip of its entry, which passed [`check`], and its take, whose root motion is carried by the joint `carrier`, if by any. `index` gives the number of a clip.
    pub(crate) fn new(
        entry: &SetClip,
        take: &Take,
        skeleton: &Skeleton,
        carrier: Option<usize>,
        index: impl Fn(&str) -> Result<usize, SetError>,
    ) -> Result<Self, SetError> {
        let wrong = |reason: String| SetError::MotionClip {
            name: entry.name.clone(),
            reason,
        };
        // A manifest must not take more than a few times the memory of its files.
        if num_keys(entry) > 4 * (take.num_frames() + 1) {
            return Err(wrong(format!(
                "its file has {} frames, not {}",
                take.num_frames(),
                entry.frames
            )));
        }
        let joints = skeleton.joints().iter().map(|joint| {
            let found = take.skeleton().find(&joint.name);
            found.ok_or_else(|| wrong(format!("it lacks the joint \"{}\" of other clips", joint.name)))
        });
        let joints: Vec<usize> = joints.collect::<Result<_, _>>()?;
        let step_secs = entry.step_secs();
        let twist = entry.twist.map_or(Twist::ZERO, |twist| {
            Twist::new(DVec3::from_array(twist.linear), DVec3::from_array(twist.angular))
        });
        let root = (!entry.is_loop()).then(|| root_of(entry).map_err(wrong)).transpose()?;
        let poses = (0..num_keys(entry)).map(|key| {
            let sampled = take.sample(key as f64 * step_secs / take.frame_time_secs());
            let mut pose: Pose = (joints.iter())
                .map(|&joint| (sampled.translations[joint], sampled.rotations[joint]))
                .collect();
            if let Some(joint) = carrier {
                let root = match &root {
                    Some(root) => root.pose(key).joint(0),
                    None => twist.exp(key as f64 * step_secs),
                };
                pose.carry(skeleton, joint, root.inverse());
            }
            pose
        });
        let tracks =
            Tracks::from_poses(skeleton.clone(), step_secs, poses).map_err(|error| wrong(error.to_string()))?;
        let body = match root {
            Some(root) => Body::Once(
                Take::from_tracks(&*entry.name, tracks).map_err(|error| wrong(error.to_string()))?,
                root,
            ),
            None => {
                let motion = RootMotion::new(Rigid::IDENTITY, twist);
                let clip = LoopClip::new(&*entry.name, tracks, 0, motion).map_err(|error| wrong(error.to_string()))?;
                Body::Loop(Box::new(clip))
            }
        };
        let [to, from] = [&entry.to, &entry.from].map(|state| {
            let state = state.as_ref()?;
            Some(index(&state.clip).map(|loop_index| LoopState {
                loop_index,
                secs: state.secs,
            }))
        });
        Ok(Self {
            name: entry.name.clone(),
            kind: entry.kind,
            seconds: entry.seconds,
            turn: entry.turn_deg.unwrap_or(0.0).to_radians(),
            events: entry.events.clone(),
            to: to.transpose()?,
            from: from.transpose()?,
            variant_of: entry.variant_of.as_deref().map(index).transpose()?,
            phase: PhaseMap::warped(warp(entry)),
            twist,
            body,
        })
    }
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
    if warp(entry).abs() >= core::f64::consts::FRAC_1_PI {
        return Err(format!("its warp is {}, and below 1/pi is wanted", warp(entry)));
    }
    Ok(())
}

/// Returns the root of a passage as a take of one joint. Errors: the fault of its keys.
fn root_of(entry: &SetClip) -> Result<Take, String> {
    let keys = entry.root.as_ref().ok_or("it has no root keys")?;
    if !keys.are_for(num_keys(entry)) {
        return Err(format!(
            "its root has {} numbers for places and {} for rotations, not those of {} keys",
            keys.metres.len(),
            keys.xyzw.len(),
            num_keys(entry)
        ));
    }
    let single = Skeleton::new(vec![Joint::new("root", None, DVec3::ZERO)]).map_err(|error| error.to_string())?;
    // Tracks refuse NaN.
    let roots = keys.transforms(DQuat::NAN);
    let (translations, rotations) = roots.iter().map(|root| (root.translation, root.rotation)).unzip();
    let tracks = Tracks::new(single, entry.step_secs(), translations, rotations).map_err(|error| error.to_string())?;
    Take::from_tracks("root", tracks).map_err(|error| error.to_string())
}
