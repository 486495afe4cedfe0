//! `loopwright render`: draws a take or a loop.

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use loopwright::{
    analysis::body::Body,
    recognition,
    root_motion::{RootMode, extract},
    take::{Clip, Cut},
};
use loopwright_draw::render::{
    self, AnimationFormat, Figure, MAX_CELLS, Motion, MotionError, Packed, Packer, Picture, RenderError, Stage,
    StageSettings, View,
};

use crate::{
    args::{RenderArgs, ViewChoice},
    exit::{Ending, Failure},
    load::{self, Loaded},
    output::{self, Outputs},
    report::{human, json, json::RenderAnswer},
    talk::{self, Progress},
    written_loop::{self, WrittenLoop},
};

/// Most pictures of an animation: a minute and a half at 30 a second, some hundred megabytes.
const MAX_PICTURES: usize = 3000;

/// Most pixels of all pictures of an animation together: what is packed is held in memory.
const MAX_PIXELS: f64 = 3e9;

/// Rate of an animation unless the motion is slower or the user says otherwise, pictures a second: browsers show more, GIF
/// does not hold them evenly.
const DEFAULT_FPS: f64 = 30.0;

/// Highest rate that GIF players keep to, pictures a second.
const MAX_FPS: f64 = 50.0;

/// Cells of a contact sheet unless the user says how many frames lie between them.
const CELLS: usize = 24;

/// Pixels of a picture, and of a cell of a contact sheet.
const PICTURE: [u32; 2] = [512, 512];
const CELL: [u32; 2] = [256, 256];

/// Pictures that the colours of an animation are taken from.
const SAMPLES: usize = 3;

pub(crate) fn run(args: &RenderArgs) -> Result<Ending, Failure> {
    let mut outputs = Outputs::new(args.force);
    let kind = kind_of(args)?;
    for input in &args.inputs {
        outputs.spare(input);
    }
    outputs.check(&args.output)?;
    let motions = motions(args)?;
    let settings = StageSettings {
        view: view(args.view),
        is_fixed: args.fixed,
        size: args.size.unwrap_or(if kind == Kind::Sheet { CELL } else { PICTURE }),
        cycles: args.cycles.unwrap_or(1),
    };
    let failed = |error: RenderError| {
        Failure::error(format!("cannot draw \"{}\": {error}", args.output.display())).try_this("another --size")
    };
    let stages = motions
        .iter()
        .map(|(title, motion)| Stage::new(motion, &settings, title))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let drawn = match kind {
        Kind::Animation(format) => animation(args, &motions, &stages, format)?,
        Kind::Sheet => sheet(args, &motions, &stages).map_err(failed)?,
        Kind::Onion => {
            let skins = stages
                .iter()
                .map(render::onion)
                .collect::<Result<Vec<_>, _>>()
                .map_err(failed)?;
            Drawn::still(&render::side_by_side(&skins).map_err(failed)?, 1).map_err(failed)?
        }
    };
    outputs.add(&args.output, &drawn.bytes)?;
    outputs.commit()?;
    let answer = RenderAnswer {
        file: args.output.display().to_string(),
        kind: match kind {
            Kind::Animation(_) => "animation",
            Kind::Sheet => "contact sheet",
            Kind::Onion => "onion skin",
        },
        pictures: drawn.pictures,
        width: drawn.size[0],
        height: drawn.size[1],
        seconds: drawn.secs,
    };
    output::print(&if args.json {
        json::render(&answer)
    } else {
        human::rendered(&answer)
    })?;
    Ok(Ending::Done)
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Animation(AnimationFormat),
    Sheet,
    Onion,
}

/// What the name of the picture and the flags ask for.
fn kind_of(args: &RenderArgs) -> Result<Kind, Failure> {
    let path = &args.output;
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let wrong = |why: &str, hint: &str| {
        Err(Failure::error(format!("cannot draw \"{}\": {why}", path.display())).try_this(hint.to_owned()))
    };
    let kind = match extension.as_deref() {
        Some("gif") => Kind::Animation(AnimationFormat::Gif),
        Some("webp") => Kind::Animation(AnimationFormat::WebP),
        Some("png") if args.onion => Kind::Onion,
        Some("png") => Kind::Sheet,
        _ => {
            return wrong(
                "renders are GIF, WebP or PNG",
                "-o with a name that ends in .gif, .webp or .png",
            );
        }
    };
    match kind {
        Kind::Animation(_) if args.onion => wrong("the onion skin is one picture", "-o with a name that ends in .png"),
        Kind::Animation(_) if args.every.is_some() => wrong(
            "--every is for contact sheets",
            "-o with a name that ends in .png, or --fps for an animation",
        ),
        Kind::Sheet if args.fps.is_some() => wrong(
            "--fps is for animations",
            "-o with a name that ends in .gif or .webp, or --every for a contact sheet",
        ),
        kind => Ok(kind),
    }
}

