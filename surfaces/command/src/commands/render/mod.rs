//! `loopwright render`: draws a take or a loop.

use loopwright_draw::render::{
    self, AnimationFormat, DrawnMotion, MAX_CELLS, Picture, RenderError, Scene, SceneSettings,
};

use super::each::{self, Manner};
use crate::{
    args::RenderArgs,
    batch,
    exit::{Ending, Failure, Result},
    files, memory,
    output::{self, Outputs},
};

mod animation;
mod motions;

use animation::animation;
pub use motions::loop_motion;
use motions::motions;

/// Cells of a contact sheet, unless the user gives the number of frames between them.
const CELLS: usize = 24;

/// Pixels of a picture, and of a cell of a contact sheet.
const PICTURE: [u32; 2] = [512, 512];
const CELL: [u32; 2] = [256, 256];

pub fn run(args: &RenderArgs) -> Result<Ending> {
    let are_patterns = args.inputs.iter().any(|input| batch::is_many(input));
    if !are_patterns && args.inputs.len() <= 2 {
        for input in &args.inputs {
            files::check_is_there(input)?;
        }
        if args.inputs.len() == 2 && !output::is_named_as_folder(&args.output) {
            return one(args);
        }
    }
    let manner = Manner {
        jobs: args.jobs,
        json: args.json,
        character: None,
        for_one: &[],
    };
    each::output(
        &args.inputs,
        &args.output,
        |_| args.to.clone(),
        manner,
        |input, output, _| {
            one(&RenderArgs {
                inputs: vec![input.typed()],
                output: output.to_owned(),
                ..args.clone()
            })
        },
    )
}

/// Draws one picture.
fn one(args: &RenderArgs) -> Result<Ending> {
    let kind = kind_of(args)?;
    let mut outputs = Outputs::keeping(args.force, &args.inputs);
    outputs.check(&args.output)?;
    let motions = motions(args)?;
    let settings = SceneSettings {
        view: args.view,
        is_fixed: args.fixed,
        size: args.size.unwrap_or(if kind == Kind::Sheet { CELL } else { PICTURE }),
        cycles: args.cycles.unwrap_or(1),
    };
    let failed = |error: RenderError| Failure::cannot("draw", &args.output, error).try_this("another --size");
    let scenes = motions
        .iter()
        .map(|(title, motion)| Scene::new(motion, &settings, title))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let drawn = match kind {
        Kind::Animation(format) => {
            check_room(AT_ONCE * scenes.len(), settings.size)?;
            animation(args, &motions, &scenes, format)?
        }
        Kind::Sheet => sheet(args, &motions, &scenes, settings.size)?,
        Kind::Onion => {
            check_room(AT_ONCE * scenes.len(), settings.size)?;
            let skins: Result<Vec<_>, _> = scenes.iter().map(render::onion).collect();
            Drawn::still(&render::side_by_side(&skins.map_err(failed)?).map_err(failed)?, 1).map_err(failed)?
        }
    };
    outputs.add(&args.output, &drawn.bytes)?;
    let outputs = outputs.commit()?;
    let answer = RenderAnswer {
        kind: match kind {
            Kind::Animation(_) => "animation",
            Kind::Sheet => "contact sheet",
            Kind::Onion => "onion skin",
        },
        pictures: drawn.pictures,
        width_px: drawn.size[0],
        height_px: drawn.size[1],
        duration_secs: drawn.secs,
    };
    output::answer("render", &answer, None, &outputs, args.json, |answer| {
        human(answer, &args.output.display().to_string())
    })
}

/// Memory per pixel while it is drawn and packed, bytes; and the number of pictures in memory at once, unless all are.
const PIXEL_BYTES: u64 = 20;
const AT_ONCE: usize = 2;

/// Errors: pictures of this size take more memory than the run may use.
fn check_room(pictures: usize, [width, height]: [u32; 2]) -> Result<()> {
    let pixels = u64::from(width) * u64::from(height) * pictures as u64;
    memory::limits().check_room(PIXEL_BYTES * pixels).map_err(|error| {
        failure!("pictures of {width} x {height} pixels are too large: {error}")
            .try_this(format!("a smaller --size; or {}", memory::hint(error.needed)))
    })
}

/// The kind of picture to draw.
#[value(Copy, Eq)]
enum Kind {
    Animation(AnimationFormat),
    Sheet,
    Onion,
}

/// Returns the kind of picture that the file name and the flags ask for.
fn kind_of(args: &RenderArgs) -> Result<Kind> {
    let path = &args.output;
    let wrong = |why: &str, hint: &str| Err(Failure::cannot("draw", path, why).try_this(hint.to_owned()));
    let kind = match files::lowercase_extension(path).as_deref() {
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

/// Draws contact sheets of all motions, side by side.
fn sheet(args: &RenderArgs, motions: &[(String, DrawnMotion)], scenes: &[Scene], size: [u32; 2]) -> Result<Drawn> {
    let failed = |error: RenderError| Failure::cannot("draw", &args.output, error).try_this("another --size");
    let mut pictures = 0;
    let sheets = motions
        .iter()
        .zip(scenes)
        .map(|((_, motion), scene)| {
            let cycles = if motion.repeats() {
                args.cycles.unwrap_or(1) as usize
            } else {
                1
            };
            let num_frames = motion.num_frames() * cycles;
            let stride = args.every.unwrap_or(num_frames.div_ceil(CELLS)).max(1);
            let frames: Vec<usize> = (0..num_frames).step_by(stride).collect();
            if frames.len() > MAX_CELLS {
                warning!(
                    "{} cells are asked for, the first {MAX_CELLS} are drawn; a larger --every shows the rest",
                    frames.len()
                );
            }
            pictures += frames.len().min(MAX_CELLS);
            check_room(pictures, size)?;
            render::contact_sheet(scene, &frames).map_err(failed)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Drawn::still(&render::side_by_side(&sheets).map_err(failed)?, pictures).map_err(failed)
}

/// The answer of `render`.
#[in_schema]
pub struct RenderAnswer {
    /// What was drawn.
    #[schemars(extend("enum" = ["animation", "contact sheet", "onion skin"]))]
    kind: &'static str,
    /// Pictures of an animation, cells of a sheet.
    pictures: usize,
    /// Width.
    width_px: u32,
    /// Height.
    height_px: u32,
    /// Length of an animation; null for a still.
    duration_secs: Option<f64>,
}

/// Words the answer of `render`.
fn human(answer: &RenderAnswer, file: &str) -> String {
    let RenderAnswer {
        pictures,
        width_px,
        height_px,
        ..
    } = answer;
    let what = match (answer.kind, answer.duration_secs) {
        ("animation", Some(secs)) => format!("{pictures} pictures, {secs:.2} s"),
        ("contact sheet", _) => format!("{pictures} frames"),
        _ => "the seam".to_owned(),
    };
    format!("{file}: {what}, {width_px} x {height_px}\n")
}
