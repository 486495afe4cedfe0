//! Fits a method to the clip: times that are too long are shortened and reported.

use core::fmt;

use super::{Method, Shape, ShapeKey, ShapeKind, crossfade::Crossfade};
use crate::{take::Clip, unit::Unit};

/// An end of a cut.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum End {
    /// Where the loop starts.
    Start,
    /// The end of the cut, where the loop meets its start.
    End,
}

/// A setting that did not fit, and the value used in its place.
#[handed_over(Copy)]
pub enum Clamp {
    /// A shape was too long for the period, or too soft.
    Shape {
        /// Which end.
        end: End,
        /// The requested shape.
        asked: Shape,
        /// The shape used.
        used: Shape,
    },
    /// A crossfade was longer than the period or than the frames that the take has beyond the seam.
    Crossfade {
        /// Requested seconds.
        asked_secs: f64,
        /// Seconds used; 0 if the take has no frames to blend into, so that only offsets close the seam.
        used_secs: f64,
    },
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
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

/// Returns the method fitted to a clip, without a crossfade where `can_fade` is false; adds each change to `clamps` once.
pub(super) fn fitted(clip: &Clip, asked: &Method, can_fade: bool, clamps: &mut Vec<Clamp>) -> Method {
    let mut method = *asked;
    for (end, shape) in [(End::Start, &mut method.start), (End::End, &mut method.end)] {
        let (asked, used) = (*shape, shape.fitted(clip.period_secs()));
        if used != asked {
            add_once(clamps, Clamp::Shape { end, asked, used });
        }
        *shape = used;
    }
    if let Some(asked_secs) = asked.crossfade_secs {
        let fade = Crossfade::fitted(clip, asked_secs).filter(|_| can_fade);
        let used_secs = fade.map_or(0.0, |fade| fade.secs(clip));
        // Blending over whole samples loses half a sample.
        if used_secs < asked_secs - 0.5001 * clip.step_secs() {
            add_once(clamps, Clamp::Crossfade { asked_secs, used_secs });
        }
        method.crossfade_secs = fade.map(|_| used_secs);
    }
    method
}

/// Adds a change unless it is there.
fn add_once(clamps: &mut Vec<Clamp>, clamp: Clamp) {
    if !clamps.contains(&clamp) {
        clamps.push(clamp);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::{ShapeKey, ShapeKind};

    #[test]
    fn every_change_of_a_shape_is_said_and_nothing_else() {
        let soft = |duration_secs: f64, hardness: f64| {
            let shape = Shape::new(ShapeKind::SoftFade, duration_secs).with(ShapeKey::VelocityBlend, 0.1);
            shape.with(ShapeKey::Hardness, hardness)
        };
        let duration = "the duration at the start was shortened from 3.000 s to 2.000 s to fit into the loop";
        let hardness = "the hardness at the start was raised from 0.25 to 0.5";
        for (asked, said) in [
            (soft(3.0, 0.25), format!("{duration}; {hardness}")),
            (soft(1.0, 0.25), hardness.to_owned()),
            (soft(3.0, 4.0), duration.to_owned()),
        ] {
            let (end, used) = (End::Start, asked.fitted(1.0));
            assert_eq!(Clamp::Shape { end, asked, used }.to_string(), said);
        }
    }

    #[test]
    fn a_crossfade_without_frames_is_told_from_a_short_one() {
        for (used_secs, said) in [
            (0.25, "from 0.400 s to 0.250 s"),
            (0.0, "has no frames around the loop"),
        ] {
            let asked_secs = 0.4;
            let clamp = Clamp::Crossfade { asked_secs, used_secs }.to_string();
            assert!(clamp.contains(said), "{clamp}");
        }
    }
}
