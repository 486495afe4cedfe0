//! The motion that plays in a walk, and the search for a better row to continue in.

use glam::{DVec2, DVec3};
use loopwright_core::math::{Decay, Rigid, TimeStep, Twist, ops, rotation};
use loopwright_moves::play::{FadingOffset, MovingPose};

use super::{WalkPath, WalkerSettings, ground};
use crate::{
    MatchDatabase, MatchFilter, MatchFrame, MatchSource,
    features::{Future, Horizon, NUM_FEATURES, NUM_TIMES},
};

/// Frames of one clip within this time of each other are the same place, seconds: a jump between them would only stutter.
const SAME_PLACE_SECS: f64 = 0.2;

/// Largest distance from its path that a character tries to make up, metres; a larger one counts as this.
const FAR_METRES: f64 = 0.7;

/// A path slower than this has no direction of its own, metres per second.
const NO_DIRECTION_MPS: f64 = 0.15;

/// The motion that plays.
pub(super) struct Walker<'w> {
    database: &'w MatchDatabase<'w>,
    sources: &'w [&'w MatchSource],
    path: &'w WalkPath,
    filter: &'w MatchFilter,
    /// The filter without the ends of clips, which the motion would have to leave at once.
    entries: MatchFilter,
    settings: &'w WalkerSettings,
    /// The frame that plays, and its row; beyond the last row, that row.
    at: MatchFrame,
    pub row: usize,
    /// Frames since the last jump, and the root at that time.
    frames: usize,
    pub joined: Rigid,
    /// Motion of the clip's root since then.
    moved: Rigid,
    offset: FadingOffset,
    /// Last direction of the path, radians.
    facing: f64,
}

impl<'w> Walker<'w> {
    /// Begins at the start of the path, in the frame whose future is most like it.
    pub(super) fn start(
        database: &'w MatchDatabase<'w>,
        sources: &'w [&'w MatchSource],
        path: &'w WalkPath,
        filter: &'w MatchFilter,
        settings: &'w WalkerSettings,
    ) -> Option<Self> {
        let (place, velocity) = path.at(0.0);
        let facing = heading(velocity).unwrap_or(0.0);
        let joined = Rigid::from_yaw(facing, DVec3::new(place.x, 0.0, place.y));
        // The other features are the mean of all rows: zero.
        let start = OnPath {
            path,
            secs: 0.0,
            root: joined,
            velocity,
            facing,
        };
        let futures = start.futures(database.horizon(), Decay::Quintic { blend_secs: 1e-3 });
        let query = database.standard().steered(&[0.0; NUM_FEATURES], futures);
        let row = database.nearest(&query, filter, None)?.row;
        let first = sources.first()?;
        Some(Self {
            database,
            sources,
            path,
            filter,
            settings,
            entries: MatchFilter {
                rows_left: TimeStep::new(first.analysis.take.frame_time_secs()).up(settings.query_secs),
                ..filter.clone()
            },
            row,
            at: database.frame_of(row),
            frames: 0,
            joined,
            moved: Rigid::IDENTITY,
            offset: FadingOffset::none(first.analysis.take.num_joints()),
            facing,
        })
    }

    fn source(&self) -> (&MatchSource, usize) {
        let source = self.sources[self.at.clip];
        (source, source.frame_in_take(self.at.frame))
    }

    /// Returns the motion as it plays, its root relative to that at the last jump.
    pub(super) fn state(&self) -> MovingPose {
        let (source, frame) = self.source();
        let mut state = moving(source, frame, self.moved);
        let secs = self.frames as f64 * source.analysis.take.frame_time_secs();
        self.offset.add_to(&mut state, self.settings.fade, secs);
        state
    }

    /// Returns the next row of the clip, if it can be matched.
    pub(super) fn next_row(&self) -> Option<usize> {
        self.database.row_of(MatchFrame {
            frame: self.at.frame + 1,
            ..self.at
        })
    }

    /// Advances by one frame. After the last row the motion still has its second of future, of which this is the first frame.
    pub(super) fn advance(&mut self) {
        let (source, frame) = self.source();
        // A take has frames after its last row.
        let next = (frame + 1).min(source.roots.len() - 1);
        self.moved = self.moved * (source.roots[frame].inverse() * source.roots[next]);
        self.row = self.next_row().unwrap_or(self.row);
        self.at.frame += 1;
        self.frames += 1;
    }

    /// Returns the row in which the motion should continue.
    pub(super) fn elsewhere(&mut self, state: &MovingPose, secs: f64) -> Option<usize> {
        let root = self.joined * state.root;
        let velocity = ground(root.rotation * state.twist.linear);
        if let Some(heading) = heading(self.path.at(secs).1) {
            self.facing = heading;
        }
        let fade = Decay::Spring {
            half_life_secs: self.settings.path_half_life_secs,
        };
        let now = OnPath {
            path: self.path,
            secs,
            root,
            velocity,
            facing: self.facing,
        };
        let futures = now.futures(self.database.horizon(), fade);
        let query = self.database.standard().steered(&self.database.row(self.row), futures);
        let Some(next) = self.next_row() else {
            let entry = self.database.nearest(&query, &self.entries, Some(self.row));
            // If all clips are shorter than the time between queries, any row is better than none.
            let best = entry.or_else(|| self.database.nearest(&query, self.filter, Some(self.row)));
            return best.map(|best| best.row);
        };
        let best = self
            .database
            .nearest_or(&query, &self.entries, next, self.settings.stay);
        let (here, there) = (self.database.frame_of(next), self.database.frame_of(best.row));
        let step_secs = self.source().0.analysis.take.frame_time_secs();
        let is_here = here.clip == there.clip && here.frame.abs_diff(there.frame) as f64 * step_secs < SAME_PLACE_SECS;
        (!is_here).then_some(best.row)
    }

    /// Continues in another row, with the gap as an offset.
    pub(super) fn jump(&mut self, row: usize, state: &MovingPose) {
        self.joined = self.joined * state.root;
        self.row = row;
        (self.at, self.frames, self.moved) = (self.database.frame_of(row), 0, Rigid::IDENTITY);
        let (source, frame) = self.source();
        self.offset = FadingOffset::between(state, &moving(source, frame, Rigid::IDENTITY));
    }
}

