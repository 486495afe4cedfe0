//! `report` writes one page that needs nothing else, and nothing that stands in a file becomes markup or script of it. How the
//! page looks and plays: `.ci/report`.

use std::collections::BTreeSet;

use crate::harness::{Folder, holds, schema::assert_valid};

/// Tags that the page is made of; a name in a file could only add others, or break these.
const TAGS: &str = "a bdi body button canvas caption details div figcaption figure form h1 h2 h3 head header html input label line \
     main meta option output p path rect script section select span style summary svg table tbody td template text th \
     thead title tr ul li b i";

fn with_loops() -> Folder {
    let folder = Folder::new();
    folder.make_folder("takes");
    for (index, turn) in [0, 20, 40].into_iter().enumerate() {
        let options = format!("synth -o takes/walk_{index}.bvh --seconds 4 --fps 30 --seed {index} --turn-rate {turn}");
        folder.succeed(&options);
    }
    folder.succeed("make takes -o loops --catalog loops/all.jsonl --name {stem}");
    folder
}

/// The text between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let after = text.split_once(start).unwrap_or_else(|| panic!("no {start}")).1;
    after.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

/// The tags of a page, outside of its script and its style.
fn tags(page: &str) -> Vec<String> {
    let script = between(page, "<script>", "</script>");
    let style = between(page, "<style>", "</style>");
    let markup = page.replace(script, "").replace(style, "");
    let opened = markup.split('<').skip(1);
    opened
        .map(|tag| tag.trim_start_matches('/'))
        .map(|tag| tag.chars().take_while(char::is_ascii_alphanumeric).collect())
        .collect()
}

#[test]
fn folders_catalogs_and_loops_become_one_page_each() {
    let folder = with_loops();
    let answer = folder.answer("report loops -o folder.html --json");
    assert_valid(&answer, "report");
    holds(&answer, "loops = 3\nwith_take = 3");
    assert_eq!(answer["page_bytes"], folder.read("folder.html").len());
    let page = folder.text("folder.html");
    for part in [
        "<!doctype html>",
        "loops/walk_0.bvh",
        "loops/walk_2.bvh",
        "Over the seam",
        "Path from above",
        "Contacts",
        "<td class=\"w\" data-v=\"walk\">walk</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // In the order of the catalog, and the same again for any number of jobs.
    folder.runs(
        "
        report loops/all.jsonl -o catalog.html --jobs 2 --title same
        report loops/all.jsonl -o again.html --jobs 7 --title same
        report loops/walk_1.bvh -o one.html | 1 loop, 1 beside their takes
        2 report loops/walk_1.bvh -o one.html
        2 report loops/walk_1.bvh -o one.pdf
        ",
    );
    assert_eq!(folder.read("catalog.html"), folder.read("again.html"));
    assert!(folder.read("one.html").len() < 1_000_000);
    // A page needs nothing but itself.
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("@import") && !page.contains("url("));
    assert!(!page.contains(" src=") && !page.contains("<link"));
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let script = between(&page, "<script>", "</script>");
    assert!(script.len() <= 20 * 1024, "{} bytes of script", script.len());
}

#[test]
fn names_in_files_never_become_markup() {
    let folder = Folder::with_walk();
    let hostile = "<script>alert(1)</script>\"' onload=\"x\u{202e}&amp;";
    // Joints, files, reasons, warnings: whatever a file may say.
    let joints = folder.text("walk.bvh").replace("RightLeg", "R<b>Leg</b>\"'&");
    folder.write("walk.bvh", joints.replace("LeftToeBase", "L</script>Toe"));
    folder.succeed("make walk.bvh -o loop.bvh");
    let mut sidecar = folder.json("loop.bvh.json");
    sidecar["quality"]["reason"] = hostile.into();
    sidecar["quality"]["seam_joint"] = "R<b>Leg</b>\"'&".into();
    sidecar["take"]["file"] = format!("{hostile}.bvh").into();
    sidecar["closure"]["method"] = hostile.into();
    sidecar["warnings"] = vec![hostile].into();
    for contact in sidecar["feet"]["contacts"].as_array_mut().unwrap() {
        contact["joint"] = hostile.into();
        contact["length_secs"] = 1e12.into();
    }
    folder.write("loop.bvh.json", sidecar.to_string());
    folder
        .run_list(&["report", "loop.bvh", "-o", "page.html", "--title", hostile])
        .done();
    let page = folder.text("page.html");
    assert!(page.contains("&lt;script&gt;alert(1)"), "the names are shown");
    let known: BTreeSet<&str> = TAGS.split(' ').collect();
    for tag in tags(&page) {
        assert!(known.contains(tag.as_str()) || tag.is_empty(), "<{tag}>");
    }
    assert_eq!(page.matches("<script").count(), 2, "the clips and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<b>") && !page.contains("onload=\""));
}

#[test]
fn what_cannot_be_shown_is_listed() {
    let folder = with_loops();
    folder.write("loops/broken.bvh", "HIERARCHY");
    folder.write("loops/broken.bvh.json", "{}");
    let document = folder.fail("report loops -o page.html --json").json();
    assert_valid(&document, "report");
    holds(&document, "loops = 3\nnot_shown/0/file = loops/broken.bvh");
    let page = folder.text("page.html");
    assert!(page.contains("<h3>Not shown</h3>") && page.contains("3 loops, 3 good, 1 not shown"));
    // Without its take a loop is shown alone; without its sidecar by its keys.
    folder.copy("loops/walk_0.bvh", "bare-loop.bvh");
    std::fs::remove_dir_all(folder.file("takes")).unwrap();
    folder.runs(
        "
        report loops/walk_1.bvh bare-loop.bvh -o alone.html | 2 loops, 0 beside their takes
        2 report nothing.bvh -o none.html
        2 report loops/broken.bvh -o none.html
        ",
    );
    assert!(!folder.has("none.html"));
}

#[test]
fn loops_of_a_character_share_its_mesh() {
    let folder = Folder::with_character();
    folder.make_folder("loops");
    // A root joint above the others makes another skeleton, but no other mesh.
    folder.runs(
        "
        make hero.glb -o loops/one.glb
        make hero.glb -o loops/two.glb
        make hero.glb --add-root -o loops/three.glb
        report loops -o page.html
        report loops --capsules -o capsules.html
        ",
    );
    let page = folder.text("page.html");
    let meshes: Vec<&str> = page.split(" id=\"mesh-").skip(1).collect();
    assert_eq!(meshes.len(), 1);
    assert!(meshes[0].find("</script>").unwrap() < 300_000);
    // Of each loop and of its take.
    assert_eq!(page.matches("\"s\":").count(), 6);
    assert!(!folder.text("capsules.html").contains(" id=\"mesh-"));
}
