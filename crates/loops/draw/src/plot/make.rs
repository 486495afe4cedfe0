//! The effect of closing on a loop: its path from above, the offsets, the most changed joints, the path of its root in space, and
//! its feet over the ground.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use loopwright_core::math::{Rigid, Twist, rotation};
use loopwright_core::{Analysis, Cut, MadeLoop, RootMode, Take, closure::Order};

use super::kit::axes::{self, Chart, ChartAxis, Range, nice_step, stroke_width};
use super::kit::legend::{ChartHeading, DASHED, Key, Sign};
use super::kit::style::{self, Ink, SERIES};
use super::kit::svg::{Anchor, Area, Svg, number};
use super::kit::text;
use super::{feet, root_path};

/// A loop as SVG: the path from above with the root's twist, offsets over time, the joints with the largest offsets before and
/// after, and the speed of the feet over the ground.
///
/// `made` must be made from the take of `analysis`.
pub fn make(analysis: &Analysis, made: &MadeLoop) -> String {
    let (take, cut, mode) = (&analysis.take, &made.candidate.cut, made.root.mode);
    let mut svg = Svg::default();
    let title = format!("{}: the take and the loop made from it", take.name());
    let top = axes::title(&mut svg, &title, &summary(cut, made));

    let side = 400.0;
    let map_bottom = path_from_above(&mut svg, take, analysis, cut, made, mode, style::MARGIN, top, side);
    let left = style::MARGIN + side + 14.0 + style::LEFT;
    let width = style::WIDTH - style::MARGIN - style::RIGHT - left;
    offsets(&mut svg, made, left, width, top, map_bottom);

    let bottom = curves(&mut svg, made, map_bottom + 22.0);
    let bottom = root_path::panel(&mut svg, made, bottom + 8.0);
    let bottom = feet::panels(&mut svg, analysis, made, bottom + 22.0);
    svg.finish(&title, bottom + style::MARGIN - 6.0)
}

fn summary(cut: &Cut, made: &MadeLoop) -> String {
    let clip = &made.loop_clip;
    let twist = clip.root().twist;
    let ground = DVec3::new(twist.linear.x, 0.0, twist.linear.z).length();
    let method = &made.closed.method;
    let [name, _] = method.names();
    let met = match method.order {
        Order::C0 => "pose alone",
        Order::C1 => "pose and velocity",
        Order::C2 => "pose, velocity and acceleration",
    };
    let closed = if made.candidate.pairing.is_ping_pong() {
        "there and back".to_owned()
    } else {
        format!("{name}, meets in {met}")
    };
    format!(
        "frames {} to {}, period {:.3} s, {} samples; {closed}; {:.2} m/s, {}{:.1} deg/s",
        number(cut.start_frame()),
        number(cut.end_frame()),
        clip.period_secs(),
        clip.num_samples(),
        ground,
        if twist.angular.y < -1e-9 { "\u{2212}" } else { "+" },
        twist.angular.y.to_degrees().abs()
    )
}

/// Cycles shown from above: two show whether the path continues, and more make the sway too small to see.
const CYCLES: usize = 2;

/// A take that extends further than this many times the loop's own extent is clipped.
const MAX_TAKE_EXTENT: f64 = 1.5;

/// Points on the ground, seen from above with +Z up and +X to the left, as seen when facing +Z.
struct Ground {
    area: Area,
    middle: DVec3,
    pixels_per_metre: f64,
}

