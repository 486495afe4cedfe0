//! Transfers poses from one rig to another.

use glam::{DQuat, DVec3, DVec4};

use super::{
    LimbKind, Rig, RigPair,
    clear::Sole,
    laid::laid_onto,
    legs::PlacedLimb,
    places::{Standing, ankle_over_ball, tops},
};
use crate::{
    loop_clip::{LoopClip, LoopClipError},
    math::{Rigid, Twist, distinct, kernel, rotation},
    motion::{Pose, PoseRef, RootMotion, Skeleton, Tracks, WorldTracks},
    take::{Take, TakeError},
};

/// Transfers motion of one rig to another; a function of the pose alone.
#[value]
pub struct Retarget {
    pub(super) source: Rig,
    pub(crate) target: Rig,
    /// The link of each joint of the target.
    follows: Vec<Option<Follow>>,
    /// The joints to which those of the target are attached: their parents, except for separate feet, and for joints beside the body that
    /// follow one of its joints.
    hangs_from: Vec<Option<usize>>,
    /// Transforms in those joints' axes at rest.
    hanging: Vec<Rigid>,
    /// Joints of the target, each after the one to which it is attached.
    order: Vec<usize>,
    /// The path from the topmost joint of the target that moves with its hips to the hips.
    to_hips: Vec<usize>,
    /// Joints beside the target's body that follow one of its joints, with their transforms in its axes, each after its parent.
    pub(super) led: Vec<Led>,
    /// Legs, and arms whose hands may stand on the ground.
    limbs: Vec<PlacedLimb>,
    /// Tops of the legs that place the hips, of the source and of the target; the hips themselves without legs.
    tops: [Vec<usize>; 2],
    pub(super) scale: f64,
    /// Largest growth of the leg bones that lets feet reach their goals, as a share.
    stretch: f64,
    /// Heights of standing feet.
    standing: Standing,
    /// Soles of legs, of the target and of the source, which are kept above the ground.
    pub(super) soles: Vec<Option<[Sole; 2]>>,
    /// Vector from the scaled hips to those of the target, in the axes of the body: feet that are longer or higher at the ankle than those
    /// of the source at the same scale put the ankles elsewhere.
    hips_offset: DVec3,
}

/// The joint of the source from which a joint takes its rotation, or the two between which it lies.
#[value(Copy)]
struct Follow {
    from: usize,
    /// Rotation from the source's world rotation to the target's, applied on the right.
    turn: DQuat,
    toward: Option<(usize, DQuat, f64)>,
}

/// A joint beside the body that follows one of its joints rigidly.
#[value(Copy)]
pub(super) struct Led {
    pub joint: usize,
    pub by: usize,
    pub at_rest: Rigid,
}

/// Moves joints beside the body with the joints that they follow, in a local pose.
pub(super) fn lead(led: &[Led], skeleton: &Skeleton, pose: &mut Pose) {
    for led in led {
        let by = pose.as_ref().world_of(skeleton, led.by);
        pose.place(skeleton, led.joint, by * led.at_rest);
    }
}

