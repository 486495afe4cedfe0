//! Cuts a passage out of a take, or bakes the jump from one loop into another.
//!
//! The underlying motion, a stretch of the take or the entered loop, is bent at its ends: its difference from the loops in
//! value, rate and acceleration is added and fades quintically. First the root is bent, then the body relative to it, then the
//! feet are held.

use glam::DVec3;

use super::{
    FootEvent, LoopState, Passage, PassageError, PassageKind, check,
    find::FoundPassage,
    ground::{Bend, Ground, Way},
    stands,
};
use crate::{
    floor::floor_over_root,
    play::{LoopSet, check_count, switch::near_turn},
};
use loopwright_core::{
    analysis::{Analysis, Body, BodyOverrides, ContactLimits, FootEventKind, Heading},
    feet::fade::{FadingLoop, Footwork, window_secs},
    feet::open::{OpenMotion, SOON_SECS, footwork_of_take},
    feet::{self, Course, Stage},
    loop_clip::{Interpolation, LoopClip},
    math::{Decay, Rigid, TimeStep, ordered, rotation},
    motion::{Pose, RootMotion, Skeleton, Tracks},
    root_motion::root_joint,
    take::Take,
};

/// Longest fade of a bend, seconds, and at most half of a passage from a take. With less, limbs dart; with more, little of the
/// take is left.
const FADE_SECS: f64 = 0.6;

/// Fewest samples of a passage, both ends included.
pub(super) const FEWEST_SAMPLES: usize = 8;

/// Longest time between the instants at which feet are held, seconds: at the frame rates of engines a correction would begin
/// within one sample.
const LONGEST_INSTANT_SECS: f64 = 1.0 / 100.0;

/// Feet are tracked in the take for this long before and after a passage, seconds.
const CONTEXT_SECS: f64 = 1.0;

/// Length of a stance loop, seconds.
const STANCE_SECS: f64 = 1.0;

/// Names state turns in steps of this, degrees.
const NAMED_DEG: f64 = 45.0;

/// Checks the step. Errors: it is not positive.
pub(super) fn check_step(step_secs: f64) -> Result<(), PassageError> {
    if step_secs > 0.0 && step_secs.is_finite() {
        Ok(())
    } else {
        Err(PassageError::Step { found: step_secs })
    }
}

/// Bodies and roots of a loop at an end of a motion: one sample beyond it, at it, and one sample inside.
struct Meeting {
    bodies: [Pose; 3],
    roots: [Ground; 3],
}

impl Meeting {
    /// Evaluates a loop in a state with the given root. `inside` is the time of the sample inside, seconds, negative at an end.
    fn new(clip: &LoopClip, secs: f64, root: Ground, inside: f64) -> Self {
        let times = [-inside, 0.0, inside];
        Self {
            bodies: times.map(|time| clip.body_pose_at(secs + time, Interpolation::Cubic)),
            roots: times.map(|time| root.moved(clip.root().twist, time)),
        }
    }
}

/// The samples of a passage, and the instants between them at which its feet are held.
#[derive(Clone, Copy)]
struct Grid {
    /// Time between samples, seconds.
    step_secs: f64,
    /// Number of steps from the first sample to the last.
    steps: usize,
    /// Number of instants per sample.
    times: usize,
}

impl Grid {
    /// Creates a grid. Errors: there are too many instants, including those around the passage.
    fn new(skeleton: &Skeleton, step_secs: f64, steps: usize) -> Result<Self, PassageError> {
        let times = TimeStep::new(LONGEST_INSTANT_SECS).up(step_secs).max(1);
        let around = 2.0 * CONTEXT_SECS / step_secs;
        check_count((steps as f64 + around) * times as f64, skeleton)?;
        Ok(Self {
            step_secs,
            steps,
            times,
        })
    }

    fn instant_secs(&self) -> f64 {
        self.step_secs / self.times as f64
    }

    /// Returns the number of instants from the first sample to the last, both included.
    fn count(&self) -> usize {
        self.steps * self.times + 1
    }

