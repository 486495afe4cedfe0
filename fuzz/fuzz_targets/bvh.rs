//! BVH: in the file's own words, as a take, and back to bytes that read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{ReadSettings, bvh, read_take, write_take};

fuzz_target!(|bytes: &[u8]| {
    // `read_take` sends what looks like another format elsewhere; that is for the other targets.
    if bvh::parse(bytes, &mut Vec::new()).is_err() {
        return;
    }
    let Ok(loaded) = read_take(bytes, "fuzz", &ReadSettings::default(), &mut Vec::new()) else {
        return;
    };
    if let Ok(written) = write_take(&loaded.take, &loaded.source) {
        let again = bvh::parse(&written.bytes, &mut Vec::new()).expect("what is written is read");
        assert_eq!(again.num_frames(), loaded.take.num_frames());
    }
});