impl RigPair {
    /// Prepares the transfer of a motion.
    ///
    /// `motion` holds the poses in the world, or relative to the root, on the source's skeleton: they show the height of
    /// standing feet and the bend of knees.
    pub fn of_motion(&self, motion: &WorldTracks) -> Retarget {
        let Self {
            source, target, map, ..
        } = self;
        let led = target.led_by_body(map);
        let mut hangs_from: Vec<_> = target.skeleton.joints().iter().map(|joint| joint.parent).collect();
        // If a joint is in both lists, the entry of separate feet applies.
        for &(joint, above) in led.iter().rev().chain(target.anatomy.apart.iter().rev()) {
            hangs_from[joint] = Some(above);
        }
        let hanging = (0..hangs_from.len())
            .map(|joint| match hangs_from[joint] {
                Some(above) if Some(above) != target.skeleton.parent(joint) => {
                    target.world.joint(above).inverse() * target.world.joint(joint)
                }
                _ => target.rest.joint(joint),
            })
            .collect();
        let follows = self.follows();
        let scale = target.scale_from(source);
        let (limbs, soles): (Vec<PlacedLimb>, Vec<Option<[Sole; 2]>>) = target
            .anatomy
            .limbs
            .iter()
            .filter_map(|limb| {
                let turn = follows[limb.reaches?.upper].map(|thigh| thigh.turn);
                let placed = PlacedLimb::new(self, limb, &hangs_from, turn, motion)?;
                let soles = || Some([Sole::new(target, limb)?, Sole::new(source, source.anatomy.limb(limb)?)?]);
                Some((placed, (limb.kind == LimbKind::Leg).then(soles).flatten()))
            })
            .unzip();
        let led = led
            .iter()
            // A joint rotated by the map is not rigid, and moves too little to matter for the feet.
            .filter(|(joint, _)| follows[*joint].is_none())
            .map(|&(joint, by)| Led {
                joint,
                by,
                at_rest: target.world.joint(by).inverse() * target.world.joint(joint),
            })
            .collect();
        let mut to_hips = target.skeleton.path_from_root(target.anatomy.hips);
        to_hips.retain(|&joint| joint >= target.top());
        Retarget {
            order: in_order(&hangs_from),
            to_hips,
            led,
            standing: Standing::of(source, target, motion).unwrap_or_default(),
            hips_offset: ankle_over_ball(target, source) - scale * ankle_over_ball(source, target),
            tops: tops(source, target),
            source: source.clone(),
            target: target.clone(),
            follows,
            hangs_from,
            hanging,
            limbs,
            soles,
            scale,
            stretch: self.stretch,
        }
    }

    /// Returns the link of each joint of the target.
    fn follows(&self) -> Vec<Option<Follow>> {
        let Self {
            source, target, map, ..
        } = self;
        let laid = laid_onto(source, target);
        let turn = |from: usize, joint: usize| {
            (source.world.rotations[from].conjugate()
                * source.axes
                * laid[joint]
                * target.axes.conjugate()
                * target.world.rotations[joint])
                .normalize()
        };
        map.links
            .iter()
            .enumerate()
            .map(|(joint, link)| {
                link.map(|link| Follow {
                    from: link.from,
                    turn: turn(link.from, joint),
                    toward: link.toward.map(|(toward, share)| (toward, turn(toward, joint), share)),
                })
            })
            .collect()
    }

    /// Returns the transfer of a loop: its samples are the motion.
    pub fn of_loop(&self, clip: &LoopClip) -> Retarget {
        let prepared = self.of_motion(&clip.tracks_from_root());
        if is_level(clip.root()) {
            return prepared;
        }
        // Seen from a root that tilts, no height is one over the ground.
        Retarget {
            standing: Standing::default(),
            soles: Vec::new(),
            hips_offset: DVec3::ZERO,
            limbs: prepared
                .limbs
                .iter()
                .filter(|limb| limb.kind == LimbKind::Leg)
                .cloned()
                .collect(),
            ..prepared
        }
    }
}

impl Retarget {
    /// Returns the scale of the motion of root and hips: the ratio of the legs' lengths.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the height of the ground below the target if that below the source is at `height`, metres.
    pub fn ground(&self, height: f64) -> f64 {
        self.scale * (height - self.standing.ground_of_source)
    }

    /// Returns a point of the source at the target's scale, on its ground.
    fn place(&self, point: DVec3) -> DVec3 {
        self.scale * (point - DVec3::Y * self.standing.source) + DVec3::Y * self.standing.target
    }

    /// Returns a local pose of the source on the target, local.
    ///
    /// # Panics
    /// When the pose has other joints than the source.
    pub fn pose(&self, pose: PoseRef) -> Pose {
        let along = self.along(pose);
        self.above_ground(&along, self.reached(&along))
    }

