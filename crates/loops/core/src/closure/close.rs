//! Closes a loop: measures both ends, computes the required offsets, spreads them, and applies them.

use glam::DVec3;

use super::{
    BoundaryError, Closed, ClosureError, ClosureSettings, Gaps, Image, JointGap, Method, Order, SeamGaps, SeamMotion,
    Shape, ShapeKind,
    boundary::Boundary,
    clamp::fitted,
    ends::{self, JointEnds},
    plan::{Plan, progress},
    rotation,
    settings::NOISE_SAMPLES,
    tables::Tables,
    targets::{self, JointTargets},
};
use crate::{motion::Tracks, take::Clip};

/// Closes every joint's local track of a clip.
///
/// Velocities and accelerations at both ends are measured with the clip's context. Afterwards the pose at sample N would equal
/// the pose at sample 0 to rounding, and so would velocities (and accelerations for C2), as the sum of those measured at the
/// ends and those of the offsets. A clip that already repeats is unchanged up to rounding; a track without motion, and samples
/// that no blend reaches, are unchanged bit for bit. Errors: a time, share or joint out of range; shapes that cannot be
/// distinguished over the clip. Source: docs/math.
pub fn close(clip: &Clip, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    close_against(clip, settings, None)
}

/// Closes half a cycle that is followed by its mirror image: both seams, from the half to its image and back, meet as in
/// [`close`].
///
/// The clip holds N intervals, the result 2N samples, of which the second N are exactly the image of the first. Lasting
/// differences between left and right are first evened out over the whole half, so that no joint has to move from one side's
/// posture to the other's and back; gaps are those that remain between the start and the image of the end. A crossfade has no
/// frames to blend into, so only offsets close the seam; a joint is left open if its partner is. Errors: as [`close`]. Source:
/// docs/math/mirror.md.
pub(crate) fn close_half(clip: &Clip, image: &Image, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    let (even, shifts) = image.evened(clip);
    Ok(image.unfold_closed(clip, close_against(&even, settings, Some(image))?, &shifts))
}

/// Closes a clip whose end meets its start, or the image of its start.
fn close_against(clip: &Clip, settings: &ClosureSettings, image: Option<&Image>) -> Result<Closed, ClosureError> {
    let num_joints = clip.skeleton().num_joints();
    settings.check(num_joints)?;
    let mut clamps = Vec::new();
    let can_fade = image.is_none();
    let mut method = fitted(clip, &settings.method, can_fade, &mut clamps);
    let methods: Vec<Option<Method>> = (0..num_joints)
        .map(|joint| {
            settings.method_of(image.map_or(joint, |image| image.partner(joint)))?;
            Some(fitted(clip, &settings.method_of(joint)?, can_fade, &mut clamps))
        })
        .collect();
    let ends: Vec<JointEnds> = (0..num_joints).map(|joint| ends::measure(clip, joint)).collect();
    let mut closing = Closing {
        clip,
        image,
        tables: Tables::new(clip),
        plans: (0..num_joints)
            .map(|joint| Plan::new(clip, joint, &ends[joint], methods[joint].as_ref()))
            .collect(),
    };

    let is_layered = closing.add_layers(settings.motion, &methods)?;
    method.order = Boundary::new(method.start, method.end, clip.period_secs(), method.order)?.order;
    let mut closed = Closed {
        tracks: Tracks::empty(clip.skeleton().clone(), clip.step_secs(), clip.num_intervals()),
        translation_offsets: Vec::new(),
        rotation_offsets: Vec::new(),
        seam: SeamGaps {
            joints: closing.gaps(&ends),
        },
        residual: closing
            .gaps(&closing.closed_ends())
            .iter()
            .zip(&methods)
            .filter(|(_, method)| method.is_some())
            .fold(Gaps::default(), |largest, (gap, _)| largest.max(gap)),
        method,
        is_layered,
        clamps,
    };
    closing.apply(&mut closed);
    Ok(closed)
}

/// Returns the method that closes the noise that another method leaves.
fn noise_method(clip: &Clip, method: &Method) -> Method {
    Method {
        shares: method.shares,
        // Shapes without accelerations do not change those of the motion and of the noise.
        order: if method.start.is_c2() && method.end.is_c2() {
            method.order
        } else {
            method.order.min(Order::C1)
        },
        ..Method::new(Shape::new(
            ShapeKind::Quintic,
            (NOISE_SAMPLES as f64 * clip.step_secs()).min(clip.period_secs()),
        ))
    }
}

/// A clip that is being closed.
struct Closing<'a> {
    clip: &'a Clip,
    image: Option<&'a Image<'a>>,
    tables: Tables,
    /// One for each joint.
    plans: Vec<Plan>,
}

