//! `-h` summarizes, `--help` and `help` show everything.

mod harness;

use harness::Folder;

#[test]
fn the_size_of_help_is_that_asked_for() {
    let folder = Folder::new();
    let help = |arguments: &str| folder.run(arguments).done().stdout;
    let (short, full) = (help("make -h"), help("make --help"));
    assert!(short.contains("`loopwright make --help` shows all flags."), "{short}");
    assert!(
        !short.contains("--joint-weight") && !short.contains("Root motion:"),
        "{short}"
    );
    for part in [
        "Input:\n",
        "\nSeam:\n",
        "\nRoot motion:\n",
        "--joint-weight",
        "stationary  Does not move",
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
