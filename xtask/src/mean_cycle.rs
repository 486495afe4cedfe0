//! The mean cycle of every real take that has enough cycles, against the chosen cycle alone: what is left to close, the distance from
//! cycles that neither has seen, and fine detail.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, Pose, Skeleton,
    feet::FootLock,
    math::{ops, rotation},
    mean_cycle::{MeanCycle, MeanCycles, UsedCycle},
    pipeline::{MakeError, Sampling},
};

use crate::{
    page::Sections,
    statistics::{mean, median},
    table::{Table, cell, list},
    takes::{Captured, Studied},
};

/// Fewest cycles of a take that is measured: three to average and one to leave out.
const FEWEST: usize = 4;

/// Detail is what joints do faster than this, hertz.
const DETAIL_HZ: f64 = 4.0;

/// The chosen cycle alone, and the mean that takes its place.
const WAYS: [(&str, MeanCycles); 2] = [("one cycle", MeanCycles::Off), ("mean", MeanCycles::All)];

/// A loop of one of the ways.
struct Figures {
    gap_deg: f64,
    rank: f64,
    displacement_mm: f64,
    slide_cmps: Option<f64>,
    slide_mm: Option<f64>,
    detail: f64,
}

impl Figures {
    fn of(studied: &Studied, candidate: &LoopCandidate, mean_cycles: MeanCycles) -> Result<(Self, MadeLoop), String> {
        let settings = LoopSettings {
            mean_cycles,
            ..LoopSettings::default()
        };
        let made = studied.make(candidate, &settings)?;
        let quality = studied.written_quality(&made, &made.loop_clip)?;
        let gaps: Vec<f64> = (made
            .closed
            .seam
            .joints
            .iter()
            .map(|gap| gap.angle.length().to_degrees()))
        .collect();
        Ok((
            Self {
                gap_deg: mean(&gaps),
                rank: 100.0 * quality.seam_rank,
                displacement_mm: 1e3 * quality.displacement_metres.unwrap_or(0.0),
                slide_cmps: quality.foot_slide_mps.map(|speed| 100.0 * speed),
                slide_mm: quality.foot_slide_metres.map(|metres| 1e3 * metres),
                detail: detail(&made),
            },
            made,
        ))
    }
}

