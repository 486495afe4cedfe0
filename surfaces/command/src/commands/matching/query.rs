//! `loopwright match query`.

use std::path::Path;

use glam::DVec3;
use loopwright_core::math::Twist;
use loopwright_match::{
    CostDatabase, FeatureSetKind, FrameDatabase, MatchDatabase, MatchFilter, MatchSource,
    features::{self, Future, Horizon, NUM_TIMES, RawFeatures},
};

use super::{Opened, Tag, asked_for, open, tags_of, tags_text, unmatched};
use crate::{
    args::{MatchQueryArgs, Wish, gaits_of},
    exit::{Ending, Failure, Result},
    files, motions, output,
    report::table::in_columns,
};

pub fn run(args: &MatchQueryArgs) -> Result<Ending> {
    let bytes = files::read_bytes(&args.database)?;
    let database = open(&args.database, &bytes)?;
    let (path, frame) = motions::split(&args.take);
    let Some(frame) = frame else {
        return Err(failure!("which frame of \"{}\"?", path.display())
            .because("write FILE:FRAME, with frames counted from 0")
            .try_this(format!("{}:0", path.display())));
    };
    check_wish(&args.wish)?;
    let source = asked_for(&path, &args.reading, database.horizon())?;
    // The closing key of a loop repeats its first sample.
    let num_frames = source.num_frames();
    let num_keys = num_frames + usize::from(source.is_loop());
    let frame = motions::frame_of(&path, &frame, num_keys)? % num_frames;
    let mut found = found(&args.wish, &args.database, &path, &source, &[frame], &database)?;
    let answer = QueryAnswer {
        database: args.database.display().to_string(),
        features: database.kind().as_str(),
        file: path.display().to_string(),
        frame,
        speed_mps: args.wish.speed,
        turn_rate_dps: args.wish.speed.map(|_| args.wish.turn_rate),
        found: found.remove(0),
    };
    output::answer("match-query", &answer, None, &[], args.json, queried)
}

/// Errors: a speed or a turn rate is beyond what a body can do.
fn check_wish(wish: &Wish) -> Result<()> {
    for (flag, number, most) in [
        ("--speed", wish.speed.unwrap_or(0.0), MOST_MPS),
        ("--turn-rate", wish.turn_rate, MOST_DPS),
    ] {
        // NaN is out of every range.
        if !(-most..=most).contains(&number) {
            return Err(failure!("{flag} must be from {} to {most}, found {number}", -most)
                .try_this("--speed 1.4 --turn-rate 30")
                .wrongly_called());
        }
    }
    Ok(())
}

/// Returns the best matches in a database for each of these frames of a motion. Errors: the motion cannot be matched, or no frame passes
/// the filter.
pub fn found(
    wish: &Wish,
    name: &Path,
    path: &Path,
    source: &MatchSource,
    frames: &[usize],
    database: &Opened,
) -> Result<Vec<Vec<FoundFrame>>> {
    check_wish(wish)?;
    let filter = MatchFilter {
        tags: wish.tags.clone(),
        gaits: gaits_of(&wish.gaits),
        // Bit 0 is the left foot, bit 1 the right one.
        standing: wish.standing.map_or(0, |foot| foot as u8 + 1),
        ..MatchFilter::default()
    };
    let found: Vec<Vec<FoundFrame>> = match database {
        Opened::Future(database) => {
            let queries = source
                .queries(database.horizon())
                .map_err(|error| unmatched(path, error))?;
            frames
                .iter()
                .map(|&frame| nearest(wish, path, &queries, frame, database, &filter))
                .collect::<Result<_, _>>()?
        }
        Opened::Cost(database) => {
            let queries = database
                .features()
                .queries(source)
                .map_err(|error| unmatched(path, error))?;
            frames
                .iter()
                .map(|&frame| cheapest(wish, source, &queries[frame], database, &filter))
                .collect()
        }
    };
    if found.iter().any(Vec::is_empty) {
        return Err(Failure::nothing("no frame of the database passes the filter")
            .because("tags are compared exactly, and all of them must be there")
            .try_this(format!(
                "`loopwright match inspect {}`, which lists the tags",
                name.display()
            )));
    }
    Ok(found)
}

/// Finds the frames with the nearest pose and future.
fn nearest(
    wish: &Wish,
    path: &Path,
    frames: &[RawFeatures],
    frame: usize,
    database: &MatchDatabase,
    filter: &MatchFilter,
) -> Result<Vec<FoundFrame>> {
    let Some(mut asked) = frames.get(frame).copied() else {
        return Err(
            failure!("nobody knows what \"{}\" does after frame {frame}", path.display())
                .because(format!(
                    "the database looks {:.3} s ahead",
                    database.horizon().farthest_secs()
                ))
                .try_this(format!("a frame from 0 to {}", frames.len() - 1)),
        );
    };
    if let Some(speed) = wish.speed {
        features::steer(&mut asked, arc(speed, wish.turn_rate.to_radians(), database.horizon()));
    }
    let query = database.standard().apply(&asked);
    Ok(apart(wish, filter, |filter| {
        let nearest = database.nearest(&query, filter, None)?;
        let distance = f64::from(nearest.squared_distance).sqrt();
        Some(FoundFrame::new(database, nearest.row, distance, None))
    }))
}

