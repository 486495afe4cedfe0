//! Many takes in one run: folders, patterns, names, bad files, and runs that go on where others ended.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use rand_pcg::{Pcg64, rand_core::Rng};
use serde_json::Value;

use crate::harness::{Answer, Folder, holds, items, number, rows, schema::assert_valid, with_companion};
#[cfg(unix)]
use crate::harness::{command, pipe, signal};

/// A folder `takes` with walks in it and below; those of two names have the same one.
fn with_takes() -> Folder {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (index, below) in ["slow", "fast", "slow/later"].into_iter().enumerate() {
        fs::create_dir_all(folder.file(&format!("takes/{below}"))).unwrap();
        let options = format!(
            "--seconds 3 --fps 30 --seed {index} --speed {}",
            1.0 + 0.2 * index as f64
        );
        folder.succeed(&format!("synth -o takes/{below}/walk.bvh {options}"));
    }
    folder.succeed("synth -o takes/turn.bvh --seconds 3 --fps 30 --turn-rate 30");
    folder
}

/// All files that a run into `out` leaves, without its journals, which say in which order things happened.
fn outputs(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_output = |path: &Path| path.starts_with("out") && !path.to_string_lossy().contains(".loopwright-batch");
    let files = folder.contents().into_iter();
    let files = files.filter_map(|(path, bytes)| Some((path, bytes?)));
    files.filter(|(path, _)| is_output(path)).collect()
}

