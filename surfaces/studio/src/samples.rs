//! The samples of the page: walks that are synthesized on request.

use loopwright_formats::{Format, Source, write_take};
use loopwright_synth::{WalkSettings, synthesize};

use crate::model::{Action, Beside};

/// Returns the action that opens the sample with this name; `None` if there is none.
pub fn sample(name: &str) -> Option<Action> {
    let some = WalkSettings::default()
        .seed(11)
        .seconds(8.0)
        .noise_deg(0.2)
        .speed_variation(0.05);
    let settings = match name {
        "stroll" => WalkSettings {
            speed_mps: 0.9,
            period_secs: 1.26,
            lead_in_secs: 1.5,
            ..some
        },
        "run" => WalkSettings {
            speed_mps: 2.2,
            period_secs: 0.83,
            ..some
        },
        "circle" => WalkSettings { turn_dps: 40.0, ..some },
        "stairs" => WalkSettings {
            speed_mps: 0.7,
            period_secs: 1.23,
            climb_mps: 0.3,
            ..some
        },
        _ => return None,
    };
    let take = synthesize(&settings).ok()?.take;
    Some(Action::of_file(
        format!("{name}.bvh"),
        write_take(&take, &Source::for_take(&take, Format::Bvh)).ok()?.bytes,
        Beside::default(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Made, Opened};

    #[test]
    fn every_sample_of_the_page_makes_a_good_loop() {
        let page = include_str!("../web/index.html");
        let names: Vec<&str> = page
            .split("data-sample=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(names.len() >= 4);
        for name in names {
            let Some(Action::Open { file_name, bytes, .. }) = sample(name) else {
                panic!("there is no sample {name}");
            };
            let opened = Opened::read(&file_name, bytes).unwrap();
            let made = Made::of(&opened, &crate::model::Edit::first(&opened)).unwrap();
            assert!(opened.found.best().is_some(), "{name}");
            assert_eq!(
                made.verdict.grade,
                loopwright_formats::loop_file::facts::Grade::Good,
                "{name}: {}",
                made.verdict
            );
        }
    }
}
