//! Transforms at even times, and the cubics between them: one formula for loops, passages and their roots.

use glam::{DQuat, DVec3};
use loopwright_core::math::Rigid;

/// A transform in single precision: a rotation (x, y, z, w), a translation in metres, and a zero. The rotation of a weighted sum is not
/// normalized.
pub(crate) type Lanes = [f32; 8];

pub(crate) fn lanes(rotation: DQuat, translation: DVec3) -> Lanes {
    let ([x, y, z, w], [a, b, c]) = (rotation.as_quat().to_array(), translation.as_vec3().to_array());
    [x, y, z, w, a, b, c, 0.0]
}

pub(crate) fn rigid(lanes: &Lanes) -> Rigid {
    let [x, y, z, w, a, b, c, _] = lanes.map(f64::from);
    let rotation = DQuat::from_xyzw(x, y, z, w);
    let length = rotation.length();
    let rotation = if length > 0.0 {
        rotation * length.recip()
    } else {
        DQuat::IDENTITY
    };
    Rigid::new(rotation, DVec3::new(a, b, c))
}

/// Rows of transforms at even times: all joints of a clip, or its root.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    /// One row before the first key and one or two after the last, which the cubics need.
    rows: Vec<Lanes>,
    width: usize,
    steps: usize,
    step_secs: f64,
    repeats: bool,
}

impl Keys {
    /// Creates keys from at least three rows of equal width; a track that `repeats` continues after the last row with the first.
    pub(crate) fn new(mut rows: Vec<Vec<Lanes>>, step_secs: f64, repeats: bool) -> Self {
        let (width, count) = (rows[0].len(), rows.len());
        if repeats {
            rows.insert(0, rows[count - 1].clone());
            rows.extend([rows[1].clone(), rows[2].clone()]);
        }
        for row in 1..rows.len() {
            let (before, after) = rows.split_at_mut(row);
            for (own, side) in after[0].iter_mut().zip(&before[row - 1]) {
                if dot(own, side) < 0.0 {
                    own[..4].iter_mut().for_each(|part| *part = -*part);
                }
            }
        }
        if !repeats {
            let beyond = |rows: [&Vec<Lanes>; 3]| -> Vec<Lanes> {
                (0..width)
                    .map(|joint| {
                        let [a, b, c] = rows.map(|row| row[joint]);
                        core::array::from_fn(|part| 3.0 * a[part] - 3.0 * b[part] + c[part])
                    })
                    .collect()
            };
            let before = beyond([&rows[0], &rows[1], &rows[2]]);
            let after = beyond([&rows[count - 1], &rows[count - 2], &rows[count - 3]]);
            rows.insert(0, before);
            rows.push(after);
        }
        Self {
            rows: rows.into_iter().flatten().collect(),
            width,
            steps: if repeats { count } else { count - 1 },
            step_secs,
            repeats,
        }
    }

    /// Returns the four rows around a time and their weights: those of a cubic through the inner two, whose slopes are the chords of their
    /// neighbours.
    fn around(&self, secs: f64) -> ([&[Lanes]; 4], [f32; 4]) {
        let time = if secs.is_finite() { secs / self.step_secs } else { 0.0 };
        let last = (self.steps - 1) as f64;
        let before = if self.repeats {
            time.floor()
        } else {
            time.floor().clamp(0.0, last)
        };
        let steps = self.steps as f64;
        let first = (before - (before / steps).floor() * steps).clamp(0.0, last) as usize;
        let u = (time - before) as f32;
        let weights = [
            0.5 * u * (u * (2.0 - u) - 1.0),
            0.5 * (u * u * (3.0 * u - 5.0) + 2.0),
            0.5 * u * (u * (4.0 - 3.0 * u) + 1.0),
            0.5 * u * u * (u - 1.0),
        ];
        let rows = [0, 1, 2, 3].map(|row| &self.rows[(first + row) * self.width..][..self.width]);
        (rows, weights)
    }

    /// Adds the transforms at a time by a weight, each rotation with the sign that is nearer to the sum so far.
    pub(crate) fn add(&self, secs: f64, weight: f64, into: &mut [Lanes]) {
        let ([a, b, c, d], weights) = self.around(secs);
        let [wa, wb, wc, wd] = weights.map(|part| part * weight as f32);
        for ((((into, a), b), c), d) in into.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let own: Lanes = core::array::from_fn(|part| (wa * a[part] + wb * b[part]) + (wc * c[part] + wd * d[part]));
            let side = if dot(&own, into) < 0.0 { -1.0 } else { 1.0 };
            let sides = [side, side, side, side, 1.0, 1.0, 1.0, 1.0];
            *into = core::array::from_fn(|part| into[part] + sides[part] * own[part]);
        }
    }

    /// Returns one of the transforms at a time.
    pub(crate) fn at(&self, secs: f64, column: usize) -> Rigid {
        let (rows, weights) = self.around(secs);
        rigid(&core::array::from_fn(|part| {
            (0..4).map(|row| weights[row] * rows[row][column][part]).sum()
        }))
    }

    /// Returns the place of one of the transforms at a time.
    pub(crate) fn place(&self, secs: f64, column: usize) -> DVec3 {
        let (rows, weights) = self.around(secs);
        let part = |part: usize| -> f32 { (0..4).map(|row| weights[row] * rows[row][column][part]).sum() };
        DVec3::new(part(4).into(), part(5).into(), part(6).into())
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }
}

fn dot(a: &Lanes, b: &Lanes) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}
