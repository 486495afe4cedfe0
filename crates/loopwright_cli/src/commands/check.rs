//! `loopwright check`: does the seam show?

use std::path::Path;

use loopwright::{
    analysis::body::Body,
    quality::{self, LoopKeys},
};

use crate::{
    args::{CheckArgs, TakeArgs},
    exit::{Ending, Failure},
    load::{self, Loaded},
    output,
    report::{facts, human, json, json::Verdict},
    talk,
    written_loop::{self, WrittenLoop},
};

pub(crate) fn run(args: &CheckArgs) -> Result<Ending, Failure> {
    let take = args
        .take
        .as_ref()
        .map(|take| load::load(take, &args.reading.clone().into()))
        .transpose()?;
    let mut verdicts = Vec::new();
    let (mut failed, mut negative) = (0, false);
    for path in &args.loops {
        match check(path, &args.reading, take.as_ref()) {
            Ok(verdict) => {
                negative |= verdict.verdict == "pops";
                if !args.json {
                    for warning in &verdict.warnings {
                        talk::warn(&format!("{}: {warning}", path.display()));
                    }
                    output::print(&human::verdict(&verdict))?;
                }
                verdicts.push(verdict);
            }
            // One bad file does not stop the others; it is told now and counted at the end.
            Err(failure) => {
                talk::fail(&failure);
                failed += 1;
                verdicts.push(Verdict {
                    file: path.display().to_string(),
                    verdict: "error",
                    take: None,
                    candidate: None,
                    root: None,
                    quality: None,
                    warnings: vec![failure.what().to_owned()],
                });
            }
        }
    }
    if args.json {
        output::print(&json::check(&verdicts))?;
    }
    if failed > 0 {
        return Err(Failure::error(format!(
            "{failed} of {} loops could not be checked",
            args.loops.len()
        )));
    }
    Ok(if negative { Ending::Negative } else { Ending::Done })
}

/// The verdict on one loop. Errors: the file or its sidecar cannot be read, or do not belong together.
fn check(path: &Path, reading: &TakeArgs, take: Option<&Loaded>) -> Result<Verdict, Failure> {
    let WrittenLoop {
        sidecar,
        written,
        facts,
        mut warnings,
    } = written_loop::read(path, reading)?;
    let body = Body::find(&written, &load::overrides(reading)).map_err(load::body_failure)?;

    let (layout, root, carrier, space) = match &sidecar {
        Some(sidecar) => {
            let (layout, root, carrier) = written_loop::from_sidecar(&written, sidecar)?;
            (layout, root, carrier, written_loop::root_space(&sidecar.root))
        }
        None => {
            let carrier = quality::topmost_moving(&written, &body);
            let seen = quality::recognise(&written, &body, carrier).map_err(|error| {
                Failure::error(format!("cannot check \"{}\": {error}", path.display()))
                    .try_this("a loop of 3 or more frames")
            })?;
            let key = if seen.layout.has_closing_key {
                "the last key is taken for the first one again"
            } else {
                "the last key is taken for the last sample before the first comes again"
            };
            warnings.push(format!("no sidecar: {key}, and the travel is told from the keys"));
            (seen.layout, seen.root, seen.carrier, seen.space)
        }
    };
    // Folding an added root joint away leaves the travel on the topmost joint, whichever had it in the take.
    let root_added = sidecar
        .as_ref()
        .is_some_and(|sidecar| sidecar.playback.root_joint_added);
    let keys_carrier = if root_added { 0 } else { carrier };
    let keys = LoopKeys::new(&written, layout, root, keys_carrier).map_err(|error| {
        Failure::error(format!("cannot check \"{}\": {error}", path.display())).try_this(written_loop::OTHER_SIDECAR)
    })?;
    let source = match (take, &sidecar) {
        (Some(take), Some(sidecar)) => Some(written_loop::source_of(take, sidecar, &written, root, carrier)?),
        (Some(_), None) => {
            warnings.push("no sidecar: which frames of the take the loop was cut from is not known".to_owned());
            None
        }
        (None, _) => None,
    };
    let quality = quality::measure(&keys, &body, source.as_ref());
    if quality.pops() && sidecar.is_none() && !layout.has_closing_key {
        warnings.push(
            "the verdict rests on a travel told from open keys; keep the sidecar beside the loop, or write the closing key"
                .to_owned(),
        );
    }
    let verdict = if quality.pops() { "pops" } else { "loops" };
    Ok(Verdict {
        file: path.display().to_string(),
        verdict,
        take: Some(facts),
        candidate: sidecar.map(|sidecar| sidecar.candidate),
        root: Some(facts::root(&root, space)),
        quality: Some(facts::quality(&quality, None)),
        warnings,
    })
}
