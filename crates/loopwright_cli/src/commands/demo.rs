//! `loopwright demo`: the whole road on the built-in take.

use std::{fmt::Write, path::Path};

use glam::DVec3;
use loopwright::{candidate::LoopCandidate, pipeline::LoopSettings};
use loopwright_formats::{LoopWriteSettings, SpaceSettings};
use loopwright_synth::{WalkSettings, synthesize};

use crate::{
    args::{DemoArgs, TakeArgs},
    commands::{find, make, synth},
    exit::{Ending, Failure},
    load::{self, Loaded},
    output::{self, Outputs},
    report::human,
};

pub(crate) fn run(args: &DemoArgs) -> Result<Ending, Failure> {
    let folder = &args.output;
    let made_folder = !folder.exists();
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::error(format!("cannot make the folder \"{}\": {error}", folder.display()))
            .try_this("another folder with -o")
    })?;
    let result = walk_the_road(folder, args.force);
    if result.is_err() && made_folder {
        // Only an empty folder goes; anything in it is somebody's.
        let _ = std::fs::remove_dir(folder);
    }
    result
}

fn walk_the_road(folder: &Path, force: bool) -> Result<Ending, Failure> {
    let [take_path, loop_path, picture_path] =
        ["walk.bvh", "walk-loop.bvh", "walk-loop.svg"].map(|name| folder.join(name));
    let sidecar_path = make::sidecar_path(&loop_path);
    let mut outputs = Outputs::new(force);
    for path in [&take_path, &loop_path, &sidecar_path, &picture_path] {
        outputs.check(path)?;
    }
    let synthetic = synthesize(&WalkSettings::default()).map_err(Failure::error)?;
    synth::add(&mut outputs, &take_path, &synthetic)?;

    // The take goes through its file form, as a user's would.
    let written =
        loopwright_formats::write_take(&synthetic.take, &loopwright_formats::Source::for_take(&synthetic.take))
            .map_err(Failure::error)?;
    let file = loopwright_formats::read_take(
        written.text.as_bytes(),
        "walk",
        &SpaceSettings::default(),
        &mut Vec::new(),
    )
    .map_err(Failure::error)?;
    let reading = TakeArgs {
        up: loopwright_formats::UpChoice::Auto,
        unit: loopwright_formats::UnitChoice::Auto,
        hips: None,
        feet: Vec::new(),
    };
    let analysis =
        loopwright::analysis::Analysis::of(&file.take, &load::overrides(&reading)).map_err(load::body_failure)?;
    let loaded = Loaded {
        path: take_path.clone(),
        file,
        analysis,
        warnings: Vec::new(),
    };
    let search = loopwright::candidate::SearchSettings::default();
    let found = find::search(&loaded, &search)?;
    let chosen = found
        .best()
        .ok_or_else(|| Failure::error("the built-in take has no loop; this is a fault of the program"))?;
    let settings = LoopSettings::default();
    let writing = LoopWriteSettings::default();
    let product = make::produce(&loaded, chosen, &settings, &writing)?;
    let sidecar = product.sidecar(
        &loaded,
        chosen,
        &settings,
        &writing,
        product.soft.clone(),
        &[&loop_path, &sidecar_path, &picture_path],
    );
    outputs.add(&loop_path, &product.bytes)?;
    outputs.add(&sidecar_path, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    outputs.add(&picture_path, picture(&loaded, chosen, &product).as_bytes())?;
    let truth = format!(
        "truth: period {:.4} s, {:.3} m/s, turning {:+.2} deg/s\n",
        synthetic.truth.period_secs,
        WalkSettings::default().speed_mps,
        WalkSettings::default().turn_dps
    );
    outputs.commit()?;
    output::print(&human::candidates(&loaded, &found))?;
    output::print("\n")?;
    output::print(&human::made(&sidecar))?;
    output::print(&truth)?;
    Ok(Ending::Done)
}

/// Width and height of the picture and the frame around its two plots, in its own units.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 48.0;

/// Paths seen from above beside joint heights over two periods with the seam in the middle.
fn picture(loaded: &Loaded, chosen: &LoopCandidate, product: &make::Product) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>A take and the loop made from it</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    svg.push_str(&path_from_above(loaded, chosen, product));
    svg.push_str(&heights_over_the_seam(loaded, product));
    svg.push_str("</svg>\n");
    svg
}

/// A plot's frame with its data range.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + self.width * (x - self.x.0) / (self.x.1 - self.x.0),
            self.top + self.height * (self.y.1 - y) / (self.y.1 - self.y.0),
        )
    }

    fn line(&self, points: impl Iterator<Item = (f64, f64)>, style: &str) -> String {
        let mut text = String::from("<polyline fill=\"none\" points=\"");
        for (x, y) in points {
            let (x, y) = self.point(x, y);
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(text, "\" {style}/>");
        text
    }

    fn label(&self, x: f64, y: f64, anchor: &str, text: &str) -> String {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222222\">{text}</text>\n")
    }

    fn outline(&self) -> String {
        format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#bbbbbb\"/>\n",
            self.left, self.top, self.width, self.height
        )
    }
}

const TAKE_STYLE: &str = "stroke=\"#999999\" stroke-width=\"1.5\"";
const LOOP_STYLE: &str = "stroke=\"#0072b2\" stroke-width=\"2.5\"";
const ROOT_STYLE: &str = "stroke=\"#d55e00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"";

