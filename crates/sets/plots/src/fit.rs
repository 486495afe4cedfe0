//! The controller fit of a take: its changes with the fitted springs, and a controller driven through it.

use glam::DVec3;
use loopwright_controller::{Event, HalfLives, Pool, Quantity, Signal, SmoothedResponse, TakeFit};
use loopwright_core::analysis::MotionKind;
use loopwright_draw::plot::kit::axes::{self, Chart, ChartAxis, Range, stroke_width};
use loopwright_draw::plot::kit::legend::{ChartHeading, DASHED, Key, Sign};
use loopwright_draw::plot::kit::style::{self, Ink};
use loopwright_draw::plot::kit::svg::{Area, Svg};

/// Fits of takes as SVG: for one take its velocity and facing over time with the fitted springs; for any number all changes
/// superimposed, and histograms of the takes against controllers of the fitted half-lives.
///
/// The springs are smoothed like the takes, so that both can be compared. Names are in the title.
pub fn controller_fit(takes: &[(String, &TakeFit)]) -> String {
    let fits: Vec<&TakeFit> = takes.iter().map(|(_, fit)| *fit).collect();
    let pool = Pool::new(&fits);
    let mut svg = Svg::default();
    let title = match takes {
        [(name, _)] => format!("{name}: the take and the springs fitted to it"),
        _ => format!("{} takes and the springs fitted to them", takes.len()),
    };
    let mut top = axes::title(&mut svg, &title, &summary(&pool));
    if let [fit] = fits[..] {
        for curves in over_time(fit) {
            top = curves.draw(&mut svg, fit, top);
        }
    }
    top = changes(&mut svg, &fits, &pool, top);
    let bottom = histograms(&mut svg, &fits, top);
    svg.finish(&title, bottom + style::MARGIN - 6.0)
}

fn summary(pool: &Pool) -> String {
    let half_life_text = |name: &str, half_lives: &HalfLives| match half_lives.chosen() {
        Some(spread) if spread.count == 1 => format!("{name} {:.3} s over 1 change", spread.median),
        Some(spread) => format!("{name} {:.3} s over {} changes", spread.median, spread.count),
        None => format!("{name} unknown"),
    };
    format!(
        "half-life of the {}, of the {} (59.7% is left after one)",
        half_life_text("velocity", &pool.all.velocity),
        half_life_text("facing", &pool.all.facing)
    )
}

/// A quantity over the time of a take, with the fitted springs over it.
struct Curves {
    title: &'static str,
    axis: &'static str,
    raw: Option<Vec<f64>>,
    take: Vec<f64>,
    springs: Vec<Vec<(f64, f64)>>,
    height: f64,
    least: f64,
    is_degrees: bool,
    is_first: bool,
    is_last: bool,
}

/// Velocity, acceleration, facing and turn rate.
fn over_time(fit: &TakeFit) -> [Curves; 4] {
    let profile = &fit.profile;
    let dt = profile.frame_time_secs;
    let count = profile.speed_rate.len();
    let springs = |quantity: Quantity, deviation: f64, of: &dyn Fn(DVec3, DVec3) -> f64| -> Vec<Vec<(f64, f64)>> {
        fit.events_of(quantity)
            .filter_map(|event| event.trusted().map(|fitted| (event, fitted)))
            .map(|(event, fitted)| {
                let frames = event.frames.clone();
                frames
                    .map(|frame| {
                        let secs = profile.secs(frame);
                        (secs, of(fitted.at(secs, deviation), fitted.rate_at(secs, deviation)))
                    })
                    .collect()
            })
            .collect()
    };
    let [velocity, facing] = [&profile.velocity, &profile.facing];
    let speed = |value: DVec3, _: DVec3| value.length();
    let gain = |value: DVec3, rate: DVec3| rate.dot(value.normalize_or_zero());
    let plain = |of: &dyn Fn(usize) -> f64| (0..count).map(of).collect::<Vec<f64>>();
    [
        Curves {
            title: "Speed over the ground",
            axis: "speed, m/s",
            raw: Some(plain(&|frame| profile.raw_velocity[frame].length())),
            take: plain(&|frame| profile.speed(frame)),
            springs: springs(Quantity::Velocity, velocity.deviation_secs, &speed),
            height: 140.0,
            least: 0.2,
            is_degrees: false,
            is_first: true,
            is_last: false,
        },
        Curves {
            title: "Acceleration: how fast that speed grows",
            axis: "accel., m/s\u{b2}",
            raw: None,
            take: profile.speed_rate.clone(),
            springs: springs(Quantity::Velocity, velocity.rates_deviation_secs(dt), &gain),
            height: 110.0,
            least: 0.5,
            is_degrees: false,
            is_first: false,
            is_last: false,
        },
        Curves {
            title: "Facing, left positive",
            axis: "angle, deg",
            raw: None,
            take: plain(&|frame| facing.values[frame].y.to_degrees()),
            springs: springs(Quantity::Facing, facing.deviation_secs, &|value, _| {
                value.y.to_degrees()
            }),
            height: 110.0,
            least: 20.0,
            is_degrees: true,
            is_first: false,
            is_last: false,
        },
        Curves {
            title: "Angular velocity",
            axis: "rate, deg/s",
            raw: None,
            take: plain(&|frame| facing.rates[frame].y.to_degrees()),
            springs: springs(Quantity::Facing, facing.rates_deviation_secs(dt), &|_, rate| {
                rate.y.to_degrees()
            }),
            height: 110.0,
            least: 20.0,
            is_degrees: false,
            is_first: false,
            is_last: true,
        },
    ]
}

