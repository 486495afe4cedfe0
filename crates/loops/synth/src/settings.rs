//! The settings of a walk to synthesize, and their checks.

use loopwright_core::take::TakeError;
use serde::{Deserialize, Serialize};

use crate::body;

/// States each field once: with its type and default, and a method of its name, so that a walk is stated by how it differs from another.
macro_rules! walk_settings {
    ($($(#[$about:meta])* $field:ident: $Type:ty = $default:expr,)*) => {
        /// A walk to synthesize. The default is the demo's input.
        ///
        /// A take is strictly periodic when `drift`, `torso_rise_metres`, `speed_variation`, `noise_deg`, `lead_in_secs` and
        /// `lead_out_secs` are all zero, and `turn_span_secs` is none.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct WalkSettings {
            $($(#[$about])* pub $field: $Type,)*
        }

        impl Default for WalkSettings {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl WalkSettings {
            $(
                #[doc = concat!("The same settings with another `", stringify!($field), "`.")]
                #[must_use]
                pub fn $field(self, $field: $Type) -> Self {
                    Self { $field, ..self }
                }
            )*
        }
    };
}

walk_settings! {
    /// Seed of all randomness: noise and the phases of the speed variation. Same seed, same bits.
    seed: u64 = 7,
    /// Length of the take in seconds, first frame to last, rounded down to whole frames.
    seconds: f64 = 8.0,
    /// Frames per second.
    frame_rate_hz: f64 = 60.0,
    /// Seconds of one full cycle, two steps. Preferably not a whole number of frames.
    period_secs: f64 = 1.1537,
    /// Forward speed along the path in metres per second; zero steps in place.
    speed_mps: f64 = 1.25,
    /// Turn rate in degrees per second, left positive. The path is an arc.
    turn_dps: f64 = 12.0,
    /// Climb in metres per second, as on stairs; the feet are planted level, each at its own height. Negative descends.
    climb_mps: f64 = 0.0,
    /// Phase of the first frame in cycles; the middle of the left foot's stance has phase 0.
    ///
    /// With a lead-in only the side matters: from 0 to 0.5 the left foot starts, from 0.5 to 1 the right.
    start_phase: f64 = 0.1,
    /// Fraction by which stance width, arm swing, elbow bend, sway, bob and rotations of the trunk grow over the take
    /// (over one cycle where the take is shorter).
    drift: f64 = 0.02,
    /// Metres by which the whole body rises from start to end of the take; negative sinks.
    ///
    /// The body never stands higher than its legs allow: a rising walker starts crouched by this much.
    torso_rise_metres: f64 = 0.0,
    /// Largest relative deviation of the gait's rate and speed from their means: two slow waves, 4.7 and 7.3 cycles long.
    ///
    /// Gait and root share one clock, so feet stay planted.
    speed_variation: f64 = 0.0,
    /// Standard deviation of sensor noise in degrees, about each axis of each joint, independent from frame to frame.
    ///
    /// The root's position gets 5 mm per degree along each axis.
    noise_deg: f64 = 0.02,
    /// Seconds of standing at the start, before the walk; with zero the walk begins at the first frame.
    lead_in_secs: f64 = 0.0,
    /// Seconds of standing at the end, at least, after the walk; with zero the walk goes on to the last frame.
    lead_out_secs: f64 = 0.0,
    /// Seconds of full stride from the start between which the path turns, straight on before and after; none for all of the walk.
    turn_span_secs: Option<[f64; 2]> = None,
    /// Makes frame 0 a bad frame: it holds a T-pose, as in many recordings.
    t_pose_first_frame: bool = false,
}

/// Why a take cannot be synthesized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum SynthError {
    /// A setting is NaN or outside its range.
    #[error("{setting} must lie between {min} and {max}, found {found}")]
    OutOfRange {
        setting: &'static str,
        min: f64,
        max: f64,
        found: f64,
    },
    /// More frames than a take may hold.
    #[error("{found} transforms exceed the limit of {limit}; shorten the take or lower its rate")]
    TooLarge { found: f64, limit: usize },
    /// A cycle is too long, too steep or too tightly curved for the body's legs.
    #[error(
        "the legs cannot reach: hips would have to sink to {hips_height_metres:.2} m (at least {min:.2} m); \
         lower speed, climb or turn rate, or shorten the period"
    )]
    OutOfReach {
        /// Height of the hips above the root at which both feet are in reach at all times; minus infinity if there is none.
        hips_height_metres: f64,
        min: f64,
    },
    #[error("the robot has no joint \"{name}\" with a hinge")]
    NoJoint { name: String },
    /// The tracks do not form a valid take.
    #[error(transparent)]
    Take(#[from] TakeError),
}

/// Most transforms (frames times joints) of one take: some 6 hours at 20 Hz, and well under a gigabyte.
const MAX_TRANSFORMS: usize = 10_000_000;

/// Cycles of a walk that stands at its end, at least.
const SHORTEST_WALK: f64 = 3.0;

impl WalkSettings {
    /// Returns the number of frames of the take.
    pub fn num_frames(&self) -> usize {
        num_frames(self.seconds, self.frame_rate_hz)
    }

    /// Checks the range of every field and the size of the take.
    ///
    /// Whether the legs reach is known only after the walk is laid out. Errors: [`SynthError::OutOfRange`],
    /// [`SynthError::TooLarge`].
    pub fn check(&self) -> Result<(), SynthError> {
        // A walk that ends needs a few strides, and a clock that stops has no waves.
        let stops = self.lead_out_secs > 0.0;
        let shortest = self.lead_in_secs + self.lead_out_secs + SHORTEST_WALK * self.period_secs;
        let most_varied = if stops { 0.0 } else { 0.5 };
        let [turns_from, turns_to] = self.turn_span_secs.unwrap_or_default();
        let ranges = [
            ("seconds", self.seconds, if stops { shortest } else { 0.0 }, 1e6),
            ("frame_rate_hz", self.frame_rate_hz, 1.0, 10_000.0),
            ("period_secs", self.period_secs, 0.2, 10.0),
            ("speed_mps", self.speed_mps, 0.0, 6.0),
            ("turn_dps", self.turn_dps, -360.0, 360.0),
            ("climb_mps", self.climb_mps, -2.0, 2.0),
            ("start_phase", self.start_phase, -1e6, 1e6),
            ("drift", self.drift, -0.5, 0.5),
            ("torso_rise_metres", self.torso_rise_metres, -0.2, 0.2),
            ("speed_variation", self.speed_variation, 0.0, most_varied),
            ("noise_deg", self.noise_deg, 0.0, 45.0),
            ("lead_in_secs", self.lead_in_secs, 0.0, 1e6),
            ("lead_out_secs", self.lead_out_secs, 0.0, 1e6),
            ("turn_span_secs", turns_from, 0.0, 1e6),
            ("turn_span_secs", turns_to, turns_from, 1e6),
        ];
        check_ranges(&ranges)?;
        check_size(self.seconds, self.frame_rate_hz)
    }
}

/// Returns the number of frames of a take of that length and rate.
///
/// The small allowance keeps the last frame when rounding puts a whole number of frames slightly below itself.
pub(crate) fn num_frames(seconds: f64, frame_rate_hz: f64) -> usize {
    (seconds * frame_rate_hz + 1e-9).floor() as usize + 1
}

/// Checks fields against their ranges, each given by name, value, least and most. Errors: [`SynthError::OutOfRange`].
pub(crate) fn check_ranges(ranges: &[(&'static str, f64, f64, f64)]) -> Result<(), SynthError> {
    for &(setting, found, min, max) in ranges {
        // NaN is in no range.
        if !(min..=max).contains(&found) {
            return Err(SynthError::OutOfRange {
                setting,
                min,
                max,
                found,
            });
        }
    }
    Ok(())
}

/// Whether a take of that length and rate is within the limit of size.
pub(crate) fn check_size(seconds: f64, frame_rate_hz: f64) -> Result<(), SynthError> {
    let found = (seconds * frame_rate_hz + 1.0) * body::NUM_JOINTS as f64;
    if found > MAX_TRANSFORMS as f64 {
        return Err(SynthError::TooLarge {
            found,
            limit: MAX_TRANSFORMS,
        });
    }
    Ok(())
}
