//! Charts with axes: ranges, ticks, grid, lines.

use loopwright_core::math::{greatest, percentile};

use super::{
    style::{self, Ink},
    svg::{Anchor, Area, Svg, number},
    text,
};

/// A range of data, never empty.
#[value(Copy)]
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

    /// Creates the smallest range that holds all finite values, at least `least` wide about their middle, with a little room.
    pub fn around(values: impl IntoIterator<Item = f64>, least: f64) -> Self {
        let (low, high) = percentile::extremes(values.into_iter().filter(|value| value.is_finite()));
        let range = Self::new(low, high);
        let width = (range.high - range.low).max(least);
        let middle = 0.5 * (range.low + range.high);
        Self::new(middle - 0.56 * width, middle + 0.56 * width)
    }

    /// Returns the range from zero to its upper end.
    pub fn down_to_zero(self) -> Self {
        Self::new(0.0, self.high.max(1e-6))
    }

    /// Returns its width.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns the position of a value, from 0 at the lower end to 1 at the upper one.
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / self.width()
    }
}

/// Ticks at 1, 2 or 5 times a power of ten, at most `most` of them.
#[value]
struct Ticks {
    step: f64,
    decimals: usize,
    values: Vec<f64>,
}

impl Ticks {
    fn new(range: Range, most: usize) -> Self {
        let (step, decimals) = nice_step(range.width() / most.max(1) as f64);
        Self::at(range, most, step, decimals)
    }

    fn at(range: Range, most: usize, step: f64, decimals: usize) -> Self {
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

    /// Creates ticks for angles in degrees: steps that divide a turn, if they are that large.
    fn of_degrees(range: Range, most: usize) -> Self {
        let least = range.width() / most.max(1) as f64;
        let mut steps = [15.0, 30.0, 45.0, 90.0, 180.0, 360.0, 720.0].into_iter();
        match steps.find(|&step| step >= least) {
            Some(step) if least >= 10.0 => Self::at(range, most, step, 0),
            _ => Self::new(range, most),
        }
    }

    /// Returns a tick's label, with as many decimals as the step needs.
    fn label(&self, value: f64) -> String {
        let value = if value.abs() < 1e-6 * self.step { 0.0 } else { value };
        format!("{value:.*}", self.decimals).replace('-', "\u{2212}")
    }
}

/// Returns the smallest of 1, 2, 5 times a power of ten that is no smaller than `least`, with the decimals that it needs.
pub fn nice_step(least: f64) -> (f64, usize) {
    if !(least.is_finite() && least > 0.0) {
        return (1.0, 0);
    }
    for exponent in -9_i32..12 {
        for factor in [1.0, 2.0, 5.0] {
            // Powers above one are exact; below it the quotient is the nearest number.
            let step = if exponent < 0 {
                factor / 10_f64.powi(-exponent)
            } else {
                factor * 10_f64.powi(exponent)
            };
            if step >= least * (1.0 - 1e-9) {
                return (step, usize::try_from(-exponent).unwrap_or(0));
            }
        }
    }
    (least, 0)
}

/// An axis: its range, its name and its ticks.
#[derive(Clone, Debug)]
pub(crate) struct ChartAxis {
    pub range: Range,
    /// Name with unit, such as "time, s"; may be empty.
    name: String,
    ticks: Ticks,
}

impl ChartAxis {
    fn new((range, name): (Range, &str), ticks: Ticks) -> Self {
        Self {
            range,
            name: name.to_owned(),
            ticks,
        }
    }
}

/// Creates ticks along the bottom of a panel of this width.
fn ticks_across(range: Range, width: f64) -> Ticks {
    let mut most = (width / 60.0).max(2.0) as usize;
    loop {
        let ticks = Ticks::new(range, most);
        // Labels of many digits want more room.
        let labels = ticks.values.iter().map(|&value| ticks.label(value));
        let widest = greatest(labels.map(|label| text::width(&label, style::TEXT, false)));
        if most <= 2 || (widest + 14.0) * ticks.values.len() as f64 <= width {
            return ticks;
        }
        most -= 1;
    }
}

/// An area with two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its place in the picture.
    pub area: Area,
    /// The axis along the bottom.
    pub(crate) x: ChartAxis,
    /// The axis along the left side.
    pub(crate) y: ChartAxis,
    /// Whether there are words below it: stacked charts share those of the lowest.
    labelled: bool,
}

impl Chart {
    /// Creates a chart of an area; `x` and `y` are the ranges and the names of its axes.
    pub fn new(area: Area, x: (Range, &str), y: (Range, &str)) -> Self {
        Self {
            area,
            x: ChartAxis::new(x, ticks_across(x.0, area.width)),
            y: ChartAxis::new(y, Ticks::new(y.0, (area.height / 22.0).max(2.0) as usize)),
            labelled: true,
        }
    }

    /// Gives the vertical axis ticks for angles in degrees.
    pub fn in_degrees(mut self) -> Self {
        self.y.ticks = Ticks::of_degrees(self.y.range, (self.area.height / 18.0).max(2.0) as usize);
        self
    }

