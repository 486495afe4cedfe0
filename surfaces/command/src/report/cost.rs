//! Answers of `cost`.

use super::table::{Table, optional, rate};

/// One of the two motions of a jump.
#[in_schema]
pub struct CostSide {
    /// Its file.
    pub file: String,
    /// What it is.
    #[schemars(extend("enum" = ["take", "loop"]))]
    pub kind: &'static str,
    /// The frame that is left or entered; null for all.
    pub frame: Option<usize>,
    /// Frames of the take, samples of the loop.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Seconds from one frame to the next.
    pub frame_time_secs: f64,
    /// Length of a loop; null for a take.
    pub period_secs: Option<f64>,
}

/// What the jump costs under one decay.
#[in_schema]
pub struct DecayCost {
    /// How the offset of the jump fades.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    pub decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    pub decay_secs: f64,
    /// Exact cost.
    pub cost_metre_secs: f64,
    /// The approximate cost, which never exceeds it.
    pub feature_cost_metre_secs: f64,
}

/// The gaps at a jump in one joint or in the root.
#[in_schema]
pub struct GapFacts {
    /// The joint's name, or which part of the root's motion it is, in brackets.
    pub part: String,
    /// Whether it is a joint.
    pub is_joint: bool,
    /// A factor on metres.
    pub weight: f64,
    /// Gap in position: left, up, ahead.
    pub position_m: [f64; 3],
    /// Gap in velocity, likewise.
    pub velocity_mps: [f64; 3],
    /// Its part of the costs, in their order.
    pub costs_metre_secs: [f64; 3],
}

/// A jump from one frame to another.
#[in_schema]
pub struct PairFacts {
    /// Under spring, cubic and quintic.
    pub costs: [DecayCost; 3],
    /// The gap, part by part.
    pub gaps: Vec<GapFacts>,
}

/// A good jump.
#[in_schema]
pub struct CrossingFacts {
    /// The frame that is left.
    pub exit_frame: usize,
    /// Its time.
    pub exit_secs: f64,
    /// The frame that is entered.
    pub entry_frame: usize,
    /// Its time.
    pub entry_secs: f64,
    /// Exact cost.
    pub cost_metre_secs: f64,
    /// The approximate cost, which never exceeds it.
    pub feature_cost_metre_secs: f64,
}

/// Jumps between many frames.
#[in_schema]
pub struct TableFacts {
    /// How the offset of the jump fades.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    pub decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    pub decay_secs: f64,
    /// The best places to leave, or to enter where one frame is left; the cheapest first.
    pub best: Vec<CrossingFacts>,
    /// Median cost of the table.
    pub median_metre_secs: Option<f64>,
    /// Largest cost of the table.
    pub largest_metre_secs: Option<f64>,
    /// Phase, 0 to 1, of the loop entered at which it does what the one left does at its start; null unless both are loops of as many cycles.
    pub matching_phase: Option<f64>,
    /// Frames of the rows of the table; evenly chosen where there are many.
    pub exit_frames: Vec<usize>,
    /// Frames of its columns, likewise.
    pub entry_frames: Vec<usize>,
    /// Exact costs, a row for each exit.
    pub costs_metre_secs: Vec<Vec<f64>>,
}

/// The cheapest jump from one motion of many into another.
#[in_schema]
pub struct JumpFacts {
    /// The file that is left.
    pub left: String,
    /// The frame at which it is left, from 0.
    pub exit_frame: usize,
    /// Its time.
    pub exit_secs: f64,
    /// The file that is entered.
    pub entered: String,
    /// The frame at which it is entered, from 0.
    pub entry_frame: usize,
    /// Its time.
    pub entry_secs: f64,
    /// Exact cost.
    pub cost_metre_secs: f64,
}

/// Jumps among many motions.
#[in_schema]
pub struct JumpsFacts {
    /// How the gap fades: spring, cubic or quintic.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    pub decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    pub decay_secs: f64,
    /// The cheapest jumps, cheapest first.
    pub best: Vec<JumpFacts>,
    /// The motions that could be read.
    pub motions: Vec<CostSide>,
    /// Cost of the cheapest jump, one row per motion to leave, one column per motion to enter, in the order of the motions; null from a motion
    /// into itself, and where no jump exists.
    pub costs_metre_secs: Vec<Vec<Option<f64>>>,
    /// When that jump leaves, in the same order.
    pub exits_secs: Vec<Vec<Option<f64>>>,
    /// When it enters.
    pub entries_secs: Vec<Vec<Option<f64>>>,
}

/// The answer of `cost`.
#[in_schema]
#[derive(Default)]
pub struct CostAnswer {
    /// What is left; null among many motions.
    pub left: Option<CostSide>,
    /// What is entered; null among many motions.
    pub entered: Option<CostSide>,
    /// Null unless one frame of each is named.
    pub pair: Option<PairFacts>,
    /// Null where one frame of each is named, and among many motions.
    pub table: Option<TableFacts>,
    /// Jumps among many motions; null where two are compared.
    pub among: Option<JumpsFacts>,
}

/// The answer of `cost`.
pub fn human(answer: &CostAnswer) -> String {
    let mut text = String::new();
    if let (Some(left), Some(entered)) = (&answer.left, &answer.entered) {
        text += &format!("{}\ninto {}\n", jump_side(left), jump_side(entered));
    }
    if let Some(pair) = &answer.pair {
        text += &pair_cost(pair);
    }
    if let Some(table) = &answer.table {
        text += &cost_table(table);
    }
    if let Some(among) = &answer.among {
        text += &jumps_among(among);
    }
    text += "costs in metre-seconds: the weighted distance of the joints from their target, summed over joints, axes and the seconds of the fade\n";
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
        text += &format!("; jumps cost {median:.4} in the median, {largest:.4} at most");
    }
    if let Some(phase) = table.matching_phase {
        text += &format!("; the start of the first matches phase {phase:.3} of the second");
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
    text += &best.render();
    text
}
