//! Feet: their contacts, the root speed they imply, and holding them on the ground.
//!
//! Everything works on tracks and the course of the root (`stage`, `course`), around a loop or from end to end, and scales with
//! the measures of the body (`model`). `contact` detects when points of feet stand, `stance` refines the spans and positions,
//! and `speed` finds the root speed at which they rest. One solve over all samples (`solve`) rotates legs and moves the hips so
//! that bearing points do not move. Derivations: docs/math/contacts.md, docs/math/feet.md and docs/math/feet_solve.md.

use glam::DVec3;

use crate::{
    analysis::{Bearings, Body, ContactLimits, FoundBy, Stay},
    closure::Image,
    loop_clip::{LoopClip, LoopClipError},
    math::{Rigid, Twist, ops},
    motion::{Skeleton, Tracks, WorldTracks},
    quality,
    root_motion::RootRelativeClip,
};

pub mod contact;

mod course;

pub(crate) mod model;

pub(crate) mod edited;

mod stage;

mod stance;

pub(crate) mod leg;

mod live;

pub(crate) mod speed;

mod solve;

pub use solve::hinged::HingeError;
pub use solve::{fade, open};
pub(crate) use solve::{hardest_turn, hinged};

pub use crate::analysis::bearing::FootPoint;
pub use contact::LoopContact;
pub use course::Course;
pub(crate) use edited::EditedStance;
pub use edited::{StanceEdit, StanceError, StanceSpan};
pub use leg::Leg;
pub use live::LiveFoot;
pub(crate) use model::FootModel;
use solve::{BearingLeg, Uncut};
pub use speed::FeetSpeed;
use stage::FixedPoint;
pub use stage::Stage;
use stance::PointTrack;

/// Whether feet are held.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum FootLock {
    /// Hold feet with reliable contacts if they then slide less.
    #[default]
    Auto,
    /// Hold all feet that stand.
    Solve,
    /// Hold no feet.
    Off,
}

/// A span of samples over which a point of a foot bears.
#[handed_over(Copy, Eq)]
pub struct Bearing {
    /// The point.
    pub point: FootPoint,
    /// Its foot and the span.
    pub contact: LoopContact,
}

impl Bearing {
    /// Merges bearings of one point that overlap or touch.
    pub(crate) fn joined(all: &[Self], course: &Course) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        for first in all {
            let (foot, point) = (first.contact.foot, first.point);
            if joined
                .iter()
                .any(|done| (done.contact.foot, done.point) == (foot, point))
            {
                continue;
            }
            let mut bears = vec![false; course.count()];
            for contact in Self::contacts(all, foot, Some(point)) {
                contact.keys().for_each(|key| bears[course.sample(key as isize)] = true);
            }
            joined.extend(
                contact::spans(foot, &bears, course.has_ends())
                    .into_iter()
                    .map(|contact| Self { point, contact }),
            );
        }
        joined
    }

    /// Returns the spans among `known` over which a point of a foot bears.
    fn contacts(known: &[Self], foot: usize, point: Option<FootPoint>) -> Vec<LoopContact> {
        known
            .iter()
            .filter(|of| of.contact.foot == foot && Some(of.point) == point)
            .map(|bearing| bearing.contact)
            .collect()
    }
}

/// How the speed of the root is determined.
#[handed_over(Copy, Default)]
pub enum RootSpeed {
    /// The feet if they slide clearly less for it, else the poses.
    #[default]
    Auto,
    /// The feet, if they ever stand.
    Feet,
    /// The poses around both ends of the cut.
    Poses,
    /// This speed over the ground, metres per second, in the direction that the feet or else the poses show; ahead if neither
    /// does.
    Given(f64),
}

/// Fastest root that is believed, metres per second: no animal runs so fast.
const FASTEST_MPS: f64 = 100.0;

crate::words::words_or_number! {
    RootSpeed { Auto: "auto", Feet: "feet", Poses: "pose", } Given in 0.0..=FASTEST_MPS,
    "must be auto, feet, pose, or a speed in m/s from 0 to 100"
}

/// How feet are processed.
#[handed_over(Copy, Default)]
pub struct FeetSettings {
    /// Whether they are held.
    pub lock: FootLock,
    /// How the speed of the root is determined.
    pub speed: RootSpeed,
}

impl From<FootLock> for FeetSettings {
    fn from(lock: FootLock) -> Self {
        Self {
            lock,
            ..Self::default()
        }
    }
}

