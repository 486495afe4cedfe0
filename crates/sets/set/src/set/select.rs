//! Selects the loops of a set: the best of each way to move.

use loopwright_core::{
    analysis::{MOVING_MPS, Running, Side, curve_side, run_speed},
    candidate::{MotionKind, NamedMotion},
    loop_clip::Interpolation,
    math::{ordered, smallest},
};
use loopwright_formats::loop_file::facts::Grade;

use super::member::{Member, apart_deg, is_aside, is_speed_unknown, kind_of};

/// Directions that differ by less look alike, degrees.
const SEEN_DEG: f64 = 10.0;

/// Turns that differ by less look alike, degrees per second.
const SEEN_TURN_DPS: f64 = 3.0;

/// Tolerances within which loops move alike: speed in metres per second or as a share of the larger, turn in degrees per second
/// or likewise, direction in degrees. Blending covers the range between loops.
const SAME_MPS: f64 = 0.35;
const SAME_DPS: f64 = 20.0;
const SAME_SHARE: f64 = 0.3;
const SAME_DEG: f64 = 25.0;

/// A loop that climbs at more than this, metres per second, and this share of its speed, is not on level ground.
const CLIMBS_MPS: f64 = 0.06;
const CLIMBS_SHARE: f64 = 0.1;

/// Largest difference between the velocities of a root and its standing feet, metres per second and as a share: above it one of
/// the two is wrong.
const APART_MPS: f64 = 0.3;
const APART_SHARE: f64 = 0.3;

/// A loop that a set may take.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The loop.
    pub member: Member,
    /// Its gait.
    pub gait: MotionKind,
}

/// A selected loop, and the others of its group.
pub(super) struct Taken {
    /// The best.
    pub best: Offered,
    /// The others, the best first.
    pub others: Vec<Offered>,
}

/// Returns the gait of a loop. Errors: why a set cannot use it.
pub fn gait_of(member: &Member) -> Result<MotionKind, String> {
    let sidecar = &member.stored.sidecar;
    let kind = kind_of(sidecar);
    // An idle needs no phase in common with others.
    let has_phase = kind != Some(MotionKind::Idle);
    if has_phase && sidecar.candidate.cycles > 1 {
        return Err(format!(
            "it holds {} cycles of its motion, and the loops of a set hold one",
            sidecar.candidate.cycles
        ));
    }
    let steps = member.fewest_strikes();
    if has_phase && steps > 1 {
        return Err(format!(
            "each foot steps {steps} times in it, and the loops of a set hold one cycle"
        ));
    }
    let speed = member.speed_mps();
    match kind {
        Some(kind @ (MotionKind::Jump | MotionKind::OneShot)) => {
            return Err(format!("it is no locomotion: {kind}"));
        }
        Some(MotionKind::Other) if speed < MOVING_MPS => return Err("it moves on the spot".to_owned()),
        _ => {}
    }
    if is_speed_unknown(sidecar) && !member.is_speed_guessed {
        return Err("its speed over the ground is not known".to_owned());
    }
    let climb = member.twist().linear.y;
    if climb.abs() > CLIMBS_MPS && climb.abs() > CLIMBS_SHARE * speed {
        return Err(format!("it climbs at {climb:.2} m/s, and the ground of a set is level"));
    }
    // Undo the character's scale first: speeds scale with lengths.
    let scale = sidecar.take.rig.as_ref().map_or(1.0, |rig| rig.scale);
    let running = Running {
        from_mps: run_speed(&member.stored.file.take, &member.body) * scale.sqrt(),
        footing: sidecar
            .feet
            .as_ref()
            .and_then(|feet| feet.footing(sidecar.candidate.period_secs)),
    };
    let shown = match MotionKind::at_speed(speed, member.twist().angular.y, &running) {
        MotionKind::Other => return Ok(MotionKind::Idle),
        MotionKind::TurnInPlace => return Ok(MotionKind::TurnInPlace),
        shown => shown,
    };
    let of_feet = sidecar
        .feet
        .as_ref()
        .and_then(|feet| feet.feet_speed_mps)
        .filter(|_| !member.is_speed_guessed);
    if let Some(feet) = of_feet.filter(|feet| (feet - speed).abs() > APART_MPS.max(APART_SHARE * speed)) {
        return Err(format!(
            "its root goes {speed:.2} m/s and its standing feet {feet:.2} m/s: one of the two is wrong"
        ));
    }
    Ok(match kind.map(MotionKind::straight) {
        // The name of the take decides, too, if it may.
        Some(known @ (MotionKind::Walk | MotionKind::Run)) => known,
        _ => shown,
    })
}

