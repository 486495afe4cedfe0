//! Describes a stretch, whether or not it qualifies as a loop.

use super::{LoopCandidate, SeamPair, Steadiness, remembered::Remembered, rhythm::Rhythm};
use crate::{
    analysis::Analysis,
    math::{TimeStep, mean},
    mirror::Pairing,
    take::Cut,
};

/// The searched take, and the pairing of ends.
pub(super) struct SearchedTake<'a> {
    pub analysis: &'a Analysis,
    pub pairing: &'a Pairing,
    /// By frame and joint, the deviation of rotations from even turning, radians.
    pub uneven_turns: Remembered,
}

impl<'a> SearchedTake<'a> {
    pub(super) fn new(analysis: &'a Analysis, pairing: &'a Pairing) -> Self {
        Self {
            analysis,
            pairing,
            uneven_turns: Remembered::new(analysis.take.num_frames().saturating_mul(analysis.take.num_joints())),
        }
    }

    /// Returns the time from one frame to the next.
    pub(super) fn step(&self) -> TimeStep {
        TimeStep::new(self.analysis.take.frame_time_secs())
    }

    /// Describes the stretch as a candidate, without comparing it with the rest of the take.
    pub(super) fn describe(&self, pair: &SeamPair, cut: Cut, rhythm: Option<Rhythm>, is_idle: bool) -> LoopCandidate {
        let cycles = rhythm.map_or(1, |rhythm| rhythm.cycles);
        let (root, steadiness) = self.root_motion(pair, cycles);
        let num_frames = match self.pairing.ping_pong(&cut) {
            Some(course) => course.num_frames(),
            None => cut.num_frames() * f64::from(self.pairing.num_stretches()),
        };
        // The rest of the take is compared with the loop: less than a cycle gives no evidence of a repeat.
        let remaining = self.analysis.take.last_frame() as f64 - num_frames;
        let shows_another_cycle = remaining * f64::from(cycles.max(1)) >= num_frames;
        let ends = [cut.start_frame(), cut.end_frame()];
        // Half a cycle has no model, and a motion that does not travel has no pace.
        let steadiness_around = if is_idle || *self.pairing != Pairing::Same {
            Steadiness::of(self.analysis, ends, cycles)
        } else {
            Steadiness::estimated(self.analysis, ends, cycles)
        };
        LoopCandidate {
            cut,
            pairing: self.pairing.clone(),
            num_frames,
            source_period_secs: num_frames * self.analysis.take.frame_time_secs(),
            cycles,
            seam_cost: pair.cost,
            cost_ratio: None,
            strength: rhythm.map(|rhythm| rhythm.strength),
            goes_on_alike: false,
            take_strength: self.analysis.spectrum.at(num_frames).filter(|_| shows_another_cycle),
            is_idle,
            root_start: root.start,
            twist: root.twist,
            steadiness,
            steadiness_around,
            // A ping-pong stretch is slowed down at its ends.
            abruptness: if self.pairing.is_ping_pong() {
                0.0
            } else {
                self.abruptness(pair)
            },
            num_jumps: self
                .analysis
                .defects
                .jumps
                .iter()
                .filter(|&&frame| pair.start_frame < frame && frame <= pair.end_frame)
                .count(),
            activity: self.activity(pair),
            outcome: None,
            quality: None,
            whole: None,
            contact_phase: self
                .analysis
                .contacts
                .phase(cut.start_frame(), num_frames / f64::from(cycles.max(1))),
        }
    }

    /// Returns the mean speed of the body over the pair, relative to the take's pace; 0 if nothing moves.
    fn activity(&self, pair: &SeamPair) -> f64 {
        let pace = self.analysis.activity.pace();
        let mean = mean((pair.start_frame..pair.end_frame).map(|frame| self.analysis.features.speed(frame)));
        if pace > 0.0 { mean / pace } else { 0.0 }
    }
}
