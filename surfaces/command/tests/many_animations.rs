//! Files of many animations: `list`, the choice of animations, and `make` for all of them.

use crate::harness::{Answer, Folder, items, number, rows, schema::assert_valid};
use loopwright_mocap::folder_or_skip;
use serde_json::{Value, json};

/// `pack.glb` or `pack.fbx`, a walk of several cycles.
fn with_pack(extension: &str) -> Folder {
    let folder = Folder::with_walk();
    let pack = format!("pack.{extension}");
    folder.succeed(&format!("convert walk.bvh {pack}"));
    folder
}

/// Gives a glTF text file more animations: copies of its first with another name and some of its keys.
fn with_copies(folder: &Folder, name: &str, copies: &[(&str, usize)]) {
    folder.succeed("convert walk.bvh one.gltf");
    let mut file = folder.json("one.gltf");
    let first = file["animations"][0].clone();
    for &(copy, num_keys) in copies {
        let mut animation = first.clone();
        animation["name"] = json!(copy);
        for sampler in animation["samplers"].as_array_mut().unwrap() {
            for end in ["input", "output"] {
                let accessors = file["accessors"].as_array_mut().unwrap();
                let mut accessor = accessors[sampler[end].as_u64().unwrap() as usize].clone();
                let count = accessor["count"].as_u64().unwrap();
                accessor["count"] = json!(count.min(num_keys as u64));
                if accessor.get("max").is_some() {
                    let secs = (num_keys as f64 - 1.0) / 30.0;
                    accessor["max"] = json!([accessor["max"][0].as_f64().unwrap().min(secs)]);
                }
                accessors.push(accessor);
                sampler[end] = json!(accessors.len() - 1);
            }
        }
        file["animations"].as_array_mut().unwrap().push(animation);
    }
    folder.write(name, file.to_string());
}

fn named<'a>(animations: &'a Value, name: &str) -> &'a Value {
    let animations = animations.as_array().unwrap();
    animations
        .iter()
        .find(|animation| animation["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {animations:?}"))
}

fn verdicts(answer: &Answer) -> Vec<String> {
    let lines = answer.stdout.lines().filter(|line| !line.starts_with(' '));
    // The reason follows the word.
    let up_to_word = |line: &str| line.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": ");
    lines.map(up_to_word).collect()
}

#[test]
fn animations_are_listed_with_what_they_are() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("two", 2), ("short", 20)]);
    let answer = folder.answer("list pack.gltf walk.bvh --json");
    assert_valid(&answer, "list");
    let listed = &answer["files"][0]["animations"];
    let walk = named(listed, "walk");
    assert_eq!((&walk["kind"], &walk["loops"]), (&json!("walk"), &json!("holds loops")));
    assert!((number(walk, "speed_mps") - 1.25).abs() < 0.1, "{walk}");
    assert_eq!(named(listed, "two")["why_no_loop"], "too short: 2 frames");
    assert_eq!(answer["files"][1]["animations"].as_array().unwrap().len(), 1);

    let table = folder.succeed("list pack.gltf").stdout;
    let is_said = table.starts_with("pack.gltf: 3 animations at 30 fps\n#  name");
    assert!(is_said, "{table}");
    let only = folder.succeed("list pack.gltf --animation W*").stdout;
    assert!(only.contains("1 animation at") && only.contains("walk"), "{only}");

    // A file that cannot be read does not stop the others.
    let answer = folder.fail("list gone.glb walk.bvh --json");
    assert_valid(&answer.json(), "list");
    assert_eq!(answer.json()["files"][1]["animations"][0]["name"], "walk");
}

