//! The chains of a body: trunk, limbs, fingers, tail, in hierarchical order.

use glam::DVec3;

use crate::{
    analysis::{
        Body, FoundBy, Side,
        body::vocabulary::{Meaning, NUM_FINGERS, Word},
    },
    math::ordered,
    motion::{Pose, Skeleton},
};

/// Arms and legs; forelegs count as legs.
#[handed_over(Copy, Eq)]
pub enum LimbKind {
    /// An arm.
    Arm,
    /// A leg or a foreleg.
    Leg,
}

/// A limb, from the trunk to its end.
#[handed_over]
pub(super) struct Limb {
    pub kind: LimbKind,
    pub side: Side,
    /// Which pair of legs, from the hindmost; 0 for arms.
    pub row: usize,
    /// All joints from below the trunk to hand or ankle; those that share the turn of a bone are left out.
    pub joints: Vec<usize>,
    /// The collar bones, between the trunk and the upper bone of an arm.
    pub collar: Vec<usize>,
    /// Upper bone, lower bone and end, of a limb that has exactly one joint between: an arm, or the leg of a biped.
    pub bones: Option<Bones>,
    /// The bones with which it reaches for a place: `bones`, or the two halves of a leg with more joints, which bends most between them.
    pub reaches: Option<Bones>,
    /// The ball of the foot or the toes.
    pub toe: Option<usize>,
    /// Joints of the fingers, from the thumb to the little finger.
    pub fingers: [Vec<usize>; NUM_FINGERS],
    /// Bones within the hand that carry a finger.
    pub finger_bases: [Option<usize>; NUM_FINGERS],
}

impl Limb {
    /// Returns its beginning: its upper bone, or its first joint.
    pub(super) fn top(&self) -> Option<usize> {
        self.upper().or(self.joints.first().copied())
    }

    /// Returns its upper bone.
    pub(super) fn upper(&self) -> Option<usize> {
        Some(self.bones?.upper)
    }

    /// Returns the joints of its bones, or all of them without bones.
    pub(super) fn main(&self) -> Vec<usize> {
        self.bones
            .map_or_else(|| self.joints.clone(), |bones| bones.joints().collect())
    }
}

/// The joints of a limb of two bones.
#[handed_over(Copy, Eq)]
pub(super) struct Bones {
    pub upper: usize,
    pub lower: usize,
    /// Hand or ankle; `None` if the rig ends at the lower bone.
    pub end: Option<usize>,
}

impl Bones {
    /// Returns upper bone, lower bone and end, if it has one.
    pub(super) fn ends(self) -> Option<[usize; 3]> {
        Some([self.upper, self.lower, self.end?])
    }

    /// Returns the upper bone, lower bone and end.
    pub(super) fn joints(self) -> impl Iterator<Item = usize> {
        [self.upper, self.lower].into_iter().chain(self.end)
    }
}

/// The chains of a body.
#[handed_over]
pub(super) struct Anatomy {
    /// The joint that carries legs and trunk.
    pub hips: usize,
    /// A joint below the hips that carries only the legs, and turns with the pelvis.
    pub pelvis: Option<usize>,
    /// The joints from above the hips to the one that carries the arms.
    pub spine: Vec<usize>,
    /// The joints from there to below the head.
    pub neck: Vec<usize>,
    pub head: Option<usize>,
    pub tail: Vec<usize>,
    pub limbs: Vec<Limb>,
    /// Feet that do not hang from their legs, each with the joint to which it is attached instead.
    pub apart: Vec<(usize, usize)>,
    pub meanings: Vec<Meaning>,
}

