//! Finds starts, stops, turns and jumps in a take, and the states of loops that each connects at least cost.
//!
//! By the smoothed path of the root each frame stands, moves, or does neither. A start lies between standing and moving, a stop
//! the reverse; a turn in place lies between two stands, a turn on the move between steady paths; a jump is a flight of both
//! feet that is not part of a gait. Each end may be at any frame of a window around it and at any sample of a loop; the pair
//! costs what a jump between them would, plus a small price for length. All pairs are tried at a coarse rate, and those around
//! the best at full rate. Derivation: docs/math/passage.md.

use core::{fmt, ops::RangeInclusive};

use glam::DVec3;

use super::{LoopState, PassageError, PassageKind, check, ground::Way, moves, stands};
use crate::{
    play::{DEFAULT_FADE, LoopSet},
    transition::{State, TransitionClip, Transitions},
};
use loopwright_core::{
    analysis::{Analysis, Foot, MOVING_MPS},
    feet::contact,
    math::{TimeStep, greatest, ops, ordered, percentile, rotation},
};

/// Smallest turn between two stands, radians (30 degrees).
const MIN_TURN_IN_PLACE: f64 = 30.0_f64.to_radians();

/// Smallest turn on the move, radians (45 degrees), within about 1.5 seconds.
const MIN_TURN_ON_THE_MOVE: f64 = 45.0_f64.to_radians();

/// Approximate duration of a turn on the move, seconds; it is measured over half of it on either side.
const TURN_SECS: f64 = 1.5;

/// A root slower than this stands, metres per second and radians per second (25 degrees).
const STANDS_MPS: f64 = 0.15;
const STANDS_RATE: f64 = 0.436;

/// Shortest time of standing or of moving steadily, seconds.
const STANDS_SECS: f64 = 0.2;
const MOVES_SECS: f64 = 0.8;

/// Hands farther apart than this share of the bones between them are spread out.
const SPREAD_SHARE: f64 = 0.75;

/// A steady path turns more slowly than this share of the turn on it.
const STEADY_SHARE: f64 = 0.4;

/// The path must continue for this long before and after a turn, seconds; over half of that it must be steady.
const STEADY_SECS: f64 = 0.5;

/// Largest distance that a turn in place carries the body, metres.
const IN_PLACE_METRES: f64 = 1.0;

/// Shortest flight, seconds, ...
const FLIGHT_SECS: f64 = 0.06;

/// ... shortest jump, ...
const JUMP_SECS: f64 = 0.2;

/// ... and its least ratio to any flight within this time of it, seconds: the flights of runs and hops are alike.
const JUMP_TIMES: f64 = 1.6;
const ALONE_SECS: f64 = 1.5;

/// A foot higher than this above its ground flies, metres on the reference body.
const FLIES_METRES: f64 = 0.04;

/// Longest time that a passage may begin before and end after its event, seconds: a gait has a whole cycle within it.
const BEFORE_SECS: f64 = 1.2;
const AFTER_SECS: f64 = 2.2;

/// Longest part of an event that may be left out, seconds: the smoothed path changes before the body does.
const LEFT_OUT_SECS: f64 = 0.15;

/// Shortest passage, seconds.
const SHORTEST_SECS: f64 = 0.5;

/// Cost of a second of length, metre-seconds on the reference body: a twentieth of a random jump.
const LENGTH_PRICE: f64 = 0.05;

/// Pairs are tried at about this rate, Hz, and then refined around the best.
const COARSE_HZ: f64 = 30.0;

/// Loops whose speed differs from that of the path by more than this share of the faster, plus this many metres per second on
/// the reference body, belong to another gait.
const SPEED_SHARE: f64 = 0.35;
const SPEED_MPS: f64 = 0.25;

/// Stances are equal if a jump between them costs less than this, metre-seconds on the reference body, and the distances between
/// their feet agree within this, metres on the reference body; at most this many are kept, the calmest.
const ALIKE: f64 = 0.5;
const ALIKE_METRES: f64 = 0.02;
const MOST_STANCES: usize = 4;

/// A passage that was found.
#[value]
pub struct FoundPassage {
    /// Its kind.
    pub kind: PassageKind,
    /// First and last frame of the take.
    pub frames: [f64; 2],
    /// The states of the loops in which it begins and ends.
    pub ends: [LoopState; 2],
    /// Cost of both ends together, metre-seconds.
    pub cost: f64,
}

