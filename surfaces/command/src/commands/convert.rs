//! `loopwright convert`: reads a take or a loop and writes it again, in the same or another format.

use std::{path::Path, sync::Arc};

use loopwright_core::{LoopClip, Take, analysis::Body, math::Rigid, retarget::Rig, root_motion};
use loopwright_formats::{
    AnimationChoice, ClosingKey, FileWarning, Format, LoadedTake, LoopInFile, LoopWriteSettings, ReadSettings, Sidecar,
    Source, WrittenFile,
    loop_file::{
        describe,
        facts::{PlaybackFacts, RecenteredFacts, RootMotionFacts, TakeFacts},
    },
};
use loopwright_job::{CharacterTarget, recipe::ReferencePose};

use super::{
    each::{self, Manner},
    retarget::{self, Moved, Options},
};
use crate::{
    animations::{self, Excluded},
    args::ConvertArgs,
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    load, loop_output, memory, mirroring,
    output::{self, Outputs},
    recipe::{Recenter, RecipeError},
    report::json,
    talk, written_loop,
};

pub fn run(args: &ConvertArgs) -> Result<Ending> {
    let mut args = args.clone();
    args.output = args.names.pop().unwrap_or_default();
    args.inputs = core::mem::take(&mut args.names);
    if args.inputs.is_empty() {
        return Err(failure!("no output is named for \"{}\"", args.output.display())
            .because("the last name is that of the file to write, or of a folder for several")
            .try_this(format!("`loopwright convert {} OUT.glb`", args.output.display())));
    }
    let args = &args;
    let target = load::character_of(&args.on, &args.reading)?;
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: args.on.rig.as_deref(),
        for_one: &[],
    };
    let extension = |input: &Path| extension(args, input);
    let convert = |input: InputFile, number: Option<usize>, output: &Path, is_one_of_many: bool| {
        one(
            &ConvertArgs {
                input,
                number,
                output: output.to_owned(),
                ..args.clone()
            },
            target.as_ref(),
            is_one_of_many,
        )
    };
    if args.split {
        return each::animations_into_folder(
            &args.inputs,
            &args.output,
            extension,
            manner,
            |path: &Path| {
                let file = files::read_animated(path)?;
                let numbers = animations::asked_for(path, &file, args.reading.animation.as_deref(), Excluded::NONE)?;
                let named = |number: usize| Some((number, file.animation_names()[number].clone()));
                Ok(numbers.into_iter().map(named).collect())
            },
            |input, animation, output| {
                let (number, name) = animation.cloned().unzip();
                convert(InputFile::new(input.to_owned(), name), number, output, true)
            },
        );
    }
    each::output(
        &args.inputs,
        &args.output,
        extension,
        manner,
        |input, output, is_one_of_many| convert(input, None, output, is_one_of_many),
    )
}

/// Returns the extension of an output that is named after its input.
fn extension(args: &ConvertArgs, input: &Path) -> String {
    let input = args.on.rig.as_deref().unwrap_or(input);
    match args.to {
        Some(format) => format.extension().to_owned(),
        None => loop_output::extension_for_motion(input, Some(args.engine.engine())).unwrap_or_default(),
    }
}

/// Converts one file, or one animation of it.
fn one(args: &ConvertArgs, target: Option<&Arc<CharacterTarget>>, is_one_of_many: bool) -> Result<Ending> {
    let moved = match target.zip(args.on.rig.as_deref()) {
        Some((target, rig)) => on_character(args, target, rig)?,
        None => on_its_own(args)?,
    };
    if args.json {
        output::print(&json::document(
            "convert",
            ConvertAnswer {
                take: moved.take,
                is_loop: moved.sidecar.is_some(),
                mirrored: args.mirror,
            },
            None,
            &moved.outputs,
        ))?;
    } else if is_one_of_many {
        output::print(&format!("{}\n", args.output.display()))?;
    }
    Ok(moved.ending)
}

/// Writes the take or the loop on its own skeleton.
fn on_its_own(args: &ConvertArgs) -> Result<Moved> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    outputs.protect(&args.input.path);
    outputs.check(&args.output)?;
    let sidecar = match (args.number, &args.input.animation) {
        (Some(_), Some(name)) => written_loop::sidecar_named(&args.input, name)?,
        _ => written_loop::read_sidecar(&args.input, &args.reading)?,
    };
    let mut warnings = Vec::new();
    let mut file = read(args, sidecar.as_ref(), &mut warnings)?;
    if args.number.is_some() {
        file.source = file.source.with_animation(args.number)?;
    }
    talk::warn_all(&warnings);
    let take = file.facts(args.input.path.display().to_string());
    outputs.check_beside(args.input.sidecar_if(sidecar.is_some()), &args.output)?;
    Ok(Moved {
        take,
        sidecar: write(args, format, &file, sidecar, &mut outputs)?,
        outputs: outputs.commit()?,
        ending: Ending::Done,
    })
}

