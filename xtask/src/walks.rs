//! Walks by a match database: inertialized jumps against plain blending.
//!
//! Feet are measured by what shares no code with what holds them, at points that it does not touch: the hold sets the ball of a foot.

use glam::{DVec2, DVec3};
use loopwright::{
    analysis::Body,
    math::{Decay, ops},
    motion::WorldTracks,
};
use loopwright_formats::ReadSettings;
use loopwright_match::{
    MatchDatabase, MatchFilter, MatchSource,
    features::Horizon,
    walk::{WalkPath, WalkSettings, WalkTransition, Walked, walk},
};

use crate::{
    bearing::{
        BEARING_METRES, BEARING_MPS, BEARING_SECS, LOWEST_SHARE, Point, PointKind, USUAL_HEIGHT, over_ground,
        points_of, runs,
    },
    page::Sections,
    statistics::{Sorted, mean},
    table::{Table, cell},
    takes::{Captured, Studied},
};

/// Databases of captured takes of one skeleton, and a name for each.
const DATABASES: [(&str, &[&str]); 2] = [
    (
        "100style",
        &[
            "100style/Neutral_FW.bvh",
            "100style/Neutral_FR.bvh",
            "100style/Neutral_ID.bvh",
            "100style/Neutral_TR1.bvh",
        ],
    ),
    (
        "pfnn",
        &["pfnn/LocomotionFlat04_000.bvh", "pfnn/LocomotionFlat09_000.bvh"],
    ),
];

/// Seconds of a walk, and its speed.
const WALK_SECS: f64 = 30.0;
const WALK_MPS: f64 = 1.2;

/// Seconds of a jump's fade, and of a blend.
const FADE_SECS: f64 = 0.35;

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let mut sections = Sections::default();
    all_walks(captured, &mut sections)?;
    Ok(sections)
}

/// Takes of a database, with what feet do in them.
struct Source {
    source: MatchSource,
    world: WorldTracks,
    points: Vec<Point>,
    /// By point and frame, whether it bears.
    bears: Vec<Vec<bool>>,
    scale: f64,
}

impl Source {
    fn read(captured: &Captured, file: &str) -> Result<Self, String> {
        let (_, loaded) = captured.read(file, &ReadSettings::default())?;
        let Studied { take, analysis, .. } = Studied::of(file, loaded.take)?;
        let body: &Body = &analysis.body;
        let scale = body.stature(&take).map_or(1.0, |height| USUAL_HEIGHT / height);
        let points = points_of(take.skeleton(), body);
        let world = take.world_tracks();
        let bears = points
            .iter()
            .map(|point| bearing(&world, point, scale, take.frame_time_secs()));
        Ok(Self {
            bears: bears.collect(),
            source: MatchSource::from_take(analysis),
            world,
            points,
            scale,
        })
    }
}

fn place(world: &WorldTracks, frame: usize, point: &Point) -> DVec3 {
    world.position(frame, point.joint) + world.rotation(frame, point.joint) * point.offset
}

/// Where a point bears: low and slow for long enough.
fn bearing(world: &WorldTracks, point: &Point, scale: f64, step_secs: f64) -> Vec<bool> {
    let count = world.num_frames();
    let heights = (0..count).map(|frame| place(world, frame, point).y);
    let lowest = heights.collect::<Sorted>().at(LOWEST_SHARE).unwrap_or(0.0);
    let bears: Vec<bool> = (0..count)
        .map(|frame| {
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(count - 1));
            let moved = over_ground(place(world, after, point) - place(world, before, point));
            scale * moved <= BEARING_MPS * (after - before) as f64 * step_secs
                && scale * (place(world, frame, point).y - lowest) <= BEARING_METRES
        })
        .collect();
    let least = (BEARING_SECS / step_secs).round() as usize;
    let mut kept = vec![false; count];
    for (start, length) in runs(&bears) {
        // A take does not go round.
        let end = (start + length).min(count);
        if end - start > least {
            kept[start..end].fill(true);
        }
    }
    kept
}

