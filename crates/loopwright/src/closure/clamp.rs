//! Fits a method to the clip that it closes: times that are too long are shortened and reported.

use core::fmt;

use super::{crossfade::Crossfade, method::Method, shapes::Shape};
use crate::take::Clip;

/// An end of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the loop starts.
    Start,
    /// Where the loop meets its start.
    End,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::End => "end",
        })
    }
}

/// A setting that did not fit, and the value used in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
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
                let time = match asked {
                    Shape::Spring { .. } | Shape::TwoSprings { .. } => "half-life",
                    Shape::SoftFade { .. } => "duration",
                    _ => "blend",
                };
                let of_velocity = match asked {
                    Shape::TwoSprings { .. } => "velocity's half-life",
                    _ => "velocity's blend",
                };
                let times = asked.times().into_iter().zip(used.times()).zip([time, of_velocity]);
                let mut separator = "";
                for ((asked, used), time) in times {
                    if let (Some(asked), Some(used)) = (asked, used)
                        && asked != used
                    {
                        write!(
                            f,
                            "{separator}the {time} at the {end} was shortened from {asked:.3} s to {used:.3} s to fit into the loop"
                        )?;
                        separator = "; ";
                    }
                }
                match (asked.hardness(), used.hardness()) {
                    (Some(asked), Some(used)) if asked != used => {
                        write!(
                            f,
                            "{separator}the hardness at the {end} was raised from {asked} to {used}"
                        )
                    }
                    _ => Ok(()),
                }
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
    let mut note = |clamp: Clamp| {
        if !clamps.contains(&clamp) {
            clamps.push(clamp);
        }
    };
    for (end, shape) in [(End::Start, &mut method.start), (End::End, &mut method.end)] {
        let (asked, used) = (*shape, shape.fitted(clip.period_secs()));
        if used != asked {
            note(Clamp::Shape { end, asked, used });
        }
        *shape = used;
    }
    if let Some(asked_secs) = asked.crossfade_secs {
        let fade = Crossfade::fitted(clip, asked_secs).filter(|_| can_fade);
        let used_secs = fade.map_or(0.0, |fade| fade.secs(clip));
        // Blending over whole samples loses half a sample.
        if used_secs < asked_secs - 0.5001 * clip.step_secs() {
            note(Clamp::Crossfade { asked_secs, used_secs });
        }
        method.crossfade_secs = fade.map(|_| used_secs);
    }
    method
}
