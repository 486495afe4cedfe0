//! Blends several loops into one.

use std::path::PathBuf;

use loopwright_core::{
    BodyOverrides, LoopClip, RootMode,
    analysis::{Body, BodyError},
    feet::{FootLock, HoldError},
    math::percentile,
    pipeline::Recentered,
};
use loopwright_formats::{
    Format, LoadedTake, LoopFile, LoopFileError, Target,
    loop_file::facts::{BlendFacts, FeetFacts},
    loop_file::{BlendOrigin, DerivedLoop},
};
use loopwright_moves::{
    Blender,
    blend::{BlendAxis, BlendError, BlendSpace, Mix, PhaseError},
};

use loopwright_job::{Authored, LoopOfLoops, StoredLoop, verdict::is_speed_unknown, with_feet, without_animations};

/// Settings of a blend.
#[derive(Clone, Debug, Default)]
pub struct BlendRequest {
    /// Weights of the loops, in order; empty for equal ones. Ignored if a speed or a turn rate is given.
    pub weights: Vec<f64>,
    /// The speed that sets the weights, m/s.
    pub speed_mps: Option<f64>,
    /// The turn rate that sets the weights, degrees per second, left positive.
    pub turn_rate_dps: Option<f64>,
    /// Whether planted feet are locked; by default if they can be trusted.
    pub lock_feet: FootLock,
    /// Joints named by the caller.
    pub overrides: BodyOverrides,
    /// The engine that the blend is written for.
    pub target: Option<Target>,
    /// Whether it is moved to the origin, facing +Z.
    pub recenters: bool,
}

/// Why loops cannot be blended.
#[error_kinds]
pub enum MixError {
    /// Their numbers of cycles differ, so that phases are not comparable; the loop is counted from 0.
    #[error("loop {index} holds {found} cycles of its motion, the first {first}")]
    Cycles {
        index: usize,
        found: usize,
        first: usize,
    },
    /// A speed is requested, but the speed of a loop, counted from 0, is unknown.
    #[error("the speed of loop {index} is not known")]
    UnknownSpeed {
        index: usize,
    },
    /// The requested speed in m/s, or turn rate in degrees per second, is out of range.
    #[error("{value} is outside the range of the loops, {low:.3} to {high:.3}")]
    Range {
        axis: BlendAxis,
        value: f64,
        low: f64,
        high: f64,
    },
    Blend(BlendError),
    /// They lack joints that the caller names.
    Body(BodyError),
    /// Feet cannot be held.
    Feet(HoldError),
}

/// A blend, ready to be written. [`Blender`] blends without files, with changing weights.
#[derive(Clone, Debug)]
pub struct Blend {
    of_loops: LoopOfLoops,
    /// The file of the first loop.
    first: LoadedTake,
    engine: Target,
    warnings: Vec<String>,
}

impl Blend {
    /// Blends loops of one skeleton. `names` has one for each loop, such as its path, for facts and warnings. Errors:
    /// [`MixError`].
    pub fn new(loops: &[StoredLoop], names: Vec<String>, request: &BlendRequest) -> Result<Self, MixError> {
        let first = loops.first().ok_or(BlendError::NoLoops)?;
        let cycles = |index: usize| loops[index].sidecar.candidate.cycles;
        // Otherwise phases are not comparable.
        if let Some(index) = (1..loops.len()).find(|&index| cycles(index) != cycles(0)) {
            return Err(MixError::Cycles {
                index,
                found: cycles(index),
                first: cycles(0),
            });
        }
        let (blender, weights) = weigh(request, loops)?;
        let engine = request.target.unwrap_or(Target::Generic);
        let (num_samples, step_secs) = at_their_rate(blender.sampling(&weights)?, loops, engine);
        let mix = blender.mix(&weights, num_samples, step_secs)?;
        let body = Body::find(&first.file.take, &request.overrides)?;
        let (clip, feet) = held(request, (first, &body), mix, &weights)?;
        let mode = mode(loops);
        let (clip, recentered_by) = if request.recenters {
            let Recentered { clip, motion } = clip.recentered(&body, mode, first.sidecar.root_motion.space);
            (clip, Some(motion))
        } else {
            (clip, None)
        };
        let sum: f64 = weights.iter().sum();
        let authored = loops.iter().map(|each| Authored::of(&each.sidecar)).min();
        let warnings = only_shifted(&blender, &names, &weights);
        let origin = BlendOrigin {
            take: first.facts.clone(),
            first: &first.sidecar,
            overrides: &request.overrides,
            blend: BlendFacts {
                loops: names,
                weights: weights.iter().map(|weight| weight / sum).collect(),
                phases: blender.phases().to_vec(),
                warps: blender.phase_maps().map(|map| Some(map.ok()?.warp())).collect(),
            },
            feet,
            mode,
            add_root: engine.needs_root_joint(first.has_root_joint()),
            recentered_by,
        };
        let own = &first.file.take;
        let unrooted = own
            .without_root_joint()
            .filter(|_| first.sidecar.playback.root_joint_added);
        Ok(Self {
            of_loops: LoopOfLoops {
                derived: DerivedLoop::blended(&clip, origin),
                skeleton: unrooted.as_ref().unwrap_or(own).skeleton().clone(),
                clip,
                body,
                mode,
                authored: authored.map_or(Authored::Nothing, |least| least.min(Authored::Motion)),
                of_take: Vec::new(),
                seam_sample: 0,
                target: request.target,
            },
            first: first.file.clone(),
            engine,
            warnings,
        })
    }

