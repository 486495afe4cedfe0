//! `loopwright set --spec`: fills a table of clips from the takes.

use std::path::Path;

use loopwright_core::analysis::{MotionKind, Side};
use loopwright_formats::loop_file::facts::Grade;
use loopwright_formats::{Format, Sidecar};
use loopwright_job::{self as job, Chosen, JobError, LoopMade, Recipe, Request, Rows, SearchRequest, Studied};
use loopwright_sets::own_loops;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::set::{inputs, settings};
use crate::args::SetArgs;
use crate::exit::{Ending, Failure, Result};
use crate::files::{self, InputFile};
use crate::output::{self, Outputs};
use crate::report::json;
use crate::{failures, load, loop_output, memory, mirroring, talk};

/// The file with the request and the result for each clip.
const MANIFEST: &str = "spec.json";

/// The table of clips in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    clip: Vec<Table>,
}

/// A requested clip.
struct Row {
    asked: Table,
    name: String,
    file: String,
    kind: MotionKind,
    side: Option<Side>,
    is_mirrored: bool,
    recipe: Recipe,
}

/// A loop for a row; ranked by grade, then by how little its timing was changed.
struct Filled {
    rank: (Option<Grade>, f64),
    bytes: Vec<u8>,
    sidecar: Sidecar,
}

/// A row of the answer.
#[derive(Serialize)]
struct RowFacts<'a> {
    asked: &'a Table,
    /// The file; `None` if the row is refused.
    file: Option<&'a str>,
    take: Option<&'a str>,
    frames: Option<usize>,
    seconds: Option<f64>,
    speed_mps: Option<f64>,
    time: Option<loopwright_formats::loop_file::facts::TimeFacts>,
    grade: Option<&'static str>,
    /// The reason for the grade, or for the refusal.
    reason: String,
}

#[derive(Serialize)]
struct SpecAnswer<'a> {
    clips: Vec<RowFacts<'a>>,
}

impl Row {
    /// Reads a row: its own keys, and those of a recipe's output. Errors: a key is missing, unknown or of the wrong type.
    fn read(asked: &Table, base: &Recipe, extension: &str) -> Result<Self> {
        let mut rest = asked.clone();
        let mut text = |key: &str| match rest.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(failure!("{key} = {other} is no text")),
        };
        let name = text("name")?.ok_or_else(|| Failure::error("a clip has no name"))?;
        let wrong = |what: &str, why: String| failure!("{what} of the clip {name}: {why}").wrongly_called();
        let gait = text("gait")?.ok_or_else(|| wrong("the gait", "it is missing".to_owned()))?;
        let direction = text("direction")?;
        let file = text("file")?.unwrap_or_else(|| format!("{}.{extension}", job::name_part(&name)));
        if Path::new(&file).file_name() != Some(file.as_ref()) {
            return Err(wrong("the file", "it is no plain name".to_owned()));
        }
        let is_mirrored = match rest.remove("mirrored") {
            None => false,
            Some(Value::Boolean(is_mirrored)) => is_mirrored,
            Some(other) => return Err(wrong("mirrored", format!("{other} is neither true nor false"))),
        };
        let (kind, side) = match direction.as_deref() {
            None | Some("forward") => (gait.parse(), None),
            Some("backward") => (Ok(MotionKind::Backward), None),
            Some("left") => (Ok(MotionKind::Strafe), Some(Side::Left)),
            Some("right") => (Ok(MotionKind::Strafe), Some(Side::Right)),
            Some(_) => return Err(wrong("the direction", "forward, backward, left or right".to_owned())),
        };
        let kind = kind.map_err(|error| wrong("the gait", error.to_string()))?;
        let output = Table::from_iter([("output".to_owned(), Value::Table(rest))]);
        Ok(Self {
            recipe: base.overlaid(&Recipe::from_table(output)?)?,
            asked: asked.clone(),
            name,
            file,
            kind: MotionKind::straight(kind),
            side,
            is_mirrored,
        })
    }

    /// Whether a loop of a take moves as this row asks.
    fn fits(&self, own: &LoopMade, studied: &Studied) -> bool {
        let side = if own.made.loop_clip.root().twist.linear.x > 0.0 {
            Side::Left
        } else {
            Side::Right
        };
        own.kind(studied).straight() == self.kind && self.side.is_none_or(|asked| asked == side)
    }
}

pub fn run(args: &SetArgs, spec: &Path) -> Result<Ending> {
    let base = settings(args)?.recipe;
    let (inputs, _) = inputs(args)?;
    let first = inputs.first().ok_or_else(|| Failure::nothing("there are no takes"))?;
    let extension = match args.to {
        Some(format) => format.extension().to_owned(),
        None => loop_output::extension(args.take.rig.as_deref().unwrap_or(&first.path), &base),
    };
    let text = files::read_settings(spec)?;
    let read: Spec = (std::str::from_utf8(&text).map_err(|error| error.to_string()))
        .and_then(|text| toml::from_str(text).map_err(|error| error.to_string()))
        .map_err(|error| Failure::cannot("read the table of clips", spec, error))?;
    let rows = (read.clip.iter()).map(|clip| Row::read(clip, &base, &extension));
    let rows = rows.collect::<Result<Vec<Row>>>()?;

    let mut outputs = Outputs::new(args.force);
    inputs.iter().for_each(|input| outputs.protect(&input.path));
    output::make_folder(&args.output)?;
    let mut filled: Vec<(Option<Filled>, String)> = Vec::new();
    filled.resize_with(rows.len(), || (None, "no take has such a gait".to_owned()));
    for input in &inputs {
        for is_mirrored in [false, true] {
            let mut asked: Vec<_> = (rows.iter().zip(&mut filled))
                .filter(|(row, _)| row.is_mirrored == is_mirrored)
                .collect();
            if asked.is_empty() {
                continue;
            }
            let (done, _) = talk::aside(|| fill(&studied(args, input, is_mirrored)?, &base, &mut asked, args));
            if let Err(failure) = done {
                talk::warn(&format!("{}: {}", input.path.display(), failure.what()));
            }
        }
    }
    end(args, &rows, filled, outputs)
}

