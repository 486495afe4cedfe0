//! Which joint follows which, for the skeletons of many programs: what their names say, in every rest pose.
//!
//! `joint_names/programs.txt` holds the skeletons. Their joints are put where they are in a person, so what is tested is that the map
//! finds the same part of the body in both.

use std::fmt::Write;

use glam::{DQuat, DVec3};
use loopwright_core::{
    Take,
    math::{Rigid, rotation},
    retarget::{JointMap, Link, Rig},
};

use crate::support::characters::{Tree, rig_at_rest};

/// A choice of at least this confidence is not printed as unsure.
const SURE: f64 = 0.75;

/// A part of the body, as the table names it.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    name: String,
    /// 1 for the left, -1 for the right, 0 for the middle.
    side: i8,
    /// Which of those of a trunk or of a finger, from the hips or the hand.
    index: usize,
}

#[derive(Clone, Debug)]
struct Row {
    name: String,
    parent: Option<usize>,
    part: Option<Part>,
    /// Whether it may follow something although it is no part of its own.
    may_follow: bool,
    place: Option<String>,
    side: i8,
}

#[derive(Clone, Debug)]
struct Program {
    name: String,
    rows: Vec<Row>,
    /// Whether the names say anything.
    is_named: bool,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    /// How far the arms hang down, radians.
    arms_down: f64,
    has_own_axes: bool,
}

const T_POSE: Rest = rest(0.0, false);

const RESTS: [Rest; 4] = [T_POSE, rest(0.8, false), rest(0.0, true), rest(1.2, true)];

const fn rest(arms_down: f64, has_own_axes: bool) -> Rest {
    Rest {
        arms_down,
        has_own_axes,
    }
}

/// Returns the skeletons of the table.
fn programs() -> Vec<Program> {
    let table = include_str!("joint_names/programs.txt");
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        match line.strip_prefix("* ") {
            Some(title) => blocks.push((title, Vec::new())),
            None => blocks.last_mut().unwrap().1.push(line),
        }
    }
    blocks
        .into_iter()
        .map(|(title, lines)| {
            let (name, sides) = title.rsplit_once(", ").unwrap();
            let (left, right) = sides.split_once(' ').unwrap();
            Program {
                name: name.to_owned(),
                rows: rows(&doubled(&lines, left, right)),
                is_named: true,
            }
        })
        .collect()
}

fn depth(line: &str) -> usize {
    (line.len() - line.trim_start().len()) / 2
}

/// Lines with the side that they name; a line of a side and all below it stand twice.
fn doubled(lines: &[&str], left: &str, right: &str) -> Vec<(String, i8)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].contains("{}") {
            all.push((lines[at].to_owned(), 0));
            at += 1;
            continue;
        }
        let below = lines[at + 1..].iter().take_while(|line| depth(line) > depth(lines[at]));
        let end = at + 1 + below.count();
        for (text, side) in [(left, 1), (right, -1)] {
            all.extend(lines[at..end].iter().map(|line| (line.replace("{}", text), side)));
        }
        at = end;
    }
    all
}

