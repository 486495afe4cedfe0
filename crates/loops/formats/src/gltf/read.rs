//! Converts the parts of a glTF file to a take.

use std::{collections::HashSet, sync::Arc};

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Pose, Skeleton, Take, analysis::probe_stride, math::rotation, motion::Part, take::Tail};

use super::{
    accessor::Accessors,
    choose::{self, Joints, Path},
    container::Document,
    error::GltfError,
    facts, meshopt,
    parts::{self, Animation, Interpolation, MAX_NAME, Nodes, Transform},
    source::{Above, Beside, GltfJoint, GltfSource, NodeShapes},
    track::{Grid, Track},
    vrm::{self, Humanoid},
};
use crate::{
    entry::{Loaded, ParsedFile},
    error::ReadError,
    excerpt::cut,
    limits::SizeLimits,
    settings::{Companions, ReadSettings},
    shapes::ShapeWeights,
    source::{LoadedTake, Source},
    space::{Space, UnitChoice, Up, UpChoice, guess, warning::SpaceWarning},
    warning::FileWarning,
};

/// A file, parsed except for its keys.
pub(crate) struct GltfFile {
    document: Arc<Document>,
    /// For each buffer, why it is missing.
    faults: Vec<String>,
    is_binary: bool,
    num_bytes: usize,
    nodes: Nodes,
    animations: Vec<Animation>,
    /// The bones that the file states, or why they are not used.
    bones: Result<Option<Humanoid>, GltfError>,
}

impl GltfFile {
    pub(crate) fn parse(bytes: &[u8], companions: Option<Companions>, limits: &SizeLimits) -> Result<Self, ReadError> {
        let (document, faults) = meshopt::document(bytes, companions, limits)?;
        parts::check_version(&document)?;
        let nodes = Nodes::read(&document)?;
        let animations = parts::parts(&document, "animations")?;
        let mut bones = Humanoid::of(&document, nodes.nodes.len());
        if vrm::is_motion(&document) {
            // A motion is unusable without its bones.
            bones = Ok(bones?);
        }
        Ok(Self {
            document: Arc::new(document),
            faults,
            is_binary: bytes.starts_with(b"glTF"),
            num_bytes: bytes.len(),
            nodes,
            animations,
            bones,
        })
    }

    /// Returns the bones that the file states.
    fn stated_bones(&self, warnings: &mut Vec<FileWarning>) -> Option<&Humanoid> {
        match &self.bones {
            Ok(bones) => bones.as_ref(),
            Err(fault) => {
                warnings.push(FileWarning::BonesUnused {
                    reason: fault.to_string(),
                });
                None
            }
        }
    }

    /// Returns the take of a rig on a grid of times, and its form in the file.
    fn sampled(
        &self,
        rig: Rig,
        name: &str,
        grid: &Grid,
        shapes: Vec<NodeShapes>,
        settings: &ReadSettings,
        warnings: &mut Vec<FileWarning>,
    ) -> Result<LoadedTake, ReadError> {
        // In the file's own space, until it is determined.
        let probe = rig.take(name, grid, probe_stride(grid.num_frames), &Space::METRES_Y_UP)?;
        let rest = rig.pose(|node| self.nodes.transforms[node]);
        let space = settle(&probe, &rest, settings, warnings);
        let mut take = rig.take(name, grid, 1, &space)?;
        if let Some(secs) = grid.tail_secs {
            take = take.with_tail(Tail {
                frames: (secs - grid.secs(grid.num_frames - 1)) / grid.step_secs,
                pose: rig.pose_at(secs, grid, &space),
            })?;
        }
        let joints = rig.joints.nodes.iter().map(|&node| GltfJoint {
            node,
            scale: node.map_or(DVec3::ONE, |node| {
                let rest = &self.nodes.transforms[node];
                transform_at(&rig.tracks[node], rest, grid.start_secs, grid.step_secs).scale
            }),
        });
        let source = Source::Gltf(GltfSource {
            document: Arc::clone(&self.document),
            is_binary: self.is_binary,
            joints: joints.collect(),
            above: rig.above,
            space,
            has_short_tracks: false,
            shapes,
        });
        Ok(LoadedTake::new(take, source))
    }
}

