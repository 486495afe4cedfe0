//! Answers as text for people.

use std::fmt::Write;

use loopwright::{
    analysis::{body::FoundBy, segments::Segment, spectrum::Peak},
    candidate::{SearchSettings, TakeRhythm},
};
use loopwright_formats::sidecar::{FeetFacts, QualityFacts, RootFacts, Sidecar};

use super::json::{CostAnswer, CostSide, PairFacts, PlayAnswer, RenderAnswer, TableFacts, Verdict};
use crate::{
    commands::find::{self, Hunt},
    load::{self, Loaded},
};

/// Rows of a table: first line the headings, columns as wide as their widest entry.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(headings: &[&str]) -> Self {
        Self {
            rows: vec![headings.iter().map(ToString::to_string).collect()],
        }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn render(&self) -> String {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, &width)| format!("{cell:>width$}"))
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

fn optional(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// The first line of every answer: which take, how long, in what space.
fn headline(loaded: &Loaded) -> String {
    let facts = loaded.facts();
    format!(
        "{}: {} frames, {:.2} s at {:.4} fps, {} joints, unit {}, {} up\n",
        facts.file,
        facts.frames,
        loaded.take().duration_secs(),
        loaded.take().frame_rate_hz(),
        facts.joints,
        facts.unit,
        facts.up
    )
}

/// The list of `find`.
pub(crate) fn candidates(loaded: &Loaded, hunt: &Hunt, settings: &SearchSettings) -> String {
    let found = &hunt.found;
    let mut headings = vec![
        "#",
        "start",
        "end",
        "seconds",
        "cycles",
        "seam cost",
        "ratio",
        "steady",
        "m/s",
        "deg/s",
        "climb",
        "phase",
        "energy",
    ];
    // The first found of segments in order is that of the first segment that has one.
    let gaits = hunt.segments.as_ref().map(|segments| {
        let with_loop = segments.iter().filter(|loops| loops.best.is_ok());
        with_loop.map(|loops| loops.segment.gait.name()).collect::<Vec<_>>()
    });
    if gaits.is_some() {
        headings.push("segment");
    }
    let mut table = Table::new(&headings);
    for (index, candidate) in found.candidates.iter().enumerate() {
        let linear = candidate.twist.linear;
        let mut row = vec![
            (index + 1).to_string(),
            format!("{:.0}", candidate.cut.start_frame()),
            format!("{:.2}", candidate.cut.end_frame()),
            format!("{:.3}", candidate.source_period_secs),
            candidate.cycles.to_string(),
            format!("{:.4}", candidate.seam_cost),
            optional(candidate.cost_ratio, 3),
            format!("{:.2}", candidate.steadiness),
            format!("{:.2}", loopwright::math::ops::hypot(linear.x, linear.z)),
            format!("{:+.1}", candidate.twist.angular.y.to_degrees()),
            format!("{:+.2}", linear.y),
            // Just before the strike is closer to it than to a whole cycle later.
            optional(
                candidate
                    .contact_phase
                    .map(|phase| (100.0 * phase).round() % 100.0 / 100.0),
                2,
            ),
            format!("{:.2}", candidate.energy),
        ];
        row.extend(
            gaits
                .as_ref()
                .and_then(|gaits| gaits.get(index))
                .map(ToString::to_string),
        );
        table.row(row);
    }
    let mut text = headline(loaded);
    if hunt.segments.is_none()
        && let Some(rhythm) = found.rhythm(&loaded.analysis, settings)
    {
        let _ = writeln!(text, "{}", take_rhythm(&rhythm));
    }
    text.push_str(&table.render());
    for loops in hunt.segments.iter().flatten() {
        let Err(miss) = &loops.best else { continue };
        let Segment {
            gait,
            start_frame,
            end_frame,
        } = loops.segment;
        let why = miss
            .as_ref()
            .map_or_else(|| "no two frames can be ends of a loop".to_owned(), find::miss_in_words);
        let _ = writeln!(
            text,
            "no loop in frames {start_frame}-{end_frame} ({}); {why}",
            gait.name()
        );
    }
    text
}

/// The rhythm of a take in a line.
fn take_rhythm(rhythm: &TakeRhythm) -> String {
    const MOST: usize = 5;
    let multiples: Vec<String> = (rhythm.multiples.iter().take(MOST).enumerate().skip(1))
        .map(|(index, likeness)| format!("{} cycles {likeness:.2}", index + 1))
        .collect();
    let multiples = if multiples.is_empty() {
        String::new()
    } else {
        format!("; after {}", multiples.join(", "))
    };
    format!(
        "rhythm: one cycle lasts {:.3} s, confidence {:.2}{multiples}",
        rhythm.period_secs, rhythm.confidence
    )
}

/// Peaks of the autocorrelation worth telling, highest first.
pub(crate) fn rhythm(loaded: &Loaded) -> Vec<Peak> {
    const MOST: usize = 5;
    let dt = loaded.take().frame_time_secs();
    let peaks = loaded
        .analysis
        .spectrum
        .peaks((0.25 / dt).ceil() as usize, (10.0 / dt) as usize, 0.1);
    peaks.into_iter().take(MOST).collect()
}

/// How the feet were found, in a word.
pub(crate) fn found_by(found_by: FoundBy) -> &'static str {
    match found_by {
        FoundBy::Given => "given",
        FoundBy::Names => "names",
        FoundBy::Geometry => "geometry",
        FoundBy::AllLeaves => "all leaves",
    }
}

