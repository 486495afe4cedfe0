//! Builds the skeleton of a robot from its bodies.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Skeleton,
    math::{Rigid, mean, rotation, smallest},
    motion::{Hinge, Hinges, Pose, RobotLink, Sole, SolePoint},
};

use super::{
    body::{RawBody, lows},
    error::RobotError,
    mjcf, urdf,
};
use crate::excerpt::one_line;

/// Height above the lowest point of a foot up to which points belong to its sole; and above the lowest body up to which a body is a foot,
/// metres.
const SOLE_METRES: f64 = 0.01;
const FEET_METRES: f64 = 0.03;

/// Feet mirror each other within this, metres.
const MIRROR_METRES: f64 = 0.01;

/// Height above the lowest point up to which a body with only meshes may be a foot, metres.
const MESH_METRES: f64 = 0.15;

/// Most points of a sole; of more, only the farthest in so many directions are kept.
const MOST_POINTS: usize = 8;

/// Reads the description of a robot, MJCF or URDF, as a skeleton with hinges; meshes are not needed.
///
/// Its axes are those of the file, Z up and X ahead. Errors: [`RobotError`]; no input panics.
///
/// ```
/// let mjcf = r#"<mujoco><worldbody><body name="base"><freejoint/>
///   <body name="leg" pos="0 0 -.1"><joint name="hip" axis="0 1 0" range="-90 90"/>
///     <geom type="sphere" size=".02" pos="0 0 -.4"/></body></body></worldbody></mujoco>"#;
/// let robot = loopwright_formats::read_robot(mjcf.as_bytes())?;
/// assert_eq!(robot.joint(1).name, "hip");
/// assert_eq!(robot.hinges().map(|hinges| hinges.each().count()), Some(1));
/// # Ok::<(), loopwright_formats::RobotError>(())
/// ```
pub fn read_robot(bytes: &[u8]) -> Result<Skeleton, RobotError> {
    let xml = |detail: String| RobotError::Xml { detail };
    let text = core::str::from_utf8(bytes).map_err(|error| xml(error.to_string()))?;
    let document =
        roxmltree::Document::parse(text.trim_start_matches('\u{FEFF}')).map_err(|error| xml(error.to_string()))?;
    let root = document.root_element();
    let bodies = match root.tag_name().name() {
        "mujoco" => mjcf::bodies(root)?,
        "robot" => urdf::bodies(root)?,
        other => {
            return Err(RobotError::NoRobot { found: one_line(other) });
        }
    };
    built(bodies)
}

/// A joint, and what of its bodies may touch the ground.
struct Made {
    joint: Joint,
    hinge: Option<Hinge>,
    points: Vec<SolePoint>,
    /// The first of its bodies with a mesh.
    mesh: Option<String>,
}

impl Made {
    fn new(joint: Joint, hinge: Option<Hinge>) -> Self {
        Self {
            joint,
            hinge,
            points: Vec::new(),
            mesh: None,
        }
    }
}

/// Returns the skeleton of bodies, each after the one that it hangs from.
fn built(bodies: Vec<RawBody>) -> Result<Skeleton, RobotError> {
    let mut made: Vec<Made> = Vec::new();
    let mut links: Vec<RobotLink> = Vec::new();
    for body in bodies {
        let (mut joint, mut at) = match body.parent.and_then(|parent| links.get(parent)) {
            Some(link) => (link.joint, link.at * body.place.unwrap_or(Rigid::IDENTITY)),
            None => {
                made.push(Made::new(Joint::new(body.name.clone(), None, DVec3::ZERO), None));
                (0, Rigid::IDENTITY)
            }
        };
        for hinge in body.hinges {
            let offset = at.transform_point(hinge.anchor);
            let axis = hinge.axis.try_normalize().unwrap_or(DVec3::Z);
            let turns = Hinge {
                axis,
                rest: (at.rotation * rotation::exp(-hinge.reference * axis)).normalize(),
                limits: hinge.limits,
                speed: hinge.speed,
            };
            made.push(Made::new(Joint::new(hinge.name, Some(joint), offset), Some(turns)));
            joint = made.len() - 1;
            at = Rigid::new(DQuat::IDENTITY, -hinge.anchor);
        }
        made[joint].points.extend(body.points.iter().map(|point| SolePoint {
            at: at.transform_point(point.at),
            ..*point
        }));
        if body.has_mesh {
            made[joint].mesh.get_or_insert_with(|| body.name.clone());
        }
        links.push(RobotLink {
            name: body.name,
            parent: body.parent,
            joint,
            at,
        });
    }
    let joints: Vec<Joint> = made.iter().map(|made| made.joint.clone()).collect();
    for (index, joint) in joints.iter().enumerate() {
        if joints[..index].iter().any(|other| other.name == joint.name) {
            return Err(RobotError::SameName {
                name: one_line(&joint.name),
            });
        }
    }
    if joints.is_empty() {
        return Err(RobotError::NoBodies);
    }
    let skeleton = Skeleton::new(joints)?;
    let mut robot = Hinges {
        hinges: made.iter().map(|made| made.hinge).collect(),
        soles: Vec::new(),
        links,
    };
    let angles: Vec<f64> = robot.each().map(|(_, hinge)| hinge.within(0.0)).collect();
    let rest = robot.pose(&skeleton, Rigid::IDENTITY, angles).world(&skeleton);
    robot.soles = soles(&skeleton, &rest, &made)?;
    let mut tips = vec![None; skeleton.num_joints()];
    for sole in &robot.soles {
        tips[sole.joint] = Some(tip(sole, &rest));
    }
    Ok(skeleton.with_tips(tips).with_hinges(robot))
}

