//! An opened take: read, analysed, and searched for loops.

use std::sync::Arc;

use loopwright_core::{
    FoundLoops, LoopCandidate, Pose, SearchSettings, Skeleton, Take,
    analysis::{Body, Gait},
    retarget::Retarget,
    take::{Cut, CutError},
};
use loopwright_formats::{
    AnimatedFile, AnimationChoice, FileWarning, Format, LoadedTake, ReadError, SizeLimits, Source, read_take,
};
use loopwright_job::{
    Studied, StudyError,
    recipe::{RecipeError, StudyArgs},
};
use loopwright_synth::{SynthError, WalkSettings, synthesize};
use serde::{Deserialize, Serialize};

use super::{
    character::{self, CharacterError, NamedFile},
    stretch::{MIN_FRAMES, Stretch},
};

/// Most loops that are listed: more are hard to choose from.
const MAX_LOOPS: usize = 12;

/// Largest difference in length of two loops that count as the same, as a share of the length; their frames must also mostly agree.
const LIKE_SHARE: f64 = 0.03;

/// Memory per joint and frame of an open take, bytes; measured on takes of ten minutes.
const TRANSFORM_BYTES: usize = 240;

/// A take with everything that the studio knows about it. It never changes, so that background work can share it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Name of the file, with its extension.
    pub file_name: String,
    /// The take, its analysis, and the character for its loops, if any.
    pub studied: Studied,
    /// The format for its loops: that of the character, or its own.
    pub format: Format,
    /// The loops found, the recommended one first.
    pub found: FoundLoops,
    /// The reason why no loops were searched for, if so.
    pub no_loops: Option<String>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
    /// The bytes of the file, from which a recipe may read it in another way; `None` for the example walk.
    pub bytes: Option<Arc<Vec<u8>>>,
    /// The settings that it was read with.
    pub study: StudyArgs,
    /// Puts the motion of the take on the character.
    pub retarget: Option<Retarget>,
    /// The files that its recipe names: the character, and the map of its joints.
    pub named: Vec<NamedFile>,
}

/// Why a take cannot be opened.
#[error_sum]
pub enum OpenError {
    /// The page was built without the C compiler that reading this format needs.
    #[error("this page was built without {0}: the desktop studio and `loopwright convert` read it")]
    NotInBrowser(&'static str),
    /// The file cannot be read.
    Read(ReadError),
    /// The file cannot be opened.
    #[error("{file_name}: {reason}")]
    File {
        /// Its name.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// The take cannot be studied.
    Study(StudyError),
    /// The recipe cannot be read, or not be followed here.
    #[error("{0}")]
    Recipe(RecipeError),
    /// The motion cannot be put on a character.
    #[error("the motion cannot be put on the character: {0}")]
    Character(#[from] CharacterError),
    /// The take would fill more memory than is left.
    #[error("open takes fill the {megabytes} MB that they may; close some and open it again")]
    NoRoom {
        /// What open takes may fill.
        megabytes: usize,
    },
    /// Background work failed.
    #[error("{0}")]
    Beside(String),
    /// The example walk cannot be made.
    Synth(SynthError),
}

/// Receives progress messages, from any thread.
pub type Tell<'a> = &'a (dyn Fn(Step) + Sync);

/// A progress message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Step {
    /// What begins.
    Begins(String),
    /// A loop of the set that is being made.
    Loop(SetLoop),
}

/// A loop that a set may use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetLoop {
    /// The name of its take or animation.
    pub name: String,
    /// Its speed over the ground, metres per second.
    pub speed_mps: f64,
    /// Its turn rate, degrees per second.
    pub turn_dps: f64,
}

/// Names the first step of opening a file.
pub fn reading(file_name: &str) -> String {
    format!("Reading {file_name} (1 of 3)")
}

impl Opened {
    /// Name of the example walk that the studio opens with.
    pub const WALK: &'static str = "walk.bvh";

    /// Reads a file and finds its loops. Errors: [`OpenError`].
    pub fn read(file_name: &str, bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::read_as(file_name, Arc::new(bytes), &StudyArgs::default(), &[])
    }

