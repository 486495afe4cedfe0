//! The processor time of searches while characters walk: `cargo bench -p loopwright_match --bench characters`.
//!
//! A thousand characters follow paths that bend, each asking ten times a second; and searches for the jump that costs least. Walks are
//! synthetic, and captured where the takes are. Processor seconds of the thread, so that other work on the machine hardly counts.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::{hint::black_box, time::Instant};

use glam::DVec2;
use loopwright_core::Analysis;
use loopwright_core::math::{Decay, ops};
use loopwright_formats::ReadSettings;
use loopwright_match::features::{Future, Horizon, NUM_FEATURES, RawFeatures};
use loopwright_match::{
    CostDatabase, CostFeatures, MatchDatabase, MatchFilter, MatchFrame, MatchSource, walk::WalkerSettings,
};
use loopwright_synth::{WalkSettings as SynthSettings, synthesize};

/// Synthetic walks of many speeds and turns, at 60 frames a second: like those of the bench.
fn synthetic(seed: u64, num_frames: usize) -> MatchSource {
    let at = seed as f64;
    let settings = SynthSettings {
        seed,
        frame_rate_hz: 60.0,
        seconds: num_frames as f64 / 60.0 + 1.1,
        period_secs: 0.9 + 0.05 * (at % 9.0),
        speed_mps: 0.6 + 0.09 * (at % 13.0),
        turn_dps: 11.0 * (at % 11.0) - 55.0,
        noise_deg: 0.4,
        ..SynthSettings::default()
    };
    let take = synthesize(&settings).expect("the walk is sound").take;
    MatchSource::from_take(Analysis::new(&take).expect("no joints are named"))
}

/// Characters that walk, and how often each of them asks.
const CHARACTERS: usize = 1000;
const QUERIES_HZ: f64 = 10.0;

/// Frames from one query to the next.
const FRAMES: usize = 6;

/// Queries of each character.
const TICKS: usize = 40;

/// A character on its way: a row plays, on a path that bends.
struct Character {
    row: usize,
    at: DVec2,
    yaw: f64,
    /// Where it should be.
    path: DVec2,
    heading: f64,
    bend: [f64; 3],
    speed_mps: f64,
}

impl Character {
    fn new(number: usize, num_rows: usize) -> Self {
        let at = number as f64;
        let heading = 0.7 * at % 6.0;
        Self {
            row: number * 7919 % num_rows,
            at: DVec2::ZERO,
            yaw: heading,
            path: DVec2::ZERO,
            heading,
            bend: [0.3 + 0.1 * (at % 7.0), 0.3 + 0.05 * (at % 11.0), 0.37 * at % 6.0],
            speed_mps: 0.7 + 0.02 * (at % 41.0),
        }
    }

    fn heading_at(&self, secs: f64) -> f64 {
        let [size, rate, phase] = self.bend;
        self.heading + size * ops::sin(rate * secs + phase)
    }

    /// The wished second: back to the path, and along it.
    fn wishes(&self, secs: f64) -> [Future; 3] {
        let fade = Decay::Spring { half_life_secs: 0.3 };
        let off = (self.at - self.path).clamp_length_max(0.7);
        Horizon::default().secs().map(|ahead| {
            let left = fade.at(ahead).position.value;
            let middle = self.heading_at(secs + 0.5 * ahead);
            let along = DVec2::new(ops::sin(middle), ops::cos(middle)) * self.speed_mps * ahead;
            let wished = along + off * (left - 1.0);
            let (sin, cos) = (ops::sin(self.yaw), ops::cos(self.yaw));
            let seen = [wished.x * cos - wished.y * sin, wished.x * sin + wished.y * cos];
            let turn = self.heading_at(secs + ahead) - self.yaw;
            let turn = turn - core::f64::consts::TAU * (turn / core::f64::consts::TAU).round();
            Future {
                position: seen,
                facing: turn * (1.0 - left),
            }
        })
    }

