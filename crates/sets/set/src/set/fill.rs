//! Makes loops that no take shows of others: mirror images, and blends between loops that are near enough.

use loopwright_core::{candidate::MotionKind, math::ordered};
use loopwright_formats::{
    loop_file::facts::Grade,
    set::{MadeFrom, Missing, SetMade},
};

use super::{
    Entry,
    member::{Member, SetForm},
    select::{Offered, side_of, way_of},
};
use crate::blend::{Blend, BlendRequest};

/// Straight loops of neighbouring speeds farther apart than this leave a hole, metres per second.
const HOLE_MPS: f64 = 1.2;
/// Loops farther apart than this cannot be blended.
const TOO_FAR_MPS: f64 = 3.0;
/// The two limits for turn rates, degrees per second.
const HOLE_DPS: f64 = 70.0;
const TOO_FAR_DPS: f64 = 180.0;

/// Adds mirror images of loops for sides that no take shows.
pub(super) fn mirror(entries: &mut Vec<Entry>, pairs: &[String], form: &SetForm) -> Vec<Missing> {
    let mut missing: Vec<Missing> = Vec::new();
    let shown: Vec<Way> = entries.iter().map(|entry| way(&entry.offered)).collect();
    for index in 0..entries.len() {
        let entry = &entries[index];
        let Some(wanted) = other_side(&entry.offered).filter(|_| entry.variant_of.is_none()) else {
            continue;
        };
        if shown.contains(&wanted) {
            continue;
        }
        match entry.offered.member.mirrored(pairs, form) {
            Ok(member) => {
                let gait = entry.offered.gait;
                entries.push(Entry::new(Offered { member, gait }, vec![(index, 1.0)]));
            }
            Err(error) => {
                let (gait, way, side) = wanted;
                missing.push(Missing {
                    what: described(gait, way, side),
                    why: format!("no take shows it, and the other side cannot be mirrored: {error}"),
                });
            }
        }
    }
    missing.dedup();
    missing
}

/// Gait, direction and side of a loop.
type Way = (MotionKind, &'static str, i8);

fn way(offered: &Offered) -> Way {
    (
        offered.gait,
        way_of(&offered.member),
        side_of(offered.member.turn_dps()),
    )
}

/// Returns the way of a loop with left and right exchanged; `None` for a straight loop.
fn other_side(offered: &Offered) -> Option<Way> {
    let (gait, way, side) = way(offered);
    let mirrored = match way {
        "_forward_left" => "_forward_right",
        "_forward_right" => "_forward_left",
        "_strafe_left" => "_strafe_right",
        "_strafe_right" => "_strafe_left",
        "_back_left" => "_back_right",
        "_back_right" => "_back_left",
        same => same,
    };
    (gait != MotionKind::Idle && (side != 0 || mirrored != way)).then_some((gait, mirrored, -side))
}

pub(super) fn described(gait: MotionKind, way: &str, side: i8) -> String {
    let side = match side {
        1 => "_left",
        -1 => "_right",
        _ => "",
    };
    format!("{gait}{way}{side}")
}

/// A hole: the missing loop, and its neighbours.
struct Hole {
    what: String,
    turn_dps: f64,
    /// The loops around it; its speed is the mean of theirs.
    corners: [usize; 2],
}

/// Adds blends that fill holes in speed and turn rate; returns the holes that are too wide.
pub(super) fn blend(entries: &mut Vec<Entry>, form: &SetForm) -> Vec<Missing> {
    let mut missing = Vec::new();
    for hole in holes(entries) {
        if let Err(why) = fill(entries, &hole, form) {
            missing.push(Missing { what: hole.what, why });
        }
    }
    missing
}

fn holes(entries: &[Entry]) -> Vec<Hole> {
    let mut holes = Vec::new();
    for gait in [MotionKind::Walk, MotionKind::Run] {
        holes.extend(holes_by_turn(entries, gait));
    }
    let speed = |&index: &usize| entries[index].offered.member.speed_mps();
    let mut straight = forward(entries, &[MotionKind::Walk, MotionKind::Run], 0);
    straight.sort_by_key(|index| ordered(speed(index)));
    for &corners in straight.array_windows() {
        let [slow, fast] = corners.map(|index| speed(&index));
        if fast - slow > HOLE_MPS {
            holes.push(Hole {
                what: format!("forward at {:.1} m/s", 0.5 * (slow + fast)),
                turn_dps: 0.0,
                corners,
            });
        }
    }
    holes
}

/// Returns the indices of loops of these gaits that go forward and turn to a side, without versions.
fn forward(entries: &[Entry], gaits: &[MotionKind], side: i8) -> Vec<usize> {
    let mut forward = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let (gait, way, turn) = way(&entry.offered);
        if entry.variant_of.is_none() && gaits.contains(&gait) && way.is_empty() && side == turn {
            forward.push(index);
        }
    }
    forward
}

