//! Sets: converts the loops that takes offer to the loops of one character, in phase, with a manifest that is all a player
//! needs.
//!
//! [`loops_of`] finds what a take offers, [`Member::new`] converts a loop to the form of the set, and [`Set::new`] takes the
//! best of each way to move, mirrors and blends what is missing, and gives names. Each loop is then written
//! ([`Member::ready`]), and [`Set::manifest`] describes the files for a player.

mod action;
mod fill;
mod find;
pub mod godot;
mod member;
mod once;
mod select;
mod space;
mod style;

use std::{collections::BTreeSet, path::Path};

use loopwright_core::analysis::{MotionKind, Side};
use loopwright_formats::{
    Format, Sidecar,
    loop_file::facts::Grade,
    set::{
        ClipKind, Filled, LeftOut, MadeFrom, Manifest, Missing, SET_FORMAT, SET_VERSION, SetClip, SetMade, SetSkeleton,
        SetTransition, SetTwist,
    },
};
use loopwright_moves::{
    LoopSet, Passage, on_one_floor,
    play::{DEFAULT_FADE, PlayError},
};

use crate::cut::unique_names;
use action::most_cost;
use member::foot_of;
use select::{names, select, side_of, way_of};

pub use action::SetAction;
pub use find::{TakeLoop, loop_made_before, loop_of, loops_of};
pub use member::{Member, SetForm};
pub use once::{SetPassage, TakeOnce, once_of, stance_of};
pub use select::{Offered, gait_of};
pub use style::{fits_style, styles};

struct Entry {
    offered: Offered,
    /// The other loops of the set that it is made of, by index, and their shares; none if a take shows it.
    made_of: Vec<(usize, f64)>,
    variant_of: Option<usize>,
}

impl Entry {
    fn new(offered: Offered, made_of: Vec<(usize, f64)>) -> Self {
        Self {
            offered,
            made_of,
            variant_of: None,
        }
    }
}

/// Settings of a set.
#[derive(Clone, Debug)]
pub struct SetRequest {
    /// The form of its loops.
    pub form: SetForm,
    /// Number of loops per way to move, as different as the takes allow, 1 or more.
    pub variants: usize,
    /// Joints that mirror each other although their names do not show it.
    pub pairs: Vec<String>,
}

/// A loop of a set, with its name.
#[derive(Clone, Debug)]
pub struct SetEntry {
    /// Its name.
    pub name: String,
    /// The loop.
    pub member: Member,
    /// Its gait.
    pub gait: MotionKind,
    variant_of: Option<String>,
}

/// The loops of a set.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its loops.
    pub entries: Vec<SetEntry>,
    /// Passages between them.
    pub passages: Vec<SetPassage>,
    /// Actions.
    pub actions: Vec<SetAction>,
    /// Parts that it lacks.
    pub missing: Vec<Missing>,
    filled: Vec<Filled>,
    left_out: Vec<LeftOut>,
    /// Takes that move as a loop does, whether it is theirs or a better one.
    moving: BTreeSet<String>,
    form: SetForm,
}

/// Returns the name of a take; of several in one file, with its animation.
pub(crate) fn called(take: &str, animation: Option<&str>) -> String {
    let format = Path::new(take)
        .extension()
        .and_then(|extension| extension.to_str())
        .and_then(Format::from_extension);
    match animation {
        Some(animation) if format.is_some_and(|format| format.capabilities().holds_animations) => {
            format!("{take}#{animation}")
        }
        _ => take.to_owned(),
    }
}

/// Returns the name of the take that something was made from.
pub(crate) fn place_of(made: &SetMade) -> String {
    called(&made.take, made.animation.as_deref())
}

pub(crate) fn name_of(offered: &Offered) -> String {
    place_of(&offered.member.made)
}

/// Puts the root motion of all loops on one joint: takes decide each for itself whether a joint above the hips moves, but an engine
/// looks for the root motion of all clips in one place.
fn put_on_one_root_joint(offered: &mut [Offered]) {
    let is_of_all = |joint: &String| offered.iter().all(|each| each.member.may_be_carried_by(joint));
    let joint = offered
        .iter()
        .find_map(|each| each.member.stored.sidecar.playback.root_joint.clone().filter(is_of_all));
    for each in offered {
        each.member.put_on_root_joint(joint.as_deref());
    }
}

