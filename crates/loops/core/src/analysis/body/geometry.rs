//! Finds the feet of skeletons without usable names: the ends of legs that stay low over the take. These are joints, else the
//! ends of the last bones.

use glam::DVec3;

use super::{Foot, feet::NUM_FEET, named_joints::NamedJoints, probe_poses};
use crate::{
    math::{greatest, percentile},
    take::Take,
};

/// A leaf is a foot if it stays this close to the ground over the take, as a share of the skeleton's height.
///
/// Hands hang at about 0.45 of the height and toes at 0.05; the middle leaves room for crouching on one side and for long ankles
/// on the other.
const FOOT_HEIGHT_SHARE: f64 = 0.2;

/// A leg rises by at least this share of the skeleton's longest side above its foot. Legs of people rise by half, those of a
/// dachshund by a fifth; fins of fish and snouts of snakes by a twentieth.
const LEG_RISE_SHARE: f64 = 0.12;

/// Height over the lowest point of a body, as a share of its height, below which the end of a bone touches the ground.
const GROUND_SHARE: f64 = 0.1;

/// Returns the ankles and toes that stay low over the take; `None` if this does not distinguish feet from other joints.
pub(super) fn feet(take: &Take, named: &NamedJoints) -> Option<Vec<Foot>> {
    low_ends(&Heights::of(take, named, |_| DVec3::ZERO), named)
}

/// Returns the last joints of legs whose bones end low over the take, and come to the ground; `None` like [`feet`].
pub(super) fn feet_at_ends(take: &Take, named: &NamedJoints) -> Option<Vec<Foot>> {
    let heights = Heights::at_ends(take, named);
    let mut feet = low_ends(&heights, named)?;
    feet.iter_mut().for_each(|foot| foot.toe = None);
    let may_stand =
        |foot: &Foot| take.skeleton().children(foot.ankle).is_empty() && !named.name(foot.ankle).is_of_elsewhere();
    (feet.iter().all(may_stand) && heights.reach_ground(&feet)).then_some(feet)
}

/// Whether each leg's last bone comes to the ground.
pub(super) fn ends_reach_ground(take: &Take, named: &NamedJoints, feet: &[Foot]) -> bool {
    Heights::at_ends(take, named).reach_ground(feet)
}

/// Returns every leaf like a foot.
pub(super) fn all_leaves(named: &NamedJoints) -> Vec<Foot> {
    leaves(named).into_iter().map(|leaf| named.foot(leaf)).collect()
}

fn leaves(named: &NamedJoints) -> Vec<usize> {
    named.body().filter(|&joint| named.is_leaf(joint)).collect()
}

fn low_ends(heights: &Heights, named: &NamedJoints) -> Option<Vec<Foot>> {
    let skeleton = named.skeleton;
    let num_joints = skeleton.num_joints();
    let leaves = leaves(named);
    let Heights {
        joints,
        ends,
        top,
        longest_side,
        ..
    } = heights;
    let is_low: Vec<bool> = ends.iter().map(|&height| height < FOOT_HEIGHT_SHARE * top).collect();
    // Children come after their parents, so a backward pass knows everything below a joint.
    let mut all_low = is_low.clone();
    let mut num_leaves = vec![0; num_joints];
    for &leaf in &leaves {
        num_leaves[leaf] = 1;
    }
    for joint in (0..num_joints).rev().filter(|&joint| !named.is_control(joint)) {
        if let Some(parent) = skeleton.parent(joint) {
            all_low[parent] &= all_low[joint];
            num_leaves[parent] += num_leaves[joint];
        }
    }
    let mut feet: Vec<Foot> = Vec::new();
    for &leaf in leaves.iter().filter(|&&leaf| is_low[leaf]) {
        // A foot is the whole path that stays low, up to the ankle; the toe is the next joint.
        let path = skeleton.path_from_root(leaf);
        let ankle = path.iter().position(|&joint| all_low[joint]).unwrap_or(path.len() - 1);
        // The leg begins below the joint at which something else branches off.
        let mut above = path.iter();
        let leg = above
            .position(|&joint| num_leaves[joint] == num_leaves[path[ankle]])
            .unwrap_or(ankle);
        let highest = path[leg.saturating_sub(1)..].iter().map(|&joint| joints[joint]);
        let rise = greatest(highest) - ends[leaf];
        let never_stands = path[leg..].iter().any(|&joint| named.name(joint).never_stands());
        if rise < LEG_RISE_SHARE * longest_side || never_stands {
            continue;
        }
        if feet.iter().all(|foot| foot.ankle != path[ankle]) {
            feet.push(Foot {
                toe: path.get(ankle + 1).copied(),
                ..named.foot(path[ankle])
            });
        }
    }
    let feet_are_distinct = leaves.iter().any(|&leaf| !is_low[leaf]) && feet.len().is_multiple_of(2);
    (feet_are_distinct && NUM_FEET.contains(&feet.len())).then_some(feet)
}

