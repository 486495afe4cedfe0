//! Reads and analyses a take, and matches it with the character that receives its loops.

use std::{borrow::Cow, sync::Arc};

use loopwright_core::{
    Analysis, BodyOverrides, Take,
    analysis::{Body, TakeDefects},
    candidate::SearchError,
    pipeline::MakeError,
    retarget::Rig,
    take::CutError,
};
use loopwright_formats::{
    AnimationChoice, Format, LoadedTake, MemoryError, ReadSettings, Sidecar, SizeLimits, Source, SpaceSettings,
    UnitChoice, UpChoice, loop_file::facts::TakeFacts,
};

use crate::{
    character::{CarryError, CharacterTarget, Following, Matched},
    error::{JobError, StudyError},
    recipe::{EditedBody, StudyArgs, TakeArgs},
    warning::{self, Warning},
};

/// How takes are read and studied, and the character that receives their loops, read once for all of them.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// The settings.
    pub args: StudyArgs,
    character: Option<Arc<CharacterTarget>>,
    following: Option<Following>,
}

impl Study {
    /// Creates a study. Errors: there are character settings but no character.
    pub fn new(args: StudyArgs, character: Option<Arc<CharacterTarget>>) -> Result<Self, StudyError> {
        args.check()?;
        Ok(Self {
            args,
            character,
            following: None,
        })
    }

    /// Returns the study of takes that any avatar follows so.
    #[must_use]
    pub fn for_avatars(self, following: Following) -> Self {
        Self {
            following: Some(following),
            ..self
        }
    }

    /// Returns the character that receives the loops, if any.
    pub fn character(&self) -> Option<&Arc<CharacterTarget>> {
        self.character.as_ref()
    }

    /// Returns how the file of a take is read: the requested animation, or the longest.
    pub fn reading(&self, limits: SizeLimits) -> ReadSettings<'_> {
        self.args.settings(self.args.space(), AnimationChoice::Auto, limits)
    }

    /// Smooths a take, matches it with the character, and analyses it. `name` is its file's name, and `soft` holds the warnings
    /// of reading it. Errors: [`StudyError`].
    pub fn analyse(
        &self,
        name: impl Into<String>,
        mut file: LoadedTake,
        soft: Vec<loopwright_formats::FileWarning>,
    ) -> Result<Studied, StudyError> {
        let overrides = self.args.overrides();
        if let Some(hertz) = self.args.smooth {
            file.take = smoothed(&file.take, hertz, &overrides)?;
        }
        let mut warnings: Vec<Warning> = soft.into_iter().map(Warning::File).collect();
        let mut character = None;
        if let Some(target) = &self.character {
            let matched = target.matched(&file, &overrides)?;
            warnings.extend(matched.warnings());
            character = Some(matched);
        }
        let rig = self
            .following
            .as_ref()
            .map(|following| following.rig_of(&file, &overrides))
            .transpose()?;
        let analysis = Analysis::with(&file.take, &overrides)?;
        warnings.extend(warning::of_study(
            file.take.skeleton(),
            &analysis.body,
            &analysis.defects,
            &analysis.joints,
        ));
        warnings.extend(analysis.odd_pace().map(Warning::OddPace));
        Ok(Studied {
            name: name.into(),
            file,
            analysis,
            smooth_hz: self.args.smooth,
            licence: self.args.licence.clone(),
            character,
            rig,
            warnings,
        })
    }
}

impl From<TakeArgs> for Study {
    fn from(reading: TakeArgs) -> Self {
        Self {
            args: reading.into(),
            ..Self::default()
        }
    }
}

/// Removes motion faster than `hertz` from a take; poses before and after a jump are not mixed.
fn smoothed(take: &Take, hertz: f64, overrides: &BodyOverrides) -> Result<Take, StudyError> {
    let body = Body::find(take, overrides)?;
    let defects = TakeDefects::of(take, &take.world_tracks(), &body);
    Ok(take.smoothed(hertz, &defects.jumps)?)
}

/// A take with its analysis, its warnings, and the character that receives its loops.
#[derive(Clone, Debug)]
pub struct Studied {
    /// Name of its file for answers and sidecars.
    pub name: String,
    /// The take and the form of its file.
    pub file: LoadedTake,
    /// Its analysis.
    pub analysis: Analysis,
    /// Cutoff frequency of its smoothing, hertz.
    pub smooth_hz: Option<f64>,
    /// Its licence, if its file states none.
    pub licence: Option<String>,
    /// The character that receives its loops, if any.
    pub character: Option<Matched>,
    /// Its own rig, if it is compared with avatars in a stated pose.
    pub rig: Option<Rig>,
    /// Warnings about the file, the match with the character, and the motion.
    pub warnings: Vec<Warning>,
}

impl Studied {
    /// Checks whether the limits allow a search. Errors: it takes more memory.
    pub(crate) fn check_search(&self) -> Result<(), MemoryError> {
        let take = self.take();
        self.file
            .limits
            .check_search(take.num_frames(), take.num_joints(), self.analysis.joints.len())
    }

