//! `render` on the command line: every kind of picture, and clear errors for impossible ones.

use crate::harness::{Folder, holds, number, replaced, rows};
use resvg::tiny_skia::Pixmap;

/// A folder with `walk.bvh` and `loop.bvh` made from it.
fn with_a_loop() -> Folder {
    let folder = Folder::with_walk();
    folder.made("");
    folder
}

/// Width and height in the header of a GIF, a WebP or a PNG.
fn size_of(bytes: &[u8]) -> [u32; 2] {
    let number = |at: usize, length: usize| {
        let digits = bytes[at..at + length].iter().rev();
        digits.fold(0, |number, &digit| number << 8 | u32::from(digit))
    };
    if bytes.starts_with(b"GIF89a") {
        [number(6, 2), number(8, 2)]
    } else if bytes.starts_with(b"RIFF") && &bytes[8..16] == b"WEBPVP8X" {
        [number(24, 3) + 1, number(27, 3) + 1]
    } else {
        assert!(bytes.starts_with(b"\x89PNG"), "no picture: {:?}", &bytes[..16]);
        [16, 20].map(|at| number(at, 4).swap_bytes())
    }
}

#[test]
fn every_kind_of_picture_of_a_loop() {
    let folder = with_a_loop();
    let samples = number(&folder.json("loop.bvh.json"), "playback/samples");
    let every_tenth = (samples / 10.0).ceil();
    for (arguments, name, kind, pictures) in [
        ("", "loop.gif", "animation", samples),
        ("--cycles 2", "two.webp", "animation", 2.0 * samples),
        ("--fps 10 --view top", "slow.GIF", "animation", (samples / 3.0).round()),
        (
            "--every 10 --fixed --view side",
            "sheet.png",
            "contact sheet",
            every_tenth,
        ),
        ("--onion", "onion.png", "onion skin", 1.0),
    ] {
        let facts = folder.answer(&format!("render loop.bvh -o {name} --size 96x64 --json {arguments}"));
        holds(
            &facts,
            &format!("outputs/0 = {name}\nkind = {kind}\npictures = {pictures}"),
        );
        let found = size_of(&folder.read(name)).map(f64::from);
        assert_eq!(found, ["width_px", "height_px"].map(|key| number(&facts, key)));
        let is_one = found == [96.0, 64.0];
        assert_eq!(is_one, kind != "contact sheet", "{name}: {found:?}");
        assert_eq!([found[0] % 96.0, found[1] % 64.0], [0.0; 2], "{name}");
    }
    let facts = folder.answer("render loop.bvh -o again.gif --size 96x64 --json");
    assert!((number(&facts, "duration_secs") - samples / 30.0).abs() < 1e-6);
    assert_eq!(
        folder.read("loop.gif"),
        folder.read("again.gif"),
        "threads change nothing"
    );
}

#[test]
fn takes_ranges_and_pairs() {
    let folder = with_a_loop();
    // A repeated raw stretch has a seam, and so has the take beside its loop.
    folder.runs(
        "
        render walk.bvh -o take.png --size 64 --every 20                | take.png: 7 frames, 192 x 192
        render walk.bvh -o part.gif --size 64 --range 10:39             | part.gif: 29 pictures, 0.97 s
        render walk.bvh -o raw.png --size 64 --range 10:45 --onion
        render walk.bvh loop.bvh -o pair.png --size 64 --onion          | pair.png: the seam, 132 x 64
        render walk.bvh loop.bvh -o pair.gif --size 64 --fixed --cycles 2
        ",
    );
    assert_eq!(size_of(&folder.read("pair.gif")), [132, 64]);
    // Without its sidecar, a loop is drawn from its keys, or its cycles are estimated from them.
    folder.remove("loop.bvh.json");
    folder.runs("render loop.bvh -o keys.png --size 64\nrender loop.bvh -o cycles.gif --size 64 --cycles 2");
}

#[test]
fn a_root_joint_that_was_added_is_no_bone() {
    let folder = Folder::with_walk();
    folder.made("");
    folder.succeed("render loop.bvh -o plain.png --size 64");
    folder.made("--add-root");
    folder.succeed("render loop.bvh -o added.png --size 64");
    // The keys differ in their last digits, which can change pixels at edges.
    let [plain, added] = ["plain.png", "added.png"].map(|name| Pixmap::decode_png(&folder.read(name)).unwrap());
    let parts = plain.data().iter().zip(added.data());
    let off = parts.filter(|(plain, added)| plain.abs_diff(**added) > 8).count();
    assert!(
        off < 40 && plain.data().len() == added.data().len(),
        "{off} parts of pixels differ"
    );
}

