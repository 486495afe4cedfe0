//! `loopwright match build`.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use loopwright_core::math::Decay;
use loopwright_match::{
    ClipRows, CostDatabase, CostFeatures, CostMotion, FeatureSetKind, FrameRows, MatchClip, MatchDatabase, MatchMotion,
    MatchSource, RowsError, features::Horizon,
};

use super::{
    Opened, open,
    source::{self, Motion},
    tags::TagTable,
    unmatched,
};
use crate::{
    args::{MatchBuildArgs, RowSettings},
    batch,
    commands::cost,
    exit::{Ending, Failure, Result},
    files,
    motions::NamedMotion,
    output::{self, Outputs},
    report::figures::counted,
    talk::Progress,
};

pub fn run(args: &MatchBuildArgs) -> Result<Ending> {
    let (named, found) = named_motions(args)?;
    let mut outputs = Outputs::new(args.force);
    for NamedMotion { path, .. } in &named {
        outputs.protect_named(path);
        outputs.protect_as("sidecar", [path.with_added_extension(files::SIDECAR)]);
    }
    outputs.protect_as("tags", &args.tag_table);
    outputs.check(&args.output)?;
    let mut table = args
        .tag_table
        .as_deref()
        .map(TagTable::read)
        .transpose()?
        .unwrap_or_default();
    let known = args.add.as_deref().map(files::read_bytes).transpose()?;
    let known = match (&args.add, &known) {
        (Some(path), Some(bytes)) => Some(open(path, bytes)?),
        _ => None,
    };
    let mut building = Building::new(known, &args.rows)?;

    let progress = Progress::new("reading", named.len());
    let (mut num_added, mut failures, mut left_out) = (0, Vec::new(), Vec::new());
    for motion in &named {
        // A file that cannot be matched does not stop the others.
        match add_file(motion, args, &mut table, &mut building) {
            Ok(num_rows) => num_added += num_rows,
            Err(failure) if failure.is_negative() && found.contains(&motion.path) => {
                leave_out(&failure);
                left_out.push(failure);
            }
            Err(failure) => failures.push(failure.into_error()),
        }
        progress.step();
    }
    progress.finish();
    table.warn_of_unused();
    if num_added == 0 {
        return Err(nothing_added(&failures, &left_out));
    }
    let (bytes, answer) = building.finish(&args.output, num_added)?;
    outputs.add(&args.output, &bytes)?;
    let outputs = outputs.commit()?;
    let failure = match (&failures[..], named.len()) {
        ([only], 1) => Some(only.clone()),
        (all, count) => Failure::of_some(all, count, "files could not be matched"),
    };
    let failure = match failures.iter().find_map(Failure::hint) {
        Some(hint) => failure.map(|failure| failure.try_this(hint)),
        None => failure,
    };
    output::answer("match-build", &answer, failure, &outputs, args.json, built)
}

/// Lists the named motions, each once, and those of their files that were found in folders. Errors: one is missing.
fn named_motions(args: &MatchBuildArgs) -> Result<(Vec<NamedMotion>, HashSet<PathBuf>)> {
    let mut named: Vec<NamedMotion> = Vec::new();
    let mut found: HashSet<PathBuf> = HashSet::new();
    for name in &args.takes {
        let is_found = batch::is_many(name);
        for motion in NamedMotion::all(name)? {
            // A file found in a folder and also named itself counts once.
            if is_found {
                found.insert(motion.path.clone());
            }
            if !named.contains(&motion) {
                named.push(motion);
            }
        }
    }
    named
        .iter()
        .try_for_each(|motion| files::check_is_there(&motion.path))?;
    Ok((named, found))
}

/// Words why nothing was added, from the files that failed and the takes that were left out.
fn nothing_added(failures: &[Failure], left_out: &[Failure]) -> Failure {
    match (failures, left_out) {
        ([only], _) => only.clone(),
        ([], []) => no_rows(),
        ([], [first, ..]) => {
            Failure::nothing("none of the takes can be matched").try_this(first.hint().unwrap_or("other takes"))
        }
        (all, _) => Failure::of_all("none of the takes can be matched", all),
    }
}

