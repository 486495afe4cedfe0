//! Features of motions, and the nearest frame of many takes.

use glam::{DQuat, DVec2};
use loopwright_core::{
    Analysis,
    analysis::{BodyOverrides, MotionKind},
    math::ops,
};
use loopwright_match::{
    APART_SECS, DatabaseError, GaitSet, MatchClip, MatchDatabase, MatchFilter, MatchFrame, MatchMotion, MatchSource,
    Neighbour,
    features::{self, Horizon, MatchError, NUM_FEATURES, RawFeatures, Standard},
    walk::{WalkError, WalkPath, Walked, WalkerSettings as WalkByMatch, walk as walk_by},
};
use loopwright_synth::{DriveSettings, WalkSettings, drive};

use crate::support::{at_any_address, damage_is_refused, made, nearest_is_that_of_all, sum_up, walk};

/// Returns the nearest of the rows that pass, compared one by one: its squared distance and its number.
fn one_by_one(
    database: &MatchDatabase<'_>,
    query: &[f32; NUM_FEATURES],
    passes: impl Fn(usize) -> bool,
) -> Option<(f32, usize)> {
    (0..database.num_rows())
        .filter(|&row| passes(row))
        .map(|row| (database.squared_distance(query, row), row))
        .min_by(|one, other| one.partial_cmp(other).unwrap())
}

/// Returns every so manyth row, asked for, is answered as by comparing the rows that pass one by one.
fn answers_by_rows_that_pass(
    database: &MatchDatabase<'_>,
    every: usize,
    filter: &MatchFilter,
    passes: impl Fn(usize) -> bool,
) {
    for row in (0..database.num_rows()).step_by(every) {
        let query = database.row(row);
        let found = database.nearest(&query, filter, Some(row));
        let found = found.map(|found| (found.squared_distance, found.row));
        assert_eq!(found, one_by_one(database, &query, &passes), "{filter:?}");
    }
}

/// A walk on a circle: the future is an arc of its radius, whatever the frame and wherever the walk began.
#[test]
fn the_future_of_a_turning_walk_is_an_arc() {
    let settings = WalkSettings::default().speed_mps(1.2).turn_dps(40.0).seconds(12.0);
    for horizon in [Horizon::default(), Horizon::new([0.25, 1.2, 2.0]).unwrap()] {
        let analysis = walk(&settings);
        let frames = features::of_take(&analysis, horizon).unwrap();
        let unknown = (horizon.farthest_secs() / analysis.take.frame_time_secs()).round() as usize;
        assert_eq!(frames.len(), analysis.take.num_frames() - unknown);
        let turn = settings.turn_dps.to_radians();
        // Smoothing is not one-sided here.
        for frame in &frames[60..frames.len() - 60] {
            for (at, secs) in horizon.secs().into_iter().enumerate() {
                let (x, z) = (frame[15 + 2 * at], frame[16 + 2 * at]);
                let far = ops::hypot(x, z);
                let chord = 2.0 * settings.speed_mps / turn * ops::sin(0.5 * turn * secs);
                let is_near = (far - chord).abs() < 0.06 * chord;
                assert!(is_near, "{secs} s ahead {far} m, a chord of {chord} m");
                let facing = ops::atan2(frame[21 + 2 * at], frame[22 + 2 * at]);
                assert!((facing - turn * secs).abs() < 0.08, "{secs} s ahead it faces {facing}");
            }
        }
    }
}