    /// Returns the times of the instants from one sample before the first to one sample after the last, seconds since the first
    /// sample.
    fn with_beyond(&self) -> impl Iterator<Item = f64> + use<> {
        let (times, instant_secs) = (self.times as isize, self.instant_secs());
        (-times..self.count() as isize + times).map(move |instant| instant as f64 * instant_secs)
    }

    /// Returns the indices, among those instants, of the sample beyond an end, at it, and inside.
    fn at_end(&self, end: usize) -> [usize; 3] {
        let last = self.count() - 1 + 2 * self.times;
        [0, self.times, 2 * self.times].map(|at| if end == 0 { at } else { last - at })
    }

    /// Selects the values from the first sample to the last.
    fn within<T: Clone>(&self, values: &[T]) -> Vec<T> {
        values[self.times..self.times + self.count()].to_vec()
    }

    /// Returns the distance in time of an instant from an end, seconds.
    fn away(&self, end: usize, instant: usize) -> f64 {
        let steps = if end == 0 { instant } else { self.count() - 1 - instant };
        steps as f64 * self.instant_secs()
    }

    /// Selects the samples of tracks given at all instants.
    fn samples(&self, tracks: &Tracks) -> Tracks {
        let poses = (0..=self.steps).map(|sample| tracks.pose(sample * self.times));
        Tracks::pose_by_pose(tracks.skeleton(), self.step_secs, poses)
    }
}

/// Bends the ends of values at instants by the gap at each end, and drops those beyond the ends.
fn bent<T>(values: &[T], ends: [Option<[T; 3]>; 2], fade: Decay, grid: Grid) -> Vec<T>
where
    T: Copy + core::ops::Add<Output = T> + core::ops::Sub<Output = T> + core::ops::Mul<f64, Output = T>,
{
    let mut bent = grid.within(values);
    for (end, gaps) in ends.into_iter().enumerate() {
        let Some(gaps) = gaps else { continue };
        let bend = Bend::new(gaps, grid.step_secs);
        for (instant, value) in bent.iter_mut().enumerate() {
            *value = *value + bend.left(fade, grid.away(end, instant));
        }
    }
    bent
}

/// Returns the roots of a motion whose ends meet those of loops; beyond the ends they continue as the loops do.
fn bent_roots(below: &[Ground], ends: [Option<(&Meeting, &LoopClip)>; 2], fade: Decay, grid: Grid) -> Vec<Ground> {
    let gaps = [0, 1].map(|end| {
        let (meeting, _) = ends[end]?;
        let instants = grid.at_end(end);
        let turns = meeting.roots[1].near(below[instants[1]]).yaw - meeting.roots[1].yaw;
        Some(core::array::from_fn(|index| {
            let Ground { at, yaw } = meeting.roots[index];
            Ground { at, yaw: yaw + turns } - below[instants[index]]
        }))
    });
    let mut roots = below.to_vec();
    let within = bent(below, gaps, fade, grid);
    roots[grid.times..grid.times + within.len()].copy_from_slice(&within);
    for (end, of_loop) in ends.into_iter().enumerate() {
        let Some((meeting, clip)) = of_loop else { continue };
        for beyond in 1..=grid.times {
            let secs = beyond as f64 * grid.instant_secs();
            let (at, secs) = match end {
                0 => (grid.times - beyond, -secs),
                _ => (grid.times + grid.count() - 1 + beyond, secs),
            };
            roots[at] = meeting.roots[1].moved(clip.root().twist, secs);
        }
    }
    roots
}