/// How far cycles that are left out are from what is made without them, degrees.
struct LeftOut {
    num_used: usize,
    num_left_out: usize,
    /// From the chosen cycle, from whichever cycle of those used is nearest, and from the mean.
    chosen: f64,
    nearest: f64,
    mean: f64,
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let mut table = Table::new(
        "take | cycle s | cycles | without weight | made from | gap deg | rank | mm off | foot slide cm/s | mm | detail | left out deg | nearer %",
    );
    let (mut gaps, mut ranks): ([Vec<f64>; 2], [Vec<f64>; 2]) = Default::default();
    let (mut details, mut nearer, mut nearer_than_best): (Vec<f64>, Vec<f64>, Vec<f64>) = Default::default();
    let mut without = Vec::new();
    let mut num_takes = 0;
    for studied in &captured.loops()? {
        let Some(candidate) = studied.recommended()? else {
            continue;
        };
        let all = match cycles_around(studied, &candidate)? {
            Ok(found) if found.cycles.len() >= FEWEST => found,
            Ok(found) => {
                without.push(studied.failed(format_args!("{} cycles", found.cycles.len())));
                continue;
            }
            Err(why) => {
                without.push(studied.failed(why));
                continue;
            }
        };
        num_takes += 1;
        let unheard = all.cycles.iter().filter(|cycle| cycle.share == 0.0).count();
        let left_out = left_out(studied, &candidate, &all)?;
        let [(one, _), (mean, _)] = [
            Figures::of(studied, &candidate, WAYS[0].1)?,
            Figures::of(studied, &candidate, WAYS[1].1)?,
        ];
        for (way, (name, _)) in WAYS.iter().enumerate() {
            let is_mean = way == 1;
            let figures = [&one, &mean][way];
            let off = if is_mean { left_out.mean } else { left_out.chosen };
            table.row(format_args!(
                "{} | {} | {} | {} | {name} | {:.2} | {:.0} | {:.1} | {} | {} | {:.2} | {off:.2} | {}",
                if is_mean { "" } else { &studied.file },
                if is_mean {
                    String::new()
                } else {
                    format!("{:.2}", candidate.source_period_secs)
                },
                if is_mean {
                    String::new()
                } else {
                    all.cycles.len().to_string()
                },
                if is_mean { String::new() } else { unheard.to_string() },
                figures.gap_deg,
                figures.rank,
                figures.displacement_mm,
                cell(figures.slide_cmps, 1),
                cell(figures.slide_mm, 1),
                figures.detail / one.detail,
                if is_mean {
                    format!(
                        "{:.0} of {} by {}",
                        100.0 * (1.0 - left_out.mean / left_out.chosen),
                        left_out.num_left_out,
                        left_out.num_used
                    )
                } else {
                    String::new()
                },
            ));
            gaps[way].push(figures.gap_deg);
            ranks[way].push(figures.rank);
        }
        details.push(mean.detail / one.detail);
        nearer.push(100.0 * (1.0 - left_out.mean / left_out.chosen));
        nearer_than_best.push(100.0 * (1.0 - left_out.mean / left_out.nearest));
    }
    let mut summary = Table::new(
        "made from | takes | gap deg, median | largest | rank, mean | detail, median | least | most | nearer to cycles left out %, median | than the best cycle",
    );
    for (way, (name, _)) in WAYS.iter().enumerate() {
        let extreme = |which: fn(f64, f64) -> f64| details.iter().copied().reduce(which);
        let is_mean = way == 1;
        let of_mean = |value: f64, decimals: usize| cell(is_mean.then_some(value), decimals);
        summary.row(format_args!(
            "{name} | {num_takes} | {:.2} | {:.2} | {:.1} | {} | {} | {} | {} | {}",
            median(gaps[way].iter().copied()),
            gaps[way].iter().copied().fold(0.0, f64::max),
            mean(&ranks[way]),
            of_mean(median(details.iter().copied()), 2),
            cell(extreme(f64::min).filter(|_| is_mean), 2),
            cell(extreme(f64::max).filter(|_| is_mean), 2),
            of_mean(median(nearer.iter().copied()), 0),
            of_mean(median(nearer_than_best.iter().copied()), 0),
        ));
    }
    let mut sections = Sections::default();
    sections.add("summary", summary);
    sections.add("every-take", table);
    sections.add("others", list(&without));
    Ok(sections)
}

/// All cycles around a candidate, or why there is no mean of them.
fn cycles_around(studied: &Studied, candidate: &LoopCandidate) -> Result<Result<MeanCycle, String>, String> {
    match studied.analysis.make_loop(candidate, &plain(MeanCycles::All)) {
        Ok(made) => Ok(made.mean_cycle.ok_or_else(|| "no mean".to_owned())),
        Err(MakeError::MeanCycle(why)) => Ok(Err(why.to_string())),
        Err(error) => Err(studied.failed(error)),
    }
}

/// Settings under which feet stay as they are: holding them would be measured too.
fn plain(mean_cycles: MeanCycles) -> LoopSettings {
    LoopSettings {
        feet: FootLock::Off.into(),
        mean_cycles,
        ..LoopSettings::default()
    }
}

