//! Rows come back from every format as they were; damaged files are refused.

use loopwright_catalog::{COLUMNS, CatalogError, CatalogFormat, CellKind, LoopRow, read, write};

fn rows(count: usize) -> Vec<LoopRow> {
    let row = |index: usize| LoopRow {
        path: format!("takes/\"walk\", {index}\n{}.bvh", "ö".repeat(index % 7)),
        take_sha256: format!("{index:064x}"),
        animation: index.is_multiple_of(3).then(|| format!("Walk {index}")),
        frames: 300 + index as u64,
        fps: 29.97,
        kind: "walk".to_owned(),
        period_secs: 1.0 / 3.0,
        speed_mps: 0.1 * index as f64,
        turn_rate_dps: -1e-17,
        radius_m: index.is_multiple_of(2).then_some(1e300),
        mirrored: index.is_multiple_of(5),
        foot_slide_cmps: Some(f64::from(index as u32) * 0.01),
        grade: Some("good".to_owned()),
        ..LoopRow::default()
    };
    (0..count).map(row).collect()
}

fn bytes(format: CatalogFormat, rows: &[LoopRow]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(format, rows, &mut bytes).unwrap();
    bytes
}

#[test]
fn rows_come_back_from_every_format() {
    for format in CatalogFormat::ALL.into_iter().filter(|format| format.is_there()) {
        for count in [0, 1, 500] {
            let rows = rows(count);
            let written = bytes(format, &rows);
            assert_eq!(written, bytes(format, &rows), "the same rows give the same bytes");
            if count == 0 && format == CatalogFormat::JsonLines {
                assert!(written.is_empty());
            }
            // Texts come back on one line.
            let wanted: Vec<LoopRow> = rows
                .into_iter()
                .map(|row| LoopRow {
                    path: row.path.replace('\n', "\u{FFFD}"),
                    ..row
                })
                .collect();
            assert_eq!(read(format, written).unwrap(), wanted, "{format:?}");
        }
    }
}

#[test]
fn numbers_that_are_not_finite_become_null() {
    let row = LoopRow {
        path: "walk.bvh".to_owned(),
        cost_ratio: Some(f64::NAN),
        radius_m: Some(f64::INFINITY),
        ..LoopRow::default()
    };
    for format in CatalogFormat::ALL.into_iter().filter(|format| format.is_there()) {
        let back = read(format, bytes(format, std::slice::from_ref(&row))).unwrap();
        assert_eq!((back[0].cost_ratio, back[0].radius_m), (None, None), "{format:?}");
    }
}

#[test]
fn catalogs_of_other_versions_are_read_as_far_as_they_are_known() {
    let [csv, json] = [
        "speed_mps,new column,path\n1.5,x,walk.bvh\n",
        "{\"path\": \"walk.bvh\", \"speed_mps\": 1.5, \"new column\": \"x\"}\n\n",
    ];
    for (format, text) in [(CatalogFormat::Csv, csv), (CatalogFormat::JsonLines, json)] {
        let wanted = LoopRow {
            path: "walk.bvh".to_owned(),
            speed_mps: 1.5,
            ..LoopRow::default()
        };
        assert_eq!(read(format, text.as_bytes().to_vec()).unwrap(), [wanted]);
    }
}

#[test]
fn what_is_no_catalog_is_refused() {
    let fault = |format, text: &str| read(format, text.as_bytes().to_vec()).unwrap_err();
    let csv = CatalogFormat::Csv;
    assert!(matches!(fault(csv, "a,b\n1,2\n"), CatalogError::NoCatalog));
    assert!(matches!(fault(csv, ""), CatalogError::NoCatalog));
    assert!(matches!(
        fault(csv, "path,fps\nx\n"),
        CatalogError::Line { line: 2, .. }
    ));
    assert!(matches!(fault(csv, "path\n\"x\n"), CatalogError::Line { line: 2, .. }));
    assert!(matches!(
        fault(csv, "path,fps\nx,fast\n"),
        CatalogError::Value {
            row: 1,
            column: "fps",
            ..
        }
    ));
    let json = CatalogFormat::JsonLines;
    assert!(matches!(fault(json, "{\"walk\": 1}\n"), CatalogError::NoCatalog));
    assert!(matches!(fault(json, "\n{]\n"), CatalogError::Line { line: 2, .. }));
    let parquet = fault(CatalogFormat::Parquet, "PAR1");
    if CatalogFormat::Parquet.is_there() {
        assert!(matches!(parquet, CatalogError::Parquet { .. }));
    } else {
        assert!(matches!(parquet, CatalogError::NoParquet));
    }
}

/// The names of columns end in their units, and each says what it means.
#[test]
fn every_column_is_described() {
    for column in COLUMNS {
        assert!(
            column.about.ends_with('.') && column.about.len() > 10,
            "{}",
            column.name
        );
        if column.kind == CellKind::Whole {
            assert!(!column.may_be_null, "{}", column.name);
        }
    }
    assert!(COLUMNS.len() > 60);
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use super::*;

    /// A flipped bit may give other rows or an error, and never ends the program.
    #[test]
    fn damaged_parquet_files_end_no_program() {
        // Panics inside its reader are caught; their messages would only confuse.
        std::panic::set_hook(Box::new(|_| {}));
        let whole = bytes(CatalogFormat::Parquet, &rows(40));
        let mut refused = 0;
        for index in (0..whole.len()).step_by(37) {
            let mut damaged = whole.clone();
            damaged[index] ^= 1 << (index % 8);
            refused += usize::from(read(CatalogFormat::Parquet, damaged).is_err());
        }
        for length in (0..whole.len()).step_by(997) {
            assert!(read(CatalogFormat::Parquet, whole[..length].to_vec()).is_err());
        }
        assert!(refused > 20, "{refused}");
    }

    /// More than one row group, each of at most 32 MB.
    #[test]
    fn row_groups_are_bounded() {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let long = "x".repeat(100_000);
        let rows: Vec<LoopRow> = (0..700)
            .map(|index| LoopRow {
                contacts: format!("{long}{index}"),
                ..LoopRow::default()
            })
            .collect();
        let written = bytes(CatalogFormat::Parquet, &rows);
        let file = SerializedFileReader::new(bytes::Bytes::from(written)).unwrap();
        let groups = file.metadata().row_groups();
        assert!(groups.len() > 2, "{}", groups.len());
        for group in groups {
            assert!(group.total_byte_size() <= 33 << 20, "{}", group.total_byte_size());
            assert!(group.column(0).column_index_range().is_some(), "there is a page index");
            assert!(format!("{:?}", group.column(0).compression()).starts_with("ZSTD"));
        }
    }
}
