//! Converts a velocity and a heading in the world to a goal relative to the body.

use core::f64::consts::{PI, TAU};

use glam::DVec3;
use loopwright_core::math::{decay_rate, ops};

use crate::{
    character::SteeredCharacter,
    clip::STILL,
    space::{Goal, SpaceAxis},
};

/// Difference from the heading above which a turn is requested, radians: for a standing body, and for a moving one, whose loops
/// turn as well.
const TURN_STANDING: f64 = 0.35;
const TURN_MOVING: f64 = 1.2;

impl SteeredCharacter {
    /// Steers towards a velocity over the ground, metres per second in the space of [`Self::root`], and a heading of the body,
    /// radians from +Z towards +X. Call it in every frame.
    ///
    /// Without a heading, and if no loop goes sideways, the body faces its direction; a standing body keeps its facing.
    pub fn steer(&mut self, velocity: DVec3, heading: Option<f64>) {
        let speed = ops::over_ground(velocity);
        if !(speed.is_finite() && heading.is_none_or(f64::is_finite)) {
            return;
        }
        let moves = speed >= STILL;
        let travel = ops::atan2(velocity.x, velocity.z);
        let ahead = self.root().rotation * DVec3::Z;
        let facing = ops::atan2(ahead.x, ahead.z);
        let strafes = self
            .set
            .spaces()
            .iter()
            .flat_map(|space| &space.axes)
            .any(|axis| matches!(axis, SpaceAxis::DirectionDegrees | SpaceAxis::Forward | SpaceAxis::Left));
        let (heading, direction) = match heading {
            Some(heading) if moves && strafes => (heading, wrapped(travel - facing)),
            Some(heading) if !moves => (heading, 0.0),
            _ if moves => (travel, 0.0),
            _ => (facing, 0.0),
        };
        let off = wrapped(heading - facing);
        let is_far = off.abs() > if moves { TURN_MOVING } else { TURN_STANDING };
        let turn = match (self.is_turning(), is_far) {
            (true, _) => self.goal().turn,
            (false, true) => off,
            (false, false) => 0.0,
        };
        // The turn rate follows its goal as a spring of the rate y, and turns by 2 rate / y until it rests. The remaining angle
        // is turned at y / 2: the fastest rate without overshoot.
        let spring = decay_rate(self.set.half_life_secs);
        let turn_rate = if moves {
            0.5 * spring * off - self.turn_rate()
        } else {
            0.0
        };
        let goal = Goal {
            speed,
            turn_rate,
            direction,
            climb: velocity.y,
            turn,
        };
        self.set_goal(goal);
    }
}

/// Wraps an angle to between -pi and pi.
fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::tests::walking;

    /// A set with loops that turn by 60 degrees per second to each side, and turns on the spot by 90.
    fn turning(manifest: &mut Value) {
        let clips = manifest["clips"].as_array_mut().unwrap();
        for side in [1.0_f64, -1.0] {
            let mut arc = clips[1].clone();
            arc["name"] = json!(format!("arc {side}"));
            arc["twist"]["angular"] = json!([0.0, side * 60_f64.to_radians(), 0.0]);
            clips.push(arc);
            let mut turn = clips[3].clone();
            let keys = (0..=30).map(|key| 0.5 * side * f64::from(key) / 30.0 * 90_f64.to_radians());
            turn["name"] = json!(format!("turn {side}"));
            turn["kind"] = json!("turn_in_place");
            turn["to"] = turn["from"].clone();
            turn["turn_deg"] = json!(90.0 * side);
            turn["root"] = json!({
                "translation": vec![0.0; 93],
                "rotation": keys.flat_map(|half| [0.0, ops::sin(half), 0.0, ops::cos(half)]).collect::<Vec<_>>(),
            });
            clips.push(turn);
        }
        clips[1]["twist"]["angular"] = json!([0.0, 0.0, 0.0]);
        clips[2]["twist"]["angular"] = json!([0.0, 0.0, 0.0]);
        manifest["blend_spaces"][0] = json!({
            "name": "move", "axes": ["speed_mps", "turn_rate_dps"],
            "points": [{ "clip": "idle", "at": [0.0, 0.0] }, { "clip": "walk", "at": [1.3, 0.0] }, { "clip": "run", "at": [3.0, 0.0] },
                { "clip": "arc 1", "at": [1.3, 60.0] }, { "clip": "arc -1", "at": [1.3, -60.0] }],
            "triangles": [[0, 1, 3], [0, 1, 4], [1, 2, 3], [1, 2, 4]],
        });
    }

    fn facing(hero: &SteeredCharacter) -> f64 {
        let ahead = hero.root().rotation * DVec3::Z;
        ops::atan2(ahead.x, ahead.z)
    }

    #[test]
    fn a_character_comes_to_walk_where_it_is_steered() {
        for degrees in [0.0_f64, 40.0, -65.0, 120.0, 179.0] {
            let way = DVec3::new(ops::sin(degrees.to_radians()), 0.0, ops::cos(degrees.to_radians()));
            let mut hero = SteeredCharacter::in_loop(Arc::new(walking(turning)), "walk").unwrap();
            let mut most = 0.0_f64;
            for _ in 0..600 {
                hero.steer(1.3 * way, None);
                hero.update(1.0 / 60.0);
                most = most.max(facing(&hero).abs());
            }
            let before = hero.root().translation;
            hero.steer(1.3 * way, None);
            hero.update(1.0);
            let went = hero.root().translation - before;
            assert!(went.distance(1.3 * way) < 0.02, "{degrees}: {went}");
            assert!(
                most.to_degrees() < degrees.abs() + 5.0 || degrees == 179.0,
                "{degrees}: swings to {most}"
            );
        }
    }

    #[test]
    fn who_stands_turns_by_a_clip_and_keeps_its_place() {
        let mut hero = SteeredCharacter::new(Arc::new(walking(turning)));
        for _ in 0..600 {
            hero.steer(DVec3::ZERO, Some(-1.5));
            hero.update(1.0 / 60.0);
        }
        let root = hero.root();
        assert!(
            (facing(&hero) + 1.57).abs() < 0.2 && root.translation.length() < 0.01,
            "{root:?}"
        );
        assert_eq!(hero.playing().name, "idle");
        // A turn smaller than any clip's does not cause a step.
        hero.steer(DVec3::ZERO, Some(facing(&hero) + 0.2));
        hero.update(1.0);
        assert_eq!(hero.playing().name, "idle");
    }

    #[test]
    fn a_turn_faster_than_loops_have_does_not_make_it_faster() {
        let mut hero = SteeredCharacter::in_loop(Arc::new(walking(turning)), "walk").unwrap();
        for _ in 0..60 {
            hero.steer(DVec3::new(1.3 * 0.9, 0.0, 1.3 * 0.44), None);
            let before = hero.root();
            hero.update(1.0 / 60.0);
            let speed = 60.0 * hero.root().translation.distance(before.translation);
            assert!((1.2..1.4).contains(&speed), "{speed}");
        }
    }
}
