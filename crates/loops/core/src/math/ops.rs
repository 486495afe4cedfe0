//! Transcendental functions with the same bits on every platform.
//!
//! The standard library uses the platform's mathematics, which differs in the last digit between systems. The core uses these
//! functions instead, so that results are the same on all machines.

use glam::DVec3;

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Sine and cosine of an angle in radians.
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Returns the angle in radians, in -pi to pi, of the point (x, y) seen from the origin.
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// e to the power of x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Natural logarithm of 1 + x, exact for small x.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Returns the length of the plane vector (x, y) without overflow.
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// Length over the ground: of all but the part along +Y.
pub fn over_ground(way: DVec3) -> f64 {
    hypot(way.x, way.z)
}

/// Complementary error function, 1 - erf(x), exact for large x.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
