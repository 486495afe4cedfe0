//! `check` as a lint: many loops and folders, limits by flags and by `loopwright.toml`, exit statuses for builds.

use crate::harness::{Answer, Folder, command, holds, items, near, number, rows, texts};

/// A folder with a take, and three loops of it below `loops`, in three formats.
fn with_loops() -> Folder {
    let folder = Folder::with_walk();
    folder.make_folder("loops");
    folder.make_folder("loops/deep");
    folder.runs("make walk.bvh -o loops/a.bvh\nmake walk.bvh -o loops/deep/b.glb\nmake walk.bvh -o loops/deep/c.fbx");
    folder
}

#[test]
fn a_folder_stands_for_the_loops_below_it() {
    let folder = with_loops();
    // Neither has a sidecar: one is a take, and the other is a loop by its name.
    folder.copy("walk.bvh", "loops/take.bvh");
    folder.copy("loops/a.bvh", "loops/deep/alone-loop.bvh");
    let loops = "loops/a.bvh loops/deep/alone-loop.bvh loops/deep/b.glb loops/deep/c.fbx";
    let checked = folder.answer("check loops --json");
    assert_eq!(texts(&checked["loops"], "file").join(" ").replace('\\', "/"), loops);
    assert_eq!(texts(&checked["loops"], "grade"), ["good"; 4]);
    folder.make_folder("empty");
    let checked = folder
        .refuse("check empty loops --json", "no loop in the folder \"empty\"")
        .json();
    holds(
        &checked,
        "loops/0/file = empty\nloops/0/grade = error\nloops/4 != null\nloops/5 = null",
    );
}

#[test]
fn a_limit_that_is_exceeded_is_reported_with_what_to_try() {
    let folder = with_loops();
    let checked = folder.run("check loops --max-foot-slide 0.01 --json").ended(1).json();
    holds(
        &checked,
        "limits/max_foot_slide_cmps = 0.01\nlimits/max_pose_gap_mm = null",
    );
    for one in items(&checked["loops"]) {
        holds(
            one,
            "
            grade = good
            quality/foot_slide_cmps > 0.02
            failed/0/measure = foot_slide_cmps
            failed/0/allowed = 0.01
            failed/0/joint = null
            failed/1 = null
            ",
        );
        let failed = &one["failed"][0];
        assert_eq!(failed["found"], one["quality"]["foot_slide_cmps"]);
        assert!(failed["try"].to_string().contains("--max-foot-slide"));
    }
    // The reason is what fails, and not what else is wrong.
    folder.runs(
        "
        1 check loops --max-foot-slide 0.01 | a.bvh: good: the seam does not show | failed: foot sliding | , allowed 0.01 | 3 of 3 loops fail
        1 check walk.bvh loops/a.bvh --only root-steady --max-foot-slide 0.01 | walk.bvh: bad: |   walk.bvh: foot sliding |! seam-position
        ",
    );
}

#[test]
fn a_report_replaces_no_loop() {
    let folder = with_loops();
    let before = folder.contents();
    let refused = "
        loops/a.bvh      | never overwritten
        loops/a.bvh.json | never overwritten
        walk.bvh         | never overwritten
    ";
    folder.refuse_all("check loops --take walk.bvh --force --junit", refused);
    assert!(folder.contents() == before);
}

#[test]
fn a_pop_names_the_joint_that_shows_it() {
    let folder = with_loops();
    let checked = folder.run("check walk.bvh loops/a.bvh --json").ended(1).json();
    holds(
        &checked,
        "loops/0/grade = bad\nloops/0/failed/0/measure = seam-position\nloops/1/failed = []",
    );
    let failed = &checked["loops"][0]["failed"];
    let reason = checked["loops"][0]["quality"]["reason"].as_str().unwrap();
    let joint = failed[0]["joint"].as_str().unwrap();
    let is_right = reason.starts_with(&format!("{joint} jumps by ")) && reason.ends_with(" mm at the seam");
    assert!(is_right, "{reason}");
    let take = folder.take("walk.bvh");
    for one in items(failed) {
        assert!(take.skeleton().find(one["joint"].as_str().unwrap()).is_some(), "{one}");
        assert!(number(one, "found") > number(one, "allowed"));
    }
    // The checks that are named decide alone.
    folder.runs("check walk.bvh --only foot-slide,kink | walk.bvh: bad:");
}