#[test]
fn times_ahead_rise_and_stay_with_the_database() {
    for secs in [
        [0.0, 0.5, 1.0],
        [0.5, 0.5, 1.0],
        [1.0, 0.5, 2.0],
        [0.1, 0.2, 11.0],
        [0.1, f64::NAN, 1.0],
    ] {
        assert!(matches!(Horizon::new(secs), Err(MatchError::Times { .. })), "{secs:?}");
    }
    let horizon = Horizon::new([0.2, 0.5, 1.5]).unwrap();
    let source = MatchSource::from_take(walk(&WalkSettings::default()));
    let database = MatchDatabase::new(source.motions("a", &[], horizon).unwrap(), horizon).unwrap();
    let bytes = database.to_bytes();
    let read = MatchDatabase::from_bytes(&bytes).unwrap();
    assert_eq!((read.horizon(), &read), (horizon, &database));
    let more = read.with(source.motions("b", &[], horizon).unwrap()).unwrap();
    assert_eq!(more.horizon(), horizon);
}

/// Each row has the gait of its segment, and a filter finds the nearest of that gait.
#[test]
fn rows_know_their_gait() {
    // It stands, walks, turns, runs and stops.
    let analysis = Analysis::new(&drive(&DriveSettings::default()).unwrap()).unwrap();
    let segments = analysis.segments.clone();
    let source = MatchSource::from_take(analysis);
    let horizon = Horizon::default();
    let database = MatchDatabase::new(source.motions("a", &[], horizon).unwrap(), horizon).unwrap();
    let bytes = database.to_bytes();
    let database = MatchDatabase::from_bytes(&bytes).unwrap();
    let gait_at = |frame: usize| segments.iter().find(|segment| frame <= segment.end_frame).unwrap().gait;
    for row in 0..database.num_rows() {
        assert_eq!(database.gait(row), Some(gait_at(database.frame_of(row).frame)));
    }
    let walks = GaitSet::new(|gait| gait.kind.straight() == MotionKind::Walk);
    let filter = MatchFilter {
        gaits: walks,
        ..MatchFilter::default()
    };
    let is_walk = |row: usize| {
        database
            .gait(row)
            .is_some_and(|gait| gait.kind.straight() == MotionKind::Walk)
    };
    let num_walks = (0..database.num_rows()).filter(|&row| is_walk(row)).count();
    assert!(num_walks > 50 && num_walks + 50 < database.num_rows(), "{num_walks}");
    answers_by_rows_that_pass(&database, 9, &filter, is_walk);
    let nothing = MatchFilter {
        gaits: GaitSet::new(|gait| gait.kind == MotionKind::Backward),
        ..MatchFilter::default()
    };
    assert_eq!(database.nearest(&database.row(0), &nothing, None), None);
    assert_eq!(walks.and(GaitSet::default()), walks);
    // A gait that there is not is no database.
    let mut other = bytes.clone();
    *other.last_mut().unwrap() = 63 << 2;
    sum_up(&mut other);
    let refused = MatchDatabase::from_bytes(&other).map(|_| ());
    assert_eq!(refused, Err(DatabaseError::Contents { what: "a gait" }));
}

