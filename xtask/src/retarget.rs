//! Loops of captured takes on other characters: joints that are matched, what stays of the loop, angles there and back, and time.

use glam::{DQuat, DVec3};
use loopwright::{
    BodyOverrides, LoopClip, LoopSettings, Pose, Take,
    analysis::Body,
    feet::FootLock,
    loop_clip::LoopKeys,
    math::rotation,
    motion::WorldTracks,
    quality::{self, Quality, Stand},
    retarget::{JointMap, LimbKind, Retarget, Rig, RigPair, unturned},
};
use loopwright_formats::{
    Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, loop_file::written_keys, write_loop,
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
    let mut matched = Table::new(
        "take | human-male | rig-human | A-pose | Knight | RobotExpressive | barbarian | CesiumMan | ozz | Mixamo names",
    );
    let mut kept = Table::new(
        "character | loops | pop | gap of pose as written, worst, deg | mm | gap of velocity, takes' own | here | gap of acceleration, \
         takes' own | here | seam acceleration ratio, takes' own | here",
    );
    let mut feet = Table::new(
        "character | scale, median | slide in the source, cm/s, median | worst | by the pose alone, median | worst | as written, median | worst | no \
         faster than in the source | by `check`'s own contacts, median | worst | knee beyond its source, deg, worst | knee the wrong way in the source, deg | here | \
         elbow beyond, worst",
    );
    let mut reach = Table::new(
        "character | feet off their places while they stand, % of the leg, median | worst | within 0.1%, % of samples | within 1% | farther",
    );
    let order: Vec<&Character> = characters.iter().collect();
    for looped in &loops {
        let mut cells = vec![looped.file.clone()];
        for character in &order {
            let map =
                JointMap::between(&looped.rig, &character.rig).map_err(|error| format!("{}: {error}", looped.file))?;
            let unsure = map.unsure().count();
            let share = 100.0 * map.coverage(&character.rig);
            let of_take = 100.0 * followed_share(&looped.rig, &map);
            let unsure = match unsure {
                0 => String::new(),
                _ => format!(" ({unsure})"),
            };
            cells.push(match share < 100.0 {
                true => format!("{share:.0}% by {of_take:.0}%{unsure}"),
                false => format!("{share:.0}%{unsure}"),
            });
        }
        matched.row(cells.join(" | "));
    }
    sections.add("matched", matched);
    for character in &order {
        let on = on_character(&loops, character)?;
        kept.row(closed(&loops, character, &on));
        feet.row(limbs(&loops, character, &on));
        reach.row(out_of_reach(&loops, character, &on));
    }
    sections.add("loops", kept);
    sections.add("limbs", feet);
    sections.add("reach", reach);
    sections.add("takes", takes(&loops, &order)?);
    sections.add("there-and-back", there_and_back(&loops, &order)?);
    sections.add("time", time(&loops[0], order[0])?);
    Ok(sections)
}

/// The share of a motion's trunk and limbs that something on the character follows, 0 to 1.
fn followed_share(source: &Rig, map: &JointMap) -> f64 {
    let main = source.main_joints();
    let is_followed = |joint: &&usize| {
        (map.links.iter().flatten())
            .any(|link| link.from == **joint || link.toward.is_some_and(|(toward, _)| toward == **joint))
    };
    main.iter().filter(is_followed).count() as f64 / main.len().max(1) as f64
}

fn rig_of(file: &LoadedTake, name: &str) -> Result<Rig, String> {
    let rest = file.source.rest(file.take.skeleton());
    Rig::of(&file.take, &rest, &BodyOverrides::default()).map_err(|error| format!("{name}: {error}"))
}