#[test]
fn names_are_found_in_any_case_by_pattern_and_by_number() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("Jog", 121), ("JOG", 60), ("stroll", 121)]);
    let frames = |wanted: &str| {
        let answer = folder.succeed(&format!("inspect pack.gltf --json --animation {wanted}"));
        answer.json()["take"]["frames"].clone()
    };
    assert_eq!(frames("JOG"), 60);
    for wanted in ["Jog", "STROLL", "St*", "?TROLL", "s*l", "0"] {
        assert_eq!(frames(wanted), 121, "{wanted}");
    }
    let refused = "
        jog | several animations are named \"jog\" but for case: Jog, JOG
        j* | \"j*\" matches 2 animations: Jog, JOG
        sprint | there is no animation \"sprint\"; there are: walk, Jog, JOG, stroll
    ";
    for [wanted, said] in rows(refused) {
        let answer = folder.refuse(&format!("inspect pack.gltf --animation {wanted}"), said);
        answer.says("try: `loopwright list pack.gltf`");
    }
}

#[test]
fn five_hundred_animations_are_read_and_never_named_in_one_line() {
    let folder = Folder::with_synth("--seconds 1 --fps 10");
    let names: Vec<String> = (0..499).map(|number| format!("clip_{number:03}")).collect();
    let copies: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 8)).collect();
    with_copies(&folder, "pack.gltf", &copies);
    let listed = folder.answer("list pack.gltf --json");
    assert_eq!(listed["files"][0]["animations"].as_array().unwrap().len(), 500);
    for wanted in ["clip_5000", "clip*", "nothing"] {
        let answer = folder.fail(&format!("inspect pack.gltf --animation {wanted}"));
        assert!(answer.stderr.lines().all(|line| line.len() < 250), "{}", answer.stderr);
    }
    let answer = folder.succeed("inspect pack.gltf");
    assert!(answer.stderr.lines().all(|line| line.len() < 300), "{}", answer.stderr);
}

#[test]
fn all_animations_are_looped_into_one_copy() {
    for extension in ["glb", "fbx"] {
        let folder = with_pack(extension);
        let (pack, out) = (format!("pack.{extension}"), format!("out.{extension}"));
        let first = folder.answer(&format!("make {pack} --all-animations -o {out} --json"));
        assert_valid(&first, "loops");
        let walk = named(&first["animations"], "walk");
        // An FBX file of one animation gives the take its own name.
        let looped = walk["loop_animation"].as_str().unwrap();
        assert!(walk["outcome"] == "cut" && looped.ends_with("-loop"), "{walk}");
        assert!(number(walk, "gap_after_mm") < 0.01, "{walk}");
        assert_eq!(first["loops"].as_array().unwrap().len(), 1);
        assert_valid(&first["loops"][0], "loop");
        let beside = folder.json(&format!("{out}.json"));
        assert_eq!(
            (&beside["format"], &beside["animations"]),
            (&json!("loopwright-loops"), &first["animations"])
        );
        assert_eq!(
            verdicts(&folder.succeed(&format!("check {out}"))),
            [format!("{out}: good")]
        );

        let again = folder.answer(&format!("make {out} --animation * -o again.{extension} --json"));
        let kept = named(&again["animations"], looped);
        let is_right = kept["outcome"] == "kept" || kept["reason"] == "replaced by the new loop of that name";
        assert!(is_right, "{again}");
        folder.succeed(&format!("play {out} --seconds 3 -o played.{extension}"));
    }
}

