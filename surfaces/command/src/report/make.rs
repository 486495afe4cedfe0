//! Answers of `make`, of one loop or of those of several animations, `close` and `blend`.

use loopwright_formats::{
    Sidecar,
    loop_file::{
        AnimationFacts, AnimationOutcome, PackSidecar,
        facts::{EditFacts, MeanCycleFacts, TimeFacts},
    },
    set::{CyclesFacts, PassageFacts},
};
use loopwright_job::Verdict;

use super::{
    figures::{counted, figures, gap, held, labelled, root_motion, several_cycles, whole_clip},
    table::{in_columns, joined, optional, or_dash},
};

/// Names the file of a loop, and the verdict on it.
fn first_line(sidecar: &Sidecar) -> String {
    let file = sidecar.outputs.first().map_or("", String::as_str);
    match Verdict::from_facts(&sidecar.quality) {
        Some(verdict) => format!("{file}: {verdict}\n"),
        None => format!("{file}\n"),
    }
}

fn mean_cycle(mean: &MeanCycleFacts) -> String {
    let (start, end) = mean
        .cycles
        .first()
        .zip(mean.cycles.last())
        .map_or((0.0, 0.0), |(first, last)| (first.start_frame, last.end_frame));
    let mut text = format!("{} cycles, frames {start:.0}-{end:.0}", mean.cycles.len());
    let unlike = mean.cycles.iter().filter(|cycle| cycle.share == 0.0).count();
    if unlike > 0 {
        text += &format!(", {unlike} of them without weight: unlike the others");
    }
    text + &as_they_are(&mean.joints_left_out, "chosen cycle alone")
}

/// Lists joints that are left as in one cycle, if there are any.
fn as_they_are(joints: &[String], cycle: &str) -> String {
    match joints {
        [] => String::new(),
        joints => format!("; as in the {cycle}: {}", joints.join(", ")),
    }
}

