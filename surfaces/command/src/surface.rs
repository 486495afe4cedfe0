//! The meshes of characters, for drawing.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex},
};

use loopwright_core::{RootMotion, Skeleton, Take};
use loopwright_draw::{Figure, Surface};
use loopwright_formats::{Source, mesh::Mesh};

use crate::{
    exit::{Failure, Result},
    files, memory,
    parallel::locked,
    written_loop::WrittenLoop,
};

/// Most meshes held at a time: a folder has few characters, and a mesh may take megabytes.
const MAX_KNOWN: usize = 8;

/// The meshes of drawn characters, each prepared once for all files in a row that share it.
pub struct Surfaces {
    /// Whether bodies are drawn as capsules instead.
    capsules: bool,
    known: Mutex<VecDeque<Arc<Surface>>>,
}

impl Surfaces {
    pub fn new(capsules: bool) -> Self {
        Self {
            capsules,
            known: Mutex::default(),
        }
    }

    /// Returns the body of a take with the mesh of its file.
    pub fn of_take(&self, figure: Figure, path: &Path, take: &Take, source: &Source) -> Figure {
        self.dressed(figure, path, || mesh(path, source, take.skeleton()))
    }

    /// Returns the body of a loop with the mesh of its file.
    pub fn of_loop(&self, figure: Figure, path: &Path, read: &WrittenLoop, root: &RootMotion) -> Figure {
        let own = &read.written;
        self.dressed(figure, path, || {
            if !read.has_added_root() {
                return mesh(path, &read.source, own.skeleton());
            }
            // The mesh follows the joints of the file, which has an additional root joint.
            let mesh = mesh(path, &read.source, own.below_root_joint("root").skeleton())?;
            let root_from_child = root.start.inverse() * own.pose(0).joint(0);
            Ok(mesh.map(|mesh| mesh.without_root_joint(root_from_child)))
        })
    }

    /// Adds a mesh to a body. If it cannot be read, that is warned about, and the body is drawn as capsules.
    fn dressed(&self, figure: Figure, path: &Path, mesh: impl FnOnce() -> Result<Option<Mesh>>) -> Figure {
        if self.capsules {
            return figure;
        }
        let mesh = mesh().unwrap_or_else(|failure| {
            warning!("{}; its body is drawn as capsules", failure.what());
            None
        });
        let surface = mesh.and_then(|mesh| {
            Surface::new(mesh, |name: &str| {
                files::companion(path, name, memory::limits().max_input_bytes).ok()
            })
        });
        figure.with_surface(surface.map(|surface| self.shared(surface)))
    }

    /// Returns an equal surface that is held already, else this one.
    fn shared(&self, surface: Surface) -> Arc<Surface> {
        let mut known = locked(&self.known);
        let same = known.iter().find(|one| ***one == surface).map(Arc::clone);
        same.unwrap_or_else(|| {
            let surface = Arc::new(surface);
            known.push_back(Arc::clone(&surface));
            if known.len() > MAX_KNOWN {
                known.pop_front();
            }
            surface
        })
    }
}

fn mesh(path: &Path, source: &Source, skeleton: &Skeleton) -> Result<Option<Mesh>> {
    let (path, _) = files::split_animation(path);
    // For FBX alone, the form lacks some of the file's contents.
    let bytes = match source {
        Source::Fbx(_) => files::read_bytes(&path)?,
        _ => Vec::new(),
    };
    source
        .read_mesh(&bytes, skeleton, &memory::limits())
        .map_err(|error| Failure::cannot("read the mesh of", &path, error))
}
