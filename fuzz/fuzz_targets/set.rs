//! The manifest of a set, and the JSON beside a passage: what is relied on is written and read again, and nothing panics at what is played.

#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use loopwright_formats::load;
use loopwright_formats::set::{Manifest, PassageFacts};
use loopwright_player::{ClipSource, MotionSet, SetError};

/// A body of one joint that stands.
const STILL: &[u8] = b"HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition JOINT Head { OFFSET 0 1 0 CHANNELS 0 } }
MOTION Frames: 8 Frame Time: 0.04
0 1 0
0 1 0
0 1 0
0 1 0
0 1 0
0 1 0
0 1 0
0 1 0";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(set) = Manifest::from_json(bytes) {
        let text = set.to_json().expect("what is read is relied on");
        assert_eq!(Manifest::from_json(text.as_bytes()), Ok(set));
    }
    black_box(PassageFacts::from_json(bytes));
    let take = |source: &ClipSource<'_>| Ok::<_, SetError>(load(STILL, source.clip).expect("it is a take").take);
    black_box(MotionSet::from_takes(bytes, take).is_ok());
});
