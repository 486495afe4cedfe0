//! `loopwright retarget`: puts a take or a loop onto the skeleton of another character, into the character's own file.

use std::{path::Path, sync::Arc};

use loopwright_core::Take;
use loopwright_formats::{
    Format, LoadedTake, Sidecar, Source,
    loop_file::{
        CarriedMotion, MotionPack,
        facts::{QualityFacts, TakeFacts},
    },
};
use loopwright_job::{AddedRoot, CharacterTarget, LoopOfLoops, StoredLoop, pack::NoPack};

use super::{
    each::{self, Manner},
    make_all,
};
use crate::{
    animations::{self, Excluded},
    args::{EngineArgs, RetargetArgs},
    batch::{self, Wanted},
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load, loop_output, mirroring,
    output::{self, Outputs},
    recipe::TakeArgs,
    report::{json, make as report},
    talk::{self, Progress},
    written_loop,
};

pub fn run(args: &RetargetArgs) -> Result<Ending> {
    let target = load::character(&args.rig, (args.map.as_deref(), args.bone_stretch), &args.reading)?;
    if args.into_one {
        return into_one(args, &target);
    }
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: Some(&args.rig),
        for_one: &[("--save-map", args.save_map.is_some())],
    };
    // The output is a copy of the character's file.
    let extension = |_: &Path| match args.to {
        Some(format) => format.extension().to_owned(),
        None => {
            loop_output::extension_for_motion(&args.rig, Some(args.engine.engine())).unwrap_or_else(|| "glb".to_owned())
        }
    };
    each::output(
        &args.inputs,
        &args.output,
        extension,
        manner,
        |input, output, is_one_of_many| {
            let Moved {
                take,
                sidecar,
                outputs,
                ending,
            } = moved(&Options::new(args, &input, output, &target))?;
            if args.json {
                let answer = RetargetAnswer {
                    take,
                    is_loop: sidecar.is_some(),
                    quality: sidecar.map(|sidecar| sidecar.quality),
                };
                output::print(&json::document("retarget", answer, None, &outputs))?;
            } else if let Some(sidecar) = sidecar {
                output::print(&report::blend(&sidecar))?;
            } else if is_one_of_many {
                output::print(&format!("{}\n", output.display()))?;
            }
            Ok(ending)
        },
    )
}

/// A motion and the character that takes it.
pub struct Options<'a> {
    pub input: &'a InputFile,
    pub output: &'a Path,
    pub rig: &'a Path,
    pub target: &'a Arc<CharacterTarget>,
    /// The map that was read; no output replaces it.
    pub map: Option<&'a Path>,
    pub save_map: Option<&'a Path>,
    /// Pairs of joints for mirroring the motion first; if the list is empty, joints are paired by their names. `None` does not mirror.
    pub mirror: Option<&'a [String]>,
    pub reading: &'a TakeArgs,
    pub engine: &'a EngineArgs,
    pub force: bool,
}

impl<'a> Options<'a> {
    fn new(args: &'a RetargetArgs, input: &'a InputFile, output: &'a Path, target: &'a Arc<CharacterTarget>) -> Self {
        Self {
            input,
            output,
            rig: &args.rig,
            target,
            map: args.map.as_deref(),
            save_map: args.save_map.as_deref(),
            mirror: None,
            reading: &args.reading,
            engine: &args.engine,
            force: args.force,
        }
    }
}

/// A motion that was written onto a character.
pub struct Moved {
    /// The facts of the motion, and of the rig that it is on.
    pub take: TakeFacts,
    /// The facts of a loop.
    pub sidecar: Option<Sidecar>,
    pub outputs: Vec<String>,
    /// Negative for a loop with a visible seam.
    pub ending: Ending,
}

