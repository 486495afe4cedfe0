//! Catalogs: what is read is written and read again. Those of a Parquet file begin like one; CSV has a heading, JSON a brace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_catalog::{CatalogFormat, read, write};

fuzz_target!(|bytes: &[u8]| {
    let format = match bytes.first() {
        Some(b'P') => CatalogFormat::Parquet,
        Some(b'{') => CatalogFormat::JsonLines,
        _ => CatalogFormat::Csv,
    };
    let Ok(rows) = read(format, bytes.to_vec()) else { return };
    let mut written = Vec::new();
    write(format, &rows, &mut written).expect("what is read is written");
    let again = read(format, written).expect("what is written is read");
    assert_eq!(again.len(), rows.len());
});
