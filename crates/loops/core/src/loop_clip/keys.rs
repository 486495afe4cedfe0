//! Loops as the keys of a file store them.

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::{LoopClip, LoopClipError};
use crate::{
    math::{Rigid, rotation},
    motion::{KeyedCycle, PoseRef, RootMotion, Skeleton, Tracks, WorldTracks},
    take::Take,
};

/// How the keys of a file form a loop.
#[value(Copy)]
pub struct KeyLayout {
    /// Unique samples of one period.
    pub num_samples: usize,
    /// Time from the last of them to the closing key, in steps; 1 unless the period is not a whole number of steps.
    pub last_step: f64,
    /// Whether a key that equals the first follows the last sample.
    pub has_closing_key: bool,
    /// Whether the root is fixed at its start, so that the keys show the body without root motion.
    pub in_place: bool,
    /// The sample at which the stretch that the loop was made from begins: the seam is there.
    pub seam_sample: usize,
    /// Number of different cycles of equal length in the samples, with a seam between each and the next; 1 for an ordinary loop.
    pub num_cycles: usize,
}

impl KeyLayout {
    /// Returns the time to the closing key in steps, unless it is one step.
    pub fn stated_last_step(&self) -> Option<f64> {
        Some(self.last_step).filter(|&step| step != 1.0)
    }

    /// Returns the period in steps from key to key.
    pub fn num_steps(&self) -> f64 {
        (self.num_samples - 1) as f64 + self.last_step
    }

    /// Returns the number of even samples of a period: the keys, or more where these are not even.
    pub fn num_even_samples(&self) -> usize {
        Self::num_samples_between(self.num_samples, self.last_step)
    }

    /// Returns the number of even samples in the period of this many keys, which are a step apart; the closing key is `last_step` steps
    /// after the last one.
    pub fn num_samples_between(num_keys: usize, last_step: f64) -> usize {
        if last_step == 1.0 {
            num_keys
        } else {
            KeyedCycle::num_samples(num_keys.saturating_sub(1) as f64 + last_step)
        }
    }

    /// Returns the curve through keys that are relative to the root, at even times.
    fn evenly(&self, keys: &Tracks, carrier: usize) -> Tracks {
        KeyedCycle {
            skeleton: keys.skeleton(),
            carrier,
            motion: Rigid::IDENTITY,
            num_frames: self.num_steps(),
        }
        .evenly(|key| keys.pose(key), self.num_samples, keys.step_secs())
    }

    /// Returns the root motion that the keys show, for a loop whose root moves by `root`.
    pub fn shown(&self, root: &RootMotion) -> RootMotion {
        if self.in_place { root.standing() } else { *root }
    }

    /// Returns the root motion from the seam before the first key on, given the one stated from the first key on.
    pub fn from_seam(&self, root: RootMotion, step_secs: f64) -> RootMotion {
        match self.seam_sample {
            0 => root,
            sample => RootMotion {
                start: root.at((sample as f64 - self.num_samples as f64) * step_secs),
                ..root
            },
        }
    }

    /// Returns the number of keys in a period of the file, including the closing one if there is one.
    pub(crate) fn check(&self, written: &Take, carrier: usize) -> Result<usize, KeysError> {
        let num_joints = written.num_joints();
        let found = self.num_samples;
        if found < 3 {
            return Err(KeysError::TooFew { found });
        }
        let needed = found.saturating_add(usize::from(self.has_closing_key));
        // A closing key off the even steps is the tail.
        let has_tail = self.last_step != 1.0 && written.tail().is_some();
        let found = match self.last_step {
            1.0 => written.num_frames(),
            _ => written.num_frames().min(found) + usize::from(has_tail),
        };
        if found < needed {
            return Err(KeysError::MissingKeys { needed, found });
        }
        if carrier >= num_joints {
            return Err(KeysError::Carrier { carrier, num_joints });
        }
        Ok(needed - usize::from(has_tail && self.has_closing_key))
    }
}

