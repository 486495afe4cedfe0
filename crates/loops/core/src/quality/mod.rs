//! The quality figures of a loop, computed from its keys as written.
//!
//! All positions are relative to the root, so that root motion does not count as motion of the body. Definitions:
//! docs/math/measures.md.

use glam::DVec3;

mod faults;
mod hinges;
mod inside;
mod seam;
mod sliding;
mod step;

pub use faults::Faults;
pub use hinges::HingePeaks;
pub use inside::{HeldPose, JointPeak};
pub use seam::{SeamJoints, seam_joints};
pub(crate) use sliding::foot_slide_of_loop;
pub use sliding::{Stand, WorstContact, farthest_slide_of_stances, foot_slide_of_stances, stands};
pub use step::{SeamSteps, Step, StepKind};

use crate::{
    analysis::{Body, seam_peak::second_difference},
    loop_clip::{LoopClip, LoopKeys},
    math::ops,
    motion::WorldTracks,
    root_motion::RootRelativeClip,
};

/// The figures. Angles in radians, lengths in metres, rates per second, ranks from 0 to 1; `None` where unknown.
///
/// A figure has the name that it has in the sidecar, up to the unit; `seam` holds those of the most visible joint.
#[handed_over(Copy, Default)]
pub struct Quality {
    /// Largest rotation of a joint between first and closing key, and of a jump before the seam.
    pub pose_gap_radians: f64,
    /// Largest distance of a joint between first and closing key, and of a jump before the seam.
    pub pose_gap_metres: f64,
    /// Second difference at the seam, less the take's own there, over the RMS of second differences; mean over joints.
    pub seam_acceleration_error_ratio: Option<f64>,
    /// Largest over joints of the seam's second difference over the 99th percentile of the joint's others.
    pub seam_acceleration_ratio: f64,
    /// Share of windows with a smaller third difference than the seam's, 0 to 1; 0.5 on average if the seam does not show.
    pub seam_rank: f64,
    /// That share for the take's own frames at both ends of the cut, mean of the two.
    pub take_rank: Option<f64>,
    /// Mean distance of joints from the uncut take, root aligned.
    pub displacement_metres: Option<f64>,
    /// Mean rotation of joints from the uncut take, root aligned.
    pub displacement_radians: Option<f64>,
    /// Mean horizontal speed of feet while they stand, metres per second; `None` without feet or stance.
    pub foot_slide_mps: Option<f64>,
    /// The contact in which a foot slides farthest.
    pub farthest_slide: Option<WorstContact>,
    /// The contact whose foot is farthest above or below its height in the uncut take, in the median; negative below it.
    pub foot_height: Option<WorstContact>,
    /// The sharpest change of velocity at the seam over the 99th percentile of the same joint's other changes.
    pub seam_acceleration: JointPeak,
    /// The sharpest bend inside the loop that the uncut take does not have.
    pub kink: Option<JointPeak>,
    /// The longest time for which the whole body is still.
    pub held_pose: HeldPose,
    /// Mean angle between the direction from feet to head and up, radians; `None` for bodies without a head or feet.
    pub lean_radians: Option<f64>,
    /// Faults that no body shows, in multiples of the least fault that a person sees.
    pub faults: Faults,
    /// How far the hinges of a robot go beyond their limits.
    pub hinges: HingePeaks,
    /// Speed of the root over the ground, metres per second.
    pub root_mps: f64,
    /// How far joints step over the seam.
    pub seam: SeamSteps,
    /// Size of the body relative to a man: limits in metres grow with it.
    pub body_size: f64,
}

/// Largest second difference at a seam that is no kink, over the joint's own 99th percentile. An accent on a strike reaches 1.4 in
/// captured takes.
pub const SEAM_ACCELERATION: f64 = 1.5;

impl Quality {
    /// Whether the seam is visible: whether a joint steps over it farther than a person overlooks, and than its own motion explains.
    pub fn pops(&self) -> bool {
        self.seam.shows()
    }

