//! The still pictures of a loop on the page: how a joint passes the seam, the path from above, and when feet stand. Each comes with a
//! table of the same numbers, for those who cannot see it.

use glam::DVec3;
use loopwright_core::math::{bounds, percentile};
use loopwright_formats::loop_file::facts::ContactFacts;

use super::{LoopEntry, rounded};
use crate::{
    plot::{escape, without_small_steps},
    render::DrawnMotion,
};

/// Size of a picture in its own units; the page stretches it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 170.0;

/// Room around the curves.
const LEFT: f64 = 44.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 22.0;

/// Seconds shown on either side of the seam, at most half a period.
const AROUND_SECS: f64 = 0.5;

/// Points of a curve on either side of the seam.
const STEPS: usize = 40;

/// Number of columns of the tables: a few moments summarize the curve.
const TOLD: usize = 4;

/// Names of the curves and their classes, in the order of the axes.
const AXES: [(&str, &str); 3] = [("to the left", "a"), ("up", "b"), ("forward", "c")];

/// Draws the seam joint over the seam: its position relative to the root, in cm from the position where the loop starts.
pub(super) fn seam(entry: &LoopEntry) -> String {
    let point = entry
        .quality
        .seam_joint
        .as_deref()
        .and_then(|name| entry.closed.figure.point_named(name))
        .unwrap_or(entry.closed.figure.hips());
    let name = entry.closed.figure.name_of(point);
    let around = AROUND_SECS.min(0.5 * entry.closed.period_secs());
    let closed = over_the_seam(&entry.closed, point, around);
    let uncut = entry
        .uncut
        .as_ref()
        .filter(|uncut| uncut.figure.name_of(point) == name)
        .map(|uncut| over_the_seam(uncut, point, around));
    let dashed = if uncut.is_some() {
        "; dashed: the take, uncut"
    } else {
        ""
    };
    let moments = table(
        &format!("{name} over the seam, cm from where the loop starts"),
        &["Seconds", AXES[0].0, AXES[1].0, AXES[2].0],
        closed
            .iter()
            .flat_map(|side| side.iter().step_by(STEPS / TOLD))
            .map(|(secs, cm)| [format!("{secs:+.3}"), short(cm.x), short(cm.y), short(cm.z)]),
    );
    figure(
        &format!(
            "Over the seam: {}<p>Position against the root, cm from where the loop starts{dashed}.</p>",
            escape(name)
        ),
        &seam_chart(&closed, uncut.as_ref(), around),
        &moments,
    )
}

/// A point before the seam and after it: seconds, and cm along the axes of the root.
type Sides = [Vec<(f64, DVec3)>; 2];

fn seam_chart(closed: &Sides, uncut: Option<&Sides>, around: f64) -> String {
    let (low, high) = percentile::extremes(
        closed
            .iter()
            .chain(uncut.into_iter().flatten())
            .flatten()
            .flat_map(|(_, cm)| cm.to_array()),
    );
    // Noise below a tenth of a millimetre shows nothing.
    let (low, high) = (low.min(-0.01), high.max(0.01));
    let x = |secs: f64| LEFT + (WIDTH - LEFT - 8.0) * (secs + around) / (2.0 * around).max(1e-9);
    let y = |cm: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - cm) / (high - low);
    let mut svg = opened(HEIGHT);
    for cm in [low, 0.0, high] {
        svg += &format!(
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - 8.0,
            LEFT - 4.0,
            y(cm) + 4.0,
            short(cm),
            y = y(cm),
        );
    }
    svg += &format!(
        "<line class=\"seam\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
        HEIGHT - BOTTOM,
        x = x(0.0)
    );
    for (secs, anchor) in [(-around, "start"), (0.0, "middle"), (around, "end")] {
        let text = if secs == 0.0 {
            "seam".to_owned()
        } else {
            format!("{secs:+.2} s")
        };
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
            x(secs),
            HEIGHT - 7.0
        );
    }
    for (axis, (label, class)) in AXES.into_iter().enumerate() {
        for (side, extra) in uncut
            .into_iter()
            .flatten()
            .map(|side| (side, " uncut"))
            .chain(closed.iter().map(|side| (side, "")))
        {
            svg += &format!(
                "<path class=\"{class}{extra}\" d=\"{}\"/>",
                path_of(side.iter().map(|(secs, cm)| (x(*secs), y(cm[axis]))))
            );
        }
        svg += &format!(
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{label}</text>",
            LEFT + 8.0 + 80.0 * axis as f64,
            TOP - 9.0
        );
    }
    svg + "</svg>"
}

