//! The still pictures of a loop on the page: how a joint passes the seam, the path from above, and when feet stand. Each comes with a
//! table of the same numbers, for those who cannot see it.

use core::fmt::Write;

use glam::DVec3;

use super::{DrawnContact, LoopEntry};
use crate::{plot::escape, render::DrawnMotion};

/// Size of a picture in units of its own; the page stretches it.
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

/// Columns of the tables: a few moments tell what the curve tells.
const TOLD: usize = 4;

/// Names of the curves and their classes, in the order of the axes.
const AXES: [(&str, &str); 3] = [("to the left", "a"), ("up", "b"), ("forward", "c")];

/// The seam joint over the seam: where it is relative to the root, in cm from where the loop starts.
pub(super) fn seam(entry: &LoopEntry) -> String {
    let point = (entry.seam_joint.as_deref())
        .and_then(|name| entry.closed.figure().point_named(name))
        .unwrap_or(entry.closed.figure().hips());
    let name = entry.closed.figure().name_of(point);
    let around = AROUND_SECS.min(0.5 * entry.closed.period_secs());
    let start = entry.closed.body_at(0.0)[point];
    let closed = over_the_seam(&entry.closed, point, around, start);
    let uncut = (entry.uncut.as_ref())
        .filter(|uncut| uncut.figure().name_of(point) == name)
        .map(|uncut| over_the_seam(uncut, point, around, uncut.body_at(0.0)[point]));
    let all = || closed.iter().chain(uncut.iter().flatten()).flatten().map(|(_, cm)| cm);
    let low = all().fold(f64::INFINITY, |low, cm| low.min(cm.min_element()));
    let high = all().fold(f64::NEG_INFINITY, |high, cm| high.max(cm.max_element()));
    // Noise below a tenth of a millimetre shows nothing.
    let (low, high) = (low.min(-0.01), high.max(0.01));
    let x = |secs: f64| LEFT + (WIDTH - LEFT - 8.0) * (secs + around) / (2.0 * around).max(1e-9);
    let y = |cm: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - cm) / (high - low);
    let mut svg = opened(HEIGHT);
    for cm in [low, 0.0, high] {
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - 8.0,
            LEFT - 4.0,
            y(cm) + 4.0,
            short(cm),
            y = y(cm),
        );
    }
    let _ = write!(
        svg,
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
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
            x(secs),
            HEIGHT - 7.0
        );
    }
    for (axis, (label, class)) in AXES.into_iter().enumerate() {
        let curves = uncut.iter().flatten().map(|side| (side, " uncut"));
        for (side, extra) in curves.chain(closed.iter().map(|side| (side, ""))) {
            let points = side.iter().map(|(secs, cm)| (x(*secs), y(cm[axis])));
            let _ = write!(svg, "<path class=\"{class}{extra}\" d=\"{}\"/>", path_of(points));
        }
        let _ = write!(
            svg,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{label}</text>",
            LEFT + 8.0 + 80.0 * axis as f64,
            TOP - 9.0
        );
    }
    svg += "</svg>";
    let caption = format!(
        "Over the seam: {}<p>Position against the root, cm from where the loop starts{}.</p>",
        escape(name),
        if uncut.is_some() {
            "; dashed: the take, uncut"
        } else {
            ""
        }
    );
    let mut table = table(&format!("{name} over the seam, cm from where the loop starts"));
    table += "<tr><th scope=\"col\">Seconds</th>";
    for (label, _) in AXES {
        let _ = write!(table, "<th scope=\"col\">{label}</th>");
    }
    table += "</tr>";
    for (secs, cm) in closed.iter().flat_map(|side| side.iter().step_by(STEPS / TOLD)) {
        let _ = write!(
            table,
            "<tr><th scope=\"row\">{secs:+.3}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            short(cm.x),
            short(cm.y),
            short(cm.z)
        );
    }
    figure(&caption, &svg, &(table + "</table></div>"))
}

/// A point before the seam and after it: seconds, and cm from `from` along the axes of the root.
fn over_the_seam(motion: &DrawnMotion, point: usize, around: f64, from: DVec3) -> [Vec<(f64, DVec3)>; 2] {
    let at = |secs: f64, p: DVec3| (secs, 100.0 * (p - from));
    let period = motion.period_secs();
    let mut before: Vec<(f64, DVec3)> = (0..STEPS)
        .map(|step| {
            let secs = around * (step as f64 / STEPS as f64 - 1.0);
            at(secs, motion.body_at(period + secs)[point])
        })
        .collect();
    before.push(at(0.0, motion.body_at_end()[point]));
    let after = (0..=STEPS).map(|step| {
        let secs = around * step as f64 / STEPS as f64;
        at(secs, motion.body_at(secs)[point])
    });
    [before, after.collect()]
}

/// Cycles of the path that are shown: two tell whether it goes on.
const CYCLES: f64 = 2.0;

