//! The take on which loops are chosen, at a common frame rate: it is nearly the same for the same motion at any rate.
//!
//! The figures that rank loops have flat optima and errors that depend on the frame rate. On a take of a common rate, filtered to what
//! slower rates can hold, they are equal for equal motion. Why, and what it changes: docs/math/choice.md.

use super::{LoopCandidate, NearestMiss, SeamPair, SearchSettings, finder::Finder};
use crate::{
    analysis::{Analysis, BadFrame, Segment, TakeDefects},
    motion::Tracks,
    take::{Cut, Sampler, Take},
};

/// Rate at which a take is sampled before it is filtered, hertz, and the cutoff of the filter.
const SAMPLED_HZ: f64 = 60.0;
const CUTOFF_HZ: f64 = 8.0;

/// One of this many samples is kept: the filtered motion contains nothing faster.
const KEPT: usize = 2;

/// Lowest frame rate that is resampled, hertz: with fewer keys, the motion between them is unknown.
const LEAST_HZ: f64 = 20.0;

/// Fewest frames to choose from.
const LEAST_FRAMES: usize = 12;

/// A take, and the one on which its loops are chosen.
pub(crate) struct Choosing<'a> {
    pub(super) own: &'a Analysis,
    pub(super) own_settings: &'a SearchSettings,
    /// The take at one rate, with the settings in its frames; `None` if loops are chosen on the take itself.
    even: Option<(Analysis, SearchSettings)>,
}

impl<'a> Choosing<'a> {
    /// Creates the take to choose on; loops that are not ranked by their outcome are chosen on the take itself.
    pub(crate) fn new(own: &'a Analysis, own_settings: &'a SearchSettings) -> Self {
        let even = own_settings.ranks_by_outcome().then(|| even(own)).flatten();
        let mut choosing = Self {
            own,
            own_settings,
            even: even.map(|even| (even, own_settings.clone())),
        };
        let frames_each = choosing.frames_each();
        if let Some((_, settings)) = &mut choosing.even {
            settings.within = settings
                .within
                .map(|(first, last)| [first, last].map(|frame| frame as f64 / frames_each))
                .map(|[first, last]| (first.ceil() as usize, last.floor() as usize));
        }
        choosing
    }

    /// Returns the take to choose on.
    pub(crate) fn analysis(&self) -> &Analysis {
        self.even.as_ref().map_or(self.own, |(even, _)| even)
    }

    /// Returns the settings in its frames.
    pub(crate) fn settings(&self) -> &SearchSettings {
        self.even.as_ref().map_or(self.own_settings, |(_, settings)| settings)
    }

    /// Returns the frames of the take itself in one of the take to choose on.
    fn frames_each(&self) -> f64 {
        self.analysis().take.frame_time_secs() / self.own.take.frame_time_secs()
    }

    /// Returns the nearest frame of the take itself.
    fn own_frame(&self, frame: usize) -> usize {
        let last = self.own.take.num_frames() - 1;
        ((frame as f64 * self.frames_each()).round() as usize).min(last)
    }

    /// Converts the first loops to frames of the take itself, and describes them there; they keep the outcome by which they were chosen.
    pub(crate) fn in_own_frames(&self, chosen: Vec<LoopCandidate>, most: usize) -> Vec<LoopCandidate> {
        if self.even.is_none() || chosen.is_empty() || most == 0 {
            return chosen.into_iter().take(most).collect();
        }
        let features = self.own_settings.pairing.features(self.own);
        let finder = Finder::new(self.own, self.own_settings, &features);
        let own = chosen.into_iter().filter_map(|chosen| {
            let start = self.own_frame(chosen.cut.start_frame().round() as usize);
            let own = finder.found_elsewhere(start, chosen.cut.num_frames() * self.frames_each(), &chosen)?;
            Some(LoopCandidate {
                outcome: chosen.outcome,
                ..own
            })
        });
        own.take(most).collect()
    }

    /// Returns a loop in frames of the take to choose on.
    pub(crate) fn in_chosen_frames(&self, own: &LoopCandidate) -> LoopCandidate {
        let (each, last) = (self.frames_each(), (self.analysis().take.num_frames() - 1) as f64);
        let [start, end] = [own.cut.start_frame(), own.cut.end_frame()].map(|frame| (frame / each).min(last));
        LoopCandidate {
            cut: Cut::new(&self.analysis().take, start, end).unwrap_or(own.cut),
            num_frames: own.num_frames / each,
            ..own.clone()
        }
    }

    /// Returns a segment in frames of the take itself.
    pub(super) fn own_segment(&self, segment: Segment) -> Segment {
        Segment {
            start_frame: self.own_frame(segment.start_frame),
            end_frame: self.own_frame(segment.end_frame),
            ..segment
        }
    }

    /// Returns a miss in frames of the take itself.
    pub(crate) fn own_miss(&self, miss: NearestMiss) -> NearestMiss {
        let [start_frame, end_frame] = [miss.pair.start_frame, miss.pair.end_frame].map(|frame| self.own_frame(frame));
        NearestMiss {
            pair: SeamPair {
                start_frame,
                end_frame,
                ..miss.pair
            },
            ..miss
        }
    }
}

/// Returns a take at the rate of choosing, with the body and the defects of the take itself; `None` if it is too short or too
/// slow for that.
fn even(own: &Analysis) -> Option<Analysis> {
    let take = &own.take;
    let step = 1.0 / (SAMPLED_HZ * take.frame_time_secs());
    let last = ((take.num_frames() - 1) as f64 / step + 1e-9).floor() as usize;
    if take.frame_rate_hz() < LEAST_HZ || last < KEPT * LEAST_FRAMES {
        return None;
    }
    let mut sampler = Sampler::new(take);
    let poses = (0..=last).map(|sample| sampler.sample(sample as f64 * step));
    let tracks = Tracks::pose_by_pose(take.skeleton(), 1.0 / SAMPLED_HZ, poses);
    let sampled = Take::from_tracks(take.name(), tracks).ok()?;
    let jumps = |step: f64| -> Vec<usize> {
        let jumps = own.defects.jumps.iter();
        jumps.map(|&jump| (jump as f64 / step).ceil() as usize).collect()
    };
    let filtered = sampled.smoothed(CUTOFF_HZ, &jumps(step)).ok()?;
    let kept = (0..=last).step_by(KEPT).map(|frame| filtered.pose(frame).to_pose());
    let tracks = Tracks::pose_by_pose(take.skeleton(), KEPT as f64 / SAMPLED_HZ, kept);
    let take = Take::from_tracks(take.name(), tracks).ok()?;
    let step = KEPT as f64 * step;
    let defects = TakeDefects {
        bad_frames: own
            .defects
            .bad_frames
            .iter()
            .map(|bad| BadFrame {
                frame: (bad.frame as f64 / step).round() as usize,
                ..*bad
            })
            .filter(|bad| bad.frame < take.num_frames())
            .collect(),
        jumps: jumps(step),
        ..own.defects.clone()
    };
    let usable = (0..take.num_frames())
        .map(|frame| {
            let at = frame as f64 * step;
            let around = [at.floor(), at.ceil()].map(|frame| own.usable.get(frame as usize));
            around.into_iter().all(|known| known.is_none_or(|&is_usable| is_usable))
        })
        .collect();
    own.of_same_body(take, defects, usable)
}
