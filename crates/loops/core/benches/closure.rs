//! The time to close a clip, compared with copying it: `cargo bench -p loopwright --bench closure`.

use std::{hint::black_box, time::Instant};

use glam::{DQuat, DVec3};
use loopwright_core::closure::{self, Method, Shape, ShapeKind};
use loopwright_core::math::{ops, rotation};
use loopwright_core::{
    Analysis, ClosureSettings, Cut, Joint, LoopSettings, SearchSettings, Skeleton, Take, feet::FootLock, take::Clip,
};
use loopwright_synth::{WalkSettings, synthesize};

/// Returns a clip of the given number of intervals. All joints rotate, none periodically; either all joints also translate, or
/// the first alone, as in most files.
fn clip(num_intervals: usize, num_joints: usize, all_shift: bool) -> Clip {
    let joints = (0..num_joints).map(|index| Joint::new(format!("j{index}"), index.checked_sub(1), DVec3::Y));
    let skeleton = Skeleton::new(joints.collect()).expect("a chain is a skeleton");
    let (mut translations, mut rotations): (Vec<DVec3>, Vec<DQuat>) = (Vec::new(), Vec::new());
    for frame in 0..num_intervals + 81 {
        for joint in 0..num_joints {
            let t = frame as f64 / 60.0 + joint as f64;
            let shifts = all_shift || joint == 0;
            let t_shift = if shifts { t } else { joint as f64 };
            translations.push(DVec3::new(ops::sin(t_shift), ops::cos(1.3 * t_shift), 0.01 * t_shift));
            rotations.push(rotation::exp(DVec3::new(
                ops::sin(1.1 * t),
                0.3 * ops::cos(2.3 * t),
                0.05 * t,
            )));
        }
    }
    let take = Take::new("bench", skeleton, 1.0 / 60.0, translations, rotations).expect("the motion is finite");
    let cut = Cut::new(&take, 40.0, (40 + num_intervals) as f64).expect("the cut lies inside");
    Clip::new(&take, &cut, num_intervals, 1.0 / 60.0).expect("the clip is long enough")
}

/// Returns the median milliseconds.
#[expect(clippy::disallowed_methods, reason = "a bench needs a clock")]
fn milliseconds(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..101)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[expect(clippy::print_stdout, reason = "a bench talks to people")]
fn main() {
    let [clip, shifting] = [false, true].map(|all_shift| clip(120, 75, all_shift));
    let copy = milliseconds(|| {
        black_box(black_box(&clip).clone());
    });
    println!("120 frames of 75 joints, one thread, medians of 101");
    println!("{:<28} {copy:8.3} ms", "copy the clip");
    for (name, method) in [
        ("quintic (default)", Method::default()),
        ("cubic", Method::new(Shape::new(ShapeKind::Cubic, 0.35))),
        ("spring", Method::new(Shape::new(ShapeKind::Spring, 0.1))),
        ("linear", Method::new(Shape::new(ShapeKind::Linear, 0.35))),
        ("least", Method::new(Shape::new(ShapeKind::Least, 0.35))),
        ("adjustment", Method::new(Shape::new(ShapeKind::Adjustment, 0.35))),
        ("crossfade", Method::crossfade(0.35)),
    ] {
        let settings = ClosureSettings::from(method);
        let time = milliseconds(|| {
            black_box(closure::close(black_box(&clip), &settings).expect("the settings are sound"));
        });
        println!("{name:<28} {time:8.3} ms  {:5.0} x copy", time / copy);
    }
    let settings = ClosureSettings::default();
    let time = milliseconds(|| {
        black_box(closure::close(black_box(&shifting), &settings).expect("the settings are sound"));
    });
    println!(
        "{:<28} {time:8.3} ms  {:5.0} x copy",
        "quintic, all joints shift",
        time / copy
    );
    // A loop of two seconds at 60 frames a second.
    let settings = WalkSettings::default().period_secs(2.0).seconds(9.0);
    let take = synthesize(&settings).expect("the walk is sound").take;
    let analysis = Analysis::new(&take).expect("no joints are named");
    let found = analysis
        .find_loops(&SearchSettings::default())
        .expect("the settings are sound");
    let best = &found.candidates[0];
    let of_loop = |name: &str, settings: &LoopSettings| {
        let time = milliseconds(|| {
            let made = analysis.make_loop(best, settings);
            black_box(made.expect("the walk closes"));
        });
        println!(
            "{name:<28} {time:8.3} ms  ({:.0} frames of {} joints)",
            best.cut.num_frames(),
            take.num_joints()
        );
    };
    let feet = |lock: FootLock| LoopSettings::with_feet(lock);
    of_loop("loop, feet as they are", &feet(FootLock::Off));
    of_loop("loop, feet solved", &feet(FootLock::Solve));
    let time = milliseconds(|| {
        let choice = analysis.choose_closure(best, &LoopSettings::default());
        black_box(choice.expect("the walk closes"));
    });
    println!(
        "{:<28} {time:8.3} ms  ({:.0} frames of {} joints)",
        "auto",
        best.cut.num_frames(),
        take.num_joints()
    );
}
