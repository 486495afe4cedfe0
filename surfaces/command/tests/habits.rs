//! Habits that users bring from other commands: dry runs, streams, short flags, helpful suggestions.

use std::{io::Write, process::Stdio};

use crate::harness::{Folder, command, holds, lines};

/// Runs the command with these bytes on its standard input; returns status, standard output and standard error.
fn piped(folder: &Folder, arguments: &str, input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut run = command();
    run.args(arguments.split_whitespace()).current_dir(folder.path());
    run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command that fails early does not read all.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    });
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
    folder.runs(
        "
        make walk.bvh -o new/loop.glb --save-recipe loop.toml --dry-run     | new/loop.glb: good: | nothing was written
        2 make takes -o loops --catalog loops/all.csv --dry-run             | loops/a-loop.bvh: good: | takes/broken.bvh: unreadable:
        ",
    );
    assert_eq!(folder.contents(), before);
    // It knows what an earlier run did, and what would be refused.
    folder.succeed("make takes/a.bvh -o loops/ --name {stem}-loop");
    let before = folder.contents();
    folder.runs(
        "
        2 make takes -o loops --dry-run | this is what --resume would do | loops/a-loop.bvh: good:
        make takes/a.bvh -o loops/ --name {stem}-loop --resume --dry-run
        ",
    );
    folder.write("loop.bvh", "mine");
    folder.fail("make walk.bvh -o loop.bvh --dry-run");
    folder.succeed("make walk.bvh -o loop.bvh --dry-run -f");
    assert_eq!(folder.text("loop.bvh"), "mine");
    folder.remove("loop.bvh");
    assert_eq!(folder.contents(), before);
}

#[test]
fn a_take_comes_from_the_standard_input_and_a_loop_goes_to_the_standard_output() {
    let folder = Folder::with_walk();
    folder.runs("make walk.bvh -o loop.bvh\nconvert walk.bvh walk.glb");
    let walk = folder.read("walk.bvh");
    let (status, stdout, stderr) = piped(&folder, "make - -o -", &walk);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout == folder.read("loop.bvh"), "the bytes of the file");
    assert!(stderr.contains("good: ") && stderr.contains("sidecar"), "{stderr}");
    let (status, stdout, stderr) = piped(&folder, "make - -o - --to glb", &walk);
    assert_eq!((status, &stdout[..4]), (0, &b"glTF"[..]), "{stderr}");
    // The format of what comes in, where no other is asked for.
    let (status, stdout, stderr) = piped(&folder, "make - -o - -q", &folder.read("walk.glb"));
    assert_eq!((status, &stdout[..4], stderr.as_str()), (0, &b"glTF"[..], ""));
    let (status, _, stderr) = piped(&folder, "close - --range 20:54.5", &walk);
    assert_eq!(status, 0, "{stderr}");
    assert!(folder.has("stdin-loop.bvh stdin-loop.bvh.json"));
    let (status, found, _) = piped(&folder, "find - --json", &walk);
    assert_eq!(status, 0);
    assert!(String::from_utf8(found).unwrap().contains("candidates"));
    for arguments in lines("make - -o - --json\nmake - -o - --to pdf\nmake walk.bvh -o x.bvh --to glb") {
        assert_eq!(piped(&folder, arguments, &walk).0, 2, "{arguments}");
    }
    assert_eq!(piped(&folder, "make - -o -", b"no take").0, 2);
}

