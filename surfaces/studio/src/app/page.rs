//! The studio in a page: files from the browser, and texts for people who do not see the canvas.

use eframe::egui::{Context, DroppedFileHandle, Ui};

use super::Studio;
use crate::platform;

/// State that only the page needs.
#[derive(Default)]
pub(super) struct Host {
    /// The text announced last.
    said: String,
    /// Value of the model's loop count when the page last marked the time of a loop.
    num_marked: u64,
}

impl Studio {
    /// A browser has its own folder.
    pub(super) fn ask_folder(&self, _ctx: &Context) {}

    pub(super) fn open_ui(&mut self, ui: &mut Ui) {
        if ui.button("Open ...").clicked() {
            platform::choose_file();
        }
    }

    pub(super) fn open_dropped(&mut self, files: &[DroppedFileHandle]) {
        let files: Vec<web_sys::File> = files.iter().filter_map(|file| file.web_file().cloned()).collect();
        if !files.is_empty() {
            let inbox = self.inbox.clone();
            wasm_bindgen_futures::spawn_local(platform::open_files(files, move |action| inbox.put(action)));
        }
    }

    /// Announces the state in the page, since screen readers cannot read the canvas.
    pub(super) fn say(&mut self) {
        if self.model.num_made != self.host.num_marked {
            self.host.num_marked = self.model.num_made;
            platform::mark("loop shown");
        }
        let name = self.model.opened().map_or("", |opened| opened.file_name.as_str());
        let said = match (
            self.model.progress(),
            self.model.problem(),
            self.export.said(),
            self.model.made(),
        ) {
            (Some(progress), ..) => progress.to_owned(),
            (_, Some(problem), ..) => problem.to_string(),
            (_, _, Some(said), _) => said,
            _ if self.set_words().is_some() => self.set_words().unwrap_or_default(),
            (_, _, _, Some(made)) => format!("{name}: {}", made.verdict),
            _ => String::new(),
        };
        if said != self.host.said {
            platform::say(&said);
            self.host.said = said;
        }
    }
}
