//! Bodies of robots, as their files state them.

use glam::DVec3;
use loopwright_core::{
    math::{Rigid, rotation},
    motion::SolePoint,
};

use super::error::RobotError;
use crate::{excerpt::one_line, limits::MAX_DEPTH};

/// Errors: a body or a class is nested too deeply.
pub(super) fn check_depth(depth: usize) -> Result<(), RobotError> {
    if depth > MAX_DEPTH {
        return Err(RobotError::TooDeep { limit: MAX_DEPTH });
    }
    Ok(())
}

/// Directions in which round shapes have points.
const DIRECTIONS: usize = 8;

/// A hinge as its file states it, in the axes of its body.
pub(super) struct RawHinge {
    pub name: String,
    pub anchor: DVec3,
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub speed: Option<f64>,
    /// The angle in the pose that the file describes, radians.
    pub reference: f64,
}

/// A body: its place relative to its parent, the hinges that move it, and its collision shapes.
#[derive(Default)]
pub(super) struct RawBody {
    pub name: String,
    pub parent: Option<usize>,
    pub place: Option<Rigid>,
    pub hinges: Vec<RawHinge>,
    pub points: Vec<SolePoint>,
    pub has_mesh: bool,
}

/// The points of a shape that may touch the ground, at `place` in the axes of its body. Unknown shapes have none.
pub(super) fn shape_points(kind: &str, size: &[f64], place: Rigid) -> Vec<SolePoint> {
    let at = |index: usize| size.get(index).copied().unwrap_or(0.0);
    let signs = |range: usize, bit: usize| if range >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let own: Vec<DVec3> = match kind {
        "sphere" => vec![DVec3::ZERO],
        "capsule" => [-1.0, 1.0].map(|side| DVec3::Z * side * at(1)).to_vec(),
        "box" => (0..8)
            .map(|corner| DVec3::from_array([0, 1, 2].map(|axis| signs(corner, axis) * at(axis))))
            .collect(),
        "cylinder" => (0..2 * DIRECTIONS)
            .map(|point| {
                let turn = core::f64::consts::TAU * (point / 2) as f64 / DIRECTIONS as f64;
                rotation::exp(turn * DVec3::Z) * (DVec3::X * at(0)) + DVec3::Z * signs(point, 0) * at(1)
            })
            .collect(),
        "ellipsoid" => (0..6)
            .map(|end| DVec3::AXES[end / 2] * signs(end, 0) * at(end / 2))
            .collect(),
        _ => Vec::new(),
    };
    let is_round = matches!(kind, "sphere" | "capsule");
    own.into_iter()
        .map(|point| SolePoint {
            at: place.transform_point(point),
            radius: if is_round { at(0) } else { 0.0 },
        })
        .collect()
}

/// The lowest points of a sole, if that is level: those below the middles of its balls, at `frame` of its joint.
pub(super) fn lows(points: &[SolePoint], frame: Rigid) -> impl Iterator<Item = DVec3> {
    points
        .iter()
        .map(move |point| frame.transform_point(point.at) - point.radius * DVec3::Z)
}

/// An attribute of an element.
pub(super) struct Attribute<'a> {
    /// The name of the element, for messages.
    pub element: &'a str,
    pub name: &'static str,
    /// What the file states, if anything.
    pub text: Option<&'a str>,
}

impl Attribute<'_> {
    /// Parses its numbers; none if it is missing. Errors: one is not a number.
    pub(super) fn numbers(&self) -> Result<Vec<f64>, RobotError> {
        let numbers: Option<Vec<f64>> = self
            .text
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(|word| word.parse::<f64>().ok().filter(|number| number.abs() < 1e9))
            .collect();
        numbers.ok_or_else(|| self.wrong("a list of numbers"))
    }

    /// Parses its first number; `None` if it is missing. Errors: as [`Self::numbers`].
    pub(super) fn number(&self) -> Result<Option<f64>, RobotError> {
        Ok(self.numbers()?.first().copied())
    }

    /// Parses its three, four or six numbers; `None` if it is missing. Errors: there are not as many.
    pub(super) fn exactly<const N: usize>(&self) -> Result<Option<[f64; N]>, RobotError> {
        if self.text.is_none() {
            return Ok(None);
        }
        let expected = match N {
            3 => "three numbers",
            4 => "four numbers",
            _ => "six numbers",
        };
        <[f64; N]>::try_from(self.numbers()?)
            .map(Some)
            .map_err(|_| self.wrong(expected))
    }

    /// Parses its vector; `None` if it is missing. Errors: there are not three numbers.
    pub(super) fn vector(&self) -> Result<Option<DVec3>, RobotError> {
        Ok(self.exactly()?.map(DVec3::from_array))
    }

    pub(super) fn wrong(&self, expected: &'static str) -> RobotError {
        RobotError::Attribute {
            name: one_line(self.element),
            attribute: self.name,
            found: one_line(self.text.unwrap_or_default()),
            expected,
        }
    }
}