/// Why no passage of a kind was found.
#[value(Copy, Eq)]
pub enum Looked {
    /// No loop of the set stands.
    NoLoopStands,
    /// No loop of the set travels.
    NoLoopMoves,
    /// The take contains no motion of the kind.
    Never(PassageKind),
    /// The take contains such a motion, but no loop resembles the motion before or after it.
    NoLoopLike,
}

impl fmt::Display for Looked {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::NoLoopStands => "no loop stands",
            Self::NoLoopMoves => "no loop goes anywhere",
            Self::NoLoopLike => "no loop is as fast as the take there, or the take ends too soon",
            Self::Never(PassageKind::Start) => "the body never stands for 0.2 s before it goes somewhere for 0.8 s",
            Self::Never(PassageKind::Stop) => "the body never goes somewhere for 0.8 s before it stands for 0.2 s",
            Self::Never(PassageKind::TurnInPlace) => "the body never stands, turns by more than 30 degrees, and stands",
            Self::Never(PassageKind::Turn) => {
                "the body never turns by more than 45 degrees within 1.5 s between steady ways"
            }
            Self::Never(PassageKind::Jump) => "both feet never leave the ground for 0.2 s, but as often as a gait does",
            Self::Never(PassageKind::Transition) => "there are no two loops",
        })
    }
}

/// The passages found in a take.
#[value(Default)]
pub struct FoundPassages {
    /// The passages, by kind, those of each with the cheapest first.
    pub passages: Vec<FoundPassage>,
    /// The kinds that were requested but not found, with reasons.
    pub missing: Vec<(PassageKind, Looked)>,
}

/// Looks for passages of these kinds between the loops of a set in a take on their skeleton.
///
/// Takes contain no transitions: see [`super::Passage::between`]. Errors: [`PassageError`].
pub fn find(set: &LoopSet, analysis: &Analysis, kinds: &[PassageKind]) -> Result<FoundPassages, PassageError> {
    check(set, Some(analysis))?;
    let mut search = Search {
        step: TimeStep::new(analysis.take.frame_time_secs()),
        dt: analysis.take.frame_time_secs(),
        way: Way::of_hips(analysis),
        costs: Vec::new(),
        set,
        analysis,
        size: analysis.body.size(&analysis.take),
    };
    let mut found = FoundPassages::default();
    let all = search.events();
    if all.iter().any(|event| kinds.contains(&event.kind)) {
        // Every loop uses a copy of the take's features.
        search.costs = costs(set, analysis)?;
    }
    for kind in PassageKind::ALL.into_iter().filter(|kind| kinds.contains(kind)) {
        if kind == PassageKind::Transition {
            continue;
        }
        let events: Vec<&Event> = all.iter().filter(|event| event.kind == kind).collect();
        let mut passages: Vec<FoundPassage> = events.iter().filter_map(|event| search.fitted(event)).collect();
        passages.sort_by_key(|passage| ordered(passage.cost));
        if passages.is_empty() {
            found.missing.push((kind, search.why_not(kind, !events.is_empty())));
        }
        found.passages.extend(passages);
    }
    Ok(found)
}

/// Computes the costs of jumps from each frame of the take into each sample of the loops.
fn costs(set: &LoopSet, analysis: &Analysis) -> Result<Vec<Transitions>, PassageError> {
    let take = TransitionClip::from_take(analysis.clone());
    set.loops()
        .iter()
        .map(|clip| {
            let entered = TransitionClip::from_loop(clip, analysis.overrides())?;
            Ok(Transitions::between(&take, &entered, &analysis.overrides().weights)?)
        })
        .collect()
}

/// Whether the body stands or moves in a frame.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Stand,
    Move,
    Neither,
}

/// A run of frames.
#[derive(Clone, Copy)]
struct Run {
    does: Does,
    first: usize,
    last: usize,
}

/// An event that happens once, and the windows in which a passage of it may begin and end.
struct Event {
    kind: PassageKind,
    windows: [RangeInclusive<usize>; 2],
    /// The frames between which it happens; a longer passage costs more.
    about: [usize; 2],
    /// Whether the body stands or moves before and after.
    does: [Does; 2],
}

struct Search<'a> {
    set: &'a LoopSet,
    analysis: &'a Analysis,
    way: Way,
    /// Costs per loop; empty until an event is found.
    costs: Vec<Transitions>,
    step: TimeStep,
    dt: f64,
    /// Size of the body, as a multiple of the reference body.
    size: f64,
}

