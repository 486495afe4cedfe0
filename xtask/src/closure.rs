//! Measurements of every way to close a seam, on many cuts of real takes.

use std::{fmt::Write, path::Path};

use glam::{DQuat, DVec3};
use loopwright::{
    candidate::{self, LoopCandidate, SearchSettings},
    closure::{Gaps, Method, Order, SeamMotion, Shape, Shares},
    feet::FootLock,
    loop_clip::LoopClip,
    math::rotation,
    motion::PoseRef,
    pipeline::{self, LoopSettings, Made, Sampling, auto},
    quality::{self, LoopKeys, Quality},
};

use crate::{
    manifest::Row,
    road::{CUTS_PER_TAKE, Ranks, Studied, study, uncut},
};

/// A way to close a seam.
enum Way {
    /// One of ours.
    Ours(Method, SeamMotion),
    /// The default over a share of the period.
    OfPeriod(f64),
    /// The least visible of ours, by its score.
    Auto,
    /// As it was cut.
    Raw,
    /// The pose alone, spread evenly, as most tools do.
    LinearPose,
    /// Over the last 0.4 s towards the one pose of the start.
    FrozenCrossfade,
}

fn quintic(blend_secs: f64) -> Method {
    Method::of(Shape::Quintic { blend_secs })
}

fn ways() -> Vec<(String, Way)> {
    let mut ways = vec![
        ("raw cut".to_owned(), Way::Raw),
        ("linear, pose alone".to_owned(), Way::LinearPose),
        ("crossfade to a frozen pose 0.4 s".to_owned(), Way::FrozenCrossfade),
    ];
    let mut ours = |name: String, method: Method, motion: SeamMotion| ways.push((name, Way::Ours(method, motion)));
    let layered = SeamMotion::Layered;
    ours("quintic C2 0.35 s (default)".to_owned(), Method::default(), layered);
    for secs in [0.2, 0.3, 0.4, 0.6] {
        ours(format!("quintic C2 {secs} s"), quintic(secs), layered);
    }
    for secs in [0.2, 0.35, 0.4, 0.6] {
        ours(
            format!("quintic C2 {secs} s, central differences"),
            quintic(secs),
            SeamMotion::Central,
        );
    }
    let c1 = Method {
        order: Order::C1,
        ..Method::default()
    };
    ours("quintic C1 0.35 s".to_owned(), c1, layered);
    ours(
        "quintic C1 0.35 s, central differences".to_owned(),
        c1,
        SeamMotion::Central,
    );
    for (name, share) in [
        ("the start alone", 1.0),
        ("the end alone", 0.0),
        ("0.3 by the start", 0.3),
    ] {
        let shared = Method {
            shares: Shares::all(share),
            ..Method::default()
        };
        ours(format!("quintic C2 0.35 s, {name}"), shared, layered);
    }
    let cubic = Method::of(Shape::Cubic { blend_secs: 0.35 });
    ours("cubic 0.35 s".to_owned(), cubic, layered);
    let spring = Method::of(Shape::Spring { half_life_secs: 0.1 });
    ours("spring, half-life 0.1 s".to_owned(), spring, layered);
    ours(
        "linear".to_owned(),
        Method::of(Shape::Linear { blend_secs: 0.35 }),
        layered,
    );
    let soft = Shape::SoftFade {
        duration_secs: 0.4,
        hardness: 16.0,
        blend_secs: 0.35,
    };
    ours("softfade 0.4 s, hardness 16".to_owned(), Method::of(soft), layered);
    let adjustment = Method::of(Shape::Adjustment { blend_secs: 0.35 });
    ours("adjustment".to_owned(), adjustment, layered);
    for secs in [0.2, 0.4] {
        ours(format!("crossfade {secs} s"), Method::crossfade(secs), layered);
    }
    for share in [0.2, 0.3, 0.4] {
        ways.push((format!("quintic C2 over {share} of the period"), Way::OfPeriod(share)));
    }
    ways.push(("auto".to_owned(), Way::Auto));
    ways
}

/// What was measured of one way.
#[derive(Default)]
struct Measured {
    ranks: Ranks,
    errors: Vec<f64>,
    millimetres: Vec<f64>,
    degrees: Vec<f64>,
    skates: Vec<f64>,
    peaks: Vec<f64>,
    residual: Gaps,
}

/// What the figures say.
const FOUND: &str = "\
## What was found

- Closing motion and noise apart (the default) is told as little as the take's own frames, and at 120 fps moves the take a fifth
  less than central differences over 0.4 s, which rank worse there.
- A longer blend is told less and moves more; 0.35 s is where the rank reaches that of the take itself.
- A blend time tied to the period moves long loops by several times as much for one to two points of rank.
- Shares other than one half are told more, and err in the seam's acceleration.
- Linear and adjustment rank well up to 60 fps, for two to three times the displacement; without the acceleration matched no
  method holds at 120 fps.
