//! Whole clips: every animation of the authored files, and what becomes of it.
//!
//! Gaps and steps are measured on keys, as a program that plays them would: those of the clip before, and those of the written
//! loop, read back.

use loopwright::{
    Analysis, FoundLoops, LoopCandidate, SearchSettings, Take,
    candidate::WholeClipKind,
    math::{Rigid, rotation},
    unstable::fit::{PointPair, fit_planar},
};
use loopwright_formats::{
    AnimationChoice, LoopFile, LoopWriteSettings, ReadSettings,
    loop_file::{facts::TakeFacts, written_keys},
};
use loopwright_mocap::{ClipRow, Intent};

use crate::{
    page::Sections,
    table::{Table, cell, list},
    takes::{Captured, Studied},
};

/// Limits of a linter for clips: closure in metres and radians, and steps of velocity over the seam per second.
/// Source: the defaults of the linter that docs/measurements/check.md names.
const LINTER_METRES: f64 = 0.01;
const LINTER_RADIANS: f64 = 1.0 * core::f64::consts::PI / 180.0;
const LINTER_MPS: f64 = 0.1;
const LINTER_RADPS: f64 = 5.0 * core::f64::consts::PI / 180.0;

/// The seam of a sequence of keys whose last repeats the first.
#[derive(Clone, Copy, Debug, Default)]
struct Seam {
    /// Largest distance and rotation of a joint between the last key and the first, moved on.
    metres: f64,
    radians: f64,
    /// Largest excess of a joint's step before the last key over its largest step in the clip.
    step_metres: f64,
    /// Largest step of a joint's velocity over the seam.
    mps: f64,
    radps: f64,
}

impl Seam {
    /// `moved` is the motion of the world from the first key to the last; `clip` is the clip before anything was done to it.
    fn new(take: &Take, moved: Rigid, clip: &Analysis) -> Self {
        let (world, last) = (take.world_tracks(), take.num_frames() - 1);
        let step_secs = take.frame_time_secs();
        let mut seam = Self::default();
        for joint in 0..take.num_joints() {
            let at = |key: usize| world.position(key, joint);
            let turn = |key: usize| world.rotation(key, joint);
            let step = |key: usize| at(key + 1) - at(key);
            let own = |frame: usize| {
                clip.world
                    .position(frame + 1, joint)
                    .distance(clip.world.position(frame, joint))
            };
            let largest = (0..clip.take.num_frames() - 1).map(own).fold(0.0, f64::max);
            let spin = |key: usize| rotation::difference(turn(key + 1), turn(key));
            seam.metres = seam.metres.max((moved.transform_point(at(0)) - at(last)).length());
            seam.radians = (seam.radians).max(rotation::difference(moved.rotation * turn(0), turn(last)).length());
            seam.step_metres = seam.step_metres.max(step(last - 1).length() - largest);
            let velocities = (moved.rotation * step(0) - step(last - 1)) / step_secs;
            seam.mps = seam.mps.max(velocities.length());
            let turns = (moved.rotation * spin(0) - spin(last - 1)) / step_secs;
            seam.radps = seam.radps.max(turns.length());
        }
        seam
    }

    fn passes_the_linter(&self) -> bool {
        self.metres <= LINTER_METRES
            && self.radians <= LINTER_RADIANS
            && self.mps <= LINTER_MPS
            && self.radps <= LINTER_RADPS
    }
}

/// What became of an animation.
struct Outcome {
    done: String,
    /// The clip as it was, its ends aligned over the ground.
    before: Seam,
    made: Option<Made>,
}

