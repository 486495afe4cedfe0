//! Selects the animation of a file that becomes the take, and the nodes that become joints.

use super::{
    accessor::Accessors,
    container::Document,
    error::GltfError,
    parts::{self, Animation, Nodes, Skin},
    source::Beside,
    track::{self, Track},
    vrm::Humanoid,
};
use crate::{
    animations::names_or_numbers, error::ReadError, excerpt::cut, limits::MAX_DEPTH_WITH_ROOT, settings::ReadSettings,
    warning::FileWarning,
};

/// Longest name in messages.
const MAX_SHOWN_NAME: usize = 120;

/// The property of a node that a channel animates.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Path {
    Translation,
    Rotation,
    Scale,
}

impl Path {
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "translation" => Some(Self::Translation),
            "rotation" => Some(Self::Rotation),
            "scale" => Some(Self::Scale),
            _ => None,
        }
    }

    pub(crate) fn width(self) -> usize {
        if self == Self::Rotation { 4 } else { 3 }
    }
}

/// An animation and its number in the file.
pub(crate) struct Chosen<'a> {
    pub index: usize,
    pub animation: &'a Animation,
}

impl Chosen<'_> {
    /// Returns the channels that move nodes: node, property and number of the sampler; all of them exist.
    pub(crate) fn moves(&self, nodes: &Nodes) -> Result<Vec<(usize, Path, usize)>, GltfError> {
        let mut moves = Vec::with_capacity(self.animation.channels.len());
        for (index, channel) in self.animation.channels.iter().enumerate() {
            let (Some(node), Some(path)) = (channel.target.node, Path::from_word(&channel.target.path)) else {
                continue;
            };
            let at = |part: &str| format!("animations[{}].channels[{index}].{part}", self.index);
            GltfError::check_index(node, nodes.nodes.len(), || at("target.node"))?;
            GltfError::check_index(channel.sampler, self.animation.samplers.len(), || at("sampler"))?;
            moves.push((node, path, channel.sampler));
        }
        Ok(moves)
    }

    /// Returns the nodes whose shapes the animation moves, or those that represent expressions and the gaze of an avatar, with their
    /// samplers.
    pub(super) fn beside(&self, nodes: &Nodes, avatar: Option<&Humanoid>) -> Vec<(usize, Beside, usize)> {
        let beside = self.animation.channels.iter().filter_map(|channel| {
            let node = channel.target.node.filter(|&node| node < nodes.nodes.len())?;
            let property = match avatar {
                None => Beside::Shapes,
                Some(avatar) if avatar.expressions.contains(&node) => Beside::Expression,
                Some(avatar) if avatar.gaze == Some(node) => Beside::Gaze,
                Some(_) => return None,
            };
            let is_it = channel.target.path == property.path() && channel.sampler < self.animation.samplers.len();
            is_it.then_some((node, property, channel.sampler))
        });
        beside.collect()
    }

    fn sampler_position(&self, sampler: usize) -> String {
        format!("animations[{}].samplers[{sampler}]", self.index)
    }

    /// Reads the keys of a sampler. Errors: as [`Track::read`].
    pub(crate) fn track(
        &self,
        accessors: &Accessors,
        sampler: usize,
        width: Option<usize>,
    ) -> Result<Track, GltfError> {
        let position = self.sampler_position(sampler);
        Track::read(accessors, &self.animation.samplers[sampler], width, &position)
    }
}

/// Returns the animation that the settings select, or the longest that moves a node.
pub(crate) fn animation<'a>(
    animations: &'a [Animation],
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<Chosen<'a>, ReadError> {
    if animations.is_empty() {
        return Err(GltfError::NoAnimations.into());
    }
    let names = animation_names(animations);
    match settings.animation.among(&names)? {
        Some(index) => Ok(Chosen {
            index,
            animation: &animations[index],
        }),
        None => Ok(longest(animations, &names, accessors, nodes, warnings)?),
    }
}

