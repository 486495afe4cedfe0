//! A character that walks by a loop in a game's frame loop: `cargo run -p loopwright --example frame_loop`.
//!
//! The loop is sampled at whatever times the frames fall, over any number of cycles, without an allocation per frame; the
//! character moves by the loop's root motion.

use std::error::Error;

use loopwright::{Analysis, LoopSettings, SearchSettings, loop_clip::RuntimeLoop, math::Rigid};
use loopwright_synth::{WalkSettings, synthesize};

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<(), Box<dyn Error>> {
    // When the game loads: a loop, and the view of it that engines sample. A game reads the loop from its file.
    let take = synthesize(&WalkSettings::default())?.take;
    let analysis = Analysis::new(&take)?;
    let found = analysis.find_loops(&SearchSettings::default())?;
    let walk = (analysis.make_loop(found.best().ok_or("no loop")?, &LoopSettings::default())?).loop_clip;
    let runtime = RuntimeLoop::new(&walk)?;
    let mut pose = runtime.pose();
    let (mut character, mut secs) = (Rigid::IDENTITY, 0.0);

    // Every frame, here 100 of them of uneven length.
    for frame in 0..100 {
        let frame_secs = 0.014 + 0.004 * f64::from(frame % 3);
        character = character * walk.root_delta(secs, secs + frame_secs);
        secs += frame_secs;
        runtime.sample(secs, &mut pose)?;
        if frame % 20 == 0 {
            let hips = pose.translation(0);
            println!(
                "{secs:.2} s: the character is at z {:.2} m, its hips {:.2} m above it",
                character.translation.z, hips[1]
            );
        }
    }
    Ok(())
}