/// The loop of an animation.
struct Made {
    after: Seam,
    displacement_mm: f64,
    body_size: f64,
    pops: bool,
    kind: Option<WholeClipKind>,
    frames_lost: f64,
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let rows = loopwright_mocap::clips(&captured.folder)?;
    let mut table = Table::new(
        "file | animation | loops? | what was done | gap mm | deg | linter | gap mm after | deg after | step mm | linter after | \
         displacement mm | verdict",
    );
    let mut counts = [Counts::default(); 3];
    let (mut short, mut bent) = (Vec::new(), Vec::new());
    for row in &rows {
        let outcome = outcome(captured, row)?;
        let counts = &mut counts[row.intent as usize];
        let name = format!("{} {}", row.file, row.animation);
        counts.add(&outcome);
        match row.intent {
            Intent::Loops if !outcome.is_a_good_loop() => short.push(format!("{name}: {}", outcome.done)),
            Intent::DoesNotLoop if !outcome.is_left_alone() => bent.push(format!("{name}: {}", outcome.done)),
            _ => {}
        }
        let linter = |seam: &Seam| if seam.passes_the_linter() { "passes" } else { "fails" };
        let after = outcome.made.as_ref();
        table.row(format_args!(
            "{} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {} | {} | {} | {} | {}",
            row.file,
            row.animation,
            word(row.intent),
            outcome.done,
            1e3 * outcome.before.metres,
            outcome.before.radians.to_degrees(),
            linter(&outcome.before),
            cell(after.map(|made| 1e3 * made.after.metres), 3),
            cell(after.map(|made| made.after.radians.to_degrees()), 3),
            cell(after.map(|made| 1e3 * made.after.step_metres), 2),
            after.map_or("-", |made| linter(&made.after)),
            cell(after.map(|made| made.displacement_mm), 2),
            after.map_or("-", |made| if made.pops { "pops" } else { "loops" }),
        ));
    }
    let mut summary = Table::new(
        "loops? | clips | kept | mended | cut | refused | meet 1 mm, 0.1 deg and their own step | worst displacement of kept ones mm | \
         pass the linter before | after",
    );
    for (intent, counts) in
        [Intent::Loops, Intent::Either, Intent::DoesNotLoop].map(|intent| (intent, counts[intent as usize]))
    {
        summary.row(format_args!(
            "{} | {} | {} | {} | {} | {} | {} | {:.2} | {} | {}",
            word(intent),
            counts.clips,
            counts.kept,
            counts.mended,
            counts.cut,
            counts.clips - counts.kept - counts.mended - counts.cut,
            counts.meet,
            counts.worst_mm,
            counts.linted_before,
            counts.linted_after
        ));
    }
    let mut sections = Sections::default();
    sections.add("every-clip", table);
    sections.add("all-clips", summary);
    sections.add("loops-that-fall-short", list(&short));
    sections.add("bent-though-no-loop", list(&bent));
    Ok(sections)
}

fn word(intent: Intent) -> &'static str {
    match intent {
        Intent::Loops => "yes",
        Intent::DoesNotLoop => "no",
        Intent::Either => "either",
    }
}

/// Numbers of clips of one intent.
#[derive(Clone, Copy, Default)]
struct Counts {
    clips: usize,
    kept: usize,
    mended: usize,
    cut: usize,
    meet: usize,
    worst_mm: f64,
    linted_before: usize,
    linted_after: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.clips += 1;
        self.linted_before += usize::from(outcome.before.passes_the_linter());
        self.meet += usize::from(outcome.is_a_good_loop());
        let Some(made) = &outcome.made else { return };
        self.linted_after += usize::from(made.after.passes_the_linter());
        match made.kind {
            Some(WholeClipKind::Cycle) => self.mended += 1,
            Some(_) => {
                self.kept += 1;
                self.worst_mm = self.worst_mm.max(made.displacement_mm);
            }
            None => self.cut += 1,
        }
    }
}

impl Outcome {
    /// Whether it came out as a loop that closes, with a step over the seam within its own.
    fn is_a_good_loop(&self) -> bool {
        self.made.as_ref().is_some_and(|made| {
            let closes = made.after.metres <= 1e-3 && made.after.radians <= 0.1_f64.to_radians();
            closes && made.after.step_metres <= 1e-3 * made.body_size
        })
    }

