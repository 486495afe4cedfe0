//! Panels over the time of a whole take, stacked: motion is shaded, bad frames are marked.

use loopwright_core::analysis::{ActivityKind, MotionKind};
use loopwright_core::{Analysis, Take};

use super::kit::axes::{Chart, ChartAxis, Range, full_width, stroke_width};
use super::kit::legend::{ChartHeading, DASHED, Key, Sign};
use super::kit::style::{self, Ink, SERIES};
use super::kit::svg::{Anchor, Area, Svg};
use super::kit::text;

/// A track over time: a line for each name, in one unit.
pub(super) struct Track {
    pub(super) title: &'static str,
    /// Name of the vertical axis, with its unit.
    pub(super) axis: &'static str,
    pub(super) lines: Vec<Line>,
    pub(super) height: f64,
    /// Least height of the range, so that noise does not look like motion.
    pub(super) least: f64,
    pub(super) kind: Kind,
}

/// One line of a track, one value per frame.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
}

/// The kind of values of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any numbers.
    Plain,
    /// Sizes: the axis begins at zero.
    Size,
    /// Angles in degrees.
    Degrees,
}

/// A stretch of the take that is marked over all tracks, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chosen {
    pub(super) start_secs: f64,
    pub(super) end_secs: f64,
}

/// Time of a take from its first frame to its last.
pub(super) fn time_range(take: &Take) -> Range {
    Range::new(0.0, take.duration_secs())
}

/// Speed of the body and heading, shown for searches and for takes.
pub(super) fn speed_and_heading(take: &Take, analysis: &Analysis) -> [Track; 2] {
    let frames = || 0..take.num_frames();
    [
        Track {
            title: "Speed over the ground",
            axis: "speed, m/s",
            lines: vec![Line {
                name: String::new(),
                values: frames().map(|frame| analysis.ground_mps(frame)).collect(),
            }],
            height: 84.0,
            least: 0.05,
            kind: Kind::Size,
        },
        Track {
            title: "Heading, left positive",
            axis: "angle, deg",
            lines: vec![Line {
                name: String::new(),
                values: frames().map(|frame| analysis.heading.yaw(frame).to_degrees()).collect(),
            }],
            height: 84.0,
            least: 10.0,
            kind: Kind::Degrees,
        },
    ]
}

/// Height of the band that names the segments.
const BAND: f64 = 22.0;

/// Draws the segments of the body as a band over time, named if there is space; returns the height below it.
pub(super) fn segments(svg: &mut Svg, take: &Take, analysis: &Analysis, width: f64, top: f64) -> f64 {
    let (left, _) = full_width();
    let area = ChartHeading::new("What the body does", Vec::new()).over(svg, left, top, width, BAND);
    let dt = take.frame_time_secs();
    let x = ChartAxis::across(time_range(take), "", width);
    // A frame stands for half a frame on either side.
    let x_of = |frame: f64| area.left + width * x.range.share((frame * dt).clamp(0.0, take.duration_secs()));
    svg.rect(area, "panel");
    for segment in &analysis.segments {
        let (from, to) = (
            x_of(segment.start_frame as f64 - 0.5),
            x_of(segment.end_frame as f64 + 0.5),
        );
        let part = Area {
            left: from,
            width: to - from,
            ..area
        };
        let is_idle = segment.gait.kind == MotionKind::Idle;
        svg.rect(part, if is_idle { "idle" } else { "moving" });
        svg.outline(part);
        let name = &segment.gait.to_string();
        if text::width(name, style::TEXT, false) + 8.0 <= part.width {
            svg.text(0.5 * (from + to), area.top + 15.5, Anchor::Middle, "ft", name);
        }
    }
    svg.outline(area);
    area.bottom() + 14.0
}

/// Height of the bars of one foot.
const BAR: f64 = 11.0;

/// Draws the contacts of each foot as bars over time, in the inks of the feet's tracks; returns the height below them.
pub(super) fn contacts(svg: &mut Svg, take: &Take, analysis: &Analysis, width: f64, top: f64) -> f64 {
    let feet = &analysis.body.feet;
    // The feet of animals with many legs share inks.
    let ink = |foot: usize| SERIES[foot % SERIES.len()];
    if analysis.contacts.spans().is_empty() {
        return top;
    }
    let (left, _) = full_width();
    let name = |joint: usize| take.skeleton().joint(joint).name.clone();
    let area = ChartHeading::new(
        "When the feet are planted",
        (feet.iter().enumerate())
            .map(|(index, foot)| Key::new(Sign::Line(ink(index)), name(foot.lowest_joint())))
            .collect(),
    )
    .over(svg, left, top, width, BAR * feet.len() as f64);
    svg.rect(area, "panel");
    let x = ChartAxis::across(time_range(take), "", width);
    let x_of = |frame: f64| {
        let secs = (frame * take.frame_time_secs()).clamp(0.0, take.duration_secs());
        area.left + width * x.range.share(secs)
    };
    for contact in analysis.contacts.spans() {
        let from = x_of(contact.start_frame as f64 - 0.5);
        let bar = Area {
            left: from,
            top: area.top + BAR * contact.foot as f64 + 2.0,
            width: x_of(contact.end_frame as f64 + 0.5) - from,
            height: BAR - 4.0,
        };
        svg.rect(bar, &format!("f{}", ink(contact.foot).class()));
    }
    svg.outline(area);
    area.bottom() + 14.0
}

