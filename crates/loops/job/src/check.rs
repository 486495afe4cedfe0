//! Measures a loop in a file: whether its seam shows, and how it compares with its take.

use loopwright_core::{
    Analysis, BodyOverrides, Quality, Take,
    analysis::{Body, BodyError},
    loop_clip::{KeyLayout, KeysError, LoopKeys},
    quality::{self, SeamJoints, Stand},
    root_motion::RootRelativeClip,
};
use loopwright_formats::{
    LoopInFile, Sidecar,
    loop_file::{
        PlaceError,
        facts::{CheckFacts, ContactFacts, FeetFacts, Unmeasured},
    },
};

use crate::{
    checks::{Authored, CheckId, Subject, pulls_back},
    study::Studied,
    verdict::{self, Verdict},
};

/// A loop measured from its file.
#[derive(Clone, Debug)]
pub struct CheckedLoop {
    /// Which keys of the file form the loop, and its root motion.
    pub in_file: LoopInFile,
    /// Its figures.
    pub quality: Quality,
    /// The joints at which the seam figures are largest.
    pub joints: SeamJoints,
    /// The verdict.
    pub verdict: Verdict,
    /// Assumptions that were made, and comparisons that were left out.
    pub notes: Vec<CheckNote>,
}

/// An assumption about the checked loop, or a comparison that was left out.
#[error_kinds(Copy, Eq)]
pub enum CheckNote {
    #[error(
        "no sidecar: assuming that the last key {}; root motion estimated from the keys",
        if *has_closing_key { "repeats the first" } else { "comes right before the first" }
    )]
    NoSidecar { has_closing_key: bool },
    #[error("not compared with the take: one half of the loop is the mirror image of the other")]
    HalfIsAnImage,
    #[error("no sidecar, so the loop is not compared with the take: its frames are not known")]
    FramesUnknown,
    #[error(
        "this grade depends on estimated root motion; keep the sidecar beside the loop, or write it with --set output.last-key=repeat"
    )]
    VerdictByEstimate,
}

/// Why a loop cannot be checked.
#[error_sum]
#[derive(Clone, PartialEq)]
pub enum CheckError {
    /// The file lacks joints that the caller names.
    Body(BodyError),
    /// Its file and its sidecar contradict each other.
    Place(PlaceError),
    /// Its keys do not form a loop.
    Keys(KeysError),
    /// It was made from another take.
    #[error(transparent)]
    OtherTake(PlaceError),
}

/// Measures a loop from its keys, without an added root joint, and from its sidecar if there is one; compares it with its take
/// if given. Errors: [`CheckError`].
pub fn check(
    written: &Take,
    sidecar: Option<&Sidecar>,
    overrides: &BodyOverrides,
    take: Option<&Studied>,
) -> Result<CheckedLoop, CheckError> {
    let body = Body::find(written, overrides)?;
    let mut notes = Vec::new();
    let in_file = match sidecar {
        Some(sidecar) => LoopInFile::from_sidecar(sidecar, written)?,
        None => {
            let seen = LoopInFile::recognised(written, &body)?;
            notes.push(CheckNote::NoSidecar {
                has_closing_key: seen.layout.has_closing_key,
            });
            seen
        }
    };
    let stored = Stored {
        take: written,
        body: &body,
        in_file,
        sidecar,
    };
    let keys = stored.keys(in_file, 0)?;
    let source = match (take, sidecar) {
        (None, _) => None,
        (Some(_), None) => {
            notes.push(CheckNote::FramesUnknown);
            None
        }
        (Some(_), Some(sidecar)) if sidecar.candidate.mirrored => {
            notes.push(CheckNote::HalfIsAnImage);
            None
        }
        (Some(take), Some(sidecar)) => in_file
            .uncut(sidecar, written, &take.analysis)
            .map_err(CheckError::OtherTake)?
            .on(written.skeleton()),
    };
    let (quality, joints) = stored.measured(&keys, source.as_ref())?;
    if quality.pops() && sidecar.is_none() && !in_file.layout.has_closing_key {
        notes.push(CheckNote::VerdictByEstimate);
    }
    let authored = match sidecar {
        Some(sidecar) => Authored::of(sidecar),
        // A clip that loops as a whole is graded as it is when it is made a loop: as its author's.
        None => {
            let whole = Analysis::with(written, overrides)
                .ok()
                .and_then(|analysis| analysis.whole_loop());
            whole.map_or(Authored::Nothing, |whole| Authored::of_clip(whole.kind, true, true))
        }
    };
    Ok(CheckedLoop {
        verdict: stored.judged(&quality, authored),
        in_file,
        quality,
        joints,
        notes,
    })
}

/// A loop in the keys of its file, with what stands beside it.
struct Stored<'a> {
    take: &'a Take,
    body: &'a Body,
    in_file: LoopInFile,
    sidecar: Option<&'a Sidecar>,
}