/// Studies a take, or its mirror image.
fn studied(args: &SetArgs, input: &InputFile, is_mirrored: bool) -> Result<Studied> {
    let study = load::study(args.take.clone())?;
    let (mut soft, path) = (Vec::new(), &input.path);
    let bytes = files::read_bytes(path)?;
    let mut file = files::parse_take(path, &bytes, &study.reading(memory::limits()), &mut soft)?;
    if is_mirrored {
        file.take = mirroring::mirrored(&file.take, &[], &args.take.reading())?.0;
    }
    load::analysed(path, file, soft, &study)
}

/// Returns the recommended loop of a take, if there is one, and the loops of its gaits.
fn offers(studied: &Studied, base: &Recipe) -> Result<Vec<LoopMade>, JobError> {
    let search = SearchRequest::default();
    let request = Request {
        recipe: base,
        search: Some(&search),
        rows: &Rows::Recommended,
    };
    let chosen = job::choose(studied, request, &mut Vec::new()).unwrap_or_default();
    let whole = chosen
        .iter()
        .flatten()
        .map(|chosen| job::make(studied, request, chosen));
    let of_gaits = own_loops(studied, base)?.into_iter().map(|(_, made)| Ok(made));
    whole.chain(of_gaits).collect()
}

/// Gives the loops of a take to rows that have no loop yet, or one that is graded worse or whose timing is changed more.
fn fill(
    studied: &Studied,
    base: &Recipe,
    rows: &mut [(&Row, &mut (Option<Filled>, String))],
    args: &SetArgs,
) -> Result<()> {
    for own in &offers(studied, base).map_err(|error| failures::job(studied, None, error))? {
        for (row, (best, why)) in rows.iter_mut().filter(|(row, _)| row.fits(own, studied)) {
            let request = Request {
                recipe: &row.recipe,
                search: None,
                rows: &Rows::Recommended,
            };
            let path = args.output.join(&row.file);
            let format: Format = output::format_of(&path)?;
            let stretch = Chosen::new(1, own.made.candidate.clone());
            let made =
                job::make(studied, request, &stretch).and_then(|made| job::write(studied, request, made, format));
            let pending = match made {
                Ok(pending) => pending,
                Err(error) if best.is_none() => {
                    *why = format!("{}: {error}", studied.name);
                    continue;
                }
                Err(_) => continue,
            };
            let changed = pending.done.made.retimed.map_or(0.0, |time| {
                (time.length - 1.0).abs() + (time.stride - 1.0).abs() + time.footfalls
            });
            let rank = (pending.grade(), changed);
            if best.as_ref().is_none_or(|best| rank < best.rank) {
                let warnings = loop_output::in_words(&studied.warnings);
                let (bytes, sidecar) = pending.named(loop_output::names_of(&path).to_vec(), warnings);
                *best = Some(Filled { rank, bytes, sidecar });
            }
        }
    }
    Ok(())
}

/// Writes the clips, and the request and result of each row.
fn end(args: &SetArgs, rows: &[Row], filled: Vec<(Option<Filled>, String)>, mut outputs: Outputs) -> Result<Ending> {
    let mut clips = Vec::new();
    for (row, (filled, why)) in rows.iter().zip(&filled) {
        let sidecar = filled.as_ref().map(|filled| &filled.sidecar);
        if let Some(Filled { bytes, sidecar, .. }) = filled {
            let text = sidecar.to_json().map_err(Failure::error)?;
            outputs.add_with_sidecar(&args.output.join(&row.file), bytes, Some(&text))?;
        } else {
            talk::warn(&format!("{} is missing: {why}", row.name));
        }
        let quality = sidecar.map(|sidecar| &sidecar.quality);
        clips.push(RowFacts {
            asked: &row.asked,
            file: sidecar.map(|_| row.file.as_str()),
            take: sidecar.map(|sidecar| sidecar.take.file.as_str()),
            frames: sidecar.map(|sidecar| sidecar.playback.samples),
            seconds: sidecar.map(|sidecar| sidecar.candidate.period_secs),
            speed_mps: sidecar.map(|sidecar| sidecar.root_motion.speed_mps),
            time: sidecar.and_then(|sidecar| sidecar.time.clone()),
            grade: quality.and_then(|quality| quality.grade).map(Grade::as_str),
            reason: quality
                .and_then(|quality| quality.reason.clone())
                .unwrap_or_else(|| why.clone()),
        });
    }
    let path = args.output.join(MANIFEST);
    let answer = SpecAnswer { clips };
    let document = json::document("spec", &answer, None, &[]);
    outputs.add(&path, document.as_bytes())?;
    outputs.commit()?;
    let lines = answer
        .clips
        .iter()
        .zip(rows)
        .map(|(clip, row)| match clip.seconds.zip(clip.speed_mps) {
            Some((seconds, speed)) => format!(
                "{}  {seconds:.4} s  {speed:.2} m/s  {}  {}: {}\n",
                row.name,
                clip.grade.unwrap_or_default(),
                clip.take.unwrap_or_default(),
                clip.reason
            ),
            None => format!("{}  missing: {}\n", row.name, clip.reason),
        });
    let text: String = lines.collect();
    output::print(if args.json { &document } else { &text })?;
    Ok(Ending::of_answer(answer.clips.iter().all(|clip| clip.file.is_some())))
}
