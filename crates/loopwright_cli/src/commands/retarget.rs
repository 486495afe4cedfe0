//! `loopwright retarget`: puts a take or a loop onto the skeleton of another character, into the character's own file.

use std::{path::Path, sync::Arc};

use loopwright_formats::{
    AnimationChoice, Character, Format, LoadedTake, LoopFile, Sidecar, Source, loop_file::facts::TakeFacts,
};
use loopwright_job::{AddedRoot, CharacterTarget, Matched, rig_of, take_facts};

use super::each::{self, Manner};
use crate::args::{EngineArgs, RetargetArgs};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::report::{json, make as report, retarget::RetargetAnswer};
use crate::{batch, failures, files, load, loop_output, memory, mirroring, recipe::TakeArgs, talk, written_loop};

pub(crate) fn run(args: &RetargetArgs) -> Result<Ending, Failure> {
    let target = || load::character(&args.rig, args.map.as_deref(), args.bone_stretch).map(Arc::new);
    if let ([input], false) = (&args.inputs[..], batch::are_many(&args.inputs)) {
        files::check_is_there(input)?;
        let output = each::output_of(input, &args.output, &extension(args))?;
        let args = RetargetArgs {
            input: input.clone(),
            output,
            ..args.clone()
        };
        return one(&args, &target()?);
    }
    let target = target()?;
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: Some(&args.rig),
        for_one: &[("--save-map", args.save_map.is_some())],
    };
    each::into_folder(
        &args.inputs,
        &args.output,
        |_| extension(args),
        manner,
        |input, output| {
            let args = RetargetArgs {
                input: input.to_owned(),
                output: output.to_owned(),
                ..args.clone()
            };
            let ending = one(&args, &target)?;
            // About a loop there is more to say, which is said.
            if !args.json && !written_loop::has_sidecar(output) {
                output::print(&format!("{}\n", output.display()))?;
            }
            Ok(ending)
        },
    )
}

/// The extension of outputs that are named after their inputs: motion goes into the file of the character.
fn extension(args: &RetargetArgs) -> String {
    let own = || files::extension(&args.rig).unwrap_or_else(|| "glb".to_owned());
    let engine = args.engine.engine().extension(&args.rig);
    args.to
        .map(Format::extension)
        .or(engine)
        .map_or_else(own, str::to_owned)
}

fn one(args: &RetargetArgs, target: &Arc<CharacterTarget>) -> Result<Ending, Failure> {
    let options = Options {
        input: &args.input,
        output: &args.output,
        rig: &args.rig,
        target,
        save_map: args.save_map.as_deref(),
        mirror: None,
        reading: &args.reading,
        engine: &args.engine,
        force: args.force,
    };
    let Moved {
        take,
        sidecar,
        outputs,
        ending,
    } = moved(&options)?;
    if args.json {
        let answer = RetargetAnswer {
            take,
            is_loop: sidecar.is_some(),
            quality: sidecar.map(|sidecar| sidecar.quality),
        };
        output::print(&json::document("retarget", answer, None, &outputs))?;
    } else if let Some(sidecar) = sidecar {
        output::print(&report::blend(&sidecar))?;
    }
    Ok(ending)
}

/// A motion and the character that takes it.
pub(super) struct Options<'a> {
    pub(super) input: &'a Path,
    pub(super) output: &'a Path,
    pub(super) rig: &'a Path,
    pub(super) target: &'a Arc<CharacterTarget>,
    pub(super) save_map: Option<&'a Path>,
    /// Pairs of joints by which left and right of the motion are exchanged first; none goes by their names.
    pub(super) mirror: Option<&'a [String]>,
    pub(super) reading: &'a TakeArgs,
    pub(super) engine: &'a EngineArgs,
    pub(super) force: bool,
}

/// What was written.
pub(super) struct Moved {
    /// The motion, and the rig that it is on.
    pub(super) take: TakeFacts,
    /// The facts of a loop.
    pub(super) sidecar: Option<Sidecar>,
    pub(super) outputs: Vec<String>,
    /// Negative for a loop whose seam shows.
    pub(super) ending: Ending,
}

