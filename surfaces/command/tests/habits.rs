//! What users of other commands expect of one: dry runs, streams, short flags, suggestions that mean what was meant.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::harness::{Folder, command};

/// Runs the command with these bytes on its standard input; returns status, standard output and standard error.
fn piped(folder: &Folder, arguments: &str, input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut run: Command = command();
    run.args(arguments.split_whitespace()).current_dir(folder.path());
    run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A command that fails early does not read all.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), output.stdout, said)
}

#[test]
fn a_dry_run_says_what_it_would_write_and_writes_nothing() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/a.bvh");
    folder.write("takes/broken.bvh", "HIERARCHY");
    let before = folder.contents();
    let one = folder.succeed("make walk.bvh -o new/loop.glb --save-recipe loop.toml --dry-run");
    one.begins("new/loop.glb: good: ");
    one.says("nothing was written");
    let many = folder.fail("make takes -o loops --catalog loops/all.csv --dry-run");
    many.shows("loops/a-loop.bvh: good: ");
    many.shows("takes/broken.bvh: unreadable: ");
    assert_eq!(folder.contents(), before);
    // It knows what an earlier run did, and what would be refused.
    folder.succeed("make takes/a.bvh -o loops/ --name {stem}-loop");
    let before = folder.contents();
    let again = folder.fail("make takes -o loops --dry-run");
    again.says("this is what --resume would do");
    again.shows("loops/a-loop.bvh: good: ");
    let on = folder.run("make takes/a.bvh -o loops/ --name {stem}-loop --resume --dry-run");
    assert_eq!(on.status, 0, "{}", on.stderr);
    folder.write("loop.bvh", "mine");
    folder.fail("make walk.bvh -o loop.bvh --dry-run");
    folder.succeed("make walk.bvh -o loop.bvh --dry-run -f");
    assert_eq!(folder.text("loop.bvh"), "mine");
    std::fs::remove_file(folder.file("loop.bvh")).unwrap();
    assert_eq!(folder.contents(), before);
}

#[test]
fn a_take_comes_from_the_standard_input_and_a_loop_goes_to_the_standard_output() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    folder.succeed("make walk.bvh -o loop.glb");
    let walk = folder.read("walk.bvh");
    let (status, stdout, stderr) = piped(&folder, "make - -o -", &walk);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout == folder.read("loop.bvh"), "the bytes of the file");
    assert!(stderr.contains("good: ") && stderr.contains("sidecar"), "{stderr}");
    let (status, stdout, stderr) = piped(&folder, "make - -o - --to glb", &walk);
    assert_eq!((status, &stdout[..4]), (0, &b"glTF"[..]), "{stderr}");
    // The format of what comes in, where no other is asked for.
    folder.succeed("convert walk.bvh walk.glb");
    let (status, stdout, stderr) = piped(&folder, "make - -o - -q", &folder.read("walk.glb"));
    assert_eq!((status, &stdout[..4], stderr.as_str()), (0, &b"glTF"[..], ""));
    let (status, _, stderr) = piped(&folder, "close - --range 20:54.5", &walk);
    assert_eq!(status, 0, "{stderr}");
    assert!(folder.file("stdin-loop.bvh").is_file() && folder.file("stdin-loop.bvh.json").is_file());
    let (status, found, _) = piped(&folder, "find - --json", &walk);
    assert_eq!(status, 0);
    assert!(String::from_utf8(found).unwrap().contains("candidates"));
    for (arguments, status) in [
        ("make - -o - --json", 2),
        ("make - -o - --to pdf", 2),
        ("make walk.bvh -o x.bvh --to glb", 2),
    ] {
        assert_eq!(piped(&folder, arguments, &walk).0, status, "{arguments}");
    }
    assert_eq!(piped(&folder, "make - -o -", b"no take").0, 2);
}

#[test]
fn suggestions_mean_what_was_meant() {
    let folder = Folder::with_walk();
    for (arguments, meant) in [
        ("find walk.bvh --all", "`loopwright make TAKE --pick all"),
        ("make walk.bvh --start 3", "--range START:END"),
        ("make walk.bvh --in-place", "--root-motion in-place"),
        ("make walk.bvh --list", "`loopwright list FILE`"),
        ("make walk.bvh --threads=4", "--jobs N"),
        ("ls walk.bvh", "list"),
        ("info walk.bvh", "inspect"),
    ] {
        let answer = folder.refuse(arguments, &format!("perhaps you mean {meant}"));
        assert!(!answer.stderr.contains("similar"), "{arguments}: {}", answer.stderr);
    }
    for (arguments, says) in [
        ("chek walk.bvh", "'check'"),
        (
            "list walk.bvh --symmetric",
            "--symmetric is a flag of find, make and close",
        ),
        ("convert walk.bvh -o walk.glb", "the last name is the output"),
        ("make walk.bvh --blend -1", "--FLAG=-1"),
        ("check a.glb --animation a --animation b", "a pattern names several"),
        ("find walk.bvh --cycles 0", "must be a whole number from 1 on"),
    ] {
        let answer = folder.refuse(arguments, says);
        for wrong in ["schema", "as a value", "4294967295"] {
            assert!(!answer.stderr.contains(wrong), "{arguments}: {}", answer.stderr);
        }
    }
    // What is a slip of the fingers is still corrected by its spelling.
    assert!(folder.run("make walk.bvh --outptu x").stderr.contains("--output"));
    let json = folder.run("make walk.bvh --start 3 --json").json();
    assert!(json["error"].to_string().contains("--range START:END"), "{json}");
}

