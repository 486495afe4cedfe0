//! The stretches of a take that repeat, one row each: of loops that are shifted or multiple versions of one, the best.
//!
//! The rows are the recommended loop of the whole take, the best loops of its segments, and those loops of the whole take that
//! no segment holds. Within a segment the search goes on beside the span of a loop that moves otherwise, so that a walk that gets
//! faster gives two rows. Rule and thresholds: docs/math/segments.md.

use super::{
    find::SearchError,
    finder::Finder,
    report::{FoundLoops, LoopCandidate, NearestMiss},
    seams::SeamPair,
    settings::SearchSettings,
};
use crate::{
    analysis::{
        Analysis,
        segments::{Gait, Segment},
    },
    math::{ops, rigid::Twist},
};

/// The stretches of a take that repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundStretches {
    /// One row per stretch: the one with the recommended loop first, then those that move, then idle ones; each of these the
    /// good ones first, and equally good ones in the order of time.
    pub rows: Vec<FoundStretch>,
    /// Median seam cost of random pairs of the take, metre-seconds; `None` for takes under half a second.
    pub random_cost: Option<f64>,
    /// The pair that came nearest, where nothing qualified or the whole take holds few loops.
    pub nearest_miss: Option<NearestMiss>,
    /// Every segment of the take that is long enough for a loop, in the order of time.
    pub segments: Vec<SegmentLoops>,
}

/// A stretch of one kind, by its gait, speed and turn, with its loops.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundStretch {
    /// Its best loop.
    pub best: LoopCandidate,
    /// Other loops of it that were found, shifted or of other numbers of cycles, in no order of worth.
    pub versions: Vec<LoopCandidate>,
}

/// A segment of a take, and the stretch in it.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentLoops {
    /// The segment.
    pub segment: Segment,
    /// The row of its best loop in [`FoundStretches::rows`]; `None` if it has no loop, or if that row was not asked for.
    pub row: Option<usize>,
    /// What came nearest, if it has no loop.
    pub nearest_miss: Option<NearestMiss>,
    /// Whether it has a loop.
    pub has_loop: bool,
}

/// Loops listed by each search, whatever number of rows is asked for: fewer rows are then the first of more.
const LISTED: usize = 10;

/// Idle segments below this length give no row of their own, seconds: people pause for a second or two wherever they turn.
const MIN_IDLE_SEGMENT_SECS: f64 = 3.0;

/// Shortest part of a segment that may be a stretch of its own, seconds; with a shorter one each start and stop becomes a row.
const MIN_PART_SECS: f64 = 2.0;

/// Root motions are of one kind up to these differences: speed and climb in metres per second, turn in radians per second
/// (10 degrees), or this share of the larger.
///
/// Strides of one steady walk differ by half of that. With smaller ones a walk falls apart into its strides; with larger ones
/// a walk that gets faster is one row.
const SAME_SPEED: f64 = 0.1;
const SAME_TURN: f64 = 0.175;
const SAME_SHARE: f64 = 0.15;

/// Lengths have one rhythm if one is a multiple of the other up to this share of the shorter.
const SAME_RHYTHM: f64 = 0.15;

/// Loops overlap if this share of the shorter is in both.
const OVERLAP: f64 = 0.5;

impl Analysis {
    /// Finds the stretches that repeat, each with its best loop.
    ///
    /// The first row is the first loop of [`Self::find_loops`], which costs less where no other is wanted. Most rows:
    /// [`SearchSettings::max_candidates`]; fewer rows are the first of more. A whole take that loops is a row of its own. Errors:
    /// as [`Self::find_loops`].
    pub fn find_stretches(&self, settings: &SearchSettings) -> Result<FoundStretches, SearchError> {
        let max_rows = settings.max_candidates.max(1);
        let settings = SearchSettings {
            max_candidates: LISTED,
            ..settings.clone()
        };
        if let Err(error) = self.check(&settings) {
            let found = self.with_whole_clip(Err(error), &settings)?;
            return Ok(Gathered::new(self, &settings).into_found(found, max_rows));
        }
        let features = settings.pairing.features(self);
        let finder = Finder::new(self, &settings, &features);
        let found = finder.find(settings.within, settings.idle);
        let mut found = self.with_whole_clip(Ok(found), &settings)?;
        let mut gathered = Gathered::new(self, &settings);
        let mut listed = core::mem::take(&mut found.candidates).into_iter();
        // A whole clip is kept as it is; the recommended loop of the search comes after it.
        while let Some(first) = listed.next() {
            let is_whole = first.whole.is_some();
            gathered.open(first);
            if !is_whole {
                break;
            }
        }
        gathered.search_segments(&finder);
        for candidate in listed {
            // What is in no row by now mixes segments or kinds of motion: a row only where it can be recommended.
            let may_open = candidate.is_sound();
            gathered.add(candidate, may_open, &finder);
        }
        Ok(gathered.into_found(found, max_rows))
    }

