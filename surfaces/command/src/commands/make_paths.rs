//! Where `make` writes a loop: into the file that is named, or into one that is named after the take.

use std::path::{Path, PathBuf};

use crate::{args::TargetArgs, exit::Failure, files, loop_output, output, recipe::Recipe};

/// The file of a loop, by default `<stem>-loop.<extension>`; `<stem>-<animation>-loop.<extension>` if an animation is given.
pub(super) fn of_loop(take: &Path, recipe: &Recipe, target: &TargetArgs) -> Result<PathBuf, Failure> {
    of_target(target, || {
        let animation = recipe.take.animation.as_deref();
        let animation = animation.map_or_else(String::new, |name| format!("-{}", in_file_name(name)));
        let extension = loop_output::extension(take, recipe);
        PathBuf::from(format!("{}{animation}-loop.{extension}", files::stem(take)))
    })
}

/// The file of the loops of many animations, by default `<stem>-loops.<extension>` with the extension of the file that is copied.
pub(super) fn of_pack(take: &Path, recipe: &Recipe, target: &TargetArgs) -> Result<PathBuf, Failure> {
    of_target(target, || {
        let extension = copied(take, recipe).extension();
        let extension = extension.map_or_else(|| "glb".into(), |extension| extension.to_string_lossy());
        PathBuf::from(format!("{}-loops.{extension}", files::stem(take)))
    })
}

/// The file that takes the loops of many animations: the character's, or that of the animations.
pub(super) fn copied<'a>(take: &'a Path, recipe: &'a Recipe) -> &'a Path {
    recipe.take.rig.as_deref().unwrap_or(take)
}

/// The file that is named, or one with the default name, in the current folder or in the one that is named; its format is the one asked for.
fn of_target(target: &TargetArgs, default: impl FnOnce() -> PathBuf) -> Result<PathBuf, Failure> {
    // The extension of what comes in by the standard input is known once that is read.
    let name = || match target.to {
        Some(format) => default().with_extension(format.extension()),
        None => default(),
    };
    match &target.output {
        Some(stream) if files::is_stream(stream) => Ok(name()),
        Some(folder) if output::is_named_as_folder(folder) => {
            output::make_folder(folder)?;
            Ok(folder.join(name()))
        }
        Some(path) => match target.to {
            Some(format) if output::format_of(path)? != format => Err(Failure::error(format!(
                "\"{}\" is not named like a file of the format {}",
                path.display(),
                format.extension()
            ))
            .try_this("a name with that extension, or no --to")),
            _ => Ok(path.clone()),
        },
        None => Ok(name()),
    }
}

/// Maximum number of letters of an animation's name that go into a file name.
const MAX_NAMED: usize = 60;

/// The name of an animation as a part of a file name: letters, digits and underscores, others become hyphens.
fn in_file_name(animation: &str) -> String {
    let fit = |letter: char| {
        if letter.is_alphanumeric() || letter == '_' {
            letter
        } else {
            '-'
        }
    };
    animation.chars().take(MAX_NAMED).map(fit).collect()
}
