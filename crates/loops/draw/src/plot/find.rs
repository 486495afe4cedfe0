//! The repeating lengths of a take, the cost of every seam, and the proposed loops.

use loopwright_core::analysis::{Peak, Spectrum};
use loopwright_core::{Analysis, FoundLoops, LoopCandidate, SearchSettings, Take, candidate::MAX_COST_RATIO};

use super::kit::axes::{self, Chart, ChartAxis, Labels, Range};
use super::kit::heat::{self, Heat};
use super::kit::legend::{ChartHeading, DASHED, Key, Sign};
use super::kit::style::{self, Ink};
use super::kit::svg::{Anchor, Area, Svg, number};
use super::kit::text;
use super::tracks::{self, Chosen};

/// A search as SVG: autocorrelation over lag, seam cost over start and length with the loops in it, speed and heading.
///
/// `analysis` must be of the same take, and `found` the result of `settings` on it; it may have no candidates. The cost is
/// computed on a grid of a few hundred starts and lengths, however long the take.
pub fn find(analysis: &Analysis, settings: &SearchSettings, found: &FoundLoops) -> String {
    let take = &analysis.take;
    let mut svg = Svg::default();
    let title = format!("{}: which stretches repeat", take.name());
    let top = axes::title(&mut svg, &title, &summary(take, found));
    let top = autocorrelation(&mut svg, take, analysis, settings, found, top) + 14.0;
    let top = costs(&mut svg, take, analysis, settings, found, top) + 14.0;
    let chosen = found.best().map(|best| Chosen {
        start_secs: best.cut.start_frame() * take.frame_time_secs(),
        end_secs: best.cut.end_frame() * take.frame_time_secs(),
    });
    let top = tracks::segments(&mut svg, take, analysis, map_width(), top);
    let speed = tracks::speed_and_heading(take, analysis);
    let bottom = tracks::draw(&mut svg, take, analysis, &speed, chosen, map_width(), top);
    svg.finish(&title, bottom + style::MARGIN - 6.0)
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

fn autocorrelation(
    svg: &mut Svg,
    take: &Take,
    analysis: &Analysis,
    settings: &SearchSettings,
    found: &FoundLoops,
    top: f64,
) -> f64 {
    let (left, width) = axes::full_width();
    let dt = take.frame_time_secs();
    let values = analysis.spectrum.values();
    let known_secs = (values.len() - 1) as f64 * dt;
    let range = Range::new(0.0, known_secs.min(settings.max_secs));
    let min_lag = (settings.min_secs / dt).ceil().max(1.0) as usize;
    let max_lag = (range.high / dt).ceil() as usize;
    let peaks = analysis.spectrum.peaks(min_lag, max_lag, Spectrum::SHOWN_PROMINENCE);

    let mut keys = Vec::new();
    if !peaks.is_empty() {
        keys.push(Key::new(Sign::Dot(Ink::Blue), "peak, with its delay in s"));
    }
    let chosen = found.best().map(|best| best.source_period_secs);
    if let Some(secs) = chosen {
        keys.push(Key::new(
            Sign::Dashed(Ink::Vermillion),
            format!("recommended length, {secs:.3} s"),
        ));
    }
    let cycles: Vec<f64> = found.rhythm(analysis, settings).map_or_else(Vec::new, |rhythm| {
        (1..)
            .map(|cycle| f64::from(cycle) * rhythm.period_secs)
            .take_while(|&secs| secs <= range.high)
            .take(MAX_CYCLES)
            .collect()
    });
    if !cycles.is_empty() {
        keys.push(Key::new(Sign::Stroke(Ink::Faint), "whole cycles"));
    }
    let area = ChartHeading::new("Autocorrelation: how well the take repeats after a delay", keys)
        .over(svg, left, top, width, 140.0);
    let shown = values.iter().take(max_lag + 1).copied();
    let lowest = shown.fold(0.0_f64, f64::min);
    let panel = Chart {
        area,
        x: ChartAxis::across(range, "delay, s", width),
        // Room above 1 for the labels of peaks.
        y: ChartAxis::up(
            Range::new((lowest - 0.1).max(-1.1), 1.25),
            "autocorrelation",
            area.height,
        ),
    };
    panel.draw(svg, |panel, svg| {
        panel.grid(svg);
        panel.level(svg, 0.0, Ink::Grey, "stroke-width=\"1\"");
        for secs in &cycles {
            panel.upright(svg, *secs, Ink::Faint, "stroke-width=\"1.2\"");
        }
        if let Some(secs) = chosen {
            panel.upright(svg, secs, Ink::Vermillion, DASHED);
        }
        let points = values.iter().take(max_lag + 2).enumerate();
        let points: Vec<(f64, f64)> = points.map(|(lag, &value)| (lag as f64 * dt, value)).collect();
        panel.line(svg, &points, Ink::Blue, "");
        mark_peaks(svg, panel, &peaks, dt, chosen);
    });
    area.bottom() + style::BELOW
}

/// Most whole cycles that are marked; more would hide the curve.
const MAX_CYCLES: usize = 24;

/// Most peaks that are marked; a long take has more multiples of its period than there is space for.
const MAX_PEAKS: usize = 12;

fn mark_peaks(svg: &mut Svg, panel: &Chart, peaks: &[Peak], dt: f64, chosen: Option<f64>) {
    let mut labels = Labels::default();
    if let Some(secs) = chosen {
        labels.keep_free(Area {
            left: panel.across(secs) - 2.0,
            width: 4.0,
            ..panel.area
        });
    }
    let shown = &peaks[..peaks.len().min(MAX_PEAKS)];
    for peak in shown {
        let (x, y) = (panel.across(peak.lag_frames * dt), panel.down(peak.height));
        svg.circle(x, y, 3.5, "fb", "");
        labels.keep_free(Area::new(x - 4.0, y - 4.0, 8.0, 8.0));
    }
    for peak in shown {
        let (x, y) = (panel.across(peak.lag_frames * dt), panel.down(peak.height));
        let words = format!("{:.2}", peak.lag_frames * dt);
        let width = text::width(&words, style::TEXT, false) + 4.0;
        if let Some(area) = labels.place(x, y, width, panel.area) {
            svg.text(area.left + 0.5 * width, area.top + 11.5, Anchor::Middle, "ft", &words);
        }
    }
}

/// Side of a cell of the cost map: whole pixels, or seams show between the cells.
const CELL: f64 = 2.0;

fn costs(
    svg: &mut Svg,
    take: &Take,
    analysis: &Analysis,
    settings: &SearchSettings,
    found: &FoundLoops,
    top: f64,
) -> f64 {
    let (left, full_width) = axes::full_width();
    let mut keys = Vec::new();
    if !found.candidates.is_empty() {
        keys.push(Key::new(Sign::Ring(Ink::Vermillion), "recommended (1)"));
    }
    if found.candidates.len() > 1 {
        keys.push(Key::new(Sign::Ring(Ink::Text), "other loops by rank"));
    }
    let heading = ChartHeading::new("Cost of every seam, by start and length", keys);
    heading.draw(svg, left, top, full_width);
    let width = map_width();
    let area = Area::new(left, (top + heading.height(full_width)).round(), width, 300.0);
    let duration = take.duration_secs();
    let longest = settings.max_secs.min(duration).max(settings.min_secs);
    let panel = Chart {
        area,
        x: ChartAxis::across(tracks::time_range(take), "start of the loop, s", width),
        y: ChartAxis::up(Range::new(settings.min_secs, longest), "length, s", area.height),
    };
    let map = Map::new(&panel, take, analysis, settings, found);
    panel.draw(svg, |panel, svg| {
        panel.grid(svg);
        map.draw(svg, panel.area);
        mark_candidates(svg, panel, take, &found.candidates);
    });
    map.draw_scale(svg, panel.area);
    area.bottom() + style::BELOW
}

/// Width of the cost map and of the panels below it, which share its time axis.
fn map_width() -> f64 {
    ((axes::full_width().1 - heat::SCALE_ROOM) / CELL).floor() * CELL
}

/// Costs on a grid of starts (across) and lengths (from the lowest up), as shares of the cost of random pairs.
struct Map {
    columns: usize,
    rows: usize,
    /// Cost over the random median; NaN without such a pair.
    ratios: Vec<f64>,
    /// Whether the shares are of the random median, or of the largest cost if that is unknown.
    has_random: bool,
}

impl Map {
    fn new(panel: &Chart, take: &Take, analysis: &Analysis, settings: &SearchSettings, found: &FoundLoops) -> Self {
        let (columns, rows) = ((panel.area.width / CELL) as usize, (panel.area.height / CELL) as usize);
        let dt = take.frame_time_secs();
        let last = take.num_frames() - 1;
        let middle =
            |index: usize, count: usize, range: Range| range.low + range.width() * (index as f64 + 0.5) / count as f64;
        let mut ratios = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            let length = middle(row, rows, panel.y.range);
            for column in 0..columns {
                let start = (middle(column, columns, panel.x.range) / dt).round() as usize;
                let end = start + (length / dt).round().max(1.0) as usize;
                ratios.push(if end <= last {
                    analysis.seam_cost(start, end, settings.decay)
                } else {
                    f64::NAN
                });
            }
        }
        let random = found.random_cost.filter(|&cost| cost > 0.0);
        let finite = ratios.iter().copied().filter(|cost| cost.is_finite());
        let largest = finite.fold(0.0, f64::max);
        let unit = random.unwrap_or(if largest > 0.0 { largest } else { 1.0 });
        for ratio in &mut ratios {
            *ratio /= unit;
        }
        Self {
            columns,
            rows,
            ratios,
            has_random: random.is_some(),
        }
    }

    fn draw(&self, svg: &mut Svg, area: Area) {
        Heat::new(self.columns, self.rows, |column, row| {
            self.ratios[row * self.columns + column]
        })
        .draw(svg, area);
    }

    fn draw_scale(&self, svg: &mut Svg, area: Area) {
        let plain = [0.0, 0.1, 0.5, MAX_COST_RATIO].map(|ratio| (ratio, number(ratio)));
        let labels = plain.into_iter().chain([(1.0, "1+".to_owned())]);
        let name = if self.has_random {
            "cost, share of random pairs"
        } else {
            "cost, share of the largest"
        };
        heat::scale(svg, area, &labels.collect::<Vec<_>>(), name);
    }
}