impl Curves {
    /// Draws the panel; returns the height below it.
    fn draw(&self, svg: &mut Svg, fit: &TakeFit, top: f64) -> f64 {
        let (left, width) = axes::full_width();
        let profile = &fit.profile;
        let mut keys = Vec::new();
        if self.is_first {
            keys.extend([
                Key::new(Sign::Line(Ink::Faint), "as captured"),
                Key::new(Sign::Line(Ink::Blue), "the take, smoothed"),
                Key::new(Sign::Line(Ink::Vermillion), "fitted spring, smoothed too"),
                Key::new(Sign::Patch("idle"), "idle"),
            ]);
        }
        let area = ChartHeading::new(self.title, keys).over(svg, left, top, width, self.height);
        let in_runs = profile.runs.iter().cloned().flatten().map(|frame| self.take[frame]);
        let springs = self.springs.iter().flatten().map(|&(_, value)| value);
        let range = Range::around(in_runs.chain(springs), self.least);
        let range = if self.is_first { range.down_to_zero() } else { range };
        let last = profile.secs(self.take.len().saturating_sub(1));
        let x = ChartAxis::across(Range::new(0.0, last), "time, s", width);
        let panel = Chart {
            area,
            x: if self.is_last { x } else { x.unlabelled() },
            y: if self.is_degrees {
                ChartAxis::up_degrees(range, self.axis, area.height)
            } else {
                ChartAxis::up(range, self.axis, area.height)
            },
        };
        panel.draw(svg, |panel, svg| {
            for (from, to) in idle(fit) {
                panel.band(svg, from, to, "idle");
            }
            panel.grid(svg);
            for run in &profile.runs {
                let points = |values: &[f64]| -> Vec<(f64, f64)> {
                    run.clone().map(|frame| (profile.secs(frame), values[frame])).collect()
                };
                if let Some(raw) = &self.raw {
                    panel.line(svg, &points(raw), Ink::Faint, &stroke_width(1.0));
                }
                panel.line(svg, &points(&self.take), Ink::Blue, &stroke_width(2.6));
            }
            for spring in &self.springs {
                panel.line(svg, spring, Ink::Vermillion, &stroke_width(1.6));
            }
        });
        area.bottom() + if self.is_last { style::BELOW + 8.0 } else { 12.0 }
    }
}

/// Spans in which the body is idle.
fn idle(fit: &TakeFit) -> Vec<(f64, f64)> {
    let dt = fit.profile.frame_time_secs;
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    let modes = fit.modes.iter().enumerate();
    for (frame, _) in modes.filter(|(_, mode)| **mode == MotionKind::Idle) {
        let (from, to) = ((frame as f64 - 0.5) * dt, (frame as f64 + 0.5) * dt);
        match stretches.last_mut() {
            Some(last) if last.1 >= from - 0.1 * dt => last.1 = to,
            _ => stretches.push((from.max(0.0), to)),
        }
    }
    stretches
}

