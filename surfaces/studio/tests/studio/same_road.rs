//! Studio and command go one road: the same take and recipe give the same bytes.

use std::{fs, sync::Arc};

use loopwright_formats::Format;
use loopwright_job::Recipe;
use loopwright_mocap::Expect;
use loopwright_studio::model::{Edit, Exported, Made, Opened};

use crate::driven::command;

const TAKES: usize = 20;

/// Loops as they come, for another use, and closed as the user says.
const RECIPES: [&str; 3] = [
    "",
    "[output]\nroot-motion = \"in-place\"\nlock-feet = \"solve\"\nfps = 30.0\nrecenter = \"on\"\n",
    "[closure]\nmethod = \"cubic\"\nblend = 0.02\n\n[output]\nlast-key = \"drop\"\n",
];

/// Other stretches and closures are tried by both where the seam shows.
#[test]
fn studio_and_command_make_the_same_loops() {
    let Some(mocap) = loopwright_mocap::folder_or_skip() else {
        return;
    };
    let rows = loopwright_mocap::manifest(&mocap).unwrap();
    let is_asked = |row: &&loopwright_mocap::TakeRow| row.expect == Some(Expect::Loop) && row.file.ends_with(".bvh");
    let folder = tempfile::tempdir().unwrap();
    let mut num_retried = 0;
    for row in rows.iter().filter(is_asked).take(TAKES) {
        let path = mocap.join(&row.file);
        let bytes = Arc::new(fs::read(&path).unwrap());
        for text in RECIPES {
            let recipe = Recipe::read(text.as_bytes()).unwrap();
            let opened = Opened::read_as("take.bvh", Arc::clone(&bytes), &recipe.take, &[]).unwrap();
            let edit = Edit::of_recipe(&recipe, &opened).unwrap();
            let made = Made::of(&opened, &edit).unwrap();
            num_retried += usize::from(made.done.tried > 1);
            let exported = Exported::of(&opened, &made, Format::Bvh).unwrap();
            // By the search of the command, and by the recipe that the studio saves.
            fs::write(folder.path().join("asked.toml"), text).unwrap();
            fs::write(folder.path().join("saved.toml"), made.recipe.to_text().unwrap()).unwrap();
            for recipe in ["asked.toml", "saved.toml"] {
                let path = path.to_str().unwrap();
                let words = ["make", path, "--recipe", recipe, "-o", "loop.bvh", "--force"];
                if command(folder.path(), &words).is_none() {
                    return;
                }
                let wanted = fs::read(folder.path().join("loop.bvh")).unwrap();
                assert!(exported.bytes == wanted, "{} by {recipe}: {text}", row.file);
            }
        }
    }
    assert!(num_retried > 0, "no seam shows, so that nothing else was tried");
}
