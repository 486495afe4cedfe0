//! The cost of jumps, as the command reports it.

use crate::harness::{Folder, holds, items, number, rows, texts};
use serde_json::Value;

/// `walk.bvh` and its loop, and a quicker walk at another rate with its loop.
fn walks() -> Folder {
    let folder = Folder::with_walk();
    folder.runs(
        "
        synth -o quick.bvh --seconds 4 --fps 50 --period 0.86 --speed 1.9 --seed 11
        make walk.bvh --cycles 1 -o walk-loop.bvh
        make quick.bvh --cycles 1 -o quick-loop.bvh --add-root
        ",
    );
    folder
}

/// The cheapest jump of a table.
fn best(folder: &Folder, motions: &str) -> Value {
    folder.answer(&format!("cost {motions} --json"))["table"]["best"][0].clone()
}

#[test]
fn frames_takes_and_loops_are_compared() {
    let folder = walks();
    let pair = folder.answer("cost walk.bvh:30 quick.bvh:45 --json");
    holds(&pair, "table = null\nleft/kind = take");
    assert_eq!(texts(&pair["pair"]["costs"], "decay"), ["spring", "cubic", "quintic"]);
    let table = folder.answer("cost walk-loop.bvh quick-loop.bvh --json");
    holds(
        &table,
        "pair = null\nleft/kind = loop\nentered/kind = loop\ntable/matching_phase < 1",
    );
    let [rows, columns] = ["left/frames", "entered/frames"].map(|key| number(&table, key) as usize);
    let costs = &table["table"]["costs_metre_secs"];
    assert_eq!([items(costs).len(), items(&costs[0]).len()], [rows, columns]);
    let all = items(costs).flat_map(items).map(|cost| cost.as_f64().unwrap());
    let cheapest = all.fold(f64::INFINITY, f64::min);
    let best_of_all = &table["table"]["best"][0];
    assert_eq!(number(best_of_all, "cost_metre_secs"), cheapest);
    assert!(cheapest < number(&table, "table/median_metre_secs"));

    // The same jump alone has the same cost, and its closing key is its first sample.
    let (exit, entry) = (&best_of_all["exit_frame"], &best_of_all["entry_frame"]);
    let one = folder.answer(&format!("cost walk-loop.bvh:{exit} quick-loop.bvh:{entry} --json"));
    assert_eq!(number(&one, "pair/costs/0/cost_metre_secs"), cheapest);
    let closing = folder.answer(&format!("cost walk-loop.bvh:{rows} walk-loop.bvh:0 --json"));
    holds(&closing, "pair/costs/2/cost_metre_secs = 0");
    let from_one = best(&folder, &format!("walk-loop.bvh:{exit} quick-loop.bvh"));
    assert_eq!(number(&from_one, "cost_metre_secs"), cheapest);

    folder.runs(
        "
        cost walk-loop.bvh quick.bvh --fade quintic --blend 0.3 --top 2 | quintic of 0.300 s | leave frame | costs in metre-seconds
        cost walk-loop.bvh quick-loop.bvh --plot map.svg
        cost walk-loop.bvh quick-loop.bvh --plot map.PNG
        2 cost walk-loop.bvh quick-loop.bvh --plot map.svg
        2 cost walk.bvh:3 quick.bvh:4 --plot axes.svg | one jump
        ",
    );
    assert!(folder.text("map.svg").contains("When to leave"));
    assert!(folder.read("map.PNG").starts_with(b"\x89PNG"));
}

#[test]
fn colons_in_names_are_part_of_them() {
    let folder = Folder::with_walk();
    folder.copy("walk.bvh", "take:2");
    folder.copy("walk.bvh", "a:b.bvh");
    for [motions, facts] in rows(
        "
        take:2 walk.bvh      | left/frame = null; left/file = take:2
        take:2:7 a:b.bvh:9   | left/frame = 7; entered/frame = 9
        ",
    ) {
        holds(&folder.answer(&format!("cost {motions} --json")), facts);
    }
}