impl Ground {
    fn around(area: Area, points: &[DVec3], extra: &[DVec3]) -> Self {
        let bounds = |points: &mut dyn Iterator<Item = &DVec3>| {
            points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
                (low.min(*p), high.max(*p))
            })
        };
        let extent = |(low, high): (DVec3, DVec3)| (high.x - low.x).max(high.z - low.z).max(0.1);
        let own = bounds(&mut points.iter());
        let all = bounds(&mut points.iter().chain(extra));
        let (low, high) = if extent(all) <= MAX_TAKE_EXTENT * extent(own) {
            all
        } else {
            own
        };
        let room = 1.15 * extent((low, high));
        Self {
            area,
            middle: 0.5 * (low + high),
            pixels_per_metre: area.width.min(area.height) / room,
        }
    }

    fn at(&self, p: DVec3) -> (f64, f64) {
        (
            self.area.left + 0.5 * self.area.width - (p.x - self.middle.x) * self.pixels_per_metre,
            self.area.top + 0.5 * self.area.height - (p.z - self.middle.z) * self.pixels_per_metre,
        )
    }

    fn line(&self, svg: &mut Svg, points: &[DVec3], ink: Ink, extra: &str) {
        // Points that move by less than half a pixel add nothing.
        let mut shown: Vec<(f64, f64)> = Vec::new();
        for (index, &point) in points.iter().enumerate() {
            let at = self.at(point);
            let is_new = shown
                .last()
                .is_none_or(|last| (last.0 - at.0).abs() + (last.1 - at.1).abs() >= 0.5);
            if is_new || index + 1 == points.len() {
                shown.push(at);
            }
        }
        svg.polyline(shown, ink, extra);
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "values of three stages and the position of the panel"
)]
fn path_from_above(
    svg: &mut Svg,
    take: &Take,
    analysis: &Analysis,
    cut: &Cut,
    made: &MadeLoop,
    mode: RootMode,
    left: f64,
    top: f64,
    side: f64,
) -> f64 {
    let root_moves = mode.moves_root();
    let clip = &if root_moves {
        made.loop_clip.clone()
    } else {
        made.loop_clip.in_place()
    };
    let (hips, root) = (analysis.body.hips, clip.root());
    let whole: Vec<DVec3> = (0..take.num_frames())
        .map(|frame| analysis.world.position(frame, hips))
        .collect();
    let keys = 0..=CYCLES * clip.num_samples();
    // A loop that was brought to the origin is drawn where the take stood.
    let take_from_loop = made.recentered_by.map_or(Rigid::IDENTITY, Rigid::inverse);
    let played: Vec<DVec3> = keys
        .clone()
        .map(|key| take_from_loop.transform_point(clip.world_pose(key).translations[hips]))
        .collect();
    let root_path: Vec<DVec3> = keys
        .map(|key| take_from_loop.transform_point(clip.root_pose(key).translation))
        .collect();
    let (first, last) = (cut.start_frame().floor() as usize, cut.end_frame().ceil() as usize);
    let source = &whole[first..=last.min(whole.len() - 1)];

    let radius = root.twist.radius();
    let mut legend = vec![
        Key::new(Sign::Line(Ink::Faint), "take"),
        Key::new(Sign::Line(Ink::Grey), "cut"),
        Key::new(Sign::Line(Ink::Blue), format!("loop, {CYCLES} cycles")),
    ];
    if root_moves {
        legend.push(Key::new(Sign::Dashed(Ink::Vermillion), "root, a ring each cycle"));
        legend.push(Key::new(
            Sign::Line(Ink::Green),
            match radius {
                Some(radius) => format!("constant motion, radius {radius:.2} m"),
                None => "constant motion, straight".to_owned(),
            },
        ));
    }
    let area = ChartHeading::new("From above: hips and root", legend).over(svg, left, top, side, side);
    let mut near: Vec<DVec3> = played.clone();
    near.extend(&root_path);
    near.extend(source);
    let ground = Ground::around(area, &near, &whole);
    svg.rect(area, "panel");
    svg.clipped(area, |svg| {
        ground.line(svg, &whole, Ink::Faint, &stroke_width(1.4));
        if root_moves {
            twist_line(svg, &ground, take_from_loop * root.start, root.twist);
        }
        ground.line(svg, source, Ink::Grey, &stroke_width(3.5));
        ground.line(svg, &played, Ink::Blue, &stroke_width(1.8));
        if root_moves {
            ground.line(svg, &root_path, Ink::Vermillion, DASHED);
            for cycle in 0..=CYCLES {
                let (x, y) = ground.at(root_path[cycle * clip.num_samples()]);
                svg.circle(x, y, 3.5, "chip lv", "stroke-width=\"2\"");
            }
        }
    });
    svg.outline(area);
    scale_bar(svg, &ground);
    area.bottom()
}

/// The circle, or the line, of the endless twist.
fn twist_line(svg: &mut Svg, ground: &Ground, start: Rigid, twist: Twist) {
    let thin = stroke_width(1.2);
    if let Some(radius) = twist.radius() {
        let centre = twist.angular.cross(twist.linear) / twist.angular.length_squared();
        let (x, y) = ground.at(start.transform_point(centre));
        let pixels = radius * ground.pixels_per_metre;
        // Larger circles exceed the precision of rasterisers.
        if pixels < 20_000.0 {
            svg.circle(x, y, pixels, "lg", &format!("fill=\"none\" {thin}"));
            return;
        }
    }
    let along = start.rotation * DVec3::new(twist.linear.x, 0.0, twist.linear.z).normalize_or_zero();
    let reach = along * (2.0 * ground.area.width / ground.pixels_per_metre);
    let start = start.translation;
    ground.line(svg, &[start - reach, start + reach], Ink::Green, &thin);
}

