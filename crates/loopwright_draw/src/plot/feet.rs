//! How fast the feet of a loop go over the ground, as captured and as they are held.

use core::ops::Range as Keys;

use glam::DVec3;
use loopwright::{
    analysis::Analysis,
    pipeline::Made,
    root_motion::{RootMode, RootTravel},
    take::WorldTracks,
};

use super::{
    axes::{self, Axis, Heading, Key, Panel, Range, Sign, stroke_width},
    style::{self, Ink},
    svg::{Area, Svg},
};

/// Fastest that is shown, centimetres per second: what swings leaves the picture, so that what slides is seen.
const FASTEST: f64 = 60.0;

/// Height of a panel of one foot.
const HEIGHT: f64 = 110.0;

/// Speeds of the feet of a loop over the ground, as captured and as they are held, as SVG.
///
/// `made` must be of the take of `analysis`. Where no foot stands there is nothing but the title.
pub fn feet(analysis: &Analysis, made: &Made) -> String {
    let mut svg = Svg::new();
    let title = format!("{}: feet over the ground", made.loop_clip.name());
    let below = match made.feet.skate_mps {
        [Some(before), Some(after)] => {
            format!(
                "standing feet slide by {:.2} cm/s closed, {:.2} cm/s held",
                100.0 * before,
                100.0 * after
            )
        }
        _ => "no foot stands".to_owned(),
    };
    let top = axes::title(&mut svg, &title, &below);
    let bottom = panels(&mut svg, analysis, made, top);
    svg.finish(&title, bottom + style::MARGIN - 6.0)
}

/// Draws a panel for each foot that stands, over two periods; gives the height below them.
pub(super) fn panels(svg: &mut Svg, analysis: &Analysis, made: &Made, top: f64) -> f64 {
    let standing: Vec<usize> = (0..analysis.body.feet.len())
        .filter(|&foot| made.feet.contacts.iter().any(|contact| contact.foot == foot))
        .collect();
    if standing.is_empty() {
        return top;
    }
    let full = style::WIDTH - 2.0 * style::MARGIN;
    let heading = Heading {
        title: "Feet over the ground, two periods, seam in the middle",
        keys: vec![
            Key::new(Sign::Line(Ink::Grey), "cut"),
            Key::new(Sign::Line(Ink::Blue), "loop"),
            Key::new(
                Sign::Patch("idle"),
                if made.feet.is_locked() { "held" } else { "stands" },
            ),
        ],
    };
    heading.draw(svg, style::MARGIN, top, full);
    let mut y = top + heading.height(full);
    let column = 0.5 * full;
    let rows = standing.chunks(2).count();
    let (cut, looped) = (Cut::of(made), Looped::of(made));
    for (row, pair) in standing.chunks(2).enumerate() {
        for (side, &foot) in pair.iter().enumerate() {
            let left = style::MARGIN + style::LEFT + side as f64 * column;
            let width = column - style::LEFT - style::RIGHT;
            let joint = analysis.body.feet[foot].lowest_joint();
            let heading = Heading {
                title: &made.loop_clip.skeleton().joint(joint).name,
                keys: Vec::new(),
            };
            heading.draw(svg, left, y, width);
            let area = Area {
                left,
                top: y + heading.height(width),
                width,
                height: HEIGHT,
            };
            let count = made.loop_clip.num_samples();
            let speeds = [
                (Ink::Grey, 2.2, speeds(made, |key| cut.place(key, joint), 0..count)),
                (
                    Ink::Blue,
                    1.6,
                    speeds(made, |key| looped.place(key, joint), 0..2 * count),
                ),
            ];
            panel(svg, made, foot, &speeds, area, row + 1 == rows);
        }
        y += 24.0 + HEIGHT + if row + 1 == rows { style::BELOW } else { 10.0 };
    }
    y
}

