//! The studio's statements are true: grades, takes that stay open, and the places of files.

use std::path::{Path, PathBuf};

use eframe::egui::{Key, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use loopwright_core::{SearchSettings, feet::FootLock, take::Cut};
use loopwright_formats::{Format, Sidecar, loop_file::facts::Grade};
use loopwright_job::{Request, Rows, SearchRequest, choose, make, write};
use loopwright_studio::{
    Action, Model, Studio,
    model::{Beside, Edit, Exported, Judgement, Made, Opened, Stretch, Ticked},
    work::Wake,
};
use loopwright_synth::WalkSettings;

use super::driven::{is_made, stroll, strolls, studio, studio_that, studio_with_stroll, walk, written_until};

/// A loop of the list has no grade until it was made by the present settings, and then that of the loop that one gets.
#[test]
fn the_list_says_the_grade_of_the_loop_that_one_gets() {
    let (_folder, mut harness) = studio_with_stroll(1280.0, 2400.0);
    let count = harness.opened().found.candidates.len();
    assert!(count > 2);
    harness.key_press(Key::Space);
    let row = harness.model().chosen_row().unwrap();
    assert_eq!(harness.edit().stretch, Stretch::Recommended);
    for round in 0..2 {
        harness.click("Lock planted feet");
        if round == 0 {
            // The recommended stretch stays selected, whatever is changed.
            assert_eq!(harness.edit().stretch, Stretch::Found(row));
            assert_eq!(harness.model().undo_names(), [Some("stretch"), None]);
        }
        harness.wait_judged();
        for index in 0..count {
            let said = harness.model().judgement(index);
            harness.apply(Action::Choose(Stretch::Found(index)));
            harness.wait_made();
            let made = harness.made().verdict.grade;
            assert_eq!(said, Judgement::Graded(made), "loop {}", index + 1);
        }
    }
    harness.press("Loops of the take");
    // Other settings make other loops.
    harness.change(|edit| edit.settings.feet.lock = FootLock::Off);
    assert_eq!(harness.model().judgement(0), Judgement::NotYet);
    harness.step();
    assert!(harness.query_all_by_label_contains("not yet judged").next().is_some());
}

#[test]
fn takes_stay_open_or_it_is_said_which_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let paths: [_; 12] = strolls(
        folder.path(),
        std::array::from_fn(|number| format!("walk-{number:02}.bvh")),
    );
    let broken = folder.path().join("walk-00a.bvh");
    std::fs::write(&broken, "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 2400.0);
    harness.start_opening(folder.path());
    harness.wait_takes(paths.len());
    let said = harness.model().problem().unwrap().to_string();
    assert!(said.starts_with("left out: walk-00a.bvh ("), "{said}");
    std::fs::remove_file(broken).unwrap();
    // If memory does not suffice for all takes, the others are named.
    let take = harness.opened().take().clone();
    let one = paths[0].metadata().unwrap().len() as usize + 240 * take.num_frames() * take.num_joints();
    let room = 7 * one / 2;
    let all = folder.path().to_owned();
    let mut harness = studio_that(1280.0, 2400.0, move |studio: &mut Studio| {
        studio.keep_takes_within(room);
        studio.open_path(&all);
    });
    harness.wait("it is said", |model| is_made(model) && model.problem().is_some());
    let open = harness.model().others().count() + 1;
    assert_eq!(open, 3);
    let said = harness.model().problem().unwrap().to_string();
    assert!(said.contains("walk-11.bvh") || said.contains(" more ("), "{said}");
    assert!(said.contains("close some"), "{said}");
}

/// A take has a mark until it is written. The one that was asked about is closed, whichever is shown when one answers.
#[test]
fn changed_takes_have_a_mark_and_are_closed_after_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let paths = strolls(folder.path(), ["walk-00.bvh", "walk-01.bvh", "walk-02.bvh"]);
    let mut harness = studio(1280.0, 3600.0);
    harness.start_opening(folder.path());
    harness.wait_takes(paths.len());
    harness.get_by_label("walk-02.bvh, shown");
    harness.click("Lock planted feet");
    harness.find("walk-02.bvh, shown, not written");
    harness.get_by_label("walk-02.bvh, shown, not written");
    harness.press("Close walk-02.bvh");
    harness.press("Leave it open");
    assert_eq!(harness.model().others().count(), 2);
    harness.export_by("Export the loop");
    harness.wait("it is written", |model| !model.is_unsaved(None));
    harness.press("Close walk-02.bvh");
    harness.wait_made();
    assert_eq!(harness.opened().file_name, "walk-01.bvh");
    harness.click("Lock planted feet");
    harness.press("Close walk-01.bvh");
    harness.click("Go on with walk-00.bvh");
    harness.press("Close it all the same");
    harness.wait("one is closed", |model| model.others().count() == 0);
    assert_eq!(harness.opened().file_name, "walk-00.bvh");
    assert!(harness.query_by_label("Close it all the same").is_none());
    harness.click("Lock planted feet");
    harness.press("Close walk-00.bvh");
    harness.press("Close it all the same");
    harness.wait_open(|opened| opened.bytes.is_none());
}

