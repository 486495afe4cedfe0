//! Selects the motions of takes and loops to draw.

use std::path::Path;

use loopwright_core::{Cut, RootMode, analysis::Body, take::Clip};
use loopwright_draw::{Figure, render::DrawnMotion};

use loopwright_formats::LoopInFile;
use loopwright_job::Studied;

use crate::{
    args::RenderArgs,
    exit::{Failure, Result},
    failures,
    files::{self, InputFile},
    load,
    recipe::TakeArgs,
    surface::Surfaces,
    talk,
    written_loop::{self, WrittenLoop},
};

/// Returns titles and motions of all inputs.
pub fn motions(args: &RenderArgs) -> Result<Vec<(String, DrawnMotion)>> {
    let inputs: Vec<Input> = args
        .inputs
        .iter()
        .map(|path| Input::read(path, args))
        .collect::<Result<_, _>>()?;
    let mut motions = Vec::new();
    let surfaces = Surfaces::new(args.capsules);
    for (index, input) in inputs.iter().enumerate() {
        let motion = match &input.as_loop {
            Some(read) => loop_motion(&input.file.path, read, &input.reading, &surfaces)?.0,
            None => take_motion(
                input,
                args,
                inputs.get(1 - index.min(1)).filter(|_| inputs.len() == 2),
                &surfaces,
            )?,
        };
        motions.push((files::stem(&args.inputs[index]), motion));
    }
    Ok(motions)
}

/// A file to draw, and the animation of it.
struct Input {
    file: InputFile,
    reading: TakeArgs,
    /// The loop in it, if it has a sidecar of this animation.
    as_loop: Option<WrittenLoop>,
}

impl Input {
    /// Reads a loop with its sidecar, and prints its warnings; a take is read when it is drawn.
    fn read(path: &Path, args: &RenderArgs) -> Result<Self> {
        let file = InputFile::named(path);
        let as_loop = match written_loop::read_sidecar(&file, &args.reading)? {
            Some(_) => Some(read_loop(&file, &args.reading)?),
            None => None,
        };
        let reading = file.reading(&args.reading);
        Ok(Self { file, reading, as_loop })
    }
}

fn read_loop(file: &InputFile, reading: &TakeArgs) -> Result<WrittenLoop> {
    let read = written_loop::read(file, reading)?;
    talk::warn_of(file.path.display(), &read.warnings);
    Ok(read)
}

/// Returns the motion of a loop, with a sidecar or recognised from its keys, and how the keys make it up.
pub fn loop_motion(
    path: &Path,
    read: &WrittenLoop,
    reading: &TakeArgs,
    surfaces: &Surfaces,
) -> Result<(DrawnMotion, LoopInFile)> {
    let written = &read.written;
    let body = Body::find(written, &reading.overrides())?;
    let in_file = match &read.sidecar {
        Some(sidecar) => written_loop::of_sidecar(sidecar, written)?,
        None => LoopInFile::recognised(written, &body).map_err(|error| unfit(path, error))?,
    };
    let figure = surfaces.of_loop(Figure::new(written, &body), path, read, &in_file.root);
    Ok((
        DrawnMotion::of_written(written, in_file.layout, in_file.root, &figure)
            .map_err(|error| unfit(path, error).try_this(written_loop::OTHER_SIDECAR))?,
        in_file,
    ))
}

fn unfit(path: &Path, why: impl core::fmt::Display) -> Failure {
    Failure::cannot("draw", path, why)
}

/// Returns the motion of a file without a sidecar: a take, a stretch of it, or a repeated stretch.
///
/// If a loop of it is drawn beside it, that loop's sidecar selects the frames.
fn take_motion(
    Input { file, reading, .. }: &Input,
    args: &RenderArgs,
    beside: Option<&Input>,
    surfaces: &Surfaces,
) -> Result<DrawnMotion> {
    let path = &file.path;
    let loaded = load::load(file, &reading.clone().into())?;
    let figure = Figure::new(loaded.take(), &loaded.analysis.body);
    let figure = surfaces.of_take(figure, path, loaded.take(), &loaded.file.source);
    let last = loaded.take().num_frames() - 1;
    let repeats = args.onion || args.cycles.is_some() || beside.is_some();

    if let Some((start, end)) = args.range {
        if start >= end || end > last {
            return Err(failures::out_of_range(
                unfit(path, format!("frames {start}:{end} are not a range of it")),
                last,
                "range",
            ));
        }
        if repeats {
            return cut_motion(
                &loaded,
                [start as f64, end as f64],
                end - start,
                loaded.take().frame_time_secs(),
                &figure,
            );
        }
        return DrawnMotion::of_take(&loaded.analysis, &figure, start, end).map_err(|error| unfit(path, error));
    }
    if let Some(WrittenLoop {
        sidecar: Some(sidecar),
        written,
        ..
    }) = beside.and_then(|other| other.as_loop.as_ref())
    {
        let cut = &sidecar.candidate;
        if sidecar.take.rig.is_some() && last + 1 == sidecar.take.frames && cut.ping_pong_ease_frames.is_none() {
            // The skeletons differ: the take is drawn as recorded, in step with the loop.
            return cut_motion(
                &loaded,
                [cut.start_frame, cut.end_frame],
                sidecar.playback.samples / sidecar.num_copies(),
                written.frame_time_secs(),
                &figure,
            );
        }
        let source = written_loop::of_sidecar(sidecar, written)?
            .uncut(sidecar, written, &loaded.analysis)
            .map_err(|error| written_loop::of_other_take(&loaded, sidecar, &error, ["the loop alone", ""]))?;
        return DrawnMotion::of_cut(&source, &figure, cut.start_frame, cut.end_frame - cut.start_frame)
            .map_err(|error| unfit(path, error));
    }
    if args.onion || args.cycles.is_some() {
        // A loop without its sidecar can still be drawn from its keys.
        return Ok(loop_motion(path, &read_loop(file, reading)?, reading, surfaces)?.0);
    }
    DrawnMotion::of_take(&loaded.analysis, &figure, 0, last).map_err(|error| unfit(path, error))
}

/// Returns a stretch of a take, repeated unchanged.
fn cut_motion(
    loaded: &Studied,
    [start, end]: [f64; 2],
    num_frames: usize,
    step_secs: f64,
    figure: &Figure,
) -> Result<DrawnMotion> {
    let path = Path::new(&loaded.name);
    let cut = Cut::new(loaded.take(), start, end).map_err(|error| unfit(path, error))?;
    let source = loaded
        .analysis
        .extract_root_motion(
            &Clip::new(loaded.take(), &cut, num_frames, step_secs).map_err(|error| unfit(path, error))?,
            1,
            &RootMode::Constant.into(),
        )
        .map_err(|error| unfit(path, error))?;
    DrawnMotion::of_cut(&source, figure, cut.start_frame(), cut.num_frames()).map_err(|error| unfit(path, error))
}
