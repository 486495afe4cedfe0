//! `loopwright inspect`: reports the contents of a take.
use loopwright_core::analysis::Strides;
use loopwright_formats::{MotionArrays, Sidecar};
use loopwright_job::{AddedRoot, Study, stated_space};

use super::{
    each::{self, Manner},
    like::reading_of,
};
use crate::{
    args::InspectArgs,
    exit::{Ending, Result},
    files::InputFile,
    load,
    output::{self, Outputs},
    plot::PlotFile,
    report::inspect::{self, InspectAnswer},
    talk, written_loop,
};

pub fn run(args: &InspectArgs) -> Result<Ending> {
    args.sets.only_of_search()?;
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: args.study.rig.as_deref(),
        for_one: &[("--plot", args.plot.is_some())],
    };
    let study = load::study(args.study.clone())?;
    each::file(&args.takes, manner, |take| one(args, take, &study))
}

fn one(args: &InspectArgs, take: &InputFile, study: &Study) -> Result<Ending> {
    let mut outputs = Outputs::new(args.force);
    outputs.protect(&take.path);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    let sidecar = written_loop::read_sidecar(&InputFile::new(take.typed(), None), &reading_of(&args.study))?;
    // A loop is in the space of its take, which the sidecar states.
    let mut study = study.clone();
    if let Some(sidecar) = &sidecar {
        let space = stated_space(study.args.space(), sidecar);
        (study.args.up, study.args.unit) = (Some(space.up), Some(space.unit));
        study.args.animation = study
            .args
            .animation
            .take()
            .or_else(|| sidecar.playback.animation.clone());
    }
    let study = &study;
    let studied = load::load_or_rest(take, study)?;
    if let Some(plot) = plot {
        plot.add(&mut outputs, &loopwright_draw::plot::inspect(&studied.analysis))?;
    }
    let outputs = outputs.commit()?;
    let strides = sidecar
        .as_ref()
        .filter(|_| study.args.rig.is_none())
        .and_then(|sidecar| of_cycle(take, sidecar, study))
        .filter(|(feet, _)| *feet == inspect::feet(&studied))
        .map_or_else(|| studied.analysis.strides(), |(_, strides)| strides);
    let answer = InspectAnswer::new(&studied, &strides, sidecar);
    output::answer("inspect", &answer, None, &outputs, args.json, |answer| {
        answer.human(&studied, args.contacts)
    })
}

/// Returns the names of the feet of a loop, and the strides of its cycle; `None` if the loop does not match its sidecar.
fn of_cycle(take: &InputFile, sidecar: &Sidecar, study: &Study) -> Option<(Vec<String>, Strides)> {
    let reading = reading_of(&study.args);
    // The oddities of the file are reported already.
    let (stored, _) = talk::aside(|| written_loop::read_described(take, sidecar.clone(), &reading, AddedRoot::Kept));
    let stored = stored.ok()?;
    let arrays = MotionArrays::of_keys(&stored.file.take, &stored.sidecar);
    Some(arrays.strides_of_cycle(&stored.played()))
}
