//! Real takes: counts, frame rate, up axis and unit agree with the values measured when they were collected.
//!
//! The takes are not part of the project; if they are missing, the test reports it and is skipped.

use loopwright_formats::{AnimationChoice, FileWarning, SpaceWarning, Up, space::CMU_UNIT_METRES};
use loopwright_mocap::folder_or_skip;

use crate::support::read;

#[test]
fn real_takes_agree_with_the_manifest() {
    let Some(folder) = folder_or_skip() else { return };
    let mut num_checked = 0;
    for row in loopwright_mocap::manifest(&folder).unwrap() {
        if row.format != "BVH" {
            continue;
        }
        let file = row.file.as_str();
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let (loaded, warnings) = read(&bytes, AnimationChoice::Auto).unwrap_or_else(|error| panic!("{file}: {error}"));
        let take = &loaded.take;
        // The manifest counts the rows present; rows beyond the declared ones are not frames.
        let declared = (row.notes.split("declared ").nth(1)).and_then(|rest| rest.split(' ').next()?.parse().ok());
        assert_eq!(Some(take.num_frames()), declared.or(row.frames), "{file}");
        assert_eq!(Some(take.num_joints()), row.joints, "{file}");
        let rate_hz = take.frame_rate_hz();
        assert!((rate_hz - row.fps.unwrap()).abs() < 1e-3, "{file}: {rate_hz}");
        let up = Up::ALL.into_iter().find(|up| up.to_string() == row.up_axis);
        assert_eq!(Some(loaded.source.space().up), up, "{file}");
        let metres = match row.units.as_str() {
            "m" => Some(1.0),
            "cm" => Some(0.01),
            "inch-like (2.54 cm)" => Some(0.0254),
            "CMU unit (5.64 cm)" => Some(CMU_UNIT_METRES),
            "-" => None,
            other => panic!("{file}: unit {other}"),
        };
        let is_guess = |warning: &FileWarning| {
            matches!(
                warning,
                FileWarning::Space(
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
