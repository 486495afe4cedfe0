//! Reads plain BVH files pose by pose, repeatedly if needed: for takes that are too long to be held in memory.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use glam::{DQuat, DVec3};
use loopwright_core::analysis::{TakeSample, probe_stride};

use super::read::{Frames, is_bvh};
use super::stream::{MAX_HEAD_BYTES, MAX_LINE_BYTES, StreamHead, ends_head};
use super::{channel::ChannelKind, lex::read_row, source::BvhSource};
use crate::space::{Space, guess};
use crate::{settings::ReadSettings, take_warning::warn_of_take, warning::FileWarning};

/// Bytes read at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// A plain BVH file: as many rows as it declares, each on a line of its own, and nothing to warn about before
/// or after them. Most files are.
///
/// Only some frames are held in memory. All poses equal those of [`crate::read_take`], to the last bit.
///
/// ```
/// use loopwright_core::{BodyOverrides, analysis::Surveyor};
/// use loopwright_formats::{Format, PlainBvh, ReadSettings, Source, write_take};
///
/// let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// let bytes = write_take(&walk, &Source::for_take(&walk, Format::Bvh))?.bytes;
/// let file = std::io::Cursor::new(bytes);
/// let mut bvh = PlainBvh::open(file, "walk", &ReadSettings::default(), &mut Vec::new()).ok_or("not plain")?;
/// let mut surveyor = Surveyor::new(bvh.sample(), &BodyOverrides::default())?;
/// bvh.for_each_pose(|translations, rotations| surveyor.push(translations, rotations).is_ok())?;
/// assert_eq!(surveyor.survey()?.body.feet.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PlainBvh<R> {
    stream: R,
    /// Byte offset of the rows.
    rows_at: u64,
    source: BvhSource,
    sample: TakeSample,
}

impl<R: Read + Seek> PlainBvh<R> {
    /// Reads a file once from its start; `name` becomes the take's name.
    ///
    /// Returns `None` for every file that [`crate::read_take`] refuses or warns about, except for warnings about space and frame
    /// rate, and for files that cannot be read; reading the whole file gives the reason.
    pub fn open(
        mut stream: R,
        name: &str,
        settings: &ReadSettings<'_>,
        warnings: &mut Vec<FileWarning>,
    ) -> Option<Self> {
        let num_bytes = stream.seek(SeekFrom::End(0)).ok()?;
        if num_bytes > settings.limits.max_input_bytes || settings.check_unit().is_err() {
            return None;
        }
        stream.rewind().ok()?;
        let mut lines = Lines::new(&mut stream);
        let head = read_head(&mut lines)?;
        let (rows_at, num_frames) = (head.text.len() as u64, usize::try_from(head.num_declared).ok()?);
        let (hierarchy, frame_time) = (head.hierarchy, head.frame_time);
        let (mut middle, mut some) = (Frames::new(&hierarchy), Frames::new(&hierarchy));
        let stride = probe_stride(num_frames);
        let mut row = Vec::with_capacity(hierarchy.num_channels());
        for frame in 0..num_frames {
            lines.next_row(hierarchy.num_channels(), &mut row)?;
            if frame == num_frames / 2 {
                middle.append(&hierarchy, &row);
            }
            if frame.is_multiple_of(stride) {
                some.append(&hierarchy, &row);
            }
        }
        lines.are_at_end()?;
        let frame_secs = frame_time.secs / settings.speed_up.unwrap_or(1.0);
        let space = {
            let probe = some
                .clone()
                .take("", &hierarchy, &Space::METRES_Y_UP, frame_secs)
                .ok()?;
            guess::settle_unturned(&probe, &settings.space, warnings)
        };
        for frames in [&mut middle, &mut some] {
            frames.settle(&space);
        }
        let sample = TakeSample {
            num_frames,
            middle: middle.take(name, &hierarchy, &space, frame_secs).ok()?,
            some: some.take(name, &hierarchy, &space, frame_secs).ok()?,
        };
        let num_before = warnings.len();
        warn_of_take(&sample.some, num_before, warnings);
        Some(Self {
            stream,
            rows_at,
            source: BvhSource {
                hierarchy,
                frame_time,
                space,
            },
            sample,
        })
    }

