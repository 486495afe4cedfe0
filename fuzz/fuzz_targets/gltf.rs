//! glTF, text and binary, and VRM animations: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{AnimationChoice, Format, ReadSettings, SizeLimits, read_take, write_take};

fuzz_target!(|bytes: &[u8]| {
    if !matches!(Format::detect(bytes), Some(Format::Gltf | Format::Glb | Format::Vrma)) {
        return;
    }
    // Files beside this one hold more of the same.
    let companions = |_: &str, _: u64| Ok(bytes.to_vec());
    let settings = ReadSettings {
        companions: Some(&companions),
        ..ReadSettings::default()
    };
    let Ok(loaded) = read_take(bytes, "fuzz", &settings, &mut Vec::new()) else {
        return;
    };
    let _ = (loaded.source).read_mesh(bytes, loaded.take.skeleton(), &SizeLimits::default());
    if let Ok(written) = write_take(&loaded.take, &loaded.source) {
        // The animation that was written; others in the file may be broken.
        let settings = ReadSettings {
            animation: AnimationChoice::Given(written.animation.as_deref().unwrap_or_default()),
            ..settings
        };
        let again = read_take(&written.bytes, "fuzz", &settings, &mut Vec::new()).expect("what is written is read");
        assert_eq!(again.take.num_joints(), loaded.take.num_joints());
    }
});
