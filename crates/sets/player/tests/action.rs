//! The fades of an action are played as they were estimated where their time was chosen.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopClip, LoopSettings, Pose, SearchSettings, Skeleton, Take, Tracks, loop_clip::Interpolation, math::ops,
};
use loopwright_moves::{
    LoopSet,
    passage::{self, Action, LoopState},
};
use loopwright_player::{MotionSet, SteeredCharacter};
use loopwright_synth::{WalkSettings, synthesize};
use serde_json::{Value, json};

const PHASES: usize = 12;

fn walker(lead_in_secs: f64, seconds: f64) -> Take {
    let settings = WalkSettings::default().turn_dps(0.0).drift(0.0).noise_deg(0.0);
    let settings = settings.frame_rate_hz(30.0).lead_in_secs(lead_in_secs).seconds(seconds);
    synthesize(&settings).unwrap().take
}

/// Returns an idle and a walk.
fn loops() -> LoopSet {
    let take = walker(1.5, 9.0);
    let analysis = Analysis::new(&take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let made = analysis
        .make_loop(found.best().unwrap(), &LoopSettings::default())
        .unwrap();
    let stand = passage::calmest_stands(&analysis)[0];
    let idle = passage::stance(&analysis, stand, "idle", take.frame_time_secs()).unwrap();
    LoopSet::new(vec![idle, made.loop_clip.named("walk")]).unwrap()
}

/// Returns a bow of a body that stands: it ends early, and then the body stands again.
fn bow(set: &LoopSet) -> Action {
    let still = walker(4.0, 4.0);
    let step_secs = still.frame_time_secs();
    let poses = (0..60).map(|frame| {
        let mut pose = still.pose(frame).to_pose();
        let share = (frame as f64 * step_secs / 0.8).min(1.0);
        let spine = still.skeleton().find("Spine").unwrap();
        let deep = ops::sin(core::f64::consts::PI * share);
        pose.rotations[spine] *= DQuat::from_rotation_x(0.8 * deep * deep);
        pose
    });
    let tracks = Tracks::pose_by_pose(still.skeleton(), step_secs, poses.collect::<Vec<_>>());
    let analysis = Analysis::new(&Take::from_tracks("bow", tracks).unwrap()).unwrap();
    Action::new(set, &analysis, step_secs).unwrap()
}

/// Returns the set as a player reads it.
fn played(set: &LoopSet, action: &Action) -> Arc<MotionSet> {
    let state = |state: &LoopState| json!({ "clip": set.loops()[state.loop_index].name(), "secs": state.secs });
    let of_loop = |clip: &LoopClip| {
        let twist = clip.root().twist;
        json!({ "name": clip.name(), "file": "", "kind": "loop", "seconds": clip.period_secs(), "frames": clip.num_samples(),
            "twist": { "linear": twist.linear.to_array(), "angular": twist.angular.to_array() } })
    };
    let passage = &action.passage;
    let roots = passage.roots().iter();
    let places: Vec<f64> = roots.clone().flat_map(|root| root.translation.to_array()).collect();
    let turns: Vec<f64> = roots.flat_map(|root| root.rotation.to_array()).collect();
    let mut clips: Vec<Value> = set.loops().iter().map(of_loop).collect();
    clips.push(
        json!({ "name": "bow", "file": "", "kind": "gesture", "seconds": passage.duration_secs(), "frames": passage.num_samples() - 1,
            "leave_secs": action.leave_secs, "fade_secs": action.fade[0],
            "next": action.next.iter().map(|(next, _)| state(next)).collect::<Vec<_>>(),
            "root": { "translation": places, "rotation": turns } }),
    );
    let manifest =
        json!({ "format": "loopwright-set", "version": 1, "in_place": true, "root_joint": null, "clips": clips });
    let set = MotionSet::from_takes(&serde_json::to_vec(&manifest).unwrap(), |source| {
        let tracks = match set.loops().iter().find(|clip| clip.name() == source.clip) {
            Some(clip) => {
                let poses = (0..clip.num_samples()).map(|key| clip.body_pose(key).to_pose());
                Tracks::pose_by_pose(clip.skeleton(), clip.step_secs(), poses)
            }
            None => passage.tracks().clone(),
        };
        Ok(Take::from_tracks(source.clip, tracks).unwrap())
    });
    Arc::new(set.unwrap())
}

/// Returns the longest step of a joint over the ground.
fn longest_step(skeleton: &Skeleton, poses: impl IntoIterator<Item = Pose>) -> f64 {
    let places: Vec<Vec<DVec3>> = poses
        .into_iter()
        .map(|pose| pose.as_ref().world(skeleton).translations)
        .collect();
    let steps = places
        .windows(2)
        .flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|(from, to)| from.distance(*to)));
    steps.fold(0.0, f64::max)
}

