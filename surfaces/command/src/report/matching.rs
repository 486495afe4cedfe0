//! Answers of `match`.

use std::path::Path;

use loopwright_core::analysis::Gait;
use loopwright_match::{ClipRows, CostDatabase, FeatureSetKind, FrameDatabase, MatchDatabase, walk::Walked};

use super::{
    figures::counted,
    table::{Table, rate},
};

/// A tag of a clip.
#[in_schema]
struct Tag {
    /// Its name, such as style.
    name: String,
    /// Its value, such as walk.
    value: String,
}

fn tags(clip: &ClipRows) -> Vec<Tag> {
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
    let text: Vec<String> = tags.iter().map(|tag| format!("{}={}", tag.name, tag.value)).collect();
    if text.is_empty() {
        "-".to_owned()
    } else {
        text.join(" ")
    }
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

impl BuildAnswer {
    pub fn new(
        path: &Path,
        features: FeatureSetKind,
        clips: &[ClipRows],
        file_bytes: usize,
        added_rows: usize,
    ) -> Self {
        Self {
            database: path.display().to_string(),
            features: features.as_str(),
            clips: clips.len(),
            rows: clips.iter().map(|clip| clip.num_rows).sum(),
            added_rows,
            file_bytes,
        }
    }
}

pub fn built(answer: &BuildAnswer) -> String {
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
    pub fn of_future(path: &Path, database: &MatchDatabase<'_>, file_bytes: usize) -> Self {
        Self {
            index_bytes: database.index_bytes(),
            ahead_secs: database.horizon().secs().to_vec(),
            ..Self::new(path, FeatureSetKind::Future, database, file_bytes)
        }
    }

    pub fn of_cost(path: &Path, database: &CostDatabase<'_>, file_bytes: usize) -> Self {
        let features = database.features();
        let joints = features.joints().iter().map(|joint| WeightFacts {
            joint: joint.name.clone(),
            weight: joint.weight,
        });
        Self {
            index_bytes: database.index_bytes(),
            fade: Some(Fade {
                decay: features.decay().name(),
                time_secs: features.decay().secs(),
            }),
            joints: joints.collect(),
            ..Self::new(path, FeatureSetKind::Cost, database, file_bytes)
        }
    }

    fn new<S>(path: &Path, features: FeatureSetKind, database: &FrameDatabase<'_, S>, file_bytes: usize) -> Self {
        Self {
            database: path.display().to_string(),
            features: features.as_str(),
            file_bytes,
            rows: database.num_rows(),
            clips: database
                .clips()
                .iter()
                .map(|rows| {
                    let standing = |foot: u8| {
                        let all = rows.first_row..rows.first_row + rows.num_rows;
                        let stands = all.filter(|&row| database.standing(row) & foot != 0).count();
                        stands as f64 / rows.num_rows.max(1) as f64
                    };
                    let mut gaits = Vec::new();
                    for row in rows.first_row..rows.first_row + rows.num_rows {
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
                        tags: tags(rows),
                        left_stands_share: standing(1),
                        right_stands_share: standing(2),
                    }
                })
                .collect(),
            ..Self::default()
        }
    }
}

/// Returns the answer of `loopwright match inspect` as text.
pub fn inspected(answer: &InspectAnswer) -> String {
    let mut text = format!(
        "{}: {} frames of {}, {:.1} MB; the search takes {:.1} bytes a frame\n",
        answer.database,
        answer.rows,
        counted(answer.clips.len(), "clip"),
        answer.file_bytes as f64 / 1e6,
        answer.index_bytes as f64 / answer.rows.max(1) as f64
    );
    if let Some(Fade { decay, time_secs }) = &answer.fade {
        let joints: Vec<String> = answer
            .joints
            .iter()
            .map(|facts| format!("{} {}", facts.joint, facts.weight))
            .collect();
        text += &format!(
            "  what a jump costs: {decay} of {time_secs} s over {}\n",
            joints.join(", ")
        );
    }
    if !answer.ahead_secs.is_empty() {
        let times: Vec<String> = answer.ahead_secs.iter().map(|secs| format!("{secs:.3}")).collect();
        text += &format!("  looks {} s ahead\n", times.join(", "));
    }
    let mut clips = Table::new("<clip | <kind | frames | from | fps | left planted | right planted | <gaits | <tags");
    for clip in &answer.clips {
        clips.row(vec![
            clip.name.clone(),
            clip.kind.to_owned(),
            clip.frames.to_string(),
            clip.first_frame.to_string(),
            rate(clip.fps),
            format!("{:.0}%", 100.0 * clip.left_stands_share),
            format!("{:.0}%", 100.0 * clip.right_stands_share),
            clip.gaits.join("; "),
            tags_text(&clip.tags),
        ]);
    }
    text += &clips.render();
    text
}

/// A frame that was found.
#[in_schema]
pub struct FoundFrame {
    /// Its row in the database, counted from 0.
    row: usize,
    /// The clip, by its name in the database.
    clip: String,
    /// The frame of the take, counted from 0.
    frame: usize,
    /// Its time in the take.
    time_secs: f64,
    /// Distance of its features from those that were asked for. By pose and future each vector of features has a spread of 1; for costs it is the
    /// lower bound of the cost, in metre-seconds.
    distance: f64,
    /// Exact cost of a jump from the frame that was asked for to this one; null where frames are found by pose and future.
    cost_metre_secs: Option<f64>,
    /// Whether the left foot stands.
    left_stands: bool,
    /// Whether the right foot stands.
    right_stands: bool,
    /// Tags of the clip.
    tags: Vec<Tag>,
}

impl FoundFrame {
    pub fn new<S>(database: &FrameDatabase<'_, S>, row: usize, distance: f64, cost_metre_secs: Option<f64>) -> Self {
        let at = database.frame_of(row);
        let rows = &database.clips()[at.clip];
        let standing = database.standing(row);
        Self {
            row,
            clip: rows.clip.name.clone(),
            frame: at.frame,
            time_secs: at.frame as f64 * rows.clip.step_secs,
            distance,
            cost_metre_secs,
            left_stands: standing & 1 != 0,
            right_stands: standing & 2 != 0,
            tags: tags(rows),
        }
    }
}

/// The answer of `match query`.
#[in_schema]
pub struct QueryAnswer {
    /// The match database, as it was named.
    pub database: String,
    /// What frames are found by: pose and future, or what a jump costs.
    #[schemars(schema_with = "crate::schema_words::word::<FeatureSetKind>")]
    pub features: &'static str,
    /// The take or loop that was asked for.
    pub file: String,
    /// Its frame, counted from 0.
    pub frame: usize,
    /// The speed that was asked for; null where it is that of the take.
    pub speed_mps: Option<f64>,
    /// The turn rate that was asked for, left positive; null where it is that of the take.
    pub turn_rate_dps: Option<f64>,
    /// The nearest or cheapest frames, the best first; of equal ones the lowest row.
    pub found: Vec<FoundFrame>,
}

pub fn queried(answer: &QueryAnswer) -> String {
    let is_cost = answer.features == FeatureSetKind::Cost.as_str();
    let what = if is_cost { "cheapest after" } else { "nearest to" };
    let mut text = format!("{what} frame {} of {}", answer.frame, answer.file);
    if let Some(speed) = answer.speed_mps {
        text += &format!(", going on at {speed:.2} m/s");
    }
    if let Some(turn) = answer.turn_rate_dps.filter(|&turn| turn != 0.0) {
        text += &format!(", turning {turn:+.1} deg/s");
    }
    text.push('\n');
    let mut found = Table::new(if is_cost {
        "<clip | frame | at s | cost m s | <planted | <tags"
    } else {
        "<clip | frame | at s | distance | <planted | <tags"
    });
    for frame in &answer.found {
        let stands = match (frame.left_stands, frame.right_stands) {
            (true, true) => "both",
            (true, false) => "left",
            (false, true) => "right",
            (false, false) => "-",
        };
        found.row(vec![
            frame.clip.clone(),
            frame.frame.to_string(),
            format!("{:.3}", frame.time_secs),
            format!("{:.3}", frame.cost_metre_secs.unwrap_or(frame.distance)),
            stands.to_owned(),
            tags_text(&frame.tags),
        ]);
    }
    text += &found.render();
    text
}

/// The answer of `match export`.
#[in_schema]
pub struct ExportAnswer {
    /// The match database, as it was named.
    pub database: String,
    /// Rows of the array.
    pub rows: usize,
    /// Features of a row.
    pub columns: usize,
}

pub fn exported(answer: &ExportAnswer, npy: &Path) -> String {
    format!(
        "{}: {} rows of {} features\n",
        npy.display(),
        answer.rows,
        answer.columns
    )
}

/// A part of a walk that plays one clip.
#[in_schema]
struct WalkedPart {
    /// When it starts.
    start_secs: f64,
    /// The clip, by its name in the database.
    clip: String,
    /// The frame of the take with which it starts.
    frame: usize,
}

/// What a walk along a path is like.
#[in_schema]
pub struct WalkAnswer {
    /// Seconds from the first frame to the last.
    duration_secs: f64,
    /// Number of frames.
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// How often the motion goes on in another frame of the database.
    jumps: usize,
    /// The same per second.
    jump_rate_hz: f64,
    /// Mean distance of the body from where the path is at that time.
    mean_path_error_m: f64,
    /// The largest of these distances.
    largest_path_error_m: f64,
    /// Mean speed over the ground of feet that stand; null where none stands.
    foot_slide_mps: Option<f64>,
    /// The same of the frames that are played, in their own takes.
    foot_slide_of_sources_mps: Option<f64>,
    /// The largest change of a joint's step from one frame to the next, just after jumps.
    sharpest_after_jumps_m: f64,
    /// The same in all other frames.
    sharpest_elsewhere_m: f64,
    /// What plays, from the first frame and from every jump on.
    parts: Vec<WalkedPart>,
}

impl WalkAnswer {
    pub fn new(database: &MatchDatabase<'_>, walked: &Walked) -> Self {
        let take = &walked.take;
        let errors = &walked.path_error_metres;
        Self {
            duration_secs: take.duration_secs(),
            frames: take.num_frames(),
            fps: take.frame_rate_hz(),
            jumps: walked.jumps.len(),
            jump_rate_hz: walked.jumps.len() as f64 / take.duration_secs().max(take.frame_time_secs()),
            mean_path_error_m: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
            largest_path_error_m: errors.iter().copied().fold(0.0, f64::max),
            foot_slide_mps: walked.slide_mps,
            foot_slide_of_sources_mps: walked.slide_of_sources_mps,
            sharpest_after_jumps_m: walked.sharpest_metres[0],
            sharpest_elsewhere_m: walked.sharpest_metres[1],
            parts: [0]
                .iter()
                .chain(&walked.jumps)
                .map(|&frame| {
                    let at = database.frame_of(walked.rows[frame]);
                    WalkedPart {
                        start_secs: frame as f64 * take.frame_time_secs(),
                        clip: database.clips()[at.clip].clip.name.clone(),
                        frame: at.frame,
                    }
                })
                .collect(),
        }
    }
}

/// The answer of `match walk`.
pub fn walked(answer: &WalkAnswer, file: &str) -> String {
    let mut text = format!(
        "{file}: {:.2} s, {} frames, {} jumps ({:.2} a second)\n  off the path  {:.2} m on average, at most {:.2} m\n",
        answer.duration_secs,
        answer.frames,
        answer.jumps,
        answer.jump_rate_hz,
        answer.mean_path_error_m,
        answer.largest_path_error_m
    );
    if let Some((slide, own)) = answer.foot_slide_mps.zip(answer.foot_slide_of_sources_mps) {
        text += &format!(
            "  feet slide    {:.1} cm/s while planted, {:.1} in their takes\n",
            100.0 * slide,
            100.0 * own
        );
    }
    for part in &answer.parts {
        text += &format!(
            "  {:>8.2} s  {} from frame {}\n",
            part.start_secs, part.clip, part.frame
        );
    }
    text
}