/// Puts a motion onto a character and writes it, a loop with its sidecar.
pub fn moved(options: &Options) -> Result<Moved> {
    let format = output::format_of(options.output)?;
    let mut outputs = Outputs::new(options.force);
    outputs.protect(&options.input.path);
    outputs.protect_character(Some(options.rig), options.map);
    for path in [Some(options.output), options.save_map].into_iter().flatten() {
        outputs.check(path)?;
    }
    let sidecar = written_loop::read_sidecar(options.input, options.reading)?;
    let source = options.target.form(format, options.engine.engine());
    outputs.check_beside(options.input.sidecar_if(sidecar.is_some()), options.output)?;
    let (carried, take) = options.read_onto(sidecar, &source, &mut outputs)?;
    let (sidecar, ending) = match carried {
        OnCharacter::Take(take) => {
            let written = loopwright_formats::write_take(&take, &source)?;
            talk::warn_all(&written.warnings);
            outputs.add(options.output, &written.bytes)?;
            (None, Ending::Done)
        }
        OnCharacter::Loop(onto) => {
            let mut file = onto
                .write(&source)
                .map_err(|error| written_loop::unusable(&options.input.path, error.into()))?;
            talk::warn_all(&file.sidecar.warnings);
            loop_output::add_file(&mut outputs, &mut file, options.output)?;
            let ending = loop_output::ending(&file);
            (Some(file.sidecar), ending)
        }
    };
    Ok(Moved {
        take,
        sidecar,
        ending,
        outputs: outputs.commit()?,
    })
}

/// A motion from a file.
enum Read {
    Take(Box<LoadedTake>),
    Loop(Box<StoredLoop>),
}

/// A motion on the character.
enum OnCharacter {
    Take(Take),
    /// The loop, ready to be written.
    Loop(Box<LoopOfLoops>),
}

impl Options<'_> {
    /// Reads the motion, mirrored if that is asked for, and puts it onto the character: the loop that a sidecar describes, or the take.
    /// Also returns the facts of the motion that was read.
    fn read_onto(
        &self,
        sidecar: Option<Sidecar>,
        source: &Source,
        outputs: &mut Outputs,
    ) -> Result<(OnCharacter, TakeFacts)> {
        let read = match sidecar {
            Some(sidecar) => Read::Loop(Box::new(self.stored_loop(sidecar)?)),
            None => Read::Take(Box::new(self.take_file()?)),
        };
        let path = &self.input.path;
        let file: &LoadedTake = match &read {
            Read::Take(file) => file,
            Read::Loop(stored) => &stored.file,
        };
        let matched = load::matched(path, file, self.target, self.reading)?;
        talk::warn_all(matched.warnings());
        if let Some(path) = self.save_map {
            outputs.add(path, matched.map_text()?.as_bytes())?;
        }
        let engine = self.engine;
        let (carried, facts) = match read {
            Read::Loop(stored) => {
                let facts = stored.facts.clone();
                (
                    OnCharacter::Loop(Box::new(
                        stored
                            .onto(&matched, engine.target, engine.recenters(), source)
                            .map_err(|error| written_loop::unusable(path, error))?,
                    )),
                    facts,
                )
            }
            Read::Take(file) => {
                let mut take = matched.held_take(&file.take)?;
                if engine.recenters() {
                    take = take.recentered(self.target.character.rig.body());
                }
                (OnCharacter::Take(take), file.facts(path.display().to_string()))
            }
        };
        let rig = Some(matched.facts());
        Ok((carried, TakeFacts { rig, ..facts }))
    }

    /// Returns the take from its file, mirrored if that is asked for.
    fn take_file(&self) -> Result<LoadedTake> {
        let reading = self.input.reading(self.reading);
        let mut warnings = Vec::new();
        let mut file = files::read_take(&self.input.path, &load::settings(&reading), &mut warnings)?;
        talk::warn_all(&warnings);
        if let Some(pairs) = self.mirror {
            file.take = mirroring::mirrored(&file.take, pairs, self.reading)?.0;
        }
        Ok(file)
    }

    /// Returns the loop from its file, mirrored if that is asked for.
    fn stored_loop(&self, sidecar: Sidecar) -> Result<StoredLoop> {
        let stored = written_loop::read_described(self.input, sidecar, self.reading, AddedRoot::Folded)?;
        let Some(pairs) = self.mirror else { return Ok(stored) };
        let (image, mirror) = stored
            .mirrored(pairs, &self.reading.overrides())
            .map_err(|error| written_loop::unusable(&self.input.path, error))?;
        mirroring::warn(&mirror);
        Ok(image)
    }
}

/// Lists the motions of a file: its loops, or without a sidecar all its animations, or those that are asked for.
fn motions_of(input: &InputFile, flags: &TakeArgs) -> Result<Vec<InputFile>> {
    if input.sidecar.is_some() {
        return written_loop::loops_of(input, flags, Excluded::NONE);
    }
    let file = files::read_animated(&input.path)?;
    Ok(
        animations::asked_for(&input.path, &file, input.wanted(flags), Excluded::NONE)?
            .into_iter()
            .map(|number| match file.animation_names() {
                [_] => input.clone(),
                names => input.with_animation(names[number].clone()),
            })
            .collect(),
    )
}

