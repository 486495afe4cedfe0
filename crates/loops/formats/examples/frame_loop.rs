//! A character that moves by a loop in a game's frame loop:
//! `cargo run -p loopwright_formats --example frame_loop -- walk-loop.bvh`.
//!
//! The loop is sampled at whatever times the frames fall, over any number of cycles; the character moves by the loop's root motion.

use std::{error::Error, path::PathBuf};

use loopwright_core::{loop_clip::Interpolation, math::Rigid};

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<(), Box<dyn Error>> {
    // When the game loads: the loop, from its file and the sidecar beside it.
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: frame_loop LOOP")?);
    let mut sidecar = path.clone().into_os_string();
    sidecar.push(".json");
    let walk = loopwright_formats::load_loop(&std::fs::read(&path)?, &std::fs::read(sidecar)?)?;
    let (mut character, mut secs) = (Rigid::IDENTITY, 0.0);

    // Every frame, here 100 of them of uneven length.
    for frame in 0..100 {
        let frame_secs = 0.014 + 0.004 * f64::from(frame % 3);
        character = character * walk.root_delta(secs, secs + frame_secs);
        secs += frame_secs;
        let pose = walk.body_pose_at(secs, Interpolation::default());
        if frame % 20 == 0 {
            let hips = pose.translations[0];
            println!(
                "{secs:.2} s: the character is at z {:.2} m, its hips {:.2} m above it",
                character.translation.z, hips.y
            );
        }
    }
    Ok(())
}
