//! What is odd in a file but does not stop it from being used.

use core::fmt;

use crate::{
    error::{Found, Position},
    gltf::error::list,
    space::Axis,
};

/// Something odd that was met on the way, with its place. `Display` says it in one sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Joint names have bytes that are not UTF-8; replacement characters stand for them.
    NameNotUtf8 {
        /// Where the first one is.
        at: Position,
        /// The first one, repaired.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// Joint names are so long that they are cut everywhere but in the hierarchy itself.
    LongName {
        /// Where the first one is.
        at: Position,
        /// The length of the first one in characters.
        num_chars: usize,
        /// How many there are.
        count: usize,
    },
    /// Several joints share a name; all later steps go by index.
    DuplicateName {
        /// The name.
        name: String,
        /// How many joints have it.
        count: usize,
    },
    /// Leaf joints without an End Site: the length of their bones is unknown.
    MissingEndSites {
        /// The first of them.
        joint: String,
        /// How many there are.
        count: usize,
    },
    /// Another keyword than the usual one was taken for it.
    UnusualKeyword {
        /// Where.
        at: Position,
        /// The usual one.
        expected: &'static str,
        /// What the file has.
        found: Found,
    },
    /// Scale channels, all of them 1, play no part.
    ScaleIgnored {
        /// The first joint that has them.
        joint: String,
        /// How many joints have them.
        count: usize,
    },
    /// The root has no position channels.
    RootWithoutPosition {
        /// The root.
        joint: String,
    },
    /// Every offset is zero.
    NoSize,
    /// Fewer rows than the file declares.
    FewerRows {
        /// Frames declared.
        declared: u64,
        /// Rows present.
        present: usize,
    },
    /// More rows than the file declares.
    MoreRows {
        /// Frames declared.
        declared: u64,
        /// Whole rows beyond them.
        ignored: usize,
    },
    /// Rows do not end where lines end; the values were read as one stream.
    RowsAcrossLines {
        /// The first line that holds parts of two rows.
        at: Position,
    },
    /// Something after the last frame.
    TrailingText {
        /// Where.
        at: Position,
        /// What it starts with.
        found: Found,
    },
    /// The frame time is a second or more.
    LongFrameTime {
        /// Where.
        at: Position,
        /// Seconds.
        secs: f64,
    },
    /// A frame time without its decimal point.
    FrameTimeWithoutPoint {
        /// Where.
        at: Position,
        /// What the file has.
        found: Found,
        /// Seconds it was taken for.
        secs: f64,
    },
    /// Nothing tells which axis is up.
    UpUnknown,
    /// Two axes are about as likely to be up.
    UpUnclear {
        /// The other one.
        other: Axis,
    },
    /// The head is below the feet.
    UpsideDown {
        /// The axis along which it is.
        axis: Axis,
    },
    /// No unit makes the body as tall as a person.
    UnitUnclear {
        /// Estimated height of the body in the file's unit.
        height: f64,
        /// Unit taken, in metres.
        unit_metres: f64,
    },
    /// There is no body whose height would tell the unit.
    UnitUnknown {
        /// Unit taken, in metres.
        unit_metres: f64,
    },
    /// The file holds several animations, and one was taken unasked.
    SeveralAnimations {
        /// The one taken.
        taken: String,
        /// All of them, in order.
        names: Vec<String>,
    },
    /// None of the file's animations moves a node; the longest was taken.
    StandsStill {
        /// Its name, or its number where it has none.
        animation: String,
    },
    /// The file holds several skins of different joints, and one was taken unasked.
    SeveralSkins {
        /// The one taken.
        taken: String,
        /// All of them, in order.
        names: Vec<String>,
    },
    /// The animation moves nodes that are not of the skeleton; they play no part.
    NodesLeftOut {
        /// How many.
        count: usize,
    },
    /// The animation changes other things than translation, rotation and scale of nodes; they play no part.
    ChannelsLeftOut {
        /// How many channels do.
        count: usize,
    },
    /// Keys do not lie on an even grid, or far apart; the take is sampled between them.
    KeysOffGrid {
        /// The animation.
        animation: String,
        /// Rate at which it is sampled, per second.
        rate_hz: f64,
    },
    /// Joints have keys for a part of the animation alone, and hold still for the rest.
    ChannelsShorter {
        /// The first of them.
        joint: String,
        /// How many there are.
        count: usize,
        /// Where the keys of the first one start and end, seconds from the animation's start.
        keys_secs: [f64; 2],
        /// Length of the animation, seconds.
        whole_secs: f64,
    },
    /// A rate of frames that nothing records at.
    OddRate {
        /// Frames per second.
        rate_hz: f64,
    },
    /// All joints rest on their parents: bones have a length in the motion alone.
    RestMissing,
    /// The format says metres, which would make the model tinier than a mouse or larger than a whale.
    UnitNotMetres {
        /// Its size in the file's unit.
        size: f64,
        /// Unit taken, in metres.
        unit_metres: f64,
    },
    /// While writing: the file needs others beside it, which were not written.
    OutsideFiles {
        /// The first of them.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// Several nodes share a name; numbers are put behind all but the first.
    NamesNumbered {
        /// The name.
        name: String,
        /// How many nodes have it.
        count: usize,
    },
    /// The file has several trees of bones; the one with most bones is read.
    OtherSkeletons {
        /// Its topmost node.
        taken: String,
        /// Bones of the others.
        count: usize,
    },
    /// Curves have keys more densely than the file has frames; the keys' rate is taken.
    KeyRate {
        /// Keys per second.
        keys_hz: f64,
        /// The file's own frames per second.
        scene_hz: f64,
    },
    /// The last key of the skeleton comes well before the animation's stated end.
    AnimationShorter {
        /// Seconds from the start to the last key.
        keys_end_secs: f64,
        /// Seconds stated.
        stated_secs: f64,
    },
    /// Joints have a scale; it is kept in the places of what hangs below them.
    ScaledJoints {
        /// The first of them.
        joint: String,
        /// How many there are.
        count: usize,
        /// Whether the scale changes over time.
        varies: bool,
    },
    /// The file states left-handed axes; only the one that is up is followed.
    LeftHandedAxes {
        /// The axis that is up.
        up: Axis,
    },
    /// The stated unit makes no person of the body; another one was taken.
    UnitOverruled {
        /// Height of the body by the stated unit, in metres.
        stated_height: f64,
        /// The stated unit in metres.
        stated_metres: f64,
        /// The unit taken, in metres.
        unit_metres: f64,
    },
    /// The stated unit makes no person of the body, nor does any other; it is taken.
    SizeUnusual {
        /// Height of the body by the stated unit, in metres.
        height: f64,
    },
    /// While writing: the motion stands in the file beside the animations that it had.
    AnimationAdded {
        /// Its name there.
        name: String,
    },
    /// While writing: the source's file cannot be written into, so meshes and all else but the skeleton are left out.
    RestNotKept,
    /// While writing: the source is a glTF file with meshes, and the file written is FBX.
    MeshesLeftOut,
    /// While writing: a joint was given position channels, since it no longer stays at its OFFSET.
    PositionChannelsAdded {
        /// The joint.
        joint: String,
        /// How far it moves from its OFFSET, in the file's unit.
        distance: f64,
    },
    /// While writing: a joint has too few rotation channels for its rotation, which is written as nearly as they can.
    RotationProjected {
        /// The joint.
        joint: String,
        /// Largest error in degrees.
        degrees: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameNotUtf8 { at, name, count: 1 } => {
                write!(f, "{at}: joint name is not UTF-8, read as \"{name}\"")
            }
            Self::NameNotUtf8 { at, name, count } => {
                write!(
                    f,
                    "{at}: {count} joint names are not UTF-8, the first is read as \"{name}\""
                )
            }
            Self::LongName {
                at,
                num_chars,
                count: 1,
            } => {
                write!(f, "{at}: joint name of {num_chars} characters, shown cut")
            }
            Self::LongName { at, num_chars, count } => {
                write!(
                    f,
                    "{at}: {count} long joint names, the first of {num_chars} characters, shown cut"
                )
            }
            Self::DuplicateName { name, count } => {
                write!(f, "{count} joints are named {name}; they are told apart by index")
            }
            Self::MissingEndSites { joint, count: 1 } => {
                write!(f, "{joint} has no End Site: its length is unknown, taken as zero")
            }
            Self::MissingEndSites { joint, count } => {
                write!(
                    f,
                    "{joint} and {} more have no End Site: their length is unknown, taken as zero",
                    count - 1
                )
            }
            Self::UnusualKeyword { at, expected, found } => {
                write!(f, "{at}: unusual keyword {found} for \"{expected}\"")
            }
            Self::ScaleIgnored { joint, count: 1 } => write!(f, "scale channels of {joint} ignored, all are 1"),
            Self::ScaleIgnored { joint, count } => {
                write!(f, "scale channels of {joint} and {} more ignored, all are 1", count - 1)
            }
            Self::RootWithoutPosition { joint } => {
                write!(
                    f,
                    "the root {joint} has no position channels: it does not move, only turn"
                )
            }
            Self::NoSize => f.write_str("the skeleton has no size: every offset is zero"),
            Self::FewerRows { declared, present } => {
                write!(f, "{declared} frames declared, {present} present; {present} are used")
            }
            Self::MoreRows { declared, ignored: 1 } => write!(f, "1 row beyond the declared {declared} ignored"),
            Self::MoreRows { declared, ignored } => {
                write!(f, "{ignored} rows beyond the declared {declared} ignored")
            }
            Self::RowsAcrossLines { at } => {
                write!(
                    f,
                    "{at}: rows do not end where lines end; the values were read as one stream"
                )
            }
            Self::TrailingText { at, found } => {
                write!(f, "{at}: text after the last frame ignored, from {found} on")
            }
            Self::LongFrameTime { at, secs } => {
                write!(f, "{at}: one frame each {secs} s; was {secs} fps meant?")
            }
            Self::FrameTimeWithoutPoint { at, found, secs } => {
                write!(
                    f,
                    "{at}: the frame time {found} has lost its decimal point, read as {secs} s"
                )
            }
            Self::UpUnknown => f.write_str("nothing tells which axis is up; Y is taken"),
            Self::UpUnclear { other } => {
                write!(
                    f,
                    "Y and {other} are about as likely to be up, Y is taken; state the axis if that is wrong"
                )
            }
            Self::UpsideDown { axis } => {
                write!(f, "the head is below the feet along {axis}; Y is taken for up")
            }
            Self::UnitUnclear { height, unit_metres } => write!(
                f,
                "no unit makes this body as tall as a person: {height:.3} units are {:.3} m in the nearest one \
                 of {unit_metres:.4} m; state the unit if that is wrong",
                height * unit_metres
            ),
            Self::UnitUnknown { unit_metres } => {
                write!(
                    f,
                    "no body tells the unit; {unit_metres} m is taken, state the unit if that is wrong"
                )
            }
            Self::SeveralAnimations { taken, names } => write!(
                f,
                "{} animations, \"{taken}\" is taken because it is the longest that moves; the others: {}",
                names.len(),
                others(names, taken)
            ),
            Self::StandsStill { animation } => write!(f, "nothing moves in the animation \"{animation}\""),
            Self::SeveralSkins { taken, names } => write!(
                f,
                "{} skins of different joints, \"{taken}\" is taken because most of it moves; the others: {}",
                names.len(),
                others(names, taken)
            ),
            Self::NodesLeftOut { count } => write!(
                f,
                "{count} nodes that the animation moves are not of the skeleton and play no part"
            ),
            Self::ChannelsLeftOut { count } => write!(
                f,
                "{count} channels of the animation move no node (such as shapes of faces) and play no part"
            ),
            Self::KeysOffGrid { animation, rate_hz } => write!(
                f,
                "the keys of \"{animation}\" are few or uneven; sampled at {rate_hz:.4} frames per second"
            ),
            Self::ChannelsShorter {
                joint,
                count,
                keys_secs: [from, to],
                whole_secs,
            } => {
                let others = match count {
                    0 | 1 => String::new(),
                    count => format!(" ({} more joints are alike)", count - 1),
                };
                write!(
                    f,
                    "the keys of {joint} go from {from:.3} to {to:.3} s of {whole_secs:.3} s, it holds still for the \
                     rest{others}"
                )
            }
            Self::OddRate { rate_hz } => write!(
                f,
                "{rate_hz:.4} frames per second is an odd rate; is the frame time rounded, or meant otherwise?"
            ),
            Self::RestMissing => f.write_str(
                "the file has no rest pose: every joint rests on its parent, lengths come from the motion alone",
            ),
            Self::UnitNotMetres { size, unit_metres } => write!(
                f,
                "the joints span {size:.4} units, which cannot be metres as the format says; {unit_metres} m is taken, \
                 state the unit if that is wrong"
            ),
            Self::OutsideFiles { first, count: 1 } => {
                write!(f, "the file needs \"{first}\" beside it, as its source does")
            }
            Self::OutsideFiles { first, count } => write!(
                f,
                "the file needs \"{first}\" and {} more files beside it, as its source does",
                count - 1
            ),
            Self::NamesNumbered { name, count } => {
                write!(
                    f,
                    "{count} nodes are named {name}; numbers are put behind all but the first"
                )
            }
            Self::OtherSkeletons { taken, count } => {
                write!(
                    f,
                    "several skeletons, the one below {taken} is read; {count} other bones are left out"
                )
            }
            Self::KeyRate { keys_hz, scene_hz } => write!(
                f,
                "keys stand at {keys_hz:.4} per second, the file's frames at {scene_hz:.4}; the keys' rate is taken"
            ),
            Self::AnimationShorter {
                keys_end_secs,
                stated_secs,
            } => write!(
                f,
                "the animation is shorter than the file says: the last key stands at {keys_end_secs:.3} of {stated_secs:.3} s"
            ),
            Self::ScaledJoints { joint, count, varies } => {
                let others = match count {
                    0 | 1 => String::new(),
                    count => format!(" and {} more", count - 1),
                };
                let verb = match (count, varies) {
                    (0 | 1, false) => "has a scale",
                    (_, false) => "have a scale",
                    (0 | 1, true) => "changes its scale",
                    (_, true) => "change their scale",
                };
                let held = if *varies { ", a loop keeps the first" } else { "" };
                write!(
                    f,
                    "{joint}{others} {verb}; it is kept in the places of the joints below{held}"
                )
            }
            Self::LeftHandedAxes { up } => {
                write!(
                    f,
                    "the file states left-handed axes; {up} is taken for up and the rest as right-handed"
                )
            }
            Self::UnitOverruled {
                stated_height,
                stated_metres,
                unit_metres,
            } => write!(
                f,
                "by the stated unit of {stated_metres} m the body is {stated_height:.2} m tall; a unit of \
                 {unit_metres:.6} m is taken, state the unit if that is wrong"
            ),
            Self::SizeUnusual { height } => {
                write!(
                    f,
                    "by the stated unit the body is {height:.2} m tall; state the unit if that is wrong"
                )
            }
            Self::AnimationAdded { name } => {
                write!(f, "the file keeps its animations; the new one is {name}")
            }
            Self::RestNotKept => f.write_str(
                "the source is FBX as text or older than 7.1 and cannot be written into; the file written has its \
                 skeleton and this animation alone",
            ),
            Self::MeshesLeftOut => f.write_str(
                "meshes, skins and other animations of a glTF file are not carried over to FBX; the file written has its \
                 skeleton and this animation alone",
            ),
            Self::PositionChannelsAdded { joint, distance } => {
                write!(
                    f,
                    "{joint} moves {distance:.6} units from its OFFSET and was given position channels"
                )
            }
            Self::RotationProjected { joint, degrees } => {
                write!(
                    f,
                    "{joint} has too few rotation channels, its rotation is written with an error of {degrees:.3} degrees"
                )
            }
        }
    }
}

/// All names but one, for people.
fn others(names: &[String], taken: &str) -> String {
    let others: Vec<String> = names.iter().filter(|name| *name != taken).cloned().collect();
    list(&others)
}
