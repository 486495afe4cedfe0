//! Converts a clip in the world to a clip relative to its root.

use super::{
    MAX_LINEAR_TURN, RootError, RootMode, RootSettings, RootSpace,
    cycle::{BodyPath, Cycle, GroundPath, mean_start},
    poses::{EndPoses, WINDOW_SECS},
    root_joint,
};
use crate::{
    analysis::{Analysis, Heading},
    loop_clip::LoopClip,
    math::{Rigid, TimeStep, ops, rotation, smallest},
    motion::{RootMotion, Skeleton, WorldTracks},
    take::Clip,
};

/// A clip whose carrier is relative to the root, and the motion of that root.
#[handed_over]
pub struct RootRelativeClip {
    /// The clip, context included, with the carrier relative to the root: its track nearly repeats.
    pub clip: Clip,
    /// How the root moves.
    pub root: RootMotion,
    /// The joint whose track holds the root motion: the one that had it in the take, or the rig's root joint.
    pub carrier: usize,
    /// The joint that carries only the root motion, if the rig has one: see `root_joint`.
    pub root_joint: Option<usize>,
    /// How well one screw fits the root motion; `None` if the root motion was given.
    pub fit: Option<RootMotionFit>,
    /// The root as its own joint carried it in the take, relative to `root`, for every sample of `clip`: for
    /// [`RootMode::Inertialized`], and empty if the hips show it.
    pub captured: Vec<Rigid>,
}

/// How well one screw fits the root motion of a period.
#[handed_over(Copy)]
pub struct RootMotionFit {
    /// Weighted root mean square distance between the poses at the end and the moved poses at the start, metres.
    pub residual_metres: f64,
    /// Length of the screw's arc over the period, metres.
    pub arc_metres: f64,
    /// Length of the recorded path, without sway, metres; close to zero for a body that spins on a straight path.
    pub path_metres: f64,
}

impl Analysis {
    /// Removes the root motion from a clip of this take.
    ///
    /// The root starts in the heading frame averaged over the cycle and moves by the constant twist that best maps the window of
    /// poses at the start to the one at the end. `cycles` is the number of fundamental periods in the clip. Errors: settings that
    /// cannot be used, or a straight root for a stretch that turns. Source: docs/math/root.md.
    pub fn extract_root_motion(
        &self,
        clip: &Clip,
        cycles: u32,
        settings: &RootSettings,
    ) -> Result<RootRelativeClip, RootError> {
        extract_root_motion(self, clip, cycles, settings, None)
    }
}

/// As [`Analysis::extract_root_motion`], with the motion of the world from start to end if known.
pub(crate) fn extract_root_motion(
    analysis: &Analysis,
    clip: &Clip,
    cycles: u32,
    settings: &RootSettings,
    known: Option<Rigid>,
) -> Result<RootRelativeClip, RootError> {
    settings.check()?;
    let carrier = analysis.carrier();
    if settings.mode == RootMode::Stationary {
        return Ok(RootRelativeClip::relative_to(clip, RootMotion::NONE, carrier));
    }
    let stretch = Stretch::new(clip, analysis);
    let root_joint = if settings.mode == RootMode::Keep {
        None
    } else {
        analysis.root_joint()
    };
    let traveller =
        root_joint.filter(|joint| settings.mode == RootMode::Inertialized && !is_still(&stretch.frames_of(*joint)));
    let Fitted { mut root, fit, frames } = match settings.space {
        RootSpace::Ground => stretch.on_the_ground(cycles, settings, known, traveller)?,
        RootSpace::Full => stretch.in_full_space(settings)?,
    };
    let rests = known == Some(Rigid::IDENTITY) && settings.space == RootSpace::Ground;
    if let Some(joint) =
        root_joint.filter(|&joint| joint == carrier || (rests && stretch.rests_near(joint, root.start)))
    {
        root = moved_to_root_joint(
            &root,
            &stretch.frames_of(joint),
            &frames,
            clip.period_secs(),
            settings.space,
        );
    }
    Ok(RootRelativeClip {
        captured: traveller.map_or_else(Vec::new, |joint| stretch.seen_from(root, joint)),
        fit: Some(fit),
        ..RootRelativeClip::rooted(clip, root, analysis, root_joint, settings.space)
    })
}

