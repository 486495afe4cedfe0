//! A loop of a set: at the rate of the set, starting half through the left foot's contact, at the origin and facing forward.

use core::f64::consts::{FRAC_PI_2, PI};

use glam::DVec3;
use loopwright_core::{
    BodyOverrides, LoopClip, RootMode, Skeleton, Take,
    analysis::{Body, Foot, FootEventKind, Side},
    candidate::MotionKind,
    math::{Twist, greatest, ops, ordered, percentile, rotation},
    motion::SkeletonDifference,
    take::TakeError,
};
use loopwright_formats::{
    Format, LoadedTake, Sidecar, Source, Target,
    loop_file::facts::{CandidateFacts, FeetFacts, PlaybackFacts},
    loop_file::{DerivedLoop, RetargetOrigin, describe},
    set::{FootEventFacts, MadeFrom, SetMade, SetPhase},
};
use loopwright_moves::blend::PhaseMap;

use crate::cut::adds_root;
use loopwright_job::{Authored, LoopOfLoops, StoredLoop, StoredLoopError, without_animations};

/// The form that all clips of a set have in common.
#[derive(Clone, Debug)]
pub struct SetForm {
    /// Frames per second.
    pub fps: f64,
    /// The engine that it is written for.
    pub target: Option<Target>,
    /// The format of the files.
    pub format: Format,
    /// Joints named by the caller.
    pub overrides: BodyOverrides,
}

impl SetForm {
    pub(crate) fn engine(&self) -> Target {
        self.target.unwrap_or(Target::Generic)
    }

    /// Returns the root mode of the files.
    pub fn mode(&self) -> RootMode {
        self.engine().choices().root.unwrap_or_default()
    }

    /// Whether files get a joint for the root motion, if the skeleton has none.
    pub fn adds_root(&self, has_root_joint: bool) -> bool {
        adds_root(self.engine(), self.format, has_root_joint)
    }

    /// Returns the form of the file of a loop in the format of the set, without the other contents of that file.
    pub fn source(&self, stored: &StoredLoop) -> Source {
        let file = &stored.file;
        let placed = self.engine().placed(file.source.in_format(self.format, &file.take));
        without_animations(placed)
    }
}

/// A loop of a set.
#[derive(Clone, Debug)]
pub struct Member {
    /// The loop as it is in the set; its facts are those of its source, apart from changes.
    pub stored: StoredLoop,
    /// Its body.
    pub body: Body,
    /// Its phase.
    pub phase: SetPhase,
    /// When its feet touch down and lift.
    pub events: Vec<FootEventFacts>,
    /// Its origin.
    pub made: SetMade,
    /// Whether its speed is estimated from the lowest foot, because nothing else shows it.
    pub is_speed_guessed: bool,
}

