//! A set made from several takes, as all programs make it.

use std::sync::Arc;

use loopwright_core::math::ops::over_ground;
use loopwright_formats::{
    AnimatedFile, AnimationChoice, Format, ReadSettings, Sidecar, SidecarError, SizeLimits,
    set::{LeftOut, SET_FILE},
};
use loopwright_job::{Recipe, Studied, StudyError};
use loopwright_sets::{
    road::{self, MakeSetError, SetFileName, SetSettings, SetStage, SetTakes},
    set::TakeLoop,
};
use serde::{Deserialize, Serialize};

use super::{
    character::{self, CharacterError, NamedFile},
    opened::{SetLoop, Step, Tell, stem_of},
};

/// Most takes that an error names as left out.
const MOST_NAMED: usize = 8;

/// The takes of a set, and the settings for making it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetOrder {
    /// The name of the set and of its folder.
    pub name: String,
    /// The files of its takes, with all their animations.
    pub files: Vec<NamedFile>,
    /// How the takes are read, how their loops are closed, and the engine and the rate of the set.
    #[serde(with = "super::recipe_text")]
    pub recipe: Box<Recipe>,
    /// Opened files that the recipe names.
    pub named: Vec<NamedFile>,
    /// The format of its clips; `None` for the engine's, or that of the character or of the first loop.
    pub format: Option<Format>,
}

/// The files of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFiles {
    /// The name of their folder.
    pub name: String,
    /// The clips, their sidecars, the manifest, and what an engine needs.
    pub files: Vec<NamedFile>,
    /// Missing parts, takes that were left out, with reasons, and other notes.
    pub notes: Vec<String>,
}

/// Why there is no set.
#[error_sum]
pub enum SetError {
    /// The character that the recipe names is missing.
    Character(CharacterError),
    /// The recipe needs a character, but names none.
    Study(StudyError),
    /// The takes give no set, or it cannot be written.
    #[error("{0}{reasons}", reasons = reasons(.0))]
    Made(#[from] Box<MakeSetError>),
    /// Background work failed.
    #[error("{0}")]
    Beside(String),
}

/// Lists why takes were left out, if no take is left.
fn reasons(error: &MakeSetError) -> String {
    let MakeSetError::NoLoops(left_out) = error else {
        return String::new();
    };
    left_out
        .iter()
        .take(MOST_NAMED)
        .map(|LeftOut { take, why }| format!("; {take}: {why}"))
        .collect()
}

impl SetOrder {
    /// Makes the set in the style of most of its takes. Errors: [`SetError`].
    pub fn make(&self, tell: Tell) -> Result<SetFiles, SetError> {
        let (target, _) = character::named(&self.recipe.take, &self.named)?;
        let names = self.files.iter().map(|file| SetFileName {
            name: file.file_name.clone(),
            below: file.file_name.clone(),
            holds_animations: Format::detect(&file.bytes).is_some_and(|format| format.capabilities().holds_animations),
        });
        let of_style = road::of_style(&names.collect::<Vec<_>>(), None).map_err(Box::new)?;
        let takes = Takes {
            files: self
                .files
                .iter()
                .zip(of_style.is_kept)
                .filter_map(|(file, is_kept)| is_kept.then_some(file))
                .collect(),
            study: loopwright_job::Study::new(self.recipe.take.clone(), target)?,
            tell,
        };
        let settings = SetSettings {
            recipe: (*self.recipe).clone(),
            variants: 1,
            fps: self.recipe.output.fps,
            target: self.recipe.output.target,
            format: self.format,
            is_split: true,
            folder: (&self.name).into(),
        };
        let name = settings.name();
        let mut notes = Vec::new();
        let made = road::make_set(settings, &takes, of_style.left_out, &mut notes).map_err(Box::new)?;
        let mut files = Vec::new();
        let written = made.write::<Box<MakeSetError>>(&mut notes, |file| {
            let sidecar = file.sidecar.map(|text| named(&format!("{}.json", file.name), text));
            files.push(named(&file.name, file.bytes));
            files.extend(sidecar);
            Ok(())
        })?;
        files.push(named(SET_FILE, written.json));
        files.extend(written.engine_files.into_iter().map(|(name, text)| named(name, text)));
        let missing = written.manifest.missing.iter();
        let left_out = written.manifest.left_out.iter();
        Ok(SetFiles {
            name,
            files,
            notes: missing
                .map(|missing| format!("{} is missing: {}", missing.what, missing.why))
                .chain(left_out.map(|LeftOut { take, why }| format!("{take} is left out: {why}")))
                .chain(notes.iter().map(ToString::to_string))
                .collect(),
        })
    }
}

impl SetFiles {
    /// Returns the set for a folder with another name, which its sidecars state. Errors: a sidecar cannot be written anew.
    pub fn named(mut self, name: String) -> Result<Self, SidecarError> {
        for file in &mut self.files {
            if let Ok(mut sidecar) = Sidecar::from_json(&file.bytes) {
                for output in &mut sidecar.outputs {
                    if let Some((_, file_name)) = output.rsplit_once('/').filter(|(folder, _)| *folder == self.name) {
                        *output = format!("{name}/{file_name}");
                    }
                }
                file.bytes = Arc::new(sidecar.to_json()?.into_bytes());
            }
        }
        Ok(Self { name, ..self })
    }
}

fn named(file_name: &str, bytes: impl Into<Vec<u8>>) -> NamedFile {
    NamedFile {
        file_name: file_name.to_owned(),
        bytes: Arc::new(bytes.into()),
    }
}

/// The takes of a set, read from their files whenever they are needed.
struct Takes<'a> {
    files: Vec<&'a NamedFile>,
    study: loopwright_job::Study,
    tell: Tell<'a>,
}

