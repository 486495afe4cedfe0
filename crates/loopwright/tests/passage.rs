//! Passages: found where synthetic takes start and stop, meeting their loops without a step or a jerk, with the contacts of the truth.

use glam::DVec3;
use loopwright::math::Decay;
use loopwright::passage::{self, Found, PassageError};
use loopwright::{Analysis, LoopClip, LoopSet, LoopSettings, Passage, PassageKind, SearchSettings, Take};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::{SyntheticTake, Truth, WalkSettings, synthesize};

use crate::support;

const LEAD_IN_SECS: f64 = 1.5;

/// A walker that stands, starts, and walks straight on.
fn start() -> SyntheticTake {
    synthesize(
        &WalkSettings::default()
            .lead_in_secs(LEAD_IN_SECS)
            .seconds(9.0)
            .turn_dps(0.0)
            .drift(0.0)
            .noise_deg(0.0),
    )
    .unwrap()
}

/// The same take backwards in time: it walks backwards, and stops.
fn reversed(take: &Take) -> Take {
    let frames = (0..take.num_frames()).rev();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in frames {
        translations.extend(take.translations(frame));
        rotations.extend(take.rotations(frame));
    }
    let skeleton = take.skeleton().clone();
    Take::new("stop", skeleton, take.frame_time_secs(), translations, rotations).unwrap()
}

/// The stance and the walk of a take.
fn loops_of(analysis: &Analysis) -> LoopSet {
    let step_secs = analysis.take.frame_time_secs();
    let stand = passage::calmest_stands(analysis).unwrap()[0];
    let stance = passage::stance(analysis, stand, "idle", step_secs).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let walk = analysis
        .make_loop(found.best().unwrap(), &LoopSettings::default())
        .unwrap();
    LoopSet::new(vec![stance, walk.loop_clip.named("walk")]).unwrap()
}

fn found_in(take: &Take) -> (Analysis, LoopSet, Found) {
    let analysis = Analysis::new(take).unwrap();
    let set = loops_of(&analysis);
    let found = passage::find(&set, &analysis, &PassageKind::ALL).unwrap();
    (analysis, set, found)
}

/// World places of all joints over a passage, with its loops for so many samples before and after.
fn with_loops(passage: &Passage, set: &LoopSet, around: isize) -> Vec<Vec<DVec3>> {
    let last = passage.num_samples() as isize - 1;
    let place = |sample: isize| {
        let (body, root) = match sample {
            ..0 => of_loop(passage, set, 0, sample),
            _ if sample > last => of_loop(passage, set, 1, sample - last),
            _ => (
                passage.tracks().pose(sample as usize).to_pose(),
                passage.roots()[sample as usize],
            ),
        };
        body.as_ref().world(passage.skeleton()).moved(root).translations
    };
    (-around..=last + around).map(place).collect()
}

fn of_loop(passage: &Passage, set: &LoopSet, end: usize, beyond: isize) -> (loopwright::Pose, loopwright::math::Rigid) {
    let state = passage.ends()[end];
    let clip: &LoopClip = &set.loops()[state.loop_index];
    let secs = beyond as f64 * passage.step_secs();
    let from = passage.roots()[end * (passage.num_samples() - 1)];
    let body = clip.body_pose_at(state.secs + secs, loopwright::loop_clip::Interpolation::Cubic);
    (body, from * clip.root().twist.exp(secs))
}

/// The largest second difference of a joint over either join, over its largest elsewhere, metres per second squared.
fn join_ratio(passage: &Passage, set: &LoopSet) -> f64 {
    let around = 30;
    let places = with_loops(passage, set, around);
    let last = passage.num_samples() - 1 + around as usize;
    let bend = |joint: usize, at: usize| {
        let [before, here, after] = [at - 1, at, at + 1].map(|at| places[at][joint]);
        (after - 2.0 * here + before).length() / passage.step_secs().powi(2)
    };
    let joins = [around as usize, last];
    let is_near = |at: usize| joins.iter().any(|join| join.abs_diff(at) <= 1);
    let of_joint = |joint: usize| {
        let most = |near: bool| {
            let frames = (1..places.len() - 1).filter(|&at| is_near(at) == near);
            frames.map(|at| bend(joint, at)).fold(0.0, f64::max)
        };
        most(true) / most(false).max(4.0)
    };
    (0..places[0].len()).map(of_joint).fold(0.0, f64::max)
}

