//! Rows on all processors.
//!
//! The text is cut at line ends into blocks. First their lines are counted, so that it is known where the rows of each go; then
//! whoever is free takes the next one and puts its rows there, so that nothing depends on who read what, and nothing is held
//! twice.
//!
//! Only lines that are one row each are read here. At the first block with anything else this ends, and what follows is left to
//! the reader on one thread: it alone has errors and warnings to tell.

use std::sync::atomic::{AtomicUsize, Ordering};

use loopwright::threads::{self, share_out};

use super::{
    lex::{Lexer, number},
    motion::{Room, RowSink},
};

/// How the text is shared out.
pub(super) struct Shares {
    /// Bytes of a block, without the rest of its last line.
    pub(super) block: usize,
    pub(super) num_workers: usize,
}

impl Shares {
    /// As this machine has it for so many bytes.
    pub(super) fn of(num_bytes: usize) -> Self {
        // A thread costs as much as reading some thousand bytes, and the last block leaves the others waiting.
        let block = 1 << 17;
        Self {
            block,
            num_workers: threads::up_to(num_bytes / (4 * block)),
        }
    }
}

/// Rows that there may be, and what else makes them fit to be read here.
pub(super) struct Limits<F> {
    pub(super) width: usize,
    pub(super) max_rows: usize,
    pub(super) is_fit: F,
}

/// What was read.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub(super) num_rows: usize,
    pub(super) num_bytes: usize,
}

/// Hands on rows from the start of `text`, as long as it holds nothing else.
pub(super) fn read<S: RowSink>(
    text: &[u8],
    shares: &Shares,
    limits: &Limits<impl Fn(&[f64]) -> bool + Sync>,
    sink: &mut S,
) -> Done {
    if shares.num_workers < 2 {
        return Done::default();
    }
    let mut blocks = blocks(text, shares.block);
    share_out(shares.num_workers, blocks.iter_mut(), Block::count);

    // Rows beyond those that there may be are nobody's to read here, and lines too short for one make no room.
    let mut num_rows = 0;
    let num_within = blocks
        .iter()
        .take_while(|block| {
            num_rows += block.num_lines;
            num_rows <= limits.max_rows && block.can_hold_rows(limits.width)
        })
        .count();
    blocks.truncate(num_within);
    let num_rows = blocks.iter().map(|block| block.num_lines).sum();
    let Some(room) = (num_rows > 0).then(|| sink.room(num_rows)).flatten() else {
        return Done::default();
    };
    let mut rest = Some(room);
    let tasks = blocks.iter().enumerate().map_while(move |(index, block)| {
        let (room, behind) = rest.take()?.split(block.num_lines);
        rest = Some(behind);
        Some((index, block, room))
    });
    // All blocks before it are whole, once everyone is done.
    let first_unfit = AtomicUsize::new(blocks.len());
    share_out(shares.num_workers, tasks, |(index, block, room)| {
        if index < first_unfit.load(Ordering::Relaxed) && !block.read(limits, room) {
            first_unfit.fetch_min(index, Ordering::Relaxed);
        }
    });
    let mut done = Done::default();
    for block in &blocks[..first_unfit.into_inner()] {
        done.num_rows += block.num_lines;
        done.num_bytes += block.text.len();
    }
    sink.keep(done.num_rows);
    done
}

/// Whole lines.
struct Block<'a> {
    text: &'a [u8],
    num_lines: usize,
}

/// The blocks of a text, up to where a line is as long as one.
fn blocks(text: &[u8], size: usize) -> Vec<Block<'_>> {
    let mut blocks = Vec::with_capacity(text.len() / size + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let length = match rest.get(size..) {
            None => rest.len(),
            Some(tail) => match tail.iter().take(size).position(|&byte| byte == b'\n') {
                Some(place) => size + 1 + place,
                None => break,
            },
        };
        let (text, behind) = rest.split_at(length);
        blocks.push(Block { text, num_lines: 0 });
        rest = behind;
    }
    blocks
}

impl Block<'_> {
    /// Counts the lines that are not empty.
    fn count(&mut self) {
        // Where a line ends that holds more than its end, which is one byte or two.
        let ends_line =
            |[before, last, end]: [u8; 3]| (end == b'\n') & (last != b'\n') & ((last != b'\r') | (before != b'\n'));
        // In bytes, as many as a sum of them holds: sixteen side by side on every processor.
        let num_ends_of = |piece: &[u8]| {
            let triples = piece.iter().zip(&piece[1..]).zip(&piece[2..]);
            let sum = triples.map(|((&before, &last), &end)| u8::from(ends_line([before, last, end])));
            usize::from(sum.sum::<u8>())
        };
        let text = self.text;
        // What stands before the block is the end of a line, too.
        let head: Vec<u8> = [b'\n'; 2].iter().chain(text.iter().take(2)).copied().collect();
        let num_ends: usize = (0..text.len().saturating_sub(2))
            .step_by(240)
            .map(|first| num_ends_of(&text[first..text.len().min(first + 242)]))
            .sum();
        let rest = text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        self.num_lines = num_ends_of(&head) + num_ends + usize::from(!rest.trim_ascii().is_empty());
    }

    /// Whether there are two bytes or more for every value of that many rows; the last has no end.
    fn can_hold_rows(&self, width: usize) -> bool {
        width.saturating_mul(2).saturating_mul(self.num_lines) <= self.text.len() + 1
    }

    /// Puts a row for each line; `false` where a line of it is anything but a row.
    fn read(&self, limits: &Limits<impl Fn(&[f64]) -> bool>, mut room: impl Room) -> bool {
        let mut lexer = Lexer::new(self.text);
        let mut row = Vec::with_capacity(limits.width);
        let mut num_rows = 0;
        lexer.skip_space();
        while lexer.num_remaining() > 0 {
            let num_missing = limits.width - row.len();
            if lexer.plain_numbers(num_missing, &mut row) == 0 {
                match number(lexer.token()) {
                    Ok(value) => row.push(value),
                    Err(_) => return false,
                }
            }
            let is_whole = row.len() == limits.width;
            let line_ended = lexer.skip_space() || lexer.num_remaining() == 0;
            if is_whole != line_ended {
                return false;
            }
            if is_whole {
                if num_rows == self.num_lines || !(limits.is_fit)(&row) {
                    return false;
                }
                room.put(num_rows, &row);
                row.clear();
                num_rows += 1;
            }
        }
        num_rows == self.num_lines
    }
}
