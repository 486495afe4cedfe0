//! NPZ: as a take, and back into the same form. Check sums refuse most of what is changed; tests beside the reader change what they cover.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{Format, ReadSettings, read_take, write_take};

fuzz_target!(|bytes: &[u8]| {
    if !matches!(Format::detect(bytes), Some(Format::Npz)) {
        return;
    }
    let Ok(loaded) = read_take(bytes, "fuzz", &ReadSettings::default(), &mut Vec::new()) else {
        return;
    };
    if let Ok(written) = write_take(&loaded.take, &loaded.source) {
        let again = read_take(&written.bytes, "fuzz", &ReadSettings::default(), &mut Vec::new());
        let again = again.expect("what is written is read");
        assert_eq!(again.take.num_joints(), loaded.take.num_joints());
    }
});
