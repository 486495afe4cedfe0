//! Keeps the recordings of a stream of poses, and follows the rhythm of the last one. A new recording begins wherever the stream does not
//! continue.

use std::sync::Arc;

use glam::DQuat;
use loopwright_core::live::{Due, Listener};
use loopwright_formats::{BvhRecording, StreamHead};

/// Longest gap of lost rows that is bridged by repeating the last row, seconds.
const BRIDGED_SECS: f64 = 0.25;

/// Shortest recording that is kept when another one follows, seconds: nothing repeats in a shorter one.
const SHORTEST_SECS: f64 = 1.0;

/// The recordings of a stream.
#[derive(Default)]
pub struct Heard {
    parts: Vec<BvhRecording>,
    /// Follows the last recording while it goes on.
    listener: Option<Listener>,
    /// Number of frames and seconds before the last recording.
    before: (usize, f64),
    /// Number of rows lost in succession.
    num_lost: usize,
}

/// What happens to a lost row.
#[derive(PartialEq)]
pub enum Lost {
    /// The row before takes its place.
    Bridged,
    /// Too many rows are lost: the recording ends.
    Ends,
    /// No recording is in progress.
    Nothing,
}

impl Heard {
    /// Begins a recording: the following rows do not continue the last one.
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

    /// Adds a row and its rotations; returns the frames of the recording to try a loop on, if one is due.
    pub fn push(&mut self, text: &[u8], rotations: &[DQuat]) -> Option<Due> {
        self.num_lost = 0;
        if self.listener.is_none() {
            self.begin(Arc::clone(self.parts.last()?.head()));
        }
        self.parts.last_mut()?.push(text);
        self.listener.as_mut()?.push(rotations)
    }

    /// Handles a lost row: for a moment, the row before takes its place.
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
        // The repeated row is written to the recording, so it counts as a frame here, too.
        listener.repeat_last();
        Lost::Bridged
    }

    /// Notes that the last attempt found no loop.
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

    /// Number of all frames so far.
    pub fn num_frames(&self) -> usize {
        self.before.0 + self.last().map_or(0, BvhRecording::num_frames)
    }

    /// Duration of all frames so far, seconds.
    pub fn secs(&self) -> f64 {
        self.before.1 + self.last().map_or(0.0, secs_of)
    }

    /// Bytes of all recordings.
    pub fn num_bytes(&self) -> u64 {
        self.parts.iter().map(BvhRecording::num_bytes).sum()
    }

    /// Whether any recording has a frame.
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
