//! From the parts of a glTF file to a take.

use loopwright::Pose;
use std::sync::Arc;

use glam::DVec3;
use loopwright::{Joint, Skeleton, Take, analysis::probe_stride};

use super::{
    accessor::Accessors,
    choose::{self, Joints, Path},
    container::Document,
    edit,
    error::GltfError,
    parts::{self, Animation, Nodes, Transform},
    source::{Above, GltfJoint, GltfSource},
    track::{Grid, Track},
};
use crate::{
    error::ReadError,
    excerpt::cut,
    limits::{SizeLimits, most_transforms},
    settings::{Companions, ReadSettings},
    space::{Axis, Space, UnitChoice, UpChoice, guess, warning::SpaceWarning},
    warning::Warning,
};

/// Longest name of a joint.
const MAX_NAME: usize = 200;

/// Transforms allowed per byte of a file, in addition to those allowed for any file: one key may apply to many frames.
const TRANSFORMS_PER_BYTE: usize = 4;

/// A file, parsed except for its keys.
pub(crate) struct GltfFile {
    document: Arc<Document>,
    /// Says for each buffer why it is missing.
    faults: Vec<String>,
    is_binary: bool,
    num_bytes: usize,
    nodes: Nodes,
    animations: Vec<Animation>,
    names: Vec<String>,
}

impl GltfFile {
    pub(crate) fn parse(
        bytes: &[u8],
        companions: Option<Companions<'_>>,
        limits: &SizeLimits,
    ) -> Result<Self, ReadError> {
        let (document, faults) = Document::parse(bytes, companions, limits)?;
        parts::check_version(&document)?;
        let nodes = Nodes::read(&document)?;
        let animations = parts::parts(&document, "animations")?;
        Ok(Self {
            names: choose::animation_names(&animations),
            document: Arc::new(document),
            faults,
            is_binary: bytes.starts_with(b"glTF"),
            num_bytes: bytes.len(),
            nodes,
            animations,
        })
    }

    /// Names of the animations; one without a name has its number.
    pub(crate) fn animation_names(&self) -> Vec<String> {
        self.names.clone()
    }
}

