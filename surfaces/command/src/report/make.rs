//! Answers of `make`, `close` and `blend`.

use std::fmt::Write;

use loopwright_formats::loop_file::facts::{EditFacts, MeanCycleFacts};
use loopwright_formats::{Sidecar, loop_file::PackSidecar};
use loopwright_job::Verdict;

use super::figures::{counted, figures, held, root_motion, several_cycles, whole_clip};

/// The file of a loop, and the verdict on it.
fn first_line(sidecar: &Sidecar) -> String {
    let file = sidecar.outputs.first().map_or("", String::as_str);
    match Verdict::from_facts(&sidecar.quality) {
        Some(verdict) => format!("{file}: {verdict}\n"),
        None => format!("{file}\n"),
    }
}

fn mean_cycle(mean: &MeanCycleFacts) -> String {
    let ends = mean.cycles.first().zip(mean.cycles.last());
    let (start, end) = ends.map_or((0.0, 0.0), |(first, last)| (first.start_frame, last.end_frame));
    let mut text = format!("{} cycles, frames {start:.0}-{end:.0}", mean.cycles.len());
    let unlike = mean.cycles.iter().filter(|cycle| cycle.share == 0.0).count();
    if unlike > 0 {
        let _ = write!(text, ", {unlike} of them without weight: unlike the others");
    }
    text + &as_they_are(&mean.joints_left_out, "chosen cycle alone")
}

/// Joints that are as in one cycle, if there are any.
fn as_they_are(joints: &[String], cycle: &str) -> String {
    match joints {
        [] => String::new(),
        joints => format!("; as in the {cycle}: {}", joints.join(", ")),
    }
}