/// The answer of `inspect`.
pub(crate) fn inspect(loaded: &Loaded, with_contacts: bool) -> String {
    let (take, analysis) = (loaded.take(), &loaded.analysis);
    let name = |joint: usize| take.skeleton().joint(joint).name.as_str();
    let mut text = headline(loaded);
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "  {label:<10} {value}");
    };
    line(
        "body",
        format!(
            "hips {}, feet {} (found by {}), standing {}",
            name(analysis.body.hips),
            load::feet_names(take, analysis),
            found_by(analysis.body.found_by),
            analysis
                .body
                .stature(take)
                .map_or_else(|| "unknown".to_owned(), |height| format!("{height:.2} m"))
        ),
    );
    let weights: Vec<String> = analysis
        .joints
        .iter()
        .map(|weighted| format!("{} {}", name(weighted.joint), weighted.weight))
        .collect();
    line("weights", weights.join(", "));
    let soiled = analysis.screen.soiled.len();
    line(
        "soiled",
        format!(
            "{soiled} of {} frames; {} joints flip",
            take.num_frames(),
            analysis.screen.flipping.len()
        ),
    );
    let peaks: Vec<String> = rhythm(loaded)
        .iter()
        .map(|peak| format!("{:.3} s ({:.2})", peak.lag_frames * take.frame_time_secs(), peak.height))
        .collect();
    line(
        "rhythm",
        if peaks.is_empty() {
            "none over the whole take".to_owned()
        } else {
            peaks.join(", ")
        },
    );
    let segments: Vec<String> = analysis
        .segments
        .iter()
        .map(|segment| format!("{} {}-{}", segment.gait.name(), segment.start_frame, segment.end_frame))
        .collect();
    line("segments", segments.join("; "));
    if with_contacts {
        text.push('\n');
        text.push_str(&contacts(loaded));
    }
    text.push('\n');
    text.push_str(&tree(loaded));
    text
}

/// Columns that the bars of the contacts take at most.
const BARS: usize = 72;

/// When each foot stands, as bars over the time of the take.
fn contacts(loaded: &Loaded) -> String {
    let (take, analysis) = (loaded.take(), &loaded.analysis);
    let num_frames = take.num_frames();
    let columns = num_frames.min(BARS);
    let mut text = String::new();
    let names: Vec<&str> = (analysis.body.feet.iter())
        .map(|foot| take.skeleton().joint(foot.lowest_joint()).name.as_str())
        .collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    if analysis.contacts.num_feet() == 0 {
        return "  no feet told apart from other joints, so no contacts\n".to_owned();
    }
    for (foot, name) in names.iter().enumerate() {
        let bars: String = (0..columns)
            .map(|column| {
                let frames = column * num_frames / columns..(column + 1) * num_frames / columns;
                let count = frames.len();
                let stands = frames
                    .filter(|&frame| analysis.contacts.is_planted(foot, frame))
                    .count();
                if 2 * stands > count { '#' } else { '.' }
            })
            .collect();
        let _ = writeln!(text, "  {name:<width$}  {bars}");
    }
    let end = format!("{:.2} s", take.duration_secs());
    let _ = writeln!(
        text,
        "  {:<width$}  0{end:>at$}",
        "",
        at = columns.saturating_sub(1).max(end.len() + 1)
    );
    for contact in analysis.contacts.spans() {
        let secs = |frame: usize| frame as f64 * take.frame_time_secs();
        let _ = writeln!(
            text,
            "  {:<width$}  frames {}-{}, {:.3}-{:.3} s",
            names[contact.foot],
            contact.start_frame,
            contact.end_frame,
            secs(contact.start_frame),
            secs(contact.end_frame)
        );
    }
    text
}

