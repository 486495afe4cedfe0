//! Writing SVG: a string that grows, with numbers of at most two decimals.

use super::{
    style::{self, Ink},
    text,
};

/// Returns a number with at most two decimals and no trailing zeros; a value that is not finite becomes 0.
pub(crate) fn number(value: f64) -> String {
    short((value * 100.0).round() / 100.0, 2)
}

/// Returns a number with at most so many decimals, at least one, as [`number`] does.
pub(crate) fn short(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if !value.is_finite() || text.trim_matches(['-', '0', '.']).is_empty() {
        return "0".to_owned();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A rectangle of the picture; y grows downwards.
#[value(Copy)]
pub struct Area {
    /// Its left side.
    pub left: f64,
    /// Its upper side.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Area {
    /// Creates a rectangle of that upper left corner and size.
    pub fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            left,
            top,
            width,
            height,
        }
    }

    /// Returns its right side.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Returns its lower side.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The part of it from one place across to another.
    pub(crate) fn between(self, left: f64, right: f64) -> Self {
        let width = right - left;
        Self { left, width, ..self }
    }

    /// Returns its middle, across and down.
    pub fn middle(&self) -> (f64, f64) {
        (self.left + 0.5 * self.width, self.top + 0.5 * self.height)
    }

    fn attributes(&self) -> String {
        format!(
            "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            number(self.left),
            number(self.top),
            number(self.width.max(0.0)),
            number(self.height.max(0.0))
        )
    }

    /// Whether the two have a point in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }

    /// Whether the other area lies inside.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right() <= self.right()
            && self.top <= other.top
            && other.bottom() <= self.bottom()
    }
}

/// Anchor of a text relative to its position.
#[value(Copy, Eq)]
pub enum Anchor {
    /// The text begins at its position.
    Start,
    /// The text is centred at its position.
    Middle,
    /// The text ends at its position.
    End,
}

impl Anchor {
    fn attribute(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        }
    }
}

/// A picture being written.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
    clips: usize,
}

impl Svg {
    /// Returns the whole document, on a card of the plots' width and the given height.
    pub fn finish(self, title: &str, height: f64) -> String {
        let (width, height) = (number(style::WIDTH), number(height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{}</title>\n<style>{}</style>\n\
             <rect class=\"card\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{}</svg>\n",
            text::escape(title),
            style::sheet(),
            self.body
        )
    }

    /// A line of text of a class of the style sheet.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, words: &str) {
        self.body += &format!(
            "<text x=\"{}\" y=\"{}\"{} class=\"{class}\">{}</text>\n",
            number(x),
            number(y),
            anchor.attribute(),
            text::escape(words)
        );
    }

    /// A line of text that runs upwards.
    pub fn text_upwards(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, words: &str) {
        self.body += &format!(
            "<text transform=\"translate({} {}) rotate(-90)\"{} class=\"{class}\">{}</text>\n",
            number(x),
            number(y),
            anchor.attribute(),
            text::escape(words)
        );
    }

    /// A filled rectangle of a class of the style sheet.
    pub fn rect(&mut self, area: Area, class: &str) {
        self.rect_with(area, &format!("class=\"{class}\""));
    }

    /// A small label on its ground.
    pub fn chip(&mut self, area: Area, class: &str, words: &str) {
        self.rect_with(area, "rx=\"4\" class=\"chip\"");
        self.text(area.middle().0, area.top + 12.0, Anchor::Middle, class, words);
    }

    /// A frame around an area.
    pub fn outline(&mut self, area: Area) {
        self.rect_with(area, "class=\"edge\" fill=\"none\"");
    }

    fn rect_with(&mut self, area: Area, attributes: &str) {
        self.body += &format!("<rect {} {attributes}/>\n", area.attributes());
    }

    /// A straight line; `extra` holds further attributes, such as a width.
    pub(crate) fn segment(&mut self, from: (f64, f64), to: (f64, f64), class: &str, extra: &str) {
        self.body += &format!(
            "<path d=\"M{} {}L{} {}\" class=\"{class}\" fill=\"none\" {extra}/>\n",
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1)
        );
    }

    /// Lines through points; a point that is not finite interrupts them.
    pub fn polyline(&mut self, points: impl IntoIterator<Item = (f64, f64)>, ink: Ink, extra: &str) {
        let (mut path, mut last, mut broken) = (String::new(), String::new(), true);
        for (x, y) in points {
            if !(x.is_finite() && y.is_finite()) {
                broken = true;
                continue;
            }
            // One decimal is a fifth of the smallest visible difference, and halves the text.
            let [x, y] = [x, y].map(|value| number((value * 10.0).round() / 10.0));
            let point = format!("{x} {y}");
            if broken {
                path += &format!("M{point}");
            } else if point != last {
                path += &format!("L{point}");
            }
            broken = false;
            last = point;
        }
        if !path.is_empty() {
            self.body += &format!("<path class=\"line {}\" d=\"{path}\" {extra}/>\n", ink.line());
        }
    }

    /// A circle; `extra` holds further attributes.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str, extra: &str) {
        self.body += &format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{class}\" {extra}/>\n",
            number(x),
            number(y),
            number(radius)
        );
    }

    /// A panel with the output of `inside`, clipped to its area, and a frame around it.
    pub(crate) fn panel(&mut self, area: Area, inside: impl FnOnce(&mut Self)) {
        self.rect(area, "panel");
        let id = self.clips;
        self.clips += 1;
        self.body += &format!(
            "<clipPath id=\"c{id}\"><rect {}/></clipPath>\n<g clip-path=\"url(#c{id})\">\n",
            area.attributes()
        );
        inside(self);
        self.body.push_str("</g>\n");
        self.outline(area);
    }

    pub(crate) fn raw(&mut self, text: &str) {
        self.body.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_finite() {
        let texts = [
            1.0,
            -0.001,
            12.345,
            0.1 + 0.2,
            f64::NAN,
            f64::INFINITY,
            1e-9,
            -7.5,
            1200.0,
        ]
        .map(number);
        assert_eq!(texts, ["1", "0", "12.35", "0.3", "0", "0", "0", "-7.5", "1200"]);
    }
}
