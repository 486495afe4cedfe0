//! The command line as typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use loopwright_formats::{UnitChoice, UpChoice};
use serde::{Deserialize, Serialize};

use crate::{
    exit::Failure,
    limits::Limits,
    mirroring,
    recipe::{
        ClosureRecipe, JointRecipe, Method, MotionChoice, OrderChoice, OutputRecipe, Recipe, StretchRecipe, TakeRecipe,
    },
    targets::Target,
};

/// How many loops `find` lists unless told otherwise; `make --pick` counts in the same list.
pub(crate) const DEFAULT_TOP: usize = 10;

/// Longest loop looked for unless told otherwise, seconds.
const DEFAULT_MAX_SECONDS: f64 = 10.0;

/// Turns motion-capture takes into loops.
///
/// Finds the stretches of a take that repeat, proves which seam is best, closes it so that pose, velocity and acceleration
/// meet exactly, and gives the root one constant twist.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done; 1 nothing found, or the verdict is negative; 2 anything else.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tells what a take holds: skeleton, rate, unit, soiled frames, joints that count, rhythm, stretches.
    Inspect(InspectArgs),
    /// Lists the loops in a take, the recommended one first.
    Find(FindArgs),
    /// Makes a loop from a take and writes it with a sidecar of figures.
    Make(MakeArgs),
    /// Closes frames of your own choice, with every setting at hand.
    Close(CloseArgs),
    /// Blends loops into one of a mean, or of a wanted, speed and turn.
    Blend(BlendArgs),
    /// Plays loops one after the other for as long as wanted, in an order drawn from a seed.
    Play(PlayArgs),
    /// Tells what it costs to leave one motion and enter another: frame to frame, or where best.
    Cost(CostArgs),
    /// Tells whether loops pop at the seam.
    Check(CheckArgs),
    /// Figures for a character controller: top speeds, and half-lives of starts, stops and turns.
    Fit(FitArgs),
    /// Draws a take or a loop: an animation, a contact sheet, or the seam's onion skin.
    Render(RenderArgs),
    /// Reads a take and writes it again.
    Convert(ConvertArgs),
    /// Writes a synthetic take of a walker, with its truth beside it.
    Synth(SynthArgs),
    /// Walks the whole road on the built-in take: take, loop, sidecar and a picture.
    Demo(DemoArgs),
}

/// How a take is read.
#[derive(Debug, Clone, Args)]
pub(crate) struct TakeArgs {
    /// Axis of the file that points up: x, y, z or auto.
    #[arg(long, value_name = "AXIS", default_value = "auto")]
    pub(crate) up: UpChoice,
    /// Length unit of the file: m, cm, mm, in, cmu (5.64 cm), a number of metres, or auto.
    #[arg(long, value_name = "UNIT", default_value = "auto")]
    pub(crate) unit: UnitChoice,
    /// Animation to read where a file holds several, by name or by number from 0; the longest that moves unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,
    /// Skin whose joints are read where a file holds several, by name or by number from 0; the one that moves most unless
    /// given.
    #[arg(long, value_name = "NAME")]
    pub(crate) skin: Option<String>,
    /// Joint to take for the hips.
    #[arg(long, value_name = "NAME")]
    pub(crate) hips: Option<String>,
    /// Joints to take for the feet (ankles), separated by commas.
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub(crate) feet: Vec<String>,
}

/// How a take is read and what is seen in it.
#[derive(Debug, Clone, Args)]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Take out what shakes faster than this, hertz, before anything else; nothing moves in time.
    #[arg(long, value_name = "HZ")]
    pub(crate) smooth: Option<f64>,
    /// How much joints of that name count when poses are compared: 'Head=0', '*Hand*=1'; may be repeated. `inspect` lists
    /// the weights.
    #[arg(long = "joints", value_name = "PATTERN=WEIGHT", value_parser = parse_weight)]
    pub(crate) weights: Vec<(String, f64)>,
    #[command(flatten)]
    pub(crate) contacts: ContactArgs,
}

/// When a foot counts as standing; told from its own motion unless given.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ContactArgs {
    /// A foot comes to stand below this speed, metres per second; a tenth of its fast speed unless given.
    #[arg(long, value_name = "S")]
    pub(crate) contact_speed: Option<f64>,
    /// A foot comes to stand below this height over its lowest place nearby, metres; 0.03 unless given.
    #[arg(long, value_name = "M")]
    pub(crate) contact_height: Option<f64>,
}