fn scale_bar(svg: &mut Svg, ground: &Ground) {
    let area = ground.area;
    let (metres, decimals) = nice_step(50.0 / ground.pixels_per_metre);
    let pixels = metres * ground.pixels_per_metre;
    let words = format!("{metres:.decimals$} m");
    let (x, y) = (area.left + 12.0, area.bottom() - 14.0);
    let width = pixels.max(text::width(&words, style::TEXT, false)) + 16.0;
    svg.rect(Area::new(x - 8.0, y - 22.0, width, 30.0), "panel");
    svg.segment((x, y), (x + pixels, y), "lt", "stroke-width=\"2\"");
    for end in [x, x + pixels] {
        svg.segment((end, y - 3.0), (end, y + 3.0), "lt", "stroke-width=\"2\"");
    }
    svg.text(x, y - 8.0, Anchor::Start, "ft", &words);
}

/// Number of joints shown.
const JOINTS: usize = 4;

/// Offsets below this are rounding: radians and metres.
const NOTHING: f64 = 1e-9;

/// Joints by the largest length of their offsets over the loop, largest first; unchanged joints are omitted.
fn most_offset(offsets: &[DVec3], num_joints: usize) -> Vec<usize> {
    let mut largest = vec![0.0_f64; num_joints];
    for (index, offset) in offsets.iter().enumerate() {
        let joint = index % num_joints;
        largest[joint] = largest[joint].max(offset.length());
    }
    let mut joints: Vec<usize> = (0..num_joints).filter(|&joint| largest[joint] > NOTHING).collect();
    joints.sort_by(|&left, &right| largest[right].total_cmp(&largest[left]).then(left.cmp(&right)));
    joints.truncate(JOINTS);
    joints
}

fn offsets(svg: &mut Svg, made: &MadeLoop, left: f64, width: f64, top: f64, bottom: f64) {
    let joints = made.loop_clip.skeleton().num_joints();
    let closed = &made.closed;
    let rotations: Vec<DVec3> = closed.rotation_offsets.iter().map(|o| *o * (180.0 / PI)).collect();
    let translations: Vec<DVec3> = closed.translation_offsets.iter().map(|o| *o * 1e3).collect();
    let panels = [
        ("Rotation offsets, largest joints", "angle, deg", rotations, 0.2, false),
        ("Translation offsets", "length, mm", translations, 1.0, true),
    ];
    let headings = panels.each_ref().map(|(title, _, offsets, _, _)| {
        ChartHeading::new(
            title,
            most_offset(offsets, joints)
                .into_iter()
                .zip(SERIES)
                .map(|(joint, ink)| Key::new(Sign::Line(ink), made.loop_clip.skeleton().joint(joint).name.clone()))
                .collect(),
        )
    });
    let above: f64 = headings.iter().map(|heading| heading.height(width)).sum();
    // The time axis of the lower panel is below the map.
    let height = 0.5 * (bottom - top - above - 14.0 - style::BELOW + 4.0);
    let mut y = top;
    for ((_, name, offsets, least, is_last), heading) in panels.iter().zip(&headings) {
        let area = heading.over(svg, left, y, width, height);
        offset_panel(made, offsets, name, *least, *is_last, area).draw(svg, |panel, svg| {
            panel.grid(svg);
            blend_ends(svg, panel, made);
            let shown = most_offset(offsets, joints);
            if shown.is_empty() {
                let (x, y) = (area.left + 0.5 * area.width, area.top + 0.5 * area.height);
                svg.text(x, y, Anchor::Middle, "soft", "nothing to close");
            }
            for (joint, ink) in shown.into_iter().zip(SERIES) {
                let points: Vec<(f64, f64)> = (0..offsets.len() / joints)
                    .map(|sample| {
                        (
                            sample as f64 * made.loop_clip.step_secs(),
                            offsets[sample * joints + joint].length(),
                        )
                    })
                    .collect();
                panel.line(svg, &points, ink, "");
            }
        });
        y = area.bottom() + 14.0;
    }
}

fn offset_panel(made: &MadeLoop, offsets: &[DVec3], name: &str, least: f64, is_last: bool, area: Area) -> Chart {
    let range = Range::around(offsets.iter().map(|offset| offset.length()), least).down_to_zero();
    let x = ChartAxis::across(
        Range::new(0.0, made.loop_clip.period_secs()),
        "time in the loop, s",
        area.width,
    );
    Chart {
        area,
        x: if is_last { x } else { x.unlabelled() },
        y: ChartAxis::up(range, name, area.height),
    }
}

