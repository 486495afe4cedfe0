//! Loops of captured takes on other characters: joints that are matched, what stays of the loop, angles there and back, and time.

use glam::{DQuat, DVec3};
use loopwright::{
    BodyOverrides, LoopClip, LoopSettings, Pose, Take,
    analysis::{Body, ContactLimits},
    feet::{self, FootLock},
    loop_clip::LoopKeys,
    math::rotation,
    motion::WorldTracks,
    quality,
    retarget::{JointMap, LimbKind, Retarget, Rig, unturned},
};
use loopwright_formats::{
    AnimatedFile, Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, loop_file::written_keys, write_loop,
};
use loopwright_synth::WalkSettings;

use crate::{
    clock,
    page::Sections,
    statistics::Sorted,
    table::{Table, cell},
    takes::{Captured, Studied},
};

/// Takes of ten skeletons, each of another source.
const SOURCES: [&str; 10] = [
    "cmu/12_01_walk.bvh",
    "xia/neutral_01.bvh",
    "pfnn/LocomotionFlat04_000.bvh",
    "100style/Neutral_FW.bvh",
    "bandai-namco/dataset-2_walk_normal_020.bvh",
    "bvh-toolbox/walk01.bvh",
    "snu/raw_walk_straight_fast.bvh",
    "snu/slope_16.bvh",
    "animated-drawings/zombie.bvh",
    "pymo/AV_8Walk_Meredith.bvh",
];

/// Captured characters, and what they are called in the tables.
const CHARACTERS: [(&str, &str); 7] = [
    ("mesh2motion/human-male.glb", "human-male"),
    ("mesh2motion/rig-human.glb", "rig-human"),
    ("gltf/Knight.glb", "Knight"),
    ("gltf/RobotExpressive.glb", "RobotExpressive"),
    ("ufbx/blender_293_barbarian_7400_binary.fbx", "barbarian"),
    ("gltf/CesiumMan.gltf", "CesiumMan"),
    ("ozz-pab/walk.fbx", "ozz"),
];

/// A character with the form of its file.
struct Character {
    name: String,
    rig: Rig,
    source: Source,
}

/// A loop of a captured take, with its rig.
struct Looped {
    file: String,
    rig: Rig,
    body: Body,
    clip: LoopClip,
    take: Take,
}

/// Fills the page.
pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let characters = characters(captured)?;
    let mut loops = Vec::new();
    for file in SOURCES {
        loops.push(looped(captured, file)?);
    }
    let mut sections = Sections::default();
    sections.add("onto-itself", onto_itself(&loops)?);
    let (mut matched, mut kept) = (
        Table::new(
            "take | human-male | rig-human | A-pose | Knight | RobotExpressive | barbarian | CesiumMan | ozz | Mixamo names",
        ),
        Table::new(
            "character | loops | pop | seam acceleration ratio, takes' own | here | largest gap as written, deg | mm | \
             slide in the source, cm/s, median | here, median | worst | held, median | knee beyond its source, deg, worst | \
             knee the wrong way in the source, deg | here | \
             elbow beyond, worst",
        ),
    );
    let order: Vec<&Character> = characters.iter().collect();
    for looped in &loops {
        let mut cells = vec![looped.file.clone()];
        for character in &order {
            let map =
                JointMap::between(&looped.rig, &character.rig).map_err(|error| format!("{}: {error}", looped.file))?;
            let unsure = map.unsure().count();
            let share = 100.0 * map.coverage(&character.rig);
            cells.push(if unsure > 0 {
                format!("{share:.0}% ({unsure})")
            } else {
                format!("{share:.0}%")
            });
        }
        matched.row(cells.join(" | "));
    }
    sections.add("matched", matched);
    for character in &order {
        kept.row(on_character(&loops, character)?);
    }
    sections.add("loops", kept);
    sections.add("there-and-back", there_and_back(&loops, &order)?);
    sections.add("time", time(&loops[0], order[0])?);
    Ok(sections)
}

fn rig_of(file: &LoadedTake, name: &str) -> Result<Rig, String> {
    let rest = file.source.rest(file.take.skeleton());
    Rig::of(&file.take, &rest, &BodyOverrides::default()).map_err(|error| format!("{name}: {error}"))
}

