//! Surveys a take without holding it: its poses are passed one after the other, and only the values that the analysis needs are
//! kept.
//!
//! An [`Analysis`] has the take and all joints in the world at every frame, for the search that follows. To report what hours of
//! recording contain, a few joints are enough, and a third of the memory.

use glam::{DQuat, DVec3};

use super::bearing;
use super::features::{self, Features};
use super::{
    Activity, Analysis, Body, BodyError, BodyOverrides, Contacts, Floor, FootPaths, FoundBy, Heading, OddPace, Segment,
    Spectrum, Strides, TakeDefects, WeightedJoint, defects::Steps, pace, segments,
};
use crate::motion::{Pose, PoseRef, WorldTracks};
use crate::take::{Take, TakeError, normalize_frame};

/// The results of an [`Analysis`] that do not need the poses afterwards.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Survey {
    /// Hips, feet, hands, head.
    pub body: Body,
    /// Height of the body, metres, if known: [`Body::stature`].
    pub stature: Option<f64>,
    /// Unreliable frames and joints.
    pub defects: TakeDefects,
    /// Compared joints, with weights.
    pub joints: Vec<WeightedJoint>,
    /// Activity of every frame: where the take moves.
    pub activity: Activity,
    /// The pace of the legs if no body of this size has it.
    pub odd_pace: Option<OddPace>,
    /// Speed over the ground that a tenth of the frames exceeds, metres per second.
    pub pace_mps: f64,
    /// When the feet stand.
    pub contacts: Contacts,
    /// The strides of the body.
    pub strides: Strides,
    /// Activities of the body, in order of time.
    pub segments: Vec<Segment>,
    /// Lengths at which the take repeats.
    pub spectrum: Spectrum,
}

impl From<Analysis> for Survey {
    fn from(analysis: Analysis) -> Self {
        Self {
            stature: analysis.body.stature(&analysis.take),
            odd_pace: analysis.odd_pace(),
            pace_mps: analysis.heading.pace_mps(analysis.take.frame_time_secs()),
            strides: analysis.strides(),
            body: analysis.body,
            defects: analysis.defects,
            joints: analysis.joints,
            activity: analysis.activity,
            contacts: analysis.contacts,
            segments: analysis.segments,
            spectrum: analysis.spectrum,
        }
    }
}

/// The parts of a take that a [`Surveyor`] needs before the poses are passed one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeSample {
    /// Number of its frames.
    pub num_frames: usize,
    /// Only its middle frame, `num_frames / 2`.
    pub middle: Take,
    /// Every n-th of its frames, starting with the first; [`super::probe_stride`] returns n.
    pub some: Take,
}

/// Surveys a take whose poses are passed one after the other; the results equal those of an [`Analysis`], to the last bit.
///
/// ```
/// use loopwright_core::{Analysis, BodyOverrides, Take, analysis::{Survey, Surveyor, TakeSample, probe_stride}};
///
/// let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// let frames = |frames: Vec<usize>| {
///     let poses = frames.iter().map(|&frame| take.pose(frame).to_pose());
///     let tracks = loopwright_core::Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses)?;
///     Ok::<_, Box<dyn std::error::Error>>(Take::from_tracks("walk", tracks)?)
/// };
/// let num_frames = take.num_frames();
/// let sample = TakeSample {
///     num_frames,
///     middle: frames(vec![num_frames / 2])?,
///     some: frames((0..num_frames).step_by(probe_stride(num_frames)).collect())?,
/// };
/// let mut surveyor = Surveyor::new(&sample, &BodyOverrides::default())?;
/// for frame in 0..num_frames {
///     surveyor.push(take.translations(frame), take.rotations(frame))?;
/// }
/// assert_eq!(surveyor.survey()?, Survey::from(Analysis::new(&take)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Surveyor {
    middle: Take,
    overrides: BodyOverrides,
    body: Body,
    world: WorldTracks,
    steps: Steps,
    /// Local rotations of the previous frame; empty before the first.
    before: Vec<DQuat>,
    /// Local rotations of the current frame.
    local: Vec<DQuat>,
    placed: Pose,
}

/// Memory per frame without that for joints, bytes: heading, floor, activity, and working space.
const FRAME_BYTES: u64 = 420;

/// Memory per frame for the angles of one joint's turns, bytes.
const TURN_BYTES: u64 = 8;

/// Memory per frame for a joint whose position is kept, and for a compared joint, bytes.
const PLACE_BYTES: u64 = 24;
const COMPARED_BYTES: u64 = 48;

/// Memory for a foot at each time at which its bearing is judged, bytes: its points, and working space.
const BEARING_BYTES: u64 = 190;

impl Surveyor {
    /// Starts before the first pose.
    ///
    /// Errors: a joint named in `overrides` does not exist, or a weight or limit cannot be used.
    pub fn new(sample: &TakeSample, overrides: &BodyOverrides) -> Result<Self, BodyError> {
        overrides.check()?;
        let skeleton = sample.some.skeleton();
        let num_joints = skeleton.num_joints();
        let body = Body::find_among(sample.middle.pose(0), &sample.some, overrides)?;
        let places = places(&body, &sample.some, overrides)?;
        let turned: Vec<usize> = core::iter::once(body.hips)
            .chain(body.bone_ends.iter().map(|(joint, _)| *joint))
            .chain(body.foot_joints(sample.some.skeleton()))
            .collect();
        Ok(Self {
            world: WorldTracks::of_some(num_joints, sample.num_frames, places.as_deref(), &turned),
            // The jumping joints are not known yet.
            steps: Steps::new(&body, num_joints, 0..num_joints, sample.num_frames),
            middle: sample.middle.clone(),
            overrides: overrides.clone(),
            body,
            before: Vec::new(),
            local: Vec::new(),
            placed: Pose::default(),
        })
    }

