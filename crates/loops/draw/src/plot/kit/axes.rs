//! Charts with axes: ranges, ticks, grid, lines.

use super::style::{self, Ink};
use super::svg::{Anchor, Area, Svg, number};
use super::text;

/// A range of data, never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Range {
    /// From `low` to `high`, widened if that is empty and replaced if it is not finite.
    pub fn new(low: f64, high: f64) -> Self {
        if !(low.is_finite() && high.is_finite()) || low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        if high - low < 1e-9 * (1.0 + low.abs()) {
            return Self {
                low: low - 0.5,
                high: high + 0.5,
            };
        }
        Self { low, high }
    }

    /// The smallest range that holds all finite values, at least `least` wide about their middle, with a little room.
    pub fn around(values: impl IntoIterator<Item = f64>, least: f64) -> Self {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let range = Self::new(low, high);
        let width = (range.high - range.low).max(least);
        let middle = 0.5 * (range.low + range.high);
        Self::new(middle - 0.56 * width, middle + 0.56 * width)
    }

    /// The same range, reaching down to zero where it does not.
    pub fn down_to_zero(self) -> Self {
        Self::new(0.0, self.high.max(1e-6))
    }

    /// How much it spans.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Position of a value, from 0 at the lower end to 1 at the upper one.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / self.width()
    }
}

/// Ticks at 1, 2 or 5 times a power of ten, at most `most` of them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::plot) struct Ticks {
    step: f64,
    decimals: usize,
    pub(in crate::plot) values: Vec<f64>,
}

impl Ticks {
    pub(in crate::plot) fn new(range: Range, most: usize) -> Self {
        let (step, decimals) = nice_step(range.width() / most.max(1) as f64);
        let first = (range.low / step - 1e-9).ceil();
        let last = (range.high / step + 1e-9).floor();
        // Far from zero neighbouring ticks may be the same number; then there is nothing to distinguish.
        let count = if (last - first).is_finite() {
            (last - first) as usize + 1
        } else {
            0
        };
        let values = (0..count.min(most + 1))
            .map(|index| (first + index as f64) * step)
            .collect();
        Self { step, decimals, values }
    }

    /// Ticks of angles in degrees: steps that divide a turn, where they are that large.
    pub(in crate::plot) fn of_degrees(range: Range, most: usize) -> Self {
        let least = range.width() / most.max(1) as f64;
        let Some(step) = [15.0, 30.0, 45.0, 90.0, 180.0, 360.0, 720.0]
            .into_iter()
            .find(|&step| step >= least)
        else {
            return Self::new(range, most);
        };
        if least < 10.0 {
            return Self::new(range, most);
        }
        let (first, last) = ((range.low / step).ceil(), (range.high / step).floor());
        let count = (last - first) as usize + 1;
        Self {
            step,
            decimals: 0,
            values: (0..count).map(|index| (first + index as f64) * step).collect(),
        }
    }

    /// A tick's label, with as many decimals as the step needs.
    pub(in crate::plot) fn label(&self, value: f64) -> String {
        let value = if value.abs() < 1e-6 * self.step { 0.0 } else { value };
        let text = format!("{value:.*}", self.decimals);
        text.replace('-', "\u{2212}")
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is no smaller than `least`, with the decimals that it needs.
pub fn nice_step(least: f64) -> (f64, usize) {
    if !(least.is_finite() && least > 0.0) {
        return (1.0, 0);
    }
    let mut decade = 1e-9;
    let mut exponent = -9_i32;
    while exponent < 12 {
        for factor in [1.0, 2.0, 5.0] {
            if factor * decade >= least * (1.0 - 1e-9) {
                // Powers above one are exact; below it the quotient is the nearest number.
                let step = if exponent < 0 {
                    factor / 10_f64.powi(-exponent)
                } else {
                    factor * 10_f64.powi(exponent)
                };
                return (step, usize::try_from(-exponent).unwrap_or(0));
            }
        }
        exponent += 1;
        decade = 10_f64.powi(exponent);
    }
    (least, 0)
}

/// What an axis measures, and its ticks.
#[derive(Clone, Debug)]
pub struct ChartAxis {
    /// What it spans.
    pub range: Range,
    /// Name with unit, such as "time, s"; empty for none.
    pub(in crate::plot) name: String,
    pub(in crate::plot) ticks: Ticks,
    /// Whether the ticks have labels: stacked panels share those of the lowest.
    pub(in crate::plot) labelled: bool,
}

impl ChartAxis {
    /// An axis along the bottom of a panel of that width.
    pub fn across(range: Range, name: &str, width: f64) -> Self {
        let mut most = (width / 60.0).max(2.0) as usize;
        let mut ticks = Ticks::new(range, most);
        // Labels of many digits want more room.
        while most > 2 {
            let width_of = |value: &f64| text::width(&ticks.label(*value), style::TEXT, false);
            let widest = ticks.values.iter().map(width_of).fold(0.0, f64::max);
            if (widest + 14.0) * ticks.values.len() as f64 <= width {
                break;
            }
            most -= 1;
            ticks = Ticks::new(range, most);
        }
        Self {
            range,
            name: name.to_owned(),
            ticks,
            labelled: true,
        }
    }

    /// An axis along the left side of a panel of that height.
    pub fn up(range: Range, name: &str, height: f64) -> Self {
        Self {
            range,
            name: name.to_owned(),
            ticks: Ticks::new(range, (height / 22.0).max(2.0) as usize),
            labelled: true,
        }
    }

    /// An axis of angles in degrees along the left side.
    pub fn up_degrees(range: Range, name: &str, height: f64) -> Self {
        Self {
            ticks: Ticks::of_degrees(range, (height / 18.0).max(2.0) as usize),
            ..Self::up(range, name, height)
        }
    }

    /// The same axis without labels and name.
    pub fn unlabelled(mut self) -> Self {
        self.labelled = false;
        self.name.clear();
        self
    }
}

/// An area with two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its place in the picture.
    pub area: Area,
    /// The axis along the bottom.
    pub x: ChartAxis,
    /// The axis along the left side.
    pub y: ChartAxis,
}

impl Chart {
    /// Position in the picture of a horizontal value.
    pub fn across(&self, x: f64) -> f64 {
        self.area.left + self.area.width * self.x.range.share(x)
    }

