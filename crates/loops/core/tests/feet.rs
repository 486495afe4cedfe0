//! Feet of loops against the truth of synthetic takes: their contacts, that they stay, and the root speed that they imply.

use glam::DVec3;
use loopwright_core::{
    Analysis, BodyOverrides, Cut, FeetSettings, LoopCandidate, LoopClip, LoopSettings, MadeLoop, Pose, RootMode,
    SearchSettings, Skeleton, Take,
    analysis::{BodyError, ContactLimits},
    feet::{
        FootLock, FootOutcome, FootPoint as BearingPoint, HoldError, LoopContact, StanceEdit, StanceError, StanceSpan,
    },
    math::{Rigid, ops, rotation},
    motion::{Joint, WorldTracks},
    pipeline::MakeError,
};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::{SyntheticTake, WalkSettings, random_settings, synthesize};

use crate::support::{
    analysed, by_cost, captured, made_of, measured, moved, of_poses, posed, poses, skeleton, steady, stretch, take_of,
    walk_of,
};

/// Returns the loop with the cheapest seam: how well a speed is recovered depends on the stretch, not on how it was chosen.
fn found(analysis: &Analysis) -> LoopCandidate {
    found_of(analysis, None)
}

/// Returns the loop with the cheapest seam of one cycle, in which a foot stands once.
fn found_cycle(analysis: &Analysis) -> LoopCandidate {
    found_of(analysis, Some(1))
}

fn found_of(analysis: &Analysis, cycles: Option<u32>) -> LoopCandidate {
    let settings = SearchSettings { cycles, ..by_cost() };
    analysis.find_loops(&settings).unwrap().best().unwrap().clone()
}

fn made(analysis: &Analysis, cut: &Cut, feet: impl Into<FeetSettings>) -> MadeLoop {
    let settings = LoopSettings::with_feet(feet);
    analysis.make_loop(&stretch(analysis, cut), &settings).unwrap()
}

fn stance(foot: usize, span: StanceSpan, stands: bool) -> StanceEdit {
    StanceEdit { foot, span, stands }
}

/// Stances that are stated replace those detected, are held as those are, and leave the other foot's alone.
#[test]
fn edited_stances_overrule_those_detected() {
    let analysis = analysed(&walk_of(WalkSettings::default()));
    let candidate = found(&analysis);
    let made = |stances: Vec<StanceEdit>| {
        let settings = LoopSettings {
            stances,
            ..LoopSettings::default()
        };
        analysis.make_loop(&candidate, &settings)
    };
    let plain = made(Vec::new()).unwrap();
    let (clip, cut) = (&plain.loop_clip, &candidate.cut);
    let count = clip.num_samples();
    let of = |made: &MadeLoop, foot: usize| -> Vec<LoopContact> {
        let contacts = made.feet.contacts.iter().copied();
        contacts.filter(|contact| contact.foot == foot).collect()
    };
    let detected = of(&plain, 0);
    let first = detected[0];
    let frame = |sample: usize| cut.start_frame() + sample as f64 * cut.num_frames() / count as f64;
    let (from, to) = (first.start_sample, first.start_sample + first.num_samples - 1);
    let edit = |span: StanceSpan, stands: bool| stance(0, span, stands);
    let secs = |sample: usize| sample as f64 * clip.step_secs();
    let later = StanceSpan::Secs([from + 3, to + 3].map(secs));
    let (frames, secs) = (
        StanceSpan::Frames([from, to].map(frame)),
        StanceSpan::Secs([from, to].map(secs)),
    );

    // Stating the detected stances changes nothing.
    let same = made(vec![edit(frames, true), edit(secs, true)]).unwrap();
    assert_eq!(same.loop_clip, plain.loop_clip);
    // A stance that is removed is gone, whichever unit says so, ...
    for span in [frames, secs] {
        let removed = made(vec![edit(span, false)]).unwrap();
        assert_eq!(of(&removed, 0), detected[1..]);
        assert_eq!(of(&removed, 1), of(&plain, 1));
    }
    // ... and a moved one is where it was moved to, and held there.
    let moved = made(vec![edit(secs, false), edit(later, true)]).unwrap();
    let span = LoopContact {
        start_sample: (from + 3) % count,
        ..first
    };
    assert!(of(&moved, 0).contains(&span));
    assert!(moved.feet.is_held());
    let aside = strays(&moved, &analysis)[0];
    assert!(aside < 0.03, "{aside}");

    let refused = |span: StanceSpan, foot: usize| match made(vec![stance(foot, span, true)]) {
        Err(MakeError::Feet(HoldError::Stance(error))) => error,
        other => panic!("{other:?}"),
    };
    let found = [2.0, 1.0];
    assert_eq!(refused(StanceSpan::Secs(found), 0), StanceError::Order { found });
    assert_eq!(refused(secs, 9), StanceError::Foot { foot: 9, num_feet: 2 });
    let order = refused(StanceSpan::Frames([f64::NAN, 1.0]), 0);
    assert!(matches!(order, StanceError::Order { .. }));
    let found = [1e9, 1e10];
    let range = [0.0, clip.period_secs()];
    let outside = StanceError::Outside { found, range };
    assert_eq!(refused(StanceSpan::Secs(found), 0), outside);
}

