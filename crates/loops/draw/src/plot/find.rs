//! The repeating lengths of a take, the cost of every seam, and the proposed loops.

use loopwright_core::{
    Analysis, FoundLoops, LoopCandidate, SearchSettings, Take,
    analysis::{Peak, Spectrum},
    candidate::MAX_COST_RATIO,
};

use super::{
    kit::{
        Plot,
        axes::{Chart, Labels, Range},
        heat,
        legend::{ChartHeading, DASHED, Sign},
        style::{self, Ink},
        svg::{Anchor, Area, Svg, number},
        text,
    },
    tracks,
};

/// Returns a search as SVG: autocorrelation over lag, seam cost over start and length with the loops in it, speed and heading.
///
/// `found` must be the result of `settings` on the take of `analysis`; it may have no candidates. The cost is computed on a grid of
/// a few hundred starts and lengths, however long the take.
pub fn find(analysis: &Analysis, settings: &SearchSettings, found: &FoundLoops) -> String {
    let take = &analysis.take;
    let mut plot = Plot::new(
        format!("{}: which stretches repeat", take.name()),
        &summary(take, found),
    );
    autocorrelation(&mut plot, analysis, settings, found);
    plot.y += 14.0;
    costs(&mut plot, analysis, settings, found);
    plot.y += 14.0;
    tracks::segments(&mut plot, analysis, map_width());
    tracks::draw(
        &mut plot,
        analysis,
        &tracks::speed_and_heading(analysis),
        found
            .best()
            .map(|best| [best.cut.start_frame(), best.cut.end_frame()].map(|frame| frame * take.frame_time_secs())),
        map_width(),
    );
    plot.finish()
}

fn summary(take: &Take, found: &FoundLoops) -> String {
    let facts = tracks::facts(take);
    match found.best() {
        None => format!("{facts}; no loop found"),
        Some(best) => format!(
            "{facts}; recommended: frames {} to {}, {:.3} s, {} {}",
            number(best.cut.start_frame()),
            number(best.cut.end_frame()),
            best.source_period_secs,
            best.cycles,
            if best.cycles == 1 { "cycle" } else { "cycles" }
        ),
    }
}

fn autocorrelation(plot: &mut Plot, analysis: &Analysis, settings: &SearchSettings, found: &FoundLoops) {
    let dt = analysis.take.frame_time_secs();
    let values = analysis.spectrum.values();
    let range = Range::new(0.0, ((values.len() - 1) as f64 * dt).min(settings.max_secs));
    let max_lag = (range.high / dt).ceil() as usize;
    let peaks = analysis.spectrum.peaks(
        (settings.min_secs / dt).ceil().max(1.0) as usize,
        max_lag,
        Spectrum::SHOWN_PROMINENCE,
    );
    let chosen = found.best().map(|best| best.source_period_secs);
    let cycles: Vec<f64> = found.rhythm(analysis, settings).map_or_else(Vec::new, |rhythm| {
        (1..)
            .map(|cycle| f64::from(cycle) * rhythm.period_secs)
            .take_while(|&secs| secs <= range.high)
            .take(MAX_CYCLES)
            .collect()
    });
    let area = plot.area(
        &ChartHeading::new("Autocorrelation: how well the take repeats after a delay")
            .key_if(!peaks.is_empty(), Sign::Dot(Ink::Blue), "peak, with its delay in s")
            .keys(chosen.map(|secs| {
                (
                    Sign::Dashed(Ink::Vermillion),
                    format!("recommended length, {secs:.3} s"),
                )
            }))
            .key_if(!cycles.is_empty(), Sign::Stroke(Ink::Faint), "whole cycles"),
        style::CHART_WIDTH,
        140.0,
    );
    let lowest = values.iter().take(max_lag + 1).copied().fold(0.0_f64, f64::min);
    // Room above 1 for the labels of peaks.
    Chart::new(
        area,
        (range, "delay, s"),
        (Range::new((lowest - 0.1).max(-1.1), 1.25), "autocorrelation"),
    )
    .draw(&mut plot.svg, |panel, svg| {
        panel.grid(svg);
        panel.level(svg, 0.0, Ink::Grey, "stroke-width=\"1\"");
        for secs in &cycles {
            panel.upright(svg, *secs, Ink::Faint, "stroke-width=\"1.2\"");
        }
        if let Some(secs) = chosen {
            panel.upright(svg, secs, Ink::Vermillion, DASHED);
        }
        panel.samples(svg, (0, dt), values.iter().take(max_lag + 2).copied(), Ink::Blue, "");
        mark_peaks(svg, panel, &peaks, dt, chosen);
    });
    plot.y += style::BELOW;
}

/// Most whole cycles that are marked; more would hide the curve.
const MAX_CYCLES: usize = 24;

/// Most peaks that are marked; a long take has more multiples of its period than there is space for.
const MAX_PEAKS: usize = 12;

