//! From a clip in the world to a clip relative to its root.

use glam::DVec3;

use super::{
    MAX_RABBIT_TURN, RootError, RootMode, RootSettings, RootSpace, RootTravel,
    cycle::{Cycle, CycleTravel, PointPair, fit_ground_motion},
    full::{FullCycle, fit_motion, mean_start},
    root_joint,
};
use crate::{
    analysis::{Analysis, body::Body, features::WeightedJoint, heading::Heading},
    math::{
        ops,
        rigid::{Rigid, Twist},
        rotation,
    },
    quality::{STANCE_METRES, STANCE_SPEED},
    take::{Clip, Skeleton, WorldTracks},
};

/// A clip whose first joint is relative to the root, and the root's travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rooted {
    /// The clip, context included, with the carrier relative to the root: its track nearly repeats.
    pub clip: Clip,
    /// How the root travels.
    pub root: RootTravel,
    /// The joint whose track holds the travel: the one that had it in the take, or the rig's root joint.
    pub carrier: usize,
    /// The joint that carries the root's motion and nothing else, where the rig has one: see [`root_joint`].
    pub root_joint: Option<usize>,
    /// How well one screw explains the travel; `None` where the travel was given.
    pub fit: Option<TravelFit>,
}

/// How well one screw explains the travel of a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TravelFit {
    /// Weighted root mean square distance of the poses at the end from those at the start moved there, metres.
    pub residual_metres: f64,
    /// Length of the screw's arc over the period, metres.
    pub arc_metres: f64,
    /// Length of the way that was recorded, without sway, metres; next to none for a body that spins on a straight path.
    pub path_metres: f64,
}

/// Poses this far on either side of both ends are laid onto each other, seconds.
pub(crate) const WINDOW_SECS: f64 = 0.2;

/// Weight of hips, thighs and shoulders in the fit beside the joints that the search compares: they tell the turn.
const TRUNK_WEIGHT: f64 = 0.5;

/// Weight of every other joint: many poor witnesses average out the noise of a few good ones.
const LIMB_WEIGHT: f64 = 0.1;

/// Factor on the weight that feet have in the way, not in the turn, while they stand at both ends: what stands must not slide
/// over the seam.
///
/// Measured on the loops of 35 takes, the skate within 0.1 s of the seam is 1.28 times that of the uncut take without it, 1.22
/// with 10 and 1.20 with 100, where the noise of two joints is all that counts. In the turn, too, a factor of 3 already errs by
/// more than a degree a second on noisy walks.
const PLANTED_FACTOR: f64 = 10.0;

/// In full space a joint speaks by six points this far along its axes as well, metres: the turn of a prop of one joint is
/// told by nothing else. Longer ones weigh turns more and places less.
const LEVER_METRES: f64 = 0.1;

/// Takes the travel out of a clip.
///
/// The root starts in the heading frame averaged over the cycle and moves by the constant twist that best lays the window
/// of poses at the start onto the one at the end. `cycles` is the number of fundamental periods in the clip. Errors:
/// settings that cannot be used, or a straight root for a stretch that turns. Source: docs/math/root.md.
pub fn extract(clip: &Clip, analysis: &Analysis, cycles: u32, settings: &RootSettings) -> Result<Rooted, RootError> {
    settings.check()?;
    let mode = settings.mode;
    let carrier = root_joint::find_carrier(clip.skeleton(), &analysis.world, &analysis.body);
    if mode == RootMode::World {
        let root = RootTravel {
            mode,
            start: Rigid::IDENTITY,
            twist: Twist::ZERO,
        };
        return Ok(relative_to(clip, root, carrier));
    }
    let stretch = Stretch::of(clip, analysis);
    let (mut travel, fit, frames) = match settings.space {
        RootSpace::Ground => stretch.on_the_ground(cycles, settings)?,
        RootSpace::Full => stretch.in_full_space(settings)?,
    };
    let root_joint = if mode == RootMode::Keep {
        None
    } else {
        root_joint::find(clip.skeleton(), &analysis.world, &analysis.body)
    };
    if let Some(joint) = root_joint.filter(|&joint| joint == carrier) {
        let own = stretch.frames_of(joint);
        travel = taken_over(&travel, &own, &frames, clip.period_secs(), settings.space);
    }
    let root = RootTravel {
        // The travel is taken out in every mode; the mode says what is done with it.
        mode,
        start: travel.start,
        twist: travel.twist,
    };
    Ok(Rooted {
        fit: Some(fit),
        ..match root_joint {
            Some(joint) => {
                let seat = match settings.space {
                    RootSpace::Ground => root_joint::tilt(clip, joint),
                    RootSpace::Full => Rigid::IDENTITY,
                };
                under_root_joint(clip, root, joint, analysis, &[seat])
            }
            None => relative_to(clip, root, carrier),
        }
    })
}

