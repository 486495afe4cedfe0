//! How fast the search is: measurements that take a clock, and hold for the machine that they were taken on.

use std::{ffi::OsStr, path::Path};

use loopwright::{
    analysis::{features::Features, spectrum::Spectrum},
    candidate::{
        SearchSettings,
        bound::{Instructions, SeamBounds},
        score,
        search::{Admission, DistinctPairs, SeamPair, Seams},
    },
    math::decay::Decay,
};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    clock::{self, machine},
    memory,
    page::Sections,
    table::Table,
    takes::{Captured, Studied},
};

// The bench of the search has them too.
#[path = "../../../crates/loopwright/benches/inputs/mod.rs"]
mod inputs;

mod captured_motion;

mod process;

mod peers;

use peers::Peer;

/// Frames of the inputs.
const NUM_FRAMES: usize = 20_000;

/// Loops asked for, shortest of them, and how far they lie apart, seconds.
const COUNT: usize = 10;
const MIN_SECS: f64 = 0.4;
const SEPARATION_SECS: f64 = 0.1;

/// Longest of the loops whose length is limited, seconds.
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
    sections.add("growth", captured_motion::growth(&captured.folder)?);
    process::measure(&captured.folder, &mut sections)?;
    Ok(sections)
}

/// Work whose memory is measured.
#[derive(Clone, Copy)]
enum Work {
    /// The tables of the search and the ten best of its list, on captured motion.
    List,
    /// Study and search of a synthetic take, as `find` does them.
    Find,
}

impl Work {
    /// The word by which a child is asked for it.
    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Find => "find",
        }
    }

    /// MiB that the work takes beside its input of so many frames; `None` where the system does not report it.
    fn mebibytes(self, num_frames: usize) -> Option<f64> {
        memory::of_child(&[self.name(), &num_frames.to_string()].map(OsStr::new))
    }
}

/// In a child: MiB that the work of a name takes beside its input of so many frames; `None` for no such work.
pub(crate) fn memory_of(work: &str, num_frames: &str) -> Option<Result<f64, String>> {
    let work = [Work::List, Work::Find]
        .into_iter()
        .find(|known| known.name() == work)?;
    let measure = || match (work, num_frames.parse()) {
        (_, Err(_)) => Err(format!("{num_frames} is no number of frames")),
        (Work::List, Ok(num_frames)) => {
            let (features, _) = inputs::captured(&loopwright_mocap::folder(), num_frames, 120.0)?;
            memory::risen(|| Ok(list(&features, MAX_SECS)))
        }
        (Work::Find, Ok(num_frames)) => {
            let settings = WalkSettings {
                seconds: (num_frames - 1) as f64 / 120.0,
                frame_rate_hz: 120.0,
                noise_deg: 0.2,
                speed_variation: 0.02,
                ..WalkSettings::default()
            };
            let take = synthesize(&settings).map_err(|error| error.to_string())?.take;
            memory::risen(|| {
                let studied = Studied::of("a synthetic walk", take)?;
                let found = studied.find(&SearchSettings::default())?;
                Ok((studied, found))
            })
        }
    };
    Some(measure())
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
    let num_frames = bounds.num_frames();
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

/// The bounds of all pairs against the same arithmetic in the nearest cache.
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

/// What the exact list took on an input that other tools are compared on.
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
        let short_secs = clock::time(|| list_of(&bounds, MAX_SECS));
        table.row(format_args!(
            "{name} | {} | {dense_secs:.3} | {table_secs:.3} | {any_secs:.3} | {any_share:.3} | {short_secs:.3} | {:.3}",
            bounds.num_dims(),
            short_secs / dense_secs,
        ));
        if is_told {
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

/// The time of our autocorrelation, and of others at the same size.
fn autocorrelation(peers: &[Peer]) -> Result<Table, String> {
    let (frames, channels) = CORRELATED;
    // The root's own axes are left out of the autocorrelation.
    let axes = channels + 4;
    let values: Vec<f64> = (0..frames * axes)
        .map(|index| (index % 1013) as f64 * 1e-3 + (index / axes) as f64 * 1e-4)
        .collect();
    let features =
        Features::from_values(1.0 / 120.0, axes, values.clone(), values).map_err(|error| error.to_string())?;
    let secs = clock::time(|| Spectrum::of(&features));
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

/// Other tools at the size of the lists.
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
