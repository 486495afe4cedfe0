//! The exact nearest rows of a matrix: a balanced tree of boxes in the directions along which rows differ most.
//!
//! Rows of features lie close to few dimensions. A tree splits them at medians of their first principal components; every node has
//! a box in these, and in the distance from their plane: both bound the distance to a query from below, the second by the triangle
//! inequality in what is left of space. Rows are compared by their own numbers, in tree order, sixteen side by side. The answer is
//! that of comparing all rows one by one, to the bit. Source: Friedman, Bentley and Finkel, "An algorithm for finding best matches
//! in logarithmic expected time", ACM Transactions on Mathematical Software 3, 1977; Jolliffe, "Principal component analysis", 2002.

use std::borrow::Cow;

use super::principal;

/// Rows of a leaf: what is compared side by side.
pub(super) const LEAF: usize = 16;

/// Principal components of a box; with the distance from their plane a box has eight sides' pairs.
pub(super) const COMPONENTS: usize = 7;
const SIDES: usize = COMPONENTS + 1;

/// Rounding of projections in single precision, as a share of the largest number that takes part.
const ROUNDING: f32 = 4e-6;

/// Rounding of a sum of squares in single precision, as a share of it: bounds beyond it are truly farther.
const SLACK: f32 = 1e-4;

/// Most columns of a matrix; principal components of more take long, and no set of features has them.
pub const MAX_COLUMNS: usize = 1024;

/// Why rows cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// There are no columns, or too many.
    #[error("rows must have 1 to {MAX_COLUMNS} numbers, found {found}")]
    Columns {
        /// Columns given.
        found: usize,
    },
    /// The numbers are no whole number of rows.
    #[error("{numbers} numbers are no whole number of rows of {columns}")]
    Shape {
        /// Numbers given.
        numbers: usize,
        /// Columns given.
        columns: usize,
    },
    /// A number is not finite, or so large that its square is not.
    #[error("row {row}, column {column} is too large or not a number")]
    Number {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
    },
    /// There are more rows than can be numbered.
    #[error("there are {found} rows, at most {} can be searched", u32::MAX)]
    TooMany {
        /// Rows given.
        found: usize,
    },
}

/// Numbers larger than this have squares whose sums may not be finite in single precision.
pub(super) const LARGEST: f32 = 1e15;

/// A row, and its squared distance from a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The row, counted from 0.
    pub row: usize,
    /// Sum of the squares of all differences, added from the first column to the last in single precision.
    pub squared_distance: f32,
}

impl Neighbour {
    fn is_before(&self, other: &Self) -> bool {
        // Of rows at one distance the first counts.
        (self.squared_distance, self.row) < (other.squared_distance, other.row)
    }
}

/// Rows of features, arranged for search. They may lie in memory of the caller, such as that of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestRows<'a> {
    pub(super) columns: usize,
    pub(super) num_rows: usize,
    /// Leaf by leaf, column by column: the numbers of all rows of a leaf side by side. Leaves are filled up with their last row.
    pub(super) leaves: Cow<'a, [[f32; LEAF]]>,
    /// By place in a leaf.
    pub(super) rows: Cow<'a, [[u32; LEAF]]>,
    /// The leaf of every row.
    pub(super) leaf_of: Cow<'a, [u32]>,
    /// Every node before its children: see [`Node`].
    pub(super) boxes: Cow<'a, [Sides]>,
    pub(super) mean: Vec<f64>,
    /// Component by component.
    pub(super) components: Vec<f64>,
    /// The largest size of a projection.
    pub(super) largest: f32,
}

/// A box: the lower ends along the principal components and the distance from their plane, then the upper ends.
pub(super) type Sides = [f32; 2 * SIDES];

/// A box around nothing.
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

/// The squared distance from a point to a box, less rounding.
fn squared_distance(sides: &Sides, at: &[f32; SIDES], rounding: f32) -> f32 {
    let mut gaps = [0.0_f32; SIDES];
    for side in 0..SIDES {
        let gap = (sides[side] - at[side]).max(at[side] - sides[SIDES + side]) - rounding;
        gaps[side] = gap.max(0.0);
    }
    gaps.iter().map(|gap| gap * gap).sum()
}

/// A query, and where it lies among the boxes.
struct Query<'a> {
    numbers: &'a [f32],
    at: [f32; SIDES],
    rounding: f32,
}

