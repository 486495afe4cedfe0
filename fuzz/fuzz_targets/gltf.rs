//! glTF, text and binary, and VRM animations: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::read_again;

fuzz_target!(|bytes: &[u8]| {
    if let Some((loaded, again)) = read_again(bytes, &[Format::Gltf, Format::Glb, Format::Vrma]) {
        let again = again.expect("what is written is read");
        assert_eq!(again.take.num_joints(), loaded.take.num_joints());
    }
});
