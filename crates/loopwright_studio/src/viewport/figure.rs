//! A body of capsules: which bones are drawn, how thick, and on which side of the body.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{DAffine3, DQuat, DVec3};
use loopwright::{
    Pose, Skeleton,
    analysis::{Body, Side},
};
use loopwright_formats::mesh::{Mesh, MeshPart, Vertex};

use crate::model::Opened;

/// A capsule between two points of the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limb {
    /// Indices of the points at its ends.
    pub(super) ends: [usize; 2],
    /// Radii there, metres.
    pub(super) radii: [f64; 2],
    /// The side of the body; `None` for its trunk.
    pub(super) side: Option<Side>,
}

/// A body, made once from a take and posed at every frame.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    limbs: Vec<Limb>,
    /// Ends of bones beyond the joints: the joint, and the place in its axes.
    tips: Vec<(usize, DVec3)>,
}

/// Radii of legs and arms as shares of the height, joint by joint from hip and shoulder: near those of an adult.
const LEG: [f64; 5] = [0.043, 0.032, 0.022, 0.016, 0.012];
const ARM: [f64; 6] = [0.03, 0.024, 0.017, 0.012, 0.007, 0.006];

/// Radii of the trunk and of the head.
const TRUNK: f64 = 0.055;
const HEAD: f64 = 0.052;

/// Lengths of a head, a hand and toes whose bones have no end in the skeleton.
const HEAD_LENGTH: f64 = 0.07;
const TIP_LENGTH: f64 = 0.04;

/// Shorter bones are controls of the rig, longer ones props, in heights of the body.
const BONES: [f64; 2] = [0.002, 1.0];

/// Height of a body of unknown height, metres.
const USUAL_STATURE: f64 = 1.7;

/// Corners around a capsule, and rings of each of its ends.
const CORNERS: usize = 16;
const RINGS: usize = 4;

/// Which part of the body a joint belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Trunk,
    /// So many joints below the hip.
    Leg(usize),
    /// So many joints below the shoulder.
    Arm(usize),
}

impl Figure {
    pub(super) fn of(opened: &Opened) -> Self {
        let (skeleton, body) = (opened.skeleton(), opened.body());
        let stature = opened.stature().unwrap_or(USUAL_STATURE);
        let Pose {
            translations: points,
            rotations,
        } = opened
            .pose_at((opened.take().num_frames() / 2) as f64)
            .as_ref()
            .world(skeleton);
        let mut figure = Self {
            limbs: Vec::new(),
            tips: Vec::new(),
        };
        for joint in 0..skeleton.num_joints() {
            let path = skeleton.path_from_root(joint);
            let is_above_hips = joint != body.hips && !path.contains(&body.hips);
            if is_above_hips || body.is_control(joint) {
                continue;
            }
            let (part, side) = part_of(&path, body);
            let radius = |part: Part| stature * part.radius();
            if let Some(parent) = skeleton.parent(joint).filter(|_| joint != body.hips) {
                let bone = points[joint] - points[parent];
                let is_bone = (BONES[0] * stature..BONES[1] * stature).contains(&bone.length());
                if is_bone {
                    let (above, side_above) = part_of(&skeleton.path_from_root(parent), body);
                    // Limbs start at their own thickness, and what leads to them belongs to the trunk.
                    let starts = above == Part::Trunk && part != Part::Trunk;
                    let radii = match starts {
                        // Thinner than the limb that goes on, or both would flicker where they end.
                        true => [radius(Part::Trunk) * 0.8, 0.93 * radius(part)],
                        false => [radius(above), radius(part)],
                    };
                    figure.limbs.push(Limb {
                        ends: [parent, joint],
                        radii,
                        side: side_above.and(side),
                    });
                }
                let ends_here = skeleton.children(joint).is_empty();
                let is_head = Some(joint) == body.head;
                let length = match (is_head, part) {
                    (true, _) => Some((HEAD_LENGTH, HEAD)),
                    (_, Part::Arm(depth)) if ends_here && depth <= 2 => Some((TIP_LENGTH, part.radius())),
                    (_, Part::Leg(depth)) if ends_here && depth <= 3 => Some((TIP_LENGTH, part.radius())),
                    _ => None,
                };
                if let Some((length, share)) = length.filter(|_| is_bone) {
                    let along = bone.normalize_or_zero() * length * stature;
                    let tip = skeleton.num_joints() + figure.tips.len();
                    figure.tips.push((joint, rotations[joint].inverse() * along));
                    figure.limbs.push(Limb {
                        ends: [joint, tip],
                        radii: [share * stature; 2],
                        side,
                    });
                }
            }
        }
        if figure.limbs.is_empty() {
            figure.limbs = every_bone(skeleton, stature);
        }
        figure
    }

    /// All points in the world, joints first.
    pub(super) fn points(&self, world: &Pose) -> Vec<DVec3> {
        let tips = self
            .tips
            .iter()
            .map(|&(joint, tip)| world.as_ref().joint(joint).transform_point(tip));
        world.translations.iter().copied().chain(tips).collect()
    }