#[test]
fn all_animations_go_onto_a_character_in_one_copy_of_its_file() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("Stroll", 1000)]);
    folder.succeed("synth -o other.bvh --seconds 2 --fps 30 --seed 3");
    folder.succeed("convert other.bvh hero.glb");
    let own = loopwright_formats::animation_names(&folder.read("hero.glb"));
    let answer = folder.answer("make pack.gltf --rig hero.glb --all-animations --json");
    assert_valid(&answer, "loops");
    assert_eq!(answer["outputs"][0], "pack-loops.glb", "in the form of the character");
    let loops = answer["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 2);
    for each in loops {
        assert_eq!(each["take"]["rig"]["file"], "hero.glb");
        assert!(each["quality"]["foot_slide_cmps"].as_f64().unwrap() < 1.0, "{each:#}");
    }
    let names = loopwright_formats::animation_names(&folder.read("pack-loops.glb"));
    assert_eq!(names.len(), own.len() + 2, "{names:?}");
    assert!(own.iter().all(|own| names.contains(own)), "{names:?}");
    assert_eq!(
        verdicts(&folder.succeed("check pack-loops.glb")).len(),
        2,
        "both are loops of the file"
    );

    // What loops already is not there yet, either.
    folder.succeed("make walk.bvh -o round.bvh");
    folder.succeed("convert round.bvh round.gltf");
    let mut round = folder.json("round.gltf");
    // Nor is one that is named like a loop.
    for name in ["Round", "Round-loop"] {
        round["animations"][0]["name"] = json!(name);
        folder.write("again.gltf", round.to_string());
        let answer = folder.answer("make again.gltf --rig hero.glb --all-animations --force --json");
        let made = named(&answer["animations"], name);
        assert_eq!(
            (&made["outcome"], &made["loop_animation"]),
            (&json!("closed"), &json!("Round-loop")),
            "{name}"
        );
    }

    let refused = folder.fail("make pack.gltf --rig other.bvh --all-animations -o all.bvh");
    refused.says("other.bvh");
    let refused = folder.fail("make pack.gltf --rig hero.glb --all-animations -o hero.glb --force");
    refused.says("is the rig itself");
}

/// `FILE#ANIMATION` is what `--animation` is, but for one file of several.
#[test]
fn animations_are_named_behind_their_file() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("Stroll", 110), ("two", 2)]);
    folder.run("make pack.gltf --all-animations -o loops.glb").done();
    let frames = |arguments: &str| folder.answer(arguments)["take"]["frames"].clone();
    assert_eq!(frames("inspect pack.gltf#stroll --json"), 110);
    assert_eq!(frames("find pack.gltf#St* --json"), 110);
    assert_eq!(frames("convert pack.gltf#Stroll stroll.bvh --json"), 110);
    folder.succeed("make pack.gltf#Stroll -o stroll.glb");
    assert_eq!(folder.json("stroll.glb.json")["take"]["animation"], "Stroll");
    folder.succeed("make pack.gltf#Stroll");
    assert!(folder.file("pack-Stroll-loop.gltf").exists());

    let cost = folder.answer("cost pack.gltf#Stroll loops.glb#walk-loop --json");
    assert_eq!(cost["left"]["file"], "pack.gltf#Stroll");
    let cost = folder.answer("cost pack.gltf#Stroll:60 pack.gltf#walk:20 --json");
    assert_eq!(
        (&cost["left"]["frame"], &cost["entered"]["frame"]),
        (&json!(60), &json!(20))
    );
    folder.succeed("cost loops.glb#Stroll-loop loops.glb#walk-loop pack.gltf#walk --json");
    let blend = folder.answer("blend loops.glb#Stroll-loop loops.glb#walk-loop -o blend.glb --json");
    assert_eq!(blend["blend"]["loops"].as_array().unwrap().len(), 2);
    for command in ["blend loops.glb#walk-loop", "play", "check", "retarget --rig walk.bvh"] {
        let out = if command == "check" { "" } else { "-o no.glb" };
        let answer = folder.refuse(
            &format!("{command} loops.glb#Strol-loop {out}"),
            "there is no animation \"Strol-loop\"",
        );
        answer.says("Stroll-loop");
    }
    let drawn = folder.succeed("render loops.glb -o loop.png --size 32");
    assert_eq!(
        drawn.stderr.matches("--animation names another").count(),
        1,
        "{}",
        drawn.stderr
    );
    // Of the take beside it no stretch is known where the sidecar is of another animation.
    folder.succeed("render pack.gltf loops.glb --animation Stroll -o pair.png --size 32");
    folder.succeed("play loops.glb#*-loop --seconds 2 -o played.glb");
    let checked = folder.answer("check loops.glb#walk-loop --json");
    assert_eq!(checked["loops"].as_array().unwrap().len(), 1);
    let page = folder.answer("report loops.glb#walk-loop -o page.html --json");
    assert_eq!(page["loops"], 1);
    folder.succeed("match build pack.gltf#Stroll pack.gltf#walk:0:90 -o takes.lwmatch");
    let found = folder.answer("match query takes.lwmatch pack.gltf#walk:30 --json");
    let clips: Vec<&Value> = items(&found["found"]).map(|each| &each["clip"]).collect();
    assert!(
        clips
            .iter()
            .any(|clip| clip.as_str().unwrap().starts_with("pack.gltf#")),
        "{clips:?}"
    );

    // A file that has the whole name is meant by it.
    folder.copy("walk.bvh", "pack.gltf#Stroll");
    assert_eq!(
        frames("inspect pack.gltf#Stroll --json"),
        frames("inspect walk.bvh --json")
    );
    folder.refuse("inspect pack.gltf#Sprint", "there is no animation \"Sprint\"");
    folder.refuse("inspect gone.gltf#Stroll", "gone.gltf#Stroll");
}