/// The outcome for one foot.
#[handed_over(Copy)]
pub enum FootOutcome {
    /// The foot is held whenever it stands.
    Held,
    /// Held, but for contacts in which it slides, up to this far.
    HeldInPart {
        /// Farthest distance from the position of its stance.
        metres: f64,
    },
    /// Holding was not requested.
    NotAsked,
    /// No joint bends between the hips and the foot.
    NoKnee,
    /// The foot never stands.
    NeverStands,
    /// Holding it would make feet slide more.
    Released,
    /// The take loops already: its feet stay as they were authored.
    Kept,
    /// The search for a correction that holds it did not settle.
    Unsettled,
    /// On a character, the feet slide no faster than those of the source, and not visibly.
    Still,
    /// The foot slides this far during its contacts, metres: on purpose, or the contacts are wrong.
    Slides {
        /// Farthest distance from the position of its stance.
        metres: f64,
    },
}

impl FootOutcome {
    /// Whether the foot is held, at least in part.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held | Self::HeldInPart { .. })
    }
}

/// The contacts of a loop's feet and the corrections applied to them.
#[handed_over(Default)]
pub struct Feet {
    /// When a foot counts as standing.
    pub limits: ContactLimits,
    /// The feet for which the caller stated stances.
    pub stated: Vec<usize>,
    /// Contacts by which feet are held, by foot and first sample.
    pub contacts: Vec<LoopContact>,
    /// Spans in which feet are held: contacts, extended before and after.
    pub held: Vec<LoopContact>,
    /// When heel, ball and tip of each foot bear, by foot and point; a heel that rolls on bears ever less.
    pub bearing: Vec<Bearing>,
    /// The outcome for every foot; empty if no feet were found in the skeleton.
    pub outcomes: Vec<FootOutcome>,
    /// Largest distance that the hips were lowered so that the legs reach, metres.
    pub hips_lowered_metres: f64,
    /// Largest distance that a foot was moved, metres.
    pub moved_metres: f64,
    /// The root's speed by the feet; `None` if they never stand or the root does not move.
    pub speed: Option<FeetSpeed>,
    /// Whether the root uses that speed.
    pub speed_is_theirs: bool,
    /// The root's velocity by the poses, in its own axes, metres per second, if the caller stated another speed.
    pub replaced_velocity: Option<DVec3>,
    /// Speed of standing feet before and after they were held, metres per second; `None` if unknown.
    pub foot_slide_mps: [Option<f64>; 2],
}

impl Feet {
    /// Returns the feet of several loops of `num_samples`, one after the other.
    pub(crate) fn repeated(&self, num_samples: usize, copies: usize) -> Self {
        let [contacts, held] = [&self.contacts, &self.held].map(|contacts| {
            let mut spans: Vec<LoopContact> = contacts
                .iter()
                .flat_map(|contact| contact.repeated(num_samples, copies))
                .collect();
            spans.sort_by_key(|contact| (contact.foot, contact.start_sample));
            spans
        });
        let bearing = self.bearing.iter().flat_map(|&Bearing { point, contact }| {
            contact
                .repeated(num_samples, copies)
                .map(move |contact| Bearing { point, contact })
        });
        Self {
            contacts,
            held,
            bearing: bearing.collect(),
            ..self.clone()
        }
    }

    /// The feet as they were before they were held, and why they are not.
    pub(crate) fn let_go(&mut self, reason: FootOutcome) {
        for outcome in &mut self.outcomes {
            if outcome.is_held() {
                *outcome = reason;
            }
        }
        self.held.clear();
        (self.hips_lowered_metres, self.moved_metres) = (0.0, 0.0);
        self.foot_slide_mps[1] = self.foot_slide_mps[0];
    }