    /// A surface of capsules: each has a bone at both ends, in the order of [`Self::bones_at`].
    pub(super) fn surface(&self, colour: impl Fn(Option<Side>) -> [f32; 3]) -> Mesh {
        let mut mesh = Mesh::default();
        for (number, limb) in self.limbs.iter().enumerate() {
            let first = mesh.vertices.len() as u32;
            for end in 0..2 {
                for ring in 0..=RINGS {
                    // From the pole below the first end over both equators to the pole above the second.
                    let height = (end as f32 - 1.0 + ring as f32 / RINGS as f32) * FRAC_PI_2;
                    for corner in 0..CORNERS {
                        let (sin, cos) = (TAU * corner as f32 / CORNERS as f32).sin_cos();
                        let normal = [cos * height.cos(), height.sin(), sin * height.cos()];
                        mesh.vertices.push(Vertex {
                            position: normal.map(|x| x * limb.radii[end] as f32),
                            normal,
                            texture_at: [0.0; 2],
                            colour: colour(limb.side),
                            bones: [(2 * number + end) as u16, 0, 0, 0],
                            weights: [1.0, 0.0, 0.0, 0.0],
                        });
                    }
                }
            }
            for ring in 0..2 * RINGS as u32 + 1 {
                for corner in 0..CORNERS as u32 {
                    let at = |ring: u32, corner: u32| first + ring * CORNERS as u32 + corner % CORNERS as u32;
                    let [a, b] = [at(ring, corner), at(ring, corner + 1)];
                    let [c, d] = [at(ring + 1, corner), at(ring + 1, corner + 1)];
                    mesh.indices.extend([a, c, b, b, c, d]);
                }
            }
        }
        mesh.parts.push(MeshPart {
            indices: 0..mesh.indices.len(),
            image: None,
        });
        mesh
    }

    /// Bones of the surface, two for each capsule: their second axis points along it.
    pub(super) fn bones_at(&self, points: &[DVec3]) -> Vec<DAffine3> {
        (self.limbs.iter())
            .flat_map(|limb| {
                let [start, end] = limb.ends.map(|end| points[end]);
                let along = DQuat::from_rotation_arc(DVec3::Y, (end - start).try_normalize().unwrap_or(DVec3::Y));
                [start, end].map(|at| DAffine3::from_rotation_translation(along, at))
            })
            .collect()
    }
}

impl Part {
    fn radius(self) -> f64 {
        match self {
            Self::Trunk => TRUNK,
            Self::Leg(depth) => LEG[depth.min(LEG.len() - 1)],
            Self::Arm(depth) => ARM[depth.min(ARM.len() - 1)],
        }
    }
}

/// The part that a joint with this path from the root belongs to.
fn part_of(path: &[usize], body: &Body) -> (Part, Option<Side>) {
    let limbs = [(body.thighs, true), (body.shoulders, false)];
    for (ends, is_leg) in limbs {
        for (end, side) in ends.into_iter().flatten().zip([Side::Left, Side::Right]) {
            if let Some(at) = path.iter().position(|&joint| joint == end) {
                let depth = path.len() - 1 - at;
                let part = if is_leg { Part::Leg(depth) } else { Part::Arm(depth) };
                return (part, Some(side));
            }
        }
    }
    (Part::Trunk, None)
}

/// A skeleton without a body: all its bones.
fn every_bone(skeleton: &Skeleton, stature: f64) -> Vec<Limb> {
    let bones = (0..skeleton.num_joints()).filter_map(|joint| Some([skeleton.parent(joint)?, joint]));
    bones
        .map(|ends| Limb {
            ends,
            radii: [0.012 * stature; 2],
            side: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Surface;

    #[test]
    fn a_walker_has_two_alike_sides_and_all_points_are_there() {
        let opened = Opened::walk().unwrap();
        let (take, figure) = (opened.take(), Figure::of(&opened));
        let of = |side| figure.limbs.iter().filter(|limb| limb.side == side).count();
        assert!(of(Some(Side::Left)) >= 6 && of(None) >= 4, "{figure:?}");
        assert_eq!(of(Some(Side::Left)), of(Some(Side::Right)));
        let points = figure.points(&take.pose(0).world(take.skeleton()));
        let ends = figure.limbs.iter().flat_map(|limb| limb.ends);
        assert!(ends.into_iter().all(|end| points[end].is_finite()));
    }

    #[test]
    fn capsules_are_as_thick_as_their_limbs_and_face_outwards() {
        let opened = Opened::walk().unwrap();
        let (take, figure) = (opened.take(), Figure::of(&opened));
        let points = figure.points(&take.pose(7).world(take.skeleton()));
        let surface = Surface::of(figure.surface(|_| [1.0; 3]), &crate::model::Beside::default());
        let origin = DVec3::new(0.0, 0.0, 3.0);
        let posed = surface.posed(&figure.bones_at(&points), origin);
        for (vertex, [position, normal]) in surface.mesh.vertices.iter().zip(&posed) {
            let limb = &figure.limbs[usize::from(vertex.bones[0]) / 2];
            let end = usize::from(vertex.bones[0]) % 2;
            let from_end = DVec3::from_array(position.map(f64::from)) + origin - points[limb.ends[end]];
            let normal = DVec3::from_array(normal.map(f64::from));
            assert!((from_end - limb.radii[end] * normal).length() < 1e-6);
        }
        // The volume that closed triangles that face outwards enclose is positive.
        let volume: f32 = (surface.mesh.indices.chunks_exact(3))
            .map(|corners| {
                let [a, b, c] = [0, 1, 2].map(|corner| glam::Vec3::from_array(posed[corners[corner] as usize][0]));
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((0.02..0.2).contains(&volume), "{volume} cubic metres");
    }
}