/// A frame of the take at which a passage meets a loop.
#[derive(Clone, Copy)]
struct Fit {
    frame: usize,
    loop_index: usize,
    sample: usize,
    cost: f64,
    price: f64,
}

impl Search<'_> {
    fn frames(&self, secs: f64) -> usize {
        self.step.nearest_from_one(secs)
    }

    /// Returns all events of the take, in order of time.
    fn events(&self) -> Vec<Event> {
        let jumps = self.jumps();
        let runs = runs(&self.way, self.analysis);
        let mut events = Vec::new();
        for pair in runs.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let kind = match [from.does, to.does] {
                [Does::Stand, Does::Move] => PassageKind::Start,
                [Does::Move, Does::Stand] => PassageKind::Stop,
                [Does::Stand, Does::Stand] => PassageKind::TurnInPlace,
                _ => continue,
            };
            let is_turn = self.turned(from.last, to.first).abs() > MIN_TURN_IN_PLACE
                && self.moved(from.last, to.first) < IN_PLACE_METRES * self.size;
            let happens = match kind {
                PassageKind::TurnInPlace => is_turn,
                _ => !(from.last..=to.first).any(|frame| is_spread(self.analysis, frame)),
            };
            if happens {
                events.push(self.event(kind, [from, to]));
            }
        }
        events.extend(self.turns(&runs));
        events.retain(|event| {
            !jumps
                .iter()
                .any(|jump| event.about[0] < jump.about[1] && jump.about[0] < event.about[1])
        });
        events.extend(jumps);
        events.sort_by_key(|event| event.about[0]);
        events
    }

    fn turned(&self, from: usize, to: usize) -> f64 {
        self.way.at(to).yaw - self.way.at(from).yaw
    }

    fn moved(&self, from: usize, to: usize) -> f64 {
        ops::over_ground(self.way.at(to).at - self.way.at(from).at)
    }

    /// Returns the event between two runs.
    fn event(&self, kind: PassageKind, [from, to]: [Run; 2]) -> Event {
        // Frames within each run, and beyond it: around a stand a little may be left out.
        let [[before, past], [after, ahead]] = [from, to].map(|run| match run.does {
            Does::Stand => [BEFORE_SECS, LEFT_OUT_SECS].map(|secs| self.frames(secs)),
            Does::Move | Does::Neither => [self.frames(AFTER_SECS), 0],
        });
        Event {
            kind,
            windows: [
                from.last.saturating_sub(before).max(from.first)..=(from.last + past).min(to.first),
                to.first.saturating_sub(ahead).max(from.last)..=(to.first + after).min(to.last),
            ],
            about: [from.last, to.first],
            does: [from.does, to.does],
        }
    }

    /// Finds turns on the move: the largest changes of heading within the time of a turn, between steady paths.
    fn turns(&self, runs: &[Run]) -> Vec<Event> {
        let half = self.frames(0.5 * TURN_SECS);
        let steady = self.frames(STEADY_SECS);
        let mut events = Vec::new();
        for (first, last) in ways(runs) {
            if last - first < 2 * (half + steady) {
                continue;
            }
            let around = |frame: usize| [frame.saturating_sub(half).max(first), (frame + half).min(last)];
            let turned = |frame: usize| {
                let [from, to] = around(frame);
                self.turned(from, to)
            };
            let mut frame = first + half;
            while frame + half <= last {
                let [from, to] = around(frame);
                let size = self.turned(from, to).abs();
                let is_most = (from..=to).all(|other| turned(other).abs() <= size);
                if size > MIN_TURN_ON_THE_MOVE
                    && is_most
                    && let Some(event) = self.turn_at(frame, (first, last))
                {
                    events.push(event);
                    frame += half;
                }
                frame += 1;
            }
        }
        events
    }

    /// Returns the turn around a frame, from its beginning to its end.
    fn turn_at(&self, middle: usize, (first, last): (usize, usize)) -> Option<Event> {
        let rate = |frame: usize| self.way.rates(frame, self.dt)[1];
        let (half, steady) = (self.frames(0.5 * TURN_SECS), self.frames(STEADY_SECS));
        let around = middle - half..=(middle + half).min(last);
        let fastest = greatest(around.map(|frame| rate(frame).abs()));
        let turns = |frame: usize| rate(frame).abs() > STEADY_SHARE * fastest;
        let far = 2 * half;
        let from = (middle.saturating_sub(far).max(first)..=middle).rev().find(|&frame| {
            let before = frame.saturating_sub(steady / 2).max(first);
            frame < middle - half / 3 && !(before..=frame).any(turns)
        })?;
        let to = (middle..=(middle + far).min(last)).find(|&frame| {
            let after = (frame + steady / 2).min(last);
            frame > middle + half / 3 && !(frame..=after).any(turns)
        })?;
        let is_steady = from >= first + steady && to + steady <= last;
        let size = self.turned(from, to).abs();
        (is_steady && size > MIN_TURN_ON_THE_MOVE).then(|| {
            let runs = [(first, from), (to, last)].map(|(first, last)| Run {
                does: Does::Move,
                first,
                last,
            });
            self.event(PassageKind::Turn, runs)
        })
    }

    /// Finds flights of both feet that are not part of a gait.
    fn jumps(&self) -> Vec<Event> {
        let flights = self.flights();
        let alone = self.frames(ALONE_SECS);
        let long = self.frames(JUMP_SECS);
        let last = self.way.num_frames() - 1;
        let around = self.frames(BEFORE_SECS);
        let out = self.frames(LEFT_OUT_SECS);
        let mut jumps = Vec::new();
        for (index, &(from, to)) in flights.iter().enumerate() {
            let length = to + 1 - from;
            let longest = flights
                .iter()
                .enumerate()
                .filter(|&(other, flight)| other != index && flight.0 <= to + alone && from <= flight.1 + alone)
                .map(|(_, flight)| flight.1 + 1 - flight.0)
                .max()
                .unwrap_or(0);
            let fits = from > out && to + out < last;
            if length >= long && length as f64 >= JUMP_TIMES * longest as f64 && fits {
                let windows = [
                    from.saturating_sub(around + out)..=from - out,
                    to + out..=(to + out + around).min(last),
                ];
                jumps.push(Event {
                    kind: PassageKind::Jump,
                    does: windows.clone().map(|window| self.does_around_jump(window)),
                    windows,
                    about: [from, to],
                });
            }
        }
        jumps
    }

    /// Whether the body stands or moves around a jump. A body that hardly travels there counts as standing if a loop of the set
    /// stands: a crouch resembles a step as much as an idle.
    fn does_around_jump(&self, window: RangeInclusive<usize>) -> Does {
        let speeds = window.map(|frame| self.way.rates(frame, self.dt)[0]);
        let travels = percentile::of(speeds, 0.5) >= MOVING_MPS * self.size.sqrt();
        if travels || !self.set.loops().iter().any(|clip| stands(clip, self.analysis)) {
            Does::Neither
        } else {
            Does::Stand
        }
    }

    /// Returns runs of frames in which no foot is on the ground.
    fn flights(&self) -> Vec<(usize, usize)> {
        let Analysis {
            world,
            body,
            contacts,
            floor,
            ..
        } = self.analysis;
        if contacts.num_feet() == 0 {
            return Vec::new();
        }
        let joints: Vec<usize> = body.feet.iter().map(Foot::lowest_joint).collect();
        let count = self.way.num_frames();
        let height = |frame: usize, joint: usize| body.point(world, frame, joint).y - floor.heights()[frame];
        let standing: Vec<f64> = joints
            .iter()
            .map(|&joint| percentile::of((0..count).map(|frame| height(frame, joint)), 0.1))
            .collect();
        let flies_metres = FLIES_METRES * self.size;
        let is_up = |foot, frame| {
            !contacts.is_planted(foot, frame) && height(frame, joints[foot]) - standing[foot] > flies_metres
        };
        let flies: Vec<bool> = (0..count)
            .map(|frame| (0..joints.len()).all(|foot| is_up(foot, frame)))
            .collect();
        let fewest = self.frames(FLIGHT_SECS);
        contact::runs(&flies)
            .into_iter()
            .filter(|run| run.len() >= fewest)
            .map(|run| (run.start, run.end - 1))
            .collect()
    }

    /// Finds the passage of an event that meets loops at least cost.
    fn fitted(&self, event: &Event) -> Option<FoundPassage> {
        let from = self.best(event, 0, event.windows[0].clone())?;
        let earliest = from.frame + self.frames(SHORTEST_SECS);
        let window = (*event.windows[1].start()).max(earliest)..=*event.windows[1].end();
        let to = self.best(event, 1, window)?;
        Some(FoundPassage {
            kind: event.kind,
            frames: [from.frame as f64, to.frame as f64],
            ends: [from, to].map(|fit| LoopState {
                loop_index: fit.loop_index,
                secs: fit.sample as f64 * self.set.loops()[fit.loop_index].step_secs(),
            }),
            cost: from.cost + to.cost,
        })
    }

    /// Finds the frame of a window and the sample of a loop that meet at the lowest price.
    fn best(&self, event: &Event, end: usize, window: RangeInclusive<usize>) -> Option<Fit> {
        let coarse = self.step.nearest_from_one(1.0 / COARSE_HZ);
        // One sample beyond either end is needed.
        let last = self.way.num_frames().checked_sub(2)?;
        let (first, last) = ((*window.start()).max(1), (*window.end()).min(last));
        let mut best: Option<Fit> = None;
        for (loop_index, clip) in self.set.loops().iter().enumerate() {
            let is_like = match event.does[end] {
                Does::Stand => stands(clip, self.analysis),
                Does::Move => moves(clip, self.analysis) && self.is_as_fast(loop_index, event, end),
                Does::Neither => true,
            };
            if !is_like {
                continue;
            }
            let of_pairs = |frames: &mut dyn Iterator<Item = usize>, samples: &[usize]| {
                frames
                    .filter(|&frame| self.analysis.usable[frame])
                    .flat_map(|frame| {
                        samples
                            .iter()
                            .map(move |&sample| self.fit(event, end, frame, (loop_index, sample)))
                    })
                    .min_by_key(|fit| (ordered(fit.price), fit.sample))
            };
            let count = clip.num_samples();
            let stride = TimeStep::new(clip.step_secs())
                .nearest_from_one(1.0 / COARSE_HZ)
                .min(count);
            let samples: Vec<usize> = (0..count).step_by(stride).collect();
            let mut of_loop = of_pairs(&mut (first..=last).step_by(coarse), &samples);
            if let Some(found) = of_loop {
                let around: Vec<usize> = (0..=2 * stride)
                    .map(|off| (found.sample + count + off - stride) % count)
                    .collect();
                let frames = found.frame.saturating_sub(coarse).max(first)..=(found.frame + coarse).min(last);
                of_loop = of_pairs(&mut frames.into_iter(), &around);
            }
            if let Some(fit) = of_loop.filter(|fit| best.is_none_or(|best| fit.price < best.price)) {
                best = Some(fit);
            }
        }
        best
    }

    fn fit(&self, event: &Event, end: usize, frame: usize, (loop_index, sample): (usize, usize)) -> Fit {
        // D(x, v) = D(-x, -v): leaving the loop costs as much as entering it.
        let cost = self.costs[loop_index].cost(frame, sample, DEFAULT_FADE);
        let away = match end {
            0 => event.about[0].saturating_sub(frame),
            _ => frame.saturating_sub(event.about[1]),
        };
        Fit {
            frame,
            loop_index,
            sample,
            cost,
            price: cost + LENGTH_PRICE * self.size * away as f64 * self.dt,
        }
    }

    /// Whether a loop is about as fast as the take at an end.
    fn is_as_fast(&self, loop_index: usize, event: &Event, end: usize) -> bool {
        let clip = &self.set.loops()[loop_index];
        let speeds: Vec<f64> = event.windows[end]
            .clone()
            .map(|frame| self.way.rates(frame, self.dt)[0])
            .collect();
        if speeds.is_empty() {
            return false;
        }
        let usual = percentile::of(speeds, 0.75);
        let own = ops::over_ground(clip.root().twist.linear);
        (own - usual).abs() < SPEED_SHARE * own.max(usual) + SPEED_MPS * self.size.sqrt()
    }

    fn why_not(&self, kind: PassageKind, happens: bool) -> Looked {
        let loops = self.set.loops();
        let needs_stand = !matches!(kind, PassageKind::Turn | PassageKind::Jump);
        let needs_move = !matches!(kind, PassageKind::TurnInPlace | PassageKind::Jump);
        if !happens {
            Looked::Never(kind)
        } else if needs_stand && !loops.iter().any(|clip| stands(clip, self.analysis)) {
            Looked::NoLoopStands
        } else if needs_move && !loops.iter().any(|clip| moves(clip, self.analysis)) {
            Looked::NoLoopMoves
        } else {
            Looked::NoLoopLike
        }
    }
}