/// Writes a take or a loop that was read, mirrored if that is asked for, and reports what the format cannot hold.
fn write(
    args: &ConvertArgs,
    format: Format,
    file: &LoadedTake,
    sidecar: Option<Sidecar>,
    outputs: &mut Outputs,
) -> Result<Option<Sidecar>> {
    let (take, mirror) = if args.mirror {
        let (take, mirror) = mirroring::mirrored(
            &file.take,
            &mirroring::pairs_of(args.mirror_map.as_deref())?,
            &args.reading,
        )?;
        (take, Some(mirror))
    } else {
        (file.take.clone(), None)
    };
    let engine = args.engine.engine();
    let complaints = [
        engine.complaint(format),
        engine.rate_complaint(take.frame_rate_hz()),
        engine.length_complaint(&take),
    ];
    talk::warn_all(complaints.into_iter().flatten());
    let sidecar = sidecar.map(|sidecar| match &mirror {
        Some(mirror) => sidecar.mirrored(mirror, take.skeleton()),
        None => sidecar,
    });
    let work = Work {
        args,
        format,
        file,
        rig: stated_rig(args, format, file, &take)?,
        take,
    };
    if let Some(warning) = file.source.left_out_in(format) {
        talk::warn(&warning.to_string());
    }
    let (written, sidecar) = match sidecar {
        Some(sidecar) => work.convert_loop(sidecar)?,
        None => (work.convert_take()?, None),
    };
    talk::warn_all(&written.warnings);
    match sidecar {
        Some(sidecar) => loop_output::add_written(outputs, &written, sidecar, &args.output).map(Some),
        None => outputs.add(&args.output, &written.bytes).map(|()| None),
    }
}

/// Puts the take or the loop onto a character, into the character's own file.
fn on_character(args: &ConvertArgs, target: &Arc<CharacterTarget>, rig: &Path) -> Result<Moved> {
    let pairs = args
        .mirror
        .then(|| mirroring::pairs_of(args.mirror_map.as_deref()))
        .transpose()?;
    retarget::moved(&Options {
        input: &args.input,
        output: &args.output,
        rig,
        target,
        map: None,
        save_map: None,
        mirror: pairs.as_deref(),
        reading: &args.reading,
        engine: &args.engine,
        force: args.force,
    })
}

/// Reads the take or the loop; a file without animations gives its skeleton at rest.
fn read(args: &ConvertArgs, sidecar: Option<&Sidecar>, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake> {
    let (path, reading) = (&args.input.path, args.input.reading(&args.reading));
    let settings = match sidecar {
        Some(_) => written_loop::settings(&reading, sidecar),
        None => load::settings(&reading),
    };
    let settings = ReadSettings {
        animation: args.number.map_or(settings.animation, AnimationChoice::Number),
        ..settings
    };
    if sidecar.is_some() {
        return files::read_loop(path, &settings, sidecar, warnings);
    }
    let file = match args.number {
        Some(_) => files::kept_animated(path)?,
        None => files::read_animated(path)?.into(),
    };
    let read = match file.num_animations() {
        0 => file.read_rest(&settings, warnings),
        _ => file.read(&settings, warnings),
    };
    read.map_err(|error| files::cannot_read(path, &error))
}

/// A file that was read, and what to write of it.
struct Work<'a> {
    args: &'a ConvertArgs,
    format: Format,
    file: &'a LoadedTake,
    /// The take, mirrored if that is asked for.
    take: Take,
    /// Its rig, if it is compared with avatars in a stated pose.
    rig: Option<Rig>,
}

