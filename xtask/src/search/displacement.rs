//! Whether the cost of a seam predicts how far closing it moves the body.

use std::collections::BTreeSet;

use loopwright::{
    LoopSettings, SearchSettings,
    unstable::{
        bound::SeamBounds,
        comparison::PoseComparison,
        rhythm::{self, PoseDistances},
        score::SeamCost,
        seams::Seams,
        search::DistinctPairs,
    },
};

use super::field::Field;
use crate::{
    statistics::mean,
    table::{Table, cell},
    takes::Studied,
};

/// Cuts made in all.
const CUTS: usize = 10_000;

/// Share of the cuts that comes from the lists of distinct loops; the others are random.
const LISTED_SHARE: f64 = 0.3;

/// Most draws per take; the take then keeps the cuts it has.
const MAX_DRAWS: usize = 1_000_000;

/// Smallest separation of the loops of a list, seconds.
const SEPARATION_SECS: f64 = 0.1;

/// One cut: the cost of its seam and the displacement that closing it caused.
#[derive(Clone, Copy)]
struct Closed {
    cost: f64,
    /// Mean displacement of all joints, metres, and the same times the loop's length, metre-seconds.
    metres: f64,
    metre_secs: f64,
}

/// Ranks of values; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&left, &right| values[left] == values[right]) {
        for &index in equal {
            ranks[index] = before as f64 + 0.5 * (equal.len() - 1) as f64;
        }
        before += equal.len();
    }
    ranks
}

/// Spearman's rank correlation; `None` if one side does not vary.
fn spearman(left: &[f64], right: &[f64]) -> Option<f64> {
    let (left, right) = (ranks(left), ranks(right));
    let middle = 0.5 * (left.len() as f64 - 1.0);
    let product =
        |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(x, y)| (x - middle) * (y - middle)).sum() };
    let size = (product(&left, &left) * product(&right, &right)).sqrt();
    (size > 0.0).then(|| product(&left, &right) / size)
}

/// Cuts of one take: the head of its list of distinct loops, then random pairs, with every admissible length equally likely.
fn cuts(studied: &Studied, count: usize, state: &mut u64) -> Result<Vec<Closed>, String> {
    let (take, analysis) = (&studied.take, &studied.analysis);
    let Field { lags, admission, .. } = Field::new(studied)?;
    let seams = Seams::new(&analysis.features, SeamCost::even(SearchSettings::default().decay));
    let bounds = SeamBounds::new(seams, &analysis.usable);
    let listed = (LISTED_SHARE * count as f64) as usize;
    let separation = (SEPARATION_SECS / take.frame_time_secs()).round() as usize;
    let mut pairs: BTreeSet<(usize, usize)> = DistinctPairs::new(&bounds, admission.clone(), separation)
        .expecting(listed)
        .take(listed)
        .map(|pair| (pair.start_frame, pair.end_frame))
        .collect();
    let mut draw = |below: usize| {
        // Knuth's MMIX generator; its high bits are good enough to pick frames.
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % below.max(1)
    };
    for _ in 0..MAX_DRAWS {
        if pairs.len() >= count {
            break;
        }
        let lag = lags.start() + draw(lags.end() + 1 - lags.start());
        let start = draw(take.num_frames());
        if admission.admits(start, start + lag) {
            pairs.insert((start, start + lag));
        }
    }
    let mut closed = Vec::with_capacity(pairs.len());
    let distances = PoseDistances::new(PoseComparison::from_poses(&analysis.features));
    for (start, end) in pairs {
        let cycles =
            rhythm::measure(&distances, start, end - start, take.frame_time_secs()).map_or(1, |rhythm| rhythm.cycles);
        let made = studied.make(
            &studied.stretch(start as f64, end as f64, cycles)?,
            &LoopSettings::default(),
        )?;
        let Some(metres) = studied.quality(&made, &made.loop_clip).displacement_metres else {
            continue;
        };
        closed.push(Closed {
            cost: seams.cost(start, end),
            metres,
            metre_secs: metres * made.loop_clip.period_secs(),
        });
    }
    Ok(closed)
}

/// Rank correlations of the cost with the displaced area and with the mean displacement.
fn correlations(cuts: &[Closed]) -> [Option<f64>; 2] {
    let costs: Vec<f64> = cuts.iter().map(|cut| cut.cost).collect();
    [|cut: &Closed| cut.metre_secs, |cut: &Closed| cut.metres]
        .map(|of| spearman(&costs, &cuts.iter().map(of).collect::<Vec<f64>>()))
}

/// The cheapest tenth.
fn cheapest(cuts: &[Closed]) -> Vec<Closed> {
    let mut sorted = cuts.to_vec();
    sorted.sort_by(|left, right| left.cost.total_cmp(&right.cost));
    sorted.truncate(cuts.len() / 10);
    sorted
}

/// Means over the takes whose value is known.
fn means(of_takes: &[[Option<f64>; 2]]) -> [Option<f64>; 2] {
    [0, 1].map(|which| {
        let known: Vec<f64> = of_takes.iter().filter_map(|values| values[which]).collect();
        (!known.is_empty()).then(|| mean(&known))
    })
}

/// Rank correlations of the cost of a seam with the displacement that closing it causes.
pub(super) fn table(studied: &[Studied]) -> Result<Table, String> {
    let mut state = 1;
    let mut takes: Vec<Vec<Closed>> = Vec::new();
    let (mut made, studied_takes) = (0, studied.len());
    for (index, studied) in studied.iter().enumerate() {
        // A take with fewer cuts leaves its share to later takes.
        let cuts = cuts(studied, (CUTS - made).div_ceil(studied_takes - index), &mut state)?;
        made += cuts.len();
        takes.push(cuts);
    }
    let all: Vec<Closed> = takes.iter().flatten().copied().collect();
    let of_takes = |part: fn(&[Closed]) -> Vec<Closed>| {
        means(&takes.iter().map(|cuts| correlations(&part(cuts))).collect::<Vec<_>>())
    };
    let mut table = Table::new("cuts | displaced area | mean displacement");
    for (name, correlations) in [
        ("all", correlations(&all)),
        ("the cheapest tenth of all", correlations(&cheapest(&all))),
        ("within a take, mean over takes", of_takes(<[Closed]>::to_vec)),
        ("the cheapest tenth of a take, mean over takes", of_takes(cheapest)),
    ] {
        let [area, displacement] = correlations.map(|value| cell(value, 3));
        table.row(format_args!("{name} | {area} | {displacement}"));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_equal_values_are_shared_and_order_is_all_that_counts() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        let left = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(spearman(&left, &[1.0, 10.0, 100.0, 1000.0]), Some(1.0));
        assert_eq!(spearman(&left, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(spearman(&left, &[7.0; 4]), None);
    }
}
