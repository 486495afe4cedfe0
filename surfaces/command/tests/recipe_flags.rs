//! Flags override every setting of the recipe.

use crate::harness::{Folder, holds, lines};
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
fn a_search_sets_the_stretch_of_a_recipe_aside() {
    let folder = with_recipe();
    // A flag that is typed with its default value still overrides the recipe.
    for search in lines(
        "
        --pick 1
        --set search.shifted=true --pick 2
        --cycles 3
        --within 100:239
        --seconds 0.4:
        --set search.fade=cubic
        ",
    ) {
        let made = folder.made(&format!("--recipe range.toml {search}"));
        assert_eq!(cut(&made), cut(&folder.made(search)), "{search}");
        assert_ne!(cut(&made), [20.0, 56.0], "{search}");
        holds(&made, "root_motion/mode = in-place");
    }
    let other = folder.made("--recipe range.toml --fps 60 --root-motion keep");
    assert_eq!(cut(&other), [20.0, 56.0]);
    holds(&other, "root_motion/mode = keep");
    // It keeps the cycles that a recipe asks for.
    folder.write("two.toml", "[stretch]\ncycles = 2\n");
    let pick = "--set search.shifted=true --pick 2";
    let two = folder.made(&format!("--recipe two.toml {pick}"));
    holds(&two, "candidate/cycles = 2");
    assert_eq!(cut(&two), cut(&folder.made(&format!("--cycles 2 {pick}"))));
    holds(&folder.made("--recipe two.toml --cycles 1"), "candidate/cycles = 1");
}

#[test]
fn a_range_counts_more_than_the_stretch_of_a_recipe() {
    let folder = with_recipe();
    // With named frames, an option for the cost of seams starts no search.
    for command in lines(
        "
        make walk.bvh -o loop.bvh -f
        make walk.bvh -o loop.bvh -f --set search.half-life=0.2
        close walk.bvh -o closed.bvh --cycles 1
        ",
    ) {
        let made = folder.answer(&format!("{command} --recipe range.toml --range 10:45 --json"));
        assert_eq!(cut(&made), [10.0, 45.0]);
    }
}

#[test]
fn a_default_that_is_typed_counts_more_than_a_recipe() {
    let folder = Folder::with_walk();
    folder.write("sideways.toml", "[take]\nup = \"x\"\nunit = \"mm\"\n");
    for (options, up) in [("", "x"), ("--up auto", "y")] {
        let make = "make walk.bvh -o loop.bvh --force --json --recipe sideways.toml --range 10:45";
        let made = folder.run(&format!("{make} {options}")).wrote().json();
        assert_eq!(made["take"]["up"], up);
    }
}
