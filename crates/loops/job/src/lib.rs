//! From a take to a loop: the steps that every program shares.
//!
//! A request is a [`Recipe`], optionally with a [`SearchRequest`] and a character ([`CharacterTarget`]). A [`Study`] reads and
//! analyses a take ([`Studied`]), [`choose`] finds the stretches to make loops of, [`make`] makes a loop of one and tries other stretches
//! and closures if its seam shows, and [`write()`] writes it into memory, reads it back and measures it. [`pack`] does all of that
//! for the animations of one file. [`SearchRows`] is the list that people choose from. [`check`] measures a loop in a file,
//! [`checks`](mod@checks) grade it, and a [`StoredLoop`] can be mirrored or put onto a character.
//!
//! Errors and warnings are values ([`JobError`], [`StudyError`], [`Warning`]); callers choose the words. Warnings have a
//! sentence of their own, because sidecars hold them and do not depend on the program. Nothing here reads or writes files.
//!
//! ```
//! use loopwright_formats::{Format, LoadedTake, Source};
//! use loopwright_job::{Recipe, Request, Rows, SearchRequest, Study, choose, make, write};
//!
//! # let take = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
//! # let file = LoadedTake::new(take.clone(), Source::for_take(&take, Format::Bvh));
//! let recipe = Recipe::default();
//! let studied = Study::new(recipe.take.clone(), None)?.analyse("walk.bvh", file, Vec::new())?;
//! let request = Request { recipe: &recipe, search: Some(&SearchRequest::default()), rows: &Rows::Recommended };
//! let chosen = choose(&studied, request, &mut Vec::new())?.remove(0)?;
//! let made = make(&studied, request, &chosen)?;
//! let written = write(&studied, request, made, Format::Bvh)?;
//! assert!(!written.file.quality.pops());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
extern crate loopwright_attributes;

mod character;
mod check;
pub mod checks;
mod choose;
mod decision;
mod error;
mod make;
mod of_loops;
pub mod pack;
pub mod recipe;
mod search;
mod stored;
mod study;
pub mod verdict;
pub mod warning;
mod write;
mod written;

pub use character::{CarryError, CharacterTarget, Following, Matched};
pub use check::{CheckError, CheckNote, CheckedLoop, check};
pub use checks::{Authored, CheckId};
pub use choose::{Chosen, Request, Rows, choose};
pub use decision::Decision;
pub use error::{JobError, StudyError, TargetError};
pub use make::{LoopMade, draft, make, max_rate_hz};
pub use of_loops::{LoopOfLoops, judge_pack, with_feet};
pub use recipe::{Recipe, RecipeError, words::parse_bounds};
#[cfg(feature = "clap")]
pub use search::parse_range;
pub use search::{DEFAULT_TOP, SearchRequest, SearchRows, Stretches, TURNING_DPS, TurnSide, search_rows};
pub use stored::{AddedRoot, StoredLoop, StoredLoopError, without_animations};
pub use study::{Studied, Study, stated_space};
pub use verdict::Verdict;
pub use warning::Warning;
pub use write::{PendingLoop, name_part, write};
pub use written::{WrittenLoop, WrittenLoopError, make_loop};
