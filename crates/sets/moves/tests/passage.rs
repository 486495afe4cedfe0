//! Passages: found where synthetic takes start and stop, meeting their loops without a step or a jerk, with the contacts of the truth.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopClip, LoopSettings, Pose, PoseRef, Take,
    analysis::FootEventKind,
    loop_clip::Interpolation,
    math::{Rigid, ops, rotation},
};
use loopwright_moves::{
    LoopSet, Passage, PassageKind,
    passage::{self, Action, FootEvent, FoundPassages, PassageError},
    play::PlayError,
};
use loopwright_synth::{SyntheticTake, WalkSettings, synthesize};

use crate::support;

const LEAD_IN_SECS: f64 = 1.5;

/// Names state turns by multiples of it.
const NAMED_TURN: f64 = core::f64::consts::FRAC_PI_4;

/// Returns a walker that stands first.
fn walker(settings: WalkSettings) -> SyntheticTake {
    synthesize(&settings.lead_in_secs(LEAD_IN_SECS).drift(0.0).noise_deg(0.0)).unwrap()
}

/// Returns a walker that stands, starts, and walks straight on.
fn start() -> SyntheticTake {
    walker(WalkSettings::default().seconds(9.0).turn_dps(0.0))
}

fn stance_of(analysis: &Analysis) -> LoopClip {
    let stand = passage::calmest_stands(analysis)[0];
    passage::stance(analysis, stand, "idle", analysis.take.frame_time_secs()).unwrap()
}

fn walk_of(analysis: &Analysis) -> LoopClip {
    let walk = support::best_made(analysis, &LoopSettings::default());
    walk.loop_clip.named("walk")
}

/// Returns the stance and the walk of a take.
fn loops_of(analysis: &Analysis) -> LoopSet {
    LoopSet::new(vec![stance_of(analysis), walk_of(analysis)]).unwrap()
}

fn found_in(take: &Take) -> (Analysis, LoopSet, FoundPassages) {
    let analysis = Analysis::new(take).unwrap();
    let set = loops_of(&analysis);
    let found = passage::find(&set, &analysis, &PassageKind::ALL).unwrap();
    (analysis, set, found)
}

/// Returns the passages of these kinds of a body that goes nowhere, the loop of its stance, and the first frame of the first.
fn on_the_spot(take: &Take, kinds: &[PassageKind]) -> (Vec<Passage>, LoopSet, f64) {
    let analysis = Analysis::new(take).unwrap();
    let set = LoopSet::new(vec![stance_of(&analysis)]).unwrap();
    let found = passage::find(&set, &analysis, kinds).unwrap();
    (all_made(&analysis, &set, &found), set, found.passages[0].frames[0])
}

fn all_made(analysis: &Analysis, set: &LoopSet, found: &FoundPassages) -> Vec<Passage> {
    let step_secs = analysis.take.frame_time_secs();
    let made = Passage::all_from_take(set, analysis, &found.passages, step_secs).unwrap();
    made.map(Result::unwrap).collect()
}

fn first_made(
    set: &LoopSet,
    analysis: &Analysis,
    found: &FoundPassages,
    step_secs: f64,
) -> Result<Passage, PassageError> {
    let mut made = Passage::all_from_take(set, analysis, &found.passages[..1], step_secs)?;
    made.next().unwrap()
}

fn names(passages: &[Passage]) -> Vec<&str> {
    passages.iter().map(Passage::name).collect()
}

/// Returns the world places of all joints over a passage, with its loops for so many samples before and after.
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

fn of_loop(passage: &Passage, set: &LoopSet, end: usize, beyond: isize) -> (Pose, Rigid) {
    let state = passage.ends[end];
    let clip: &LoopClip = &set.loops()[state.loop_index];
    let secs = beyond as f64 * passage.step_secs();
    let from = passage.roots()[end * (passage.num_samples() - 1)];
    let body = clip.body_pose_at(state.secs + secs, Interpolation::Cubic);
    (body, from * clip.root().twist.exp(secs))
}

/// Returns the largest second difference of a joint over either join, over its largest elsewhere, metres per second squared.
fn join_ratio(passage: &Passage, set: &LoopSet) -> f64 {
    // A cycle: in each of it a foot pushes off once.
    let around = (1.2 / passage.step_secs()).ceil() as isize;
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
    assert_eq!(passage.roots()[0], Rigid::IDENTITY);
    let ratio = join_ratio(passage, set);
    assert!(ratio < 1.1, "{}: {ratio}", passage.name());
    assert!(passage.has_held_feet);
    does_not_slide(passage);
}

