use std::sync::Arc;

use loopwright_core::handover::long_arrays;
use loopwright_formats::{Format, Source, write_take};
use loopwright_job::recipe::{Recipe, StudyArgs};
use loopwright_synth::{WalkSettings, synthesize};

use super::*;
use crate::road::{Edit, Exported, Made, NamedFile, Opened, SetOrder, Stretch, Studied, Study};
use crate::work::{Done, Job, TakeFile};

fn file(seed: u64, format: Format) -> Arc<Vec<u8>> {
    file_of(&WalkSettings::default().seed(seed).seconds(5.0), format)
}

fn file_of(settings: &WalkSettings, format: Format) -> Arc<Vec<u8>> {
    let take = synthesize(settings).unwrap().take;
    let written = write_take(&take, &Source::for_take(&take, format)).unwrap();
    Arc::new(written.bytes)
}

/// What comes back from a worker for a piece of work: everything goes through bytes, as in a page.
fn through(bench: &mut Bench, job: &Job, knows: Option<&Arc<Opened>>) -> Done {
    let (ask, files) = Ask::new(job, knows).unwrap();
    let ask = unpacked(&packed(&ask).unwrap()).unwrap();
    let (answer, opened) = bench.answer(ask, files, &|_| {});
    let answer: Answer = unpacked(&packed(&answer).unwrap()).unwrap();
    let arrays = opened.map(|opened| long_arrays(&opened.studied.analysis).map(<[f64]>::to_vec));
    answer.done(job, arrays).unwrap()
}