#[test]
fn the_longest_step_of_a_fade_is_the_one_that_was_estimated() {
    let set = loops();
    let action = bow(&set);
    let (passage, shown) = (&action.passage, played(&set, &action));
    let step_secs = passage.step_secs();
    // The root is the first joint, for which there is nothing to measure.
    let skeleton = passage.skeleton().below_root("root");
    let of_action = (0..passage.num_samples()).map(|sample| {
        let body = passage.tracks().pose(sample).to_pose();
        body.below_root(passage.roots()[sample])
    });
    let own = set.loops().iter().map(|clip| {
        let cycle = (clip.period_secs() / step_secs).ceil() as usize;
        let poses = (0..=cycle).map(|sample| {
            let secs = sample as f64 * step_secs;
            let body = clip.body_pose_at(secs, Interpolation::Cubic);
            body.below_root(clip.root().twist.exp(secs))
        });
        longest_step(&skeleton, poses)
    });
    let own = own.fold(longest_step(&skeleton, of_action), f64::max);

    let count = (action.fade[0] / step_secs).ceil() as usize;
    let steps_of = |mut hero: SteeredCharacter, begin: &dyn Fn(&mut SteeredCharacter)| {
        let pose = |hero: &SteeredCharacter| hero.pose().clone().below_root(hero.root());
        let first = pose(&hero);
        begin(&mut hero);
        let poses = (0..count).map(|_| {
            hero.update(step_secs);
            pose(&hero)
        });
        longest_step(&skeleton, core::iter::once(first).chain(poses.collect::<Vec<_>>()))
    };
    let in_loop = |name: &str| {
        let mut hero = SteeredCharacter::in_loop(Arc::clone(&shown), name).unwrap();
        hero.holds_feet = false;
        hero
    };
    let bowing = |name: &str, secs: f64| {
        let mut hero = in_loop(name);
        assert!(hero.play("bow"));
        hero.update(secs);
        hero
    };
    let walking = in_loop("walk").goal();
    let mut longest = 0.0_f64;
    for clip in set.loops() {
        for phase in 0..PHASES {
            let mut hero = in_loop(clip.name());
            hero.update(phase as f64 / PHASES as f64 * clip.period_secs());
            let steps = steps_of(hero, &|hero| assert!(hero.play("bow")));
            longest = longest.max(steps);
        }
    }
    let whole_secs = passage.duration_secs();
    for (hero, is_last) in [
        (bowing("walk", action.leave_secs), false),
        (bowing("idle", whole_secs), false),
        (bowing("idle", whole_secs - step_secs), true),
    ] {
        let goes = |hero: &mut SteeredCharacter| hero.set_goal(walking);
        let stays = |_: &mut SteeredCharacter| ();
        longest = longest.max(if is_last {
            steps_of(hero, &goes)
        } else {
            steps_of(hero, &stays)
        });
    }
    let found = longest / own;
    assert!(
        (found - action.fade[1]).abs() < 0.15 * action.fade[1],
        "{found} times as far, estimated {:?}",
        action.fade
    );
}