/// Returns the world position of a joint at a key of any cycle.
fn position(clip: &LoopClip, key: usize, joint: usize) -> DVec3 {
    clip.world_pose(key).translations[joint]
}

/// Largest distances of held feet from the position of their stance, over the ground and below it, metres.
fn strays(made: &MadeLoop, analysis: &Analysis) -> [f64; 2] {
    let (mut aside, mut below) = (0.0_f64, 0.0_f64);
    for span in &made.feet.contacts {
        let joint = analysis.body.feet[span.foot].lowest_joint();
        let positions: Vec<DVec3> = span.keys().map(|key| position(&made.loop_clip, key, joint)).collect();
        let mut heights: Vec<f64> = positions.iter().map(|position| position.y).collect();
        heights.sort_by(f64::total_cmp);
        for position in &positions {
            aside = aside.max(ops::hypot(position.x - positions[0].x, position.z - positions[0].z));
            // It may roll over its toes, but not sink.
            below = below.max(heights[heights.len() / 2] - position.y);
        }
    }
    [aside, below]
}

/// Returns the keys of a loop in which a joint is at rest in truth: one run per stance, unrolled so that it may run over the
/// seam.
fn true_stances(synthetic: &SyntheticTake, made: &MadeLoop, joint: &str) -> Vec<Vec<usize>> {
    let (count, cut) = (made.loop_clip.num_samples(), &made.candidate.cut);
    let rests = |key: usize| {
        let frame = cut.start_frame() + cut.num_frames() * (key % count) as f64 / count as f64;
        let mut contacts = synthetic.truth.contacts.iter();
        contacts.any(|contact| contact.joint == joint && contact.start_frame <= frame && frame <= contact.end_frame)
    };
    let swing = (0..count).find(|&key| !rests(key)).unwrap();
    let keys: Vec<usize> = (swing..swing + count).collect();
    keys.chunk_by(|&key, &next| rests(key) == rests(next))
        .filter(|run| rests(run[0]))
        .map(<[usize]>::to_vec)
        .collect()
}

/// Prefixes of the names of joints of synthetic legs.
const SIDES: [&str; 2] = ["Left", "Right"];

/// A point that is fixed to a joint of a foot, and the joint whose contacts say when the point is at rest in truth.
struct FootPoint {
    joint: usize,
    offset: DVec3,
    rests_with: String,
}

impl FootPoint {
    /// The lowest joint, by which contacts are counted, and three more points: the tip of the toes, the ankle and the heel.
    fn of(skeleton: &Skeleton, side: &str) -> [Self; 4] {
        let [ball, ankle] = ["ToeBase", "Foot"].map(|part| format!("{side}{part}"));
        let point = |name: &String, offset: DVec3| Self {
            joint: skeleton.find(name).unwrap(),
            offset,
            rests_with: name.clone(),
        };
        let tip = skeleton.joint(skeleton.find(&ball).unwrap()).tip.unwrap();
        [
            point(&ball, DVec3::ZERO),
            point(&ball, tip),
            point(&ankle, DVec3::ZERO),
            // The point at which the heel of the synthetic foot touches the ground.
            point(&ankle, DVec3::new(0.0, -0.085, -0.05)),
        ]
    }

