//! A row from the sidecar of a loop.

use loopwright_core::{RootMode, Skeleton};
use loopwright_formats::{
    Sidecar,
    loop_file::{facts::FeetFacts, sha256},
};

use crate::LoopRow;

impl LoopRow {
    /// Creates the row of a loop. `skeleton_sha256` is the hash of its skeleton, and `row` the number, from 1, of the row of `find` that it
    /// was made from.
    pub fn new(sidecar: &Sidecar, skeleton_sha256: &str, row: usize) -> Self {
        let Sidecar {
            take,
            candidate,
            closure,
            root_motion: root,
            feet,
            quality,
            playback,
            ..
        } = sidecar;
        let [linear_x_mps, linear_y_mps, linear_z_mps] = root.linear_velocity_mps;
        let [angular_x_radps, angular_y_radps, angular_z_radps] = root.angular_velocity_radps;
        Self {
            path: take.file.clone(),
            take_sha256: take.file_sha256.clone().unwrap_or_default(),
            skeleton_sha256: skeleton_sha256.to_owned(),
            animation: take.animation.clone(),
            frames: take.frames as u64,
            fps: take.fps,
            joints: take.joints as u64,
            row: row as u64,
            start_frame: candidate.start_frame,
            end_frame: candidate.end_frame,
            kind: sidecar.kind.clone().unwrap_or_default(),
            period_secs: candidate.period_secs,
            cycles: candidate.cycles as u64,
            samples: playback.samples as u64,
            mirrored: candidate.mirrored,
            root_motion: root.mode.as_str().to_owned(),
            in_place: matches!(root.mode, RootMode::InPlace | RootMode::Stationary),
            linear_x_mps,
            linear_y_mps,
            linear_z_mps,
            angular_x_radps,
            angular_y_radps,
            angular_z_radps,
            speed_mps: root.speed_mps,
            turn_rate_dps: root.turn_rate_dps,
            climb_mps: root.climb_mps,
            radius_m: root.radius_m,
            contacts: feet.as_ref().map(contacts).unwrap_or_default(),
            first_contact_phase: feet
                .as_ref()
                .and_then(|feet| feet.outcomes.first())
                .and_then(|foot| foot.strike_phase),
            feet_held: feet.as_ref().is_some_and(|feet| feet.held),
            grade: quality.grade.map(|grade| grade.as_str().to_owned()),
            reason: quality.reason.clone(),
            seam_joint: quality.seam_joint.clone(),
            seam_step_ratio: quality.seam_step_ratio,
            seam_step_mm: quality.seam_step_mm,
            seam_step_deg: quality.seam_step_deg,
            seam_velocity_step_mps: quality.seam_velocity_step_mps,
            seam_velocity_step_dps: quality.seam_velocity_step_dps,
            pose_gap_deg: quality.pose_gap_deg,
            pose_gap_mm: quality.pose_gap_mm,
            velocity_gap_dps: quality.velocity_gap_dps,
            velocity_gap_mmps: quality.velocity_gap_mmps,
            seam_acceleration_error_ratio: quality.seam_acceleration_error_ratio,
            seam_acceleration_ratio: quality.seam_acceleration_ratio,
            seam_rank_percent: quality.seam_rank_percent,
            take_rank_percent: quality.take_rank_percent,
            displacement_mm: quality.displacement_mm,
            displacement_deg: quality.displacement_deg,
            foot_slide_cmps: quality.foot_slide_cmps,
            foot_slide_mm: quality.foot_slide_mm,
            seam_cost_metre_secs: candidate.seam_cost_metre_secs,
            cost_ratio: candidate.cost_ratio,
            steadiness: candidate.steadiness,
            activity_ratio: candidate.activity_ratio,
            closure: closure.method.clone(),
            blend_start_secs: closure.blend_start_secs,
            blend_end_secs: closure.blend_end_secs,
            engine: sidecar.target.as_ref().map(|target| target.name.to_string()),
            recipe_sha256: sidecar.recipe_sha256.clone().unwrap_or_default(),
            licence: take.licence.clone(),
            output: sidecar.outputs.first().cloned().unwrap_or_default(),
            output_sha256: sidecar.file_sha256.clone(),
        }
    }
}

/// Returns the contacts of a loop in one text.
fn contacts(feet: &FeetFacts) -> String {
    let contacts = feet
        .contacts
        .iter()
        .map(|contact| format!("{}:{:.4}:{:.4}", contact.joint, contact.start_secs, contact.length_secs));
    contacts.collect::<Vec<_>>().join(";")
}

/// Offsets of joints are rounded to this length, metres, before hashing: files that state the same skeleton in other units differ by
/// rounding.
const SAME_METRES: f64 = 1e-4;

/// Returns a hash that is equal for skeletons whose joints have the same names, parents and offsets, to a tenth of a millimetre. Two
/// offsets on either side of a rounding edge give different hashes, however near they are.
pub fn skeleton_sha256(skeleton: &Skeleton) -> String {
    let mut bytes = Vec::new();
    for joint in skeleton.joints() {
        bytes.extend(joint.name.len().to_le_bytes());
        bytes.extend(joint.name.as_bytes());
        bytes.extend(joint.parent.map_or(u64::MAX, |parent| parent as u64).to_le_bytes());
        for offset in joint.rest_offset.to_array() {
            bytes.extend(((offset / SAME_METRES).round() as i64).to_le_bytes());
        }
    }
    sha256(&bytes)
}
