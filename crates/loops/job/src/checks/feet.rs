//! Checks of the feet.

use loopwright_core::analysis::{FoundBy, MOVING_MPS};
use loopwright_formats::loop_file::facts::CheckFacts;

use super::{
    Measure, Subject, root,
    row::{Limits, LimitsFrom, said, value},
};

/// Largest slide of a foot within a contact of a good loop, metres at the size of an adult.
pub const GOOD_FOOT_SLIDE_METRES: f64 = 0.02;

/// Largest height error of a planted foot against the take in a good loop, metres at the size of an adult.
pub const GOOD_FOOT_HEIGHT_METRES: f64 = 0.009;

/// Whether a body with feet goes. Feet that walk in place must slide; subtracting their own speed removes only part of it.
pub(super) fn are_to_stand(subject: &Subject) -> bool {
    let quality = subject.quality;
    let goes = quality.root_mps >= root::WALKS_MPS * quality.body_size && !subject.stays_in_place();
    goes && !subject.body.feet.is_empty()
}

crate::check_rows! {
    pub(super) of Measure by Measure::OfLoop;

    SLIDE {
        id: "foot-slide",
        measures: "way of a foot over the ground within a contact",
        unit: "mm",
        limits: LimitsFrom::Body(Limits::new(GOOD_FOOT_SLIDE_METRES, 0.04), 1e3),
        cure: "another loop from `loopwright find`",
        says: "{joint} slides {size} mm while planted",
        measure: |row, subject| {
            let quality = subject.quality;
            let slide = quality.farthest_slide.filter(|_| are_to_stand(subject))?;
            Some(subject.of_joint(slide.joint, slide.sample, row.graded(1e3 * slide.metres, quality.body_size)))
        },
    }

    HEIGHT {
        id: "foot-height",
        measures: "median height of a planted foot above that in the take, limited either way",
        unit: "mm",
        limits: LimitsFrom::Body(Limits::new(GOOD_FOOT_HEIGHT_METRES, 0.018), 1e3),
        cure: "--lock-feet off, which lets feet slide",
        reason: |check| {
            said(
                if value(check) > 0.0 {
                    "{joint} is planted {size} mm above its height in the take"
                } else {
                    "{joint} is planted {size} mm below its height in the take"
                },
                check,
            )
        },
        measure: |row, subject| {
            let quality = subject.quality;
            let height = quality.foot_height.filter(|_| !subject.is_meant_to_differ)?;
            let check = CheckFacts {
                value: Some(1e3 * height.metres),
                ..row.graded(1e3 * height.metres.abs(), quality.body_size)
            };
            Some(subject.of_joint(height.joint, height.sample, check))
        },
    }

    STAND {
        id: "feet-stand",
        measures: "whether no foot of a body that goes somewhere ever stands",
        limits: LimitsFrom::never_bad(0.0),
        cure: "a cleaner capture; --set take.feet names the feet, --unit and --up how the file is read",
        says: "the body moves, and no foot is ever planted",
        measure: |row, subject| {
            let (quality, body) = (subject.quality, subject.body);
            let has_feet = matches!(body.found_by, FoundBy::Names | FoundBy::Given) && !body.feet.is_empty();
            if !has_feet || quality.root_mps < MOVING_MPS * quality.body_size || subject.stays_in_place() {
                return None;
            }
            Some(row.answered(quality.farthest_slide.is_none()))
        },
    }
}
