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

mod robot;

use loopwright_core::{Pose, Take};

pub use driven::{Command, DriveSettings, drive};
pub use idle::{IdleSettings, synthesize_idle};
pub use random::random_settings;
pub use robot::{ROBOT_MJCF, on_robot};
pub use settings::{SynthError, WalkSettings};
pub use truth::{TrueBearing, TrueContact, TrueStay, Truth};
pub use walker::Walker;

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
    let mut noise = noise::Noise::new(settings.seed);
    let poses = (0..settings.num_frames()).map(|frame| {
        let time_secs = frame as f64 / settings.frame_rate_hz;
        let mut pose = if frame == 0 && settings.t_pose_first_frame {
            walker.t_pose_at(time_secs)
        } else {
            walker.pose_at(time_secs)
        };
        noise.disturb(&mut pose, settings.noise_deg);
        pose
    });
    Ok(SyntheticTake {
        take: take_of("synthetic-walk", settings.frame_rate_hz, poses)?,
        truth: walker.truth(),
    })
}

/// Returns a take of poses of the body at this frame rate.
fn take_of(name: &str, frame_rate_hz: f64, poses: impl Iterator<Item = Pose>) -> Result<Take, SynthError> {
    Ok(Take::from_poses(name, body::skeleton(), 1.0 / frame_rate_hz, poses)?)
}
