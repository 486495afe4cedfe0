//! A passage in a file, measured again: whether it meets the loops that it begins and ends in, and whether its feet stand still.

use glam::{DQuat, DVec3};
use loopwright_core::analysis::{Body, BodyError, Side};
use loopwright_core::loop_clip::Interpolation;
use loopwright_core::math::Rigid;
use loopwright_core::motion::WorldTracks;
use loopwright_core::{BodyOverrides, LoopClip, Take};
use loopwright_formats::loop_file::facts::{CheckFacts, Grade};
use loopwright_moves::Passage;

use crate::cut::{EventFacts, PassageFacts, StateFacts, events};
use crate::set::manifest::{ClipKind, FootEventKind, LoopState, Manifest, SetClip};
use loopwright_job::verdict::{self, CheckId, FOOT_SLIDE_METRES, PassageCheckId, Verdict};

/// What is known of a passage in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageInFile {
    /// What it does, in a word.
    pub kind: String,
    /// The loops that it begins and ends in, by name.
    pub ends: [StateFacts; 2],
    in_place: bool,
    root: Vec<Rigid>,
    events: Vec<EventFacts>,
}

impl From<PassageFacts> for PassageInFile {
    fn from(facts: PassageFacts) -> Self {
        Self {
            kind: facts.kind,
            ends: [facts.from, facts.to],
            in_place: facts.in_place,
            root: transforms(&facts.root.translation_m, &facts.root.rotation_xyzw),
            events: facts.events,
        }
    }
}

impl PassageInFile {
    /// One that is not in a file yet, between loops of these names; `feet` are the names of its feet.
    pub(crate) fn new(passage: &Passage, names: &[String; 2], feet: &[String]) -> Self {
        let state = |end: usize| StateFacts {
            clip: names[end].clone(),
            secs: passage.ends()[end].secs,
        };
        Self {
            kind: passage.kind().to_string(),
            ends: [state(0), state(1)],
            in_place: false,
            root: passage.roots().to_vec(),
            events: events(passage, feet),
        }
    }

    /// A clip of a set; `None` for a loop.
    pub fn of_set(set: &Manifest, clip: &SetClip) -> Option<Self> {
        let state = |state: &Option<LoopState>| {
            let state = state.as_ref()?;
            Some(StateFacts {
                clip: state.clip.clone(),
                secs: state.secs,
            })
        };
        let root = clip.root.as_ref().filter(|_| clip.kind != ClipKind::Loop)?;
        Some(Self {
            kind: clip.kind.as_str().to_owned(),
            ends: [state(&clip.from)?, state(&clip.to)?],
            in_place: set.in_place,
            root: transforms(&root.translation, &root.rotation),
            events: (clip.events.iter())
                .map(|event| EventFacts {
                    secs: event.secs,
                    foot: event.foot.clone(),
                    kind: match event.kind {
                        FootEventKind::Strike => "strike".to_owned(),
                        FootEventKind::Lift => "lift".to_owned(),
                    },
                })
                .collect(),
        })
    }

    /// The root at a key; beyond the last as at the last.
    fn root_at(&self, key: usize) -> Rigid {
        self.root
            .get(key)
            .or(self.root.last())
            .copied()
            .unwrap_or(Rigid::IDENTITY)
    }
}

/// Three and four numbers for each key as transforms. What an edited file may hold that is no rotation turns nothing.
fn transforms(translation: &[f64], rotation: &[f64]) -> Vec<Rigid> {
    let keys = translation.as_chunks().0.iter().zip(rotation.as_chunks().0);
    keys.map(|(&translation, &rotation)| {
        let rotation = DQuat::from_array(rotation);
        let is_sound = rotation.is_finite() && rotation.length() > 0.5;
        Rigid::new(
            if is_sound {
                rotation.normalize()
            } else {
                DQuat::IDENTITY
            },
            DVec3::from_array(translation),
        )
    })
    .collect()
}

/// Judges a passage by its keys and its facts; of `loops`, in which it begins and ends, those that are at hand are compared with it.
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
    let on_floor = |key: usize, joint: usize| match passage.in_place {
        true => passage.root_at(key).transform_point(world.position(key, joint)),
        false => world.position(key, joint),
    };
    let [position, velocity] = worst_joins((written, &world), passage, loops);
    let slide = farthest_slide(written, &body, passage, on_floor);
    let checks = vec![
        position.unwrap_or_else(|| PassageCheckId::JoinPosition.unmeasured()),
        velocity.unwrap_or_else(|| PassageCheckId::JoinVelocity.unmeasured()),
        slide.unwrap_or_else(|| verdict::unmeasured(CheckId::FootSlide)),
    ];
    let verdict = Verdict::of_checks(checks);
    Ok(match verdict.grade {
        Grade::Good if loops.iter().all(Option::is_some) => Verdict {
            reason: "it meets its loops".to_owned(),
            ..verdict
        },
        Grade::Good => Verdict {
            reason: "its feet stand still; loops that it meets are not beside it".to_owned(),
            ..verdict
        },
        _ => verdict,
    })
}

