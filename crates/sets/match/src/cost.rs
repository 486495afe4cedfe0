//! Finds the frame that is cheapest to continue in, by the exact cost of an inertialized jump, over many takes and loops.
//!
//! A row holds the inputs of the cost: weighted positions p and velocities u of joints, and the velocities of the root, as
//! [`transition`](loopwright_moves::transition) compares them. The answer is the exact total displacement D of all gaps under a
//! [`Decay`], summed axis by axis in double precision. The feature form narrows the search: with f = a p + b u, the sum of |f -
//! f'| never exceeds D, so the search descends a tree of boxes in f, and computes exact costs only for rows that the feature
//! form lets pass. The only weights are those of joints. Derivation: docs/math/transition_cost.md; the search:
//! docs/math/matching.md.

use std::borrow::Cow;

use super::{
    database::{Clips, FrameDatabase, FrameRows, MatchFilter},
    nearest::{self, MAX_COLUMNS, RowsError, larger},
    principal::{Place, Principal},
    source::MatchSource,
    tree::{self, LEAF, Leaves, Search},
};
use loopwright_core::{
    analysis::{ROOT_AXES, WeightedJoint},
    math::{Decay, Displacement},
};

/// Most joints that are compared.
const MAX_JOINTS: usize = (MAX_COLUMNS - ROOT_AXES) / 6;

const MAX_AXES: usize = 3 * MAX_JOINTS + ROOT_AXES;

/// Rounding error of the feature form in single precision, as a share of the cost: rows beyond it are truly dearer. The added
/// products sum to less than 6 D in all decays, and each of at most 500 roundings is 2^-24 of them.
const SLACK: f64 = 3e-4;

/// Levels of a box's scale in one byte, without one at either end.
const LEVELS: f32 = 253.0;

/// Boxes are wider than their rows by this part of a level, far more than the rounding of a query.
const MARGIN: f32 = 0.01;

/// A compared joint, found in every take by its name.
#[value]
pub struct CostJoint {
    /// Its name.
    pub name: String,
    /// Factor on its metres.
    pub weight: f64,
}

/// The features of a cost database's rows.
#[value]
pub struct CostFeatures {
    pub(super) joints: Vec<CostJoint>,
    pub(super) decay: Decay,
}

/// Why a motion has no rows in a cost database.
#[error_kinds]
pub enum CostError {
    #[error("there is no joint \"{name}\", by which the frames of the database are compared")]
    Joint { name: String },
    #[error("joint \"{name}\", by which the frames of the database are compared, flips in this take")]
    Flips { name: String },
    #[error("{found} joints have a weight, at most {MAX_JOINTS} can be compared")]
    TooMany { found: usize },
    /// The take cannot be matched.
    Features(super::features::MatchError),
}

impl CostFeatures {
    /// Selects the compared joints of a motion, by the weights of its analysis, and sets the decay.
    ///
    /// Errors: [`CostError::TooMany`].
    pub fn new(source: &MatchSource, decay: Decay) -> Result<Self, CostError> {
        let skeleton = source.analysis.take.skeleton();
        let joints: Vec<CostJoint> = source
            .analysis
            .joints
            .iter()
            .filter(|joint| joint.weight > 0.0)
            .map(|joint| CostJoint {
                name: skeleton.joint(joint.joint).name.clone(),
                weight: joint.weight,
            })
            .collect();
        if joints.len() > MAX_JOINTS {
            return Err(CostError::TooMany { found: joints.len() });
        }
        Ok(Self { joints, decay })
    }

    /// Returns the joints that are compared.
    pub fn joints(&self) -> &[CostJoint] {
        &self.joints
    }

    /// Returns the fade of a jump's gap.
    pub fn decay(&self) -> Decay {
        self.decay
    }

    /// Returns the numbers of a row: three positions per joint, as many velocities, and the velocities of the root.
    pub fn columns(&self) -> usize {
        6 * self.joints.len() + ROOT_AXES
    }

    /// Returns the number of axes of the feature form.
    pub fn num_axes(&self) -> usize {
        Self::axes_of(self.columns())
    }

