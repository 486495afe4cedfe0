//! The map of joints: which joint of a source each joint of a target follows.

use std::collections::BTreeSet;

use super::{LimbKind, Rig, anatomy::Limb};
use crate::{
    analysis::{
        body::vocabulary::{Meaning, Word},
        similar_joints,
    },
    motion::Skeleton,
};

/// The joint or joints of the source that a joint follows.
#[handed_over(Copy)]
pub struct Link {
    /// The joint of the source.
    pub from: usize,
    /// A second joint of the source and its share, from 0 to 1, if the joint lies between two: for spines of different counts.
    pub toward: Option<(usize, f64)>,
    /// From 0 to 1: how sure the choice is. Names, place in the body and shape agree at 1.
    pub confidence: f64,
}

/// The joints of a source that those of a target follow.
#[handed_over]
pub struct JointMap {
    /// The link of each joint of the target; `None` for a joint that keeps its rest.
    pub links: Vec<Option<Link>>,
    /// Joints of the target that keep their rest at the caller's request.
    rests: BTreeSet<usize>,
}

/// The caller's choice for a joint of the target.
#[value]
pub enum Given {
    /// The joint follows nothing and keeps its rest.
    Rest,
    /// A joint of the source, by exact name.
    Joint(String),
    /// Two joints of the source, and the share of the second.
    Between(String, String, f64),
}

/// Why a joint map cannot be used.
#[error_kinds]
pub enum MapError {
    /// A name is not a joint.
    #[error("the {rig} has no joint named \"{name}\"")]
    NoSuchJoint {
        rig: &'static str,
        name: String,
        /// A few joints that may be meant.
        similar: Vec<String>,
    },
    /// A share is not a number from 0 to 1.
    #[error("the share of \"{name}\" must lie between 0 and 1, found {found}")]
    Share { name: String, found: f64 },
    /// The joints form no limbs, as in a file that has only a mesh.
    #[error("the {rig} has no skeleton: no limb or trunk of joints")]
    NoSkeleton { rig: &'static str },
    /// No joint of the limbs or the trunk has a counterpart.
    #[error("no joint of the rig has a counterpart in the motion's skeleton")]
    NothingMapped,
}

/// Below this confidence a choice is worth a look.
const SURE: f64 = 0.75;

impl Link {
    fn sure(from: usize, confidence: f64) -> Option<Self> {
        Some(Self {
            from,
            toward: None,
            confidence,
        })
    }
}

impl JointMap {
    /// Creates the map from one rig to another. Errors: [`MapError::NoSkeleton`], [`MapError::NothingMapped`].
    pub fn between(source: &Rig, target: &Rig) -> Result<Self, MapError> {
        for (rig, what) in [(target, "rig"), (source, "motion")] {
            if !rig.has_skeleton() {
                return Err(MapError::NoSkeleton { rig: what });
            }
        }
        let mut links = vec![None; target.skeleton.num_joints()];
        let (of, to) = (&source.anatomy, &target.anatomy);
        // The hips rotate with the pelvis, if that is a separate joint.
        let pelvis = of.pelvis.unwrap_or(of.hips);
        for joint in core::iter::once(to.hips).chain(to.pelvis) {
            links[joint] = Link::sure(
                pelvis,
                trust(&of.meanings[pelvis], &to.meanings[joint], Word::Hips).max(0.8),
            );
        }
        if let (Some(from), Some(head)) = (of.head, to.head) {
            links[head] = Link::sure(from, trust(&of.meanings[from], &to.meanings[head], Word::Head));
        }
        spread(&mut links, Some(of.hips), &of.spine, &to.spine, None);
        spread(
            &mut links,
            Some(of.spine.last().copied().unwrap_or(of.hips)),
            &of.neck,
            &to.neck,
            of.head,
        );
        spread(&mut links, Some(of.hips), &of.tail, &to.tail, None);
        for limb in &to.limbs {
            link_limb(&mut links, source, target, limb);
        }
        same_names(&mut links, &source.skeleton, &target.skeleton);
        let map = Self {
            links,
            rests: BTreeSet::new(),
        };
        if map.links.iter().flatten().count() < 2 {
            return Err(MapError::NothingMapped);
        }
        Ok(map)
    }

