//! Animations as they lie in a binary glTF file: joints are set in the same space, whatever stands above them.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use gltf::animation::util::ReadOutputs;
use gltf::animation::{Interpolation, Property};

use crate::SetError;

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
#[derive(Clone, Debug, Default)]
pub(crate) struct Animation {
    joints: BTreeMap<String, JointTracks>,
}

impl Animation {
    /// An animation without keys.
    #[cfg(test)]
    pub(crate) fn of_joint(name: &str) -> Self {
        Self {
            joints: BTreeMap::from([(name.to_owned(), JointTracks::default())]),
        }
    }

    pub(crate) fn joints(&self) -> impl Iterator<Item = &str> {
        self.joints.keys().map(String::as_str)
    }

    /// A joint's local transform at a time; the parts without keys are those given.
    pub(crate) fn at(&self, joint: &str, secs: f64, rest: (DVec3, DQuat)) -> (DVec3, DQuat) {
        let tracks = self.joints.get(joint);
        let translation = tracks.and_then(|tracks| tracks.translation.as_ref());
        let rotation = tracks.and_then(|tracks| tracks.rotation.as_ref());
        let side = |from: DQuat, to: DQuat| if from.dot(to) < 0.0 { -to } else { to };
        (
            translation
                .and_then(|track| track.at(secs, DVec3::lerp))
                .unwrap_or(rest.0),
            rotation
                .and_then(|track| {
                    track.at(secs, |from, to, share| {
                        (from * (1.0 - share) + side(from, to) * share).normalize()
                    })
                })
                .unwrap_or(rest.1),
        )
    }
}

/// A file: its animations by name, and how its nodes rest.
pub(crate) struct AnimationFile {
    pub(crate) animations: Vec<(String, Animation)>,
    pub(crate) rest: BTreeMap<String, (DVec3, DQuat)>,
}

impl AnimationFile {
    pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Self, SetError> {
        let gltf = gltf::Gltf::from_slice(bytes).map_err(|error| SetError::File {
            name: name.to_owned(),
            reason: error.to_string(),
        })?;
        // Only the chunk of a binary file: buffers that lie elsewhere would have to be loaded, too.
        let data = |buffer: gltf::Buffer<'_>| (buffer.index() == 0).then_some(gltf.blob.as_deref()).flatten();
        if gltf.animations().len() > 0 && gltf.blob.is_none() {
            return Err(SetError::File {
                name: name.to_owned(),
                reason: "its buffers are not inside; write the set as GLB".to_owned(),
            });
        }
        let named = |node: &gltf::Node<'_>| {
            node.name()
                .map_or_else(|| format!("node{}", node.index()), str::to_owned)
        };
        let rest = gltf.nodes().map(|node| {
            let (translation, rotation, _) = node.transform().decomposed();
            (named(&node), (vector(translation), quaternion(rotation)))
        });
        let animations = gltf.animations().map(|animation| {
            let mut found = Animation::default();
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
                let tracks = found.joints.entry(named(&channel.target().node())).or_default();
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
        });
        Ok(Self {
            rest: rest.collect(),
            animations: animations.collect(),
        })
    }

    /// The animation of that name, or the only one.
    pub(crate) fn animation(&self, name: Option<&str>) -> Option<&Animation> {
        let named = self.animations.iter().find(|(found, _)| Some(found.as_str()) == name);
        match (named, self.animations.as_slice()) {
            (Some((_, animation)), _) | (None, [(_, animation)]) => Some(animation),
            _ => None,
        }
    }
}

fn vector(values: [f32; 3]) -> DVec3 {
    DVec3::from_array(values.map(f64::from))
}

fn quaternion(values: [f32; 4]) -> DQuat {
    DQuat::from_array(values.map(f64::from)).normalize()
}
