//! Writes the files of a set.

use std::path::Path;

use loopwright_core::take::TakeError;
use loopwright_formats::{
    Sidecar, Source,
    loop_file::{CarriedMotion, MotionPack},
    set::Manifest,
};
use loopwright_job::judge_pack;
use loopwright_moves::Passage;

use super::{MadeSet, MakeSetError, SetNote};
use crate::{cut::carried, set::godot};

/// A file of clips.
#[derive(Clone, Debug)]
pub struct SetClipFile {
    /// Its name in the folder of the set.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The JSON beside it, if there are loops in it: `name` and `.json`.
    pub sidecar: Option<String>,
}

/// The files of a set beside its clips.
#[derive(Clone, Debug)]
pub struct WrittenSet {
    /// Its manifest.
    pub manifest: Manifest,
    /// The text of `set.json`.
    pub json: String,
    /// Files for its engine, by their names.
    pub engine_files: Vec<(&'static str, String)>,
}

/// The names of the files by which Unity and Unreal import all clips.
pub(super) const UNITY_FILE: &str = "LoopwrightSet.cs";
pub(super) const UNREAL_FILE: &str = "import_set.py";

/// Returns the script by which Unity imports all clips, with the rig and the motion node of the loops.
fn unity(loops: &[(String, Sidecar)]) -> String {
    let importer = loops.iter().find_map(|(_, facts)| {
        let importer = facts.target.as_ref()?.importer.as_ref()?;
        Some((
            importer.get("animationType")?.as_str()?,
            importer.get("motionNodeName")?.as_str()?,
        ))
    });
    let (rig, node) = importer.unwrap_or(("Generic", ""));
    let node = node.replace('\\', "\\\\").replace('"', "\\\"");
    include_str!("../set/engines/LoopwrightSet.cs")
        .replace("RIG", rig)
        .replace("MOTION_NODE", &node)
}

/// The written files: the file and the facts of each loop, and the file and the animation of each clip that plays once.
#[derive(Default)]
struct Written {
    loops: Vec<(String, Sidecar)>,
    once: Vec<(String, Option<String>)>,
}

impl MadeSet {
    /// Writes the set into memory: its clips go to `add`, one file after the other, and the rest is returned. Changes made while
    /// writing go to `notes`. Errors: [`MakeSetError`], or that of `add`, which stops it.
    pub fn write<E: From<MakeSetError>>(
        self,
        notes: &mut Vec<SetNote>,
        mut add: impl FnMut(SetClipFile) -> Result<(), E>,
    ) -> Result<WrittenSet, E> {
        let written = if self.settings.is_split || !self.source().can_be_extended() {
            self.each(&mut add)?
        } else {
            let (written, file) = self.single(notes)?;
            add(file)?;
            written
        };
        Ok(self.with_manifest(&written)?)
    }

    /// Returns the form of passages, and of the common file. A set always has loops, as [`super::make_set`] ensures.
    fn source(&self) -> Source {
        self.form.source(&self.set.entries[0].member.stored)
    }

    /// Returns the names of a file of the set and of its sidecar, as the sidecar states them.
    fn stated_names(&self, file: &str) -> Vec<String> {
        [file.to_owned(), format!("{file}.json")]
            .map(|name| self.settings.folder.join(Path::new(&name)).display().to_string())
            .to_vec()
    }

    /// Writes each clip into a file of its own.
    fn each<E: From<MakeSetError>>(&self, add: &mut impl FnMut(SetClipFile) -> Result<(), E>) -> Result<Written, E> {
        let mut written = Written::default();
        let named = |name: &str| format!("{name}.{}", self.form.format.extension());
        for entry in &self.set.entries {
            let name = named(&entry.name);
            let source = self.form.source(&entry.member.stored);
            let file = entry
                .member
                .ready(&entry.name, &self.form)
                .write(&source)
                .map_err(MakeSetError::Loop)?;
            let (bytes, sidecar) = file.written.named(file.sidecar, self.stated_names(&name));
            add(SetClipFile {
                name: name.clone(),
                bytes: bytes.into_owned(),
                sidecar: Some(sidecar.to_json().map_err(MakeSetError::from)?),
            })?;
            written.loops.push((name, sidecar));
        }
        let source = self.source();
        for each in self.set.once() {
            let name = named(each.name());
            let file = self.carried(each).map_err(MakeSetError::from)?.write(&source);
            let file = file.map_err(|error| MakeSetError::Passage {
                file: name.clone(),
                error,
            })?;
            add(SetClipFile {
                name: name.clone(),
                bytes: file.bytes,
                sidecar: None,
            })?;
            written.once.push((name, file.animation));
        }
        Ok(written)
    }

    /// Returns what happens once as its file holds it. Errors: it does not form a take.
    fn carried(&self, passage: &Passage) -> Result<CarriedMotion, TakeError> {
        let form = &self.form;
        carried(passage, form.engine(), form.format, self.set.has_root_joint())
    }

    /// Writes all clips as animations of one file.
    fn single(&self, notes: &mut Vec<SetNote>) -> Result<(Written, SetClipFile), MakeSetError> {
        let name = format!("{}.{}", self.settings.name(), self.form.format.extension());
        let (mut carried, mut onto) = (Vec::new(), Vec::new());
        for entry in &self.set.entries {
            let ready = entry.member.ready(&entry.name, &self.form);
            carried.push(CarriedMotion::Loop(Box::new(ready.derived.clone())));
            onto.push(Some(ready));
        }
        for each in self.set.once() {
            carried.push(self.carried(each)?);
            onto.push(None);
        }
        let pack = MotionPack::write(&carried, &self.source()).map_err(|error| MakeSetError::Single {
            file: name.clone(),
            error,
        })?;
        notes.extend(pack.warnings.iter().cloned().map(SetNote::File));
        let (bytes, mut sidecar) =
            judge_pack(pack, &onto, name.clone()).map_err(|error| MakeSetError::LoopOfSingle {
                file: name.clone(),
                error,
            })?;
        sidecar.outputs = self.stated_names(&name);
        let file = SetClipFile {
            name: name.clone(),
            bytes,
            sidecar: Some(sidecar.to_json()?),
        };
        let written = Written {
            loops: sidecar.loops.into_iter().map(|facts| (name.clone(), facts)).collect(),
            once: self
                .set
                .once()
                .map(|each| (name.clone(), Some(each.name().to_owned())))
                .collect(),
        };
        Ok((written, file))
    }

    /// Returns the manifest of the written files, and the files of the engine.
    fn with_manifest(self, written: &Written) -> Result<WrittenSet, MakeSetError> {
        let name = self.settings.name();
        let manifest = self.set.manifest(&name, &written.loops, &written.once, self.left_out)?;
        let manifest = Manifest {
            controller: self.controller,
            ..manifest
        };
        let json = manifest.to_json()?;
        let manifest = Manifest::from_json(json.as_bytes())?;
        Ok(WrittenSet {
            json,
            engine_files: self
                .settings
                .files_beside()
                .iter()
                .skip(1)
                .map(|&name| {
                    let text = match name {
                        godot::TREE_FILE => godot::tree(&manifest),
                        godot::EVENTS_FILE => godot::events(&manifest),
                        UNITY_FILE => unity(&written.loops),
                        _ => include_str!("../set/engines/import_set.py").to_owned(),
                    };
                    (name, text)
                })
                .collect(),
            manifest,
        })
    }
}