/// The skeleton as an indented tree, without recursion: files choose how deep it is.
fn tree(loaded: &Loaded) -> String {
    const DEEPEST: usize = 40;
    let skeleton = loaded.take().skeleton();
    let mut depths = vec![0_usize; skeleton.num_joints()];
    let mut text = String::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        depths[index] = joint.parent.map_or(0, |parent| depths[parent] + 1);
        let _ = writeln!(text, "  {}{}", "  ".repeat(depths[index].min(DEEPEST)), joint.name);
    }
    text
}

/// The travel in words.
pub(crate) fn travel(root: &RootFacts) -> String {
    let mut text = match root.mode.as_str() {
        "in-place" => format!("in place ({:.3} m/s taken out", root.speed_mps),
        _ => format!("{:.3} m/s", root.speed_mps),
    };
    let radius = root
        .radius_m
        .map_or_else(String::new, |radius| format!(" on a radius of {radius:.2} m"));
    if root.space == "full" {
        let [x, y, z] = root.twist_angular_radps;
        let rate = (x * x + y * y + z * z).sqrt();
        let _ = write!(text, ", turning {:.2} deg/s about any axis{radius}", rate.to_degrees());
    } else {
        let _ = write!(text, ", turning {:+.2} deg/s{radius}", root.turn_dps);
    }
    // Below half a millimetre a second it is rounding of a file.
    if root.climb_mps.abs() >= 5e-4 {
        let _ = write!(text, ", climbing {:+.3} m/s", root.climb_mps);
    }
    if root.mode == "in-place" {
        text.push(')');
    }
    text
}

/// The figures, a line each.
pub(crate) fn figures(quality: &QualityFacts) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "  {label:<20} {value}");
    };
    line(
        "pose gap",
        format!("{} deg, {} mm", optional(quality.c0_deg, 4), optional(quality.c0_mm, 4)),
    );
    if quality.c1_dps.is_some() {
        // Rounding of the solver, so an exponent says more than zeros.
        let tiny = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0e}"));
        line(
            "velocity gap",
            format!("{} deg/s, {} mm/s", tiny(quality.c1_dps), tiny(quality.c1_mmps)),
        );
    }
    line("seam acceleration", {
        let error = quality
            .seam_acceleration_error
            .map_or_else(String::new, |error| format!("error {error:.3}, "));
        format!(
            "{error}{} of the clip's own peaks (pops above 1.5)",
            optional(quality.seam_acceleration_p99, 2)
        )
    });
    line("seam rank", {
        let take = quality
            .take_rank
            .map_or_else(String::new, |rank| format!(", the take's own there {rank:.0}"));
        format!(
            "{}{take} (50 on average cannot be told)",
            optional(quality.seam_rank, 0)
        )
    });
    if quality.displacement_mm.is_some() {
        line(
            "displacement",
            format!(
                "{} mm, {} deg",
                optional(quality.displacement_mm, 2),
                optional(quality.displacement_deg, 2)
            ),
        );
    }
    line(
        "skate",
        quality
            .skate_cmps
            .map_or_else(|| "no stance found".to_owned(), |skate| format!("{skate:.2} cm/s")),
    );
    text
}

