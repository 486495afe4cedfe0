//! Parses counts, numbers and ranges from the command line.

use loopwright_job::Rows;
pub use loopwright_job::{parse_bounds, parse_range, recipe::parse_count};

/// Parses rows of a list: their numbers, separated by commas, or `all`.
pub fn parse_rows(text: &str) -> Result<Rows, String> {
    match text {
        "all" => Ok(Rows::All),
        _ => text
            .split(',')
            .map(parse_count)
            .collect::<Result<_, _>>()
            .map(Rows::Picked),
    }
}

/// Parses `LOW:HIGH`, or one number for both.
pub fn parse_cycles(text: &str) -> Result<[u32; 2], String> {
    let number = |part: &str| {
        part.trim()
            .parse::<u32>()
            .map_err(|_| format!("\"{part}\" is not a whole number"))
    };
    let (low, high) = text.split_once(':').unwrap_or((text, text));
    let cycles = [number(low)?, number(high)?];
    if (1..=cycles[1]).contains(&cycles[0]) {
        Ok(cycles)
    } else {
        Err("must be 1 or more, with the smaller number first, such as 1:3".to_owned())
    }
}

/// Parses `START:END`, in fractional frames.
pub fn parse_cut(text: &str) -> Result<(f64, f64), String> {
    let wrong = || "must be START:END, two frames counted from 0, such as 120:185".to_owned();
    let (start, end) = text.split_once(':').ok_or_else(wrong)?;
    let frame = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|frame: &f64| frame.is_finite() && *frame >= 0.0)
    };
    frame(start).zip(frame(end)).ok_or_else(wrong)
}

/// Parses `WxH`, or one number for both.
pub fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    let size = [width, height].map(|side| side.trim().parse().ok().filter(|side| (16..=4096).contains(side)));
    match size {
        [Some(width), Some(height)] => Ok([width, height]),
        _ => Err("must be WxH, two whole numbers of pixels from 16 to 4096, such as 640x480".to_owned()),
    }
}

/// Parses a number above zero for which the formulas stay finite.
pub fn parse_positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (1e-9..=1e9).contains(&number) => Ok(number),
        _ => Err("must be a number from 1e-9 to 1e9".to_owned()),
    }
}
