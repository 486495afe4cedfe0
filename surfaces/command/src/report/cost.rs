//! Answers of `cost`.

use std::fmt::Write;

use serde::Serialize;

use super::table::{Table, optional, rate};

/// One of the two motions of a jump.
#[derive(Serialize)]
pub(crate) struct CostSide {
    pub(crate) file: String,
    pub(crate) kind: &'static str,
    pub(crate) frame: Option<usize>,
    pub(crate) frames: usize,
    pub(crate) fps: f64,
    pub(crate) frame_time_secs: f64,
    pub(crate) period_secs: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct DecayCost {
    pub(crate) decay: &'static str,
    pub(crate) decay_secs: f64,
    pub(crate) cost_metre_secs: f64,
    pub(crate) feature_cost_metre_secs: f64,
}

/// The gaps at a jump in one joint or in the root.
#[derive(Serialize)]
pub(crate) struct GapFacts {
    pub(crate) part: String,
    pub(crate) is_joint: bool,
    pub(crate) weight: f64,
    pub(crate) position_m: [f64; 3],
    pub(crate) velocity_mps: [f64; 3],
    pub(crate) costs_metre_secs: [f64; 3],
}

/// A jump from one frame to another.
#[derive(Serialize)]
pub(crate) struct PairFacts {
    pub(crate) costs: [DecayCost; 3],
    pub(crate) gaps: Vec<GapFacts>,
}

/// A good jump.
#[derive(Serialize)]
pub(crate) struct CrossingFacts {
    pub(crate) exit_frame: usize,
    pub(crate) exit_secs: f64,
    pub(crate) entry_frame: usize,
    pub(crate) entry_secs: f64,
    pub(crate) cost_metre_secs: f64,
    pub(crate) feature_cost_metre_secs: f64,
}

/// Jumps between many frames.
#[derive(Serialize)]
pub(crate) struct TableFacts {
    pub(crate) decay: &'static str,
    pub(crate) decay_secs: f64,
    pub(crate) best: Vec<CrossingFacts>,
    pub(crate) median_metre_secs: Option<f64>,
    pub(crate) largest_metre_secs: Option<f64>,
    pub(crate) matching_phase: Option<f64>,
    pub(crate) exit_frames: Vec<usize>,
    pub(crate) entry_frames: Vec<usize>,
    pub(crate) costs_metre_secs: Vec<Vec<f64>>,
}

/// The cheapest jump from one motion of many into another.
#[derive(Serialize)]
pub(crate) struct JumpFacts {
    pub(crate) left: String,
    pub(crate) exit_frame: usize,
    pub(crate) exit_secs: f64,
    pub(crate) entered: String,
    pub(crate) entry_frame: usize,
    pub(crate) entry_secs: f64,
    pub(crate) cost_metre_secs: f64,
}

/// Jumps among many motions.
#[derive(Serialize)]
pub(crate) struct JumpsFacts {
    pub(crate) decay: &'static str,
    pub(crate) decay_secs: f64,
    pub(crate) best: Vec<JumpFacts>,
    pub(crate) motions: Vec<CostSide>,
    pub(crate) costs_metre_secs: Vec<Vec<Option<f64>>>,
    pub(crate) exits_secs: Vec<Vec<Option<f64>>>,
    pub(crate) entries_secs: Vec<Vec<Option<f64>>>,
}

/// The answer of `cost`.
#[derive(Default, Serialize)]
pub(crate) struct CostAnswer {
    pub(crate) left: Option<CostSide>,
    pub(crate) entered: Option<CostSide>,
    pub(crate) pair: Option<PairFacts>,
    pub(crate) table: Option<TableFacts>,
    pub(crate) among: Option<JumpsFacts>,
}

/// The answer of `cost`.
pub(crate) fn human(answer: &CostAnswer) -> String {
    let mut text = String::new();
    if let (Some(left), Some(entered)) = (&answer.left, &answer.entered) {
        let _ = writeln!(text, "{}\ninto {}", jump_side(left), jump_side(entered));
    }
    if let Some(pair) = &answer.pair {
        text.push_str(&pair_cost(pair));
    }
    if let Some(table) = &answer.table {
        text.push_str(&cost_table(table));
    }
    if let Some(among) = &answer.among {
        text.push_str(&jumps_among(among));
    }
    text.push_str(
        "costs in metre-seconds: the weighted distance of the joints from their target, summed over joints, axes and the seconds of the fade\n",
    );
    text
}

fn jump_side(side: &CostSide) -> String {
    let fps = rate(side.fps);
    let what = match side.period_secs {
        Some(period) => format!("loop of {} samples, {period:.3} s", side.frames),
        None => format!("take of {} frames", side.frames),
    };
    match side.frame {
        Some(frame) => format!("{}, frame {frame} of a {what} at {fps} fps", side.file),
        None => format!("{}, a {what} at {fps} fps", side.file),
    }
}

fn pair_cost(pair: &PairFacts) -> String {
    let mut costs = Table::new("fade | seconds | cost | approximate");
    for cost in &pair.costs {
        costs.row(vec![
            cost.decay.to_owned(),
            format!("{:.3}", cost.decay_secs),
            format!("{:.4}", cost.cost_metre_secs),
            format!("{:.4}", cost.feature_cost_metre_secs),
        ]);
    }
    let mut gaps = Table::new("part | weight | gap cm | gap m/s | spring | cubic | quintic");
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    for gap in &pair.gaps {
        let mut row = vec![
            gap.part.clone(),
            format!("{:.2}", gap.weight),
            if gap.is_joint {
                format!("{:.1}", 100.0 * length(gap.position_m))
            } else {
                "-".to_owned()
            },
            format!("{:.2}", length(gap.velocity_mps)),
        ];
        row.extend(gap.costs_metre_secs.iter().map(|cost| format!("{cost:.4}")));
        gaps.row(row);
    }
    format!("{}{}", costs.render(), gaps.render())
}

fn jumps_among(among: &JumpsFacts) -> String {
    let mut jumps = Table::new("# | <leave | at s | <enter | at s | cost");
    for (index, jump) in among.best.iter().enumerate() {
        jumps.row(vec![
            (index + 1).to_string(),
            jump.left.clone(),
            format!("{:.3}", jump.exit_secs),
            jump.entered.clone(),
            format!("{:.3}", jump.entry_secs),
            format!("{:.4}", jump.cost_metre_secs),
        ]);
    }
    format!(
        "{} motions, {} of {:.3} s\n{}",
        among.motions.len(),
        among.decay,
        among.decay_secs,
        jumps.render()
    )
}

fn cost_table(table: &TableFacts) -> String {
    let mut text = format!("{} of {:.3} s", table.decay, table.decay_secs);
    if let (Some(median), Some(largest)) = (table.median_metre_secs, table.largest_metre_secs) {
        let _ = write!(text, "; jumps cost {median:.4} in the median, {largest:.4} at most");
    }
    if let Some(phase) = table.matching_phase {
        let _ = write!(text, "; the start of the first matches phase {phase:.3} of the second");
    }
    text.push('\n');
    let mut best =
        Table::new("# | leave frame | at s | enter frame | at s | cost | approximate | relative to the median");
    for (index, jump) in table.best.iter().enumerate() {
        best.row(vec![
            (index + 1).to_string(),
            jump.exit_frame.to_string(),
            format!("{:.3}", jump.exit_secs),
            jump.entry_frame.to_string(),
            format!("{:.3}", jump.entry_secs),
            format!("{:.4}", jump.cost_metre_secs),
            format!("{:.4}", jump.feature_cost_metre_secs),
            optional(
                table
                    .median_metre_secs
                    .filter(|&median| median > 0.0)
                    .map(|median| jump.cost_metre_secs / median),
                2,
            ),
        ]);
    }
    text.push_str(&best.render());
    text
}
