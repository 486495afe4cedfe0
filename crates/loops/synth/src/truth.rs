//! The truth about a synthetic take: phase, contacts and root motion.

use glam::DVec3;
use loopwright_core::math::{Rigid, Twist};
use serde::{Deserialize, Serialize};

use crate::{
    WalkSettings,
    body::{ANKLE, BALL, HEEL, TIP},
    footstep::Footsteps,
    path::Path,
};

/// The truth about a take, before noise.
///
/// Times are seconds from frame 0, frames may be fractional. The root is the heading frame on the ideal path: on the
/// ground below the walker (at the height of the slope or stairs where it climbs), +Z ahead, starting at the origin with
/// yaw 0. In full stride it moves by one constant twist in gait time, so it runs on the arc exactly; where the path turns for a
/// part of the walk only, it runs straight before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The settings of the walk.
    pub settings: WalkSettings,
    /// Nominal seconds of a cycle; exact if nothing varies the rate.
    pub period_secs: f64,
    /// Share of the cycle for which a foot is on the ground, strike to lift, in full stride.
    pub duty_factor: f64,
    /// Linear part of the nominal twist, metres per second in the root's axes.
    pub linear_mps: [f64; 3],
    /// Angular part of the nominal twist, radians per second; +Y turns left.
    pub angular_rps: [f64; 3],
    /// Phase per frame in cycles, unwrapped; the left foot's stance is centred on whole numbers, the right's on halves.
    pub phases: Vec<f64>,
    /// All times on the ground that overlap the take, in order of strike.
    pub stays: Vec<TrueStay>,
    /// All spans in which a joint of a foot is at rest and that overlap the take, by start frame.
    pub contacts: Vec<TrueContact>,
    path: Path,
}

/// One time of a foot on the ground, from the touch of its heel until the tip of its toes leaves.
///
/// Times are exact, not rounded to frames. The heel bears first, ball and tip from foot-flat on; heel, ball and tip leave one
/// after the other. A point that bears does not move, but for the heel, which stops in the first 12 ms (25 in runs).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueStay {
    /// Name of the foot's joint, the ankle.
    pub foot: String,
    /// Seconds at which the heel touches; none if the foot stands at the take's first clean frame.
    pub strike_secs: Option<f64>,
    /// Seconds at which the tip leaves; none if the foot stands at the take's last frame.
    pub lift_secs: Option<f64>,
    /// The heel, on the ground 50 mm behind the ankle; none if it does not bear within the take.
    pub heel: Option<TrueBearing>,
    /// The ball, at the joint of the toes (`LeftToeBase`), 25 mm above the ground.
    pub ball: Option<TrueBearing>,
    /// The tip of the toes, at the end of that joint's bone, 15 mm above the ground.
    pub tip: Option<TrueBearing>,
}

/// A span in which a point of a foot bears.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueBearing {
    /// Seconds at which it touches down, the take's first clean frame at the earliest.
    pub start_secs: f64,
    /// Seconds at which it leaves, the take's last frame at the latest.
    pub end_secs: f64,
    /// Position at rest in the world, metres.
    pub position: [f64; 3],
}

/// A span in which a joint does not move: the ball joint (`LeftToeBase`) while the ball bears, the ankle (`LeftFoot`) while the
/// foot is flat. A foot has one of each per stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueContact {
    /// Name of the joint.
    pub joint: String,
    /// Frame at which it comes to rest, fractional; the take's first clean frame if it is already at rest there.
    pub start_frame: f64,
    /// Frame at which it leaves, fractional; the take's last frame if it is still at rest there.
    pub end_frame: f64,
    /// Position at rest in the world, metres.
    pub position: [f64; 3],
}

impl Truth {
    pub(crate) fn new(settings: &WalkSettings, footsteps: &Footsteps) -> Self {
        let path = footsteps.path;
        let num_frames = settings.num_frames();
        let phases: Vec<f64> = (0..num_frames)
            .map(|frame| path.phase(path.gait_secs(frame as f64 / settings.frame_rate_hz)))
            .collect();
        let (stays, mut contacts) = on_the_ground(settings, footsteps, [phases[0], phases[num_frames - 1]]);
        contacts.sort_by(|one, other| one.start_frame.total_cmp(&other.start_frame));
        let twist = path.twist();
        Self {
            settings: settings.clone(),
            period_secs: path.period_secs,
            duty_factor: footsteps.gait.duty,
            linear_mps: twist.linear.to_array(),
            angular_rps: twist.angular.to_array(),
            phases,
            stays,
            contacts,
            path: path.clone(),
        }
    }

