//! What other ways to look for loops find on real takes, at the price of their seams.

use std::fmt::Write;

use loopwright::candidate::{
    SearchSettings,
    bound::SeamBounds,
    score::SeamCost,
    search::{Admission, DistinctPairs, Seams},
};

use super::{
    field::Field,
    profile,
    published::{Pair, Rotations},
};
use crate::road::{Studied, median};

/// Peaks of the autocorrelation that the generous form of the published method tries.
const PEAKS: usize = 5;

/// Lengths as close as this to a rival's count as the same, seconds.
const SAME_LENGTH_SECS: f64 = 0.1;

/// The ways compared with ours.
const RIVALS: [&str; 3] = [
    "autocorrelation, highest peak",
    "autocorrelation, best of five peaks",
    "matrix profile",
];

/// Cost and length of a pair, and how they compare.
struct Choice {
    cost: f64,
    secs: f64,
    /// Lowest cost of any pair of about this length.
    lowest_of_length: f64,
}

/// What was found on one take.
struct Compared {
    lowest: Choice,
    recommended: Choice,
    rivals: [Option<Choice>; 3],
}

fn compare(studied: &Studied<'_>) -> Result<Compared, String> {
    let failed = |what: &str| format!("{}: {what}", studied.row.file);
    let (take, analysis) = (&studied.take, &studied.analysis);
    let dt = take.frame_time_secs();
    let Field { best, lags, admission } = Field::of(studied)?;
    let seams = Seams::new(&analysis.features, SeamCost::even(SearchSettings::default().decay));
    let bounds = SeamBounds::new(seams, &analysis.usable);
    let lowest_in = |admission: Admission| {
        DistinctPairs::new(&bounds, admission, 0)
            .expecting(1)
            .next()
            .ok_or_else(|| failed("no pair is admitted"))
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
    let rotations = Rotations::of(studied);
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
            return Err(failed(&format!(
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

/// Ratios to the lowest cost of all, to that of the rival's own length, and to the recommended loop's.
#[derive(Default)]
struct Ratios {
    lowest: Vec<f64>,
    of_length: Vec<f64>,
    recommended: Vec<f64>,
}

/// Seams this cheap are exact repeats, metre-seconds; over nothing there is no ratio.
const EXACT: f64 = 1e-5;

/// A cost over another, where that is more than rounding.
fn over(cost: f64, base: f64) -> Option<f64> {
    (base >= EXACT).then(|| cost / base)
}

/// The section as Markdown.
pub(super) fn section(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Against other ways to look\n\n\
         All takes that the list expects to loop. Every way may choose among the same pairs: those of usable frames, 0.4 to 10 s\n\
         apart, that move all the while ([search.md](../math/search.md)); where only standing repeats, those that stand, from\n\
         2 s on. What each found is priced alike, by the exact two-sided cost of its seam in millimetre-seconds, and the length\n\
         told in seconds beside it.\n\n\
         - **Lowest**: the head of the exact list of distinct loops. **Recommended**: what `find` puts first, with as few cycles\n\
           as serve and where the take is calm.\n\
         - **Autocorrelation** is the published method with its faults mended: the lag is the highest peak of the\n\
           autocorrelation of all joints' rotations (facing taken out of the hips, nothing wraps, taken over the admitted pairs,\n\
           at least as many as a quarter of the frames), the start the one whose window of 11 poses differs least from the window one lag\n\
           on. *Five peaks* tries that for the five highest.\n\
         - **Matrix profile**: z-normalised windows of 11 frames, mean distance over all channels of our own features; the pair\n\
           in the middle of the two most alike.\n\n\
         That the lowest is never above any of these is checked as the page is written. Ratios to exact repeats, which cost less\n\
         than 0.01, are left out.\n\n\
         | take | lowest | recommended | autocorrelation | five peaks | matrix profile |\n\
         | --- | --- | --- | --- | --- | --- |"
    );
    let mut ratios: [Ratios; 3] = Default::default();
    let mut own = Vec::new();
    for studied in studied {
        let compared = compare(studied)?;
        let cell = |choice: &Choice| format!("{:.2}, {:.2} s", 1e3 * choice.cost, choice.secs);
        let _ = write!(
            page,
            "| {} | {} | {} |",
            studied.row.file,
            cell(&compared.lowest),
            cell(&compared.recommended)
        );
        own.extend(over(compared.recommended.cost, compared.lowest.cost));
        for (ratios, rival) in ratios.iter_mut().zip(&compared.rivals) {
            let Some(rival) = rival else {
                page.push_str(" - |");
                continue;
            };
            let ratio = over(rival.cost, compared.lowest.cost);
            let told = ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} x"));
            let _ = write!(page, " {}{told} |", cell(rival));
            ratios.lowest.extend(ratio);
            ratios.of_length.extend(over(rival.cost, rival.lowest_of_length));
            ratios.recommended.extend(over(rival.cost, compared.recommended.cost));
        }
        page.push('\n');
    }
    page.push_str(
        "\nCosts over ours, median and largest; at its own length: over the lowest cost of any pair within 0.1 s of the length\n\
         that the way chose, which leaves the choice of the place alone.\n\n\
         | way | takes | over the lowest | at its own length | over the recommended | cheaper than the recommended |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    let spread = |values: &mut Vec<f64>| {
        let middle = median(values);
        format!("{middle:.2}, {:.1}", values.last().copied().unwrap_or(0.0))
    };
    for (name, ratios) in RIVALS.iter().zip(&mut ratios) {
        let cheaper = ratios.recommended.iter().filter(|&&ratio| ratio < 1.0).count();
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {cheaper} |",
            ratios.lowest.len(),
            spread(&mut ratios.lowest),
            spread(&mut ratios.of_length),
            spread(&mut ratios.recommended),
        );
    }
    let _ = writeln!(
        page,
        "| our recommended | {} | {} | | | |\n",
        own.len(),
        spread(&mut own)
    );
    Ok(())
}