impl Member {
    /// Converts a loop to the form of a set. Errors: its body is not found, or it follows a path that cannot be undone.
    pub fn new(stored: StoredLoop, made: SetMade, form: &SetForm) -> Result<Self, StoredLoopError> {
        let body = Body::find(&stored.file.take, &form.overrides)?;
        let clip = stored.clip.clone().on_screw().unwrap_or_else(|_| stored.clip.clone());
        let feet = stored.sidecar.feet.clone().unwrap_or_default();
        let start_secs = foot_of(&body, Side::Left)
            .and_then(|foot| mid_stance(&feet, clip.skeleton(), foot))
            .unwrap_or(0.0);
        let step_secs = 1.0 / form.fps;
        let num_samples = ((clip.period_secs() / step_secs).round() as usize).max(3);
        let slower = num_samples as f64 * step_secs / clip.period_secs();
        let feet = retimed(feet, start_secs, slower, clip.period_secs());
        let seam_secs = stored.sidecar.playback.seam_sample as f64 * clip.step_secs() - start_secs;
        let clip = clip.retimed_from(start_secs, num_samples, step_secs);
        let guessed = guessed_velocity(&stored.sidecar, &clip, &body);
        let clip = match guessed {
            Some(velocity) => clip.with_twist(Twist::new(velocity, DVec3::ZERO)),
            None => clip,
        };
        let mode = match stored.sidecar.root_motion.mode {
            RootMode::Stationary => RootMode::Stationary,
            _ => form.mode(),
        };
        let space = stored.sidecar.root_motion.space;
        let sideways = (kind_of(&stored.sidecar) == Some(MotionKind::Strafe) && stored.sidecar.in_place)
            .then(|| ahead_of_strafe(&clip, made.animation.as_deref(), made.from == MadeFrom::Mirror))
            .flatten();
        let clip = match sideways {
            Some(ahead) => clip.on_turned_root(ahead),
            None => clip.recentered(&body, mode, space).clip,
        };
        let seam_sample = (seam_secs * slower / step_secs).round().rem_euclid(num_samples as f64) as usize;
        let sidecar = facts_in_set(stored.sidecar, &clip, feet, seam_sample, mode);
        let (phase, events) = timing(sidecar.feet.as_ref(), &clip, &body);
        let file = LoadedTake {
            take: as_take(&clip, mode).unwrap_or(stored.file.take),
            ..stored.file
        };
        Ok(Self {
            stored: StoredLoop {
                clip,
                file,
                sidecar,
                ..stored
            },
            body,
            phase,
            events,
            made,
            is_speed_guessed: guessed.is_some(),
        })
    }

    /// Whether a joint is above all that moves, so that it can carry the root motion.
    pub(super) fn may_be_carried_by(&self, joint: &str) -> bool {
        let clip = &self.stored.clip;
        clip.skeleton()
            .find(joint)
            .is_some_and(|joint| clip.skeleton().path_from_root(clip.carrier()).contains(&joint))
    }

    /// Puts its root motion on the root joint of the set, or on one to be added if it has none.
    pub(super) fn put_on_root_joint(&mut self, joint: Option<&str>) {
        let stored = &mut self.stored;
        let playback = &mut stored.sidecar.playback;
        playback.root_joint = joint.map(ToOwned::to_owned);
        let Some((name, joint)) = joint.and_then(|name| Some((name, stored.clip.skeleton().find(name)?))) else {
            return;
        };
        playback.carrier_joint = name.to_owned();
        let clip = stored.clip.clone().carried_by(joint);
        self.set_clip(clip);
    }

    /// Sets other keys of the same body.
    pub(super) fn set_clip(&mut self, clip: LoopClip) {
        let stored = &mut self.stored;
        if let Ok(take) = as_take(&clip, stored.sidecar.root_motion.mode) {
            stored.file.take = take;
            stored.clip = clip;
        }
    }

    /// Returns the mirror image, with left and right exchanged. Errors: they cannot be exchanged.
    pub fn mirrored(&self, pairs: &[String], form: &SetForm) -> Result<Self, StoredLoopError> {
        let (image, _) = self.stored.clone().mirrored(pairs, &form.overrides)?;
        let made = SetMade {
            from: MadeFrom::Mirror,
            ..self.made.clone()
        };
        Self::new(image, made, form)
    }

    /// Returns the first difference between its skeleton and that of another.
    pub fn differs_from(&self, other: &Self) -> Option<SkeletonDifference> {
        SkeletonDifference::between(other.stored.clip.skeleton(), self.stored.clip.skeleton())
    }

    /// Returns the largest difference between its bones and those of another, metres; joints that slide, and controls beside the
    /// body, are ignored.
    pub fn bones_apart(&self, other: &Self) -> f64 {
        let [own, other] = [self, other].map(|member| {
            let clip = &member.stored.clip;
            (0..clip.skeleton().num_joints())
                .map(|joint| {
                    let place = clip.body_pose(0).translations[joint];
                    let mut later = (1..clip.num_samples()).map(|sample| clip.body_pose(sample).translations[joint]);
                    let is_bone =
                        joint != member.body.hips && clip.skeleton().path_from_root(joint).contains(&member.body.hips);
                    let rests = is_bone && later.all(|later| later.distance(place) < RESTS_METRES);
                    rests.then_some(place)
                })
                .collect::<Vec<_>>()
        });
        greatest(
            own.into_iter()
                .zip(other)
                .filter_map(|(own, other)| Some(own?.distance(other?))),
        )
    }

