//! A character that walks along a path by a match database.
//!
//! Every few frames the database is asked for the frame whose pose is like the present one and whose future is like the wished one:
//! the path, and an offset from it that fades from where the character is and how it moves now. If another frame is clearly nearer
//! than the one that would come next, the motion goes on there; the gap of pose, velocity and root motion fades as at a jump between
//! loops. The root moves as it does in the motions that are played. Source of the method: Clavet, "Motion matching and the road to
//! next-gen animation", GDC 2016; of the fades: Bollo, "Inertialization", GDC 2018, in the form of docs/math/shapes.md.

use glam::{DVec2, DVec3};

use super::{
    database::{MatchDatabase, MatchFilter, MatchFrame},
    features::{FUTURE_SECS, NUM_FEATURES},
    source::MatchSource,
};
use crate::{
    analysis::body::Side,
    feet::live::LiveFoot,
    math::{
        decay::Decay,
        ops,
        rigid::{Rigid, Twist},
        rotation,
        time_step::TimeStep,
    },
    motion::{Pose, Tracks, WorldTracks},
    play::{
        MAX_TRANSFORMS,
        offset::{MovingPose, Offset},
    },
    take::{Take, TakeError},
};

/// Where a character is to be, and when: moments in order, metres on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkPath {
    points: Vec<(f64, DVec2)>,
}

/// Why a path cannot be walked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// There are fewer than two points.
    #[error("a path has two points or more, found {found}")]
    Points {
        /// Points given.
        found: usize,
    },
    /// Times do not rise, or a number is not finite.
    #[error("point {point} of the path: times must rise, and all numbers be finite")]
    Order {
        /// The point, counted from 0.
        point: usize,
    },
    /// The take would have more than [`MAX_TRANSFORMS`] frames times joints.
    #[error("the path lasts {found_secs:e} s; a take of it would be too large")]
    Long {
        /// Duration of the path.
        found_secs: f64,
    },
    /// The database has no row that the filter lets pass.
    #[error("no row of the database passes the filter")]
    NoRow,
    /// A clip has another skeleton than the first.
    #[error("\"{name}\" has another skeleton than the first clip of the database")]
    Skeleton {
        /// Name of the clip.
        name: String,
    },
    /// A clip has another frame rate than the first.
    #[error("\"{name}\" has {found_hz:.2} frames per second, the first clip of the database {expected_hz:.2}")]
    Rate {
        /// Name of the clip.
        name: String,
        /// Its frames per second.
        found_hz: f64,
        /// Those of the first clip.
        expected_hz: f64,
    },
    /// A clip of the database has no source, or a shorter one than its rows say.
    #[error("\"{name}\" is not the motion that the database was made from")]
    Source {
        /// Name of the clip.
        name: String,
    },
    /// The frames do not form a take.
    #[error(transparent)]
    Take(#[from] TakeError),
}

impl WalkPath {
    /// A path through points: seconds, and metres to the left and ahead (x and z). Errors: [`WalkError`].
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

    /// Seconds from the first point to the last.
    pub fn duration_secs(&self) -> f64 {
        self.points[self.points.len() - 1].0 - self.points[0].0
    }

    /// Place and velocity so long after the first point. It stands at its ends.
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

/// How a character walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkSettings {
    /// Seconds between queries.
    pub query_secs: f64,
    /// How the gap of a jump fades.
    pub fade: Decay,
    /// Half-life with which the character wishes to be on its path again, seconds: as a controller's, see
    /// [`crate::controller_fit`].
    pub path_half_life_secs: f64,
    /// Whether feet that stand are held where they came to stand.
    pub holds_feet: bool,
    /// The motion goes on elsewhere only where the squared distance is less than this share of that of the frame that comes next.
    pub stay: f32,
}

impl Default for WalkSettings {
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
    /// The row that is played in every frame.
    pub rows: Vec<usize>,
    /// Frames in which the motion goes on elsewhere.
    pub jumps: Vec<usize>,
    /// Distance from the place where the path is, metres, in every frame.
    pub path_error_metres: Vec<f64>,
    /// How fast feet that stand move over the ground, metres per second on average; `None` where none stands.
    pub slide_mps: Option<f64>,
    /// The same of the frames that are played, in their own motions.
    pub slide_of_sources_mps: Option<f64>,
    /// The largest change of a joint's step from one frame to the next, metres: just after jumps, and elsewhere.
    pub sharpest_metres: [f64; 2],
}

/// Frames of one clip that are no farther apart than this are one place: a jump between them would only stutter, seconds.
const SAME_PLACE_SECS: f64 = 0.2;

/// A character farther from its path than this wishes to go there as if it were so far away, metres.
const FAR_METRES: f64 = 0.7;

/// Below this speed a path has no direction of its own, metres per second.
const NO_DIRECTION_MPS: f64 = 0.15;

