//! Selects the animation of a file and the grid of sample times.

use loopwright_core::math::{percentile, smallest};
use ufbx::{AnimCurve, AnimProp, AnimStack, ElementType, Keyframe, Scene};

use super::{error::FbxError, joints::Joints};
use crate::{
    animations::names_or_numbers,
    error::ReadError,
    euler::Turning,
    even_keys::{self, EvenKeys},
    excerpt::cut,
    settings::AnimationChoice,
    warning::FileWarning,
};

/// Most characters of an animation's name in a message.
const MAX_NAME: usize = 60;

/// Returns the names of a file's animations in the file's order; one without a name has its number.
pub(super) fn animation_names(scene: &Scene) -> Vec<String> {
    let stacks = (&scene.anim_stacks).into_iter();
    names_or_numbers(stacks.map(|stack| Some(&*stack.element.name)))
}

/// Selects the animation.
///
/// By default the longest animation that has keys is taken, the first of several; a warning lists the others. An animation of a
/// single key is a pose, and is taken only if there is nothing else.
pub(super) fn choose_stack<'a>(
    scene: &'a Scene,
    choice: AnimationChoice<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<&'a AnimStack, ReadError> {
    let stacks: Vec<&AnimStack> = (&scene.anim_stacks).into_iter().collect();
    if let Some(chosen) = choice.among(&animation_names(scene))? {
        return Ok(stacks[chosen]);
    }
    let most_keys = stacks.iter().map(|stack| num_keys(stack)).max().unwrap_or(0);
    let mut with_keys = stacks;
    with_keys.retain(|stack| num_keys(stack) >= most_keys.clamp(1, 2));
    let length = |stack: &AnimStack| {
        let secs = stack.time_end - stack.time_begin;
        if secs.is_finite() { secs } else { 0.0 }
    };
    let longest = with_keys.iter().copied().reduce(|longest, stack| {
        // Lengths that differ by rounding are equal.
        if length(stack) > length(longest) + 1e-6 {
            stack
        } else {
            longest
        }
    });
    let stack = longest.ok_or(FbxError::NoAnimation)?;
    if with_keys.len() > 1 {
        warnings.push(FileWarning::SeveralAnimations {
            taken: cut(&stack.element.name, MAX_NAME),
            names: animation_names(scene).iter().map(|name| cut(name, MAX_NAME)).collect(),
        });
    }
    Ok(stack)
}

/// Returns the number of keys on the longest curve of an animation.
fn num_keys(stack: &AnimStack) -> usize {
    curves(stack).map(|(_, curve)| curve.keyframes.len()).max().unwrap_or(0)
}

/// Returns all properties that an animation moves, layer by layer.
pub(super) fn props(stack: &AnimStack) -> impl Iterator<Item = &AnimProp> {
    (&stack.layers).into_iter().flat_map(|layer| layer.anim_props.iter())
}

/// Whether a property moves, rotates or scales a node.
pub(super) fn moves_node(prop: &AnimProp) -> bool {
    prop.element.type_ == ElementType::Node
        && matches!(&*prop.prop_name, "Lcl Translation" | "Lcl Rotation" | "Lcl Scaling")
}

/// Returns all curves that move, rotate or scale nodes, each with the index of its node in the scene.
fn curves(stack: &AnimStack) -> impl Iterator<Item = (usize, &AnimCurve)> {
    props(stack).filter(|prop| moves_node(prop)).flat_map(|prop| {
        let node = prop.element.typed_id as usize;
        let curves = prop.anim_value.curves.iter().flatten();
        curves.map(move |curve| (node, curve.as_ref()))
    })
}

/// The times at which a take is sampled: even, and that of a last key off them.
pub(super) struct Grid {
    pub begin_secs: f64,
    pub frame_time_secs: f64,
    pub num_frames: usize,
    /// Whether values are held from key to key.
    pub is_stepped: bool,
    /// Time from the last frame to a key off the even times, in frames.
    pub tail_frames: Option<f64>,
}

/// Held values are read this part of a frame after it: rounded times must not miss their key.
const AFTER_KEY_FRAMES: f64 = 1e-3;

impl Grid {
    /// Returns the number of times.
    pub(super) fn num_keys(&self) -> usize {
        self.num_frames + usize::from(self.tail_frames.is_some())
    }

