//! The panels that look closer, and sets.

use eframe::egui::{Key, accesskit::Toggled, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use loopwright_core::SearchSettings;
use loopwright_studio::model::Stretch;

use super::driven::{studio, studio_with_stroll};

/// The panels that look closer show what the library finds, and the map of costs is clicked into.
#[test]
fn the_take_is_looked_at_closer() {
    let (_folder, mut harness) = studio_with_stroll(1280.0, 5200.0);
    harness.key_press(Key::Space);
    harness.unfold("Plots of the take");
    harness.wait("all is worked out", |model| {
        model.progress().is_none() && model.studies.costs.is_some()
    });
    harness.run_steps(5);
    let opened = harness.opened().clone();
    // The walk repeats after 1.02 s.
    harness.get_by_label("Autocorrelation: how well the take repeats after a delay");
    harness.get_by_label_contains("It repeats after 1.02 s");
    for figure in ["Pose gap, closed", "Displacement", "Seam percentile"] {
        harness.get_by_label(figure);
    }
    harness.get_by_label_contains("the lower the better");
    harness.unfold("Controller fit");
    harness.wait("a controller is fitted", |model| model.studies.fit.is_some());
    harness.run_steps(5);
    harness.get_by_label("Speed of the take, and the springs fitted to it");
    harness.get_by_label_contains("No half-life of the velocity");
    harness.press("Loops of the take");
    let costs = harness.model().studies.costs.clone().unwrap();
    let random = opened.found.random_cost.unwrap();
    let decay = SearchSettings::default().decay;
    let (start, end) = (costs.frames.len() / 5, costs.frames.len() / 2);
    let [start_frame, end_frame] = [start, end].map(|cell| costs.frames[cell]);
    let ratio = opened.studied.analysis.seam_cost(start_frame, end_frame, decay) / random;
    assert!((costs.ratios[start * costs.frames.len() + end] - ratio).abs() < 1e-12);
    assert!(costs.ratios[end * costs.frames.len() + start].is_infinite());
    let rect = harness.rect("Cost of every seam: click to take one");
    let share = |cell: usize| (cell as f32 + 0.5) / costs.frames.len() as f32;
    let point = rect.left_bottom() + rect.size() * vec2(share(start), -share(end));
    harness.hover_at(point);
    harness.step();
    harness.drag(point, vec2(0.0, 0.0));
    harness.wait_made();
    let Stretch::Frames { start_frame, end_frame } = harness.edit().stretch else {
        panic!("the map was clicked");
    };
    let taken = opened
        .studied
        .analysis
        .seam_cost(start_frame as usize, end_frame as usize, decay)
        / random;
    assert!(taken <= ratio, "{taken} {ratio}");
    let near = |frame: f64, cell: usize| (frame - costs.frames[cell] as f64).abs() <= 3.0 * costs.frames[1] as f64;
    let is_right = near(start_frame, start) && near(end_frame, end);
    assert!(is_right, "{start_frame} {end_frame}");
}

/// Offsets of closing are seen for each joint, the most moved first, and a click chooses one; then its channels.
#[test]
fn the_seam_is_seen_joint_by_joint() {
    let mut harness = studio(1400.0, 1000.0);
    harness.key_press(Key::Space);
    harness.choose_frames(20.0, 50.0);
    let made = harness.made().clone();
    let closed = &made.done.made.closed;
    let skeleton = made.done.made.loop_clip.skeleton();
    let most = |joint: usize| {
        let offsets = closed
            .rotation_offsets
            .iter()
            .skip(joint)
            .step_by(skeleton.num_joints());
        offsets.map(|offset| offset.length()).fold(0.0, f64::max)
    };
    let mut joints: Vec<usize> = (0..skeleton.num_joints()).collect();
    joints.sort_by(|&one, &other| most(other).total_cmp(&most(one)));
    let words = |joint: usize| format!("{}  {:.1}°", skeleton.joint(joint).name, most(joint).to_degrees());
    let places = [0, 1, 2].map(|place| harness.rect(&words(joints[place])).center().y);
    assert!(places.is_sorted(), "{places:?}");
    harness.press(&words(joints[1]));
    assert_eq!(harness.model().watched, joints[1]);
    for kind in ["Position added", "Rotation", "Position"] {
        harness.press(&format!("Curves: {kind}"));
        harness.get_by_label("One period with the seam in the middle");
    }
    // The curve scrubs: its middle is the seam.
    let chart = harness.rect("One period with the seam in the middle");
    harness.drag(chart.left_center() + vec2(0.75 * chart.width(), 0.0), vec2(0.0, 0.0));
    let share = harness.model().playback.secs / made.period_secs();
    assert!((share - 0.25).abs() < 0.01, "{share}");
    // The path of the joint is drawn on request.
    harness.key(Key::T);
    let path = harness.get_by_label("Path of the chosen joint over the seam");
    assert_eq!(path.accesskit_node().toggled(), Some(Toggled::True));
}
