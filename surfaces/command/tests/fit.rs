//! `fit`: controller settings from numbers, from takes of known springs, and from takes without usable changes.

use crate::harness::{Folder, holds, items, lines, near, number, rows};
use loopwright_formats::{Format, Source};
use loopwright_synth::{DriveSettings, drive};

/// A folder with `drive.bvh`, a body on springs of 0.4 s for its velocity and 0.3 s for its facing.
fn with_drive(change: impl FnOnce(&mut DriveSettings)) -> Folder {
    let folder = Folder::new();
    write_drive(&folder, "drive.bvh", change);
    folder
}

fn write_drive(folder: &Folder, name: &str, change: impl FnOnce(&mut DriveSettings)) {
    let mut settings = DriveSettings {
        frame_rate_hz: 30.0,
        ..DriveSettings::default()
    };
    change(&mut settings);
    let take = drive(&settings).unwrap();
    let written = loopwright_formats::write_take(&take, &Source::for_take(&take, Format::Bvh)).unwrap();
    folder.write(name, written.bytes);
}

#[test]
fn numbers_alone_give_the_figures_of_the_article() {
    let folder = with_drive(|settings| settings.seconds = 1.0);
    folder.runs(
        "
        fit --speed 4.86 --acceleration 3.94        | half-life 0.629 s | 59.7%
        fit --speed 10.44 --acceleration 2.80       | half-life 1.902 s | 59.7%
        fit --speed 5 --acceleration 2              | half-life 1.275 s | 59.7%
        fit --angle 180 --turn-rate 154.68          | half-life 0.593 s | 59.7%
        fit --half-life 0.2 --speed 5               | peaks at 12.75 m/s^2, after 0.144 s | 59.7%
        fit --half-life 0.2 --angle 180             | peaks at 458.99 deg/s, after 0.144 s | 59.7%
        ",
    );
    let both = folder.answer("fit --speed 5 --angle 90 --half-life 0.2 --json");
    near(number(&both, "velocity/acceleration_mps2"), 12.75, 0.005);
    near(number(&both, "facing/peak_secs"), 0.144, 0.0005);
    // Too few or too many of them are refused.
    for arguments in lines(
        "
        fit --speed 5
        fit --half-life 0.2
        fit --angle 90 --speed 5 --acceleration 2
        fit --acceleration 2
        fit --speed 5 --acceleration 2 --half-life 1
        fit --speed 0 --acceleration 2
        fit --speed nan --acceleration 2
        fit --speed=-5 --acceleration 2
        fit drive.bvh --speed 5 --acceleration 2
        fit --speed 5 --acceleration 2 --toml c.toml
        fit drive.bvh --smoothing 0
        fit
        ",
    ) {
        let answer = folder.fail(arguments);
        assert!(!answer.stderr.is_empty() && answer.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_driven_take_gives_its_springs_back_in_every_answer() {
    let folder = with_drive(|settings| settings.noise_deg = 0.2);
    folder.runs(
        "
        fit drive.bvh --toml controller.toml --plot fit.svg | walk | run | start | stop | turn | 59.7% | [controller.walk]
        2 fit drive.bvh --toml controller.toml
        2 fit drive.bvh --plot fit.svg
        fit drive.bvh --plot fit.svg --toml controller.toml --force
        ",
    );
    let answer = folder.answer("fit drive.bvh --json");
    for [pointer, truth] in rows(
        "
        velocity/fitted_secs/median | 0.4
        velocity/closed_secs/median | 0.4
        facing/fitted_secs/median   | 0.3
        facing/closed_secs/median   | 0.3
        ",
    ) {
        let truth: f64 = truth.parse().unwrap();
        near(number(&answer["pools"][0]["all"], pointer), truth, 0.1 * truth);
    }
    holds(&answer, "takes/0/outcome = fitted");
    assert_eq!(items(&answer["takes"][0]["events"]).len(), 7);
    let block: toml::Table = folder.text("controller.toml").parse().unwrap();
    let controller = serde_json::to_value(&block["controller"]).unwrap();
    near(number(&controller, "velocity_half_life"), 0.4, 0.04);
    near(number(&controller, "facing_half_life"), 0.3, 0.03);
    near(number(&controller, "run/max_speed"), 3.6, 0.1);
    assert!(folder.text("fit.svg").starts_with("<svg"));
    // A given mode holds for the whole take.
    let strafe = folder.answer("fit drive.bvh --mode strafe --json");
    holds(&strafe["pools"][0]["modes"], "0/mode = strafe\n1 = null");
}

#[test]
fn a_folder_is_pooled_and_a_bad_file_in_it_stops_nothing() {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (name, half_life) in [("a", 0.3), ("b", 0.4), ("c", 0.5)] {
        write_drive(&folder, &format!("takes/{name}.bvh"), |settings| {
            settings.velocity_half_life_secs = half_life;
        });
    }
    for takes in ["takes", "takes/?.bvh"] {
        let answer = folder.answer(&format!("fit {takes} --json"));
        holds(&answer, "pools/0/takes = 3");
        for (end, wanted) in [("lower", 0.3), ("median", 0.4), ("upper", 0.5)] {
            let key = format!("pools/0/all/velocity/fitted_secs/{end}");
            near(number(&answer, &key), wanted, 0.02);
        }
    }
    folder.write("takes/broken.bvh", "HIERARCHY nonsense");
    folder.write("takes/notes.txt", "no take");
    folder.make_folder("empty");
    let answer = folder.refuse("fit takes --json --plot pool.svg", "broken.bvh");
    answer.says("1 of 4");
    holds(&answer.json(), "takes/3 != null\ntakes/4 = null\npools/0/takes = 3");
    assert!(folder.text("pool.svg").contains("3 takes"));
    folder.runs("2 fit empty takes/a.bvh | no take in the folder | a.bvh");
}

#[test]
fn takes_without_changes_say_so_and_give_no_figures_of_noise() {
    let folder = Folder::new();
    write_drive(&folder, "short.bvh", |settings| settings.seconds = 0.3);
    write_drive(&folder, "still.bvh", |settings| {
        settings.commands.clear();
        settings.noise_deg = 0.2;
    });
    folder.succeed("synth -o steady.bvh --seconds 8 --fps 30");
    for [name, words, outcome] in rows(
        "
        short  | must be held to count                                 | short
        still  | the body is idle throughout                           | nothing
        steady | never changes from one steady velocity to another     | nothing
        ",
    ) {
        folder.runs(&format!(
            "1 fit {name}.bvh | {words} |! half_life =\n1 fit {name}.bvh --plot {name}.svg"
        ));
        let json = folder.run(&format!("fit {name}.bvh --json")).json();
        let none = format!("takes/0/outcome = {outcome}\npools/0/all/velocity/chosen_secs = null");
        holds(&json, &none);
        assert!(json["takes"][0]["why"].to_string().contains(words));
    }
}

#[test]
fn the_guide_shows_the_block_of_its_take() {
    let folder = Folder::new();
    write_drive(&folder, "drive.bvh", |settings| {
        settings.frame_rate_hz = 60.0;
        settings.sway_metres = 0.015;
        settings.noise_deg = 0.2;
    });
    folder.succeed("fit drive.bvh --toml controller.toml");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/fit.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let shown: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let block = folder.text("controller.toml");
    for line in block.lines().filter(|line| !line.is_empty()) {
        assert!(shown.contains(&line), "the guide lacks {line:?} of\n{block}");
    }
}

#[test]
fn a_table_of_speeds_or_splits_needs_no_take() {
    let folder = Folder::new();
    // S = 6 m/s, half-life 0.5 s: S (1 - (1 + y t) e^(-y t)).
    let y = 2.0 * core::f64::consts::LN_2 / 0.5;
    let speed = |secs: f64| 6.0 * (1.0 - (1.0 + y * secs) * (-y * secs).exp());
    let rows = (0..8).map(|row| 0.3 * f64::from(row));
    let rows: String = rows.map(|secs| format!("{secs};{};x\n", speed(secs))).collect();
    folder.write("speeds.csv", format!("# made up\nTime (s); Speed (m/s); note\n{rows}"));
    let fit = folder.answer("fit --profile speeds.csv --json");
    near(number(&fit, "velocity/half_life_secs"), 0.5, 1e-3);
    near(number(&fit, "velocity/speed_mps"), 6.0, 1e-3);
    holds(&fit, "profile/error_mps < 1e-3");
    folder.runs(
        "
        fit --profile speeds.csv | half-life 0.500 s; 0 to 6 m/s
        2 fit --profile speeds.csv --toml x.toml | --toml needs a take
        ",
    );
    for (table, message) in [
        ("", "names no time"),
        ("1,2\n3,4\n", "names no time"),
        ("time,speed\n1,2\n", "1 rows; a fit needs 2"),
        ("time,speed\n1,2\nx,3\n", "line 3 lacks a number"),
        ("time,distance\n1,2\n2,1\n", "row 2: the distance is less"),
    ] {
        folder.write("bad.csv", table);
        folder.refuse("fit --profile bad.csv", message).says("try: ");
    }
}
