//! `loopwright synth`: writes a synthetic take and its ground truth.

use std::path::Path;

use loopwright_formats::{Format, Source, loop_file::facts::TakeFacts, read_robot};
use loopwright_synth::{ROBOT_MJCF, SynthError, SyntheticTake, WalkSettings, on_robot, synthesize};

use crate::{
    args::SynthArgs,
    exit::{Ending, Failure, Result},
    output::{self, Outputs},
};

/// Frames per second of robot motion whose rows state no rate.
const ROBOT_FPS: f64 = 30.0;

pub fn run(args: &SynthArgs) -> Result<Ending> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    let mut take = synthesize(&settings(args)).map_err(|error| {
        let failure = match &error {
            SynthError::OutOfRange {
                setting,
                min,
                max,
                found,
            } => failure!("{} must lie between {min} and {max}, found {found}", flag_of(setting)),
            _ => Failure::error(&error),
        };
        failure.try_this("settings nearer to a walk, such as --speed 1.3 --period 1.15")
    })?;
    if args.robot.is_some() {
        take.take = on_robot(&take, &read_robot(ROBOT_MJCF.as_bytes())?)?;
    }
    add(&mut outputs, &args.output, &take, format)?;
    if let Some(robot) = &args.robot {
        outputs.add(robot, ROBOT_MJCF.as_bytes())?;
    }
    let outputs = outputs.commit()?;
    let answer = SynthAnswer::new(
        args.output.display().to_string(),
        &take,
        &Source::for_take(&take.take, format),
    );
    output::answer("synth", &answer, None, &outputs, args.json, |_| {
        outputs.iter().map(|file| format!("{file}\n")).collect()
    })
}

/// Writes a synthetic take and its ground truth to temporary files.
pub fn add(outputs: &mut Outputs, path: &Path, synthetic: &SyntheticTake, format: Format) -> Result<()> {
    let written = loopwright_formats::write_take(&synthetic.take, &Source::for_take(&synthetic.take, format))?;
    outputs.add(path, &written.bytes)?;
    outputs.clear_sidecar(path)?;
    let mut truth = serde_json::to_string_pretty(&synthetic.truth)?;
    truth.push('\n');
    outputs.add(&path.with_added_extension("truth.json"), truth.as_bytes())
}

fn settings(args: &SynthArgs) -> WalkSettings {
    let default = WalkSettings::default();
    WalkSettings {
        seed: args.seed,
        seconds: args.seconds.unwrap_or(default.seconds),
        frame_rate_hz: args.fps.unwrap_or(if args.robot.is_some() {
            ROBOT_FPS
        } else {
            default.frame_rate_hz
        }),
        period_secs: args.period.unwrap_or(default.period_secs),
        speed_mps: args.speed.unwrap_or(default.speed_mps),
        turn_dps: args.turn.unwrap_or(default.turn_dps),
        climb_mps: args.climb.unwrap_or(default.climb_mps),
        drift: args.drift.unwrap_or(default.drift),
        torso_rise_metres: args.rise.unwrap_or(default.torso_rise_metres),
        speed_variation: args.variation.unwrap_or(default.speed_variation),
        noise_deg: args.noise.unwrap_or(default.noise_deg),
        lead_in_secs: args.lead_in.unwrap_or(default.lead_in_secs),
        t_pose_first_frame: args.t_pose,
        ..default
    }
}

/// Returns the flag that sets a field of the settings.
fn flag_of(setting: &str) -> &str {
    match setting {
        "seconds" => "--seconds",
        "frame_rate_hz" => "--fps",
        "period_secs" => "--period",
        "speed_mps" => "--speed",
        "turn_dps" => "--turn-rate",
        "climb_mps" => "--climb",
        "drift" => "--drift",
        "torso_rise_metres" => "--rise",
        "speed_variation" => "--variation",
        "noise_deg" => "--noise",
        "lead_in_secs" => "--lead-in",
        other => other,
    }
}

/// Parameters of a synthetic walk; the file of its ground truth has the rest.
#[in_schema]
pub struct TruthFacts {
    /// Seconds of one cycle.
    period_secs: f64,
    /// Speed over the ground.
    speed_mps: f64,
    /// Rate of turn, left positive.
    turn_rate_dps: f64,
    /// Rate of climb.
    climb_mps: f64,
}

impl TruthFacts {
    pub fn new(synthetic: &SyntheticTake) -> Self {
        let truth = &synthetic.truth;
        Self {
            period_secs: truth.period_secs,
            speed_mps: truth.settings.speed_mps,
            turn_rate_dps: truth.settings.turn_dps,
            climb_mps: truth.settings.climb_mps,
        }
    }

    /// Words the parameters in one line.
    pub fn human(&self) -> String {
        format!(
            "truth: period {:.4} s, {:.3} m/s, turning {:+.2} deg/s\n",
            self.period_secs, self.speed_mps, self.turn_rate_dps
        )
    }
}

/// The answer of `synth`.
#[in_schema]
pub struct SynthAnswer {
    /// The take that was written.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// What it was made with.
    truth: TruthFacts,
}

impl SynthAnswer {
    /// Returns the answer for a take that was written to this file, in this format.
    pub fn new(file: String, synthetic: &SyntheticTake, source: &Source) -> Self {
        Self {
            take: TakeFacts::new(file, &synthetic.take, source.space()),
            truth: TruthFacts::new(synthetic),
        }
    }
}