- The moving crossfade is told more than the default at every rate. A crossfade to a frozen pose is worse than the raw cut, and a
  linear spread of the pose alone leaves the seam to be told in half of all cuts.
- auto moves the take least but is told at 120 fps; it stays a choice.

## Time

`cargo bench -p loopwright --bench closure`, one thread, medians of 101 runs on 2 cores of an x86-64 server, rustc 1.95: closing
120 frames of 75 joints takes 0.62 ms (16 times copying the clip; cubic 0.62, crossfade 0.50, spring and linear 0.97, adjustment
3.1, whose system is solved for every track), auto for two seconds of 24 joints at 60 fps 22 ms.
";

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = study(folder, rows.iter().filter(|row| row.expect == "loop"))?;
    let mut page = String::from(
        "# Ways to close a seam, measured\n\n\
         Written by `cargo xtask measure closure`; nothing here is typed by hand but the words. The distinct loops of every\n\
         take that the list expects to loop, in the order of the search, up to 16 each. Definitions in\n\
         [measures.md](../math/measures.md), methods in [shapes.md](../math/shapes.md),\n\
         [crossfade.md](../math/crossfade.md) and [layers.md](../math/layers.md). Three numbers are median, 90th percentile and\n\
         worst. Rank: mean, standard error, share above 90; 50 means that the seam cannot be told. Peak: seam acceleration over\n\
         the loop's own 99th percentile, worst joint; it includes cuts far down the list, whose gaps no tool should close.\n\
         C0 and C1: largest gap of pose (mm, deg) and of velocity (mm/s, deg/s) left at any seam, from the closed values.\n\n",
    );
    // Title, lowest and highest rate of the takes in it, and whether fast ones are halved.
    for (title, from, to, halved) in [
        ("All takes, those above 90 fps halved", 0.0, f64::INFINITY, true),
        ("Takes at 24 to 35 fps", 0.0, 40.0, false),
        ("Takes at 60 fps", 40.0, 90.0, false),
        ("Takes at 100 to 120 fps, at their own rate", 90.0, f64::INFINITY, false),
    ] {
        let belongs = |studied: &&Studied<'_>| (from..to).contains(&studied.take.frame_rate_hz());
        let members: Vec<&Studied<'_>> = studied.iter().filter(belongs).collect();
        group(title, &members, halved, &mut page)?;
    }
    page.push_str(FOUND);
    Ok(page)
}

fn group(title: &str, members: &[&Studied<'_>], halved: bool, page: &mut String) -> Result<(), String> {
    let ways = ways();
    let mut measured: Vec<Measured> = ways.iter().map(|_| Measured::default()).collect();
    let mut own = Ranks::default();
    for studied in members {
        let settings = SearchSettings {
            max_candidates: CUTS_PER_TAKE,
            ..SearchSettings::default()
        };
        let found = candidate::find(&studied.take, &studied.analysis, &settings).map_err(|error| error.to_string())?;
        let rate = studied.take.frame_rate_hz();
        let sampling = if halved && rate > 90.0 {
            Sampling::Rate(0.5 * rate)
        } else {
            Sampling::SourceRate
        };
        for candidate in &found.candidates {
            for ((_, way), measured) in ways.iter().zip(&mut measured) {
                let (quality, residual) = close(studied, candidate, sampling, way)?;
                measured.ranks.0.push(100.0 * quality.seam_rank);
                measured.errors.extend(quality.seam_acceleration_error.map(f64::abs));
                measured
                    .millimetres
                    .extend(quality.displacement_metres.map(|metres| 1e3 * metres));
                measured
                    .degrees
                    .extend(quality.displacement_radians.map(f64::to_degrees));
                measured.skates.extend(quality.skate_mps.map(|speed| 1e2 * speed));
                measured.peaks.push(quality.seam_acceleration_p99);
                let most = &mut measured.residual;
                most.position = most.position.max(residual.position);
                most.velocity = most.velocity.max(residual.velocity);
                most.angle = most.angle.max(residual.angle);
                most.angular_velocity = most.angular_velocity.max(residual.angular_velocity);
                if matches!(way, Way::Raw) {
                    own.0.extend(quality.take_rank.map(|rank| 100.0 * rank));
                }
            }
        }
    }
    let _ = writeln!(
        page,
        "## {title}\n\n{} cuts of {} takes.\n\n\
         | closure | rank | error | above 90 | acceleration error | peak | displacement mm | deg | skate cm/s | C0 | C1 |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        own.0.len(),
        members.len()
    );
    for ((name, _), measured) in ways.iter().zip(&mut measured) {
        let left = measured.residual;
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} | {} | {:.0e}, {:.0e} | {:.0e}, {:.0e} |",
            measured.ranks.cells(),
            spread(&mut measured.errors, 3),
            spread(&mut measured.peaks, 2),
            spread(&mut measured.millimetres, 1),
            spread(&mut measured.degrees, 2),
            spread(&mut measured.skates, 1),
            1e3 * left.position,
            left.angle.to_degrees(),
            1e3 * left.velocity,
            left.angular_velocity.to_degrees(),
        );
    }
    let _ = writeln!(
        page,
        "| the take's own frames there | {} | | | | | | | |\n",
        own.cells()
    );
    Ok(())
}

