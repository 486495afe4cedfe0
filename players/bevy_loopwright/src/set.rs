//! A set as it is played: clips, blend spaces, and the ways from one to another.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use loopwright::blend::PhaseMap;
use loopwright::loop_clip::Interpolation;
use loopwright::math::{Decay, DecayKind, Rigid, Twist};
use loopwright::{Joint, LoopClip, Pose, RootMotion, Skeleton, Take, Tracks};

use crate::animation::{Animation, AnimationFile};
use crate::manifest::{ClipEntry, FootEventKind, Manifest};
use crate::{Goal, SetError};

/// A loop that moves less than this stands, metres and radians per second.
pub(crate) const STILL: f64 = 0.05;

/// Where the manifest states no fade for a switch.
pub(crate) const FADE: Decay = Decay::Quintic { blend_secs: 0.3 };

/// Half-life of a change of speed or turn rate where the manifest states none, seconds; docs/math/fit.md.
const HALF_LIFE_SECS: f64 = 0.4;

/// What ways from space to space cost a plan. A passage is made for it; a transition of the manifest fades where it shows least; at once
/// fades at equal phase. Between standing and moving a fade slides the feet.
const PASSAGE: f64 = 1.0;
const TRANSITION: f64 = 2.0;
const ONCE: f64 = 3.0;
const STANDING: f64 = 2.0;

/// A foot touches down or lifts.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) secs: f64,
    pub(crate) phase: f64,
    pub(crate) foot: String,
    pub(crate) kind: FootEventKind,
}

/// The motion of a clip.
#[derive(Clone, Debug)]
enum Body {
    Loop(Box<LoopClip>),
    /// The body seen from the root, and the root.
    Once(Take, Take),
}

/// A clip.
#[derive(Clone, Debug)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// Its length.
    pub seconds: f64,
    /// The share of the time that has passed at a phase of the set.
    pub(crate) phase: PhaseMap,
    pub(crate) turn: f64,
    pub(crate) events: Vec<Event>,
    pub(crate) to: Option<(usize, f64)>,
    twist: Twist,
    body: Body,
    variant_of: Option<usize>,
}

impl Clip {
    /// Whether it repeats; otherwise it happens once.
    pub fn loops(&self) -> bool {
        matches!(self.body, Body::Loop(_))
    }

    /// Whether it is a loop that stays where it is.
    pub fn stands(&self) -> bool {
        self.loops() && self.twist.linear.length() < STILL && self.twist.angular.length() < STILL
    }

    /// The constant motion of the root of a loop.
    pub fn twist(&self) -> Twist {
        self.twist
    }

    /// The phase of the set at a time.
    pub(crate) fn phase_at(&self, secs: f64) -> f64 {
        self.phase.phase(secs / self.seconds).rem_euclid(1.0)
    }

    /// The body seen from the root at a time: local transforms in the order of [`MotionSet::joints`].
    pub fn pose(&self, secs: f64) -> Pose {
        match &self.body {
            Body::Loop(clip) => clip.body_pose_at(secs, Interpolation::Cubic),
            Body::Once(take, _) => take.sample(secs / take.frame_time_secs()),
        }
    }

    /// The root at a time, from the clip's start.
    pub fn root(&self, secs: f64) -> Rigid {
        match &self.body {
            Body::Loop(_) => self.twist.exp(secs),
            Body::Once(_, root) => root.sample(secs / root.frame_time_secs()).as_ref().joint(0),
        }
    }
}

/// What an axis of a blend space measures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    Speed,
    TurnRateDegrees,
    DirectionDegrees,
    Climb,
    Forward,
    Left,
}

impl Axis {
    /// Distances are measured over this range at least: less is chance, where no loop is meant to differ.
    fn least_range(self) -> f64 {
        match self {
            Self::Speed | Self::Climb | Self::Forward | Self::Left => 0.5,
            Self::TurnRateDegrees | Self::DirectionDegrees => 45.0,
        }
    }
}

/// A loop's part in a blend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) clip: usize,
    /// Of the time, so that speed and turn rate are those asked for.
    pub(crate) share: f64,
    /// Of the pose.
    pub(crate) weight: f64,
    at: [f64; 2],
}