    /// Returns the format of the first loop, or the one that the engine reads.
    pub fn format(&self) -> Format {
        format_for(self.engine, self.first.source.format())
    }

    /// Writes the blend in a format, usually that of [`Self::format`], with the warnings about it.
    ///
    /// The file is that of the first loop with an additional animation: a pack keeps its contents, including the first loop. Its
    /// bytes are [`LoopFile::bytes`]; its sidecar belongs beside it. Errors: [`LoopFileError`].
    pub fn write(&self, format: Format) -> Result<LoopFile, LoopFileError> {
        let source = self.first.source.in_format(format, &self.first.take);
        let mut file = self.of_loops.write(&self.engine.placed(source))?;
        let complaint = self.engine.complaint(format);
        file.sidecar.warnings.extend(self.warnings.iter().cloned());
        file.sidecar
            .warnings
            .extend(complaint.map(|complaint| complaint.to_string()));
        Ok(file)
    }

    /// Returns the blend as a loop of its own, measured as written. Errors: [`LoopFileError`].
    pub(crate) fn stored(&self) -> Result<StoredLoop, LoopFileError> {
        let source = without_animations(self.first.source.clone());
        let sidecar = self.of_loops.write(&source)?.sidecar;
        Ok(StoredLoop {
            clip: self.of_loops.clip.clone(),
            file: self.first.clone(),
            facts: sidecar.take.clone(),
            sidecar,
            followed: None,
        })
    }

    /// Returns the blend as its file plays it: in place if the root of the first loop, or of the first that follows a path, does
    /// not move.
    pub fn played(&self) -> LoopClip {
        self.of_loops.played()
    }
}

/// Returns the format that an engine reads: this one if possible.
pub(crate) fn format_for(engine: Target, own: Format) -> Format {
    let named = PathBuf::from("loop").with_extension(own.extension());
    engine.extension(&named).and_then(Format::from_extension).unwrap_or(own)
}

/// Relative difference below which frame rates are the same: files round frame times.
const SAME_RATE: f64 = 1e-4;

/// Returns the number of samples of a blend and the time between them, at the common frame rate of its loops, if any, or at that
/// of the engine: its period changes by at most half a frame, its speed not at all.
fn at_their_rate((num_samples, step_secs): (usize, f64), loops: &[StoredLoop], engine: Target) -> (usize, f64) {
    let first = loops[0].clip.step_secs();
    let own = if loops
        .iter()
        .all(|each| (each.clip.step_secs() / first - 1.0).abs() < SAME_RATE)
    {
        first
    } else {
        step_secs
    };
    let sampled_secs = 1.0 / engine.sampled_rate(1.0 / own);
    if sampled_secs == step_secs {
        return (num_samples, step_secs);
    }
    let period_secs = num_samples as f64 * step_secs;
    ((period_secs / sampled_secs).round() as usize, sampled_secs)
}

/// Returns the root mode of the blend: that of the first loop, or of the first that follows a path.
fn mode(loops: &[StoredLoop]) -> RootMode {
    loops
        .iter()
        .find(|each| each.clip.follows_path())
        .or(loops.first())
        .map(|each| each.sidecar.root_motion.mode)
        .unwrap_or_default()
}

