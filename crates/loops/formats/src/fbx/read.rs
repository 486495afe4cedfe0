//! Converts a scene to a take: samples it on an even grid, joint by joint.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Pose, Skeleton, Take, analysis::probe_stride, candidate::NamedMotion, math::greatest, take::Tail,
};
use ufbx::{Anim, Node, Scene, SceneRoot};

use super::{
    bind,
    error::FbxError,
    form,
    form::{ChannelShapes, FbxFile},
    joints::{self, Joints, SkeletonChoice},
    scene::{self, World},
    shapes::Shapes,
    source::{FbxSource, Form},
    timing::{self, Grid},
};
use crate::{
    entry::{Loaded, ParsedFile},
    error::ReadError,
    excerpt::one_line,
    limits::is_plausible,
    settings::ReadSettings,
    source::{LoadedTake, Source},
    space::{Space, SpaceSettings, UpChoice, stated, warning::SpaceWarning},
    warning::FileWarning,
};

/// A joint counts as still if its translation in its parent varies by less, in metres: exporters write it with single-precision
/// noise.
const STILL_METRES: f64 = 2e-6;

/// A scale within this distance of one counts as one.
const SCALE_TOLERANCE: f64 = 1e-3;

pub(crate) struct FbxScene {
    scene: SceneRoot,
    bytes: Arc<[u8]>,
}

impl FbxScene {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Ok(Self {
            scene: scene::load(bytes, false)?,
            bytes: bytes.into(),
        })
    }

    /// The take of an animation on a grid of times.
    fn sampled(
        &self,
        Animated {
            take_name,
            animation,
            anim,
            joints,
            grid,
            shapes,
        }: Animated,
        settings: &ReadSettings,
        warnings: &mut Vec<FileWarning>,
    ) -> Result<LoadedTake, ReadError> {
        let scene = &self.scene;
        let mut samples = Samples::new(scene, anim, joints, grid)?;
        samples.warn_of_scale(joints, warnings);
        samples.still();
        let rest = rest_offsets(scene, joints, &samples);
        let pose = |key: usize, turn: DQuat, unit_metres: f64| {
            let range = key * joints.nodes.len()..(key + 1) * joints.nodes.len();
            let translations = samples.translations[range.clone()].iter();
            let translations = translations.map(|t| *t * unit_metres).collect();
            let mut pose = Pose::new(translations, samples.rotations[range].to_vec());
            pose.translations[0] = turn * pose.translations[0];
            pose.rotations[0] = turn * pose.rotations[0];
            pose
        };
        let take = |stride: usize, turn: DQuat, unit_metres: f64| {
            let frames = (0..grid.num_frames).step_by(stride);
            let poses = frames.map(|frame| pose(frame, turn, unit_metres));
            let skeleton = skeleton(joints, &rest, turn, unit_metres)?;
            Ok::<Take, ReadError>(Take::from_poses(take_name, skeleton, grid.frame_time_secs, poses)?)
        };
        let probe = take(probe_stride(grid.num_frames), DQuat::IDENTITY, 1.0)?;
        let (space, turn) = settle(scene, &probe, samples.scale_above, &settings.space, warnings);
        let mut take = take(1, turn, space.unit_metres)?;
        if let Some(frames) = grid.tail_frames {
            let pose = pose(grid.num_frames, turn, space.unit_metres);
            take = take.with_tail(Tail { frames, pose })?;
        }
        let above = world_above(scene, joints, |node| scene.nodes[node].local_transform);
        let file = FbxFile::new(&self.bytes, scene, anim, joints, grid.begin_secs);
        let source = Source::Fbx(FbxSource {
            space,
            turn,
            animation: animation.to_owned(),
            begin_secs: grid.begin_secs,
            skeleton: joints.skeleton,
            rest: bind::rest_pose((scene, joints), &rest, turn, space.unit_metres, above),
            form: match file {
                Some(file) => Form::File(Box::new(FbxFile { shapes, ..file })),
                None => Form::Fresh {
                    leaves_meshes: Some(false),
                },
            },
            has_short_tracks: false,
            states_unit: false,
            changes_scale: samples.scaled.iter().any(|[_, varies]| *varies),
        });
        Ok(LoadedTake::new(take, source))
    }
}

