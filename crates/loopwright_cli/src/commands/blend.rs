//! `loopwright blend`: mixes several loops into one.

use loopwright::blend::{Axis, BlendError, BlendSpace};
use loopwright::feet::{self, FootLock};
use loopwright::{
    Blender, BodyOverrides, LoopClip, RootMode, analysis::Body, loop_clip::LoopKeys, pipeline::Recentered, quality,
    retarget::FollowedFeet,
};
use loopwright_formats::loop_file::facts::{BlendFacts, FeetFacts};
use loopwright_formats::loop_file::{BlendOrigin, describe};
use loopwright_formats::{LoopFile, LoopFileError, Target};
use loopwright_job::{StoredLoop, Verdict};

use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::report::{json, make as report};
use crate::written_loop::{self, LoopName};
use crate::{args::BlendArgs, failures, load, loop_output, talk};

pub(crate) fn run(args: &BlendArgs) -> Result<Ending, Failure> {
    written_loop::check_are_there(&args.files.loops)?;
    let names = written_loop::all_loops(&args.files.loops, &args.files.reading)?;
    let format = output::format_of(&args.files.output)?;
    let beside = output::sidecar_path(&args.files.output);
    let mut outputs = Outputs::new(args.files.force);
    for input in &names {
        outputs.protect(&input.path);
        outputs.protect(&output::sidecar_path(&input.path));
    }
    for path in [&args.files.output, &beside] {
        outputs.check(path)?;
    }
    if let Some(rig) = &args.on.rig {
        outputs.protect_as("rig", rig);
    }
    let target = load::character_of(&args.on)?;
    // Joints that the user names are those of the loops.
    let overrides = match target {
        Some(_) => BodyOverrides::default(),
        None => args.files.reading.overrides(),
    };
    let loops = written_loop::read_all_onto(&names, &args.files.reading, target.as_ref())?;
    same_cycles(&names, &loops)?;
    let clips: Vec<LoopClip> = loops.iter().map(|each| each.clip.clone()).collect();
    let (blender, weights) = weigh(args, clips, &overrides)?;
    let clip = blender
        .blend(&weights)
        .map_err(|error| blend_failure(names.len(), &error))?;
    let clip = at_their_rate(clip, &loops, args.files.engine.engine());
    let body = Body::find(&loops[0].file.take, &overrides).map_err(failures::body)?;
    let of_loops = (loops.iter().zip(blender.phases()).zip(&weights))
        .map(|((each, &phase), &weight)| Some((each.followed.as_ref()?, phase, weight)))
        .collect::<Option<Vec<_>>>();
    let followed = of_loops.and_then(|loops| FollowedFeet::mixed(&loops, clip.num_samples()));
    let (clip, feet) = match &followed {
        Some(followed) => held(args, (&loops[0], &body), clip, followed)?,
        None => held_in_mix(args, (&loops[0], &body), clip, &weights)?,
    };
    let (engine, first) = (args.files.engine.engine(), &loops[0]);
    let mode = mode(&loops);
    let (clip, recentered_by) = if args.files.engine.recenters() {
        let Recentered { clip, motion } = clip.recentered(&body, mode, first.sidecar.root_motion.space);
        (clip, Some(motion))
    } else {
        (clip, None)
    };
    let sum: f64 = weights.iter().sum();
    let blend = BlendFacts {
        loops: names.iter().map(ToString::to_string).collect(),
        weights: weights.iter().map(|weight| weight / sum).collect(),
        phases: blender.phases().to_vec(),
    };

    let source = engine.placed(first.file.source.in_format(format, &first.file.take));
    let origin = BlendOrigin {
        take: first.facts.clone(),
        first: &first.sidecar,
        overrides: &overrides,
        blend,
        feet,
        mode,
        add_root: engine.needs_root_joint(first.has_root_joint()),
        recentered_by,
    };
    let mut file = LoopFile::write_blend(&clip, origin, &source).map_err(|error| match error {
        LoopFileError::Body(error) => failures::body(error),
        other => Failure::error(other),
    })?;
    Verdict::of_derived(&clip, &body, mode, &file.quality, &[], 0).state(&mut file.sidecar.quality);
    let sidecar = &mut file.sidecar;
    sidecar.warnings = file.written.warnings.iter().map(ToString::to_string).collect();
    sidecar
        .warnings
        .extend(engine.complaint(format).map(|complaint| complaint.to_string()));
    sidecar.target = (args.files.engine.target)
        .map(|engine| written_loop::target_facts(engine, sidecar, &first.file.take, 1.0 / clip.step_secs()));
    talk::warn_all(&sidecar.warnings);
    sidecar.outputs = [&args.files.output, &beside]
        .map(|path| path.display().to_string())
        .to_vec();
    let bytes = file.bytes().into_owned();
    outputs.add(&args.files.output, &bytes)?;
    file.sidecar.state_file(&bytes);
    outputs.add(&beside, file.sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    outputs.commit()?;
    output::print(&if args.files.json {
        json::text(&file.sidecar)
    } else {
        report::blend(&file.sidecar)
    })?;
    Ok(loop_output::ending(&file))
}

/// Relative difference below which frame rates are the same: files round frame times.
const SAME_RATE: f64 = 1e-4;

/// The blend at the frame rate of its loops, if they have one, as the engine samples it: its period changes by at most half a
/// frame, its speed not at all.
fn at_their_rate(clip: LoopClip, loops: &[StoredLoop], engine: Target) -> LoopClip {
    let first = loops[0].clip.step_secs();
    let has_rate = |each: &StoredLoop| (each.clip.step_secs() / first - 1.0).abs() < SAME_RATE;
    let own = if loops.iter().all(has_rate) {
        first
    } else {
        clip.step_secs()
    };
    let step_secs = 1.0 / engine.sampled_rate(1.0 / own);
    if step_secs == clip.step_secs() {
        return clip;
    }
    // The feet are held on this twist afterwards.
    let asked_for = clip.root().twist;
    let num_samples = (clip.period_secs() / step_secs).round() as usize;
    clip.retimed(num_samples, step_secs).with_twist(asked_for)
}

/// The root mode of the blend: that of the first loop, or of the first that follows a path.
fn mode(loops: &[StoredLoop]) -> RootMode {
    let on_a_path = loops.iter().find(|each| each.clip.follows_path());
    let first = on_a_path.or(loops.first());
    first.map(|each| each.sidecar.root_motion.mode).unwrap_or_default()
}

/// The joint of a blend that carries only the root motion.
fn root_joint(first: &StoredLoop, clip: &LoopClip) -> Option<usize> {
    match &first.sidecar.playback.root_joint {
        Some(name) => clip.skeleton().find(name),
        None => first.sidecar.playback.root_joint_added.then_some(0),
    }
}

fn foot_slide_cmps(clip: &LoopClip, body: &Body) -> Option<f64> {
    let slide = quality::measure(&LoopKeys::from_loop(clip), body, None).foot_slide_mps;
    slide.map(|mps| 1e2 * mps)
}

/// The blend on a character with its feet held while those of its loops stand.
fn held(
    args: &BlendArgs,
    (first, body): (&StoredLoop, &Body),
    clip: LoopClip,
    followed: &FollowedFeet,
) -> Result<(LoopClip, FeetFacts), Failure> {
    let held = followed.hold(body, root_joint(first, &clip), &clip, args.lock_feet);
    let (held, feet) = held.map_err(Failure::error)?;
    let mut facts = describe::feet(&clip, body, &feet, 0);
    facts.foot_slide_before_cmps = foot_slide_cmps(&clip, body);
    let clip = held.unwrap_or(clip);
    facts.foot_slide_after_cmps = foot_slide_cmps(&clip, body);
    Ok((clip, facts))
}

/// The blend with its feet held: a foot that stands in each loop, moving on its own circle, stands nowhere in their mean.
fn held_in_mix(
    args: &BlendArgs,
    (first, body): (&StoredLoop, &Body),
    clip: LoopClip,
    weights: &[f64],
) -> Result<(LoopClip, FeetFacts), Failure> {
    let root_joint = root_joint(first, &clip);
    // A single loop stays unchanged.
    let mixed = weights.iter().filter(|&&weight| weight > 0.0).count() > 1;
    let lock = if mixed { args.lock_feet } else { FootLock::Off };
    let limits = args.files.reading.overrides().contacts;
    let (held, feet) = feet::hold(&clip, body, root_joint, &limits, lock, None).map_err(Failure::error)?;
    let facts = describe::feet(&clip, body, &feet, 0);
    Ok((held.unwrap_or(clip), facts))
}

/// Refuses loops with different numbers of cycles, because their phases are not comparable.
fn same_cycles(names: &[LoopName], loops: &[StoredLoop]) -> Result<(), Failure> {
    let cycles = |index: usize| loops[index].sidecar.candidate.cycles;
    match (1..loops.len()).find(|&index| cycles(index) != cycles(0)) {
        None => Ok(()),
        Some(index) => Err(Failure::error(format!(
            "\"{}\" holds {} cycles of its motion, \"{}\" {}",
            names[index],
            cycles(index),
            names[0],
            cycles(0)
        ))
        .try_this("`loopwright make --cycles N` with one N for all")),
    }
}

/// The weights: as given, computed from the requested speed and turn rate, or equal.
fn weigh(args: &BlendArgs, clips: Vec<LoopClip>, overrides: &BodyOverrides) -> Result<(Blender, Vec<f64>), Failure> {
    let num_loops = clips.len();
    let failed = |error: BlendError| blend_failure(num_loops, &error);
    let wanted = [
        args.speed.map(|speed| (Axis::Speed, "--speed", speed, "m/s", 1.0)),
        args.turn_rate
            .map(|rate| (Axis::Turn, "--turn-rate", rate, "degrees per second", 1f64.to_radians())),
    ];
    for (axis, flag, value, unit, scale) in wanted.into_iter().flatten() {
        let has = clips.iter().map(|clip| axis.of(clip.root().twist) / scale);
        let (low, high) = has.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), has| {
            (low.min(has), high.max(has))
        });
        // A value just outside the range means the outermost loop itself: its printed figure is rounded.
        let slack = 1e-3 * (high - low).max(0.1);
        if !(low - slack..=high + slack).contains(&value) {
            return Err(
                Failure::error(format!("{flag} {value} is outside the range of the loops"))
                    .because(format!("the loops cover {low:.3} to {high:.3} {unit}"))
                    .try_this("a value in that range, or one more loop that extends it"),
            );
        }
    }
    let [speed, turn] = wanted.map(|wanted| wanted.map(|(axis, _, value, _, scale)| (axis, value * scale)));
    let space = match (speed, turn) {
        (Some((speed, v)), Some((turn, w))) => Some((BlendSpace::over([speed, turn], clips.clone()), [v, w])),
        (Some((axis, value)), None) | (None, Some((axis, value))) => {
            Some((BlendSpace::along(axis, clips.clone()), [value, 0.0]))
        }
        (None, None) => None,
    };
    if let Some((space, at)) = space {
        let weights = space.map_err(failed)?.weights(at);
        return Ok((Blender::with(clips, overrides).map_err(failed)?, weights));
    }
    let weights = if args.weights.is_empty() {
        vec![1.0; clips.len()]
    } else {
        args.weights.clone()
    };
    Ok((Blender::with(clips, overrides).map_err(failed)?, weights))
}

fn blend_failure(num_loops: usize, error: &BlendError) -> Failure {
    let failure = Failure::error(format!("cannot blend: {error}"));
    match error {
        BlendError::Count { .. } | BlendError::Weight { .. } | BlendError::NoWeight => failure.try_this(format!(
            "--weights with {} numbers, such as --weights {}",
            num_loops,
            vec!["1"; num_loops].join(",")
        )),
        _ => failure,
    }
}
