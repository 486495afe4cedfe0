//! Puts faults into walks, once a cycle, and prints the grade of the loop that is made of each, with the check that speaks; then
//! the loops of all captured takes that get a new word or a lower grade by the checks of such faults.
//!
//! `cargo run -p loopwright_job --example garbage [-- walks | sound]`; the captured takes are those of `loopwright_mocap`. Fails
//! where more faults than allowed are good without a word, or more sound loops than allowed get one.

use std::f64::consts::{PI, TAU};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use glam::{DQuat, DVec3};
use loopwright_core::math::{Rigid, rotation};
use loopwright_core::{Analysis, Pose, SearchSettings, Take, Tracks};
use loopwright_formats::loop_file::facts::{CheckFacts, Grade};
use loopwright_formats::{AnimationChoice, Format, LoadedTake, ReadSettings, Source, read_take};
use loopwright_job::verdict::default_loop;
use loopwright_job::{CheckId, Recipe, Verdict, make_loop};
use loopwright_mocap as mocap;
use loopwright_synth::{WalkSettings, synthesize};

/// Walks among the captured takes, of three studios.
const WALKS: [&str; 4] = [
    "bandai-namco/dataset-1_walk_normal_001.bvh",
    "bandai-namco/dataset-2_walk_normal_020.bvh",
    "100style/Neutral_FW.bvh",
    "games-105/walk60.bvh",
];

/// Share of faults in walks that may be good without a word of a joint, and of sound loops that may get a word.
const MOST_SILENT: f64 = 0.05;
const MOST_ALARMS: f64 = 0.01;

const OF_FAULTS: [CheckId; 7] = [
    CheckId::Spike,
    CheckId::Shake,
    CheckId::Stutter,
    CheckId::Bearing,
    CheckId::Bones,
    CheckId::Bends,
    CheckId::Stiff,
];

fn main() -> ExitCode {
    let asked = std::env::args().nth(1);
    let folder = mocap::folder();
    let mut is_well = true;
    if asked.as_deref() != Some("sound") {
        is_well &= faults_in_walks(&folder);
    }
    if asked.as_deref() != Some("walks") {
        is_well &= sound_loops(&folder);
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A walk with the joints that faults are put into, left before right.
struct Walk {
    take: Take,
    /// Frames of a cycle.
    period: usize,
    hips: usize,
    thighs: [usize; 2],
    knees: [usize; 2],
    ankles: [usize; 2],
    shoulders: [usize; 2],
    elbows: [usize; 2],
    hands: [usize; 2],
    spine: usize,
    head: usize,
}

impl Walk {
    fn new(take: Take) -> Option<Self> {
        let analysis = Analysis::new(&take).ok()?;
        let found = analysis.find_loops(&SearchSettings::default()).ok()?;
        let best = found.candidates.first()?;
        let cycle = best.source_period_secs / f64::from(best.cycles) / take.frame_time_secs();
        let (body, skeleton) = (&analysis.body, take.skeleton());
        let above = |joint| skeleton.parent(joint).unwrap_or(joint);
        let (&[left, right], &[one, other]) = (body.feet.as_slice(), body.hands.as_slice()) else {
            return None;
        };
        let head = body.head?;
        let trunk = skeleton.path_from_root(head);
        let at = trunk.iter().position(|&joint| joint == body.hips)?;
        Some(Self {
            period: cycle.round() as usize,
            hips: body.hips,
            thighs: body.thighs?,
            knees: [left, right].map(|foot| above(foot.ankle)),
            ankles: [left, right].map(|foot| foot.ankle),
            shoulders: body.shoulders?,
            elbows: [one, other].map(above),
            hands: [one, other],
            spine: trunk[at + 1],
            head,
            take,
        })
    }

    /// Phase of a frame in its cycle, 0 to 1.
    fn phase(&self, frame: f64) -> f64 {
        (frame / self.period as f64).fract()
    }

    /// Whether a frame is one of so many after the middle of its cycle.
    fn is_hit(&self, frame: usize, num_frames: usize) -> bool {
        (frame + self.period / 2) % self.period < num_frames
    }

    fn frames(&self, secs: f64) -> usize {
        ((secs / self.take.frame_time_secs()).round() as usize).max(1)
    }

    /// Turns a joint about an axis across its bone.
    fn bend(&self, pose: &mut Pose, joint: usize, degrees: f64) {
        let axis = self.bone(pose, joint).any_orthonormal_vector();
        pose.rotations[joint] *= DQuat::from_axis_angle(axis, degrees.to_radians());
    }

    /// Turns a joint about its bone.
    fn twist(&self, pose: &mut Pose, joint: usize, degrees: f64) {
        let axis = self.bone(pose, joint);
        pose.rotations[joint] *= DQuat::from_axis_angle(axis, degrees.to_radians());
    }

    fn bone(&self, pose: &Pose, joint: usize) -> DVec3 {
        let child = self.take.skeleton().children(joint).first();
        child.map_or(DVec3::Y, |&child| pose.translations[child].normalize_or(DVec3::Y))
    }

    fn shift(&self, pose: &mut Pose, by: DVec3) {
        let motion = Rigid::new(DQuat::IDENTITY, by);
        pose.carry(self.take.skeleton(), 0, motion);
    }

    /// Copies the rotations of a joint and all below it from another frame.
    fn copy(&self, pose: &mut Pose, joint: usize, frame: f64) {
        let other = self.take.sample(frame.clamp(0.0, (self.take.num_frames() - 1) as f64));
        for below in self.take.skeleton().self_and_below(joint) {
            pose.rotations[below] = other.rotations[below];
        }
    }

    fn legs(&self, side: usize) -> [usize; 3] {
        [self.thighs[side], self.knees[side], self.ankles[side]]
    }

    /// Ground velocity over the take, metres per frame.
    fn travel(&self) -> DVec3 {
        let place = |frame: usize| self.take.pose(frame).world(self.take.skeleton()).translations[self.hips];
        let last = self.take.num_frames() - 1;
        let way = (place(last) - place(0)) / last as f64;
        DVec3::new(way.x, 0.0, way.z)
    }
}

/// -1 to 1, the same on every run.
fn random(seed: usize) -> f64 {
    let mixed = (seed as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 32)) & 0xffff_ffff) as f64 / 2_147_483_647.5 - 1.0
}

