//! Figures that say how good a loop is, computed from its keys as they were written.
//!
//! All positions are seen from the root, so that travel and turning do not count as motion of the body.
//! Definitions: docs/math/measures.md.

use glam::{DQuat, DVec3};

use crate::{
    analysis::{body::Body, heading::Heading, screen::percentile},
    loop_clip::{LoopClip, LoopClipError, keys::body_of_key},
    math::{rigid::Rigid, rotation},
    motion::Tracks,
    root_motion::{
        RootMode, RootSpace, RootTravel, Rooted,
        cycle::{Cycle, CycleTravel, PointPair, fit_ground_motion},
        full::{FullCycle, fit_motion},
    },
    take::{Skeleton, Take, WorldTracks},
};

/// How the keys of a file make up a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyLayout {
    /// Unique samples of one period.
    pub num_samples: usize,
    /// Whether a key that equals the first follows the last sample.
    pub has_closing_key: bool,
}

impl KeyLayout {
    /// How many keys make up a period of the file, the closing one included, where it has them and the carrier.
    pub(crate) fn check(&self, written: &Take, carrier: usize) -> Result<usize, KeysError> {
        let num_joints = written.num_joints();
        if self.num_samples < 3 {
            return Err(KeysError::TooFew {
                found: self.num_samples,
            });
        }
        let needed = self.num_samples.saturating_add(usize::from(self.has_closing_key));
        if written.num_frames() < needed {
            return Err(KeysError::MissingKeys {
                needed,
                found: written.num_frames(),
            });
        }
        if carrier >= num_joints {
            return Err(KeysError::Carrier { carrier, num_joints });
        }
        Ok(needed)
    }
}

/// Why keys cannot be measured as a loop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeysError {
    /// Fewer than three unique samples.
    #[error("a loop has at least 3 samples, this one has {found}")]
    TooFew {
        /// Samples found.
        found: usize,
    },
    /// The file holds fewer keys than the loop needs.
    #[error("the loop needs {needed} keys, the file has {found}")]
    MissingKeys {
        /// Keys needed.
        needed: usize,
        /// Keys found.
        found: usize,
    },
    /// The joint that is said to carry the travel is not there.
    #[error("joint {carrier} cannot carry the travel, there are {num_joints}")]
    Carrier {
        /// Index given.
        carrier: usize,
        /// Joints of the skeleton.
        num_joints: usize,
    },
    /// The keys are not a loop clip.
    #[error(transparent)]
    LoopClip(#[from] LoopClipError),
}

/// One period of a loop as its file has it, seen from the root.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopKeys {
    skeleton: Skeleton,
    step_secs: f64,
    layout: KeyLayout,
    root: RootTravel,
    /// Local rotations, the carrier's relative to the root; keys times joints, the closing key included where there is one.
    rotations: Vec<DQuat>,
    /// Positions of all joints seen from the root, likewise.
    positions: Vec<DVec3>,
}

impl LoopKeys {
    /// Takes the root's travel out of the keys of a written loop.
    ///
    /// `carrier` is the joint of `written` whose track holds the travel. Errors: the file has too few keys or joints.
    pub fn new(written: &Take, layout: KeyLayout, root: RootTravel, carrier: usize) -> Result<Self, KeysError> {
        Self::of_cycle(written, layout, root, carrier, 0)
    }

    /// The same of a later cycle, where several stand one after the other in the file; the first has number 0.
    pub fn of_cycle(
        written: &Take,
        layout: KeyLayout,
        root: RootTravel,
        carrier: usize,
        cycle: usize,
    ) -> Result<Self, KeysError> {
        let needed = layout.check(written, carrier)?;
        let start = cycle.saturating_mul(layout.num_samples);
        if start.saturating_add(needed) > written.num_frames() {
            return Err(KeysError::MissingKeys {
                needed: start.saturating_add(needed),
                found: written.num_frames(),
            });
        }
        let num_joints = written.num_joints();
        let mut keys = Self {
            skeleton: written.skeleton().clone(),
            step_secs: written.frame_time_secs(),
            layout,
            root,
            rotations: Vec::with_capacity(needed * num_joints),
            positions: Vec::with_capacity(needed * num_joints),
        };
        for key in start..start + needed {
            let pose = body_of_key(written, key, &root, carrier);
            keys.positions.extend(pose.as_ref().world(&keys.skeleton).translations);
            keys.rotations.extend(pose.rotations);
        }
        Ok(keys)
    }

