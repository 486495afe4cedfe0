//! A row from the sidecar of a loop, and what only its maker knows.

use core::fmt::Write as _;

use loopwright::{RootMode, Skeleton};
use loopwright_formats::{Sidecar, loop_file::facts::FeetFacts};
use sha2::{Digest, Sha256};

use crate::LoopRow;

/// Facts about a loop that its sidecar does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopOrigin {
    /// SHA-256 of the take's file.
    pub take_sha256: String,
    /// SHA-256 of its skeleton: [`skeleton_sha256`].
    pub skeleton_sha256: String,
    /// The row of `find` that the loop was made from, from 1.
    pub row: usize,
    /// What the body does, in one word.
    pub kind: String,
    /// SHA-256 of all settings.
    pub recipe_sha256: String,
    /// The licence of the take.
    pub licence: Option<String>,
}

impl LoopRow {
    /// The row of a loop.
    pub fn new(sidecar: &Sidecar, origin: &LoopOrigin) -> Self {
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
            take_sha256: origin.take_sha256.clone(),
            skeleton_sha256: origin.skeleton_sha256.clone(),
            animation: take.animation.clone(),
            frames: take.frames as u64,
            fps: take.fps,
            joints: take.joints as u64,
            row: origin.row as u64,
            start_frame: candidate.start_frame,
            end_frame: candidate.end_frame,
            kind: origin.kind.clone(),
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
            recipe_sha256: origin.recipe_sha256.clone(),
            licence: origin.licence.clone(),
            output: sidecar.outputs.first().cloned().unwrap_or_default(),
            output_sha256: sidecar.file_sha256.clone(),
        }
    }
}

/// The contacts of a loop in one text.
fn contacts(feet: &FeetFacts) -> String {
    let contacts = feet
        .contacts
        .iter()
        .map(|contact| format!("{}:{:.4}:{:.4}", contact.joint, contact.start_secs, contact.length_secs));
    contacts.collect::<Vec<_>>().join(";")
}

/// The SHA-256 of bytes, 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing into a text does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Offsets of joints are compared to this length, metres: files that state the same skeleton in other units differ by rounding.
const SAME_METRES: f64 = 1e-4;

/// A hash that skeletons share whose joints have the same names, parents and offsets, to a tenth of a millimetre. Two offsets that
/// lie on either side of a rounding edge give different hashes, however near they are.
pub fn skeleton_sha256(skeleton: &Skeleton) -> String {
    let mut hash = Sha256::new();
    for joint in skeleton.joints() {
        hash.update(joint.name.len().to_le_bytes());
        hash.update(joint.name.as_bytes());
        hash.update(joint.parent.map_or(u64::MAX, |parent| parent as u64).to_le_bytes());
        for offset in joint.rest_offset.to_array() {
            hash.update(((offset / SAME_METRES).round() as i64).to_le_bytes());
        }
    }
    hex(&hash.finalize())
}
