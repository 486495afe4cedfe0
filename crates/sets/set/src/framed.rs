//! A loop with its start and its stop in one clip, whose middle repeats.

use core::ops::Range;

use loopwright_core::LoopClip;
use loopwright_formats::{
    Format, LOOP_SUFFIX, Target, WrittenFile,
    loop_file::MotionPack,
    set::{CyclesFacts, PassageFacts},
};
use loopwright_job::Studied;
use loopwright_moves::{
    Passage, PassageKind,
    passage::{Looked, PassageError},
};

use crate::cut::{CutPassages, CutRequest, CutTakeError, CutWriteError, Found, carried, found_in};

/// Why a loop gets no start or stop.
#[error_sum]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum FrameError {
    #[error("no {} in the take: {why}", kind.as_str())]
    Missing {
        kind: PassageKind,
        why: String,
    },
    #[error("a loop is framed by start and stop, not by {}", kind.as_str())]
    Kind {
        kind: PassageKind,
    },
    Cut(CutTakeError),
}

impl From<PassageError> for FrameError {
    fn from(error: PassageError) -> Self {
        Self::Cut(error.into())
    }
}

/// A loop between passages of its take.
#[derive(Clone, Debug)]
pub struct Framed {
    cut: CutPassages,
    /// The samples of the cycles, their closing one included.
    pub cycles: Range<usize>,
}

impl Framed {
    /// Finds the requested passages, the cheapest start into a loop and stop out of it, in its take, and puts cycles of the loop between
    /// them.
    ///
    /// Errors: [`FrameError`].
    pub fn new(
        studied: &Studied,
        clip: LoopClip,
        kinds: &[PassageKind],
        (cycles, engine): (usize, Target),
    ) -> Result<Self, FrameError> {
        let request = CutRequest {
            kinds: kinds.to_vec(),
            fps: Some(1.0 / clip.step_secs()),
            engine,
        };
        let step_secs = clip.step_secs();
        let Found { loops, found, .. } = found_in(studied, vec![clip], &request)?;
        let analysis = &*studied.analysis_of_loops().map_err(CutTakeError::from)?;
        let mut ends = [None, None];
        for &kind in kinds {
            let side = match kind {
                PassageKind::Start => 0,
                PassageKind::Stop => 1,
                _ => return Err(FrameError::Kind { kind }),
            };
            let best = found
                .passages
                .iter()
                .find(|passage| passage.kind == kind && passage.ends[1 - side].loop_index == 0);
            let why = found.missing.iter().find(|(missing, _)| *missing == kind);
            let best = best.cloned().ok_or_else(|| FrameError::Missing {
                kind,
                why: why.map_or(Looked::NoLoopLike, |(_, why)| *why).to_string(),
            })?;
            let best = [best.at_samples(&loops)];
            let mut made = Passage::all_from_take(&loops, analysis, &best, step_secs)?;
            ends[side] = made.next().transpose()?;
        }
        let of_body = (&analysis.body, analysis.contacts.limits());
        let (passage, cycles) = Passage::around(&loops, 0, cycles, ends.each_ref().map(Option::as_ref), of_body)
            .ok_or(CutTakeError::NoLoops)?;
        // Engines repeat animations whose names end in "loop", as that of the loop does.
        let stem = passage.name().strip_suffix(LOOP_SUFFIX).unwrap_or(passage.name());
        let with: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let name = format!("{stem}_with_{}", with.join("_"));
        let passage = passage.named(name);
        Ok(Self {
            cut: CutPassages::of(loops, vec![passage], analysis, engine),
            cycles,
        })
    }

    /// Returns the whole motion.
    pub fn passage(&self) -> &Passage {
        &self.cut.passages[0]
    }

    /// Writes it in a format; where a file holds several animations, its start, its cycles and its stop, too, each as one of its
    /// own, by names at which engines see what repeats. Errors: [`CutWriteError`].
    pub fn write(&self, studied: &Studied, format: Format) -> Result<WrittenFile, CutWriteError> {
        let (whole, engine) = (self.passage(), self.cut.engine);
        let source = engine.placed(studied.form(format));
        if !source.can_be_extended() {
            return self.cut.write(studied, whole, format);
        }
        let (Range { start, end }, last) = (self.cycles.clone(), whole.num_samples() - 1);
        let name = self.cut.loops.loops()[0].name();
        let stem = name.strip_suffix(LOOP_SUFFIX).unwrap_or(name);
        let ends = [(0..=start, "_start"), (start..=end, LOOP_SUFFIX), (end..=last, "_stop")];
        let parts = ends
            .into_iter()
            .filter(|(samples, _)| samples.start() < samples.end())
            .map(|(samples, suffix)| whole.part(samples, format!("{stem}{suffix}")));
        let has_root_joint = studied.body_of_loops().root_joint.is_some();
        let motions = core::iter::once(whole.clone())
            .chain(parts)
            .map(|motion| carried(&motion, engine, format, has_root_joint));
        let pack = MotionPack::write(&motions.collect::<Result<Vec<_>, _>>()?, &source)?;
        let bytes = pack.bytes();
        // Each is a take, without figures of its own.
        for motion in pack.motions {
            motion?;
        }
        let file = WrittenFile {
            bytes,
            animation: Some(whole.name().to_owned()),
            warnings: pack.warnings,
        };
        Ok(file.with_cycles(&self.cycles(), whole.step_secs()))
    }

    fn cycles(&self) -> CyclesFacts {
        let passage = self.passage();
        CyclesFacts::new(self.cycles.clone(), passage.num_samples() - 1, passage.step_secs())
    }

    /// Returns its facts.
    pub fn facts(&self, studied: &Studied) -> PassageFacts {
        PassageFacts {
            cycles: Some(self.cycles()),
            ..self.cut.facts(studied, self.passage())
        }
    }
}