    /// Keeps words below it, or not: charts below each other share them.
    pub fn labelled(mut self, below: bool) -> Self {
        self.labelled = below;
        self
    }

    /// Returns the position in the picture of a horizontal value.
    pub fn across(&self, x: f64) -> f64 {
        self.area.left + self.area.width * self.x.range.share(x)
    }

    /// Returns the position in the picture of a vertical value.
    pub fn down(&self, y: f64) -> f64 {
        self.area.bottom() - self.area.height * self.y.range.share(y)
    }

    /// Draws ground and grid, then the contents within the area, then the frame and the labels.
    pub fn draw(&self, svg: &mut Svg, contents: impl FnOnce(&Self, &mut Svg)) {
        svg.panel(self.area, |svg| contents(self, svg));
        self.labels(svg);
    }

    /// Draws the grid; contents call it after shading the background.
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
        let (area, middle) = (self.area, self.area.middle());
        if self.labelled {
            for &value in &self.x.ticks.values {
                svg.text(
                    self.across(value),
                    area.bottom() + 16.0,
                    Anchor::Middle,
                    "soft",
                    &self.x.ticks.label(value),
                );
            }
            svg.text(
                middle.0,
                area.bottom() + 33.0,
                Anchor::Middle,
                "soft",
                &text::fit(&self.x.name, style::TEXT, false, area.width),
            );
        }
        for &value in &self.y.ticks.values {
            svg.text(
                area.left - 6.0,
                self.down(value) + 4.0,
                Anchor::End,
                "soft",
                &self.y.ticks.label(value),
            );
        }
        svg.text_upwards(
            area.left - style::LEFT + 18.0,
            middle.1,
            Anchor::Middle,
            "soft",
            &text::fit(&self.y.name, style::TEXT, false, area.height + 20.0),
        );
    }

    /// Draws a line through data.
    pub fn line(&self, svg: &mut Svg, points: impl IntoIterator<Item = (f64, f64)>, ink: Ink, extra: &str) {
        let points: Vec<_> = points
            .into_iter()
            .map(|(x, y)| (self.across(x), self.down(y)))
            .collect();
        svg.polyline(thinned(&points), ink, extra);
    }

    /// Draws a line through values at even steps, the first of them `first` steps from zero.
    pub(crate) fn samples(
        &self,
        svg: &mut Svg,
        (first, step): (usize, f64),
        values: impl Iterator<Item = f64>,
        ink: Ink,
        extra: &str,
    ) {
        self.line(
            svg,
            values
                .enumerate()
                .map(|(index, value)| ((first + index) as f64 * step, value)),
            ink,
            extra,
        );
    }

    /// Draws a vertical line over the whole height.
    pub fn upright(&self, svg: &mut Svg, x: f64, ink: Ink, extra: &str) {
        let x = self.across(x);
        svg.segment((x, self.area.top), (x, self.area.bottom()), &ink.line(), extra);
    }

    /// Draws a small triangle at the upper edge that points at a value.
    pub(crate) fn flag(&self, svg: &mut Svg, x: f64, ink: Ink) {
        let (x, top) = (self.across(x), self.area.top);
        svg.raw(&format!(
            "<path class=\"{}\" d=\"M{} {}h10l-5 8z\"/>\n",
            ink.fill(),
            number(x - 5.0),
            number(top)
        ));
    }

    /// Draws a horizontal line over the whole width.
    pub(crate) fn level(&self, svg: &mut Svg, y: f64, ink: Ink, extra: &str) {
        let y = self.down(y);
        svg.segment((self.area.left, y), (self.area.right(), y), &ink.line(), extra);
    }

    /// Draws a shaded stretch over the whole height.
    pub fn band(&self, svg: &mut Svg, from: f64, to: f64, class: &str) {
        svg.rect(self.area.between(self.across(from), self.across(to)), class);
    }
}

/// Returns the points in the picture, at most four for each column of pixels: the first, lowest, highest and last in it.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points
        .chunk_by(|left, right| left.0.floor() == right.0.floor())
        .flat_map(|column| {
            let by_height = |&left: &usize, &right: &usize| column[left].1.total_cmp(&column[right].1);
            let count = column.len();
            let (lowest, highest) = ((0..count).min_by(by_height), (0..count).max_by(by_height));
            let mut picked = [Some(0), lowest, highest, count.checked_sub(1)];
            picked.sort_unstable();
            let mut picked: Vec<usize> = picked.into_iter().flatten().collect();
            picked.dedup();
            picked.into_iter().map(move |index| column[index])
        })
        .collect()
}

/// Small labels that keep out of each other's way.
#[derive(Debug, Default)]
pub struct Labels {
    taken: Vec<Area>,
}

impl Labels {
    /// Labels that leave marks at these points free.
    pub fn around(points: &[(f64, f64)]) -> Self {
        let marks = points.iter().map(|(x, y)| Area::new(x - 6.0, y - 6.0, 12.0, 12.0));
        Self { taken: marks.collect() }
    }

    /// Keeps labels out of an area.
    pub(crate) fn keep_free(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Returns a position for a label of that width near a point and inside `within`; `None` if all are taken.
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

/// Returns a number of pixels as an attribute.
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
