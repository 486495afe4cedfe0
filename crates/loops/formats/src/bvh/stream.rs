//! Reads BVH from a stream: its head and its rows, line by line, and records them as a file.

use core::ops::Range;
use std::sync::Arc;

use glam::DQuat;
use loopwright_core::Skeleton;

use super::{
    FrameTime, Hierarchy, hierarchy,
    lex::Lexer,
    motion,
    number::number,
    read::{Frames, is_bvh, skeleton},
};
use crate::{
    byte_count::ByteCount, error::ReadError, excerpt::excerpt, space::Space, text::without_byte_order_mark,
    warning::FileWarning,
};

/// Longest text before the rows, bytes; skeletons of a thousand joints need a tenth of it.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Longest line of a row, bytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Why a stream cannot be read any further.
#[error_kinds]
pub enum BvhStreamError {
    /// Its head is not a BVH head.
    Head(ReadError),
    #[error("no line \"Frame Time:\" in the first {}", ByteCount(MAX_HEAD_BYTES as u64))]
    NoHead,
    #[error("the first row stands on the line of the frame time, and each row needs its own")]
    RowsInHead,
    #[error("line {line} is longer than {}", ByteCount(MAX_LINE_BYTES as u64))]
    LongLine { line: usize },
}

/// Why a line is not a row.
#[error_kinds(Eq)]
pub enum LineFault {
    #[error("line {line} has {found} values, and a row has {expected}")]
    Width { line: usize, found: usize, expected: usize },
    /// Text, NaN, an infinity, or a number out of range.
    #[error("line {line}: \"{found}\" is no value of a channel")]
    Value { line: usize, found: String },
}

/// A line of a stream.
#[derive(Debug, PartialEq)]
pub enum StreamedLine<'a> {
    /// The last line of the head: [`BvhStream::head`] is available from here on.
    Head,
    /// A row.
    Frame {
        /// The line with its end.
        text: &'a [u8],
        /// Local rotations of all joints, in the axes of the stream.
        rotations: &'a [DQuat],
    },
    /// A line that is not a row: the frame is lost.
    Refused(LineFault),
    /// Another file begins, which does not belong to this one.
    OtherFile,
}

/// The part of a stream before its rows.
#[derive(Debug)]
pub struct StreamHead {
    text: Vec<u8>,
    /// The position of the number of frames in it.
    count_at: Range<usize>,
    num_declared: u64,
    hierarchy: Hierarchy,
    /// Values of its joints in a row, and all values of a row.
    values: Range<usize>,
    width: usize,
    frame_time: FrameTime,
    skeleton: Skeleton,
}

impl StreamHead {
    /// Reads a head. Errors: it is not the head of a BVH file, or no joint has a channel.
    fn read(text: Vec<u8>, warnings: &mut Vec<FileWarning>) -> Result<Self, BvhStreamError> {
        let body = without_byte_order_mark(&text);
        let mark = text.len() - body.len();
        let mut lexer = Lexer::new(body);
        let trees = hierarchy::read(&mut lexer, warnings).map_err(ReadError::from)?;
        let tree = trees.chosen(None, warnings)?;
        let (num_declared, count_at, frame_time) = motion::read_head(&mut lexer, warnings).map_err(ReadError::from)?;
        lexer.skip_space();
        if lexer.num_remaining() > 0 {
            return Err(BvhStreamError::RowsInHead);
        }
        let width = trees.whole.num_channels();
        if width == 0 {
            return Err(ReadError::from(super::BvhError::NoChannels).into());
        }
        Ok(Self {
            count_at: mark + count_at.start..mark + count_at.end,
            num_declared,
            skeleton: skeleton(&tree.hierarchy, &Space::METRES_Y_UP)?,
            hierarchy: tree.hierarchy,
            values: tree.values,
            width,
            frame_time,
            text,
        })
    }