fn names(outputs: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<String> {
    outputs.keys().map(|path| path.display().to_string()).collect()
}

/// The outputs that are no sidecars, below the folder and with spaces between their names.
fn loops(folder: &Folder) -> String {
    let names = names(&outputs(folder))
        .into_iter()
        .filter(|name| !name.ends_with(".json"));
    names.map(|name| name[4..].to_owned()).collect::<Vec<_>>().join(" ")
}

/// Six more takes, so that a run takes its time.
fn add_takes(folder: &Folder) {
    for index in 20..26 {
        folder.succeed(&format!(
            "synth -o takes/walk_{index}.bvh --seconds 3 --fps 30 --seed {index}"
        ));
    }
}

/// The documents of a run with `--json`, each valid: those of loops, and the summary.
fn lines(answer: &Answer) -> (Value, Value) {
    let mut lines = answer.json_lines();
    let summary = lines.pop().unwrap();
    assert_valid(&summary, "batch");
    for line in &lines {
        assert_valid(line, "result");
    }
    (Value::Array(lines), summary)
}

#[test]
fn a_folder_is_mirrored_and_every_loop_is_that_of_a_run_for_it_alone() {
    let folder = with_takes();
    let answer = folder.succeed("make takes -o out/ --catalog out/all.csv");
    let made = outputs(&folder);
    assert_eq!(
        loops(&folder),
        "all.csv fast/walk-loop.bvh slow/later/walk-loop.bvh slow/walk-loop.bvh turn-loop.bvh"
    );
    assert_eq!(made.len(), 9);
    answer.shows("\ngood       4  ");
    for (line, take) in answer
        .stdout
        .lines()
        .zip(["fast/walk", "slow/later/walk", "slow/walk", "turn"])
    {
        let loop_path = format!("out/{take}-loop.bvh");
        assert!(line.starts_with(&format!("{loop_path}: good: ")), "{line}");
        folder.succeed(&format!("make takes/{take}.bvh -o {loop_path} --force"));
    }
    assert!(outputs(&folder) == made, "{:?}", names(&outputs(&folder)));
}

#[test]
fn the_number_of_jobs_changes_no_byte() {
    let folder = with_takes();
    folder.write("takes/broken.bvh", "HIERARCHY");
    let run = |jobs: &str| {
        let arguments =
            format!("make takes -o out -j {jobs} --force --catalog out/all.jsonl --name {{kind}}-{{speed}}");
        let answer = folder.fail(&arguments);
        (answer.stdout, outputs(&folder))
    };
    let one = run("1");
    assert_eq!(one.1.len(), 9);
    for jobs in ["3", "16"] {
        assert!(run(jobs) == one, "{jobs}");
    }
}

#[test]
fn patterns_files_and_folders_mean_takes() {
    let folder = with_takes();
    // As a shell would have expanded it; a file that is named twice is one.
    for [takes, wanted] in rows(
        "
        takes/s*/walk.bvh                                       | slow/walk-loop.bvh
        takes/slow/**/*.bvh                                     | later/walk-loop.bvh walk-loop.bvh
        takes/slow/walk.bvh takes/fast/walk.bvh takes/slow/walk.bvh | fast/walk-loop.bvh slow/walk-loop.bvh
        takes/slow takes/fast/walk.bvh                          | fast/walk-loop.bvh slow/later/walk-loop.bvh slow/walk-loop.bvh
        ",
    ) {
        let _ = fs::remove_dir_all(folder.file("out"));
        folder.succeed(&format!("make {takes} -o out"));
        assert_eq!(loops(&folder), wanted);
    }
    // Loops among the takes are no takes, and neither is what lies in the output folder.
    folder.runs("make takes/turn.bvh -o takes/turn-loop.bvh\nmake takes -o takes/out | 1 files left out");
    let again = folder.succeed("make takes -o takes/out --resume");
    assert_eq!(again.stdout.matches("(done before)").count(), 4, "{}", again.stdout);
}

#[test]
fn names_are_given_once_and_numbered() {
    let folder = with_takes();
    let (_, summary) = lines(&folder.succeed("make takes -o out --name same-{kind}.glb --json"));
    holds(&summary, "good = 4");
    assert!(folder.has("out/fast/same-walk.glb out/slow/later/same-walk.glb out/slow/same-walk.glb"));
    fs::remove_dir_all(folder.file("out")).unwrap();
    folder.copy("takes/turn.bvh", "takes/again.bvh");
    let (made, _) = lines(&folder.succeed("make takes/turn.bvh takes/again.bvh -o out --name it --json"));
    holds(
        &made,
        "
        0/outputs/0 = out/it.bvh
        1/outputs/0 = out/it-2.bvh
        1/loop/output = out/it-2.bvh
        ",
    );
    assert!(made[1]["warnings"].to_string().contains("another loop is named"));
    // The numbers are the same when the run goes on, whichever take is left.
    let before = outputs(&folder);
    folder.remove("out/it.bvh");
    folder.succeed("make takes/turn.bvh takes/again.bvh -o out --name it --resume");
    assert_eq!(outputs(&folder), before);
}

#[test]
fn odd_names_are_names() {
    let folder = with_takes();
    folder.make_folder("odd");
    // 255 bytes, as many as file systems take.
    let long = format!("{}ä.bvh", "x".repeat(249));
    for name in [
        &long,
        "Über\u{301} 歩く 🚶.bvh",
        "-o.bvh",
        "a*b?.bvh",
        "new\nline.bvh",
        " .bvh",
    ] {
        folder.copy("takes/turn.bvh", &format!("odd/{name}"));
    }
    folder.succeed("make odd -o out");
    let made = outputs(&folder);
    assert_eq!(made.len(), 12, "{:?}", names(&made));
    // A name with a star is that file where there is one.
    fs::remove_dir_all(folder.file("out")).unwrap();
    folder.run_list(&["make", "odd/a*b?.bvh", "-o", "out/"]).done();
    assert_eq!(loops(&folder), "a*b?-loop.bvh");
}

#[cfg(unix)]
#[test]
fn a_bad_file_stops_no_other() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = with_takes();
    folder.write("takes/broken.bvh", "HIERARCHY ROOT");
    folder.write("takes/empty.fbx", "");
    folder.succeed("synth -o takes/short.bvh --seconds 0.5 --fps 30");
    symlink("..", folder.file("takes/slow/up")).unwrap();
    symlink("nowhere.bvh", folder.file("takes/dangling.bvh")).unwrap();
    symlink("../turn.bvh", folder.file("takes/slow/linked.bvh")).unwrap();
    pipe(&folder.file("takes/pipe.bvh"));
    folder.make_folder("takes/locked");
    fs::set_permissions(folder.file("takes/locked"), fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(folder.file("takes/locked")).is_ok();

    let answer = folder.run("make takes missing.bvh -o out --json");
    fs::set_permissions(folder.file("takes/locked"), fs::Permissions::from_mode(0o755)).unwrap();
    let answer = answer.refused();
    let (results, summary) = lines(&answer);
    let verdict = |name: &str| {
        let found = items(&results).find(|result| result["take"] == name);
        found.unwrap_or_else(|| panic!("{name} in {}", answer.stdout))["verdict"].clone()
    };
    // The missing file is listed first.
    holds(&results, "0/take = missing.bvh");
    for [name, wanted] in rows(
        "
        missing.bvh             | unreadable
        takes/broken.bvh        | unreadable
        takes/empty.fbx         | unreadable
        takes/dangling.bvh      | unreadable
        takes/pipe.bvh          | unreadable
        takes/short.bvh         | no-loop
        takes/slow/linked.bvh   | good
        takes/turn.bvh          | good
        ",
    ) {
        assert_eq!(verdict(name), wanted, "{name}");
    }
    if !is_root {
        assert_eq!(verdict("takes/locked"), "unreadable");
    }
    holds(&summary, "good = 5\nno_loop = 1\nerror/exit_status = 2");
    // Without the files that cannot be read, a take without a loop gives the status.
    folder.runs("1 make takes/short.bvh takes/turn.bvh -o other | no loop");
}

#[test]
fn rows_of_find_are_picked() {
    let folder = Folder::with_synth("--seconds 14 --fps 30 --lead-in 5");
    // As many as there are: the list of a few is another one.
    let rows = &folder.answer("find walk.bvh --top 1000 --json")["candidates"];
    assert!(items(rows).len() > 1);
    let (all, _) = lines(&folder.run("make walk.bvh --pick all -o all --json"));
    assert_eq!(items(&all).len(), items(rows).len());
    for (index, (one, row)) in (1..).zip(items(&all).zip(items(rows))) {
        holds(
            one,
            &format!("loop/row = {index}\noutputs/0 = all/walk-loop-{index}.bvh"),
        );
        assert_eq!(one["loop"]["start_frame"], row["start_frame"]);
    }
    let kinds = items(&all)
        .map(|one| one["loop"]["kind"].as_str().unwrap())
        .collect::<Vec<_>>();
    assert!(kinds.contains(&"idle") && kinds.contains(&"walk"), "{kinds:?}");
    // One that is not there is a take without that loop.
    let (picked, _) = lines(&folder.run("make walk.bvh --pick 2,900 -o picked --json").ended(1));
    assert_eq!(picked[0]["loop"]["start_frame"], all[1]["loop"]["start_frame"]);
    holds(&picked, "1/verdict = no-loop");
}

#[test]
fn only_what_changed_is_done_again() {
    let folder = with_takes();
    let run = |options: &str| {
        let answer = folder.run(&format!("make takes -o out --catalog out/all.jsonl {options}"));
        let done_before = answer.stdout.matches("(done before)").count();
        (answer.status, done_before)
    };
    assert_eq!(run(""), (0, 0));
    let made = outputs(&folder);
    let modified = |name: &str| fs::metadata(folder.file(name)).unwrap().modified().unwrap();
    let before = modified("out/turn-loop.bvh");
    assert_eq!(run("--resume"), (0, 4));
    assert!(outputs(&folder) == made && modified("out/turn-loop.bvh") == before);

    // Without --resume nothing is replaced.
    folder.refuse("make takes -o out", "earlier run made loops of 4");
    assert!(outputs(&folder) == made);

    folder.copy("takes/slow/walk.bvh", "takes/turn.bvh");
    assert_eq!(run("--resume"), (0, 3));
    assert!(outputs(&folder) != made);
    assert_eq!(run("--resume --closure spring"), (0, 0));
    assert_eq!(run("--resume --closure spring"), (0, 4));
    folder.remove("out/fast/walk-loop.bvh.json");
    assert_eq!(run("--resume --closure spring"), (0, 3));
    // A file that was changed since, by a byte or with other settings asked for, is not replaced unless that is requested.
    let mut changed = folder.read("out/turn-loop.bvh");
    let last = changed.len() - 1;
    changed[last] = b' ';
    folder.write("out/turn-loop.bvh", &changed);
    for options in ["--resume --closure spring", "--resume"] {
        let answer = folder.run(&format!("make takes/turn.bvh -o out {options}")).ended(2);
        answer.shows("\"out/turn-loop.bvh\" was changed since an earlier run wrote it");
        assert!(folder.read("out/turn-loop.bvh") == changed);
    }
    assert_eq!(run("--resume --closure spring --force"), (0, 3));
    assert!(folder.read("out/turn-loop.bvh") != changed);
    // A file that no run wrote is not replaced.
    folder.write("out/mine-loop.bvh", "mine");
    folder.copy("takes/turn.bvh", "takes/mine.bvh");
    assert_eq!(run("--resume --closure spring"), (2, 4));
    assert_eq!(folder.text("out/mine-loop.bvh"), "mine");
}

/// Killed at random moments, then resumed: byte by byte what an undisturbed run gives.
/// `LOOPWRIGHT_KILLS=50` kills more often.
#[cfg(unix)]
#[test]
fn killed_runs_go_on_where_they_ended() {
    let folder = with_takes();
    add_takes(&folder);
    let arguments = ["make", "takes", "-o", "out", "--catalog", "out/all.jsonl", "--resume"];
    let begun = Instant::now();
    folder.run_list(&arguments).done();
    let whole_run = begun.elapsed();
    let wanted = outputs(&folder);
    assert_eq!(wanted.len(), 21);
    let kills: usize = std::env::var("LOOPWRIGHT_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(6);
    let mut random = Pcg64::new(7, 1);
    let mut num_left = Vec::new();
    fs::remove_dir_all(folder.file("out")).unwrap();
    for kill in 0..kills {
        if kill % 3 == 0 {
            let _ = fs::remove_dir_all(folder.file("out"));
        }
        let mut run = folder.start(&arguments);
        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        thread::sleep(Duration::from_secs_f64(whole_run.as_secs_f64() * share * 0.9));
        run.kill().unwrap();
        run.wait().unwrap();
        // Whole files only, under their names; a loop may be there before its sidecar.
        for (path, bytes) in outputs(&folder) {
            match wanted.get(&path) {
                Some(whole) => assert!(bytes == *whole, "{} is not whole", path.display()),
                None => assert!(path.to_string_lossy().contains(".loopwright-"), "{}", path.display()),
            }
        }
        num_left.push(outputs(&folder).len());
        if kill % 3 == 2 || kill + 1 == kills {
            folder.run_list(&arguments).done();
            assert!(outputs(&folder) == wanted, "{:?}", names(&outputs(&folder)));
        }
    }
    assert!(num_left.iter().any(|&left| left > 0 && left < 21), "{num_left:?}");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_says_so_and_leaves_whole_loops() {
    let folder = with_takes();
    for (name, status) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        let _ = fs::remove_dir_all(folder.file("out"));
        let mut run = command();
        run.args(["make", "takes", "-o", "out", "-j", "1"])
            .current_dir(folder.path());
        let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // As soon as it has begun.
        let begun = Instant::now();
        while !folder.file("out/.loopwright-batch.jsonl").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(1));
        }
        signal(&run, name);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            said.contains("with --resume continues"),
            name == "INT",
            "{name}: {said}"
        );
        for name in names(&outputs(&folder)) {
            assert!(!name.contains(".part"), "{name}");
        }
    }
    folder.succeed("make takes -o out --resume");
    assert_eq!(outputs(&folder).len(), 8);
}

