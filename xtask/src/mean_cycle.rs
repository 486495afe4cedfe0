//! The mean cycle of every real take that has enough cycles, against the chosen cycle alone: what is left to close, the distance from
//! cycles that neither has seen, and fine detail.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, Pose, SearchSettings, Skeleton,
    feet::FootLock,
    math::{ops, rotation},
    mean_cycle::{MeanCycle, MeanCycles, UsedCycle},
    pipeline::{MakeError, Sampling},
};

use crate::{
    page::Sections,
    statistics::{Sorted, mean, median},
    table::{Table, cell, list},
    takes::{Captured, Studied},
};

/// Fewest cycles of a take that is measured: three to average and one to leave out.
const FEWEST: usize = 4;

/// Takes whose cycles gape by less, degrees, are one cycle that was copied: there is nothing to average.
const COPIED_DEG: f64 = 0.05;

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
    fn new(studied: &Studied, candidate: &LoopCandidate, mean_cycles: MeanCycles) -> Result<Self, String> {
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
        Ok(Self {
            gap_deg: mean(&gaps),
            rank: 100.0 * quality.seam_rank,
            displacement_mm: 1e3 * quality.displacement_metres.unwrap_or(0.0),
            slide_cmps: quality.foot_slide_mps.map(|speed| 100.0 * speed),
            slide_mm: quality.foot_slide_metres.map(|metres| 1e3 * metres),
            detail: detail(&made),
        })
    }
}

/// How far cycles that are left out are from what is made without them, degrees.
struct LeftOut {
    num_used: usize,
    num_left_out: usize,
    /// From the chosen cycle, from the cycles used, on average and from whichever is nearest, and from the mean.
    chosen: f64,
    usual: f64,
    nearest: f64,
    mean: f64,
}

/// A take with enough cycles: one of them, and their mean.
struct Compared {
    /// Of the loops listed for the take, the one with the most cycles around it.
    candidate: LoopCandidate,
    cycles: Vec<UsedCycle>,
    /// In the order of [`WAYS`].
    figures: [Figures; 2],
    left_out: LeftOut,
}

impl Compared {
    /// Why not, where the take has too few cycles.
    fn new(studied: &Studied) -> Result<Result<Self, String>, String> {
        let mut most: Option<(LoopCandidate, MeanCycle)> = None;
        let mut why_none = "no loop".to_owned();
        for candidate in studied.find(&SearchSettings::default())?.candidates {
            match cycles_around(studied, &candidate)? {
                Ok(found) => {
                    let most_so_far = most.as_ref().map_or(0, |(_, most)| most.cycles.len());
                    if most.is_none() || found.cycles.len() > most_so_far {
                        most = Some((candidate, found));
                    }
                }
                Err(why) => why_none = why,
            }
        }
        let Some((candidate, all)) = most else {
            return Ok(Err(studied.failed(why_none)));
        };
        if all.cycles.len() < FEWEST {
            return Ok(Err(studied.failed(format_args!("{} cycles", all.cycles.len()))));
        }
        let one = Figures::new(studied, &candidate, WAYS[0].1)?;
        if one.gap_deg < COPIED_DEG {
            return Ok(Err(studied.failed("one cycle, copied")));
        }
        let left_out = left_out(studied, &candidate, &all)?;
        let mean = Figures::new(studied, &candidate, WAYS[1].1)?;
        Ok(Ok(Self {
            candidate,
            cycles: all.cycles,
            figures: [one, mean],
            left_out,
        }))
    }

    /// Detail of the mean, as a share of that of one cycle.
    fn detail(&self) -> f64 {
        self.figures[1].detail / self.figures[0].detail
    }

    /// By how much the mean is nearer to the cycles left out than the chosen cycle, the cycles used on average, and the nearest of them,
    /// percent.
    fn nearer(&self) -> [f64; 3] {
        let LeftOut {
            chosen,
            usual,
            nearest,
            mean,
            ..
        } = self.left_out;
        [chosen, usual, nearest].map(|other| 100.0 * (1.0 - mean / other))
    }

