//! Several loops in one copy of a file, and the JSON beside it.

use std::borrow::Cow;

use loopwright_core::{
    LoopClip, MadeLoop, Take,
    loop_clip::{KeyLayout, LoopKeys},
};
use serde::Deserialize;

use super::{
    describe,
    facts::{ClosureFacts, Grade, TakeFacts},
    file::{DerivedLoop, LoopFileError, MeasuredLoop, described, measured},
    json::to_text,
    sidecar::{Sidecar, SidecarError, VERSION},
};
use crate::{
    animated_file::AnimatedFile,
    error::WriteError,
    file_form::{MotionContent, MotionOfFile},
    settings::LoopWriteSettings,
    source::Source,
    warning::FileWarning,
    write::{with_facts_of_all, write_take, write_take_with_root},
    written::WrittenFile,
};

/// A loop to be written, with the arguments of [`super::LoopFile::write_with`].
#[derive(Clone, Debug)]
pub struct PackedLoop {
    /// The loop.
    pub made: MadeLoop,
    /// Facts of its take.
    pub take: TakeFacts,
    /// Its form in the file; the same file for all loops.
    pub source: Source,
    /// How it is laid out.
    pub writing: LoopWriteSettings,
}

/// A motion that was carried over to the joints of a file.
#[derive(Clone, Debug)]
pub enum CarriedMotion {
    /// A take.
    Take(Take),
    /// A take whose first joint is a root joint that the file lacks.
    TakeWithRoot(Take),
    /// A loop.
    Loop(Box<DerivedLoop>),
}

impl CarriedMotion {
    /// Writes the motion alone in the form of a source. Errors: it does not fit into that form.
    pub fn write(&self, source: &Source) -> Result<WrittenFile, LoopFileError> {
        Ok(match self {
            Self::Take(take) => write_take(take, source)?,
            Self::TakeWithRoot(take) => write_take_with_root(take, source)?,
            Self::Loop(derived) => derived.write(source)?.written,
        })
    }

    fn content(&self) -> MotionContent<'_> {
        match self {
            Self::Take(take) => MotionContent::Take(take, false),
            Self::TakeWithRoot(take) => MotionContent::Take(take, true),
            Self::Loop(derived) => MotionContent::Loop(&derived.clip, &derived.writing),
        }
    }
}

/// Motions written into one copy of a file.
#[derive(Debug)]
pub struct MotionPack {
    /// The file, without the facts of its loops.
    written: Vec<u8>,
    /// For each motion the figures of a loop, `None` for a take, or why it could not be written.
    pub motions: Vec<Result<Option<MeasuredLoop>, LoopFileError>>,
    /// Changes made for writing.
    pub warnings: Vec<FileWarning>,
}

impl MotionPack {
    /// Writes loops into a copy of the file that all of them come from, reads it back, and measures them.
    ///
    /// Everything else in the file is kept. In glTF a loop replaces a loop of its name; beside other animations of that name it
    /// is numbered. Errors: the file cannot be extended, or exceeds the limits of its format.
    pub fn of_loops(loops: &[PackedLoop]) -> Result<Self, LoopFileError> {
        let Some(first) = loops.first() else {
            return Err(WriteError::NoCopies.into());
        };
        let clips: Vec<Cow<'_, LoopClip>> = loops.iter().map(|each| each.made.from_start()).collect();
        let sources: Vec<Source> = loops
            .iter()
            .map(|each| each.source.along(&each.made))
            .collect::<Result<_, _>>()?;
        let of_file: Vec<MotionOfFile<'_>> = loops
            .iter()
            .zip(&clips)
            .zip(&sources)
            .map(|((each, clip), source)| MotionOfFile {
                content: MotionContent::Loop(clip.as_ref(), &each.writing),
                form: source.form(),
            })
            .collect();
        let (written, added) = first.source.form().write_all(&of_file)?;
        let file = AnimatedFile::parse(&written.bytes, "loop", None)?;
        let outcomes = loops.iter().zip(added).map(|(each, added)| {
            let facts = (each.take.clone(), describe::feet_of(&each.made));
            measured(&each.made, facts, (&each.source, &each.writing), &file, Some(added?)).map(Some)
        });
        Ok(Self {
            motions: outcomes.collect(),
            written: written.bytes,
            warnings: written.warnings,
        })
    }

