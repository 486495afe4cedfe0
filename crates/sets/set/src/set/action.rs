//! Actions of a set: whole takes that are no loop of it, such as attacks, hits and gestures.

use loopwright_core::{
    candidate::MotionKind,
    math::{ordered, smallest},
};
use loopwright_formats::{
    loop_file::facts::Grade,
    set::{ClipKind, LoopStateFacts, RootKeys, SetClip, SetMade, SetTransition},
};
use loopwright_moves::{
    LoopSet, Passage,
    passage::{Action, LoopState},
};

use super::{Set, place_of};
use crate::{cut::foot_names, passage_check::events};
use loopwright_job::Studied;

/// Largest cost of a pose following another, metre-seconds, and as a multiple of the cost of the cheapest jump out of an idle, which grows
/// with body and joints: above both, one does not lead to the other.
const MOST_COST: f64 = 0.4;
const MOST_JUMPS: f64 = 1.2;

/// A motion that ends at most this many times as far from a loop as it begins counts as ending equally near.
const RETURNS: f64 = 1.2;

/// Returns the largest cost of a pose after another in a set.
pub(super) fn most_cost(set: &Set, transitions: &[SetTransition]) -> f64 {
    let rests = |name: &str| {
        set.entries
            .iter()
            .any(|entry| entry.name == name && entry.gait == MotionKind::Idle)
    };
    let cheapest = smallest(
        transitions
            .iter()
            .filter(|jump| rests(&jump.from) && !rests(&jump.to))
            .map(|jump| jump.cost),
    );
    if cheapest.is_finite() {
        MOST_COST.max(MOST_JUMPS * cheapest)
    } else {
        MOST_COST
    }
}

/// Largest step of a joint while an action fades, as a multiple of the largest step in it and in the loops around it.
const MOST_FADE_STEP: f64 = 1.2;

/// Words in names of actions, in lower case.
const WORDS: [(ClipKind, &str); 4] = [
    (ClipKind::Death, "death die dies dying dead"),
    (
        ClipKind::Attack,
        "attack attacks slash slice chop stab punch kick bite shoot shooting throw cast casting spellcast spellcasting headbut butt strike",
    ),
    (ClipKind::Hit, "hit hits hurt damage knockback stagger impact"),
    (
        ClipKind::Gesture,
        "wave waves cheer yes no nod clap bow salute taunt emote thumbs thumbsup dance talk point greet bark howl",
    ),
];

/// An action of a set.
#[derive(Clone, Debug)]
pub struct SetAction {
    /// The motion, under its name.
    pub action: Action,
    /// Its origin.
    pub made: SetMade,
    /// The names of the loops that it was compared with.
    loops: Vec<String>,
    /// Names of the feet of its body.
    feet: Vec<String>,
}

/// Returns the manifest's entry for any motion that plays once.
pub(super) fn entry(passage: &Passage, feet: &[String], (file, animation): (&str, Option<String>)) -> SetClip {
    SetClip {
        name: passage.name().to_owned(),
        file: file.to_owned(),
        animation,
        seconds: passage.duration_secs(),
        frames: passage.num_samples() - 1,
        turn_deg: Some(passage.turn().to_degrees() + 0.0),
        travel_m: Some(passage.travel().to_array().map(|metres| metres + 0.0)),
        cost: Some(passage.cost),
        root: Some(RootKeys::new(passage.step_secs(), passage.roots())),
        events: events(passage, feet),
        ..SetClip::default()
    }
}

/// Returns a name in lower case with its words joined by `_`; the part before a bar names the armature and is dropped.
fn in_snake_case(name: &str) -> String {
    let name = name.rsplit('|').next().unwrap_or(name);
    let (mut snake, mut before) = (String::new(), ' ');
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if begins || !letter.is_alphanumeric() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase().filter(|letter| letter.is_alphanumeric()));
        before = letter;
    }
    snake.trim_matches('_').to_owned()
}

