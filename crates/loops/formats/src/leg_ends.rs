//! Finds where legs without feet end: block characters, robots and beetles stand on their last bones.

use glam::DVec3;
use loopwright_core::{
    BodyOverrides, Pose, Skeleton, Take,
    analysis::{Body, FoundBy, bare_legs, joints_in_place},
    math::{bounds, greatest, percentile},
    motion::WorldTracks,
};

use crate::{
    soles::{Point, Surface},
    source::LoadedTake,
};

/// A bone hangs down if it is within 60 degrees of that: this is the cosine.
const HANGS: f64 = 0.5;

/// The end of a bone is the middle of this last share of its mesh.
const END_SHARE: f64 = 0.05;

/// Frames of a take at which the points of a mesh are compared.
const FRAMES_COMPARED: usize = 16;

/// The last joint of a leg is at least this share of the height of a skeleton above its lowest joint, if that is on the ground.
const RISE_SHARE: f64 = 0.12;

/// Returns a take in which no feet are named with the ends of its last bones, if it stands on them; `bytes` are its file.
///
/// An end is the lowest part of the mesh that a joint carries in the rest pose, or the farthest if the bone does not hang down.
/// Without a mesh, legs that are known by name end on the ground below them.
pub(crate) fn with_leg_ends(loaded: LoadedTake, bytes: &[u8]) -> LoadedTake {
    let skeleton = loaded.take.skeleton();
    let legs = bare_legs(skeleton);
    let found_by = body_of(&loaded.take).map(|body| body.found_by);
    if !(found_by == Some(FoundBy::AllLeaves) || found_by == Some(FoundBy::Geometry) && !legs.is_empty()) {
        return loaded;
    }
    let rest = loaded.source.rest(skeleton).world(skeleton);
    let known: Vec<Option<DVec3>> = skeleton.joints().iter().map(|joint| joint.tip).collect();
    let still = (found_by == Some(FoundBy::AllLeaves)).then(|| joints_in_place(&loaded.take));
    let world = still.as_ref().map(|_| loaded.take.world_tracks());
    let end = |joint: usize, points: &[Point]| match (&still, &world) {
        (Some(still), Some(world)) if still[joint] => farthest_moved(world, joint, &rest, points),
        _ => end_of(points, rest.translations[joint]),
    };
    let mut ends = ends_of_mesh(&loaded, &rest, bytes, end);
    for leg in legs {
        ends[leg] = ends[leg].or_else(|| end_on_ground(skeleton, &rest, leg));
    }
    let tips = known.iter().zip(ends).enumerate().map(|(joint, (tip, end))| {
        let of_mesh = end.map(|end| rest.rotations[joint].conjugate() * (end - rest.translations[joint]));
        tip.filter(|tip| *tip != DVec3::ZERO).or(of_mesh)
    });
    let tips: Vec<Option<DVec3>> = tips.collect();
    if tips == known {
        return loaded;
    }
    let mut take = loaded.take.with_tips(tips);
    let stands_on_them =
        body_of(&take).is_some_and(|body| body.feet.iter().any(|foot| body.end_of(foot.ankle) != DVec3::ZERO));
    if !stands_on_them {
        take = take.with_tips(known);
    }
    LoadedTake { take, ..loaded }
}

fn body_of(take: &Take) -> Option<Body> {
    Body::find(take, &BodyOverrides::default()).ok()
}

/// Returns the point of a mesh, in the rest pose, that moves farthest with a joint that turns in place: never one on its axis.
fn farthest_moved(world: &WorldTracks, joint: usize, rest: &Pose, points: &[Point]) -> Option<DVec3> {
    let moved = |point: &Point| {
        let end = rest.rotations[joint].conjugate() * (point.at - rest.translations[joint]);
        let frames = (0..world.num_frames()).step_by(world.num_frames().div_ceil(FRAMES_COMPARED));
        greatest(frames.map(|frame| world.point(frame, joint, end).distance(world.point(0, joint, end))))
    };
    let farthest = points.iter().map(|point| (moved(point), point.at));
    let farthest = farthest.reduce(|one, other| if other.0 > one.0 { other } else { one })?;
    (farthest.0 > 0.0).then_some(farthest.1)
}

/// Returns the end of the mesh of each joint without children in the rest pose, in the world; `end` finds that of one.
fn ends_of_mesh(
    loaded: &LoadedTake,
    rest: &Pose,
    bytes: &[u8],
    end: impl Fn(usize, &[Point]) -> Option<DVec3>,
) -> Vec<Option<DVec3>> {
    let skeleton = loaded.take.skeleton();
    let mut ends = vec![None; skeleton.num_joints()];
    let mesh = loaded.source.read_mesh(bytes, skeleton, &loaded.limits).ok().flatten();
    if let Some(mesh) = mesh.filter(|mesh| !mesh.is_stand_in) {
        let leaves: Vec<usize> = (0..ends.len())
            .filter(|&joint| skeleton.children(joint).is_empty())
            .collect();
        let mut leaf_of = vec![None; ends.len()];
        for (index, &leaf) in leaves.iter().enumerate() {
            leaf_of[leaf] = Some(index);
        }
        let points = Surface::new(&mesh, rest).points(&leaf_of, leaves.len());
        for (leaf, points) in leaves.into_iter().zip(points) {
            ends[leaf] = end(leaf, &points);
        }
    }
    ends
}

