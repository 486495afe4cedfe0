//! Every method to close a seam, on many cuts of real takes.

use glam::DVec3;
use loopwright::{
    LoopCandidate, LoopClip, LoopSettings, MadeLoop, Pose, Quality,
    closure::{Gaps, Method, Order, SeamMotion, Shape, ShapeKey, ShapeKind, Shares},
    feet::FootLock,
    math::rotation,
    pipeline::Sampling,
};

use crate::{
    cuts::{self, FAST_HZ, Ranks},
    page::Sections,
    statistics::Sorted,
    table::Table,
    takes::{Captured, Studied, unclosed, with_samples},
};

/// A method to close a seam.
enum Way {
    /// One of our methods.
    Ours(Method, SeamMotion),
    /// The default method over a share of the period.
    OfPeriod(f64),
    /// The least visible of our methods, by its score.
    Auto,
    /// The cut without closure.
    Raw,
    /// The pose gap alone, spread evenly, as most tools do.
    LinearPose,
    /// A crossfade over the last 0.4 s to the first pose.
    FrozenCrossfade,
}

fn quintic(blend_secs: f64) -> Method {
    Method::new(Shape::new(ShapeKind::Quintic, blend_secs))
}

fn ways() -> Vec<(String, Way)> {
    let mut ways = vec![
        ("raw cut".to_owned(), Way::Raw),
        ("linear, pose alone".to_owned(), Way::LinearPose),
        ("crossfade to a frozen pose 0.4 s".to_owned(), Way::FrozenCrossfade),
    ];
    let mut ours = |name: String, method: Method, motion: SeamMotion| ways.push((name, Way::Ours(method, motion)));
    let layered = SeamMotion::Layered;
    ours("quintic C2 0.35 s (default)".to_owned(), Method::default(), layered);
    for secs in [0.2, 0.3, 0.4, 0.6] {
        ours(format!("quintic C2 {secs} s"), quintic(secs), layered);
    }
    for secs in [0.2, 0.35, 0.4, 0.6] {
        ours(
            format!("quintic C2 {secs} s, central differences"),
            quintic(secs),
            SeamMotion::Central,
        );
    }
    let c1 = Method {
        order: Order::C1,
        ..Method::default()
    };
    ours("quintic C1 0.35 s".to_owned(), c1, layered);
    ours(
        "quintic C1 0.35 s, central differences".to_owned(),
        c1,
        SeamMotion::Central,
    );
    for (name, share) in [
        ("the start alone", 1.0),
        ("the end alone", 0.0),
        ("0.3 by the start", 0.3),
    ] {
        let shared = Method {
            shares: Shares::all(share),
            ..Method::default()
        };
        ours(format!("quintic C2 0.35 s, {name}"), shared, layered);
    }
    for secs in [0.4, 0.55, 0.9] {
        ours(
            format!("least {secs} s"),
            Method::new(Shape::new(ShapeKind::Least, secs)),
            layered,
        );
    }
    let cubic = Method::new(Shape::new(ShapeKind::Cubic, 0.35));
    ours("cubic 0.35 s".to_owned(), cubic, layered);
    let spring = Method::new(Shape::new(ShapeKind::Spring, 0.1));
    ours("spring, half-life 0.1 s".to_owned(), spring, layered);
    ours(
        "linear".to_owned(),
        Method::new(Shape::new(ShapeKind::Linear, 0.35)),
        layered,
    );
    let soft = Shape::new(ShapeKind::SoftFade, 0.4)
        .with(ShapeKey::Hardness, 16.0)
        .with(ShapeKey::VelocityBlend, 0.35);
    ours("softfade 0.4 s, hardness 16".to_owned(), Method::new(soft), layered);
    let adjustment = Method::new(Shape::new(ShapeKind::Adjustment, 0.35));
    ours("adjustment".to_owned(), adjustment, layered);
    for secs in [0.2, 0.4] {
        ours(format!("crossfade {secs} s"), Method::crossfade(secs), layered);
    }
    for share in [0.2, 0.3, 0.4] {
        ways.push((format!("quintic C2 over {share} of the period"), Way::OfPeriod(share)));
    }
    ways.push(("auto".to_owned(), Way::Auto));
    ways
}