/// Words the edits briefly.
fn edits(edits: &[EditFacts]) -> String {
    edits
        .iter()
        .map(|edit| {
            let what = match edit.joints.as_slice() {
                [] => String::new(),
                [joint] => format!(" {joint}"),
                joints => format!(" {} joints", joints.len()),
            };
            let how_far = match (
                edit.scale,
                edit.turn_deg,
                edit.deviation_deg,
                edit.deviation_secs,
                edit.time_secs,
            ) {
                (Some(scale), ..) => format!(" times {scale:.2}"),
                (_, Some(degrees), ..) => format!(" by {degrees:+.1} deg"),
                (_, _, Some(degrees), ..) => format!(" by {degrees:.1} deg"),
                (.., Some(secs), _) => format!(" over {secs:.3} s"),
                (.., Some(secs)) => format!(" at {secs:.2} s"),
                _ => String::new(),
            };
            format!("{}{what}{how_far}", edit.kind)
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Words the answer of `make --with`.
pub fn framed(facts: &PassageFacts) -> String {
    let (grade, reason) = (
        facts.grade.unwrap_or_default(),
        facts.reason.as_deref().unwrap_or_default(),
    );
    let mut text = format!("{}: {grade}: {reason}\n", facts.name);
    text += &labelled(
        "length",
        format_args!("{:.4} s, {} frames", facts.duration_secs, facts.frames),
    );
    let cycles = facts.cycles.map(|cycles| {
        let CyclesFacts { start_frame, end_frame, start_secs, end_secs, start_percent, end_percent } = cycles;
        labelled(
            "repeats",
            format_args!(
                "frames {start_frame}-{end_frame}, {start_secs:.4}-{end_secs:.4} s, {start_percent:.2}-{end_percent:.2}%"
            ),
        )
    });
    text + &cycles.unwrap_or_default()
}

/// Words how the timing differs from the recording.
fn time(time: &TimeFacts) -> String {
    let mut text = format!("{:.3} times as long as recorded", time.length_ratio);
    if time.stride_ratio != 1.0 {
        text += &format!(", strides {:.3} times", time.stride_ratio);
    }
    if time.footfalls_moved > 0.0 {
        let TimeFacts {
            footfalls_moved,
            slowest,
            fastest,
            ..
        } = time;
        text += &format!(", touch-downs moved by {footfalls_moved:.3} of a cycle, rates {slowest:.2} to {fastest:.2}");
    }
    text
}

/// Words the answer of `make`; `verbose` adds all figures.
pub fn human(sidecar: &Sidecar, verbose: bool) -> String {
    let candidate = &sidecar.candidate;
    // For a loop with variation, the frames of the take are those of one copy.
    let copies = sidecar.num_copies();
    let cycles = counted(candidate.cycles / copies, "cycle");
    let mut text = first_line(sidecar);
    let is_ping_pong = candidate.ping_pong_ease_frames.is_some();
    if let Some(cure) = Verdict::from_facts(&sidecar.quality).and_then(|verdict| verdict.cure(is_ping_pong)) {
        text += &labelled("try", cure);
    }
    let file = &sidecar.take.file;
    text += &match &candidate.whole_clip {
        Some(whole) => labelled("whole clip", format_args!("{file}, {cycles}: {}", whole_clip(whole))),
        None => labelled(
            "cut",
            format_args!(
                "frames {:.2}-{:.2} of {file}, {}",
                candidate.start_frame,
                candidate.end_frame,
                if is_ping_pong {
                    "there and back"
                } else {
                    cycles.as_str()
                }
            ),
        ),
    };
    if let Some(why) = several_cycles(candidate) {
        text += &labelled("several cycles", why);
    }
    if let Some(mean) = &sidecar.mean_cycle {
        text += &labelled("mean of", mean_cycle(mean));
    }
    if let Some(variation) = &sidecar.variation {
        text += &labelled(
            "varied",
            format_args!(
                "{} loops, seed {}: {:.1} deg on {} joints, as {} cycles of the take differ{}",
                variation.copies,
                variation.seed,
                variation.rotation_deg,
                variation.joints,
                variation.take_cycles,
                as_they_are(&variation.joints_left_out, "loop"),
            ),
        );
    }
    let times = match copies {
        2.. => format!(", {copies} times"),
        _ => String::new(),
    };
    let recorded_secs = candidate.source_period_secs / copies as f64;
    text += &labelled(
        "period",
        format_args!("{} (recorded {recorded_secs:.4} s{times})", period(sidecar)),
    );
    if let Some(changed) = &sidecar.time {
        text += &labelled("time", time(changed));
    }
    text += &labelled("root motion", root_motion(&sidecar.root_motion));
    if let Some(joint) = &sidecar.playback.root_joint {
        let added = if sidecar.playback.root_joint_added {
            "added "
        } else {
            ""
        };
        text += &labelled("root joint", format_args!("{joint}, {added}above the hips"));
    }
    let closure = &sidecar.closure;
    let blends = if closure.blend_start_secs == closure.blend_end_secs {
        format!("{:.3} s", closure.blend_start_secs)
    } else {
        format!("{:.3} s and {:.3} s", closure.blend_start_secs, closure.blend_end_secs)
    };
    text += &if is_ping_pong {
        labelled("closure", "none needed")
    } else {
        labelled("closure", format_args!("{}, {blends}", closure.method))
    };
    if !sidecar.edits.is_empty() {
        text += &labelled("edits", edits(&sidecar.edits));
    }
    text + &ending(
        sidecar,
        verbose,
        sidecar.mean_cycle.as_ref().map_or("", |_| ", from the chosen cycle"),
    )
}

/// Words the length of a loop.
fn period(sidecar: &Sidecar) -> String {
    format!(
        "{:.4} s in {} samples",
        sidecar.candidate.period_secs, sidecar.playback.samples
    )
}

/// Words what was done to the feet, the figures, and the files beside the loop.
fn ending(sidecar: &Sidecar, verbose: bool, displaced_from: &str) -> String {
    let mut text = sidecar
        .feet
        .as_ref()
        .map_or_else(String::new, |feet| labelled("feet", held(feet)));
    text += &figures(&sidecar.quality, verbose, displaced_from);
    for output in sidecar.outputs.iter().skip(1) {
        text += &format!("{output}\n");
    }
    text
}

/// Words several motions in one file: a line for the file, and one for each loop.
pub fn motions(pack: &PackSidecar, count: usize) -> String {
    let mut text = format!(
        "{}: {}\n",
        pack.outputs.first().map_or("", String::as_str),
        counted(count, "animation")
    );
    for facts in &pack.loops {
        let name = facts.playback.animation.as_deref().unwrap_or_default();
        let verdict = Verdict::from_facts(&facts.quality).map_or_else(String::new, |verdict| verdict.to_string());
        text += &format!("  {name}: {verdict}\n");
    }
    text
}

/// Words the answer of `blend`.
pub fn blend(sidecar: &Sidecar) -> String {
    let mut text = first_line(sidecar);
    if let Some(blend) = &sidecar.blend {
        let parts = blend.loops.iter().zip(&blend.weights).zip(&blend.phases);
        for (index, ((file, weight), phase)) in parts.enumerate() {
            let shifted = match blend.warps.get(index) {
                Some(None) => ", only shifted",
                _ => "",
            };
            let share = format!("{:.1}%", 100.0 * weight);
            text += &labelled(&share, format_args!("{file}, from phase {phase:.3}{shifted}"));
        }
    }
    text += &labelled("period", period(sidecar));
    text += &labelled("root motion", root_motion(&sidecar.root_motion));
    text + &ending(sidecar, false, "")
}

/// Lists the outcome of every animation as a table.
pub fn animations(pack: &PackSidecar) -> String {
    let mut text = format!("{}\n", pack.outputs.first().map_or("", String::as_str));
    text += &in_columns(
        "<animation | <kind | <done | m/s | <gap before | <gap after | <grade",
        pack.animations.iter().map(row),
    );
    let count = |outcome: AnimationOutcome| {
        pack.animations
            .iter()
            .filter(|animation| animation.outcome == outcome)
            .count()
    };
    let counts = AnimationOutcome::ALL
        .into_iter()
        .map(|outcome| (outcome, count(outcome)))
        .filter(|&(_, count)| count > 0)
        .map(|(outcome, count)| format!("{count} {outcome}"));
    text += &format!(
        "{}: {}\n",
        counted(pack.animations.len(), "animation"),
        joined(counts, ", ")
    );
    for output in pack.outputs.iter().skip(1) {
        text += &format!("{output}\n");
    }
    text
}

fn row(animation: &AnimationFacts) -> Vec<String> {
    let done = match (animation.outcome, animation.start_frame, animation.end_frame) {
        (AnimationOutcome::Cut, Some(start), Some(end)) => format!("cut {start:.0}-{end:.2}"),
        (outcome, ..) => match &animation.reason {
            Some(reason) => format!("{outcome}: {reason}"),
            None => outcome.to_string(),
        },
    };
    vec![
        animation.name.clone(),
        or_dash(animation.kind.as_ref()),
        done,
        optional(animation.speed_mps, 2),
        gap(animation.gap_before_mm, animation.gap_before_deg),
        gap(animation.gap_after_mm, animation.gap_after_deg),
        or_dash(animation.grade),
    ]
}
