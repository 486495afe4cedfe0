//! The effect of closing on a loop: its path from above, the offsets, the most changed joints, the path of its root in space, and
//! its feet over the ground.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopClip, MadeLoop,
    closure::Order,
    math::{Rigid, Twist, rotation},
};

use super::{
    feet,
    kit::{
        Plot,
        axes::{Chart, Range, nice_step, stroke_width},
        legend::{ChartHeading, DASHED, Sign},
        style::{self, Ink, SERIES},
        svg::{Anchor, Area, Svg, number},
        text,
    },
    root_path,
    view::{View, bounds, from_above, without_small_steps},
};

/// Returns a loop as SVG: the path from above with the root's twist, offsets over time, the joints with the largest offsets
/// before and after, and the speed of the feet over the ground.
///
/// `made` must be made from the take of `analysis`.
pub fn make(analysis: &Analysis, made: &MadeLoop) -> String {
    let mut plot = Plot::new(
        format!("{}: the take and the loop made from it", analysis.take.name()),
        &summary(made),
    );
    let top = plot.y;
    path_from_above(&mut plot, analysis, made);
    offsets(&mut plot, made, top);
    plot.y += 22.0;
    curves(&mut plot, made);
    plot.y += 8.0;
    root_path::panel(&mut plot, made);
    plot.y += 22.0;
    feet::panels(&mut plot, analysis, made);
    plot.finish()
}

fn summary(made: &MadeLoop) -> String {
    let (cut, clip) = (&made.candidate.cut, &made.loop_clip);
    let twist = clip.root().twist;
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
        twist.linear.with_y(0.0).length(),
        if twist.angular.y < -1e-9 { "\u{2212}" } else { "+" },
        twist.angular.y.to_degrees().abs()
    )
}

/// Cycles shown from above: two show whether the path continues, and more make the sway too small to see.
const CYCLES: usize = 2;

/// A take that extends further than this many times the loop's own extent is clipped.
const MAX_TAKE_EXTENT: f64 = 1.5;

/// Side of the panel.
const SIDE: f64 = 400.0;

impl View {
    /// Creates the view from above of points, and of more where these extend little further.
    fn around(area: Area, points: &[DVec3], more: &[DVec3]) -> Self {
        let own = bounds(points.iter().copied().map(from_above));
        let all = bounds(points.iter().chain(more).copied().map(from_above));
        let [own_extent, extent] = [own, all].map(|[low, high]| (high[0] - low[0]).max(high[1] - low[1]).max(0.1));
        let (shown, extent) = if extent <= MAX_TAKE_EXTENT * own_extent {
            (all, extent)
        } else {
            (own, own_extent)
        };
        Self::new(area, shown, area.width.min(area.height) / (1.15 * extent))
    }

    fn line(&self, svg: &mut Svg, points: &[DVec3], ink: Ink, extra: &str) {
        // Points that move by less than half a pixel add nothing.
        svg.polyline(
            without_small_steps(points.iter().map(|&point| self.at(from_above(point))), 0.5),
            ink,
            extra,
        );
    }
}

/// Draws the paths of hips and root from above at the left.
fn path_from_above(plot: &mut Plot, analysis: &Analysis, made: &MadeLoop) {
    let root_moves = made.root.mode.moves_root();
    let clip = &if root_moves {
        made.loop_clip.clone()
    } else {
        made.loop_clip.in_place()
    };
    let (hips, root) = (analysis.body.hips, clip.root());
    let whole: Vec<DVec3> = (0..analysis.take.num_frames())
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
    let cut = &made.candidate.cut;
    let (first, last) = (cut.start_frame().floor() as usize, cut.end_frame().ceil() as usize);
    let source = &whole[first..=last.min(whole.len() - 1)];

    let svg = &mut plot.svg;
    let area = heading_from_above(clip, root_moves).over(svg, style::MARGIN, plot.y, SIDE, SIDE);
    let view = View::around(area, &[&played, &root_path, source].concat(), &whole);
    svg.panel(area, |svg| {
        view.line(svg, &whole, Ink::Faint, &stroke_width(1.4));
        if root_moves {
            twist_line(svg, &view, take_from_loop * root.start, root.twist);
        }
        view.line(svg, source, Ink::Grey, &stroke_width(3.5));
        view.line(svg, &played, Ink::Blue, &stroke_width(1.8));
        if root_moves {
            view.line(svg, &root_path, Ink::Vermillion, DASHED);
            for place in root_path.iter().step_by(clip.num_samples()) {
                svg.circle(view.at(from_above(*place)), 3.5, "chip lv", "stroke-width=\"2\"");
            }
        }
    });
    scale_bar(svg, &view);
    plot.y = area.bottom();
}

