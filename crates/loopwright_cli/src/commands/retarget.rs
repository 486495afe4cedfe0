//! `loopwright retarget`: puts a take or a loop onto the skeleton of another character, into the character's own file.

use std::path::Path;

use loopwright::{
    LoopClip,
    analysis::{Body, ContactLimits},
    feet::{self, FootLock},
    loop_clip::LoopKeys,
    pipeline::Recentered,
    quality,
};
use loopwright_formats::{
    AnimationChoice, Format, LoadedTake, LoopFile,
    loop_file::{
        RetargetOrigin, describe,
        facts::{FeetFacts, TakeFacts},
    },
};

use super::each::{self, Manner};
use crate::{
    args::RetargetArgs,
    batch,
    exit::{Ending, Failure},
    files, load, making, memory,
    output::{self, Outputs},
    report::{json, make as report, retarget::RetargetAnswer},
    rig::{self, Character, Matched},
    talk,
    written_loop::{self, AddedRoot, PlayableLoop},
};

pub(crate) fn run(args: &RetargetArgs) -> Result<Ending, Failure> {
    files::check_is_there(&args.rig)?;
    if let ([input], false) = (&args.inputs[..], batch::are_many(&args.inputs)) {
        files::check_is_there(input)?;
        let output = each::output_of(input, &args.output, &extension(args))?;
        return one(&RetargetArgs {
            input: input.clone(),
            output,
            ..args.clone()
        });
    }
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        for_one: &[("--save-map", args.save_map.is_some())],
    };
    each::into_folder(
        &args.inputs,
        (&args.output, &|_: &Path| extension(args)),
        manner,
        |input, output| {
            let ending = one(&RetargetArgs {
                input: input.to_owned(),
                output: output.to_owned(),
                ..args.clone()
            })?;
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

fn one(args: &RetargetArgs) -> Result<Ending, Failure> {
    let format = output::format_of(&args.output)?;
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.input);
    outputs.spare_as("rig", &args.rig);
    for path in core::iter::once(&args.output).chain(&args.save_map) {
        outputs.check(path)?;
    }
    let character = load::character(&args.rig)?;
    let is_loop = written_loop::read_sidecar(&args.input, &args.reading)?.is_some();
    let work = Work { args, character };
    let source = work.character.file.source.in_format(format, &work.character.file.take);
    let source = args.engine.engine().placed(source);
    let sidecar = if is_loop {
        let beside = output::sidecar_path(&args.output);
        outputs.spare(&output::sidecar_path(&args.input));
        outputs.check(&beside)?;
        let mut file = work.retarget_loop(&source, &mut outputs)?;
        let bytes = file.bytes().into_owned();
        outputs.add(&args.output, &bytes)?;
        file.sidecar.outputs = [&args.output, &beside].map(|path| path.display().to_string()).to_vec();
        file.sidecar.state_file(&bytes);
        outputs.add(&beside, file.sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
        file.sidecar
    } else {
        outputs.clear_sidecar(&args.output)?;
        return work.retarget_take(&source, outputs);
    };
    let outputs = outputs.commit()?;
    output::print(&if args.json {
        json::document(
            "retarget",
            RetargetAnswer {
                take: sidecar.take,
                is_loop,
            },
            None,
            &outputs,
        )
    } else {
        report::blend(&sidecar)
    })?;
    Ok(Ending::Done)
}

struct Work<'a> {
    args: &'a RetargetArgs,
    character: Character,
}

impl Work<'_> {
    /// Matches the joints of a motion, says what is unsure, and keeps the map where that is asked for.
    fn matched(&self, file: &LoadedTake, outputs: &mut Outputs) -> Result<Matched<'_>, Failure> {
        let from = rig::rig_of(&file.take, &file.source, &self.args.reading.overrides()).map_err(load::body_failure)?;
        let matched = Matched::of(&self.character, from, self.args.map.as_deref())?;
        for warning in matched.warnings() {
            talk::warn(&warning);
        }
        if let Some(path) = &self.args.save_map {
            outputs.add(path, matched.map_text()?.as_bytes())?;
        }
        Ok(matched)
    }

    fn retarget_take(&self, source: &loopwright_formats::Source, mut outputs: Outputs) -> Result<Ending, Failure> {
        let args = self.args;
        let mut warnings = Vec::new();
        let settings = args
            .reading
            .settings(args.reading.space(), AnimationChoice::Auto, memory::limits());
        let file = load::read_take(&args.input, &settings, &mut warnings)?;
        for warning in &warnings {
            talk::warn(&warning.to_string());
        }
        let matched = self.matched(&file, &mut outputs)?;
        let (mut take, facts) = matched.take(&file.take)?;
        if args.engine.recenters() {
            take = take.recentered(self.character.rig.body());
        }
        let written = loopwright_formats::write_take(&take, source).map_err(Failure::error)?;
        for warning in &written.warnings {
            talk::warn(&warning.to_string());
        }
        outputs.add(&args.output, &written.bytes)?;
        let outputs = outputs.commit()?;
        if args.json {
            let answer = RetargetAnswer {
                take: TakeFacts {
                    rig: Some(facts),
                    ..load::take_facts(&args.input, &file)
                },
                is_loop: false,
            };
            output::print(&json::document("retarget", answer, None, &outputs))?;
        }
        Ok(Ending::Done)
    }

    fn retarget_loop(&self, source: &loopwright_formats::Source, outputs: &mut Outputs) -> Result<LoopFile, Failure> {
        let args = self.args;
        let PlayableLoop {
            clip,
            take,
            source: own,
            sidecar,
            facts,
        } = written_loop::read_playable(&args.input, &args.reading, AddedRoot::Folded)?;
        let file = LoadedTake { take, source: own };
        let matched = self.matched(&file, outputs)?;
        let (clip, root_joint, rig) = matched.loop_clip(&clip)?;
        let (clip, feet) = planted(&clip, self.character.rig.body(), root_joint)?;
        let root = &sidecar.root_motion;
        let (clip, recentered_by) = if args.engine.recenters() {
            let Recentered { clip, motion } = clip.recentered(self.character.rig.body(), root.mode, root.space);
            (clip, Some(motion))
        } else {
            (clip, None)
        };
        let engine = args.engine.engine();
        let mut target = TakeFacts::of(facts.file, &self.character.file.take, source.space());
        (target.frames, target.fps, target.frame_time_secs) = (facts.frames, facts.fps, facts.frame_time_secs);
        let origin = RetargetOrigin {
            take: TakeFacts {
                animation: facts.animation,
                smooth_hz: facts.smooth_hz,
                rig: Some(rig),
                ..target
            },
            first: &sidecar,
            feet,
            root_joint,
            add_root: engine.needs_root_joint(root_joint.is_some()),
            recentered_by,
        };
        let mut file = LoopFile::write_retargeted(&clip, origin, source).map_err(making::write_failure)?;
        let said = &mut file.sidecar;
        said.warnings = file.written.warnings.iter().map(ToString::to_string).collect();
        said.target = (args.engine.target).map(|engine| {
            let skeleton = self.character.file.take.skeleton();
            engine.facts(said, skeleton, 1.0 / clip.step_secs())
        });
        for warning in &said.warnings {
            talk::warn(warning);
        }
        Ok(file)
    }
}

/// The loop with its feet held where that makes them slide less: the pose alone has put them where the source's stand.
fn planted(clip: &LoopClip, body: &Body, root_joint: Option<usize>) -> Result<(LoopClip, FeetFacts), Failure> {
    let slide = |clip: &LoopClip| quality::measure(&LoopKeys::of_loop(clip), body, None).foot_slide_mps;
    let (planted, mut feet) =
        feet::plant(clip, body, root_joint, &ContactLimits::default(), FootLock::Auto, None).map_err(Failure::error)?;
    let before = slide(clip);
    let held = planted.filter(|held| slide(held) < before);
    if held.is_none() {
        feet.outcomes.clear();
        feet = feet::plant(clip, body, root_joint, &ContactLimits::default(), FootLock::Off, None)
            .map_err(Failure::error)?
            .1;
    }
    let mut facts = describe::feet(clip, body, &feet);
    let cmps = |mps: Option<f64>| mps.map(|mps| 1e2 * mps);
    facts.foot_slide_before_cmps = cmps(before);
    facts.foot_slide_after_cmps = cmps(held.as_ref().map_or(before, slide));
    Ok((held.unwrap_or_else(|| clip.clone()), facts))
}