fn mark_peaks(svg: &mut Svg, panel: &Chart, peaks: &[Peak], dt: f64, chosen: Option<f64>) {
    let mut labels = Labels::default();
    if let Some(secs) = chosen {
        let x = panel.across(secs);
        labels.keep_free(panel.area.between(x - 2.0, x + 2.0));
    }
    let shown = peaks.iter().take(MAX_PEAKS).map(|peak| {
        (
            peak.lag_frames * dt,
            panel.across(peak.lag_frames * dt),
            panel.down(peak.height),
        )
    });
    for (_, x, y) in shown.clone() {
        svg.circle((x, y), 3.5, "fb", "");
        labels.keep_free(Area::new(x - 4.0, y - 4.0, 8.0, 8.0));
    }
    for (secs, x, y) in shown {
        let words = format!("{secs:.2}");
        if let Some(area) = labels.place(x, y, text::width(&words, style::TEXT, false) + 4.0, panel.area) {
            svg.text(area.middle().0, area.top + 11.5, Anchor::Middle, "ft", &words);
        }
    }
}

/// Side of a cell of the cost map: whole pixels, or seams show between the cells.
const CELL: f64 = 2.0;

fn costs(plot: &mut Plot, analysis: &Analysis, settings: &SearchSettings, found: &FoundLoops) {
    let (take, candidates) = (&analysis.take, &found.candidates);
    let heading = ChartHeading::new("Cost of every seam, by start and length")
        .key_if(!candidates.is_empty(), Sign::Ring(Ink::Vermillion), "recommended (1)")
        .key_if(candidates.len() > 1, Sign::Ring(Ink::Text), "other loops by rank");
    let svg = &mut plot.svg;
    heading.draw(svg, style::CHART_LEFT, plot.y, style::CHART_WIDTH);
    let top = (plot.y + heading.height(style::CHART_WIDTH)).round();
    let area = Area::new(style::CHART_LEFT, top, map_width(), 300.0);
    let longest = settings.max_secs.min(take.duration_secs()).max(settings.min_secs);
    let panel = Chart::new(
        area,
        (tracks::time_range(take), "start of the loop, s"),
        (Range::new(settings.min_secs, longest), "length, s"),
    );
    let grid = [area.width, area.height].map(|side| (side / CELL) as usize);
    let seams = seam_costs(&panel, grid, analysis, settings);
    let random = found.random_cost.filter(|&cost| cost > 0.0);
    let largest = seams
        .iter()
        .copied()
        .filter(|cost| cost.is_finite())
        .fold(0.0, f64::max);
    let unit = random.unwrap_or(if largest > 0.0 { largest } else { 1.0 });
    panel.draw(svg, |panel, svg| {
        panel.grid(svg);
        heat::draw(svg, area, grid, |column, row| seams[row * grid[0] + column] / unit);
        mark_candidates(svg, panel, take.frame_time_secs(), candidates);
    });
    let labels: Vec<_> = [0.0, 0.1, 0.5, MAX_COST_RATIO]
        .map(|ratio| (ratio, number(ratio)))
        .into_iter()
        .chain([(1.0, "1+".to_owned())])
        .collect();
    let name = match random {
        Some(_) => "cost, share of random pairs",
        None => "cost, share of the largest",
    };
    heat::scale(svg, area, &labels, name);
    plot.y = area.bottom() + style::BELOW;
}

/// Returns the width of the cost map and of the panels below it, which share its time axis.
fn map_width() -> f64 {
    ((style::CHART_WIDTH - heat::SCALE_ROOM) / CELL).floor() * CELL
}

/// Costs of seams on a grid of columns (starts) and rows (lengths, from the lowest up); NaN where the take is over before the end.
fn seam_costs(panel: &Chart, [columns, rows]: [usize; 2], analysis: &Analysis, settings: &SearchSettings) -> Vec<f64> {
    let dt = analysis.take.frame_time_secs();
    let last = analysis.take.num_frames() - 1;
    let mut costs = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        let length = middle_of(row, rows, panel.y.range);
        for column in 0..columns {
            let start = (middle_of(column, columns, panel.x.range) / dt).round() as usize;
            let end = start + (length / dt).round().max(1.0) as usize;
            costs.push(if end <= last {
                analysis.seam_cost(start, end, settings.decay)
            } else {
                f64::NAN
            });
        }
    }
    costs
}

/// Returns the value in the middle of one of `count` even parts of a range.
fn middle_of(index: usize, count: usize, range: Range) -> f64 {
    range.low + range.width() * (index as f64 + 0.5) / count as f64
}

fn mark_candidates(svg: &mut Svg, panel: &Chart, dt: f64, candidates: &[LoopCandidate]) {
    const RADIUS: f64 = 4.5;
    let points: Vec<(f64, f64)> = candidates
        .iter()
        .map(|candidate| {
            (
                panel.across(candidate.cut.start_frame() * dt),
                panel.down(candidate.source_period_secs),
            )
        })
        .collect();
    let mut labels = Labels::around(&points);
    let mut numbers = Vec::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        let words = (index + 1).to_string();
        let Some(area) = labels.place(x, y, text::width(&words, style::TEXT, true) + 8.0, panel.area) else {
            continue;
        };
        let middle = area.middle();
        if (middle.0 - x).abs() + (middle.1 - y).abs() > 30.0 {
            svg.segment((x, y), middle, "leader", "stroke-width=\"1.2\"");
        }
        numbers.push((index, words, area));
    }
    // The first is drawn last, so that nothing covers it.
    for (index, &point) in points.iter().enumerate().rev() {
        let class = if index == 0 { "chip lv" } else { "chip lt" };
        svg.circle(point, RADIUS, class, "stroke-width=\"2.4\"");
    }
    for (index, words, area) in numbers {
        svg.chip(area, if index == 0 { "h fv" } else { "h ft" }, &words);
    }
}
