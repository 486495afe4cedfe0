//! Converts the core's values to the facts in JSON, loop files and text, in everyday units.

use glam::DVec3;
use loopwright_core::{
    LoopCandidate, LoopClip, MadeLoop, Quality, RootMode, RootMotion, Skeleton,
    analysis::{Bearings, Body, Stay},
    candidate::WholeClip,
    closure::{Closed, ClosureName, Order, Shape, ShapeKey, ShapeKind},
    edit::{EditKey, LoopEdit},
    feet::{Feet, FootOutcome},
    math::{Twist, ops, rotation},
    mean_cycle::MeanCycle,
    mirror::Pairing,
    pipeline::Retimed,
    quality::Stand,
    root_motion::RootSpace,
    unit::Unit,
    variation::Variation,
};

use super::facts::{
    BasisFacts, BearingFacts, CandidateFacts, ClosureFacts, ContactFacts, EditFacts, FeetFacts, FootFacts,
    FootTreatment, MeanCycleFacts, PeriodicLoopFacts, QualityFacts, RootMotionFacts, SpeedSource, TimeFacts,
    UsedCycleFacts, VariationFacts, WholeClipFacts,
};

/// From this ratio on, random frames of the take differ only by rounding: it rests nearly everywhere, and the ratio means
/// nothing.
const MEANINGLESS_COST_RATIO: f64 = 1e6;

/// Returns a candidate's facts; `period_secs` is the written period, or the source's own if nothing is written.
pub fn candidate(candidate: &LoopCandidate, period_secs: f64) -> CandidateFacts {
    CandidateFacts {
        start_frame: candidate.cut.start_frame(),
        end_frame: candidate.cut.end_frame(),
        mirrored: candidate.pairing.is_mirrored(),
        ping_pong_ease_frames: match candidate.pairing {
            Pairing::PingPong { ease_frames } => Some(ease_frames),
            _ => None,
        },
        source_period_secs: candidate.source_period_secs,
        period_secs,
        cycles: candidate.cycles as usize,
        several_cycles_for: candidate
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.fewer_cycles_lose_by),
        seam_cost_metre_secs: Some(candidate.seam_cost),
        cost_ratio: candidate.cost_ratio.filter(|ratio| *ratio < MEANINGLESS_COST_RATIO),
        steadiness: Some(candidate.steadiness),
        contact_phase: candidate.contact_phase,
        activity_ratio: Some(candidate.activity),
        whole_clip: candidate.whole.as_ref().map(whole_clip),
    }
}

pub(super) fn name_of(skeleton: &Skeleton, joint: usize) -> String {
    skeleton.joint(joint).name.clone()
}

fn names_of(skeleton: &Skeleton, joints: &[usize]) -> Vec<String> {
    joints.iter().map(|&joint| name_of(skeleton, joint)).collect()
}

fn whole_clip(whole: &WholeClip) -> WholeClipFacts {
    WholeClipFacts {
        kind: whole.kind,
        last_key: whole.last_key,
        left_out: whole.left_out,
        end_limits_frames: whole.end_limits,
        by_name: whole.by_name,
        gap_mm: 1e3 * whole.gap_metres,
        gap_deg: whole.gap_radians.to_degrees(),
        roughness_ratio: whole.roughness,
    }
}

/// Describes a mean of cycles.
pub fn mean_cycle(mean: &MeanCycle, skeleton: &Skeleton) -> MeanCycleFacts {
    MeanCycleFacts {
        asked: mean.asked.to_string(),
        cycles: mean
            .cycles
            .iter()
            .map(|cycle| UsedCycleFacts {
                start_frame: cycle.start_frame,
                end_frame: cycle.end_frame,
                share: cycle.share,
            })
            .collect(),
        chosen: mean.chosen,
        joints_left_out: names_of(skeleton, &mean.joints_left_out),
    }
}

/// Describes a variation of a loop on that skeleton.
pub fn variation(variation: &Variation, skeleton: &Skeleton) -> VariationFacts {
    VariationFacts {
        seed: variation.settings.seed,
        amount: variation.settings.amount,
        copies: variation.copies,
        take_cycles: variation.cycles,
        joints: variation.joints,
        joints_left_out: names_of(skeleton, &variation.joints_left_out),
        rotation_deg: variation.radians.to_degrees(),
    }
}

/// Describes how the timing of a loop differs from the recording.
pub fn time(retimed: &Retimed) -> TimeFacts {
    let [slowest, fastest] = retimed.rates;
    TimeFacts {
        length_ratio: retimed.length,
        stride_ratio: retimed.stride,
        slowest,
        fastest,
        footfalls_moved: retimed.footfalls,
        acceleration_ratio: retimed.acceleration,
    }
}

