//! Turns a motion-capture take into a loop.

pub mod take;

pub mod analysis;

pub mod candidate;

pub mod closure;

pub mod root_motion;

pub mod loop_clip;

pub mod quality;

pub mod pipeline;

pub mod math;
