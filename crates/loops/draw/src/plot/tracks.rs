//! The contents of a take over its whole time: stacked panels in which motion is shaded and bad frames are marked.

use loopwright_core::{
    Analysis, Take,
    analysis::{ActivityKind, Foot, MotionKind},
};

use super::kit::{
    Plot,
    axes::{Chart, Range, stroke_width},
    legend::{ChartHeading, DASHED, Sign},
    style::{self, Ink, SERIES},
    svg::{Anchor, Area, Svg},
    text,
};

/// Tracks of a take as SVG: heights of feet and hips, speed, heading, with stretches shaded and bad frames marked.
///
/// Long takes are thinned to the resolution of the picture.
pub fn inspect(analysis: &Analysis) -> String {
    let take = &analysis.take;
    let mut plot = Plot::new(format!("{}: what the take holds", take.name()), &facts(take));
    segments(&mut plot, analysis, style::CHART_WIDTH);
    contacts(&mut plot, analysis, style::CHART_WIDTH);
    draw(&mut plot, analysis, &all(analysis), None, style::CHART_WIDTH);
    plot.finish()
}

fn all(analysis: &Analysis) -> Vec<Track> {
    let take = &analysis.take;
    let heights = |title, joints: &[usize], height, least| Track {
        title,
        axis: "height, cm",
        lines: joints
            .iter()
            .map(|&joint| {
                let heights =
                    (0..take.num_frames()).map(|frame| 100.0 * analysis.body.point(&analysis.world, frame, joint).y);
                (take.skeleton().joint(joint).name.clone(), heights.collect())
            })
            .collect(),
        height,
        least,
        kind: Kind::Plain,
    };
    let feet: Vec<usize> = analysis
        .body
        .feet
        .iter()
        .take(SERIES.len())
        .map(Foot::lowest_joint)
        .collect();
    let [speed, heading] = speed_and_heading(analysis);
    vec![
        heights("Feet, height", &feet, 130.0, 4.0),
        heights("Hips, height", &[analysis.body.hips], 84.0, 2.0),
        speed,
        heading,
    ]
}

/// A track over time: a line for each name, in one unit.
pub(super) struct Track {
    title: &'static str,
    /// Name of the vertical axis, with its unit.
    axis: &'static str,
    /// Name and values of each line, one value per frame.
    lines: Vec<(String, Vec<f64>)>,
    height: f64,
    /// Least height of the range, so that noise does not look like motion.
    least: f64,
    kind: Kind,
}

/// The kind of values of a track.
#[value(Copy, Eq)]
enum Kind {
    /// Any numbers.
    Plain,
    /// Sizes: the axis begins at zero.
    Size,
    /// Angles in degrees.
    Degrees,
}

/// The ends of a stretch of the take that is marked over all tracks, seconds.
pub(super) type Chosen = [f64; 2];

/// Returns the time of a take from its first frame to its last.
pub(super) fn time_range(take: &Take) -> Range {
    Range::new(0.0, take.duration_secs())
}

/// Speed of the body and heading, shown for searches and for takes.
pub(super) fn speed_and_heading(analysis: &Analysis) -> [Track; 2] {
    let frames = 0..analysis.take.num_frames();
    let speeds = frames.clone().map(|frame| analysis.ground_mps(frame)).collect();
    let headings = frames.map(|frame| analysis.heading.yaw(frame).to_degrees()).collect();
    [
        Track {
            title: "Speed over the ground",
            axis: "speed, m/s",
            lines: vec![(String::new(), speeds)],
            height: 84.0,
            least: 0.05,
            kind: Kind::Size,
        },
        Track {
            title: "Heading, left positive",
            axis: "angle, deg",
            lines: vec![(String::new(), headings)],
            height: 84.0,
            least: 10.0,
            kind: Kind::Degrees,
        },
    ]
}

/// Returns start and end of a stretch of frames, seconds within the take; a frame covers half a frame on either side.
fn span(take: &Take, start_frame: usize, end_frame: usize) -> [f64; 2] {
    [start_frame as f64 - 0.5, end_frame as f64 + 0.5]
        .map(|frame| (frame * take.frame_time_secs()).clamp(0.0, take.duration_secs()))
}

/// Left and right end of a stretch of frames in an area over the time of a take.
fn ends(area: Area, take: &Take, start_frame: usize, end_frame: usize) -> [f64; 2] {
    span(take, start_frame, end_frame).map(|secs| area.left + area.width * time_range(take).share(secs))
}

/// Height of the band that names the segments.
const BAND: f64 = 22.0;

/// Draws the segments of the body as a band over time, named if there is space.
pub(super) fn segments(plot: &mut Plot, analysis: &Analysis, width: f64) {
    let area = plot.area(&ChartHeading::new("What the body does"), width, BAND);
    let svg = &mut plot.svg;
    svg.rect(area, "panel");
    for segment in &analysis.segments {
        let [left, right] = ends(area, &analysis.take, segment.start_frame, segment.end_frame);
        let part = area.between(left, right);
        svg.rect(
            part,
            if segment.gait.kind == MotionKind::Idle {
                "idle"
            } else {
                "moving"
            },
        );
        svg.outline(part);
        let name = &segment.gait.to_string();
        if text::width(name, style::TEXT, false) + 8.0 <= part.width {
            svg.text(0.5 * (left + right), area.top + 15.5, Anchor::Middle, "ft", name);
        }
    }
    svg.outline(area);
    plot.y += 14.0;
}

/// Height of the bars of one foot.
const BAR: f64 = 11.0;

