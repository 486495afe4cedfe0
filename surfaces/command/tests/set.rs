//! `set` on the command line: what takes show is in the set, in phase; what they lack is named; and the manifest tells the truth.

use serde_json::Value;

use crate::harness::{
    Folder, holds, items, near, number, parts_of_glb, rows,
    schema::{assert_valid, assert_valid_set},
    texts,
};
use loopwright_mocap::folder_or_skip;

/// Takes of one walker: it stands and walks, walks on a curve, and runs.
fn with_takes() -> Folder {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (name, flags) in [
        ("walk", "--speed 1.3 --turn-rate 0 --lead-in 4 --seconds 9"),
        ("left", "--speed 1.2 --turn-rate 40 --seed 3 --seconds 6"),
        ("run", "--speed 3.2 --turn-rate 0 --period 0.7 --seed 5 --seconds 5"),
    ] {
        folder.succeed(&format!("synth -o takes/{name}.bvh --fps 30 --drift 0 {flags}"));
    }
    folder
}

fn clip<'a>(set: &'a Value, name: &str) -> &'a Value {
    let found = items(&set["clips"]).find(|clip| clip["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {:?}", names(set)))
}

fn names(set: &Value) -> Vec<&str> {
    texts(&set["clips"], "name")
}

fn is_at_the_origin(folder: &Folder, file: &str) {
    let facts = folder.json(&format!("{file}.json"));
    for key in ["start_position_m/0", "start_position_m/2", "start_yaw_deg"] {
        assert_eq!(number(&facts, &format!("root_motion/{key}")), 0.0, "{file}");
    }
    let hips = folder.take(file).world_tracks().position(0, 0);
    assert!(hips.x.hypot(hips.z) < 0.05, "{file}: {hips}");
}

#[test]
fn loops_that_were_made_before_and_one_file_for_all() {
    let folder = with_takes();
    folder.make_folder("loops");
    folder.runs(
        "
        make takes/walk.bvh --cycles 1 --set output.fps=24 -o loops/walk.bvh
        make takes/left.bvh --cycles 1 --set output.fps=24 -o loops/left.bvh
        1 set loops -o hero --to glb
        check hero/hero.glb
        ",
    );
    let set = folder.json("hero/set.json");
    assert_valid_set(&set);
    holds(&set, "fps = 24\nroot_joint = root");
    assert_eq!(names(&set), ["walk", "walk_left_40", "walk_right_40"]);
    let glb = folder.read("hero/hero.glb");
    let animations = &parts_of_glb(&glb).0["animations"];
    assert_eq!(texts(animations, "name"), texts(&set["clips"], "animation"));
    // Nothing is replaced unless that is asked for.
    let before = folder.contents();
    folder.refuse("set loops -o hero --to glb", "exists already");
    assert_eq!(folder.contents(), before);
    folder.runs("1 set loops -o hero --to glb --force");
    assert_eq!(folder.contents().len(), before.len());
    // Clips that only the set before had go with it; what it did not write stays.
    folder.write("hero/notes.txt", "mine");
    folder.runs("1 set loops -o hero --to bvh --force");
    assert!(!folder.has("hero/hero.glb") && !folder.has("hero/hero.glb.json"));
    assert!(folder.has("hero/walk.bvh hero/notes.txt"));
    folder.runs("1 set loops -o hero --to glb --force");
    assert!(!folder.has("hero/walk.bvh") && !folder.has("hero/walk.bvh.json"));
    folder.run("set takes -o character --rig hero/hero.glb").wrote();
    clip(&folder.json("character/set.json"), "start_walk");
}

/// Each row is made of the take that has it, else blended, else refused with its reason; lengths and touch-downs are as asked.
#[test]
fn a_table_of_clips_is_filled_from_takes() {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (name, flags) in [
        ("slow", "--speed .8 --turn-rate 0 --seconds 6"),
        ("fast", "--speed 1.8 --turn-rate 0 --period .9 --seed 5 --seconds 5"),
    ] {
        folder.succeed(&format!("synth -o takes/{name}.bvh --fps 60 --drift 0 {flags}"));
    }
    folder.write(
        "clips.toml",
        "
        clip = [
            { name = 'exact', gait = 'walk', seconds = 0.9333, contact = 'left:0.2s' },
            { name = 'between', gait = 'walk', speed = 1.25, file = 'mid.bvh' },
            { name = 'too fast', gait = 'walk', speed = 4 },
            { name = 'short', gait = 'walk', speed = 1.25, seconds = 0.3 },
            { name = 'strafe', gait = 'walk', direction = 'left' },
        ]",
    );
    let made = folder
        .run("set takes --spec clips.toml -o clips --fps 30 --json")
        .ended(1);
    let answer = made.json();
    assert_valid(&answer, "spec");
    assert_eq!(answer, folder.json("clips/spec.json"));
    let clips = &answer["clips"];
    holds(
        clips,
        "
        0/file = exact.bvh
        0/frames = 28
        0/asked/contact = left:0.2s
        1/file = mid.bvh
        1/take = null
        2/file = null
        3/file = null
        4/file = null
        ",
    );
    near(number(clips, "1/speed_mps"), 1.25, 1e-3);
    assert_eq!(items(&clips[1]["blend"]["loops"]).len(), 2);
    let left = items(&clips[0]["contacts"]).find(|contact| contact["joint"].as_str().unwrap().starts_with("Left"));
    near(number(left.unwrap(), "start_secs"), 0.2, 0.5 / 30.0);
    for [row, why] in rows(
        "
        2 | outside the range of the loops
        3 | as long as recorded
        4 | no take has such a gait
        ",
    ) {
        let reason = clips[row.parse::<usize>().unwrap()]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
    }
    let take = folder.take("clips/exact.bvh");
    assert_eq!(take.num_frames(), 29);
    folder.write("clips.toml", "[[clip]]\nname = 'walk'\ngait = 'walk'\npace = 1");
    folder.refuse("set takes --spec clips.toml -o other", "pace");
}

