//! A character that plays a set.
//!
//! Loops advance by their phase on their constant root motion; the difference that a switch leaves fades, by a quintic unless the
//! manifest says otherwise, and the root's rate without overshoot. Time steps may have any length: passages begin and end between
//! them. Formulas: docs/formats/set.md.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_core::{
    Pose,
    analysis::FootEventKind,
    math::{Decay, Rigid, ordered},
};
use loopwright_moves::passage::LoopState;

use crate::{
    clip::{MotionClip, STILL},
    hold::{Frame, Hold, Playlist, sprung},
    keys::{Lanes, rigid},
    set::{FADE, Moment, MotionSet, Way},
    source::{Clock, Cycle, Fading, Over, Source, held},
    space::{Goal, PlayedSpace},
};

/// Distance from a loop's point at which that loop counts as played, as a share of the range of the axes.
const NEAR: f64 = 0.1;

/// Number of cycles after which a passage out of a moving loop begins even if the blend's point is elsewhere.
const MOST_CYCLES: f64 = 2.0;

/// Equal events of a foot within this time are one event, seconds: another loop of a blend may take over between.
const SAME_EVENT_SECS: f64 = 0.1;

/// Cost in a plan per radian of unrequested turn, and of a stop on the way, relative to the costs in `set.rs`: a body that only
/// speeds up should neither turn nor stop.
const UNASKED_TURN: f64 = 3.0;
const UNASKED_STAND: f64 = 3.0;

/// An action that may be left within this time is left now, seconds.
const NOW_SECS: f64 = 1e-9;

/// Most switches within one step.
const MOST_SWITCHES: usize = 16;

/// An event of a playing character.
#[value]
pub enum PlayerEvent {
    /// A foot touched down or lifted.
    Foot {
        /// left, right, or the joint if the side is unknown.
        foot: Arc<str>,
        /// Touch-down or lift.
        kind: FootEventKind,
        /// The clip of the event.
        clip: Arc<str>,
        /// Seconds since the event: less than a step.
        late_secs: f64,
    },
    /// Another clip or blend space plays.
    Switch {
        /// The clip or blend space that played.
        from: String,
        /// The clip or blend space that plays now.
        to: String,
        /// Duration of the fade.
        fade_secs: f64,
    },
}

/// The next step towards the goal.
#[derive(Clone, Debug)]
enum Plan {
    /// A plan must be made for a new goal.
    Open,
    /// The source continues.
    Stay,
    /// A way, and the cycles waited for it so far.
    Go(Way, f64),
}

/// A clip that contributes to the motion.
#[derive(Clone, Copy, Debug)]
pub struct PlayingClip<'a> {
    /// The clip.
    pub clip: &'a MotionClip,
    /// Its weight; all sum to 1.
    pub weight: f64,
    /// Its time.
    pub secs: f64,
}