fn mark_candidates(svg: &mut Svg, panel: &Chart, take: &Take, candidates: &[LoopCandidate]) {
    const RADIUS: f64 = 4.5;
    let dt = take.frame_time_secs();
    let point_of = |candidate: &LoopCandidate| {
        (
            panel.across(candidate.cut.start_frame() * dt),
            panel.down(candidate.source_period_secs),
        )
    };
    let mut labels = Labels::default();
    for (x, y) in candidates.iter().map(point_of) {
        labels.keep_free(Area::new(x - 6.0, y - 6.0, 12.0, 12.0));
    }
    let mut numbers = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let (x, y) = point_of(candidate);
        let words = (index + 1).to_string();
        let width = text::width(&words, style::TEXT, true) + 8.0;
        let Some(area) = labels.place(x, y, width, panel.area) else {
            continue;
        };
        let middle = (area.left + 0.5 * area.width, area.top + 0.5 * area.height);
        if (middle.0 - x).abs() + (middle.1 - y).abs() > 30.0 {
            svg.segment((x, y), middle, "leader", "stroke-width=\"1.2\"");
        }
        numbers.push((index, words, area));
    }
    // The first is drawn last, so that nothing covers it.
    for (index, candidate) in candidates.iter().enumerate().rev() {
        let (x, y) = point_of(candidate);
        let class = if index == 0 { "chip lv" } else { "chip lt" };
        svg.circle(x, y, RADIUS, class, "stroke-width=\"2.4\"");
    }
    for (index, words, area) in numbers {
        svg.chip(area);
        let class = if index == 0 { "h fv" } else { "h ft" };
        svg.text(
            area.left + 0.5 * area.width,
            area.top + 12.0,
            Anchor::Middle,
            class,
            &words,
        );
    }
}