    /// Returns the peak memory of the survey of a take, bytes, without the memory for reading it.
    ///
    /// Errors: as [`Self::new`].
    pub fn memory_bytes(sample: &TakeSample, overrides: &BodyOverrides) -> Result<u64, BodyError> {
        let num_joints = sample.some.num_joints();
        let body = Body::find_among(sample.middle.pose(0), &sample.some, overrides)?;
        let num_places = places(&body, &sample.some, overrides)?.map_or(num_joints, |places| places.len());
        let times = bearing::times_per_frame(sample.middle.frame_time_secs()) as u64;
        let per_frame = FRAME_BYTES
            + TURN_BYTES * num_joints as u64
            + (PLACE_BYTES + COMPARED_BYTES) * num_places as u64
            + BEARING_BYTES * times * body.feet.len() as u64;
        Ok(per_frame.saturating_mul(sample.num_frames as u64))
    }

    /// Adds the next pose: local translations in metres and rotations of all joints.
    ///
    /// Errors: [`TakeError::WrongLength`] for another number of joints, [`TakeError::Implausible`] for implausible values.
    pub fn push(&mut self, translations: &[DVec3], rotations: &[DQuat]) -> Result<(), TakeError> {
        let expected = self.middle.num_joints();
        for found in [translations.len(), rotations.len()] {
            if found != expected {
                return Err(TakeError::WrongLength { expected, found });
            }
        }
        rotations.clone_into(&mut self.local);
        normalize_frame(self.world.num_frames(), &self.before, translations, &mut self.local)?;
        let local = PoseRef::new(translations, &self.local);
        self.placed.set_world(self.middle.skeleton(), local);
        let world = self.placed.as_ref();
        self.steps
            .push(local.rotations, world.translations, world.rotations[self.body.hips]);
        self.world.push(world);
        core::mem::swap(&mut self.before, &mut self.local);
        Ok(())
    }

    /// Ends the take and returns its survey.
    ///
    /// Errors: [`BodyError::NoWeight`] if no joint is left to compare poses.
    ///
    /// # Panics If no pose was passed.
    pub fn survey(self) -> Result<Survey, BodyError> {
        let Self {
            middle,
            overrides,
            body,
            world,
            steps,
            ..
        } = self;
        let num_frames = world.num_frames();
        assert!(num_frames > 0, "a take has a frame");
        let dt = middle.frame_time_secs();
        let defects = steps.defects(dt);
        let contacts = Contacts::of(&world, (middle.skeleton(), &body), dt, &overrides.contacts);
        let floor = Floor::of(&world, &body, &contacts, dt);
        let strides = FootPaths::of_take(&middle, &world, &body)
            .over(|frame| contacts.ground().velocity(frame))
            .strides(contacts.stays());
        let heading = Heading::over(&world, &body, floor.heights());
        let joints = features::weights(middle.skeleton(), &body, &defects, &overrides.weights)?;
        let features = Features::of(&middle, &world, &heading, &body, &joints);
        let usable = defects.usable_ends(num_frames);
        let activity = Activity::of(&features, &usable, body.known_size(&middle), dt);
        let segments = segments::segments((&middle, &world, &body), &heading, &activity, &contacts);
        let odd_pace = pace::odd_pace(&middle, &world, &body, &heading);
        // Frees memory for the following stage.
        drop(world);
        let spectrum = Spectrum::of(&features, &defects);
        Ok(Survey {
            stature: body.stature(&middle),
            odd_pace,
            pace_mps: heading.pace_mps(dt),
            body,
            defects,
            joints,
            activity,
            contacts,
            strides,
            segments,
            spectrum,
        })
    }
}

/// Returns the joints whose world positions are needed: compared ones, those that determine the facing, and the legs. `None` for
/// all: without feet, the floor is below the lowest joint.
fn places(body: &Body, some: &Take, overrides: &BodyOverrides) -> Result<Option<Vec<usize>>, BodyError> {
    if body.found_by == FoundBy::AllLeaves || body.feet.is_empty() {
        return Ok(None);
    }
    // Flipping joints are not compared, but are not known yet.
    let compared = features::weights(some.skeleton(), body, &TakeDefects::default(), &overrides.weights)?;
    let across = [body.thighs, body.shoulders].into_iter().flatten().flatten();
    let mut places: Vec<usize> = core::iter::once(body.hips)
        .chain(body.head)
        .chain(compared.iter().map(|weighted| weighted.joint))
        .chain(across)
        .chain(body.legs(some.skeleton()).flatten())
        .chain(body.foot_joints(some.skeleton()))
        .collect();
    places.sort_unstable();
    places.dedup();
    Ok(Some(places))
}
