//! What is said is so: grades, takes that stay open, and where files go.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::{Key, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use loopwright_core::{SearchSettings, take::Cut};
use loopwright_formats::loop_file::facts::Grade;
use loopwright_formats::{Format, Sidecar};
use loopwright_job::{Request, Rows, SearchRequest, choose, make, write};
use loopwright_studio::model::{Beside, Edit, Exported, Judgement, Made, Opened, Stretch, Ticked};
use loopwright_studio::{Action, Model, Studio, work::Wake};
use loopwright_synth::WalkSettings;

use super::driven::{
    Driven, PATIENCE, apply, click, export_by, find, is_made, model, open, press, start_opening, stroll, studio,
    studio_that, studio_with_stroll, wait, wait_for, walk,
};

/// A loop of the list has no grade until it was made by the present settings, and then that of the loop that one gets.
#[test]
fn the_list_says_the_grade_of_the_loop_that_one_gets() {
    let (_folder, mut harness) = studio_with_stroll(1280.0, 2400.0);
    let count = model(&harness).opened().unwrap().found.candidates.len();
    assert!(count > 2);
    harness.key_press(Key::Space);
    for _ in 0..2 {
        click(&mut harness, "Lock planted feet");
        wait(&mut harness, "all loops are judged", |model| {
            (0..count).all(|index| model.judgement(index) != Judgement::NotYet)
        });
        for index in 0..count {
            let said = model(&harness).judgement(index);
            apply(&mut harness, Action::Choose(Stretch::Found(index)));
            wait(&mut harness, "it is made", is_made);
            let made = model(&harness).finished().unwrap().verdict.grade;
            assert_eq!(said, Judgement::Graded(made), "loop {}", index + 1);
        }
    }
    press(&mut harness, "Loops of the take");
    // Other settings make other loops.
    let mut edit = model(&harness).edit().unwrap().clone();
    edit.settings.feet.lock = loopwright_core::feet::FootLock::Off;
    apply(
        &mut harness,
        Action::Edit {
            edit: Box::new(edit),
            is_final: false,
        },
    );
    assert_eq!(model(&harness).judgement(0), Judgement::NotYet);
    harness.step();
    assert!(harness.query_all_by_label_contains("not yet judged").next().is_some());
}

/// Whatever is changed, the loop that was recommended stays chosen.
#[test]
fn what_was_recommended_stays_chosen_while_settings_change() {
    let mut harness = studio(1280.0, 2400.0);
    let row = model(&harness).chosen_row().unwrap();
    assert_eq!(model(&harness).edit().unwrap().stretch, Stretch::Recommended);
    click(&mut harness, "Lock planted feet");
    assert_eq!(model(&harness).edit().unwrap().stretch, Stretch::Found(row));
    assert_eq!(model(&harness).undo_names(), [Some("stretch"), None]);
}

/// Walks in a folder, by number.
fn walks(folder: &Path, count: usize) -> Vec<PathBuf> {
    let bytes = walk(Format::Bvh, &stroll());
    let paths = (0..count).map(|number| folder.join(format!("walk-{number:02}.bvh")));
    paths.inspect(|path| std::fs::write(path, &bytes).unwrap()).collect()
}

fn all_open(harness: &mut Driven, count: usize) {
    wait(harness, "all are open", |model| {
        is_made(model) && model.others().count() + 1 == count
    });
}

#[test]
fn takes_stay_open_or_it_is_said_which_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let paths = walks(folder.path(), 12);
    let mut harness = studio(1280.0, 2400.0);
    start_opening(&mut harness, folder.path());
    all_open(&mut harness, paths.len());
    assert!(model(&harness).problem().is_none());
    // Where memory does not suffice for all, the others are named.
    let take = model(&harness).opened().unwrap().take().clone();
    let one = paths[0].metadata().unwrap().len() as usize + 240 * take.num_frames() * take.num_joints();
    let room = 7 * one / 2;
    let all = folder.path().to_owned();
    let mut harness = studio_that(1280.0, 2400.0, move |studio: &mut Studio| {
        studio.keep_takes_within(room);
        studio.open_path(&all);
    });
    wait(&mut harness, "it is said", |model| {
        is_made(model) && model.problem().is_some()
    });
    let open = model(&harness).others().count() + 1;
    assert_eq!(open, 3);
    let said = model(&harness).problem().unwrap().to_string();
    assert!(said.contains("walk-11.bvh") || said.contains(" more ("), "{said}");
    assert!(said.contains("close some"), "{said}");
}

