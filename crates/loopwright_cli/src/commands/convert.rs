//! `loopwright convert`: reads a take or a loop and writes it again, in the same or another format.

use loopwright::{Analysis, Take};
use loopwright_formats::{AnimationChoice, Format, Sidecar, Target, Written, loop_file::facts::PlaybackFacts};

use crate::{
    args::ConvertArgs,
    exit::{Ending, Failure},
    files, load, mirroring,
    output::{self, Outputs},
    report::{convert::ConvertAnswer, json},
    talk, written_loop,
};

pub(crate) fn run(args: &ConvertArgs) -> Result<Ending, Failure> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.input);
    outputs.check(&args.output)?;
    let sidecar = written_loop::read_sidecar(&args.input, &args.reading)?;
    let beside = output::sidecar_path(&args.output);
    let space = (sidecar.as_ref()).map_or(args.reading.space(), |sidecar| {
        load::stated_space(&args.reading, sidecar)
    });
    let settings = match &sidecar {
        Some(sidecar) => written_loop::settings(&args.reading, space, Some(sidecar)),
        None => args.reading.settings(space, AnimationChoice::Auto),
    };
    let mut warnings = Vec::new();
    let file = load::read_take(&args.input, &settings, &mut warnings)?;
    for warning in &warnings {
        talk::warn(&warning.to_string());
    }
    let answer = ConvertAnswer {
        take: load::take_facts(&args.input, &file),
        is_loop: sidecar.is_some(),
        mirrored: args.mirror,
    };
    match sidecar {
        Some(_) => {
            outputs.spare(&output::sidecar_path(&args.input));
            outputs.check(&beside)?;
        }
        None => outputs.clear(&beside)?,
    }
    let take = if args.mirror {
        mirrored(args, &file.take)?
    } else {
        file.take
    };
    let engine = args.target.unwrap_or(Target::Generic);
    if let Some(complaint) = engine.complaint(format) {
        talk::warn(&complaint);
    }
    // From FBX to FBX nothing changes.
    let unchanged = file.source.as_fbx().filter(|_| format == Format::Fbx && !args.mirror);
    let source = match unchanged {
        Some(_) => file.source.clone(),
        None => engine.placed(file.source.in_format(format, &take)),
    };
    // From glTF to glTF nothing has to be resampled.
    let whole = source
        .as_gltf()
        .filter(|_| file.source.as_gltf().is_some() && !args.mirror);
    let written = match (whole, unchanged) {
        (Some(whole), _) => whole.repacked(&take).map_err(Failure::error)?,
        (None, Some(fbx)) => Written {
            bytes: files::read_bytes(&args.input)?,
            animation: Some(fbx.animation().to_owned()),
            warnings: Vec::new(),
        },
        (None, None) => loopwright_formats::write_take(&take, &source).map_err(Failure::error)?,
    };
    for warning in &written.warnings {
        talk::warn(&warning.to_string());
    }
    let sidecar = sidecar.map(|sidecar| {
        let sidecar = if args.mirror { sidecar.mirrored() } else { sidecar };
        let playback = PlaybackFacts {
            animation: written.animation.clone(),
            ..sidecar.playback.clone()
        };
        let sidecar = Sidecar {
            playback: playback.in_space(source.space(), &sidecar.take),
            outputs: [args.output.as_path(), &beside]
                .map(|path| path.display().to_string())
                .to_vec(),
            ..sidecar
        };
        // The old file's importer settings may not fit the new one.
        let target = args.target.map(|engine| {
            let unrooted = take.without_root_joint().filter(|_| sidecar.playback.root_joint_added);
            let own = unrooted.as_ref().unwrap_or(&take);
            engine.facts(&sidecar, own.skeleton(), take.frame_rate_hz())
        });
        Sidecar { target, ..sidecar }
    });
    let with_facts = sidecar
        .as_ref()
        .and_then(|sidecar| loopwright_formats::with_facts(&written, sidecar));
    outputs.add(&args.output, with_facts.as_ref().unwrap_or(&written.bytes))?;
    if let Some(sidecar) = sidecar {
        outputs.add(&beside, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    }
    let outputs = outputs.commit()?;
    if args.json {
        output::print(&json::document("convert", answer, None, &outputs))?;
    }
    Ok(Ending::Done)
}

/// The mirror image of the take across the world's X.
fn mirrored(args: &ConvertArgs, take: &Take) -> Result<Take, Failure> {
    let pairs = mirroring::pairs_of(args.mirror_map.as_deref())?;
    let analysis = Analysis::with(take, &args.reading.overrides()).map_err(load::body_failure)?;
    Ok(mirroring::mirror(&analysis, &pairs)?.take(take))
}