fn view(choice: ViewChoice) -> View {
    match choice {
        ViewChoice::ThreeQuarter => View::ThreeQuarter,
        ViewChoice::Side => View::Side,
        ViewChoice::Front => View::Front,
        ViewChoice::Back => View::Back,
        ViewChoice::Top => View::Top,
    }
}

/// Titles and motions of all inputs.
fn motions(args: &RenderArgs) -> Result<Vec<(String, Motion)>, Failure> {
    // A loop beside its take says which frames of the take to show.
    let mut motions = Vec::new();
    for (index, path) in args.inputs.iter().enumerate() {
        let other = args.inputs.get(1 - index).filter(|_| args.inputs.len() == 2);
        let title = load::stem(path);
        let motion = match written_loop::read_sidecar(path, &args.reading)? {
            Some(_) => loop_motion(path, args)?,
            None => take_motion(path, args, other.map(std::path::PathBuf::as_path))?,
        };
        motions.push((title, motion));
    }
    Ok(motions)
}

/// A file with a sidecar: a loop.
fn loop_motion(path: &Path, args: &RenderArgs) -> Result<Motion, Failure> {
    let WrittenLoop {
        sidecar,
        written,
        warnings,
        ..
    } = written_loop::read(path, &args.reading)?;
    for warning in &warnings {
        talk::warn(&format!("{}: {warning}", path.display()));
    }
    let body = Body::find(&written, &load::overrides(&args.reading)).map_err(load::body_failure)?;
    let figure = Figure::of(&written, &body);
    let (layout, root) = match &sidecar {
        Some(sidecar) => {
            let (layout, root, _) = written_loop::from_sidecar(&written, sidecar)?;
            (layout, root)
        }
        None => {
            let carrier = recognition::topmost_moving(&written, &body);
            let seen = recognition::recognise(&written, &body, carrier).map_err(|error| unfit(path, error))?;
            (seen.layout, seen.root)
        }
    };
    Motion::of_written(&written, layout, root, &figure)
        .map_err(|error| unfit(path, error).try_this(written_loop::OTHER_SIDECAR))
}

fn unfit(path: &Path, why: impl core::fmt::Display) -> Failure {
    Failure::error(format!("cannot draw \"{}\": {why}", path.display()))
}

/// A file without a sidecar: a take, a stretch of it, or a stretch repeated.
fn take_motion(path: &Path, args: &RenderArgs, beside: Option<&Path>) -> Result<Motion, Failure> {
    let loaded = load::load(path, &args.reading.clone().into())?;
    let figure = Figure::of(loaded.take(), &loaded.analysis.body);
    let last = loaded.take().num_frames() - 1;
    let repeats = args.onion || args.cycles.is_some() || beside.is_some();
    let no_range = |(start, end): (usize, usize)| {
        unfit(path, format!("frames {start}:{end} are not a range of it"))
            .because(format!(
                "its frames are 0 to {last}, and the start must lie before the end"
            ))
            .try_this(format!("--range START:END within 0:{last}"))
    };
    if let Some((start, end)) = args.range {
        if start >= end || end > last {
            return Err(no_range((start, end)));
        }
        if repeats {
            let cut = Cut::new(loaded.take(), start as f64, end as f64).map_err(|error| unfit(path, error))?;
            return cut_motion(&loaded, &cut, end - start, loaded.take().frame_time_secs(), &figure);
        }
        return Motion::of_take(loaded.take(), &loaded.analysis, &figure, start, end)
            .map_err(|error| unfit(path, error));
    }
    if let Some(other) = beside
        && written_loop::has_sidecar(other)
    {
        let WrittenLoop {
            sidecar: Some(sidecar),
            written,
            ..
        } = written_loop::read(other, &args.reading)?
        else {
            return Err(unfit(other, "its sidecar is gone"));
        };
        let (_, root, carrier) = written_loop::from_sidecar(&written, &sidecar)?;
        let source = written_loop::source_of(&loaded, &sidecar, &written, root, carrier)?;
        let cut = &sidecar.candidate;
        return Motion::of_cut(&source, &figure, cut.start_frame, cut.end_frame - cut.start_frame)
            .map_err(|error| unfit(path, error));
    }
    if args.onion || args.cycles.is_some() {
        // A loop whose sidecar is gone still shows what its keys are.
        return loop_motion(path, args);
    }
    Motion::of_take(loaded.take(), &loaded.analysis, &figure, 0, last).map_err(|error| unfit(path, error))
}

/// A stretch of a take repeated as it is.
fn cut_motion(
    loaded: &Loaded,
    cut: &Cut,
    num_frames: usize,
    step_secs: f64,
    figure: &Figure,
) -> Result<Motion, Failure> {
    let clip = Clip::new(loaded.take(), cut, num_frames, step_secs).map_err(|error| unfit(&loaded.path, error))?;
    let source =
        extract(&clip, &loaded.analysis, 1, &RootMode::Screw.into()).map_err(|error| unfit(&loaded.path, error))?;
    Motion::of_cut(&source, figure, cut.start_frame(), cut.num_frames())
        .map_err(|error: MotionError| unfit(&loaded.path, error))
}

