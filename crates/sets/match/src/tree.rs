//! A balanced tree over rows: the assignment of rows to leaves, and the search through its nodes.
//!
//! Rows of features lie close to few dimensions. They are split at medians of their first principal components, down to leaves
//! of sixteen rows, whose numbers are interleaved. Each search has its own bounds for the rows of a node.

use std::borrow::Cow;

use super::principal::{Place, SIDES};
use loopwright_core::math::{mean, ordered};

/// Rows per leaf, compared at once.
pub(super) const LEAF: usize = 16;

/// The numbers of rows, leaf by leaf.
#[value(Default)]
pub(super) struct Leaves<'a> {
    pub columns: usize,
    pub num_rows: usize,
    /// Leaf by leaf, column by column: the numbers of all rows of a leaf side by side. Leaves are padded with their last row.
    pub numbers: Cow<'a, [[f32; LEAF]]>,
    pub rows: Cow<'a, [[u32; LEAF]]>,
    pub leaf_of: Cow<'a, [u32]>,
}

impl Leaves<'static> {
    /// Orders rows of `columns` numbers each by a tree of medians of their positions.
    pub(super) fn new(numbers: &[f32], columns: usize, places: &[Place]) -> Self {
        let num_rows = places.len();
        let num_leaves = num_rows.div_ceil(LEAF);
        let mut order: Vec<u32> = (0..num_rows as u32).collect();
        for node in nodes(num_leaves) {
            if let Some([left, _]) = node.children() {
                let first = node.first_leaf * LEAF;
                let end = (first + node.num_leaves * LEAF).min(num_rows);
                split(&mut order[first..end], left.num_leaves * LEAF, places);
            }
        }
        let mut leaves = Vec::with_capacity(num_leaves * columns);
        let mut leaf_of = vec![0; num_rows];
        let mut rows_of = Vec::with_capacity(num_leaves);
        for (leaf, members) in order.chunks(LEAF).enumerate() {
            // The last leaf may repeat its last row.
            let rows: [u32; LEAF] = core::array::from_fn(|place| members[place.min(members.len() - 1)]);
            leaves.extend((0..columns).map(|column| rows.map(|row| numbers[row as usize * columns + column])));
            for row in rows {
                leaf_of[row as usize] = leaf as u32;
            }
            rows_of.push(rows);
        }
        Self {
            columns,
            num_rows,
            numbers: leaves.into(),
            rows: rows_of.into(),
            leaf_of: leaf_of.into(),
        }
    }
}

impl Leaves<'_> {
    pub(super) fn num_leaves(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn columns_of(&self, leaf: usize) -> &[[f32; LEAF]] {
        &self.numbers[leaf * self.columns..][..self.columns]
    }

    /// Returns the numbers of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = f32> + Clone {
        let leaf = self.leaf_of[row] as usize;
        let place = self.rows[leaf]
            .iter()
            .position(|&known| known as usize == row)
            .unwrap_or(0);
        self.columns_of(leaf).iter().map(move |column| column[place])
    }

    /// Returns the number of bytes beside the numbers themselves.
    pub(super) fn index_bytes(&self) -> usize {
        size_of_val(self.rows.as_ref()) + size_of_val(self.leaf_of.as_ref())
    }
}

/// A part of the tree: its leaves, and the index of its box. The left child follows its parent, the right child the whole left
/// one.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub index: usize,
    pub first_leaf: usize,
    num_leaves: usize,
}

/// Returns the number of nodes of a tree with this many leaves.
pub(super) fn num_nodes(num_leaves: usize) -> usize {
    (2 * num_leaves).saturating_sub(1)
}

/// Returns all nodes of a tree in index order: parents before their children.
pub(super) fn nodes(num_leaves: usize) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(num_nodes(num_leaves));
    let mut waiting: Vec<Node> = Node::root(num_leaves).into_iter().collect();
    while let Some(node) = waiting.pop() {
        nodes.push(node);
        if let Some([left, right]) = node.children() {
            waiting.extend([right, left]);
        }
    }
    nodes
}

impl Node {
    /// Returns the root; `None` without leaves.
    fn root(num_leaves: usize) -> Option<Self> {
        (num_leaves > 0).then_some(Self {
            index: 0,
            first_leaf: 0,
            num_leaves,
        })
    }

    /// Returns the left and the right child; `None` for a leaf.
    pub(super) fn children(self) -> Option<[Self; 2]> {
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

/// The callbacks of a search through a tree.
pub(super) trait Search {
    /// Returns a lower bound of the distance of all rows of the node with that index.
    fn bound(&self, index: usize) -> f32;

    /// Whether no row with this lower bound can be the result.
    fn is_beyond(&self, bound: f32) -> bool;

    fn compare(&mut self, leaf: usize);
}

/// Searches the leaf of a `likely` row, and then descends into the nearer child first, and skips nodes that are too far.
pub(super) fn search(leaves: &Leaves<'_>, likely: Option<usize>, search: &mut impl Search) {
    if let Some(row) = likely {
        search.compare(leaves.leaf_of[row] as usize);
    }
    let Some(root) = Node::root(leaves.num_leaves()) else {
        return;
    };
    // Room for one node of every depth.
    let mut waiting = [(root, 0.0_f32); u32::BITS as usize + 1];
    let mut num_waiting = 1;
    while num_waiting > 0 {
        num_waiting -= 1;
        let (mut node, mut bound) = waiting[num_waiting];
        while !search.is_beyond(bound) {
            let Some(children) = node.children() else {
                search.compare(node.first_leaf);
                break;
            };
            let bounds = children.map(|child| search.bound(child.index));
            let nearer = usize::from(bounds[1] < bounds[0]);
            waiting[num_waiting] = (children[1 - nearer], bounds[1 - nearer]);
            num_waiting += 1;
            (node, bound) = (children[nearer], bounds[nearer]);
        }
    }
}

/// Partitions rows along the dimension in which they differ most, the lower ones first.
fn split(order: &mut [u32], first: usize, places: &[Place]) {
    if first == 0 || first >= order.len() {
        return;
    }
    let spreads: [f64; SIDES] = core::array::from_fn(|side| {
        let along = order.iter().map(|&row| f64::from(places[row as usize][side]));
        let mean = mean(along.clone());
        along.map(|at| (at - mean) * (at - mean)).sum::<f64>()
    });
    let widest = (0..SIDES).max_by_key(|&side| ordered(spreads[side])).unwrap_or(0);
    order.select_nth_unstable_by_key(first - 1, |&row| (ordered(places[row as usize][widest].into()), row));
}
