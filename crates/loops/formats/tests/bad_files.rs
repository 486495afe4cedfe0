//! Every malformed file of the test data behaves as described in its README.
//!
//! The files are not part of the project; if they are missing, the first test reports it and is skipped. The most important
//! faults are repeated below as edits of a small file.

use loopwright_formats::{AnimatedFile, BvhError, FileWarning, ReadError, ReadSettings, bvh::Position, read_take};
use loopwright_mocap::folder_or_skip;

/// Files with what becomes of each: it is read, read with one warning of these words, or refused with a message of these words.
const FILES: &str = r#"
00_good_reference: read
all_zero_offsets: warns, the skeleton has no size
binary_garbage: refused, not a BVH file: expected HIERARCHY at line 1
braces_on_same_line: read
channels_count_mismatch: refused, line 9, column 14: CHANNELS says 3 in LeftUpLeg, found 2
channels_huge_count: refused, channel count "4294967295" of LeftUpLeg is out of range
channels_missing: refused, line 27, column 1: a row has 12 values, the hierarchy has 9 channels
channels_repeated: refused, channel Xrotation twice in LeftUpLeg
channels_unknown: refused, unknown channel "Wrotation"
channels_zero: read
comma_decimals: refused, line 28, column 1: "0,0" is not a number (frame 1, joint Hips, channel Xposition); decimal comma?
constant_motion: read
cr_only: read
crlf: read
deep_nesting_10000: refused, nesting is deeper than the limit
duplicate_joint_names: warns, 2 joints are named LeftUpLeg
empty: refused, the file is empty
end_site_named: read
end_site_with_channels: refused, line 13, column 7: an End Site has no channels
enormous_value: refused, value "1e300" is out of any plausible range
exponent_floats: read
extra_closing_brace: refused, line 25, column 1: unexpected "}"
fbx_renamed: refused
fewer_rows_than_declared: warns, 10 frames declared, 6 present; 6 are used
fps_as_frame_time: warns, one frame each 30 s; was 30 fps meant?
fractional_frames: refused, frame count must be a whole number, found "6.5"
frame_count_overflow: refused, frame count is out of range
frame_time_missing: refused, expected "Frame Time:"
frames_missing: refused, expected "Frames:" after MOTION
frames_time_keyword: warns, unusual keyword "Frames Time:"
hierarchy_missing: refused, expected HIERARCHY at line 1, column 1
huge_frame_count: warns, 4000000000 frames declared, 2 present
inf_value: refused, line 30, column 5: value is not finite: "-inf" (frame 3, joint Hips, channel Yposition)
integer_values: warns, the frame time "0333333" has lost its decimal point
joint_name_is_keyword: read
joint_name_missing: refused, line 6, column 8: joint name missing after JOINT
joint_name_with_spaces: read
leading_dot_and_plus: read
long_token: warns, joint name of 200000 characters
lower_case_keywords: read
missing_end_site: warns, LeftUpLeg and 1 more have no End Site
more_rows_than_declared: warns, 2 rows beyond the declared 4 ignored
motion_before_hierarchy: refused, expected HIERARCHY at line 1
motion_on_one_line: read
msvc_indeterminate: refused, "-1.#IND" is not a number (frame 3, joint Hips, channel Yposition) (NaN
nan_frame_time: refused, frame time must be a positive number
nan_offset: refused, value is not finite: "nan" (OFFSET of LeftUpLeg)
nan_value: refused, value is not finite: "nan" (frame 3, joint Hips, channel Yposition)
negative_frame_time: refused, frame time must be positive
negative_frames: refused, frame count must not be negative
no_colons: read
no_final_newline: read
no_motion_section: refused, expected MOTION, found the end of the file
non_utf8_name: warns, line 6, column 9: joint name is not UTF-8
offset_missing: refused, OFFSET missing in LeftUpLeg
offset_two_numbers: refused, OFFSET of LeftUpLeg needs three numbers, found 2
one_frame: read
overflow_value: refused, value "1e999" is out of any plausible range
root_without_body: refused, expected "{" after ROOT Hips
root_without_position: warns, the root Hips has no position channels
row_too_narrow: refused, line 28, column 1: a row has 11 values, the hierarchy has 12 channels
row_too_wide: refused, line 28, column 1: a row has 13 values, the hierarchy has 12 channels
run_on_numbers: refused, line 31, column 14: "0.0-0.0" is not a number (frame 4, joint Hips, channel Zrotation)
scale_channels: warns, scale channels of LeftUpLeg ignored
second_motion_section: refused, line 34, column 1: unexpected "MOTION" after the last frame
tabs_and_blank_lines: read
text_in_motion: refused, line 30, column 5: "ninety" is not a number
tiny_frame_time: refused, frame rate is implausible
trailing_garbage: warns, text after the last frame ignored
trailing_nul_bytes: warns, text after the last frame ignored
truncated_row: refused, line 33, column 1: the last frame, 6, has too few values, 6 of 12; is the file cut off?
two_roots: warns, 2 skeletons, the one below Hips is read; left out: 3 other bones
unclosed_brace: refused, expected "}" before "MOTION": joint Hips is left open
upper_case_channels: read
utf16_le: refused, the text is UTF-16; save it as UTF-8 or ASCII
utf8_bom: read
utf8_name: read
whitespace_only: refused, the file is empty
zero_frame_time: refused, frame time must be positive
zero_frames: refused, the file holds no motion
zero_joints: refused, the hierarchy has no joints
"#;

/// Reads a take; returns its warnings that are about the text and not about the body.
fn outcome(bytes: &[u8]) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
    let read = read_take(bytes, "bad", &ReadSettings::default(), &mut warnings);
    let is_of_text =
        |warning: &FileWarning| matches!(warning, FileWarning::Bvh(_) | FileWarning::OtherSkeletons { .. });
    warnings.retain(is_of_text);
    let warnings = warnings.iter().map(ToString::to_string).collect();
    read.map_or_else(|error| Err(error.to_string()), |_| Ok(warnings))
}

