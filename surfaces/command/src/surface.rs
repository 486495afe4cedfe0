//! The mesh of a character, for what is drawn.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex},
};

use loopwright_core::{RootMotion, Skeleton, Take};
use loopwright_draw::{Figure, Surface};
use loopwright_formats::{Source, mesh::Mesh};

use crate::written_loop::WrittenLoop;
use crate::{
    exit::{Failure, Result},
    files, memory,
    parallel::locked,
    talk,
};

/// Meshes held at a time: a folder has few characters, and a mesh may have megabytes.
const MAX_KNOWN: usize = 8;

/// The meshes of what is drawn, each prepared once, however many files in a row have it.
pub struct Surfaces {
    /// Whether bodies of capsules are asked for.
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

    /// The body of a take with the mesh of its file.
    pub fn of_take(&self, figure: Figure, path: &Path, take: &Take, source: &Source) -> Figure {
        self.dressed(figure, path, || mesh(path, source, take.skeleton()))
    }

    /// The same of a loop.
    pub fn of_loop(&self, figure: Figure, path: &Path, read: &WrittenLoop, root: &RootMotion) -> Figure {
        let own = &read.written;
        self.dressed(figure, path, || {
            if !read.has_added_root() {
                return mesh(path, &read.source, own.skeleton());
            }
            // The mesh follows the joints of the file, which has one more.
            let mesh = mesh(path, &read.source, own.below_root_joint("root").skeleton())?;
            let root_from_child = root.start.inverse() * own.pose(0).joint(0);
            Ok(mesh.map(|mesh| mesh.without_root_joint(root_from_child)))
        })
    }

    /// A mesh that cannot be read is warned about, and the body is capsules.
    fn dressed(&self, figure: Figure, path: &Path, mesh: impl FnOnce() -> Result<Option<Mesh>>) -> Figure {
        if self.capsules {
            return figure;
        }
        let mesh = mesh().unwrap_or_else(|failure| {
            talk::warn(&format!("{}; its body is drawn as capsules", failure.what()));
            None
        });
        let beside = |name: &str| files::companion(path, name, memory::limits().max_input_bytes).ok();
        let surface = mesh.and_then(|mesh| Surface::new(mesh, beside));
        figure.with_surface(surface.map(|surface| self.shared(surface)))
    }

    /// The same surface as one that is held, or this one.
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
    // Only of FBX the form does not hold all that is in the file.
    let bytes = match source {
        Source::Fbx(_) => files::read_bytes(&path)?,
        _ => Vec::new(),
    };
    (source.read_mesh(&bytes, skeleton, &memory::limits()))
        .map_err(|error| Failure::cannot("read the mesh of", &path, error))
}
