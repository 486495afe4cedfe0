//! Plots of jumps and of fits: their contents, and that unusual input does not make them fail.

use loopwright_controller::FitSettings;
use loopwright_core::{Analysis, math::Decay};
use loopwright_draw::plot::png;
use loopwright_moves::{Transitions, transition::TransitionClip};
use loopwright_synth::{DriveSettings, WalkSettings, drive, synthesize};

fn walk(seconds: f64, period_secs: f64) -> Analysis {
    let settings = WalkSettings {
        period_secs,
        ..WalkSettings::default().seconds(seconds).frame_rate_hz(30.0)
    };
    Analysis::new(&synthesize(&settings).unwrap().take).unwrap()
}

fn assert_has(svg: &str, all: &[&str]) {
    for words in all {
        assert!(svg.contains(words), "no {words}");
    }
}

/// Asserts that a plot is valid: well-formed for the rasteriser, small, and without NaN or infinity.
fn assert_sound(svg: &str) {
    assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
    for word in ["NaN", "inf", "e-", "-0 "] {
        let drawn = svg.split("</style>").nth(1).unwrap().replace("text-anchor", "");
        let is_bad = |part: &&str| part.contains(word) && part.starts_with(['M', '-', 'N', 'i']);
        let found = drawn.split('"').find(is_bad);
        assert!(found.is_none(), "{word} in {found:?}");
    }
    let png = png(svg).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

/// Springs are drawn over changes, and takes with no change, or no takes at all, cause no failure.
#[test]
fn fits_are_drawn_with_and_without_changes() {
    let fit = |settings: &DriveSettings| {
        let analysis = Analysis::new(&drive(settings).unwrap()).unwrap();
        loopwright_controller::fit(&analysis, &FitSettings::default()).unwrap()
    };
    let driven = fit(&DriveSettings::default());
    let still = fit(&DriveSettings {
        commands: Vec::new(),
        ..DriveSettings::default()
    });
    let alone = loopwright_plots::controller_fit(&[("driven".to_owned(), &driven)]);
    let words = [
        "driven: the take",
        "Speed over the ground",
        "Angular velocity",
        "spring of 0.4",
    ];
    assert_has(&alone, &words);
    // The five changes of velocity and the two of facing, in each of their two panels, and once in each of the lower ones.
    let red = |svg: &str| svg.matches("class=\"line lv\"").count();
    assert_eq!(red(&alone), 2 * 5 + 2 * 2 + 2 + 3);
    assert_eq!(
        red(&loopwright_plots::controller_fit(&[("still".to_owned(), &still)])),
        3
    );
    let both = loopwright_plots::controller_fit(&[("driven".to_owned(), &driven), ("still".to_owned(), &still)]);
    assert!(both.contains("2 takes") && !both.contains("Speed over the ground"));
    for svg in [alone, both, loopwright_plots::controller_fit(&[])] {
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        png(&svg).unwrap();
    }
}

#[test]
fn jumps_between_motions_are_mapped_with_the_best_of_them() {
    let clips = [(3.0, 1.1), (4.0, 0.9)].map(|(secs, period_secs)| TransitionClip::from_take(walk(secs, period_secs)));
    let transitions = Transitions::between(&clips[0], &clips[1], &[]).unwrap();
    let all = [transitions.num_exits(), transitions.num_entries()];
    let decay = Decay::Spring { half_life_secs: 0.1 };
    let best = transitions.best(0..all[0], 0..all[1], decay, 3);
    let grid = transitions.grid(0..all[0], 0..all[1], decay, 60);
    let map = loopwright_plots::TransitionMap {
        names: ["slow & steady", "quick"],
        step_secs: [1.0 / 30.0; 2],
        decay,
        grid: &grid,
        best_entries: &transitions.best_entries(0..all[0], 0..all[1], decay),
        best: &best,
        matching: Some((all, 0.7)),
    };
    let svg = loopwright_plots::transitions(&map);
    assert_sound(&svg);
    let words = [
        "leave slow &amp; steady at, s",
        "enter quick at, s",
        "matching phase",
        "Approximate cost",
        "When to leave",
    ];
    assert_has(&svg, &words);
    // A ring for each of the best on the map, and one on the curve below; those of the legends are added.
    assert_eq!(svg.matches("r=\"4.5\"").count(), 2 * best.len());
    // A single jump, a jump that costs nothing, and no jumps at all are also drawn.
    for [exits, entries] in [[0..1, 0..1], [0..1, 0..all[1]], [5..5, 0..all[1]]] {
        let grid = transitions.grid(exits, entries, decay, 60);
        assert_sound(&loopwright_plots::transitions(&loopwright_plots::TransitionMap {
            grid: &grid,
            best: &[],
            best_entries: &[],
            matching: None,
            ..map
        }));
    }
}

#[test]
fn jumps_among_many_motions_are_mapped_with_their_names() {
    let decay = Decay::Quintic { blend_secs: 0.4 };
    for count in [0, 2, 5, 40, 256] {
        let names: Vec<String> = (0..count)
            .map(|index| format!("walk <{index}> with a rather long name of its own"))
            .collect();
        let cost = |exit: usize, entry: usize| (exit != entry).then(|| 0.1 + 0.01 * (3 * exit + entry) as f64);
        let costs: Vec<Vec<_>> = (0..count)
            .map(|exit| (0..count).map(|entry| cost(exit, entry)).collect())
            .collect();
        let svg = loopwright_plots::transitions_among(&names, decay, &costs);
        assert_sound(&svg);
        // On both axes, as many as there is room for.
        let shown = svg.matches("walk &lt;").count();
        assert_eq!(
            shown,
            2 * names.len().div_ceil(if count > 100 { 6 } else { 1 }),
            "{count}"
        );
        // Large cells hold their costs.
        let costs = svg.matches("text-anchor=\"middle\" fill=").count();
        assert_eq!(costs, if count < 10 { count * (count.max(1) - 1) } else { 0 });
    }
}
