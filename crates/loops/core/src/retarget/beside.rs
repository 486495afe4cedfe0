//! Joints that neither hang from the hips nor carry them: feet apart from their legs, props, targets that steer a rig.

use glam::DVec3;

use crate::analysis::body::Foot;
use crate::analysis::body::vocabulary::Meaning;
use crate::analysis::{Body, FoundBy, Side};
use crate::motion::{Pose, Skeleton};

/// A foot apart lies nearer to the end of its leg than this, as a share of the leg from the hips on.
const FOOT_SHARE: f64 = 0.25;

/// The same body with the feet that its legs lack, where joints beside it lie at the ends of both.
///
/// Such a leg has two bones, of which the lower one ends in nothing. Joints whose names say that they only steer are no feet, but copies
/// of a bone of the leg are, which Blender numbers: they steer a leg that has a foot of its own, and are the foot of one that has none.
pub(super) fn with_feet_apart(skeleton: &Skeleton, body: Body, world: &Pose) -> Body {
    feet_apart(skeleton, &body, world).unwrap_or(body)
}

fn feet_apart(skeleton: &Skeleton, body: &Body, world: &Pose) -> Option<Body> {
    let is_found = matches!(body.found_by, FoundBy::Names | FoundBy::Geometry);
    let [one, other] = body.feet.as_slice() else {
        return None;
    };
    if !is_found {
        return None;
    }
    let legs = [bare_leg(skeleton, body, one)?, bare_leg(skeleton, body, other)?];
    let beside = Beside::of(skeleton, body.hips);
    let mut feet = Vec::new();
    for leg in legs {
        let ankle = foot_at(skeleton, (body, &leg), &beside, &world.translations)?;
        let side = |joint: usize| Meaning::of(skeleton.joint(joint).says()).side;
        let side = side(ankle).or_else(|| leg.iter().rev().find_map(|&joint| side(joint)))?;
        feet.push((
            leg[0],
            Foot {
                ankle,
                toe: None,
                side: Some(side),
            },
        ));
    }
    feet.sort_by_key(|(_, foot)| foot.side);
    let [(left, one), (right, other)] = feet.as_slice() else {
        return None;
    };
    if one.side != Some(Side::Left) || other.side != Some(Side::Right) || one.ankle == other.ankle {
        return None;
    }
    let is_foot = |&joint: &usize| {
        let path = skeleton.path_from_root(joint);
        path.contains(&one.ankle) || path.contains(&other.ankle)
    };
    Some(Body {
        feet: vec![*one, *other],
        thighs: Some([*left, *right]),
        controls: body.controls.iter().copied().filter(|joint| !is_foot(joint)).collect(),
        ..body.clone()
    })
}

/// The joints of a leg without a foot of its own, from below the hips to the end of its lower bone.
fn bare_leg(skeleton: &Skeleton, body: &Body, foot: &Foot) -> Option<Vec<usize>> {
    let path = skeleton.path_from_root(foot.ankle);
    let hips = path.iter().position(|&joint| joint == body.hips)?;
    let mut leg = path[hips + 1..].to_vec();
    while let Some(&last) = leg.last() {
        match skeleton.children(last) {
            [] => break,
            [only] => leg.push(*only),
            _ => return None,
        }
    }
    let is_end = |joint: usize| Meaning::of(skeleton.joint(joint).says()).is_helper;
    matches!(*leg, [_, _, end] if is_end(end)).then_some(leg)
}

/// The joint beside the body that lies at the end of a leg.
fn foot_at(skeleton: &Skeleton, (body, leg): (&Body, &[usize]), beside: &Beside, at: &[DVec3]) -> Option<usize> {
    let end = at[*leg.last()?];
    let chain: Vec<usize> = core::iter::once(body.hips).chain(leg.iter().copied()).collect();
    let length: f64 = chain.windows(2).map(|bone| at[bone[0]].distance(at[bone[1]])).sum();
    let steers = |joint: usize| {
        let name = skeleton.joint(joint).name.as_str();
        let copied = name.rsplit_once('.').and_then(|(stem, _)| skeleton.find(stem));
        let is_copy = copied.is_some_and(|bone| leg.contains(&bone));
        Meaning::of(name).is_helper || (body.is_control(joint) && !is_copy)
    };
    (beside.tops())
        .filter(|&joint| at[joint].distance(end) < FOOT_SHARE * length && !steers(joint))
        .min_by(|&one, &other| at[one].distance(end).total_cmp(&at[other].distance(end)))
}

/// The joints beside a body.
pub(super) struct Beside {
    /// By joint: whether it neither hangs from the hips nor carries them.
    pub(super) is_beside: Vec<bool>,
    /// By joint: whether it is the hips or hangs from them.
    pub(super) is_within: Vec<bool>,
    parents: Vec<Option<usize>>,
}

impl Beside {
    pub(super) fn of(skeleton: &Skeleton, hips: usize) -> Self {
        let above = skeleton.path_from_root(hips);
        let parents: Vec<Option<usize>> = (0..skeleton.num_joints()).map(|joint| skeleton.parent(joint)).collect();
        let mut is_within = vec![false; parents.len()];
        for joint in hips..parents.len() {
            is_within[joint] = joint == hips || parents[joint].is_some_and(|parent| is_within[parent]);
        }
        Self {
            is_beside: (0..parents.len())
                .map(|joint| !is_within[joint] && !above.contains(&joint))
                .collect(),
            is_within,
            parents,
        }
    }

    /// Those that hang from joints above the hips.
    fn tops(&self) -> impl Iterator<Item = usize> {
        (0..self.parents.len())
            .filter(|&joint| self.is_beside[joint] && self.parents[joint].is_none_or(|parent| !self.is_beside[parent]))
    }
}
