//! `loopwright cut`: cuts the passages of a set out of a take.

use std::path::{Path, PathBuf};

use loopwright_core::LoopClip;
use loopwright_formats::{
    Format, Target,
    loop_file::facts::{Grade, TakeFacts},
    set::{ClipKind, PassageFacts},
};
use loopwright_job::{self as job, Recipe, Request, Studied, Study, recipe::ReferencePose};
use loopwright_moves::passage::PassageError;
use loopwright_sets::{CutPassages, CutRequest, CutTakeError, clip_kind};

use crate::{
    args::CutArgs,
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load, loop_output,
    output::{self, Outputs},
    recipe::{RecipeError, StudyArgs},
    report::{
        figures::counted,
        json,
        table::{in_columns, or_dash},
    },
    talk, written_loop,
};

pub fn run(args: &CutArgs) -> Result<Ending> {
    let input = InputFile::existing(&args.take)?;
    if args.on.rig.is_none() && ReferencePose::is_stated(args.reading.reference.as_ref()) {
        return Err(RecipeError::NoRig { name: "take.reference" }.into());
    }
    let loops = written_loop::all_loops(&args.loops, &args.reading)?;
    let take = &input.path;
    let study = StudyArgs {
        rig: args.on.rig.clone(),
        map: args.on.map.clone(),
        bone_stretch: args.on.bone_stretch,
        ..input.reading(&args.reading).into()
    };
    let studying = load::study(study.clone())?;
    let studied = load::load(&input, &studying)?;
    if studied.analysis.contacts.num_feet() == 0 {
        return Err(failure!("\"{}\" has no feet", args.take.display())
            .because("passages are held where feet stand, and none were found among its joints")
            .try_this("--feet LeftFoot,RightFoot, with its own names, if it has feet"));
    }
    let engine = args.target.unwrap_or(Target::Generic);
    let format = format(args, args.on.rig.as_deref().unwrap_or(take))?;
    talk::warn_all(args.fps.and_then(|rate| engine.rate_complaint(rate)));
    let mut outputs = Outputs::new(args.force);
    outputs.protect(take);
    outputs.protect_character(args.on.rig.as_deref(), args.on.map.as_deref());

    let (clips, mut rows) = if loops.is_empty() {
        own_loops(args, &studied, study, (&mut outputs, format))?
    } else {
        given_loops(args, &loops, &studying, &mut outputs)?
    };
    let request = CutRequest {
        kinds: args.kinds(),
        fps: args.fps,
        engine,
    };
    let cut = CutPassages::new(&studied, clips, &request).map_err(|error| uncut(&studied, &rows, error))?;
    let stances = &cut.loops.loops()[rows.len()..];
    rows.extend(stances.iter().map(|stance| LoopRow {
        name: stance.name().to_owned(),
        file: None,
    }));
    if args.transitions && cut.loops.loops().len() < 2 {
        talk::warn("--transitions has no effect: there is one loop, and it takes two");
    }
    let answer = answer(&studied, &cut, rows);
    add_all(args, &studied, (&cut, &answer.passages), (&mut outputs, format))?;
    end(args, answer, &outputs.commit()?)
}

/// Makes loops of the take itself, and adds their files to the outputs.
fn own_loops(
    args: &CutArgs,
    studied: &Studied,
    study: StudyArgs,
    (outputs, format): (&mut Outputs, Format),
) -> Result<(Vec<LoopClip>, Vec<LoopRow>)> {
    let mut recipe = Recipe {
        take: study,
        ..Recipe::default()
    };
    recipe.output.fps = args.fps;
    recipe.output.target = args.target;
    let unmade = |error| failures::job(studied, None, error);
    let own = loopwright_sets::own_loops(studied, &recipe).map_err(unmade)?;
    output::make_folder(&args.output)?;
    let request = Request::of(&recipe);
    let (mut clips, mut rows) = (Vec::new(), Vec::new());
    for (name, made) in own {
        clips.push(made.made.loop_clip.clone().named(name.clone()));
        let path = args.output.join(format!("{name}.{}", format.extension()));
        outputs.check_loop(&path)?;
        loop_output::add(
            outputs,
            job::write(studied, request, made, format).map_err(unmade)?,
            &path,
            &[],
            loop_output::in_words(&studied.warnings),
        )?;
        rows.push(LoopRow {
            name,
            file: Some(path.display().to_string()),
        });
    }
    Ok((clips, rows))
}

/// Reads the loops that the command line names after the take, on the character if there is one.
fn given_loops(
    args: &CutArgs,
    loops: &[InputFile],
    studying: &Study,
    outputs: &mut Outputs,
) -> Result<(Vec<LoopClip>, Vec<LoopRow>)> {
    let (mut clips, mut rows) = (Vec::new(), Vec::new());
    for name in loops {
        outputs.protect(&name.path);
        let mut stored = written_loop::read_playable(name, &args.reading, job::AddedRoot::Folded)?;
        if let Some(target) = studying.character() {
            stored = written_loop::on_character(stored, target, &args.reading)?;
        }
        let own = name.animation.clone().unwrap_or_else(|| files::stem(&name.path));
        clips.push(stored.clip.named(own.clone()));
        rows.push(LoopRow {
            name: own,
            file: Some(name.to_string()),
        });
    }
    Ok((clips, rows))
}

fn answer(studied: &Studied, cut: &CutPassages, loops: Vec<LoopRow>) -> CutAnswer {
    CutAnswer {
        take: studied.facts(),
        loops,
        passages: cut.passages.iter().map(|passage| cut.facts(studied, passage)).collect(),
        missing: cut
            .missing
            .iter()
            .map(|(kind, why)| Missing {
                kind: clip_kind(*kind),
                why: why.to_string(),
            })
            .collect(),
    }
}

