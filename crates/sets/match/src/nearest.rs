//! The exact nearest rows of a matrix: a balanced tree of boxes in the directions along which rows differ most.
//!
//! A node of the [`tree`] has a box in the first principal components of its rows, and in the distance from their plane: both
//! bound the distance to a query from below, the second by the triangle inequality in the remaining dimensions. Rows are
//! compared by their own numbers, in tree order, sixteen at a time. The result equals that of comparing all rows one by one, to
//! the bit. Source: Friedman, Bentley and Finkel, "An algorithm for finding best matches in logarithmic expected time", ACM
//! Transactions on Mathematical Software 3, 1977; Jolliffe, "Principal component analysis", 2002.

use std::borrow::Cow;

use super::{
    principal::{Place, Principal, SIDES},
    tree::{self, LEAF, Leaves, Search},
};

/// Rounding error of projections in single precision, as a share of the largest input.
const ROUNDING: f32 = 4e-6;

/// Rounding error of a sum of squares in single precision, as a share of it: rows with bounds beyond it are truly farther.
const SLACK: f32 = 1e-4;

/// Number of columns after which a leaf is abandoned if all of its rows are already too far.
const CHUNK: usize = 9;

/// Largest number of columns of a matrix: principal components of more are slow, and no set of features has them.
pub const MAX_COLUMNS: usize = 1024;

/// Why rows cannot be searched.
#[error_kinds(Copy, Eq)]
pub enum RowsError {
    /// There are no columns, or too many.
    #[error("rows must have 1 to {MAX_COLUMNS} numbers, found {found}")]
    Columns { found: usize },
    #[error("{numbers} numbers are no whole number of rows of {columns}")]
    Shape { numbers: usize, columns: usize },
    #[error("row {row}, column {column} is too large or not a number")]
    Number {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
    },
    /// There are more rows than can be numbered.
    #[error("there are {found} rows, at most {} can be searched", u32::MAX)]
    TooMany { found: usize },
}

/// Larger numbers have squares whose sums may overflow single precision.
pub(super) const LARGEST: f32 = 1e15;

/// A row, and its squared distance from a query.
#[value(Copy)]
pub struct Neighbour {
    /// The row, counted from 0.
    pub row: usize,
    /// Sum of the squares of all differences, added from the first column to the last in single precision.
    pub squared_distance: f32,
}

/// Rows of features, arranged for search. They may be in memory of the caller, such as a mapped file.
#[value]
pub struct NearestRows<'a> {
    pub(super) leaves: Leaves<'a>,
    /// Every node before its children: see [`tree::Node`].
    pub(super) boxes: Cow<'a, [Sides]>,
    pub(super) principal: Principal,
    /// The largest size of a projection.
    pub(super) largest: f32,
}

/// A box: the lower ends along the principal components and the distance from their plane, then the upper ends.
pub(super) type Sides = [f32; 2 * SIDES];

/// Returns an empty box.
fn nothing() -> Sides {
    core::array::from_fn(|end| if end < SIDES { f32::INFINITY } else { f32::NEG_INFINITY })
}

fn include(sides: &mut Sides, at: &[f32]) {
    let (low, high) = sides.split_at_mut(SIDES);
    for side in 0..SIDES {
        low[side] = low[side].min(at[side]);
        high[side] = high[side].max(at[side]);
    }
}

fn joined(one: &Sides, other: &Sides) -> Sides {
    let mut joined = *one;
    include(&mut joined, &other[..SIDES]);
    include(&mut joined, &other[SIDES..]);
    joined
}

/// Returns the larger of two numbers in one instruction; `f32::max` takes four, because it handles NaN.
pub(super) fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Returns the squared distance from a point to a box, less rounding.
fn squared_distance(sides: &Sides, at: &[f32; SIDES], rounding: f32) -> f32 {
    let mut gaps = [0.0_f32; SIDES];
    for side in 0..SIDES {
        let gap = larger(sides[side] - at[side], at[side] - sides[SIDES + side]) - rounding;
        gaps[side] = larger(gap, 0.0);
    }
    gaps.iter().map(|gap| gap * gap).sum()
}

/// Checks numbers. Errors: they do not form whole rows, are too many, or one cannot be compared.
pub(super) fn check_rows(numbers: &[f32], columns: usize) -> Result<(), RowsError> {
    if !numbers.len().is_multiple_of(columns) {
        return Err(RowsError::Shape {
            numbers: numbers.len(),
            columns,
        });
    }
    let too_large = numbers
        .iter()
        .position(|number| number.is_nan() || number.abs() > LARGEST);
    if let Some(at) = too_large {
        return Err(RowsError::Number {
            row: at / columns,
            column: at % columns,
        });
    }
    let num_rows = numbers.len() / columns;
    match u32::try_from(num_rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(RowsError::TooMany { found: num_rows }),
    }
}

/// A search for the rows nearest to a query, given its position among the boxes.
struct NearestSearch<'a, F> {
    rows: &'a NearestRows<'a>,
    query: &'a [f32],
    at: Place,
    rounding: f32,
    best: Neighbour,
    allows: &'a F,
}

