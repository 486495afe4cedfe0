//! Animations as they lie in binary glTF files: joints are set in the same space, whatever stands above them.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use gltf::animation::util::ReadOutputs;
use gltf::animation::{Interpolation, Property};
use loopwright_core::{Joint, Pose, Skeleton, Take, Tracks};
use loopwright_player::{ClipSource, MotionSet, SetError};

/// Keys of one property of a joint.
#[derive(Clone, Debug)]
struct Track<T> {
    secs: Vec<f64>,
    values: Vec<T>,
    holds: bool,
}

impl<T: Copy> Track<T> {
    /// The value at a time, by the mean of its neighbours that `mix` gives; keys beyond the ends stay.
    fn at(&self, secs: f64, mix: impl Fn(T, T, f64) -> T) -> Option<T> {
        let last = self.values.len().min(self.secs.len()).checked_sub(1)?;
        let after = self.secs[..=last].partition_point(|key| *key <= secs);
        if after == 0 || after > last {
            return Some(self.values[after.saturating_sub(1).min(last)]);
        }
        let (from, to) = (self.secs[after - 1], self.secs[after]);
        let share = if self.holds { 0.0 } else { (secs - from) / (to - from) };
        Some(mix(self.values[after - 1], self.values[after], share))
    }
}

#[derive(Clone, Debug, Default)]
struct JointTracks {
    translation: Option<Track<DVec3>>,
    rotation: Option<Track<DQuat>>,
}

/// One animation: tracks by the names of joints.
type Animation = BTreeMap<String, JointTracks>;

/// A node that an animation moves.
struct MovedNode {
    name: String,
    parent: Option<usize>,
    rest: (DVec3, DQuat),
}

/// A set of a manifest and its files, by their names there. Joints are those that any animation moves, but for what the manifest moves by itself.
pub(crate) fn read_set(manifest: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Result<MotionSet, SetError> {
    let mut joints = Vec::new();
    let mut read: BTreeMap<&str, Vec<(String, Animation)>> = BTreeMap::new();
    let root_joint = MotionSet::root_joint(manifest)?;
    for (name, bytes) in files {
        let wrong = |reason: String| SetError::File {
            name: name.clone(),
            reason,
        };
        let gltf = gltf::Gltf::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        // Only the chunk of a binary file: buffers that lie elsewhere would have to be loaded, too.
        if gltf.animations().len() > 0 && gltf.blob.is_none() {
            return Err(wrong("its buffers are not inside; write the set as GLB".to_owned()));
        }
        let animations: Vec<(String, Animation)> = animations(&gltf).collect();
        for scene in gltf.scenes() {
            let is_moved = |name: &str| {
                root_joint.as_deref() != Some(name) && animations.iter().any(|(_, moved)| moved.contains_key(name))
            };
            for node in scene.nodes() {
                add_moved(&node, None, &is_moved, &mut joints);
            }
        }
        read.insert(name, animations);
    }
    let skeleton = (joints.iter().enumerate()).map(|(index, joint)| {
        // A second top hangs from the first: only local transforms are used.
        let parent = joint.parent.or((index > 0).then_some(0));
        Joint::new(&*joint.name, parent, joint.rest.0)
    });
    let skeleton: Vec<Joint> = skeleton.collect();
    MotionSet::from_takes(manifest, |source| {
        let animation = read
            .get(source.file)
            .and_then(|animations| animation(animations, source.animation))
            .ok_or_else(|| source.no_animation())?;
        take(source, animation, &joints, &skeleton)
    })
}

/// Adds nodes that are moved, those above first.
fn add_moved(
    node: &gltf::Node<'_>,
    parent: Option<usize>,
    is_moved: &impl Fn(&str) -> bool,
    joints: &mut Vec<MovedNode>,
) {
    let name = named(node);
    let mut parent = parent;
    if is_moved(&name) {
        let known = joints.iter().position(|joint| joint.name == name);
        parent = known.or_else(|| {
            let (translation, rotation, _) = node.transform().decomposed();
            joints.push(MovedNode {
                name,
                parent,
                rest: (vector(translation), quaternion(rotation)),
            });
            Some(joints.len() - 1)
        });
    }
    for child in node.children() {
        add_moved(&child, parent, is_moved, joints);
    }
}

/// The animation of a clip at its keys.
fn take(
    source: &ClipSource<'_>,
    animation: &Animation,
    joints: &[MovedNode],
    skeleton: &[Joint],
) -> Result<Take, SetError> {
    let wrong = |reason: String| SetError::MotionClip {
        name: source.clip.to_owned(),
        reason,
    };
    let skeleton = Skeleton::new(skeleton.to_vec()).map_err(|error| wrong(error.to_string()))?;
    let pose = |key: usize| -> Pose {
        (joints.iter())
            .map(|joint| at(animation.get(&joint.name), key as f64 * source.step_secs, joint.rest))
            .collect()
    };
    let tracks = Tracks::from_poses(skeleton, source.step_secs, (0..source.keys).map(pose))
        .map_err(|error| wrong(error.to_string()))?;
    Take::from_tracks(source.clip, tracks).map_err(|error| wrong(error.to_string()))
}

/// A joint's local transform at a time; the parts without keys are those given.
fn at(tracks: Option<&JointTracks>, secs: f64, rest: (DVec3, DQuat)) -> (DVec3, DQuat) {
    let translation = tracks.and_then(|tracks| tracks.translation.as_ref());
    let rotation = tracks.and_then(|tracks| tracks.rotation.as_ref());
    let side = |from: DQuat, to: DQuat| if from.dot(to) < 0.0 { -to } else { to };
    let mixed = |from: DQuat, to: DQuat, share: f64| (from * (1.0 - share) + side(from, to) * share).normalize();
    (
        translation
            .and_then(|track| track.at(secs, DVec3::lerp))
            .unwrap_or(rest.0),
        rotation.and_then(|track| track.at(secs, mixed)).unwrap_or(rest.1),
    )
}

/// The animation of that name, or the only one.
fn animation<'a>(animations: &'a [(String, Animation)], name: Option<&str>) -> Option<&'a Animation> {
    let named = animations.iter().find(|(found, _)| Some(found.as_str()) == name);
    match (named, animations) {
        (Some((_, animation)), _) | (None, [(_, animation)]) => Some(animation),
        _ => None,
    }
}

