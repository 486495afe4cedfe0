//! Errors are reported with what, where, and what to try, with the right status and on stderr alone. No half-written file
//! stays behind.

use crate::harness::{Answer, Folder, command, holds, lines, rows};

impl Folder {
    /// Asserts that a command ends with an error that says all these words, with advice, and leaves the folder unchanged.
    fn explains(&self, arguments: &str, words: &[&str]) -> Answer {
        self.explained(2, arguments, words)
    }

    /// Asserts this for every row of a table: the arguments, then the words, with `|` between them.
    fn all_explained(&self, status: i32, table: &str) {
        for row in lines(table) {
            let mut columns = row.split('|').map(str::trim);
            let arguments = columns.next().unwrap();
            self.explained(status, arguments, &columns.collect::<Vec<_>>());
        }
    }

    fn explained(&self, status: i32, arguments: &str, words: &[&str]) -> Answer {
        let before = self.contents();
        let answer = self.run(arguments).ended(status);
        answer.says("error: ");
        for part in words {
            answer.says(part);
        }
        assert!(
            ["\n  try: ", "try '--help'"]
                .iter()
                .any(|advice| answer.stderr.contains(advice)),
            "{arguments}: no advice in {}",
            answer.stderr
        );
        assert_eq!(answer.stdout, "", "{arguments}");
        assert!(self.contents() == before, "{arguments} left {:?}", self.names());
        answer
    }
}

/// The walk of `folder` as text with rewritten motion rows.
fn with_rows(folder: &Folder, rewrite: impl Fn(Vec<&str>) -> Vec<String>) -> String {
    let text = folder.text("walk.bvh");
    let (head, motion) = text.split_once("MOTION\n").unwrap();
    let mut lines = motion.lines();
    let (_, frame_time) = (lines.next().unwrap(), lines.next().unwrap());
    let rows = rewrite(lines.collect());
    let count = rows.len();
    format!("{head}MOTION\nFrames: {count}\n{frame_time}\n{}\n", rows.join("\n"))
}

#[test]
fn takes_without_a_loop_say_why() {
    let folder = Folder::with_walk();
    let frames = |count: usize| with_rows(&folder, |rows| rows[..count].iter().map(ToString::to_string).collect());
    folder.write("one.bvh", frames(1));
    folder.write("two.bvh", frames(2));
    let still = with_rows(&folder, |rows| vec![rows[7].to_owned(); 60]);
    folder.write("still.bvh", still);
    folder.succeed("synth -o half.bvh --seconds 0.7 --fps 30");
    let none = "
        COMMAND one.bvh | the take is too short | 1 frame | the shortest loop to find is 0.4 s
        COMMAND two.bvh | the take is too short | 2 frame | the shortest loop to find is 0.4 s
        COMMAND half.bvh | no loop found in \"half.bvh\"
        COMMAND still.bvh | no joint moves | in all 60 frames every joint keeps its position
        COMMAND walk.bvh --seconds 100: | the take is too short | it lasts 4.000 s | to find is 100 s
        COMMAND walk.bvh --cycles 9 | no loop found | --cycles
    ";
    for command in ["make", "find"] {
        folder.all_explained(1, &none.replace("COMMAND", command));
    }
    folder.all_explained(
        2,
        "
        check one.bvh | a loop has at least 3 samples
        check two.bvh | a loop has at least 3 samples
        ",
    );
    // As JSON, too.
    for arguments in ["still.bvh", "walk.bvh --seconds 100:", "walk.bvh --cycles 9"] {
        let answer = folder.run(&format!("find {arguments} --json")).ended(1);
        holds(&answer.json(), "candidates = []");
        answer.says("error: no loop found");
    }
}

