//! Writes and grades a loop derived from other loops: a blend, or a loop on another character.

use loopwright_core::{
    LoopClip, Quality, RootMode, Skeleton, analysis::Body, feet::Feet, loop_clip::LoopKeys, quality,
};
use loopwright_formats::{
    LoopFile, LoopFileError, Sidecar, Source, Target,
    loop_file::{
        DerivedLoop, MotionPack, PackSidecar, describe,
        facts::{CheckFacts, FeetFacts},
    },
};

use crate::{
    checks::{Authored, CheckId, Subject},
    verdict::Verdict,
};

/// A loop derived from other loops.
#[derive(Clone, Debug)]
pub struct LoopOfLoops {
    /// Its keys and facts, to be written.
    pub derived: DerivedLoop,
    /// The loop itself.
    pub clip: LoopClip,
    /// Its body.
    pub body: Body,
    /// The mode of its root motion.
    pub mode: RootMode,
    /// The parts that are as authored.
    pub authored: Authored,
    /// The checks that its file does not answer: those of its take, and of its source on a character.
    pub of_take: Vec<CheckFacts>,
    /// The sample at which its take was cut.
    pub seam_sample: usize,
    /// The engine whose import settings are written beside it.
    pub target: Option<Target>,
    /// The joints of the file, without a root joint added for the engine.
    pub skeleton: Skeleton,
}

impl LoopOfLoops {
    /// Writes the loop in the form of a source, reads it back and grades it. Errors: [`LoopFileError`].
    pub fn write(&self, source: &Source) -> Result<LoopFile, LoopFileError> {
        let mut file = self.derived.write(source)?;
        file.sidecar.warnings = file.written.warnings.iter().map(ToString::to_string).collect();
        self.judge(&file.quality, &mut file.sidecar);
        Ok(file)
    }

    /// Adds the verdict on the written loop and the notes for its engine to the sidecar.
    pub fn judge(&self, quality: &Quality, sidecar: &mut Sidecar) {
        let is_recorded = |check: &&CheckFacts| check.id.parse().is_ok_and(CheckId::is_recorded);
        let known: Vec<CheckFacts> = self.of_take.iter().filter(is_recorded).cloned().collect();
        Verdict::new(&Subject {
            quality,
            skeleton: self.clip.skeleton(),
            body: &self.body,
            step_secs: self.clip.step_secs(),
            seam: [self.seam_sample, self.clip.num_samples()],
            mode: self.mode,
            is_speed_known: true,
            was_in_place: false,
            is_meant_to_differ: false,
            is_varied: false,
            authored: self.authored,
            retimed: None,
            likeness: None,
            known: &known,
        })
        .state(&mut sidecar.quality);
        let rate_hz = sidecar.playback.rate_hz(self.clip.period_secs());
        sidecar.target = self.target.map(|engine| engine.facts(sidecar, &self.skeleton, rate_hz));
    }

    /// Returns the loop as played: in place if its root does not move.
    pub fn played(&self) -> LoopClip {
        as_played(self.clip.clone(), self.mode)
    }
}

/// Returns a loop as played in a root mode: in place if the root does not move.
pub(crate) fn as_played(clip: LoopClip, mode: RootMode) -> LoopClip {
    if mode.moves_root() { clip } else { clip.in_place() }
}

/// Grades the loops of a file of several motions and returns its bytes with the facts of each loop. Entries of `loops` are
/// `None` for other motions; `file` is the source of all of them. Errors: one of them could not be written.
pub fn judge_pack(
    pack: MotionPack,
    loops: &[Option<LoopOfLoops>],
    file: String,
) -> Result<(Vec<u8>, PackSidecar), LoopFileError> {
    let bytes = pack.bytes();
    let mut sidecar = PackSidecar::new(file);
    for (written, own) in pack.motions.into_iter().zip(loops) {
        if let (Some(written), Some(own)) = (written?, own) {
            let mut facts = written.sidecar;
            own.judge(&written.quality, &mut facts);
            sidecar.loops.push(facts);
        }
    }
    Sidecar::state_file_of_all(&mut sidecar.loops, &bytes);
    Ok((bytes, sidecar))
}

/// Returns the loop with its feet held if possible, and the facts of its feet: how much they slid before and slide now.
pub fn with_feet(free: LoopClip, held: Option<LoopClip>, feet: &Feet, body: &Body) -> (LoopClip, FeetFacts) {
    let slide_cmps = |clip: &LoopClip| {
        quality::measure(&LoopKeys::from_loop(clip), body, None)
            .foot_slide_mps
            .map(|mps| 1e2 * mps)
    };
    let foot_slide_before_cmps = slide_cmps(&free);
    let clip = held.unwrap_or(free);
    let facts = FeetFacts {
        foot_slide_before_cmps,
        foot_slide_after_cmps: slide_cmps(&clip),
        ..describe::feet(&clip, body, feet, 0)
    };
    (clip, facts)
}
