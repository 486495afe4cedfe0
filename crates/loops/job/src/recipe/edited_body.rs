//! The body whose joints edits and stances name.

use loopwright_core::{Analysis, Skeleton, analysis::Body, retarget::Rig};

/// The body whose joints edits and stances name: that of the take, or the character that its loop is put onto.
#[derive(Clone, Copy, Debug)]
pub struct EditedBody<'a> {
    /// Its tree of joints.
    pub skeleton: &'a Skeleton,
    /// Its parts.
    pub body: &'a Body,
    /// The joint that carries only the root motion, if it has one.
    pub root_joint: Option<usize>,
    /// Whether it is a character's.
    pub is_character: bool,
}

impl<'a> EditedBody<'a> {
    /// That of a take.
    pub fn of_take(analysis: &'a Analysis) -> Self {
        Self {
            skeleton: analysis.take.skeleton(),
            body: &analysis.body,
            root_joint: analysis.root_joint(),
            is_character: false,
        }
    }

    /// That of a character.
    pub fn of_character(rig: &'a Rig) -> Self {
        Self {
            skeleton: rig.skeleton(),
            body: rig.body(),
            root_joint: rig.root_joint(),
            is_character: true,
        }
    }
}
