//! A motion as the page's script plays it: positions of points in whole units, as compact as the page can be.

use base64::{Engine, engine::general_purpose::STANDARD};
use glam::DVec3;
use loopwright_core::{analysis::Side, math::bounds};

use super::{
    LoopEntry,
    mesh::{list, shorts},
};
use crate::{Surface, figure::Limb, render::DrawnMotion};

/// Limbs thinner than this share of the stature are left out where pages have many loops: fingers, mostly, which are half of
/// the points of some skeletons and a pixel wide in a thumbnail.
const FINE: f64 = 0.0125;

/// Samples a second that look smooth; more are kept if there is room.
const SMOOTH_HZ: f64 = 30.0;

/// Fewest samples of a clip, whatever the room: with fewer, steps are no longer recognizable.
const FEWEST: usize = 16;

/// The share of a page that a clip may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Bytes of its samples, as text.
    pub bytes: usize,
    /// Whether fingers are drawn.
    pub is_fine: bool,
}

/// Writes a motion of a loop as a JSON object.
///
/// `p` seconds, `n` intervals, `e` 1 if the pose at the end is kept beside that at the start, `k` points, `q` metres of a unit,
/// `o` the origin of the units, `r` the root at the start (position, then quaternion x, y, z, w), `v` and `w` its twist, `m` the
/// middle of the body and `z` its half height, `g` the height of the ground, `l` limbs (two points, side, radius in mm), `c`
/// cycles, `f` the phase of the first contact, `d` the points: 16-bit integers, little-endian, in base64, sample by sample. With
/// a mesh, `s` is its key, `b` the matrices of its bones, `u` the points that are joints of those, `j` for each bone its place
/// among these, and `t` their rotations as `d`: x, y and z of quaternions whose w is not negative.
pub(super) fn json(entry: &LoopEntry, motion: &DrawnMotion, room: Room) -> String {
    let limbs = drawn_limbs(motion, room);
    let mesh = motion.figure.surface().and_then(Surface::of_page);
    let mut joints = mesh.map_or_else(Vec::new, |mesh| mesh.joints.clone());
    joints.sort_unstable();
    joints.dedup();
    let (points, limbs) = compacted(&limbs, &joints);
    // Four letters of base64 hold three bytes.
    let bytes_each = ((points.len() + joints.len()) * 3 * 2 * 4).div_ceil(3).max(1);
    let fitting = (room.bytes.saturating_sub(mesh.map_or(0, |mesh| mesh.matrices.len())) / bytes_each).max(FEWEST);
    let smooth = (motion.period_secs() * SMOOTH_HZ).ceil() as usize;
    let num = if motion.num_frames() <= fitting {
        motion.num_frames()
    } else {
        fitting.min(smooth.max(FEWEST)).min(motion.num_frames())
    };
    let (places, turns, reach) = samples(motion, num, &points, &joints);
    let (low, high) = bounds(places.iter().chain(&reach).copied());
    let (middle, half) = if places.is_empty() {
        (DVec3::ZERO, DVec3::ONE)
    } else {
        (0.5 * (low + high), 0.5 * (high - low))
    };
    let unit = (half.max_element() / f64::from(i16::MAX)).max(1e-9);
    let mut bytes = Vec::with_capacity(places.len() * 6);
    for &point in &places {
        // Within the range by the choice of the unit.
        bytes.extend(shorts((point - middle) / unit).as_flattened());
    }
    let place = |list: &[usize], wanted: usize| list.binary_search(&wanted).unwrap_or_default().to_string();
    let surface = mesh.map(|mesh| {
        let of_points: Vec<String> = joints.iter().map(|&joint| place(&points, joint)).collect();
        let of_bones: Vec<String> = mesh.joints.iter().map(|&joint| place(&joints, joint)).collect();
        format!(
            "\"s\":\"{}\",\"b\":\"{}\",\"u\":[{}],\"j\":[{}],\"t\":\"{}\",",
            mesh.key,
            mesh.matrices,
            of_points.join(","),
            of_bones.join(","),
            STANDARD.encode(&turns)
        )
    });
    let root = &motion.root;
    let start = [
        root.start.translation.to_array().as_slice(),
        root.start.rotation.to_array().as_slice(),
    ]
    .concat();
    format!(
        "{{\"p\":{:.5},\"n\":{num},\"e\":{},\"k\":{},\"q\":{:.4e},\"o\":{},\"r\":{},\"v\":{},\"w\":{},\"m\":{},\"z\":{:.3},\"g\":{:.3},\
         \"l\":[{}],\"c\":{},\"f\":{:.4},{}\"d\":\"{}\"}}",
        motion.period_secs().max(1e-3),
        u8::from(motion.ends_apart()),
        points.len(),
        unit,
        list(&middle.to_array(), 4),
        list(&start, 6),
        list(&root.twist.linear.to_array(), 6),
        list(&root.twist.angular.to_array(), 6),
        list(&middle.to_array(), 4),
        half.max_element().max(1e-3),
        motion.lowest_sole(),
        limbs.join(","),
        entry.cycles.max(1),
        entry.contact_phase,
        surface.unwrap_or_default(),
        STANDARD.encode(&bytes),
    )
}

