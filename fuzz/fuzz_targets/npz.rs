//! NPZ: as a take, and back into the same form. Check sums refuse most of what is changed; tests beside the reader change what they cover.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::read_again;

fuzz_target!(|bytes: &[u8]| {
    if let Some((loaded, again)) = read_again(bytes, &[Format::Npz]) {
        let again = again.expect("what is written is read");
        assert_eq!(again.take.num_joints(), loaded.take.num_joints());
    }
});