    /// Returns its velocity, relative to its root.
    pub fn twist(&self) -> Twist {
        self.stored.clip.root().twist
    }

    /// Returns the speed over the ground, metres per second.
    pub fn speed_mps(&self) -> f64 {
        ops::over_ground(self.twist().linear)
    }

    /// Returns the rate of turn, degrees per second, left positive.
    pub fn turn_dps(&self) -> f64 {
        self.twist().angular.y.to_degrees()
    }

    /// Returns the direction of its velocity, degrees from forward to the left; 0 in place.
    pub fn direction_deg(&self) -> f64 {
        if self.speed_mps() > 1e-6 {
            ops::atan2(self.twist().linear.x, self.twist().linear.z).to_degrees()
        } else {
            0.0
        }
    }

    /// Returns the smaller number of contacts of its two feet; 0 without sides.
    pub(super) fn fewest_strikes(&self) -> usize {
        let [left, right] = ["left", "right"].map(|side| {
            self.events
                .iter()
                .filter(|event| event.kind == FootEventKind::Strike)
                .filter(|event| event.foot == side)
                .count()
        });
        left.min(right)
    }

    /// Whether it is a single held pose.
    pub fn is_one_pose(&self) -> bool {
        kind_of(&self.stored.sidecar) == Some(MotionKind::Still)
    }

    /// Returns the loop under a name, ready to be written into a file of the set.
    pub fn ready(&self, name: &str, form: &SetForm) -> LoopOfLoops {
        let stored = &self.stored;
        let (clip, playback) = (stored.clip.clone().named(name), &stored.sidecar.playback);
        let root_joint = playback.root_joint.as_ref().and_then(|name| clip.skeleton().find(name));
        let mode = stored.sidecar.root_motion.mode;
        let origin = RetargetOrigin {
            take: stored.facts.clone(),
            first: &stored.sidecar,
            feet: stored.sidecar.feet.clone().unwrap_or_default(),
            root_joint,
            add_root: form.adds_root(root_joint.is_some()),
            recentered_by: None,
        };
        LoopOfLoops {
            derived: DerivedLoop::retargeted(&clip, origin),
            clip,
            body: self.body.clone(),
            mode,
            authored: Authored::of(&stored.sidecar),
            of_take: stored.sidecar.quality.checks.clone(),
            seam_sample: playback.seam_sample,
            target: form.target,
            skeleton: stored.file.take.skeleton().clone(),
        }
    }
}

/// Returns the facts of a loop as it is in the set.
fn facts_in_set(sidecar: Sidecar, clip: &LoopClip, feet: FeetFacts, seam_sample: usize, mode: RootMode) -> Sidecar {
    let (playback, num_samples) = (sidecar.playback, clip.num_samples());
    Sidecar {
        candidate: CandidateFacts {
            period_secs: clip.period_secs(),
            ..sidecar.candidate
        },
        playback: PlaybackFacts {
            samples: num_samples,
            seam_sample: seam_sample.min(num_samples - 1),
            closing_key: true,
            copies: 1,
            root_joint: playback.root_joint.filter(|_| !playback.root_joint_added),
            root_joint_added: false,
            ..playback
        },
        root_motion: describe::root_motion(clip.root(), mode, sidecar.root_motion.space),
        feet: Some(feet),
        ..sidecar
    }
}

/// A joint that moves less in its parent is fixed, metres.
const RESTS_METRES: f64 = 1e-5;

