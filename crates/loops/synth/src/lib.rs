//! Synthetic takes with known truth: a walker with planted feet, a body that follows commands, and one that stands.
//!
//! ```
//! use loopwright_synth::{WalkSettings, synthesize};
//!
//! let made = synthesize(&WalkSettings::default())?;
//! assert_eq!(made.take.num_frames(), 481);
//! assert_eq!(made.truth.period_secs, 1.1537);
//! # Ok::<(), loopwright_synth::SynthError>(())
//! ```
//!
//! The motion is a closed formula of the phase and of footprints laid along an arc, so period, root motion and contacts
//! are exact. The same settings give the same bits on every platform. Metres, seconds, +Y up, +Z ahead.

mod settings;

mod random;

mod path;

mod gait;

mod footstep;

mod body;

mod ik;

mod walker;

mod driven;

mod idle;

mod noise;

mod truth;

mod ease;

use loopwright_core::Pose;
use loopwright_core::{Take, math::rotation};

pub use driven::{Command, DriveSettings, drive};
pub use idle::{IdleSettings, synthesize_idle};
pub use random::random_settings;
pub use settings::{SynthError, WalkSettings};
pub use truth::{TrueContact, Truth};
pub use walker::Walker;

/// Root position noise in metres per degree of noise on the rotations.
///
/// Markers that are off by a millimetre or two rotate a limb by a few tenths of a degree and shift the pelvis less.
const ROOT_NOISE_METRES_PER_DEG: f64 = 0.005;

/// A take and the truth about it.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticTake {
    /// The recording, with the requested noise and bad frames.
    pub take: Take,
    /// The truth about it.
    pub truth: Truth,
}

/// Makes a take.
///
/// Frame n is the walk at n / `frame_rate_hz` seconds. Errors: settings out of range, too large, or out of the legs' reach.
pub fn synthesize(settings: &WalkSettings) -> Result<SyntheticTake, SynthError> {
    let walker = Walker::new(settings)?;
    let num_frames = settings.num_frames();
    let mut noise = noise::Noise::new(settings.seed);
    let mut translations = Vec::with_capacity(num_frames * body::NUM_JOINTS);
    let mut rotations = Vec::with_capacity(num_frames * body::NUM_JOINTS);
    for frame in 0..num_frames {
        let time_secs = frame as f64 / settings.frame_rate_hz;
        let Pose {
            translations: mut offsets,
            rotations: mut turns,
        } = if frame == 0 && settings.t_pose_first_frame {
            walker.t_pose_at(time_secs)
        } else {
            walker.pose_at(time_secs)
        };
        if settings.noise_deg > 0.0 {
            offsets[body::joint::HIPS] += noise.normal_vector() * (ROOT_NOISE_METRES_PER_DEG * settings.noise_deg);
            for turn in &mut turns {
                *turn *= rotation::exp(noise.normal_vector() * settings.noise_deg.to_radians());
            }
        }
        translations.extend(offsets);
        rotations.extend(turns);
    }
    let take = Take::new(
        "synthetic-walk",
        walker.skeleton().clone(),
        1.0 / settings.frame_rate_hz,
        translations,
        rotations,
    )?;
    Ok(SyntheticTake {
        take,
        truth: walker.truth(),
    })
}
