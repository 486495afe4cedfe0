//! Plays loops one after the other, as one take.

use loopwright_core::{
    BodyOverrides, Take,
    analysis::BodyError,
    candidate::DEFAULT_HALF_LIFE_SECS,
    math::{Decay, DecayKind},
};
use loopwright_formats::{Format, LoadedTake, Source, Target, WriteError, WrittenFile};
use loopwright_moves::{
    LoopSet, PlaySettings,
    play::{DEFAULT_FADE_SECS, MAX_TRANSFORMS, Performance, PlayError},
};

use loopwright_job::{StoredLoop, max_rate_hz};

/// Settings for playing loops.
#[derive(Clone, Debug)]
pub struct PlayRequest {
    /// Duration, seconds.
    pub seconds: f64,
    /// Frames per second; `None` for the rate of the first loop.
    pub fps: Option<f64>,
    /// Settings of their order and jumps.
    pub settings: PlaySettings,
    /// Joints named by the caller.
    pub overrides: BodyOverrides,
    /// The engine that the take is written for.
    pub engine: Target,
    /// Whether each loop is moved to the origin first.
    pub recenters: bool,
}

/// Why loops cannot be played.
#[error_kinds]
pub enum PerformError {
    /// More frames per second than an engine uses.
    #[error("{wanted_hz} frames per second exceed the limit of {limit_hz:.0}")]
    Rate {
        wanted_hz: f64,
        limit_hz: f64,
    },
    Play(PlayError),
    /// They lack joints that the caller names.
    Body(BodyError),
}

/// Returns the fade of a jump; by default with the usual duration, or half-life of a spring.
pub fn fade(kind: DecayKind, secs: Option<f64>) -> Decay {
    kind.lasting(
        secs.unwrap_or(DEFAULT_HALF_LIFE_SECS),
        secs.unwrap_or(DEFAULT_FADE_SECS),
    )
}

/// Loops played one after the other.
#[derive(Clone, Debug)]
pub struct Played {
    /// The order of the loops over time.
    pub performance: Performance,
    /// The motion, with a root joint if the engine needs one.
    pub take: Take,
    /// Seconds from one frame to the next.
    pub frame_time_secs: f64,
    /// Whether the root joint was added.
    pub has_added_root: bool,
    first: LoadedTake,
    engine: Target,
}

impl Played {
    /// Plays loops of one skeleton into a take of this name. Errors: [`PerformError`].
    pub fn new(loops: Vec<StoredLoop>, name: &str, request: &PlayRequest) -> Result<Self, PerformError> {
        let of_first = loops.first().ok_or(PlayError::NoLoops)?;
        let first = of_first.file.clone();
        let skeleton = first.take.skeleton();
        let frame_time_secs = frame_time_secs(request, of_first.clip.step_secs(), skeleton.num_joints())?;
        let has_added_root = request.engine.needs_root_joint(of_first.has_root_joint());
        let played = loops.into_iter().map(|each| {
            Ok(if request.recenters {
                each.as_played(each.recentered(&request.overrides)?.clip)
            } else {
                each.played()
            })
        });
        let set = LoopSet::with(played.collect::<Result<_, BodyError>>()?, &request.overrides)?;
        let performance = set.perform(request.seconds, &request.settings)?;
        let take = if has_added_root {
            let root = loopwright_formats::added_root_name(skeleton);
            performance.to_take_with_root(name, &root, frame_time_secs)?
        } else {
            performance.to_take(name, frame_time_secs)?
        };
        Ok(Self {
            performance,
            take,
            frame_time_secs,
            has_added_root,
            first,
            engine: request.engine,
        })
    }

    /// Returns the form for writing it in a format: that of the first loop, without an added root joint.
    pub fn source(&self, format: Format) -> Source {
        let source = self.first.source.in_format(format, &self.first.take);
        self.engine.placed(source)
    }

    /// Returns the format of the first loop.
    pub fn format(&self) -> Format {
        self.first.source.format()
    }

    /// Writes the take in a format. Errors: it does not fit.
    pub fn write(&self, format: Format) -> Result<WrittenFile, WriteError> {
        let source = self.source(format);
        if self.has_added_root {
            loopwright_formats::write_take_with_root(&self.take, &source)
        } else {
            loopwright_formats::write_take(&self.take, &source)
        }
    }
}

/// Returns the time between frames: as requested, as the engine needs it, or that of the first loop. Errors: more frames than a
/// take may have.
fn frame_time_secs(request: &PlayRequest, own_step_secs: f64, num_joints: usize) -> Result<f64, PerformError> {
    let own_rate_hz = 1.0 / own_step_secs;
    let secs = match (request.fps, request.engine.sampled_rate(own_rate_hz)) {
        (Some(rate), _) => 1.0 / rate,
        (None, rate) if rate == own_rate_hz => own_step_secs,
        (None, rate) => 1.0 / rate,
    };
    let (wanted_hz, limit_hz) = (1.0 / secs, max_rate_hz(own_rate_hz));
    if wanted_hz > limit_hz {
        return Err(PerformError::Rate { wanted_hz, limit_hz });
    }
    let num_transforms = request.seconds / secs * num_joints as f64;
    if request.seconds.is_finite() && num_transforms > MAX_TRANSFORMS as f64 {
        return Err(PlayError::TooManyFrames { found: num_transforms }.into());
    }
    Ok(secs)
}