    /// Reads a file as a recipe says. Files that the recipe names are taken from the known ones, or from the disk. Errors: [`OpenError`].
    pub fn read_as(
        file_name: &str,
        bytes: Arc<Vec<u8>>,
        study: &StudyArgs,
        known: &[NamedFile],
    ) -> Result<Self, OpenError> {
        Self::read_telling(file_name, bytes, study, known, None, &|_| {})
    }

    /// Reads a file, if there is room for it, and reports each step as it begins. Errors: [`OpenError`].
    pub fn read_telling(
        file_name: &str,
        bytes: Arc<Vec<u8>>,
        study: &StudyArgs,
        known: &[NamedFile],
        room: Option<&Room>,
        tell: Tell,
    ) -> Result<Self, OpenError> {
        tell(Step::Begins(reading(file_name)));
        let format = Format::detect(&bytes).map(Format::capabilities);
        if let Some(format) = format.filter(|format| !format.is_read) {
            return Err(OpenError::NotInBrowser(format.name));
        }
        let stem = stem_of(file_name);
        let mut warnings = Vec::new();
        // A long take is refused before its numbers fill the memory.
        let limits = SizeLimits {
            max_memory_bytes: room.map_or(u64::MAX, |room| room.left as u64),
            ..SizeLimits::default()
        };
        let settings = study.settings(study.space(), AnimationChoice::Auto, limits);
        let loaded = read_take(&bytes, stem, &settings, &mut warnings).or_else(|error| {
            if matches!(error, ReadError::Memory(_)) {
                return Err(error);
            }
            // A body without motion can be shown.
            let file = AnimatedFile::parse(&bytes, stem, None).ok();
            let body = file.filter(|file| file.num_animations() == 0);
            body.and_then(|body| body.read_rest(&settings, &mut warnings).ok())
                .ok_or(error)
        });
        let is_too_long = |room: &&Room| match &loaded {
            Ok(loaded) => memory_bytes(&loaded.take) + bytes.len() > room.left,
            Err(error) => matches!(error, ReadError::Memory(_)),
        };
        if let Some(room) = room.filter(is_too_long) {
            return Err(OpenError::NoRoom {
                megabytes: room.all >> 20,
            });
        }
        let loaded = loaded?;
        let opened = Self::study(file_name, loaded, warnings, study, known, tell)?;
        Ok(Self {
            bytes: Some(bytes),
            ..opened
        })
    }

    /// Makes the example walk that the studio opens with. Errors: [`OpenError`].
    pub fn walk() -> Result<Self, OpenError> {
        let take = synthesize(&WalkSettings::default())?.take;
        let source = Source::for_take(&take, Format::Bvh);
        Self::study(
            Self::WALK,
            LoadedTake::new(take, source),
            Vec::new(),
            &StudyArgs::default(),
            &[],
            &|_| {},
        )
    }

    /// Studies a take as all programs do: smoothed, matched with the character, and analysed; then searches it.
    fn study(
        file_name: &str,
        loaded: LoadedTake,
        soft: Vec<FileWarning>,
        study: &StudyArgs,
        known: &[NamedFile],
        tell: Tell,
    ) -> Result<Self, OpenError> {
        tell(Step::Begins(format!("Studying the motion of {file_name} (2 of 3)")));
        let (target, named) = character::named(study, known)?;
        let studied = loopwright_job::Study::new(study.clone(), target)?.analyse(file_name, loaded, soft)?;
        tell(Step::Begins(format!("Finding loops in {file_name} (3 of 3)")));
        let analysis = &studied.analysis;
        // A take that is too short to repeat, or stands still, can still be shown.
        let (mut found, no_loops) = match analysis.find_loops(&SearchSettings::default()) {
            Ok(found) => (found, None),
            Err(error) => (FoundLoops::default(), Some(error.to_string())),
        };
        found.candidates.truncate(MAX_LOOPS);
        Ok(Self {
            file_name: file_name.to_owned(),
            format: studied.goes_into().source.format(),
            found,
            no_loops,
            warnings: studied.warnings.iter().map(ToString::to_string).collect(),
            bytes: None,
            study: study.clone(),
            retarget: retarget_of(&studied),
            named,
            studied,
        })
    }

