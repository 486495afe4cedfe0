//! `loopwright convert`: reads a take or a loop and writes it again.

use loopwright::{
    analysis::{body::Body, heading::Heading},
    take::Take,
};
use loopwright_formats::{ReadSettings, Sidecar, SpaceSettings};

use crate::{
    args::ConvertArgs,
    commands::make,
    exit::{Ending, Failure},
    load, mirroring,
    output::{self, Outputs},
    talk, written_loop,
};

pub(crate) fn run(args: &ConvertArgs) -> Result<Ending, Failure> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.input, &args.output)?;
    outputs.check(&args.output)?;
    // Without a mirror a sidecar says nothing of the new file that a copy of it would not.
    let sidecar = if args.mirror {
        written_loop::read_sidecar(&args.input)?
    } else {
        None
    };
    let beside = make::sidecar_path(&args.output);
    if sidecar.is_some() {
        outputs.spare(&make::sidecar_path(&args.input), &beside)?;
        outputs.check(&beside)?;
    }
    let space = SpaceSettings {
        up: args.reading.up,
        unit: args.reading.unit,
    };
    let space = (sidecar.as_ref()).map_or(space, |sidecar| load::stated_space(&args.reading, &sidecar.take));
    let mut warnings = Vec::new();
    let file = load::read_take(&args.input, &ReadSettings::in_space(space), &mut warnings)?;
    for warning in &warnings {
        talk::warn(&warning.to_string());
    }
    let take = if args.mirror {
        mirrored(args, &file.take)?
    } else {
        file.take
    };
    let written =
        loopwright_formats::write_take(&take, &file.source.in_format(format, &take)).map_err(Failure::error)?;
    for warning in &written.warnings {
        talk::warn(&warning.to_string());
    }
    outputs.add(&args.output, &written.bytes)?;
    if let Some(sidecar) = sidecar {
        let sidecar = Sidecar {
            outputs: [args.output.as_path(), &beside]
                .map(|path| path.display().to_string())
                .to_vec(),
            ..sidecar.mirrored()
        };
        outputs.add(&beside, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    }
    outputs.commit()?;
    Ok(Ending::Done)
}

/// The take in a mirror across the world's X.
fn mirrored(args: &ConvertArgs, take: &Take) -> Result<Take, Failure> {
    let pairs = match &args.mirror_map {
        Some(path) => mirroring::read_pairs(path)?,
        None => Vec::new(),
    };
    let body = Body::find(take, &load::overrides(&args.reading)).map_err(load::body_failure)?;
    let heading = Heading::of(&take.world_tracks(), &body, take.frame_time_secs());
    Ok(mirroring::mirror(take, &heading, &pairs)?.take(take))
}