#[test]
fn flags_stand_anywhere_between_the_names_of_convert() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh --up y out.glb");
    folder.succeed("convert --unit cm walk.bvh --mirror out.bvh");
    folder.refuse("convert walk.bvh --up y", "no output is named for \"walk.bvh\"");
}

/// As `convert` reads it.
#[test]
fn a_loop_is_inspected_in_the_space_of_its_take() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh --unit in -o loop.bvh");
    assert_eq!(folder.answer("inspect loop.bvh --json")["take"]["unit"], "in");
}

#[test]
fn a_mistyped_input_is_said_before_all_else() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    for arguments in [
        "make wakl.bvh -o loop.bvh",
        "close wakl.bvh --range 2:30 -o loop.bvh",
        "find wakl.bvh --plot loop.bvh",
        "inspect wakl.bvh --plot loop.bvh",
        "render wakl.bvh -o loop.bvh",
        "render wakl.bvh -o loop.pdf",
        "retarget wakl.bvh --rig walk.bvh -o loop.bvh",
        "convert wakl.bvh loop.bvh",
        "blend wakl.bvh loop.bvh -o loop.bvh",
        "play wakl.bvh -o loop.bvh",
        "cost wakl.bvh walk.bvh",
        "check wakl.bvh",
        "report wakl.bvh -o loop.bvh",
    ] {
        let answer = folder.fail(arguments);
        let first = answer.stderr.lines().next().unwrap_or_default();
        let is_said = first.starts_with("error: cannot read \"wakl.bvh\"");
        assert!(is_said, "{arguments}: {}", answer.stderr);
        answer.says("try: \"walk.bvh\"");
    }
}

#[test]
fn engines_are_known_in_any_case_and_f_is_force() {
    let folder = Folder::with_walk();
    let made = folder.answer("make walk.bvh -o loop.fbx --for Unity --json");
    assert_eq!(made["target"]["name"], "unity");
    folder.succeed("convert walk.bvh take.glb --for GODOT");
    for arguments in [
        "make walk.bvh -o loop.fbx",
        "convert walk.bvh take.glb",
        "render loop.fbx -o loop.png --size 16x16",
        "find walk.bvh --plot find.svg",
        "inspect walk.bvh --plot inspect.svg",
        "retarget walk.bvh --rig take.glb -o on.glb",
        "play loop.fbx -o played.bvh --seconds 3",
        "blend loop.fbx loop.fbx -o blended.fbx",
        "synth -o synth.bvh --seconds 2",
        "report loop.fbx -o page.html",
    ] {
        let first = folder.run(arguments);
        let is_said = first.status == 0 || first.stderr.contains("exists already");
        assert!(is_said, "{arguments}: {}", first.stderr);
        let again = folder.run(&format!("{arguments} -f"));
        assert_eq!(again.status, 0, "{arguments}: {}", again.stderr);
    }
}

#[test]
fn render_and_retarget_take_many_files() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.make_folder("takes/deep");
    folder.copy("walk.bvh", "takes/a.bvh");
    folder.copy("walk.bvh", "takes/deep/b.bvh");
    folder.write("takes/broken.bvh", "HIERARCHY");
    let drawn = folder.fail("render takes -o pictures/ --to png --size 16x16 --every 40");
    drawn.begins("pictures/a.png: ");
    for picture in ["pictures/a.png", "pictures/deep/b.png"] {
        assert!(folder.read(picture).starts_with(b"\x89PNG"), "{picture}");
    }
    assert!(!folder.file("pictures/broken.png").exists());
    // Two are drawn side by side into a file, each alone into a folder.
    folder.succeed("render walk.bvh takes/a.bvh -o both.png --size 16x16 --every 40");
    folder.succeed("render walk.bvh takes/a.bvh -o each/ --to png --size 16x16 --every 40");
    assert!(folder.file("each/walk.png").is_file() && folder.file("each/takes/a.png").is_file());
    folder.succeed("convert walk.bvh hero.glb");
    folder.succeed("make walk.bvh -o takes/c-loop.bvh");
    std::fs::remove_file(folder.file("takes/broken.bvh")).unwrap();
    let put = folder.succeed("retarget takes --rig hero.glb -o heroes/ --jobs 2");
    put.shows("heroes/a.glb\n");
    for file in [
        "heroes/a.glb",
        "heroes/deep/b.glb",
        "heroes/c-loop.glb",
        "heroes/c-loop.glb.json",
    ] {
        assert!(folder.file(file).is_file(), "{file}");
    }
    folder.succeed("retarget takes/a.bvh --rig hero.glb -o alone.glb");
    assert!(folder.read("alone.glb") == folder.read("heroes/a.glb"));
    folder.fail("retarget takes --rig hero.glb -o more/ --save-map map.toml");
}