    /// Whether the seam is visible, or a joint is accelerated more there than anywhere else.
    pub fn has_a_kink(&self) -> bool {
        self.pops() || self.seam_acceleration.ratio > SEAM_ACCELERATION
    }
}

/// Measures a loop as written; `source` is the uncut clip relative to the same root, if available.
pub fn measure(keys: &LoopKeys, body: &Body, source: Option<&RootRelativeClip>) -> Quality {
    let source = source.map(SourceTracks::new);
    let source = source.as_ref();
    let body_size = body.size_in(keys.skeleton(), keys.middle_pose());
    let (pose_gap_radians, pose_gap_metres) = seam::pose_gap(keys, source);
    let stands = sliding::stands_of(keys, body, source);
    Quality {
        pose_gap_radians,
        pose_gap_metres,
        seam_acceleration_error_ratio: source.and_then(|source| seam::seam_acceleration_error_ratio(keys, source)),
        seam_acceleration_ratio: seam::seam_acceleration_ratio(keys),
        seam_rank: seam::seam_rank(keys),
        take_rank: source.and_then(seam::take_rank),
        displacement_metres: source.map(|source| seam::displacement_metres(keys, body, source)),
        displacement_radians: source.map(|source| seam::displacement_radians(keys, body, source)),
        foot_slide_mps: foot_slide_of_stances(keys, &stands),
        farthest_slide: farthest_slide_of_stances(keys, &stands),
        foot_height: inside::foot_height(keys, &stands, source),
        seam_acceleration: inside::seam_acceleration(keys, body, body_size),
        kink: inside::kink(keys, body, source, body_size),
        held_pose: inside::held_pose(keys),
        lean_radians: inside::lean_radians(keys, body),
        faults: Faults::find(keys, body, body_size),
        hinges: hinges::peaks(keys),
        root_mps: ops::over_ground(keys.root().twist.linear),
        seam: SeamSteps::from_loop(keys, body_size),
        body_size,
    }
}

/// Measures only the figures that the choice of a loop needs: foot slide, foot height and kink.
pub(crate) fn of_choice(keys: &LoopKeys, body: &Body, source: &RootRelativeClip) -> Quality {
    let source = Some(&SourceTracks::new(source));
    let stands = sliding::stands_of(keys, body, source);
    Quality {
        foot_slide_mps: foot_slide_of_stances(keys, &stands),
        foot_height: inside::foot_height(keys, &stands, source),
        kink: inside::kink(keys, body, source, body.size_in(keys.skeleton(), keys.middle_pose())),
        ..Quality::default()
    }
}

/// Returns the mean distance of the joints of a loop from the uncut take, relative to the root, metres.
pub(crate) fn displacement_of(clip: &LoopClip, body: &Body, source: &RootRelativeClip) -> f64 {
    // Without the context, in less time.
    let between = SourceTracks {
        rooted: source,
        first: 0,
        world: source.clip.world_tracks_between_the_ends(),
    };
    seam::displacement_metres(&LoopKeys::from_loop(clip), body, &between)
}

/// Tracks of an uncut clip relative to the root.
struct SourceTracks<'a> {
    rooted: &'a RootRelativeClip,
    /// The sample at which `world` begins.
    first: isize,
    world: WorldTracks,
}

impl<'a> SourceTracks<'a> {
    fn new(rooted: &'a RootRelativeClip) -> Self {
        Self {
            rooted,
            first: *rooted.clip.sample_range().start(),
            world: rooted.clip.world_tracks(),
        }
    }

    fn has(&self, sample: isize) -> bool {
        self.rooted.clip.sample_range().contains(&sample)
    }

    fn position(&self, sample: isize, joint: usize) -> DVec3 {
        self.point(sample, joint, DVec3::ZERO)
    }

    fn point(&self, sample: isize, joint: usize, in_joint: DVec3) -> DVec3 {
        self.world.point((sample - self.first) as usize, joint, in_joint)
    }

    fn second_difference(&self, sample: isize, joint: usize) -> DVec3 {
        second_difference([sample + 1, sample, sample - 1].map(|sample| self.position(sample, joint)))
    }
}