/// Loops over axes such as speed and turn rate: any point between them has weights.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    pub(crate) name: String,
    axes: Vec<Axis>,
    points: Vec<[f64; 2]>,
    pub(crate) clips: Vec<usize>,
    simplices: Vec<Vec<usize>>,
    scale: [f64; 2],
    pub(crate) stands: bool,
    pub(crate) is_variant: bool,
}

impl Space {
    fn new(
        name: &str,
        axes: Vec<Axis>,
        points: Vec<(usize, [f64; 2])>,
        triangles: &[[usize; 3]],
        clips: &[Clip],
    ) -> Self {
        let (of_points, points): (Vec<usize>, Vec<[f64; 2]>) = points.into_iter().unzip();
        let extent = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        let scale = [0, 1].map(|index| extent(index).max(axes.get(index).map_or(1.0, |axis| axis.least_range())));
        let simplices = if triangles.is_empty() {
            // Points of a line follow each other along the axis on which they are farther apart.
            let axis = usize::from(extent(1) > 1e3 * extent(0));
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|&a, &b| points[a][axis].total_cmp(&points[b][axis]));
            if order.len() == 1 {
                vec![order]
            } else {
                order.windows(2).map(<[usize]>::to_vec).collect()
            }
        } else {
            triangles.iter().map(|triangle| triangle.to_vec()).collect()
        };
        Self {
            name: name.to_owned(),
            axes,
            simplices,
            scale,
            stands: of_points.iter().all(|&clip| clips[clip].stands()),
            is_variant: of_points.iter().all(|&clip| clips[clip].variant_of.is_some()),
            points,
            clips: of_points,
        }
    }

    /// A goal on the axes.
    pub(crate) fn place(&self, goal: &Goal) -> [f64; 2] {
        let mut at = [0.0; 2];
        for (value, axis) in at.iter_mut().zip(&self.axes) {
            *value = match axis {
                Axis::Speed => goal.speed,
                Axis::TurnRateDegrees => goal.turn_rate.to_degrees(),
                Axis::DirectionDegrees => goal.direction.to_degrees(),
                Axis::Climb => goal.climb,
                Axis::Forward => goal.speed * goal.direction.cos(),
                Axis::Left => goal.speed * goal.direction.sin(),
            };
        }
        at
    }

    /// Loops and their weights at a point, or at the nearest one inside.
    pub(crate) fn weights(&self, clips: &[Clip], at: [f64; 2]) -> Vec<Part> {
        let found = self
            .simplices
            .iter()
            .map(|simplex| (simplex, self.nearest(simplex, at)));
        let Some((simplex, (_, shares))) = found.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0)) else {
            return Vec::new();
        };
        let mut parts: Vec<Part> = (simplex.iter().zip(shares))
            .filter(|(_, share)| *share > 1e-9)
            .map(|(&index, share)| Part {
                clip: self.clips[index],
                share,
                weight: share / clips[self.clips[index]].seconds,
                at: self.points[index],
            })
            .collect();
        let whole: f64 = parts.iter().map(|part| part.weight).sum();
        parts.iter_mut().for_each(|part| part.weight /= whole);
        parts
    }

    /// The distance of the nearest point of a simplex, and the shares of its corners there.
    fn nearest(&self, simplex: &[usize], at: [f64; 2]) -> (f64, [f64; 3]) {
        let scaled = |point: [f64; 2]| [point[0] / self.scale[0], point[1] / self.scale[1]];
        let corners: Vec<[f64; 2]> = simplex.iter().map(|&index| scaled(self.points[index])).collect();
        let at = scaled(at);
        let to = |from: [f64; 2], to: [f64; 2]| [to[0] - from[0], to[1] - from[1]];
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        if let [a, b, c] = corners[..] {
            let area = cross(to(a, b), to(a, c));
            let (second, third) = (cross(to(a, at), to(a, c)) / area, cross(to(a, b), to(a, at)) / area);
            let shares = [1.0 - second - third, second, third];
            if shares.iter().all(|share| *share >= 0.0) {
                return (0.0, shares);
            }
        }
        let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
        for i in 0..corners.len() {
            for j in i..corners.len() {
                let (way, off) = (to(corners[i], corners[j]), to(corners[i], at));
                let square = way[0] * way[0] + way[1] * way[1];
                let along = if square > 0.0 {
                    (way[0] * off[0] + way[1] * off[1]) / square
                } else {
                    0.0
                };
                let u = along.clamp(0.0, 1.0);
                let distance = (off[0] - u * way[0]).hypot(off[1] - u * way[1]);
                if distance < best.0 {
                    let mut shares = [0.0; 3];
                    shares[i] += 1.0 - u;
                    shares[j] += u;
                    best = (distance, shares);
                }
            }
        }
        best
    }

    pub(crate) fn twist(clips: &[Clip], parts: &[Part]) -> Twist {
        parts.iter().fold(Twist::ZERO, |sum, part| Twist {
            linear: sum.linear + clips[part.clip].twist.linear * part.share,
            angular: sum.angular + clips[part.clip].twist.angular * part.share,
        })
    }

    /// The nearest point that the loops cover.
    pub(crate) fn covered(&self, clips: &[Clip], at: [f64; 2]) -> [f64; 2] {
        let parts = self.weights(clips, at);
        [0, 1].map(|axis| parts.iter().map(|part| part.share * part.at[axis]).sum())
    }

    /// How far the blend at a goal is from it, metres per second.
    pub(crate) fn misses(&self, clips: &[Clip], goal: &Goal) -> f64 {
        let twist = Self::twist(clips, &self.weights(clips, self.place(goal)));
        let wanted = DVec3::new(goal.direction.sin(), 0.0, goal.direction.cos()) * goal.speed;
        let off = wanted - twist.linear;
        off.x.hypot(off.z) + 0.3 * (goal.turn_rate - twist.angular.y).abs()
    }

    pub(crate) fn point_of(&self, clip: usize) -> [f64; 2] {
        let index = self.clips.iter().position(|found| *found == clip);
        index.map_or([0.0; 2], |index| self.points[index])
    }

    /// As a share of the range of the axes.
    pub(crate) fn distance(&self, a: [f64; 2], b: [f64; 2]) -> f64 {
        ((a[0] - b[0]) / self.scale[0]).hypot((a[1] - b[1]) / self.scale[1])
    }
}