/// Finds the holes of a gait: between left and right if it never goes straight, and between straight and the slowest turn.
fn holes_by_turn(entries: &[Entry], gait: MotionKind) -> Vec<Hole> {
    let speed = |&index: &usize| entries[index].offered.member.speed_mps();
    let turn = |&index: &usize| entries[index].offered.member.turn_dps();
    let by_turn = |index: &usize| ordered(turn(index).abs());
    let mut holes = Vec::new();
    let [mut right, straight, mut left] = [-1, 0, 1].map(|side| forward(entries, &[gait], side));
    right.sort_by_key(by_turn);
    left.sort_by_key(by_turn);
    if straight.is_empty()
        && let (Some(&left), Some(&right)) = (left.first(), right.first())
    {
        holes.push(Hole {
            what: described(gait, "", 0),
            turn_dps: 0.0,
            corners: [left, right],
        });
    }
    for turning in [&left, &right] {
        let (Some(&first), Some(&near)) = (turning.first(), nearest(&straight, turning, &speed)) else {
            continue;
        };
        if (turn(&first) - turn(&near)).abs() > HOLE_DPS {
            holes.push(Hole {
                what: format!(
                    "{} at {:.0} degrees per second",
                    described(gait, "", if turn(&first) > 0.0 { 1 } else { -1 }),
                    0.5 * turn(&first).abs()
                ),
                turn_dps: 0.5 * (turn(&first) + turn(&near)),
                corners: [near, first],
            });
        }
    }
    holes
}

/// Returns the straight loop whose speed is nearest to that of the first turning one.
fn nearest<'a>(straight: &'a [usize], turning: &[usize], speed: &dyn Fn(&usize) -> f64) -> Option<&'a usize> {
    let wanted = speed(turning.first()?);
    straight
        .iter()
        .min_by_key(|index| ordered((speed(index) - wanted).abs()))
}

/// Fills a hole. Errors: why it cannot be filled.
fn fill(entries: &mut Vec<Entry>, hole: &Hole, form: &SetForm) -> Result<(), String> {
    let [one, other] = hole.corners.map(|index| &entries[index].offered.member);
    let speeds_apart = (one.speed_mps() - other.speed_mps()).abs();
    let turns_apart = (one.turn_dps() - other.turn_dps()).abs();
    if speeds_apart > TOO_FAR_MPS || turns_apart > TOO_FAR_DPS {
        return Err(format!(
            "too far from any loop to be blended: the nearest differ by {speeds_apart:.1} m/s and {turns_apart:.0} degrees per second"
        ));
    }
    let stored = [one, other].map(|member| member.stored.clone());
    let request = BlendRequest {
        weights: weights(one, other, hole),
        overrides: form.overrides.clone(),
        ..BlendRequest::default()
    };
    let names = hole.corners.iter().map(ToString::to_string).collect();
    let blended = Blend::new(&stored, names, &request)
        .map_err(|error| format!("its neighbours cannot be blended: {error}"))?
        .stored()
        .map_err(|error| format!("its blend cannot be written: {error}"))?;
    let shares = blended.sidecar.blend.clone().unwrap_or_default().weights;
    if blended.sidecar.quality.grade == Some(Grade::Bad) {
        let reason = blended.sidecar.quality.reason.unwrap_or_default();
        return Err(format!("the blend of its neighbours is bad: {reason}"));
    }
    let made = SetMade {
        from: MadeFrom::Blend,
        frames: None,
        ..one.made.clone()
    };
    let member = Member::new(blended, made, form).map_err(|error| error.to_string())?;
    let comes_of: Vec<(usize, f64)> = hole.corners.iter().copied().zip(shares).collect();
    let most = comes_of.iter().max_by_key(|(_, share)| ordered(*share));
    let gait = entries[most.map_or(hole.corners[0], |(index, _)| *index)].offered.gait;
    entries.push(Entry::new(Offered { member, gait }, comes_of));
    Ok(())
}

/// Returns the weights of two loops whose blend is nearest to a hole; they are computed as shares of time, in which twists are mixed.
fn weights(one: &Member, other: &Member, hole: &Hole) -> Vec<f64> {
    let [from, to, at] = [
        (one.speed_mps(), one.turn_dps()),
        (other.speed_mps(), other.turn_dps()),
        (0.5 * (one.speed_mps() + other.speed_mps()), hole.turn_dps),
    ]
    .map(|(speed_mps, turn_dps)| [speed_mps / HOLE_MPS, turn_dps / HOLE_DPS]);
    let along = [0, 1].map(|axis| to[axis] - from[axis]);
    let [way, whole] = [[0, 1].map(|axis| at[axis] - from[axis]), along].map(|v| v[0] * along[0] + v[1] * along[1]);
    let share = (way / whole).clamp(0.0, 1.0);
    let [one_secs, other_secs] = [one, other].map(|member| member.stored.clip.period_secs());
    vec![(1.0 - share) / one_secs, share / other_secs]
}
