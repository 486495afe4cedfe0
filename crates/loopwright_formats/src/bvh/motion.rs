//! The MOTION section: frame count, frame time and rows.
//!
//! Values are a stream of numbers. Where lines end is used for one thing only: to tell whether rows and hierarchy agree, so
//! that a row with a value too many is not read as the start of the next one.
//!
//! Rows are handed on one by one, so that nobody has to hold them all who wants something else made of them.

use super::{
    BvhJoint, Channel, ChannelKind, FrameTime, Hierarchy,
    lex::{Lexer, found, number, number_error},
};
use crate::{
    error::{FrameCountFault, FrameTimeFault, NumberPlace, Position, ReadError, excerpt},
    warning::Warning,
};

/// What the section holds beside its rows.
pub(super) struct Motion {
    pub(super) frame_time: FrameTime,
    pub(super) num_declared_frames: u64,
    pub(super) num_frames: usize,
}

/// What becomes of the rows.
pub(super) trait RowSink {
    /// Told once, before rows are pushed: there are no more of them to come, and no more than the bytes of the file can hold.
    fn expect(&mut self, max_rows: usize);

    /// Takes the values of the next row.
    fn push(&mut self, row: &[f64]);
}

/// Shortest and longest frame time in seconds; a take accepts the same.
const FRAME_TIME_RANGE: core::ops::RangeInclusive<f64> = 1e-6..=1e4;

/// From here on a frame time is probably a rate, in seconds.
const LONG_FRAME_TIME: f64 = 1.0;

fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

/// Reads from after the word MOTION to the end of the file.
///
/// Where this fails, some rows may have been handed on.
pub(super) fn read(
    lexer: &mut Lexer<'_>,
    hierarchy: &Hierarchy,
    sink: &mut impl RowSink,
    warnings: &mut Vec<Warning>,
) -> Result<Motion, ReadError> {
    let num_declared_frames = read_frame_count(lexer)?;
    let frame_time = read_frame_time(lexer, warnings)?;
    if num_declared_frames == 0 {
        return Err(ReadError::NoMotion { declared: 0 });
    }
    if hierarchy.num_channels() == 0 {
        return Err(ReadError::NoChannels);
    }
    let rows = Rows {
        width: hierarchy.num_channels(),
        num_declared: num_declared_frames,
        hierarchy,
    };
    let mut scales = Scales::of(hierarchy);
    let num_frames = rows.read(lexer, sink, &mut scales, warnings)?;
    scales.check(warnings)?;
    Ok(Motion {
        frame_time,
        num_declared_frames,
        num_frames,
    })
}

fn read_frame_count(lexer: &mut Lexer<'_>) -> Result<u64, ReadError> {
    let expected = |lexer: &Lexer<'_>, word: &[u8]| ReadError::Expected {
        at: lexer.position_before(word),
        expected: "\"Frames:\" after MOTION".to_owned(),
        found: found(word),
    };
    let word = lexer.label();
    if !is(word, "Frames") {
        return Err(expected(lexer, word));
    }
    lexer.skip_colon();
    let token = lexer.label();
    if is(token, "Time") {
        return Err(expected(lexer, token));
    }
    frame_count(token).map_err(|fault| ReadError::FrameCount {
        at: lexer.position_before(token),
        found: found(token),
        fault,
    })
}

fn frame_count(token: &[u8]) -> Result<u64, FrameCountFault> {
    let text = core::str::from_utf8(token).map_err(|_| FrameCountFault::NotANumber)?;
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map_err(|_| FrameCountFault::OutOfRange);
    }
    match text.parse::<f64>() {
        Ok(count) if count < 0.0 => Err(FrameCountFault::Negative),
        Ok(count) if !count.is_finite() => Err(FrameCountFault::NotANumber),
        Ok(count) if count.fract() != 0.0 => Err(FrameCountFault::NotWhole),
        // Doubles above this skip whole numbers.
        Ok(count) if count > 9e15 => Err(FrameCountFault::OutOfRange),
        Ok(count) => Ok(count as u64),
        Err(_) => Err(FrameCountFault::NotANumber),
    }
}