fn skeleton_choice<'a>(settings: &ReadSettings<'a>) -> SkeletonChoice<'a> {
    settings.skin.map_or(SkeletonChoice::Largest, SkeletonChoice::Given)
}

/// An animation to be sampled.
struct Animated<'a> {
    take_name: &'a str,
    /// Its own name.
    animation: &'a str,
    anim: &'a Anim,
    joints: &'a Joints,
    grid: &'a Grid,
    shapes: ChannelShapes,
}

impl ParsedFile for FbxScene {
    fn num_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn animation_names(&self) -> Vec<String> {
        timing::animation_names(&self.scene)
    }

    /// For the selection of the animation see docs/formats/fbx.md. The take has the animation's name if the file has several,
    /// else `name`. The space is the one stated in the file, unless `settings` override it or the body would not have a person's
    /// size.
    fn read(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        let scene = &self.scene;
        let stack = timing::choose_stack(scene, settings.animation, warnings)?;
        let joints = joints::choose(
            scene,
            Some(stack),
            |node| moves(node, &stack.anim, [stack.time_begin, stack.time_end]),
            skeleton_choice(settings),
            warnings,
        )?;
        let anim = scene::animation(scene, stack, joints.above.iter().chain(&joints.nodes).copied())?;
        let grid = timing::grid(scene, stack, &joints, warnings)?;
        settings.limits.check_transforms(grid.num_frames, joints.nodes.len())?;
        // Weights take their share of the file's memory; beyond it they are left out, as they are in files to which they cannot
        // be written.
        let most_shapes = if form::is_writable(&self.bytes) {
            (settings.limits.most_transforms() / grid.num_frames).saturating_sub(joints.nodes.len())
        } else {
            0
        };
        let shapes = Shapes::new(scene, stack, most_shapes);
        timing::warn_of_turns(stack, &joints, &grid, warnings);
        shapes.warn_of_others(stack, &joints, warnings);
        let animation: &str = &stack.element.name;
        let animated = Animated {
            // The one animation of a file is often called by the program that wrote it.
            take_name: &if scene.anim_stacks.count > 1 || (says_nothing(name) && !says_nothing(animation)) {
                one_line(animation)
            } else {
                name.to_owned()
            },
            animation,
            anim: &anim,
            joints: &joints,
            grid: &grid,
            shapes: shapes.sampled(&anim, &grid),
        };
        self.sampled(animated, settings, warnings)
    }

    fn read_rest(&self, name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
        let animated = Animated {
            take_name: name,
            animation: "",
            anim: &self.scene.anim,
            joints: &joints::choose(&self.scene, None, |_| false, skeleton_choice(settings), warnings)?,
            grid: &Grid {
                begin_secs: 0.0,
                frame_time_secs: 1.0 / 30.0,
                num_frames: 1,
                is_stepped: false,
                tail_frames: None,
            },
            shapes: ChannelShapes::default(),
        };
        self.sampled(animated, settings, warnings)
    }

    fn into_owned(self: Box<Self>) -> Box<dyn ParsedFile> {
        self
    }
}

/// Whether a name tells nothing about the motion.
fn says_nothing(name: &str) -> bool {
    NamedMotion::of(name) == NamedMotion::default()
}

