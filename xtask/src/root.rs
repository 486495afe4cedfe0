//! Root motion: how well a constant twist fits it, how much it slides standing feet at the seam, and loops that turn by
//! more than half a turn or a whole one.

use glam::DVec3;
use loopwright::{
    LoopCandidate, LoopSettings, MadeLoop, Pose, RootMode, RootMotion,
    analysis::Heading,
    math::{Rigid, ops},
    motion::WorldTracks,
    pipeline::MakeError,
    root_motion::RootError,
    unstable::standing::{STANCE_METRES, STANCE_SPEED},
};
use loopwright_mocap::Expect;
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    page::Sections,
    statistics::mean,
    table::{Table, cell},
    takes::{Captured, Studied},
};

/// Time before and after the seam in which feet are measured, seconds.
const NEAR_SECS: f64 = 0.1;

/// Largest ratio of foot sliding near the seam to that of the take at which the loop adds no sliding worth counting.
const GOOD_RATIO: f64 = 1.1;

const MODES: [(&str, RootMode); 6] = [
    ("constant", RootMode::Constant),
    ("linear", RootMode::Linear),
    ("in-place", RootMode::InPlace),
    ("keep", RootMode::Keep),
    ("path", RootMode::Path),
    ("stationary", RootMode::Stationary),
];

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.judged()?;
    let loops: Vec<&Studied> = studied
        .iter()
        .filter(|each| each.expect == Some(Expect::Loop))
        .collect();
    let mut sections = Sections::default();
    every_loop(&loops, &mut sections)?;
    turns(&mut sections)?;
    sections.add("spins", spins(&studied));
    Ok(sections)
}

fn settings(mode: RootMode) -> LoopSettings {
    LoopSettings {
        root: mode.into(),
        ..LoopSettings::default()
    }
}

fn make(studied: &Studied, candidate: &LoopCandidate, settings: &LoopSettings) -> Result<MadeLoop, MakeError> {
    studied.analysis.make_loop(candidate, settings)
}