    pub(super) fn secs(&self, key: usize) -> f64 {
        let frames = match self.tail_frames {
            Some(tail) if key == self.num_frames => (key - 1) as f64 + tail,
            _ => key as f64,
        };
        let after = if self.is_stepped { AFTER_KEY_FRAMES } else { 0.0 };
        self.begin_secs + (frames + after) * self.frame_time_secs
    }
}

/// Accepted frame rates, per second; the same range as for takes.
const RATES: core::ops::RangeInclusive<f64> = 1e-4..=1e6;

/// Keys at a rate this near the scene's, as a share, count as one per frame.
const SAME_RATE: f64 = 1e-4;

/// Times that differ by less are equal, seconds.
const SAME_SECS: f64 = 1e-6;

/// The last frame may be this part of a frame after the stated end.
const END_SLACK: f64 = 0.01;

/// Returns the grid of an animation: from its stated start to its stated end, or on to the end of its keys, at the scene's rate.
///
/// If curves are keyed evenly and more densely than the scene's frames, the keys give the rate, so that no sample of a capture
/// is lost. If they are keyed more sparsely, but all together and with straight lines between, as in a loop at another rate than
/// its take's, the keys give it too, because there is no detail between them. A last key off their grid ends the animation. One
/// whose stated range is empty has the range of its keys.
pub(super) fn grid(
    scene: &Scene,
    stack: &AnimStack,
    joints: &Joints,
    warnings: &mut Vec<FileWarning>,
) -> Result<Grid, FbxError> {
    let mut is_joint = vec![false; scene.nodes.len()];
    for &node in &joints.nodes {
        is_joint[node] = true;
    }
    let curves: Vec<&[Keyframe]> = curves(stack)
        .filter(|(node, curve)| is_joint[*node] && !curve.keyframes.is_empty())
        .map(|(_, curve)| &*curve.keyframes)
        .collect();
    let ([begin, end], is_stated) = range(scene, stack, &curves, warnings)?;
    let tail = tail(&curves, [begin, end]);
    let even = match tail {
        Some(tail) => curves.iter().map(|keys| before(keys, tail.tail_secs)).collect(),
        None => curves.clone(),
    };
    let even_end = tail.map_or(end, |tail| tail.last_secs());
    let rate = rate(scene, &even, [begin, even_end], warnings)?;
    let tail = tail.filter(|tail| (tail.step_secs * rate - 1.0).abs() < SAME_RATE);
    let (curves, end) = if tail.is_some() {
        (even, even_end)
    } else {
        (curves, end)
    };
    let animation = || cut(&stack.element.name, MAX_NAME);
    if is_off_grid(&curves, [begin, end], rate) {
        warnings.push(FileWarning::KeysOffGrid {
            animation: animation(),
            rate_hz: rate,
        });
    }
    let num_stepped = curves.iter().filter(|keys| varies(keys) && holds(keys)).count();
    if num_stepped > 0 {
        warnings.push(FileWarning::Stepped {
            animation: animation(),
            count: num_stepped,
        });
    }
    let last_key = last_key(&curves);
    if is_stated && last_key < end - 1.5 / rate {
        warnings.push(FileWarning::AnimationShorter {
            keys_end_secs: (last_key - begin).max(0.0),
            stated_secs: end - begin,
        });
    }
    let intervals = ((end - begin) * rate + END_SLACK).floor();
    Ok(Grid {
        begin_secs: begin,
        frame_time_secs: 1.0 / rate,
        num_frames: (intervals as usize).saturating_add(1),
        is_stepped: num_stepped > 0,
        tail_frames: tail.map(|tail| (tail.tail_secs - even_end) * rate),
    })
}

/// Returns the range of an animation, and whether its file states one.
fn range(
    scene: &Scene,
    stack: &AnimStack,
    curves: &[&[Keyframe]],
    warnings: &mut Vec<FileWarning>,
) -> Result<([f64; 2], bool), FbxError> {
    let (mut begin, mut end) = (stack.time_begin, stack.time_end);
    let is_stated = begin.is_finite() && end.is_finite() && end > begin;
    if !is_stated {
        let first_keys = curves.iter().map(|keys| keys[0].time);
        (begin, end) = (smallest(first_keys), last_key(curves));
    }
    // Up to where every moving curve still has keys: a single curve may have a stray one beyond.
    let moving = curves.iter().filter(|keys| varies(keys)).map(|keys| end_of(keys));
    let keys_end = smallest(moving);
    if keys_end.is_finite() && keys_end > end + 1.5 / scene.settings.frames_per_second {
        warnings.push(FileWarning::AnimationLonger {
            keys_end_secs: keys_end - begin,
            stated_secs: end - begin,
        });
        end = keys_end;
    }
    if begin.is_finite() && end.is_finite() && end >= begin {
        Ok(([begin, end], is_stated))
    } else {
        Err(FbxError::NoAnimation)
    }
}

