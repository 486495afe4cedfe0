//! Measures pose and motion of a joint at both ends of a cut.

use glam::{DQuat, DVec3};

use crate::{
    analysis::velocity::{self, Around, Derivatives, Sample, WIDE_REACH},
    math::greatest,
    take::Clip,
};

/// State of a track of points or of rotations at one end of a cut.
#[value(Copy, Default)]
pub struct EndState<T> {
    /// Position in metres, or rotation.
    pub value: T,
    /// Velocity, metres per second; or angular velocity in the space the rotation maps to, radians per second.
    pub velocity: DVec3,
    /// Its derivative, per second squared.
    pub acceleration: DVec3,
}

impl<T> EndState<T> {
    /// Creates a value with its first two derivatives.
    pub fn new(value: T, velocity: DVec3, acceleration: DVec3) -> Self {
        Self {
            value,
            velocity,
            acceleration,
        }
    }
}

/// Local pose and motion of one joint at both ends of a cut, start first.
#[value(Copy, Default)]
pub struct JointEnds {
    /// Translation at the start and at the end.
    pub translation: [EndState<DVec3>; 2],
    /// Rotation at the start and at the end.
    pub rotation: [EndState<DQuat>; 2],
}

/// Pose gap below which a track without surrounding frames may already loop, in metres or radians.
///
/// A tenth of a millimetre or of a milliradian: text formats that keep four decimals of a centimetre or of a degree stay well
/// below it, and capture noise is several times above it. With a larger gap, takes that only come close keep their gap in
/// velocity; with a smaller one, loops read from rounded files are distorted by the one-sided estimates.
const LOOPING_GAP: f64 = 1e-4;

/// Largest acceleration of a looping track at its seam, relative to that inside the clip.
///
/// A closed pose alone is no loop: half a swing ends where it starts but moves in the opposite direction. With three samples a
/// sine may have twice its second difference at the seam, so a limit below 2 distorts true loops; a reversed velocity exceeds it
/// by far from ten samples on.
const LOOPING_ACCELERATION: f64 = 2.0;

/// Measures pose, velocity and acceleration of one joint's local motion at both ends of a clip.
///
/// Uses central differences if the clip has a sample beyond the end. Otherwise it uses differences across the seam if the track
/// already loops, so that a loop is unchanged, else one-sided ones. A track whose samples 0 to N all have the same bits does not
/// move. Source: docs/math/estimators.md.
pub fn measure(clip: &Clip, joint: usize) -> JointEnds {
    JointEnds {
        translation: Track::new(clip, joint).measure(),
        rotation: Track::new(clip, joint).measure(),
    }
}

/// Measures like [`measure`], by least squares over nine samples, which reduces the effect of noise.
///
/// `None` unless the clip has four samples beyond both ends and some between them. Source: docs/math/estimators.md.
pub fn measure_wide(clip: &Clip, joint: usize) -> Option<JointEnds> {
    let (last, reach) = (clip.num_intervals() as isize, WIDE_REACH as isize);
    let range = clip.sample_range();
    (range.contains(&-reach) && range.contains(&(last + reach)) && last >= reach).then(|| JointEnds {
        translation: Track::new(clip, joint).measure_wide(),
        rotation: Track::new(clip, joint).measure_wide(),
    })
}

/// The values of a joint's track: points or rotations.
trait Value: Sample + PartialEq {
    fn sampled(clip: &Clip, sample: isize, joint: usize) -> Self;

    /// Returns a sample moved by a gap: from after the start to after the end.
    fn carried(self, gap: Self) -> Self;

    /// Returns the gap that moves samples back.
    fn reversed(self) -> Self;
}

impl Value for DVec3 {
    fn sampled(clip: &Clip, sample: isize, joint: usize) -> Self {
        clip.translations(sample)[joint]
    }

    fn carried(self, gap: Self) -> Self {
        self + gap
    }

    fn reversed(self) -> Self {
        -self
    }
}

