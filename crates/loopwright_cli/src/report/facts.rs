//! From the core's values to the facts that JSON, sidecar and text share, in the units people use.

use loopwright::{
    analysis::body::Body,
    candidate::LoopCandidate,
    closure::{Closed, Method, Order, Shape},
    feet::{Feet, FootOutcome},
    loop_clip::LoopClip,
    math::{ops, rigid::Twist, rotation},
    motion::RootMotion,
    pipeline::Made,
    quality::{Quality, Stand},
    root_motion::{RootMode, RootSpace},
    take::Skeleton,
};
use loopwright_formats::sidecar::{
    CandidateFacts, ClosureFacts, ContactFacts, FeetFacts, FootFacts, QualityFacts, RootFacts,
};

/// A candidate's facts; `period_secs` is the written period, the source's own where nothing is written.
pub(crate) fn candidate(candidate: &LoopCandidate, period_secs: f64) -> CandidateFacts {
    CandidateFacts {
        start_frame: candidate.cut.start_frame(),
        end_frame: candidate.cut.end_frame(),
        mirrored: candidate.is_mirrored,
        source_period_secs: candidate.source_period_secs,
        period_secs,
        cycles: candidate.cycles as usize,
        seam_cost: Some(candidate.seam_cost),
        cost_ratio: candidate.cost_ratio,
        steadiness: Some(candidate.steadiness),
        contact_phase: candidate.contact_phase,
        energy: Some(candidate.energy),
    }
}

/// The closure's facts, with the method that was used after fitting.
pub(crate) fn closure(closed: &Closed) -> ClosureFacts {
    let Method { start, end, shares, .. } = closed.method;
    let (method, method_end) = (method_name(&closed.method, start), method_name(&closed.method, end));
    ClosureFacts {
        method: if method == method_end {
            method.to_owned()
        } else {
            format!("{method}+{method_end}")
        },
        blend_start_secs: closed.method.crossfade_secs.unwrap_or(start.secs()),
        blend_end_secs: closed.method.crossfade_secs.unwrap_or(end.secs()),
        rho: shares.rho,
        sigma: shares.sigma,
        tau: shares.tau,
        chosen: None,
        layered: closed.is_layered,
    }
}

/// The name of a method, with the shape of one of its ends, as the command line has it.
fn method_name(method: &Method, shape: Shape) -> &'static str {
    match (method.crossfade_secs, shape, method.order) {
        (Some(_), ..) => "crossfade",
        (None, Shape::Quintic { .. }, Order::C2) => "quintic",
        (None, Shape::Quintic { .. }, _) => "quintic-c1",
        (None, Shape::Cubic { .. }, _) => "cubic",
        (None, Shape::Spring { .. }, _) => "spring",
        (None, Shape::Linear { .. }, _) => "linear",
        (None, Shape::SoftFade { .. }, _) => "softfade",
        (None, Shape::Adjustment { .. }, _) => "adjustment",
        _ => "other",
    }
}

/// The root's facts, as far as the travel tells them.
pub(crate) fn root(root: &RootMotion, mode: RootMode, space: RootSpace) -> RootFacts {
    let Twist { linear, angular } = root.twist;
    // A root that stands upright has the world's up; any other is asked where it goes at the start.
    let (way, turn) = match space {
        RootSpace::Ground => (linear, angular),
        RootSpace::Full => (root.start.rotation * linear, root.start.rotation * angular),
    };
    RootFacts {
        mode: mode_name(mode).to_owned(),
        space: match space {
            RootSpace::Ground => "ground",
            RootSpace::Full => "full",
        }
        .to_owned(),
        twist_linear_mps: linear.to_array(),
        twist_angular_radps: angular.to_array(),
        speed_mps: ops::hypot(way.x, way.z),
        turn_dps: turn.y.to_degrees(),
        radius_m: root.twist.radius(),
        climb_mps: way.y,
        start_position_m: root.start.translation.to_array(),
        start_yaw_deg: rotation::yaw_of(root.start.rotation).to_degrees(),
        start_rotation_xyzw: (space == RootSpace::Full).then(|| root.start.rotation.to_array()),
        ..RootFacts::default()
    }
}

/// Ways below this are none that an arc could be held against, metres.
const NO_WAY_METRES: f64 = 0.05;

/// The root's facts with what is known to who made the loop only.
pub(crate) fn root_as_made(facts: RootFacts, made: &Made, path_smoothing_secs: Option<f64>) -> RootFacts {
    let (fit, feet) = (made.source.fit, &made.feet);
    RootFacts {
        take_twist_linear_mps: feet
            .speed
            .filter(|_| feet.speed_is_theirs)
            .map(|speed| speed.of_poses.to_array()),
        path_smoothing_secs,
        fit_residual_mm: fit.map(|fit| 1e3 * fit.residual_metres),
        arc_over_path: fit
            .filter(|fit| fit.path_metres > NO_WAY_METRES)
            .map(|fit| fit.arc_metres / fit.path_metres),
        ..facts
    }
}