/// Returns the rig of a take that is compared with avatars in the pose that `--set take.reference` names. Errors: that setting has no
/// effect here.
fn stated_rig(args: &ConvertArgs, format: Format, file: &LoadedTake, take: &Take) -> Result<Option<Rig>, Failure> {
    let reading = &args.reading;
    let settings = [
        ("take.gaze", reading.gaze.is_some()),
        (
            "take.reference",
            ReferencePose::is_stated(reading.reference.as_ref()) && format != Format::Vrma,
        ),
    ];
    if let Some((name, _)) = settings.into_iter().find(|(_, is_stated)| *is_stated) {
        return Err(RecipeError::NoRig { name }.into());
    }
    if reading.reference.is_none() {
        return Ok(None);
    }
    let following = load::following(None, reading)?;
    let source = file.source.clone();
    let loaded = LoadedTake {
        take: take.clone(),
        source: if args.mirror { source.mirrored() } else { source },
        ..file.clone()
    };
    following
        .rig_of(&loaded, &reading.overrides())
        .map(Some)
        .map_err(|error| load::cannot_study(&args.input.path, error))
}

impl Work<'_> {
    /// Returns the form of the new file, for motion on the take's own skeleton.
    fn source(&self) -> Source {
        let source = match &self.rig {
            Some(rig) => self.file.source.for_avatars(&self.take, rig),
            None => self.file.source.in_format(self.format, &self.take),
        };
        let source = if self.args.mirror { source.mirrored() } else { source };
        self.args.engine.engine().placed(source)
    }

    /// Returns the file as it was read, with a root joint if the engine needs one; `None` if the motion has to be written anew.
    fn kept(&self, add_root: bool) -> Result<Option<WrittenFile>> {
        let own = &self.file.source;
        if self.args.mirror || !own.keeps_all_in(self.format) {
            return Ok(None);
        }
        let source = self.source();
        if source.can_be_extended() {
            return Ok(source.kept(&self.take, add_root).transpose()?);
        }
        // The file is copied unchanged unless the engine needs something else, such as the true unit.
        let is_as_needed = !add_root && (own.space().unit_given || !self.args.engine.engine().choices().is_engine);
        let is_whole = is_as_needed && self.args.number.is_none();
        let Some(animation) = own.animation_of_whole().filter(|_| is_whole) else {
            return Ok(None);
        };
        Ok(Some(WrittenFile {
            bytes: files::read_bytes(&self.args.input.path)?,
            animation: Some(animation.to_owned()),
            warnings: Vec::new(),
        }))
    }

    fn body(&self) -> Result<Body> {
        Ok(Body::find(&self.take, &self.args.reading.overrides())?)
    }

    /// Returns the file of a take: the whole file that was read if it can be kept, else the motion alone.
    fn convert_take(&self) -> Result<WrittenFile> {
        let engine = self.args.engine.engine();
        let adds_root = engine.choices().always_root_joint
            && engine.needs_root_joint(root_motion::root_joint_of(&self.take, &self.body()?).is_some());
        if let Some(kept) = self.kept(adds_root)? {
            if self.args.engine.recenter == Some(Recenter::On) {
                talk::warn(
                    "the file keeps all its animations where they are; --recenter on moves a take that is written \
                     in another format, and loops",
                );
            }
            return Ok(kept);
        }
        let take = if self.args.engine.recenters() {
            self.take.recentered(&self.body()?)
        } else {
            self.take.clone()
        };
        let source = self.source();
        if !adds_root {
            return Ok(loopwright_formats::write_take(&take, &source)?);
        }
        Ok(loopwright_formats::write_take_with_root(
            &take.below_root_joint(&loopwright_formats::added_root_name(take.skeleton())),
            &source,
        )?)
    }

    /// Returns the file of a loop and its new sidecar: with the keys unchanged, or written anew if the engine wants another root.
    fn convert_loop(&self, mut sidecar: Sidecar) -> Result<(WrittenFile, Option<Sidecar>)> {
        let (engine, take) = (self.args.engine.engine(), &self.take);
        let add_root = engine.needs_root_joint(sidecar.playback.has_root_joint());
        // The loop, if it has to be written anew.
        let mut clip = None;
        if self.args.engine.recenters() {
            clip = self.recentered(&mut sidecar)?;
        }
        if add_root && clip.is_none() {
            clip = Some(self.stored(&sidecar)?.1);
        }
        let source = self.source();
        let written = match clip {
            Some(clip) => {
                let name = sidecar
                    .playback
                    .animation
                    .clone()
                    .unwrap_or_else(|| clip.name().to_owned());
                let settings = LoopWriteSettings {
                    limits: memory::limits(),
                    closing_key: if sidecar.playback.closing_key {
                        ClosingKey::Repeat
                    } else {
                        ClosingKey::Drop
                    },
                    copies: sidecar.playback.copies,
                    add_root,
                    in_place: !sidecar.root_motion.mode.moves_root(),
                    ..LoopWriteSettings::default()
                };
                loopwright_formats::write_loop(&clip.named(name), &source.clone().without_animation()?, &settings)?
            }
            None => match self.kept(false)? {
                Some(kept) => kept,
                None => loopwright_formats::write_keys(take, &sidecar, &source)?,
            },
        };
        if add_root {
            sidecar.playback.root_joint_added = true;
            sidecar.playback.root_joint = topmost_joint(&self.args.output, &written)?;
        }
        let sidecar = stated(sidecar, &written, &source);
        // The old file's importer settings may not fit the new one.
        let target = self.args.engine.target.map(|engine| {
            // A root joint that is new in the file is not in the take; one that was added earlier is.
            let unrooted = take
                .without_root_joint()
                .filter(|_| !add_root && sidecar.playback.root_joint_added);
            engine.facts(
                &sidecar,
                unrooted.as_ref().unwrap_or(take).skeleton(),
                take.frame_rate_hz(),
            )
        });
        Ok((written, Some(Sidecar { target, ..sidecar })))
    }

    /// Returns the loop, and its place among the keys of the file. Errors: the loop and its sidecar do not belong together.
    fn stored(&self, sidecar: &Sidecar) -> Result<(LoopInFile, LoopClip)> {
        let path = &self.args.input.path;
        let in_file =
            LoopInFile::from_whole_file(sidecar, &self.take).map_err(|error| written_loop::apart(path, &error))?;
        let clip = in_file.clip(&self.take);
        Ok((in_file, clip.map_err(|error| written_loop::apart(path, &error))?))
    }

    /// Moves the loop to the origin, and records in the sidecar how; `None` if it is there already.
    fn recentered(&self, sidecar: &mut Sidecar) -> Result<Option<LoopClip>> {
        let (in_file, clip) = self.stored(sidecar)?;
        let before = *clip.root();
        let recentered = clip.recentered(&self.body()?, in_file.mode, in_file.space);
        let (motion, now) = (recentered.motion, recentered.clip.root());
        let moves = motion.translation.length() > UNMOVED_METRES || motion.rotation.xyz().length() > UNMOVED_RADIANS;
        if !moves {
            return Ok(None);
        }
        let facts = &mut sidecar.root_motion;
        let so_far = facts
            .recentered
            .as_ref()
            .map_or(Rigid::IDENTITY, RecenteredFacts::motion);
        if *now != before {
            let placed = describe::root_motion(now, facts.mode, facts.space);
            *facts = RootMotionFacts {
                basis: placed.basis,
                periodic_loop: placed.periodic_loop,
                start_position_m: placed.start_position_m,
                start_yaw_deg: placed.start_yaw_deg,
                start_rotation_xyzw: placed.start_rotation_xyzw,
                ..facts.clone()
            };
        }
        facts.recentered = Some(RecenteredFacts::new(motion * so_far));
        Ok(Some(recentered.clip))
    }
}