#[test]
fn shards_share_the_work() {
    let folder = with_takes();
    add_takes(&folder);
    folder.succeed("make takes -o out");
    let wanted = outputs(&folder);
    fs::remove_dir_all(folder.file("out")).unwrap();
    let mut before = 0;
    for number in 1..=3 {
        folder.succeed(&format!(
            "make takes -o out --shard {number}/3 --catalog part_{number}.jsonl"
        ));
        let count = outputs(&folder).len();
        assert!(count > before, "{number}: {count}");
        before = count;
    }
    assert_eq!(outputs(&folder), wanted);
    // All of them done, whoever asks.
    let again = folder.succeed("make takes -o out --resume");
    assert_eq!(again.stdout.matches("(done before)").count(), 10);
    folder.fail("make takes -o out --shard 4/3");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = with_takes();
    folder.make_folder("none");
    folder.refuse_all(
        "make",
        "
        takes                                   | several loops need a folder
        takes -o out.bvh                        | is the name of a file
        takes -o takes/turn.bvh                 | is a file
        takes -o out --plot a.svg               | --plot is for one loop
        takes -o out --save-recipe a.toml       | --save-recipe is for one loop
        takes -o out --catalog all.txt          | those are Parquet, CSV or JSON Lines
        takes -o out --name {what}              | {what} is none of {stem}
        takes -o out --name a/b                 | without folders
        takes -o out --shard 0/3                | must be I/N
        none -o out                             | there is no take in the folder \"none\"
        takes/*.glb -o out                      | no take matches
        takes/turn2.bvh -o nowhere/loop.bvh     | try: \"takes/turn.bvh\"
        ",
    );
    assert!(!folder.has("out"));
    // The results of an earlier run are reported before the files that it wrote.
    folder.runs(
        "
        make takes -o out --catalog all.csv
        2 make takes -o out --catalog all.csv       | --resume to continue it
        2 catalog all.csv --kind turn/walking       | must be one of still, idle, walk
        2 catalog all.csv --kind wlak               | did you mean walk?
        catalog all.csv --kind Walk
        ",
    );
    fs::remove_dir_all(folder.file("out")).unwrap();
    // A take is never overwritten, whatever the name.
    let before = folder.contents();
    folder.fail("make takes -o takes --name {stem} --force");
    let after = folder
        .contents()
        .into_iter()
        .filter(|(path, _)| !path.ends_with(".loopwright-batch.jsonl"));
    assert!(after.collect::<BTreeMap<_, _>>() == before);
}

/// The hash of a glTF file is that of its text; the motion lies in a file beside it.
#[test]
fn a_gltf_file_whose_buffer_changed_is_done_again() {
    let folder = Folder::new();
    folder.make_folder("takes");
    let convert = |speed: &str| {
        folder.succeed(&format!(
            "synth -o walk.bvh --seconds 3 --fps 30 --speed {speed} --force"
        ));
        folder.succeed("convert walk.bvh whole.gltf --force");
        let (gltf, bytes) = with_companion(folder.json("whole.gltf"), "walk.bin");
        folder.write("takes/walk.bin", bytes);
        gltf
    };
    folder.write("takes/walk.gltf", convert("1.1"));
    folder.succeed("make takes -o out");
    let before = outputs(&folder);
    convert("1.3");
    folder.succeed("make takes -o out --resume");
    assert_eq!(names(&outputs(&folder)), names(&before));
    assert!(outputs(&folder) != before);
}

/// `--pick` counts in the list of cycles.
#[test]
fn every_cycle_becomes_a_loop_of_its_own() {
    let folder = Folder::with_synth("--seconds 6 --fps 30");
    let found = |more: &str| folder.answer(&format!("find walk.bvh --every-cycle --json {more}"))["candidates"].clone();
    let rows = found("");
    assert!(items(&rows).len() > 1, "{rows}");
    assert_eq!(found("--top 1"), rows);
    let (all, _) = lines(&folder.run("make walk.bvh --every-cycle -o all --json"));
    assert_eq!(items(&all).len(), items(&rows).len());
    for (one, row) in items(&all).zip(items(&rows)) {
        assert_eq!(one["loop"]["start_frame"], row["start_frame"]);
        holds(one, "loop/cycles = 1");
    }
    folder.succeed("make walk.bvh --every-cycle --pick 2 -o second.bvh");
    let second = folder.json("second.bvh.json");
    assert_eq!(second["candidate"]["start_frame"], rows[1]["start_frame"]);
    // Those that are none are counted.
    folder.succeed("synth -o uneven.bvh --seconds 20 --variation 0.4 --seed 3");
    let found = folder.run("find uneven.bvh --every-cycle --json");
    found.says("of the gait left out: ");
    assert!(number(&found.json(), "candidates_left_out") > 0.0);
    folder
        .run("make uneven.bvh --every-cycle -o uneven")
        .says("uneven.bvh: ");
}