/// Prints the answer. Errors: no passage was cut.
fn end(args: &CutArgs, answer: CutAnswer, outputs: &[String]) -> Result<Ending> {
    if answer.passages.is_empty() {
        let mut failure = Failure::nothing(format!("nothing to cut in \"{}\"", args.take.display()));
        for missing in &answer.missing {
            failure = failure.because(format!("no {}: {}", in_text(missing.kind), missing.why));
        }
        let failure = failure.try_this(format!(
            "`loopwright inspect {}` shows what the take does",
            args.take.display()
        ));
        let document = json::document("cut", answer, Some(&failure), outputs);
        return Err(failure.in_document(document));
    }
    let ending = Ending::of_grades(answer.passages.iter().map(|passage| passage.grade));
    output::answer("cut", &answer, None, outputs, args.json, |answer| {
        human(answer, &args.output.display().to_string())
    })?;
    Ok(ending)
}

/// Returns the format of the files: the one asked for, else the engine's, else that of the character or the take.
fn format(args: &CutArgs, goes_into: &Path) -> Result<Format> {
    if let Some(format) = args.to {
        return Ok(format);
    }
    output::format_of(
        &PathBuf::from("passage")
            .with_extension(loop_output::extension_for_motion(goes_into, args.target).unwrap_or_default()),
    )
}

/// Adds the files of all passages, each with its sidecar.
fn add_all(
    args: &CutArgs,
    studied: &Studied,
    (cut, facts): (&CutPassages, &[PassageFacts]),
    (outputs, format): (&mut Outputs, Format),
) -> Result<()> {
    if cut.passages.is_empty() {
        return Ok(());
    }
    output::make_folder(&args.output)?;
    talk::warn_all(args.target.and_then(|engine| engine.complaint(format)));
    for (passage, facts) in cut.passages.iter().zip(facts) {
        let path = args.output.join(format!("{}.{}", passage.name(), format.extension()));
        let written = cut.write(studied, passage, format)?;
        talk::warn_all(&written.warnings);
        if !passage.has_held_feet {
            warning!("{}: feet are left free, since no correction holds them", passage.name());
        }
        loop_output::add_passage(outputs, &path, &written, facts)?;
    }
    Ok(())
}

fn uncut(studied: &Studied, loops: &[LoopRow], error: CutTakeError) -> Failure {
    let name = |index: usize| loops.get(index).and_then(|row| row.file.as_deref()).unwrap_or_default();
    match error {
        CutTakeError::Rate { wanted_hz, limit_hz } => failures::rate(wanted_hz, limit_hz),
        CutTakeError::Job(error) => failures::job(studied, None, error),
        CutTakeError::NoLoops => Failure::nothing(format!("nothing to cut in \"{}\"", studied.name))
            .because(CutTakeError::NoLoops)
            .try_this(
                "loops of its skeleton after the take: `loopwright cut TAKE idle-loop.bvh walk-loop.bvh -o FOLDER`",
            ),
        CutTakeError::Passage(PassageError::Skeleton { index, difference }) => {
            failure!("\"{}\" has another skeleton than \"{}\"", name(index), studied.name)
                .because(difference)
                .try_this("loops made from takes of this skeleton, no loops for those of the take itself, or --rig for all on one character")
        }
        CutTakeError::Passage(PassageError::Leans { index }) => failure!(
            "the root of \"{}\" leans: passages are made over the ground",
            name(index)
        )
        .try_this("a loop made without output.root-space full"),
        other => failure!("cannot cut \"{}\": {other}", studied.name),
    }
}

/// A loop that passages begin and end in.
#[in_schema]
struct LoopRow {
    /// Its name.
    name: String,
    /// Its file; null for a stance of one pose of the take.
    file: Option<String>,
}

/// A kind that was looked for and not found.
#[in_schema]
struct Missing {
    /// The kind.
    #[schemars(with = "crate::schema_words::ClipKind")]
    kind: ClipKind,
    /// Why there is none.
    why: String,
}

/// The answer of `cut`.
#[in_schema]
pub struct CutAnswer {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// The loops that passages begin and end in.
    loops: Vec<LoopRow>,
    /// The passages, by kind, those of one name with the cheapest first.
    #[schemars(with = "Vec<crate::schema_words::Passage>")]
    passages: Vec<PassageFacts>,
    /// What was looked for and not found.
    missing: Vec<Missing>,
}

/// Words the answer of `cut`, for files in this folder.
fn human(answer: &CutAnswer, folder: &str) -> String {
    let passages = answer.passages.iter().map(|passage| {
        let [x, _, z] = passage.travel_m;
        [
            passage.name.clone(),
            in_text(passage.kind),
            passage.from.clip.clone(),
            passage.to.clip.clone(),
            passage.frames.to_string(),
            format!("{:.2}", passage.duration_secs),
            format!("{:.0}", passage.turn_deg.round() + 0.0),
            format!("{:.2}", loopwright_core::math::ops::hypot(x, z)),
            format!("{:.3}", passage.cost_metre_secs),
            match (passage.grade, &passage.reason) {
                (Some(grade), Some(reason)) if grade > Grade::Good => format!("{grade}: {reason}"),
                (grade, _) => or_dash(grade),
            },
        ]
    });
    let mut text = in_columns(
        "<passage | <kind | <from | <to | frames | seconds | turn deg | travel m | cost m s | <grade",
        passages,
    );
    text += &format!("{} in {folder}\n", counted(answer.passages.len(), "passage"));
    for missing in &answer.missing {
        text += &format!("no {}: {}\n", in_text(missing.kind), missing.why);
    }
    text
}

/// The name of a kind in running text.
fn in_text(kind: ClipKind) -> String {
    kind.as_str().replace('_', " ")
}
