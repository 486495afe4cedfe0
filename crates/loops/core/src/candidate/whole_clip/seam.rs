//! Estimates the time between the last key of a clip and its first, and the motion from one to the other: those with which the keys on both
//! sides most likely form one curve.
//!
//! The likelihood is a quadratic form of the positions of many points. It needs only the sums of their products over the points, so that
//! evaluating a time or a motion costs no more for many points than for one.

use glam::{DMat3, DVec3};

use super::{
    curve::{Roughness, lagrange, weighted},
    inside::Clip,
};
use crate::math::{Rigid, ops, outer, rotation, smallest};

/// Loss of likelihood up to which a usual time is preferred, and the loss at the limits of the end.
const USUAL_LOSS: f64 = 1.0;
const LIMITS_LOSS: f64 = 0.5;

/// Frame rates at which authors choose whole frames, per second.
const AUTHORS_RATES: [f64; 2] = [24.0, 30.0];

/// A clip is continued in place if that is rougher by no more than this than continuing with a motion.
const IN_PLACE: [f64; 2] = [2.0, 1.0];

/// Number of even steps between the durations of the seam to try, and number of refinements of the best, by the golden section.
const COARSE: usize = 5;
const REFINEMENTS: usize = 12;
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Two keys at one time have no curve; they are taken this far apart, in frames.
const LEAST_SEAM_FRAMES: f64 = 0.01;

/// A duration of the seam with the motion that suits it.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    pub seam_frames: f64,
    pub motion: Rigid,
    /// Roughness relative to the clip's own.
    pub roughness: f64,
    /// Negative logarithm of its likelihood.
    cost: f64,
}

/// The keys on both sides of an end: the last ones of a clip, then the first.
pub(super) struct Seam<'a> {
    clip: &'a Clip<'a>,
    last_frame: usize,
    /// Durations that are tried.
    within: [f64; 2],
    /// Whether the motion may rise.
    rises: bool,
    /// The motion that best maps the first key to the last.
    start: Rigid,
    /// The places of the points at these keys.
    places: Vec<&'a [DVec3]>,
    /// The point relative to which positions are stored, so that digits are not lost far from the origin.
    origin: DVec3,
    moments: Moments,
}

/// Weighted sums over points; each point has a position at every key.
#[derive(Clone)]
struct Moments {
    total: f64,
    /// Sums of the positions at each key.
    places: Vec<DVec3>,
    /// Sums of the products of the positions at two keys, one transposed, row by row.
    products: Vec<DMat3>,
}

impl Moments {
    /// Returns the sums after the points have moved at the later half of the keys.
    fn moved(&self, motion: Rigid) -> Self {
        let count = self.places.len();
        let turn = DMat3::from_quat(motion.rotation);
        let by = |key: usize| {
            if key < count / 2 {
                (DMat3::IDENTITY, DVec3::ZERO)
            } else {
                (turn, motion.translation)
            }
        };
        let turned: Vec<DVec3> = (0..count).map(|key| by(key).0 * self.places[key]).collect();
        let products = (0..count * count).map(|index| {
            let (row, column) = (index / count, index % count);
            let ((one, shift), (other, off)) = (by(row), by(column));
            one * self.products[index] * other.transpose()
                + outer(turned[row], off)
                + outer(shift, turned[column])
                + outer(shift, off) * self.total
        });
        Self {
            total: self.total,
            products: products.collect(),
            places: (0..count).map(|key| turned[key] + by(key).1 * self.total).collect(),
        }
    }

    /// Returns the form of the points, per degree of freedom and axis.
    fn roughness(&self, form: &Roughness) -> f64 {
        let dots: Vec<f64> = self
            .products
            .iter()
            .map(|product| product.x_axis.x + product.y_axis.y + product.z_axis.z)
            .collect();
        form.of(&dots).max(f64::MIN_POSITIVE)
    }
}