    /// Returns the phase in cycles, unwrapped, at any time.
    pub fn phase_at(&self, time_secs: f64) -> f64 {
        self.path.phase(self.path.gait_secs(time_secs))
    }

    /// Returns the time at which the phase is `phase`; for a span of standing, its end.
    pub fn time_at_phase(&self, phase: f64) -> f64 {
        self.path.time_secs(self.path.gait_secs_at_phase(phase))
    }

    /// Returns the seconds from a time until the phase has grown by `cycles`: the period there, when `cycles` is one.
    pub fn period_from(&self, start_secs: f64, cycles: f64) -> f64 {
        self.time_at_phase(self.phase_at(start_secs) + cycles) - start_secs
    }

    /// Returns the noise-free ideal root in the world at any time.
    pub fn root_at(&self, time_secs: f64) -> Rigid {
        self.path.root(self.travel_secs(time_secs))
    }

    /// Yaw of the root at any time, radians, left positive, unwrapped.
    pub fn yaw_at(&self, time_secs: f64) -> f64 {
        self.path.yaw(self.travel_secs(time_secs))
    }

    /// Returns the nominal twist of the root in full stride.
    pub fn twist(&self) -> Twist {
        self.path.twist()
    }

    fn travel_secs(&self, time_secs: f64) -> f64 {
        self.path.travel_secs(self.path.gait_secs(time_secs))
    }
}

/// Returns the times on the ground and the spans at rest that overlap a take between two phases.
fn on_the_ground(
    settings: &WalkSettings,
    footsteps: &Footsteps,
    [first_phase, last_phase]: [f64; 2],
) -> (Vec<TrueStay>, Vec<TrueContact>) {
    let path = footsteps.path;
    let first_secs = f64::from(u8::from(settings.t_pose_first_frame)) / settings.frame_rate_hz;
    let last_secs = (settings.num_frames() - 1) as f64 / settings.frame_rate_hz;
    let secs_at = |phase: f64| path.time_secs(path.gait_secs_at_phase(phase));
    let bearing = |point: DVec3, start_phase: f64, end_phase: f64| {
        let (start_secs, end_secs) = (secs_at(start_phase).max(first_secs), secs_at(end_phase).min(last_secs));
        (start_secs < end_secs).then(|| TrueBearing {
            start_secs,
            end_secs,
            position: point.to_array(),
        })
    };
    let (mut stays, mut contacts) = (Vec::new(), Vec::new());
    // A stance is shorter than a cycle.
    for index in (2.0 * (first_phase - 1.0)).floor() as i64..=(2.0 * (last_phase + 1.0)).ceil() as i64 {
        let step = footsteps.footstep(index);
        let (strike_secs, lift_secs) = (secs_at(step.strike_phase), secs_at(step.off_phase));
        if strike_secs >= last_secs || lift_secs <= first_secs {
            continue;
        }
        let side = step.side.name();
        let foot = format!("{side}Foot");
        let ball = bearing(step.planted(BALL), step.flat_phase, step.ball_phase);
        let ankle = bearing(step.planted(ANKLE), step.flat_phase, step.rise_phase);
        for (joint, rest) in [(foot.clone(), ankle), (format!("{side}ToeBase"), ball)] {
            contacts.extend(rest.map(|rest| TrueContact {
                joint,
                start_frame: rest.start_secs * settings.frame_rate_hz,
                end_frame: rest.end_secs * settings.frame_rate_hz,
                position: rest.position,
            }));
        }
        stays.push(TrueStay {
            foot,
            strike_secs: Some(strike_secs).filter(|&secs| secs >= first_secs),
            lift_secs: Some(lift_secs).filter(|&secs| secs <= last_secs),
            heel: bearing(step.planted(HEEL), step.strike_phase, step.rise_phase),
            ball,
            tip: bearing(step.planted(TIP), step.flat_phase, step.off_phase),
        });
    }
    (stays, contacts)
}
