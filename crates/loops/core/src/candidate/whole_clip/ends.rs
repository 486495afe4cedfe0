//! Finds where a finished clip ends: at its last key, up to a frame after it, or some keys before it.
//!
//! The motion of its last keys continues in that of its first. The time between is chosen so that all of them form one curve as smooth as
//! those inside the clip. Derivation, constants and errors: docs/math/whole_clips.md.

use glam::DVec3;

use super::{
    curve::{lagrange, weighted},
    inside::{Clip, FEWEST_KEYS, NOISE_METRES},
    reading::Scale,
    seam::Seam,
};
use crate::math::{Rigid, greatest};

/// Most keys of the next cycle that follow the end.
pub(super) const MOST_FOLLOWING: usize = 5;

/// A gap within this share of the step beside it, and the noise, is none: a motion that rests at its ends moves little there.
const SAME_SHARE: f64 = 0.03;

/// Largest miss of a key predicted over the end, in steps, and where keys follow.
const MISSED_STEPS: f64 = 0.25;
const MISSED_STEPS_FOLLOWED: f64 = 0.15;

/// How much less a duration between those that are tried at first may miss by, in steps.
const BETWEEN_STEPS: f64 = 0.2;

/// Roughness over the end, relative to the clip's own, above which an end is rejected; and misses below which roughness does not matter,
/// metres at the size of an adult and in steps.
const ROUGH: f64 = 40.0;
const SMALL_MISS_METRES: f64 = 5e-4;
const SMALL_MISS_STEPS: f64 = 0.05;

/// Roughness at which an end is like any place of the clip, and the factor by which its misses may exceed the 90th percentile of the clip's
/// own.
const LIKE_OWN: f64 = 2.0;
const LIKE_OWN_MISS: f64 = 1.2;
const LIKE_OWN_FOLLOWED: f64 = 1.5;

/// An end with fewer left-out keys wins where its miss is within this factor of the least; one that may be too late, only where no earlier
/// one misses by less.
const AS_GOOD: f64 = 3.0;

/// Range of the end after the last key; and after the key before a last one whose time was cut short, in frames.
const AFTER_LAST: [f64; 2] = [0.0, 1.0];
const AFTER_CLAMPED: [f64; 2] = [1.0, 2.0];

/// Farther than this from its first pose, in steps, a clip is not searched for its end.
const MOST_GAP_STEPS: f64 = 3.0;

/// An end this near to a whole frame is moved to it: files round the times of frames.
const WHOLE_FRAMES: f64 = 5e-3;

/// The shortest step from the last key to the closing one, in frames.
const LEAST_STEP_FRAMES: f64 = 0.08;

/// The end of a clip.
#[value(Copy)]
pub(super) struct End {
    /// Its last key: the first key again if the seam has no duration.
    pub last_frame: usize,
    /// Time from that key to the first one, in frames; 0, or [`LEAST_STEP_FRAMES`] to 2.
    pub seam_frames: f64,
    /// The likely limits of that time.
    pub limits: [f64; 2],
    /// World motion from the first pose to the closing one.
    pub motion: Rigid,
    /// Distance of the last key and the first from where those around them predict them, root mean square over the body, metres.
    pub miss_metres: f64,
    /// Whether the two keys are one.
    pub is_exact: bool,
}

impl End {
    /// Creates an end at a key.
    pub(super) fn at_key(last_frame: usize, motion: Rigid, miss_metres: f64, is_exact: bool) -> Self {
        Self {
            last_frame,
            seam_frames: 0.0,
            limits: [0.0; 2],
            motion,
            miss_metres,
            is_exact,
        }
    }

    /// Leaves out a last key that is next to the closing one: a curve through both would bend.
    fn without_short_step(mut self) -> Self {
        if (self.seam_frames - 1.0).abs() < WHOLE_FRAMES {
            self.seam_frames = 1.0;
        }
        if self.seam_frames == 0.0 || self.seam_frames >= LEAST_STEP_FRAMES {
            return self;
        }
        Self {
            last_frame: self.last_frame - 1,
            seam_frames: self.seam_frames + 1.0,
            limits: self.limits.map(|limit| limit + 1.0),
            ..self
        }
    }
}

/// Finds the end of a clip; `None` if its last keys do not lead to its first.
pub(super) fn find(scale: &Scale) -> Option<End> {
    let last = scale.analysis.take.last_frame();
    let most = MOST_FOLLOWING.min(last.saturating_sub(2 * FEWEST_KEYS));
    let clip = Clip::new(scale)?;
    let mut found: Vec<(End, f64)> = Vec::new();
    for following in 0..=most {
        let Some(end) = clip.end_at(last - following, following, AFTER_LAST) else {
            continue;
        };
        let mut steps = end.miss_metres / clip.step_metres;
        // No time before its last key was tried, so the cycle may end earlier.
        if end.seam_frames == 0.0 && !end.is_exact && end.miss_metres > SMALL_MISS_METRES * clip.size {
            steps *= AS_GOOD;
        }
        found.push((end, steps));
        if steps <= SMALL_MISS_STEPS {
            break;
        }
    }
    if found.is_empty() && scale.named.repeats != Some(false) {
        // Exporters that clamp the last sample leave a key that is too early: the end is up to a frame after its place.
        found.extend(clip.end_at(last - 1, 0, AFTER_CLAMPED).map(|end| (end, 0.0)));
    }
    let least = found.iter().map(|(_, steps)| *steps).reduce(f64::min)?;
    let (end, _) = found.into_iter().find(|(_, steps)| *steps <= AS_GOOD * least)?;
    Some(end.without_short_step())
}

