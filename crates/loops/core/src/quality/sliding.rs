//! Measures when feet stand, and how fast they slide meanwhile.

use glam::DVec3;

use super::SourceTracks;
use crate::{
    analysis::{Body, FoundBy, standing},
    loop_clip::{LoopClip, LoopKeys},
    math::{greatest, ops, smallest},
    motion::Skeleton,
    root_motion::RootRelativeClip,
};

/// Returns how the standing feet of an unwritten loop slide: their speed, as
/// [`Quality::foot_slide_mps`](super::Quality::foot_slide_mps), and the distance of the farthest slide, metres.
pub(crate) fn foot_slide_of_loop(
    clip: &LoopClip,
    body: &Body,
    source: Option<&RootRelativeClip>,
) -> (Option<f64>, f64) {
    let keys = LoopKeys::from_loop(clip);
    let stands = stands(&keys, body, source);
    (
        foot_slide_of_stances(&keys, &stands),
        farthest_slide_of_stances(&keys, &stands).map_or(0.0, |slide| slide.metres),
    )
}

/// A contact of a joint.
#[value(Copy)]
pub struct Stand {
    /// The joint.
    pub joint: usize,
    /// The standing point, metres in the axes of the joint: one of a robot's sole, or [`Body::end_of`].
    pub end: DVec3,
    /// The first sample of the loop at which it stands.
    pub first_sample: usize,
    /// Number of samples; those beyond the last continue at the first.
    pub num_samples: usize,
}

impl Stand {
    fn is_of(&self, joint: usize, end: DVec3) -> bool {
        self.joint == joint && self.end == end
    }

    /// Returns the samples, numbered on beyond the last.
    pub(crate) fn samples(&self) -> core::ops::Range<usize> {
        self.first_sample..self.first_sample + self.num_samples
    }
}

