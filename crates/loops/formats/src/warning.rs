//! Warnings about unusual contents that do not prevent using a file.

use crate::{
    bvh::warning::BvhWarning,
    excerpt::{and_more, counted, list},
    format::Format,
    space::warning::SpaceWarning,
};

/// Something unusual in a file, or a change made to write one. `Display` gives one sentence.
#[error_kinds]
pub enum FileWarning {
    /// A warning specific to BVH.
    Bvh(BvhWarning),
    /// A doubt about axes or unit.
    Space(SpaceWarning),
    /// The file holds several animations, and one was selected by default.
    #[error(
        "{} animations; using \"{taken}\", the longest that moves (--animation NAME or FILE#NAME takes another); the others: {}",
        .names.len(),
        others(.names, .taken)
    )]
    SeveralAnimations { taken: String, names: Vec<String> },
    /// An animation is requested by name in a format without names.
    #[error("the only motion of the file has no name; \"{wanted}\" selects nothing")]
    NoNames { wanted: String },
    /// None of the file's animations moves a node; the longest was taken.
    #[error("nothing moves in the animation \"{animation}\"")]
    StandsStill {
        /// Its name, or its number if it has none.
        animation: String,
    },
    #[error(
        "{} skins of different joints; using \"{taken}\", the one that moves most (--set take.skin names another); the others: {}",
        .names.len(),
        others(.names, .taken)
    )]
    SeveralSkins { taken: String, names: Vec<String> },
    #[error("left out, as outside the skeleton: {} that the animation moves", counted(*.count, "node"))]
    NodesLeftOut { count: usize },
    /// The animation changes properties other than translation, rotation and scale of nodes; they are ignored.
    #[error("left out, as they move no node (such as shapes of faces): {} of the animation", counted(*.count, "channel"))]
    ChannelsLeftOut { count: usize },
    /// Other animations of the file with invalid numbers; they are kept unchanged.
    #[error("animations of the file hold invalid numbers, which engines may refuse: {}", list(.names))]
    UnfitAnimations { names: Vec<String> },
    /// Values are held from key to key, but the written motion interpolates.
    #[error(
        "\"{animation}\" holds each pose until the next key in {}; what is written moves evenly from key to key unless output.interpolation is step",
        counted(*.count, "track")
    )]
    Stepped { animation: String, count: usize },
    /// Keys are not on an even grid, or are far apart; the take is sampled between them.
    #[error("the keys of \"{animation}\" are few or uneven; sampled at {rate_hz:.4} frames per second")]
    KeysOffGrid { animation: String, rate_hz: f64 },
    #[error(
        "the keys of {joint} go from {:.3} to {:.3} s of {whole_secs:.3} s, it holds still for the rest{}",
        .keys_secs[0],
        .keys_secs[1],
        alike(*.count)
    )]
    ChannelsShorter {
        joint: String,
        count: usize,
        keys_secs: [f64; 2],
        whole_secs: f64,
    },
    /// Rotations between frames are assumed to take the short way.
    #[error(
        "{joint} turns on by up to {degrees:.0} degrees from frame to frame; between frames, and so at another rate, it is taken to turn \
         back by the rest of a turn{}", alike(*.count)
    )]
    TurnsBack { joint: String, count: usize, degrees: f64 },
    #[error("{rate_hz:.4} frames per second is an odd rate; is the frame time rounded, or meant otherwise?")]
    OddRate { rate_hz: f64 },
    #[error("the file has no rest pose: every joint rests on its parent, lengths come from the motion alone")]
    RestMissing,
    #[error(
        "the names of its joints do not say what they are: parts of the body are told by shape and motion, which is a guess"
    )]
    PartsGuessed,
    /// While writing: the file refers to others, which were not written.
    #[error("the file needs \"{first}\"{} beside it, as its source does", more_files(*.count))]
    OutsideFiles { first: String, count: usize },
    #[error("{count} nodes are named {name}; a number is added to each after the first")]
    NamesNumbered { name: String, count: usize },
    #[error(
        "{} skeletons, the one below {taken} is read; left out: {}; all: {}",
        .names.len(),
        counted(*.count, "other bone"),
        list(.names)
    )]
    OtherSkeletons {
        taken: String,
        names: Vec<String>,
        count: usize,
    },
    #[error("the file has {scene_hz:.4} frames but {keys_hz:.4} keys per second; using the rate of the keys")]
    KeyRate { keys_hz: f64, scene_hz: f64 },
    #[error("the animation is shorter than the file says: the last key is at {keys_end_secs:.3} of {stated_secs:.3} s")]
    AnimationShorter { keys_end_secs: f64, stated_secs: f64 },
    #[error("the last key, {frames:.2} frames after the one before, is left out: keys of this format are even")]
    LastKeyLeftOut { frames: f64 },
    #[error(
        "the animation is longer than the file says: keys go on to {keys_end_secs:.3} of {stated_secs:.3} s, and all are read"
    )]
    AnimationLonger { keys_end_secs: f64, stated_secs: f64 },
    /// A character states its bones inconsistently.
    #[error("the bones that the file states are not used: {reason}")]
    BonesUnused { reason: String },
    #[error("a VRM animation has bones that this file does not state, and programs may refuse it: {}", .names.join(", "))]
    BonesMissing { names: Vec<String> },
    /// An avatar's animation has tracks that such animations do not support.
    #[error(
        "left out, as they move what is no bone, or what bones do not: {}; only bones turn in a VRM animation, and only the hips \
         travel",
        counted(*.count, "channel")
    )]
    NotOfBones { count: usize },
    /// While writing: rotations alone do not put all bones in place.
    #[error(
        "a VRM animation holds turns of bones alone: {joint} is up to {:.1} cm from where it is without it, as joints between bones \
         bend or bones change their lengths",
        100.0 * .metres
    )]
    BonesApart { joint: String, metres: f64 },
    #[error("expressions and the gaze are not carried over to {}; VRMA keeps them", .format.capabilities().name)]
    FaceLeftOut { format: Format },
    /// While writing a loop whose second half mirrors the first.
    #[error(
        "in a loop of two mirrored halves the gaze turns to no side, and expressions of left and right are alike: they would have to jump from \
         one half to the other"
    )]
    SidesEvened,
    #[error("{joint}{}", scaled(*.count, *.varies))]
    ScaledJoints {
        joint: String,
        count: usize,
        /// Whether the scale changes over time.
        varies: bool,
    },
    #[error("the file keeps its animations; the new one is {name}")]
    AnimationAdded { name: String },
    /// While writing: the FBX file stated a unit at which the body is not a person, and now states the unit used to read it.
    #[error("the file written states a unit of {unit_metres:.6} m, by which the body has its true size")]
    UnitStated { unit_metres: f64 },
    /// While writing: the source's file cannot be extended, so everything except the skeleton is left out.
    #[error(
        "the source is FBX as text or older than 7.1 and cannot be written into; the file written has its \
         skeleton and this animation alone"
    )]
    RestNotKept,
    #[error(
        "meshes, skins and other animations of a glTF file are not carried over to FBX; the file written has its \
         skeleton and this animation alone"
    )]
    MeshesLeftOut,
}