/// Walks along a path; `sources` are the motions of [`MatchDatabase::clips`], clip by clip.
///
/// The same path gives the same bits. Errors: [`WalkError`].
pub fn walk(
    database: &MatchDatabase<'_>,
    sources: &[&MatchSource],
    path: &WalkPath,
    filter: &MatchFilter,
    settings: &WalkSettings,
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
    let num_frames = num_frames as usize;

    let mut walker = Walker::start(database, sources, path, filter, step.up(settings.query_secs)).ok_or(WalkError::NoRow)?;
    let mut tracks = Tracks::empty(take.skeleton().clone(), step.secs(1), num_frames);
    let (mut rows, mut jumps, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut feet = LiveFoot::of(&first.analysis);
    for frame in 0..num_frames {
        let secs = step.secs(frame);
        let mut state = walker.state(settings.fade);
        let is_asked = frame > 0 && (frame % every == 0 || walker.next_row().is_none());
        if is_asked && let Some(row) = walker.elsewhere(&state, secs, settings) {
            walker.jump(row, &state);
            jumps.push(frame);
            state = walker.state(settings.fade);
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
        tracks.push(pose.as_ref());
        rows.push(walker.row);
        errors.push((ground(root.translation) - path.at(secs).0).length());
        walker.advance();
    }
    let take = Take::of_tracks("walk", tracks)?;
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

/// Mean speeds of feet that stand, in a walk and in the frames that it plays.
fn slides(
    database: &MatchDatabase<'_>,
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
        let in_take = source.in_take(at.frame);
        for foot in &source.analysis.body.feet {
            let bit = foot.side.map_or(0, bit_of);
            if stands & bit == 0 || rows[1] != rows[0] + 1 {
                continue;
            }
            let joint = foot.lowest_joint();
            let moved = |world: &WorldTracks, frame: usize| {
                (ground(world.position(frame + 1, joint)) - ground(world.position(frame, joint))).length()
            };
            here += moved(world, frame);
            there += moved(&source.analysis.world, in_take);
            count += 1;
        }
    }
    let mean = |sum: f64| (count > 0).then(|| sum / (f64::from(count) * step_secs));
    (mean(here), mean(there))
}

/// The largest second difference of a joint's place: within the frames after jumps, and elsewhere.
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

/// Errors: the sources are not those of the clips, or differ in skeleton or rate.
fn check_sources(database: &MatchDatabase<'_>, sources: &[&MatchSource]) -> Result<(), WalkError> {
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

/// The bit of a side's foot, see [`MatchDatabase::standing`].
fn bit_of(side: Side) -> u8 {
    match side {
        Side::Left => 1,
        Side::Right => 2,
    }
}

fn ground(place: DVec3) -> DVec2 {
    DVec2::new(place.x, place.z)
}

/// What plays now.
struct Walker<'w> {
    database: &'w MatchDatabase<'w>,
    sources: &'w [&'w MatchSource],
    path: &'w WalkPath,
    filter: &'w MatchFilter,
    /// The same, but not the ends of clips, where the motion would have to leave at once.
    entries: MatchFilter,
    /// The frame that plays, and its row: past the end of the rows, the last.
    at: MatchFrame,
    row: usize,
    /// Frames since the last jump, and where the root then was.
    frames: usize,
    joined: Rigid,
    /// Motion of the clip's root since then.
    moved: Rigid,
    offset: Offset,
    /// Where the character last faced a way of its own, radians.
    facing: f64,
}

impl<'w> Walker<'w> {
    /// Begins at the start of the path, in the frame whose future is most like it.
    fn start(
        database: &'w MatchDatabase<'w>,
        sources: &'w [&'w MatchSource],
        path: &'w WalkPath,
        filter: &'w MatchFilter,
        rows_left: usize,
    ) -> Option<Self> {
        let (place, velocity) = path.at(0.0);
        let facing = heading(velocity).unwrap_or(0.0);
        let joined = Rigid::from_yaw(facing, DVec3::new(place.x, 0.0, place.y));
        // The rest is like the mean of all rows: zero.
        let futures = futures(path, 0.0, joined, velocity, facing, Decay::Quintic { blend_secs: 1e-3 });
        let query = database.standard().steered(&[0.0; NUM_FEATURES], futures);
        let row = database.nearest(&query, filter, None)?.row;
        let num_joints = sources.first()?.analysis.take.num_joints();
        Some(Self {
            database,
            sources,
            path,
            filter,
            entries: MatchFilter {
                rows_left,
                ..filter.clone()
            },
            row,
            at: database.frame_of(row),
            frames: 0,
            joined,
            moved: Rigid::IDENTITY,
            offset: Offset::none(num_joints),
            facing,
        })
    }

    fn source(&self) -> (&MatchSource, usize) {
        let source = self.sources[self.at.clip];
        (source, source.in_take(self.at.frame))
    }

    /// The motion as it plays, its root seen from where it was at the last jump.
    fn state(&self, fade: Decay) -> MovingPose {
        let (source, frame) = self.source();
        let mut state = moving(source, frame, self.moved);
        let secs = self.frames as f64 * source.analysis.take.frame_time_secs();
        self.offset.add_to(&mut state, fade, secs);
        state
    }

    /// The row that comes next in the clip, if it can be matched.
    fn next_row(&self) -> Option<usize> {
        self.database.row_of(MatchFrame {
            frame: self.at.frame + 1,
            ..self.at
        })
    }

    /// Goes on by one frame. Behind the last row the motion has its second of future, of which this is the first frame.
    fn advance(&mut self) {
        let (source, frame) = self.source();
        let roots = &source.roots;
        self.moved = self.moved * (roots[frame].inverse() * roots[frame + 1]);
        self.row = self.next_row().unwrap_or(self.row);
        self.at.frame += 1;
        self.frames += 1;
    }

    /// The row where the motion had better go on.
    fn elsewhere(&mut self, state: &MovingPose, secs: f64, settings: &WalkSettings) -> Option<usize> {
        let root = self.joined * state.root;
        let velocity = ground(root.rotation * state.twist.linear);
        if let Some(heading) = heading(self.path.at(secs).1) {
            self.facing = heading;
        }
        let fade = Decay::Spring {
            half_life_secs: settings.path_half_life_secs,
        };
        let futures = futures(self.path, secs, root, velocity, self.facing, fade);
        let query = self.database.standard().steered(&self.database.row(self.row), futures);
        let Some(next) = self.next_row() else {
            let entry = self.database.nearest(&query, &self.entries, Some(self.row));
            // Where all clips are shorter than the time between queries, anywhere is better than beyond an end.
            let best = entry.or_else(|| self.database.nearest(&query, self.filter, Some(self.row)));
            return best.map(|best| best.row);
        };
        let best = self.database.nearest_or(&query, &self.entries, next, settings.stay);
        let (here, there) = (self.database.frame_of(next), self.database.frame_of(best.row));
        let step_secs = self.source().0.analysis.take.frame_time_secs();
        let is_here = here.clip == there.clip && here.frame.abs_diff(there.frame) as f64 * step_secs < SAME_PLACE_SECS;
        (!is_here).then_some(best.row)
    }

    /// Goes on in another row, with the gap as an offset.
    fn jump(&mut self, row: usize, state: &MovingPose) {
        self.joined = self.joined * state.root;
        self.row = row;
        (self.at, self.frames, self.moved) = (self.database.frame_of(row), 0, Rigid::IDENTITY);
        let (source, frame) = self.source();
        self.offset = Offset::between(state, &moving(source, frame, Rigid::IDENTITY));
    }
}

