//! The body that edits and stances refer to.

use loopwright_core::{Analysis, Skeleton, analysis::Body, retarget::Rig};

/// The body that edits and stances refer to: the take's, or the character's if the loop is put onto one.
#[derive(Clone, Copy, Debug)]
pub struct EditedBody<'a> {
    /// Its tree of joints.
    pub skeleton: &'a Skeleton,
    /// Its parts.
    pub body: &'a Body,
    /// The joint that carries only the root motion, if it has one.
    pub root_joint: Option<usize>,
    /// Whether it belongs to a character.
    pub is_character: bool,
}

impl<'a> EditedBody<'a> {
    /// Returns the body of a take.
    pub fn of_take(analysis: &'a Analysis) -> Self {
        Self {
            skeleton: analysis.take.skeleton(),
            body: &analysis.body,
            root_joint: analysis.root_joint(),
            is_character: false,
        }
    }

    /// Returns the body of a character.
    pub fn of_character(rig: &'a Rig) -> Self {
        Self {
            skeleton: rig.skeleton(),
            body: rig.body(),
            root_joint: rig.root_joint(),
            is_character: true,
        }
    }
}
