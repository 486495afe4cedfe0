//! Loops two animations of a pack, samples one, and writes a blend of both:
//! `cargo run -p loopwright --features sets --example blend_pack -- pack.glb Walk Run blend.glb`.

use std::error::Error;

use loopwright::{AnimatedFile, Blend, BlendRequest, Interpolation, Recipe, make_loop};

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, pack, first, second, output] = arguments.as_slice() else {
        return Err("usage: blend_pack PACK ANIMATION ANIMATION OUTPUT".into());
    };
    let pack = AnimatedFile::parse(&std::fs::read(pack)?, "pack", None)?;
    let walk = make_loop(pack.take(first)?, &Recipe::default())?;
    let run = make_loop(pack.take(second)?, &Recipe::default())?;

    let pose = walk.clip.world_pose_at(0.3, Interpolation::Cubic);
    println!(
        "{first}: {:.2} s, hips at {:.2} m",
        walk.clip.period_secs(),
        pose.translations[0].y
    );

    let request = BlendRequest {
        weights: vec![0.5, 0.5],
        ..BlendRequest::default()
    };
    let names = vec![first.clone(), second.clone()];
    let blend = Blend::new(&[walk.stored()?, run.stored()?], names, &request)?;
    let file = blend.write(blend.format())?;
    std::fs::write(output, file.bytes())?;
    std::fs::write(format!("{output}.json"), file.sidecar.to_json()?)?;
    Ok(())
}
