//! FBX, text and binary: as a take, and back into the same file. Whether the rest of a damaged file lets itself be read again is the file's affair.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Format;
use loopwright_fuzz::read_again;

fuzz_target!(|bytes: &[u8]| {
    let _ = read_again(bytes, &[Format::Fbx]);
});
