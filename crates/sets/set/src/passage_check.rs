//! Measures a passage in a file: whether it meets its loops, and whether its feet stand still.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, LoopClip, Skeleton, Take,
    analysis::{Body, BodyError, FootEventKind, Side},
    loop_clip::Interpolation,
    math::{Rigid, greatest, ops, rotation, smallest},
    motion::WorldTracks,
};
use loopwright_formats::{
    loop_file::facts::{CheckFacts, Grade, Unmeasured},
    set::{ClipKind, FootEventFacts, LoopStateFacts, Manifest, PassageFacts, SetClip},
};
use loopwright_moves::{LoopSet, Passage, PassageKind, passage::LoopState};

use loopwright_job::{
    checks::{Check, CheckId, LimitsFrom},
    verdict::Verdict,
};

loopwright_job::checks! {
    /// Checks of passages alone; their feet are checked like those of loops.
    pub enum PassageCheckId: fn(&Join) -> f64 {
        /// Its ends are poses of its loops.
        JoinPosition = JOIN_POSITION,
        /// Its ends have the velocities of its loops.
        JoinVelocity = JOIN_VELOCITY,
    }
}

const CUT_AGAIN: &str = "`loopwright cut` between the loops as they are now";

loopwright_job::check_rows! {
    of fn(&Join) -> f64;

    JOIN_POSITION {
        id: "join-position",
        measures: "how far a joint at the first or last key is from where the loop has it there, seen from the root",
        unit: "mm",
        limits: LimitsFrom::fixed(2.0, 10.0),
        cure: CUT_AGAIN,
        reason: |check| {
            let (joint, value, end) = words(check);
            format!("{joint} jumps by {value:.0} mm {end}")
        },
        measure: |join| 1e3 * join.apart[0].length(),
    }

    JOIN_VELOCITY {
        id: "join-velocity",
        measures: "difference of its speed there, over one frame",
        unit: "cm/s",
        limits: LimitsFrom::fixed(35.0, 70.0),
        cure: CUT_AGAIN,
        reason: |check| {
            let (joint, value, end) = words(check);
            format!("{joint} changes its speed by {value:.0} cm/s {end}")
        },
        measure: |join| 1e2 * (join.apart[1] - join.apart[0]).length() / join.step_secs,
    }
}

/// Returns the joint of a check, its value, and the end at which it was found, for its reason.
fn words(check: &CheckFacts) -> (&str, f64, &'static str) {
    let end = match check.time_secs {
        Some(secs) if secs > 0.0 => "where it ends",
        _ => "where it begins",
    };
    let joint = check.joint.as_deref().unwrap_or("a joint");
    (joint, check.value.unwrap_or_default(), end)
}

/// A joint at an end of a passage.
struct Join {
    joint: usize,
    /// The first key or the last.
    key: usize,
    /// Offset of its position from the loop's, at that key and one frame inside, metres.
    apart: [DVec3; 2],
    step_secs: f64,
}

impl PassageCheckId {
    /// Returns the check of the worst joint and end; without a value if no loop is available.
    fn worst(self, joins: &[Join], skeleton: &Skeleton) -> CheckFacts {
        let Check { row, measure } = self.check();
        let Some((value, join)) = joins
            .iter()
            .map(|join| (measure(join), join))
            .reduce(|worst, next| if worst.0 < next.0 { next } else { worst })
        else {
            return row.unmeasured(Unmeasured::Unknown);
        };
        CheckFacts {
            joint: Some(skeleton.joint(join.joint).name.clone()),
            time_secs: Some(join.key as f64 * join.step_secs),
            ..row.graded(value, 1.0)
        }
    }
}

/// Converts the kind of a passage to that of a clip.
pub fn clip_kind(kind: PassageKind) -> ClipKind {
    match kind {
        PassageKind::Start => ClipKind::Start,
        PassageKind::Stop => ClipKind::Stop,
        PassageKind::TurnInPlace => ClipKind::TurnInPlace,
        PassageKind::Turn => ClipKind::Turn,
        PassageKind::Jump => ClipKind::Jump,
        PassageKind::Transition => ClipKind::Transition,
    }
}

/// Returns a state of a loop under the loop's name.
pub(crate) fn state_facts(loops: &LoopSet, LoopState { loop_index, secs }: LoopState) -> LoopStateFacts {
    LoopStateFacts {
        clip: loops.loops()[loop_index].name().to_owned(),
        secs,
    }
}