/// Returns the direction of a velocity, radians to the left of +Z, if it has one.
fn heading(velocity: DVec2) -> Option<f64> {
    (velocity.length() > NO_DIRECTION_MPS).then(|| ops::atan2(velocity.x, velocity.y))
}

/// A character's state along a path.
struct OnPath<'p> {
    path: &'p WalkPath,
    /// Seconds since the start of the path.
    secs: f64,
    root: Rigid,
    /// Velocity over the ground, metres per second.
    velocity: DVec2,
    /// Facing of the path, radians.
    facing: f64,
}

impl OnPath<'_> {
    /// Returns the desired futures relative to the root: those of the path, plus the fading offset.
    fn futures(&self, horizon: Horizon, fade: Decay) -> [Future; NUM_TIMES] {
        let (place, wished) = self.path.at(self.secs);
        let here = ground(self.root.translation);
        // From far away the path is not aimed at directly: nobody runs that fast.
        let off = (here - place).clamp_length_max(FAR_METRES);
        let drift = self.velocity - wished;
        let yaw = rotation::yaw_of(self.root.rotation);
        let turned_away = rotation::wrap_angle(yaw - self.facing);
        let mut ahead_facing = self.facing;
        let (mut before, mut secs_before) = (here, 0.0);
        horizon.secs().map(|ahead| {
            let left = fade.at(ahead);
            let on_path = self.path.at(self.secs + ahead).0 - place;
            let wished = here + on_path + off * (left.position.value - 1.0) + drift * left.velocity.value;
            if let Some(heading) = heading((wished - before) / (ahead - secs_before)) {
                ahead_facing = heading;
            }
            (before, secs_before) = (wished, ahead);
            let in_world = DVec3::new(wished.x, self.root.translation.y, wished.y);
            let seen = self.root.inverse().transform_point(in_world);
            Future {
                position: [seen.x, seen.z],
                facing: rotation::wrap_angle(ahead_facing + turned_away * left.position.value - yaw),
            }
        })
    }
}

/// Returns a frame of a motion with its rates, relative to its root.
fn moving(source: &MatchSource, frame: usize, root: Rigid) -> MovingPose {
    let take = &source.analysis.take;
    let last = take.num_frames() - 1;
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
    let secs = (after - before) as f64 * take.frame_time_secs();
    let [earlier, body, later] = [before, frame, after].map(|frame| {
        let mut pose = take.pose(frame).to_pose();
        let below = source.roots[frame].inverse() * pose.as_ref().joint(0);
        pose.set_joint(0, below);
        pose
    });
    let velocities = later.translations.iter().zip(&earlier.translations);
    let spins = later.rotations.iter().zip(&earlier.rotations);
    MovingPose {
        body,
        velocities: velocities.map(|(to, from)| (*to - *from) / secs).collect(),
        spins: spins
            .map(|(&to, &from)| rotation::difference(to, from) / secs)
            .collect(),
        root,
        twist: Twist::log(source.roots[before].inverse() * source.roots[after], secs),
    }
}