/// When a foot of a walker comes down, at first and flat at last, and when it leaves the ground, seconds after a frame.
struct Stay {
    side: &'static str,
    strike: [f64; 2],
    lift: f64,
}

fn stays_in(SyntheticTake { take, truth }: &SyntheticTake, from: f64) -> Vec<Stay> {
    let rate_hz = truth.settings.frame_rate_hz;
    let stay = |stay: &loopwright_synth::TrueStay| {
        let (strike, ball) = (stay.strike_secs.unwrap_or(0.0), stay.ball?);
        let side = if stay.foot.starts_with("Left") { "Left" } else { "Right" };
        let joint = take.skeleton().find(&format!("{side}ToeBase")).unwrap();
        let height = |frame: usize| take.pose(frame).world(take.skeleton()).translations[joint].y;
        // If the ball comes down level and slowly, it reaches the ground earlier.
        let flat = (0..=(ball.start_secs * rate_hz) as usize).rev();
        let down = flat
            .take_while(|&frame| height(frame) < ball.position[1] + 0.012)
            .last();
        let first = down.map_or(strike, |frame| strike.min(frame as f64 / rate_hz));
        Some(Stay {
            side,
            strike: [first, ball.start_secs].map(|secs| secs - from / rate_hz),
            lift: stay.lift_secs.unwrap_or(take.duration_secs()) - from / rate_hz,
        })
    };
    truth.stays.iter().filter_map(stay).collect()
}

/// A foot that stands from a strike to a lift, the first and the last moment aside, stays where it is.
fn does_not_slide(passage: &Passage) {
    const SLIDES_MPS: f64 = 0.02;
    let (last, step_secs, skeleton) = (passage.num_samples() - 1, passage.step_secs(), passage.skeleton());
    // The heel is down before the ball, and the ball leaves before the tip.
    let edge = (0.15 / step_secs).ceil() as usize;
    for (foot, name) in ["LeftToeBase", "RightToeBase"].into_iter().enumerate() {
        let ball = skeleton.find(name).unwrap();
        let place = |sample: usize| {
            let world = passage.tracks().pose(sample).world(skeleton);
            world.moved(passage.roots()[sample]).translations[ball].with_y(0.0)
        };
        let events = passage.events.iter().filter(|event| event.foot == foot);
        let mut since = events.clone().next().map(|_| 0);
        let mut stays = Vec::new();
        for event in events {
            let sample = (event.secs / step_secs).round() as usize;
            match event.kind {
                FootEventKind::Strike => since = Some(sample),
                FootEventKind::Lift => {
                    stays.extend(since.take().map(|from| [from + edge, sample.saturating_sub(edge)]));
                }
            }
        }
        stays.extend(since.map(|from| [from + edge, last]));
        for [from, to] in stays.into_iter().filter(|[from, to]| *to > from + 3) {
            let way: f64 = (from..to).map(|sample| place(sample).distance(place(sample + 1))).sum();
            let mps = way / ((to - from) as f64 * step_secs);
            assert!(mps < SLIDES_MPS, "{}: {from} to {to} at {mps} m/s", passage.name());
        }
    }
}

/// Strikes and lifts are within two frames at 30 per second of the truth, and each of it happens once. A foot that sets out slowly lifts late.
fn happens_as_in(truth: &[Stay], passage: &Passage) {
    const AWAY_SECS: f64 = 2.0 / 30.0;
    const SLOW_SECS: f64 = 0.13;
    let (name, inside) = (passage.name(), AWAY_SECS..passage.duration_secs() - AWAY_SECS);
    let happens = |stay: &Stay| {
        let both = [
            (FootEventKind::Strike, stay.strike),
            (FootEventKind::Lift, [stay.lift, stay.lift + SLOW_SECS]),
        ];
        both.map(|(kind, when)| (stay.side, kind, when))
    };
    let asked: Vec<_> = truth.iter().flat_map(happens).collect();
    let mut events = passage.events.to_vec();
    for &(side, kind, [from, to]) in &asked {
        let is_it = |event: &FootEvent| {
            event.foot == usize::from(side == "Right")
                && event.kind == kind
                && (from - AWAY_SECS..to + AWAY_SECS).contains(&event.secs)
        };
        let is_asked = inside.contains(&from) && inside.contains(&to);
        let found = events.iter().position(is_it);
        assert!(
            found.is_some() || !is_asked,
            "{name}: {side} {kind} {from}..{to} of {events:?}"
        );
        found.map(|at| events.remove(at));
    }
    assert_eq!(events, [], "{name}: beyond the truth {asked:?}");
}