/// Returns the keys of a loop as its file holds them: one cycle with a closing key. Errors: they do not form a take.
pub(super) fn as_take(clip: &LoopClip, mode: RootMode) -> Result<Take, TakeError> {
    let standing;
    let played = if mode.moves_root() {
        clip
    } else {
        standing = clip.in_place();
        &standing
    };
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for key in 0..=clip.num_samples() {
        let pose = played.folded_pose(key);
        translations.extend(pose.translations);
        rotations.extend(pose.rotations);
    }
    Take::new(
        clip.name(),
        clip.skeleton().clone(),
        clip.step_secs(),
        translations,
        rotations,
    )
}

/// A foot below this share of its rise is among the lowest.
const LOW_SHARE: f64 = 0.15;

/// Estimates the velocity over the ground of a body that runs in place, relative to its root, if nothing else shows it: the
/// lowest foot moves back at that speed. `None` for other loops, and if no feet rise.
fn guessed_velocity(sidecar: &Sidecar, clip: &LoopClip, body: &Body) -> Option<DVec3> {
    let goes = kind_of(sidecar).is_some_and(|kind| kind != MotionKind::TurningWalk && kind.travels());
    if !goes || !is_speed_unknown(sidecar) {
        return None;
    }
    let world = clip.tracks_from_root();
    let count = clip.num_samples();
    let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
    for foot in &body.feet {
        let joint = foot.lowest_joint();
        let at = |sample: usize| body.point(&world, sample % count, joint);
        let (low, high) = percentile::extremes((0..count).map(|sample| at(sample).y));
        for sample in (0..count).filter(|&sample| at(sample).y < low + LOW_SHARE * (high - low)) {
            sum -= (at(sample + 1) - at(sample + count - 1)) / (2.0 * clip.step_secs());
            weight += 1.0;
        }
    }
    (weight > 0.0).then(|| (sum / weight).with_y(0.0))
}

/// A strafe goes sideways by more than this angle, degrees, from forward and from backward.
const ASIDE_DEG: f64 = 45.0;

/// Returns the facing of a body that strafes in place, radians to the left of its root: ahead in its file, because the hips turn
/// in the direction of motion. If it would then not go sideways, the side in its name decides; `None` if the name has none.
fn ahead_of_strafe(clip: &LoopClip, name: Option<&str>, is_mirrored: bool) -> Option<f64> {
    let way = clip.root().twist.linear;
    let way = ops::atan2(way.x, way.z);
    let in_file = rotation::yaw_of(clip.root().start.rotation);
    if is_aside((way + in_file).to_degrees()) {
        return Some(-in_file);
    }
    let name = name.unwrap_or_default().to_lowercase();
    let side = match (name.contains("left"), name.contains("right")) {
        (true, false) => FRAC_PI_2,
        (false, true) => -FRAC_PI_2,
        _ => return None,
    };
    Some(way - if is_mirrored { -side } else { side })
}

/// Whether a direction, degrees from forward to the left, is to a side.
pub(super) fn is_aside(direction_deg: f64) -> bool {
    let apart = apart_deg(direction_deg, 0.0);
    (ASIDE_DEG..=180.0 - ASIDE_DEG).contains(&apart)
}

/// Returns the angle between two directions, degrees.
pub(super) fn apart_deg(one: f64, two: f64) -> f64 {
    let apart = (one - two).rem_euclid(360.0);
    apart.min(360.0 - apart)
}

/// Whether nothing shows the speed of a loop.
pub(super) fn is_speed_unknown(sidecar: &Sidecar) -> bool {
    loopwright_job::verdict::is_speed_unknown(&sidecar.quality.checks)
}

/// Returns the kind of a loop by its facts.
pub(super) fn kind_of(sidecar: &Sidecar) -> Option<MotionKind> {
    sidecar.kind.as_deref().and_then(|kind| kind.parse().ok())
}

/// Returns the foot of a side.
pub(super) fn foot_of(body: &Body, side: Side) -> Option<Foot> {
    body.feet.iter().find(|foot| foot.side == Some(side)).copied()
}

