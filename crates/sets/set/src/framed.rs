//! A loop with its start and its stop in one clip, whose middle repeats.

use core::ops::Range;

use loopwright_core::LoopClip;
use loopwright_formats::set::{CyclesFacts, PassageFacts};
use loopwright_formats::{Format, Target, WrittenFile};
use loopwright_job::Studied;
use loopwright_moves::passage::{Looked, PassageError};
use loopwright_moves::{Passage, PassageKind};

use crate::cut::{CutPassages, CutRequest, CutTakeError, CutWriteError, Found, found_in};

/// Why a loop gets no start or stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum FrameError {
    #[error("no {} in the take: {why}", kind.as_str())]
    Missing { kind: PassageKind, why: String },
    #[error("a loop is framed by start and stop, not by {}", kind.as_str())]
    Kind { kind: PassageKind },
    #[error(transparent)]
    Cut(#[from] CutTakeError),
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
            let mut passages = found.passages.iter();
            let best = passages.find(|passage| passage.kind == kind && passage.ends[1 - side].loop_index == 0);
            let why = found.missing.iter().find(|(missing, _)| *missing == kind);
            let best = best.cloned().ok_or_else(|| FrameError::Missing {
                kind,
                why: why.map_or(Looked::NoLoopLike, |(_, why)| *why).to_string(),
            })?;
            let best = [best.at_samples(&loops)];
            let mut made = Passage::all_from_take(&loops, analysis, &best, step_secs)?;
            ends[side] = made.next().transpose()?;
        }
        let joined = Passage::around(&loops, 0, cycles, ends.each_ref().map(Option::as_ref));
        let (passage, cycles) = joined.ok_or(CutTakeError::NoLoops)?;
        Ok(Self {
            cut: CutPassages::of(loops, vec![passage], analysis, engine),
            cycles,
        })
    }

    /// Returns the whole motion.
    pub fn passage(&self) -> &Passage {
        &self.cut.passages[0]
    }

    /// Writes it in a format. Errors: [`CutWriteError`].
    pub fn write(&self, studied: &Studied, format: Format) -> Result<WrittenFile, CutWriteError> {
        self.cut.write(studied, self.passage(), format)
    }

    /// Returns its facts.
    pub fn facts(&self, studied: &Studied) -> PassageFacts {
        let passage = self.passage();
        PassageFacts {
            cycles: Some(CyclesFacts::new(
                self.cycles.clone(),
                passage.num_samples() - 1,
                passage.step_secs(),
            )),
            ..self.cut.facts(studied, passage)
        }
    }
}
