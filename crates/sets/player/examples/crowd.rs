//! Plays a thousand characters that blend, each with a goal of its own, and prints the time of a frame.
//!
//!     cargo run --release -p loopwright_player --example crowd -- FOLDER [free]

#![expect(clippy::print_stdout, reason = "an example talks to people")]
#![expect(clippy::disallowed_methods, reason = "the player has no clock, its measure has")]

use std::{path::Path, sync::Arc, time::Instant};

use loopwright_player::{Goal, MotionSet, SteeredCharacter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(args.first().ok_or("usage: crowd FOLDER [free]")?);
    let manifest = std::fs::read(folder.join("set.json"))?;
    let set = Arc::new(MotionSet::read(&manifest, |file| std::fs::read(folder.join(file)))?);
    let moving = set.clips().iter().find(|clip| clip.loops() && !clip.stands());
    let name = moving.ok_or("no loop moves")?.name.clone();
    let mut crowd = Vec::new();
    for number in 0..1000_u32 {
        let mut hero = SteeredCharacter::in_loop(Arc::clone(&set), &name).ok_or("no such loop")?;
        hero.holds_feet = args.len() < 2;
        hero.varies = false;
        hero.set_goal(Goal {
            speed: 1.2 + 0.001 * f64::from(number),
            turn_rate: 0.1,
            ..Goal::default()
        });
        crowd.push(hero);
    }
    let mut frames: Vec<f64> = (0..180)
        .map(|_| {
            let began = Instant::now();
            crowd.iter_mut().for_each(|hero| hero.update(1.0 / 60.0));
            1e3 * began.elapsed().as_secs_f64()
        })
        .collect();
    frames.sort_by(f64::total_cmp);
    let loops: usize = crowd.iter().map(|hero| hero.playing().clips.len()).sum();
    println!(
        "{} joints, {:.1} loops a character: {:.2} ms a frame in the median, {:.2} at most",
        set.skeleton().num_joints(),
        1e-3 * loops as f64,
        frames[90],
        frames[179]
    );
    Ok(())
}
