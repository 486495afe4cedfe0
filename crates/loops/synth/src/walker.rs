//! The walker: every joint at any time, without noise.

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Pose, Skeleton,
    math::{Rigid, ops, rotation},
};

use crate::{
    SynthError, Truth, WalkSettings,
    body::{
        self, HIP_ASIDE_METRES, HIP_BELOW_METRES, HIPS_REST_HEIGHT_METRES, SHANK_METRES, Side, THIGH_METRES, joint,
    },
    footstep::{self, Footsteps},
    gait::Gait,
    ik,
    path::Path,
};

/// Distance from hip to ankle as a share of the straight leg while standing still.
const STANDING_REACH_SHARE: f64 = 0.99;

/// Lowest hips of a walk, metres above the root.
const MIN_HIPS_HEIGHT_METRES: f64 = 0.6;

/// Poses examined per cycle to find how high the hips may be.
const SAMPLES_PER_CYCLE: f64 = 64.0;

/// A walker whose pose is known at any time.
#[derive(Clone, Debug)]
pub struct Walker {
    settings: WalkSettings,
    skeleton: Skeleton,
    path: Path,
    gait: Gait,
    /// Height of the hips above the root in full stride, without bob and rise.
    hips_height: f64,
    /// Gait time over which the body drifts and rises: that of the take, at least one cycle.
    gait_length_secs: f64,
}

/// The state of a walker's gait at one time.
struct Moment {
    time_secs: f64,
    phase: f64,
    root: Rigid,
    yaw: f64,
    /// Size of the motion: 0 standing, 1 in full stride.
    vigour: f64,
    /// As `vigour`, but rises sooner: the hips are down before the first strides are long.
    readiness: f64,
    /// Growth of the motion through drift: 1 at the start.
    growth: f64,
    /// How far the body is below its full height during the rise, metres, never positive.
    sunk: f64,
}

impl Walker {
    /// Lays out a walk.
    ///
    /// Errors: those of [`WalkSettings::check`], and [`SynthError::OutOfReach`] when the legs are too short for the walk.
    pub fn new(settings: &WalkSettings) -> Result<Self, SynthError> {
        settings.check()?;
        let path = Path::new(settings);
        let mut walker = Self {
            gait: Gait::new(settings),
            skeleton: body::skeleton(),
            gait_length_secs: path
                .gait_secs((settings.num_frames() - 1) as f64 / settings.frame_rate_hz)
                .max(settings.period_secs),
            hips_height: HIPS_REST_HEIGHT_METRES,
            settings: settings.clone(),
            path,
        };
        walker.hips_height = walker.highest_hips();
        let in_reach = walker.hips_height >= MIN_HIPS_HEIGHT_METRES;
        if !in_reach {
            return Err(SynthError::OutOfReach {
                hips_height_metres: walker.hips_height,
                min: MIN_HIPS_HEIGHT_METRES,
            });
        }
        Ok(walker)
    }

    /// Returns the walker's joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the truth about this walk.
    pub fn truth(&self) -> Truth {
        Truth::new(&self.settings, &self.footsteps())
    }

    /// Returns the local translations (metres) and rotations of all joints at any time, in skeleton order; the hips' are the
    /// world's.
    pub fn pose_at(&self, time_secs: f64) -> Pose {
        let moment = self.moment(time_secs);
        let feet = Side::BOTH.map(|side| self.footsteps().foot(side, moment.phase));
        let pelvis = self.pelvis(&moment);
        let hips_height = self.hips_height * moment.readiness + standing_height() * (1.0 - moment.readiness);
        let hips = moment.root
            * Rigid::new(
                pelvis.rotation,
                pelvis.translation + DVec3::Y * (hips_height + moment.sunk),
            );
        let mut pose = self.rest_at(hips.translation, hips.rotation);
        let pelvis_yaw = moment.yaw + rotation::yaw_of(pelvis.rotation);
        for (side, foot) in Side::BOTH.into_iter().zip(&feet) {
            // The knee points between the directions of pelvis and foot.
            let back = set_leg(
                &mut pose,
                side,
                hips,
                foot.ankle,
                rotation::from_yaw(0.5 * (pelvis_yaw + foot.yaw)) * DVec3::Z,
            );
            let ankle = side.up_leg() + 2;
            pose.rotations[ankle] = back * footstep::rotation_of(foot);
            pose.rotations[ankle + 1] = rotation::exp(DVec3::X * -foot.toe_bend);
        }
        self.set_trunk(&mut pose, &moment, pelvis.rotation);
        for side in Side::BOTH {
            self.set_arm(&mut pose, &moment, side);
        }
        pose
    }

    /// Returns the rest pose, standing where the root is at `time_secs`: only the root is rotated, by its yaw.
    pub(crate) fn t_pose_at(&self, time_secs: f64) -> Pose {
        let root = self.moment(time_secs).root;
        self.rest_at(
            root.transform_point(self.skeleton.joint(joint::HIPS).rest_offset),
            root.rotation,
        )
    }

