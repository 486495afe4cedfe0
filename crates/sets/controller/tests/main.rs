//! Fits against springs and tables that are known, in one program: a module for each subject.

mod fit;
mod golden;
mod speed_table;