/// Reads a take from a glTF file, binary or text.
pub(crate) fn read_take(
    file: &GltfFile,
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(Take, GltfSource), ReadError> {
    settings.check_unit()?;
    let GltfFile { document, nodes, .. } = file;
    let accessors = Accessors::new(document, &file.faults, file.num_bytes);
    let chosen = choose::animation(&file.animations, &file.names, &accessors, nodes, settings, warnings)?;
    let name = match chosen.animation.name.as_deref() {
        Some(named) if !named.trim().is_empty() => cut(named, MAX_NAME),
        // Several without names would become loops of one name.
        _ if file.animations.len() > 1 => format!("{name}-{}", chosen.index),
        _ => name.to_owned(),
    };
    let moves = chosen.moves(nodes)?;
    let ignored = chosen.animation.channels.len() - moves.len();
    if ignored > 0 {
        warnings.push(Warning::ChannelsLeftOut { count: ignored });
    }
    if moves.is_empty() {
        return Err(no_motion(name).into());
    }
    let joints = choose::joints(document, nodes, &moves, settings, warnings)?;
    let mut is_joint = vec![false; nodes.nodes.len()];
    for &node in joints.nodes.iter().flatten() {
        is_joint[node] = true;
    }
    let mut tracks = vec![Tracks::default(); nodes.nodes.len()];
    let mut times = Vec::new();
    for (node, path, sampler) in moves {
        let position = chosen.sampler_position(sampler);
        let track = Track::read(&accessors, &chosen.animation.samplers[sampler], path.width(), &position)?;
        if is_joint[node] {
            times.extend_from_slice(track.times());
        }
        let tracks = &mut tracks[node];
        match path {
            Path::Translation => tracks.translation = Some(track),
            Path::Rotation => tracks.rotation = Some(track),
            Path::Scale => tracks.scale = Some(track),
        }
    }
    if times.is_empty() {
        return Err(no_motion(name).into());
    }
    let grid = Grid::of(times, edit::stated_step(document.list("animations"), chosen.index));
    if !grid.is_keys_own {
        warnings.push(Warning::KeysOffGrid {
            animation: name.clone(),
            rate_hz: 1.0 / grid.step_secs,
        });
    }
    warn_of_ends(&joints, nodes, &tracks, &grid, warnings);
    let num_joints = joints.nodes.len();
    let num_bytes = file.num_bytes.saturating_add(document.num_buffer_bytes());
    let limit = most_transforms(num_bytes, TRANSFORMS_PER_BYTE);
    if grid.num_frames.saturating_mul(num_joints) > limit {
        return Err(ReadError::OutOfProportion {
            frames: grid.num_frames,
            joints: num_joints,
            bytes: num_bytes,
        });
    }
    (settings.limits).check_transforms(grid.num_frames, num_joints)?;
    let rig = Rig {
        above: Above::of(nodes, joints.nodes[0]),
        joints: &joints,
        nodes,
        tracks: &tracks,
    };
    warn_of_scales(&rig, grid.start_secs, warnings);
    let as_in_file = Space {
        unit_metres: 1.0,
        ..Space::CENTIMETRES_Y_UP
    };
    let stride = probe_stride(grid.num_frames);
    let probe = rig.take(&name, &grid, &mut (0..grid.num_frames).step_by(stride), &as_in_file)?;
    let space = settle(&probe, settings, warnings);
    let take = rig.take(&name, &grid, &mut (0..grid.num_frames), &space)?;
    let source_joints = (joints.nodes.iter())
        .map(|&node| GltfJoint {
            node,
            scale: node.map_or(DVec3::ONE, |node| {
                tracks[node]
                    .at(&nodes.transforms[node], grid.start_secs, grid.step_secs)
                    .scale
            }),
        })
        .collect();
    let above = rig.above;
    let source = GltfSource {
        document: Arc::clone(document),
        is_binary: file.is_binary,
        joints: source_joints,
        above,
        frame_time_secs: grid.step_secs,
        start_secs: grid.start_secs,
        space,
        has_short_tracks: false,
    };
    Ok((take, source))
}

/// Reads the skeleton of a file at rest, as a take of one frame.
pub(crate) fn read_rest(
    file: &GltfFile,
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(Take, GltfSource), ReadError> {
    settings.check_unit()?;
    let GltfFile { document, nodes, .. } = file;
    let joints = choose::joints_at_rest(document, nodes, settings, warnings)?;
    if joints.nodes.iter().flatten().count() == 0 {
        return Err(GltfError::NoAnimations.into());
    }
    let grid = Grid::of(vec![0.0], None);
    let rig = Rig {
        above: Above::of(nodes, joints.nodes[0]),
        joints: &joints,
        nodes,
        tracks: &vec![Tracks::default(); nodes.nodes.len()],
    };
    let as_in_file = Space {
        unit_metres: 1.0,
        ..Space::CENTIMETRES_Y_UP
    };
    let probe = rig.take(name, &grid, &mut core::iter::once(0), &as_in_file)?;
    let space = settle(&probe, settings, warnings);
    let take = rig.take(name, &grid, &mut core::iter::once(0), &space)?;
    let scale = |node: Option<usize>| node.map_or(DVec3::ONE, |node| nodes.transforms[node].scale);
    let source = GltfSource {
        document: Arc::clone(document),
        is_binary: file.is_binary,
        joints: (joints.nodes.iter())
            .map(|&node| GltfJoint {
                node,
                scale: scale(node),
            })
            .collect(),
        above: rig.above,
        frame_time_secs: grid.step_secs,
        start_secs: grid.start_secs,
        space,
        has_short_tracks: false,
    };
    Ok((take, source))
}

fn no_motion(name: String) -> GltfError {
    GltfError::NoMotion {
        count: 1,
        names: vec![name],
    }
}

/// The tracks of a node.
#[derive(Clone, Debug, Default)]
struct Tracks {
    translation: Option<Track>,
    rotation: Option<Track>,
    scale: Option<Track>,
}

impl Tracks {
    /// The node's transform at a time; the rest transform if it is not animated.
    fn at(&self, rest: &Transform, secs: f64, frame_secs: f64) -> Transform {
        let vector =
            |track: &Option<Track>, rest| track.as_ref().map_or(rest, |track| track.vector_at(secs, frame_secs));
        Transform {
            translation: vector(&self.translation, rest.translation),
            rotation: (self.rotation.as_ref()).map_or(rest.rotation, |track| track.rotation_at(secs, frame_secs)),
            scale: vector(&self.scale, rest.scale),
        }
    }
}

/// The data from which poses are computed.
struct Rig<'a> {
    above: Above,
    joints: &'a Joints,
    nodes: &'a Nodes,
    tracks: &'a [Tracks],
}

impl Rig<'_> {
    fn take(
        &self,
        name: &str,
        grid: &Grid,
        frames: &mut dyn Iterator<Item = usize>,
        space: &Space,
    ) -> Result<Take, ReadError> {
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for frame in frames {
            let secs = grid.secs(frame);
            let pose = self.pose(|node| self.tracks[node].at(&self.nodes.transforms[node], secs, grid.step_secs));
            for (joint, (translation, turn)) in pose.translations.into_iter().zip(pose.rotations).enumerate() {
                let (translation, turn) = if joint == 0 {
                    (space.turned(translation), space.turn() * turn)
                } else {
                    (translation, turn)
                };
                translations.push(translation * space.unit_metres);
                rotations.push(turn);
            }
        }
        let skeleton = self.skeleton(space)?;
        Ok(Take::new(name, skeleton, grid.step_secs, translations, rotations)?)
    }

    /// Translations and rotations of all joints in their parents' axes, the first one's in the world, in the file's unit.
    fn pose(&self, transform: impl Fn(usize) -> Transform) -> Pose {
        let num_joints = self.joints.nodes.len();
        let mut node_scales = Vec::with_capacity(num_joints);
        let mut pose = Pose::default();
        for (&node, &parent) in self.joints.nodes.iter().zip(&self.joints.parents) {
            let local = node.map_or(Transform::IDENTITY, &transform);
            let above = parent.map_or(self.above.node_scale, |parent| node_scales[parent]);
            let translation = above.apply(local.translation);
            node_scales.push(above.below(local.rotation, local.scale));
            if parent.is_none() {
                pose.translations
                    .push(self.above.translation + self.above.turn * translation);
                pose.rotations.push(self.above.turn * local.rotation);
            } else {
                pose.translations.push(translation);
                pose.rotations.push(local.rotation);
            }
        }
        pose
    }

    fn skeleton(&self, space: &Space) -> Result<Skeleton, ReadError> {
        let translations = self.pose(|node| self.nodes.transforms[node]).translations;
        let joints = (self.joints.nodes.iter().zip(&self.joints.parents).zip(translations))
            .map(|((&node, &parent), translation)| Joint {
                name: node.map_or_else(|| "scene".to_owned(), |node| cut(&self.nodes.name(node), MAX_NAME)),
                parent,
                rest_offset: if parent.is_none() {
                    space.turned(translation)
                } else {
                    translation
                } * space.unit_metres,
                tip: None,
            })
            .collect();
        Ok(Skeleton::new(joints)?)
    }
}