    /// Returns the first loop of the list that this one equals except for where it begins: as long, and of mostly the same frames. That
    /// loop equals none before it, so each loop of the list either is such a first one or belongs to one.
    pub fn like(&self, index: usize) -> Option<usize> {
        let found = &self.found.candidates;
        let mut heads: Vec<usize> = Vec::new();
        for (number, one) in found.get(..=index)?.iter().enumerate() {
            let head = heads.iter().copied().find(|&head| is_like(one, &found[head]));
            if number == index {
                return head;
            }
            if head.is_none() {
                heads.push(number);
            }
        }
        None
    }

    /// Estimates how much memory it takes, bytes: its motion as it was read and as it was studied, and its file.
    pub fn memory_bytes(&self) -> usize {
        let of_files = self.bytes.iter().chain(self.named.iter().map(|file| &file.bytes));
        memory_bytes(self.take()) + of_files.map(|bytes| bytes.len()).sum::<usize>()
    }

    /// Returns its file; `None` for the example walk.
    pub fn file(&self) -> Option<NamedFile> {
        Some(NamedFile {
            file_name: self.file_name.clone(),
            bytes: Arc::clone(self.bytes.as_ref()?),
        })
    }

    /// Returns the take.
    pub fn take(&self) -> &Take {
        self.studied.take()
    }

    /// Returns the number of its last frame.
    pub fn last_frame(&self) -> f64 {
        (self.take().num_frames() - 1) as f64
    }

    /// Returns the skeleton that is shown and edited: the character's, or its own.
    ///
    /// It is called many times per frame, unlike [`Studied::body_of_loops`], which searches all frames of the take for the root joint.
    pub fn skeleton(&self) -> &Skeleton {
        match &self.studied.character {
            Some(on) => on.pair.target.skeleton(),
            None => self.take().skeleton(),
        }
    }

    /// Returns the parts of the body that is shown.
    pub fn body(&self) -> &Body {
        match &self.studied.character {
            Some(on) => on.pair.target.body(),
            None => &self.studied.analysis.body,
        }
    }

    /// Returns the pose of the take at a frame, which may be fractional, on the body that is shown, local.
    pub fn pose_at(&self, frame: f64) -> Pose {
        let pose = self.take().sample(frame);
        match &self.retarget {
            Some(retarget) => retarget.pose(pose.as_ref()),
            None => pose,
        }
    }

    /// Height of the ground below the body that is shown, at a frame of the take, metres.
    pub fn ground(&self, frame: usize) -> f64 {
        let own = self.studied.analysis.floor.height(frame);
        self.retarget.as_ref().map_or(own, |retarget| retarget.ground(own))
    }

    /// Height of the body that is shown, metres; `None` if unknown.
    pub fn stature(&self) -> Option<f64> {
        let own = self.studied.analysis.body.stature(self.take())?;
        Some(own * self.scale()).filter(|stature| stature.is_finite() && *stature > 0.0)
    }

    /// The ratio of the size of the body that is shown to that of the take.
    pub fn scale(&self) -> f64 {
        self.retarget.as_ref().map_or(1.0, Retarget::scale)
    }

    /// Returns the joint of the take that a joint of the shown body follows.
    pub fn joint_of_take(&self, joint: usize) -> Option<usize> {
        match &self.studied.character {
            Some(on) => Some((*on.pair.map.links.get(joint)?)?.from),
            None => Some(joint).filter(|&joint| joint < self.take().num_joints()),
        }
    }

    /// Returns the foot of the shown body that follows a foot of the take.
    pub fn foot_shown(&self, foot: usize) -> Option<usize> {
        match &self.retarget {
            Some(retarget) => retarget.foot_that_follows(foot),
            None => Some(foot),
        }
    }

    /// Returns the file name without extension.
    pub fn stem(&self) -> &str {
        stem_of(&self.file_name)
    }

