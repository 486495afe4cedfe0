//! The studio driven as a person drives it: by the labels of its widgets.

mod characters;
mod demo;
mod driven;
mod exporting;
mod first_use;
mod looking;
mod opening;
mod same_road;
mod sets;
mod side_by_side;
mod steering;
mod trust;
mod window;