fn random_vector(seed: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| random(3 * seed + axis)))
}

/// A fault: the frame whose pose a frame gets, or a change of its pose.
enum Fault {
    Time(Box<dyn Fn(&Walk, usize) -> f64>),
    Pose(Box<dyn Fn(&Walk, usize, &mut Pose)>),
}

struct Kind {
    name: String,
    fault: Fault,
    /// Whether nothing in a loop tells that it is one.
    is_plausible: bool,
}

#[derive(Default)]
struct Kinds(Vec<Kind>);

impl Kinds {
    fn pose(&mut self, name: impl Into<String>, fault: impl Fn(&Walk, usize, &mut Pose) + 'static) {
        self.add(name, Fault::Pose(Box::new(fault)));
    }

    fn time(&mut self, name: impl Into<String>, fault: impl Fn(&Walk, usize) -> f64 + 'static) {
        self.add(name, Fault::Time(Box::new(fault)));
    }

    fn add(&mut self, name: impl Into<String>, fault: Fault) {
        self.0.push(Kind {
            name: name.into(),
            fault,
            is_plausible: false,
        });
    }

    fn plausible(&mut self) {
        if let Some(kind) = self.0.last_mut() {
            kind.is_plausible = true;
        }
    }
}

fn kinds() -> Vec<Kind> {
    let mut kinds = Kinds::default();
    moments(&mut kinds);
    times(&mut kinds);
    noises(&mut kinds);
    legs(&mut kinds);
    builds(&mut kinds);
    courses(&mut kinds);
    kinds.0
}

type Part = fn(&Walk) -> usize;

