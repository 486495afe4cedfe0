//! The cost of jumps: between all frames of two motions, and by the gaps of position and velocity of one jump.

use loopwright_core::math::Decay;
use loopwright_draw::plot::kit::axes::{self, Chart, ChartAxis, Labels, Range};
use loopwright_draw::plot::kit::heat::{self, Heat};
use loopwright_draw::plot::kit::legend::{ChartHeading, Key, Sign};
use loopwright_draw::plot::kit::style::{self, Ink};
use loopwright_draw::plot::kit::svg::{Anchor, Area, Svg};
use loopwright_draw::plot::kit::text;
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
    /// Frames of a cycle of both, and the phase of the second that matches the start of the first; `None` unless both repeat.
    pub matching: Option<([usize; 2], f64)>,
}

/// Side of the large map.
const MAP: f64 = 456.0;

/// Side of the small maps, and where they begin.
const SMALL: f64 = 200.0;
const SMALL_LEFT: f64 = 712.0;

/// Exact costs of all jumps with the best of them, the feature form and its error, and the best entry for each exit.
pub fn transitions(map: &TransitionMap<'_>) -> String {
    let mut svg = Svg::default();
    let [left_name, entered_name] = map.names;
    let title = format!("From {left_name} into {entered_name}: what jumps cost");
    let below = format!(
        "{}; metre-seconds: weighted distances of the joints from their target, summed over joints, axes and time",
        fade(map.decay)
    );
    let top = axes::title(&mut svg, &title, &below);
    let left = style::MARGIN + style::LEFT;
    let mut keys = Vec::new();
    if !map.best.is_empty() {
        keys.push(Key::new(Sign::Ring(Ink::Vermillion), "best jumps"));
    }
    if map.matching.is_some() {
        keys.push(Key::new(Sign::Dashed(Ink::Vermillion), "matching phase"));
    }
    let heading = ChartHeading::new("Exact cost", keys);
    heading.draw(&mut svg, left, top, MAP);
    let area = Area::new(left, (top + heading.height(MAP)).round(), MAP, MAP);
    let panel = map.panel(area, true);
    let dearest = largest(&map.grid.exact);
    // The colours cover only the existing range of costs.
    let finite = map.grid.exact.iter().copied().filter(|cost| cost.is_finite());
    let cheapest = finite.fold(dearest, f64::min).min(0.99 * dearest);
    let mut draw_map = |panel: &Chart, values: &[f64], [cheapest, dearest]: [f64; 2], marked: bool| {
        let (columns, rows) = (map.grid.exits.len(), map.grid.entries.len());
        let heat = Heat::new(columns, rows, |column, row| {
            (values[column * rows + row] - cheapest) / (dearest - cheapest)
        });
        panel.draw(&mut svg, |panel, svg| {
            heat.draw(svg, panel.area);
            if marked {
                map.mark(svg, panel);
            }
        });
    };
    draw_map(&panel, &map.grid.exact, [cheapest, dearest], true);
    let missed: Vec<f64> = (map.grid.exact.iter().zip(&map.grid.feature))
        .map(|(exact, feature)| exact - feature)
        .collect();
    let most_missed = largest(&missed);
    let upper = Area::new(SMALL_LEFT, area.top, SMALL, SMALL);
    let lower = Area {
        top: area.bottom() - SMALL,
        ..upper
    };
    draw_map(&map.panel(upper, false), &map.grid.feature, [cheapest, dearest], false);
    draw_map(&map.panel(lower, false), &missed, [0.0, most_missed], false);
    for (area, title) in [
        (upper, "Approximate cost, same colours".to_owned()),
        (lower, format!("Difference, to {most_missed:.3}")),
    ] {
        svg.text(area.left, area.top - 10.0, Anchor::Start, "h ft", &title);
    }
    heat::scale(
        &mut svg,
        area,
        &scale_labels([cheapest, dearest]),
        "cost, metre-seconds",
    );
    let bottom = map.entries(&mut svg, area.bottom() + style::BELOW + 12.0);
    svg.finish(&title, bottom + style::BELOW + style::MARGIN - 6.0)
}

/// Names of motions may be long; axes show this much of them.
const NAME_ROOM: f64 = 200.0;

