//! Speed of reading and writing BVH, compared with other readers of the same numbers.

use loopwright_formats::{Format, ReadSettings, Source, bvh, read_take, write_take};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    clock::{machine, time_both},
    page::Sections,
    table::Table,
    takes::Captured,
};

/// Size of the file in bytes.
const NUM_BYTES: usize = 100_000_000;

/// Powers of ten that divide the numbers of the rows.
const POWERS_OF_TEN: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
];

pub(crate) fn measure(_: &Captured) -> Result<Sections, String> {
    let mut sections = Sections::default();
    sections.add("machine", machine());
    sections.add("readers", table()?);
    Ok(sections)
}

/// Our reader and others, on one file.
fn table() -> Result<Table, String> {
    let walk = synthesize(&WalkSettings::default()).map_err(|error| error.to_string())?;
    let written = write_take(&walk.take, &Source::for_take(&walk.take, Format::Bvh));
    let bytes = repeated(&written.map_err(|error| error.to_string())?.bytes, NUM_BYTES)?;
    let rows = rows(&bytes)?;
    let settings = ReadSettings::default();
    let read = || read_take(&bytes, "walk", &settings, &mut Vec::new());
    let loaded = read().map_err(|error| error.to_string())?;
    let file = bvh::parse(&bytes, &mut Vec::new()).map_err(|error| error.to_string())?;
    let num_values = file.values().len();
    if plain_loop(rows, num_values) != file.values() || fast_float(rows, num_values) != file.values() {
        return Err("other readers of BVH find other numbers".to_owned());
    }
    drop(file);
    let mut table = Table::new("ours | MB/s | other | MB/s | speed of ours over the other's");
    let mut row = |ours: &str, other: &str, (own_secs, other_secs, ratio): (f64, f64, f64)| {
        let speed = |secs: f64| 1e-6 * bytes.len() as f64 / secs;
        table.row(format_args!(
            "{ours} | {:.0} | {other} | {:.0} | {:.2}",
            speed(own_secs),
            speed(other_secs),
            1.0 / ratio
        ));
    };
    let parse = || bvh::parse(&bytes, &mut Vec::new());
    let by_bvh_anim = || bvh_anim::from_bytes(&bytes[..]).map(|file| file.frames().len());
    by_bvh_anim().map_err(|error| error.to_string())?;
    row(
        "raw values",
        "plain loop",
        time_both(parse, || plain_loop(rows, num_values)),
    );
    row(
        "raw values",
        "fast-float2",
        time_both(parse, || fast_float(rows, num_values)),
    );
    row("raw values", "bvh_anim", time_both(parse, by_bvh_anim));
    row("take", "bvh_anim", time_both(read, by_bvh_anim));
    let write = || write_take(&loaded.take, &loaded.source);
    row(
        "writing",
        "plain loop",
        time_both(write, || plain_loop(rows, num_values)),
    );
    Ok(table)
}

/// A file of about `num_bytes` that repeats the rows of another.
fn repeated(bytes: &[u8], num_bytes: usize) -> Result<Vec<u8>, String> {
    let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let (hierarchy, motion) = text.split_once("MOTION\n").ok_or("no motion")?;
    let mut lines = motion.splitn(3, '\n');
    let [_, time, rows] = [(); 3].map(|()| lines.next().unwrap_or_default());
    let copies = num_bytes / rows.len().max(1);
    let num_rows = copies * rows.lines().count();
    let head = format!("{hierarchy}MOTION\nFrames: {num_rows}\n{time}\n");
    Ok((head + &rows.repeat(copies)).into_bytes())
}

/// The rows of a file: the lines after its frame time.
fn rows(bytes: &[u8]) -> Result<&[u8], String> {
    let keyword = b"Frame Time:";
    let start = bytes.windows(keyword.len()).position(|window| window == keyword);
    let rest = &bytes[start.ok_or("no frame time")?..];
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or("no rows")?;
    Ok(&rest[end + 1..])
}

/// Numbers alone, in one loop over the bytes: signs, digits and points between white space, without checks.
///
/// This is the speed of a reader that knows its file in advance; it misreads any other file.
fn plain_loop(rows: &[u8], num_values: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(num_values);
    let mut at = 0;
    let byte = |at: usize| rows.get(at).copied().unwrap_or(b' ');
    while at < rows.len() {
        if byte(at) <= b' ' {
            at += 1;
            continue;
        }
        let is_negative = byte(at) == b'-';
        at += usize::from(is_negative);
        let mut whole = 0_u64;
        let mut digits = |at: &mut usize| {
            loop {
                let digit = byte(*at).wrapping_sub(b'0');
                if digit > 9 {
                    break;
                }
                whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit));
                *at += 1;
            }
        };
        digits(&mut at);
        let mut num_decimals = 0;
        if byte(at) == b'.' {
            at += 1;
            let first = at;
            digits(&mut at);
            num_decimals = at - first;
        }
        let size = whole as f64 / POWERS_OF_TEN[num_decimals.min(19)];
        values.push(if is_negative { -size } else { size });
        // Only white space ends a number here.
        at += 1;
    }
    values
}

/// The same numbers, parsed one by one with the crate fast-float2.
fn fast_float(rows: &[u8], num_values: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(num_values);
    let mut rest = rows.trim_ascii_start();
    while let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(rest) {
        values.push(value);
        rest = rest[length..].trim_ascii_start();
    }
    values
}