#[test]
fn a_start_is_found_and_written_as_it_is() {
    let walk = start();
    let take = &walk.take;
    let (analysis, set, found) = found_in(take);
    assert_eq!(found.passages.len(), 1);
    let [from, to] = found.passages[0].frames;
    let rate_hz = take.frame_rate_hz();
    assert!((from / rate_hz - LEAD_IN_SECS).abs() < 0.4 && to > from, "{from} {to}");
    for step_secs in [1.0 / rate_hz, 1.0 / 30.0] {
        let made = first_made(&set, &analysis, &found, step_secs).unwrap();
        assert_eq!(made.name(), "start_walk");
        happens_as_in(&stays_in(&walk, from), &made);
        assert!(made.travel().z > 0.3 && made.turn().abs() < 0.05, "{}", made.travel());
        // The written passage equals the one in memory.
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

/// Loops counted as standing below the speed of a man, though frames of a small body move from less on.
/// Returns how far joints of two local poses are apart, metres and radians together.
fn unlike(one: PoseRef, other: PoseRef) -> f64 {
    let joints = (0..one.num_joints()).map(|joint| [one.joint(joint), other.joint(joint)]);
    let off = joints.map(|[one, other]| {
        let turn = rotation::difference(one.rotation, other.rotation);
        turn.length() + one.translation.distance(other.translation)
    });
    off.fold(0.0, f64::max)
}

/// Between a start and a stop the cycles are the loop's own keys, and steps over both joins are those of the passages: a clip of
/// several motions is as smooth as each.
#[test]
fn a_loop_stands_between_its_start_and_its_stop() {
    let walk = WalkSettings::default().seconds(12.0).turn_dps(0.0).lead_out_secs(2.0);
    let (analysis, set, found) = found_in(&walker(walk).take);
    let ends = [PassageKind::Start, PassageKind::Stop].map(|kind| {
        let best = found.passages.iter().find(|passage| passage.kind == kind).unwrap();
        let best = [best.clone().at_samples(&set)];
        let mut made = Passage::all_from_take(&set, &analysis, &best, analysis.take.frame_time_secs()).unwrap();
        made.next().unwrap().unwrap()
    });
    let clip = &set.loops()[1];
    let (count, cycles) = (clip.num_samples(), 2);
    let of_body = (&analysis.body, analysis.contacts.limits());
    let (joined, range) = Passage::around(&set, 1, cycles, ends.each_ref().map(Some), of_body).unwrap();
    // Feet step on in the cycles.
    for foot in 0..2 {
        let secs = [range.start, range.end].map(|sample| sample as f64 * clip.step_secs());
        let strikes = joined
            .events
            .iter()
            .filter(|event| event.foot == foot && event.kind == FootEventKind::Strike);
        let within = strikes.filter(|event| (secs[0]..secs[1]).contains(&event.secs));
        assert_eq!(within.count(), cycles, "foot {foot}");
    }
    assert_eq!(range.len(), cycles * count);
    assert_eq!(range.start, ends[0].num_samples() - 1);
    let first = (ends[0].ends[1].secs / clip.step_secs()).round() as usize;
    for sample in 0..=cycles * count {
        let at = range.start + sample;
        assert!(unlike(joined.tracks().pose(at), clip.body_pose(first + sample)) < 1e-9);
        let way = joined.roots()[range.start].inverse() * joined.roots()[at];
        let own = clip.root_pose(first).inverse() * clip.root_pose(first + sample);
        assert!((way.translation - own.translation).length() < 1e-12);
    }
    let out = joined.num_samples() - ends[1].num_samples();
    assert!((out - range.end) < count);
    assert!(unlike(joined.tracks().pose(out), ends[1].tracks().pose(0)) < 1e-9);
    meets_its_loops(&joined, &set);
}

#[test]
fn a_small_body_starts_too() {
    let take = start().take.scaled(0.1).unwrap();
    let (analysis, set, found) = found_in(&take);
    let made = all_made(&analysis, &set, &found);
    assert_eq!(names(&made), ["start_walk"]);
}

/// Once a passage of more samples than memory holds was begun.
#[test]
fn too_many_samples_are_refused() {
    let (analysis, set, found) = found_in(&start().take);
    let refused = |made: Result<Passage, PassageError>| {
        assert!(
            matches!(made, Err(PassageError::Play(PlayError::TooManyFrames { .. }))),
            "{made:?}"
        );
    };
    refused(first_made(&set, &analysis, &found, 1e-9));
    refused(Passage::between(&set, [0, 1], 1e-9, analysis.overrides()));
    assert!(passage::stance(&analysis, 0, "idle", 1e-9).is_err());
    for step_secs in [0.0, f64::NAN, f64::INFINITY] {
        let made = first_made(&set, &analysis, &found, step_secs);
        assert!(matches!(made, Err(PassageError::Step { .. })), "{made:?}");
    }
}

/// A walker that stands, starts, walks, turns by a right angle, walks, and stops.
#[test]
fn a_walk_of_all_kinds_is_found_with_the_contacts_of_the_truth() {
    let settings = WalkSettings::default()
        .lead_out_secs(LEAD_IN_SECS)
        .turn_dps(60.0)
        .turn_span_secs(Some([4.0, 5.5]))
        .seconds(14.0);
    let walk = walker(settings);
    let (analysis, set, found) = found_in(&walk.take);
    let made = all_made(&analysis, &set, &found);
    assert_eq!(names(&made), ["start_walk", "stop_walk", "walk_turn_left_90"]);
    for (made, found) in made.iter().zip(&found.passages) {
        meets_its_loops(made, &set);
        happens_as_in(&stays_in(&walk, found.frames[0]), made);
    }
}

/// A walker that stands, turns by small steps, and stands.
#[test]
fn a_turn_in_place_is_found_with_the_contacts_of_the_truth() {
    let settings = WalkSettings::default()
        .lead_out_secs(LEAD_IN_SECS)
        .speed_mps(0.0)
        .turn_dps(-60.0)
        .seconds(7.0);
    let walk = walker(settings);
    let (made, set, first_frame) = on_the_spot(&walk.take, &PassageKind::ALL);
    let turned = (walk.truth.yaw_at(7.0) / NAMED_TURN).round() * NAMED_TURN.to_degrees();
    assert_eq!(names(&made), [format!("turn_right_{:.0}", -turned)]);
    meets_its_loops(&made[0], &set);
    happens_as_in(&stays_in(&walk, first_frame), &made[0]);
}

/// A body that is turned on its feet: between two contacts of a foot that slid, but stayed down, it was to lift and to strike at once.
#[test]
fn feet_that_slide_while_they_are_down_neither_lift_nor_strike() {
    let still = standing();
    let take = support::moved(&still, |frame| {
        let share = ((frame as f64 * still.frame_time_secs() - 1.5) / 0.45).clamp(0.0, 1.0);
        Rigid::from_yaw(
            0.7 * share.powi(3) * (10.0 - 15.0 * share + 6.0 * share * share),
            DVec3::ZERO,
        )
    });
    let (made, ..) = on_the_spot(&take, &[PassageKind::TurnInPlace]);
    assert_eq!(names(&made), ["turn_left_45"]);
    assert!(made[0].events.is_empty());
}

/// Returns a walker that does not set out within its take.
fn standing() -> Take {
    let settings = WalkSettings::default()
        .lead_in_secs(4.0)
        .seconds(4.0)
        .turn_dps(0.0)
        .noise_deg(0.0);
    synthesize(&settings).unwrap().take
}

/// A walker that stands and is thrown up by an arc that begins and ends at rest.
#[test]
fn a_jump_is_found_with_its_flight() {
    const HIGH_METRES: f64 = 0.35;
    const FLIGHT: [f64; 2] = [1.3, 2.0];
    let still = standing();
    let take = support::posed(&still, |frame, pose| {
        let share = (frame as f64 * still.frame_time_secs() - FLIGHT[0]) / (FLIGHT[1] - FLIGHT[0]);
        let share = share.clamp(0.0, 1.0);
        pose.translations[0].y += HIGH_METRES * 64.0 * (share * (1.0 - share)).powi(3);
    });
    let (made, set, first_frame) = on_the_spot(&take, &PassageKind::ALL);
    assert_eq!(names(&made), ["jump"]);
    meets_its_loops(&made[0], &set);
    // A foot has left the ground 6 mm over it.
    let flight = FLIGHT.map(|secs| secs - first_frame * take.frame_time_secs());
    let late_secs = 0.045;
    let stays = ["Left", "Right"].map(|side| Stay {
        side,
        strike: [flight[1] - late_secs; 2],
        lift: flight[0] + late_secs,
    });
    happens_as_in(&stays, &made[0]);
}

/// Captures end in a T-pose, which is no stance; a stop into it went through it.
#[test]
fn a_pose_with_arms_spread_out_is_no_stand() {
    let walk = start().take;
    let walk = support::of_frames(&walk, (0..walk.num_frames()).rev());
    let stops = Analysis::new(&walk).unwrap();
    let frame = passage::calmest_stands(&stops)[0];
    let first = walk.num_frames() - (LEAD_IN_SECS * walk.frame_rate_hz()) as usize - 40;
    assert!(frame > first);
    let take = support::posed(&walk, |frame, pose| {
        let share = ((frame as f64 - first as f64) / 30.0).clamp(0.0, 1.0);
        for (joint, turn) in walk.skeleton().joints().iter().zip(&mut pose.rotations) {
            if ["Shoulder", "Arm", "Hand"].iter().any(|part| joint.name.contains(part)) {
                *turn = turn.slerp(DQuat::IDENTITY, share);
            }
        }
    });
    let analysis = Analysis::new(&take).unwrap();
    let found = passage::find(&loops_of(&stops), &analysis, &[PassageKind::Stop]).unwrap();
    assert_eq!(found.passages, []);
}

/// A body with its arms spread out is far from an idle; without a loop that travels every fade lasted 0.3 s, and some lasted longer than the
/// action.
#[test]
fn an_action_fades_from_an_idle_too_and_no_longer_than_it_lasts() {
    let still = standing();
    let step_secs = still.frame_time_secs();
    let waving = support::posed(&still, |frame, pose| {
        let share = 0.9 + 0.1 * ops::sin(8.0 * frame as f64 * step_secs);
        for (joint, turn) in still.skeleton().joints().iter().zip(&mut pose.rotations) {
            if joint.name.ends_with("Arm") {
                *turn = turn.slerp(DQuat::IDENTITY, share);
            }
        }
    });
    let num_frames = (0.76 / step_secs).round() as usize;
    let take = support::of_frames(&waving, 0..num_frames);
    let set = LoopSet::new(vec![stance_of(&Analysis::new(&still).unwrap())]).unwrap();
    let action = Action::new(&set, &Analysis::new(&take).unwrap(), step_secs).unwrap();
    let [fade_secs, steps] = action.fade;
    assert!(
        (fade_secs - action.passage.duration_secs()).abs() < 1e-9,
        "{fade_secs} s"
    );
    assert!(steps > 1.1 && steps.is_finite(), "{steps}");
}

/// Where nothing moves, steps were compared with rounding, or divided by zero.
#[test]
fn an_action_that_holds_a_pose_is_not_compared_with_rounding() {
    let still = standing();
    let analysis = Analysis::new(&still).unwrap();
    let stand = passage::calmest_stands(&analysis)[0];
    let held = support::of_frames(&still, core::iter::repeat_n(stand, 30));
    let set = LoopSet::new(vec![stance_of(&analysis)]).unwrap();
    let action = Action::new(&set, &Analysis::new(&held).unwrap(), still.frame_time_secs()).unwrap();
    assert!(action.fade[1] < 1e3, "{:?}", action.fade);
}

#[test]
fn transitions_begin_in_the_one_loop_and_end_in_the_other() {
    let (analysis, set, _) = found_in(&start().take);
    for pair in [[0, 1], [1, 0]] {
        let step_secs = analysis.take.frame_time_secs();
        let made = Passage::between(&set, pair, step_secs, analysis.overrides()).unwrap();
        assert_eq!(made.ends.map(|end| end.loop_index), pair);
        meets_its_loops(&made, &set);
    }
}

#[test]
fn what_a_take_does_not_do_is_missing_and_other_skeletons_are_refused() {
    let walk = support::walk_of(WalkSettings::default().seconds(6.0));
    let (_, set, _) = found_in(&start().take);
    let still = Analysis::new(&walk).unwrap();
    let found = passage::find(&set, &still, &PassageKind::ALL).unwrap();
    assert_eq!(found.passages, []);
    assert_eq!(found.missing.len(), 5);
    let other = support::chain(&["a", "b", "c", "d"], DVec3::Y);
    let values = (vec![DVec3::Y; 240], vec![DQuat::IDENTITY; 240]);
    let take = Take::new("t", other, 1.0 / 30.0, values.0, values.1).unwrap();
    let refused = passage::find(&set, &Analysis::new(&take).unwrap(), &PassageKind::ALL);
    assert!(
        matches!(refused, Err(PassageError::Skeleton { index: 0, .. })),
        "{refused:?}"
    );
}
