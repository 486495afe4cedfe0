//! Fits a method to the clip that it closes: times that are too long are shortened and reported.

use core::fmt;

use super::{crossfade::Crossfade, method::Method, shapes::Shape, shapes::ShapeKey, shapes::ShapeKind};
use crate::{take::Clip, unit::Unit};

/// An end of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum End {
    /// Where the loop starts.
    Start,
    /// Where the loop meets its start.
    End,
}

crate::words!(End {
    Start: "start",
    End: "end",
});

/// A setting that did not fit, and the value used in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Clamp {
    /// A shape was too long for the period, or too soft.
    Shape {
        /// Which end.
        end: End,
        /// The shape asked for.
        asked: Shape,
        /// The shape used.
        used: Shape,
    },
    /// A crossfade was longer than the period or than the frames that the take has beyond the seam.
    Crossfade {
        /// Seconds asked for.
        asked_secs: f64,
        /// Seconds used; 0 where the take has no frames to blend into, and only offsets close the seam.
        used_secs: f64,
    },
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shape { end, asked, used } => {
                let mut separator = "";
                let kind = used.kind();
                for (parameter, asked) in asked.values() {
                    let Some(used) = used.get(parameter.key).filter(|used| *used != asked) else {
                        continue;
                    };
                    write!(f, "{separator}the {} at the {end} was ", parameter.noun)?;
                    match parameter.unit {
                        Unit::Secs => {
                            // A soft fade also limits the time in which velocities cancel its slope.
                            let fits = match (kind, parameter.key) {
                                (ShapeKind::SoftFade, ShapeKey::VelocityBlend) => "fit into the loop and the fade",
                                _ => "fit into the loop",
                            };
                            write!(f, "shortened from {asked:.3} s to {used:.3} s to {fits}")?;
                        }
                        _ => write!(
                            f,
                            "{} from {asked} to {used}",
                            if used > asked { "raised" } else { "lowered" }
                        )?,
                    }
                    separator = "; ";
                }
                Ok(())
            }
            Self::Crossfade { asked_secs, used_secs } if used_secs > 0.0 => write!(
                f,
                "the crossfade was shortened from {asked_secs:.3} s to {used_secs:.3} s, all that the take has around the loop"
            ),
            Self::Crossfade { .. } => {
                f.write_str("the take has no frames around the loop to crossfade into; offsets close the seam alone")
            }
        }
    }
}

/// The method fitted to a clip; each change is added to `clamps` once.
pub(super) fn fitted(clip: &Clip, asked: &Method, can_fade: bool, clamps: &mut Vec<Clamp>) -> Method {
    let mut method = *asked;
    for (end, shape) in [(End::Start, &mut method.start), (End::End, &mut method.end)] {
        let (asked, used) = (*shape, shape.fitted(clip.period_secs()));
        if used != asked {
            note(clamps, Clamp::Shape { end, asked, used });
        }
        *shape = used;
    }
    if let Some(asked_secs) = asked.crossfade_secs {
        let fade = Crossfade::fitted(clip, asked_secs).filter(|_| can_fade);
        let used_secs = fade.map_or(0.0, |fade| fade.secs(clip));
        // Blending over whole samples loses half a sample.
        if used_secs < asked_secs - 0.5001 * clip.step_secs() {
            note(clamps, Clamp::Crossfade { asked_secs, used_secs });
        }
        method.crossfade_secs = fade.map(|_| used_secs);
    }
    method
}

fn note(clamps: &mut Vec<Clamp>, clamp: Clamp) {
    if !clamps.contains(&clamp) {
        clamps.push(clamp);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::{ShapeKey, ShapeKind};

    fn shape(end: End, asked: Shape, period_secs: f64) -> String {
        let used = asked.fitted(period_secs);
        Clamp::Shape { end, asked, used }.to_string()
    }

    #[test]
    fn every_change_of_a_shape_is_said_and_nothing_else() {
        let soft = |duration_secs: f64, hardness: f64| {
            let shape = Shape::new(ShapeKind::SoftFade, duration_secs).with(ShapeKey::VelocityBlend, 0.1);
            shape.with(ShapeKey::Hardness, hardness)
        };
        assert_eq!(
            shape(End::Start, soft(3.0, 0.25), 1.0),
            "the duration at the start was shortened from 3.000 s to 2.000 s to fit into the loop; \
             the hardness at the start was raised from 0.25 to 0.5"
        );
        assert_eq!(
            shape(End::End, soft(1.0, 0.25), 1.0),
            "the hardness at the end was raised from 0.25 to 0.5"
        );
        assert_eq!(
            shape(End::End, soft(3.0, 4.0), 1.0),
            "the duration at the end was shortened from 3.000 s to 2.000 s to fit into the loop"
        );
        let springs = Shape::new(ShapeKind::Spring, 0.1).with(ShapeKey::VelocityBlend, 0.8);
        assert_eq!(
            shape(End::Start, springs, 1.0),
            "the velocity's half-life at the start was shortened from 0.800 s to 0.500 s to fit into the loop"
        );
    }

    #[test]
    fn a_crossfade_without_frames_is_told_from_a_short_one() {
        let crossfade = |used_secs: f64| {
            Clamp::Crossfade {
                asked_secs: 0.4,
                used_secs,
            }
            .to_string()
        };
        assert_eq!(
            crossfade(0.25),
            "the crossfade was shortened from 0.400 s to 0.250 s, all that the take has around the loop"
        );
        assert_eq!(
            crossfade(0.0),
            "the take has no frames around the loop to crossfade into; offsets close the seam alone"
        );
    }
}
