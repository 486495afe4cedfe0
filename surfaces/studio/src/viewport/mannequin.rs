//! The surface of a mannequin: a skinned body made from the skeleton of a take, so that twists and wrists are visible if the file has no
//! mesh.
//!
//! Every limb is a tube with round ends, possibly flattened, that moves with its joint, and near its ends also with the neighbouring
//! joints. A stripe runs along its front: a leg's shows where the knee points, an arm's where the elbow bends to.

use std::f64::consts::{PI, TAU};

use glam::{DAffine3, DVec3};
use loopwright_core::{
    Pose,
    analysis::{self, Side},
};
use loopwright_draw::{Figure, Limb};
use loopwright_formats::mesh::{Bone, Mesh, MeshPart, Vertex};

use super::paint::linear;
use crate::{model::Opened, theme::Tokens};

/// Number of poses of the take from which the bending directions of limbs are estimated.
const POSES: usize = 24;

/// Corners around a tube, and rings along it and along each of its ends; fewer for fingers, which are many.
const CORNERS: usize = 12;
const RINGS: usize = 5;
const CAP_RINGS: usize = 3;
const FINGER_CORNERS: usize = 8;

/// Share of a limb that also moves with a neighbouring joint.
const BLENDED: f64 = 0.3;

/// Share of the trunk's colour in that of limbs.
const PALE: f32 = 0.35;

/// Weight of the body's front in the estimate: a straight limb says little about its bending direction.
const FRONT_OF_BODY: f64 = 0.05;

/// A tube between two points of the bind pose.
struct Tube {
    ends: [DVec3; 2],
    radii: [f64; 2],
    /// Width of its ends, and its depth, as multiples of its radii.
    width: [f64; 2],
    depth: f64,
    /// Additional thickness in its middle.
    bulge: f64,
    /// The direction across it, to the front.
    front: DVec3,
    joint: usize,
    /// Joints that also move its ends.
    neighbours: [Option<usize>; 2],
    /// The colour of the tube, and of the stripe along its front.
    colours: [[f32; 3]; 2],
    corners: usize,
}

/// The part of the body that a joint belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Trunk,
    Arm,
    Hand,
    Leg,
    Foot,
}

/// Facts about the body from which its surface is made.
struct Plan {
    part: Vec<Part>,
    /// The front of each joint, in its own axes.
    front: Vec<DVec3>,
    /// The pose in which the surface is made, in the world.
    bind: Pose,
}

/// Returns the surface of a take's body.
pub fn surface(opened: &Opened, figure: &Figure, colours: &Tokens) -> Mesh {
    let plan = Plan::new(opened);
    let body = Body {
        points: figure.points(&plan.bind),
        opened,
        figure,
        plan,
        colours,
    };
    let hips = body.plan.bind.translations[opened.body().hips];
    let mut mesh = Mesh::default();
    for tube in body.tubes() {
        add(&mut mesh, &tube, hips);
    }
    mesh.bones = (0..body.plan.part.len())
        .map(|joint| {
            let bound = body.plan.bind.as_ref().joint(joint);
            Bone {
                joint,
                joint_from_mesh: DAffine3::from_rotation_translation(bound.rotation, bound.translation - hips)
                    .inverse(),
            }
        })
        .collect();
    mesh.parts.push(MeshPart {
        indices: 0..mesh.indices.len(),
        image: None,
    });
    mesh
}

