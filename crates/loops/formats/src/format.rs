//! Formats, and what each of them can hold, extend and state.

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Format {
    /// BVH.
    Bvh,
    /// FBX.
    Fbx,
    /// glTF in one binary file.
    Glb,
    /// glTF as text, with its buffers inside it.
    Gltf,
    /// Arrays of NumPy.
    Npz,
    /// VRM animation: motion for avatars, in a binary glTF file.
    Vrma,
}

/// What files of a format can hold, extend and state: all that is asked of a format from outside its own folder.
///
/// ```
/// use loopwright_formats::Format;
///
/// let named = |format: Format| format.capabilities().name;
/// assert_eq!(Format::from_extension("GLB").map(named), Some("GLB"));
/// assert!(!Format::Bvh.capabilities().states_space);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Its name among people.
    pub name: &'static str,
    /// The extension of its files, without the point.
    pub extension: &'static str,
    /// The extension of files of characters, without the point, that are no takes and whose motion goes into files of this format.
    pub character_extension: Option<&'static str>,
    /// Whether this build reads it.
    pub is_read: bool,
    /// Whether a file holds any number of animations, each with a name; otherwise it holds one motion without a name.
    pub holds_animations: bool,
    /// Whether a take always has the name of its animation, also where that is the only one.
    pub names_takes: bool,
    /// Whether files state their up axis and unit; otherwise these are guessed, and programs assume metres with +Y up.
    pub states_space: bool,
    /// Whether a file may need others beside it, which it names.
    pub names_other_files: bool,
    /// Whether engines that read it expect root motion on a joint above all others.
    pub has_root_joint_for_motion: bool,
    /// Whether a file may hold a root joint above all others that carries root motion; otherwise the body carries it.
    pub takes_root_joint: bool,
    /// Whether loops can be added to its files, so that all else in them stays.
    pub is_extended: bool,
    /// Files to which no animation can be added, as messages name them; `None` if there are none.
    pub not_extended: Option<&'static str>,
}