/// Returns the front end of a sole, in the axes of its joint.
fn tip(sole: &Sole, rest: &Pose) -> DVec3 {
    let frame = rest.joint(sole.joint);
    let lows = || lows(&sole.points, frame);
    let middle = mean(lows()).x;
    frame
        .inverse()
        .transform_point(mean(lows().filter(|low| low.x >= middle - 1e-9)))
}

/// Returns the feet: the lowest ends of limbs that have a mirrored partner, by their collision shapes. Errors: the lowest has only meshes.
fn soles(skeleton: &Skeleton, rest: &Pose, made: &[Made]) -> Result<Vec<Sole>, RobotError> {
    let ends: Vec<usize> = (1..skeleton.num_joints())
        .filter(|&joint| skeleton.children(joint).is_empty())
        .collect();
    let lows_of = |joint: usize| lows(&made[joint].points, rest.joint(joint));
    let lowest = |joint: usize| smallest(lows_of(joint).map(|low| low.z));
    let ground = smallest(ends.iter().map(|&joint| lowest(joint)));
    let height = |joint: usize| rest.translations[joint].z;
    let only_mesh = ends.iter().find_map(|&joint| {
        let name = made[joint].mesh.as_ref().filter(|_| made[joint].points.is_empty())?;
        (height(joint) < ground + MESH_METRES).then_some((joint, name))
    });
    let lowest_end = ends
        .iter()
        .min_by(|one, other| height(**one).total_cmp(&height(**other)));
    if let Some((joint, name)) = only_mesh
        && (ground.is_infinite() || lowest_end == Some(&joint))
    {
        return Err(RobotError::MeshSoles { name: one_line(name) });
    }
    let found: Vec<Sole> = ends
        .iter()
        .filter(|&&joint| lowest(joint) < ground + FEET_METRES)
        .map(|&joint| {
            let level = lowest(joint) + SOLE_METRES;
            let sole = made[joint]
                .points
                .iter()
                .zip(lows_of(joint))
                .filter(|(_, low)| low.z < level)
                .map(|(point, _)| *point);
            Sole {
                joint,
                points: hull(sole.collect(), rest.joint(joint)),
            }
        })
        .collect();
    let middles: Vec<DVec3> = found
        .iter()
        .map(|sole| mean(lows(&sole.points, rest.joint(sole.joint))))
        .collect();
    let mirror = DVec3::new(1.0, -1.0, 1.0);
    Ok(found
        .into_iter()
        .enumerate()
        .filter_map(|(own, sole)| {
            let mut others = (0..middles.len()).filter(|&other| other != own);
            others
                .any(|other| (middles[other] * mirror).distance(middles[own]) < MIRROR_METRES)
                .then_some(sole)
        })
        .collect())
}

/// Returns the farthest points in each of some directions, if there are many.
fn hull(points: Vec<SolePoint>, frame: Rigid) -> Vec<SolePoint> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let mut kept: Vec<SolePoint> = Vec::new();
    for direction in 0..MOST_POINTS {
        let turn = core::f64::consts::TAU * direction as f64 / MOST_POINTS as f64;
        let way = rotation::exp(turn * DVec3::Z) * DVec3::X;
        let reach = |point: &SolePoint| frame.transform_point(point.at).dot(way) + point.radius;
        let farthest = points.iter().max_by(|one, other| reach(one).total_cmp(&reach(other)));
        kept.extend(farthest.filter(|point| !kept.contains(point)));
    }
    kept
}