#[test]
fn excluded_animations_are_left_out() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("Stroll", 121), ("Jog", 121), ("T-Pose", 2)]);
    let asked = |options: &str| {
        let answer = folder.answer(&format!(
            "make pack.gltf --all-animations --force --json -o out.glb {options}"
        ));
        let names = items(&answer["animations"]).map(|each| each["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(asked("--exclude t-pose"), ["walk", "Stroll", "Jog"]);
    assert_eq!(asked("--exclude *o* --exclude stroll"), ["walk"]);
    assert_eq!(asked("--animation *o* --exclude 2"), ["Stroll", "T-Pose"]);
    let listed = folder.answer("list out.glb --json");
    let names: Vec<&Value> = items(&listed["files"][0]["animations"]).map(|a| &a["name"]).collect();
    assert!(
        names.contains(&&json!("Jog")) && !names.contains(&&json!("Jog-loop")),
        "{names:?}"
    );

    let refused = "
        --exclude sprint | there is no animation \"sprint\"; there are: walk, Stroll, Jog, T-Pose
        --exclude * | --exclude leaves no animation
    ";
    std::fs::remove_file(folder.file("out.glb")).unwrap();
    for [options, said] in rows(refused) {
        let answer = folder.run(&format!("make pack.gltf --all-animations -o out.glb {options}"));
        assert_ne!(answer.status, 0, "{options}");
        answer.says(said);
    }
    folder.refuse("make pack.gltf --exclude Jog", "--all-animations");
    assert!(!folder.file("out.glb").exists());

    folder
        .run("make pack.gltf --all-animations --force -o out.glb --exclude T-Pose")
        .done();
    let checked = |options: &str| {
        let answer = folder.run(&format!("check out.glb --json {options}")).json();
        let names = items(&answer["loops"]).map(|each| each["animation"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(checked("--exclude *o?-loop"), ["walk-loop", "Stroll-loop"]);
    assert_eq!(
        checked("--animation *-loop --exclude Jog-loop --exclude stroll*"),
        ["walk-loop"]
    );
    folder.refuse("check out.glb --exclude *-loop", "--exclude leaves no loop");
    folder.refuse(
        "check out.glb --exclude sprint-loop",
        "there is no animation \"sprint-loop\"",
    );

    // Of many files, some have nothing to exclude.
    folder.succeed("convert walk.bvh lone.glb");
    folder.succeed("make pack.gltf lone.glb --all-animations --exclude Jog --exclude T-Pose -o out/");
}

/// The names of the files in a folder, but for journals and sidecars.
fn files_in(folder: &Folder, below: &str) -> Vec<String> {
    let names = folder.names().into_iter();
    let names = names.filter_map(|name| Some(name.strip_prefix(&format!("{below}/"))?.to_owned()));
    names
        .filter(|name| !name.ends_with(".json") && !name.starts_with('.'))
        .collect()
}

#[test]
fn loops_are_split_into_files_of_one_animation() {
    let folder = Folder::with_walk();
    with_copies(
        &folder,
        "pack.gltf",
        &[("Jog: fast/2", 110), ("Jog- fast-2", 121), ("two", 2)],
    );
    for (to, names) in [
        (
            "glb",
            [
                "pack-Jog--fast-2-loop-2.glb",
                "pack-Jog--fast-2-loop.glb",
                "pack-walk-loop.glb",
            ],
        ),
        (
            "fbx",
            [
                "pack-Jog--fast-2-loop-2.fbx",
                "pack-Jog--fast-2-loop.fbx",
                "pack-walk-loop.fbx",
            ],
        ),
        (
            "bvh",
            [
                "pack-Jog--fast-2-loop-2.bvh",
                "pack-Jog--fast-2-loop.bvh",
                "pack-walk-loop.bvh",
            ],
        ),
    ] {
        let answer = folder.run(&format!("make pack.gltf --all-animations --split --to {to} -o {to}/"));
        assert_eq!(answer.status, 1, "one animation is no loop: {}", answer.stderr);
        answer.shows("two: too short: 2 frames");
        assert_eq!(files_in(&folder, to), names);
        for name in names {
            let checked = folder.answer(&format!("check {to}/{name} --json"));
            assert_eq!(checked["loops"].as_array().unwrap().len(), 1, "{checked}");
            let listed = folder.answer(&format!("list {to}/{name} --json"));
            assert_eq!(items(&listed["files"][0]["animations"]).len(), 1, "{listed}");
            let sidecar = folder.json(&format!("{to}/{name}.json"));
            assert_valid(&sidecar, "loop");
        }
    }
    // The loop is that of a run for its animation alone.
    folder.succeed("make pack.gltf --animation walk -o alone.glb");
    let root = |sidecar: &str| folder.json(sidecar)["root_motion"].clone();
    assert_eq!(root("alone.glb.json"), root("glb/pack-walk-loop.glb.json"));

    let refused = "
        --all-animations --split -o one.glb | is the name of a file
        --split -o out/ | --all-animations
    ";
    folder.refuse_all("make pack.gltf", refused);
}

#[test]
fn animations_are_split_as_they_are() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("Stroll", 110), ("two", 2)]);
    folder.run("make pack.gltf --all-animations -o loops.glb").done();
    let answer = folder.succeed("convert loops.glb out/ --split --to glb");
    let names = ["Stroll", "two", "walk"].map(|name| format!("loops-{name}.glb"));
    for name in &names {
        answer.shows(name);
    }
    assert!(!folder.file("out/loops-walk.glb.json").exists());
    let looped = folder.json("out/loops-walk-loop.glb.json");
    assert_valid(&looped, "loop");
    folder.succeed("check out/loops-walk-loop.glb");
    for name in ["Stroll", "two", "walk", "walk-loop"] {
        let take = |arguments: &str| folder.answer(&format!("inspect {arguments} --json"))["take"]["frames"].clone();
        assert_eq!(
            take(&format!("out/loops-{name}.glb")),
            take(&format!("loops.glb --animation {name}")),
            "{name}"
        );
        // The animation alone, with its own keys, and none of the others' bytes.
        let bytes = folder.read(&format!("out/loops-{name}.glb"));
        assert_eq!(loopwright_formats::animation_names(&bytes), [name]);
        assert!(
            bytes.len() < folder.read("loops.glb").len() * 2 / 3,
            "{name}: {}",
            bytes.len()
        );
    }
    // FBX likewise; a file of one motion without a name keeps its own.
    folder.succeed("convert walk.bvh pack.fbx");
    folder.succeed("make pack.fbx --animation walk -o pack.fbx --force");
    folder.succeed("convert pack.fbx walk.bvh split/ --split");
    assert_eq!(
        files_in(&folder, "split"),
        ["pack-pack-loop.fbx", "pack-walk.fbx", "walk.bvh"]
    );
    assert_eq!(
        loopwright_formats::animation_names(&folder.read("split/pack-walk.fbx")),
        ["walk"]
    );
    folder.succeed("check split/pack-pack-loop.fbx");
    folder.refuse("convert loops.glb one.glb --split", "is the name of a file");
}

/// What only other animations need is cut out of a file, and its body stays.
#[test]
fn split_files_keep_the_body_and_no_more() {
    use loopwright_formats::{AnimationChoice, ReadSettings, SizeLimits, read_take};
    let Some(takes) = folder_or_skip() else { return };
    for file in ["gltf/Robot.glb", "mesh2motion/fox-animations.glb"] {
        let folder = Folder::new();
        let pack = std::fs::read(takes.join(file)).unwrap();
        folder.run_on(&takes.join(file), "convert FILE out/ --split").done();
        let mesh = |bytes: &[u8], animation: &str| {
            let settings = ReadSettings {
                animation: AnimationChoice::Given(animation),
                ..ReadSettings::default()
            };
            let read = read_take(bytes, "walk", &settings, &mut Vec::new()).unwrap();
            let mesh = read
                .source
                .read_mesh(bytes, read.take.skeleton(), &SizeLimits::default());
            mesh.unwrap().expect("a body")
        };
        let names = files_in(&folder, "out");
        assert_eq!(names.len(), 14, "{names:?}");
        let moving = |name: &&String| !name.contains("Rest");
        for name in names.iter().filter(moving) {
            let bytes = folder.read(&format!("out/{name}"));
            let [animation] = &loopwright_formats::animation_names(&bytes)[..] else {
                panic!("{name}");
            };
            assert!(mesh(&bytes, animation) == mesh(&pack, animation), "{name}");
            assert!(
                bytes.len() < pack.len() / 2,
                "{name}: {} of {}",
                bytes.len(),
                pack.len()
            );
        }
    }
}

#[test]
fn what_is_no_loop_is_left_alone_and_said() {
    let folder = Folder::with_walk();
    with_copies(&folder, "pack.gltf", &[("two", 2), ("half", 20), ("walk", 121)]);
    let made = folder.succeed("make pack.gltf --all-animations -o out.glb");
    made.shows("left alone: too short: 2 frames");
    let listed = folder.answer("list out.glb --json");
    let names: Vec<&Value> = items(&listed["files"][0]["animations"]).map(|a| &a["name"]).collect();
    // Of two animations of one name both are looped.
    let are_there = ["walk-loop", "walk_2-loop", "two"].map(|name| names.contains(&&json!(name)));
    assert_eq!(are_there, [true; 3], "{names:?}");

    // A broken animation is an error, and the others are looped.
    let mut file = folder.json("pack.gltf");
    file["animations"][1]["samplers"][0]["output"] = json!(99_999);
    folder.write("broken.gltf", file.to_string());
    let answer = folder.fail("make broken.gltf --all-animations -o broken-out.glb --json");
    let document = answer.json();
    assert_valid(&document, "loops");
    assert_eq!(named(&document["animations"], "two")["outcome"], "error");
    assert_eq!(named(&document["animations"], "walk")["outcome"], "cut");
    assert!(folder.file("broken-out.glb").exists());

    // BVH holds one motion.
    let for_unity = folder.succeed("make pack.gltf --all-animations --for unity -o unity.glb");
    for_unity.says("unity does not read .glb by itself; it reads .fbx; --split -o loops/ writes each loop");
    let refused = folder.fail("make walk.bvh --all-animations -o out.bvh");
    refused.says("no animation can be added to BVH");
    let answer = folder.run("make pack.gltf --all-animations -o out.fbx");
    answer.says("ends in .glb or .gltf");
    // What --to asks for is obeyed or refused.
    for options in ["--to fbx", "--to bvh", "--to fbx -o out/"] {
        let answer = folder.fail(&format!("make pack.gltf --all-animations {options}"));
        answer.says("the output is of another kind, which keeps one animation");
        answer.says("--split for a file of each");
    }
    folder.refuse(
        "make pack.gltf --all-animations --to gltf -o other.glb",
        "is not named like a file of the format gltf",
    );
    folder.succeed("make pack.gltf --all-animations --to glb");
    assert!(folder.file("pack-loops.glb").exists() && !folder.file("pack-loops.fbx").exists());
}

#[test]
fn loops_are_added_to_their_own_file_in_place() {
    for extension in ["glb", "fbx"] {
        let folder = with_pack(extension);
        let pack = format!("pack.{extension}");
        let before = folder.read(&pack);
        folder.refuse(&format!("make {pack} -o {pack}"), "--force to add the loop to it");
        assert_eq!(folder.read(&pack), before);
        folder.succeed(&format!("make {pack} --animation walk -o {pack} --force"));
        assert_eq!(folder.json(&format!("{pack}.json"))["format"], "loopwright-loop");
        // A second loop beside the first.
        folder.succeed(&format!(
            "make {pack} --animation walk --set search.shifted=true --pick 2 -o {pack} --force"
        ));
        let listed = folder.answer(&format!("list {pack} --json"));
        let num_animations = listed["files"][0]["animations"].as_array().unwrap().len();
        let beside = folder.json(&format!("{pack}.json"));
        if extension == "fbx" {
            // FBX numbers it, glTF replaces the one of that name.
            assert_eq!(num_animations, 3);
            assert_eq!(beside["loops"].as_array().unwrap().len(), 2);
            assert_eq!(verdicts(&folder.succeed(&format!("check {pack}"))).len(), 2);
        } else {
            assert_eq!(num_animations, 2);
            assert_eq!(beside["format"], "loopwright-loop");
        }
    }
    // A take that cannot hold loops is never overwritten.
    let folder = Folder::with_walk();
    folder.refuse("make walk.bvh -o walk.bvh --force", "a take is never overwritten");
}

#[test]
fn a_file_without_animation_shows_its_skeleton() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.gltf");
    let mut file = folder.json("walk.gltf");
    file["animations"] = json!([]);
    folder.write("rig.gltf", file.to_string());
    let answer = folder.succeed("inspect rig.gltf");
    answer.says("holds no animation; this is its skeleton at rest");
    answer.begins("rig.gltf: no motion, 24 joints");
    answer.shows("LeftToeBase");
    let json = folder.answer("inspect rig.gltf --json");
    assert_valid(&json, "inspect");
    folder.fail("find rig.gltf");
    let listed = folder.succeed("list rig.gltf").stdout;
    assert!(listed.starts_with("rig.gltf: no animations"), "{listed}");
}

#[test]
fn a_real_pack_is_looped_and_checked() {
    let Some(takes) = folder_or_skip() else { return };
    let folder = Folder::new();
    for (file, num_animations) in [
        ("gltf/Robot.glb", 14),
        ("ozz-pab/locomotions.fbx", 3),
        ("mesh2motion/fox-animations.glb", 14),
    ] {
        let take = takes.join(file);
        let out = format!("out.{}", take.extension().unwrap().to_str().unwrap());
        let arguments = [
            "make",
            take.to_str().unwrap(),
            "--all-animations",
            "-o",
            &out,
            "--force",
            "--json",
        ];
        let answer = folder.run_list(&arguments);
        assert!(answer.status < 2, "{file}: {}", answer.stderr);
        let made = answer.json();
        assert_valid(&made, "loops");
        assert_eq!(made["animations"].as_array().unwrap().len(), num_animations, "{file}");
        let checked = folder.run(&format!("check {out} --json"));
        assert!(checked.status <= answer.status, "{file}: {}", checked.stderr);
        assert_eq!(
            checked.json()["loops"].as_array().unwrap().len(),
            made["loops"].as_array().unwrap().len(),
            "{file}"
        );
    }
}
