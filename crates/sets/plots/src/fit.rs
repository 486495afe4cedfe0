//! Plots the controller fit of a take: its changes with the fitted springs, and a controller driven through it.

use glam::DVec3;
use loopwright_controller::{Event, Pool, Quantity, Signal, SmoothedResponse, TakeFit};
use loopwright_core::analysis::MotionKind;
use loopwright_draw::plot::kit::{
    Plot,
    axes::{Chart, Range, stroke_width},
    legend::{ChartHeading, DASHED, Sign},
    style::{self, Ink},
    svg::Area,
};

/// Draws fits of takes as SVG: for one take its velocity and facing over time with the fitted springs; for any number all
/// changes superimposed, and histograms of the takes against controllers of the fitted half-lives.
///
/// The springs are smoothed like the takes, so that both can be compared. Names are in the title.
pub fn controller_fit(takes: &[(String, &TakeFit)]) -> String {
    let fits: Vec<&TakeFit> = takes.iter().map(|(_, fit)| *fit).collect();
    let pool = Pool::new(&fits);
    let title = match takes {
        [(name, _)] => format!("{name}: the take and the springs fitted to it"),
        _ => format!("{} takes and the springs fitted to them", takes.len()),
    };
    let mut plot = Plot::new(title, &summary(&pool));
    if let [fit] = fits[..] {
        for curves in over_time(fit) {
            curves.draw(&mut plot, fit);
        }
    }
    changes(&mut plot, &fits, &pool);
    histograms(&mut plot, &fits);
    plot.finish()
}

fn summary(pool: &Pool) -> String {
    let [velocity, facing] =
        [("velocity", &pool.all.velocity), ("facing", &pool.all.facing)].map(|(name, half_lives)| {
            match half_lives.chosen() {
                Some(spread) if spread.count == 1 => format!("{name} {:.3} s over 1 change", spread.median),
                Some(spread) => format!("{name} {:.3} s over {} changes", spread.median, spread.count),
                None => format!("{name} unknown"),
            }
        });
    format!("half-life of the {velocity}, of the {facing} (59.7% is left after one)")
}

/// A quantity over the time of a take, with the fitted springs over it.
struct Curves {
    title: &'static str,
    axis: &'static str,
    /// Values as captured; only the topmost panel has them, and its range begins at zero.
    raw: Option<Vec<f64>>,
    take: Vec<f64>,
    springs: Vec<Vec<(f64, f64)>>,
    height: f64,
    least: f64,
    is_degrees: bool,
    is_last: bool,
}

/// Returns the fitted springs of a quantity as points over time, of a figure of value and rate; smoothed with a deviation,
/// seconds.
fn springs(
    fit: &TakeFit,
    quantity: Quantity,
    deviation: f64,
    figure: impl Fn(DVec3, DVec3) -> f64,
) -> Vec<Vec<(f64, f64)>> {
    fit.events_of(quantity)
        .filter_map(|event| Some((event, event.trusted()?)))
        .map(|(event, fitted)| {
            let point = |frame: usize| {
                let secs = fit.profile.secs(frame);
                let value = figure(fitted.at(secs, deviation), fitted.rate_at(secs, deviation));
                (secs, value)
            };
            event.frames.clone().map(point).collect()
        })
        .collect()
}

/// Returns the curves of velocity, acceleration, facing and turn rate.
fn over_time(fit: &TakeFit) -> [Curves; 4] {
    let profile = &fit.profile;
    let dt = profile.frame_time_secs;
    let frames = || 0..profile.speed_rate.len();
    let [velocity, facing] = [&profile.velocity, &profile.facing];
    let curves = |title, axis, take, springs, least| Curves {
        title,
        axis,
        raw: None,
        take,
        springs,
        height: 110.0,
        least,
        is_degrees: false,
        is_last: false,
    };
    [
        Curves {
            raw: Some(frames().map(|frame| profile.raw_velocity[frame].length()).collect()),
            height: 140.0,
            ..curves(
                "Speed over the ground",
                "speed, m/s",
                frames().map(|frame| profile.speed(frame)).collect(),
                springs(fit, Quantity::Velocity, velocity.deviation_secs, |value, _| {
                    value.length()
                }),
                0.2,
            )
        },
        curves(
            "Acceleration: how fast that speed grows",
            "accel., m/s\u{b2}",
            profile.speed_rate.clone(),
            springs(
                fit,
                Quantity::Velocity,
                velocity.rates_deviation_secs(dt),
                |value, rate| rate.dot(value.normalize_or_zero()),
            ),
            0.5,
        ),
        Curves {
            is_degrees: true,
            ..curves(
                "Facing, left positive",
                "angle, deg",
                frames().map(|frame| facing.values[frame].y.to_degrees()).collect(),
                springs(fit, Quantity::Facing, facing.deviation_secs, |value, _| {
                    value.y.to_degrees()
                }),
                20.0,
            )
        },
        Curves {
            is_last: true,
            ..curves(
                "Angular velocity",
                "rate, deg/s",
                frames().map(|frame| facing.rates[frame].y.to_degrees()).collect(),
                springs(fit, Quantity::Facing, facing.rates_deviation_secs(dt), |_, rate| {
                    rate.y.to_degrees()
                }),
                20.0,
            )
        },
    ]
}

