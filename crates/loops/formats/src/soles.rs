//! Finds the soles of a character's feet from its mesh.

use glam::{DAffine3, DVec3};
use loopwright_core::{
    Pose, Skeleton,
    analysis::{Body, FoundBy},
    retarget::{FootSole, Rig},
};

use crate::{
    limits::SizeLimits,
    mesh::{Mesh, Vertex},
    source::Source,
};

/// Most points of a foot. A box has 8. With 24, the shoes of captured characters reach beyond the points by up to 6.5% of their
/// length from the ankle, and by up to 4.5% within 37 degrees of level.
const MOST_POINTS: usize = 24;

/// Points are added to a foot until less than this share of its size is missing.
const ENOUGH: f64 = 0.002;

/// A vertex belongs to the foot whose joints have at least this share of its weights.
const FOOT_SHARE: f32 = 0.5;

/// If a leg ends in one bone for foot and shin, the part beyond this share of the bone is the foot.
const LAST_SHARE: f64 = 0.75;

/// Reads the surface of a character's feet from its file; empty if the file has no readable mesh.
///
/// `source` is the form of the take that `rig` was made of, and `bytes` are its file.
///
/// ```
/// use loopwright_core::{BodyOverrides, retarget::Rig};
/// use loopwright_formats::{SizeLimits, load, soles::read_soles};
///
/// # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
/// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
/// let file = load(&bytes, "hero")?;
/// let rest = file.source.rest(file.take.skeleton());
/// let rig = Rig::of(&file.take, &rest, &BodyOverrides::default())?;
/// let soles = read_soles(&bytes, &file.source, &rig, &SizeLimits::default());
/// let rig = rig.with_soles(soles);
/// # assert_eq!(rig.soles().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_soles(bytes: &[u8], source: &Source, rig: &Rig, limits: &SizeLimits) -> Vec<FootSole> {
    let skeleton = rig.skeleton();
    match source.read_mesh(bytes, skeleton, limits) {
        Ok(Some(mesh)) => soles_of(&mesh, skeleton, rig.body(), &source.rest(skeleton)),
        _ => Vec::new(),
    }
}

/// Returns the surface of each foot of a body as a few points, in the order of its feet; feet without any of the mesh are left
/// out.
///
/// `rest` is the local pose of the surface, usually that of [`Source::rest`]. A vertex belongs to the foot whose joints, the
/// ankle and all below it, have at least half of its weight; it moves with the heaviest of these. If they carry nothing, as when
/// the ankle is only the end of the last bone, the end of that bone is the foot. A foot keeps at most 24 points: those without
/// which it would reach least far in some direction, at rest and for each of its joints separately.
///
/// # Panics
///
/// If the mesh, the skeleton and the pose are not of one take.
pub fn soles_of(mesh: &Mesh, skeleton: &Skeleton, body: &Body, rest: &Pose) -> Vec<FootSole> {
    if body.found_by == FoundBy::AllLeaves {
        return Vec::new();
    }
    let world = rest.world(skeleton);
    let surface = Surface::new(mesh, &world);
    let mut points = surface.points(&feet_of_joints(skeleton, body), body.feet.len());
    let lacking: Vec<usize> = (0..points.len()).filter(|&foot| points[foot].is_empty()).collect();
    if !lacking.is_empty() {
        let mut foot_of = vec![None; skeleton.num_joints()];
        for &foot in &lacking {
            if let Some(above) = last_bone(skeleton, body, foot) {
                foot_of[above] = Some(foot);
            }
        }
        let at_end = surface.points(&foot_of, body.feet.len());
        for (foot, at_end) in at_end.into_iter().enumerate() {
            let end = world.translations[body.feet[foot].ankle];
            points[foot].extend(at_end.into_iter().filter(|point| {
                let start = world.translations[point.joint];
                let bone = end - start;
                (point.at - start).dot(bone) >= LAST_SHARE * bone.length_squared()
            }));
        }
    }
    points
        .into_iter()
        .enumerate()
        .filter(|(_, points)| !points.is_empty())
        .map(|(foot, points)| {
            let in_joints = outermost(&points).into_iter().map(|Point { joint, at }| {
                let from_joint = at - world.translations[joint];
                (joint, world.rotations[joint].conjugate() * from_joint)
            });
            FootSole {
                ankle: body.feet[foot].ankle,
                points: in_joints.collect(),
            }
        })
        .collect()
}

