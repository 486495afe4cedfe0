//! Converts motion from the Virtual Motion Capture protocol (VMC) to the text of a BVH stream.
//!
//! The protocol in brief, after its specification for receivers (protocol.vmc.info): messages of Open Sound Control over UDP,
//! many for each pose. `/VMC/Ext/Root/Pos` and `/VMC/Ext/Bone/Pos` hold a name, a position and a quaternion (x, y, z, w): of the
//! root in the world, and of each bone relative to its parent. Bones have the names of Unity's humanoids. `/VMC/Ext/T` is the
//! sender's clock in seconds; `/VMC/Ext/OK` says whether a body is present and calibrated. Lengths are metres, axes Unity's:
//! left-handed, +Y up.
//!
//! The protocol does not mark the end of a pose. A pose begins with the root, or with the hips if there is no root. It is
//! complete once it has every part of earlier poses; if a message is lost, once the next pose begins.
//!
//! Poses arrive unevenly, and a BVH file has even frames: poses are interpolated on an even grid at the sender's rate. A new
//! recording, in a file of its own ([`VmcEvent::Cut`]), begins after [`MAX_STEP_SECS`] without poses, after the clock went back,
//! and after the body was away or changed.

use core::ops::RangeInclusive;
use std::collections::VecDeque;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Skeleton, Take,
    math::{percentile, rotation},
};

use crate::{
    bvh::{rows::Rows, source::BvhSource},
    excerpt::excerpt,
    source::Source,
};

mod humanoid;
mod osc;

use humanoid::{BONES, HIPS, NUM_BONES, bone};
pub use osc::OscError;
use osc::{Message, Value, messages};

/// Longest time between two poses that is filled, seconds: a few lost packets, but not a step of a walk.
pub const MAX_STEP_SECS: f64 = 0.25;

/// Number of poses that determine the rate and the bones; a recording begins with this many.
pub const FIRST_POSES: usize = 12;

/// Rates of capture and of displays, per second; a measured rate near one of them is that rate.
const RATES_HZ: [f64; 12] = [
    24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 75.0, 90.0, 100.0, 120.0, 144.0,
];
const NEAR_RATE: f64 = 0.04;

/// Slowest and fastest rate of a recording, per second.
pub const RATE_RANGE_HZ: RangeInclusive<f64> = 5.0..=480.0;

/// Largest distance of a pose from a frame of the grid that uses it unchanged, in frames.
const SAME_FRAME: f64 = 0.02;

/// The sender's clock counts as stopped if it does not move for this long, seconds.
const STANDS_STILL_SECS: f64 = 0.5;

/// A clock that goes back by more than this was reset; by less, the pose is late. Seconds.
const SET_ANEW_SECS: f64 = 1.0;

/// Farthest valid position, metres, and shortest valid quaternion, squared.
const MAX_METRES: f64 = 1e4;
const MIN_LENGTH_SQUARED: f64 = 1e-6;

/// Latest valid time of a clock, seconds: later than any Unix time, and still exact enough to tell frames apart.
const MAX_SECS: f64 = 1e10;

/// Smallest change in the length of a bone that indicates another body, metres.
const OTHER_BODY_METRES: f64 = 0.005;

/// Number of body changes after which bones are assumed to stretch.
const MAX_BODIES: usize = 8;

/// Number of unknown bones that are listed.
const MAX_NAMED: usize = 5;

/// Why a recording ends and another begins.
#[error_kinds(Copy)]
pub enum VmcCut {
    #[error("no pose came for {0:.2} s")]
    Silence(f64),
    #[error("the sender's clock jumped")]
    Clock,
    #[error("the sender has no calibrated, tracked body")]
    NoBody,
    #[error("bones changed their length")]
    OtherBody,
}

/// The outcome of packets.
#[value]
pub enum VmcEvent {
    /// The next bytes of a BVH file: its head, then rows.
    Text(Vec<u8>),
    /// The file ends; the next text starts another file.
    Cut(VmcCut),
}

