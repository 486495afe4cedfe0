//! Speed of the search: timings, which hold only for the machine that ran them.

use std::path::Path;

use loopwright::{
    analysis::Features,
    candidate::SeamPair,
    math::Decay,
    unstable::spectrum,
    unstable::{
        bound::{Instructions, SeamBounds},
        score,
        seams::Seams,
        search::{Admission, DistinctPairs},
    },
};

use crate::{
    clock::{self, machine},
    page::Sections,
    table::Table,
    takes::Captured,
};

// The bench of the search uses them too.
#[path = "../../../crates/loopwright/benches/inputs/mod.rs"]
mod inputs;

mod growth;

mod process;

mod peers;

pub(crate) use growth::memory_of;
use peers::Peer;

/// Frames of the inputs.
const NUM_FRAMES: usize = 20_000;

/// Number of loops requested, their shortest length, and their separation, seconds.
const COUNT: usize = 10;
const MIN_SECS: f64 = 0.4;
const SEPARATION_SECS: f64 = 0.1;

/// Longest loop if the length is limited, seconds.
const MAX_SECS: f64 = 10.0;

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let peers = peers::read()?;
    let mut sections = Sections::default();
    let noise = inputs::without_structure(NUM_FRAMES).map_err(|error| error.to_string())?;
    sections.add("machine", machine());
    sections.add("all-pairs", all_pairs(&noise));
    let (table, listed) = lists(&captured.folder, &noise)?;
    sections.add("exact-list", table);
    sections.add("autocorrelation", autocorrelation(&peers)?);
    sections.add("other-tools", other_tools(&peers, &listed));
    sections.add("growth", growth::table(&captured.folder)?);
    process::measure(&captured.folder, &mut sections)?;
    Ok(sections)
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

/// The same, including the tables that it needs.
fn list(features: &Features, max_secs: f64) -> Vec<SeamPair> {
    list_of(&bounds(features), max_secs)
}

/// The bounds of all pairs, compared with the same arithmetic in the nearest cache.
fn all_pairs(noise: &Features) -> Table {
    let mut table = Table::new("instructions | seconds | G dims/s | limit, G dims/s | of the limit");
    let mut bounds = bounds(noise);
    let dims = bounds.num_dims() as f64;
    let pairs = (NUM_FRAMES * (NUM_FRAMES + 16) / 2) as f64;
    for instructions in Instructions::available() {
        bounds = bounds.using(instructions);
        let times = 200_000;
        let (dense_secs, cache_secs, ratio) = clock::time_both(|| bounds.dense(), || bounds.dense_in_cache(times));
        let in_cache = times as f64 * 256.0;
        table.row(format_args!(
            "{} | {dense_secs:.3} | {:.1} | {:.1} | {:.2}",
            instructions.name(),
            1e-9 * pairs * dims / dense_secs,
            1e-9 * in_cache * dims / cache_secs,
            pairs / in_cache / ratio,
        ));
    }
    table
}

/// The time of the exact list on an input that other tools are compared on.
struct Listed {
    name: String,
    /// Seconds of tables and list together.
    whole_secs: f64,
    dims: usize,
}

fn lists(folder: &Path, noise: &Features) -> Result<(Table, Vec<Listed>), String> {
    let mut table = Table::new(&format!(
        "features | dims | all pairs s | tables s | any length s | share | up to {MAX_SECS} s | share"
    ));
    let mut inputs: Vec<(String, Features, bool)> = Vec::new();
    for (fps, is_listed) in [(120.0, true), (60.0, false), (30.0, true)] {
        let (features, takes) = inputs::captured(folder, NUM_FRAMES, fps)?;
        inputs.push((format!("{takes} captured takes, {fps} fps"), features, is_listed));
    }
    for fps in [120.0, 30.0] {
        let features = inputs::synthetic(NUM_FRAMES, fps).map_err(|error| error.to_string())?;
        inputs.push((format!("sums of waves, {fps} fps"), features, false));
    }
    inputs.push(("without structure, 30 fps".to_owned(), noise.clone(), true));
    let mut listed = Vec::new();
    for (name, features, is_listed) in inputs {
        let bounds = bounds(&features);
        let table_secs = clock::time(|| self::bounds(&features));
        let (any_secs, dense_secs, any_share) = clock::time_both(|| list_of(&bounds, f64::INFINITY), || bounds.dense());
        let short_secs = clock::time(|| list_of(&bounds, MAX_SECS));
        table.row(format_args!(
            "{name} | {} | {dense_secs:.3} | {table_secs:.3} | {any_secs:.3} | {any_share:.3} | {short_secs:.3} | {:.3}",
            bounds.num_dims(),
            short_secs / dense_secs,
        ));
        if is_listed {
            listed.push(Listed {
                name,
                whole_secs: table_secs + any_secs,
                dims: bounds.num_dims(),
            });
        }
    }
    Ok((table, listed))
}

/// Frames and channels of the autocorrelation: 31 quaternions.
const CORRELATED: (usize, usize) = (5_000, 124);

/// The time of our autocorrelation and of other implementations at the same size.
fn autocorrelation(peers: &[Peer]) -> Result<Table, String> {
    let (frames, channels) = CORRELATED;
    // The root's own axes are left out of the autocorrelation.
    let axes = channels + 4;
    let values: Vec<f64> = (0..frames * axes)
        .map(|index| (index % 1013) as f64 * 1e-3 + (index / axes) as f64 * 1e-4)
        .collect();
    let features =
        Features::from_values(1.0 / 120.0, axes, values.clone(), values).map_err(|error| error.to_string())?;
    let secs = clock::time(|| spectrum::of(&features));
    let mut table = Table::new("autocorrelation | ms | over ours");
    table.row(format_args!("ours | {:.2} |", 1e3 * secs));
    for peer in peers.iter().filter(|peer| (peer.frames, peer.dims) == CORRELATED) {
        table.row(format_args!(
            "{} | {:.2} | {:.2}",
            peer.name,
            1e3 * peer.seconds,
            peer.seconds / secs
        ));
    }
    Ok(table)
}

/// Other tools on inputs of the same size as the lists.
fn other_tools(peers: &[Peer], listed: &[Listed]) -> Table {
    let ours: String = listed
        .iter()
        .map(|list| format!(" | over ours, {} ({} dims)", list.name, list.dims))
        .collect();
    let mut table = Table::new(&format!("tool | dims | seconds{ours}"));
    for peer in peers.iter().filter(|peer| peer.frames == NUM_FRAMES) {
        let ratios: String = listed
            .iter()
            .map(|list| format!(" | {:.1}", peer.seconds / list.whole_secs))
            .collect();
        table.row(format_args!(
            "{} | {} | {:.2}{ratios}",
            peer.name, peer.dims, peer.seconds
        ));
    }
    table
}
