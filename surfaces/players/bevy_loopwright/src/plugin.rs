//! The plugin: a set as an asset, a character as a component, feet and switches as messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use glam::{DQuat, DVec3};
use loopwright_core::math::Rigid;

use crate::animation::read_set;
use crate::{FootEventKind, Goal, MotionSet, PlayerEvent, SetError, SteeredCharacter};

/// Plays every [`LoopwrightCharacter`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopwrightPlugin;

/// The system that moves characters, in [`PostUpdate`] before transforms propagate.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopwrightSystems;

impl Plugin for LoopwrightPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<LoopwrightSet>()
            .init_asset_loader::<LoopwrightSetLoader>()
            .add_message::<FootMessage>()
            .add_message::<SwitchMessage>()
            .configure_sets(PostUpdate, LoopwrightSystems.before(TransformSystems::Propagate))
            .add_systems(PostUpdate, play.in_set(LoopwrightSystems));
    }
}

/// A set: `set.json` with the files that it names. Any number of characters share it.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LoopwrightSet(pub Arc<MotionSet>);

/// Why a set is not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum LoadError {
    #[error(transparent)]
    Set(#[from] SetError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("a file of the set cannot be loaded: {0}")]
    Asset(String),
}

/// Loads files whose names end in `set.json`.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct LoopwrightSetLoader;

impl LoopwrightSet {
    /// A set of the bytes of a manifest and of its files, by their names there: joints as they lie in the files. Errors: [`SetError`].
    pub fn read(manifest: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Result<Self, SetError> {
        Ok(Self(Arc::new(read_set(manifest, files)?)))
    }
}

impl AssetLoader for LoopwrightSetLoader {
    type Asset = LoopwrightSet;
    type Settings = ();
    type Error = LoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<LoopwrightSet, LoadError> {
        let mut manifest = Vec::new();
        reader.read_to_end(&mut manifest).await?;
        let mut files = BTreeMap::new();
        for name in MotionSet::files(&manifest)? {
            let path = context
                .path()
                .resolve_embed_str(&name)
                .map_err(|error| LoadError::Asset(error.to_string()))?;
            let bytes = context
                .read_asset_bytes(path)
                .await
                .map_err(|error| LoadError::Asset(error.to_string()))?;
            files.insert(name, bytes);
        }
        Ok(LoopwrightSet::read(&manifest, &files)?)
    }

    fn extensions(&self) -> &[&str] {
        &["set.json"]
    }
}

/// A character that plays a set. Its entity is the root; joints are descendants with the names of the set's joints, bound when they are there.
#[derive(Component, Clone, Debug)]
#[require(Transform)]
pub struct LoopwrightCharacter {
    /// The set that it plays.
    pub set: Handle<LoopwrightSet>,
    /// Its goal; `turn` is taken and set to 0.
    pub goal: Goal,
    /// A clip to be played once, at once, by its name; `None` once it plays, and kept if the set has no such clip.
    pub play: Option<String>,
    /// An action whose upper body is to be played over what plays, once, at once; otherwise as `play`.
    pub play_over: Option<String>,
    /// Whether feet are held where they stand.
    pub holds_feet: bool,
    player: Option<SteeredCharacter>,
    joints: Vec<Option<Entity>>,
    /// The transform that was written last: a game may move the entity, too.
    written: Transform,
}

impl LoopwrightCharacter {
    /// A character that stands, if the set has a loop for that.
    pub fn new(set: Handle<LoopwrightSet>) -> Self {
        Self {
            set,
            goal: Goal::default(),
            play: None,
            play_over: None,
            holds_feet: true,
            player: None,
            joints: Vec::new(),
            written: Transform::IDENTITY,
        }
    }

    /// Its player, once its set is loaded.
    pub fn player(&self) -> Option<&SteeredCharacter> {
        self.player.as_ref()
    }
}

/// A foot of a character touched down or lifted.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct FootMessage {
    /// The character.
    pub character: Entity,
    /// left, right, or the joint where no side is known.
    pub foot: String,
    /// Its strike or lift.
    pub kind: FootEventKind,
    /// The clip that says so.
    pub clip: String,
    /// Seconds since then: less than a frame.
    pub late_secs: f64,
}

