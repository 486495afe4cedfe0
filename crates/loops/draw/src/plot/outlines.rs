//! Converts text of a picture to outlines, so that rendering needs no fonts.

use ttf_parser::{Face, FaceParsingError, OutlineBuilder};

use super::kit::{
    style,
    text::{BOLD, REGULAR, unescape},
};

/// Replaces every line of text in an SVG by a path.
///
/// It reads the output of this crate: `<text>` elements without children, whose attributes are `x`, `y`, `text-anchor`,
/// `transform`, `fill`, `font-size`, `font-weight` and a class of the style sheet. Letters outside the faces show as boxes.
pub(super) fn outlined(svg: &str) -> Result<String, FaceParsingError> {
    let faces = [Face::parse(REGULAR, 0)?, Face::parse(BOLD, 0)?];
    let mut drawn = String::with_capacity(2 * svg.len());
    let mut rest = svg;
    while let Some((before, after)) = rest.split_once("<text ") {
        let Some((attributes, (words, after))) = after
            .split_once('>')
            .and_then(|(attributes, after)| Some((attributes, after.split_once("</text>")?)))
        else {
            break;
        };
        drawn.push_str(before);
        push_line(&mut drawn, &faces, attributes, &unescape(words));
        rest = after;
    }
    drawn.push_str(rest);
    Ok(drawn)
}

/// Appends the path of one line of text.
fn push_line(svg: &mut String, faces: &[Face; 2], attributes: &str, words: &str) {
    let attribute = |name: &str| {
        let (_, after) = attributes.split_once(&format!("{name}=\""))?;
        after.split_once('"').map(|(value, _)| value)
    };
    let number = |name: &str| attribute(name).and_then(|value| value.parse::<f64>().ok());
    let class = attribute("class").unwrap_or_default();
    let classes = || class.split_whitespace();
    let is_bold = classes().any(|class| matches!(class, "h" | "title")) || attribute("font-weight") == Some("bold");
    let size = number("font-size").unwrap_or_else(|| {
        if classes().any(|class| class == "title") {
            style::TITLE
        } else if classes().any(|class| class == "h") {
            style::HEAD
        } else {
            style::TEXT
        }
    });
    let face = &faces[usize::from(is_bold)];
    let scale = size / f64::from(face.units_per_em());
    let mut line = Line {
        path: String::new(),
        scale,
        at: [0.0, 0.0],
    };
    for letter in words.chars() {
        // A missing letter is glyph 0, a box.
        let glyph = face.glyph_index(letter).unwrap_or_default();
        face.outline_glyph(glyph, &mut line);
        line.at[0] += scale * f64::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    let back = match attribute("text-anchor") {
        Some("middle") => -0.5 * line.at[0],
        Some("end") => -line.at[0],
        _ => 0.0,
    };
    let place = attribute("transform").map_or_else(String::new, |moved| format!("{moved} "));
    let fill = attribute("fill").map_or_else(String::new, |fill| format!(" fill=\"{fill}\""));
    let [x, y] = ["x", "y"].map(|name| number(name).unwrap_or(0.0));
    *svg += &format!(
        "<path transform=\"{place}translate({} {y})\" class=\"{class}\"{fill} d=\"{}\"/>",
        x + back,
        line.path
    );
}

/// The outlines of a line of text, in the units of the picture, y downwards.
struct Line {
    path: String,
    scale: f64,
    at: [f64; 2],
}

impl Line {
    fn push<const N: usize>(&mut self, command: char, points: [[f32; 2]; N]) {
        self.path.push(command);
        for [x, y] in points {
            let (x, y) = (
                self.at[0] + self.scale * f64::from(x),
                self.at[1] - self.scale * f64::from(y),
            );
            self.path += &format!("{x:.3} {y:.3} ");
        }
    }
}

impl OutlineBuilder for Line {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', [[x, y]]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', [[x, y]]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push('Q', [[x1, y1], [x, y]]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push('C', [[x1, y1], [x2, y2], [x, y]]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}
