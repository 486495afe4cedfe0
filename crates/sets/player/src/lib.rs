//! Plays a set of loops by its manifest alone: seconds and a goal go in; a body, a root and events come out.
//!
//! A set is the output of `loopwright set`: `set.json` and the clips that it names. [`MotionSet`] is read once, and any number
//! of [`SteeredCharacter`]s play it. A goal may be a velocity and a heading in the world ([`SteeredCharacter::steer`]), or
//! speed and turn rate as the body sees them ([`SteeredCharacter::set_goal`]); the character chooses the clips that lead there,
//! and their times.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use glam::DVec3;
//! use loopwright_player::{SteeredCharacter, MotionSet, PlayerEvent};
//!
//! let manifest = std::fs::read("hero/set.json")?;
//! let set = MotionSet::read(&manifest, |file| std::fs::read(format!("hero/{file}")))?;
//! let mut hero = SteeredCharacter::new(Arc::new(set));
//! for _frame in 0..600 {
//!     // In every frame: the desired velocity, m/s; without a heading the body faces its direction.
//!     hero.steer(DVec3::new(0.0, 0.0, 1.4), None);
//!     hero.update(1.0 / 60.0);
//!     // Joints in the order of `set().skeleton()`, local; the root moves all of them.
//!     let (body, root) = (hero.pose(), hero.root());
//!     let world = body.as_ref().world(hero.set().skeleton()).moved(root);
//!     for event in hero.events() {
//!         if let PlayerEvent::Foot { foot, kind, .. } = event {
//!             println!("{foot} {kind:?} at {}", world.translations[0]);
//!         }
//!     }
//!     for part in hero.playing().clips {
//!         println!("{} {:.0}% at {:.2} of {:.2} s", part.clip.name, 100.0 * part.weight, part.secs, part.clip.seconds);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Metres, seconds, radians; +Y up, +Z forward, +X left, a left turn positive. It knows no engine and opens no file. An engine with
//! its own joint space passes takes instead of bytes: [`MotionSet::from_takes`]. docs/guide/players.md, docs/formats/set.md.

#[macro_use]
extern crate loopwright_attributes;

mod keys;

mod legs;

mod clip;

mod space;

mod set;

mod source;

mod hold;

mod character;

mod steering;

#[cfg(test)]
mod tests;

pub use character::{PlayerEvent, Playing, PlayingClip, SteeredCharacter};
pub use clip::MotionClip;
pub use loopwright_core::analysis::FootEventKind;
pub use loopwright_formats::set::{ClipKind, FootEventFacts};
pub use loopwright_moves::passage::LoopState;
pub use set::{ClipSource, MotionSet};
pub use space::{Goal, PlayedSpace, SpaceAxis};

use loopwright_formats::set::ManifestError;

/// Why a set cannot be played.
#[error_kinds]
pub enum SetError {
    #[error("the manifest cannot be read: {0}")]
    Manifest(#[from] ManifestError),
    #[error("the file \"{name}\" of the set cannot be read: {reason}")]
    File { name: String, reason: String },
    #[error("the set has no loop to begin with")]
    NoLoops,
    #[error("the set names the clip \"{name}\", which it does not have")]
    NoClip { name: String },
    #[error("the clip \"{name}\" cannot be played: {reason}")]
    MotionClip { name: String, reason: String },
    #[error("the blend space \"{name}\" cannot be played: {reason}")]
    PlayedSpace { name: String, reason: &'static str },
}
