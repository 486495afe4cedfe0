//! Identifies the parts of two-legged bodies whose joints have meaningless names (`bone_0`), by shape and motion: two pairs of
//! similar limbs, of which the lower are legs; the bones of a limb by their lengths; sides by the directions of feet, knees and
//! elbows.

use glam::{DQuat, DVec3};

use super::{
    probe_poses,
    vocabulary::{Meaning, NUM_FINGERS},
};
use crate::{
    math::{mean, ordered, smallest},
    motion::{Part, Pose, Skeleton},
    take::Take,
};

/// If more joints than this have meaningful names, nothing is guessed.
const MOST_NAMED: usize = 2;

/// Skeletons with more joints are not guessed: all pairs of chains are compared, and bodies with faces and hair have hundreds.
const MOST_JOINTS: usize = 2000;

/// The chains of two similar limbs differ by less than this share of their length.
const UNLIKE_SHARE: f64 = 0.25;

/// Arms are longer than this share of the legs.
const ARM_SHARE: f64 = 0.3;

/// Arms of a body on two legs end above this share of its legs, on average.
const FORELEG_SHARE: f64 = 0.4;

/// Limbs begin nearer to the trunk than this share of their length; controls are farther away.
const APART_SHARE: f64 = 0.4;

/// Weight of the chain after a hand or foot, and before an arm or thigh, against a choice of bones, as a share of its length:
/// arm and forearm may be as long as collar bone and arm, but a forearm with its hand is longer than a hand; and the foot of a
/// toy is as long as its shin.
const END_WEIGHT: f64 = 0.5;
const ABOVE_WEIGHT: f64 = 0.4;

/// An upper bone that turns by less than the lower one's turn over this factor loses weight.
const SWING_FACTOR: f64 = 2.0;

/// Smaller swings do not distinguish bones, as a share of a radian.
const FEWEST_SWING: f64 = 0.02;

/// A joint turns if one minus the product of two of its rotations exceeds this.
const TURNS: f64 = 1e-9;

/// A joint that never leaves the line between its neighbours by more than this share of the shorter bone is only a twist joint.
const STRAIGHT_SHARE: f64 = 0.02;

/// Takes of fewer frames do not show which joints bend.
const FEWEST_BENDING: usize = 8;

/// The chain of a finger is longer than this share of the hand's longest.
const FINGER_SHARE: f64 = 0.35;

/// Guesses the parts of the joints of a take by shape and motion ([`Part::Guessed`]), one entry for each; `None` if their names
/// give the parts, and if no body on two legs with arms is found.
///
/// Longer takes give more: in a single pose, twist joints cannot be distinguished from straight knees.
pub fn guess_parts(take: &Take) -> Option<Vec<Option<Part>>> {
    if take.num_joints() > MOST_JOINTS {
        return None;
    }
    let meanings = Meaning::of_all(take.skeleton());
    let named = meanings
        .iter()
        .filter(|meaning| meaning.word().is_some() || meaning.side.is_some());
    if named.count() > MOST_NAMED {
        return None;
    }
    let parts = Shape::of(take).parts()?;
    Some(parts.into_iter().map(|part| part.map(Part::Guessed)).collect())
}

/// A limb, from below the trunk to the farthest end along its bones.
type Chain = Vec<usize>;

/// Lengths of a take's bones, and how its joints move.
struct Shape<'a> {
    skeleton: &'a Skeleton,
    /// World poses over the take.
    poses: Vec<Pose>,
    /// By joint, the length of the longest chain of bones below it, metres.
    reach: Vec<f64>,
    /// By joint, the mean height over the lowest joint.
    heights: Vec<f64>,
    /// By joint, whether it ever turns relative to its parent.
    turns: Vec<bool>,
    /// Whether leaves only mark the ends of bones: none ever turns.
    marks_ends: bool,
}

/// Two similar limbs of one joint.
struct Pair {
    above: usize,
    chains: [Chain; 2],
    /// Mean length from the first joints on, metres.
    reach: f64,
}