impl NearestRows<'_> {
    /// Arranges rows of `columns` numbers each, one row after the other, for search.
    pub fn new(numbers: &[f32], columns: usize) -> Result<Self, RowsError> {
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(RowsError::Columns { found: columns });
        }
        check_rows(numbers, columns)?;
        let principal = Principal::new(numbers, columns);
        let places: Vec<Place> = numbers.chunks_exact(columns).map(|row| principal.place(row)).collect();
        let leaves = Leaves::new(numbers, columns, &places);
        Ok(Self {
            boxes: boxes(&leaves, &places).into(),
            largest: places
                .iter()
                .flatten()
                .fold(0.0, |largest: f32, at| largest.max(at.abs())),
            leaves,
            principal,
        })
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.leaves.num_rows
    }

    /// Returns the numbers of a row.
    pub fn columns(&self) -> usize {
        self.leaves.columns
    }

    /// Returns the bytes that the search needs besides the rows themselves.
    pub fn index_bytes(&self) -> usize {
        self.leaves.index_bytes() + size_of_val(self.boxes.as_ref()) + self.principal.bytes()
    }

    /// Finds the row nearest to a query; the first one of a tie. `None` without rows.
    ///
    /// `likely` is a row that is probably near, such as the one after the last answer: the search is faster the nearer it is. It
    /// does not change the answer.
    ///
    /// # Panics When the query has another number of columns, or `likely` is out of range.
    pub fn nearest(&self, query: &[f32], likely: Option<usize>) -> Option<Neighbour> {
        self.nearest_where(query, likely, |_| true)
    }

    /// Finds the nearest row that `allows` lets pass; otherwise like [`Self::nearest`].
    ///
    /// # Panics When the query has another number of columns, or `likely` is out of range.
    pub fn nearest_where(
        &self,
        query: &[f32],
        likely: Option<usize>,
        allows: impl Fn(usize) -> bool,
    ) -> Option<Neighbour> {
        let none = Neighbour {
            row: usize::MAX,
            squared_distance: f32::INFINITY,
        };
        let best = self.search(query, likely, none, &allows);
        (best != none).then_some(best)
    }

    /// Finds the nearest row that `allows` lets pass and whose squared distance is less than `share` times that of `next`;
    /// `next` itself if there is none. The search is biased towards the row that follows anyway.
    ///
    /// The nearer `next` is and the smaller the share, the faster the search.
    ///
    /// # Panics When the query has another number of columns, or `next` is out of range.
    pub fn nearest_or(&self, query: &[f32], next: usize, share: f32, allows: impl Fn(usize) -> bool) -> Neighbour {
        let stays = Neighbour {
            row: next,
            squared_distance: self.squared_distance(query, next),
        };
        // At that distance no row precedes row 0, so only truly nearer rows replace it.
        let limit = Neighbour {
            row: 0,
            squared_distance: share * stays.squared_distance,
        };
        let best = self.search(query, Some(next), limit, &allows);
        if best == limit || best.squared_distance.is_nan() {
            return stays;
        }
        best
    }

    /// Returns the numbers of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        self.leaves.row(row)
    }

    /// Returns the squared distance of a row from a query, with the rounding of the search.
    ///
    /// # Panics When there is no such row.
    pub fn squared_distance(&self, query: &[f32], row: usize) -> f32 {
        let mut sum = 0.0;
        for (number, other) in self.row(row).zip(query) {
            sum += (number - other) * (number - other);
        }
        sum
    }

    /// Returns the first of the nearest rows that is before `best`, or else that.
    fn search(
        &self,
        query: &[f32],
        likely: Option<usize>,
        best: Neighbour,
        allows: &impl Fn(usize) -> bool,
    ) -> Neighbour {
        assert_eq!(query.len(), self.columns(), "a query has as many numbers as a row");
        let at = self.principal.place(query);
        let largest = at.iter().fold(self.largest, |largest, at| largest.max(at.abs()));
        let mut search = NearestSearch {
            rows: self,
            query,
            at,
            rounding: ROUNDING * largest,
            best,
            allows,
        };
        tree::search(&self.leaves, likely, &mut search);
        search.best
    }
}

impl<F: Fn(usize) -> bool> Search for NearestSearch<'_, F> {
    fn bound(&self, index: usize) -> f32 {
        squared_distance(&self.rows.boxes[index], &self.at, self.rounding)
    }

    fn is_beyond(&self, bound: f32) -> bool {
        bound > self.best.squared_distance * (1.0 + SLACK)
    }

    fn compare(&mut self, leaf: usize) {
        let columns = self.rows.leaves.columns_of(leaf);
        let farthest = self.best.squared_distance;
        let mut sums = [0.0_f32; LEAF];
        for (columns, numbers) in columns.chunks(CHUNK).zip(self.query.chunks(CHUNK)) {
            for (column, &number) in columns.iter().zip(numbers) {
                for place in 0..LEAF {
                    let gap = column[place] - number;
                    sums[place] += gap * gap;
                }
            }
            // No term is negative.
            if sums.iter().all(|&sum| sum > farthest) {
                return;
            }
        }
        for (&row, squared_distance) in self.rows.leaves.rows[leaf].iter().zip(sums) {
            let (row, best) = (row as usize, self.best);
            if (squared_distance, row) < (best.squared_distance, best.row) && (self.allows)(row) {
                self.best = Neighbour { row, squared_distance };
            }
        }
    }
}