impl ParsedFile for GltfFile {
    fn num_bytes(&self) -> usize {
        self.num_bytes.saturating_add(self.document.num_buffer_bytes())
    }

    fn animation_names(&self) -> Vec<String> {
        choose::animation_names(&self.animations)
    }

    fn read(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        let Self { document, nodes, .. } = self;
        let accessors = Accessors::new(document, &self.faults, self.num_bytes);
        let chosen = choose::animation(&self.animations, &accessors, nodes, settings, warnings)?;
        let name = match chosen.animation.name.as_deref() {
            Some(named) if !named.trim().is_empty() => cut(named, MAX_NAME),
            // Several animations without names would become loops of one name.
            _ if self.animations.len() > 1 => format!("{name}-{}", chosen.index),
            _ => name.to_owned(),
        };
        let no_motion = |name| choose::no_motion(core::slice::from_ref(chosen.animation), vec![name]).into();
        let bones = self.stated_bones(warnings);
        let avatar = bones.filter(|bones| bones.is_motion);
        if let Some(avatar) = avatar.filter(|avatar| !avatar.missing.is_empty()) {
            warnings.push(FileWarning::BonesMissing {
                names: avatar.missing.iter().map(|&name| name.to_owned()).collect(),
            });
        }
        let mut moves = chosen.moves(nodes)?;
        if let Some(avatar) = avatar {
            moves.retain(|&(node, path, _)| match path {
                Path::Translation => node == avatar.hips,
                Path::Rotation => avatar.nodes().any(|bone| bone == node),
                Path::Scale => false,
            });
        }
        let beside = chosen.beside(nodes, avatar).into_iter();
        let beside = beside.filter_map(|(node, property, sampler)| {
            let width = Path::from_word(property.path()).map(Path::width);
            Some((node, property, chosen.track(&accessors, sampler, width).ok()?))
        });
        let mut shapes: Vec<(usize, Beside, Track)> = beside.collect();
        if moves.is_empty() {
            return Err(no_motion(name));
        }
        let num_moves = moves.len();
        let joints = choose::joints(document, nodes, Some(&moves), bones, settings, warnings)?;
        let mut is_joint = vec![false; nodes.nodes.len()];
        for &node in joints.nodes.iter().flatten() {
            is_joint[node] = true;
        }
        let mut tracks = vec![Tracks::default(); nodes.nodes.len()];
        let (mut times, mut has_curves, mut num_stepped) = (Vec::new(), false, 0);
        // Thousands of tracks may share their times.
        let mut known = HashSet::new();
        for (node, path, sampler) in moves {
            let track = chosen.track(&accessors, sampler, Some(path.width()))?;
            if is_joint[node] {
                if known.insert(track.times.as_ptr()) {
                    times.extend_from_slice(&track.times);
                }
                has_curves |= track.interpolation == Interpolation::CubicSpline;
                num_stepped += usize::from(track.interpolation == Interpolation::Step && track.moves);
            }
            tracks[node][path as usize] = Some(track);
        }
        if times.is_empty() {
            return Err(no_motion(name));
        }
        let written = document.list("animations").get(chosen.index);
        let grid = Grid::new(times, written.and_then(facts::stated_step_secs), has_curves);
        if num_stepped > 0 {
            warnings.push(FileWarning::Stepped {
                animation: name.clone(),
                count: num_stepped,
            });
        }
        if !grid.is_keys_own {
            warnings.push(FileWarning::KeysOffGrid {
                animation: name.clone(),
                rate_hz: 1.0 / grid.step_secs,
            });
        }
        warn_of_ends(&joints, nodes, &tracks, &grid, warnings);
        settings.limits.check_transforms(grid.num_frames, joints.nodes.len())?;
        let scales = joints.nodes.iter().flatten().filter_map(|&node| {
            let scale = tracks[node][Path::Scale as usize].clone().filter(|track| track.moves)?;
            Some((node, Beside::Scale, scale))
        });
        shapes.extend(scales);
        // Weights take their share of the file's memory; beyond it they are left out.
        let mut size = joints.nodes.len();
        shapes.retain(|(_, _, track)| {
            size = size.saturating_add(track.width);
            settings.limits.check_transforms(grid.num_frames, size).is_ok()
        });
        let num_left = shapes
            .iter()
            .filter(|(_, property, _)| *property != Beside::Scale)
            .count();
        let ignored = chosen.animation.channels.len() - num_moves - num_left;
        if ignored > 0 {
            warnings.push(match avatar {
                Some(_) => FileWarning::NotOfBones { count: ignored },
                None => FileWarning::ChannelsLeftOut { count: ignored },
            });
        }
        let shapes = shapes.into_iter().map(|(node, property, track)| NodeShapes {
            node,
            property,
            weights: weights_at(&track, property, &grid),
        });
        let rig = Rig::new(&joints, nodes, &tracks, bones);
        warn_of_scales(&rig, grid.start_secs, warnings);
        self.sampled(rig, &name, &grid, shapes.collect(), settings, warnings)
    }

