//! Sets read from files, in one program.

mod action;

mod cases;

mod read;