/// Finds the frames with the cheapest jumps.
fn cheapest(
    wish: &Wish,
    source: &MatchSource,
    query: &[f32],
    database: &CostDatabase,
    filter: &MatchFilter,
) -> Vec<FoundFrame> {
    let mut query = query.to_vec();
    if let Some(speed) = wish.speed {
        let features = database.features();
        features.steer(&mut query, speed, wish.turn_rate.to_radians(), source.half_height());
    }
    apart(wish, filter, |filter| {
        let found = database.cheapest(&query, filter, None)?;
        let distance = database.feature_cost(&query, found.row);
        Some(FoundFrame::new(database, found.row, distance, Some(found.cost)))
    })
}

/// Collects matches that lie apart from each other, best first; `best` returns the best frame that passes a filter.
fn apart(wish: &Wish, filter: &MatchFilter, best: impl Fn(&MatchFilter) -> Option<FoundFrame>) -> Vec<FoundFrame> {
    let mut filter = filter.clone();
    (0..wish.top)
        .map_while(|_| {
            let found = best(&filter)?;
            filter.apart_from.push(found.row);
            Some(found)
        })
        .collect()
}

/// Highest speed accepted, faster than anybody runs, m/s.
const MOST_MPS: f64 = 100.0;

/// Highest turn rate accepted, faster than anybody turns for a second, degrees per second.
const MOST_DPS: f64 = 3600.0;

/// Computes positions and facings ahead for a constant speed and turn rate.
fn arc(speed_mps: f64, turn_radians_per_sec: f64, horizon: Horizon) -> [Future; NUM_TIMES] {
    let twist = Twist::new(DVec3::Z * speed_mps, DVec3::Y * turn_radians_per_sec);
    horizon.secs().map(|secs| {
        let place = twist.exp(secs).translation;
        Future {
            position: [place.x, place.z],
            facing: turn_radians_per_sec * secs,
        }
    })
}

/// A frame that was found.
#[in_schema]
pub struct FoundFrame {
    /// Its row in the database, counted from 0.
    row: usize,
    /// The clip, by its name in the database.
    clip: String,
    /// The frame of the take, counted from 0.
    frame: usize,
    /// Its time in the take.
    time_secs: f64,
    /// Distance of its features from those that were asked for. By pose and future each vector of features has a spread of 1; for costs it is the
    /// lower bound of the cost, in metre-seconds.
    distance: f64,
    /// Exact cost of a jump from the frame that was asked for to this one; null where frames are found by pose and future.
    cost_metre_secs: Option<f64>,
    /// Whether the left foot stands.
    left_stands: bool,
    /// Whether the right foot stands.
    right_stands: bool,
    /// Tags of the clip.
    tags: Vec<Tag>,
}

impl FoundFrame {
    fn new<S>(database: &FrameDatabase<'_, S>, row: usize, distance: f64, cost_metre_secs: Option<f64>) -> Self {
        let at = database.frame_of(row);
        let rows = &database.clips()[at.clip];
        let standing = database.standing(row);
        Self {
            row,
            clip: rows.clip.name.clone(),
            frame: at.frame,
            time_secs: at.frame as f64 * rows.clip.step_secs,
            distance,
            cost_metre_secs,
            left_stands: standing & 1 != 0,
            right_stands: standing & 2 != 0,
            tags: tags_of(rows),
        }
    }
}

/// The answer of `match query`.
#[in_schema]
pub struct QueryAnswer {
    /// The match database, as it was named.
    database: String,
    /// What frames are found by: pose and future, or what a jump costs.
    #[schemars(schema_with = "crate::schema_words::word::<FeatureSetKind>")]
    features: &'static str,
    /// The take or loop that was asked for.
    file: String,
    /// Its frame, counted from 0.
    frame: usize,
    /// The speed that was asked for; null where it is that of the take.
    speed_mps: Option<f64>,
    /// The turn rate that was asked for, left positive; null where it is that of the take.
    turn_rate_dps: Option<f64>,
    /// The nearest or cheapest frames, the best first; of equal ones the lowest row.
    found: Vec<FoundFrame>,
}

fn queried(answer: &QueryAnswer) -> String {
    let is_cost = answer.features == FeatureSetKind::Cost.as_str();
    let what = if is_cost { "cheapest after" } else { "nearest to" };
    let mut text = format!("{what} frame {} of {}", answer.frame, answer.file);
    if let Some(speed) = answer.speed_mps {
        text += &format!(", going on at {speed:.2} m/s");
    }
    if let Some(turn) = answer.turn_rate_dps.filter(|&turn| turn != 0.0) {
        text += &format!(", turning {turn:+.1} deg/s");
    }
    text.push('\n');
    let headings = if is_cost {
        "<clip | frame | at s | cost m s | <planted | <tags"
    } else {
        "<clip | frame | at s | distance | <planted | <tags"
    };
    let found = answer.found.iter().map(|frame| {
        let stands = match (frame.left_stands, frame.right_stands) {
            (true, true) => "both",
            (true, false) => "left",
            (false, true) => "right",
            (false, false) => "-",
        };
        [
            frame.clip.clone(),
            frame.frame.to_string(),
            format!("{:.3}", frame.time_secs),
            format!("{:.3}", frame.cost_metre_secs.unwrap_or(frame.distance)),
            stands.to_owned(),
            tags_text(&frame.tags),
        ]
    });
    text += &in_columns(headings, found);
    text
}
