//! The cost of jumps, as the command reports it.

use crate::harness::{Folder, items, number};

/// `walk.bvh` and its loop, and a quicker walk at another rate with its loop.
fn walks() -> Folder {
    let folder = Folder::with_walk();
    folder.succeed("synth -o quick.bvh --seconds 4 --fps 50 --period 0.86 --speed 1.9 --seed 11");
    folder.succeed("make walk.bvh --cycles 1 -o walk-loop.bvh");
    folder.succeed("make quick.bvh --cycles 1 -o quick-loop.bvh --add-root");
    folder
}

#[test]
fn frames_takes_and_loops_are_compared() {
    let folder = walks();
    let pair = folder.answer("cost walk.bvh:30 quick.bvh:45 --json");
    let costs = pair["pair"]["costs"].as_array().unwrap();
    assert_eq!(costs.len(), 3);
    for (index, decay) in ["spring", "cubic", "quintic"].into_iter().enumerate() {
        assert_eq!(costs[index]["decay"], decay);
        let (exact, feature) = (
            number(&costs[index], "cost_metre_secs"),
            number(&costs[index], "feature_cost_metre_secs"),
        );
        assert!(feature > 0.0 && feature <= exact, "{decay}: {feature}, {exact}");
        let gaps = pair["pair"]["gaps"].as_array().unwrap();
        let parts: f64 = gaps
            .iter()
            .map(|gap| gap["costs_metre_secs"][index].as_f64().unwrap())
            .sum();
        assert!((parts - exact).abs() < 1e-9);
    }
    assert!(pair["table"].is_null() && pair["left"]["kind"] == "take");

    let table = folder.answer("cost walk-loop.bvh quick-loop.bvh --json");
    assert!(table["pair"].is_null() && table["left"]["kind"] == "loop" && table["entered"]["kind"] == "loop");
    let [rows, columns] = ["left/frames", "entered/frames"].map(|key| number(&table, key) as usize);
    let costs = table["table"]["costs_metre_secs"].as_array().unwrap();
    assert_eq!((costs.len(), costs[0].as_array().unwrap().len()), (rows, columns));
    let all = costs.iter().flat_map(|row| row.as_array().unwrap());
    let cheapest = all.map(|cost| cost.as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    let best = &table["table"]["best"][0];
    assert_eq!(number(best, "cost_metre_secs"), cheapest);
    assert!(number(&table, "table/matching_phase") < 1.0 && cheapest < number(&table, "table/median_metre_secs"));

    // The same jump alone has the same cost, and its closing key is its first sample.
    let (exit, entry) = (number(best, "exit_frame"), number(best, "entry_frame"));
    let one = folder.answer(&format!("cost walk-loop.bvh:{exit} quick-loop.bvh:{entry} --json"));
    assert_eq!(number(&one["pair"]["costs"][0], "cost_metre_secs"), cheapest);
    let closing = folder.answer(&format!("cost walk-loop.bvh:{rows} walk-loop.bvh:0 --json"));
    assert_eq!(number(&closing["pair"]["costs"][2], "cost_metre_secs"), 0.0);
    let from_one = folder.answer(&format!("cost walk-loop.bvh:{exit} quick-loop.bvh --json"));
    assert_eq!(number(&from_one["table"]["best"][0], "cost_metre_secs"), cheapest);

    let text = folder
        .succeed("cost walk-loop.bvh quick.bvh --fade quintic --blend 0.3 --top 2")
        .stdout;
    let is_said = text.contains("quintic of 0.300 s") && text.contains("leave frame");
    assert!(is_said, "{text}");
    assert!(text.contains("costs in metre-seconds"), "{text}");
}

#[test]
fn plots_are_drawn_of_pairs_and_tables() {
    let folder = walks();
    folder.succeed("cost walk-loop.bvh quick-loop.bvh --plot map.svg");
    assert!(folder.text("map.svg").contains("When to leave"));
    folder.succeed("cost walk.bvh:3 quick.bvh:4 --plot axes.PNG");
    assert!(folder.read("axes.PNG").starts_with(b"\x89PNG"));
    folder.fail("cost walk.bvh:3 quick.bvh:4 --plot map.svg");
    folder.succeed("cost walk.bvh:3 quick.bvh --plot map.svg --force");
}

#[test]
fn colons_in_names_are_part_of_them() {
    let folder = Folder::with_walk();
    folder.copy("walk.bvh", "take:2");
    folder.copy("walk.bvh", "a:b.bvh");
    let whole = folder.answer("cost take:2 walk.bvh --json");
    assert!(whole["left"]["frame"].is_null() && whole["left"]["file"] == "take:2");
    let frame = folder.answer("cost take:2:7 a:b.bvh:9 --json");
    assert!(number(&frame, "left/frame") == 7.0 && number(&frame, "entered/frame") == 9.0);
}

#[test]
fn of_many_motions_each_pair_has_the_jump_that_it_has_alone() {
    let folder = walks();
    folder.succeed("synth -o slow.bvh --seconds 4 --fps 30 --speed 0.9");
    folder.make_folder("set");
    let names = ["quick.bvh", "slow.bvh", "walk-loop.bvh"];
    for name in names {
        folder.copy(name, &format!("set/{name}"));
    }
    folder.copy("walk-loop.bvh.json", "set/walk-loop.bvh.json");
    let among = &folder.answer("cost set --json")["among"];
    let motions: Vec<_> = items(&among["motions"]).collect();
    let files: Vec<_> = motions.iter().map(|motion| motion["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["set/quick.bvh", "set/slow.bvh", "set/walk-loop.bvh"]);
    assert_eq!(motions[2]["kind"], "loop");
    let mut cheapest = f64::INFINITY;
    for (exit, left) in names.iter().enumerate() {
        for (entry, entered) in names.iter().enumerate() {
            let cost = &among["costs_metre_secs"][exit][entry];
            if exit == entry {
                assert!(cost.is_null());
                continue;
            }
            let alone = folder.answer(&format!("cost {left} {entered} --json"));
            let best = &alone["table"]["best"][0];
            assert_eq!(cost, &best["cost_metre_secs"], "{left} into {entered}");
            cheapest = cheapest.min(number(best, "cost_metre_secs"));
        }
    }
    let best = among["best"].as_array().unwrap();
    assert_eq!(best.len(), 6);
    assert!(
        best.windows(2)
            .all(|two| number(&two[0], "cost_metre_secs") <= number(&two[1], "cost_metre_secs"))
    );
    assert!(number(&best[0], "cost_metre_secs") == cheapest);
    // When each is left and the next entered, for every pair; and all of it as a map with their names.
    for (exit, entry) in [(0, 1), (2, 0)] {
        let alone = folder.answer(&format!("cost {} {} --json", names[exit], names[entry]));
        let best = &alone["table"]["best"][0];
        assert_eq!(among["exits_secs"][exit][entry], best["exit_secs"]);
        assert_eq!(among["entries_secs"][exit][entry], best["entry_secs"]);
    }
    let drawn = folder.answer("cost set --plot map.svg --json");
    assert_eq!(drawn["outputs"], serde_json::json!(["map.svg"]));
    let map = folder.text("map.svg");
    for name in ["quick", "slow", "walk-loop"] {
        assert_eq!(map.matches(&format!(">{name}<")).count(), 2, "{name}");
    }
    folder.fail("cost set --plot map.svg").says("map.svg");
    folder.succeed("cost set --plot map.png");
    folder.fail("cost set --plot set/quick.bvh.svg/x.png");
    // Three files mean the same as their folder.
    let named = folder.succeed("cost quick.bvh slow.bvh walk-loop.bvh --top 1");
    assert_eq!(named.stdout.lines().count(), 4, "{}", named.stdout);
    named.shows("3 motions, spring of 0.100 s");

    // One that cannot be read, and one of another skeleton, stop nothing.
    let other = folder.text("walk.bvh").replacen("Head", "Kopf", 1);
    folder.write("set/other.bvh", other);
    folder.write("set/torn.bvh", "HIERARCHY");
    let torn = folder.refuse("cost set --json", "torn.bvh");
    torn.says("6 of 12 jumps lead to another skeleton");
    let document = torn.json();
    assert_eq!(document["among"]["best"].as_array().unwrap().len(), 6);
    assert!(document["error"].is_object());
}

#[test]
fn what_cannot_be_compared_is_said_to_be_so() {
    let folder = Folder::with_walk();
    let other = folder.text("walk.bvh").replacen("Head", "Kopf", 1);
    folder.write("other.bvh", other);
    for (arguments, words) in [
        ("walk.bvh:900 walk.bvh:1", vec!["no frame 900", "0 to "]),
        ("walk.bvh:1.5 walk.bvh:1", vec!["\"1.5\" is no frame", "whole numbers"]),
        ("walk.bvh:-1 walk.bvh:1", vec!["\"-1\" is no frame"]),
        ("nothing.bvh:1 walk.bvh:1", vec!["cannot read \"nothing.bvh\""]),
        (
            "walk.bvh walk.bvh --half-life 0",
            vec!["--half-life must be", "--half-life 0.1"],
        ),
        ("walk.bvh walk.bvh --blend nan", vec!["--blend must be", "--blend 0.4"]),
        ("walk.bvh walk.bvh --joint-weight Nobody=1", vec!["Nobody"]),
        ("walk.bvh walk.bvh --plot map.pdf", vec![".svg or .png"]),
        ("walk.bvh", vec!["1 motion to compare", "two motions"]),
        (
            "walk.bvh other.bvh",
            vec![
                "another skeleton",
                "only in \"walk.bvh\": Head",
                "only in \"other.bvh\": Kopf",
            ],
        ),
    ] {
        let answer = folder.fail(&format!("cost {arguments}"));
        assert!(answer.stdout.is_empty());
        for words in words {
            answer.says(words);
        }
    }
    // A single bad frame allows no jump.
    folder.succeed("synth -o pose.bvh --seconds 4 --fps 30 --t-pose");
    folder.run("cost pose.bvh:0 walk.bvh").ended(1);
}