/// Returns when the feet of a passage touch down and lift; `feet` are their names, for unknown sides.
pub(crate) fn events(passage: &Passage, feet: &[String]) -> Vec<FootEventFacts> {
    passage
        .events
        .iter()
        .map(|event| FootEventFacts {
            secs: event.secs,
            phase: None,
            foot: event
                .side
                .map_or_else(|| feet[event.foot].clone(), |side| side.to_string()),
            kind: event.kind,
        })
        .collect()
}

/// The facts of a passage in a file.
#[value]
pub struct PassageInFile {
    /// Its kind.
    pub kind: ClipKind,
    /// The loops in which it begins and ends, by name.
    pub ends: [LoopStateFacts; 2],
    in_place: bool,
    root: Vec<Rigid>,
    events: Vec<FootEventFacts>,
}

impl From<PassageFacts> for PassageInFile {
    fn from(facts: PassageFacts) -> Self {
        Self {
            kind: facts.kind,
            ends: [facts.from, facts.to],
            in_place: facts.in_place,
            root: facts.root.transforms(DQuat::IDENTITY),
            events: facts.events,
        }
    }
}

impl PassageInFile {
    /// Returns the distance of its root over the ground from first to last, metres, and its turn on the way, radians, left positive.
    pub fn travel_and_turn(&self) -> (f64, f64) {
        let (Some(first), Some(last)) = (self.root.first(), self.root.last()) else {
            return (0.0, 0.0);
        };
        let turns = self
            .root
            .windows(2)
            .map(|step| rotation::yaw_of(step[0].rotation.conjugate() * step[1].rotation));
        (ops::over_ground(last.translation - first.translation), turns.sum())
    }

    /// Describes a passage that is not in a file yet, between loops of a set; `feet` are the names of its feet.
    fn new(passage: &Passage, loops: &LoopSet, feet: &[String]) -> Self {
        Self {
            kind: clip_kind(passage.kind),
            ends: passage.ends.map(|end| state_facts(loops, end)),
            in_place: false,
            root: passage.roots().to_vec(),
            events: events(passage, feet),
        }
    }

    /// Describes a clip of a set; `None` for a loop.
    pub fn of_set(set: &Manifest, clip: &SetClip) -> Option<Self> {
        let root = clip.root.as_ref().filter(|_| !clip.is_loop())?;
        Some(Self {
            kind: clip.kind,
            ends: [clip.from.clone()?, clip.to.clone()?],
            in_place: set.in_place,
            root: root.transforms(DQuat::IDENTITY),
            events: clip.events.clone(),
        })
    }

    /// Returns the root at a key; the last one beyond the end.
    fn root_at(&self, key: usize) -> Rigid {
        self.root
            .get(key)
            .or(self.root.last())
            .copied()
            .unwrap_or(Rigid::IDENTITY)
    }

    /// Converts a position at a key of the file to one relative to the root.
    fn seen(&self, key: usize, place: DVec3) -> DVec3 {
        if self.in_place {
            place
        } else {
            self.root_at(key).inverse().transform_point(place)
        }
    }
}

/// Checks a passage that is not in a file yet; `feet` are the names of its feet. `None` if it forms no take.
pub(crate) fn check_cut(
    passage: &Passage,
    loops: &LoopSet,
    feet: &[String],
    overrides: &BodyOverrides,
) -> Option<Verdict> {
    let clips = passage.ends.map(|end| &loops.loops()[end.loop_index]);
    let known = PassageInFile::new(passage, loops, feet);
    check_passage(&passage.to_take().ok()?, &known, clips.map(Some), overrides).ok()
}

/// Checks a passage by its keys and its facts; `loops` are the loops in which it begins and ends, as far as they are available.
///
/// Errors: joints that the caller names do not exist.
pub fn check_passage(
    written: &Take,
    passage: &PassageInFile,
    loops: [Option<&LoopClip>; 2],
    overrides: &BodyOverrides,
) -> Result<Verdict, BodyError> {
    let body = Body::find(written, overrides)?;
    let world = written.world_tracks();
    let joins = joins(written, passage, loops, &world);
    let slide = farthest_slide(written, &body, passage, &world);
    let mut checks: Vec<CheckFacts> = PassageCheckId::ALL
        .into_iter()
        .map(|id| id.worst(&joins, written.skeleton()))
        .collect();
    checks.push(slide.unwrap_or_else(|| CheckId::FootSlide.row().unmeasured(Unmeasured::NotApplicable)));
    let mut verdict = Verdict::of_checks(checks, |id| PassageCheckId::row_of(id).or_else(|| CheckId::row_of(id)));
    if verdict.grade == Grade::Good {
        verdict.reason = match loops {
            [Some(_), Some(_)] => "it meets its loops".to_owned(),
            _ => "its feet stand still; loops that it meets are not beside it".to_owned(),
        };
    }
    Ok(verdict)
}