/// Why keys cannot be measured as a loop.
#[error_kinds]
pub enum KeysError {
    /// There are fewer than three unique samples.
    #[error("a loop has at least 3 samples, this one has {found}")]
    TooFew { found: usize },
    #[error("the loop needs {needed} keys, the file has {found}")]
    MissingKeys { needed: usize, found: usize },
    #[error("joint {carrier} cannot carry the root motion: there are {num_joints} joints")]
    Carrier { carrier: usize, num_joints: usize },
    /// The keys do not form a loop clip.
    LoopClip(LoopClipError),
}

/// One period of a loop as stored in its file, relative to the root; samples count from its seam.
#[value]
pub struct LoopKeys {
    /// Local, the carrier relative to the root, with the closing key if there is one.
    tracks: Tracks,
    /// The keys with all joints relative to the root.
    world: WorldTracks,
    pub(crate) layout: KeyLayout,
    root: RootMotion,
}

impl LoopKeys {
    /// Removes the root motion from the keys of a written loop.
    ///
    /// `carrier` is the joint of `written` whose track holds the root motion. Errors: the file has too few keys or joints.
    pub fn new(written: &Take, layout: KeyLayout, root: RootMotion, carrier: usize) -> Result<Self, KeysError> {
        Self::from_cycle(written, layout, root, carrier, 0)
    }

    /// As [`Self::new`], for one cycle of a file with several consecutive cycles, counted from 0.
    pub fn from_cycle(
        written: &Take,
        layout: KeyLayout,
        root: RootMotion,
        carrier: usize,
        cycle: usize,
    ) -> Result<Self, KeysError> {
        let needed = layout.check(written, carrier)?;
        let start = cycle.saturating_mul(layout.num_samples);
        let (needed, found) = (start.saturating_add(needed), written.num_frames());
        if found < needed {
            return Err(KeysError::MissingKeys { needed, found });
        }
        let shown = layout.shown(&root);
        let tracks = body_of_keys(written, start..needed, &shown, carrier);
        if layout.last_step == 1.0 {
            return Ok(Self::of(tracks, layout, root));
        }
        let mut even = layout.evenly(&tracks, carrier);
        let layout = KeyLayout {
            num_samples: even.num_frames(),
            last_step: 1.0,
            ..layout
        };
        if let Some(tail) = written.tail().filter(|_| layout.has_closing_key) {
            let mut closing = tail.pose.clone();
            let (skeleton, period_secs) = (written.skeleton(), layout.num_samples as f64 * even.step_secs());
            closing.set_joint(
                carrier,
                tail.pose.as_ref().in_root(skeleton, carrier, shown.at(period_secs)),
            );
            even.push(closing.as_ref());
        }
        Ok(Self::of(even, layout, root))
    }

    /// Creates the keys of a loop that is not written yet, without a closing key.
    pub fn from_loop(clip: &LoopClip) -> Self {
        let layout = KeyLayout {
            num_samples: clip.num_samples(),
            last_step: 1.0,
            has_closing_key: false,
            in_place: false,
            seam_sample: 0,
            num_cycles: 1,
        };
        Self::of(clip.tracks().clone(), layout, *clip.root())
    }

    fn of(tracks: Tracks, layout: KeyLayout, root: RootMotion) -> Self {
        Self {
            root: layout.from_seam(root, tracks.step_secs()),
            world: tracks.world(),
            tracks,
            layout,
        }
    }

    /// Returns how the keys form the loop.
    pub fn layout(&self) -> KeyLayout {
        self.layout
    }

    /// Returns the root motion from the seam on, whether or not the keys show it.
    pub fn root(&self) -> &RootMotion {
        &self.root
    }

    /// Returns the seconds between samples.
    pub fn step_secs(&self) -> f64 {
        self.tracks.step_secs()
    }

    /// Unique samples.
    pub fn num_samples(&self) -> usize {
        self.layout.num_samples
    }

    /// Returns the samples after each seam: the first, and for a loop of many cycles the first of each.
    pub(crate) fn seams(&self) -> impl Iterator<Item = usize> + Clone {
        let count = self.num_samples();
        let cycles = self.layout.num_cycles.clamp(1, count);
        (0..cycles).map(move |cycle| cycle * count / cycles)
    }