impl From<TakeArgs> for StudyArgs {
    fn from(reading: TakeArgs) -> Self {
        Self {
            reading,
            smooth: None,
            weights: Vec::new(),
            contacts: ContactArgs::default(),
        }
    }
}

/// Half a cycle and its mirror image.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MirrorArgs {
    /// Loops of half a cycle and its mirror image: perfectly symmetric, and half as much of the take is needed.
    #[arg(long)]
    pub(crate) symmetric: bool,
    /// Which joints are images of each other where names do not tell: a file with lines such as LeftArm = RightArm.
    #[arg(long, value_name = "FILE", requires = "symmetric")]
    pub(crate) mirror_map: Option<PathBuf>,
}

/// `PATTERN=WEIGHT`, read from its end: names of joints may hold equals signs.
pub(crate) fn parse_weight(text: &str) -> Result<(String, f64), String> {
    let wrong = || "must be PATTERN=WEIGHT, such as 'Head=0' or '*Hand*=1'".to_owned();
    let (pattern, weight) = text.rsplit_once('=').ok_or_else(wrong)?;
    let weight = weight.trim().parse().map_err(|_| wrong())?;
    if pattern.is_empty() {
        return Err(wrong());
    }
    Ok((pattern.to_owned(), weight))
}

/// Which loops to look for.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs {
    /// Number of fundamental periods the loop must span; as few as serve unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cycles: Option<u32>,
    /// Shortest loop, seconds.
    #[arg(long, value_name = "S", default_value_t = 0.4)]
    pub(crate) min_seconds: f64,
    /// Longest loop, seconds; 10, or --min-seconds where that is more, unless given.
    #[arg(long, value_name = "S")]
    max_seconds: Option<f64>,
    /// Look for loops in these frames of the take only, counted from 0.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub(crate) within: Option<(usize, usize)>,
    /// Speed over the ground that loops must have, metres per second; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub(crate) speed: Option<[f64; 2]>,
    /// Rate of turn that loops must have, degrees per second, left positive; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) turn_rate: Option<[f64; 2]>,
    /// Rate of climb that loops must have, metres per second; an end may be left out.
    #[arg(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) climb: Option<[f64; 2]>,
    /// Only loops that turn by less than 5 degrees per second.
    #[arg(long, conflicts_with_all = ["turning", "turn_rate"])]
    pub(crate) straight: bool,
    /// Only loops that turn to that side by 5 degrees per second or more.
    #[arg(long, value_enum, conflicts_with = "turn_rate")]
    pub(crate) turning: Option<SideChoice>,
    /// Only loops that all but stand.
    #[arg(long, conflicts_with_all = ["cycles", "speed", "straight", "turning"])]
    pub(crate) idle: bool,
    /// The best loop of every segment, in the order of time: each stretch that walks, runs, turns or stands.
    #[arg(long, conflicts_with = "idle")]
    pub(crate) per_segment: bool,
    /// How the offset of a jump fades, by which seams are priced.
    #[arg(long, value_enum, default_value_t = DecayChoice::Spring)]
    pub(crate) decay: DecayChoice,
    /// Half-life of that decay, seconds (for cubic and quintic a fourth of the blend time); longer ones weigh velocities more.
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    pub(crate) halflife: f64,
}

/// A side to turn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideChoice {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// How the offset of a jump fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecayChoice {
    /// A critically damped spring.
    Spring,
    /// A cubic blend.
    Cubic,
    /// A quintic blend.
    Quintic,
}

/// Whether feet are held where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LockChoice {
    /// Where their contacts can be trusted.
    #[default]
    Auto,
    /// Wherever they seem to stand, however far they slide.
    On,
    /// Not at all.
    Off,
}

/// What tells the speed of the root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpeedChoice {
    /// The feet where the take has been set in place or they slide less for it, else the poses.
    #[default]
    Auto,
    /// The feet: what stands does not move.
    Feet,
    /// The poses around both ends of the cut.
    Pose,
}

