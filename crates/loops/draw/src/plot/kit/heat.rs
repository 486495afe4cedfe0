//! Heat maps: values on a grid as shades from cheap, bright, to expensive, dark, with a scale.

use super::{
    style,
    svg::{Anchor, Area, Svg, number, short},
    text,
};

/// Number of shades of a map; more cannot be distinguished and only lengthen the text.
const SHADES: usize = 24;

/// Width of the scale beside a map, and the space before it.
const SCALE_WIDTH: f64 = 14.0;
const SCALE_GAP: f64 = 14.0;

/// Room for the scale with its labels.
pub const SCALE_ROOM: f64 = SCALE_WIDTH + SCALE_GAP + 52.0;

/// Fills an area with a grid of columns and rows, the lowest row first, by the ratio of each cell to the most expensive value;
/// cells with a ratio that is not finite are left empty. Runs of one shade are strokes, one path for each shade.
pub fn draw(svg: &mut Svg, area: Area, [columns, rows]: [usize; 2], ratio: impl Fn(usize, usize) -> f64) {
    let mut paths = vec![String::new(); SHADES];
    for row in 0..rows {
        let shades: Vec<Option<usize>> = (0..columns)
            .map(|column| ratio(column, row))
            .map(|ratio| ratio.is_finite().then(|| shade_of(ratio)))
            .collect();
        let mut column = 0;
        for run in shades.chunk_by(PartialEq::eq) {
            if let Some(shade) = run[0] {
                paths[shade] += &format!("M{column} {}h{}", rows - 1 - row, run.len());
            }
            column += run.len();
        }
    }
    // Neighbouring cells share their edge to the bit, so no seam shows between them.
    let [across, down] = [(area.width, columns), (area.height, rows)].map(|(side, count)| side / count.max(1) as f64);
    // Cells need many digits.
    let scale = if across == down {
        short(across, 6)
    } else {
        format!("{} {}", short(across, 6), short(down, 6))
    };
    svg.raw(&format!(
        "<g transform=\"translate({} {}) scale({scale}) translate(0 .5)\" fill=\"none\" shape-rendering=\"crispEdges\">\n",
        number(area.left),
        number(area.top)
    ));
    for (shade, path) in paths.iter().enumerate() {
        if !path.is_empty() {
            svg.raw(&format!("<path stroke=\"{}\" d=\"{path}\"/>\n", colour_of(shade)));
        }
    }
    svg.raw("</g>\n");
}

/// The scale to the right of a map's area, with labels at ratios to the most expensive value.
pub fn scale(svg: &mut Svg, area: Area, labels: &[(f64, String)], name: &str) {
    let left = area.right() + SCALE_GAP;
    let step = area.height / SHADES as f64;
    svg.raw("<g shape-rendering=\"crispEdges\">\n");
    for shade in 0..SHADES {
        svg.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{SCALE_WIDTH}\" height=\"{}\" fill=\"{}\"/>\n",
            number(left),
            number(area.bottom() - step * (shade + 1) as f64),
            number(step),
            colour_of(shade)
        ));
    }
    svg.raw("</g>\n");
    let scale = Area {
        left,
        width: SCALE_WIDTH,
        ..area
    };
    svg.outline(scale);
    for (ratio, words) in labels {
        let y = area.bottom() - area.height * position(*ratio);
        svg.segment((scale.right(), y), (scale.right() + 4.0, y), "edge", "");
        svg.text(scale.right() + 7.0, y + 4.0, Anchor::Start, "soft", words);
    }
    let beside = labels
        .iter()
        .map(|(_, words)| text::width(words, style::TEXT, false))
        .fold(25.0, f64::max)
        + 21.0;
    svg.text_upwards(scale.right() + beside, area.middle().1, Anchor::Middle, "soft", name);
}

/// Words in the middle of a cell, in the colour of the other end of the scale: cells look alike on any card.
pub fn label(svg: &mut Svg, (x, y): (f64, f64), ratio: f64, words: &str) {
    let is_dark = shade_of(ratio) >= SHADES / 2;
    let colour = style::map_colour(if is_dark { 1.0 } else { 0.0 });
    svg.raw(&format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{}</text>\n",
        number(x),
        number(y),
        text::escape(words)
    ));
}

/// Returns the position of a ratio on the scale: the square root gives the cheap end, which matters, more space.
fn position(ratio: f64) -> f64 {
    ratio.max(0.0).sqrt().min(1.0)
}

fn shade_of(ratio: f64) -> usize {
    ((position(ratio) * SHADES as f64) as usize).min(SHADES - 1)
}

fn colour_of(shade: usize) -> String {
    style::map_colour(1.0 - (shade as f64 + 0.5) / SHADES as f64)
}
