//! Real takes: counts, frame rate, up axis and unit agree with what was measured when they were collected.
//!
//! The takes lie beside the project and are never part of it; where they are not there, the test says so and is skipped.

use std::path::PathBuf;

use loopwright_formats::{Axis, ReadSettings, SpaceWarning, Warning, read_take, space::CMU_UNIT_METRES};

/// Fields of a line of CSV; quotes may enclose commas and are doubled inside.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn real_takes_agree_with_the_manifest() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/mocap"));
    if !folder.is_dir() {
        eprintln!("SKIPPED: the takes are not at {}", folder.display());
        return;
    }
    let manifest = std::fs::read_to_string(folder.join("manifest.csv")).unwrap();
    let mut lines = manifest.lines().map(fields);
    let head = lines.next().unwrap();
    let mut num_checked = 0;
    for line in lines {
        let field = |name: &str| line[head.iter().position(|field| field == name).unwrap()].as_str();
        if field("format") != "BVH" {
            continue;
        }
        let file = field("file");
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let mut warnings = Vec::new();
        let loaded = read_take(&bytes, file, &ReadSettings::default(), &mut warnings)
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let take = &loaded.take;
        // The manifest counts the rows present; rows beyond the declared ones are not frames.
        let declared = field("notes")
            .split("declared ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next()?.parse().ok());
        let frames: usize = field("frames").parse().unwrap();
        assert_eq!(take.num_frames(), declared.unwrap_or(frames), "{file}");
        assert_eq!(take.num_joints(), field("joints").parse::<usize>().unwrap(), "{file}");
        let fps: f64 = field("fps").parse().unwrap();
        assert!(
            (take.frame_rate_hz() - fps).abs() < 1e-3,
            "{file}: {}",
            take.frame_rate_hz()
        );
        let up = Axis::ALL.into_iter().find(|axis| axis.to_string() == field("up_axis"));
        assert_eq!(Some(loaded.source.space().up), up, "{file}");
        let metres = match field("units") {
            "m" => Some(1.0),
            "cm" => Some(0.01),
            "inch-like (2.54 cm)" => Some(0.0254),
            "CMU unit (5.64 cm)" => Some(CMU_UNIT_METRES),
            "-" => None,
            other => panic!("{file}: unit {other}"),
        };
        let is_guess = |warning: &Warning| {
            matches!(
                warning,
                Warning::Space(
                    SpaceWarning::UpUnknown
                        | SpaceWarning::UpUnclear { .. }
                        | SpaceWarning::UnitUnclear { .. }
                        | SpaceWarning::UnitUnknown { .. }
                )
            )
        };
        if let Some(metres) = metres {
            assert_eq!(loaded.source.space().unit_metres, metres, "{file}");
            assert!(!warnings.iter().any(is_guess), "{file}: {warnings:?}");
        }
        num_checked += 1;
    }
    assert!(num_checked >= 60, "only {num_checked} takes in the manifest");
}
