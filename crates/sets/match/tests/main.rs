//! Features, databases and walks by them, in one program: a module for each subject.

mod support;

mod captured;
mod cost;
mod matching;
