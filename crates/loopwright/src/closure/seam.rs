//! The seam of a cut: how its end moves, how its start moves, and what lies between the two.

use glam::{DQuat, DVec3};

use super::{
    Shares, Targets,
    rotation::{RotationEnd, pose_gap},
};
use crate::{
    analysis::velocity::{self, Around, Derivatives},
    math::rotation,
    take::Clip,
};

/// Pose and motion of a track of points at one end of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointEnd {
    /// Position, metres.
    pub position: DVec3,
    /// Velocity, metres per second.
    pub velocity: DVec3,
    /// Acceleration, metres per second squared.
    pub acceleration: DVec3,
}

/// Local pose and motion of one joint at both ends of a cut, start first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointEnds {
    /// Translation at the start and at the end.
    pub translation: [PointEnd; 2],
    /// Rotation at the start and at the end.
    pub rotation: [RotationEnd; 2],
}

/// Gap of one joint's local motion at the seam, end minus start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointGap {
    /// Of the translation, metres.
    pub position: DVec3,
    /// Of its velocity, metres per second.
    pub velocity: DVec3,
    /// Of its acceleration, metres per second squared.
    pub acceleration: DVec3,
    /// Rotation vector from the start's rotation to the end's, radians, short side.
    pub angle: DVec3,
    /// Of the angular velocity in the parent's axes, radians per second.
    pub angular_velocity: DVec3,
    /// Of the angular acceleration, radians per second squared.
    pub angular_acceleration: DVec3,
}

impl JointGap {
    /// The gap between two ends.
    pub fn of(ends: &JointEnds) -> Self {
        let [from, to] = ends.translation;
        let [from_turn, to_turn] = ends.rotation;
        Self {
            position: to.position - from.position,
            velocity: to.velocity - from.velocity,
            acceleration: to.acceleration - from.acceleration,
            angle: pose_gap(from_turn.rotation, to_turn.rotation),
            angular_velocity: to_turn.velocity - from_turn.velocity,
            angular_acceleration: to_turn.acceleration - from_turn.acceleration,
        }
    }
}

/// Gaps of all joints, in skeleton order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeamGaps {
    /// One entry per joint.
    pub joints: Vec<JointGap>,
}

impl SeamGaps {
    /// The largest of each gap over the joints.
    pub fn largest(&self) -> Gaps {
        let mut largest = Gaps::default();
        for gap in &self.joints {
            largest.take_in(gap);
        }
        largest
    }
}

/// Largest gaps over joints, as lengths of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gaps {
    /// Metres.
    pub position: f64,
    /// Metres per second.
    pub velocity: f64,
    /// Metres per second squared.
    pub acceleration: f64,
    /// Radians.
    pub angle: f64,
    /// Radians per second.
    pub angular_velocity: f64,
    /// Radians per second squared.
    pub angular_acceleration: f64,
}

impl Gaps {
    pub(super) fn take_in(&mut self, gap: &JointGap) {
        self.position = self.position.max(gap.position.length());
        self.velocity = self.velocity.max(gap.velocity.length());
        self.acceleration = self.acceleration.max(gap.acceleration.length());
        self.angle = self.angle.max(gap.angle.length());
        self.angular_velocity = self.angular_velocity.max(gap.angular_velocity.length());
        self.angular_acceleration = self.angular_acceleration.max(gap.angular_acceleration.length());
    }
}

/// Offsets wanted at both ends of a track of points.
///
/// With d, e, g the gaps of position, velocity and acceleration: o(0) = rho d, o(T) = -(1-rho) d, and likewise sigma of
/// e for o' and tau of g for o''. Source: docs/math/boundary.md.
pub fn point_targets(start: &PointEnd, end: &PointEnd, shares: &Shares) -> Targets {
    let split = |gap: DVec3, share: f64| [share * gap, -(1.0 - share) * gap];
    Targets {
        value: split(end.position - start.position, shares.rho),
        rate: split(end.velocity - start.velocity, shares.sigma),
        bend: split(end.acceleration - start.acceleration, shares.tau),
    }
}

/// Pose gap below which a track without frames around it may be looping already, in metres or radians.
///
/// A tenth of a millimetre or of a milliradian: text formats that keep four decimals of a centimetre or of a degree
/// stay well below it and capture noise is several times above it. Larger, and takes that only come close are left with
/// their gap in velocity; smaller, and loops read from rounded files are bent by the one-sided estimates.
const LOOPING_GAP: f64 = 1e-4;

/// How much sharper than the sharpest bend inside the clip the seam of a looping track may be.
///
/// A closed pose alone is no loop: half a swing ends where it starts and moves the other way. With three samples a sine
/// may have twice its second difference at the seam, so anything below 2 bends true loops; a reversed velocity exceeds
/// it by far once there are ten samples.
const LOOPING_BEND: f64 = 2.0;

