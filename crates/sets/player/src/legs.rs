//! Legs, and when their feet stand in clips.

use loopwright_core::{
    Take, Tracks,
    analysis::{Body, BodyOverrides, FootEventKind, Side},
    feet,
};
use loopwright_formats::set::SetClip;

/// A leg and the tip of its foot.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    pub bones: feet::Leg,
    /// The lowest joint of the foot.
    pub tip: usize,
    /// Thigh and shin, metres.
    pub length: f64,
    pub hips: usize,
}

impl Leg {
    /// Returns the left and the right leg of a body that has both.
    pub(crate) fn pair(tracks: &Tracks) -> Option<Vec<Self>> {
        let take = Take::from_tracks("body", tracks.clone()).ok()?;
        let body = Body::find(&take, &BodyOverrides::default()).ok()?;
        let (skeleton, world) = (tracks.skeleton(), tracks.world());
        [Side::Left, Side::Right]
            .into_iter()
            .map(|side| {
                let mut feet = body.feet.iter().filter(|foot| foot.side == Some(side));
                let foot = feet.next().filter(|_| feet.next().is_none())?;
                let bones = feet::Leg::find(skeleton, &world, &body, foot)?;
                let [thigh, knee, ankle] = bones.joints().map(|joint| world.position(0, joint));
                Some(Self {
                    bones,
                    tip: foot.lowest_joint(),
                    length: thigh.distance(knee) + knee.distance(ankle),
                    hips: body.hips,
                })
            })
            .collect()
    }
}

/// When a foot stands in a clip: intervals of its time; `None` if always, as a foot without events does where the root does not carry it along.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    spans: Option<Vec<[f64; 2]>>,
    /// The period of a loop.
    period: Option<f64>,
}

impl Contacts {
    pub(crate) fn new(entry: &SetClip, side: Side, travels: bool) -> Self {
        let period = entry.is_loop().then_some(entry.seconds);
        let of_foot = || entry.events.iter().filter(|event| event.foot == side.as_str());
        let mut spans: Vec<[f64; 2]> = Vec::new();
        for event in of_foot() {
            match (event.kind, spans.last_mut()) {
                (FootEventKind::Strike, _) => spans.push([event.secs, f64::INFINITY]),
                (FootEventKind::Lift, Some(last)) => last[1] = event.secs,
                (FootEventKind::Lift, None) => spans.push([f64::NEG_INFINITY, event.secs]),
            }
        }
        // A stance over the seam of a loop began in the cycle before.
        if let (Some(period), [first, .., last]) = (period, &mut spans[..])
            && first[0] == f64::NEG_INFINITY
        {
            first[0] = last[0] - period;
            last[1] = last[1].min(first[1] + period);
        }
        Self {
            spans: (travels || of_foot().next().is_some()).then_some(spans),
            period,
        }
    }

    pub(crate) fn bears(&self, secs: f64) -> bool {
        let Some(spans) = &self.spans else { return true };
        let secs = self
            .period
            .map_or(secs, |period| secs - (secs / period).floor() * period);
        let is_in = |secs: f64| spans.iter().any(|[from, to]| (*from..*to).contains(&secs));
        is_in(secs) || self.period.is_some_and(|period| is_in(secs - period))
    }
}
