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

pub use character::{CharacterError, NamedFile};
pub use edit::Edit;
pub(crate) use edit::time_of_move;
pub use exported::{ExportError, Exported};
pub use listed::Listed;
pub(crate) use listed::list;
pub use made::{Made, MadeError};
pub(crate) use opened::Tell;
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) use opened::retarget_of;
pub use opened::{OpenError, Opened, Room, Step, StretchError};
pub(crate) use pack::open;
pub use set::{SetError, SetFiles, SetOrder};
pub use sketch::Sketch;
pub(crate) use stretch::MIN_FRAMES;
pub use stretch::Stretch;
pub use study::{CostMap, Studied, Study, lengths};