impl Anatomy {
    /// Finds the chains of a body; `world` is a standing pose.
    pub(super) fn of(skeleton: &Skeleton, body: &Body, world: &Pose) -> Self {
        let mut meanings = Meaning::of_all(skeleton);
        // In a mirrored body, names state the other side.
        if body.is_mirrored {
            for meaning in &mut meanings {
                meaning.side = meaning.side.map(Side::other);
            }
        }
        // Toes point ahead.
        let ahead: DVec3 = body
            .feet
            .iter()
            .filter_map(|foot| Some(world.translations[foot.toe?] - world.translations[foot.ankle]))
            .sum();
        let find = Finder {
            skeleton,
            body,
            at: &world.translations,
            meanings: &meanings,
            left: DVec3::Y.cross(ahead).try_normalize(),
        };
        let hips = body.hips;
        let hands = find.hands();
        let arms = match hands {
            [Some(left), Some(right)] => skeleton.last_shared([left, right]),
            _ => None,
        };
        let (head, top) = find.head_and_top(arms);
        let chest = arms.or_else(|| {
            let mut path = find.path(hips, top?).into_iter();
            skeleton.parent(path.find(|&joint| find.says(joint, Word::Neck))?)
        });
        let mut above = top.or(chest).map_or_else(Vec::new, |top| find.path(hips, top));
        if head.is_some() {
            above.pop();
        }
        let neck = above.split_off(find.start_of_neck(&above, chest));
        let spine = find.without_helpers(above);
        let neck = find.without_helpers(neck);
        let pelvis = find.pelvis();
        let trunk = [&[hips][..], &spine, &neck, pelvis.as_slice()].concat();
        let (mut limbs, apart) = find.legs(&trunk);
        for (hand, side) in hands.into_iter().zip(Side::ALL) {
            limbs.extend(hand.and_then(|hand| find.arm(&trunk, hand, side)));
        }
        Self {
            hips,
            pelvis,
            spine,
            neck,
            head,
            tail: find.tail(),
            limbs,
            apart,
            meanings,
        }
    }

    /// Returns the limb of a kind, side and row.
    pub(super) fn limb(&self, like: &Limb) -> Option<&Limb> {
        self.limbs
            .iter()
            .find(|limb| (limb.kind, limb.side, limb.row) == (like.kind, like.side, like.row))
    }

    /// Returns the first limb of a kind and side.
    pub(super) fn first(&self, kind: LimbKind, side: Side) -> Option<&Limb> {
        self.limbs.iter().find(|limb| (limb.kind, limb.side) == (kind, side))
    }

    /// Returns the arms.
    pub(super) fn arms(&self) -> impl Iterator<Item = &Limb> {
        self.limbs.iter().filter(|limb| limb.kind == LimbKind::Arm)
    }

    /// Returns the legs, forelegs among them.
    pub(super) fn legs(&self) -> impl Iterator<Item = &Limb> {
        self.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg)
    }

    /// Whether it walks on two legs.
    pub(super) fn is_biped(&self) -> bool {
        self.legs().count() == 2
    }

    /// Returns hips, spine, neck and head.
    pub(super) fn trunk(&self) -> Vec<usize> {
        [&[self.hips][..], &self.spine, &self.neck, self.head.as_slice()].concat()
    }

    /// Returns the topmost joint of the trunk: the head, or the last joint below it.
    pub(super) fn top(&self) -> Option<usize> {
        self.head.as_ref().or(self.neck.last()).or(self.spine.last()).copied()
    }
}

/// The part of a body to which a joint belongs.
pub(crate) enum BodyPart {
    /// Hips, spine, neck and head.
    Trunk,
    /// A limb with its fingers or toes: the joints at which the joint's bone ends, if any are known.
    Limb {
        side: Side,
        kind: LimbKind,
        ends: Vec<usize>,
    },
}

impl BodyPart {
    /// Finds the part of a joint; `world` is a standing pose. `None` for tails, faces and helpers.
    pub(crate) fn of(skeleton: &Skeleton, body: &Body, world: &Pose, joint: usize) -> Option<Self> {
        let anatomy = Anatomy::of(skeleton, body, world);
        if anatomy.trunk().contains(&joint) || anatomy.pelvis == Some(joint) {
            return Some(Self::Trunk);
        }
        anatomy.limbs.iter().find_map(|limb| {
            // Feet point to their toes, hands along the middle finger.
            let chain = limb.joints.iter().chain(&limb.toe).chain(&limb.fingers[2]);
            let mut from_joint = chain.skip_while(|&&on| on != joint);
            let is_of_chain = from_joint.next().is_some();
            let is_of_limb = is_of_chain || skeleton.is_within(joint, *limb.joints.last()?);
            is_of_limb.then(|| Self::Limb {
                side: limb.side,
                kind: limb.kind,
                ends: match from_joint.next() {
                    Some(&next) => vec![next],
                    None => skeleton.children(joint).to_vec(),
                },
            })
        })
    }
}