    /// Returns the rest pose with the hips at a place in the world.
    fn rest_at(&self, translation: DVec3, rotation: DQuat) -> Pose {
        let mut pose = body::rest_pose(&self.skeleton);
        pose.translations[joint::HIPS] = translation;
        pose.rotations[joint::HIPS] = rotation;
        pose
    }

    fn footsteps(&self) -> Footsteps<'_> {
        Footsteps {
            path: &self.path,
            gait: &self.gait,
            drift_per_sec: self.settings.drift / self.gait_length_secs,
        }
    }

    fn moment(&self, time_secs: f64) -> Moment {
        let gait_secs = self.path.gait_secs(time_secs);
        let travel_secs = self.path.travel_secs(gait_secs);
        let done = gait_secs / self.gait_length_secs;
        let rise = self.settings.torso_rise_metres;
        Moment {
            time_secs,
            phase: self.path.phase(gait_secs),
            root: self.path.root(travel_secs),
            yaw: self.path.yaw(travel_secs),
            vigour: self.path.vigour(gait_secs, 1.0),
            readiness: self.path.vigour(gait_secs, 0.5),
            growth: 1.0 + self.settings.drift * done,
            sunk: if rise > 0.0 { -rise * (1.0 - done) } else { rise * done },
        }
    }

    /// Returns the pelvis in the root's frame without its height, which follows from the legs' reach: y is the variation of the height.
    fn pelvis(&self, moment: &Moment) -> Rigid {
        let gait = &self.gait;
        let wave = |cycles: f64, peak: f64| ops::cos(TAU * cycles * (moment.phase - peak));
        let size = moment.vigour * moment.growth;
        let still = 1.0 - moment.vigour;
        let slow = |hz: f64| ops::sin(TAU * hz * moment.time_secs);
        let turn = facing(
            -size * gait.pelvis_yaw * wave(1.0, -0.31),
            0.06 + moment.vigour * (0.25 * gait.lean + 0.01 * wave(2.0, 0.2)),
            size * gait.pelvis_list * wave(1.0, -0.14) - 0.25 * gait.bank * moment.vigour,
        );
        let place = DVec3::new(
            size * gait.sway * wave(1.0, 0.0) + 0.1 * gait.bank * moment.vigour + still * 0.004 * slow(0.13),
            size * gait.bob * wave(2.0, -0.03),
            size * gait.surge * wave(2.0, 0.2) + still * 0.003 * slow(0.21),
        );
        Rigid::new(turn, place)
    }

    /// Returns the greatest height of the hips at which no leg is stretched beyond its reach; minus infinity if there is none.
    fn highest_hips(&self) -> f64 {
        let reach = self.gait.leg_reach * (THIGH_METRES + SHANK_METRES);
        let samples = (self.gait_length_secs / self.path.period_secs * SAMPLES_PER_CYCLE).ceil();
        let mut highest = HIPS_REST_HEIGHT_METRES;
        for sample in 0..=samples as usize {
            let moment = self.moment(self.path.time_secs(self.gait_length_secs * sample as f64 / samples));
            // Near standing there is no stride to reach for.
            if moment.readiness < 0.02 {
                continue;
            }
            let pelvis = self.pelvis(&moment);
            for side in Side::BOTH {
                let ankle = moment
                    .root
                    .inverse()
                    .transform_point(self.footsteps().foot(side, moment.phase).ankle);
                let hip = pelvis.transform_point(hip_offset(side));
                let (across, along) = (ankle.x - hip.x, ankle.z - hip.z);
                let below_squared = reach * reach - across * across - along * along;
                if below_squared <= 0.0 {
                    return f64::NEG_INFINITY;
                }
                let allowed = ankle.y + below_squared.sqrt() - hip.y - moment.sunk;
                highest = highest.min((allowed - standing_height() * (1.0 - moment.readiness)) / moment.readiness);
            }
        }
        highest
    }

    /// Spine, neck and head: the chest rotates against the pelvis, the head stays level.
    fn set_trunk(&self, pose: &mut Pose, moment: &Moment, pelvis: DQuat) {
        let gait = &self.gait;
        let size = moment.vigour * moment.growth;
        let wave = |cycles: f64, peak: f64| ops::cos(TAU * cycles * (moment.phase - peak));
        let breath = ops::sin(TAU * 0.23 * moment.time_secs) * (1.0 - moment.vigour);
        let chest = facing(
            size * gait.chest_yaw * wave(1.0, -0.25) + 0.3 * gait.gaze * moment.vigour,
            0.03 + moment.vigour * gait.lean + 0.012 * size * wave(2.0, 0.3) + 0.008 * breath,
            -0.3 * size * gait.pelvis_list * wave(1.0, -0.14) - gait.bank * moment.vigour,
        );
        let head = facing(
            moment.vigour * gait.gaze + 0.15 * size * gait.chest_yaw * wave(1.0, -0.25),
            0.02 + 0.012 * size * wave(2.0, 0.45),
            -0.3 * gait.bank * moment.vigour,
        );
        let bend = rotation::log(pelvis.conjugate() * chest) / 3.0;
        for part in [joint::SPINE, joint::SPINE1, joint::SPINE2] {
            pose.rotations[part] = rotation::exp(bend);
        }
        let nod = rotation::log(chest.conjugate() * head) / 2.0;
        for part in [joint::NECK, joint::HEAD] {
            pose.rotations[part] = rotation::exp(nod);
        }
    }

    /// Arms hang down and swing opposite to the legs: an arm is ahead when the other side's leg is.
    fn set_arm(&self, pose: &mut Pose, moment: &Moment, side: Side) {
        let gait = &self.gait;
        let size = moment.vigour * moment.growth;
        // The left arm is furthest ahead shortly after the right foot's heel strike.
        let peak = side.of([0.23, -0.27]);
        let wave = |lag: f64| ops::cos(TAU * (moment.phase - peak - lag));
        let swing = size * (gait.arm_swing * wave(0.0)) - 0.1 * moment.vigour * gait.arm_swing;
        let elbow = 0.22 * (1.0 - moment.vigour)
            + (1.0 + (moment.growth - 1.0) * moment.vigour)
                * moment.vigour
                * (gait.elbow + gait.elbow_swing * wave(0.05));
        let sign = side.sign();
        let shoulder = side.shoulder();
        pose.rotations[shoulder] = rotation::exp(DVec3::new(
            0.0,
            -sign * 0.15 * swing,
            -sign * (0.04 + 0.02 * size * wave(0.0)),
        ));
        // From the T-pose an arm along +-X comes down by a rotation about Z, and swings ahead by one about -X.
        pose.rotations[shoulder + 1] = rotation::exp(DVec3::Y * (-sign * 0.18))
            * rotation::exp(DVec3::X * -(swing + 0.04))
            * rotation::exp(DVec3::Z * (-sign * 1.43));
        pose.rotations[shoulder + 2] = rotation::exp(DVec3::Y * (-sign * elbow));
        pose.rotations[shoulder + 3] = rotation::exp(DVec3::new(
            0.0,
            -sign * (0.08 + 0.1 * size * gait.arm_swing * wave(0.12)),
            sign * 0.02,
        ));
        pose.rotations[shoulder + 4] = rotation::exp(DVec3::new(0.0, 0.0, -sign * 0.35));
    }
}