/// Describes the closure, with the method that was used after fitting.
pub fn closure(closed: &Closed) -> ClosureFacts {
    let method = &closed.method;
    let [start, end] = method.names().map(|name| closure_name(name, method.order));
    let [blend_start_secs, blend_end_secs] = method.secs();
    // The shapes under a crossfade close only what it leaves.
    let own = |shape: Shape, key: ShapeKey| shape.get(key).filter(|_| method.crossfade_secs.is_none());
    ClosureFacts {
        method: if start == end {
            start.to_owned()
        } else {
            format!("{start}+{end}")
        },
        blend_start_secs,
        velocity_blend_start_secs: own(method.start, ShapeKey::VelocityBlend),
        velocity_blend_end_secs: own(method.end, ShapeKey::VelocityBlend),
        hardness_start: own(method.start, ShapeKey::Hardness),
        hardness_end: own(method.end, ShapeKey::Hardness),
        blend_end_secs,
        start_share_of_position: method.shares.rho,
        start_share_of_velocity: method.shares.sigma,
        start_share_of_acceleration: method.shares.tau,
        auto_choice: None,
        noise_closed_separately: closed.is_layered,
    }
}

/// Describes an edit of a loop.
pub fn edit(edit: &LoopEdit, clip: &LoopClip) -> EditFacts {
    let (kind, values) = (edit.kind().descriptor(), edit.values(clip));
    let deviation = |unit: Unit| {
        let parameter = kind.parameter(EditKey::Deviation)?;
        values.number(EditKey::Deviation).filter(|_| parameter.unit == unit)
    };
    EditFacts {
        kind: kind.name.to_owned(),
        joints: names_of(clip.skeleton(), edit.joints()),
        time_secs: values.number(EditKey::Time),
        width_secs: values.number(EditKey::Width),
        rotation_deg: values.vector(EditKey::Rotation),
        position_m: values.vector(EditKey::Position),
        scale: values.number(EditKey::Scale),
        deviation_secs: deviation(Unit::Secs),
        turn_deg: values.number(EditKey::Turn),
        deviation_deg: deviation(Unit::Degrees),
        highest_hz: values.number(EditKey::Highest),
        seed: values.whole(EditKey::Seed).map(u64::from),
    }
}

/// Returns the name of the closure at an end; a lower continuity than the shape allows has its own name.
fn closure_name(name: ClosureName, order: Order) -> &'static str {
    match (name, order) {
        (ClosureName::Shape(ShapeKind::Quintic), Order::C1) => "quintic-c1",
        (ClosureName::Shape(ShapeKind::Linear), Order::C0) => "linear-with-kink",
        (ClosureName::Shape(_), Order::C0) => "pose-alone",
        _ => name.as_str(),
    }
}

/// Describes the root, as far as its motion determines the facts.
pub fn root_motion(root: &RootMotion, mode: RootMode, space: RootSpace) -> RootMotionFacts {
    let Twist { linear, angular } = root.twist;
    // For an upright root the axis is the world's up; otherwise the root's up at the start is used.
    let (velocity, turn, up) = match space {
        RootSpace::Ground => (linear, angular, DVec3::Y),
        RootSpace::Full => {
            let start = root.start.rotation;
            (start * linear, start * angular, start.conjugate() * DVec3::Y)
        }
    };
    RootMotionFacts {
        mode,
        space,
        linear_velocity_mps: linear.to_array(),
        angular_velocity_radps: angular.to_array(),
        speed_mps: ops::hypot(velocity.x, velocity.z),
        turn_rate_dps: turn.y.to_degrees(),
        radius_m: root.twist.radius(),
        basis: Some(BasisFacts::new(root)),
        periodic_loop: Some(PeriodicLoopFacts::new(root)),
        climb_mps: root.twist.climb(up),
        start_position_m: root.start.translation.to_array(),
        start_yaw_deg: rotation::yaw_of(root.start.rotation).to_degrees(),
        start_rotation_xyzw: (space == RootSpace::Full).then(|| root.start.rotation.to_array()),
        ..RootMotionFacts::default()
    }
}

/// Describes the feet of a loop as it is written.
pub(super) fn feet_of(made: &MadeLoop) -> FeetFacts {
    feet(&made.loop_clip, &made.body, &made.feet, made.seam_sample())
}