impl Pair {
    fn mean(&self, of: impl Fn(&Chain) -> f64) -> f64 {
        mean(self.chains.iter().map(of))
    }
}

impl<'a> Shape<'a> {
    /// Measures a take at some of its frames.
    fn of(take: &'a Take) -> Self {
        let skeleton = take.skeleton();
        let mut shape = Self {
            skeleton,
            reach: Vec::new(),
            heights: vec![0.0; skeleton.num_joints()],
            turns: vec![false; skeleton.num_joints()],
            marks_ends: false,
            poses: probe_poses(take),
        };
        for pose in &shape.poses {
            let lowest = smallest(pose.translations.iter().map(|at| at.y));
            for (height, at) in shape.heights.iter_mut().zip(&pose.translations) {
                *height += (at.y - lowest) / shape.poses.len() as f64;
            }
        }
        for joint in 1..shape.turns.len() {
            let own = |pose: &Pose| {
                let parent = skeleton.parent(joint).unwrap_or(0);
                pose.rotations[parent].conjugate() * pose.rotations[joint]
            };
            let first = own(&shape.poses[0]);
            shape.turns[joint] = shape.poses.iter().any(|pose| own(pose).dot(first).abs() < 1.0 - TURNS);
        }
        let mut leaves = (0..shape.turns.len()).filter(|&joint| skeleton.children(joint).is_empty());
        shape.marks_ends =
            shape.turns.contains(&true) && leaves.all(|leaf| !shape.turns[leaf] && skeleton.joint(leaf).tip.is_none());
        shape.reach = skeleton.reaches(|joint| shape.bone(joint));
        shape
    }

    /// Returns the place of a joint in the world, metres.
    fn at(&self, pose: usize, joint: usize) -> DVec3 {
        self.poses[pose].translations[joint]
    }

    /// Returns the end of a leaf's bone.
    fn tip(&self, pose: usize, joint: usize) -> Option<DVec3> {
        let tip = self.skeleton.joint(joint).tip.filter(|tip| *tip != DVec3::ZERO)?;
        Some(self.at(pose, joint) + self.poses[pose].rotations[joint] * tip)
    }

    /// Returns the positions of a chain's joints, and of the end of its last bone.
    fn points(&self, pose: usize, chain: &Chain) -> Vec<DVec3> {
        let end = chain.last().and_then(|&last| self.tip(pose, last));
        chain.iter().map(|&joint| self.at(pose, joint)).chain(end).collect()
    }

    /// Returns the length of the bone from a joint's parent to it.
    fn bone(&self, joint: usize) -> f64 {
        let middle = self.poses.len() / 2;
        let parent = self.skeleton.parent(joint);
        parent.map_or(0.0, |parent| self.at(middle, parent).distance(self.at(middle, joint)))
    }

    /// Returns the names of the parts that joints are taken for, one entry for each joint; `None` without two legs and two arms.
    fn parts(&self) -> Option<Vec<Option<String>>> {
        let (legs, arms) = self.limbs()?;
        let mut names = vec![None; self.skeleton.num_joints()];
        let hips = self.skeleton.last_shared([legs.above, arms.above])?;
        let bones = [&legs, &arms].map(|pair| pair.chains.each_ref().map(|chain| self.bones(chain)));
        let [[Some(left), Some(right)], [Some(left_arm), Some(right_arm)]] = bones else {
            return None;
        };
        let swapped = self.legs_are_swapped([(&left, &legs.chains[0]), (&right, &legs.chains[1])], (hips, &arms));
        names[hips] = Some("Hips".to_owned());
        let spine = self.skeleton.path_from_root(arms.above);
        let spine = spine.iter().skip_while(|&&joint| joint != hips).skip(1);
        add_numbered(&mut names, "Spine", spine.copied());
        self.neck_and_head(&mut names, hips, &arms);

        let legs = if swapped { [&right, &left] } else { [&left, &right] };
        for (leg, side) in legs.into_iter().zip(["Left", "Right"]) {
            leg.add_names(&mut names, side, ["Thigh", "Shin", "Foot"]);
            if let Some(&toe) = leg.beyond.first() {
                names[toe] = Some(format!("{side}Toe"));
            }
        }
        let thighs = legs.map(|leg| leg.upper);
        let sides = (0..self.poses.len()).map(|pose| {
            let pairs = [thighs, [left_arm.upper, right_arm.upper]];
            let [legs, arms] = pairs.map(|[left, right]| self.at(pose, left) - self.at(pose, right));
            legs.dot(arms)
        });
        let swapped = sides.sum::<f64>() < 0.0;
        let arms = if swapped {
            [&right_arm, &left_arm]
        } else {
            [&left_arm, &right_arm]
        };
        for (arm, side) in arms.into_iter().zip(["Left", "Right"]) {
            arm.add_names(&mut names, side, ["UpperArm", "ForeArm", "Hand"]);
            for &collar in &arm.above {
                names[collar] = Some(format!("{side}Clavicle"));
            }
            self.fingers(&mut names, arm, side);
        }
        Some(names)
    }

