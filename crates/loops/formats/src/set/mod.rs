//! Sets in files: the manifest beside the clips ([`Manifest`]), and the JSON beside a passage ([`PassageFacts`]).
//!
//! Keys are in everyday units and name them; positions have +Y up and +Z forward. docs/formats/set.md describes the manifest.

mod check;

mod facts;

mod manifest;

mod passage;

pub use check::ManifestError;
pub use facts::{ClipKind, FootEventFacts, LoopStateFacts, RootKeys};
pub use manifest::{
    Filled, LeftOut, MadeFrom, Manifest, Missing, SET_FILE, SET_FORMAT, SET_VERSION, SetClip, SetController, SetMade,
    SetMode, SetPhase, SetPoint, SetSkeleton, SetSpace, SetTransition, SetTwist,
};
pub use passage::{CyclesFacts, PassageFacts};