fn panel(svg: &mut Svg, made: &Made, foot: usize, lines: &[(Ink, f64, Vec<f64>)], area: Area, is_last: bool) {
    let clip = &made.loop_clip;
    let (count, step) = (clip.num_samples(), clip.step_secs());
    let x = Axis::across(Range::new(0.0, 2.0 * clip.period_secs()), "time, s", area.width);
    let panel = Panel {
        area,
        x: if is_last { x } else { x.unlabelled() },
        y: Axis::up(Range::new(0.0, FASTEST), "speed, cm/s", area.height),
    };
    let spans = if made.feet.is_locked() {
        &made.feet.held
    } else {
        &made.feet.contacts
    };
    panel.draw(svg, |panel, svg| {
        for span in spans.iter().filter(|span| span.foot == foot) {
            // A span may run over the seam: into the second period, or out of the one before.
            for cycle in -1..2 {
                let from = (span.start_sample as f64 + cycle as f64 * count as f64 - 0.5) * step;
                let to = from + span.num_samples as f64 * step;
                let (from, to) = (from.max(0.0), to.min(2.0 * clip.period_secs()));
                if from < to {
                    panel.band(svg, from, to, "idle");
                }
            }
        }
        panel.grid(svg);
        panel.upright(svg, clip.period_secs(), Ink::Text, "stroke-dasharray=\"4 3\"");
        for (ink, width, speeds) in lines {
            for start in (0..2 * count).step_by(speeds.len().max(1)) {
                let points: Vec<(f64, f64)> = (speeds.iter().enumerate())
                    .map(|(key, &speed)| ((start + key) as f64 * step, speed.min(2.0 * FASTEST)))
                    .collect();
                panel.line(svg, &points, *ink, &stroke_width(*width));
            }
        }
    });
}

/// Speed over the ground at some keys, from places at the keys beside them, centimetres per second.
fn speeds(made: &Made, place: impl Fn(isize) -> DVec3, keys: Keys<usize>) -> Vec<f64> {
    let secs = 2.0 * made.loop_clip.step_secs();
    keys.map(|key| {
        let moved = place(key as isize + 1) - place(key as isize - 1);
        100.0 * DVec3::new(moved.x, 0.0, moved.z).length() / secs
    })
    .collect()
}

/// A root that travels on, whatever is made of its travel: in place the ground moves instead.
fn travelling(root: &RootTravel) -> RootTravel {
    let mode = match root.mode {
        RootMode::World => RootMode::World,
        _ => RootMode::Keep,
    };
    RootTravel { mode, ..*root }
}

/// The uncut take around the loop, in the world.
struct Cut<'a> {
    made: &'a Made,
    travel: RootTravel,
    from_root: WorldTracks,
}

impl<'a> Cut<'a> {
    fn of(made: &'a Made) -> Self {
        Self {
            made,
            travel: travelling(&made.source.root),
            from_root: made.source.clip.world_tracks(),
        }
    }

    fn place(&self, key: isize, joint: usize) -> DVec3 {
        let clip = &self.made.source.clip;
        let range = clip.sample_range();
        let key = key.clamp(*range.start(), *range.end());
        let root = self.travel.at(key as f64 * clip.step_secs());
        root.transform_point(self.from_root.position((key - range.start()) as usize, joint))
    }
}

/// The loop, in the world.
struct Looped {
    travel: RootTravel,
    from_root: WorldTracks,
    step_secs: f64,
}

impl Looped {
    fn of(made: &Made) -> Self {
        Self {
            travel: travelling(made.loop_clip.root()),
            from_root: made.loop_clip.tracks_from_root(),
            step_secs: made.loop_clip.step_secs(),
        }
    }

    fn place(&self, key: isize, joint: usize) -> DVec3 {
        let sample = key.rem_euclid(self.from_root.num_frames() as isize) as usize;
        let root = self.travel.at(key as f64 * self.step_secs);
        root.transform_point(self.from_root.position(sample, joint))
    }
}
