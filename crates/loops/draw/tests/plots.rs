//! Plots of synthetic takes: their contents, and that unusual input does not make them fail.

use loopwright_core::{
    Analysis, Cut, FoundLoops, LoopSettings, SearchSettings,
    closure::{Method, Shape, ShapeKind},
};
use loopwright_draw::plot;
use resvg::tiny_skia::Pixmap;

use crate::support::{made, snapshot, walk};

/// Numbers of a snapshot may differ by this much, units of the picture: the difference is invisible.
const TOLERANCE: f64 = 0.11;

/// Returns a plot as a PNG at a quarter of its size.
fn at_a_glance(svg: &str) -> Vec<u8> {
    let large = Pixmap::decode_png(&plot::png(svg).unwrap()).unwrap();
    let [width, height] = [large.width() / 4, large.height() / 4];
    let mut small = Pixmap::new(width, height).unwrap();
    let stride = large.width() as usize * 4;
    for y in 0..height as usize {
        for x in 0..width as usize {
            for part in 0..4 {
                let at = |k: usize| (4 * y + k / 4) * stride + (4 * x + k % 4) * 4 + part;
                let sum: u32 = (0..16).map(|k| u32::from(large.data()[at(k)])).sum();
                small.data_mut()[(y * width as usize + x) * 4 + part] = ((sum + 8) / 16) as u8;
            }
        }
    }
    small.encode_png().unwrap()
}

fn search(analysis: &Analysis) -> FoundLoops {
    analysis.find_loops(&SearchSettings::default()).unwrap()
}

const NOTHING: FoundLoops = FoundLoops {
    candidates: Vec::new(),
    random_cost: None,
    nearest_miss: None,
    left_out: None,
};

fn assert_has(svg: &str, all: &[&str]) {
    for words in all {
        assert!(svg.contains(words), "no {words}");
    }
}

/// Splits a text into its numbers and the text between them.
fn parts(text: &str) -> (Vec<f64>, String) {
    let (mut numbers, mut rest, mut number) = (Vec::new(), String::new(), String::new());
    for letter in text.chars().chain([' ']) {
        let continues = letter.is_ascii_digit() || letter == '.' || (letter == '-' && number.is_empty());
        if continues {
            number.push(letter);
            continue;
        }
        match number.parse::<f64>() {
            Ok(value) => {
                numbers.push(value);
                rest.push('#');
            }
            Err(_) => rest.push_str(&number),
        }
        number.clear();
        rest.push(letter);
    }
    (numbers, rest)
}

/// Asserts that a plot is valid: well-formed for the rasteriser, small, and without NaN or infinity.
fn assert_sound(svg: &str) {
    assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
    for word in ["NaN", "inf", "e-", "-0 "] {
        let drawn = svg.split("</style>").nth(1).unwrap().replace("text-anchor", "");
        let is_bad = |part: &&str| part.contains(word) && part.starts_with(['M', '-', 'N', 'i']);
        let found = drawn.split('"').find(is_bad);
        assert!(found.is_none(), "{word} in {found:?}");
    }
    let png = plot::png(svg).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

/// Compares with a file of `tests/snapshots`, numbers within the tolerance; LOOPWRIGHT_SNAPSHOTS=write writes it.
fn assert_like_snapshot(name: &str, svg: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let path = folder.join(name);
    if std::env::var_os("LOOPWRIGHT_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, svg).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let ((found, shape), (wanted, wanted_shape)) = (parts(svg), parts(&expected));
    assert!(shape == wanted_shape, "{name} has other elements than its snapshot");
    for (index, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert!(
            (found - wanted).abs() <= TOLERANCE,
            "{name}, number {index}: {found}, expected {wanted}"
        );
    }
}

#[test]
fn inspect_of_a_bad_take() {
    let analysis = walk(4.0, |settings| {
        settings.t_pose_first_frame = true;
        settings.lead_in_secs = 1.0;
    });
    let svg = plot::inspect(&analysis);
    assert_sound(&svg);
    let words = ["Feet, height", "height, cm", "speed, m/s", "angle, deg", "time, s"];
    assert_has(&svg, &[&words[..], &["bad frame", "moving", "idle"]].concat());
    assert_like_snapshot("inspect.svg", &svg);
}

#[test]
fn find_marks_the_recommended_loop() {
    let analysis = walk(4.0, |_| {});
    let found = search(&analysis);
    let svg = plot::find(&analysis, &SearchSettings::default(), &found);
    let recommended = format!("recommended length, {:.3} s", found.candidates[0].source_period_secs);
    assert_sound(&svg);
    let words = [
        "autocorrelation",
        "delay, s",
        "start of the loop, s",
        "length, s",
        &recommended,
    ];
    assert_has(&svg, &words);
    snapshot::assert_like_snapshot("find", &at_a_glance(&svg));
    // Every candidate has a ring, and as many numbers as there is space for.
    let rings = svg.matches("r=\"4.5\"").count();
    assert_eq!(rings, found.candidates.len());
}

#[test]
fn make_shows_offsets_and_joints() {
    let analysis = walk(4.0, |_| {});
    let cut = search(&analysis).candidates[0].cut;
    let made = made(&analysis, &cut, &LoopSettings::default());
    let svg = plot::make(&analysis, &made);
    assert_sound(&svg);
    let words = [
        "length, mm",
        "angle, deg",
        "constant motion, radius",
        "seam in the middle",
        " m</text>",
    ];
    assert_has(&svg, &words);
    snapshot::assert_like_snapshot("make", &at_a_glance(&svg));
    assert_eq!(svg, plot::make(&analysis, &made), "the same values give the same text");
}

#[test]
fn endless_bounds_and_long_names_fit() {
    let analysis = walk(3.0, |_| {});
    let settings = SearchSettings {
        max_secs: f64::INFINITY,
        ..SearchSettings::default()
    };
    assert_sound(&plot::find(&analysis, &settings, &NOTHING));
    let shape = Shape::new(ShapeKind::Spring, 0.1);
    let settings = LoopSettings {
        closure: Method::new(shape).into(),
        ..LoopSettings::default()
    };
    let cut = Cut::new(&analysis.take, 3.0, 40.0).unwrap();
    assert_sound(&plot::make(&analysis, &made(&analysis, &cut, &settings)));
}

#[test]
fn a_long_take_stays_small() {
    let analysis = walk(200.0, |settings| settings.noise_deg = 0.5);
    let svg = plot::inspect(&analysis);
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
}
