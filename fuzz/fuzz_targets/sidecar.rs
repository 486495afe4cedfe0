//! The JSON that stands beside a loop: what is read is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::Sidecar;

fuzz_target!(|bytes: &[u8]| {
    let Ok(sidecar) = Sidecar::from_json(bytes) else { return };
    let text = sidecar.to_json().expect("what is read has finite numbers");
    Sidecar::from_json(text.as_bytes()).expect("what is written is read");
});
