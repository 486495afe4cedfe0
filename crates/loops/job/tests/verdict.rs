//! Faults of known size, put into walks and loops: a check is silent well below its limit, and catches what is above it.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, BodyOverrides, LoopClip, LoopSettings, MadeLoop, Pose, RootMode, SearchSettings, Take, Tracks,
    loop_clip::LoopKeys, quality,
};
use loopwright_formats::loop_file::facts::{CheckFacts, Grade, Unmeasured};
use loopwright_job::{
    CheckId, Verdict, check,
    verdict::{self, default_loop},
};
use loopwright_synth::{WalkSettings, synthesize};

/// Walks that differ in pace, rhythm and rate: three, or with `LOOPWRIGHT_MANY_WALKS` 21.
fn walks() -> impl Iterator<Item = Take> {
    let more = if std::env::var_os("LOOPWRIGHT_MANY_WALKS").is_some() {
        18
    } else {
        0
    };
    // Evenly spread over 0.9 to 1.8 m/s; the faster, the quicker.
    let spread = (1..=more).map(|index| {
        let share = (f64::from(index) * 0.618_034).fract();
        let rate_hz = [30.0, 60.0, 120.0][index as usize % 3];
        (0.9 + 0.9 * share, 1.25 - 0.28 * share, rate_hz)
    });
    [(1.0, 1.21, 60.0), (1.3, 1.1537, 30.0), (1.7, 0.97, 120.0)]
        .into_iter()
        .chain(spread)
        .map(|(speed_mps, period_secs, frame_rate_hz)| {
            synthesized(
                WalkSettings::default()
                    .speed_mps(speed_mps)
                    .period_secs(period_secs)
                    .frame_rate_hz(frame_rate_hz)
                    .turn_dps(0.0),
            )
        })
}

pub(crate) fn synthesized(settings: WalkSettings) -> Take {
    synthesize(&settings).unwrap().take
}

/// Returns the take with other poses: frame by frame those of `at`.
pub(crate) fn with_poses(take: &Take, num_frames: usize, at: impl Fn(usize) -> Pose) -> Take {
    let poses = (0..num_frames).map(at);
    let tracks = Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).unwrap();
    Take::from_tracks(take.name(), tracks).unwrap()
}

/// Returns the verdict on the loop of a cycle from this frame on.
fn of_cycle(take: &Take, start: f64, end: f64) -> Verdict {
    let analysis = Analysis::new(take).unwrap();
    let settings = SearchSettings {
        cycles: Some(1),
        ..SearchSettings::default()
    };
    let stretch = analysis.appraise(start, end, &settings).unwrap();
    default_loop(&analysis, &stretch, &verdict::of_take(&analysis, &stretch))
        .unwrap()
        .0
}

