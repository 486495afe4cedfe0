//! Renders of synthetic takes: match the snapshots, loop without a seam, accept any take, and are valid files.

use std::io::Cursor;

use glam::DVec3;
use loopwright_core::{Analysis, Cut, LoopSettings, MadeLoop, RootMode, SearchSettings};
use loopwright_draw::{
    Figure,
    render::{
        AnimationFormat, DrawnMotion, MotionError, Packer, Picture, RenderError, Scene, SceneSettings, View,
        contact_sheet, onion, side_by_side,
    },
};
use loopwright_synth::WalkSettings;

use crate::support::{
    made,
    snapshot::{assert_like_snapshot, differs},
    stick, walk,
};

struct Walk {
    analysis: Analysis,
    figure: Figure,
    cut: Cut,
}

impl Walk {
    fn new(change: impl FnOnce(&mut WalkSettings)) -> Self {
        let analysis = walk(4.0, change);
        let found = analysis.find_loops(&SearchSettings::default()).unwrap();
        Self {
            figure: Figure::new(&analysis.take, &analysis.body),
            cut: found.candidates[0].cut,
            analysis,
        }
    }

    fn made(&self, root: RootMode) -> MadeLoop {
        let settings = LoopSettings::with_root(root);
        made(&self.analysis, &self.cut, &settings)
    }

    fn looped(&self, root: RootMode) -> DrawnMotion {
        let clip = self.made(root).loop_clip;
        let clip = if root.moves_root() { clip } else { clip.in_place() };
        DrawnMotion::of_loop(&clip, &self.figure).unwrap()
    }

    fn raw(&self) -> DrawnMotion {
        let made = self.made(RootMode::Constant);
        let (start, count) = (self.cut.start_frame(), self.cut.num_frames());
        DrawnMotion::of_cut(&made.source, &self.figure, start, count).unwrap()
    }

    fn whole(&self) -> DrawnMotion {
        let last = self.analysis.take.num_frames() - 1;
        DrawnMotion::of_take(&self.analysis, &self.figure, 0, last).unwrap()
    }
}

fn small(view: View) -> SceneSettings {
    SceneSettings {
        view,
        size: [144, 144],
        ..SceneSettings::default()
    }
}

#[test]
fn a_loop_from_three_quarters() {
    let motion = Walk::new(|_| {}).looped(RootMode::Constant);
    let scene = Scene::new(&motion, &small(View::ThreeQuarter), "walk").unwrap();
    assert_like_snapshot("render-loop", &scene.frame(0.3).unwrap().png().unwrap());
    // The tolerance is narrow enough to detect a few hundredths of a second.
    let other = scene.frame(0.34).unwrap().png().unwrap();
    assert!(differs("render-loop", &other).is_some());
}

#[test]
fn a_sheet_of_two_cycles_from_the_side() {
    let motion = Walk::new(|settings| settings.climb_mps = 0.2).looped(RootMode::Constant);
    let settings = SceneSettings {
        is_fixed: true,
        cycles: 2,
        size: [120, 80],
        ..small(View::Side)
    };
    let scene = Scene::new(&motion, &settings, "two cycles").unwrap();
    let step = motion.num_frames() / 3;
    let sheet = contact_sheet(&scene, &[0, step, 2 * step, 3 * step, 4 * step, 5 * step]).unwrap();
    assert_like_snapshot("render-sheet", &sheet.png().unwrap());
}

#[test]
fn the_seam_of_a_cut_beside_that_of_its_loop() {
    let walk = Walk::new(|settings| {
        settings.drift = 0.1;
        settings.torso_rise_metres = 0.1;
        settings.noise_deg = 1.0;
    });
    let (raw, looped) = (walk.raw(), walk.looped(RootMode::Constant));
    let skins: Vec<Picture> = [(&raw, "as it is"), (&looped, "loop")]
        .map(|(motion, title)| {
            let scene = Scene::new(motion, &small(View::ThreeQuarter), title).unwrap();
            onion(&scene).unwrap()
        })
        .into();
    assert_like_snapshot("render-seam", &side_by_side(&skins).unwrap().png().unwrap());
}

#[test]
fn a_take_from_above_and_behind() {
    let motion = Walk::new(|settings| {
        settings.turn_dps = 40.0;
        settings.t_pose_first_frame = true;
    })
    .whole();
    let pictures: Vec<Picture> = [View::Top, View::Back, View::Front]
        .map(|view| {
            let scene = Scene::new(&motion, &small(view), "").unwrap();
            scene.frame(0.5 * scene.shown_secs()).unwrap()
        })
        .into();
    assert_like_snapshot("render-views", &side_by_side(&pictures).unwrap().png().unwrap());
}

/// In place, one cycle later, nothing differs: neither the body nor the ground.
#[test]
fn a_loop_in_place_is_the_same_picture_one_cycle_on() {
    let motion = Walk::new(|_| {}).looped(RootMode::InPlace);
    let settings = SceneSettings {
        cycles: 3,
        is_fixed: true,
        ..small(View::ThreeQuarter)
    };
    let scene = Scene::new(&motion, &settings, "").unwrap();
    let body = |secs: f64| {
        let rgb = scene.frame(secs).unwrap().rgb();
        // Without the progress bar at the bottom, which continues.
        rgb[..144 * 3 * 140].to_vec()
    };
    let period = motion.period_secs();
    for at in [0.0, 0.31, 0.99] {
        let (one, next) = (body(at * period), body((at + 1.0) * period));
        let off = one.iter().zip(&next).filter(|(a, b)| a.abs_diff(**b) > 8).count();
        assert!(off < 60, "{off} parts of pixels differ at {at}");
        assert_ne!(one, body((at + 0.5) * period));
    }
}