impl SearchArgs {
    /// Longest loop, seconds.
    pub(crate) fn max_seconds(&self) -> f64 {
        self.max_seconds.unwrap_or(DEFAULT_MAX_SECONDS.max(self.min_seconds))
    }
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Show when each foot stands, as bars over time.
    #[arg(long)]
    pub(crate) contacts: bool,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// How many distinct loops to list at most.
    #[arg(long, value_name = "K", default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub(crate) top: usize,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) mirror: MirrorArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What becomes of the travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RootChoice {
    /// One constant twist: straight, turning or climbing.
    Screw,
    /// Straight ahead at a constant velocity, for loops that turn by less than 5 degrees.
    Rabbit,
    /// No travel; the twist is reported only.
    InPlace,
    /// Travel stays on the joint that carried it.
    Keep,
    /// The root follows the smoothed path of the hips; --add-root shows it.
    Path,
    /// No travel at all: the body comes back to where it started.
    World,
}

/// Which motions count as travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpaceChoice {
    /// Turns about the up axis, ways over the ground, and climbs above 3 cm per cycle.
    Ground,
    /// Any motion, about any axis: props, and animals that roll or climb.
    Full,
}

/// Whether the last key repeats the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastKeyChoice {
    /// The last key equals the first, with the root carried on.
    Repeat,
    /// The last key is the last unique sample.
    Drop,
}

/// How the seam is closed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Closing the seam")]
pub(crate) struct ClosureArgs {
    /// How the seam is closed; quintic unless given.
    #[arg(long, value_enum, value_name = "METHOD")]
    closure: Option<Method>,
    /// Another method at the start.
    #[arg(long, value_enum, value_name = "METHOD")]
    closure_start: Option<Method>,
    /// Another method at the end.
    #[arg(long, value_enum, value_name = "METHOD")]
    closure_end: Option<Method>,
    /// Blend time at both ends, seconds; for spring the half-life (59.7% left after it), for softfade the time of the fade.
    #[arg(long, value_name = "SECONDS")]
    blend: Option<f64>,
    /// Another blend time at the start.
    #[arg(long, value_name = "SECONDS")]
    blend_start: Option<f64>,
    /// Another blend time at the end.
    #[arg(long, value_name = "SECONDS")]
    blend_end: Option<f64>,
    /// How sharply softfade bends, 0.5 or more; 16 unless given.
    #[arg(long, value_name = "K")]
    hardness: Option<f64>,
    /// Share of the gaps that the start takes, 0 to 1: of pose, velocity and acceleration, those left out as the one before.
    #[arg(long, value_name = "P[,V[,A]]", value_delimiter = ',', num_args = 1..=3)]
    share: Vec<f64>,
    /// How far the seam is closed; c2 where the method carries it.
    #[arg(long, value_enum)]
    order: Option<OrderChoice>,
    /// How velocities and accelerations at the seam are told; layered unless given.
    #[arg(long, value_enum)]
    motion: Option<MotionChoice>,
    /// Close joints of that name in another way, or leave them open: 'Hand*:spring:0.1', 'Prop:open'; may be repeated.
    #[arg(long = "joint", value_name = "PATTERN:METHOD[:SECONDS]")]
    joints: Vec<JointRecipe>,
}

/// What is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoopArgs {
    /// The client that will play the loop: sets what that needs and no other flag says (docs/formats/targets.md).
    #[arg(long = "for", value_enum, value_name = "CLIENT")]
    target: Option<Target>,
    /// What becomes of the travel; screw unless given.
    #[arg(long, value_enum)]
    root: Option<RootChoice>,
    /// Which motions count as travel; ground unless given.
    #[arg(long, value_enum)]
    root_space: Option<SpaceChoice>,
    /// How much --root path is smoothed: standard deviation of the weights, seconds; 0.25 unless given.
    #[arg(long, value_name = "SECONDS")]
    path_smoothing: Option<f64>,
    /// What tells the speed of the root; auto unless given.
    #[arg(long, value_enum)]
    root_speed: Option<SpeedChoice>,
    /// Whether feet are held where they stand; auto unless given.
    #[arg(long, value_enum)]
    lock_feet: Option<LockChoice>,
    /// With --root rabbit: take loops that turn by 5 degrees or more too, and close the turn like any gap.
    #[arg(long)]
    force_straight: bool,
    /// Insert a root joint that carries exactly the twist, where the take has none.
    #[arg(long)]
    add_root: bool,
    /// Frames per second of the loop; the take's own unless given.
    #[arg(long, value_name = "R", conflicts_with = "frames")]
    fps: Option<f64>,
    /// Unique frames of the loop; as many as the take has unless given.
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Copies of the loop, end to end, with the travel carried on; 1 unless given.
    #[arg(long, value_name = "N", value_parser = parse_count)]
    repeat: Option<usize>,
    /// Whether the last key repeats the first; repeat unless given.
    #[arg(long, value_enum)]
    last_key: Option<LastKeyChoice>,
}