fn read_frame_time(lexer: &mut Lexer<'_>, warnings: &mut Vec<Warning>) -> Result<FrameTime, ReadError> {
    let word = lexer.label();
    let at = lexer.position_before(word);
    let combined = is(word, "FrameTime");
    if is(word, "Frames") {
        warnings.push(Warning::UnusualKeyword {
            at,
            expected: "Frame Time:",
            found: crate::error::Found::Text(format!("{} Time:", excerpt(word))),
        });
    } else if !combined && !is(word, "Frame") {
        return Err(ReadError::Expected {
            at,
            expected: "\"Frame Time:\" and the seconds of one frame".to_owned(),
            found: found(word),
        });
    }
    if !combined {
        let word = lexer.label();
        if !is(word, "Time") {
            return Err(ReadError::Expected {
                at: lexer.position_before(word),
                expected: "\"Time:\" after Frame".to_owned(),
                found: found(word),
            });
        }
    }
    lexer.skip_colon();
    let token = lexer.token();
    let at = lexer.position_before(token);
    let fail = |fault| ReadError::FrameTime {
        at,
        found: found(token),
        fault,
    };
    let text = core::str::from_utf8(token).unwrap_or_default();
    let secs = text.parse::<f64>().ok().filter(|secs| secs.is_finite());
    let secs = secs.ok_or_else(|| fail(FrameTimeFault::NotANumber))?;
    if secs <= 0.0 {
        return Err(fail(FrameTimeFault::NotPositive));
    }
    // Nobody writes whole seconds with a zero in front: an exporter has dropped the point.
    let digits = text
        .strip_prefix('0')
        .filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let with_point = digits.and_then(|digits| format!("0.{digits}").parse().ok());
    let secs = with_point.unwrap_or(secs);
    if !FRAME_TIME_RANGE.contains(&secs) {
        return Err(fail(FrameTimeFault::Implausible));
    }
    if with_point.is_some() {
        let found = found(token);
        warnings.push(Warning::FrameTimeWithoutPoint { at, found, secs });
    } else if secs >= LONG_FRAME_TIME {
        warnings.push(Warning::LongFrameTime { at, secs });
    }
    Ok(FrameTime {
        secs,
        text: with_point.is_none().then(|| text.to_owned()),
    })
}

struct Rows<'h> {
    width: usize,
    num_declared: u64,
    hierarchy: &'h Hierarchy,
}

impl Rows<'_> {
    /// Hands on the whole rows present, up to the declared number of them; returns how many there are.
    fn read(
        &self,
        lexer: &mut Lexer<'_>,
        sink: &mut impl RowSink,
        scales: &mut Scales<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<usize, ReadError> {
        let num_declared = usize::try_from(self.num_declared).unwrap_or(usize::MAX);
        let num_wanted = num_declared.saturating_mul(self.width);
        // A value takes two bytes at least; nothing is reserved on the word of the frame count alone.
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
                self.hand_on(&mut row, sink, scales);
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
                        self.hand_on(&mut row, sink, scales);
                    }
                    num_found += 1;
                }
                Err(fault) => {
                    let at = lexer.position_of(offset);
                    if ["MOTION", "HIERARCHY", "ROOT"].iter().any(|keyword| is(token, keyword)) {
                        return Err(ReadError::SecondSection {
                            at,
                            found: found(token),
                        });
                    }
                    if num_found < num_wanted {
                        return Err(number_error(lexer, token, fault, self.place(num_found)));
                    }
                    warnings.push(Warning::TrailingText {
                        at,
                        found: found(token),
                    });
                    break;
                }
            }
        }
        lines.end_line(num_found);
        self.check(num_found, num_wanted, &lines, lexer, warnings)?;
        Ok(num_found.min(num_wanted) / self.width)
    }

    /// Hands on a row that is whole, and begins the next.
    fn hand_on(&self, row: &mut Vec<f64>, sink: &mut impl RowSink, scales: &mut Scales<'_>) {
        if row.len() == self.width {
            scales.look_at(row);
            sink.push(row);
            row.clear();
        }
    }

    fn check(
        &self,
        num_found: usize,
        num_wanted: usize,
        lines: &Lines,
        lexer: &Lexer<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), ReadError> {
        if let Some(misfit) = lines.misfit(num_found, num_wanted, self.num_declared) {
            return Err(ReadError::RowWidth {
                at: lexer.position_of(misfit.offset),
                frame: misfit.row + 1,
                found: misfit.num_values,
                expected: self.width,
            });
        }
        if let Some(line) = &lines.first_across {
            let at = lexer.position_of(line.offset);
            warnings.push(Warning::RowsAcrossLines { at });
        }
        let num_rows = num_found / self.width;
        if num_found < num_wanted {
            if !num_found.is_multiple_of(self.width) {
                return Err(ReadError::CutOff {
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
                return Err(ReadError::NoMotion {
                    declared: self.num_declared,
                });
            }
            warnings.push(Warning::FewerRows {
                declared: self.num_declared,
                present: num_rows,
            });
        } else if num_found > num_wanted {
            warnings.push(Warning::MoreRows {
                declared: self.num_declared,
                ignored: (num_found - num_wanted).div_ceil(self.width),
            });
        }
        Ok(())
    }

    /// What the value of that index in the stream is for.
    fn place(&self, index: usize) -> NumberPlace {
        let mut column = index % self.width;
        for joint in self.hierarchy.joints() {
            if let Some(&channel) = joint.channels.get(column) {
                return NumberPlace::Value {
                    frame: index / self.width + 1,
                    joint: excerpt(joint.name.as_bytes()),
                    channel,
                };
            }
            column -= joint.channels.len();
        }
        NumberPlace::Offset { joint: String::new() }
    }
}

/// A line of values.
#[derive(Clone)]
struct Line {
    /// Where its first value starts.
    offset: usize,
    /// The row that its first value belongs to, counted from 0.
    row: usize,
    num_values: usize,
}

/// How lines and rows fit together, over the lines that hold declared rows.
struct Lines {
    width: usize,
    num_wanted: usize,
    /// Start of the current line and values before it.
    line: Option<(usize, usize)>,
    first: Option<Line>,
    /// The line on which the latest row starts.
    row_start: Option<Line>,
    /// The first line that holds parts of two rows, or rather the one on which the row that it ends starts.
    first_across: Option<Line>,
    all_alike: bool,
    num_lines: u64,
    num_exact: u64,
    num_before: usize,
}

impl Lines {
    fn new(width: usize, num_wanted: usize) -> Self {
        Self {
            width,
            num_wanted,
            line: None,
            first: None,
            row_start: None,
            first_across: None,
            all_alike: true,
            num_lines: 0,
            num_exact: 0,
            num_before: 0,
        }
    }

    fn start_value(&mut self, offset: usize) {
        if self.line.is_none() {
            self.line = Some((offset, self.num_before));
        }
    }

    /// Takes note of the line that has just ended; `num_found` values have been met in all.
    fn end_line(&mut self, num_found: usize) {
        self.num_before = num_found;
        let Some((offset, before)) = self.line.take() else {
            return;
        };
        if before >= self.num_wanted {
            return;
        }
        let line = Line {
            offset,
            row: before / self.width,
            num_values: num_found - before,
        };
        let starts_row = before.is_multiple_of(self.width);
        if starts_row {
            self.row_start = Some(line.clone());
        }
        let ends_row = num_found.is_multiple_of(self.width);
        let within_one_row = line.row == (num_found - 1) / self.width;
        let whole_rows = starts_row && ends_row;
        if self.first_across.is_none() && !within_one_row && !whole_rows {
            self.first_across = self
                .row_start
                .clone()
                .filter(|_| !starts_row)
                .or_else(|| Some(line.clone()));
        }
        self.num_lines += 1;
        self.num_exact += u64::from(line.num_values == self.width);
        match &self.first {
            None => self.first = Some(line),
            Some(first) => self.all_alike &= first.num_values == line.num_values,
        }
    }

    /// The first row that has another width than the hierarchy, if the lines say so.
    ///
    /// Lines that agree with each other are rows, unless the values come to exactly the declared number and the lines do
    /// not. Lines that hold parts of two rows are let through only where, besides, no line looks like a row.
    fn misfit(&self, num_found: usize, num_wanted: usize, num_declared: u64) -> Option<&Line> {
        let first = self.first.as_ref()?;
        let alike = self.all_alike && self.num_lines > 1 && first.num_values != self.width;
        if alike && (num_found != num_wanted || self.num_lines.abs_diff(num_declared) <= 1) {
            return Some(first);
        }
        self.first_across
            .as_ref()
            .filter(|_| num_found != num_wanted || self.num_exact > 0)
    }
}

/// How far from 1 a scale may be; less is rounding.
const SCALE_TOLERANCE: f64 = 1e-4;

/// Scale channels, which are refused where they scale.
struct Scales<'h> {
    num_rows: usize,
    columns: Vec<ScaleColumn<'h>>,
}

