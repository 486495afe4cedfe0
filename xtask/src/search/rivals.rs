//! Loops that other search methods find in real takes, compared by the cost of their seams.

use loopwright::{
    SearchSettings,
    unstable::{
        bound::SeamBounds,
        score::SeamCost,
        seams::Seams,
        search::{Admission, DistinctPairs},
    },
};

use super::{
    field::Field,
    profile,
    published::{Pair, Rotations},
};
use crate::{page::Sections, statistics::Sorted, table::Table, takes::Studied};

/// Number of peaks of the autocorrelation that the more generous form of the published method tries.
const PEAKS: usize = 5;

/// Largest difference from a rival's length at which a length counts as the same, seconds.
const SAME_LENGTH_SECS: f64 = 0.1;

/// The methods compared with ours.
const RIVALS: [&str; 3] = [
    "autocorrelation, highest peak",
    "autocorrelation, best of five peaks",
    "matrix profile",
];

/// Cost and length of a pair, and the lowest cost to compare with.
struct Choice {
    cost: f64,
    secs: f64,
    /// Lowest cost of any pair of about this length.
    lowest_of_length: f64,
}

/// Results on one take.
struct Compared {
    lowest: Choice,
    recommended: Choice,
    rivals: [Option<Choice>; 3],
}

fn compare(studied: &Studied) -> Result<Compared, String> {
    let (take, analysis) = (&studied.take, &studied.analysis);
    let dt = take.frame_time_secs();
    let Field { best, lags, admission } = Field::new(studied)?;
    let seams = Seams::new(&analysis.features, SeamCost::even(SearchSettings::default().decay));
    let bounds = SeamBounds::new(seams, &analysis.usable);
    let lowest_in = |admission: Admission| {
        DistinctPairs::new(&bounds, admission, 0)
            .expecting(1)
            .next()
            .ok_or_else(|| studied.failed("no pair is admitted"))
    };
    let reach = (SAME_LENGTH_SECS / dt).round() as usize;
    let choice = |(start, end): Pair| -> Result<Choice, String> {
        let lag = end - start;
        Ok(Choice {
            cost: seams.cost(start, end),
            secs: lag as f64 * dt,
            lowest_of_length: lowest_in(admission.with_lags(lag.saturating_sub(reach)..=lag + reach))?.cost,
        })
    };
    let lowest = lowest_in(admission.clone())?;
    let rotations = Rotations::new(studied);
    let peaks = rotations.best_lags(lags.clone(), &admission);
    let rivals = [
        rotations.best_pair(&peaks[..peaks.len().min(1)], &admission),
        rotations.best_pair(&peaks[..peaks.len().min(PEAKS)], &admission),
        profile::best_pair(&analysis.features, lags, &admission),
    ];
    for (name, pair) in RIVALS.iter().zip(&rivals) {
        if let Some((start, end)) = *pair
            && seams.cost(start, end) < lowest.cost
        {
            return Err(studied.failed(format_args!(
                "{name} found frames {start} to {end}, which cost less than ours"
            )));
        }
    }
    let [one, five, profile] = rivals.map(|pair| pair.map(choice).transpose());
    Ok(Compared {
        lowest: choice((lowest.start_frame, lowest.end_frame))?,
        recommended: Choice {
            cost: best.seam_cost,
            secs: best.source_period_secs,
            lowest_of_length: best.seam_cost,
        },
        rivals: [one?, five?, profile?],
    })
}

/// Ratios to the lowest cost of all, to the lowest cost at the rival's own length, and to the cost of the recommended loop.
#[derive(Default)]
struct Ratios {
    lowest: Vec<f64>,
    of_length: Vec<f64>,
    recommended: Vec<f64>,
}

/// Cost below which a seam is an exact repeat, metre-seconds; a ratio to it would mean nothing.
const EXACT: f64 = 1e-5;

/// Ratio of a cost to a base; `None` if the base is no more than rounding.
fn over(cost: f64, base: f64) -> Option<f64> {
    (base >= EXACT).then(|| cost / base)
}

pub(super) fn measure(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new("take | lowest | recommended | autocorrelation | five peaks | matrix profile");
    let mut ratios: [Ratios; 3] = Default::default();
    let mut own = Vec::new();
    for studied in studied {
        let compared = compare(studied)?;
        let cell = |choice: &Choice| format!("{:.2}, {:.2} s", 1e3 * choice.cost, choice.secs);
        let mut cells = vec![
            studied.file.clone(),
            cell(&compared.lowest),
            cell(&compared.recommended),
        ];
        own.extend(over(compared.recommended.cost, compared.lowest.cost));
        for (ratios, rival) in ratios.iter_mut().zip(&compared.rivals) {
            let Some(rival) = rival else {
                cells.push("-".to_owned());
                continue;
            };
            let ratio = over(rival.cost, compared.lowest.cost);
            let suffix = ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} x"));
            cells.push(format!("{}{suffix}", cell(rival)));
            ratios.lowest.extend(ratio);
            ratios.of_length.extend(over(rival.cost, rival.lowest_of_length));
            ratios.recommended.extend(over(rival.cost, compared.recommended.cost));
        }
        table.row(cells.join(" | "));
    }
    sections.add("every-take", table);
    let mut table = Table::new(
        "way | takes | over the lowest | at its own length | over the recommended | cheaper than the recommended",
    );
    let spread = |values: Vec<f64>| {
        let values: Sorted = values.into_iter().collect();
        format!("{:.2}, {:.1}", values.median(), values.largest())
    };
    for (name, ratios) in RIVALS.iter().zip(ratios) {
        let cheaper = ratios.recommended.iter().filter(|&&ratio| ratio < 1.0).count();
        table.row(format_args!(
            "{name} | {} | {} | {} | {} | {cheaper}",
            ratios.lowest.len(),
            spread(ratios.lowest),
            spread(ratios.of_length),
            spread(ratios.recommended),
        ));
    }
    table.row(format_args!("our recommended | {} | {} | | |", own.len(), spread(own)));
    sections.add("ratios", table);
    Ok(())
}
