//! `loopwright set --spec`: fills a table of clips from the takes.

use std::path::Path;

use loopwright_core::analysis::{MotionKind, Side};
use loopwright_formats::{
    Format, LoopFile, Sidecar,
    loop_file::facts::{BlendFacts, ContactFacts, Grade, TimeFacts},
};
use loopwright_job::{
    self as job, Chosen, JobError, LoopMade, Recipe, Request, Rows, SearchRequest, StoredLoop, Studied,
    recipe::OutputRecipe,
};
use loopwright_sets::{Blend, BlendRequest, own_loops, road::SetSettings, set};
use serde::Deserialize;
use toml::{Table, Value};

use super::set::{inputs, settings};
use crate::{
    args::SetArgs,
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load, loop_output, memory, mirroring,
    output::{self, Outputs},
    report::json,
    talk,
};

/// The file with the request and the result for each clip.
const MANIFEST: &str = "spec.json";

/// The table of clips in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    clip: Vec<Table>,
}

/// A requested clip, as the table has it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Asked {
    name: String,
    gait: String,
    #[serde(default)]
    direction: Direction,
    turn_rate: Option<f64>,
    #[serde(default)]
    mirrored: bool,
    file: Option<String>,
    /// Keys of a recipe's output.
    #[serde(flatten)]
    output: Table,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    #[default]
    Forward,
    Backward,
    Left,
    Right,
}

/// A requested clip.
struct Row {
    asked: Table,
    own: Asked,
    file: String,
    kind: MotionKind,
    side: Option<Side>,
    recipe: Recipe,
}

/// A loop for a row; ranked by grade, then by how little its timing was changed.
struct Filled {
    rank: (Option<Grade>, f64),
    bytes: Vec<u8>,
    sidecar: Sidecar,
}

/// The loops found for a row.
#[derive(Default)]
struct Found {
    best: Option<Filled>,
    /// Why the last take does not fill it, and why no blend does.
    why: Vec<String>,
    /// The takes' own loops of its kind, of one cycle each, to be blended, with their files.
    own: Vec<(StoredLoop, String)>,
}

/// A clip that was asked for, and what is there.
#[in_schema]
pub struct RowFacts<'a> {
    /// The row of the table.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    asked: &'a Table,
    /// The file of the clip; null where the row is refused, as all below but the reason.
    file: Option<&'a str>,
    /// The take that it was cut from; null for a blend.
    take: Option<&'a str>,
    /// The loops that it was blended from; null where it was cut from a take.
    #[schemars(with = "Option<crate::schema_words::Blend>")]
    blend: Option<&'a BlendFacts>,
    /// Its samples.
    frames: Option<usize>,
    /// Its length.
    seconds: Option<f64>,
    /// Its speed over the ground.
    speed_mps: Option<f64>,
    /// How fast it turns, left positive.
    turn_rate_dps: Option<f64>,
    /// When its feet stand.
    #[schemars(with = "Vec<crate::schema_words::Contact>")]
    contacts: &'a [ContactFacts],
    /// What of its time is not as recorded; null where all is.
    #[schemars(with = "Option<crate::schema_words::Time>")]
    time: Option<&'a TimeFacts>,
    /// Its grade.
    #[schemars(schema_with = "crate::schema_words::optional_word::<Grade>")]
    grade: Option<&'static str>,
    /// The reason for the grade, or for the refusal.
    reason: String,
}

/// The answer of `set --spec`, and `spec.json`.
#[in_schema]
pub struct SpecAnswer<'a> {
    /// The rows, in the order of the table.
    clips: Vec<RowFacts<'a>>,
}

/// A loop that turns no faster than this off the rate that is asked for has it, degrees per second.
const SAME_DPS: f64 = 3.0;

impl Row {
    /// Reads a row. Errors: a key is missing, unknown or of the wrong type.
    fn read(asked: &Table, base: &Recipe, extension: &str) -> Result<Self> {
        let wrong = |why: String| {
            let name = asked.get("name").map_or_else(String::new, |name| format!(" {name}"));
            failure!("the clip{name} of the table: {}", why.trim_end()).wrongly_called()
        };
        let mut own: Asked = asked
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        let file = own
            .file
            .take()
            .unwrap_or_else(|| format!("{}.{extension}", job::name_part(&own.name)));
        if Path::new(&file).file_name() != Some(file.as_ref()) {
            return Err(wrong("its file is no plain name".to_owned()));
        }
        let gait = own.gait.parse().map_err(|error| wrong(format!("gait: {error}")))?;
        let (kind, side) = match own.direction {
            Direction::Forward => (MotionKind::straight(gait), None),
            Direction::Backward => (MotionKind::Backward, None),
            Direction::Left => (MotionKind::Strafe, Some(Side::Left)),
            Direction::Right => (MotionKind::Strafe, Some(Side::Right)),
        };
        let output = Value::Table(core::mem::take(&mut own.output));
        Ok(Self {
            recipe: base.overlaid(
                &Recipe::from_table(Table::from_iter([("output".to_owned(), output)]))
                    .map_err(|error| wrong(error.to_string()))?,
            )?,
            asked: asked.clone(),
            own,
            file,
            kind,
            side,
        })
    }