#[test]
fn features_do_not_depend_on_where_a_take_faces() {
    let analysis = walk(&WalkSettings::default());
    let turned = Analysis::new(&analysis.take.turned(DQuat::from_rotation_y(2.5))).unwrap();
    let [here, there] = [analysis, turned].map(|analysis| features::of_take(&analysis, Horizon::default()).unwrap());
    assert_eq!(here.len(), there.len());
    for (here, there) in here.iter().zip(&there) {
        for (one, other) in here.iter().zip(there) {
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
    }
}

#[test]
fn every_vector_has_mean_zero_and_spread_one() {
    let frames = features::of_take(&walk(&WalkSettings::default()), Horizon::default()).unwrap();
    let standard = Standard::new(&frames);
    let rows: Vec<_> = frames.iter().map(|frame| standard.apply(frame)).collect();
    let column = |at: usize| rows.iter().map(move |row| f64::from(row[at]));
    let count = frames.len() as f64;
    for at in 0..NUM_FEATURES {
        assert!((column(at).sum::<f64>() / count).abs() < 1e-5);
    }
    for first in [0, 3, 6, 9, 12] {
        let squares = (first..first + 3).flat_map(|at| column(at).map(|number| number * number));
        let variance = squares.sum::<f64>() / (3.0 * count);
        assert!((variance - 1.0).abs() < 1e-4, "vector at {first}");
    }
}

/// Walks of many speeds and turns, asked for by frames of other walks with wishes of their own: always the nearest of all.
#[test]
fn of_many_walks_the_nearest_frame_is_found() {
    let settings = |seed: u64| {
        WalkSettings::default()
            .seed(seed)
            .speed_mps(0.8 + 0.1 * seed as f64)
            .turn_dps(12.0 * (seed as f64 - 3.5))
            .seconds(12.0)
            .noise_deg(0.3)
    };
    let takes: Vec<Vec<RawFeatures>> = (0..8)
        .map(|seed| features::of_take(&walk(&settings(seed)), Horizon::default()).unwrap())
        .collect();
    nearest_is_that_of_all(&takes[..7].concat(), &takes[7], takes[7].len());
}

#[test]
fn what_cannot_be_matched_is_refused() {
    let short = walk(&WalkSettings::default().seconds(0.5));
    let error = features::of_take(&short, Horizon::default()).unwrap_err();
    assert!(matches!(error, MatchError::Short { .. }), "{error}");
}

/// Walks of several speeds; of every second one the style is a stroll, and its left foot stands in odd frames.
fn motions(count: usize) -> Vec<MatchMotion> {
    (0..count)
        .map(|seed| {
            let walk = walk(
                &WalkSettings::default()
                    .seed(seed as u64)
                    .speed_mps(0.8 + 0.15 * seed as f64)
                    .seconds(4.0),
            );
            let features = features::of_take(&walk, Horizon::default()).unwrap();
            MatchMotion {
                clip: MatchClip {
                    name: format!("walks/{seed}.bvh"),
                    tags: vec![("style".to_owned(), ["walk", "stroll"][seed % 2].to_owned())],
                    first_frame: 10 * seed,
                    step_secs: 1.0 / 60.0,
                    is_loop: seed == 2,
                },
                standing: (0..features.len()).map(|frame| (frame % 2) as u8).collect(),
                features,
            }
        })
        .collect()
}

#[test]
fn a_database_tells_which_frame_a_row_is() {
    let motions = motions(3);
    let database = MatchDatabase::new(motions.clone(), Horizon::default()).unwrap();
    let lengths: Vec<usize> = motions.iter().map(|motion| motion.features.len()).collect();
    assert_eq!(database.num_rows(), lengths.iter().sum::<usize>());
    for (row, clip, frame) in [
        (0, 0, 0),
        (lengths[0] - 1, 0, lengths[0] - 1),
        (lengths[0], 1, 10),
        (lengths[0] + lengths[1] + 5, 2, 25),
    ] {
        let at = MatchFrame { clip, frame };
        assert_eq!(database.frame_of(row), at);
        assert_eq!(database.row_of(at), Some(row));
        let query = database.standard().apply(&motions[clip].features[frame - 10 * clip]);
        assert_eq!(database.row(row), query);
        let found = database.nearest(&query, &MatchFilter::default(), None).unwrap();
        assert_eq!((found.row, found.squared_distance), (row, 0.0));
    }
    // The take ends, the loop goes round.
    let past = |clip: usize| MatchFrame {
        clip,
        frame: 10 * clip + lengths[clip] + 1,
    };
    assert_eq!(database.row_of(past(1)), None);
    assert_eq!(database.row_of(past(2)), Some(lengths[0] + lengths[1] + 1));
    assert_eq!(database.row_of(MatchFrame { clip: 1, frame: 9 }), None);
    assert_eq!(database.row_of(MatchFrame { clip: 3, frame: 0 }), None);
}

/// The nearest that a filter lets pass is the nearest of those rows alone, compared one by one.
#[test]
fn filters_leave_the_answer_exact() {
    let database = MatchDatabase::new(motions(4), Horizon::default()).unwrap();
    let tag = |value: &str| vec![("style".to_owned(), value.to_owned())];
    let filters = [
        (tag("walk"), 0),
        (tag("stroll"), 1),
        (Vec::new(), 1),
        (tag("run"), 0),
        (Vec::new(), 2),
    ];
    for (tags, standing) in filters {
        let filter = MatchFilter {
            tags,
            standing,
            ..MatchFilter::default()
        };
        let passes = |row: usize| {
            let clip = &database.clips()[database.frame_of(row).clip].clip;
            filter.tags.iter().all(|tag| clip.tags.contains(tag)) && database.standing(row) & standing == standing
        };
        answers_by_rows_that_pass(&database, 7, &filter, passes);
    }
}

/// Frames that follow each other are nearly alike: half a second lies between answers, also around the end of a loop.
#[test]
fn answers_lie_apart_in_time() {
    let database = MatchDatabase::new(motions(4), Horizon::default()).unwrap();
    let [take, cycle] = [false, true].map(|is_loop| {
        let mut clips = database.clips().iter();
        clips.find(|rows| rows.clip.is_loop == is_loop).unwrap()
    });
    let filter = MatchFilter {
        apart_from: vec![take.first_row + 40, cycle.first_row + 1],
        ..MatchFilter::default()
    };
    let passes = |row: usize| {
        filter.apart_from.iter().all(|&other| {
            let [at, near] = [row, other].map(|row| database.frame_of(row));
            let rows = &database.clips()[at.clip];
            let turns = if rows.clip.is_loop {
                rows.num_rows as f64
            } else {
                f64::INFINITY
            };
            let off = at.frame as f64 - near.frame as f64;
            let nearest = [off, off - turns, off + turns]
                .map(f64::abs)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            at.clip != near.clip || nearest * rows.clip.step_secs >= APART_SECS
        })
    };
    answers_by_rows_that_pass(&database, 7, &filter, passes);
}

/// With a bias the answer is the nearest row if that is near enough, and else the row that comes next: found by comparing all.
#[test]
fn a_bias_holds_on_to_the_row_that_comes_next() {
    let database = MatchDatabase::new(motions(4), Horizon::default()).unwrap();
    let filter = MatchFilter {
        tags: vec![("style".to_owned(), "walk".to_owned())],
        rows_left: 12,
        ..MatchFilter::default()
    };
    let ends = |row: usize| {
        let rows = &database.clips()[database.frame_of(row).clip];
        !rows.clip.is_loop && row + 12 >= rows.first_row + rows.num_rows
    };
    let is_walk = |row: usize| database.frame_of(row).clip.is_multiple_of(2);
    let (mut stays, mut goes) = (0, 0);
    for asked in (0..database.num_rows()).step_by(5) {
        // Between two rows, with the future of a third.
        let mut query = database.row(asked);
        query[15..].copy_from_slice(&database.row(asked * 7 % database.num_rows())[15..]);
        let next = (asked + 30) % database.num_rows();
        for share in [0.0, 0.3, 0.6, 1.0, 2.0] {
            let limit = share * database.squared_distance(&query, next);
            let nearer = one_by_one(&database, &query, |row| is_walk(row) && !ends(row));
            let nearer = nearer.filter(|(squared_distance, _)| *squared_distance < limit);
            let found = database.nearest_or(&query, &filter, next, share);
            match nearer {
                Some((squared_distance, row)) => assert_eq!(found, Neighbour { row, squared_distance }, "{share}"),
                None => assert_eq!(found.row, next, "{share}"),
            }
            stays += usize::from(nearer.is_none());
            goes += usize::from(nearer.is_some());
        }
        // At distance 0 nothing is nearer, not even an equal row before it.
        let itself = database.row(next);
        assert_eq!(database.nearest_or(&itself, &filter, next, 1.0).row, next);
    }
    assert!(stays > 100 && goes > 100, "{stays} {goes}");
}

#[test]
fn motions_that_are_added_leave_the_rows_before_them_as_they_were() {
    let (few, more) = (motions(2), motions(4).split_off(2));
    let before = MatchDatabase::new(few, Horizon::default()).unwrap();
    let after = before.with(more.clone()).unwrap();
    assert_eq!(after.standard(), before.standard());
    assert_eq!(after.clips()[..2], *before.clips());
    for row in 0..before.num_rows() {
        assert_eq!(after.row(row), before.row(row));
        assert_eq!(after.standing(row), before.standing(row));
    }
    let first = before.num_rows();
    assert_eq!(after.row(first), before.standard().apply(&more[0].features[0]));
    let added: usize = more.iter().map(|motion| motion.features.len()).sum();
    assert_eq!(after.num_rows(), first + added);
}

/// Bytes at any address give the same database; where they are aligned its tables are not copied.
#[test]
fn a_database_survives_its_bytes() {
    for count in [0, 1, 3] {
        let database = MatchDatabase::new(motions(count), Horizon::default()).unwrap();
        let bytes = database.to_bytes();
        at_any_address(&bytes, |bytes| {
            let again = MatchDatabase::from_bytes(bytes).unwrap();
            assert_eq!(again, database);
            assert_eq!(again.to_bytes(), bytes);
        });
    }
}

#[test]
fn bytes_that_are_no_database_are_refused() {
    let bytes = MatchDatabase::new(motions(2), Horizon::default()).unwrap().to_bytes();
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        MatchDatabase::from_bytes(&bytes).unwrap_err()
    };
    for (at, to, error) in [
        (0, &b"BVH"[..], DatabaseError::Magic),
        (8, &9_u32.to_le_bytes(), DatabaseError::Version { found: 9 }),
        // The mark of the other order.
        (12, &[1, 2, 3, 4], DatabaseError::ByteOrder),
        (20, &30_u32.to_le_bytes(), DatabaseError::Features { found: 30 }),
    ] {
        assert_eq!(changed(at, to), error);
    }
    for huge in [u64::MAX, 1 << 40, 0] {
        let error = changed(24, &huge.to_le_bytes());
        assert!(matches!(error, DatabaseError::Length { .. }), "{huge}");
    }
    damage_is_refused(&bytes, |changed| MatchDatabase::from_bytes(changed).unwrap_err());
}

