//! A whole clip as a loop, judged by its ends.

use crate::{math::Rigid, root_motion::RootMode};

/// The last keys of a whole clip.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum LastKey {
    /// The first key again, moved on by the root motion.
    Closing,
    /// The sample before the first repeats: the closing key is missing.
    BeforeClosing,
    /// The closing key, followed by frames that do not belong to the cycle.
    Repeated,
}

/// How well a whole clip loops.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum WholeClipKind {
    /// It already loops: it moves all the time, travels, or is calm throughout.
    Loops,
    /// It ends as and where it began, but moves in bursts: it can be repeated, but may be a single action.
    EndsAsItBegins,
    /// One cycle whose ends do not quite meet; closing bends it.
    Cycle,
    /// It loops with a kink at its seam, which is mended on request.
    Mended,
}

/// A whole clip as a loop.
#[handed_over(Copy)]
pub struct WholeClip {
    /// How well it loops.
    pub kind: WholeClipKind,
    /// Its last keys.
    pub last_key: LastKey,
    /// First frame of the loop; 0 unless the clip contains a little more than a cycle, and is trimmed on both sides, or holds
    /// its first pose.
    pub start_frame: usize,
    /// The last frame that belongs to it; later frames hold a pose.
    pub last_frame: usize,
    /// Length of the loop in frames; fractional if its end lies between two frames.
    pub num_frames: f64,
    /// Limits within which the end lies, likely, in frames after the last; both 0 at a closing key.
    pub end_limits: [f64; 2],
    /// Frames of the take that do not belong to it: held or setup poses, and the start of the next cycle.
    pub left_out: usize,
    /// World motion from the first pose to the closing one; the identity if the root rests.
    pub motion: Rigid,
    /// Largest distance of a joint between the last pose and the first, moved on by the root motion; metres. If the closing key
    /// is missing, the difference of the step over the seam from its neighbours.
    pub gap_metres: f64,
    /// Largest rotation of a joint between them, radians; 0 if the closing key is missing.
    pub gap_radians: f64,
    /// Whether only its name says that it repeats, not its motion.
    pub by_name: bool,
    /// Second differences over the seam relative to the 99th percentile of the clip's own, root mean square over joints.
    pub roughness: f64,
}

impl WholeClip {
    /// Whether the clip already loops, so that closing changes next to nothing.
    pub fn loops_already(&self) -> bool {
        matches!(self.kind, WholeClipKind::Loops | WholeClipKind::EndsAsItBegins)
    }

    /// Whether its author made it a loop, whether its seam is mended or not.
    pub fn is_authored_loop(&self) -> bool {
        self.kind != WholeClipKind::Cycle
    }

    /// Whether motion at the ends is measured over the seam: the frames beyond the end are those after the start.
    pub(crate) fn goes_on_over_the_seam(&self) -> bool {
        self.loops_already() || self.last_key == LastKey::BeforeClosing
    }

    /// Whether it loops already and ends between two frames.
    pub fn ends_between_frames(&self) -> bool {
        self.loops_already() && self.num_frames.fract() != 0.0
    }

    /// Returns the time from its last key to the closing one, in frames, if that is not its last key.
    pub fn last_step(&self) -> f64 {
        let own_frames = (self.last_frame - self.start_frame) as f64;
        if self.ends_between_frames() {
            self.num_frames - own_frames
        } else {
            1.0
        }
    }

    /// Whether the root rests: the clip returns to where it began.
    pub fn is_in_place(&self) -> bool {
        self.motion == Rigid::IDENTITY
    }

    /// Returns the root motion that keeps the clip as it is.
    pub fn root_mode(&self) -> RootMode {
        if self.is_in_place() {
            RootMode::InPlace
        } else {
            RootMode::default()
        }
    }
}