/// A moment of a blend space: a point and a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    pub(crate) at: [f64; 2],
    pub(crate) phase: f64,
}

/// A way from space to space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) passage: Option<usize>,
    /// How it fades where no passage leads.
    pub(crate) fade: Decay,
    /// When it begins and where it leads; `None` at any time, at equal phase.
    pub(crate) ends: Option<[Moment; 2]>,
    pub(crate) cost: f64,
}

/// The clips of a character and how they follow one another.
#[derive(Clone, Debug)]
pub struct MotionSet {
    /// The names of the joints that the clips move, in the order of poses.
    pub joints: Vec<String>,
    pub(crate) clips: Vec<Clip>,
    pub(crate) spaces: Vec<Space>,
    pub(crate) ways: Vec<Way>,
    pub(crate) half_life_secs: f64,
}

impl MotionSet {
    /// The files that a manifest names, which lie beside it.
    pub fn files(manifest: &[u8]) -> Result<Vec<String>, SetError> {
        Ok(Manifest::read(manifest)?.files())
    }

    /// A set of the bytes of a manifest and of its files, by their names there. Errors: [`SetError`].
    pub fn new(manifest: &[u8], files: &BTreeMap<String, Vec<u8>>) -> Result<Self, SetError> {
        let manifest = Manifest::read(manifest)?;
        let mut read: BTreeMap<&str, AnimationFile> = BTreeMap::new();
        for name in manifest.files() {
            let (name, bytes) = files.get_key_value(&name).ok_or(SetError::NoFile { name })?;
            read.insert(name, AnimationFile::read(name, bytes)?);
        }
        let animations: Vec<&Animation> = (manifest.clips.iter())
            .map(|entry| {
                let found = read
                    .get(entry.file.as_str())
                    .and_then(|file| file.animation(entry.animation.as_deref()));
                found.ok_or_else(|| SetError::NoAnimation {
                    clip: entry.name.clone(),
                    file: entry.file.clone(),
                })
            })
            .collect::<Result<_, _>>()?;
        let mut rest = BTreeMap::new();
        for file in read.values() {
            for (joint, at) in &file.rest {
                rest.entry(joint.as_str()).or_insert(*at);
            }
        }
        Self::of_parts(&manifest, &animations, &rest)
    }

