//! A whole clip as a loop: the result of reading it by its ends.

use crate::{math::rigid::Rigid, root_motion::RootMode};

/// The last keys of a whole clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum LastKey {
    /// The first key again, moved on by the root motion.
    Closing,
    /// The key before the first comes round again: the closing key is missing.
    BeforeClosing,
    /// Several copies of the closing key; the clip ends at the first of them.
    Repeated,
}

crate::words!(LastKey {
    Closing: "closing",
    BeforeClosing: "before-closing",
    Repeated: "repeated",
});

/// How well a whole clip loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum WholeClipKind {
    /// It loops already: it moves all the time, goes somewhere, or is calm throughout.
    Loops,
    /// It ends as it begins, where it began, but moves in bursts: it can be repeated, but may be a single action.
    EndsAsItBegins,
    /// One cycle whose ends do not quite meet; closing bends it.
    Cycle,
}

crate::words!(WholeClipKind {
    Loops: "loops",
    EndsAsItBegins: "ends-as-it-begins",
    Cycle: "cycle",
});

/// A whole clip as a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct WholeClip {
    /// How well it loops.
    pub kind: WholeClipKind,
    /// Its last keys.
    pub last_key: LastKey,
    /// First frame of the loop; 0 unless the clip shows a little more than a cycle, and is trimmed on both sides, or holds its first pose.
    pub start_frame: usize,
    /// The last frame that belongs to it; frames after that are a pose that is held.
    pub last_frame: usize,
    /// Length of the loop in frames; fractional where the closing key of a cycle is missing.
    pub num_frames: f64,
    /// World motion from the first pose to the one that closes the loop; the identity where the root rests.
    pub motion: Rigid,
    /// Largest distance of a joint between the last pose and the first, moved on; metres. Where the closing key is missing, how
    /// far the step over the seam departs from its neighbours.
    pub gap_metres: f64,
    /// Largest rotation of a joint between them, radians; 0 where the closing key is missing.
    pub gap_radians: f64,
    /// Whether its name says that it repeats, and its motion does not.
    pub by_name: bool,
    /// Second differences over the seam relative to the 99th percentile of the clip's own, root mean square over joints.
    pub roughness: f64,
}

impl WholeClip {
    /// Whether the clip loops as it is, so that closing changes next to nothing.
    pub fn loops_already(&self) -> bool {
        self.kind != WholeClipKind::Cycle
    }

    /// Whether motion at the ends is measured over the seam: the frames beyond the end are those after the start.
    pub(crate) fn goes_on_over_the_seam(&self) -> bool {
        self.loops_already() || self.last_key == LastKey::BeforeClosing
    }

    /// Whether the root rests: the clip returns to where it began.
    pub fn is_in_place(&self) -> bool {
        self.motion == Rigid::IDENTITY
    }

    /// The root motion that keeps the clip as it is: in place where it stays in place.
    pub fn root_mode(&self) -> RootMode {
        if self.is_in_place() {
            RootMode::InPlace
        } else {
            RootMode::default()
        }
    }
}
