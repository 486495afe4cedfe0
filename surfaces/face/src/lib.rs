//! Turns motion-capture takes into loops that play without a pop.
//!
//! From the bytes of a file to those of a loop, with the facts about it:
//!
//! ```
//! use loopwright::{Recipe, load, make_loop};
//!
//! # let walk = loopwright::synth::synthesize(&loopwright::synth::WalkSettings::default())?.take;
//! # let bytes = loopwright::write_take(&walk, &loopwright::Source::for_take(&walk, loopwright::Format::Bvh))?.bytes;
//! let take = load(&bytes, "walk")?; // BVH, FBX, glTF, NPZ or VRM animation
//! let walk = make_loop(take, &Recipe::default())?;
//! println!("{:.2} s, {:?}", walk.clip.period_secs(), walk.sidecar.quality.grade);
//! let (file, facts) = (&walk.bytes, walk.sidecar.to_json()?); // walk-loop.bvh and walk-loop.bvh.json
//! # assert_eq!(load(file, "walk")?.take.num_frames(), walk.clip.num_samples() + 1);
//! # assert!(facts.contains("grade"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | read one animation of a pack | [`AnimatedFile::parse`], [`AnimatedFile::take`]; then [`make_loop`] |
//! | choose how loops are made | [`Recipe`]: the keys that `loopwright make --set` knows |
//! | read a loop that was made before | [`load_loop`], or with its file [`StoredLoop::read`] |
//! | sample a loop at any time | [`LoopClip::world_pose_at`], [`LoopClip::root_delta`]; [`Skeleton::find`] for a joint |
//! | list what repeats; close other frames | [`Analysis::find_loops`], [`Analysis::make_loop`] |
//! | blend loops into a file | [`WrittenLoop::stored`], [`Blend`], with the feature `sets` |
//! | blend loops while they play | [`Blender`], with the feature `sets` |
//!
//! Metres, seconds, radians; +Y up, +Z forward; quaternions (x, y, z, w). Nothing here opens files. What these names do not reach is in the
//! crates they come from, which are here whole: [`core`] (the algorithms, stage by stage), [`formats`], [`job`] (the road from takes to
//! loops), and by features [`sets`], [`moves`], [`player`], [`matching`], [`controller`], [`catalog`], [`draw`], [`synth`].
#![cfg_attr(
    not(all(
        feature = "sets",
        feature = "player",
        feature = "matching",
        feature = "controller",
        feature = "catalog",
        feature = "draw",
        feature = "synth"
    )),
    allow(rustdoc::broken_intra_doc_links, reason = "features name modules that are not built")
)]

pub use loopwright_core as core;
pub use loopwright_formats as formats;
pub use loopwright_job as job;

#[cfg(feature = "catalog")]
pub use loopwright_catalog as catalog;
#[cfg(feature = "controller")]
pub use loopwright_controller as controller;
#[cfg(feature = "draw")]
pub use loopwright_draw as draw;
#[cfg(feature = "matching")]
pub use loopwright_match as matching;
#[cfg(feature = "player")]
pub use loopwright_player as player;
#[cfg(feature = "synth")]
pub use loopwright_synth as synth;
#[cfg(feature = "sets")]
pub use {loopwright_moves as moves, loopwright_sets as sets};

pub use loopwright_core::loop_clip::Interpolation;
pub use loopwright_core::{
    Analysis, Joint, LoopCandidate, LoopClip, LoopSettings, MadeLoop, Pose, RootMotion, SearchSettings, Skeleton, Take,
    Tracks,
};
pub use loopwright_formats::{
    AnimatedFile, Format, LoadedTake, ReadSettings, Sidecar, Source, load, load_loop, read_take, write_take,
};
pub use loopwright_job::{Recipe, StoredLoop, WrittenLoop, make_loop};
#[cfg(feature = "sets")]
pub use {
    loopwright_moves::{Blender, LoopSet, Passage, Transitions},
    loopwright_sets::{Blend, BlendRequest},
};