impl Closing<'_> {
    /// Returns a joint's start, and the end that meets it: its own, or the image of its partner's.
    fn met(&self, ends: &[JointEnds], joint: usize) -> JointEnds {
        self.image.map_or(ends[joint], |image| {
            image.meets(joint, &ends[joint], &ends[image.partner(joint)])
        })
    }

    /// Returns the gaps of all joints, whose motion at both ends is `ends`.
    fn gaps(&self, ends: &[JointEnds]) -> Vec<JointGap> {
        (0..ends.len())
            .map(|joint| JointGap::new(&self.met(ends, joint)))
            .collect()
    }

    /// Closes the seam; returns whether that took two layers.
    fn add_layers(&mut self, motion: SeamMotion, methods: &[Option<Method>]) -> Result<bool, BoundaryError> {
        let clip = self.clip;
        // First the motion, if it can be separated from the noise, ...
        let wide: Vec<Option<JointEnds>> = self
            .plans
            .iter()
            .enumerate()
            .map(|(joint, plan)| match (motion, &methods[joint], plan.crossfade) {
                (SeamMotion::Layered, Some(_), None) => ends::measure_wide(clip, joint),
                _ => None,
            })
            .collect();
        let first: Vec<JointEnds> = wide
            .iter()
            .zip(&self.plans)
            .map(|(wide, plan)| wide.unwrap_or(plan.closed))
            .collect();
        self.add_layer(&first, methods)?;
        // ... then the remainder.
        let noise: Vec<Option<Method>> = wide
            .iter()
            .zip(methods)
            .map(|(wide, method)| {
                let method = wide.as_ref().and(method.as_ref())?;
                Some(noise_method(clip, method))
            })
            .collect();
        let is_layered = noise.iter().any(Option::is_some);
        if is_layered {
            self.add_layer(&self.closed_ends(), &noise)?;
        }
        Ok(is_layered)
    }

    /// Returns the motion of all joints at both ends, after the layers so far.
    fn closed_ends(&self) -> Vec<JointEnds> {
        self.plans.iter().map(|plan| plan.closed).collect()
    }

    /// Adds, to every joint with a method, offsets that close the gap between its start and the end that meets it, measured at
    /// `ends`.
    fn add_layer(&mut self, ends: &[JointEnds], methods: &[Option<Method>]) -> Result<(), BoundaryError> {
        let targets: Vec<JointTargets> = methods
            .iter()
            .enumerate()
            .map(|(joint, method)| {
                let Some(method) = method else {
                    return JointTargets::default();
                };
                let met = self.met(ends, joint);
                JointTargets {
                    translation: targets::point_targets(&met.translation[0], &met.translation[1], &method.shares),
                    rotation: rotation::rotation_targets(&met.rotation[0], &met.rotation[1], &method.shares),
                }
            })
            .collect();
        for (joint, plan) in self.plans.iter_mut().enumerate() {
            let Some(method) = &methods[joint] else { continue };
            // The offset at the end was computed against the image of the partner's start.
            let own = self.image.map_or(targets[joint], |image| {
                image.wanted(joint, &targets[joint], &targets[image.partner(joint)])
            });
            let (clip, ends) = (self.clip, &ends[joint]);
            let translation = self.tables.offsets(own.translation, method, || {
                let at = |sample| clip.translations(sample)[joint];
                progress(clip, ends.translation, |from, to| at(from).distance(at(to)))
            })?;
            let turn = self.tables.offsets(own.rotation, method, || {
                let at = |sample| clip.rotations(sample)[joint];
                progress(clip, ends.rotation, |from, to| {
                    rotation::pose_gap(at(from), at(to)).length()
                })
            })?;
            plan.add_layer([translation, turn], &self.tables);
        }
        Ok(())
    }

    /// Applies the plans to all samples.
    fn apply(&self, closed: &mut Closed) {
        let (clip, plans, tables) = (self.clip, &self.plans, &self.tables);
        let num_intervals = clip.num_intervals();
        for sample in 0..=num_intervals {
            let pose = clip.pose(sample as isize);
            let mut closed_pose = pose.to_pose();
            for (joint, plan) in plans.iter().enumerate() {
                let moved = plan.moved(clip, tables, sample, pose.rotations[joint]);
                closed.translation_offsets.push(moved.translation_offset);
                closed.rotation_offsets.push(moved.rotation_offset);
                // Adding zero would lose the sign of a negative zero.
                if moved.translation_offset != DVec3::ZERO {
                    closed_pose.translations[joint] += moved.translation_offset;
                }
                closed_pose.rotations[joint] = moved.rotation;
            }
            if sample < num_intervals {
                closed.tracks.push(closed_pose.as_ref());
            }
        }
    }
}
