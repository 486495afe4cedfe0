//! The world at a moment: the joints of the body, the ground below it, the path of the root, standing feet.

use glam::DVec3;
use loopwright_core::{Pose, loop_clip::Interpolation, root_motion::RootRelativeClip};

use crate::model::{Made, Model, Opened, RootView, Shown, Steered};

/// Points of the path of the root over one cycle.
const PATH_POINTS: usize = 48;

/// Points of the path over the whole take, a second, and most of them: with fewer, its curves would have corners.
const TAKE_PATH_HZ: f64 = 12.0;
const MAX_TAKE_PATH_POINTS: f64 = 1200.0;

/// Times of the poses around the seam that are shown at once, seconds from it: near enough for comparison, far enough apart to be
/// distinguished.
const AROUND_SEAM_SECS: [f64; 4] = [-0.1, -0.05, 0.05, 0.1];

/// The shown motion, and a time in it.
#[derive(Clone, Copy, PartialEq)]
pub struct Moment {
    shown: Shown,
    /// Seconds in the take or in the cycle.
    within_secs: f64,
    /// Seconds for which the root has moved, over any number of cycles.
    pub root_secs: f64,
}

impl Moment {
    /// Number of poses around the seam.
    pub const AROUND_SEAM: usize = AROUND_SEAM_SECS.len();

    pub fn now(model: &Model, shown: Shown, made: Option<&Made>) -> Self {
        if let (Shown::Set, Some(steered)) = (shown, model.steered_here()) {
            let secs = steered.hero.secs();
            return Self {
                shown,
                within_secs: secs,
                root_secs: secs,
            };
        }
        let span_secs = match (shown, made) {
            (Shown::Loop | Shown::Uncut, Some(made)) => made.period_secs(),
            _ => model.span_of(shown),
        };
        let within_secs = model.playback.secs_in(span_secs);
        Self {
            shown,
            within_secs,
            root_secs: match model.root_view {
                RootView::World => within_secs,
                RootView::Accumulate => model.playback.secs,
                RootView::InPlace => 0.0,
            },
        }
    }

    /// Returns moments just before and just after the nearest seam, with their times from it; none in a take or a blend.
    pub fn around_seam(model: &Model, shown: Shown) -> Vec<(Self, f64)> {
        let span_secs = model.span_of(shown);
        if !matches!(shown, Shown::Loop | Shown::Uncut) || span_secs <= 0.0 {
            return Vec::new();
        }
        AROUND_SEAM_SECS
            .map(|from_seam| {
                let moment = Self {
                    shown,
                    within_secs: from_seam.rem_euclid(span_secs),
                    root_secs: model.root_secs(from_seam, span_secs),
                };
                (moment, from_seam)
            })
            .to_vec()
    }

    /// Returns the same moment of the uncut stretch.
    pub fn uncut(self) -> Self {
        Self {
            shown: Shown::Uncut,
            ..self
        }
    }
}

/// The world at one moment.
pub struct Scene {
    /// All joints in the world.
    pub world: Pose,
    /// Height of the ground, metres.
    pub floor: f64,
    /// The point on the ground that the view follows.
    pub centre: DVec3,
    /// The path of the root over one cycle, or of the hips over the take, on the ground.
    pub path: Vec<DVec3>,
    /// Standing feet, on the ground.
    pub standing: Vec<DVec3>,
}

impl Scene {
    /// Returns the world at a moment.
    pub fn at(moment: Moment, model: &Model, made: Option<&Made>, opened: &Opened) -> Self {
        match (moment.shown, made) {
            (Shown::Set, _) => match model.steered_here() {
                Some(steered) => Self::of_set(steered),
                None => Self::of_take(moment, opened),
            },
            (Shown::Take, _) | (_, None) => Self::of_take(moment, opened),
            (_, Some(made)) => Self::of_loop(moment, model, opened, made),
        }
    }