    /// Returns the mean speed over the ground of the points by which contacts are counted, during these, metres per second.
    fn standing_speed(&self, stage: &Stage, body: &Body) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for (index, foot) in body.feet.iter().enumerate() {
            let positions = stage.positions_of(solve::standing_point(stage, foot, false));
            for contact in self.contacts.iter().filter(|contact| contact.foot == index) {
                // Before and after it the foot swings.
                for key in contact.keys().skip(1) {
                    let [from, to] =
                        [key - 1, key].map(|key| stage.course.to_world(key as isize, positions[key % positions.len()]));
                    sum += ops::over_ground(to - from) / stage.course.step_secs;
                    count += 1.0;
                }
            }
        }
        sum / count.max(1.0)
    }

    /// Whether any foot is held.
    pub fn is_held(&self) -> bool {
        self.outcomes.iter().any(FootOutcome::is_held)
    }

    /// Returns when these feet are on the ground in a loop, which may follow a path, as [`bearings`] does; where stances were
    /// stated, as stated.
    pub fn bearings(&self, clip: &LoopClip, body: &Body) -> Bearings {
        let straight = if clip.follows_path() {
            clip.clone().on_screw().ok()
        } else {
            None
        };
        let mut found = bearings(&Stage::of_loop(straight.as_ref().unwrap_or(clip)), body, &self.limits);
        let is_stated = |foot: usize| self.stated.contains(&foot);
        found.stays.retain(|stay| !is_stated(stay.foot));
        let stated = self.contacts.iter().filter(|contact| is_stated(contact.foot));
        found.stays.extend(stated.map(|contact| {
            let keys = contact.keys();
            let is_whole = keys.len() >= clip.num_samples();
            let [strike, lift] = [keys.start, keys.end].map(|key| (!is_whole).then_some(key as f64));
            Stay {
                foot: contact.foot,
                strike,
                lift,
            }
        }));
        found
    }
}

/// A foot farther than this from the position of its stance slides, metres on the reference body; it is then held only with
/// [`FootLock::Solve`].
///
/// Standing feet in captures stray by a centimetre or two; beyond that, a dancer's sole glides or the foot was in the air.
const SLIDES_METRES: f64 = 0.08;

/// Largest increase of a foot's slide in one stance that does not count, metres on the reference body: a twentieth of a visible
/// slide.
const FARTHER_METRES: f64 = 1e-3;

/// In a symmetric body, feet of two mirrored halves that one solve holds agree within this, metres and radians.
const SOLVED_ALIKE: f64 = 1e-4;

/// Measures the root's speed and twist by the feet of a loop, or applies the speed in the settings; the twist is `None` if it is
/// unchanged.
pub(crate) fn measure_speed(
    clip: &LoopClip,
    body: &Body,
    limits: &ContactLimits,
    settings: &FeetSettings,
) -> (Option<FeetSpeed>, Option<Twist>) {
    let found = speed_by_feet(clip, body, limits);
    let by_feet = found
        .filter(|found| match settings.speed {
            RootSpeed::Auto => found.is_better(),
            RootSpeed::Poses => false,
            RootSpeed::Feet | RootSpeed::Given(_) => true,
        })
        .map(|found| found.twist);
    match settings.speed {
        RootSpeed::Given(mps) => {
            let root = clip.root().twist;
            let shown = [by_feet, Some(root)].into_iter().flatten();
            (found, Some(at_speed(mps, shown, root)))
        }
        _ => (found, by_feet),
    }
}

/// Measures the speed of a loop's root by its feet; `None` if they never stand.
pub fn speed_by_feet(clip: &LoopClip, body: &Body, limits: &ContactLimits) -> Option<FeetSpeed> {
    if body.found_by == FoundBy::AllLeaves {
        return None;
    }
    let stage = Stage::of_loop(clip);
    let model = FootModel::new(&stage, body, limits);
    let positions: Vec<Vec<DVec3>> = body
        .feet
        .iter()
        .map(|foot| stage.positions_of(solve::standing_point(&stage, foot, false)))
        .collect();
    speed::of_feet(clip.root(), clip.step_secs(), &positions, &model.contacts)
}

/// A twist slower than this shows no direction, metres per second.
const SHOWS_MPS: f64 = 0.05;

/// Returns the twist of a root at a speed over the ground, in the direction of the first of `shown` that has one, else ahead.
fn at_speed(mps: f64, shown: impl Iterator<Item = Twist>, root: Twist) -> Twist {
    let mut directions = shown.map(|twist| twist.linear * DVec3::new(1.0, 0.0, 1.0));
    let direction = directions.find(|v| v.length() > SHOWS_MPS).unwrap_or(DVec3::Z);
    Twist {
        linear: direction.normalize() * mps + DVec3::Y * root.linear.y,
        ..root
    }
}