/// Returns the format of one file for all motions. Errors: the output is a folder, or the character's file can hold no more animations.
fn format_of_one(args: &RetargetArgs, character: &Source) -> Result<Format> {
    if output::is_named_as_folder(&args.output) {
        return Err(failure!(
            "\"{}\" is a folder, and one file is to be written",
            args.output.display()
        )
        .try_this("the name of a file, or no --into-one"));
    }
    let format = output::format_of(&args.output)?;
    if !character.keeps_all_in(format) {
        let own = character.formats();
        let failure = make_all::cannot_hold_them(&args.rig, NoPack::OtherKind { own });
        let own = Format::extensions(own, ".");
        return Err(failure.try_this(format!(
            "-o with a name that ends in {own}, or no --into-one for a file of each"
        )));
    }
    if !character.can_be_extended() {
        let failure = make_all::cannot_hold_them(&args.rig, NoPack::NotExtended);
        return Err(failure.try_this("no --into-one for a file of each, or a character as glTF or binary FBX"));
    }
    Ok(format)
}

/// Puts all motions onto the character, as animations in one copy of its file.
fn into_one(args: &RetargetArgs, target: &Arc<CharacterTarget>) -> Result<Ending> {
    let source = target.form(
        format_of_one(args, &target.character.file.source)?,
        args.engine.engine(),
    );
    let mut outputs = Outputs::new(args.force);
    outputs.protect_character(Some(&args.rig), args.map.as_deref());
    let found = batch::find(&args.inputs, Wanted::All, None, Some(&args.rig));
    if let Some((_, failure)) = found.problems.into_iter().next() {
        return Err(failure);
    }
    for input in &found.files {
        outputs.protect(&input.path);
    }
    outputs.check_loop(&args.output)?;
    let mut motions = Vec::new();
    for input in &found.files {
        motions.extend(motions_of(&InputFile::named(&input.path), &args.reading)?);
    }
    let progress = Progress::new("motions", motions.len());
    let (mut carried, mut onto) = (Vec::new(), Vec::new());
    for input in &motions {
        let options = Options {
            save_map: None,
            ..Options::new(args, input, &args.output, target)
        };
        let sidecar = written_loop::read_sidecar(input, &args.reading)?;
        match options.read_onto(sidecar, &source, &mut outputs)?.0 {
            OnCharacter::Loop(each) => {
                carried.push(CarriedMotion::Loop(Box::new(each.derived.clone())));
                onto.push(Some(*each));
            }
            OnCharacter::Take(take) => {
                carried.push(CarriedMotion::Take(take));
                onto.push(None);
            }
        }
        progress.step();
    }
    progress.finish();
    let pack = MotionPack::write(&carried, &source).map_err(|error| Failure::error(error).of_file(&args.output))?;
    let of = args.rig.display().to_string();
    talk::warn_all(&pack.warnings);
    let (bytes, mut sidecar) =
        loopwright_job::judge_pack(pack, &onto, of).map_err(|error| failures::write(error).of_file(&args.output))?;
    sidecar.outputs = vec![args.output.display().to_string()];
    let mut beside = None;
    if !sidecar.loops.is_empty() {
        sidecar
            .outputs
            .push(args.output.with_added_extension(files::SIDECAR).display().to_string());
        beside = Some(sidecar.to_json()?);
    }
    outputs.add_with_sidecar(&args.output, &bytes, beside.as_deref())?;
    outputs.commit()?;
    output::print(&if args.json {
        json::pack(&sidecar, None)
    } else {
        report::motions(&sidecar, motions.len())
    })?;
    Ok(Ending::of_grades(sidecar.loops.iter().map(|facts| facts.quality.grade)))
}

/// The answer of `retarget`.
#[in_schema]
pub struct RetargetAnswer {
    /// The motion that was read, and the rig that it was carried over to.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// Whether it is a loop with a sidecar; one was then written for the rig as well.
    is_loop: bool,
    /// What was measured of the loop that was written; null for a take.
    #[schemars(with = "Option<crate::schema_words::Quality>")]
    quality: Option<QualityFacts>,
}