struct Finder<'a> {
    skeleton: &'a Skeleton,
    body: &'a Body,
    at: &'a [DVec3],
    meanings: &'a [Meaning],
    /// The body's left as shown by the direction of its feet, for names that do not state sides.
    left: Option<DVec3>,
}

/// Agreement of a name with a part that is one of its rarer meanings; negative for a part that it does not mean.
const MAY_BE: f64 = 0.9;

/// Names agree better by more than this, or equally well.
const NAMES_DIFFER: f64 = 0.05;

/// A joint this far from the middle of the body, as a share of its distance from the hips, is at a side.
const ASIDE_SHARE: f64 = 0.04;

impl Finder<'_> {
    fn says(&self, joint: usize, word: Word) -> bool {
        self.meanings[joint].word() == Some(word) && !self.meanings[joint].is_helper
    }

    /// Returns how well a name matches a part: 1 if it means that part first, less if it may, negative if it means another.
    fn agrees(&self, joint: usize, word: Word) -> f64 {
        let meaning = &self.meanings[joint];
        match meaning.word() {
            Some(first) if first == word => 1.0,
            Some(_) if meaning.may_be(word) => MAY_BE,
            Some(_) => -MAY_BE,
            None => 0.0,
        }
    }

    /// Returns the joints below `above` on the path to `joint`, which is the last; empty if it is not a descendant.
    fn path(&self, above: usize, joint: usize) -> Vec<usize> {
        let mut path = self.skeleton.path_from_root(joint);
        let at = path.iter().position(|&on| on == above);
        at.map_or_else(Vec::new, |at| path.split_off(at + 1))
    }

    /// Whether a joint hangs from another.
    fn hangs_from(&self, above: usize, joint: usize) -> bool {
        joint != above && self.skeleton.is_within(joint, above)
    }

    /// Returns the topmost joint of a word and side that hangs from the hips.
    fn named(&self, word: Word, side: Option<Side>) -> Option<usize> {
        (0..self.meanings.len()).find(|&joint| {
            self.says(joint, word)
                && self.meanings[joint].side == side
                && !self.body.is_control(joint)
                && self.skeleton.is_within(joint, self.body.hips)
        })
    }

    /// Returns the head, and the last joint of a trunk without one; `arms` is the joint from which the arms part.
    fn head_and_top(&self, arms: Option<usize>) -> (Option<usize>, Option<usize>) {
        let by_body = self
            .body
            .head
            .filter(|&head| !self.body.is_bone_end(head) && self.hangs_from(self.body.hips, head));
        if let Some(head) = by_body.or_else(|| self.named(Word::Head, None)) {
            return (Some(head), Some(head));
        }
        let from = arms.unwrap_or(self.body.hips);
        let last = (0..self.meanings.len()).rfind(|&joint| {
            (self.says(joint, Word::Spine) || self.says(joint, Word::Neck))
                && !self.body.is_control(joint)
                && self.hangs_from(from, joint)
        });
        match last {
            // Rigs that number the bones from the hips to the head.
            Some(last) if arms.is_some() && !self.says(last, Word::Neck) => (Some(last), Some(last)),
            Some(last) => (None, Some(last)),
            None => {
                let head = self.topmost(arms);
                (head, head)
            }
        }
    }

    /// Returns the index at which the neck begins among the joints above the hips: above the arms at `chest`, unless names place joints of
    /// the neck below it, as when collar bones are attached to the neck, or joints of the spine above it.
    fn start_of_neck(&self, above: &[usize], chest: Option<usize>) -> usize {
        let neck = above
            .iter()
            .position(|&joint| self.meanings[joint].word() == Some(Word::Neck));
        let start = match chest.or(self.front_of_trunk(above)) {
            Some(chest) if chest == self.body.hips => Some(0),
            chest => chest.and_then(|chest| above.iter().position(|&joint| joint == chest).map(|at| at + 1)),
        };
        match (start, neck) {
            (Some(start), Some(neck)) if self.body.feet.len() == 2 => {
                let from = start.min(neck);
                let spine = above[from..]
                    .iter()
                    .take_while(|&&joint| self.meanings[joint].word() == Some(Word::Spine));
                from + spine.count()
            }
            (start, neck) => start.or(neck).unwrap_or(above.len()),
        }
    }

    /// Returns the joint that carries only the legs, in a body of two legs whose hips also carry the trunk.
    fn pelvis(&self) -> Option<usize> {
        let [left, right] = self.body.feet.as_slice() else {
            return None;
        };
        let shared = self.skeleton.last_shared([left.ankle, right.ankle])?;
        self.hangs_from(self.body.hips, shared).then_some(shared)
    }

    /// Returns a chain of the trunk without twist joints; all of them if there are no others.
    fn without_helpers(&self, chain: Vec<usize>) -> Vec<usize> {
        let bare = self.bare(&chain, None);
        if bare.is_empty() { chain } else { bare }
    }

    /// Returns the head of rigs with uninformative names: on the path to the highest end without a side, above the arms, the
    /// joint at which the face branches off.
    fn topmost(&self, arms: Option<usize>) -> Option<usize> {
        let skeleton = self.skeleton;
        let hips = self.body.hips;
        if self.body.feet.len() != 2 || self.meanings.iter().any(|meaning| meaning.word().is_some()) {
            return None;
        }
        let top = (0..self.meanings.len())
            .filter(|&joint| {
                skeleton.children(joint).is_empty() && self.path(hips, joint).len() > 1 && self.side_of(joint).is_none()
            })
            .max_by_key(|&end| ordered(self.at[end].y))?;
        if self.at[top].y <= self.at[hips].y {
            return None;
        }
        Some(
            self.path(arms.unwrap_or(hips), top)
                .iter()
                .find(|&&joint| skeleton.children(joint).len() > 1)
                .copied()
                .unwrap_or(top),
        )
    }

    fn side_of(&self, joint: usize) -> Option<Side> {
        self.skeleton
            .path_from_root(joint)
            .iter()
            .rev()
            .find_map(|&joint| self.meanings[joint].side)
            .or_else(|| {
                let from_hips = self.at[joint] - self.at[self.body.hips];
                let aside = self.left?.dot(from_hips);
                let side = if aside > 0.0 { Side::Left } else { Side::Right };
                (aside.abs() > ASIDE_SHARE * from_hips.length()).then_some(side)
            })
    }

    /// The hands, left and right, or the last joints of arms without hands.
    fn hands(&self) -> [Option<usize>; 2] {
        Side::ALL.map(|side| {
            self.body
                .hands
                .iter()
                .copied()
                .find(|&hand| self.side_of(hand) == Some(side))
                .into_iter()
                .chain(
                    [Word::Hand, Word::Forearm, Word::UpperArm]
                        .into_iter()
                        .filter_map(|word| self.named(word, Some(side))),
                )
                .find(|&hand| {
                    let mut feet = self.body.feet.iter();
                    !feet.any(|foot| self.skeleton.is_within(foot.ankle, hand))
                })
                .or_else(|| self.farthest_aside(side))
        })
    }

    /// Returns the end of the limb of a side that reaches farthest from the hips and is neither leg nor head, in rigs with
    /// uninformative names: the joint at which fingers branch off, or the last.
    fn farthest_aside(&self, side: Side) -> Option<usize> {
        let skeleton = self.skeleton;
        let taken: Vec<usize> = self
            .body
            .feet
            .iter()
            .map(|foot| foot.ankle)
            .chain(self.body.head)
            .collect();
        let leaf = (0..self.meanings.len())
            .filter(|&joint| {
                let path = self.path(self.body.hips, joint);
                path.len() > 2
                    && skeleton.children(joint).is_empty()
                    && self.side_of(joint) == Some(side)
                    && !self.body.is_control(joint)
                    && self.meanings[joint].word() != Some(Word::Tail)
                    && !path.iter().any(|on| taken.contains(on) || self.says(*on, Word::Head))
            })
            .max_by_key(|&leaf| ordered(self.at[leaf].distance(self.at[self.body.hips])))?;
        let path = self.path(self.body.hips, leaf);
        let sided = path.iter().position(|&joint| self.side_of(joint) == Some(side))?;
        Some(
            path[sided..]
                .iter()
                .skip(2)
                .find(|&&joint| skeleton.children(joint).len() > 1)
                .copied()
                .unwrap_or(leaf),
        )
    }

    /// Returns the joint at which the forelegs branch off the trunk, in bodies of more than two legs.
    fn front_of_trunk(&self, trunk: &[usize]) -> Option<usize> {
        if self.body.feet.len() <= 2 || self.body.found_by == FoundBy::AllLeaves {
            return None;
        }
        self.body
            .feet
            .iter()
            .filter_map(|foot| {
                let path = self.skeleton.path_from_root(foot.ankle);
                trunk.iter().rposition(|joint| path.contains(joint))
            })
            .max()
            .map(|at| trunk[at])
    }

    /// Returns the joints that bear no helper's name, and one that is kept.
    fn bare(&self, joints: &[usize], keep: Option<usize>) -> Vec<usize> {
        joints
            .iter()
            .copied()
            .filter(|&joint| Some(joint) == keep || !self.meanings[joint].is_helper)
            .collect()
    }

    /// Returns the legs, the left ones first and those of a side in the order in which they hang from the trunk, and the feet that do not
    /// hang from their legs, as in [`Anatomy::apart`].
    fn legs(&self, trunk: &[usize]) -> (Vec<Limb>, Vec<(usize, usize)>) {
        if self.body.found_by == FoundBy::AllLeaves {
            return Default::default();
        }
        let mut feet: Vec<(usize, Limb)> = Vec::new();
        let mut apart = Vec::new();
        for foot in &self.body.feet {
            let named = foot
                .side
                .map(|side| if self.body.is_mirrored { side.other() } else { side });
            let Some(side) = named.or_else(|| self.side_of(foot.ankle)) else {
                continue;
            };
            let last = self.body.end_of_leg_apart(self.skeleton, foot);
            let path = self.skeleton.path_from_root(last.unwrap_or(foot.ankle));
            let first = path
                .iter()
                .rposition(|joint| trunk.contains(joint))
                .map_or(0, |last| last + 1);
            let hangs_at = trunk
                .iter()
                .position(|joint| first > 0 && *joint == path[first - 1])
                .unwrap_or(0);
            let mut chain = path[first..].to_vec();
            if let Some(last) = last {
                let lower = self.lower_above_foot(&chain, last, side);
                apart.push((foot.ankle, lower));
                if let Some(end) = chain.iter().position(|&joint| joint == lower) {
                    chain.truncate(end + 1);
                }
                chain.push(foot.ankle);
            }
            let joints = self.bare(&chain, Some(foot.ankle));
            let is_two = self.body.feet.len() == 2;
            let reaches = self.bones(&joints, Some(foot.ankle), [Word::Thigh, Word::Shin]);
            let mut below = self.skeleton.children(foot.ankle).iter().copied();
            feet.push((
                hangs_at,
                Limb {
                    kind: LimbKind::Leg,
                    side,
                    row: 0,
                    bones: reaches.filter(|_| is_two),
                    reaches,
                    toe: foot
                        .toe
                        .or_else(|| below.find(|&joint| self.says(joint, Word::Toe) || self.says(joint, Word::Foot))),
                    collar: Vec::new(),
                    joints,
                    fingers: Default::default(),
                    finger_bases: Default::default(),
                },
            ));
        }
        // Pairs in the order in which they hang from the trunk.
        feet.sort_by_key(|(hangs_at, _)| *hangs_at);
        let limbs = Side::ALL.into_iter().flat_map(|side| {
            feet.iter()
                .filter(move |(_, limb)| limb.side == side)
                .enumerate()
                .map(|(row, (_, limb))| Limb { row, ..limb.clone() })
        });
        (limbs.collect(), apart)
    }

    /// Returns the lower bone of a leg whose foot is attached elsewhere; `last` is the last joint of its chain.
    ///
    /// The end of the last bone may be a joint of its own, which the foot replaces. The joint named as shin may be the upper
    /// bone.
    fn lower_above_foot(&self, chain: &[usize], last: usize, side: Side) -> usize {
        let named = self
            .named(Word::Shin, Some(side))
            .filter(|lower| chain.iter().skip(1).any(|joint| joint == lower));
        match (named, chain) {
            (Some(lower), _) => lower,
            (None, [_, .., above, _]) if self.meanings[last].is_helper => *above,
            _ => last,
        }
    }

    /// Returns the two bones of a limb: by their names, and among several those that are both as long as possible.
    fn bones(&self, joints: &[usize], end: Option<usize>, words: [Word; 2]) -> Option<Bones> {
        let inner: Vec<usize> = joints.iter().copied().filter(|&joint| Some(joint) != end).collect();
        let mut best: Option<(f64, f64, Bones)> = None;
        for (index, &upper) in inner.iter().enumerate() {
            for &lower in &inner[index + 1..] {
                let named = self.agrees(upper, words[0]) + self.agrees(lower, words[1]);
                let first = self.at[upper].distance(self.at[lower]);
                let length = end.map_or(0.0, |end| first.min(self.at[lower].distance(self.at[end])));
                let is_better = best.is_none_or(|(most, longest, _)| {
                    // Among bones of similar length the ones nearest to the end: hip joints sit on short bones.
                    named > most + NAMES_DIFFER || (named > most - NAMES_DIFFER && length >= 0.9 * longest)
                });
                if is_better {
                    best = Some((named, length, Bones { upper, lower, end }));
                }
            }
        }
        best.map(|(_, _, bones)| bones)
    }

    fn arm(&self, trunk: &[usize], hand: usize, side: Side) -> Option<Limb> {
        let path = self.skeleton.path_from_root(hand);
        let at = path.iter().rposition(|joint| trunk.contains(joint))?;
        let has_hand =
            !self.body.is_bone_end(hand) && !self.says(hand, Word::Forearm) && !self.says(hand, Word::UpperArm);
        let joints = self.bare(&path[at + 1..], Some(hand));
        let bones = self.bones(&joints, has_hand.then_some(hand), [Word::UpperArm, Word::Forearm]);
        Some(Limb {
            kind: LimbKind::Arm,
            side,
            row: 0,
            bones,
            reaches: bones,
            toe: None,
            collar: bones.map_or_else(Vec::new, |bones| self.collar(&joints, bones.upper)),
            joints,
            fingers: core::array::from_fn(|finger| self.finger(hand, finger)),
            finger_bases: core::array::from_fn(|finger| self.of_hand(hand, Word::FingerBase(finger)).next()),
        })
    }

    /// Returns the joints of an arm above its upper bone: those named as collar bones, if there are any.
    fn collar(&self, joints: &[usize], upper: usize) -> Vec<usize> {
        let above = joints.iter().copied().take_while(|&joint| joint != upper);
        let named = above
            .clone()
            .filter(|&joint| self.meanings[joint].may_be(Word::Clavicle))
            .collect::<Vec<_>>();
        if named.is_empty() { above.collect() } else { named }
    }

    /// Returns the joints of a finger, from the hand outwards, each below the one before.
    fn finger(&self, hand: usize, finger: usize) -> Vec<usize> {
        let mut chain: Vec<usize> = Vec::new();
        for joint in self.of_hand(hand, Word::Finger(finger)) {
            if chain.last().is_none_or(|&above| self.hangs_from(above, joint)) {
                chain.push(joint);
            }
        }
        chain
    }

    /// Returns the joints of a hand whose names mean a word.
    fn of_hand(&self, hand: usize, word: Word) -> impl Iterator<Item = usize> + '_ {
        (hand + 1..self.meanings.len())
            .filter(move |&joint| self.says(joint, word) && !self.body.is_control(joint))
            .filter(move |&joint| self.skeleton.is_within(joint, hand) || self.hangs_beside(hand, joint))
    }

    /// Whether a joint hangs from the same forearm as the hand: some rigs have several palms.
    fn hangs_beside(&self, hand: usize, joint: usize) -> bool {
        let parent = self.skeleton.parent(hand);
        parent.is_some_and(|parent| self.says(parent, Word::Forearm) && self.skeleton.is_within(joint, parent))
    }

    fn tail(&self) -> Vec<usize> {
        let Some(mut joint) = self.named(Word::Tail, None) else {
            return Vec::new();
        };
        let mut tail = vec![joint];
        while let [child] = self.skeleton.children(joint) {
            joint = *child;
            if self.meanings[joint].is_helper {
                break;
            }
            tail.push(joint);
        }
        tail
    }
}