/// What was edited, in few words.
fn edits(edits: &[EditFacts]) -> String {
    let words = edits.iter().map(|edit| {
        let what = match edit.joints.as_slice() {
            [] => String::new(),
            [joint] => format!(" {joint}"),
            joints => format!(" {} joints", joints.len()),
        };
        let how_far = match (edit.turn_deg, edit.deviation_deg, edit.deviation_secs, edit.time_secs) {
            (Some(degrees), ..) => format!(" by {degrees:+.1} deg"),
            (_, Some(degrees), ..) => format!(" by {degrees:.1} deg"),
            (.., Some(secs), _) => format!(" over {secs:.3} s"),
            (.., Some(secs)) => format!(" at {secs:.2} s"),
            _ => String::new(),
        };
        format!("{}{what}{how_far}", edit.kind)
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The answer of `make`; `verbose` adds all figures.
pub(crate) fn human(sidecar: &Sidecar, verbose: bool) -> String {
    let candidate = &sidecar.candidate;
    // The frames hold one loop of those that vary.
    let copies = sidecar.num_copies();
    let count = candidate.cycles / copies;
    let cycles = if count == 1 { "cycle" } else { "cycles" };
    let mut text = first_line(sidecar);
    let is_ping_pong = candidate.ping_pong_ease_frames.is_some();
    if let Some(cure) = Verdict::from_facts(&sidecar.quality).and_then(|verdict| verdict.cure(is_ping_pong)) {
        let _ = writeln!(text, "  {:<20} {cure}", "try");
    }
    let _ = match &candidate.whole_clip {
        Some(whole) => writeln!(
            text,
            "  {:<20} {}, {} {cycles}: {}",
            "whole clip",
            sidecar.take.file,
            count,
            whole_clip(whole)
        ),
        None => writeln!(
            text,
            "  {:<20} frames {:.2}-{:.2} of {}, {}",
            "cut",
            candidate.start_frame,
            candidate.end_frame,
            sidecar.take.file,
            match candidate.ping_pong_ease_frames {
                Some(_) => "there and back".to_owned(),
                None => format!("{count} {cycles}"),
            },
        ),
    };
    if let Some(why) = several_cycles(candidate) {
        let _ = writeln!(text, "  {:<20} {why}", "several cycles");
    }
    if let Some(mean) = &sidecar.mean_cycle {
        let _ = writeln!(text, "  {:<20} {}", "mean of", mean_cycle(mean));
    }
    if let Some(variation) = &sidecar.variation {
        let _ = writeln!(
            text,
            "  {:<20} {} loops, seed {}: {:.1} deg on {} joints, as {} cycles of the take differ{}",
            "varied",
            variation.copies,
            variation.seed,
            variation.rotation_deg,
            variation.joints,
            variation.take_cycles,
            as_they_are(&variation.joints_left_out, "loop"),
        );
    }
    let _ = writeln!(
        text,
        "  {:<20} {:.4} s in {} samples (recorded {:.4} s{})",
        "period",
        candidate.period_secs,
        sidecar.playback.samples,
        candidate.source_period_secs / copies as f64,
        if copies > 1 {
            format!(", {copies} times")
        } else {
            String::new()
        },
    );
    let _ = writeln!(text, "  {:<20} {}", "root motion", root_motion(&sidecar.root_motion));
    if let Some(joint) = &sidecar.playback.root_joint {
        let added = if sidecar.playback.root_joint_added {
            "added "
        } else {
            ""
        };
        let _ = writeln!(text, "  {:<20} {joint}, {added}above the hips", "root joint");
    }
    let closure = &sidecar.closure;
    let blends = if closure.blend_start_secs == closure.blend_end_secs {
        format!("{:.3} s", closure.blend_start_secs)
    } else {
        format!("{:.3} s and {:.3} s", closure.blend_start_secs, closure.blend_end_secs)
    };
    let _ = match candidate.ping_pong_ease_frames {
        Some(_) => writeln!(text, "  {:<20} none needed", "closure"),
        None => writeln!(text, "  {:<20} {}, {blends}", "closure", closure.method),
    };
    if !sidecar.edits.is_empty() {
        let _ = writeln!(text, "  {:<20} {}", "edits", edits(&sidecar.edits));
    }
    if let Some(feet) = &sidecar.feet {
        let _ = writeln!(text, "  {:<20} {}", "feet", held(feet));
    }
    let displaced_from = sidecar.mean_cycle.as_ref().map_or("", |_| ", from the chosen cycle");
    text.push_str(&figures(&sidecar.quality, verbose, displaced_from));
    for output in sidecar.outputs.iter().skip(1) {
        let _ = writeln!(text, "{output}");
    }
    text
}

/// Motions in one file: a line for the file, one for each loop.
pub(crate) fn motions(pack: &PackSidecar, count: usize) -> String {
    let mut text = format!(
        "{}: {}\n",
        pack.outputs.first().map_or("", String::as_str),
        counted(count, "animation")
    );
    for facts in &pack.loops {
        let name = facts.playback.animation.as_deref().unwrap_or_default();
        let verdict = Verdict::from_facts(&facts.quality).map_or_else(String::new, |verdict| verdict.to_string());
        let _ = writeln!(text, "  {name}: {verdict}");
    }
    text
}

/// The answer of `blend`.
pub(crate) fn blend(sidecar: &Sidecar) -> String {
    let mut text = first_line(sidecar);
    if let Some(blend) = &sidecar.blend {
        let parts = blend.loops.iter().zip(&blend.weights).zip(&blend.phases);
        for (index, ((file, weight), phase)) in parts.enumerate() {
            let shifted = match blend.warps.get(index) {
                Some(None) => ", only shifted",
                _ => "",
            };
            let _ = writeln!(
                text,
                "  {:<20} {file}, from phase {phase:.3}{shifted}",
                format!("{:.1}%", 100.0 * weight)
            );
        }
    }
    let _ = writeln!(
        text,
        "  {:<20} {:.4} s in {} samples",
        "period", sidecar.candidate.period_secs, sidecar.playback.samples
    );
    let _ = writeln!(text, "  {:<20} {}", "root motion", root_motion(&sidecar.root_motion));
    if let Some(feet) = &sidecar.feet {
        let _ = writeln!(text, "  {:<20} {}", "feet", held(feet));
    }
    text.push_str(&figures(&sidecar.quality, false, ""));
    for output in sidecar.outputs.iter().skip(1) {
        let _ = writeln!(text, "{output}");
    }
    text
}
