//! `match`: databases of takes and loops, queries against them, and their rows for NumPy.

use crate::harness::{Folder, holds, items, near, number, rows, schema::assert_valid, texts};
use serde_json::Value;

/// A folder with three walks of different speeds, and a database of the first two.
fn with_database() -> Folder {
    let folder = Folder::new();
    folder.runs(
        "
        synth -o slow.bvh --seconds 5 --fps 30 --speed 0.9 --seed 1
        synth -o quick.bvh --seconds 5 --fps 30 --speed 1.6 --seed 2
        synth -o left-out.bvh --seconds 5 --fps 30 --speed 1.5 --seed 3
        match build slow.bvh --tag style=slow -o takes.lwmatch
        ",
    );
    let added = valid(
        &folder,
        "build quick.bvh --tag style=quick --add takes.lwmatch -o takes.lwmatch --force",
    );
    holds(&added, "clips = 2\noutputs/0 = takes.lwmatch");
    folder
}

/// Returns the answer of a command of `match`, valid under the schema.
fn valid(folder: &Folder, arguments: &str) -> Value {
    let answer = folder.answer(&format!("match {arguments} --json"));
    assert_valid(&answer, &format!("match-{}", arguments.split(' ').next().unwrap()));
    answer
}

/// The array in an npy file: its shape and its numbers.
fn array(folder: &Folder, name: &str) -> ([usize; 2], Vec<f32>) {
    let bytes = folder.read(name);
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(end.is_multiple_of(64) && bytes[end - 1] == b'\n');
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    let shape = header.strip_prefix("{'descr': '<f4', 'fortran_order': False, 'shape': (");
    let (rows, columns) = shape.unwrap().split(')').next().unwrap().split_once(", ").unwrap();
    let numbers = bytes[end..]
        .chunks_exact(4)
        .map(|number| f32::from_le_bytes(number.try_into().unwrap()));
    ([rows, columns].map(|side| side.parse().unwrap()), numbers.collect())
}

#[test]
fn frames_speeds_and_tags_that_are_asked_for_are_found() {
    let folder = with_database();
    for [asked, facts] in rows(
        "
        quick.bvh:40                        | clip = quick.bvh; frame = 40; distance = 0
        left-out.bvh:40                     | clip = quick.bvh
        slow.bvh:40 --speed 3               | clip = quick.bvh
        left-out.bvh:40 --tag style=slow    | clip = slow.bvh
        ",
    ) {
        let answer = valid(&folder, &format!("query takes.lwmatch {asked}"));
        holds(&answer["found"][0], facts);
        let distances: Vec<f64> = items(&answer["found"]).map(|found| number(found, "distance")).collect();
        assert!(distances.len() == 5 && distances.is_sorted(), "{distances:?}");
    }
    let standing = valid(&folder, "query takes.lwmatch left-out.bvh:40 --standing left --top 50");
    assert!(items(&standing["found"]).all(|found| found["left_stands"] == true));
    folder.runs("1 match query takes.lwmatch slow.bvh:40 --tag style=run --json");
}

#[test]
fn databases_keep_the_times_ahead_and_the_gaits() {
    let folder = with_database();
    let answer = valid(&folder, "inspect takes.lwmatch");
    holds(&answer, "ahead_secs/2 = 1");
    let gaits = &answer["clips"][0]["gaits"];
    assert!(
        items(gaits).any(|gait| gait.as_str().unwrap().starts_with("walk")),
        "{gaits}"
    );
    folder.runs(
        "
        match build slow.bvh --ahead 0.2,0.5,1.5 -o far.lwmatch
        match build quick.bvh --add far.lwmatch -o farther.lwmatch
        match query farther.lwmatch quick.bvh:40 --gait walk
        1 match query farther.lwmatch quick.bvh:40 --gait backward
        2 match build slow.bvh --ahead 0.5 -o no.lwmatch         | --ahead 0.2,0.4,0.8
        2 match build slow.bvh --ahead 0.5,0.2,1 -o no.lwmatch   | --ahead 0.2,0.4,0.8
        2 match build slow.bvh --ahead 0.1,0.2,30 -o no.lwmatch  | --ahead 0.2,0.4,0.8
        ",
    );
    holds(&valid(&folder, "inspect farther.lwmatch"), "ahead_secs = [0.2,0.5,1.5]");
}

