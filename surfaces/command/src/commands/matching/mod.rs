//! `loopwright match`: builds databases of frames, and finds the frame nearest to a wanted motion.

use std::path::Path;

use loopwright_core::analysis::Gait;
use loopwright_match::{
    ClipRows, CostDatabase, CostError, DatabaseError, FeatureSetKind, FrameDatabase, MatchDatabase, MatchSource,
    features::{Horizon, MatchError},
};

use crate::{
    args::{MatchArgs, MatchCommand},
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    output,
    recipe::TakeArgs,
    report::{
        figures::counted,
        table::{in_columns, joined, or_dash, rate},
    },
};

pub mod build;
pub mod export;
pub mod query;
mod source;
mod tags;
pub mod walk;

pub fn run(args: &MatchArgs) -> Result<Ending> {
    match &args.command {
        MatchCommand::Build(args) => build::run(args),
        MatchCommand::Query(args) => query::run(args),
        MatchCommand::Walk(args) => walk::run(args),
        MatchCommand::Export(args) => export::run(args),
        MatchCommand::Inspect(args) => {
            // The file is not mapped: another program could change it while it is read, and the checksum reads all of it anyway.
            let bytes = files::read_bytes(&args.database)?;
            let answer = inspected(&args.database, &open(&args.database, &bytes)?, bytes.len());
            output::answer("match-inspect", &answer, None, &[], args.json, contents)
        }
    }
}

/// Describes a database of this many bytes.
pub fn inspected(path: &Path, database: &Opened, num_bytes: usize) -> InspectAnswer {
    match database {
        Opened::Future(database) => InspectAnswer {
            index_bytes: database.index_bytes(),
            ahead_secs: database.horizon().secs().to_vec(),
            ..InspectAnswer::new(path, FeatureSetKind::Future, database, num_bytes)
        },
        Opened::Cost(database) => {
            let features = database.features();
            let joints = features.joints().iter().map(|joint| WeightFacts {
                joint: joint.name.clone(),
                weight: joint.weight,
            });
            InspectAnswer {
                index_bytes: database.index_bytes(),
                fade: Some(Fade {
                    decay: features.decay().name(),
                    time_secs: features.decay().secs(),
                }),
                joints: joints.collect(),
                ..InspectAnswer::new(path, FeatureSetKind::Cost, database, num_bytes)
            }
        }
    }
}

/// A database of either set of features.
#[expect(clippy::large_enum_variant, reason = "there is one, on the stack")]
pub enum Opened<'a> {
    Future(MatchDatabase<'a>),
    Cost(CostDatabase<'a>),
}

impl Opened<'_> {
    pub fn kind(&self) -> FeatureSetKind {
        match self {
            Opened::Future(_) => FeatureSetKind::Future,
            Opened::Cost(_) => FeatureSetKind::Cost,
        }
    }

    pub fn clips(&self) -> &[ClipRows] {
        match self {
            Opened::Future(database) => database.clips(),
            Opened::Cost(database) => database.clips(),
        }
    }

    /// The times ahead for which motions have to be read; cost databases do not look ahead.
    pub fn horizon(&self) -> Horizon {
        match self {
            Opened::Future(database) => database.horizon(),
            Opened::Cost(_) => Horizon::default(),
        }
    }
}

/// Opens the database in the bytes of a file.
pub fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Opened<'a>> {
    FeatureSetKind::from_bytes(bytes)
        .and_then(|kind| {
            Ok(match kind {
                FeatureSetKind::Future => Opened::Future(MatchDatabase::from_bytes(bytes)?),
                FeatureSetKind::Cost => Opened::Cost(CostDatabase::from_bytes(bytes)?),
            })
        })
        .map_err(|error| {
            Failure::cannot("use", path, &error).try_this(match error {
                DatabaseError::Magic => "a file that `loopwright match build` wrote",
                _ => "build the database again: loopwright match build TAKES -o DB",
            })
        })
}

/// Reads the one motion of a file whose frames are asked for.
fn asked_for(path: &Path, reading: &TakeArgs, horizon: Horizon) -> Result<MatchSource> {
    let mut sources = source::read_all(path, String::new(), reading, &[], horizon)?;
    let several = sources.len() > 1;
    match sources.pop().filter(|_| !several) {
        Some(motion) => motion.source,
        None => Err(failure!("\"{}\" holds several loops: which one?", path.display())
            .try_this("--animation NAME; `loopwright check FILE` lists them")),
    }
}

/// Words why a motion cannot be matched.
pub fn unmatched(path: &Path, error: impl Into<CostError>) -> Failure {
    let error = error.into();
    let failure = Failure::cannot("match", path, &error);
    let error = match error {
        CostError::Features(error) => error,
        CostError::Joint { .. } => {
            return failure.try_this("takes whose joints have the same names, or --joint-weight");
        }
        CostError::Flips { name } => {
            return failure.try_this(format!("build the database with --joint-weight '{name}=0'"));
        }
        _ => return failure.try_this("--joint-weight for fewer joints"),
    };
    // A file in a folder may hold nothing to match, which is not an error.
    let failure = Failure::nothing(failure.what());
    match error {
        MatchError::Short { .. } => {
            failure.try_this("a longer take, or a loop made from it: loops go on past their end")
        }
        // Its feet were measured when it was made, but hardly touch the ground.
        MatchError::InPlace { .. } if InputFile::named(path).sidecar.is_some() => {
            failure.try_this("make the loop again with --set output.root-speed=3.2, which states its speed in m/s")
        }
        MatchError::InPlace { .. } => failure.try_this(format!(
            "`loopwright make {}`, which measures the speed by the feet, and add the loop",
            path.display()
        )),
        MatchError::Feet => {
            failure.try_this("--set take.feet=LEFT,RIGHT; `loopwright inspect TAKE --json` lists the joints")
        }
        _ => failure,
    }
}

