//! A set on the page of its loops: the loops by speed and turn rate, their phases below each other, and the passages.

use loopwright_core::analysis::FootEventKind;
use loopwright_formats::set::Manifest;

use crate::plot::escape;

/// Width of the drawings, and the room at their left for names.
const WIDTH: f64 = 560.0;
const NAMES: f64 = 140.0;
/// Height of a bar, and of the grid.
const BAR: f64 = 22.0;
const GRID: f64 = 300.0;

/// Returns what the page shows of a set above its loops.
pub(super) fn html(set: &Manifest) -> String {
    let mut html = format!(
        "<section class=\"parts\">\
         <figure><figcaption>Speed and turn rate<p>Green: mirrored or blended.</p></figcaption>{}</figure>\
         <figure><figcaption>Phases<p>Left foot above, right foot below, from touch-down to lift.</p></figcaption>{}</figure></section>",
        grid(set),
        phases(set)
    );
    let rows: String = set.clips.iter().filter(|clip| !clip.is_loop()).map(|passage| {
        let [from, to] =
            [&passage.from, &passage.to].map(|state| state.as_ref().map_or_else(String::new, |state| escape(&state.clip)));
        format!(
            "<tr><td>{}</td><td>{from}</td><td>{to}</td><td class=\"n\">{:.2}</td><td class=\"n\">{:.0}</td><td class=\"n\">{:.3}</td></tr>",
            escape(&passage.name),
            passage.seconds,
            passage.turn_deg.unwrap_or_default(),
            passage.cost.unwrap_or_default()
        )
    }).collect();
    if !rows.is_empty() {
        html += &format!(
            "<table><caption>What happens once</caption><thead><tr><th>Name</th><th>From</th><th>To</th>\
             <th class=\"n\">Seconds</th><th class=\"n\">Turn, degrees</th><th class=\"n\">Cost</th></tr></thead><tbody>\
             {rows}</tbody></table>"
        );
    }
    for missing in &set.missing {
        html += &format!(
            "<p class=\"reason\">Missing: {}: {}</p>",
            escape(&missing.what),
            escape(&missing.why)
        );
    }
    html
}

/// Returns the loops that go forward over speed and turn rate, a left turn at the left.
fn grid(set: &Manifest) -> String {
    let space = set.blend_spaces.iter().find(|space| space.name == "move");
    // Metres per second, and degrees per second.
    let points: Vec<[f64; 2]> = space
        .into_iter()
        .flat_map(|space| &space.points)
        .map(|point| [0_usize, 1].map(|axis| point.at.get(axis).copied().unwrap_or_default()))
        .collect();
    let most_mps = points.iter().map(|point| point[0]).fold(1.0, f64::max) * 1.15;
    let most_dps = points.iter().map(|point| point[1].abs()).fold(20.0, f64::max) * 1.3;
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
    for triangle in space.into_iter().flat_map(|space| &space.triangles) {
        let corners = triangle.iter().filter_map(|&corner| points.get(corner));
        let corners: Vec<String> = corners
            .map(|&[speed, turn]| format!("{:.1} {:.1}", across(turn), down(speed)))
            .collect();
        svg += &format!("<path class=\"axis\" d=\"M{}Z\"/>", corners.join("L"));
    }
    for (&[speed, turn], point) in points.iter().zip(space.into_iter().flat_map(|space| &space.points)) {
        let (x, y) = (across(turn), down(speed));
        let is_filled = set.filled.iter().any(|filled| filled.clip == point.clip);
        svg += &format!(
            "<path class=\"{}\" d=\"M{:.1} {y:.1}h8m-4 -4v8\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            if is_filled { "c" } else { "a" },
            x - 4.0,
            x.clamp(36.0, WIDTH - 36.0),
            y - 7.0,
            escape(&point.clip)
        );
    }
    svg + "</svg>"
}

/// Returns the stances of all loops with feet that touch down over their phase, under each other.
fn phases(set: &Manifest) -> String {
    let loops = || {
        set.clips
            .iter()
            .filter(|clip| clip.is_loop() && !clip.events.is_empty())
    };
    let height = BAR * loops().count() as f64 + 18.0;
    let across = |phase: f64| NAMES + (WIDTH - NAMES - 8.0) * phase;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Stances by phase\">");
    for (index, clip) in loops().enumerate() {
        let top = BAR * index as f64 + 3.0;
        svg += &format!("<text x=\"4\" y=\"{:.1}\">{}</text>", top + 12.0, escape(&clip.name));
        let of_kind = |kind: FootEventKind| clip.events.iter().filter(move |event| event.kind == kind);
        for strike in of_kind(FootEventKind::Strike) {
            let Some(from) = strike.phase else { continue };
            // The next lift of that foot, which may lie beyond the end of the cycle.
            let after = |phase: &f64| (phase - from).rem_euclid(1.0);
            let Some(to) = of_kind(FootEventKind::Lift)
                .filter(|lift| lift.foot == strike.foot)
                .filter_map(|lift| lift.phase)
                .min_by(|one, other| after(one).total_cmp(&after(other)))
            else {
                continue;
            };
            let (class, y) = if strike.foot == "left" {
                ("a", top + 4.0)
            } else {
                ("b", top + 12.0)
            };
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