fn moments(kinds: &mut Kinds) {
    for metres in [0.1, 0.3, 1.0] {
        kinds.pose(format!("body up {metres} m, one frame"), move |walk, frame, pose| {
            if walk.is_hit(frame, 1) {
                walk.shift(pose, DVec3::Y * metres);
            }
        });
    }
    let parts: [(&str, Part, &[f64]); 8] = [
        ("knee", |walk| walk.knees[0], &[45.0, 60.0]),
        ("thigh", |walk| walk.thighs[1], &[45.0]),
        ("ankle", |walk| walk.ankles[0], &[90.0]),
        ("arm", |walk| walk.shoulders[0], &[90.0, 150.0]),
        ("elbow", |walk| walk.elbows[1], &[60.0, 90.0]),
        ("hand", |walk| walk.hands[0], &[120.0]),
        ("spine", |walk| walk.spine, &[45.0]),
        ("head", |walk| walk.head, &[60.0, 90.0]),
    ];
    for (name, part, sizes) in parts {
        for (frames, &degrees) in [1, 3, 10]
            .into_iter()
            .flat_map(|frames| sizes.iter().map(move |size| (frames, size)))
        {
            kinds.pose(
                format!("{name} by {degrees} degrees, {frames} frames"),
                move |walk, frame, pose| {
                    if walk.is_hit(frame, frames) {
                        walk.bend(pose, part(walk), degrees);
                    }
                },
            );
        }
    }
    let held: [(&str, Part); 3] = [
        ("leg", |walk| walk.thighs[0]),
        ("arm", |walk| walk.shoulders[0]),
        ("head", |walk| walk.spine),
    ];
    for (name, part) in held {
        kinds.pose(
            format!("{name} frozen for half a cycle, then snaps"),
            move |walk, frame, pose| {
                let into = (frame + walk.period / 2) % walk.period;
                if into < walk.period / 2 {
                    walk.copy(pose, part(walk), (frame - into.min(frame)) as f64);
                }
            },
        );
    }
    kinds.pose("hips drop 20 cm for 0.1 s", |walk, frame, pose| {
        if walk.is_hit(frame, walk.frames(0.1)) {
            walk.shift(pose, DVec3::NEG_Y * 0.2);
        }
    });
}

fn times(kinds: &mut Kinds) {
    for held in [2, 3, 4, 8] {
        kinds.time(format!("every {held} frames held"), move |_, frame| {
            (frame / held * held) as f64
        });
    }
    kinds.time("frames held at random", |_, frame| {
        (0..4)
            .map(|back| frame.saturating_sub(back))
            .find(|&at| random(at) > -0.2)
            .unwrap_or(frame) as f64
    });
    kinds.time("a third of the frames lost", |_, frame| {
        // The frames that are kept follow each other.
        (0..).filter(|&at| random(at) > -0.34).nth(frame).unwrap_or(frame) as f64
    });
    kinds.time("5 of 30 frames lost", |_, frame| (frame + frame / 25 * 5) as f64);
    kinds.pose("4 keys a second, lines between", |walk, frame, pose| {
        lines(walk, frame, pose, 4.0)
    });
    kinds.pose("10 keys a second, lines between", |walk, frame, pose| {
        lines(walk, frame, pose, 10.0)
    });
    kinds.plausible();
    kinds.time("slow and fast within a cycle", |walk, frame| {
        frame as f64 + 0.1 * walk.period as f64 * (TAU * walk.phase(frame as f64)).sin()
    });
    kinds.plausible();
    kinds.time("three times as fast", |_, frame| 3.0 * frame as f64);
    kinds.time("stops for 0.2 s each cycle", |walk, frame| {
        let stop = walk.frames(0.2);
        let (cycle, into) = (frame / (walk.period + stop), frame % (walk.period + stop));
        (cycle * walk.period + into.min(walk.period)) as f64
    });
}

fn lines(walk: &Walk, frame: usize, pose: &mut Pose, keys_hz: f64) {
    let step = walk.frames(1.0 / keys_hz);
    let last = walk.take.num_frames() - 1;
    let [from, to] =
        [frame / step * step, (frame / step + 1) * step].map(|key| walk.take.pose(key.min(last)).to_pose());
    let share = (frame % step) as f64 / step as f64;
    for joint in 0..pose.rotations.len() {
        pose.translations[joint] = from.translations[joint].lerp(to.translations[joint], share);
        pose.rotations[joint] = from.rotations[joint].slerp(to.rotations[joint], share);
    }
}