impl Plan {
    fn new(opened: &Opened) -> Self {
        let skeleton = opened.skeleton();
        let body = opened.body();
        let count = skeleton.num_joints();
        let last = opened.take().num_frames() - 1;
        let frames: Vec<usize> = (0..POSES).map(|pose| pose * last / (POSES - 1)).collect();
        let mut poses: Vec<Pose> = frames
            .iter()
            .map(|&frame| opened.pose_at(frame as f64).as_ref().world(skeleton))
            .collect();
        let chains: Vec<Vec<usize>> = (0..count).map(|joint| skeleton.path_from_root(joint)).collect();
        let mut parts = vec![Part::Trunk; count];
        let mut bends = Vec::new();
        for (top, end, [upper, lower]) in limbs_of(body, &chains) {
            for (joint, chain) in chains.iter().enumerate() {
                if chain.contains(&end) {
                    parts[joint] = lower;
                } else if chain.contains(&top) && parts[joint] == Part::Trunk {
                    parts[joint] = upper;
                }
            }
            if let Some(middle) = middle_of(&poses[0], &chains[end], top) {
                bends.push(([top, middle, end], upper));
            }
        }
        // The straightest pose: a surface made from bent joints would fold when they bend the other way.
        let straightest = poses
            .iter()
            .map(|pose| {
                bends
                    .iter()
                    .map(|(joints, _)| flexion(pose, *joints).length())
                    .sum::<f64>()
            })
            .enumerate()
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .map_or(0, |(pose, _)| pose);
        let limbs = chains
            .iter()
            .map(|chain| bends.iter().find(|([top, ..], _)| chain.contains(top)));
        let limbs: Vec<_> = limbs.collect();
        let mut front = vec![DVec3::ZERO; count];
        for (pose, &frame) in poses.iter().zip(&frames) {
            let ahead = opened.studied.analysis.heading.world_from_heading(frame).rotation * DVec3::Z;
            for joint in 0..count {
                let to = match (parts[joint], limbs[joint]) {
                    (Part::Foot, _) => DVec3::Y,
                    (_, Some((joints, Part::Leg))) => FRONT_OF_BODY * ahead - flexion(pose, *joints),
                    (_, Some((joints, _))) => FRONT_OF_BODY * ahead + flexion(pose, *joints),
                    _ => ahead,
                };
                front[joint] += pose.rotations[joint].inverse() * to;
            }
        }
        Self {
            part: parts,
            front,
            bind: poses.swap_remove(straightest),
        }
    }

    /// Returns the front of a joint in the bind pose, across a direction.
    fn front_across(&self, joint: usize, along: DVec3) -> DVec3 {
        let front = self.bind.rotations[joint] * self.front[joint].normalize_or(DVec3::Z);
        let lean = front.dot(along);
        (front - along * lean)
            .try_normalize()
            .filter(|_| lean.abs() < 0.98)
            .unwrap_or_else(|| along.any_orthonormal_vector())
    }
}

/// Returns the limbs: the upper end of each, its lower end, and the parts between these and beyond.
fn limbs_of(body: &analysis::Body, chains: &[Vec<usize>]) -> Vec<(usize, usize, [Part; 2])> {
    let arms = body
        .hands
        .iter()
        .enumerate()
        .filter_map(|(index, &hand)| Some((body.shoulders?[index.min(1)], hand, [Part::Arm, Part::Hand])));
    let legs = body.feet.iter().filter_map(|foot| {
        let top = body
            .thighs
            .into_iter()
            .flatten()
            .find(|top| chains[foot.ankle].contains(top))?;
        Some((top, foot.ankle, [Part::Leg, Part::Foot]))
    });
    arms.chain(legs)
        .filter(|(top, end, _)| chains[*end].contains(top))
        .collect()
}

/// Returns the joint of a limb that is about as far from its upper end as from its lower one, the end of the chain.
fn middle_of(pose: &Pose, chain: &[usize], top: usize) -> Option<usize> {
    let at = chain.iter().position(|&joint| joint == top)?;
    let (&end, before) = chain.split_last()?;
    let middle = before
        .get(at + 1..)?
        .iter()
        .map(|&joint| {
            let [up, down] = [top, end].map(|other| (pose.translations[joint] - pose.translations[other]).length());
            ((up - down).abs(), joint)
        })
        .min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(middle.1)
}

/// Returns the direction of the bend of a limb, from its upper to its lower half and across the lower one; longer for a sharper bend.
fn flexion(pose: &Pose, [top, middle, end]: [usize; 3]) -> DVec3 {
    let [top, middle, end] = [top, middle, end].map(|joint| pose.translations[joint]);
    let upper = (middle - top).normalize_or_zero();
    let lower = (end - middle).normalize_or_zero();
    let turned = lower - upper;
    turned - lower * turned.dot(lower)
}