/// A broken file among others is not passed over.
#[test]
fn a_broken_file_among_others_is_named() {
    let folder = tempfile::tempdir().unwrap();
    walks(folder.path(), 3);
    std::fs::write(folder.path().join("walk-00a.bvh"), "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 860.0);
    start_opening(&mut harness, folder.path());
    all_open(&mut harness, 3);
    let said = model(&harness).problem().unwrap().to_string();
    assert!(said.starts_with("left out: walk-00a.bvh ("), "{said}");
}

#[test]
fn a_take_has_a_mark_until_it_is_written_and_is_closed_by_a_button() {
    let folder = tempfile::tempdir().unwrap();
    let paths = walks(folder.path(), 2);
    let mut harness = studio(1280.0, 3600.0);
    start_opening(&mut harness, folder.path());
    all_open(&mut harness, paths.len());
    harness.get_by_label("walk-01.bvh, shown");
    click(&mut harness, "Lock planted feet");
    find(&mut harness, "walk-01.bvh, shown, not written");
    harness.get_by_label("walk-01.bvh, shown, not written");
    press(&mut harness, "Close walk-01.bvh");
    press(&mut harness, "Leave it open");
    assert_eq!(model(&harness).others().count(), 1);
    export_by(&mut harness, "Export the loop");
    wait(&mut harness, "it is written", |model| !model.is_unsaved(None));
    press(&mut harness, "Close walk-01.bvh");
    wait(&mut harness, "the other is shown", is_made);
    assert_eq!(model(&harness).opened().unwrap().file_name, "walk-00.bvh");
    click(&mut harness, "Lock planted feet");
    press(&mut harness, "Close walk-00.bvh");
    press(&mut harness, "Close it all the same");
    wait(&mut harness, "the walk is there", |model| {
        is_made(model) && model.opened().is_some_and(|opened| opened.bytes.is_none())
    });
    assert_eq!(model(&harness).others().count(), 0);
}

/// Another take may be shown before one answers; it stays open.
#[test]
fn the_take_is_closed_that_was_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let paths = walks(folder.path(), 2);
    let mut harness = studio(1280.0, 3600.0);
    start_opening(&mut harness, folder.path());
    all_open(&mut harness, paths.len());
    click(&mut harness, "Lock planted feet");
    press(&mut harness, "Close walk-01.bvh");
    click(&mut harness, "Go on with walk-00.bvh");
    press(&mut harness, "Close it all the same");
    wait(&mut harness, "one is closed", |model| model.others().count() == 0);
    assert_eq!(model(&harness).opened().unwrap().file_name, "walk-00.bvh");
    assert!(harness.query_by_label("Close it all the same").is_none());
}

/// Nothing is written beside the take unasked; the folder that is chosen stays, and an old failure is not said beside a new file.
#[test]
fn an_export_asks_where_to_once() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    for inner in [&one, &two] {
        std::fs::create_dir(inner).unwrap();
        walks(inner, 1);
    }
    let mut harness = studio(1280.0, 860.0);
    open(&mut harness, &one.join("walk-00.bvh"));
    harness.key_press(Key::E);
    wait_for(&mut harness, "it is asked", |harness| {
        harness.query_by_label("Write here").is_some()
    });
    harness.get_by_role_and_label(Role::TextInput, "Folder of loops");
    assert_eq!(std::fs::read_dir(&one).unwrap().count(), 1, "nothing is written yet");
    // Escape closes the question, and nothing else.
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("Write here").is_none());
    assert_eq!(std::fs::read_dir(&one).unwrap().count(), 1);
    start_opening(&mut harness, Path::new("no such file"));
    wait(&mut harness, "it is said", |model| model.problem().is_some());
    harness.key_press(Key::E);
    super::driven::write_here(&mut harness);
    let written = one.join("walk-00-loop.bvh");
    wait_for(&mut harness, "it is written", |_| written.exists());
    assert!(model(&harness).problem().is_none());
    open(&mut harness, &two.join("walk-00.bvh"));
    click(&mut harness, "Undo");
    harness.key_press(Key::E);
    wait_for(&mut harness, "the first one is asked about", |harness| {
        harness.query_by_label("Keep both").is_some()
    });
    assert_eq!(std::fs::read_dir(&two).unwrap().count(), 1);
}