/// Detects when the feet of a loop stand and holds them there; with [`FootLock::Auto`] only if they slide less for it.
///
/// `root_joint` is the joint of the rig that carries only the root motion, if there is one; it is not moved. The loop itself is
/// the reference for floor, clearance and knees. A robot's feet are held on its hinges, within their limits. Afterwards the loop repeats as
/// exactly as before. A foot that cannot be held is left unchanged, with the reason. `None` if none is held. Errors: the
/// samples are no longer a loop clip, which is not known to happen.
pub fn hold(
    clip: &LoopClip,
    body: &Body,
    root_joint: Option<usize>,
    limits: &ContactLimits,
    lock: FootLock,
) -> Result<(Option<LoopClip>, Feet), HoldError> {
    if let Some(hinges) = clip.skeleton().hinges().filter(|_| lock != FootLock::Off) {
        let (held, feet) = hinged::hold(clip, &RootRelativeClip::of_loop(clip), hinges, body, 1.0, true)?;
        return Ok((Some(held), feet));
    }
    Ok(Holding::new(body, root_joint, lock).hold_if_better(clip, limits)?)
}

/// Detects when the points of feet bear: the ball of a foot with toes, heel and tip if the rig shows them, and the ankle of
/// every foot.
pub(crate) fn bearing(stage: &Stage, body: &Body, model: &FootModel) -> Vec<Bearing> {
    let mut bearing = Vec::new();
    for (index, foot) in body.feet.iter().enumerate() {
        let mut add = |point: FootPoint, fixed: FixedPoint| {
            let contacts = PointTrack::new(stage, model, fixed).contacts(index);
            bearing.extend(contacts.iter().map(|&contact| Bearing { point, contact }));
            contacts
        };
        add(FootPoint::Ankle, (foot.ankle, DVec3::ZERO));
        let contacts = match foot.toe {
            Some(toe) => add(FootPoint::Ball, (toe, DVec3::ZERO)),
            None => {
                PointTrack::new(stage, model, solve::standing_point(stage, foot, model.is_character)).contacts(index)
            }
        };
        if contacts.is_empty() {
            continue;
        }
        for (point, fixed) in solve::ends_of_foot(stage, foot, &contacts, model) {
            add(point, fixed);
        }
    }
    bearing
}

/// Returns the leg of every foot; `None` without a knee.
pub fn legs_of(stage: &Stage, body: &Body) -> Vec<Option<Leg>> {
    body.feet.iter().map(|foot| Leg::of_foot(stage, body, foot)).collect()
}

/// Returns where the lowest joints of the feet stand: a sample, and the position at it, relative to the root. Empty if feet cannot be
/// distinguished from other joints.
pub fn standing_places(stage: &Stage, body: &Body, limits: &ContactLimits) -> Vec<(usize, DVec3)> {
    let mut places = Vec::new();
    if body.found_by == FoundBy::AllLeaves {
        return places;
    }
    let model = FootModel::new(stage, body, limits);
    for (index, foot) in body.feet.iter().enumerate() {
        let point = PointTrack::new(stage, &model, (foot.lowest_joint(), body.end_of(foot.lowest_joint())));
        for contact in point.contacts(index) {
            places.extend(
                contact
                    .keys()
                    .map(|key| key % point.positions.len())
                    .map(|sample| (sample, point.positions[sample])),
            );
        }
    }
    places
}

/// A loop is repeated for this long on either side before bearing is judged, seconds.
const LEAD_SECS: f64 = 2.5;

/// Returns when the feet of a motion are on the ground and their points bear, in samples; for a loop, the spans that strike within it.
/// Empty if feet cannot be distinguished from other joints.
pub fn bearings(stage: &Stage, body: &Body, limits: &ContactLimits) -> Bearings {
    if body.found_by == FoundBy::AllLeaves {
        return Bearings::default();
    }
    let (course, skeleton) = (&stage.course, stage.skeleton());
    let count = course.count();
    let lead = if course.has_ends() {
        0
    } else {
        count * (LEAD_SECS / (count as f64 * course.step_secs)).ceil() as usize
    };
    let mut joints = body.foot_joints(skeleton);
    joints.push(body.hips);
    joints.extend(body.thighs.into_iter().flatten());
    let roots: Vec<Rigid> = (0..count + 2 * lead)
        .map(|key| course.root(key as isize - lead as isize))
        .collect();
    let at = |key: usize, joint: usize| roots[key] * stage.world.joint(key % count, joint);
    let world = WorldTracks::of_joints(skeleton.num_joints(), roots.len(), &joints, at);
    let size = body.leg_size(skeleton, |joint| stage.world.position(0, joint));
    let bearings = Bearings::of(&world, (skeleton, body), course.step_secs, &limits.at_size(size));
    if course.has_ends() {
        bearings
    } else {
        bearings.within(lead..lead + count)
    }
}

