//! Sets read from files, in one program.

mod read;
