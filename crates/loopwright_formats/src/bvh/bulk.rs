//! Rows on all processors.
//!
//! The text is cut at line ends into blocks. Whoever is free takes the next one and reads it into rows of its own, which are
//! handed on in the order of the file, so that nothing depends on who read what, and little is held twice.
//!
//! Only lines that are one row each are read here. At the first block with anything else this ends, and what follows is left to
//! the reader on one thread: it alone has errors and warnings to tell.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{
    lex::{Lexer, number},
    motion::RowSink,
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
        // Rows made of a block, twice its size or so, stay in the processor's cache until they are handed on; and a thread costs
        // as much as reading some thousand bytes.
        let block = 1 << 17;
        let num_workers = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            block,
            num_workers: num_workers.min(num_bytes / (4 * block)),
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
pub(super) fn read<S: RowSink + Send>(
    text: &[u8],
    shares: &Shares,
    limits: &Limits<impl Fn(&[f64]) -> bool + Sync>,
    sink: &mut S,
) -> Done {
    if shares.num_workers < 2 {
        return Done::default();
    }
    let Some(pages) = (0..shares.num_workers).map(|_| sink.page()).collect::<Option<Vec<S>>>() else {
        return Done::default();
    };
    let queue = Queue {
        text,
        block: shares.block,
        progress: Mutex::new(Progress {
            num_bytes_taken: 0,
            num_taken: 0,
            num_ended: 0,
            is_over: false,
            done: Done::default(),
            sink,
        }),
        turn: Condvar::new(),
    };
    std::thread::scope(|scope| {
        let mut pages = pages.into_iter();
        let own = pages.next();
        for page in pages {
            // Without this thread the others do its share.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || queue.work(limits, page));
        }
        if let Some(page) = own {
            queue.work(limits, page);
        }
    });
    queue.progress.into_inner().unwrap_or_else(PoisonError::into_inner).done
}

/// Blocks to be read and rows to be handed on.
struct Queue<'a, S> {
    text: &'a [u8],
    block: usize,
    progress: Mutex<Progress<'a, S>>,
    /// Told when a block has ended.
    turn: Condvar,
}

struct Progress<'a, S> {
    num_bytes_taken: usize,
    /// Blocks that have been taken, and those of them whose rows have been handed on.
    num_taken: usize,
    num_ended: usize,
    is_over: bool,
    done: Done,
    sink: &'a mut S,
}

impl<'a, S: RowSink> Queue<'a, S> {
    fn lock(&self) -> MutexGuard<'_, Progress<'a, S>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads blocks until there are none.
    fn work(&self, limits: &Limits<impl Fn(&[f64]) -> bool>, mut page: S) {
        let mut progress = self.lock();
        while let Some(block) = self.take_block(&mut progress) {
            let index = progress.num_taken;
            progress.num_taken += 1;
            drop(progress);
            let num_rows = read_block(block, limits, &mut page);
            progress = self.lock();
            while progress.num_ended < index && !progress.is_over {
                progress = self.turn.wait(progress).unwrap_or_else(PoisonError::into_inner);
            }
            if progress.is_over {
                return;
            }
            match num_rows.filter(|num_rows| *num_rows <= limits.max_rows - progress.done.num_rows) {
                Some(num_rows) => {
                    progress.sink.append(&mut page);
                    progress.done.num_rows += num_rows;
                    progress.done.num_bytes += block.len();
                    progress.num_ended += 1;
                }
                None => progress.is_over = true,
            }
            self.turn.notify_all();
        }
    }

    /// The next block; `None` at the end, and where a line is as long as a block.
    fn take_block(&self, progress: &mut Progress<'a, S>) -> Option<&'a [u8]> {
        let rest = &self.text[progress.num_bytes_taken..];
        let length = match rest.get(self.block..) {
            None => rest.len(),
            Some(tail) => {
                let mut tail = tail.iter().take(self.block);
                self.block + 1 + tail.position(|&byte| byte == b'\n')?
            }
        };
        progress.num_bytes_taken += length;
        (length > 0 && !progress.is_over).then(|| &rest[..length])
    }
}

/// The number of rows in the block, or `None` where a line of it is anything but a row.
fn read_block(block: &[u8], limits: &Limits<impl Fn(&[f64]) -> bool>, page: &mut impl RowSink) -> Option<usize> {
    let mut lexer = Lexer::new(block);
    let mut row = Vec::with_capacity(limits.width);
    let mut num_rows = 0;
    lexer.skip_space();
    while lexer.num_remaining() > 0 {
        let num_missing = limits.width - row.len();
        if lexer.plain_numbers(num_missing, &mut row) == 0 {
            row.push(number(lexer.token()).ok()?);
        }
        let is_whole = row.len() == limits.width;
        let line_ended = lexer.skip_space() || lexer.num_remaining() == 0;
        if is_whole != line_ended {
            return None;
        }
        if is_whole {
            if !(limits.is_fit)(&row) {
                return None;
            }
            page.push(&row);
            row.clear();
            num_rows += 1;
        }
    }
    Some(num_rows)
}