    fn at(&self, pose: &Pose) -> DVec3 {
        Rigid::new(pose.rotations[self.joint], pose.translations[self.joint]).transform_point(self.offset)
    }
}

/// How far a point moves while it is at rest in truth, metres.
#[derive(Clone, Copy, Debug, Default)]
struct Moves {
    /// The longest distance between two of its places, over the ground.
    aside: f64,
    /// How far it sinks below the middle of its heights. It may rise: holding lets feet roll over their toes.
    below: f64,
}

impl Moves {
    fn of(positions: &[DVec3]) -> Self {
        let mut heights: Vec<f64> = positions.iter().map(|position| position.y).collect();
        heights.sort_by(f64::total_cmp);
        let apart = positions.iter().flat_map(|one| {
            let others = positions.iter();
            others.map(|other| (*one - *other).with_y(0.0).length())
        });
        Self {
            aside: apart.fold(0.0, f64::max),
            below: heights[heights.len() / 2] - heights[0],
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            aside: self.aside.max(other.aside),
            below: self.below.max(other.below),
        }
    }

    /// The largest of all true stances of a loop, for each of the points of a foot, which has one stance in a loop.
    fn in_loop(synthetic: &SyntheticTake, made: &MadeLoop, side: &str) -> [Self; 4] {
        FootPoint::of(synthetic.take.skeleton(), side).map(|point| {
            let stances = true_stances(synthetic, made, &point.rests_with);
            assert_eq!(stances.len(), 1, "{}", point.rests_with);
            let keys = stances[0].iter();
            let positions: Vec<DVec3> = keys.map(|&key| point.at(&made.loop_clip.world_pose(key))).collect();
            Self::of(&positions)
        })
    }
}

/// Returns a walk without noise, whose feet rest in truth while they stand.
fn still_footed(seed: u64) -> SyntheticTake {
    synthesize(&random_settings(seed).noise_deg(0.0)).unwrap()
}

/// The stances are those of the truth, from where the foot is flat to where the toes leave, ends included.
#[test]
fn held_feet_move_less_than_two_millimetres() {
    let mut num_held = 0;
    for seed in 0..40 {
        let synthetic = still_footed(seed);
        let analysis = analysed(&synthetic.take);
        let held = made(&analysis, &found_cycle(&analysis).cut, FootLock::Auto);
        num_held += usize::from(held.feet.outcomes == [FootOutcome::Held; 2]);
        for side in SIDES {
            let [ball, free @ ..] = Moves::in_loop(&synthetic, &held, side);
            assert!(ball.aside < 2e-3 && ball.below < 5e-3, "{seed}: {ball:?}");
            // The rest of the foot tilts by fractions of a degree where the leg needs it (docs/math/feet.md).
            let most = free.into_iter().fold(Moves::default(), Moves::max);
            assert!(most.aside < 3e-3 && most.below < 5e-3, "{seed}: {free:?}");
        }
    }
    // The others are released: nothing is left to gain.
    assert!(num_held >= 30, "{num_held} of 40");
}

/// Feet that leave the ground at once, and come down as fast, swing as in the take: they were held back by 9 cm.
#[test]
fn swinging_feet_are_not_held_back() {
    for (speed_mps, period_secs) in [(0.9, 1.25), (1.0, 1.21), (1.7, 0.97)] {
        let settings = steady().speed_mps(speed_mps).period_secs(period_secs);
        let analysis = analysed(&walk_of(settings));
        let best = found(&analysis);
        let [free, held] = [FootLock::Off, FootLock::Solve].map(|lock| made(&analysis, &best.cut, lock).loop_clip);
        for foot in &analysis.body.feet {
            let moved = |key: usize| {
                let [free, held] = [&free, &held].map(|clip| position(clip, key, foot.lowest_joint()));
                free.distance(held)
            };
            let farthest = (0..free.num_samples()).map(moved).fold(0.0, f64::max);
            assert!(farthest < 0.03, "{speed_mps} m/s: {farthest} m");
        }
    }
}