/// A point of a foot: its joint, and its position in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub joint: usize,
    pub at: DVec3,
}

/// The mesh of a character in a pose.
pub(crate) struct Surface<'a> {
    mesh: &'a Mesh,
    /// The bones as [`Mesh::bones_at`] places them.
    bones: Vec<DAffine3>,
    /// Whether each vertex belongs to a triangle.
    is_drawn: Vec<bool>,
}

impl<'a> Surface<'a> {
    pub(crate) fn new(mesh: &'a Mesh, world: &Pose) -> Self {
        let mut is_drawn = vec![false; mesh.vertices.len()];
        for &vertex in &mesh.indices {
            is_drawn[vertex as usize] = true;
        }
        Self {
            mesh,
            bones: mesh.bones_at(world),
            is_drawn,
        }
    }

    /// Returns the points of each foot, given the foot of each joint.
    pub(crate) fn points(&self, foot_of: &[Option<usize>], num_feet: usize) -> Vec<Vec<Point>> {
        let mut points = vec![Vec::new(); num_feet];
        let vertices = self.mesh.vertices.iter().zip(&self.is_drawn);
        for (vertex, _) in vertices.filter(|(_, is_drawn)| **is_drawn) {
            let Some((foot, joint)) = carrier(self.mesh, vertex, foot_of) else {
                continue;
            };
            let position = DVec3::from_array(vertex.position.map(f64::from));
            let at: DVec3 = vertex
                .bones
                .iter()
                .zip(vertex.weights)
                .map(|(bone, weight)| f64::from(weight) * self.bones[usize::from(*bone)].transform_point3(position))
                .sum();
            if at.is_finite() {
                points[foot].push(Point { joint, at });
            }
        }
        points
    }
}

/// Returns the last bone of a leg that ends at the ankle, if that bone is a separate one.
fn last_bone(skeleton: &Skeleton, body: &Body, foot: usize) -> Option<usize> {
    let above = skeleton.parent(body.feet[foot].ankle)?;
    let hangs_from_hips = above != body.hips && skeleton.path_from_root(above).contains(&body.hips);
    hangs_from_hips.then_some(above)
}

/// Returns the foot that each joint belongs to.
fn feet_of_joints(skeleton: &Skeleton, body: &Body) -> Vec<Option<usize>> {
    let mut foot_of: Vec<Option<usize>> = vec![None; skeleton.num_joints()];
    for joint in 0..foot_of.len() {
        foot_of[joint] = body
            .feet
            .iter()
            .position(|foot| foot.ankle == joint)
            .or_else(|| foot_of[skeleton.parent(joint)?]);
    }
    foot_of
}

/// Returns the foot that carries a vertex, and the heaviest of its joints.
fn carrier(mesh: &Mesh, vertex: &Vertex, foot_of: &[Option<usize>]) -> Option<(usize, usize)> {
    let joints = vertex.bones.map(|bone| mesh.bones[usize::from(bone)].joint);
    let weight_of = |is_of: &dyn Fn(usize) -> bool| -> f32 {
        joints
            .into_iter()
            .zip(vertex.weights)
            .filter(|(joint, _)| is_of(*joint))
            .map(|(_, weight)| weight)
            .sum()
    };
    let mut heaviest: Option<(usize, f32)> = None;
    for joint in joints {
        let weight = weight_of(&|other| other == joint);
        if foot_of[joint].is_some() && heaviest.is_none_or(|(_, most)| weight > most) {
            heaviest = Some((joint, weight));
        }
    }
    let (joint, _) = heaviest?;
    let foot = foot_of[joint]?;
    (weight_of(&|other| foot_of[other] == Some(foot)) >= FOOT_SHARE).then_some((foot, joint))
}

