//! Lists the stretches of a take that repeat, one row each: the best of shifted or multiple versions of a loop.
//!
//! The rows are the recommended loop of the whole take, the best loops of its segments, and the loops of the whole take outside
//! any segment. Within a segment the search continues beside a loop for different motion, so that a walk that gets faster gives
//! two rows. Rule and thresholds: docs/math/segments.md.

use super::{
    Choosing, LoopCandidate, NearestMiss, Proposed, SeamPair, SearchError, SearchSettings,
    find::{find_all, finder},
    finder::Finder,
    propose_loops,
};
use crate::{
    analysis::{Analysis, MotionKind, Segment},
    math::{Twist, ops, ordered},
};

/// The stretches of a take that repeat.
#[value(Default)]
pub struct FoundStretches {
    /// One row per stretch: the one with the recommended loop first, then those that move, then idle ones. In each group every
    /// kind of motion appears once before any repeats, the good ones first, and equally good ones in the order of time; unsound
    /// ones last.
    pub rows: Vec<FoundStretch>,
    /// Number of rows beyond the requested count.
    pub num_left_out: usize,
    /// Median seam cost of random pairs of the take, metre-seconds; `None` for takes under half a second.
    pub random_cost: Option<f64>,
    /// The nearest miss, if nothing qualified or the whole take has few loops.
    pub nearest_miss: Option<NearestMiss>,
    /// Every segment of the take that is long enough for a loop, in the order of time; empty if the take has no loop.
    pub segments: Vec<SegmentLoops>,
}

/// A stretch of one kind, by its gait, speed and turn, with its loops.
#[value]
pub struct FoundStretch {
    /// Its best loop.
    pub best: LoopCandidate,
    /// Other loops found in it, shifted or with other numbers of cycles, in no particular order.
    pub versions: Vec<LoopCandidate>,
}

/// A segment of a take, and the stretch in it.
#[value]
pub struct SegmentLoops {
    /// The segment.
    pub segment: Segment,
    /// The row of its best loop in [`FoundStretches::rows`]; `None` if it has no loop, or if that row was not requested.
    pub row: Option<usize>,
    /// The nearest miss, if it has no loop.
    pub nearest_miss: Option<NearestMiss>,
    /// Whether it has a loop.
    pub has_loop: bool,
}

/// Number of loops of the whole take that may become rows.
const LISTED: usize = 10;

/// Idle segments shorter than this give no row of their own, seconds: people pause for a second or two before they turn.
const MIN_IDLE_SEGMENT_SECS: f64 = 3.0;

/// Shortest part of a segment that may be a stretch of its own, seconds; with less, each start and stop becomes a row.
const MIN_PART_SECS: f64 = 2.0;

/// Tolerances within which root motions are of one kind: speed and climb in metres per second, turn in radians per second (10
/// degrees), or this share of the larger.
///
/// With smaller ones a captured walk that slows down before each turn falls apart (two more rows for five legs at a tenth); with
/// larger ones a walk that gets faster is one row.
const SAME_SPEED: f64 = 0.1;
const SAME_TURN: f64 = 0.175;
const SAME_SHARE: f64 = 0.15;

/// Lengths have one rhythm if one is a multiple of the other up to this share of the shorter.
const SAME_RHYTHM: f64 = 0.15;

/// Loops overlap if they share this much of the shorter one.
const OVERLAP: f64 = 0.5;