/// Returns the end of a bone that begins at `start`.
fn end_of(points: &[Point], start: DVec3) -> Option<DVec3> {
    let along = (middle(points.iter()) - start).try_normalize()?;
    let along = if along.y < -HANGS { DVec3::NEG_Y } else { along };
    let reach = |point: &Point| (point.at - start).dot(along);
    let farthest = greatest(points.iter().map(reach));
    let at_end = points
        .iter()
        .filter(|point| reach(point) >= (1.0 - END_SHARE) * farthest);
    (farthest > 0.0).then(|| middle(at_end))
}

/// Returns the middle of the box around points; not a number without points.
fn middle<'a>(points: impl Iterator<Item = &'a Point>) -> DVec3 {
    let (low, high) = bounds(points.map(|point| point.at));
    0.5 * (low + high)
}

/// Returns where a leg that ends with a joint meets the ground in the rest pose, in the direction of the bone above, if that is
/// part of the leg. `None` if the ground is not below.
fn end_on_ground(skeleton: &Skeleton, rest: &Pose, leg: usize) -> Option<DVec3> {
    let at = rest.translations[leg];
    let above = skeleton
        .parent(leg)
        .filter(|&above| skeleton.children(above).len() == 1);
    let bone = above.map(|above| at - rest.translations[above]);
    let (lowest, top) = percentile::extremes(rest.translations.iter().map(|at| at.y));
    let rise = [at.y - lowest, at.y]
        .into_iter()
        .find(|&rise| rise > RISE_SHARE * (top - lowest));
    let along = bone
        .and_then(DVec3::try_normalize)
        .filter(|along| along.y < -HANGS)
        .unwrap_or(DVec3::NEG_Y);
    match rise {
        Some(rise) => Some(at + along * (rise / -along.y)),
        None => Some(at + bone?),
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use loopwright_core::Joint;

    use super::*;

    #[test]
    fn a_leg_ends_in_the_middle_of_its_sole_or_at_its_far_end() {
        let corners = |low: [f64; 3], high: [f64; 3]| -> Vec<Point> {
            let sides = [low, high];
            let corner = |at: usize| DVec3::new(sides[at & 1][0], sides[(at >> 1) & 1][1], sides[at >> 2][2]);
            (0..8)
                .map(|at| Point {
                    joint: 0,
                    at: corner(at),
                })
                .collect()
        };
        let hip = DVec3::new(0.1, 0.5, 0.0);
        for (boxes, end) in [
            (vec![corners([0.0, 0.0, -0.1], [0.2, 0.5, 0.1])], [0.1, 0.0, 0.0]),
            // A shoe in front of the leg.
            (
                vec![
                    corners([0.0, 0.1, -0.1], [0.2, 0.5, 0.1]),
                    corners([0.0, 0.0, -0.1], [0.2, 0.1, 0.3]),
                ],
                [0.1, 0.0, 0.1],
            ),
            // Stretched aside at rest.
            (vec![corners([0.1, 0.4, -0.1], [0.9, 0.6, 0.1])], [0.9, 0.5, 0.0]),
        ] {
            let found = end_of(&boxes.concat(), hip).unwrap();
            assert!(found.distance(DVec3::from_array(end)) < 1e-12, "{found}");
        }
        assert_eq!(end_of(&[], hip), None);
    }

    #[test]
    fn without_a_mesh_a_leg_ends_on_the_ground() {
        let end = |rows: &[(Option<usize>, [f64; 3])], leg: usize| {
            let joints = rows
                .iter()
                .map(|&(parent, at)| Joint::new("leg", parent, DVec3::from_array(at)));
            let skeleton = Skeleton::new(joints.collect()).unwrap();
            let pose: Pose = rows
                .iter()
                .map(|&(_, at)| (DVec3::from_array(at), DQuat::IDENTITY))
                .collect();
            end_on_ground(&skeleton, &pose.world(&skeleton), leg).map(|end| end.to_array())
        };
        let rigid = [
            (None, [0.0; 3]),
            (Some(0), [0.2, 0.5, 0.0]),
            (Some(0), [-0.2, 0.5, 0.0]),
        ];
        assert_eq!(end(&rigid, 1), Some([0.2, 0.0, 0.0]));
        // Above the zero of the file if no joint lies there.
        let hung = [
            (None, [0.0, 0.8, 0.0]),
            (Some(0), [0.2, -0.3, 0.0]),
            (Some(0), [-0.2, -0.3, 0.0]),
        ];
        assert_eq!(end(&hung, 2), Some([-0.2, 0.0, 0.0]));
        // In the direction of the bone above; as long as that bone if the ground is unknown.
        let shin = [
            (None, [0.0, 1.0, 0.0]),
            (Some(0), [0.0; 3]),
            (Some(1), [0.3, -0.4, 0.0]),
        ];
        assert_eq!(
            end(&shin, 2).map(|end| end.map(|side| (1e9 * side).round())),
            Some([0.75e9, 0.0, 0.0])
        );
        let low = shin.map(|(parent, [x, y, z])| (parent, [x, if parent.is_none() { 0.0 } else { y }, z]));
        assert_eq!(end(&low, 2), Some([0.6, -0.8, 0.0]));
        assert_eq!(
            end(
                &[(None, [0.0; 3]), (Some(0), [0.2, 0.0, 0.0]), (Some(0), [0.0, 1.0, 0.0])],
                1
            ),
            None
        );
    }
}