    /// Returns the joints, with offsets in the axes and the unit of the stream.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the seconds from one frame to the next.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time.secs
    }
}

/// Reads BVH whose rows arrive one by one, without end.
///
/// A row is one line, complete with its line end. The number of frames in the head is ignored, because the sender does not know it
/// yet. Lines that are not rows are refused one by one. Memory does not grow: only the head and the incomplete last line
/// are kept.
///
/// ```
/// use loopwright_formats::{BvhRecording, BvhStream, StreamedLine};
///
/// let mut stream = BvhStream::new();
/// stream.push(b"HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 1 Yrotation }\nMOTION\nFrames: 0\nFrame Time: 0.1\n5\n");
/// assert_eq!(stream.next_line(&mut Vec::new())?, Some(StreamedLine::Head));
/// let mut recording = BvhRecording::new(stream.head().ok_or("no head")?.clone());
/// if let Some(StreamedLine::Frame { text, .. }) = stream.next_line(&mut Vec::new())? {
///     recording.push(text);
/// }
/// let file = String::from_utf8(recording.file(0..1))?;
/// assert!(file.ends_with("Frames: 1\nFrame Time: 0.1\n5\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct BvhStream {
    /// Bytes that are not read yet, starting at `at`.
    pending: Vec<u8>,
    at: usize,
    /// Number of bytes after `at` that contain no line end.
    num_searched: usize,
    head_text: Vec<u8>,
    head: Option<Arc<StreamHead>>,
    num_lines: usize,
    row: Vec<f64>,
    rotations: Vec<DQuat>,
}

impl BvhStream {
    /// Creates an empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends bytes; lines may be split anywhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// Returns the part before the rows, once it is complete.
    pub fn head(&self) -> Option<&Arc<StreamHead>> {
        self.head.as_ref()
    }

    /// Whether the head has begun but is not complete.
    pub fn is_within_head(&self) -> bool {
        self.head.is_none() && (!self.head_text.trim_ascii().is_empty() || self.is_within_a_line())
    }

    /// Whether the last line is incomplete.
    pub fn is_within_a_line(&self) -> bool {
        !self.pending[self.at..].trim_ascii().is_empty()
    }