#[test]
fn ranges_must_lie_in_the_take() {
    let folder = Folder::with_walk();
    // However it is sampled.
    folder.all_explained(
        2,
        "
        make walk.bvh --range 10:500 | frames 10 | are not a range of \"walk.bvh\" | its frames are 0 to 120 | --range START:END within 0:120
        make walk.bvh --range 121:130 | frames 121 | are not a range of \"walk.bvh\"
        make walk.bvh --range 60:10 | frames 60 | are not a range of \"walk.bvh\"
        make walk.bvh --range 30:30 | frames 30 | are not a range of \"walk.bvh\"
        make walk.bvh --range 0:18446744073709551615 | frames 0 | are not a range of \"walk.bvh\"
        make walk.bvh --range 10:11 | too few for a loop in \"walk.bvh\" | at least 3 frames
        make walk.bvh --range 10:12 | too few for a loop in \"walk.bvh\" | at least 3 frames
        make walk.bvh --range 10:11 --set output.frames=10 | too few for a loop in \"walk.bvh\"
        make walk.bvh --range 10:12 --fps 240 | too few for a loop in \"walk.bvh\"
        make walk.bvh --range 0:1 | too few for a loop in \"walk.bvh\"
        make walk.bvh --range=10 | START:END, two frames counted from 0
        make walk.bvh --range=a:20 | START:END, two frames counted from 0
        make walk.bvh --range=10: | START:END, two frames counted from 0
        make walk.bvh --range=-5:20 | START:END, two frames counted from 0
        make walk.bvh --range=nan:20 | START:END, two frames counted from 0
        make walk.bvh --range=10:20:30 | START:END, two frames counted from 0
        make walk.bvh --range 10:50 --pick 2 | cannot be used with
        make walk.bvh --range 10:50 --cycles 2 | cannot be used with
        make walk.bvh --range 10:50 --seconds 1: | cannot be used with
        ",
    );
}

#[test]
fn files_that_are_no_takes_say_why() {
    let folder = Folder::with_walk();
    folder.write("text.bvh", "a shopping list\n");
    folder.write("empty.bvh", "");
    folder.write("fbx.bvh", b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0");
    let nan = with_rows(&folder, |rows| {
        let mut rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
        let (_, rest) = rows[30].split_once(' ').unwrap();
        rows[30] = format!("nan {rest}");
        rows
    });
    folder.write("nan.bvh", nan);
    folder.make_folder("folder.bvh");
    let refused = "
        text.bvh | not a BVH file: expected HIERARCHY at line 1
        empty.bvh | the file is empty
        fbx.bvh | the file is cut off
        nan.bvh | value is not finite: \"nan\" (frame 31, joint Hips, channel Xposition)
        missing.bvh | cannot read \"missing.bvh\"
        folder.bvh | \"folder.bvh\" is a folder
    ";
    for [file, message] in rows(refused) {
        for command in lines("make FILE\nfind FILE\ninspect FILE\ncheck FILE\nconvert FILE new.bvh") {
            // `check` treats a folder as a list of loops, the others as one of takes, and this folder holds none.
            let message = match (file, command) {
                ("folder.bvh", "check FILE") => "no loop in the folder",
                ("folder.bvh", _) => "there is no take in the folder",
                _ => message,
            };
            folder.explains(&command.replace("FILE", file), &[message, file]);
        }
    }
}

#[test]
fn outputs_that_cannot_be_written_are_reported() {
    let folder = Folder::with_walk();
    folder.make_folder("folder.bvh");
    folder.succeed("convert walk.bvh other.bvh");
    for command in ["make walk.bvh -o OUT", "convert walk.bvh OUT", "synth -o OUT"] {
        for [output, words] in rows(
            "
            nowhere/loop.bvh | there is no folder \"nowhere\"
            folder.bvh       | \"folder.bvh\" is a folder
            loop.abc         | cannot write \"loop.abc\": unsupported extension
            other.bvh        | \"other.bvh\" exists already
            ",
        ) {
            folder.explains(&command.replace("OUT", output), &[words]);
        }
    }
    folder.make_folder("loop.bvh.json");
    folder.explains("make walk.bvh -o loop.bvh --force", &["\"loop.bvh.json\" is a folder"]);
}

/// A folder that cannot be written: a locked one or, if the tests run as root, who can write even there, a folder of the
/// system.
#[cfg(unix)]
fn unwritable(folder: &Folder) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    folder.make_folder("locked");
    let locked = folder.file("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::File::create(locked.join("probe")).is_err() {
        return Some("locked".to_owned());
    }
    std::fs::remove_file(locked.join("probe")).unwrap();
    let kept = std::path::Path::new("/proc");
    (kept.is_dir() && std::fs::File::create(kept.join("loopwright-probe")).is_err()).then(|| "/proc".to_owned())
}