/// Proposes the stretches that repeat; the pipeline chooses the best loop of each.
///
/// `rank` sorts loops, in frames of the take to choose on, by recommendation.
pub(crate) fn propose_stretches(
    choosing: &Choosing<'_>,
    max_rows: usize,
    rank: &dyn Fn(Vec<LoopCandidate>) -> Vec<LoopCandidate>,
) -> Result<FoundStretches, SearchError> {
    let (analysis, settings) = (choosing.analysis(), choosing.settings());
    if settings.pairing.is_ping_pong() {
        return played_there_and_back(choosing, max_rows);
    }
    let features = settings.pairing.features(analysis);
    let finder = finder(choosing, &features);
    let Proposed { whole, found } = find_all(choosing, &finder)?;
    let mut gathered = Gathered {
        analysis,
        settings,
        rows: Vec::new(),
        segments: Vec::new(),
    };
    // A whole clip is kept as it is; the recommended loop of the search comes after it.
    if let Some(whole) = &whole {
        gathered.open(choosing.in_chosen_frames(whole));
    }
    let mut listed = rank(found.candidates).into_iter();
    let mut num_first = gathered.rows.len();
    if let (Ok(finder), Some(recommended)) = (&finder, listed.next()) {
        gathered.open(recommended);
        num_first += 1;
        gathered.search_segments(finder);
        for (index, candidate) in listed.enumerate() {
            // A loop in no row so far mixes segments or kinds of motion: it becomes a row only if it can be recommended.
            let may_open = candidate.is_sound() && index < LISTED;
            gathered.add(candidate, may_open, finder);
        }
    }
    let num_rows = gathered.rows.len();
    let (mut rows, segments) = gathered.in_order(num_first, max_rows);
    let mut whole = whole;
    for (index, row) in rows.iter_mut().enumerate() {
        if let Some(whole) = whole.take_if(|_| index == 0) {
            row.best = whole;
            continue;
        }
        let all = core::iter::once(row.best.clone()).chain(core::mem::take(&mut row.versions));
        // The first row is ranked already.
        let ranked = if index == 0 { all.collect() } else { rank(all.collect()) };
        let mut own = choosing.in_own_frames(ranked, usize::MAX).into_iter();
        row.best = own.next().unwrap_or_else(|| row.best.clone());
        row.versions = own.collect();
    }
    let segments = segments.into_iter().map(|of| SegmentLoops {
        segment: choosing.own_segment(of.segment),
        nearest_miss: of.nearest_miss.map(|miss| choosing.own_miss(miss)),
        ..of
    });
    Ok(FoundStretches {
        num_left_out: num_rows - rows.len(),
        rows,
        segments: segments.collect(),
        random_cost: found.random_cost,
        nearest_miss: found.nearest_miss.map(|miss| choosing.own_miss(miss)),
    })
}

/// Lists ping-pong stretches, each in a row of its own.
fn played_there_and_back(choosing: &Choosing, max_rows: usize) -> Result<FoundStretches, SearchError> {
    let mut best = propose_loops(choosing)?.found.candidates;
    let num_left_out = best.len().saturating_sub(max_rows);
    best.truncate(max_rows);
    let rows = best.into_iter().map(|best| FoundStretch {
        best,
        versions: Vec::new(),
    });
    Ok(FoundStretches {
        rows: rows.collect(),
        num_left_out,
        ..FoundStretches::default()
    })
}

impl Analysis {
    /// Returns the segment that contains most of a loop.
    pub fn segment_of(&self, candidate: &LoopCandidate) -> Option<&Segment> {
        let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
        let shared = |segment: &Segment| end.min(segment.end_frame as f64) - start.max(segment.start_frame as f64);
        let first = self
            .segments
            .partition_point(|segment| (segment.end_frame as f64) < start);
        let touched = self.segments[first..]
            .iter()
            .take_while(|segment| segment.start_frame as f64 <= end);
        touched.max_by_key(|segment| ordered(shared(segment)))
    }
}

/// A row under construction, with the segment that contains most of it.
struct Row {
    stretch: FoundStretch,
    segment: Option<Segment>,
}

/// The rows so far.
struct Gathered<'a> {
    analysis: &'a Analysis,
    settings: &'a SearchSettings,
    rows: Vec<Row>,
    /// Segments in the order of time, with the number of the row of each.
    segments: Vec<SegmentLoops>,
}

impl<'a> Gathered<'a> {
    /// Makes a candidate a row, and returns its number.
    fn open(&mut self, best: LoopCandidate) -> usize {
        let segment = self.analysis.segment_of(&best).copied();
        let versions = Vec::new();
        self.rows.push(Row {
            stretch: FoundStretch { best, versions },
            segment,
        });
        self.rows.len() - 1
    }

    /// Adds a candidate: to the row of which it is a version, otherwise as a row if it may open one. Returns the row's number.
    fn add(&mut self, candidate: LoopCandidate, may_open: bool, finder: &Finder) -> Option<usize> {
        let segment = self.analysis.segment_of(&candidate).copied();
        let Some(row) = self.rows.iter().position(|row| row.holds(&candidate, segment)) else {
            return may_open.then(|| self.open(candidate));
        };
        let FoundStretch { best, versions } = &mut self.rows[row].stretch;
        let mut known = core::iter::once(&*best).chain(&*versions);
        if !known.any(|known| finder.is_similar(known, &candidate)) {
            versions.push(candidate);
        }
        Some(row)
    }

