//! Measurements of feet: how they slide before and after they are held, and what holding them costs the rest of the body.

use std::{fmt::Write, path::Path};

use glam::{DQuat, DVec3};
use loopwright::{
    analysis::{
        Analysis,
        body::{Body, BodyOverrides},
    },
    candidate::{self, SearchSettings},
    feet::{FeetSettings, FootLock, FootOutcome},
    loop_clip::LoopClip,
    math::ops,
    pipeline::{self, LoopSettings, Made},
    quality::{self, LoopKeys, Quality, STANCE_METRES, STANCE_SPEED},
    root_motion::{RootMode, RootTravel},
    take::{Take, TakeError, WorldTracks},
};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    manifest::Row,
    road::{self, Studied},
    speed::{clock::time_both, machine},
};

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = road::study(folder, rows.iter().filter(|row| row.expect == "loop"))?;
    let mut page = String::from(
        "# Feet, measured\n\n\
         Written by `cargo xtask measure feet`; nothing here is typed by hand. Real takes as named, sources and licences in\n\
         [ATTRIBUTION.md](../../ATTRIBUTION.md); the mathematics in [feet.md](../math/feet.md).\n\n\
         ![Speed of both feet of a synthetic walk over the ground, cut and loop](../images/feet.svg)\n\n\
         A synthetic walk whose cycles differ: its feet slide as it is cut (grey), and rest where they are held (blue). `make --plot`\n\
         draws the same of any take.\n\n",
    );
    every_loop(&studied, &mut page)?;
    in_place(&studied, &mut page)?;
    cost(&mut page)?;
    Ok(page)
}

/// What holding feet takes.
fn cost(page: &mut String) -> Result<(), String> {
    let walk = WalkSettings {
        period_secs: 2.0,
        seconds: 9.0,
        ..WalkSettings::default()
    };
    let failed = |error: &dyn std::fmt::Display| format!("the synthetic walk: {error}");
    let take = synthesize(&walk).map_err(|e| failed(&e))?.take;
    let analysis = Analysis::of(&take, &BodyOverrides::default()).map_err(|e| failed(&e))?;
    let found = candidate::find(&take, &analysis, &SearchSettings::default()).map_err(|e| failed(&e))?;
    let best = found.best().ok_or("the synthetic walk has no loop")?;
    let make = |lock: FootLock| {
        let settings = LoopSettings {
            feet: lock.into(),
            ..LoopSettings::default()
        };
        pipeline::make(&take, &analysis, &best.cut, best.cycles, &settings).is_ok()
    };
    let (open, held, _) = time_both(|| make(FootLock::Off), || make(FootLock::Auto));
    let _ = writeln!(
        page,
        "\n## What it takes\n\n\
         A synthetic walk, a loop of {:.0} frames of {} joints, on {}, one thread, medians of seconds of the\n\
         processor: {:.1} ms to make the loop with feet as closing leaves them, {:.1} ms with feet held, {:.1} ms more.",
        best.cut.num_frames(),
        take.num_joints(),
        machine(),
        1e3 * open,
        1e3 * held,
        1e3 * (held - open)
    );
    Ok(())
}

/// Loops that turn by more than this are on no belt, radians.
const STRAIGHT: f64 = 0.1;

/// Walks slower than this are none, metres per second.
const WALKS_MPS: f64 = 0.3;