    /// Returns the map with the caller's choices replacing the found links; pairs of a joint of the target and the joint that it
    /// follows.
    ///
    /// Errors: a name that is not a joint, a share out of range.
    pub fn with(mut self, source: &Skeleton, target: &Skeleton, given: &[(String, Given)]) -> Result<Self, MapError> {
        for (name, follows) in given {
            let joint = find(target, "rig", name)?;
            match follows {
                Given::Rest => self.rests.insert(joint),
                _ => self.rests.remove(&joint),
            };
            self.links[joint] = match follows {
                Given::Rest => None,
                Given::Joint(from) => Link::sure(find(source, "motion's skeleton", from)?, 1.0),
                Given::Between(from, toward, share) => {
                    if !(0.0..=1.0).contains(share) {
                        return Err(MapError::Share {
                            name: name.clone(),
                            found: *share,
                        });
                    }
                    let [from, toward] = [from, toward].map(|name| find(source, "motion's skeleton", name));
                    Some(Link {
                        from: from?,
                        toward: Some((toward?, *share)),
                        confidence: 1.0,
                    })
                }
            };
        }
        Ok(self)
    }

    /// Whether a joint of the target keeps its rest at the caller's request.
    pub fn rests_by_choice(&self, joint: usize) -> bool {
        self.rests.contains(&joint)
    }

    /// Returns each link in names, as [`Self::with`] takes it, for joints of the target that follow something or that the
    /// caller lets rest.
    pub fn names(&self, source: &Skeleton, target: &Skeleton) -> Vec<(String, Given)> {
        let named = |link: &Link| {
            let from = source.name_of(link.from);
            match link.toward {
                Some((toward, share)) => Given::Between(from, source.name_of(toward), share),
                None => Given::Joint(from),
            }
        };
        self.links
            .iter()
            .enumerate()
            .filter_map(|(joint, link)| {
                let follows = match link {
                    Some(link) => named(link),
                    None if self.rests_by_choice(joint) => Given::Rest,
                    None => return None,
                };
                Some((target.name_of(joint), follows))
            })
            .collect()
    }

    /// Returns the joints of the target with uncertain links, and these links.
    pub fn unsure(&self) -> impl Iterator<Item = (usize, Link)> + '_ {
        self.links
            .iter()
            .enumerate()
            .filter_map(|(joint, link)| Some((joint, link.filter(|link| link.confidence < SURE)?)))
    }

    /// Returns the share of the rig's trunk and limbs that follow something, from 0 to 1.
    pub fn coverage(&self, target: &Rig) -> f64 {
        let main = target.main_joints();
        let followed = main.iter().filter(|&&joint| self.links[joint].is_some()).count();
        followed as f64 / main.len().max(1) as f64
    }
}

/// Returns the certainty of a link by two names: 1 if both have the same meaning or that of the word, less if one or neither has a meaning,
/// least if one has another meaning.
fn trust(from: &Meaning, joint: &Meaning, word: Word) -> f64 {
    if from.word().is_some() && from.word() == joint.word() {
        return 1.0;
    }
    let [from, joint] = [from, joint].map(|meaning| match meaning.word() {
        _ if meaning.may_be(word) => 1.0,
        Some(Word::Spine) if word == Word::Hips => 1.0,
        None | Some(Word::Spine | Word::Neck) => 0.8,
        Some(_) => 0.65,
    });
    from * joint
}

