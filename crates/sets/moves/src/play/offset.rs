//! The offset after a jump, and its fade: positions, rotations and their rates at once.
//!
//! At the jump every joint differs by x in position and by v in velocity from the new loop. Adding x p(t) + v q(t), with p and q
//! the curves of a decay, keeps position and velocity continuous and converges to the new loop. Rotations: exp(o(t)) before the
//! loop's, with o(0) the rotation vector of the gap and o'(0) = J(o)^-1 (w_before - exp(o) w_after), as in the closure of a
//! seam. The root is continuous by construction, and its difference of velocities fades in the same way. Source:
//! docs/math/so3.md, docs/math/shapes.md.

use glam::DVec3;

use super::INTERPOLATION;
use loopwright_core::{
    loop_clip::LoopClip,
    math::{Decay, Rigid, Twist, rotation},
    motion::Pose,
};

/// A value and its rate at the jump.
type Pair = [DVec3; 2];

/// The body and the root at one time, with rates.
#[value]
pub struct MovingPose {
    /// The body, local, relative to the root.
    pub body: Pose,
    /// Rates of the translations, metres per second.
    pub velocities: Vec<DVec3>,
    /// Angular velocities in the parent's axes, radians per second.
    pub spins: Vec<DVec3>,
    /// The root, seen from its transform at the last jump.
    pub root: Rigid,
    /// Its rate, in its own axes.
    pub twist: Twist,
}

impl MovingPose {
    /// Returns the state of a loop at a time, with the root's own transform.
    pub(super) fn of_loop(clip: &LoopClip, secs: f64) -> Self {
        let (velocities, spins) = clip.body_rates_at(secs);
        Self {
            body: clip.body_pose_at(secs, INTERPOLATION),
            velocities,
            spins,
            root: Rigid::IDENTITY,
            twist: clip.root().twist,
        }
    }
}

/// The offset added to a loop after a jump into it.
#[value]
pub struct FadingOffset {
    translations: Vec<Pair>,
    rotations: Vec<Pair>,
    /// Velocity differences of the root, in its own axes: linear and angular.
    root: Pair,
}

impl FadingOffset {
    /// Returns no offset.
    pub fn none(num_joints: usize) -> Self {
        Self {
            translations: vec![[DVec3::ZERO; 2]; num_joints],
            rotations: vec![[DVec3::ZERO; 2]; num_joints],
            root: [DVec3::ZERO; 2],
        }
    }

    /// Returns the offset that continues from `left` when the loop is `joined`.
    pub fn between(left: &MovingPose, joined: &MovingPose) -> Self {
        let positions = left.body.translations.iter().zip(&joined.body.translations);
        let speeds = left.velocities.iter().zip(&joined.velocities);
        let turns = left.body.rotations.iter().zip(&joined.body.rotations);
        let spins = left.spins.iter().zip(&joined.spins);
        Self {
            translations: positions
                .zip(speeds)
                .map(|((x, to), (v, into))| [*x - *to, *v - *into])
                .collect(),
            rotations: turns
                .zip(spins)
                .map(|((&q, &to), (&w, &into))| {
                    let gap = rotation::difference(q, to);
                    [
                        gap,
                        rotation::left_jacobian_inverse(gap) * (w - rotation::exp(gap) * into),
                    ]
                })
                .collect(),
            root: [
                left.twist.linear - joined.twist.linear,
                left.twist.angular - joined.twist.angular,
            ],
        }
    }

    /// Adds the offset that remains after `secs` seconds to the loop's own state, including rates.
    pub fn add_to(&self, state: &mut MovingPose, fade: Decay, secs: f64) {
        if secs < 0.0 {
            return;
        }
        let fading = fade.at(secs);
        let value = |[x, v]: Pair| x * fading.position.value + v * fading.velocity.value;
        let rate = |[x, v]: Pair| x * fading.position.rate + v * fading.velocity.rate;
        for (joint, &pair) in self.translations.iter().enumerate() {
            state.body.translations[joint] += value(pair);
            state.velocities[joint] += rate(pair);
        }
        for (joint, &pair) in self.rotations.iter().enumerate() {
            let (o, step) = (value(pair), rate(pair));
            let turn = rotation::exp(o);
            state.body.rotations[joint] = (turn * state.body.rotations[joint]).normalize();
            state.spins[joint] = rotation::left_jacobian(o) * step + turn * state.spins[joint];
        }
        // The root's own offset follows its root motion: X(t) = root(t) exp(o(t)), with o in the root's axes.
        let [linear, angular] = self.root.map(|v| [DVec3::ZERO, v]);
        let (position, turn) = (value(linear), value(angular));
        let offset = Rigid::new(rotation::exp(turn), position);
        state.root = state.root * offset;
        let back = offset.rotation.conjugate();
        state.twist = Twist {
            linear: back * (state.twist.linear + state.twist.angular.cross(position) + rate(linear)),
            // In the moving axes the Jacobian is that of the inverse rotation.
            angular: back * state.twist.angular + rotation::left_jacobian(-turn) * rate(angular),
        };
    }
}