impl NearestRows<'_> {
    /// Arranges rows of `columns` numbers each, one row after the other, for search.
    ///
    /// Errors: [`RowsError`].
    pub fn new(numbers: &[f32], columns: usize) -> Result<Self, RowsError> {
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(RowsError::Columns { found: columns });
        }
        if !numbers.len().is_multiple_of(columns) {
            return Err(RowsError::Shape {
                numbers: numbers.len(),
                columns,
            });
        }
        if let Some(at) = numbers
            .iter()
            .position(|number| number.is_nan() || number.abs() > LARGEST)
        {
            return Err(RowsError::Number {
                row: at / columns,
                column: at % columns,
            });
        }
        let num_rows = numbers.len() / columns;
        if u32::try_from(num_rows).is_err() {
            return Err(RowsError::TooMany { found: num_rows });
        }
        let (mean, components) = principal::components(numbers, columns, COMPONENTS);
        let mut found = Self {
            columns,
            num_rows,
            leaves: Cow::default(),
            rows: Cow::default(),
            leaf_of: Cow::default(),
            boxes: Cow::default(),
            mean,
            components,
            largest: 0.0,
        };
        let places: Vec<[f32; SIDES]> = numbers.chunks_exact(columns).map(|row| found.project(row)).collect();
        found.largest = (places.iter().flatten()).fold(0.0, |largest: f32, at| largest.max(at.abs()));
        found.arrange(numbers, &places);
        Ok(found)
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Numbers of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Bytes that the search needs besides the rows themselves.
    pub fn index_bytes(&self) -> usize {
        size_of_val(self.rows.as_ref())
            + size_of_val(self.leaf_of.as_ref())
            + size_of_val(self.boxes.as_ref())
            + 8 * (self.mean.len() + self.components.len())
    }

    /// The row nearest to a query; of several at one distance the first. `None` without rows.
    ///
    /// `likely` is a row that is probably near, such as the one after the last answer: the search is faster the nearer it is. It
    /// does not change the answer.
    ///
    /// # Panics
    /// When the query has another number of columns, or `likely` is out of range.
    pub fn nearest(&self, query: &[f32], likely: Option<usize>) -> Option<Neighbour> {
        self.nearest_where(query, likely, |_| true)
    }

    /// The nearest of the rows that `allows` lets pass; otherwise like [`Self::nearest`].
    ///
    /// # Panics
    /// When the query has another number of columns, or `likely` is out of range.
    pub fn nearest_where(
        &self,
        query: &[f32],
        likely: Option<usize>,
        allows: impl Fn(usize) -> bool,
    ) -> Option<Neighbour> {
        let mut best = [Neighbour::NONE];
        self.search(query, likely, &mut best, &allows);
        let [best] = best;
        (best.row != usize::MAX).then_some(best)
    }

    /// The nearest of the rows that `allows` lets pass, from the nearest on, as many as `found` has places; returns how many there
    /// are.
    ///
    /// # Panics
    /// When the query has another number of columns.
    pub fn nearest_of(&self, query: &[f32], found: &mut [Neighbour], allows: impl Fn(usize) -> bool) -> usize {
        found.fill(Neighbour::NONE);
        self.search(query, None, found, &allows);
        found.iter().take_while(|neighbour| neighbour.row != usize::MAX).count()
    }

    /// The numbers of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        let leaf = self.leaf_of[row] as usize;
        let columns = &self.leaves[leaf * self.columns..][..self.columns];
        let is_row = |&known: &u32| known as usize == row;
        let place = self.rows[leaf].iter().position(is_row).unwrap_or(0);
        columns.iter().map(move |column| column[place])
    }

    /// The squared distance of a row from a query, as the search finds it.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn squared_distance(&self, query: &[f32], row: usize) -> f32 {
        let mut sum = 0.0;
        for (number, other) in self.row(row).zip(query) {
            sum += (number - other) * (number - other);
        }
        sum
    }

    fn search(&self, query: &[f32], likely: Option<usize>, found: &mut [Neighbour], allows: &impl Fn(usize) -> bool) {
        assert_eq!(query.len(), self.columns, "a query has as many numbers as a row");
        if self.num_rows == 0 || found.is_empty() {
            return;
        }
        let at = self.project(query);
        let largest = at.iter().fold(self.largest, |largest, at| largest.max(at.abs()));
        let query = Query {
            numbers: query,
            at,
            rounding: ROUNDING * largest,
        };
        if let Some(row) = likely {
            self.compare(self.leaf_of[row] as usize, &query, found, allows);
        }
        let root = Node::root(self.rows.len());
        // Room for one node of every depth.
        let mut waiting = [(root, 0.0_f32); u32::BITS as usize + 1];
        let mut num_waiting = 1;
        while num_waiting > 0 {
            num_waiting -= 1;
            let (mut node, mut bound) = waiting[num_waiting];
            while !self.is_beyond(bound, found) {
                let Some(children) = node.children() else {
                    self.compare(node.first_leaf, &query, found, allows);
                    break;
                };
                let bounds =
                    children.map(|child| squared_distance(&self.boxes[child.index], &query.at, query.rounding));
                let nearer = usize::from(bounds[1] < bounds[0]);
                waiting[num_waiting] = (children[1 - nearer], bounds[1 - nearer]);
                num_waiting += 1;
                (node, bound) = (children[nearer], bounds[nearer]);
            }
        }
    }

    /// Whether what is at least so far cannot be among the nearest.
    fn is_beyond(&self, bound: f32, found: &[Neighbour]) -> bool {
        bound > found[found.len() - 1].squared_distance * (1.0 + SLACK)
    }

    /// Compares all rows of a leaf.
    fn compare(&self, leaf: usize, query: &Query<'_>, found: &mut [Neighbour], allows: &impl Fn(usize) -> bool) {
        let columns = &self.leaves[leaf * self.columns..][..self.columns];
        let mut sums = [0.0_f32; LEAF];
        for (column, &number) in columns.iter().zip(query.numbers) {
            for place in 0..LEAF {
                let gap = column[place] - number;
                sums[place] += gap * gap;
            }
        }
        let farthest = found[found.len() - 1].squared_distance;
        if sums.iter().all(|&sum| sum > farthest) {
            return;
        }
        for (&row, squared_distance) in self.rows[leaf].iter().zip(sums) {
            let neighbour = Neighbour {
                row: row as usize,
                squared_distance,
            };
            insert(found, neighbour, allows);
        }
    }

    /// Places along the principal components, and the distance from their plane.
    fn project(&self, row: &[f32]) -> [f32; SIDES] {
        let mut at = [0.0; SIDES];
        let centred = || {
            row.iter()
                .zip(&self.mean)
                .map(|(&number, mean)| f64::from(number) - mean)
        };
        let mut outside: f64 = centred().map(|number| number * number).sum();
        for (place, component) in at.iter_mut().zip(self.components.chunks_exact(self.columns)) {
            let along: f64 = centred()
                .zip(component)
                .map(|(number, component)| number * component)
                .sum();
            outside -= along * along;
            *place = along as f32;
        }
        at[COMPONENTS] = outside.max(0.0).sqrt() as f32;
        at
    }

    /// Orders rows by a tree of medians, and fills leaves and boxes.
    fn arrange(&mut self, numbers: &[f32], places: &[[f32; SIDES]]) {
        if self.num_rows == 0 {
            return;
        }
        let num_leaves = self.num_rows.div_ceil(LEAF);
        let mut order: Vec<u32> = (0..self.num_rows as u32).collect();
        let mut boxes = vec![nothing(); 2 * num_leaves - 1];
        let mut inner = Vec::new();
        let mut rows_of = vec![[0; LEAF]; num_leaves];
        let mut waiting = vec![Node::root(num_leaves)];
        while let Some(node) = waiting.pop() {
            let first = node.first_leaf * LEAF;
            let Some([left, right]) = node.children() else {
                let members = &order[first..(first + LEAF).min(self.num_rows)];
                // The last leaf may repeat its last row.
                let rows: [u32; LEAF] = core::array::from_fn(|place| members[place.min(members.len() - 1)]);
                for &row in &rows {
                    include(&mut boxes[node.index], &places[row as usize]);
                }
                rows_of[node.first_leaf] = rows;
                continue;
            };
            let end = (first + node.num_leaves * LEAF).min(self.num_rows);
            split(&mut order[first..end], left.num_leaves * LEAF, places);
            inner.push(node);
            waiting.extend([left, right]);
        }
        // Children come after their parents, so the last are joined first.
        for node in inner.into_iter().rev() {
            if let Some([left, right]) = node.children() {
                boxes[node.index] = joined(&boxes[left.index], &boxes[right.index]);
            }
        }
        let mut leaves = Vec::with_capacity(num_leaves * self.columns);
        let mut leaf_of = vec![0; self.num_rows];
        for (leaf, rows) in rows_of.iter().enumerate() {
            leaves
                .extend((0..self.columns).map(|column| rows.map(|row| numbers[row as usize * self.columns + column])));
            for &row in rows {
                leaf_of[row as usize] = leaf as u32;
            }
        }
        self.boxes = boxes.into();
        self.leaf_of = leaf_of.into();
        self.leaves = leaves.into();
        self.rows = rows_of.into();
    }
}

