//! Paths over the ground, seen from above: the positions and speeds of roots.

use loopwright_core::math::Rigid;

use super::kit::style::{self, SERIES};
use super::kit::svg::{Anchor, Area, Svg, number};
use super::view::{View, bounds, from_above};

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

/// Most lines of the grid to a side of the origin; more would be a grey area, and without bound.
const MOST_LINES: i64 = 4000;

/// Height of a line of the legend.
const LINE: f64 = 22.0;

/// Draws paths over one ground, ahead (+Z) up and left (+X) to the left; later ones above earlier ones.
pub fn paths(title: &str, paths: &[GroundPath]) -> String {
    let top = style::MARGIN + 2.0 * style::TITLE;
    let panel = Area::new(style::MARGIN, top, 0.6 * style::FULL, HEIGHT);
    let mut svg = Svg::default();
    let y = style::MARGIN + style::TITLE;
    svg.text(style::MARGIN, y, Anchor::Start, "title ft", title);
    ground(&mut svg, panel, paths);
    let left = panel.right() + style::MARGIN;
    for (index, path) in paths.iter().enumerate() {
        let y = panel.top + (2 * index + 1) as f64 * LINE;
        let ink = SERIES[index % SERIES.len()];
        svg.circle((left + 6.0, y - 4.0), 5.0, &ink.fill(), "");
        svg.text(left + 20.0, y, Anchor::Start, "h ft", &path.name);
        if let (Some(first), Some(last)) = (path.transforms.first(), path.transforms.last()) {
            let metres = (last.translation - first.translation).length();
            let ends = format!("ends {metres:.3} m from its start");
            svg.text(left + 20.0, y + 0.75 * LINE, Anchor::Start, "soft", &ends);
        }
    }
    let apart = format!("lines of the ground {} m apart", number(GRID));
    svg.text(left, panel.bottom() - 6.0, Anchor::Start, "soft", &apart);
    svg.finish(title, panel.bottom() + style::MARGIN)
}

/// Draws the ground with the paths.
fn ground(svg: &mut Svg, panel: Area, paths: &[GroundPath]) {
    let positions = paths
        .iter()
        .flat_map(|path| &path.transforms)
        .map(|transform| transform.translation);
    let finite = positions.filter(|position| position.is_finite()).map(from_above);
    let [low, high] = bounds(finite.chain([[0.0; 2]]));
    let span = [0, 1].map(|axis| high[axis] - low[axis] + 2.0 * AROUND);
    let scale = (panel.width / span[0]).min(panel.height / span[1]);
    let view = View::new(panel, [low, high], scale);
    svg.rect(panel, "panel");
    svg.clipped(panel, |svg| {
        let middle = view.middle;
        let reach = ((span[0].max(span[1]) + middle[0].abs() + middle[1].abs()) / GRID).ceil() as i64;
        for line in if reach > MOST_LINES { 0..0 } else { -reach..reach + 1 } {
            let (x, y) = view.at([line as f64 * GRID; 2]);
            svg.segment((x, panel.top), (x, panel.bottom()), "grid", "");
            svg.segment((panel.left, y), (panel.right(), y), "grid", "");
        }
        for (index, path) in paths.iter().enumerate() {
            let ink = SERIES[index % SERIES.len()];
            let width = format!("style=\"stroke-width:{}\"", number(path.width));
            let places = path
                .transforms
                .iter()
                .map(|transform| view.at(from_above(transform.translation)));
            svg.polyline(places.clone(), ink, &width);
            for place in places.step_by(path.dot_every.max(1)) {
                svg.circle(place, 0.5 * path.width + 2.5, &ink.fill(), "");
            }
        }
    });
    svg.outline(panel);
}
