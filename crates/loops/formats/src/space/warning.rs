//! Doubts about the axis that is up and about the unit.

use super::{Axis, Up};
use crate::excerpt::short_number;

/// Why the axes or the unit taken for a file may be wrong.
#[error_kinds]
pub enum SpaceWarning {
    #[error("the up axis could not be detected; assuming Y")]
    UpUnknown,
    #[error("Y and {other} are about as likely to be up; assuming Y, state the axis if that is wrong")]
    UpUnclear { other: Axis },
    #[error("the head is below the feet along {axis}, so -{axis} is up; state the axis if that is wrong")]
    UpsideDown { axis: Axis },
    #[error(
        "the head is over the feet along {along}, but the body does not stand so; assuming Y is up, state the axis if that is wrong"
    )]
    Lies { along: Up },
    /// By the format +Y is up.
    #[error(
        "the body stands along {up}, which is taken as up in place of the format's Y; state the axis if that is wrong"
    )]
    StandsOtherwise { up: Up },
    #[error(
        "no unit makes this body as tall as a person: {height:.3} units are {:.3} m in the nearest one \
         of {unit_metres:.4} m; state the unit if that is wrong",
        .height * .unit_metres
    )]
    UnitUnclear {
        /// Estimated height of the body in the file's unit.
        height: f64,
        unit_metres: f64,
    },
    #[error("the unit could not be estimated from a body; assuming {unit_metres} m, state the unit if that is wrong")]
    UnitUnknown { unit_metres: f64 },
    /// By the format's metres the model would be smaller than a mouse or larger than a whale.
    #[error(
        "the joints span {} units, which cannot be metres as the format says; assuming {unit_metres} m, \
         state the unit if that is wrong",
        short_number(*.size)
    )]
    UnitNotMetres {
        /// Its size in the file's unit.
        size: f64,
        unit_metres: f64,
    },
    #[error("the file states left-handed axes; using {up} up and the rest as right-handed")]
    LeftHandedAxes { up: Up },
    /// By the stated unit the body is not a person; another unit was chosen.
    #[error(
        "by the stated unit of {stated_metres} m the body is {stated_height:.2} m tall; \
         assuming {unit_metres:.6} m, state the unit if that is wrong"
    )]
    UnitOverruled {
        stated_height: f64,
        stated_metres: f64,
        unit_metres: f64,
    },
    /// The body is not a person by the stated unit nor by any other; the stated unit is kept.
    #[error("by the stated unit the body is {height:.2} m tall; state the unit if that is wrong")]
    SizeUnusual {
        /// Height of the body by the stated unit, in metres.
        height: f64,
    },
}