/// Compares the joints at the ends of a passage with those of the available loops.
fn joins(written: &Take, passage: &PassageInFile, loops: [Option<&LoopClip>; 2], world: &WorldTracks) -> Vec<Join> {
    let last = written.num_frames() - 1;
    let mut joins = Vec::new();
    let dt = written.frame_time_secs();
    for (end, clip) in loops.iter().enumerate() {
        let Some(clip) = clip else { continue };
        let (key, inside, step) = if end == 0 {
            (0, 1.min(last), dt)
        } else {
            (last, last.saturating_sub(1), -dt)
        };
        let secs = passage.ends[end].secs;
        let poses = [secs, secs + step].map(|secs| {
            clip.body_pose_at(secs.rem_euclid(clip.period_secs()), Interpolation::Cubic)
                .as_ref()
                .world(clip.skeleton())
                .translations
        });
        for (joint, own) in written.skeleton().joints().iter().enumerate() {
            let Some(of_loop) = clip.skeleton().find(&own.name) else {
                continue;
            };
            let apart = [(key, 0), (inside, 1)]
                .map(|(key, pose)| passage.seen(key, world.position(key, joint)) - poses[pose][of_loop]);
            joins.push(Join {
                joint,
                key,
                apart,
                step_secs: dt,
            });
        }
    }
    joins
}

/// A foot is flat while its lowest joint is less than this above its lowest position in a contact, metres.
const FLAT_METRES: f64 = 0.01;

/// Returns the largest slide of a foot between a strike and a lift while it is flat.
fn farthest_slide(written: &Take, body: &Body, passage: &PassageInFile, world: &WorldTracks) -> Option<CheckFacts> {
    let last = written.num_frames() - 1;
    let key = |secs: f64| ((secs / written.frame_time_secs()).round().max(0.0) as usize).min(last);
    let mut slide: Option<CheckFacts> = None;
    let mut feet: Vec<&str> = passage.events.iter().map(|event| event.foot.as_str()).collect();
    feet.sort_unstable();
    feet.dedup();
    for foot in feet {
        let Some(joint) = foot
            .parse::<Side>()
            .ok()
            .and_then(|side| Some(body.feet.iter().find(|foot| foot.side == Some(side))?.lowest_joint()))
            .or_else(|| written.skeleton().find(foot))
        else {
            continue;
        };
        let mut strike = Some(0);
        let events = passage.events.iter().filter(|event| event.foot == foot);
        let mut contacts = Vec::new();
        for event in events {
            match (event.kind, strike) {
                (FootEventKind::Strike, _) => strike = Some(key(event.secs)),
                (FootEventKind::Lift, Some(from)) => {
                    contacts.push(from..=key(event.secs));
                    strike = None;
                }
                _ => {}
            }
        }
        contacts.extend(strike.map(|from| from..=last));
        for contact in contacts {
            let places: Vec<DVec3> = contact
                .clone()
                .map(|key| {
                    let place = world.position(key, joint);
                    // Over the floor, on which the root moves.
                    if passage.in_place {
                        passage.root_at(key).transform_point(place)
                    } else {
                        place
                    }
                })
                .collect();
            let lowest = smallest(places.iter().map(|place| place.y));
            let flat: Vec<DVec3> = places
                .into_iter()
                .filter(|place| place.y < lowest + FLAT_METRES)
                .map(|place| place.with_y(0.0))
                .collect();
            let apart = flat
                .iter()
                .enumerate()
                .flat_map(|(at, one)| flat[at..].iter().map(|other| one.distance(*other)));
            let millimetres = 1e3 * greatest(apart);
            if slide.as_ref().is_none_or(|slide| slide.value < Some(millimetres)) {
                slide = Some(CheckFacts {
                    joint: Some(written.skeleton().joint(joint).name.clone()),
                    time_secs: Some(*contact.start() as f64 * written.frame_time_secs()),
                    ..CheckId::FootSlide.row().graded(millimetres, 1.0)
                });
            }
        }
    }
    slide
}