fn path_from_above(loaded: &Loaded, chosen: &LoopCandidate, product: &make::Product) -> String {
    let clip = &product.made.loop_clip;
    let hips = loaded.analysis.body.hips;
    let world = &loaded.analysis.world;
    let take: Vec<DVec3> = (0..world.num_frames())
        .map(|frame| world.position(frame, hips))
        .collect();
    // As many cycles as the take still has room for, so that the loop can be held against it.
    let cycles = ((world.num_frames() as f64 - chosen.cut.start_frame()) / chosen.cut.num_frames())
        .floor()
        .max(1.0);
    let keys = (cycles * clip.num_samples() as f64) as usize;
    let played: Vec<DVec3> = (0..=keys).map(|key| clip.world_pose(key).0[hips]).collect();
    let root: Vec<DVec3> = (0..=keys)
        .map(|key| clip.root().at(key as f64 * clip.step_secs()).translation)
        .collect();
    let all = || take.iter().chain(&played);
    let low = all().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = all().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let (width, height) = (380.0, HEIGHT - 2.0 * MARGIN);
    // One scale for both directions, or circles would not be round.
    let half = 0.55 * ((high.x - low.x) / width).max((high.z - low.z) / height).max(1e-3);
    let middle = 0.5 * (low + high);
    let frame = Frame {
        left: MARGIN,
        top: MARGIN,
        width,
        height,
        // Seen from above with forward up, left is on the left.
        x: (middle.x + half * width, middle.x - half * width),
        y: (middle.z - half * height, middle.z + half * height),
    };
    let mut text = frame.outline();
    text += &frame.label(
        MARGIN,
        MARGIN - 26.0,
        "start",
        "from above: hips of the take (grey), of the loop (blue), its root (dashed)",
    );
    text += &frame.line(take.iter().map(|p| (p.x, p.z)), TAKE_STYLE);
    text += &frame.line(played.iter().map(|p| (p.x, p.z)), LOOP_STYLE);
    text += &frame.line(root.iter().map(|p| (p.x, p.z)), ROOT_STYLE);
    let metre = width / (frame.x.0 - frame.x.1);
    let (x, y) = (MARGIN + 12.0, MARGIN + height - 14.0);
    let _ = writeln!(
        text,
        "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#222222\" stroke-width=\"2\"/>",
        x + metre
    );
    text += &frame.label(x + 0.5 * metre, y - 6.0, "middle", "1 m");
    text
}

fn heights_over_the_seam(loaded: &Loaded, product: &make::Product) -> String {
    let clip = &product.made.loop_clip;
    let source = &product.made.source;
    let world = source.clip.world_tracks();
    let first = *source.clip.sample_range().start();
    let num_samples = clip.num_samples();
    let feet: Vec<usize> = loaded.analysis.body.feet.iter().map(|foot| foot.ankle).collect();
    let period = clip.period_secs();
    let looped = |joint: usize| -> Vec<(f64, f64)> {
        (0..=2 * num_samples)
            .map(|key| (key as f64 * clip.step_secs(), clip.world_pose(key).0[joint].y))
            .collect()
    };
    let uncut = |joint: usize, cycle: usize| -> Vec<(f64, f64)> {
        (0..=num_samples)
            .map(|sample| {
                let at = (sample + cycle * num_samples) as f64 * clip.step_secs();
                (at, world.position(sample + first.unsigned_abs(), joint).y)
            })
            .collect()
    };
    let heights = || feet.iter().flat_map(|&foot| looped(foot)).map(|(_, y)| y);
    let (low, high) = (
        heights().fold(f64::INFINITY, f64::min),
        heights().fold(f64::NEG_INFINITY, f64::max),
    );
    let room = 0.12 * (high - low).max(1e-3);
    let frame = Frame {
        left: 500.0,
        top: MARGIN,
        width: WIDTH - 500.0 - MARGIN,
        height: HEIGHT - 2.0 * MARGIN,
        x: (0.0, 2.0 * period),
        y: (low - room, high + room),
    };
    let mut text = frame.outline();
    text += &frame.label(
        500.0,
        MARGIN - 26.0,
        "start",
        "ankle heights over two periods, seam in the middle: cut (grey), loop (blue)",
    );
    let (seam, _) = frame.point(period, 0.0);
    let _ = writeln!(
        text,
        "<line x1=\"{seam:.1}\" y1=\"{:.1}\" x2=\"{seam:.1}\" y2=\"{:.1}\" stroke=\"#d55e00\" stroke-dasharray=\"3 3\"/>",
        MARGIN,
        HEIGHT - MARGIN
    );
    for &foot in &feet {
        for cycle in 0..2 {
            text += &frame.line(uncut(foot, cycle).into_iter(), TAKE_STYLE);
        }
        text += &frame.line(looped(foot).into_iter(), LOOP_STYLE);
    }
    for (share, anchor) in [(0.0, "start"), (1.0, "middle"), (2.0, "end")] {
        let (x, _) = frame.point(share * period, 0.0);
        text += &frame.label(x, HEIGHT - MARGIN + 18.0, anchor, &format!("{:.2} s", share * period));
    }
    for y in [low, high] {
        let (_, at) = frame.point(0.0, y);
        text += &frame.label(494.0, at + 4.0, "end", &format!("{:.0} cm", 100.0 * y));
    }
    text
}
