//! The flag --plot: writes a whole file of the requested kind or none, and never overwrites a file without --force.

use crate::harness::Folder;

#[test]
fn every_command_draws_both_kinds_and_overwrites_nothing() {
    for command in ["inspect walk.bvh", "find walk.bvh", "make walk.bvh -o loop.bvh"] {
        let folder = Folder::with_walk();
        folder.write("plot.svg", "mine");
        // Refused before any work; loop, sidecar and plot are written together or not at all.
        let before = folder.contents();
        folder.runs(&format!(
            "
            2 {command} --plot picture.pdf | picture.pdf | .svg or .png
            2 {command} --plot plot.svg
            "
        ));
        assert_eq!(folder.contents(), before);
        folder.runs(&format!(
            "{command} --plot plot.svg --force\n{command} --plot plot.PNG --force"
        ));
        let svg = folder.text("plot.svg");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(folder.read("plot.PNG").starts_with(b"\x89PNG"));
    }
}

#[test]
fn a_take_without_a_loop_is_drawn_as_well() {
    let folder = Folder::with_synth("--seconds 1 --fps 30");
    folder.runs("1 find walk.bvh --plot why.svg");
    assert!(folder.text("why.svg").contains("no loop found"));
}