/// What the feet say once the travel is taken out of a take, as on a treadmill.
fn in_place(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "\n## Takes in place\n\n\
         The straight ones of those loops with their take set on a belt, which runs against it at the loop's own speed: all\n\
         travel is gone, and the feet must tell it. Off: what they say against what was taken out. Skate: of the loop that\n\
         comes out.\n\n\
         | take | m/s taken out | told by the feet | off | skate cm/s |\n| --- | --- | --- | --- | --- |\n",
    );
    let mut all = Vec::new();
    for studied in studied {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", studied.row.file);
        let found =
            candidate::find(&studied.take, &studied.analysis, &SearchSettings::default()).map_err(|e| failed(&e))?;
        let Some(best) = found.best() else { continue };
        let settings = LoopSettings::default();
        let made = pipeline::make(&studied.take, &studied.analysis, &best.cut, best.cycles, &settings)
            .map_err(|e| failed(&e))?;
        let root = made.loop_clip.root();
        let speed = over_ground(root.twist.linear);
        let turn = root.twist.angular.length() * made.loop_clip.period_secs();
        if made.feet.contacts.is_empty() || turn > STRAIGHT || speed < WALKS_MPS {
            continue;
        }
        let belt = on_a_belt(
            &studied.take,
            made.loop_clip.carrier(),
            root.start.rotation * root.twist.linear,
        )
        .map_err(|e| failed(&e))?;
        let analysis = Analysis::of(&belt, &BodyOverrides::default()).map_err(|e| failed(&e))?;
        let made = pipeline::make(&belt, &analysis, &best.cut, best.cycles, &settings).map_err(|e| failed(&e))?;
        let told = over_ground(made.loop_clip.root().twist.linear);
        let off = told / speed - 1.0;
        let _ = writeln!(
            page,
            "| {} | {speed:.3} | {told:.3} | {:+.1}% | {} |",
            studied.row.file,
            100.0 * off,
            cell(made.feet.skate_mps[1].as_ref(), |skate| format!("{:.2}", 100.0 * skate)),
        );
        all.push(off.abs());
    }
    all.sort_by(f64::total_cmp);
    let _ = writeln!(
        page,
        "\nMedian {:.1}% off, worst {:.1}%. Feet roll forward over their toes while they stand, so they tell a little less\n\
         than the hips do.",
        100.0 * all.get(all.len() / 2).copied().unwrap_or(0.0),
        100.0 * all.last().copied().unwrap_or(0.0)
    );
    Ok(())
}

/// The take on ground that runs backwards at a velocity of the world, metres per second.
fn on_a_belt(take: &Take, carrier: usize, velocity: DVec3) -> Result<Take, TakeError> {
    let world = take.world_tracks();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..take.num_frames() {
        let start = translations.len();
        translations.extend_from_slice(take.translations(frame));
        rotations.extend_from_slice(take.rotations(frame));
        let above = take.skeleton().parent(carrier);
        let back = above.map_or(DQuat::IDENTITY, |joint| world.rotation(frame, joint).conjugate());
        let gone = DVec3::new(velocity.x, 0.0, velocity.z) * (frame as f64 * take.frame_time_secs());
        translations[start + carrier] -= back * gone;
    }
    Take::new(
        take.name(),
        take.skeleton().clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )
}

/// What was measured on one loop.
struct Figures {
    skate_open: f64,
    skate_held: f64,
    coverage: f64,
    added_metres: f64,
    moved_metres: f64,
    lowered_metres: f64,
    knee: f64,
    knee_open: f64,
    under_open_metres: f64,
    under_metres: f64,
    quality_open: Quality,
    quality: Quality,
}