/// The report for a build server: a case for each check that a loop answers, with names that XML has to escape.
#[test]
fn a_report_for_build_servers_has_a_case_for_each_check() {
    let folder = with_loops();
    folder.copy("walk.bvh", "loops/a&b-loop.bvh");
    folder.write("loops/c-loop.bvh", "not a take");
    // The table counts the loops that each check finds wanting.
    folder.runs(
        "
        2 check loops --junit report.xml | check | seam-position
        2 check loops --junit report.xml | report.xml
        2 check loops --junit report.xml --force
        ",
    );
    let report = folder.text("report.xml");
    for [part, count] in rows(
        "
        <testsuite name=\"loops/a&amp;b-loop.bvh\" tests=                              | 1
        <testsuite name=\"loops/c-loop.bvh\" tests=\"1\" failures=\"0\" errors=\"1\"   | 1
        name=\"seam-velocity\"                                                         | 4
        name=\"seam-position\"><failure message=\"seam-position                        | 1
        name=\"turn\"                                                                  | 0
        <skipped                                                                       | 0
        ",
    ) {
        assert_eq!(report.matches(part).count().to_string(), count, "{part}: {report}");
    }
}

/// Loops to review pass a build unless it asks for more, and checks that are not named do not decide.
#[test]
fn a_build_chooses_what_fails_it() {
    let folder = Folder::with_walk();
    // A root that creeps is to be reviewed.
    folder.runs(
        "
        synth -o slow.bvh --speed 0.02 --turn-rate 0 --seconds 4 --fps 30
        make slow.bvh -o loop.bvh                                   |   try                  --root-motion in-place
        check loop.bvh                                              | loop.bvh: review | review: root-drift | try: --root-motion in-place
        1 check loop.bvh --fail-on review                           | failed: root-drift | try: --root-motion in-place
        1 check loop.bvh --fail-on review --only root-drift
        check loop.bvh --fail-on review --only kink
        2 check loop.bvh --only glow                                | glow
        ",
    );
}

#[test]
fn limits_come_from_the_nearest_file_and_flags_count_more() {
    let folder = with_loops();
    folder.write(
        "loopwright.toml",
        "[check]\nmax-foot-slide = 0.01\nmax-seam-rank = 100\n",
    );
    let ends = |table: &str| {
        for [status, below, arguments] in rows(table) {
            let mut run = command();
            run.args(arguments.split_whitespace()).current_dir(folder.file(below));
            Answer::new(run.output().unwrap()).ended(status.parse().unwrap());
        }
    };
    // A file above counts, and flags count more.
    ends(
        "
        1 | .          | check loops
        1 | loops/deep | check b.glb
        0 | .          | check loops --max-foot-slide 100
        ",
    );
    // The nearest counts, not one beside the loops. Without a table a file has no limits of its own.
    folder.write("loops/loopwright.toml", "[check]\nmax-foot-slide = 100\n");
    folder.write("other.toml", "");
    ends(
        "
        0 | loops | check deep
        1 | .     | check loops
        0 | .     | check loops --config loops/loopwright.toml
        2 | .     | check loops --config missing.toml
        0 | .     | check loops --config other.toml
        ",
    );
}

#[test]
fn a_malformed_file_of_limits_is_reported_with_its_line() {
    let folder = with_loops();
    for (text, message) in [
        ("[check]\nmax-foot-slide 3\n", "line 2"),
        ("[check]\n\nmax-skating = 3\n", "unknown field `max-skating`"),
        ("[check]\n\nmax-skating = 3\n", "line 3"),
        (
            "[check]\nmax-skating = 3\n",
            "expected one of `max-gap-deg`, `max-gap-mm`",
        ),
        ("[check]\nmax-seam-rank = \"50\"\n", "line 2"),
        ("[check]\nmax-seam-rank = -1\n", "a limit is a number from 0 on"),
        ("[check]\nmax-seam-rank = nan\n", "a limit is a number from 0 on"),
        ("[chek]\nmax-seam-rank = 1\n", "no setting chek.max-seam-rank"),
    ] {
        folder.write("loopwright.toml", text);
        let checked = folder.refuse("check loops", "cannot use");
        assert_eq!(checked.stdout, "", "nothing is checked against half of the limits");
        checked.says(message);
    }
    folder.runs(
        "
        2 check loops --max-foot-slide -1
        2 check loops --max-seam-rank nan
        2 check loops --max-gap-mm inf
        2 check loops --max-gap-deg much
        ",
    );
}