/// Returns when a foot is half through its longest contact, unless it never leaves the ground. While loops of other speeds fade into
/// one another, their feet are nearest to each other by this landmark: a walk stands longer than a run, on both sides of it.
fn mid_stance(feet: &FeetFacts, skeleton: &Skeleton, foot: Foot) -> Option<f64> {
    let joint = &skeleton.joint(foot.lowest_joint()).name;
    let leaves_the_ground = feet
        .outcomes
        .iter()
        .find(|foot| foot.joint == *joint)
        .is_none_or(|foot| foot.strike_phase.is_some());
    feet.contacts
        .iter()
        .filter(|contact| contact.joint == *joint)
        .max_by_key(|contact| ordered(contact.length_secs))
        .filter(|_| leaves_the_ground)
        .map(|contact| contact.start_secs + 0.5 * contact.length_secs)
}

/// Returns the contacts of a loop that starts `secs` later and is then `stretch` times as long; `period_secs` is its own period.
fn retimed(mut feet: FeetFacts, secs: f64, stretch: f64, period_secs: f64) -> FeetFacts {
    let start = |at: f64| {
        let later = (at - secs).rem_euclid(period_secs);
        // A time just before the start by rounding is the start.
        if later > period_secs * (1.0 - 1e-9) {
            0.0
        } else {
            later * stretch
        }
    };
    for contact in feet.contacts.iter_mut().chain(&mut feet.stances) {
        contact.start_secs = start(contact.start_secs);
        contact.length_secs *= stretch;
    }
    for bearing in &mut feet.bearing {
        bearing.start_secs = start(bearing.start_secs);
        bearing.length_secs *= stretch;
    }
    for foot in &mut feet.outcomes {
        foot.strike_phase = foot
            .strike_phase
            .map(|share| start(share * period_secs) / (stretch * period_secs));
    }
    feet
}

/// Returns the phase of a loop, and the events of its feet in the order of time.
fn timing(feet: Option<&FeetFacts>, clip: &LoopClip, body: &Body) -> (SetPhase, Vec<FootEventFacts>) {
    let Some(feet) = feet else {
        return (SetPhase::default(), Vec::new());
    };
    let period_secs = clip.period_secs();
    let [left, right] = [Side::Left, Side::Right].map(|side| {
        let foot = foot_of(body, side)?;
        let share = (mid_stance(feet, clip.skeleton(), foot)? / period_secs).rem_euclid(1.0);
        // A share next to the start by rounding is the start.
        Some(if share.min(1.0 - share) < 1e-9 { 0.0 } else { share })
    });
    let warp = match (left, right) {
        (Some(left), Some(right)) => (right - left).rem_euclid(1.0) - 0.5,
        _ => 0.0,
    };
    // With a larger warp the phase would run backwards, so only a shift is used.
    let warp = if warp.abs() * PI < 1.0 { warp } else { 0.0 };
    let phase = SetPhase { warp, left, right };
    let map = PhaseMap::warped(warp);
    let mut events = Vec::new();
    for contact in &feet.contacts {
        if contact.length_secs >= period_secs * (1.0 - 1e-9) {
            continue;
        }
        let side = Side::ALL.into_iter().find(|side| {
            foot_of(body, *side).is_some_and(|foot| clip.skeleton().joint(foot.lowest_joint()).name == contact.joint)
        });
        let foot = side.map_or_else(|| contact.joint.clone(), |side| side.to_string());
        for (secs, kind) in [
            (contact.start_secs, FootEventKind::Strike),
            (contact.start_secs + contact.length_secs, FootEventKind::Lift),
        ] {
            let secs = secs.rem_euclid(period_secs);
            events.push(FootEventFacts {
                secs,
                phase: Some(map.phase(secs / period_secs)),
                foot: foot.clone(),
                kind,
            });
        }
    }
    // Of events in one frame, touch-downs come first.
    events.sort_by_key(|event| (ordered(event.secs), event.kind == FootEventKind::Lift));
    (phase, events)
}