/// Whether an animation moves or rotates a node, judged at a few times.
pub(super) fn moves(node: &Node, anim: &Anim, [begin, end]: [f64; 2]) -> bool {
    const PROBES: u32 = 32;
    if !(begin.is_finite() && end.is_finite()) {
        return false;
    }
    let at = |probe: u32| {
        let secs = begin + (end - begin) * f64::from(probe) / f64::from(PROBES);
        let local = ufbx::evaluate_transform(anim, node, secs);
        (scene::vec3(local.translation), scene::rotation(&local))
    };
    let (position, turn) = at(0);
    (1..=PROBES).any(|probe| {
        let (now, turned) = at(probe);
        let size = position.length().max(now.length()).max(1.0);
        now.distance(position) > 1e-6 * size || turned.dot(turn).abs() < 1.0 - 1e-12
    })
}

/// Local transforms of all joints in the file's unit; those of the first joint are in the file's world.
struct Samples {
    num_joints: usize,
    translations: Vec<DVec3>,
    rotations: Vec<DQuat>,
    /// Scale of the first joint and the nodes above it, the mean of three axes.
    scale_above: f64,
    /// For every joint, whether its own scale differs from one, and whether it varies.
    scaled: Vec<[bool; 2]>,
}

impl Samples {
    /// Samples the joints at all times. Errors: a joint is out of range.
    fn new(scene: &Scene, anim: &Anim, joints: &Joints, grid: &Grid) -> Result<Self, FbxError> {
        let num_joints = joints.nodes.len();
        let mut samples = Self {
            num_joints,
            translations: Vec::with_capacity(num_joints * grid.num_keys()),
            rotations: Vec::with_capacity(num_joints * grid.num_keys()),
            scale_above: 1.0,
            scaled: vec![[false; 2]; num_joints],
        };
        let mut first_scales = Vec::new();
        let mut worlds: Vec<World> = Vec::with_capacity(num_joints);
        for frame in 0..grid.num_keys() {
            let secs = grid.secs(frame);
            let local = |node: usize| ufbx::evaluate_transform(anim, &scene.nodes[node], secs);
            let above = world_above(scene, joints, local);
            worlds.clear();
            for (joint, &node) in joints.nodes.iter().enumerate() {
                let local = local(node);
                let parent = joints.parents[joint].map(|parent| &worlds[parent]);
                let world = parent.unwrap_or(&above).child(scene.nodes[node].inherit_mode, &local);
                if !is_plausible(world.position()) {
                    return Err(FbxError::OutOfRange {
                        joint: joints.names[joint].clone(),
                        frame,
                    });
                }
                let scale = scene::vec3(local.scale);
                if frame == 0 {
                    first_scales.push(scale);
                    if joint == 0 {
                        samples.scale_above = world.matrix.matrix3.determinant().abs().cbrt();
                    }
                }
                let from = [DVec3::ONE, first_scales[joint]];
                for (differs, from) in samples.scaled[joint].iter_mut().zip(from) {
                    *differs |= (scale - from).abs().max_element() > SCALE_TOLERANCE;
                }
                samples.translations.push(world.offset_from(parent));
                samples.rotations.push(match parent {
                    Some(_) => scene::rotation(&local),
                    None => world.rotation,
                });
                worlds.push(world);
            }
        }
        Ok(samples)
    }

    fn warn_of_scale(&self, joints: &Joints, warnings: &mut Vec<FileWarning>) {
        for varies in [false, true] {
            let mut found = (0..self.num_joints).filter(|&joint| {
                // A scale shared by the whole skeleton is a unit conversion.
                let is_scaled = self.scaled[joint][0] && joint > 0;
                let is_varying = self.scaled[joint][1];
                is_varying == varies && (is_scaled || is_varying)
            });
            if let Some(first) = found.next() {
                warnings.push(FileWarning::ScaledJoints {
                    joint: joints.names[first].clone(),
                    count: 1 + found.count(),
                    varies,
                });
            }
        }
    }