/// A loop goes on by its own twist: the place ahead of every sample is that of the twist, and feet move as in its take.
#[test]
fn the_future_of_a_loop_is_its_twist() {
    let analysis = walk(&WalkSettings::default().speed_mps(1.4).turn_dps(15.0));
    let made = made(&analysis);
    let source = MatchSource::from_loop(&made.loop_clip, &BodyOverrides::default(), Horizon::default()).unwrap();
    let motions = source.motions("loop", &[], Horizon::default()).unwrap();
    assert_eq!(motions.len(), 1);
    assert_eq!(motions[0].features.len(), made.loop_clip.num_samples());
    let fastest = |frames: &[RawFeatures]| {
        let speeds = frames.iter().map(|frame| ops::hypot(frame[6], frame[8]));
        speeds.fold(0.0, f64::max)
    };
    let ours = fastest(&motions[0].features);
    let of_take = fastest(&features::of_take(&analysis, Horizon::default()).unwrap());
    assert!((ours / of_take - 1.0).abs() < 0.1, "{ours} {of_take} m/s");
    let twist = made.loop_clip.root().twist;
    for frame in &motions[0].features {
        for (at, secs) in Horizon::default().secs().into_iter().enumerate() {
            let far = ops::hypot(frame[15 + 2 * at], frame[16 + 2 * at]);
            let chord = twist.exp(secs).translation.length();
            let is_near = (far / chord - 1.0).abs() < 0.06;
            assert!(is_near, "{secs} s ahead {far} m, a chord of {chord} m");
        }
    }
}