struct ScaleColumn<'h> {
    column: usize,
    joint: &'h BvhJoint,
    channel: Channel,
    /// The first row that scales, and its value.
    first: Option<(usize, f64)>,
}

impl<'h> Scales<'h> {
    fn of(hierarchy: &'h Hierarchy) -> Self {
        let channels = (hierarchy.joints().iter())
            .flat_map(|joint| joint.channels.iter().map(move |channel| (joint, *channel)))
            .enumerate();
        let columns = channels
            .filter(|(_, (_, channel))| channel.kind == ChannelKind::Scale)
            .map(|(column, (joint, channel))| ScaleColumn {
                column,
                joint,
                channel,
                first: None,
            })
            .collect();
        Self { num_rows: 0, columns }
    }

    fn is_one(value: f64) -> bool {
        (value - 1.0).abs() <= SCALE_TOLERANCE
    }

    fn look_at(&mut self, row: &[f64]) {
        for scale in &mut self.columns {
            let value = row[scale.column];
            if !Self::is_one(value) {
                scale.first.get_or_insert((self.num_rows, value));
            }
        }
        self.num_rows += 1;
    }

    fn check(&self, warnings: &mut Vec<Warning>) -> Result<(), ReadError> {
        let mut joints: Vec<&str> = Vec::new();
        for scale in &self.columns {
            if let Some((frame, value)) = scale.first {
                return Err(ReadError::Scale {
                    frame: frame + 1,
                    joint: excerpt(scale.joint.name.as_bytes()),
                    channel: scale.channel,
                    value,
                });
            }
            if joints.last() != Some(&scale.joint.name.as_str()) {
                joints.push(&scale.joint.name);
            }
        }
        if let Some(joint) = joints.first() {
            warnings.push(Warning::ScaleIgnored {
                joint: excerpt(joint.as_bytes()),
                count: joints.len(),
            });
        }
        Ok(())
    }
}
