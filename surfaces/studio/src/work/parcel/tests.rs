use std::sync::Arc;

use loopwright_core::{handover::long_arrays, pipeline::Sampling};
use loopwright_formats::{Format, Source, write_take};
use loopwright_job::recipe::Recipe;
use loopwright_synth::{WalkSettings, synthesize};

use super::*;
use crate::road::{Edit, Made, NamedFile, Opened, SetOrder, Stretch, Studied, Study};
use crate::work::{Done, Job, OfTake, TakeFile};

fn file(file_name: &str, settings: &WalkSettings) -> NamedFile {
    let (_, extension) = file_name.rsplit_once('.').unwrap();
    let take = synthesize(settings).unwrap().take;
    let source = Source::for_take(&take, Format::from_extension(extension).unwrap());
    named(file_name, write_take(&take, &source).unwrap().bytes)
}

fn named(file_name: &str, bytes: impl Into<Vec<u8>>) -> NamedFile {
    NamedFile {
        file_name: file_name.to_owned(),
        bytes: Arc::new(bytes.into()),
    }
}

fn walk(seed: u64) -> WalkSettings {
    WalkSettings::default().seed(seed).seconds(5.0)
}

fn follow(recipe: &str, named: Vec<NamedFile>) -> Job {
    let NamedFile { file_name, bytes } = file("walk.bvh", &walk(5));
    let recipe = Box::new(Recipe::read(recipe.as_bytes()).unwrap());
    Job::Follow {
        take: TakeFile {
            file_name,
            bytes,
            recipe,
            named,
        },
        edit: None,
    }
}

fn set(files: Vec<NamedFile>) -> Job {
    Job::MakeSet(Box::new(SetOrder {
        name: "hero".to_owned(),
        files,
        recipe: Box::new(Recipe::read(b"[take]\nsmooth = 8.0\n[output]\nfps = 60.0\n").unwrap()),
        named: Vec::new(),
        format: Some(Format::Glb),
    }))
}

/// Returns a worker's result of a job: everything passes through bytes, as in a page.
fn through(bench: &mut Bench, job: &Job, knows: Option<&Arc<Opened>>) -> Done {
    let (ask, files) = Ask::new(job, knows);
    let ask = unpacked(&packed(&ask).unwrap()).unwrap();
    let (answer, opened) = bench.answer(ask, files, &|_| {});
    let answer: Answer = unpacked(&packed(&answer).unwrap()).unwrap();
    let arrays = opened.map(|opened| long_arrays(&opened.studied.analysis).map(<[f64]>::to_vec));
    answer.done(job, arrays).unwrap()
}

/// Returns a worker's result of a job, after checking that it equals the result here.
fn same(bench: &mut Bench, job: &Job, knows: Option<&Arc<Opened>>) -> Done {
    let there = through(bench, job, knows);
    assert_same(&there, &job.clone().run(&|_| {}));
    there
}

fn assert_same(there: &Done, here: &Done) {
    match (there, here) {
        (Done::Opened(Ok(there)), Done::Opened(Ok(here))) => same_take(there, here),
        (Done::Followed(Ok((there, edit))), Done::Followed(Ok((here, wanted)))) => {
            same_take(there, here);
            assert_eq!(edit, wanted);
        }
        (Done::Made(Ok(there)), Done::Made(Ok(here))) => {
            // The loop on the take stays with the worker: nothing here asks for it.
            let mut wanted = here.done.made.clone();
            wanted.of_take = None;
            assert!(there.done.made == wanted && there.edit == here.edit && there.recipe == here.recipe);
            assert!(there.quality == here.quality && there.verdict == here.verdict);
            assert!(there.candidate == here.candidate && there.done.output == here.done.output);
        }
        (Done::Judged(there), Done::Judged(here)) => assert!(there.is_some() && there == here),
        (Done::Exported(Ok(there)), Done::Exported(Ok(here))) => assert!(there == here, "{}", here.file_name),
        (Done::SetMade(Ok(there)), Done::SetMade(Ok(here))) => assert!(there == here),
        (Done::Studied(_, there), Done::Studied(_, here)) => match (there, here) {
            (Studied::Costs(there), Studied::Costs(here)) => assert_eq!(there, here),
            (Studied::Fit(there), Studied::Fit(here)) => assert!(here.is_ok() && there == here),
            other => panic!("{other:?}"),
        },
        _ => assert_eq!(said(there), said(here)),
    }
}