fn heading_from_above(clip: &LoopClip, root_moves: bool) -> ChartHeading<'static> {
    let motion = match clip.root().twist.radius() {
        Some(radius) => format!("constant motion, radius {radius:.2} m"),
        None => "constant motion, straight".to_owned(),
    };
    ChartHeading::new("From above: hips and root")
        .key(Sign::Line(Ink::Faint), "take")
        .key(Sign::Line(Ink::Grey), "cut")
        .key(Sign::Line(Ink::Blue), format!("loop, {CYCLES} cycles"))
        .key_if(root_moves, Sign::Dashed(Ink::Vermillion), "root, a ring each cycle")
        .key_if(root_moves, Sign::Line(Ink::Green), &motion)
}

/// Draws the circle, or the line, of the endless twist.
fn twist_line(svg: &mut Svg, view: &View, start: Rigid, twist: Twist) {
    let thin = stroke_width(1.2);
    if let Some(radius) = twist.radius() {
        let pixels = radius * view.pixels_per_metre;
        // Larger circles exceed the precision of rasterisers.
        if pixels < 20_000.0 {
            let centre = start.transform_point(twist.angular.cross(twist.linear) / twist.angular.length_squared());
            svg.circle(
                view.at(from_above(centre)),
                pixels,
                "lg",
                &format!("fill=\"none\" {thin}"),
            );
            return;
        }
    }
    let reach =
        start.rotation * twist.linear.with_y(0.0).normalize_or_zero() * (2.0 * view.area.width / view.pixels_per_metre);
    let start = start.translation;
    view.line(svg, &[start - reach, start + reach], Ink::Green, &thin);
}

