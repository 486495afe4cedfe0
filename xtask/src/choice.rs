//! The recommended loops of the takes: chosen by what comes of them, and by the price of their seams alone.
//!
//! Drift is measured here for itself, from the hips of the uncut take, and loops are measured as written.

use std::path::Path;

use glam::DVec3;
use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, SearchSettings, candidate::ChooseBy, feet::FootLock, math::ops,
};
use loopwright_draw::{
    Figure,
    render::{DrawnMotion, Picture, Stage, StageSettings, View, side_by_side},
};

use crate::{
    page::Sections,
    statistics::{Sorted, mean},
    table::{Table, cell},
    takes::{Captured, Studied},
};

/// Both choices, with their names on the page.
const CHOICES: [(&str, ChooseBy); 2] = [("price", ChooseBy::Cost), ("outcome", ChooseBy::Outcome)];

/// Shortest part of a cycle over which a drift is measured, before and after a moment.
const MIN_HALF: f64 = 0.2;

/// Speeds below this do not drift, metres per second.
const SLOW_MPS: f64 = 0.2;

/// A drift that counts as large.
const LARGE_DRIFT: f64 = 0.08;

/// A recommended loop and what comes of it.
struct Chosen {
    candidate: LoopCandidate,
    made: MadeLoop,
    speed_drift: Option<f64>,
    turn_drift_deg: Option<f64>,
    /// Of closing alone, feet not held.
    displacement_mm: f64,
    rank: f64,
    own_rank: Option<f64>,
    slide_cmps: Option<f64>,
}

impl Chosen {
    fn new(studied: &Studied, choose_by: ChooseBy) -> Result<Self, String> {
        let settings = SearchSettings {
            choose_by,
            ..SearchSettings::default()
        };
        let found = studied.find(&settings)?;
        let candidate = found.best().ok_or_else(|| studied.failed("no loop"))?.clone();
        let made = studied.make(&candidate, &LoopSettings::default())?;
        let open = LoopSettings {
            feet: FootLock::Off.into(),
            ..LoopSettings::default()
        };
        let open = studied.make(&candidate, &open)?;
        let displaced = studied.quality(&open, &open.loop_clip).displacement_metres;
        let quality = studied.written_quality(&made, &made.loop_clip)?;
        let drift = drift(studied, &candidate);
        Ok(Self {
            speed_drift: drift.map(|[speed, _]| speed),
            turn_drift_deg: drift.map(|[_, turn]| turn.to_degrees()),
            displacement_mm: 1e3 * displaced.unwrap_or(0.0),
            rank: 100.0 * quality.seam_rank,
            own_rank: quality.take_rank.map(|rank| 100.0 * rank),
            slide_cmps: quality.foot_slide_mps.map(|speed| 100.0 * speed),
            candidate,
            made,
        })
    }

    fn frames(&self) -> String {
        let cut = &self.candidate.cut;
        format!("{:.0}-{:.0}", cut.start_frame(), cut.end_frame())
    }
}

/// Drift of the ground speed, as a share, and of the turn of a cycle, radians: over a cycle centred on the end against one centred
/// on the start.
fn drift(studied: &Studied, candidate: &LoopCandidate) -> Option<[f64; 2]> {
    let (take, analysis) = (&studied.take, &studied.analysis);
    let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
    let last = take.num_frames() - 1;
    let cycle = (end - start) / f64::from(candidate.cycles.max(1));
    let half = (0.5 * cycle).min(start).min(last as f64 - end);
    if half < MIN_HALF * cycle {
        return None;
    }
    let at = |frame: f64| {
        let (before, share) = (frame.floor() as usize, frame - frame.floor());
        let after = (before + 1).min(last);
        let hips = |frame: usize| analysis.world.position(frame, analysis.body.hips);
        let yaw = |frame: usize| analysis.heading.yaw(frame);
        (
            hips(before).lerp(hips(after), share),
            yaw(before) + share * (yaw(after) - yaw(before)),
        )
    };
    let over = |middle: f64| {
        let (before, after) = (at(middle - half), at(middle + half));
        let moved: DVec3 = after.0 - before.0;
        (ops::hypot(moved.x, moved.z), after.1 - before.1)
    };
    let (first, second) = (over(start), over(end));
    let secs = 2.0 * half * take.frame_time_secs();
    let usual = (0.5 * (first.0 + second.0)).max(SLOW_MPS * secs);
    Some([
        (second.0 - first.0).abs() / usual,
        (second.1 - first.1).abs() * cycle / (2.0 * half),
    ])
}

