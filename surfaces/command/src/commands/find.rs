//! `loopwright find`: lists the loops in a take.

use loopwright_core::{LoopCandidate, SearchSettings};
use loopwright_job::{JobError, SearchRows, Studied, Study, Warning, search_rows, warning};

use super::{
    each::{self, Manner},
    like,
};
use crate::{
    args::FindArgs,
    exit::{Ending, Result},
    failures,
    files::InputFile,
    load, mirroring,
    output::{self, Outputs},
    plot::PlotFile,
    recipe::{self, StretchRecipe},
    report::{find::FindAnswer, json},
    talk,
};

pub fn run(args: &FindArgs) -> Result<Ending> {
    let set = args.sets.only_of_search()?;
    let search = args.search.clone().tuned(&set.search);
    let args = &FindArgs { search, ..args.clone() };
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: args.study.rig.as_deref(),
        for_one: &[("--plot", args.plot.is_some())],
    };
    let study = load::study(args.study.clone())?;
    each::file(&args.takes, manner, |take| find_in_take(args, take, &study))
}

/// Lists the loops of one take, and plots them if a plot is asked for.
fn find_in_take(args: &FindArgs, take: &InputFile, study: &Study) -> Result<Ending> {
    if !args.like.is_empty() {
        return like::run(args, take, study);
    }
    let mut outputs = Outputs::new(args.force);
    outputs.protect(&take.path);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    let loaded = load::load(take, study)?;
    let in_words = |error: JobError| failures::job(&loaded, Some(&args.search), error);
    args.search.check(&loaded).map_err(in_words)?;
    let set = args.sets.0.stretch;
    let stretch = StretchRecipe {
        symmetric: args.mirror.symmetric.then_some(true).or(set.symmetric),
        ping_pong: args.mirror.ping_pong.then_some(true).or(set.ping_pong),
        ..set
    };
    let pairing = recipe::pairing(&loaded.analysis, &stretch, &args.study.mirror)?;
    if let Some(mirror) = pairing.mirror() {
        mirroring::warn(mirror);
    }
    args.search.check_pairing(&pairing).map_err(in_words)?;
    let settings = SearchSettings {
        pairing,
        ..args.search.settings(args.top)
    };
    // A take that holds no loop still gets an answer: an empty list, a reason, and a plot that shows why.
    let rows = search_rows(&loaded, &settings, &args.search);
    let (rows, failure) = match rows.map_err(|error| in_words(error.into())) {
        Ok(rows) if rows.found.candidates.is_empty() => {
            let failure = failures::nothing_found(&loaded, rows.found.nearest_miss.as_ref(), &args.search);
            (rows, Some(failure))
        }
        Ok(rows) => (rows, None),
        Err(failure) if failure.is_negative() => (SearchRows::default(), Some(failure)),
        Err(failure) => return Err(failure),
    };
    let found = &rows.found;
    if let Some(left_out) = Warning::of_cycles_left_out(found) {
        talk::note(&left_out.to_string());
    }
    if let Some(plot) = plot {
        plot.add(
            &mut outputs,
            &loopwright_draw::plot::find(&loaded.analysis, &settings, found),
        )?;
    }
    let written = outputs.commit()?;
    if let Some(best) = found.best() {
        say_doubts(args, &loaded, best);
    }
    let answer = FindAnswer::new(&loaded, &rows, &settings);
    if let Some(failure) = failure {
        let document = json::document("find", &answer, Some(&failure), &written);
        return Err(failure.in_document(document));
    }
    output::answer("find", &answer, None, &written, args.json, |answer| {
        answer.human(args.verbose)
    })
}

/// Prints why the best loop may be unsuitable.
fn say_doubts(args: &FindArgs, loaded: &Studied, best: &LoopCandidate) {
    // A user who searches for an idle loop knows that it is idle.
    let confidence = warning::confidence(loaded.take(), best).filter(|_| !args.search.idle);
    let say = if args.json { talk::keep } else { talk::warn };
    for warning in confidence
        .into_iter()
        .chain(warning::bad_frames(&loaded.analysis, best))
    {
        say(&warning.to_string());
    }
}