impl Clip<'_> {
    /// Returns the end at a key followed by `following` others; `None` if the motion does not continue there.
    fn end_at(&self, last_frame: usize, following: usize, within: [f64; 2]) -> Option<End> {
        let may_close = within == AFTER_LAST;
        if following == 0
            && may_close
            && let Some(end) = self.end_at_tail(last_frame)
        {
            return Some(end);
        }
        let [first, second, places] = [0, 1, last_frame].map(|key| self.places(key));
        let planar = self.motion_to(places);
        let gap =
            |motion: Rigid| self.over_points(|index| motion.transform_point(first[index]).distance(places[index]));
        // From so far away, no time of up to a frame leads to the first pose.
        if gap(planar) > MOST_GAP_STEPS * self.step_metres {
            return None;
        }
        let beside = self.over_points(|index| second[index].distance(first[index]));
        let same = SAME_SHARE * beside.min(self.step_metres) + NOISE_METRES * self.size;
        let mut motions = [Rigid::IDENTITY, planar].into_iter().filter(|_| may_close);
        let exact = motions.find(|&motion| gap(motion) <= same);
        if let Some(motion) = exact {
            let end = End::at_key(last_frame, motion, gap(motion), true);
            let is_near = self.followed_miss_metres(&end, following) <= MISSED_STEPS_FOLLOWED * self.step_metres;
            return is_near.then_some(end);
        }
        let most = if following > 0 {
            MISSED_STEPS_FOLLOWED
        } else {
            MISSED_STEPS
        };
        let seam = Seam::new(self, last_frame, within);
        // No duration between those tried misses by so much less.
        let loosest = (most * self.step_metres).max(LIKE_OWN_MISS * self.own_miss_metres);
        if seam.coarse_miss_metres() > loosest + BETWEEN_STEPS * beside.max(self.step_metres) {
            return None;
        }
        let fit = seam.best();
        let end = End {
            last_frame,
            seam_frames: fit.seam_frames,
            limits: seam.limits(&fit),
            motion: fit.motion,
            miss_metres: seam.miss_metres(&fit),
            is_exact: false,
        };
        let followed = self.followed_miss_metres(&end, following);
        let steps = |miss: f64| miss / self.step_metres;
        let is_small = end.miss_metres <= SMALL_MISS_METRES * self.size || steps(end.miss_metres) <= SMALL_MISS_STEPS;
        let is_near = steps(end.miss_metres.max(followed)) <= most && (fit.roughness <= ROUGH || is_small);
        let is_like_own = fit.roughness <= LIKE_OWN
            && end.miss_metres <= LIKE_OWN_MISS * self.own_miss_metres
            && followed <= LIKE_OWN_FOLLOWED * self.own_miss_metres;
        (is_near || is_like_own).then_some(end)
    }

    /// Returns the end at a key between frames that is the first one again.
    fn end_at_tail(&self, last_frame: usize) -> Option<End> {
        let tail = self.take.tail()?;
        let places = self.places_of(tail.pose.as_ref());
        let miss = |motion: Rigid| {
            let off = |(first, place): (&DVec3, &DVec3)| motion.transform_point(*first).distance(*place);
            greatest(self.places(0).iter().zip(&places).map(off))
        };
        let motions = [Rigid::IDENTITY, self.motion_to(&places)];
        let motion = motions
            .into_iter()
            .find(|&motion| miss(motion) <= NOISE_METRES * self.size)?;
        Some(End {
            seam_frames: tail.frames,
            limits: [tail.frames; 2],
            ..End::at_key(last_frame, motion, miss(motion), true)
        })
    }

    /// Returns the distance of the keys after an end from the motion after the start, root mean square, metres.
    fn followed_miss_metres(&self, end: &End, following: usize) -> f64 {
        let misses = (1..=following).map(|key| {
            let after = key as f64 - end.seam_frames;
            let first = (after.floor().max(0.0) as usize).saturating_sub(1);
            let nodes: [f64; 4] = core::array::from_fn(|node| (first + node) as f64 - after);
            let weights = lagrange(nodes);
            let around: [&[DVec3]; 4] = core::array::from_fn(|node| self.places(first + node));
            let at = self.places(end.last_frame + key);
            self.over_points(|index| {
                let own = weighted(&weights, &around.map(|places| places[index]));
                end.motion.transform_point(own).distance(at[index])
            })
        });
        greatest(misses)
    }
}