impl TransitionMap<'_> {
    fn panel(&self, area: Area, named: bool) -> Chart {
        let range = |frames: &[usize], step_secs: f64| {
            let (first, last) = (
                frames.first().copied().unwrap_or(0),
                frames.last().copied().unwrap_or(0),
            );
            let half = 0.5 * (last - first).max(1) as f64 / (frames.len().max(2) - 1) as f64;
            Range::new((first as f64 - half) * step_secs, (last as f64 + half) * step_secs)
        };
        let name = |what: &str, name: &str| {
            if named {
                format!("{what} {} at, s", text::fit(name, style::TEXT, false, NAME_ROOM))
            } else {
                String::new()
            }
        };
        Chart {
            area,
            x: ChartAxis::across(
                range(&self.grid.exits, self.step_secs[0]),
                &name("leave", self.names[0]),
                area.width,
            ),
            y: ChartAxis::up(
                range(&self.grid.entries, self.step_secs[1]),
                &name("enter", self.names[1]),
                area.height,
            ),
        }
    }

    fn mark(&self, svg: &mut Svg, panel: &Chart) {
        let point_of = |crossing: &Crossing| {
            (
                panel.across(crossing.exit as f64 * self.step_secs[0]),
                panel.down(crossing.entry as f64 * self.step_secs[1]),
            )
        };
        if let Some((frames, phase)) = self.matching {
            const POINTS: usize = 400;
            let mut points = Vec::new();
            let mut before = 0.0;
            for index in 0..=POINTS {
                let at = index as f64 / POINTS as f64;
                let met = (at + phase).rem_euclid(1.0);
                if met < before {
                    // Around the seam the line continues at the other edge.
                    points.push((f64::NAN, f64::NAN));
                }
                before = met;
                let secs = |share: f64, side: usize| share * frames[side] as f64 * self.step_secs[side];
                points.push((panel.across(secs(at, 0)), panel.down(secs(met, 1))));
            }
            svg.polyline(points, Ink::Vermillion, "style=\"stroke-width:2;stroke-dasharray:5 4\"");
        }
        let mut labels = Labels::default();
        for (x, y) in self.best.iter().map(point_of) {
            labels.keep_free(Area::new(x - 6.0, y - 6.0, 12.0, 12.0));
        }
        for (index, crossing) in self.best.iter().enumerate().rev() {
            let (x, y) = point_of(crossing);
            svg.circle(x, y, 4.5, "chip lv", "stroke-width=\"2.4\"");
            let words = (index + 1).to_string();
            let width = text::width(&words, style::TEXT, true) + 8.0;
            if let Some(area) = labels.place(x, y, width, panel.area) {
                svg.chip(area);
                svg.text(area.left + 0.5 * width, area.top + 12.0, Anchor::Middle, "h ft", &words);
            }
        }
    }

    /// The best entry for each exit, over the time of the motion that is left; returns the height at which the panel ends.
    fn entries(&self, svg: &mut Svg, top: f64) -> f64 {
        let (left, width) = axes::full_width();
        let heading = ChartHeading::new(
            "When to leave: cost of the best entry",
            vec![
                Key::new(Sign::Line(Ink::Blue), "exact"),
                Key::new(Sign::Ring(Ink::Vermillion), "best jumps"),
            ],
        );
        let area = heading.over(svg, left, top, width, 110.0);
        let secs = |exit: usize| exit as f64 * self.step_secs[0];
        let best = self.best_entries.iter();
        let points: Vec<(f64, f64)> = best.map(|crossing| (secs(crossing.exit), crossing.cost)).collect();
        let panel = Chart {
            area,
            x: ChartAxis::across(
                self.panel(area, true).x.range,
                &format!(
                    "leave {} at, s",
                    text::fit(self.names[0], style::TEXT, false, NAME_ROOM)
                ),
                width,
            ),
            y: ChartAxis::up(
                Range::around(points.iter().map(|point| point.1), 1e-6).down_to_zero(),
                "metre-seconds",
                area.height,
            ),
        };
        panel.draw(svg, |panel, svg| {
            panel.grid(svg);
            panel.line(svg, &points, Ink::Blue, "");
            // For jumps from a single frame, only the best entry is on the curve.
            let is_entry = |crossing: &&Crossing| {
                let same = self.best_entries.iter().find(|best| best.exit == crossing.exit);
                same.is_none_or(|best| best.cost >= crossing.cost)
            };
            for crossing in self.best.iter().filter(is_entry) {
                let x = panel.across(crossing.exit as f64 * self.step_secs[0]);
                svg.circle(x, panel.down(crossing.cost), 4.5, "chip lv", "stroke-width=\"2.4\"");
            }
        });
        area.bottom()
    }
}