    fn read_rest(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        let bones = self.stated_bones(warnings);
        let joints = choose::joints(&self.document, &self.nodes, None, bones, settings, warnings)?;
        if joints.nodes.iter().flatten().count() == 0 {
            return Err(GltfError::NoAnimations.into());
        }
        let tracks = vec![Tracks::default(); self.nodes.nodes.len()];
        let rig = Rig::new(&joints, &self.nodes, &tracks, bones);
        self.sampled(
            rig,
            name,
            &Grid::new(vec![0.0], None, false),
            Vec::new(),
            settings,
            warnings,
        )
    }

    fn into_owned(self: Box<Self>) -> Box<dyn ParsedFile> {
        self
    }
}

/// Samples a property beside the pose at every frame of a grid.
fn weights_at(track: &Track, property: Beside, grid: &Grid) -> ShapeWeights {
    let frames = (0..grid.num_frames).map(|frame| grid.secs(frame));
    let step_secs = grid.step_secs;
    let weights: Vec<f64> = match property {
        Beside::Shapes => frames.flat_map(|secs| track.numbers_at(secs, step_secs)).collect(),
        Beside::Scale => frames
            .flat_map(|secs| track.vector_at(secs, step_secs).to_array())
            .collect(),
        Beside::Expression => frames
            .map(|secs| track.vector_at(secs, step_secs).x.clamp(0.0, 1.0))
            .collect(),
        Beside::Gaze => {
            let mut before = DQuat::IDENTITY;
            let turns = frames.flat_map(|secs| {
                before = rotation::on_side_of(track.rotation_at(secs, step_secs), before);
                before.to_array()
            });
            turns.collect()
        }
    };
    ShapeWeights {
        width: weights.len() / grid.num_frames,
        weights,
    }
}

/// The tracks of a node, in the order of [`Path`].
type Tracks = [Option<Track>; 3];

/// Returns the node's transform at a time; the rest transform if it is not animated.
fn transform_at([translation, rotation, scale]: &Tracks, rest: &Transform, secs: f64, frame_secs: f64) -> Transform {
    let [translation, scale] = [(translation, rest.translation), (scale, rest.scale)]
        .map(|(track, rest)| track.as_ref().map_or(rest, |track| track.vector_at(secs, frame_secs)));
    Transform {
        translation,
        rotation: rotation
            .as_ref()
            .map_or(rest.rotation, |track| track.rotation_at(secs, frame_secs)),
        scale,
    }
}

/// The data for computing poses.
struct Rig<'a> {
    above: Above,
    joints: &'a Joints,
    nodes: &'a Nodes,
    tracks: &'a [Tracks],
    /// The body part of each node, if the file states it.
    parts: Option<Vec<String>>,
}