/// In words, what the loop chosen by outcome is better at, the most noticeable first.
fn why(by_price: &Chosen, by_outcome: &Chosen) -> String {
    if by_price.frames() == by_outcome.frames() {
        return "the same".to_owned();
    }
    let of = |chosen: &Chosen| {
        let candidate = &chosen.candidate;
        [
            ("speed drifts less", 20.0 * chosen.speed_drift.unwrap_or(0.05)),
            ("turns alike at both ends", 0.2 * chosen.turn_drift_deg.unwrap_or(5.0)),
            ("closing moves it less", 0.2 * chosen.displacement_mm),
            ("fewer cycles", f64::from(candidate.cycles)),
            ("calmer at the seam", candidate.abruptness),
            ("feet slide less", 0.5 * chosen.slide_cmps.unwrap_or(0.0)),
            ("a cheaper seam", candidate.cost_ratio.unwrap_or(0.0) / 0.15),
        ]
    };
    let mut gains: Vec<(&str, f64)> = (of(by_price).into_iter().zip(of(by_outcome)))
        .map(|((name, before), (_, after))| (name, before - after))
        .filter(|(_, gain)| *gain > 0.3)
        .collect();
    gains.sort_by(|one, other| other.1.total_cmp(&one.1));
    let names: Vec<&str> = gains.into_iter().map(|(name, _)| name).collect();
    if names.is_empty() {
        "a little of each".to_owned()
    } else {
        names.join(", ")
    }
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut table = Table::new(
        "take | chosen by | frames | seconds | cycles | speed drift % | turn drift deg | mm off | abrupt | rank | take's | foot slide cm/s | why",
    );
    let mut all: [Vec<Chosen>; 2] = [Vec::new(), Vec::new()];
    for studied in &studied {
        let [by_price, by_outcome] = CHOICES.map(|(_, choose_by)| Chosen::new(studied, choose_by));
        let both = [by_price?, by_outcome?];
        let why = why(&both[0], &both[1]);
        for ((name, _), chosen) in CHOICES.iter().zip(&both) {
            let is_outcome = *name == "outcome";
            table.row(format_args!(
                "{} | {name} | {} | {:.2} | {} | {} | {} | {:.1} | {:.2} | {:.0} | {} | {} | {}",
                if is_outcome { "" } else { &studied.file },
                chosen.frames(),
                chosen.candidate.source_period_secs,
                chosen.candidate.cycles,
                cell(chosen.speed_drift.map(|drift| 100.0 * drift), 1),
                cell(chosen.turn_drift_deg, 1),
                chosen.displacement_mm,
                chosen.candidate.abruptness,
                chosen.rank,
                cell(chosen.own_rank, 0),
                cell(chosen.slide_cmps, 1),
                if is_outcome { &why } else { "" },
            ));
        }
        for (all, chosen) in all.iter_mut().zip(both) {
            all.push(chosen);
        }
    }
    let mut sections = Sections::default();
    sections.add("every-take", table);
    let mut summary = Table::new(
        "chosen by | takes | speed drift %, median | above 8% | worst | mm off, median | several cycles | rank, mean | takes' own, mean",
    );
    for ((name, _), chosen) in CHOICES.iter().zip(&all) {
        let drifts: Sorted = chosen.iter().filter_map(|each| each.speed_drift).collect();
        let large = chosen
            .iter()
            .filter(|each| each.speed_drift > Some(LARGE_DRIFT))
            .count();
        let displaced: Sorted = chosen.iter().map(|each| each.displacement_mm).collect();
        let ranks: Vec<f64> = chosen.iter().map(|each| each.rank).collect();
        let own: Vec<f64> = chosen.iter().filter_map(|each| each.own_rank).collect();
        summary.row(format_args!(
            "{name} | {} | {:.1} | {large} of {} | {:.1} | {:.1} | {} | {:.1} | {:.1}",
            chosen.len(),
            100.0 * drifts.median(),
            drifts.len(),
            100.0 * drifts.largest(),
            displaced.median(),
            chosen.iter().filter(|each| each.candidate.cycles > 1).count(),
            mean(&ranks),
            mean(&own),
        ));
    }
    sections.add("summary", summary);
    Ok(sections)
}

/// Poses of a row of a sheet.
const NUM_POSES: usize = 9;

/// Pixels of each.
const POSE_SIZE: [u32; 2] = [140, 200];

/// Draws both loops of every take over two cycles, side by side on one page: what a person sees of the choice.
///
/// Pictures of captured motion stay out of the project, so they go to a folder of the caller's.
pub(crate) fn sheets(captured: &Captured, folder: &Path) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let mut page =
        "<!doctype html><meta charset=utf-8><title>The choice of loops</title><h1>By price, and by outcome</h1>\n"
            .to_owned();
    for studied in captured.loops()? {
        let [by_price, by_outcome] = CHOICES.map(|(_, choose_by)| Chosen::new(&studied, choose_by));
        let both = [by_price?, by_outcome?];
        page += &format!("<h2>{}</h2><p>{}</p>\n", studied.file, why(&both[0], &both[1]));
        for ((name, _), chosen) in CHOICES.iter().zip(&both) {
            let file = format!("{}-{name}.png", studied.file.replace(['/', '.'], "_"));
            let row = row(&studied, chosen)?;
            let png = row.png().map_err(|error| failed(&error))?;
            std::fs::write(folder.join(&file), png).map_err(|error| failed(&error))?;
            page += &format!("<p>{name}, frames {}:<br><img src=\"{file}\"></p>\n", chosen.frames());
        }
    }
    std::fs::write(folder.join("index.html"), page).map_err(|error| failed(&error))
}

/// A loop over two cycles, with the seam in the middle.
fn row(studied: &Studied, chosen: &Chosen) -> Result<Picture, String> {
    let figure = Figure::new(&studied.take, &studied.analysis.body);
    let motion = DrawnMotion::of_loop(&chosen.made.loop_clip, &figure).map_err(|error| studied.failed(error))?;
    let settings = StageSettings {
        view: View::ThreeQuarter,
        cycles: 2,
        size: POSE_SIZE,
        ..StageSettings::default()
    };
    let stage = Stage::new(&motion, &settings, "").map_err(|error| studied.failed(error))?;
    let poses: Result<Vec<Picture>, _> = (0..NUM_POSES)
        .map(|pose| stage.frame((0.5 + pose as f64 / (NUM_POSES - 1) as f64) * motion.period_secs()))
        .collect();
    let poses = poses.map_err(|error| studied.failed(error))?;
    side_by_side(&poses).map_err(|error| studied.failed(error))
}
