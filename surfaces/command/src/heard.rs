//! What was heard of a stream of poses: recordings, of which a new one begins where what comes does not continue, and the rhythm of the last.

use std::sync::Arc;

use glam::DQuat;
use loopwright_core::live::{Due, Listener};
use loopwright_formats::{BvhRecording, StreamHead};

/// Longest time of lost rows that is bridged by repeating the last one, seconds.
const BRIDGED_SECS: f64 = 0.25;

/// A recording that is shorter than this is given up where another follows, seconds: nothing in it repeats.
const SHORTEST_SECS: f64 = 1.0;

/// Recordings.
#[derive(Default)]
pub struct Heard {
    parts: Vec<BvhRecording>,
    /// Hears the last of them, while it goes on.
    listener: Option<Listener>,
    /// Frames and seconds before that.
    before: (usize, f64),
    /// Rows in a row that were lost.
    num_lost: usize,
}

/// What becomes of a lost row.
#[derive(PartialEq)]
pub enum Lost {
    /// The row before stands in its place.
    Bridged,
    /// Too many are lost: the recording ends.
    Ends,
    /// No recording goes on that lacks it.
    Nothing,
}

impl Heard {
    /// Begins a recording: what comes next does not continue what came.
    pub fn begin(&mut self, head: Arc<StreamHead>) {
        if let Some(part) = self.parts.last() {
            let secs = secs_of(part);
            self.before.0 += part.num_frames();
            self.before.1 += secs;
            if secs < SHORTEST_SECS {
                self.parts.pop();
            }
        }
        self.listener = Some(Listener::new(head.skeleton(), head.frame_time_secs()));
        self.parts.push(BvhRecording::new(head));
    }

    /// Takes a row, and the rotations in it; says whether a loop can be tried with it, of which frames of the recording.
    pub fn push(&mut self, text: &[u8], rotations: &[DQuat]) -> Option<Due> {
        self.num_lost = 0;
        if self.listener.is_none() {
            let head = Arc::clone(self.parts.last()?.head());
            self.begin(head);
        }
        self.parts.last_mut()?.push(text);
        self.listener.as_mut()?.push(rotations)
    }

    /// A row is lost: the one before stands in its place, for a moment.
    pub fn lose(&mut self) -> Lost {
        self.num_lost += 1;
        let (Some(part), Some(listener)) = (self.parts.last_mut(), &mut self.listener) else {
            return Lost::Nothing;
        };
        if part.num_frames() == 0 {
            return Lost::Nothing;
        }
        if self.num_lost as f64 > (BRIDGED_SECS / part.head().frame_time_secs()).ceil() {
            self.listener = None;
            return Lost::Ends;
        }
        part.repeat_last();
        // It has its own row in the recording, so it is a frame here, too.
        listener.repeat_last();
        Lost::Bridged
    }

    /// The last try found nothing.
    pub fn found_nothing(&mut self) {
        if let Some(listener) = &mut self.listener {
            listener.found_nothing();
        }
    }

    /// The last recording.
    pub fn last(&self) -> Option<&BvhRecording> {
        self.parts.last()
    }

    /// Frames before the last recording.
    pub fn num_before(&self) -> usize {
        self.before.0
    }

    /// Number of all frames that came.
    pub fn num_frames(&self) -> usize {
        self.before.0 + self.last().map_or(0, BvhRecording::num_frames)
    }

    /// Seconds of motion that came.
    pub fn secs(&self) -> f64 {
        self.before.1 + self.last().map_or(0.0, secs_of)
    }

    /// Bytes of all recordings.
    pub fn num_bytes(&self) -> u64 {
        self.parts.iter().map(BvhRecording::num_bytes).sum()
    }

    /// Whether a recording has a frame.
    pub fn has_frames(&self) -> bool {
        self.parts.iter().any(|part| part.num_frames() > 0)
    }

    /// All recordings that have frames.
    pub fn recordings(&self) -> Vec<&BvhRecording> {
        self.parts.iter().filter(|part| part.num_frames() > 0).collect()
    }
}

fn secs_of(part: &BvhRecording) -> f64 {
    part.num_frames() as f64 * part.head().frame_time_secs()
}
