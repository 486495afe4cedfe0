//! The truth about a synthetic take: phase, contacts and root motion.

use loopwright_core::math::{Rigid, Twist};
use serde::{Deserialize, Serialize};

use crate::{WalkSettings, body::Side, footstep::Footsteps, path::Path};

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
    /// Share of the cycle for which a foot is on the ground, heel strike to toe-off, in full stride.
    pub duty_factor: f64,
    /// Linear part of the nominal twist, metres per second in the root's axes.
    pub linear_mps: [f64; 3],
    /// Angular part of the nominal twist, radians per second; +Y turns left.
    pub angular_rps: [f64; 3],
    /// Phase per frame in cycles, unwrapped; the left foot's stance is centred on whole numbers, the right's on halves.
    pub phases: Vec<f64>,
    /// All times on the ground that overlap the take, in order of strike.
    pub stays: Vec<TrueStay>,
    /// All contacts that overlap the take, by start frame.
    pub contacts: Vec<TrueContact>,
    path: Path,
}

/// One time of a foot on the ground, from the touch of its heel until its toes leave; times are exact, not rounded to frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueStay {
    /// Name of the foot's joint, the ankle.
    pub foot: String,
    /// Seconds at which the heel touches; none if the foot stands at the take's first clean frame.
    pub strike_secs: Option<f64>,
    /// Seconds at which the toes leave; none if the foot stands at the take's last frame.
    pub lift_secs: Option<f64>,
}

/// A span in which a joint does not move.
///
/// A foot has two per stance. The ball joint (`LeftToeBase`) is planted from foot-flat to toe-off; the ankle
/// (`LeftFoot`) from foot-flat to heel rise, while the foot is flat. Between heel strike and foot-flat the foot rolls about
/// its heel, where there is no joint.
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
    pub(crate) fn new(settings: &WalkSettings, footsteps: &Footsteps<'_>) -> Self {
        let path = footsteps.path;
        let num_frames = settings.num_frames();
        let phases: Vec<f64> = (0..num_frames)
            .map(|frame| path.phase(path.gait_secs(frame as f64 / settings.frame_rate_hz)))
            .collect();
        let first_frame = if settings.t_pose_first_frame { 1.0 } else { 0.0 };
        let last_frame = (num_frames - 1) as f64;
        let frame_at = |phase: f64| path.time_secs(path.gait_secs_at_phase(phase)) * settings.frame_rate_hz;
        let (mut stays, mut contacts) = (Vec::new(), Vec::new());
        // A stance is shorter than a cycle.
        let first = (2.0 * (phases[0] - 1.0)).floor() as i64;
        let last = (2.0 * (phases[num_frames - 1] + 1.0)).ceil() as i64;
        for index in first..=last {
            let step = footsteps.footstep(index);
            let side = if step.side == Side::Left { "Left" } else { "Right" };
            let [strike, off] = [step.strike_phase, step.off_phase].map(frame_at);
            if strike < last_frame && off > first_frame {
                let secs = |frame: f64| Some(frame / settings.frame_rate_hz);
                stays.push(TrueStay {
                    foot: format!("{side}Foot"),
                    strike_secs: secs(strike).filter(|_| strike > first_frame),
                    lift_secs: secs(off).filter(|_| off < last_frame),
                });
            }
            for (joint, end_phase, position) in [
                ("Foot", step.rise_phase, step.ankle()),
                ("ToeBase", step.off_phase, step.ball()),
            ] {
                let start_frame = frame_at(step.flat_phase).max(first_frame);
                let end_frame = frame_at(end_phase).min(last_frame);
                if start_frame < end_frame {
                    contacts.push(TrueContact {
                        joint: format!("{side}{joint}"),
                        start_frame,
                        end_frame,
                        position: position.to_array(),
                    });
                }
            }
        }
        contacts.sort_by(|one, other| one.start_frame.total_cmp(&other.start_frame));
        let twist = path.twist();
        Self {
            settings: settings.clone(),
            period_secs: path.period_secs(),
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