#[test]
fn of_many_motions_each_pair_has_the_jump_that_it_has_alone() {
    let folder = walks();
    folder.runs("synth -o slow.bvh --seconds 4 --fps 30 --speed 0.9");
    folder.make_folder("set");
    let names = ["quick.bvh", "slow.bvh", "walk-loop.bvh"];
    for name in names.into_iter().chain(["walk-loop.bvh.json"]) {
        folder.copy(name, &format!("set/{name}"));
    }
    let among = &folder.answer("cost set --json")["among"];
    let files = texts(&among["motions"], "file");
    assert_eq!(files, ["set/quick.bvh", "set/slow.bvh", "set/walk-loop.bvh"]);
    holds(among, "motions/2/kind = loop");
    for (exit, left) in names.iter().enumerate() {
        for (entry, entered) in names.iter().enumerate() {
            let of_pair = |key: &str| &among[key][exit][entry];
            if exit == entry {
                assert!(of_pair("costs_metre_secs").is_null());
                continue;
            }
            let alone = best(&folder, &format!("{left} {entered}"));
            for (key, of_best) in [
                ("costs_metre_secs", "cost_metre_secs"),
                ("exits_secs", "exit_secs"),
                ("entries_secs", "entry_secs"),
            ] {
                assert_eq!(of_pair(key), &alone[of_best], "{left} into {entered}");
            }
        }
    }
    let costs: Vec<f64> = items(&among["best"])
        .map(|jump| number(jump, "cost_metre_secs"))
        .collect();
    assert!(costs.len() == 6 && costs.is_sorted(), "{costs:?}");
    // Three files mean the same as their folder; all of it is drawn as a map with their names.
    folder.runs(
        "
        cost set --plot map.svg
        2 cost set --plot map.svg | map.svg
        cost set --plot map.png
        2 cost set --plot set/quick.bvh.svg/x.png
        cost quick.bvh slow.bvh walk-loop.bvh --top 1 | 3 motions, spring of 0.100 s
        ",
    );
    let map = folder.text("map.svg");
    for name in ["quick", "slow", "walk-loop"] {
        assert_eq!(map.matches(&format!(">{name}<")).count(), 2, "{name}");
    }
    // One that cannot be read, and one of another skeleton, stop nothing.
    folder.write("set/other.bvh", folder.text("walk.bvh").replacen("Head", "Kopf", 1));
    folder.write("set/torn.bvh", "HIERARCHY");
    let torn = folder.refuse("cost set --json", "torn.bvh");
    torn.says("6 of 12 jumps lead to another skeleton");
    holds(&torn.json(), "among/best/5 != null\namong/best/6 = null\nerror != null");
}

#[test]
fn what_cannot_be_compared_is_said_to_be_so() {
    let folder = Folder::with_walk();
    folder.write("other.bvh", folder.text("walk.bvh").replacen("Head", "Kopf", 1));
    // A single bad frame allows no jump.
    folder.runs(
        "
        2 cost walk.bvh:900 walk.bvh:1                     | no frame 900 | 0 to
        2 cost walk.bvh:1.5 walk.bvh:1                     | \"1.5\" is no frame | whole numbers
        2 cost walk.bvh:-1 walk.bvh:1                      | \"-1\" is no frame
        2 cost nothing.bvh:1 walk.bvh:1                    | cannot read \"nothing.bvh\"
        2 cost walk.bvh walk.bvh --half-life 0             | --half-life must be | --half-life 0.1
        2 cost walk.bvh walk.bvh --blend nan               | --blend must be | --blend 0.4
        2 cost walk.bvh walk.bvh --joint-weight Nobody=1   | Nobody
        2 cost walk.bvh walk.bvh --plot map.pdf            | .svg or .png
        2 cost walk.bvh                                    | 1 motion to compare | two motions
        2 cost walk.bvh other.bvh                          | another skeleton | only in \"walk.bvh\": Head | only in \"other.bvh\": Kopf
        synth -o pose.bvh --seconds 4 --fps 30 --t-pose
        1 cost pose.bvh:0 walk.bvh
        ",
    );
}