/// Whether both hands are as far apart as possible: a T-pose, with which captures are calibrated.
fn is_spread(analysis: &Analysis, frame: usize) -> bool {
    let [left, right] = analysis.body.hands[..] else {
        return false;
    };
    let paths = [left, right].map(|hand| analysis.take.skeleton().path_from_root(hand));
    let shared = paths[0]
        .iter()
        .zip(&paths[1])
        .take_while(|(one, other)| one == other)
        .count();
    let at = |joint: usize| analysis.world.position(frame, joint);
    let reach: f64 = paths
        .iter()
        .flat_map(|path| path[shared.saturating_sub(1)..].windows(2))
        .map(|bone| at(bone[0]).distance(at(bone[1])))
        .sum();
    at(left).distance(at(right)) > SPREAD_SHARE * reach
}

/// Returns the runs of frames that stand or move for long enough.
fn runs(way: &Way, analysis: &Analysis) -> Vec<Run> {
    let dt = analysis.take.frame_time_secs();
    let root_size = analysis.body.size(&analysis.take).sqrt();
    let mut runs: Vec<Run> = Vec::new();
    for frame in 0..way.num_frames() {
        let [mps, rate] = way.rates(frame, dt);
        let is_slow = mps < STANDS_MPS * root_size && rate.abs() < STANDS_RATE;
        let does = if is_slow && !is_spread(analysis, frame) {
            Does::Stand
        } else if mps >= MOVING_MPS * root_size {
            Does::Move
        } else {
            Does::Neither
        };
        match runs.last_mut() {
            Some(run) if run.does == does => run.last = frame,
            _ => runs.push(Run {
                does,
                first: frame,
                last: frame,
            }),
        }
    }
    runs.retain(|run| {
        let fewest_secs = match run.does {
            Does::Stand => STANDS_SECS,
            Does::Move => MOVES_SECS,
            Does::Neither => return false,
        };
        run.last - run.first + 1 >= TimeStep::new(dt).nearest_from_one(fewest_secs)
    });
    runs
}