/// How feet are held, and the reference for them: see [`hold`].
#[derive(Clone, Copy)]
pub(crate) struct Holding<'a> {
    pub body: &'a Body,
    pub root_joint: Option<usize>,
    pub lock: FootLock,
    /// The take that a loop was cut from; the motion itself without one.
    pub source: Option<&'a RootRelativeClip>,
    /// The image of the first half, if the second half of the loop must equal it.
    pub image: Option<&'a Image<'a>>,
    /// Stances that overrule those detected; feet that have any are held however far they slide.
    pub edited: &'a [EditedStance],
    /// When points of feet bear, if known from elsewhere; otherwise it is detected.
    pub known: Option<&'a [Bearing]>,
    /// Target positions of the feet over the whole motion, relative to its root, at the height at which they bear: replaces
    /// `source`.
    pub places: Option<&'a WorldTracks>,
}

impl<'a> Holding<'a> {
    /// Holds the feet of a body as detected, with its own motion as the reference. `root_joint` carries only the root motion.
    pub(crate) fn new(body: &'a Body, root_joint: Option<usize>, lock: FootLock) -> Self {
        Self {
            body,
            root_joint,
            lock,
            source: None,
            image: None,
            edited: &[],
            known: None,
            places: None,
        }
    }

    /// Returns the loop with its feet held, unless they slide more for it; limits of standing are those of a take.
    pub(crate) fn hold_if_better(
        &self,
        clip: &LoopClip,
        limits: &ContactLimits,
    ) -> Result<(Option<LoopClip>, Feet), LoopClipError> {
        let (mut held, mut feet) = self.hold(clip, limits)?;
        // Without held feet there is nothing to compare: most loops that are closed to choose from.
        if held
            .as_ref()
            .is_some_and(|held| self.slides_more(clip, held, &mut feet))
        {
            feet.let_go(FootOutcome::Released);
            held = None;
        }
        Ok((held, feet))
    }

    /// Returns the loop with its feet held; limits of standing are those of a take.
    pub(crate) fn hold(
        &self,
        clip: &LoopClip,
        limits: &ContactLimits,
    ) -> Result<(Option<LoopClip>, Feet), LoopClipError> {
        if clip.follows_path() {
            // Feet stand in the world, which is expressed relative to the constant twist.
            let path = clip.path().to_vec();
            let (held, feet) = self.hold(&clip.clone().on_screw()?, limits)?;
            let held = held.map(|held| held.along(path)).transpose()?;
            return Ok((held, feet));
        }
        let stage = Stage::of_loop(clip);
        let (held, mut feet) = self.solved(&stage, &FootModel::new(&stage, self.body, limits), clip.carrier());
        feet.limits = *limits;
        feet.stated = self.edited.iter().map(EditedStance::foot).collect();
        if feet.outcomes.contains(&FootOutcome::Unsettled) {
            feet.foot_slide_mps = [quality::foot_slide_of_loop(clip, self.body, self.source).0; 2];
        }
        let held = held.map(|tracks| {
            let held = clip.clone().with_tracks(tracks);
            match self.image {
                // Solving both halves together rounds them differently.
                Some(image) => image.without_rounding(held, SOLVED_ALIKE),
                None => held,
            }
        });
        Ok((held, feet))
    }

    /// Returns the tracks of a motion with its feet held, and the outcome; `carrier` carries the root motion.
    pub(crate) fn solved(&self, stage: &Stage, model: &FootModel, carrier: usize) -> (Option<Tracks>, Feet) {
        let mut feet = Feet::default();
        if self.body.found_by == FoundBy::AllLeaves {
            return (None, feet);
        }
        let legs = self.legs(stage, model, &mut feet);
        if legs.is_empty() {
            return (None, feet);
        }
        let uncut = match self.source {
            Some(source) => Uncut::from_source(source, self.image.is_some()),
            None => Uncut::from_motion(self.places.unwrap_or(&stage.world)),
        };
        let Some(solved) = solve::solve(stage, &uncut, &legs, self.lifted(stage.skeleton(), carrier), model) else {
            feet.let_go(FootOutcome::Unsettled);
            return (None, feet);
        };
        feet.moved_metres = solved.moved_metres;
        feet.hips_lowered_metres = solved.lowered_metres.abs();
        (Some(solved.tracks), feet)
    }

