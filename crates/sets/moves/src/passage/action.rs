//! Takes a whole take unchanged, for an action such as an attack: nothing of it is bent to meet loops.

use super::{
    LoopState, Passage, PassageError, Way, check,
    made::{FEWEST_SAMPLES, Hanging, check_step, heading_at, loop_at, rig_root, root_under},
    moves, stands,
};
use crate::{
    play::entry::{Entry, WeightedState, state_in},
    play::switch::{self, FADE_SECS, near_turn},
    play::{DEFAULT_FADE, INTERPOLATION, LoopSet, check_count},
};
use loopwright_core::{
    analysis::Analysis,
    math::{Decay, Rigid, Twist, greatest, ops, ordered, rotation},
    motion::{Pose, Tracks},
};

/// A body that ends within these distances of where it began, and of how it faced, stays in place: metres for a body of usual size, and
/// radians (75 degrees: hips turn less in a blow whose end is held).
const STAYS_METRES: f64 = 0.2;
const STAYS_RADIANS: f64 = 1.309;

/// An action may be left where leaving costs at most this many times as much as at its end, plus this, metre-seconds.
const LEAVE_TIMES: f64 = 1.5;
const LEAVE_MORE: f64 = 0.02;

/// Fades of an action, seconds: how much longer than [`FADE_SECS`] the next one is that is tried, and the longest.
const MORE_FADE_SECS: f64 = 0.1;
const LONGEST_FADE_SECS: f64 = 1.0;

/// The longest step of a joint in a fade, as a multiple of the longest step in the action and in the loops around it; a tenth less than
/// shows, because samples and phases lie between those that are tried.
const MOST_STEP: f64 = 1.1;

/// Joints are taken to move at least this fast, metres per second: in poses that are held, steps would be compared with rounding.
const LEAST_MPS: f64 = 0.001;

/// Number of phases of a loop at which the action is entered.
const PHASES: usize = 12;

/// A motion that plays once, over or instead of loops, and how it joins them.
#[value]
pub struct Action {
    /// The motion, as it is in its take; its ends are the nearest states of loops.
    pub passage: Passage,
    /// The cheapest entry of each loop, in their order, after the last sample, and its cost, metre-seconds.
    pub next: Vec<(LoopState, f64)>,
    /// The cost of its first pose after the nearest state of a loop, metre-seconds.
    pub entry_cost: f64,
    /// Seconds since the start after which it may be left: from then on that costs little more than at the end.
    pub leave_secs: f64,
    /// How long its fades last, seconds, and the longest step of a joint in them, as a multiple of the longest in the action and in the loops
    /// around it: one that stands, and the slowest that travels.
    pub fade: [f64; 2],
    ends: [WeightedState; 2],
}

impl Action {
    /// Takes a whole take, with this time between samples, up to half of one shorter or longer. Its root stays in place, below a standing
    /// loop of the set, unless the body ends elsewhere; then it moves with the body. Errors: [`PassageError`].
    pub fn new(set: &LoopSet, analysis: &Analysis, step_secs: f64) -> Result<Self, PassageError> {
        check(set, Some(analysis))?;
        check_step(step_secs)?;
        let (take, skeleton) = (&analysis.take, analysis.take.skeleton());
        let last_frame = (take.num_frames() - 1) as f64;
        let steps = (take.duration_secs() / step_secs).round();
        check_count(steps, skeleton)?;
        if steps + 1.0 < FEWEST_SAMPLES as f64 {
            return Err(PassageError::TooShort {
                end_frame: last_frame,
                fewest: FEWEST_SAMPLES,
            });
        }
        let frames = (0..=steps as usize).map(|sample| sample as f64 * last_frame / steps);
        let standing = set.loops().iter().position(|clip| stands(clip, analysis)).unwrap_or(0);
        let like = loop_at(set, standing)?;
        let joint = rig_root(analysis);
        let hanging = Hanging::new(
            joint.as_ref(),
            |joint| like.body_pose(0).world_of(skeleton, joint),
            || like.carrier(),
        );
        let (way, smooth) = (Way::of_root(analysis), Way::of_hips(analysis));
        let (body, limits) = (&analysis.body, analysis.contacts.limits());
        let start = root_under(like, body, limits, 0.0, heading_at(analysis, &way, 0.0)).root();
        // A smoothed path does not end below the hips.
        let ends = [0.0, last_frame].map(|frame| match way.between(frame) {
            at if at == smooth.between(frame) => heading_at(analysis, &way, frame),
            at => at,
        });
        let off = [0, 1].map(|end| ends[end] - way.between([0.0, last_frame][end]));
        let [first, last] = ends;
        let stays = ops::over_ground(last.at - first.at) < STAYS_METRES * body.size(take)
            && rotation::wrap_angle(last.yaw - first.yaw).abs() < STAYS_RADIANS;
        let back = first.root().inverse();
        let root = |frame: f64| {
            let share = frame / last_frame;
            let at = way.between(frame) + off[0] * (1.0 - share) + off[1] * share;
            if stays { start } else { start * (back * at.root()) }
        };
        let roots: Vec<Rigid> = frames.clone().map(root).collect();
        let poses = frames
            .zip(&roots)
            .map(|(frame, &root)| hanging.seen(skeleton, take.sample(frame), root));
        let tracks = Tracks::pose_by_pose(skeleton, take.duration_secs() / steps, poses);
        Ok(Self::joined(
            (set, analysis, standing),
            (tracks, roots, hanging.carrier),
        ))
    }