/// Draws the contacts of each foot as bars over time, in the inks of the feet's tracks.
fn contacts(plot: &mut Plot, analysis: &Analysis, width: f64) {
    let (take, feet) = (&analysis.take, &analysis.body.feet);
    if analysis.contacts.spans().is_empty() {
        return;
    }
    // The feet of animals with many legs share inks.
    let keys = feet.iter().zip(SERIES.into_iter().cycle()).map(|(foot, ink)| {
        let name = &take.skeleton().joint(foot.lowest_joint()).name;
        (Sign::Line(ink), name.clone())
    });
    let area = plot.area(
        &ChartHeading::new("When the feet are planted").keys(keys),
        width,
        BAR * feet.len() as f64,
    );
    plot.svg.rect(area, "panel");
    for contact in analysis.contacts.spans() {
        let [left, right] = ends(area, take, contact.start_frame, contact.end_frame);
        let top = area.top + BAR * contact.foot as f64 + 2.0;
        let bar = Area::new(left, top, right - left, BAR - 4.0);
        plot.svg.rect(bar, &SERIES[contact.foot % SERIES.len()].fill());
    }
    plot.svg.outline(area);
    plot.y += 14.0;
}

/// Draws tracks below each other, each `width` wide.
pub(super) fn draw(plot: &mut Plot, analysis: &Analysis, tracks: &[Track], chosen: Option<Chosen>, width: f64) {
    let take = &analysis.take;
    for (index, track) in tracks.iter().enumerate() {
        let is_last = index + 1 == tracks.len();
        let mut heading = ChartHeading::new(track.title);
        if track.lines.len() > 1 {
            let keys = track.lines.iter().zip(SERIES);
            heading = heading.keys(keys.map(|((name, _), ink)| (Sign::Line(ink), name.clone())));
        }
        if index == 0 {
            heading = with_ground_keys(heading, analysis, chosen);
        }
        panel(analysis, track, plot.area(&heading, width, track.height), is_last).draw(&mut plot.svg, |panel, svg| {
            ground(svg, panel, analysis, chosen);
            for ((_, values), ink) in track.lines.iter().zip(SERIES) {
                let values = values.iter().copied();
                panel.samples(svg, (0, take.frame_time_secs()), values, ink, &stroke_width(1.4));
            }
        });
        plot.y += if is_last { style::BELOW } else { 12.0 };
    }
}

fn panel(analysis: &Analysis, track: &Track, area: Area, is_last: bool) -> Chart {
    // A jump of the pose would compress all other values; it is clipped, and its mark explains it.
    let all = !analysis.usable.contains(&true);
    let mut range = Range::around(
        track
            .lines
            .iter()
            .flat_map(|(_, values)| values.iter().zip(&analysis.usable))
            .filter(|&(_, &usable)| usable || all)
            .map(|(&value, _)| value),
        track.least,
    );
    if track.kind == Kind::Size {
        range = range.down_to_zero();
    }
    let chart = Chart::new(area, (time_range(&analysis.take), "time, s"), (range, track.axis)).labelled(is_last);
    if track.kind == Kind::Degrees {
        chart.in_degrees()
    } else {
        chart
    }
}

/// Adds the legend of the shading, for the parts that exist.
fn with_ground_keys<'a>(heading: ChartHeading<'a>, analysis: &Analysis, chosen: Option<Chosen>) -> ChartHeading<'a> {
    let has = |activity| analysis.activity.kinds().contains(&activity);
    heading
        .key_if(has(ActivityKind::Moving), Sign::Patch("moving"), "moving")
        .key_if(has(ActivityKind::Idle), Sign::Patch("idle"), "idle")
        .key_if(
            !analysis.defects.bad_frames.is_empty(),
            Sign::Stroke(Ink::Vermillion),
            "bad frame",
        )
        .key_if(chosen.is_some(), Sign::Dashed(Ink::Text), "recommended loop")
}

/// Shades moving and idle spans, draws the grid, marks bad frames and the chosen stretch.
fn ground(svg: &mut Svg, panel: &Chart, analysis: &Analysis, chosen: Option<Chosen>) {
    for (activity, start_frame, end_frame) in analysis.activity.stretches() {
        let class = match activity {
            ActivityKind::Moving => "moving",
            ActivityKind::Idle => "idle",
            ActivityKind::Transition => continue,
        };
        let [from, to] = span(&analysis.take, start_frame, end_frame);
        panel.band(svg, from, to, class);
    }
    panel.grid(svg);
    let mut last = f64::NEG_INFINITY;
    for bad in &analysis.defects.bad_frames {
        let secs = bad.frame as f64 * analysis.take.frame_time_secs();
        // Marks closer than a pixel are one mark.
        if panel.across(secs) - last >= 1.0 {
            last = panel.across(secs);
            panel.upright(svg, secs, Ink::Vermillion, "stroke-width=\"1.2\"");
            panel.flag(svg, secs, Ink::Vermillion);
        }
    }
    if let Some(chosen) = chosen {
        for secs in chosen {
            panel.upright(svg, secs, Ink::Text, DASHED);
        }
    }
}

/// Returns a take in one line: frames, rate, length.
pub(super) fn facts(take: &Take) -> String {
    format!(
        "{} frames at {} per second, {:.2} s, {} joints",
        take.num_frames(),
        rate(take),
        take.duration_secs(),
        take.num_joints()
    )
}

/// Returns the frames per second without needless decimals.
fn rate(take: &Take) -> String {
    let rate = take.frame_rate_hz();
    if (rate - rate.round()).abs() < 5e-3 {
        format!("{rate:.0}")
    } else {
        format!("{rate:.2}")
    }
}
