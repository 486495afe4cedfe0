//! Loads a loop, ready to be played, from its file and its sidecar.

use loopwright_core::LoopClip;

use super::{
    hash::OtherFile,
    place::{LoopInFile, PlaceError},
    sidecar::{Sidecar, SidecarError},
};
use crate::{
    error::ReadError,
    read::read_take,
    settings::{AnimationChoice, ReadSettings},
    space::SpaceSettings,
};

/// Why a loop cannot be loaded.
#[error_sum]
pub enum LoadLoopError {
    /// The sidecar cannot be read.
    Sidecar(SidecarError),
    /// The file cannot be read.
    Read(ReadError),
    /// The sidecar belongs to another file.
    OtherFile(OtherFile),
    /// The two do not match.
    Place(PlaceError),
}

impl Sidecar {
    /// Returns the space of the loop's file.
    ///
    /// Words that name no axis or unit count as not stated: a sidecar may be edited by hand.
    pub fn space(&self) -> SpaceSettings {
        let unit = self.playback.unit.as_ref().unwrap_or(&self.take.unit);
        SpaceSettings::new(
            self.playback
                .up
                .as_ref()
                .unwrap_or(&self.take.up)
                .parse()
                .unwrap_or_default(),
            unit.strip_suffix(" m").unwrap_or(unit).parse().unwrap_or_default(),
        )
    }

    /// Returns how the loop's file is read: its space, and the animation that holds the loop.
    pub fn reading(&self) -> ReadSettings<'_> {
        let animation = self.playback.animation.as_deref();
        ReadSettings {
            animation: animation.map_or(AnimationChoice::Loop, AnimationChoice::Given),
            ..ReadSettings::in_space(self.space())
        }
    }
}

/// Loads a loop from the bytes of its file and of the sidecar beside it, ready to be played.
///
/// The loop is on the skeleton of its take, in metres with +Y up, and its root moves, even if the file keeps it in place;
/// [`LoopClip::in_place`] stops it. Warnings are not reported: use [`read_take`] and [`LoopInFile`] for them.
pub fn load_loop(bytes: &[u8], sidecar: &[u8]) -> Result<LoopClip, LoadLoopError> {
    let sidecar = Sidecar::from_json(sidecar)?;
    sidecar.check_file(bytes)?;
    let written = read_take(bytes, "loop", &sidecar.reading(), &mut Vec::new())?.take;
    let written = sidecar.without_added_root(written)?;
    Ok(LoopInFile::from_sidecar(&sidecar, &written)?
        .clip(&written)
        .map_err(PlaceError::from)?)
}