/// Counts of irregularities in the packets so far.
#[value(Default, Eq)]
pub struct VmcCounts {
    /// Poses that went into the text, before interpolation.
    pub poses: u64,
    /// Packets that are not Open Sound Control, and the reason for the last one.
    pub packets_refused: u64,
    /// See [`Self::packets_refused`].
    pub refused_because: Option<OscError>,
    /// Messages whose values are missing, not finite, out of range, or not a rotation.
    pub values_refused: u64,
    /// Poses that arrived twice or late.
    pub late_poses: u64,
    /// Poses that arrived while the sender had no calibrated, tracked body.
    pub poses_without_body: u64,
    /// Poses without hips.
    pub poses_without_hips: u64,
    /// Poses with which no recording could begin: fewer than [`FIRST_POSES`] within [`MAX_STEP_SECS`] of each other.
    pub poses_apart: u64,
    /// The first few bones that the body does not have.
    pub other_bones: Vec<String>,
    /// Whether the sender's clock has stopped, so that the time of arrival is used.
    pub clock_stands_still: bool,
    /// Whether bones keep changing their length; they keep the length at the start of a recording.
    pub bones_stretch: bool,
}

impl VmcCounts {
    /// Returns the number of poses that are in no text.
    pub fn unused_poses(&self) -> u64 {
        self.poses_without_body + self.poses_without_hips + self.poses_apart
    }
}

/// Position and rotation, right-handed.
type Place = (DVec3, DQuat);

/// Parts of a pose, one bit each: the bones, the root, the time.
type Parts = u64;
const ROOT: Parts = 1 << NUM_BONES;
const TIME: Parts = ROOT << 1;

/// The known state of a body at a time.
#[derive(Clone, Debug)]
struct Pose {
    secs: f64,
    root: Place,
    bones: [Option<Place>; NUM_BONES],
}

/// Length of each bone; 0 if it is missing.
type Lengths = [f64; NUM_BONES];

impl Pose {
    fn lengths(&self) -> Lengths {
        self.bones
            .map(|place| place.map_or(0.0, |(position, _)| position.length()))
    }

    /// Interpolates between this and a later pose; `share` is the fraction of the way.
    fn towards(&self, later: &Self, share: f64) -> Self {
        let between = |from: Place, to: Place| {
            let to_rotation = rotation::on_side_of(to.1, from.1);
            let rotation = (from.1 * (1.0 - share) + to_rotation * share).normalize();
            // Opposite rotations have no middle.
            let rotation = if rotation.is_finite() { rotation } else { from.1 };
            (from.0.lerp(to.0, share), rotation)
        };
        let bones = core::array::from_fn(|bone| match (self.bones[bone], later.bones[bone]) {
            (Some(from), Some(to)) => Some(between(from, to)),
            (from, to) => to.or(from),
        });
        Self {
            secs: later.secs,
            root: between(self.root, later.root),
            bones,
        }
    }
}

/// A recording: the body of its poses, and the rows of its file.
struct Recording {
    /// The bone of each joint, and its offset.
    joints: Vec<(usize, DVec3)>,
    rows: Rows,
    step_secs: f64,
    /// When it began, and frames so far.
    began_secs: f64,
    num_frames: u64,
    last: Option<Pose>,
}

/// Turns packets of the protocol into the text of a BVH stream.
///
/// No input ends it: unusable input is counted ([`Self::counts`]).
pub struct VmcReader {
    rate_hz: Option<f64>,
    /// The incoming pose: its known state, its parts so far, and whether it is complete.
    now: Pose,
    parts: Parts,
    is_done: bool,
    /// All parts that any pose had.
    all_parts: Parts,
    clock: Clock,
    /// Whether the body is away, so that poses are not used.
    is_away: bool,
    /// The recording, or the poses that wait for one to begin.
    recording: Option<Recording>,
    first: Vec<Pose>,
    /// Bone lengths of its body.
    lengths: Option<Lengths>,
    num_bodies: usize,
    counts: VmcCounts,
    events: VecDeque<VmcEvent>,
}

/// The time of poses.
#[derive(Default)]
struct Clock {
    received_secs: f64,
    sent_secs: Option<f64>,
    /// The last stated time, and the arrival of the first pose without a later one.
    last: Option<f64>,
    stuck_secs: Option<f64>,
    /// Whether the sender's clock is given up: from then on the time of arrival is used.
    ignores_sender: bool,
}

impl Clock {
    /// Returns the time of the incoming pose; `None` if the message with it was lost, since packets arrive too unevenly to guess it.
    fn time(&mut self) -> Option<f64> {
        let received = self.received_secs;
        let sent = self.sent_secs.take().filter(|_| !self.ignores_sender);
        if sent.is_some() && sent != self.last {
            (self.last, self.stuck_secs) = (sent, None);
            return sent;
        }
        if self.last.is_none() {
            return Some(received);
        }
        // A pause before the pose says nothing about the clock.
        if received - *self.stuck_secs.get_or_insert(received) > STANDS_STILL_SECS {
            (self.ignores_sender, self.last) = (true, None);
            return Some(received);
        }
        sent
    }
}

