//! Hands values over to another instance of the same build: from a page's worker to the page.
//!
//! With the feature `handover` settings and results implement serde's traits. Received values are not checked again, so bytes
//! from elsewhere may break the invariants of the types. This is not a file format, and changes without notice.
//!
//! An analysis of a long take has arrays of a hundred megabytes. They are handed over separately ([`long_arrays`]), so that the
//! receiver can copy them piece by piece.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::{
    LoopCandidate, LoopClip, MadeLoop, Pose, RootSettings, Skeleton, Take, Tracks,
    analysis::{
        Activity, Analysis, Body, BodyOverrides, Contacts, Features, Floor, Heading, Segment, Spectrum, TakeDefects,
        WeightedJoint,
    },
    closure::Closed,
    edit::LoopEdit,
    feet::Feet,
    math::Rigid,
    mean_cycle::MeanCycle,
    motion::WorldTracks,
    pipeline::Retimed,
    retarget::Likeness,
    root_motion::RootRelativeClip,
    take::Tail,
    variation::Variation,
};

/// Number of arrays of [`long_arrays`].
pub const NUM_LONG_ARRAYS: usize = 5;

/// The arrays do not belong to the parts.
#[value(Copy, Eq, thiserror::Error)]
#[error("the handed-over arrays do not match the analysis")]
pub struct HandoverError;

/// Returns the arrays of an analysis that have values for every joint at every frame.
pub fn long_arrays(analysis: &Analysis) -> [&[f64]; NUM_LONG_ARRAYS] {
    let values = analysis.take.values();
    let [positions, velocities] = analysis.features.arrays();
    [
        bytemuck::cast_slice(values.translations),
        bytemuck::cast_slice(values.rotations),
        bytemuck::cast_slice(analysis.world.all_positions()),
        positions,
        velocities,
    ]
}

/// Defines [`AnalysisParts`] and its conversions by the fields that it shares with [`Analysis`].
macro_rules! analysis_parts {
    ($($field:ident: $of:ty,)*) => {
        /// An analysis without its long arrays.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct AnalysisParts {
            take_name: String,
            skeleton: Skeleton,
            frame_time_secs: f64,
            tail: Option<Tail>,
            features: Features,
            $($field: $of,)*
        }

        impl AnalysisParts {
            /// Copies an analysis without its long arrays.
            pub fn from_analysis(analysis: &Analysis) -> Self {
                let take = &analysis.take;
                Self {
                    take_name: take.name().to_owned(),
                    skeleton: take.skeleton().clone(),
                    frame_time_secs: take.frame_time_secs(),
                    tail: take.tail().cloned(),
                    features: analysis.features.without_arrays(),
                    $($field: analysis.$field.clone(),)*
                }
            }

            /// Rebuilds the analysis with its arrays. Errors: their lengths do not fit.
            pub fn with_arrays(self, arrays: [Vec<f64>; NUM_LONG_ARRAYS]) -> Result<Analysis, HandoverError> {
                let [translations, rotations, world, positions, velocities] = arrays;
                let values = Pose {
                    translations: vectors(translations),
                    rotations: bytemuck::allocation::try_cast_vec::<f64, DQuat>(rotations)
                        .unwrap_or_else(|(_, rotations)| bytemuck::pod_collect_to_vec(&rotations)),
                };
                let num_joints = self.skeleton.num_joints();
                let fits = values.translations.len() == values.rotations.len()
                    && values.translations.len() == self.usable.len() * num_joints
                    && !self.usable.is_empty();
                if !fits {
                    return Err(HandoverError);
                }
                let tracks = Arc::new(Tracks::from_continuous(self.skeleton, self.frame_time_secs, values));
                let mut take = Take::from_known(&self.take_name, Arc::clone(&tracks));
                if let Some(tail) = self.tail {
                    take = take.with_tail(tail).map_err(|_| HandoverError)?;
                }
                Ok(Analysis {
                    world: WorldTracks::of_positions(&tracks, vectors(world)).ok_or(HandoverError)?,
                    features: self.features.with_arrays([positions, velocities]).ok_or(HandoverError)?,
                    take,
                    $($field: self.$field,)*
                })
            }
        }
    };
}

analysis_parts! {
    body: Body,
    defects: TakeDefects,
    usable: Vec<bool>,
    floor: Floor,
    heading: Heading,
    joints: Vec<WeightedJoint>,
    activity: Activity,
    contacts: Contacts,
    segments: Vec<Segment>,
    spectrum: Spectrum,
    overrides: BodyOverrides,
}

/// Converts triples of numbers to vectors, in place if the allocation allows it.
fn vectors(numbers: Vec<f64>) -> Vec<DVec3> {
    bytemuck::allocation::try_cast_vec(numbers).unwrap_or_else(|(_, numbers)| bytemuck::pod_collect_to_vec(&numbers))
}

/// Defines [`MadeParts`] and its conversions by the fields that it shares with [`MadeLoop`].
macro_rules! made_parts {
    ($($field:ident: $of:ty,)*) => {
        /// A loop without its take, for a receiver that has the take.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct MadeParts {
            /// The take if it differs from the analysed one: a closing key may have been added.
            completed: Option<(String, Tracks)>,
            $($field: $of,)*
        }

        impl MadeLoop {
            /// Returns everything except the take, if that is this one, and the loops before retargeting and variation.
            pub fn to_parts(&self, take: &Take) -> MadeParts {
                let own = self.take.tracks();
                let is_known = Arc::ptr_eq(own, take.tracks()) && self.take.name() == take.name();
                MadeParts {
                    completed: (!is_known).then(|| (self.take.name().to_owned(), (**own).clone())),
                    $($field: self.$field.clone(),)*
                }
            }
        }

        impl MadeParts {
            /// Rebuilds the loop from that take.
            pub fn of_take(self, take: &Take) -> MadeLoop {
                MadeLoop {
                    take: match self.completed {
                        Some((name, tracks)) => Take::from_known(&name, Arc::new(tracks)),
                        None => take.clone(),
                    },
                    $($field: self.$field,)*
                    of_take: None,
                    unvaried: None,
                }
            }
        }
    };
}

made_parts! {
    loop_clip: LoopClip,
    body: Body,
    candidate: LoopCandidate,
    root: RootSettings,
    source: RootRelativeClip,
    mean_cycle: Option<MeanCycle>,
    variation: Option<Variation>,
    closed: Closed,
    feet: Feet,
    edits: Vec<LoopEdit>,
    retimed: Option<Retimed>,
    first_sample: usize,
    recentered_by: Option<Rigid>,
    likeness: Option<Likeness>,
}
