//! Checks of a stretch of a take, independent of the loop made of it.

use loopwright_core::{
    Analysis, LoopCandidate,
    analysis::{FoundBy, MOVING_MPS},
    candidate::{LastKey, WholeClip, WholeClipKind},
    math::ordered,
};
use loopwright_formats::loop_file::facts::{CheckFacts, Grade};

use super::{
    Measure,
    row::{CheckRow, Limits, LimitsFrom, said, value},
};

/// A stretch of a take to grade.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    /// The take, analysed.
    pub analysis: &'a Analysis,
    /// The stretch.
    pub candidate: &'a LoopCandidate,
    /// Whether the name of the take says that it repeats.
    pub named: Option<bool>,
}

impl Stretch<'_> {
    fn has_feet(&self) -> bool {
        self.analysis.body.found_by != FoundBy::AllLeaves
    }

    /// Whether a body with feet travels; thrown or swimming bodies need not move evenly.
    pub(super) fn goes(&self) -> bool {
        self.has_feet() && self.candidate.twist.linear.length() >= MOVING_MPS
    }
}

const ANOTHER_LOOP: &str = "another loop from `loopwright find`";

/// Limits of a yes-or-no check.
const NO: LimitsFrom = LimitsFrom::never_bad(0.0);

/// Measures the largest jump inside a stretch: the distance of a joint from its extrapolated position.
fn jumps(row: &CheckRow, stretch: &Stretch) -> CheckFacts {
    let Stretch {
        analysis, candidate, ..
    } = stretch;
    let (start, end) = (candidate.cut.start_frame(), candidate.last_frame());
    let sizes = analysis
        .defects
        .jumps
        .iter()
        .filter(|&&frame| start < frame as f64 && frame <= end)
        .flat_map(|&frame| {
            (0..analysis.take.num_joints()).map(move |joint| {
                let [to, from, before] =
                    [frame, frame - 1, frame.saturating_sub(2)].map(|frame| analysis.world.position(frame, joint));
                (1e3 * (to - 2.0 * from + before).length(), frame, joint)
            })
        });
    match sizes.max_by_key(|size| ordered(size.0)) {
        Some((millimetres, frame, joint)) => CheckFacts {
            joint: Some(analysis.take.skeleton().joint(joint).name.clone()),
            time_secs: Some(frame as f64 * analysis.take.frame_time_secs()),
            ..row.graded(millimetres, 1.0)
        },
        None => row.graded(0.0, 1.0),
    }
}

/// Limits of an estimated change of pace, percent: stricter, since the change may be larger.
const ESTIMATED: Limits = Limits::new(5.0, 15.0);

