//! Catalogs as Parquet files.

use std::{
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use bytes::Bytes;
use parquet::{
    basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        properties::{EnabledStatistics, WriterProperties},
        reader::{FileReader, SerializedFileReader},
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    record::Field,
    schema::types::Type,
};

use crate::{
    COLUMNS, CatalogError, Column, LoopRow,
    cell::{Cell, CellKind},
    parquet_pages,
    room::Room,
};

/// Most bytes of a row group before it is compressed: readers hold one group in memory, and share groups among threads.
const MAX_GROUP_BYTES: usize = 32 << 20;

fn failed(error: ParquetError) -> CatalogError {
    CatalogError::Parquet {
        reason: error.to_string(),
    }
}

pub(crate) fn write<'a>(
    rows: impl IntoIterator<Item = &'a LoopRow>,
    to: impl Write + Send,
) -> Result<(), CatalogError> {
    let schema = schema().map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Its column and offset index let readers skip pages.
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_created_by(format!("loopwright {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
    let mut group = Vec::new();
    let mut bytes = 0;
    for row in rows {
        let cells = row.cells();
        let size: usize = cells.iter().map(size).sum();
        if bytes + size > MAX_GROUP_BYTES && !group.is_empty() {
            write_group(&mut file, &group).map_err(failed)?;
            group.clear();
            bytes = 0;
        }
        bytes += size;
        group.push(cells);
    }
    write_group(&mut file, &group).map_err(failed)?;
    file.close().map_err(failed)?;
    Ok(())
}

/// Returns the bytes of a value in a page.
fn size(cell: &Cell) -> usize {
    match cell {
        Cell::Text(text) => 4 + text.len(),
        _ => 8,
    }
}

fn schema() -> Result<Type, ParquetError> {
    let fields = COLUMNS.iter().map(|column| {
        let physical = match column.kind {
            CellKind::Text => PhysicalType::BYTE_ARRAY,
            CellKind::Real => PhysicalType::DOUBLE,
            CellKind::Whole => PhysicalType::INT64,
            CellKind::Truth => PhysicalType::BOOLEAN,
        };
        let repetition = if column.may_be_null {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type((column.kind == CellKind::Text).then_some(LogicalType::String))
            .build()
            .map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    Type::group_type_builder("loop").with_fields(fields).build()
}

fn write_group<W: Write + Send>(file: &mut SerializedFileWriter<W>, rows: &[Vec<Cell>]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for (index, column) in COLUMNS.iter().enumerate() {
        let Some(mut writer) = group.next_column()? else { break };
        let cells = rows.iter().map(|row| &row[index]);
        match column.kind {
            CellKind::Text => write_column::<ByteArrayType>(&mut writer, column, cells, |cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text.as_str())),
                _ => None,
            }),
            CellKind::Real => write_column::<DoubleType>(&mut writer, column, cells, |cell| match cell {
                Cell::Real(number) => Some(*number),
                _ => None,
            }),
            CellKind::Whole => write_column::<Int64Type>(&mut writer, column, cells, |cell| match cell {
                Cell::Whole(number) => Some(*number),
                _ => None,
            }),
            CellKind::Truth => write_column::<BoolType>(&mut writer, column, cells, |cell| match cell {
                Cell::Truth(truth) => Some(*truth),
                _ => None,
            }),
        }?;
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

fn write_column<'a, T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    cells: impl Iterator<Item = &'a Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let found: Vec<Option<T::T>> = cells.map(value).collect();
    let is_there: Vec<i16> = found.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = found.into_iter().flatten().collect();
    writer
        .typed::<T>()
        .write_batch(&values, column.may_be_null.then_some(&is_there[..]), None)?;
    Ok(())
}

thread_local! {
    pub(crate) static IS_GUARDED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

pub(crate) fn read(bytes: Vec<u8>, room: &mut Room) -> Result<Vec<LoopRow>, CatalogError> {
    // The reader of Parquet files checks most of what it reads, but not everything: a damaged file must not end the program.
    IS_GUARDED.set(true);
    let read = catch_unwind(AssertUnwindSafe(|| read_rows(bytes, room)));
    IS_GUARDED.set(false);
    read.unwrap_or_else(|_| {
        Err(CatalogError::Parquet {
            reason: "it is damaged".to_owned(),
        })
    })
}

fn read_rows(bytes: Vec<u8>, room: &mut Room) -> Result<Vec<LoopRow>, CatalogError> {
    parquet_pages::check_footer(&bytes)?;
    let bytes = Bytes::from(bytes);
    let file = SerializedFileReader::new(bytes.clone()).map_err(failed)?;
    let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
    if !columns.iter().any(|column| column.name() == "path") {
        return Err(CatalogError::NoCatalog);
    }
    parquet_pages::check(&bytes, file.metadata(), room)?;
    let mut rows = Vec::new();
    for row in file.get_row_iter(None).map_err(failed)? {
        let row = row.map_err(failed)?;
        let texts = row.get_column_iter().map(|(_, field)| match field {
            Field::Str(text) => text.len(),
            _ => 0,
        });
        // A run of equal values takes a few bytes of a file, however long it is.
        room.take_row(texts.sum())?;
        rows.push(LoopRow::from_cells(rows.len() + 1, |name, _| {
            let mut fields = row.get_column_iter();
            fields.find(|(field, _)| *field == name).map(|(_, field)| cell(field))
        })?);
    }
    Ok(rows)
}

/// Returns a value of a file, which another program may have written.
fn cell(field: &Field) -> Cell {
    match field {
        Field::Str(text) => Cell::Text(text.clone()),
        Field::Double(number) => Cell::Real(*number),
        Field::Float(number) => Cell::Real(f64::from(*number)),
        Field::Long(number) => Cell::Whole(*number),
        Field::Int(number) => Cell::Whole(i64::from(*number)),
        Field::Bool(truth) => Cell::Truth(*truth),
        Field::Null => Cell::Null,
        // A type that no column has: the column refuses it.
        other => Cell::Text(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beyond_the_limit_are_refused() {
        let row = LoopRow {
            path: "walk.bvh".to_owned(),
            ..LoopRow::default()
        };
        let mut bytes = Vec::new();
        // A row repeated many times takes hardly any space in the file.
        write(core::iter::repeat_n(&row, 10_000), &mut bytes).unwrap();
        let limit = 100 * size_of::<LoopRow>();
        assert!(bytes.len() < limit);
        let error = read(bytes.clone(), &mut Room::new(limit as u64)).unwrap_err();
        assert!(matches!(error, CatalogError::TooLarge { .. }), "{error}");
        assert_eq!(read(bytes, &mut Room::new(256 << 20)).unwrap().len(), 10_000);
    }
}
