//! The strides of a take or a loop as facts and as text.

use loopwright_core::analysis::{Mean, Side, Stride, Strides};

/// The mean of a measure over strides without pauses.
#[in_schema]
pub struct MeanFacts {
    /// The mean.
    mean: f64,
    /// Standard deviation of single values; null of a single one, and of symmetry.
    std_dev: Option<f64>,
    /// Standard error of the mean; null where it rests on a single value.
    std_error: Option<f64>,
    /// Number of values.
    count: usize,
}

fn mean(mean: Option<Mean>) -> Option<MeanFacts> {
    mean.map(
        |Mean {
             mean,
             std_dev,
             std_error,
             count,
         }| MeanFacts {
            mean,
            std_dev,
            std_error,
            count,
        },
    )
}

/// The means of a foot.
#[in_schema]
struct FootMeansFacts<'a> {
    /// Its lowest joint.
    foot: &'a str,
    /// Its side, if known.
    #[schemars(extend("enum" = ["left", "right", null]))]
    side: Option<&'static str>,
    /// Share of a stride in which it stands.
    duty: Option<MeanFacts>,
    /// Time of its step.
    step_secs: Option<MeanFacts>,
    /// Length of its step.
    step_length_m: Option<MeanFacts>,
}

/// How alike two feet are: the smaller over the larger mean, 1 if even; null of other numbers of feet.
#[in_schema]
struct SymmetryFacts {
    /// Of the times of steps.
    step_secs: Option<MeanFacts>,
    /// Of the lengths of steps.
    step_length: Option<MeanFacts>,
    /// Of the shares in which they stand.
    duty: Option<MeanFacts>,
}

/// The means of all strides but those that contain a pause.
#[in_schema]
struct GaitSummaryFacts<'a> {
    /// Number of strides that count.
    strides: usize,
    /// Number of strides left out: longer than 1.5 times the median of their foot.
    pauses: usize,
    /// Strikes of all feet per minute.
    cadence_spm: Option<MeanFacts>,
    /// Speed of the body; null in place.
    speed_mps: Option<MeanFacts>,
    /// Time of a stride.
    stride_secs: Option<MeanFacts>,
    /// Length of a stride; null in place.
    stride_length_m: Option<MeanFacts>,
    /// Time of a step.
    step_secs: Option<MeanFacts>,
    /// Length of a step; null in place.
    step_length_m: Option<MeanFacts>,
    /// Time for which a foot stands.
    stance_secs: Option<MeanFacts>,
    /// Share of a stride in which its foot stands.
    duty: Option<MeanFacts>,
    /// Share of a stride in which both of two feet stand; null of other numbers of feet.
    double_support: Option<MeanFacts>,
    /// Share of a stride in which no foot stands.
    flight: Option<MeanFacts>,
    /// Each foot.
    feet: Vec<FootMeansFacts<'a>>,
    /// How alike two feet are.
    symmetry: SymmetryFacts,
    /// A sentence about figures that are unusual; null if none is.
    note: Option<&'a str>,
}

/// A stride: from a strike of a foot to its next.
#[in_schema]
struct StrideFacts<'a> {
    /// The foot's lowest joint.
    foot: &'a str,
    /// Its side, if known.
    #[schemars(extend("enum" = ["left", "right", null]))]
    side: Option<&'static str>,
    /// Its strike, after the first frame.
    strike_secs: f64,
    /// When it leaves the ground.
    lift_secs: f64,
    /// Its next strike; of a loop perhaps after the end.
    next_strike_secs: f64,
    /// From strike to strike.
    stride_secs: f64,
    /// Between the places where the foot stands, along the way of the body; null in place.
    stride_length_m: Option<f64>,
    /// From the last strike of another foot to the next strike; null where no other foot strikes in between.
    step_secs: Option<f64>,
    /// Between the places of those two feet, along the way of the body; null in place.
    step_length_m: Option<f64>,
    /// For how long the foot stands.
    stance_secs: f64,
    /// Share of the stride in which it stands.
    duty: f64,
    /// For how long both of two feet stand after the strike; null of other numbers of feet.
    first_double_support_secs: Option<f64>,
    /// For how long both of two feet stand before the foot leaves; null of other numbers of feet.
    second_double_support_secs: Option<f64>,
    /// For how long no foot stands.
    flight_secs: f64,
    /// Speed of the body; null in place.
    speed_mps: Option<f64>,
    /// Strikes of all feet per minute.
    cadence_spm: f64,
}