    /// The keys of a loop that is not written yet, without a closing one.
    pub fn of_loop(clip: &LoopClip) -> Self {
        let count = clip.num_samples();
        let world = clip.tracks_from_root();
        Self {
            skeleton: clip.skeleton().clone(),
            step_secs: clip.step_secs(),
            layout: KeyLayout {
                num_samples: count,
                has_closing_key: false,
            },
            root: *clip.root(),
            positions: (0..count).flat_map(|sample| world.positions(sample).to_vec()).collect(),
            rotations: (0..count)
                .flat_map(|sample| clip.body_pose(sample).rotations.to_vec())
                .collect(),
        }
    }

    /// Unique samples.
    pub fn num_samples(&self) -> usize {
        self.layout.num_samples
    }

    fn num_joints(&self) -> usize {
        self.skeleton.num_joints()
    }

    /// Position of a joint at a sample of the endless loop, seen from the root, metres.
    fn position(&self, sample: isize, joint: usize) -> DVec3 {
        let sample = sample.rem_euclid(self.num_samples() as isize) as usize;
        self.positions[sample * self.num_joints() + joint]
    }

    fn rotation(&self, sample: isize, joint: usize) -> DQuat {
        let sample = sample.rem_euclid(self.num_samples() as isize) as usize;
        self.rotations[sample * self.num_joints() + joint]
    }
}

/// Travel and layout of a loop told from its keys alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recognised {
    /// How the keys make up the loop.
    pub layout: KeyLayout,
    /// The travel from the first key to the one that closes the loop.
    pub root: RootTravel,
    /// The space that the travel is one of.
    pub space: RootSpace,
    /// The joint whose track holds the travel.
    pub carrier: usize,
}

/// Poses whose joints lie this close after the travel is taken out count as equal keys, metres: looser than a pop, so that
/// a closing key that is slightly off is still seen as one and its gap reported.
const SAME_POSE_METRES: f64 = 0.01;

/// Tells from a file without a sidecar whether its last key closes the loop, and how the root travels.
///
/// Whole turns are told by the headings between, as for a take. Where no motion over the ground lays the first pose onto the
/// last but one about another axis does, the travel is one in full space. Errors: fewer than three keys.
pub fn recognise(written: &Take, body: &Body, carrier: usize) -> Result<Recognised, KeysError> {
    let num_keys = written.num_frames();
    if num_keys < 4 {
        return Err(KeysError::TooFew { found: num_keys });
    }
    let world = written.world_tracks();
    let last = num_keys - 1;
    let at = |key: usize| {
        let world = &world;
        move |joint: usize| Rigid::new(world.rotation(key, joint), world.position(key, joint))
    };
    let whole = pose_pairs(written.skeleton(), carrier, &at(0), &at(last));
    let gap = |motion: Rigid| {
        let off = |pair: &PointPair| (motion.transform_point(pair.start) - pair.end).length();
        whole.iter().map(off).fold(0.0, f64::max)
    };
    let (on_the_ground, in_full_space) = (fit_ground_motion(&whole), fit_motion(&whole));
    let space = if gap(on_the_ground) >= SAME_POSE_METRES && gap(in_full_space) < SAME_POSE_METRES {
        RootSpace::Full
    } else {
        RootSpace::Ground
    };
    let (has_closing_key, motion) = match space {
        RootSpace::Full => (true, in_full_space),
        RootSpace::Ground if gap(on_the_ground) < SAME_POSE_METRES => (true, on_the_ground),
        RootSpace::Ground => {
            // Without a closing key both ends are carried on by half a step along parabolas; there they meet.
            let half_a_step_on = |keys: [usize; 3], joint: usize| {
                let [at, inner, further] = keys.map(|key| world.position(key, joint));
                (15.0 * at - 10.0 * inner + 3.0 * further) / 8.0
            };
            let pairs: Vec<PointPair> = travelling(written.skeleton(), carrier)
                .map(|joint| PointPair {
                    start: half_a_step_on([0, 1, 2], joint),
                    end: half_a_step_on([last, last - 1, last - 2], joint),
                    weight: 1.0,
                })
                .collect();
            (false, fit_ground_motion(&pairs))
        }
    };
    let num_samples = if has_closing_key { num_keys - 1 } else { num_keys };
    let travel = travel_of_keys(written, body, carrier, num_samples, motion, space);
    Ok(Recognised {
        layout: KeyLayout {
            num_samples,
            has_closing_key,
        },
        root: RootTravel {
            mode: RootMode::Keep,
            start: travel.start,
            twist: travel.twist,
        },
        space,
        carrier,
    })
}

