//! Plays sets of loopwright in Bevy, by their manifest `set.json` alone.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_loopwright::{CharacterMessage, Goal, LoopwrightCharacter, LoopwrightPlugin, PlayerEvent};
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((MinimalPlugins, AssetPlugin::default(), TransformPlugin, LoopwrightPlugin))
//!         .add_systems(Startup, |mut commands: Commands, assets: Res<AssetServer>| {
//!             // The body is a child whose joints have the names of the set's, such as the scene of one of its files.
//!             commands.spawn((LoopwrightCharacter::new(assets.load("hero/set.json")), Transform::default()));
//!         })
//!         .add_systems(Update, |mut heroes: Query<&mut LoopwrightCharacter>, mut messages: MessageReader<CharacterMessage>| {
//!             for mut hero in &mut heroes {
//!                 hero.goal = Goal { speed: 1.4, ..Goal::default() };
//!             }
//!             for message in messages.read() {
//!                 if let PlayerEvent::Foot { foot, kind, .. } = &message.event {
//!                     println!("{foot} {kind:?}");
//!                 }
//!             }
//!         })
//!         .run();
//! }
//! ```
//!
//! Metres, seconds, radians; +Y up, +Z forward (Bevy's `Transform::back`), a left turn positive. The character itself is
//! [`loopwright_player::SteeredCharacter`], which knows no engine.

mod plugin;

pub use loopwright_player::{FootEventKind, Goal, MotionClip, MotionSet, PlayerEvent, SetError, SteeredCharacter};
pub use plugin::{
    CharacterMessage, LoopwrightCharacter, LoopwrightPlugin, LoopwrightSet, LoopwrightSetLoader, LoopwrightSystems,
};