/// The sidecar warns of what the command warns of: here, that the take is too short to repeat.
#[test]
fn the_sidecar_has_the_warnings_of_the_command() {
    let mut num_doubts = 0;
    let lengths = [1.5, 1.8, 2.2, 2.7, 3.5];
    let variants =
        lengths.map(|seconds| [0.0, 0.4].map(|variation| stroll().seconds(seconds).speed_variation(variation)));
    for settings in variants.iter().flatten() {
        let opened = Opened::read("take.bvh", walk(Format::Bvh, settings)).unwrap();
        if opened.found.best().is_none_or(|best| best.whole.is_some()) {
            continue;
        }
        let edit = Edit::first(&opened);
        let made = Made::of(&opened, &edit).unwrap();
        let exported = Exported::of(&opened, &made, Format::Bvh).unwrap();
        let sidecar = Sidecar::from_json(exported.sidecar.as_bytes()).unwrap();
        let recipe = edit.to_recipe();
        let search = SearchRequest::default();
        let request = Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::Recommended,
        };
        let chosen = choose(&opened.studied, request, &mut Vec::new())
            .unwrap()
            .remove(0)
            .unwrap();
        let done = make(&opened.studied, request, &chosen).unwrap();
        let pending = write(&opened.studied, request, done, Format::Bvh).unwrap();
        let (_, wanted) = pending.named(Vec::new(), opened.warnings.clone());
        assert_eq!(sidecar.warnings, wanted.warnings, "{settings:?}");
        num_doubts += usize::from(sidecar.warnings.iter().any(|warning| warning.contains("periodic at")));
    }
    assert!(num_doubts > 0, "no take is too short");
}

/// Start and end that are as unlike as any two frames make no loop that only wants a look.
#[test]
fn ends_that_are_unlike_are_bad() {
    let mut harness = studio(1280.0, 860.0);
    let opened = model(&harness).opened().unwrap().clone();
    let random = opened.found.random_cost.unwrap();
    let cost = |end| {
        opened
            .studied
            .analysis
            .seam_cost(20, end, SearchSettings::default().decay)
    };
    let end = (40..90)
        .max_by(|one, other| cost(*one).total_cmp(&cost(*other)))
        .unwrap();
    assert!(cost(end) > 1.1 * random);
    let stretch = Stretch::Frames {
        start_frame: 20.0,
        end_frame: end as f64,
    };
    apply(&mut harness, Action::Choose(stretch));
    wait(&mut harness, "it is made", is_made);
    let verdict = &model(&harness).finished().unwrap().verdict;
    let check = verdict.checks.iter().find(|check| check.id == "repeats").unwrap();
    assert_eq!(
        (verdict.grade, check.grade),
        (Grade::Bad, Some(Grade::Bad)),
        "{verdict}"
    );
}

/// Animations, loops and takes that are ticked are written by the road of *Export*.
#[test]
fn what_is_ticked_is_exported_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.gltf");
    std::fs::write(&path, super::first_use::two_animations()).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    open(&mut harness, &path);
    let alone = {
        let (opened, made) = (model(&harness).opened().unwrap(), model(&harness).finished().unwrap());
        Exported::of(opened, made, Format::Gltf).unwrap()
    };
    press(&mut harness, "Export several");
    wait_for(&mut harness, "the animations are listed", |harness| {
        harness.query_by_label("Tick second").is_some()
    });
    for label in ["Tick two.gltf", "Tick second", "Tick loop 1"] {
        press(&mut harness, label);
    }
    export_by(&mut harness, "Export all that is ticked (3)");
    let written = ["two-loop.gltf", "two-second-loop.gltf", "two-loop-1.gltf"].map(|name| folder.path().join(name));
    wait_for(&mut harness, "all are written", |_| {
        written.iter().all(|path| path.exists())
    });
    harness.run_steps(3);
    harness.get_by_label_contains("Written: 3 files, the last ");
    assert!(std::fs::read(&written[0]).unwrap() == alone.bytes);
    assert!(written.iter().all(|path| path.with_extension("gltf.json").exists()));
    assert!(model(&harness).problem().is_none(), "{:?}", model(&harness).problem());
}