/// All joints but those above the carrier, which stay behind and would hold the travel back.
fn travelling(skeleton: &Skeleton, carrier: usize) -> impl Iterator<Item = usize> {
    let above = skeleton.path_from_root(carrier);
    (0..skeleton.num_joints()).filter(move |joint| *joint == carrier || !above.contains(joint))
}

/// Lever of the points that tell how the carrier is turned, metres.
const LEVER_METRES: f64 = 0.1;

/// Points of two poses: every joint that travels, and six about the carrier.
fn pose_pairs(
    skeleton: &Skeleton,
    carrier: usize,
    start: &dyn Fn(usize) -> Rigid,
    end: &dyn Fn(usize) -> Rigid,
) -> Vec<PointPair> {
    let about = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * LEVER_METRES);
    let point = |joint: usize, lever: DVec3| PointPair {
        start: start(joint).transform_point(lever),
        end: end(joint).transform_point(lever),
        weight: 1.0,
    };
    let joints = travelling(skeleton, carrier).map(|joint| point(joint, DVec3::ZERO));
    let levers = about.iter().flat_map(|&axis| [axis, -axis]);
    joints.chain(levers.map(|lever| point(carrier, lever))).collect()
}

/// The constant twist that makes `motion` over the keys of one period, whole turns included.
fn travel_of_keys(
    written: &Take,
    body: &Body,
    carrier: usize,
    num_samples: usize,
    motion: Rigid,
    space: RootSpace,
) -> CycleTravel {
    let skeleton = written.skeleton();
    let mut tracks = Tracks::empty(skeleton.clone(), written.frame_time_secs(), num_samples + 1);
    for key in 0..num_samples {
        tracks.push(written.pose(key));
    }
    // The key that closes the loop, whether or not it is written: the first one, moved on.
    let mut closing = written.pose(0).to_pose();
    closing.carry(skeleton, carrier, motion);
    tracks.push(closing.as_ref());
    let world = tracks.world();
    let period_secs = num_samples as f64 * written.frame_time_secs();
    match space {
        RootSpace::Ground => Cycle {
            heading: &Heading::of(&world, body, written.frame_time_secs()),
            first: 0,
            num_intervals: num_samples,
            period_secs,
            motion,
            cycles: 1,
        }
        .exact_travel(),
        RootSpace::Full => {
            let frame = |key: usize| Rigid::new(world.rotation(key, body.hips), world.position(key, body.hips));
            FullCycle {
                frames: &(0..=num_samples).map(frame).collect::<Vec<_>>(),
                period_secs,
                motion,
            }
            .exact_travel()
        }
    }
}

/// The topmost joint on the way to the hips whose pose changes at all: in a written loop the joint that holds the travel.
pub fn topmost_moving(written: &Take, body: &Body) -> usize {
    let world = written.world_tracks();
    let moves = |joint: usize| {
        (1..written.num_frames()).any(|frame| {
            (world.position(frame, joint) - world.position(0, joint)).length() > STANDS_WITHIN
                || rotation::difference(world.rotation(frame, joint), world.rotation(0, joint)).length() > STANDS_WITHIN
        })
    };
    let path = written.skeleton().path_from_root(body.hips);
    path.into_iter().find(|&joint| moves(joint)).unwrap_or(body.hips)
}

/// A joint that stays within this of its first pose, metres and radians, stands still: above the rounding of any file.
const STANDS_WITHIN: f64 = 1e-5;