/// Room for the names of motions left of the map, and below it where they run upwards.
const NAMES: f64 = 190.0;

/// Cells of a map of many motions are at most this large, and hold their cost from this size on.
const LARGEST_CELL: f64 = 56.0;
const CELL_WITH_COST: f64 = 38.0;

/// Least distance of two names.
const NAMES_APART: f64 = 14.0;

/// The cheapest jumps from each of many motions, by row from the top, into each other, by column: costs in metre-seconds; `None` where no
/// jump leads.
pub fn transitions_among(names: &[String], decay: Decay, costs: &[Vec<Option<f64>>]) -> String {
    let mut svg = Svg::default();
    let title = format!("What the cheapest jumps between {} motions cost", names.len());
    let below = format!("{}; dark is expensive, empty where no jump leads", fade(decay));
    let top = axes::title(&mut svg, &title, &below) + 22.0;
    let count = names.len().max(1);
    let left = style::MARGIN + 18.0 + NAMES;
    let room = style::WIDTH - left - style::MARGIN - heat::SCALE_ROOM - 24.0;
    let cell = (room / count as f64).min(LARGEST_CELL);
    let area = Area::new(left, top, cell * count as f64, cell * count as f64);
    let cost = |row: usize, column: usize| costs.get(row).and_then(|row| *row.get(column)?).unwrap_or(f64::NAN);
    let all: Vec<f64> = costs.iter().flatten().flatten().copied().collect();
    let dearest = largest(&all);
    let cheapest = all
        .iter()
        .copied()
        .filter(|cost| cost.is_finite())
        .fold(dearest, f64::min)
        .min(0.99 * dearest);
    let ratio = |cost: f64| (cost - cheapest) / (dearest - cheapest);
    // A map has its lowest row first.
    let heat = Heat::new(count, count, |column, row| ratio(cost(count - 1 - row, column)));
    svg.rect(area, "panel");
    heat.draw(&mut svg, area);
    svg.outline(area);
    let middle = |index: usize| cell * (index as f64 + 0.5);
    let every = (NAMES_APART / cell).ceil().max(1.0) as usize;
    for (index, name) in names.iter().enumerate().step_by(every) {
        let name = text::fit(name, style::TEXT, false, NAMES);
        let y = area.top + middle(index) + 4.0;
        svg.text(area.left - 8.0, y, Anchor::End, "ft", &name);
        svg.text_down_from(area.left + middle(index) + 4.0, area.bottom() + 8.0, "ft", &name);
    }
    if cell >= CELL_WITH_COST {
        for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
            let cost = cost(row, column);
            if cost.is_finite() {
                let at = (area.left + middle(column), area.top + middle(row) + 4.0);
                heat::label(&mut svg, at, ratio(cost), &format!("{cost:.2}"));
            }
        }
    }
    svg.text_upwards(style::MARGIN + 10.0, area.top + 0.5 * area.height, "h ft", "leave");
    svg.text(
        area.left + 0.5 * area.width,
        area.top - 10.0,
        Anchor::Middle,
        "h ft",
        "enter",
    );
    heat::scale(
        &mut svg,
        area,
        &scale_labels([cheapest, dearest]),
        "cost, metre-seconds",
    );
    let widest = names
        .iter()
        .map(|name| text::width(name, style::TEXT, false))
        .fold(0.0, f64::max);
    svg.finish(&title, area.bottom() + 16.0 + widest.min(NAMES) + style::MARGIN)
}

/// How a gap fades, with its time.
fn fade(decay: Decay) -> String {
    let of = match decay {
        Decay::Spring { .. } => "spring with a half-life",
        Decay::Cubic { .. } => "cubic with a blend time",
        Decay::Quintic { .. } => "quintic with a blend time",
    };
    format!("{of} of {:.3} s", decay.secs())
}

/// Cells across and down of the map of one decay.
const CELLS: [usize; 2] = [112, 76];

/// Least range of the gaps shown, metres and metres per second.
const LEAST_REACH: [f64; 2] = [0.05, 0.5];

