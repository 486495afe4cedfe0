//! `loopwright catalog`: lists the loops of catalogs that pass filters.

use std::path::Path;

use loopwright_catalog::{CatalogError, CatalogFormat, LoopRow};
use loopwright_core::{math::ordered, names};
use loopwright_job::TURNING_DPS;

use crate::{
    args::{CatalogArgs, SortBy},
    exit::{Ending, Failure, Result},
    failures, files, memory,
    output::{self, Outputs},
    report::table::{in_columns, optional, or_dash},
};

/// Memory for a row while it is printed as JSON, bytes.
const ROW_JSON_BYTES: u64 = 12 << 10;

pub fn run(args: &CatalogArgs) -> Result<Ending> {
    let mut outputs = Outputs::new(args.force);
    outputs.protect_as("catalog", &args.catalogs);
    let target = match &args.output {
        Some(path) => {
            outputs.check(path)?;
            Some((path, format_of(path)?))
        }
        None => None,
    };
    let mut rows = Vec::new();
    for path in &args.catalogs {
        rows.extend(read(path)?);
    }
    let rows_read = rows.len();
    let skeleton = args
        .skeleton_of
        .as_deref()
        .map(|file| skeleton_of(&rows, file))
        .transpose()?;
    rows.retain(|row| fits(row, args, skeleton.as_deref()));
    sort(&mut rows, args.sort);
    rows.truncate(args.top.unwrap_or(usize::MAX));
    if args.json {
        let limits = memory::limits().for_file(args.catalogs.iter().map(|path| files::size(path)).sum());
        limits
            .check_room(ROW_JSON_BYTES * rows.len() as u64)
            .map_err(|error| failures::memory("to print the rows as JSON", error))?;
    }
    let mut written = Vec::new();
    if let Some((path, format)) = target {
        outputs.add(path, &bytes(format, &rows, path)?)?;
        written = outputs.commit()?;
    }
    let answer = CatalogAnswer { rows_read, rows: &rows };
    output::answer("catalog", &answer, None, &written, args.json, |answer| {
        human(answer, &written)
    })?;
    Ok(Ending::of_answer(!rows.is_empty()))
}

/// Returns the format of a catalog by its extension. Errors: it is not one of the known ones.
pub fn format_of(path: &Path) -> Result<CatalogFormat> {
    let format = path
        .extension()
        .and_then(|extension| extension.to_str())
        .and_then(CatalogFormat::from_extension)
        .ok_or_else(|| {
            failure!(
                "\"{}\" is not named like a catalog: those are Parquet, CSV or JSON Lines",
                path.display()
            )
            .try_this("a name that ends in .parquet, .csv or .jsonl")
        })?;
    if format.is_there() {
        Ok(format)
    } else {
        Err(failure!("\"{}\" is Parquet, which this build has not", path.display())
            .because("it takes long to build, so it is a feature; released programs have it")
            .try_this("a name that ends in .csv or .jsonl, or a build with --features parquet"))
    }
}

pub fn bytes(format: CatalogFormat, rows: &[LoopRow], path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loopwright_catalog::write(format, rows, &mut bytes).map_err(|error| Failure::cannot("write", path, error))?;
    Ok(bytes)
}

/// Reads the rows of a catalog. Errors: the file is missing, or no catalog.
pub fn read(path: &Path) -> Result<Vec<LoopRow>> {
    files::check_is_there(path)?;
    loopwright_catalog::read_within(format_of(path)?, files::read_bytes(path)?, &memory::limits()).map_err(|error| {
        let hint = match error {
            CatalogError::TooLarge { limit } => memory::hint(limit),
            _ => "a catalog that `loopwright make TAKES -o FOLDER/ --catalog FILE` wrote".to_owned(),
        };
        Failure::cannot("read", path, error).try_this(hint)
    })
}

fn skeleton_of(rows: &[LoopRow], file: &str) -> Result<String> {
    let row = rows.iter().find(|row| row.output == file || row.path == file);
    row.map(|row| row.skeleton_sha256.clone()).ok_or_else(|| {
        failure!("no row of the catalogs has the take or the output \"{file}\"")
            .try_this("a path as the catalog has it; `loopwright catalog FILE` lists them")
    })
}

fn fits(row: &LoopRow, args: &CatalogArgs, skeleton: Option<&str>) -> bool {
    let within = |bounds: Option<[f64; 2]>, value: f64| bounds.is_none_or(|[low, high]| (low..=high).contains(&value));
    let is_among =
        |words: &[String], word: &str| words.is_empty() || words.iter().any(|one| one.eq_ignore_ascii_case(word));
    // An unknown value is below no limit.
    let below =
        |limit: Option<f64>, value: Option<f64>| limit.is_none_or(|limit| value.is_some_and(|value| value < limit));
    (args.kind.is_empty()
        || args
            .kind
            .iter()
            .any(|kind| row.kind.eq_ignore_ascii_case(kind.as_str())))
        && is_among(&args.grade, row.grade.as_deref().unwrap_or_default())
        && within(args.speed, row.speed_mps)
        && within(args.turn_rate, row.turn_rate_dps)
        && within(args.climb, row.climb_mps)
        && (!args.straight || row.turn_rate_dps.abs() < TURNING_DPS)
        && within(args.seconds, row.period_secs)
        && args
            .path
            .as_deref()
            .is_none_or(|pattern| names::matches(pattern, &row.path))
        && args.licence.as_deref().is_none_or(|text| {
            let licence = row.licence.as_deref().unwrap_or_default();
            licence.to_lowercase().contains(&text.to_lowercase())
        })
        && skeleton.is_none_or(|skeleton| row.skeleton_sha256 == skeleton)
        && below(args.max_foot_slide, row.foot_slide_cmps)
        && below(args.max_displacement, row.displacement_mm)
}

/// Sorts rows; rows with equal values keep the order of the catalogs.
fn sort(rows: &mut [LoopRow], by: SortBy) {
    let key = |row: &LoopRow| match by {
        SortBy::Catalog => 0.0,
        SortBy::Speed => row.speed_mps,
        SortBy::TurnRate => row.turn_rate_dps,
        SortBy::Slide => row.foot_slide_cmps.unwrap_or(f64::INFINITY),
        SortBy::Seconds => row.period_secs,
    };
    rows.sort_by_key(|row| ordered(key(row)));
}

fn human(answer: &CatalogAnswer, outputs: &[String]) -> String {
    let CatalogAnswer { rows_read, rows } = answer;
    let mut text = String::new();
    if !rows.is_empty() {
        let cells = rows.iter().map(|row| {
            [
                row.output.clone(),
                row.kind.clone(),
                format!("{:.2}", row.speed_mps),
                format!("{:+.1}", row.turn_rate_dps),
                format!("{:.3}", row.period_secs),
                optional(row.foot_slide_cmps, 1),
                optional(row.displacement_mm, 1),
                or_dash(row.grade.as_ref()),
            ]
        });
        text += &in_columns(
            "<loop | <kind | m/s | deg/s | seconds | slide cm/s | moved mm | <grade",
            cells,
        );
    }
    text += &format!("{} of {rows_read} loops\n", rows.len());
    for output in outputs {
        text += &format!("{output}\n");
    }
    text
}

/// The answer of catalog.
#[in_schema]
pub struct CatalogAnswer<'a> {
    /// Rows of all catalogs that were read.
    rows_read: usize,
    /// Rows that fit the filters, in the order asked for.
    #[schemars(with = "Vec<crate::schema_words::CatalogRow>")]
    rows: &'a [LoopRow],
}