impl Stored<'_> {
    fn keys(&self, in_file: LoopInFile, cycle: usize) -> Result<LoopKeys, KeysError> {
        // Folding an added root joint away moves the root motion to the topmost joint, whichever joint carried it in the take.
        LoopInFile {
            carrier: if self.sidecar.is_some_and(|sidecar| sidecar.playback.root_joint_added) {
                0
            } else {
                in_file.carrier
            },
            ..in_file
        }
        .keys(self.take, cycle)
    }

    /// Measures the figures, and finds the joints with the largest seam figures.
    fn measured(
        &self,
        first: &LoopKeys,
        source: Option<&RootRelativeClip>,
    ) -> Result<(Quality, SeamJoints), KeysError> {
        let Self {
            body, in_file, sidecar, ..
        } = *self;
        let mut quality = quality::measure(first, body, source);
        let mut joints = quality::seam_joints(first, source);
        let playback = sidecar.map(|sidecar| &sidecar.playback);
        if let Some(playback) = playback.filter(|playback| playback.copies > 1) {
            // The seam between copies and the seam after the last copy use different keys.
            let ending = LoopInFile {
                layout: KeyLayout {
                    has_closing_key: playback.closing_key,
                    ..in_file.layout
                },
                ..in_file
            };
            let last = self.keys(ending, playback.copies - 1)?;
            let at_end = quality::measure(&last, body, source);
            if at_end.pops() && !quality.pops() {
                quality = at_end;
                joints = quality::seam_joints(&last, source);
            }
        }
        // Contacts estimated from the loop alone depend on how the feet slide, so those of the sidecar are used; but it does not tell
        // which points of a robot's soles stand.
        let has_soles = self.take.skeleton().hinges().is_some();
        let feet = sidecar.and_then(|sidecar| sidecar.feet.as_ref());
        if let (None, Some(feet)) = (source, feet.filter(|feet| !has_soles && !feet.stances.is_empty())) {
            let stands = stands(feet, (self.take, body), first);
            quality.foot_slide_mps = quality::foot_slide_of_stances(first, &stands);
            quality.farthest_slide = quality::farthest_slide_of_stances(first, &stands);
        }
        Ok((quality, joints))
    }

    fn judged(&self, quality: &Quality, authored: Authored) -> Verdict {
        let Self {
            take,
            body,
            in_file,
            sidecar,
        } = *self;
        let stored = sidecar.map(|sidecar| sidecar.quality.checks.as_slice());
        let num_samples = in_file.layout.num_even_samples();
        let has_variation = sidecar.is_some_and(|sidecar| sidecar.variation.is_some());
        let is_shaped = pulls_back(in_file.mode)
            || sidecar.is_some_and(|sidecar| sidecar.mean_cycle.is_some() || !sidecar.edits.is_empty());
        Verdict::new(&Subject {
            quality,
            skeleton: take.skeleton(),
            body,
            step_secs: in_file.layout.num_steps() * take.frame_time_secs() / num_samples as f64,
            seam: [in_file.layout.seam_sample, num_samples],
            mode: in_file.mode,
            is_speed_known: !stored.is_some_and(verdict::is_speed_unknown),
            was_in_place: stored.is_some_and(|checks| checks.iter().any(is_slide_of_feet_in_place)),
            is_meant_to_differ: is_shaped || has_variation,
            is_varied: has_variation && !is_shaped,
            authored,
            retimed: None,
            likeness: None,
            known: stored.unwrap_or_default(),
        })
    }
}

/// Whether a stored check is that of feet which were not to stand.
fn is_slide_of_feet_in_place(check: &CheckFacts) -> bool {
    check.id == CheckId::FootSlide.as_str() && check.value.is_none() && check.unmeasured != Some(Unmeasured::Unknown)
}

/// Returns the spans in which the feet stand, from the sidecar, where time counts from the first key.
fn stands(feet: &FeetFacts, (written, body): (&Take, &Body), keys: &LoopKeys) -> Vec<Stand> {
    let (layout, count) = (keys.layout(), keys.num_samples());
    // A sidecar edited by hand may hold any number.
    let from_seam = |sample: usize| (sample % count + count - layout.seam_sample % count) % count;
    let in_samples = |secs: f64| (secs / keys.step_secs()).round().max(0.0) as usize;
    let stand = |stance: &ContactFacts| {
        let joint = written.skeleton().find(&stance.joint)?;
        Some(Stand {
            joint,
            end: body.end_of(joint),
            first_sample: from_seam(in_samples(stance.start_secs)),
            num_samples: in_samples(stance.length_secs).min(count),
        })
    };
    feet.stances.iter().filter_map(stand).collect()
}