/// What became of the feet, in words.
fn held(feet: &FeetFacts) -> String {
    let names = |held: bool| -> String {
        let of = feet.feet.iter().filter(|foot| (foot.outcome == "held") == held);
        let named = of.map(|foot| {
            if held {
                foot.joint.clone()
            } else {
                format!("{} {}", foot.joint, foot.outcome)
            }
        });
        named.collect::<Vec<_>>().join(", ")
    };
    if feet.feet.is_empty() {
        return "none told apart from other joints".to_owned();
    }
    if !feet.held {
        return names(false);
    }
    let mut text = format!("{} held", names(true));
    if let (Some(before), Some(after)) = (feet.skate_before_cmps, feet.skate_after_cmps) {
        let _ = write!(text, ": skate {before:.2} to {after:.2} cm/s");
    }
    if feet.hips_lowered_mm >= 0.1 {
        let _ = write!(text, ", hips down by up to {:.1} mm", feet.hips_lowered_mm);
    }
    let others = names(false);
    if !others.is_empty() {
        let _ = write!(text, "; {others}");
    }
    text
}

/// The answer of `make`.
pub(crate) fn made(sidecar: &Sidecar) -> String {
    let candidate = &sidecar.candidate;
    let cycles = if candidate.cycles == 1 { "cycle" } else { "cycles" };
    let mut text = format!(
        "{}\n  {:<20} frames {:.2}-{:.2} of {}, {} {cycles}\n",
        sidecar.outputs.first().map_or("", String::as_str),
        "cut",
        candidate.start_frame,
        candidate.end_frame,
        sidecar.take.file,
        candidate.cycles,
    );
    let _ = writeln!(
        text,
        "  {:<20} {:.4} s in {} samples (recorded {:.4} s)",
        "period", candidate.period_secs, sidecar.playback.samples, candidate.source_period_secs
    );
    let _ = writeln!(text, "  {:<20} {}", "travel", travel(&sidecar.root));
    if let Some(joint) = &sidecar.playback.root_joint {
        let _ = writeln!(text, "  {:<20} {joint}, above the hips", "root joint");
    }
    let closure = &sidecar.closure;
    let blends = if closure.blend_start_secs == closure.blend_end_secs {
        format!("{:.3} s", closure.blend_start_secs)
    } else {
        format!("{:.3} s and {:.3} s", closure.blend_start_secs, closure.blend_end_secs)
    };
    let _ = writeln!(text, "  {:<20} {}, {blends}", "closure", closure.method);
    if let Some(feet) = &sidecar.feet {
        let _ = writeln!(text, "  {:<20} {}", "feet", held(feet));
    }
    text.push_str(&figures(&sidecar.quality));
    for output in sidecar.outputs.iter().skip(1) {
        let _ = writeln!(text, "{output}");
    }
    text
}

/// The answer of `blend`.
pub(crate) fn blended(sidecar: &Sidecar) -> String {
    let mut text = format!("{}\n", sidecar.outputs.first().map_or("", String::as_str));
    if let Some(blend) = &sidecar.blend {
        let parts = blend.loops.iter().zip(&blend.weights).zip(&blend.phases);
        for ((file, weight), phase) in parts {
            let _ = writeln!(
                text,
                "  {:<20} {file}, from phase {phase:.3}",
                format!("{:.1}%", 100.0 * weight)
            );
        }
    }
    let _ = writeln!(
        text,
        "  {:<20} {:.4} s in {} samples",
        "period", sidecar.candidate.period_secs, sidecar.playback.samples
    );
    let _ = writeln!(text, "  {:<20} {}", "travel", travel(&sidecar.root));
    if let Some(feet) = &sidecar.feet {
        let _ = writeln!(text, "  {:<20} {}", "feet", held(feet));
    }
    text.push_str(&figures(&sidecar.quality));
    for output in sidecar.outputs.iter().skip(1) {
        let _ = writeln!(text, "{output}");
    }
    text
}

/// The answer of `play`.
pub(crate) fn played(answer: &PlayAnswer) -> String {
    let mut text = format!(
        "{}: {:.2} s, {} frames, {} jumps\n",
        answer.file,
        answer.seconds,
        answer.frames,
        answer.played.len().saturating_sub(1)
    );
    for played in &answer.played {
        let _ = writeln!(
            text,
            "  {:>8.2} s  {} from {:.3} s",
            played.start_secs, played.file, played.entry_secs
        );
    }
    text
}

