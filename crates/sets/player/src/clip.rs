//! A clip of a set: a loop, or what happens once.

use glam::{DQuat, DVec3};
use loopwright_core::loop_clip::Interpolation;
use loopwright_core::math::{Rigid, Twist};
use loopwright_core::{Joint, LoopClip, Pose, RootMotion, Skeleton, Take, Tracks};
use loopwright_moves::blend::PhaseMap;

use crate::SetError;
use crate::manifest::{ClipEntry, FootEventKind};

/// A loop that moves less than this stands, metres and radians per second.
pub(crate) const STILL: f64 = 0.05;

/// A foot touches down or lifts.
#[derive(Clone, Debug, PartialEq)]
pub struct FootEvent {
    /// Since the clip's start.
    pub secs: f64,
    /// The phase of a loop.
    pub phase: f64,
    /// left, right, or the joint where no side is known.
    pub foot: String,
    /// What the foot does.
    pub kind: FootEventKind,
}

/// The motion of a clip.
#[derive(Clone, Debug)]
enum Body {
    Loop(Box<LoopClip>),
    /// The body seen from the root, and the root.
    Once(Take, Take),
}

/// A clip.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// What the manifest says it is for: loop, start, stop, turn, jump.
    pub kind: String,
    /// Its length.
    pub seconds: f64,
    /// By how much it turns if it happens once, radians.
    pub turn: f64,
    /// What feet do, in the order of time.
    pub events: Vec<FootEvent>,
    /// The moment that it leads to: a clip's number in the set, and seconds since that one's start.
    pub to: Option<(usize, f64)>,
    /// The moment that it is made to begin at.
    pub from: Option<(usize, f64)>,
    /// The loop that it is another version of.
    pub variant_of: Option<usize>,
    phase: PhaseMap,
    twist: Twist,
    body: Body,
}

impl Clip {
    /// Whether it repeats; otherwise it happens once.
    pub fn loops(&self) -> bool {
        matches!(self.body, Body::Loop(_))
    }

    /// Whether it is a loop that stays where it is.
    pub fn stands(&self) -> bool {
        self.loops() && self.twist.linear.length() < STILL && self.twist.angular.length() < STILL
    }

    /// The constant motion of the root of a loop.
    pub fn twist(&self) -> Twist {
        self.twist
    }

    /// The phase of the set at a time, 0 to 1.
    pub fn phase_at(&self, secs: f64) -> f64 {
        self.phase.phase(secs / self.seconds).rem_euclid(1.0)
    }

    /// The time at a phase of the set; phases beyond 1 lie in the next cycle.
    pub fn secs_at(&self, phase: f64) -> f64 {
        self.phase.share(phase) * self.seconds
    }

    /// The body seen from the root at a time: local transforms in the order of the set's skeleton.
    pub fn pose(&self, secs: f64) -> Pose {
        match &self.body {
            Body::Loop(clip) => clip.body_pose_at(secs, Interpolation::Cubic),
            Body::Once(take, _) => take.sample(secs / take.frame_time_secs()),
        }
    }

    /// The root at a time, from the clip's start.
    pub fn root(&self, secs: f64) -> Rigid {
        match &self.body {
            Body::Loop(_) => self.twist.exp(secs),
            Body::Once(_, root) => root.sample(secs / root.frame_time_secs()).as_ref().joint(0),
        }
    }

    /// A clip of its entry and its take, whose root motion is carried by the joint `carrier`, if by any. `index` gives the number of a clip.
    pub(crate) fn new(
        entry: &ClipEntry,
        take: &Take,
        skeleton: &Skeleton,
        carrier: Option<usize>,
        index: impl Fn(&str) -> Result<usize, SetError>,
    ) -> Result<Self, SetError> {
        let wrong = |reason: String| SetError::Clip {
            name: entry.name.clone(),
            reason,
        };
        entry.check().map_err(wrong)?;
        // What a manifest says takes no more memory than a few times what its files do.
        if entry.keys() > 4 * (take.num_frames() + 1) {
            return Err(wrong(format!(
                "its file has {} frames, not {}",
                take.num_frames(),
                entry.frames
            )));
        }
        let joint_of = |joint: &Joint| {
            let found = take.skeleton().find(&joint.name);
            found.ok_or_else(|| wrong(format!("it lacks the joint \"{}\" of other clips", joint.name)))
        };
        let joints: Vec<usize> = skeleton.joints().iter().map(joint_of).collect::<Result<_, _>>()?;
        let step_secs = entry.step_secs();
        let twist = entry.twist.map_or(Twist::ZERO, |twist| {
            Twist::new(DVec3::from_array(twist.linear), DVec3::from_array(twist.angular))
        });
        let root = if entry.is_loop() {
            None
        } else {
            Some(root_of(entry).map_err(wrong)?)
        };
        let root_at = |key: usize| match &root {
            Some(root) => root.pose(key).joint(0),
            None => twist.exp(key as f64 * step_secs),
        };
        let pose = |key: usize| -> Pose {
            let sampled = take.sample(key as f64 * step_secs / take.frame_time_secs());
            let mut pose: Pose = (joints.iter())
                .map(|&joint| (sampled.translations[joint], sampled.rotations[joint]))
                .collect();
            if let Some(joint) = carrier {
                pose.carry(skeleton, joint, root_at(key).inverse());
            }
            pose
        };
        let tracks = Tracks::from_poses(skeleton.clone(), step_secs, (0..entry.keys()).map(pose))
            .map_err(|error| wrong(error.to_string()))?;
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
        let moment = |state: &crate::manifest::StateEntry| Ok::<_, SetError>((index(&state.clip)?, state.secs));
        let mut clip = Self {
            name: entry.name.clone(),
            kind: entry.kind.clone(),
            seconds: entry.seconds,
            turn: entry.turn_deg.unwrap_or(0.0).to_radians(),
            events: Vec::new(),
            to: entry.to.as_ref().map(moment).transpose()?,
            from: entry.from.as_ref().map(moment).transpose()?,
            variant_of: entry.variant_of.as_deref().map(index).transpose()?,
            phase: PhaseMap::warped(entry.warp()),
            twist,
            body,
        };
        clip.events = (entry.events.iter())
            .map(|event| FootEvent {
                secs: event.secs,
                phase: event.phase.unwrap_or_else(|| clip.phase_at(event.secs)),
                foot: event.foot.clone(),
                kind: event.kind,
            })
            .collect();
        Ok(clip)
    }
}

/// The root of what happens once, as a take of one joint.
fn root_of(entry: &ClipEntry) -> Result<Take, String> {
    let keys = entry.root.as_ref().ok_or("it has no root keys")?;
    let single = Skeleton::new(vec![Joint::new("root", None, DVec3::ZERO)]).map_err(|error| error.to_string())?;
    let translations: Vec<DVec3> = keys.translation.chunks_exact(3).map(DVec3::from_slice).collect();
    let rotations = keys.rotation.chunks_exact(4);
    let rotations: Vec<DQuat> = rotations.map(|q| DQuat::from_slice(q).normalize()).collect();
    if translations.len() != entry.keys() || rotations.len() != entry.keys() {
        return Err(format!(
            "its root has {} places and {} rotations, not {}",
            translations.len(),
            rotations.len(),
            entry.keys()
        ));
    }
    let tracks = Tracks::new(single, entry.step_secs(), translations, rotations).map_err(|error| error.to_string())?;
    Take::from_tracks("root", tracks).map_err(|error| error.to_string())
}
