//! Compares pictures with snapshots; the tolerance allows for another machine's rounding but not for a change.

use std::path::{Path, PathBuf};

use resvg::tiny_skia::Pixmap;

/// A colour component may differ by this much of 255 before it counts: anti-aliasing rounds differently elsewhere.
const PART: u8 = 24;

/// Share of pixels that may differ by more.
const SHARE: f64 = 0.002;

/// Mean difference over all colour components, of 255.
const MEAN: f64 = 0.35;

fn path_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/snapshots")
        .join(format!("{name}.png"))
}

/// Returns how a PNG differs from its snapshot by more than the tolerance; `None` if it does not.
pub(crate) fn differs(name: &str, png: &[u8]) -> Option<String> {
    let expected = std::fs::read(path_of(name)).unwrap_or_else(|error| panic!("no snapshot {name}: {error}"));
    let [found, expected] = [png, &expected[..]].map(|png| Pixmap::decode_png(png).unwrap());
    let sizes = [&found, &expected].map(|pixels| [pixels.width(), pixels.height()]);
    if sizes[0] != sizes[1] {
        return Some(format!("{name}: {:?} pixels instead of {:?}", sizes[0], sizes[1]));
    }
    let (mut off, mut sum) = (0_usize, 0_u64);
    let (found, _) = found.data().as_chunks::<4>();
    let (expected, _) = expected.data().as_chunks::<4>();
    for (found, expected) in found.iter().zip(expected) {
        let parts = [0, 1, 2, 3].map(|part| found[part].abs_diff(expected[part]));
        off += usize::from(parts.into_iter().any(|part| part > PART));
        sum += parts.into_iter().map(u64::from).sum::<u64>();
    }
    let share = off as f64 / expected.len() as f64;
    let mean = sum as f64 / (4.0 * expected.len() as f64);
    (share > SHARE || mean > MEAN).then(|| {
        format!(
            "{name}: {:.2}% of the pixels differ, by {mean:.2} of 255 on average",
            100.0 * share
        )
    })
}

/// Asserts that a PNG matches its snapshot; LOOPWRIGHT_SNAPSHOTS=write writes it.
pub(crate) fn assert_like_snapshot(name: &str, png: &[u8]) {
    if std::env::var_os("LOOPWRIGHT_SNAPSHOTS").is_some() {
        let path = path_of(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, png).unwrap();
    }
    if let Some(difference) = differs(name, png) {
        let kept = std::env::temp_dir().join(format!("loopwright-{name}.png"));
        std::fs::write(&kept, png).unwrap();
        panic!("{difference}; the new picture is {}", kept.display());
    }
}
