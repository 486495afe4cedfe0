//! Plays a set along a script and prints a line of JSON for each frame: what xtask/peers/slides.py measures.
//!
//!     cargo run -p loopwright_player --example trace -- FOLDER loops|ramps|turns|random|idle [free]

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::path::Path;
use std::sync::Arc;

use loopwright_core::math::ops;
use loopwright_player::{Goal, MotionSet, SteeredCharacter};

const RATE: f64 = 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, script, rest @ ..] = &args[..] else {
        return Err("usage: trace FOLDER SCRIPT [free]".into());
    };
    let manifest = std::fs::read(Path::new(folder).join("set.json"))?;
    let set = Arc::new(MotionSet::read(&manifest, |file| {
        std::fs::read(Path::new(folder).join(file))
    })?);
    let loops: Vec<_> = (set.clips().iter())
        .filter(|clip| clip.loops() && !clip.stands())
        .map(|clip| (clip.name.clone(), clip.twist()))
        .collect();
    let names: Vec<String> = (set.skeleton().joints().iter())
        .map(|joint| format!("{:?}", joint.name))
        .collect();
    println!("[{}]", names.join(","));
    let goal_of = |index: usize| {
        let twist = loops[index % loops.len()].1;
        Goal {
            speed: twist.linear.with_y(0.0).length(),
            direction: ops::atan2(twist.linear.x, twist.linear.z),
            turn_rate: twist.angular.y,
            ..Goal::default()
        }
    };
    let straight: Vec<usize> = (0..loops.len())
        .filter(|&index| loops[index].1.linear.z > 0.3 && loops[index].1.angular.y.abs() < 0.15)
        .collect();
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut hero = SteeredCharacter::in_loop(Arc::clone(&set), &loops[0].0).ok_or("no loop moves")?;
    hero.holds_feet = rest.is_empty();
    hero.varies = false;
    let mut next = 0;
    for frame in 0..3600_usize {
        if frame == next {
            match script.as_str() {
                "loops" => {
                    let name = &loops[(frame / 360) % loops.len()].0;
                    let varied = SteeredCharacter::in_loop(Arc::clone(&set), name);
                    hero = varied.ok_or("no loop moves")?;
                    hero.holds_feet = rest.is_empty();
                    hero.varies = false;
                    next += 360;
                }
                "ramps" => {
                    hero.set_goal(goal_of(straight[(frame / 120) % straight.len()]));
                    next += 120;
                }
                "switches" => {
                    hero.play(&loops[random() % loops.len()].0);
                    next += 90;
                }
                "idle" => {
                    let is_still = (frame / 120).is_multiple_of(2);
                    hero.set_goal(if is_still {
                        Goal::default()
                    } else {
                        goal_of(straight[0])
                    });
                    next += 120;
                }
                _ => {
                    let [one, other] = [goal_of(random()), goal_of(random())];
                    let share = (random() % 5) as f64 / 4.0;
                    let mut goal = one;
                    goal.speed += share * (other.speed - one.speed);
                    goal.turn_rate += share * (other.turn_rate - one.turn_rate);
                    hero.set_goal(if random() % 8 == 0 { Goal::default() } else { goal });
                    next += 30 + random() % 120;
                }
            }
        }
        hero.update(1.0 / RATE);
        let world = hero.pose().as_ref().world(set.skeleton()).moved(hero.root());
        let joints: Vec<String> = (world.translations.iter())
            .map(|place| format!("[{:.6},{:.6},{:.6}]", place.x, place.y, place.z))
            .collect();
        let playing = hero.playing();
        let clips: Vec<String> = (playing.clips.iter())
            .map(|part| format!("[{:?},{:.5},{:.5}]", part.clip.name, part.weight, part.secs))
            .collect();
        println!(
            "{{\"name\":{:?},\"clips\":[{}],\"fading\":{:.5},\"stepping\":{:?},\"joints\":[{}]}}",
            playing.name,
            clips.join(","),
            playing.fading,
            hero.stepping(),
            joints.join(",")
        );
    }
    Ok(())
}