    /// Whether a loop of a take moves as this row asks, apart from speed and turn rate.
    fn fits(&self, own: &LoopMade, studied: &Studied) -> bool {
        let side = if own.made.loop_clip.root().twist.linear.x > 0.0 {
            Side::Left
        } else {
            Side::Right
        };
        own.kind(studied).straight() == self.kind && self.side.is_none_or(|asked| asked == side)
    }
}

/// Runs `loopwright set`: without a table of clips it makes a set.
pub fn run(args: &SetArgs) -> Result<Ending> {
    let Some(spec) = &args.spec else {
        return super::set::run(args);
    };
    let SetSettings {
        recipe: mut base,
        fps,
        target,
        ..
    } = settings(args)?;
    (base.output.fps, base.output.target) = (fps, target);
    let (inputs, _) = inputs(args)?;
    let first = inputs.first().ok_or_else(|| Failure::nothing("there are no takes"))?;
    let extension = match args.to {
        Some(format) => format.extension().to_owned(),
        None => loop_output::extension(args.take.rig.as_deref().unwrap_or(&first.path), &base),
    };
    let text = files::read_settings(spec)?;
    let read: Spec = std::str::from_utf8(&text)
        .map_err(|error| error.to_string())
        .and_then(|text| toml::from_str(text).map_err(|error| error.to_string()))
        .map_err(|error| Failure::cannot("read the table of clips", spec, error))?;
    let rows = read
        .clip
        .iter()
        .map(|clip| Row::read(clip, &base, &extension))
        .collect::<Result<Vec<Row>>>()?;

    let mut outputs = Outputs::new(args.force);
    inputs.iter().for_each(|input| outputs.protect(&input.path));
    output::make_folder(&args.output)?;
    let mut found: Vec<_> = rows.iter().map(|_| Found::default()).collect();
    for input in &inputs {
        for is_mirrored in [false, true] {
            let mut asked: Vec<_> = rows
                .iter()
                .zip(&mut found)
                .filter(|(row, _)| row.own.mirrored == is_mirrored)
                .collect();
            if asked.is_empty() {
                continue;
            }
            let (done, _) = talk::aside(|| fill(&studied(args, input, is_mirrored)?, &base, &mut asked, args));
            if let Err(failure) = done {
                warning!("{}: {}", input.path.display(), failure.what());
            }
        }
    }
    for (row, found) in rows.iter().zip(&mut found).filter(|(_, found)| found.best.is_none()) {
        match blended(row, &found.own, &args.output.join(&row.file)) {
            Ok(filled) => found.best = Some(filled),
            Err(failure) => found.why.push(failure.what().to_owned()),
        }
    }
    end(args, &rows, &found, outputs)
}

/// Blends loops to the speed and the turn rate that a row asks for. Errors: it asks for neither, or for what no blend has.
fn blended(row: &Row, own: &[(StoredLoop, String)], path: &Path) -> Result<Filled> {
    let output = &row.recipe.output;
    if own.is_empty() {
        return Err(Failure::error("no take has such a gait"));
    }
    let apart = OutputRecipe {
        speed: None,
        fps: None,
        recenter: None,
        ..*output
    };
    if apart.is_given_apart_from_engine() || output.speed.or(row.own.turn_rate).is_none() {
        return Err(Failure::error("loops are blended for a speed and a turn rate alone"));
    }
    let request = BlendRequest {
        speed_mps: output.speed,
        turn_rate_dps: row.own.turn_rate,
        overrides: row.recipe.take.reading().overrides(),
        target: output.target,
        recenters: output.recenters(),
        ..BlendRequest::default()
    };
    let (loops, names): (Vec<_>, Vec<_>) = own.iter().cloned().unzip();
    let blend = Blend::new(&loops, names, &request).map_err(|error| failure!("its loops do not blend: {error}"))?;
    let LoopFile { written, sidecar, .. } = blend.write(output::format_of(path)?).map_err(Failure::error)?;
    let rank = (sidecar.quality.grade, 0.0);
    let (bytes, sidecar) = written.named(sidecar, loop_output::names_of(path).to_vec());
    let bytes = bytes.into_owned();
    Ok(Filled { rank, bytes, sidecar })
}

/// Studies a take, or its mirror image.
fn studied(args: &SetArgs, input: &InputFile, is_mirrored: bool) -> Result<Studied> {
    let study = load::study(args.take.clone())?;
    let (mut soft, path) = (Vec::new(), &input.path);
    let mut file = files::parse_take(
        path,
        &files::read_bytes(path)?,
        &study.reading(memory::limits()),
        &mut soft,
    )?;
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
    chosen
        .iter()
        .flatten()
        .map(|chosen| job::make(studied, request, chosen))
        .chain(own_loops(studied, base)?.into_iter().map(|(_, made)| Ok(made)))
        .collect()
}

