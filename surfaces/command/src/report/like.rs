//! Answers of `find --like`.

use loopwright_formats::loop_file::facts::TakeFacts;
use loopwright_moves::transition::Occurrence;

use super::{figures::headline, table::Table};

/// A stretch of the take that is like a motion.
#[in_schema]
pub struct OccurrenceFacts {
    /// The motion: its place in the list of those that were sought, from 0.
    sought: usize,
    /// First frame.
    start_frame: usize,
    /// Last frame.
    end_frame: usize,
    /// Time of the first frame.
    start_secs: f64,
    /// Its frames times the time of one.
    duration_secs: f64,
    /// How much faster than the motion it is.
    tempo_ratio: f64,
    /// Mean distance of joints between the two, seen from the root.
    joint_gap_m: f64,
    /// Mean cost of a jump from one into the other, over its frames.
    cost_metre_secs: f64,
    /// The same as a share of random_cost_metre_secs: 0 for the same motion.
    cost_ratio: f64,
}

impl OccurrenceFacts {
    /// Describes a stretch of a take with this step.
    pub fn new(sought: usize, found: &Occurrence, step_secs: f64) -> Self {
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

    /// Words why it does not count.
    pub fn as_miss(&self, max_ratio: f64) -> String {
        format!(
            "nearest is frames {}-{}, joints {:.1} cm off, at {:.2} of the cost of jumps at random (at most {max_ratio})",
            self.start_frame,
            self.end_frame,
            1e2 * self.joint_gap_m,
            self.cost_ratio
        )
    }
}

/// A motion that was sought.
#[in_schema]
pub struct SoughtFacts {
    /// Its file.
    pub file: String,
    /// Whether it is a take or a loop; of a loop the whole cycle is sought.
    #[schemars(extend("enum" = ["take", "loop"]))]
    pub kind: &'static str,
    /// First frame of it that is sought.
    pub start_frame: usize,
    /// Last frame of it that is sought.
    pub end_frame: usize,
    /// Mean cost of jumps between its frames and frames of the take at random.
    pub random_cost_metre_secs: f64,
    /// Stretches of the take that are more like it than like any other motion that is sought.
    pub occurrences: usize,
    /// The stretch that came nearest; null where one counts, and where none is long enough.
    pub nearest: Option<OccurrenceFacts>,
}

/// The answer of `find --like`.
#[in_schema]
pub struct LikeAnswer {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    pub take: TakeFacts,
    /// The motions that were sought, in the order in which they were named.
    pub sought: Vec<SoughtFacts>,
    /// Stretches of the take that are like one of them, cheapest first. They overlap by a quarter at most.
    pub occurrences: Vec<OccurrenceFacts>,
    /// Stretches beyond the rows that --top allows.
    #[serde(rename = "occurrences_left_out")]
    pub num_left_out: usize,
}

impl LikeAnswer {
    pub fn human(&self) -> String {
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
        text += &table.render();
        if self.num_left_out > 0 {
            let all = self.num_left_out + self.occurrences.len();
            text += &format!("and {} more: --top {all} lists all\n", self.num_left_out);
        }
        text
    }
}
