//! FBX through the whole command: a synthetic walk goes in as FBX, and its loop is written into the same file.

use loopwright::math::rotation;
use loopwright_formats::{AnimationChoice, ReadSettings, read_take};

mod harness;

use harness::Folder;

/// A folder with the walk as FBX.
fn folder() -> Folder {
    let folder = Folder::with_walk();
    folder.run("convert walk.bvh walk.fbx --up y --unit cm").done();
    folder
}

#[test]
fn a_loop_goes_into_the_file_of_its_take() {
    let folder = folder();
    let inspected = folder.run("inspect walk.fbx").done();
    assert!(inspected.stdout.contains("unit cm, y up"), "{}", inspected.stdout);
    let sidecar = folder.run("make walk.fbx --json").done().json();
    assert_eq!(sidecar["playback"]["animation"], "walk-loop");
    assert_eq!(sidecar["playback"]["root_joint_added"], false);
    let checked = folder.run("check walk-loop.fbx --take walk.fbx").done();
    assert!(
        checked.stdout.starts_with("walk-loop.fbx: good: "),
        "{}",
        checked.stdout
    );
    // Both animations are in the file, by name; the take's own is unchanged.
    let take = |name: &str, animation| {
        let settings = ReadSettings {
            animation: AnimationChoice::Given(animation),
            ..ReadSettings::default()
        };
        read_take(&folder.read(name), name, &settings, &mut Vec::new())
            .unwrap()
            .take
    };
    let (before, after) = (take("walk.fbx", "walk"), take("walk-loop.fbx", "walk"));
    assert_eq!(before.num_frames(), after.num_frames());
    assert_eq!(before.translations(7), after.translations(7));
    let refused = folder.run("inspect walk-loop.fbx --animation nowhere");
    assert_eq!(refused.status, 2);
    for words in [
        "no animation \"nowhere\"",
        "walk, walk-loop",
        "loopwright list walk-loop.fbx",
    ] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    folder.run("render walk-loop.fbx -o loop.png").done();
}

#[test]
fn a_loop_survives_bvh_to_fbx_to_bvh() {
    let folder = folder();
    folder.run("make walk.bvh -o loop.bvh --up y --unit cm").done();
    folder.run("convert loop.bvh loop.fbx --up y --unit cm").done();
    folder.run("convert loop.fbx again.bvh").done();
    let (one, other) = (folder.take("loop.bvh"), folder.take("again.bvh"));
    assert_eq!(one.num_frames(), other.num_frames());
    let (p, q) = (one.world_tracks(), other.world_tracks());
    for frame in 0..one.num_frames() {
        for joint in 0..one.num_joints() {
            let off = p.position(frame, joint).distance(q.position(frame, joint));
            let turn = rotation::difference(one.rotations(frame)[joint], other.rotations(frame)[joint]);
            assert!(off < 1e-4 && turn.length().to_degrees() < 0.01, "{off} m, {turn} rad");
        }
    }
}