#[cfg(unix)]
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn an_unwritable_folder_is_reported() {
    let folder = Folder::with_walk();
    let Some(locked) = unwritable(&folder) else {
        eprintln!("skipped: this user may write everywhere");
        return;
    };
    for command in ["make walk.bvh -o OUT", "convert walk.bvh OUT", "synth -o OUT"] {
        let output = format!("{locked}/loop.bvh");
        let answer = folder.explains(
            &command.replace("OUT", &output),
            &[&format!("cannot write \"{output}\": "), "may be written to"],
        );
        assert!(!answer.stderr.contains(".loopwright-"), "{}", answer.stderr);
    }
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = Folder::with_walk();
    folder.copy("walk.bvh", "stroll.bvh");
    folder.make_folder("loopwright-demo");
    for existing in [
        "walk-loop.bvh",
        "stroll-loop.bvh.json",
        "new.bvh.truth.json",
        "loopwright-demo/walk-loop.svg",
    ] {
        folder.write(existing, "precious");
    }
    // A command that fails overwrites nothing, even with --force.
    folder.all_explained(
        2,
        "
        make walk.bvh                           | \"walk-loop.bvh\" exists already | --force
        make stroll.bvh                         | \"stroll-loop.bvh.json\" exists already | --force
        synth -o new.bvh                        | \"new.bvh.truth.json\" exists already
        demo                                    | walk-loop.svg\" exists already
        make walk.bvh --force --pick 100000     | there is no loop number
        ",
    );
}

#[test]
fn picks_count_from_one_to_the_end_of_the_list() {
    let explained = "
        make walk.bvh --pick 90000 | there is no loop number 90000 in \"walk.bvh\" | the search found 1
        make walk.bvh --set search.shifted=true --pick 90000 | no loop number 90000 in \"walk.bvh\" | --pick 1 to
        make walk.bvh --pick 0 | a whole number from 1
    ";
    Folder::with_walk().all_explained(2, explained);
}

#[test]
fn unknown_joints_are_reported_with_those_that_are_alike() {
    let folder = Folder::with_walk();
    let explained = "
        COMMAND walk.bvh --set take.hips=hip | no joint named \"hip\" | try: one of: Hips
        COMMAND walk.bvh --set take.feet=LeftFoot,RightFoo | no joint named \"RightFoo\" | RightFoot
        COMMAND walk.bvh --set take.hips=Pelvis | no joint named \"Pelvis\" | try: one of: Hips
        COMMAND walk.bvh --set take.hips=Wing | no joint named \"Wing\" | loopwright inspect
    ";
    for command in ["make", "find", "inspect", "check"] {
        folder.all_explained(2, &explained.replace("COMMAND", command));
    }
    folder.all_explained(
        2,
        "
        make walk.bvh --set joint=LeftHnd:spring | no joint matches \"LeftHnd\" | try: one of: LeftHand
        make walk.bvh --symmetric --set take.mirror=LeftAr=RightArm | no joint named \"LeftAr\" | try: one of: LeftArm
        make walk.bvh --set take.mirror=LeftArm= | \"LeftArm=\" is not a pair of names
        make walk.bvh --set take.skin=Body | there is no skeleton \"Body\"; there are: Hips
        recipe closre | did you mean closure?
        check walk.bvh --only feet | did you mean feet-stand?
        ",
    );
    let one_side = folder.succeed("make walk.bvh --set take.mirror=LeftArm -o loop.bvh");
    one_side.says("take.mirror has no effect without --symmetric");
}