/// A run of frames of a take, or a loop, in a match database.
#[in_schema]
struct ClipFacts {
    /// The path of the take, seen from the folder of the database.
    name: String,
    /// Whether it is a take or a loop.
    #[schemars(extend("enum" = ["take", "loop"]))]
    kind: &'static str,
    /// The first frame that can be matched, counted from 0.
    first_frame: usize,
    /// Number of frames that can be matched.
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// Tags of the clip.
    tags: Vec<Tag>,
    /// Gaits of its frames, in the order in which they first appear.
    gaits: Vec<String>,
    /// Share of the frames in which the left foot stands, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    left_stands_share: f64,
    /// Share of the frames in which the right foot stands, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    right_stands_share: f64,
}

/// How the gap of a jump fades.
#[in_schema]
struct Fade {
    /// The kind of fade.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    decay: &'static str,
    /// Half-life of a spring, blend time of the others.
    time_secs: f64,
}

/// A joint that counts in costs.
#[in_schema]
struct WeightFacts {
    /// Its name.
    joint: String,
    /// Factor on its metres.
    weight: f64,
}

/// The answer of `match inspect`.
#[in_schema]
#[derive(Default)]
pub struct InspectAnswer {
    /// The match database, as it was named.
    database: String,
    /// What frames are found by: pose and future, or what a jump costs.
    #[schemars(schema_with = "crate::schema_words::word::<FeatureSetKind>")]
    features: &'static str,
    /// The times after a frame at which its future is compared; none in databases of costs.
    ahead_secs: Vec<f64>,
    /// How the gap of a jump fades; null where nothing costs.
    fade: Option<Fade>,
    /// The joints that count in costs; none where nothing costs.
    joints: Vec<WeightFacts>,
    /// Bytes of the database.
    file_bytes: usize,
    /// Frames that can be matched, one row each.
    rows: usize,
    /// Bytes that the search needs beyond the rows.
    index_bytes: usize,
    /// The clips, in the order of their rows.
    clips: Vec<ClipFacts>,
}

impl InspectAnswer {
    fn new<S>(path: &Path, features: FeatureSetKind, database: &FrameDatabase<'_, S>, file_bytes: usize) -> Self {
        let clips = database.clips().iter().map(|rows| {
            let all = rows.first_row..rows.first_row + rows.num_rows;
            let standing = |foot: u8| {
                let stands = all.clone().filter(|&row| database.standing(row) & foot != 0).count();
                stands as f64 / rows.num_rows.max(1) as f64
            };
            let mut gaits = Vec::new();
            for row in all.clone() {
                if let Some(gait) = database.gait(row).filter(|gait| !gaits.contains(gait)) {
                    gaits.push(gait);
                }
            }
            ClipFacts {
                gaits: gaits.iter().map(Gait::to_string).collect(),
                name: rows.clip.name.clone(),
                kind: if rows.clip.is_loop { "loop" } else { "take" },
                first_frame: rows.clip.first_frame,
                frames: rows.num_rows,
                fps: 1.0 / rows.clip.step_secs,
                tags: tags_of(rows),
                left_stands_share: standing(1),
                right_stands_share: standing(2),
            }
        });
        Self {
            database: path.display().to_string(),
            features: features.as_str(),
            file_bytes,
            rows: database.num_rows(),
            clips: clips.collect(),
            ..Self::default()
        }
    }
}

/// Returns the answer of `loopwright match inspect` as text.
fn contents(answer: &InspectAnswer) -> String {
    let mut text = format!(
        "{}: {} frames of {}, {:.1} MB; the search takes {:.1} bytes a frame\n",
        answer.database,
        answer.rows,
        counted(answer.clips.len(), "clip"),
        answer.file_bytes as f64 / 1e6,
        answer.index_bytes as f64 / answer.rows.max(1) as f64
    );
    if let Some(Fade { decay, time_secs }) = &answer.fade {
        let joints = answer
            .joints
            .iter()
            .map(|facts| format!("{} {}", facts.joint, facts.weight));
        text += &format!(
            "  what a jump costs: {decay} of {time_secs} s over {}\n",
            joined(joints, ", ")
        );
    }
    if !answer.ahead_secs.is_empty() {
        let times = answer.ahead_secs.iter().map(|secs| format!("{secs:.3}"));
        text += &format!("  looks {} s ahead\n", joined(times, ", "));
    }
    let clips = answer.clips.iter().map(|clip| {
        [
            clip.name.clone(),
            clip.kind.to_owned(),
            clip.frames.to_string(),
            clip.first_frame.to_string(),
            rate(clip.fps),
            format!("{:.0}%", 100.0 * clip.left_stands_share),
            format!("{:.0}%", 100.0 * clip.right_stands_share),
            clip.gaits.join("; "),
            tags_text(&clip.tags),
        ]
    });
    text += &in_columns(
        "<clip | <kind | frames | from | fps | left planted | right planted | <gaits | <tags",
        clips,
    );
    text
}

/// A tag of a clip.
#[in_schema]
struct Tag {
    /// Its name, such as style.
    name: String,
    /// Its value, such as walk.
    value: String,
}

fn tags_of(clip: &ClipRows) -> Vec<Tag> {
    clip.clip
        .tags
        .iter()
        .map(|(name, value)| Tag {
            name: name.clone(),
            value: value.clone(),
        })
        .collect()
}

fn tags_text(tags: &[Tag]) -> String {
    let text = joined(tags.iter().map(|tag| format!("{}={}", tag.name, tag.value)), " ");
    or_dash(Some(text).filter(|text| !text.is_empty()))
}
