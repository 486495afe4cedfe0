//! The least visible closure: a small grid of methods and parameters, the lowest score chosen.
//!
//! [`ShapeKind::Least`] is not in the grid: it is beaten by quintics (docs/math/shapes.md).

use core::fmt;

use super::{LoopSettings, MakeError, completed_for, finish, prepare};
use crate::analysis::Analysis;
use crate::analysis::body::Body;
use crate::analysis::seam_peak::{self, floor, second_difference};
use crate::candidate::LoopCandidate;
use crate::closure::{DEFAULT_BLEND_SECS, Method, Shape, ShapeKey, ShapeKind};
use crate::feet::FootLock;
use crate::loop_clip::{LoopClip, LoopKeys};
use crate::quality::{self, Quality};
use crate::root_motion::RootRelativeClip;

/// The visibility of a closure, with its parts in comparable units; less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct Score {
    /// Mean distance of joints from the uncut take, metres.
    pub displacement_metres: f64,
    /// Speed of standing feet, metres per second; 0 where there are none.
    pub foot_slide_mps: f64,
    /// Size of the seam acceleration error.
    pub acceleration_error: f64,
    /// Mean excess of the sharpest accelerations of feet and hands over the 99th percentile of the take's own.
    pub added_peaks: f64,
}

/// One centimetre of displacement, 2 cm/s of foot sliding and an acceleration error of a tenth count as much as doubled peaks.
const DISPLACEMENT_METRES: f64 = 0.01;
const FOOT_SLIDE_MPS: f64 = 0.02;
const ACCELERATION_ERROR: f64 = 0.1;

impl Score {
    /// The sum of the parts in their units.
    pub fn total(&self) -> f64 {
        self.displacement_metres / DISPLACEMENT_METRES
            + self.foot_slide_mps / FOOT_SLIDE_MPS
            + self.acceleration_error / ACCELERATION_ERROR
            + self.added_peaks
    }
}

/// The chosen method and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosureChoice {
    /// The method, adjusted to the loop.
    pub method: Method,
    /// Its score.
    pub score: Score,
    /// Number of methods tried.
    pub tried: usize,
    /// The score of the default method.
    pub default_score: Score,
}

impl fmt::Display for ClosureChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([name, _], [secs, _]) = (self.method.names(), self.method.secs());
        write!(
            f,
            "closed by {name} over {secs:.2} s, the least visible of {} methods: {:.1} mm off the take, foot sliding {:.1} cm/s, seam \
             acceleration error {:.3}, peaks +{:.0}%; score {:.2}, that of the default {:.2}",
            self.tried,
            1e3 * self.score.displacement_metres,
            1e2 * self.score.foot_slide_mps,
            self.score.acceleration_error,
            1e2 * self.score.added_peaks,
            self.score.total(),
            self.default_score.total()
        )
    }
}

/// Blend times tried, seconds.
const BLENDS: [f64; 4] = [0.2, 0.25, 0.4, 0.5];

/// Half-lives of springs tried, seconds.
const HALF_LIVES: [f64; 2] = [0.1, 0.15];

/// The methods tried: the default first, which wins if scores are equal.
fn methods(asked: &Method) -> Vec<Method> {
    let like = |method: Method| Method {
        shares: asked.shares,
        order: asked.order,
        ..method
    };
    let mut methods = vec![like(Method::default())];
    for blend_secs in BLENDS {
        methods.push(like(Method::new(Shape::new(ShapeKind::Quintic, blend_secs))));
        methods.push(like(Method::new(Shape::new(ShapeKind::Cubic, blend_secs))));
        methods.push(like(Method::crossfade(blend_secs)));
    }
    for half_life_secs in HALF_LIVES {
        methods.push(like(Method::new(Shape::new(ShapeKind::Spring, half_life_secs))));
    }
    let blend_secs = DEFAULT_BLEND_SECS;
    methods.push(like(Method::new(Shape::new(ShapeKind::Linear, blend_secs))));
    methods.push(like(Method::new(Shape::new(ShapeKind::Adjustment, blend_secs))));
    methods.push(like(Method::new(
        Shape::new(ShapeKind::SoftFade, 0.4)
            .with(ShapeKey::Hardness, 16.0)
            .with(ShapeKey::VelocityBlend, 0.4),
    )));
    methods
}