/// The playing motion and its loops.
#[derive(Clone, Debug)]
pub struct Playing<'a> {
    /// The name of a blend space, or of a clip that plays once.
    pub name: &'a str,
    /// The blend space and the point in it.
    pub space: Option<(&'a PlayedSpace, [f64; 2])>,
    /// Its progress, 0 to 1: the phase of the set, or the share of the clip's time.
    pub phase: f64,
    /// The clips that contribute.
    pub clips: Vec<PlayingClip<'a>>,
    /// The action that plays over them, and its time.
    pub over: Option<(&'a MotionClip, f64)>,
    /// The remaining share of the fading offset, 1 to 0.
    pub fading: f64,
}

/// A character that plays a set.
#[derive(Clone, Debug)]
pub struct SteeredCharacter {
    pub(crate) set: Arc<MotionSet>,
    source: Source,
    over: Option<Over>,
    fading: Fading,
    goal: Goal,
    met: Goal,
    plan: Plan,
    /// The plan that a new goal interrupted.
    before: Option<(Way, f64)>,
    /// The space that suits the goal.
    wanted: usize,
    root: Rigid,
    secs: f64,
    events: Vec<PlayerEvent>,
    /// Whether an update has completed the list of events.
    is_told: bool,
    /// Times of the last event of each foot and kind.
    last: Vec<(Arc<str>, FootEventKind, f64)>,
    random: u32,
    hold: Option<Hold>,
    playlist: Playlist,
    row: Vec<Lanes>,
    /// Reused list of events: the clip, the index of the event in it, and the seconds since.
    found: Vec<(usize, usize, f64)>,
    pose: Pose,
    /// The longest time that a switch between moving loops waits for its least visible moment, seconds.
    pub patience_secs: f64,
    /// Whether loops alternate with their versions.
    pub varies: bool,
    /// Whether feet are held where they stand.
    pub holds_feet: bool,
}

impl SteeredCharacter {
    /// Creates a character that stands, if the set has a loop for that; otherwise in its first blend space.
    pub fn new(set: Arc<MotionSet>) -> Self {
        let space = set.spaces.iter().position(|space| space.stands).unwrap_or(0);
        let cycle = Cycle::still(&set, space);
        Self::starting(set, cycle)
    }

    /// Creates a character in a loop, by name; `None` if the set has no such loop.
    pub fn in_loop(set: Arc<MotionSet>, name: &str) -> Option<Self> {
        let loop_index = set.clip(name).filter(|clip| set.clips[*clip].loops())?;
        let cycle = Cycle::entering(&set, LoopState { loop_index, secs: 0.0 }, 0)?;
        Some(Self::starting(set, cycle))
    }

    fn starting(set: Arc<MotionSet>, cycle: Cycle) -> Self {
        let goal = cycle.motion(&set);
        let (wanted, source) = (cycle.space, Source::Cycle(cycle));
        let mut new = Self {
            wanted,
            playlist: Playlist::new(&set, &source, None),
            source,
            over: None,
            fading: Fading::none(FADE),
            goal,
            met: goal,
            plan: Plan::Open,
            before: None,
            root: Rigid::IDENTITY,
            secs: 0.0,
            events: Vec::new(),
            is_told: true,
            last: Vec::new(),
            random: 1,
            hold: Hold::new(&set),
            row: set.row(),
            found: Vec::new(),
            pose: Pose::default(),
            patience_secs: 0.3,
            varies: true,
            holds_feet: true,
            set,
        };
        new.show(0.0);
        new
    }

    /// Seeds the order in which versions of loops follow each other.
    #[must_use]
    pub fn with_seed(self, seed: u32) -> Self {
        Self {
            random: seed.wrapping_mul(0x9e37_79b1),
            ..self
        }
    }

    /// Returns the set.
    pub fn set(&self) -> &Arc<MotionSet> {
        &self.set
    }

    /// Returns its goal.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Returns its goal as far as its loops can meet it, as of the last update: turns that they lack are dropped first, then directions.
    pub fn met_goal(&self) -> Goal {
        self.met
    }

    /// Sets its goal.
    pub fn set_goal(&mut self, goal: Goal) {
        if self.goal != goal {
            self.goal = goal;
            if let Plan::Go(way, waited) = std::mem::replace(&mut self.plan, Plan::Open) {
                self.before = Some((way, waited));
            }
        }
    }

    /// Returns the seconds played.
    pub fn secs(&self) -> f64 {
        self.secs
    }

    /// Returns the root: the start of the character, plus its motion since.
    pub fn root(&self) -> Rigid {
        self.root
    }

    /// Sets the root.
    pub fn place(&mut self, root: Rigid) {
        self.root = root;
    }

    /// Returns the events of the last update, including those of a [`Self::play`] before it.
    pub fn events(&self) -> &[PlayerEvent] {
        &self.events
    }

    /// Returns the motion that plays.
    pub fn playing(&self) -> Playing<'_> {
        let set = &*self.set;
        let (space, phase, clips) = match &self.source {
            Source::Once(clip, secs) => {
                let (clip, secs) = (&set.clips[*clip], *secs);
                let alone = PlayingClip {
                    clip,
                    weight: 1.0,
                    secs,
                };
                (None, secs / clip.seconds, vec![alone])
            }
            Source::Cycle(cycle) => {
                let parts = cycle.parts(set, 0.0);
                let parts = parts.iter().map(|part| {
                    let clip = &set.clips[part.clip];
                    PlayingClip {
                        clip,
                        weight: part.weight,
                        secs: clip.secs_at(cycle.phase),
                    }
                });
                (Some((&set.spaces[cycle.space], cycle.at)), cycle.phase, parts.collect())
            }
        };
        Playing {
            name: self.source.name(set),
            space,
            phase,
            clips,
            over: self.over.map(|over| (&set.clips[over.clip], over.secs)),
            fading: self.fading.left(),
        }
    }

    /// Returns the body after the last update: local transforms in the order of [`MotionSet::skeleton`].
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Returns whether the left and the right foot step to places of their own, since they could not be held.
    pub fn stepping(&self) -> [bool; 2] {
        self.hold.as_ref().map_or([false; 2], Hold::stepping)
    }

    /// Finds the pose, some seconds after the last one.
    fn show(&mut self, secs: f64) {
        let set = Arc::clone(&self.set);
        self.playlist.body(&set, &mut self.row);
        if let Some(over) = self.over {
            over.lay(&set, 0.0, &mut self.row);
        }
        self.fading.add_to(&mut self.row, 0.0);
        let joints = self.row[..set.skeleton().num_joints()].iter().map(rigid);
        self.pose.translations.clear();
        self.pose.rotations.clear();
        for joint in joints {
            self.pose.translations.push(joint.translation);
            self.pose.rotations.push(joint.rotation);
        }
        if let Some(hold) = &mut self.hold {
            if !self.holds_feet {
                hold.let_go();
                return;
            }
            let frame = Frame {
                played: &self.playlist,
                row: &self.row,
                fades: !self.fading.is_over(),
                secs,
            };
            hold.apply(&set, &frame, &mut self.pose);
        }
    }

    /// Plays a clip by name, such as a jump or an attack, or enters a loop, at once. Returns whether the set has it.
    ///
    /// After an action the character continues towards its goal; after one that leads nowhere, such as a death, it stays.
    pub fn play(&mut self, name: &str) -> bool {
        let Some(clip) = self.set.clip(name) else {
            return false;
        };
        let next = if self.set.clips[clip].loops() {
            let Some(space) = self.set.space_of(clip, self.wanted) else {
                return false;
            };
            let phase = match &self.source {
                Source::Cycle(cycle) => cycle.phase,
                Source::Once(..) => 0.0,
            };
            let at = self.set.spaces[space].point_of(clip);
            Source::Cycle(Cycle::new(space, Moment { at, phase }))
        } else {
            Source::Once(clip, 0.0)
        };
        self.begin_events();
        let MotionClip { leave_secs, fade, .. } = self.set.clips[clip];
        self.switch_to(next, None, leave_secs.map_or(FADE, |_| fade));
        self.plan = Plan::Stay;
        true
    }

    /// Plays the upper body of an action, or of another clip that plays once, over the present motion, at once. Returns whether that is
    /// possible: the set has the clip, and the body has two legs.
    pub fn play_over(&mut self, name: &str) -> bool {
        let Some(clip) = self
            .set
            .clip(name)
            .filter(|clip| !self.set.clips[*clip].loops())
            .filter(|_| !self.set.upper.is_empty())
        else {
            return false;
        };
        self.begin_events();
        let fade = self.set.clips[clip].fade;
        self.switch_to(self.source.clone(), Some(Over { clip, secs: 0.0 }), fade);
        true
    }

    /// Clears events that an update has already reported.
    fn begin_events(&mut self) {
        if std::mem::take(&mut self.is_told) {
            self.events.clear();
        }
    }

    /// Whether a turning clip plays, or is waited for.
    pub(crate) fn is_turning(&self) -> bool {
        let clip = match (&self.source, &self.plan, &self.before) {
            (Source::Once(clip, _), ..) => Some(*clip),
            (_, Plan::Go(way, _), _) | (_, Plan::Open, Some((way, _))) => way.passage,
            _ => None,
        };
        clip.is_some_and(|clip| self.set.clips[clip].turn != 0.0)
    }

    /// Returns the turn rate of the playing loops, radians per second.
    pub(crate) fn turn_rate(&self) -> f64 {
        match &self.source {
            Source::Once(..) => 0.0,
            Source::Cycle(cycle) => cycle.twist(&self.set, 0.0).angular.y,
        }
    }

    /// Advances by some seconds.
    pub fn update(&mut self, secs: f64) {
        self.begin_events();
        self.is_told = true;
        let secs = if secs.is_finite() { secs.max(0.0) } else { 0.0 };
        let mut left = secs;
        for _ in 0..MOST_SWITCHES {
            if matches!((&self.plan, &self.source), (Plan::Open, Source::Cycle(_))) {
                self.plan = self.planned();
            }
            let due = self
                .due()
                .min(self.over.map_or(f64::INFINITY, |over| over.left(&self.set)));
            let step = left.min(due);
            if step > 0.0 {
                self.advance(step);
            }
            left -= step;
            if due > step {
                break;
            }
            self.leave();
        }
        // A long step may contain more ends of cycles.
        if left > 0.0 && matches!(self.source, Source::Cycle(_)) {
            self.advance(left);
        }
        self.show(secs);
    }

    /// Returns the time to the next switch, seconds.
    fn due(&self) -> f64 {
        match (&self.source, &self.plan) {
            (Source::Once(clip, secs), _) => {
                let clip = &self.set.clips[*clip];
                let is_still = self.goal.speed.abs() < STILL && self.goal.turn_rate.abs() < STILL;
                let end = match clip.leave_secs {
                    Some(_) if !clip.next.iter().any(|next| self.set.clips[next.loop_index].loops()) => {
                        return f64::INFINITY;
                    }
                    Some(leave) if !is_still => leave,
                    _ => clip.seconds,
                };
                (end - secs).max(0.0)
            }
            (Source::Cycle(cycle), Plan::Go(way, waited)) => match way.ends {
                Some([leave, _]) if !self.set.spaces[cycle.space].stands => {
                    let is_there = self.is_near(cycle, leave) || *waited > MOST_CYCLES;
                    let cycles = if is_there { 0.0 } else { cycle.clock(&self.set).period };
                    cycle.secs_to(&self.set, leave.phase) + cycles
                }
                _ => 0.0,
            },
            (Source::Cycle(cycle), _)
                if self.varies
                    && self.set.spaces[cycle.space]
                        .clips
                        .iter()
                        .any(|clip| self.set.versions(*clip).len() > 1) =>
            {
                let left = cycle.secs_to(&self.set, 0.0);
                if left > 0.0 {
                    left
                } else {
                    cycle.clock(&self.set).period
                }
            }
            _ => f64::INFINITY,
        }
    }

    fn is_near(&self, cycle: &Cycle, moment: Moment) -> bool {
        self.set.spaces[cycle.space].distance(cycle.at, moment.at) < NEAR
    }

    /// Advances by a time in which the source stays the same, and adds the events in it.
    fn advance(&mut self, secs: f64) {
        let set = Arc::clone(&self.set);
        // Half of the fade is applied before and half after the source's own step, so that frame rates agree.
        let parts = match &self.source {
            Source::Cycle(cycle) => Some(cycle.parts(&set, 0.5 * secs)),
            Source::Once(..) => None,
        };
        let mut step = match &parts {
            Some(parts) => PlayedSpace::twist(&set.clips, parts).exp(secs),
            None => self.source.root_step(&set, secs),
        };
        if !self.fading.is_over() {
            let half = self.fading.half_step(secs);
            step = half * step * half;
        }
        self.root = self.root * step;
        let mut found = core::mem::take(&mut self.found);
        let from = match &mut self.source {
            Source::Once(clip, played_secs) => {
                let (before, after) = (*played_secs, *played_secs + secs);
                for (index, event) in set.clips[*clip].events.iter().enumerate() {
                    if (before..after).contains(&event.secs) {
                        found.push((*clip, index, after - event.secs));
                    }
                }
                *played_secs = held(&set.clips[*clip], after);
                before
            }
            Source::Cycle(cycle) => {
                let parts = parts.unwrap_or_else(|| cycle.parts(&set, 0.5 * secs));
                let clock = Clock::new(&set, &parts);
                let (before, after) = (cycle.phase, clock.after(cycle.phase, secs));
                for axis in 0..2 {
                    let now = [cycle.at[axis], cycle.rate[axis]];
                    [cycle.at[axis], cycle.rate[axis]] = sprung(now, cycle.goal[axis], set.half_life_secs, secs);
                }
                // The first of equal weights.
                if let Some(part) = parts.iter().rev().max_by_key(|part| ordered(part.weight)) {
                    for (index, event) in set.clips[part.clip].events.iter().enumerate() {
                        // The first time from `before` on with the event's phase.
                        let phase = set.clips[part.clip].phase_of(event);
                        let at = phase + (before - phase).ceil();
                        if at < after {
                            found.push((part.clip, index, clock.secs_between(at, after)));
                        }
                    }
                }
                cycle.phase = after - after.floor();
                if let Plan::Go(_, waited) = &mut self.plan {
                    *waited += secs / clock.period;
                }
                before
            }
        };
        if let Some(over) = &mut self.over {
            over.secs += secs;
        }
        self.playlist = Playlist::new(&set, &self.source, Some(from));
        if let Some(hold) = self.hold.as_mut().filter(|_| self.holds_feet) {
            hold.follow(&set, step, &self.playlist);
        }
        self.fading.secs += secs;
        self.secs += secs;
        found.sort_by(|a, b| b.2.total_cmp(&a.2));
        for (clip, index, late_secs) in found.drain(..) {
            self.tell(&set.clips[clip], index, late_secs);
        }
        self.found = found;
    }

    /// Reports an event of a clip, by its index there, unless another clip has reported it.
    fn tell(&mut self, clip: &MotionClip, index: usize, late_secs: f64) {
        let (foot, kind) = (&clip.feet[index], clip.events[index].kind);
        let at = self.secs - late_secs;
        let last = self.last.iter_mut().find(|(of, after, _)| of == foot && *after == kind);
        match last {
            Some((.., last)) if (at - *last).abs() < SAME_EVENT_SECS => return,
            Some((.., last)) => *last = at,
            None => self.last.push((Arc::clone(foot), kind, at)),
        }
        self.events.push(PlayerEvent::Foot {
            foot: Arc::clone(foot),
            kind,
            clip: Arc::clone(&clip.told),
            late_secs,
        });
    }

    /// Leaves the source as planned: at the end of a passage for its loops, at the end of a cycle for other versions or for the next way.
    fn leave(&mut self) {
        let set = Arc::clone(&self.set);
        if let Some(over) = self.over.filter(|over| over.left(&set) < NOW_SECS) {
            return self.switch_to(self.source.clone(), None, set.clips[over.clip].fade);
        }
        if let (Source::Cycle(cycle), Plan::Stay) = (&self.source, &self.plan) {
            let next = cycle.varied(&set, &mut self.random);
            // Only visible changes cause a switch, not changes of loops without a weight.
            let [others, own] =
                [&next, cycle].map(|cycle| cycle.parts(&set, 0.0).iter().map(|part| part.clip).collect::<Vec<_>>());
            if others != own {
                self.switch_to(Source::Cycle(next), self.over, FADE);
            } else if let Source::Cycle(cycle) = &mut self.source {
                cycle.phase = 0.0;
            }
            return;
        }
        let plan = std::mem::replace(&mut self.plan, Plan::Open);
        match (&self.source, plan) {
            (Source::Once(clip, _), _) => {
                let clip = &set.clips[*clip];
                if clip.leave_secs.is_some() {
                    let next = self.after_action(clip);
                    return self.switch_to(Source::Cycle(next), self.over, clip.fade);
                }
                // The rest of a turn is left to another turn if that brings it nearer.
                if self.goal.turn != 0.0 {
                    let is_near = (self.goal.turn - clip.turn).abs() < 0.5 * clip.turn.abs();
                    self.goal.turn = if is_near { 0.0 } else { self.goal.turn - clip.turn };
                }
                let next = clip
                    .to
                    .and_then(|to| Cycle::entering(&set, to, self.wanted))
                    .unwrap_or_else(|| Cycle::still(&set, 0));
                self.switch_to(Source::Cycle(next), self.over, FADE);
            }
            (Source::Cycle(cycle), Plan::Go(way, _)) => {
                let next = match (way.passage, way.ends) {
                    (Some(clip), _) => Source::Once(clip, 0.0),
                    (None, Some([_, enter])) => Source::Cycle(Cycle::new(way.to, enter)),
                    (None, None) => {
                        let space = &set.spaces[way.to];
                        let at = space.covered(&set.clips, space.place(&cycle.motion(&set)));
                        Source::Cycle(Cycle::new(way.to, Moment { at, phase: cycle.phase }))
                    }
                };
                self.switch_to(next, self.over, way.fade);
            }
            _ => {}
        }
    }

    /// Returns the loops towards the goal that may follow an action, in the state of the nearest of them.
    fn after_action(&self, clip: &MotionClip) -> Cycle {
        let set = &*self.set;
        let wanted = self.suiting(usize::MAX);
        let space = &set.spaces[wanted];
        let at = space.covered(&set.clips, space.place(&space.met(&set.clips, &self.goal)));
        let loops = || clip.next.iter().filter(|next| set.clips[next.loop_index].loops());
        let in_space = loops().filter(|next| set.space_of(next.loop_index, wanted) == Some(wanted));
        if let Some(nearest) = in_space.min_by_key(|next| ordered(space.distance(at, space.point_of(next.loop_index))))
        {
            let moment = set.moment(wanted, *nearest);
            return Cycle::new(wanted, Moment { at, ..moment });
        }
        loops()
            .next()
            .and_then(|next| Cycle::entering(set, *next, wanted))
            .unwrap_or_else(|| Cycle::still(set, 0))
    }

    /// Continues with another source, and another action over it, from here: the visible motion is continuous in value and rate.
    fn switch_to(&mut self, next: Source, over: Option<Over>, fade: Decay) {
        let set = Arc::clone(&self.set);
        let name = |source: &Source, over: Option<Over>, other: Option<Over>| match over.filter(|_| other.is_none()) {
            Some(over) => set.clips[over.clip].name.clone(),
            None => source.name(&set).to_owned(),
        };
        self.events.push(PlayerEvent::Switch {
            from: name(&self.source, self.over, over),
            to: name(&next, over, self.over),
            fade_secs: fade.secs(),
        });
        self.fading = Fading::between(&set, (&self.source, self.over, &self.fading), (&next, over), fade);
        (self.source, self.over) = (next, over);
        self.playlist = Playlist::new(&set, &self.source, None);
        self.before = None;
    }

    /// Plans the next step towards the goal.
    fn planned(&mut self) -> Plan {
        let set = Arc::clone(&self.set);
        let Source::Cycle(cycle) = &self.source else {
            return Plan::Open;
        };
        let here = cycle.space;
        let cycle = cycle.clone();
        self.wanted = self.suiting(here);
        self.met = set.spaces[self.wanted].met(&set.clips, &self.goal);
        let ways = set
            .ways
            .iter()
            .filter(|way| way.from != here || self.is_in_time(&cycle, way));
        let ways: Vec<Way> = if self.wanted == here && self.goal.turn == 0.0 {
            Vec::new()
        } else {
            ways.copied().collect()
        };
        if self.goal.turn != 0.0 {
            if let Some(way) = self.turning(&ways, here) {
                return self.begun(way);
            }
            self.goal.turn = 0.0;
        }
        let space = &set.spaces[here];
        let reachable = space.covered(&set.clips, space.place(&space.met(&set.clips, &self.goal)));
        if let Source::Cycle(cycle) = &mut self.source {
            cycle.goal = reachable;
        }
        match self.cheapest(&ways, &cycle) {
            Some(way) => self.begun(way),
            None => Plan::Stay,
        }
    }

    /// Returns the space that suits the goal; the current one is kept if it is about as near.
    fn suiting(&self, here: usize) -> usize {
        let (set, goal) = (&self.set, &self.goal);
        let is_still = goal.speed.abs() < STILL && goal.turn_rate.abs() < STILL;
        (0..set.spaces.len())
            .min_by_key(|&index| {
                let space = &set.spaces[index];
                let misses = space.misses(&set.clips, goal) - if index == here { 0.05 } else { 0.0 };
                (space.stands != is_still || space.is_variant, ordered(misses))
            })
            .unwrap_or(here)
    }

    /// Returns the way from here whose turn is nearest to the requested one, if it brings that nearer.
    fn turning(&self, ways: &[Way], here: usize) -> Option<Way> {
        let set = &self.set;
        ways.iter()
            .filter(|way| {
                let turn = way.passage.map_or(0.0, |clip| set.clips[clip].turn);
                let leads = way.from == here && set.spaces[way.to].stands == set.spaces[self.wanted].stands;
                leads && turn != 0.0 && self.turned_aside(way) < self.goal.turn.abs()
            })
            .min_by_key(|way| (way.to != self.wanted, ordered(self.turned_aside(way))))
            .copied()
    }

    /// Returns the first part of the cheapest way through spaces to the wanted one, by Dijkstra's algorithm; there are few
    /// spaces. `None` if the wanted space already plays.
    fn cheapest(&self, ways: &[Way], cycle: &Cycle) -> Option<Way> {
        if self.wanted == cycle.space {
            return None;
        }
        let spaces = &self.set.spaces;
        let mut reached: BTreeMap<usize, (f64, Option<Way>)> = BTreeMap::from([(cycle.space, (0.0, None))]);
        let mut open = vec![cycle.space];
        while !open.is_empty() {
            open.sort_by(|a, b| reached[b].0.total_cmp(&reached[a].0));
            let Some(space) = open.pop().filter(|space| *space != self.wanted) else {
                break;
            };
            let (cost, first) = reached[&space];
            for way in ways.iter().filter(|way| way.from == space) {
                let stands = spaces[way.to].stands && !spaces[self.wanted].stands;
                let unasked = UNASKED_TURN * self.turned_aside(way) + if stands { UNASKED_STAND } else { 0.0 };
                let cost = cost + way.cost + 0.1 * self.aside(cycle, way) + unasked;
                let known = reached.get(&way.to).map(|(cost, _)| *cost);
                if known.is_none_or(|known| cost < known) {
                    if known.is_none() {
                        open.push(way.to);
                    }
                    reached.insert(way.to, (cost, Some(first.unwrap_or(*way))));
                }
            }
        }
        reached.get(&self.wanted)?.1
    }

    /// Whether a way can be taken now; a mere fade between moving loops does not wait long.
    fn is_in_time(&self, cycle: &Cycle, way: &Way) -> bool {
        match way.ends {
            Some([leave, _]) if way.passage.is_none() && !self.set.spaces[cycle.space].stands => {
                self.is_near(cycle, leave) && cycle.secs_to(&self.set, leave.phase) <= self.patience_secs
            }
            _ => true,
        }
    }

    /// Returns the difference of a way's turn from the requested one.
    fn turned_aside(&self, way: &Way) -> f64 {
        way.passage
            .map_or(0.0, |clip| (self.set.clips[clip].turn - self.goal.turn).abs())
    }

    /// Returns the distance of a way from the character's point, and from the goal.
    fn aside(&self, cycle: &Cycle, way: &Way) -> f64 {
        let set = &self.set;
        let Some([leave, enter]) = way.ends else {
            return 0.0;
        };
        let left = if way.from == cycle.space {
            set.spaces[way.from].distance(cycle.at, leave.at)
        } else {
            0.0
        };
        let to = &set.spaces[way.to];
        let entered = to.distance(to.covered(&set.clips, to.place(&self.met)), enter.at);
        left.min(2.0) + entered.min(2.0)
    }

    fn begun(&mut self, way: Way) -> Plan {
        if let (Source::Cycle(cycle), Some([leave, _])) = (&mut self.source, way.ends)
            && !self.set.spaces[cycle.space].stands
        {
            cycle.goal = leave.at;
        }
        // A goal that changes in every frame must not restart the waiting.
        let before = self.before.filter(|(before, _)| *before == way);
        Plan::Go(way, before.map_or(0.0, |(_, waited)| waited))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::walking;

    fn played(player: &mut SteeredCharacter, secs: f64, rate: f64) -> Vec<PlayerEvent> {
        (0..(secs * rate).round() as usize)
            .flat_map(|_| {
                player.update(1.0 / rate);
                player.events().to_vec()
            })
            .collect()
    }

    fn speed(speed: f64) -> Goal {
        Goal {
            speed,
            ..Goal::default()
        }
    }

    fn switches(events: &[PlayerEvent]) -> Vec<&str> {
        events
            .iter()
            .filter_map(|event| match event {
                PlayerEvent::Switch { to, .. } => Some(to.as_str()),
                PlayerEvent::Foot { .. } => None,
            })
            .collect()
    }

    #[test]
    fn starts_and_stops_lead_to_loops_and_back() {
        let mut player = SteeredCharacter::new(Arc::new(walking(|_| {})));
        assert_eq!(player.playing().name, "idle");
        player.set_goal(speed(2.0));
        let events = played(&mut player, 6.0, 60.0);
        assert_eq!(switches(&events), ["start", "move"]);
        let feet: Vec<&str> = events
            .iter()
            .filter_map(|event| match event {
                PlayerEvent::Foot { foot, .. } => Some(&**foot),
                PlayerEvent::Switch { .. } => None,
            })
            .collect();
        assert!(
            feet.len() > 8 && feet.windows(2).all(|pair| pair[0] != pair[1]),
            "{feet:?}"
        );
        player.set_goal(Goal::default());
        let events = played(&mut player, 6.0, 60.0);
        assert_eq!(switches(&events), ["stop", "idle"]);
    }

    #[test]
    fn who_is_not_asked_to_turn_does_not() {
        let started = |degrees: f64, turn: f64| {
            let set = walking(|manifest| manifest["clips"][3]["turn_deg"] = json!(degrees));
            let mut player = SteeredCharacter::new(Arc::new(set));
            player.set_goal(Goal { turn, ..speed(1.3) });
            switches(&played(&mut player, 3.0, 60.0)).contains(&"start")
        };
        assert!(started(20.0, 0.0) && started(120.0, 2.0));
        assert!(!started(120.0, 0.0));
    }

    #[test]
    fn who_speeds_up_does_not_stop_for_it() {
        // The run is in a space of its own, reached by a stop and a start.
        let set = walking(|manifest| {
            manifest["clips"][3]["to"]["clip"] = json!("run");
            manifest["blend_spaces"][0]["points"].as_array_mut().unwrap().pop();
        });
        let mut player = SteeredCharacter::in_loop(Arc::new(set), "walk").unwrap();
        player.set_goal(speed(3.0));
        let events = played(&mut player, 6.0, 60.0);
        assert_eq!(switches(&events), ["run"]);
    }

    #[test]
    fn frame_rates_lead_to_one_place() {
        let places = [24.0, 60.0, 144.0].map(|rate| {
            let mut player = SteeredCharacter::new(Arc::new(walking(|_| {})));
            player.set_goal(speed(1.3));
            played(&mut player, 5.0, rate);
            player.root().translation
        });
        assert!(
            places.iter().all(|place| place.distance(places[2]) < 2e-3),
            "{places:?}"
        );
    }

    #[test]
    fn the_root_is_the_closed_form_after_a_minute() {
        let set = Arc::new(walking(|_| {}));
        let mut player = SteeredCharacter::in_loop(Arc::clone(&set), "run").unwrap();
        played(&mut player, 60.0, 31.0);
        let meant = set.clips()[2].twist().exp(60.0);
        assert!(player.root().translation.distance(meant.translation) < 1e-9);
    }

    #[test]
    fn a_root_switches_without_overshoot() {
        let set = walking(|manifest| manifest["clips"].as_array_mut().unwrap().truncate(3));
        let mut player = SteeredCharacter::new(Arc::new(set));
        player.set_goal(speed(3.0));
        let (mut last, mut fastest) = (player.root(), 0.0_f64);
        for _ in 0..300 {
            player.update(0.01);
            let step = (last.inverse() * player.root()).translation.length();
            fastest = fastest.max(step / 0.01);
            last = player.root();
        }
        assert!((2.9..3.001).contains(&fastest), "{fastest}");
    }

    #[test]
    fn versions_follow_each_other_in_an_order_of_the_seed() {
        let set = with_version_of(1);
        let order = |seed: u32| {
            let mut player = SteeredCharacter::in_loop(Arc::clone(&set), "walk")
                .unwrap()
                .with_seed(seed);
            (0..40)
                .map(|_| {
                    played(&mut player, 1.1, 100.0);
                    player.playing().clips[0].clip.name.len()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(order(3), order(3));
        assert_ne!(order(3), order(4));
        assert!(order(3).contains(&"walk_v2".len()) && order(3).contains(&"walk".len()));
    }

    /// Returns a set in which a loop has a second version.
    fn with_version_of(clip: usize) -> Arc<MotionSet> {
        Arc::new(walking(|manifest| {
            let mut other = manifest["clips"][clip].clone();
            let name = other["name"].as_str().unwrap().to_owned();
            other["name"] = json!(format!("{name}_v2"));
            other["variant_of"] = json!(name);
            manifest["clips"].as_array_mut().unwrap().push(other);
        }))
    }

    #[test]
    fn versions_of_a_loop_that_takes_no_part_are_no_switches() {
        let mut player = SteeredCharacter::in_loop(with_version_of(2), "walk").unwrap();
        let events = played(&mut player, 20.0, 60.0);
        assert!(switches(&events).is_empty(), "{:?}", switches(&events));
    }

    #[test]
    fn a_step_over_many_cycles_loses_no_time() {
        let set = with_version_of(1);
        let mut player = SteeredCharacter::in_loop(Arc::clone(&set), "walk").unwrap();
        player.update(60.0);
        assert!((player.secs() - 60.0).abs() < 1e-9, "{}", player.secs());
        let meant = set.clips()[1].twist().exp(60.0);
        assert!(player.root().translation.distance(meant.translation) < 1e-9);
    }

    #[test]
    fn feet_between_loops_of_equal_weight_are_those_of_the_first() {
        let set = walking(|manifest| {
            manifest["clips"][2]["seconds"] = json!(1.1);
            for (point, speed) in [(1, 2.0), (2, 4.0)] {
                manifest["clips"][point]["twist"]["linear"][2] = json!(speed);
                manifest["blend_spaces"][0]["points"][point]["at"] = json!([speed]);
            }
        });
        let between = Moment {
            at: [3.0, 0.0],
            phase: 0.0,
        };
        let mut player = SteeredCharacter::starting(Arc::new(set), Cycle::new(0, between));
        let weights: Vec<f64> = player.playing().clips.iter().map(|part| part.weight).collect();
        assert_eq!(weights, [0.5, 0.5]);
        let events = played(&mut player, 4.0, 60.0);
        assert!(
            events.len() > 4
                && events
                    .iter()
                    .all(|event| matches!(event, PlayerEvent::Foot { clip, .. } if &**clip == "walk")),
            "{events:?}"
        );
    }
}
