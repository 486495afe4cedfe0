//! Chooses the least visible closure: the lowest score in a small grid of methods and parameters.
//!
//! [`ShapeKind::Least`] is not in the grid, because quintics score better (docs/math/shapes.md).

use core::fmt;

use super::{LoopSettings, MakeError, Plan, completed_for};
use crate::{
    analysis::{
        Analysis, Body, Foot,
        seam_peak::{self, floor, second_difference},
    },
    candidate::LoopCandidate,
    closure::{DEFAULT_BLEND_SECS, Method, Shape, ShapeKind},
    feet::FootLock,
    loop_clip::LoopClip,
    math::{greatest, ordered},
    motion::WorldTracks,
    quality::Quality,
    root_motion::RootRelativeClip,
};

/// The visibility of a closure, with its parts in comparable units; less is better.
#[handed_over(Copy, Default)]
pub struct Score {
    /// Mean distance of joints from the uncut take, metres.
    pub displacement_metres: f64,
    /// Speed of standing feet, metres per second; 0 if there are none.
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
    /// Returns the sum of the parts in their units.
    pub fn total(&self) -> f64 {
        self.displacement_metres / DISPLACEMENT_METRES
            + self.foot_slide_mps / FOOT_SLIDE_MPS
            + self.acceleration_error / ACCELERATION_ERROR
            + self.added_peaks
    }
}

/// The chosen method and its score.
#[handed_over(Copy)]
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
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
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

/// Returns the methods tried: the default first, which wins if scores are equal.
fn methods(asked: &Method) -> Vec<Method> {
    let of = |kind, secs| Method::new(Shape::new(kind, secs));
    let mut methods = vec![Method::default()];
    for secs in BLENDS {
        methods.extend([
            of(ShapeKind::Quintic, secs),
            of(ShapeKind::Cubic, secs),
            Method::crossfade(secs),
        ]);
    }
    methods.extend(HALF_LIVES.map(|secs| of(ShapeKind::Spring, secs)));
    methods.extend([ShapeKind::Linear, ShapeKind::Adjustment].map(|kind| of(kind, DEFAULT_BLEND_SECS)));
    methods.push(of(ShapeKind::SoftFade, 0.4));
    for method in &mut methods {
        (method.shares, method.order) = (asked.shares, asked.order);
    }
    methods
}

impl Analysis {
    /// Tries a grid of closing methods on a stretch and returns the one with the lowest score, preferably among those whose seam
    /// does not show.
    ///
    /// All other `settings` are kept, including methods of single joints. Errors: those of [`Self::make_loop`].
    pub fn choose_closure(
        &self,
        candidate: &LoopCandidate,
        settings: &LoopSettings,
    ) -> Result<ClosureChoice, MakeError> {
        let settings = &*settings.of_take();
        let analysis = &*completed_for(self, candidate);
        let plan = Plan {
            analysis,
            candidate,
            settings,
        };
        let prepared = plan.prepare()?;
        let watched = Watched::of(&prepared.source, &analysis.body);
        // Each method with whether the seam shows, and its score.
        let mut tried: Vec<(Method, bool, Score)> = Vec::new();
        for method in methods(&settings.closure.method) {
            let mut settings = settings.clone();
            settings.closure.method = method;
            // Held feet do not slide under any method, so methods are compared by how much there is to correct.
            settings.feet.lock = FootLock::Off;
            let plan = Plan {
                settings: &settings,
                ..plan
            };
            let made = plan.finish(prepared.clone())?;
            let method = made.closed.method;
            // Methods adjusted to the loop, or without frames to blend into, may repeat an earlier one.
            if tried.iter().any(|(before, ..)| *before == method) {
                continue;
            }
            let quality = made.measured();
            tried.push((method, quality.pops(), watched.score(&made.loop_clip, &quality)));
        }
        let default_score = tried.first().map_or(Score::default(), |(.., score)| *score);
        // The list is never empty.
        let (method, _, score) = tried
            .iter()
            .min_by_key(|(_, shows, score)| (*shows, ordered(score.total())))
            .copied()
            .unwrap_or((settings.closure.method, false, default_score));
        Ok(ClosureChoice {
            method,
            score,
            tried: tried.len(),
            default_score,
        })
    }
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
        let joints = body
            .feet
            .iter()
            .map(Foot::lowest_joint)
            .chain(body.hands.iter().copied());
        Self {
            joints: joints
                .map(|joint| {
                    let sizes = inside
                        .clone()
                        .map(|frame| bend(&world, [frame + 1, frame, frame - 1], joint));
                    let sizes = sizes.collect();
                    (joint, seam_peak::usual(sizes, floor::ROUNDING_METRES))
                })
                .collect(),
        }
    }

    fn score(&self, clip: &LoopClip, quality: &Quality) -> Score {
        let count = clip.num_samples();
        let world = clip.tracks_from_root();
        let added: f64 = self
            .joints
            .iter()
            .map(|&(joint, usual)| {
                let bends = (0..count).map(|sample| {
                    let around = [sample + 2, sample + 1, sample].map(|sample| sample % count);
                    bend(&world, around, joint)
                });
                (greatest(bends) / usual - 1.0).max(0.0)
            })
            .sum();
        Score {
            displacement_metres: quality.displacement_metres.unwrap_or(0.0),
            foot_slide_mps: quality.foot_slide_mps.unwrap_or(0.0),
            acceleration_error: quality.seam_acceleration_error_ratio.unwrap_or(0.0).abs(),
            added_peaks: added / self.joints.len().max(1) as f64,
        }
    }
}

/// Second difference of the positions of a joint at three frames, metres.
pub(super) fn bend(world: &WorldTracks, frames: [usize; 3], joint: usize) -> f64 {
    second_difference(frames.map(|frame| world.position(frame, joint))).length()
}
