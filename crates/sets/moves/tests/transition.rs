//! Jumps between motions: costs against first principles, the best of them against all pairs.

use loopwright_core::{Analysis, BodyOverrides, LoopSettings, Skeleton, math::Decay};
use loopwright_moves::{
    Transitions,
    transition::{GapOf, TransitionClip, TransitionError},
};
use loopwright_synth::WalkSettings;

use crate::support::{best_made, posed_on, walk_of};

const DECAYS: [Decay; 3] = [
    Decay::Spring { half_life_secs: 0.1 },
    Decay::Cubic { blend_secs: 0.4 },
    Decay::Quintic { blend_secs: 0.4 },
];

fn walk(change: impl FnOnce(&mut WalkSettings)) -> Analysis {
    let mut settings = WalkSettings::default().seconds(5.0).frame_rate_hz(30.0);
    change(&mut settings);
    Analysis::new(&walk_of(settings)).unwrap()
}

fn motion(analysis: Analysis) -> TransitionClip {
    TransitionClip::from_take(analysis)
}

fn slow() -> Analysis {
    walk(|_| {})
}

/// Another gait, rate and direction.
fn quick() -> Analysis {
    walk(|settings| {
        settings.seed = 11;
        settings.frame_rate_hz = 50.0;
        settings.period_secs = 0.9;
        settings.speed_mps = 1.8;
        settings.turn_dps = -20.0;
    })
}

#[test]
fn staying_in_the_same_frame_is_free_and_costs_are_sums_of_their_parts() {
    let (left, entered) = (motion(slow()), motion(quick()));
    let same = Transitions::between(&left, &left, &[]).unwrap();
    let other = Transitions::between(&left, &entered, &[]).unwrap();
    for decay in DECAYS {
        assert_eq!(same.cost(40, 40, decay), 0.0);
        assert!(same.cost(40, 55, decay) > 0.01);
        for (exit, entry) in [(0, 0), (17, 80), (149, 249)] {
            let (exact, feature) = (other.cost(exit, entry, decay), other.feature_cost(exit, entry, decay));
            assert!(feature <= exact && exact.is_finite());
            let parts: f64 = other.gaps(exit, entry).iter().map(|gap| gap.cost(decay)).sum();
            assert!((parts - exact).abs() < 1e-12 * exact, "{parts}, {exact}");
        }
    }
    let gaps = other.gaps(17, 80);
    assert_eq!(gaps.len(), other.joints().len() + 2);
    let root = gaps.iter().find(|gap| gap.of == GapOf::RootVelocity).unwrap();
    // 1.8 m/s are entered from the default speed.
    let slower = WalkSettings::default().speed_mps - 1.8;
    assert!((root.velocity.z - slower).abs() < 0.2, "{root:?}");
}

#[test]
fn the_best_entries_are_those_of_all_pairs() {
    for (left, entered) in [(slow(), quick()), (quick(), slow())] {
        let transitions = Transitions::between(&motion(left), &motion(entered), &[]).unwrap();
        let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
        // Takes are entered where at least 0.4 s of them remain.
        let rate = if entries > 200 { 50.0 } else { 30.0 };
        let last = entries - 1 - (0.4_f64 * rate) as usize;
        for decay in DECAYS {
            let best = transitions.best_entries(0..exits, 0..entries, decay);
            assert_eq!(best.len(), exits);
            for crossing in &best {
                let costs = (0..=last).map(|entry| (transitions.cost(crossing.exit, entry, decay), entry));
                let (cost, entry) = costs.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
                assert_eq!((crossing.cost.to_bits(), crossing.entry), (cost.to_bits(), entry));
            }
            let crossings = transitions.best(0..exits, 0..entries, decay, 4);
            assert!(!crossings.is_empty() && crossings.is_sorted_by(|one, other| one.cost <= other.cost));
            let costs = crossings.iter().map(|crossing| crossing.cost);
            assert_eq!(crossings[0].cost, costs.fold(f64::INFINITY, f64::min));
            for crossing in &crossings {
                // Nothing within 0.1 s is cheaper.
                let step = 1.0 / (80.0 - rate);
                let is_near = |exit: usize| (exit.abs_diff(crossing.exit) as f64) * step < 0.0999;
                let mut near = crossings.iter().filter(|other| is_near(other.exit));
                assert!(near.all(|other| other.cost >= crossing.cost));
            }
            let from_one = transitions.best(7..8, 0..entries, decay, 3);
            assert_eq!((from_one[0].exit, from_one[0].cost), (7, best[7].cost));
        }
    }
}