/// The pose was left where its take stood.
#[test]
fn an_idle_of_one_pose_stands_at_the_origin() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let takes = ["uturn", "slow_2foot_hop"].map(|name| mocap.join(format!("snu/{name}.bvh")).display().to_string());
    let made = folder.run(&format!("set {} -o hero", takes.join(" "))).ended(1);
    made.says("differ by up to 27 mm");
    let set = folder.json("hero/set.json");
    assert!(clip(&set, "idle")["reason"].to_string().contains("one still pose"));
    is_at_the_origin(&folder, "hero/idle.bvh");
}

#[test]
fn variants_differ_and_say_what_they_are_variants_of() {
    let folder = Folder::new();
    folder.runs(
        "
        synth -o walk.bvh --fps 30 --seconds 12 --turn-rate 0 --variation 0.1 --noise 0.3
        1 set walk.bvh -o hero --variants 3
        ",
    );
    let set = folder.json("hero/set.json");
    for name in ["walk_v2", "walk_v3"] {
        holds(clip(&set, name), "variant_of = walk");
    }
    // They are for the place of the first, not points of their own.
    assert!(!texts(&set["blend_spaces"][0]["points"], "clip").contains(&"walk_v2"));
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let folder = with_takes();
    // Another skeleton, and a loop whose root goes elsewhere than its feet.
    let renamed = folder.text("takes/left.bvh").replace("Spine", "Back");
    folder.write("takes/renamed.bvh", renamed);
    folder.runs("make takes/left.bvh --cycles 1 -o takes/odd.bvh");
    let mut odd = folder.json("takes/odd.bvh.json");
    odd["feet"]["feet_speed_mps"] = 3.0.into();
    folder.write("takes/odd.bvh.json", odd.to_string());
    folder.write("takes/broken.bvh", "HIERARCHY");
    folder.runs("2 set takes -o hero | another skeleton");
    let set = folder.json("hero/set.json");
    // A loop is named by its take.
    for [take, why] in rows(
        "
        renamed.bvh | another skeleton
        left.bvh    | one of the two is wrong
        broken.bvh  | broken.bvh
        ",
    ) {
        let mut left = items(&set["left_out"]);
        let left = left
            .find(|left| left["take"].as_str().unwrap().ends_with(take))
            .unwrap();
        assert!(left["why"].to_string().contains(why), "{left}");
    }
    clip(&set, "walk_left_40");
    // Some before anything is read.
    folder.runs(
        "
        2 set takes -o hero/set.json                    | is a file
        2 set nowhere.bvh -o other --fps 0              | must be a number from 1e-9
        2 set takes/walk.bvh -o other --fps 1e8         | exceed the limit
        2 set nowhere.bvh -o other --set output.fps=-3  | --fps must be a positive number
        2 set nowhere.bvh -o other                      | nowhere.bvh
        2 set takes/broken.bvh -o other                 | no take gives a loop
        ",
    );
    folder
        .run("set takes/walk.bvh -o odd --to glb --for unreal --fps 29.97")
        .says("29.97");
}

/// In place, hips turn to where the body goes: strafes became runs, and a jump began in a step back.
#[test]
fn clips_in_place_go_where_their_feet_push() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    let knight = mocap.join("gltf/Knight.glb").display().to_string();
    folder.run(&format!("set {knight} -o hero --split")).wrote();
    let set = folder.json("hero/set.json");
    for [name, animation, way] in rows(
        "
        walk_back        | Walking_Backwards    | 180
        run              | Running_B            | 0
        run_fast         | Running_A            | 0
        run_strafe_left  | Running_Strafe_Left  | 60
        run_strafe_right | Running_Strafe_Right | 60
        ",
    ) {
        let clip = clip(&set, name);
        assert_eq!(clip["made"]["animation"], animation);
        near(number(clip, "direction_deg").abs(), way.parse().unwrap(), 2.0);
        is_at_the_origin(&folder, &format!("hero/{name}.glb"));
    }
    holds(clip(&set, "idle"), "made/animation = Idle");
    holds(clip(&set, "jump"), "from/clip = idle");
    // Each animation has a place or a reason, and actions say where they lead.
    let placed: Vec<&str> = items(&set["clips"])
        .filter_map(|clip| clip["made"]["animation"].as_str())
        .collect();
    let left_out = texts(&set["left_out"], "take");
    let pack = std::fs::read(mocap.join("gltf/Knight.glb")).unwrap();
    for animation in texts(&parts_of_glb(&pack).0["animations"], "name") {
        let is_left_out = left_out.iter().any(|take| take.ends_with(&format!("#{animation}")));
        assert_ne!(placed.contains(&animation), is_left_out, "{animation}");
    }
    holds(
        clip(&set, "1h_melee_attack_chop"),
        "kind = attack\nentry/clip = idle\nnext/0/clip = idle\nleave_secs < 1",
    );
    holds(clip(&set, "death_b"), "kind = death\nnext = null");
    // A walk that swings fast was a run, and a step of one that never stands was an idle.
    for (file, wanted) in [("RobotExpressive.glb", "run"), ("CesiumMan.gltf", "walk")] {
        let path = mocap.join("gltf").join(file).display().to_string();
        folder.run(&format!("set {path} -o {file}-set")).ended(1);
        let set = folder.json(&format!("{file}-set/set.json"));
        assert!(names(&set).contains(&"walk") && names(&set).contains(&wanted));
        assert_eq!(names(&set).contains(&"idle"), file != "CesiumMan.gltf");
    }
}