/// The same clip relative to a root whose travel is known.
///
/// `carrier` is the joint whose track holds the travel; it must be a joint of the clip.
pub fn relative_to(clip: &Clip, root: RootTravel, carrier: usize) -> Rooted {
    let travelling = RootTravel {
        mode: RootMode::Screw,
        ..root
    };
    Rooted {
        clip: clip.seen_from_root(carrier, |sample| travelling.at(sample as f64 * clip.step_secs())),
        root,
        carrier,
        root_joint: None,
        fit: None,
    }
}

/// The same clip relative to a root whose travel is known and that a joint of the rig carries.
///
/// `seats` holds where that joint stands seen from the root's constant twist, one place for each sample of a period or one
/// for all; `analysis` is that of the take.
pub fn under_root_joint(clip: &Clip, root: RootTravel, joint: usize, analysis: &Analysis, seats: &[Rigid]) -> Rooted {
    Rooted {
        clip: root_joint::seated(clip, root, joint, analysis, seats),
        root,
        carrier: joint,
        root_joint: Some(joint),
        fit: None,
    }
}

/// A clip from whose poses the travel is told.
struct Stretch<'a> {
    clip: &'a Clip,
    analysis: &'a Analysis,
    world: WorldTracks,
    first: usize,
    reach: usize,
}

/// The travel, how well it fits, and where the body stood at every sample from start to end.
type Told = (CycleTravel, TravelFit, Vec<Rigid>);

impl<'a> Stretch<'a> {
    fn of(clip: &'a Clip, analysis: &'a Analysis) -> Self {
        Self {
            clip,
            analysis,
            world: clip.world_tracks(),
            first: clip.sample_range().start().unsigned_abs(),
            reach: (WINDOW_SECS / clip.step_secs()).round() as usize,
        }
    }

    fn frames_of(&self, joint: usize) -> Vec<Rigid> {
        (self.first..=self.first + self.clip.num_intervals())
            .map(|index| Rigid::new(self.world.rotation(index, joint), self.world.position(index, joint)))
            .collect()
    }

    fn on_the_ground(&self, cycles: u32, settings: &RootSettings) -> Result<Told, RootError> {
        let (clip, body) = (self.clip, &self.analysis.body);
        let heading = Heading::of(&self.world, body, clip.source_step_secs());
        let poses = self.poses();
        let motion = poses.held(fit_ground_motion(&poses.pairs));
        let cycle = Cycle {
            heading: &heading,
            first: self.first,
            num_intervals: clip.num_intervals(),
            period_secs: clip.period_secs(),
            motion,
            cycles,
        };
        let mut travel = cycle.travel();
        if settings.mode == RootMode::Rabbit {
            straight_enough(&travel, clip, settings)?;
            travel = cycle.straight_travel();
        }
        if travel.twist.linear.y != 0.0 {
            travel.start.translation.y = self.height_on_climb(travel.twist.linear.y);
        }
        let fit = TravelFit {
            residual_metres: residual(&poses.pairs, motion),
            arc_metres: travel.twist.linear.length() * clip.period_secs(),
            // The way over the ground knows nothing of the climb.
            path_metres: ops::hypot(cycle.path_metres(), travel.twist.linear.y * clip.period_secs()),
        };
        let frames = (self.first..=self.first + clip.num_intervals())
            .map(|index| heading.world_from_heading(index))
            .collect();
        Ok((travel, fit, frames))
    }

    fn in_full_space(&self, settings: &RootSettings) -> Result<Told, RootError> {
        let poses = self.poses();
        let pairs = self.levered(&poses.pairs);
        let frames = self.frames_of(self.analysis.body.hips);
        let cycle = FullCycle {
            frames: &frames,
            period_secs: self.clip.period_secs(),
            motion: poses.held(fit_motion(&pairs)),
        };
        let mut travel = cycle.travel();
        if settings.mode == RootMode::Rabbit {
            straight_enough(&travel, self.clip, settings)?;
            travel = cycle.straight_travel();
        }
        let fit = TravelFit {
            residual_metres: residual(&pairs, cycle.motion),
            arc_metres: travel.twist.linear.length() * self.clip.period_secs(),
            path_metres: cycle.path_metres(),
        };
        Ok((travel, fit, frames))
    }