/// Returns a point over the seam, relative to its position at the start of the cycle.
fn over_the_seam(motion: &DrawnMotion, point: usize, around: f64) -> Sides {
    let start = motion.body_at(0.0)[point];
    let before = (0..STEPS)
        .map(|step| {
            let secs = around * (step as f64 / STEPS as f64 - 1.0);
            (secs, motion.body_at(motion.period_secs() + secs)[point])
        })
        .chain([(0.0, motion.body_at_end()[point])])
        .collect();
    [
        before,
        (0..=STEPS)
            .map(|step| {
                let secs = around * step as f64 / STEPS as f64;
                (secs, motion.body_at(secs)[point])
            })
            .collect(),
    ]
    .map(|side: Vec<(f64, DVec3)>| side.into_iter().map(|(secs, p)| (secs, 100.0 * (p - start))).collect())
}

/// Cycles of the path that are shown: two show whether it continues smoothly.
const CYCLES: f64 = 2.0;

/// Hips and root from above.
pub(super) fn path(entry: &LoopEntry) -> String {
    let root = &entry.closed.root;
    let period = entry.closed.period_secs();
    let times = |count: usize| (0..=count).map(move |k| CYCLES * period * k as f64 / count as f64);
    let of_hips: Vec<DVec3> = times(2 * STEPS).map(|secs| hips_at(&entry.closed, secs)).collect();
    let of_root: Vec<DVec3> = times(2 * STEPS).map(|secs| root.at(secs).translation).collect();
    // The take stands elsewhere; its stretch is moved so that it starts with the loop.
    let of_take: Vec<DVec3> = entry.uncut.as_ref().map_or_else(Vec::new, |uncut| {
        let onto = root.start * uncut.root.start.inverse();
        (0..=STEPS)
            .map(|k| uncut.period_secs() * k as f64 / STEPS as f64 * 0.9999)
            .map(|secs| onto.transform_point(hips_at(uncut, secs)))
            .collect()
    });
    let dashed = if of_take.is_empty() {
        ""
    } else {
        "; dashed: hips of the take, uncut"
    };
    let rows = times(2 * TOLD).map(|secs| {
        let at = root.at(secs).translation;
        [secs, at.x + 0.0, at.z + 0.0].map(|value| format!("{value:.2}"))
    });
    figure(
        &format!("Path from above<p>Hips and root over two periods{dashed}.</p>"),
        &path_chart(&of_hips, &of_root, &of_take),
        &table("Path of the root, metres", &["Seconds", "X", "Z"], rows),
    )
}

fn hips_at(motion: &DrawnMotion, secs: f64) -> DVec3 {
    motion
        .root
        .at(secs)
        .transform_point(motion.body_at(secs)[motion.figure.hips()])
}

fn path_chart(of_hips: &[DVec3], of_root: &[DVec3], of_take: &[DVec3]) -> String {
    let (low, high) = bounds(of_hips.iter().chain(of_root).chain(of_take).copied());
    let (middle, extent) = (0.5 * (low + high), high - low);
    // The longer extent lies along the picture; +X is to the left when facing +Z.
    let is_long = extent.z > extent.x;
    let [along, across] = if is_long {
        [extent.z, extent.x]
    } else {
        [extent.x, extent.z]
    };
    let height = 200.0;
    let scale = ((WIDTH - 24.0) / along.max(0.2)).min((height - 44.0) / across.max(0.2));
    let place = |p: &DVec3| {
        let d = *p - middle;
        if is_long {
            (0.5 * WIDTH + scale * d.z, 0.5 * height + 8.0 - scale * d.x)
        } else {
            (0.5 * WIDTH + scale * d.x, 0.5 * height + 8.0 + scale * d.z)
        }
    };
    let mut svg = opened(height);
    for (points, class) in [(of_take, "uncut"), (of_root, "b"), (of_hips, "a")] {
        svg += &format!("<path class=\"{class}\" d=\"{}\"/>", path_of(points.iter().map(place)));
    }
    let bar = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1]
        .into_iter()
        .find(|bar| bar * scale < 0.3 * WIDTH)
        .unwrap_or(0.1);
    svg += &format!(
        "<line x1=\"12\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"12\" y=\"{}\">{bar} m</text>\
         <text class=\"a\" x=\"12\" y=\"18\">hips</text><text class=\"b\" x=\"48\" y=\"18\">root</text></svg>",
        12.0 + bar * scale,
        height - 14.0,
        y = height - 10.0
    );
    svg
}