    /// Adds the loops of every segment.
    fn search_segments(&mut self, finder: &Finder) {
        let (first, last) = self.settings.within.unwrap_or((0, usize::MAX));
        for segment in &self.analysis.segments {
            let part = Segment {
                start_frame: segment.start_frame.max(first),
                end_frame: segment.end_frame.min(last),
                ..*segment
            };
            let is_idle = part.gait.kind == MotionKind::Idle;
            let shortest = if is_idle { MIN_IDLE_SEGMENT_SECS } else { 0.0 };
            if part.start_frame < part.end_frame
                && self.secs(part.start_frame, part.end_frame) >= self.settings.min_secs.max(shortest)
                && (is_idle || !self.settings.idle)
            {
                self.search_segment(part, finder);
            }
        }
    }

    /// Adds the loops of a segment: those of its best stretch, and of different motion beside that.
    fn search_segment(&mut self, segment: Segment, finder: &Finder) {
        let is_idle = segment.gait.kind == MotionKind::Idle;
        let whole = (segment.start_frame, segment.end_frame);
        let mut row = self
            .rows
            .iter()
            .position(|row| row.stretch.best.whole.is_none() && row.is_in(&segment));
        // The earliest last.
        let mut parts = match row {
            Some(row) => self.beside(&self.rows[row].stretch.best, whole, finder),
            None => vec![whole],
        };
        let mut nearest_miss = None;
        while let Some(part) = parts.pop() {
            let found = finder.find_kind(Some(part), is_idle);
            nearest_miss = nearest_miss.or(found.nearest_miss);
            // A part beside a stretch becomes another row only if it can be recommended.
            let Some(best) = found.candidates.first().filter(|best| row.is_none() || best.is_sound()) else {
                continue;
            };
            parts.extend(self.beside(best, part, finder));
            for (index, candidate) in found.candidates.into_iter().enumerate() {
                let of_candidate = self.add(candidate, index == 0, finder);
                row = row.or(of_candidate);
            }
        }
        self.segments.push(SegmentLoops {
            segment,
            row,
            nearest_miss: nearest_miss.filter(|_| row.is_none()),
            has_loop: row.is_some(),
        });
    }

    fn secs(&self, start_frame: usize, end_frame: usize) -> f64 {
        self.settings
            .lag_step(&self.analysis.take)
            .secs(end_frame - start_frame)
    }

    /// Returns the parts after and before the span in which the body moves as in a loop, if they are long enough for another
    /// one.
    fn beside(&self, candidate: &LoopCandidate, part: (usize, usize), finder: &Finder) -> Vec<(usize, usize)> {
        let (first, last) = part;
        if candidate.is_idle {
            return Vec::new();
        }
        let start = (candidate.cut.start_frame() as usize).clamp(first, last);
        let end = (candidate.cut.end_frame().ceil() as usize).clamp(first, last);
        let cycle = (candidate.cut.num_frames() / f64::from(candidate.cycles.max(1))).round() as usize;
        let (cycle, step) = (cycle.max(1), (cycle / 4).max(1));
        let moves_alike = |start: usize| {
            start >= first
                && start + cycle <= last
                && is_same_motion(&root_motion(finder, start, start + cycle), &candidate.twist)
        };
        let after = (end.saturating_sub(cycle).max(start)..)
            .step_by(step)
            .take_while(|&start| moves_alike(start))
            .last()
            .map_or(end, |start| end.max(start + cycle));
        let before = (0..)
            .map_while(|count| start.checked_sub(count * step))
            .take_while(|&start| moves_alike(start))
            .last()
            .unwrap_or(start);
        let mut parts = vec![(after, last), (first, before)];
        parts.retain(|part| self.secs(part.0, part.1) >= MIN_PART_SECS.max(self.settings.min_secs));
        parts
    }