/// Returns the text of the error.
fn said(done: &Done) -> String {
    match done {
        Done::Opened(Err(error)) | Done::Followed(Err(error)) => error.to_string(),
        Done::Made(Err(error)) => error.to_string(),
        Done::SetMade(Err(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn same_take(there: &Opened, here: &Opened) {
    assert!(
        there.studied.analysis == here.studied.analysis
            && there.studied.file.source == here.studied.file.source
            && there.found == here.found
            && there.retarget == here.retarget
    );
    let facts = |opened: &Opened| {
        let Opened {
            file_name,
            format,
            warnings,
            bytes,
            study,
            named,
            ..
        } = opened.clone();
        (file_name, format, warnings, bytes, study, named)
    };
    assert_eq!(facts(there), facts(here));
    assert_eq!(there.studied.character.is_some(), here.studied.character.is_some());
    if let (Some(one), Some(other)) = (&there.studied.character, &here.studied.character) {
        assert!(one.pair == other.pair && one.facts() == other.facts());
        let [one, other] = [one, other].map(|on| &on.target.character.file);
        assert!(one.source == other.source && one.take == other.take);
    }
}

#[test]
fn takes_and_their_loops_come_back_as_they_were() {
    let opens =
        Format::of_characters().map(|format| Job::Open(file(&format!("walk.{}", format.extension()), &walk(5)), None));
    let named = vec![
        file("models/hero.glb", &walk(11)),
        named("hero.toml", *b"[joints]\nHead = \"\"\n"),
    ];
    let spring = "[closure]\nmethod = \"spring\"\n";
    let follows = [
        follow(&format!("[take]\nup = \"y\"\nunit = \"0.02\"\n{spring}"), Vec::new()),
        follow(
            &format!("[take]\nrig = \"models/hero.glb\"\nmap = \"hero.toml\"\n{spring}"),
            named,
        ),
    ];
    for job in opens.chain(follows).chain([Job::Walk]) {
        let mut bench = Bench::default();
        let (Done::Opened(Ok(opened)) | Done::Followed(Ok((opened, _)))) = same(&mut bench, &job, None) else {
            panic!("{job:?}")
        };
        let mut edit = Box::new(Edit::first(&opened));
        edit.settings.closure.method.shares.rho = 0.3;
        edit.settings.timing.sampling = Sampling::Rate(24.0);
        // Choices restored by undo are stated explicitly.
        if let Job::Follow { take, .. } = job.clone() {
            let edit = Some(edit.clone());
            same(&mut bench, &Job::Follow { take, edit }, None);
        }
        let (edit, is_draft) = (edit.clone(), false);
        let make = Job::OfTake(Arc::clone(&opened), OfTake::Make { edit, is_draft });
        let Done::Made(Ok(wanted)) = make.clone().run(&|_| {}) else {
            panic!("{make:?}")
        };
        let export = |made: &Arc<Made>, format| {
            let write = OfTake::Write {
                edit: Box::new(made.edit.clone()),
                format,
                stem: None,
                made: Some(Arc::clone(made)),
            };
            Job::OfTake(Arc::clone(&opened), write)
        };
        // The worker may still hold the take, or have to open it again.
        for (mut bench, knows) in [(bench, Some(&opened)), (Bench::default(), None)] {
            let Done::Made(Ok(made)) = same(&mut bench, &make, knows) else {
                panic!("{make:?}")
            };
            for format in Format::of_characters() {
                let there = through(&mut bench, &export(&made, format), Some(&opened));
                assert_same(&there, &export(&wanted, format).run(&|_| {}));
            }
        }
    }
}

#[test]
fn all_that_is_asked_of_a_take_is_answered_there_as_here() {
    let mut bench = Bench::default();
    let Done::Opened(Ok(opened)) = through(&mut bench, &Job::Walk, None) else {
        panic!("it is closed")
    };
    let edit = Box::new(Edit::first(&opened));
    let all = [
        OfTake::Study(Study::Costs),
        OfTake::Study(Study::Fit),
        OfTake::Judge(edit.clone()),
        OfTake::Write {
            edit,
            format: Format::Glb,
            stem: Some("other".to_owned()),
            made: None,
        },
    ];
    for job in all.map(|what| Job::OfTake(Arc::clone(&opened), what)) {
        for (bench, knows) in [(&mut bench, Some(&opened)), (&mut Bench::default(), None)] {
            let done = same(bench, &job, knows);
            assert!(!matches!(done, Done::Studied(of, _) if !Arc::ptr_eq(&of, &opened)));
        }
    }
}

#[test]
fn sets_and_what_goes_wrong_come_back_in_the_same_words() {
    let mut bench = Bench::default();
    let Done::Opened(Ok(opened)) = through(&mut bench, &Job::Walk, None) else {
        panic!("it is closed")
    };
    let mut edit = Box::new(Edit::first(&opened));
    edit.stretch = Stretch::Frames {
        start_frame: 10.0,
        end_frame: 10.5,
    };
    let torn = named("torn.bvh", *b"HIERARCHY\nROOT");
    let is_draft = false;
    let too_short = Job::OfTake(Arc::clone(&opened), OfTake::Make { edit, is_draft });
    let without_character = follow("[take]\nrig = \"nowhere/hero.glb\"\n", Vec::new());
    for job in [
        too_short,
        Job::Open(torn.clone(), None),
        without_character,
        set(vec![torn.clone()]),
    ] {
        said(&same(&mut bench, &job, Some(&opened)));
    }
    let good = file("walk.bvh", &WalkSettings::default().turn_dps(0.0).drift(0.0));
    let Done::SetMade(Ok(made)) = same(&mut bench, &set(vec![good, torn]), None) else {
        panic!("there is no set")
    };
    assert!(made.notes.iter().any(|note| note.contains("torn.bvh")), "{made:?}");
}
