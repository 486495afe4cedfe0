//! A loop with the passage into it and the passage out of it, as one motion whose middle repeats.

use core::ops::{Range, RangeInclusive};

use super::{FoundPassage, LoopState, Passage, PassageKind};
use crate::play::LoopSet;
use loopwright_core::{
    analysis::{Body, ContactLimits},
    math::Rigid,
    motion::{Pose, Tracks},
};

impl FoundPassage {
    /// Returns the passage with both ends at whole samples of their loops.
    #[must_use]
    pub fn at_samples(mut self, set: &LoopSet) -> Self {
        for end in &mut self.ends {
            if let Some(clip) = set.loops().get(end.loop_index) {
                end.secs = (end.secs / clip.step_secs()).round() * clip.step_secs();
            }
        }
        self
    }
}

impl Passage {
    /// Joins a passage into a loop of a set, cycles of that loop, and a passage out of it. Also returns the samples of the cycles,
    /// including the closing one. `None` without that loop.
    ///
    /// The passages have the step of the loop and meet it at its samples, so that every sample is one of theirs; without one of them, the
    /// motion begins or ends with the cycles. The root is placed as in the loop.
    pub fn around(
        set: &LoopSet,
        loop_index: usize,
        cycles: usize,
        [into, out]: [Option<&Self>; 2],
        of_body: (&Body, &ContactLimits),
    ) -> Option<(Self, Range<usize>)> {
        let clip = set.loops().get(loop_index)?;
        let (count, step_secs) = (clip.num_samples(), clip.step_secs());
        let key = |state: LoopState| (state.secs / step_secs).round() as usize % count;
        let first = into.map_or(0, |into| key(into.ends[1]));
        let exit = out.map_or(first, |out| key(out.ends[0]));
        let last = first + cycles * count + (exit + count - first) % count;
        let before = into.map_or(0, |into| into.num_samples() - 1);

        let mut samples: Vec<(Pose, Rigid)> = Vec::new();
        let mut at = Rigid::IDENTITY;
        if let Some(into) = into {
            samples.extend((0..before).map(|sample| into.sample(sample)));
            at = into.roots[before];
        }
        let seen = at * clip.root_pose(first).inverse();
        samples.extend((first..last).map(|key| (clip.body_pose(key).to_pose(), seen * clip.root_pose(key))));
        let at = seen * clip.root_pose(last);
        match out {
            Some(out) => samples.extend((0..out.num_samples()).map(|sample| {
                let (pose, root) = out.sample(sample);
                (pose, at * root)
            })),
            None => samples.push((clip.body_pose(last).to_pose(), at)),
        }
        let state = |key: usize| LoopState {
            loop_index,
            secs: (key % count) as f64 * step_secs,
        };
        let (poses, roots): (Vec<Pose>, Vec<Rigid>) = samples.into_iter().unzip();
        let mut joined = Self {
            name: clip.name().to_owned(),
            kind: PassageKind::Transition,
            tracks: Tracks::pose_by_pose(clip.skeleton(), step_secs, poses),
            roots,
            carrier: clip.carrier(),
            ends: [
                into.map_or(state(first), |into| into.ends[0]),
                out.map_or(state(last), |out| out.ends[1]),
            ],
            cost: [into, out].into_iter().flatten().map(|passage| passage.cost).sum(),
            events: Vec::new(),
            source_frames: None,
            has_held_feet: [into, out].into_iter().flatten().all(|passage| passage.has_held_feet),
        };
        joined.events = joined.strikes_and_lifts(set, of_body);
        Some((joined, before..before + cycles * count))
    }

    /// Returns its samples of a range, the last one included, as a passage of its own.
    #[must_use]
    pub fn part(&self, samples: RangeInclusive<usize>, name: impl Into<String>) -> Self {
        let from = self.roots[*samples.start()].inverse();
        let (poses, roots) = samples
            .map(|sample| self.sample(sample))
            .map(|(pose, root)| (pose, from * root))
            .unzip::<_, _, Vec<Pose>, _>();
        Self {
            tracks: Tracks::pose_by_pose(self.skeleton(), self.step_secs(), poses),
            roots,
            events: Vec::new(),
            ..self.clone().named(name)
        }
    }

    fn sample(&self, sample: usize) -> (Pose, Rigid) {
        (self.tracks.pose(sample).to_pose(), self.roots[sample])
    }
}
