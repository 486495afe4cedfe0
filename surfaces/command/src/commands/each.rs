//! Commands over many files: the work is done for each file, and answers are printed in the order of the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    args::JobsArgs,
    batch::{self, Input, Inputs, Named, Names, Template, Wanted},
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    output,
    report::failure,
    talk::{self, Aside, Progress},
};

/// Most files that the closing message lists.
const MOST_LISTED: usize = 20;

/// Settings of the work on files.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    pub jobs: JobsArgs,
    pub json: bool,
    /// The character that takes the motion of the files; it is not an input itself.
    pub character: Option<&'a Path>,
    /// Flags that apply to a single file only, and whether they are given.
    pub for_one: &'a [(&'static str, bool)],
}

/// Does the work of a command on the one file, or on each of many. A single file is worked on as if there were no others.
pub fn file(
    names: &[PathBuf],
    manner: Manner<'_>,
    work: impl Fn(&InputFile) -> Result<Ending> + Sync,
) -> Result<Ending> {
    match names {
        [one] if !batch::are_many(names) => work(&InputFile::existing(one)?),
        _ => all(
            batch::find(names, Wanted::All, None, manner.character),
            manner,
            |input| work(&InputFile::named(&input.path)),
        ),
    }
}

/// Returns the path of an input's output: the named file, or a file in the named folder, called like the input.
fn output_of(input: &Path, named: &Path, extension: &str) -> Result<PathBuf> {
    if !output::is_named_as_folder(named) {
        return Ok(named.to_owned());
    }
    output::make_folder(named)?;
    Ok(named.join(files::stem(input)).with_added_extension(extension))
}

/// Does the work of a command that writes one file per input. `work` receives the input, its output, and whether it is one of many;
/// `extension` returns the extension of an input's output.
pub fn output(
    names: &[PathBuf],
    named: &Path,
    extension: impl Fn(&Path) -> String,
    manner: Manner<'_>,
    work: impl Fn(InputFile, &Path, bool) -> Result<Ending> + Sync,
) -> Result<Ending> {
    if let ([one], false) = (names, batch::are_many(names)) {
        let input = InputFile::existing(one)?;
        let output = output_of(&input.path, named, &extension(&input.path))?;
        return work(input, &output, false);
    }
    animations_into_folder(
        names,
        named,
        extension,
        manner,
        |_: &Path| Ok(vec![None]),
        |input, _, output| work(InputFile::named(input), output, true),
    )
}

/// An animation of a file, by its number and name.
pub type Animation = (usize, String);

/// Does the work of a command that writes one file, on each animation of files: outputs are named `<stem>-<animation>`, and the folders
/// of the inputs are mirrored below `folder`. `animations` returns the animations of a file to work on, or `None` for the file itself,
/// whose output is named `<stem>`.
pub fn animations_into_folder(
    names: &[PathBuf],
    folder: &Path,
    extension: impl Fn(&Path) -> String,
    manner: Manner<'_>,
    animations: impl Fn(&Path) -> Result<Vec<Option<Animation>>>,
    work: impl Fn(&Path, Option<&Animation>, &Path) -> Result<Ending> + Sync,
) -> Result<Ending> {
    let mut found = batch::find(names, Wanted::All, Some(folder), manner.character);
    let is_file = folder.exists() || (folder.extension().is_some() && !output::is_named_as_folder(folder));
    if !found.files.is_empty() && !folder.is_dir() && is_file {
        return Err(failure!(
            "\"{}\" is the name of a file, and several files need a folder",
            folder.display()
        )
        .try_this("the name of a folder: out/"));
    }
    let protected: BTreeSet<PathBuf> = found
        .files
        .iter()
        .filter_map(|input| input.path.canonicalize().ok())
        .collect();
    // Inputs whose names differ only in their extension would share an output.
    let mut given = Names::default();
    let mut of_outputs: BTreeMap<PathBuf, Option<Animation>> = BTreeMap::new();
    for input in core::mem::take(&mut found.files) {
        let of_file = match animations(&input.path) {
            Ok(of_file) => of_file,
            Err(failure) => {
                found.problems.push((input.path, failure));
                continue;
            }
        };
        let below = folder.join(input.below.parent().unwrap_or(Path::new("")));
        let (stem, key) = (files::stem(&input.path), input.key());
        for animation in of_file {
            let name = animation.as_ref().map(|(_, name)| &**name).filter(|name| *name != stem);
            let template = name.map_or("{stem}", |_| "{stem}-{animation}");
            let output = given.give(
                &below,
                &Template::parse(template).map_err(Failure::error)?,
                Named {
                    stem: &stem,
                    animation: name,
                    ..Named::default()
                },
                &extension(&input.path),
                &key,
            );
            found.files.push(Input {
                path: input.path.clone(),
                below: output.path.clone(),
            });
            of_outputs.insert(output.path, animation);
        }
    }
    all(found, manner, |input| {
        let output = &input.below;
        if output.canonicalize().is_ok_and(|output| protected.contains(&output)) {
            return Err(failure!("\"{}\" is one of the inputs", output.display())
                .try_this("another folder; an input is never overwritten"));
        }
        output::make_folder(files::folder_of(output))?;
        let animation = of_outputs.get(output).and_then(Option::as_ref);
        work(&input.path, animation, output).map_err(|failure| match animation {
            Some((_, name)) => failure.about(name),
            None => failure,
        })
    })
}