/// The animations of a file by their names.
fn animations(file: &gltf::Gltf) -> impl Iterator<Item = (String, Animation)> {
    let data = |buffer: gltf::Buffer<'_>| (buffer.index() == 0).then_some(file.blob.as_deref()).flatten();
    file.animations().map(move |animation| {
        let mut found = Animation::new();
        for channel in animation.channels() {
            let reader = channel.reader(data);
            let Some(secs) = reader
                .read_inputs()
                .map(|times| times.map(f64::from).collect::<Vec<_>>())
            else {
                continue;
            };
            let interpolation = channel.sampler().interpolation();
            // Of a cubic spline each value stands between two slopes.
            let (skip, step) = if interpolation == Interpolation::CubicSpline {
                (1, 3)
            } else {
                (0, 1)
            };
            let holds = interpolation == Interpolation::Step;
            let tracks = found.entry(named(&channel.target().node())).or_default();
            match (channel.target().property(), reader.read_outputs()) {
                (Property::Translation, Some(ReadOutputs::Translations(values))) => {
                    let values = values.skip(skip).step_by(step).map(vector).collect();
                    tracks.translation = Some(Track { secs, values, holds });
                }
                (Property::Rotation, Some(ReadOutputs::Rotations(values))) => {
                    let values = values.into_f32().skip(skip).step_by(step).map(quaternion).collect();
                    tracks.rotation = Some(Track { secs, values, holds });
                }
                _ => {}
            }
        }
        (animation.name().unwrap_or_default().to_owned(), found)
    })
}

fn named(node: &gltf::Node<'_>) -> String {
    node.name()
        .map_or_else(|| format!("node{}", node.index()), str::to_owned)
}

fn vector(values: [f32; 3]) -> DVec3 {
    DVec3::from_array(values.map(f64::from))
}

fn quaternion(values: [f32; 4]) -> DQuat {
    DQuat::from_array(values.map(f64::from)).normalize()
}