/// Of two contacts of a foot, the one in which it slides is left alone, and that is said.
#[test]
fn a_foot_is_held_but_for_contacts_in_which_it_slides() {
    const FAR_METRES: f64 = 0.2;
    let take = walk_of(steady());
    let two_cycles = |take: &Take| {
        let analysis = analysed(take);
        let cut = Cut::new(take, 60.0, 204.0).unwrap();
        (made(&analysis, &cut, FootLock::Auto), analysis.body.feet.clone())
    };
    let (plain, feet) = two_cycles(&take);
    let contact = *plain
        .feet
        .contacts
        .iter()
        .find(|contact| contact.foot == 0 && contact.start_sample > 10)
        .unwrap();
    let keys = contact.keys();
    let (toe, world) = (feet[0].lowest_joint(), take.world_tracks());
    let slid = posed(&take, |frame, pose| {
        // It slides ahead while it stands, and comes back on its way to the next step.
        let share = (frame as f64 - 60.0 - keys.start as f64) / keys.len() as f64;
        let ahead = FAR_METRES * share.min(2.0 - share).max(0.0);
        pose.translations[toe] += world.rotation(frame, feet[0].ankle).conjugate() * DVec3::Z * ahead;
    });
    let (made, _) = two_cycles(&slid);
    match made.feet.outcomes[..] {
        [FootOutcome::HeldInPart { metres }, FootOutcome::Held] => assert!((0.08..FAR_METRES).contains(&metres)),
        ref other => panic!("{other:?}"),
    }
    let held = |made: &MadeLoop, foot: usize| made.feet.held.iter().filter(|span| span.foot == foot).count();
    assert_eq!(held(&made, 0) + 1, held(&plain, 0));
    assert_eq!(held(&made, 1), held(&plain, 1));
}

/// Held or not, a loop repeats, and only legs and hips change.
#[test]
fn a_held_loop_closes_as_well_and_the_rest_of_the_body_stays() {
    let take = walk_of(WalkSettings::default());
    let analysis = analysed(&take);
    let best = found(&analysis);
    let [open, held] = [FootLock::Off, FootLock::Auto].map(|each| made(&analysis, &best.cut, each));
    assert!(!open.feet.is_held() && held.feet.is_held());
    let legs: Vec<usize> = analysis
        .body
        .feet
        .iter()
        .flat_map(|foot| take.skeleton().path_from_root(foot.lowest_joint()))
        .collect();
    for sample in 0..open.loop_clip.num_samples() {
        let (before, after) = (open.loop_clip.body_pose(sample), held.loop_clip.body_pose(sample));
        for joint in (0..take.num_joints()).filter(|joint| !legs.contains(joint)) {
            assert_eq!(before.translations[joint], after.translations[joint]);
            assert_eq!(before.rotations[joint], after.rotations[joint]);
        }
        // Bones keep their lengths; only the hips move.
        for joint in legs.iter().copied().filter(|&joint| joint != open.loop_clip.carrier()) {
            assert_eq!(before.translations[joint], after.translations[joint]);
        }
    }
    let [open, held] = [&open, &held].map(measured);
    assert!(!held.pops(), "{held:?}");
    assert!(held.seam_rank < open.seam_rank + 0.3, "{held:?} {open:?}");
}

/// A loop cut elsewhere in the cycle has the same contacts: the seam is not special.
#[test]
fn contacts_run_over_the_seam() {
    let settings = steady().period_secs(1.2).frame_rate_hz(60.0);
    let take = walk_of(settings);
    let analysis = analysed(&take);
    let spans = |start: usize| -> Vec<(usize, usize, usize)> {
        let cut = Cut::new(&take, start as f64, (start + 72) as f64).unwrap();
        let made = made(&analysis, &cut, FootLock::Auto);
        let contacts = made.feet.contacts.iter();
        let mut spans: Vec<(usize, usize, usize)> = contacts
            .map(|span| (span.foot, (span.start_sample + start) % 72, span.num_samples))
            .collect();
        spans.sort_unstable();
        spans
    };
    let first = spans(80);
    assert_eq!(first.len(), 2, "{first:?}");
    for start in [93, 110, 131, 149] {
        for (one, other) in first.iter().zip(spans(start)) {
            let apart = one.1.abs_diff(other.1);
            let is_near = apart.min(72 - apart) <= 1 && one.2.abs_diff(other.2) <= 1;
            assert!(one.0 == other.0 && is_near, "{start}: {one:?} {other:?}");
        }
    }
}

