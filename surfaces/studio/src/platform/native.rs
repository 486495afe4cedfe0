//! Files on a disk.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use loopwright_formats::{
    Format,
    set::{Manifest, SET_FILE},
};

use super::{Encoded, gathered::gathered, openable};
use crate::model::{Action, Beside, Exported, SetFiles, refusal};

/// Whether the user chooses a folder.
pub const HAS_FOLDERS: bool = true;

/// Game pads are only supported in the browser, which reads them itself.
pub fn game_pad() -> Option<[f64; 2]> {
    None
}

/// The folder for files before a take suggests another one.
pub fn first_folder() -> String {
    std::env::current_dir()
        .unwrap_or_else(|_| ".".into())
        .display()
        .to_string()
}

/// Lists the user's folders for files that exist.
pub fn folders() -> Vec<String> {
    let home = std::env::var_os("HOME")
        .or_else(|| std::env::var_os("USERPROFILE"))
        .map(PathBuf::from)
        .unwrap_or_default();
    ["", "Documents", "Downloads", "Desktop"]
        .map(|name| home.join(name))
        .into_iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.display().to_string().trim_end_matches('/').to_owned())
        .collect()
}

pub fn is_there(folder: &str, file_name: &str) -> bool {
    Path::new(folder).join(file_name).exists()
}

/// Writes a file. Returns its path.
pub fn save_bytes(folder: &str, file_name: &str, bytes: &[u8]) -> Result<String, String> {
    let path = Path::new(folder).join(file_name);
    let place = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    fs::write(&path, bytes).map_err(|error| cannot_write(&place, &error))?;
    Ok(place.display().to_string())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {}", path.display(), refusal(error))
}

/// Writes a set into a folder with its name, in place of one that exists. Returns its path.
pub fn save_set(folder: &str, set: &SetFiles) -> Result<String, String> {
    let path = Path::new(folder).join(&set.name);
    let place = path.display().to_string();
    fs::create_dir_all(&path).map_err(|error| cannot_write(&path, &error))?;
    let manifest = fs::read(path.join(SET_FILE)).unwrap_or_default();
    for file in &set.files {
        save_bytes(&place, &file.file_name, &file.bytes)?;
    }
    // An engine that takes all files of the folder would mix both sets. The old files go last, so that a failure loses nothing.
    for clip in Manifest::from_json(&manifest).iter().flat_map(|before| &before.clips) {
        if Path::new(&clip.file).file_name() == Some(clip.file.as_ref()) {
            for stale in [clip.file.clone(), Exported::name_of_sidecar(&clip.file)] {
                if set.files.iter().all(|file| file.file_name != stale) {
                    let _ = fs::remove_file(path.join(stale));
                }
            }
        }
    }
    Ok(std::path::absolute(&path).unwrap_or(path).display().to_string())
}

/// Writes a text to a file of the program's own; a full disk does not stop the user's work.
pub fn keep_text(path: &Path, text: &str) {
    let beside = path.with_extension("part");
    let is_written = (path.parent().is_none_or(|folder| fs::create_dir_all(folder).is_ok()))
        && fs::write(&beside, text).is_ok()
        && fs::rename(&beside, path).is_ok();
    if !is_written {
        let _ = fs::remove_file(&beside);
    }
}

/// The program's own folder for state between two runs.
pub struct Memory(pub PathBuf);

impl Memory {
    pub fn kept(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }

    pub fn keep(&self, name: &str, text: &str) {
        keep_text(&self.0.join(name), text);
    }
}

/// Returns a file itself; for a folder, the set in it, or its takes by name.
pub fn takes_at(path: &Path) -> Vec<PathBuf> {
    let manifest = path.join(SET_FILE);
    if manifest.is_file() {
        return vec![manifest];
    }
    let Ok(listed) = fs::read_dir(path) else {
        return vec![path.to_owned()];
    };
    let takes = listed.flatten().map(|file| file.path()).filter(|path| {
        path.extension()
            .and_then(|ending| ending.to_str())
            .and_then(Format::from_extension)
            .is_some_and(|format| !format.capabilities().is_of_robots)
            && path.is_file()
    });
    let mut takes: Vec<PathBuf> = takes.collect();
    takes.sort();
    if takes.is_empty() {
        // Opening the path reports that it is no file.
        takes.push(path.to_owned());
    }
    takes
}

/// A question for a system dialog.
#[derive(Clone, Copy)]
pub enum Ask {
    /// Takes to open, or a recipe.
    Files,
    /// A folder whose takes are to be opened.
    Folder,
    /// A folder to write into.
    SaveInto,
}