    /// Writes motions into a copy of their source, each as an animation, reads it back, and measures the loops.
    ///
    /// Everything else in the file is kept. Of several motions with one name all except the first are numbered. Errors: the file
    /// cannot be extended, or exceeds the limits of its format.
    pub fn write(motions: &[CarriedMotion], source: &Source) -> Result<Self, LoopFileError> {
        let source = &source.without_shapes();
        let form = source.form();
        let of_file: Vec<MotionOfFile<'_>> = motions
            .iter()
            .map(CarriedMotion::content)
            .map(|content| MotionOfFile { content, form })
            .collect();
        let (written, added) = form.write_all(&of_file)?;
        let file = AnimatedFile::parse(&written.bytes, "loop", None)?;
        let measured = motions.iter().zip(added).map(|(motion, added)| match (motion, added?) {
            (CarriedMotion::Take(_) | CarriedMotion::TakeWithRoot(_), _) => Ok(None),
            (CarriedMotion::Loop(derived), animation) => derived.measured(&file, Some(animation), source).map(Some),
        });
        Ok(Self {
            motions: measured.collect(),
            written: written.bytes,
            warnings: written.warnings,
        })
    }

    /// Returns the file. In glTF the facts of every loop are in the extras of its animation.
    pub fn bytes(&self) -> Vec<u8> {
        let facts: Vec<&Sidecar> = self
            .motions
            .iter()
            .flatten()
            .flatten()
            .map(|measured| &measured.sidecar)
            .collect();
        with_facts_of_all(&self.written, &facts).unwrap_or_else(|| self.written.clone())
    }
}

impl MeasuredLoop {
    /// Measures a whole take that already loops and is left unchanged, by its own keys.
    ///
    /// `made` is the loop made of it, which determines the root motion. Errors: its keys do not form a loop.
    pub fn kept(made: &MadeLoop, take: TakeFacts, source: &Source, animation: &str) -> Result<Self, LoopFileError> {
        let clip = &made.loop_clip;
        let writing = LoopWriteSettings::of_mode(made.root.mode);
        let layout = KeyLayout {
            num_samples: clip.recorded().unwrap_or_else(|| clip.tracks()).num_frames(),
            last_step: made.candidate.whole.map_or(1.0, |whole| whole.last_step()),
            has_closing_key: true,
            in_place: writing.in_place,
            seam_sample: 0,
            num_cycles: 1,
        };
        let keys = LoopKeys::new(&made.take, layout, *clip.root(), clip.carrier())?;
        let mut measured = described(
            made,
            (take, describe::feet_of(made)),
            (source.space(), &writing),
            Some(animation.to_owned()),
            (&keys, &layout),
        );
        measured.sidecar.closure = ClosureFacts {
            method: "none".to_owned(),
            ..ClosureFacts::default()
        };
        Ok(measured)
    }
}

/// The identifier of the format of [`PackSidecar`].
pub const PACK_FORMAT: &str = "loopwright-loops";

/// The JSON beside a file of several loops: what became of each animation, and the facts of every loop.
#[in_schema(read)]
pub struct PackSidecar {
    /// `PACK_FORMAT`.
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The file that the animations are from.
    pub file: String,
    /// What became of each animation that was asked for, in the order of the file.
    pub animations: Vec<AnimationFacts>,
    /// The loops in the file, each as in a sidecar of its own; `playback.animation` names the animation.
    pub loops: Vec<Sidecar>,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
    /// Files written, the file of the loops first.
    pub outputs: Vec<String>,
}

/// What became of an animation.
#[choice_in_words(" ")]
#[derive(Default)]
pub enum AnimationOutcome {
    /// It loops already and stays as it is.
    Kept,
    /// The whole of it was closed.
    Closed,
    /// A part of it was cut out and closed.
    Cut,
    /// It is no loop and stays as it is.
    #[default]
    LeftAlone,
    /// It could not be read or looped, and stays as it is.
    Error,
}

