//! A set on the page of its loops: the loops by speed and turn rate, their phases below each other, and the passages.

use crate::plot::escape;

/// A set as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetSummary {
    /// The loops that go forward.
    pub points: Vec<DrawnPoint>,
    /// Triples of them.
    pub triangles: Vec<[usize; 3]>,
    /// All loops with feet that touch down, in phase.
    pub bars: Vec<DrawnBar>,
    /// The passages.
    pub passages: Vec<DrawnPassage>,
    /// The parts that the set lacks, and why.
    pub missing: Vec<(String, String)>,
}

/// A loop by its speed and turn rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnPoint {
    /// Its name.
    pub name: String,
    /// Metres per second.
    pub speed_mps: f64,
    /// Degrees per second, left positive.
    pub turn_dps: f64,
    /// Whether no take shows it.
    pub is_filled: bool,
}

/// A loop from phase 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnBar {
    /// Its name.
    pub name: String,
    /// Whether it is the left foot, and the phases at which that touches down and lifts.
    pub stands: Vec<(bool, f64, f64)>,
}

/// Something that happens once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnPassage {
    /// Its name.
    pub name: String,
    /// The loops that it begins and ends in.
    pub ends: [String; 2],
    /// Its length, seconds.
    pub secs: f64,
    /// Its turn, degrees, left positive.
    pub turn_deg: f64,
    /// Metre-seconds.
    pub cost: f64,
}

/// Width of the drawings, and the room at their left for names.
const WIDTH: f64 = 560.0;
const NAMES: f64 = 140.0;
/// Height of a bar, and of the grid.
const BAR: f64 = 22.0;
const GRID: f64 = 300.0;

impl SetSummary {
    pub(super) fn html(&self) -> String {
        let mut html = String::from("<section class=\"parts\">");
        html += &format!(
            "<figure><figcaption>Speed and turn rate<p>Green: mirrored or blended.</p></figcaption>{}</figure>",
            self.grid()
        );
        html += &format!(
            "<figure><figcaption>Phases<p>Left foot above, right foot below, from touch-down to lift.</p></figcaption>{}</figure>",
            self.phases()
        );
        html += "</section>";
        if !self.passages.is_empty() {
            html += "<table><caption>What happens once</caption><thead><tr><th>Name</th><th>From</th><th>To</th>\
                <th class=\"n\">Seconds</th><th class=\"n\">Turn, degrees</th><th class=\"n\">Cost</th></tr></thead><tbody>";
            for each in &self.passages {
                let [from, to] = each.ends.each_ref().map(|name| escape(name));
                html += &format!(
                    "<tr><td>{}</td><td>{from}</td><td>{to}</td><td class=\"n\">{:.2}</td><td class=\"n\">{:.0}</td><td class=\"n\">{:.3}</td></tr>",
                    escape(&each.name),
                    each.secs,
                    each.turn_deg,
                    each.cost
                );
            }
            html += "</tbody></table>";
        }
        for (what, why) in &self.missing {
            html += &format!("<p class=\"reason\">Missing: {}: {}</p>", escape(what), escape(why));
        }
        html
    }

    /// Returns the loops over speed and turn rate, a left turn at the left.
    fn grid(&self) -> String {
        let most_mps = self.points.iter().map(|point| point.speed_mps).fold(1.0, f64::max) * 1.15;
        let most_dps = self
            .points
            .iter()
            .map(|point| point.turn_dps.abs())
            .fold(20.0, f64::max)
            * 1.3;
        let across = |turn: f64| 0.5 * WIDTH * (1.0 - turn / most_dps);
        let down = |speed: f64| (GRID - 24.0) * (1.0 - speed / most_mps) + 4.0;
        let mut svg =
            format!("<svg viewBox=\"0 0 {WIDTH} {GRID}\" role=\"img\" aria-label=\"Loops by speed and turn rate\">");
        let floor = down(0.0);
        svg += &format!(
            "<path class=\"axis\" d=\"M0 {floor:.1}H{WIDTH}M{0:.1} 0V{floor:.1}\"/>\
             <text x=\"4\" y=\"{1:.1}\">left {most_dps:.0} deg/s</text><text x=\"{2:.1}\" y=\"{1:.1}\" text-anchor=\"end\">right</text>\
             <text x=\"{3:.1}\" y=\"12\">{most_mps:.1} m/s</text>",
            across(0.0),
            GRID - 6.0,
            WIDTH - 4.0,
            across(0.0) + 4.0,
        );
        for triangle in &self.triangles {
            let corners = triangle.iter().filter_map(|&corner| self.points.get(corner));
            let corners: Vec<String> = corners
                .map(|point| format!("{:.1} {:.1}", across(point.turn_dps), down(point.speed_mps)))
                .collect();
            svg += &format!("<path class=\"axis\" d=\"M{}Z\"/>", corners.join("L"));
        }
        for point in &self.points {
            let (x, y) = (across(point.turn_dps), down(point.speed_mps));
            let dash = if point.is_filled {
                " class=\"c\""
            } else {
                " class=\"a\""
            };
            svg += &format!(
                "<path{dash} d=\"M{:.1} {y:.1}h8m-4 -4v8\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x - 4.0,
                x.clamp(36.0, WIDTH - 36.0),
                y - 7.0,
                escape(&point.name)
            );
        }
        svg + "</svg>"
    }

    /// Returns the stances of all loops over their phase, under each other.
    fn phases(&self) -> String {
        let height = BAR * self.bars.len() as f64 + 18.0;
        let across = |phase: f64| NAMES + (WIDTH - NAMES - 8.0) * phase;
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Stances by phase\">");
        for (index, bar) in self.bars.iter().enumerate() {
            let top = BAR * index as f64 + 3.0;
            svg += &format!("<text x=\"4\" y=\"{:.1}\">{}</text>", top + 12.0, escape(&bar.name));
            for &(is_left, from, to) in &bar.stands {
                let (class, y) = if is_left { ("a", top + 4.0) } else { ("b", top + 12.0) };
                // A stance that goes on beyond the end continues at the start.
                let spans = if to >= from {
                    vec![(from, to)]
                } else {
                    vec![(from, 1.0), (0.0, to)]
                };
                for (from, to) in spans {
                    svg += &format!(
                        "<path class=\"{class} stand\" d=\"M{:.1} {y:.1}H{:.1}\"/>",
                        across(from),
                        across(to)
                    );
                }
            }
        }
        for phase in [0.0, 0.5, 1.0] {
            svg += &format!(
                "<path class=\"seam\" d=\"M{0:.1} 0V{1:.1}\"/><text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{phase}</text>",
                across(phase).min(WIDTH - 8.0),
                height - 14.0,
                height - 3.0
            );
        }
        svg + "</svg>"
    }
}
