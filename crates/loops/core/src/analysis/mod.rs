//! Analyses a take: its body, heading, features, defects and rhythm.
//!
//! [`Analysis::new`] computes everything once; the later stages use the results.

use crate::{motion::WorldTracks, take::Take};

pub(crate) mod body;

pub(crate) mod floor;

pub(crate) mod heading;

pub(crate) mod velocity;

pub(crate) mod defects;

pub mod features;

pub(crate) mod activity;

pub(crate) mod standing;

pub(crate) mod bearing;

pub(crate) mod contacts;

pub(crate) mod gait;

pub(crate) mod strides;

pub(crate) mod pace;

pub(crate) mod segments;

pub(crate) mod spectrum;

pub(crate) mod seam_peak;

pub use activity::{Activity, ActivityKind};
pub use bearing::{Bearings, FootPoint, Ground, PointStay, Stay};
pub use body::{
    Body, BodyError, BodyOverrides, Foot, FoundBy, Side, bare_legs, guess_parts, joints_in_place, probe_stride,
    similar_joints,
};
pub use contacts::{Contact, Contacts, FootEventKind};
pub use defects::{BadFrame, BadFrameKind, FlippingJoint, TakeDefects};
pub use features::{Features, ROOT_AXES, WeightedJoint};
pub use floor::Floor;
pub use gait::{Footing, Gait, MOVING_MPS, MotionKind, Running, curve_side, run_speed};
pub use heading::Heading;
pub use pace::OddPace;
pub use segments::Segment;
pub use spectrum::{Peak, Spectrum};
pub use standing::ContactLimits;
pub use strides::{Evenness, FootMeans, FootPaths, Mean, Stride, Strides};
pub use velocity::velocities;

/// A take with the results of its analysis, computed before the search for loops.
///
/// All fields belong to that take; only [`Self::new`] and [`Self::with`] create one.
#[value]
#[non_exhaustive]
pub struct Analysis {
    /// The take.
    pub take: Take,
    /// World positions and rotations of all joints.
    pub world: WorldTracks,
    /// Hips, feet, hands, head.
    pub body: Body,
    /// Unreliable frames and joints.
    pub defects: TakeDefects,
    /// Per frame, whether it may be an end of a loop.
    pub usable: Vec<bool>,
    /// The height of the floor, frame by frame.
    pub floor: Floor,
    /// Ground frame per frame.
    pub heading: Heading,
    /// Compared joints, with weights.
    pub joints: Vec<WeightedJoint>,
    /// The compared features.
    pub features: Features,
    /// Activity of every frame: where the take moves.
    pub activity: Activity,
    /// When the feet stand.
    pub contacts: Contacts,
    /// Activities of the body, in order of time.
    pub segments: Vec<Segment>,
    /// Lengths at which the take repeats.
    pub spectrum: Spectrum,
    /// The caller's choices, for analyses of takes derived from this one.
    pub(crate) overrides: BodyOverrides,
}

impl Analysis {
    /// Analyses a take: its body is found by names, else by shape.
    ///
    /// Errors: [`BodyError::NoWeight`] if no joint is left to compare poses.
    pub fn new(take: &Take) -> Result<Self, BodyError> {
        Self::with(take, &BodyOverrides::default())
    }

    /// Analyses a take with joints, weights or contact limits that the caller gives.
    ///
    /// Errors: a joint named in `overrides` does not exist, or a weight or limit cannot be used.
    pub fn with(take: &Take, overrides: &BodyOverrides) -> Result<Self, BodyError> {
        overrides.check()?;
        let body = Body::find(take, overrides)?;
        let world = take.world_tracks();
        let defects = TakeDefects::of(take, &world, &body);
        let usable = defects.usable_ends(take.num_frames());
        let place = (take.skeleton(), &body);
        let contacts = Contacts::of(&world, place, take.frame_time_secs(), &overrides.contacts);
        Self::of_body((take.clone(), world), (body, contacts), (defects, usable), overrides)
    }

    /// Analyses the take at another rate, from a frame on and in steps of these frames, with its defects and the frames that may be
    /// ends; `None` as for [`Self::with`].
    pub(crate) fn resampled(
        &self,
        take: Take,
        first_and_step: [f64; 2],
        (defects, usable): (TakeDefects, Vec<bool>),
    ) -> Option<Self> {
        let contacts = self.contacts.resampled(first_and_step, take.num_frames());
        let world = take.world_tracks();
        let of_body = (self.body.clone(), contacts);
        Self::of_body((take, world), of_body, (defects, usable), &self.overrides).ok()
    }

    fn of_body(
        (take, world): (Take, WorldTracks),
        (body, contacts): (Body, Contacts),
        (defects, usable): (TakeDefects, Vec<bool>),
        overrides: &BodyOverrides,
    ) -> Result<Self, BodyError> {
        let floor = Floor::of(&world, &body, &contacts, take.frame_time_secs());
        let heading = Heading::over(&world, &body, floor.heights());
        let joints = features::weights(take.skeleton(), &body, &defects, &overrides.weights)?;
        let features = Features::of(&take, &world, &heading, &body, &joints);
        let size = body.stature(&take).map(|height| height / body::USUAL_HEIGHT_METRES);
        let activity = Activity::of(&features, &usable, size, take.frame_time_secs());
        let segments = segments::segments((&take, &world, &body), &heading, &activity, &contacts);
        let spectrum = Spectrum::of(&features, &defects);
        Ok(Self {
            take,
            world,
            body,
            defects,
            usable,
            floor,
            heading,
            joints,
            features,
            activity,
            contacts,
            segments,
            spectrum,
            overrides: overrides.clone(),
        })
    }

    /// Returns the caller's choices for the body.
    pub fn overrides(&self) -> &BodyOverrides {
        &self.overrides
    }

    /// Computes the features of other joints than [`Self::joints`], such as those of another take by the same names.
    pub fn features_of(&self, joints: &[WeightedJoint]) -> Features {
        Features::of(&self.take, &self.world, &self.heading, &self.body, joints)
    }

    /// Measures the strides of the body, by its contacts.
    pub fn strides(&self) -> Strides {
        self.contacts.strides(&self.take, &self.world, &self.body)
    }

    /// Returns the usual footing in a stride, if the feet make strides.
    pub(crate) fn footing(&self) -> Option<Footing> {
        self.strides().footing()
    }

    /// Returns half the height of the body, metres, which converts turn rates to speeds.
    pub fn half_height(&self) -> f64 {
        features::half_height(&self.body, &self.take)
    }

    /// Returns the speed over the ground around a frame, metres per second: over half a second, as far as the take extends.
    pub fn ground_mps(&self, frame: usize) -> f64 {
        self.heading.mps(frame, self.take.frame_time_secs())
    }

    /// Returns the pace of the legs if it is impossible for a body of this size, so that the rate of the file must be wrong.
    pub fn odd_pace(&self) -> Option<OddPace> {
        pace::odd_pace(&self.take, &self.world, &self.body, &self.heading)
    }

    /// Returns the speed of the whole body at a frame, metres per second: the weighted mean over the joints, plus the root.
    pub fn speed(&self, frame: usize) -> f64 {
        self.features.speed(frame)
    }
}