    /// Whether it was refused, or kept as it is.
    fn is_left_alone(&self) -> bool {
        (self.made.as_ref()).is_none_or(|made| made.frames_lost == 0.0 && made.displacement_mm <= 1.0)
    }
}

/// Makes a loop of an animation as the command does without options.
fn outcome(captured: &Captured, row: &ClipRow) -> Result<Outcome, String> {
    let named = row.animation.trim_start_matches('#');
    let settings = ReadSettings {
        animation: AnimationChoice::Given(named),
        ..ReadSettings::default()
    };
    let (_, loaded) = captured.read(&row.file, &settings)?;
    let studied = Studied::of(&format!("{} {}", row.file, row.animation), loaded.take)?.in_file(loaded.source);
    let analysis = &studied.analysis;
    let before = ends_of(analysis);
    let found = match analysis.find_loops(&SearchSettings::default()) {
        Ok(found) => found,
        Err(error) => {
            return Ok(Outcome {
                done: format!("refused: {error}"),
                before,
                made: None,
            });
        }
    };
    let Some(best) = found.best() else {
        return Ok(Outcome {
            done: "refused: nothing repeats and it is no cycle".to_owned(),
            before,
            made: None,
        });
    };
    Ok(Outcome {
        done: done(best),
        before,
        made: Some(made(&studied, &found)?),
    })
}

/// The clip's own ends, aligned over the ground.
fn ends_of(analysis: &Analysis) -> Seam {
    let last = analysis.take.num_frames() - 1;
    if last < 2 {
        return Seam::default();
    }
    let world = &analysis.world;
    let pair = |joint: usize| PointPair {
        start: world.position(0, joint),
        end: world.position(last, joint),
        weight: 1.0,
    };
    let pairs: Vec<PointPair> = (0..analysis.take.num_joints()).map(pair).collect();
    Seam::new(&analysis.take, fit_planar(&pairs), analysis)
}

fn done(candidate: &LoopCandidate) -> String {
    match candidate.whole.as_ref().map(|whole| whole.kind) {
        Some(WholeClipKind::Loops) => "kept: already loops".to_owned(),
        Some(WholeClipKind::EndsAsItBegins) => "kept: ends as it begins".to_owned(),
        Some(WholeClipKind::Cycle) => "closed as one cycle".to_owned(),
        None => format!(
            "cut to frames {:.0}-{:.1}{}",
            candidate.cut.start_frame(),
            candidate.cut.end_frame(),
            if candidate.is_idle { ", idle" } else { "" }
        ),
    }
}

fn made(studied: &Studied, found: &FoundLoops) -> Result<Made, String> {
    let failed = |error: &dyn std::fmt::Display| studied.failed(error);
    let source = studied.source()?;
    let made = studied.make_first(&found.candidates)?;
    let writing = LoopWriteSettings {
        in_place: !made.root.mode.moves_root(),
        ..LoopWriteSettings::default()
    };
    let facts = TakeFacts::new("clip", &studied.take, source.space());
    let file = LoopFile::write_with(&made, facts, source, &writing).map_err(|error| failed(&error))?;
    let (written, _) =
        written_keys(&made.loop_clip, &file.written, source, &writing).map_err(|error| failed(&error))?;
    let root = made.loop_clip.root();
    let moved = if writing.in_place {
        Rigid::IDENTITY
    } else {
        root.at(made.loop_clip.period_secs()) * root.at(0.0).inverse()
    };
    let last = studied.take.num_frames() as f64 - 1.0;
    Ok(Made {
        after: Seam::new(&written, moved, &studied.analysis),
        displacement_mm: 1e3 * file.quality.displacement_metres.unwrap_or(0.0),
        body_size: file.quality.body_size,
        pops: file.quality.pops(),
        kind: made.candidate.whole.as_ref().map(|whole| whole.kind),
        frames_lost: (last - made.candidate.cut.num_frames()).max(0.0),
    })
}
