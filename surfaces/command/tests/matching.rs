//! `match`: databases of takes and loops, queries against them, and their rows for NumPy.

use crate::harness::{Folder, items, number, schema::assert_valid};
use serde_json::Value;

/// A folder with three walks of different speeds, and a database of the first two.
fn with_database() -> Folder {
    let folder = Folder::new();
    for (name, options) in [
        ("slow", "--speed 0.9 --seed 1"),
        ("quick", "--speed 1.6 --seed 2"),
        ("left-out", "--speed 1.5 --seed 3"),
    ] {
        folder.succeed(&format!("synth -o {name}.bvh --seconds 5 --fps 30 {options}"));
    }
    folder.succeed("match build slow.bvh --tag style=slow -o takes.lwmatch");
    let added =
        folder.answer("match build quick.bvh --tag style=quick --add takes.lwmatch -o takes.lwmatch --force --json");
    assert_valid(&added, "match-build");
    assert_eq!(added["clips"], 2);
    assert_eq!(added["outputs"][0], "takes.lwmatch");
    folder
}

fn query(folder: &Folder, arguments: &str) -> Value {
    let answer = folder.answer(&format!("match query takes.lwmatch {arguments} --json"));
    assert_valid(&answer, "match-query");
    answer
}

/// The array in an npy file: its shape and its numbers.
fn array(folder: &Folder, name: &str) -> ([usize; 2], Vec<f32>) {
    let bytes = folder.read(name);
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(end.is_multiple_of(64) && bytes[end - 1] == b'\n');
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    let is_said = header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (");
    assert!(is_said, "{header}");
    let shape = header.split(['(', ')']).nth(1).unwrap();
    let shape: Vec<usize> = shape.split(", ").map(|side| side.parse().unwrap()).collect();
    let numbers = bytes[end..].chunks_exact(4);
    (
        [shape[0], shape[1]],
        numbers
            .map(|number| f32::from_le_bytes(number.try_into().unwrap()))
            .collect(),
    )
}

#[test]
fn a_frame_of_the_database_finds_itself() {
    let folder = with_database();
    let answer = query(&folder, "quick.bvh:40");
    let best = &answer["found"][0];
    assert_eq!(best["clip"], "quick.bvh");
    assert_eq!(best["frame"], 40);
    assert_eq!(best["distance"], 0.0);
    assert_eq!(answer["found"].as_array().unwrap().len(), 5);
    let distances: Vec<f64> = items(&answer["found"])
        .map(|found| found["distance"].as_f64().unwrap())
        .collect();
    assert!(distances.is_sorted(), "{distances:?}");
}

#[test]
fn speeds_and_tags_that_are_asked_for_are_found() {
    let folder = with_database();
    let clip = |arguments: &str| {
        query(&folder, arguments)["found"][0]["clip"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(clip("left-out.bvh:40"), "quick.bvh");
    assert_eq!(clip("slow.bvh:40 --speed 3"), "quick.bvh");
    assert_eq!(clip("left-out.bvh:40 --tag style=slow"), "slow.bvh");
    let standing = query(&folder, "left-out.bvh:40 --standing left --top 50");
    assert!(items(&standing["found"]).all(|found| found["left_stands"] == true));
    folder
        .run("match query takes.lwmatch slow.bvh:40 --tag style=run --json")
        .ended(1);
}

#[test]
fn databases_keep_the_times_ahead_and_the_gaits() {
    let folder = with_database();
    let inspect = |database: &str| {
        let answer = folder.answer(&format!("match inspect {database} --json"));
        assert_valid(&answer, "match-inspect");
        answer
    };
    let answer = inspect("takes.lwmatch");
    assert_eq!(answer["ahead_secs"][2], 1.0);
    let gaits = answer["clips"][0]["gaits"].as_array().unwrap();
    let is_said = gaits.iter().any(|gait| gait.as_str().unwrap().starts_with("walk"));
    assert!(is_said, "{gaits:?}");
    folder.succeed("match build slow.bvh --ahead 0.2,0.5,1.5 -o far.lwmatch");
    folder.succeed("match build quick.bvh --add far.lwmatch -o farther.lwmatch");
    assert_eq!(
        inspect("farther.lwmatch")["ahead_secs"],
        serde_json::json!([0.2, 0.5, 1.5])
    );
    assert_eq!(
        folder
            .run("match query farther.lwmatch quick.bvh:40 --gait walk")
            .status,
        0
    );
    folder
        .run("match query farther.lwmatch quick.bvh:40 --gait backward")
        .ended(1);
    for ahead in ["0.5", "0.5,0.2,1", "0.1,0.2,30"] {
        let refused = folder.fail(&format!("match build slow.bvh --ahead {ahead} -o no.lwmatch"));
        refused.says("--ahead 0.2,0.4,0.8");
    }
}

/// The nearest row by its own numbers, as a program would compare them, is the row that `query` finds.
#[test]
fn exported_rows_give_the_same_answers() {
    let folder = with_database();
    let exported = folder.answer("match export takes.lwmatch --npy rows.npy --json");
    assert_valid(&exported, "match-export");
    folder.succeed("match export takes.lwmatch --take left-out.bvh --npy queries.npy");
    let ([rows, columns], numbers) = array(&folder, "rows.npy");
    let ([_, same], queries) = array(&folder, "queries.npy");
    assert_eq!((exported["rows"].as_u64(), columns, same), (Some(rows as u64), 27, 27));
    assert_eq!(numbers.len(), rows * columns);
    for frame in [0, 17, 60, 101] {
        let asked = &queries[frame * columns..][..columns];
        let distance = |row: &[f32]| row.iter().zip(asked).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let all: Vec<f32> = numbers.chunks_exact(columns).map(distance).collect();
        let nearest = (0..rows).min_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap();
        let answer = query(&folder, &format!("left-out.bvh:{frame}"));
        assert_eq!(answer["found"][0]["row"], nearest, "frame {frame}");
    }
}

/// Rows that were there keep their numbers when takes are added.
#[test]
fn added_takes_leave_the_other_rows_alone() {
    let folder = with_database();
    folder.succeed("match export takes.lwmatch --npy before.npy");
    let more = folder.succeed("match build left-out.bvh --add takes.lwmatch -o more.lwmatch");
    more.shows("of them new");
    folder.succeed("match export more.lwmatch --npy after.npy");
    let (before, after) = (array(&folder, "before.npy").1, array(&folder, "after.npy").1);
    assert!(after.len() > before.len());
    assert_eq!(after[..before.len()], before);
    let refused = folder.fail("match build slow.bvh --add takes.lwmatch -o twice.lwmatch");
    refused.says("is in the database already");
}

/// A loop has no last frame: every sample can be matched, although none has a second behind it.
#[test]
fn all_samples_of_a_loop_are_rows() {
    let folder = with_database();
    folder.make_folder("loops");
    folder.succeed("make quick.bvh -o loops/quick-loop.bvh");
    let samples = folder.json("loops/quick-loop.bvh.json")["playback"]["samples"].clone();
    folder.succeed("match build loops slow.bvh -o mixed.lwmatch");
    let inspected = folder.answer("match inspect mixed.lwmatch --json");
    assert_valid(&inspected, "match-inspect");
    let clip = &inspected["clips"][0];
    assert_eq!((&clip["kind"], &clip["frames"]), (&"loop".into(), &samples));
    assert_eq!(clip["name"], "loops/quick-loop.bvh");
    // Each foot of a walk stands for more than half of the time.
    let share = clip["left_stands_share"].as_f64().unwrap();
    assert!((0.4..0.8).contains(&share), "{share}");
}

#[test]
fn what_cannot_be_matched_is_refused_with_a_way_out() {
    let folder = with_database();
    // A short take, and one that stays in place: a loop without its motion, read as a take.
    folder.succeed("synth -o short.bvh --seconds 1 --fps 30");
    folder.succeed("make quick.bvh -o placed.bvh --root-motion in-place");
    std::fs::remove_file(folder.file("placed.bvh.json")).unwrap();
    for take in ["short.bvh", "placed.bvh"] {
        folder.refuse(&format!("match build {take} -o other.lwmatch"), "try:");
    }
    assert!(!folder.file("other.lwmatch").exists());
    // One of several: the others make a database, and the status says that it is not whole.
    let partly = folder.run("match build slow.bvh short.bvh -o partly.lwmatch --json");
    assert_eq!((partly.status, &partly.json()["clips"]), (2, &1.into()));
    assert_valid(&partly.json(), "match-build");
    assert_eq!(partly.stderr.matches("\"short.bvh\"").count(), 1, "{}", partly.stderr);
    // Of a file of several loops, one whose speed is not known is left out by its name; alone it is refused.
    folder.succeed("make placed.bvh -o still.bvh --set output.root-speed=pose");
    folder.refuse("match build still.bvh -o other.lwmatch", "--set output.root-speed=");
    folder.succeed("make placed.bvh -o stated.bvh --set output.root-speed=1.6");
    folder.succeed("match build stated.bvh -o stated.lwmatch");
    folder.succeed("convert quick.bvh hero.glb");
    folder.succeed("retarget stated.bvh still.bvh --rig hero.glb --into-one -o both.glb");
    let both = folder.succeed("match build both.glb -o both.lwmatch");
    both.says("left out: cannot match \"both.glb#still-loop\": the feet move at");
    both.shows("1 clip");
    folder.succeed("retarget still.bvh --rig hero.glb --into-one -o all.glb");
    folder.refuse("match build all.glb -o all.lwmatch", "all.glb");
    // In a folder a short one is left out, and said.
    folder.make_folder("set");
    for take in ["slow.bvh", "short.bvh"] {
        folder.copy(take, &format!("set/{take}"));
    }
    let whole = folder.succeed("match build set -o whole.lwmatch");
    whole.says("left out: cannot match \"set/short.bvh\": the take lasts");
    folder.succeed("match build set/s*.bvh -o pattern.lwmatch");
    folder.refuse("match query takes.lwmatch slow.bvh:150", "a frame from 0 to");
    for arguments in [
        "slow.bvh:40 --speed nan",
        "slow.bvh:40 --speed 1 --turn-rate inf",
        "slow.bvh",
    ] {
        folder.fail(&format!("match query takes.lwmatch {arguments}"));
    }
}

/// Whatever is changed in a database or cut from it, no command panics; what is not whole is refused.
#[test]
fn damaged_databases_are_refused() {
    let folder = with_database();
    let bytes = folder.read("takes.lwmatch");
    for length in [0, 7, 8, 63, 64, 500, bytes.len() - 1] {
        folder.write("cut.lwmatch", &bytes[..length]);
        folder.fail("match inspect cut.lwmatch --json");
    }
    for (at, what) in [
        (0, "not a match database"),
        (8, "of version"),
        (12, "byte order"),
        (3000, "damaged"),
    ] {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        folder.write("changed.lwmatch", &changed);
        folder.refuse("match inspect changed.lwmatch", what);
    }
    folder.refuse("match inspect slow.bvh", "not a match database");
}

#[test]
fn the_same_takes_give_the_same_bytes() {
    let folder = with_database();
    for name in ["one.lwmatch", "two.lwmatch"] {
        folder.succeed(&format!("match build slow.bvh quick.bvh -o {name}"));
    }
    assert_eq!(folder.read("one.lwmatch"), folder.read("two.lwmatch"));
    folder.fail("match build slow.bvh -o one.lwmatch");
    folder.fail("match build slow.bvh -o slow.bvh --force");
}

/// The walk is a take like any other, off its path by less than a step; what it needs must still be there.
#[test]
fn a_path_is_walked_into_a_take() {
    let folder = with_database();
    for (name, turn_rate) in [("slow", 0), ("quick", 20)] {
        folder.succeed(&format!(
            "synth -o {name}.bvh --speed 1.2 --turn-rate {turn_rate} --seconds 8 --fps 30 --force"
        ));
    }
    folder.succeed("match build slow.bvh quick.bvh -o takes.lwmatch --force");
    folder.write("path.csv", "seconds,x,z\n0,0,0\n\n# a bend\n3,0,3.6\n6;0.6;7.15\n");
    let walked = folder.answer("match walk takes.lwmatch path.csv -o walked.bvh --json");
    assert_valid(&walked, "match-walk");
    assert!(number(&walked, "mean_path_error_m") < 0.6, "{walked}");
    assert!((number(&walked, "duration_secs") - 6.0).abs() < 0.05);
    assert!(number(&walked, "foot_slide_mps") < 0.1, "{walked}");
    let text = folder.succeed("match walk takes.lwmatch path.csv -o walked.glb").stdout;
    let is_said = text.contains("off the path") && text.contains("slow.bvh from frame");
    assert!(is_said, "{text}");
    folder.succeed("inspect walked.glb");
    // The same path, the same bytes.
    folder.succeed("match walk takes.lwmatch path.csv -o again.bvh");
    assert_eq!(folder.read("again.bvh"), folder.read("walked.bvh"));

    folder.fail("match walk takes.lwmatch path.csv -o walked.bvh");
    assert_eq!(
        folder
            .run("match walk takes.lwmatch path.csv -o slow.bvh --force")
            .status,
        2
    );
    let nobody = folder.run("match walk takes.lwmatch path.csv -o new.bvh --tag style=flight");
    let is_said = nobody.status == 1 && nobody.stderr.contains("no row");
    assert!(is_said, "{}", nobody.stderr);
    for (bad, what) in [
        ("0,0,0\n", "two points"),
        ("0,0,0\n0,1,1\n", "times must rise"),
        ("0,0,0\n1,one,1\n", "line 2"),
        ("", "two points"),
    ] {
        folder.write("bad.csv", bad);
        folder.refuse("match walk takes.lwmatch bad.csv -o new.bvh", what);
    }
    std::fs::remove_file(folder.file("slow.bvh")).unwrap();
    folder.refuse("match walk takes.lwmatch path.csv -o new.bvh", "slow.bvh");
    assert!(!folder.file("new.bvh").exists());
}

/// A database by the cost of jumps: the cheapest frame is that of `cost`, and no other frame's cost is lower.
#[test]
fn the_cheapest_frame_to_jump_to_is_found() {
    let folder = with_database();
    let built = folder.answer("match build slow.bvh --features cost --half-life 0.15 -o costs.lwmatch --json");
    assert_valid(&built, "match-build");
    assert_eq!(built["features"], "cost");
    folder.succeed("match build quick.bvh --tag style=quick --add costs.lwmatch -o costs.lwmatch --force");
    let inspected = folder.answer("match inspect costs.lwmatch --json");
    assert_valid(&inspected, "match-inspect");
    assert_eq!(inspected["fade"]["decay"], "spring");
    assert_eq!(inspected["fade"]["time_secs"], 0.15);
    let joints = inspected["joints"].as_array().unwrap().len();
    assert!(joints > 5, "{inspected}");
    let text = folder.succeed("match inspect costs.lwmatch").stdout;
    assert!(text.contains("spring of 0.15 s over Hips"), "{text}");

    let answer = folder.answer("match query costs.lwmatch left-out.bvh:40 --json");
    assert_valid(&answer, "match-query");
    let best = &answer["found"][0];
    let (clip, frame) = (best["clip"].as_str().unwrap(), &best["frame"]);
    let cost = |entered: &str| {
        let answer = folder.answer(&format!("cost left-out.bvh:40 {entered} --half-life 0.15 --json"));
        let costs = answer["pair"]["costs"].as_array().unwrap().clone();
        let spring = costs.into_iter().find(|cost| cost["decay"] == "spring").unwrap();
        number(&spring, "cost_metre_secs")
    };
    let least = cost(&format!("{clip}:{frame}"));
    let is_near = (number(best, "cost_metre_secs") / least - 1.0).abs() < 1e-5;
    assert!(is_near, "{best} {least}");
    assert!(number(best, "distance") <= number(best, "cost_metre_secs"));
    for other in ["slow.bvh:10", "slow.bvh:77", "quick.bvh:33", "quick.bvh:121"] {
        assert!(cost(other) > least * (1.0 - 1e-5), "{other}");
    }
    // The last row: one frame before the end of the take.
    let itself = folder.answer("match query costs.lwmatch quick.bvh:149 --tag style=quick --json");
    assert_eq!(itself["found"][0]["frame"], 149);
    assert_eq!(itself["found"][0]["cost_metre_secs"], 0.0);
    let text = folder.succeed("match query costs.lwmatch slow.bvh:40").stdout;
    let is_said = text.contains("cheapest after frame 40") && text.contains("0.000");
    assert!(is_said, "{text}");
    // As if it were faster: the root's own velocity counts.
    let faster = folder
        .succeed("match query costs.lwmatch slow.bvh:40 --speed 1.6")
        .stdout;
    assert!(!faster.contains("0.000"), "{faster}");

    // The bound is the distance of the rows that other programs get.
    folder.succeed("match export costs.lwmatch --npy forms.npy");
    folder.succeed("match export costs.lwmatch --take left-out.bvh --npy asked.npy");
    let ([rows, columns], forms) = array(&folder, "forms.npy");
    let ([_, same], asked) = array(&folder, "asked.npy");
    assert_eq!((columns, same), (3 * joints + 4, columns));
    assert_eq!(inspected["rows"], rows);
    let row = best["row"].as_u64().unwrap() as usize;
    let distance: f32 = (forms[row * columns..][..columns].iter())
        .zip(&asked[40 * columns..])
        .map(|(one, other)| (one - other).abs())
        .sum();
    assert!((f64::from(distance) / number(best, "distance") - 1.0).abs() < 1e-3);

    folder.write("path.csv", "0,0,0\n3,0,3\n");
    folder.refuse("match walk costs.lwmatch path.csv -o walked.bvh", "--features cost");
    for bad in ["--features cost --half-life 0", "--add costs.lwmatch --features cost"] {
        folder.fail(&format!("match build left-out.bvh {bad} -o bad.lwmatch"));
    }
}

/// A sample of a loop is asked for like a frame of a take; its closing key is its first sample.
#[test]
fn a_sample_of_a_loop_can_be_asked_for() {
    let folder = with_database();
    folder.make_folder("loops");
    folder.succeed("make quick.bvh -o loops/quick-loop.bvh");
    let samples = folder.json("loops/quick-loop.bvh.json")["playback"]["samples"]
        .as_u64()
        .unwrap();
    for features in ["future", "cost"] {
        folder.succeed(&format!(
            "match build loops slow.bvh --features {features} -o mixed.lwmatch --force"
        ));
        for (asked, found) in [(0, 0), (samples - 1, samples - 1), (samples, 0)] {
            let answer = folder.answer(&format!(
                "match query mixed.lwmatch loops/quick-loop.bvh:{asked} --json"
            ));
            let best = &answer["found"][0];
            assert_eq!(
                (&best["clip"], &best["frame"], &best["distance"]),
                (&"loops/quick-loop.bvh".into(), &found.into(), &0.0.into()),
                "{features}"
            );
        }
        folder.fail(&format!(
            "match query mixed.lwmatch loops/quick-loop.bvh:{}",
            samples + 1
        ));
    }
}

/// Ranges of one take are clips of their own, with tags of their own.
#[test]
fn ranges_of_a_take_and_tags_of_takes() {
    let folder = with_database();
    folder.write(
        "tags.csv",
        "# what they do\n*slow*,style=stroll\nquick.bvh:20:60,part=start,style=quick\nquick*;part2=any\n",
    );
    let built =
        folder.answer("match build slow.bvh quick.bvh:20:60 quick.bvh:80:110 --tags tags.csv -o ranges.lwmatch --json");
    assert_valid(&built, "match-build");
    let inspected = folder.answer("match inspect ranges.lwmatch --json");
    let clips = inspected["clips"].as_array().unwrap();
    let facts = |clip: &Value| {
        let tags: Vec<String> = items(&clip["tags"])
            .map(|tag| format!("{}={}", tag["name"].as_str().unwrap(), tag["value"].as_str().unwrap()))
            .collect();
        (
            clip["first_frame"].as_u64().unwrap(),
            clip["frames"].as_u64().unwrap(),
            tags.join(" "),
        )
    };
    assert_eq!(clips.len(), 3);
    assert_eq!(facts(&clips[0]).2, "style=stroll");
    assert_eq!(
        facts(&clips[1]),
        (20, 41, "part=start style=quick part2=any".to_owned())
    );
    assert_eq!(facts(&clips[2]), (80, 31, "part2=any".to_owned()));
    let answer = folder.answer("match query ranges.lwmatch quick.bvh:90 --tag part=start --json");
    let frame = answer["found"][0]["frame"].as_u64().unwrap();
    assert!((20..=60).contains(&frame), "{answer}");
    // Frames that are there are not added again; others of the same take are.
    let refused = folder.fail("match build quick.bvh:100:120 --add ranges.lwmatch -o more.lwmatch");
    refused.says("already");
    folder.succeed("match build quick.bvh:0:19 --add ranges.lwmatch -o more.lwmatch");
    for (bad, what) in [
        ("quick.bvh:20:999", "has no frame 999"),
        ("quick.bvh:20", "\"20\" is no range of frames of \"quick.bvh\""),
        ("quick.bvh:a:b", "no range"),
    ] {
        folder.refuse(&format!("match build {bad} -o bad.lwmatch"), what);
    }
    folder.write("bad.csv", "*quick*\n");
    folder.refuse("match build quick.bvh --tags bad.csv -o bad.lwmatch", "line 1");
    folder.write("other.csv", "*sprint*,style=sprint\n");
    let warned = folder.succeed("match build quick.bvh --tags other.csv -o warned.lwmatch");
    warned.says("*sprint*");
}
