//! A page about loops: a table to sort and filter, a moving thumbnail of each, and for each its figures, curves, path, contacts
//! and a player. It is one self-contained text: no network, no fonts, no libraries.
//!
//! A page consists of [`Panel`]s, each made from a single [`LoopEntry`], so that many can be made in parallel and only one
//! loop's motion has to be held. The same entries give the same text on every machine.
//!
//! Names, joints and reasons are shown as text: they cannot become markup or script, and the page allows its browser to run only
//! its own script and to load nothing.

mod clip;
mod curves;
mod mesh;
mod set;

use std::{collections::BTreeSet, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use loopwright_formats::{
    loop_file::facts::{ContactFacts, Grade, QualityFacts},
    set::Manifest,
};
use sha2::{Digest, Sha256};

use crate::{plot::escape, render::DrawnMotion};
pub(crate) use mesh::PageMesh;

use clip::Room;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// A loop and what is known of it.
#[derive(Clone, Debug)]
pub struct LoopEntry {
    /// Its name on the page.
    pub name: String,
    /// What was measured of it, and the grade that it has by that; of what happens once, the grade alone.
    pub quality: QualityFacts,
    /// The kind of its motion; empty if unknown.
    pub kind: String,
    /// Speed over the ground, m/s.
    pub speed_mps: f64,
    /// Rate of turn, deg/s, left positive.
    pub turn_rate_dps: f64,
    /// Cycles in the loop.
    pub cycles: usize,
    /// Share of the cycle since the first foot came down, at the start of the loop; 0 if unknown.
    pub contact_phase: f64,
    /// Further figures: labels and values with their units, in the order in which they are shown.
    pub figures: Vec<(&'static str, String)>,
    /// Contacts of the feet.
    pub contacts: Vec<ContactFacts>,
    /// The loop as its file holds it.
    pub closed: DrawnMotion,
    /// The stretch of the take that it was made from, uncut, where the take is known.
    pub uncut: Option<DrawnMotion>,
}

/// The title of a page, and its contents besides the loops.
#[value(Default)]
pub struct PageHeading {
    /// Its title.
    pub title: String,
    /// Files that are not shown, with the reason.
    pub problems: Vec<(String, String)>,
    /// The set that the loops belong to.
    pub set: Option<Manifest>,
}

/// A loop as parts of a page.
#[derive(Clone, Debug)]
pub struct Panel {
    kind: String,
    row: String,
    section: String,
    meshes: Vec<Arc<PageMesh>>,
}

/// Number of loops up to which each has all the room that it needs.
const FEW: usize = 20;

/// Bytes of a clip on a page of few loops; two of them and the rest stay below a megabyte.
const ROOMY_BYTES: usize = 320_000;

/// Bytes of all clips together on a page of many loops; with their other contents, 500 loops take 20 MB.
const ALL_CLIPS_BYTES: usize = 13_000_000;

/// Bytes of all meshes of a page together, at most 300 KB each: further characters are drawn as capsules.
const ALL_MESHES_BYTES: usize = 3_000_000;

/// Fewest bytes of a clip: pages of thousands of loops grow.
const LEAST_BYTES: usize = 9_000;

impl Panel {
    /// Creates the panel of loop `index`, from 0, of a page of `num_loops`. The more loops there are, the fewer samples of their motion are
    /// kept.
    pub fn new(entry: &LoopEntry, index: usize, num_loops: usize) -> Self {
        let is_fine = num_loops <= FEW;
        let bytes = if is_fine {
            ROOMY_BYTES
        } else {
            (ALL_CLIPS_BYTES / num_loops / 2).max(LEAST_BYTES)
        };
        let motions = core::iter::once(&entry.closed).chain(&entry.uncut);
        let clips: Vec<String> = motions
            .clone()
            .map(|motion| clip::json(entry, motion, Room { bytes, is_fine }))
            .collect();
        Self {
            meshes: motions
                .filter_map(|motion| motion.figure.surface()?.of_page().cloned())
                .collect(),
            kind: entry.kind.clone(),
            row: row(entry, index),
            section: section(entry, index, &clips.join(",")),
        }
    }
}

/// Columns of the table: heading, and whether it holds numbers.
const COLUMNS: [(&str, bool); 8] = [
    ("Loop", false),
    ("Grade", false),
    ("Kind", false),
    ("Length, s", true),
    ("Speed, m/s", true),
    ("Turn, deg/s", true),
    ("Feet slide, cm/s", true),
    ("Seam", true),
];

/// Columns that phones show too.
const NARROW_COLUMNS: usize = 2;

/// The class and the word of a grade.
fn words(grade: Option<Grade>) -> [&'static str; 2] {
    grade.map_or(["", "unknown"], |grade| [grade.as_str(); 2])
}

fn row(entry: &LoopEntry, index: usize) -> String {
    let [class, grade] = words(entry.quality.grade);
    let mut row = format!(
        "<tr data-i=\"{index}\" data-grade=\"{class}\" data-kind=\"{}\"><th scope=\"row\"><div class=\"name\"><canvas class=\"thumb\" aria-hidden=\"true\"></canvas>\
         <a href=\"#loop-{number}\"><bdi>{}</bdi></a><p><bdi>{}</bdi></p></div></th>",
        escape(&entry.kind.to_lowercase()),
        escape(&entry.name),
        escape(entry.quality.reason.as_deref().unwrap_or_default()),
        number = index + 1,
    );
    // From worst to best.
    let rank = Grade::ALL
        .into_iter()
        .rev()
        .position(|grade| Some(grade) == entry.quality.grade);
    row += &format!(
        "<td data-v=\"{}\"><span class=\"grade {class}\">{grade}</span></td><td class=\"w\" data-v=\"{kind}\">{kind}</td>",
        rank.map_or_else(String::new, |rank| rank.to_string()),
        kind = escape(&entry.kind),
    );
    for (value, decimals) in [
        (Some(entry.closed.period_secs()), 2),
        (Some(entry.speed_mps), 2),
        (Some(entry.turn_rate_dps), 1),
        (entry.quality.foot_slide_cmps, 1),
        (entry.quality.seam_step_ratio, 2),
    ] {
        let text = value
            .filter(|value| value.is_finite())
            .map(|value| rounded(value, decimals));
        row += &match text {
            Some(text) => format!("<td class=\"n w\" data-v=\"{text}\">{text}</td>"),
            None => "<td class=\"n w\" data-v=\"\">-</td>".to_owned(),
        };
    }
    row + "</tr>\n"
}

/// Formats a number with this many decimals, never as a negative zero.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.trim_matches(['-', '0', '.']).is_empty() {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }
}

fn section(entry: &LoopEntry, index: usize, clips: &str) -> String {
    let [class, grade] = words(entry.quality.grade);
    let mut html = format!(
        "<details class=\"loop\" id=\"loop-{}\"><summary><h2><bdi>{}</bdi></h2> <span class=\"grade {class}\">{grade}</span></summary><div>\
         <p class=\"reason\"><bdi>{}</bdi></p><div class=\"here\"></div><div class=\"parts\"><div><h3>Figures</h3><table>\
         <caption class=\"vh\">Figures</caption>",
        index + 1,
        escape(&entry.name),
        escape(entry.quality.reason.as_deref().unwrap_or_default()),
    );
    for (label, value) in &entry.figures {
        html += &format!(
            "<tr><th scope=\"row\">{}</th><td><bdi>{}</bdi></td></tr>",
            escape(label),
            escape(value)
        );
    }
    html += &format!(
        "</table></div><div>{}{}{}</div></div></div><script type=\"application/json\" class=\"clip\">[{clips}]</script></details>\n",
        curves::seam(entry),
        curves::path(entry),
        curves::contacts(entry),
    );
    html
}

/// Returns the page of these loops, in their order.
pub fn page(heading: &PageHeading, panels: &[Panel]) -> String {
    let (script, style) = (without_comments(SCRIPT), without_comments(STYLE));
    let title = escape(&heading.title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"generator\" content=\"loopwright\">\n<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <header><div><h1><bdi>{title}</bdi></h1><p>{}</p></div><button id=\"theme\" type=\"button\">Colours</button></header>\n<main>\n",
        hash(&style),
        hash(&script),
        counted(panels, heading.problems.len()),
    );
    html += &heading.set.as_ref().map_or_else(String::new, set::html);
    filters(&mut html, panels);
    table(&mut html, panels);
    problems(&mut html, &heading.problems);
    for panel in panels {
        html += &panel.section;
    }
    meshes(&mut html, panels);
    html += &format!("</main>\n{PLAYER}<script>{script}</script>\n</body>\n</html>\n");
    html
}

/// The player, copied into the loop that is open.
const PLAYER: &str = "<template id=\"player\"><div class=\"player\" role=\"group\" aria-label=\"Player\">\
    <canvas data-part=\"stage\" tabindex=\"0\" role=\"application\" aria-label=\"The moving figure\" aria-describedby=\"keys\"></canvas>\
    <div class=\"controls\"><button type=\"button\" data-part=\"play\">Play</button>\
    <label class=\"scrub\">Time <span data-part=\"time\"></span>\
    <input type=\"range\" min=\"0\" max=\"1000\" step=\"1\" data-part=\"scrub\" aria-label=\"Time\"></label>\
    <label>Speed <select data-part=\"speed\"><option value=\"0.1\">0.1</option><option value=\"0.25\">0.25</option>\
    <option value=\"0.5\">0.5</option><option value=\"1\" selected>1</option><option value=\"2\">2</option></select></label>\
    <button type=\"button\" data-part=\"place\" aria-pressed=\"false\">In place</button>\
    <button type=\"button\" data-part=\"uncut\" aria-pressed=\"false\">Before closing</button>\
    <label>Compare in phase <select data-part=\"beside\"></select></label></div>\
    <p class=\"keys\" id=\"keys\">Keys on the figure: arrows turn the view, + and - zoom, 0 resets it, space plays, comma and full stop step, \
    P in place, U before closing.</p></div></template>\n";

/// Counts the loops of each grade.
fn counted(panels: &[Panel], num_problems: usize) -> String {
    let mut parts = vec![match panels.len() {
        1 => "1 loop".to_owned(),
        count => format!("{count} loops"),
    }];
    for grade in Grade::ALL {
        let mark = format!("data-grade=\"{grade}\"");
        let count = panels.iter().filter(|panel| panel.row.contains(&mark)).count();
        if count > 0 {
            parts.push(format!("{count} {grade}"));
        }
    }
    if num_problems > 0 {
        parts.push(format!("{num_problems} not shown"));
    }
    parts.join(", ")
}

fn filters(html: &mut String, panels: &[Panel]) {
    *html += "<form id=\"filters\" role=\"search\"><label>Find <input type=\"search\" id=\"find\"></label>\
        <label>Grade <select id=\"grade\"><option value=\"\">any</option>";
    for grade in Grade::ALL {
        *html += &format!("<option value=\"{grade}\">{grade}</option>");
    }
    *html += "</select></label><label>Kind <select id=\"kind\"><option value=\"\">any</option>";
    let mut kinds: Vec<&str> = panels.iter().map(|panel| panel.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds.into_iter().filter(|kind| !kind.is_empty()) {
        let kind = escape(kind);
        *html += &format!("<option value=\"{kind}\">{kind}</option>");
    }
    *html += "</select></label><label>Sort by <select id=\"sort\"><option value=\"-1\">as listed</option>";
    for (index, (name, _)) in COLUMNS.into_iter().enumerate() {
        *html += &format!("<option value=\"{index}\">{name}</option>");
    }
    *html += "</select></label><output id=\"count\"></output></form>\n";
}

fn table(html: &mut String, panels: &[Panel]) {
    *html += "<table id=\"loops\"><caption>Each loop with its grade. Seam: seam step / visibility threshold.</caption><thead><tr>";
    for (index, (name, is_number)) in COLUMNS.into_iter().enumerate() {
        let class = match (index >= NARROW_COLUMNS, is_number) {
            (true, true) => " class=\"n w\"",
            (true, false) => " class=\"w\"",
            (false, _) => "",
        };
        *html += &format!("<th scope=\"col\"{class} aria-sort=\"none\"><button type=\"button\">{name}</button></th>");
    }
    *html += "</tr></thead><tbody>\n";
    for panel in panels {
        *html += &panel.row;
    }
    *html += "</tbody></table>\n";
}

fn problems(html: &mut String, problems: &[(String, String)]) {
    if problems.is_empty() {
        return;
    }
    *html += "<h3>Not shown</h3><table><caption class=\"vh\">Files of which nothing is shown</caption>";
    for (file, why) in problems {
        *html += &format!(
            "<tr><th scope=\"row\"><bdi>{}</bdi></th><td><bdi>{}</bdi></td></tr>",
            escape(file),
            escape(why)
        );
    }
    *html += "</table>\n";
}

/// Writes each mesh once, however many loops share it.
fn meshes(html: &mut String, panels: &[Panel]) {
    let mut seen = BTreeSet::new();
    let mut left = ALL_MESHES_BYTES;
    for mesh in panels.iter().flat_map(|panel| &panel.meshes) {
        let PageMesh { key, json, .. } = &**mesh;
        if json.len() <= left && seen.insert(key) {
            left -= json.len();
            *html += &format!("<script type=\"application/json\" id=\"mesh-{key}\">{json}</script>\n");
        }
    }
}

/// Returns the hash by which the page allows its own script and style, and no others.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Returns a script or a style without indents and comment lines, which serve readers of the source only.
fn without_comments(source: &str) -> String {
    source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .fold(String::new(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small() {
        let bytes = without_comments(SCRIPT).len();
        assert!(bytes <= 20 * 1024, "{bytes} bytes");
    }

    #[test]
    fn numbers_are_never_minus_nothing() {
        assert_eq!(rounded(-0.001, 2), "0.00");
        assert_eq!(rounded(-0.01, 2), "-0.01");
    }
}