fn of_changed(take: &Take, change: impl Fn(&MadeLoop, usize, &mut Pose)) -> Verdict {
    let analysis = Analysis::new(take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let made = analysis
        .make_loop(&found.candidates[0], &LoopSettings::default())
        .unwrap();
    let clip = &made.loop_clip;
    let poses = (0..clip.num_samples()).map(|sample| {
        let mut pose = clip.body_pose(sample).to_pose();
        change(&made, sample, &mut pose);
        pose
    });
    let tracks = Tracks::from_poses(clip.skeleton().clone(), clip.step_secs(), poses).unwrap();
    let changed = LoopClip::new(clip.name(), tracks, clip.carrier(), *clip.root()).unwrap();
    let quality = quality::measure(&LoopKeys::from_loop(&changed), &made.body, Some(&made.source));
    let of_take = verdict::of_take(&analysis, &made.candidate);
    Verdict::of_made(&made, &quality, &of_take)
}

fn grade_of(verdict: &Verdict, id: CheckId) -> Option<Grade> {
    let check = verdict.checks.iter().find(|check| check.id == id.as_str());
    check.unwrap().grade
}

/// Returns the three sizes of a fault give the three grades.
fn caught(id: CheckId, take: &Take, sizes: [f64; 3], judged: impl Fn(&Take, f64) -> Verdict) {
    let verdicts = sizes.map(|size| judged(take, size));
    let found = verdicts.each_ref().map(|verdict| grade_of(verdict, id));
    for verdict in verdicts.iter().filter(|verdict| verdict.grade > Grade::Good) {
        assert_ne!(verdict.reason, Verdict::of_checks(Vec::new(), |_| None).reason, "{id}");
    }
    assert_eq!(
        found,
        [Grade::Good, Grade::Review, Grade::Bad].map(Some),
        "{id} at {} fps: {:?}",
        take.frame_rate_hz(),
        verdicts.map(|verdict| verdict.checks.into_iter().find(|check| check.id == id.as_str()))
    );
}

/// Frames of the second cycle of a walk.
fn second_cycle(take: &Take, period_secs: f64) -> [f64; 2] {
    [1.0, 2.0].map(|cycle| (cycle * period_secs / take.frame_time_secs()).round())
}

/// No two checks have one id, each is read back from it, and the page of checks has the rows of all, with units and limits.
#[test]
fn every_check_is_explained() {
    let page = include_str!("../../../../docs/checks.md");
    for (index, id) in CheckId::ALL.into_iter().enumerate() {
        assert_eq!(id.as_str().parse(), Ok(id));
        assert!(
            !CheckId::ALL[..index].iter().any(|other| other.as_str() == id.as_str()),
            "{id} twice"
        );
    }
    let table: String = CheckId::ALL.map(|id| format!("{}\n", id.row())).concat();
    assert!(
        page.contains(&format!("| --- |\n{table}\n")),
        "docs/checks.md lacks this table:\n{table}"
    );
}

#[test]
fn walks_without_a_fault_are_good() {
    for take in walks() {
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let best = &found.candidates[0];
        let (verdict, _) = default_loop(&analysis, best, &verdict::of_take(&analysis, best)).unwrap();
        assert_eq!(verdict.to_string(), "good: the seam does not show");
        assert_eq!(verdict.checks.len(), CheckId::ALL.len());
    }
}

#[test]
fn a_body_that_freezes_is_caught() {
    for take in walks() {
        caught(CheckId::HeldPose, &take, [0.05, 0.17, 0.4], |take, secs| {
            // The walk stands still in the middle of the cycle that becomes the loop.
            let held = (secs / take.frame_time_secs()).round() as usize;
            let at = take.num_frames() / 3;
            let frozen = with_poses(take, take.num_frames() + held, |frame| {
                let source = if frame <= at { frame } else { (frame - held).max(at) };
                take.pose(source.min(take.num_frames() - 1)).to_pose()
            });
            let cycle = Analysis::new(take)
                .unwrap()
                .find_loops(&SearchSettings::default())
                .unwrap();
            let length = cycle.candidates[0].num_frames / f64::from(cycle.candidates[0].cycles);
            let start = at as f64 - (0.5 * length).round();
            of_cycle(&frozen, start, start + length + held as f64)
        });
    }
}

#[test]
fn a_pace_that_changes_is_caught() {
    for take in walks() {
        caught(CheckId::Pace, &take, [0.05, 0.11, 0.25], |take, change| {
            // Time runs faster and faster: by so much from one cycle to the next.
            let cycle = second_cycle(take, 1.1);
            let length = cycle[1] - cycle[0];
            let faster = |frame: usize| {
                let u = frame as f64 - cycle[0];
                cycle[0] + u + change * u * u / (2.0 * length) * (1.0 - 0.5 * change)
            };
            let last = (take.num_frames() - 1) as f64;
            let count = (0..take.num_frames()).take_while(|&frame| faster(frame) < last).count();
            let hastened = with_poses(take, count, |frame| take.sample(faster(frame).max(0.0)));
            of_cycle(&hastened, cycle[0], cycle[1])
        });
    }
}

#[test]
fn a_pivot_is_caught() {
    for take in walks() {
        // The share of the quarter turn that a tenth of the loop holds; the rest is spread evenly over it.
        caught(CheckId::Turn, &take, [0.02, 0.3, 0.9], |take, share| {
            let [start, end] = second_cycle(take, 1.1);
            let turned = with_poses(take, take.num_frames(), |frame| {
                let u = (frame as f64 - start) / (end - start);
                let pivot = ((u - 0.45) / 0.1).clamp(0.0, 1.0);
                let yaw = 0.5 * PI * ((1.0 - share) * u + share * (pivot + (u - 1.0).max(0.0) + u.min(0.0)));
                let mut pose = take.pose(frame).to_pose();
                // The body turns about its own place.
                pose.rotations[0] = DQuat::from_rotation_y(yaw) * pose.rotations[0];
                pose
            });
            of_cycle(&turned, start, end)
        });
    }
}

#[test]
fn a_body_that_leans_or_hangs_is_caught() {
    for take in walks() {
        caught(CheckId::Upright, &take, [20.0, 75.0, 180.0], |take, degrees| {
            let turn = DQuat::from_rotation_z(f64::to_radians(degrees));
            let [start, end] = second_cycle(take, 1.1);
            of_cycle(&take.turned(turn), start, end)
        });
    }
}

#[test]
fn a_kink_is_caught() {
    for take in walks() {
        // A knee turns within one sample: by so many times the largest second difference of its ankle.
        let [knee, ankle] = ["LeftLeg", "LeftFoot"].map(|name| take.skeleton().find(name).unwrap());
        caught(CheckId::Kink, &take, [0.3, 3.0, 6.0], |take, share| {
            of_changed(take, |made, sample, pose| {
                let count = made.loop_clip.num_samples();
                if sample == count / 2 {
                    let places = made.loop_clip.tracks_from_root();
                    let bend = |at: usize| {
                        let [before, here, after] =
                            [count - 1, 0, 1].map(|step| places.position((at + step) % count, ankle));
                        (before - 2.0 * here + after).length()
                    };
                    let largest = (0..count).map(bend).fold(0.0, f64::max);
                    // Moved and moved back, a place bends twice as much as it moves.
                    let angle = 0.5 * share * largest / take.skeleton().joint(ankle).rest_offset.length();
                    pose.rotations[knee] *= DQuat::from_rotation_x(angle);
                }
            })
        });
    }
}

#[test]
fn feet_that_float_or_sink_are_caught() {
    for take in walks() {
        for side in [1.0, -1.0] {
            caught(CheckId::FootHeight, &take, [0.005, 0.013, 0.03], |take, metres| {
                of_changed(take, |made, _, pose| {
                    pose.translations[made.loop_clip.carrier()].y += side * metres;
                })
            });
        }
    }
}

#[test]
fn feet_that_slide_are_caught() {
    for take in walks() {
        caught(CheckId::FootSlide, &take, [0.008, 0.03, 0.09], |take, metres| {
            of_changed(take, |made, sample, pose| {
                // The whole body sways to and fro twice a cycle, so that each contact sees all of it.
                let phase = 2.0 * TAU * sample as f64 / made.loop_clip.num_samples() as f64;
                pose.translations[made.loop_clip.carrier()] += DVec3::X * 0.5 * metres * phase.sin();
            })
        });
    }
}

#[test]
fn a_seam_that_jumps_is_bad() {
    for take in walks() {
        let verdict = of_changed(&take, |_, sample, pose| {
            if sample == 0 {
                pose.translations[0].y += 0.05;
            }
        });
        assert_eq!(verdict.grade, Grade::Bad);
        assert!(verdict.reason.contains("at the seam"), "{}", verdict.reason);
    }
}

/// A jump is as large as a joint is moved by it beyond what it does from frame to frame, and has the time of its frame.
#[test]
fn a_jump_inside_is_measured() {
    for take in walks() {
        let [start, end] = second_cycle(&take, 1.1);
        let at = (0.5 * (start + end)).round() as usize;
        let metres = 0.4;
        let torn = with_poses(&take, take.num_frames(), |frame| {
            let mut pose = take.pose(frame).to_pose();
            pose.translations[0].x += if frame >= at { metres } else { 0.0 };
            pose
        });
        let verdict = of_cycle(&torn, start, end);
        let jump = verdict
            .checks
            .iter()
            .find(|check| check.id == CheckId::Jumps.as_str())
            .unwrap();
        let off = jump.value.unwrap() - 1e3 * metres;
        assert!(off.abs() < 60.0, "{off} mm at {} fps", take.frame_rate_hz());
        assert_eq!(
            (jump.grade, jump.time_secs),
            (Some(Grade::Review), Some(at as f64 * take.frame_time_secs()))
        );
    }
}

/// Faults of a clip that already loops may be meant: they have a value, a joint and a time, and no grade. The same in a take has one.
#[test]
fn faults_of_a_clip_kept_as_authored_are_not_graded() {
    let cycle = WalkSettings::default()
        .period_secs(1.2)
        .frame_rate_hz(30.0)
        .turn_dps(0.0)
        .noise_deg(0.0)
        .drift(0.0);
    let spike = |seconds: f64| {
        let take = synthesized(cycle.clone().seconds(seconds));
        let head = take.skeleton().find("Head").unwrap();
        let turned = with_poses(&take, take.num_frames(), |frame| {
            let mut pose = take.pose(frame).to_pose();
            if frame % 36 == 15 {
                pose.rotations[head] *= DQuat::from_rotation_y(1.0);
            }
            pose
        });
        let analysis = Analysis::new(&turned).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let best = &found.candidates[0];
        let (verdict, _) = default_loop(&analysis, best, &verdict::of_take(&analysis, best)).unwrap();
        let of_spike = |check: &&CheckFacts| check.id == CheckId::Spike.as_str();
        verdict.checks.iter().find(of_spike).unwrap().clone()
    };
    let (kept, of_take) = (spike(1.2), spike(8.0));
    for check in [&kept, &of_take] {
        assert!(
            check.value.unwrap() > 2.0 && check.joint.as_deref() == Some("Head"),
            "{check:?}"
        );
    }
    assert!((kept.time_secs.unwrap() - 0.5).abs() < 1e-9, "{kept:?}");
    assert_eq!((kept.grade, of_take.grade), (None, Some(Grade::Bad)));
}

/// Nothing needs to bear a body that is pulled back to its start.
#[test]
fn bearing_is_not_measured_in_place() {
    for take in walks() {
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let bears = [RootMode::Constant, RootMode::Stationary].map(|mode| {
            let mut settings = LoopSettings::default();
            settings.root.mode = mode;
            let made = analysis.make_loop(&found.candidates[0], &settings).unwrap();
            let quality = quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, Some(&made.source));
            let verdict = Verdict::of_made(&made, &quality, &[]);
            grade_of(&verdict, CheckId::Bears)
        });
        assert_eq!(bears, [Some(Grade::Good), None]);
    }
}