/// As [`Analysis::choose_closure`].
pub(crate) fn choose_closure(
    analysis: &Analysis,
    candidate: &LoopCandidate,
    settings: &LoopSettings,
) -> Result<ClosureChoice, MakeError> {
    let settings = &*settings.of_take();
    let analysis = &*completed_for(analysis, candidate);
    let source = prepare(analysis, candidate, settings)?;
    let watched = Watched::of(&source.source, &analysis.body);
    let mut best: Option<(bool, ClosureChoice)> = None;
    let mut seen: Vec<Method> = Vec::new();
    let mut default_score = Score::default();
    for method in methods(&settings.closure.method) {
        let mut settings = settings.clone();
        settings.closure.method = method;
        // Held feet do not slide under any method, so methods are compared by how much there is to correct.
        settings.feet.lock = FootLock::Off;
        let made = finish(analysis, candidate, source.clone(), &settings)?;
        // Methods adjusted to the loop, or without frames to blend into, may repeat an earlier one.
        if seen.contains(&made.closed.method) {
            continue;
        }
        let is_default = seen.is_empty();
        seen.push(made.closed.method);
        let quality = quality::measure(
            &LoopKeys::from_loop(&made.loop_clip),
            &analysis.body,
            Some(&made.source),
        );
        let score = watched.score(&made.loop_clip, &quality);
        if is_default {
            default_score = score;
        }
        let shows = quality.pops();
        let is_better = |(best_shows, best): (bool, ClosureChoice)| {
            if shows == best_shows {
                score.total() < best.score.total()
            } else {
                best_shows
            }
        };
        if best.is_none_or(is_better) {
            let choice = ClosureChoice {
                method: made.closed.method,
                score,
                tried: 0,
                default_score,
            };
            best = Some((shows, choice));
        }
    }
    // The list is never empty.
    let best = best.map_or(
        ClosureChoice {
            method: settings.closure.method,
            score: Score::default(),
            tried: 0,
            default_score,
        },
        |(_, best)| best,
    );
    Ok(ClosureChoice {
        tried: seen.len(),
        ..best
    })
}

/// Feet and hands, with the 99th percentile of their accelerations in the uncut take.
struct Watched {
    joints: Vec<(usize, f64)>,
}

impl Watched {
    fn of(source: &RootRelativeClip, body: &Body) -> Self {
        let world = source.clip.world_tracks();
        let first = source.clip.sample_range().start().unsigned_abs();
        let inside = first + 1..first + source.clip.num_intervals();
        let feet = body.feet.iter().map(crate::analysis::body::Foot::lowest_joint);
        let joints = feet.chain(body.hands.iter().copied());
        Self {
            joints: joints
                .map(|joint| {
                    let size = |frame: usize| {
                        let around = [frame + 1, frame, frame - 1].map(|frame| world.position(frame, joint));
                        second_difference(around).length()
                    };
                    let sizes = inside.clone().map(size).collect();
                    (joint, seam_peak::usual(sizes, floor::ROUNDING_METRES))
                })
                .collect(),
        }
    }

    fn score(&self, clip: &LoopClip, quality: &Quality) -> Score {
        let count = clip.num_samples();
        let world = clip.tracks_from_root();
        let peak = |joint: usize| {
            let size = |sample: usize| {
                let around = [sample + 2, sample + 1, sample].map(|sample| world.position(sample % count, joint));
                second_difference(around).length()
            };
            (0..count).map(size).fold(0.0, f64::max)
        };
        let added: f64 = self
            .joints
            .iter()
            .map(|&(joint, usual)| (peak(joint) / usual - 1.0).max(0.0))
            .sum();
        Score {
            displacement_metres: quality.displacement_metres.unwrap_or(0.0),
            foot_slide_mps: quality.foot_slide_mps.unwrap_or(0.0),
            acceleration_error: quality.seam_acceleration_error_ratio.unwrap_or(0.0).abs(),
            added_peaks: added / self.joints.len().max(1) as f64,
        }
    }
}
