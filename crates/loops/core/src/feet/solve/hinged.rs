//! Loops of robots: the seam is closed, and feet are held, by changing only the angles of hinges and the base.
//!
//! Closing moves every track by the smallest offsets around the ring of all samples that make its third differences over the seam continue
//! those on both sides. Feet are then held by one search over the whole loop: sole points that touch the ground neither slide nor leave it,
//! no others sink below it, hinges stay within their limits, and everything else changes little and smoothly. Derivation:
//! docs/math/hinges.md.

use glam::DVec3;

use super::{
    super::{
        Bearing, Course, Feet, FootOutcome, FootPoint,
        contact::{self, LoopContact},
    },
    MOST_PRODUCTS,
    normal::{FEWEST_SAMPLES, NormalEquations},
};
use crate::{
    analysis::{Body, standing::SPEED_SECS},
    closure::{
        Closed, ClosureSettings,
        ring::{self, DIFFERENCE, Ring, third_difference},
    },
    loop_clip::LoopClip,
    math::{Rigid, TimeStep, Twist, greatest, ops, ordered, percentile, rotation, smallest},
    motion::{Hinges, Pose, Skeleton},
    quality,
    root_motion::RootRelativeClip,
    take::Clip,
};

/// Offsets are smooth over this long, seconds, and over at least this many samples: a shorter time is visible, a longer one moves the body
/// more.
const SMOOTH_SECS: f64 = 0.05;
const SMOOTH_SAMPLES: f64 = 1.2;

/// A hinge that would have to move farther than this is refused, radians (20 degrees): its motion is no cycle.
const MOST_MOVED: f64 = 0.349_065_850_398_865_9;

/// The unit of each unknown: three millimetres of the base, and a degree of the base and of hinges.
const PLACE_METRES: f64 = 3e-3;
const TURN: f64 = core::f64::consts::PI / 180.0;

/// Unknowns of the base.
const BASE: usize = 6;

/// A point touches the ground below this height, metres, and below this speed over the ground, metres per second.
const TOUCH_METRES: f64 = 0.02;
const TOUCH_MPS: f64 = 0.15;

/// A foot that slides faster than this in the middle of its contact drags on purpose, metres per second.
const DRAG_MPS: f64 = 0.1;

/// A touching point that slides at this speed, metres per second, or is this far off the ground, metres, costs as much as a unit.
const SLIDE_MPS: f64 = 0.0015;
const HEIGHT_METRES: f64 = 3e-4;

/// Height above which points are that do not touch the ground, metres.
const SWING_METRES: f64 = 2e-3;

/// Weight of a unit beyond the limit of a hinge, and the distance from the limit at which it begins, radians.
const LIMIT: f64 = 31.6;
const MARGIN: f64 = 0.2 * TURN;

/// A floor this near to the zero of the file is taken to be at zero, metres: retargeted soles sink by one to two centimetres.
const ZERO_METRES: f64 = 0.05;

/// Most steps of the search; and the largest step that ends it, in units. From [`KEEPS`] on, points and limits that were active once stay
/// active, since two sets of them might otherwise alternate forever.
const MOST_STEPS: usize = 15;
const SETTLED: f64 = 0.01;
const KEEPS: usize = 3;

/// Why a stretch is no loop of a robot.
#[error_kinds]
pub enum HingeError {
    #[error("a robot's loop needs at least {FEWEST_SAMPLES} samples, found {found}")]
    TooShort { found: usize },
    #[error("a robot's loop of {found} samples is too long to be held on its hinges")]
    TooLong { found: usize },
    #[error("a robot's loop is closed as a whole cycle; half cycles that mirror each other are not")]
    Mirrored,
    #[error("no cycle: {joint} would have to move by {degrees:.0} degrees, more than 20")]
    Moved { joint: String, degrees: f64 },
    #[error("the feet cannot be held: the search has no solution")]
    Unsolved,
}

/// Returns the time over which offsets are smooth, in samples.
fn smooth_steps(step_secs: f64) -> f64 {
    (SMOOTH_SECS / step_secs).max(SMOOTH_SAMPLES)
}