/// Returns the requested times ahead.
fn horizon_of(ahead: &[f64]) -> Result<Horizon> {
    let [first, second, third] = *ahead else {
        return match ahead {
            [] => Ok(Horizon::default()),
            _ => Err(failure!("--ahead needs three times, found {}", ahead.len()).try_this("--ahead 0.2,0.4,0.8")),
        };
    };
    Horizon::new([first, second, third]).map_err(|error| failure!("--ahead: {error}").try_this("--ahead 0.2,0.4,0.8"))
}

/// Warns of a motion that is left out.
fn leave_out(failure: &Failure) {
    let hint = failure.hint().map_or_else(String::new, |hint| format!("; try: {hint}"));
    warning!("left out: {}{hint}", failure.what());
}

/// Adds the motions of a file: its loops if it has a sidecar, else its take. Returns the number of their rows. Loops that cannot be matched
/// are left out if there are several. Errors: none can be matched.
fn add_file(
    named: &NamedMotion,
    args: &MatchBuildArgs,
    table: &mut TagTable,
    building: &mut Building,
) -> Result<usize> {
    let path = &named.path;
    if named.frames.is_some() && files::has_sidecar(path) {
        return Err(failure!("\"{}\" is a loop, and has no range of frames", path.display())
            .try_this("the name alone: every sample of a loop can be matched"));
    }
    let name = source::name_beside(path, &args.output);
    let motions = source::read_all(path, name, &args.reading, &args.rows.weights, building.horizon)?;
    let num_motions = motions.len();
    let (mut num_rows, mut left_out) = (0, Vec::new());
    for Motion { name, path, source } in motions {
        let mut tags = args.tags.clone();
        tags.extend(table.of(named, &name));
        let added = source.and_then(|mut source| {
            if let Some((start, end)) = named.frames {
                named.check(source.num_frames())?;
                source = source.within(start..end + 1);
            }
            building.add(&path, &source, &name, &tags)
        });
        match (added, named.frames) {
            (Ok(0), Some((start, end))) => warning!(
                "{}: none of its frames {start} to {end} can be matched: too few, or without a known future",
                path.display()
            ),
            (Ok(0), None) => warning!(
                "{}: its pose jumps so often that no frame can be matched",
                path.display()
            ),
            (Ok(found), _) => num_rows += found,
            (Err(failure), _) if failure.is_negative() && num_motions > 1 => left_out.push(failure),
            (Err(failure), _) => return Err(failure),
        }
    }
    if left_out.len() == num_motions
        && let [first, ..] = &left_out[..]
    {
        let why = left_out.iter().fold(
            Failure::nothing(format!("none of the loops in \"{}\" can be matched", path.display())),
            |failure, each| failure.because(each.what()),
        );
        return Err(why.try_this(first.hint().unwrap_or("other loops")));
    }
    left_out.iter().for_each(leave_out);
    Ok(num_rows)
}

/// A database whose rows are not arranged yet.
pub struct Building<'a> {
    known: Option<Opened<'a>>,
    kind: FeatureSetKind,
    /// How far its motions look ahead.
    pub horizon: Horizon,
    decay: Decay,
    /// What jumps cost: from the database that motions are added to, or from the first motion.
    features: Option<CostFeatures>,
    of_future: Vec<MatchMotion>,
    of_cost: Vec<CostMotion>,
}

impl<'a> Building<'a> {
    /// Starts from the rows of a known database, or from none. Errors: a setting is impossible.
    pub fn new(known: Option<Opened<'a>>, settings: &RowSettings) -> Result<Self> {
        cost::check_fade(settings.half_life, settings.blend)?;
        Ok(Self {
            kind: known.as_ref().map_or(settings.features, Opened::kind),
            horizon: match &known {
                Some(known) => known.horizon(),
                None => horizon_of(&settings.ahead)?,
            },
            decay: settings.fade.lasting(settings.half_life, settings.blend),
            features: match &known {
                Some(Opened::Cost(known)) => Some(known.features().clone()),
                _ => None,
            },
            of_future: Vec::new(),
            of_cost: Vec::new(),
            known,
        })
    }

