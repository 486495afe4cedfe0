//! The command as users run it, in one program: a module for each subject.

mod harness;

mod bad_input;
mod blend_and_play;
mod close;
mod companions;
mod cost;
mod cut;
mod edits;
mod fbx;
mod feet;
mod field;
mod find_options;
mod fit;
mod gltf;
mod habits;
mod help;
mod json;
mod like;
#[cfg(unix)]
mod limits;
mod lint;
mod make_options;
mod many_animations;
mod many_files;
mod many_takes;
mod matching;
mod mutations;
mod npz;
mod odd_takes;
mod outputs;
mod plot;
mod project;
mod real_takes;
mod recipe_flags;
mod render;
mod report;
mod retarget;
mod road;
mod root;
mod set;
mod settings;
mod snippets;
mod targets;
mod together;
mod vrm;