/// The nearest row by its own numbers, as a program would compare them, is the row that `query` finds. Rows that were there keep
/// their numbers when takes are added.
#[test]
fn exported_rows_give_the_same_answers() {
    let folder = with_database();
    let exported = valid(&folder, "export takes.lwmatch --npy rows.npy");
    folder.runs(
        "
        match export takes.lwmatch --take left-out.bvh --npy queries.npy
        match build left-out.bvh --add takes.lwmatch -o more.lwmatch | of them new
        match export more.lwmatch --npy after.npy
        2 match build slow.bvh --add takes.lwmatch -o twice.lwmatch | is in the database already
        ",
    );
    let ([rows, columns], numbers) = array(&folder, "rows.npy");
    let ([_, same], queries) = array(&folder, "queries.npy");
    let (_, after) = array(&folder, "after.npy");
    assert_eq!((exported["rows"].as_u64(), columns, same), (Some(rows as u64), 27, 27));
    assert_eq!(numbers.len(), rows * columns);
    assert!(after.len() > numbers.len() && after.starts_with(&numbers));
    for frame in [0, 17, 60, 101] {
        let asked = &queries[frame * columns..][..columns];
        let distance = |row: &[f32]| row.iter().zip(asked).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let all: Vec<f32> = numbers.chunks_exact(columns).map(distance).collect();
        let nearest = (0..rows).min_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap();
        let answer = valid(&folder, &format!("query takes.lwmatch left-out.bvh:{frame}"));
        assert_eq!(answer["found"][0]["row"], nearest, "frame {frame}");
    }
}

/// A loop has no last frame: every sample can be matched, although none has a second behind it, and its closing key is its first.
#[test]
fn all_samples_of_a_loop_are_rows() {
    let folder = with_database();
    folder.make_folder("loops");
    folder.runs("make quick.bvh -o loops/quick-loop.bvh");
    let samples = number(&folder.json("loops/quick-loop.bvh.json"), "playback/samples");
    for features in ["future", "cost"] {
        folder.succeed(&format!(
            "match build loops slow.bvh --features {features} -o mixed.lwmatch --force"
        ));
        let inspected = valid(&folder, "inspect mixed.lwmatch");
        let clip = "kind = loop\nname = loops/quick-loop.bvh\nleft_stands_share > 0.4\nleft_stands_share < 0.8";
        holds(&inspected["clips"][0], clip);
        assert_eq!(number(&inspected, "clips/0/frames"), samples);
        for (asked, found) in [(0.0, 0.0), (samples - 1.0, samples - 1.0), (samples, 0.0)] {
            let answer = valid(&folder, &format!("query mixed.lwmatch loops/quick-loop.bvh:{asked}"));
            let same = format!("clip = loops/quick-loop.bvh\nframe = {found}\ndistance = 0");
            holds(&answer["found"][0], &same);
        }
        folder.fail(&format!(
            "match query mixed.lwmatch loops/quick-loop.bvh:{}",
            samples + 1.0
        ));
    }
}

#[test]
fn what_cannot_be_matched_is_refused_with_a_way_out() {
    let folder = with_database();
    // A short take, and one that stays in place: a loop without its motion, read as a take.
    folder.runs("synth -o short.bvh --seconds 1 --fps 30\nmake quick.bvh -o placed.bvh --root-motion in-place");
    folder.remove("placed.bvh.json");
    folder.make_folder("set");
    for take in ["slow.bvh", "short.bvh"] {
        folder.copy(take, &format!("set/{take}"));
    }
    // Of a file of several loops, one whose speed is not known is left out by its name; alone it is refused. In a folder a short
    // one is left out, and said.
    folder.runs(
        "
        2 match build short.bvh -o other.lwmatch  | try:
        2 match build placed.bvh -o other.lwmatch | try:
        make placed.bvh -o still.bvh --set output.root-speed=pose
        2 match build still.bvh -o other.lwmatch  | --set output.root-speed=
        make placed.bvh -o stated.bvh --set output.root-speed=1.6
        match build stated.bvh -o stated.lwmatch
        convert quick.bvh hero.glb
        retarget stated.bvh still.bvh --rig hero.glb --into-one -o both.glb
        match build both.glb -o both.lwmatch | left out: cannot match \"both.glb#still-loop\": the feet move at | 1 clip
        retarget still.bvh --rig hero.glb --into-one -o all.glb
        2 match build all.glb -o other.lwmatch | all.glb
        match build set -o whole.lwmatch | left out: cannot match \"set/short.bvh\": the take lasts
        match build set/s*.bvh -o pattern.lwmatch
        2 match query takes.lwmatch slow.bvh:150 | a frame from 0 to
        2 match query takes.lwmatch slow.bvh:40 --speed nan
        2 match query takes.lwmatch slow.bvh:40 --speed 1 --turn-rate inf
        2 match query takes.lwmatch slow.bvh
        2 match build slow.bvh -o takes.lwmatch
        2 match build slow.bvh -o slow.bvh --force
        2 match inspect slow.bvh | not a match database
        ",
    );
    assert!(!folder.has("other.lwmatch"));
    // One of several: the others make a database, and the status says that it is not whole.
    let partly = folder.fail("match build slow.bvh short.bvh -o partly.lwmatch --json");
    holds(&partly.json(), "clips = 1");
    assert_valid(&partly.json(), "match-build");
    assert_eq!(partly.stderr.matches("\"short.bvh\"").count(), 1, "{}", partly.stderr);
    // A damaged database is refused.
    let bytes = folder.read("takes.lwmatch");
    folder.write("cut.lwmatch", &bytes[..500]);
    folder.fail("match inspect cut.lwmatch --json");
    for (at, what) in [(8, "of version"), (3000, "damaged")] {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        folder.write("changed.lwmatch", &changed);
        folder.refuse("match inspect changed.lwmatch", what);
    }
}

