//! Makes a loop of a motion-capture file: `cargo run -p loopwright_formats --example make_loop -- walk.bvh walk-loop.bvh`.

use std::{error::Error, path::PathBuf};

use loopwright_core::{Analysis, LoopSettings, SearchSettings};
use loopwright_formats::LoopFile;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: make_loop TAKE OUTPUT".into());
    };
    let file = loopwright_formats::load(&std::fs::read(&input)?, "walk")?;
    let analysis = Analysis::new(&file.take)?;
    let found = analysis.find_loops(&SearchSettings::default())?;
    let made = analysis.make_loop(found.best().ok_or("no loop")?, &LoopSettings::default())?;
    let written = LoopFile::write(&made, &file.source)?;
    // The file has the format of its source: BVH from BVH, glTF from glTF.
    std::fs::write(&output, written.bytes())?;
    let mut sidecar = output.into_os_string();
    sidecar.push(".json");
    std::fs::write(sidecar, written.sidecar.to_json()?)?;
    Ok(())
}
