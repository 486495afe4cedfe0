//! The head of the MOTION section: frame count and frame time.

use core::ops::Range;

use crate::{
    bvh::{
        FrameTime,
        error::{BvhError, Found},
        lex::{Lexer, found, is},
        warning::BvhWarning,
    },
    excerpt::excerpt,
    warning::FileWarning,
};

/// Shortest and longest frame time in seconds; a take accepts the same.
const FRAME_TIME_RANGE: core::ops::RangeInclusive<f64> = 1e-6..=1e4;

/// From this value on a frame time is probably a rate, in seconds.
const LONG_FRAME_TIME: f64 = 1.0;

/// Returns the number of frames that the file declares, and its place.
pub(super) fn read_frame_count(lexer: &mut Lexer) -> Result<(u64, Range<usize>), BvhError> {
    let mut token = lexer.label();
    let has_label = is(token, "Frames");
    if has_label {
        lexer.skip_colon();
        token = lexer.label();
    }
    if !has_label || is(token, "Time") {
        return Err(lexer.expected(token, "\"Frames:\" after MOTION"));
    }
    let count = frame_count(token).map_err(|fault| BvhError::MotionHead {
        at: lexer.position_before(token),
        found: found(token),
        fault,
    })?;
    let end = lexer.offset();
    Ok((count, end - token.len()..end))
}

fn frame_count(token: &[u8]) -> Result<u64, &'static str> {
    const OUT_OF_RANGE: &str = "frame count is out of range";
    let text = core::str::from_utf8(token).unwrap_or_default();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map_err(|_| OUT_OF_RANGE);
    }
    match text.parse::<f64>() {
        Ok(count) if count < 0.0 => Err("frame count must not be negative"),
        // Doubles above this cannot represent all whole numbers.
        Ok(count) if count.fract() == 0.0 && count > 9e15 => Err(OUT_OF_RANGE),
        Ok(count) if count.fract() == 0.0 => Ok(count as u64),
        _ => Err("frame count must be a whole number"),
    }
}

/// Returns the time of one frame; positive.
pub(super) fn read_frame_time(lexer: &mut Lexer, warnings: &mut Vec<FileWarning>) -> Result<FrameTime, BvhError> {
    let word = lexer.label();
    let at = lexer.position_before(word);
    let combined = is(word, "FrameTime");
    if is(word, "Frames") {
        warnings.push(
            BvhWarning::UnusualKeyword {
                at,
                expected: "Frame Time:",
                found: Found::Text(format!("{} Time:", excerpt(word))),
            }
            .into(),
        );
    } else if !combined && !is(word, "Frame") {
        return Err(lexer.expected(word, "\"Frame Time:\" and the seconds of one frame"));
    }
    if !combined {
        let word = lexer.label();
        if !is(word, "Time") {
            return Err(lexer.expected(word, "\"Time:\" after Frame"));
        }
    }
    lexer.skip_colon();
    let token = lexer.token();
    let at = lexer.position_before(token);
    let fail = |fault| BvhError::MotionHead {
        at,
        found: found(token),
        fault,
    };
    let text = core::str::from_utf8(token).unwrap_or_default();
    let secs = text.parse::<f64>().ok().filter(|secs| secs.is_finite());
    let secs = secs.ok_or_else(|| fail("frame time must be a positive number of seconds"))?;
    if secs <= 0.0 {
        return Err(fail("frame time must be positive"));
    }
    // Nobody writes whole seconds with a leading zero: the exporter dropped the decimal point.
    let digits = text
        .strip_prefix('0')
        .filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let with_point = digits.and_then(|digits| format!("0.{digits}").parse().ok());
    let secs = with_point.unwrap_or(secs);
    if !FRAME_TIME_RANGE.contains(&secs) {
        return Err(fail(
            "frame rate is implausible: the frame time must lie between 0.000001 and 10000 seconds",
        ));
    }
    if with_point.is_some() {
        let found = found(token);
        warnings.push(BvhWarning::FrameTimeWithoutPoint { at, found, secs }.into());
    } else if secs >= LONG_FRAME_TIME {
        warnings.push(BvhWarning::LongFrameTime { at, secs }.into());
    }
    Ok(FrameTime {
        secs,
        text: with_point.is_none().then(|| text.to_owned()),
    })
}