impl SetAction {
    /// Takes the whole of a take that is no loop of the set: any animation of a pack that moves but does not travel on, or another take if
    /// its name says that it is a single action.
    pub(super) fn of_take(studied: &Studied, (set, loops): (&Set, &LoopSet), is_of_pack: bool) -> Option<Self> {
        let named = studied.analysis.named_motion().kind;
        let is_wanted = match named {
            Some(kind) if kind.travels() => false,
            Some(MotionKind::OneShot | MotionKind::Jump) => true,
            _ => is_of_pack,
        };
        let facts = studied.facts();
        let made = SetMade::of_take(&facts, None);
        if !is_wanted || set.moving.contains(&place_of(&made)) || studied.analysis.activity.is_still() {
            return None;
        }
        let analysis = studied.analysis_of_loops().ok()?;
        let action = Action::new(loops, &analysis, 1.0 / set.form.fps).ok()?;
        Some(Self {
            made: SetMade {
                frames: action.passage.source_frames,
                ..made
            },
            loops: loops.loops().iter().map(|clip| clip.name().to_owned()).collect(),
            feet: foot_names(&analysis),
            action,
        })
    }

    /// Returns its name without a number: that of the animation or the file.
    pub(super) fn plain_name(&self) -> String {
        let take = &self.made.take;
        let stem = std::path::Path::new(take)
            .file_stem()
            .map_or_else(|| take.into(), |stem| stem.to_string_lossy());
        let name = in_snake_case(self.made.animation.as_deref().unwrap_or(&stem));
        if name.is_empty() { "action".to_owned() } else { name }
    }

    fn kind(&self) -> ClipKind {
        let name = self.plain_name();
        WORDS
            .iter()
            .find(|(_, words)| name.split('_').any(|own| words.split(' ').any(|word| word == own)))
            .map_or(ClipKind::Action, |(kind, _)| *kind)
    }

    fn state(&self, state: LoopState) -> LoopStateFacts {
        LoopStateFacts {
            clip: self.loops[state.loop_index].clone(),
            secs: state.secs,
        }
    }

    /// Returns what may follow: loops if it ends near one, the nearest first, and then other actions.
    ///
    /// An action that begins far from all loops and ends equally far returns to them too, unless another action leads to it: a howl does, a
    /// sleep does not.
    fn next(&self, set: &Set, most: f64) -> Vec<LoopStateFacts> {
        let mut loops = self.action.next.clone();
        loops.sort_by_key(|(_, cost)| ordered(*cost));
        let exit = loops.first().map_or(f64::INFINITY, |first| first.1);
        let name = |action: &Self| action.action.passage.name().to_owned();
        let goes_back = exit <= RETURNS * self.action.entry_cost
            && !set
                .actions
                .iter()
                .any(|other| name(other) != name(self) && other.action.cost_before(&self.action) <= most);
        loops.retain(|_| exit <= most || goes_back);
        let others = set
            .actions
            .iter()
            .filter(|other| other.action.entry_cost > most && self.action.cost_before(&other.action) <= most)
            .map(|other| LoopStateFacts {
                clip: name(other),
                secs: 0.0,
            });
        loops
            .into_iter()
            .map(|(state, _)| self.state(state))
            .chain(others)
            .collect()
    }

    /// Returns its entry in the manifest.
    pub(super) fn clip(&self, set: &Set, most: f64, written: (&str, Option<String>)) -> SetClip {
        let action = &self.action;
        let begins = self.state(action.passage.ends[0]);
        let [fade_secs, fade_step] = action.fade;
        let shows = fade_step > MOST_FADE_STEP;
        SetClip {
            kind: self.kind(),
            entry: (action.entry_cost <= most).then_some(begins),
            next: self.next(set, most),
            leave_secs: Some(action.leave_secs),
            fade_secs: Some(fade_secs),
            grade: Some(if shows { Grade::Review } else { Grade::Good }),
            reason: shows.then(|| {
                format!(
                    "in a fade of {fade_secs:.1} s a joint steps {fade_step:.1} times as far as in the action and in the loops around it, whose \
                     poses are too far from each other"
                )
            }),
            made: self.made.clone(),
            ..entry(&action.passage, &self.feet, written)
        }
    }
}
