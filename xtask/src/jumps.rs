//! Jumps between loops of captured takes, as `play` writes them: what feet do while a jump fades, by what shares no code with what
//! holds them.

use glam::DVec3;
use loopwright::{
    LoopClip, LoopSet, PlaySettings,
    analysis::Body,
    loop_clip::Interpolation,
    play::{Performance, PlayedLoop},
};

use crate::{
    bearing::{
        BEARING_METRES, BEARING_MPS, BEARING_SECS, LOWEST_SHARE, Point, PointKind, USUAL_HEIGHT, over_ground,
        points_of, runs,
    },
    page::Sections,
    statistics::Sorted,
    table::Table,
    takes::Captured,
};

/// Takes whose recommended loops follow each other.
const PAIRS: [[&str; 2]; 6] = [
    [
        "bandai-namco/dataset-2_walk_normal_020.bvh",
        "bandai-namco/dataset-2_run_normal_020.bvh",
    ],
    ["100style/Neutral_FW.bvh", "100style/Neutral_FR.bvh"],
    [
        "bandai-namco/dataset-2_walk_elderly_004.bvh",
        "bandai-namco/dataset-2_run_elderly_019.bvh",
    ],
    [
        "bandai-namco/dataset-1_walk_normal_001.bvh",
        "bandai-namco/dataset-1_walk-left_normal_001.bvh",
    ],
    ["snu/raw_walk_straight_fast.bvh", "snu/raw_spiral_fast_left.bvh"],
    ["xia/neutral_01.bvh", "xia/strutting_01.bvh"],
];

/// Seconds of each performance, and its frames per second.
const SECONDS: f64 = 40.0;
const FPS: f64 = 120.0;

/// Feet are measured this long after a jump, seconds: longer than any correction.
const WATCHED_SECS: f64 = 1.0;

/// What feet do in the first second after the jumps of one kind; millimetres of a body of 1.7 m.
#[derive(Default)]
struct Figures {
    slides: Vec<f64>,
    below: f64,
    /// The largest second difference of a knee over the larger of the two loops'.
    knee: f64,
    num_jumps: usize,
}

/// A loop and where its points are, at the rate of the performance.
struct Watched {
    /// By point and sample, whether it bears, around the loop.
    bears: Vec<Vec<bool>>,
    /// By point, the 2nd percentile of its heights.
    lowest: Vec<f64>,
    step_secs: f64,
    /// Of each knee, the largest second difference.
    knees: Vec<f64>,
}

impl Watched {
    fn new(clip: &LoopClip, points: &[Point], knees: &[usize], scale: f64) -> Self {
        let count = (clip.period_secs() * FPS).round() as usize;
        let step_secs = clip.period_secs() / count as f64;
        let worlds: Vec<_> = (0..=count + 1)
            .map(|sample| {
                let secs = sample as f64 * step_secs;
                let body = clip.body_pose_at(secs, Interpolation::Cubic);
                body.as_ref().world(clip.skeleton()).moved(clip.root_pose_at(secs))
            })
            .collect();
        let place = |sample: usize, point: &Point| {
            worlds[sample].translations[point.joint] + worlds[sample].rotations[point.joint] * point.offset
        };
        let lowest_of = |point: &Point| {
            let heights = (0..count).map(|sample| place(sample, point).y);
            heights.collect::<Sorted>().at(LOWEST_SHARE).unwrap_or(0.0)
        };
        let lowest: Vec<f64> = points.iter().map(lowest_of).collect();
        let bears = points.iter().zip(&lowest).map(|(point, lowest)| {
            let slow = |sample: usize| over_ground(place(sample + 1, point) - place(sample, point)) / step_secs;
            let bears: Vec<bool> = (0..count)
                .map(|sample| {
                    scale * slow(sample) <= BEARING_MPS && scale * (place(sample, point).y - lowest) <= BEARING_METRES
                })
                .collect();
            let least = (BEARING_SECS / step_secs).round() as usize;
            let mut kept = vec![false; count];
            for (start, length) in runs(&bears).into_iter().filter(|&(_, length)| length > least) {
                for sample in start..start + length {
                    kept[sample % count] = true;
                }
            }
            kept
        });
        let bend = |sample: usize, knee: usize| {
            let at = |off: usize| worlds[sample + off].translations[knee];
            (at(0) - 2.0 * at(1) + at(2)).length()
        };
        Self {
            bears: bears.collect(),
            lowest,
            step_secs,
            knees: (knees.iter())
                .map(|&knee| (0..count).map(|sample| bend(sample, knee)).fold(0.0, f64::max))
                .collect(),
        }
    }

    fn bears(&self, point: usize, secs: f64) -> bool {
        let bears = &self.bears[point];
        bears[(secs / self.step_secs).round() as usize % bears.len()]
    }
}

