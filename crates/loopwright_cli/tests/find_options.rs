//! What a search can be asked for: where, how fast, which way, and by which price.

use harness::{Folder, number};

mod harness;

fn first(folder: &Folder, options: &str) -> serde_json::Value {
    folder.run(&format!("find walk.bvh --json {options}")).done().json()["candidates"][0].clone()
}

#[test]
fn loops_lie_within_the_frames_asked_for() {
    let folder = Folder::with_synth("--seconds 8 --fps 30");
    let json = folder.run("find walk.bvh --json --within 100:200").done().json();
    let candidates = json["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty());
    for candidate in candidates {
        let [start, end] = ["/candidate/start_frame", "/candidate/end_frame"].map(|key| number(candidate, key));
        // The end is refined by less than a frame.
        assert!(start >= 100.0 && end < 201.0, "{start} to {end}");
    }
    // `make` takes the same.
    let made = folder.made("--within 100:200");
    assert!(number(&made, "/candidate/start_frame") >= 100.0);
}

#[test]
fn loops_travel_as_asked_for() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --turn 12 --speed 1.25");
    for options in [
        "--speed 1.2:1.3",
        "--speed 1:",
        "--turning left",
        "--turn-rate 10:15",
        "--climb -0.1:0.1",
    ] {
        let found = first(&folder, options);
        assert!((number(&found, "/root/speed_mps") - 1.25).abs() < 0.05, "{options}");
        assert!((number(&found, "/root/turn_dps") - 12.0).abs() < 1.5, "{options}");
    }
    for options in [
        "--speed 2:",
        "--speed :0.5",
        "--straight",
        "--turning right",
        "--turn-rate=-40:-1",
        "--climb 0.2:",
    ] {
        let answer = folder.run(&format!("find walk.bvh {options}"));
        assert_eq!(answer.status, 1, "{options}: {}", answer.stdout);
        assert!(answer.stderr.contains("travels at 1.2"), "{options}: {}", answer.stderr);
        let answer = folder.run(&format!("find walk.bvh --json {options}"));
        assert_eq!(answer.json()["nearest_miss"]["reason"], "travel");
        let refusal = answer.json()["refusal"].clone();
        assert!(refusal["what"].as_str().unwrap().contains("no loop found"));
        assert!(refusal["because"][0].as_str().unwrap().contains("travels at 1.2") && refusal["try"].is_string());
        let made = folder.run(&format!("make walk.bvh -o none.bvh --json {options}"));
        assert_eq!((made.status, &made.json()["refusal"]), (1, &refusal));
        assert_eq!(folder.run(&format!("make walk.bvh -o none.bvh {options}")).status, 1);
    }
    assert!(!folder.names().contains(&"none.bvh".to_owned()));
}

#[test]
fn idle_loops_when_they_are_asked_for() {
    let folder = Folder::with_synth("--seconds 9 --fps 30 --lead-in 4 --noise 0.1");
    assert_eq!(first(&folder, "")["idle"], false);
    let answer = folder.run("find walk.bvh --json --idle").done();
    assert!(!answer.stderr.contains("confidence"), "{}", answer.stderr);
    let json = answer.json();
    let candidates = json["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty());
    for candidate in candidates {
        assert_eq!(candidate["idle"], true);
        assert!(number(candidate, "/candidate/end_frame") < 125.0);
    }
    let walk = Folder::with_walk();
    let answer = walk.run("find walk.bvh --idle");
    assert!(
        answer.status == 1 && answer.stderr.contains("all but stands"),
        "{}",
        answer.stderr
    );
}

#[test]
fn other_prices_find_the_same_period() {
    let folder = Folder::with_synth("--seconds 6 --fps 30 --noise 0.3");
    let period = number(&first(&folder, "--cycles 1"), "/candidate/source_period_secs");
    for options in ["--decay cubic", "--decay quintic", "--halflife 0.05", "--halflife 0.2"] {
        let found = number(
            &first(&folder, &format!("--cycles 1 {options}")),
            "/candidate/source_period_secs",
        );
        assert!((found - period).abs() < 0.03, "{options}: {found}, not {period}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::with_walk();
    for (options, words) in [
        ("--within 50:500", "frames 50:500 are not a range"),
        ("--within 50:40", "frames 50:40 are not a range"),
        ("--halflife 0", "--halflife must be a positive number"),
        ("--speed fast", "must be LOW:HIGH"),
        ("--speed 3:2", "must be LOW:HIGH"),
        ("--speed :", "must be LOW:HIGH"),
        ("--speed nan:2", "must be LOW:HIGH"),
        ("--straight --turning left", "cannot be used with"),
        ("--idle --speed 1:2", "cannot be used with"),
        ("--decay linear", "possible values: spring, cubic, quintic"),
    ] {
        let answer = folder.run(&format!("find walk.bvh {options}"));
        assert_eq!(answer.status, 2, "{options}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{options}: {}", answer.stderr);
    }
    assert_eq!(folder.run("make walk.bvh --range 20:55 --speed 1:2").status, 2);
}