/// Median, 90th percentile and worst.
fn spread(values: &mut [f64], decimals: usize) -> String {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        values
            .get((share * (values.len() - 1) as f64).round() as usize)
            .copied()
    };
    [0.5, 0.9, 1.0]
        .map(|share| at(share).map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}")))
        .join(" / ")
}

fn close(
    studied: &Studied<'_>,
    candidate: &LoopCandidate,
    sampling: Sampling,
    way: &Way,
) -> Result<(Quality, Gaps), String> {
    let mut settings = LoopSettings {
        sampling,
        // Held feet would hide what the closures do to them.
        feet: FootLock::Off.into(),
        ..LoopSettings::default()
    };
    let failed = |error: pipeline::MakeError| format!("{}: {error}", studied.row.file);
    let (take, analysis, cut, cycles) = (&studied.take, &studied.analysis, &candidate.cut, candidate.cycles);
    match way {
        Way::Ours(method, motion) => {
            settings.closure.method = *method;
            settings.closure.motion = *motion;
        }
        Way::Auto => {
            let choice = auto::choose(take, analysis, cut, cycles, &settings).map_err(failed)?;
            settings.closure.method = choice.method;
        }
        Way::OfPeriod(share) => settings.closure.method = quintic(share * candidate.source_period_secs),
        Way::Raw | Way::LinearPose | Way::FrozenCrossfade => {}
    }
    let made = pipeline::make(take, analysis, cut, cycles, &settings).map_err(failed)?;
    let clip = match way {
        Way::Ours(..) | Way::OfPeriod(_) | Way::Auto => made.loop_clip.clone(),
        Way::Raw => uncut(&made)?,
        Way::LinearPose => moved(&made, |gap, come, _| gap * (0.5 - come))?,
        Way::FrozenCrossfade => {
            let reach = 0.4 / made.loop_clip.period_secs();
            moved(&made, |_, come, to_start| {
                let u = ((come - 1.0) / reach + 1.0).clamp(0.0, 1.0);
                to_start * (u * u * u * (10.0 + u * (6.0 * u - 15.0)))
            })?
        }
    };
    let residual = match way {
        Way::Ours(..) | Way::OfPeriod(_) | Way::Auto => made.closed.residual,
        _ => left_open(&made, &clip),
    };
    let quality = quality::measure(&LoopKeys::of_loop(&clip), &analysis.body, Some(&made.source));
    Ok((quality, residual))
}

/// The uncut samples with offsets: of the gap, the share of the way come, and the way to the start's pose.
fn moved(made: &Made, offset: impl Fn(DVec3, f64, DVec3) -> DVec3) -> Result<LoopClip, String> {
    let clip = &made.source.clip;
    let last = clip.num_intervals() as isize;
    let (mut translations, mut rotations): (Vec<DVec3>, Vec<DQuat>) = (Vec::new(), Vec::new());
    for sample in 0..last {
        let come = sample as f64 / last as f64;
        for joint in 0..clip.skeleton().num_joints() {
            let [start, here, end] = [0, sample, last].map(|sample| clip.translations(sample)[joint]);
            translations.push(here + offset(end - start, come, start - here));
            let [start, here, end] = [0, sample, last].map(|sample| clip.rotations(sample)[joint]);
            let o = offset(
                rotation::difference(end, start),
                come,
                rotation::difference(start, here),
            );
            rotations.push(rotation::exp(o) * here);
        }
    }
    LoopClip::new(
        "moved",
        loopwright::motion::Tracks::new(clip.skeleton().clone(), clip.step_secs(), translations, rotations).unwrap(),
        made.source.carrier,
        made.source.root,
    )
    .map_err(|error| error.to_string())
}

/// What a way that is not ours leaves at the seam: the cut's own gaps where it does nothing, else only its velocities.
fn left_open(made: &Made, clip: &LoopClip) -> Gaps {
    let raw = made.closed.seam.largest();
    let PoseRef {
        translations: start, ..
    } = clip.body_pose(0);
    let same = made.source.clip.translations(0);
    let untouched = start == same
        && clip.body_pose(clip.num_samples() - 1).translations
            == made.source.clip.translations(clip.num_samples() as isize - 1);
    if untouched {
        raw
    } else {
        Gaps {
            position: 0.0,
            angle: 0.0,
            ..raw
        }
    }
}