/// Returns a walk on a treadmill: the world moves by below the feet.
fn on_a_treadmill(synthetic: &SyntheticTake) -> Take {
    let secs = synthetic.take.frame_time_secs();
    moved(&synthetic.take, |frame| {
        synthetic.truth.root_at(frame as f64 * secs).inverse()
    })
}

#[test]
fn a_take_in_place_gets_its_speed_back() {
    let mut off = Vec::new();
    for seed in 0..30 {
        let settings = random_settings(seed)
            .turn_dps(0.0)
            .climb_mps(0.0)
            .noise_deg(random_settings(seed).noise_deg.min(0.1))
            .drift(0.0)
            .torso_rise_metres(0.0)
            .lead_in_secs(0.0)
            .speed_variation(0.0);
        let synthetic = synthesize(&settings).unwrap();
        let take = on_a_treadmill(&synthetic);
        let analysis = analysed(&take);
        let best = found(&analysis);
        let made = made(&analysis, &best.cut, FeetSettings::default());
        let twist = made.loop_clip.root().twist;
        let speed = ops::hypot(twist.linear.x, twist.linear.z);
        assert!(made.feet.speed_is_theirs, "{seed}: {:?}", made.feet.speed);
        off.push((speed / settings.speed_mps - 1.0).abs());
    }
    let worst = off.iter().copied().fold(0.0, f64::max);
    assert!(worst < 0.02, "{worst}: {off:?}");
}

/// Returns a body of named joints whose hips move ahead at 1 m/s with a leg or two; rows are name, parent, rest position.
fn body(rows: &[(&str, Option<usize>, [f64; 3])], bend: impl Fn(usize, f64) -> DVec3) -> Take {
    let rows: Vec<_> = rows
        .iter()
        .map(|&(name, parent, at)| (name, parent, DVec3::from_array(at)))
        .collect();
    take_of(skeleton(&rows), 1.0 / 60.0, 120, |frame, joint| {
        let secs = frame as f64 / 60.0;
        let ahead = if joint == 0 { DVec3::Z * secs } else { DVec3::ZERO };
        (rows[joint].2 + ahead, rotation::exp(bend(joint, secs)))
    })
}

fn outcomes(take: &Take, lock: FootLock) -> Vec<FootOutcome> {
    let settings = LoopSettings::with_feet(lock);
    let made = made_of(take, 20, 80, &settings);
    for key in 0..made.loop_clip.num_samples() {
        let pose = made.loop_clip.world_pose(key);
        assert!(pose.translations.iter().all(|at| at.is_finite()));
        assert!(pose.rotations.iter().all(|turn| turn.is_finite()));
    }
    made.feet.outcomes
}

/// Returns a thigh that swings and a knee that bends during forward motion.
fn step(joint: usize, secs: f64, thigh: usize, phase: f64) -> DVec3 {
    let angle = core::f64::consts::TAU * secs + phase;
    match joint.checked_sub(thigh) {
        Some(0) => DVec3::X * (0.35 * ops::sin(angle)),
        Some(1) => DVec3::X * (0.5 * (1.0 + ops::cos(angle))),
        _ => DVec3::ZERO,
    }
}

