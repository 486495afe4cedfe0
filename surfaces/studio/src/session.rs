//! What was open, kept between two visits: takes that are small, what is set of each, and the colours of the window.
//!
//! The files are kept apart from what is set, which changes with each loop.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use eframe::egui::{Context, Theme};
use serde::{Deserialize, Serialize};

use crate::model::{Action, Edit, Model, NamedFile};
use crate::platform::Memory;

/// Bytes of files that are kept: browsers give a page some five million letters.
const MOST_BYTES: usize = 3 << 20;

/// Under which names both parts are kept.
const FILES: &str = "files.json";
const SETTINGS: &str = "settings.json";

/// A file, its bytes in letters.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptFile {
    name: String,
    bytes: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Settings {
    is_dark: bool,
    /// Name of the file and recipe of each take, the one that is shown last; of files that are not kept, too.
    takes: Vec<(String, String)>,
}

/// Keeps what is open as it changes.
pub(crate) struct Session {
    memory: Memory,
    /// Of which files the bytes are kept.
    kept: Vec<String>,
    /// What the last settings were kept of.
    of: Option<(u64, Vec<String>, Theme)>,
}

impl Session {
    pub(crate) fn new(memory: Memory) -> Self {
        Self {
            memory,
            kept: Vec::new(),
            of: None,
        }
    }

    /// Takes the colours that were kept, and has the takes read that were open.
    ///
    /// They are forgotten until they are open: a file that ends the program is not opened again and again.
    pub(crate) fn reopen(&mut self, ctx: &Context) -> Option<Action> {
        let settings = self.memory.kept(SETTINGS)?;
        let settings: Settings = serde_json::from_str(&settings).ok()?;
        ctx.set_theme(if settings.is_dark { Theme::Dark } else { Theme::Light });
        let files = self.memory.kept(FILES).unwrap_or_else(|| "[]".to_owned());
        let files: Vec<KeptFile> = serde_json::from_str(&files).ok()?;
        self.memory.keep(FILES, "[]");
        let files = (files.into_iter())
            .filter_map(|file| {
                let bytes = Arc::new(STANDARD.decode(file.bytes).ok()?);
                Some(NamedFile {
                    file_name: file.name,
                    bytes,
                })
            })
            .collect();
        let takes = settings.takes;
        Some(Action::Reopen { files, takes })
    }

    /// Keeps what is open, where it changed since it was kept.
    pub(crate) fn keep(&mut self, model: &Model, ctx: &Context) {
        let theme = ctx.theme();
        // Values in the middle of a drag are not kept.
        let is_settled = model.progress().is_none() && !model.made().is_some_and(|made| made.is_draft);
        let Some(opened) = model.opened().filter(|_| is_settled) else {
            return;
        };
        let names = model.others().chain([opened.file_name.as_str()]).map(str::to_owned);
        let of = (model.num_made(), names.collect(), theme);
        if self.of.as_ref() == Some(&of) {
            return;
        }
        self.of = Some(of);
        let mut room = MOST_BYTES;
        let mut files: Vec<NamedFile> = Vec::new();
        let mut takes = Vec::new();
        // The newest are kept if not all have room.
        for (opened, recipe) in model.recipes() {
            let is_new = |file: &&NamedFile| files.iter().all(|kept| kept.file_name != file.file_name);
            // The walk that the studio opens with has no file.
            let take = opened.file();
            let new: Vec<NamedFile> = opened.named.iter().chain(&take).filter(is_new).cloned().collect();
            let size: usize = new.iter().map(|file| file.bytes.len()).sum();
            if take.is_none() && recipe == Edit::first(opened).to_recipe() {
                continue;
            }
            let Ok(recipe) = recipe.to_text() else { continue };
            takes.push((opened.file_name.clone(), recipe));
            // The recipe of a larger one waits until its file is opened again.
            if let Some(rest) = room.checked_sub(size) {
                room = rest;
                files.extend(new);
            }
        }
        takes.reverse();
        let is_dark = theme == Theme::Dark;
        let settings = Settings { is_dark, takes };
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