    /// Finds the legs and the arms: the legs are the similar limbs nearer to the root, else those that end lower; the arms are
    /// the longest of the others that do not end as low.
    fn limbs(&self) -> Option<(Pair, Pair)> {
        let mut pairs: Vec<Pair> = (0..self.reach.len())
            .filter_map(|joint| self.pair_below(joint))
            .collect();
        pairs.sort_by_key(|pair| ordered(-pair.reach));
        // Pairs within a limb, such as fingers, are excluded, as are pairs of a body and an object beside it.
        let mut found: Vec<Pair> = Vec::new();
        for pair in pairs {
            let path = self.skeleton.path_from_root(pair.above);
            let is_known = found.iter().any(|limb| {
                let above = self.skeleton.path_from_root(limb.above);
                limb.chains.iter().any(|chain| path.contains(&chain[0]))
                    || pair.chains.iter().any(|chain| above.contains(&chain[0]))
            });
            if !is_known {
                found.push(pair);
            }
        }
        let longest = found.first()?.reach;
        found.retain(|pair| {
            pair.reach > ARM_SHARE * longest && pair.mean(|chain| self.bone(chain[0])) < APART_SHARE * pair.reach
        });
        let end = |pair: &Pair| pair.mean(|chain| self.heights[chain[chain.len() - 1]]);
        let legs = (0..found.len()).min_by(|&one, &other| {
            let pairs = [&found[one], &found[other]];
            let paths = pairs.map(|pair| self.skeleton.path_from_root(pair.above));
            let by_height = end(pairs[0]).total_cmp(&end(pairs[1]));
            if paths[1].contains(&pairs[0].above) || paths[0].contains(&pairs[1].above) {
                paths[0].len().cmp(&paths[1].len()).then(by_height)
            } else {
                by_height
            }
        })?;
        let legs = found.remove(legs);
        let arms = found.into_iter().find(|pair| {
            let along = (0..self.poses.len()).map(|pose| {
                let foot = self.end(pose, &legs);
                let leg = self.at(pose, legs.above) - foot;
                (self.end(pose, pair) - foot).dot(leg) / leg.length_squared().max(f64::MIN_POSITIVE)
            });
            let reaches_ground = along.sum::<f64>() < FORELEG_SHARE * self.poses.len() as f64;
            !reaches_ground
        })?;
        Some((legs, arms))
    }

    /// Returns the midpoint between the ends of two limbs.
    fn end(&self, pose: usize, pair: &Pair) -> DVec3 {
        mean(pair.chains.iter().map(|chain| self.at(pose, chain[chain.len() - 1])))
    }

