//! The surface of a body of capsules.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{DAffine3, DQuat, DVec3};
use loopwright_draw::{Figure, Limb};
use loopwright_formats::mesh::{Mesh, MeshPart, Vertex};

use super::mannequin::Colours;

/// Corners around a capsule, and rings of each of its ends.
const CORNERS: usize = 16;
const RINGS: usize = 4;

/// A surface of capsules: each has a bone at both ends, in the order of [`bones_at`].
pub(super) fn surface(figure: &Figure, colours: &Colours) -> Mesh {
    let mut mesh = Mesh::default();
    for (number, limb) in figure.limbs().iter().enumerate() {
        let radii = radii(figure, limb);
        let first = mesh.vertices.len() as u32;
        for end in 0..2 {
            for ring in 0..=RINGS {
                // From the pole below the first end over both equators to the pole above the second.
                let height = (end as f32 - 1.0 + ring as f32 / RINGS as f32) * FRAC_PI_2;
                for corner in 0..CORNERS {
                    let (sin, cos) = (TAU * corner as f32 / CORNERS as f32).sin_cos();
                    let normal = [cos * height.cos(), height.sin(), sin * height.cos()];
                    mesh.vertices.push(Vertex {
                        position: normal.map(|x| x * radii[end] as f32),
                        normal,
                        texture_at: [0.0; 2],
                        colour: colours.of_side(limb.side),
                        bones: [(2 * number + end) as u16, 0, 0, 0],
                        weights: [1.0, 0.0, 0.0, 0.0],
                    });
                }
            }
        }
        let corners = CORNERS as u32;
        for ring in 0..2 * RINGS as u32 + 1 {
            let start = first + ring * corners;
            for corner in 0..corners {
                let [a, b] = [corner, (corner + 1) % corners].map(|corner| start + corner);
                let [c, d] = [a, b].map(|before| before + corners);
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
pub(super) fn bones_at(figure: &Figure, points: &[DVec3]) -> Vec<DAffine3> {
    (figure.limbs().iter())
        .flat_map(|limb| {
            let [start, end] = limb.ends.map(|end| points[end]);
            let along = DQuat::from_rotation_arc(DVec3::Y, (end - start).try_normalize().unwrap_or(DVec3::Y));
            [start, end].map(|at| DAffine3::from_rotation_translation(along, at))
        })
        .collect()
}

/// Radii of a limb: where the trunk ends in an arm or a leg it is thinner than what goes on, or both would flicker.
fn radii(figure: &Figure, limb: &Limb) -> [f64; 2] {
    let mut others = figure.limbs().iter();
    if limb.side.is_none() && others.any(|next| next.ends[0] == limb.ends[1] && next.side.is_some()) {
        [limb.radii[0], 0.93 * limb.radii[1]]
    } else {
        limb.radii
    }
}

#[cfg(test)]
mod tests {
    use loopwright_core::analysis::Side;

    use super::*;
    use crate::model::Opened;
    use crate::surface::Surface;

    #[test]
    fn capsules_are_as_thick_as_their_limbs_and_face_outwards() {
        let opened = Opened::walk().unwrap();
        let take = opened.take();
        let figure = Figure::new(take, opened.body());
        // A biped's sides are alike.
        let of = |side| figure.limbs().iter().filter(|limb| limb.side == side).count();
        let [left, right] = [Side::Left, Side::Right].map(|side| of(Some(side)));
        assert!(left >= 6 && left == right && of(None) >= 4, "{figure:?}");
        let points = figure.points(&take.pose(7).world(take.skeleton()));
        let colours = Colours::new(&crate::theme::tokens(true));
        let surface = Surface::new(surface(&figure, &colours), &crate::model::Beside::default());
        let origin = DVec3::new(0.0, 0.0, 3.0);
        let posed = surface.mesh.posed(&bones_at(&figure, &points), origin);
        for (vertex, [position, normal]) in surface.mesh.vertices.iter().zip(&posed) {
            let limb = &figure.limbs()[usize::from(vertex.bones[0]) / 2];
            let end = usize::from(vertex.bones[0]) % 2;
            let from_end = DVec3::from_array(position.map(f64::from)) + origin - points[limb.ends[end]];
            let normal = DVec3::from_array(normal.map(f64::from));
            assert!((from_end - radii(&figure, limb)[end] * normal).length() < 1e-6);
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