fn characters(captured: &Captured) -> Result<Vec<Character>, String> {
    let mut all = Vec::new();
    for (path, name) in CHARACTERS {
        let bytes = std::fs::read(captured.folder.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let read = loopwright_formats::Character::read(&bytes, name, &ReadSettings::default());
        let loopwright_formats::Character { rig, file } = read.map_err(|error| format!("{path}: {error}"))?;
        all.push(Character {
            rig,
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
        let pair = RigPair::new(looped.rig.clone(), looped.rig.clone()).map_err(|error| error.to_string())?;
        let retarget = pair.of_motion(&looped.take.world_tracks());
        let mut worst = 0.0_f64;
        for frame in 0..looped.take.num_frames() {
            let (own, moved) = (looped.take.pose(frame), retarget.pose(looped.take.pose(frame)));
            for (joint, link) in pair.map.links.iter().enumerate() {
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

/// Loops on a character, as `retarget` writes them, read back, and the same by the pose alone.
struct OnCharacter {
    /// Each loop, on the character by its pose alone, and as read back from the file that it was written into.
    loops: Vec<(Retarget, LoopClip, LoopClip)>,
    measured: Vec<Quality>,
}

fn on_character(loops: &[Looped], character: &Character) -> Result<OnCharacter, String> {
    let mut all = OnCharacter {
        loops: Vec::new(),
        measured: Vec::new(),
    };
    for looped in loops {
        let failed = |error: &dyn core::fmt::Display| format!("{} on {}: {error}", looped.file, character.name);
        let pair = RigPair::new(looped.rig.clone(), character.rig.clone()).map_err(|error| failed(&error))?;
        let retarget = pair.of_loop(&looped.clip);
        let carried = retarget.loop_clip(&looped.clip).map_err(|error| failed(&error))?;
        let (held, _) = retarget
            .held(&looped.clip, &carried, FootLock::Auto)
            .map_err(|error| failed(&error))?;
        let clip = held.unwrap_or_else(|| carried.clone());
        let writing = LoopWriteSettings::default();
        let written = write_loop(&clip, &character.source, &writing).map_err(|error| failed(&error))?;
        let (take, keys) =
            written_keys(&clip, &written, &character.source, &writing).map_err(|error| failed(&error))?;
        let read = LoopClip::from_keys(&take, keys.layout(), *keys.root(), clip.carrier());
        all.measured.push(quality::measure(&keys, character.rig.body(), None));
        all.loops
            .push((retarget, carried, read.map_err(|error| failed(&error))?));
    }
    Ok(all)
}

fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let sorted: Sorted = values.into_iter().collect();
    (sorted.len() > 0).then(|| sorted.median())
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The row of a character: whether loops on it are loops.
fn closed(loops: &[Looped], character: &Character, on: &OnCharacter) -> String {
    let own = |looped: &Looped| quality::measure(&LoopKeys::from_loop(&looped.clip), &looped.body, None);
    let before: Vec<Quality> = loops.iter().map(own).collect();
    let gaps = |clip: &LoopClip, rig: &Rig| seam_gaps(clip, &rig.main_joints());
    let theirs: Vec<[f64; 2]> = loops.iter().map(|looped| gaps(&looped.clip, &looped.rig)).collect();
    let ours: Vec<[f64; 2]> = on.loops.iter().map(|(_, _, read)| gaps(read, &character.rig)).collect();
    let of = |gaps: &[[f64; 2]], order: usize| cell(median(gaps.iter().map(|gaps| gaps[order])), 2);
    let ratio = |all: &[Quality]| cell(median(all.iter().map(|quality| quality.seam_acceleration_ratio)), 2);
    format!(
        "{} | {} | {} | {:.6} | {:.4} | {} | {} | {} | {} | {} | {}",
        character.name,
        loops.len(),
        on.measured.iter().filter(|quality| quality.pops()).count(),
        largest(on.measured.iter().map(|quality| quality.pose_gap_radians.to_degrees())),
        largest(on.measured.iter().map(|quality| 1e3 * quality.pose_gap_metres)),
        of(&theirs, 0),
        of(&ours, 0),
        of(&theirs, 1),
        of(&ours, 1),
        ratio(&before),
        ratio(&on.measured),
    )
}

/// How far one-sided estimates of velocity and acceleration are apart at the seam, over what is usual (the 95th percentile) at all
/// other samples: the worst of these joints, seen from the root.
fn seam_gaps(clip: &LoopClip, joints: &[usize]) -> [f64; 2] {
    let world = clip.tracks_from_root();
    let count = clip.num_samples() as isize;
    let mut worst = [0.0_f64; 2];
    for &joint in joints {
        let at = |sample: isize| world.position(sample.rem_euclid(count) as usize, joint);
        let velocity = |s: isize, way: isize| (at(s + 2 * way) - 4.0 * at(s + way) + 3.0 * at(s)) * -(way as f64);
        let acceleration = |s: isize, way: isize| -> DVec3 {
            2.0 * at(s) - 5.0 * at(s + way) + 4.0 * at(s + 2 * way) - at(s + 3 * way)
        };
        for (order, worst) in worst.iter_mut().enumerate() {
            let gap = |s: isize| match order {
                0 => (velocity(s, 1) - velocity(s, -1)).length(),
                _ => (acceleration(s, 1) - acceleration(s, -1)).length(),
            };
            let usual = (1..count)
                .map(gap)
                .collect::<Sorted>()
                .at(0.95)
                .unwrap_or(0.0)
                .max(UNSEEN_METRES);
            *worst = worst.max(gap(0) / usual);
        }
    }
    worst
}

/// Gaps smaller than this are rounding, metres.
const UNSEEN_METRES: f64 = 1e-6;

/// The row of a character: its feet, knees and elbows.
fn limbs(loops: &[Looped], character: &Character, on: &OnCharacter) -> String {
    let cmps = |clip: &LoopClip, stands: &[Stand], size: f64| {
        quality::foot_slide_of_stances(&LoopKeys::from_loop(clip), stands).map(|mps| 1e2 * mps / size)
    };
    let mut sizes = Vec::new();
    let (mut in_source, mut by_pose, mut held) = (Vec::new(), Vec::new(), Vec::new());
    let (mut beyond, mut wrong) = ([f64::NEG_INFINITY; 2], [0.0_f64; 2]);
    let mut slower = 0;
    for (looped, (retarget, carried, read)) in loops.iter().zip(&on.loops) {
        let stands = retarget.stands(&looped.clip);
        let theirs = retarget.slide_of_source(&looped.clip).map(|mps| 1e2 * mps);
        let size = retarget.scale();
        sizes.push(size);
        let ours = cmps(read, &stands, size);
        slower += usize::from(theirs.zip(ours).is_some_and(|(theirs, ours)| ours <= theirs));
        in_source.extend(theirs);
        by_pose.extend(cmps(carried, &stands, size));
        held.extend(ours);
        let (one, other) = (looped.clip.tracks_from_root(), read.tracks_from_root());
        for (kind, from, joints) in pairs(&looped.rig, &character.rig) {
            let more = most_bent(&other, joints) - most_bent(&one, from);
            let index = usize::from(kind == LimbKind::Arm);
            beyond[index] = beyond[index].max(more);
            if kind == LimbKind::Leg {
                wrong[0] = wrong[0].max(bent_ahead(&one, from));
                wrong[1] = wrong[1].max(bent_ahead(&other, joints));
            }
        }
    }
    let by_check: Vec<f64> = (on.measured.iter().zip(&sizes))
        .filter_map(|(quality, size)| Some(1e2 * quality.foot_slide_mps? / size))
        .collect();
    let both = |values: &[f64]| {
        format!(
            "{} | {}",
            cell(median(values.to_vec()), 2),
            cell(Some(largest(values.to_vec())), 2)
        )
    };
    format!(
        "{} | {} | {} | {} | {} | {slower} of {} | {} | {:.1} | {:.1} | {:.1} | {}",
        character.name,
        cell(median(sizes), 2),
        both(&in_source),
        both(&by_pose),
        both(&held),
        loops.len(),
        both(&by_check),
        beyond[0],
        wrong[0],
        wrong[1],
        // A character without elbows has no such bend.
        cell(Some(beyond[1]).filter(|more| more.is_finite()), 1),
    )
}

/// The largest bend of a limb over a loop, degrees.
fn most_bent(world: &WorldTracks, [upper, lower, end]: [usize; 3]) -> f64 {
    let bend = |frame: usize| {
        let at = |joint| world.position(frame, joint);
        (at(lower) - at(upper)).angle_between(at(end) - at(lower)).to_degrees()
    };
    (0..world.num_frames()).map(bend).fold(0.0, f64::max)
}

/// How far feet that stand in the source are off their places by the pose alone, and what a longer leg would save.
fn out_of_reach(loops: &[Looped], character: &Character, on: &OnCharacter) -> String {
    let mut misses: Vec<f64> = Vec::new();
    for (looped, (retarget, carried, _)) in loops.iter().zip(&on.loops) {
        let (one, other) = (looped.clip.tracks_from_root(), carried.tracks_from_root());
        let num_samples = looped.clip.num_samples();
        let stands = retarget.stands(&looped.clip);
        for (kind, from, joints) in pairs(&looped.rig, &character.rig) {
            let theirs = looped.rig.body().feet.iter().find(|foot| foot.ankle == from[2]);
            let ours = character.rig.body().feet.iter().find(|foot| foot.ankle == joints[2]);
            let (LimbKind::Leg, Some(theirs), Some(ours)) = (kind, theirs, ours) else {
                continue;
            };
            let (source, target) = match (theirs.toe, ours.toe) {
                (Some(source), Some(target)) => (source, target),
                _ => (theirs.ankle, ours.ankle),
            };
            let [upper, lower, end] = joints.map(|joint| other.position(0, joint));
            let leg = (lower - upper).length() + (end - lower).length();
            for stand in stands.iter().filter(|stand| stand.joint == target) {
                for sample in stand.first_sample..stand.first_sample + stand.num_samples {
                    let sample = sample % num_samples;
                    let off = other.position(sample, target) - retarget.scale() * one.position(sample, source);
                    misses.push((off * DVec3::new(1.0, 0.0, 1.0)).length() / leg);
                }
            }
        }
    }
    let share = |is: &dyn Fn(f64) -> bool| {
        1e2 * misses.iter().filter(|&&miss| is(miss)).count() as f64 / misses.len().max(1) as f64
    };
    format!(
        "{} | {} | {} | {:.0} | {:.0} | {:.0}",
        character.name,
        cell(median(misses.clone()).map(|miss| 1e2 * miss), 1),
        cell(Some(1e2 * largest(misses.clone())), 1),
        share(&|miss| miss <= 0.001),
        share(&|miss| miss > 0.001 && miss <= 0.01),
        share(&|miss| miss > 0.01),
    )
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
            let pair = |source: &Rig, target: &Rig| {
                RigPair::new(source.clone(), target.clone()).map_err(|error| error.to_string())
            };
            let (there, back) = (pair(&looped.rig, &character.rig)?, pair(&character.rig, &looped.rig)?);
            let moved = (there.of_loop(&looped.clip).loop_clip(&looped.clip)).map_err(|error| error.to_string())?;
            let again = back
                .of_loop(&moved)
                .loop_clip(&moved)
                .map_err(|error| error.to_string())?;
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

/// The frames at which feet of a take stand, each with the joint, but for the first and the last of the take.
fn standing_frames<'a>(take: &'a Take, stands: &'a [Stand]) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let frames = |stand: &Stand| stand.first_sample.max(1)..stand.first_sample + stand.num_samples;
    let last = take.num_frames() - 1;
    (stands.iter()).flat_map(move |stand| {
        frames(stand)
            .filter(move |&f| f < last)
            .map(|frame| (frame, stand.joint))
    })
}

/// The mean speed over the ground of feet of a take while they stand, at a point that is `beside` from the joint that is held along each
/// of its axes, cm/s.
fn slide_of_take(take: &Take, stands: &[Stand], beside: f64) -> Option<f64> {
    let world = take.world_tracks();
    let speed = |(frame, joint): (usize, usize)| {
        let at = |frame: usize| world.joint(frame, joint).transform_point(DVec3::splat(beside));
        let moved: DVec3 = (at(frame + 1) - at(frame - 1)) * DVec3::new(1.0, 0.0, 1.0);
        1e2 * moved.length() / (2.0 * take.frame_time_secs())
    };
    let speeds: Vec<f64> = standing_frames(take, stands).map(speed).collect();
    (!speeds.is_empty()).then(|| speeds.iter().sum::<f64>() / speeds.len() as f64)
}

/// How far from the joint that is held sliding is measured, metres of a man, along each of its axes.
const BESIDE_METRES: f64 = 0.02;

/// Whole takes on characters: their feet by the pose alone, and held, at the size of the sources.
fn takes(loops: &[Looped], characters: &[&Character]) -> Result<Table, String> {
    let mut table = Table::new(
        "character | takes | scale, median | in the source, cm/s, median | worst | by the pose alone, median | worst | held, median | worst | \
         at the joint in the source, median | worst | held, median | worst | held off the height by the pose, mm, median | knee beyond its \
         source, deg, worst",
    );
    for character in characters {
        let (mut scales, mut off, mut beyond) = (Vec::new(), Vec::new(), f64::NEG_INFINITY);
        // In the source, by the pose alone and held: beside the joint, and at it.
        let mut slides: [[Vec<f64>; 2]; 3] = Default::default();
        for looped in loops {
            let failed = |error: &dyn core::fmt::Display| format!("{} on {}: {error}", looped.file, character.name);
            let pair = RigPair::new(looped.rig.clone(), character.rig.clone()).map_err(|error| failed(&error))?;
            let world = looped.take.world_tracks();
            let retarget = pair.of_motion(&world);
            let moved = retarget.take(&looped.take).map_err(|error| failed(&error))?;
            let stands = retarget.feet_of_take(&looped.take).stands();
            let on = retarget.held_take(&looped.take, &moved, FootLock::Auto);
            let on = on.map_err(|error| failed(&error))?.unwrap_or_else(|| moved.clone());
            let own = RigPair::new(looped.rig.clone(), looped.rig.clone()).map_err(|error| failed(&error))?;
            let own = own.of_motion(&world).feet_of_take(&looped.take).stands();
            let size = retarget.scale();
            let all = [(&looped.take, &own, 1.0), (&moved, &stands, size), (&on, &stands, size)];
            for ((take, stands, size), slides) in all.into_iter().zip(&mut slides) {
                for (beside, slides) in [BESIDE_METRES * size, 0.0].into_iter().zip(slides) {
                    slides.extend(slide_of_take(take, stands, beside).map(|speed| speed / size));
                }
            }
            let (before, after) = (moved.world_tracks(), on.world_tracks());
            let height = |(frame, joint)| (after.position(frame, joint).y - before.position(frame, joint).y).abs();
            off.extend(standing_frames(&on, &stands).map(|at| 1e3 * height(at) / size));
            scales.push(size);
            for (kind, from, joints) in pairs(&looped.rig, &character.rig) {
                if kind == LimbKind::Leg {
                    beyond = beyond.max(most_bent(&after, joints) - most_bent(&world, from));
                }
            }
        }
        let both = |values: &Vec<f64>| {
            format!(
                "{} | {}",
                cell(median(values.clone()), 2),
                cell(Some(largest(values.clone())), 2)
            )
        };
        let [source, by_pose, held] = &slides;
        table.row(format!(
            "{} | {} | {} | {} | {} | {} | {} | {} | {} | {beyond:.1}",
            character.name,
            scales.len(),
            cell(median(scales.clone()), 2),
            both(&source[0]),
            both(&by_pose[0]),
            both(&held[0]),
            both(&source[1]),
            both(&held[1]),
            cell(median(off), 1),
        ));
    }
    Ok(table)
}

/// Seconds of work for a minute of take at 120 fps.
fn time(looped: &Looped, character: &Character) -> Result<Table, String> {
    let pair = RigPair::new(looped.rig.clone(), character.rig.clone()).map_err(|error| error.to_string())?;
    let minute = 7200.0 / looped.take.num_frames() as f64;
    let moved = || {
        let retarget = pair.of_motion(&looped.take.world_tracks());
        retarget.take(&looped.take).map(|take| (retarget, take))
    };
    let by_pose = clock::time(moved);
    let (retarget, carried) = moved().map_err(|error| error.to_string())?;
    let holding = clock::time(|| retarget.held_take(&looped.take, &carried, FootLock::Auto));
    let mut table = Table::new(
        "take | character | joints | seconds for a minute at 120 fps, by the pose alone | to hold the feet | machine",
    );
    table.row(format!(
        "{} | {} | {} | {:.2} | {:.2} | {}",
        looped.file,
        character.name,
        character.rig.skeleton().num_joints(),
        by_pose * minute,
        holding * minute,
        clock::machine()
    ));
    Ok(table)
}