/// Where everything goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct TargetArgs {
    /// The loop to write; `<stem>-loop.<extension>` in the current folder unless given, with the take's extension or one that
    /// the client of --for reads.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Settings from this file (TOML); flags count more.
    #[arg(long, value_name = "FILE")]
    pub(crate) recipe: Option<PathBuf>,
    /// Write what was done into this file, frames and all: it makes the same loop again.
    #[arg(long, value_name = "FILE")]
    pub(crate) save_recipe: Option<PathBuf>,
    /// Draw a plot of what closing did into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Which loop of `find`'s list to make, counted from 1.
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with = "range")]
    pub(crate) pick: Option<usize>,
    /// Close these source frames, counted from 0, instead of searching.
    #[arg(long, value_name = "START:END", value_parser = parse_cut, conflicts_with_all = ["cycles", "min_seconds", "max_seconds", "within", "speed", "turn_rate", "climb", "straight", "turning", "idle", "per_segment"])]
    pub(crate) range: Option<(f64, f64)>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) settings: LoopArgs,
    #[command(flatten)]
    pub(crate) mirror: MirrorArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    #[command(flatten)]
    pub(crate) closure: ClosureArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// The take (BVH, FBX, GLB or glTF).
    pub(crate) take: PathBuf,
    /// Source frames to close, counted from 0, fractional or whole: the pose at END meets the one at START.
    #[arg(long, value_name = "START:END", value_parser = parse_cut, required_unless_present = "recipe")]
    pub(crate) range: Option<(f64, f64)>,
    /// Cycles that the frames hold; as many as the rhythm says unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cycles: Option<u32>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) settings: LoopArgs,
    #[command(flatten)]
    pub(crate) mirror: MirrorArgs,
    #[command(flatten)]
    pub(crate) study: StudyArgs,
    #[command(flatten)]
    pub(crate) closure: ClosureArgs,
}

