//! Loops of one skeleton that are blended, and the blend for a speed.

use std::sync::Arc;

use loopwright_core::math::percentile::extremes;
use loopwright_core::{LoopClip, feet::Feet};
use loopwright_moves::Blender;
use loopwright_moves::blend::{BlendAxis, BlendError, BlendSpace};

use super::{Model, Shown};

/// Most loops of a set.
const MAX_LOOPS: usize = 6;

/// A loop of the set.
#[derive(Clone, Debug)]
pub struct SetLoop {
    /// Its name.
    pub name: String,
    clip: LoopClip,
    /// When feet stand: the foot, and the shares of the period from and to which it stands; the end may lie beyond 1.
    pub stances: Vec<(usize, [f64; 2])>,
}

/// Loops, and their blend.
#[derive(Clone, Debug, Default)]
pub struct LoopSet {
    loops: Vec<SetLoop>,
    blender: Option<Result<Blender, BlendError>>,
    speed: f64,
    mixed: Option<Arc<LoopClip>>,
}

impl LoopSet {
    /// Speed of a loop over the ground, metres per second.
    pub fn speed_of(clip: &LoopClip) -> f64 {
        BlendAxis::Speed.of(clip.root().twist)
    }

    /// Its loops, in the order in which they were added.
    pub fn loops(&self) -> &[SetLoop] {
        &self.loops
    }

    /// Why they cannot be blended.
    pub fn problem(&self) -> Option<&BlendError> {
        self.blender.as_ref().and_then(|blender| blender.as_ref().err())
    }

    /// For every loop the phase that corresponds to the start of the first.
    pub fn phases(&self) -> &[f64] {
        match &self.blender {
            Some(Ok(blender)) => blender.phases(),
            _ => &[],
        }
    }

    /// The share of every loop in the blend.
    pub fn weights(&self) -> Vec<f64> {
        match &self.blender {
            Some(Ok(blender)) => BlendSpace::new([Some(BlendAxis::Speed), None], blender.loops())
                .map(|space| space.weights([self.speed, 0.0]))
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// The slowest and the fastest speed of its loops, metres per second.
    pub fn speeds(&self) -> Option<[f64; 2]> {
        let (slowest, fastest) = extremes(self.loops.iter().map(|each| Self::speed_of(&each.clip)));
        (!self.loops.is_empty()).then_some([slowest, fastest])
    }

    /// The speed that is mixed, metres per second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The blend; none of fewer than two loops, or of unlike skeletons.
    pub fn mixed(&self) -> Option<&Arc<LoopClip>> {
        self.mixed.as_ref()
    }

    /// Adds a loop with its stances; the oldest goes where there are too many.
    pub(super) fn add(&mut self, name: String, clip: LoopClip, feet: &Feet) {
        let samples = clip.num_samples() as f64;
        let stances = (feet.contacts.iter())
            .map(|contact| {
                let from = contact.start_sample as f64 / samples;
                (contact.foot, [from, from + contact.num_samples as f64 / samples])
            })
            .collect();
        self.loops.push(SetLoop { name, clip, stances });
        if self.loops.len() > MAX_LOOPS {
            self.loops.remove(0);
        }
        self.align();
        self.mix(self.speed);
    }

    /// Takes out a loop.
    pub(super) fn remove(&mut self, index: usize) {
        if index < self.loops.len() {
            self.loops.remove(index);
            self.align();
        }
        self.mix(self.speed);
    }

    fn align(&mut self) {
        let clips = self.loops.iter().map(|each| each.clip.clone()).collect();
        self.blender = (self.loops.len() > 1).then(|| Blender::new(clips));
    }

    /// Mixes the loops for a speed, brought into the range of theirs.
    pub(super) fn mix(&mut self, speed: f64) {
        self.mixed = None;
        if let (Some(Ok(blender)), Some([slowest, fastest])) = (&self.blender, self.speeds()) {
            self.speed = speed.clamp(slowest, fastest);
            self.mixed = blender.blend(&self.weights()).ok().map(Arc::new);
        }
    }
}

impl Model {
    pub(super) fn add_to_set(&mut self) {
        if let (Some(opened), Some(made)) = (&self.opened, self.finished()) {
            let name = format!(
                "{} {:.2} m/s",
                opened.stem(),
                LoopSet::speed_of(&made.done.made.loop_clip)
            );
            let made = Arc::clone(made);
            self.set
                .add(name, made.done.made.loop_clip.clone(), &made.done.made.feet);
        }
    }

    pub(super) fn show_mixed(&mut self, speed: f64) {
        self.set.mix(speed);
        if self.set.mixed().is_some() {
            self.show(Shown::Blend);
        }
    }
}