    /// Returns the next complete line that is not blank; `None` until more bytes arrive. Oddities of the head are reported in
    /// `warnings`.
    ///
    /// Errors: the stream cannot be read any further.
    pub fn next_line(&mut self, warnings: &mut Vec<FileWarning>) -> Result<Option<StreamedLine<'_>>, BvhStreamError> {
        loop {
            let rest = &self.pending[self.at..];
            let end = rest[self.num_searched..].iter().position(|&byte| byte == b'\n');
            let Some(end) = end.map(|end| self.num_searched + end + 1) else {
                self.num_searched = rest.len();
                return match &self.head {
                    None if rest.len() > MAX_HEAD_BYTES => Err(BvhStreamError::NoHead),
                    Some(_) if rest.len() > MAX_LINE_BYTES => Err(BvhStreamError::LongLine {
                        line: self.num_lines + 1,
                    }),
                    _ => Ok(None),
                };
            };
            let line = self.at..self.at + end;
            self.at = line.end;
            self.num_searched = 0;
            self.num_lines += 1;
            let Some(head) = self.head.clone() else {
                if self.read_head_line(line, warnings)? {
                    return Ok(Some(StreamedLine::Head));
                }
                continue;
            };
            if is_bvh(&self.pending[line.clone()]) {
                return Ok(Some(StreamedLine::OtherFile));
            }
            if let Err(fault) = self.read_row(line.clone(), head.width) {
                return Ok(Some(StreamedLine::Refused(fault)));
            }
            if !self.row.is_empty() {
                return Ok(Some(self.frame(line, &head)));
            }
        }
    }

    /// Adds a line to the head; returns whether that completes it.
    fn read_head_line(&mut self, line: Range<usize>, warnings: &mut Vec<FileWarning>) -> Result<bool, BvhStreamError> {
        let line = &self.pending[line];
        self.head_text.extend_from_slice(line);
        if self.head_text.len() > MAX_HEAD_BYTES {
            return Err(BvhStreamError::NoHead);
        }
        // Reported before a megabyte of something else arrives.
        let words = without_byte_order_mark(&self.head_text).trim_ascii();
        if !words.is_empty() && !is_bvh(&self.head_text) {
            StreamHead::read(core::mem::take(&mut self.head_text), warnings)?;
        }
        if !ends_head(line) {
            return Ok(false);
        }
        let head = StreamHead::read(core::mem::take(&mut self.head_text), warnings)?;
        self.head = Some(Arc::new(head));
        Ok(true)
    }

    /// Reads the values of a line: as many numbers as a row has, or none if it is blank.
    fn read_row(&mut self, line: Range<usize>, expected: usize) -> Result<(), LineFault> {
        let (text, line, row) = (&self.pending[line], self.num_lines, &mut self.row);
        row.clear();
        let mut lexer = Lexer::new(text);
        loop {
            lexer.skip_space();
            if lexer.plain_numbers(expected - row.len(), row) > 0 {
                continue;
            }
            let token = lexer.token();
            if token.is_empty() {
                break;
            }
            let value = number(token).map_err(|_| LineFault::Value {
                line,
                found: excerpt(token),
            })?;
            if row.len() == expected {
                let tokens = text.split(u8::is_ascii_whitespace);
                let all = tokens.filter(|token| !token.is_empty()).count();
                let found = all.max(expected + 1);
                return Err(LineFault::Width { line, found, expected });
            }
            row.push(value);
        }
        match row.len() {
            found if found > 0 && found != expected => Err(LineFault::Width { line, found, expected }),
            _ => Ok(()),
        }
    }

    /// Returns the frame of the row that was read.
    fn frame(&mut self, line: Range<usize>, head: &StreamHead) -> StreamedLine<'_> {
        let mut pose = Frames::new(&head.hierarchy);
        pose.append(&head.hierarchy, &self.row[head.values.clone()]);
        self.rotations = pose.rotations;
        StreamedLine::Frame {
            text: &self.pending[line],
            rotations: &self.rotations,
        }
    }
}

/// Whether a line is the last of a head: the frame time.
fn ends_head(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    let line = line.trim_ascii();
    let time = line.windows(4).position(|word| word == b"time");
    line.starts_with(b"frame") && time.is_some_and(|at| line[at..].iter().any(u8::is_ascii_digit))
}

/// Rows of a stream as received; any part of them can be saved as a file.
#[derive(Clone, Debug)]
pub struct BvhRecording {
    head: Arc<StreamHead>,
    rows: Vec<u8>,
    /// Per frame, where its row ends.
    ends: Vec<usize>,
}