/// Displacement over the gaps of position and velocity of one axis, exact, in feature form, and the error of that form, a row for
/// each decay; `gaps` are marked, metres and metres per second.
pub fn displacements(title: &str, decays: &[Decay], gaps: &[(f64, f64)]) -> String {
    let mut svg = Svg::default();
    let below = "the area under the offset that a gap of position and velocity leaves; dark is expensive";
    let mut top = axes::title(&mut svg, title, below);
    let reach = [0, 1].map(|part| {
        let sizes = gaps.iter().map(|gap| if part == 0 { gap.0.abs() } else { gap.1.abs() });
        1.15 * sizes.filter(|size| size.is_finite()).fold(LEAST_REACH[part], f64::max)
    });
    let gap_between = 16.0;
    let left = style::MARGIN + style::LEFT;
    let width = (style::WIDTH - left - style::MARGIN - heat::SCALE_ROOM - 10.0 - 2.0 * gap_between) / 3.0;
    for (row, &decay) in decays.iter().enumerate() {
        let is_last = row + 1 == decays.len();
        let [columns, rows] = CELLS;
        let middle = |index: usize, count: usize, reach: f64| reach * ((2 * index + 1) as f64 / count as f64 - 1.0);
        let values = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
            cells
                .map(|(column, row)| of(middle(column, columns, reach[0]), middle(row, rows, reach[1])))
                .collect()
        };
        let exact = values(&|x, v| decay.displacement(x, v));
        let feature = values(&|x, v| decay.signed_area(x, v).abs());
        let missed = values(&|x, v| decay.displacement(x, v) - decay.signed_area(x, v).abs());
        let (dearest, most_missed) = (largest(&exact), largest(&missed));
        let seconds = decay.secs();
        let unit = match decay {
            Decay::Spring { .. } => "half-life",
            _ => "blend",
        };
        let titles = [
            format!("{}, {unit} {seconds:.3} s: exact", decay.name()),
            "approximate cost".to_owned(),
            format!("difference, to {most_missed:.4}"),
        ];
        let mut scaled = None;
        for (column, (values, title)) in [(&exact, dearest), (&feature, dearest), (&missed, most_missed)]
            .into_iter()
            .zip(titles)
            .enumerate()
        {
            let ((values, dearest), heading) = (values, ChartHeading::new(&title, Vec::new()));
            let at = left + column as f64 * (width + gap_between);
            let area = heading.over(&mut svg, at, top, width, 156.0);
            let (x, y) = (
                ChartAxis::across(Range::new(-reach[0], reach[0]), "gap of position, m", width),
                ChartAxis::up(Range::new(-reach[1], reach[1]), "gap of velocity, m/s", area.height),
            );
            let panel = Chart {
                area,
                x: if is_last { x } else { x.unlabelled() },
                y: if column == 0 { y } else { y.unlabelled() },
            };
            let heat = Heat::new(columns, rows, |column, row| values[row * columns + column] / dearest);
            panel.draw(&mut svg, |panel, svg| {
                heat.draw(svg, panel.area);
                for &(x, v) in gaps.iter().filter(|gap| gap.0.is_finite() && gap.1.is_finite()) {
                    svg.circle(panel.across(x), panel.down(v), 3.0, "chip lv", "stroke-width=\"1.6\"");
                }
            });
            scaled = Some(area);
        }
        if let Some(area) = scaled {
            heat::scale(&mut svg, area, &scale_labels([0.0, dearest]), "metre-seconds");
            top = area.bottom() + if is_last { style::BELOW } else { 14.0 };
        }
    }
    svg.finish(title, top + style::MARGIN - 6.0)
}

/// The largest finite value; 1 if none is above zero.
fn largest(values: &[f64]) -> f64 {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let largest = finite.fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Round values from the cheapest to the most expensive, closer to each other where the square-root scale has room.
fn scale_labels([cheapest, dearest]: [f64; 2]) -> Vec<(f64, String)> {
    let span = dearest - cheapest;
    let (step, decimals) = axes::nice_step(0.1 * span);
    let first = (cheapest / step).ceil() as i64;
    let ratio = |value: f64| (value - cheapest) / span;
    let mut labels: Vec<(f64, String)> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for index in first..first + 12 {
        let value = index as f64 * step;
        let height = ratio(value).max(0.0).sqrt();
        if value <= dearest && height - last >= LABEL_APART {
            labels.push((ratio(value), format!("{value:.decimals$}")));
            last = height;
        }
    }
    labels
}

/// Share of the scale's height between labels, at least.
const LABEL_APART: f64 = 0.09;
