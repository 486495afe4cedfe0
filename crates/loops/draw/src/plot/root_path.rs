//! The path of a root in space: the circle, the helix or the line that it follows, with axis and directions.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_core::{
    MadeLoop,
    math::{Rigid, Screw, ops, percentile::extremes},
};

use super::{
    kit::{
        Plot,
        axes::stroke_width,
        legend::{ChartHeading, DASHED, Sign},
        style::{self, Ink},
        svg::{Anchor, Area, Svg},
    },
    view::{View, bounds},
};

/// Height of the panel, in the units of the picture.
const HEIGHT: f64 = 260.0;

/// How far the eye looks down, and from which side of the start's heading, radians.
const DOWN: f64 = 0.5;
const ASIDE: f64 = 0.9;

/// Cycles drawn of a straight path, and fewest of any other.
const CYCLES: usize = 2;

/// Most cycles drawn: a path that turns slowly is not followed all round.
const MAX_CYCLES: usize = 60;

/// An axis farther away than this many lengths of the path is not shown.
const FAR: f64 = 4.0;

/// Points of a whole turn.
const POINTS: usize = 240;

/// A root slower than this, metres and radians per second, rests.
const RESTS: f64 = 1e-6;

/// A view from above and from the side, without perspective; lengths on the ground keep their ratios along either direction.
struct Oblique {
    view: View,
    axes: [DVec3; 2],
}

impl Oblique {
    /// Creates the view that shows all these points; `ahead` is where the root faces at the start.
    fn new(area: Area, ahead: DVec3, points: &[DVec3]) -> Self {
        let level = ahead.with_y(0.0).normalize_or(DVec3::Z);
        let (sin, cos) = ops::sin_cos(ASIDE);
        // Where the eye looks over the ground.
        let forward = level * cos + DVec3::Y.cross(level) * sin;
        let (sin, cos) = ops::sin_cos(DOWN);
        let axes = [forward.cross(DVec3::Y), forward * sin + DVec3::Y * cos];
        let [low, high] = bounds(points.iter().map(|point| axes.map(|axis| point.dot(axis))));
        let room = [0, 1].map(|axis| (high[axis] - low[axis]).max(0.1));
        Self {
            view: View::new(
                area,
                [low, high],
                (0.84 * area.width / room[0]).min(0.8 * area.height / room[1]),
            ),
            axes,
        }
    }

    fn at(&self, point: DVec3) -> (f64, f64) {
        self.view.at(self.axes.map(|axis| point.dot(axis)))
    }

    fn line(&self, svg: &mut Svg, points: &[DVec3], ink: Ink, extra: &str) {
        svg.polyline(points.iter().map(|&point| self.at(point)), ink, extra);
    }

    fn arrow(&self, svg: &mut Svg, from: DVec3, along: DVec3, ink: Ink, words: &str) {
        let (start, end) = (self.at(from), self.at(from + along));
        svg.segment(start, end, &ink.line(), "stroke-width=\"2.4\"");
        let length = ops::hypot(end.0 - start.0, end.1 - start.1);
        if length < 1.0 {
            return;
        }
        let (dx, dy) = ((end.0 - start.0) / length, (end.1 - start.1) / length);
        for side in [1.0, -1.0] {
            svg.segment(
                end,
                (end.0 - 8.0 * dx + side * 4.0 * dy, end.1 - 8.0 * dy - side * 4.0 * dx),
                &ink.line(),
                "stroke-width=\"2.4\"",
            );
        }
        svg.text(end.0 + 8.0 * dx, end.1 + 8.0 * dy + 4.0, Anchor::Middle, "ft", words);
    }
}

/// The path that the constant root motion makes, and what is drawn with it.
struct RootPath {
    start: Rigid,
    screw: Screw,
    /// Radius of its circle or helix; `None` for a straight line.
    radius: Option<f64>,
    /// The full circle, unless that is too wide to show a cycle.
    whole: Vec<DVec3>,
    /// The root of the loop, key by key.
    followed: Vec<DVec3>,
    /// A point on the axis, where it is near enough to be shown.
    centre: Option<DVec3>,
    /// Its extent from the start, at least a quarter of a metre.
    extent: f64,
    samples_per_cycle: usize,
}

impl RootPath {
    /// Creates the path of a loop; none where the root rests.
    fn new(made: &MadeLoop) -> Option<Self> {
        let clip = &made.loop_clip;
        let root = clip.root();
        let twist = root.twist;
        if twist.linear.length() < RESTS && twist.angular.length() < RESTS {
            return None;
        }
        let screw = Screw::from(twist);
        let radius = twist.radius();
        let period = clip.period_secs();
        let curve = |cycles: usize| -> Vec<DVec3> {
            let count = (cycles * POINTS / 4).max(POINTS);
            let secs = cycles as f64 * period / count as f64;
            (0..=count).map(|i| root.at(i as f64 * secs).translation).collect()
        };
        let of_cycles = curve(CYCLES);
        let length: f64 = of_cycles.windows(2).map(|pair| pair[1].distance(pair[0])).sum();
        let near = radius.filter(|&radius| radius < FAR * length.max(0.25));
        let whole = near.map_or(of_cycles, |_| {
            curve(((TAU / (screw.rate * period)).ceil() as usize).clamp(CYCLES, MAX_CYCLES))
        });
        Some(Self {
            start: root.start,
            radius,
            followed: (0..=CYCLES * clip.num_samples())
                .map(|key| clip.root_pose(key).translation)
                .collect(),
            centre: near.map(|radius| root.start.transform_point(-screw.basis_x * radius)),
            extent: whole.iter().map(|point| point.distance(whole[0])).fold(0.25, f64::max),
            screw,
            whole,
            samples_per_cycle: clip.num_samples(),
        })
    }