/// The joint that is farthest from its place where the passage meets a loop, and that whose velocity differs most.
fn worst_joins(
    (written, world): (&Take, &WorldTracks),
    passage: &PassageInFile,
    loops: [Option<&LoopClip>; 2],
) -> [Option<CheckFacts>; 2] {
    let last = written.num_frames() - 1;
    let seen = |key: usize, joint: usize| match passage.in_place {
        true => world.position(key, joint),
        false => passage
            .root_at(key)
            .inverse()
            .transform_point(world.position(key, joint)),
    };
    let mut position: Option<CheckFacts> = None;
    let mut velocity: Option<CheckFacts> = None;
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
            let pose = clip.body_pose_at(secs.rem_euclid(clip.period_secs()), Interpolation::Cubic);
            pose.as_ref().world(clip.skeleton()).translations
        });
        for (joint, own) in written.skeleton().joints().iter().enumerate() {
            let Some(of_loop) = clip.skeleton().find(&own.name) else {
                continue;
            };
            let apart = [(key, 0), (inside, 1)].map(|(key, pose)| seen(key, joint) - poses[pose][of_loop]);
            let of_joint = |id: PassageCheckId, value: f64| CheckFacts {
                joint: Some(own.name.clone()),
                time_secs: Some(key as f64 * dt),
                ..id.limits().graded(value, id.unmeasured())
            };
            keep_larger(&mut position, 1e3 * apart[0].length(), |value| {
                of_joint(PassageCheckId::JoinPosition, value)
            });
            keep_larger(&mut velocity, 1e2 * (apart[1] - apart[0]).length() / dt, |value| {
                of_joint(PassageCheckId::JoinVelocity, value)
            });
        }
    }
    [position, velocity]
}

/// Replaces a check by one of a larger value.
fn keep_larger(check: &mut Option<CheckFacts>, value: f64, of: impl Fn(f64) -> CheckFacts) {
    if check.as_ref().is_none_or(|check| check.value < Some(value)) {
        *check = Some(of(value));
    }
}

/// A foot is flat while its lowest joint is less than this above its lowest place in a contact, metres.
const FLAT_METRES: f64 = 0.01;

/// How far a foot slides at most between a strike and a lift while it is flat.
fn farthest_slide(
    written: &Take,
    body: &Body,
    passage: &PassageInFile,
    on_floor: impl Fn(usize, usize) -> DVec3,
) -> Option<CheckFacts> {
    let last = written.num_frames() - 1;
    let key = |secs: f64| ((secs / written.frame_time_secs()).round().max(0.0) as usize).min(last);
    let mut slide: Option<CheckFacts> = None;
    let mut feet: Vec<&str> = passage.events.iter().map(|event| event.foot.as_str()).collect();
    feet.sort_unstable();
    feet.dedup();
    for foot in feet {
        let of_side = foot.parse::<Side>().ok().and_then(|side| {
            let of_side = body.feet.iter().find(|foot| foot.side == Some(side))?;
            Some(of_side.lowest_joint())
        });
        let Some(joint) = of_side.or_else(|| written.skeleton().find(foot)) else {
            continue;
        };
        let mut strike = Some(0);
        let events = passage.events.iter().filter(|event| event.foot == foot);
        let mut contacts = Vec::new();
        for event in events {
            match (event.kind.as_str(), strike) {
                ("strike", _) => strike = Some(key(event.secs)),
                (_, Some(from)) => {
                    contacts.push(from..=key(event.secs));
                    strike = None;
                }
                _ => {}
            }
        }
        contacts.extend(strike.map(|from| from..=last));
        for contact in contacts {
            let places: Vec<DVec3> = contact.clone().map(|key| on_floor(key, joint)).collect();
            let lowest = places.iter().fold(f64::INFINITY, |low, place| low.min(place.y));
            let flat: Vec<DVec3> = (places.into_iter())
                .filter(|place| place.y < lowest + FLAT_METRES)
                .map(|place| place.with_y(0.0))
                .collect();
            let farthest = (flat.iter().enumerate())
                .flat_map(|(at, one)| flat[at..].iter().map(|other| one.distance(*other)))
                .fold(0.0, f64::max);
            keep_larger(&mut slide, 1e3 * farthest, |value| CheckFacts {
                joint: Some(written.skeleton().joint(joint).name.clone()),
                time_secs: Some(*contact.start() as f64 * written.frame_time_secs()),
                ..FOOT_SLIDE_METRES
                    .of_size(1e3)
                    .graded(value, verdict::unmeasured(CheckId::FootSlide))
            });
        }
    }
    slide
}