/// The walk is a take like any other, off its path by less than a step; what it needs must still be there.
#[test]
fn a_path_is_walked_into_a_take() {
    let folder = with_database();
    folder.write("path.csv", "seconds,x,z\n0,0,0\n\n# a bend\n3,0,3.6\n6;0.6;7.15\n");
    folder.runs(
        "
        synth -o slow.bvh --speed 1.2 --turn-rate 0 --seconds 8 --fps 30 --force
        synth -o quick.bvh --speed 1.2 --turn-rate 20 --seconds 8 --fps 30 --force
        match build slow.bvh quick.bvh -o takes.lwmatch --force
        match build slow.bvh quick.bvh -o same.lwmatch
        ",
    );
    assert_eq!(folder.read("same.lwmatch"), folder.read("takes.lwmatch"));
    let walked = valid(&folder, "walk takes.lwmatch path.csv -o walked.bvh");
    holds(&walked, "mean_path_error_m < 0.6\nfoot_slide_mps < 0.1");
    near(number(&walked, "duration_secs"), 6.0, 0.05);
    // The same path gives the same bytes.
    folder.runs(
        "
        match walk takes.lwmatch path.csv -o walked.glb | off the path | slow.bvh from frame
        inspect walked.glb
        match walk takes.lwmatch path.csv -o again.bvh
        2 match walk takes.lwmatch path.csv -o walked.bvh
        2 match walk takes.lwmatch path.csv -o slow.bvh --force
        1 match walk takes.lwmatch path.csv -o new.bvh --tag style=flight | no row
        ",
    );
    assert_eq!(folder.read("again.bvh"), folder.read("walked.bvh"));
    for (bad, what) in [
        ("0,0,0\n", "two points"),
        ("0,0,0\n0,1,1\n", "times must rise"),
        ("0,0,0\n1,one,1\n", "line 2"),
        ("", "two points"),
    ] {
        folder.write("bad.csv", bad);
        folder.refuse("match walk takes.lwmatch bad.csv -o new.bvh", what);
    }
    folder.remove("slow.bvh");
    folder.refuse("match walk takes.lwmatch path.csv -o new.bvh", "slow.bvh");
    assert!(!folder.has("new.bvh"));
}

/// Ranges of one take are clips of their own, with tags of their own.
#[test]
fn ranges_of_a_take_and_tags_of_takes() {
    let folder = with_database();
    folder.write(
        "tags.csv",
        "# what they do\n*slow*,style=stroll\nquick.bvh:20:60,part=start,style=quick\nquick*;part2=any\n",
    );
    folder.write("bad.csv", "*quick*\n");
    folder.write("other.csv", "*sprint*,style=sprint\n");
    valid(
        &folder,
        "build slow.bvh quick.bvh:20:60 quick.bvh:80:110 --tags tags.csv -o ranges.lwmatch",
    );
    let inspected = valid(&folder, "inspect ranges.lwmatch");
    for (clip, facts) in items(&inspected["clips"]).zip([
        "first_frame = 0\ntags = [style=stroll]",
        "first_frame = 20\nframes = 41\ntags = [part=start style=quick part2=any]",
        "first_frame = 80\nframes = 31\ntags = [part2=any]",
    ]) {
        let mut clip = clip.clone();
        let tags = texts(&clip["tags"], "name")
            .into_iter()
            .zip(texts(&clip["tags"], "value"));
        let tags: Vec<String> = tags.map(|(name, value)| format!("{name}={value}")).collect();
        clip["tags"] = format!("[{}]", tags.join(" ")).into();
        holds(&clip, facts);
    }
    let answer = valid(&folder, "query ranges.lwmatch quick.bvh:90 --tag part=start");
    holds(&answer["found"][0], "frame > 19\nframe < 61");
    // Frames that are there are not added again; others of the same take are.
    folder.runs(
        "
        2 match build quick.bvh:100:120 --add ranges.lwmatch -o more.lwmatch | already
        match build quick.bvh:0:19 --add ranges.lwmatch -o more.lwmatch
        2 match build quick.bvh:20:999 -o bad.lwmatch             | has no frame 999
        2 match build quick.bvh:20 -o bad.lwmatch                 | \"20\" is no range of frames of \"quick.bvh\"
        2 match build quick.bvh:a:b -o bad.lwmatch                | no range
        2 match build quick.bvh --tags bad.csv -o bad.lwmatch     | line 1
        match build quick.bvh --tags other.csv -o warned.lwmatch  | *sprint*
        ",
    );
}
