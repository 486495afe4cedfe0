//! The autocorrelation against the sum written out, and against the truth of synthetic walks.

use glam::DQuat;
use loopwright_core::Take;
use loopwright_synth::WalkSettings;

use crate::support::{analysed, posed, walk_of};

fn walk(seconds: f64) -> Take {
    walk_of(
        WalkSettings::default()
            .seconds(seconds)
            .frame_rate_hz(30.0)
            .noise_deg(0.3),
    )
}

/// Returns the values less their least-squares line, by the normal equations.
fn detrended(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let (mut sx, mut sxx, mut sy, mut sxy) = (0.0, 0.0, 0.0, 0.0);
    for (i, y) in values.iter().enumerate() {
        let x = i as f64;
        sx += x;
        sxx += x * x;
        sy += y;
        sxy += x * y;
    }
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    let level = (sy - slope * sx) / n;
    let lines = values.iter().enumerate();
    lines.map(|(i, y)| y - level - slope * i as f64).collect()
}

#[test]
fn the_transform_equals_the_sum_written_out() {
    let take = walk(5.0);
    let analysis = analysed(&take);
    let features = &analysis.features;
    let frames = features.num_frames();
    let values = analysis.spectrum.values();
    let channels: Vec<Vec<f64>> = (0..features.num_position_axes())
        .map(|axis| {
            let values = (0..frames).map(|frame| features.positions(frame)[axis]);
            detrended(&values.collect::<Vec<_>>())
        })
        .collect();
    let at = |lag: usize| -> f64 {
        let products = |c: &Vec<f64>| (0..frames - lag).map(|i| c[i] * c[i + lag]).sum::<f64>();
        let sum: f64 = channels.iter().map(products).sum();
        sum / (frames - lag) as f64
    };
    for (lag, value) in values.iter().enumerate() {
        assert!((value - at(lag) / at(0)).abs() < 2e-9, "lag {lag}");
    }
    // Lags that leave less than a quarter of the take are not reported.
    assert_eq!(values.len(), frames * 3 / 4);
}

/// Poses that are flagged do not lower the rhythm: a spike of one frame costs little, as if it were not there.
#[test]
fn flagged_poses_do_not_enter() {
    let clean = walk(8.0);
    let spiked = posed(&clean, |frame, pose| {
        if frame == 100 {
            let turn = DQuat::from_rotation_x(1.5);
            pose.rotations
                .iter_mut()
                .for_each(|rotation| *rotation = turn * *rotation);
        }
    });
    let [clean, spiked] = [clean, spiked].map(|take| analysed(&take));
    assert!(!spiked.defects.bad_frames.is_empty());
    let differ = clean.spectrum.values().iter().zip(spiked.spectrum.values());
    let worst = differ.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
    assert!(worst < 0.004, "{worst}");
}
