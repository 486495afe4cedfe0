//! `fit`: controller settings from numbers, from takes of known springs, and from takes without usable changes.

use crate::harness::{Folder, number};
use loopwright_formats::{Format, Source};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::{DriveSettings, drive};
use serde_json::Value;

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
    let folder = Folder::new();
    for (arguments, expected) in [
        ("--speed 4.86 --acceleration 3.94", "half-life 0.629 s"),
        ("--speed 10.44 --acceleration 2.80", "half-life 1.902 s"),
        ("--speed 5 --acceleration 2", "half-life 1.275 s"),
        ("--angle 180 --turn-rate 154.68", "half-life 0.593 s"),
        ("--half-life 0.2 --speed 5", "peaks at 12.75 m/s^2, after 0.144 s"),
        ("--half-life 0.2 --angle 180", "peaks at 458.99 deg/s, after 0.144 s"),
    ] {
        let answer = folder.succeed(&format!("fit {arguments}"));
        answer.shows(expected);
        answer.shows("59.7%");
    }
    let both = folder.answer("fit --speed 5 --angle 90 --half-life 0.2 --json");
    assert!((number(&both, "velocity/acceleration_mps2") - 12.75).abs() < 0.005);
    assert!((number(&both, "facing/peak_secs") - 0.144).abs() < 0.0005);
}

