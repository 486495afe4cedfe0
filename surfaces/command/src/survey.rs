//! What a take holds, for those who do not need the take itself.

use std::{fs::File, path::Path};

use loopwright_core::Skeleton;
use loopwright_core::analysis::{Survey, Surveyor};
use loopwright_formats::{AnimationChoice, PlainBvh, loop_file::facts::TakeFacts};
use loopwright_job::{Studied, Study, Warning, warning};

use crate::{
    exit::Result,
    files::{self, InputFile},
    load, memory,
    recipe::StudyArgs,
    talk,
};

/// What a take holds, with its skeleton.
pub(crate) struct Surveyed {
    /// The facts at the start of every JSON answer.
    pub(crate) facts: TakeFacts,
    pub(crate) skeleton: Skeleton,
    /// Whether the up axis was found by the body, because neither file nor user stated it.
    pub(crate) up_is_detected: bool,
    pub(crate) survey: Survey,
}

impl Surveyed {
    /// Names of the lowest joints of the feet.
    pub(crate) fn feet(&self) -> Vec<&str> {
        let feet = self.survey.body.feet.iter();
        feet.map(|foot| self.skeleton.joint(foot.lowest_joint()).name.as_str())
            .collect()
    }
}

impl From<Studied> for Surveyed {
    fn from(loaded: Studied) -> Self {
        Self {
            facts: loaded.facts(),
            skeleton: loaded.take().skeleton().clone(),
            up_is_detected: {
                let source = &loaded.file.source;
                !(source.capabilities().states_space || source.space().up_given)
            },
            survey: loaded.analysis.into(),
        }
    }
}

/// Surveys a take, or a file that holds no animation at rest, and prints its warnings.
pub(crate) fn of(input: &InputFile, study: &Study) -> Result<Surveyed> {
    // What smooths a take or carries it over has to hold it.
    let as_recorded = input.animation.is_none()
        && study.args.smooth.is_none()
        && study.args.rig.is_none()
        && study.args.animation.is_none();
    match as_recorded.then(|| pose_by_pose(&input.path, &study.args)).flatten() {
        Some(surveyed) => Ok(surveyed),
        None => load::load_or_rest(input, study).map(Surveyed::from),
    }
}

/// The same for a BVH file of plain form, of which only one pose after the other is in memory.
///
/// `None` for any other file, and where something fails: reading the whole file tells what, or succeeds.
fn pose_by_pose(path: &Path, study: &StudyArgs) -> Option<Surveyed> {
    let limits = memory::limits();
    // A pipe can be read only once.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut soft = Vec::new();
    let limits = limits.for_file(path.metadata().ok()?.len());
    let settings = study.settings(study.space(), AnimationChoice::Auto, limits);
    let file = File::open(path).ok()?;
    let mut bvh = PlainBvh::open(file, &files::stem(path), &settings, &mut soft)?;
    let overrides = study.overrides();
    if Surveyor::memory_bytes(bvh.sample(), &overrides).ok()? > limits.max_memory_bytes {
        return None;
    }
    let mut surveyor = Surveyor::new(bvh.sample(), &overrides).ok()?;
    let mut all_are_plausible = true;
    bvh.for_each_pose(|translations, rotations| {
        all_are_plausible = surveyor.push(translations, rotations).is_ok();
        all_are_plausible
    })
    .ok()?;
    let survey = all_are_plausible.then(|| surveyor.survey().ok()).flatten()?;
    let sample = bvh.sample();
    let skeleton = sample.some.skeleton();
    let found = warning::of_study(skeleton, &survey.body, &survey.defects, &survey.joints);
    let pace = survey.odd_pace.map(Warning::OddPace);
    talk::warn_all(soft.into_iter().map(Warning::File).chain(found).chain(pace));
    let space = bvh.space();
    Some(Surveyed {
        facts: TakeFacts {
            frames: sample.num_frames,
            ..TakeFacts::new(path.display().to_string(), &sample.middle, space)
        },
        skeleton: skeleton.clone(),
        up_is_detected: !space.up_given,
        survey,
    })
}
