//! Takes that are smoothed and put on another character.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use loopwright_formats::Format;
use loopwright_studio::{
    Action,
    model::{Exported, Opened},
};
use loopwright_synth::WalkSettings;

use super::driven::{Driven, command, strolls, studio, walk};

/// Writes a stroll, and a character in a file of another format.
fn stroll_and_hero(folder: &Path, hero: &WalkSettings) -> [PathBuf; 2] {
    let [path] = strolls(folder, ["stroll.bvh"]);
    let character = folder.join("hero.glb");
    std::fs::write(&character, walk(Format::Glb, hero)).unwrap();
    [path, character]
}

fn is_on_character(opened: &Opened) -> bool {
    opened.studied.character.is_some()
}

/// All at once: ends that were dragged, another method, a layer of edits, a take that is smoothed and put on another character by its
/// panel, and a stance by hand. It is taken back, and made again by the command and by a fresh studio with the saved recipe.
#[test]
fn a_take_is_steered_smoothed_and_put_on_a_character() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = stroll_and_hero(folder.path(), &WalkSettings::default().seed(11));
    let mut harness = studio(1280.0, 4200.0);
    harness.open(&path);
    harness.drag_along("End of the stretch", 25.0);
    harness.wait_made();
    harness.choose("Method", "cubic");
    harness.click("Add: noise");
    let first = harness.clip();
    harness.unfold("Smoothing and character");

    harness.press("Smooth the take");
    harness.wait_open(|opened| opened.study.smooth == Some(6.0));
    let smooth = harness.clip();
    assert_eq!(smooth.num_samples(), first.num_samples(), "the same frames are closed");
    assert_ne!(smooth.tracks(), first.tracks());

    harness.press("Put the loop on the next character I open");
    harness.start_opening(&hero);
    harness.wait_open(is_on_character);
    assert_eq!(harness.opened().file_name, "stroll.bvh");
    assert!(!harness.model().awaits_character);
    let skeleton = harness.made().done.made.loop_clip.skeleton().clone();
    assert_ne!(&skeleton, first.skeleton());
    harness.click("Add a stance of LeftFoot");
    let saved = harness.clip();

    harness.export_by("Save the recipe");
    harness.press("Export the loop");
    let exported = folder.path().join("stroll-loop.glb");
    harness.wait_file(&folder.path().join("stroll-loop.glb.json"));
    let text = std::fs::read_to_string(folder.path().join("stroll-loop.toml")).unwrap();
    let said = [
        "start = ",
        "method = \"cubic\"",
        "smooth = 6.0",
        "hero.glb",
        "LeftFoot",
        "noise",
    ];
    assert!(said.iter().all(|said| text.contains(said)), "{text}");
    let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", "again.glb"];
    if command(folder.path(), &words).is_some() {
        let again = std::fs::read(folder.path().join("again.glb")).unwrap();
        assert!(again == std::fs::read(&exported).unwrap(), "{text}");
        command(folder.path(), &["check", "stroll-loop.glb"]);
    }

    // Each reading is a step of undo.
    harness.click("Undo");
    harness.press("Undo");
    harness.wait_open(|opened| !is_on_character(opened));
    assert_eq!(harness.made().done.made.loop_clip, smooth);
    harness.press("Undo");
    harness.wait_open(|opened| opened.study.smooth.is_none());
    assert_eq!(harness.made().done.made.loop_clip, first);
    harness.press("Redo");
    harness.press("Redo");
    harness.wait_open(is_on_character);

    // The recipe is followed by a take that was opened afresh, whose character is on the disk.
    let mut harness = studio(1280.0, 4200.0);
    harness.open(&path);
    let recipe = folder.path().join("stroll-loop.toml");
    harness.start_opening(&recipe);
    harness.wait_open(is_on_character);
    assert_eq!(harness.model().recipe_text().unwrap().unwrap(), text);
    assert_eq!(harness.clip(), saved);
    std::fs::remove_file(&hero).unwrap();
    harness.start_opening(&path);
    harness.wait_open(|opened| !is_on_character(opened));
    harness.start_opening(&recipe);
    harness.wait_problem();
    harness.get_by_label_contains("drop it as a character first");
}

