//! Files that claim more than they hold, or name what is not theirs: refused in little memory, with the limit and how to raise
//! it.

use std::{
    fs::{self, File},
    process::Command,
};

use crate::harness::{Answer, Folder, command, glb_of, lines, parts_of_glb, pipe};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

/// Address space of a run, KiB: what a program takes that allocates no more than a small file allows.
const ADDRESS_SPACE: u32 = 700_000;

/// Runs the command in little address space, where a larger allocation ends it by a signal.
fn confined(folder: &Folder, arguments: &[&str]) -> Answer {
    let program = command();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$@\""), "sh"]);
    shell
        .arg(program.get_program())
        .args(arguments)
        .current_dir(folder.path());
    Answer::new(shell.output().unwrap())
}

fn run(folder: &Folder, arguments: &str) -> Answer {
    confined(folder, &arguments.split_whitespace().collect::<Vec<_>>())
}

/// Asserts that a run is refused for its memory, and that it says how much would do.
fn is_too_much(folder: &Folder, arguments: &str) {
    let answer = run(folder, arguments).refused();
    answer.says("of memory are needed, the limit is");
    answer.says("--max-memory with more than");
}

/// glTF of joints that all turn by one accessor, in several animations: few bytes that mean much.
fn shared(joints: usize, keys: usize, secs: f32, animations: usize) -> String {
    let times = (0..keys).map(|key| secs * key as f32 / (keys - 1) as f32);
    let mut data: Vec<u8> = times.clone().flat_map(f32::to_le_bytes).collect();
    let times_bytes = data.len();
    for time in times {
        let half = 0.25 * (time * core::f32::consts::TAU).sin();
        data.extend(
            [half.sin(), 0.0, 0.0, half.cos()]
                .into_iter()
                .flat_map(f32::to_le_bytes),
        );
    }
    let nodes = (0..joints).map(|joint| match joint {
        0 => json!({"children": (1..joints).collect::<Vec<_>>()}),
        _ => json!({"translation": [0.0, 0.01, 0.0]}),
    });
    let channels: Vec<Value> = (0..joints)
        .map(|node| json!({"sampler": 0, "target": {"node": node, "path": "rotation"}}))
        .collect();
    let animations = (0..animations).map(|number| {
        json!({"name": format!("Turn{number}"), "samplers": [{"input": 0, "output": 1}], "channels": channels})
    });
    let file = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes.collect::<Vec<_>>(),
        "buffers": [{
            "byteLength": data.len(),
            "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&data)),
        }],
        "bufferViews": [
            {"buffer": 0, "byteLength": times_bytes},
            {"buffer": 0, "byteOffset": times_bytes, "byteLength": data.len() - times_bytes},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR", "min": [0.0], "max": [secs]},
            {"bufferView": 1, "componentType": 5126, "count": keys, "type": "VEC4"},
        ],
        "animations": animations.collect::<Vec<_>>(),
    });
    file.to_string()
}

#[test]
fn work_on_a_small_file_takes_little_memory() {
    let folder = Folder::new();
    folder.write("joints.gltf", shared(8000, 120, 2.0, 1));
    folder.write("long.gltf", shared(1800, 1000, 60.0, 1));
    for file in ["joints.gltf", "long.gltf"] {
        run(&folder, &format!("inspect {file}")).done();
        is_too_much(&folder, &format!("find {file}"));
        is_too_much(&folder, &format!("make {file} -o loop.glb"));
    }
    // Times that all joints share are held once.
    folder.write("keys.gltf", shared(4000, 25_000, 400.0, 1));
    is_too_much(&folder, "inspect keys.gltf");
    // As much as is said is enough.
    let answer = folder.run("find joints.gltf --max-memory 2G");
    assert!(answer.status < 2, "{}", answer.stderr);
    // Each alone is small; together they are not.
    folder.write("many.gltf", shared(30, 140, 2.3, 500));
    let answer = run(&folder, "make many.gltf --all-animations -o many.glb").refused();
    answer.says("of memory are needed");
    // A character of many joints takes what its motion has frames for.
    folder.succeed("synth -o walk.bvh --seconds 60 --fps 60");
    let answer = run(&folder, "retarget walk.bvh --rig joints.gltf -o on.glb").refused();
    assert!(!answer.stderr.contains("panic"), "{}", answer.stderr);
    folder.write("loopwright.toml", "[output]\nrepeat = 20000\n");
    is_too_much(&folder, "make walk.bvh -o loop.bvh");
    for picture in ["sheet.png", "moving.gif", "onion.png --onion --range 0:60"] {
        let render = "render walk.bvh --size 4096x4096 --max-memory 50M -o";
        is_too_much(&folder, &format!("{render} {picture}"));
    }
    folder.runs("2 make walk.bvh -o loop.bvh --max-memory 1M | the limit is 1 MiB | --max-memory");
    assert!(!folder.has("loop.bvh") && !folder.has("loop.glb"));
}

