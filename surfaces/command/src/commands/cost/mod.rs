//! `loopwright cost`: the cost of leaving one motion and entering another.

use std::path::{Path, PathBuf};

use loopwright_core::{
    LoopClip,
    candidate::DEFAULT_HALF_LIFE_SECS,
    math::{Decay, DecayKind},
};
use loopwright_moves::{
    Transitions,
    blend::align,
    play::DEFAULT_FADE_SECS,
    transition::{GapOf, TransitionClip},
};
use loopwright_plots::TransitionMap;

use crate::{
    args::{CostArgs, JumpSettings},
    batch,
    exit::{Ending, Failure, Result},
    files,
    motions::{self, ReadMotion},
    output::{self, Outputs},
    plot::PlotFile,
    recipe::TakeArgs,
    report::table::{in_columns, optional, rate},
};

pub mod among;

/// Maximum number of frames per side in a table; from a longer motion, evenly spaced frames are taken.
const TABLE: usize = 128;

/// Maximum number of frames per side in the plotted map: three pixels to a frame.
const MAP: usize = 152;

/// The reason why two motions may have no jump.
const NO_JUMP: &str = "bad frames are never left or entered, and a take is not left at its very end";

pub fn run(args: &CostArgs) -> Result<Ending> {
    match &args.motions[..] {
        [left, entered] if !batch::is_many(left) && !batch::is_many(entered) => between(left, entered, args),
        _ => among::run(args),
    }
}

/// Compares two motions, or frames of them.
fn between(left: &Path, entered: &Path, args: &CostArgs) -> Result<Ending> {
    let mut outputs = Outputs::new(args.force);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    decays(&args.jumps)?;
    let left = Side::read(left, &args.reading)?;
    let entered = Side::read(entered, &args.reading)?;
    for side in [&left, &entered] {
        outputs.protect_named(&side.path);
    }
    let (answer, svg) = compared([&left, &entered], &args.jumps, TABLE, plot.is_some())?;
    if let (Some(plot), Some(svg)) = (plot, svg) {
        plot.add(&mut outputs, &svg)?;
    }
    output::answer("cost", &answer, None, &outputs.commit()?, args.json, human)
}

/// Computes the costs of jumps from one motion into another, in a table of at most `most` frames a side; also draws them if a plot is
/// wanted.
pub fn compared(
    [left, entered]: [&Side; 2],
    settings: &JumpSettings,
    most: usize,
    drawn: bool,
) -> Result<(CostAnswer, Option<String>)> {
    let decays = decays(settings)?;
    let transitions = Transitions::between(&left.motion, &entered.motion, &settings.weights)
        .map_err(|error| motions::mismatch([&left.path, &entered.path], error))?;
    let decay = decays[settings.fade as usize];
    let mut answer = CostAnswer {
        left: Some(left.facts()),
        entered: Some(entered.facts()),
        ..CostAnswer::default()
    };
    let svg = match (left.frame, entered.frame) {
        (Some(exit), Some(entry)) => {
            if drawn {
                return Err(
                    failure!("--plot draws what all jumps between two motions cost, and this is one jump")
                        .try_this("a motion without its frame, or no --plot")
                        .wrongly_called(),
                );
            }
            answer.pair = Some(pair(&transitions, left, [exit, entry], &decays));
            None
        }
        _ => {
            let (table, svg) = table(settings.top, &transitions, [left, entered], decay, most, drawn)?;
            answer.table = Some(table);
            svg
        }
    };
    Ok((answer, svg))
}

/// Returns spring, cubic and quintic decay with the settings of the flags, in this order.
fn decays(settings: &JumpSettings) -> Result<[Decay; 3]> {
    check_fade(settings.half_life, settings.blend)?;
    Ok(DecayKind::ALL.map(|kind| kind.lasting(settings.half_life, settings.blend)))
}

/// Errors: a fade is too short or too long.
pub fn check_fade(half_life: f64, blend: f64) -> Result<()> {
    for (flag, secs, usual) in [
        ("--half-life", half_life, DEFAULT_HALF_LIFE_SECS),
        ("--blend", blend, DEFAULT_FADE_SECS),
    ] {
        if !(0.001..=10.0).contains(&secs) {
            return Err(failure!("{flag} must be 0.001 to 10 seconds, found {secs:?}")
                .try_this(format!("{flag} {usual}"))
                .wrongly_called());
        }
    }
    Ok(())
}

/// A take or a loop, and the selected frame of it, if any.
pub struct Side {
    path: PathBuf,
    motion: TransitionClip,
    frame: Option<usize>,
    /// The loop with its number of cycles, if it is one.
    clip: Option<(LoopClip, usize)>,
    joints: Vec<String>,
}

impl Side {
    fn read(named: &Path, reading: &TakeArgs) -> Result<Self> {
        let (path, frame) = motions::split(named);
        let read = ReadMotion::read(&path, reading)?;
        Self::new(path, read, frame.as_deref())
    }

