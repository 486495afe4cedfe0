//! What `check` says of seams whose truth is known: neighbouring frames of uncut takes, raw cuts, and authored loops.

use std::ops::Range;

use glam::DVec3;
use loopwright::{
    LoopSettings, SearchSettings, Take, Tracks,
    candidate::ChooseBy,
    feet::FootLock,
    loop_clip::LoopKeys,
    math::rotation,
    quality::{self, SeamSteps, StepKind},
    root_motion::RootRelativeClip,
};
use loopwright_formats::{AnimationChoice, LoopInFile, ReadSettings};
use loopwright_mocap::Intent;

use crate::{
    page::Sections,
    table::Table,
    takes::{Captured, Studied, unclosed},
};

/// Frame rates at which every take is judged.
const RATES: [f64; 4] = [24.0, 30.0, 60.0, 120.0];

/// Stretches and cuts of each take and rate.
const PLACES: usize = 24;

/// Limits of the linter: a gap in position (metres) and in rotation (radians), ...
const LINT_GAP: [f64; 2] = [1e-2, core::f64::consts::PI / 180.0];

/// ... and a gap in velocity (metres per second) and in the rate of turn (radians per second).
const LINT_RATE: [f64; 2] = [0.1, 5.0 * core::f64::consts::PI / 180.0];

/// Bins of the largest gap between the ends of a cut.
const CUT_GAPS_MM: [Range<f64>; 4] = [0.0..10.0, 10.0..40.0, 40.0..100.0, 100.0..f64::INFINITY];

/// How often a judge objects.
#[derive(Clone, Copy, Default)]
struct Count {
    seams: usize,
    ours: usize,
    linter: usize,
}

impl Count {
    fn add(&mut self, ours: bool, linter: bool) {
        self.seams += 1;
        self.ours += usize::from(ours);
        self.linter += usize::from(linter);
    }

    fn share(&self, of: usize) -> String {
        match self.seams {
            0 => "-".to_owned(),
            seams => format!("{:.1}%", 100.0 * of as f64 / seams as f64),
        }
    }
}

/// Counts at one rate, of the takes that the limits were fitted on and of the others.
#[derive(Clone, Default)]
struct AtRate {
    continuous: [Count; 2],
    random: [Count; 2],
    proposed: [Count; 2],
    by_gap: [Count; CUT_GAPS_MM.len()],
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let mut counts = vec![AtRate::default(); RATES.len()];
    let (mut worst, mut missed, mut takes) = (Vec::new(), Vec::new(), [0; 2]);
    let judged = captured.judged()?;
    let long = judged
        .iter()
        .filter(|studied| studied.take.duration_secs() >= SHORTEST_SECS);
    for (number, studied) in long.enumerate() {
        let half = number % 2;
        takes[half] += 1;
        let (mut alarms, mut slow) = (Count::default(), Count::default());
        for (rate, at_rate) in RATES.into_iter().zip(&mut counts) {
            let resampled = resampled(studied, rate)?;
            let seams = continuous(&resampled);
            for &(ours, linter) in &seams {
                at_rate.continuous[half].add(ours, linter);
                alarms.add(ours, linter);
            }
            for cut in cuts(&resampled, &places(&resampled.take, CUT_SECS))? {
                at_rate.random[half].add(cut.ours, cut.linter);
            }
            for cut in cuts(&resampled, &proposed(studied))? {
                at_rate.proposed[half].add(cut.ours, cut.linter);
                if rate == RATES[0] {
                    slow.add(cut.ours, cut.linter);
                }
                let bin = CUT_GAPS_MM.iter().position(|bin| bin.contains(&cut.gap_mm));
                at_rate.by_gap[bin.unwrap_or(0)].add(cut.ours, cut.linter);
            }
        }
        worst.push((alarms, studied.file.clone()));
        missed.push((slow, studied.file.clone()));
    }
    let mut sections = Sections::default();
    sections.add("seams", seams(&counts));
    sections.add("halves", halves(&counts, takes));
    sections.add("gaps", gaps(&counts));
    worst.sort_by_key(|(alarms, _)| core::cmp::Reverse(alarms.ours));
    let mut table = Table::new("take | seams | false alarms | the linter's");
    for (alarms, file) in worst.iter().take(6) {
        table.row(format_args!(
            "{file} | {} | {} | {}",
            alarms.seams,
            alarms.share(alarms.ours),
            alarms.share(alarms.linter)
        ));
    }
    sections.add("worst", table);
    missed.sort_by_key(|(slow, _)| core::cmp::Reverse(slow.seams - slow.ours));
    let mut table = Table::new("take | cuts at 24 fps | missed");
    for (slow, file) in missed.iter().filter(|(slow, _)| slow.ours < slow.seams) {
        table.row(format_args!("{file} | {} | {}", slow.seams, slow.seams - slow.ours));
    }
    sections.add("missed", table);
    authored(captured, &mut sections)?;
    Ok(sections)
}

