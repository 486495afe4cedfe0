//! Recipes that wait for their takes, which they refer to by name only: those of links, with a view, and those of the last visit.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::{Model, Opened, Problem};
use crate::camera::Camera;

/// The contents of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The name of the file of the take.
    pub take: String,
    /// The text of its recipe.
    pub recipe: String,
    /// The view.
    pub camera: Option<Camera>,
}

impl Link {
    /// Encodes the link as the part of an address after its `#`.
    pub fn to_fragment(&self) -> Option<String> {
        Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).ok()?))
    }

    /// Decodes a part of an address; `None` if it is not that of a link.
    pub fn of_fragment(fragment: &str) -> Option<Self> {
        let text = URL_SAFE_NO_PAD.decode(fragment.trim_start_matches('#')).ok()?;
        let link: Self = serde_json::from_slice(&text).ok()?;
        link.camera.as_ref().is_none_or(Camera::is_finite).then_some(link)
    }
}

impl Model {
    /// Returns the link to what is shown; `None` until its loop is made.
    pub fn link(&self) -> Option<Link> {
        Some(Link {
            take: self.opened.as_ref()?.file_name.clone(),
            recipe: self.recipe_text()?.ok()?,
            camera: Some(self.camera),
        })
    }

    /// Follows a link: now, or once its take is opened.
    pub(super) fn open_link(&mut self, link: Link) {
        let is_open = self.opened.as_ref().is_some_and(|opened| opened.file_name == link.take);
        if !is_open && link.take != Opened::WALK {
            self.problem = Some(Problem::Linked(link.take.clone()));
        }
        self.links.push(link);
        self.follow_link();
    }

    /// Follows the link that waits for the shown take. Returns whether there is one.
    pub(super) fn follow_link(&mut self) -> bool {
        let shown = self.opened.as_ref().map(|opened| opened.file_name.as_str());
        let waits = self.links.iter().rposition(|link| Some(link.take.as_str()) == shown);
        let Some(waits) = waits else { return false };
        let link = self.links.remove(waits);
        self.follow(link.recipe.as_bytes());
        self.camera = link.camera.unwrap_or(self.camera);
        true
    }
}