    /// Returns the poses of a motion of the source on the target; around a loop, or with ends.
    ///
    /// Each is [`Self::pose`], with the rotations by which its limbs reach their goals smoothed over time.
    pub(crate) fn poses<'a>(
        &self,
        pose: impl Fn(usize) -> PoseRef<'a>,
        count: usize,
        step_secs: f64,
        has_ends: bool,
    ) -> impl Iterator<Item = Pose> {
        // The joints that turn for limbs to reach their places.
        let reaching = distinct(
            self.limbs
                .iter()
                .flat_map(|limb| limb.bones.iter().flatten().copied().chain([limb.leg.ankle])),
        );
        let mut reaches = vec![Vec::with_capacity(count); reaching.len()];
        for sample in 0..count {
            let along = self.along(pose(sample));
            let (world, lengths) = self.reached(&along);
            for (of_joint, &joint) in reaches.iter_mut().zip(&reaching) {
                let [before, after] = [&along.world, &world].map(|world| self.below_what_it_hangs_from(world, joint));
                of_joint.push(rotation::log(before.conjugate() * after).extend(lengths[joint] - 1.0));
            }
        }
        for of_joint in &mut reaches {
            *of_joint = smooth(of_joint, step_secs, has_ends);
        }
        (0..count).map(move |sample| {
            let along = self.along(pose(sample));
            self.turned(&along, |joint| {
                Some(reaches[reaching.binary_search(&joint).ok()?][sample])
            })
        })
    }

    /// Returns a local pose with its toes above the ground. They turn up last: how far follows from where the rest of the foot came to be.
    /// Joints beside the body move with them.
    fn above_ground(&self, along: &Along, (world, lengths): (Pose, Vec<f64>)) -> Pose {
        let (mut pose, skeleton) = (self.local(&world, &lengths), &self.target.skeleton);
        for [sole, theirs] in self.soles.iter().flatten() {
            sole.turn_toes_up(skeleton, &mut pose, sole.floor(self.ground(theirs.lowest(&along.from))));
        }
        lead(&self.led, skeleton, &mut pose);
        pose
    }

    /// Returns the rotation of a joint in the axes of the one to which it is attached.
    fn below_what_it_hangs_from(&self, world: &Pose, joint: usize) -> DQuat {
        self.hangs_from[joint]
            .map_or(DQuat::IDENTITY, |above| world.rotations[above])
            .conjugate()
            * world.rotations[joint]
    }

    /// Returns a pose with joints rotated by vectors after their own rotation, and with bones longer by a share: the fourth
    /// number of each.
    fn turned(&self, along: &Along, reach: impl Fn(usize) -> Option<DVec4>) -> Pose {
        let (mut turns, mut lengths) = (along.turns.clone(), vec![1.0; self.order.len()]);
        let mut world = along.world.rotations.clone();
        for &joint in &self.order {
            let above = self.hangs_from[joint].map_or(DQuat::IDENTITY, |above| world[above]);
            if let Some(reach) = reach(joint) {
                turns[joint] = Some(
                    (above * self.below_what_it_hangs_from(&along.world, joint) * rotation::exp(reach.truncate()))
                        .normalize(),
                );
                lengths[joint] = 1.0 + reach.w;
            }
            if !self.to_hips.contains(&joint) {
                world[joint] = turns[joint].unwrap_or(above * self.hanging[joint].rotation);
            }
        }
        self.above_ground(along, (self.standing(&turns, &lengths, Some(along.hips)), lengths))
    }

    /// Returns a local pose of the source transferred to the target by directions alone, in the world.
    pub(super) fn directions(&self, pose: PoseRef) -> Pose {
        self.along(pose).world
    }

    /// Transfers a pose of the source to the target by directions alone: no limb reaches for its goal yet.
    fn along(&self, pose: PoseRef) -> Along {
        let from = pose.world(&self.source.skeleton);
        let turned = |follow: Follow| {
            let first = from.rotations[follow.from] * follow.turn;
            let turn = match follow.toward {
                Some((toward, turn, share)) => {
                    rotation::exp(rotation::difference(from.rotations[toward] * turn, first) * share) * first
                }
                None => first,
            };
            turn.normalize()
        };
        let turns: Vec<Option<DQuat>> = self.follows.iter().map(|follow| follow.map(turned)).collect();
        let lengths = vec![1.0; turns.len()];
        let at_rest = self.standing(&turns, &lengths, None);
        let [theirs, ours] = &self.tops;
        let shift =
            self.place(from.mean_place(theirs)) + self.in_world(&at_rest, self.hips_offset) - at_rest.mean_place(ours);
        let hips = at_rest.translations[self.target.anatomy.hips] + shift;
        Along {
            world: self.standing(&turns, &lengths, Some(hips)),
            from,
            turns,
            hips,
        }
    }

    /// Returns the pose with its limbs on their places, and its soles above the ground, and the lengths of its bones relative to rest.
    fn reached(&self, along: &Along) -> (Pose, Vec<f64>) {
        let Along {
            from,
            turns,
            hips: at,
            world: hips,
        } = along;
        let (mut turns, mut lengths) = (turns.clone(), vec![1.0; turns.len()]);
        let offset = self.in_world(hips, self.hips_offset);
        let mut reaches = Vec::with_capacity(self.limbs.len());
        for limb in &self.limbs {
            let shift = self.in_world(hips, limb.shift);
            let ball = self.place(from.translations[limb.follows]) + shift;
            let ankle = match limb.kind {
                LimbKind::Leg => self.place(from.translations[limb.ankle]) + offset + shift,
                LimbKind::Arm => ball,
            };
            let height = ball.y - self.standing.target;
            let weight = limb.weight(height);
            let reach = (weight > 0.0).then_some(Reach {
                places: [ball, ankle],
                height,
                weight,
            });
            if let Some(reach) = &reach {
                reach.turn(limb, self.stretch, hips, &mut turns, &mut lengths);
            }
            reaches.push(reach);
        }
        let mut world = self.standing(&turns, &lengths, Some(*at));
        let mut is_cleared = false;
        for ((limb, sole), reach) in self.limbs.iter().zip(&self.soles).zip(&reaches) {
            let (Some([sole, theirs]), Some(reach)) = (sole, reach) else {
                continue;
            };
            let floor = sole.floor(self.ground(theirs.lowest(from)));
            let Some((turn, rise)) = sole.cleared(world.joint(sole.ankle), floor) else {
                continue;
            };
            is_cleared = true;
            if rise > 0.0 {
                reach
                    .raised(rise)
                    .turn(limb, self.stretch, hips, &mut turns, &mut lengths);
            }
            turns[sole.ankle] = Some((turn * turns[sole.ankle].unwrap_or(world.rotations[sole.ankle])).normalize());
        }
        if is_cleared {
            world = self.standing(&turns, &lengths, Some(*at));
        }
        (world, lengths)
    }

    /// Returns an offset in the axes of the body in the world: its level part turns with the trunk, halfway between hips and
    /// chest, which swing against each other in a gait.
    fn in_world(&self, world: &Pose, offset: DVec3) -> DVec3 {
        let Rig {
            anatomy,
            world: at_rest,
            ..
        } = &self.target;
        let turned = |joint: usize| world.rotations[joint] * at_rest.rotations[joint].conjugate();
        let hips = turned(anatomy.hips);
        let turned = anatomy.spine.last().map_or(hips, |&chest| {
            (rotation::exp(0.5 * rotation::difference(turned(chest), hips)) * hips).normalize()
        });
        (turned * (self.target.axes * offset.with_y(0.0))).with_y(offset.y)
    }

    /// Returns the target's pose in the world by the rotations of joints that follow others, with bones scaled in length; all
    /// other joints rest. The hips are at a position, or at rest.
    fn standing(&self, turns: &[Option<DQuat>], lengths: &[f64], hips: Option<DVec3>) -> Pose {
        let num_joints = self.order.len();
        let mut world = Pose {
            translations: vec![DVec3::ZERO; num_joints],
            rotations: vec![DQuat::IDENTITY; num_joints],
        };
        let joint = self.target.anatomy.hips;
        let at = hips.unwrap_or(self.target.world.translations[joint]);
        let turn = turns[joint].unwrap_or_else(|| {
            self.target
                .skeleton
                .path_from_root(joint)
                .into_iter()
                .fold(DQuat::IDENTITY, |above, joint| {
                    turns[joint].unwrap_or(above * self.hanging[joint].rotation)
                })
                .normalize()
        });
        world.set_joint(joint, Rigid::new(turn, at));
        // Joints above that move with the hips turn with them, unless a map lets them follow another joint.
        for pair in self.to_hips.windows(2).rev() {
            let (above, below) = (pair[0], world.joint(pair[1]));
            let rest = self.hanging[pair[1]];
            let turn = turns[above].unwrap_or_else(|| (below.rotation * rest.rotation.conjugate()).normalize());
            world.set_joint(above, Rigid::new(turn, below.translation - turn * rest.translation));
        }
        for &joint in self.order.iter().filter(|joint| !self.to_hips.contains(joint)) {
            let rest = self.hanging[joint];
            let above = self.hangs_from[joint].map_or(Rigid::IDENTITY, |above| world.joint(above));
            let at = above.transform_point(rest.translation * lengths[joint]);
            let turn = turns[joint].unwrap_or_else(|| (above.rotation * rest.rotation).normalize());
            world.set_joint(joint, Rigid::new(turn, at));
        }
        world
    }

    /// Converts a pose in the world to a local one; only the topmost joint that moves with the hips, and joints attached
    /// elsewhere than to their parents, leave their rest positions.
    fn local(&self, world: &Pose, lengths: &[f64]) -> Pose {
        let skeleton = &self.target.skeleton;
        (0..skeleton.num_joints())
            .map(|joint| {
                let own = world.joint(joint);
                let parent = skeleton.parent(joint);
                let Some(above) = parent else {
                    return (own.translation, own.rotation);
                };
                let local = world.joint(above).inverse() * own;
                let place = if joint == self.top() || self.hangs_from[joint] != parent {
                    local.translation
                } else {
                    self.target.reference.translations[joint] * lengths[joint]
                };
                (place, local.rotation.normalize())
            })
            .collect()
    }

    /// Returns a take on the target's skeleton: the same frames and times. Errors: values leave the plausible range.
    pub fn take(&self, take: &Take) -> Result<Take, TakeError> {
        let (count, step_secs) = (take.num_frames(), take.frame_time_secs());
        Take::from_tracks(
            take.name(),
            Tracks::pose_by_pose(
                &self.target.skeleton,
                step_secs,
                self.poses(|frame| take.pose(frame), count, step_secs, true),
            ),
        )
    }

    /// Puts a loop onto the target's skeleton: the same samples and period, the root motion at the target's scale.
    ///
    /// The root motion goes to the rig's root joint if it has one, else to its hips, or to the topmost joint that moves with
    /// them. Errors: none for poses of a loop of the source.
    pub fn loop_clip(&self, clip: &LoopClip) -> Result<LoopClip, LoopClipError> {
        let path: Vec<Rigid> = clip.path().iter().map(|&sway| self.scaled(sway)).collect();
        let clip = clip.clone().on_screw()?;
        let step_secs = clip.step_secs();
        let tracks = Tracks::pose_by_pose(
            &self.target.skeleton,
            step_secs,
            self.poses(|sample| clip.body_pose(sample), clip.num_samples(), step_secs, false),
        );
        let mapped = LoopClip::new(
            clip.name(),
            tracks,
            self.target.carrier(),
            self.root_motion(clip.root()),
        )?;
        match self.root_joint() {
            _ if path.is_empty() => Ok(mapped),
            Some(joint) => mapped.along_with_joint(joint, path),
            None => mapped.along(path),
        }
    }

    /// Returns the root motion of a loop at the target's scale.
    pub(crate) fn root_motion(&self, root: &RootMotion) -> RootMotion {
        let mut start = self.scaled(root.start);
        if is_level(root) {
            // Heights are counted from the soles on.
            start.translation.y = 0.0;
        }
        RootMotion {
            start,
            twist: Twist {
                linear: root.twist.linear * self.scale,
                ..root.twist
            },
        }
    }

    /// Returns a rigid motion in the world at the target's scale.
    pub(crate) fn scaled(&self, motion: Rigid) -> Rigid {
        Rigid::new(motion.rotation, motion.translation * self.scale)
    }

    /// Returns the joint of the source from which one of the target takes its rotation, or the first of the two between which it lies.
    pub(crate) fn joint_followed(&self, joint: usize) -> Option<usize> {
        self.follows[joint].map(|follow| follow.from)
    }

    /// Returns joints beside the target's body that follow one of its joints, each with that joint, and after its parent.
    pub(crate) fn led(&self) -> impl Iterator<Item = (usize, usize)> {
        self.led.iter().map(|led| (led.joint, led.by))
    }

    /// Returns the joint of the target that carries only the root motion, if it has one.
    pub fn root_joint(&self) -> Option<usize> {
        self.target.root_joint()
    }

    /// Returns the topmost joint of the target that moves with its hips.
    pub(crate) fn top(&self) -> usize {
        self.to_hips[0]
    }
}

