//! `loopwright list`: lists the animations of files.

use std::path::Path;

use loopwright_job::{Study, pack};

use crate::{
    animations::{self, Excluded},
    args::ListArgs,
    batch,
    exit::{Ending, Failure, Result},
    files, output,
    report::list::{self as report, ListedAnimation, ListedFile},
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
            output::print(&report::human(&file))?;
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
    output::end(report::json(&files, failure.as_ref()), failure, args.json)?;
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
