//! The contents of a take over time.

use loopwright_core::{Analysis, Take, analysis::Foot};

use super::kit::style::{self, SERIES};
use super::kit::{axes, svg::Svg};
use super::tracks::{self, Kind, Line, Track};

/// Tracks of a take as SVG: heights of feet and hips, speed, heading, with stretches shaded and bad frames marked.
///
/// `analysis` must be of the same take. Long takes are thinned to the resolution of the picture.
pub fn inspect(analysis: &Analysis) -> String {
    let take = &analysis.take;
    let mut svg = Svg::default();
    let title = format!("{}: what the take holds", take.name());
    let top = axes::title(&mut svg, &title, &tracks::facts(take));
    let top = tracks::segments(&mut svg, take, analysis, axes::full_width().1, top);
    let top = tracks::contacts(&mut svg, take, analysis, axes::full_width().1, top);
    let bottom = tracks::draw(
        &mut svg,
        take,
        analysis,
        &all(take, analysis),
        None,
        axes::full_width().1,
        top,
    );
    svg.finish(&title, bottom + style::MARGIN - 6.0)
}

fn all(take: &Take, analysis: &Analysis) -> Vec<Track> {
    let height = |joint: usize| -> Vec<f64> {
        (0..take.num_frames())
            .map(|frame| 100.0 * analysis.world.position(frame, joint).y)
            .collect()
    };
    let name = |joint: usize| take.skeleton().joint(joint).name.clone();
    let feet = analysis
        .body
        .feet
        .iter()
        .take(SERIES.len())
        .map(Foot::lowest_joint)
        .map(|joint| Line {
            name: name(joint),
            values: height(joint),
        })
        .collect();
    let mut all = vec![
        Track {
            title: "Feet, height",
            axis: "height, cm",
            lines: feet,
            height: 130.0,
            least: 4.0,
            kind: Kind::Plain,
        },
        Track {
            title: "Hips, height",
            axis: "height, cm",
            lines: vec![Line {
                name: name(analysis.body.hips),
                values: height(analysis.body.hips),
            }],
            height: 84.0,
            least: 2.0,
            kind: Kind::Plain,
        },
    ];
    all.extend(tracks::speed_and_heading(take, analysis));
    all
}