/// A pose of the source transferred to the target by directions alone.
struct Along {
    /// The source, in the world.
    from: Pose,
    turns: Vec<Option<DQuat>>,
    /// The place of the hips.
    hips: DVec3,
    /// The target, in the world.
    world: Pose,
}

/// The goals of a limb.
#[derive(Clone, Copy)]
struct Reach {
    /// The places of the ball of the foot and of the ankle.
    places: [DVec3; 2],
    /// Height of the ball over its height in standing feet.
    height: f64,
    weight: f64,
}

impl Reach {
    /// Returns the places higher up.
    fn raised(self, by: f64) -> Self {
        Self {
            places: self.places.map(|place| place + DVec3::Y * by),
            ..self
        }
    }

    /// Turns the bones of a limb; `world` is the pose before it reaches for its goal.
    fn turn(self, limb: &PlacedLimb, stretch: f64, world: &Pose, turns: &mut [Option<DQuat>], lengths: &mut [f64]) {
        let ([upper, lower, foot], grown) = limb.reach(world, self.places, self.height, self.weight, stretch);
        limb.grows().for_each(|joint| lengths[joint] = 1.0 + grown);
        for (bones, turn) in limb.bones.iter().zip([upper, lower]) {
            for &joint in bones {
                // Joints that rest hang from those that turn, apart from the two that bend.
                if turns[joint].is_some() || [limb.leg.thigh, limb.leg.knee].contains(&joint) {
                    turns[joint] = Some((turn * world.rotations[joint]).normalize());
                }
            }
        }
        turns[limb.leg.ankle] = Some((foot * world.rotations[limb.leg.ankle]).normalize());
    }
}