    /// Goes on by the row that plays until the next query.
    fn step(&mut self, features: &RawFeatures, secs: f64) {
        let share = 1.0 / QUERIES_HZ / Horizon::default().secs()[0];
        let (sin, cos) = (ops::sin(self.yaw), ops::cos(self.yaw));
        let [x, z] = [features[15], features[16]];
        self.at += share * DVec2::new(x * cos + z * sin, z * cos - x * sin);
        self.yaw += share * ops::atan2(features[21], features[22]);
        let heading = self.heading_at(secs);
        self.path += DVec2::new(ops::sin(heading), ops::cos(heading)) * self.speed_mps / QUERIES_HZ;
    }
}

/// Processor seconds of this thread if the system reports them, else wall-clock seconds.
#[expect(clippy::disallowed_methods, reason = "a bench needs a clock")]
fn seconds() -> f64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let report = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = report.and_then(|report| report.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || FIRST.get_or_init(Instant::now).elapsed().as_secs_f64(),
        |nanoseconds| 1e-9 * nanoseconds,
    )
}

/// Microseconds for each of so many: the median of five runs.
fn micros<T>(count: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = seconds();
            black_box(work());
            1e6 * (seconds() - start) / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[2]
}

/// A thousand characters' queries.
fn characters(num_takes: u64) {
    let mut motions = Vec::new();
    for seed in 0..num_takes {
        let found = synthetic(seed, 2500).motions(&format!("{seed}"), &[], Horizon::default());
        motions.extend(found.expect("the walk has feet and lasts long enough"));
    }
    let raw: Vec<RawFeatures> = motions.iter().flat_map(|motion| &motion.features).copied().collect();
    let database = MatchDatabase::new(motions, Horizon::default()).expect("features are finite");
    let filter = MatchFilter {
        rows_left: FRAMES,
        ..MatchFilter::default()
    };
    let stay = WalkerSettings::default().stay;
    let mut walkers: Vec<Character> = (0..CHARACTERS)
        .map(|number| Character::new(number, database.num_rows()))
        .collect();
    let mut asked: Vec<([f32; NUM_FEATURES], usize)> = Vec::new();
    let (mut num_stay, mut off) = (0, 0.0);
    for tick in 0..TICKS {
        let secs = tick as f64 / QUERIES_HZ;
        for walker in &mut walkers {
            let at = database.frame_of(walker.row);
            let next = database.row_of(MatchFrame {
                frame: at.frame + FRAMES,
                ..at
            });
            let next = next.unwrap_or(walker.row);
            let query = database.standard().steered(&database.row(next), walker.wishes(secs));
            let found = database.nearest_or(&query, &filter, next, stay);
            // The first second is spent on the way to the path.
            if secs >= 1.0 {
                num_stay += usize::from(found.row == next);
                off += (walker.at - walker.path).length();
                asked.push((query, next));
            }
            walker.row = found.row;
            walker.step(&raw[found.row], secs);
        }
    }
    let count = asked.len();
    println!(
        "\n{} rows of {NUM_FEATURES}, {CHARACTERS} characters, {count} queries; off their paths by {:.2} m on average; {:.0}% stay",
        database.num_rows(),
        off / count as f64,
        100.0 * f64::from(num_stay as u32) / count as f64,
    );
    let nearest = |query: &[f32; NUM_FEATURES], likely: Option<usize>| {
        database.nearest(query, &filter, likely).map_or(0, |best| best.row)
    };
    for (query, next) in asked.iter().step_by(97) {
        assert_eq!(nearest(query, None), nearest(query, Some(*next)));
    }
    let row = |name: &str, search: &dyn Fn(&[f32; NUM_FEATURES], usize) -> usize| {
        let each = micros(count, || {
            asked
                .iter()
                .map(|(query, next)| search(query, *next))
                .fold(0, usize::wrapping_add)
        });
        let share = each * 1e-6 * CHARACTERS as f64 * QUERIES_HZ;
        println!("{name:<40} {each:8.2} us a query; {:5.1}% of one core", 100.0 * share);
    };
    row("from nothing", &|query, _| nearest(query, None));
    row("from the row that comes next", &|query, next| {
        nearest(query, Some(next))
    });
    row("the same, biased for it as walks are", &|query, next| {
        database.nearest_or(query, &filter, next, stay).row
    });
}

