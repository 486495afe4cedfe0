//! Answers of `match`.

use std::{fmt::Write, path::Path};

use loopwright_core::analysis::Gait;
use loopwright_match::{ClipRows, CostDatabase, FeatureSetKind, FrameDatabase, MatchDatabase, walk::Walked};
use serde::Serialize;

use super::figures::counted;
use super::table::{Table, rate};

#[derive(Serialize)]
struct Tag {
    name: String,
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
#[derive(Serialize)]
pub(crate) struct BuildAnswer {
    database: String,
    features: &'static str,
    clips: usize,
    rows: usize,
    added_rows: usize,
    file_bytes: usize,
}

impl BuildAnswer {
    pub(crate) fn new<S>(
        path: &Path,
        features: FeatureSetKind,
        database: &FrameDatabase<'_, S>,
        file_bytes: usize,
        added_rows: usize,
    ) -> Self {
        Self {
            database: path.display().to_string(),
            features: features.as_str(),
            clips: database.clips().len(),
            rows: database.num_rows(),
            added_rows,
            file_bytes,
        }
    }
}

pub(crate) fn built(answer: &BuildAnswer) -> String {
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

#[derive(Serialize)]
struct ClipFacts {
    name: String,
    kind: &'static str,
    first_frame: usize,
    frames: usize,
    fps: f64,
    tags: Vec<Tag>,
    gaits: Vec<String>,
    left_stands_share: f64,
    right_stands_share: f64,
}

#[derive(Serialize)]
struct Fade {
    decay: &'static str,
    time_secs: f64,
}

/// A joint that counts in costs.
#[derive(Serialize)]
struct WeightFacts {
    joint: String,
    weight: f64,
}

/// The answer of `match inspect`.
#[derive(Serialize)]
pub(crate) struct InspectAnswer {
    database: String,
    features: &'static str,
    ahead_secs: Vec<f64>,
    fade: Option<Fade>,
    joints: Vec<WeightFacts>,
    file_bytes: usize,
    rows: usize,
    index_bytes: usize,
    clips: Vec<ClipFacts>,
}

impl InspectAnswer {
    pub(crate) fn of_future(path: &Path, database: &MatchDatabase<'_>, file_bytes: usize) -> Self {
        Self {
            index_bytes: database.index_bytes(),
            ahead_secs: database.horizon().secs().to_vec(),
            ..Self::new(path, FeatureSetKind::Future, database, file_bytes)
        }
    }

    pub(crate) fn of_cost(path: &Path, database: &CostDatabase<'_>, file_bytes: usize) -> Self {
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
        let clip = |rows: &ClipRows| {
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
        };
        Self {
            database: path.display().to_string(),
            features: features.as_str(),
            ahead_secs: Vec::new(),
            fade: None,
            joints: Vec::new(),
            file_bytes,
            rows: database.num_rows(),
            index_bytes: 0,
            clips: database.clips().iter().map(clip).collect(),
        }
    }
}

pub(crate) fn inspected(answer: &InspectAnswer) -> String {
    let mut text = format!(
        "{}: {} frames of {}, {:.1} MB; the search takes {:.1} bytes a frame\n",
        answer.database,
        answer.rows,
        counted(answer.clips.len(), "clip"),
        answer.file_bytes as f64 / 1e6,
        answer.index_bytes as f64 / answer.rows.max(1) as f64
    );
    if let Some(Fade { decay, time_secs }) = &answer.fade {
        let joints: Vec<String> = (answer.joints.iter())
            .map(|facts| format!("{} {}", facts.joint, facts.weight))
            .collect();
        let _ = writeln!(
            text,
            "  what a jump costs: {decay} of {time_secs} s over {}",
            joints.join(", ")
        );
    }
    if !answer.ahead_secs.is_empty() {
        let times: Vec<String> = answer.ahead_secs.iter().map(|secs| format!("{secs:.3}")).collect();
        let _ = writeln!(text, "  looks {} s ahead", times.join(", "));
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
    text.push_str(&clips.render());
    text
}

#[derive(Serialize)]
pub(crate) struct FoundFrame {
    row: usize,
    clip: String,
    frame: usize,
    time_secs: f64,
    distance: f64,
    cost_metre_secs: Option<f64>,
    left_stands: bool,
    right_stands: bool,
    tags: Vec<Tag>,
}

impl FoundFrame {
    pub(crate) fn new<S>(
        database: &FrameDatabase<'_, S>,
        row: usize,
        distance: f64,
        cost_metre_secs: Option<f64>,
    ) -> Self {
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
#[derive(Serialize)]
pub(crate) struct QueryAnswer {
    pub(crate) database: String,
    pub(crate) features: &'static str,
    pub(crate) file: String,
    pub(crate) frame: usize,
    pub(crate) speed_mps: Option<f64>,
    pub(crate) turn_rate_dps: Option<f64>,
    pub(crate) found: Vec<FoundFrame>,
}

pub(crate) fn queried(answer: &QueryAnswer) -> String {
    let is_cost = answer.features == FeatureSetKind::Cost.as_str();
    let what = if is_cost { "cheapest after" } else { "nearest to" };
    let mut text = format!("{what} frame {} of {}", answer.frame, answer.file);
    if let Some(speed) = answer.speed_mps {
        let _ = write!(text, ", going on at {speed:.2} m/s");
    }
    if let Some(turn) = answer.turn_rate_dps.filter(|&turn| turn != 0.0) {
        let _ = write!(text, ", turning {turn:+.1} deg/s");
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
    text.push_str(&found.render());
    text
}

/// The answer of `match export`.
#[derive(Serialize)]
pub(crate) struct ExportAnswer {
    pub(crate) database: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

pub(crate) fn exported(answer: &ExportAnswer, npy: &Path) -> String {
    format!(
        "{}: {} rows of {} features\n",
        npy.display(),
        answer.rows,
        answer.columns
    )
}

/// A part of a walk that plays one clip.
#[derive(Serialize)]
struct WalkedPart {
    start_secs: f64,
    clip: String,
    frame: usize,
}

/// What a walk along a path is like.
#[derive(Serialize)]
pub(crate) struct WalkAnswer {
    duration_secs: f64,
    frames: usize,
    fps: f64,
    jumps: usize,
    jump_rate_hz: f64,
    mean_path_error_m: f64,
    largest_path_error_m: f64,
    foot_slide_mps: Option<f64>,
    foot_slide_of_sources_mps: Option<f64>,
    sharpest_after_jumps_m: f64,
    sharpest_elsewhere_m: f64,
    parts: Vec<WalkedPart>,
}

impl WalkAnswer {
    pub(crate) fn new(database: &MatchDatabase<'_>, walked: &Walked) -> Self {
        let take = &walked.take;
        let errors = &walked.path_error_metres;
        let part = |&frame: &usize| {
            let at = database.frame_of(walked.rows[frame]);
            WalkedPart {
                start_secs: frame as f64 * take.frame_time_secs(),
                clip: database.clips()[at.clip].clip.name.clone(),
                frame: at.frame,
            }
        };
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
            parts: [0].iter().chain(&walked.jumps).map(part).collect(),
        }
    }
}

/// The answer of `match walk`.
pub(crate) fn walked(answer: &WalkAnswer, file: &str) -> String {
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
        let _ = writeln!(
            text,
            "  feet slide    {:.1} cm/s while planted, {:.1} in their takes",
            100.0 * slide,
            100.0 * own
        );
    }
    for part in &answer.parts {
        let _ = writeln!(
            text,
            "  {:>8.2} s  {} from frame {}",
            part.start_secs, part.clip, part.frame
        );
    }
    text
}