/// Left sides and width of panels that share a row.
fn columns(count: usize) -> (Vec<f64>, f64) {
    const GAP: f64 = 10.0;
    let whole = style::WIDTH - 2.0 * style::MARGIN - GAP * (count - 1) as f64;
    let column = whole / count as f64;
    let lefts = (0..count)
        .map(|index| style::MARGIN + (column + GAP) * index as f64 + style::LEFT)
        .collect();
    (lefts, column - style::LEFT - style::RIGHT)
}

/// Seconds shown before the input of a change.
const BEFORE_SECS: f64 = 0.6;

/// More changes than this are drawn faintly, so that the spring stays visible.
const MOST_DARK: usize = 24;

/// All changes as shares of their steps, aligned at their inputs; returns the height below.
fn changes(svg: &mut Svg, fits: &[&TakeFit], pool: &Pool, top: f64) -> f64 {
    let (lefts, width) = columns(2);
    let mut bottom = top;
    for (quantity, title, half_lives, left) in [
        (Quantity::Velocity, "Changes of velocity", &pool.all.velocity, lefts[0]),
        (Quantity::Facing, "Changes of facing", &pool.all.facing, lefts[1]),
    ] {
        let secs = half_lives.chosen_secs();
        let mut keys = vec![Key::new(Sign::Line(Ink::Grey), "the changes")];
        if let Some(secs) = secs {
            keys.push(Key::new(Sign::Line(Ink::Vermillion), format!("spring of {secs:.3} s")));
        }
        let heading = ChartHeading { title, keys };
        let area = heading.over(svg, left, top, width, 150.0);
        let until = 1.5 + 4.0 * secs.unwrap_or(0.25);
        let panel = Chart {
            area,
            x: ChartAxis::across(Range::new(-BEFORE_SECS, until), "time since the input, s", width),
            y: ChartAxis::up(Range::new(-0.25, 1.35), "share of the change", area.height),
        };
        panel.draw(svg, |panel, svg| {
            panel.grid(svg);
            panel.upright(svg, 0.0, Ink::Text, DASHED);
            let mut deviation = 0.0;
            let count: usize = fits.iter().map(|fit| fit.events_of(quantity).count()).sum();
            let ink = if count > MOST_DARK { Ink::Faint } else { Ink::Grey };
            for fit in fits {
                for event in fit.events_of(quantity) {
                    let (signal, points) = shares(fit, event);
                    deviation = signal.deviation_secs;
                    panel.line(svg, &points, ink, &stroke_width(1.2));
                }
            }
            if let Some(secs) = secs {
                let response = SmoothedResponse::new(secs, deviation);
                let points: Vec<(f64, f64)> = (0..=200)
                    .map(|step| -BEFORE_SECS + (until + BEFORE_SECS) * f64::from(step) / 200.0)
                    .map(|secs| (secs, response.step(secs)))
                    .collect();
                panel.line(svg, &points, Ink::Vermillion, &stroke_width(2.4));
            }
        });
        bottom = area.bottom() + style::BELOW + 8.0;
    }
    bottom
}

/// The take's own values over an event with a trusted fit, as shares of the fitted change.
fn shares<'a>(fit: &'a TakeFit, event: &Event) -> (&'a Signal, Vec<(f64, f64)>) {
    let signal = match event.quantity {
        Quantity::Velocity => &fit.profile.velocity,
        Quantity::Facing => &fit.profile.facing,
    };
    let Some(fitted) = event.trusted() else {
        return (signal, Vec::new());
    };
    let step = fitted.to - fitted.from;
    let points = event.frames.clone().map(|frame| {
        let share = (signal.values[frame] - fitted.from).dot(step) / step.length_squared();
        (fit.profile.secs(frame) - fitted.start_secs, share)
    });
    (signal, points.collect())
}

/// The value of a signal at a frame.
type Figure = fn(&Signal, usize) -> f64;

/// Bars across a histogram.
const BINS: usize = 36;