    /// Returns the gait in most frames of a cut.
    pub fn gait_within(&self, cut: &Cut) -> Option<Gait> {
        let start = cut.start_frame();
        let end = cut.end_frame();
        let mut num_frames = Gait::ALL.map(|gait| (gait, 0.0));
        for segment in &self.studied.analysis.segments {
            if let Some((_, sum)) = num_frames.iter_mut().find(|(gait, _)| *gait == segment.gait) {
                *sum += (end.min(segment.end_frame as f64 + 1.0) - start.max(segment.start_frame as f64)).max(0.0);
            }
        }
        num_frames
            .into_iter()
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .filter(|(_, frames)| *frames > 0.0)
            .map(|(gait, _)| gait)
    }

    /// Whether the take is long enough to close a stretch of it.
    pub fn can_close(&self) -> bool {
        self.take().num_frames() > MIN_FRAMES as usize
    }

    /// Returns the stretch that is closed first: the recommended loop, or the whole take if nothing repeats.
    pub fn first_stretch(&self) -> Stretch {
        match self.found.best() {
            Some(_) => Stretch::Recommended,
            None => Stretch::Frames {
                start_frame: 0.0,
                end_frame: self.last_frame(),
            },
        }
    }

    /// First and last frame of a stretch, which may be fractional; `None` if the take does not have it.
    pub fn ends(&self, stretch: Stretch) -> Option<[f64; 2]> {
        match stretch {
            Stretch::Recommended => self.ends(Stretch::Found(0)),
            Stretch::Found(index) => {
                let cut = &self.found.candidates.get(index)?.cut;
                Some([cut.start_frame(), cut.end_frame()])
            }
            Stretch::Frames { start_frame, end_frame } => {
                Cut::new(self.take(), start_frame, end_frame).ok()?;
                Some([start_frame, end_frame])
            }
        }
    }

    /// Returns a stretch as a candidate; frames chosen by hand are measured.
    pub fn candidate(&self, stretch: Stretch) -> Result<LoopCandidate, StretchError> {
        match stretch {
            Stretch::Recommended => self.candidate(Stretch::Found(0)),
            Stretch::Found(index) => self
                .found
                .candidates
                .get(index)
                .cloned()
                .ok_or(StretchError::NotFound { index }),
            Stretch::Frames { start_frame, end_frame } => {
                Ok(self
                    .studied
                    .analysis
                    .appraise(start_frame, end_frame, &SearchSettings::default())?)
            }
        }
    }
}

/// The memory that a take may fill, and that all takes together may fill, bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Memory that other takes leave.
    pub left: usize,
    /// Memory for all takes.
    pub all: usize,
}

/// Estimates how much memory a take fills, bytes.
fn memory_bytes(take: &Take) -> usize {
    TRANSFORM_BYTES * take.num_frames() * take.num_joints()
}

/// Returns a file name without extension.
pub fn stem_of(file_name: &str) -> &str {
    file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem)
}

/// Whether two loops are about equally long, and of mostly the same frames. The relation is not transitive.
fn is_like(one: &LoopCandidate, other: &LoopCandidate) -> bool {
    let one = one.cut;
    let other = other.cut;
    let shared = one.end_frame().min(other.end_frame()) - one.start_frame().max(other.start_frame());
    let length = one.num_frames();
    (length - other.num_frames()).abs() <= LIKE_SHARE * length && shared >= 0.5 * length
}

/// Returns the retarget of a take onto its character, if it has one.
pub fn retarget_of(studied: &Studied) -> Option<Retarget> {
    Some(
        studied
            .character
            .as_ref()?
            .pair
            .of_motion(&studied.take().world_tracks()),
    )
}

/// Why a stretch does not exist.
#[error_sum]
#[derive(Clone, PartialEq)]
pub enum StretchError {
    /// Its number is not in the list.
    #[error("there is no loop {}", index + 1)]
    NotFound {
        /// Its index.
        index: usize,
    },
    /// The take does not have the frames.
    Cut(CutError),
}
