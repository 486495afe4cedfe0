//! Changes of the model.

use loopwright_core::closure::ClosureName;
use loopwright_formats::{Format, set::SET_FILE};
use loopwright_job::recipe::{StudyArgs, read_joint_map};

use super::{
    Beside, Comparison, Edit, Link, NamedFile, RootView, SetFiles, SetRead, Shown, Steer, Stretch, Study, Ticked,
};
use crate::camera::Camera;

/// A change of the model.
#[derive(Clone)]
pub enum Action {
    /// Open a file.
    Open {
        /// Its name.
        file_name: String,
        /// Its bytes.
        bytes: Vec<u8>,
        /// The files beside it.
        beside: Beside,
    },
    /// Follow a recipe: read the take as it says, and make its loop.
    OpenRecipe(Vec<u8>),
    /// Play a set, with the body of one of its files.
    OpenSet(Box<SetRead>),
    /// Stop playing the set.
    CloseSet,
    /// Steer the character of the set.
    Steer(Steer),
    /// Play a clip of the set.
    PlayClip(String),
    /// Play the upper body of a clip of the set over what plays.
    PlayOver(String),
    /// Reopen takes: the name of the file of each, and its recipe. The files may include characters that recipes name.
    Reopen {
        /// The files.
        files: Vec<NamedFile>,
        /// The name and the recipe of each take.
        takes: Vec<(String, String)>,
    },
    /// Map joints of characters as a file says.
    OpenMap {
        /// Its name, as a recipe states it.
        file_name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Report a file that the system could not read.
    CannotOpen {
        /// Its name.
        file_name: String,
        /// What the system says.
        reason: String,
    },
    /// Report that the system has no dialog for files.
    NoDialog,
    /// Cancel the work in progress.
    Cancel,
    /// Choose a stretch.
    Choose(Stretch),
    /// Choose a stretch while one of its ends is dragged.
    Drag(Stretch),
    /// Read the take with other settings: smoothed, or on another character.
    Read(Box<StudyArgs>),
    /// Treat the next opened file as a character for the take, or as a take again.
    AwaitCharacter(bool),
    /// Close the character: the shown take goes back to its own body, and takes that are opened later stay on theirs.
    CloseCharacter,
    /// Run a study of the take.
    Study(Study),
    /// Change the choices; the changes of one drag make one step of undo.
    Edit {
        /// The choices.
        edit: Box<Edit>,
        /// Whether the drag is over.
        is_final: bool,
    },
    /// Close by the method with this name.
    CloseBy(ClosureName),
    /// Undo the last change.
    Undo,
    /// Redo the change that was undone last.
    Redo,
    /// Tick something, or untick it.
    Tick(Ticked, bool),
    /// Enable or disable ticks, by which things are exported together.
    TickSeveral(bool),
    /// Export everything that is ticked, in this format or each in its own.
    ExportTicked(Option<Format>),
    /// List the animations of the file with their lengths and kinds.
    ListAnimations,
    /// Write the loop.
    Export(Format),
    /// Make a set with this name from all open takes, in this format or in the one that fits.
    MakeSet(String, Option<Format>),
    /// Play or pause.
    TogglePlaying,
    /// Play at this speed.
    Speed(f64),
    /// Show this time, seconds.
    Seek(f64),
    /// Show this frame of the take: in the loop, if the loop is shown and has the frame.
    ShowFrame(f64),
    /// Pause, and step by this many frames.
    Step(i32),
    /// Start again at the end, or stop there.
    Repeat(bool),
    /// Play only the time around the seam, or everything.
    SeamOnly(bool),
    /// Show something else.
    Show(Shown),
    /// Show the uncut stretch instead of the loop, or the loop again.
    ToggleUncut,
    /// Show the uncut stretch beside the loop.
    Ghost(bool),
    /// Show the uncut stretch and the loop side by side.
    Split(bool),
    /// Show poses just before and just after the seam at once.
    Onion(bool),
    /// Show the path of the chosen joint over the seam.
    Trail(bool),
    /// Show a mannequin even where the file has a character, or not.
    Mannequin(bool),
    /// Keep the choices, to compare them with others.
    Keep,
    /// Swap the kept choices with the present ones.
    SwapKept,
    /// Follow a link, once its take is open.
    OpenLink(Box<Link>),
    /// Compare loops side by side, or stop comparing.
    Compare(Option<Comparison>),
    /// Choose one of the compared loops.
    TakeCompared(usize),
    /// Switch to another open take, by its number in [`super::Model::others`].
    TakeUp(usize),
    /// Close a take: by its number in [`super::Model::others`], or the shown one.
    Close(Option<usize>),
    /// Note that a loop is saved in its file: the take, and the choices that made it.
    Written(Option<Box<(String, Edit)>>),
    /// Note that the recipe of the loop is saved.
    RecipeSaved,
    /// Change how root motion is shown.
    RootView(RootView),
    /// Move the camera.
    Look(Camera),
    /// Draw the curves of this joint.
    Watch(usize),
    /// Show these frames of the take in its bar, or all.
    ZoomBar(Option<[f64; 2]>),
    /// Show the list of keys, or hide it.
    Help(bool),
    /// Show the first steps, or hide them.
    Guide(bool),
    /// Dismiss the problem.
    Dismiss,
}

impl Action {
    /// Returns the action that opens a set, if a text is the manifest of one.
    pub fn of_manifest(file_name: &str, bytes: &[u8], beside: &Beside) -> Option<Self> {
        Some(match SetRead::of_manifest(bytes, beside)? {
            Ok(read) => Self::OpenSet(Box::new(read)),
            Err(reason) => Self::CannotOpen {
                file_name: file_name.to_owned(),
                reason,
            },
        })
    }

    /// Returns the action that plays a set that was just made, or reports why that is impossible. The file of its body is named after the
    /// set, because an open take may have the name of a clip.
    pub fn of_set(set: &SetFiles) -> Option<Self> {
        let files = set.files.clone();
        let find = move |path: &str| Some(files.iter().find(|file| file.file_name == path)?.bytes.to_vec());
        let mut action = Self::of_manifest(&set.name, &find(SET_FILE)?, &Beside::found_by(find))?;
        if let Self::OpenSet(read) = &mut action {
            read.file_name = format!("{} {}", set.name, read.file_name);
        }
        Some(action)
    }

    /// Whether the action changes the loop, or how it is shown.
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

    /// Returns the action that opens a file: a map of joints or a recipe if its name ends in `.toml`, a set if it is the manifest of one,
    /// else a take.
    pub fn of_file(file_name: String, bytes: Vec<u8>, beside: Beside) -> Self {
        let name = file_name.to_ascii_lowercase();
        if name.ends_with(".json")
            && let Some(set) = Self::of_manifest(&file_name, &bytes, &beside)
        {
            return set;
        }
        match name.ends_with(".toml") {
            true if read_joint_map(&bytes).is_ok() => Self::OpenMap { file_name, bytes },
            true => Self::OpenRecipe(bytes),
            false => Self::Open {
                file_name,
                bytes,
                beside,
            },
        }
    }
}
