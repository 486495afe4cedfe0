//! Cuts passages of a set out of the takes between its loops: starts, stops, turns and jumps.

use loopwright_core::{
    Analysis, RootMode,
    candidate::MotionKind,
    math::{TimeStep, ordered},
    root_motion::RootSpace,
};
use loopwright_formats::{
    LoadedTake, Sidecar,
    loop_file::describe,
    loop_file::facts::{CandidateFacts, Grade, PlaybackFacts},
    set::{LoopStateFacts, MadeFrom, Missing, SetClip, SetMade},
};
use loopwright_moves::{
    LoopSet, Passage, PassageKind,
    passage::{self, Looked},
};

use super::{
    Set,
    action::{SetAction, entry},
    fill::described,
    find::TakeLoop,
    member::as_take,
    place_of,
    select::{side_of, way_of},
};
use crate::{
    cut::{foot_names, unique_names},
    passage_check::{check_cut, clip_kind, state_facts},
};
use loopwright_job::{StoredLoop, Studied, Verdict, recipe};

/// A motion that plays once in a set.
#[derive(Clone, Debug)]
pub struct SetPassage {
    /// The passage, under its name.
    pub passage: Passage,
    /// Its origin.
    pub made: SetMade,
    /// The states of the loops in which it begins and ends.
    ends: [LoopStateFacts; 2],
    /// Whether one of them turns while travelling.
    curves: bool,
    /// Their gaits and directions.
    ways: [(MotionKind, &'static str); 2],
    /// Names of the feet of its body.
    feet: Vec<String>,
    /// How well it meets its loops and holds its feet; `None` if it does not form a take.
    verdict: Option<Verdict>,
}

/// The motions of one take that play once: passages, or the take as a whole.
#[derive(Clone, Debug, Default)]
pub struct TakeOnce {
    found: Vec<SetPassage>,
    missing: Vec<(PassageKind, Looked)>,
    action: Option<SetAction>,
}

/// The kinds that takes contain.
const KINDS: [PassageKind; 5] = [
    PassageKind::Start,
    PassageKind::Stop,
    PassageKind::TurnInPlace,
    PassageKind::Turn,
    PassageKind::Jump,
];

/// Finds the passages of a take between the loops of a set ([`Set::loops`]), and those of its mirror image, by these pairs of
/// joints; and the action that it is as a whole.
///
/// An animation of a pack (`is_of_pack`) gives only the kind of passage that its name states, if it states one. A take that cannot be
/// mirrored gives its own passages; one on another skeleton, or that cannot be put onto the character, nothing.
pub fn once_of(studied: &Studied, of_set: (&Set, &LoopSet), is_of_pack: bool, pairs: &[String]) -> TakeOnce {
    TakeOnce {
        action: SetAction::of_take(studied, of_set, is_of_pack),
        ..passages_of(studied, of_set, is_of_pack, pairs).unwrap_or_default()
    }
}

fn passages_of(studied: &Studied, of_set: (&Set, &LoopSet), is_of_pack: bool, pairs: &[String]) -> Option<TakeOnce> {
    let kinds = match studied.analysis.named_motion().kind.filter(|_| is_of_pack) {
        Some(MotionKind::Jump) => &KINDS[4..],
        Some(MotionKind::Walk | MotionKind::Run | MotionKind::Backward | MotionKind::Strafe) => &KINDS[..4],
        Some(MotionKind::TurningWalk | MotionKind::TurnInPlace) => &KINDS[2..4],
        _ if is_of_pack => return Some(TakeOnce::default()),
        _ => &KINDS[..],
    };
    let analysis = studied.analysis_of_loops().ok()?;
    let mut passages = passages_in(&analysis, studied, of_set, kinds, MadeFrom::Take)?;
    let mirror = recipe::mirror(&analysis, pairs).ok();
    let image = mirror
        .and_then(|mirror| Analysis::with(&mirror.take(&analysis.take), analysis.overrides()).ok())
        .and_then(|image| passages_in(&image, studied, of_set, kinds, MadeFrom::Mirror));
    if let Some(image) = image {
        passages.found.extend(image.found);
        passages.missing.extend(image.missing);
    }
    Some(passages)
}

/// Finds the passages of a take on the skeleton of a set; `None` if it has another one.
fn passages_in(
    analysis: &Analysis,
    studied: &Studied,
    (set, loops): (&Set, &LoopSet),
    kinds: &[PassageKind],
    from: MadeFrom,
) -> Option<TakeOnce> {
    let found = passage::find(loops, analysis, kinds).ok()?;
    let facts = studied.facts();
    let entry = |end: &LoopStateFacts| set.entries.iter().find(|entry| entry.name == end.clip);
    let (found_ones, dear): (Vec<SetPassage>, Vec<SetPassage>) =
        Passage::all_from_take(loops, analysis, &found.passages, 1.0 / set.form.fps)
            .ok()?
            .flatten()
            .map(|passage| {
                let ends = passage.ends.map(|end| state_facts(loops, end));
                let feet = foot_names(analysis);
                SetPassage {
                    verdict: check_cut(&passage, loops, &feet, analysis.overrides()),
                    made: SetMade {
                        from,
                        ..SetMade::of_take(&facts, passage.source_frames)
                    },
                    feet,
                    curves: ends
                        .iter()
                        .filter_map(entry)
                        .any(|entry| side_of(entry.member.turn_dps()) != 0),
                    ways: ends.each_ref().map(|end| {
                        entry(end)
                            .filter(|entry| entry.gait != MotionKind::Idle)
                            .map_or((MotionKind::Idle, ""), |entry| (entry.gait, way_of(&entry.member)))
                    }),
                    passage,
                    ends,
                }
            })
            .partition(SetPassage::fits);
    let dear = dear.iter().map(|each| (each.passage.kind, Looked::NoLoopLike));
    Some(TakeOnce {
        missing: found.missing.into_iter().chain(dear).collect(),
        found: found_ones,
        action: None,
    })
}

impl TakeOnce {
    /// Selects the best passages of all takes: for each kind one per side, and per gait at either end; mirror images only if no take shows
    /// that side. Also returns the kinds without a passage, with reasons, and the actions of takes that give no passage.
    pub(super) fn best(all: Vec<Self>) -> (Vec<SetPassage>, Vec<Missing>, Vec<SetAction>) {
        let mut looked: Vec<(PassageKind, Looked)> = Vec::new();
        let mut found: Vec<SetPassage> = Vec::new();
        let mut actions: Vec<SetAction> = Vec::new();
        for each in all {
            looked.extend(each.missing);
            found.extend(each.found);
            actions.extend(each.action);
        }
        // Prefer originals to mirror images, then straight ones to curved ones.
        found.sort_by_key(|each| {
            let is_image = each.made.from != MadeFrom::Take;
            (each.grade(), is_image, each.curves, ordered(each.passage.cost))
        });
        let mut kept: Vec<SetPassage> = Vec::new();
        for each in found {
            if !kept.iter().any(|kept| kept.key() == each.key()) {
                kept.push(each);
            }
        }
        kept.sort_by_key(|each| (each.passage.kind, each.passage.name().to_owned()));
        let names = unique_names(kept.iter().map(SetPassage::plain_name));
        for (each, name) in kept.iter_mut().zip(names) {
            each.passage = each.passage.clone().named(name);
        }
        actions.retain(|action| !kept.iter().any(|kept| place_of(&kept.made) == place_of(&action.made)));
        let missing = missing(&kept, &looked);
        (kept, missing, actions)
    }
}

/// Returns the names of the parts, besides loops, that every set should have.
fn missing(kept: &[SetPassage], looked: &[(PassageKind, Looked)]) -> Vec<Missing> {
    let parts = [
        ("start", PassageKind::Start, 0.0),
        ("stop", PassageKind::Stop, 0.0),
        ("turn_in_place_left", PassageKind::TurnInPlace, 1.0),
        ("turn_in_place_right", PassageKind::TurnInPlace, -1.0),
    ];
    let of_kind = |kind| kept.iter().filter(move |each| each.passage.kind == kind);
    parts
        .into_iter()
        .filter(|&(_, kind, side)| {
            !of_kind(kind).any(|each| match side {
                0.0 => each.passage.turn_steps() == 0,
                side => each.passage.turn() * side >= 0.0,
            })
        })
        .map(|(what, kind, side)| {
            if side == 0.0 && of_kind(kind).next().is_some() {
                return Missing {
                    what: format!("straight {what}"),
                    why: "each that was found turns by more than 22 degrees".to_owned(),
                };
            }
            let why = looked.iter().filter(|(of, _)| *of == kind).map(|(_, why)| *why);
            // A take that does it but fits no loop explains more than takes that never do it.
            let why = why
                .clone()
                .find(|why| !matches!(why, Looked::Never(_)))
                .or_else(|| why.clone().next());
            Missing {
                what: what.to_owned(),
                why: why.map_or_else(
                    || "no take could be searched for it".to_owned(),
                    |why| format!("in no take: {why}"),
                ),
            }
        })
        .collect()
}

/// Largest cost of the ends of a passage, metre-seconds: starts and stops of captured takes cost 0.1 to 0.3, a dance more.
const MOST_COST: f64 = 0.35;

/// Largest turn of a passage, radians (225 degrees); a larger one is another motion.
const MOST_TURN: f64 = 1.25 * core::f64::consts::PI;

impl SetPassage {
    /// Whether it is fit for a set: near to its loops, not a pirouette, and not bad.
    fn fits(&self) -> bool {
        let in_place = self.passage.kind == PassageKind::TurnInPlace;
        let is_near = self.passage.cost <= MOST_COST && self.grade() != Grade::Bad;
        is_near && (in_place || self.passage.turn().abs() <= MOST_TURN)
    }

    fn grade(&self) -> Grade {
        self.verdict.as_ref().map_or(Grade::Bad, |verdict| verdict.grade)
    }

    /// Returns its key; passages of one key serve the same purpose.
    fn key(&self) -> (PassageKind, i32, [(MotionKind, &'static str); 2]) {
        (self.passage.kind, self.passage.turn_steps(), self.ways)
    }

    /// Returns its name without a number: its kind, the gait before or after, and its turn.
    fn plain_name(&self) -> String {
        let [from, to] = self.ways.map(|(gait, way)| described(gait, way, 0));
        let turn = self.passage.turn_words();
        match self.passage.kind {
            PassageKind::Start => format!("start_{to}{turn}"),
            PassageKind::Stop => format!("stop_{from}{turn}"),
            PassageKind::TurnInPlace => format!("turn_in_place{turn}"),
            PassageKind::Turn if from == to => format!("{from}_turn{turn}"),
            PassageKind::Turn => format!("{from}_to_{to}_turn{turn}"),
            PassageKind::Jump if from == to && self.ways[0].0 == MotionKind::Idle => format!("jump{turn}"),
            PassageKind::Jump if from == to => format!("jump_{from}{turn}"),
            PassageKind::Jump | PassageKind::Transition => format!("jump_{from}_to_{to}{turn}"),
        }
    }

    /// Returns its entry in the manifest.
    pub(super) fn clip(&self, written: (&str, Option<String>)) -> SetClip {
        let passage = &self.passage;
        let [from, to] = self.ends.clone();
        let free =
            (!passage.has_held_feet).then(|| "its feet are left free, since no correction holds them".to_owned());
        let reason = self
            .verdict
            .as_ref()
            .filter(|verdict| verdict.grade > Grade::Good)
            .map(|verdict| verdict.reason.clone())
            .or(free);
        SetClip {
            kind: clip_kind(passage.kind),
            from: Some(from),
            to: Some(to),
            grade: Some(match reason {
                Some(_) => self.grade().max(Grade::Review),
                None => Grade::Good,
            }),
            reason,
            made: self.made.clone(),
            ..entry(passage, &self.feet, written)
        }
    }
}

/// Largest joint speed of a still body, metres per second, and the time around a frame within which it must hold, seconds.
const STILL_MPS: f64 = 0.15;
const STILL_SECS: f64 = 0.3;

/// Returns a still body for a set without an idle: the calmest pose of a take in which it stands; `None` if it never does, or if
/// the take cannot be put onto the character.
pub fn stance_of(studied: &Studied) -> Option<TakeLoop> {
    let analysis = studied.analysis_of_loops().ok()?;
    // A body that walks in place does not stand, however slowly it moves between two steps.
    let around = TimeStep::new(studied.take().frame_time_secs()).nearest_from_one(0.5 * STILL_SECS);
    let last = analysis.take.num_frames() - 1;
    let frame = passage::calmest_stands(&analysis).into_iter().find(|frame| {
        let mut frames = frame.saturating_sub(around)..=(frame + around).min(last);
        frames.all(|frame| analysis.speed(frame) < STILL_MPS)
    })?;
    let clip = passage::stance(&analysis, frame, "idle", studied.take().frame_time_secs())
        .ok()?
        .on_turned_root(0.0);
    let goes_into = studied.goes_into();
    let facts = studied.facts();
    let made = SetMade::of_take(&facts, Some([frame as f64; 2]));
    let mode = RootMode::Stationary;
    let sidecar = Sidecar {
        kind: Some(MotionKind::Still.to_string()),
        take: facts.clone(),
        candidate: CandidateFacts {
            start_frame: frame as f64,
            end_frame: frame as f64,
            source_period_secs: clip.period_secs(),
            period_secs: clip.period_secs(),
            cycles: 1,
            ..CandidateFacts::default()
        },
        root_motion: describe::root_motion(clip.root(), mode, RootSpace::Ground),
        playback: PlaybackFacts {
            samples: clip.num_samples(),
            closing_key: true,
            copies: 1,
            carrier_joint: clip.skeleton().joint(clip.carrier()).name.clone(),
            root_joint: studied
                .body_of_loops()
                .root_joint
                .map(|joint| clip.skeleton().joint(joint).name.clone()),
            ..PlaybackFacts::default()
        },
        ..Sidecar::new()
    };
    let stored = StoredLoop {
        file: LoadedTake {
            take: as_take(&clip, mode).ok()?,
            source: goes_into.source.clone(),
            file_sha256: None,
            limits: goes_into.limits,
        },
        clip,
        sidecar,
        facts,
        followed: None,
    };
    Some((stored, made))
}