/// Measures pose, velocity and acceleration of one joint's local motion at both ends of a clip.
///
/// Central differences where the clip has a sample beyond the end. Where it has none: across the seam when the track
/// loops already, so that a loop stays as it is, else one-sided. A track whose samples 0 to N are all the same bits
/// stands still.
/// Source: docs/math/estimators.md.
pub fn measure(clip: &Clip, joint: usize) -> JointEnds {
    let last = clip.num_intervals() as isize;
    let step = clip.step_secs();

    let at = |sample: isize| clip.translations(sample)[joint];
    let gap = at(last) - at(0);
    let [start, end] = Track {
        clip,
        at,
        gap: gap.length(),
        to_start: |x: DVec3| x - gap,
        to_end: |x: DVec3| x + gap,
        derive: |samples: Around<DVec3>| velocity::of_points(samples, step),
    }
    .measure();
    let point = |sample: isize, found: Derivatives| PointEnd {
        position: at(sample),
        velocity: found.velocity,
        acceleration: found.acceleration,
    };
    let translation = [point(0, start), point(last, end)];

    let at = |sample: isize| clip.rotations(sample)[joint];
    let gap = at(last) * at(0).conjugate();
    let [start, end] = Track {
        clip,
        at,
        gap: rotation::log(gap).length(),
        to_start: |q: DQuat| gap.conjugate() * q,
        to_end: |q: DQuat| gap * q,
        derive: |samples: Around<DQuat>| velocity::of_rotations(samples, step),
    }
    .measure();
    let turn = |sample: isize, found: Derivatives| RotationEnd {
        rotation: at(sample),
        velocity: found.velocity,
        acceleration: found.acceleration,
    };
    JointEnds {
        translation,
        rotation: [turn(0, start), turn(last, end)],
    }
}

/// The same by least squares over nine samples, which noise hardly reaches.
///
/// `None` where the clip has no four samples beyond both ends or none between them. Source: docs/math/estimators.md.
pub fn measure_wide(clip: &Clip, joint: usize) -> Option<JointEnds> {
    let (last, reach) = (clip.num_intervals() as isize, velocity::WIDE_REACH as isize);
    let range = clip.sample_range();
    if !(range.contains(&-reach) && range.contains(&(last + reach)) && last >= reach) {
        return None;
    }
    let step = clip.step_secs();
    let around = |sample: isize| core::array::from_fn(|k| sample + k as isize - reach);
    let point = |sample: isize| {
        let found = velocity::of_points_wide(
            around(sample).map(|sample: isize| clip.translations(sample)[joint]),
            step,
        );
        PointEnd {
            position: clip.translations(sample)[joint],
            velocity: found.velocity,
            acceleration: found.acceleration,
        }
    };
    let turn = |sample: isize| {
        let found =
            velocity::of_rotations_wide(around(sample).map(|sample: isize| clip.rotations(sample)[joint]), step);
        RotationEnd {
            rotation: clip.rotations(sample)[joint],
            velocity: found.velocity,
            acceleration: found.acceleration,
        }
    };
    // What stands still keeps its bits, whatever moves around the cut.
    let mut ends = JointEnds {
        translation: [point(0), point(last)],
        rotation: [turn(0), turn(last)],
    };
    let first = clip.translations(0)[joint];
    if (1..=last).all(|sample| clip.translations(sample)[joint] == first) {
        ends.translation = ends.translation.map(|end| PointEnd {
            position: end.position,
            ..PointEnd::default()
        });
    }
    let first = clip.rotations(0)[joint];
    if (1..=last).all(|sample| clip.rotations(sample)[joint] == first) {
        ends.rotation = ends.rotation.map(|end| RotationEnd {
            rotation: end.rotation,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
        });
    }
    Some(ends)
}

/// One joint's track, of points or of rotations.
struct Track<'a, At, ToStart, ToEnd, Derive> {
    clip: &'a Clip,
    /// The track's sample.
    at: At,
    /// Size of the pose gap.
    gap: f64,
    /// Carries a sample before the end to before the start, over the pose gap.
    to_start: ToStart,
    /// Carries a sample after the start to after the end.
    to_end: ToEnd,
    derive: Derive,
}

impl<T, At, ToStart, ToEnd, Derive> Track<'_, At, ToStart, ToEnd, Derive>
where
    T: Copy + PartialEq,
    At: Fn(isize) -> T,
    ToStart: Fn(T) -> T,
    ToEnd: Fn(T) -> T,
    Derive: Fn(Around<T>) -> Derivatives,
{
    fn measure(&self) -> [Derivatives; 2] {
        let at = &self.at;
        let last = self.clip.num_intervals() as isize;
        if (1..=last).all(|sample| at(sample) == at(0)) {
            return [Derivatives::default(); 2];
        }
        let range = self.clip.sample_range();
        let (has_before, has_after) = (range.contains(&-1), range.contains(&(last + 1)));
        let across = !(has_before && has_after) && self.loops_already();
        let start = if has_before {
            Around::Both([at(-1), at(0), at(1)])
        } else if across {
            Around::Both([(self.to_start)(at(last - 1)), at(0), at(1)])
        } else {
            Around::After([at(0), at(1), at(2)])
        };
        let end = if has_after {
            Around::Both([at(last - 1), at(last), at(last + 1)])
        } else if across {
            Around::Both([at(last - 1), at(last), (self.to_end)(at(1))])
        } else {
            Around::Before([at(last - 2), at(last - 1), at(last)])
        };
        [start, end].map(&self.derive)
    }

    /// Whether the pose closes and the seam bends no more than the track does elsewhere.
    fn loops_already(&self) -> bool {
        if self.gap > LOOPING_GAP {
            return false;
        }
        let at = &self.at;
        let last = self.clip.num_intervals() as isize;
        let bend = |samples: [T; 3]| (self.derive)(Around::Both(samples)).acceleration.length();
        let inside = (1..last)
            .map(|sample| bend([at(sample - 1), at(sample), at(sample + 1)]))
            .fold(0.0_f64, f64::max);
        let seam = bend([(self.to_start)(at(last - 1)), at(0), at(1)]);
        // The allowance lets rounding pass where the bound is met exactly.
        seam <= LOOPING_BEND * inside * (1.0 + 1e-9)
    }
}
