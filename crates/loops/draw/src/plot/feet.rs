//! The speed of a loop's feet over the ground, as captured and as held.

use core::ops::Range as Keys;

use glam::DVec3;
use loopwright_core::{Analysis, MadeLoop};

use super::kit::{
    Plot,
    axes::{Chart, Range, stroke_width},
    legend::{ChartHeading, Sign},
    style::Ink,
    svg::{Area, Svg},
};

/// Largest speed shown, centimetres per second: swinging feet leave the picture, so that sliding is visible.
const FASTEST: f64 = 60.0;

/// Height of a panel of one foot.
const HEIGHT: f64 = 110.0;

/// Draws a panel for each foot that stands, over two periods.
pub(super) fn panels(plot: &mut Plot, analysis: &Analysis, made: &MadeLoop) {
    let standing: Vec<usize> = (0..analysis.body.feet.len())
        .filter(|&foot| made.feet.contacts.iter().any(|contact| contact.foot == foot))
        .collect();
    if standing.is_empty() {
        return;
    }
    let held = if made.feet.is_held() { "locked" } else { "planted" };
    let joints: Vec<usize> = standing
        .iter()
        .map(|&foot| analysis.body.feet[foot].lowest_joint())
        .collect();
    let (source, clip) = (&made.source.clip, &made.loop_clip);
    let names: Vec<&str> = joints
        .iter()
        .map(|&joint| &*clip.skeleton().joint(joint).name)
        .collect();
    // Joints in the world, moved by the root, whether or not a file shows the root motion: of the uncut take around the loop, constant
    // beyond its ends, and of the loop.
    let (cut, looped) = (source.world_tracks(), clip.tracks_from_root());
    let (first, last) = source.sample_range().into_inner();
    let in_cut = |key: isize, joint: usize| {
        let key = key.clamp(first, last);
        let root = made.source.root.at(key as f64 * source.step_secs());
        root.transform_point(cut.position((key - first) as usize, joint))
    };
    let count = clip.num_samples();
    let in_loop = |key: isize, joint: usize| {
        let root = clip.root().at(key as f64 * clip.step_secs());
        root.transform_point(looped.position(key.rem_euclid(count as isize) as usize, joint))
    };
    let heading = ChartHeading::new("Feet over the ground, two periods, seam in the middle")
        .key(Sign::Line(Ink::Grey), "cut")
        .key(Sign::Line(Ink::Blue), "loop")
        .key(Sign::Patch("idle"), held);
    plot.pairs(&heading, HEIGHT, &names, |svg, index, area, is_lowest| {
        let joint = joints[index];
        let chart = over_two_periods(made, area, (Range::new(0.0, FASTEST), "speed, cm/s"), is_lowest);
        let of_cut = speeds(0..count, source.step_secs(), |key| in_cut(key, joint));
        let of_loop = speeds(0..2 * count, clip.step_secs(), |key| in_loop(key, joint));
        let lines = [(Ink::Grey, 2.2, of_cut), (Ink::Blue, 1.6, of_loop)];
        panel(svg, &chart, made, standing[index], &lines);
    });
}

/// Attributes of the line at the seam.
pub(super) const SEAM: &str = "stroke-dasharray=\"4 3\"";

/// Returns a chart over two periods of a loop.
pub(super) fn over_two_periods(made: &MadeLoop, area: Area, y: (Range, &str), is_lowest: bool) -> Chart {
    Chart::new(
        area,
        (Range::new(0.0, 2.0 * made.loop_clip.period_secs()), "time, s"),
        y,
    )
    .labelled(is_lowest)
}

fn panel(svg: &mut Svg, chart: &Chart, made: &MadeLoop, foot: usize, lines: &[(Ink, f64, Vec<f64>)]) {
    let clip = &made.loop_clip;
    let (count, step) = (clip.num_samples(), clip.step_secs());
    let spans = if made.feet.is_held() {
        &made.feet.held
    } else {
        &made.feet.contacts
    };
    chart.draw(svg, |panel, svg| {
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
        panel.upright(svg, clip.period_secs(), Ink::Text, SEAM);
        for (ink, width, speeds) in lines {
            for start in (0..2 * count).step_by(speeds.len().max(1)) {
                let shown = speeds.iter().map(|speed| speed.min(2.0 * FASTEST));
                panel.samples(svg, (start, step), shown, *ink, &stroke_width(*width));
            }
        }
    });
}

/// Returns the speed over the ground at some keys of what is at a place at each key, from the places at the neighbouring keys, centimetres
/// per second.
fn speeds(keys: Keys<usize>, step_secs: f64, place: impl Fn(isize) -> DVec3) -> Vec<f64> {
    keys.map(|key| {
        let moved = place(key as isize + 1) - place(key as isize - 1);
        100.0 * moved.with_y(0.0).length() / (2.0 * step_secs)
    })
    .collect()
}
