//! The space of a file that states its unit, which is overruled if the body would not have a person's size.

use loopwright_core::Take;

use super::{
    NAMED_UNITS, Space, UNIT_RANGE,
    choice::{SpaceSettings, UnitChoice},
    guess::{self, HEIGHT_METRES, find_body, height_of},
    warning::SpaceWarning,
};
use crate::warning::FileWarning;

/// A stated unit is accepted while the body is within this factor of a person's height, as children and trolls are.
const BELIEVED_FACTOR: f64 = 2.0;

/// Determines the space of a file that states its unit, by frames of its take in the file's own axes and unit.
///
/// The stated unit is used unless it makes the body far too small or too tall. Then a known unit that gives a person's height is
/// used, first for numbers below the nodes whose scale is `scale_above`, where exporters put wrong units, then for numbers in the
/// world. Overruling and doubt are reported in `warnings`.
pub(crate) fn settle(
    probe: &Take,
    settings: &SpaceSettings,
    stated_metres: f64,
    scale_above: f64,
    warnings: &mut Vec<FileWarning>,
) -> Space {
    let is_plausible = UNIT_RANGE.contains(&stated_metres);
    let unit = match settings.unit {
        UnitChoice::Auto if is_plausible => UnitChoice::Metres(stated_metres),
        choice => choice,
    };
    let mut space = guess::settle(probe, None, &SpaceSettings { unit, ..*settings }, warnings);
    if settings.unit != UnitChoice::Auto || !is_plausible {
        return space;
    }
    let upright = probe.turned(space.turn());
    let Some(height) = find_body(&upright).and_then(|body| height_of(&body, &upright)) else {
        return space;
    };
    let stated_height = height * stated_metres;
    if (HEIGHT_METRES.start() / BELIEVED_FACTOR..=HEIGHT_METRES.end() * BELIEVED_FACTOR).contains(&stated_height) {
        return space;
    }
    let units = NAMED_UNITS.map(|(_, metres)| metres);
    let fitting = units
        .map(|metres| metres / scale_above)
        .into_iter()
        .chain(units)
        .find(|metres| UNIT_RANGE.contains(metres) && HEIGHT_METRES.contains(&(height * metres)));
    match fitting {
        Some(unit_metres) => {
            warnings.push(
                SpaceWarning::UnitOverruled {
                    stated_height,
                    stated_metres,
                    unit_metres,
                }
                .into(),
            );
            space.unit_metres = unit_metres;
            space.unit_given = false;
        }
        None => warnings.push(SpaceWarning::SizeUnusual { height: stated_height }.into()),
    }
    space
}