/// Hip and knee, such that the ankle is there; returns the rotation that takes the foot back to the axes of the body.
pub(crate) fn set_leg(pose: &mut Pose, side: Side, hips: Rigid, ankle: DVec3, forward: DVec3) -> DQuat {
    let [thigh, shank] = ik::solve(
        hips.transform_point(hip_offset(side)),
        ankle,
        THIGH_METRES,
        SHANK_METRES,
        forward,
    );
    let up_leg = side.up_leg();
    pose.rotations[up_leg] = hips.rotation.conjugate() * thigh;
    pose.rotations[up_leg + 1] = thigh.conjugate() * shank;
    shank.conjugate()
}

/// Returns the height of the hips above the ground while standing.
pub(crate) fn standing_height() -> f64 {
    HIPS_REST_HEIGHT_METRES - (1.0 - STANDING_REACH_SHARE) * (THIGH_METRES + SHANK_METRES)
}

fn hip_offset(side: Side) -> DVec3 {
    DVec3::new(side.sign() * HIP_ASIDE_METRES, -HIP_BELOW_METRES, 0.0)
}

/// Left turn, then forward lean, then list with the left side up.
fn facing(yaw: f64, lean: f64, list: f64) -> DQuat {
    rotation::from_yaw(yaw) * rotation::exp(DVec3::X * lean) * rotation::exp(DVec3::Z * list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_settings;

    #[test]
    fn ankles_and_soles_reach_where_the_feet_are() {
        for seed in 0..200 {
            let settings = random_settings(seed);
            let walker = Walker::new(&settings).unwrap();
            let mut longest = 0.0_f64;
            let last_secs = (settings.num_frames() - 1) as f64 / settings.frame_rate_hz;
            for i in 0..300 {
                let time_secs = last_secs * f64::from(i) / 299.0;
                let Pose {
                    translations: positions,
                    rotations: turns,
                } = walker.pose_at(time_secs).world(&walker.skeleton);
                for side in Side::BOTH {
                    let foot = walker.footsteps().foot(side, walker.moment(time_secs).phase);
                    let ankle = side.up_leg() + 2;
                    assert!(
                        (positions[ankle] - foot.ankle).length() < 1e-9,
                        "seed {seed}, {time_secs} s"
                    );
                    let sole = footstep::rotation_of(&foot);
                    assert!(
                        rotation::difference(turns[ankle], sole).length() < 1e-9,
                        "seed {seed}, {time_secs} s"
                    );
                    longest = longest.max((positions[ankle] - positions[side.up_leg()]).length());
                }
            }
            // Between the samples that set the height, a leg may come slightly closer to straight.
            let share = longest / (THIGH_METRES + SHANK_METRES);
            assert!((0.99..0.9985).contains(&share), "seed {seed}: {share}");
        }
    }

    #[test]
    fn a_stride_beyond_the_legs_is_refused() {
        let settings = WalkSettings::default().speed_mps(6.0).period_secs(3.0);
        assert!(matches!(Walker::new(&settings), Err(SynthError::OutOfReach { .. })));
    }
}