    /// Whether rows can have this many numbers.
    pub(super) fn has_columns(columns: usize) -> bool {
        (ROOT_AXES..=6 * MAX_JOINTS + ROOT_AXES).contains(&columns) && (columns - ROOT_AXES).is_multiple_of(6)
    }

    /// Returns the number of joints of rows with this many numbers.
    pub(super) fn joints_of(columns: usize) -> usize {
        (columns - ROOT_AXES) / 6
    }

    /// Returns the number of axes of rows with this many numbers.
    pub(super) fn axes_of(columns: usize) -> usize {
        3 * Self::joints_of(columns) + ROOT_AXES
    }

    /// Whether all costs are numbers.
    pub(super) fn is_sound(&self) -> bool {
        let mut weights = self.joints.iter().map(|joint| joint.weight);
        // Outside this range no fade exists, and areas would overflow single precision.
        weights.all(|weight| weight > 0.0 && weight.is_finite()) && (1e-6..=1e6).contains(&self.decay.secs())
    }

    /// Returns the rows of all frames of a motion's take.
    fn rows_of(&self, source: &MatchSource) -> Result<Vec<Vec<f32>>, CostError> {
        let analysis = &source.analysis;
        let joints: Vec<WeightedJoint> = self
            .joints
            .iter()
            .map(|CostJoint { name, weight }| {
                let joint = analysis
                    .take
                    .skeleton()
                    .find(name)
                    .ok_or_else(|| CostError::Joint { name: name.clone() })?;
                if analysis.defects.flipping.iter().any(|flips| flips.joint == joint) {
                    return Err(CostError::Flips { name: name.clone() });
                }
                Ok(WeightedJoint { joint, weight: *weight })
            })
            .collect::<Result<_, CostError>>()?;
        let features = analysis.features_of(&joints);
        Ok((0..features.num_frames())
            .map(|frame| {
                let positions = &features.positions(frame)[..features.num_position_axes()];
                positions
                    .iter()
                    .chain(features.velocities(frame))
                    .map(|&number| number as f32)
                    .collect()
            })
            .collect())
    }

    /// Returns the row that each frame of a motion would have, as the query of a search. Frames of loops wrap around.
    pub fn queries(&self, source: &MatchSource) -> Result<Vec<Vec<f32>>, CostError> {
        source.refuse_in_place()?;
        Ok(source.in_clip(self.rows_of(source)?))
    }

    /// Changes the velocity of a row's root to this speed and turn rate (metres and radians per second, left positive);
    /// everything relative to the root stays the same. `half_height` is half the height of the body, metres.
    pub fn steer(&self, row: &mut [f32], speed_mps: f64, turn_radians_per_sec: f64, half_height: f64) {
        let root = [0.0, 0.0, speed_mps, turn_radians_per_sec * half_height];
        for (number, wished) in row[6 * self.joints.len()..].iter_mut().zip(root) {
            *number = wished as f32;
        }
    }

    /// Returns the feature form of a row, one number per axis: the sum of the absolute differences is a lower bound of the cost.
    pub fn form(&self, row: &[f32]) -> Vec<f64> {
        let (a, b) = self.decay.area_weights();
        let (positions, velocities) = row.split_at(3 * self.joints.len());
        let positions = positions.iter().copied().chain(core::iter::repeat(0.0));
        velocities
            .iter()
            .zip(positions)
            .map(|(&velocity, position)| a * f64::from(position) + b * f64::from(velocity))
            .collect()
    }
}

/// A motion before it is part of a [`CostDatabase`].
pub type CostMotion = FrameRows<Vec<f32>>;

/// A database of frames that can be jumped to.
pub type CostDatabase<'a> = FrameDatabase<'a, CostRows<'a>>;

/// Rows of positions and velocities, arranged for the search of the cheapest one.
#[value]
pub struct CostRows<'a> {
    pub(super) features: CostFeatures,
    pub(super) leaves: Leaves<'a>,
    /// For each axis, the feature form at the byte 0, and the size of one level.
    pub(super) starts: Cow<'a, [f32]>,
    pub(super) steps: Cow<'a, [f32]>,
    /// Node by node, in index order: the lower ends of all axes, then the upper ones.
    pub(super) boxes: Cow<'a, [u8]>,
}

