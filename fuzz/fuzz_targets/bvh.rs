//! BVH: in the file's own words, as a take, and back to bytes that read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{Format, bvh};
use loopwright_fuzz::reads_again;

fuzz_target!(|bytes: &[u8]| {
    let _ = bvh::parse(bytes, &mut Vec::new());
    reads_again(bytes, &[Format::Bvh], |loaded| loaded.take.num_frames());
});
