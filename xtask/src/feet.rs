//! Feet: foot sliding before and after feet are held, and the cost of holding to the rest of the body.

use glam::{DQuat, DVec3};
use loopwright::{
    LoopClip, LoopSettings, MadeLoop, Quality, Take,
    analysis::Body,
    feet::{FootLock, FootOutcome},
    math::ops,
    motion::WorldTracks,
    take::TakeError,
    unstable::standing::{STANCE_METRES, STANCE_SPEED},
};
use loopwright_synth::WalkSettings;

use crate::{
    bearing::{BearingFigures, PointFigures, PointKind},
    clock::{machine, time_both},
    page::Sections,
    statistics::{Sorted, mean},
    table::{Table, cell},
    takes::{Captured, Studied},
};

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut sections = Sections::default();
    every_loop(&studied, &mut sections)?;
    feet_and_knees(&studied, &mut sections)?;
    in_place(&studied, &mut sections)?;
    sections.add("machine", machine());
    sections.add("time", time()?);
    Ok(sections)
}

/// Loop settings with feet held like this.
fn with_feet(lock: FootLock) -> LoopSettings {
    LoopSettings {
        feet: lock.into(),
        ..LoopSettings::default()
    }
}

/// Feet and knees of the recommended loops, by what shares no code with the solve.
fn feet_and_knees(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new(
        "take | ankle slides mm | take's | ball slides mm | take's | tip slides mm | take's | below mm | take's | knees",
    );
    let (mut open, mut held, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    for studied in studied {
        let Some(best) = studied.recommended()? else { continue };
        let [made_open, made_held] = [FootLock::Off, FootLock::Auto].map(|lock| studied.make(&best, &with_feet(lock)));
        let (made_open, made_held) = (made_open?, made_held?);
        let [of_open, of_held] = [&made_open, &made_held].map(|made| BearingFigures::new(made, &made.loop_clip));
        if !of_held.points.is_empty() {
            moved.push(1e3 * mean_distance(&made_open.loop_clip, &made_held.loop_clip));
        }
        table.row(bearing_row(&studied.file, &of_held));
        open.push(of_open);
        held.push(of_held);
    }
    sections.add("bearing", table);
    sections.add("bearing-summary", bearing_summary(&open, &held, moved));
    Ok(())
}

/// What the feet of a held loop do, beside its take.
fn bearing_row(file: &str, held: &BearingFigures) -> String {
    let millimetres = |metres: Option<f64>| cell(metres.map(|metres| 1e3 * metres), 1);
    let farthest = |kind: PointKind, of: fn(&PointFigures) -> &Vec<f64>| {
        let points = held.points.iter().filter(|point| point.kind == kind);
        millimetres(points.flat_map(of).copied().reduce(f64::max))
    };
    let deepest = |of: fn(&PointFigures) -> f64| millimetres(held.points.iter().map(of).reduce(f64::max));
    let mut row = file.to_owned();
    for kind in [PointKind::Ankle, PointKind::Ball, PointKind::Tip] {
        row += &format!(
            " | {} | {}",
            farthest(kind, |point| &point.slides),
            farthest(kind, |point| &point.own_slides)
        );
    }
    let knees: Vec<String> = held.knees.iter().map(|ratio| format!("{ratio:.2}")).collect();
    format!(
        "{row} | {} | {} | {}",
        deepest(|point| point.below),
        deepest(|point| point.own_below),
        knees.join(" ")
    )
}

/// All loops with their feet as closing leaves them, and held.
fn bearing_summary(open: &[BearingFigures], held: &[BearingFigures], moved: Vec<f64>) -> Table {
    let mut summary = Table::new("| feet as closing leaves them | held | the take");
    let points = |all: &[BearingFigures], kinds: &[PointKind]| -> Vec<PointFigures> {
        let points = all.iter().flat_map(|figures| &figures.points);
        points.filter(|point| kinds.contains(&point.kind)).cloned().collect()
    };
    let spread = |values: Vec<f64>| {
        values
            .into_iter()
            .collect::<Sorted>()
            .spread(&[0.5, 0.95, 1.0], 1, " / ")
    };
    for (name, kinds) in [
        ("slide of a contact, ball, mm", &[PointKind::Ball][..]),
        ("tip", &[PointKind::Tip]),
        ("ankle", &[PointKind::Ankle]),
    ] {
        let slides = |all: &[BearingFigures]| {
            spread(
                points(all, kinds)
                    .iter()
                    .flat_map(|point| &point.slides)
                    .map(|metres| 1e3 * metres)
                    .collect(),
            )
        };
        let own = points(held, kinds);
        let own = own
            .iter()
            .flat_map(|point| &point.own_slides)
            .map(|metres| 1e3 * metres);
        summary.row(format_args!(
            "{name} | {} | {} | {}",
            slides(open),
            slides(held),
            spread(own.collect())
        ));
    }
    let all = [PointKind::Ankle, PointKind::Ball, PointKind::Tip];
    let below = |figures: &[BearingFigures], of: fn(&PointFigures) -> f64| {
        spread(points(figures, &all).iter().map(|point| 1e3 * of(point)).collect())
    };
    summary.row(format_args!(
        "lowest place of a point below the take's 2nd percentile, mm | {} | {} | {}",
        below(open, |point| point.below),
        below(held, |point| point.below),
        below(held, |point| point.own_below),
    ));
    let knees = |all: &[BearingFigures]| {
        let knees: Sorted = all.iter().flat_map(|figures| &figures.knees).copied().collect();
        let sharp = all
            .iter()
            .flat_map(|figures| &figures.knees)
            .filter(|ratio| **ratio > SHARP_KNEE)
            .count();
        format!(
            "{}; {:.0}%",
            knees.spread(&[0.5, 0.95, 1.0], 2, " / "),
            100.0 * sharp as f64 / knees.len().max(1) as f64
        )
    };
    summary.row(format_args!(
        "a knee's sharpest second difference over its own take's; share above {SHARP_KNEE} | {} | {} | 1",
        knees(open),
        knees(held)
    ));
    summary.row(format_args!(
        "joints moved by holding feet, mean of a loop, mm | 0 | {} | ",
        spread(moved)
    ));
    summary
}

/// Mean distance of joints between two loops of the same samples, seen from their roots, metres.
fn mean_distance(one: &LoopClip, other: &LoopClip) -> f64 {
    let (one, other) = (one.tracks_from_root(), other.tracks_from_root());
    let pairs = (0..one.num_frames()).flat_map(|sample| one.positions(sample).iter().zip(other.positions(sample)));
    mean(&pairs.map(|(one, other)| one.distance(*other)).collect::<Vec<f64>>())
}

/// Above this a knee is sharper than its take.
const SHARP_KNEE: f64 = 1.1;

/// Running time of holding feet.
fn time() -> Result<Table, String> {
    let walk = Studied::walk(&WalkSettings {
        period_secs: 2.0,
        seconds: 9.0,
        ..WalkSettings::default()
    })?;
    let best = walk.recommended()?.ok_or("the synthetic walk has no loop")?;
    let make = |lock| walk.make(&best, &with_feet(lock)).is_ok();
    let (open, held, _) = time_both(|| make(FootLock::Off), || make(FootLock::Auto));
    let mut table = Table::new("frames | joints | feet as closing leaves them, ms | feet held, ms | more, ms");
    table.row(format_args!(
        "{:.0} | {} | {:.1} | {:.1} | {:.1}",
        best.cut.num_frames(),
        walk.take.num_joints(),
        1e3 * open,
        1e3 * held,
        1e3 * (held - open)
    ));
    Ok(table)
}

/// Largest turn of a loop for the treadmill test, radians.
const STRAIGHT: f64 = 0.1;

/// Slowest walk, metres per second.
const WALKS_MPS: f64 = 0.3;

/// Speed estimated from the feet after root motion is removed from a take, as on a treadmill.
fn in_place(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new("take | m/s taken out | by the feet | off | foot slide cm/s");
    let mut all = Vec::new();
    for studied in studied {
        let Some(best) = studied.recommended()? else { continue };
        let settings = LoopSettings::default();
        let made = studied.make(&best, &settings)?;
        let root = made.loop_clip.root();
        let speed = over_ground(root.twist.linear);
        let turn = root.twist.angular.length() * made.loop_clip.period_secs();
        if made.feet.contacts.is_empty() || turn > STRAIGHT || speed < WALKS_MPS {
            continue;
        }
        let velocity = root.start.rotation * root.twist.linear;
        let belt = on_a_belt(&studied.take, made.loop_clip.carrier(), velocity);
        let belt = Studied::of(&studied.file, belt.map_err(|error| studied.failed(error))?)?;
        let made = belt.make(&best, &settings)?;
        let measured = over_ground(made.loop_clip.root().twist.linear);
        let off = measured / speed - 1.0;
        table.row(format_args!(
            "{} | {speed:.3} | {measured:.3} | {:+.1}% | {}",
            studied.file,
            100.0 * off,
            cell(made.feet.foot_slide_mps[1].map(|slide| 100.0 * slide), 2),
        ));
        all.push(off.abs());
    }
    sections.add("in-place", table);
    let off: Sorted = all.into_iter().collect();
    let mut summary = Table::new("takes | off, median | worst");
    summary.row(format_args!(
        "{} | {:.1}% | {:.1}%",
        off.len(),
        100.0 * off.median(),
        100.0 * off.largest()
    ));
    sections.add("in-place-summary", summary);
    Ok(())
}

/// The take on ground that runs backwards at this velocity in the world, metres per second.
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

/// Measurements of one loop.
struct Figures {
    slide_open: f64,
    slide_held: f64,
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

fn every_loop(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new(
        "take | feet held | foot slide open cm/s | held | covered | added mm | farthest mm | hips sunk mm | knee | seam | \
         rank | root m/s by poses | by feet | slide cm/s by poses | by feet | taken",
    );
    let mut all = Vec::new();
    for studied in studied {
        let Some(best) = studied.recommended()? else { continue };
        let open = studied.make(&best, &with_feet(FootLock::Off))?;
        let held = studied.make(&best, &with_feet(FootLock::Auto))?;
        let outcomes: Vec<String> = held.feet.outcomes.iter().map(outcome).collect();
        let speed = held.feet.speed;
        let figures = Figures::new(studied, &open, &held);
        let of_figures = |of: &dyn Fn(&Figures) -> String| figures.as_ref().map_or_else(|| "-".to_owned(), of);
        table.row(format_args!(
            "{} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} | {:.0}/{:.0} | {} | {} | {} | {} | {}",
            studied.file,
            outcomes.join(", "),
            of_figures(&|f| format!("{:.1}", 100.0 * f.slide_open)),
            of_figures(&|f| format!("{:.2}", 100.0 * f.slide_held)),
            of_figures(&|f| format!("{:.0}%", 100.0 * f.coverage)),
            of_figures(&|f| format!("{:.1}", 1e3 * f.added_metres)),
            of_figures(&|f| format!("{:.0}", 1e3 * f.moved_metres)),
            1e3 * held.feet.hips_lowered_metres,
            of_figures(&|f| format!("{:.2} ({:.2})", f.knee, f.knee_open)),
            of_figures(&|f| format!(
                "{:.2} {:.2}",
                f.quality_open.seam_acceleration_ratio, f.quality.seam_acceleration_ratio
            )),
            100.0 * figures.as_ref().map_or(0.0, |f| f.quality_open.seam_rank),
            100.0 * figures.as_ref().map_or(0.0, |f| f.quality.seam_rank),
            cell(speed.as_ref().map(|s| over_ground(s.of_poses)), 3),
            cell(speed.as_ref().map(|s| over_ground(s.twist.linear)), 3),
            cell(speed.as_ref().map(|s| 100.0 * s.slide_of_poses_mps), 1),
            cell(speed.as_ref().map(|s| 100.0 * s.slide_mps), 1),
            if held.feet.speed_is_theirs { "feet" } else { "poses" },
        ));
        all.extend(figures);
    }
    sections.add("every-loop", table);
    type Column = (&'static str, f64, fn(&Figures) -> f64);
    let columns: [Column; 12] = [
        ("foot slide open, cm/s", 100.0, |f| f.slide_open),
        ("foot slide held, cm/s", 100.0, |f| f.slide_held),
        ("covered, %", 100.0, |f| f.coverage),
        ("added, mm", 1e3, |f| f.added_metres),
        ("farthest, mm", 1e3, |f| f.moved_metres),
        ("under the ground on its way, open, mm", 1e3, |f| f.under_open_metres),
        ("under the ground on its way, held, mm", 1e3, |f| f.under_metres),
        ("hips sunk, mm", 1e3, |f| f.lowered_metres),
        ("knee, ratio", 1.0, |f| f.knee),
        ("knee without lock, ratio", 1.0, |f| f.knee_open),
        ("seam acceleration open", 1.0, |f| {
            f.quality_open.seam_acceleration_ratio
        }),
        ("seam acceleration held", 1.0, |f| f.quality.seam_acceleration_ratio),
    ];
    let mut summary = Table::new("| median | 90th percentile");
    for (name, unit, of) in columns {
        let values: Sorted = all.iter().map(|figures| unit * of(figures)).collect();
        summary.row(format_args!("{name} | {}", values.spread(&[0.5, 0.9], 2, " | ")));
    }
    sections.add("all-loops", summary);
    let rank = |of: fn(&Figures) -> f64| 100.0 * mean(&all.iter().map(of).collect::<Vec<f64>>());
    let mut ranks = Table::new("loops with standing feet | mean rank open | held");
    ranks.row(format_args!(
        "{} | {:.1} | {:.1}",
        all.len(),
        rank(|f| f.quality_open.seam_rank),
        rank(|f| f.quality.seam_rank)
    ));
    sections.add("ranks", ranks);
    Ok(())
}

fn outcome(outcome: &FootOutcome) -> String {
    match outcome {
        FootOutcome::Held => "held".to_owned(),
        FootOutcome::Slides { metres } => format!("slides {:.0} cm", 100.0 * metres),
        FootOutcome::NoKnee => "no knee".to_owned(),
        FootOutcome::NeverStands => "never stands".to_owned(),
        FootOutcome::Still => "still".to_owned(),
        FootOutcome::NotAsked => "not asked".to_owned(),
        FootOutcome::Released => "released".to_owned(),
        FootOutcome::Unsettled => "not settled".to_owned(),
    }
}

fn over_ground(velocity: DVec3) -> f64 {
    ops::hypot(velocity.x, velocity.z)
}

impl Figures {
    /// `None` if no foot stands.
    fn new(studied: &Studied, open: &MadeLoop, held: &MadeLoop) -> Option<Self> {
        let body = &studied.analysis.body;
        let [quality_open, quality] = [open, held].map(|made| studied.quality(made, &made.loop_clip));
        let (before, after) = (open.loop_clip.tracks_from_root(), held.loop_clip.tracks_from_root());
        let count = held.loop_clip.num_samples();
        let joints = after.num_joints();
        let mut added = 0.0;
        for sample in 0..count {
            for joint in 0..joints {
                added += (after.position(sample, joint) - before.position(sample, joint)).length();
            }
        }
        // The contact mask, and the part of it over which it is held.
        let uncut = held.source.clip.world_tracks();
        let first = *held.source.clip.sample_range().start();
        let root = held.source.root;
        let step = held.source.clip.step_secs();
        let (mut masked, mut covered) = (0.0, 0.0);
        for (index, foot) in body.feet.iter().enumerate() {
            let joint = foot.lowest_joint();
            let at = |sample: isize| {
                let index = (sample - first).clamp(0, uncut.num_frames() as isize - 1);
                root.at((index + first) as f64 * step)
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
            slide_open: quality_open.foot_slide_mps?,
            slide_held: quality.foot_slide_mps?,
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

/// Largest depth of a foot below the ground between one held span and the next, metres.
fn farthest_under(clip: &LoopClip, held: &MadeLoop, body: &Body) -> f64 {
    let count = clip.num_samples();
    let mut worst = 0.0_f64;
    for (index, foot) in body.feet.iter().enumerate() {
        let spans: Vec<_> = held.feet.held.iter().filter(|span| span.foot == index).collect();
        let height = |key: usize| clip.world_pose(key).translations[foot.lowest_joint()].y;
        for (at, span) in spans.iter().enumerate() {
            let end = span.keys().end - 1;
            let next = spans[(at + 1) % spans.len()];
            let start = next.start_sample + if next.start_sample > end { 0 } else { count };
            // The ground is at the foot's lowest height: at the ends of a span the foot has rolled up.
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