fn blend_ends(svg: &mut Svg, panel: &Chart, made: &MadeLoop) {
    let period = made.loop_clip.period_secs();
    let method = &made.closed.method;
    for (shape, from, direction) in [(method.start, 0.0, 1.0), (method.end, period, -1.0)] {
        // The others last as long as the loop.
        if shape.kind().descriptor().ends && shape.secs() < period {
            panel.upright(
                svg,
                from + direction * shape.secs(),
                Ink::Grey,
                "stroke-dasharray=\"2 3\"",
            );
        }
    }
}

/// Height of a panel of a joint's curves.
const CURVE_HEIGHT: f64 = 130.0;

fn curves(svg: &mut Svg, made: &MadeLoop, top: f64) -> f64 {
    let joints = made.loop_clip.skeleton().num_joints();
    let mut shown = most_offset(&made.closed.rotation_offsets, joints);
    if shown.is_empty() {
        // A loop that was already closed: its most active joints are shown instead of an empty picture.
        shown = (0..joints.min(JOINTS)).collect();
    }
    let full = style::WIDTH - 2.0 * style::MARGIN;
    let heading = ChartHeading::new(
        "Most offset joints over two periods, seam in the middle",
        vec![
            Key::new(Sign::Line(Ink::Grey), "cut"),
            Key::new(Sign::Line(SERIES[0]), "loop x"),
            Key::new(Sign::Line(SERIES[1]), "loop y"),
            Key::new(Sign::Line(SERIES[2]), "loop z"),
        ],
    );
    heading.draw(svg, style::MARGIN, top, full);
    let mut y = top + heading.height(full);
    let column = 0.5 * full;
    let rows = shown.chunks(2).count();
    for (row, pair) in shown.chunks(2).enumerate() {
        for (side, &joint) in pair.iter().enumerate() {
            let left = style::MARGIN + style::LEFT + side as f64 * column;
            let width = column - style::LEFT - style::RIGHT;
            let name = &made.loop_clip.skeleton().joint(joint).name;
            let heading = ChartHeading::new(name, Vec::new());
            heading.draw(svg, left, y, width);
            let top = y + heading.height(width);
            let area = Area::new(left, top, width, CURVE_HEIGHT);
            curve(svg, made, joint, area, row + 1 == rows);
        }
        y += 24.0 + CURVE_HEIGHT + if row + 1 == rows { style::BELOW } else { 10.0 };
    }
    y
}

fn curve(svg: &mut Svg, made: &MadeLoop, joint: usize, area: Area, is_last: bool) {
    let clip = &made.loop_clip;
    let count = clip.num_samples();
    let reference = clip.body_pose(0).rotations[joint];
    let time = |key: usize| key as f64 * clip.step_secs();
    let after = components(
        (0..=2 * count).map(|key| clip.body_pose(key).rotations[joint]),
        reference,
    );
    let before = components(
        (0..=count).map(|sample| made.source.clip.rotations(sample as isize)[joint]),
        reference,
    );
    let values = after.iter().chain(&before).flat_map(DVec3::to_array);
    let x = ChartAxis::across(Range::new(0.0, time(2 * count)), "time, s", area.width);
    let panel = Chart {
        area,
        x: if is_last { x } else { x.unlabelled() },
        y: ChartAxis::up_degrees(Range::around(values, 2.0), "angle, deg", area.height),
    };
    panel.draw(svg, |panel, svg| {
        panel.grid(svg);
        panel.upright(svg, time(count), Ink::Text, "stroke-dasharray=\"4 3\"");
        for axis in 0..3 {
            for cycle in 0..2 {
                let points = before.iter().enumerate();
                let points: Vec<(f64, f64)> = points.map(|(at, v)| (time(at + cycle * count), v[axis])).collect();
                panel.line(svg, &points, Ink::Grey, &stroke_width(2.2));
            }
        }
        for axis in 0..3 {
            let points: Vec<(f64, f64)> = after.iter().enumerate().map(|(at, v)| (time(at), v[axis])).collect();
            panel.line(svg, &points, SERIES[axis], &stroke_width(1.4));
        }
    });
}

/// Rotation vectors away from a reference in degrees, continuous along the track: full turns add up.
fn components(track: impl Iterator<Item = DQuat>, reference: DQuat) -> Vec<DVec3> {
    let mut vectors: Vec<DVec3> = Vec::new();
    for turn in track {
        let short = rotation::difference(turn, reference);
        let angle = short.length();
        let mut vector = short;
        if let Some(&before) = vectors.last() {
            // The same rotation in the opposite direction.
            let long = if angle > 0.0 {
                short * (1.0 - TAU / angle)
            } else {
                short
            };
            if (long - before).length() < (short - before).length() {
                vector = long;
            }
        }
        vectors.push(vector);
    }
    vectors.into_iter().map(|vector| vector * (180.0 / PI)).collect()
}