/// Shortest take that is judged, seconds.
const SHORTEST_SECS: f64 = 1.3;

/// Lengths of stretches and of cuts, seconds.
const STRETCH_SECS: [f64; 2] = [1.0, 3.0];
const CUT_SECS: [f64; 2] = [0.5, 3.0];

/// The take at another rate, by its own interpolation.
fn resampled(studied: &Studied, rate: f64) -> Result<Studied, String> {
    let take = &studied.take;
    let step = take.frame_rate_hz() / rate;
    let last = (take.num_frames() - 1) as f64;
    let num_frames = (last / step).floor() as usize + 1;
    let poses = (0..num_frames).map(|frame| take.sample((frame as f64 * step).min(last)));
    let tracks = Tracks::from_poses(take.skeleton().clone(), 1.0 / rate, poses);
    let tracks = tracks.map_err(|error| studied.failed(error))?;
    let take = Take::from_tracks(take.name(), tracks).map_err(|error| studied.failed(error))?;
    Studied::of(&studied.file, take)
}

/// Places all over a take: starts and lengths in seconds. They fill the space of both evenly, in an order without a pattern.
fn places(take: &Take, [shortest, longest]: [f64; 2]) -> Vec<(f64, f64)> {
    let fraction = |place: usize, step: f64| (0.5 + place as f64 * step).fract();
    let duration = take.duration_secs();
    (0..PLACES)
        .map(|place| {
            // Steps of Roberts' sequence: powers of the inverse of the plastic number.
            let (of_start, of_length) = (fraction(place, 0.754_877_666), fraction(place, 0.569_840_291));
            let longest = longest.min(duration - 0.2);
            let length = shortest + of_length * (longest - shortest);
            (0.1 + of_start * (duration - 0.2 - length), length)
        })
        .collect()
}

/// The stretches that a search proposes, as starts and lengths in seconds: the cuts with the smallest gaps.
fn proposed(studied: &Studied) -> Vec<(f64, f64)> {
    let settings = SearchSettings {
        max_candidates: PLACES,
        choose_by: ChooseBy::Cost,
        ..SearchSettings::default()
    };
    // Takes that cannot be searched propose nothing.
    let found = studied
        .find(&settings)
        .map(|found| found.candidates)
        .unwrap_or_default();
    let step = studied.take.frame_time_secs();
    let cut = |cut: &loopwright::Cut| (cut.start_frame() * step, cut.num_frames() * step);
    found
        .iter()
        .filter(|candidate| candidate.whole.is_none())
        .map(|candidate| cut(&candidate.cut))
        .collect()
}

/// Whether a flagged frame lies in a stretch or beside it.
fn has_bad_frame(studied: &Studied, frames: &Range<usize>) -> bool {
    let defects = &studied.analysis.defects;
    let bad = defects.bad_frames.iter().map(|bad| bad.frame);
    let near = frames.start.saturating_sub(1)..frames.end + 1;
    bad.chain(defects.jumps.iter().copied())
        .any(|frame| near.contains(&frame))
}

/// What both judges say of seams that are two neighbouring frames in the middle of an uncut stretch.
fn continuous(studied: &Studied) -> Vec<(bool, bool)> {
    let (take, world) = (&studied.take, studied.take.world_tracks());
    let rate = take.frame_rate_hz();
    let mut said = Vec::new();
    for (start, length) in places(take, STRETCH_SECS) {
        let first = (start * rate).round() as usize;
        let frames = first..(first + (length * rate).round() as usize).min(take.num_frames());
        if has_bad_frame(studied, &frames) {
            continue;
        }
        let seam = (frames.start + frames.end) / 2;
        let at = |frame: isize| (seam as isize + frame) as usize;
        let position = |frame: isize, joint: usize| world.position(at(frame), joint);
        let turn = |frame: isize, joint: usize| take.rotations(at(frame))[joint];
        let around = frames.start as isize - seam as isize..frames.end as isize - seam as isize;
        let steps = SeamSteps::from_stretch(
            around,
            take.frame_time_secs(),
            take.num_joints(),
            loopwright::unstable::body_size(&studied.analysis),
            position,
            turn,
        );
        // The linter sees the first key at both ends: no gap, but one velocity before it and another one after.
        let objects = (0..take.num_joints()).any(|joint| {
            let kink = |before: DVec3, after: DVec3| (after - before).length() * rate;
            let moved = |frame| position(frame + 1, joint) - position(frame, joint);
            let turned = |frame| rotation::difference(turn(frame + 1, joint), turn(frame, joint));
            kink(moved(-1), moved(0)) > LINT_RATE[0] || kink(turned(-1), turned(0)) > LINT_RATE[1]
        });
        said.push((steps.shows(), objects));
    }
    said
}