/// Shares of the frames of all changes, of the takes and of the controllers driven through them; gives the height below.
fn histograms(svg: &mut Svg, fits: &[&TakeFit], top: f64) -> f64 {
    let (lefts, width) = columns(3);
    let mut bottom = top;
    let speed = |signal: &Signal, frame: usize| signal.values[frame].length();
    let size = |signal: &Signal, frame: usize| signal.rates[frame].length();
    let turn = |signal: &Signal, frame: usize| signal.rates[frame].y.to_degrees();
    let panels: [(&str, &str, Quantity, Figure); 3] = [
        ("Speed", "speed, m/s", Quantity::Velocity, speed),
        ("Acceleration", "acceleration, m/s\u{b2}", Quantity::Velocity, size),
        ("Angular velocity", "rate, deg/s", Quantity::Facing, turn),
    ];
    for (index, ((title, axis, quantity, of), left)) in panels.into_iter().zip(lefts).enumerate() {
        let (mut take, mut controller) = (Vec::new(), Vec::new());
        for fit in fits {
            let (signal, simulated) = match quantity {
                Quantity::Velocity => (&fit.profile.velocity, &fit.simulated_velocity),
                Quantity::Facing => (&fit.profile.facing, &fit.simulated_facing),
            };
            let Some(simulated) = simulated else { continue };
            let mut seen = vec![false; signal.values.len()];
            for event in fit.events_of(quantity) {
                seen[event.frames.clone()].fill(true);
            }
            for frame in (0..seen.len()).filter(|&frame| seen[frame]) {
                take.push(of(signal, frame));
                controller.push(of(simulated, frame));
            }
        }
        let keys = match index {
            0 => vec![
                Key::new(Sign::Line(Ink::Blue), "takes"),
                Key::new(Sign::Line(Ink::Vermillion), "controller"),
            ],
            _ => Vec::new(),
        };
        let heading = ChartHeading { title, keys };
        heading.draw(svg, left, top, width);
        let area = Area::new(left, top + HISTOGRAM_HEAD, width, 120.0);
        let mut sorted: Vec<f64> = take.iter().chain(&controller).copied().collect();
        sorted.sort_by(f64::total_cmp);
        let range = shown(&sorted);
        let range = if quantity == Quantity::Velocity {
            range.down_to_zero()
        } else {
            range
        };
        let [take, controller] = [&take, &controller].map(|values| bins(values, range));
        let most = take.iter().chain(&controller).copied().fold(0.0, f64::max);
        let panel = Chart {
            area,
            x: ChartAxis::across(range, axis, width),
            y: ChartAxis::up(Range::new(0.0, 1.1 * most.max(1.0)), "changing frames, %", area.height),
        };
        panel.draw(svg, |panel, svg| {
            panel.grid(svg);
            for (shares, ink, line) in [(&take, Ink::Blue, 2.6), (&controller, Ink::Vermillion, 1.6)] {
                let edge = |bin: usize| range.low + range.width() * bin as f64 / BINS as f64;
                let points = shares.iter().enumerate();
                let points = points.flat_map(|(bin, &share)| [(edge(bin), share), (edge(bin + 1), share)]);
                let at = points.map(|(x, y)| (panel.across(x), panel.down(y)));
                svg.polyline(at.collect::<Vec<_>>(), ink, &stroke_width(line));
            }
        });
        bottom = area.bottom() + style::BELOW;
    }
    bottom
}

/// Space for the title and a row of its legend above a histogram: all are aligned, though only one has a legend.
const HISTOGRAM_HEAD: f64 = 42.0;

/// Share of the values at either end that counts in the outermost bins, so that outliers do not compress the rest.
const OUTLIERS: f64 = 0.005;

/// The range of ascending values that a histogram shows.
fn shown(sorted: &[f64]) -> Range {
    let Some(last) = sorted.len().checked_sub(1) else {
        return Range::new(0.0, 1.0);
    };
    let aside = (OUTLIERS * last as f64) as usize;
    Range::around([sorted[aside], sorted[last - aside]], 0.1)
}

/// Shares of the values in each bin of a range, percent.
fn bins(values: &[f64], range: Range) -> Vec<f64> {
    let mut shares = vec![0.0; BINS];
    for value in values {
        let bin = (range.share(*value) * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize;
        shares[bin] += 100.0 / values.len() as f64;
    }
    shares
}