#[test]
fn suggestions_mean_what_was_meant() {
    let folder = Folder::with_walk();
    // A typing error is still corrected by its spelling.
    folder.runs(
        "
        2 find walk.bvh --all                   | perhaps you mean `loopwright make TAKE --pick all |! similar
        2 make walk.bvh --start 3               | perhaps you mean --range START:END |! similar
        2 make walk.bvh --in-place              | perhaps you mean --root-motion in-place |! similar
        2 make walk.bvh --list                  | perhaps you mean `loopwright list FILE` |! similar
        2 make walk.bvh --threads=4             | perhaps you mean --jobs N |! similar
        2 ls walk.bvh                           | perhaps you mean list |! similar
        2 info walk.bvh                         | perhaps you mean inspect |! similar
        2 chek walk.bvh                         | 'check'
        2 list walk.bvh --symmetric             | --symmetric is a flag of find, make and close |! schema |! as a value
        2 convert walk.bvh -o walk.glb          | the last name is the output |! as a value
        2 make walk.bvh --blend -1              | --FLAG=-1 |! as a value
        2 check a.glb --animation a --animation b | a pattern names several
        2 find walk.bvh --cycles 0              | must be a whole number from 1 on |! 4294967295
        2 make walk.bvh --outptu x              | --output
        ",
    );
    let json = folder.run("make walk.bvh --start 3 --json").json();
    assert!(json["error"].to_string().contains("--range START:END"), "{json}");
}

#[test]
fn flags_stand_anywhere_between_the_names_of_convert() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        convert walk.bvh --up y out.glb
        convert --unit cm walk.bvh --mirror out.bvh
        2 convert walk.bvh --up y | no output is named for \"walk.bvh\"
        make walk.bvh --unit in -o loop.bvh
        ",
    );
    // A loop is inspected in the space of its take, as `convert` reads it.
    holds(&folder.answer("inspect loop.bvh --json"), "take/unit = in");
}

#[test]
fn a_mistyped_input_is_said_before_all_else() {
    let folder = Folder::with_walk();
    folder.succeed("make walk.bvh -o loop.bvh");
    for arguments in lines(
        "
        make wakl.bvh -o loop.bvh
        close wakl.bvh --range 2:30 -o loop.bvh
        find wakl.bvh --plot loop.bvh
        inspect wakl.bvh --plot loop.bvh
        render wakl.bvh -o loop.bvh
        render wakl.bvh -o loop.pdf
        retarget wakl.bvh --rig walk.bvh -o loop.bvh
        convert wakl.bvh loop.bvh
        blend wakl.bvh loop.bvh -o loop.bvh
        play wakl.bvh -o loop.bvh
        cost wakl.bvh walk.bvh
        check wakl.bvh
        report wakl.bvh -o loop.bvh
        ",
    ) {
        let answer = folder.fail(arguments);
        assert!(
            answer.stderr.starts_with("error: cannot read \"wakl.bvh\""),
            "{arguments}: {}",
            answer.stderr
        );
        answer.says("try: \"walk.bvh\"");
    }
}

#[test]
fn engines_are_known_in_any_case_and_f_is_force() {
    let folder = Folder::with_walk();
    let made = folder.answer("make walk.bvh -o loop.fbx --for Unity --json");
    holds(&made, "target/name = unity");
    folder.succeed("convert walk.bvh take.glb --for GODOT");
    for arguments in lines(
        "
        make walk.bvh -o loop.fbx
        convert walk.bvh take.glb
        render loop.fbx -o loop.png --size 16x16
        find walk.bvh --plot find.svg
        inspect walk.bvh --plot inspect.svg
        retarget walk.bvh --rig take.glb -o on.glb
        play loop.fbx -o played.bvh --seconds 3
        blend loop.fbx loop.fbx -o blended.fbx
        synth -o synth.bvh --seconds 2
        report loop.fbx -o page.html
        ",
    ) {
        let first = folder.run(arguments);
        assert!(
            first.status == 0 || first.stderr.contains("exists already"),
            "{arguments}: {}",
            first.stderr
        );
        folder.succeed(&format!("{arguments} -f"));
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
    folder.runs("2 render takes -o pictures/ --to png --size 16x16 --every 40 | pictures/a.png:");
    for picture in ["pictures/a.png", "pictures/deep/b.png"] {
        assert!(folder.read(picture).starts_with(b"\x89PNG"), "{picture}");
    }
    assert!(!folder.has("pictures/broken.png"));
    folder.remove("takes/broken.bvh");
    // Two are drawn side by side into a file, each alone into a folder.
    folder.runs(
        "
        render walk.bvh takes/a.bvh -o both.png --size 16x16 --every 40
        render walk.bvh takes/a.bvh -o each/ --to png --size 16x16 --every 40
        convert walk.bvh hero.glb
        make walk.bvh -o takes/c-loop.bvh
        retarget takes --rig hero.glb -o heroes/ --jobs 2 | heroes/a.glb
        retarget takes/a.bvh --rig hero.glb -o alone.glb
        2 retarget takes --rig hero.glb -o more/ --save-map map.toml
        ",
    );
    assert!(folder.has("each/walk.png each/takes/a.png"));
    assert!(folder.has("heroes/a.glb heroes/deep/b.glb heroes/c-loop.glb heroes/c-loop.glb.json"));
    assert!(folder.read("alone.glb") == folder.read("heroes/a.glb"));
}
