//! Other ways to get the numbers out of a BVH file, to compare the reader with.

/// Powers of ten that a number of the rows may be divided by.
const POWERS_OF_TEN: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
];

/// The rows of a file: what follows its frame time.
pub(crate) fn rows(bytes: &[u8]) -> &[u8] {
    let keyword = b"Frame Time:";
    let at = bytes.windows(keyword.len()).position(|window| window == keyword);
    let rest = &bytes[at.map_or(0, |at| at + keyword.len())..];
    let line = rest.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    &rest[line..]
}

/// Numbers alone, in one loop over the bytes: signs, digits and points, with white space between them, and nothing checked.
///
/// A file with anything else in it comes out wrong. This is what a reader that knew its file beforehand would do.
pub(crate) fn fused(rows: &[u8], values: &mut Vec<f64>) {
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
        // Nothing but white space ends a number here.
        at += 1;
    }
}

/// The same numbers by the crate fast-float2, token by token.
pub(crate) fn fast_float(rows: &[u8], values: &mut Vec<f64>) {
    let mut rest = rows.trim_ascii_start();
    while let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(rest) {
        values.push(value);
        rest = rest[length..].trim_ascii_start();
    }
}

/// The whole file by the crate bvh_anim, which keeps its values in single precision; the number of frames.
pub(crate) fn bvh_anim(bytes: &[u8]) -> Result<usize, String> {
    let file = bvh_anim::from_bytes(bytes).map_err(|error| error.to_string())?;
    Ok(file.frames().len())
}

/// A file of about `num_bytes` with the rows of another, over and over; its number of rows follows suit.
pub(crate) fn repeated(text: &str, num_bytes: usize) -> Result<String, String> {
    let (hierarchy, motion) = text.split_once("MOTION").ok_or("no motion")?;
    let mut lines = motion.lines().filter(|line| !line.trim().is_empty());
    let time = lines
        .find(|line| line.trim_start().starts_with("Frame Time"))
        .ok_or("no frame time")?;
    let rows: Vec<&str> = lines.collect();
    let cycle: usize = rows.iter().map(|row| row.len() + 1).sum();
    let cycles = (num_bytes / cycle.max(1)).max(1);
    let mut long = String::with_capacity(hierarchy.len() + 100 + cycles * cycle);
    long.push_str(hierarchy);
    long.push_str(&format!("MOTION\nFrames: {}\n{}\n", cycles * rows.len(), time.trim()));
    for _ in 0..cycles {
        for row in &rows {
            long.push_str(row);
            long.push('\n');
        }
    }
    Ok(long)
}