/// An animation, and what became of it.
#[in_schema(read)]
pub struct AnimationFacts {
    /// Its number in the file that was read, from 0.
    pub number: usize,
    /// Its name; its number where it has none.
    pub name: String,
    /// What it is, as in list; null where it cannot be read.
    pub kind: Option<String>,
    /// What became of it: kept (it loops already and stays as it is), closed (the whole of it), cut (a part of it), left alone (it is no loop) or
    /// error.
    #[word(AnimationOutcome)]
    pub outcome: AnimationOutcome,
    /// Why it was left alone, or could not be looped; null for a loop.
    pub reason: Option<String>,
    /// The animation in the file that is the loop: itself where it was kept; null where there is none.
    pub loop_animation: Option<String>,
    /// First frame of the loop, from 0; null without a loop, like all that follow.
    pub start_frame: Option<f64>,
    /// Frame whose pose meets that of the first.
    pub end_frame: Option<f64>,
    /// Largest distance of a joint between both ends, before closing.
    pub gap_before_mm: Option<f64>,
    /// Largest rotation of a joint between both ends, before closing.
    pub gap_before_deg: Option<f64>,
    /// That distance in the file as written.
    pub gap_after_mm: Option<f64>,
    /// That rotation in the file as written.
    pub gap_after_deg: Option<f64>,
    /// Speed of the loop over the ground.
    pub speed_mps: Option<f64>,
    /// Whether the loop can be used unchanged, as quality.grade.
    #[optional_word(Grade)]
    pub grade: Option<Grade>,
}

/// Largest file of facts that is read, in bytes.
const MAX_BYTES: usize = 256 << 20;

impl PackSidecar {
    /// Returns the facts of a file without animations.
    pub fn new(file: String) -> Self {
        Self {
            format: PACK_FORMAT.to_owned(),
            version: VERSION,
            file,
            ..Self::default()
        }
    }

    /// Returns the document as indented JSON with a final newline. Errors: a number that no reader accepts.
    pub fn to_json(&self) -> Result<String, SidecarError> {
        for each in &self.loops {
            each.check()?;
        }
        Ok(to_text(self)?)
    }
}

impl Sidecar {
    /// Reads the facts of all loops of a file from the JSON beside it: one, or several in a [`PackSidecar`].
    pub fn all_from_json(bytes: &[u8]) -> Result<Vec<Self>, SidecarError> {
        #[derive(Deserialize)]
        struct Pack {
            #[serde(default)]
            format: String,
            #[serde(default)]
            version: u64,
            #[serde(default)]
            loops: Vec<serde_json::Value>,
        }
        if bytes.len() > MAX_BYTES {
            return Err(SidecarError::TooLarge {
                found: bytes.len(),
                limit: MAX_BYTES,
            });
        }
        let pack = serde_json::from_slice::<Pack>(bytes)
            .ok()
            .filter(|pack| pack.format == PACK_FORMAT);
        let Some(pack) = pack else {
            return Ok(vec![Self::from_json(bytes)?]);
        };
        if pack.version != u64::from(VERSION) {
            return Err(SidecarError::Version { found: pack.version });
        }
        pack.loops
            .iter()
            .map(|facts| Self::from_json(facts.to_string().as_bytes()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_file::facts::{CandidateFacts, PlaybackFacts};

    fn facts(name: &str) -> Sidecar {
        Sidecar {
            take: TakeFacts {
                file: "walks.glb".to_owned(),
                frames: 300,
                fps: 30.0,
                frame_time_secs: 1.0 / 30.0,
                joints: 21,
                ..TakeFacts::default()
            },
            candidate: CandidateFacts {
                source_period_secs: 1.2,
                period_secs: 1.2,
                ..CandidateFacts::default()
            },
            playback: PlaybackFacts {
                samples: 36,
                copies: 1,
                animation: Some(name.to_owned()),
                ..PlaybackFacts::default()
            },
            ..Sidecar::new()
        }
    }

    #[test]
    fn the_facts_of_all_loops_of_a_file_come_back() {
        let pack = PackSidecar {
            loops: vec![facts("walk"), facts("run")],
            ..PackSidecar::new(String::new())
        };
        let text = pack.to_json().unwrap();
        assert_eq!(Sidecar::all_from_json(text.as_bytes()), Ok(pack.loops));
        let alone = facts("walk");
        let text_of_one = alone.to_json().unwrap();
        assert_eq!(Sidecar::all_from_json(text_of_one.as_bytes()), Ok(vec![alone]));
        let later = text.replacen("\"version\": 2", "\"version\": 3", 1);
        assert_eq!(
            Sidecar::all_from_json(later.as_bytes()),
            Err(SidecarError::Version { found: 3 })
        );
        assert!(matches!(
            Sidecar::all_from_json(b"{}"),
            Err(SidecarError::Format { .. })
        ));
    }
}