    /// Creates a side from a motion, and from a frame of it if one is named. Errors: the motion has no such frame.
    pub fn new(path: PathBuf, read: ReadMotion, frame: Option<&str>) -> Result<Self> {
        let ReadMotion {
            motion,
            clip,
            joints,
            num_keys,
        } = read;
        let frame = frame
            .map(|words| motions::frame_of(&path, words, num_keys))
            .transpose()?;
        Ok(Self {
            // The closing key of a loop repeats its first sample.
            frame: frame.map(|frame| frame % motion.num_frames()),
            path,
            motion,
            clip,
            joints,
        })
    }

    fn facts(&self) -> CostSide {
        let frames = self.motion.num_frames();
        CostSide {
            file: self.path.display().to_string(),
            kind: if self.motion.repeats() { "loop" } else { "take" },
            frame: self.frame,
            frames,
            fps: 1.0 / self.motion.step_secs(),
            frame_time_secs: self.motion.step_secs(),
            period_secs: self.motion.repeats().then(|| frames as f64 * self.motion.step_secs()),
        }
    }
}

/// The cost of one jump, and its gaps in position and velocity, axis by axis.
fn pair(transitions: &Transitions, left: &Side, [exit, entry]: [usize; 2], decays: &[Decay; 3]) -> PairFacts {
    let gaps = transitions.gaps(exit, entry);
    let costs = decays.map(|decay| DecayCost {
        decay: decay.name(),
        decay_secs: decay.secs(),
        cost_metre_secs: transitions.cost(exit, entry, decay),
        feature_cost_metre_secs: transitions.feature_cost(exit, entry, decay),
    });
    let gaps = gaps.iter().map(|gap| GapFacts {
        part: match gap.of {
            GapOf::Joint(joint) => left.joints[joint].clone(),
            GapOf::RootVelocity => "(root's velocity)".to_owned(),
            GapOf::RootTurning => "(root's turning)".to_owned(),
        },
        is_joint: matches!(gap.of, GapOf::Joint(_)),
        weight: gap.weight,
        position_m: gap.position.to_array(),
        velocity_mps: gap.velocity.to_array(),
        costs_metre_secs: decays.map(|decay| gap.cost(decay)),
    });
    PairFacts {
        costs,
        gaps: gaps.collect(),
    }
}

/// Returns the `top` cheapest jumps between the selected frames, with their costs in a table of at most `most` frames a side; and its plot
/// where one is wanted.
fn table(
    top: usize,
    transitions: &Transitions,
    sides: [&Side; 2],
    decay: Decay,
    most: usize,
    drawn: bool,
) -> Result<(TableFacts, Option<String>)> {
    let [exits, entries] = sides.map(|side| match side.frame {
        Some(frame) => frame..frame + 1,
        None => 0..side.motion.num_frames(),
    });
    let best = transitions.best(exits.clone(), entries.clone(), decay, top);
    if best.is_empty() {
        return Err(Failure::nothing(format!(
            "no jump from \"{}\" into \"{}\"",
            sides[0].path.display(),
            sides[1].path.display()
        ))
        .because(NO_JUMP)
        .try_this("other frames; `loopwright inspect --json` lists the bad ones"));
    }
    let grid = transitions.grid(exits, entries, decay, most);
    let sorted = grid.sorted();
    let phase = matching_phase(sides);
    let [left_step, entered_step] = sides.map(|side| side.motion.step_secs());
    let svg = drawn.then(|| {
        // The plot shows both motions whole, whichever frames are selected.
        let all = [transitions.num_exits(), transitions.num_entries()];
        let names = sides.map(|side| files::stem(&side.path));
        loopwright_plots::transitions(&TransitionMap {
            names: [&names[0], &names[1]],
            step_secs: [left_step, entered_step],
            decay,
            grid: &transitions.grid(0..all[0], 0..all[1], decay, MAP),
            best_entries: &transitions.best_entries(0..all[0], 0..all[1], decay),
            best: &best,
            matching: phase.map(|phase| (all, phase)),
        })
    });
    let table = TableFacts {
        decay: decay.name(),
        decay_secs: decay.secs(),
        best: best
            .iter()
            .map(|crossing| CrossingFacts {
                exit_frame: crossing.exit,
                exit_secs: crossing.exit as f64 * left_step,
                entry_frame: crossing.entry,
                entry_secs: crossing.entry as f64 * entered_step,
                cost_metre_secs: crossing.cost,
                feature_cost_metre_secs: transitions.feature_cost(crossing.exit, crossing.entry, decay),
            })
            .collect(),
        median_metre_secs: sorted.get(sorted.len() / 2).copied(),
        largest_metre_secs: sorted.last().copied(),
        matching_phase: phase,
        costs_metre_secs: grid
            .exact
            .chunks(grid.entries.len().max(1))
            .map(<[f64]>::to_vec)
            .collect(),
        exit_frames: grid.exits,
        entry_frames: grid.entries,
    };
    Ok((table, svg))
}

