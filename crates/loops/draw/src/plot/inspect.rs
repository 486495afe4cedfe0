//! The contents of a take over time.

use loopwright_core::{Analysis, Take, analysis::Foot};

use super::kit::{Plot, style};
use super::tracks::{self, Kind, Track};

/// Tracks of a take as SVG: heights of feet and hips, speed, heading, with stretches shaded and bad frames marked.
///
/// `analysis` must be of the same take. Long takes are thinned to the resolution of the picture.
pub fn inspect(analysis: &Analysis) -> String {
    let take = &analysis.take;
    let mut plot = Plot::new(format!("{}: what the take holds", take.name()), &tracks::facts(take));
    tracks::segments(&mut plot, analysis, style::CHART_WIDTH);
    tracks::contacts(&mut plot, analysis, style::CHART_WIDTH);
    tracks::draw(&mut plot, analysis, &all(take, analysis), None, style::CHART_WIDTH);
    plot.finish()
}

fn all(take: &Take, analysis: &Analysis) -> Vec<Track> {
    let heights = |title, joints: &[usize], height, least| Track {
        title,
        axis: "height, cm",
        lines: (joints.iter())
            .map(|&joint| {
                let heights = (0..take.num_frames()).map(|frame| 100.0 * analysis.world.position(frame, joint).y);
                (take.skeleton().joint(joint).name.clone(), heights.collect())
            })
            .collect(),
        height,
        least,
        kind: Kind::Plain,
    };
    let feet = analysis.body.feet.iter().take(style::SERIES.len());
    let feet: Vec<usize> = feet.map(Foot::lowest_joint).collect();
    let [speed, heading] = tracks::speed_and_heading(analysis);
    vec![
        heights("Feet, height", &feet, 130.0, 4.0),
        heights("Hips, height", &[analysis.body.hips], 84.0, 2.0),
        speed,
        heading,
    ]
}
