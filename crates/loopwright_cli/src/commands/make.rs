//! `loopwright make`: from a take to a loop.

use std::path::{Path, PathBuf};

use loopwright::{
    candidate::{self, LoopCandidate},
    closure::{ClosureSettings, Order, Shape},
    pipeline::{self, LoopSettings, Made, MakeError, Sampling},
    quality::{self, KeyLayout, LoopKeys, Quality},
    root_motion::RootMode,
    take::CutError,
};
use loopwright_formats::{ClosingKey, LoadedTake, LoopWriteSettings, Sidecar, sidecar::PlaybackFacts};

use crate::{
    args::{ClosureChoice, DEFAULT_TOP, LastKeyChoice, MakeArgs, RootChoice},
    commands::{convert, find},
    exit::{Ending, Failure},
    load::{self, Loaded},
    output::{self, Outputs},
    plot::PlotFile,
    report::{facts, human, json},
    talk,
};

/// Most keys a file may get: `--repeat` and `--fps` multiply, and a slip should not fill the disk.
const MAX_KEYS: usize = 2_000_000;

pub(crate) fn run(args: &MakeArgs) -> Result<Ending, Failure> {
    let closure = closure_settings(args)?;
    let loop_path = args.output.clone().unwrap_or_else(|| default_output(&args.take));
    convert::require_bvh(&loop_path)?;
    let sidecar_path = sidecar_path(&loop_path);
    let mut outputs = Outputs::new(args.force);
    outputs.spare(&args.take, &loop_path)?;
    outputs.check(&loop_path)?;
    outputs.check(&sidecar_path)?;
    outputs.spare(&args.take, &sidecar_path)?;
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;

    let loaded = load::load(&args.take, &args.reading)?;
    let mut warnings = loaded.warnings.clone();
    let chosen = choose(&loaded, args)?;
    let mut soft: Vec<String> = Vec::new();
    if args.range.is_none() {
        soft.extend(find::confidence_warning(&loaded, &chosen));
    }
    soft.extend(soiled_warning(&loaded, &chosen));
    let settings = LoopSettings {
        closure,
        root: root_mode(args.root),
        sampling: sampling(args)?,
    };
    let product = produce(&loaded, &chosen, &settings, &writing(args))?;
    soft.extend(product.soft.iter().cloned());
    for warning in &soft {
        talk::warn(warning);
    }
    warnings.extend(soft);

    let sidecar = product.sidecar(
        &loaded,
        &chosen,
        &settings,
        &writing(args),
        warnings,
        &[Some(&loop_path), Some(&sidecar_path), args.plot.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect::<Vec<_>>(),
    );
    outputs.add(&loop_path, &product.bytes)?;
    outputs.add(&sidecar_path, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    if let Some(plot) = plot {
        plot.add(&mut outputs, &product.plot(&loaded, &chosen))?;
    }
    outputs.commit()?;
    output::print(&if args.json {
        json::make(&sidecar)
    } else {
        human::made(&sidecar)
    })?;
    Ok(Ending::Done)
}

/// A loop as bytes, with its figures.
pub(crate) struct Product {
    pub(crate) bytes: Vec<u8>,
    pub(crate) made: Made,
    pub(crate) quality: Quality,
    /// What is worth a warning.
    pub(crate) soft: Vec<String>,
}

/// Makes, writes into memory, reads back, and measures what was read.
pub(crate) fn produce(
    loaded: &Loaded,
    chosen: &LoopCandidate,
    settings: &LoopSettings,
    writing: &LoopWriteSettings,
) -> Result<Product, Failure> {
    let made = pipeline::make(loaded.take(), &loaded.analysis, &chosen.cut, chosen.cycles, settings)
        .map_err(|error| make_failure(loaded, error))?;
    let keys = made.loop_clip.num_samples().saturating_mul(writing.copies);
    if keys > MAX_KEYS {
        return Err(
            Failure::error(format!("{keys} keys are asked for, the limit is {MAX_KEYS}"))
                .try_this("a smaller --repeat, --fps or --frames"),
        );
    }
    let written =
        loopwright_formats::write_loop(&made.loop_clip, &loaded.file.source, writing).map_err(Failure::error)?;
    let bytes = written.text.into_bytes();
    let mut soft: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    soft.extend(made.closed.clamps.iter().map(ToString::to_string));
    let quality = measure(loaded, &made, writing, &bytes)?;
    if quality.pops() {
        soft.push(format!(
            "the seam pops: gap {:.3} deg and {:.3} mm, seam acceleration {:.2} of the clip's own peaks",
            quality.c0_radians.to_degrees(),
            1e3 * quality.c0_metres,
            quality.seam_acceleration_p99
        ));
    }
    Ok(Product {
        bytes,
        made,
        quality,
        soft,
    })
}

impl Product {
    /// What closing did, as SVG.
    pub(crate) fn plot(&self, loaded: &Loaded, chosen: &LoopCandidate) -> String {
        loopwright_draw::plot::make(loaded.take(), &loaded.analysis, &chosen.cut, &self.made)
    }

    /// All facts about the loop, as the file beside it has them.
    pub(crate) fn sidecar(
        &self,
        loaded: &Loaded,
        chosen: &LoopCandidate,
        settings: &LoopSettings,
        writing: &LoopWriteSettings,
        warnings: Vec<String>,
        outputs: &[&Path],
    ) -> Sidecar {
        let clip = &self.made.loop_clip;
        Sidecar {
            take: loaded.facts(),
            candidate: facts::candidate(chosen, clip.period_secs()),
            closure: facts::closure(&settings.closure, &self.made.closed),
            root: facts::root(clip.root()),
            quality: facts::quality(&self.quality, Some(&self.made.closed)),
            playback: PlaybackFacts {
                samples: clip.num_samples(),
                closing_key: writing.closing_key == ClosingKey::Repeat,
                copies: writing.copies,
                root_joint_added: writing.add_root,
                carrier_joint: clip.skeleton().joint(clip.carrier()).name.clone(),
            },
            warnings,
            outputs: outputs.iter().map(|path| path.display().to_string()).collect(),
            ..Sidecar::default()
        }
    }
}

/// Figures of a loop from the bytes that will stand in its file.
fn measure(loaded: &Loaded, made: &Made, writing: &LoopWriteSettings, bytes: &[u8]) -> Result<Quality, Failure> {
    let space = load::known_space(loaded.file.source.space());
    let unreadable = |why: String| Failure::error(format!("the loop cannot be read back: {why}"));
    let LoadedTake { take, .. } = loopwright_formats::read_take(bytes, "loop", &space, &mut Vec::new())
        .map_err(|error| unreadable(error.to_string()))?;
    let take = if writing.add_root {
        take.without_root_joint()
            .ok_or_else(|| unreadable("the root joint is not where it was put".to_owned()))?
    } else {
        take
    };
    let clip = &made.loop_clip;
    let layout = KeyLayout {
        num_samples: clip.num_samples(),
        has_closing_key: writing.closing_key == ClosingKey::Repeat || writing.copies > 1,
    };
    // Folding an added root joint away leaves the travel on the topmost joint, whichever had it in the take.
    let carrier = if writing.add_root { 0 } else { clip.carrier() };
    let keys = LoopKeys::new(&take, layout, *clip.root(), carrier).map_err(|error| unreadable(error.to_string()))?;
    Ok(quality::measure(&keys, &loaded.analysis.body, Some(&made.source)))
}

/// Says so when the loop holds frames that are not to be trusted.
fn soiled_warning(loaded: &Loaded, chosen: &LoopCandidate) -> Option<String> {
    let inside = chosen.cut.start_frame().floor() as usize..=chosen.cut.end_frame().ceil() as usize;
    let soiled: Vec<usize> = loaded
        .analysis
        .screen
        .soiled
        .iter()
        .map(|soiled| soiled.frame)
        .filter(|frame| inside.contains(frame))
        .collect();
    (!soiled.is_empty()).then(|| {
        format!(
            "the loop contains {}, where the take jumps or stands",
            load::list_frames(&soiled)
        )
    })
}

/// The stretch that the arguments ask for.
fn choose(loaded: &Loaded, args: &MakeArgs) -> Result<LoopCandidate, Failure> {
    if let Some((start, end)) = args.range {
        let settings = find::settings(&args.search, 1);
        return candidate::appraise(loaded.take(), &loaded.analysis, &settings, start, end)
            .map_err(|error| cut_failure(loaded, error));
    }
    // At least what `find` asks for: how many are asked for may change the list.
    let found = find::search(loaded, &find::settings(&args.search, args.pick.max(DEFAULT_TOP)))?;
    if found.candidates.is_empty() {
        return Err(find::nothing_found(loaded, &found, &args.search));
    }
    let count = found.candidates.len();
    found.candidates.into_iter().nth(args.pick - 1).ok_or_else(|| {
        Failure::error(format!(
            "there is no loop number {} in \"{}\"",
            args.pick,
            loaded.path.display()
        ))
        .because(format!("the search found {count}"))
        .try_this(format!(
            "--pick 1 to {count}; `loopwright find --top {count}` lists them"
        ))
    })
}

fn cut_failure(loaded: &Loaded, error: CutError) -> Failure {
    let last = loaded.take().num_frames() - 1;
    match error {
        CutError::OutOfRange {
            start_frame, end_frame, ..
        } => Failure::error(format!(
            "frames {start_frame:.0}:{end_frame:.0} are not a range of \"{}\"",
            loaded.path.display()
        ))
        .because(format!(
            "its frames are 0 to {last}, and the start must lie before the end"
        ))
        .try_this(format!("--range START:END within 0:{last}")),
        CutError::TooShort { num_intervals } => Failure::error(format!(
            "{num_intervals} frames are too few for a loop in \"{}\"",
            loaded.path.display()
        ))
        .because("a loop needs at least 3 frames to have a velocity")
        .try_this("a longer --range, or more --frames or --fps"),
        CutError::TooLong { num_intervals, limit } => {
            Failure::error(format!("{num_intervals} frames are asked for, the limit is {limit}"))
                .try_this("a smaller --fps or --frames")
        }
        other => Failure::error(other),
    }
}

fn make_failure(loaded: &Loaded, error: MakeError) -> Failure {
    match error {
        MakeError::Cut(error) => cut_failure(loaded, error),
        MakeError::Rate { found } => {
            Failure::error(format!("--fps must be a positive number, found {found}")).try_this("--fps 30 or --fps 60")
        }
        other => Failure::error(other).try_this("another --blend"),
    }
}

fn closure_settings(args: &MakeArgs) -> Result<ClosureSettings, Failure> {
    if let Some(secs) = args.blend
        && !(secs > 0.0 && secs.is_finite())
    {
        return Err(
            Failure::error(format!("--blend must be a positive number of seconds, found {secs}"))
                .try_this("--blend 0.4"),
        );
    }
    let (shape, order) = match args.closure {
        ClosureChoice::Quintic => (
            Shape::Quintic {
                blend_secs: args.blend.unwrap_or(0.4),
            },
            Order::C2,
        ),
        ClosureChoice::Cubic => (
            Shape::Cubic {
                blend_secs: args.blend.unwrap_or(0.4),
            },
            Order::C1,
        ),
        ClosureChoice::Spring => (
            Shape::Spring {
                half_life_secs: args.blend.unwrap_or(0.1),
            },
            Order::C1,
        ),
    };
    Ok(ClosureSettings {
        start: shape,
        end: shape,
        order,
        ..ClosureSettings::default()
    })
}

fn root_mode(choice: RootChoice) -> RootMode {
    match choice {
        RootChoice::Screw => RootMode::Screw,
        RootChoice::InPlace => RootMode::InPlace,
        RootChoice::Keep => RootMode::Keep,
        RootChoice::Path => RootMode::Path,
        RootChoice::World => RootMode::World,
    }
}

fn sampling(args: &MakeArgs) -> Result<Sampling, Failure> {
    match (args.fps, args.frames) {
        (Some(rate), _) if !(rate > 0.0 && rate.is_finite()) => {
            Err(Failure::error(format!("--fps must be a positive number, found {rate}"))
                .try_this("--fps 30 or --fps 60"))
        }
        (Some(rate), _) => Ok(Sampling::Rate(rate)),
        (None, Some(count)) => Ok(Sampling::Samples(count)),
        (None, None) => Ok(Sampling::SourceRate),
    }
}

fn writing(args: &MakeArgs) -> LoopWriteSettings {
    LoopWriteSettings {
        closing_key: match args.last_key {
            LastKeyChoice::Repeat => ClosingKey::Repeat,
            LastKeyChoice::Drop => ClosingKey::Drop,
        },
        copies: args.repeat,
        add_root: args.add_root,
    }
}

/// `<stem>-loop.<extension>` in the current folder.
fn default_output(take: &Path) -> PathBuf {
    let extension = take
        .extension()
        .map_or_else(|| "bvh".into(), |extension| extension.to_string_lossy());
    PathBuf::from(format!("{}-loop.{extension}", load::stem(take)))
}

/// `<output>.json`.
pub(crate) fn sidecar_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}
