//! Synthetic walks against what is stated of them, in one program: a module for each subject.

mod motion;
mod settings;
mod truth;