    /// Makes joints constant that vary only by rounding.
    fn still(&mut self) {
        // Judged as if the unit were the metre, or the centimetre if numbers are large.
        let sizes = self.translations.iter().map(|t| t.abs().max_element());
        let size = greatest(sizes);
        let unit = if size > 10.0 { 0.01 } else { 1.0 };
        let num_joints = self.num_joints;
        for joint in 1..num_joints {
            let first = self.translations[joint];
            let track = self.translations.iter().skip(joint).step_by(num_joints);
            let farthest = greatest(track.map(|t| t.distance(first)));
            if farthest * unit < STILL_METRES {
                let track = self.translations.iter_mut().skip(joint).step_by(num_joints);
                track.for_each(|t| *t = first);
            }
        }
    }
}

/// Returns the transform of the nodes above the first joint.
fn world_above(scene: &Scene, joints: &Joints, local: impl Fn(usize) -> ufbx::Transform) -> World {
    joints.above.iter().fold(World::SCENE, |world, &node| {
        world.child(scene.nodes[node].inherit_mode, &local(node))
    })
}

/// Returns the rest offsets: of a fixed joint its translation; of others, and of the first, that of the file's own pose.
fn rest_offsets(scene: &Scene, joints: &Joints, samples: &Samples) -> Vec<DVec3> {
    let mut worlds: Vec<World> = Vec::with_capacity(joints.nodes.len());
    let above = world_above(scene, joints, |node| scene.nodes[node].local_transform);
    let mut offsets = Vec::with_capacity(joints.nodes.len());
    for (joint, &node) in joints.nodes.iter().enumerate() {
        let parent = joints.parents[joint].map(|parent| &worlds[parent]);
        let world = parent
            .unwrap_or(&above)
            .child(scene.nodes[node].inherit_mode, &scene.nodes[node].local_transform);
        let at_rest = world.offset_from(parent);
        let first = samples.translations[joint];
        let is_still = samples
            .translations
            .iter()
            .skip(joint)
            .step_by(samples.num_joints)
            .all(|t| *t == first);
        offsets.push(if (joint > 0 && is_still) || !is_plausible(at_rest) {
            first
        } else {
            at_rest
        });
        worlds.push(world);
    }
    offsets
}

fn skeleton(joints: &Joints, rest: &[DVec3], turn: DQuat, unit_metres: f64) -> Result<Skeleton, ReadError> {
    let joints = joints
        .names
        .iter()
        .zip(&joints.parents)
        .zip(rest)
        .map(|((name, parent), rest)| Joint {
            // The first joint's offset is a position in the world, so it rotates with the axes.
            rest_offset: unit_metres * if parent.is_none() { turn * *rest } else { *rest },
            ..Joint::new(name.clone(), *parent, DVec3::ZERO)
        })
        .collect();
    Ok(Skeleton::new(joints)?)
}

/// Determines axes and unit; the rotation maps the file's axes to ours.
fn settle(
    scene: &Scene,
    probe: &Take,
    scale_above: f64,
    settings: &SpaceSettings,
    warnings: &mut Vec<FileWarning>,
) -> (Space, DQuat) {
    // The caller's settings take precedence, but the same up axis may come with another forward axis.
    let may_be = |up| [UpChoice::Auto, UpChoice::Given(up)].contains(&settings.up);
    let axes = scene::stated_axes(scene).filter(|(up, ..)| may_be(*up));
    if let Some((up, _, true)) = axes {
        warnings.push(SpaceWarning::LeftHandedAxes { up }.into());
    }
    let upright = axes.map(|(_, turn, _)| probe.turned(turn));
    let space = stated::settle(
        upright.as_ref().unwrap_or(probe),
        &SpaceSettings {
            // A probe that is already rotated is along +Y, whatever the file's up axis is.
            up: if axes.is_some() { UpChoice::Y } else { settings.up },
            unit: settings.unit,
        },
        scene.settings.unit_meters,
        scale_above,
        warnings,
    );
    match axes {
        Some((up, turn, _)) => (
            Space {
                up,
                up_given: true,
                ..space
            },
            turn,
        ),
        None => (space, space.turn()),
    }
}