    /// The segment that holds most of a loop.
    pub fn segment_of(&self, candidate: &LoopCandidate) -> Option<&Segment> {
        let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
        let shared = |segment: &Segment| end.min(segment.end_frame as f64) - start.max(segment.start_frame as f64);
        self.segments.iter().max_by(|a, b| shared(a).total_cmp(&shared(b)))
    }
}

/// A row on its way, with the segment that holds most of it.
struct Row {
    stretch: FoundStretch,
    segment: Option<Segment>,
}

/// The rows so far.
struct Gathered<'a> {
    analysis: &'a Analysis,
    settings: &'a SearchSettings,
    rows: Vec<Row>,
    /// Segments with the row of each, in the order in which rows were found.
    segments: Vec<SegmentLoops>,
}

impl<'a> Gathered<'a> {
    fn new(analysis: &'a Analysis, settings: &'a SearchSettings) -> Self {
        Self {
            analysis,
            settings,
            rows: Vec::new(),
            segments: Vec::new(),
        }
    }

    /// Makes a candidate a row.
    fn open(&mut self, best: LoopCandidate) {
        let segment = self.analysis.segment_of(&best).copied();
        let versions = Vec::new();
        self.rows.push(Row {
            stretch: FoundStretch { best, versions },
            segment,
        });
    }