/// What flags of `make` and `close` ask for, as a recipe. Errors: the file of mirrored joints cannot be read.
pub(crate) fn recipe_of(
    study: &StudyArgs,
    mirror: &MirrorArgs,
    range: Option<(f64, f64)>,
    cycles: Option<u32>,
    closure: &ClosureArgs,
    settings: &LoopArgs,
) -> Result<Recipe, Failure> {
    Ok(Recipe {
        take: TakeRecipe {
            mirror: match &mirror.mirror_map {
                Some(path) => mirroring::read_pairs(path)?,
                None => Vec::new(),
            },
            ..TakeRecipe::of(study)
        },
        stretch: StretchRecipe {
            start: range.map(|(start, _)| start),
            end: range.map(|(_, end)| end),
            cycles,
            symmetric: mirror.symmetric.then_some(true),
        },
        closure: ClosureRecipe {
            method: closure.closure,
            method_start: closure.closure_start,
            method_end: closure.closure_end,
            blend: closure.blend,
            blend_start: closure.blend_start,
            blend_end: closure.blend_end,
            hardness: closure.hardness,
            share: closure.share.clone(),
            order: closure.order,
            motion: closure.motion,
        },
        joints: closure.joints.clone(),
        output: OutputRecipe {
            target: settings.target,
            root: settings.root,
            root_space: settings.root_space,
            path_smoothing: settings.path_smoothing,
            root_speed: settings.root_speed,
            lock_feet: settings.lock_feet,
            force_straight: settings.force_straight.then_some(true),
            add_root: settings.add_root.then_some(true),
            fps: settings.fps,
            frames: settings.frames,
            repeat: settings.repeat,
            last_key: settings.last_key,
        },
    })
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Loops (BVH, FBX, GLB or glTF); the sidecar beside each is read where there is one. A folder stands for the loops in
    /// it and below: files with a sidecar, or whose name ends in -loop.
    #[arg(required = true)]
    pub(crate) loops: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Limits from the table [check] of this file (TOML), instead of loopwright.toml in the current folder or the nearest
    /// above it; flags count more.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The take that the loops were made from, for the figures that need it.
    #[arg(long, value_name = "TAKE")]
    pub(crate) take: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A way of moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeChoice {
    /// It stays where it is.
    Idle,
    /// It walks ahead.
    Walk,
    /// It runs ahead.
    Run,
    /// It goes sideways.
    Strafe,
    /// It goes backwards.
    Back,
    /// It turns and stays where it is.
    TurnInPlace,
}

#[derive(Debug, Args)]
#[command(override_usage = "loopwright fit [OPTIONS] <TAKE>...\n       \
    loopwright fit --speed S (--acceleration A | --half-life H)\n       \
    loopwright fit --angle D (--turn-rate R | --half-life H)")]
pub(crate) struct FitArgs {
    /// Takes (BVH, FBX, GLB or glTF); a folder stands for all takes in it and below, without loops.
    #[arg(required_unless_present_any = ["speed", "angle", "half_life"], value_name = "TAKE")]
    pub(crate) takes: Vec<PathBuf>,
    /// The mode of the whole of every take; told from speed and direction unless given.
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeChoice>,
    /// How much velocity and facing are smoothed: standard deviation of the weights, seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = loopwright::controller_fit::SMOOTHING_SECS)]
    pub(crate) smoothing: f64,
    /// Write the block for a controller into this file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) toml: Option<PathBuf>,
    /// Draw a plot of it into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Top speed, metres per second: answer from numbers alone.
    #[arg(long, value_name = "S", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) speed: Option<f64>,
    /// Largest acceleration on the way from standing to that speed, metres per second squared.
    #[arg(long, value_name = "A", value_parser = parse_positive, requires = "speed", conflicts_with_all = ["takes", "half_life"], help_heading = "From numbers alone")]
    pub(crate) acceleration: Option<f64>,
    /// Angle turned by, degrees.
    #[arg(long, value_name = "D", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) angle: Option<f64>,
    /// Largest turn rate on the way over that angle, degrees per second.
    #[arg(long, value_name = "R", value_parser = parse_positive, requires = "angle", conflicts_with_all = ["takes", "half_life"], help_heading = "From numbers alone")]
    pub(crate) turn_rate: Option<f64>,
    /// Half-life, seconds (59.7% is left after it): tells the largest acceleration or turn rate instead.
    #[arg(long, value_name = "H", value_parser = parse_positive, conflicts_with = "takes", help_heading = "From numbers alone")]
    pub(crate) half_life: Option<f64>,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A number above zero that its formulas keep finite.
fn parse_positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (1e-9..=1e9).contains(&number) => Ok(number),
        _ => Err("must be a number from 1e-9 to 1e9".to_owned()),
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct BlendArgs {
    /// Loops (BVH, FBX, GLB or glTF) of one skeleton, each with its sidecar beside it; a folder stands for all loops in it,
    /// by name.
    #[arg(required = true, value_name = "LOOP")]
    pub(crate) loops: Vec<PathBuf>,
    /// Weights of the loops, in their order, separated by commas; equal ones unless given.
    #[arg(long, value_name = "W,W", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) weights: Vec<f64>,
    /// Speed over the ground of the blend, metres per second, between those of the loops; it finds the weights.
    #[arg(long, value_name = "S", conflicts_with = "weights")]
    pub(crate) speed: Option<f64>,
    /// Whether feet are held where they stand in the blend.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) lock_feet: LockChoice,
    /// Rate of turn of the blend, degrees per second, left positive, between those of the loops; it finds the weights.
    #[arg(long, value_name = "D", conflicts_with = "weights", allow_hyphen_values = true)]
    pub(crate) turn_rate: Option<f64>,
    /// The loop to write; its sidecar goes beside it.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PlayArgs {
    /// Loops (BVH, FBX, GLB or glTF) of one skeleton, each with its sidecar beside it; a folder stands for all loops in it,
    /// by name.
    #[arg(required = true, value_name = "LOOP")]
    pub(crate) loops: Vec<PathBuf>,
    /// How long to play, seconds.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub(crate) seconds: f64,
    /// Where the order comes from: the same seed plays the same again.
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) seed: u64,
    /// Fewest and most cycles for which a loop plays before the next.
    #[arg(long, value_name = "LOW:HIGH", default_value = "1:3", value_parser = parse_cycles)]
    pub(crate) cycles: [u32; 2],
    /// How the offset of a jump into the next loop fades.
    #[arg(long, value_enum, default_value_t = DecayChoice::Quintic)]
    pub(crate) fade: DecayChoice,
    /// How long it fades, seconds; 0.4 unless given, for spring the half-life, 0.1 unless given.
    #[arg(long, value_name = "S")]
    pub(crate) fade_seconds: Option<f64>,
    /// Frames per second of the motion; those of the first loop unless given.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// The motion to write.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// What is left: a take or a loop (BVH, FBX, GLB or glTF), or with :FRAME one frame of it, counted from 0. A file with a
    /// sidecar beside it is a loop.
    #[arg(value_name = "FILE[:FRAME]")]
    pub(crate) left: PathBuf,
    /// What is entered, likewise; of the same skeleton.
    #[arg(value_name = "FILE[:FRAME]")]
    pub(crate) entered: PathBuf,
    /// How the offset of a jump fades, where not all three are told.
    #[arg(long, value_enum, default_value_t = DecayChoice::Spring)]
    pub(crate) decay: DecayChoice,
    /// Half-life of the spring, seconds (59.7% left after it).
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    pub(crate) halflife: f64,
    /// Blend time of cubic and quintic, seconds.
    #[arg(long, value_name = "S", default_value_t = 0.4)]
    pub(crate) blend: f64,
    /// How many places to leave or to enter to list at most.
    #[arg(long, value_name = "K", default_value_t = DEFAULT_TOP, value_parser = parse_count)]
    pub(crate) top: usize,
    /// How much joints of that name count: 'Head=0', '*Hand*=1'; may be repeated. `inspect` lists the weights.
    #[arg(long = "joints", value_name = "PATTERN=WEIGHT", value_parser = parse_weight)]
    pub(crate) weights: Vec<(String, f64)>,
    /// Draw the costs into this file: .svg or .png.
    #[arg(long, value_name = "OUT")]
    pub(crate) plot: Option<PathBuf>,
    /// Overwrite an existing plot.
    #[arg(long, requires = "plot")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Side from which the body is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewChoice {
    /// From ahead, to the right and a little above.
    ThreeQuarter,
    /// From the right: the body moves from left to right.
    Side,
    /// From ahead.
    Front,
    /// From behind, a little above.
    Back,
    /// From above, heading upwards in the picture.
    Top,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// A take or a loop (BVH, FBX, GLB or glTF), or two to be seen side by side, such as a take and its loop.
    #[arg(required = true, num_args = 1..=2, value_name = "TAKE|LOOP")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The picture: .gif or .webp for an animation, .png for a contact sheet.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Side from which the body is seen; the camera moves along.
    #[arg(long, value_enum, default_value_t = ViewChoice::ThreeQuarter)]
    pub(crate) view: ViewChoice,
    /// Keep the camera where it is and show the whole way, so that travel and sliding feet are seen.
    #[arg(long)]
    pub(crate) fixed: bool,
    /// Pixels of a picture, or of a cell of a contact sheet; 512x512, for cells 256x256, unless given.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: Option<[u32; 2]>,
    /// Frames of a take to show, counted from 0; with --cycles or --onion they repeat as they are, jump and all.
    #[arg(long, value_name = "START:END", value_parser = parse_range)]
    pub(crate) range: Option<(usize, usize)>,
    /// Cycles of a loop to show.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) cycles: Option<u32>,
    /// Frames per second of an animation; the motion's own, at most 30, unless given.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// Frames from one cell of a contact sheet to the next; as many as give 24 cells unless given.
    #[arg(long, value_name = "K", value_parser = parse_count)]
    pub(crate) every: Option<usize>,
    /// Draw the seam instead: the last pose over the first, coloured by their distance, and the frames around both.
    #[arg(long, conflicts_with_all = ["every", "fps", "cycles"])]
    pub(crate) onion: bool,
    /// Overwrite an existing picture.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
    /// Print JSON with stable keys.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The take to read (BVH, FBX, GLB or glTF).
    pub(crate) input: PathBuf,
    /// The file to write; its name says which format: .bvh, .fbx, .glb or .gltf.
    pub(crate) output: PathBuf,
    /// The client that will read it: says so where it cannot, and writes BVH in the space it takes for granted.
    #[arg(long = "for", value_enum, value_name = "CLIENT")]
    pub(crate) target: Option<Target>,
    /// Exchange left and right, as in a mirror; of a loop its sidecar as well.
    #[arg(long)]
    pub(crate) mirror: bool,
    /// Which joints are images of each other where names do not tell: a file with lines such as LeftArm = RightArm.
    #[arg(long, value_name = "FILE", requires = "mirror")]
    pub(crate) mirror_map: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: TakeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder to write to, made where it is missing.
    #[arg(short, long, value_name = "FOLDER", default_value = "loopwright-demo")]
    pub(crate) output: PathBuf,
    /// Overwrite files of an earlier run.
    #[arg(long)]
    pub(crate) force: bool,
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count) if (1..=100_000).contains(&count) => Ok(count),
        _ => Err("must be a whole number from 1 to 100000".to_owned()),
    }
}

