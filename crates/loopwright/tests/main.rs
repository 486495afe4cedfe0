//! The core on synthetic, captured and malformed takes, in one program: a module for each subject.

mod support;

mod animals;
mod blend;
mod choice;
mod closure_golden;
mod closure_least;
mod closure_properties;
mod contacts;
mod edits;
mod feet;
mod floor;
mod golden_math;
mod idle;
mod joint_names;
mod mean_cycle;
mod occurrence;
mod odd_rigs;
mod passage;
mod placement;
mod play;
mod playback;
mod quality;
mod retarget;
mod retarget_made;
mod retry;
mod root_joint;
mod root_motion;
mod root_space;
mod search;
mod spectrum;
mod stretches;
mod synthetic;
mod transition;
mod transition_cost;
mod whole_clips;