/// What both judges say of a raw cut.
struct CutSaid {
    ours: bool,
    linter: bool,
    gap_mm: f64,
}

/// Cuts without closure at these places whose ends differ visibly.
fn cuts(studied: &Studied, places: &[(f64, f64)]) -> Result<Vec<CutSaid>, String> {
    let rate = studied.take.frame_rate_hz();
    let settings = LoopSettings {
        feet: FootLock::Off.into(),
        ..LoopSettings::default()
    };
    let mut said = Vec::new();
    for &(start, length) in places {
        let (start, count) = (
            (start * rate).round().max(1.0) as usize,
            (length * rate).round() as usize,
        );
        let frames = start..start + count + 1;
        if frames.end >= studied.take.num_frames() || has_bad_frame(studied, &frames) {
            continue;
        }
        let candidate = studied.stretch(start as f64, (start + count) as f64, 1)?;
        // A stretch that turns or bends beyond what closing accepts is no cut that anybody would make.
        let Ok(made) = studied.make(&candidate, &settings) else {
            continue;
        };
        let gap = Gap::new(&made.source);
        if !gap.is_visible() {
            continue;
        }
        let keys = LoopKeys::from_loop(&unclosed(&made)?);
        let quality = quality::measure(&keys, &studied.analysis.body, None);
        said.push(CutSaid {
            ours: quality.pops(),
            linter: gap.metres > LINT_GAP[0]
                || gap.radians > LINT_GAP[1]
                || gap.sides[0] > LINT_RATE[0]
                || gap.sides[1] > LINT_RATE[1],
            gap_mm: 1e3 * gap.metres,
        });
    }
    Ok(said)
}

/// The largest gaps of a joint between the ends of a cut, seen from the root.
struct Gap {
    metres: f64,
    radians: f64,
    /// By central differences.
    velocity: f64,
    /// In velocity and in rate of turn, by the last step of the cut and its first, which is all that a linter sees.
    sides: [f64; 2],
}

impl Gap {
    fn new(source: &RootRelativeClip) -> Self {
        let (clip, world) = (&source.clip, source.clip.world_tracks());
        let first = *clip.sample_range().start();
        let end = clip.num_intervals() as isize;
        let position = |sample: isize, joint: usize| world.position((sample - first) as usize, joint);
        let turn = |sample: isize, joint: usize| clip.rotations(sample)[joint];
        let rate = 1.0 / clip.step_secs();
        let mut gap = Self {
            metres: 0.0,
            radians: 0.0,
            velocity: 0.0,
            sides: [0.0; 2],
        };
        for joint in 0..world.num_joints() {
            let metres = (position(end, joint) - position(0, joint)).length();
            let radians = rotation::difference(turn(end, joint), turn(0, joint)).length();
            let central = |at: isize| (position(at + 1, joint) - position(at - 1, joint)) * (0.5 * rate);
            let moved = |at: isize| (position(at + 1, joint) - position(at, joint)) * rate;
            let turned = |at: isize| rotation::difference(turn(at + 1, joint), turn(at, joint)) * rate;
            gap.metres = gap.metres.max(metres);
            gap.radians = gap.radians.max(radians);
            gap.velocity = gap.velocity.max((central(end) - central(0)).length());
            gap.sides[0] = gap.sides[0].max((moved(end - 1) - moved(0)).length());
            gap.sides[1] = gap.sides[1].max((turned(end - 1) - turned(0)).length());
        }
        gap
    }

    fn is_visible(&self) -> bool {
        self.metres > LINT_GAP[0] || self.radians > LINT_GAP[1] || self.velocity > LINT_RATE[0]
    }
}

fn both([one, other]: [Count; 2]) -> Count {
    Count {
        seams: one.seams + other.seams,
        ours: one.ours + other.ours,
        linter: one.linter + other.linter,
    }
}