    fn of_take(moment: Moment, opened: &Opened) -> Self {
        let take = opened.take();
        let analysis = &opened.studied.analysis;
        let last = take.num_frames() - 1;
        let frame = (moment.within_secs / take.frame_time_secs()).clamp(0.0, last as f64);
        let world = opened.pose_at(frame).as_ref().world(opened.skeleton());
        let nearest = frame.round() as usize;
        let floor = opened.ground(nearest);
        let hips = analysis.body.hips;
        let num_points = (TAKE_PATH_HZ * take.duration_secs()).min(MAX_TAKE_PATH_POINTS) as usize;
        let num_points = num_points.max(PATH_POINTS);
        Self {
            floor,
            centre: world.translations[opened.body().hips].with_y(floor),
            path: (0..=num_points)
                .map(|point| analysis.world.position(point * last / num_points, hips))
                .map(|place| (opened.scale() * place).with_y(floor))
                .collect(),
            standing: standing(opened, nearest, &world.translations, floor),
            world,
        }
    }

    /// Returns the world of a set: its character, and its path so far.
    fn of_set(steered: &Steered) -> Self {
        let hero = &steered.hero;
        let skeleton = hero.set().skeleton();
        let root = hero.root();
        let world = hero.pose().as_ref().world(skeleton).moved(root);
        Self {
            floor: 0.0,
            centre: root.translation.with_y(0.0),
            path: steered
                .places
                .iter()
                .copied()
                .chain([root.translation])
                .map(|place| place.with_y(0.0))
                .collect(),
            standing: Vec::new(),
            world,
        }
    }

    fn of_loop(moment: Moment, model: &Model, opened: &Opened, made: &Made) -> Self {
        let clip = made.clip();
        let source = &made.done.made.source;
        let period_secs = made.period_secs();
        let Moment {
            shown,
            within_secs,
            root_secs,
        } = moment;
        let world = match shown {
            Shown::Uncut => uncut_pose(source, within_secs)
                .as_ref()
                .world(source.clip.skeleton())
                .moved(source.root.at(root_secs)),
            _ => clip
                .body_pose_at(within_secs, Interpolation::Cubic)
                .as_ref()
                .world(clip.skeleton())
                .moved(clip.root_pose_at(root_secs)),
        };
        let cut = &made.candidate.cut;
        let start_frame = cut.start_frame().round() as usize;
        // The ground of a climbing loop moves with its root.
        let root = clip.root();
        let ground = match opened.studied.character {
            // Heights of loops on a character are measured from its soles.
            Some(_) => 0.0,
            None => opened.ground(start_frame),
        };
        let floor = match made.done.made.recentered_by {
            Some(moved) => moved.transform_point(DVec3::Y * ground).y,
            None => ground,
        } + root.at(root_secs).translation.y
            - root.start.translation.y;
        let first = match model.root_view {
            RootView::Accumulate => root_secs - within_secs,
            _ => 0.0,
        };
        let source_frame = cut.start_frame() + within_secs / period_secs * cut.num_frames();
        let nearest = (source_frame.round() as usize).min(opened.take().num_frames() - 1);
        Self {
            floor,
            centre: root.at(root_secs).translation.with_y(floor),
            path: (0..=PATH_POINTS)
                .map(|point| first + period_secs * point as f64 / PATH_POINTS as f64)
                .map(|secs| root.at(secs).translation.with_y(floor))
                .collect(),
            standing: standing(opened, nearest, &world.translations, floor),
            world,
        }
    }
}

/// Returns the pose of the uncut stretch at a time within it, relative to the root.
fn uncut_pose(source: &RootRelativeClip, secs: f64) -> Pose {
    let clip = &source.clip;
    let position = (secs / clip.step_secs()).clamp(0.0, clip.num_intervals() as f64);
    let before = position.floor();
    let u = position - before;
    let pose = clip.pose(before as isize);
    if u == 0.0 {
        return pose.to_pose();
    }
    let after = clip.pose(before as isize + 1);
    let shifts = pose.translations.iter().zip(after.translations);
    let turns = pose.rotations.iter().zip(after.rotations);
    Pose::new(
        shifts.map(|(from, to)| from.lerp(*to, u)).collect(),
        turns.map(|(from, to)| from.slerp(*to, u)).collect(),
    )
}

/// Returns the places on the ground of feet that stand at a frame of the take.
fn standing(opened: &Opened, frame: usize, points: &[DVec3], floor: f64) -> Vec<DVec3> {
    let contacts = &opened.studied.analysis.contacts;
    (0..contacts.num_feet())
        .filter(|&foot| contacts.is_planted(foot, frame))
        .filter_map(|foot| opened.body().feet.get(opened.foot_shown(foot)?))
        .map(|foot| points[foot.lowest_joint()].with_y(floor))
        .collect()
}
