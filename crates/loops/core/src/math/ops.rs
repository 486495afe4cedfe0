//! Transcendental functions with the same bits on every platform.
//!
//! The standard library uses the platform's mathematics, which differs in the last digit between systems. The core uses these
//! functions instead, so that results are the same on all machines.

use glam::DVec3;
pub use libm::{atan2, cos, erfc, exp, hypot, log as ln, log1p as ln_1p, sin, sincos as sin_cos};

/// Length over the ground: of all but the part along +Y.
pub fn over_ground(way: DVec3) -> f64 {
    hypot(way.x, way.z)
}
