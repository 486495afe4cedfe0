//! Pages stay small, however long their loops are.

use loopwright_core::Analysis;
use loopwright_draw::{
    Figure,
    render::DrawnMotion,
    report::{LoopEntry, PageHeading, Panel, page},
};
use loopwright_formats::loop_file::facts::{Grade, QualityFacts};
use loopwright_synth::{WalkSettings, synthesize};

/// Returns a motion of so many seconds at 120 fps, with all that a page shows of a loop.
fn entry(seconds: f64) -> LoopEntry {
    let settings = WalkSettings::default().seconds(seconds).frame_rate_hz(120.0);
    let take = synthesize(&settings).unwrap().take;
    let analysis = Analysis::new(&take).unwrap();
    let figure = Figure::new(&take, &analysis.body);
    let motion = DrawnMotion::of_take(&analysis, &figure, 0, take.num_frames() - 1).unwrap();
    LoopEntry {
        name: "a walk that is long".repeat(4),
        quality: QualityFacts {
            grade: Some(Grade::Good),
            reason: Some("no joint moves over the seam".repeat(3)),
            seam_step_ratio: Some(0.3),
            seam_joint: Some("LeftFoot".to_owned()),
            ..QualityFacts::default()
        },
        kind: "walk".to_owned(),
        speed_mps: 1.25,
        turn_rate_dps: -0.0,
        cycles: 20,
        contact_phase: 0.25,
        figures: vec![("Take", "walk.bvh".repeat(8)); 16],
        contacts: Vec::new(),
        closed: motion.clone(),
        uncut: Some(motion),
    }
}

#[test]
fn a_loop_has_less_than_a_megabyte_and_five_hundred_less_than_twenty() {
    let long = entry(40.0);
    let one = page(&PageHeading::default(), &[Panel::new(&long, 0, 1)]);
    assert!(one.len() < 1_000_000, "{} bytes", one.len());
    let many: Vec<Panel> = (0..500).map(|index| Panel::new(&long, index, 500)).collect();
    let all = page(&PageHeading::default(), &many);
    assert!(all.len() < 20_000_000, "{} bytes", all.len());
    // Short ones keep every sample where there are few.
    let short = entry(1.0);
    let samples = |page: &str| -> usize {
        let (_, after) = page.split_once("\"n\":").unwrap();
        after.split(',').next().unwrap().parse().unwrap()
    };
    let few = page(&PageHeading::default(), &[Panel::new(&short, 0, 1)]);
    assert_eq!(samples(&few), short.closed.num_frames());
    assert!(samples(&all) >= 16 && samples(&all) < long.closed.num_frames());
}
