//! Outputs of one run belong together: all of them appear or none, and a loop knows its sidecar again.

use std::fs;

use crate::harness::Folder;
#[cfg(unix)]
use crate::harness::signal;
use loopwright_mocap::folder_or_skip;

/// A new loop beside an old sidecar once passed `check`, where their figures happened to be alike.
#[test]
fn a_loop_beside_the_sidecar_of_another_one_is_refused() {
    let folder = Folder::with_walk();
    folder.runs("make walk.bvh -o loop.bvh\nmake walk.bvh -o other.bvh --closure spring\ncheck loop.bvh");
    folder.copy("other.bvh", "loop.bvh");
    folder.runs(
        "
        2 check loop.bvh                                | \"loop.bvh\" is not the file that \"loop.bvh.json\" describes | try:
        2 convert loop.bvh loop.glb                     | is not the file that
        2 play loop.bvh -o played.bvh --seconds 3       | is not the file that
        ",
    );
}

/// The files left behind by a killed run once stayed for ever.
#[cfg(unix)]
#[test]
fn files_of_a_killed_run_are_removed_by_the_next() {
    let folder = Folder::with_walk();
    folder.write(".loopwright-aB3dE6gH9jKl.part", "half a loop");
    folder.write(".loopwright-mine", "mine");
    folder.succeed("convert walk.bvh walk.glb");
    assert!(!folder.has(".loopwright-aB3dE6gH9jKl.part") && folder.has(".loopwright-mine"));
}

/// They once ended the run at once, with its temporary files left behind.
#[cfg(unix)]
#[test]
fn a_stopped_run_leaves_no_files_and_says_which_signal_it_was() {
    let folder = Folder::with_synth("--seconds 60 --fps 120");
    let before = folder.names();
    let by_hand = [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)];
    // Two have another number on macOS.
    let by_schedulers = [
        ("USR1", 128 + signal_hook::consts::SIGUSR1),
        ("USR2", 128 + signal_hook::consts::SIGUSR2),
        ("ALRM", 142),
        ("XCPU", 152),
        ("VTALRM", 154),
        ("PROF", 155),
    ];
    for (name, status) in by_hand.into_iter().chain(by_schedulers) {
        let mut run = folder.start(&["render", "walk.bvh", "-o", "walk.gif"]);
        std::thread::sleep(std::time::Duration::from_millis(150));
        signal(&run, name);
        assert_eq!(run.wait().unwrap().code(), Some(status), "{name}");
        assert_eq!(folder.names(), before);
    }
}

/// They were once made readable for all, whatever the umask said.
#[cfg(unix)]
#[test]
fn the_umask_holds_for_written_files() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::with_walk();
    for (umask, wanted) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let script = format!("umask {umask}; \"$0\" convert walk.bvh walk.glb --force");
        let done = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_loopwright")])
            .current_dir(folder.path())
            .status();
        assert!(done.unwrap().success());
        let mode = fs::metadata(folder.file("walk.glb")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, wanted, "{umask}");
    }
}

/// `convert T x.bvh --force` once removed any `x.bvh.json`.
#[test]
fn only_a_sidecar_of_ours_is_removed() {
    let folder = Folder::with_walk();
    folder.write("x.bvh.json", "{\"notes\": \"of somebody else\"}");
    folder.runs(
        "
        convert walk.bvh x.bvh --force      | \"x.bvh.json\" is beside the output
        make walk.bvh -o y.bvh
        2 convert walk.bvh y.bvh
        convert walk.bvh y.bvh --force
        ",
    );
    assert_eq!(folder.text("x.bvh.json"), "{\"notes\": \"of somebody else\"}");
    assert!(!folder.has("y.bvh.json"));
}

/// It was once called "the take itself".
#[test]
fn a_recipe_that_is_read_is_not_overwritten_and_is_named() {
    let folder = Folder::with_walk();
    folder.write("r.toml", "");
    let make = "make walk.bvh -o loop.bvh --recipe r.toml --save-recipe r.toml --force";
    folder.refuse(make, "\"r.toml\" is the recipe itself");
}

/// The search's facts about a loop of several cycles were once lost when its recipe was replayed.
#[test]
fn replaying_a_recipe_gives_the_same_bytes() {
    let Some(mocap) = folder_or_skip() else { return };
    let folder = Folder::new();
    for take in ["100style/Neutral_FR.bvh", "snu/raw_spiral_fast_left.bvh"] {
        let made = |options: &str| {
            folder.run_on(&mocap.join(take), &format!("make FILE -o loop.glb --force {options}"));
            (folder.read("loop.glb"), folder.json("loop.glb.json"))
        };
        let (first, facts) = made("--save-recipe r.toml");
        let (second, again) = made("--recipe r.toml");
        assert!(first == second, "{take}");
        for section in ["candidate", "closure", "root_motion", "feet", "quality", "file_sha256"] {
            assert_eq!(again[section], facts[section], "{take}: {section}");
        }
    }
}