/// Makes the mean of two thirds of the cycles, and measures the others against it and against single cycles.
fn left_out(studied: &Studied, candidate: &LoopCandidate, all: &MeanCycle) -> Result<LeftOut, String> {
    let num_used = all.cycles.len() - (all.cycles.len() / 3).max(1);
    let mean = studied.make(candidate, &plain(MeanCycles::UpTo(num_used)))?;
    let used = &mean
        .mean_cycle
        .as_ref()
        .ok_or_else(|| studied.failed("no mean"))?
        .cycles;
    let (from, to) = (used[0].start_frame, used[used.len() - 1].end_frame);
    let is_left_out = |cycle: &&UsedCycle| cycle.end_frame < from + 1.0 || cycle.start_frame > to - 1.0;
    let count = mean.loop_clip.num_samples();
    // Cycles that are no outliers, on the same samples.
    let others: Vec<MadeLoop> = (all.cycles.iter().filter(is_left_out))
        .filter(|cycle| cycle.share > 0.0 || cycle.start_frame < from + 1.0 || cycle.end_frame > to - 1.0)
        .filter_map(|cycle| single(studied, candidate, cycle, count).ok())
        .collect();
    let off = |made: &MadeLoop| {
        let poses: Vec<Pose> = (0..count)
            .map(|sample| made.loop_clip.body_pose(sample).to_pose())
            .collect();
        let each: Vec<f64> = others.iter().map(|other| degrees_off(studied, &poses, other)).collect();
        self::mean(&each)
    };
    let chosen = off(&studied.make(candidate, &plain(MeanCycles::Off))?);
    let nearest = (used.iter())
        .filter_map(|cycle| single(studied, candidate, cycle, count).ok())
        .map(|made| off(&made))
        .fold(chosen, f64::min);
    Ok(LeftOut {
        num_used,
        num_left_out: others.len(),
        chosen,
        nearest,
        mean: off(&mean),
    })
}

/// One cycle of the take as a loop of some samples.
fn single(
    studied: &Studied,
    candidate: &LoopCandidate,
    cycle: &UsedCycle,
    num_samples: usize,
) -> Result<MadeLoop, String> {
    let stretch = studied.stretch(cycle.start_frame, cycle.end_frame, candidate.cycles)?;
    let settings = LoopSettings {
        sampling: Sampling::Samples(num_samples),
        ..plain(MeanCycles::Off)
    };
    studied.make(&stretch, &settings)
}

/// Mean angle of the joints below the hips between a loop and the uncut samples of a cycle, degrees.
fn degrees_off(studied: &Studied, poses: &[Pose], cycle: &MadeLoop) -> f64 {
    let clip = &cycle.source.clip;
    let joints = below_hips(clip.skeleton(), studied.analysis.body.hips);
    let mut sum = 0.0;
    for (sample, pose) in poses.iter().enumerate() {
        let own = clip.rotations(sample as isize);
        sum += (joints.iter())
            .map(|&joint| rotation::difference(pose.rotations[joint], own[joint]).length())
            .sum::<f64>();
    }
    (sum / (poses.len() * joints.len()).max(1) as f64).to_degrees()
}

/// Joints that hang from the hips.
fn below_hips(skeleton: &Skeleton, hips: usize) -> Vec<usize> {
    let is_below = |joint: &usize| *joint != hips && skeleton.path_from_root(*joint).contains(&hips);
    (0..skeleton.num_joints()).filter(is_below).collect()
}

/// Root mean square of the rotations of joints faster than 4 Hz, degrees a second: of their angular velocities' harmonics.
fn detail(made: &MadeLoop) -> f64 {
    let clip = &made.loop_clip;
    let (count, joints) = (clip.num_samples(), below_hips(clip.skeleton(), made.body.hips));
    let first = (DETAIL_HZ * clip.period_secs()).ceil() as usize;
    let mut sum = 0.0;
    for &joint in &joints {
        let rotation = |sample: usize| -> DQuat { clip.body_pose(sample % count).rotations[joint] };
        let rates: Vec<DVec3> = (0..count)
            .map(|sample| rotation::difference(rotation(sample + 1), rotation(sample)) / clip.step_secs())
            .collect();
        for harmonic in first..=count / 2 {
            let (mut cosine, mut sine) = (DVec3::ZERO, DVec3::ZERO);
            for (sample, rate) in rates.iter().enumerate() {
                let (sin, cos) = ops::sin_cos(TAU * ((sample * harmonic) % count) as f64 / count as f64);
                cosine += *rate * cos;
                sine += *rate * sin;
            }
            sum += 2.0 * (cosine.length_squared() + sine.length_squared()) / (count * count) as f64;
        }
    }
    (sum / joints.len().max(1) as f64).sqrt().to_degrees()
}