/// Shows a system dialog in the background, and calls back with what was chosen: nothing if it was closed, or if the system has none.
pub fn ask(what: Ask, folder: &str, answer: impl FnOnce(Vec<PathBuf>) + Send + 'static) {
    let mut dialog = rfd::AsyncFileDialog::new().set_title(match what {
        Ask::Files => "Open takes",
        Ask::Folder => "Open all takes of a folder",
        Ask::SaveInto => "Write loops into this folder",
    });
    if let Ok(folder) = Path::new(folder).canonicalize() {
        dialog = dialog.set_directory(folder);
    }
    // Some systems show dialogs only from the thread of the window, but waiting works on any thread.
    let path = |file: rfd::FileHandle| file.path().to_owned();
    match what {
        Ask::Files => {
            let chosen = dialog
                .add_filter("Takes, characters and recipes", &openable().collect::<Vec<&str>>())
                .add_filter("All files", &["*"])
                .pick_files();
            thread::spawn(move || {
                answer(
                    pollster::block_on(chosen)
                        .unwrap_or_default()
                        .into_iter()
                        .map(path)
                        .collect(),
                );
            });
        }
        Ask::Folder | Ask::SaveInto => {
            let chosen = dialog.pick_folder();
            thread::spawn(move || answer(pollster::block_on(chosen).map(path).into_iter().collect()));
        }
    }
}

/// A video that ffmpeg encodes, picture by picture.
pub struct Video {
    pictures: std::process::ChildStdin,
    encoder: thread::JoinHandle<Encoded>,
}

impl Video {
    /// Starts a video of this size, with this time per picture. Errors: there is no ffmpeg.
    pub fn new(size: [u32; 2], secs_each: f64) -> Result<Self, String> {
        let (format, rate) = (format!("{}x{}", size[0], size[1]), format!("{:.6}", 1.0 / secs_each));
        let raw = [
            "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", &format, "-r", &rate, "-i", "-",
        ];
        let mut child = Command::new("ffmpeg")
            .args(raw)
            .args(["-pix_fmt", "yuv420p", "-b:v", "4M", "-f", "webm", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("ffmpeg, which encodes videos, cannot be started: {}", refusal(&error)))?;
        let pictures = child.stdin.take().ok_or("ffmpeg takes no pictures")?;
        let encoder = thread::spawn(move || match child.wait_with_output() {
            Ok(output) if output.status.success() => Ok(("webm", output.stdout)),
            Ok(output) => Err(format!("ffmpeg: {}", String::from_utf8_lossy(&output.stderr).trim())),
            Err(error) => Err(format!("ffmpeg: {error}")),
        });
        Ok(Self { pictures, encoder })
    }

    /// Adds a picture of this size. Errors: ffmpeg ended.
    pub fn add(&mut self, picture: image::RgbaImage) -> Result<(), String> {
        self.pictures
            .write_all(&picture)
            .map_err(|error| format!("ffmpeg takes no more pictures: {error}"))
    }

    /// Calls back with the video once it is encoded.
    pub fn finish(self, done: impl FnOnce(Encoded) + Send + 'static) {
        thread::spawn(move || {
            drop(self.pictures);
            done(
                self.encoder
                    .join()
                    .unwrap_or_else(|_| Err("the video failed".to_owned())),
            );
        });
    }
}

/// Reads a file to be opened.
pub fn open_path(path: &Path) -> Action {
    let file_name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    // Reading a pipe or a device might never end.
    let bytes = match path.metadata() {
        Ok(found) if !found.is_file() => Err("it is no file".to_owned()),
        _ => fs::read(path).map_err(|error| refusal(&error)),
    };
    let bytes = bytes.map(|bytes| gathered(bytes, |name| companion(path, name)));
    let of = path.to_owned();
    let beside = Beside::found_by(move |name| companion(&of, name));
    match bytes.map(|bytes| Action::of_file(file_name.clone(), bytes, beside)) {
        // Recipes name a map by its path, so that the command finds it.
        Ok(Action::OpenMap { bytes, .. }) => Action::OpenMap {
            file_name: path.display().to_string(),
            bytes,
        },
        Ok(action) => action,
        Err(reason) => Action::CannotOpen { file_name, reason },
    }
}

/// Reads a file that another one names, if it lies in the same folder or below after following all links: a foreign file must not make the
/// program read others.
fn companion(of: &Path, name: &str) -> Option<Vec<u8>> {
    let folder = std::path::absolute(of).ok()?.parent()?.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    if path.starts_with(&folder) && path.is_file() {
        fs::read(path).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_takes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b.BVH", "a.glb", "notes.txt", "c.fbx"] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at("d.bvh")).unwrap();
        assert_eq!(takes_at(folder.path()), ["a.glb", "b.BVH", "c.fbx"].map(at));
        assert_eq!(takes_at(&at("notes.txt")), [at("notes.txt")]);
        assert_eq!(takes_at(&at("d.bvh")), [at("d.bvh")], "an empty one");
    }

    /// Nobody reads the system's numbers of errors.
    #[test]
    fn the_system_refuses_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let Action::CannotOpen { reason, .. } = open_path(&folder.path().join("walk.bvh")) else {
            panic!("there is no file");
        };
        assert_eq!(reason, "not found");
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        assert_eq!(
            cannot_write(Path::new("walk.glb"), &denied),
            "cannot write walk.glb: no permission"
        );
        let other = fs::read(folder.path()).unwrap_err();
        assert!(!refusal(&other).contains("os error"), "{other}");
    }
}