/// Raises or lowers loops to the floor of the first: each was recorded over its own floor, but they are played one after the other.
fn put_on_one_floor(offered: &mut [Offered], form: &SetForm) {
    let clips = offered.iter().map(|each| each.member.stored.clip.clone()).collect();
    for (each, clip) in offered.iter_mut().zip(on_one_floor(clips, &form.overrides)) {
        each.member.set_clip(clip);
    }
}

impl Set {
    /// Puts a set together from loops on one skeleton.
    pub fn new(mut offered: Vec<Offered>, request: &SetRequest) -> Self {
        let SetRequest { form, variants, pairs } = request;
        put_on_one_root_joint(&mut offered);
        put_on_one_floor(&mut offered, form);
        let mut entries: Vec<Entry> = Vec::new();
        let (taken, dropped) = select(offered);
        let mut alike: Vec<(usize, String)> = Vec::new();
        let mut moving: BTreeSet<String> = dropped.iter().map(name_of).collect();
        for taken in taken {
            let index = entries.len();
            let varied = select::variants(&taken.best, &taken.others, *variants);
            alike.extend(taken.others.iter().map(|other| (index, name_of(other))));
            // A loop that does not travel may also be an action.
            if taken.best.gait != MotionKind::Idle {
                moving.extend(taken.others.iter().map(name_of));
            }
            moving.insert(name_of(&taken.best));
            entries.push(Entry::new(taken.best, Vec::new()));
            entries.extend(varied.into_iter().map(|offered| Entry {
                variant_of: Some(index),
                ..Entry::new(offered, Vec::new())
            }));
        }
        let mut missing = fill::mirror(&mut entries, pairs, form);
        missing.extend(fill::blend(&mut entries, form));
        missing.extend(lacking(&entries));
        let named: Vec<(&Offered, bool)> = entries
            .iter()
            .filter(|entry| entry.variant_of.is_none())
            .map(|entry| (&entry.offered, entry.made_of.is_empty()))
            .collect();
        let mut called = names(&named);
        // Versions are numbered after the loop to which they belong.
        for (index, entry) in entries.iter().enumerate() {
            if let Some(of) = entry.variant_of {
                let number = 2 + entries[..index]
                    .iter()
                    .filter(|other| other.variant_of == Some(of))
                    .count();
                called.insert(index, format!("{}_v{number}", called[of]));
            }
        }
        let filled = entries
            .iter()
            .zip(&called)
            .filter(|(entry, _)| !entry.made_of.is_empty())
            .map(|(entry, name)| Filled {
                clip: name.clone(),
                from: entry.made_of.iter().map(|(index, _)| called[*index].clone()).collect(),
                weights: entry.made_of.iter().map(|(_, share)| *share).collect(),
            })
            .collect();
        let mut told: BTreeSet<String> = entries.iter().map(|entry| name_of(&entry.offered)).collect();
        let mut left_out: Vec<LeftOut> = dropped.iter().map(bad).collect();
        left_out.extend(
            alike
                .iter()
                .filter(|(_, take)| told.insert(take.clone()))
                .map(|(index, take)| LeftOut {
                    take: take.clone(),
                    why: format!("it moves as {} does, which is better", called[*index]),
                }),
        );
        let entries = entries
            .into_iter()
            .zip(&called)
            .map(|(entry, name)| SetEntry {
                name: name.clone(),
                member: entry.offered.member,
                gait: entry.offered.gait,
                variant_of: entry.variant_of.map(|of| called[of].clone()),
            })
            .collect();
        Self {
            entries,
            passages: Vec::new(),
            actions: Vec::new(),
            missing,
            filled,
            left_out,
            moving,
            form: form.clone(),
        }
    }

    /// Returns its loops without other versions, under their names: the loops that passages connect. Errors: there are none.
    pub fn loops(&self) -> Result<LoopSet, PlayError> {
        LoopSet::with(
            self.entries
                .iter()
                .filter(|entry| entry.variant_of.is_none())
                .map(|entry| entry.member.stored.clip.clone().named(entry.name.as_str()))
                .collect(),
            &self.form.overrides,
        )
    }