    /// On a climb the root stands where the lowest joint does; on the level, on the take's own ground.
    fn height_on_climb(&self, climb_mps: f64) -> f64 {
        let climb = climb_mps * self.clip.step_secs();
        foot_of_climb(&self.world, self.first, self.clip.num_intervals(), climb)
    }

    fn poses(&self) -> Poses {
        Poses::around(
            self.clip.skeleton(),
            &self.world,
            &self.analysis.body,
            &self.analysis.joints,
            self.first,
            self.clip.num_intervals(),
            self.reach,
        )
    }

    /// The points of the windows, and six about every joint that has a say in the turn.
    fn levered(&self, origins: &[PointPair]) -> Vec<PointPair> {
        let num_joints = self.world.num_joints();
        let num_intervals = self.clip.num_intervals();
        let reach = (origins.len() / num_joints.max(1) - 1) / 2;
        let mut pairs = Vec::with_capacity(7 * origins.len());
        for (index, origin) in origins.iter().enumerate() {
            pairs.push(*origin);
            if origin.weight < TRUNK_WEIGHT {
                continue;
            }
            let (frame, joint) = (self.first - reach + index / num_joints, index % num_joints);
            let [start, end] = [frame, frame + num_intervals].map(|frame| self.world.rotation(frame, joint));
            for axis in [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * LEVER_METRES) {
                for lever in [axis, -axis] {
                    pairs.push(PointPair {
                        start: origin.start + start * lever,
                        end: origin.end + end * lever,
                        weight: origin.weight,
                    });
                }
            }
        }
        pairs
    }
}

/// Height at the start of the slope of `climb` metres per sample on which the lowest joints stand.
pub(super) fn foot_of_climb(world: &WorldTracks, first: usize, num_intervals: usize, climb: f64) -> f64 {
    let lowest = |sample: usize| {
        let heights = world.positions(first + sample).iter().map(|place| place.y);
        heights.fold(f64::INFINITY, f64::min)
    };
    (0..=num_intervals)
        .map(|sample| lowest(sample) - climb * sample as f64)
        .fold(f64::INFINITY, f64::min)
}

/// Refuses turns that a straight root would hide.
fn straight_enough(travel: &CycleTravel, clip: &Clip, settings: &RootSettings) -> Result<(), RootError> {
    let found = travel.twist.angular.length() * clip.period_secs();
    if found > MAX_RABBIT_TURN && !settings.force_straight {
        return Err(RootError::Turns { found });
    }
    Ok(())
}

/// Weighted root mean square distance of the end points from the start points moved there, metres.
fn residual(pairs: &[PointPair], motion: Rigid) -> f64 {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    let sum: f64 = pairs
        .iter()
        .map(|pair| pair.weight * (motion.transform_point(pair.start) - pair.end).length_squared())
        .sum();
    if total > 0.0 { (sum / total).sqrt() } else { 0.0 }
}

/// A root joint faces as the body does, give or take, when its facing strays from the body's by less than this, radians.
const FACES_ALONG: f64 = 0.5;

/// The same travel of the world, carried by a root that stands where the rig's own root joint does.
///
/// `own` are the joint's frames over the period, `body` those of the body. On the ground the root takes the joint's mean
/// place, and its facing where that goes along with the body's; in full space its whole mean frame.
fn taken_over(travel: &CycleTravel, own: &[Rigid], body: &[Rigid], period_secs: f64, space: RootSpace) -> CycleTravel {
    let CycleTravel { start, twist } = *travel;
    let world = seen_from(twist, start.inverse());
    let mean = mean_start(own, period_secs, world);
    let start_now = match space {
        RootSpace::Full => mean,
        RootSpace::Ground => {
            let facing = |frame: &Rigid| rotation::yaw_of(frame.rotation);
            let mut off = own.iter().zip(body).map(|(own, body)| facing(own) - facing(body));
            let first = off.next().unwrap_or(0.0);
            let faces_along = off.all(|off| rotation::wrap_angle(off - first).abs() < FACES_ALONG);
            let yaw = facing(if faces_along { &mean } else { &start });
            Rigid::from_yaw(yaw, mean.translation)
        }
    };
    CycleTravel {
        start: start_now,
        twist: seen_from(twist, start.inverse() * start_now),
    }
}

/// The twist of a rigidly attached frame, which stands at `frame` seen from the one that has the twist.
fn seen_from(twist: Twist, frame: Rigid) -> Twist {
    let back = frame.rotation.conjugate();
    Twist {
        linear: back * (twist.linear + twist.angular.cross(frame.translation)),
        angular: back * twist.angular,
    }
}

