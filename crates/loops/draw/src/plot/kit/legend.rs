//! Titles and legends above panels.

use super::style::{self, Ink};
use super::svg::{Anchor, Area, Svg};
use super::text;

/// Attributes of a dashed line.
pub const DASHED: &str = "stroke-width=\"2\" stroke-dasharray=\"5 3\"";

/// The symbol before a legend's text.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// An entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    sign: Sign,
    words: String,
}

impl Key {
    /// An entry of that symbol and text.
    pub fn new(sign: Sign, words: impl Into<String>) -> Self {
        Self {
            sign,
            words: words.into(),
        }
    }

    fn width(&self) -> f64 {
        SIGN_WIDTH + 6.0 + text::width(&self.words, style::TEXT, false)
    }
}

const SIGN_WIDTH: f64 = 18.0;
const KEY_GAP: f64 = 16.0;
const ROW: f64 = 18.0;

/// Title and legend above a panel: the legend stands to the right of the title, or in rows of its own below it.
pub struct ChartHeading<'a> {
    /// The title.
    pub title: &'a str,
    /// The entries of the legend.
    pub keys: Vec<Key>,
}

impl<'a> ChartHeading<'a> {
    /// The title and legend of a chart; without entries there is no legend.
    pub fn new(title: &'a str, keys: Vec<Key>) -> Self {
        Self { title, keys }
    }

    fn rows(&self, width: f64) -> Vec<Vec<&Key>> {
        let title = text::width(self.title, style::HEAD, true) + KEY_GAP;
        let total = |keys: &[&Key]| -> f64 { keys.iter().map(|key| key.width() + KEY_GAP).sum::<f64>() - KEY_GAP };
        let all: Vec<&Key> = self.keys.iter().collect();
        if all.is_empty() || title + total(&all) <= width {
            return vec![all];
        }
        let mut rows: Vec<Vec<&Key>> = vec![Vec::new(), Vec::new()];
        for key in all {
            let last = rows.len() - 1;
            let mut tried = rows[last].clone();
            tried.push(key);
            if total(&tried) <= width || rows[last].is_empty() {
                rows[last] = tried;
            } else {
                rows.push(vec![key]);
            }
        }
        rows
    }

    /// Height that it takes above a chart of that width.
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
        let title = text::fit(self.title, style::HEAD, true, width);
        svg.text(left, top + 13.0, Anchor::Start, "h ft", &title);
        for (row, keys) in self.rows(width).iter().enumerate() {
            let y = top + ROW * row as f64 + 9.0;
            let total: f64 = keys.iter().map(|key| key.width() + KEY_GAP).sum::<f64>() - KEY_GAP;
            let mut x = if row == 0 { left + width - total } else { left };
            for key in keys {
                draw_sign(svg, key.sign, x, y);
                let room = (left + width - x - SIGN_WIDTH - 6.0).max(0.0);
                let words = text::fit(&key.words, style::TEXT, false, room);
                svg.text(x + SIGN_WIDTH + 6.0, y + 4.0, Anchor::Start, "ft", &words);
                x += key.width() + KEY_GAP;
            }
        }
    }
}

fn draw_sign(svg: &mut Svg, sign: Sign, x: f64, y: f64) {
    let middle = x + 0.5 * SIGN_WIDTH;
    let line = |ink: Ink| format!("l{}", ink.class());
    match sign {
        Sign::Line(ink) => svg.segment((x, y), (x + SIGN_WIDTH, y), &line(ink), "stroke-width=\"2.4\""),
        Sign::Dashed(ink) => svg.segment((x, y), (x + SIGN_WIDTH, y), &line(ink), DASHED),
        Sign::Dot(ink) => svg.circle(middle, y, 4.0, &format!("f{}", ink.class()), ""),
        Sign::Ring(ink) => svg.circle(middle, y, 4.0, &format!("chip {}", line(ink)), "stroke-width=\"1.6\""),
        Sign::Patch(class) => svg.rect(Area::new(x + 2.0, y - 6.0, 14.0, 12.0), class),
        Sign::Stroke(ink) => svg.segment((middle, y - 6.0), (middle, y + 6.0), &line(ink), "stroke-width=\"2\""),
    }
}
