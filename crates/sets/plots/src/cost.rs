//! Plots the cost of jumps: between all frames of two motions, and among many.

use loopwright_core::math::{Decay, greatest};
use loopwright_draw::plot::kit::{
    Plot,
    axes::{Chart, Labels, Range, nice_step},
    heat,
    legend::{ChartHeading, Sign},
    style::{self, Ink},
    svg::{Anchor, Area, Svg},
    text,
};
use loopwright_moves::transition::{CostGrid, Crossing};

/// Costs of jumps between two motions, for drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionMap<'a> {
    /// Names of the motion that is left and of the one that is entered.
    pub names: [&'a str; 2],
    /// Seconds from one frame to the next of both.
    pub step_secs: [f64; 2],
    /// How a jump's offset fades.
    pub decay: Decay,
    /// Costs of jumps from exits to entries; a few hundred of each are enough.
    pub grid: &'a CostGrid,
    /// The best entry for each exit, in order.
    pub best_entries: &'a [Crossing],
    /// The best jumps, cheapest first.
    pub best: &'a [Crossing],
    /// Frames per cycle of both, and the phase of the second that matches the start of the first; `None` unless both repeat.
    pub matching: Option<([usize; 2], f64)>,
}

/// Side of the large map.
const MAP: f64 = 456.0;

/// Side of the small maps, and where they begin.
const SMALL: f64 = 200.0;
const SMALL_LEFT: f64 = 712.0;

/// Draws the exact costs of all jumps with the best of them, the feature form and its error, and the best entry for each exit.
pub fn transitions(map: &TransitionMap) -> String {
    let [left_name, entered_name] = map.names;
    let below = format!(
        "{}; metre-seconds: weighted distances of the joints from their target, summed over joints, axes and time",
        fade(map.decay)
    );
    let title = format!("From {left_name} into {entered_name}: what jumps cost");
    let mut plot = Plot::new(title, &below);
    let heading = ChartHeading::new("Exact cost")
        .key_if(!map.best.is_empty(), Sign::Ring(Ink::Vermillion), "best jumps")
        .key_if(map.matching.is_some(), Sign::Dashed(Ink::Vermillion), "matching phase");
    let svg = &mut plot.svg;
    heading.draw(svg, style::CHART_LEFT, plot.y, MAP);
    let area = Area::new(style::CHART_LEFT, (plot.y + heading.height(MAP)).round(), MAP, MAP);
    let grid = map.grid;
    let colours = Colours::over(&grid.exact);
    map.draw(svg, area, &grid.exact, colours, true);
    let missed: Vec<f64> = grid
        .exact
        .iter()
        .zip(&grid.feature)
        .map(|(exact, feature)| exact - feature)
        .collect();
    let missed_colours = Colours::up_to(&missed);
    let upper = Area::new(SMALL_LEFT, area.top, SMALL, SMALL);
    let lower = Area {
        top: area.bottom() - SMALL,
        ..upper
    };
    map.draw(svg, upper, &grid.feature, colours, false);
    map.draw(svg, lower, &missed, missed_colours, false);
    for (area, title) in [
        (upper, "Approximate cost, same colours".to_owned()),
        (lower, format!("Difference, to {:.3}", missed_colours.dearest)),
    ] {
        svg.text(area.left, area.top - 10.0, Anchor::Start, "h ft", &title);
    }
    heat::scale(svg, area, &colours.labels(), "cost, metre-seconds");
    plot.y = area.bottom() + style::BELOW + 12.0;
    map.entries(&mut plot);
    plot.y += style::BELOW;
    plot.finish()
}

/// Width of the names of motions on axes; longer names are cut.
const NAME_ROOM: f64 = 200.0;