impl RootRelativeClip {
    /// Returns a loop as a stretch of itself, with a cycle of context on either side.
    pub(crate) fn of_loop(clip: &LoopClip) -> Self {
        let count = clip.num_samples();
        let poses = (0..=3 * count).map(|sample| clip.body_pose(sample % count));
        Self {
            clip: Clip::from_samples(clip.tracks().with_poses(poses), count, count),
            root: *clip.root(),
            carrier: clip.carrier(),
            root_joint: None,
            fit: None,
            captured: Vec::new(),
        }
    }

    /// Returns the clip relative to a root that a joint of the rig carries, upright over the ground, or without one the body.
    pub(super) fn rooted(
        clip: &Clip,
        root: RootMotion,
        analysis: &Analysis,
        root_joint: Option<usize>,
        space: RootSpace,
    ) -> Self {
        let Some(joint) = root_joint else {
            return Self::relative_to(clip, root, analysis.carrier());
        };
        let root_from_joint = match space {
            RootSpace::Ground => root_joint::tilt(clip.skeleton(), clip.pose(0), joint),
            RootSpace::Full => Rigid::IDENTITY,
        };
        Self::under_root_joint(clip, root, joint, analysis, &[root_from_joint])
    }

    /// Returns the clip relative to a root whose motion is known.
    ///
    /// `carrier` is the joint whose track holds the root motion; it must be a joint of the clip.
    pub fn relative_to(clip: &Clip, root: RootMotion, carrier: usize) -> Self {
        Self {
            clip: clip.seen_from_root(carrier, |sample| root.at(sample as f64 * clip.step_secs())),
            root,
            carrier,
            root_joint: None,
            fit: None,
            captured: Vec::new(),
        }
    }

    /// Returns the clip on the joints of a skeleton, in its order, as [`Skeleton::joints_in`] finds them; `None` if the clip lacks
    /// one of them.
    pub fn on(self, skeleton: &Skeleton) -> Option<Self> {
        let joints = skeleton.joints_in(self.clip.skeleton()).ok()?;
        let place = |own: usize| joints.iter().position(|&joint| joint == own);
        Some(Self {
            carrier: place(self.carrier)?,
            root_joint: self.root_joint.and_then(place),
            clip: self.clip.map_poses(skeleton, |_, pose| pose.of(&joints)),
            ..self
        })
    }

    /// Returns other samples of the same motion from the same start, relative to the same root; `analysis` is that of the take.
    pub(crate) fn of_other_samples(&self, clip: &Clip, analysis: &Analysis) -> Self {
        match self.root_joint {
            Some(joint) => Self::under_root_joint(
                clip,
                self.root,
                joint,
                analysis,
                &[self.clip.pose(0).world_of(self.clip.skeleton(), joint)],
            ),
            None => Self::relative_to(clip, self.root, self.carrier),
        }
    }

    /// Returns the samples with the carrier moved as `motion` moves the world.
    pub(crate) fn carried(self, motion: Rigid) -> Self {
        let (clip, carrier) = (&self.clip, self.carrier);
        let moved = clip.with_joint_track(carrier, |sample| {
            clip.pose(sample).carried(clip.skeleton(), carrier, motion)
        });
        Self { clip: moved, ..self }
    }

    /// Returns the clip relative to a root whose motion is known and that a joint of the rig carries.
    ///
    /// `root_from_joint` holds the transforms of that joint relative to the root's constant twist, one for each sample of a period
    /// or one for all; `analysis` is that of the take.
    pub fn under_root_joint(
        clip: &Clip,
        root: RootMotion,
        joint: usize,
        analysis: &Analysis,
        root_from_joint: &[Rigid],
    ) -> Self {
        Self {
            clip: root_joint::with_root_joint_at(clip, Some(root), joint, analysis, root_from_joint),
            root,
            carrier: joint,
            root_joint: Some(joint),
            fit: None,
            captured: Vec::new(),
        }
    }
}

