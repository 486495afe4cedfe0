//! What other tools took for comparable work, measured elsewhere and read from a table.

use std::path::Path;

/// One figure of another tool.
pub(super) struct Peer {
    /// What was run.
    pub(super) name: String,
    /// Size of the input.
    pub(super) frames: usize,
    pub(super) dims: usize,
    /// Seconds that it took.
    pub(super) seconds: f64,
}

/// Figures and where they are from.
#[derive(Default)]
pub(super) struct Peers {
    pub(super) figures: Vec<Peer>,
    /// Words of the table's comments.
    pub(super) provenance: String,
}

/// Reads a table of `what; frames; dims; seconds`, headed by these words, with lines of comment after `#`.
pub(super) fn read(path: &Path) -> Result<Peers, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut peers = Peers::default();
    let mut has_head = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(comment) = line.strip_prefix('#') {
            peers.provenance.push_str(comment.trim());
            peers.provenance.push('\n');
            continue;
        }
        if !has_head {
            has_head = true;
            continue;
        }
        let wrong = || format!("{}: not what; frames; dims; seconds: {line}", path.display());
        let cells: Vec<&str> = line.split(';').map(str::trim).collect();
        let [name, frames, dims, seconds] = cells[..] else {
            return Err(wrong());
        };
        peers.figures.push(Peer {
            name: name.to_owned(),
            frames: frames.parse().map_err(|_| wrong())?,
            dims: dims.parse().map_err(|_| wrong())?,
            seconds: seconds.parse().map_err(|_| wrong())?,
        });
    }
    Ok(peers)
}