/// A row, and the cost of a jump to it.
#[value(Copy)]
pub struct Cheapest {
    /// The row, counted from 0.
    pub row: usize,
    /// The exact cost, metre-seconds.
    pub cost: f64,
}

impl MatchSource {
    /// Returns the runs of frames that can be jumped to, as parts of a cost database: a take is split where its pose jumps.
    pub fn cost_motions(
        &self,
        name: &str,
        tags: &[(String, String)],
        features: &CostFeatures,
    ) -> Result<Vec<CostMotion>, CostError> {
        self.refuse_in_place()?;
        // A velocity looks one frame ahead.
        Ok(self.motions_of(&features.rows_of(self)?, 1, name, tags))
    }
}

impl CostDatabase<'_> {
    /// Builds the database of motions with rows of these features.
    pub fn new(features: CostFeatures, motions: &[CostMotion]) -> Result<CostDatabase<'static>, RowsError> {
        CostDatabase::from_rows(features, Clips::default(), Vec::new(), motions)
    }

    /// Adds motions with rows of its own features.
    pub fn with(&self, motions: &[CostMotion]) -> Result<CostDatabase<'static>, RowsError> {
        let rows = (0..self.num_rows()).flat_map(|row| self.set.leaves.row(row)).collect();
        CostDatabase::from_rows(self.set.features.clone(), Clips::of_database(self), rows, motions)
    }

    /// Adds rows of more motions to clips.
    fn from_rows(
        features: CostFeatures,
        mut clips: Clips,
        mut rows: Vec<f32>,
        motions: &[CostMotion],
    ) -> Result<CostDatabase<'static>, RowsError> {
        clips.add(motions);
        rows.extend(motions.iter().flat_map(|motion| motion.features.iter().flatten()));
        let columns = features.columns();
        if rows.len() != columns * clips.standing.len() {
            return Err(RowsError::Shape {
                numbers: rows.len(),
                columns,
            });
        }
        Ok(clips.with_set(CostRows::new(features, &rows)?))
    }

    /// Returns the features of its rows.
    pub fn features(&self) -> &CostFeatures {
        &self.set.features
    }

    /// Returns the numbers of a row: weighted positions of all axes of joints, metres, then their velocities and those of the
    /// root, metres per second.
    ///
    /// # Panics When there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        self.set.leaves.row(row)
    }

    /// Returns the bytes that the search needs besides the rows themselves.
    pub fn index_bytes(&self) -> usize {
        let scales = size_of_val(self.set.starts.as_ref()) + size_of_val(self.set.steps.as_ref());
        self.set.leaves.index_bytes() + self.set.boxes.len() + scales
    }

    /// Returns the exact cost of a jump from a query into a row, metre-seconds: the sum of [`Decay::displacement`] over all
    /// axes, in order.
    ///
    /// # Panics When there is no such row, or the query has another number of columns.
    pub fn cost(&self, query: &[f32], row: usize) -> f64 {
        self.set.gaps(query, row, Decay::displacement)
    }

    /// Returns the cost in feature form, which never exceeds the exact one.
    ///
    /// # Panics
    /// As [`Self::cost`].
    pub fn feature_cost(&self, query: &[f32], row: usize) -> f64 {
        self.set.gaps(query, row, |decay, x, v| decay.signed_area(x, v).abs())
    }

    /// Finds the exact cheapest row; the first one of a tie. `None` if the filter lets no row pass.
    ///
    /// `likely` is a row that is probably cheap: it does not change the answer. Nothing is allocated.
    ///
    /// # Panics When the query has another number of columns, or `likely` is out of range.
    pub fn cheapest(&self, query: &[f32], filter: &MatchFilter, likely: Option<usize>) -> Option<Cheapest> {
        self.set.search(query, likely, &|row| self.passes(row, filter))
    }
}

