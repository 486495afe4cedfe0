//! Runs everything from synthetic takes to loops in files, and reduces the result to one number.
//!
//! The same take gives the same bits on every machine. `.ci/wasm` checks that: it computes the number natively and as WebAssembly, and
//! compares. `.ci/same-bits` does so for processors without AVX2 and for aarch64.

use std::{error::Error, fmt::Write as _};

use loopwright_core::{Analysis, LoopSettings, SearchSettings};
use loopwright_formats::{Format, LoopWriteSettings, ReadSettings, Source, read_take, write_loop, write_take};
use loopwright_synth::{WalkSettings, random_settings, synthesize};

/// Returns a number that depends on every bit of the loops of this many random walks and of the default one, on the errors where there is
/// no loop, and on the files to which they are written. The walks include turning, climbing and noisy ones, and rates from 30 to 120 fps.
///
/// # Panics
///
/// If a step fails that cannot fail on these walks.
#[unsafe(no_mangle)]
#[must_use]
pub extern "C" fn checksum_of_loops(random_walks: u32) -> u64 {
    let mut results = Vec::new();
    for walk in (0..u64::from(random_walks))
        .map(random_settings)
        .chain([WalkSettings::default()])
    {
        walk_the_road(&walk, &mut results).unwrap_or_else(|error| panic!("{walk:?}: {error}"));
    }
    fnv_1a(&results)
}

/// Appends the results of every step for one walk. The debug form of a number is exact.
fn walk_the_road(walk: &WalkSettings, results: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    let take = synthesize(walk)?.take;
    let file = write_take(&take, &Source::for_take(&take, Format::Bvh))?.bytes;
    let take = read_take(&file, "walk", &ReadSettings::default(), &mut Vec::new())?.take;
    results.extend(file);

    let analysis = Analysis::new(&take)?;
    let found = analysis.find_loops(&SearchSettings::default())?;
    let mut text = format!("{found:?}");
    if let Some(best) = found.best() {
        let made = analysis.make_loop(best, &LoopSettings::default())?;
        write!(text, "{made:?}")?;
        for format in [Format::Bvh, Format::Fbx, Format::Glb] {
            results.extend(
                write_loop(
                    &made.loop_clip,
                    &Source::for_take(&take, format),
                    &LoopWriteSettings::default(),
                )?
                .bytes,
            );
        }
    }
    results.extend(text.into_bytes());
    Ok(())
}

/// The 64-bit hash of Fowler, Noll and Vo, version 1a: short, and any other would do.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