fn meets_its_loops(passage: &Passage, set: &LoopSet) {
    let last = passage.num_samples() - 1;
    for (end, sample) in [(0, 0), (1, last)] {
        let (body, _) = of_loop(passage, set, end, 0);
        assert_eq!(passage.tracks().pose(sample).to_pose().translations, body.translations);
    }
    assert_eq!(passage.roots()[0], loopwright::math::Rigid::IDENTITY);
    let ratio = join_ratio(passage, set);
    assert!(ratio < 1.1, "{}: {ratio}", passage.name());
    assert!(passage.has_held_feet());
}

/// When a foot of a walker comes down, heel first and flat at last, and when its ball leaves the ground, seconds after a frame.
struct Stay {
    side: &'static str,
    strike: [f64; 2],
    lift: f64,
}

fn stays_in(truth: &Truth, from: f64) -> Vec<Stay> {
    let rate_hz = truth.settings.frame_rate_hz;
    let balls = truth
        .contacts
        .iter()
        .filter(|contact| contact.joint.ends_with("ToeBase"));
    let stay = |ball: &loopwright_synth::Contact| {
        let flat_secs = ball.start_frame / rate_hz;
        // The roll takes an eighth of the stance.
        let heel_secs = truth.time_at_phase(truth.phase_at(flat_secs) - 0.125 * 0.62);
        Stay {
            side: if ball.joint.starts_with("Left") {
                "Left"
            } else {
                "Right"
            },
            strike: [heel_secs, flat_secs].map(|secs| secs - from / rate_hz),
            lift: (ball.end_frame - from) / rate_hz,
        }
    };
    balls.map(stay).collect()
}

/// Strikes and lifts are within a frame of the truth, at the rate of films.
fn happens_as_in(truth: &[Stay], passage: &Passage) {
    assert!(passage.events().len() >= 2, "{:?}", passage.events());
    for event in passage.events() {
        let side = if event.foot == 0 { "Left" } else { "Right" };
        let away = truth.iter().filter(|stay| stay.side == side).map(|stay| {
            let [from, to] = if event.is_strike { stay.strike } else { [stay.lift; 2] };
            (from - event.secs).max(event.secs - to).max(0.0)
        });
        let away = away.fold(f64::INFINITY, f64::min);
        assert!(away < 1.0 / 24.0, "{}: {event:?} is {away} s away", passage.name());
    }
}

#[test]
fn a_start_is_found_and_meets_both_loops() {
    let SyntheticTake { take, truth } = start();
    let (analysis, set, found) = found_in(&take);
    let names: Vec<&str> = found.passages.iter().map(|passage| passage.name.as_str()).collect();
    assert_eq!(names, ["start_walk"]);
    let [from, to] = found.passages[0].frames;
    let rate_hz = take.frame_rate_hz();
    assert!((from / rate_hz - LEAD_IN_SECS).abs() < 0.4 && to > from, "{from} {to}");
    for step_secs in [1.0 / rate_hz, 1.0 / 30.0] {
        let made = Passage::from_take(&set, &analysis, &found.passages[0], step_secs).unwrap();
        if step_secs * rate_hz == 1.0 {
            meets_its_loops(&made, &set);
        }
        happens_as_in(&stays_in(&truth, from), &made);
        assert!(made.travel().z > 0.3 && made.turn().abs() < 0.05, "{}", made.travel());
        // What it writes is what it holds.
        let written = made.to_take().unwrap();
        let last = made.num_samples() - 1;
        let world = made
            .tracks()
            .pose(last)
            .world(made.skeleton())
            .moved(made.roots()[last]);
        let own = written.pose(last).world(written.skeleton());
        assert!(world.translations[0].distance(own.translations[0]) < 1e-9);
        assert_eq!(made.to_take_with_root("root").unwrap().skeleton().joint(0).name, "root");
        assert!(made.in_place().travel() == DVec3::ZERO && made.in_place().tracks() == made.tracks());
    }
}