    /// A set of what was read: the animation of each clip, and how joints rest.
    pub(crate) fn of_parts(
        manifest: &Manifest,
        animations: &[&Animation],
        rest: &BTreeMap<&str, (DVec3, DQuat)>,
    ) -> Result<Self, SetError> {
        let mut joints: Vec<String> = Vec::new();
        for animation in animations {
            for joint in animation.joints() {
                // What the root joint carries is stated by the manifest as well, which is what moves the character.
                if manifest.root_joint.as_deref() != Some(joint) && !joints.iter().any(|found| found == joint) {
                    joints.push(joint.to_owned());
                }
            }
        }
        if joints.is_empty() {
            return Err(SetError::NoJoints);
        }
        let rest = |joint: &String| {
            rest.get(joint.as_str())
                .copied()
                .unwrap_or((DVec3::ZERO, DQuat::IDENTITY))
        };
        let rest: Vec<(DVec3, DQuat)> = joints.iter().map(rest).collect();
        let traveller = (!manifest.in_place && manifest.root_joint.is_none())
            .then(|| joints.iter().position(|joint| *joint == manifest.skeleton.carrier))
            .flatten();
        let index = |name: &str| {
            let found = manifest.clips.iter().position(|entry| entry.name == name);
            found.ok_or_else(|| SetError::NoClip { name: name.to_owned() })
        };
        let mut clips = Vec::new();
        for (entry, animation) in manifest.clips.iter().zip(animations) {
            let to = entry
                .to
                .as_ref()
                .map(|to| Ok::<_, SetError>((index(&to.clip)?, to.secs)))
                .transpose()?;
            let variant_of = entry.variant_of.as_deref().map(index).transpose()?;
            clips.push(clip(entry, animation, &joints, &rest, traveller, to, variant_of)?);
        }
        let spaces = spaces(manifest, &clips, index)?;
        let half_life = manifest.controller.iter().flat_map(|controller| &controller.modes);
        let half_life = half_life
            .filter(|mode| mode.mode == "all")
            .find_map(|mode| mode.velocity_half_life_secs);
        let mut set = Self {
            joints,
            clips,
            spaces,
            ways: Vec::new(),
            half_life_secs: half_life.filter(|secs| *secs > 0.0).unwrap_or(HALF_LIFE_SECS),
        };
        if set.spaces.is_empty() {
            return Err(SetError::NoLoops);
        }
        set.ways = set.ways_between(manifest, index)?;
        Ok(set)
    }

    /// The clips.
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// A loop and its versions.
    pub(crate) fn versions(&self, clip: usize) -> Vec<usize> {
        let others = (0..self.clips.len()).filter(|other| self.clips[*other].variant_of == Some(clip));
        std::iter::once(clip).chain(others).collect()
    }