/// Measurements of one method.
#[derive(Default)]
struct Measured {
    ranks: Ranks,
    errors: Vec<f64>,
    millimetres: Vec<f64>,
    degrees: Vec<f64>,
    slides: Vec<f64>,
    peaks: Vec<f64>,
    residual: Gaps,
}

impl Measured {
    fn add(&mut self, quality: &Quality, residual: Gaps) {
        self.ranks.0.push(100.0 * quality.seam_rank);
        self.errors.extend(quality.seam_acceleration_error_ratio.map(f64::abs));
        self.millimetres
            .extend(quality.displacement_metres.map(|metres| 1e3 * metres));
        self.degrees.extend(quality.displacement_radians.map(f64::to_degrees));
        self.slides.extend(quality.foot_slide_mps.map(|speed| 1e2 * speed));
        self.peaks.push(quality.seam_acceleration_ratio);
        let most = &mut self.residual;
        most.position = most.position.max(residual.position);
        most.velocity = most.velocity.max(residual.velocity);
        most.angle = most.angle.max(residual.angle);
        most.angular_velocity = most.angular_velocity.max(residual.angular_velocity);
    }

    fn cells(&self) -> String {
        // Median, 90th percentile and worst.
        let spread = |values: &[f64], decimals: usize| {
            let sorted: Sorted = values.iter().copied().collect();
            sorted.spread(&[0.5, 0.9, 1.0], decimals, " / ")
        };
        let left = self.residual;
        format!(
            "{} | {} | {} | {} | {} | {} | {:.0e}, {:.0e} | {:.0e}, {:.0e}",
            self.ranks.cells(),
            spread(&self.errors, 3),
            spread(&self.peaks, 2),
            spread(&self.millimetres, 1),
            spread(&self.degrees, 2),
            spread(&self.slides, 1),
            1e3 * left.position,
            left.angle.to_degrees(),
            1e3 * left.velocity,
            left.angular_velocity.to_degrees(),
        )
    }
}

/// Groups of takes by rate: section, lowest rate, highest rate, and whether fast takes are halved.
const GROUPS: [(&str, f64, f64, bool); 4] = [
    ("all-takes", 0.0, f64::INFINITY, true),
    ("takes-at-24-to-35-fps", 0.0, 40.0, false),
    ("takes-at-60-fps", 40.0, FAST_HZ, false),
    ("takes-at-100-to-120-fps", FAST_HZ, f64::INFINITY, false),
];

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut sections = Sections::default();
    let mut sizes = Table::new("group | takes | cuts");
    for (name, from, to, is_halved) in GROUPS {
        let belongs = |studied: &&Studied| (from..to).contains(&studied.take.frame_rate_hz());
        let members: Vec<&Studied> = studied.iter().filter(belongs).collect();
        let (table, num_cuts) = group(&members, is_halved)?;
        sizes.row(format_args!(
            "{} | {} | {num_cuts}",
            name.replace('-', " "),
            members.len()
        ));
        sections.add(name, table);
    }
    sections.add("groups", sizes);
    Ok(sections)
}

/// Every method on the cuts of some takes, and the number of cuts.
fn group(members: &[&Studied], is_halved: bool) -> Result<(Table, usize), String> {
    let ways = ways();
    let mut measured: Vec<Measured> = ways.iter().map(|_| Measured::default()).collect();
    let mut own = Ranks::default();
    for studied in members {
        cuts::for_each(studied, is_halved, |candidate, sampling| {
            for ((_, way), measured) in ways.iter().zip(&mut measured) {
                let (quality, residual) = close(studied, candidate, sampling, way)?;
                measured.add(&quality, residual);
                if matches!(way, Way::Raw) {
                    own.0.extend(quality.take_rank.map(|rank| 100.0 * rank));
                }
            }
            Ok(())
        })?;
    }
    let mut table = Table::new(
        "closure | rank | error | above 90 | acceleration error | peak | displacement mm | deg | foot slide cm/s | C0 | C1",
    );
    for ((name, _), measured) in ways.iter().zip(&measured) {
        table.row(format_args!("{name} | {}", measured.cells()));
    }
    table.row(format_args!(
        "the take's own frames there | {} | | | | | | |",
        own.cells()
    ));
    Ok((table, own.0.len()))
}