/// Adds the squares of third differences of the unknowns around a ring; `values` holds the unknowns, sample by sample.
fn add_smoothness(equations: &mut NormalEquations, values: &[f64], width: usize, weight: f64) {
    let count = values.len() / width;
    for first in 0..count {
        let around = [0, 1, 2, 3].map(|off| (first + off) % count);
        let differences: Vec<f64> = (0..width)
            .map(|unknown| {
                around
                    .iter()
                    .zip(DIFFERENCE)
                    .map(|(sample, factor)| factor * values[sample * width + unknown])
                    .sum()
            })
            .collect();
        for one in 0..4 {
            let pulls: Vec<f64> = differences
                .iter()
                .map(|value| weight * DIFFERENCE[one] * value)
                .collect();
            equations.add_pull(around[one], 0, &pulls);
            for other in one..4 {
                equations.add_diagonal(
                    around[one],
                    around[other],
                    &vec![weight * DIFFERENCE[one] * DIFFERENCE[other]; width],
                );
            }
        }
    }
}

/// Closes the seam of a robot's clip, relative to its root. Errors: too few samples, or equations without a solution.
pub(crate) fn close(clip: &Clip, hinges: &Hinges, settings: &ClosureSettings) -> Result<Closed, HingeError> {
    let (count, skeleton) = (clip.num_intervals(), clip.skeleton());
    if count < FEWEST_SAMPLES {
        return Err(HingeError::TooShort { found: count });
    }
    let ring = Ring::new(count, smooth_steps(clip.step_secs())).ok_or(HingeError::TooShort { found: count })?;
    let mut closed: Vec<Pose> = (0..count).map(|sample| clip.pose(sample as isize).to_pose()).collect();
    for joint in 0..skeleton.num_joints() {
        let (hinge, from) = (&hinges.hinges[joint], clip.rotations(0)[joint]);
        // What of its transform may change: the angle of its hinge, in the first component, or its rotation and its position.
        let values: Vec<[DVec3; 2]> = clip
            .sample_range()
            .map(|sample| {
                let Rigid { rotation, translation } = clip.pose(sample).joint(joint);
                match hinge {
                    Some(hinge) => [DVec3::X * hinge.angle(rotation), DVec3::ZERO],
                    None => [rotation::difference(rotation, from), translation],
                }
            })
            .collect();
        let first = *clip.sample_range().start();
        if values.iter().all(|value| *value == values[0]) {
            continue;
        }
        let offsets = [0, 1].map(|part| {
            let at = |sample: isize| Some(values.get(usize::try_from(sample - first).ok()?)?[part]);
            ring.offsets(&lacking(count as isize, at))
        });
        for (sample, pose) in closed.iter_mut().enumerate() {
            let own = values[(sample as isize - first) as usize];
            let [turn, place] = [0, 1].map(|part| own[part] + offsets[part][sample]);
            let moved = match hinge {
                Some(hinge) => Rigid::new(hinge.rotation(turn.x), pose.translations[joint]),
                None => Rigid::new(rotation::renormalized(rotation::exp(turn) * from), place),
            };
            pose.set_joint(joint, moved);
        }
    }
    Ok(ring::closed(clip, closed, settings.method))
}

/// Returns the differences between the mean of the third differences after a track's start and before its end, and those over the seam.
fn lacking(count: isize, at: impl Fn(isize) -> Option<DVec3>) -> [DVec3; 3] {
    let difference = |first: isize| -> Option<DVec3> {
        let [one, two, three, four] = [0, 1, 2, 3].map(|off| at(first + off));
        Some(third_difference(&[one?, two?, three?, four?]))
    };
    [-3, -2, -1].map(|first| {
        let wanted = match (difference(count + first), difference(first)) {
            (Some(after), Some(before)) => 0.5 * (after + before),
            (after, before) => after.or(before).or(difference(count - 3)).unwrap_or_default(),
        };
        let around = [0, 1, 2, 3].map(|off| at((count + first + off) % count).unwrap_or_default());
        wanted - third_difference(&around)
    })
}

