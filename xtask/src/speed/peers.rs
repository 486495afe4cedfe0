//! Times of other tools for comparable work, measured elsewhere and read from a table.

use crate::MEASUREMENTS;

/// One measurement of another tool.
pub(super) struct Peer {
    /// The tool and its task.
    pub(super) name: String,
    /// Size of the input.
    pub(super) frames: usize,
    pub(super) dims: usize,
    /// Running time, seconds.
    pub(super) seconds: f64,
}

/// Reads `peers-search.csv` beside the page: columns `what; frames; dims; seconds`, with this header and comments after `#`.
pub(super) fn read() -> Result<Vec<Peer>, String> {
    let path = format!("{MEASUREMENTS}/peers-search.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .skip(1)
        .map(|line| {
            let wrong = || format!("{path}: not what; frames; dims; seconds: {line}");
            let cells: Vec<&str> = line.split(';').map(str::trim).collect();
            let [name, frames, dims, seconds] = cells[..] else {
                return Err(wrong());
            };
            Ok(Peer {
                name: name.to_owned(),
                frames: frames.parse().map_err(|_| wrong())?,
                dims: dims.parse().map_err(|_| wrong())?,
                seconds: seconds.parse().map_err(|_| wrong())?,
            })
        })
        .collect()
}