    /// Returns the rows in order, of which the first `num_first` are known, and the segments; at most the requested number of
    /// rows.
    fn in_order(self, num_first: usize, max_rows: usize) -> (Vec<FoundStretch>, Vec<SegmentLoops>) {
        let Self { rows, mut segments, .. } = self;
        let mut rows: Vec<(usize, Row)> = rows.into_iter().enumerate().collect();
        rows[num_first..].sort_by_key(|(_, row)| {
            let best = &row.stretch.best;
            let start = ordered(best.cut.start_frame());
            (best.is_idle, !best.is_sound(), !best.is_confident(), start)
        });
        let mut kinds: Vec<usize> = Vec::new();
        for index in 0..rows.len() {
            let row = &rows[index].1;
            if !kinds.iter().any(|&kind| rows[kind].1.is_of_kind(row)) {
                kinds.push(index);
            }
        }
        let numbers: Vec<usize> = kinds.iter().map(|&index| rows[index].0).collect();
        rows[num_first..].sort_by_key(|(number, row)| {
            let best = &row.stretch.best;
            (best.is_idle, !best.is_sound(), !numbers.contains(number))
        });
        rows.truncate(max_rows);
        for segment in &mut segments {
            segment.row = segment
                .row
                .and_then(|number| rows.iter().position(|&(row, _)| row == number));
        }
        (rows.into_iter().map(|(_, row)| row.stretch).collect(), segments)
    }
}

impl Row {
    /// Whether both move alike in the same gait, anywhere in the take.
    fn is_of_kind(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|row| row.segment.map(|segment| segment.gait));
        own == others && is_same_motion(&self.stretch.best.twist, &other.stretch.best.twist)
    }

    fn is_in(&self, segment: &Segment) -> bool {
        self.segment
            .is_some_and(|own| own.start_frame <= segment.start_frame && segment.end_frame <= own.end_frame)
    }

    /// Whether a candidate is a version of this row's loop. Two of these must hold: overlap, same motion, same rhythm; without
    /// overlap it must be in the same segment.
    fn holds(&self, candidate: &LoopCandidate, segment: Option<Segment>) -> bool {
        let best = &self.stretch.best;
        if best.whole.is_some() || best.is_idle != candidate.is_idle {
            return false;
        }
        let overlaps = overlap(best, candidate) >= OVERLAP;
        let is_near = overlaps || segment.is_some_and(|segment| self.is_in(&segment));
        let moves_alike = is_same_motion(&best.twist, &candidate.twist);
        let alike = [overlaps, moves_alike, is_same_rhythm(best, candidate)];
        is_near && (best.is_idle || alike.into_iter().filter(|&is| is).count() >= 2)
    }
}

/// Returns the shared frames of two loops as a share of the shorter.
fn overlap(one: &LoopCandidate, other: &LoopCandidate) -> f64 {
    one.shared_frames(other) / one.cut.num_frames().min(other.cut.num_frames())
}

/// Estimates the root motion between two frames from the headings there.
fn root_motion(finder: &Finder, start_frame: usize, end_frame: usize) -> Twist {
    let pair = SeamPair {
        start_frame,
        end_frame,
        cost: 0.0,
    };
    let (rough, secs) = finder.rough_root_motion(&pair);
    // An arc is longer than the straight line between its ends.
    let half = 0.5 * (rough.angular.y.abs() * secs).min(core::f64::consts::PI);
    let bow = if half > 1e-6 { half / ops::sin(half) } else { 1.0 };
    Twist {
        linear: rough.linear * bow,
        ..rough
    }
}

fn is_same_rhythm(one: &LoopCandidate, other: &LoopCandidate) -> bool {
    let [one, other] = [one, other].map(|of| of.num_frames / f64::from(of.cycles.max(1)));
    let multiple = one.max(other) / one.min(other);
    (multiple - multiple.round()).abs() <= SAME_RHYTHM
}

fn is_same_motion(one: &Twist, other: &Twist) -> bool {
    let is_same = |one: f64, other: f64, allowance: f64| {
        (one - other).abs() <= allowance.max(SAME_SHARE * one.abs().max(other.abs()))
    };
    let [one_mps, other_mps] = [one, other].map(|twist| ops::over_ground(twist.linear));
    is_same(one_mps, other_mps, SAME_SPEED)
        && is_same(one.linear.y, other.linear.y, SAME_SPEED)
        && is_same(one.angular.y, other.angular.y, SAME_TURN)
}