/// A body with what its surface is made from.
struct Body<'a> {
    opened: &'a Opened,
    figure: &'a Figure,
    plan: Plan,
    /// The points of the figure in the bind pose.
    points: Vec<DVec3>,
    colours: &'a Tokens,
}

impl Body<'_> {
    /// Returns a round tube that moves with one joint; `None` if it has no length.
    fn tube(&self, ends: [DVec3; 2], radii: [f64; 2], joint: usize, colours: [[f32; 3]; 2]) -> Option<Tube> {
        let along = (ends[1] - ends[0]).try_normalize()?;
        Some(Tube {
            ends,
            radii,
            width: [1.0; 2],
            depth: 1.0,
            bulge: 0.0,
            front: self.plan.front_across(joint, along),
            joint,
            neighbours: [None; 2],
            colours,
            corners: CORNERS,
        })
    }

    /// Returns all tubes, in the bind pose.
    fn tubes(&self) -> Vec<Tube> {
        let body = self.opened.body();
        let mut tubes = Vec::new();
        for limb in self.figure.limbs() {
            let tube = self.limb(limb);
            let head = tube.as_ref().filter(|_| self.is_head(limb));
            let nose = head.and_then(|head| self.nose(head, limb));
            tubes.extend(tube.into_iter().chain(nose));
        }
        tubes.extend(self.pelvis());
        tubes.extend(
            body.feet
                .iter()
                .filter_map(|foot| self.heel(foot.ankle, foot.side))
                .flatten(),
        );
        for &hand in &body.hands {
            if self.opened.skeleton().children(hand).len() < 2 {
                tubes.extend(self.thumb(hand));
            }
        }
        tubes
    }

    /// Whether a limb is the head, whose ends both belong to the tip of its joint.
    fn is_head(&self, limb: &Limb) -> bool {
        limb.ends[0] >= self.opened.skeleton().num_joints()
    }

    /// Whether a joint is one of several fingers.
    fn is_finger(&self, joint: usize) -> bool {
        let skeleton = self.opened.skeleton();
        let hands = &self.opened.body().hands;
        skeleton
            .path_from_root(joint)
            .iter()
            .any(|on| hands.contains(on) && skeleton.children(*on).len() > 1)
    }

    /// Returns the tube of a limb; `None` if the limb has no length.
    fn limb(&self, limb: &Limb) -> Option<Tube> {
        let skeleton = self.opened.skeleton();
        let plan = &self.plan;
        let stature = self.figure.stature();
        let ends = limb.ends.map(|end| self.points[end]);
        let joint = self.figure.joint_of(limb.ends[0]);
        let is_head = self.is_head(limb);
        let part = plan.part[joint];
        let end_joint = (limb.ends[1] < skeleton.num_joints()).then_some(limb.ends[1]);
        let parent = skeleton
            .parent(joint)
            .filter(|_| joint != self.opened.body().hips && !is_head);
        let is_connector = part == Part::Trunk && end_joint.is_some_and(|end| plan.part[end] != Part::Trunk);
        let is_thin = part == Part::Hand && limb.radii[0] < 0.012 * stature;
        let is_finger = is_thin && self.is_finger(joint);
        let (width, depth, bulge) = match part {
            _ if is_head => ([0.86; 2], 1.0, 0.06),
            Part::Trunk if is_connector => ([0.8; 2], 0.95, 0.0),
            // Wide and flat at the chest, rounder at the neck.
            Part::Trunk => (
                limb.radii
                    .map(|radius| 1.0 + 0.45 * ((radius / stature - 0.03) / 0.03).clamp(0.0, 1.0)),
                0.9,
                0.0,
            ),
            Part::Arm if limb.radii[1] < 0.024 * stature => ([1.12; 2], 0.9, 0.16),
            Part::Arm => ([1.0; 2], 1.1, 0.12),
            Part::Hand if is_finger => ([1.0; 2], 1.0, 0.0),
            // Thin from palm to back: the front of an arm is where the thumb is.
            Part::Hand if is_thin => ([0.55, 0.6], 1.4, 0.0),
            Part::Hand => ([0.8, 0.55], 1.4, 0.1),
            Part::Leg => ([0.95; 2], 1.05, 0.12),
            Part::Foot => ([1.3, 1.6], 0.85, 0.0),
        };
        let [colour, stripe] = coloured(limb.side, self.colours);
        let has_stripe = part != Part::Trunk || is_head;
        let radii = if is_thin && !is_finger {
            // A hand with a single finger gets it as wide as all fingers.
            [0.019, 0.012].map(|share| share * stature)
        } else {
            limb.radii
        };
        Some(Tube {
            width,
            depth,
            bulge,
            neighbours: [parent, end_joint.filter(|_| !is_connector)],
            corners: if is_finger { FINGER_CORNERS } else { CORNERS },
            ..self.tube(ends, radii, joint, [colour, if has_stripe { stripe } else { colour }])?
        })
    }

    /// Returns the pelvis, from the hips to the tops of the legs.
    fn pelvis(&self) -> Option<Tube> {
        let body = self.opened.body();
        let points = &self.points;
        let [left, right] = body.thighs?;
        let start = points[body.hips];
        let between = 0.5 * (points[left] + points[right]);
        let wide = 0.5 * (points[left] - points[right]).length();
        let radius = 0.05 * self.figure.stature();
        let colour = linear(self.colours.trunk);
        Some(Tube {
            width: [(wide / radius).clamp(1.3, 2.0); 2],
            depth: 1.05,
            ..self.tube([start, between], [radius; 2], body.hips, [colour; 2])?
        })
    }

    /// Returns the nose, which shows where the face looks.
    fn nose(&self, head: &Tube, limb: &Limb) -> Option<Tube> {
        let [start, end] = head.ends;
        let middle = start.lerp(end, 0.25);
        let reach = limb.radii[1];
        let [colour, stripe] = coloured(None, self.colours);
        let ends = [0.7, 1.05].map(|share| middle + share * reach * head.front);
        Some(Tube {
            front: (end - start).normalize_or(DVec3::Y),
            width: [0.8; 2],
            corners: FINGER_CORNERS,
            ..self.tube(
                ends,
                [0.34 * reach, 0.18 * reach],
                head.joint,
                [mixed(colour, stripe, 0.6), stripe],
            )?
        })
    }

    /// Returns the heel of a foot, as high above the ground as its toes, and the sole between them.
    fn heel(&self, ankle: usize, side: Option<Side>) -> Option<[Tube; 2]> {
        let plan = &self.plan;
        let limb = self.figure.limbs().iter().find(|limb| limb.ends[0] == ankle)?;
        let start = self.points[ankle];
        let toe = self.points[limb.ends[1]];
        let up = plan.bind.rotations[ankle] * plan.front[ankle].try_normalize()?;
        let down = (start - toe).dot(up).max(0.0);
        let ahead = (toe - start + down * up).try_normalize()?;
        let low = limb.radii[1];
        // The soles of heel and toes are in one plane.
        let end = start - (down - 0.3 * low) * up - (0.02 * self.figure.stature()) * ahead;
        let [colour, _] = coloured(side, self.colours);
        let [heel, sole] = [
            ([start, end], [limb.radii[0], 1.3 * low]),
            ([end, toe], [1.2 * low, low]),
        ]
        .map(|(ends, radii)| self.tube(ends, radii, ankle, [colour; 2]));
        let sole = Tube {
            width: [1.3, 1.6],
            ..sole?
        };
        Some([heel?, sole])
    }

    /// Returns the thumb of a hand without fingers: to the front, as the elbow bends.
    fn thumb(&self, hand: usize) -> Option<Tube> {
        let limb = self
            .figure
            .limbs()
            .iter()
            .find(|limb| self.figure.joint_of(limb.ends[0]) == hand)?;
        let [start, end] = limb.ends.map(|end| self.points[end]);
        let along = (end - start).try_normalize()?;
        let front = self.plan.front_across(hand, along);
        let reach = (end - start).length();
        let radius = limb.radii[1];
        let root = start + 0.25 * reach * along + 0.7 * radius * front;
        let ends = [root, root + 0.4 * reach * along + 1.1 * radius * front];
        Some(Tube {
            front,
            corners: FINGER_CORNERS,
            ..self.tube(
                ends,
                [0.5 * radius, 0.36 * radius],
                hand,
                coloured(limb.side, self.colours),
            )?
        })
    }
}