/// Two keys a day apart are two million frames; joints without channels and capsules take memory, too.
#[test]
fn what_is_made_of_a_few_bytes_is_counted() {
    let folder = Folder::new();
    let mut keys: Value = serde_json::from_str(&shared(1, 2, 78_000.0, 1)).unwrap();
    keys["nodes"] = json!([{}]);
    folder.write("keys.gltf", keys.to_string());
    for arguments in lines(
        "
        inspect keys.gltf
        list keys.gltf
        find keys.gltf
        close keys.gltf --range 0:50 -o out.glb
        cut keys.gltf -o cut
        set keys.gltf -o set
        fit keys.gltf
        match build keys.gltf -o keys.lwmatch
        report keys.gltf -o page.html
        cost keys.gltf keys.gltf
        ",
    ) {
        let answer = run(&folder, arguments);
        answer.says("of memory are needed");
        assert!(answer.status > 0 && !folder.has("out.glb"), "{arguments}");
    }
    folder.write("leaves.gltf", shared(12_000, 60, 2.0, 1));
    is_too_much(&folder, "close leaves.gltf --range 0:50 -o out.glb");
    let joints: String = (0..20_000)
        .map(|joint| format!("JOINT j{joint} {{ OFFSET 0 1 0 CHANNELS 0 }}\n"))
        .collect();
    let rows = "0 0 0\n1 0 0\n".repeat(30);
    folder.write(
        "bare.bvh",
        format!(
            "HIERARCHY\nROOT a {{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\n{joints}}}\nMOTION\nFrames: 60\n\
             Frame Time: 0.03\n{rows}"
        ),
    );
    run(&folder, "convert bare.bvh out.glb").done();
    assert!(folder.read("out.glb").len() < 32 << 20);
}

/// Many pictures, or one of many pixels, are read row by row: each once, and no more than are shown.
#[test]
fn pictures_of_few_bytes_take_little_memory() {
    let folder = Folder::new();
    folder.runs("synth -o walk.bvh --seconds 1 --fps 20\nconvert walk.bvh walk.glb");
    let glb = folder.read("walk.glb");
    let (mut file, buffer) = parts_of_glb(&glb);
    let mut buffer = buffer.to_vec();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 8192, 8192);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&vec![0x55; 8192 * 1024])
        .unwrap();
    // Nothing says that it is a stand-in, and its points have a place in a picture.
    file["asset"]["generator"] = json!("another");
    let mut primitive = file["meshes"][0]["primitives"][0].clone();
    let positions = primitive["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let places = json!({"componentType": 5126, "type": "VEC2", "count": file["accessors"][positions]["count"]});
    let mut push = |list: &str, part: Value| {
        if file[list].is_null() {
            file[list] = json!([]);
        }
        let list = file[list].as_array_mut().unwrap();
        list.push(part);
        list.len() - 1
    };
    primitive["attributes"]["TEXCOORD_0"] = json!(push("accessors", places));
    let mut primitives = Vec::new();
    for number in 0..40_u8 {
        // Behind the end of a picture anything may stand.
        let bytes = [&picture[..], &[number; 4]].concat();
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": buffer.len(), "byteLength": bytes.len()});
        buffer.extend(bytes);
        let view = push("bufferViews", view);
        let image = push("images", json!({"bufferView": view, "mimeType": "image/png"}));
        let texture = push("textures", json!({"source": image}));
        let material = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
        primitive["material"] = json!(push("materials", material));
        primitives.push(primitive.clone());
    }
    file["meshes"][0]["primitives"] = json!(primitives);
    file["buffers"][0]["byteLength"] = json!(buffer.len());
    let glb = glb_of(&file, &buffer);
    assert!(glb.len() < 2 << 20, "{}", glb.len());
    folder.write("pictures.glb", glb);
    run(&folder, "render pictures.glb -o picture.png").done();
    run(&folder, "report pictures.glb -o page.html").done();
}

#[test]
fn numbers_without_end_and_outputs_over_maps_do_no_harm() {
    let folder = Folder::with_walk();
    folder
        .run("set walk.bvh -o set --variants 18446744073709551615")
        .wrote();
    folder.succeed("convert walk.bvh rig.glb");
    folder.runs("retarget walk.bvh --rig rig.glb -o on.glb --save-map map.toml");
    let map = folder.text("map.toml");
    for make in [
        "make walk.bvh --rig rig.glb --map map.toml --save-recipe map.toml -o on.glb -f",
        "make walk.bvh --rig rig.glb --map map.toml -o on.glb --plot map.toml -f",
    ] {
        folder.run(make).refused();
        assert_eq!(folder.text("map.toml"), map);
    }
}

