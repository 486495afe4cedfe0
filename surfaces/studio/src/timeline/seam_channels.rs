//! The numbers behind the curves over the seam: the correction that closing adds to each joint, and how a joint rotates and moves before
//! and after.

use glam::DVec3;
use loopwright_core::{MadeLoop, Skeleton};

use crate::model::Made;

/// A kind of curves.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Kind {
    /// The rotation that closing adds to each joint.
    #[default]
    Turned,
    /// The shift that closing adds to each joint.
    Shifted,
    /// The rotation of the chosen joint, uncut and closed.
    Rotation,
    /// The position of the chosen joint relative to the root, uncut and closed.
    Path,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Turned, Self::Shifted, Self::Rotation, Self::Path];

    /// Its label, and an explanation.
    pub fn words(self) -> [&'static str; 2] {
        [
            [
                "Rotation added",
                "What closing adds to the rotation of each joint: the loop less the uncut stretch",
            ],
            [
                "Position added",
                "What closing adds to the position of each joint in its parent",
            ],
            [
                "Rotation",
                "How the joint turns in its parent, about x, y and z, uncut and closed",
            ],
            ["Position", "Where the joint is from the root, uncut and closed"],
        ][self as usize]
    }

    /// Whether the curves show all joints.
    pub fn is_of_all(self) -> bool {
        matches!(self, Self::Turned | Self::Shifted)
    }

    pub fn axes(self) -> [&'static str; 3] {
        match self {
            Self::Path => ["to the left", "height", "ahead"],
            _ => ["x", "y", "z"],
        }
    }

    /// Returns the factor for the displayed numbers, and their unit.
    pub fn unit(self) -> (f64, &'static str) {
        match self {
            Self::Turned | Self::Rotation => (1f64.to_degrees(), "°"),
            Self::Shifted | Self::Path => (1e2, " cm"),
        }
    }

    /// Least range of the drawing, radians or metres: smaller motion is drawn flat rather than as noise.
    pub fn least(self) -> f64 {
        [0.01, 0.005, 0.05, 0.02][self as usize]
    }
}

/// The correction of a joint along its main direction, at samples 0 to N; sample N meets the start.
pub struct Offset {
    pub joint: usize,
    pub most: f64,
    pub values: Vec<f64>,
}

/// One channel of a joint before closing, up to the last sample, which meets the first, and after closing.
#[derive(Default)]
pub struct Channel {
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

/// Returns the loop whose seam was closed: that of the take, even if the loop is on a character.
fn closed(made: &Made) -> &MadeLoop {
    made.done.made.on_take()
}

/// Returns the skeleton whose joints the corrections are of.
pub fn skeleton_of(made: &Made) -> &Skeleton {
    closed(made).loop_clip.skeleton()
}

/// Returns the corrections of all joints that are moved, the most moved first.
pub fn offsets(made: &Made, kind: Kind) -> Vec<Offset> {
    let closed = closed(made);
    let num_joints = closed.loop_clip.skeleton().num_joints();
    let all = match kind {
        Kind::Shifted => &closed.closed.translation_offsets,
        _ => &closed.closed.rotation_offsets,
    };
    let found = (0..num_joints).map(|joint| {
        let offsets = all.iter().skip(joint).step_by(num_joints);
        let most = largest(offsets.clone());
        let along = most.normalize_or_zero();
        Offset {
            joint,
            most: most.length(),
            values: offsets.map(|offset| offset.dot(along)).collect(),
        }
    });
    let mut found: Vec<Offset> = found.filter(|offset| offset.most > 1e-6).collect();
    found.sort_by(|one, other| other.most.total_cmp(&one.most));
    found
}

/// Returns the correction of a joint at each sample, along the direction of its largest correction or along `along`; and that direction.
pub fn offset_of(made: &Made, joint: usize, along: Option<DVec3>) -> (DVec3, Vec<f64>) {
    let closed = closed(made);
    let all = closed
        .closed
        .rotation_offsets
        .iter()
        .skip(joint)
        .step_by(closed.loop_clip.skeleton().num_joints());
    let along = along.unwrap_or_else(|| largest(all.clone()).normalize_or(DVec3::X));
    (along, all.map(|offset| offset.dot(along)).collect())
}

/// Returns the largest of some corrections; zero without any.
fn largest<'a>(offsets: impl Iterator<Item = &'a DVec3>) -> DVec3 {
    let most = offsets.max_by(|one, other| one.length().total_cmp(&other.length()));
    most.copied().unwrap_or_default()
}

/// Returns the three channels of a joint.
pub fn channels(made: &Made, kind: Kind, joint: usize) -> [Channel; 3] {
    let clip = made.clip();
    let source = &made.done.made.source.clip;
    let uncut = (0..=source.num_intervals()).map(|sample| source.pose(sample as isize));
    let closed = 0..clip.num_samples();
    let (before, after): (Vec<DVec3>, Vec<DVec3>) = match kind {
        Kind::Path => {
            let tracks = clip.tracks_from_root();
            let before = uncut.map(|pose| pose.world(source.skeleton()).translations[joint]);
            (
                before.collect(),
                closed.map(|sample| tracks.position(sample, joint)).collect(),
            )
        }
        _ => {
            // Rotations relative to the first pose: within half a turn, their angles about x, y and z do not jump.
            let first = clip.body_pose(0).rotations[joint].inverse();
            let turned = |rotation: glam::DQuat| {
                let turn = first * rotation;
                let turn = if turn.w < 0.0 { -turn } else { turn };
                turn.to_scaled_axis()
            };
            let before = uncut.map(|pose| turned(pose.rotations[joint]));
            (
                before.collect(),
                closed
                    .map(|sample| turned(clip.body_pose(sample).rotations[joint]))
                    .collect(),
            )
        }
    };
    [0, 1, 2].map(|axis| Channel {
        before: before.iter().map(|value| value[axis]).collect(),
        after: after.iter().map(|value| value[axis]).collect(),
    })
}

/// Returns the times over which closing acts after and before the seam, as it was fitted, seconds.
pub fn zone_secs(made: &Made) -> [f64; 2] {
    let method = closed(made).closed.method;
    if let Some(secs) = method.crossfade_secs {
        // A crossfade lies at the end of the loop.
        return [0.0, secs];
    }
    [method.start, method.end].map(|shape| {
        if shape.kind().descriptor().ends {
            shape.secs()
        } else {
            // A spring counts as faded after some half-lives.
            SPRING_HALF_LIVES * shape.secs()
        }
    })
}

/// Half-lives after which 8% of an offset is left.
const SPRING_HALF_LIVES: f64 = 3.0;
