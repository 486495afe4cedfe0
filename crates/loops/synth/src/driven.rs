//! A body driven by a character controller: its velocity and facing follow stepwise commands on critically damped springs, so
//! the half-lives are known exactly.
//!
//! The body glides upright without moving its limbs. It serves the fit of controllers, which uses only the path and the facing.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_core::{
    Take,
    math::{Spring, decay_rate, ops, rotation},
};

use crate::{
    SynthError,
    body::{self, joint},
    noise::Noise,
    settings::{check_ranges, check_size, num_frames},
    take_of,
};

/// A command to the body, valid from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Seconds from the first frame.
    pub at_secs: f64,
    /// Commanded velocity over the ground in the world, x and z, metres per second.
    pub velocity_mps: [f64; 2],
    /// Commanded facing, degrees from +Z, left positive; not wrapped, so full turns count.
    pub facing_deg: f64,
}

/// A driven body to synthesize. By default it stands, walks ahead, turns left, runs, turns around, and stops.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSettings {
    /// Seed of the noise: the same seed gives the same bits.
    pub seed: u64,
    /// Length of the take in seconds, first frame to last.
    pub seconds: f64,
    /// Frames per second.
    pub frame_rate_hz: f64,
    /// Half-life of the velocity's spring, seconds.
    pub velocity_half_life_secs: f64,
    /// Half-life of the facing's spring, seconds.
    pub facing_half_life_secs: f64,
    /// Commands in order of time; before the first, the body stands at the origin and faces +Z.
    pub commands: Vec<Command>,
    /// Metres by which the hips sway to either side of the path with every stride and ahead with every step, at full size from
    /// 1 m/s on.
    pub sway_metres: f64,
    /// Standard deviation of sensor noise in degrees on each joint; 5 mm per degree on the root's position.
    pub noise_deg: f64,
}

impl Default for DriveSettings {
    fn default() -> Self {
        let command = |at_secs, velocity_mps, facing_deg| Command {
            at_secs,
            velocity_mps,
            facing_deg,
        };
        Self {
            seed: 7,
            seconds: 24.0,
            frame_rate_hz: 60.0,
            velocity_half_life_secs: 0.4,
            facing_half_life_secs: 0.3,
            commands: vec![
                command(2.0, [0.0, 1.4], 0.0),
                command(6.0, [1.4, 0.0], 90.0),
                command(10.0, [3.6, 0.0], 90.0),
                command(14.5, [-1.4, 0.0], 270.0),
                command(20.0, [0.0, 0.0], 270.0),
            ],
            sway_metres: 0.0,
            noise_deg: 0.0,
        }
    }
}

/// Strides per second of the sway.
const STRIDES_HZ: f64 = 0.9;

/// Makes a driven take.
///
/// Frame n is the body at n / `frame_rate_hz` seconds; position, velocity and facing follow the springs exactly.
/// Errors: settings out of range or too large.
pub fn drive(settings: &DriveSettings) -> Result<Take, SynthError> {
    settings.check()?;
    let rest = body::rest_pose(&body::skeleton());
    let mut noise = Noise::new(settings.seed);
    let mut driven = Driven::default();
    let mut commands = settings.commands.iter().peekable();
    let poses = (0..num_frames(settings.seconds, settings.frame_rate_hz)).map(|frame| {
        let secs = frame as f64 / settings.frame_rate_hz;
        while let Some(command) = commands.next_if(|command| command.at_secs <= secs) {
            driven.advance(command.at_secs, settings);
            driven.asked = Some(*command);
        }
        driven.advance(secs, settings);
        let mut pose = rest.clone();
        pose.translations[joint::HIPS] += driven.position + driven.sway(settings.sway_metres);
        pose.rotations[joint::HIPS] = rotation::from_yaw(driven.facing[0]);
        noise.disturb(&mut pose, settings.noise_deg);
        pose
    });
    take_of("synthetic-drive", settings.frame_rate_hz, poses)
}

/// The body at a time.
#[derive(Default)]
struct Driven {
    secs: f64,
    asked: Option<Command>,
    position: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    /// Facing and turn rate, radians.
    facing: [f64; 2],
}