/// Returns the mean speed over the ground of joints during known contacts, metres per second:
/// [`Quality::foot_slide_mps`](super::Quality::foot_slide_mps) for contacts from [`stands`]. `None` without contacts.
pub fn foot_slide_of_stances(keys: &LoopKeys, stands: &[Stand]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for stand in stands {
        let first = stand.first_sample;
        for sample in first..first.saturating_add(stand.num_samples.min(keys.num_samples())) {
            let sample = (sample % keys.num_samples()) as isize;
            let [before, after] = [sample - 1, sample + 1]
                .map(|sample| over_ground(keys, sample, keys.point(sample, stand.joint, stand.end)));
            sum += horizontal_speed(keys, before, after);
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Most positions of a contact that are compared with each other: a foot does not jump and return between two of a long stand.
const MOST_PLACES: usize = 256;

/// The contact with the largest figure.
#[handed_over(Copy, Default)]
pub struct WorstContact {
    /// The standing joint.
    pub joint: usize,
    /// The sample at which the contact begins.
    pub sample: usize,
    /// The figure of its foot, metres.
    pub metres: f64,
}

/// Returns the contact in which a joint slides farthest, with the largest distance over the ground between two of its places:
/// [`Quality::farthest_slide`](super::Quality::farthest_slide) for contacts from [`stands`]. `None` without contacts.
pub fn farthest_slide_of_stances(keys: &LoopKeys, stands: &[Stand]) -> Option<WorstContact> {
    let slides = stands.iter().map(|stand| {
        let first = stand.first_sample;
        let last = first.saturating_add(stand.num_samples.min(keys.num_samples()));
        let places: Vec<DVec3> = (first..last)
            .step_by((last - first).div_ceil(MOST_PLACES).max(1))
            .map(|sample| {
                // Beyond the last sample the root has moved on.
                let point = keys.point((sample % keys.num_samples()) as isize, stand.joint, stand.end);
                over_ground(keys, sample as isize, point)
            })
            .collect();
        let ways = places
            .iter()
            .flat_map(|one| places.iter().map(move |other| *one - *other));
        WorstContact {
            joint: stand.joint,
            sample: first,
            metres: greatest(ways.map(ops::over_ground)),
        }
    });
    slides.reduce(|worst, next| if next.metres > worst.metres { next } else { worst })
}

/// Returns a point over the ground, from its position relative to the root at a sample.
///
/// In place the ground moves, by the twist that the root would have had.
fn over_ground(keys: &LoopKeys, sample: isize, seen_from_root: DVec3) -> DVec3 {
    keys.root()
        .at(sample as f64 * keys.step_secs())
        .transform_point(seen_from_root)
}

/// Returns the metres per second along the ground between positions two samples apart.
fn horizontal_speed(keys: &LoopKeys, before: DVec3, after: DVec3) -> f64 {
    ops::over_ground(after - before) / (2.0 * keys.step_secs())
}

/// Returns the contacts detected in the frames that the loop was cut from. Without these frames they are detected in the loop
/// itself, where a sliding foot does not count as standing. Limits grow with the legs, so that the same loop at another size has
/// the same contacts.
pub fn stands(keys: &LoopKeys, body: &Body, source: Option<&RootRelativeClip>) -> Vec<Stand> {
    stands_of(keys, body, source.map(SourceTracks::new).as_ref())
}

/// Finds [`stands`] with tracks of the source that are already sampled.
pub(super) fn stands_of(keys: &LoopKeys, body: &Body, source: Option<&SourceTracks>) -> Vec<Stand> {
    if body.found_by == FoundBy::AllLeaves {
        return Vec::new();
    }
    let size = body.leg_size(keys.skeleton(), |joint| keys.position(0, joint));
    let num_samples = keys.num_samples() as isize;
    let mut stands: Vec<Stand> = Vec::new();
    for (joint, end) in points(keys.skeleton(), body) {
        let uncut = |sample: isize| match source {
            Some(source) => source.point(sample, joint, end),
            None => keys.point(sample, joint, end),
        };
        let lowest = smallest((0..num_samples).map(|sample| uncut(sample).y));
        for sample in 0..num_samples {
            // Without frames around the ends, the speed there is one-sided.
            let [before, after] = [sample - 1, sample + 1].map(|other| {
                if source.is_none_or(|source| source.has(other)) {
                    other
                } else {
                    sample
                }
            });
            let [from, to] = [before, after].map(|sample| over_ground(keys, sample, uncut(sample)));
            let speed = horizontal_speed(keys, from, to) / ((after - before) as f64 / 2.0);
            if !standing::is_stance((uncut(sample).y - lowest) / size, speed / size) {
                continue;
            }
            let sample = sample as usize;
            match stands.last_mut() {
                Some(stand) if stand.is_of(joint, end) && stand.samples().end == sample => {
                    stand.num_samples += 1;
                }
                _ => stands.push(Stand {
                    joint,
                    end,
                    first_sample: sample,
                    num_samples: 1,
                }),
            }
        }
        join_over_the_seam(&mut stands, (joint, end), num_samples as usize);
    }
    stands
}

/// Returns the points that can stand, with their joints: those of a robot's soles, or the last one of each foot.
fn points(skeleton: &Skeleton, body: &Body) -> Vec<(usize, DVec3)> {
    let soles = skeleton.hinges().map_or(&[][..], |hinges| &hinges.soles);
    soles
        .iter()
        .flat_map(|sole| sole.points.iter().map(|point| (sole.joint, point.at)))
        .chain(body.feet.iter().filter(|_| soles.is_empty()).map(|foot| {
            let joint = foot.lowest_joint();
            (joint, body.end_of(joint))
        }))
        .collect()
}

/// Merges contacts of a point that end with the last sample and begin with the first.
fn join_over_the_seam(stands: &mut Vec<Stand>, (joint, end): (usize, DVec3), num_samples: usize) {
    let first = stands
        .iter()
        .position(|stand| stand.is_of(joint, end) && stand.first_sample == 0);
    let last = stands
        .iter()
        .rposition(|stand| stand.is_of(joint, end) && stand.samples().end == num_samples);
    if let (Some(first), Some(last)) = (first, last)
        && first != last
    {
        stands[last].num_samples += stands[first].num_samples;
        stands.remove(first);
    }
}