/// Returns bodies, relative to bent roots, whose ends meet those of loops, without those beyond the ends.
fn bent_bodies(skeleton: &Skeleton, below: &[Pose], ends: [Option<&Meeting>; 2], fade: Decay, grid: Grid) -> Tracks {
    let mut bodies = grid.within(below);
    let none = vec![DVec3::ZERO; below.len()];
    for joint in 0..skeleton.num_joints() {
        let offsets = |gap: &dyn Fn(&Pose, &Pose) -> DVec3| {
            let gaps = [0, 1].map(|end| {
                let meeting = ends[end]?;
                let instants = grid.at_end(end);
                let [beyond, at, inside] =
                    core::array::from_fn(|index: usize| gap(&meeting.bodies[index], &below[instants[index]]));
                Some([near_turn(beyond, at), at, near_turn(inside, at)])
            });
            bent(&none, gaps, fade, grid)
        };
        let moved = offsets(&|of_loop, own| of_loop.translations[joint] - own.translations[joint]);
        let turned = offsets(&|of_loop, own| rotation::difference(of_loop.rotations[joint], own.rotations[joint]));
        for (body, (moved, turned)) in bodies.iter_mut().zip(moved.into_iter().zip(turned)) {
            body.translations[joint] += moved;
            body.rotations[joint] = (rotation::exp(turned) * body.rotations[joint]).normalize();
        }
    }
    // Both ends have exactly the loops' bits.
    let last = bodies.len() - 1;
    for (end, at) in [(0, 0), (1, last)] {
        if let Some(meeting) = ends[end] {
            bodies[at] = meeting.bodies[1].clone();
        }
    }
    Tracks::pose_by_pose(skeleton, grid.instant_secs(), bodies)
}

/// Returns the root joint of a rig, if it has one, and its children with positions of their own.
pub(super) fn rig_root(analysis: &Analysis) -> Option<(usize, Vec<usize>)> {
    let skeleton = analysis.take.skeleton();
    let joint = root_joint::find(skeleton, &analysis.world, &analysis.body)?;
    Some((joint, root_joint::kept_children(skeleton, joint, analysis)))
}

/// How a rig is attached to the root: by its own root joint, or by the joint that carries the body.
pub(super) struct Hanging<'a> {
    pub carrier: usize,
    /// For a rig with a root joint: its transform relative to the root, and its children with positions of their own.
    joint: Option<(Rigid, &'a [usize])>,
}

impl<'a> Hanging<'a> {
    /// Attaches a rig by its root joint, or by the joint that carries the body.
    pub(super) fn new(
        joint: Option<&'a (usize, Vec<usize>)>,
        place: impl FnOnce(usize) -> Rigid,
        carrier: impl FnOnce() -> usize,
    ) -> Self {
        match joint {
            Some((joint, children)) => Self {
                carrier: *joint,
                joint: Some((place(*joint), children)),
            },
            None => Self {
                carrier: carrier(),
                joint: None,
            },
        }
    }

    /// Returns a pose of the take relative to the root.
    pub(super) fn seen(&self, skeleton: &Skeleton, pose: Pose, root: Rigid) -> Pose {
        let mut seen = pose.clone();
        match &self.joint {
            None => {
                let carrier = pose.as_ref().in_root(skeleton, self.carrier, root);
                seen.set_joint(self.carrier, carrier);
            }
            Some((place, children)) => {
                let pose = pose.as_ref();
                seen.place(skeleton, self.carrier, *place);
                for &child in *children {
                    seen.place(skeleton, child, root.inverse() * pose.world_of(skeleton, child));
                }
            }
        }
        seen
    }
}

pub(super) fn loop_at(set: &LoopSet, index: usize) -> Result<&LoopClip, PassageError> {
    set.loops().get(index).ok_or(PassageError::NoSuchLoop { index })
}

/// Returns the root of a loop at a time at which its body is over a place and faces as `heading` says.
pub(super) fn root_under(clip: &LoopClip, body: &Body, limits: &ContactLimits, secs: f64, heading: Ground) -> Ground {
    let pose = clip.body_pose_at(secs, Interpolation::Cubic);
    let tracks = Tracks::pose_by_pose(clip.skeleton(), clip.step_secs(), [pose]);
    let own = Heading::level(&tracks.world(), body).world_from_heading(0);
    let root = heading.root() * own.inverse();
    Ground {
        at: root
            .translation
            .with_y(heading.at.y - floor_over_root(clip, body, limits)),
        yaw: heading.yaw + rotation::yaw_of(own.rotation.conjugate()),
    }
}