impl Offered {
    /// Returns the sort key of loops that move alike, the best first: whether it is bad, whether it goes off one of the eight
    /// directions, grade, whether the name states the gait, the plainness of the name (an idle precedes an idle with a sword),
    /// the turn of straight loops, sliding feet, displacement by closing.
    fn order(&self) -> ([bool; 2], Grade, bool, usize, [i64; 3]) {
        let quality = &self.member.stored.sidecar.quality;
        let name = self.member.made.animation.as_deref().unwrap_or_default();
        let grade = quality.grade.unwrap_or(Grade::Review);
        let direction = self.member.direction_deg();
        let is_off = self.member.speed_mps() >= MOVING_MPS
            && apart_deg(direction, 45.0 * f64::from(eighth_of(&self.member))) > SEEN_DEG;
        (
            [grade == Grade::Bad, is_off],
            grade,
            !self.is_named(name),
            name.split(|letter: char| !letter.is_alphanumeric()).count(),
            [
                // Invisible differences must not decide.
                match side_of(self.member.turn_dps()) {
                    0 => (self.member.turn_dps().abs() / SEEN_TURN_DPS).floor(),
                    _ => 0.0,
                },
                quality.foot_slide_cmps.map_or(0.0, f64::round),
                quality.displacement_mm.unwrap_or(0.0),
            ]
            .map(ordered),
        )
    }

    /// Whether a name states its gait.
    fn is_named(&self, name: &str) -> bool {
        use MotionKind::{Backward, Run, Strafe, Walk};
        let Some(kind) = NamedMotion::of(name).kind else {
            return false;
        };
        match self.gait {
            Walk => matches!(kind, Walk | Backward | Strafe),
            Run => matches!(kind, Run | Backward | Strafe),
            gait => kind == gait,
        }
    }

    /// Whether the two move alike, so that a set needs only one of them.
    fn is_like(&self, other: &Self) -> bool {
        let (one, two) = (&self.member, &other.member);
        if self.gait != other.gait {
            return false;
        }
        match self.gait {
            MotionKind::Idle => true,
            MotionKind::TurnInPlace => one.turn_dps() * two.turn_dps() > 0.0,
            _ => {
                are_near(one.speed_mps(), two.speed_mps(), SAME_MPS)
                    && are_near(one.turn_dps(), two.turn_dps(), SAME_DPS)
                    && apart_deg(one.direction_deg(), two.direction_deg()) < SAME_DEG
            }
        }
    }
}

/// Whether two numbers differ by less than `least`, or than [`SAME_SHARE`] of the larger one.
fn are_near(one: f64, two: f64, least: f64) -> bool {
    (one - two).abs() < least.max(SAME_SHARE * one.abs().max(two.abs()))
}

/// Selects the best loop of each way to move, with those of similar motion. A bad one is taken only if all of its gait are bad, and then
/// only one; the others are returned separately.
pub(super) fn select(mut offered: Vec<Offered>) -> (Vec<Taken>, Vec<Offered>) {
    offered.sort_by_key(Offered::order);
    let mut taken: Vec<Taken> = Vec::new();
    let mut dropped = Vec::new();
    for each in offered {
        let is_bad = each.order().1 == Grade::Bad;
        let is_needless = is_bad && taken.iter().any(|taken| taken.best.gait == each.gait);
        match taken.iter_mut().find(|taken| taken.best.is_like(&each)) {
            Some(alike) => alike.others.push(each),
            None if is_needless => dropped.push(each),
            None => taken.push(Taken {
                best: each,
                others: Vec::new(),
            }),
        }
    }
    taken.sort_by_key(|taken| {
        let Offered { member, gait } = &taken.best;
        let turn = member.turn_dps();
        let way = [eighth_of(member).abs(), side_of(turn).abs()];
        (*gait, way, [member.speed_mps(), turn].map(ordered))
    });
    (taken, dropped)
}

/// Returns the side to which a loop turns: 1 left, -1 right, 0 neither.
pub(super) fn side_of(turn_dps: f64) -> i8 {
    match curve_side(turn_dps.to_radians()) {
        Some(Side::Left) => 1,
        Some(Side::Right) => -1,
        None => 0,
    }
}

/// Returns the direction of a loop in eighths of a turn from forward, left positive; a strafe whose direction is a guess goes to a
/// side.
fn eighth_of(member: &Member) -> i8 {
    let direction = member.direction_deg();
    match kind_of(&member.stored.sidecar) {
        Some(MotionKind::Strafe) if member.is_speed_guessed && is_aside(direction) => 2 * direction.signum() as i8,
        _ => (direction / 45.0).round() as i8,
    }
}

