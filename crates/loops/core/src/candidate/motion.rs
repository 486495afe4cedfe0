//! What a body does, in the words of animators.

use crate::analysis::segments::Gait;

/// What a take or a loop is, in the words of animators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Nothing moves.
    Still,
    /// The body hardly moves.
    Idle,
    /// It walks ahead, on a path or in place.
    Walk,
    /// It walks on a curve.
    TurningWalk,
    /// It runs ahead, on a path or in place, straight or on a curve.
    Run,
    /// It goes backwards.
    Backward,
    /// It goes sideways.
    Strafe,
    /// It turns and stays in its position.
    TurnInPlace,
    /// It leaves the ground once, with all feet.
    Jump,
    /// It moves once and comes to rest.
    OneShot,
    /// Something else, or its geometry does not tell.
    Other,
}

crate::words!(MotionKind {
    Still: "still",
    Idle: "idle",
    Walk: "walk",
    TurningWalk: "turning walk",
    Run: "run",
    Backward: "backward",
    Strafe: "strafe",
    TurnInPlace: "turn in place",
    Jump: "jump",
    OneShot: "one-shot",
    Other: "other",
});

impl From<Gait> for MotionKind {
    fn from(gait: Gait) -> Self {
        match gait {
            Gait::Idle => Self::Idle,
            Gait::OnTheSpot => Self::Other,
            Gait::Turn(_) => Self::TurnInPlace,
            Gait::Walk(None) => Self::Walk,
            Gait::Walk(Some(_)) => Self::TurningWalk,
            Gait::Run(_) => Self::Run,
            Gait::Backward => Self::Backward,
            Gait::Sideways(_) => Self::Strafe,
        }
    }
}
