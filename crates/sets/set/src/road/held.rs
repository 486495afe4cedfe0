//! Takes that are in memory.

use std::sync::Arc;

use loopwright_job::Studied;

use super::SetTakes;
use crate::set::TakeLoop;
use loopwright_formats::set::LeftOut;

/// The contents of a file that was read before: takes, or loops that were made before.
#[derive(Clone, Debug, Default)]
pub struct HeldSetFile {
    /// Its name, as the manifest states it.
    pub name: String,
    /// Its takes.
    pub takes: Vec<Arc<Studied>>,
    /// Whether it has several animations, of which these may be some.
    pub is_pack: bool,
    /// Its loops.
    pub loops: Vec<TakeLoop>,
}

impl SetTakes for [HeldSetFile] {
    fn num_files(&self) -> usize {
        self.len()
    }

    fn name(&self, file: usize) -> String {
        self[file].name.clone()
    }

    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String> {
        let file = &self[file];
        for studied in &file.takes {
            give(studied, file.is_pack);
        }
        Ok(())
    }

    fn loops(&self, file: usize, give: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String> {
        for made in &self[file].loops {
            give(Ok(made.clone()));
        }
        Ok(())
    }
}
