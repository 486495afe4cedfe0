//! Real takes: good takes loop, the others are refused, and no take crashes the command.
//!
//! The takes lie beside the project and are never part of it; if they are missing, the tests say so and are skipped.

use std::path::Path;

use crate::{
    harness::{Answer, Folder, holds, items, number, rows},
    road::rank,
};
use loopwright_mocap::{Expect, folder_or_skip};

/// Largest pose gap of a loop, degrees and millimetres.
const MAX_GAP: f64 = 0.01;

/// The loop of a take: no gap by its own figures, and `check` agrees that it loops.
fn loops(folder: &Folder, made: &Answer) -> Result<(), String> {
    for pointer in ["quality/pose_gap_deg", "quality/pose_gap_mm"] {
        let gap = number(&made.json(), pointer);
        if gap >= MAX_GAP {
            return Err(format!("{pointer} is {gap}"));
        }
    }
    let checked = folder.run("check loop.bvh --json").json();
    let (of_check, of_make) = (&checked["loops"][0]["quality"], &made.json()["quality"]);
    for key in ["grade", "reason"] {
        if of_check[key] != of_make[key] {
            return Err(format!("check says {}, make {}", of_check[key], of_make[key]));
        }
    }
    Ok(())
}

/// Ways of planted feet by `foot-slide`, and grades, of loops that are made with these flags.
fn made_of(take: &Path, options: &str) -> (f64, serde_json::Value) {
    let make = format!("make FILE -o loop.fbx --json {options}");
    let quality = Folder::new().run_on(take, &make).wrote().json()["quality"].clone();
    let mut checks = items(&quality["checks"]);
    let slide = checks.find(|check| check["id"] == "foot-slide").unwrap();
    (number(slide, "value"), quality["grade"].clone())
}

/// Held by the points that bear, a foot of this walk slid farther than before, though slower on average. The good loop of this
/// run was far down the list, since the take is abrupt at its seam; the first row is what is made.
#[test]
fn feet_slide_no_farther_and_good_loops_go_first() {
    let Some(mocap) = folder_or_skip() else { return };
    let walk = mocap.join("ozz-pab/walk.fbx");
    let [held, free] = ["", "--lock-feet off"].map(|options| made_of(&walk, options).0);
    assert!(held <= free + 1.0, "{held} mm, {free} mm");
    let run = mocap.join("isaacgym-cmu/09_11_cmu.fbx");
    let grades = ["--pick 1", ""].map(|options| made_of(&run, options).1);
    assert_eq!(grades, ["good", "good"]);
}

fn as_expected(take: &Path, expect: Expect) -> Result<(), String> {
    let folder = Folder::new();
    let made = folder.run_on(take, "make FILE -o loop.bvh --json");
    let is_made = folder.has("loop.bvh");
    let document = made.json();
    let quality = &document["quality"];
    if made.status < 2 && is_made {
        // If a seam is visible, another row than the first may be made.
        let found = folder.run_on(take, "find FILE --json").json();
        let row = &found["candidates"][0]["grade"];
        if rank(row) < rank(&quality["grade"]) {
            return Err(format!("find says {row}, make {}", quality["grade"]));
        }
    }
    match (expect, made.status) {
        // A seam never shows. Of two takes that turn all over no stretch is even, and that is what is bad.
        (Expect::Loop, 0) => loops(&folder, &made),
        (Expect::Loop, 1) if quality["seam_step_ratio"].as_f64().is_some_and(|ratio| ratio < 1.0) => {
            loops(&folder, &made)
        }
        (Expect::Warn, 1) if quality["grade"] == "bad" => loops(&folder, &made),
        (Expect::Warn, 0) if made.stderr.contains("the loop covers frames") => loops(&folder, &made),
        (Expect::Warn, 0) => Err(format!("no word of the rest of the take: {:?}", made.stderr)),
        // Nothing repeats in these, but a whole clip may be one cycle; its seam shows only if it was authored so.
        (Expect::Refuse, 0 | 1) if is_made => match document["candidate"]["whole_clip"]["kind"].as_str() {
            Some(_) if made.status == 0 => loops(&folder, &made),
            Some("loops" | "ends-as-it-begins") => Ok(()),
            Some(kind) => Err(format!("the seam of this {kind} shows")),
            None => Err("a loop was cut out of it".to_owned()),
        },
        (Expect::Warn | Expect::Refuse, 1) if folder.names().is_empty() => Ok(()),
        (Expect::Warn | Expect::Refuse, 1) => Err(format!("left behind {:?}", folder.names())),
        (_, status) => Err(format!("status {status}: {}", made.stderr)),
    }
}

#[test]
fn every_take_loops_or_is_refused_as_the_manifest_says() {
    let Some(folder) = folder_or_skip() else { return };
    let rows = loopwright_mocap::manifest(&folder).unwrap();
    let takes: Vec<(String, Expect)> = rows
        .into_iter()
        .filter_map(|row| Some((row.file, row.expect?)))
        .collect();
    let count = |wanted: Expect| takes.iter().filter(|(_, expect)| *expect == wanted).count();
    assert!(count(Expect::Loop) >= 30 && count(Expect::Warn) >= 10 && count(Expect::Refuse) >= 5);
    let wrong = |takes: &[(String, Expect)]| -> Vec<String> {
        let wrong = takes.iter().filter_map(|(file, expect)| {
            let why = as_expected(&folder.join(file), *expect).err()?;
            Some(format!("{file} ({expect:?}): {why}"))
        });
        wrong.collect()
    };
    // In two threads.
    let (one, other) = takes.split_at(takes.len() / 2);
    let wrong = std::thread::scope(|scope| {
        [scope.spawn(|| wrong(one)), scope.spawn(|| wrong(other))].map(|run| run.join().unwrap())
    });
    assert_eq!(wrong.concat(), [""; 0]);
}

/// In these takes the root joint stays at the origin and the hips move below it: an added root must take root motion from
/// the hips, and `check` must detect that with and without the sidecar.
#[test]
fn root_motion_below_a_still_root_goes_to_an_added_root() {
    let Some(mocap) = folder_or_skip() else { return };
    let take = mocap.join("bandai-namco/dataset-1_walk_normal_001.bvh");
    for options in ["", "--add-root", "--add-root --root-motion in-place"] {
        let folder = Folder::new();
        folder.run_on(&take, &format!("make FILE -o loop.bvh {options}")).done();
        folder.runs("check loop.bvh | loop.bvh: good: ");
        folder.remove("loop.bvh.json");
        folder.runs("check loop.bvh | loop.bvh: good: ");
    }
}

/// A long take of somebody who mostly stands is an idle, and its loop is as good for every command.
#[test]
fn an_idle_is_one_for_every_command() {
    let Some(takes) = folder_or_skip() else { return };
    let take = takes.join("100style/Neutral_ID.bvh");
    let folder = Folder::new();
    for [command, facts] in rows(
        "
        list FILE             | files/0/animations/0/kind = idle; files/0/animations/0/grade = good
        find FILE             | candidates/0/grade = good
        make FILE -o loop.bvh | quality/grade = good
        ",
    ) {
        let answer = folder.run_on(&take, &format!("{command} --json")).json();
        holds(&answer, facts);
    }
}