#[test]
fn numbers_out_of_range_are_reported() {
    let folder = Folder::with_walk();
    let refused = "
        --blend 0 | --blend must be a positive number of seconds, found 0
        --blend NaN | --blend must be a positive number of seconds, found NaN
        --blend=-1 | --blend must be a positive number of seconds, found -1
        --blend inf | --blend must be a positive number of seconds, found inf
        --fps 0 | --fps must be a positive number, found 0
        --fps NaN | --fps must be a positive number, found NaN
        --fps=-30 | --fps must be a positive number, found -30
        --fps 1e12 | exceed the limit of
        --fps 0.01 | too few for a loop
        --set output.frames=0 | 0 frames are too few for a loop
        --set output.frames=2 | 2 frames are too few for a loop
        --set output.frames=99999999999 | 99999999999 frames exceed the limit of
        --set output.repeat=100000 | keys exceed the limit of
        --set output.repeat=99999999999 | a whole number from 1 to 100000
        --set output.repeat=0 | a whole number from 1 to 100000
        --closure circular | possible values: auto, quintic, cubic, spring
        --unit yard | yard
        --up w | \"w\"
        --seconds 3:1 | must be LOW:HIGH
        --seconds NaN: | must be LOW:HIGH
        --seconds 0: | lengths must be positive seconds in order
        --cycles 0 | invalid value '0' for '--cycles
    ";
    for [options, message] in rows(refused) {
        folder.explains(&format!("make walk.bvh {options}"), &[message]);
    }
    folder.all_explained(
        2,
        "
        synth -o new.bvh --fps 0
        synth -o new.bvh --seconds NaN
        synth -o new.bvh --seconds 1e9
        synth -o new.bvh --period 0
        synth -o new.bvh --speed 99
        synth -o new.bvh --set search.climb=2 --speed 2
        ",
    );
}

#[test]
fn a_sidecar_that_cannot_be_trusted_is_reported() {
    let folder = Folder::with_walk();
    folder.made("");
    let good = folder.text("loop.bvh.json");
    let edited = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    let samples = folder.json("loop.bvh.json")["playback"]["samples"].to_string();
    for (sidecar, message) in [
        (
            "{ \"form".to_owned(),
            "cannot read the sidecar \"loop.bvh.json\": line 1",
        ),
        ("{}".to_owned(), "this is not the sidecar of a loop"),
        (
            edited("\"version\": 2", "\"version\": 99"),
            "the sidecar has version 99",
        ),
        (
            edited("\"carrier_joint\": \"Hips\"", "\"carrier_joint\": \"Tail\""),
            "no joint \"Tail\"",
        ),
        (
            edited(&format!("\"samples\": {samples}"), "\"samples\": 5000"),
            "needs 5001 keys",
        ),
        (
            edited("\"root_joint_added\": false", "\"root_joint_added\": true"),
            "sidecar",
        ),
    ] {
        folder.write("loop.bvh.json", sidecar);
        let answer = folder.explains("check loop.bvh", &[message]);
        assert_eq!(answer.stderr.matches("error: ").count(), 1, "{}", answer.stderr);
    }
}