/// Takes in what is done until something is so. Returns what was written meanwhile.
fn written_until(model: &mut Model, is_so: impl Fn(&Model) -> bool) -> Vec<Exported> {
    let start = Instant::now();
    let mut written = Vec::new();
    while !is_so(model) {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
        model.poll();
        written.extend(model.take_exported());
    }
    written
}

fn open_bytes(model: &mut Model, file_name: &str, bytes: Vec<u8>) {
    model.apply(Action::Open {
        file_name: file_name.to_owned(),
        bytes,
        beside: Beside::default(),
    });
}

fn export_all(model: &mut Model, ticked: Vec<Ticked>) {
    model.apply(Action::TickSeveral(true));
    for each in ticked {
        model.apply(Action::Tick(each, true));
    }
    model.apply(Action::ExportTicked(None));
    model.poll();
    assert!(model.writing().is_some());
}

/// A take that is opened gives up what is written just then; what cannot be written is tried once.
#[test]
fn what_is_ticked_is_written_though_a_take_is_opened() {
    let mut model = Model::new(Wake::default());
    written_until(&mut model, is_made);
    let ticked = vec![Ticked::Take("walk.bvh".to_owned()), Ticked::Loop(98), Ticked::Loop(0)];
    export_all(&mut model, ticked);
    open_bytes(&mut model, "stroll.bvh", walk(Format::Bvh, &stroll()));
    let written = written_until(&mut model, |model| is_made(model) && model.writing().is_none());
    let names: Vec<&str> = written.iter().map(|exported| exported.file_name.as_str()).collect();
    assert_eq!(names, ["walk-loop.bvh", "walk-loop-1.bvh"]);
    assert_eq!(model.opened().unwrap().file_name, "stroll.bvh");
    let said = model.problem().unwrap().to_string();
    assert!(said.starts_with("left out: walk-loop-99 ("), "{said}");
}

/// Frames that were chosen by hand are those of the loop that is written.
#[test]
fn the_animation_that_is_shown_is_exported_as_shown() {
    let mut model = Model::new(Wake::default());
    written_until(&mut model, is_made);
    open_bytes(&mut model, "two.gltf", super::first_use::two_animations());
    written_until(&mut model, |model| is_made(model) && model.others().count() == 0);
    let stretch = Stretch::Frames {
        start_frame: 20.0,
        end_frame: 50.0,
    };
    model.apply(Action::Choose(stretch));
    written_until(&mut model, is_made);
    let shown = Exported::of(model.opened().unwrap(), model.finished().unwrap(), Format::Gltf).unwrap();
    let name = model.opened().unwrap().take().name().to_owned();
    export_all(&mut model, vec![Ticked::Animation(name)]);
    let written = written_until(&mut model, |model| model.writing().is_none());
    assert_eq!(written.len(), 1);
    assert!(written[0].bytes == shown.bytes);
}

/// Loops that are the same, begun elsewhere, stand behind the first of them.
#[test]
fn equal_loops_are_folded() {
    let long = WalkSettings::default().seed(5).seconds(20.0);
    let opened = Opened::read("long.bvh", walk(Format::Bvh, &long)).unwrap();
    let count = opened.found.candidates.len();
    let heads: Vec<usize> = (0..count).filter(|&index| opened.like(index).is_none()).collect();
    assert!(heads.contains(&0) && heads.len() > 1 && count > 2);
    for index in 0..count {
        let like = opened.like(index);
        assert!(
            like.is_none_or(|head| head < index && opened.like(head).is_none()),
            "{index} {like:?}"
        );
    }
    // The second is like the first, and the third like the second alone: it stands for itself.
    let mut opened = opened;
    let take = opened.take().clone();
    let cuts = [0.0, 40.0, 80.0].map(|start| Cut::new(&take, start, start + 100.0).unwrap());
    for (candidate, cut) in opened.found.candidates.iter_mut().zip(cuts) {
        candidate.cut = cut;
    }
    assert_eq!([0, 1, 2].map(|index| opened.like(index)), [None, Some(0), None]);
}