impl Value for DQuat {
    fn sampled(clip: &Clip, sample: isize, joint: usize) -> Self {
        clip.rotations(sample)[joint]
    }

    fn carried(self, gap: Self) -> Self {
        gap * self
    }

    fn reversed(self) -> Self {
        self.conjugate()
    }
}

/// One joint's track over a clip: its translation or its rotation.
struct Track<'a, T> {
    clip: &'a Clip,
    joint: usize,
    /// The last sample, which the seam joins to sample 0.
    last: isize,
    /// The difference that maps the start to the end.
    gap: T,
}

impl<'a, T: Value> Track<'a, T> {
    fn new(clip: &'a Clip, joint: usize) -> Self {
        let last = clip.num_intervals() as isize;
        Self {
            clip,
            joint,
            last,
            gap: T::sampled(clip, 0, joint)
                .reversed()
                .carried(T::sampled(clip, last, joint)),
        }
    }

    fn at(&self, sample: isize) -> T {
        T::sampled(self.clip, sample, self.joint)
    }

    fn three_from(&self, first: isize) -> [T; 3] {
        [0, 1, 2].map(|away| self.at(first + away))
    }

    fn measure(&self) -> [EndState<T>; 2] {
        let last = self.last;
        if self.stands_still() {
            return self.states([Derivatives::default(); 2]);
        }
        let range = self.clip.sample_range();
        let (has_before, has_after) = (range.contains(&-1), range.contains(&(last + 1)));
        let across = !(has_before && has_after) && (self.clip.is_cycle() || self.loops_already());
        let start = if has_before {
            Around::Both(self.three_from(-1))
        } else if across {
            Around::Both(self.over_the_seam())
        } else {
            Around::After(self.three_from(0))
        };
        let end = if has_after {
            Around::Both(self.three_from(last - 1))
        } else if across {
            Around::Both([self.at(last - 1), self.at(last), self.at(1).carried(self.gap)])
        } else {
            Around::Before(self.three_from(last - 2))
        };
        self.states([start, end].map(|samples| velocity::derivatives(samples, self.clip.step_secs())))
    }

    fn measure_wide(&self) -> [EndState<T>; 2] {
        // A track without motion keeps its bits, whatever moves around the cut.
        if self.stands_still() {
            return self.states([Derivatives::default(); 2]);
        }
        self.states([0, self.last].map(|end| {
            velocity::derivatives_wide(
                core::array::from_fn(|k| self.at(end + k as isize - WIDE_REACH as isize)),
                self.clip.step_secs(),
            )
        }))
    }

    fn states(&self, [start, end]: [Derivatives; 2]) -> [EndState<T>; 2] {
        [
            EndState::new(self.at(0), start.velocity, start.acceleration),
            EndState::new(self.at(self.last), end.velocity, end.acceleration),
        ]
    }

    fn stands_still(&self) -> bool {
        (1..=self.last).all(|sample| self.at(sample) == self.at(0))
    }

    /// The samples around the start of a track that loops.
    fn over_the_seam(&self) -> [T; 3] {
        [
            self.at(self.last - 1).carried(self.gap.reversed()),
            self.at(0),
            self.at(1),
        ]
    }

    /// Whether the pose closes and the acceleration at the seam is no larger than elsewhere.
    fn loops_already(&self) -> bool {
        if self.at(self.last).difference(self.at(0)).length() > LOOPING_GAP {
            return false;
        }
        let acceleration = |samples: [T; 3]| {
            let derivatives = velocity::derivatives(Around::Both(samples), self.clip.step_secs());
            derivatives.acceleration.length()
        };
        // The tolerance accepts rounding if the bound is met exactly.
        acceleration(self.over_the_seam())
            <= LOOPING_ACCELERATION
                * greatest((1..self.last).map(|sample| acceleration(self.three_from(sample - 1))))
                * (1.0 + 1e-9)
    }
}