/// Updates the facts of a loop for the file and the form in which it was written.
pub fn stated(sidecar: Sidecar, written: &WrittenFile, source: &Source) -> Sidecar {
    let playback = PlaybackFacts {
        animation: written.animation.clone(),
        ..sidecar.playback.in_format(source.capabilities())
    };
    let stated = Sidecar {
        playback: playback.in_space(source.space(), &sidecar.take),
        ..sidecar
    };
    match source.carrier() {
        Some(carrier) => stated.carried_by(carrier),
        None => stated,
    }
}

/// A loop this near to the origin, metres and radians, is not moved.
const UNMOVED_METRES: f64 = 1e-6;
const UNMOVED_RADIANS: f64 = 1e-6;

/// Returns the name of the topmost joint of a file that was written.
fn topmost_joint(path: &Path, written: &WrittenFile) -> Result<Option<String>> {
    let animation = written.animation.as_deref();
    let take = files::parse(path, &written.bytes)?
        .read(
            &ReadSettings {
                animation: animation.map_or(AnimationChoice::Auto, AnimationChoice::Given),
                limits: memory::limits(),
                ..ReadSettings::default()
            },
            &mut Vec::new(),
        )
        .map_err(|error| files::cannot_read(path, &error))?
        .take;
    Ok(Some(take.skeleton().joint(0).name.clone()))
}

/// The answer of `convert`; there is none as text.
#[in_schema]
pub struct ConvertAnswer {
    /// The file that was read, as a take.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// Whether it is a loop with a sidecar, which was written as well.
    is_loop: bool,
    /// Whether left and right were exchanged.
    mirrored: bool,
}
