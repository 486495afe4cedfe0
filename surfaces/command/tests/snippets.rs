//! The code of docs/formats/twist.md, run where a compiler or an interpreter is there, against the library.

use std::process::Command;

use glam::DVec3;
use loopwright_core::math::{Rigid, Twist, rotation};

use crate::harness::{Folder, near};

/// A root: start, yaw, linear velocity, turn rate.
type Root = ([f64; 3], f64, [f64; 3], f64);

const ROOTS: [Root; 4] = [
    ([1.0, 0.2, -3.0], 0.7, [0.1, 0.05, 1.3], 0.9),
    ([0.0, 0.0, 0.0], -2.0, [0.0, 0.0, 1.4], 0.0),
    ([0.5, 1.0, 2.0], 3.0, [-0.4, 0.3, 0.9], 1e-7),
    ([0.0, 0.0, 0.0], 0.0, [0.0, 0.0, 0.0], -2.5),
];
const SECS: [f64; 4] = [0.0, 0.37, 5.0, 60.0];

fn snippet(language: &str) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/twist.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Returns the values of the library: x, y, z and yaw of each root at each time.
fn expected() -> Vec<[f64; 4]> {
    let at = |(start, yaw, linear, turn_rate): &Root, secs: f64| {
        let twist = Twist::new(DVec3::from_array(*linear), DVec3::Y * *turn_rate);
        let root = Rigid::from_yaw(*yaw, DVec3::from_array(*start)) * twist.exp(secs);
        let [x, y, z] = root.translation.to_array();
        let turned = rotation::yaw_of(root.rotation);
        // A snippet counts whole turns.
        let whole = ((yaw + turn_rate * secs - turned) / core::f64::consts::TAU).round();
        [x, y, z, turned + whole * core::f64::consts::TAU]
    };
    ROOTS.iter().flat_map(|root| SECS.map(|secs| at(root, secs))).collect()
}

/// Calls of a function for each root and time, with lists in brackets.
fn calls(call: impl Fn(&str) -> String) -> String {
    let one = |(start, yaw, linear, rate): &Root, secs: f64| {
        call(&format!("{start:?}, {yaw:?}, {linear:?}, {rate:?}, {secs:?}"))
    };
    ROOTS.iter().flat_map(|root| SECS.map(|secs| one(root, secs))).collect()
}

/// Compares four numbers a line; nothing where the program is missing.
fn check(language: &str, program: &mut Command) {
    let Ok(output) = program.output() else {
        // Its snippet is run where there is one.
        return;
    };
    let [text, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{language}: {said}");
    let found: Vec<f64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let expected = expected().concat();
    assert_eq!(found.len(), expected.len(), "{language}");
    for (found, expected) in found.into_iter().zip(expected) {
        near(found, expected, 1e-9);
    }
}

#[test]
fn snippets_move_the_root_as_the_library_does() {
    let folder = Folder::new();
    let file = |name: &str, text: String| {
        folder.write(name, text);
        folder.file(name)
    };
    let lines = calls(|arguments| {
        let show = r#"println!("{:e} {:e} {:e} {:e}", r[0], r[1], r[2], r[3]);"#;
        format!("    let r = root_at({arguments}); {show}\n")
    });
    let source = file("root.rs", format!("{}\nfn main() {{\n{lines}}}\n", snippet("rust")));
    let built = Command::new("rustc")
        .arg(source)
        .arg("-o")
        .arg(folder.file("root-rs"))
        .status();
    assert!(built.unwrap().success());
    check("Rust", &mut Command::new(folder.file("root-rs")));

    let lines = calls(|arguments| format!("show({arguments});\n"));
    let show = "function show(start, yaw, v, rate, t) {
  const m = { start_position_m: start, start_yaw_deg: (yaw * 180) / Math.PI, linear_velocity_mps: v, angular_velocity_radps: [0, rate, 0] };
  console.log(rootAt(m, t).join(' '));
}\n";
    let script = file("root.js", format!("{}\n{show}{lines}", snippet("js")));
    check("JavaScript", Command::new("node").arg(script));

    let lines = calls(|arguments| format!("    show(root_at({arguments}));\n"))
        .replace('[', "{")
        .replace(']', "}");
    let show = "#include <cstdio>\nstatic void show(std::array<double, 4> r) { std::printf(\"%.17g %.17g %.17g %.17g\\n\", r[0], r[1], r[2], r[3]); }\n";
    let source = file(
        "root.cpp",
        format!("{}\n{show}int main() {{\n{lines}}}\n", snippet("cpp")),
    );
    let program = folder.file("root-cpp");
    let built = Command::new("c++")
        .arg("-std=c++17")
        .arg(source)
        .arg("-o")
        .arg(&program)
        .status();
    if let Ok(status) = built {
        assert!(status.success());
        check("C++", &mut Command::new(program));
    }
}