    /// Returns the length of the arrows of directions, metres.
    fn arrow(&self) -> f64 {
        0.25 * self.extent
    }

    /// Returns its name in geometry, with its measures.
    fn kind(&self) -> String {
        match (self.radius, self.screw.climb.abs() > RESTS) {
            (Some(radius), _) if radius < 1e-3 => "turns in place".to_owned(),
            (Some(radius), false) => format!("circle, radius {radius:.2} m"),
            (Some(radius), true) => format!(
                "helix, radius {radius:.2} m, {:+.2} m a turn",
                self.screw.climb * TAU / self.screw.rate
            ),
            (None, _) => "straight line".to_owned(),
        }
    }

    fn heading(&self) -> ChartHeading<'static> {
        ChartHeading::new("Path of the root")
            .key(Sign::Line(Ink::Green), self.kind())
            .key(Sign::Dashed(Ink::Vermillion), format!("root, {CYCLES} cycles"))
            .key_if(self.centre.is_some(), Sign::Line(Ink::Purple), "axis")
            .key(Sign::Line(Ink::Blue), "directions at the start")
    }

    /// The axis as far as the path climbs along it, and an arrow's length more at both ends.
    fn axis_ends(&self) -> Option<[DVec3; 2]> {
        let axis = self.start.rotation * self.screw.axis;
        let centre = self.centre?;
        let (low, high) = extremes(self.whole.iter().map(|point| (*point - centre).dot(axis)).chain([0.0]));
        Some([
            centre + axis * (low - self.arrow()),
            centre + axis * (high + self.arrow()),
        ])
    }

    fn draw(&self, svg: &mut Svg, area: Area) {
        let mut shown = self.whole.clone();
        shown.extend(&self.followed);
        shown.extend(
            [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X]
                .map(|axis| self.start.transform_point(axis * 1.2 * self.arrow())),
        );
        let ends = self.axis_ends();
        shown.extend(ends.into_iter().flatten());
        let view = Oblique::new(area, self.start.rotation * DVec3::Z, &shown);
        svg.panel(area, |svg| {
            // The ground below a path that climbs shows how high it is.
            let ground = self.whole[0].y;
            let climbs = self
                .whole
                .iter()
                .any(|point| (point.y - ground).abs() > 0.01 * self.extent);
            if climbs {
                let below: Vec<_> = self.whole.iter().map(|point| point.with_y(ground)).collect();
                view.line(svg, &below, Ink::Faint, &stroke_width(1.4));
            }
            if let (Some(centre), Some(ends)) = (self.centre, ends) {
                view.line(svg, &ends, Ink::Purple, &stroke_width(1.8));
                view.line(svg, &[centre, self.start.translation], Ink::Faint, &stroke_width(1.4));
                svg.circle(view.at(centre), 3.5, "fp", "");
            }
            view.line(svg, &self.whole, Ink::Green, &stroke_width(2.4));
            view.line(svg, &self.followed, Ink::Vermillion, DASHED);
            for &place in self.followed.iter().step_by(self.samples_per_cycle) {
                svg.circle(view.at(place), 3.5, "chip lv", "stroke-width=\"2\"");
            }
            self.draw_directions(svg, &view);
        });
    }

    /// The unit vectors of the path where the root starts: away from the axis, along the path across it, and the axis; of a straight
    /// path the direction alone.
    fn draw_directions(&self, svg: &mut Svg, view: &Oblique) {
        let screw = &self.screw;
        let arrows: &[(DVec3, &str)] = match self.radius {
            Some(_) => &[(screw.basis_x, "x"), (screw.basis_y, "y"), (screw.axis, "axis")],
            None => &[(
                (screw.basis_y * screw.speed + screw.axis * screw.climb).normalize_or_zero(),
                "direction",
            )],
        };
        for &(direction, words) in arrows {
            view.arrow(
                svg,
                self.start.translation,
                self.start.rotation * direction * self.arrow(),
                Ink::Blue,
                words,
            );
        }
    }
}

/// Draws the panel; nothing for a root that rests.
pub(super) fn panel(plot: &mut Plot, made: &MadeLoop) {
    if let Some(path) = RootPath::new(made) {
        let area = path
            .heading()
            .over(&mut plot.svg, style::MARGIN, plot.y, style::FULL, HEIGHT);
        path.draw(&mut plot.svg, area);
        plot.y = area.bottom();
    }
}