/// A seam left by an author is stated without a grade; if it is closed on request, the loop is graded as any other.
#[test]
fn the_seam_of_a_finished_clip_is_its_authors() {
    let walk = synthesized(WalkSettings::default().turn_dps(0.0).noise_deg(0.0));
    let there_and_back = with_poses(&walk, 61, |key| {
        walk.sample(20.0 + 16.0 * (PI * (key % 60) as f64 / 60.0).sin())
    });
    let analysis = Analysis::new(&there_and_back).unwrap();
    let candidate = analysis.find_loops(&SearchSettings::default()).unwrap().candidates[0].clone();
    let seam = |mend: bool| {
        let settings = LoopSettings {
            mend,
            ..LoopSettings::default()
        };
        let made = analysis.make_loop(&candidate, &settings).unwrap();
        let quality = quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, Some(&made.source));
        let verdict = Verdict::of_made(&made, &quality, &verdict::of_take(&analysis, &made.candidate));
        let check = verdict
            .checks
            .iter()
            .find(|check| check.id == CheckId::SeamVelocity.as_str());
        let check = check.unwrap().clone();
        (verdict.grade, verdict.reason, check.value > check.limit, check.grade)
    };
    let (grade, reason, shows, graded) = seam(false);
    assert_eq!((grade, shows, graded), (Grade::Good, true, None), "{reason}");
    assert_eq!(reason, "kept as the clip has it");
    let (_, reason, shows, graded) = seam(true);
    assert_eq!((shows, graded), (false, Some(Grade::Good)), "{reason}");
}

