//! Study.
use loopwright_controller::{FitSettings, Pool, Quantity, Event};
use loopwright_core::{Analysis, Take};
use loopwright_synth::{Command, DriveSettings, drive};

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 53) as f64
    }
    fn within(&mut self, a: f64, b: f64) -> f64 { a + (b - a) * self.next() }
}

fn take(seed: u64, noise: f64, sway: f64, yaw: f64, ramp: bool) -> (DriveSettings, f64, Take) {
    let mut r = Rng(seed.wrapping_mul(0x9E3779B97F4A7C15) ^ 77);
    for _ in 0..5 { r.next(); }
    let rate = if r.next() < 0.5 { 30.0 } else { 60.0 };
    let (vh, fh) = (r.within(0.2, 0.55), r.within(0.2, 0.5));
    let ramp_secs = if ramp { r.within(0.25, 0.7) } else { 0.0 };
    let mut t = 2.0;
    let mut commands = Vec::new();
    let mut facing = 0.0f64;
    let mut speed = 0.0f64;
    let mut before = ([0.0, 0.0], 0.0);
    for k in 0..7 {
        match k {
            0 => speed = r.within(1.2, 1.8),
            2 => speed = r.within(3.0, 4.0),
            4 => speed = r.within(1.0, 1.6),
            6 => speed = 0.0,
            _ => facing += r.within(80.0, 180.0) * if r.next() < 0.5 { -1.0 } else { 1.0 },
        }
        let a = facing.to_radians();
        let goal = ([speed * a.sin(), speed * a.cos()], facing);
        let steps = if ramp { 30 } else { 1 };
        for s in 1..=steps {
            let share = f64::from(s) / f64::from(steps);
            let mix = |x: f64, y: f64| x + share * (y - x);
            commands.push(Command {
                at_secs: t + ramp_secs * (f64::from(s) - 0.5) / f64::from(steps),
                velocity_mps: [mix(before.0[0], goal.0[0]), mix(before.0[1], goal.0[1])],
                facing_deg: mix(before.1, goal.1),
            });
        }
        before = goal;
        t += r.within(3.8, 5.0);
    }
    let settings = DriveSettings { seed, seconds: t, frame_rate_hz: rate, velocity_half_life_secs: vh, facing_half_life_secs: fh, commands, sway_metres: sway, noise_deg: noise };
    let take = drive(&settings).unwrap();
    let phase = r.within(0.0, 6.28);
    let hz = r.within(0.8, 1.0);
    let values = take.values();
    let (tr, mut rot) = (values.translations.to_vec(), values.rotations.to_vec());
    let joints = take.skeleton().joints().len();
    for f in 0..take.num_frames() {
        let secs = f as f64 / rate;
        let q = loopwright_core::math::rotation::from_yaw(yaw * (6.2831853 * hz * secs + phase).sin());
        rot[f * joints] = q * rot[f * joints];
    }
    let take = Take::new("t", take.skeleton().clone(), take.frame_time_secs(), tr, rot).unwrap();
    (settings, ramp_secs, take)
}

fn chosen(e: &Event) -> Option<(f64, Option<f64>, bool)> {
    let f = e.trusted()?;
    Some(match &e.ramped { Some(r) => (r.half_life_secs, r.uncertainty_secs, true), None => (f.half_life_secs, f.uncertainty_secs, false) })
}

fn share(v: &[f64], k: f64) -> f64 { 100.0 * v.iter().filter(|x| x.abs() <= k).count() as f64 / v.len().max(1) as f64 }
fn median(v: &[f64]) -> f64 { let mut v = v.to_vec(); v.sort_by(f64::total_cmp); v.get(v.len() / 2).copied().unwrap_or(f64::NAN) }

#[test]
fn study() {
    let n: u64 = std::env::var("N").map_or(60, |s| s.parse().unwrap());
    for (name, noise, sway, yaw) in [("white.5", 0.5, 0.0, 0.0), ("sway2", 0.2, 0.02, 0.04), ("sway3", 0.2, 0.03, 0.04)] {
        for ramp in [false, true] {
            let two: Vec<_> = std::thread::scope(|s| {
                let hs: Vec<_> = (0..2).map(|w| s.spawn(move || (0..n).filter(|k| k % 2 == w).map(|seed| {
                    let (set, secs, t) = take(seed, noise, sway, yaw, ramp);
                    (set, secs, loopwright_controller::fit(&Analysis::new(&t).unwrap(), &FitSettings::default()).unwrap())
                }).collect::<Vec<_>>())).collect();
                hs.into_iter().flat_map(|h| h.join().unwrap()).collect()
            });
            for q in [Quantity::Velocity, Quantity::Facing] {
                let (mut z, mut rel, mut ramps, mut count, mut none, mut nofit) = (vec![], vec![], 0, 0, 0, 0);
                let (mut zm, mut relr) = (vec![], vec![]);
                for (set, _secs, fit) in &two {
                    let truth = if q == Quantity::Velocity { set.velocity_half_life_secs } else { set.facing_half_life_secs };
                    for e in fit.events_of(q) {
                        count += 1;
                        let Some((h, u, r)) = chosen(e) else { nofit += 1; continue };
                        ramps += usize::from(r);
                        if r { relr.push(h / truth - 1.0); }
                        rel.push(h / truth - 1.0);
                        match u { Some(u) => z.push((h - truth) / u), None => none += 1 }
                    }
                    let all = Pool::new(&[fit]).all;
                    let hl = if q == Quantity::Velocity { all.velocity } else { all.facing };
                    let (m, u) = stated(&hl);
                    if let (Some(m), Some(u)) = (m, u) { zm.push((m - truth) / u); }
                }
                println!("{name:8} ramp={ramp:5} {q:?}: n {count} nofit {nofit} ramps {ramps} ({:.1}%) bias {:+.1}% (ramped {:+.1}%) |rel| {:.1}% changes {:.0} {:.0} none {none}; medians {:.0} {:.0} of {}",
                    100.0 * ramps as f64 / count as f64, 100.0 * median(&rel), 100.0 * median(&relr), 100.0 * median(&rel.iter().map(|x| x.abs()).collect::<Vec<_>>()), share(&z, 1.0), share(&z, 2.0), share(&zm, 1.0), share(&zm, 2.0), zm.len());
            }
        }
    }
}

fn stated(h: &loopwright_controller::HalfLives) -> (Option<f64>, Option<f64>) { match &h.ramped { Some(r) => (Some(r.half_lives.median), r.uncertainty_secs), None => (h.chosen_secs(), h.uncertainty_secs) } }
