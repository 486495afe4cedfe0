//! The road from a take to a loop: what is asked for ([`recipe`]), and the jobs that do it.

pub mod recipe;

pub use recipe::{Recipe, RecipeError};