impl CostRows<'static> {
    fn new(features: CostFeatures, rows: &[f32]) -> Result<Self, RowsError> {
        let (columns, axes) = (features.columns(), CostFeatures::axes_of(features.columns()));
        nearest::check_rows(rows, columns)?;
        let forms: Vec<f32> = rows
            .chunks_exact(columns)
            .flat_map(|row| features.form(row))
            .map(|number| number as f32)
            .collect();
        let principal = Principal::new(&forms, axes);
        let places: Vec<Place> = forms.chunks_exact(axes).map(|form| principal.place(form)).collect();
        let leaves = Leaves::new(rows, columns, &places);
        let (starts, steps) = scales(&forms, axes);
        Ok(Self {
            boxes: boxes(&leaves, &forms, &starts, &steps).into(),
            features,
            leaves,
            starts: starts.into(),
            steps: steps.into(),
        })
    }
}

/// Returns for every axis the value of a box's byte 0, and the size of one level.
fn scales(forms: &[f32], axes: usize) -> (Vec<f32>, Vec<f32>) {
    let scales = (0..axes).map(|axis| {
        let (low, high) = forms
            .iter()
            .skip(axis)
            .step_by(axes)
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &number| {
                (low.min(number), high.max(number))
            });
        if low > high {
            return (0.0, 1.0);
        }
        // Far above the rounding of the numbers, even if all are equal.
        let step = ((high - low) / LEVELS).max(1e-5 * low.abs().max(high.abs())).max(1e-20);
        (low - step, step)
    });
    scales.unzip()
}

/// Computes the boxes of all nodes in the feature form.
fn boxes(leaves: &Leaves, forms: &[f32], starts: &[f32], steps: &[f32]) -> Vec<u8> {
    let axes = starts.len();
    let num_leaves = leaves.num_leaves();
    let mut boxes = [vec![u8::MAX; axes], vec![0; axes]]
        .concat()
        .repeat(tree::num_nodes(num_leaves));
    let size = 2 * axes;
    // Children come after their parents, so the last are merged first.
    for node in tree::nodes(num_leaves).into_iter().rev() {
        let Some(children) = node.children() else {
            let (low, high) = boxes[node.index * size..][..size].split_at_mut(axes);
            for &row in &leaves.rows[node.first_leaf] {
                for (axis, form) in forms[row as usize * axes..][..axes].iter().enumerate() {
                    let level = (form - starts[axis]) / steps[axis];
                    // The conversion to bytes saturates.
                    low[axis] = low[axis].min((level - MARGIN).floor() as u8);
                    high[axis] = high[axis].max((level + MARGIN).ceil() as u8);
                }
            }
            continue;
        };
        let (before, after) = boxes.split_at_mut(children[0].index * size);
        let parent = &mut before[node.index * size..][..size];
        for child in children {
            let child = &after[(child.index - children[0].index) * size..][..size];
            for (axis, (end, &other)) in parent.iter_mut().zip(child).enumerate() {
                *end = if axis < axes {
                    (*end).min(other)
                } else {
                    (*end).max(other)
                };
            }
        }
    }
    boxes
}

impl CostRows<'_> {
    /// Sums a function of the gaps over all axes.
    fn gaps(&self, query: &[f32], row: usize, of_axis: impl Fn(Decay, f64, f64) -> f64) -> f64 {
        assert_eq!(
            query.len(),
            self.features.columns(),
            "a query has as many numbers as a row"
        );
        let axes = 3 * self.features.joints.len();
        let gaps = query
            .iter()
            .zip(self.leaves.row(row))
            .map(|(number, other)| f64::from(*number) - f64::from(other));
        let positions = gaps.clone().take(axes).chain(core::iter::repeat(0.0));
        let mut sum = 0.0;
        for (v, x) in gaps.skip(axes).zip(positions) {
            sum += of_axis(self.features.decay, x, v);
        }
        sum
    }

    fn search(&self, query: &[f32], likely: Option<usize>, allows: &impl Fn(usize) -> bool) -> Option<Cheapest> {
        assert_eq!(
            query.len(),
            self.features.columns(),
            "a query has as many numbers as a row"
        );
        let num_positions = 3 * self.features.joints.len();
        let (a, b) = self.features.decay.area_weights();
        let mut levels = [0.0; MAX_AXES];
        for (axis, level) in levels.iter_mut().take(num_positions + ROOT_AXES).enumerate() {
            let position = if axis < num_positions { query[axis] } else { 0.0 };
            let form = a * f64::from(position) + b * f64::from(query[num_positions + axis]);
            *level = ((form - f64::from(self.starts[axis])) / f64::from(self.steps[axis])) as f32;
        }
        let none = Cheapest {
            row: usize::MAX,
            cost: f64::INFINITY,
        };
        let mut search = CostSearch {
            rows: self,
            query,
            levels: &levels[..num_positions + ROOT_AXES],
            weights: [a as f32, b as f32],
            best: none,
            allows,
        };
        tree::search(&self.leaves, likely, &mut search);
        (search.best != none).then_some(search.best)
    }
}

