//! `loopwright blend`: mixes several loops into one.

use std::fmt::Display;

use loopwright_core::BodyOverrides;
use loopwright_formats::LoopFileError;
use loopwright_job::StoredLoop;
use loopwright_moves::blend::{BlendAxis, BlendError};
use loopwright_sets::{Blend, BlendRequest, MixError};

use super::play;
use crate::{
    args::BlendArgs,
    exit::{Ending, Failure, Result},
    load, loop_output, output,
    report::{json, make as report},
    talk, written_loop,
};

pub fn run(args: &BlendArgs) -> Result<Ending> {
    let (names, format, mut outputs) = play::of_loops(&args.files)?;
    outputs.check_loop(&args.files.output)?;
    outputs.protect_character(args.on.rig.as_deref(), args.on.map.as_deref());
    let target = load::character_of(&args.on, &args.files.reading)?;
    let mut file = blended(
        &written_loop::read_all_onto(&names, &args.files.reading, target.as_ref())?,
        &names,
        args,
    )?
    .write(format)
    .map_err(|error| match error {
        LoopFileError::Body(error) => error.into(),
        other => Failure::error(other),
    })?;
    talk::warn_all(&file.sidecar.warnings);
    loop_output::add_file(&mut outputs, &mut file, &args.files.output)?;
    outputs.commit()?;
    output::print(&if args.files.json {
        json::text(&file.sidecar)
    } else {
        report::blend(&file.sidecar)
    })?;
    Ok(loop_output::ending(&file))
}

/// Blends loops with these names, as the flags ask for it.
fn blended(loops: &[StoredLoop], names: &[impl Display], args: &BlendArgs) -> Result<Blend> {
    let request = BlendRequest {
        weights: args.weights.clone(),
        speed_mps: args.speed,
        turn_rate_dps: args.turn_rate,
        lock_feet: args.lock_feet,
        // The flags name joints of the loops, not of the character.
        overrides: match args.on.rig {
            Some(_) => BodyOverrides::default(),
            None => args.files.reading.overrides(),
        },
        target: args.files.engine.target,
        recenters: args.files.engine.recenters(),
    };
    Blend::new(loops, names.iter().map(ToString::to_string).collect(), &request).map_err(|error| unmixed(names, error))
}

/// Words why these loops cannot be mixed.
fn unmixed(names: &[impl Display], error: MixError) -> Failure {
    match error {
        MixError::Cycles { index, found, first } => failure!(
            "\"{}\" holds {found} cycles of its motion, \"{}\" {first}",
            names[index],
            names[0]
        )
        .try_this("`loopwright make --cycles N` with one N for all"),
        MixError::UnknownSpeed { index } => failure!("the speed of \"{}\" is not known", names[index])
            .try_this("--weights; or the loop made with --set output.root-speed=3.2, which states its speed in m/s"),
        MixError::Range { axis, value, low, high } => {
            let (flag, unit) = match axis {
                BlendAxis::Turn => ("--turn-rate", "degrees per second"),
                BlendAxis::Speed => ("--speed", "m/s"),
            };
            failure!("{flag} {value} is outside the range of the loops")
                .because(format!("the loops cover {low:.3} to {high:.3} {unit}"))
                .try_this("a value in that range, or one more loop that extends it")
                .wrongly_called()
        }
        MixError::Blend(error) => {
            let failure = failure!("cannot blend: {error}");
            match error {
                BlendError::Count { .. } | BlendError::Weight { .. } | BlendError::NoWeight => failure
                    .try_this(format!(
                        "--weights with {} numbers, such as --weights {}",
                        names.len(),
                        vec!["1"; names.len()].join(",")
                    ))
                    .wrongly_called(),
                _ => failure,
            }
        }
        MixError::Body(error) => error.into(),
        error => Failure::error(error),
    }
}