impl TransitionMap<'_> {
    /// Returns a chart of exits and entries.
    fn panel(&self, area: Area, named: bool) -> Chart {
        let [leave, enter] = if named {
            [self.axis_name("leave", 0), self.axis_name("enter", 1)]
        } else {
            Default::default()
        };
        let [exits, entries] = [self.range(&self.grid.exits, 0), self.range(&self.grid.entries, 1)];
        Chart::new(area, (exits, &leave), (entries, &enter))
    }

    fn axis_name(&self, verb: &str, side: usize) -> String {
        let name = text::fit(self.names[side], style::TEXT, false, NAME_ROOM);
        format!("{verb} {name} at, s")
    }

    /// Returns the range from the first to the last of some frames, extended by half their distance at both ends, seconds.
    fn range(&self, frames: &[usize], side: usize) -> Range {
        let [first, last] = [frames.first(), frames.last()].map(|frame| frame.copied().unwrap_or(0));
        let half = 0.5 * (last - first).max(1) as f64 / (frames.len().max(2) - 1) as f64;
        let step_secs = self.step_secs[side];
        Range::new((first as f64 - half) * step_secs, (last as f64 + half) * step_secs)
    }

    /// Draws a map of costs; the large one names its axes and marks the best jumps.
    fn draw(&self, svg: &mut Svg, area: Area, costs: &[f64], colours: Colours, is_large: bool) {
        let rows = self.grid.entries.len();
        self.panel(area, is_large).draw(svg, |panel, svg| {
            heat::draw(svg, area, [self.grid.exits.len(), rows], |column, row| {
                colours.ratio(costs[column * rows + row])
            });
            if is_large {
                self.mark(svg, panel);
            }
        });
    }

    fn mark(&self, svg: &mut Svg, panel: &Chart) {
        if let Some((frames, phase)) = self.matching {
            const POINTS: usize = 400;
            let mut points = Vec::new();
            let mut before = 0.0;
            for index in 0..=POINTS {
                let at = index as f64 / POINTS as f64;
                let met = (at + phase).rem_euclid(1.0);
                if met < before {
                    // The line continues at the other edge across the seam.
                    points.push((f64::NAN, f64::NAN));
                }
                before = met;
                let [x, y] =
                    [(at, 0), (met, 1)].map(|(share, side)| share * frames[side] as f64 * self.step_secs[side]);
                points.push((panel.across(x), panel.down(y)));
            }
            svg.polyline(points, Ink::Vermillion, "style=\"stroke-width:2;stroke-dasharray:5 4\"");
        }
        let points: Vec<(f64, f64)> = self
            .best
            .iter()
            .map(|crossing| {
                (
                    panel.across(crossing.exit as f64 * self.step_secs[0]),
                    panel.down(crossing.entry as f64 * self.step_secs[1]),
                )
            })
            .collect();
        let mut labels = Labels::around(&points);
        for (index, &(x, y)) in points.iter().enumerate().rev() {
            svg.circle((x, y), 4.5, "chip lv", "stroke-width=\"2.4\"");
            let words = (index + 1).to_string();
            if let Some(area) = labels.place(x, y, text::width(&words, style::TEXT, true) + 8.0, panel.area) {
                svg.chip(area, "h ft", &words);
            }
        }
    }

    /// Draws the cost of the best entry for each exit, over the time of the motion that is left.
    fn entries(&self, plot: &mut Plot) {
        let area = plot.area(
            &ChartHeading::new("When to leave: cost of the best entry")
                .key(Sign::Line(Ink::Blue), "exact")
                .key(Sign::Ring(Ink::Vermillion), "best jumps"),
            style::CHART_WIDTH,
            110.0,
        );
        let point = |crossing: &Crossing| (crossing.exit as f64 * self.step_secs[0], crossing.cost);
        let costs = Range::around(self.best_entries.iter().map(|crossing| crossing.cost), 1e-6).down_to_zero();
        Chart::new(
            area,
            (self.range(&self.grid.exits, 0), &*self.axis_name("leave", 0)),
            (costs, "metre-seconds"),
        )
        .draw(&mut plot.svg, |panel, svg| {
            panel.grid(svg);
            panel.line(svg, self.best_entries.iter().map(point), Ink::Blue, "");
            for crossing in self.best {
                // For jumps from a single frame, only the best entry is on the curve.
                let best = self.best_entries.iter().find(|best| best.exit == crossing.exit);
                if best.is_none_or(|best| best.cost >= crossing.cost) {
                    let (x, y) = point(crossing);
                    svg.circle((panel.across(x), panel.down(y)), 4.5, "chip lv", "stroke-width=\"2.4\"");
                }
            }
        });
    }
}

/// Space for the names of motions left of the map, and below it, where they run upwards.
const NAMES: f64 = 190.0;

/// Cells of a map of many motions are at most this large, and hold their cost from this size on.
const LARGEST_CELL: f64 = 56.0;
const CELL_WITH_COST: f64 = 38.0;

/// Least distance of two names.
const NAMES_APART: f64 = 14.0;