#[test]
fn unusual_bodies_are_reported_and_never_broken() {
    let biped = [
        ("Hips", None, [0.0, 0.95, 0.0]),
        ("LeftUpLeg", Some(0), [0.1, 0.0, 0.0]),
        ("LeftLeg", Some(1), [0.0, -0.45, 0.0]),
        ("LeftFoot", Some(2), [0.0, -0.45, 0.0]),
        ("RightUpLeg", Some(0), [-0.1, 0.0, 0.0]),
        ("RightLeg", Some(4), [0.0, -0.45, 0.0]),
        ("RightFoot", Some(5), [0.0, -0.45, 0.0]),
    ];
    let both = |joint: usize, secs: f64| step(joint, secs, 1, 0.0) + step(joint, secs, 4, core::f64::consts::PI);
    // One leg; two; two without knees; a body that hovers with its feet hanging; one without feet.
    let one = body(&biped[..4], both);
    assert_eq!(outcomes(&one, FootLock::Solve).len(), 1);
    assert!(!outcomes(&body(&biped, both), FootLock::Solve).contains(&FootOutcome::NoKnee));
    let stiff = [biped[0], biped[1], ("LeftFoot", Some(1), [0.0, -0.9, 0.0])];
    let crawl = |joint: usize, secs: f64| {
        if joint == 0 {
            DVec3::ZERO
        } else {
            DVec3::X * (0.1 * ops::sin(secs))
        }
    };
    let found = outcomes(&body(&stiff, crawl), FootLock::Solve);
    let is_known = |outcome: &FootOutcome| matches!(outcome, FootOutcome::NoKnee | FootOutcome::NeverStands);
    assert!(found.iter().all(is_known), "{found:?}");
    let hovering = body(&biped, |_, _| DVec3::ZERO);
    assert_eq!(outcomes(&hovering, FootLock::Auto), [FootOutcome::NeverStands; 2]);
    let worm = body(
        &[
            ("Tail", None, [0.0, 0.1, 0.0]),
            ("Middle", Some(0), [0.0, 0.0, 0.4]),
            ("Nose", Some(1), [0.0, 0.0, 0.4]),
        ],
        |joint, secs| DVec3::Y * (0.2 * ops::sin(core::f64::consts::TAU * secs + joint as f64)),
    );
    assert_eq!(outcomes(&worm, FootLock::Solve), []);
    assert_eq!(outcomes(&one, FootLock::Off), [FootOutcome::NotAsked]);
}

#[test]
fn limits_are_positive_numbers() {
    let take = walk_of(WalkSettings::default());
    let limited = |change: fn(&mut ContactLimits)| {
        let mut overrides = BodyOverrides::default();
        change(&mut overrides.contacts);
        Analysis::with(&take, &overrides)
    };
    type Change = fn(&mut ContactLimits);
    let refused: [(Change, &str); 2] = [
        (|limits| limits.speed_mps = Some(0.0), "speed"),
        (|limits| limits.height_metres = Some(f64::NAN), "height"),
    ];
    for (change, name) in refused {
        let found = limited(change);
        assert!(matches!(found, Err(BodyError::ContactLimit { limit, .. }) if limit == name));
    }
    // No foot moves slower than a millimetre per second.
    let analysis = limited(|limits| limits.speed_mps = Some(1e-3)).unwrap();
    let best = found(&analysis);
    let made = made(&analysis, &best.cut, FeetSettings::default());
    assert_eq!(made.feet.outcomes, [FootOutcome::NeverStands; 2]);
}

/// If the root stays at its start, as for engines that move characters themselves, the ground goes by below, and feet stay on it.
#[test]
fn feet_are_held_on_the_ground_that_goes_by_in_place() {
    let analysis = analysed(&walk_of(WalkSettings::default()));
    let settings = LoopSettings::with_root(RootMode::InPlace);
    let made = analysis.make_loop(&found(&analysis), &settings).unwrap();
    let [aside, _] = strays(&made, &analysis);
    assert!(aside < 1e-3, "{aside}");
    assert_eq!(made.feet.outcomes, [FootOutcome::Held; 2]);
}

#[test]
fn feet_that_dip_into_the_ground_on_their_way_are_raised() {
    let take = dipping(&walk_of(steady()));
    let analysis = analysed(&take);
    let best = found(&analysis);
    let lowest_with = |feet: FootLock| {
        let made = made(&analysis, &best.cut, feet);
        let clip = &made.loop_clip;
        let height = |(foot, key): (usize, usize)| position(clip, key, analysis.body.feet[foot].lowest_joint()).y;
        let all = (0..2).flat_map(|foot| (0..clip.num_samples()).map(move |key| (foot, key)));
        let held = made
            .feet
            .contacts
            .iter()
            .flat_map(|span| span.keys().map(|key| (span.foot, key)));
        all.map(height).fold(f64::INFINITY, f64::min) - held.map(height).fold(f64::INFINITY, f64::min)
    };
    assert!(lowest_with(FootLock::Off) < -0.008);
    let held = lowest_with(FootLock::Auto);
    // Between stances a leg may fall short, by a millimetre or two.
    assert!(held > -0.002, "{held}");
}

