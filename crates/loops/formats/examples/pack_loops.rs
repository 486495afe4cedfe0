//! Loads all loops of a pack: `cargo run -p loopwright_formats --example pack_loops -- pack-loops.glb`.
//!
//! `loopwright make pack.glb --all-animations -o pack-loops.glb` writes such a file, with one sidecar for all of its loops.

use std::{error::Error, path::PathBuf};

use loopwright_formats::{Sidecar, load_loop};

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: pack_loops LOOPS")?);
    let mut sidecar = path.clone().into_os_string();
    sidecar.push(".json");
    let (bytes, json) = (std::fs::read(&path)?, std::fs::read(sidecar)?);
    for sidecar in Sidecar::all_from_json(&json)? {
        let clip = load_loop(&bytes, sidecar.to_json()?.as_bytes())?;
        let name = sidecar.playback.animation.as_deref().unwrap_or("the loop");
        let metres = clip.root_delta(0.0, clip.period_secs()).translation.length();
        println!(
            "{name}: {:.2} s, {metres:.2} m, {} joints",
            clip.period_secs(),
            clip.skeleton().num_joints()
        );
    }
    Ok(())
}
