//! A plot from its title down.

use super::{
    legend::ChartHeading,
    style,
    svg::{Anchor, Area, Svg},
    text,
};

/// A plot being drawn, from its title down.
#[derive(Debug)]
pub struct Plot {
    /// The picture.
    pub svg: Svg,
    /// Height below what is drawn so far.
    pub y: f64,
    title: String,
}

impl Plot {
    /// Draws the title and a line below it.
    pub fn new(title: String, below: &str) -> Self {
        let mut svg = Svg::default();
        svg.text(
            style::MARGIN,
            style::MARGIN + 16.0,
            Anchor::Start,
            "title ft",
            &text::fit(&title, style::TITLE, true, style::FULL),
        );
        svg.text(
            style::MARGIN,
            style::MARGIN + 37.0,
            Anchor::Start,
            "soft",
            &text::fit(below, style::TEXT, false, style::FULL),
        );
        Self {
            svg,
            y: style::MARGIN + 54.0,
            title,
        }
    }

    /// Draws the heading of a chart below the previous drawings, and returns the area below it, which then counts as drawn.
    pub fn area(&mut self, heading: &ChartHeading, width: f64, height: f64) -> Area {
        let area = heading.over(&mut self.svg, style::CHART_LEFT, self.y, width, height);
        self.y = area.bottom();
        area
    }

    /// Draws charts in pairs side by side below a heading, each with its name above it; `draw` gets the index of a chart, its area, and
    /// whether it is in the lowest row.
    pub(crate) fn pairs(
        &mut self,
        heading: &ChartHeading<'_>,
        height: f64,
        names: &[&str],
        mut draw: impl FnMut(&mut Svg, usize, Area, bool),
    ) {
        heading.draw(&mut self.svg, style::MARGIN, self.y, style::FULL);
        self.y += heading.height(style::FULL);
        let column = 0.5 * style::FULL;
        let rows = names.chunks(2).count();
        for (row, pair) in names.chunks(2).enumerate() {
            let is_lowest = row + 1 == rows;
            for (side, name) in pair.iter().enumerate() {
                let area = ChartHeading::new(name).over(
                    &mut self.svg,
                    style::CHART_LEFT + side as f64 * column,
                    self.y,
                    column - style::LEFT - style::RIGHT,
                    height,
                );
                draw(&mut self.svg, 2 * row + side, area, is_lowest);
            }
            self.y += 24.0 + height + if is_lowest { style::BELOW } else { 10.0 };
        }
    }

    /// Returns the whole document.
    pub fn finish(self) -> String {
        self.svg.finish(&self.title, self.y + style::MARGIN - 6.0)
    }

    /// Returns the whole document with this height.
    pub fn finish_at(self, height: f64) -> String {
        self.svg.finish(&self.title, height)
    }
}