    /// Adds the best passages of takes, and actions.
    #[must_use]
    pub fn with_once(mut self, of_takes: Vec<TakeOnce>) -> Self {
        let (passages, missing, mut actions) = TakeOnce::best(of_takes);
        let taken: Vec<String> = self
            .entries
            .iter()
            .map(|entry| entry.name.clone())
            .chain(passages.iter().map(|each| each.passage.name().to_owned()))
            .collect();
        let wanted = taken.iter().cloned().chain(actions.iter().map(SetAction::plain_name));
        let names = unique_names(wanted).split_off(taken.len());
        for (action, name) in actions.iter_mut().zip(names) {
            action.action.passage = action.action.passage.clone().named(name);
        }
        self.passages = passages;
        self.actions = actions;
        self.missing.extend(missing);
        self
    }

    /// Returns all that happens once, in the order of the manifest.
    pub fn once(&self) -> impl Iterator<Item = &Passage> {
        self.passages
            .iter()
            .map(|each| &each.passage)
            .chain(self.actions.iter().map(|each| &each.action.passage))
    }

    /// Whether its skeleton has a separate joint for the root motion.
    pub fn has_root_joint(&self) -> bool {
        self.entries
            .first()
            .is_some_and(|entry| entry.member.stored.sidecar.playback.root_joint.is_some())
    }

    /// Returns the manifest of the set as written: with the file and the facts of each loop, and the file and the animation of each clip
    /// that plays once. Errors: the set cannot be played.
    pub fn manifest(
        &self,
        name: &str,
        written: &[(String, Sidecar)],
        once: &[(String, Option<String>)],
        mut left_out: Vec<LeftOut>,
    ) -> Result<Manifest, PlayError> {
        left_out.extend(self.left_out.iter().cloned());
        // A motion that was rejected as a loop, or was not the best one, may still be one that plays once.
        let once_made = || {
            self.passages
                .iter()
                .map(|each| &each.made)
                .chain(self.actions.iter().map(|each| &each.made))
        };
        let placed: BTreeSet<String> = once_made().map(place_of).collect();
        let mut told = BTreeSet::new();
        left_out.retain(|left| !placed.contains(&left.take) && told.insert((left.take.clone(), left.why.clone())));
        let Some(first) = self.entries.first() else {
            return Err(PlayError::NoLoops);
        };
        let playback = written.first().map(|(_, facts)| &facts.playback);
        let clip = &first.member.stored.clip;
        let joint = |joint: usize| clip.skeleton().joint(joint).name.clone();
        let [left_foot, right_foot] = [Side::Left, Side::Right]
            .map(|side| foot_of(&first.member.body, side).map(|foot| joint(foot.lowest_joint())));
        let made = self.entries.iter().map(|entry| &entry.member.made).chain(once_made());
        let (of_passages, of_actions) = once.split_at(self.passages.len());
        let transitions = self.transitions()?;
        let most = most_cost(self, &transitions);
        let licences: BTreeSet<String> = made.filter_map(|made| made.licence.clone()).collect();
        let loops = self.entries.iter().zip(written);
        let passages = self.passages.iter().zip(of_passages);
        let actions = self.actions.iter().zip(of_actions);
        Ok(Manifest {
            loopwright: env!("CARGO_PKG_VERSION").to_owned(),
            format: SET_FORMAT.to_owned(),
            version: SET_VERSION,
            name: name.to_owned(),
            fps: self.form.fps,
            root_joint: playback.and_then(|playback| playback.root_joint.clone()),
            in_place: !self.form.mode().moves_root(),
            skeleton: SetSkeleton {
                joints: clip.skeleton().num_joints(),
                hips: joint(first.member.body.hips),
                left_foot,
                right_foot,
                carrier: joint(clip.carrier()),
            },
            clips: loops
                .map(|(entry, (file, facts))| entry.clip(file, facts))
                .chain(passages.map(|(each, (file, name))| each.clip((file, name.clone()))))
                .chain(actions.map(|(each, (file, name))| each.clip(self, most, (file, name.clone()))))
                .collect(),
            blend_spaces: space::spaces(&self.entries),
            transitions,
            controller: None,
            licences: licences.into_iter().collect(),
            missing: self.missing.clone(),
            filled: self.filled.clone(),
            left_out,
        })
    }