    /// Returns the two children of a joint whose chains of bones are most similar.
    fn pair_below(&self, joint: usize) -> Option<Pair> {
        let chains: Vec<Chain> = self
            .skeleton
            .children(joint)
            .iter()
            .map(|&child| self.chain(child))
            .filter(|chain| self.points(0, chain).len() > 2)
            .collect();
        let mut best: Option<(f64, usize, usize)> = None;
        for one in 0..chains.len() {
            for other in one + 1..chains.len() {
                let unlike = self.unlike(&chains[one], &chains[other]);
                if unlike < best.map_or(UNLIKE_SHARE, |(least, ..)| least) {
                    best = Some((unlike, one, other));
                }
            }
        }
        let (_, one, other) = best?;
        let mut pair = Pair {
            above: joint,
            chains: [chains[one].clone(), chains[other].clone()],
            reach: 0.0,
        };
        pair.reach = pair.mean(|chain| self.reach[chain[0]]);
        Some(pair)
    }

    /// Returns the length from a joint's parent to the farthest end along the bones.
    fn along(&self, joint: usize) -> f64 {
        self.bone(joint) + self.reach[joint]
    }

    /// Returns the chain from a joint to the farthest end along the bones.
    fn chain(&self, mut joint: usize) -> Chain {
        let mut chain = vec![joint];
        while let Some(&child) = self
            .skeleton
            .children(joint)
            .iter()
            .max_by_key(|child| ordered(self.along(**child)))
        {
            chain.push(child);
            joint = child;
        }
        chain
    }

    /// Returns the difference of two chains, as a share of their length.
    fn unlike(&self, one: &Chain, other: &Chain) -> f64 {
        let (mut apart, mut whole) = (0.0, 0.0);
        for at in 0..one.len().max(other.len()) {
            let [one, other] = [one, other].map(|chain| chain.get(at).map_or(0.0, |&joint| self.bone(joint)));
            apart += (one - other).abs();
            whole += 0.5 * (one + other);
        }
        if whole > 0.0 { apart / whole } else { f64::INFINITY }
    }

    /// Returns the bones of a limb: among all joints that bend, those of the two longest consecutive bones that end in something
    /// shorter.
    fn bones(&self, chain: &Chain) -> Option<Bones> {
        let poses: Vec<Vec<DVec3>> = (0..self.poses.len()).map(|pose| self.points(pose, chain)).collect();
        let middle = &poses[poses.len() / 2];
        let last = middle.len() - 1;
        let bending: Vec<usize> = (0..=last)
            .filter(|&at| {
                at == 0
                    || at == last
                    || poses.len() < FEWEST_BENDING
                    || poses.iter().any(|points| leaves_line(&points[at - 1..=at + 1]))
            })
            .collect();
        let length = |from: usize, to: usize| {
            middle[from..=to]
                .windows(2)
                .map(|bone| bone[0].distance(bone[1]))
                .sum::<f64>()
        };
        // Turn of a bone relative to the trunk: collar bones and hip joints hardly turn.
        let swing = |from: usize, to: usize| {
            let above = self.skeleton.parent(chain[0]);
            let along = self.poses.iter().zip(&poses).map(|(pose, points)| {
                let trunk = above.map_or(DQuat::IDENTITY, |above| pose.rotations[above]);
                trunk.conjugate() * (points[to] - points[from]).normalize_or_zero()
            });
            (1.0 - mean(along).length_squared()).max(0.0).sqrt() + FEWEST_SWING
        };
        let worth = |three: &[usize]| {
            let [upper, lower, end] = [three[0], three[1], three[2]];
            let beside = ABOVE_WEIGHT * length(0, upper) + END_WEIGHT * length(end, last);
            let swings = (SWING_FACTOR * swing(upper, lower) / swing(lower, end)).min(1.0);
            swings * length(upper, lower).min(length(lower, end)) - beside
        };
        let threes = bending.windows(3);
        let best = threes.max_by_key(|three| ordered(worth(three)))?;
        let &[upper, lower, end] = best else {
            return None;
        };
        Some(Bones {
            above: chain[..upper].to_vec(),
            upper: chain[upper],
            lower: chain[lower],
            end: chain.get(end).copied(),
            twists: [
                chain[upper + 1..lower].to_vec(),
                chain[lower + 1..end.min(chain.len())].to_vec(),
            ],
            beyond: chain.get(end + 1..).unwrap_or_default().to_vec(),
        })
    }