/// Returns the directions to the points of a cube's faces that divide its edges into eight, about 10 degrees apart, downward
/// ones first.
fn directions() -> Vec<DVec3> {
    let steps = || (-4..=4).map(f64::from);
    steps()
        .flat_map(|y| steps().flat_map(move |x| steps().map(move |z| DVec3::new(x, y, z))))
        .filter(|v| v.abs().max_element() == 4.0)
        .map(DVec3::normalize)
        .collect()
}

/// How far a group of points reaches in each direction.
struct Reach {
    /// The joint that they move with; `None` for a whole foot at rest.
    joint: Option<usize>,
    /// The outermost point in each direction.
    outermost: Vec<usize>,
    /// The distance of that point in each direction.
    most: Vec<f64>,
    /// The distance of the kept points, at first of the innermost one.
    kept: Vec<f64>,
}

impl Reach {
    fn new(points: &[Point], joint: Option<usize>, directions: &[DVec3]) -> Self {
        let mut reach = Self {
            joint,
            outermost: vec![0; directions.len()],
            most: vec![f64::NEG_INFINITY; directions.len()],
            kept: vec![f64::INFINITY; directions.len()],
        };
        for (index, point) in points
            .iter()
            .enumerate()
            .filter(|(_, point)| joint.is_none_or(|joint| point.joint == joint))
        {
            for (side, direction) in directions.iter().enumerate() {
                let along = point.at.dot(*direction);
                if along > reach.most[side] {
                    (reach.most[side], reach.outermost[side]) = (along, index);
                }
                reach.kept[side] = reach.kept[side].min(along);
            }
        }
        reach
    }

    /// Lists by how much the chosen points fall short of each direction, and the point that reaches farthest in it.
    fn missing(&self) -> impl Iterator<Item = (f64, usize)> {
        self.most
            .iter()
            .zip(&self.kept)
            .map(|(most, kept)| most - kept)
            .zip(self.outermost.iter().copied())
    }

    fn size(&self) -> f64 {
        self.missing().map(|(missing, _)| missing).fold(0.0, f64::max)
    }

    fn keep(&mut self, point: &Point, directions: &[DVec3]) {
        if self.joint.is_none_or(|joint| point.joint == joint) {
            for (kept, direction) in self.kept.iter_mut().zip(directions) {
                *kept = kept.max(point.at.dot(*direction));
            }
        }
    }
}

/// Selects points by farthest-point sampling: the lowest one, then repeatedly the one that is missed most, in the foot at rest
/// or among the points of one joint.
fn outermost(points: &[Point]) -> Vec<Point> {
    let directions = directions();
    let whole = Reach::new(points, None, &directions);
    let enough = ENOUGH * whole.size();
    let mut reaches = vec![whole];
    reaches.extend(largest_joints(points).map(|joint| Reach::new(points, Some(joint), &directions)));
    let mut next = (0..points.len()).min_by(|&one, &other| points[one].at.y.total_cmp(&points[other].at.y));
    let mut found = Vec::new();
    while let Some(point) = next.map(|point| points[point]) {
        found.push(point);
        if found.len() == MOST_POINTS {
            break;
        }
        for reach in &mut reaches {
            reach.keep(&point, &directions);
        }
        let mut most = (enough, None);
        for (missing, point) in reaches.iter().flat_map(Reach::missing) {
            if missing > most.0 {
                most = (missing, Some(point));
            }
        }
        next = most.1;
    }
    found
}

/// Returns the joints whose points are spread most, at most one per available point.
fn largest_joints(points: &[Point]) -> impl Iterator<Item = usize> {
    let mut boxes = std::collections::BTreeMap::new();
    for Point { joint, at } in points {
        let (low, high) = boxes.entry(*joint).or_insert((*at, *at));
        (*low, *high) = (low.min(*at), high.max(*at));
    }
    let mut sizes: Vec<(usize, f64)> = boxes
        .into_iter()
        .map(|(joint, (low, high))| (joint, low.distance(high)))
        .collect();
    sizes.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    sizes.into_iter().take(MOST_POINTS).map(|(joint, _)| joint)
}
