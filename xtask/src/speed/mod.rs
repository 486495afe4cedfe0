//! How fast the search is: measurements that take a clock, and hold for the machine that they were taken on.

use std::{fmt::Write, path::Path};

use loopwright::{
    analysis::{features::Features, spectrum::Spectrum},
    candidate::{
        bound::{Instructions, SeamBounds},
        score,
        search::{Admission, DistinctPairs, SeamPair, Seams},
    },
    math::decay::Decay,
};

pub(crate) mod clock;

// The bench of the search has them too.
#[path = "../../../crates/loopwright/benches/inputs/mod.rs"]
mod inputs;

mod captured_motion;

mod process;

mod peers;

pub(crate) mod memory;

use peers::Peers;

/// Frames of the inputs.
const NUM_FRAMES: usize = 20_000;

/// Loops asked for, shortest of them, and how far they lie apart, seconds.
const COUNT: usize = 10;
const MIN_SECS: f64 = 0.4;
const SEPARATION_SECS: f64 = 0.1;

/// The page as Markdown; `peers` is a table of other tools' figures, where there is one.
pub(crate) fn page(folder: &Path, peers: Option<&Path>) -> Result<String, String> {
    let peers = peers.map_or_else(|| Ok(Peers::default()), peers::read)?;
    let mut page = format!(
        "# The speed of the search\n\n\
         Written by `cargo xtask measure speed`; nothing here is typed by hand but the words. Other machines give other figures;\n\
         what takes no clock is in [search.md](search.md).\n\n\
         {}; one thread throughout. Medians of seconds of the processor, so that\n\
         others at work on the machine count little. Inputs, where nothing else is said: {NUM_FRAMES} frames, {} weighted joints\n\
         and the root.\n\n",
        machine(),
        inputs::NUM_JOINTS,
    );
    let noise = inputs::without_structure(NUM_FRAMES).map_err(|error| error.to_string())?;
    kernel(&noise, &mut page);
    let listed = lists(folder, &noise, &mut page)?;
    autocorrelation(&peers, &mut page)?;
    others(&peers, &listed, &mut page);
    captured_motion::section(folder, &mut page)?;
    process::section(folder, &mut page)?;
    Ok(page)
}

/// Name of the processor and how many of them there are.
pub(crate) fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("a processor without a name", |(_, model)| model.trim());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{model} ({}), {count} processors, {}",
        Instructions::detect().name(),
        std::env::consts::OS
    )
}

fn bounds(features: &Features) -> SeamBounds<'_> {
    let spring = Decay::Spring {
        half_life_secs: score::DEFAULT_HALF_LIFE_SECS,
    };
    SeamBounds::new(Seams::new(features, spring), &vec![true; features.num_frames()])
}

/// The ten best of the list, of loops up to a length.
fn list_of(bounds: &SeamBounds<'_>, max_secs: f64) -> Vec<SeamPair> {
    let fps = 1.0 / bounds.seams().features().frame_time_secs();
    let num_frames = bounds.num_rows();
    let lags = (MIN_SECS * fps).ceil() as usize..=((max_secs * fps).min(num_frames as f64)) as usize;
    let admission = Admission::of_any_activity(&vec![true; num_frames], lags);
    DistinctPairs::new(bounds, admission, (SEPARATION_SECS * fps).round() as usize)
        .expecting(COUNT)
        .take(COUNT)
        .collect()
}

/// The same with the tables that it needs.
fn list(features: &Features, max_secs: f64) -> Vec<SeamPair> {
    list_of(&bounds(features), max_secs)
}

fn kernel(noise: &Features, page: &mut String) {
    let _ = writeln!(
        page,
        "## All pairs\n\n\
         The bounds of all pairs, without any saved: half the matrix. The limit is the same arithmetic on one tile that stays in\n\
         the nearest cache.\n\n\
         | instructions | seconds | G dims/s | limit, G dims/s | of the limit |\n| --- | --- | --- | --- | --- |"
    );
    let mut bounds = bounds(noise);
    let dims = bounds.num_dims() as f64;
    let pairs = (NUM_FRAMES * (NUM_FRAMES + 16) / 2) as f64;
    for instructions in Instructions::available() {
        bounds = bounds.using(instructions);
        let times = 200_000;
        let (dense_secs, cache_secs, ratio) = clock::time_both(|| bounds.dense(), || bounds.dense_in_cache(times));
        let in_cache = times as f64 * 256.0;
        let _ = writeln!(
            page,
            "| {} | {dense_secs:.3} | {:.1} | {:.1} | {:.2} |",
            instructions.name(),
            1e-9 * pairs * dims / dense_secs,
            1e-9 * in_cache * dims / cache_secs,
            pairs / in_cache / ratio,
        );
    }
    page.push('\n');
}

/// What the exact list took on an input that other tools are compared on.
struct Listed {
    name: String,
    /// Seconds of tables and list together.
    whole_secs: f64,
    dims: usize,
}