fn noises(kinds: &mut Kinds) {
    for degrees in [3.0, 5.0, 10.0] {
        kinds.pose(format!("rotations rounded to {degrees} degrees"), move |_, _, pose| {
            for own in &mut pose.rotations {
                let step = f64::to_radians(degrees);
                *own = rotation::exp((rotation::log(*own) / step).round() * step);
            }
        });
    }
    for metres in [0.03, 0.1] {
        kinds.pose(format!("root rounded to {metres} m"), move |_, _, pose| {
            pose.translations[0] = (pose.translations[0] / metres).round() * metres;
        });
    }
    for metres in [0.01, 0.03] {
        kinds.pose(format!("noise of {metres} m on the root"), move |walk, frame, pose| {
            walk.shift(pose, random_vector(frame) * metres);
        });
    }
    let parts: [(&str, Part, f64); 5] = [
        ("head", |walk| walk.head, 8.0),
        ("hand", |walk| walk.hands[0], 30.0),
        ("ankle", |walk| walk.ankles[0], 15.0),
        ("knee", |walk| walk.knees[0], 8.0),
        ("arm", |walk| walk.shoulders[1], 8.0),
    ];
    for (name, part, degrees) in parts {
        kinds.pose(
            format!("noise of {degrees} degrees on the {name}"),
            move |walk, frame, pose| {
                pose.rotations[part(walk)] *= rotation::exp(random_vector(frame) * degrees.to_radians());
            },
        );
    }
}

fn legs(kinds: &mut Kinds) {
    kinds.pose("leg frozen", |walk, _, pose| walk.copy(pose, walk.thighs[0], 0.0));
    kinds.pose("leg frozen below the knee", |walk, _, pose| {
        walk.copy(pose, walk.knees[0], 0.0)
    });
    for (name, axes) in [("mirrored", DVec3::new(-1.0, 1.0, 1.0)), ("negated", DVec3::NEG_ONE)] {
        kinds.pose(format!("thigh {name}"), move |walk, _, pose| {
            let own = &mut pose.rotations[walk.thighs[0]];
            *own = rotation::exp(rotation::log(*own) * axes);
        });
    }
    for (name, sides) in [("one leg folded", 1), ("both legs folded", 2)] {
        kinds.pose(name, move |walk, _, pose| {
            for side in 0..sides {
                walk.bend(pose, walk.knees[side], 100.0);
            }
        });
    }
    for (name, late) in [("an eighth", 0.125), ("a quarter", 0.25), ("half a cycle", 0.5)] {
        kinds.pose(format!("leg {name} late"), move |walk, frame, pose| {
            walk.copy(pose, walk.thighs[0], frame as f64 - late * walk.period as f64);
        });
    }
    for (name, sides) in [("one leg", 1), ("both legs", 2)] {
        kinds.pose(format!("{name} at double speed"), move |walk, frame, pose| {
            let cycles = walk.take.num_frames() / walk.period;
            let at = (2 * frame) % (cycles.max(1) * walk.period);
            for side in 0..sides {
                walk.copy(pose, walk.thighs[side], at as f64);
            }
        });
    }
    kinds.pose("both legs frozen", |walk, _, pose| {
        for side in 0..2 {
            walk.copy(pose, walk.thighs[side], 0.0);
        }
    });
    kinds.pose("knees bend backwards", |walk, _, pose| {
        for knee in walk.knees {
            pose.rotations[knee] = pose.rotations[knee].inverse();
        }
    });
    kinds.pose("thigh twisted by 90 degrees", |walk, _, pose| {
        walk.twist(pose, walk.thighs[0], 90.0)
    });
    kinds.pose("both feet frozen to the shins at 60 degrees", |walk, _, pose| {
        for ankle in walk.ankles {
            walk.bend(pose, ankle, 60.0);
        }
    });
    kinds.plausible();
    kinds.pose("legs exchanged", |walk, _, pose| {
        let [left, right] = [0, 1].map(|side| walk.legs(side));
        for (one, other) in left.into_iter().zip(right) {
            pose.rotations.swap(one, other);
        }
    });
}