    /// Returns the number of frames, and some of them.
    pub fn sample(&self) -> &TakeSample {
        &self.sample
    }

    /// Returns how the file's space relates to ours, and whether that was stated or guessed.
    pub fn space(&self) -> &Space {
        &self.source.space
    }

    /// Hierarchy, channels, frame time and space.
    pub fn source(&self) -> &BvhSource {
        &self.source
    }

    /// Reads all poses, first to last, and hands each to `take`: local translations in metres and rotations of all joints. Stops
    /// early if `take` returns `false`.
    ///
    /// Errors: the file cannot be read, or has changed.
    pub fn for_each_pose(&mut self, mut take: impl FnMut(&[DVec3], &[DQuat]) -> bool) -> io::Result<()> {
        self.stream.seek(SeekFrom::Start(self.rows_at))?;
        let mut lines = Lines::new(&mut self.stream);
        let hierarchy = &self.source.hierarchy;
        let mut row = Vec::with_capacity(hierarchy.num_channels());
        let mut pose = Frames::new(hierarchy);
        for _ in 0..self.sample.num_frames {
            lines
                .next_row(hierarchy.num_channels(), &mut row)
                .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the file changed while it was read"))?;
            pose.clear();
            pose.append(hierarchy, &row);
            pose.settle(&self.source.space);
            if !take(&pose.translations, &pose.rotations) {
                break;
            }
        }
        Ok(())
    }
}

/// Reads the part of a plain file before its rows, up to the line of the frame time.
fn read_head(lines: &mut Lines<impl Read>) -> Option<StreamHead> {
    let mut text = Vec::new();
    loop {
        let line = lines.next()?;
        text.extend_from_slice(line);
        if line.is_empty() || text.len() > MAX_HEAD_BYTES {
            return None;
        }
        if ends_head(line) {
            break;
        }
    }
    if !is_bvh(&text) {
        return None;
    }
    // Rows of several bodies are not plain: there is a warning of them.
    let mut warnings = Vec::new();
    let head = StreamHead::read(text, &mut warnings).ok()?;
    let mut channels = head.hierarchy.joints().iter().flat_map(|joint| &joint.channels);
    let is_plain =
        warnings.is_empty() && head.num_declared > 0 && channels.all(|channel| channel.kind != ChannelKind::Scale);
    is_plain.then_some(head)
}

/// The lines of a stream, one at a time.
struct Lines<R> {
    stream: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    fn new(stream: R) -> Self {
        Self {
            stream: BufReader::with_capacity(BUFFER_BYTES, stream),
            line: Vec::new(),
        }
    }

    /// Returns the next line with its end; empty at the end of the stream. `None` if it is too long or cannot be read.
    fn next(&mut self) -> Option<&[u8]> {
        self.line.clear();
        let mut limited = (&mut self.stream).take(MAX_LINE_BYTES as u64);
        limited.read_until(b'\n', &mut self.line).ok()?;
        (self.line.len() < MAX_LINE_BYTES).then_some(&self.line)
    }

    /// Reads the next line that is not blank; `None` unless it holds exactly `width` numbers.
    fn next_row(&mut self, width: usize, row: &mut Vec<f64>) -> Option<()> {
        row.clear();
        loop {
            let line = self.next()?;
            if line.is_empty() {
                return None;
            }
            read_row(line, width, row).ok()?;
            if !row.is_empty() {
                return Some(());
            }
        }
    }

    /// Checks that only white space is left; `None` otherwise.
    fn are_at_end(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                [] => return Some(()),
                line if line.trim_ascii().is_empty() => {}
                _ => return None,
            }
        }
    }
}