impl BvhRecording {
    /// Creates a recording without rows.
    pub fn new(head: Arc<StreamHead>) -> Self {
        Self {
            head,
            rows: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a row: the text of a [`StreamedLine::Frame`].
    pub fn push(&mut self, text: &[u8]) {
        self.rows.extend_from_slice(text);
        self.ends.push(self.rows.len());
    }

    /// Adds the last row again, in place of a lost one. Does nothing before the first row.
    pub fn repeat_last(&mut self) {
        let last = self.rows_at(self.ends.len().saturating_sub(1)..self.ends.len());
        if !last.is_empty() {
            self.rows.extend_from_within(last);
            self.ends.push(self.rows.len());
        }
    }

    /// Returns the number of rows.
    pub fn num_frames(&self) -> usize {
        self.ends.len()
    }

    /// Returns the approximate size of the whole recording as a file, bytes.
    pub fn num_bytes(&self) -> u64 {
        (self.head.text.len() + self.rows.len()) as u64
    }

    /// Returns the part before the rows.
    pub fn head(&self) -> &Arc<StreamHead> {
        &self.head
    }

    /// Returns these frames as a BVH file. Its head is the stream's with the right number of frames. Frames beyond the last are
    /// left out.
    pub fn file(&self, frames: Range<usize>) -> Vec<u8> {
        let end = frames.end.min(self.ends.len());
        let frames = frames.start.min(end)..end;
        let (head, count) = (&self.head, frames.len());
        let rows = &self.rows[self.rows_at(frames)];
        let mut file = Vec::with_capacity(head.text.len() + rows.len() + 20);
        file.extend_from_slice(&head.text[..head.count_at.start]);
        if head.num_declared == count as u64 {
            file.extend_from_slice(&head.text[head.count_at.clone()]);
        } else {
            file.extend_from_slice(count.to_string().as_bytes());
        }
        file.extend_from_slice(&head.text[head.count_at.end..]);
        file.extend_from_slice(rows);
        file
    }

    fn rows_at(&self, frames: Range<usize>) -> Range<usize> {
        let [start, end] =
            [frames.start, frames.end].map(|frame| frame.checked_sub(1).map_or(0, |before| self.ends[before]));
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadSettings, read_take};

    const HEAD: &str = "HIERARCHY\r\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 2 Yposition Yrotation\nJOINT Head\n{\n\
        OFFSET 0 6 0\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: 0\nFrame Time: 0.05\n";

    /// Reads all lines of a stream that arrives in pieces of these lengths, in turn, and records it.
    fn heard(text: &[u8], lengths: &[usize]) -> (Vec<String>, Option<BvhRecording>) {
        let mut stream = BvhStream::new();
        let (mut said, mut recording, mut rest) = (Vec::new(), None::<BvhRecording>, text);
        for &length in lengths.iter().cycle() {
            let (piece, after) = rest.split_at(length.clamp(1, rest.len().max(1)).min(rest.len()));
            rest = after;
            stream.push(piece);
            loop {
                match stream.next_line(&mut Vec::new()) {
                    Ok(None) => break,
                    Ok(Some(StreamedLine::Head)) => {}
                    Ok(Some(StreamedLine::Frame { text, rotations })) => {
                        said.push(format!("{} {rotations:?}", String::from_utf8_lossy(text)));
                        let (text, head) = (text.to_vec(), stream.head().unwrap().clone());
                        recording.get_or_insert_with(|| BvhRecording::new(head)).push(&text);
                    }
                    Ok(Some(StreamedLine::Refused(fault))) => said.push(fault.to_string()),
                    Ok(Some(StreamedLine::OtherFile)) => said.push("other".to_owned()),
                    Err(error) => {
                        said.push(error.to_string());
                        return (said, recording);
                    }
                }
            }
            if rest.is_empty() {
                break;
            }
        }
        (said, recording)
    }

    #[test]
    fn a_stream_is_the_same_however_it_is_broken() {
        let rows = "1 10 20\r\n\x0B \n2 11 21\n3 nan 22\n4 12\n4 12 22 32\n5 13 23\nHIERARCHY\n6 14 2";
        let text = format!("{HEAD}{rows}");
        let (whole, recording) = heard(text.as_bytes(), &[usize::MAX]);
        let recording = recording.unwrap();
        assert_eq!(whole.len(), 7, "{whole:?}");
        assert_eq!(whole[2], "line 18: \"nan\" is no value of a channel");
        assert_eq!(whole[3], "line 19 has 2 values, and a row has 3");
        assert_eq!(whole[4], "line 20 has 4 values, and a row has 3");
        assert_eq!(whole[6], "other");
        for lengths in [&[1][..], &[7, 2, 31], &[100, 1]] {
            let (said, broken) = heard(text.as_bytes(), lengths);
            assert_eq!(said, whole);
            assert_eq!(broken.unwrap().file(0..9), recording.file(0..9));
        }
        // The rows as received, below a corrected head.
        let file = String::from_utf8(recording.file(0..99)).unwrap();
        assert_eq!(
            file,
            HEAD.replace("Frames: 0", "Frames: 3") + "1 10 20\r\n2 11 21\n5 13 23\n"
        );
        let part = recording.file(1..2);
        let take = read_take(&part, "t", &ReadSettings::default(), &mut Vec::new())
            .unwrap()
            .take;
        assert_eq!((take.num_frames(), take.frame_time_secs()), (1, 0.05));
        let head = recording.head();
        assert_eq!((head.skeleton().num_joints(), head.frame_time_secs()), (2, 0.05));
    }

    #[test]
    fn a_head_is_whole_with_the_newline_of_its_last_line() {
        let mut stream = BvhStream::new();
        stream.push(b" \n");
        stream.next_line(&mut Vec::new()).unwrap();
        assert!(!stream.is_within_head());
        for piece in ["HIER", &HEAD[4..HEAD.len() - 1], "\n"] {
            assert!(stream.head().is_none());
            stream.push(piece.as_bytes());
            stream.next_line(&mut Vec::new()).unwrap();
            assert_eq!(stream.is_within_head(), stream.head().is_none());
        }
        assert!(stream.head().is_some());
    }

    #[test]
    fn a_recording_of_a_whole_file_is_that_file() {
        let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default()).unwrap();
        let source = crate::Source::for_take(&walk.take, crate::Format::Bvh);
        let mut bytes = crate::write_take(&walk.take, &source).unwrap().bytes;
        let marked = [&b"\xEF\xBB\xBF"[..], &bytes].concat();
        for file in [&bytes, &marked] {
            let (_, recording) = heard(file, &[4096]);
            assert!(&recording.unwrap().file(0..usize::MAX) == file);
        }
        // Only the wrong number is corrected.
        let at = bytes.windows(7).position(|word| word == b"Frames:").unwrap() + 8;
        let wrong = [&bytes[..at], b"7", &bytes[at..]].concat();
        let recording = heard(&wrong, &[999]).1.unwrap();
        assert!(recording.file(0..usize::MAX) == bytes);
        bytes.truncate(bytes.len() - 1);
        assert_eq!(heard(&bytes, &[50]).1.unwrap().num_frames() + 1, walk.take.num_frames());
    }

    #[test]
    fn a_lost_row_is_the_last_one_again() {
        let mut recording = heard(format!("{HEAD}1 10 20\n2 11 21\n").as_bytes(), &[10]).1.unwrap();
        let mut none = BvhRecording::new(recording.head().clone());
        none.repeat_last();
        assert_eq!(none.num_frames(), 0);
        recording.repeat_last();
        assert!(
            recording
                .file(0..9)
                .ends_with(b"Time: 0.05\n1 10 20\n2 11 21\n2 11 21\n")
        );
    }

    #[test]
    fn what_is_no_stream_of_rows_is_refused_with_a_reason() {
        for (text, words) in [
            ("hello\nworld\n".to_owned(), "not a BVH file"),
            (HEAD.replace("0.05\n", "0.05 1 2 3\n"), "each row needs its own"),
            (HEAD.replace("0.05", "-0.05"), "frame time must be positive"),
            (HEAD.replace("OFFSET 0 6 0", "OFFSET 0 six 0"), "six"),
            (
                "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n".to_owned(),
                "channel",
            ),
            ("HIERARCHY\n".repeat(200_000), "no line \"Frame Time:\""),
            ("HIERARCHY ".repeat(200_000), "no line \"Frame Time:\""),
            (format!("{HEAD}{}", "1 ".repeat(700_000)), "line 15 is longer than"),
        ] {
            let (said, _) = heard(text.as_bytes(), &[8192]);
            assert!(said.iter().any(|said| said.contains(words)), "{words}: {said:?}");
        }
    }
}