impl Takes<'_> {
    /// Studies an animation of a file. Errors: the reason why it cannot be read.
    fn study(&self, file_name: &str, file: &AnimatedFile, number: usize) -> Result<Studied, String> {
        let settings = ReadSettings {
            animation: AnimationChoice::Number(number),
            ..self.study.reading(SizeLimits::default())
        };
        let mut warnings = Vec::new();
        let read = file.read(&settings, &mut warnings).map_err(|error| error.to_string())?;
        self.study
            .analyse(file_name, read, warnings)
            .map_err(|error| error.to_string())
    }
}

impl SetTakes for Takes<'_> {
    fn num_files(&self) -> usize {
        self.files.len()
    }

    fn name(&self, file: usize) -> String {
        self.files[file].file_name.clone()
    }

    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String> {
        let NamedFile { file_name, bytes } = self.files[file];
        let file = AnimatedFile::parse(bytes, stem_of(file_name), None).map_err(|error| error.to_string())?;
        let is_pack = file.num_animations() > 1;
        for number in 0..file.num_animations() {
            match self.study(file_name, &file, number) {
                Ok(studied) => give(&studied, is_pack),
                // Among many animations, some hold no motion.
                Err(_) if is_pack => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// Opened files are takes: sidecars are not read.
    fn loops(&self, _: usize, _: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String> {
        Ok(())
    }

    fn show(&self, (stored, made): &TakeLoop) {
        let twist = stored.clip.root().twist;
        (self.tell)(Step::Loop(SetLoop {
            name: made.animation.as_ref().unwrap_or(&made.take).clone(),
            speed_mps: over_ground(twist.linear),
            turn_dps: twist.angular.y.to_degrees(),
        }));
    }

    fn on_all<A: Default + Send>(
        &self,
        stage: SetStage,
        work: impl Fn(usize, &mut A) -> Result<(), String> + Sync,
    ) -> Vec<A> {
        let what = match stage {
            SetStage::Loops => "loops",
            SetStage::Passages => "starts, stops and turns",
        };
        let count = self.files.len();
        let of_each = self.files.iter().enumerate().map(|(number, file)| {
            (self.tell)(Step::Begins(format!(
                "Finding {what} in {} ({} of {count})",
                file.file_name,
                number + 1
            )));
            let mut given = A::default();
            // Files that cannot be read are listed in the manifest.
            let _ = work(number, &mut given);
            given
        });
        of_each.collect()
    }
}
