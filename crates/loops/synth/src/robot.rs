//! The walk on a robot: its pelvis and its feet follow the walker's, on hinges.

use glam::{DQuat, DVec3};
use loopwright_core::{
    PoseRef, Take,
    math::{Rigid, ops, rotation},
    motion::{Hinge, Hinges, Skeleton},
};

use crate::{
    SynthError, SyntheticTake,
    body::{SHANK_METRES, Side, THIGH_METRES, joint},
};

/// A biped with the legs of the walker, as MJCF: twelve hinges of legs, a waist, and two in each arm; feet of four spheres.
pub const ROBOT_MJCF: &str = include_str!("robot.xml");

/// The hinges of a leg, from the hips down, named after the prefix of its side.
const LEG: [&str; 6] = ["hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll"];

/// The robot's X ahead, Y to the left and Z up, in the walker's axes.
const AXES: DQuat = DQuat::from_xyzw(-0.5, -0.5, -0.5, 0.5);

/// Returns a walk on a robot of the kind that [`ROBOT_MJCF`] describes; the truth about the walk stays the same.
///
/// Errors: the robot lacks a joint of that kind of robot.
pub fn on_robot(made: &SyntheticTake, robot: &Skeleton) -> Result<Take, SynthError> {
    let find = |name: String| -> Result<(usize, Hinge), SynthError> {
        robot
            .find(&name)
            .and_then(|joint| Some((joint, (*robot.hinges()?.hinges.get(joint)?)?)))
            .ok_or(SynthError::NoJoint { name })
    };
    let named = |side: Side| side.of(["left", "right"]);
    let mut legs = Vec::new();
    for side in Side::BOTH {
        let hinges: Result<Vec<_>, _> = LEG
            .iter()
            .map(|name| find(format!("{}_{name}_joint", named(side))))
            .collect();
        legs.push((side, hinges?));
    }
    let arms = Side::BOTH.map(|side| find(format!("{}_shoulder_pitch_joint", named(side))));
    let (take, skeleton) = (&made.take, made.take.skeleton());
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..take.num_frames() {
        let world = take.pose(frame).world(skeleton);
        let hips = world.joint(joint::HIPS);
        let base = Rigid::new(
            rotation::from_yaw(rotation::yaw_of(hips.rotation)) * AXES,
            hips.translation,
        );
        let mut pose = loopwright_core::Pose::new(
            robot.joints().iter().map(|joint| joint.rest_offset).collect(),
            vec![DQuat::IDENTITY; robot.num_joints()],
        );
        for (joint, hinge) in robot.hinges().into_iter().flat_map(Hinges::each) {
            pose.rotations[joint] = hinge.rotation(0.0);
        }
        pose.set_joint(0, base);
        for (side, hinges) in &legs {
            let ankle = world.joint(side.up_leg() + 2);
            let angles = leg_angles(
                base.rotation,
                pose.as_ref().world_of(robot, hinges[0].0).translation,
                Rigid::new(ankle.rotation * AXES, ankle.translation),
            );
            for ((joint, hinge), angle) in hinges.iter().zip(angles) {
                pose.rotations[*joint] = hinge.rotation(hinge.within(angle));
            }
        }
        for (side, arm) in Side::BOTH.into_iter().zip(&arms) {
            let Ok((joint, hinge)) = arm else { continue };
            pose.rotations[*joint] = hinge.rotation(hinge.within(swing(&world.as_ref(), side, base)));
        }
        translations.extend(pose.translations);
        rotations.extend(pose.rotations);
    }
    Ok(Take::new(
        take.name(),
        robot.clone(),
        take.frame_time_secs(),
        translations,
        rotations,
    )?)
}

/// Returns how far back an upper arm swings, radians.
fn swing(world: &PoseRef, side: Side, base: Rigid) -> f64 {
    let [upper, lower] = [1, 2].map(|below| world.joint(side.shoulder() + below).translation);
    let down = base.rotation.conjugate() * (lower - upper);
    ops::atan2(-down.x, -down.z)
}

/// Returns the angles of a leg with its hip and foot at given places: yaw, roll and pitch of the hip, the knee, pitch and roll of the
/// ankle.
///
/// Source: Kajita, Hirukawa, Harada and Yokoi, "Introduction to Humanoid Robotics", 2.5.
fn leg_angles(base: DQuat, hip: DVec3, foot: Rigid) -> [f64; 6] {
    let seen = foot.rotation.conjugate() * (hip - foot.translation);
    let reach = seen.length().min(THIGH_METRES + SHANK_METRES - 1e-6);
    let cosine = (reach * reach - THIGH_METRES * THIGH_METRES - SHANK_METRES * SHANK_METRES)
        / (2.0 * THIGH_METRES * SHANK_METRES);
    let knee = ops::atan2((1.0 - cosine * cosine).max(0.0).sqrt(), cosine);
    let roll = ops::atan2(seen.y, seen.z);
    let pitch = -ops::atan2(seen.x, ops::hypot(seen.y, seen.z))
        - ops::atan2(
            THIGH_METRES * ops::sin(knee),
            SHANK_METRES + THIGH_METRES * ops::cos(knee),
        );
    let turn = |axis: DVec3, angle: f64| rotation::exp(axis * angle);
    let above = base.conjugate() * foot.rotation * turn(DVec3::X, -roll) * turn(DVec3::Y, -(knee + pitch));
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| above * axis);
    let yaw = ops::atan2(-y.x, y.y);
    [
        yaw,
        ops::atan2(y.z, -y.x * ops::sin(yaw) + y.y * ops::cos(yaw)),
        ops::atan2(-x.z, z.z),
        knee,
        pitch,
        roll,
    ]
}