impl FileWarning {
    /// Warns about channels that turn by more than half a turn per frame, if any; `channels` has the joint of each, grouped by
    /// joint, and its largest step in degrees.
    pub(crate) fn turns_back(channels: impl Iterator<Item = (String, f64)>) -> Option<Self> {
        let mut joints: Vec<String> = Vec::new();
        let mut most = 0.0_f64;
        for (joint, degrees) in channels {
            most = most.max(degrees);
            if joints.last() != Some(&joint) {
                joints.push(joint);
            }
        }
        Some(Self::TurnsBack {
            count: joints.len(),
            joint: joints.into_iter().next()?,
            degrees: most,
        })
    }
}

/// Lists all names but one, for messages.
fn others(names: &[String], taken: &str) -> String {
    let others: Vec<String> = names.iter().filter(|name| *name != taken).cloned().collect();
    list(&others)
}

fn alike(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(" ({} alike)", counted(count - 1, "more joint")),
    }
}

fn more_files(count: usize) -> String {
    match count {
        1 => String::new(),
        _ => format!(" and {}", counted(count - 1, "more file")),
    }
}

fn scaled(count: usize, varies: bool) -> String {
    let others = and_more(count);
    let verb = match (count, varies) {
        (0 | 1, false) => "has a scale",
        (_, false) => "have a scale",
        (0 | 1, true) => "changes its scale",
        (_, true) => "change their scale",
    };
    let held = if varies {
        "; loops keep the change from glTF to glTF, elsewhere its first value"
    } else {
        ""
    };
    format!("{others} {verb}; it is kept in the positions of the joints below{held}")
}
