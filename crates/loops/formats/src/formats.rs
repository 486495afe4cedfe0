//! The table of formats, one line each, and functions over all of them.

use glam::DQuat;
use loopwright_core::{
    Take,
    retarget::{self, Rig},
};

use crate::{
    bvh,
    entry::FormatEntry,
    fbx,
    format::{Capabilities, Format},
    gltf::{self, vrma::VrmaSource},
    npz, robot,
    source::Source,
};

/// All formats, in the order of [`Format`].
const TABLE: &[FormatEntry] = &[
    bvh::format::BVH,
    fbx::format::FBX,
    gltf::format::GLB,
    gltf::format::GLTF,
    npz::format::NPZ,
    gltf::format::VRMA,
    robot::format::CSV,
    robot::format::TXT,
    robot::format::PICKLE,
];

impl Format {
    /// All of them.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Bvh; TABLE.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = TABLE[index].format;
            assert!(all[index] as usize == index, "the table has the order of the variants");
            index += 1;
        }
        all
    };

    pub(crate) fn entry(self) -> &'static FormatEntry {
        &TABLE[self as usize]
    }

    /// Returns the capabilities of the format.
    pub fn capabilities(self) -> &'static Capabilities {
        &self.entry().capabilities
    }

    /// Returns the file extension, without the point.
    pub fn extension(self) -> &'static str {
        self.capabilities().extension
    }

    /// Creates the format of a file extension, in any case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension().eq_ignore_ascii_case(extension))
    }

    /// Returns the format for motion of a character file with this extension, in any case: the format itself, or the format of
    /// motion for characters that are not takes.
    pub fn of_motion_for(extension: &str) -> Option<Self> {
        let for_character = || {
            Self::ALL.into_iter().find(|format| {
                let character = format.capabilities().character_extension;
                character.is_some_and(|character| character.eq_ignore_ascii_case(extension))
            })
        };
        Self::from_extension(extension).or_else(for_character)
    }

    /// Detects the format of a file by its first bytes, not by its name; `None` if it is unknown.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| (format.entry().detects)(bytes))
    }

    /// Returns all formats, except for those of robots alone.
    pub fn of_characters() -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(|format| !format.capabilities().is_of_robots)
    }

    /// Returns the names of all formats that this build reads, except for those of robots alone, as a list for people: `BVH, FBX, GLB,
    /// glTF, NPZ or VRMA`, with another word before the last one on request.
    pub fn names(before_last: &str) -> String {
        let names = Self::of_characters()
            .map(Self::capabilities)
            .filter(|format| format.is_read)
            .map(|format| format.name.to_owned());
        list(&names.collect::<Vec<_>>(), before_last)
    }

    /// Lists the extensions of some formats, each after a prefix: `.glb or .gltf`.
    pub fn extensions(formats: &[Self], prefix: &str) -> String {
        let words: Vec<String> = formats
            .iter()
            .map(|format| format!("{prefix}{}", format.extension()))
            .collect();
        list(&words, "or")
    }
}

fn list(words: &[String], before_last: &str) -> String {
    match words {
        [most @ .., last] if !most.is_empty() => format!("{} {before_last} {last}", most.join(", ")),
        _ => words.concat(),
    }
}

impl Source {
    /// Creates a form for a take from elsewhere; each format's source documents the details.
    pub fn for_take(take: &Take, format: Format) -> Self {
        (format.entry().new_form)(take, &retarget::unturned(take.skeleton(), DQuat::IDENTITY))
    }

    /// Returns the form of a VRM animation for a take, whose skeleton is compared with avatars as this rig of it.
    pub fn for_avatars(&self, take: &Take, rig: &Rig) -> Self {
        Self::Vrma(VrmaSource::for_rig(take, &self.rest(take.skeleton()), Some(rig)))
    }

    /// Keeps the form if it can be written in that `format`; else makes a new one for `take`, which must have the source's skeleton.
    pub fn in_format(&self, format: Format, take: &Take) -> Self {
        if self.keeps_all_in(format) {
            let mut same = self.clone();
            same.form_mut().turn_into(format, take);
            return same;
        }
        let mut new = (format.entry().new_form)(take, &self.rest(take.skeleton()));
        if self.form().has_meshes() {
            new.form_mut().leave_out_meshes();
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_determine_the_format() {
        for (bytes, format) in [
            (&b""[..], None),
            (b"\xEF\xBB\xBF \r\n\t", None),
            (b"\xEF\xBB\xBF hierarchy\n", Some(Format::Bvh)),
            (b"Kaydara FBX Binary  \0\x1a", Some(Format::Fbx)),
            (b"; FBX 7.4.0 project file\n", Some(Format::Fbx)),
            (b"glTF\x02\0\0\0", Some(Format::Glb)),
            (b"{ \"asset\": {\"version\": \"2.0\"} }", Some(Format::Gltf)),
            (b"PK\x03\x04\x14\0", Some(Format::Npz)),
            (
                b"glTF\x02\0\0\0\0\0\0\0\x18\0\0\0JSON{\"VRMC_vrm_animation\":{}}",
                Some(Format::Vrma),
            ),
            (
                b"glTF\x02\0\0\0\0\0\0\0\x02\0\0\0JSON{}\"VRMC_vrm_animation\"",
                Some(Format::Glb),
            ),
            (b"{ \"format\": \"loop\" }", None),
            (b"{ \"Frames\": [[1]] }", Some(Format::Txt)),
            (b"\x80\x04}.", Some(Format::Pickle)),
            (b"\xFF\xFEH\0I\0", None),
            (b"\0\x01\x02\x03\x04", None),
            (b"MOTION", None),
        ] {
            assert_eq!(Format::detect(bytes), format, "{bytes:?}");
        }
    }

    #[test]
    fn formats_are_known_by_extensions_and_listed_by_names() {
        for format in Format::ALL {
            assert_eq!(
                Format::from_extension(&format.extension().to_ascii_uppercase()),
                Some(format)
            );
        }
        assert_eq!(Format::from_extension("md"), None);
        assert_eq!(Format::from_extension("vrm"), None);
        assert_eq!(Format::of_motion_for("VRM"), Some(Format::Vrma));
        assert_eq!(Format::of_motion_for("glb"), Some(Format::Glb));
        let fbx = if cfg!(feature = "fbx") { "FBX, " } else { "" };
        assert_eq!(Format::names("and"), format!("BVH, {fbx}GLB, glTF, NPZ and VRMA"));
        assert_eq!(Format::extensions(&[Format::Glb, Format::Gltf], "."), ".glb or .gltf");
        assert_eq!(Format::extensions(&[Format::Bvh], ""), "bvh");
    }
}
