//! Answers of `listen`: a line for each loop while the motion arrives, and a final one.

use loopwright_formats::Sidecar;

/// A loop that was made while the motion came.
#[in_schema]
#[derive(Debug)]
pub struct LiveLoop {
    /// What the document is.
    #[schemars(extend("const" = "loopwright-live"))]
    pub format: &'static str,
    /// Version of the shape. Within a version keys are only added.
    #[schemars(extend("const" = loopwright_formats::loop_file::VERSION))]
    pub version: u32,
    /// Cycles since the motion began; where it has no rhythm, tries.
    pub cycle: usize,
    /// Whether `cycle` counts cycles, not tries.
    #[serde(skip)]
    pub has_rhythm: bool,
    /// Frames of the stream so far.
    pub frames: usize,
    /// The frames of the stream that it was made of: the first, and the one behind the last.
    pub of_frames: [usize; 2],
    /// Length of the loop.
    pub period_secs: f64,
    /// Its grade; null where it has none.
    #[schemars(schema_with = "crate::schema_words::optional_word::<loopwright_formats::loop_file::facts::Grade>")]
    pub grade: Option<String>,
    /// Whether it is better than all before, and was written.
    pub is_written: bool,
    /// From the arrival of the cycle's last frame until the loop was there.
    pub ready_secs: f64,
    /// Files written: the loop and its sidecar; none where the one before stays.
    pub outputs: Vec<String>,
}

impl LiveLoop {
    /// Returns one line for programs.
    pub fn line(&self) -> String {
        // Structs of numbers and strings always serialise.
        format!("{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    /// Returns one line for people.
    pub fn human(&self) -> String {
        let grade = self.grade.as_deref().unwrap_or("not graded");
        let what = if self.is_written {
            format!("{} ms after its end", (1000.0 * self.ready_secs).ceil())
        } else {
            "no better than the one before, which stays".to_owned()
        };
        let word = if self.has_rhythm { "cycle" } else { "no rhythm, try" };
        format!("{word} {}: {grade}, {:.3} s, {what}", self.cycle, self.period_secs)
    }
}

/// The last line of listen; where there is no loop, loopwright-error is.
#[in_schema]
pub struct ListenAnswer<'a> {
    /// Frames of the stream.
    pub frames: usize,
    /// Loops that were made while it came.
    pub live_loops: usize,
    /// Whether the loop is that of the whole recording; otherwise one that was made while the motion came stays.
    pub is_of_recording: bool,
    /// The sidecar of the loop in the file.
    #[serde(rename = "loop")]
    #[schemars(with = "crate::schema_words::Loop")]
    pub sidecar: &'a Sidecar,
}