/// Describes the contacts of a loop's feet and how they were held; the loop is written with its seam at `seam_sample`.
pub fn feet(clip: &LoopClip, body: &Body, feet: &Feet, seam_sample: usize) -> FeetFacts {
    let bearings = match feet.outcomes.is_empty() {
        true => Bearings::default(),
        false => feet.bearings(clip, body),
    };
    let count = clip.num_samples() as f64;
    let joint = |foot: usize| name_of(clip.skeleton(), body.feet[foot].lowest_joint());
    let start = |stay: &Stay| stay.strike.map_or(0.0, |strike| (strike + seam_sample as f64) % count);
    let length = |stay: &Stay| match (stay.strike, stay.lift) {
        (Some(strike), Some(lift)) => lift - strike,
        _ => count,
    };
    let span = |stay: &Stay| ContactFacts {
        joint: joint(stay.foot),
        start_secs: start(stay) * clip.step_secs(),
        length_secs: length(stay) * clip.step_secs(),
    };
    FeetFacts {
        held: feet.is_held(),
        bearing: bearings
            .points
            .iter()
            .map(|of| {
                let span = span(&of.stay);
                BearingFacts {
                    joint: span.joint,
                    point: of.point,
                    start_secs: span.start_secs,
                    length_secs: span.length_secs,
                }
            })
            .collect(),
        outcomes: feet
            .outcomes
            .iter()
            .enumerate()
            .map(|(foot, outcome)| {
                let stays = bearings.stays.iter().filter(|stay| stay.foot == foot);
                FootFacts {
                    joint: joint(foot),
                    outcome: treatment(outcome),
                    strike_phase: bearings
                        .longest_of(foot)
                        .map(|[strike, _]| (strike + seam_sample as f64) % count / count),
                    stands_share: Some(stays.map(length).sum::<f64>() / count),
                }
            })
            .collect(),
        contacts: bearings.stays.iter().map(span).collect(),
        stances: Vec::new(),
        foot_slide_before_cmps: feet.foot_slide_mps[0].map(|speed| 1e2 * speed),
        foot_slide_after_cmps: feet.foot_slide_mps[1].map(|speed| 1e2 * speed),
        farthest_moved_mm: 1e3 * feet.moved_metres,
        hips_lowered_mm: 1e3 * feet.hips_lowered_metres,
        root_speed_from: match (feet.replaced_velocity, feet.speed_is_theirs) {
            (Some(_), _) => SpeedSource::Given,
            (None, true) => SpeedSource::Feet,
            (None, false) => SpeedSource::Pose,
        },
        feet_speed_mps: feet
            .speed
            .map(|speed| ops::hypot(speed.twist.linear.x, speed.twist.linear.z)),
    }
}

/// Describes the spans over which foot sliding is measured.
pub fn stances(clip: &LoopClip, stands: &[Stand], seam_sample: usize) -> Vec<ContactFacts> {
    let secs = |samples: usize| samples as f64 * clip.step_secs();
    stands
        .iter()
        .map(|stand| ContactFacts {
            joint: name_of(clip.skeleton(), stand.joint),
            start_secs: secs((stand.first_sample + seam_sample) % clip.num_samples()),
            length_secs: secs(stand.num_samples),
        })
        .collect()
}

fn treatment(outcome: &FootOutcome) -> FootTreatment {
    match outcome {
        FootOutcome::Held => FootTreatment::Held,
        FootOutcome::HeldInPart { .. } => FootTreatment::HeldInPart,
        FootOutcome::NotAsked => FootTreatment::NotAsked,
        FootOutcome::NoKnee => FootTreatment::NoKnee,
        FootOutcome::NeverStands => FootTreatment::NeverStands,
        FootOutcome::Still => FootTreatment::Still,
        FootOutcome::Slides { .. } => FootTreatment::Slides,
        FootOutcome::Released => FootTreatment::Released,
        FootOutcome::Kept => FootTreatment::Kept,
        FootOutcome::Unsettled => FootTreatment::NotSettled,
    }
}

/// Describes the figures of a loop with joints of this skeleton, without a grade; `closed` is known only when the loop is made.
pub fn quality(quality: &Quality, closed: Option<&Closed>, skeleton: &Skeleton) -> QualityFacts {
    let seam = &quality.seam;
    let (_, worst) = seam.worst();
    QualityFacts {
        seam_joint: Some(name_of(skeleton, worst.joint)),
        seam_step_ratio: Some(worst.ratio()),
        seam_step_mm: Some(1e3 * seam.position.size),
        seam_step_deg: Some(seam.rotation.size.to_degrees()),
        seam_velocity_step_mps: Some(seam.velocity.size),
        seam_velocity_step_dps: Some(seam.angular_velocity.size.to_degrees()),
        pose_gap_deg: Some(quality.pose_gap_radians.to_degrees()),
        pose_gap_mm: Some(1e3 * quality.pose_gap_metres),
        velocity_gap_dps: closed.map(|closed| closed.residual.angular_velocity.to_degrees()),
        velocity_gap_mmps: closed.map(|closed| 1e3 * closed.residual.velocity),
        seam_acceleration_error_ratio: quality.seam_acceleration_error_ratio,
        seam_acceleration_ratio: Some(quality.seam_acceleration_ratio),
        seam_rank_percent: Some(100.0 * quality.seam_rank),
        take_rank_percent: quality.take_rank.map(|rank| 100.0 * rank),
        displacement_mm: quality.displacement_metres.map(|metres| 1e3 * metres),
        displacement_deg: quality.displacement_radians.map(f64::to_degrees),
        foot_slide_cmps: quality.foot_slide_mps.map(|speed| 1e2 * speed),
        foot_slide_mm: quality.farthest_slide.map(|slide| 1e3 * slide.metres),
        ..QualityFacts::default()
    }
}