impl Curves {
    /// Draws the panel.
    fn draw(&self, plot: &mut Plot, fit: &TakeFit) {
        let profile = &fit.profile;
        let mut heading = ChartHeading::new(self.title);
        let in_runs = profile.runs.iter().cloned().flatten().map(|frame| self.take[frame]);
        let springs = self.springs.iter().flatten().map(|&(_, value)| value);
        let mut range = Range::around(in_runs.chain(springs), self.least);
        if self.raw.is_some() {
            heading = heading
                .key(Sign::Line(Ink::Faint), "as captured")
                .key(Sign::Line(Ink::Blue), "the take, smoothed")
                .key(Sign::Line(Ink::Vermillion), "fitted spring, smoothed too")
                .key(Sign::Patch("idle"), "idle");
            range = range.down_to_zero();
        }
        let area = plot.area(&heading, style::CHART_WIDTH, self.height);
        let times = Range::new(0.0, profile.secs(self.take.len().saturating_sub(1)));
        let mut panel = Chart::new(area, (times, "time, s"), (range, self.axis)).labelled(self.is_last);
        if self.is_degrees {
            panel = panel.in_degrees();
        }
        panel.draw(&mut plot.svg, |panel, svg| {
            for (from, to) in idle(fit) {
                panel.band(svg, from, to, "idle");
            }
            panel.grid(svg);
            for run in &profile.runs {
                let raw = self.raw.iter().map(|raw| (raw, Ink::Faint, 1.0));
                for (values, ink, width) in raw.chain([(&self.take, Ink::Blue, 2.6)]) {
                    let points = run.clone().map(|frame| (profile.secs(frame), values[frame]));
                    panel.line(svg, points, ink, &stroke_width(width));
                }
            }
            for spring in &self.springs {
                panel.line(svg, spring.iter().copied(), Ink::Vermillion, &stroke_width(1.6));
            }
        });
        plot.y += if self.is_last { style::BELOW + 8.0 } else { 12.0 };
    }
}

/// Returns the spans in which the body is idle.
fn idle(fit: &TakeFit) -> Vec<(f64, f64)> {
    let dt = fit.profile.frame_time_secs;
    let mut stretches: Vec<(f64, f64)> = Vec::new();
    for frame in (0..fit.modes.len()).filter(|&frame| fit.modes[frame] == MotionKind::Idle) {
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
    let whole = style::FULL - GAP * (count - 1) as f64;
    let column = whole / count as f64;
    let lefts = (0..count).map(|index| style::MARGIN + (column + GAP) * index as f64 + style::LEFT);
    (lefts.collect(), column - style::LEFT - style::RIGHT)
}

/// Seconds shown before the input of a change.
const BEFORE_SECS: f64 = 0.6;

/// More changes than this are drawn faintly, so that the spring stays visible.
const MOST_DARK: usize = 24;

/// Draws all changes as shares of their steps, aligned at their inputs.
fn changes(plot: &mut Plot, fits: &[&TakeFit], pool: &Pool) {
    let (lefts, width) = columns(2);
    let top = plot.y;
    for (quantity, title, half_lives, left) in [
        (Quantity::Velocity, "Changes of velocity", &pool.all.velocity, lefts[0]),
        (Quantity::Facing, "Changes of facing", &pool.all.facing, lefts[1]),
    ] {
        let secs = half_lives.chosen_secs();
        let area = ChartHeading::new(title)
            .key(Sign::Line(Ink::Grey), "the changes")
            .keys(secs.map(|secs| (Sign::Line(Ink::Vermillion), format!("spring of {secs:.3} s"))))
            .over(&mut plot.svg, left, top, width, 150.0);
        let until = 1.5 + 4.0 * secs.unwrap_or(0.25);
        let panel = Chart::new(
            area,
            (Range::new(-BEFORE_SECS, until), "time since the input, s"),
            (Range::new(-0.25, 1.35), "share of the change"),
        );
        panel.draw(&mut plot.svg, |panel, svg| {
            panel.grid(svg);
            panel.upright(svg, 0.0, Ink::Text, DASHED);
            let mut deviation = 0.0;
            let count: usize = fits.iter().map(|fit| fit.events_of(quantity).count()).sum();
            let ink = if count > MOST_DARK { Ink::Faint } else { Ink::Grey };
            for fit in fits {
                for event in fit.events_of(quantity) {
                    let (signal, points) = shares(fit, event);
                    deviation = signal.deviation_secs;
                    panel.line(svg, points, ink, &stroke_width(1.2));
                }
            }
            if let Some(secs) = secs {
                let response = SmoothedResponse::new(secs, deviation);
                let points = (0..=200).map(|step| {
                    let secs = -BEFORE_SECS + (until + BEFORE_SECS) * f64::from(step) / 200.0;
                    (secs, response.step(secs))
                });
                panel.line(svg, points, Ink::Vermillion, &stroke_width(2.4));
            }
        });
        plot.y = area.bottom() + style::BELOW + 8.0;
    }
}

/// Returns the take's own values over an event with a trusted fit, as shares of the fitted change.
fn shares<'a>(fit: &'a TakeFit, event: &Event) -> (&'a Signal, Vec<(f64, f64)>) {
    let signal = event.quantity.signal(&fit.profile);
    let Some(fitted) = event.trusted() else {
        return (signal, Vec::new());
    };
    let step = fitted.to - fitted.from;
    let points = event.frames.clone().map(|frame| {
        let secs = fit.profile.secs(frame) - fitted.start_secs;
        (
            secs,
            (signal.values[frame] - fitted.from).dot(step) / step.length_squared(),
        )
    });
    (signal, points.collect())
}

