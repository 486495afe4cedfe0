//! Plays sets of loopwright in Bevy, by their manifest `set.json` alone.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_loopwright::{FootMessage, Goal, LoopwrightCharacter, LoopwrightPlugin};
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((MinimalPlugins, AssetPlugin::default(), TransformPlugin, LoopwrightPlugin))
//!         .add_systems(Startup, |mut commands: Commands, assets: Res<AssetServer>| {
//!             // The body is a child whose joints have the names of the set's, such as the scene of one of its files.
//!             commands.spawn((LoopwrightCharacter::new(assets.load("hero/set.json")), Transform::default()));
//!         })
//!         .add_systems(Update, |mut heroes: Query<&mut LoopwrightCharacter>, mut feet: MessageReader<FootMessage>| {
//!             for mut hero in &mut heroes {
//!                 hero.goal = Goal { speed: 1.4, ..Goal::default() };
//!             }
//!             for step in feet.read() {
//!                 println!("{} {:?}", step.foot, step.kind);
//!             }
//!         })
//!         .run();
//! }
//! ```
//!
//! Metres, seconds, radians; +Y up, +Z forward (Bevy's `Transform::back`), a left turn positive. The mathematics is that of the crate
//! `loopwright`; [`Player`] plays without an engine.

mod animation;
mod manifest;
mod player;
mod plugin;
mod set;

pub use manifest::FootEventKind;
pub use player::{Goal, Player, PlayerEvent};
pub use plugin::{
    FootMessage, LoopwrightCharacter, LoopwrightPlugin, LoopwrightSet, LoopwrightSetLoader, LoopwrightSystems,
    SwitchMessage,
};
pub use set::{Clip, MotionSet};

/// Why a set cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum SetError {
    #[error("the manifest is not as docs/formats/set.md has it: {0}")]
    Json(#[from] serde_json::Error),
    #[error("this is no set of loopwright: its format is \"{found}\"")]
    Format { found: String },
    #[error("this set has version {found}, and this player reads version 1")]
    Version { found: u32 },
    #[error("the file \"{name}\" of the set is not there")]
    NoFile { name: String },
    #[error("the file \"{name}\" cannot be read: {reason}")]
    File { name: String, reason: String },
    #[error("\"{file}\" has no animation for the clip \"{clip}\"")]
    NoAnimation { clip: String, file: String },
    #[error("no animation of the set moves a joint")]
    NoJoints,
    #[error("the set has no loop to begin with")]
    NoLoops,
    #[error("the set names the clip \"{name}\", which it does not have")]
    NoClip { name: String },
    #[error("the clip \"{name}\" cannot be played: {reason}")]
    Clip { name: String, reason: String },
    #[error("the blend space \"{name}\" cannot be played: {reason}")]
    Space { name: String, reason: &'static str },
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("a file of the set cannot be loaded: {0}")]
    Asset(String),
}