fn scale_bar(svg: &mut Svg, view: &View) {
    let (metres, decimals) = nice_step(50.0 / view.pixels_per_metre);
    let pixels = metres * view.pixels_per_metre;
    let words = format!("{metres:.decimals$} m");
    let (x, y) = (view.area.left + 12.0, view.area.bottom() - 14.0);
    let width = pixels.max(text::width(&words, style::TEXT, false));
    svg.rect(Area::new(x - 8.0, y - 22.0, width + 16.0, 30.0), "panel");
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

/// Returns the joints by the largest length of their offsets over the loop, largest first; unchanged joints are omitted.
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

/// Draws the lengths of the largest offsets over the loop beside the path, which begins at `top`.
fn offsets(plot: &mut Plot, made: &MadeLoop, top: f64) {
    let left = style::MARGIN + SIDE + 14.0 + style::LEFT;
    let width = style::WIDTH - style::MARGIN - style::RIGHT - left;
    let (clip, closed) = (&made.loop_clip, &made.closed);
    let (skeleton, joints) = (clip.skeleton(), clip.skeleton().num_joints());
    let rotations: Vec<DVec3> = closed.rotation_offsets.iter().map(|o| *o * (180.0 / PI)).collect();
    let translations: Vec<DVec3> = closed.translation_offsets.iter().map(|o| *o * 1e3).collect();
    let panels = [
        ("Rotation offsets, largest joints", "angle, deg", rotations, 0.2, false),
        ("Translation offsets", "length, mm", translations, 1.0, true),
    ]
    .map(|(title, name, offsets, least, is_last)| {
        let shown: Vec<(usize, Ink)> = most_offset(&offsets, joints).into_iter().zip(SERIES).collect();
        let keys = shown
            .iter()
            .map(|&(joint, ink)| (Sign::Line(ink), skeleton.joint(joint).name.clone()));
        (
            ChartHeading::new(title).keys(keys),
            shown,
            name,
            offsets,
            least,
            is_last,
        )
    });
    let above: f64 = panels.iter().map(|(heading, ..)| heading.height(width)).sum();
    // The time axis of the lower panel is below the map.
    let height = 0.5 * (plot.y - top - above - 14.0 - style::BELOW + 4.0);
    let mut y = top;
    for (heading, shown, name, offsets, least, is_last) in &panels {
        let area = heading.over(&mut plot.svg, left, y, width, height);
        let range = Range::around(offsets.iter().map(|offset| offset.length()), *least).down_to_zero();
        let panel = Chart::new(
            area,
            (Range::new(0.0, clip.period_secs()), "time in the loop, s"),
            (range, *name),
        )
        .labelled(*is_last);
        panel.draw(&mut plot.svg, |panel, svg| {
            panel.grid(svg);
            blend_ends(svg, panel, made);
            if shown.is_empty() {
                let (x, y) = area.middle();
                svg.text(x, y, Anchor::Middle, "soft", "nothing to close");
            }
            for &(joint, ink) in shown {
                let sizes = offsets.chunks(joints).map(|offsets| offsets[joint].length());
                panel.samples(svg, (0, clip.step_secs()), sizes, ink, "");
            }
        });
        y = area.bottom() + 14.0;
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

/// Draws the rotations of the most offset joints over two periods.
fn curves(plot: &mut Plot, made: &MadeLoop) {
    let skeleton = made.loop_clip.skeleton();
    let mut shown = most_offset(&made.closed.rotation_offsets, skeleton.num_joints());
    if shown.is_empty() {
        // A loop that was already closed: its most active joints are shown instead of an empty picture.
        shown = (0..skeleton.num_joints().min(JOINTS)).collect();
    }
    let names: Vec<&str> = shown.iter().map(|&joint| &*skeleton.joint(joint).name).collect();
    let axes = SERIES.into_iter().zip(["x", "y", "z"]);
    plot.pairs(
        &ChartHeading::new("Most offset joints over two periods, seam in the middle")
            .key(Sign::Line(Ink::Grey), "cut")
            .keys(axes.map(|(ink, axis)| (Sign::Line(ink), format!("loop {axis}")))),
        CURVE_HEIGHT,
        &names,
        |svg, index, area, is_lowest| {
            curve(svg, made, shown[index], area, is_lowest);
        },
    );
}

fn curve(svg: &mut Svg, made: &MadeLoop, joint: usize, area: Area, is_lowest: bool) {
    let clip = &made.loop_clip;
    let count = clip.num_samples();
    let reference = clip.body_pose(0).rotations[joint];
    let after = components(
        (0..=2 * count).map(|key| clip.body_pose(key).rotations[joint]),
        reference,
    );
    let before = components(
        (0..=count).map(|sample| made.source.clip.rotations(sample as isize)[joint]),
        reference,
    );
    let values = after.iter().chain(&before).flat_map(DVec3::to_array);
    let panel = feet::over_two_periods(made, area, (Range::around(values, 2.0), "angle, deg"), is_lowest).in_degrees();
    panel.draw(svg, |panel, svg| {
        panel.grid(svg);
        panel.upright(svg, clip.period_secs(), Ink::Text, feet::SEAM);
        let mut line = |values: &[DVec3], first: usize, axis: usize, ink, width| {
            let values = values.iter().map(|value| value[axis]);
            panel.samples(svg, (first, clip.step_secs()), values, ink, &stroke_width(width));
        };
        for axis in 0..3 {
            line(&before, 0, axis, Ink::Grey, 2.2);
            line(&before, count, axis, Ink::Grey, 2.2);
        }
        for axis in 0..3 {
            line(&after, 0, axis, SERIES[axis], 1.4);
        }
    });
}

/// Returns the rotation vectors away from a reference in degrees, continuous along the track: full turns add up.
fn components(track: impl Iterator<Item = DQuat>, reference: DQuat) -> Vec<DVec3> {
    let mut vectors: Vec<DVec3> = Vec::new();
    for turn in track {
        let short = rotation::difference(turn, reference);
        let angle = short.length();
        let mut vector = short;
        if let Some(&before) = vectors.last() {
            // The rotation in the opposite direction.
            let long = if angle > 0.0 {
                short * (1.0 - TAU / angle)
            } else {
                short
            };
            if long.distance(before) < short.distance(before) {
                vector = long;
            }
        }
        vectors.push(vector);
    }
    vectors.into_iter().map(|vector| vector * (180.0 / PI)).collect()
}