fn close(
    studied: &Studied,
    candidate: &LoopCandidate,
    sampling: Sampling,
    way: &Way,
) -> Result<(Quality, Gaps), String> {
    let mut settings = LoopSettings {
        sampling,
        // Foot locking would hide the effect of the closures on the feet.
        feet: FootLock::Off.into(),
        ..LoopSettings::default()
    };
    match way {
        Way::Ours(method, motion) => {
            settings.closure.method = *method;
            settings.closure.motion = *motion;
        }
        Way::Auto => {
            let choice = studied.analysis.choose_closure(candidate, &settings);
            settings.closure.method = choice.map_err(|error| studied.failed(error))?.method;
        }
        Way::OfPeriod(share) => settings.closure.method = quintic(share * candidate.source_period_secs),
        Way::Raw | Way::LinearPose | Way::FrozenCrossfade => {}
    }
    let made = studied.make(candidate, &settings)?;
    let clip = match way {
        Way::Ours(..) | Way::OfPeriod(_) | Way::Auto => made.loop_clip.clone(),
        Way::Raw => unclosed(&made)?,
        Way::LinearPose => moved(&made, |gap, come, _| gap * (0.5 - come))?,
        Way::FrozenCrossfade => {
            let reach = 0.4 / made.loop_clip.period_secs();
            moved(&made, |_, come, to_start| {
                let u = ((come - 1.0) / reach + 1.0).clamp(0.0, 1.0);
                to_start * (u * u * u * (10.0 + u * (6.0 * u - 15.0)))
            })?
        }
    };
    let residual = match way {
        Way::Ours(..) | Way::OfPeriod(_) | Way::Auto => made.closed.residual,
        _ => left_open(&made, &clip),
    };
    Ok((studied.quality(&made, &clip), residual))
}

/// The uncut samples plus offsets. An offset depends on the gap, the elapsed share of the cut, and the difference to the
/// start pose.
fn moved(made: &MadeLoop, offset: impl Fn(DVec3, f64, DVec3) -> DVec3) -> Result<LoopClip, String> {
    let clip = &made.source.clip;
    let last = clip.num_intervals() as isize;
    with_samples(
        made,
        (0..last).map(|sample| {
            let come = sample as f64 / last as f64;
            let joint = |joint: usize| {
                let [start, here, end] = [0, sample, last].map(|sample| clip.translations(sample)[joint]);
                let translation = here + offset(end - start, come, start - here);
                let [start, here, end] = [0, sample, last].map(|sample| clip.rotations(sample)[joint]);
                let o = offset(
                    rotation::difference(end, start),
                    come,
                    rotation::difference(start, here),
                );
                (translation, rotation::exp(o) * here)
            };
            (0..clip.skeleton().num_joints()).map(joint).collect::<Pose>()
        }),
    )
}

/// The seam gaps that another tool's method leaves: the gaps of the cut if it changes nothing, else only the velocity gaps.
fn left_open(made: &MadeLoop, clip: &LoopClip) -> Gaps {
    let raw = made.closed.seam.largest();
    let start = clip.body_pose(0).translations;
    let same = made.source.clip.translations(0);
    let untouched = start == same
        && clip.body_pose(clip.num_samples() - 1).translations
            == made.source.clip.translations(clip.num_samples() as isize - 1);
    if untouched {
        raw
    } else {
        Gaps {
            position: 0.0,
            angle: 0.0,
            ..raw
        }
    }
}
