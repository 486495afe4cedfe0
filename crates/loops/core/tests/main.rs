//! The core on synthetic, captured and malformed takes, in one program: a module for each subject.

mod support;

mod animals;
mod choice;
mod closure_golden;
mod closure_least;
mod closure_properties;
mod contacts;
mod edits;
mod feet;
mod golden_math;
mod idle;
mod joint_names;
mod live;
mod mean_cycle;
mod nameless;
mod odd_rigs;
mod ping_pong;
mod placement;
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
mod start;
mod stretches;
mod strides;
mod synthetic;
mod transition_cost;
mod variation;
mod whole_clips;