    /// Position in the picture of a vertical value.
    pub fn down(&self, y: f64) -> f64 {
        self.area.bottom() - self.area.height * self.y.range.share(y)
    }

    /// Draws ground and grid, then the contents within the area, then the frame and the labels.
    pub fn draw(&self, svg: &mut Svg, contents: impl FnOnce(&Self, &mut Svg)) {
        svg.rect(self.area, "panel");
        svg.clipped(self.area, |svg| contents(self, svg));
        svg.outline(self.area);
        self.labels(svg);
    }

    /// The grid; contents call it after what shades the ground.
    pub fn grid(&self, svg: &mut Svg) {
        for &value in &self.x.ticks.values {
            let x = self.across(value);
            svg.segment((x, self.area.top), (x, self.area.bottom()), "grid", "");
        }
        for &value in &self.y.ticks.values {
            let y = self.down(value);
            svg.segment((self.area.left, y), (self.area.right(), y), "grid", "");
        }
    }

    fn labels(&self, svg: &mut Svg) {
        if self.x.labelled {
            for &value in &self.x.ticks.values {
                let x = self.across(value);
                svg.text(
                    x,
                    self.area.bottom() + 16.0,
                    Anchor::Middle,
                    "soft",
                    &self.x.ticks.label(value),
                );
            }
            let middle = self.area.left + 0.5 * self.area.width;
            let name = text::fit(&self.x.name, style::TEXT, false, self.area.width);
            svg.text(middle, self.area.bottom() + 33.0, Anchor::Middle, "soft", &name);
        }
        if self.y.labelled {
            for &value in &self.y.ticks.values {
                let y = self.down(value);
                svg.text(
                    self.area.left - 6.0,
                    y + 4.0,
                    Anchor::End,
                    "soft",
                    &self.y.ticks.label(value),
                );
            }
            let name = text::fit(&self.y.name, style::TEXT, false, self.area.height + 20.0);
            svg.text_upwards(
                self.area.left - style::LEFT + 18.0,
                self.area.top + 0.5 * self.area.height,
                "soft",
                &name,
            );
        }
    }

    /// A line through data.
    pub fn line(&self, svg: &mut Svg, points: &[(f64, f64)], ink: Ink, extra: &str) {
        let points = self.thinned(points);
        svg.polyline(points, ink, extra);
    }

    /// Points in the picture, at most four for each column of pixels: the first, lowest, highest and last in it.
    fn thinned(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let mut column: Vec<(f64, f64)> = Vec::new();
        let mut flush = |column: &mut Vec<(f64, f64)>| {
            let lowest = (0..column.len()).min_by(|&left, &right| column[left].1.total_cmp(&column[right].1));
            let highest = (0..column.len()).max_by(|&left, &right| column[left].1.total_cmp(&column[right].1));
            let picked = [Some(0), lowest, highest, column.len().checked_sub(1)].into_iter();
            let mut picked: Vec<usize> = picked.flatten().filter(|&index| index < column.len()).collect();
            picked.sort_unstable();
            picked.dedup();
            kept.extend(picked.into_iter().map(|index| column[index]));
            column.clear();
        };
        let mut last = f64::NAN;
        for &(x, y) in points {
            let at = (self.across(x), self.down(y));
            let this = at.0.floor();
            if !(this == last) {
                flush(&mut column);
                last = this;
            }
            column.push(at);
        }
        flush(&mut column);
        kept
    }

    /// A vertical line over the whole height.
    pub fn upright(&self, svg: &mut Svg, x: f64, ink: Ink, extra: &str) {
        let x = self.across(x);
        let class = format!("l{}", ink.class());
        svg.segment((x, self.area.top), (x, self.area.bottom()), &class, extra);
    }