fn seams(counts: &[AtRate]) -> Table {
    let mut table = Table::new(
        "fps | continuous seams | false alarms | the linter's | cuts anywhere | caught | by the linter | cuts that a search \
         proposes | caught | by the linter",
    );
    for (rate, at_rate) in RATES.iter().zip(counts) {
        let cells = |count: Count| {
            format!(
                "{} | {} | {}",
                count.seams,
                count.share(count.ours),
                count.share(count.linter)
            )
        };
        table.row(format_args!(
            "{rate:.0} | {} | {} | {}",
            cells(both(at_rate.continuous)),
            cells(both(at_rate.random)),
            cells(both(at_rate.proposed))
        ));
    }
    table
}

fn halves(counts: &[AtRate], takes: [usize; 2]) -> Table {
    let mut table = Table::new("takes | fps | false alarms | caught anywhere | caught of a search's");
    for (half, name) in ["fitted on", "the others"].into_iter().enumerate() {
        for (rate, at_rate) in RATES.iter().zip(counts) {
            let share = |counts: &[Count; 2]| counts[half].share(counts[half].ours);
            table.row(format_args!(
                "{} {name} | {rate:.0} | {} | {} | {}",
                takes[half],
                share(&at_rate.continuous),
                share(&at_rate.random),
                share(&at_rate.proposed)
            ));
        }
    }
    table
}

fn gaps(counts: &[AtRate]) -> Table {
    let mut table = Table::new("largest gap, mm | 24 fps: cuts | caught | 30 | caught | 60 | caught | 120 | caught");
    for (bin, range) in CUT_GAPS_MM.iter().enumerate() {
        let cells: Vec<String> = counts
            .iter()
            .map(|at_rate| at_rate.by_gap[bin])
            .map(|count| format!("{} | {}", count.seams, count.share(count.ours)))
            .collect();
        let name = if range.end.is_finite() {
            format!("{:.0} to {:.0}", range.start, range.end)
        } else {
            format!("above {:.0}", range.start)
        };
        table.row(format_args!("{name} | {}", cells.join(" | ")));
    }
    table
}

/// Clips that their authors made as loops, as they are, without sidecars.
fn authored(captured: &Captured, sections: &mut Sections) -> Result<(), String> {
    let mut table =
        Table::new("clip | keys | joint that shows most | step | of what is allowed | seam acceleration | shows");
    let (mut count, mut showing) = (0, 0);
    for row in loopwright_mocap::clips(&captured.folder)? {
        if row.intent != Intent::Loops {
            continue;
        }
        let settings = ReadSettings {
            animation: AnimationChoice::Given(row.animation.trim_start_matches('#')),
            ..ReadSettings::default()
        };
        let (_, loaded) = captured.read(&row.file, &settings)?;
        let studied = Studied::of(&row.file, loaded.take)?;
        let (take, body) = (&studied.take, &studied.analysis.body);
        let keys = LoopInFile::recognised(take, body).and_then(|found| found.keys(take, 0));
        let Ok(keys) = keys else {
            table.row(format_args!(
                "{} {} | {} | - | - | - | - | too short",
                row.file,
                row.animation,
                take.num_frames()
            ));
            continue;
        };
        let quality = quality::measure(&keys, body, None);
        let (kind, step) = quality.seam.worst();
        count += 1;
        showing += usize::from(quality.pops());
        table.row(format_args!(
            "{} {} | {} | {} | {} | {:.2} | {:.2} | {}",
            row.file,
            row.animation,
            take.num_frames(),
            take.skeleton().joint(step.joint).name,
            sized(kind, step.size),
            step.ratio(),
            quality.seam_acceleration_ratio,
            if quality.pops() { "yes" } else { "no" }
        ));
    }
    let mut summary = Table::new("authored loops | whose seam shows");
    summary.row(format_args!("{count} | {showing}"));
    sections.add("authored-summary", summary);
    sections.add("authored", table);
    Ok(())
}

/// The size of a step with its unit.
fn sized(kind: StepKind, size: f64) -> String {
    match kind {
        StepKind::Position => format!("{:.1} mm", 1e3 * size),
        StepKind::Velocity => format!("{:.0} cm/s", 1e2 * size),
        StepKind::Rotation => format!("{:.2} deg", size.to_degrees()),
        StepKind::AngularVelocity => format!("{:.0} deg/s", size.to_degrees()),
    }
}