#[test]
fn a_loop_is_left_and_entered_around_its_seam_as_its_take_is() {
    let taken = slow();
    let clip = best_made(&taken, &LoopSettings::default()).loop_clip;
    let samples = clip.num_samples();
    let looped = TransitionClip::from_loop(&clip, &BodyOverrides::default()).unwrap();
    assert!(looped.repeats() && looped.num_frames() == samples);
    let on_itself = Transitions::between(&looped, &looped, &[]).unwrap();
    let decay = DECAYS[0];
    // From the last sample on to the first is one step like any other.
    let step = |exit: usize| on_itself.cost(exit, (exit + 1) % samples, decay);
    let largest = (0..samples - 1).map(step).fold(0.0, f64::max);
    assert!(step(samples - 1) <= 1.2 * largest, "{} of {largest}", step(samples - 1));
    // The take of the loop is close to it somewhere, at every phase.
    let back = Transitions::between(&looped, &motion(taken), &[]).unwrap();
    let grid = back.grid(0..samples, 0..usize::MAX, decay, usize::MAX);
    let sorted = grid.sorted();
    for crossing in back.best_entries(0..samples, 0..usize::MAX, decay) {
        assert!(crossing.cost < 0.15 * sorted[sorted.len() / 2], "{crossing:?}");
    }
    // Frames around the seam count as neighbours.
    let best = on_itself.best(0..samples, 0..samples, decay, samples);
    for (index, one) in best.iter().enumerate() {
        for other in &best[..index] {
            let apart = one.exit.abs_diff(other.exit);
            let secs = apart.min(samples - apart) as f64 * clip.step_secs();
            assert!(secs >= 0.0999, "{one:?} {other:?}");
        }
    }
}

#[test]
fn grids_are_thinned_evenly_and_never_grow() {
    let transitions = Transitions::between(&motion(slow()), &motion(quick()), &[]).unwrap();
    let grid = transitions.grid(0..usize::MAX, 10..20, DECAYS[0], 7);
    assert_eq!((grid.exits.len(), grid.entries.len(), grid.exact.len()), (7, 7, 49));
    assert!(grid.exits[0] == 0 && grid.entries[0] == 10 && grid.exits.is_sorted() && grid.entries[6] < 20);
    let cost = transitions.cost(grid.exits[1], grid.entries[1], DECAYS[0]);
    assert_eq!(grid.exact[8], cost);
    let mut costs = grid.feature.iter().zip(&grid.exact);
    assert!(costs.all(|(feature, exact)| feature <= exact));
    let none = transitions.grid(5..5, 900..990, DECAYS[0], 7);
    assert!(none.exact.is_empty() && transitions.best(900..990, 0..5, DECAYS[0], 3).is_empty());
}

#[test]
fn bad_frames_and_weights_are_respected() {
    let t_pose = motion(walk(|settings| settings.t_pose_first_frame = true));
    let other = motion(slow());
    let transitions = Transitions::between(&t_pose, &other, &[]).unwrap();
    let best = transitions.best_entries(0..usize::MAX, 0..usize::MAX, DECAYS[0]);
    assert!(best[0].exit > 0 && best.len() < transitions.num_exits());
    let feet_alone = [("*", 0.0), ("*Foot", 1.0)].map(|(pattern, weight)| (pattern.to_owned(), weight));
    let few = Transitions::between(&t_pose, &other, &feet_alone).unwrap();
    assert_eq!(few.joints().len(), 2);
    let unknown = Transitions::between(&t_pose, &other, &[("Nobody".to_owned(), 1.0)]);
    assert!(matches!(unknown, Err(TransitionError::Body(_))));
}

#[test]
fn other_skeletons_are_reported_joint_by_joint() {
    let take = slow().take;
    let mut joints = take.skeleton().joints().to_vec();
    let ours = std::mem::replace(&mut joints[3].name, "Tail".to_owned());
    let other = posed_on(&take, Skeleton::new(joints).unwrap(), |_, _| ());
    let analysis = Analysis::new(&other).unwrap();
    let error = Transitions::between(&motion(slow()), &TransitionClip::from_take(analysis), &[]).unwrap_err();
    let TransitionError::Skeleton {
        only_left,
        only_entered,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!((only_left, only_entered), (vec![ours], vec!["Tail".to_owned()]));
}