    /// Checks whether the limits allow to hold a loop of so many samples, which the whole take may be. Errors: it takes more memory.
    pub(crate) fn check_samples(&self, samples: f64) -> Result<(), MemoryError> {
        let joints = self.take().num_joints() as f64;
        self.file.limits.check_held((samples * joints) as u64)
    }

    /// Returns the take itself.
    pub fn take(&self) -> &Take {
        &self.file.take
    }

    /// Returns the file that receives the loops: the character's, or the take's own.
    pub fn goes_into(&self) -> &LoadedTake {
        self.character
            .as_ref()
            .map_or(&self.file, |matched| &matched.target.character.file)
    }

    /// Returns the analysis on the skeleton of the loops: the character's, if there is one. Errors: the take cannot be put onto
    /// it.
    pub fn analysis_of_loops(&self) -> Result<Cow<'_, Analysis>, CarryError> {
        Ok(match &self.character {
            None => Cow::Borrowed(&self.analysis),
            Some(matched) => Cow::Owned(Analysis::new(&matched.held_take(self.take())?)?),
        })
    }

    /// Returns the form of that file in a format.
    pub fn form(&self, format: Format) -> Source {
        let file = self.goes_into();
        match &self.rig {
            Some(rig) if format == Format::Vrma => file.source.for_avatars(&file.take, rig),
            _ => file.source.in_format(format, &file.take),
        }
    }

    /// Returns the body of the loops: the character's, or the take's own.
    pub fn body_of_loops(&self) -> EditedBody<'_> {
        match &self.character {
            Some(character) => EditedBody::of_character(&character.pair.target),
            None => EditedBody::of_take(&self.analysis),
        }
    }

    /// Returns the facts at the start of every answer and sidecar.
    pub fn facts(&self) -> TakeFacts {
        let of_file = self.file.facts(&self.name);
        TakeFacts {
            smooth_hz: self.smooth_hz,
            rig: self.character.as_ref().map(Matched::facts),
            licence: of_file.licence.clone().or_else(|| self.licence.clone()),
            ..of_file
        }
    }

    /// Explains why there is no loop of the take; `within` are the searched frames, if not all.
    pub fn failure(&self, error: &JobError, within: Option<(usize, usize)>) -> String {
        let name = &self.name;
        match error {
            JobError::Within { start, end } => format!("frames {start}:{end} are not a range of \"{name}\""),
            JobError::Memory(_) => format!("\"{name}\" is too large: {error}"),
            JobError::NothingFound(_) => self.nothing_found(within),
            JobError::NoSuchRow { row, .. } => format!("there is no loop number {row} in \"{name}\""),
            JobError::Search(SearchError::TooShort { .. }) => {
                format!("no loop found in \"{name}\": the take is too short")
            }
            JobError::Search(SearchError::Still) if self.file.source.changes_scale() => {
                format!("no loop found in \"{name}\": only scale changes, and no joint moves")
            }
            JobError::Search(SearchError::Still) => format!("no loop found in \"{name}\": no joint moves"),
            JobError::Search(SearchError::NoCleanFrame | SearchError::SingleAction) | JobError::IdlePart(_) => {
                format!("no loop found in \"{name}\": {error}")
            }
            JobError::Cut(error) | JobError::Make(MakeError::Cut(error)) => self.cut_failure(error),
            JobError::Make(MakeError::Image(_)) => "these frames have no mirror image".to_owned(),
            JobError::Make(MakeError::MeanCycle(_)) => format!("there is no mean cycle in \"{name}\""),
            JobError::Make(MakeError::Variation(_)) => format!("the loop of \"{name}\" cannot be varied"),
            other => other.to_string(),
        }
    }

    /// Explains that no stretch qualifies.
    pub fn nothing_found(&self, within: Option<(usize, usize)>) -> String {
        let (first, last) = within.unwrap_or((0, self.take().num_frames() - 1));
        format!("no loop found in \"{}\", frames {first}-{last}", self.name)
    }

    /// Explains why a stretch cannot be cut.
    fn cut_failure(&self, error: &CutError) -> String {
        match error {
            CutError::OutOfRange {
                start_frame, end_frame, ..
            } => format!(
                "frames {start_frame:.0}:{end_frame:.0} are not a range of \"{}\"",
                self.name
            ),
            CutError::TooShort { num_intervals } => format!(
                "{num_intervals} {} too few for a loop in \"{}\"",
                if *num_intervals == 1 { "frame is" } else { "frames are" },
                self.name
            ),
            CutError::TooLong { num_intervals, limit } => {
                format!("{num_intervals} frames exceed the limit of {limit}")
            }
            other => other.to_string(),
        }
    }
}

/// Returns the space that a sidecar states for its loop; the user's settings take precedence.
///
/// Unknown axes or units in the sidecar are ignored, since it may have been edited by hand.
pub fn stated_space(asked: SpaceSettings, sidecar: &Sidecar) -> SpaceSettings {
    let stated = sidecar.space();
    SpaceSettings::new(
        match asked.up {
            UpChoice::Auto => stated.up,
            asked => asked,
        },
        match asked.unit {
            UnitChoice::Auto => stated.unit,
            asked => asked,
        },
    )
}