/// A search for the cheapest rows.
struct CostSearch<'a, F> {
    rows: &'a CostRows<'a>,
    query: &'a [f32],
    /// The query's feature form, in the levels of boxes.
    levels: &'a [f32],
    weights: [f32; 2],
    best: Cheapest,
    allows: &'a F,
}

impl<F> CostSearch<'_, F> {
    /// Returns the feature-form limit above which rows cost more than the best.
    fn limit(&self) -> f32 {
        (self.best.cost * (1.0 + SLACK)) as f32
    }
}

impl<F: Fn(usize) -> bool> Search for CostSearch<'_, F> {
    fn bound(&self, index: usize) -> f32 {
        const LANES: usize = 8;
        let axes = self.levels.len();
        let (low, high) = self.rows.boxes[2 * axes * index..][..2 * axes].split_at(axes);
        let gap = |axis: usize| {
            let level = self.levels[axis];
            let gap = larger(f32::from(low[axis]) - level, level - f32::from(high[axis]));
            larger(gap, 0.0) * self.rows.steps[axis]
        };
        let whole = axes - axes % LANES;
        let mut sums = [0.0; LANES];
        for first in (0..whole).step_by(LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum += gap(first + lane);
            }
        }
        sums.iter().sum::<f32>() + (whole..axes).map(gap).sum::<f32>()
    }

    fn is_beyond(&self, bound: f32) -> bool {
        bound > self.limit()
    }

    /// Takes the row of a leaf that costs less than the best; the cost is computed where its lower bound, by feature forms, is within the
    /// limit.
    fn compare(&mut self, leaf: usize) {
        let columns = self.rows.leaves.columns_of(leaf);
        let num_positions = columns.len() - self.levels.len();
        let (positions, velocities) = columns.split_at(num_positions);
        let [a, b] = self.weights;
        let mut sums = [0.0_f32; LEAF];
        for (axis, velocities) in velocities.iter().enumerate() {
            let velocity = self.query[num_positions + axis];
            match positions.get(axis) {
                Some(positions) => {
                    let position = self.query[axis];
                    for place in 0..LEAF {
                        sums[place] += (a * (position - positions[place]) + b * (velocity - velocities[place])).abs();
                    }
                }
                None => {
                    for place in 0..LEAF {
                        sums[place] += (b * (velocity - velocities[place])).abs();
                    }
                }
            }
        }
        let limit = self.limit();
        if sums.iter().all(|&sum| sum > limit) {
            return;
        }
        let displacement = Displacement::new(self.rows.features.decay);
        for (place, sum) in sums.into_iter().enumerate() {
            let best = self.best;
            if sum > self.limit() {
                continue;
            }
            let mut cost = 0.0;
            for (axis, velocities) in velocities.iter().enumerate() {
                let gap = |column: usize, number: f32| f64::from(self.query[column]) - f64::from(number);
                let x = positions.get(axis).map_or(0.0, |positions| gap(axis, positions[place]));
                cost += displacement.get(x, gap(num_positions + axis, velocities[place]));
                // No term is negative.
                if cost > best.cost {
                    break;
                }
            }
            let row = self.rows.leaves.rows[leaf][place] as usize;
            if (cost, row) < (best.cost, best.row) && (self.allows)(row) {
                self.best = Cheapest { row, cost };
            }
        }
    }
}