/// Returns the take with toes that pass a centimetre below the ground for a moment where they would be highest.
fn dipping(take: &Take) -> Take {
    let analysis = analysed(take);
    let world = take.world_tracks();
    let of_feet: Vec<_> = analysis
        .body
        .feet
        .iter()
        .map(|foot| {
            let heights = (0..take.num_frames()).map(|frame| world.position(frame, foot.lowest_joint()).y);
            let ground = heights.clone().fold(f64::INFINITY, f64::min);
            (foot, ground, heights.fold(f64::NEG_INFINITY, f64::max) - ground)
        })
        .collect();
    posed(take, |frame, pose| {
        for &(foot, ground, top) in &of_feet {
            let toe = foot.lowest_joint();
            let share = (world.position(frame, toe).y - ground) / top;
            let back = world.rotation(frame, foot.ankle).conjugate();
            pose.translations[toe] -= back * DVec3::Y * (share.powi(10) * (top + 0.012));
        }
    })
}

/// Takes of several rates, in which nearly straight legs had to leap for their feet and standing feet floated.
const WALKS: [&str; 6] = [
    "100style/Neutral_FW.bvh",
    "bandai-namco/dataset-2_run_normal_020.bvh",
    "cmu/12_01_walk.bvh",
    "pymo/AV_8Walk_Meredith.bvh",
    "snu/walk_forward_repeated.bvh",
    "xia/neutral_01.bvh",
];

/// Balls of feet stand as high in a loop as in the take that it was cut from, each contact by the median of its samples. With a soft floor
/// alone they floated by up to 25 mm.
#[test]
fn standing_feet_are_as_high_as_in_the_take() {
    let Some(folder) = folder_or_skip() else { return };
    for file in WALKS {
        let take = captured(&folder, file);
        let analysis = analysed(&take);
        let made = made(&analysis, &found(&analysis).cut, FootLock::Auto);
        let (looped, uncut) = (made.loop_clip.tracks_from_root(), made.source.clip.world_tracks());
        let first = made.source.clip.sample_range().start().unsigned_abs();
        let count = looped.num_frames();
        for contact in &made.feet.contacts {
            let joint = analysis.body.feet[contact.foot].lowest_joint();
            let samples = contact.keys().map(|key| key % count);
            let mut lifts: Vec<f64> = samples
                .map(|sample| looped.position(sample, joint).y - uncut.position(first + sample, joint).y)
                .collect();
            lifts.sort_by(f64::total_cmp);
            let lift = lifts[lifts.len() / 2];
            assert!(lift.abs() < 3e-3, "{file}, foot {}: {lift} m", contact.foot);
        }
    }
}

/// Closing alone turns the feet of these takes so that the tips of their toes sink into the floor by one to three centimetres.
#[test]
fn tips_of_toes_stay_above_the_floor() {
    let Some(folder) = folder_or_skip() else { return };
    for file in ["cmu/12_01_walk.bvh", "pymo/AV_8Walk_Meredith.bvh"] {
        let take = captured(&folder, file);
        let analysis = analysed(&take);
        let cut = found(&analysis).cut;
        let sunk = [FootLock::Off, FootLock::Auto].map(|lock| {
            let made = made(&analysis, &cut, lock);
            let (looped, uncut) = (made.loop_clip.tracks_from_root(), made.source.clip.world_tracks());
            let first = made.source.clip.sample_range().start().unsigned_abs();
            let depths = analysis.body.feet.iter().map(|foot| {
                let toe = foot.toe.unwrap();
                let (end, offset) = match take.skeleton().children(toe).first() {
                    Some(&end) => (end, DVec3::ZERO),
                    None => (toe, take.skeleton().joint(toe).tip.unwrap()),
                };
                let heights = |world: &WorldTracks, first: usize, count: usize| {
                    let points = (first..first + count).map(|frame| world.joint(frame, end).transform_point(offset).y);
                    let mut heights: Vec<f64> = points.collect();
                    heights.sort_by(f64::total_cmp);
                    heights
                };
                // Below the place that one frame in fifty is below in the take; toes are hardly bent for the last millimetres.
                let count = looped.num_frames();
                heights(&uncut, first, count + 1)[(count + 1) / 50] - heights(&looped, 0, count)[0]
            });
            depths.fold(f64::NEG_INFINITY, f64::max)
        });
        assert!(sunk[0] > 0.0045 && sunk[1] < 0.004, "{file}: {sunk:?}");
    }
}

