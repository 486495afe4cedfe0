//! Answers of `play`.

use std::fmt::Write;

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct PlayedLoop {
    pub(crate) file: String,
    pub(crate) start_secs: f64,
    pub(crate) entry_secs: f64,
    pub(crate) exit_secs: Option<f64>,
    pub(crate) cost_metre_secs: f64,
}

/// The answer of `play`.
#[derive(Serialize)]
pub(crate) struct PlayAnswer {
    pub(crate) duration_secs: f64,
    pub(crate) frames: usize,
    pub(crate) fps: f64,
    pub(crate) frame_time_secs: f64,
    pub(crate) seed: u64,
    pub(crate) played: Vec<PlayedLoop>,
}

/// The answer of `play`.
pub(crate) fn human(answer: &PlayAnswer, file: &str) -> String {
    let mut text = format!(
        "{file}: {:.2} s, {} frames, {} jumps\n",
        answer.duration_secs,
        answer.frames,
        answer.played.len().saturating_sub(1)
    );
    for played in &answer.played {
        let _ = write!(
            text,
            "  {:>8.2} s  {} from {:.3} s",
            played.start_secs, played.file, played.entry_secs
        );
        if let Some(exit_secs) = played.exit_secs {
            let _ = write!(text, ", left at {exit_secs:.3} s");
        }
        text.push('\n');
    }
    text
}