#[test]
fn unreadable_files_are_listed_at_the_end_and_the_rest_is_checked() {
    let folder = with_loops();
    folder.write("loops/bad-loop.bvh", "not a take");
    folder.write("loops/deep/worse-loop.glb", b"glTF\x02\0\0\0");
    let checked = folder.fail("check loops walk.bvh missing.bvh --json");
    let grades = texts(&checked.json()["loops"], "grade").join(" ");
    assert_eq!(grades, "good error good good error bad error");
    let (_, end) = checked.stderr.rsplit_once("3 of 7 loops could not be checked").unwrap();
    for file in ["bad-loop.bvh", "worse-loop.glb", "missing.bvh"] {
        assert!(end.contains(file), "{file} is not listed in {end}");
    }
}

#[test]
fn the_seam_after_several_copies_is_played_too() {
    let folder = Folder::with_walk();
    folder.made("--set output.repeat=2");
    folder.loops();
    // The closing key of the file is broken on purpose: it is the key before it. The first copy is intact.
    let text = folder.text("loop.bvh");
    let (rest, _) = text.trim_end().rsplit_once('\n').unwrap();
    let (_, before) = rest.rsplit_once('\n').unwrap();
    folder.write("loop.bvh", format!("{rest}\n{before}\n"));
    let mut sidecar = folder.json("loop.bvh.json");
    sidecar.as_object_mut().unwrap().remove("file_sha256");
    folder.write("loop.bvh.json", sidecar.to_string());
    folder.runs("1 check loop.bvh | loop.bvh: bad");
}

#[test]
fn a_limit_of_foot_sliding_that_cannot_be_checked_gets_a_warning() {
    let folder = Folder::new();
    // Without foot names and with all leaf joints equal, no feet are detected.
    let prop = "HIERARCHY\nROOT Box\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 10 0\n }\n}\nMOTION\nFrames: 5\nFrame Time: 0.1\n0 0 0 0 0 0\n0 1 0 3 0 0\n0 2 0 0 0 0\n0 1 0 -3 0 0\n0 0 0 0 0 0\n";
    folder.write("box.bvh", prop);
    folder.runs("check box.bvh --max-foot-slide 1 --unit cm --up y --max-gap-deg 90 --max-seam-acceleration 9 --max-gap-mm 99 --only foot-slide | the limit of foot sliding was not checked");
}

/// Each is read at its own rate, also at a lower one in the file of its take.
#[test]
fn every_loop_of_a_file_is_checked_and_the_sidecar_counts_for_its_own() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        convert walk.bvh walk.fbx
        make walk.fbx -o one.fbx
        make one.fbx --animation walk --range 1:33 --root-motion stationary -o two.fbx
        2 check two.fbx --animation nope | no animation \"nope\"
        make walk.fbx --fps 15 -o slow.fbx
        ",
    );
    let checked = folder.answer("check two.fbx --json");
    let names = texts(&checked["loops"], "animation");
    assert_eq!(names.len(), 2, "{names:?}");
    let own = &folder.json("two.fbx.json")["playback"]["animation"];
    for (one, name) in items(&checked["loops"]).zip(names) {
        assert_eq!(one["candidate"].is_null(), name != own, "{name}");
        let alone = folder.answer(&format!("check two.fbx --animation {name} --json"));
        assert_eq!(alone["loops"][0]["quality"], one["quality"], "{name}");
    }
    holds(
        &folder.answer("check slow.fbx --json"),
        "loops/0/quality/pose_gap_mm < 1e-3",
    );
}

#[test]
fn foot_sliding_is_what_make_measured() {
    let folder = Folder::with_walk();
    for flags in ["", "--root-motion stationary", "--symmetric", "--add-root"] {
        let made = number(&folder.made(flags), "quality/foot_slide_cmps");
        let checked = folder.answer("check loop.bvh --json");
        near(number(&checked, "loops/0/quality/foot_slide_cmps"), made, 1e-9 * made);
    }
}

#[test]
fn all_figures_are_printed_on_request() {
    Folder::with_walk().runs(
        "
        make walk.bvh -o loop.bvh                                     |! seam rank
        make walk.bvh -o loop.bvh --force -v                          | seam rank
        close walk.bvh --range 20:54.5 -o loop.bvh --force            |! seam rank
        close walk.bvh --range 20:54.5 -o loop.bvh --force -v         | seam rank
        check loop.bvh                                                |! seam rank
        check loop.bvh -v                                             | seam rank
        find walk.bvh                                                 |! seam cost
        find walk.bvh -v                                              | seam cost
        ",
    );
}
