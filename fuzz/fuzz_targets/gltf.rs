//! glTF, text and binary: as a take, and back into the same file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::{
    AnimationChoice, FileKind, Limits, ReadSettings, file_kind, mesh::read_mesh, read_take, write_take,
};

fuzz_target!(|bytes: &[u8]| {
    if !matches!(file_kind(bytes), FileKind::Gltf | FileKind::Glb) {
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
    let _ = read_mesh(bytes, &loaded.source, loaded.take.skeleton(), &Limits::default());
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
