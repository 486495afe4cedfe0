//! The plugin: a set as an asset, a character as a component, its events as messages.

use std::{collections::BTreeMap, sync::Arc};

use bevy::{
    asset::{AssetLoader, LoadContext, io::Reader},
    prelude::*,
};
use glam::{DQuat, DVec3};
use loopwright_core::math::Rigid;

use crate::{Goal, MotionSet, PlayerEvent, SteeredCharacter};

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
            .add_message::<CharacterMessage>()
            .configure_sets(PostUpdate, LoopwrightSystems.before(TransformSystems::Propagate))
            .add_systems(PostUpdate, play.in_set(LoopwrightSystems));
    }
}

/// A set: `set.json` with the files that it names. Any number of characters share it.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LoopwrightSet(pub Arc<MotionSet>);

/// Loads files whose names end in `set.json`. Errors: [`SetError`](crate::SetError), or those of files.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct LoopwrightSetLoader;

impl AssetLoader for LoopwrightSetLoader {
    type Asset = LoopwrightSet;
    type Settings = ();
    type Error = BevyError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<LoopwrightSet, BevyError> {
        let mut manifest = Vec::new();
        reader.read_to_end(&mut manifest).await?;
        let mut files = BTreeMap::new();
        for name in MotionSet::files(&manifest)? {
            let path = context.path().resolve_embed_str(&name)?;
            let bytes = context.read_asset_bytes(path).await?;
            files.insert(name, bytes);
        }
        Ok(LoopwrightSet(Arc::new(MotionSet::read(&manifest, |name| {
            files.remove(name).ok_or("it is not loaded")
        })?)))
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
    joints: Vec<Option<BoundJoint>>,
    /// The transform that was written last: a game may move the entity, too.
    written: Transform,
}

/// A joint of the body, which lies in the space of its parent there, such as an armature that is turned and scaled.
#[derive(Clone, Copy, Debug)]
struct BoundJoint {
    entity: Entity,
    /// From that space, in metres, to that of the joint above, or of the character.
    to_above: Rigid,
    /// Metres in a unit of that space.
    unit_metres: f64,
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

/// A foot of a character touched down or lifted, or it plays another clip or blend space.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct CharacterMessage {
    /// The character.
    pub character: Entity,
    /// Its event in this frame.
    pub event: PlayerEvent,
}

#[expect(clippy::too_many_arguments, reason = "a system asks for all that it touches")]
fn play(
    time: Res<Time>,
    sets: Res<Assets<LoopwrightSet>>,
    mut characters: Query<(Entity, &mut LoopwrightCharacter)>,
    children: Query<&Children>,
    parents: Query<&ChildOf>,
    names: Query<&Name>,
    new_names: Query<(), Added<Name>>,
    mut transforms: Query<&mut Transform>,
    mut messages: MessageWriter<CharacterMessage>,
) {
    for (entity, mut character) in &mut characters {
        let character = &mut *character;
        let Some(LoopwrightSet(set)) = sets.get(&character.set) else {
            continue;
        };
        // A set that was loaded anew is played from its beginning.
        let is_new = character
            .player
            .as_ref()
            .is_none_or(|player| !Arc::ptr_eq(player.set(), set));
        if is_new {
            let mut player = SteeredCharacter::new(Arc::clone(set));
            character.written = transforms.get(entity).copied().unwrap_or_default();
            player.place(rigid(character.written));
            character.player = Some(player);
            character.joints = vec![None; set.skeleton().num_joints()];
        }
        let Some(player) = &mut character.player else {
            continue;
        };
        if is_new || !new_names.is_empty() {
            let joint_of = |entity: Entity| names.get(entity).ok().and_then(|name| set.skeleton().find(name));
            for joint in children.iter_descendants(entity) {
                let Some(index) = joint_of(joint) else { continue };
                let (mut to_above, mut unit_metres) = (Rigid::IDENTITY, 1.0);
                let above = parents.iter_ancestors(joint).take_while(|above| *above != entity);
                for above in above.collect::<Vec<_>>().into_iter().rev() {
                    let transform = transforms.get(above).copied().unwrap_or_default();
                    let Rigid { rotation, translation } = rigid(transform);
                    to_above = match joint_of(above) {
                        Some(_) => Rigid::IDENTITY,
                        None => to_above * Rigid::new(rotation, translation * unit_metres),
                    };
                    unit_metres *= f64::from(transform.scale.x);
                }
                character.joints[index] = Some(BoundJoint {
                    entity: joint,
                    to_above,
                    unit_metres,
                });
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
        if character.play.as_ref().is_some_and(|name| player.play(name)) {
            character.play = None;
        }
        if character.play_over.as_ref().is_some_and(|name| player.play_over(name)) {
            character.play_over = None;
        }
        player.holds_feet = character.holds_feet;
        player.update(time.delta_secs_f64());
        messages.write_batch(player.events().iter().map(|event| CharacterMessage {
            character: entity,
            event: event.clone(),
        }));
        let pose = player.pose();
        let root = player.root();
        for (index, joint) in character.joints.iter().enumerate() {
            if let Some(joint) = joint
                && let Ok(mut transform) = transforms.get_mut(joint.entity)
            {
                let place = joint.to_above.inverse() * Rigid::new(pose.rotations[index], pose.translations[index]);
                put(&mut transform, place.rotation, place.translation / joint.unit_metres);
            }
        }
        if let Ok(mut transform) = transforms.get_mut(entity) {
            put(&mut transform, root.rotation, root.translation);
            character.written = *transform;
        }
    }
}

fn put(transform: &mut Transform, rotation: DQuat, translation: DVec3) {
    transform.translation = Vec3::from_array(translation.as_vec3().to_array());
    transform.rotation = Quat::from_array(rotation.as_quat().to_array());
}

fn rigid(transform: Transform) -> Rigid {
    Rigid::new(
        DQuat::from_array(transform.rotation.to_array().map(f64::from)).normalize(),
        DVec3::from_array(transform.translation.to_array().map(f64::from)),
    )
}
