//! Robots: their loops by the command, with the checks of their hinges.

use crate::harness::{Folder, items, near, number};

/// The limits of the joints as the MJCF states them, radians, and the angles of the rows of a file.
fn limits_and_angles(folder: &Folder, file: &str) -> (Vec<[f64; 2]>, Vec<Vec<f64>>) {
    let robot = folder.text("biped.xml");
    let limits = robot.split("<joint name=\"").skip(1).map(|rest| {
        let tag = rest.split("/>").next().unwrap();
        let range = match tag.split("range=\"").nth(1) {
            Some(own) => own.split('"').next().unwrap(),
            None if tag.contains("knee") => "-5 150",
            None if tag.contains("shoulder") => "-150 60",
            None => "-60 60",
        };
        let mut numbers = range
            .split(' ')
            .map(|number| number.parse::<f64>().unwrap().to_radians());
        [(); 2].map(|()| numbers.next().unwrap())
    });
    let limits: Vec<[f64; 2]> = limits.collect();
    let text = folder.text(file);
    let rows = text.lines().map(|line| {
        line.split(',')
            .skip(7)
            .map(|cell| cell.trim().parse().unwrap())
            .collect()
    });
    (limits, rows.collect())
}

/// A list of speeds is a table of clips; and whatever is made of loops stays within the limits of the hinges, or is refused.
#[test]
fn all_that_is_made_of_a_robot_stays_within_its_limits() {
    let folder = Folder::new();
    folder.runs(
        "
        synth --robot biped.xml --seconds 9 --noise .2 --speed .8 -o slow.csv
        synth --robot biped.xml --seconds 9 --noise .2 --speed 1.6 -o fast.csv -f
        ",
    );
    folder.write(
        "speeds.toml",
        "clip = [\n{ name = 'slow', gait = 'walk', speed = 0.8 },\n{ name = 'mid', gait = 'walk', speed = 1.2 }\n]",
    );
    folder
        .run("set slow.csv fast.csv --robot biped.xml --spec speeds.toml -o speeds")
        .wrote();
    let made = folder.json("speeds/spec.json");
    for (clip, speed) in items(&made["clips"]).zip([0.8, 1.2]) {
        near(number(clip, "speed_mps"), speed, 1e-3);
    }
    assert!(!made["clips"][1]["blend"].is_null());
    folder.runs(
        "
        make slow.csv --robot biped.xml --set stretch.mean-cycles=all -o mean.csv
        make slow.csv --robot biped.xml --set edit=swing:*hip*:1.5 -o swing.csv
        make slow.csv --robot biped.xml --set edit=noise:2 -o noise.csv
        make fast.csv --robot biped.xml --set output.vary=20 -o vary.csv
        play speeds/slow.csv speeds/mid.csv --robot biped.xml -o play.csv --seconds 9
        2 make slow.csv --robot biped.xml --set edit=offset:left_knee_joint:10,0,10 -o off.csv | left_knee_joint is a hinge
        ",
    );
    for file in ["speeds/slow", "speeds/mid", "mean", "swing", "noise", "vary", "play"] {
        let (limits, rows) = limits_and_angles(&folder, &format!("{file}.csv"));
        for (row, angles) in rows.iter().enumerate() {
            assert_eq!(angles.len(), limits.len());
            for (angle, [least, most]) in angles.iter().zip(&limits) {
                assert!(
                    (least - 1e-7..=most + 1e-7).contains(angle),
                    "{file}: {angle} in row {row}"
                );
            }
        }
    }
}

#[test]
fn a_walk_of_a_robot_becomes_a_loop_in_every_layout() {
    let folder = Folder::new();
    folder.succeed("synth --robot biped.xml --seconds 9 --noise .2 -o walk.csv");
    folder.runs(
        "
        find walk.csv --robot biped.xml
        make walk.csv --robot biped.xml -o cycle.csv
        make walk.csv --robot biped.xml -o cycle.txt
        make walk.csv --robot biped.xml -o cycle.pkl
        make walk.csv --robot biped.xml -o cycle.npz
        make walk.csv --robot biped.xml -o slow.csv --set output.speed=1.1
        make walk.csv --robot biped.xml -o brisk.csv --set output.cadence=108
        check cycle.csv --robot biped.xml               | cycle.csv: good
        2 make walk.csv --robot biped.xml -o fast.csv --set output.fps=60 | read at 30 per second | output.fps
        2 make walk.csv -o other.csv                     | is needed | --robot
        2 find walk.csv --robot walk.csv                 | not readable as XML
        ",
    );
    let checked = folder.json("cycle.csv.json");
    let checks = checked["quality"]["checks"].as_array().unwrap();
    let beyond = checks.iter().find(|check| check["id"] == "limit-angle").unwrap();
    assert!(
        beyond["value"].as_f64().unwrap() < 0.001 && beyond["joint"].is_string(),
        "{beyond}"
    );
    // A row more than samples, since readers wrap.
    let samples = checked["playback"]["samples"].as_u64().unwrap() as usize;
    assert_eq!(folder.text("cycle.csv").lines().count(), samples + 1);
    let unrolled = folder.json("cycle.npz.json");
    let [samples, copies] = ["samples", "copies"].map(|key| unrolled["playback"][key].as_f64().unwrap());
    assert!(samples * copies >= 300.0, "{unrolled}");
}
