//! The HIERARCHY section. Nesting is kept in a list, not on the call stack.

use core::ops::Range;
use std::collections::BTreeMap;

use glam::DVec3;

use super::{
    BvhJoint, Hierarchy,
    channel::{Channel, ChannelKind, MAX_CHANNELS},
    error::{BvhError, NumberPlace},
    lex::{Lexer, found, is},
    number::{NumberFault, number},
    warning::BvhWarning,
};
use crate::{
    error::ReadError,
    excerpt::{cut, excerpt},
    limits::MAX_DEPTH,
    warning::FileWarning,
};

/// Names longer than this are truncated in messages, in characters.
pub(super) const MAX_SHOWN_NAME: usize = 120;

/// A joint that is not completely read yet.
struct OpenJoint {
    index: usize,
    /// OFFSET and CHANNELS, as far as they are read.
    known: Vec<&'static str>,
}

struct Reader<'l, 'b> {
    lexer: &'l mut Lexer<'b>,
    joints: Vec<BvhJoint>,
    open: Vec<OpenJoint>,
    /// Joints whose names are not UTF-8, and those with long ones, each with the offset of its name.
    not_utf8: Vec<(usize, usize)>,
    long: Vec<(usize, usize)>,
}

/// The trees of a file, usually one.
pub(super) struct Trees {
    /// The joints of all, tree after tree.
    pub whole: Hierarchy,
    /// The first joint of each tree.
    roots: Vec<usize>,
}

/// One of several trees, with the ranges of its joints and of its channels' values.
pub(super) struct Tree {
    pub hierarchy: Hierarchy,
    pub values: Range<usize>,
}

impl Trees {
    /// Returns the tree whose root has the wanted name, or else the one with that number, from 0; by default the one with most
    /// joints, the first of equals, with a warning about others.
    pub(super) fn chosen(&self, wanted: Option<&str>, warnings: &mut Vec<FileWarning>) -> Result<Tree, ReadError> {
        let joints = self.whole.joints();
        let mut roots = self.roots.iter().map(|&root| &joints[root].name);
        let names: Vec<String> = roots.clone().map(|name| cut(name, MAX_SHOWN_NAME)).collect();
        let count = names.len();
        let found = match wanted {
            Some(wanted) => roots
                .position(|name| name == wanted)
                .or_else(|| wanted.parse().ok().filter(|&number| number < count)),
            None => (0..count).max_by_key(|&tree| (self.joints_of(tree).len(), core::cmp::Reverse(tree))),
        };
        let Some(number) = found else {
            let wanted = cut(wanted.unwrap_or_default(), MAX_SHOWN_NAME);
            return Err(ReadError::NoSuchSkeleton { wanted, names });
        };
        let tree = self.tree(number, warnings);
        if wanted.is_none() && count > 1 {
            warnings.push(FileWarning::OtherSkeletons {
                taken: names[number].clone(),
                names,
                count: joints.len() - tree.hierarchy.joints().len(),
            });
        }
        Ok(tree)
    }

    fn joints_of(&self, tree: usize) -> Range<usize> {
        let end = self.roots.get(tree + 1).copied();
        self.roots[tree]..end.unwrap_or(self.whole.joints().len())
    }

    /// Returns a tree by its number and reports its oddities.
    fn tree(&self, number: usize, warnings: &mut Vec<FileWarning>) -> Tree {
        let range = self.joints_of(number);
        let joints = self.whole.joints();
        let start = joints[..range.start].iter().map(|joint| joint.channels.len()).sum();
        let own = joints[range.clone()].iter().map(|joint| BvhJoint {
            parent: joint.parent.map(|parent| parent - range.start),
            ..joint.clone()
        });
        let own: Vec<BvhJoint> = own.collect();
        warn_of_names(&own, warnings);
        warn_of_shape(&own, warnings);
        let hierarchy = Hierarchy { joints: own };
        Tree {
            values: start..start + hierarchy.num_channels(),
            hierarchy,
        }
    }
}