/// A finished file.
struct Drawn {
    bytes: Vec<u8>,
    pictures: usize,
    size: [u32; 2],
    secs: Option<f64>,
}

impl Drawn {
    fn still(picture: &Picture, pictures: usize) -> Result<Self, RenderError> {
        Ok(Self {
            bytes: picture.png()?,
            pictures,
            size: picture.size(),
            secs: None,
        })
    }
}

/// Contact sheets of all motions next to each other.
fn sheet(args: &RenderArgs, motions: &[(String, Motion)], stages: &[Stage<'_>]) -> Result<Drawn, RenderError> {
    let mut pictures = 0;
    let sheets = motions
        .iter()
        .zip(stages)
        .map(|((_, motion), stage)| {
            let cycles = if motion.repeats() {
                args.cycles.unwrap_or(1) as usize
            } else {
                1
            };
            let num_frames = motion.num_frames() * cycles;
            let every = args.every.unwrap_or(num_frames.div_ceil(CELLS)).max(1);
            let frames: Vec<usize> = (0..num_frames).step_by(every).collect();
            if frames.len() > MAX_CELLS {
                talk::warn(&format!(
                    "{} cells are asked for, the first {MAX_CELLS} are drawn; a larger --every shows the rest",
                    frames.len()
                ));
            }
            pictures += frames.len().min(MAX_CELLS);
            render::contact_sheet(stage, &frames)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Drawn::still(&render::side_by_side(&sheets)?, pictures)
}

/// An animation, drawn on all processors.
fn animation(
    args: &RenderArgs,
    motions: &[(String, Motion)],
    stages: &[Stage<'_>],
    format: AnimationFormat,
) -> Result<Drawn, Failure> {
    let rate = rate(args, motions)?;
    let shown = stages.iter().map(Stage::shown_secs).fold(0.0, f64::max);
    let count = (shown * rate).round().max(1.0);
    if count > MAX_PICTURES as f64 {
        return Err(Failure::error(format!(
            "{count:.0} pictures are asked for, the limit is {MAX_PICTURES}"
        ))
        .because(format!("{shown:.1} s are shown at {rate:.0} pictures a second"))
        .try_this("--range START:END for a part of it, fewer --cycles, or a lower --fps"));
    }
    let count = count as usize;
    let secs_each = shown / count as f64;
    let failed = |error: RenderError| {
        Failure::error(format!("cannot draw \"{}\": {error}", args.output.display())).try_this("a smaller --size")
    };
    let draw = |index: usize| -> Result<Picture, RenderError> {
        let panels = stages
            .iter()
            .map(|stage| {
                let secs = index as f64 * secs_each;
                // A shorter motion starts again while a longer one goes on.
                stage.frame(if stage.shown_secs() > 0.0 {
                    secs % stage.shown_secs()
                } else {
                    0.0
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        render::side_by_side(&panels)
    };
    let samples = (0..SAMPLES.min(count))
        .map(|sample| draw(sample * count / SAMPLES.min(count)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let size = samples[0].size();
    if count as f64 * size.map(f64::from).iter().product::<f64>() > MAX_PIXELS {
        return Err(Failure::error(format!(
            "{count} pictures of {} x {} pixels are too much for one animation",
            size[0], size[1]
        ))
        .try_this("a smaller --size or --fps, --range START:END, or fewer --cycles"));
    }
    let packer = Packer::new(format, &samples).map_err(failed)?;
    let progress = Progress::new("drawing", count);
    let packed = in_parallel(count, |index| {
        let packed = draw(index).and_then(|picture| packer.pack(&picture));
        progress.step();
        packed
    })
    .map_err(failed)?;
    progress.finish();
    Ok(Drawn {
        size,
        bytes: packer.join(packed, secs_each).map_err(failed)?,
        pictures: count,
        secs: Some(shown),
    })
}

/// Pictures a second.
fn rate(args: &RenderArgs, motions: &[(String, Motion)]) -> Result<f64, Failure> {
    let own = motions
        .iter()
        .map(|(_, motion)| 1.0 / motion.step_secs())
        .fold(0.0, f64::max);
    match args.fps {
        None => Ok(own.min(DEFAULT_FPS)),
        Some(rate) if rate > 0.0 && rate <= MAX_FPS => Ok(rate),
        Some(rate) => Err(Failure::error(format!(
            "--fps must be a positive number of at most {MAX_FPS}, found {rate}"
        ))
        .because("players show faster animations slower")
        .try_this("--fps 25")),
    }
}

/// The results of `work` for 0 to `count`, in order; the first error in order otherwise.
fn in_parallel<E: Send>(count: usize, work: impl Fn(usize) -> Result<Packed, E> + Sync) -> Result<Vec<Packed>, E> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Packed, E>>>> = Mutex::new((0..count).map(|_| None).collect());
    let threads = std::thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(count);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = work(index);
                    if result.is_err() {
                        // Nobody needs the pictures after it.
                        next.store(count, Ordering::Relaxed);
                    }
                    let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    results[index] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.into_iter().flatten().collect()
}