/// Links the joints of a limb of the target to those of the source's.
fn link_limb(links: &mut [Option<Link>], source: &Rig, target: &Rig, limb: &Limb) {
    let Some(from) = source.anatomy.limb(limb) else {
        return;
    };
    if let Some((bones, theirs)) = limb.bones.zip(from.bones) {
        if !from.collar.is_empty() {
            spread(links, None, &from.collar, &limb.collar, None);
        }
        let words = match limb.kind {
            LimbKind::Arm => [Word::UpperArm, Word::Forearm, Word::Hand],
            LimbKind::Leg => [Word::Thigh, Word::Shin, Word::Foot],
        };
        for ((joint, from), word) in bones.joints().zip(theirs.joints()).zip(words) {
            let sure = trust(&source.anatomy.meanings[from], &target.anatomy.meanings[joint], word);
            links[joint] = Link::sure(from, sure);
        }
        let bases = limb
            .finger_bases
            .iter()
            .zip(&from.finger_bases)
            .filter_map(|(joint, from)| joint.zip(*from));
        let fingers = limb
            .fingers
            .iter()
            .zip(&from.fingers)
            .flat_map(|(finger, from)| finger.iter().copied().zip(from.iter().copied()));
        for (joint, from) in bases.chain(fingers) {
            links[joint] = Link::sure(from, 1.0);
        }
    } else {
        spread(
            links,
            from.joints.first().and_then(|&first| source.skeleton.parent(first)),
            &from.joints,
            &limb.joints,
            None,
        );
    }
    if let (Some(from), Some(toe)) = (from.toe, limb.toe) {
        links[toe] = Link::sure(from, 0.9);
    }
}

/// Links the joints of a chain to those of another: one to one if their numbers are equal, else each to the two on either side
/// of its position.
///
/// Position is the index over the number of joints; `base` is at 0 and `next` after the last, if the chain ends at another
/// joint.
fn spread(links: &mut [Option<Link>], base: Option<usize>, from: &[usize], to: &[usize], next: Option<usize>) {
    if from.len() == to.len() {
        for (&from, &joint) in from.iter().zip(to) {
            links[joint] = Link::sure(from, 1.0);
        }
        return;
    }
    let stops: Vec<usize> = base.into_iter().chain(from.iter().copied()).chain(next).collect();
    let Some(last) = stops.len().checked_sub(1) else { return };
    let (first, steps) = (usize::from(base.is_some()), to.len() + usize::from(next.is_some()));
    for (index, &joint) in to.iter().enumerate() {
        // Without a base, the first joint follows the first.
        let place = match first {
            1 => (index + 1) as f64 / steps.max(1) as f64 * last as f64,
            _ if to.len() > 1 => index as f64 / (to.len() - 1) as f64 * last as f64,
            _ => last as f64,
        };
        let before = (place.floor() as usize).min(last);
        let share = place - before as f64;
        links[joint] = Some(Link {
            from: stops[before],
            toward: (share > 1e-9 && before < last).then(|| (stops[before + 1], share)),
            confidence: 0.9,
        });
    }
}

/// Links the remaining joints (jaws, bases of fingers, tails of coats) to joints of the same name below the joint that their
/// parent follows.
fn same_names(links: &mut [Option<Link>], source: &Skeleton, target: &Skeleton) {
    for joint in 0..links.len() {
        let parent = target.parent(joint).and_then(|parent| links[parent]);
        if links[joint].is_none()
            && let Some(from) = source.find(&target.joint(joint).name)
            // The name alone may mislead: one program's shoulder is another's upper arm.
            && links.iter().flatten().all(|link| link.from != from)
            // Joints above the hips follow nothing: root motion belongs to the hips.
            && parent.is_some_and(|parent| Some(parent.from) == source.parent(from))
        {
            links[joint] = Link::sure(from, 1.0);
        }
    }
}

fn find(skeleton: &Skeleton, rig: &'static str, name: &str) -> Result<usize, MapError> {
    skeleton.find(name).ok_or_else(|| MapError::NoSuchJoint {
        rig,
        name: name.to_owned(),
        similar: similar_joints(skeleton, name),
    })
}