/// The motion that lays the poses around `first` onto those `num_intervals` later; `reach` samples last [`WINDOW_SECS`].
pub(crate) fn fit_window(
    skeleton: &Skeleton,
    world: &WorldTracks,
    body: &Body,
    joints: &[WeightedJoint],
    first: usize,
    num_intervals: usize,
    reach: usize,
) -> Rigid {
    let poses = Poses::around(skeleton, world, body, joints, first, num_intervals, reach);
    poses.held(fit_ground_motion(&poses.pairs))
}

/// How much each joint counts where a motion is fitted to poses.
pub(super) fn fit_weights(skeleton: &Skeleton, body: &Body, joints: &[WeightedJoint]) -> Vec<f64> {
    let mut weights = vec![LIMB_WEIGHT; skeleton.num_joints()];
    // A root that stays behind while the hips travel is no part of the body.
    for &joint in skeleton.path_from_root(body.hips).iter().rev().skip(1) {
        weights[joint] = 0.0;
    }
    for joint in [Some([body.hips; 2]), body.thighs, body.shoulders]
        .into_iter()
        .flatten()
        .flatten()
    {
        weights[joint] = TRUNK_WEIGHT;
    }
    for weighted in joints {
        weights[weighted.joint] = weights[weighted.joint].max(weighted.weight);
    }
    weights
}

/// The poses about both ends of a stretch.
struct Poses {
    /// Joints of the poses around the start and of those around the end, frame-major.
    pairs: Vec<PointPair>,
    /// Which of them are feet that stand at both ends.
    planted: Vec<usize>,
}

impl Poses {
    fn around(
        skeleton: &Skeleton,
        world: &WorldTracks,
        body: &Body,
        joints: &[WeightedJoint],
        first: usize,
        num_intervals: usize,
        reach: usize,
    ) -> Self {
        let last = first + num_intervals;
        let step_secs = WINDOW_SECS / reach.max(1) as f64;
        let reach = reach.min(first).min(world.num_frames() - 1 - last);
        let feet: Vec<Standing> = body
            .feet
            .iter()
            .flat_map(|foot| [Some(foot.ankle), foot.toe])
            .flatten()
            .map(|joint| Standing::of(world, joint, first..=last, step_secs))
            .collect();
        let weights = fit_weights(skeleton, body, joints);
        let (mut pairs, mut planted) = (Vec::new(), Vec::new());
        for frame in first - reach..=first + reach {
            let stand = feet
                .iter()
                .filter(|foot| foot.at(world, frame) && foot.at(world, frame + num_intervals));
            planted.extend(stand.map(|foot| pairs.len() + foot.joint));
            for (joint, &weight) in weights.iter().enumerate() {
                pairs.push(PointPair {
                    start: world.position(frame, joint),
                    end: world.position(frame + num_intervals, joint),
                    weight,
                });
            }
        }
        Self { pairs, planted }
    }

    /// The motion with the turn that the whole body tells, moved so that feet that stand are held.
    fn held(&self, motion: Rigid) -> Rigid {
        let off = |pair: &PointPair| (pair.end - motion.transform_point(pair.start)) * pair.weight;
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for pair in &self.pairs {
            sum += off(pair);
            total += pair.weight;
        }
        for &index in &self.planted {
            let more = PLANTED_FACTOR - 1.0;
            sum += off(&self.pairs[index]) * more;
            total += self.pairs[index].weight * more;
        }
        if total > 0.0 {
            Rigid::new(motion.rotation, motion.translation + sum / total)
        } else {
            motion
        }
    }
}

/// When a joint of a foot stands.
struct Standing {
    joint: usize,
    lowest: f64,
    step_secs: f64,
}

impl Standing {
    fn of(world: &WorldTracks, joint: usize, frames: core::ops::RangeInclusive<usize>, step_secs: f64) -> Self {
        let heights = frames.map(|frame| world.position(frame, joint).y);
        Self {
            joint,
            lowest: heights.fold(f64::INFINITY, f64::min),
            step_secs,
        }
    }

    fn at(&self, world: &WorldTracks, frame: usize) -> bool {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(world.num_frames() - 1));
        let moved = world.position(after, self.joint) - world.position(before, self.joint);
        let secs = (after - before) as f64 * self.step_secs;
        world.position(frame, self.joint).y - self.lowest < STANCE_METRES
            && ops::hypot(moved.x, moved.z) < STANCE_SPEED * secs
    }
}
