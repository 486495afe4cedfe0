//! BVH: as a take, and back to bytes that read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::must_read_again;

fuzz_target!(|bytes: &[u8]| {
    must_read_again(bytes, &[Format::Bvh], |loaded| loaded.take.num_frames());
});
