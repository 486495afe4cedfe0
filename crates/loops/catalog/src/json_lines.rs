//! Catalogs as JSON Lines.

use std::io::Write;

use loopwright_formats::loop_file;
use serde_json::Value;

use crate::{CatalogError, LoopRow, room::Room};

pub(crate) fn write<'a>(rows: impl IntoIterator<Item = &'a LoopRow>, mut to: impl Write) -> Result<(), CatalogError> {
    for row in rows {
        // Numbers that are not finite become null.
        serde_json::to_writer(&mut to, row).map_err(std::io::Error::from)?;
        to.write_all(b"\n")?;
    }
    Ok(to.flush()?)
}

pub(crate) fn read(bytes: &[u8], room: &mut Room) -> Result<Vec<LoopRow>, CatalogError> {
    let mut rows = Vec::new();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = |reason: String| CatalogError::Line {
            line: index + 1,
            reason,
        };
        room.take_row(line.len())?;
        let value: Value = loop_file::from_text(line).map_err(|error| at(error.to_string()))?;
        if value.get("path").is_none() {
            return Err(CatalogError::NoCatalog);
        }
        rows.push(serde_json::from_value(value).map_err(|error| at(error.to_string()))?);
    }
    Ok(rows)
}