/// The figures. Angles in radians, lengths in metres, rates per second; `None` where unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Largest turn of a joint between first and closing key, and of a jump before the seam.
    pub c0_radians: f64,
    /// Largest distance of a joint between first and closing key, and of a jump before the seam.
    pub c0_metres: f64,
    /// Second difference at the seam less the take's own there, over the RMS of second differences, mean over joints.
    pub seam_acceleration_error: Option<f64>,
    /// Largest over joints of the seam's second difference over the 99th percentile of the joint's others.
    pub seam_acceleration_p99: f64,
    /// Share of windows with a smaller third difference than the seam's, 0 to 1; 0.5 on average when nothing shows.
    pub seam_rank: f64,
    /// The same for the take's own frames at both ends of the cut, mean of the two.
    pub take_rank: Option<f64>,
    /// Mean distance of joints from the uncut take, root aligned.
    pub displacement_metres: Option<f64>,
    /// Mean turn of joints from the uncut take, root aligned.
    pub displacement_radians: Option<f64>,
    /// Mean horizontal speed of feet while they stand, metres per second; `None` without feet or stance.
    pub skate_mps: Option<f64>,
}

/// A loop pops when a joint turns or moves further than this over the seam, radians (0.1 degrees) and metres, ...
pub const POP_RADIANS: f64 = 0.1 * core::f64::consts::PI / 180.0;
/// ... metres, ...
pub const POP_METRES: f64 = 1e-3;
/// ... or when its seam acceleration exceeds this many times the joint's own 99th percentile.
pub const POP_ACCELERATION: f64 = 1.5;

impl Quality {
    /// Whether the eye would see the seam.
    pub fn pops(&self) -> bool {
        self.c0_radians > POP_RADIANS || self.c0_metres > POP_METRES || self.seam_acceleration_p99 > POP_ACCELERATION
    }
}

/// What a joint that goes evenly trembles by in a file of single precision some tens of metres from the origin, metres: its largest
/// second differences are at least this, or the seam would be held against rounding.
const TREMBLE_METRES: f64 = 5e-6;

/// Second differences below this are rounding of the file, not motion, metres.
const ROUNDING_METRES: f64 = 1e-7;

/// Measures a loop as written; `source` is the uncut clip relative to the same root, where it is at hand.
pub fn measure(keys: &LoopKeys, body: &Body, source: Option<&Rooted>) -> Quality {
    let source = source.map(SourceTracks::of);
    let source = source.as_ref();
    let (c0_radians, c0_metres) = c0(keys, source);
    let (displacement_metres, displacement_radians) = source.map_or((None, None), |source| {
        let (metres, radians) = displacement(keys, source);
        (Some(metres), Some(radians))
    });
    Quality {
        c0_radians,
        c0_metres,
        seam_acceleration_error: source.and_then(|source| seam_acceleration_error(keys, source)),
        seam_acceleration_p99: seam_acceleration_p99(keys),
        seam_rank: seam_rank(keys),
        take_rank: source.and_then(take_rank),
        displacement_metres,
        displacement_radians,
        skate_mps: skate(keys, body, source),
    }
}

/// Tracks of an uncut clip seen from the root, context included.
struct SourceTracks<'a> {
    rooted: &'a Rooted,
    world: WorldTracks,
}

impl<'a> SourceTracks<'a> {
    fn of(rooted: &'a Rooted) -> Self {
        Self {
            rooted,
            world: rooted.clip.world_tracks(),
        }
    }

    fn has(&self, sample: isize) -> bool {
        self.rooted.clip.sample_range().contains(&sample)
    }

    fn position(&self, sample: isize, joint: usize) -> DVec3 {
        let index = sample - self.rooted.clip.sample_range().start();
        self.world.position(index as usize, joint)
    }
}

/// The joints that show most at the seam, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeamJoints {
    /// Of [`Quality::c0_radians`].
    pub turn: usize,
    /// Of [`Quality::c0_metres`].
    pub gap: usize,
    /// Of [`Quality::seam_acceleration_p99`].
    pub acceleration: usize,
}

/// Where a loop's largest figures come from; the first of equals. Takes what [`measure`] took.
pub fn seam_joints(keys: &LoopKeys, source: Option<&Rooted>) -> SeamJoints {
    let source = source.map(SourceTracks::of);
    let worst = |figure: &dyn Fn(usize) -> f64| {
        (0..keys.num_joints()).fold((0, f64::NEG_INFINITY), |worst, joint| {
            let found = figure(joint);
            if found > worst.1 { (joint, found) } else { worst }
        })
    };
    SeamJoints {
        turn: worst(&|joint| joint_c0(keys, source.as_ref(), joint).0).0,
        gap: worst(&|joint| joint_c0(keys, source.as_ref(), joint).1).0,
        acceleration: worst(&|joint| joint_acceleration_p99(keys, joint)).0,
    }
}