#[test]
fn what_does_not_repeat_has_no_seam() {
    let walk = Walk::new(|_| {});
    let whole = walk.whole();
    assert!(!whole.repeats());
    let scene = Scene::new(&whole, &small(View::Side), "").unwrap();
    assert_eq!(onion(&scene), Err(RenderError::NoSeam));
}

#[test]
fn sizes_and_frames_out_of_range_are_refused() {
    let walk = Walk::new(|_| {});
    let whole = walk.whole();
    for size in [[0, 100], [100, 15], [5000, 100]] {
        let settings = SceneSettings {
            size,
            ..SceneSettings::default()
        };
        let refused = Scene::new(&whole, &settings, "");
        assert!(matches!(refused, Err(RenderError::Size { .. })));
    }
    let num_frames = walk.analysis.take.num_frames();
    for (first, last) in [(5, 4), (0, num_frames), (usize::MAX, usize::MAX)] {
        let refused = DrawnMotion::of_take(&walk.analysis, &walk.figure, first, last);
        let error = MotionError::NoSuchFrames {
            first,
            last,
            num_frames,
        };
        assert_eq!(refused, Err(error));
    }
    let other = DrawnMotion::of_take(&stick(3, |_| DVec3::ZERO), &walk.figure, 0, 2);
    assert_eq!(other, Err(MotionError::OtherSkeleton));
    assert!(matches!(side_by_side(&[]), Err(RenderError::Size { .. })));
}

#[test]
fn odd_takes_are_drawn_all_the_same() {
    for num_frames in [1, 2, 40] {
        for scale in [0.0, 1e-12, 1.0, 1e8] {
            let analysis = stick(num_frames, |frame| DVec3::ONE * (scale * frame as f64 / 40.0));
            let figure = Figure::new(&analysis.take, &analysis.body);
            let motion = DrawnMotion::of_take(&analysis, &figure, 0, num_frames - 1).unwrap();
            for view in [View::ThreeQuarter, View::Side, View::Front, View::Back, View::Top] {
                for is_fixed in [false, true] {
                    let settings = SceneSettings {
                        is_fixed,
                        size: [32, 48],
                        ..small(view)
                    };
                    let scene = Scene::new(&motion, &settings, "a <title> & more").unwrap();
                    for secs in [0.0, 0.5, 1e9, -1.0, f64::NAN] {
                        assert_eq!(scene.frame(secs).unwrap().size(), [32, 48]);
                    }
                    contact_sheet(&scene, &[0, 7, usize::MAX >> 12]).unwrap();
                    contact_sheet(&scene, &[]).unwrap();
                }
            }
        }
    }
}

fn pictures(count: usize) -> (Vec<Picture>, f64) {
    let motion = Walk::new(|_| {}).looped(RootMode::Constant);
    let settings = SceneSettings {
        size: [64, 48],
        ..small(View::Side)
    };
    let scene = Scene::new(&motion, &settings, "").unwrap();
    let secs_each = scene.shown_secs() / count as f64;
    let pictures = (0..count)
        .map(|index| scene.frame(index as f64 * secs_each).unwrap())
        .collect();
    (pictures, secs_each)
}

fn packed(format: AnimationFormat, pictures: &[Picture], secs_each: f64) -> Vec<u8> {
    let samples: Vec<Picture> = pictures.iter().step_by(4).cloned().collect();
    let packer = Packer::new(format, &samples).unwrap();
    let packed = pictures.iter().map(|picture| packer.pack(picture).unwrap()).collect();
    packer.join(packed, secs_each).unwrap()
}

#[test]
fn a_gif_holds_every_picture_for_its_time() {
    let (pictures, secs_each) = pictures(11);
    let file = packed(AnimationFormat::Gif, &pictures, secs_each);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(&file)).unwrap();
    assert_eq!([decoder.width(), decoder.height()], [64, 48]);
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let (mut hundredths, mut count) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        hundredths += u32::from(frame.delay);
        let wanted = pictures[count].rgb();
        let (found, _) = frame.buffer.as_chunks::<4>();
        let (wanted, _) = wanted.as_chunks::<3>();
        let parts = found
            .iter()
            .zip(wanted)
            .flat_map(|(found, wanted)| found.iter().zip(wanted));
        let off: u32 = parts.map(|(found, wanted)| u32::from(found.abs_diff(*wanted))).sum();
        let mean = f64::from(off) / (3.0 * wanted.len() as f64);
        assert!(mean < 1.5, "picture {count} is off by {mean} of 255 on average");
        count += 1;
    }
    assert_eq!(count, 11);
    let shown = f64::from(hundredths) / 100.0;
    assert!((shown - 11.0 * secs_each).abs() < 0.006, "{shown} s");
}

#[test]
fn pictures_of_another_size_are_not_packed() {
    let (pictures, _) = pictures(1);
    let packer = Packer::new(AnimationFormat::Gif, &pictures).unwrap();
    let doubled = side_by_side(&[pictures[0].clone(), pictures[0].clone()]).unwrap();
    assert!(matches!(packer.pack(&doubled), Err(RenderError::Size { .. })));
    let none = Packer::new(AnimationFormat::WebP, &[]);
    assert!(matches!(none, Err(RenderError::Size { .. })));
}
