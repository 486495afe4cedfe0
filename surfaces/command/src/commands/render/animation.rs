//! Draws animations, on all processors.

use loopwright_core::math::greatest;
use loopwright_draw::render::{self, AnimationFormat, DrawnMotion, Packer, Picture, RenderError, Scene};

use super::Drawn;
use crate::{
    args::RenderArgs,
    exit::{Failure, Result},
    parallel,
    talk::Progress,
};

/// Maximum number of pictures in an animation: a minute and a half at 30 a second, some hundred megabytes.
const MAX_PICTURES: usize = 3000;

/// Maximum number of pixels in all pictures of an animation together: the packed pictures are held in memory.
const MAX_PIXELS: f64 = 3e9;

/// Default rate of an animation, unless the motion is slower, pictures a second. Browsers show more, but GIF cannot time them
/// evenly.
const DEFAULT_FPS: f64 = 30.0;

/// Highest rate that GIF players honour, pictures a second.
const MAX_FPS: f64 = 50.0;

/// Number of pictures from which the colours of an animation are taken.
const SAMPLES: usize = 3;

/// Draws an animation of all motions, side by side.
pub fn animation(
    args: &RenderArgs,
    motions: &[(String, DrawnMotion)],
    scenes: &[Scene],
    format: AnimationFormat,
) -> Result<Drawn> {
    let rate = rate(args, motions)?;
    let shown = greatest(scenes.iter().map(Scene::shown_secs));
    let count = (shown * rate).round().max(1.0);
    if count > MAX_PICTURES as f64 {
        return Err(failure!("{count:.0} pictures exceed the limit of {MAX_PICTURES}")
            .because(format!("{shown:.1} s are shown at {rate:.0} pictures a second"))
            .try_this("--range START:END for a part of it, fewer --cycles, or a lower --fps"));
    }
    let count = count as usize;
    let secs_each = shown / count as f64;
    let failed = |error: RenderError| Failure::cannot("draw", &args.output, error).try_this("a smaller --size");
    let draw = |index: usize| -> Result<Picture, RenderError> {
        let panels = scenes
            .iter()
            .map(|scene| {
                let secs = index as f64 * secs_each;
                // A shorter motion repeats while a longer one continues.
                scene.frame(if scene.shown_secs() > 0.0 {
                    secs % scene.shown_secs()
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
        return Err(failure!(
            "{count} pictures of {} x {} pixels are too much for one animation",
            size[0],
            size[1]
        )
        .try_this("a smaller --size or --fps, --range START:END, or fewer --cycles"));
    }
    let packer = Packer::new(format, &samples).map_err(failed)?;
    let progress = Progress::new("drawing", count);
    let packed = parallel::in_order(count, |index| {
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

/// Returns the rate of the animation, pictures a second.
fn rate(args: &RenderArgs, motions: &[(String, DrawnMotion)]) -> Result<f64> {
    let own = greatest(motions.iter().map(|(_, motion)| 1.0 / motion.step_secs()));
    match args.fps {
        None => Ok(own.min(DEFAULT_FPS)),
        Some(rate) if rate > 0.0 && rate <= MAX_FPS => Ok(rate),
        Some(rate) => Err(
            failure!("--fps must be a positive number of at most {MAX_FPS}, found {rate:?}")
                .because("players show faster animations slower")
                .try_this("--fps 25"),
        ),
    }
}
