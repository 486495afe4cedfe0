//! Flags override every setting of the recipe.

use crate::harness::Folder;
use serde_json::Value;

/// The frames that a loop was cut from.
fn cut(made: &Value) -> [&Value; 2] {
    ["start_frame", "end_frame"].map(|key| &made["candidate"][key])
}

/// A walk with the recipe `range.toml`, which names frames that no search ranks first.
fn with_recipe() -> Folder {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let made = folder.made("--range 20:56 --root-motion in-place --save-recipe range.toml");
    assert_eq!(cut(&made), [20.0, 56.0]);
    folder
}

#[test]
fn pick_sets_the_stretch_of_a_recipe_aside() {
    let folder = with_recipe();
    for pick in ["--pick 1", "--set search.shifted=true --pick 2"] {
        let made = folder.made(&format!("--recipe range.toml {pick}"));
        assert_eq!(cut(&made), cut(&folder.made(pick)), "{pick}");
        assert_eq!(made["root_motion"]["mode"], "in-place", "the rest of the recipe holds");
    }
}

#[test]
fn a_search_sets_the_stretch_of_a_recipe_aside() {
    let folder = with_recipe();
    // A flag that is typed with its default value still overrides the recipe.
    for search in [
        "--cycles 3",
        "--within 100:239",
        "--seconds 0.4:",
        "--set search.fade=cubic",
    ] {
        let made = folder.made(&format!("--recipe range.toml {search}"));
        assert_eq!(cut(&made), cut(&folder.made(search)), "{search}");
        assert_ne!(cut(&made), [20.0, 56.0], "{search}");
    }
    let other = folder.made("--recipe range.toml --fps 60 --root-motion keep");
    assert_eq!(cut(&other), [20.0, 56.0]);
    assert_eq!(other["root_motion"]["mode"], "keep");
}

#[test]
fn a_search_keeps_the_cycles_that_a_recipe_asks_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    folder.write("two.toml", "[stretch]\ncycles = 2\n");
    let two = folder.made("--recipe two.toml --set search.shifted=true --pick 2");
    assert_eq!(two["candidate"]["cycles"], 2);
    assert_eq!(
        cut(&two),
        cut(&folder.made("--cycles 2 --set search.shifted=true --pick 2"))
    );
    let one = folder.made("--recipe two.toml --cycles 1");
    assert_eq!(one["candidate"]["cycles"], 1);
}

#[test]
fn a_range_counts_more_than_the_stretch_of_a_recipe() {
    let folder = with_recipe();
    // With named frames, an option for the cost of seams starts no search.
    for also in ["", "--set search.half-life=0.2"] {
        let made = folder.made(&format!("--recipe range.toml --range 10:45 {also}"));
        assert_eq!(cut(&made), [10.0, 45.0]);
    }
    let closed = folder.run("close walk.bvh -o closed.bvh --recipe range.toml --range 10:45 --cycles 1 --json");
    assert_eq!(cut(&closed.done().json()), [10.0, 45.0]);
}

#[test]
fn a_default_that_is_typed_counts_more_than_a_recipe() {
    let folder = Folder::with_walk();
    folder.write("sideways.toml", "[take]\nup = \"x\"\nunit = \"mm\"\n");
    let up = |options: &str| {
        let made = folder.run(&format!("make walk.bvh -o loop.bvh --force --json {options}"));
        made.wrote().json()["take"]["up"].clone()
    };
    assert_eq!(up("--recipe sideways.toml --range 10:45"), "x");
    assert_eq!(up("--recipe sideways.toml --range 10:45 --up auto"), "y");
}
