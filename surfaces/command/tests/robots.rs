//! Robots: their loops by the command, with the checks of their hinges.

use crate::harness::Folder;

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
