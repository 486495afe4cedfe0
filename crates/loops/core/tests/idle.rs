//! Idle takes: they have no rhythm, and their loops are long and stay where they are.

use loopwright_core::{Analysis, LoopSettings, SearchSettings, math::rotation};
use loopwright_synth::{IdleSettings, synthesize_idle};

fn idles() -> Vec<IdleSettings> {
    let rates = [24.0, 30.0, 60.0, 120.0];
    (0..20)
        .map(|seed: u64| IdleSettings {
            seed,
            seconds: 9.0 + (seed % 5) as f64,
            frame_rate_hz: rates[seed as usize % rates.len()],
            breath_secs: 3.0 + 0.2 * (seed % 7) as f64,
            sway_metres: 0.003 * (1 + seed % 6) as f64,
            fidget_deg: 0.5 * (1 + seed % 8) as f64,
            noise_deg: if seed.is_multiple_of(3) { 0.05 } else { 0.0 },
        })
        .collect()
}

#[test]
fn idle_loops_are_long_and_their_root_rests() {
    for settings in idles() {
        let take = synthesize_idle(&settings).unwrap();
        let analysis = Analysis::new(&take).unwrap();
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        let best = found
            .best()
            .unwrap_or_else(|| panic!("{settings:?}: {:?}", found.nearest_miss));
        assert!(best.is_idle, "{settings:?}");
        let secs = best.source_period_secs;
        assert!(secs >= 3.0, "{settings:?}: {secs} s");
        let made = analysis.make_loop(best, &LoopSettings::default()).unwrap();
        let twist = made.loop_clip.root().twist;
        // Exactly at rest: the smallest drift adds up over hours of play.
        assert_eq!(twist, loopwright_core::math::Twist::default(), "{settings:?}");
        // The step over the seam is like any other.
        let clip = &made.loop_clip;
        let count = clip.num_samples();
        for joint in 0..take.num_joints() {
            let turn = |sample: usize| {
                let [one, other] = [sample, (sample + 1) % count].map(|sample| clip.body_pose(sample).rotations[joint]);
                rotation::difference(other, one).length()
            };
            let largest = (0..count - 1).map(turn).fold(0.0, f64::max);
            assert!(turn(count - 1) <= 1.2 * largest + 1e-4, "{settings:?}, joint {joint}");
        }
    }
}
