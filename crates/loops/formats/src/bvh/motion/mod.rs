//! The MOTION section: frame count, frame time and rows.
//!
//! Values are a stream of numbers. Line ends serve only to check that rows and hierarchy agree, so that a row with one value too
//! many does not shift all rows after it.
//!
//! Rows go to a [`RowSink`] one by one, so that only its results have to be stored.

use core::ops::Range;

use super::{
    FrameTime, Hierarchy,
    error::{BvhError, NumberPlace, Position},
    lex::{Lexer, found, is},
    number::number,
    warning::BvhWarning,
};
use crate::{excerpt::excerpt, warning::FileWarning};

mod header;
mod lines;
mod watched;

use lines::Lines;
use watched::Watched;

/// Takes the rows of a file.
pub(super) trait RowSink {
    /// Called once, before any row, with the most rows that the file can hold by its frame count and its size.
    fn expect(&mut self, max_rows: usize);

    /// Takes the values of the next row.
    fn push(&mut self, row: &[f64]);
}

/// Reads from after the word MOTION up to the rows: the declared number of frames, the place of that number, and the time of a frame.
pub(super) fn read_head(
    lexer: &mut Lexer,
    warnings: &mut Vec<FileWarning>,
) -> Result<(u64, Range<usize>, FrameTime), BvhError> {
    let (num_declared, count_at) = header::read_frame_count(lexer)?;
    Ok((num_declared, count_at, header::read_frame_time(lexer, warnings)?))
}

/// Reads from after the word MOTION to the end of the file; returns the time of a frame and the number of frames.
///
/// On errors some rows may have been pushed already.
pub(super) fn read(
    lexer: &mut Lexer<'_>,
    hierarchy: &Hierarchy,
    sink: &mut impl RowSink,
    warnings: &mut Vec<FileWarning>,
) -> Result<(FrameTime, usize), BvhError> {
    let (num_declared, _, frame_time) = read_head(lexer, warnings)?;
    if num_declared == 0 {
        return Err(BvhError::NoMotion { declared: 0 });
    }
    if hierarchy.num_channels() == 0 {
        return Err(BvhError::NoChannels);
    }
    let rows = Rows {
        width: hierarchy.num_channels(),
        num_declared,
        hierarchy,
    };
    let mut watched = Watched::new(hierarchy);
    let num_frames = rows.read(lexer, sink, &mut watched, warnings)?;
    watched.check(warnings)?;
    Ok((frame_time, num_frames))
}

/// State of reading the rows.
struct Rows<'h> {
    width: usize,
    num_declared: u64,
    hierarchy: &'h Hierarchy,
}

impl Rows<'_> {
    /// Pushes all whole rows, up to the declared number; returns how many there are.
    fn read(
        &self,
        lexer: &mut Lexer<'_>,
        sink: &mut impl RowSink,
        watched: &mut Watched<'_>,
        warnings: &mut Vec<FileWarning>,
    ) -> Result<usize, BvhError> {
        let num_declared = usize::try_from(self.num_declared).unwrap_or(usize::MAX);
        let num_wanted = num_declared.saturating_mul(self.width);
        // A value takes at least two bytes; the frame count alone does not reserve memory.
        let max_values = num_wanted.min(lexer.num_remaining() / 2 + 1);
        let mut row = Vec::with_capacity(self.width.min(max_values));
        let mut lines = Lines::new(self.width, num_wanted);
        let mut num_found = 0;
        sink.expect(max_values / self.width);
        loop {
            if lexer.skip_space() {
                lines.end_line(num_found);
            }
            let offset = lexer.offset();
            let num_plain = if num_found < num_wanted {
                lexer.plain_numbers(self.width - row.len(), &mut row)
            } else {
                0
            };
            if num_plain > 0 {
                lines.start_value(offset);
                num_found += num_plain;
                self.push_whole(&mut row, sink, watched);
                continue;
            }
            let token = lexer.token();
            if token.is_empty() {
                break;
            }
            match number(token) {
                Ok(value) => {
                    lines.start_value(offset);
                    if num_found < num_wanted {
                        row.push(value);
                        self.push_whole(&mut row, sink, watched);
                    }
                    num_found += 1;
                }
                Err(fault) => {
                    let (at, found) = (lexer.position_of(offset), found(token));
                    if ["MOTION", "HIERARCHY", "ROOT"].iter().any(|keyword| is(token, keyword)) {
                        return Err(BvhError::SecondSection { at, found });
                    }
                    if num_found < num_wanted {
                        return Err(lexer.number_error(token, fault, self.place(num_found)));
                    }
                    warnings.push(BvhWarning::TrailingText { at, found }.into());
                    break;
                }
            }
        }
        lines.end_line(num_found);
        self.check_count(num_found, num_wanted, &lines, lexer, warnings)?;
        Ok(num_found.min(num_wanted) / self.width)
    }

    /// Pushes the row if it is complete, and begins the next.
    fn push_whole(&self, row: &mut Vec<f64>, sink: &mut impl RowSink, watched: &mut Watched<'_>) {
        if row.len() == self.width {
            watched.look_at(row);
            sink.push(row);
            row.clear();
        }
    }

    /// Compares the count of numbers found with that of the declared rows. Errors: rows of another width, no row, or a last one cut off.
    fn check_count(
        &self,
        num_found: usize,
        num_wanted: usize,
        lines: &Lines,
        lexer: &Lexer,
        warnings: &mut Vec<FileWarning>,
    ) -> Result<(), BvhError> {
        if let Some(misfit) = lines.misfit(num_found, num_wanted, self.num_declared) {
            return Err(BvhError::RowWidth {
                at: lexer.position_of(misfit.offset),
                frame: misfit.row + 1,
                found: misfit.num_values,
                expected: self.width,
            });
        }
        if let Some(line) = &lines.first_across {
            let at = lexer.position_of(line.offset);
            warnings.push(BvhWarning::RowsAcrossLines { at }.into());
        }
        let num_rows = num_found / self.width;
        if num_found < num_wanted {
            if !num_found.is_multiple_of(self.width) {
                return Err(BvhError::CutOff {
                    at: lines
                        .row_start
                        .as_ref()
                        .map_or(Position { line: 1, column: 1 }, |line| lexer.position_of(line.offset)),
                    frame: num_rows + 1,
                    found: num_found % self.width,
                    expected: self.width,
                });
            }
            if num_rows == 0 {
                return Err(BvhError::NoMotion {
                    declared: self.num_declared,
                });
            }
            warnings.push(
                BvhWarning::FewerRows {
                    declared: self.num_declared,
                    present: num_rows,
                }
                .into(),
            );
        } else if num_found > num_wanted {
            warnings.push(
                BvhWarning::MoreRows {
                    declared: self.num_declared,
                    ignored: (num_found - num_wanted).div_ceil(self.width),
                }
                .into(),
            );
        }
        Ok(())
    }

    /// Returns the meaning of the value at an index of the stream.
    fn place(&self, index: usize) -> NumberPlace {
        let mut column = index % self.width;
        for joint in self.hierarchy.joints() {
            if let Some(&channel) = joint.channels.get(column) {
                return NumberPlace::Value {
                    frame: index / self.width + 1,
                    joint: excerpt(&joint.name),
                    channel,
                };
            }
            column -= joint.channels.len();
        }
        NumberPlace::Offset { joint: String::new() }
    }
}