/// A clip to whose poses the root motion is fitted.
pub(super) struct Stretch<'a> {
    clip: &'a Clip,
    analysis: &'a Analysis,
    world: WorldTracks,
    /// Index of sample 0 in `world`.
    first: usize,
}

/// The root motion, how well it fits, and the frames of the body at every sample from start to end.
struct Fitted {
    root: RootMotion,
    fit: RootMotionFit,
    frames: Vec<Rigid>,
}

impl<'a> Stretch<'a> {
    pub(super) fn new(clip: &'a Clip, analysis: &'a Analysis) -> Self {
        Self {
            clip,
            analysis,
            world: clip.world_tracks(),
            first: clip.sample_range().start().unsigned_abs(),
        }
    }

    fn frames_of(&self, joint: usize) -> Vec<Rigid> {
        (self.first..=self.first + self.clip.num_intervals())
            .map(|index| self.world.joint(index, joint))
            .collect()
    }

    /// Whether a joint is still, nearer to a place on the ground than the height of the hips: a clip authored in place stays
    /// around its root joint, and not always over it, as for animals.
    fn rests_near(&self, joint: usize, place: Rigid) -> bool {
        let own = self.frames_of(joint);
        let hips = self.world.position(self.first, self.analysis.body.hips);
        is_still(&own) && ops::over_ground(place.translation - own[0].translation) < hips.y - own[0].translation.y
    }

    /// Returns a joint over the ground at every sample of the clip, relative to the root.
    fn seen_from(&self, root: RootMotion, joint: usize) -> Vec<Rigid> {
        let range = self.clip.sample_range();
        range
            .clone()
            .map(|sample| {
                let frame = root.at(sample as f64 * self.clip.step_secs()).inverse()
                    * self.world.joint((sample - range.start()) as usize, joint);
                Rigid::from_yaw(rotation::yaw_of(frame.rotation), frame.translation.with_y(0.0))
            })
            .collect()
    }

    /// Returns the motion of a joint over the ground from start to end.
    fn travel_of(&self, joint: usize) -> Rigid {
        let own = self.frames_of(joint);
        let (from, to) = (own[0], own[own.len() - 1]);
        let yaw = rotation::yaw_of(to.rotation * from.rotation.conjugate());
        Rigid::from_yaw(
            yaw,
            (to.translation - rotation::from_yaw(yaw) * from.translation).with_y(0.0),
        )
    }

    /// Finds the root motion over the ground; `traveller` is a joint whose travel is the root's.
    fn on_the_ground(
        &self,
        cycles: u32,
        settings: &RootSettings,
        known: Option<Rigid>,
        traveller: Option<usize>,
    ) -> Result<Fitted, RootError> {
        let (clip, first, num_intervals) = (self.clip, self.first, self.clip.num_intervals());
        let heading = self.heading();
        let aligned = self.end_poses().aligned_on_ground();
        let cycle = Cycle {
            path: BodyPath::Ground(GroundPath {
                heading: &heading,
                first,
                num_intervals,
                cycles,
            }),
            period_secs: clip.period_secs(),
            motion: known.unwrap_or_else(|| match traveller.map(|joint| self.travel_of(joint)) {
                Some(travel) => Rigid {
                    translation: travel.translation.with_y(aligned.motion.translation.y),
                    ..travel
                },
                None => aligned.motion,
            }),
        };
        let mut root = match known {
            // The root at rest does not turn either, however often the body spins.
            Some(known) if known == Rigid::IDENTITY => cycle.root_at_rest(),
            _ => root_motion(&cycle, settings)?,
        };
        self.put_on_climb(&mut root);
        Ok(Fitted {
            root,
            fit: RootMotionFit {
                residual_metres: aligned.residual_metres,
                arc_metres: root.twist.linear.length() * clip.period_secs(),
                // The path over the ground does not include the climb.
                path_metres: ops::hypot(cycle.path_metres(), root.twist.linear.y * clip.period_secs()),
            },
            frames: (first..=first + num_intervals)
                .map(|index| heading.world_from_heading(index))
                .collect(),
        })
    }

