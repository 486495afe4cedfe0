//! If the seam of a loop is visible, another stretch or another closure is used.

use loopwright_core::{
    Analysis, LoopCandidate, LoopSettings, SearchSettings, Take,
    closure::{Method, Shape, ShapeKind},
    feet::FootLock,
    pipeline::{RetriedLoop, Retry},
};
use loopwright_synth::WalkSettings;

use crate::support::{analysed, by_cost, measured, steady, walk_of};

/// Several cycles of exactly 60 frames.
fn walk() -> Take {
    walk_of(steady().period_secs(1.0).seconds(5.0).turn_dps(0.0))
}

fn stretch(analysis: &Analysis, start: usize, end: usize) -> LoopCandidate {
    analysis
        .appraise(start as f64, end as f64, &SearchSettings::default())
        .unwrap()
}

/// Settings that close only gaps of the pose, and those within a frame; where feet are held, legs are smooth all the same.
fn abrupt() -> LoopSettings {
    LoopSettings {
        closure: Method::new(Shape::new(ShapeKind::Linear, 0.02)).into(),
        feet: FootLock::Off.into(),
        ..LoopSettings::default()
    }
}

fn retried(analysis: &Analysis, first: &LoopCandidate, others: &[LoopCandidate], closures: bool) -> RetriedLoop {
    let retry = Retry {
        stretches: others,
        closures,
        ..Retry::default()
    };
    analysis.make_loop_or_retry(first, &abrupt(), retry).unwrap()
}

#[test]
fn the_first_stretch_whose_seam_does_not_show_is_taken() {
    let analysis = analysed(&walk());
    let too_short = stretch(&analysis, 70, 122);
    let others = [stretch(&analysis, 70, 120), stretch(&analysis, 65, 125)];

    let done = retried(&analysis, &too_short, &others, true);
    assert_eq!(done.made.candidate, others[1]);
    assert_eq!(done.asked_for.as_ref().map(|made| &made.candidate), Some(&too_short));
    assert_eq!((done.tried, done.shows, measured(&done.made).pops()), (3, false, false));
    assert_eq!(done.settings, abrupt());

    let fine = retried(&analysis, &others[1], &[], true);
    assert_eq!((fine.asked_for, fine.tried, fine.shows), (None, 1, false));
}

#[test]
fn stretches_are_searched_for_where_none_is_given() {
    let analysis = analysed(&walk());
    let too_short = stretch(&analysis, 70, 122);
    let search = by_cost();
    let found = analysis.find_loops(&search).unwrap().candidates;
    let retry = Retry {
        search: Some(&search),
        ..Retry::default()
    };
    let sought = analysis.make_loop_or_retry(&too_short, &abrupt(), retry).unwrap();
    let given = retried(&analysis, &too_short, &found, false);
    assert_eq!((&sought.made, sought.tried), (&given.made, given.tried));
    assert!(given.tried > 1 && !given.shows);
}

#[test]
fn a_loop_that_the_search_made_is_the_one_that_would_be_made() {
    let analysis = analysed(&walk_of(WalkSettings::default()));
    let (found, made) = analysis.find_and_make(&SearchSettings::default()).unwrap();
    let best = found.best().unwrap();
    assert_eq!(made.as_ref().map(|made| &made.candidate), Some(best));
    let mut recentered = LoopSettings::default();
    recentered.root.recenter = true;
    for settings in [LoopSettings::default(), recentered, abrupt()] {
        let retry = Retry {
            made: made.as_ref(),
            ..Retry::default()
        };
        let done = analysis.make_loop_or_retry(best, &settings, retry).unwrap();
        assert_eq!(done.made, analysis.make_loop(best, &settings).unwrap());
    }
    // One of another stretch is left alone.
    let other = stretch(&analysis, 70, 130);
    let retry = Retry {
        made: made.as_ref(),
        ..Retry::default()
    };
    let done = analysis
        .make_loop_or_retry(&other, &LoopSettings::default(), retry)
        .unwrap();
    assert_eq!(done.made.candidate, other);
}

#[test]
fn the_seam_is_closed_otherwise_where_no_stretch_helps() {
    let analysis = analysed(&walk());
    let first = stretch(&analysis, 70, 122);
    let others = [stretch(&analysis, 70, 120)];

    let done = retried(&analysis, &first, &others, true);
    assert_eq!(done.made.candidate, first, "the frames asked for come first");
    assert!(!measured(&done.made).pops() && done.settings != abrupt());

    let left = retried(&analysis, &first, &others, false);
    assert!(left.shows && measured(&left.made).pops());
    assert_eq!((left.made.candidate, left.asked_for, left.tried), (first, None, 2));
}

#[test]
fn the_closure_chosen_shows_no_seam_where_another_does_not() {
    let analysis = analysed(&walk());
    for end in [120, 122] {
        let first = stretch(&analysis, 70, end);
        let choice = analysis.choose_closure(&first, &LoopSettings::default()).unwrap();
        let settings = LoopSettings {
            closure: choice.method.into(),
            ..LoopSettings::default()
        };
        let pops = |settings: &LoopSettings| measured(&analysis.make_loop(&first, settings).unwrap()).pops();
        assert!(!pops(&settings), "to {end}: {:?}", choice.method);
        assert!(pops(&abrupt()), "to {end}");
    }
}
