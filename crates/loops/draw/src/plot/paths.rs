//! Paths over the ground, seen from above: the positions and speeds of roots.

use loopwright_core::math::Rigid;

use super::kit::style::{self, SERIES};
use super::kit::svg::{Anchor, Area, Svg, number};

/// A root at even times.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundPath {
    /// Its name in the legend.
    pub name: String,
    /// Transforms from the start on, evenly spaced in time.
    pub transforms: Vec<Rigid>,
    /// Number of transforms between two dots on the line; distant dots show speed.
    pub dot_every: usize,
    /// Width of the line, in the units of the picture: of two overlapping lines the lower one is wider.
    pub width: f64,
}

/// Height of the panel, in the units of the picture.
const HEIGHT: f64 = 460.0;

/// Room around the paths, metres.
const AROUND: f64 = 0.25;

/// Metres between the lines of the ground.
const GRID: f64 = 0.5;

/// Height of a line of the legend.
const LINE: f64 = 22.0;

/// Draws paths over one ground, ahead (+Z) up and left (+X) to the left; later ones above earlier ones.
pub fn paths(title: &str, paths: &[GroundPath]) -> String {
    let panel = Area {
        left: style::MARGIN,
        top: style::MARGIN + 2.0 * style::TITLE,
        width: 0.6 * (style::WIDTH - 2.0 * style::MARGIN),
        height: HEIGHT,
    };
    let positions = || {
        paths
            .iter()
            .flat_map(|path| &path.transforms)
            .map(|transform| transform.translation)
    };
    let [mut low, mut high] = [[0.0_f64; 2]; 2];
    for position in positions().filter(|position| position.is_finite()) {
        for (axis, value) in [-position.x, position.z].into_iter().enumerate() {
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    let span = [0, 1].map(|axis| high[axis] - low[axis] + 2.0 * AROUND);
    let scale = (panel.width / span[0]).min(panel.height / span[1]);
    let middle = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]));
    let at = |across: f64, ahead: f64| {
        (
            panel.left + 0.5 * panel.width + scale * (across - middle[0]),
            panel.top + 0.5 * panel.height - scale * (ahead - middle[1]),
        )
    };
    let mut svg = Svg::default();
    svg.text(
        style::MARGIN,
        style::MARGIN + style::TITLE,
        Anchor::Start,
        "title ft",
        title,
    );
    svg.rect(panel, "panel");
    svg.clipped(panel, |svg| {
        let reach = ((span[0].max(span[1]) + middle[0].abs() + middle[1].abs()) / GRID).ceil() as i64;
        for line in -reach..=reach {
            let value = line as f64 * GRID;
            let (x, y) = at(value, value);
            svg.segment((x, panel.top), (x, panel.bottom()), "grid", "");
            svg.segment((panel.left, y), (panel.right(), y), "grid", "");
        }
        for (index, path) in paths.iter().enumerate() {
            let ink = SERIES[index % SERIES.len()];
            let width = number(path.width);
            let places = path.transforms.iter().map(|transform| transform.translation);
            let points: Vec<(f64, f64)> = places.map(|place| at(-place.x, place.z)).collect();
            svg.polyline(points.iter().copied(), ink, &format!("style=\"stroke-width:{width}\""));
            for &(x, y) in points.iter().step_by(path.dot_every.max(1)) {
                svg.circle(x, y, 0.5 * path.width + 2.5, &format!("f{}", ink.class()), "");
            }
        }
    });
    svg.outline(panel);
    let left = panel.right() + style::MARGIN;
    for (index, path) in paths.iter().enumerate() {
        let y = panel.top + (2 * index + 1) as f64 * LINE;
        let ink = SERIES[index % SERIES.len()];
        svg.circle(left + 6.0, y - 4.0, 5.0, &format!("f{}", ink.class()), "");
        svg.text(left + 20.0, y, Anchor::Start, "h ft", &path.name);
        if let (Some(first), Some(last)) = (path.transforms.first(), path.transforms.last()) {
            let ends = format!(
                "ends {:.3} m from its start",
                (last.translation - first.translation).length()
            );
            svg.text(left + 20.0, y + 0.75 * LINE, Anchor::Start, "soft", &ends);
        }
    }
    let y = panel.bottom() - 6.0;
    svg.text(
        left,
        y,
        Anchor::Start,
        "soft",
        &format!("lines of the ground {} m apart", number(GRID)),
    );
    svg.finish(title, panel.bottom() + style::MARGIN)
}