/// Returns the longest animation in which a node moves; if none does, the longest with keys for a node; the first of several.
///
/// Warns if there was a choice, and if nothing moves: a still body is valid motion, and rounding may remove small motion.
fn longest<'a>(
    animations: &'a [Animation],
    names: &[String],
    accessors: &Accessors<'_>,
    nodes: &Nodes,
    warnings: &mut Vec<FileWarning>,
) -> Result<Chosen<'a>, GltfError> {
    let names: Vec<String> = names.iter().map(|name| cut(name, MAX_SHOWN_NAME)).collect();
    let count = animations.len();
    let mut by_length = Vec::with_capacity(count);
    for (index, animation) in animations.iter().enumerate() {
        let chosen = Chosen { index, animation };
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        for (_, _, sampler) in chosen.moves(nodes)? {
            let position = chosen.sampler_position(sampler);
            let times = track::read_times(accessors, &chosen.animation.samplers[sampler], &position)?;
            ends = (ends.0.min(times[0]), ends.1.max(times[times.len() - 1]));
        }
        by_length.push((ends.1 - ends.0, chosen));
    }
    // Without keys the length is minus infinity.
    by_length.retain(|(secs, _)| *secs >= 0.0);
    by_length.sort_by(|(p, _), (q, _)| q.total_cmp(p));
    let mut moving = None;
    'found: for (index, (_, chosen)) in by_length.iter().enumerate() {
        for (_, path, sampler) in chosen.moves(nodes)? {
            if chosen.track(accessors, sampler, Some(path.width()))?.moves {
                moving = Some(index);
                break 'found;
            }
        }
    }
    if by_length.is_empty() {
        return Err(no_motion(animations, names));
    }
    let (_, chosen) = by_length.swap_remove(moving.unwrap_or(0));
    let taken = names[chosen.index].clone();
    if moving.is_none() {
        warnings.push(FileWarning::StandsStill {
            animation: taken.clone(),
        });
    }
    if count > 1 {
        warnings.push(FileWarning::SeveralAnimations { taken, names });
    }
    Ok(chosen)
}

/// Returns the error of animations that move no node, of these names.
pub(super) fn no_motion(animations: &[Animation], names: Vec<String>) -> GltfError {
    let mut channels = animations.iter().flat_map(|animation| &animation.channels).peekable();
    if channels.peek().is_some() && channels.all(|channel| channel.target.path == parts::POINTER) {
        return GltfError::OtherPointers;
    }
    let count = animations.len();
    GltfError::NoMotion { count, names }
}

/// Returns the names of the animations, or their numbers if they have none.
pub(crate) fn animation_names(animations: &[Animation]) -> Vec<String> {
    names_or_numbers(animations.iter().map(|animation| animation.name.as_deref()))
}

/// Returns the joints of the skin that the settings select, or of the skin with most animated joints; empty if the animation
/// moves none.
///
/// If the file states its bones, other skins give no warning: bones are joints, whatever the skins contain.
fn skin_joints(
    document: &Document,
    moved: &[bool],
    bones: Option<&Humanoid>,
    settings: &ReadSettings,
    warnings: &mut Vec<FileWarning>,
) -> Result<Vec<usize>, ReadError> {
    let mut skins: Vec<Skin> = parts::parts(document, "skins")?;
    for (index, skin) in skins.iter().enumerate() {
        if let Some(&found) = skin.joints.iter().find(|&&joint| joint >= moved.len()) {
            return Err(GltfError::no_such(format!("skins[{index}].joints"), found, moved.len()).into());
        }
    }
    let names = names_or_numbers(skins.iter().map(|skin| skin.name.as_deref()));
    let names: Vec<String> = names.iter().map(|name| cut(name, MAX_SHOWN_NAME)).collect();
    let num_moved = |skin: &Skin| skin.joints.iter().filter(|&&joint| moved[joint]).count();
    let chosen = match settings.skin {
        Some(wanted) => {
            let by_name = skins.iter().position(|skin| skin.name.as_deref() == Some(wanted));
            let found = by_name.or_else(|| wanted.parse().ok().filter(|&number| number < skins.len()));
            Some(found.ok_or_else(|| ReadError::NoSuchSkin {
                wanted: cut(wanted, MAX_SHOWN_NAME),
                names: names.clone(),
            })?)
        }
        None => {
            // The first one of a tie.
            let best = (0..skins.len()).rev().max_by_key(|&skin| num_moved(&skins[skin]));
            best.filter(|&skin| num_moved(&skins[skin]) > 0)
        }
    };
    let Some(chosen) = chosen else {
        return Ok(Vec::new());
    };
    let others = skins.iter().any(|skin| {
        skin.joints.len() <= MAX_JOINTS_COMPARED
            && !skin.joints.iter().all(|joint| skins[chosen].joints.contains(joint))
    });
    if settings.skin.is_none() && bones.is_none() && others {
        warnings.push(FileWarning::SeveralSkins {
            taken: names[chosen].clone(),
            names,
        });
    }
    Ok(skins.swap_remove(chosen).joints)
}