    /// Finds how it joins the loops of a set.
    fn joined(
        of_set @ (set, analysis, _): (&LoopSet, &Analysis, usize),
        (tracks, roots, carrier): (Tracks, Vec<Rigid>, usize),
    ) -> Self {
        let last = tracks.num_frames() - 1;
        let state = |sample: usize| state_in(&tracks, &roots, sample, set.weights());
        let entries = |state: &WeightedState| -> Vec<(LoopState, f64)> {
            (0..set.loops().len())
                .map(|loop_index| {
                    let Entry { secs, cost } = set.entry_from(state, loop_index, DEFAULT_FADE);
                    (LoopState { loop_index, secs }, cost)
                })
                .collect()
        };
        let cheapest = |entries: &[(LoopState, f64)]| {
            *entries
                .iter()
                .min_by_key(|(_, cost)| ordered(*cost))
                .unwrap_or(&entries[0])
        };
        let ends = [state(0), state(last)];
        let (begins, next) = (cheapest(&entries(&ends[0])), entries(&ends[1]));
        let ending = cheapest(&next);
        let most = LEAVE_TIMES * ending.1 + LEAVE_MORE;
        let leave = (last / 2..last)
            .rev()
            .take_while(|sample| set.entry_from(&state(*sample), ending.0.loop_index, DEFAULT_FADE).cost <= most)
            .last()
            .unwrap_or(last);
        let step_secs = tracks.step_secs();
        let fade = fade(of_set, (&tracks, &roots[..]), leave, &next);
        Self {
            passage: Passage {
                source_frames: Some([0.0, (analysis.take.num_frames() - 1) as f64]),
                ..Passage::once(
                    set,
                    (&analysis.body, analysis.contacts.limits()),
                    (tracks, roots, carrier),
                    ([begins.0, ending.0], begins.1 + ending.1),
                )
            },
            next,
            entry_cost: begins.1,
            leave_secs: leave as f64 * step_secs,
            fade,
            ends,
        }
    }

    /// Returns the cost of another action right after it, metre-seconds.
    pub fn cost_before(&self, other: &Self) -> f64 {
        self.ends[1].state().cost(other.ends[0].state(), DEFAULT_FADE)
    }
}

