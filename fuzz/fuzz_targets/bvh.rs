//! BVH: in the file's own words, as a take, and back to bytes that read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{Format, bvh};
use loopwright_fuzz::read_again;

fuzz_target!(|bytes: &[u8]| {
    let _ = bvh::parse(bytes, &mut Vec::new());
    if let Some((loaded, again)) = read_again(bytes, &[Format::Bvh]) {
        let again = again.expect("what is written is read");
        assert_eq!(again.take.num_frames(), loaded.take.num_frames());
    }
});
