//! Finds how the soles of a body lie in the axes of its ankles and toes, from the way in which each foot stands in a take.

use glam::DVec3;

use super::{
    Doubt,
    calibration::{Calibration, framed},
};
use crate::{
    math::{ops, percentile},
    retarget::{
        anatomy::Limb,
        stance::{FootStands, normal, show_sole},
    },
};

/// A ball that lies lower below its ankle than that of the other foot by more than this, radians (4 degrees), belongs to a foot
/// whose heel hovers.
const HOVERS: f64 = 0.07;

/// Angles by which balls may lie below ankles, seen from there, and the usual one, radians (3 to 50 degrees, 30).
const DROPS: [f64; 2] = [0.05, 0.87];
const USUAL_DROP: f64 = 0.52;

/// Share of the frames on its ball in which a foot is steeper than its sole: the heel is seldom down.
const STEEP_SHARE: f64 = 0.1;

/// A foot as it stands.
struct Foot {
    shin: usize,
    ankle: usize,
    toe: Option<usize>,
    /// Vector from the ankle to the ball, in the axes of the ankle.
    bone: Option<DVec3>,
    /// Upward normals of the sole in the axes of ankle and toes, from frames in which ankle and ball stand.
    normals: [Option<DVec3>; 2],
    /// Angle of the ball below the ankle in the flattest frames in which it stands, radians.
    flattest: Option<f64>,
}

/// Finds the axes of ankles and toes.
pub(super) fn find(found: &mut Calibration) {
    let feet: Vec<Foot> = found.anatomy.legs().filter_map(|limb| Foot::of(found, limb)).collect();
    let least = feet.iter().filter_map(Foot::drop).reduce(f64::min);
    let flattest = feet.iter().filter_map(|foot| foot.flattest).reduce(f64::min);
    for foot in feet {
        let own = foot
            .drop()
            .filter(|own| least.is_none_or(|least| *own < least + HOVERS));
        let by_feet = own.or(least).filter(|drop| (DROPS[0]..DROPS[1]).contains(drop));
        let normal = match (own, foot.bone) {
            (None, Some(bone)) => {
                let guess = flattest.filter(|drop| least.is_none() && (DROPS[0]..DROPS[1]).contains(drop));
                let (sin, cos) = ops::sin_cos(by_feet.or(guess).unwrap_or(USUAL_DROP));
                let up = found.mean_of(foot.ankle, |_, _| DVec3::Y);
                up.and_then(|up| Some(cos * up.reject_from(bone).try_normalize()? - sin * bone))
            }
            _ => foot.normals[0].or_else(|| found.mean_of(foot.ankle, |_, _| DVec3::Y)),
        };
        if by_feet.is_none() && (foot.bone.is_some() || foot.normals[0].is_none()) {
            found.doubts.push(Doubt::Sole(foot.ankle));
        }
        foot.lay(found, normal);
    }
}

impl Foot {
    fn of(found: &Calibration, limb: &Limb) -> Option<Self> {
        let [_, lower, ankle] = limb.bones?.ends()?;
        let motion = &found.motion;
        let ball = limb.toe.unwrap_or(ankle);
        let FootStands { flat, on_ball } = FootStands::of(motion, found.step_secs, found.anatomy.hips, limb)?;
        let enough = |frames: Vec<usize>| Some(frames).filter(|frames| show_sole(frames, found.step_secs));
        let (both, bearing) = (enough(flat), enough(on_ball));
        let of_toe = both.as_ref().or(bearing.as_ref());
        Some(Self {
            shin: lower,
            ankle,
            toe: limb.toe,
            bone: limb.toe.and_then(|toe| found.bone(ankle, Some(toe))),
            normals: [
                both.as_ref().and_then(|frames| normal(motion, ankle, frames)),
                limb.toe
                    .zip(of_toe)
                    .and_then(|(toe, frames)| normal(motion, toe, frames)),
            ],
            flattest: bearing.map(|frames| {
                let drops = frames
                    .iter()
                    .map(|&frame| below(motion.position(frame, ball) - motion.position(frame, ankle), DVec3::Y));
                percentile::of(drops, STEEP_SHARE)
            }),
        })
    }

    /// Returns the angle of the ball below the ankle over the sole, radians.
    fn drop(&self) -> Option<f64> {
        Some(below(self.bone?, self.normals[0]?))
    }

    /// Sets the axes of ankle and toes: upward by their normals, ahead by their bones.
    fn lay(&self, found: &mut Calibration, normal: Option<DVec3>) {
        let ankle = self.ankle;
        let ahead = self.bone.or_else(|| found.seen(ankle, self.shin, DVec3::Z));
        found.axes[ankle] = normal.zip(ahead).and_then(|(up, ahead)| framed(up.cross(ahead), up));
        if let Some((toe, up)) = self.toe.zip(self.normals[1]) {
            let ahead = found.bone(toe, None).or(self.bone);
            found.axes[toe] = ahead.and_then(|ahead| framed(up.cross(ahead), up));
        }
    }
}

/// Returns the angle of a direction below the level that a normal is upright on, radians.
fn below(along: DVec3, normal: DVec3) -> f64 {
    let down = -along.dot(normal);
    ops::atan2(down, (along + down * normal).length())
}