/// Smoothing time of the rotations by which limbs reach their goals, seconds: the deviation of a Gaussian. Limits of joints and
/// ground, which single poses keep to within millimetres, set in within a frame or two, which would be visible.
const SMOOTH_SECS: f64 = 0.03;

/// Most samples to a deviation of the Gaussian; of denser ones only every n-th is used.
const MOST_SAMPLES: f64 = 30.0;

/// Averages values over the time around each; ends are extended as constants.
fn smooth(values: &[DVec4], step_secs: f64, has_ends: bool) -> Vec<DVec4> {
    let (count, width) = (values.len() as isize, SMOOTH_SECS / step_secs);
    let stride = (width / MOST_SAMPLES) as isize + 1;
    let weights = kernel::gaussian(width / stride as f64);
    let side = weights.len() as isize - 1;
    (0..count)
        .map(|sample| {
            (-side..=side)
                .map(|step| {
                    let at = sample + step * stride;
                    let at = if has_ends {
                        at.clamp(0, count - 1)
                    } else {
                        at.rem_euclid(count)
                    };
                    values[at as usize] * weights[step.unsigned_abs()]
                })
                .sum()
        })
        .collect()
}

/// Whether a root is upright, so that heights relative to it are heights over the ground.
fn is_level(root: &RootMotion) -> bool {
    [root.start.rotation * DVec3::Y, root.twist.angular]
        .iter()
        .all(|axis| axis.x.abs().max(axis.z.abs()) < 1e-9)
}

/// Returns the joints in an order in which each comes after the one to which it is attached.
fn in_order(hangs_from: &[Option<usize>]) -> Vec<usize> {
    let mut below = vec![Vec::new(); hangs_from.len()];
    let mut open = Vec::new();
    for (joint, above) in hangs_from.iter().enumerate().rev() {
        match above {
            Some(above) => below[*above].push(joint),
            None => open.push(joint),
        }
    }
    let mut order = Vec::with_capacity(hangs_from.len());
    while let Some(joint) = open.pop() {
        order.push(joint);
        open.extend(&below[joint]);
    }
    order
}
