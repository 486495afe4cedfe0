//! Describes a kind of shape: how it fades, its parameters with their limits, and its words.

use core::ops::RangeInclusive;

use crate::{
    closure::Order,
    math::{Fading, Jet},
    unit::Unit,
};

/// A parameter that shapes may have, by its key in recipes; its flags are `--KEY`, `--KEY-start` and `--KEY-end`.
#[choice_in_words]
pub enum ShapeKey {
    /// The leading time, which every shape has: blend time, half-life or duration, seconds.
    Blend,
    /// The fade time of velocities if they have their own, seconds.
    VelocityBlend,
    /// How sharply a fade levels off.
    Hardness,
}

/// The numbers of a shape by key; keys that its kind does not have are absent.
#[handed_over(Copy, Default)]
pub(crate) struct ShapeValues([Option<f64>; ShapeKey::ALL.len()]);

impl ShapeValues {
    pub(super) fn get(&self, key: ShapeKey) -> Option<f64> {
        self.0[key as usize]
    }

    pub(super) fn set(&mut self, key: ShapeKey, value: Option<f64>) {
        self.0[key as usize] = value;
    }

    /// Returns a number that the kind always has: it has a default.
    pub(super) fn number(&self, key: ShapeKey) -> f64 {
        self.get(key).unwrap_or(f64::NAN)
    }

    /// Returns the leading time, seconds.
    pub(super) fn secs(&self) -> f64 {
        self.number(ShapeKey::Blend)
    }
}

/// The properties of a kind of shape.
#[derive(Debug)]
pub struct ShapeDescriptor {
    /// Its name in flags, recipes and sidecars.
    pub name: &'static str,
    /// Its description, in a few words.
    pub help: &'static str,
    /// The highest order that it can close.
    pub order: Order,
    /// Whether an offset is zero after the leading time.
    pub ends: bool,
    /// Whether it fades with the track's own progress instead of time.
    pub follows_the_track: bool,
    /// Its parameters, the leading time first.
    pub parameters: &'static [Parameter],
    /// How offsets of unit size fade t seconds after the shape's own end; the last argument is the share of the clip that is left.
    pub(crate) fading: fn(&ShapeValues, f64, Jet) -> Fading,
}

impl ShapeDescriptor {
    /// Returns the parameter of that key, if shapes of this kind have it.
    pub fn parameter(&self, key: ShapeKey) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.key == key)
    }
}

/// A parameter of a kind of shape.
#[derive(Debug)]
pub struct Parameter {
    /// Which it is.
    pub key: ShapeKey,
    /// Its name in a sentence.
    pub noun: &'static str,
    /// Its name at a slider.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Values that a slider reaches.
    pub range: RangeInclusive<f64>,
    /// Its default; `None` if it is then absent. For the time of velocities a given leading time takes precedence.
    pub default: Option<f64>,
    /// Returns the value that fits into a period, from the requested one, the period, and the fitted leading time, seconds.
    pub(super) fitted: fn(f64, Period) -> f64,
}

/// The times that a parameter has to fit into.
pub(crate) struct Period {
    /// Seconds of the loop.
    pub secs: f64,
    /// Seconds of the shape's leading time, once that is fitted.
    pub lead_secs: f64,
}

/// Blend time of the default method, seconds.
///
/// Measured on 514 cuts: at 0.3 s seams rank 50 of 100, at 0.35 s 48.6, at 0.4 s 47.8; the take's own frames rank 48.0; each
/// further 0.05 s moves the take by a fourth more.
pub const DEFAULT_BLEND_SECS: f64 = 0.35;

/// Times that sliders reach, seconds: shorter blends jerk, longer ones bend the whole loop.
const SECS: RangeInclusive<f64> = 0.01..=1.5;

impl Parameter {
    /// A blend time, which ends within the period.
    pub(super) const BLEND: Self = Self {
        key: ShapeKey::Blend,
        noun: "blend",
        label: "Blend time",
        unit: Unit::Secs,
        range: SECS,
        default: Some(DEFAULT_BLEND_SECS),
        fitted: |secs, period| secs.min(period.secs),
    };

    /// The leading blend time of a shape whose pose fades over the whole clip.
    pub(super) const BLEND_OF_VELOCITY: Self = Self {
        label: "Blend of the velocity",
        ..Self::BLEND
    };

    /// A half-life, which fits twice into the period.
    pub(super) const HALF_LIFE: Self = Self {
        noun: "half-life",
        label: "Half-life",
        default: Some(0.1),
        fitted: |secs, period| secs.min(0.5 * period.secs),
        ..Self::BLEND
    };
}