/// JSON and rows that are carried along, and motion that is made, stay below what is said.
#[test]
fn max_memory_holds_for_all_that_a_run_holds() {
    let folder = Folder::with_synth("--seconds 5 --fps 30");
    folder.run("make walk.bvh -o walk-loop.bvh").wrote();
    folder.write("path.csv", "0,0,0\n40000,0,90000\n");
    folder.write("rows.csv", format!("path\n{}", "a\n".repeat(60_000)));
    folder.succeed("match build walk.bvh -o walk.lwmatch");
    for arguments in lines(
        "
        play walk-loop.bvh --seconds 2e4 -o played.bvh --max-memory 200M
        match walk walk.lwmatch path.csv -o walked.bvh --max-memory 200M
        catalog rows.csv --json
        ",
    ) {
        is_too_much(&folder, arguments);
    }
    folder.succeed("convert walk.bvh walk.glb");
    let glb = folder.read("walk.glb");
    let (mut file, buffer) = parts_of_glb(&glb);
    file["extras"] = json!(vec![json!([]); 600_000]);
    folder.write("extras.glb", glb_of(&file, buffer));
    is_too_much(&folder, "make extras.glb -o out.glb --max-memory 200M");
    let empty = format!("{{\"more\": [{}0]}}", "[],".repeat(1_000_000));
    folder.write("walk-loop.bvh.json", &empty);
    folder.make_folder("set");
    folder.copy("walk.bvh", "set/walk.bvh");
    folder.write("set/set.json", &empty);
    is_too_much(&folder, "check walk-loop.bvh --max-memory 50M");
    is_too_much(&folder, "check set --max-memory 50M");
    folder.write("loopwright.toml", format!("a = [{}]", "[],".repeat(1 << 20)));
    run(&folder, "find walk.bvh")
        .refused()
        .says("the limit for settings is 1 MiB");
}

#[test]
fn catalogs_of_few_bytes_hold_few_rows() {
    let folder = Folder::new();
    folder.write("rows.csv", format!("path\n{}", "a\n".repeat(400_000)));
    let refused = run(&folder, "catalog rows.csv").refused();
    refused.says("its rows take more than");
    refused.says("--max-memory");
    folder.write("rows.jsonl", "{\"path\":\"a\"}\n".repeat(40_000));
    run(&folder, "catalog rows.jsonl").done();
    if cfg!(feature = "parquet") {
        use loopwright_catalog::{CatalogFormat, LoopRow, write};
        let row = LoopRow {
            path: "a".to_owned(),
            ..LoopRow::default()
        };
        let mut bytes = Vec::new();
        let rows = core::iter::repeat_n(&row, 1_000_000);
        write(CatalogFormat::Parquet, rows, &mut bytes).unwrap();
        folder.write("rows.parquet", bytes);
        let refused = run(&folder, "catalog rows.parquet").refused();
        refused.says("its rows take more than");
    }
}

#[test]
fn settings_and_journals_of_gigabytes_are_not_read() {
    let folder = Folder::new();
    folder.succeed("synth -o takes.bvh --seconds 2.6 --fps 20");
    folder.make_folder("takes");
    folder.copy("takes.bvh", "takes/walk.bvh");
    folder.succeed("make takes -o loops/");
    let sparse = |name: &str| File::create(folder.file(name)).unwrap().set_len(3 << 30).unwrap();
    sparse("takes/loopwright.toml");
    run(&folder, "find takes/walk.bvh")
        .refused()
        .says("the limit for settings is 1 MiB");
    folder.remove("takes/loopwright.toml");
    let sidecar = folder.read("loops/walk-loop.bvh.json");
    for name in ["loops/set.json", "loops/walk-loop.bvh.json"] {
        sparse(name);
        run(&folder, "check loops")
            .refused()
            .says("the limit for sidecars and sets is 256 MiB");
        folder.remove(name);
    }
    folder.write("loops/walk-loop.bvh.json", sidecar);
    let journal = folder.read("loops/.loopwright-batch.jsonl");
    sparse("loops/.loopwright-batch.jsonl");
    run(&folder, "make takes -o loops/ --resume")
        .refused()
        .says("no journal of a run");
    assert_eq!(
        fs::metadata(folder.file("loops/.loopwright-batch.jsonl"))
            .unwrap()
            .len(),
        3 << 30,
        "a file that is no journal stays"
    );
    folder.write("loops/.loopwright-batch.jsonl", journal);
    run(&folder, "make takes -o loops/ --resume").done();
}