    /// Adds the frames of a motion; returns their number.
    pub fn add(&mut self, path: &Path, source: &MatchSource, name: &str, tags: &[(String, String)]) -> Result<usize> {
        let clips = self.known.iter().flat_map(Opened::clips);
        if self.kind == FeatureSetKind::Future {
            let found = source.motions(name, tags, self.horizon);
            return add_new(
                &mut self.of_future,
                clips,
                found.map_err(|error| unmatched(path, error))?,
            );
        }
        let features = &mut self.features;
        let features = match features {
            Some(features) => features,
            None => {
                let of_first = CostFeatures::new(source, self.decay);
                features.insert(of_first.map_err(|error| unmatched(path, error))?)
            }
        };
        let found = source.cost_motions(name, tags, features);
        add_new(&mut self.of_cost, clips, found.map_err(|error| unmatched(path, error))?)
    }

    /// Returns the database as bytes, and the answer about it. Errors: too few rows, or too many.
    pub fn finish(self, path: &Path, num_added: usize) -> Result<(Vec<u8>, BuildAnswer)> {
        let database = self.arranged().map_err(|error| {
            failure!("cannot build the database: {error}").try_this(match error {
                RowsError::Number { .. } => "--unit: a body may be read far too large",
                _ => "fewer takes",
            })
        })?;
        let bytes = match &database {
            Opened::Future(database) => database.to_bytes(),
            Opened::Cost(database) => database.to_bytes(),
        };
        let clips = database.clips();
        let answer = BuildAnswer {
            database: path.display().to_string(),
            features: database.kind().as_str(),
            clips: clips.len(),
            rows: clips.iter().map(|clip| clip.num_rows).sum(),
            added_rows: num_added,
            file_bytes: bytes.len(),
        };
        Ok((bytes, answer))
    }

    fn arranged(self) -> Result<Opened<'static>, RowsError> {
        Ok(match (self.known, self.features) {
            (Some(Opened::Future(known)), _) => Opened::Future(known.with(self.of_future)?),
            (Some(Opened::Cost(known)), _) => Opened::Cost(known.with(&self.of_cost)?),
            (None, Some(features)) => Opened::Cost(CostDatabase::new(features, &self.of_cost)?),
            (None, None) if self.kind == FeatureSetKind::Cost => return Err(RowsError::Columns { found: 0 }),
            (None, None) => Opened::Future(MatchDatabase::new(self.of_future, self.horizon)?),
        })
    }
}

/// Adds motions, none of whose frames may be there already; returns the number of their frames.
fn add_new<'c, F>(
    motions: &mut Vec<FrameRows<F>>,
    known: impl Iterator<Item = &'c ClipRows>,
    found: Vec<FrameRows<F>>,
) -> Result<usize> {
    let known = known.map(|rows| (&rows.clip, rows.num_rows));
    let known: Vec<(&MatchClip, usize)> = known
        .chain(motions.iter().map(|motion| (&motion.clip, motion.features.len())))
        .collect();
    for FrameRows { clip, features, .. } in &found {
        let is_there = known.iter().any(|&(other, num_rows)| {
            other.name == clip.name
                && other.first_frame < clip.first_frame + features.len()
                && clip.first_frame < other.first_frame + num_rows
        });
        if is_there {
            return Err(failure!("\"{}\" is in the database already", clip.name)
                .try_this("build it again without --add, or name frames that are not there yet"));
        }
    }
    let num_rows = found.iter().map(|motion| motion.features.len()).sum();
    motions.extend(found);
    Ok(num_rows)
}

/// Words why there is no database.
pub fn no_rows() -> Failure {
    Failure::nothing("no take has a run of frames without jumps that is long enough to match")
        .try_this("longer takes: matching looks ahead, see --ahead")
}

/// The answer of `match build`.
#[in_schema]
pub struct BuildAnswer {
    /// The match database, as it was named.
    database: String,
    /// What frames are found by: pose and future, or what a jump costs.
    #[schemars(schema_with = "crate::schema_words::word::<FeatureSetKind>")]
    features: &'static str,
    /// Clips in the database: takes, parts of takes between jumps, and loops.
    clips: usize,
    /// Frames that can be matched, one row each.
    rows: usize,
    /// Rows of the takes that were named; all of them without --add.
    added_rows: usize,
    /// Bytes of the database.
    file_bytes: usize,
}

fn built(answer: &BuildAnswer) -> String {
    let added = if answer.rows == answer.added_rows {
        String::new()
    } else {
        format!(", {} of them new", answer.added_rows)
    };
    format!(
        "{}: {} frames of {}{added}, {:.1} MB\n",
        answer.database,
        answer.rows,
        counted(answer.clips, "clip"),
        answer.file_bytes as f64 / 1e6
    )
}