/// Most joints of a skin that are compared one by one with another skin's.
const MAX_JOINTS_COMPARED: usize = 4096;

/// Nodes that are joints, parents before children, each with the index of its parent among them.
#[derive(Default)]
pub(crate) struct Joints {
    /// `None` for a root without a node, above several.
    pub nodes: Vec<Option<usize>>,
    pub parents: Vec<Option<usize>>,
}

/// Selects the joints of a take: those of the skin, animated nodes in the same tree, and all nodes between.
///
/// `moves` are the channels of the animation. Without a skin, the joints are the animated nodes and their descendants without a
/// mesh. Pass `None` for a file without its animations: its joints are then those of the skin that the settings select, or of
/// the largest; without skins all nodes. Errors: [`ReadError`].
pub(crate) fn joints(
    document: &Document,
    nodes: &Nodes,
    moves: Option<&[(usize, Path, usize)]>,
    bones: Option<&Humanoid>,
    settings: &ReadSettings,
    warnings: &mut Vec<FileWarning>,
) -> Result<Joints, ReadError> {
    if bones.is_some_and(|bones| bones.is_motion) {
        // A motion for avatars has its bones and the nodes between them.
        return Ok(connected(nodes, vec![false; nodes.nodes.len()], bones)?);
    }
    let mut moved = vec![moves.is_none(); nodes.nodes.len()];
    for &(node, _, _) in moves.into_iter().flatten() {
        moved[node] = true;
    }
    let top = |node: usize| nodes.above(node).last().unwrap_or(node);
    let skinned = skin_joints(document, &moved, bones, settings, warnings)?;
    let mut is_joint = vec![false; nodes.nodes.len()];
    if skinned.is_empty() {
        is_joint.clone_from(&moved);
        let mut open: Vec<usize> = (0..moved.len()).filter(|&node| moved[node]).collect();
        while let Some(node) = open.pop() {
            for &child in &nodes.nodes[node].children {
                if nodes.nodes[child].mesh.is_none() && !core::mem::replace(&mut is_joint[child], true) {
                    open.push(child);
                }
            }
        }
    } else {
        let mut has_joint = vec![false; nodes.nodes.len()];
        for &joint in &skinned {
            is_joint[joint] = true;
            has_joint[top(joint)] = true;
        }
        let mut left_out = 0;
        for node in (0..moved.len()).filter(|&node| moved[node] && moves.is_some()) {
            if has_joint[top(node)] {
                is_joint[node] = true;
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            warnings.push(FileWarning::NodesLeftOut { count: left_out });
        }
    }
    Ok(connected(nodes, is_joint, bones)?)
}

/// Returns the joints, the bones that the file states, and all nodes between them, in the order of the file's own tree.
fn connected(nodes: &Nodes, mut is_joint: Vec<bool>, bones: Option<&Humanoid>) -> Result<Joints, GltfError> {
    for node in bones.into_iter().flat_map(Humanoid::nodes) {
        is_joint[node] = true;
    }
    // Number of joints at or below each node: the root is the lowest node that contains all of them.
    let mut below = vec![0_usize; is_joint.len()];
    let order = nodes.depth_first(nodes.roots());
    for &node in order.iter().rev() {
        below[node] += usize::from(is_joint[node]);
        if let Some(parent) = nodes.parents[node] {
            below[parent] += below[node];
        }
    }
    let all = is_joint.iter().filter(|is_joint| **is_joint).count();
    let root = order.iter().rev().copied().find(|&node| below[node] == all);
    let mut joints = Joints::default();
    let mut indices = vec![usize::MAX; is_joint.len()];
    let mut depths = Vec::new();
    if root.is_none() {
        joints.nodes.push(None);
        joints.parents.push(None);
        depths.push(0);
    }
    for node in nodes.depth_first(root.map_or_else(|| nodes.roots(), |root| vec![root])) {
        if below[node] == 0 {
            continue;
        }
        let parent = match nodes.parents[node].filter(|_| Some(node) != root) {
            Some(parent) => Some(indices[parent]),
            None => root.is_none().then_some(0),
        };
        let depth = parent.map_or(0, |parent| depths[parent] + 1);
        if depth >= MAX_DEPTH_WITH_ROOT {
            return Err(GltfError::TooDeep {
                node,
                limit: MAX_DEPTH_WITH_ROOT,
            });
        }
        indices[node] = joints.nodes.len();
        depths.push(depth);
        joints.nodes.push(Some(node));
        joints.parents.push(parent);
    }
    Ok(joints)
}