/// A part of the tree: its leaves, and the place of its box. The left child follows its parent, the right child all of the left.
#[derive(Clone, Copy, Debug)]
struct Node {
    index: usize,
    first_leaf: usize,
    num_leaves: usize,
}

impl Node {
    fn root(num_leaves: usize) -> Self {
        Self {
            index: 0,
            first_leaf: 0,
            num_leaves,
        }
    }

    /// Left and right; `None` for a leaf.
    fn children(self) -> Option<[Self; 2]> {
        let left = self.num_leaves.div_ceil(2);
        (self.num_leaves > 1).then(|| {
            [
                Self {
                    index: self.index + 1,
                    first_leaf: self.first_leaf,
                    num_leaves: left,
                },
                Self {
                    // A tree of n leaves has 2 n - 1 nodes.
                    index: self.index + 2 * left,
                    first_leaf: self.first_leaf + left,
                    num_leaves: self.num_leaves - left,
                },
            ]
        })
    }
}

impl Neighbour {
    /// Before any row is found.
    pub(super) const NONE: Self = Self {
        row: usize::MAX,
        squared_distance: f32::INFINITY,
    };
}

/// Puts a row among the nearest, if it is one.
fn insert(found: &mut [Neighbour], neighbour: Neighbour, allows: &impl Fn(usize) -> bool) {
    let last = found.len() - 1;
    let is_known = || found.iter().any(|known| known.row == neighbour.row);
    if !neighbour.is_before(&found[last]) || is_known() || !allows(neighbour.row) {
        return;
    }
    let at = found.partition_point(|known| known.is_before(&neighbour));
    found[at..].rotate_right(1);
    found[at] = neighbour;
}