fn times(keys: &[Keyframe]) -> impl Iterator<Item = f64> {
    keys.iter().map(|key| key.time)
}

fn end_of(keys: &[Keyframe]) -> f64 {
    keys.last().map_or(f64::NEG_INFINITY, |key| key.time)
}

fn last_key(curves: &[&[Keyframe]]) -> f64 {
    curves.iter().map(|keys| end_of(keys)).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the keys of all that moves, if they fill the range and are even up to the last.
fn tail(curves: &[&[Keyframe]], [begin, end]: [f64; 2]) -> Option<EvenKeys> {
    let mut moving: Vec<&[Keyframe]> = curves.iter().copied().filter(|keys| varies(keys)).collect();
    // One curve may move many nodes.
    moving.sort_by_key(|keys| keys.as_ptr());
    moving.dedup_by(|next, known| times(next).eq(times(known)));
    let mut times: Vec<f64> = moving.into_iter().flat_map(times).collect();
    even_keys::sort(&mut times);
    let keys = EvenKeys::with_tail(&times)?;
    let is_at = |secs: f64, key: f64| (secs - key).abs() <= even_keys::OFF_GRID_FRAMES * keys.step_secs;
    (is_at(begin, keys.start_secs) && is_at(end, keys.tail_secs)).then_some(keys)
}

/// Returns the keys before a time, within rounding.
fn before(keys: &[Keyframe], secs: f64) -> &[Keyframe] {
    &keys[..keys.partition_point(|key| key.time < secs - SAME_SECS)]
}

/// Chooses between the scene's rate and the rate of the keys.
fn rate(
    scene: &Scene,
    curves: &[&[Keyframe]],
    range: [f64; 2],
    warnings: &mut Vec<FileWarning>,
) -> Result<f64, FbxError> {
    let scene_rate = scene.settings.frames_per_second;
    let rate = match key_rate(curves, range[0], range[1]) {
        // Names of rates are rounded: 23.976 is 24 000 in 1001 seconds.
        Some(rate) if (rate / scene_rate - 1.0).abs() < SAME_RATE => rate,
        Some(rate) if rate > 1.01 * scene_rate || !RATES.contains(&scene_rate) => {
            warnings.push(FileWarning::KeyRate {
                keys_hz: rate,
                scene_hz: scene_rate,
            });
            rate
        }
        Some(rate) if is_baked(curves, range, rate) => rate,
        _ => scene_rate,
    };
    if RATES.contains(&rate) {
        Ok(rate)
    } else {
        Err(FbxError::FrameRate { found: rate })
    }
}

/// Largest distance of a key from its frame, in frames, and the share of keys that may exceed it.
const OFF_GRID_FRAMES: f64 = 0.05;
const OFF_GRID_SHARE: f64 = 0.01;

/// Whether keys lie between frames, so that their values are not sampled exactly.
fn is_off_grid(curves: &[&[Keyframe]], [begin, end]: [f64; 2], rate_hz: f64) -> bool {
    let (mut inside, mut off) = (0_usize, 0_usize);
    for keys in curves {
        // A curve of one key or of equal keys is constant.
        if !varies(keys) {
            continue;
        }
        for time in times(keys) {
            if (begin..=end).contains(&time) {
                let frame = (time - begin) * rate_hz;
                inside += 1;
                off += usize::from((frame - frame.round()).abs() > OFF_GRID_FRAMES);
            }
        }
    }
    off as f64 > OFF_GRID_SHARE * inside as f64
}

/// Whether all varying curves have a key at every frame of that rate and nowhere else, with straight lines between.
fn is_baked(curves: &[&[Keyframe]], [begin, end]: [f64; 2], rate_hz: f64) -> bool {
    let num_keys = ((end - begin) * rate_hz).round() + 1.0;
    curves.iter().filter(|keys| varies(keys)).all(|keys| {
        let (last, inner) = match keys.split_last() {
            Some((last, inner)) if keys.len() as f64 == num_keys => (last, inner),
            _ => return false,
        };
        let on_frame = |(frame, time): (usize, f64)| ((time - begin) * rate_hz - frame as f64).abs() < OFF_GRID_FRAMES;
        let is_straight = inner.iter().all(|key| key.interpolation == ufbx::Interpolation::Linear);
        is_straight && on_frame((inner.len(), last.time)) && times(inner).enumerate().all(on_frame)
    })
}

/// Whether a curve is stepped.
fn holds(keys: &[Keyframe]) -> bool {
    let mut keys = keys.iter().take(keys.len().saturating_sub(1));
    keys.all(|key| key.interpolation == ufbx::Interpolation::ConstantPrev)
}

/// Whether a curve has keys of different values.
pub(super) fn varies(keys: &[Keyframe]) -> bool {
    let mut values = keys.iter().map(|key| key.value);
    let Some(first) = values.next() else { return false };
    values.any(|value| (value - first).abs() > 1e-6 * first.abs().max(1.0))
}

/// Warns about joints whose curves turn on by more than half a turn from frame to frame.
pub(super) fn warn_of_turns(stack: &AnimStack, joints: &Joints, grid: &Grid, warnings: &mut Vec<FileWarning>) {
    let turns =
        props(stack).filter(|prop| prop.element.type_ == ElementType::Node && &*prop.prop_name == "Lcl Rotation");
    let found = turns.flat_map(|prop| {
        let joint = joints
            .nodes
            .iter()
            .position(|node| *node == prop.element.typed_id as usize);
        let curves = prop.anim_value.curves.iter().flatten();
        curves.filter_map(move |curve| {
            let joint = joint?;
            // Two steps of half a turn take a whole one.
            if curve.max_value - curve.min_value <= 360.0 {
                return None;
            }
            let mut turning = Turning::default();
            (0..grid.num_frames).for_each(|frame| turning.look_at(ufbx::evaluate_curve(curve, grid.secs(frame), 0.0)));
            Some((joints.names[joint].clone(), turning.fastest()?))
        })
    });
    warnings.extend(FileWarning::turns_back(found));
}

/// Fewest intervals that define a rate, and the share of them that must have one length, within a hundredth of it.
const MIN_INTERVALS: usize = 4;

/// Fewest intervals that define a rate if all curves are baked at it, because a loop may have three samples; and the lowest such
/// rate, per second, below which keys are probably set by hand.
const MIN_BAKED_INTERVALS: usize = 2;
const MIN_BAKED_RATE: f64 = 8.0;
const EVEN_SHARE: f64 = 0.9;

/// A rate is rounded to a whole number if that moves the last key no farther off its frame than this, in frames: times in files
/// are rounded. A rate of 120.0005 is not 120: after ten seconds a swinging hand is off by half a degree; a thousandth of a frame
/// is a hundredth of a degree of a kicking leg.
const WHOLE_RATE_FRAMES: f64 = 1e-4;

/// Returns the even rate of the curve with most keys in the range, if it has one.
fn key_rate(curves: &[&[Keyframe]], begin: f64, end: f64) -> Option<f64> {
    let times = curves.iter().map(|keys| {
        let in_range = |time: &f64| (begin - SAME_SECS..=end + SAME_SECS).contains(time);
        times(keys).filter(in_range).collect()
    });
    let times: Vec<f64> = times.max_by_key(Vec::len)?;
    let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.len() < MIN_BAKED_INTERVALS {
        return None;
    }
    let are_few = steps.len() < MIN_INTERVALS;
    let median = percentile::upper_median(steps.iter().copied());
    let even = steps.iter().filter(|step| (*step / median - 1.0).abs() < 0.01).count();
    if median <= 0.0 || (even as f64) < EVEN_SHARE * steps.len() as f64 {
        return None;
    }
    let rate = if even == steps.len() {
        steps.len() as f64 / (times[times.len() - 1] - times[0])
    } else {
        1.0 / median
    };
    if are_few && !(rate >= MIN_BAKED_RATE && is_baked(curves, [begin, end], rate)) {
        return None;
    }
    let whole = rate.round();
    Some(
        if (rate / whole - 1.0).abs() * (steps.len() as f64) < WHOLE_RATE_FRAMES {
            whole
        } else {
            rate
        },
    )
}