fn every_loop(loops: &[&Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new(
        "take | period s | m/s | deg per loop | m up per loop | arc/path | residual mm | foot slide uncut cm/s | loop | ratio | \
         linear | stationary tears back m | foot slide | path sways cm | drift m",
    );
    let mut pooled: Vec<Vec<Slide>> = vec![Vec::new(); MODES.len()];
    let mut largest_drift = 0.0_f64;
    for studied in loops {
        let Some(best) = studied.recommended()? else { continue };
        let failed = |error: MakeError| studied.failed(error);
        let mut slides = Vec::new();
        let mut linear = String::new();
        for (index, (_, mode)) in MODES.iter().enumerate() {
            let made = match make(studied, &best, &settings(*mode)) {
                Err(MakeError::Root(RootError::Turns { .. })) => {
                    linear = "refused".to_owned();
                    slides.push(None);
                    continue;
                }
                made => made.map_err(failed)?,
            };
            let slide = slide_near_the_seam(&made, studied);
            pooled[index].extend(slide);
            slides.push(slide);
        }
        let screw = make(studied, &best, &settings(RootMode::Constant)).map_err(failed)?;
        let path = make(studied, &best, &settings(RootMode::Path)).map_err(failed)?;
        let clip = &screw.loop_clip;
        let root = clip.root();
        let period = clip.period_secs();
        let fit = screw.source.fit.ok_or("no fit of the root motion")?;
        let drift = drift_of_a_thousand(root, period);
        largest_drift = largest_drift.max(drift);
        if linear.is_empty() {
            linear = speed(slides[1].map(|slide| slide.of_loop));
        }
        table.row(format_args!(
            "{} | {period:.3} | {:.3} | {:+.1} | {:+.3} | {} | {:.1} | {} | {} | {} | {linear} | {:.2} | {} | {:.1} | {drift:.0e}",
            studied.file,
            ops::hypot(root.twist.linear.x, root.twist.linear.z),
            (root.twist.angular.y * period).to_degrees(),
            root.twist.linear.y * period,
            cell((fit.path_metres > 0.05).then(|| fit.arc_metres / fit.path_metres), 3),
            1e3 * fit.residual_metres,
            speed(slides[0].map(|slide| slide.of_take)),
            speed(slides[0].map(|slide| slide.of_loop)),
            cell(slides[0].map(|slide| slide.ratio()), 2),
            root.twist.exp(period).translation.length(),
            speed(slides[5].map(|slide| slide.of_loop)),
            100.0 * sway(&path),
        ));
    }
    sections.add("every-loop", table);
    let mut drift = Table::new("largest drift over a thousand cycles, m");
    drift.row(format_args!("{largest_drift:.0e}"));
    sections.add("drift", drift);
    let mut modes = Table::new(&format!(
        "mode | loops | loops with feet standing there | uncut cm/s, mean | loop | ratio of the means | loops within {GOOD_RATIO}"
    ));
    for ((name, _), slides) in MODES.iter().zip(&pooled) {
        let mean = |value: fn(&Slide) -> f64| mean(&slides.iter().map(value).collect::<Vec<f64>>());
        let (of_take, of_loop) = (mean(|slide| slide.of_take), mean(|slide| slide.of_loop));
        let within = slides.iter().filter(|slide| slide.ratio() <= GOOD_RATIO).count();
        modes.row(format_args!(
            "{name} | {} | {} | {:.1} | {:.1} | {:.2} | {within}",
            loops.len(),
            slides.len(),
            100.0 * of_take,
            100.0 * of_loop,
            of_loop / of_take,
        ));
    }
    sections.add("modes", modes);
    Ok(())
}

/// A speed as a cell, cm/s.
fn speed(mps: Option<f64>) -> String {
    cell(mps.map(|mps| 100.0 * mps), 1)
}

/// Mean speeds of standing feet near the seam, metres per second.
#[derive(Clone, Copy)]
struct Slide {
    of_take: f64,
    of_loop: f64,
}

impl Slide {
    fn ratio(&self) -> f64 {
        self.of_loop / self.of_take
    }
}

/// Speeds, in the uncut take and in the loop, of feet that stand in the take within a tenth of a second of the seam.
fn slide_near_the_seam(made: &MadeLoop, studied: &Studied) -> Option<Slide> {
    let (clip, source) = (&made.loop_clip, &made.source.clip);
    let step = clip.step_secs();
    let count = clip.num_samples() as isize;
    let reach = ((NEAR_SECS / step).round() as isize).min(count / 2);
    let root = *clip.root();
    let seen = source.world_tracks();
    let first = *source.sample_range().start();
    let uncut = |sample: isize, joint: usize| {
        root.at(sample as f64 * step)
            .transform_point(seen.position((sample - first) as usize, joint))
    };
    let body: Vec<Vec<DVec3>> = (0..clip.num_samples())
        .map(|sample| body_positions(made, sample))
        .collect();
    let looped = |sample: isize, joint: usize| {
        root.at(sample as f64 * step)
            .transform_point(body[sample.rem_euclid(count) as usize][joint])
    };
    let speed = |position: &dyn Fn(isize) -> DVec3, sample: isize| {
        let moved = position(sample + 1) - position(sample - 1);
        ops::hypot(moved.x, moved.z) / (2.0 * step)
    };
    let (mut of_take, mut of_loop, mut standing) = (0.0, 0.0, 0.0);
    for foot in &studied.analysis.body.feet {
        let joint = foot.lowest_joint();
        let lowest = (0..count)
            .map(|sample| uncut(sample, joint).y)
            .fold(f64::INFINITY, f64::min);
        for away in -reach..=reach {
            // At the seam itself, both ends of the take count.
            let ends = [(away >= 0).then_some(away), (away <= 0).then_some(count + away)];
            for sample in ends.into_iter().flatten() {
                let known =
                    source.sample_range().contains(&(sample - 1)) && source.sample_range().contains(&(sample + 1));
                if !known || uncut(sample, joint).y - lowest > STANCE_METRES {
                    continue;
                }
                let own = speed(&|at| uncut(at, joint), sample);
                if own > STANCE_SPEED {
                    continue;
                }
                of_take += own;
                of_loop += speed(&|at| looped(at, joint), away);
                standing += 1.0;
            }
        }
    }
    (standing > 0.0 && of_take > 0.0).then(|| Slide {
        of_take: of_take / standing,
        of_loop: of_loop / standing,
    })
}

/// Positions of all joints of a sample relative to the constant twist, about which a root on a path sways.
fn body_positions(made: &MadeLoop, sample: usize) -> Vec<DVec3> {
    let clip = &made.loop_clip;
    let twist = clip.root().at(sample as f64 * clip.step_secs());
    let Pose {
        translations: world, ..
    } = clip.world_pose(sample);
    world
        .into_iter()
        .map(|position| twist.inverse().transform_point(position))
        .collect()
}

/// Largest distance of a root on a path from its twist, metres.
fn sway(made: &MadeLoop) -> f64 {
    let clip = &made.loop_clip;
    (0..clip.num_samples())
        .map(|key| {
            let twist = clip.root().at(key as f64 * clip.step_secs());
            (clip.root_pose(key).translation - twist.translation).length()
        })
        .fold(0.0, f64::max)
}

/// Distance between a thousand cycles composed one by one, as an engine composes them, and the closed form, metres.
fn drift_of_a_thousand(root: &RootMotion, period_secs: f64) -> f64 {
    let cycle = root.at(0.0).inverse() * root.at(period_secs);
    let composed = (0..1000).fold(root.at(0.0), |root, _| root * cycle);
    (composed.translation - root.at(1000.0 * period_secs).translation).length()
}

/// Turns per loop under test, degrees.
const TURNS: [f64; 8] = [90.0, 170.0, 190.0, 270.0, 330.0, 355.0, 360.0, 405.0];

fn turns(sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new(
        "deg per loop | loop | radius m | found deg | true distance m | found arc m | off | arc/path | hips' gap mm | deg",
    );
    let mut worst = 0.0_f64;
    for degrees in TURNS {
        for (what, cycles, period_secs, speed_mps) in [
            ("one cycle of 2.41 s at 0.3 m/s", 1_u32, 2.41, 0.3),
            ("one cycle of 3.03 s at 0.2 m/s", 1, 3.03, 0.2),
            ("4 cycles of 1.153 s at 0.9 m/s", 4, 1.1537, 0.9),
        ] {
            let loop_secs = f64::from(cycles) * period_secs;
            let settings = WalkSettings {
                period_secs,
                speed_mps,
                turn_dps: degrees / loop_secs,
                seconds: 2.2 * loop_secs + 0.5,
                noise_deg: 0.1,
                ..WalkSettings::default()
            };
            let synthetic = synthesize(&settings).map_err(|error| format!("{degrees} degrees, {what}: {error}"))?;
            let walk = Studied::of(what, synthetic.take)?;
            let start = 20.0;
            let frames = loop_secs * settings.frame_rate_hz;
            let made = walk.make(&walk.stretch(start, start + frames, cycles)?, &LoopSettings::default())?;
            let twist = made.loop_clip.root().twist;
            let period = made.loop_clip.period_secs();
            // The walker's own screw, relative to the mean position of the hips.
            let truth = synthetic.truth.twist();
            let samples = frames.round() as usize;
            let mean_hips = (0..samples)
                .map(|sample| {
                    let frame = start as usize + sample;
                    let walker = synthetic.truth.root_at(frame as f64 / settings.frame_rate_hz);
                    walker.inverse().transform_point(walk.analysis.heading.ground(frame))
                })
                .sum::<DVec3>()
                / samples as f64;
            let distance = (truth.linear + truth.angular.cross(mean_hips)).length() * loop_secs;
            let arc = twist.linear.length() * period;
            let fit = made.source.fit.ok_or("no fit of the root motion")?;
            let off = arc / distance - 1.0;
            worst = worst.max(off.abs());
            let gap = made.closed.seam.joints[made.loop_clip.carrier()];
            table.row(format_args!(
                "{degrees:.0} | {what} | {:.2} | {:+.1} | {distance:.3} | {arc:.3} | {:+.2}% | {:.3} | {:.1} | {:.2}",
                speed_mps / (degrees / loop_secs).to_radians(),
                (twist.angular.y * period).to_degrees(),
                100.0 * off,
                fit.arc_metres / fit.path_metres,
                1e3 * gap.position.length(),
                gap.angle.length().to_degrees(),
            ));
        }
    }
    sections.add("turns", table);
    let mut largest = Table::new("largest difference of the arc");
    largest.row(format_args!("{:.2}%", 100.0 * worst));
    sections.add("largest-difference", largest);
    Ok(())
}

/// Lengths of the stretches taken out of turning takes, seconds.
const SPIN_SECS: [f64; 4] = [0.5, 1.0, 1.5, 2.5];

/// A take spins where the heading turns by more than this within such a stretch, radians.
const SPIN_RADIANS: f64 = core::f64::consts::PI;

fn spins(studied: &[Studied]) -> Table {
    let mut table =
        Table::new("take | stretches | most deg | kept | left | fastest root m/s | fastest hips m/s | farthest away m");
    for studied in studied {
        let Spins {
            count,
            most,
            kept,
            fastest_root,
            fastest_hips,
            away,
        } = spins_of(studied);
        if count == 0 {
            continue;
        }
        table.row(format_args!(
            "{} | {count} | {:.0} | {kept} | {} | {fastest_root:.2} | {fastest_hips:.2} | {away:.2}",
            studied.file,
            most.to_degrees(),
            count - kept,
        ));
    }
    table
}

/// Root motion in turning stretches.
#[derive(Default)]
struct Spins {
    count: usize,
    most: f64,
    kept: usize,
    fastest_root: f64,
    fastest_hips: f64,
    away: f64,
}

fn spins_of(studied: &Studied) -> Spins {
    let (take, analysis) = (&studied.take, &studied.analysis);
    let mut spins = Spins::default();
    let dt = take.frame_time_secs();
    let heading: &Heading = &analysis.heading;
    let every = ((0.1 / dt).round() as usize).max(1);
    for secs in SPIN_SECS {
        let frames = (secs / dt).round() as usize;
        for start in (0..take.num_frames().saturating_sub(frames)).step_by(every) {
            let turned = heading.yaw(start + frames) - heading.yaw(start);
            if turned.abs() < SPIN_RADIANS || frames < 3 {
                continue;
            }
            let stretch = studied.stretch(start as f64, (start + frames) as f64, 1);
            let Ok(made) = stretch.and_then(|stretch| studied.make(&stretch, &LoopSettings::default())) else {
                continue;
            };
            let root = made.loop_clip.root();
            spins.count += 1;
            spins.most = spins.most.max(turned.abs());
            let found = root.twist.angular.y * made.loop_clip.period_secs();
            spins.kept += usize::from((found - turned).abs() < core::f64::consts::PI);
            spins.fastest_root = spins.fastest_root.max(root.twist.linear.length());
            for sample in 0..frames {
                let step = ground(&analysis.world, analysis.body.hips, start + sample + 1)
                    - ground(&analysis.world, analysis.body.hips, start + sample);
                spins.fastest_hips = spins.fastest_hips.max(step.length() / dt);
                let root: Rigid = root.at(sample as f64 * made.loop_clip.step_secs());
                let off = ground(&analysis.world, analysis.body.hips, start + sample) - root.translation.with_y(0.0);
                spins.away = spins.away.max(off.length());
            }
        }
    }
    spins
}

fn ground(world: &WorldTracks, joint: usize, frame: usize) -> DVec3 {
    world.position(frame, joint).with_y(0.0)
}
