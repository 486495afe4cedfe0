//! `-h` summarizes, `--help` and `help` show everything.

use crate::harness::Folder;

#[test]
fn the_size_of_help_is_that_asked_for() {
    let folder = Folder::new();
    let help = |arguments: &str| folder.succeed(arguments).stdout;
    let (short, full) = (help("make -h"), help("make --help"));
    assert!(short.contains("`loopwright make --help` shows all flags."), "{short}");
    assert!(
        !short.contains("--closure") && !short.contains("Root motion:"),
        "{short}"
    );
    for part in [
        "Input:\n",
        "\nSeam:\n",
        "\nRoot motion:\n",
        "--closure",
        "stationary    Does not move",
    ] {
        assert!(full.contains(part), "{part}: {full}");
    }
    assert!(short.lines().count() < full.lines().count() / 5);
    assert_eq!(help("help make"), full);
    assert!(help("--help").contains("blend") && !help("-h").contains("blend"));
    // Without arguments, help goes to stderr with the status of an error.
    let bare = folder.run("");
    assert_eq!((bare.status, bare.stderr), (2, help("-h")));
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.succeed(&format!("completions {shell}")).stdout;
        for word in ["retarget", "catalog", "resume", "root-motion"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let pages = folder.succeed("man -o man1").stdout;
    for page in ["man1/loopwright-make.1", "man1/loopwright-match-build.1"] {
        assert!(pages.lines().any(|line| line == page), "{pages}");
    }
    let page = folder.text("man1/loopwright-make.1");
    assert!(page.contains("\\-\\-resume") && page.contains("ROOT MOTION"), "{page}");
    folder.fail("man -o man1");
}

#[test]
fn quiet_runs_print_answers_and_errors_alone() {
    let folder = Folder::with_walk();
    let close = "close walk.bvh --range 20:54.5 -o loop.bvh --blend 3 --force";
    let [loud, quiet] = ["", "-q"].map(|flag| folder.succeed(&format!("{close} {flag}")));
    loud.says("warning: ");
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &loud.stdout));
    folder.runs(
        "
        2 find missing.bvh -q               | cannot read
        2 find missing.bvh --color always   | \u{1b}[
        2 find missing.bvh --color never    |! \u{1b}[
        ",
    );
}