#[test]
fn one_input_into_a_folder_gives_one_answer() {
    let folder = Folder::with_walk();
    let answer = folder.answer("render walk.bvh -o out/ --size 64 --to png --json");
    assert_eq!(answer["outputs"][0], "out/walk.png");
    let refused = folder.fail("render walk.bvh -o out/ --onion --json");
    assert_eq!(refused.json()["format"], "loopwright-error");
}

#[test]
fn what_cannot_be_drawn_is_said_and_nothing_is_written() {
    let folder = with_a_loop();
    let before = folder.contents();
    let refused = "
        walk.bvh -o out.mp4 | renders are GIF, WebP or PNG
        walk.bvh -o out | renders are GIF, WebP or PNG
        walk.bvh -o out.gif --onion | the onion skin is one picture
        walk.bvh -o out.gif --every 3 | --every is for contact sheets
        walk.bvh -o out.png --fps 3 | --fps is for animations
        walk.bvh -o out.gif --fps 0 | --fps must be a positive number
        walk.bvh -o out.gif --fps nan | --fps must be a positive number
        walk.bvh -o out.gif --size 5 | from 16 to 4096
        walk.bvh -o out.gif --range 5:5000 | frames 5:5000 are not a range
        walk.bvh -o out.gif --range 9:9 | frames 9:9 are not a range
        loop.bvh -o out.gif --cycles 900 | the limit of 3000
        loop.bvh -o out.gif --cycles 40 --size 4096 | too much for one animation
        loop.bvh -o out.png --cycles 40 --every 5 --size 4096 --max-memory 4G | are too large: about
        nowhere.bvh -o out.gif | cannot read \"nowhere.bvh\"
        walk.bvh -o nowhere/out.gif | there is no folder
        walk.bvh loop.bvh walk.bvh -o out.gif | is the name of a file
    ";
    for [arguments, words] in rows(refused) {
        let answer = folder.refuse(&format!("render {arguments}"), words);
        assert!(answer.stdout.is_empty(), "{arguments}: {}", answer.stdout);
    }
    assert_eq!(folder.contents(), before);
    folder.write("out.gif", "mine");
    folder.fail("render walk.bvh -o out.gif --size 64");
    assert_eq!(folder.text("out.gif"), "mine");
    folder.succeed("render walk.bvh -o out.gif --size 64 --force");
    assert!(folder.read("out.gif").starts_with(b"GIF89a"));
}

#[test]
fn a_character_is_drawn_as_its_mesh_and_as_capsules_on_request() {
    let folder = Folder::with_character();
    folder.runs("make hero.glb -o loop.glb\nmake hero.glb --add-root -o rooted.glb");
    for [inputs, arguments] in rows(
        "
        hero.glb            | --every 20
        loop.glb            | --every 20
        rooted.glb          | --every 20
        loop.glb            | --onion
        hero.glb loop.glb   | --every 20
        ",
    ) {
        let drawn = |more: &str| {
            folder.succeed(&format!(
                "render {inputs} -o one.png --size 96x96 --force {arguments} {more}"
            ));
            folder.read("one.png")
        };
        let mesh = drawn("");
        assert_ne!(mesh, drawn("--capsules"), "{inputs} {arguments}");
        assert_eq!(mesh, drawn(""));
    }
    // Capsules that only stand in for a character are no mesh of one.
    folder.runs("convert hero.glb plain.bvh\nconvert plain.bvh plain.glb");
    for name in ["plain.bvh", "plain.glb"] {
        folder.succeed(&format!("render {name} -o one.png --size 96x96 --force"));
        folder.succeed(&format!("render {name} -o other.png --size 96x96 --force --capsules"));
        assert_eq!(folder.read("one.png"), folder.read("other.png"), "{name}");
    }
}

#[test]
fn a_mesh_that_cannot_be_read_is_warned_about() {
    let folder = Folder::with_character();
    let damaged = replaced(&folder.read("hero.glb"), b"\"POSITION\":1", b"\"POSITION\":0");
    folder.write("damaged.glb", damaged);
    let answer = folder.succeed("render damaged.glb -o one.png --size 96x96");
    answer.says("its body is drawn as capsules");
    folder.succeed("render hero.glb -o other.png --size 96x96 --capsules");
    // The title is another.
    assert_eq!(size_of(&folder.read("one.png")), size_of(&folder.read("other.png")));
}