fn builds(kinds: &mut Kinds) {
    let parts: [(&str, Part); 3] = [
        ("shin", |walk| walk.ankles[0]),
        ("thigh", |walk| walk.knees[1]),
        ("forearm", |walk| walk.hands[0]),
    ];
    for (name, part) in parts {
        for share in [0.2, 0.4] {
            kinds.pose(format!("{name} breathes by {share}"), move |walk, frame, pose| {
                pose.translations[part(walk)] *= 1.0 + share * (TAU * walk.phase(frame as f64)).sin();
            });
        }
    }
    let limbs: [(&str, fn(&Walk) -> [usize; 2], f64); 4] = [
        ("leg", |walk| [walk.knees[0], walk.ankles[0]], 1.1),
        ("leg", |walk| [walk.knees[0], walk.ankles[0]], 1.5),
        ("arm", |walk| [walk.elbows[0], walk.hands[0]], 1.5),
        ("arm", |walk| [walk.elbows[0], walk.hands[0]], 3.0),
    ];
    for (name, joints, factor) in limbs {
        kinds.pose(format!("{name} {factor} times as long"), move |walk, _, pose| {
            for joint in joints(walk) {
                pose.translations[joint] *= factor;
            }
        });
        if factor < 1.2 {
            kinds.plausible();
        }
    }
    kinds.pose("arms 1 m off the shoulders", |walk, _, pose| {
        for shoulder in walk.shoulders {
            let own = pose.translations[shoulder];
            pose.translations[shoulder] = own + own.normalize_or(DVec3::X);
        }
    });
    kinds.plausible();
    let turned: [(&str, Part, f64); 4] = [
        ("head", |walk| walk.head, 90.0),
        ("head", |walk| walk.head, 180.0),
        ("spine", |walk| walk.spine, 90.0),
        ("spine", |walk| walk.spine, 180.0),
    ];
    for (name, part, degrees) in turned {
        kinds.pose(
            format!("{name} twisted by {degrees} degrees throughout"),
            move |walk, _, pose| {
                walk.twist(pose, part(walk), degrees);
            },
        );
        kinds.plausible();
    }
    kinds.pose("head turns around once a cycle", |walk, frame, pose| {
        walk.twist(pose, walk.head, 360.0 * walk.phase(frame as f64));
    });
    kinds.pose("head spins for a third of a cycle", |walk, frame, pose| {
        walk.twist(pose, walk.head, 360.0 * (3.0 * walk.phase(frame as f64)).min(1.0));
    });
    kinds.pose("arm rigid", |walk, _, pose| walk.copy(pose, walk.shoulders[0], 0.0));
    kinds.pose("all above the hips rigid", |walk, _, pose| {
        walk.copy(pose, walk.spine, 0.0)
    });
    kinds.pose("upper body half a cycle late", |walk, frame, pose| {
        walk.copy(pose, walk.spine, frame as f64 - 0.5 * walk.period as f64);
    });
    kinds.plausible();
}