#[test]
fn what_is_typed_wrong_says_what_it_must_be() {
    let folder = Folder::with_walk();
    folder.write("page.html", "<html></html>");
    folder.refuse_all(
        "",
        "
        make walk.bvh --fps thirty | '--fps <R>': must be a number, such as 30 or 0.5
        find walk.bvh --jobs 0 | '--jobs <N>': must be a whole number from 1 on
        check walk.bvh --max-gap-mm -1 | a limit is a number from 0 on, such as 3
        make walk.bvh --symmetric --set stretch.mean-cycles=all | no --symmetric, or no stretch.mean-cycles
        find nowhere/*.bvh | check the folder in front of the pattern
        find walk.bvh --like walk.bvh:9 | is no range of frames
        inspect walk.bvh/ | one of its folders is a file
        demo -o walk.bvh/demo | is a file, and a folder is wanted
        synth -o new.bvh --period 99 | --period must lie between
        make page.html | this is a web page, not a take
        make walk.bvh --catalog all.csv | with --catalog the loop needs a folder
        ",
    );
}

#[test]
fn a_file_that_is_not_there_is_answered_with_one_of_its_kind() {
    let folder = Folder::with_walk();
    folder.write("walks.lwmatch", "");
    folder.refuse("match inspect walk.lwmatch", "try: \"walks.lwmatch\"");
    let answer = folder.fail("match inspect other.lwmatch");
    assert!(!answer.stderr.contains("walk.bvh"), "{}", answer.stderr);
}

#[test]
fn a_failure_of_a_single_file_is_printed_once() {
    let folder = Folder::with_walk();
    folder.make_folder("empty");
    folder.write("text.txt", "hello");
    for arguments in lines(
        "
        report empty -o page.html
        check empty
        check text.txt
        check missing.bvh
        fit empty
        fit missing.bvh
        ",
    ) {
        let said = folder.fail(arguments).stderr;
        assert_eq!(said.matches("error: ").count(), 1, "{arguments}: {said}");
    }
}

#[test]
fn a_take_that_is_not_the_loops_own_is_reported() {
    let folder = Folder::with_walk();
    folder.made("");
    folder.succeed("synth -o longer.bvh --seconds 6 --fps 30");
    // The same number of frames, but half the length.
    folder.succeed("synth -o faster.bvh --seconds 2 --fps 60");
    folder.all_explained(
        2,
        "
        check loop.bvh --take longer.bvh | \"longer.bvh\" is not the take of this loop | 181 frames | try: --take walk.bvh
        check loop.bvh --take faster.bvh | \"faster.bvh\" is not the take of this loop | a frame each 0.0166 | try: --take walk.bvh
        check loop.bvh --take missing.bvh | cannot read \"missing.bvh\"
        ",
    );
}

#[test]
fn warnings_go_to_stderr_and_into_the_json() {
    let folder = Folder::with_synth("--seconds 4 --fps 60 --t-pose");
    let warning = "the search does not use frame 0 as an end of a loop: the pose jumps there";
    for command in ["inspect walk.bvh", "find walk.bvh", "make walk.bvh -o loop.bvh --force"] {
        let text = folder.succeed(command);
        text.says(&format!("warning: {warning}"));
        assert!(!text.stdout.contains("warning") && !text.stdout.contains(warning));
        let json = folder.succeed(&format!("{command} --json"));
        json.says(&format!("warning: {warning}"));
        let warnings = json.json()["warnings"].clone();
        assert!(warnings.as_array().unwrap().contains(&warning.into()), "{warnings}");
    }
}

#[test]
fn piped_output_has_no_colour_and_no_color_beats_force() {
    let folder = Folder::with_synth("--seconds 4 --fps 60 --t-pose");
    let escapes = |answer: &Answer| answer.stdout.contains('\x1b') || answer.stderr.contains('\x1b');
    for arguments in ["inspect walk.bvh", "make missing.bvh", "make", "--help"] {
        assert!(!escapes(&folder.run(arguments)), "{arguments}");
        let run = |variables: &[&str]| {
            let mut command = command();
            command.args(arguments.split_whitespace()).current_dir(folder.path());
            Answer::new(command.envs(variables.iter().map(|name| (name, "1"))).output().unwrap())
        };
        // The absence of colour proves something only if colour is possible.
        assert!(escapes(&run(&["CLICOLOR_FORCE"])), "{arguments}");
        assert!(!escapes(&run(&["CLICOLOR_FORCE", "NO_COLOR"])), "{arguments}");
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    let folder = Folder::with_walk();
    folder.made("");
    for [status, arguments] in rows(
        "
        0 | inspect walk.bvh
        0 | inspect walk.bvh --json
        0 | find walk.bvh
        0 | make walk.bvh
        1 | check loop.bvh walk.bvh
        0 | synth -o other.bvh --seconds 1
        0 | demo
        0 | --help
        2 | make missing.bvh
        ",
    ) {
        let run = |stderr_too: bool| {
            let closed = || {
                let (reader, writer) = std::io::pipe().unwrap();
                drop(reader);
                writer
            };
            let mut command = command();
            command.args(arguments.split_whitespace()).current_dir(folder.path());
            command.stdout(closed());
            if stderr_too {
                command.stderr(closed());
            }
            Answer::new(command.output().unwrap())
        };
        run(false).ended(status.parse().unwrap());
        if arguments == "make walk.bvh" {
            folder.succeed("check walk-loop.bvh");
        }
        // Even without a reader of the output, the command must not panic.
        run(true);
    }
}

/// Captured motion cannot be replaced: not even --force overwrites a take with a file made from it.
#[test]
fn a_take_is_never_overwritten_by_its_own_loop() {
    let folder = Folder::with_walk();
    // A file's name does not prove its contents.
    folder.write("walk.svg", folder.read("walk.bvh"));
    folder.all_explained(
        2,
        "
        make walk.bvh -o walk.bvh --force           | is the take itself
        make walk.bvh -o ./walk.bvh                 | is the take itself
        convert walk.bvh walk.bvh --force           | is the take itself
        fit walk.bvh --toml walk.bvh --force        | is the take itself
        fit . --toml walk.bvh --force               | is the take itself
        make walk.svg --plot walk.svg --force       | is the take itself
        find walk.svg --plot walk.svg --force       | is the take itself
        inspect walk.svg --plot walk.svg --force    | is the take itself
        fit walk.svg --plot walk.svg --force        | is the take itself
        ",
    );
    assert_eq!(folder.read("walk.svg"), folder.read("walk.bvh"));
}

/// One of the outputs would be lost.
#[test]
fn two_outputs_of_one_name_are_refused() {
    let folder = Folder::with_walk();
    folder.all_explained(
        2,
        "
        make walk.bvh -o a.bvh --save-recipe a.bvh --force              | two outputs would be
        make walk.bvh -o b.bvh --save-recipe ./b.bvh.json               | two outputs would be
        make walk.bvh -o c.bvh --plot c.svg --save-recipe c.svg         | two outputs would be
        fit walk.bvh --toml ./d.svg --plot d.svg                        | two outputs would be
        ",
    );
}

/// If no take can be read, the existing file stays.
#[test]
fn a_fit_of_nothing_replaces_no_block() {
    let folder = Folder::new();
    folder.write("keep.toml", "kept");
    folder.write("bad.bvh", "no take");
    for arguments in ["fit missing.bvh", "fit bad.bvh"] {
        folder.fail(&format!("{arguments} --toml keep.toml --force"));
        assert_eq!(folder.read("keep.toml"), b"kept");
    }
}

/// The sidecar of a replaced file would describe the new file.
#[test]
fn a_sidecar_never_speaks_of_another_file() {
    let folder = Folder::with_walk();
    folder.runs("make walk.bvh -o loop.bvh\nconvert loop.bvh copy.bvh");
    assert!(folder.has("copy.bvh.json"), "the sidecar goes with the loop");
    for command in [
        "convert walk.bvh copy.bvh",
        "play loop.bvh --seconds 3 -o copy.bvh",
        "synth -o copy.bvh",
    ] {
        folder.fail(command);
        assert!(folder.has("copy.bvh.json"));
        folder.succeed(&format!("{command} --force"));
        assert!(!folder.has("copy.bvh.json"), "{command}");
        folder.succeed("convert loop.bvh copy.bvh --force");
    }
    // The sidecar alone also blocks the output.
    folder.remove("copy.bvh");
    folder.refuse("convert walk.bvh copy.bvh", "copy.bvh.json");
}
