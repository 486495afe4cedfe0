//! What pages of the documentation show is what the command prints.

use crate::harness::{Folder, lines};

/// A page, how the block on it begins, and the commands of which the last prints it.
const SHOWN: [(&str, &str, &str); 11] = [
    ("../README", "walk-loop.bvh: good", "synth -o walk.bvh\nmake walk.bvh"),
    ("guide/find", "walk.bvh: 481 frames", "synth -o walk.bvh\nfind walk.bvh"),
    ("guide/find", "error: no loop found", "synth -o walk.bvh\nfind walk.bvh --speed 3:"),
    ("guide/feet", "feet ", "synth -o walk.bvh\nmake walk.bvh"),
    ("guide/check", "walk-loop.bvh: good", "synth -o walk.bvh\nmake walk.bvh\ncheck walk-loop.bvh"),
    ("guide/cut", "passage ", "synth -o start.bvh --lead-in 2 --seconds 9 --turn-rate 0\ncut start.bvh -o passages/"),
    (
        "guide/set",
        "idle ",
        "synth -o takes/walk.bvh --fps 30 --turn-rate 0 --lead-in 4 --seconds 9
        synth -o takes/left.bvh --fps 30 --turn-rate 40 --speed 1.2
        set takes/ -o hero/ --to glb",
    ),
    (
        "guide/blend",
        "straight-loop.bvh",
        "synth -o left.bvh
        make left.bvh
        convert left-loop.bvh right-loop.bvh --mirror
        blend left-loop.bvh right-loop.bvh -o straight-loop.bvh",
    ),
    ("guide/blend", "out.bvh: 10.00 s", "WALKS\nplay walk-loop.bvh quick-loop.bvh --seconds 10 -o out.bvh"),
    ("guide/cost", "walk-loop.bvh, a loop", "WALKS\ncost walk-loop.bvh quick-loop.bvh"),
    ("guide/fit", "velocity: half-life 0.200 s", "fit --half-life 0.2 --speed 5"),
];

/// A walk and the quicker one of docs/images, each with its loop.
const WALKS: &str = "synth -o walk.bvh
make walk.bvh
synth --seed 11 --period .86 --speed 1.9 --turn-rate 0 -o quick.bvh
make quick.bvh";

#[test]
fn pages_show_what_the_command_prints() {
    for (page, begins, commands) in SHOWN {
        let folder = Folder::new();
        std::fs::create_dir(folder.file("takes")).unwrap();
        let commands = commands.replace("WALKS", WALKS);
        let last = lines(&commands).map(|command| folder.run(command)).last().unwrap();
        let printed = last.stdout + &last.stderr;
        let path = format!("{}/../../docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let block = text.lines().skip_while(|line| !line.trim_start().starts_with(begins));
        let block: Vec<&str> = block.map_while(|line| line.strip_prefix("    ")).collect();
        assert!(!block.is_empty(), "{page} has no block {begins:?}");
        for line in block.iter().filter(|line| line.trim() != "...") {
            assert!(printed.contains(line), "{page} shows {line:?}, not of\n{printed}");
        }
    }
}