/// Draws tracks below each other from `top`, each `width` wide; returns the height below them.
pub(super) fn draw(
    svg: &mut Svg,
    take: &Take,
    analysis: &Analysis,
    tracks: &[Track],
    chosen: Option<Chosen>,
    width: f64,
    top: f64,
) -> f64 {
    let (left, _) = full_width();
    let mut y = top;
    for (index, track) in tracks.iter().enumerate() {
        let is_last = index + 1 == tracks.len();
        let mut keys = Vec::new();
        if track.lines.len() > 1 {
            keys.extend(
                track
                    .lines
                    .iter()
                    .zip(SERIES)
                    .map(|(line, ink)| Key::new(Sign::Line(ink), line.name.clone())),
            );
        }
        if index == 0 {
            keys.extend(ground_keys(analysis, chosen));
        }
        let heading = ChartHeading::new(track.title, keys);
        let area = heading.over(svg, left, y, width, track.height);
        panel(take, analysis, track, area, is_last).draw(svg, |panel, svg| {
            ground(svg, panel, take, analysis, chosen);
            for (line, ink) in track.lines.iter().zip(SERIES) {
                let secs = |frame: usize| frame as f64 * take.frame_time_secs();
                let points = line.values.iter().enumerate();
                let points: Vec<(f64, f64)> = points.map(|(frame, &value)| (secs(frame), value)).collect();
                panel.line(svg, &points, ink, &stroke_width(1.4));
            }
        });
        y = area.bottom() + if is_last { style::BELOW } else { 12.0 };
    }
    y
}

fn panel(take: &Take, analysis: &Analysis, track: &Track, area: Area, is_last: bool) -> Chart {
    // A jump of the pose would compress all other values; it is clipped, and its mark explains it.
    let trusted = |frame: usize| analysis.usable[frame] || !analysis.usable.contains(&true);
    let values = track.lines.iter().flat_map(|line| {
        let numbered = line.values.iter().enumerate();
        numbered.filter(|&(frame, _)| trusted(frame)).map(|(_, &value)| value)
    });
    let range = Range::around(values, track.least);
    let range = if track.kind == Kind::Size {
        range.down_to_zero()
    } else {
        range
    };
    let x = ChartAxis::across(time_range(take), "time, s", area.width);
    let y = match track.kind {
        Kind::Degrees => ChartAxis::up_degrees(range, track.axis, area.height),
        Kind::Plain | Kind::Size => ChartAxis::up(range, track.axis, area.height),
    };
    Chart {
        area,
        x: if is_last { x } else { x.unlabelled() },
        y,
    }
}

/// The legend of the shading, for the parts that exist.
pub(super) fn ground_keys(analysis: &Analysis, chosen: Option<Chosen>) -> Vec<Key> {
    let stretches = analysis.activity.stretches();
    let has = |activity| stretches.iter().any(|stretch| stretch.activity == activity);
    let mut keys = Vec::new();
    if has(ActivityKind::Moving) {
        keys.push(Key::new(Sign::Patch("moving"), "moving"));
    }
    if has(ActivityKind::Idle) {
        keys.push(Key::new(Sign::Patch("idle"), "idle"));
    }
    if !analysis.defects.bad_frames.is_empty() {
        keys.push(Key::new(Sign::Stroke(Ink::Vermillion), "bad frame"));
    }
    if chosen.is_some() {
        keys.push(Key::new(Sign::Dashed(Ink::Text), "recommended loop"));
    }
    keys
}

/// Shades moving and idle spans, draws the grid, marks bad frames and the chosen stretch.
fn ground(svg: &mut Svg, panel: &Chart, take: &Take, analysis: &Analysis, chosen: Option<Chosen>) {
    let dt = take.frame_time_secs();
    for stretch in analysis.activity.stretches() {
        let class = match stretch.activity {
            ActivityKind::Moving => "moving",
            ActivityKind::Idle => "idle",
            ActivityKind::Transition => continue,
        };
        // A frame stands for half a frame on either side.
        let (from, to) = (stretch.start_frame as f64 - 0.5, stretch.end_frame as f64 + 0.5);
        panel.band(svg, (from * dt).max(0.0), (to * dt).min(take.duration_secs()), class);
    }
    panel.grid(svg);
    let mut last = f64::NEG_INFINITY;
    for bad in &analysis.defects.bad_frames {
        let secs = bad.frame as f64 * dt;
        // Marks closer than a pixel are one mark.
        if panel.across(secs) - last >= 1.0 {
            last = panel.across(secs);
            panel.upright(svg, secs, Ink::Vermillion, "stroke-width=\"1.2\"");
            panel.flag(svg, secs, Ink::Vermillion);
        }
    }
    if let Some(chosen) = chosen {
        for secs in [chosen.start_secs, chosen.end_secs] {
            panel.upright(svg, secs, Ink::Text, DASHED);
        }
    }
}

/// A take in one line: frames, rate, length.
pub(super) fn facts(take: &Take) -> String {
    format!(
        "{} frames at {} per second, {:.2} s, {} joints",
        take.num_frames(),
        rate(take),
        take.duration_secs(),
        take.num_joints()
    )
}

/// Frames per second without needless decimals.
fn rate(take: &Take) -> String {
    let rate = take.frame_rate_hz();
    if (rate - rate.round()).abs() < 5e-3 {
        format!("{rate:.0}")
    } else {
        format!("{rate:.2}")
    }
}
