//! `loopwright retarget`: puts a take or a loop onto the skeleton of another character, into the character's own file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopwright_core::Take;
use loopwright_formats::loop_file::facts::{Grade, TakeFacts};
use loopwright_formats::loop_file::{CarriedMotion, MotionPack};
use loopwright_formats::{AnimationChoice, Character, Format, LoadedTake, LoopFile, Sidecar, Source};
use loopwright_job::{AddedRoot, CharacterTarget, LoopOfLoops, Matched, StoredLoop, pack::NoPack, take_facts};

use super::each::{self, Manner};
use super::make_all;
use crate::args::{EngineArgs, RetargetArgs};
use crate::batch::{self, Wanted};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::report::{json, make as report, retarget::RetargetAnswer};
use crate::talk::{self, Progress};
use crate::{
    animations::{self, Excluded},
    failures, files, load, loop_output, memory, mirroring,
    recipe::TakeArgs,
    written_loop,
};

pub(crate) fn run(args: &RetargetArgs) -> Result<Ending, Failure> {
    let target = || load::character(&args.rig, args.map.as_deref(), args.bone_stretch).map(Arc::new);
    if args.into_one {
        return into_one(args, &target()?);
    }
    if let ([input], false) = (&args.inputs[..], batch::are_many(&args.inputs)) {
        files::check_is_there(input)?;
        let (input, reading) = animations::named(input, &args.reading);
        let output = each::output_of(&input, &args.output, &extension(args))?;
        let args = RetargetArgs {
            input,
            output,
            reading,
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
    let own = || files::extension_for_motion(&args.rig).unwrap_or_else(|| "glb".to_owned());
    let engine = args.engine.engine().extension(&args.rig);
    args.to
        .map(Format::extension)
        .or(engine)
        .map_or_else(own, str::to_owned)
}

fn one(args: &RetargetArgs, target: &Arc<CharacterTarget>) -> Result<Ending, Failure> {
    let Moved {
        take,
        sidecar,
        outputs,
        ending,
    } = moved(&Options::new(args, target))?;
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
    /// The map that was read: it is not written over.
    pub(super) map: Option<&'a Path>,
    pub(super) save_map: Option<&'a Path>,
    /// Pairs of joints by which left and right of the motion are exchanged first; none goes by their names.
    pub(super) mirror: Option<&'a [String]>,
    pub(super) reading: &'a TakeArgs,
    pub(super) engine: &'a EngineArgs,
    pub(super) force: bool,
}

impl<'a> Options<'a> {
    fn new(args: &'a RetargetArgs, target: &'a Arc<CharacterTarget>) -> Self {
        Self {
            input: &args.input,
            output: &args.output,
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
    if let Some(map) = options.map {
        outputs.protect_as("map", map);
    }
    for path in [Some(options.output), options.save_map].into_iter().flatten() {
        outputs.check(path)?;
    }
    let is_loop = written_loop::read_sidecar(options.input, options.reading)?.is_some();
    let source = options.target.form(format, options.engine.engine());
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
    loop_output::add_file(&mut outputs, &mut file, options.output)?;
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
        let matched = (self.options.target).matched(file, &self.options.reading.overrides());
        let matched = matched.map_err(|error| failures::study(self.options.input, error))?;
        talk::warn_all(matched.warnings());
        if let Some(path) = self.options.save_map {
            outputs.add(path, matched.map_text()?.as_bytes())?;
        }
        Ok(matched)
    }

    /// The take on the character, and what was read.
    fn carried_take(&self, outputs: &mut Outputs) -> Result<(Take, TakeFacts), Failure> {
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
        let (take, matched) = self.carried(&file, outputs)?;
        let read = TakeFacts {
            rig: Some(matched.facts()),
            ..take_facts(&args.input.display().to_string(), &file)
        };
        Ok((take, read))
    }

    /// A take that was read on the character, and how their joints match.
    fn carried(&self, file: &LoadedTake, outputs: &mut Outputs) -> Result<(Take, Matched), Failure> {
        let matched = self.matched(file, outputs)?;
        let take = matched.held_take(&file.take).map_err(Failure::error)?;
        Ok(match self.options.engine.recenters() {
            true => (take.recentered(self.character.rig.body()), matched),
            false => (take, matched),
        })
    }

    fn retarget_take(&self, source: &Source, outputs: &mut Outputs) -> Result<TakeFacts, Failure> {
        let (take, read) = self.carried_take(outputs)?;
        let written = loopwright_formats::write_take(&take, source).map_err(Failure::error)?;
        talk::warn_all(&written.warnings);
        outputs.add(self.options.output, &written.bytes)?;
        Ok(read)
    }

    /// The loop as it is stored, mirrored where that is asked for, and how its joints match those of the character.
    fn stored_loop(&self, outputs: &mut Outputs) -> Result<(StoredLoop, Matched), Failure> {
        let args = self.options;
        let mut stored = written_loop::read_playable(args.input, args.reading, AddedRoot::Folded)?;
        if let Some(pairs) = args.mirror {
            let mirrored = stored.mirrored(pairs, &args.reading.overrides());
            let (image, mirror) = mirrored.map_err(|error| written_loop::unusable(args.input, error))?;
            mirroring::warn(&mirror);
            stored = image;
        }
        let matched = self.matched(&stored.file, outputs)?;
        Ok((stored, matched))
    }

    /// The loop on the character, ready to be written.
    fn loop_onto(&self, stored: StoredLoop, matched: &Matched, source: &Source) -> Result<LoopOfLoops, Failure> {
        let engine = self.options.engine;
        let onto = stored.onto(matched, engine.target, engine.recenters(), source);
        onto.map_err(|error| written_loop::unusable(self.options.input, error))
    }

    /// What was read, and the loop on the character.
    fn retarget_loop(&self, source: &Source, outputs: &mut Outputs) -> Result<(TakeFacts, LoopFile), Failure> {
        let (stored, matched) = self.stored_loop(outputs)?;
        let read = TakeFacts {
            rig: Some(matched.facts()),
            ..stored.facts.clone()
        };
        let written = self.loop_onto(stored, &matched, source)?.write(source);
        let file = written.map_err(|error| written_loop::unusable(self.options.input, error.into()))?;
        talk::warn_all(&file.sidecar.warnings);
        Ok((read, file))
    }
}

/// A motion of a file: a loop with a sidecar, or a take.
struct Motion {
    path: PathBuf,
    animation: Option<String>,
}

impl Motion {
    /// The motions of a file: its loops, or where it has no sidecar all its animations, or those that are asked for.
    fn all_of(path: &Path, reading: &TakeArgs) -> Result<Vec<Self>, Failure> {
        let of = |animation: Option<String>| Self {
            path: path.to_owned(),
            animation,
        };
        if written_loop::has_sidecar(path) {
            let loops = written_loop::several_loops(path, reading, Excluded::NONE)?;
            return Ok(match loops.is_empty() {
                true => vec![of(reading.animation.clone())],
                false => loops.into_iter().map(Some).map(of).collect(),
            });
        }
        let file = load::open(path)?;
        let numbers = animations::asked_for(path, &file, reading.animation.as_deref(), Excluded::NONE)?;
        let name = |number: usize| (file.num_animations() > 1).then(|| file.animation_names()[number].clone());
        Ok(numbers.into_iter().map(|number| of(name(number))).collect())
    }
}

/// Puts all motions onto the character, as animations in one copy of its file.
fn into_one(args: &RetargetArgs, target: &Arc<CharacterTarget>) -> Result<Ending, Failure> {
    if output::is_named_as_folder(&args.output) {
        return Err(Failure::error(format!(
            "\"{}\" is a folder, and one file is to be written",
            args.output.display()
        ))
        .try_this("the name of a file, or no --into-one"));
    }
    let format = output::format_of(&args.output)?;
    let character = &target.character.file;
    if !character.source.keeps_all_in(format) {
        let own = character.source.formats();
        let failure = make_all::cannot_hold_them(&args.rig, NoPack::OtherKind { own });
        let own = Format::extensions(own, ".");
        return Err(failure.try_this(format!(
            "-o with a name that ends in {own}, or no --into-one for a file of each"
        )));
    }
    if !character.source.can_be_extended() {
        let failure = make_all::cannot_hold_them(&args.rig, NoPack::NotExtended);
        return Err(failure.try_this("no --into-one for a file of each, or a character as glTF or binary FBX"));
    }
    let source = target.form(format, args.engine.engine());
    let beside = output::sidecar_path(&args.output);
    let mut outputs = Outputs::new(args.force);
    outputs.protect_as("rig", &args.rig);
    let found = batch::find(&args.inputs, Wanted::All, None, Some(&args.rig));
    if let Some((_, failure)) = found.problems.into_iter().next() {
        return Err(failure);
    }
    for input in &found.files {
        outputs.protect(&files::split_animation(&input.path).0);
    }
    for path in [&args.output, &beside] {
        outputs.check(path)?;
    }
    let mut motions = Vec::new();
    for input in &found.files {
        let (path, reading) = animations::named(&input.path, &args.reading);
        motions.extend(Motion::all_of(&path, &reading)?);
    }
    let progress = Progress::new("motions", motions.len());
    let (mut carried, mut onto) = (Vec::new(), Vec::new());
    for Motion { path, animation } in &motions {
        let reading = TakeArgs {
            animation: animation.clone(),
            ..args.reading.clone()
        };
        let work = Work {
            options: &Options {
                input: path,
                output: &args.output,
                rig: &args.rig,
                target,
                map: None,
                save_map: None,
                mirror: None,
                reading: &reading,
                engine: &args.engine,
                force: args.force,
            },
            character: &target.character,
        };
        if written_loop::read_sidecar(path, &reading)?.is_some() {
            let (stored, matched) = work.stored_loop(&mut outputs)?;
            let each = work.loop_onto(stored, &matched, &source)?;
            carried.push(CarriedMotion::Loop(Box::new(each.derived.clone())));
            onto.push(Some(each));
        } else {
            carried.push(CarriedMotion::Take(work.carried_take(&mut outputs)?.0));
            onto.push(None);
        }
        progress.step();
    }
    progress.finish();
    let pack = MotionPack::write(&carried, &source).map_err(|error| Failure::error(error).of_file(&args.output))?;
    let of = args.rig.display().to_string();
    let sidecar = loop_output::add_pack(&mut outputs, pack, &onto, of, &args.output)?;
    outputs.commit()?;
    match args.json {
        true => output::print(&json::pack(&sidecar, None))?,
        false => output::print(&report::motions(&sidecar, motions.len()))?,
    }
    let pops = (sidecar.loops.iter()).any(|facts| facts.quality.grade == Some(Grade::Bad));
    Ok(if pops { Ending::Negative } else { Ending::Done })
}