fn characters(captured: &Captured) -> Result<Vec<Character>, String> {
    let mut all = Vec::new();
    for (path, name) in CHARACTERS {
        let bytes = std::fs::read(captured.folder.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let failed = |error| format!("{path}: {error}");
        let file = AnimatedFile::parse(&bytes, name, None).map_err(failed)?;
        let file = file
            .read_rest(&ReadSettings::default(), &mut Vec::new())
            .map_err(failed)?;
        all.push(Character {
            rig: rig_of(&file, name)?,
            name: name.to_owned(),
            source: file.source.clone(),
        });
        if all.len() == 2 {
            all.push(a_pose(&file)?);
        }
    }
    let walker = Studied::walk(&WalkSettings::default())?.take;
    let rest = unturned(walker.skeleton(), DQuat::IDENTITY);
    let still = Take::new(
        "walker",
        walker.skeleton().clone(),
        0.1,
        rest.translations.clone(),
        rest.rotations.clone(),
    );
    let still = still.map_err(|error| error.to_string())?;
    all.push(Character {
        name: "Mixamo names".to_owned(),
        rig: Rig::of(&still, &rest, &BodyOverrides::default()).map_err(|error| error.to_string())?,
        source: Source::for_take(&still, Format::Glb),
    });
    Ok(all)
}

/// How far the arms hang in the A-pose, radians.
const A_POSE: f64 = 0.8;

/// The same character with its arms lowered at rest.
fn a_pose(file: &LoadedTake) -> Result<Character, String> {
    let skeleton = file.take.skeleton();
    let mut rest = file.source.rest(skeleton);
    let world = rest.as_ref().world(skeleton);
    for (name, sign) in [("upperarm_l", -1.0), ("upperarm_r", 1.0)] {
        let arm = skeleton.find(name).ok_or("no upper arm")?;
        let above = skeleton
            .parent(arm)
            .map_or(DQuat::IDENTITY, |above| world.rotations[above]);
        let lowered = rotation::exp(DVec3::Z * sign * A_POSE) * world.rotations[arm];
        rest.rotations[arm] = (above.conjugate() * lowered).normalize();
    }
    let Pose {
        translations,
        rotations,
    } = rest.clone();
    let take =
        Take::new("a-pose", skeleton.clone(), 0.1, translations, rotations).map_err(|error| error.to_string())?;
    Ok(Character {
        name: "A-pose".to_owned(),
        rig: Rig::of(&take, &rest, &BodyOverrides::default()).map_err(|error| error.to_string())?,
        source: file.source.clone(),
    })
}

fn looped(captured: &Captured, file: &str) -> Result<Looped, String> {
    let (_, loaded) = captured.read(file, &ReadSettings::default())?;
    let rig = rig_of(&loaded, file)?;
    let studied = Studied::of(file, loaded.take)?;
    let best = studied.recommended()?.ok_or_else(|| format!("{file}: no loop"))?;
    let made = studied.make(&best, &LoopSettings::default())?;
    let stem = std::path::Path::new(file).file_stem().unwrap_or_default();
    Ok(Looped {
        file: stem.to_string_lossy().into_owned(),
        rig,
        body: made.body.clone(),
        clip: made.loop_clip,
        take: studied.take,
    })
}

fn degrees(one: DQuat, other: DQuat) -> f64 {
    rotation::difference(one, other).length().to_degrees()
}

/// The largest change of a joint's turn in takes that are put onto their own skeletons, over all of them.
fn onto_itself(loops: &[Looped]) -> Result<Table, String> {
    let mut table = Table::new("take | largest angle, deg");
    for looped in loops {
        let map = JointMap::between(&looped.rig, &looped.rig).map_err(|error| error.to_string())?;
        let retarget = Retarget::new(&looped.rig, &looped.rig, &map, &looped.take.world_tracks());
        let mut worst = 0.0_f64;
        for frame in 0..looped.take.num_frames() {
            let (own, moved) = (looped.take.pose(frame), retarget.pose(looped.take.pose(frame)));
            for (joint, link) in map.links.iter().enumerate() {
                // Joints that follow nothing rest, also on their own skeleton.
                if link.is_some() {
                    worst = worst.max(degrees(own.rotations[joint], moved.rotations[joint]));
                }
            }
        }
        table.row(format!("{} | {worst:.6}", looped.file));
    }
    Ok(table)
}

/// Limbs of the target and those of the source that they follow.
fn pairs(source: &Rig, target: &Rig) -> Vec<(LimbKind, [usize; 3], [usize; 3])> {
    let theirs = source.two_bone_limbs();
    let ours = target.two_bone_limbs().into_iter();
    ours.filter_map(|(kind, side, joints)| {
        let (_, _, from) = theirs.iter().find(|(other, at, _)| (*other, *at) == (kind, side))?;
        Some((kind, *from, joints))
    })
    .collect()
}

/// The row of a character: what loops are on it.
fn on_character(loops: &[Looped], character: &Character) -> Result<String, String> {
    let mut holds = Vec::new();
    let (mut pops, mut gaps, mut slides) = (0, [0.0_f64; 2], [Vec::new(), Vec::new()]);
    let (mut accelerations, mut beyond, mut wrong) = ([Vec::new(), Vec::new()], [0.0_f64; 2], [0.0_f64; 2]);
    for looped in loops {
        let failed = |error: &dyn core::fmt::Display| format!("{} on {}: {error}", looped.file, character.name);
        let map = JointMap::between(&looped.rig, &character.rig).map_err(|error| failed(&error))?;
        let retarget = Retarget::of_loop(&looped.rig, &character.rig, &map, &looped.clip);
        let clip = retarget.loop_clip(&looped.clip).map_err(|error| failed(&error))?;
        let writing = LoopWriteSettings::default();
        let written = write_loop(&clip, &character.source, &writing).map_err(|error| failed(&error))?;
        let (_, keys) = written_keys(&clip, &written, &character.source, &writing).map_err(|error| failed(&error))?;
        let before = quality::measure(&LoopKeys::of_loop(&looped.clip), &looped.body, None);
        let after = quality::measure(&keys, character.rig.body(), None);
        pops += usize::from(after.pops());
        gaps[0] = gaps[0].max(after.pose_gap_radians.to_degrees());
        gaps[1] = gaps[1].max(1e3 * after.pose_gap_metres);
        for (list, measured) in accelerations.iter_mut().zip([&before, &after]) {
            list.push(measured.seam_acceleration_ratio);
        }
        let body = character.rig.body();
        let limits = ContactLimits::default();
        let (held, _) = feet::plant(&clip, body, retarget.root_joint(), &limits, FootLock::Auto, None)
            .map_err(|error| failed(&error))?;
        let slide = held.and_then(|held| quality::measure(&LoopKeys::of_loop(&held), body, None).foot_slide_mps);
        let least = [slide, after.foot_slide_mps].into_iter().flatten().reduce(f64::min);
        holds.extend(least.map(|mps| 1e2 * mps));
        for (list, measured) in slides.iter_mut().zip([&before, &after]) {
            list.extend(measured.foot_slide_mps.map(|mps| 1e2 * mps));
        }
        let (one, other) = (looped.clip.tracks_from_root(), clip.tracks_from_root());
        for (kind, from, joints) in pairs(&looped.rig, &character.rig) {
            let bend = |world: &WorldTracks, [upper, lower, end]: [usize; 3], frame: usize| {
                let at = |joint| world.position(frame, joint);
                (at(lower) - at(upper)).angle_between(at(end) - at(lower)).to_degrees()
            };
            let most = |world: &WorldTracks, joints| {
                (0..clip.num_samples())
                    .map(|at| bend(world, joints, at))
                    .fold(0.0, f64::max)
            };
            let more = most(&other, joints) - most(&one, from);
            let index = usize::from(kind == LimbKind::Arm);
            beyond[index] = beyond[index].max(more);
            if kind == LimbKind::Leg {
                wrong[0] = wrong[0].max(bent_ahead(&one, from));
                wrong[1] = wrong[1].max(bent_ahead(&other, joints));
            }
        }
    }
    let median = |values: &[f64]| (!values.is_empty()).then(|| values.iter().copied().collect::<Sorted>().median());
    let worst = slides[1].iter().copied().reduce(f64::max);
    Ok(format!(
        "{} | {} | {pops} | {} | {} | {:.6} | {:.4} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1}",
        character.name,
        loops.len(),
        cell(median(&accelerations[0]), 2),
        cell(median(&accelerations[1]), 2),
        gaps[0],
        gaps[1],
        cell(median(&slides[0]), 2),
        cell(median(&slides[1]), 2),
        cell(worst, 2),
        cell(median(&holds), 2),
        beyond[0],
        wrong[0],
        wrong[1],
        beyond[1],
    ))
}

/// How far a knee bends the wrong way at most, degrees: against the way in which it bends on the whole, seen in the thigh's axes.
fn bent_ahead(world: &WorldTracks, [upper, lower, end]: [usize; 3]) -> f64 {
    let cross = |frame: usize| {
        let at = |joint| world.position(frame, joint);
        let (thigh, shin): (DVec3, DVec3) = (at(lower) - at(upper), at(end) - at(lower));
        world.rotation(frame, upper).conjugate() * thigh.normalize_or_zero().cross(shin.normalize_or_zero())
    };
    let frames = 0..world.num_frames();
    let axis = frames.clone().map(cross).sum::<DVec3>().normalize_or_zero();
    let against = frames.map(|frame| -cross(frame).dot(axis)).fold(0.0, f64::max);
    against.min(1.0).asin().to_degrees()
}

/// Angles of limbs' bones after a loop went onto a character and back, over all loops.
fn there_and_back(loops: &[Looped], characters: &[&Character]) -> Result<Table, String> {
    let mut table = Table::new("by way of | arms: median, deg | worst | legs: median, deg | worst");
    for character in characters {
        let mut errors = [Vec::new(), Vec::new()];
        for looped in loops {
            let map = |source: &Rig, target: &Rig| JointMap::between(source, target).map_err(|error| error.to_string());
            let (there, back) = (map(&looped.rig, &character.rig)?, map(&character.rig, &looped.rig)?);
            let there = Retarget::of_loop(&looped.rig, &character.rig, &there, &looped.clip);
            let moved = there.loop_clip(&looped.clip).map_err(|error| error.to_string())?;
            let back = Retarget::of_loop(&character.rig, &looped.rig, &back, &moved);
            let again = back.loop_clip(&moved).map_err(|error| error.to_string())?;
            let (one, other) = (looped.clip.tracks_from_root(), again.tracks_from_root());
            for (kind, from, _) in pairs(&looped.rig, &character.rig) {
                for bone in from.windows(2) {
                    for frame in 0..looped.clip.num_samples() {
                        let along =
                            |world: &WorldTracks| world.position(frame, bone[1]) - world.position(frame, bone[0]);
                        let angle = along(&one).angle_between(along(&other)).to_degrees();
                        errors[usize::from(kind == LimbKind::Leg)].push(angle);
                    }
                }
            }
        }
        let cells = errors.map(|values| {
            if values.is_empty() {
                return "- | -".to_owned();
            }
            let sorted: Sorted = values.into_iter().collect();
            format!("{:.3} | {:.2}", sorted.median(), sorted.largest())
        });
        table.row(format!("{} | {} | {}", character.name, cells[0], cells[1]));
    }
    Ok(table)
}

/// Seconds of work for a minute of take at 120 fps.
fn time(looped: &Looped, character: &Character) -> Result<Table, String> {
    let map = JointMap::between(&looped.rig, &character.rig).map_err(|error| error.to_string())?;
    let minute = 7200.0 / looped.take.num_frames() as f64;
    let all = clock::time(|| {
        let retarget = Retarget::new(&looped.rig, &character.rig, &map, &looped.take.world_tracks());
        retarget.take(&looped.take)
    });
    let mut table = Table::new("take | character | joints | seconds for a minute at 120 fps | machine");
    table.row(format!(
        "{} | {} | {} | {:.2} | {}",
        looped.file,
        character.name,
        character.rig.skeleton().num_joints(),
        all * minute,
        clock::machine()
    ));
    Ok(table)
}