/// A sole point: its foot, its joint, its position in the joint's axes, and its radius.
struct Point {
    foot: usize,
    joint: usize,
    at: DVec3,
    radius: f64,
    /// The numbers of the unknowns that move it, without the base.
    moved_by: Vec<usize>,
}

/// A robot's loop whose feet are to be held.
struct Search<'a> {
    clip: &'a LoopClip,
    skeleton: &'a Skeleton,
    hinges: &'a Hinges,
    course: Course,
    points: Vec<Point>,
    /// The joints of the unknowns after those of the base.
    moving: Vec<usize>,
    /// The height of the ground over the zero of the world, and which points touch it, by point and sample.
    floor: f64,
    touches: Vec<Vec<bool>>,
}

/// Returns a robot's loop on its hinges, within their limits, with its feet held if `holds`; and the outcome of the feet.
///
/// `source` is the stretch that it was made from, whose strides were made `stride` times as long. Errors: [`HingeError`].
pub(crate) fn hold(
    clip: &LoopClip,
    source: &RootRelativeClip,
    hinges: &Hinges,
    body: &Body,
    stride: f64,
    holds: bool,
) -> Result<(LoopClip, Feet), HingeError> {
    let skeleton = clip.skeleton();
    let count = clip.num_samples();
    if count < FEWEST_SAMPLES {
        return Err(HingeError::TooShort { found: count });
    }
    let leaves = |joint: usize| {
        let hinge = hinges.hinges[joint].as_ref();
        hinge.is_some_and(|hinge| {
            let mut angles = (0..count).map(|sample| hinge.angle(clip.body_pose(sample).rotations[joint]));
            angles.any(|angle| hinge.within(angle) != angle)
        })
    };
    let moving: Vec<usize> = hinges
        .each()
        .map(|(joint, _)| joint)
        .filter(|&joint| {
            holds && hinges.soles.iter().any(|sole| skeleton.is_within(sole.joint, joint)) || leaves(joint)
        })
        .collect();
    let points = hinges.soles.iter().enumerate().flat_map(|(foot, sole)| {
        let moved_by: Vec<usize> = moving
            .iter()
            .enumerate()
            .filter(|(_, joint)| skeleton.is_within(sole.joint, **joint))
            .map(|(unknown, _)| unknown)
            .collect();
        sole.points.iter().map(move |point| Point {
            foot,
            joint: sole.joint,
            at: point.at,
            radius: point.radius,
            moved_by: moved_by.clone(),
        })
    });
    let mut search = Search {
        clip,
        skeleton,
        hinges,
        course: Course::around(*clip.root(), clip.step_secs(), count),
        points: points.filter(|_| holds).collect(),
        moving,
        floor: 0.0,
        touches: Vec::new(),
    };
    let drags = search.find_touches(source, stride);
    let held = search.poses(&search.settled()?);
    let mut moved_metres = 0.0_f64;
    for (sample, pose) in held.iter().enumerate() {
        let [own, moved] = [clip.body_pose(sample), pose.as_ref()].map(|pose| pose.world(skeleton).translations);
        let feet = hinges
            .soles
            .iter()
            .map(|sole| own[sole.joint].distance(moved[sole.joint]));
        moved_metres = feet.fold(moved_metres, f64::max);
    }
    let lowered = (0..count).map(|sample| {
        let [own, moved] = [clip.body_pose(sample), held[sample].as_ref()].map(|pose| pose.translations[0]);
        search.course.up[sample].dot(own - moved)
    });
    let hips_lowered_metres = greatest(lowered);
    let held = clip.clone().with_tracks(clip.tracks().with_poses(held));
    let feet = Feet {
        moved_metres,
        hips_lowered_metres,
        foot_slide_mps: [clip, &held].map(|clip| quality::foot_slide_of_loop(clip, body, Some(source)).0),
        ..search.feet(body, &drags, holds)
    };
    Ok((held, feet))
}