impl<'a> Seam<'a> {
    pub(super) fn new(clip: &'a Clip<'a>, last_frame: usize, within: [f64; 2]) -> Self {
        let (keys, count) = (clip.keys, 2 * clip.keys);
        let frames = (last_frame + 1 - keys..=last_frame).chain(0..keys);
        let places: Vec<&[DVec3]> = frames.map(|frame| clip.places(frame)).collect();
        let start = clip.motion_to(places[keys - 1]);
        let origin = places[0].first().copied().unwrap_or_default();
        let weights = &clip.inside().weights;
        let mut moments = Moments {
            total: weights.iter().sum(),
            places: vec![DVec3::ZERO; count],
            products: vec![DMat3::ZERO; count * count],
        };
        for (point, &weight) in weights.iter().enumerate() {
            let at = |key: usize| places[key][point] - origin;
            for row in 0..count {
                moments.places[row] += at(row) * weight;
                for column in row..count {
                    moments.products[row * count + column] += outer(at(row) * weight, at(column));
                }
            }
        }
        for (row, column) in (0..count).flat_map(|row| (0..row).map(move |column| (row, column))) {
            moments.products[row * count + column] = moments.products[column * count + row].transpose();
        }
        Self {
            clip,
            last_frame,
            within,
            rises: start.translation.y != 0.0,
            start,
            places,
            origin,
            moments,
        }
    }

    /// Returns how far the last key and the first are from their prediction by the keys around them, metres.
    pub(super) fn miss_metres(&self, fit: &Fit) -> f64 {
        let seam = fit.seam_frames;
        let [of_last, of_first] = [[-2.0, -1.0, seam, seam + 1.0], [-1.0 - seam, -seam, 1.0, 2.0]].map(lagrange);
        let first = self.clip.keys;
        let [before, near, at, after, beyond, far] = core::array::from_fn(|key| self.places[first + key - 3]);
        self.clip.over_points(|index| {
            let moved = [after, beyond, far].map(|places| fit.motion.transform_point(places[index]));
            let at_last = weighted(&of_last, &[before[index], near[index], moved[0], moved[1]]) - at[index];
            let at_first = weighted(&of_first, &[near[index], at[index], moved[1], moved[2]]) - moved[0];
            (0.5 * (at_last.length_squared() + at_first.length_squared())).sqrt()
        })
    }

    /// Returns the least miss of coarsely spaced durations, metres.
    pub(super) fn coarse_miss_metres(&self) -> f64 {
        let motions = [Some(Rigid::IDENTITY), None].into_iter();
        let fits = motions.flat_map(|motion| self.coarse(motion));
        smallest(fits.map(|fit| self.miss_metres(&fit)))
    }

    /// Weighs evenly spaced durations.
    fn coarse(&self, motion: Option<Rigid>) -> [Fit; COARSE + 1] {
        let [least, most] = self.within;
        let step = (most - least) / COARSE as f64;
        core::array::from_fn(|part| self.with(least + step * part as f64, motion))
    }

    /// Returns a motion of the world as one about the origin of the places.
    fn about_origin(&self, motion: Rigid) -> Rigid {
        Rigid::new(motion.rotation, motion.transform_point(self.origin) - self.origin)
    }

    /// Weighs a duration of the seam with a motion, or with that which fits best.
    fn with(&self, seam_frames: f64, motion: Option<Rigid>) -> Fit {
        let keys = self.clip.keys;
        let before = (0..keys).map(|key| key as f64 + 1.0 - keys as f64);
        let after = (0..keys).map(|key| key as f64 + seam_frames.max(LEAST_SEAM_FRAMES));
        let form = Roughness::new(&before.chain(after).collect::<Vec<f64>>(), self.clip.inside().noise);
        let motion = motion.unwrap_or_else(|| self.fitted(&form));
        let roughness = self.moments.moved(self.about_origin(motion)).roughness(&form);
        Fit {
            seam_frames,
            motion,
            roughness,
            cost: 0.5 * (form.rank() * ops::ln(roughness) + form.log_det()),
        }
    }

