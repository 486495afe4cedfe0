//! Files that are cut off or changed: whatever is still read of them is sound and can be written, and nothing panics. The fuzzers go on
//! from here.

use loopwright_core::{BodyOverrides, retarget::Rig};
use loopwright_formats::{Format, ReadSettings, SizeLimits, Source, read_take, soles::read_soles, write_take};

use crate::support::{Random, walk, written};

/// How much was read of changed files.
#[derive(Default)]
struct Found {
    takes: usize,
    meshes: usize,
    refused_meshes: usize,
    soles: usize,
}

impl Found {
    /// Reads all that bytes hold, checks that it is within its bounds, and writes it.
    fn read(&mut self, bytes: &[u8], is_bvh: bool) {
        let mut warnings = Vec::new();
        let read = read_take(bytes, "changed", &ReadSettings::default(), &mut warnings);
        if is_bvh {
            let warnings = warnings.iter().map(ToString::to_string);
            for message in warnings.chain(read.as_ref().err().map(ToString::to_string)) {
                assert!(message.chars().count() < 500, "{message}");
            }
        }
        let Ok(loaded) = read else { return };
        let (take, source) = (&loaded.take, &loaded.source);
        self.takes += 1;
        assert!(take.num_frames() >= 1);
        let written = write_take(take, source);
        assert!(!is_bvh || written.is_ok(), "{written:?}");
        if let Source::Gltf(_) = source {
            let _ = write_take(take, &source.in_format(Format::Gltf, take));
        }
        match source.read_mesh(bytes, take.skeleton(), &SizeLimits::default()) {
            Ok(Some(mesh)) => {
                self.meshes += 1;
                assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.vertices.len()));
                for vertex in &mesh.vertices {
                    assert!(vertex.bones.iter().all(|bone| usize::from(*bone) < mesh.bones.len()));
                    assert!((vertex.weights.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                }
                assert!(mesh.parts.iter().all(|part| part.indices.end <= mesh.indices.len()));
            }
            Ok(None) => {}
            Err(_) => self.refused_meshes += 1,
        }
        let rest = source.rest(take.skeleton());
        let Ok(rig) = Rig::of(take, &rest, &BodyOverrides::default()) else {
            return;
        };
        let soles = read_soles(bytes, source, &rig, &SizeLimits::default());
        self.soles += usize::from(!soles.is_empty());
        for sole in &soles {
            assert!((1..=24).contains(&sole.points.len()));
            let is_sound = |&(joint, at): &(usize, glam::DVec3)| joint < rig.skeleton().num_joints() && at.is_finite();
            assert!(sole.points.iter().all(is_sound));
        }
    }
}

#[test]
fn changed_files_are_read_or_refused() {
    let files = [
        crate::bad_files::GOOD.as_bytes().to_vec(),
        crate::gltf::rig().glb(),
        crate::mesh::two_joints().glb(),
        written(&walk(), Format::Glb),
        crate::soles::shod_feet().glb(),
    ];
    let files = files.into_iter();
    #[cfg(feature = "fbx")]
    let files = files.chain(crate::fbx_bad_files::files());
    let mut all = Found::default();
    for bytes in files {
        let is_bvh = bytes.starts_with(b"HIERARCHY");
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 2000) {
            Found::default().read(&bytes[..end], is_bvh);
        }
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let before = all.takes;
        for _ in 0..2000 {
            all.read(&random.change(&bytes), is_bvh);
        }
        assert!(all.takes > before + 20, "{:?}", Format::detect(&bytes));
    }
    let Found {
        meshes,
        refused_meshes,
        soles,
        ..
    } = all;
    assert!(
        meshes > 100 && refused_meshes > 20 && soles > 100,
        "{meshes} {refused_meshes} {soles}"
    );
}
