//! What a take holds: its body, its heading, its features, what is soiled, what repeats.
//!
//! [`Analysis::of`] gathers it all once; the stages after it look things up here.

use crate::take::{Take, WorldTracks};

pub mod body;

pub mod heading;

pub mod velocity;

pub mod screen;

pub mod features;

pub mod energy;

pub mod standing;

pub mod contacts;

pub mod segments;

pub mod spectrum;

pub(crate) mod seam_peak;

use body::{Body, BodyError, BodyOverrides};
use contacts::Contacts;
use energy::Energy;
use features::{Features, WeightedJoint};
use heading::Heading;
use screen::Screen;
use segments::Segment;
use spectrum::Spectrum;

/// All that is found out about a take before loops are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// World positions and rotations of all joints.
    pub world: WorldTracks,
    /// Hips, feet, hands, head.
    pub body: Body,
    /// Frames and joints that cannot be trusted.
    pub screen: Screen,
    /// Per frame whether it may be an end of a loop.
    pub usable: Vec<bool>,
    /// Ground frame per frame.
    pub heading: Heading,
    /// Joints that are compared, with weights.
    pub joints: Vec<WeightedJoint>,
    /// What is compared.
    pub features: Features,
    /// Where the take moves.
    pub energy: Energy,
    /// When the feet stand.
    pub contacts: Contacts,
    /// What the body does, one after the other.
    pub segments: Vec<Segment>,
    /// Which lengths repeat.
    pub spectrum: Spectrum,
}

impl Analysis {
    /// Studies a take. Errors: a joint named in `overrides` is not there, or a weight or limit is not one.
    pub fn of(take: &Take, overrides: &BodyOverrides) -> Result<Self, BodyError> {
        overrides.check()?;
        let world = take.world_tracks();
        let body = Body::find(take, overrides)?;
        let screen = Screen::of(take, &world, &body);
        let usable = screen.usable_ends(take.num_frames());
        let heading = Heading::of(&world, &body, take.frame_time_secs());
        let joints = features::weights(take.skeleton(), &body, &screen, &overrides.weights)?;
        let features = Features::of(take, &world, &heading, &body, &joints);
        let energy = Energy::of(&features, &usable, take.frame_time_secs());
        let contacts = Contacts::of(&world, &body, &heading, take.frame_time_secs(), &overrides.contacts);
        let segments = segments::segments(take, &body, &heading, &energy);
        let spectrum = Spectrum::of(&features);
        Ok(Self {
            world,
            body,
            screen,
            usable,
            heading,
            joints,
            features,
            energy,
            contacts,
            segments,
            spectrum,
        })
    }
}
