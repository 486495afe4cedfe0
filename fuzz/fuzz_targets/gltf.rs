//! glTF, text and binary: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{
    ReadSettings,
    detect::{FileKind, file_kind},
    read_take, write_take,
};

fuzz_target!(|bytes: &[u8]| {
    if !matches!(file_kind(bytes), FileKind::Gltf | FileKind::Glb) {
        return;
    }
    // Files beside this one hold more of the same.
    let companions = |_: &str| Ok(bytes.to_vec());
    let settings = ReadSettings {
        companions: Some(&companions),
        ..ReadSettings::default()
    };
    let Ok(loaded) = read_take(bytes, "fuzz", &settings, &mut Vec::new()) else {
        return;
    };
    // What hardly moves may stand still once it is sampled and rounded, and is then refused; nothing may panic.
    if let Ok(written) = write_take(&loaded.take, &loaded.source) {
        let _ = read_take(&written.bytes, "fuzz", &settings, &mut Vec::new());
    }
});