    /// Returns the number of joints.
    pub fn num_joints(&self) -> usize {
        self.tracks.num_joints()
    }

    pub(crate) fn skeleton(&self) -> &Skeleton {
        self.tracks.skeleton()
    }

    /// Returns the local pose in the middle of the loop.
    pub(crate) fn middle_pose(&self) -> PoseRef<'_> {
        self.tracks.pose(self.wrapped(self.num_samples() as isize / 2))
    }

    /// Returns the position of a joint at a sample of the endless loop, relative to the root, metres.
    pub(crate) fn position(&self, sample: isize, joint: usize) -> DVec3 {
        self.point(sample, joint, DVec3::ZERO)
    }

    /// Returns the position of a point in the axes of a joint at a sample of the endless loop, relative to the root, metres.
    pub(crate) fn point(&self, sample: isize, joint: usize, in_joint: DVec3) -> DVec3 {
        self.world.point(self.wrapped(sample), joint, in_joint)
    }

    /// Returns the transform of a joint at a sample of the endless loop, relative to the root.
    pub(crate) fn transform(&self, sample: isize, joint: usize) -> Rigid {
        self.world.joint(self.wrapped(sample), joint)
    }

    /// Returns the local rotation of a joint at a sample of the endless loop, the carrier's relative to the root.
    pub(crate) fn rotation(&self, sample: isize, joint: usize) -> DQuat {
        self.tracks.pose(self.wrapped(sample)).rotations[joint]
    }

    /// Returns the local rotation of a joint from one sample to another, a rotation vector.
    pub(crate) fn turn(&self, from: isize, to: isize, joint: usize) -> DVec3 {
        rotation::difference(self.rotation(to, joint), self.rotation(from, joint))
    }

    /// Returns the size of the pose gap between the first key and the closing one, radians and metres; `None` without a closing
    /// key.
    pub(crate) fn closing_gap(&self, joint: usize) -> Option<(f64, f64)> {
        let closing = self.layout.has_closing_key.then_some(self.num_samples())?;
        Some((
            rotation::difference(
                self.tracks.pose(closing).rotations[joint],
                self.tracks.pose(0).rotations[joint],
            )
            .length(),
            self.world
                .position(closing, joint)
                .distance(self.world.position(0, joint)),
        ))
    }

    fn wrapped(&self, sample: isize) -> usize {
        let (key, count) = (sample + self.layout.seam_sample as isize, self.num_samples() as isize);
        // Nearly all samples lie inside, and a division would take longer than everything else here.
        (if (0..count).contains(&key) {
            key
        } else {
            key.rem_euclid(count)
        }) as usize
    }
}

impl LoopClip {
    /// Reads the loop whose keys were written into a file.
    ///
    /// `root` is the root motion stated by the loop file, `carrier` the joint of `written` whose track holds it. The body is
    /// that of the keys, relative to the constant twist; a root path is not in the keys. Errors: the file has too few keys or
    /// joints.
    pub fn from_keys(written: &Take, layout: KeyLayout, root: RootMotion, carrier: usize) -> Result<Self, KeysError> {
        layout.check(written, carrier)?;
        let keys = body_of_keys(written, 0..layout.num_samples, &layout.shown(&root), carrier);
        if layout.last_step == 1.0 {
            return Ok(Self::new(written.name(), keys, carrier, root)?);
        }
        Ok(Self::new(written.name(), layout.evenly(&keys, carrier), carrier, root)?.recorded_at(keys))
    }
}

/// Returns the local poses of keys, without the root motion of the joint that carries it.
fn body_of_keys(written: &Take, keys: Range<usize>, root: &RootMotion, carrier: usize) -> Tracks {
    written.tracks().with_poses(keys.map(|key| {
        let own = written.pose(key);
        let mut pose = own.to_pose();
        let root = root.at(key as f64 * written.frame_time_secs());
        pose.set_joint(carrier, own.in_root(written.skeleton(), carrier, root));
        pose
    }))
}
