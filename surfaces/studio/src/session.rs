//! State that is kept between two visits: small takes, the settings of each, and the colours of the window.
//!
//! The files are stored apart from the settings, which change with each loop.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use eframe::egui::{Context, Theme};
use serde::{Deserialize, Serialize};

use crate::{
    model::{Action, Edit, Model, NamedFile},
    platform::Memory,
};

/// Most bytes of files to store: browsers give a page some five million letters.
const MOST_BYTES: usize = 3 << 20;

/// The names under which both parts are stored.
const FILES: &str = "files.json";
const SETTINGS: &str = "settings.json";

/// A file, with its bytes encoded as text.
#[derive(Serialize, Deserialize)]
struct KeptFile {
    name: String,
    bytes: String,
}

#[derive(Serialize, Deserialize)]
struct Settings {
    is_dark: bool,
    /// File name and recipe of each take, the shown one last; including files that are not stored.
    takes: Vec<(String, String)>,
}

/// Stores the state as it changes.
pub struct Session {
    memory: Memory,
    /// Names of the files whose bytes are stored.
    kept: Vec<String>,
    /// The state of which the last settings were stored.
    of: Option<(u64, Vec<String>, Theme)>,
}

impl Session {
    pub fn new(memory: Memory) -> Self {
        Self {
            memory,
            kept: Vec::new(),
            of: None,
        }
    }

    /// Restores the stored colours, and returns the action that reopens the takes.
    ///
    /// The takes are dropped from the store until they are open: a file that crashes the program is not opened again and again.
    pub fn reopen(&mut self, ctx: &Context) -> Option<Action> {
        let settings = self.memory.kept(SETTINGS)?;
        let settings: Settings = serde_json::from_str(&settings).ok()?;
        ctx.set_theme(if settings.is_dark { Theme::Dark } else { Theme::Light });
        let files = self.memory.kept(FILES).unwrap_or_else(|| "[]".to_owned());
        let files: Vec<KeptFile> = serde_json::from_str(&files).ok()?;
        self.memory.keep(FILES, "[]");
        let files = files
            .into_iter()
            .filter_map(|file| {
                let bytes = Arc::new(STANDARD.decode(file.bytes).ok()?);
                Some(NamedFile {
                    file_name: file.name,
                    bytes,
                })
            })
            .collect();
        Some(Action::Reopen {
            files,
            takes: settings.takes,
        })
    }

    /// Stores the state, if it changed since it was last stored.
    pub fn keep(&mut self, model: &Model, ctx: &Context) {
        let theme = ctx.theme();
        // Values in the middle of a drag are not stored.
        let is_settled = model.progress().is_none() && !model.made().is_some_and(|made| made.is_draft);
        let Some(opened) = model.opened().filter(|_| is_settled) else {
            return;
        };
        let names: Vec<String> = model
            .others()
            .chain([opened.file_name.as_str()])
            .map(str::to_owned)
            .collect();
        let of = (model.num_made, names, theme);
        if self.of.replace(of.clone()) == Some(of) {
            return;
        }
        let mut room = MOST_BYTES;
        let mut files: Vec<NamedFile> = Vec::new();
        let mut takes = Vec::new();
        // If there is not room for all, the newest are stored.
        for (opened, recipe) in model.recipes() {
            let is_new = |file: &&NamedFile| files.iter().all(|kept| kept.file_name != file.file_name);
            // The example walk has no file.
            let take = opened.file();
            let new: Vec<NamedFile> = opened.named.iter().chain(&take).filter(is_new).cloned().collect();
            let size: usize = new.iter().map(|file| file.bytes.len()).sum();
            if take.is_none() && recipe == Edit::first(opened).to_recipe() {
                continue;
            }
            let Ok(recipe) = recipe.to_text() else { continue };
            takes.push((opened.file_name.clone(), recipe));
            // The recipe of a larger file waits until the file is opened again.
            if let Some(rest) = room.checked_sub(size) {
                room = rest;
                files.extend(new);
            }
        }
        takes.reverse();
        let settings = Settings {
            is_dark: theme == Theme::Dark,
            takes,
        };
        if let Ok(settings) = serde_json::to_string(&settings) {
            self.memory.keep(SETTINGS, &settings);
        }
        let of = |file: &NamedFile| format!("{} {:p}", file.file_name, Arc::as_ptr(&file.bytes));
        let kept: Vec<String> = files.iter().map(of).collect();
        if kept != self.kept {
            let files = files.iter().map(|file| KeptFile {
                name: file.file_name.clone(),
                bytes: STANDARD.encode(&*file.bytes),
            });
            if let Ok(files) = serde_json::to_string(&files.collect::<Vec<_>>()) {
                self.memory.keep(FILES, &files);
            }
            self.kept = kept;
        }
    }
}
