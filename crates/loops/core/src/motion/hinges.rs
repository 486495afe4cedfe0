//! Robots: joints that turn about one axis within limits, and the points on which feet stand.

use glam::{DQuat, DVec3};

use crate::math::{Rigid, ops, rotation};

/// A joint that turns about one axis alone.
#[handed_over(Copy)]
pub struct Hinge {
    /// The axis, a unit vector in the axes of the joint.
    pub axis: DVec3,
    /// Rotation in the axes of the parent at the angle 0.
    pub rest: DQuat,
    /// Smallest and largest angle, radians; `None` if it turns without end.
    pub limits: Option<[f64; 2]>,
    /// Largest speed, radians per second, if it is known.
    pub speed: Option<f64>,
}

impl Hinge {
    /// Returns the local rotation at an angle, radians.
    pub fn rotation(&self, angle: f64) -> DQuat {
        rotation::renormalized(self.rest * rotation::exp(self.axis * angle))
    }

    /// Returns the angle of a local rotation, radians: that of its part about the axis, in the turn whose middle is that of the limits.
    pub fn angle(&self, local: DQuat) -> f64 {
        let turned = self.rest.conjugate() * local;
        let angle = 2.0 * ops::atan2(turned.xyz().dot(self.axis), turned.w);
        let middle = self.limits.map_or(0.0, |[least, most]| 0.5 * (least + most));
        middle + rotation::wrap_angle(angle - middle)
    }

    /// Returns the part of a local rotation that is not about the axis, radians.
    pub fn off_axis(&self, local: DQuat) -> f64 {
        rotation::log(self.rotation(self.angle(local)).conjugate() * local).length()
    }

    /// Returns an angle within the limits.
    pub fn within(&self, angle: f64) -> f64 {
        self.limits.map_or(angle, |[least, most]| angle.max(least).min(most))
    }
}

/// A ball of a sole: where its centre is in the axes of its joint, and its radius, metres.
#[handed_over(Copy)]
pub struct SolePoint {
    /// The centre.
    pub at: DVec3,
    /// The radius; 0 for a corner.
    pub radius: f64,
}

/// The foot of a robot.
#[handed_over]
pub struct Sole {
    /// The joint that moves it.
    pub joint: usize,
    /// Its lowest points.
    pub points: Vec<SolePoint>,
}

/// A rigid body of a robot, as its simulators list them.
#[handed_over]
pub struct RobotLink {
    /// Its name.
    pub name: String,
    /// The body that it hangs from, by number; `None` for the first.
    pub parent: Option<usize>,
    /// The joint that moves it.
    pub joint: usize,
    /// Its frame in the axes of that joint.
    pub at: Rigid,
}

/// The properties of a skeleton that is a robot.
///
/// The frames of its joints are at their anchors, and only the first joint moves freely.
#[handed_over]
pub struct Hinges {
    /// For each joint its hinge; `None` for joints that are fixed, and for the first.
    pub hinges: Vec<Option<Hinge>>,
    /// Its feet; empty if none are known.
    pub soles: Vec<Sole>,
    /// Its bodies, each before those that hang from it.
    pub links: Vec<RobotLink>,
}

impl Hinges {
    /// Returns the joints with a hinge, with it, in their order.
    pub fn each(&self) -> impl Iterator<Item = (usize, &Hinge)> {
        let hinges = self.hinges.iter().enumerate();
        hinges.filter_map(|(joint, hinge)| Some((joint, hinge.as_ref()?)))
    }

    /// Returns them with every length multiplied by `factor`.
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        for point in self.soles.iter_mut().flat_map(|sole| &mut sole.points) {
            point.at *= factor;
            point.radius *= factor;
        }
        for link in &mut self.links {
            link.at.translation *= factor;
        }
        self
    }
}
