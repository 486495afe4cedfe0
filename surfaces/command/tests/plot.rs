//! The flag --plot: writes a whole file of the requested kind or none, and never overwrites a file without --force.

use crate::harness::Folder;

#[test]
fn every_command_draws_both_kinds() {
    let folder = Folder::with_walk();
    for (command, name) in [
        ("inspect walk.bvh --plot", "inspect"),
        ("find walk.bvh --plot", "find"),
        ("make walk.bvh --force --plot", "make"),
    ] {
        folder.succeed(&format!("{command} {name}.svg"));
        folder.succeed(&format!("{command} {name}.PNG"));
        let svg = std::fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        let png = std::fs::read(folder.path().join(format!("{name}.PNG"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
    }
}

#[test]
fn another_extension_is_refused_before_any_work() {
    let folder = Folder::with_walk();
    for command in ["inspect walk.bvh", "find walk.bvh", "make walk.bvh"] {
        let answer = folder.refuse(&format!("{command} --plot picture.pdf"), "picture.pdf");
        answer.says(".svg or .png");
        assert!(answer.stdout.is_empty());
    }
    assert!(!folder.path().join("picture.pdf").exists() && !folder.path().join("walk-loop.bvh").exists());
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = Folder::with_walk();
    let path = folder.path().join("plot.svg");
    for command in ["inspect walk.bvh", "find walk.bvh", "make walk.bvh"] {
        std::fs::write(&path, "mine").unwrap();
        folder.fail(&format!("{command} --plot plot.svg"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        // Loop, sidecar and plot are written together or not at all.
        assert!(!folder.path().join("walk-loop.bvh").exists());
    }
    for command in ["inspect walk.bvh", "find walk.bvh", "make walk.bvh"] {
        folder.succeed(&format!("{command} --plot plot.svg --force"));
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("<svg"));
    }
}

#[test]
fn a_take_without_a_loop_is_drawn_as_well() {
    let folder = Folder::with_synth("--seconds 1 --fps 30");
    folder.run("find walk.bvh --plot why.svg").ended(1);
    let svg = std::fs::read_to_string(folder.path().join("why.svg")).unwrap();
    assert!(svg.contains("no loop found"));
}