fn parse_bounds(text: &str) -> Result<[f64; 2], String> {
    let wrong =
        || "must be LOW:HIGH, two numbers in order of which one may be left out, such as 1.2:1.6 or 2:".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let end = |text: &str, open: f64| match text.trim() {
        "" => Some(open),
        number => number.parse::<f64>().ok().filter(|number| number.is_finite()),
    };
    match (end(low, f64::NEG_INFINITY), end(high, f64::INFINITY)) {
        (Some(low), Some(high)) if low <= high && !(low.is_infinite() && high.is_infinite()) => Ok([low, high]),
        _ => Err(wrong()),
    }
}

fn parse_cycles(text: &str) -> Result<[u32; 2], String> {
    let number = |part: &str| {
        part.trim()
            .parse::<u32>()
            .map_err(|_| format!("\"{part}\" is not a whole number"))
    };
    let (low, high) = text.split_once(':').unwrap_or((text, text));
    let cycles = [number(low)?, number(high)?];
    if (1..=cycles[1]).contains(&cycles[0]) {
        Ok(cycles)
    } else {
        Err("from 1 on, the fewest first, such as 1:3".to_owned())
    }
}

fn parse_cut(text: &str) -> Result<(f64, f64), String> {
    let wrong = || "must be START:END, two frames counted from 0, such as 120:185".to_owned();
    let (start, end) = text.split_once(':').ok_or_else(wrong)?;
    let frame = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|frame: &f64| frame.is_finite() && *frame >= 0.0)
    };
    frame(start).zip(frame(end)).ok_or_else(wrong)
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || "must be WxH, two whole numbers of pixels from 16 to 4096, such as 640x480".to_owned();
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    let size = [width, height].map(|side| side.trim().parse().ok().filter(|side| (16..=4096).contains(side)));
    match size {
        [Some(width), Some(height)] => Ok([width, height]),
        _ => Err(wrong()),
    }
}

fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "must be START:END, two whole frames counted from 0, such as 120:185".to_owned();
    let (start, end) = text.split_once(':').ok_or_else(wrong)?;
    let start = start.trim().parse().map_err(|_| wrong())?;
    let end = end.trim().parse().map_err(|_| wrong())?;
    Ok((start, end))
}

#[derive(Debug, Args)]
pub(crate) struct SynthArgs {
    /// The take to write (.bvh, .glb or .gltf); its truth goes to `<OUT>.truth.json`.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Where all randomness comes from; the same seed gives the same bytes.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// Length, seconds.
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Frames per second.
    #[arg(long, value_name = "R")]
    pub(crate) fps: Option<f64>,
    /// Seconds of one cycle, two steps.
    #[arg(long, value_name = "S")]
    pub(crate) period: Option<f64>,
    /// Forward speed, metres per second; 0 steps in place.
    #[arg(long, value_name = "MPS")]
    pub(crate) speed: Option<f64>,
    /// Turn rate, degrees per second, left positive.
    #[arg(long, value_name = "DPS", allow_negative_numbers = true)]
    pub(crate) turn: Option<f64>,
    /// Climb, metres per second.
    #[arg(long, value_name = "MPS", allow_negative_numbers = true)]
    pub(crate) climb: Option<f64>,
    /// Share by which stance and swing grow over the take.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) drift: Option<f64>,
    /// Metres by which the body rises over the take.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) rise: Option<f64>,
    /// Share by which rate and speed vary.
    #[arg(long, value_name = "SHARE")]
    pub(crate) variation: Option<f64>,
    /// Sensor noise, degrees.
    #[arg(long, value_name = "DEG")]
    pub(crate) noise: Option<f64>,
    /// Seconds of standing before the walk sets out.
    #[arg(long, value_name = "S")]
    pub(crate) lead_in: Option<f64>,
    /// Put a T-pose into the first frame, as many recordings have it.
    #[arg(long)]
    pub(crate) t_pose: bool,
    /// Overwrite existing files.
    #[arg(long)]
    pub(crate) force: bool,
}