/// Searches for the jump that costs least.
fn costs(name: &str, sources: &[MatchSource], asked: &MatchSource) {
    let decay = Decay::Spring { half_life_secs: 0.1 };
    let features = CostFeatures::new(&sources[0], decay).expect("few joints count");
    let motions = sources.iter().flat_map(|source| {
        let motions = source.cost_motions(name, &[], &features);
        motions.expect("the takes have one skeleton")
    });
    let motions: Vec<_> = motions.collect();
    let database = CostDatabase::new(features, &motions).expect("features are finite");
    let queries = database.features().queries(asked).expect("it has the same skeleton");
    println!(
        "\n{name}: costs of {} rows of {} numbers, {} queries; index of {:.1} bytes a row",
        database.num_rows(),
        database.features().columns(),
        queries.len(),
        database.index_bytes() as f64 / database.num_rows() as f64
    );
    let filter = MatchFilter::default();
    let cheapest =
        |query: &[f32], likely: Option<usize>| database.cheapest(query, &filter, likely).map_or(0, |best| best.row);
    let few: Vec<&Vec<f32>> = queries.iter().step_by(queries.len().div_ceil(20)).collect();
    let least = |of: &dyn Fn(&[f32], usize) -> f64| {
        let of_query = |query: &Vec<f32>| {
            let all = (0..database.num_rows()).map(|row| (of(query, row), row));
            all.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
                .map_or(0, |best| best.1)
        };
        few.iter().map(|query| of_query(query)).collect::<Vec<usize>>()
    };
    let exact = |query: &[f32], row: usize| database.cost(query, row);
    let found: Vec<usize> = few.iter().map(|query| cheapest(query, None)).collect();
    assert_eq!(found, least(&exact), "the search misses the cheapest row");
    for (what, each) in [
        ("all rows exactly", micros(few.len(), || least(&exact))),
        (
            "all rows by the bound",
            micros(few.len(), || least(&|query, row| database.feature_cost(query, row))),
        ),
        (
            "tree",
            micros(queries.len(), || {
                queries
                    .iter()
                    .map(|query| cheapest(query, None))
                    .fold(0, usize::wrapping_add)
            }),
        ),
        (
            "tree, from the last answer on",
            micros(queries.len(), || {
                let mut before = None;
                for query in &queries {
                    before = Some(cheapest(query, before));
                }
                before
            }),
        ),
    ] {
        println!("{what:<40} {each:8.1} us a query");
    }
}

fn captured(names: &[&str]) -> Option<Vec<MatchSource>> {
    let folder = loopwright_mocap::folder_or_skip()?;
    let read = |name: &&str| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        let loaded = loopwright_formats::read_take(&bytes, name, &ReadSettings::default(), &mut Vec::new()).ok()?;
        Some(MatchSource::from_take(Analysis::new(&loaded.take).ok()?))
    };
    names.iter().map(read).collect()
}

fn main() {
    characters(40);
    let walks: Vec<MatchSource> = (0..20).map(|seed| synthetic(seed, 2500)).collect();
    costs("synthetic walks", &walks, &synthetic(10_007, 1000));
    if let Some(takes) = captured(&[
        "100style/Neutral_FW.bvh",
        "100style/Neutral_FR.bvh",
        "100style/Neutral_ID.bvh",
        "100style/Neutral_TR1.bvh",
    ]) {
        costs("100style", &takes[..3], &takes[3]);
    }
}
