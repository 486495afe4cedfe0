//! glTF, text and binary, and VRM animations: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::must_read_again;

fuzz_target!(|bytes: &[u8]| {
    must_read_again(bytes, &[Format::Gltf, Format::Glb, Format::Vrma], |loaded| {
        loaded.take.num_joints()
    });
});