/// Heights of a body over its lowest point, in the unit of the take; those of controls are 0.
struct Heights {
    /// By joint, the mean over the take.
    joints: Vec<f64>,
    /// The mean height of the ends of their bones.
    ends: Vec<f64>,
    /// The least of these.
    least: Vec<f64>,
    /// The largest mean.
    top: f64,
    /// The longest side of a box around the body.
    longest_side: f64,
}

impl Heights {
    fn at_ends(take: &Take, named: &NamedJoints) -> Self {
        Self::of(take, named, |joint| {
            take.skeleton().joint(joint).tip.unwrap_or(DVec3::ZERO)
        })
    }

    /// Measures the body at some frames; `end` is the end of a joint's bone in its axes.
    fn of(take: &Take, named: &NamedJoints, end: impl Fn(usize) -> DVec3) -> Self {
        let num_joints = take.num_joints();
        let body: Vec<usize> = named.body().collect();
        let mut heights = Self {
            joints: vec![0.0; num_joints],
            ends: vec![0.0; num_joints],
            least: vec![f64::INFINITY; num_joints],
            top: 0.0,
            longest_side: 0.0,
        };
        let poses = probe_poses(take);
        let count = poses.len() as f64;
        for world in poses {
            let ends: Vec<DVec3> = (0..num_joints)
                .map(|joint| world.translations[joint] + world.rotations[joint] * end(joint))
                .collect();
            let points = || body.iter().flat_map(|&joint| [world.translations[joint], ends[joint]]);
            let sides = [0, 1, 2].map(|axis| percentile::extremes(points().map(|point| point[axis])));
            heights.longest_side = sides
                .iter()
                .map(|(low, high)| high - low)
                .fold(heights.longest_side, f64::max);
            for &joint in &body {
                let [own, of_end] = [world.translations[joint], ends[joint]].map(|point| point.y - sides[1].0);
                heights.joints[joint] += own / count;
                heights.ends[joint] += of_end / count;
                heights.least[joint] = heights.least[joint].min(of_end);
            }
        }
        heights.top = greatest(heights.joints.iter().chain(&heights.ends).copied());
        heights
    }

    fn reach_ground(&self, feet: &[Foot]) -> bool {
        feet.iter().all(|foot| self.least[foot.ankle] < GROUND_SHARE * self.top)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        FoundBy,
        tests::{body_of, take},
    };
    use crate::{analysis::Analysis, take::Take};

    fn found_by(rows: &[(&str, Option<usize>, [f64; 3])]) -> FoundBy {
        body_of(&take(rows)).found_by
    }

    #[test]
    fn fins_and_snouts_are_no_feet() {
        let fish = [
            ("root", None, [0.0, 0.5, 0.0]),
            ("spine", Some(0), [0.0, 0.0, 0.3]),
            ("head", Some(1), [0.0, 0.0, 0.5]),
            ("jaw", Some(2), [0.0, -0.2, 0.1]),
            ("tail", Some(0), [0.0, 0.0, -0.8]),
            ("dorsal", Some(1), [0.0, 0.25, 0.0]),
            ("fin_l", Some(1), [0.1, -0.5, 0.0]),
            ("fin_r", Some(1), [-0.1, -0.5, 0.0]),
        ];
        assert_eq!(found_by(&fish), FoundBy::AllLeaves);
        // Without names, by their length alone.
        let mut nameless = fish.map(|(_, parent, offset)| ("j", parent, offset.map(|axis| 0.4 * axis)));
        nameless[6].2[1] = -0.08;
        nameless[7].2[1] = -0.08;
        assert_eq!(found_by(&nameless), FoundBy::AllLeaves);
        let snake = [
            ("a", None, [0.0, 0.02, 0.0]),
            ("b", Some(0), [0.0, 0.01, 0.5]),
            ("c", Some(1), [0.0, -0.02, 0.5]),
            ("d", Some(1), [0.0, 0.05, 0.1]),
            ("e", Some(0), [0.0, -0.01, -0.5]),
        ];
        assert_eq!(found_by(&snake), FoundBy::AllLeaves);
    }

    #[test]
    fn bodies_without_feet_never_stand() {
        let rows = [
            ("root", None, [0.0, 0.5, 0.0]),
            ("head", Some(0), [0.0, 0.0, 0.5]),
            ("fin_l", Some(0), [0.1, -0.5, 0.0]),
            ("fin_r", Some(0), [-0.1, -0.5, 0.0]),
        ];
        let still = take(&rows);
        let frames = 30;
        let still = Take::new(
            "t",
            still.skeleton().clone(),
            0.1,
            still.translations(0).repeat(frames),
            still.rotations(0).repeat(frames),
        );
        let analysis = Analysis::new(&still.unwrap()).unwrap();
        assert_eq!(analysis.body.found_by, FoundBy::AllLeaves);
        assert_eq!((analysis.contacts.num_feet(), analysis.contacts.spans()), (0, &[][..]));
    }
}