/// A folder with a take and the loops that a run made of it.
fn with_loops() -> Folder {
    let folder = Folder::new();
    folder.make_folder("takes");
    folder.succeed("synth -o takes/walk.bvh --seconds 2.6 --fps 20");
    folder.succeed("make takes -o loops/ --catalog loops.csv");
    folder
}

#[test]
fn a_run_that_goes_on_replaces_what_is_its_own() {
    let folder = with_loops();
    let again = "make takes -o loops/ --resume --catalog";
    folder.succeed(&format!("{again} loops.csv")).says("1 were done before");
    folder.write("mine.csv", "precious");
    folder.refuse(&format!("{again} mine.csv"), "\"mine.csv\" exists already");
    // Its own as well, once somebody changed it.
    let edited = folder.text("loops.csv") + "edited,";
    folder.write("loops.csv", &edited);
    folder.refuse(&format!("{again} loops.csv"), "\"loops.csv\" exists already");
    assert_eq!(folder.text("loops.csv"), edited);
    assert_eq!(folder.text("mine.csv"), "precious");
    folder.succeed(&format!("{again} mine.csv --force"));
    assert!(folder.text("mine.csv").starts_with("path,"));
    #[cfg(unix)]
    {
        fs::hard_link(folder.file("loops/.loopwright-batch.jsonl"), folder.file("other")).unwrap();
        let before = folder.read("other");
        folder.refuse("make takes -o loops/ --resume", "a hard link");
        assert_eq!(folder.read("other"), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn takes_are_told_apart_by_names_that_cannot_be_shown() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    folder.make_folder("takes");
    folder.succeed("synth -o walk.bvh --seconds 2.6 --fps 20");
    for name in [&b"walk\xff"[..], b"walk\xfe", b"a\tb", b"a\x1bc", b"a\nd"] {
        let name = std::ffi::OsStr::from_bytes(name).to_owned();
        fs::copy(
            folder.file("walk.bvh"),
            folder.file("takes").join(name).with_extension("bvh"),
        )
        .unwrap();
    }
    folder.succeed("make takes -o loops/");
    assert_eq!(fs::read_dir(folder.file("loops")).unwrap().count(), 11);
    folder
        .succeed("make takes -o loops/ --resume")
        .says("5 were done before");
}

/// A journal says what its outputs say, or its takes are done again.
#[test]
fn a_journal_of_others_is_not_believed() {
    let folder = with_loops();
    let journal = folder.text("loops/.loopwright-batch.jsonl");
    let outside = folder.file("outside.bvh");
    fs::write(&outside, folder.read("loops/walk-loop.bvh")).unwrap();
    let grade = folder.json("loops/walk-loop.bvh.json")["quality"]["grade"].clone();
    let other = if grade == "good" { "bad" } else { "good" };
    let grade = grade.as_str().unwrap();
    for (from, to) in [
        (format!("\"verdict\":\"{grade}\""), format!("\"verdict\":\"{other}\"")),
        (format!("\"grade\":\"{grade}\""), format!("\"grade\":\"{other}\"")),
        (grade.to_owned(), other.to_owned()),
        (
            "\"path\":\"loops/walk-loop.bvh\"".to_owned(),
            format!("\"path\":{outside:?}"),
        ),
    ] {
        let forged = journal.replace(&from, &to);
        assert_ne!(forged, journal, "{from}");
        folder.write("loops/.loopwright-batch.jsonl", forged);
        let answer = folder.run("make takes -o loops/ --resume").wrote();
        assert!(!answer.stderr.contains("done before"), "{from}: {}", answer.stderr);
    }
    folder.write("loops/.loopwright-batch.jsonl", journal);
    folder
        .run("make takes -o loops/ --resume")
        .wrote()
        .says("1 were done before");
}

#[cfg(unix)]
#[test]
fn files_name_others_in_their_own_folder_alone() {
    let folder = Folder::new();
    folder.make_folder("came");
    folder.make_folder("own");
    folder.write("secret", "a secret\n");
    pipe(&folder.file("endless"));
    folder.succeed("synth -o came/walk.bvh --seconds 2.6 --fps 20");
    folder.succeed("convert came/walk.bvh own/hero.glb");
    folder.run("make came/walk.bvh -o came/loop.bvh").wrote();
    let secret = folder.file("secret");
    let secret = secret.to_str().unwrap();
    let refused = |arguments: &str, words: &str| {
        let answer = folder.refuse(arguments, words);
        assert!(!answer.stderr.contains("a secret"), "{}", answer.stderr);
    };

    // Settings of a folder name no files at all.
    for settings in [
        format!("[take]\nrig = \"{secret}\"\n"),
        format!("[take]\nmap = \"{secret}\"\n"),
    ] {
        folder.write("came/loopwright.toml", &settings);
        for command in ["find", "make -o x.bvh"] {
            refused(&format!("{command} came/walk.bvh"), "names a file");
        }
    }
    folder.remove("came/loopwright.toml");

    // Recipes, catalogs and databases name those beside them, or where the user says so.
    let make = "make came/walk.bvh -o out.glb --recipe came/recipe.toml";
    for named in [
        secret,
        "own/hero.glb",
        "came/../own/hero.glb",
        "/proc/self/fd/../cwd/endless",
        "-",
    ] {
        folder.write("came/recipe.toml", format!("[take]\nrig = \"{named}\"\n"));
        refused(make, "\"came/recipe.toml\" names");
    }
    folder.write("came/recipe.toml", "[take]\nrig = \"own/hero.glb\"\n");
    folder.run(&format!("{make} --allow-paths own")).wrote();
    let catalog = format!("path,output\na,{secret}\nb,/dev/stdin\nc,-\nd,../secret\ne,loop.bvh\n");
    folder.write("came/catalog.csv", catalog);
    let page = folder.run("report came/catalog.csv -o page.html").refused();
    page.says("4 of 5 files are not shown");
    page.says("\"came/catalog.csv\" names");
    folder.make_folder("came/takes");
    folder.copy("came/walk.bvh", "came/takes/walk.bvh");
    folder.succeed("match build came/takes -o came/takes.lwmatch");
    folder.write("came/path.csv", "0,0,0\n3,0,3.6\n");
    let walk = "match walk came/takes.lwmatch came/path.csv -o walked.bvh";
    folder.succeed(&format!("{walk} --force"));
    folder.remove("came/takes/walk.bvh");
    std::os::unix::fs::symlink(secret, folder.file("came/takes/walk.bvh")).unwrap();
    refused(&format!("{walk} --force"), "outside its folder");

    // A file that the user names is opened, and its content is not shown if it is no motion.
    refused(&format!("find {secret}"), "not a BVH file");
    refused("find /proc/self/fd/../cwd/endless", "is no file");
}

#[test]
fn texts_of_files_forge_no_lines() {
    let folder = Folder::new();
    let mut file: Value = serde_json::from_str(&shared(3, 60, 2.0, 2)).unwrap();
    let forged = "Walk\nerror: all is lost\u{202e}\u{2066}";
    file["animations"][0]["name"] = json!(forged);
    file["nodes"][1]["name"] = json!(forged);
    file["skins"] = json!([{"joints": [0, 1, 2], "name": forged}]);
    folder.write("pack.gltf", file.to_string());
    for arguments in lines(
        "
        list pack.gltf
        list pack.gltf --json
        inspect pack.gltf
        inspect pack.gltf --json
        find pack.gltf --animation 7
        find pack.gltf --set take.skin=none
        make pack.gltf --all-animations -o out.glb --force --json
        check out.glb
        report out.glb -o page.html -f
        ",
    ) {
        let answer = folder.run(arguments);
        for text in [&answer.stdout, &answer.stderr] {
            let is_forged = text.lines().any(|line| line.starts_with("error: all is lost"));
            assert!(
                !is_forged && !text.contains(['\u{202e}', '\u{2066}']),
                "{arguments}: {text}"
            );
        }
        if arguments.contains("--json") {
            answer.json();
        }
    }
    assert!(!folder.text("page.html").contains(['\u{202e}', '\u{2066}']));
    #[cfg(unix)]
    {
        folder.make_folder("takes");
        folder.succeed("synth -o takes/walk.bvh --seconds 2.6 --fps 20");
        folder.copy("takes/walk.bvh", "takes/run\nerror: all is lost.bvh");
        for arguments in lines(
            "
            make takes -o loops/
            check loops/
            find takes/
            convert takes/ out/ --to glb
            list takes nowhere
            ",
        ) {
            let answer = folder.run(arguments);
            let said = format!("{}{}", answer.stdout, answer.stderr);
            assert!(!said.contains("\nerror: all"), "{arguments}: {said}");
        }
        let answer = folder.run_list(&["inspect", "none\nerror: all is lost.bvh"]).refused();
        assert!(!answer.stderr.contains("\nerror: all"), "{}", answer.stderr);
        assert!(folder.has("loops/walk-loop.bvh"));
    }
}
