//! Placement of a loop: it starts at the origin and faces +Z, wherever the take stood. Derivation: docs/math/root.md.

use core::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::{LoopSettings, MadeLoop};
use crate::{
    analysis::{Body, Heading},
    loop_clip::LoopClip,
    math::{Rigid, Twist, mean, ops, rotation},
    motion::RootMotion,
    root_motion::{RootMode, RootRelativeClip, RootSettings, RootSpace, root_joint},
    take::Take,
};

/// Mean length of the facings around a loop, as a share, below which they have no direction: the body spins.
const MIN_MEAN_FACING: f64 = 0.5;

/// A loop that starts at the origin and faces +Z, and the motion that brought it there.
#[value]
pub struct Recentered {
    /// The loop.
    pub clip: LoopClip,
    /// The turn about +Y and the translation over the ground that moved it; heights are unchanged.
    pub motion: Rigid,
}

impl LoopClip {
    /// Returns the loop with the root of the first key at the origin, on a root that faces this far to the left of its previous
    /// facing, radians; it moves over the ground as before.
    #[must_use]
    pub fn on_turned_root(self, yaw: f64) -> Self {
        let turn = Rigid::from_yaw(yaw, DVec3::ZERO);
        let Twist { linear, angular } = self.root().twist;
        let height = DVec3::Y * self.root().start.translation.y;
        let back = turn.rotation.inverse();
        self.with_body_moved(turn.inverse())
            .with_twist(Twist::new(back * linear, back * angular))
            .with_start(Rigid::new(glam::DQuat::IDENTITY, height))
    }

    /// Returns the loop with the root of the first key at the origin, facing +Z; heights are unchanged.
    ///
    /// The twist and every pose relative to the root are unchanged. A root joint whose axes differ from the facing of the body
    /// by about a quarter turn or more keeps that: the body faces +Z. For [`RootMode::Stationary`] the root is already at the
    /// origin, and the body is moved by its mean position and facing over the loop. In [`RootSpace::Full`] the root keeps its
    /// tilt.
    #[must_use]
    pub fn recentered(self, body: &Body, mode: RootMode, space: RootSpace) -> Recentered {
        let (ground, facing) = body_in_root(&self, body);
        if mode == RootMode::Stationary {
            let motion = Rigid::from_yaw(facing, ground).inverse();
            return Recentered {
                clip: self.with_body_moved(motion),
                motion,
            };
        }
        let first = self.root_pose(0);
        let height = DVec3::Y * first.translation.y;
        let (target, yaw) = match space {
            RootSpace::Ground => {
                // Whole quarter turns: a body that sways, or walks sideways, does not turn its root.
                let off = FRAC_PI_2 * (facing / FRAC_PI_2).round();
                let target = if off == 0.0 {
                    Rigid::new(glam::DQuat::IDENTITY, height)
                } else {
                    Rigid::from_yaw(-off, height)
                };
                (target, rotation::yaw_of(first.rotation) + off)
            }
            RootSpace::Full => {
                // The root is the mean frame of the hips, in any orientation; the body faces its own way.
                let ahead = first.rotation * (rotation::from_yaw(facing) * DVec3::Z);
                let yaw = ops::atan2(ahead.x, ahead.z);
                (
                    Rigid::new((rotation::from_yaw(-yaw) * first.rotation).normalize(), height),
                    yaw,
                )
            }
        };
        let start = match self.path().first() {
            // The first key is the start moved along the path; without one they are equal, to the last bit.
            Some(&sway) => target * sway.inverse(),
            None => target,
        };
        Recentered {
            clip: self.with_start(start),
            motion: Rigid::from_yaw(yaw, first.translation - height).inverse(),
        }
    }
}

/// Returns the place and the facing of a body, averaged over a loop, relative to its root; the facing is in radians, from -pi to pi.
fn body_in_root(clip: &LoopClip, body: &Body) -> (DVec3, f64) {
    let heading = Heading::level(&clip.tracks_from_root(), body);
    let count = heading.num_frames();
    let ground = mean((0..count).map(|frame| heading.ground(frame)));
    let ahead = |frame| rotation::from_yaw(heading.yaw(frame)) * DVec3::Z;
    let mean = mean((0..count).map(ahead));
    let ahead = if mean.length() < MIN_MEAN_FACING {
        ahead(0)
    } else {
        mean
    };
    (ground.with_y(0.0), ops::atan2(ahead.x, ahead.z))
}

impl Take {
    /// Returns the recording with its first frame at the origin, facing +Z; heights are unchanged.
    ///
    /// Joints above the one that carries the root motion are unchanged, such as a root joint at the origin; everything else
    /// moves.
    #[must_use]
    pub fn recentered(&self, body: &Body) -> Self {
        let (skeleton, world) = (self.skeleton(), self.world_tracks());
        let heading = Heading::level(&world, body);
        let motion = Rigid::from_yaw(heading.yaw(0), heading.ground(0).with_y(0.0)).inverse();
        let carrier = root_joint::find_carrier(skeleton, &world, body);
        let path = skeleton.path_from_root(carrier);
        let moved: Vec<usize> = (0..skeleton.num_joints())
            .filter(|joint| *joint == carrier || !path.contains(joint))
            .filter(|joint| {
                skeleton
                    .parent(*joint)
                    .is_none_or(|above| above != carrier && path.contains(&above))
            })
            .collect();
        self.map_poses(|pose| {
            let mut placed = pose.to_pose();
            for &joint in &moved {
                placed.set_joint(joint, pose.carried(skeleton, joint, motion));
            }
            placed
        })
    }
}

impl MadeLoop {
    /// Returns the loop at the requested phase and place.
    pub(super) fn placed(mut self, settings: &LoopSettings) -> Self {
        if let Some(start) = settings.start_at {
            self.first_sample = self.sample_of(start).unwrap_or(0);
        }
        if settings.root.recenter {
            self.recentered()
        } else {
            self
        }
    }

    /// Returns the loop at the origin, facing +Z: see [`LoopClip::recentered`]. Its uncut samples move along.
    #[must_use]
    pub fn recentered(self) -> Self {
        let RootSettings { mode, space, .. } = self.root;
        let before = self.loop_clip.root().start;
        let Recentered { clip, motion } = self.from_start().into_owned().recentered(&self.body, mode, space);
        let clip = match self.first_sample {
            0 => clip,
            sample => clip.starting_at(-(sample as isize)),
        };
        let source = if mode == RootMode::Stationary {
            self.source.carried(motion)
        } else {
            // The uncut samples may start elsewhere than the loop; both move alike.
            let root = self.source.root;
            let start = if root.start == before {
                clip.root().start
            } else {
                clip.root().start * before.inverse() * root.start
            };
            RootRelativeClip {
                root: RootMotion { start, ..root },
                ..self.source
            }
        };
        Self {
            loop_clip: clip,
            source,
            recentered_by: Some(motion * self.recentered_by.unwrap_or(Rigid::IDENTITY)),
            ..self
        }
    }
}