    /// Whether the first of two legs is the right one: feet and knees point ahead.
    fn legs_are_swapped(&self, legs: [(&Bones, &Chain); 2], (hips, arms): (usize, &Pair)) -> bool {
        let left = (0..self.poses.len()).map(|pose| {
            let ahead = legs.iter().map(|(leg, chain)| {
                let points = self.points(pose, chain);
                let [hip, knee] = [leg.upper, leg.lower].map(|joint| self.at(pose, joint));
                let ankle = leg.end.map_or(points[points.len() - 1], |end| self.at(pose, end));
                let along = (ankle - hip).normalize_or_zero();
                (points[points.len() - 1] - ankle) + (knee - hip).reject_from_normalized(along)
            });
            let aside = self.at(pose, legs[0].0.upper) - self.at(pose, legs[1].0.upper);
            self.up(pose, hips, arms).cross(ahead.sum()).dot(aside)
        });
        left.sum::<f64>() < 0.0
    }

    /// Returns the direction of the trunk, from the hips to where the arms branch off, or to the arms themselves.
    fn up(&self, pose: usize, hips: usize, arms: &Pair) -> DVec3 {
        let arms: DVec3 = mean(arms.chains.iter().map(|chain| self.at(pose, chain[0])));
        (arms - self.at(pose, hips)).normalize_or(DVec3::Y)
    }

    /// Names the path above the arms to the highest end: to the joint at which the face branches off, or to the last one that is
    /// not a mere end.
    fn neck_and_head(&self, names: &mut [Option<String>], hips: usize, arms: &Pair) {
        let chains = self
            .skeleton
            .children(arms.above)
            .iter()
            .filter(|&&child| arms.chains.iter().all(|chain| chain[0] != child))
            .map(|&child| self.chain(child));
        let middle = self.poses.len() / 2;
        let up = self.up(middle, hips, arms);
        let rise = |chain: &Chain| {
            let points = self.points(middle, chain);
            (points[points.len() - 1] - self.at(middle, arms.above)).dot(up)
        };
        let Some(mut chain) = chains.max_by_key(|chain| ordered(rise(chain))) else {
            return;
        };
        if rise(&chain) <= 0.0 {
            return;
        }
        match chain.iter().position(|&joint| self.skeleton.children(joint).len() > 1) {
            Some(face) => chain.truncate(face + 1),
            None => chain = self.without_end(chain, 2),
        }
        if let Some(head) = chain.pop() {
            names[head] = Some("Head".to_owned());
        }
        add_numbered(names, "Neck", chain.into_iter());
    }

    /// Returns a chain without its last joint, if that only marks the end of the previous bone. In a chain that never turns, and
    /// in a single pose, a joint after `most` joints does.
    fn without_end(&self, mut chain: Chain, most: usize) -> Chain {
        // Formats that state the ends of leaves need no joints for them.
        let has_end = match chain.as_slice() {
            [] | [_] => false,
            [.., last] if self.skeleton.joint(*last).tip.is_some() => false,
            _ if self.marks_ends => true,
            [before @ .., last] if before.iter().any(|&joint| self.turns[joint]) => !self.turns[*last],
            _ => chain.len() > most,
        };
        if has_end {
            chain.pop();
        }
        chain
    }