/// Gap between first and closing key, and what the step over the seam exceeds any natural step there.
fn c0(keys: &LoopKeys, source: Option<&SourceTracks<'_>>) -> (f64, f64) {
    (0..keys.num_joints())
        .map(|joint| joint_c0(keys, source, joint))
        .fold((0.0, 0.0), |worst, gap| (worst.0.max(gap.0), worst.1.max(gap.1)))
}

/// The same of one joint.
fn joint_c0(keys: &LoopKeys, source: Option<&SourceTracks<'_>>, joint: usize) -> (f64, f64) {
    let last = keys.num_samples() as isize;
    let (mut radians, mut metres) = (0.0_f64, 0.0_f64);
    if keys.layout.has_closing_key {
        let closing = keys.num_samples() * keys.num_joints() + joint;
        radians = rotation::difference(keys.rotations[closing], keys.rotations[joint]).length();
        metres = (keys.positions[closing] - keys.positions[joint]).length();
    }
    let moved = |sample: isize| (keys.position(sample + 1, joint) - keys.position(sample, joint)).length();
    let own = source.map(|source| (source.position(last, joint) - source.position(last - 1, joint)).length());
    metres = metres.max(jump(&moved, last, own));
    let turned =
        |sample: isize| rotation::difference(keys.rotation(sample + 1, joint), keys.rotation(sample, joint)).length();
    let own = source.map(|source| {
        let turn = |sample: isize| source.rooted.clip.rotations(sample)[joint];
        rotation::difference(turn(last), turn(last - 1)).length()
    });
    (radians.max(jump(&turned, last, own)), metres)
}

/// What the step from the last sample to the first exceeds any natural step there, at least 0.
///
/// A key copied over a jump has no gap, but a step. Natural is what the longer neighbour and twice the largest change of
/// step length elsewhere explain, and what the take itself does there, where it is at hand (`own`): a foot may well slap
/// down just then.
fn jump(step: &dyn Fn(isize) -> f64, last: isize, own: Option<f64>) -> f64 {
    let neighbour = step(last - 2).max(step(0)).max(own.unwrap_or(0.0));
    let bend = (0..last - 2)
        .map(|sample| (step(sample + 1) - step(sample)).abs())
        .fold(0.0, f64::max);
    (step(last - 1) - neighbour - 2.0 * bend).max(0.0)
}

/// Second differences of all samples of a joint: size at index i is centred at sample i.
fn second_differences(keys: &LoopKeys, joint: usize) -> Vec<DVec3> {
    (0..keys.num_samples() as isize)
        .map(|sample| {
            keys.position(sample + 1, joint) - 2.0 * keys.position(sample, joint) + keys.position(sample - 1, joint)
        })
        .collect()
}

fn seam_acceleration_p99(keys: &LoopKeys) -> f64 {
    (0..keys.num_joints())
        .map(|joint| joint_acceleration_p99(keys, joint))
        .fold(0.0, f64::max)
}

/// The same of one joint.
fn joint_acceleration_p99(keys: &LoopKeys, joint: usize) -> f64 {
    let num_samples = keys.num_samples();
    let sizes: Vec<f64> = second_differences(keys, joint).iter().map(|a| a.length()).collect();
    // The seam lies between the last sample and the first; both see it.
    let seam = sizes[0].max(sizes[num_samples - 1]);
    let mut others = sizes[1..num_samples - 1].to_vec();
    others.sort_by(f64::total_cmp);
    seam / percentile(&others, 0.99).max(TREMBLE_METRES)
}

