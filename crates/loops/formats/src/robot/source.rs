//! The form of a robot's motion in its file.

use crate::space::{Space, Up};

/// The layout of the numbers in a file.
#[handed_over(Eq)]
pub(crate) enum Layout {
    /// Rows of Unitree: the base, its quaternion and angles, without a header; in the shorter one some joints of the waist and the wrists
    /// are missing.
    Unitree { is_short: bool },
    /// Rows of SEED below a header, in centimetres and degrees.
    Seed,
    /// JSON of `motion_imitation`: the base, its quaternion and angles.
    Imitation,
    /// JSON of DeepMimic: a duration, the base, its quaternion and angles, with Y up.
    DeepMimic,
    /// JSON of `AMP_for_hardware`: also where feet are, and all velocities.
    Hardware,
    /// JSON of TienKung: Euler angles of the base, and all velocities.
    TienKung,
    /// NPZ of BeyondMimic and mjlab: positions and velocities of joints and bodies, these in the order of a [`Bodies`].
    Tracking(Bodies),
    /// Pickle of GMR.
    Gmr,
}

/// The bodies that arrays hold, and their order.
#[handed_over(Copy, Default, Eq)]
pub(crate) struct Bodies {
    /// Whether the world comes first.
    pub with_world: bool,
    /// Whether bodies, and joints, are ordered by depth.
    pub by_depth: bool,
    /// Whether bodies that no joint of their own moves are left out.
    pub moved_only: bool,
}

/// The form of a robot's motion: the layout of its file. Files are in metres with Z up.
#[handed_over]
pub struct RobotSource {
    pub(crate) layout: Layout,
    pub(super) space: Space,
}

impl RobotSource {
    /// Creates a form for a take.
    pub(crate) fn new(layout: Layout) -> Self {
        Self {
            space: Space {
                up: if layout == Layout::DeepMimic { Up::Y } else { Up::Z },
                ..Space::METRES_Y_UP
            },
            layout,
        }
    }
}