fn opened(done: Done) -> Arc<Opened> {
    match done {
        Done::Opened(opened) => opened.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn made(done: Done) -> Arc<Made> {
    match done {
        Done::Made(made) => made.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn exported(done: Done) -> Exported {
    match done {
        Done::Exported(exported) => exported.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn followed(done: Done) -> (Arc<Opened>, Box<Edit>) {
    match done {
        Done::Followed(followed) => followed.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn make(opened: &Arc<Opened>, edit: &Edit) -> Job {
    Job::Make {
        opened: Arc::clone(opened),
        edit: Box::new(edit.clone()),
        is_draft: false,
    }
}

fn export(opened: &Arc<Opened>, made: &Arc<Made>, format: Format) -> Job {
    Job::Export {
        opened: Arc::clone(opened),
        made: Arc::clone(made),
        format,
    }
}

fn follow(recipe: Recipe, named: Vec<NamedFile>, edit: Option<Box<Edit>>) -> Job {
    Job::Follow {
        take: TakeFile {
            file_name: "walk.bvh".to_owned(),
            bytes: file(5, Format::Bvh),
            recipe: Box::new(recipe),
            named,
        },
        edit,
    }
}

fn same_take(there: &Opened, here: &Opened) {
    assert!(
        there.studied.analysis == here.studied.analysis
            && there.studied.file.source == here.studied.file.source
            && there.found == here.found
    );
    let facts = |opened: &Opened| {
        let Opened {
            file_name,
            format,
            warnings,
            bytes,
            study,
            named,
            speeds,
            ..
        } = opened.clone();
        (file_name, format, warnings, bytes, study, named, speeds)
    };
    assert_eq!(facts(there), facts(here));
    assert!(there.retarget == here.retarget);
    assert_eq!(there.studied.character.is_some(), here.studied.character.is_some());
    if let (Some(one), Some(other)) = (&there.studied.character, &here.studied.character) {
        assert!(one.pair == other.pair && one.facts() == other.facts());
        let [one, other] = [one, other].map(|on| &on.target.character.file);
        assert!(one.source == other.source && one.take == other.take);
    }
}

#[test]
fn a_take_and_its_loop_come_back_as_they_were() {
    for format in Format::ALL {
        let bytes = file(5, format);
        let file_name = format!("walk.{}", format.extension());
        let here = Opened::read_as(&file_name, Arc::clone(&bytes), &StudyArgs::default(), &[]).unwrap();
        let mut bench = Bench::default();
        let there = opened(through(&mut bench, &Job::Open { file_name, bytes }, None));
        same_take(&there, &here);

        let mut edit = Edit::first(&here);
        edit.settings.closure.method.shares.rho = 0.3;
        edit.settings.sampling = loopwright_core::pipeline::Sampling::Rate(24.0);
        let make = make(&there, &edit);
        // Whether the worker still has the take, or has to open it again.
        for (mut bench, knows) in [(bench, Some(&there)), (Bench::default(), None)] {
            let made = made(through(&mut bench, &make, knows));
            let wanted = Made::of(&here, &edit).unwrap();
            assert!(made.done.made == wanted.done.made && made.edit == edit && made.recipe == wanted.recipe);
            assert!(made.quality == wanted.quality && made.verdict == wanted.verdict);
            assert!(made.candidate == wanted.candidate && made.done.output == wanted.done.output);
            for format in Format::ALL {
                let exported = exported(through(&mut bench, &export(&there, &made, format), Some(&there)));
                assert!(exported == Exported::of(&here, &wanted, format).unwrap(), "{format:?}");
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_said_in_the_same_words() {
    let mut bench = Bench::default();
    let bytes = Arc::new(b"HIERARCHY\nROOT".to_vec());
    let file_name = "torn.bvh".to_owned();
    let here = Opened::read_as(&file_name, Arc::clone(&bytes), &StudyArgs::default(), &[]).unwrap_err();
    let Done::Opened(Err(there)) = through(&mut bench, &Job::Open { file_name, bytes }, None) else {
        panic!("it is open")
    };
    assert_eq!(there.to_string(), here.to_string());

    let walk = opened(through(&mut bench, &Job::Walk, None));
    same_take(&walk, &Opened::walk().unwrap());
    let mut edit = Edit::first(&walk);
    edit.stretch = Stretch::Frames {
        start_frame: 10.0,
        end_frame: 10.5,
    };
    let here = Made::of(&walk, &edit).unwrap_err();
    let Done::Made(Err(there)) = through(&mut bench, &make(&walk, &edit), Some(&walk)) else {
        panic!("it is made")
    };
    assert_eq!(there.to_string(), here.to_string());
}

#[test]
fn a_recipe_is_followed_there_as_here() {
    let text = "[take]\nup = \"y\"\nunit = \"0.02\"\n[closure]\nmethod = \"spring\"\n";
    let recipe = Recipe::read(text.as_bytes()).unwrap();
    let job = follow(recipe, Vec::new(), None);
    let (here, edit) = followed(job.clone().run(&|_| {}));
    let (there, same) = followed(through(&mut Bench::default(), &job, None));
    same_take(&there, &here);
    assert_eq!(same, edit);
}

/// The files of a set, and why there is none.
#[test]
fn a_set_is_made_there_as_here() {
    let good = NamedFile {
        file_name: "walk.bvh".to_owned(),
        bytes: file_of(&WalkSettings::default().turn_dps(0.0).drift(0.0), Format::Bvh),
    };
    let bad = NamedFile {
        file_name: "torn.bvh".to_owned(),
        bytes: Arc::new(b"HIERARCHY".to_vec()),
    };
    for (files, is_set) in [(vec![good, bad.clone()], true), (vec![bad], false)] {
        let job = Job::MakeSet(Box::new(SetOrder {
            name: "hero".to_owned(),
            files,
            recipe: Box::new(Recipe::read(b"[take]\nsmooth = 8.0\n[output]\nfps = 60.0\n").unwrap()),
            named: Vec::new(),
            format: Some(Format::Glb),
        }));
        let Done::SetMade(here) = job.clone().run(&|_| {}) else {
            panic!("no set here")
        };
        let Done::SetMade(there) = through(&mut Bench::default(), &job, None) else {
            panic!("no set there")
        };
        let [here, there] = [here, there].map(|set| set.map_err(|error| error.to_string()));
        assert!(here.is_ok() == is_set && here == there);
        let said = here.map_or_else(|error| error, |set| set.notes.join("\n"));
        assert!(said.contains("torn.bvh"), "{said}");
    }
}

/// A character with other bones than those of the walk.
fn hero() -> NamedFile {
    NamedFile {
        file_name: "models/hero.glb".to_owned(),
        bytes: file(11, Format::Glb),
    }
}

#[test]
fn a_take_goes_on_a_character_there_as_here() {
    let text = "[take]\nrig = \"models/hero.glb\"\nmap = \"hero.toml\"\n[closure]\nmethod = \"spring\"\n";
    let recipe = Recipe::read(text.as_bytes()).unwrap();
    let map = NamedFile {
        file_name: "hero.toml".to_owned(),
        bytes: Arc::new(b"[joints]\nHead = \"\"\n".to_vec()),
    };
    let job = |edit| follow(recipe.clone(), vec![hero(), map.clone()], edit);
    let (here, edit) = followed(job(None).run(&|_| {}));
    assert!(here.studied.character.is_some());
    let mut bench = Bench::default();
    let (there, same) = followed(through(&mut bench, &job(None), None));
    same_take(&there, &here);
    assert_eq!(same, edit);
    // What was taken back names its choices itself.
    let mut other = edit.clone();
    other.settings.closure.method.shares.rho = 0.3;
    let (again, same) = followed(through(&mut bench, &job(Some(other.clone())), None));
    same_take(&again, &here);
    assert_eq!(same, other);

    let make = make(&there, &edit);
    let mut wanted = Made::of(&here, &edit).unwrap();
    // The loop of the take stays with the worker: nothing here asks for it.
    assert!(wanted.done.made.of_take.take().is_some());
    // The worker has the take, or opens it and its character again.
    for (mut bench, knows) in [(bench, Some(&there)), (Bench::default(), None)] {
        let made = made(through(&mut bench, &make, knows));
        assert!(made.done.made == wanted.done.made && made.quality == wanted.quality && made.recipe == wanted.recipe);
        let exported = exported(through(&mut bench, &export(&there, &made, Format::Glb), Some(&there)));
        assert!(exported == Exported::of(&here, &wanted, Format::Glb).unwrap());
    }
}

#[test]
fn a_character_that_is_missing_is_said_there_as_here() {
    let recipe = Recipe::read(b"[take]\nrig = \"nowhere/hero.glb\"\n").unwrap();
    let job = follow(recipe, Vec::new(), None);
    let Done::Followed(Err(here)) = job.clone().run(&|_| {}) else {
        panic!("followed here")
    };
    let Done::Followed(Err(there)) = through(&mut Bench::default(), &job, None) else {
        panic!("followed there")
    };
    assert_eq!(there.to_string(), here.to_string());
}

#[test]
fn what_is_worked_out_of_a_take_comes_back_as_it_was() {
    let mut bench = Bench::default();
    let walk = opened(through(&mut bench, &Job::Walk, None));
    let here = Opened::walk().unwrap();
    for (mut bench, knows) in [(bench, Some(&walk)), (Bench::default(), None)] {
        for study in [Study::Costs, Study::Jumps, Study::Fit] {
            let job = Job::Study {
                opened: Arc::clone(&walk),
                study,
            };
            let Done::Studied(of, studied) = through(&mut bench, &job, knows) else {
                panic!("nothing is worked out")
            };
            assert!(Arc::ptr_eq(&of, &walk));
            match (studied, study.of(&here)) {
                (Studied::Costs(there), Studied::Costs(here)) => assert_eq!(there, here),
                (Studied::Jumps(there), Studied::Jumps(here)) => {
                    assert!(!here.as_ref().unwrap().is_empty());
                    assert_eq!(there, here);
                }
                (Studied::Fit(there), Studied::Fit(here)) => {
                    assert!(here.is_ok());
                    assert_eq!(there, here);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