    /// The row of a way.
    fn row(&self, file: &str, way: usize) -> String {
        let is_mean = way == 1;
        let figures = &self.figures[way];
        let without_weight = self.cycles.iter().filter(|cycle| cycle.share == 0.0).count();
        let take = format!(
            "{file} | {:.2} | {} | {without_weight}",
            self.candidate.source_period_secs,
            self.cycles.len()
        );
        let left_out = &self.left_out;
        let off = format!(
            "{} by {} | {:.2} | {:.2} | {:.2} | {:.2}",
            left_out.num_left_out, left_out.num_used, left_out.chosen, left_out.usual, left_out.nearest, left_out.mean
        );
        format!(
            "{} | {} | {:.2} | {:.0} | {:.1} | {} | {} | {:.2} | {}",
            if is_mean { " | | |" } else { &take },
            WAYS[way].0,
            figures.gap_deg,
            figures.rank,
            figures.displacement_mm,
            cell(figures.slide_cmps, 1),
            cell(figures.slide_mm, 1),
            figures.detail / self.figures[0].detail,
            if is_mean { &off } else { " | | | |" },
        )
    }
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let mut table = Table::new(
        "take | cycle s | cycles | without weight | made from | gap deg | rank | mm off | foot slide cm/s | mm | detail | left out | from chosen deg | usual | nearest | mean",
    );
    let (mut takes, mut without) = (Vec::new(), Vec::new());
    for studied in &captured.loops()? {
        match Compared::new(studied)? {
            Ok(compared) => {
                for way in 0..WAYS.len() {
                    table.row(compared.row(&studied.file, way));
                }
                takes.push(compared);
            }
            Err(why) => without.push(why),
        }
    }
    let mut summary = Table::new(
        "made from | takes | gap deg, median | largest | rank, mean | foot slide cm/s, median | detail, median | least | most",
    );
    for (way, (name, _)) in WAYS.iter().enumerate() {
        let figures = || takes.iter().map(|take| &take.figures[way]);
        let of_mean = |value: f64| cell((way == 1).then_some(value), 2);
        let details: Sorted = takes.iter().map(Compared::detail).collect();
        let ranks: Vec<f64> = figures().map(|figures| figures.rank).collect();
        summary.row(format_args!(
            "{name} | {} | {:.2} | {:.2} | {:.1} | {:.1} | {} | {} | {}",
            takes.len(),
            median(figures().map(|figures| figures.gap_deg)),
            figures().map(|figures| figures.gap_deg).fold(0.0, f64::max),
            mean(&ranks),
            median(figures().filter_map(|figures| figures.slide_cmps)),
            of_mean(details.median()),
            of_mean(details.at(0.0).unwrap_or(0.0)),
            of_mean(details.largest()),
        ));
    }
    let mut held_out = Table::new("nearer to cycles left out than | takes | least % | median % | most %");
    for (other, name) in ["the chosen cycle", "the cycles used, on average", "the nearest of them"]
        .iter()
        .enumerate()
    {
        let sorted: Sorted = takes.iter().map(|take| take.nearer()[other]).collect();
        held_out.row(format_args!(
            "{name} | {} | {}",
            sorted.len(),
            sorted.spread(&[0.0, 0.5, 1.0], 0, " | ")
        ));
    }
    let mut sections = Sections::default();
    sections.add("summary", summary);
    sections.add("left-out", held_out);
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
    let is_left_out = |cycle: &&UsedCycle| {
        let middle = 0.5 * (cycle.start_frame + cycle.end_frame);
        !(from..=to).contains(&middle)
    };
    let count = mean.loop_clip.num_samples();
    // On the same samples. Outliers are unlike anything.
    let others: Vec<MadeLoop> = (all.cycles.iter().filter(is_left_out))
        .filter(|cycle| cycle.share > 0.0)
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
    let singles: Vec<f64> = (used.iter())
        .filter_map(|cycle| single(studied, candidate, cycle, count).ok())
        .map(|made| off(&made))
        .collect();
    Ok(LeftOut {
        num_used,
        num_left_out: others.len(),
        chosen,
        usual: self::mean(&singles),
        nearest: singles.into_iter().fold(chosen, f64::min),
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
