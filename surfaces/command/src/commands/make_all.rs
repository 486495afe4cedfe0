//! `loopwright make --all-animations`: makes loops of many animations in one copy of their file, or of a character's.

use std::path::Path;

use loopwright_catalog::skeleton_sha256;
use loopwright_formats::{
    AnimatedFile, Format, Sidecar,
    loop_file::{AnimationFacts, AnimationOutcome, PackSidecar},
};
use loopwright_job::{
    Request, Study,
    pack::{NoPack, PackJob, PackedFile},
};

use crate::{
    animations,
    args::TargetArgs,
    exit::{Ending, Failure, Result},
    failures, files, load,
    loop_output::{self, copied},
    output::{self, Outputs},
    report::{json, make as report},
    talk::{self, Progress},
    written_loop,
};

/// The failure when many animations are asked for but the recipe names frames of a single one.
pub fn frames_of_one() -> Failure {
    Failure::error("the recipe names frames, which are those of one animation")
        .try_this("a recipe without [stretch], or no --all-animations")
}

/// All loops of a file, in a copy of it, before anything is printed or written.
pub struct LoopedAnimations {
    pub bytes: Vec<u8>,
    /// The outcome of every animation; its outputs are not named yet.
    pub sidecar: PackSidecar,
    /// SHA-256 of the skeleton of the first animation.
    pub skeleton_sha256: String,
}

impl LoopedAnimations {
    /// Makes loops of the animations with these numbers; the others stay unchanged.
    pub fn new(
        take: &Path,
        file: &AnimatedFile,
        numbers: &[usize],
        request: Request,
        study: &Study,
        format: Format,
    ) -> Result<Self> {
        let mut pack = PackJob::new(request, format);
        let copied = copied(take, request.recipe);
        let progress = Progress::new("looping", numbers.len());
        for &number in numbers {
            let name = &file.animation_names()[number];
            match animations::read(take, file, number, study) {
                Ok(studied) => {
                    pack.check(&studied).map_err(|why| cannot_hold_them(copied, why))?;
                    let mut warnings = Vec::new();
                    pack.add(number, name, &studied, &mut warnings, |error| {
                        failures::job(&studied, request.search, error).what_and_why()
                    });
                    talk::warn_all(&warnings);
                }
                Err(failure) => {
                    let outcome = if failure.is_negative() {
                        AnimationOutcome::LeftAlone
                    } else {
                        AnimationOutcome::Error
                    };
                    pack.leave_out(number, name, outcome, failure.what().to_owned());
                }
            }
            progress.step();
        }
        progress.finish();
        let PackedFile {
            bytes,
            mut sidecar,
            written,
            first,
        } = pack.write(take.display().to_string()).map_err(failures::pack)?;
        talk::warn_all(&written);
        let bytes = bytes.map_or_else(|| files::read_bytes(copied), Ok)?;
        talk::warn_all(&sidecar.warnings);
        Sidecar::state_file_of_all(&mut sidecar.loops, &bytes);
        Ok(Self {
            bytes,
            sidecar,
            skeleton_sha256: first
                .as_ref()
                .map_or_else(String::new, |(_, take)| skeleton_sha256(take.skeleton())),
        })
    }

    /// Names the file and the JSON beside it, and adds both to the outputs.
    pub fn add_to(&mut self, outputs: &mut Outputs, loop_path: &Path) -> Result<()> {
        if outputs.is_in_place(loop_path) {
            written_loop::keep_other_loops(&mut self.sidecar.loops, loop_path, &self.bytes);
        }
        self.sidecar.outputs = loop_output::names_of(loop_path).to_vec();
        outputs.add_with_sidecar(loop_path, &self.bytes, Some(&self.sidecar.to_json()?))
    }
}

/// Makes loops of the animations with these numbers; the others stay unchanged.
pub fn make_all(
    take: &Path,
    file: &AnimatedFile,
    numbers: &[usize],
    request: Request,
    target: &TargetArgs,
) -> Result<Ending> {
    let recipe = request.recipe;
    let loop_path = loop_output::of_pack(take, recipe, target)?;
    let format = output::format_of(&loop_path)?;
    let mut outputs = loop_output::outputs(take, recipe, target, &loop_path, true);
    outputs.check_loop(&loop_path)?;
    let mut looped = LoopedAnimations::new(take, file, numbers, request, &load::study(recipe.take.clone())?, format)?;
    let is_error = |animation: &AnimationFacts| animation.outcome == AnimationOutcome::Error;
    // If no animation could be read, the file would be a mere copy.
    if !looped.sidecar.animations.iter().all(is_error) {
        looped.add_to(&mut outputs, &loop_path)?;
    }
    outputs.commit()?;
    output::say_if_nothing_was_written();

    let sidecar = looped.sidecar;
    let reasons: Vec<Failure> = sidecar
        .animations
        .iter()
        .filter(|animation| is_error(animation))
        .map(|animation| Failure::error(animation.reason.as_deref().unwrap_or_default()).about(&animation.name))
        .collect();
    let failure = Failure::of_some(&reasons, numbers.len(), "animations could not be looped");
    let document = json::pack(&sidecar, failure.as_ref());
    if !target.json {
        output::print(&report::animations(&sidecar))?;
    }
    output::end(document, failure, target.json)?;
    Ok(Ending::of_grades(
        sidecar.animations.iter().map(|animation| animation.grade),
    ))
}

pub fn cannot_hold_them(path: &Path, why: NoPack) -> Failure {
    let what = format!("loops go into a copy of \"{}\"", path.display());
    match why {
        NoPack::OtherKind { own } => {
            let own = Format::extensions(own, ".");
            Failure::error(what)
                .because("the output is of another kind, which keeps one animation")
                .try_this(format!(
                    "-o with a name that ends in {own}, or --split for a file of each"
                ))
        }
        NoPack::NotExtended => {
            let without: Vec<&str> = Format::ALL
                .iter()
                .filter_map(|format| format.capabilities().not_extended)
                .collect();
            Failure::error(what)
                .because(format!("no animation can be added to {}", without.join(", or to ")))
                .try_this("a loop of one animation, without --all-animations, or an export as glTF or binary FBX")
        }
    }
}
