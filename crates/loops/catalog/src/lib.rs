//! Catalogs of loops: one row per loop, as Parquet, CSV or JSON Lines.
//!
//! A catalog answers questions about many loops without opening their files: which straight walks near 1.4 m/s have feet that hold?
//! Data tools read it as it is (DuckDB, Polars, pandas, Spark), and this crate reads it back. Parquet needs the feature `parquet`, which
//! released programs have.
//!
//! ```
//! use loopwright_catalog::{CatalogFormat, LoopRow, read, write};
//!
//! let walk = LoopRow { path: "walk.bvh".into(), kind: "walk".into(), speed_mps: 1.4, ..LoopRow::default() };
//! let mut bytes = Vec::new();
//! write(CatalogFormat::Csv, [&walk], &mut bytes)?;
//! assert_eq!(read(CatalogFormat::Csv, bytes)?, [walk]);
//! # Ok::<(), loopwright_catalog::CatalogError>(())
//! ```
//!
//! Every format has the same columns ([`COLUMNS`]) under the same names. Readers accept catalogs of other versions: an unknown column
//! is skipped, and a missing one has the default of its type.
//!
//! Nothing here opens files; the caller passes values, and the output to write to.

mod cell;

mod columns;

mod origin;

mod csv;

mod json_lines;

mod room;

#[cfg(feature = "parquet")]
mod parquet_pages;

#[cfg(feature = "parquet")]
mod parquet_file;

use std::io::{self, Write};

pub use cell::CellKind;
pub use columns::{COLUMNS, Column, LoopRow};
use loopwright_formats::{ByteCount, SizeLimits};
pub use origin::skeleton_sha256;
use room::Room;

/// A file format of catalogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogFormat {
    /// Apache Parquet: compressed with zstd, in row groups of at most 32 MB, with a page index.
    Parquet,
    /// Comma-separated values in UTF-8 with a line of headings, quoted as in RFC 4180. An empty field is a null.
    Csv,
    /// A JSON object on each line.
    JsonLines,
}

impl CatalogFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Csv, Self::JsonLines];

    /// Whether this build reads and writes it: Parquet needs the feature of that name.
    pub fn is_there(self) -> bool {
        self != Self::Parquet || cfg!(feature = "parquet")
    }

    /// Returns the extension of its files, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }

    /// Creates the format of files with an extension, in any case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

/// Why a catalog cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum CatalogError {
    #[error("line {line}: {reason}")]
    Line {
        /// Line, from 1.
        line: usize,
        reason: String,
    },
    #[error("row {row}, column {column}: the value is not {expected}")]
    Value {
        /// Row, from 1.
        row: usize,
        column: &'static str,
        expected: &'static str,
    },
    /// None of its columns is known.
    #[error("it has no column \"path\", so it is no catalog of loops")]
    NoCatalog,
    #[error("the Parquet file cannot be read: {reason}")]
    Parquet { reason: String },
    #[error("this build neither reads nor writes Parquet")]
    NoParquet,
    #[error("its rows take more than {} of memory", ByteCount(*.limit))]
    TooLarge { limit: u64 },
    /// Writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Writes rows in a format, in the order given. The same rows give the same bytes.
///
/// Errors: writing fails, or [`CatalogError::NoParquet`].
pub fn write<'a>(
    format: CatalogFormat,
    rows: impl IntoIterator<Item = &'a LoopRow>,
    to: impl Write + Send,
) -> Result<(), CatalogError> {
    match format {
        #[cfg(feature = "parquet")]
        CatalogFormat::Parquet => parquet_file::write(rows, to),
        #[cfg(not(feature = "parquet"))]
        CatalogFormat::Parquet => Err(CatalogError::NoParquet),
        CatalogFormat::Csv => csv::write(rows, to),
        CatalogFormat::JsonLines => json_lines::write(rows, to),
    }
}

/// Whether this thread reads a file whose faults become an error, so that a panic hook need not print them.
pub fn is_guarded() -> bool {
    #[cfg(feature = "parquet")]
    return parquet_file::IS_GUARDED.get();
    #[cfg(not(feature = "parquet"))]
    false
}

/// Reads all rows of a catalog within the default limits for a file of that size.
///
/// Errors: [`CatalogError`], where the bytes are not one of this format.
pub fn read(format: CatalogFormat, bytes: Vec<u8>) -> Result<Vec<LoopRow>, CatalogError> {
    read_within(format, bytes, &SizeLimits::default())
}

/// Reads a catalog within other limits. Errors: [`CatalogError`].
pub fn read_within(format: CatalogFormat, bytes: Vec<u8>, limits: &SizeLimits) -> Result<Vec<LoopRow>, CatalogError> {
    let mut room = Room::new(limits.for_file(bytes.len() as u64).max_memory_bytes);
    Ok(match format {
        #[cfg(feature = "parquet")]
        CatalogFormat::Parquet => parquet_file::read(bytes, &mut room)?,
        #[cfg(not(feature = "parquet"))]
        CatalogFormat::Parquet => return Err(CatalogError::NoParquet),
        CatalogFormat::Csv => csv::read(&bytes, &mut room)?,
        CatalogFormat::JsonLines => json_lines::read(&bytes, &mut room)?,
    })
}