/// Gives the loops of a take to rows that have no loop yet, or one that is graded worse or whose timing is changed more.
fn fill(studied: &Studied, base: &Recipe, rows: &mut [(&Row, &mut Found)], args: &SetArgs) -> Result<()> {
    for own in &offers(studied, base).map_err(|error| failures::job(studied, None, error))? {
        let stretch = Chosen::new(1, own.made.candidate.clone());
        let mut stored = None;
        for (row, found) in rows.iter_mut().filter(|(row, _)| row.fits(own, studied)) {
            let request = Request::of(&row.recipe);
            let asks = row.recipe.output.speed.or(row.own.turn_rate).is_some();
            // One of each take.
            let is_new = found.own.last().is_none_or(|(_, take)| *take != studied.name);
            if asks && is_new && stretch.stretch.cycles == 1 {
                // Without a loop of its own the take may still fill the row.
                let own = stored.get_or_insert_with(|| set::loop_of(studied, base, &stretch).ok());
                found
                    .own
                    .extend(own.clone().map(|(own, _)| (own, studied.name.clone())));
            }
            let turn_dps = own.made.loop_clip.root().twist.angular.y.to_degrees();
            if row
                .own
                .turn_rate
                .is_some_and(|asked| (asked - turn_dps).abs() > SAME_DPS)
            {
                found.why = vec![format!("{} turns by {turn_dps:.1} degrees per second", studied.name)];
                continue;
            }
            let path = args.output.join(&row.file);
            let format: Format = output::format_of(&path)?;
            let pending = match loop_output::made(studied, request, &stretch, format) {
                Ok(pending) => pending,
                Err(error) => {
                    found.why = vec![format!("{}: {error}", studied.name)];
                    continue;
                }
            };
            let rank = (
                pending.grade(),
                pending.done.made.retimed.map_or(0.0, |time| {
                    (time.length - 1.0).abs() + (time.stride - 1.0).abs() + time.footfalls
                }),
            );
            if found.best.as_ref().is_none_or(|best| rank < best.rank) {
                let (bytes, sidecar) = pending.named(
                    loop_output::names_of(&path).to_vec(),
                    loop_output::in_words(&studied.warnings),
                );
                found.best = Some(Filled { rank, bytes, sidecar });
            }
        }
    }
    Ok(())
}

/// Writes the clips, and the request and result of each row.
fn end(args: &SetArgs, rows: &[Row], found: &[Found], mut outputs: Outputs) -> Result<Ending> {
    let mut clips = Vec::new();
    for (row, found) in rows.iter().zip(found) {
        let why = found.why.join("; ");
        let sidecar = found.best.as_ref().map(|filled| &filled.sidecar);
        if let Some(Filled { bytes, sidecar, .. }) = &found.best {
            outputs.add_with_sidecar(&args.output.join(&row.file), bytes, Some(&sidecar.to_json()?))?;
        } else {
            warning!("{} is missing: {why}", row.own.name);
        }
        let quality = sidecar.map(|sidecar| &sidecar.quality);
        let blend = sidecar.and_then(|sidecar| sidecar.blend.as_ref());
        clips.push(RowFacts {
            asked: &row.asked,
            file: sidecar.map(|_| row.file.as_str()),
            take: sidecar
                .filter(|_| blend.is_none())
                .map(|sidecar| sidecar.take.file.as_str()),
            blend,
            frames: sidecar.map(|sidecar| sidecar.playback.samples),
            seconds: sidecar.map(|sidecar| sidecar.candidate.period_secs),
            speed_mps: sidecar.map(|sidecar| sidecar.root_motion.speed_mps),
            turn_rate_dps: sidecar.map(|sidecar| sidecar.root_motion.turn_rate_dps),
            contacts: sidecar
                .and_then(|sidecar| sidecar.feet.as_ref())
                .map_or(&[], |feet| &feet.contacts),
            time: sidecar.and_then(|sidecar| sidecar.time.as_ref()),
            grade: quality.and_then(|quality| quality.grade).map(Grade::as_str),
            reason: quality.and_then(|quality| quality.reason.clone()).unwrap_or(why),
        });
    }
    let path = args.output.join(MANIFEST);
    let answer = SpecAnswer { clips };
    let document = json::document("spec", &answer, None, &[]);
    outputs.add(&path, document.as_bytes())?;
    outputs.commit()?;
    let text: String = answer
        .clips
        .iter()
        .zip(rows)
        .map(|(clip, row)| {
            let (name, reason, take) = (&row.own.name, &clip.reason, clip.take.unwrap_or("blend"));
            match clip.seconds.zip(clip.speed_mps) {
                Some((secs, mps)) => {
                    let grade = clip.grade.unwrap_or_default();
                    format!("{name}  {secs:.4} s  {mps:.2} m/s  {grade}  {take}: {reason}\n")
                }
                None => format!("{name}  missing: {reason}\n"),
            }
        })
        .collect();
    output::print(if args.json { &document } else { &text })?;
    Ok(Ending::of_answer(answer.clips.iter().all(|clip| clip.file.is_some())))
}