fn boxes(leaves: &Leaves, places: &[Place]) -> Vec<Sides> {
    let num_leaves = leaves.num_leaves();
    let mut boxes = vec![nothing(); tree::num_nodes(num_leaves)];
    // Children come after their parents, so the last are merged first.
    for node in tree::nodes(num_leaves).into_iter().rev() {
        match node.children() {
            Some([left, right]) => boxes[node.index] = joined(&boxes[left.index], &boxes[right.index]),
            None => {
                for &row in &leaves.rows[node.first_leaf] {
                    include(&mut boxes[node.index], &places[row as usize]);
                }
            }
        }
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers in -1 to 1.
    fn numbers(seed: u64) -> impl FnMut() -> f32 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
        }
    }

    /// Compares every row in turn, in single precision.
    fn one_by_one(rows: &[f32], query: &[f32]) -> Vec<Neighbour> {
        let mut all: Vec<Neighbour> = rows
            .chunks_exact(query.len())
            .enumerate()
            .map(|(row, numbers)| {
                let mut squared_distance = 0.0;
                for (number, other) in numbers.iter().zip(query) {
                    squared_distance += (number - other) * (number - other);
                }
                Neighbour { row, squared_distance }
            })
            .collect();
        all.sort_by(|one, other| {
            one.squared_distance
                .total_cmp(&other.squared_distance)
                .then(one.row.cmp(&other.row))
        });
        all
    }

    /// Rows along a few curves, as in motion, with copies; queries near, between and far away.
    #[test]
    fn the_answer_is_that_of_all_rows_one_by_one() {
        for (columns, num_rows) in [(1, 5), (2, 100), (5, 16), (7, 17), (27, 1000), (40, 333)] {
            let mut next = numbers(columns as u64);
            let ways: Vec<f32> = (0..4 * columns).map(|_| next()).collect();
            let rows: Vec<f32> = (0..num_rows)
                .flat_map(|row| {
                    // Every tenth row is a copy of the previous one.
                    let at = (row - usize::from(row % 10 == 9)) as f32 * 0.1;
                    let along = [at.cos(), at.sin(), (2.3 * at).sin(), 0.05 * at];
                    let ways = ways.clone();
                    (0..columns).map(move |column| {
                        let of = |way: usize| ways[way * columns + column] * along[way];
                        of(0) + of(1) + of(2) + of(3)
                    })
                })
                .collect();
            let found = NearestRows::new(&rows, columns).unwrap();
            for trial in 0..300 {
                let size = [0.001, 0.1, 1.0, 100.0][trial % 4];
                let near = trial * 31 % num_rows;
                let query = rows[near * columns..][..columns].iter().map(|at| at + size * next());
                let query: Vec<f32> = query.collect();
                let all = one_by_one(&rows, &query);
                assert_eq!(found.nearest(&query, None), Some(all[0]), "{columns} {trial}");
                assert_eq!(found.nearest(&query, Some(trial * 17 % num_rows)), Some(all[0]));
                let odd = |row: usize| row % 2 == 1;
                let nearest_odd = all.iter().find(|neighbour| odd(neighbour.row)).copied();
                assert_eq!(found.nearest_where(&query, None, odd), nearest_odd, "{columns} {trial}");
            }
        }
    }

    #[test]
    fn rows_that_are_all_alike_give_the_first() {
        let found = NearestRows::new(&[0.5; 27 * 100], 27).unwrap();
        assert_eq!(found.nearest(&[0.25; 27], None).map(|best| best.row), Some(0));
        assert_eq!(NearestRows::new(&[], 27).unwrap().nearest(&[0.0; 27], None), None);
    }

    #[test]
    fn rows_that_cannot_be_searched_are_refused() {
        assert_eq!(NearestRows::new(&[1.0], 0), Err(RowsError::Columns { found: 0 }));
        assert_eq!(
            NearestRows::new(&[1.0; 5], 2),
            Err(RowsError::Shape { numbers: 5, columns: 2 })
        );
        for bad in [f32::NAN, f32::INFINITY, 1e20] {
            assert_eq!(
                NearestRows::new(&[0.0, 0.0, 0.0, bad], 2),
                Err(RowsError::Number { row: 1, column: 1 })
            );
        }
    }

    #[test]
    fn the_index_takes_sixteen_bytes_a_row() {
        let mut next = numbers(3);
        let rows: Vec<f32> = (0..27 * 20_000).map(|_| next()).collect();
        let found = NearestRows::new(&rows, 27).unwrap();
        let bytes = found.index_bytes() as f64 / 20_000.0;
        assert!(bytes < 16.1, "{bytes} bytes a row");
    }
}