/// What a walk is like.
#[derive(Default)]
struct Figures {
    /// Mean speed over the ground while it bears, by kind of point: in the walk, and of the frames that it plays in their takes.
    skate_mps: [[Option<f64>; 2]; 3],
    /// The largest second difference of a joint's place while a jump fades, and elsewhere, metres a frame.
    sharpest: [f64; 2],
}

const KINDS: [PointKind; 3] = [PointKind::Ankle, PointKind::Ball, PointKind::Tip];

fn figures(database: &MatchDatabase<'_>, sources: &[&Source], walked: &Walked) -> Figures {
    let world = walked.take.world_tracks();
    let step_secs = walked.take.frame_time_secs();
    let mut figures = Figures::default();
    for (kind, skate) in KINDS.into_iter().zip(&mut figures.skate_mps) {
        let mut moved: [Vec<f64>; 2] = Default::default();
        for (frame, rows) in walked
            .rows
            .windows(2)
            .enumerate()
            .filter(|(_, rows)| rows[0] != rows[1])
        {
            let at = database.frame_of(rows[1]);
            let source = sources[at.clip];
            for (index, point) in source.points.iter().enumerate().filter(|(_, point)| point.kind == kind) {
                if at.frame == 0 || !(source.bears[index][at.frame] && source.bears[index][at.frame - 1]) {
                    continue;
                }
                let step = |world: &WorldTracks, frame: usize| {
                    source.scale * over_ground(place(world, frame + 1, point) - place(world, frame, point)) / step_secs
                };
                moved[0].push(step(&world, frame));
                moved[1].push(step(&source.world, at.frame - 1));
            }
        }
        *skate = moved.map(|moved| (!moved.is_empty()).then(|| mean(&moved)));
    }
    let faded = (FADE_SECS / step_secs).ceil() as usize + 1;
    for frame in 1..world.num_frames().saturating_sub(1) {
        let fades = walked
            .jumps
            .iter()
            .any(|&jump| (jump..=jump + faded).contains(&(frame + 1)));
        for joint in 0..walked.take.num_joints() {
            let [before, at, after] = [frame - 1, frame, frame + 1].map(|frame| world.position(frame, joint));
            let sharpest = &mut figures.sharpest[usize::from(!fades)];
            *sharpest = sharpest.max((after - 2.0 * at + before).length());
        }
    }
    figures
}

/// Paths of one speed: where the body is to be, moment by moment.
fn paths() -> Result<Vec<(&'static str, WalkPath)>, String> {
    const STEP_SECS: f64 = 0.1;
    let of = |heading: fn(f64) -> f64, speed: fn(f64) -> f64| {
        let mut at = DVec2::ZERO;
        let count = (WALK_SECS / STEP_SECS) as usize;
        let points = (0..=count).map(|index| {
            let secs = index as f64 * STEP_SECS;
            let point = (secs, at);
            let angle = heading(secs);
            at += DVec2::new(ops::sin(angle), ops::cos(angle)) * speed(secs) * STEP_SECS;
            point
        });
        WalkPath::new(points.collect()).map_err(|error| error.to_string())
    };
    let steady = |_: f64| WALK_MPS;
    Ok(vec![
        ("straight", of(|_| 0.0, steady)?),
        ("S", of(|secs| 0.9 * ops::sin(0.6 * secs), steady)?),
        (
            "corners",
            of(
                |secs| match (secs / 5.0) as usize % 2 {
                    0 => 0.0,
                    _ => core::f64::consts::FRAC_PI_2,
                },
                steady,
            )?,
        ),
        (
            "stops",
            of(|_| 0.0, |secs| if secs % 8.0 < 4.0 { WALK_MPS } else { 0.0 })?,
        ),
    ])
}