/// Reads from HIERARCHY up to and including the word MOTION.
pub(super) fn read(lexer: &mut Lexer, warnings: &mut Vec<FileWarning>) -> Result<Trees, BvhError> {
    let mut reader = Reader {
        lexer,
        joints: Vec::new(),
        open: Vec::new(),
        not_utf8: Vec::new(),
        long: Vec::new(),
    };
    let roots = reader.read_trees()?;
    let Reader {
        lexer,
        joints,
        not_utf8,
        long,
        ..
    } = reader;
    // Finding a line takes a pass over the file, so all unusual names share one warning.
    let not_utf8 = not_utf8.first().map(|&(joint, offset)| BvhWarning::NameNotUtf8 {
        at: lexer.position_of(offset),
        name: excerpt(&joints[joint].name),
        count: not_utf8.len(),
    });
    let long = long.first().map(|&(joint, offset)| BvhWarning::LongName {
        at: lexer.position_of(offset),
        num_chars: joints[joint].name.chars().count(),
        count: long.len(),
    });
    warnings.extend(not_utf8.into_iter().chain(long).map(FileWarning::from));
    Ok(Trees {
        whole: Hierarchy { joints },
        roots,
    })
}

impl<'b> Reader<'_, 'b> {
    /// Reads all trees: the first joint of each.
    fn read_trees(&mut self) -> Result<Vec<usize>, BvhError> {
        let word = self.lexer.word();
        if !is(word, "HIERARCHY") {
            return Err(BvhError::NotBvh {
                at: self.lexer.position_before(word),
            });
        }
        let word = self.lexer.word();
        if !is(word, "ROOT") {
            return Err(BvhError::NoJoints {
                at: self.lexer.position_before(word),
                found: found(word),
            });
        }
        let mut roots = Vec::new();
        loop {
            roots.push(self.joints.len());
            self.open_joint("ROOT")?;
            while !self.open.is_empty() {
                self.read_entry()?;
            }
            let word = self.lexer.word();
            if is(word, "MOTION") {
                return Ok(roots);
            }
            if !is(word, "ROOT") {
                return Err(match word {
                    b"}" => BvhError::ExtraBrace {
                        at: self.lexer.position_before(word),
                    },
                    _ => self.lexer.expected(word, "MOTION"),
                });
            }
        }
    }

    fn shown_name(&self, joint: usize) -> String {
        excerpt(&self.joints[joint].name)
    }

    /// Reads a name and an opening brace.
    fn open_joint(&mut self, keyword: &'static str) -> Result<(), BvhError> {
        self.lexer.skip_blanks();
        let offset = self.lexer.offset();
        let name = self.lexer.rest_of_line();
        if name.is_empty() {
            let at = self.lexer.position_of(offset);
            return Err(BvhError::JointNameMissing { at, keyword });
        }
        if self.open.len() >= MAX_DEPTH {
            let at = self.lexer.position_of(offset);
            return Err(BvhError::TooDeep { at, limit: MAX_DEPTH });
        }
        let text = String::from_utf8_lossy(name).into_owned();
        let index = self.joints.len();
        if core::str::from_utf8(name).is_err() {
            self.not_utf8.push((index, offset));
        }
        if text.chars().nth(MAX_SHOWN_NAME).is_some() {
            self.long.push((index, offset));
        }
        self.expect_brace(|| format!("{keyword} {}", excerpt(name)))?;
        let parent = self.open.last().map(|open| open.index);
        let known = Vec::new();
        self.open.push(OpenJoint { index, known });
        self.joints.push(BvhJoint {
            name: text,
            parent,
            offset: DVec3::ZERO,
            channels: Vec::new(),
            end_sites: Vec::new(),
        });
        Ok(())
    }

    fn expect_brace(&mut self, after: impl Fn() -> String) -> Result<(), BvhError> {
        let word = self.lexer.word();
        if word == b"{" {
            return Ok(());
        }
        Err(self.lexer.expected(word, format!("\"{{\" after {}", after())))
    }

    /// Reads one entry of the innermost open joint, or its closing brace.
    fn read_entry(&mut self) -> Result<(), BvhError> {
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        let index = open.index;
        let word = self.lexer.word();
        let keyword = ["OFFSET", "CHANNELS"].into_iter().find(|keyword| is(word, keyword));
        let repeated = keyword.filter(|keyword| open.known.contains(keyword));
        open.known.extend(keyword);
        let has_offset = open.known.contains(&"OFFSET");
        let at = || self.lexer.position_before(word);
        if let Some(keyword) = repeated {
            let (at, joint) = (at(), self.shown_name(index));
            return Err(BvhError::Twice { at, joint, keyword });
        }
        if is(word, "OFFSET") {
            let joint = self.shown_name(index);
            self.joints[index].offset = self.read_offset(&NumberPlace::Offset { joint })?;
        } else if is(word, "CHANNELS") {
            self.joints[index].channels = self.read_channels(index)?;
        } else if is(word, "JOINT") {
            self.open_joint("JOINT")?;
        } else if is(word, "End") || is(word, "EndSite") {
            let offset = self.read_end_site(index)?;
            self.joints[index].end_sites.push(offset);
        } else if word == b"}" {
            if !has_offset {
                let (at, joint) = (at(), self.shown_name(index));
                return Err(BvhError::OffsetMissing { at, joint });
            }
            self.open.pop();
        } else if word.is_empty() || is(word, "MOTION") {
            return Err(BvhError::UnclosedBrace {
                at: at(),
                joint: self.shown_name(index),
                found: found(word),
            });
        } else {
            let joint = self.shown_name(index);
            let expected = format!("OFFSET, CHANNELS, JOINT, End Site or \"}}\" in {joint}");
            return Err(self.lexer.expected(word, expected));
        }
        Ok(())
    }

    /// Reads the text after the word End.
    fn read_end_site(&mut self, joint: usize) -> Result<DVec3, BvhError> {
        // "Site", and in some files a name: neither carries information.
        self.lexer.rest_of_line();
        self.expect_brace(|| "End Site".to_owned())?;
        let name = self.shown_name(joint);
        let mut offset = None;
        loop {
            let word = self.lexer.word();
            let at = || self.lexer.position_before(word);
            if is(word, "OFFSET") && offset.is_none() {
                offset = Some(self.read_offset(&NumberPlace::EndSite { joint: name.clone() })?);
            } else if is(word, "CHANNELS") {
                return Err(BvhError::EndSiteChannels { at: at(), joint: name });
            } else if word == b"}" {
                let joint = format!("the End Site of {name}");
                return offset.ok_or_else(|| BvhError::OffsetMissing { at: at(), joint });
            } else {
                let expected = format!("OFFSET or \"}}\" in the End Site of {name}");
                return Err(self.lexer.expected(word, expected));
            }
        }
    }

    fn read_offset(&mut self, place: &NumberPlace) -> Result<DVec3, BvhError> {
        let mut offset = [0.0; 3];
        for index in 0..3 {
            let word = self.lexer.word();
            offset[index] = number(word).map_err(|fault| {
                // A keyword or a brace: the numbers have ended too early.
                let ended = is_structure(word) && matches!(fault, NumberFault::NotANumber(_));
                if ended {
                    self.offset_numbers(word, place, index)
                } else {
                    self.lexer.number_error(word, fault, place.clone())
                }
            })?;
        }
        let before = self.lexer.offset();
        let mut result = Ok(DVec3::from_array(offset));
        for found in 4..8 {
            let word = self.lexer.word();
            if number(word).is_err() {
                break;
            }
            result = Err(self.offset_numbers(word, place, found));
        }
        self.lexer.go_back(before);
        result
    }

    fn offset_numbers(&self, word: &[u8], place: &NumberPlace, found: usize) -> BvhError {
        let joint = match place {
            NumberPlace::EndSite { joint } => format!("the End Site of {joint}"),
            NumberPlace::Offset { joint } | NumberPlace::Value { joint, .. } => joint.clone(),
        };
        BvhError::OffsetNumbers {
            at: self.lexer.position_before(word),
            joint,
            found,
        }
    }

    fn read_channels(&mut self, joint: usize) -> Result<Vec<Channel>, BvhError> {
        let word = self.lexer.word();
        let offset = self.lexer.offset() - word.len();
        if word.is_empty() || !word.iter().all(u8::is_ascii_digit) {
            let expected = format!("the number of channels of {}", self.shown_name(joint));
            return Err(self.lexer.expected(word, expected));
        }
        let declared = core::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        let Some(declared) = declared.filter(|&declared| declared <= MAX_CHANNELS) else {
            return Err(BvhError::ChannelCountRange {
                at: self.lexer.position_of(offset),
                joint: self.shown_name(joint),
                found: found(word),
                limit: MAX_CHANNELS,
            });
        };
        let mut channels = Vec::new();
        loop {
            let before = self.lexer.offset();
            let word: &'b [u8] = self.lexer.word();
            let Some(channel) = Channel::from_word(word) else {
                if channels.len() < declared && !is_structure(word) {
                    return Err(BvhError::UnknownChannel {
                        at: self.lexer.position_before(word),
                        joint: self.shown_name(joint),
                        found: found(word),
                    });
                }
                self.lexer.go_back(before);
                break;
            };
            if channels.contains(&channel) {
                return Err(BvhError::RepeatedChannel {
                    at: self.lexer.position_before(word),
                    joint: self.shown_name(joint),
                    channel,
                });
            }
            channels.push(channel);
        }
        if channels.len() != declared {
            return Err(BvhError::ChannelCount {
                at: self.lexer.position_of(offset),
                joint: self.shown_name(joint),
                declared,
                found: channels.len(),
            });
        }
        Ok(channels)
    }
}