fn mixed(one: [f32; 3], other: [f32; 3], share: f32) -> [f32; 3] {
    [0, 1, 2].map(|channel| one[channel] + share * (other[channel] - one[channel]))
}

/// Returns the colour of a side, and of the stripe along its front.
fn coloured(side: Option<Side>, colours: &Tokens) -> [[f32; 3]; 2] {
    let own = match side {
        Some(Side::Left) => colours.left,
        Some(Side::Right) => colours.right,
        None => colours.trunk,
    };
    let own = mixed(linear(own), linear(colours.trunk), PALE);
    [own, mixed(own, [0.02; 3], 0.55)]
}

/// Adds a tube to a mesh whose origin is at the hips.
fn add(mesh: &mut Mesh, tube: &Tube, hips: DVec3) {
    let [start, end] = tube.ends;
    let Some(along) = (end - start).try_normalize() else {
        return;
    };
    let front = tube.front;
    let side = front.cross(along);
    let first = mesh.vertices.len() as u32;
    // Rings from pole to pole: the position along the tube, the share of the radius there, and the slope of the normal.
    let cap = (0..CAP_RINGS).map(|ring| (0.5 * PI * (1.0 - ring as f64 / CAP_RINGS as f64)).sin_cos());
    let between = (0..=RINGS).map(|ring| (ring as f64 / RINGS as f64, 1.0, 0.0));
    let before = cap.clone().map(|(sin, cos)| (0.0, cos, -sin));
    let rings: Vec<(f64, f64, f64)> = before
        .chain(between)
        .chain(cap.rev().map(|(sin, cos)| (1.0, cos, sin)))
        .collect();
    for &(share, thin, lean) in &rings {
        let radius = (tube.radii[0] + (tube.radii[1] - tube.radii[0]) * share)
            * (1.0 + tube.bulge * (PI * share.powf(0.8)).sin());
        let width = tube.width[0] + (tube.width[1] - tube.width[0]) * share;
        let centre = start.lerp(end, share) + lean * radius * tube.depth.min(1.0) * along;
        let (bones, weights) = carried(tube, share);
        for corner in 0..tube.corners {
            let (sin, cos) = (TAU * corner as f64 / tube.corners as f64).sin_cos();
            let across = thin * radius * (cos * width * side + sin * tube.depth * front);
            // The normal of an ellipse leans towards its flat side.
            let flat = (cos / width * side + sin / tube.depth * front).normalize_or(side);
            let normal = (thin * flat + lean * along).normalize_or(along);
            mesh.vertices.push(Vertex {
                position: (centre + across - hips).as_vec3().to_array(),
                normal: normal.as_vec3().to_array(),
                texture_at: [0.0; 2],
                colour: tube.colours[usize::from(sin > 0.85)],
                bones,
                weights,
            });
        }
    }
    let corners = tube.corners as u32;
    for ring in 0..rings.len() as u32 - 1 {
        let start = first + ring * corners;
        for corner in 0..corners {
            let [a, b] = [corner, (corner + 1) % corners].map(|corner| start + corner);
            let [c, d] = [a, b].map(|before| before + corners);
            mesh.indices.extend([a, b, c, b, d, c]);
        }
    }
}

