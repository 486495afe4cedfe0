//! NPZ: as a take, and back into the same form. Check sums refuse most of what is changed; tests beside the reader change what they cover.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::must_read_again;

fuzz_target!(|bytes: &[u8]| {
    must_read_again(bytes, &[Format::Npz], |loaded| loaded.take.num_joints());
});
