//! What a player reads of `set.json`. Keys that it does not need are skipped; docs/formats/set.md has them all.

use serde::Deserialize;

use crate::SetError;

#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) root_joint: Option<String>,
    pub(crate) in_place: bool,
    #[serde(default)]
    pub(crate) skeleton: SkeletonEntry,
    pub(crate) clips: Vec<ClipEntry>,
    #[serde(default)]
    pub(crate) blend_spaces: Vec<SpaceEntry>,
    #[serde(default)]
    pub(crate) transitions: Vec<TransitionEntry>,
    pub(crate) controller: Option<ControllerEntry>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct SkeletonEntry {
    #[serde(default)]
    pub(crate) carrier: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ClipEntry {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) animation: Option<String>,
    pub(crate) kind: String,
    pub(crate) seconds: f64,
    pub(crate) frames: usize,
    pub(crate) phase: Option<PhaseEntry>,
    pub(crate) twist: Option<TwistEntry>,
    pub(crate) from: Option<StateEntry>,
    pub(crate) to: Option<StateEntry>,
    pub(crate) turn_deg: Option<f64>,
    pub(crate) root: Option<RootEntry>,
    #[serde(default)]
    pub(crate) events: Vec<EventEntry>,
    pub(crate) variant_of: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct PhaseEntry {
    pub(crate) warp: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct TwistEntry {
    pub(crate) linear: [f64; 3],
    pub(crate) angular: [f64; 3],
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StateEntry {
    pub(crate) clip: String,
    pub(crate) secs: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RootEntry {
    pub(crate) translation: Vec<f64>,
    pub(crate) rotation: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EventEntry {
    pub(crate) secs: f64,
    pub(crate) phase: Option<f64>,
    pub(crate) foot: String,
    pub(crate) kind: FootEventKind,
}

/// What a foot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FootEventKind {
    /// It touches down.
    Strike,
    /// It leaves the ground.
    Lift,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SpaceEntry {
    pub(crate) name: String,
    pub(crate) axes: Vec<String>,
    pub(crate) points: Vec<PointEntry>,
    #[serde(default)]
    pub(crate) triangles: Vec<[usize; 3]>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PointEntry {
    pub(crate) clip: String,
    pub(crate) at: Vec<f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TransitionEntry {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) leave_secs: f64,
    pub(crate) enter_secs: f64,
    pub(crate) fade: String,
    pub(crate) fade_secs: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ControllerEntry {
    #[serde(default)]
    pub(crate) modes: Vec<ModeEntry>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ModeEntry {
    pub(crate) mode: String,
    pub(crate) velocity_half_life_secs: Option<f64>,
}

impl ClipEntry {
    pub(crate) fn is_loop(&self) -> bool {
        self.kind == "loop"
    }

    pub(crate) fn step_secs(&self) -> f64 {
        self.seconds / self.frames as f64
    }

    /// Poses that are read of its file: the last of a loop is its first.
    pub(crate) fn keys(&self) -> usize {
        self.frames + usize::from(!self.is_loop())
    }

    pub(crate) fn warp(&self) -> f64 {
        self.phase.map_or(0.0, |phase| phase.warp)
    }

    /// Whether it can be a clip; otherwise why not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { seconds, frames, .. } = self;
        if !(*seconds > 0.0 && seconds.is_finite() && (3..1_000_000).contains(frames)) {
            return Err(format!("{frames} frames in {seconds} s are no clip"));
        }
        // Beyond, time would run backwards.
        if self.warp().abs() >= core::f64::consts::FRAC_1_PI {
            return Err(format!("its warp is {}, and below 1/pi is wanted", self.warp()));
        }
        Ok(())
    }
}

impl Manifest {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, SetError> {
        let found: Self = serde_json::from_slice(bytes)?;
        if found.format != "loopwright-set" {
            return Err(SetError::Format { found: found.format });
        }
        if found.version != 1 {
            return Err(SetError::Version { found: found.version });
        }
        Ok(found)
    }

    /// The files of the clips, each once.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for clip in &self.clips {
            if !files.contains(&clip.file) {
                files.push(clip.file.clone());
            }
        }
        files
    }
}