/// Returns the joints that move a ring, and their weights: the joint of the limb, and near its ends up to half by the neighbours.
fn carried(tube: &Tube, share: f64) -> ([u16; 4], [f32; 4]) {
    let [(before, of_before), (after, of_after)] = [(0, share), (1, 1.0 - share)].map(|(end, from_end)| {
        let weight = (0.5 * (1.0 - from_end / BLENDED)).max(0.0) as f32;
        tube.neighbours[end].map_or((tube.joint, 0.0), |joint| (joint, weight))
    });
    (
        [tube.joint, before, after, tube.joint].map(|joint| joint as u16),
        [1.0 - of_before - of_after, of_before, of_after, 0.0],
    )
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::model::Beside;
    use crate::surface::Surface;

    fn walker() -> (Opened, Figure, Mesh) {
        let opened = Opened::walk().unwrap();
        let figure = Figure::new(opened.take(), opened.body());
        let mesh = surface(&opened, &figure, &crate::theme::tokens(true));
        (opened, figure, mesh)
    }

    #[test]
    fn a_mannequin_is_a_body_that_faces_outwards() {
        let (opened, figure, mesh) = walker();
        assert!((1000..6000).contains(&mesh.vertices.len()), "{}", mesh.vertices.len());
        for vertex in &mesh.vertices {
            assert!((vertex.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(vertex.position.iter().chain(&vertex.normal).all(|x| x.is_finite()));
        }
        let world = opened.pose_at(11.0).as_ref().world(opened.skeleton());
        let posed = mesh.posed(&mesh.bones_at(&world), DVec3::ZERO);
        let volume: f32 = mesh
            .indices
            .chunks_exact(3)
            .map(|corners| {
                let [a, b, c] = [0, 1, 2].map(|corner| glam::Vec3::from_array(posed[corners[corner] as usize][0]));
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((0.04..0.2).contains(&volume), "{volume} cubic metres");
        // The mannequin is as high as the body of capsules.
        let height = posed.iter().fold(f32::MIN, |most, [position, _]| most.max(position[1]));
        let points = figure.points(&world);
        let ends = figure
            .limbs()
            .iter()
            .flat_map(|limb| [0, 1].map(|end| points[limb.ends[end]].y + limb.radii[end]));
        let wanted = ends.fold(f64::MIN, f64::max);
        assert!((f64::from(height) - wanted).abs() < 0.03, "{height} {wanted}");
        let surface = Surface::new(mesh, &Beside::default());
        assert!(!surface.shadow_indices.is_empty());
    }

    /// Unlike capsules, skin shows a forearm that twists about itself.
    #[test]
    fn a_wrist_that_twists_moves_its_skin() {
        let (opened, _, mesh) = walker();
        let hand = opened.body().hands[0];
        let skeleton = opened.skeleton();
        let pose = opened.pose_at(0.0);
        let world = pose.as_ref().world(skeleton);
        let forearm = skeleton.parent(hand).unwrap();
        let along = (world.translations[hand] - world.translations[forearm]).normalize();
        let mut twisted = world.clone();
        twisted.rotations[hand] = DQuat::from_axis_angle(along, 0.5) * world.rotations[hand];
        let [before, after] = [&world, &twisted].map(|pose| mesh.posed(&mesh.bones_at(pose), DVec3::ZERO));
        let moved = |joint: usize| {
            let far = mesh
                .vertices
                .iter()
                .zip(before.iter().zip(&after))
                .filter(|(vertex, _)| usize::from(vertex.bones[0]) == joint)
                .map(|(_, ([one, _], [other, _]))| {
                    glam::Vec3::from_array(*one).distance(glam::Vec3::from_array(*other))
                });
            far.fold(0.0, f32::max)
        };
        assert!(
            moved(hand) > 0.01 && moved(forearm) > 0.001,
            "{} {}",
            moved(hand),
            moved(forearm)
        );
        assert_eq!(moved(opened.body().hips), 0.0);
    }

    /// The stripe of a leg is where the knee points: ahead.
    #[test]
    fn knees_point_ahead_and_elbows_bend_to_the_front() {
        let opened = Opened::walk().unwrap();
        let plan = Plan::new(&opened);
        let ahead = opened.studied.analysis.heading.world_from_heading(0).rotation * DVec3::Z;
        let world = opened.pose_at(0.0).as_ref().world(opened.skeleton());
        let of = |joint: usize| (world.rotations[joint] * plan.front[joint].normalize()).dot(ahead);
        let body = opened.body();
        let [thighs, shoulders] = [body.thighs, body.shoulders].map(Option::unwrap);
        for joint in thighs.into_iter().chain(shoulders).chain(body.head) {
            assert!(
                of(joint) > 0.5,
                "{}: {}",
                opened.skeleton().joint(joint).name,
                of(joint)
            );
        }
    }
}