/// Does the work on each of many files.
pub fn all(found: Inputs, manner: Manner<'_>, work: impl Fn(&Input) -> Result<Ending> + Sync) -> Result<Ending> {
    if let Some((flag, _)) = manner.for_one.iter().find(|(_, is_given)| *is_given) {
        return Err(
            failure!("{flag} is for one file, and several are named").try_this(format!("one file, or no {flag}"))
        );
    }
    if found.files.is_empty()
        && let [(_, failure)] = &found.problems[..]
    {
        return Err(failure.clone());
    }
    let mut failed: Vec<Failure> = Vec::new();
    let mut ending = Ending::Done;
    for (_, problem) in &found.problems {
        talk::fail(problem);
        failed.push(problem.clone());
        if manner.json {
            output::print(&line(&failure::json(problem, None)))?;
        }
    }
    let jobs = batch::jobs(manner.jobs.jobs, found.files.len());
    let progress = Progress::new("files", found.files.len());
    let mut printed = Ok(());
    let said_aside = |input: &Input| {
        talk::aside(|| {
            let result = work(input);
            if let Err(failure) = &result
                && manner.json
            {
                let document = failure.document().map(str::to_owned);
                output::print(&document.unwrap_or_else(|| failure::json(failure, None)))?;
            }
            result
        })
    };
    let fault = |input: &Input| {
        let failure = failure!("the program itself failed on \"{}\"", input.path.display())
            .try_this("a report of this fault, with the file");
        (Err(failure), Aside::default())
    };
    batch::each(&found.files, jobs, said_aside, fault, |input, (result, said)| {
        progress.beside(|| {
            let text = if manner.json { line(&said.printed) } else { said.printed };
            let now = output::print(&text);
            if printed.is_ok() {
                printed = now;
            }
            talk::warn_of(input.path.display(), &said.warnings);
            match result {
                Ok(now) => ending = ending.max(now),
                Err(failure) => {
                    talk::fail(&failure);
                    if failure.is_negative() {
                        ending = Ending::Negative;
                    } else {
                        failed.push(failure);
                    }
                }
            }
        });
        progress.step();
    });
    progress.finish();
    printed?;
    if failed.is_empty() {
        return Ok(ending);
    }
    let failure = Failure::of_all(
        format!(
            "{} of {} files failed",
            failed.len(),
            found.problems.len() + found.files.len()
        ),
        failed.iter().take(MOST_LISTED),
    );
    let document = line(&failure::json(&failure, None));
    Err(failure.in_document(document))
}

fn line(document: &str) -> String {
    match serde_json::from_str::<Value>(document) {
        Ok(value) => format!("{value}\n"),
        // Nothing was printed.
        Err(_) => document.to_owned(),
    }
}
