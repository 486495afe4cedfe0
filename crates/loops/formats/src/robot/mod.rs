//! Robots: their descriptions (MJCF and URDF) as skeletons with hinges, and the files that hold their motion.
//!
//! docs/guide/robots.md describes the layouts.

mod body;
pub(crate) mod error;
pub(crate) mod format;
mod mjcf;
pub(crate) mod motion;
mod pickle;
mod read;
mod rows;
pub(crate) mod source;
mod urdf;

pub use error::{RobotError, RobotMotionError};
pub use read::read_robot;
pub use source::RobotSource;