/// A scale within this distance of one counts as one.
const SCALE_TOLERANCE: f64 = 1e-3;

/// Warns about joints with scales and about changing ones: their effect on lengths is read, but a loop cannot hold a change.
fn warn_of_scales(rig: &Rig<'_>, start_secs: f64, warnings: &mut Vec<Warning>) {
    let changes = |node: usize| rig.tracks[node].scale.as_ref().is_some_and(Track::moves);
    let is_scaled = |node: usize| {
        let rest = rig.nodes.transforms[node].scale;
        let track = rig.tracks[node].scale.as_ref();
        let scale = track.map_or(rest, |track| track.vector_at(start_secs, 0.0));
        (scale - DVec3::ONE).abs().max_element() > SCALE_TOLERANCE
    };
    for varies in [false, true] {
        // A scale shared by the whole skeleton is a unit conversion.
        let joints = rig.joints.nodes.iter().enumerate();
        let mut found = joints
            .filter_map(|(joint, node)| node.map(|node| (joint, node)))
            .filter(|&(joint, node)| changes(node) == varies && (varies || (joint > 0 && is_scaled(node))));
        if let Some((_, first)) = found.next() {
            warnings.push(Warning::ScaledJoints {
                joint: cut(&rig.nodes.name(first), MAX_NAME),
                count: 1 + found.count(),
                varies,
            });
        }
    }
}

/// Warns about joints with keys for only a part of the animation; before and after they are still.
fn warn_of_ends(joints: &Joints, nodes: &Nodes, tracks: &[Tracks], grid: &Grid, warnings: &mut Vec<Warning>) {
    let slack = 1.5 * grid.step_secs;
    let (start, end) = (grid.start_secs, grid.secs(grid.num_frames - 1));
    let covered = |node: usize| {
        let Tracks {
            translation,
            rotation,
            scale,
        } = &tracks[node];
        let moving = [translation, rotation, scale]
            .into_iter()
            .flatten()
            .filter(|track| track.moves());
        // The part covered by all of its tracks.
        moving.fold((start, end), |(from, to), track| {
            let times = track.times();
            (from.max(times[0]), to.min(times[times.len() - 1]))
        })
    };
    let mut short = (joints.nodes.iter().flatten())
        .map(|&node| (node, covered(node)))
        .filter(|(_, (from, to))| *from > start + slack || *to < end - slack);
    if let Some((node, (from, to))) = short.next() {
        warnings.push(Warning::ChannelsShorter {
            joint: cut(&nodes.name(node), MAX_NAME),
            count: 1 + short.count(),
            keys_secs: [from - start, to - start],
            whole_secs: end - start,
        });
    }
}

/// Plausible sizes of a model in metres: from a mouse to a whale.
const SIZE_METRES: core::ops::RangeInclusive<f64> = 0.05..=30.0;

/// The format specifies metres and +Y up. This is used unless the model would be smaller than a mouse or larger than a whale.
fn settle(probe: &Take, settings: &ReadSettings<'_>, warnings: &mut Vec<Warning>) -> Space {
    let mut choice = settings.space;
    if choice.up == UpChoice::Auto {
        choice.up = UpChoice::Given(Axis::Y);
    }
    let world = probe.world_tracks();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &position in world.positions(0) {
        (low, high) = (low.min(position), high.max(position));
    }
    let size = (high - low).length();
    let stated = size == 0.0 || SIZE_METRES.contains(&size);
    if choice.unit == UnitChoice::Auto && stated {
        choice.unit = UnitChoice::Metres(1.0);
    }
    let guessed = choice.unit == UnitChoice::Auto;
    let mut space = guess::settle(probe, &choice, warnings);
    if guessed && space.unit_metres != 1.0 {
        warnings.push(
            SpaceWarning::UnitNotMetres {
                size,
                unit_metres: space.unit_metres,
            }
            .into(),
        );
    }
    space.up_given = settings.space.up != UpChoice::Auto;
    space.unit_given = settings.space.unit != UnitChoice::Auto;
    space
}