/// Whether a word belongs to the tree's structure, or the file ends.
fn is_structure(word: &[u8]) -> bool {
    let keywords = [
        "{", "}", "OFFSET", "CHANNELS", "JOINT", "ROOT", "End", "EndSite", "MOTION",
    ];
    word.is_empty() || keywords.iter().any(|keyword| is(word, keyword))
}

fn warn_of_names(joints: &[BvhJoint], warnings: &mut Vec<FileWarning>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for joint in joints {
        *counts.entry(&joint.name).or_default() += 1;
    }
    for joint in joints {
        if let Some(count) = counts.remove(joint.name.as_str()).filter(|&count| count > 1) {
            let name = excerpt(&joint.name);
            warnings.push(BvhWarning::DuplicateName { name, count }.into());
        }
    }
}

/// Returns which joints have no joint below them.
pub(super) fn are_leaves(joints: &[BvhJoint]) -> Vec<bool> {
    let mut are_leaves = vec![true; joints.len()];
    for parent in joints.iter().filter_map(|joint| joint.parent) {
        are_leaves[parent] = false;
    }
    are_leaves
}

fn warn_of_shape(joints: &[BvhJoint], warnings: &mut Vec<FileWarning>) {
    let mut bare = joints
        .iter()
        .zip(are_leaves(joints))
        .filter(|(joint, is_leaf)| *is_leaf && joint.end_sites.is_empty());
    if let Some((joint, _)) = bare.next() {
        warnings.push(
            BvhWarning::MissingEndSites {
                joint: cut(&joint.name, MAX_SHOWN_NAME),
                count: 1 + bare.count(),
            }
            .into(),
        );
    }
    let is_position = |channel: &Channel| channel.kind == ChannelKind::Position;
    if !joints[0].channels.iter().any(is_position) {
        warnings.push(
            BvhWarning::RootWithoutPosition {
                joint: cut(&joints[0].name, MAX_SHOWN_NAME),
            }
            .into(),
        );
    }
    // The root's own offset is a position, not a size; and position channels may hold values that the offsets do not.
    let has_size = joints[1..]
        .iter()
        .any(|joint| joint.offset != DVec3::ZERO || joint.channels.iter().any(is_position))
        || joints
            .iter()
            .flat_map(|joint| &joint.end_sites)
            .any(|offset| *offset != DVec3::ZERO);
    if !has_size {
        warnings.push(BvhWarning::NoSize.into());
    }
}
