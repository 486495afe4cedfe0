//! Opens a file; of several animations it takes the first that moves, not the longest.

use std::sync::Arc;

use loopwright_formats::{AnimatedFile, loop_file::facts::Grade};
use loopwright_job::recipe::StudyArgs;

use super::{
    NamedFile,
    edit::Edit,
    made::Made,
    opened::{OpenError, Opened, Room, Tell},
};

/// Words in the names of animations that move, in the order of preference, and in the names of transitions.
const MOVES: [&str; 7] = ["walk", "jog", "run", "sprint", "stroll", "strafe", "crawl"];
const PASSES: [&str; 6] = ["start", "stop", "turn", "_to_", "idle", "jump"];

/// Most animations to try.
const MOST_TRIED: usize = 3;

/// Reads a file, if there is room for it. Of several animations, it takes the first that moves by its name and whose loop is good, or else
/// the first that has a loop. Errors: [`OpenError`].
pub fn open(file: &NamedFile, room: Option<&Room>, tell: Tell) -> Result<Opened, OpenError> {
    let read = |animation: Option<String>| {
        let study = StudyArgs {
            animation,
            ..StudyArgs::default()
        };
        Opened::read_telling(&file.file_name, Arc::clone(&file.bytes), &study, &[], room, tell)
    };
    let mut first = None;
    for name in moving(&file.bytes).into_iter().take(MOST_TRIED) {
        let Ok(opened) = read(Some(name)) else { continue };
        if opened.found.best().is_none() {
            continue;
        }
        let made = Made::of(&opened, &Edit::first(&opened));
        if made.is_ok_and(|made| made.verdict.grade == Grade::Good) {
            return Ok(opened);
        }
        first = first.or(Some(opened));
    }
    first.map_or_else(|| read(None), Ok)
}

/// Lists the animations that move by their names, if the file has several animations.
fn moving(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = AnimatedFile::parse(bytes, "", None) else {
        return Vec::new();
    };
    let names = file.animation_names().iter().filter(|_| file.num_animations() > 1);
    let passes = |name: &str| PASSES.iter().any(|word| name.contains(word));
    MOVES
        .iter()
        .flat_map(|word| {
            names.clone().filter(move |name| {
                let name = name.to_lowercase();
                name.contains(word) && !passes(&name)
            })
        })
        .cloned()
        .collect()
}