fn seam_acceleration_error(keys: &LoopKeys, source: &SourceTracks<'_>) -> Option<f64> {
    let end = keys.num_samples() as isize;
    let known: Vec<isize> = [0, end]
        .into_iter()
        .filter(|&at| source.has(at - 1) && source.has(at + 1))
        .collect();
    if known.is_empty() {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for joint in 0..keys.num_joints() {
        let differences = second_differences(keys, joint);
        let mean_square = differences.iter().map(|a| a.length_squared()).sum::<f64>() / differences.len() as f64;
        let rms = mean_square.sqrt();
        if rms < ROUNDING_METRES {
            continue;
        }
        let own = known
            .iter()
            .map(|&at| {
                source.position(at + 1, joint) - 2.0 * source.position(at, joint) + source.position(at - 1, joint)
            })
            .sum::<DVec3>()
            / known.len() as f64;
        sum += (differences[0] - own).length() / rms;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// Mean over joints of the size of third differences over their RMS, per sample that starts one.
fn third_difference_profile(num_samples: usize, joints: usize, position: impl Fn(isize, usize) -> DVec3) -> Vec<f64> {
    let mut profile = vec![0.0; num_samples];
    let mut count = 0.0;
    for joint in 0..joints {
        let sizes: Vec<f64> = (0..num_samples as isize)
            .map(|i| {
                let [a, b, c, d] = [i, i + 1, i + 2, i + 3].map(|at| position(at, joint));
                ((d - a) - 3.0 * (c - b)).length()
            })
            .collect();
        let rms = (sizes.iter().map(|size| size * size).sum::<f64>() / num_samples as f64).sqrt();
        if rms < ROUNDING_METRES {
            continue;
        }
        for (total, size) in profile.iter_mut().zip(&sizes) {
            *total += size / rms;
        }
        count += 1.0;
    }
    if count > 0.0 {
        for total in &mut profile {
            *total /= count;
        }
    }
    profile
}

/// Share of `windows` below `value`, equal ones counted half.
fn mid_rank(windows: &[f64], value: f64) -> f64 {
    let below = windows.iter().filter(|&&window| window < value).count() as f64;
    let equal = windows.iter().filter(|&&window| window == value).count() as f64;
    (below + 0.5 * equal) / windows.len() as f64
}

fn seam_rank(keys: &LoopKeys) -> f64 {
    let num_samples = keys.num_samples();
    let profile = third_difference_profile(num_samples, keys.num_joints(), |sample, joint| {
        keys.position(sample, joint)
    });
    let window = |start: usize| (0..3).map(|i| profile[(start + i) % num_samples]).fold(0.0, f64::max);
    let windows: Vec<f64> = (0..num_samples).map(window).collect();
    // The three that span the step from the last sample to the first.
    mid_rank(&windows, window(num_samples - 3))
}

/// Rank of the take's own frames at start and end among the frames of the cut.
fn take_rank(source: &SourceTracks<'_>) -> Option<f64> {
    let range = source.rooted.clip.sample_range();
    let num_samples = source.rooted.clip.num_intervals() as isize;
    let joints = source.world.num_joints();
    let (first, last) = (*range.start(), *range.end());
    let count = (last - first + 1) as usize;
    if count < 8 {
        return None;
    }
    // Third differences of the open stretch, at index i those that start at sample first + i.
    let open = third_difference_profile(count - 3, joints, |sample, joint| {
        source.position(first + sample, joint)
    });
    let window = |start: isize| {
        let index = usize::try_from(start - first).ok()?;
        open.get(index..index + 3)
            .map(|sizes| sizes.iter().copied().fold(0.0, f64::max))
    };
    let windows: Vec<f64> = (0..num_samples - 5).filter_map(window).collect();
    if windows.is_empty() {
        return None;
    }
    let ranks: Vec<f64> = [0, num_samples]
        .into_iter()
        .filter_map(|end| window(end - 3))
        .map(|value| mid_rank(&windows, value))
        .collect();
    (!ranks.is_empty()).then(|| ranks.iter().sum::<f64>() / ranks.len() as f64)
}

fn displacement(keys: &LoopKeys, source: &SourceTracks<'_>) -> (f64, f64) {
    let (mut metres, mut radians) = (0.0, 0.0);
    for sample in 0..keys.num_samples() as isize {
        let rotations = source.rooted.clip.rotations(sample);
        for joint in 0..keys.num_joints().min(rotations.len()) {
            metres += (keys.position(sample, joint) - source.position(sample, joint)).length();
            radians += rotation::difference(keys.rotation(sample, joint), rotations[joint]).length();
        }
    }
    let count = (keys.num_samples() * keys.num_joints()) as f64;
    (metres / count, radians / count)
}

/// A foot stands while it is within this of its lowest, metres, ...
pub const STANCE_METRES: f64 = 0.025;
/// ... and slower than this over the ground, metres per second.
pub const STANCE_SPEED: f64 = 0.4;

/// Speed of the standing feet of a loop that is not written yet, as [`Quality::skate_mps`].
pub(crate) fn skate_of_loop(clip: &LoopClip, body: &Body, source: &Rooted) -> Option<f64> {
    skate(&LoopKeys::of_loop(clip), body, Some(&SourceTracks::of(source)))
}

/// A joint that stands on the ground for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The joint.
    pub joint: usize,
    /// The first sample of the loop at which it stands.
    pub first_sample: usize,
    /// Samples that it stands; those beyond the last are the first ones again.
    pub num_samples: usize,
}

/// Mean speed over the ground of joints while they are known to stand, metres per second: [`Quality::skate_mps`] where
/// [`stands`] told when. `None` where nothing stands.
pub fn skate_of_stands(keys: &LoopKeys, stands: &[Stand]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for stand in stands {
        let last = stand
            .first_sample
            .saturating_add(stand.num_samples.min(keys.num_samples()));
        for sample in stand.first_sample..last {
            let sample = (sample % keys.num_samples()) as isize;
            let place = |sample| over_ground(keys, sample, keys.position(sample, stand.joint));
            sum += horizontal_speed(keys, place(sample - 1), place(sample + 1));
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Where what is seen from the root at a sample is over the ground.
///
/// In place the ground moves; its motion is the twist that the root would have had.
fn over_ground(keys: &LoopKeys, sample: isize, seen_from_root: DVec3) -> DVec3 {
    let root = RootTravel {
        mode: RootMode::Keep,
        ..keys.root
    };
    root.at(sample as f64 * keys.step_secs).transform_point(seen_from_root)
}

/// Metres per second along the ground between places two samples apart.
fn horizontal_speed(keys: &LoopKeys, before: DVec3, after: DVec3) -> f64 {
    let step = after - before;
    crate::math::ops::hypot(step.x, step.z) / (2.0 * keys.step_secs)
}

fn skate(keys: &LoopKeys, body: &Body, source: Option<&SourceTracks<'_>>) -> Option<f64> {
    skate_of_stands(keys, &stands_of(keys, body, source))
}

/// When feet stand, as the frames tell that the loop was cut from; without them the loop itself, in which a foot that slides
/// does not stand.
pub fn stands(keys: &LoopKeys, body: &Body, source: Option<&Rooted>) -> Vec<Stand> {
    stands_of(keys, body, source.map(SourceTracks::of).as_ref())
}

fn stands_of(keys: &LoopKeys, body: &Body, source: Option<&SourceTracks<'_>>) -> Vec<Stand> {
    if body.found_by == crate::analysis::body::FoundBy::AllLeaves {
        return Vec::new();
    }
    let num_samples = keys.num_samples() as isize;
    let world = |sample, seen_from_root| over_ground(keys, sample, seen_from_root);
    let horizontal_speed = |before, after| horizontal_speed(keys, before, after);
    let mut stands: Vec<Stand> = Vec::new();
    for foot in &body.feet {
        let joint = foot.lowest_joint();
        let uncut = |sample: isize| match source {
            Some(source) => source.position(sample, joint),
            None => keys.position(sample, joint),
        };
        let known = |sample: isize| source.is_none_or(|source| source.has(sample));
        let lowest = (0..num_samples)
            .map(|sample| uncut(sample).y)
            .fold(f64::INFINITY, f64::min);
        for sample in 0..num_samples {
            // Without frames around the ends the speed there looks inwards.
            let before = if known(sample - 1) { sample - 1 } else { sample };
            let after = if known(sample + 1) { sample + 1 } else { sample };
            let span = (after - before) as f64 / 2.0;
            let speed = horizontal_speed(world(before, uncut(before)), world(after, uncut(after))) / span;
            if uncut(sample).y - lowest > STANCE_METRES || speed > STANCE_SPEED {
                continue;
            }
            let sample = sample as usize;
            match stands.last_mut() {
                Some(stand) if stand.joint == joint && stand.first_sample + stand.num_samples == sample => {
                    stand.num_samples += 1;
                }
                _ => stands.push(Stand {
                    joint,
                    first_sample: sample,
                    num_samples: 1,
                }),
            }
        }
    }
    stands
}
