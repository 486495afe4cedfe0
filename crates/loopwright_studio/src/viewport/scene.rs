//! What is in the world at the time shown: points of the body and of its ghost, the root, its path, feet that stand.

use glam::DVec3;
use loopwright::{
    LoopClip, Pose, analysis::Body, loop_clip::Interpolation, math::Rigid, root_motion::RootRelativeClip,
};

use super::figure::Figure;
use crate::model::{Made, Model, Opened, RootView, Shown};

/// Points of the path of the root over one cycle.
const PATH_POINTS: usize = 48;

/// The world at one time.
#[derive(Debug)]
pub(super) struct Scene {
    /// Points of the body.
    pub(super) points: Vec<DVec3>,
    /// Points of the uncut stretch, where it is shown too.
    pub(super) ghost: Option<Vec<DVec3>>,
    /// Height of the ground, metres.
    pub(super) floor: f64,
    /// What the view goes along with, on the ground.
    pub(super) centre: DVec3,
    /// The path of the root over one cycle, or of the hips over the take, on the ground.
    pub(super) path: Vec<DVec3>,
    /// Feet that stand, on the ground.
    pub(super) standing: Vec<DVec3>,
}

impl Scene {
    /// What is shown of a take at the time of the model.
    pub(super) fn at_time_of(model: &Model, shown: Shown, opened: &Opened, figure: &Figure) -> Self {
        match (shown, model.made()) {
            (Shown::Blend, _) => match model.set().mixed() {
                Some(mixed) if mixed.skeleton().num_joints() == opened.take().num_joints() => {
                    Self::of_blend(model, mixed, figure)
                }
                _ => Self::of_take(model, opened, figure),
            },
            (Shown::Take, _) | (_, None) => Self::of_take(model, opened, figure),
            (shown, Some(made)) => Self::of_loop(model, opened, made, shown, figure),
        }
    }

    fn of_take(model: &Model, opened: &Opened, figure: &Figure) -> Self {
        let (take, analysis) = (opened.take(), &opened.analysis);
        let last = take.num_frames() - 1;
        let frame = (model.playback.secs_in(model.span_secs()) / take.frame_time_secs()).clamp(0.0, last as f64);
        let pose = take.sample(frame);
        let points = figure.points(&pose, take.skeleton(), Rigid::IDENTITY);
        let nearest = frame.round() as usize;
        let floor = analysis.floor.height(nearest);
        let hips = analysis.body.hips;
        let on_ground = |point: DVec3| DVec3::new(point.x, floor, point.z);
        let path = (0..=PATH_POINTS)
            .map(|point| on_ground(analysis.world.position(point * last / PATH_POINTS, hips)))
            .collect();
        Self {
            ghost: None,
            floor,
            centre: on_ground(points[hips]),
            path,
            standing: standing(opened, nearest, &points, floor),
            points,
        }
    }

    fn of_blend(model: &Model, clip: &LoopClip, figure: &Figure) -> Self {
        let (period_secs, secs) = (clip.period_secs(), model.playback.secs);
        let within = model.playback.secs_in(period_secs);
        let root_secs = match model.root_view {
            RootView::World => within,
            RootView::Accumulate => secs,
            RootView::InPlace => 0.0,
        };
        let pose = clip.body_pose_at(within, Interpolation::Cubic);
        let points = figure.points(&pose, clip.skeleton(), clip.root_pose_at(root_secs));
        let root = clip.root();
        let floor = root.at(root_secs).translation.y;
        let on_ground = |point: DVec3| DVec3::new(point.x, floor, point.z);
        let path = (0..=PATH_POINTS)
            .map(|point| secs - within + period_secs * point as f64 / PATH_POINTS as f64)
            .map(|secs| on_ground(root.at(secs).translation))
            .collect();
        Self {
            ghost: None,
            floor,
            centre: on_ground(root.at(root_secs).translation),
            path,
            standing: Vec::new(),
            points,
        }
    }

    fn of_loop(model: &Model, opened: &Opened, made: &Made, shown: Shown, figure: &Figure) -> Self {
        let (clip, source) = (&made.made.loop_clip, &made.made.source);
        let (period_secs, secs) = (made.period_secs(), model.playback.secs);
        let within = model.playback.secs_in(period_secs);
        let root_secs = match model.root_view {
            RootView::World => within,
            RootView::Accumulate => secs,
            RootView::InPlace => 0.0,
        };
        let skeleton = clip.skeleton();
        let uncut = || {
            let root = source.root.at(root_secs);
            figure.points(&uncut_pose(source, within), source.clip.skeleton(), root)
        };
        let points = match shown {
            Shown::Uncut => uncut(),
            _ => figure.points(
                &clip.body_pose_at(within, Interpolation::Cubic),
                skeleton,
                clip.root_pose_at(root_secs),
            ),
        };
        let cut = &made.candidate.cut;
        let start_frame = cut.start_frame().round() as usize;
        // The ground of a loop that climbs goes along with its root.
        let root = clip.root();
        let floor = match made.made.recentered_by {
            Some(moved) => {
                moved
                    .transform_point(DVec3::Y * opened.analysis.floor.height(start_frame))
                    .y
            }
            None => opened.analysis.floor.height(start_frame),
        } + root.at(root_secs).translation.y
            - root.start.translation.y;
        let on_ground = |point: DVec3| DVec3::new(point.x, floor, point.z);
        let first = if model.root_view == RootView::Accumulate {
            secs - within
        } else {
            0.0
        };
        let path = (0..=PATH_POINTS)
            .map(|point| {
                root.at(first + period_secs * point as f64 / PATH_POINTS as f64)
                    .translation
            })
            .map(on_ground)
            .collect();
        let source_frame = cut.start_frame() + within / period_secs * cut.num_frames();
        let nearest = (source_frame.round() as usize).min(opened.take().num_frames() - 1);
        Self {
            ghost: (model.has_ghost && shown == Shown::Loop).then(uncut),
            floor,
            centre: on_ground(root.at(root_secs).translation),
            path,
            standing: standing(opened, nearest, &points, floor),
            points,
        }
    }
}

/// The pose of the uncut stretch at a time within it, relative to the root.
fn uncut_pose(source: &RootRelativeClip, secs: f64) -> Pose {
    let clip = &source.clip;
    let last = clip.num_intervals() as f64;
    let position = (secs / clip.step_secs()).clamp(0.0, last);
    let before = position.floor();
    let u = position - before;
    let pose = clip.pose(before as isize);
    if u == 0.0 {
        return pose.to_pose();
    }
    let after = clip.pose(before as isize + 1);
    let joints = 0..pose.num_joints();
    Pose {
        translations: (joints.clone())
            .map(|joint| pose.translations[joint].lerp(after.translations[joint], u))
            .collect(),
        rotations: joints
            .map(|joint| pose.rotations[joint].slerp(after.rotations[joint], u))
            .collect(),
    }
}

/// The places on the ground of feet that stand at a frame of the take.
fn standing(opened: &Opened, frame: usize, points: &[DVec3], floor: f64) -> Vec<DVec3> {
    let (contacts, body): (_, &Body) = (&opened.analysis.contacts, &opened.analysis.body);
    let feet = body.feet.iter().take(contacts.num_feet()).enumerate();
    feet.filter(|&(foot, _)| contacts.is_planted(foot, frame))
        .map(|(_, foot)| points[foot.lowest_joint()])
        .map(|point| DVec3::new(point.x, floor, point.z))
        .collect()
}
