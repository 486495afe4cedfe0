//! Renders: a body, of capsules or the mesh of its file, over a ground with metres on it, as an animation, a contact sheet or the seam's onion skin.
//!
//! A [`Figure`](crate::Figure) gives a skeleton its body, with its [`Surface`](crate::Surface) if it has one. A
//! [`DrawnMotion`] is a take, a cut repeated unchanged, or a loop. A [`Scene`] adds ground and camera and draws any time of
//! it as a [`Picture`]. Everything runs on the CPU. The same input gives the same pixels on one machine, and visually
//! identical pictures on any other.

mod animation;
mod camera;
mod canvas;
mod caption;
mod ground;
mod mesh;
mod motion;
mod picture;
mod scene;
mod seam;
mod sheet;

pub use animation::{AnimationFormat, Packed, Packer};
pub use camera::View;
pub use motion::{DrawnMotion, MotionError};
pub use picture::Picture;
pub use scene::{RenderError, Scene, SceneSettings};
pub use seam::onion;
pub use sheet::{MAX_CELLS, contact_sheet, side_by_side};
