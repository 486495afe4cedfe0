//! File formats and their capabilities.

/// A file format.
#[handed_over(Copy, Eq)]
#[non_exhaustive]
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
    /// Motion of robots as rows of numbers.
    Csv,
    /// Motion of robots as rows of numbers in JSON.
    Txt,
    /// Motion of robots as a pickle of Python.
    Pickle,
}

/// The capabilities of a format: everything about a format that code outside its folder uses.
///
/// ```
/// use loopwright_formats::Format;
///
/// let named = |format: Format| format.capabilities().name;
/// assert_eq!(Format::from_extension("GLB").map(named), Some("GLB"));
/// assert!(!Format::Bvh.capabilities().states_space);
/// ```
#[value(Copy, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Its common name.
    pub name: &'static str,
    /// The extension of its files, without the point.
    pub extension: &'static str,
    /// The extension, without the point, of character files that are not takes and whose motion goes into files of this format.
    pub character_extension: Option<&'static str>,
    /// Whether this build reads it.
    pub is_read: bool,
    /// Whether a file holds any number of animations, each with a name; otherwise it holds one motion without a name.
    pub holds_animations: bool,
    /// Whether a take always has the name of its animation, even if that is the only one.
    pub names_takes: bool,
    /// Whether files state their up axis and unit; otherwise these are guessed, and programs assume metres with +Y up.
    pub states_space: bool,
    /// Whether a file states the time of each key; otherwise keys are even.
    pub has_key_times: bool,
    /// Whether a file may refer to other files that it needs.
    pub names_other_files: bool,
    /// Whether engines that read it expect root motion on a joint above all others.
    pub has_root_joint_for_motion: bool,
    /// Whether a file may hold a root joint above all others that carries root motion; otherwise the body carries it.
    pub takes_root_joint: bool,
    /// Whether loops can be added to its files without changing their other contents.
    pub is_extended: bool,
    /// A description for messages of the files that cannot be extended; `None` if there are none.
    pub not_extended: Option<&'static str>,
    /// Whether files hold the motion of robots alone, and are read with the description of one.
    pub is_of_robots: bool,
}

impl Capabilities {
    /// Those of a format of one motion for each file, in a stated space and with even keys.
    pub(crate) const OF_ONE_MOTION: Self = Self {
        name: "",
        extension: "",
        character_extension: None,
        is_read: true,
        holds_animations: false,
        names_takes: false,
        states_space: true,
        has_key_times: false,
        names_other_files: false,
        has_root_joint_for_motion: false,
        takes_root_joint: true,
        is_extended: false,
        not_extended: None,
        is_of_robots: false,
    };
}
