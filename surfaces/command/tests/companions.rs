//! Files that a glTF file may name: those in its own folder, by their real path, once each, and within the limits of reading.

use std::fs;

#[cfg(unix)]
use crate::harness::pipe;
use crate::harness::{Folder, with_companion};
use serde_json::{Value, json};

/// The walk as text whose motion is in another file, `name`; returns the bytes of that file.
fn gltf_with_companion(folder: &Folder, name: &str) -> Vec<u8> {
    folder.succeed("convert walk.bvh whole.gltf");
    let (gltf, bytes) = with_companion(folder.json("whole.gltf"), name);
    folder.write("walk.gltf", gltf);
    bytes
}

/// Asserts that the glTF file is refused, in words, and that nothing of it gets into an output.
fn refused(folder: &Folder, words: &str) {
    let answer = folder.refuse("convert walk.gltf out.glb --force", words);
    answer.says("\n  try: ");
    assert!(!folder.file("out.glb").exists());
}

#[test]
fn companions_in_the_folder_and_below_are_read() {
    let folder = Folder::with_walk();
    let bytes = gltf_with_companion(&folder, "data/walk.bin");
    folder.make_folder("data");
    folder.write("data/walk.bin", &bytes);
    folder.succeed("convert walk.gltf out.glb");
    // A link to a file in the same folder is one as well.
    #[cfg(unix)]
    {
        fs::rename(folder.file("data/walk.bin"), folder.file("walk.bin")).unwrap();
        std::os::unix::fs::symlink("../walk.bin", folder.file("data/walk.bin")).unwrap();
        folder.succeed("convert walk.gltf out.glb --force");
    }
    // Nothing is fetched from elsewhere.
    let gltf = folder.text("walk.gltf");
    for uri in ["../walk.bin", "/etc/passwd", "gone.bin"] {
        folder.write("broken.gltf", gltf.replace("data/walk.bin", uri));
        folder.refuse("inspect broken.gltf", &format!("\"{uri}\" cannot be read"));
    }
}

/// `tex.bin -> /etc/passwd` beside a glTF file once got that file into the output.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    use std::os::unix::fs::symlink;

    let (folder, elsewhere) = (Folder::with_walk(), Folder::new());
    let bytes = gltf_with_companion(&folder, "tex.bin");
    elsewhere.write("secret.bin", bytes);
    symlink(elsewhere.file("secret.bin"), folder.file("tex.bin")).unwrap();
    refused(&folder, "it is a link to a file that does not lie in the same folder");
    fs::remove_file(folder.file("tex.bin")).unwrap();

    let gltf = folder.text("walk.gltf").replace("tex.bin", "linked/secret.bin");
    folder.write("walk.gltf", gltf);
    symlink(elsewhere.path(), folder.file("linked")).unwrap();
    refused(&folder, "it is a link to a file that does not lie in the same folder");
}

/// A pipe or a device has no end, or no beginning.
#[cfg(unix)]
#[test]
fn a_pipe_as_companion_is_refused_and_not_waited_for() {
    let folder = Folder::with_walk();
    gltf_with_companion(&folder, "tex.bin");
    pipe(&folder.file("tex.bin"));
    refused(&folder, "it is no file but a folder, a pipe or a device");
}

/// One named like a loop once made `check FOLDER` wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_named_like_a_loop_is_passed_over() {
    let folder = Folder::with_walk();
    folder.make_folder("loops");
    folder.succeed("make walk.bvh -o loops/walk-loop.bvh");
    pipe(&folder.file("loops/pipe-loop.bvh"));
    let checked = folder.succeed("check loops");
    checked.begins("loops/walk-loop.bvh: ");
    assert!(!checked.stdout.contains("pipe-loop"), "{}", checked.stdout);
    folder.refuse("inspect loops/pipe-loop.bvh", "a pipe, a socket or a device");
}

/// Two thousand buffers that name the file itself, or one large file a hundred times, once took gigabytes.
#[test]
fn a_small_file_that_names_large_ones_often_stays_small() {
    let folder = Folder::with_walk();
    let bytes = gltf_with_companion(&folder, "walk.bin");
    folder.write("walk.bin", &bytes);
    folder.write("large.bin", vec![1; 20 << 20]);
    let mut gltf = folder.json("walk.gltf");
    let buffers = gltf["buffers"].as_array_mut().unwrap();
    let names = ["large.bin", "walk.gltf"].into_iter().cycle().take(200);
    buffers.extend(names.map(|name| json!({"uri": name, "byteLength": 20 << 20})));
    let views: &mut Vec<Value> = gltf["bufferViews"].as_array_mut().unwrap();
    views.extend((1..200).map(|buffer| json!({"buffer": buffer, "byteLength": 4})));
    folder.write("walk.gltf", gltf.to_string());
    folder.succeed("convert walk.gltf out.glb --max-memory 100M");
    let written = fs::metadata(folder.file("out.glb")).unwrap().len();
    assert!(written < 22 << 20, "{written}");
}

/// A file that is too large was once read to its end before it was refused; so is a take beyond the memory limit, with what it
/// needs.
#[test]
fn what_is_above_a_limit_is_refused_by_its_size() {
    let folder = Folder::with_walk();
    // Without contents on the disk.
    let file = fs::File::create(folder.file("huge.bvh")).unwrap();
    file.set_len(5 << 30).unwrap();
    let start = std::time::Instant::now();
    folder.runs("2 inspect huge.bvh | \"huge.bvh\" is too large: it has 5.0 GiB, the limit is | try:");
    assert!(start.elapsed().as_secs() < 2);
    // A command that only reports on a take needs less than one that works on it.
    folder.runs(
        "
        2 find walk.bvh --max-memory 200K       | of memory are needed | the limit is 200 KiB | try: --max-memory with more than
        2 inspect walk.bvh --max-memory 100K    | of memory are needed | the limit is 100 KiB | try: --max-memory with more than
        ",
    );
}
