//! What the targets for files of takes have in common.

use loopwright_formats::{
    AnimationChoice, Format, LoadedTake, ReadError, ReadSettings, SizeLimits, read_take, write_take,
};

/// Reads bytes of one of these formats as a take, and its mesh, writes it back into the same file, and returns the take and what is read of that file.
pub fn read_again(bytes: &[u8], formats: &[Format]) -> Option<(LoadedTake, Result<LoadedTake, ReadError>)> {
    if !formats.contains(&Format::detect(bytes)?) {
        return None;
    }
    // Files beside this one hold more of the same.
    let companions = |_: &str, _: u64| Ok(bytes.to_vec());
    let settings = ReadSettings {
        companions: Some(&companions),
        ..ReadSettings::default()
    };
    let loaded = read_take(bytes, "fuzz", &settings, &mut Vec::new()).ok()?;
    let _ = (loaded.source).read_mesh(bytes, loaded.take.skeleton(), &SizeLimits::default());
    let written = write_take(&loaded.take, &loaded.source).ok()?;
    let settings = ReadSettings {
        // The animation that was written; others in the file may be broken.
        animation: (written.animation.as_deref()).map_or(AnimationChoice::Auto, AnimationChoice::Given),
        ..settings
    };
    let again = read_take(&written.bytes, "fuzz", &settings, &mut Vec::new());
    Some((loaded, again))
}

/// As [`read_again`]; what is written must be read, and be as large.
pub fn must_read_again(bytes: &[u8], formats: &[Format], size: fn(&LoadedTake) -> usize) {
    if let Some((loaded, again)) = read_again(bytes, formats) {
        assert_eq!(size(&again.expect("what is written is read")), size(&loaded));
    }
}