fn rows(lines: &[(String, i8)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for (line, side) in lines {
        above.truncate(depth(line));
        let (text, place) = match line.trim().split_once(" @ ") {
            Some((text, place)) => (text, Some(place.to_owned())),
            None => (line.trim(), None),
        };
        let (name, part) = match text.split_once(" = ") {
            Some((name, part)) => (name, Some(part)),
            None => (text, None),
        };
        let may_follow = part == Some("any");
        let mut side = *side;
        let part = part.filter(|_| !may_follow).map(|part| {
            // If the names of a skeleton state sides in more than one way, the table states the side.
            let (part, said) = part.split_once(' ').unwrap_or((part, ""));
            side = match said {
                "left" => 1,
                "right" => -1,
                _ => side,
            };
            let like = |row: &&Row| {
                row.part
                    .as_ref()
                    .is_some_and(|other| other.name == part && other.side == side)
            };
            Part {
                name: part.to_owned(),
                side,
                index: rows.iter().filter(like).count(),
            }
        });
        rows.push(Row {
            name: name.to_owned(),
            parent: above.last().copied(),
            part,
            may_follow,
            place,
            side,
        });
        above.push(rows.len() - 1);
    }
    rows
}

/// Returns the place of a part of a person, metres; `index` of `count` along a trunk.
fn place_of(name: &str, index: usize, count: usize) -> DVec3 {
    let along = |low: f64, high: f64| {
        let share = if count > 1 {
            index as f64 / (count - 1) as f64
        } else {
            0.5
        };
        DVec3::new(0.0, low + (high - low) * share, 0.0)
    };
    let finger = |row: f64| DVec3::new(0.78 + 0.03 * index as f64, 1.42, 0.03 - 0.02 * row);
    match name {
        "hips" => DVec3::new(0.0, 0.95, 0.0),
        "pelvis" => DVec3::new(0.0, 0.94, 0.0),
        "spine" => along(1.05, 1.34),
        "neck" => along(1.46, 1.52),
        "head" => DVec3::new(0.0, 1.58, 0.0),
        "clavicle" => DVec3::new(0.03 + 0.08 * index as f64, 1.41, 0.01),
        "upperarm" => DVec3::new(0.18, 1.42, 0.0),
        "forearm" => DVec3::new(0.45, 1.42, 0.0),
        "hand" => DVec3::new(0.7, 1.42, 0.0),
        "thumb" => DVec3::new(0.73 + 0.02 * index as f64, 1.41, 0.03 + 0.02 * index as f64),
        "index" => finger(0.0),
        "middle" => finger(1.0),
        "ring" => finger(2.0),
        "pinky" => finger(3.0),
        "thigh" => DVec3::new(0.09, 0.9, 0.0),
        "shin" => DVec3::new(0.09, 0.49, 0.005),
        "foot" => DVec3::new(0.09, 0.085, -0.01),
        "toe" => DVec3::new(0.09, 0.025, 0.12),
        _ => panic!("no part {name}"),
    }
}

/// Returns the place for an entry of the table: a part, or a point on the way from a part to the next.
fn place_between(place: &str) -> DVec3 {
    let (name, share) = place.split_once('+').unwrap_or((place, "0"));
    let next = match name {
        "hips" => "spine",
        "spine" => "neck",
        "neck" => "head",
        "clavicle" => "upperarm",
        "upperarm" => "forearm",
        "forearm" => "hand",
        "hand" => "middle",
        "thigh" => "shin",
        "shin" => "foot",
        "foot" => "toe",
        _ => name,
    };
    place_of(name, 0, 1).lerp(place_of(next, 0, 1), share.parse().unwrap())
}

/// Returns the skeleton at rest: a take of its rest pose.
fn at_rest(program: &Program, rest: Rest) -> Take {
    let rows = &program.rows;
    let mut tree = Tree::default();
    for (number, row) in rows.iter().enumerate() {
        let above = row
            .parent
            .map_or(DVec3::ZERO, |parent| tree.joints[parent].2.translation);
        let known = match (&row.part, &row.place) {
            (Some(part), _) => Some(place_of(&part.name, part.index, count(program, part))),
            (None, Some(place)) => Some(place_between(place)),
            (None, None) => None,
        };
        let at = match known {
            Some(place) => {
                let shoulder = place_of("upperarm", 0, 1);
                let is_arm = place.x >= shoulder.x;
                let place = if is_arm {
                    shoulder + rotation::exp(DVec3::NEG_Z * rest.arms_down) * (place - shoulder)
                } else {
                    place
                };
                DVec3::new(place.x * f64::from(row.side), place.y, place.z)
            }
            None if row.parent.is_none() => DVec3::ZERO,
            None => above + DVec3::new(0.02 * f64::from(row.side), 0.01, 0.03),
        };
        let axes = DVec3::new(1.1, -0.7, 2.3) * (1.0 + 0.37 * number as f64);
        let axes = if rest.has_own_axes {
            rotation::exp(axes)
        } else {
            DQuat::IDENTITY
        };
        tree.joints.push((row.name.clone(), row.parent, Rigid::new(axes, at)));
    }
    tree.take()
}

fn rig(program: &Program, rest: Rest) -> Rig {
    rig_at_rest(&at_rest(program, rest))
}

/// Returns the joint of a part, where the skeleton has it.
fn joint_of(program: &Program, part: &Part) -> Option<usize> {
    program.rows.iter().position(|row| row.part.as_ref() == Some(part))
}

fn count(program: &Program, part: &Part) -> usize {
    let like = |row: &&Row| {
        row.part
            .as_ref()
            .is_some_and(|other| other.name == part.name && other.side == part.side)
    };
    program.rows.iter().filter(like).count()
}

/// Returns the fault of a target joint's link, if any.
fn fault(source: &Program, target: &Program, joint: usize, link: Option<Link>) -> Option<String> {
    let row = &target.rows[joint];
    let name = |joint: usize| &source.rows[joint].name;
    let follows = link.map_or("nothing".to_owned(), |link| match link.toward {
        None => format!("{} ({:.2})", name(link.from), link.confidence),
        Some((toward, share)) => format!("{}..{} {share:.2}", name(link.from), name(toward)),
    });
    let Some(part) = &row.part else {
        let has_name = source.rows.iter().any(|other| other.name == row.name);
        let is_right = row.may_follow || has_name || link.is_none();
        return (!is_right).then(|| format!("{} follows {follows}, not nothing", row.name));
    };
    let (of, to) = (count(source, part), count(target, part));
    let is_last = part.index + 1 == to;
    let of_source = |name: &str, index: usize| {
        let (name, side) = (name.to_owned(), part.side);
        joint_of(source, &Part { name, side, index })
    };
    let expected = match part.name.as_str() {
        // Trunks of different counts bend along their length, and end at the same joint.
        "spine" | "clavicle" if of != to && !is_last => None,
        "spine" | "clavicle" if of != to => of_source(&part.name, of.max(1) - 1),
        "neck" if of != to => None,
        // Hips turn as the pelvis does, where that is a joint of its own.
        "hips" | "pelvis" => ["pelvis", "hips"].iter().find_map(|name| of_source(name, part.index)),
        _ => joint_of(source, part),
    };
    let is_right = match (expected, link) {
        (Some(expected), Some(link)) => {
            let is_sure = !(source.is_named && target.is_named) || link.confidence >= SURE;
            link.from == expected && link.toward.is_none() && is_sure
        }
        (Some(_), None) => false,
        (None, Some(link)) => {
            let of_trunk = ["hips", "pelvis", "spine", "neck", "head", "clavicle"];
            let is_trunk = |joint: usize| {
                source.rows[joint]
                    .part
                    .as_ref()
                    .is_none_or(|part| of_trunk.contains(&part.name.as_str()))
            };
            of_trunk.contains(&part.name.as_str()) && is_trunk(link.from)
        }
        (None, None) => !["hips", "spine", "neck"].contains(&part.name.as_str()) || of == 0,
    };
    (!is_right).then(|| {
        let expected = expected.map_or("its trunk", |joint| name(joint).as_str());
        format!("{} follows {follows}, not {expected}", row.name)
    })
}

/// Returns every fault of the map between two skeletons, a line each.
fn faults(source: (&Program, &Rig), target: (&Program, &Rig)) -> String {
    let mut all = String::new();
    let mut say = |text: &str| writeln!(all, "{} -> {}: {text}", source.0.name, target.0.name).unwrap();
    match JointMap::between(source.1, target.1) {
        Err(error) => say(&error.to_string()),
        Ok(map) => {
            for (joint, &link) in map.links.iter().enumerate() {
                if let Some(text) = fault(source.0, target.0, joint, link) {
                    say(&text);
                }
            }
        }
    }
    all
}

fn program(programs: &[Program], name: &str) -> Program {
    programs.iter().find(|program| program.name == name).unwrap().clone()
}

/// Returns the same skeleton under names that say nothing.
fn nameless(program: &Program) -> Program {
    let mut program = program.clone();
    for (number, row) in program.rows.iter_mut().enumerate() {
        row.name = format!("bone_{number:03}");
        // Only trunk and limbs are recognized by their shape.
        let fingers = ["thumb", "index", "middle", "ring", "pinky"];
        let part = row.part.as_ref();
        if part.is_some_and(|part| fingers.contains(&part.name.as_str())) {
            row.part = None;
            row.may_follow = true;
        }
    }
    program.is_named = false;
    program.name = format!("nameless {}", program.name);
    program
}

#[test]
fn every_program_maps_from_and_to_a_capture_whatever_its_rest_pose() {
    let programs = programs();
    for capture in ["Perception Neuron", "CMU for MotionBuilder", "Unreal 4 mannequin"] {
        let capture = program(&programs, capture);
        let captured = rig(&capture, T_POSE);
        let mut all = String::new();
        for program in &programs {
            for rest in RESTS {
                let rig = rig(program, rest);
                let here =
                    faults((&capture, &captured), (program, &rig)) + &faults((program, &rig), (&capture, &captured));
                if !here.is_empty() {
                    write!(all, "{rest:?}\n{here}").unwrap();
                    break;
                }
            }
        }
        assert!(all.is_empty(), "{all}");
    }
}

#[test]
fn every_program_maps_to_every_other() {
    let programs = programs();
    let rigs: Vec<Rig> = programs.iter().map(|program| rig(program, T_POSE)).collect();
    let mut all = String::new();
    for source in programs.iter().zip(&rigs) {
        for target in programs.iter().zip(&rigs) {
            all += &faults(source, target);
        }
    }
    assert!(all.is_empty(), "{all}");
}

#[test]
fn names_that_say_nothing_map_by_shape() {
    let programs = programs();
    let capture = program(&programs, "Perception Neuron");
    let captured = rig(&capture, T_POSE);
    for name in ["Unity Humanoid", "Mixamo", "Rokoko", "Xsens MVN"] {
        let program = nameless(&program(&programs, name));
        for rest in RESTS {
            let rig = rig(&program, rest);
            let here =
                faults((&capture, &captured), (&program, &rig)) + &faults((&program, &rig), (&capture, &captured));
            assert!(here.is_empty(), "{rest:?}\n{here}");
        }
    }
}