fn every_loop(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "## Every loop\n\n\
         The recommended loop of every take that has a steady one, with its feet as closing leaves them (open) and held.\n\
         Skate: mean speed over the ground of feet that stand in the uncut take (within 2.5 cm of their lowest, below 40 cm/s),\n\
         whatever the lock's own contacts are. Covered: share of those frames in which the foot is held. Added: mean distance\n\
         of joints from where they were without lock. Farthest: that a foot was moved. Knee: largest second difference of a\n\
         knee, held, over the largest in the uncut take; in brackets without lock. Seam: seam acceleration over the\n\
         loop's own 99th percentile, open and held.\n\n\
         | take | feet held | skate open cm/s | held | covered | added mm | farthest mm | hips sunk mm | knee | seam | rank | root m/s by poses | by feet | slide cm/s by poses | by feet | taken |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut all = Vec::new();
    for studied in studied {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", studied.row.file);
        let found =
            candidate::find(&studied.take, &studied.analysis, &SearchSettings::default()).map_err(|e| failed(&e))?;
        let Some(best) = found.best() else { continue };
        let make = |lock| {
            let settings = LoopSettings {
                feet: FeetSettings {
                    lock,
                    ..FeetSettings::default()
                },
                ..LoopSettings::default()
            };
            pipeline::make(&studied.take, &studied.analysis, &best.cut, best.cycles, &settings).map_err(|e| failed(&e))
        };
        let (open, held) = (make(FootLock::Off)?, make(FootLock::Auto)?);
        let outcomes: Vec<String> = held
            .feet
            .outcomes
            .iter()
            .map(|outcome| match outcome {
                FootOutcome::Held => "held".to_owned(),
                FootOutcome::Slides { metres } => format!("slides {:.0} cm", 100.0 * metres),
                FootOutcome::NoKnee => "no knee".to_owned(),
                FootOutcome::NeverStands => "never stands".to_owned(),
                FootOutcome::NotAsked => "not asked".to_owned(),
            })
            .collect();
        let speed = held.feet.speed;
        let figures = Figures::of(studied, &open, &held);
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} | {:.0}/{:.0} | {} | {} | {} | {} | {} |",
            studied.row.file,
            outcomes.join(", "),
            cell(figures.as_ref(), |f| format!("{:.1}", 100.0 * f.skate_open)),
            cell(figures.as_ref(), |f| format!("{:.2}", 100.0 * f.skate_held)),
            cell(figures.as_ref(), |f| format!("{:.0}%", 100.0 * f.coverage)),
            cell(figures.as_ref(), |f| format!("{:.1}", 1e3 * f.added_metres)),
            cell(figures.as_ref(), |f| format!("{:.0}", 1e3 * f.moved_metres)),
            1e3 * held.feet.hips_lowered_metres,
            cell(figures.as_ref(), |f| format!("{:.2} ({:.2})", f.knee, f.knee_open)),
            cell(figures.as_ref(), |f| format!(
                "{:.2} {:.2}",
                f.quality_open.seam_acceleration_p99, f.quality.seam_acceleration_p99
            )),
            100.0 * figures.as_ref().map_or(0.0, |f| f.quality_open.seam_rank),
            100.0 * figures.as_ref().map_or(0.0, |f| f.quality.seam_rank),
            cell(speed.as_ref(), |s| format!("{:.3}", over_ground(s.of_poses))),
            cell(speed.as_ref(), |s| format!("{:.3}", over_ground(s.twist.linear))),
            cell(speed.as_ref(), |s| format!("{:.1}", 100.0 * s.slide_of_poses_mps)),
            cell(speed.as_ref(), |s| format!("{:.1}", 100.0 * s.slide_mps)),
            if held.feet.speed_is_theirs { "feet" } else { "poses" },
        );
        all.extend(figures);
    }
    let column = |of: &dyn Fn(&Figures) -> f64| -> (f64, f64) {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            values
                .get(((values.len() as f64 - 1.0) * share).round() as usize)
                .copied()
                .unwrap_or(0.0)
        };
        (at(0.5), at(0.9))
    };
    let _ = writeln!(
        page,
        "\n{} loops with standing feet:\n\n| | median | 90th percentile |\n| --- | --- | --- |",
        all.len()
    );
    for (name, unit, of) in [
        (
            "skate open, cm/s",
            100.0,
            &(|f: &Figures| f.skate_open) as &dyn Fn(&Figures) -> f64,
        ),
        ("skate held, cm/s", 100.0, &|f: &Figures| f.skate_held),
        ("covered, %", 100.0, &|f: &Figures| f.coverage),
        ("added, mm", 1e3, &|f: &Figures| f.added_metres),
        ("farthest, mm", 1e3, &|f: &Figures| f.moved_metres),
        ("under the ground on its way, open, mm", 1e3, &|f: &Figures| {
            f.under_open_metres
        }),
        ("under the ground on its way, held, mm", 1e3, &|f: &Figures| {
            f.under_metres
        }),
        ("hips sunk, mm", 1e3, &|f: &Figures| f.lowered_metres),
        ("knee, ratio", 1.0, &|f: &Figures| f.knee),
        ("knee without lock, ratio", 1.0, &|f: &Figures| f.knee_open),
        ("seam acceleration open", 1.0, &|f: &Figures| {
            f.quality_open.seam_acceleration_p99
        }),
        ("seam acceleration held", 1.0, &|f: &Figures| {
            f.quality.seam_acceleration_p99
        }),
    ] {
        let (median, high) = column(of);
        let _ = writeln!(page, "| {name} | {:.2} | {:.2} |", unit * median, unit * high);
    }
    let mean = |of: &dyn Fn(&Figures) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let _ = writeln!(
        page,
        "\nMean rank {:.1} open, {:.1} held.",
        100.0 * mean(&|f| f.quality_open.seam_rank),
        100.0 * mean(&|f| f.quality.seam_rank)
    );
    Ok(())
}

fn over_ground(velocity: DVec3) -> f64 {
    ops::hypot(velocity.x, velocity.z)
}

fn cell<T>(figures: Option<&T>, of: impl Fn(&T) -> String) -> String {
    figures.map_or_else(|| "-".to_owned(), of)
}