/// Nothing is written beside the take unasked; the folder that is chosen stays, and an old failure is not said beside a new file.
#[test]
fn an_export_asks_where_to_once() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    for inner in [&one, &two] {
        std::fs::create_dir(inner).unwrap();
        strolls(inner, ["walk-00.bvh"]);
    }
    let mut harness = studio(1280.0, 860.0);
    harness.open(&one.join("walk-00.bvh"));
    harness.key_press(Key::E);
    harness.wait_label("Write here");
    harness.get_by_role_and_label(Role::TextInput, "Folder of loops");
    assert_eq!(std::fs::read_dir(&one).unwrap().count(), 1, "nothing is written yet");
    // Escape closes the question, and nothing else.
    harness.key(Key::Escape);
    assert!(harness.query_by_label("Write here").is_none());
    assert_eq!(std::fs::read_dir(&one).unwrap().count(), 1);
    harness.start_opening(Path::new("no such file"));
    harness.wait_problem();
    harness.key_press(Key::E);
    harness.write_here();
    let written = one.join("walk-00-loop.bvh");
    harness.wait_file(&written);
    assert!(harness.model().problem().is_none());
    harness.open(&two.join("walk-00.bvh"));
    harness.click("Undo");
    harness.key_press(Key::E);
    harness.wait_label("Keep both");
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
    let opened = harness.opened().clone();
    let decay = SearchSettings::default().decay;
    let costs = (40..90).map(|end| (opened.studied.analysis.seam_cost(20, end, decay), end));
    let (cost, end) = costs.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
    assert!(cost > 1.1 * opened.found.random_cost.unwrap());
    harness.choose_frames(20.0, end as f64);
    let verdict = &harness.made().verdict;
    let check = verdict.checks.iter().find(|check| check.id == "repeats").unwrap();
    assert_eq!(
        (verdict.grade, check.grade),
        (Grade::Bad, Some(Grade::Bad)),
        "{verdict}"
    );
}

/// Animations, loops and takes that are ticked are written by the road of *Export*; the animation that is shown of the frames that are chosen.
#[test]
fn what_is_ticked_is_exported_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.gltf");
    std::fs::write(&path, super::first_use::two_animations()).unwrap();
    let mut harness = studio(1280.0, 4200.0);
    harness.open(&path);
    harness.choose_frames(20.0, 50.0);
    let alone = Exported::of(harness.opened(), harness.made(), Format::Gltf).unwrap();
    let shown = format!("Tick {}", harness.opened().take().name());
    harness.press("Tick several");
    harness.wait_label("Tick second");
    for label in ["Tick two.gltf", "Tick second", "Tick loop 1", &shown] {
        harness.press(label);
    }
    harness.export_by("Export all that is ticked (4)");
    harness.wait_label("Written: 4 files, the last ");
    let written = || {
        std::fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().path())
    };
    let is_alone = |path: &PathBuf| std::fs::read(path).unwrap() == alone.bytes;
    assert!(is_alone(&folder.path().join("two-loop.gltf")));
    assert_eq!(
        written().filter(is_alone).count(),
        2,
        "the take and the animation that is shown"
    );
    for name in ["two-loop", "two-second-loop", "two-loop-1"] {
        assert!(folder.path().join(format!("{name}.gltf.json")).exists(), "{name}");
    }
    assert!(harness.model().problem().is_none(), "{:?}", harness.model().problem());
}

/// A take that is opened gives up what is written just then; what cannot be written is tried once.
#[test]
fn what_is_ticked_is_written_though_a_take_is_opened() {
    let mut model = Model::new(Wake::default());
    written_until(&mut model, is_made);
    let ticked = vec![Ticked::Take("walk.bvh".to_owned()), Ticked::Loop(98), Ticked::Loop(0)];
    model.apply(Action::TickSeveral(true));
    for each in ticked {
        model.apply(Action::Tick(each, true));
    }
    model.apply(Action::ExportTicked(None));
    model.poll();
    assert!(model.writing().is_some());
    model.apply(Action::Open {
        file_name: "stroll.bvh".to_owned(),
        bytes: walk(Format::Bvh, &stroll()),
        beside: Beside::default(),
    });
    let written = written_until(&mut model, |model| is_made(model) && model.writing().is_none());
    let names: Vec<&str> = written.iter().map(|exported| exported.file_name.as_str()).collect();
    assert_eq!(names, ["walk-loop.bvh", "walk-loop-1.bvh"]);
    assert_eq!(model.opened().unwrap().file_name, "stroll.bvh");
    let said = model.problem().unwrap().to_string();
    assert!(said.starts_with("left out: walk-loop-99 ("), "{said}");
}

/// Loops that are the same, begun elsewhere, stand behind the first of them.
#[test]
fn equal_loops_are_folded() {
    let long = WalkSettings::default().seed(5).seconds(20.0);
    let opened = Opened::read("long.bvh", walk(Format::Bvh, &long)).unwrap();
    let likes: Vec<_> = (0..opened.found.candidates.len())
        .map(|index| opened.like(index))
        .collect();
    assert!(likes[0].is_none() && likes.len() > 2 && likes[1..].contains(&None));
    for (index, like) in likes.iter().enumerate() {
        assert!(
            like.is_none_or(|head| head < index && likes[head].is_none()),
            "{likes:?}"
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