    /// Adds a candidate: to the row of which it is a version, otherwise as a row if it may open one.
    fn add(&mut self, candidate: LoopCandidate, may_open: bool, finder: &Finder) {
        let segment = self.analysis.segment_of(&candidate).copied();
        let row = self.rows.iter_mut().find(|row| row.holds(&candidate, segment));
        let Some(Row { stretch, .. }) = row else {
            if may_open {
                self.open(candidate);
            }
            return;
        };
        let mut known = core::iter::once(&stretch.best).chain(&stretch.versions);
        if !known.any(|known| finder.is_similar(known, &candidate)) {
            stretch.versions.push(candidate);
        }
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
            let is_idle = part.gait == Gait::Idle;
            let shortest = if is_idle { MIN_IDLE_SEGMENT_SECS } else { 0.0 };
            if part.start_frame < part.end_frame
                && self.secs(part.start_frame, part.end_frame) >= self.settings.min_secs.max(shortest)
                && (is_idle || !self.settings.idle)
            {
                self.search_segment(part, finder);
            }
        }
    }

    /// Adds the loops of a segment: those of its best stretch, and of what lies beside that and moves otherwise.
    fn search_segment(&mut self, segment: Segment, finder: &Finder) {
        let is_idle = segment.gait == Gait::Idle;
        let mut parts = vec![(segment.start_frame, segment.end_frame)];
        let is_here = |row: &Row| row.stretch.best.whole.is_none() && row.is_in(&segment);
        let mut row = self.rows.iter().position(is_here);
        if let Some(row) = row {
            parts = self.beside(&self.rows[row].stretch.best, parts[0]);
        }
        let mut nearest_miss = None;
        while let Some(part) = parts.pop() {
            let is_whole_segment = part == (segment.start_frame, segment.end_frame);
            if !is_whole_segment && (is_idle || self.secs(part.0, part.1) < MIN_PART_SECS) {
                continue;
            }
            let found = finder.find_kind(Some(part), is_idle);
            if is_whole_segment {
                nearest_miss = found.nearest_miss;
            }
            let Some(best) = found.candidates.first() else {
                continue;
            };
            // A part beside a stretch is proposed only where it can be recommended.
            if row.is_some() && !best.is_sound() {
                continue;
            }
            parts.extend(self.beside(best, part));
            for (index, candidate) in found.candidates.into_iter().enumerate() {
                self.add(candidate, index == 0, finder);
            }
            row = row.or_else(|| self.rows.iter().position(is_here));
        }
        self.segments.push(SegmentLoops {
            segment,
            row,
            nearest_miss: nearest_miss.filter(|_| row.is_none()),
            has_loop: row.is_some(),
        });
    }

    fn secs(&self, start_frame: usize, end_frame: usize) -> f64 {
        (self.settings.lag_step(&self.analysis.take)).secs(end_frame - start_frame)
    }

    /// What is left of a part before and after the span in which the body moves as in a loop, the later first.
    fn beside(&self, candidate: &LoopCandidate, (first, last): (usize, usize)) -> Vec<(usize, usize)> {
        let (start, end) = (
            (candidate.cut.start_frame() as usize).clamp(first, last),
            (candidate.cut.end_frame().ceil() as usize).clamp(first, last),
        );
        let window = (candidate.cut.num_frames() / f64::from(candidate.cycles.max(1))).round() as usize;
        let step = (window / 4).max(1);
        let moves_alike = |start: usize| {
            let pair = SeamPair {
                start_frame: start,
                end_frame: start + window,
                cost: 0.0,
            };
            is_same_motion(&self.rate(&pair), &candidate.twist)
        };
        let after = (end.saturating_sub(window).max(first)..)
            .step_by(step)
            .take_while(|&start| start + window <= last && moves_alike(start))
            .last()
            .map_or(end, |start| (start + window).max(end));
        let before = (0..)
            .map(|count| start.checked_sub(count * step))
            .map_while(|start| start.filter(|&start| start >= first && start + window <= last && moves_alike(start)))
            .last()
            .map_or(start, |from| from.min(start));
        vec![(after, last), (first, before)]
    }

    /// Root motion between two frames, from the headings there.
    fn rate(&self, pair: &SeamPair) -> Twist {
        let heading = &self.analysis.heading;
        let secs = (pair.end_frame - pair.start_frame) as f64 * self.analysis.take.frame_time_secs();
        let turn = heading.yaw(pair.end_frame) - heading.yaw(pair.start_frame);
        let [start, end] = [pair.start_frame, pair.end_frame].map(|frame| heading.world_from_heading(frame));
        // The way along an arc is longer than the straight line between its ends.
        let half = 0.5 * turn.abs().min(core::f64::consts::PI);
        let bow = if half > 1e-6 { half / ops::sin(half) } else { 1.0 };
        Twist {
            linear: (start.inverse() * end).translation * bow / secs,
            angular: glam::DVec3::Y * turn / secs,
        }
    }

    /// The rows in their order, no more than asked for.
    fn into_found(self, found: FoundLoops, max_rows: usize) -> FoundStretches {
        let Self {
            analysis,
            mut rows,
            mut segments,
            ..
        } = self;
        for candidate in found.candidates {
            let segment = analysis.segment_of(&candidate).copied();
            rows.push(Row {
                stretch: FoundStretch {
                    best: candidate,
                    versions: Vec::new(),
                },
                segment,
            });
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let recommended = rows.iter().take_while(|row| row.stretch.best.whole.is_some()).count() + 1;
        order.sort_by(|&one, &other| {
            let key = |index: usize| {
                let best = &rows[index].stretch.best;
                (
                    index.min(recommended),
                    best.is_idle,
                    !best.is_sound(),
                    !best.is_confident(),
                )
            };
            let start = |index: usize| rows[index].stretch.best.cut.start_frame();
            key(one).cmp(&key(other)).then(start(one).total_cmp(&start(other)))
        });
        for segment in &mut segments {
            let row = segment.row.and_then(|row| order.iter().position(|&index| index == row));
            segment.row = row.filter(|&row| row < max_rows);
        }
        let mut rows: Vec<Option<FoundStretch>> = rows.into_iter().map(|row| Some(row.stretch)).collect();
        FoundStretches {
            rows: order
                .into_iter()
                .take(max_rows)
                .filter_map(|index| rows[index].take())
                .collect(),
            random_cost: found.random_cost,
            nearest_miss: found.nearest_miss,
            segments,
        }
    }
}

impl Row {
    fn is_in(&self, segment: &Segment) -> bool {
        self.segment
            .is_some_and(|own| own.start_frame <= segment.start_frame && segment.end_frame <= own.end_frame)
    }

    /// Whether a candidate is a version of this row's loop. Of overlapping, same motion and same rhythm two must hold; what
    /// does not overlap must be in the same segment.
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

/// Frames that two loops share, over those of the shorter.
fn overlap(one: &LoopCandidate, other: &LoopCandidate) -> f64 {
    let (one, other) = (&one.cut, &other.cut);
    let shared = one.end_frame().min(other.end_frame()) - one.start_frame().max(other.start_frame());
    shared / one.num_frames().min(other.num_frames())
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
    let [one_mps, other_mps] = [one, other].map(|twist| ops::hypot(twist.linear.x, twist.linear.z));
    is_same(one_mps, other_mps, SAME_SPEED)
        && is_same(one.linear.y, other.linear.y, SAME_SPEED)
        && is_same(one.angular.y, other.angular.y, SAME_TURN)
}