impl VmcReader {
    /// Creates a reader; poses are laid on a grid of `rate_hz`, or of the rate of the sender's first poses. A rate outside
    /// [`RATE_RANGE_HZ`] is ignored.
    pub fn new(rate_hz: Option<f64>) -> Self {
        Self {
            rate_hz: rate_hz.filter(|rate| RATE_RANGE_HZ.contains(rate)),
            now: Pose {
                secs: 0.0,
                root: (DVec3::ZERO, DQuat::IDENTITY),
                bones: [None; NUM_BONES],
            },
            parts: 0,
            is_done: true,
            all_parts: 0,
            clock: Clock::default(),
            is_away: false,
            recording: None,
            first: Vec::new(),
            lengths: None,
            num_bodies: 0,
            counts: VmcCounts::default(),
            events: VecDeque::new(),
        }
    }

    /// Processes a packet received at that time, seconds by any clock that does not go back.
    pub fn push(&mut self, packet: &[u8], received_secs: f64) {
        match messages(packet) {
            Ok(messages) => {
                for message in &messages {
                    self.take(message, received_secs);
                }
            }
            Err(error) => {
                self.counts.packets_refused += 1;
                self.counts.refused_because = Some(error);
            }
        }
    }

    /// Returns the next outcome of the packets so far, in order.
    pub fn next_event(&mut self) -> Option<VmcEvent> {
        self.events.pop_front()
    }

    /// Returns the counts of irregularities so far.
    pub fn counts(&self) -> &VmcCounts {
        &self.counts
    }

    fn take(&mut self, message: &Message, received_secs: f64) {
        match (message.address, &message.values[..]) {
            ("/VMC/Ext/OK", values) => self.take_state(values),
            ("/VMC/Ext/T", [Value::Float(secs), ..]) if secs.abs() <= MAX_SECS => {
                self.take_part(TIME, received_secs, |reader| reader.clock.sent_secs = Some(*secs));
            }
            ("/VMC/Ext/Root/Pos", values) if let Some((_, place)) = place(values) => {
                self.take_part(ROOT, received_secs, |reader| reader.now.root = place);
            }
            ("/VMC/Ext/Bone/Pos", values) if let Some((name, place)) = place(values) => {
                self.take_bone(name, place, received_secs);
            }
            ("/VMC/Ext/T" | "/VMC/Ext/Root/Pos" | "/VMC/Ext/Bone/Pos", _) => self.counts.values_refused += 1,
            _ => {}
        }
    }

    fn take_bone(&mut self, name: &str, place: Place, received_secs: f64) {
        let known = bone(name).filter(|bone| {
            let joints = self.recording.as_ref().map(|recording| &recording.joints);
            joints.is_none_or(|joints| joints.iter().any(|(own, _)| own == bone))
        });
        let Some(bone) = known else {
            // The last entry only shows that there are more names.
            let names = &mut self.counts.other_bones;
            let is_new = !name.eq_ignore_ascii_case("LastBone") && names.len() < MAX_NAMED;
            let name = excerpt(name);
            if is_new && !names.contains(&name) {
                names.push(name);
            }
            return;
        };
        self.take_part(1 << bone, received_secs, |reader| reader.now.bones[bone] = Some(place));
    }

    /// Reads whether a body is present and calibrated; an uncalibrated one sends 0.
    fn take_state(&mut self, values: &[Value]) {
        let number = |index: usize| match values.get(index) {
            Some(&Value::Int(number)) => Some(number),
            _ => None,
        };
        // Whether it is loaded, calibrated and tracked.
        let is_there = number(0) != Some(0) && matches!(number(1), None | Some(0 | 3)) && number(3) != Some(0);
        if !is_there && !self.is_away {
            self.cut(VmcCut::NoBody);
        }
        self.is_away = !is_there;
    }

    /// Takes a part with `set`, and starts a new pose if it begins one: the root, if there is one.
    fn take_part(&mut self, part: Parts, received_secs: f64, set: impl FnOnce(&mut Self)) {
        let first = match self.all_parts & ROOT {
            0 if part != ROOT => 1 << HIPS,
            _ => ROOT,
        };
        if part == first {
            if !self.is_done {
                self.end_pose();
            }
            (self.parts, self.is_done) = (0, false);
            self.clock.received_secs = received_secs;
            self.all_parts |= part & ROOT;
        }
        set(self);
        self.parts |= part;
        // Parts that follow a complete pose belong to it, too; the next pose waits for them.
        self.all_parts |= if self.is_done && self.parts != part { part } else { 0 };
        let is_whole = self.recording.is_some() && self.parts & self.all_parts == self.all_parts;
        if !self.is_done && is_whole {
            self.end_pose();
        }
    }

