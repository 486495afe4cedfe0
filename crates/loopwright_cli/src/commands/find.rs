//! `loopwright find`: the loops in a take.

use loopwright::{FoundLoops, SearchSettings};

use super::{
    each::{self, Manner},
    like,
};
use crate::{
    args::FindArgs,
    exit::{Ending, Failure},
    load::{self, Study},
    mirroring,
    output::{self, Outputs},
    plot::PlotFile,
    report::find::FindAnswer,
    search::{self, Hunt},
    talk,
};

pub(crate) fn run(args: &FindArgs) -> Result<Ending, Failure> {
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: args.study.rig.as_deref(),
        for_one: &[("--plot", args.plot.is_some())],
    };
    let study = Study::of(args.study.clone())?;
    each::file(&args.takes, manner, |take| {
        let take = take.to_owned();
        one(&FindArgs { take, ..args.clone() }, &study)
    })
}

fn one(args: &FindArgs, study: &Study) -> Result<Ending, Failure> {
    if !args.like.is_empty() {
        return like::run(args, study);
    }
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.take);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    let loaded = load::load(&args.take, study)?;
    search::check(&args.search, &loaded)?;
    let mirror = (args.mirror.symmetric).then(|| {
        let pairs = mirroring::pairs_of(args.mirror.mirror_map.as_deref())?;
        mirroring::mirror(&loaded.analysis, &pairs)
    });
    let settings = SearchSettings {
        pairing: mirror.transpose()?.into(),
        ..search::settings(&args.search, args.top)
    };
    // A take that holds no loop still gets an answer: an empty list, a reason, and a plot that shows why.
    let (hunt, failure) = match search::hunt(&loaded, &settings, args.search.shifted) {
        Ok(hunt) if hunt.found.candidates.is_empty() => {
            let failure = search::nothing_found(&loaded, &hunt.found, &args.search);
            (hunt, Some(failure))
        }
        Ok(hunt) => (hunt, None),
        Err(failure) if failure.is_negative() => {
            let none = Hunt {
                found: FoundLoops::default(),
                stretches: None,
            };
            (none, Some(failure))
        }
        Err(failure) => return Err(failure),
    };
    let found = &hunt.found;
    let mut written = Vec::new();
    if let Some(plot) = plot {
        let svg = loopwright_draw::plot::find(&loaded.analysis, &settings, found);
        plot.add(&mut outputs, &svg)?;
        written = outputs.commit()?;
    }
    if let Some(best) = found.best() {
        // A user who searches for an idle loop knows that it is idle.
        let confidence = search::confidence_warning(&loaded, best).filter(|_| !args.search.idle);
        let say = if args.json { talk::keep } else { talk::warn };
        confidence
            .into_iter()
            .chain(search::bad_frames_warning(&loaded, best))
            .for_each(|warning| say(&warning));
    }
    let answer = FindAnswer::of(&loaded, &hunt, &settings);
    if let Some(failure) = failure {
        let document = answer.json(Some(&failure), &written);
        return Err(failure.in_document(document));
    }
    output::print(&if args.json {
        answer.json(None, &written)
    } else {
        answer.human(args.verbose)
    })?;
    Ok(Ending::Done)
}