/// Draws the cheapest jumps from each of many motions, by row from the top, into each other, by column: costs in metre-seconds;
/// `None` without a jump.
pub fn transitions_among(names: &[String], decay: Decay, costs: &[Vec<Option<f64>>]) -> String {
    let title = format!("What the cheapest jumps between {} motions cost", names.len());
    let mut plot = Plot::new(
        title,
        &format!("{}; dark is expensive, empty where no jump leads", fade(decay)),
    );
    let svg = &mut plot.svg;
    let count = names.len().max(1);
    let left = style::MARGIN + 18.0 + NAMES;
    let room = style::WIDTH - left - style::MARGIN - heat::SCALE_ROOM - 24.0;
    let cell = (room / count as f64).min(LARGEST_CELL);
    let area = Area::new(left, plot.y + 22.0, cell * count as f64, cell * count as f64);
    let cost = |row: usize, column: usize| costs.get(row).and_then(|row| *row.get(column)?).unwrap_or(f64::NAN);
    let colours = Colours::over(&costs.iter().flatten().flatten().copied().collect::<Vec<f64>>());
    svg.rect(area, "panel");
    // A map has its lowest row first.
    heat::draw(svg, area, [count, count], |column, row| {
        colours.ratio(cost(count - 1 - row, column))
    });
    svg.outline(area);
    let middle = |index: usize| cell * (index as f64 + 0.5);
    let every = (NAMES_APART / cell).ceil().max(1.0) as usize;
    for (index, name) in names.iter().enumerate().step_by(every) {
        let name = text::fit(name, style::TEXT, false, NAMES);
        svg.text(
            area.left - 8.0,
            area.top + middle(index) + 4.0,
            Anchor::End,
            "ft",
            &name,
        );
        svg.text_upwards(
            area.left + middle(index) + 4.0,
            area.bottom() + 8.0,
            Anchor::End,
            "ft",
            &name,
        );
    }
    if cell >= CELL_WITH_COST {
        for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
            let cost = cost(row, column);
            if cost.is_finite() {
                heat::label(
                    svg,
                    (area.left + middle(column), area.top + middle(row) + 4.0),
                    colours.ratio(cost),
                    &format!("{cost:.2}"),
                );
            }
        }
    }
    let (x, y) = area.middle();
    svg.text_upwards(style::MARGIN + 10.0, y, Anchor::Middle, "h ft", "leave");
    svg.text(x, area.top - 10.0, Anchor::Middle, "h ft", "enter");
    heat::scale(svg, area, &colours.labels(), "cost, metre-seconds");
    let widths = names.iter().map(|name| text::width(name, style::TEXT, false));
    plot.finish_at(area.bottom() + 16.0 + greatest(widths).min(NAMES) + style::MARGIN)
}

/// Describes a fade with its duration.
fn fade(decay: Decay) -> String {
    let of = match decay {
        Decay::Spring { .. } => "spring with a half-life",
        Decay::Cubic { .. } => "cubic with a blend time",
        Decay::Quintic { .. } => "quintic with a blend time",
    };
    format!("{of} of {:.3} s", decay.secs())
}

/// The costs that the colours of a map cover.
#[derive(Clone, Copy)]
struct Colours {
    cheapest: f64,
    dearest: f64,
}

impl Colours {
    /// Covers zero to the largest finite cost; 1 if none is above zero.
    fn up_to(costs: &[f64]) -> Self {
        let largest = greatest(costs.iter().copied().filter(|cost| cost.is_finite()));
        Self {
            cheapest: 0.0,
            dearest: if largest > 0.0 { largest } else { 1.0 },
        }
    }

    /// Covers only the existing range of costs.
    fn over(costs: &[f64]) -> Self {
        let dearest = Self::up_to(costs).dearest;
        let finite = costs.iter().copied().filter(|cost| cost.is_finite());
        Self {
            cheapest: finite.fold(dearest, f64::min).min(0.99 * dearest),
            dearest,
        }
    }

    fn ratio(self, cost: f64) -> f64 {
        (cost - self.cheapest) / (self.dearest - self.cheapest)
    }

    /// Returns round costs with their ratios, as dense as the square-root scale allows.
    fn labels(self) -> Vec<(f64, String)> {
        let (step, decimals) = nice_step(0.1 * (self.dearest - self.cheapest));
        let first = (self.cheapest / step).ceil() as i64;
        let mut labels: Vec<(f64, String)> = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for index in first..first + 12 {
            let value = index as f64 * step;
            let height = self.ratio(value).max(0.0).sqrt();
            if value <= self.dearest && height - last >= LABEL_APART {
                labels.push((self.ratio(value), format!("{value:.decimals$}")));
                last = height;
            }
        }
        labels
    }
}

/// Share of the scale's height between labels, at least.
const LABEL_APART: f64 = 0.09;