    fn end_pose(&mut self) {
        self.is_done = true;
        self.all_parts |= self.parts;
        let ignored_sender = self.clock.ignores_sender;
        let secs = self.clock.time();
        if self.is_away {
            self.counts.poses_without_body += 1;
            return;
        }
        if self.now.bones[HIPS].is_none() {
            self.counts.poses_without_hips += 1;
            return;
        }
        let Some(secs) = secs else { return };
        let pose = Pose {
            secs,
            ..self.now.clone()
        };
        if self.clock.ignores_sender != ignored_sender {
            self.counts.clock_stands_still = true;
            self.cut(VmcCut::Clock);
        }
        self.place(pose);
    }

    /// Ends the recording and forgets its body.
    fn cut(&mut self, why: VmcCut) {
        self.first.clear();
        self.lengths = None;
        self.now.bones = [None; NUM_BONES];
        self.all_parts &= ROOT;
        if self.recording.take().is_some() {
            self.events.push_back(VmcEvent::Cut(why));
        }
    }

    /// Adds the next pose to the recording, or to the poses with which one begins.
    fn place(&mut self, pose: Pose) {
        let recorded = self.recording.as_ref().and_then(|recording| recording.last.as_ref());
        if let Some(before) = self.first.last().or(recorded) {
            let step = pose.secs - before.secs;
            if step <= 0.0 && step > -SET_ANEW_SECS {
                self.counts.late_poses += 1;
                return;
            }
            if step <= 0.0 {
                self.cut(VmcCut::Clock);
            } else if step > MAX_STEP_SECS {
                self.cut(VmcCut::Silence(step));
            }
        }
        let lengths = pose.lengths();
        if self.is_of_other_body(&lengths) {
            self.cut(VmcCut::OtherBody);
        }
        self.lengths.get_or_insert(lengths);
        if self.recording.is_some() {
            self.lay(&pose);
            return;
        }
        self.first.push(pose);
        self.counts.poses_apart += 1;
        if self.first.len() >= FIRST_POSES {
            self.begin();
        }
    }

    /// Writes the head for the body of the first poses, and lays them on the grid.
    fn begin(&mut self) {
        let first = core::mem::take(&mut self.first);
        let steps = first.windows(2).map(|pair| pair[1].secs - pair[0].secs);
        let measured = 1.0 / percentile::upper_median(steps);
        // Includes all bones received so far.
        let Some((head, recording)) = head(
            &self.now,
            first[0].secs,
            1.0 / self.rate_hz.unwrap_or_else(|| usual_rate(measured)),
        ) else {
            return;
        };
        self.lengths = Some(self.now.lengths());
        self.events.push_back(VmcEvent::Text(head));
        self.recording = Some(recording);
        self.counts.poses_apart -= first.len() as u64;
        for pose in &first {
            self.lay(pose);
        }
    }

    /// Lays a pose on the grid: writes the frames up to it.
    fn lay(&mut self, pose: &Pose) {
        let Some(recording) = &mut self.recording else { return };
        let text = recording.rows_to(pose);
        self.counts.poses += 1;
        if !text.is_empty() {
            self.events.push_back(VmcEvent::Text(text));
        }
    }

    /// Whether bones have another length than before.
    fn is_of_other_body(&mut self, lengths: &Lengths) -> bool {
        let Some(before) = self.lengths.filter(|_| !self.counts.bones_stretch) else {
            return false;
        };
        let is_other = lengths
            .iter()
            .zip(&before)
            .enumerate()
            .any(|(bone, (now, before))| bone != HIPS && *before > 0.0 && (now - before).abs() > OTHER_BODY_METRES);
        if !is_other {
            return false;
        }
        self.num_bodies += 1;
        self.counts.bones_stretch = self.num_bodies > MAX_BODIES;
        true
    }
}

impl Recording {
    /// Returns the rows of the frames between the last pose and this one.
    fn rows_to(&mut self, pose: &Pose) -> Vec<u8> {
        let near = SAME_FRAME * self.step_secs;
        let mut text = Vec::new();
        loop {
            let at = self.began_secs + self.num_frames as f64 * self.step_secs;
            let ahead = at - pose.secs;
            if ahead > near {
                break;
            }
            // A frame this near to the earlier pose uses it unchanged.
            let between = self.last.as_ref().filter(|_| ahead < -near).map(|last| {
                let share = (at - last.secs) / (pose.secs - last.secs);
                last.towards(pose, share.clamp(0.0, 1.0))
            });
            text.extend_from_slice(self.row(between.as_ref().unwrap_or(pose)));
            self.num_frames += 1;
        }
        self.last = Some(pose.clone());
        text
    }