    /// Finds the cheapest jump from each loop into each other.
    fn transitions(&self) -> Result<Vec<SetTransition>, PlayError> {
        let clips = self
            .entries
            .iter()
            .map(|entry| entry.member.stored.clip.clone())
            .collect();
        let set = LoopSet::with(clips, &self.form.overrides)?.prepared(DEFAULT_FADE)?;
        let mut transitions = Vec::new();
        for (from, left) in self.entries.iter().enumerate() {
            for (to, entered) in self.entries.iter().enumerate() {
                if from == to {
                    continue;
                }
                let jump = set.jump(from, to, DEFAULT_FADE)?;
                transitions.push(SetTransition {
                    from: left.name.clone(),
                    to: entered.name.clone(),
                    leave_secs: jump.exit_secs,
                    enter_secs: jump.entry.secs,
                    fade: DEFAULT_FADE.kind().to_string(),
                    fade_secs: DEFAULT_FADE.secs(),
                    cost: jump.entry.cost,
                });
            }
        }
        Ok(transitions)
    }
}

/// Reports a loop that is too bad for a set.
fn bad(offered: &Offered) -> LeftOut {
    let member = &offered.member;
    let reason = member.stored.sidecar.quality.reason.clone().unwrap_or_default();
    let frames = member
        .made
        .frames
        .map_or_else(String::new, |[start, end]| format!(" of frames {start:.0}-{end:.0}"));
    LeftOut {
        take: member.made.take.clone(),
        why: format!("the loop{frames} is bad: {reason}"),
    }
}

/// Returns the essential parts that a set lacks.
fn lacking(entries: &[Entry]) -> Vec<Missing> {
    let has = |gaits: &[MotionKind], side: Option<i8>| {
        entries.iter().any(|entry| {
            let member = &entry.offered.member;
            gaits.contains(&entry.offered.gait)
                && (entry.offered.gait == MotionKind::Idle || way_of(member).is_empty())
                && side.is_none_or(|side| side_of(member.turn_dps()) == side)
        })
    };
    let goes = [MotionKind::Walk, MotionKind::Run];
    let parts = [
        (
            "idle",
            has(&[MotionKind::Idle], None),
            "no take stands still for long enough to loop",
        ),
        (
            "walk",
            has(&goes, Some(0)),
            "no take walks or runs straight ahead for two cycles",
        ),
        ("walk_left", has(&goes, Some(1)), "no take turns while it walks or runs"),
        (
            "walk_right",
            has(&goes, Some(-1)),
            "no take turns while it walks or runs",
        ),
    ];
    parts
        .into_iter()
        .filter(|(_, there, _)| !there)
        .map(|(what, _, why)| Missing {
            what: what.to_owned(),
            why: why.to_owned(),
        })
        .collect()
}

impl SetEntry {
    /// Returns its entry in the manifest.
    fn clip(&self, file: &str, facts: &Sidecar) -> SetClip {
        let member = &self.member;
        let (clip, twist) = (&member.stored.clip, member.twist());
        let quality = &facts.quality;
        SetClip {
            name: self.name.clone(),
            file: file.to_owned(),
            animation: facts.playback.animation.clone(),
            kind: ClipKind::Loop,
            gait: Some(self.gait),
            seconds: clip.period_secs(),
            frames: clip.num_samples(),
            phase: Some(member.phase),
            speed_mps: Some(member.speed_mps()),
            direction_deg: Some(member.direction_deg()),
            turn_rate_dps: Some(member.turn_dps()),
            climb_mps: Some(twist.linear.y),
            twist: Some(SetTwist {
                linear: twist.linear.to_array(),
                angular: twist.angular.to_array(),
            }),
            events: member.events.clone(),
            grade: quality.grade,
            reason: if member.is_speed_guessed {
                Some("its speed and direction are guessed from the foot that is lowest: it runs in place".to_owned())
            } else if member.is_one_pose() {
                Some("one still pose: no take stands for long enough to loop".to_owned())
            } else {
                quality.reason.clone().filter(|_| quality.grade != Some(Grade::Good))
            },
            variant_of: self.variant_of.clone(),
            made: match member.made.from {
                MadeFrom::Blend => SetMade {
                    animation: None,
                    ..member.made.clone()
                },
                _ => member.made.clone(),
            },
            ..SetClip::default()
        }
    }
}