/// The value of a signal at a frame.
type Figure = fn(&Signal, usize) -> f64;

/// Number of bars of a histogram.
const BINS: usize = 36;

/// Draws shares of the frames of all changes, of the takes and of the controllers driven through them.
fn histograms(plot: &mut Plot, fits: &[&TakeFit]) {
    let (lefts, width) = columns(3);
    let panels: [(&str, &str, Quantity, Figure); 3] = [
        ("Speed", "speed, m/s", Quantity::Velocity, |signal, frame| {
            signal.values[frame].length()
        }),
        (
            "Acceleration",
            "acceleration, m/s\u{b2}",
            Quantity::Velocity,
            |signal, frame| signal.rates[frame].length(),
        ),
        ("Angular velocity", "rate, deg/s", Quantity::Facing, |signal, frame| {
            signal.rates[frame].y.to_degrees()
        }),
    ];
    let top = plot.y;
    for (index, ((title, axis, quantity, figure), left)) in panels.into_iter().zip(lefts).enumerate() {
        let [take, controller] = while_changing(fits, quantity, figure);
        let mut heading = ChartHeading::new(title);
        if index == 0 {
            heading = heading
                .key(Sign::Line(Ink::Blue), "takes")
                .key(Sign::Line(Ink::Vermillion), "controller");
        }
        heading.draw(&mut plot.svg, left, top, width);
        let area = Area::new(left, top + HISTOGRAM_HEAD, width, 120.0);
        let mut range = shown([&take[..], &controller].concat());
        if quantity == Quantity::Velocity {
            range = range.down_to_zero();
        }
        let [take, controller] = [take, controller].map(|values| bins(&values, range));
        let most = take.iter().chain(&controller).copied().fold(0.0, f64::max);
        let shares = (Range::new(0.0, 1.1 * most.max(1.0)), "changing frames, %");
        Chart::new(area, (range, axis), shares).draw(&mut plot.svg, |panel, svg| {
            panel.grid(svg);
            for (shares, ink, line) in [(&take, Ink::Blue, 2.6), (&controller, Ink::Vermillion, 1.6)] {
                let outline = shares.iter().enumerate().flat_map(|(bin, &share)| {
                    [bin, bin + 1].map(|edge| {
                        let value = range.low + range.width() * edge as f64 / BINS as f64;
                        (panel.across(value), panel.down(share))
                    })
                });
                svg.polyline(outline, ink, &stroke_width(line));
            }
        });
        plot.y = area.bottom() + style::BELOW;
    }
}

/// A figure at the frames of all changes of a quantity, of the takes and of the controllers driven through them.
fn while_changing(fits: &[&TakeFit], quantity: Quantity, figure: Figure) -> [Vec<f64>; 2] {
    let [mut take, mut controller] = [const { Vec::new() }; 2];
    for fit in fits {
        let signal = quantity.signal(&fit.profile);
        let simulated = match quantity {
            Quantity::Velocity => &fit.simulated_velocity,
            Quantity::Facing => &fit.simulated_facing,
        };
        let Some(simulated) = simulated else { continue };
        let mut seen = vec![false; signal.values.len()];
        for event in fit.events_of(quantity) {
            seen[event.frames.clone()].fill(true);
        }
        for frame in (0..seen.len()).filter(|&frame| seen[frame]) {
            take.push(figure(signal, frame));
            controller.push(figure(simulated, frame));
        }
    }
    [take, controller]
}

/// Space for the title and a row of its legend above a histogram: all are aligned, though only one has a legend.
const HISTOGRAM_HEAD: f64 = 42.0;

/// Share of the values at either end that counts in the outermost bins, so that outliers do not compress the rest.
const OUTLIERS: f64 = 0.005;

/// Returns the range of values that a histogram shows.
fn shown(mut values: Vec<f64>) -> Range {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return Range::new(0.0, 1.0);
    };
    let aside = (OUTLIERS * last as f64) as usize;
    Range::around([values[aside], values[last - aside]], 0.1)
}

/// Returns the shares of the values in each bin of a range, percent.
fn bins(values: &[f64], range: Range) -> Vec<f64> {
    let mut shares = vec![0.0; BINS];
    for value in values {
        let bin = (range.share(*value) * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize;
        shares[bin] += 100.0 / values.len() as f64;
    }
    shares
}
