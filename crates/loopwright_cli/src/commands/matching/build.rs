//! `loopwright match build`.

use std::path::{Component, Path, PathBuf};

use loopwright::{
    Analysis,
    matching::{MatchDatabase, MatchMotion, MatchSource, RowsError, features::FeaturesError},
};
use loopwright_formats::AnimationChoice;

use super::{open, unmatched};
use crate::{
    args::MatchBuildArgs,
    exit::{Ending, Failure},
    files, load, memory,
    output::{self, Outputs},
    recipe::TakeArgs,
    report::{
        json,
        matching::{self as report, BuildAnswer},
    },
    talk::{self, Progress},
    written_loop,
};

pub(super) fn run(args: &MatchBuildArgs) -> Result<Ending, Failure> {
    let files = takes(&args.takes)?;
    let mut outputs = Outputs::new(args.force);
    for path in &files {
        outputs.spare(path);
        outputs.spare_as("sidecar", &output::sidecar_path(path));
    }
    outputs.check(&args.output)?;
    let known = args.add.as_deref().map(files::read_bytes).transpose()?;
    let known = match (&args.add, &known) {
        (Some(path), Some(bytes)) => Some(open(path, bytes)?),
        _ => None,
    };

    let progress = Progress::new("reading", files.len());
    let (mut motions, mut failures) = (Vec::new(), Vec::new());
    for path in &files {
        // A file that cannot be matched does not stop the others.
        match of_file(path, args, known.as_ref()) {
            Ok(found) => motions.extend(found),
            Err(failure) => {
                if files.len() > 1 {
                    talk::fail(&failure);
                }
                failures.push(failure);
            }
        }
        progress.step();
    }
    progress.finish();
    if motions.is_empty() {
        return Err(match &failures[..] {
            [only] => only.clone(),
            [] => Failure::nothing("no take has a run of frames without jumps that is long enough to match")
                .try_this("longer takes: matching looks 1 s ahead"),
            all => Failure::of_all("none of the takes can be matched", &all.iter().collect::<Vec<_>>()),
        });
    }
    let num_added = motions.iter().map(|motion| motion.features.len()).sum();
    let database = match &known {
        Some(known) => known.with(motions),
        None => MatchDatabase::new(motions),
    }
    .map_err(rows_failure)?;
    let bytes = database.to_bytes();
    outputs.add(&args.output, &bytes)?;
    let outputs = outputs.commit()?;
    let answer = BuildAnswer::of(&args.output, &database, bytes.len(), num_added);
    let failure = (!failures.is_empty()).then(|| {
        let what = format!("{} of {} files could not be matched", failures.len(), files.len());
        Failure::of_all(what, &failures.iter().collect::<Vec<_>>())
    });
    if !args.json {
        output::print(&report::built(&answer))?;
    }
    let document = json::document("match-build", answer, failure.as_ref(), &outputs);
    if let Some(failure) = failure {
        return Err(failure.in_document(document));
    }
    if args.json {
        output::print(&document)?;
    }
    Ok(Ending::Done)
}

/// The files of all arguments, folders replaced by the takes and loops in them and below.
fn takes(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = files::files_below(path, files::is_named_like_a_take)?;
        if found.is_empty() {
            return Err(Failure::error(format!(
                "there is no take in the folder \"{}\" or below",
                path.display()
            ))
            .try_this("name BVH, FBX, GLB or glTF files"));
        }
        files.extend(found);
    }
    Ok(files)
}

/// The motions of a file: its loops if it has a sidecar, else its take.
fn of_file(path: &Path, args: &MatchBuildArgs, known: Option<&MatchDatabase<'_>>) -> Result<Vec<MatchMotion>, Failure> {
    let is_loop = written_loop::has_sidecar(path);
    let mut motions = Vec::new();
    for (name, source) in sources_of(path, name_beside(path, &args.output), &args.reading)? {
        let is_known = |known: &MatchDatabase<'_>| known.clips().iter().any(|rows| rows.clip.name == name);
        if known.is_some_and(is_known) {
            return Err(Failure::error(format!("\"{name}\" is in the database already"))
                .try_this("build it again without --add"));
        }
        let found = source.motions(&name, &args.tags).map_err(|error| match error {
            // Its poses stand in the way that its sidecar says.
            FeaturesError::InPlace { .. } if is_loop => {
                Failure::error(format!("cannot match \"{}\": {error}", path.display()))
                    .try_this("make the loop again with --root-motion constant")
            }
            error => unmatched(path, error),
        })?;
        if found.is_empty() {
            talk::warn(&format!(
                "{}: its pose jumps so often that no frame can be matched",
                path.display()
            ));
        }
        motions.extend(found);
    }
    Ok(motions)
}

/// What a file holds, by the name of its clips: its loops if it has a sidecar, else its take.
pub(super) fn sources_of(path: &Path, name: String, reading: &TakeArgs) -> Result<Vec<(String, MatchSource)>, Failure> {
    if !written_loop::has_sidecar(path) {
        return Ok(vec![(name, MatchSource::of_take(read_take(path, reading)?))]);
    }
    let mut sources = Vec::new();
    let loops = written_loop::all_loops(&[path.to_owned()], reading)?;
    for each in &loops {
        for read in written_loop::read_all_playable(core::slice::from_ref(each), reading)? {
            let source = MatchSource::of_loop(&read.clip).map_err(|error| unmatched(path, error))?;
            let name = match loops.len() {
                1 => name.clone(),
                _ => format!("{name}:{}", read.clip.name()),
            };
            sources.push((name, source));
        }
    }
    Ok(sources)
}

/// Reads a take and studies it; warnings name the file.
fn read_take(path: &Path, reading: &TakeArgs) -> Result<Analysis, Failure> {
    let mut soft = Vec::new();
    let settings = reading.settings(reading.space(), AnimationChoice::Auto, memory::limits());
    let file = load::read_take(path, &settings, &mut soft)?;
    let loaded = load::analysed(path, file, &soft, &reading.clone().into())?;
    for warning in &loaded.warnings {
        talk::warn(&format!("{}: {warning}", path.display()));
    }
    Ok(loaded.analysis)
}

/// The path of a take as it is seen from the folder of the database, with slashes; as it was typed if there is no such path.
fn name_beside(path: &Path, output: &Path) -> String {
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let seen = path
        .canonicalize()
        .ok()
        .zip(folder.canonicalize().ok())
        .and_then(|(path, folder)| {
            let shared = path
                .components()
                .zip(folder.components())
                .take_while(|(one, other)| one == other)
                .count();
            // Nothing in common: another drive.
            (shared > 0).then(|| {
                let up = folder.components().skip(shared).map(|_| "..".to_owned());
                let down = path.components().skip(shared).map(|part| match part {
                    Component::Normal(name) => name.to_string_lossy().into_owned(),
                    part => part.as_os_str().to_string_lossy().into_owned(),
                });
                up.chain(down).collect::<Vec<_>>().join("/")
            })
        });
    seen.unwrap_or_else(|| path.display().to_string())
}

fn rows_failure(error: RowsError) -> Failure {
    let failure = Failure::error(format!("cannot build the database: {error}"));
    match error {
        RowsError::Number { .. } => failure.try_this("--unit: a body may be read far too large"),
        _ => failure.try_this("fewer takes"),
    }
}
