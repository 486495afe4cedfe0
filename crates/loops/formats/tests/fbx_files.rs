//! Real FBX files: every joint agrees with ufbx itself, and the motion with that of the same take in BVH.
//!
//! The files are not part of the project; if they are missing, the tests report it and are skipped.

use glam::DVec3;
use loopwright_formats::{
    AnimationChoice, Axis, FbxSource, FileWarning, LoadedTake, ReadSettings, Source, SpaceSettings, Up, read_take,
    write_take,
};
use loopwright_mocap::folder_or_skip;

use crate::support::{self, distance};

fn read(bytes: &[u8], animation: Option<&str>) -> LoadedTake {
    let animation = animation.map_or(AnimationChoice::Auto, AnimationChoice::Given);
    support::read(bytes, animation).unwrap().0
}

fn fbx(source: &Source) -> &FbxSource {
    let Source::Fbx(source) = source else {
        panic!("an FBX file")
    };
    source
}

/// Returns the largest distance in metres between a take's joints and the same nodes of ufbx's evaluated scene, at every tenth
/// frame.
fn farthest_from_ufbx(scene: &ufbx::Scene, loaded: &LoadedTake) -> f64 {
    let take = &loaded.take;
    let source = fbx(&loaded.source);
    let stack = scene.find_anim_stack(source.animation()).unwrap();
    let world = take.world_tracks();
    let mut farthest = 0.0_f64;
    for frame in (0..take.num_frames()).step_by(10) {
        let secs = source.begin_secs() + frame as f64 * take.frame_time_secs();
        let evaluated = ufbx::evaluate_scene(scene, &stack.anim, secs, ufbx::EvaluateOpts::default()).unwrap();
        for (joint, known) in take.skeleton().joints().iter().enumerate() {
            let node = evaluated.find_node(&known.name).unwrap();
            let m = &node.node_to_world;
            let position = source.turn() * DVec3::new(m.m03, m.m13, m.m23) * loaded.source.space().unit_metres;
            farthest = farthest.max(world.position(frame, joint).distance(position));
        }
    }
    farthest
}

const FILES: [(&str, usize, usize, f64, Axis); 15] = [
    // file, joints, frames, frames per second, up
    ("assimp/animation_with_skeleton.fbx", 17, 21, 24.0, Axis::Y),
    ("bvh-toolbox/walk01_template.fbx", 24, 251, 60.0, Axis::Y),
    ("isaacgym-cmu/07_01_cmu.fbx", 38, 317, 120.0, Axis::Y),
    ("isaacgym-cmu/09_11_cmu.fbx", 38, 166, 120.0, Axis::Y),
    ("isaacgym-cmu/55_01_cmu.fbx", 38, 1807, 120.0, Axis::Y),
    ("ozz-pab/locomotions.fbx", 67, 41, 30.0, Axis::Y),
    ("ozz-pab/run.fbx", 67, 21, 30.0, Axis::Y),
    ("ozz-pab/walk.fbx", 67, 41, 30.0, Axis::Y),
    ("ufbx/blender_279_sausage_6100_ascii.fbx", 4, 20, 24.0, Axis::Y),
    ("ufbx/blender_293_barbarian_7400_binary.fbx", 31, 63, 24.0, Axis::Y),
    ("ufbx/max7_skin_5000_binary.fbx", 4, 21, 30.0, Axis::Y),
    ("ufbx/max_transformed_skin_7500_ascii.fbx", 5, 101, 30.0, Axis::Z),
    ("ufbx/maya_game_sausage_7500_ascii_combined.fbx", 4, 21, 24.0, Axis::Y),
    ("ufbx/maya_kenney_character_7700_binary.fbx", 59, 21, 24.0, Axis::Y),
    ("ufbx/motionbuilder_sausage_rrss_7700_ascii.fbx", 4, 121, 24.0, Axis::Y),
];

#[test]
fn joints_are_where_ufbx_evaluates_them() {
    let Some(folder) = folder_or_skip() else { return };
    for (file, joints, frames, rate_hz, up) in FILES {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let LoadedTake { take, source, .. } = read(&bytes, None);
        assert_eq!((take.num_joints(), take.num_frames()), (joints, frames), "{file}");
        assert!((take.frame_rate_hz() - rate_hz).abs() < 1e-9, "{file}");
        assert_eq!(source.space().up, Up::along(up), "{file}");
        let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).unwrap();
        let mut num_stacks = 0;
        for stack in &scene.anim_stacks {
            // One of the files has an animation without keys or range.
            if stack.time_end <= stack.time_begin {
                continue;
            }
            let farthest = farthest_from_ufbx(&scene, &read(&bytes, Some(&stack.element.name)));
            assert!(farthest < 1e-4, "{file}, {}: {farthest} m", &*stack.element.name);
            num_stacks += 1;
        }
        assert!(num_stacks > 0, "{file}");
    }
}

#[test]
fn one_walk_is_the_same_in_bvh_and_fbx() {
    let Some(folder) = folder_or_skip() else { return };
    let take = |file| read(&std::fs::read(folder.join(file)).unwrap(), None).take;
    let fbx = take("bvh-toolbox/walk01_template.fbx");
    let bvh = take("bvh-toolbox/walk01.bvh");
    let (fbx_world, bvh_world) = (fbx.world_tracks(), bvh.world_tracks());
    let mut farthest = 0.0_f64;
    // 24 frames per second in the one, 60 keys in the other: every second frame and every fifth key coincide.
    for (frame, key) in (0..bvh.num_frames()).step_by(2).zip((0..fbx.num_frames()).step_by(5)) {
        for (joint, known) in bvh.skeleton().joints().iter().enumerate() {
            let twin = fbx.skeleton().find(&known.name).unwrap();
            let distance = bvh_world.position(frame, joint).distance(fbx_world.position(key, twin));
            farthest = farthest.max(distance);
        }
    }
    // The digits of the text file are the difference.
    assert!(farthest < 2e-5, "{farthest} m");
}

#[test]
fn files_take_their_own_motion_back_as_another_animation() {
    let Some(folder) = folder_or_skip() else { return };
    let mut num_written = 0;
    for (file, ..) in FILES {
        let before = std::fs::read(folder.join(file)).unwrap();
        let LoadedTake { take, source, .. } = read(&before, None);
        let written = write_take(&take, &source).unwrap();
        let name = written.animation.as_deref().unwrap();
        if written.warnings == [FileWarning::RestNotKept] {
            continue;
        }
        let settings = |animation| ReadSettings {
            space: SpaceSettings::from(source.space()),
            animation: AnimationChoice::Given(animation),
            ..ReadSettings::default()
        };
        let again = |bytes: &[u8], animation| {
            read_take(bytes, "t", &settings(animation), &mut Vec::new())
                .unwrap()
                .take
        };
        let taken = fbx(&source).animation();
        let (kept, known) = (again(&written.bytes, taken), again(&before, taken));
        for frame in 0..known.num_frames() {
            assert_eq!(kept.translations(frame), known.translations(frame), "{file}");
            assert_eq!(kept.rotations(frame), known.rotations(frame), "{file}");
        }
        let again = again(&written.bytes, name);
        let (metres, degrees) = distance(&take, &again);
        assert!(metres < 5e-5 && degrees < 1e-3, "{file}: {metres} m, {degrees} degrees");
        num_written += 1;
    }
    assert_eq!(num_written, 10);
}
