//! What a person chooses: the stretch of the take, and how it becomes a loop. This value is what undo takes back.

use loopwright::{LoopSettings, candidate::WholeClip, closure::ClosureName, closure::Method};

use super::{opened::Opened, stretch::Stretch};

/// All choices that determine the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The stretch.
    pub stretch: Stretch,
    /// Whether the closure is found by trying several; the shares and the order of the method below stay.
    pub tries_closures: bool,
    /// The settings of the core.
    pub settings: LoopSettings,
}

impl Edit {
    /// The choices with which a take is shown first: those of the library, and the root motion that suits a whole clip.
    pub fn first(opened: &Opened) -> Self {
        let mut settings = LoopSettings::default();
        let best = opened.found.best();
        if let Some(mode) = best.and_then(|best| best.whole.as_ref()).map(WholeClip::root_mode) {
            settings.root.mode = mode;
        }
        Self {
            stretch: opened.first_stretch(),
            tries_closures: false,
            settings,
        }
    }

    /// The name of the closure.
    pub fn closure(&self) -> ClosureName {
        match self.tries_closures {
            true => ClosureName::Auto,
            false => self.settings.closure.method.names()[0],
        }
    }

    /// The same with the closure of that name; shares and order stay, times are the defaults of the closure.
    #[must_use]
    pub fn closed_by(&self, name: ClosureName) -> Self {
        let mut edit = self.clone();
        let former = edit.settings.closure.method;
        edit.tries_closures = name == ClosureName::Auto;
        if let Some(shape) = name.shape(None, None, None) {
            edit.settings.closure.method = Method {
                shares: former.shares,
                order: former.order,
                crossfade_secs: (name == ClosureName::Crossfade).then(|| shape.secs()),
                ..Method::of(shape)
            };
        }
        edit
    }
}