#[test]
fn a_stop_is_found_and_meets_both_loops() {
    let take = reversed(&start().take);
    let (analysis, set, found) = found_in(&take);
    let kinds: Vec<PassageKind> = found.passages.iter().map(|passage| passage.kind).collect();
    assert_eq!(kinds, [PassageKind::Stop]);
    assert!(found.missing.iter().any(|(kind, _)| *kind == PassageKind::Start));
    let made = Passage::from_take(&set, &analysis, &found.passages[0], take.frame_time_secs()).unwrap();
    meets_its_loops(&made, &set);
}

/// A walker that stands, starts, walks, turns by a right angle, walks, and stops.
#[test]
fn a_walk_of_all_kinds_is_found_with_the_contacts_of_the_truth() {
    let SyntheticTake { take, truth } = synthesize(
        &WalkSettings::default()
            .lead_in_secs(LEAD_IN_SECS)
            .lead_out_secs(LEAD_IN_SECS)
            .turn_dps(60.0)
            .turn_span_secs(Some([4.0, 5.5]))
            .seconds(14.0)
            .drift(0.0)
            .noise_deg(0.0),
    )
    .unwrap();
    let (analysis, set, found) = found_in(&take);
    let names: Vec<&str> = found.passages.iter().map(|passage| passage.name.as_str()).collect();
    assert_eq!(names, ["start_walk", "stop_walk", "walk_turn_left_90"]);
    for found in &found.passages {
        let made = Passage::from_take(&set, &analysis, found, take.frame_time_secs()).unwrap();
        meets_its_loops(&made, &set);
        happens_as_in(&stays_in(&truth, found.frames[0]), &made);
    }
}

#[test]
fn transitions_begin_in_the_one_loop_and_end_in_the_other() {
    let (analysis, set, _) = found_in(&start().take);
    let fade = Decay::Quintic {
        blend_secs: passage::FADE_SECS,
    };
    for pair in [[0, 1], [1, 0]] {
        let step_secs = analysis.take.frame_time_secs();
        let made = Passage::between(&set, pair, fade, step_secs, analysis.overrides()).unwrap();
        assert_eq!(made.ends().map(|end| end.loop_index), pair);
        meets_its_loops(&made, &set);
    }
}

#[test]
fn what_a_take_does_not_do_is_missing_and_other_skeletons_are_refused() {
    let walk = support::walk_of(WalkSettings::default().seconds(6.0));
    let (analysis, set, _) = found_in(&start().take);
    let still = Analysis::new(&walk).unwrap();
    let found = passage::find(&set, &still, &PassageKind::ALL).unwrap();
    assert_eq!(found.passages, []);
    assert_eq!(found.missing.len(), 5);
    let other = support::chain(&["a", "b", "c", "d"], DVec3::Y);
    let values = (vec![DVec3::Y; 240], vec![glam::DQuat::IDENTITY; 240]);
    let take = Take::new("t", other, 1.0 / 30.0, values.0, values.1).unwrap();
    let refused = passage::find(&set, &Analysis::new(&take).unwrap(), &PassageKind::ALL);
    assert!(
        matches!(refused, Err(PassageError::Skeleton { index: 0, .. })),
        "{refused:?}"
    );
    drop(analysis);
}

/// Captured turns: one each, of the size that the take's heading shows.
#[test]
fn captured_turns_are_found_and_hold_their_feet() {
    let Some(folder) = folder_or_skip() else { return };
    for (name, degrees) in [
        ("bandai-namco/dataset-2_walk-turn-left_normal_031.bvh", 90.0),
        ("bandai-namco/dataset-2_walk-turn-right_normal_010.bvh", -90.0),
    ] {
        let take = support::captured(&folder, name);
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let walk = analysis
            .make_loop(found.best().unwrap(), &LoopSettings::default())
            .unwrap();
        let set = LoopSet::new(vec![walk.loop_clip.named("walk")]).unwrap();
        let found = passage::find(&set, &analysis, &[PassageKind::Turn]).unwrap();
        assert_eq!(found.passages.len(), 1, "{name}");
        let made = Passage::from_take(&set, &analysis, &found.passages[0], take.frame_time_secs()).unwrap();
        assert!((made.turn().to_degrees() - degrees).abs() < 12.0, "{}", made.turn());
        assert!(made.has_held_feet());
        let ratio = join_ratio(&made, &set);
        assert!(ratio < 1.35, "{name}: {ratio}");
    }
}
