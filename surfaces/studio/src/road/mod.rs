//! From file to file: an opened take, the choices, the loop made by them, and the bytes to write.

pub(crate) mod recipe_text;

mod sketch;

mod stretch;

mod character;

mod opened;

mod pack;

mod edit;

mod listed;

mod made;

mod exported;

mod study;

mod set;

pub use character::{CharacterError, NamedFile, refusal};
pub use edit::{Edit, time_of_move};
pub use exported::{ExportError, Exported};
pub use listed::{Listed, list};
pub use made::{Made, MadeError};
#[cfg(any(target_arch = "wasm32", test))]
pub use opened::retarget_of;
pub use opened::{OpenError, Opened, Room, SetLoop, Step, StretchError, Tell, reading};
pub use pack::open;
pub use set::{SetError, SetFiles, SetOrder};
pub use sketch::Sketch;
pub use stretch::{MIN_FRAMES, Stretch};
pub use study::{CostMap, Studied, Study, lengths};