/// Returns one of eight directions for the name of a loop; empty for forward.
pub(super) fn way_of(member: &Member) -> &'static str {
    match eighth_of(member) {
        0 => "",
        1 => "_forward_left",
        -1 => "_forward_right",
        2 => "_strafe_left",
        -2 => "_strafe_right",
        3 => "_back_left",
        -3 => "_back_right",
        _ => "_back",
    }
}

/// Returns unique names of the loops: by gait and direction, with the turn, and slow or fast if that leaves several. Loops that
/// takes show, for which the second part is true, have the plainer names.
pub(super) fn names(offered: &[(&Offered, bool)]) -> Vec<String> {
    let mut names: Vec<String> = offered.iter().map(|(each, _)| name_of(each)).collect();
    for index in 0..names.len() {
        let alike: Vec<usize> = (0..names.len()).filter(|&other| names[other] == names[index]).collect();
        if alike.len() < 2 {
            continue;
        }
        // The middle one keeps the plain name.
        let speed = |&at: &usize| offered[at].0.member.speed_mps();
        let mut by_speed: Vec<usize> = alike.iter().copied().filter(|&at| offered[at].1).collect();
        if by_speed.is_empty() {
            by_speed.clone_from(&alike);
        }
        by_speed.sort_by_key(|at| ordered(speed(at)));
        let plain = by_speed[(by_speed.len() - 1) / 2];
        let mut others: Vec<usize> = alike.into_iter().filter(|&at| at != plain).collect();
        others.sort_by_key(|at| (!offered[*at].1, ordered((speed(at) - speed(&plain)).abs())));
        let [mut slow, mut fast] = [0, 0];
        for at in others {
            let (word, count) = if speed(&at) < speed(&plain) {
                ("slow", &mut slow)
            } else {
                ("fast", &mut fast)
            };
            *count += 1;
            let number = if *count > 1 { format!("_{count}") } else { String::new() };
            names[at] = format!("{}_{word}{number}", names[at]);
        }
    }
    names
}

/// Returns the name of a loop by its gait, its direction and its turn: `walk_strafe_left`, `walk_left_45`.
fn name_of(offered: &Offered) -> String {
    let turn = offered.member.turn_dps();
    let side = if turn > 0.0 { "left" } else { "right" };
    let gait = offered.gait;
    match gait {
        MotionKind::Idle => return gait.to_string(),
        MotionKind::TurnInPlace => return format!("{gait}_{side}"),
        _ => {}
    }
    let way = way_of(&offered.member);
    match side_of(turn) {
        0 => format!("{gait}{way}"),
        _ => format!("{gait}{way}_{side}_{:.0}", turn.abs()),
    }
}

/// Number of phases at which loops are compared.
const NUM_PHASES: usize = 32;

/// Returns the loops that differ most from the best and from each other, one fewer than `count`.
pub(super) fn variants(best: &Offered, others: &[Offered], count: usize) -> Vec<Offered> {
    if count < 2 {
        return Vec::new();
    }
    let profiles: Vec<Vec<glam::DVec3>> = core::iter::once(best)
        .chain(others)
        .map(|each| profile(&each.member))
        .collect();
    let mut chosen = vec![0];
    while chosen.len() < count.min(profiles.len()) {
        let farthest = (0..profiles.len())
            .filter(|at| !chosen.contains(at) && others[at - 1].order().1 != Grade::Bad)
            .map(|at| {
                let nearest = chosen.iter().map(|&of| distance(&profiles[at], &profiles[of]));
                (at, smallest(nearest))
            })
            .max_by_key(|(_, far)| ordered(*far));
        match farthest {
            Some((at, far)) if far > 0.0 => chosen.push(at),
            _ => break,
        }
    }
    chosen[1..].iter().map(|at| others[at - 1].clone()).collect()
}

/// Returns the positions of all joints relative to the root at even phases.
fn profile(member: &Member) -> Vec<glam::DVec3> {
    let clip = &member.stored.clip;
    (0..NUM_PHASES)
        .flat_map(|index| {
            let secs = index as f64 / NUM_PHASES as f64 * clip.period_secs();
            clip.body_pose_at(secs, Interpolation::Cubic)
                .as_ref()
                .world(clip.skeleton())
                .translations
        })
        .collect()
}

fn distance(one: &[glam::DVec3], other: &[glam::DVec3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a.distance_squared(*b)).sum()
}