/// A character plays another clip or blend space.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct SwitchMessage {
    /// The character.
    pub character: Entity,
    /// The clip or blend space that played.
    pub from: String,
    /// The clip or blend space that plays now.
    pub to: String,
    /// Seconds over which the difference fades.
    pub fade_secs: f64,
}

#[expect(clippy::too_many_arguments, reason = "a system asks for all that it touches")]
fn play(
    time: Res<Time>,
    sets: Res<Assets<LoopwrightSet>>,
    mut characters: Query<(Entity, &mut LoopwrightCharacter)>,
    children: Query<&Children>,
    names: Query<&Name>,
    mut transforms: Query<&mut Transform>,
    mut feet: MessageWriter<FootMessage>,
    mut switches: MessageWriter<SwitchMessage>,
) {
    for (entity, mut character) in &mut characters {
        let character = &mut *character;
        let Some(LoopwrightSet(set)) = sets.get(&character.set) else {
            continue;
        };
        // A set that was loaded anew is played from its beginning.
        if character
            .player
            .as_ref()
            .is_none_or(|player| !Arc::ptr_eq(player.set(), set))
        {
            let mut player = SteeredCharacter::new(Arc::clone(set));
            character.written = transforms.get(entity).copied().unwrap_or_default();
            player.place(rigid(character.written));
            character.player = Some(player);
            character.joints = vec![None; set.skeleton().num_joints()];
        }
        let Some(player) = &mut character.player else {
            continue;
        };
        if character.joints.contains(&None) {
            for joint in children.iter_descendants(entity) {
                let name = names.get(joint).map(Name::as_str).unwrap_or_default();
                if let Some(index) = set.skeleton().find(name) {
                    character.joints[index] = Some(joint);
                }
            }
        }
        // The root goes on in double precision, from where the game put it.
        if let Ok(transform) = transforms.get(entity)
            && *transform != character.written
        {
            player.place(rigid(*transform));
        }
        // A turn that is under way is not asked for again.
        let turn = if character.goal.turn == 0.0 {
            player.goal().turn
        } else {
            character.goal.turn
        };
        player.set_goal(Goal { turn, ..character.goal });
        character.goal.turn = 0.0;
        if (character.play.as_ref()).is_some_and(|name| player.play(name)) {
            character.play = None;
        }
        if (character.play_over.as_ref()).is_some_and(|name| player.play_over(name)) {
            character.play_over = None;
        }
        player.holds_feet = character.holds_feet;
        player.update(time.delta_secs_f64());
        for event in player.events().iter().cloned() {
            match event {
                PlayerEvent::Foot {
                    foot,
                    kind,
                    clip,
                    late_secs,
                } => {
                    feet.write(FootMessage {
                        character: entity,
                        foot: foot.to_string(),
                        kind,
                        clip: clip.to_string(),
                        late_secs,
                    });
                }
                PlayerEvent::Switch { from, to, fade_secs } => {
                    switches.write(SwitchMessage {
                        character: entity,
                        from,
                        to,
                        fade_secs,
                    });
                }
            }
        }
        let pose = player.pose();
        let root = player.root();
        for (index, joint) in character.joints.iter().enumerate() {
            if let Some(mut transform) = joint.and_then(|joint| transforms.get_mut(joint).ok()) {
                transform.translation = Vec3::from_array(pose.translations[index].as_vec3().to_array());
                transform.rotation = Quat::from_array(pose.rotations[index].as_quat().to_array());
            }
        }
        if let Ok(mut transform) = transforms.get_mut(entity) {
            transform.translation = Vec3::from_array(root.translation.as_vec3().to_array());
            transform.rotation = Quat::from_array(root.rotation.as_quat().to_array());
            character.written = *transform;
        }
    }
}

fn rigid(transform: Transform) -> Rigid {
    let rotation = DQuat::from_array(transform.rotation.to_array().map(f64::from));
    Rigid::new(
        rotation.normalize(),
        DVec3::from_array(transform.translation.to_array().map(f64::from)),
    )
}
