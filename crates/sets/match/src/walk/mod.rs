//! Moves a character along a path with a match database.
//!
//! Every few frames the database is queried for the frame whose pose is like the current one and whose future is like the
//! desired one: the path, and an offset from it that fades from the character's current position and motion. If another frame is
//! clearly nearer than the one that follows, the motion continues there; the gap of pose, velocity and root motion fades as at a
//! jump between loops. The root moves as in the motions that are played. Source of the method: Clavet, "Motion matching and the
//! road to next-gen animation", GDC 2016; of the fades: Bollo, "Inertialization", GDC 2018, in the form of docs/math/shapes.md.

use glam::{DVec2, DVec3};

use loopwright_core::{
    Pose, Take,
    feet::LiveFoot,
    math::{Decay, TimeStep},
    motion::WorldTracks,
    take::TakeError,
};
use loopwright_moves::play::MAX_TRANSFORMS;

use super::{
    database::{MatchDatabase, MatchFilter},
    source::{MatchSource, bit_of},
};

mod walker;

use walker::Walker;

/// The path of a character over time: times in order, positions in metres on the ground.
#[value]
pub struct WalkPath {
    points: Vec<(f64, DVec2)>,
}

impl WalkPath {
    /// Creates a path through points: seconds, and metres to the left and ahead (x and z). Errors: [`WalkError`].
    pub fn new(points: Vec<(f64, DVec2)>) -> Result<Self, WalkError> {
        if points.len() < 2 {
            return Err(WalkError::Points { found: points.len() });
        }
        for (point, (secs, at)) in points.iter().enumerate() {
            let follows = point == 0 || points[point - 1].0 < *secs;
            if !(follows && secs.is_finite() && at.is_finite()) {
                return Err(WalkError::Order { point });
            }
        }
        Ok(Self { points })
    }

    /// Returns the seconds from the first point to the last.
    pub fn duration_secs(&self) -> f64 {
        self.points[self.points.len() - 1].0 - self.points[0].0
    }

    /// Returns position and velocity this long after the first point. The path stands still at its ends.
    fn at(&self, secs: f64) -> (DVec2, DVec2) {
        let secs = secs + self.points[0].0;
        let after = self.points.partition_point(|(time, _)| *time <= secs);
        if after == 0 || after == self.points.len() {
            let end = self.points[after.saturating_sub(1)].1;
            return (end, DVec2::ZERO);
        }
        let ((from, start), (to, end)) = (self.points[after - 1], self.points[after]);
        let velocity = (end - start) / (to - from);
        (start + velocity * (secs - from), velocity)
    }
}

/// Why a path cannot be walked.
#[error_kinds]
pub enum WalkError {
    #[error("a path has two points or more, found {found}")]
    Points { found: usize },
    #[error("point {point} of the path: times must rise, and all numbers be finite")]
    Order {
        /// The point, counted from 0.
        point: usize,
    },
    /// The take would have more than [`MAX_TRANSFORMS`] frames times joints.
    #[error("the path lasts {found_secs:e} s; a take of it would be too large")]
    Long { found_secs: f64 },
    #[error("no row of the database passes the filter")]
    NoRow,
    #[error("\"{name}\" has another skeleton than the first clip of the database")]
    Skeleton { name: String },
    #[error("\"{name}\" has {found_hz:.2} frames per second, the first clip of the database {expected_hz:.2}")]
    Rate {
        name: String,
        found_hz: f64,
        expected_hz: f64,
    },
    /// A clip of the database has no source, or a shorter one than its rows.
    #[error("\"{name}\" is not the motion that the database was made from")]
    Source { name: String },
    /// The frames do not form a take.
    Take(TakeError),
}

/// How a character walks.
#[value(Copy)]
pub struct WalkerSettings {
    /// Seconds between queries.
    pub query_secs: f64,
    /// The fade of the gap of pose, velocity and root motion after a jump.
    pub fade: Decay,
    /// Half-life with which the character returns to its path, seconds: that of a controller's spring.
    pub path_half_life_secs: f64,
    /// Whether standing feet are held where they touched down.
    pub holds_feet: bool,
    /// The motion jumps only if the squared distance is less than this share of that of the next frame.
    pub stay: f32,
}

impl Default for WalkerSettings {
    fn default() -> Self {
        Self {
            query_secs: 0.2,
            fade: Decay::Quintic { blend_secs: 0.35 },
            path_half_life_secs: 0.3,
            holds_feet: true,
            stay: 0.6,
        }
    }
}

/// A walk along a path.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The motion.
    pub take: Take,
    /// The row played in every frame.
    pub rows: Vec<usize>,
    /// Frames at which the motion jumps.
    pub jumps: Vec<usize>,
    /// Distance from the path's position, metres, in every frame.
    pub path_error_metres: Vec<f64>,
    /// Mean speed of standing feet over the ground, metres per second; `None` if none stands.
    pub slide_mps: Option<f64>,
    /// Mean speed of these feet in the motions that are played.
    pub slide_of_sources_mps: Option<f64>,
    /// The largest change of a joint's step from one frame to the next, metres: just after jumps, and elsewhere.
    pub sharpest_metres: [f64; 2],
}