impl<'a> Rig<'a> {
    fn new(joints: &'a Joints, nodes: &'a Nodes, tracks: &'a [Tracks], bones: Option<&Humanoid>) -> Self {
        Self {
            above: Above::new(nodes, joints.nodes[0]),
            joints,
            nodes,
            tracks,
            parts: bones.map(|bones| bones.parts(nodes.nodes.len())),
        }
    }

    /// Returns every n-th frame on a grid.
    fn take(&self, name: &str, grid: &Grid, stride: usize, space: &Space) -> Result<Take, ReadError> {
        let frames = (0..grid.num_frames).step_by(stride);
        let poses = frames.map(|frame| self.pose_at(grid.secs(frame), grid, space));
        Ok(Take::from_poses(name, self.skeleton(space)?, grid.step_secs, poses)?)
    }

    fn pose_at(&self, secs: f64, grid: &Grid, space: &Space) -> Pose {
        let mut pose = self.pose(|node| {
            let rest = &self.nodes.transforms[node];
            transform_at(&self.tracks[node], rest, secs, grid.step_secs)
        });
        space.settle(self.joints.nodes.len(), &mut pose.translations, &mut pose.rotations);
        pose
    }

    /// Translations and rotations of all joints in their parents' axes, the first one's in the world, in the file's unit.
    fn pose(&self, transform: impl Fn(usize) -> Transform) -> Pose {
        let joints = self.joints.parents.iter().zip(&self.joints.nodes);
        let joints = joints.map(|(&parent, node)| (parent, node.map_or(Transform::IDENTITY, &transform)));
        let mut pose = self.above.pose_below(joints);
        let (first, turn) = (pose.translations[0], pose.rotations[0]);
        pose.translations[0] = self.above.translation + self.above.turn * first;
        pose.rotations[0] = self.above.turn * turn;
        pose
    }

    fn skeleton(&self, space: &Space) -> Result<Skeleton, ReadError> {
        let translations = self.pose(|node| self.nodes.transforms[node]).translations;
        let joints = self
            .joints
            .nodes
            .iter()
            .zip(&self.joints.parents)
            .zip(translations)
            .map(|((&node, &parent), translation)| {
                let name = node.map_or_else(|| "scene".to_owned(), |node| self.nodes.joint_name(node));
                let offset = parent.map_or_else(|| space.turned(translation), |_| translation);
                Joint {
                    part: node.and_then(|node| Some(Part::Stated(self.parts.as_ref()?[node].clone()))),
                    ..Joint::new(name, parent, offset * space.unit_metres)
                }
            })
            .collect();
        Ok(Skeleton::new(joints)?)
    }
}

/// A scale within this distance of one counts as one.
const SCALE_TOLERANCE: f64 = 1e-3;

/// Warns about joints with scales and about changing ones: their effect on lengths is read, but a loop cannot hold a change.
fn warn_of_scales(rig: &Rig, start_secs: f64, warnings: &mut Vec<FileWarning>) {
    // A scale shared by the whole skeleton is a unit conversion, unless it is not uniform.
    let first = rig.joints.nodes[0];
    let above: Vec<usize> = first.into_iter().flat_map(|first| rig.nodes.above(first)).collect();
    for varies in [false, true] {
        let joints = rig.joints.nodes.iter().flatten().chain(&above).copied();
        let mut found = joints.filter(|&node| {
            let track = rig.tracks[node][Path::Scale as usize].as_ref();
            let changes = track.is_some_and(|track| track.moves);
            if changes || varies {
                return changes == varies;
            }
            let scale = track.map_or(rig.nodes.transforms[node].scale, |track| {
                track.vector_at(start_secs, 0.0)
            });
            let size = scale.abs();
            let stretches = size.max_element() - size.min_element() > SCALE_TOLERANCE * size.max_element();
            (scale - DVec3::ONE).abs().max_element() > SCALE_TOLERANCE
                && (stretches || (Some(node) != first && !above.contains(&node)))
        });
        if let Some(first) = found.next() {
            warnings.push(FileWarning::ScaledJoints {
                joint: cut(&rig.nodes.name(first), MAX_NAME),
                count: 1 + found.count(),
                varies,
            });
        }
    }
}