/// The answer of `check` on one loop.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let mut text = format!("{}: {}\n", verdict.title(), verdict.verdict);
    if let Some(root) = &verdict.root {
        let _ = writeln!(text, "  {:<20} {}", "travel", travel(root));
    }
    if let Some(quality) = &verdict.quality {
        text.push_str(&figures(quality));
    }
    for exceeded in &verdict.failed {
        let _ = writeln!(text, "  failed: {exceeded}\n    try: {}", exceeded.hint);
    }
    text
}

/// What was drawn.
pub(crate) fn rendered(answer: &RenderAnswer) -> String {
    let RenderAnswer {
        file,
        pictures,
        width,
        height,
        ..
    } = answer;
    let what = match (answer.kind, answer.seconds) {
        ("animation", Some(secs)) => format!("{pictures} pictures, {secs:.2} s"),
        ("contact sheet", _) => format!("{pictures} frames"),
        _ => "the seam".to_owned(),
    };
    format!("{file}: {what}, {width} x {height}\n")
}

/// The answer of `cost`.
pub(crate) fn cost(answer: &CostAnswer) -> String {
    let mut text = format!("{}\ninto {}\n", jump_side(&answer.left), jump_side(&answer.entered));
    if let Some(pair) = &answer.pair {
        text.push_str(&pair_cost(pair));
    }
    if let Some(table) = &answer.table {
        text.push_str(&cost_table(table));
    }
    text.push_str(
        "costs in metre-seconds: how far weighted joints are from where they should be, summed over joints, axes and time\n",
    );
    text
}

fn jump_side(side: &CostSide) -> String {
    let rate = 1.0 / side.frame_time_secs;
    let what = match side.period_secs {
        Some(period) => format!("loop of {} samples, {period:.3} s", side.frames),
        None => format!("take of {} frames", side.frames),
    };
    match side.frame {
        Some(frame) => format!("{}, frame {frame} of a {what} at {rate:.4} fps", side.file),
        None => format!("{}, a {what} at {rate:.4} fps", side.file),
    }
}

fn pair_cost(pair: &PairFacts) -> String {
    let mut costs = Table::new(&["decay", "seconds", "cost", "feature form"]);
    for cost in &pair.costs {
        costs.row(vec![
            cost.decay.to_owned(),
            format!("{:.3}", cost.secs),
            format!("{:.4}", cost.exact),
            format!("{:.4}", cost.feature),
        ]);
    }
    let mut gaps = Table::new(&["part", "weight", "gap cm", "gap m/s", "spring", "cubic", "quintic"]);
    let length = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    for gap in &pair.gaps {
        let mut row = vec![
            gap.of.clone(),
            format!("{:.2}", gap.weight),
            if gap.joint {
                format!("{:.1}", 100.0 * length(gap.place_m))
            } else {
                "-".to_owned()
            },
            format!("{:.2}", length(gap.velocity_mps)),
        ];
        row.extend(gap.costs.iter().map(|cost| format!("{cost:.4}")));
        gaps.row(row);
    }
    format!("{}{}", costs.render(), gaps.render())
}

fn cost_table(table: &TableFacts) -> String {
    let mut text = format!("{} of {:.3} s", table.decay, table.secs);
    if let (Some(median), Some(dearest)) = (table.median, table.dearest) {
        let _ = write!(text, "; any jump costs {median:.4} in the median, {dearest:.4} at most");
    }
    if let Some(phase) = table.matching_phase {
        let _ = write!(text, "; the start of the first is phase {phase:.3} of the second");
    }
    text.push('\n');
    let mut best = Table::new(&[
        "#",
        "leave frame",
        "at s",
        "enter frame",
        "at s",
        "cost",
        "feature form",
        "of median",
    ]);
    for (index, jump) in table.best.iter().enumerate() {
        best.row(vec![
            (index + 1).to_string(),
            jump.exit_frame.to_string(),
            format!("{:.3}", jump.exit_secs),
            jump.entry_frame.to_string(),
            format!("{:.3}", jump.entry_secs),
            format!("{:.4}", jump.exact),
            format!("{:.4}", jump.feature),
            optional(
                table
                    .median
                    .filter(|&median| median > 0.0)
                    .map(|median| jump.exact / median),
                2,
            ),
        ]);
    }
    text.push_str(&best.render());
    text
}