fn all_walks(captured: &Captured, sections: &mut Sections) -> Result<(), String> {
    let fade = WalkTransition::Inertialized(Decay::Quintic { blend_secs: FADE_SECS });
    let blend = WalkTransition::Crossfade { blend_secs: FADE_SECS };
    let ways = [
        ("inertialized, feet held", fade, true),
        ("inertialized", fade, false),
        ("plain blending, feet held", blend, true),
        ("plain blending", blend, false),
    ];
    let mut table = Table::new(
        "database, path | way | off the path m, mean | most | jumps a second | ankle cm/s | its takes | tip cm/s | its takes | \
         sharpest in a jump cm | elsewhere",
    );
    let mut ball = Table::new("database, path | ball cm/s, inertialized, feet held | its takes");
    let mut all: [Vec<[Option<f64>; 6]>; 4] = Default::default();
    for (name, files) in DATABASES {
        let sources: Vec<Source> = (files.iter().map(|file| Source::read(captured, file))).collect::<Result<_, _>>()?;
        let mut motions = Vec::new();
        let mut of_clips = Vec::new();
        for (source, file) in sources.iter().zip(files) {
            let found = source
                .source
                .motions(file, &[], Horizon::default())
                .map_err(|error| format!("{file}: {error}"))?;
            of_clips.extend(found.iter().map(|_| source));
            motions.extend(found);
        }
        let database = MatchDatabase::new(motions, Horizon::default()).map_err(|error| format!("{name}: {error}"))?;
        let played: Vec<&MatchSource> = of_clips.iter().map(|source| &source.source).collect();
        for (path_name, path) in paths()? {
            for (way, (way_name, transition, holds_feet)) in ways.into_iter().enumerate() {
                let settings = WalkSettings {
                    transition,
                    holds_feet,
                    ..WalkSettings::default()
                };
                let walked = walk(&database, &played, &path, &MatchFilter::default(), &settings)
                    .map_err(|error| format!("{name}, {path_name}: {error}"))?;
                let figures = figures(&database, &of_clips, &walked);
                let errors = &walked.path_error_metres;
                let off = [mean(errors), errors.iter().copied().fold(0.0, f64::max)];
                let rate = walked.jumps.len() as f64 / WALK_SECS;
                let [ankle, on_ball, tip] = figures.skate_mps;
                let shown = |speed: Option<f64>| cell(speed.map(|speed| 100.0 * speed), 1);
                let [fades, elsewhere] = figures.sharpest.map(|metres| 100.0 * metres);
                table.row(format_args!(
                    "{name}, {path_name} | {way_name} | {:.2} | {:.2} | {rate:.1} | {} | {} | {} | {} | {fades:.1} | \
                     {elsewhere:.1}",
                    off[0],
                    off[1],
                    shown(ankle[0]),
                    shown(ankle[1]),
                    shown(tip[0]),
                    shown(tip[1])
                ));
                if way == 0 {
                    ball.row(format_args!(
                        "{name}, {path_name} | {} | {}",
                        shown(on_ball[0]),
                        shown(on_ball[1])
                    ));
                }
                let of = |speed: [Option<f64>; 2]| speed[0].zip(speed[1]).map(|(here, own)| here / own);
                let [off, rate, fades, elsewhere] = [off[0], rate, fades, elsewhere].map(Some);
                all[way].push([off, rate, of(ankle), of(tip), fades, elsewhere]);
            }
        }
    }
    let mut summary = Table::new(
        "means of all walks | off the path m | jumps a second | ankle, of its takes | tip, of its takes | \
         sharpest in a jump cm | elsewhere",
    );
    for ((name, ..), figures) in ways.into_iter().zip(&all) {
        // Some bodies have no tips of toes.
        let of = |at: usize| mean(&figures.iter().filter_map(|figures| figures[at]).collect::<Vec<f64>>());
        summary.row(format_args!(
            "{name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1}",
            of(0),
            of(1),
            of(2),
            of(3),
            of(4),
            of(5)
        ));
    }
    sections.add("summary", summary);
    sections.add("walks", table);
    sections.add("ball", ball);
    Ok(())
}