    /// Fits the motion over the ground that makes the curve least rough; done twice, since rotations are not linear.
    fn fitted(&self, form: &Roughness) -> Rigid {
        let (keys, count) = (self.clip.keys, 2 * self.clip.keys);
        let ones: Vec<f64> = (0..count).map(|key| form.row(key)[keys..].iter().sum()).collect();
        let total = self.moments.total * ones[keys..].iter().sum::<f64>();
        let mut motion = self.about_origin(self.start);
        for _ in 0..2 {
            let Moments { places, products, .. } = self.moments.moved(motion);
            let shift: DVec3 = (0..count).map(|key| places[key] * ones[key]).sum();
            // Derivative of the first keys when the motion turns about the origin.
            let turn: DVec3 = (keys..count).map(|key| DVec3::Y.cross(places[key]) * ones[key]).sum();
            let (mut along, mut right) = (0.0, 0.0);
            for row in keys..count {
                for (column, weight) in form.row(row).iter().enumerate() {
                    let product = &products[row * count + column];
                    right += weight * (product.x_axis.z - product.z_axis.x);
                    if column >= keys {
                        along += weight * (product.x_axis.x + product.z_axis.z);
                    }
                }
            }
            // The translation follows from the turn, and leaves one equation for it.
            let yaw = -(right - turn.dot(shift.with_y(0.0)) / total) / (along - turn.dot(turn) / total);
            let yaw = if yaw.is_finite() { yaw } else { 0.0 };
            let off = -(shift + turn * yaw) / total;
            let off = if self.rises { off } else { off.with_y(0.0) };
            if !off.is_finite() {
                break;
            }
            motion = Rigid::new(rotation::from_yaw(yaw), off) * motion;
        }
        let back = self.origin - motion.rotation * self.origin;
        Rigid::new(motion.rotation, motion.translation + back)
    }

    /// Returns the most likely duration; in place, if the clip stays there.
    pub(super) fn best(&self) -> Fit {
        let rests = self.likeliest(Some(Rigid::IDENTITY));
        if rests.roughness <= IN_PLACE[1] {
            return rests;
        }
        let moves = self.likeliest(None);
        if rests.roughness <= IN_PLACE[0] * moves.roughness + IN_PLACE[1] {
            rests
        } else {
            moves
        }
    }

    /// Returns the likeliest duration with a motion, or with that which fits best.
    pub(super) fn likeliest(&self, motion: Option<Rigid>) -> Fit {
        let of = |seam_frames: f64| self.with(seam_frames, motion);
        let [least, most] = self.within;
        let step = (most - least) / COARSE as f64;
        let [first, others @ ..] = self.coarse(motion);
        let best = others.into_iter().fold(first, less_costly);
        let [mut low, mut high] = [-step, step].map(|off| (best.seam_frames + off).clamp(least, most));
        let mut inner = [1.0 - GOLDEN, GOLDEN].map(|share| of(low + share * (high - low)));
        // One of the two is always the best of all that were inner.
        for _ in 1..REFINEMENTS {
            let [one, other] = inner;
            inner = if one.cost <= other.cost {
                high = other.seam_frames;
                [of(high - GOLDEN * (high - low)), one]
            } else {
                low = one.seam_frames;
                [other, of(low + GOLDEN * (high - low))]
            };
        }
        let free = inner.into_iter().fold(best, less_costly);
        let usual = self.usual().into_iter().map(of).reduce(less_costly);
        usual
            .filter(|usual| usual.cost <= free.cost + USUAL_LOSS)
            .unwrap_or(free)
    }

    /// Returns durations that authors choose: none, a frame, and those that end on a whole frame of their own rate.
    fn usual(&self) -> Vec<f64> {
        let (step_secs, last) = (self.clip.take.frame_time_secs(), self.last_frame as f64);
        let [least, most] = self.within;
        let mut usual: Vec<f64> = (least.ceil() as u32..=most as u32).map(f64::from).collect();
        for rate in AUTHORS_RATES {
            let first = ((last + least) * step_secs * rate - 1e-6).ceil();
            let time = first / (rate * step_secs) - last;
            usual.extend((least..=most).contains(&time).then_some(time));
        }
        usual
    }

    /// Returns the durations about the likeliest that are hardly less likely.
    pub(super) fn limits(&self, fit: &Fit) -> [f64; 2] {
        let of = |seam_frames: f64| self.with(seam_frames, (fit.motion == Rigid::IDENTITY).then_some(Rigid::IDENTITY));
        let least = fit.cost;
        self.within.map(|end| {
            let (mut inside, mut outside) = (fit.seam_frames, end);
            if of(outside).cost <= least + LIMITS_LOSS {
                return outside;
            }
            for _ in 0..REFINEMENTS {
                let middle = 0.5 * (inside + outside);
                if of(middle).cost <= least + LIMITS_LOSS {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            inside
        })
    }
}

fn less_costly(one: Fit, other: Fit) -> Fit {
    if other.cost < one.cost { other } else { one }
}