/// Puts a motion onto a character and writes it; a loop with its sidecar.
pub(super) fn moved(options: &Options<'_>) -> Result<Moved, Failure> {
    let format = output::format_of(options.output)?;
    let mut outputs = Outputs::new(options.force);
    outputs.protect(options.input);
    outputs.protect_as("rig", options.rig);
    for path in [Some(options.output), options.save_map].into_iter().flatten() {
        outputs.check(path)?;
    }
    let is_loop = written_loop::read_sidecar(options.input, options.reading)?.is_some();
    let file = &options.target.character.file;
    let source = file.source.in_format(format, &file.take);
    let source = options.engine.engine().placed(source);
    let work = Work {
        options,
        character: &options.target.character,
    };
    if !is_loop {
        outputs.clear_sidecar(options.output)?;
        let take = work.retarget_take(&source, &mut outputs)?;
        return Ok(Moved {
            take,
            sidecar: None,
            outputs: outputs.commit()?,
            ending: Ending::Done,
        });
    }
    let beside = output::sidecar_path(options.output);
    outputs.protect(&output::sidecar_path(options.input));
    outputs.check(&beside)?;
    let (take, mut file) = work.retarget_loop(&source, &mut outputs)?;
    let bytes = file.bytes().into_owned();
    outputs.add(options.output, &bytes)?;
    file.sidecar.outputs = [options.output, &beside]
        .map(|path| path.display().to_string())
        .to_vec();
    file.sidecar.state_file(&bytes);
    outputs.add(&beside, file.sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    Ok(Moved {
        take,
        ending: loop_output::ending(&file),
        sidecar: Some(file.sidecar),
        outputs: outputs.commit()?,
    })
}

struct Work<'a> {
    options: &'a Options<'a>,
    character: &'a Character,
}

impl Work<'_> {
    /// Matches the joints of a motion, says what is unsure, and keeps the map where that is asked for.
    fn matched(&self, file: &LoadedTake, outputs: &mut Outputs) -> Result<Matched, Failure> {
        let from = rig_of(&file.take, &file.source, &self.options.reading.overrides()).map_err(failures::body)?;
        let matched = self.options.target.matched(from);
        let matched = matched.map_err(|error| failures::study(self.options.input, error))?;
        talk::warn_all(matched.warnings());
        if let Some(path) = self.options.save_map {
            outputs.add(path, matched.map_text()?.as_bytes())?;
        }
        Ok(matched)
    }

    fn retarget_take(&self, source: &Source, outputs: &mut Outputs) -> Result<TakeFacts, Failure> {
        let args = self.options;
        let mut warnings = Vec::new();
        let settings = args
            .reading
            .settings(args.reading.space(), AnimationChoice::Auto, memory::limits());
        let mut file = load::read_take(args.input, &settings, &mut warnings)?;
        talk::warn_all(&warnings);
        if let Some(pairs) = args.mirror {
            file.take = mirroring::mirrored(&file.take, pairs, args.reading)?.0;
        }
        let matched = self.matched(&file, outputs)?;
        let mut take = matched.held_take(&file.take).map_err(Failure::error)?;
        if args.engine.recenters() {
            take = take.recentered(self.character.rig.body());
        }
        let written = loopwright_formats::write_take(&take, source).map_err(Failure::error)?;
        talk::warn_all(&written.warnings);
        outputs.add(args.output, &written.bytes)?;
        Ok(TakeFacts {
            rig: Some(matched.facts()),
            ..take_facts(&args.input.display().to_string(), &file)
        })
    }

    /// What was read, and the loop on the character.
    fn retarget_loop(&self, source: &Source, outputs: &mut Outputs) -> Result<(TakeFacts, LoopFile), Failure> {
        let args = self.options;
        let unusable = |error| written_loop::unusable(args.input, error);
        let mut stored = written_loop::read_playable(args.input, args.reading, AddedRoot::Folded)?;
        if let Some(pairs) = args.mirror {
            let (image, mirror) = stored.mirrored(pairs, &args.reading.overrides()).map_err(unusable)?;
            mirroring::warn(&mirror);
            stored = image;
        }
        let matched = self.matched(&stored.file, outputs)?;
        let read = TakeFacts {
            rig: Some(matched.facts()),
            ..stored.facts.clone()
        };
        let rate_hz = 1.0 / stored.clip.step_secs();
        let engine = args.engine.engine();
        let file = stored.write_onto(&matched, engine, args.engine.recenters(), source);
        let mut file = file.map_err(unusable)?;
        let said = &mut file.sidecar;
        said.warnings = file.written.warnings.iter().map(ToString::to_string).collect();
        said.target = (args.engine.target).map(|engine| {
            let skeleton = self.character.file.take.skeleton();
            engine.facts(said, skeleton, rate_hz)
        });
        talk::warn_all(&said.warnings);
        Ok((read, file))
    }
}