/// Returns stretches of frames in which the body travels without standing between.
fn ways(runs: &[Run]) -> Vec<(usize, usize)> {
    let mut ways: Vec<(usize, usize)> = Vec::new();
    let mut goes_on = false;
    for run in runs {
        match (run.does, ways.last_mut()) {
            (Does::Move, Some(way)) if goes_on => way.1 = run.last,
            (Does::Move, _) => ways.push((run.first, run.last)),
            _ => {}
        }
        goes_on = run.does == Does::Move;
    }
    ways
}

/// Returns the calmest frame of each stretch of a take in which the body stands, the calmest of all first; of similar stances
/// only one.
pub fn calmest_stands(analysis: &Analysis) -> Vec<usize> {
    let runs = runs(&Way::of_hips(analysis), analysis);
    let stands = runs.iter().filter(|run| run.does == Does::Stand);
    let speed = |&frame: &usize| ordered(analysis.speed(frame));
    let mut frames: Vec<usize> = stands
        .filter_map(|run| {
            (run.first..=run.last)
                .filter(|&frame| analysis.usable[frame])
                .min_by_key(speed)
        })
        .collect();
    frames.sort_by_key(speed);
    let state = |frame: usize| State {
        positions: analysis.features.positions(frame),
        velocities: analysis.features.velocities(frame),
    };
    let size = analysis.body.size(&analysis.take);
    let (alike, alike_metres) = (ALIKE * size, ALIKE_METRES * size);
    // Positions of the other feet relative to the first.
    let feet = |frame: usize| -> Vec<DVec3> {
        let from_world = rotation::from_yaw(-analysis.heading.yaw(frame));
        let places: Vec<DVec3> = analysis
            .body
            .feet
            .iter()
            .map(|foot| analysis.body.point(&analysis.world, frame, foot.lowest_joint()))
            .collect();
        places
            .iter()
            .map(|place| (from_world * (place - places[0])).with_y(0.0))
            .collect()
    };
    let mut kept: Vec<usize> = Vec::new();
    for frame in frames {
        let own = feet(frame);
        let is_new = kept.iter().all(|&other| {
            own.iter()
                .zip(feet(other))
                .any(|(one, other)| one.distance(other) > alike_metres)
                || state(frame).cost(state(other), DEFAULT_FADE) > alike
        });
        if is_new {
            kept.push(frame);
        }
        if kept.len() == MOST_STANCES {
            break;
        }
    }
    kept
}