impl Figures {
    /// `None` where no foot stands.
    fn of(studied: &Studied<'_>, open: &Made, held: &Made) -> Option<Self> {
        let body = &studied.analysis.body;
        let measured = |made: &Made| quality::measure(&LoopKeys::of_loop(&made.loop_clip), body, Some(&made.source));
        let (quality_open, quality) = (measured(open), measured(held));
        let (before, after) = (open.loop_clip.tracks_from_root(), held.loop_clip.tracks_from_root());
        let count = held.loop_clip.num_samples();
        let joints = after.num_joints();
        let mut added = 0.0;
        for sample in 0..count {
            for joint in 0..joints {
                added += (after.position(sample, joint) - before.position(sample, joint)).length();
            }
        }
        // The mask, and where the lock has a hand in it.
        let uncut = held.source.clip.world_tracks();
        let first = *held.source.clip.sample_range().start();
        let travel = RootTravel {
            mode: RootMode::Keep,
            ..held.source.root
        };
        let step = held.source.clip.step_secs();
        let (mut masked, mut covered) = (0.0, 0.0);
        for (index, foot) in body.feet.iter().enumerate() {
            let joint = foot.lowest_joint();
            let at = |sample: isize| {
                let index = (sample - first).clamp(0, uncut.num_frames() as isize - 1);
                travel
                    .at((index + first) as f64 * step)
                    .transform_point(uncut.position(index as usize, joint))
            };
            let height = |sample: isize| uncut.position((sample - first) as usize, joint).y;
            let lowest = (0..count as isize).map(height).fold(f64::INFINITY, f64::min);
            for sample in 0..count as isize {
                let moved = at(sample + 1) - at(sample - 1);
                let stands = height(sample) - lowest <= STANCE_METRES
                    && ops::hypot(moved.x, moved.z) <= STANCE_SPEED * 2.0 * step;
                if !stands {
                    continue;
                }
                masked += 1.0;
                let held_there = held.feet.outcomes.get(index) == Some(&FootOutcome::Held)
                    && held.feet.held.iter().any(|contact| {
                        contact.foot == index && contact.keys().any(|key| key % count == sample as usize)
                    });
                covered += f64::from(u8::from(held_there));
            }
        }
        let knees: Vec<usize> = body
            .feet
            .iter()
            .filter_map(|foot| held.loop_clip.skeleton().parent(foot.ankle))
            .collect();
        let sharpest = |world: &WorldTracks, range: std::ops::Range<isize>, wrap: bool| {
            let mut worst = 0.0_f64;
            for &knee in &knees {
                for sample in range.clone() {
                    let at = |sample: isize| {
                        world.position(
                            if wrap {
                                sample.rem_euclid(count as isize) as usize
                            } else {
                                (sample - first) as usize
                            },
                            knee,
                        )
                    };
                    worst = worst.max((at(sample + 1) - 2.0 * at(sample) + at(sample - 1)).length());
                }
            }
            worst
        };
        let own = sharpest(&uncut, 1..count as isize - 1, false);
        Some(Self {
            skate_open: quality_open.skate_mps?,
            skate_held: quality.skate_mps?,
            coverage: covered / f64::max(masked, 1.0),
            added_metres: added / (count * joints) as f64,
            moved_metres: held.feet.moved_metres,
            lowered_metres: held.feet.hips_lowered_metres,
            knee: sharpest(&after, 0..count as isize, true) / own,
            knee_open: sharpest(&before, 0..count as isize, true) / own,
            under_open_metres: farthest_under(&open.loop_clip, held, body),
            under_metres: farthest_under(&held.loop_clip, held, body),
            quality_open,
            quality,
        })
    }
}

/// Farthest that a foot of a loop passes below the ground from where it is held to where it is held next, metres.
fn farthest_under(clip: &LoopClip, held: &Made, body: &Body) -> f64 {
    let count = clip.num_samples();
    let mut worst = 0.0_f64;
    for (index, foot) in body.feet.iter().enumerate() {
        let spans: Vec<_> = held.feet.held.iter().filter(|span| span.foot == index).collect();
        let height = |key: usize| clip.world_pose(key).translations[foot.lowest_joint()].y;
        for (at, span) in spans.iter().enumerate() {
            let end = span.keys().end - 1;
            let next = spans[(at + 1) % spans.len()];
            let start = next.start_sample + if next.start_sample > end { 0 } else { count };
            // The ground is where the foot was lowest: at the ends of a span it has rolled up.
            let ground = |keys: std::ops::Range<usize>| keys.map(height).fold(f64::INFINITY, f64::min);
            let (from, to) = (ground(span.keys()), ground(start..start + next.num_samples));
            for key in end..=start.max(end) {
                let share = (key - end) as f64 / (start - end).max(1) as f64;
                worst = worst.max(from + share * (to - from) - height(key));
            }
        }
    }
    worst
}
