//! `loopwright list`: lists the animations of files.

use std::path::Path;

use loopwright_job::{
    Studied, Study,
    pack::{self, Judged},
};

use crate::{
    animations::{self, Excluded},
    args::ListArgs,
    batch,
    exit::{Ending, Failure, Result},
    files, loop_output, output,
    report::{
        figures::counted,
        json,
        table::{in_columns, optional, or_dash, rate},
    },
    talk::{self, Progress},
};

pub fn run(args: &ListArgs) -> Result<Ending> {
    let study: Study = args.reading.clone().into();
    let mut files = Vec::new();
    // A file that cannot be read does not stop the others. It is reported now and, if it is one of several, listed at the end.
    let named = batch::in_order(&args.takes);
    let is_several = named.len() > 1;
    for named in named {
        let (path, listed) = match named {
            Ok(path) => {
                let listed = list(&path, &study);
                (path, listed)
            }
            Err((path, failure)) => (path, Err(failure)),
        };
        let file = listed.unwrap_or_else(|failure| {
            if is_several {
                talk::fail(&failure);
            }
            ListedFile::failed(&path, failure)
        });
        if !args.json {
            output::print(&human(&file))?;
        }
        files.push(file);
    }
    let failures: Vec<&Failure> = files.iter().flat_map(ListedFile::failures).collect();
    let failure = match failures[..] {
        [] => None,
        [only] if files.len() == 1 && files[0].failure.is_some() => Some(only.clone()),
        _ => Some(Failure::of_all(
            format!("{} of the files or animations could not be read", failures.len()),
            failures.iter().copied(),
        )),
    };
    output::end(
        json::document("list", ListAnswer { files: &files }, failure.as_ref(), &[]),
        failure,
        args.json,
    )?;
    Ok(Ending::Done)
}

/// Lists the animations of one file. Errors: the file cannot be read, or has none of the animations asked for.
fn list(path: &Path, study: &Study) -> Result<ListedFile> {
    let file = files::read_animated(path)?;
    let numbers = animations::asked_for(path, &file, study.args.animation.as_deref(), Excluded::NONE)?;
    let progress = Progress::new("listing", numbers.len());
    let mut listed = Vec::with_capacity(numbers.len());
    for number in numbers {
        let name = &file.animation_names()[number];
        listed.push(match animations::read(path, &file, number, study) {
            Ok(loaded) => ListedAnimation::new(number, name, &loaded, pack::judge(&loaded, name)),
            Err(failure) => ListedAnimation::failed(number, name, failure),
        });
        progress.step();
    }
    progress.finish();
    Ok(ListedFile {
        file: path.display().to_string(),
        animations: listed,
        failure: None,
    })
}

/// A file and its animations.
#[in_schema]
struct ListedFile {
    /// The file, as it was named.
    file: String,
    /// Its animations, or those that were asked for, in the order of the file.
    animations: Vec<ListedAnimation>,
    /// Why the file cannot be read; left out where it can.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::report::json::ErrorFacts>")]
    failure: Option<Failure>,
}

impl ListedFile {
    fn failed(path: &Path, failure: Failure) -> Self {
        Self {
            file: path.display().to_string(),
            animations: Vec::new(),
            failure: Some(failure),
        }
    }

    /// Lists why the file or some of its animations cannot be read.
    fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failure.iter().chain(
            self.animations
                .iter()
                .filter_map(|animation| animation.failure.as_ref()),
        )
    }
}