/// Rejects a loop whose hinges are too far from those of the stretch that it was made from. Errors: [`HingeError::Moved`].
pub(crate) fn check_moved(clip: &LoopClip, source: &RootRelativeClip, hinges: &Hinges) -> Result<(), HingeError> {
    let moved = hinges.each().map(|(joint, hinge)| {
        let turns = (0..clip.num_samples()).map(|sample| {
            let [own, made] = [source.clip.pose(sample as isize), clip.body_pose(sample)]
                .map(|pose| hinge.angle(pose.rotations[joint]));
            (made - own).abs()
        });
        (joint, greatest(turns))
    });
    match moved.max_by_key(|(_, most)| ordered(*most)) {
        Some((joint, most)) if most > MOST_MOVED => Err(HingeError::Moved {
            joint: clip.skeleton().name_of(joint),
            degrees: most.to_degrees(),
        }),
        _ => Ok(()),
    }
}

/// The position of a point relative to the root, and its derivative by each unknown.
type Seen = (DVec3, Vec<(usize, DVec3)>);

impl Search<'_> {
    fn width(&self) -> usize {
        BASE + self.moving.len()
    }

    /// Returns the unknowns of a sample among those of all.
    fn of_sample<'u>(&self, unknowns: &'u [f64], sample: usize) -> &'u [f64] {
        &unknowns[sample * self.width()..][..self.width()]
    }

    /// Finds the ground, and when points touch it in the stretch that the loop was made of; returns whether each foot drags.
    fn find_touches(&mut self, source: &RootRelativeClip, stride: f64) -> Vec<bool> {
        let (count, step_secs) = (self.clip.num_samples(), self.clip.step_secs());
        let mut root = source.root;
        root.twist = Twist::new(root.twist.linear / stride, root.twist.angular);
        let samples = source.clip.sample_range();
        let (first, last) = (*samples.start(), *samples.end());
        let worlds: Vec<Pose> = samples
            .map(|sample| {
                source
                    .clip
                    .pose(sample)
                    .world(self.skeleton)
                    .moved(root.at(sample as f64 * step_secs))
            })
            .collect();
        let place = |point: &Point, sample: isize| {
            worlds[(sample - first) as usize]
                .joint(point.joint)
                .transform_point(point.at)
                - point.radius * DVec3::Y
        };
        let lowest = (0..count as isize).map(|sample| smallest(self.points.iter().map(|point| place(point, sample).y)));
        let floor = percentile::of(lowest.filter(|height| height.is_finite()), 0.5);
        self.floor = if floor.abs() < ZERO_METRES { 0.0 } else { floor };
        let mut drags = vec![false; self.hinges.soles.len()];
        let half = TimeStep::new(step_secs).nearest_from_one(0.5 * SPEED_SECS) as isize;
        for point in &self.points {
            let velocity = |sample: isize| {
                let [before, after] = [(sample - half).max(first), (sample + half).min(last)];
                (place(point, after) - place(point, before)) / ((after - before).max(1) as f64 * step_secs)
            };
            let mut touches: Vec<bool> = (0..count as isize)
                .map(|sample| {
                    place(point, sample).y - self.floor < TOUCH_METRES && ops::over_ground(velocity(sample)) < TOUCH_MPS
                })
                .collect();
            for span in contact::spans(point.foot, &touches, false) {
                let third = span.num_samples / 3;
                let middle = span.start_sample + third..span.start_sample + span.num_samples - third;
                // The mean of velocities, not of speeds: noise has no direction.
                let most = DRAG_MPS * middle.len() as f64;
                let summed: DVec3 = middle.map(|key| velocity((key % count) as isize)).sum();
                if ops::over_ground(summed) > most {
                    span.keys().for_each(|key| touches[key % count] = false);
                    drags[point.foot] = true;
                }
            }
            self.touches.push(touches);
        }
        drags
    }

    /// Returns the pose of a sample with its unknowns applied.
    fn pose(&self, sample: usize, unknowns: &[f64]) -> Pose {
        let mut pose = self.clip.body_pose(sample).to_pose();
        let own = self.of_sample(unknowns, sample);
        let base = pose.joint(0);
        let turn = rotation::exp(DVec3::from_slice(&own[3..BASE]) * TURN) * base.rotation;
        let place = base.translation + DVec3::from_slice(own) * PLACE_METRES;
        pose.set_joint(0, Rigid::new(rotation::renormalized(turn), place));
        for (joint, hinge) in self.hinges.each() {
            pose.rotations[joint] = hinge.rotation(hinge.angle(pose.rotations[joint]));
        }
        for (unknown, &joint) in own[BASE..].iter().zip(&self.moving) {
            if let Some(hinge) = &self.hinges.hinges[joint] {
                pose.rotations[joint] = hinge.rotation(hinge.angle(pose.rotations[joint]) + unknown * TURN);
            }
        }
        pose
    }

    /// Returns the poses of all samples, within the limits.
    fn poses(&self, unknowns: &[f64]) -> Vec<Pose> {
        (0..self.clip.num_samples())
            .map(|sample| {
                let mut pose = self.pose(sample, unknowns);
                self.skeleton.keep_hinges(&mut pose);
                pose
            })
            .collect()
    }

    /// Searches for the cheapest correction. Errors: [`HingeError::Unsolved`].
    fn settled(&self) -> Result<Vec<f64>, HingeError> {
        let (count, width) = (self.clip.num_samples(), self.width());
        let mut unknowns = vec![0.0; count * width];
        if self.moving.is_empty() {
            return Ok(unknowns);
        }
        if count.saturating_mul(width * width) > MOST_PRODUCTS {
            return Err(HingeError::TooLong { found: count });
        }
        let weight = smooth_steps(self.clip.step_secs()).powi(6);
        let mut equations = NormalEquations::new(count, width);
        // Points and limits that matter, by sample: points first, then both limits of each unknown.
        let mut matters = vec![false; count * (self.points.len() + 2 * self.moving.len())];
        for step in 0..MOST_STEPS {
            equations.clear();
            for sample in 0..count {
                equations.add_pull(sample, 0, self.of_sample(&unknowns, sample));
            }
            equations.damp(&vec![1.0; width]);
            add_smoothness(&mut equations, &unknowns, width, weight);
            if step < KEEPS {
                matters.fill(false);
            }
            self.add_points(&unknowns, &mut equations, &mut matters);
            self.add_limits(&unknowns, &mut equations, &mut matters);
            let moved = equations.solve().ok_or(HingeError::Unsolved)?;
            unknowns
                .iter_mut()
                .zip(&moved)
                .for_each(|(unknown, step)| *unknown += step);
            if moved.iter().all(|step| step.abs() < SETTLED) {
                break;
            }
        }
        Ok(unknowns)
    }

    /// Adds equations that keep touching points in place and others above the ground.
    fn add_points(&self, unknowns: &[f64], equations: &mut NormalEquations, matters: &mut [bool]) {
        let (count, step_secs) = (self.clip.num_samples(), self.clip.step_secs());
        let per_sample = self.points.len() + 2 * self.moving.len();
        let seen: Vec<Vec<Seen>> = (0..count)
            .map(|sample| {
                let pose = self.pose(sample, unknowns).world(self.skeleton);
                self.points.iter().map(|point| self.seen(point, &pose)).collect()
            })
            .collect();
        for sample in 0..count {
            let (next, on, up) = ((sample + 1) % count, self.course.on[sample], self.course.up[sample]);
            let sideways = [up.any_orthonormal_vector(), up.cross(up.any_orthonormal_vector())];
            let root = self.course.root(sample as isize);
            for (number, point) in self.points.iter().enumerate() {
                let (place, slopes) = &seen[sample][number];
                let height = root.transform_point(*place).y - point.radius - self.floor;
                let touches = self.touches[number][sample];
                let along = |axis: DVec3, slopes: &[(usize, DVec3)], scale: f64| -> Vec<(usize, f64)> {
                    slopes
                        .iter()
                        .map(|(unknown, slope)| (*unknown, scale * axis.dot(*slope)))
                        .collect()
                };
                let matter = &mut matters[sample * per_sample + number];
                *matter |= !touches && height < SWING_METRES;
                if touches || *matter {
                    let wanted = if touches { 0.0 } else { SWING_METRES };
                    equations.add_residual(
                        &[(sample, along(up, slopes, 1.0 / HEIGHT_METRES))],
                        (height - wanted) / HEIGHT_METRES,
                    );
                }
                if touches && self.touches[number][next] {
                    let (place_after, slopes_after) = &seen[next][number];
                    let moved = on.transform_point(*place_after) - *place;
                    let scale = 1.0 / (SLIDE_MPS * step_secs);
                    for axis in sideways {
                        let rows = [
                            (sample, along(axis, slopes, -scale)),
                            (next, along(on.rotation.conjugate() * axis, slopes_after, scale)),
                        ];
                        equations.add_residual(&rows, scale * axis.dot(moved));
                    }
                }
            }
        }
    }

    /// Returns the position of a point in a pose relative to the root, and its derivative by each unknown.
    fn seen(&self, point: &Point, pose: &Pose) -> Seen {
        let place = pose.joint(point.joint).transform_point(point.at);
        let base = pose.joint(0);
        let moved = DVec3::AXES.map(|axis| axis * PLACE_METRES);
        let turned = DVec3::AXES.map(|axis| axis.cross(place - base.translation) * TURN);
        let by_hinges = point.moved_by.iter().filter_map(|&unknown| {
            let joint = self.moving[unknown];
            let axis = self.hinges.hinges[joint].as_ref()?.axis;
            let Rigid { rotation, translation } = pose.joint(joint);
            Some((BASE + unknown, (rotation * axis).cross(place - translation) * TURN))
        });
        (
            place,
            moved.into_iter().chain(turned).enumerate().chain(by_hinges).collect(),
        )
    }

    /// Adds that hinges stay within their limits.
    fn add_limits(&self, unknowns: &[f64], equations: &mut NormalEquations, matters: &mut [bool]) {
        let per_sample = self.points.len() + 2 * self.moving.len();
        for sample in 0..self.clip.num_samples() {
            let pose = self.clip.body_pose(sample);
            for (number, &joint) in self.moving.iter().enumerate() {
                let Some((hinge, [least, most])) = self.hinges.hinges[joint]
                    .as_ref()
                    .and_then(|hinge| Some((hinge, hinge.limits?)))
                else {
                    continue;
                };
                let angle = hinge.angle(pose.rotations[joint]) + self.of_sample(unknowns, sample)[BASE + number] * TURN;
                let margin = MARGIN.min(0.25 * (most - least));
                for (side, (sign, beyond)) in [(-1.0, least + margin - angle), (1.0, angle - most + margin)]
                    .into_iter()
                    .enumerate()
                {
                    let matter = &mut matters[sample * per_sample + self.points.len() + 2 * number + side];
                    *matter |= beyond > 0.0;
                    if *matter {
                        equations.add_residual(&[(sample, [(BASE + number, sign * LIMIT)])], LIMIT * beyond / TURN);
                    }
                }
            }
        }
    }

    /// Describes the feet.
    fn feet(&self, body: &Body, drags: &[bool], holds: bool) -> Feet {
        let mut feet = Feet::default();
        for (index, foot) in body.feet.iter().enumerate() {
            let sole = self.hinges.soles.iter().position(|sole| sole.joint == foot.ankle);
            let of_foot = self.points.iter().zip(&self.touches);
            let mut stands = vec![false; self.clip.num_samples()];
            for (_, touches) in of_foot.filter(|(point, _)| Some(point.foot) == sole) {
                stands
                    .iter_mut()
                    .zip(touches)
                    .for_each(|(stands, touches)| *stands |= touches);
            }
            let contacts: Vec<LoopContact> = contact::spans(index, &stands, false);
            feet.outcomes.push(match sole {
                _ if !holds => FootOutcome::NotAsked,
                Some(sole) if contacts.is_empty() && drags[sole] => FootOutcome::Slides { metres: 0.0 },
                _ if contacts.is_empty() => FootOutcome::NeverStands,
                _ => FootOutcome::Held,
            });
            feet.held.extend(&contacts);
            feet.bearing.extend(contacts.iter().map(|&contact| Bearing {
                point: FootPoint::Ankle,
                contact,
            }));
            feet.contacts.extend(contacts);
        }
        feet
    }
}