/// Brings the rows that come first along the side on which they differ most before the others.
fn split(order: &mut [u32], first: usize, places: &[[f32; SIDES]]) {
    if first == 0 || first >= order.len() {
        return;
    }
    let spread = |side: usize| {
        let along = || order.iter().map(|&row| f64::from(places[row as usize][side]));
        let mean = along().sum::<f64>() / order.len() as f64;
        along().map(|at| (at - mean) * (at - mean)).sum::<f64>()
    };
    let spreads: [f64; SIDES] = core::array::from_fn(spread);
    let widest = (0..SIDES)
        .max_by(|&one, &other| spreads[one].total_cmp(&spreads[other]))
        .unwrap_or(0);
    order.select_nth_unstable_by(first - 1, |&one, &other| {
        let at = |row: u32| places[row as usize][widest];
        at(one).total_cmp(&at(other)).then(one.cmp(&other))
    });
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

    /// Every row in turn, in single precision.
    fn one_by_one(rows: &[f32], query: &[f32]) -> Vec<Neighbour> {
        let mut all: Vec<Neighbour> = (rows.chunks_exact(query.len()).enumerate())
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

    /// Rows along a few curves, as motions are, with copies; queries near, between and far away.
    #[test]
    fn the_answer_is_that_of_all_rows_one_by_one() {
        for (columns, num_rows) in [(1, 5), (2, 100), (5, 16), (7, 17), (27, 1000), (40, 333)] {
            let mut next = numbers(columns as u64);
            let ways: Vec<f32> = (0..4 * columns).map(|_| next()).collect();
            let rows: Vec<f32> = (0..num_rows)
                .flat_map(|row| {
                    // Every tenth row is a copy of the one before.
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
                let query: Vec<f32> = rows[near * columns..][..columns]
                    .iter()
                    .map(|at| at + size * next())
                    .collect();
                let all = one_by_one(&rows, &query);
                assert_eq!(found.nearest(&query, None), Some(all[0]), "{columns} {trial}");
                assert_eq!(found.nearest(&query, Some(trial * 17 % num_rows)), Some(all[0]));
                let mut several = [Neighbour::NONE; 7];
                let count = found.nearest_of(&query, &mut several, |_| true);
                assert_eq!(several[..count], all[..7.min(num_rows)]);
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
