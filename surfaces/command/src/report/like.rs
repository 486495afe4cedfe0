//! Answers of `find --like`.

use std::fmt::Write;

use loopwright_formats::loop_file::facts::TakeFacts;
use loopwright_moves::transition::Occurrence;
use serde::Serialize;

use super::{figures::headline, json, table::Table};
use crate::exit::Failure;

/// A stretch of the take that is like a motion.
#[derive(Serialize)]
pub(crate) struct OccurrenceFacts {
    sought: usize,
    start_frame: usize,
    end_frame: usize,
    start_secs: f64,
    duration_secs: f64,
    tempo_ratio: f64,
    joint_gap_m: f64,
    cost_metre_secs: f64,
    cost_ratio: f64,
}

impl OccurrenceFacts {
    /// A stretch of a take with this step.
    pub(crate) fn new(sought: usize, found: &Occurrence, step_secs: f64) -> Self {
        Self {
            sought,
            start_frame: found.start_frame,
            end_frame: found.start_frame + found.num_frames - 1,
            start_secs: found.start_frame as f64 * step_secs,
            duration_secs: found.num_frames as f64 * step_secs,
            tempo_ratio: found.tempo,
            joint_gap_m: found.joint_gap_metres,
            cost_metre_secs: found.cost,
            cost_ratio: found.cost_ratio,
        }
    }

    /// Why it does not count, in words.
    pub(crate) fn as_miss(&self, max_ratio: f64) -> String {
        format!(
            "nearest is frames {}-{}, joints {:.1} cm off, at {:.2} of the cost of jumps at random (at most {max_ratio})",
            self.start_frame,
            self.end_frame,
            1e2 * self.joint_gap_m,
            self.cost_ratio
        )
    }
}

#[derive(Serialize)]
pub(crate) struct SoughtFacts {
    pub(crate) file: String,
    pub(crate) kind: &'static str,
    pub(crate) start_frame: usize,
    pub(crate) end_frame: usize,
    pub(crate) random_cost_metre_secs: f64,
    pub(crate) occurrences: usize,
    pub(crate) nearest: Option<OccurrenceFacts>,
}

/// The answer of `find --like`.
#[derive(Serialize)]
pub(crate) struct LikeAnswer {
    pub(crate) take: TakeFacts,
    pub(crate) sought: Vec<SoughtFacts>,
    pub(crate) occurrences: Vec<OccurrenceFacts>,
    #[serde(rename = "occurrences_left_out")]
    pub(crate) num_left_out: usize,
}

impl LikeAnswer {
    pub(crate) fn json(&self, failure: Option<&Failure>) -> String {
        json::document("like", self, failure, &[])
    }

    pub(crate) fn human(&self) -> String {
        let mut table = Table::new("# | start | end | seconds | tempo | cm off | cost ratio | <like");
        for (index, found) in self.occurrences.iter().enumerate() {
            table.row(vec![
                (index + 1).to_string(),
                found.start_frame.to_string(),
                found.end_frame.to_string(),
                format!("{:.3}", found.duration_secs),
                format!("{:.2}", found.tempo_ratio),
                format!("{:.1}", 1e2 * found.joint_gap_m),
                format!("{:.3}", found.cost_ratio),
                self.sought[found.sought].file.clone(),
            ]);
        }
        let mut text = headline(&self.take);
        text.push_str(&table.render());
        if self.num_left_out > 0 {
            let all = self.num_left_out + self.occurrences.len();
            let _ = writeln!(text, "and {} more: --top {all} lists all", self.num_left_out);
        }
        text
    }
}