/// An animation of a file.
#[in_schema]
#[derive(Default)]
struct ListedAnimation {
    /// Its number in the file, from 0.
    number: usize,
    /// Its name; its number where it has none.
    name: String,
    /// Time from the first frame to the last; null where it cannot be read, like all else.
    duration_secs: Option<f64>,
    /// Number of frames.
    frames: Option<usize>,
    /// Frames per second.
    fps: Option<f64>,
    /// Number of joints.
    joints: Option<usize>,
    /// What it is: still, idle, walk, turning_walk, run, backward, strafe, turn_in_place, jump, one_shot or other.
    kind: Option<&'static str>,
    /// Whether it loops: already loops, ends as it begins (but may be a single action), one cycle (to be closed), holds loops (in a part of it)
    /// or no.
    loops: Option<&'static str>,
    /// The grade of its loop as make makes it by default; null where it gives none.
    #[schemars(schema_with = "crate::schema_words::optional_word::<loopwright_formats::loop_file::facts::Grade>")]
    grade: Option<&'static str>,
    /// The reason for the grade, as a clause.
    reason: Option<String>,
    /// Speed of its loop over the ground, measured from the feet where it is in place; null where it gives no loop.
    speed_mps: Option<f64>,
    /// Why it gives no loop; null where it gives one.
    why_no_loop: Option<String>,
    /// Assumptions, and what is odd in it, one sentence each.
    warnings: Vec<String>,
    /// Why it cannot be read; left out where it can.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::report::json::ErrorFacts>")]
    failure: Option<Failure>,
}

impl ListedAnimation {
    fn new(number: usize, name: &str, loaded: &Studied, judged: Judged) -> Self {
        let take = loaded.take();
        Self {
            number,
            name: name.to_owned(),
            duration_secs: Some(take.duration_secs()),
            frames: Some(take.num_frames()),
            fps: Some(take.frame_rate_hz()),
            joints: Some(take.num_joints()),
            kind: Some(judged.kind.as_str()),
            loops: Some(judged.loops.as_str()),
            grade: judged.verdict.as_ref().map(|verdict| verdict.grade.as_str()),
            reason: judged.verdict.map(|verdict| verdict.reason),
            speed_mps: judged.speed_mps,
            why_no_loop: judged.why_not,
            warnings: loop_output::in_words(&loaded.warnings),
            failure: None,
        }
    }

    fn failed(number: usize, name: &str, failure: Failure) -> Self {
        Self {
            number,
            name: name.to_owned(),
            failure: Some(failure),
            ..Self::default()
        }
    }

    fn row(&self, with_rate: bool) -> Vec<String> {
        let mut row = vec![
            self.number.to_string(),
            self.name.clone(),
            optional(self.duration_secs, 2),
            or_dash(self.frames),
        ];
        if with_rate {
            row.push(or_dash(self.fps.map(rate)));
        }
        let loops = match (&self.failure, self.loops, &self.why_no_loop) {
            (Some(_), ..) => "cannot be read".to_owned(),
            (None, Some(loops), Some(why_not)) => format!("{loops}: {why_not}"),
            (None, loops, _) => or_dash(loops),
        };
        let grade = match (self.grade, &self.reason) {
            (Some("good") | None, _) | (_, None) => or_dash(self.grade),
            (Some(grade), Some(reason)) => format!("{grade}: {reason}"),
        };
        row.extend([optional(self.speed_mps, 2), or_dash(self.kind), loops, grade]);
        row
    }
}

/// Lists the animations of one file as a table.
fn human(file: &ListedFile) -> String {
    if file.failure.is_some() {
        return String::new();
    }
    // A single pose has no rate.
    let rates: Vec<String> = file
        .animations
        .iter()
        .filter(|animation| animation.frames > Some(1))
        .filter_map(|animation| animation.fps)
        .map(rate)
        .collect();
    let with_rate = rates.iter().any(|other| *other != rates[0]);
    if file.animations.is_empty() {
        return format!("{}: no animations\n", file.file);
    }
    let mut text = format!("{}: {}", file.file, counted(file.animations.len(), "animation"));
    if let Some(rate) = rates.first().filter(|_| !with_rate) {
        text += &format!(" at {rate} fps");
    }
    text.push('\n');
    let headings = if with_rate {
        "# | <name | seconds | frames | fps | m/s | <kind | <loops | <grade"
    } else {
        "# | <name | seconds | frames | m/s | <kind | <loops | <grade"
    };
    text + &in_columns(
        headings,
        file.animations.iter().map(|animation| animation.row(with_rate)),
    )
}

/// The answer of list.
#[in_schema]
pub struct ListAnswer<'a> {
    /// The files, in the order in which they were named.
    files: &'a [ListedFile],
}