/// The phase at which the second loop matches the start of the first; `None` unless both hold the same number of cycles.
fn matching_phase(sides: [&Side; 2]) -> Option<f64> {
    let [(left, cycles), (entered, other)] = [sides[0].clip.as_ref()?, sides[1].clip.as_ref()?];
    (cycles == other)
        .then(|| align(&[left.clone(), entered.clone()]))?
        .last()
        .copied()
}

/// One of the two motions of a jump.
#[in_schema]
struct CostSide {
    /// Its file.
    file: String,
    /// What it is.
    #[schemars(extend("enum" = ["take", "loop"]))]
    kind: &'static str,
    /// The frame that is left or entered; null for all.
    frame: Option<usize>,
    /// Frames of the take, samples of the loop.
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// Seconds from one frame to the next.
    frame_time_secs: f64,
    /// Length of a loop; null for a take.
    period_secs: Option<f64>,
}

/// What the jump costs under one decay.
#[in_schema]
struct DecayCost {
    /// How the offset of the jump fades.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    decay_secs: f64,
    /// Exact cost.
    cost_metre_secs: f64,
    /// The approximate cost, which never exceeds it.
    feature_cost_metre_secs: f64,
}

/// The gaps at a jump in one joint or in the root.
#[in_schema]
struct GapFacts {
    /// The joint's name, or which part of the root's motion it is, in brackets.
    part: String,
    /// Whether it is a joint.
    is_joint: bool,
    /// A factor on metres.
    weight: f64,
    /// Gap in position: left, up, ahead.
    position_m: [f64; 3],
    /// Gap in velocity, likewise.
    velocity_mps: [f64; 3],
    /// Its part of the costs, in their order.
    costs_metre_secs: [f64; 3],
}

/// A jump from one frame to another.
#[in_schema]
struct PairFacts {
    /// Under spring, cubic and quintic.
    costs: [DecayCost; 3],
    /// The gap, part by part.
    gaps: Vec<GapFacts>,
}

/// A good jump.
#[in_schema]
struct CrossingFacts {
    /// The frame that is left.
    exit_frame: usize,
    /// Its time.
    exit_secs: f64,
    /// The frame that is entered.
    entry_frame: usize,
    /// Its time.
    entry_secs: f64,
    /// Exact cost.
    cost_metre_secs: f64,
    /// The approximate cost, which never exceeds it.
    feature_cost_metre_secs: f64,
}

/// Jumps between many frames.
#[in_schema]
pub struct TableFacts {
    /// How the offset of the jump fades.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    decay_secs: f64,
    /// The best places to leave, or to enter where one frame is left; the cheapest first.
    best: Vec<CrossingFacts>,
    /// Median cost of the table.
    median_metre_secs: Option<f64>,
    /// Largest cost of the table.
    largest_metre_secs: Option<f64>,
    /// Phase, 0 to 1, of the loop entered at which it does what the one left does at its start; null unless both are loops of as many cycles.
    matching_phase: Option<f64>,
    /// Frames of the rows of the table; evenly chosen where there are many.
    exit_frames: Vec<usize>,
    /// Frames of its columns, likewise.
    entry_frames: Vec<usize>,
    /// Exact costs, a row for each exit.
    pub costs_metre_secs: Vec<Vec<f64>>,
}

/// The answer of `cost`.
#[in_schema]
#[derive(Default)]
pub struct CostAnswer {
    /// What is left; null among many motions.
    left: Option<CostSide>,
    /// What is entered; null among many motions.
    entered: Option<CostSide>,
    /// Null unless one frame of each is named.
    pair: Option<PairFacts>,
    /// Null where one frame of each is named, and among many motions.
    pub table: Option<TableFacts>,
    /// Jumps among many motions; null where two are compared.
    pub among: Option<among::JumpsFacts>,
}

/// The answer of `cost`.
fn human(answer: &CostAnswer) -> String {
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
        text += &among::jumps_among(among);
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
    let costs = pair.costs.iter().map(|cost| {
        [
            cost.decay.to_owned(),
            format!("{:.3}", cost.decay_secs),
            format!("{:.4}", cost.cost_metre_secs),
            format!("{:.4}", cost.feature_cost_metre_secs),
        ]
    });
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let gaps = pair.gaps.iter().map(|gap| {
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
        row
    });
    in_columns("fade | seconds | cost | approximate", costs)
        + &in_columns("part | weight | gap cm | gap m/s | spring | cubic | quintic", gaps)
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
    let best = (1_usize..).zip(&table.best).map(|(number, jump)| {
        [
            number.to_string(),
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
        ]
    });
    text + &in_columns(
        "# | leave frame | at s | enter frame | at s | cost | approximate | relative to the median",
        best,
    )
}