    /// The clip of that name.
    pub(crate) fn clip(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.name == name)
    }

    /// The spaces in which a loop is played: what stands is played alone, also where it is a corner of slow walks.
    fn spaces_of(&self, clip: usize) -> impl Iterator<Item = usize> {
        let stands = self.clips[clip].stands();
        let fits = move |space: &Space| space.stands == stands && space.clips.contains(&clip);
        self.spaces
            .iter()
            .enumerate()
            .filter(move |(_, space)| fits(space))
            .map(|(index, _)| index)
    }

    /// The space in which a loop is played, that one if it is.
    pub(crate) fn space_of(&self, clip: usize, preferred: usize) -> Option<usize> {
        let has_preferred = self.spaces_of(clip).any(|space| space == preferred);
        if has_preferred {
            Some(preferred)
        } else {
            self.spaces_of(clip).next()
        }
    }

    fn ways_between(
        &self,
        manifest: &Manifest,
        index: impl Fn(&str) -> Result<usize, SetError>,
    ) -> Result<Vec<Way>, SetError> {
        let mut ways = Vec::new();
        let slides = |from: usize, to: usize| {
            if self.spaces[from].stands == self.spaces[to].stands {
                0.0
            } else {
                STANDING
            }
        };
        let mut add = |ends: [(usize, f64); 2], passage: Option<usize>, fade: Decay| {
            for from in self.spaces_of(ends[0].0) {
                for to in self.spaces_of(ends[1].0) {
                    if passage.is_none() && from == to {
                        continue;
                    }
                    let moment = |space: usize, (clip, secs): (usize, f64)| Moment {
                        at: self.spaces[space].point_of(clip),
                        phase: self.clips[clip].phase_at(secs),
                    };
                    ways.push(Way {
                        from,
                        to,
                        passage,
                        fade,
                        ends: Some([moment(from, ends[0]), moment(to, ends[1])]),
                        cost: if passage.is_some() {
                            PASSAGE
                        } else {
                            TRANSITION + slides(from, to)
                        },
                    });
                }
            }
        };
        for (passage, entry) in manifest.clips.iter().enumerate() {
            // Jumps are asked for by name.
            if let (Some(from), Some(to)) = (&entry.from, &entry.to)
                && entry.kind != "loop"
                && entry.kind != "jump"
            {
                add(
                    [(index(&from.clip)?, from.secs), (index(&to.clip)?, to.secs)],
                    Some(passage),
                    FADE,
                );
            }
        }
        for entry in &manifest.transitions {
            let kind: Option<DecayKind> = entry.fade.parse().ok();
            let fade = kind.map_or(FADE, |kind| kind.lasting(entry.fade_secs, entry.fade_secs));
            add(
                [
                    (index(&entry.from)?, entry.leave_secs),
                    (index(&entry.to)?, entry.enter_secs),
                ],
                None,
                fade,
            );
        }
        for from in 0..self.spaces.len() {
            for to in 0..self.spaces.len() {
                if from != to {
                    ways.push(Way {
                        from,
                        to,
                        passage: None,
                        fade: FADE,
                        ends: None,
                        cost: ONCE + slides(from, to),
                    });
                }
            }
        }
        Ok(ways)
    }
}

fn axis(name: &str) -> Option<Axis> {
    Some(match name {
        "speed_mps" => Axis::Speed,
        "turn_rate_dps" => Axis::TurnRateDegrees,
        "direction_deg" => Axis::DirectionDegrees,
        "climb_mps" => Axis::Climb,
        "forward_mps" => Axis::Forward,
        "left_mps" => Axis::Left,
        _ => return None,
    })
}

/// The blend spaces of the manifest, and one for each loop that stands or is in none.
fn spaces(
    manifest: &Manifest,
    clips: &[Clip],
    index: impl Fn(&str) -> Result<usize, SetError>,
) -> Result<Vec<Space>, SetError> {
    let mut spaces = Vec::new();
    for entry in &manifest.blend_spaces {
        let wrong = |reason| SetError::Space {
            name: entry.name.clone(),
            reason,
        };
        let axes: Vec<Axis> = entry.axes.iter().filter_map(|name| axis(name)).collect();
        if axes.len() != entry.axes.len() || axes.len() > 2 {
            return Err(wrong("its axes are not one or two that this player knows"));
        }
        let mut points = Vec::new();
        for point in &entry.points {
            let mut at = [0.0; 2];
            if point.at.len() != axes.len() {
                return Err(wrong("a point has not one number for each axis"));
            }
            at[..point.at.len()].copy_from_slice(&point.at);
            let clip = index(&point.clip)?;
            if !clips[clip].loops() {
                return Err(wrong("a point is no loop"));
            }
            points.push((clip, at));
        }
        if points.is_empty() || entry.triangles.iter().flatten().any(|corner| *corner >= points.len()) {
            return Err(wrong("it has no points, or a triangle names one that is not there"));
        }
        spaces.push(Space::new(&entry.name, axes, points, &entry.triangles, clips));
    }
    for (index, clip) in clips.iter().enumerate() {
        let is_placed = spaces.iter().any(|space| space.clips.contains(&index));
        let is_alone = spaces.iter().any(|space| space.clips == [index]);
        if clip.loops() && !is_alone && (!is_placed || clip.stands()) {
            spaces.push(Space::new(&clip.name, Vec::new(), vec![(index, [0.0; 2])], &[], clips));
        }
    }
    Ok(spaces)
}