fn courses(kinds: &mut Kinds) {
    for (cycles, metres) in [(1.0, 0.15), (1.0, 0.3), (3.0, 0.08)] {
        kinds.pose(
            format!("hips bob by {metres} m, {cycles} times a cycle"),
            move |walk, frame, pose| {
                walk.shift(
                    pose,
                    DVec3::Y * 0.5 * metres * (TAU * cycles * walk.phase(frame as f64)).sin(),
                );
            },
        );
    }
    kinds.pose("hips sway by 0.3 m off the gait", |walk, frame, pose| {
        let across = walk.travel().cross(DVec3::Y).normalize_or(DVec3::X);
        walk.shift(pose, across * 0.15 * (TAU * walk.phase(frame as f64)).sin());
    });
    kinds.pose("sinks by 0.4 m and rises each cycle", |walk, frame, pose| {
        walk.shift(
            pose,
            DVec3::NEG_Y * 0.2 * (1.0 - (TAU * walk.phase(frame as f64)).cos()),
        );
    });
    kinds.pose("tips by 50 degrees each cycle", |walk, frame, pose| {
        let place = pose.as_ref().world(walk.take.skeleton()).translations[walk.hips];
        let tip = DQuat::from_rotation_z(50f64.to_radians() * (PI * walk.phase(frame as f64)).sin());
        pose.carry(walk.take.skeleton(), 0, Rigid::new(tip, place - tip * place));
    });
    for factor in [0.3, 0.5, 1.5, 3.0] {
        kinds.pose(format!("travel times {factor}"), move |walk, frame, pose| {
            walk.shift(pose, walk.travel() * (factor - 1.0) * frame as f64);
        });
    }
    kinds.pose("travels sideways", |walk, frame, pose| {
        let way = walk.travel();
        walk.shift(pose, (way.cross(DVec3::Y) - way) * frame as f64);
    });
    kinds.pose("travels backwards on legs that walk forwards", |walk, frame, pose| {
        walk.shift(pose, walk.travel() * -2.0 * frame as f64);
    });
    kinds.pose("travels in steps", |walk, frame, pose| {
        let phase = walk.phase(2.0 * frame as f64);
        walk.shift(
            pose,
            walk.travel() * 0.5 * walk.period as f64 * ((2.0 * phase).min(1.0) - phase),
        );
    });
    kinds.pose("climbs 2 m/s", |walk, frame, pose| {
        walk.shift(pose, DVec3::Y * 2.0 * frame as f64 * walk.take.frame_time_secs());
    });
    kinds.plausible();
    kinds.pose("1 m off the floor", |walk, _, pose| walk.shift(pose, DVec3::Y));
    kinds.plausible();
    kinds.time("backwards in time", |walk, frame| {
        (walk.take.num_frames() - 1) as f64 - frame as f64
    });
    kinds.plausible();
}

/// Returns the walk with a fault.
fn faulty(walk: &Walk, fault: &Fault) -> Option<Take> {
    let (take, last) = (&walk.take, walk.take.num_frames() - 1);
    let poses: Vec<Pose> = match fault {
        Fault::Time(at) => (0..=last)
            .map(|frame| at(walk, frame))
            .take_while(|&at| (0.0..=last as f64).contains(&at))
            .map(|at| take.sample(at))
            .collect(),
        Fault::Pose(change) => (0..=last)
            .map(|frame| {
                let mut pose = take.pose(frame).to_pose();
                change(walk, frame, &mut pose);
                pose
            })
            .collect(),
    };
    let tracks = Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).ok()?;
    Take::from_tracks("walk", tracks).ok()
}

fn read(path: &Path, animation: AnimationChoice<'_>) -> Option<Take> {
    let bytes = std::fs::read(path).ok()?;
    let settings = ReadSettings {
        animation,
        ..ReadSettings::default()
    };
    let name = path.file_stem()?.to_str()?;
    Some(read_take(&bytes, name, &settings, &mut Vec::new()).ok()?.take)
}

/// Whether a check names joint and time of something that is not good.
fn speaks(check: &CheckFacts) -> bool {
    let names = check.joint.is_some() && check.time_secs.is_some();
    names && (check.grade > Some(Grade::Good) || check.is_noted())
}

fn words(checks: &[CheckFacts], which: impl Fn(&CheckFacts) -> bool) -> String {
    let spoken = checks.iter().filter(|check| which(check)).map(|check| {
        let value = check.value.unwrap_or_default();
        format!(
            "{} {value:.2}{} at {:.2} s",
            check.id,
            check
                .joint
                .as_ref()
                .map_or_else(String::new, |joint| format!(" {joint}")),
            check.time_secs.unwrap_or_default()
        )
    });
    spoken.collect::<Vec<_>>().join(", ")
}

