//! Prints as JSON where each node of a glTF file's animation stands in the world, at every tenth frame as read.
//!
//! `cargo run --example world -- FILE [ANIMATION]`; what other programs make of the same file is compared with it by
//! xtask/peers/gltf.mjs.

use std::{env, error::Error, fs, path::Path};

use glam::DVec3;
use loopwright_formats::{AnimationChoice, ReadSettings, SpaceSettings, UnitChoice, UpChoice, read_take};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let path = Path::new(args.first().ok_or("a file is missing")?);
    let companions = |name: &str| fs::read(path.with_file_name(name));
    let settings = ReadSettings {
        // In the file's own unit and axes, as other programs show it.
        space: SpaceSettings {
            up: UpChoice::Y,
            unit: UnitChoice::Metres(1.0),
        },
        animation: args
            .get(1)
            .map_or(AnimationChoice::Auto, |name| AnimationChoice::Given(name)),
        companions: Some(&companions),
        ..ReadSettings::default()
    };
    let loaded = read_take(&fs::read(path)?, "take", &settings, &mut Vec::new())?;
    let source = loaded.source.as_gltf().ok_or("not a glTF file")?;
    let world = loaded.take.world_tracks();
    let frames: Vec<_> = (0..world.num_frames())
        .step_by(10)
        .map(|frame| {
            let places: Vec<[f64; 3]> = world.positions(frame).iter().map(DVec3::to_array).collect();
            json!({"secs": source.start_secs() + frame as f64 * source.frame_time_secs(), "positions": places})
        })
        .collect();
    let nodes: Vec<_> = source.nodes().collect();
    let answer = json!({"animation": loaded.take.name(), "nodes": nodes, "frames": frames});
    #[expect(clippy::print_stdout, reason = "the answer of a program")]
    {
        println!("{answer}");
    }
    Ok(())
}