/// Hips and root from above.
pub(super) fn path(entry: &LoopEntry) -> String {
    let root = entry.closed.root();
    let period = entry.closed.period_secs();
    let times = |count: usize| (0..=count).map(move |k| CYCLES * period * k as f64 / count as f64);
    let hips = |motion: &DrawnMotion, secs: f64| {
        let p = motion.body_at(secs)[motion.figure().hips()];
        motion.root().at(secs).transform_point(p)
    };
    let of_hips: Vec<DVec3> = times(2 * STEPS).map(|secs| hips(&entry.closed, secs)).collect();
    let of_root: Vec<DVec3> = times(2 * STEPS).map(|secs| root.at(secs).translation).collect();
    // The take stands elsewhere; its stretch is laid onto the loop where both start.
    let of_take: Vec<DVec3> = entry.uncut.as_ref().map_or_else(Vec::new, |uncut| {
        let onto = root.start * uncut.root().start.inverse();
        let steps = (0..=STEPS).map(|k| uncut.period_secs() * k as f64 / STEPS as f64 * 0.9999);
        steps.map(|secs| onto.transform_point(hips(uncut, secs))).collect()
    });
    let all = || of_hips.iter().chain(&of_root).chain(&of_take);
    let low = all().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = all().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let (middle, extent) = (0.5 * (low + high), high - low);
    // The longer way lies along the picture; +X is to the left of who faces +Z.
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
    for (points, class) in [(&of_take, "uncut"), (&of_root, "b"), (&of_hips, "a")] {
        let _ = write!(
            svg,
            "<path class=\"{class}\" d=\"{}\"/>",
            path_of(points.iter().map(place))
        );
    }
    let mut lengths = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1].into_iter();
    let bar = lengths.find(|bar| bar * scale < 0.3 * WIDTH).unwrap_or(0.1);
    let _ = write!(
        svg,
        "<line x1=\"12\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"12\" y=\"{}\">{bar} m</text>\
         <text class=\"a\" x=\"12\" y=\"18\">hips</text><text class=\"b\" x=\"48\" y=\"18\">root</text></svg>",
        12.0 + bar * scale,
        height - 14.0,
        y = height - 10.0
    );
    let caption = format!(
        "Path from above<p>Hips and root over two periods{}.</p>",
        if of_take.is_empty() {
            ""
        } else {
            "; dashed: hips of the take, uncut"
        }
    );
    let mut table = table("Path of the root, metres");
    table += "<tr><th scope=\"col\">Seconds</th><th scope=\"col\">X</th><th scope=\"col\">Z</th></tr>";
    for secs in times(2 * TOLD) {
        let at = root.at(secs).translation;
        let _ = write!(
            table,
            "<tr><th scope=\"row\">{secs:.2}</th><td>{:.2}</td><td>{:.2}</td></tr>",
            at.x + 0.0,
            at.z + 0.0
        );
    }
    figure(&caption, &svg, &(table + "</table></div>"))
}

/// When feet stand, over one period.
pub(super) fn contacts(entry: &LoopEntry) -> String {
    let period = entry.closed.period_secs();
    let mut feet: Vec<&str> = Vec::new();
    for contact in &entry.contacts {
        if !feet.contains(&contact.foot.as_str()) {
            feet.push(&contact.foot);
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
        let _ = write!(
            svg,
            "<text x=\"{left}\" y=\"{y}\">{}</text><line class=\"axis\" x1=\"{left}\" x2=\"{}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            escape(foot),
            WIDTH - left,
            y + 9.0,
            y + 9.0
        );
        for contact in entry.contacts.iter().filter(|contact| contact.foot == **foot) {
            for (from, to) in spans(contact, period) {
                let _ = write!(
                    svg,
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
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{secs:.2} s</text>",
            x(secs),
            height - 5.0
        );
    }
    svg += "</svg>";
    let mut table = table("Contacts of the feet");
    table += "<tr><th scope=\"col\">Foot</th><th scope=\"col\">from, s</th><th scope=\"col\">length, s</th></tr>";
    for contact in &entry.contacts {
        let _ = write!(
            table,
            "<tr><th scope=\"row\">{}</th><td>{:.3}</td><td>{:.3}</td></tr>",
            escape(&contact.foot),
            contact.start_secs,
            contact.length_secs
        );
    }
    figure(
        "Contacts<p>When each foot is planted, over one period.</p>",
        &svg,
        &(table + "</table></div>"),
    )
}

/// The parts of a contact within one period: what goes on beyond the end continues at the start.
fn spans(contact: &DrawnContact, period: f64) -> Vec<(f64, f64)> {
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

/// A table that only screen readers show, without its end. The box around it is small; a table would not be.
fn table(caption: &str) -> String {
    format!("<div class=\"vh\"><table><caption>{}</caption>", escape(caption))
}

fn figure(caption: &str, svg: &str, table: &str) -> String {
    format!("<figure><figcaption>{caption}</figcaption>{svg}{table}</figure>")
}

/// The way of a polyline; steps of less than a third of a unit are left out.
fn path_of(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut text = String::new();
    let mut last: Option<(f64, f64)> = None;
    let mut skipped = None;
    let mut add = |(x, y): (f64, f64), first: bool| {
        let _ = write!(text, "{}{x:.1} {y:.1}", if first { "M" } else { "L" });
    };
    for point in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let is_new = last.is_none_or(|last| (last.0 - point.0).abs() + (last.1 - point.1).abs() >= 0.3);
        if is_new {
            add(point, last.is_none());
            last = Some(point);
            skipped = None;
        } else {
            skipped = Some(point);
        }
    }
    if let Some(point) = skipped {
        add(point, false);
    }
    text
}

/// A number of centimetres that people can use.
fn short(cm: f64) -> String {
    let text = if cm.abs() < 1.0 {
        format!("{cm:.2}")
    } else {
        format!("{cm:.1}")
    };
    if text.trim_matches(['-', '0', '.']).is_empty() {
        "0".to_owned()
    } else {
        text
    }
}
