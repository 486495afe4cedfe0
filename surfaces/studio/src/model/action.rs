//! Changes of the model.

use loopwright_core::closure::ClosureName;
use loopwright_formats::Format;
use loopwright_formats::set::SET_FILE;
use loopwright_job::recipe::{StudyArgs, read_joint_map};

use super::{
    Beside, Comparison, Edit, Link, NamedFile, RootView, SetFiles, SetRead, Shown, Steer, Stretch, Study, Ticked,
};
use crate::camera::Camera;

/// A change of the model.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub enum Action {
    /// Open a file.
    Open {
        file_name: String,
        bytes: Vec<u8>,
        beside: Beside,
    },
    /// Follow a recipe: read the take as it says, and make what it makes.
    OpenRecipe { bytes: Vec<u8> },
    /// Play a set, with the body of one of its files.
    OpenSet(Box<SetRead>),
    /// Play it no longer.
    CloseSet,
    /// Steer the character of the set.
    Steer(Steer),
    /// Play a clip of the set.
    PlayClip(String),
    /// Play the upper body of a clip of the set over what plays.
    PlayOver(String),
    /// Read takes again that were open: the name of the file of each, and its recipe. The files may have characters that recipes name.
    Reopen {
        files: Vec<NamedFile>,
        takes: Vec<(String, String)>,
    },
    /// Take joints of characters for those that a map names.
    OpenMap {
        /// Its name, as a recipe states it.
        file_name: String,
        bytes: Vec<u8>,
    },
    /// Report a file that the system does not give.
    CannotOpen { file_name: String, reason: String },
    /// Report that the system has no dialog for files.
    NoDialog,
    /// Forget the work that goes on.
    Cancel,
    /// Take a stretch.
    Choose(Stretch),
    /// Take a stretch while one of its ends is dragged.
    Drag(Stretch),
    /// Read the take otherwise: smoothed, or on another character.
    Read(Box<StudyArgs>),
    /// Take the next file that is opened as a character for the take, or as a take again.
    AwaitCharacter(bool),
    /// Work something out of the take.
    Study(Study),
    /// Change the choices; those of one drag are one step of undo.
    Edit {
        edit: Box<Edit>,
        /// Whether the drag is over.
        is_final: bool,
    },
    /// Close by the method of that name.
    CloseBy(ClosureName),
    /// Take the last change back.
    Undo,
    /// Make the change again that was taken back.
    Redo,
    /// Tick something, or no longer.
    Tick(Ticked, bool),
    /// Let things be ticked, to be exported together, or not.
    TickSeveral(bool),
    /// Write all that is ticked, each in that format or in its own.
    ExportTicked(Option<Format>),
    /// Say how long the animations of the file are, and what they are.
    ListAnimations,
    /// Write the loop.
    Export(Format),
    /// Make a set of that name of all takes that are open, in that format or in the one that fits.
    MakeSet(String, Option<Format>),
    /// Play or pause.
    TogglePlaying,
    /// Play at that speed.
    Speed(f64),
    /// Show that time, seconds.
    Seek(f64),
    /// Show that frame of the take: in the loop, where that is shown and has it.
    ShowFrame(f64),
    /// Pause, and go by that many frames.
    Step(i32),
    /// Start again at the end, or stop there.
    Repeat(bool),
    /// Play the time around the seam alone, or all.
    SeamOnly(bool),
    /// Show something else.
    Show(Shown),
    /// Show the uncut stretch instead of the loop, or the loop again.
    ToggleUncut,
    /// Show the uncut stretch beside the loop.
    Ghost(bool),
    /// Show the uncut stretch and the loop side by side.
    Split(bool),
    /// Show poses just before the seam and just after it at once.
    Onion(bool),
    /// Show the path of the chosen joint over the seam.
    Trail(bool),
    /// Show a mannequin even where the file has a character, or not.
    Mannequin(bool),
    /// Keep what is chosen, to compare it with other choices.
    Keep,
    /// Take the choices that were kept, and keep the present ones.
    SwapKept,
    /// Follow a link, once its take is open.
    OpenLink(Box<Link>),
    /// Compare loops side by side, or no longer.
    Compare(Option<Comparison>),
    /// Take one of the loops that are compared.
    TakeCompared(usize),
    /// Go on with another take that is open, by its number in [`super::Model::others`].
    TakeUp(usize),
    /// Close a take: that of a number in [`super::Model::others`], or the one that is shown.
    Close(Option<usize>),
    /// Say that a loop is in its file: that of a take, by those choices.
    Written(Option<Box<(String, Edit)>>),
    /// Say that the recipe of the loop is in its file.
    RecipeSaved,
    /// Show root motion otherwise.
    RootView(RootView),
    /// Look from elsewhere.
    Look(Camera),
    /// Draw the curves of that joint.
    Watch(usize),
    /// Show these frames of the take in its bar, or all.
    ZoomBar(Option<[f64; 2]>),
    /// Show the list of keys, or hide it.
    Help(bool),
    /// Show the first steps, or hide them.
    Guide(bool),
    /// Forget what went wrong.
    Dismiss,
}

impl Action {
    /// Opens a set of its manifest, if a text is one.
    pub(crate) fn of_manifest(file_name: &str, bytes: &[u8], beside: &Beside) -> Option<Self> {
        Some(match SetRead::of_manifest(bytes, beside)? {
            Ok(read) => Self::OpenSet(Box::new(read)),
            Err(reason) => Self::CannotOpen {
                file_name: file_name.to_owned(),
                reason,
            },
        })
    }

    /// Plays a set that was just made, or says why that cannot be. The file of its body is named after the set, because an open take may have
    /// the name of a clip.
    pub(crate) fn of_set(set: &SetFiles) -> Option<Self> {
        let files = set.files.clone();
        let find = move |path: &str| {
            let file = files.iter().find(|file| file.file_name == path)?;
            Some(file.bytes.to_vec())
        };
        let manifest = find(SET_FILE)?;
        let mut action = Self::of_manifest(&set.name, &manifest, &Beside::found_by(find))?;
        if let Self::OpenSet(read) = &mut action {
            read.file_name = format!("{} {}", set.name, read.file_name);
        }
        Some(action)
    }

    /// Whether it looks at the loop otherwise than as it opens, or changes it.
    pub(super) fn looks_at_the_loop(&self) -> bool {
        matches!(
            self,
            Self::Choose(_)
                | Self::Drag(_)
                | Self::Edit { .. }
                | Self::CloseBy(_)
                | Self::Show(_)
                | Self::ToggleUncut
                | Self::SeamOnly(_)
                | Self::Split(_)
        )
    }

    /// Opens a file: a map of joints or a recipe where its name ends in `.toml`, a set where it is the manifest of one, else a take.
    pub(crate) fn of_file(file_name: String, bytes: Vec<u8>, beside: Beside) -> Self {
        let name = file_name.to_ascii_lowercase();
        if let Some(set) = name
            .ends_with(".json")
            .then(|| Self::of_manifest(&file_name, &bytes, &beside))
            .flatten()
        {
            return set;
        }
        match name.ends_with(".toml") {
            true if read_joint_map(&bytes).is_ok() => Self::OpenMap { file_name, bytes },
            true => Self::OpenRecipe { bytes },
            false => Self::Open {
                file_name,
                bytes,
                beside,
            },
        }
    }
}