    fn in_full_space(&self, settings: &RootSettings) -> Result<Fitted, RootError> {
        let aligned = self.end_poses().aligned_in_space();
        let frames = self.frames_of(self.analysis.body.hips);
        let cycle = Cycle {
            path: BodyPath::Space(&frames),
            period_secs: self.clip.period_secs(),
            motion: aligned.motion,
        };
        let root = root_motion(&cycle, settings)?;
        Ok(Fitted {
            root,
            fit: RootMotionFit {
                residual_metres: aligned.residual_metres,
                arc_metres: root.twist.linear.length() * self.clip.period_secs(),
                path_metres: cycle.path_metres(),
            },
            frames,
        })
    }

    /// Returns its heading over level ground.
    pub(super) fn heading(&self) -> Heading {
        Heading::level(&self.world, &self.analysis.body)
    }

    /// Puts the start of a root that climbs at the height of the lowest joints, which stand on its slope; on the level, the root is on the
    /// take's own ground.
    pub(super) fn put_on_climb(&self, root: &mut RootMotion) {
        if root.twist.linear.y != 0.0 {
            let climb = root.twist.linear.y * self.clip.step_secs();
            let feet = (0..=self.clip.num_intervals()).map(|sample| {
                let heights = self
                    .world
                    .positions(self.first + sample)
                    .iter()
                    .map(|position| position.y);
                smallest(heights) - climb * sample as f64
            });
            root.start.translation.y = smallest(feet);
        }
    }

    pub(super) fn end_poses(&self) -> EndPoses<'_> {
        EndPoses {
            analysis: self.analysis,
            world: &self.world,
            first: self.first,
            num_intervals: self.clip.num_intervals(),
            reach: TimeStep::new(self.clip.step_secs()).nearest(WINDOW_SECS),
        }
    }
}

/// Returns the root motion of a period in the given mode. Errors: a straight root for a period that turns.
fn root_motion(cycle: &Cycle, settings: &RootSettings) -> Result<RootMotion, RootError> {
    let root = cycle.root_motion();
    if settings.mode != RootMode::Linear {
        return Ok(root);
    }
    let found = root.twist.angular.length() * cycle.period_secs;
    if found > MAX_LINEAR_TURN && !settings.force_straight {
        return Err(RootError::Turns { found });
    }
    Ok(cycle.straight_root_motion())
}

/// A joint that moves and rotates by less than this over a period is still.
const STILL_METRES: f64 = 1e-4;
const STILL_RADIANS: f64 = 1e-3;

/// Whether a joint keeps the position of the first of its frames.
fn is_still(frames: &[Rigid]) -> bool {
    let first = frames[0];
    frames.iter().all(|frame| {
        frame.translation.distance(first.translation) < STILL_METRES
            && rotation::difference(frame.rotation, first.rotation).length() < STILL_RADIANS
    })
}

/// A root joint faces along the body when its facing differs from the body's by less than this, radians.
const FACES_ALONG: f64 = 0.5;

/// Returns the same motion of the world, carried by a root at the rig's own root joint.
///
/// `own` are the joint's frames over the period, `body` those of the body. On the ground the root takes the joint's mean
/// position, and its facing if that follows the body's; in full space its whole mean frame.
fn moved_to_root_joint(
    root: &RootMotion,
    own: &[Rigid],
    body: &[Rigid],
    period_secs: f64,
    space: RootSpace,
) -> RootMotion {
    let RootMotion { start, twist } = *root;
    let world = twist.seen_from(start.inverse());
    let mean = mean_start(own, period_secs, |secs| world.exp(secs));
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
    RootMotion::new(start_now, twist.seen_from(start.inverse() * start_now))
}
