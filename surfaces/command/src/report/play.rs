//! Answers of `play`.

/// A loop as it was played.
#[in_schema]
pub struct PlayedLoop {
    /// The loop's file.
    pub file: String,
    /// When it starts.
    pub start_secs: f64,
    /// Where in the loop it starts.
    pub entry_secs: f64,
    /// Where in the loop it is left for the next; null for the last.
    pub exit_secs: Option<f64>,
    /// What the jump into it costs; 0 for the first.
    pub cost_metre_secs: f64,
}

/// The answer of `play`.
#[in_schema]
pub struct PlayAnswer {
    /// Seconds from the first frame to the last.
    pub duration_secs: f64,
    /// Number of frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Seconds from one frame to the next.
    pub frame_time_secs: f64,
    /// Where the order comes from.
    pub seed: u64,
    /// What plays when.
    pub played: Vec<PlayedLoop>,
}

/// Words the answer of `play`.
pub fn human(answer: &PlayAnswer, file: &str) -> String {
    let mut text = format!(
        "{file}: {:.2} s, {} frames, {} jumps\n",
        answer.duration_secs,
        answer.frames,
        answer.played.len().saturating_sub(1)
    );
    for played in &answer.played {
        text += &format!(
            "  {:>8.2} s  {} from {:.3} s",
            played.start_secs, played.file, played.entry_secs
        );
        if let Some(exit_secs) = played.exit_secs {
            text += &format!(", left at {exit_secs:.3} s");
        }
        text.push('\n');
    }
    text
}