/// Takes `num` samples of a cycle, and its end if that is kept: the points, sample by sample, the rotations of the joints as 16-bit
/// integers, and places that the mesh reaches.
fn samples(motion: &DrawnMotion, num: usize, points: &[usize], joints: &[usize]) -> (Vec<DVec3>, Vec<u8>, Vec<DVec3>) {
    let (mut places, mut turns, mut reach) = (Vec::new(), Vec::new(), Vec::new());
    let has_page_mesh = motion.figure.surface().and_then(Surface::of_page).is_some();
    for sample in 0..num + usize::from(motion.ends_apart()) {
        let secs = sample as f64 / num as f64 * motion.period_secs();
        let (all, pose) = if sample < num {
            (motion.body_at(secs), motion.joints_at(secs))
        } else {
            (motion.body_at_end(), motion.joints_at_end().clone())
        };
        places.extend(points.iter().map(|&point| {
            if all[point].is_finite() {
                all[point]
            } else {
                DVec3::ZERO
            }
        }));
        for &joint in joints {
            let turn = pose.rotations[joint];
            let turn = if turn.w < 0.0 { -turn } else { turn };
            turns.extend(shorts(f64::from(i16::MAX) * turn.xyz()).as_flattened());
        }
        if has_page_mesh {
            reach.extend(motion.reach_of(&pose).into_iter().map(|(place, _)| place));
        }
    }
    (places, turns, reach)
}

fn drawn_limbs(motion: &DrawnMotion, room: Room) -> Vec<Limb> {
    let figure = &motion.figure;
    let least = if room.is_fine { 0.0 } else { FINE * figure.stature() };
    let all = figure.limbs();
    let kept: Vec<Limb> = all
        .iter()
        .copied()
        .filter(|limb| limb.radii[0].max(limb.radii[1]) >= least)
        .collect();
    // A body of thin sticks keeps its limbs.
    if 2 * kept.len() < all.len() && kept.len() < 10 {
        all.to_vec()
    } else {
        kept
    }
}

/// Returns the points that limbs use, with these joints, and the limbs as text, by the places of their ends among those points.
fn compacted(limbs: &[Limb], joints: &[usize]) -> (Vec<usize>, Vec<String>) {
    let ends = limbs.iter().flat_map(|limb| limb.ends);
    let mut points: Vec<usize> = ends.chain(joints.iter().copied()).collect();
    points.sort_unstable();
    points.dedup();
    let place = |point: usize| points.binary_search(&point).unwrap_or_default();
    let texts = limbs
        .iter()
        .map(|limb| {
            let side = match limb.side {
                Some(Side::Left) => 0,
                Some(Side::Right) => 1,
                None => 2,
            };
            let radius_mm = (500.0 * (limb.radii[0] + limb.radii[1])).round().clamp(0.0, 1e6);
            format!("{},{},{side},{radius_mm}", place(limb.ends[0]), place(limb.ends[1]))
        })
        .collect();
    (points, texts)
}
