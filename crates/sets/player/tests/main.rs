//! Sets read from files, in one program.

mod cases;

mod read;