fn lists(folder: &Path, noise: &Features, page: &mut String) -> Result<Vec<Listed>, String> {
    let _ = writeln!(
        page,
        "## The exact list\n\n\
         The {COUNT} best distinct loops of any length from {MIN_SECS} s on, and of those up to {} s; shares of the time of all\n\
         pairs of the same input. Captured takes are those of the list at that rate or a multiple of it, the frames that move,\n\
         laid end to end and filled up with their mirror images.\n\n\
         | features | dims | all pairs s | tables s | any length s | share | up to {} s | share |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |",
        captured_motion::MAX_SECS,
        captured_motion::MAX_SECS,
    );
    let mut inputs: Vec<(String, Features, bool)> = Vec::new();
    for (fps, is_told) in [(120.0, true), (60.0, false), (30.0, true)] {
        let (features, takes) = inputs::captured(folder, NUM_FRAMES, fps)?;
        inputs.push((format!("{takes} captured takes, {fps} fps"), features, is_told));
    }
    for fps in [120.0, 30.0] {
        let features = inputs::synthetic(NUM_FRAMES, fps).map_err(|error| error.to_string())?;
        inputs.push((format!("sums of waves, {fps} fps"), features, false));
    }
    inputs.push(("without structure, 30 fps".to_owned(), noise.clone(), true));
    let mut listed = Vec::new();
    for (name, features, is_told) in inputs {
        let bounds = bounds(&features);
        let table_secs = clock::time(|| self::bounds(&features));
        let (any_secs, dense_secs, any_share) = clock::time_both(|| list_of(&bounds, f64::INFINITY), || bounds.dense());
        let short_secs = clock::time(|| list_of(&bounds, captured_motion::MAX_SECS));
        let _ = writeln!(
            page,
            "| {name} | {} | {dense_secs:.3} | {table_secs:.3} | {any_secs:.3} | {:.3} | {short_secs:.3} | {:.3} |",
            bounds.num_dims(),
            any_share,
            short_secs / dense_secs,
        );
        if is_told {
            listed.push(Listed {
                name,
                whole_secs: table_secs + any_secs,
                dims: bounds.num_dims(),
            });
        }
    }
    page.push('\n');
    Ok(listed)
}

/// Frames and channels of the autocorrelation: 31 quaternions.
const CORRELATED: (usize, usize) = (5_000, 124);

fn autocorrelation(peers: &Peers, page: &mut String) -> Result<(), String> {
    let (frames, channels) = CORRELATED;
    // The root's own axes are left out of the autocorrelation.
    let axes = channels + 4;
    let values: Vec<f64> = (0..frames * axes)
        .map(|index| (index % 1013) as f64 * 1e-3 + (index / axes) as f64 * 1e-4)
        .collect();
    let features =
        Features::from_values(1.0 / 120.0, axes, values.clone(), values).map_err(|error| error.to_string())?;
    let secs = clock::time(|| Spectrum::of(&features));
    let _ = writeln!(
        page,
        "## Autocorrelation\n\n\
         {frames} frames of {channels} channels (31 quaternions), frame after frame as takes have them, drift taken out: {:.2} ms.\n",
        1e3 * secs
    );
    let figures = peers.figures.iter();
    let rows: Vec<String> = figures
        .filter(|peer| (peer.frames, peer.dims) == CORRELATED)
        .map(|peer| {
            format!(
                "| {} | {:.2} | {:.2} |",
                peer.name,
                1e3 * peer.seconds,
                peer.seconds / secs
            )
        })
        .collect();
    if !rows.is_empty() {
        let _ = writeln!(
            page,
            "| the same size elsewhere | ms | over ours |\n| --- | --- | --- |\n{}\n",
            rows.join("\n")
        );
    }
    Ok(())
}

/// Other tools at the size of the lists.
fn others(peers: &Peers, listed: &[Listed], page: &mut String) {
    let figures: Vec<_> = (peers.figures.iter())
        .filter(|peer| peer.frames == NUM_FRAMES)
        .collect();
    if figures.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "## Other tools\n\n\
         Comparing all pairs of {NUM_FRAMES} frames, none of which saves any; ours is the exact list of any length with its tables.\n\
         {}\n\
         | tool | dims | seconds |",
        peers.provenance
    );
    for list in listed {
        let _ = write!(page, " over ours, {} ({} dims) |", list.name, list.dims);
    }
    let _ = writeln!(page, "\n| --- | --- | --- |{}", " --- |".repeat(listed.len()));
    for peer in figures {
        let _ = write!(page, "| {} | {} | {:.2} |", peer.name, peer.dims, peer.seconds);
        for list in listed {
            let _ = write!(page, " {:.1} |", peer.seconds / list.whole_secs);
        }
        page.push('\n');
    }
    page.push('\n');
}