    /// A small triangle at the upper edge that points at a value.
    pub(in crate::plot) fn flag(&self, svg: &mut Svg, x: f64, ink: Ink) {
        let (x, top) = (self.across(x), self.area.top);
        svg.raw(&format!(
            "<path class=\"f{}\" d=\"M{} {}h10l-5 8z\"/>\n",
            ink.class(),
            number(x - 5.0),
            number(top)
        ));
    }

    /// A horizontal line over the whole width.
    pub(in crate::plot) fn level(&self, svg: &mut Svg, y: f64, ink: Ink, extra: &str) {
        let y = self.down(y);
        let class = format!("l{}", ink.class());
        svg.segment((self.area.left, y), (self.area.right(), y), &class, extra);
    }

    /// A shaded stretch over the whole height.
    pub fn band(&self, svg: &mut Svg, from: f64, to: f64, class: &str) {
        let (left, right) = (self.across(from), self.across(to));
        svg.rect(
            Area {
                left,
                width: right - left,
                ..self.area
            },
            class,
        );
    }
}

/// Small labels that keep out of each other's way.
#[derive(Debug, Default)]
pub struct Labels {
    taken: Vec<Area>,
}

impl Labels {
    /// Keeps labels out of an area.
    pub fn keep_free(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// A position for a label of that width near a point and inside `within`; `None` if all are taken.
    pub fn place(&mut self, x: f64, y: f64, width: f64, within: Area) -> Option<Area> {
        const HEIGHT: f64 = 15.0;
        for distance in [11.0, 20.0, 32.0, 46.0] {
            for (right, down) in [
                (0.0, -1.0),
                (1.0, -0.6),
                (-1.0, -0.6),
                (1.0, 0.6),
                (-1.0, 0.6),
                (0.0, 1.0),
            ] {
                let middle = (x + right * (distance + 0.4 * width), y + down * (distance + 2.0));
                let area = Area::new(middle.0 - 0.5 * width, middle.1 - 0.5 * HEIGHT, width, HEIGHT);
                if within.holds(&area) && !self.taken.iter().any(|taken| taken.meets(&area)) {
                    self.taken.push(area);
                    return Some(area);
                }
            }
        }
        None
    }
}

/// Left side and width of a chart that takes the whole width.
pub fn full_width() -> (f64, f64) {
    let left = style::MARGIN + style::LEFT;
    (left, style::WIDTH - left - style::MARGIN - style::RIGHT)
}

/// The plot's title and the line below it; returns the height below which the panels begin.
pub fn title(svg: &mut Svg, title: &str, below: &str) -> f64 {
    let room = style::WIDTH - 2.0 * style::MARGIN;
    let title = text::fit(title, style::TITLE, true, room);
    svg.text(style::MARGIN, style::MARGIN + 16.0, Anchor::Start, "title ft", &title);
    let below = text::fit(below, style::TEXT, false, room);
    svg.text(style::MARGIN, style::MARGIN + 37.0, Anchor::Start, "soft", &below);
    style::MARGIN + 54.0
}

/// A number of pixels as an attribute.
pub fn stroke_width(width: f64) -> String {
    format!("stroke-width=\"{}\"", number(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(nice_step(0.03), (0.05, 2));
        assert_eq!(nice_step(0.1), (0.1, 1));
        assert_eq!(nice_step(3.1), (5.0, 0));
        assert_eq!(nice_step(11.0), (20.0, 0));
        assert_eq!(nice_step(f64::NAN), (1.0, 0));
        assert_eq!(nice_step(0.0), (1.0, 0));
    }

    #[test]
    fn ticks_lie_in_the_range_and_are_few() {
        for (low, high) in [(0.0, 1.0), (-3.7, 12.9), (1e6, 1e6 + 0.3), (-1e-7, 1e-7), (0.0, 1e9)] {
            let range = Range::new(low, high);
            let ticks = Ticks::new(range, 6);
            assert!(
                ticks.values.len() <= 7 && !ticks.values.is_empty(),
                "{low} {high}: {ticks:?}"
            );
            let slack = 1e-6 * range.width();
            assert!(
                ticks
                    .values
                    .iter()
                    .all(|&value| value >= low - slack && value <= high + slack)
            );
        }
        assert_eq!(
            Ticks::of_degrees(Range::new(-100.0, 100.0), 5).values,
            [-90.0, -45.0, 0.0, 45.0, 90.0]
        );
    }

    #[test]
    fn a_range_is_never_empty() {
        for range in [
            Range::new(1.0, 1.0),
            Range::new(f64::NAN, 1.0),
            Range::new(2.0, 1.0),
            Range::around([], 0.0),
            Range::around([f64::NAN], 0.0),
            Range::around([3.0, 3.0], 0.1),
        ] {
            assert!(range.width() > 0.0 && range.width().is_finite(), "{range:?}");
        }
    }
}