impl Driven {
    /// Advances to a time under the current command.
    fn advance(&mut self, to_secs: f64, settings: &DriveSettings) {
        let secs = to_secs - self.secs;
        self.secs = to_secs;
        let Some(asked) = self.asked else { return };
        let goal = DVec3::new(asked.velocity_mps[0], 0.0, asked.velocity_mps[1]);
        let y = decay_rate(settings.velocity_half_life_secs);
        // The path is the integral of the spring: e^(-y t) (j0 + j1 t) has -e^(-y t) ((j0 + j1 t)/y + j1/y^2).
        let (offset, slope) = (self.velocity - goal, self.acceleration + y * (self.velocity - goal));
        self.position +=
            goal * secs + (offset + slope / y) / y - ops::exp(-y * secs) * (offset + slope * (secs + 1.0 / y)) / y;
        let states: [_; 3] = core::array::from_fn(|axis| {
            Spring {
                value: self.velocity[axis],
                rate: self.acceleration[axis],
                goal: goal[axis],
                half_life_secs: settings.velocity_half_life_secs,
            }
            .at(secs)
        });
        self.velocity = DVec3::from_array(states.map(|state| state.value));
        self.acceleration = DVec3::from_array(states.map(|state| state.rate));
        let facing = Spring {
            value: self.facing[0],
            rate: self.facing[1],
            goal: asked.facing_deg.to_radians(),
            half_life_secs: settings.facing_half_life_secs,
        }
        .at(secs);
        self.facing = [facing.value, facing.rate];
    }

    /// Returns the sway of the gait: to the side with every stride, ahead with every step.
    fn sway(&self, metres: f64) -> DVec3 {
        let angle = TAU * STRIDES_HZ * self.secs;
        rotation::from_yaw(self.facing[0])
            * DVec3::new(ops::sin(angle), 0.0, 0.5 * ops::sin(2.0 * angle))
            * (metres * self.velocity.length().min(1.0))
    }
}

impl DriveSettings {
    /// Checks every field. Errors: [`SynthError::OutOfRange`], [`SynthError::TooLarge`].
    fn check(&self) -> Result<(), SynthError> {
        let mut ranges = vec![
            ("seconds", self.seconds, 0.0, 1e6),
            ("frame_rate_hz", self.frame_rate_hz, 1.0, 10_000.0),
            ("velocity_half_life_secs", self.velocity_half_life_secs, 1e-3, 100.0),
            ("facing_half_life_secs", self.facing_half_life_secs, 1e-3, 100.0),
            ("sway_metres", self.sway_metres, 0.0, 1.0),
            ("noise_deg", self.noise_deg, 0.0, 45.0),
        ];
        let mut before = 0.0;
        for command in &self.commands {
            ranges.push(("at_secs", command.at_secs, before, 1e6));
            ranges.extend(command.velocity_mps.map(|speed| ("velocity_mps", speed, -100.0, 100.0)));
            ranges.push(("facing_deg", command.facing_deg, -1e6, 1e6));
            before = command.at_secs;
        }
        check_ranges(&ranges)?;
        check_size(self.seconds, self.frame_rate_hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path is the integral of the velocity, and the velocity follows the command.
    #[test]
    fn the_body_arrives_where_the_springs_lead() {
        let settings = DriveSettings::default();
        let take = drive(&settings).unwrap();
        let hips = |secs: f64| take.translations((secs * settings.frame_rate_hz) as usize)[joint::HIPS];
        // Long after a command the lag behind it is 2/y times the change.
        let lag = 2.0 / decay_rate(settings.velocity_half_life_secs);
        assert!((hips(5.9).z - 1.4 * (3.9 - lag)).abs() < 1e-4, "{}", hips(5.9));
        let dt = 1.0 / settings.frame_rate_hz;
        let speed = (hips(9.0) - hips(9.0 - dt)).length() / dt;
        assert!((speed - 1.4).abs() < 1e-3, "{speed}");
        assert_eq!(drive(&settings).unwrap(), take);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let refused = |change: fn(&mut DriveSettings)| {
            let mut settings = DriveSettings::default();
            change(&mut settings);
            drive(&settings).unwrap_err()
        };
        assert!(matches!(
            refused(|settings| settings.velocity_half_life_secs = 0.0),
            SynthError::OutOfRange {
                setting: "velocity_half_life_secs",
                ..
            }
        ));
        assert!(matches!(
            refused(|settings| settings.commands[1].at_secs = 1.0),
            SynthError::OutOfRange { setting: "at_secs", .. }
        ));
        assert!(matches!(
            refused(|settings| settings.seconds = 1e5),
            SynthError::TooLarge { .. }
        ));
    }
}