/// The direction of a velocity, radians to the left of +Z, if it has one.
fn heading(velocity: DVec2) -> Option<f64> {
    (velocity.length() > NO_DIRECTION_MPS).then(|| ops::atan2(velocity.x, velocity.y))
}

/// The wished places and facings ahead, seen from the root: those of the path, and what fades of the way there.
fn futures(
    path: &WalkPath,
    secs: f64,
    root: Rigid,
    velocity: DVec2,
    facing: f64,
    fade: Decay,
) -> [([f64; 2], f64); FUTURE_SECS.len()] {
    let (place, wished) = path.at(secs);
    let here = ground(root.translation);
    // From far away the path is not wished for at once: nobody runs that fast.
    let off = (here - place).clamp_length_max(FAR_METRES);
    let drift = velocity - wished;
    let yaw = rotation::yaw_of(root.rotation);
    let half_turn = |angle: f64| {
        let turn = core::f64::consts::TAU;
        angle - turn * (angle / turn).round()
    };
    let turned_away = half_turn(yaw - facing);
    let mut ahead_facing = facing;
    let (mut before, mut secs_before) = (here, 0.0);
    FUTURE_SECS.map(|ahead| {
        let left = fade.at(ahead);
        let on_path = path.at(secs + ahead).0 - place;
        let wished = here + on_path + off * (left.position.value - 1.0) + drift * left.velocity.value;
        if let Some(heading) = heading((wished - before) / (ahead - secs_before)) {
            ahead_facing = heading;
        }
        (before, secs_before) = (wished, ahead);
        let seen = root
            .inverse()
            .transform_point(DVec3::new(wished.x, root.translation.y, wished.y));
        let turn = half_turn(ahead_facing + turned_away * left.position.value - yaw);
        ([seen.x, seen.z], turn)
    })
}

/// A frame of a motion with its rates, seen from its root.
fn moving(source: &MatchSource, frame: usize, root: Rigid) -> MovingPose {
    let take = &source.analysis.take;
    let last = take.num_frames() - 1;
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
    let secs = (after - before) as f64 * take.frame_time_secs();
    let seen = |frame: usize| -> Pose {
        let mut pose = take.pose(frame).to_pose();
        let below = source.roots[frame].inverse() * pose.as_ref().joint(0);
        pose.set_joint(0, below);
        pose
    };
    let (earlier, later) = (seen(before), seen(after));
    let velocities = later.translations.iter().zip(&earlier.translations);
    let spins = later.rotations.iter().zip(&earlier.rotations);
    MovingPose {
        body: seen(frame),
        velocities: velocities.map(|(to, from)| (*to - *from) / secs).collect(),
        spins: spins
            .map(|(&to, &from)| rotation::difference(to, from) / secs)
            .collect(),
        root,
        twist: Twist::log(source.roots[before].inverse() * source.roots[after], secs),
    }
}