/// Returns the joint of a blend that carries only the root motion.
fn root_joint(first: &StoredLoop, clip: &LoopClip) -> Option<usize> {
    match &first.sidecar.playback.root_joint {
        Some(name) => clip.skeleton().find(name),
        None => first.sidecar.playback.root_joint_added.then_some(0),
    }
}

/// Returns the blend with its feet held while those of its loops stand: a foot that stands in each loop, moving on its own
/// circle, would otherwise slide in their mean.
fn held(
    request: &BlendRequest,
    (first, body): (&StoredLoop, &Body),
    mix: Mix,
    weights: &[f64],
) -> Result<(LoopClip, FeetFacts), MixError> {
    // A single loop is unchanged.
    let is_mixed = weights.iter().filter(|&&weight| weight > 0.0).count() > 1;
    let lock = if is_mixed { request.lock_feet } else { FootLock::Off };
    let (held, feet) = mix.held(body, root_joint(first, &mix.clip), lock)?;
    Ok(with_feet(mix.clip, held, &feet, body))
}

/// Reports which loops are aligned only by a shift, and why, if the feet of some loop stand in turn.
fn only_shifted(blender: &Blender, names: &[String], weights: &[f64]) -> Vec<String> {
    let has_phase = blender.phase_maps().any(|map| map.is_ok());
    names
        .iter()
        .zip(blender.phase_maps())
        .zip(weights)
        .filter(|(_, weight)| **weight > 0.0)
        .filter_map(|((name, map), _)| {
            let why = map.err()?;
            let is_expected = matches!(why, PhaseError::Feet | PhaseError::NoContacts);
            (has_phase || !is_expected).then(|| format!("{name} is aligned by a shift of its time alone: {why}"))
        })
        .collect()
}

/// Aligns the loops by the contacts of their feet; on a character by those of the loops that were put onto it.
fn blender(request: &BlendRequest, loops: &[StoredLoop], clips: Vec<LoopClip>) -> Result<Blender, MixError> {
    let followed: Option<Vec<_>> = loops.iter().map(|each| each.followed.clone()).collect();
    Ok(match (followed, loops.first()) {
        (Some(followed), Some(first)) => {
            let body = Body::find(&first.file.take, &request.overrides)?;
            Blender::of_character(clips, &body, followed)?
        }
        _ => Blender::with(clips, &request.overrides)?,
    })
}

/// Returns the weights: as given, computed from the requested speed and turn rate, or equal.
fn weigh(request: &BlendRequest, loops: &[StoredLoop]) -> Result<(Blender, Vec<f64>), MixError> {
    let clips: Vec<LoopClip> = loops.iter().map(|each| each.clip.clone()).collect();
    let wanted = [
        request.speed_mps.map(|speed| (BlendAxis::Speed, speed, 1.0)),
        request
            .turn_rate_dps
            .map(|rate| (BlendAxis::Turn, rate, 1f64.to_radians())),
    ];
    let mut of_loops = loops.iter().map(|each| &each.sidecar.quality.checks);
    if let Some(index) = request
        .speed_mps
        .and_then(|_| of_loops.position(|checks| is_speed_unknown(checks)))
    {
        return Err(MixError::UnknownSpeed { index });
    }
    for (axis, value, scale) in wanted.into_iter().flatten() {
        let (low, high) = percentile::extremes(clips.iter().map(|clip| axis.of(clip.root().twist) / scale));
        // A value just outside the range selects the outermost loop, because its printed figure is rounded.
        let slack = 1e-3 * (high - low).max(0.1);
        if !(low - slack..=high + slack).contains(&value) {
            return Err(MixError::Range { axis, value, low, high });
        }
    }
    let weights = if wanted.iter().any(Option::is_some) {
        let axes = wanted.map(|asked| asked.map(|(axis, ..)| axis));
        let at = wanted.map(|asked| asked.map_or(0.0, |(_, value, scale)| value * scale));
        BlendSpace::new(axes, &clips)?.weights(at)
    } else if request.weights.is_empty() {
        vec![1.0; clips.len()]
    } else {
        request.weights.clone()
    };
    Ok((blender(request, loops, clips)?, weights))
}
