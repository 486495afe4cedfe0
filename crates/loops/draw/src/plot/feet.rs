//! The speed of a loop's feet over the ground, as captured and as held.

use core::ops::Range as Keys;

use glam::DVec3;
use loopwright_core::{Analysis, MadeLoop, RootMotion, motion::WorldTracks};

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
    let skeleton = made.loop_clip.skeleton();
    let names: Vec<&str> = joints.iter().map(|&joint| &*skeleton.joint(joint).name).collect();
    let (cut, looped) = (WorldPositions::of_cut(made), WorldPositions::of_loop(made));
    let count = made.loop_clip.num_samples();
    plot.pairs(
        &ChartHeading::new("Feet over the ground, two periods, seam in the middle")
            .key(Sign::Line(Ink::Grey), "cut")
            .key(Sign::Line(Ink::Blue), "loop")
            .key(Sign::Patch("idle"), held),
        HEIGHT,
        &names,
        |svg, index, area, is_lowest| {
            let joint = joints[index];
            panel(
                svg,
                &over_two_periods(made, area, (Range::new(0.0, FASTEST), "speed, cm/s"), is_lowest),
                made,
                standing[index],
                &[
                    (Ink::Grey, 2.2, cut.speeds(joint, 0..count)),
                    (Ink::Blue, 1.6, looped.speeds(joint, 0..2 * count)),
                ],
            );
        },
    );
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
                panel.samples(
                    svg,
                    (start, step),
                    speeds.iter().map(|speed| speed.min(2.0 * FASTEST)),
                    *ink,
                    &stroke_width(*width),
                );
            }
        }
    });
}

/// Joints in the world at every key, moved by the root, whether or not a file shows the root motion.
struct WorldPositions {
    root: RootMotion,
    from_root: WorldTracks,
    step_secs: f64,
    /// Key of the first frame of `from_root`.
    first: isize,
    repeats: bool,
}

impl WorldPositions {
    /// Creates the uncut take around the loop; constant beyond its ends.
    fn of_cut(made: &MadeLoop) -> Self {
        let clip = &made.source.clip;
        Self {
            root: made.source.root,
            from_root: clip.world_tracks(),
            step_secs: clip.step_secs(),
            first: *clip.sample_range().start(),
            repeats: false,
        }
    }

    fn of_loop(made: &MadeLoop) -> Self {
        let clip = &made.loop_clip;
        Self {
            root: *clip.root(),
            from_root: clip.tracks_from_root(),
            step_secs: clip.step_secs(),
            first: 0,
            repeats: true,
        }
    }

    fn at(&self, key: isize, joint: usize) -> DVec3 {
        let (frame, count) = (key - self.first, self.from_root.num_frames() as isize);
        let (frame, key) = if self.repeats {
            (frame.rem_euclid(count), key)
        } else {
            let frame = frame.clamp(0, count - 1);
            (frame, frame + self.first)
        };
        self.root
            .at(key as f64 * self.step_secs)
            .transform_point(self.from_root.position(frame as usize, joint))
    }

    /// Returns the speed of a joint over the ground at some keys, from its positions at the neighbouring keys, centimetres per
    /// second.
    fn speeds(&self, joint: usize, keys: Keys<usize>) -> Vec<f64> {
        keys.map(|key| {
            let moved = self.at(key as isize + 1, joint) - self.at(key as isize - 1, joint);
            100.0 * DVec3::new(moved.x, 0.0, moved.z).length() / (2.0 * self.step_secs)
        })
        .collect()
    }
}
