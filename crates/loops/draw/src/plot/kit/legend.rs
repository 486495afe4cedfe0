//! Titles and legends above panels.

use super::{
    style::{self, Ink},
    svg::{Anchor, Area, Svg},
    text,
};

/// Attributes of a dashed line.
pub const DASHED: &str = "stroke-width=\"2\" stroke-dasharray=\"5 3\"";

/// The symbol before a legend's text.
#[value(Copy)]
pub enum Sign {
    /// A line.
    Line(Ink),
    /// A dashed line.
    Dashed(Ink),
    /// A dot.
    Dot(Ink),
    /// A ring.
    Ring(Ink),
    /// An area of a class of the style sheet.
    Patch(&'static str),
    /// An upright line.
    Stroke(Ink),
}

const SIGN_WIDTH: f64 = 18.0;
const KEY_GAP: f64 = 16.0;
const ROW: f64 = 18.0;

/// An entry of a legend: symbol and text.
type Key = (Sign, String);

/// Title and legend above a panel: the legend is to the right of the title, or in rows of its own below it.
pub struct ChartHeading<'a> {
    title: &'a str,
    keys: Vec<Key>,
}

impl<'a> ChartHeading<'a> {
    /// Creates the title of a chart, without a legend.
    pub fn new(title: &'a str) -> Self {
        Self {
            title,
            keys: Vec::new(),
        }
    }

    /// Adds an entry to the legend.
    pub fn key(self, sign: Sign, words: impl Into<String>) -> Self {
        self.keys([(sign, words.into())])
    }

    /// Adds an entry to the legend if it is shown.
    pub fn key_if(self, shown: bool, sign: Sign, words: &str) -> Self {
        if shown { self.key(sign, words) } else { self }
    }

    /// Adds entries to the legend.
    pub fn keys(mut self, keys: impl IntoIterator<Item = (Sign, String)>) -> Self {
        self.keys.extend(keys);
        self
    }

    fn rows(&self, width: f64) -> Vec<&[Key]> {
        let title = text::width(self.title, style::HEAD, true) + KEY_GAP;
        let mut rest = &self.keys[..];
        if rest.is_empty() || title + row_width(rest) <= width {
            return vec![rest];
        }
        let mut rows: Vec<&[Key]> = vec![&[]];
        while !rest.is_empty() {
            let (row, later) = rest.split_at(
                (1..=rest.len())
                    .take_while(|&count| row_width(&rest[..count]) <= width)
                    .count()
                    .max(1),
            );
            rows.push(row);
            rest = later;
        }
        rows
    }

    /// Returns the height that it takes above a chart of that width.
    pub fn height(&self, width: f64) -> f64 {
        ROW * self.rows(width).len() as f64 + 6.0
    }

    /// Draws it, and returns the area of that height below it.
    pub fn over(&self, svg: &mut Svg, left: f64, top: f64, width: f64, height: f64) -> Area {
        self.draw(svg, left, top, width);
        Area::new(left, top + self.height(width), width, height)
    }

    /// Draws it with its upper left corner at a point.
    pub fn draw(&self, svg: &mut Svg, left: f64, top: f64, width: f64) {
        svg.text(
            left,
            top + 13.0,
            Anchor::Start,
            "h ft",
            &text::fit(self.title, style::HEAD, true, width),
        );
        for (row, keys) in self.rows(width).iter().enumerate() {
            let y = top + ROW * row as f64 + 9.0;
            let mut x = if row == 0 { left + width - row_width(keys) } else { left };
            for key in *keys {
                draw_sign(svg, key.0, x, y);
                let room = (left + width - x - SIGN_WIDTH - 6.0).max(0.0);
                let words = text::fit(&key.1, style::TEXT, false, room);
                svg.text(x + SIGN_WIDTH + 6.0, y + 4.0, Anchor::Start, "ft", &words);
                x += key_width(key) + KEY_GAP;
            }
        }
    }
}

fn key_width((_, words): &Key) -> f64 {
    SIGN_WIDTH + 6.0 + text::width(words, style::TEXT, false)
}

fn row_width(keys: &[Key]) -> f64 {
    keys.iter().map(|key| key_width(key) + KEY_GAP).sum::<f64>() - KEY_GAP
}

fn draw_sign(svg: &mut Svg, sign: Sign, x: f64, y: f64) {
    let middle = x + 0.5 * SIGN_WIDTH;
    match sign {
        Sign::Line(ink) => svg.segment((x, y), (x + SIGN_WIDTH, y), &ink.line(), "stroke-width=\"2.4\""),
        Sign::Dashed(ink) => svg.segment((x, y), (x + SIGN_WIDTH, y), &ink.line(), DASHED),
        Sign::Dot(ink) => svg.circle((middle, y), 4.0, &ink.fill(), ""),
        Sign::Ring(ink) => svg.circle(
            (middle, y),
            4.0,
            &format!("chip {}", ink.line()),
            "stroke-width=\"1.6\"",
        ),
        Sign::Patch(class) => svg.rect(Area::new(x + 2.0, y - 6.0, 14.0, 12.0), class),
        Sign::Stroke(ink) => svg.segment((middle, y - 6.0), (middle, y + 6.0), &ink.line(), "stroke-width=\"2\""),
    }
}