/// The name of a root mode as the command line has it.
pub(crate) fn mode_name(mode: RootMode) -> &'static str {
    match mode {
        RootMode::Screw => "screw",
        RootMode::Rabbit => "rabbit",
        RootMode::InPlace => "in-place",
        RootMode::Keep => "keep",
        RootMode::Path => "path",
        RootMode::World => "world",
    }
}

/// When the feet of a loop stand, and what was done to them.
pub(crate) fn feet(clip: &LoopClip, body: &Body, feet: &Feet) -> FeetFacts {
    let name = |foot: usize| clip.skeleton().joint(body.feet[foot].lowest_joint()).name.clone();
    let in_cm = |speed: f64| 1e2 * speed;
    FeetFacts {
        held: feet.is_locked(),
        feet: (feet.outcomes.iter().enumerate())
            .map(|(foot, outcome)| FootFacts {
                joint: name(foot),
                outcome: outcome_name(outcome).to_owned(),
            })
            .collect(),
        contacts: (feet.contacts.iter())
            .map(|contact| ContactFacts {
                joint: name(contact.foot),
                start_secs: contact.start_sample as f64 * clip.step_secs(),
                length_secs: contact.num_samples as f64 * clip.step_secs(),
            })
            .collect(),
        stances: Vec::new(),
        skate_before_cmps: feet.skate_mps[0].map(in_cm),
        skate_after_cmps: feet.skate_mps[1].map(in_cm),
        farthest_moved_mm: 1e3 * feet.moved_metres,
        hips_lowered_mm: 1e3 * feet.hips_lowered_metres,
        root_speed_from: if feet.speed_is_theirs { "feet" } else { "pose" }.to_owned(),
        feet_speed_mps: feet
            .speed
            .map(|speed| ops::hypot(speed.twist.linear.x, speed.twist.linear.z)),
    }
}

/// Spans over which skate is measured.
pub(crate) fn stances(clip: &LoopClip, stands: &[Stand]) -> Vec<ContactFacts> {
    let stance = |stand: &Stand| ContactFacts {
        joint: clip.skeleton().joint(stand.joint).name.clone(),
        start_secs: stand.first_sample as f64 * clip.step_secs(),
        length_secs: stand.num_samples as f64 * clip.step_secs(),
    };
    stands.iter().map(stance).collect()
}

fn outcome_name(outcome: &FootOutcome) -> &'static str {
    match outcome {
        FootOutcome::Held => "held",
        FootOutcome::NotAsked => "not asked",
        FootOutcome::NoKnee => "no knee",
        FootOutcome::NeverStands => "never stands",
        FootOutcome::Slides { .. } => "slides",
    }
}

/// What is said of feet that were left alone though they might have been held.
pub(crate) fn feet_left_alone(skeleton: &Skeleton, body: &Body, feet: &Feet) -> Vec<String> {
    let mut said = Vec::new();
    for (foot, outcome) in body.feet.iter().zip(&feet.outcomes) {
        let name = &skeleton.joint(foot.lowest_joint()).name;
        said.extend(match outcome {
            FootOutcome::Slides { metres } => Some(format!(
                "foot {name} is not held: it slides by {:.0} cm while it seems to stand; --lock-feet on holds it all the same",
                1e2 * metres
            )),
            FootOutcome::NoKnee => Some(format!(
                "foot {name} is not held: no joint bends between the hips and it"
            )),
            _ => None,
        });
    }
    if let Some(speed) = feet.speed.filter(|_| feet.speed_is_theirs) {
        let over_ground = |v: glam::DVec3| ops::hypot(v.x, v.z);
        said.push(format!(
            "the root travels at {:.3} m/s, as the feet have it; the poses have {:.3} m/s (--root-speed pose keeps that)",
            over_ground(speed.twist.linear),
            over_ground(speed.of_poses)
        ));
    }
    said
}

/// The figures; `closed` is known to who made the loop only.
pub(crate) fn quality(quality: &Quality, closed: Option<&Closed>) -> QualityFacts {
    QualityFacts {
        c0_deg: Some(quality.c0_radians.to_degrees()),
        c0_mm: Some(1e3 * quality.c0_metres),
        c1_dps: closed.map(|closed| closed.residual.angular_velocity.to_degrees()),
        c1_mmps: closed.map(|closed| 1e3 * closed.residual.velocity),
        seam_acceleration_error: quality.seam_acceleration_error,
        seam_acceleration_p99: Some(quality.seam_acceleration_p99),
        seam_rank: Some(100.0 * quality.seam_rank),
        take_rank: quality.take_rank.map(|rank| 100.0 * rank),
        displacement_mm: quality.displacement_metres.map(|metres| 1e3 * metres),
        displacement_deg: quality.displacement_radians.map(f64::to_degrees),
        skate_cmps: quality.skate_mps.map(|speed| 1e2 * speed),
    }
}
