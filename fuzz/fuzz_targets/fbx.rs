//! FBX, text and binary: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{Format, ReadSettings, SizeLimits, read_take, write_take};

fuzz_target!(|bytes: &[u8]| {
    if !matches!(Format::detect(bytes), Some(Format::Fbx)) {
        return;
    }
    let Ok(loaded) = read_take(bytes, "fuzz", &ReadSettings::default(), &mut Vec::new()) else {
        return;
    };
    let _ = (loaded.source).read_mesh(bytes, loaded.take.skeleton(), &SizeLimits::default());
    // Whether the rest of a damaged file lets itself be read again is the file's affair.
    if let Ok(written) = write_take(&loaded.take, &loaded.source) {
        let _ = read_take(&written.bytes, "fuzz", &ReadSettings::default(), &mut Vec::new());
    }
});