/// Walks along a path; `sources` are the motions of [`MatchDatabase::clips`], one per clip.
///
/// The same path gives the same bits. Errors: [`WalkError`].
pub fn walk(
    database: &MatchDatabase,
    sources: &[&MatchSource],
    path: &WalkPath,
    filter: &MatchFilter,
    settings: &WalkerSettings,
) -> Result<Walked, WalkError> {
    check_sources(database, sources)?;
    let first = sources.first().ok_or(WalkError::NoRow)?;
    let take = &first.analysis.take;
    let step = TimeStep::new(take.frame_time_secs());
    let every = step.nearest_from_one(settings.query_secs);
    let num_frames = (path.duration_secs() / step.secs(1)).floor() + 1.0;
    if num_frames * take.num_joints() as f64 > MAX_TRANSFORMS as f64 {
        return Err(WalkError::Long {
            found_secs: path.duration_secs(),
        });
    }
    let mut walker = Walker::start(database, sources, path, filter, settings).ok_or(WalkError::NoRow)?;
    let mut played = Pose::default();
    let (mut rows, mut jumps, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut feet = LiveFoot::all_of(&first.analysis);
    for frame in 0..num_frames as usize {
        let secs = step.secs(frame);
        let mut state = walker.state();
        let is_asked = frame > 0 && (frame % every == 0 || walker.next_row().is_none());
        if is_asked && let Some(row) = walker.elsewhere(&state, secs) {
            walker.jump(row, &state);
            jumps.push(frame);
            state = walker.state();
        }
        let root = walker.joined * state.root;
        let mut pose = state.body;
        let carried = root * pose.as_ref().joint(0);
        pose.set_joint(0, carried);
        let standing = if settings.holds_feet {
            database.standing(walker.row)
        } else {
            0
        };
        for foot in &mut feet {
            let bit = bit_of(foot.side());
            foot.hold(take.skeleton(), &mut pose, standing & bit > 0, step.secs(1));
        }
        played.translations.extend(pose.translations);
        played.rotations.extend(pose.rotations);
        rows.push(walker.row);
        errors.push((ground(root.translation) - path.at(secs).0).length());
        walker.advance();
    }
    let skeleton = take.skeleton().clone();
    let take = Take::new("walk", skeleton, step.secs(1), played.translations, played.rotations)?;
    let world = take.world_tracks();
    let (slide_mps, slide_of_sources_mps) = slides(database, sources, &world, step.secs(1), &rows);
    Ok(Walked {
        sharpest_metres: sharpest(&world, take.num_joints(), &jumps),
        take,
        rows,
        jumps,
        path_error_metres: errors,
        slide_mps,
        slide_of_sources_mps,
    })
}

/// Checks the sources. Errors: they do not match the clips, or differ in skeleton or rate.
fn check_sources(database: &MatchDatabase, sources: &[&MatchSource]) -> Result<(), WalkError> {
    let expected_hz = sources
        .first()
        .map_or(0.0, |source| source.analysis.take.frame_rate_hz());
    for (index, rows) in database.clips().iter().enumerate() {
        let name = rows.clip.name.clone();
        let Some(source) = sources.get(index) else {
            return Err(WalkError::Source { name });
        };
        let take = &source.analysis.take;
        let is_whole = match source.repeats {
            Some((_, count)) => rows.clip.is_loop && count == rows.num_rows,
            None => !rows.clip.is_loop && rows.clip.first_frame + rows.num_rows < take.num_frames(),
        };
        if !is_whole {
            return Err(WalkError::Source { name });
        }
        if *take.skeleton() != *sources[0].analysis.take.skeleton() {
            return Err(WalkError::Skeleton { name });
        }
        let found_hz = take.frame_rate_hz();
        if (found_hz / expected_hz - 1.0).abs() > 1e-3 {
            return Err(WalkError::Rate {
                name,
                found_hz,
                expected_hz,
            });
        }
    }
    Ok(())
}

fn ground(place: DVec3) -> DVec2 {
    DVec2::new(place.x, place.z)
}

/// Returns the mean speeds of standing feet, in a walk and in the frames that it plays.
fn slides(
    database: &MatchDatabase,
    sources: &[&MatchSource],
    world: &WorldTracks,
    step_secs: f64,
    rows: &[usize],
) -> (Option<f64>, Option<f64>) {
    let (mut here, mut there, mut count) = (0.0, 0.0, 0_u32);
    for (frame, rows) in rows.windows(2).enumerate() {
        let stands = database.standing(rows[0]) & database.standing(rows[1]);
        let at = database.frame_of(rows[0]);
        let source = sources[at.clip];
        let in_take = source.frame_in_take(at.frame);
        for foot in &source.analysis.body.feet {
            let bit = foot.side.map_or(0, bit_of);
            if stands & bit == 0 || rows[1] != rows[0] + 1 {
                continue;
            }
            let joint = foot.lowest_joint();
            let [walked, taken] = [(world, frame), (&source.analysis.world, in_take)].map(|(world, frame)| {
                (ground(world.position(frame + 1, joint)) - ground(world.position(frame, joint))).length()
            });
            here += walked;
            there += taken;
            count += 1;
        }
    }
    [here, there]
        .map(|sum| (count > 0).then(|| sum / (f64::from(count) * step_secs)))
        .into()
}

/// Returns the largest second difference of a joint's position: within the frames after jumps, and elsewhere.
fn sharpest(world: &WorldTracks, num_joints: usize, jumps: &[usize]) -> [f64; 2] {
    let mut sharpest = [0.0_f64; 2];
    for frame in 1..world.num_frames().saturating_sub(1) {
        let is_jump = jumps.iter().any(|&jump| jump == frame || jump == frame + 1);
        for joint in 0..num_joints {
            let [before, at, after] = [frame - 1, frame, frame + 1].map(|frame| world.position(frame, joint));
            let change = (after - 2.0 * at + before).length();
            let kind = &mut sharpest[usize::from(!is_jump)];
            *kind = kind.max(change);
        }
    }
    sharpest
}