/// A foot without toes whose end the rig states rolls over it: the end is held, not the ankle, which moves on above it.
#[test]
fn feet_without_toes_are_held_by_their_ends() {
    let synthetic = still_footed(0);
    let whole = &synthetic.take;
    let of_toes = |joint: usize| whole.skeleton().joint(joint).name.ends_with("ToeBase");
    let kept: Vec<usize> = (0..whole.skeleton().num_joints())
        .filter(|&joint| !of_toes(joint))
        .collect();
    let joints = kept.iter().map(|&joint| {
        let own = whole.skeleton().joint(joint);
        let ball = whole.skeleton().children(joint).iter().find(|&&child| of_toes(child));
        Joint {
            parent: own
                .parent
                .map(|parent| kept.iter().position(|&kept| kept == parent).unwrap()),
            tip: ball.map_or(own.tip, |&ball| Some(whole.skeleton().joint(ball).rest_offset)),
            ..own.clone()
        }
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let toeless = of_poses(
        whole,
        skeleton,
        poses(whole).map(|pose| Pose {
            translations: kept.iter().map(|&joint| pose.translations[joint]).collect(),
            rotations: kept.iter().map(|&joint| pose.rotations[joint]).collect(),
        }),
    );
    let analysis = analysed(&toeless);
    let truth = &synthetic.truth;
    let start_secs = 1.1 * truth.period_secs;
    let end_secs = start_secs + 1.02 * truth.period_from(start_secs, 1.0);
    let [start, end] = [start_secs, end_secs].map(|secs| (secs * toeless.frame_rate_hz()).round());
    let cut = Cut::new(&toeless, start, end).unwrap();
    let [free, held] = [FootLock::Off, FootLock::Auto].map(|lock| {
        let made = made(&analysis, &cut, lock);
        let most = analysis.body.feet.iter().zip(SIDES).map(|(foot, side)| {
            assert_eq!(foot.toe, None);
            let end = toeless.skeleton().joint(foot.ankle).tip.unwrap();
            let stances = true_stances(&synthetic, &made, &format!("{side}ToeBase"));
            let at = |&key: &usize| {
                let pose = made.loop_clip.world_pose(key);
                pose.translations[foot.ankle] + pose.rotations[foot.ankle] * end
            };
            Moves::of(&stances[0].iter().map(at).collect::<Vec<_>>()).aside
        });
        most.fold(0.0, f64::max)
    });
    assert!(free > 5e-3 && held < 2e-3, "{free} {held}");
}

/// Heel, ball and tip of a walking foot bear in turn, as the truth of the walker has them.
#[test]
fn a_foot_bears_on_its_heel_first_and_on_its_toes_last() {
    for seed in 0..20 {
        let synthetic = still_footed(seed);
        let analysis = analysed(&synthetic.take);
        let made = made(&analysis, &found_cycle(&analysis).cut, FootLock::Solve);
        let count = made.loop_clip.num_samples();
        for foot in 0..2 {
            let span = |point: BearingPoint| {
                let mut spans = made.feet.bearing.iter().filter(|span| span.point == point);
                spans.find(|span| span.contact.foot == foot).map(|span| span.contact)
            };
            let [heel, ball, tip] = [BearingPoint::Heel, BearingPoint::Ball, BearingPoint::Tip]
                .map(|point| span(point).unwrap_or_else(|| panic!("{seed}: {point} of foot {foot} never bears")));
            // Keys after the strike of the heel, around the loop.
            let after = |key: usize| (key + 2 * count - heel.start_sample) % count;
            let rests_until = |contact: LoopContact| after(contact.start_sample) + contact.num_samples;
            assert!(after(ball.start_sample) < count / 2, "{seed}: {heel:?} {ball:?}");
            assert!(rests_until(heel) < rests_until(ball), "{seed}: {heel:?} {ball:?}");
            assert!(rests_until(heel) < rests_until(tip), "{seed}: {heel:?} {tip:?}");
        }
    }
}