/// Walks at several speeds and turn rates, and a database of them.
fn walkers() -> Vec<MatchSource> {
    let of = |speed_mps: f64, turn_dps: f64| {
        MatchSource::from_take(walk(
            &WalkSettings::default()
                .speed_mps(speed_mps)
                .turn_dps(turn_dps)
                .seconds(8.0),
        ))
    };
    let turns = [-50.0, -25.0, 0.0, 25.0, 50.0].into_iter();
    turns.flat_map(|turn| [of(0.9, turn), of(1.4, turn)]).collect()
}

/// Motions, and the database of them.
struct Crowd {
    sources: Vec<MatchSource>,
    database: MatchDatabase<'static>,
}

impl Crowd {
    fn new(sources: Vec<MatchSource>) -> Self {
        let motions = sources.iter().enumerate();
        let motions =
            motions.flat_map(|(index, source)| source.motions(&format!("{index}"), &[], Horizon::default()).unwrap());
        let database = MatchDatabase::new(motions.collect(), Horizon::default()).unwrap();
        Self { sources, database }
    }

    fn go(&self, path: &[(f64, DVec2)], settings: &WalkByMatch) -> Result<Walked, WalkError> {
        let by_clip: Vec<&MatchSource> = self.sources.iter().collect();
        self.go_by(&by_clip, path, &MatchFilter::default(), settings)
    }