fn faults_in_walks(folder: &Path) -> bool {
    let synthesized = synthesize(&WalkSettings::default().turn_dps(0.0)).map(|synth| ("synth", synth.take));
    let captured = WALKS
        .iter()
        .filter_map(|file| Some((*file, read(&folder.join(file), AnimationChoice::Auto)?)));
    let walks: Vec<_> = synthesized
        .into_iter()
        .chain(captured)
        .filter_map(|(file, take)| Some((file, Walk::new(take)?)))
        .collect();
    let kinds = kinds();
    let (mut silent, mut count) = (0, 0);
    for kind in &kinds {
        for (file, walk) in &walks {
            let Some(take) = faulty(walk, &kind.fault) else {
                continue;
            };
            let source = Source::for_take(&take, Format::Glb);
            let made = make_loop(LoadedTake::new(take, source), &Recipe::default());
            let quality = match made {
                Ok(made) => made.sidecar.quality,
                Err(error) => {
                    print(&format!("{}; {file}: no loop: {error}", kind.name));
                    count += usize::from(!kind.is_plausible);
                    continue;
                }
            };
            let grade = quality.grade.unwrap_or_default();
            let is_silent = grade == Grade::Good && !quality.checks.iter().any(speaks);
            count += usize::from(!kind.is_plausible);
            silent += usize::from(is_silent && !kind.is_plausible);
            let mark = match (is_silent, kind.is_plausible) {
                (true, false) => " SILENT",
                (true, true) => " silent, as it may be",
                _ => "",
            };
            print(&format!(
                "{}; {file}: {grade}{mark} {}",
                kind.name,
                words(&quality.checks, |check| check.grade > Some(Grade::Good)
                    || check.is_noted())
            ));
        }
    }
    print(&format!(
        "{silent} of {count} faulty walks are good without a word of joint and time"
    ));
    silent as f64 <= MOST_SILENT * count as f64
}

fn sound_loops(folder: &Path) -> bool {
    let files = mocap::manifest(folder).unwrap_or_default();
    let (mut alarms, mut count) = ([0, 0], [0, 0]);
    let mut largest: Vec<(f64, String)> = vec![(0.0, String::new()); OF_FAULTS.len()];
    for file in files {
        for number in 0..64 {
            let is_clip = file.format != "BVH";
            let animation = if is_clip {
                AnimationChoice::Number(number)
            } else {
                AnimationChoice::Auto
            };
            let Some(take) = read(&folder.join(&file.file), animation) else {
                break;
            };
            let name = format!("{} {}", file.file, take.name());
            for (verdict, frames) in loops(&take) {
                let is_of_faults = |check: &CheckFacts| OF_FAULTS.iter().any(|id| id.as_str() == check.id);
                let before = verdict
                    .checks
                    .iter()
                    .filter(|check| !is_of_faults(check))
                    .filter_map(|check| check.grade)
                    .max();
                if before > Some(Grade::Good) {
                    continue;
                }
                for (id, largest) in OF_FAULTS.iter().zip(&mut largest) {
                    let value = verdict
                        .checks
                        .iter()
                        .find(|check| check.id == id.as_str())
                        .and_then(|check| check.value);
                    if let Some(value) = value.filter(|value| !is_clip && *value > largest.0) {
                        *largest = (value, name.clone());
                    }
                }
                count[usize::from(is_clip)] += 1;
                let spoken = words(&verdict.checks, |check| {
                    is_of_faults(check) && (check.grade > Some(Grade::Good) || check.is_noted())
                });
                if !spoken.is_empty() {
                    alarms[usize::from(is_clip)] += 1;
                    print(&format!("{name} {frames:?}: {} {spoken}", verdict.grade));
                }
            }
            if !is_clip {
                break;
            }
        }
    }
    for (id, (value, name)) in OF_FAULTS.iter().zip(&largest) {
        print(&format!("largest {id}: {value:.2} in {name}"));
    }
    print(&format!(
        "captured: {} of {} sound loops get a word; authored: {} of {}",
        alarms[0], count[0], alarms[1], count[1]
    ));
    f64::from(alarms[0]) <= MOST_ALARMS * f64::from(count[0])
}

/// Returns the verdicts on the loops of a take's list, with their frames.
fn loops(take: &Take) -> Vec<(Verdict, [f64; 2])> {
    let Ok(analysis) = Analysis::new(take) else {
        return Vec::new();
    };
    let Ok(found) = analysis.find_loops(&SearchSettings::default()) else {
        return Vec::new();
    };
    let judged = found.candidates.iter().filter_map(|candidate| {
        let cut = &candidate.cut;
        Some((
            default_loop(&analysis, candidate)?.0,
            [cut.start_frame(), cut.end_frame()],
        ))
    });
    judged.collect()
}