    /// Whether to release feet because they slide more when held, as stated in `feet`: faster during their own contacts, or
    /// farther in one stance. The mean speed of quality does not decide: its fixed limits count a landing foot as standing.
    fn slides_more(&self, clip: &LoopClip, held: &LoopClip, feet: &mut Feet) -> bool {
        let slides = [clip, held].map(|clip| quality::foot_slide_of_loop(clip, self.body, self.source));
        feet.foot_slide_mps = slides.map(|(mps, _)| mps);
        let [before, after] = [clip, held].map(|clip| feet.standing_speed(&Stage::of_loop(clip), self.body));
        let [metres_before, metres_after] = slides.map(|(_, metres)| metres);
        let most_metres = metres_before + FARTHER_METRES * self.body.size_in(clip.skeleton(), clip.body_pose(0));
        self.weighs() && (after > before || metres_after > most_metres)
    }

    /// Measures the feet of a loop that stay as they are.
    pub(crate) fn measured(&self, clip: &LoopClip, limits: &ContactLimits) -> Feet {
        let stage = Stage::of_loop(clip);
        let mut feet = Feet {
            limits: *limits,
            ..Feet::default()
        };
        self.legs(&stage, &FootModel::new(&stage, self.body, limits), &mut feet);
        feet.foot_slide_mps[0] = quality::foot_slide_of_loop(clip, self.body, self.source).0;
        feet.let_go(FootOutcome::Kept);
        feet
    }

    /// Whether feet are held only if that is better; edited stances are not compared with detection.
    pub(crate) fn weighs(&self) -> bool {
        self.lock == FootLock::Auto && self.edited.is_empty()
    }

    /// Returns the legs of the feet to hold; states in `feet` the outcome of each foot, and when its points bear.
    fn legs(&self, stage: &Stage, model: &FootModel, feet: &mut Feet) -> Vec<BearingLeg> {
        let body = self.body;
        let most_metres = SLIDES_METRES * model.metre;
        let mut legs = Vec::new();
        for (index, foot) in body.feet.iter().enumerate() {
            let stands = solve::standing_point(stage, foot, model.is_character);
            let standing = match (foot.toe, stands.1) {
                (Some(_), _) => FootPoint::Ball,
                (None, DVec3::ZERO) => FootPoint::Ankle,
                (None, _) => FootPoint::Tip,
            };
            let point = PointTrack::new(stage, model, stands);
            let contacts = match self.known {
                Some(known) => Bearing::contacts(known, index, Some(standing)),
                None => point.contacts(index),
            };
            let mut contacts = edited::overruled(index, contacts, &stage.course, self.edited);
            if stage.course.has_ends() && self.lock == FootLock::Auto {
                // A single step aside is negligible in a walk of minutes.
                contacts = point.standing_parts(&contacts, most_metres);
            }
            feet.contacts.extend(&contacts);
            let outcome = if self.lock == FootLock::Off {
                FootOutcome::NotAsked
            } else if contacts.is_empty() {
                FootOutcome::NeverStands
            } else if let Some(leg) = Leg::of_foot(stage, body, foot) {
                let metres = point.farthest(&contacts);
                let slides = metres > most_metres && self.weighs();
                if slides {
                    contacts = point.standing(&contacts, most_metres);
                }
                if contacts.is_empty() {
                    FootOutcome::Slides { metres }
                } else {
                    let spans = point.spans(&contacts);
                    legs.push(BearingLeg::new(stage, leg, foot, &spans, model, self.known));
                    feet.held.extend(spans);
                    if slides {
                        FootOutcome::HeldInPart { metres }
                    } else {
                        FootOutcome::Held
                    }
                }
            } else {
                FootOutcome::NoKnee
            };
            feet.outcomes.push(outcome);
        }
        feet.bearing = legs.iter().flat_map(BearingLeg::bearing).collect();
        legs
    }

    /// Returns the joint that carries the whole body.
    fn lifted(&self, skeleton: &Skeleton, carrier: usize) -> usize {
        let path = skeleton.path_from_root(self.body.hips);
        match self
            .root_joint
            .and_then(|root| path.iter().position(|&joint| joint == root))
        {
            Some(at) => path.get(at + 1).copied().unwrap_or(self.body.hips),
            None => carrier,
        }
    }
}

/// Why feet cannot be held.
#[error_kinds]
pub enum HoldError {
    /// A requested edit of a stance is not possible.
    Stance(StanceError),
    /// The samples are not a loop clip.
    LoopClip(LoopClipError),
    /// A robot's feet cannot be held on its hinges.
    Hinges(HingeError),
    /// The known contacts belong to another motion.
    #[error("the motion has {found} samples, but the contacts of its feet are known at {known}")]
    KnownElsewhere { found: usize, known: usize },
}