/// Returns the root under which feet stand where they stood under another root: those that stand in both loops, and all the time
/// between.
fn on_its_feet(
    root: Ground,
    own: Option<FadingLoop<'_>>,
    (other_root, other): (Ground, Option<FadingLoop<'_>>),
    stays: impl Fn(usize) -> bool,
) -> Ground {
    let [own, other] = [own, other].map(|of_loop| of_loop.map_or_else(Vec::new, |of_loop| of_loop.standing()));
    let (seen, world): (Vec<DVec3>, Vec<DVec3>) = own
        .iter()
        .filter_map(|(joint, seen)| {
            let (_, there) = other.iter().find(|(other, _)| other == joint)?;
            stays(*joint).then(|| (*seen, other_root.root().transform_point(*there)))
        })
        .unzip();
    if seen.is_empty() {
        root
    } else {
        root.laid(&seen, &world)
    }
}

impl Passage {
    /// Returns its turn in steps of 45 degrees, left positive; a turn has at least one.
    pub fn turn_steps(&self) -> i32 {
        let turn = self.turn();
        let steps = (turn.to_degrees() / NAMED_DEG).round() as i32;
        match self.kind {
            PassageKind::TurnInPlace | PassageKind::Turn if steps == 0 => turn.signum() as i32,
            PassageKind::Transition => 0,
            _ => steps,
        }
    }

    /// Words its turn as the end of a name, such as `_left_90`; empty if there is none.
    pub fn turn_words(&self) -> String {
        let steps = self.turn_steps();
        let side = if steps > 0 { "left" } else { "right" };
        match steps {
            0 => String::new(),
            _ => format!("_{side}_{}", NAMED_DEG * f64::from(steps.abs())),
        }
    }

    /// Names it after the loops in which it begins and ends, and its turn.
    fn name_between(&self, [from, to]: [&str; 2]) -> String {
        let name = match self.kind {
            PassageKind::Start => format!("start_{to}"),
            PassageKind::Stop => format!("stop_{from}"),
            PassageKind::TurnInPlace => "turn".to_owned(),
            PassageKind::Turn => format!("{from}_turn"),
            PassageKind::Jump => "jump".to_owned(),
            PassageKind::Transition => format!("{from}_to_{to}"),
        };
        name + &self.turn_words()
    }

    /// Cuts passages out of a take, one after the other, with this time between samples; a stretch that is not a whole number of
    /// them ends up to half of one earlier or later.
    ///
    /// The loops of `set` are those in which they were found. Each is named after its loops and its turn: `start_walk`,
    /// `turn_left_90`; names may occur twice. Errors: first those of all; then, for each passage, its own: [`PassageError`].
    pub fn all_from_take(
        set: &LoopSet,
        analysis: &Analysis,
        found: &[FoundPassage],
        step_secs: f64,
    ) -> Result<impl Iterator<Item = Result<Self, PassageError>>, PassageError> {
        check(set, Some(analysis))?;
        check_step(step_secs)?;
        let (way, joint) = (Way::of_root(analysis), rig_root(analysis));
        Ok(found
            .iter()
            .map(move |found| Self::cut_out(set, (analysis, &way, joint.as_ref()), found, step_secs)))
    }

    /// Cuts a passage out of its take, with the path of its root and its root joint ([`rig_root`]), in steps of `step_secs`. Errors: it is
    /// too short, or a loop is missing.
    fn cut_out(
        set: &LoopSet,
        (analysis, way, joint): (&Analysis, &Way, Option<&(usize, Vec<usize>)>),
        found: &FoundPassage,
        step_secs: f64,
    ) -> Result<Self, PassageError> {
        let take = &analysis.take;
        let [from, to] = found.ends.map(|end| loop_at(set, end.loop_index));
        let clips = [from?, to?];
        let frames_a_step = step_secs / take.frame_time_secs();
        let [first, end_frame] = found.frames;
        let last_frame = (take.num_frames() - 1) as f64;
        let room = ((last_frame - first) / frames_a_step + 1e-9).floor();
        let steps = ((end_frame - first) / frames_a_step).round().min(room) as usize;
        if steps + 1 < FEWEST_SAMPLES || first < 0.0 {
            return Err(PassageError::TooShort {
                end_frame,
                fewest: FEWEST_SAMPLES,
            });
        }
        let grid = Grid::new(take.skeleton(), step_secs, steps)?;
        let frame = |secs: f64| (first + secs / take.frame_time_secs()).clamp(0.0, last_frame);
        let end_secs = steps as f64 * step_secs;

        let (body, limits) = (&analysis.body, analysis.contacts.limits());
        let ends = found.ends.map(|end| set.fading(end.loop_index, end.secs));
        let mut meets = [0, 1].map(|end| {
            let heading = heading_at(analysis, way, frame([0.0, end_secs][end]));
            root_under(clips[end], body, limits, found.ends[end].secs, heading)
        });
        // A standing loop may have its root anywhere.
        let moved = usize::from(!stands(clips[0], analysis) || stands(clips[1], analysis));
        meets[moved] = on_its_feet(
            meets[moved],
            ends[moved],
            (meets[1 - moved], ends[1 - moved]),
            |joint| {
                let soon = SOON_SECS / take.frame_time_secs();
                let frames = (first + soon).ceil() as usize..=(frame(end_secs) - soon).max(0.0) as usize;
                let foot = body.feet.iter().position(|foot| foot.lowest_joint() == joint);
                foot.is_some_and(|foot| analysis.contacts.rests(foot, frames))
            },
        );
        let meetings = [(0, step_secs), (1, -step_secs)]
            .map(|(end, inwards)| Meeting::new(clips[end], found.ends[end].secs, meets[end], inwards));
        let fade = Decay::Quintic {
            blend_secs: FADE_SECS.min(0.5 * end_secs),
        };
        let below: Vec<Ground> = grid.with_beyond().map(|secs| way.between(frame(secs))).collect();
        let roots = bent_roots(&below, [0, 1].map(|end| Some((&meetings[end], clips[end]))), fade, grid);
        let hanging = Hanging::new(
            joint,
            |joint| clips[0].body_pose(0).world_of(take.skeleton(), joint),
            || clips[0].carrier(),
        );
        let seen = |secs: f64, root: Rigid| hanging.seen(take.skeleton(), take.sample(frame(secs)), root);
        let bodies: Vec<Pose> = grid
            .with_beyond()
            .zip(&roots)
            .map(|(secs, root)| seen(secs, root.root()))
            .collect();
        let tracks = bent_bodies(
            take.skeleton(),
            &bodies,
            [0, 1].map(|end| Some(&meetings[end])),
            fade,
            grid,
        );
        let roots: Vec<Rigid> = grid.within(&roots).into_iter().map(Ground::root).collect();

        // Contacts are detected best with the frames before and after.
        let most = TimeStep::new(grid.instant_secs()).up(CONTEXT_SECS);
        let room = [first, last_frame - frame(end_secs)].map(|frames| {
            TimeStep::new(grid.instant_secs())
                .most(frames * take.frame_time_secs())
                .min(most) as isize
        });
        let last = grid.count() as isize - 1;
        let root_at = |instant: isize| roots[instant.clamp(0, last) as usize];
        let stretch = -room[0]..=last + room[1];
        let poses = stretch
            .clone()
            .map(|instant| seen(instant as f64 * grid.instant_secs(), root_at(instant)));
        let around = Tracks::pose_by_pose(take.skeleton(), grid.instant_secs(), poses);
        let within = room[0] as usize..room[0] as usize + grid.count();
        let footwork = footwork_of_take(
            &around,
            stretch.map(root_at).collect(),
            body,
            limits,
            hanging.carrier,
            within,
        );
        let between = Self::between_states(
            set,
            (body, limits),
            (&tracks, &roots, grid),
            (footwork, ends, fade),
            (found.kind, hanging.carrier),
            (found.ends, found.cost),
        );
        Ok(Self {
            source_frames: Some([first, frame(end_secs)]),
            ..between
        })
    }

    /// Bakes the cheapest jump from one loop into another: their motion while it fades, with feet held, until the feet that
    /// stand at the end of the fade have left the ground.
    ///
    /// Both loops are met at samples. Errors: [`PassageError`].
    pub fn between(
        set: &LoopSet,
        [from, to]: [usize; 2],
        step_secs: f64,
        overrides: &BodyOverrides,
    ) -> Result<Self, PassageError> {
        check(set, None)?;
        check_step(step_secs)?;
        let (left, entered) = (loop_at(set, from)?, loop_at(set, to)?);
        let fade = Decay::Quintic { blend_secs: FADE_SECS };
        let jump = set.jump(from, to, fade)?;
        let exit_sample = (jump.exit_secs / left.step_secs()).round() as usize % left.num_samples();
        let exit_secs = exit_sample as f64 * left.step_secs();
        let entry = set.entry_on_sample(from, exit_secs, (to, jump.entry.secs), fade);

        let longest_secs = FADE_SECS.max(entered.period_secs());
        let [leaves, enters] = [(from, exit_secs), (to, entry.secs)].map(|(of, secs)| set.fading(of, secs));
        let window = match enters {
            Some(entered) => window_secs(entered, fade, longest_secs),
            None => FADE_SECS,
        };
        let steps = TimeStep::new(step_secs).up(window).max(FEWEST_SAMPLES - 1);
        let origin = Ground {
            at: DVec3::ZERO,
            yaw: 0.0,
        };
        let grid = Grid::new(entered.skeleton(), step_secs, steps)?;
        let meeting = Meeting::new(left, exit_secs, origin, step_secs);
        let start = on_its_feet(origin, enters, (origin, leaves), |_| true);
        let below: Vec<Ground> = grid
            .with_beyond()
            .map(|secs| start.moved(entered.root().twist, secs))
            .collect();
        let roots = bent_roots(&below, [Some((&meeting, left)), None], fade, grid);
        let bodies: Vec<Pose> = grid
            .with_beyond()
            .map(|secs| entered.body_pose_at(entry.secs + secs, Interpolation::Cubic))
            .collect();
        let tracks = bent_bodies(entered.skeleton(), &bodies, [Some(&meeting), None], fade, grid);
        let roots: Vec<Rigid> = grid.within(&roots).into_iter().map(Ground::root).collect();
        let footwork = enters.map(|fading| fading.footwork(grid.count(), grid.instant_secs()));
        let end_secs = (entry.secs + steps as f64 * step_secs).rem_euclid(entered.period_secs());
        let body = Body::find(&Take::from_tracks("", entered.tracks().clone())?, overrides)?;
        let ends = [(from, exit_secs), (to, end_secs)].map(|(loop_index, secs)| LoopState { loop_index, secs });
        Ok(Self::between_states(
            set,
            (&body, &overrides.contacts),
            (&tracks, &roots, grid),
            (footwork, [leaves, None], fade),
            (PassageKind::Transition, entered.carrier()),
            (ends, entry.cost),
        ))
    }

    /// Holds the feet of a motion between two loops, given at all instants, and names its samples after the loops.
    fn between_states(
        set: &LoopSet,
        of_body: (&Body, &ContactLimits),
        (tracks, roots, grid): (&Tracks, &[Rigid], Grid),
        (footwork, fading, fade): (Option<Footwork>, [Option<FadingLoop>; 2], Decay),
        (kind, carrier): (PassageKind, usize),
        (ends, cost): ([LoopState; 2], f64),
    ) -> Self {
        let held = footwork.and_then(|footwork| {
            let motion = OpenMotion {
                tracks,
                roots,
                below: &footwork,
                ends: fading,
                fade,
            };
            motion.held()
        });
        let tracks = grid.samples(held.as_ref().unwrap_or(tracks)).on_hinges();
        let roots: Vec<Rigid> = roots.iter().copied().step_by(grid.times).collect();
        let mut passage = Self {
            kind,
            has_held_feet: held.is_some(),
            ..Self::once(set, of_body, (tracks, roots, carrier), (ends, cost))
        };
        passage.name = passage.name_between(ends.map(|end| set.loops()[end.loop_index].name()));
        passage
    }

    /// Returns the motion of a body over its roots, in a world of any origin, between two states of loops.
    pub(super) fn once(
        set: &LoopSet,
        of_body: (&Body, &ContactLimits),
        (tracks, roots, carrier): (Tracks, Vec<Rigid>, usize),
        (ends, cost): ([LoopState; 2], f64),
    ) -> Self {
        let from_start = roots[0].inverse();
        let mut passage = Self {
            name: String::new(),
            kind: PassageKind::Transition,
            tracks,
            roots: roots.iter().map(|&root| from_start * root).collect(),
            carrier,
            ends,
            cost,
            events: Vec::new(),
            source_frames: None,
            has_held_feet: false,
        };
        passage.roots[0] = Rigid::IDENTITY;
        passage.events = passage.strikes_and_lifts(set, of_body);
        passage
    }

    /// Finds when feet touch down and lift, in the motion with its loops before and after.
    pub(super) fn strikes_and_lifts(&self, set: &LoopSet, (body, limits): (&Body, &ContactLimits)) -> Vec<FootEvent> {
        let step_secs = self.step_secs();
        let context = TimeStep::new(step_secs).up(CONTEXT_SECS) as isize;
        let last = self.num_samples() as isize - 1;
        let mut tracks = Tracks::empty(self.skeleton().clone(), step_secs, 0);
        let mut roots = Vec::new();
        for sample in -context..=last + context {
            let (end, beyond) = match sample {
                ..0 => (0, sample),
                _ if sample > last => (1, sample - last),
                _ => {
                    tracks.push(self.tracks.pose(sample as usize));
                    roots.push(self.roots[sample as usize]);
                    continue;
                }
            };
            let LoopState { loop_index, secs } = self.ends[end];
            let clip = &set.loops()[loop_index];
            let away = beyond as f64 * step_secs;
            let from = self.roots[[0, last as usize][end]];
            tracks.push(clip.body_pose_at(secs + away, Interpolation::Cubic).as_ref());
            roots.push(from * clip.root().twist.exp(away));
        }
        let stage = Stage::new(&tracks, Course::through(roots, step_secs));
        let mut events = Vec::new();
        for stay in feet::bearings(&stage, body, limits).stays {
            for (kind, key) in [(FootEventKind::Strike, stay.strike), (FootEventKind::Lift, stay.lift)] {
                let sample = key.map(|key| key - context as f64);
                if let Some(sample) = sample.filter(|sample| (0.0..=last as f64).contains(sample)) {
                    events.push(FootEvent {
                        secs: sample * step_secs,
                        foot: stay.foot,
                        side: body.feet[stay.foot].side,
                        kind,
                    });
                }
            }
        }
        events.sort_by_key(|event| (ordered(event.secs), event.foot));
        events
    }
}

/// Returns the position below the hips and the facing at a frame of a take.
pub(super) fn heading_at(analysis: &Analysis, way: &Way, frame: f64) -> Ground {
    let heading = &analysis.heading;
    let last = heading.num_frames() - 1;
    let before = (frame.floor() as usize).min(last);
    let (after, share) = ((before + 1).min(last), frame - before as f64);
    let [from, to] = [before, after].map(|frame| Ground {
        at: heading.ground(frame),
        yaw: heading.yaw(frame),
    });
    let between = from + (to - from) * share;
    Ground {
        at: between.at.with_y(way.between(frame).at.y),
        yaw: between.yaw,
    }
}

/// Makes a loop of the pose at one frame of a take, for a body that stands too briefly to loop before or after a passage.
///
/// Errors: [`PassageError`].
pub fn stance(analysis: &Analysis, frame: usize, name: &str, step_secs: f64) -> Result<LoopClip, PassageError> {
    check_step(step_secs)?;
    let (take, body) = (&analysis.take, &analysis.body);
    let count = TimeStep::new(step_secs).nearest(STANCE_SECS).max(3);
    check_count(count as f64, take.skeleton())?;
    let frame = frame.min(take.num_frames() - 1);
    let joint = rig_root(analysis);
    let hanging = Hanging::new(
        joint.as_ref(),
        |joint| root_joint::tilt(take.skeleton(), take.pose(frame), joint),
        || root_joint::find_carrier(take.skeleton(), &analysis.world, body),
    );
    let root = analysis.heading.world_from_heading(frame);
    let root = Rigid {
        translation: root.translation.with_y(0.0),
        ..root
    };
    let pose = hanging.seen(take.skeleton(), take.pose(frame).to_pose(), root);
    let tracks = Tracks::pose_by_pose(take.skeleton(), step_secs, core::iter::repeat_n(pose, count));
    Ok(LoopClip::new(
        name,
        tracks,
        hanging.carrier,
        RootMotion::new(root, Default::default()),
    )?)
}
