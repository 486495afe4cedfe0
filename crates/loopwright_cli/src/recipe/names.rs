//! What is listed of the choices that close a seam.

use loopwright::closure::{ClosureName, Order, SeamMotion};

use crate::words::Choice;

impl Choice for ClosureName {
    const ALL: &'static [Self] = &Self::OF_BODIES;

    fn word(self) -> &'static str {
        self.as_str()
    }

    fn help(self) -> &'static str {
        match self {
            Self::Auto => "The least visible of all, found by trying",
            Self::Quintic => "Meets in pose, velocity and acceleration; exactly zero after the blend time",
            Self::Cubic => "Meets in pose and velocity; exactly zero after the blend time",
            Self::Spring => {
                "Meets in pose and velocity; decays like a critically damped spring with the blend as half-life"
            }
            Self::Linear => "Spreads the pose evenly over the loop; velocity over the blend time",
            Self::SoftFade => {
                "Spreads the pose with a soft bend, whose hardness is --hardness; velocity over the blend time"
            }
            Self::Adjustment => "Spreads the pose where the joint moves most; velocity over the blend time",
            Self::Crossfade => "Blends into the frames that precede the start in the take",
            Self::Open => "Left as it is, with its jump",
        }
    }
}

impl Choice for Order {
    const ALL: &'static [Self] = &[Self::C1, Self::C2];

    fn word(self) -> &'static str {
        self.as_str()
    }

    fn help(self) -> &'static str {
        match self {
            Self::C1 => "Pose and velocity",
            Self::C2 => "Acceleration as well, where the shape carries it",
        }
    }
}

impl Choice for SeamMotion {
    const ALL: &'static [Self] = &[Self::Layered, Self::Central];

    fn word(self) -> &'static str {
        self.as_str()
    }

    fn help(self) -> &'static str {
        match self {
            Self::Layered => "Least squares over nine frames; what noise there is besides is met within a few frames",
            Self::Central => "Central differences, noise and all",
        }
    }
}