    fn go_by(
        &self,
        by_clip: &[&MatchSource],
        path: &[(f64, DVec2)],
        filter: &MatchFilter,
        settings: &WalkByMatch,
    ) -> Result<Walked, WalkError> {
        walk_by(
            &self.database,
            by_clip,
            &WalkPath::new(path.to_vec())?,
            filter,
            settings,
        )
    }
}

/// With feet that are not held.
fn free() -> WalkByMatch {
    WalkByMatch {
        holds_feet: false,
        ..WalkByMatch::default()
    }
}

/// Around a corner and on: the character stays near its path, its feet stay where they stand, and no jump shows.
#[test]
fn a_path_is_walked_without_a_pop() {
    let walkers = Crowd::new(walkers());
    let path = [
        (0.0, DVec2::ZERO),
        (5.0, DVec2::new(0.0, 6.0)),
        (10.0, DVec2::new(6.0, 6.0)),
        (15.0, DVec2::new(6.0, 0.0)),
    ];
    let go = |settings: &WalkByMatch| walkers.go(&path, settings).unwrap();
    let (walked, free) = (go(&WalkByMatch::default()), go(&free()));
    assert_eq!(walked.take.num_frames(), 901);
    assert!(!walked.jumps.is_empty());
    assert_eq!((&walked.rows, &walked.jumps), (&free.rows, &free.jumps));
    let errors = &walked.path_error_metres;
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let worst = errors.iter().copied().fold(0.0, f64::max);
    assert!(mean < 0.5 && worst < 1.5, "off the path by {mean} m, at most {worst}");
    // Faces along the legs of the path well behind their corners.
    let analysis = Analysis::new(&walked.take).unwrap();
    for (frame, degrees) in [(250, 0.0), (560, 90.0), (860, 180.0)] {
        let off = (analysis.heading.yaw(frame).to_degrees() - degrees).rem_euclid(360.0);
        assert!(off.min(360.0 - off) < 35.0, "frame {frame} faces {off} off");
    }
    let [after_jumps, elsewhere] = free.sharpest_metres;
    assert!(after_jumps < 1.5 * elsewhere, "{after_jumps} {elsewhere}");
    let (held, slides) = (walked.slide_mps.unwrap(), free.slide_mps.unwrap());
    assert!(held < 0.35 * slides, "{held} of {slides}");
    // Equal paths give equal bits.
    assert_eq!(go(&WalkByMatch::default()).take, walked.take);
}