crate::check_rows! {
    pub(super) of Measure by Measure::OfTake;

    JUMPS {
        id: "jumps",
        measures: "largest jump of a joint of the take inside",
        unit: "mm",
        limits: NO,
        cure: ANOTHER_LOOP,
        says: "the take jumps{at}, {joint} by {size} mm",
        measure: |row, stretch| Some(jumps(row, stretch)),
    }

    PACE {
        id: "pace",
        measures: "difference of speed among the cycles from start to end; an estimate is good up to 5",
        unit: "%",
        limits: LimitsFrom::fixed(7.5, 15.0),
        cure: ANOTHER_LOOP,
        reason: |check| {
            let (percent, error) = (value(check), check.std_error);
            let error = error.map_or_else(String::new, |error| format!(" +- {error:.0}% (estimated)"));
            format!("the pace of the take changes by {percent:.0}%{error} over the loop")
        },
        measure: |row, stretch| {
            let change = stretch.candidate.steadiness_around.pace_change.filter(|_| stretch.goes())?;
            let percent = 1e2 * change.share;
            if change.is_measured() {
                return Some(row.graded(percent, 1.0));
            }
            Some(CheckFacts {
                std_error: Some(1e2 * change.std_error),
                ..row.graded_by(ESTIMATED, percent)
            })
        },
    }

    TURN {
        id: "turn",
        measures: "share of a turn of 30 degrees or more in the busiest third",
        unit: "%",
        limits: LimitsFrom::fixed(44.0, 60.0),
        cure: ANOTHER_LOOP,
        reason: |check| format!("{:.0}% of the turn happens in a third of the loop", value(check)),
        measure: |row, stretch| {
            let share = stretch.candidate.steadiness_around.turn_in_third.filter(|_| stretch.goes())?;
            Some(row.graded(1e2 * share, 1.0))
        },
    }

    VEER {
        id: "veer",
        measures: "turn of a cycle less that of the straight way around it",
        unit: "deg",
        limits: LimitsFrom::fixed(5.0, 20.0),
        cure: ANOTHER_LOOP,
        says: "the loop turns by {size} degrees a cycle off a straight way",
        measure: |row, stretch| {
            let veer = stretch.candidate.steadiness_around.veer_radians.filter(|_| stretch.goes())?;
            Some(row.graded(veer.to_degrees(), 1.0))
        },
    }

    ROOT_STEADY {
        id: "root-steady",
        measures: "whether one constant motion fails to replace the root's",
        limits: NO,
        cure: ANOTHER_LOOP,
        says: "the root motion of the take changes within the loop, so one constant motion replaces it badly",
        measure: |row, stretch| Some(row.answered(!stretch.candidate.is_steady())),
    }

    SINGLE_ACTION {
        id: "single-action",
        measures: "whether the clip may be a single action, by its motion or its name",
        limits: NO,
        cure: "nothing, if it happens once; else a take in which it repeats",
        says: "it starts and ends at rest, as a single action does",
        measure: |row, stretch| {
            let is_single = |whole: &WholeClip| {
                whole.kind == WholeClipKind::EndsAsItBegins || (whole.is_in_place() && stretch.named == Some(false))
            };
            Some(row.answered(stretch.candidate.whole.as_ref().is_some_and(is_single)))
        },
    }

    ONE_CYCLE {
        id: "one-cycle",
        measures: "gap between the ends of a clip of one cycle; good if its name says that it repeats",
        unit: "mm",
        limits: LimitsFrom::Loop(["-", "-"]),
        cure: "a longer take of the same motion",
        reason: |check| {
            if value(check) == 0.0 {
                "the clip shows one cycle only, without the key that closes it".to_owned()
            } else {
                said("the clip shows one cycle only, and its ends were {size} mm apart", check)
            }
        },
        measure: |row, stretch| {
            let whole = stretch.candidate.whole.as_ref().filter(|whole| whole.kind == WholeClipKind::Cycle)?;
            let gap = match whole.last_key {
                LastKey::BeforeClosing => 0.0,
                _ => 1e3 * whole.gap_metres,
            };
            Some(CheckFacts {
                grade: Some(if whole.by_name { Grade::Good } else { Grade::Review }),
                ..row.graded_by(Limits::never_bad(0.0), gap)
            })
        },
    }

    REPEATS {
        id: "repeats",
        measures: "1 if the take does not repeat at this length, 2 if start and end are as unlike as any two frames",
        limits: LimitsFrom::fixed(0.0, 1.0),
        cure: ANOTHER_LOOP,
        reason: |check| {
            if value(check) > 1.0 {
                "start and end of the stretch are as unlike as any two frames of the take".to_owned()
            } else {
                "the take does not repeat at this length; the loop covers only its own frames".to_owned()
            }
        },
        measure: repeats,
    }
}

fn repeats(row: &CheckRow, stretch: &Stretch) -> Option<CheckFacts> {
    let candidate = stretch.candidate;
    // An idle body need not repeat, and a clip that already loops need not do it twice.
    if candidate.is_idle || candidate.whole.is_some() || candidate.pairing.is_ping_pong() {
        return None;
    }
    // Ends as different as any two frames are joined by force, even if the rest of the take repeats. A tumbling object need not
    // repeat its pose on the ground.
    if stretch.has_feet() && candidate.cost_ratio.is_some_and(|ratio| ratio >= 1.0) {
        return Some(row.graded(2.0, 1.0));
    }
    Some(row.answered(!candidate.is_confident()))
}