/// The character that was opened is the body of every later take, shown and exported, until it is closed.
#[test]
fn a_character_is_kept_for_later_takes() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = stroll_and_hero(folder.path(), &WalkSettings::default().seed(11));
    let [later, last] = strolls(folder.path(), ["later.bvh", "last.bvh"]);
    let mut harness = studio(1280.0, 1400.0);
    harness.open(&path);
    let own = harness.clip().skeleton().clone();
    harness.apply(Action::AwaitCharacter(true));
    harness.start_opening(&hero);
    harness.wait_open(is_on_character);
    let body = harness.clip().skeleton().clone();
    assert_ne!(body, own);

    harness.start_opening(&later);
    harness.wait_open(|opened| opened.file_name == "later.bvh" && is_on_character(opened));
    assert_eq!(harness.clip().skeleton(), &body);
    let exported = Exported::of(harness.opened(), harness.made(), Format::Glb).unwrap();
    assert!(exported.sidecar.contains("hero.glb"), "{}", exported.sidecar);

    harness.get_by_label("Character: hero.glb");
    harness.press("Close the character hero.glb");
    harness.wait_open(|opened| opened.file_name == "later.bvh" && !is_on_character(opened));
    assert_eq!(harness.clip().skeleton(), &own);
    harness.open(&last);
    assert!(!is_on_character(harness.opened()));
    assert!(harness.query_by_label("Character: hero.glb").is_none());
}

/// A file that is no character does not stay for later takes, nor does it replace the character that is kept.
#[test]
fn a_file_that_is_no_character_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = stroll_and_hero(folder.path(), &WalkSettings::default().seed(11));
    let wrong = folder.path().join("wrong.glb");
    std::fs::write(&wrong, "HIERARCHY ROOT").unwrap();
    let mut harness = studio(1280.0, 1400.0);
    harness.open(&path);
    let try_wrong = |harness: &mut Driven| {
        harness.apply(Action::AwaitCharacter(true));
        harness.start_opening(&wrong);
        harness.wait_problem();
        assert!(harness.query_by_label("Character: wrong.glb").is_none());
        harness.apply(Action::Dismiss);
    };
    try_wrong(&mut harness);
    harness.apply(Action::AwaitCharacter(true));
    harness.start_opening(&hero);
    harness.wait_open(is_on_character);
    try_wrong(&mut harness);
    harness.get_by_label("Character: hero.glb");
    assert!(is_on_character(harness.opened()));
}

/// A map of joints that is dropped is followed, by a recipe too, as the command follows it.
#[test]
fn a_map_of_joints_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hero] = stroll_and_hero(folder.path(), &WalkSettings::default());
    let map = folder.path().join("hero.toml");
    // The head rests.
    std::fs::write(&map, "[joints]\nHead = \"\"\n").unwrap();
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, "[take]\nrig = \"hero.glb\"\nmap = \"hero.toml\"\n").unwrap();
    let mut harness = studio(1280.0, 4200.0);
    harness.open(&path);
    harness.start_opening(&map);
    harness.wait_problem();
    harness.get_by_label_contains("this map of joints is for a take on a character");

    // Their folders are not those that the recipe is read from.
    harness.start_opening(&recipe);
    harness.wait("the character is asked for", |model| {
        model.progress().is_none()
            && model
                .problem()
                .is_some_and(|problem| problem.to_string().contains("hero.glb"))
    });
    harness.apply(Action::AwaitCharacter(true));
    harness.start_opening(&hero);
    let joints = |opened: &Opened| Some(opened.studied.character.as_ref()?.facts().joints_followed);
    harness.wait_open(is_on_character);
    let all = joints(harness.opened()).unwrap();
    harness.start_opening(&map);
    harness.wait_open(|opened| joints(opened) == Some(all - 1));
    harness.start_opening(&recipe);
    harness.wait_open(|opened| opened.study.map.as_deref() == Some(Path::new("hero.toml")));
    assert_eq!(joints(harness.opened()), Some(all - 1));
    let recipe_text = harness.model().recipe_text().unwrap().unwrap();
    std::fs::write(folder.path().join("made.toml"), recipe_text).unwrap();
    let exported = Exported::of(harness.opened(), harness.made(), Format::Glb).unwrap();
    let words = ["make", "stroll.bvh", "--recipe", "made.toml", "-o", "again.glb"];
    if command(folder.path(), &words).is_some() {
        assert!(std::fs::read(folder.path().join("again.glb")).unwrap() == exported.bytes);
    }
}
