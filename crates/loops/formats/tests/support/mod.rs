//! Inputs shared by tests of several formats: small takes, and files that are read and changed.

use glam::{DAffine3, DQuat, DVec3};
use loopwright_core::{Joint, LoopClip, RootMotion, Skeleton, Take, Tracks, math::rotation};
use loopwright_formats::{
    AnimationChoice, FileWarning, Format, LoadedTake, ReadError, ReadSettings, Source, mesh::Vertex, read_take,
    write_take,
};
use loopwright_synth::{WalkSettings, synthesize};

pub(crate) mod gltf_file;
mod random;

pub(crate) use random::Random;

impl Random {
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Returns the joints by name, parent and offset.
pub(crate) fn skeleton(rows: &[(&str, Option<usize>, DVec3)]) -> Skeleton {
    let joints = rows
        .iter()
        .map(|&(name, parent, offset)| Joint::new(name, parent, offset));
    Skeleton::new(joints.collect()).unwrap()
}

/// Returns a take from the transform of each joint in each frame.
pub(crate) fn take_of(
    skeleton: &Skeleton,
    frame_time_secs: f64,
    num_frames: usize,
    mut at: impl FnMut(usize, usize) -> (DVec3, DQuat),
) -> Take {
    let places = (0..num_frames).flat_map(|frame| (0..skeleton.num_joints()).map(move |joint| (frame, joint)));
    let (translations, rotations) = places.map(|(frame, joint)| at(frame, joint)).unzip();
    Take::new("t", skeleton.clone(), frame_time_secs, translations, rotations).unwrap()
}

/// Returns the first frames of a take as a loop.
pub(crate) fn loop_of(take: &Take, num_samples: usize, carrier: usize, root: RootMotion) -> LoopClip {
    let poses = (0..num_samples).map(|frame| take.pose(frame).to_pose());
    let tracks = Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).unwrap();
    LoopClip::new(take.name(), tracks, carrier, root).unwrap()
}

/// The keys of a loop that was written are its poses in the world, below joints that were added.
pub(crate) fn assert_keys(take: &Take, clip: &LoopClip, num_added: usize, [metres, radians]: [f64; 2]) {
    let num_joints = clip.skeleton().num_joints();
    assert_eq!(take.num_joints(), num_joints + num_added);
    let world = take.world_tracks();
    for key in 0..take.num_frames() {
        let pose = clip.world_pose(key);
        for joint in 0..num_joints {
            let (at, turn) = (
                world.position(key, joint + num_added),
                world.rotation(key, joint + num_added),
            );
            let off = pose.translations[joint].distance(at);
            let turned = rotation::difference(pose.rotations[joint], turn).length();
            assert!(
                off < metres && turned < radians,
                "key {key}, joint {joint}: {off} m, {turned} radians"
            );
        }
    }
}

pub(crate) fn walk() -> Take {
    synthesize(&WalkSettings::default()).unwrap().take
}

/// Returns a take as a new file of a format.
pub(crate) fn written(take: &Take, format: Format) -> Vec<u8> {
    write_take(take, &Source::for_take(take, format)).unwrap().bytes
}

pub(crate) fn read(bytes: &[u8], animation: AnimationChoice) -> Result<(LoadedTake, Vec<FileWarning>), ReadError> {
    let settings = ReadSettings {
        animation,
        ..ReadSettings::default()
    };
    let mut warnings = Vec::new();
    read_take(bytes, "t", &settings, &mut warnings).map(|loaded| (loaded, warnings))
}

pub(crate) fn carried(vertex: &Vertex, bones: &[DAffine3]) -> DVec3 {
    let position = DVec3::from_array(vertex.position.map(f64::from));
    let bones = vertex
        .bones
        .iter()
        .map(|&bone| bones[usize::from(bone)].transform_point3(position));
    bones
        .zip(vertex.weights)
        .map(|(at, weight)| f64::from(weight) * at)
        .sum()
}

/// Returns the largest distance of joints in the world over all frames, metres, and largest angle between their rotations
/// there, degrees.
pub(crate) fn distance(one: &Take, other: &Take) -> (f64, f64) {
    assert_eq!(
        (one.num_frames(), one.num_joints()),
        (other.num_frames(), other.num_joints())
    );
    let worlds = [one, other].map(Take::world_tracks);
    let (mut metres, mut degrees) = (0.0_f64, 0.0_f64);
    for frame in 0..one.num_frames() {
        for joint in 0..one.num_joints() {
            let [at, there] = [0, 1].map(|of| worlds[of].position(frame, joint));
            metres = metres.max(at.distance(there));
            let [turn, other_turn] = [0, 1].map(|of| worlds[of].rotation(frame, joint));
            let turn = rotation::difference(turn, other_turn);
            degrees = degrees.max(turn.length().to_degrees());
        }
    }
    (metres, degrees)
}
