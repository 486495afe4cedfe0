//! Synthetic takes.