#[test]
fn too_few_or_too_many_numbers_are_refused() {
    let folder = with_drive(|settings| settings.seconds = 1.0);
    for arguments in [
        "--speed 5",
        "--half-life 0.2",
        "--angle 90 --speed 5 --acceleration 2",
        "--acceleration 2",
        "--speed 5 --acceleration 2 --half-life 1",
        "--speed 0 --acceleration 2",
        "--speed nan --acceleration 2",
        "--speed=-5 --acceleration 2",
        "drive.bvh --speed 5 --acceleration 2",
        "--speed 5 --acceleration 2 --toml c.toml",
        "drive.bvh --smoothing 0",
        "",
    ] {
        let answer = folder.fail(&format!("fit {arguments}"));
        assert!(!answer.stderr.is_empty() && answer.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_driven_take_gives_its_springs_back_in_every_answer() {
    let folder = with_drive(|settings| settings.noise_deg = 0.2);
    let text = folder
        .succeed("fit drive.bvh --toml controller.toml --plot fit.svg")
        .stdout;
    for word in ["walk", "run", "start", "stop", "turn", "59.7%", "[controller.walk]"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let answer = folder.answer("fit drive.bvh --json");
    for (pointer, truth) in [
        ("pools/0/all/velocity/fitted_secs/median", 0.4),
        ("pools/0/all/velocity/closed_secs/median", 0.4),
        ("pools/0/all/facing/fitted_secs/median", 0.3),
        ("pools/0/all/facing/closed_secs/median", 0.3),
    ] {
        let found = number(&answer, pointer);
        assert!((found / truth - 1.0).abs() < 0.1, "{pointer}: {found}");
    }
    assert_eq!(answer["takes"][0]["outcome"], "fitted");
    assert_eq!(answer["takes"][0]["events"].as_array().unwrap().len(), 7);

    let block: toml::Table = folder.text("controller.toml").parse().unwrap();
    assert!(text.contains(&folder.text("controller.toml")));
    let controller = &block["controller"];
    assert!((controller["velocity_half_life"].as_float().unwrap() - 0.4).abs() < 0.04);
    assert!((controller["facing_half_life"].as_float().unwrap() - 0.3).abs() < 0.03);
    let run = controller["run"]["max_speed"].as_float().unwrap();
    assert!((run - 3.6).abs() < 0.1, "{run}");
    assert!(folder.text("fit.svg").starts_with("<svg"));

    // Neither block nor plot is overwritten without --force.
    folder.fail("fit drive.bvh --toml controller.toml");
    folder.fail("fit drive.bvh --plot fit.svg");
    folder.succeed("fit drive.bvh --plot fit.svg --toml controller.toml --force");
}

#[test]
fn a_given_mode_holds_for_the_whole_take() {
    let folder = with_drive(|_| {});
    let answer = folder.answer("fit drive.bvh --mode strafe --json");
    let modes = answer["pools"][0]["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 1);
    assert_eq!(modes[0]["mode"], "strafe");
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
    let answer = folder.answer("fit takes --json");
    let median = number(&answer, "pools/0/all/velocity/fitted_secs/median");
    assert!((median - 0.4).abs() < 0.02, "{median}");
    let [lower, upper] =
        ["lower", "upper"].map(|end| number(&answer, &format!("pools/0/all/velocity/fitted_secs/{end}")));
    let is_near = (lower - 0.3).abs() < 0.02 && (upper - 0.5).abs() < 0.02;
    assert!(is_near, "{lower} {upper}");
    assert_eq!(answer["pools"][0]["takes"], 3);
    let answer = folder.answer("fit takes/?.bvh --json");
    assert_eq!(answer["pools"][0]["takes"], 3);

    folder.write("takes/broken.bvh", "HIERARCHY nonsense");
    folder.write("takes/notes.txt", "no take");
    let answer = folder.refuse("fit takes --json --plot pool.svg", "broken.bvh");
    answer.says("1 of 4");
    let takes = answer.json();
    assert_eq!(takes["takes"].as_array().unwrap().len(), 4);
    assert_eq!(takes["pools"][0]["takes"], 3);
    assert!(folder.text("pool.svg").contains("3 takes"));

    folder.make_folder("empty");
    let answer = folder.refuse("fit empty takes/a.bvh", "no take in the folder");
    answer.shows("a.bvh");
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
    for (name, words, outcome) in [
        ("short", "must be held to count", "short"),
        ("still", "the body is idle throughout", "nothing"),
        ("steady", "never changes from one steady velocity to another", "nothing"),
    ] {
        let answer = folder.run(&format!("fit {name}.bvh")).ended(1);
        answer.shows(words);
        assert!(!answer.stdout.contains("half_life ="), "{name}: {}", answer.stdout);
        let json = folder.run(&format!("fit {name}.bvh --json")).json();
        assert_eq!(json["takes"][0]["outcome"], outcome);
        assert!(json["takes"][0]["why"].as_str().unwrap().contains(words));
        assert!(json["pools"][0]["all"]["velocity"]["chosen_secs"].is_null());
        assert_eq!(folder.run(&format!("fit {name}.bvh --plot {name}.svg")).status, 1);
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

/// Every real take gives either physically possible figures or an error message.
#[test]
fn real_takes_give_figures_of_bodies() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::new();
    let mut fitted = 0;
    for name in [
        "100style",
        "bandai-namco",
        "cmu",
        "games-105",
        "pfnn",
        "pymo",
        "snu",
        "xia",
    ] {
        let answer = folder.run_list(&["fit", "--json", takes.join(name).to_str().unwrap()]);
        assert!(answer.status < 2, "{name}: {}", answer.stderr);
        let answer = answer.json();
        for take in answer["takes"].as_array().unwrap() {
            let file = &take["file"];
            fitted += usize::from(take["outcome"] == "fitted");
            for largest in take["largest"].as_array().unwrap() {
                if let Some(speed) = largest.pointer("/top_speed_mps/value").and_then(Value::as_f64) {
                    assert!(speed < 8.0, "{file}: {speed} m/s");
                }
            }
            for event in take["events"].as_array().unwrap() {
                for key in ["closed_half_life_secs", "fitted_half_life_secs"] {
                    let secs = event[key].as_f64().unwrap_or(1.0);
                    assert!((0.1..5.0).contains(&secs), "{file}: {event}");
                }
            }
        }
    }
    assert!(fitted > 15, "{fitted}");
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
    assert!((number(&fit, "velocity/half_life_secs") - 0.5).abs() < 1e-3, "{fit}");
    assert!((number(&fit, "velocity/speed_mps") - 6.0).abs() < 1e-3, "{fit}");
    assert!(number(&fit, "profile/error_mps") < 1e-3, "{fit}");
    let text = folder.succeed("fit --profile speeds.csv").stdout;
    assert!(text.contains("half-life 0.500 s; 0 to 6 m/s"), "{text}");
    for (table, message) in [
        ("", "names no time"),
        ("1,2\n3,4\n", "names no time"),
        ("time,speed\n1,2\n", "1 rows; a fit needs 2"),
        ("time,speed\n1,2\nx,3\n", "line 3 lacks a number"),
        ("time,distance\n1,2\n2,1\n", "row 2: the distance is less"),
    ] {
        folder.write("bad.csv", table);
        let answer = folder.refuse("fit --profile bad.csv", message);
        answer.says("try: ");
    }
    let answer = folder.run("fit --profile speeds.csv --toml x.toml");
    assert_eq!(
        (answer.status, answer.stderr.contains("--toml needs a take")),
        (2, true)
    );
}