/// A clip of its entry and its animation.
fn clip(
    entry: &ClipEntry,
    animation: &Animation,
    joints: &[String],
    rest: &[(DVec3, DQuat)],
    traveller: Option<usize>,
    to: Option<(usize, f64)>,
    variant_of: Option<usize>,
) -> Result<Clip, SetError> {
    let wrong = |reason: String| SetError::Clip {
        name: entry.name.clone(),
        reason,
    };
    let loops = entry.kind == "loop";
    if !(entry.seconds > 0.0 && entry.seconds.is_finite() && (3..1_000_000).contains(&entry.frames)) {
        return Err(wrong(format!(
            "{} frames in {} s are no clip",
            entry.frames, entry.seconds
        )));
    }
    let step_secs = entry.seconds / entry.frames as f64;
    let twist = entry.twist.map_or(Twist::ZERO, |twist| {
        Twist::new(DVec3::from_array(twist.linear), DVec3::from_array(twist.angular))
    });
    let one = |name: &str, parent: Option<usize>| Joint::new(name, parent, DVec3::ZERO);
    let root = match (&entry.root, loops) {
        (Some(keys), false) => {
            let single = Skeleton::new(vec![one("root", None)]).map_err(|error| wrong(error.to_string()))?;
            let translations = keys.translation.chunks_exact(3).map(DVec3::from_slice).collect();
            let rotations = keys
                .rotation
                .chunks_exact(4)
                .map(|q| DQuat::from_slice(q).normalize())
                .collect();
            let tracks =
                Tracks::new(single, step_secs, translations, rotations).map_err(|error| wrong(error.to_string()))?;
            if tracks.num_frames() != entry.frames + 1 {
                return Err(wrong(format!(
                    "its root has {} keys, not {}",
                    tracks.num_frames(),
                    entry.frames + 1
                )));
            }
            Some(Take::from_tracks("root", tracks).map_err(|error| wrong(error.to_string()))?)
        }
        (None, false) => return Err(wrong("it has no root keys".to_owned())),
        (_, true) => None,
    };
    let root_at = |key: usize| match &root {
        Some(root) => root.pose(key).joint(0),
        None => twist.exp(key as f64 * step_secs),
    };
    let pose = |key: usize| -> Pose {
        let mut pose: Pose = (joints.iter().zip(rest))
            .map(|(joint, rest)| animation.at(joint, key as f64 * step_secs, *rest))
            .collect();
        if let Some(joint) = traveller {
            let body = root_at(key).inverse() * pose.as_ref().joint(joint);
            pose.set_joint(joint, body);
        }
        pose
    };
    // The hierarchy is the engine's: poses are local.
    let flat = joints
        .iter()
        .enumerate()
        .map(|(index, name)| one(name, (index > 0).then_some(0)));
    let flat = Skeleton::new(flat.collect()).map_err(|error| wrong(error.to_string()))?;
    let keys = entry.frames + usize::from(!loops);
    let tracks = Tracks::from_poses(flat, step_secs, (0..keys).map(pose)).map_err(|error| wrong(error.to_string()))?;
    let body = match root {
        Some(root) => Body::Once(
            Take::from_tracks(&*entry.name, tracks).map_err(|error| wrong(error.to_string()))?,
            root,
        ),
        None => {
            let motion = RootMotion::new(Rigid::IDENTITY, twist);
            Body::Loop(Box::new(
                LoopClip::new(&*entry.name, tracks, 0, motion).map_err(|error| wrong(error.to_string()))?,
            ))
        }
    };
    let mut clip = Clip {
        name: entry.name.clone(),
        seconds: entry.seconds,
        phase: PhaseMap::warped(entry.phase.map_or(0.0, |phase| phase.warp)),
        turn: entry.turn_deg.unwrap_or(0.0).to_radians(),
        events: Vec::new(),
        to,
        twist,
        body,
        variant_of,
    };
    clip.events = (entry.events.iter())
        .map(|event| Event {
            secs: event.secs,
            phase: event.phase.unwrap_or_else(|| clip.phase_at(event.secs)),
            foot: event.foot.clone(),
            kind: event.kind,
        })
        .collect();
    Ok(clip)
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A set of one joint that stands, walks and runs, with a start and a stop.
    pub(crate) fn walking(change: impl Fn(&mut Value)) -> MotionSet {
        let gait = |name: &str, seconds: f64, speed: f64, warp: f64| {
            json!({
                "name": name, "file": "hero.glb", "animation": name, "kind": "loop", "seconds": seconds, "frames": 30,
                "phase": { "warp": warp, "left": 0.0, "right": 0.5 + warp },
                "twist": { "linear": [0.0, 0.0, speed], "angular": [0.0, 0.1 * speed, 0.0] },
                "events": [{ "secs": 0.0, "phase": 0.0, "foot": "left", "kind": "strike" },
                    { "secs": (0.5 + warp) * seconds, "foot": "right", "kind": "strike" }],
            })
        };
        let passage = |name: &str, kind: &str, from: &str, to: &str| {
            let keys = 0..=30;
            json!({
                "name": name, "file": "hero.glb", "animation": name, "kind": kind, "seconds": 1.0, "frames": 30,
                "from": { "clip": from, "secs": 0.2 }, "to": { "clip": to, "secs": 0.55 }, "events": [],
                "root": {
                    "translation": keys.clone().flat_map(|key| [0.0, 0.0, 0.02 * f64::from(key)]).collect::<Vec<_>>(),
                    "rotation": keys.flat_map(|_| [0.0, 0.0, 0.0, 1.0]).collect::<Vec<_>>(),
                },
            })
        };
        let mut idle = gait("idle", 4.0, 0.0, 0.0);
        idle["events"] = json!([]);
        let mut manifest = json!({
            "format": "loopwright-set", "version": 1, "in_place": true,
            "clips": [idle, gait("walk", 1.1, 1.3, 0.02), gait("run", 0.7, 3.0, -0.03),
                passage("start", "start", "idle", "walk"), passage("stop", "stop", "walk", "idle")],
            "blend_spaces": [{ "name": "move", "axes": ["speed_mps"], "points": [
                { "clip": "idle", "at": [0.0] }, { "clip": "walk", "at": [1.3] }, { "clip": "run", "at": [3.0] }] }],
        });
        change(&mut manifest);
        let manifest = Manifest::read(&serde_json::to_vec(&manifest).unwrap()).unwrap();
        let hips = Animation::of_joint("Hips");
        MotionSet::of_parts(&manifest, &vec![&hips; manifest.clips.len()], &BTreeMap::new()).unwrap()
    }

    #[test]
    fn a_blend_has_the_speed_that_is_asked_for() {
        let set = walking(|_| {});
        for speed in [0.4, 1.3, 2.0, 3.0] {
            let parts = set.spaces[0].weights(&set.clips, [speed, 0.0]);
            let twist = Space::twist(&set.clips, &parts);
            assert!((twist.linear.z - speed).abs() < 1e-12, "{speed}: {twist:?}");
            assert!((parts.iter().map(|part| part.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(set.spaces[0].covered(&set.clips, [9.0, 0.0])[0], 3.0);
        assert!(set.spaces.iter().any(|space| space.stands && space.name == "idle"));
    }

    #[test]
    fn phases_and_shares_are_each_others_inverse() {
        // A manifest may have any warp below 1/pi.
        for warp in [0.02, 0.31, -0.31] {
            let set = walking(|manifest| manifest["clips"][1]["phase"]["warp"] = json!(warp));
            for clip in set.clips() {
                for step in 0..200 {
                    let phase = f64::from(step) / 200.0;
                    let back = clip.phase_at(clip.phase.share(phase) * clip.seconds);
                    assert!((back - phase).abs() < 1e-12, "{} {warp}: {phase} {back}", clip.name);
                }
            }
        }
        let set = walking(|_| {});
        assert!((set.clips[1].events[1].phase - 0.5).abs() < 1e-12);
    }
}