    /// Names the fingers of a hand: the one that begins nearest to the wrist, of two the shorter one, is the thumb; the others
    /// follow in order of distance from it. A single joint below a hand is its end.
    fn fingers(&self, names: &mut [Option<String>], arm: &Bones, side: &str) {
        let Some(hand) = arm.end else { return };
        let path = core::iter::once(hand).chain(arm.beyond.iter().copied());
        let palm = path
            .clone()
            .find(|&joint| self.skeleton.children(joint).len() > 1)
            .unwrap_or(hand);
        let middle = self.poses.len() / 2;
        let longest = self.reach[palm];
        let children = self.skeleton.children(palm);
        let chains = children.iter().map(|&child| self.chain(child));
        let mut fingers: Vec<Chain> = match children.len() {
            2 => chains.collect(),
            _ => chains
                .filter(|chain| self.along(chain[0]) > FINGER_SHARE * longest)
                .collect(),
        };
        fingers.sort_by_key(|finger| ordered(self.along(finger[0])));
        // A single joint ahead of the hand is its end.
        if fingers.len() <= 2 {
            let last = fingers.pop();
            fingers.extend(last.filter(|last| last.len() > 1));
        }
        let words = match children.len() {
            1 => &["Index"][..],
            _ => &["Thumb", "Index", "Middle", "Ring", "Pinky"],
        };
        for finger in &mut fingers {
            *finger = self.without_end(core::mem::take(finger), 3);
            // Some rigs have a joint for the finger at the hand.
            let before_last = finger[..finger.len() - 1].iter();
            let begins = before_last.take_while(|&&joint| self.bone(joint) < 1e-3 * longest);
            finger.drain(..begins.count());
        }
        if fingers.len() > NUM_FINGERS {
            return;
        }
        // Of two fingers the shorter one is already the thumb.
        if fingers.len() > 2 {
            let base = |chain: &Chain| self.at(middle, chain[chain.len().saturating_sub(3)]);
            let from_wrist = |chain: &Chain| self.at(middle, hand).distance(base(chain));
            let nearest = (0..fingers.len()).min_by_key(|&finger| ordered(from_wrist(&fingers[finger])));
            let thumb = fingers.remove(nearest.unwrap_or(0));
            let from_thumb = |chain: &Chain| base(chain).distance(base(&thumb));
            fingers.sort_by_key(|finger| ordered(from_thumb(finger)));
            fingers.insert(0, thumb);
        }
        for (finger, word) in fingers.into_iter().zip(words) {
            let within = finger.len().saturating_sub(3);
            add_numbered(names, &format!("{side}InHand{word}"), finger[..within].iter().copied());
            add_numbered(names, &format!("{side}{word}"), finger[within..].iter().copied());
        }
    }
}

/// The joints of a limb of two bones.
struct Bones {
    /// Joints before the upper bone.
    above: Chain,
    upper: usize,
    lower: usize,
    /// Hand or ankle; `None` if the rig ends at the lower bone.
    end: Option<usize>,
    /// Twist joints within each bone.
    twists: [Chain; 2],
    /// Joints after the end.
    beyond: Chain,
}

impl Bones {
    /// Adds the names of a limb's upper and lower bone, of its end, and of the joints that share their turns, by side.
    fn add_names(&self, names: &mut [Option<String>], side: &str, parts: [&str; 3]) {
        let joints = [Some(self.upper), Some(self.lower), self.end];
        for (joint, part) in joints.into_iter().zip(parts) {
            if let Some(joint) = joint {
                names[joint] = Some(format!("{side}{part}"));
            }
        }
        for (twists, part) in self.twists.iter().zip(parts) {
            add_numbered(names, &format!("{side}{part}Twist"), twists.iter().copied());
        }
    }
}

/// Whether the middle one of three consecutive joints leaves the line between the others.
fn leaves_line(three: &[DVec3]) -> bool {
    let [from, joint, to] = [three[0], three[1], three[2]];
    let off = (joint - from)
        .reject_from_normalized((to - from).normalize_or_zero())
        .length();
    off > STRAIGHT_SHARE * from.distance(joint).min(joint.distance(to))
}

/// Adds the names of joints in a row: a word and their number from one.
fn add_numbered(names: &mut [Option<String>], word: &str, joints: impl Iterator<Item = usize>) {
    for (index, joint) in joints.enumerate() {
        names[joint] = Some(format!("{word}{}", index + 1));
    }
}