/// Fills the page.
pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let takes = captured.loops()?;
    let mut table = Table::new(
        "jump | jumps | slide mm, 95th percentile, open | held | worst open | held | below the floor mm, open | held | knee, open | held",
    );
    let mut all = [Vec::new(), Vec::new()];
    for pair in PAIRS {
        let mut loops = Vec::new();
        let mut body: Option<(Body, f64)> = None;
        for name in pair {
            let Some(studied) = takes.iter().find(|studied| studied.file == name) else {
                return Err(format!("{name}: there is no such take"));
            };
            let found = studied.find(&loopwright::SearchSettings::default())?;
            let made = studied.make_first(&found.candidates)?;
            let scale = made
                .body
                .stature(&made.take)
                .map_or(1.0, |height| USUAL_HEIGHT / height);
            body.get_or_insert((made.body.clone(), scale));
            loops.push(made.loop_clip);
        }
        let set = LoopSet::new(loops).map_err(|error| format!("{}: {error}", pair[0]))?;
        let Some((body, scale)) = body else { continue };
        let mut rows = [Vec::new(), Vec::new()];
        for (way, feet) in [false, true].into_iter().enumerate() {
            rows[way] = watch(&set, &body, scale, feet)?;
            for figures in &rows[way] {
                all[way].extend(figures.slides.iter().copied());
            }
        }
        for direction in 0..2 {
            let [open, held] = [&rows[0][direction], &rows[1][direction]];
            let [one, other] = [pair[direction], pair[1 - direction]].map(|name| {
                let stem = name.rsplit('/').next().unwrap_or(name);
                stem.trim_end_matches(".bvh").to_owned()
            });
            let slides = [open, held].map(|figures| figures.slides.iter().copied().collect::<Sorted>());
            let [tail_open, tail_held] = slides.each_ref().map(|slides| slides.at(0.95).unwrap_or(0.0));
            let [worst_open, worst_held] = slides.each_ref().map(Sorted::largest);
            table.row(format_args!(
                "{one} into {other} | {} | {tail_open:.0} | {tail_held:.1} | {worst_open:.0} | {worst_held:.1} | {:.0} | {:.1} | {:.2} | {:.2}",
                open.num_jumps, open.below, held.below, open.knee, held.knee
            ));
        }
    }
    let mut summary = Table::new("slide of a contact after a jump, mm | median | 95th percentile | worst");
    for (name, slides) in ["feet as the fade carries them", "held"].into_iter().zip(all) {
        let slides = slides.into_iter().collect::<Sorted>();
        summary.row(format_args!(
            "{name} | {:.1} | {:.1} | {:.1}",
            slides.median(),
            slides.at(0.95).unwrap_or(0.0),
            slides.largest()
        ));
    }
    let mut sections = Sections::default();
    sections.add("jumps", table);
    sections.add("summary", summary);
    Ok(sections)
}

/// The figures of jumps from the first loop into the second, and back.
fn watch(set: &LoopSet, body: &Body, scale: f64, feet: bool) -> Result<Vec<Figures>, String> {
    let points = points_of(set.loops()[0].skeleton(), body);
    let skeleton = set.loops()[0].skeleton();
    let knees: Vec<usize> = body
        .feet
        .iter()
        .filter_map(|foot| skeleton.parent(foot.ankle))
        .collect();
    let loops: Vec<Watched> = (set.loops().iter())
        .map(|clip| Watched::new(clip, &points, &knees, scale))
        .collect();
    let mut figures = vec![Figures::default(), Figures::default()];
    for seed in 0..4 {
        let settings = PlaySettings {
            seed,
            feet,
            ..PlaySettings::default()
        };
        let performance = set.perform(SECONDS, &settings).map_err(|error| error.to_string())?;
        for pair in performance.segments().windows(2) {
            let (left, entered) = (&pair[0], &pair[1]);
            if entered.start_secs + WATCHED_SECS > SECONDS {
                continue;
            }
            watch_jump(
                &performance,
                entered,
                [&loops[left.loop_index], &loops[entered.loop_index]],
                &points,
                &knees,
                scale,
                &mut figures[left.loop_index],
            );
        }
    }
    Ok(figures)
}

/// Adds what feet do after one jump.
fn watch_jump(
    performance: &Performance,
    entered: &PlayedLoop,
    loops: [&Watched; 2],
    points: &[Point],
    knees: &[usize],
    scale: f64,
    figures: &mut Figures,
) {
    figures.num_jumps += 1;
    let frames = (WATCHED_SECS * FPS) as usize;
    let poses: Vec<_> = (0..=frames + 1)
        .map(|frame| performance.world_pose_at(entered.start_secs + frame as f64 / FPS))
        .collect();
    for (index, point) in points.iter().enumerate() {
        let at =
            |frame: usize| poses[frame].translations[point.joint] + poses[frame].rotations[point.joint] * point.offset;
        let floor = loops[0].lowest[index].min(loops[1].lowest[index]);
        let mut places: Vec<DVec3> = Vec::new();
        for frame in 0..=frames {
            let place = at(frame);
            figures.below = figures.below.max(1e3 * scale * (floor - place.y));
            let bears = loops[1].bears(index, entered.entry.secs + frame as f64 / FPS);
            // A foot that is still on its way down does not bear yet.
            if bears && scale * (place.y - floor) <= BEARING_METRES && point.kind != PointKind::Ankle {
                places.push(place);
            }
            if (!bears || frame == frames) && !places.is_empty() {
                let pairs = places
                    .iter()
                    .flat_map(|one| places.iter().map(move |other| *one - *other));
                figures
                    .slides
                    .push(1e3 * scale * pairs.map(over_ground).fold(0.0, f64::max));
                places.clear();
            }
        }
    }
    for (index, &knee) in knees.iter().enumerate() {
        let own = loops[0].knees[index].max(loops[1].knees[index]);
        let bend = |frame: usize| {
            let at = |off: usize| poses[frame + off].translations[knee];
            (at(0) - 2.0 * at(1) + at(2)).length()
        };
        let sharpest = (0..frames).map(bend).fold(0.0, f64::max);
        figures.knee = figures.knee.max(sharpest / own.max(f64::MIN_POSITIVE));
    }
}