/// The strides of a body.
#[in_schema]
pub struct GaitFacts<'a> {
    /// Their means.
    summary: GaitSummaryFacts<'a>,
    /// All strides, in order of their strikes.
    strides: Vec<StrideFacts<'a>>,
}

impl<'a> GaitFacts<'a> {
    /// Collects the facts of strides by feet with these names.
    pub fn new(found: &'a Strides, feet: &[&'a str]) -> Self {
        Self {
            summary: GaitSummaryFacts {
                strides: found.rows.len() - found.pauses,
                pauses: found.pauses,
                cadence_spm: mean(found.cadence_spm),
                speed_mps: mean(found.speed_mps),
                stride_secs: mean(found.stride_secs),
                stride_length_m: mean(found.stride_metres),
                step_secs: mean(found.step_secs),
                step_length_m: mean(found.step_metres),
                stance_secs: mean(found.stance_secs),
                duty: mean(found.duty),
                double_support: mean(found.double_support),
                flight: mean(found.flight),
                feet: found
                    .feet
                    .iter()
                    .zip(feet.iter().copied())
                    .map(|(means, foot)| FootMeansFacts {
                        foot,
                        side: means.side.map(Side::as_str),
                        duty: mean(means.duty),
                        step_secs: mean(means.step_secs),
                        step_length_m: mean(means.step_metres),
                    })
                    .collect(),
                symmetry: SymmetryFacts {
                    step_secs: mean(found.evenness.step_secs),
                    step_length: mean(found.evenness.step_metres),
                    duty: mean(found.evenness.duty),
                },
                note: found.note.as_deref(),
            },
            strides: found
                .rows
                .iter()
                .map(|row| StrideFacts::new(row, feet[row.foot]))
                .collect(),
        }
    }

    /// Words the means in a line or two; `None` without strides.
    pub fn human(&self) -> Option<String> {
        let summary = &self.summary;
        let mut text = format!("{:.1} steps/min", summary.cadence_spm.as_ref()?.mean);
        if let (Some(speed), Some(length)) = (&summary.speed_mps, &summary.stride_length_m) {
            text += &format!(", {:.2} m/s, strides of {:.2} m", speed.mean, length.mean);
        }
        for (name, share) in [
            ("duty factor", &summary.duty),
            ("double support", &summary.double_support),
            ("flight", &summary.flight),
        ] {
            // Less than half a hundredth would be printed as zero.
            if let Some(share) = share.as_ref().filter(|share| share.mean >= 0.005) {
                text += &format!(", {name} {:.2}", share.mean);
            }
        }
        Some(text)
    }

    /// A note about unusual figures.
    pub fn note(&self) -> Option<&str> {
        self.summary.note
    }
}

impl<'a> StrideFacts<'a> {
    fn new(stride: &Stride, foot: &'a str) -> Self {
        Self {
            foot,
            side: stride.side.map(Side::as_str),
            strike_secs: stride.strike_secs,
            lift_secs: stride.lift_secs,
            next_strike_secs: stride.next_strike_secs,
            stride_secs: stride.secs(),
            stride_length_m: stride.stride_metres,
            step_secs: stride.step_secs,
            step_length_m: stride.step_metres,
            stance_secs: stride.stance_secs(),
            duty: stride.duty(),
            first_double_support_secs: stride.double_support_secs.map(|[first, _]| first),
            second_double_support_secs: stride.double_support_secs.map(|[_, second]| second),
            flight_secs: stride.flight_secs,
            speed_mps: stride.speed_mps,
            cadence_spm: stride.cadence_spm,
        }
    }
}
