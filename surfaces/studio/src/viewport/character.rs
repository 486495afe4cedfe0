//! The surface of a take's character, read in the background.

use std::sync::Arc;

use eframe::egui::Context;
use loopwright_formats::SizeLimits;

use crate::{
    model::{Beside, Opened},
    surface::Surface,
};

/// The surface of a take's own character, once it is read.
#[derive(Default)]
pub enum Character {
    /// Reading has not started.
    #[default]
    Unread,
    #[cfg(not(target_arch = "wasm32"))]
    Reading(std::sync::mpsc::Receiver<Found>),
    Read(Found),
}

/// The surface, `None` if the file has none, or why it cannot be shown.
type Found = Result<Option<Arc<Surface>>, String>;

impl Character {
    /// Returns the surface or why there is none; `None` while it is being read. The first call starts the reading.
    pub fn of(&mut self, opened: &Arc<Opened>, beside: impl FnOnce() -> Beside, ctx: &Context) -> Option<&Found> {
        if matches!(self, Self::Unread) {
            *self = Self::start(opened, beside(), ctx);
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Self::Reading(answer) = self {
            match answer.try_recv() {
                Err(std::sync::mpsc::TryRecvError::Empty) => {}
                found => *self = Self::Read(found.unwrap_or(Ok(None))),
            }
        }
        match self {
            Self::Read(found) => Some(found),
            _ => None,
        }
    }

    /// The reason why it cannot be shown.
    pub fn fault(&self) -> Option<&str> {
        match self {
            Self::Read(Err(fault)) => Some(fault),
            _ => None,
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn start(opened: &Arc<Opened>, beside: Beside, ctx: &Context) -> Self {
        let (sender, answer) = std::sync::mpsc::channel();
        let opened = Arc::clone(opened);
        let ctx = ctx.clone();
        std::thread::spawn(move || {
            // Sending fails if another take was opened meanwhile.
            let _ = sender.send(read(&opened, &beside));
            ctx.request_repaint();
        });
        Self::Reading(answer)
    }

    #[cfg(target_arch = "wasm32")]
    fn start(opened: &Arc<Opened>, beside: Beside, _ctx: &Context) -> Self {
        Self::Read(read(opened, &beside))
    }
}

fn read(opened: &Opened, beside: &Beside) -> Found {
    let mesh = opened
        .studied
        .goes_into()
        .source
        .read_mesh(
            opened.bytes.as_deref().map_or(&[][..], Vec::as_slice),
            opened.skeleton(),
            &SizeLimits::default(),
        )
        .map_err(|error| error.to_string())?;
    Ok(mesh.map(|mesh| Arc::new(Surface::new(mesh, beside))))
}