/// Lists the contacts of the feet, over one period.
pub(super) fn contacts(entry: &LoopEntry) -> String {
    let period = entry.closed.period_secs();
    let mut feet: Vec<&str> = Vec::new();
    for contact in &entry.contacts {
        if !feet.contains(&contact.joint.as_str()) {
            feet.push(&contact.joint);
        }
    }
    if feet.is_empty() || period <= 0.0 {
        return String::new();
    }
    let (row, left) = (22.0, 8.0);
    let height = 30.0 * feet.len() as f64 + 24.0;
    let x = |secs: f64| left + (WIDTH - 2.0 * left) * (secs / period).clamp(0.0, 1.0);
    let mut svg = opened(height);
    for (index, foot) in feet.iter().enumerate() {
        let y = 30.0 * index as f64 + 14.0;
        svg += &format!(
            "<text x=\"{left}\" y=\"{y}\">{}</text><line class=\"axis\" x1=\"{left}\" x2=\"{}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            escape(foot),
            WIDTH - left,
            y + 9.0,
            y + 9.0
        );
        for contact in entry.contacts.iter().filter(|contact| contact.joint == **foot) {
            for (from, to) in spans(contact, period) {
                svg += &format!(
                    "<rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"/>",
                    x(from),
                    y + 4.0,
                    (x(to) - x(from)).max(0.5),
                    row - 12.0
                );
            }
        }
    }
    for (secs, anchor) in [(0.0, "start"), (period, "end")] {
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{secs:.2} s</text>",
            x(secs),
            height - 5.0
        );
    }
    svg += "</svg>";
    let rows = entry.contacts.iter().map(|contact| {
        let [from, length] = [contact.start_secs, contact.length_secs].map(|secs| format!("{secs:.3}"));
        [escape(&contact.joint), from, length]
    });
    figure(
        "Contacts<p>When each foot is planted, over one period.</p>",
        &svg,
        &table("Contacts of the feet", &["Foot", "from, s", "length, s"], rows),
    )
}

/// Returns the parts of a contact within one period: a contact beyond the end continues at the start.
fn spans(contact: &ContactFacts, period: f64) -> Vec<(f64, f64)> {
    let (start, end) = (contact.start_secs, contact.start_secs + contact.length_secs);
    if end > period {
        vec![(start, period), (0.0, end - period)]
    } else {
        vec![(start, end)]
    }
}

fn opened(height: f64) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {height}\" aria-hidden=\"true\">")
}

/// Returns a table that only screen readers show; the first cell of a row is its heading. The box around it is small; a table
/// would not be.
fn table<const N: usize>(caption: &str, columns: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut html = format!("<div class=\"vh\"><table><caption>{}</caption><tr>", escape(caption));
    for column in columns {
        html += &format!("<th scope=\"col\">{column}</th>");
    }
    html += "</tr>";
    for row in rows {
        html += "<tr>";
        for (index, cell) in row.iter().enumerate() {
            html += &match index {
                0 => format!("<th scope=\"row\">{cell}</th>"),
                _ => format!("<td>{cell}</td>"),
            };
        }
        html += "</tr>";
    }
    html + "</table></div>"
}

fn figure(caption: &str, svg: &str, table: &str) -> String {
    format!("<figure><figcaption>{caption}</figcaption>{svg}{table}</figure>")
}

/// Returns the way of a polyline; steps of less than a third of a unit are left out.
fn path_of(points: impl Iterator<Item = (f64, f64)>) -> String {
    let steps: Vec<String> = without_small_steps(points.filter(|(x, y)| x.is_finite() && y.is_finite()), 0.3)
        .iter()
        .map(|(x, y)| format!("{x:.1} {y:.1}"))
        .collect();
    if steps.is_empty() {
        String::new()
    } else {
        format!("M{}", steps.join("L"))
    }
}

/// Returns a number of centimetres that people can use.
fn short(cm: f64) -> String {
    let text = rounded(cm, if cm.abs() < 1.0 { 2 } else { 1 });
    if text == "0.00" { "0".to_owned() } else { text }
}
