//! Reads takes and writes loops.
