//! Turns motion-capture takes into loops.
//!
//! A take comes in; [`analysis`] studies it; [`candidate`] proposes stretches that repeat; [`root_motion`] accounts for the
//! root's travel; [`closure`] closes the seam; a [`loop_clip::LoopClip`] comes out, and [`quality`] says how good it is.
//! Loops play at any time ([`loop_clip::playback`], [`loop_clip::runtime`]), blend into others ([`mod@blend`]) and follow one
//! another ([`play`]); [`transition`] tells what it costs to leave one motion for another. What a take says of a character
//! controller is told by [`controller_fit`].
//!
//! Conventions: metres, seconds, radians; +Y up, right-handed, +Z forward, left turns positive; quaternions (x, y, z, w);
//! arrays frame-major. Frames of a take are counted from 0 and may be fractional. The same take gives the same bits on every
//! machine: there are no clocks, files or hash orders in here, and threads only where the feature `threads` asks for them;
//! they change the time that work takes and nothing else.
//!
//! The whole road:
//!
//! ```
//! use loopwright::{
//!     analysis::{Analysis, body::BodyOverrides},
//!     candidate::{self, SearchSettings},
//!     pipeline::{self, LoopSettings},
//! };
//! # use glam::{DQuat, DVec3};
//! # use loopwright::take::{Joint, Skeleton, Take};
//! # // A body on two swinging legs, one second a cycle, walking ahead at 1.2 m/s.
//! # let names = [("Hips", None), ("LeftUpLeg", Some(0)), ("LeftFoot", Some(1)), ("RightUpLeg", Some(0)), ("RightFoot", Some(3))];
//! # let offsets = [DVec3::Y, DVec3::X * 0.1, DVec3::Y * -0.9, DVec3::X * -0.1, DVec3::Y * -0.9];
//! # let joint = |(&(name, parent), &rest_offset): (&(&str, Option<usize>), &DVec3)| Joint { name: name.to_owned(), parent, rest_offset, tip: None };
//! # let skeleton = Skeleton::new(names.iter().zip(&offsets).map(joint).collect())?;
//! # let (mut translations, mut rotations) = (Vec::new(), Vec::new());
//! # for frame in 0..150 {
//! #     let t = f64::from(frame) / 30.0;
//! #     for joint in 0..5 {
//! #         let phase = core::f64::consts::TAU * t + if joint == 3 { core::f64::consts::PI } else { 0.0 };
//! #         let swing = if joint == 1 || joint == 3 { 0.5 * loopwright::math::ops::sin(phase) } else { 0.0 };
//! #         translations.push(offsets[joint] + if joint == 0 { DVec3::Z * 1.2 * t } else { DVec3::ZERO });
//! #         rotations.push(loopwright::math::rotation::exp(DVec3::X * swing));
//! #     }
//! # }
//! # let take = Take::new("walk", skeleton, 1.0 / 30.0, translations, rotations)?;
//! let analysis = Analysis::of(&take, &BodyOverrides::default())?;
//! let found = candidate::find(&take, &analysis, &SearchSettings::default())?;
//! let best = found.best().expect("this take walks");
//! let made = pipeline::make(&take, &analysis, &best.cut, best.cycles, &LoopSettings::default())?;
//!
//! assert_eq!(best.cycles, 1);
//! assert!((best.source_period_secs - 1.0).abs() < 0.01);
//! assert!((made.loop_clip.root().twist.linear.z - 1.2).abs() < 0.01);
//! assert!(made.closed.residual.position < 1e-9 && made.closed.residual.angular_velocity < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod motion;

pub mod take;

pub mod analysis;

pub mod mirror;

pub mod candidate;

pub mod closure;

pub mod root_motion;

pub mod loop_clip;

pub mod feet;

pub mod blend;

pub mod transition;

pub mod play;

pub mod quality;

pub mod recognition;

pub mod controller_fit;

pub mod pipeline;

pub mod math;

pub mod words;

#[cfg(feature = "threads")]
mod threads;