    /// Returns the row of a pose. Bones keep their first lengths; the root is placed at the hips.
    fn row(&mut self, pose: &Pose) -> &[u8] {
        let (root, turn) = pose.root;
        let places = self.joints.iter().map(|&(bone, offset)| {
            let (position, rotation) = pose.bones[bone].unwrap_or((offset, DQuat::IDENTITY));
            match bone {
                HIPS => (root + turn * position, turn * rotation),
                _ => (offset, rotation),
            }
        });
        let (translations, rotations): (Vec<DVec3>, Vec<DQuat>) = places.unzip();
        self.rows.next(&translations, &rotations, CENTIMETRE)
    }
}

/// The unit of the file, as in every BVH file for a take from elsewhere.
const CENTIMETRE: f64 = 0.01;

/// Returns the head of a file for the body of a pose, and the recording that begins with it.
fn head(pose: &Pose, began_secs: f64, step_secs: f64) -> Option<(Vec<u8>, Recording)> {
    let mut number_of = [None; NUM_BONES];
    let (mut joints, mut own) = (Vec::new(), Vec::new());
    for (bone, place) in pose.bones.iter().enumerate() {
        let Some((position, _)) = place else { continue };
        // Skips bones that the body does not have.
        let mut above = BONES[bone].1;
        while let Some(missing) = above.filter(|&above| number_of[above].is_none()) {
            above = BONES[missing].1;
        }
        let parent = above.and_then(|above| number_of[above]);
        number_of[bone] = Some(joints.len());
        joints.push(Joint::new(BONES[bone].0, parent, *position));
        own.push((bone, *position));
    }
    let take = Take::new(
        "vmc",
        Skeleton::new(joints).ok()?,
        step_secs,
        own.iter().map(|(_, offset)| *offset).collect(),
        vec![DQuat::IDENTITY; own.len()],
    )
    .ok()?;
    let source = BvhSource::for_take(&take);
    let order: Vec<usize> = (0..own.len()).collect();
    let rows = Rows::new(source.hierarchy.joints(), &order, usize::MAX, 0);
    let mut text = crate::write_take(&take, &Source::Bvh(source)).ok()?.bytes;
    // Removes its row.
    let end = text.trim_ascii_end().iter().rposition(|&byte| byte == b'\n')?;
    text.truncate(end + 1);
    Some((
        text,
        Recording {
            joints: own,
            rows,
            step_secs,
            began_secs,
            num_frames: 0,
            last: None,
        },
    ))
}

/// Reads the name and the place in a message, right-handed with +Y up: Unity's space is mirrored along X.
fn place<'a>(values: &[Value<'a>]) -> Option<(&'a str, Place)> {
    let (Value::Text(name), numbers) = values.split_first()? else {
        return None;
    };
    let mut number = [0.0; 7];
    for (index, number) in number.iter_mut().enumerate() {
        *number = match numbers.get(index)? {
            Value::Float(value) => *value,
            Value::Int(value) => f64::from(*value),
            _ => return None,
        };
    }
    let [px, py, pz, x, y, z, w] = number;
    let (position, rotation) = (DVec3::new(-px, py, pz), DQuat::from_xyzw(x, -y, -z, w));
    let length_squared = rotation.length_squared();
    // False for NaN, too.
    let is_sound = position.abs().cmple(DVec3::splat(MAX_METRES)).all()
        && length_squared >= MIN_LENGTH_SQUARED
        && length_squared.is_finite();
    is_sound.then(|| (*name, (position, rotation.normalize())))
}

/// Returns the usual rate near a measured one, else the nearest whole number.
fn usual_rate(measured_hz: f64) -> f64 {
    let nearest = RATES_HZ
        .map(|rate| ((measured_hz / rate - 1.0).abs(), rate))
        .into_iter()
        .filter(|(off, _)| *off < NEAR_RATE)
        .min_by(|(one, _), (other, _)| one.total_cmp(other));
    let whole = || measured_hz.clamp(*RATE_RANGE_HZ.start(), *RATE_RANGE_HZ.end()).round();
    nearest.map_or_else(whole, |(_, rate)| rate)
}

#[cfg(test)]
mod tests;