#[test]
fn a_check_without_a_value_says_why() {
    let take = synthesized(WalkSettings::default().turn_dps(0.0));
    let why = |checks: &[CheckFacts]| {
        [CheckId::Pace, CheckId::Turn, CheckId::Kink].map(|id| {
            let check = checks.iter().find(|check| check.id == id.as_str());
            check.and_then(|check| check.unmeasured)
        })
    };
    // As many cycles as are neither measured around both ends nor estimated; a straight way has no turn to be uneven.
    let analysis = Analysis::new(&take).unwrap();
    let settings = SearchSettings {
        cycles: Some(11),
        ..SearchSettings::default()
    };
    let last = (take.num_frames() - 1) as f64;
    let whole = analysis.appraise(0.0, last, &settings).unwrap();
    let [unknown, none] = [Unmeasured::Unknown, Unmeasured::NotApplicable].map(Some);
    assert_eq!(why(&verdict::of_take(&analysis, &whole)), [unknown, none, None]);
    // Nothing is known of the take of a loop alone.
    let alone = check(&take, None, &BodyOverrides::default(), None).unwrap();
    assert_eq!(why(&alone.verdict.checks), [unknown; 3]);
}

/// There and back, and exactly where it began: it turns around at its seam, as its author has it, with a sidecar or without.
#[test]
fn a_clip_that_loops_as_a_whole_is_its_authors_without_a_sidecar() {
    let walk = synthesized(WalkSettings::default());
    let grade = |take: &Take| check(take, None, &BodyOverrides::default(), None).unwrap();
    let swing = |key: usize| 20.0 + 16.0 * (PI * (key % 60) as f64 / 60.0).sin();
    let closed = grade(&with_poses(&walk, 61, |key| walk.sample(swing(key))));
    assert!(closed.quality.pops());
    assert_eq!(closed.verdict.grade, Grade::Good, "{}", closed.verdict);
    // Half of it is nobody's loop.
    let open = grade(&with_poses(&walk, 30, |key| walk.sample(swing(key))));
    assert_eq!(open.verdict.grade, Grade::Bad, "{}", open.verdict);
}