/// Returns the shortest fade for which no joint steps farther than [`MOST_STEP`] allows, into an action at any phase of a standing loop and of
/// the slowest that travels, and back to these, or the one with the shortest steps that the action is long enough for; and its longest step.
fn fade(
    (set, analysis, standing): (&LoopSet, &Analysis, usize),
    (tracks, roots): (&Tracks, &[Rigid]),
    leave: usize,
    next: &[(LoopState, f64)],
) -> [f64; 2] {
    let (clips, step_secs, last) = (set.loops(), tracks.step_secs(), roots.len() - 1);
    let longest = LONGEST_FADE_SECS.min(last as f64 * step_secs);
    let count = (longest / step_secs) as usize + 2;
    let skeleton = tracks.skeleton().below_root("");
    let action: Vec<Pose> = (0..=last)
        .map(|sample| tracks.pose(sample).to_pose().below_root(roots[sample]))
        .collect();
    let slowest = (0..clips.len())
        .filter(|index| moves(&clips[*index], analysis))
        .min_by_key(|index| ordered(ops::over_ground(clips[*index].root().twist.linear)));
    let loops = slowest.into_iter().chain([standing]).map(|index| {
        let clip = &clips[index];
        let [cycle, back] = [clip.period_secs(), next[index].0.secs].map(|secs| (secs / step_secs).round() as usize);
        let shown = |secs: f64| {
            clip.body_pose_at(secs, INTERPOLATION)
                .below_root(clip.root().twist.exp(secs))
        };
        let poses = (0..=cycle + count).map(|sample| shown(sample as f64 * step_secs));
        (poses.collect(), cycle, back)
    });
    let loops: Vec<(Vec<Pose>, usize, usize)> = loops.collect();
    let longest_step = |poses: &[Pose]| {
        let places = poses.iter().map(|pose| pose.world(&skeleton).translations);
        greatest(places.collect::<Vec<_>>().windows(2).flat_map(|pair| {
            let steps = pair[0][1..].iter().zip(&pair[1][1..]).zip(set.weights());
            // Controls have no weight.
            steps
                .filter(|(_, weight)| **weight > 0.0)
                .map(|((from, to), _)| from.distance(*to))
        }))
    };
    let of_loops = loops.iter().map(|(poses, ..)| longest_step(poses));
    let own = greatest(of_loops.chain([longest_step(&action), LEAST_MPS * step_secs]));
    let step_of = |fade: Decay, seen: &[Pose], follows: &[Pose]| {
        let rate = |poses: &[Pose]| Twist::log(poses[0].joint(0).inverse() * poses[1].joint(0), step_secs);
        let rates = rate(seen).plus(rate(follows), -1.0);
        let mut root = Rigid::IDENTITY;
        let shown = follows.windows(2).take(count).enumerate().map(|(sample, own)| {
            let secs = sample as f64 * step_secs;
            let [value, rate, _] = switch::left(fade, secs);
            let joints = (0..skeleton.num_joints()).map(|joint| {
                let [first, second] = [0, 1].map(|after| {
                    let [seen, follows] = [seen, follows].map(|poses| poses[after].joint(joint));
                    let turn = rotation::difference(seen.rotation, follows.rotation);
                    [turn, seen.translation - follows.translation]
                });
                let [turn, shift] = [0, 1].map(|part| {
                    let [first, second] = [first[part], near_turn(second[part], first[part])];
                    first * value + (second - first) * (rate / step_secs)
                });
                let own = own[0].joint(joint);
                (own.translation + shift, rotation::exp(turn) * own.rotation)
            });
            let mut pose: Pose = joints.collect();
            pose.set_joint(0, root);
            let half = switch::half_step(rates, fade, [secs, secs + step_secs]);
            root = root * half * (own[0].joint(0).inverse() * own[1].joint(0)) * half;
            pose
        });
        longest_step(&shown.collect::<Vec<_>>())
    };
    let mut secs = 0.0;
    let mut best = [FADE_SECS.min(longest), f64::INFINITY];
    while secs < longest && best[1] > MOST_STEP {
        secs = (secs + MORE_FADE_SECS).max(FADE_SECS).min(longest);
        let fade = Decay::Cubic { blend_secs: secs };
        let steps = loops.iter().flat_map(|(poses, cycle, back)| {
            let into = (0..PHASES).map(|phase| step_of(fade, &poses[phase * cycle / PHASES..], &action));
            // The last sample has none after it, which a rate needs.
            let back = [leave, last].map(|sample| step_of(fade, &action[sample.min(last - 1)..], &poses[*back..]));
            into.chain(back).collect::<Vec<_>>()
        });
        let step = greatest(steps) / own;
        if step < best[1] {
            best = [secs, step];
        }
    }
    best
}