/// Warns about joints with keys for only a part of the animation; they are constant before and after.
fn warn_of_ends(joints: &Joints, nodes: &Nodes, tracks: &[Tracks], grid: &Grid, warnings: &mut Vec<FileWarning>) {
    let slack = 1.5 * grid.step_secs;
    let (start, end) = (grid.start_secs, grid.secs(grid.num_frames - 1));
    let spans = joints.nodes.iter().flatten().map(|&node| {
        // The part that all of its tracks cover.
        let moving = tracks[node].iter().flatten().filter(|track| track.moves);
        let covered = moving.fold((start, end), |(from, to), track| {
            let times = &track.times;
            (from.max(times[0]), to.min(times[times.len() - 1]))
        });
        (node, covered)
    });
    let mut short = spans.filter(|(_, (from, to))| *from > start + slack || *to < end - slack);
    if let Some((node, (from, to))) = short.next() {
        warnings.push(FileWarning::ChannelsShorter {
            joint: cut(&nodes.name(node), MAX_NAME),
            count: 1 + short.count(),
            keys_secs: [from - start, to - start],
            whole_secs: end - start,
        });
    }
}

/// Plausible lengths of a model in metres, along its bones from end to end: from a mouse to a whale.
const SIZE_METRES: core::ops::RangeInclusive<f64> = 0.05..=30.0;

/// The longest model that is accepted in metres if no unit makes it a person: a dinosaur or a dragon with its tail and neck.
const LARGEST_METRES: f64 = 80.0;

/// Determines the space. The format specifies metres and +Y up. This is used unless the body stands along another axis, at rest
/// too, or the model would be smaller than a mouse, or larger than a whale and a person in another unit, or larger than any
/// animal. Bones have the same length in all animations of a file.
fn settle(probe: &Take, rest: &Pose, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Space {
    let mut choice = settings.space;
    if choice.up == UpChoice::Auto {
        let stands = guess::stands_otherwise(probe, rest);
        warnings.extend(stands.map(|up| SpaceWarning::StandsOtherwise { up }.into()));
        choice.up = UpChoice::Given(stands.unwrap_or(Up::Y));
    }
    let size = length_of_bones(probe.skeleton());
    let stated = size == 0.0 || SIZE_METRES.contains(&size);
    if choice.unit == UnitChoice::Auto && stated {
        choice.unit = UnitChoice::Metres(1.0);
    }
    let guessed = choice.unit == UnitChoice::Auto;
    let mut doubts = Vec::new();
    let mut space = guess::settle(probe, None, &choice, &mut doubts);
    let is_person = doubts.is_empty();
    if guessed && !is_person && (*SIZE_METRES.end()..=LARGEST_METRES).contains(&size) {
        space.unit_metres = 1.0;
        doubts = vec![SpaceWarning::UnitUnknown { unit_metres: 1.0 }.into()];
    }
    warnings.append(&mut doubts);
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

/// Returns the longest path along bones between two ends of a skeleton, without bones above its first fork, which only place the
/// body in the world.
fn length_of_bones(skeleton: &Skeleton) -> f64 {
    let fork = (0..skeleton.num_joints()).find(|&joint| skeleton.children(joint).len() > 1);
    let mut longest = 0.0_f64;
    // From each joint down to its farthest end.
    let mut reach = vec![0.0_f64; skeleton.num_joints()];
    for joint in (fork.unwrap_or(0) + 1..skeleton.num_joints()).rev() {
        let Some(parent) = skeleton.parent(joint) else { continue };
        let way = reach[joint] + skeleton.joint(joint).rest_offset.length();
        longest = longest.max(reach[parent] + way);
        reach[parent] = reach[parent].max(way);
    }
    longest
}
