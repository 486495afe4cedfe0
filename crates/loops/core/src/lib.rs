//! Turns motion-capture takes into loops.
//!
//! A [`Take`] comes in. An [`Analysis`] studies it, proposes stretches that repeat ([`LoopCandidate`]) and makes one into a loop:
//! root motion becomes one constant velocity and turn rate, the seam is closed, and standing feet are held. A [`LoopClip`]
//! comes out, and [`Quality`] measures it. Loops play at any time ([`LoopClip::body_pose_at`]).
//!
//! Files are read and written by the crate `loopwright_formats`. Uses of loops (blends, sequences, passages, costs of jumps) are in
//! `loopwright_moves`; `loopwright_match` finds the nearest frame of many takes, and `loopwright_controller` the settings with which a
//! character controller moves as a take does.
//!
//! Conventions: metres, seconds, radians; +Y up, right-handed, +Z forward, left turns positive; quaternions (x, y, z, w); arrays
//! frame-major. Frames of a take are counted from 0 and may be fractional. The same take gives the same bits on every machine:
//! the crate uses no clocks, files or hash orders. It uses threads only with the feature `threads`; they change how long the work
//! takes and nothing else.
//!
//! From take to loop:
//!
//! ```
//! use loopwright_core::{Analysis, LoopSettings, SearchSettings};
//!
//! # let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! let analysis = Analysis::new(&take)?;
//! let found = analysis.find_loops(&SearchSettings::default())?;
//! let best = found.best().ok_or("no loop")?;
//! let made = analysis.make_loop(best, &LoopSettings::default())?;
//!
//! println!("{:.2} s at {:.2} m/s", made.loop_clip.period_secs(), made.loop_clip.root().twist.linear.z);
//! assert!(made.closed.residual.position < 1e-9 && made.closed.residual.angular_velocity < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The names that most programs need are re-exported here; the modules hold the rest of each stage, in the order in which data
//! flows.

#![warn(unnameable_types)]

#[macro_use]
extern crate loopwright_attributes;
extern crate self as loopwright_core;

pub mod motion;

pub mod take;

pub mod analysis;

pub mod mirror;

pub mod candidate;

pub mod closure;

pub mod mean_cycle;

pub mod root_motion;

pub mod loop_clip;

pub mod edit;

pub mod variation;

pub mod feet;

pub mod pipeline;

pub mod quality;

pub mod retarget;

pub mod live;

pub mod recognition;

pub mod math;

pub mod words;

pub mod unit;

pub mod names;

#[cfg(feature = "threads")]
mod threads;

#[cfg(feature = "handover")]
pub mod plain_bytes;

#[cfg(feature = "handover")]
pub mod handover;

#[doc(hidden)]
pub mod unstable;

#[cfg(test)]
mod tests;

pub use analysis::{Analysis, BodyOverrides};
pub use candidate::{FoundLoops, LoopCandidate, SearchSettings};
pub use closure::ClosureSettings;
pub use feet::FeetSettings;
pub use loop_clip::LoopClip;
pub use motion::{Joint, Part, Pose, PoseRef, RootMotion, Skeleton, Tracks};
pub use pipeline::{LoopSettings, MadeLoop};
pub use quality::Quality;
pub use root_motion::{RootMode, RootSettings};
pub use take::{Cut, Take};