fn check(name: &str, bytes: &[u8], expected: &str) {
    let (verdict, part) = expected.split_once(", ").unwrap_or((expected, ""));
    match (outcome(bytes), verdict) {
        (Ok(warnings), "read") => assert_eq!(warnings, [""; 0], "{name}"),
        (Ok(warnings), "warns") => {
            let is_right = warnings.len() == 1 && warnings[0].contains(part);
            assert!(is_right, "{name}: {warnings:?}");
        }
        (Err(message), "refused") => assert!(message.contains(part), "{name}: {message}"),
        (found, _) => panic!("{name}: {found:?}, expected: {expected}"),
    }
}

#[test]
fn every_bad_file_behaves_as_its_readme_says() {
    let Some(folder) = folder_or_skip() else { return };
    let folder = folder.join("bad");
    let files = FILES.trim().lines().map(|line| line.split_once(": ").unwrap());
    for (name, expected) in files.clone() {
        let bytes = std::fs::read(folder.join(format!("{name}.bvh"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(name, &bytes, expected);
    }
    let present = std::fs::read_dir(&folder).unwrap().filter_map(Result::ok);
    let is_bvh = |entry: &std::fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "bvh");
    let count = present.filter(is_bvh).count();
    assert_eq!(count, files.count(), "a file is not in the table");
}

const GOOD: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0.00 0.00 0.00
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 9.00 0.00 0.00
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0.00 -40.00 0.00
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0.0 90.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
0.0 90.0 2.0 0.0 0.0 1.0 0.0 10.0 0.0
0.0 90.0 4.0 0.0 0.0 2.0 0.0 20.0 0.0
";

#[test]
fn edits_of_a_good_file() {
    check("good", GOOD.as_bytes(), "read");
    #[rustfmt::skip]
    let edits = [
        ("HIERARCHY", "\u{FEFF}hierarchy", "read"),
        ("HIERARCHY", "; a note\nHIERARCHY", "refused, expected HIERARCHY at line 1, column 1"),
        ("JOINT Leg\n", "JOINT Left Leg End {\n", "refused, found \"{\""),
        ("JOINT Leg\n  {", "JOINT Left Leg End {", "read"),
        ("JOINT Leg\n", "JOINT \n", "refused, line 6, column 9: joint name missing after JOINT"),
        ("ROOT Hips", "ROOT Leg", "warns, 2 joints are named Leg"),
        ("OFFSET 9.00 0.00 0.00", "OFFSET 9.00 0.00 0.00 0.00", "refused, needs three numbers, found 4"),
        ("OFFSET 9.00 0.00 0.00", "OFFSET 9.00 0.00 0.00 OFFSET 9 0 0", "refused, OFFSET twice in Leg"),
        ("OFFSET 9.00", "OFFSET 9,00", "refused, \"9,00\" is not a number (OFFSET of Leg); decimal comma?"),
        ("OFFSET 0.00 -40.00 0.00", "", "refused, OFFSET missing in the End Site of Leg"),
        ("OFFSET 0.00 -40.00 0.00", "OFFSET 0.00 inf 0.00", "refused, (OFFSET of the End Site of Leg)"),
        ("OFFSET 0.00 -40.00 0.00", "JOINT x", "refused, expected OFFSET or \"}\" in the End Site of Leg, found \"JOINT\""),
        ("CHANNELS 3", "CHANNELS 2", "refused, CHANNELS says 2 in Leg, found 3"),
        ("CHANNELS 3", "CHANNELS three", "refused, expected the number of channels of Leg, found \"three\""),
        ("CHANNELS 3", "CHANELS 3", "refused, expected OFFSET, CHANNELS, JOINT, End Site or \"}\" in Leg, found \"CHANELS\""),
        ("  CHANNELS 3 Zrotation Xrotation Yrotation\n", "", "refused, a row has 9 values, the hierarchy has 6 channels"),
        ("Frames: 3", "Frames:3", "read"),
        ("Frames: 3", "FRAMES : 3.0", "read"),
        ("Frames: 3", "Frames: three", "refused, frame count must be a whole number, found \"three\""),
        ("Frames: 3", "Frames: nan", "refused, frame count must be a whole number"),
        ("Frames: 3", "Frames: 5", "warns, 5 frames declared, 3 present"),
        ("Frames: 3", "Frames: 2", "warns, 1 row beyond the declared 2 ignored"),
        ("Frames: 3", "Frames: 18446744073709551615", "warns, 18446744073709551615 frames declared, 3 present"),
        ("Frames: 3", "Frames: 18446744073709551616", "refused, frame count is out of range"),
        ("Frame Time: 0.04", "Frame Time:0.04", "read"),
        ("Frame Time: 0.04", "FrameTime .04", "read"),
        ("Frame Time: 0.04", "Frame Time: 0,04", "refused, frame time must be a positive number of seconds"),
        ("Frame Time: 0.04", "Frame Time: 1", "warns, one frame each 1 s; was 1 fps meant?"),
        ("Frame Time: 0.04", "Frame Time: 20000", "refused, frame rate is implausible"),
        ("Frame Time: 0.04\n", "Frame Time:", "refused, frame time must be positive"),
        ("0.0 20.0 0.0\n", "0.0 20.0 0.0\u{1A}", "warns, text after the last frame ignored"),
        ("0.0 20.0 0.0\n", "0.0 20.0 0.0\nroot b", "refused, unexpected \"root\" after the last frame"),
        ("0.0 20.0 0.0\n", "0.0 20.0 0.0 7.0\n", "refused, line 21, column 1: a row has 10 values, the hierarchy has 9 channels (frame 3)"),
        ("0.0 20.0 0.0\n", "0.0 20.0\n", "refused, the last frame, 3, has too few values, 8 of 9"),
        ("0.0 10.0 0.0\n", "0.0 10.0\n", "refused, line 20, column 1: a row has 8 values, the hierarchy has 9 channels (frame 2)"),
        ("0.0 10.0 0.0\n", "0.0 10.0 0.0 1.0\n", "refused, line 20, column 1: a row has 10 values, the hierarchy has 9 channels (frame 2)"),
        ("0.0 10.0 0.0\n", "0.0 10.0\n0.0\n", "read"),
        ("0.0 10.0 0.0\n", "0.0 10.0 - 0.0\n", "refused, line 20, column 35: \"-\" is not a number (frame 2, joint Leg, channel Yrotation)"),
    ];
    for (from, to, expected) in edits {
        assert!(GOOD.contains(from), "{from}");
        check(to, GOOD.replacen(from, to, 1).as_bytes(), expected);
    }
}

#[test]
fn rows_are_not_read_across_in_silence() {
    let with_rows = |frames: usize, rows: &[&str]| {
        let head = &GOOD[..GOOD.find("Frames:").unwrap()];
        format!("{head}Frames: {frames}\nFrame Time: 0.04\n{}\n", rows.join("\n"))
    };
    let is_refused = |text: String, found: usize| {
        let part = format!("a row has {found} values, the hierarchy has 9 channels");
        assert!(outcome(text.as_bytes()).unwrap_err().contains(&part));
    };
    // Two rows on each line, half a row on each line: as many lines as frames, so lines are rows.
    let two_rows = ["0"; 18].join(" ");
    is_refused(with_rows(3, &[two_rows.as_str(); 3]), 18);
    is_refused(with_rows(4, &["0 0 0"; 4]), 3);
    // These lines read as a stream would give a whole number of rows.
    let stream = with_rows(2, &["0 0 0"; 6]);
    assert_eq!(outcome(stream.as_bytes()), Ok(Vec::new()));
    let stream = with_rows(6, &[two_rows.as_str(); 3]);
    assert_eq!(outcome(stream.as_bytes()), Ok(Vec::new()));
    // Lines of five: rows end within lines, which is reported.
    let mut lines = vec!["0 0 0 0 0"; 7];
    lines.push("0");
    let stream = with_rows(4, &lines);
    let warnings = outcome(stream.as_bytes()).unwrap();
    let is_right = warnings.len() == 1 && warnings[0].contains("the values were read as one stream");
    assert!(is_right, "{warnings:?}");
    is_refused(with_rows(5, &lines), 5);
}

#[test]
fn scales_other_than_one_are_refused() {
    let channels = "CHANNELS 3 Zrotation Xrotation Yrotation";
    let text = GOOD
        .replace(channels, "CHANNELS 3 Zrotation Xrotation Yscale")
        .replace("20.0 0.0\n", "20.0 1.5\n")
        .replace("0.0 0.0 0.0\n", "0.0 0.0 1.0\n")
        .replace("10.0 0.0\n", "10.0 1.0\n");
    let message = outcome(text.as_bytes()).unwrap_err();
    let part = "frame 3, joint Leg, channel Yscale: scale 1.5 is not supported";
    assert!(message.contains(part), "{message}");
}

#[test]
fn time_stays_in_proportion_to_the_file() {
    // Warnings for every one of many joints, all on one line: finding the position of each would take hours.
    let mut bytes = b"HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition ".to_vec();
    for _ in 0..100_000 {
        bytes.extend(b"JOINT \xFF { OFFSET 0 1 0 CHANNELS 0 End Site { OFFSET 0 1 0 } } ");
    }
    bytes.extend(b"} MOTION Frames: 1 Frame Time: 0.1 0");
    let warnings = outcome(&bytes).unwrap();
    let part = "100000 joint names are not UTF-8";
    assert!(warnings.iter().any(|warning| warning.contains(part)), "{warnings:?}");
}

#[test]
fn every_truncation_is_read_or_refused() {
    for length in 0..GOOD.len() {
        let mut warnings = Vec::new();
        if read_take(
            &GOOD.as_bytes()[..length],
            "cut",
            &ReadSettings::default(),
            &mut warnings,
        )
        .is_ok()
        {
            let is_reported = warnings.iter().any(|warning| matches!(warning, FileWarning::Bvh(_)));
            let whole_or_reported = length + 4 >= GOOD.len() || is_reported;
            assert!(whole_or_reported, "{length} bytes are read without a word");
        }
    }
}

#[test]
fn errors_carry_their_numbers() {
    let text = GOOD.replace("0.0 10.0 0.0\n", "0.0 10.0 0.0 1.0\n");
    let error = read_take(text.as_bytes(), "bad", &ReadSettings::default(), &mut Vec::new()).unwrap_err();
    let at = Position { line: 20, column: 1 };
    let expected = BvhError::RowWidth {
        at,
        frame: 2,
        found: 10,
        expected: 9,
    };
    assert_eq!(error, ReadError::Bvh(expected));
}

#[test]
fn files_that_are_something_else_are_named() {
    for (text, error) in [
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            ReadError::LfsPointer,
        ),
        ("\u{FEFF}\n<!DOCTYPE HTML><html>", ReadError::WebPage),
        ("<html lang=\"en\">", ReadError::WebPage),
    ] {
        assert_eq!(loopwright_formats::load(text.as_bytes(), "t").unwrap_err(), error);
        assert_eq!(AnimatedFile::parse(text.as_bytes(), "t", None).unwrap_err(), error);
    }
}
