//! Holds feet in motion that is produced frame by frame: each is held where it touches down, and released softly.
//!
//! There is no whole loop to solve for. While a foot stands, its lowest joint keeps its position over the ground; the leg
//! reaches for it. When it leaves the ground, the displacement of the leg fades with its rate. Source of the leg:
//! docs/math/feet.md.

use glam::DVec3;

use super::Leg;
use crate::{
    analysis::{Analysis, Side},
    math::Decay,
    motion::{Pose, Skeleton},
};

/// Half-life with which a foot comes to rest, and returns to its motion once it has left the ground, seconds.
const FADE: Decay = Decay::Spring { half_life_secs: 0.06 };

/// A foot that would have to be moved farther than this is dragged along, as a share of the length of its leg; otherwise it
/// would snap back by as much when released.
const FARTHEST_SHARE: f64 = 0.2;

/// A leg with a held foot.
#[derive(Clone, Debug)]
pub struct LiveFoot {
    leg: Leg,
    /// The joint that is held.
    lowest: usize,
    side: Side,
    /// While it stands: its touch-down position, its velocity then, and seconds since then.
    stands: Option<(DVec3, DVec3, f64)>,
    /// Its position in the previous frame.
    before: Option<DVec3>,
    /// Its displacement.
    moved: DVec3,
    /// Its displacement when it was released, with its rate, and the seconds since then.
    released: ([DVec3; 2], f64),
}

impl LiveFoot {
    /// Creates the legs of a body with knees.
    pub fn all_of(analysis: &Analysis) -> Vec<Self> {
        analysis
            .body
            .feet
            .iter()
            .filter_map(|foot| {
                Some(Self {
                    leg: Leg::find(analysis.take.skeleton(), &analysis.world, &analysis.body, foot)?,
                    lowest: foot.lowest_joint(),
                    side: foot.side?,
                    stands: None,
                    before: None,
                    moved: DVec3::ZERO,
                    released: ([DVec3::ZERO; 2], 0.0),
                })
            })
            .collect()
    }

    /// Returns the side of the body.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Moves the leg of the next frame's pose, `step_secs` after the previous one; `stands` says whether its foot is on the
    /// ground.
    pub fn hold(&mut self, skeleton: &Skeleton, pose: &mut Pose, stands: bool, step_secs: f64) {
        let world = pose.world(skeleton);
        let place = world.translations[self.lowest];
        let Leg { thigh, knee, ankle, .. } = self.leg;
        let farthest = FARTHEST_SHARE * world.length_along(&[thigh, knee, ankle]);
        // Its position if it were released now, or stays released.
        self.released.1 += step_secs;
        let ([from, rate], secs) = self.released;
        let left = FADE.at(secs);
        let free = from * left.position.value + rate * left.velocity.value;
        if stands {
            let came_down = (
                place + free,
                (place + free - self.before.unwrap_or(place + free)) / step_secs,
                0.0,
            );
            let (at, speed, secs) = self.stands.get_or_insert(came_down);
            // It does not stop abruptly, however fast it arrives.
            let goal = *at + *speed * FADE.at(*secs).velocity.value;
            *secs += step_secs;
            // Heels rise while the ball stands: the height is that of the motion.
            let whole = (goal - place).with_y(0.0);
            let moved = whole.clamp_length_max(farthest);
            // It stands at the position to which it was dragged.
            *at += moved - whole;
            self.released = ([moved, (moved - self.moved) / step_secs], 0.0);
            self.moved = moved;
        } else {
            self.stands = None;
            self.moved = free;
        }
        self.before = Some(place + self.moved);
        self.leg.move_ankle(skeleton, pose, &world, self.moved);
    }
}
