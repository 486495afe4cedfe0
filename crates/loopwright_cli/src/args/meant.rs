//! What users mean who type a flag or a command that other programs have: the nearest spelling is often another thing altogether.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, builder::StyledStr};

/// Flags that are none, and what does what they say.
const FLAGS: [(&str, &str); 22] = [
    (
        "--all",
        "`loopwright make TAKE --pick all -o FOLDER/` makes every loop; `loopwright find TAKE --top 1000` lists them",
    ),
    ("--start", "--range START:END"),
    ("--end", "--range START:END"),
    ("--frames", "--range START:END, or --set output.frames=N"),
    ("--in-place", "--root-motion in-place"),
    ("--inplace", "--root-motion in-place"),
    (
        "--list",
        "`loopwright list FILE` lists animations, `loopwright find FILE` the loops of a take",
    ),
    ("--format", "--to FORMAT, or a name with its extension after -o"),
    ("--engine", "--for ENGINE"),
    ("--straight", "--turning none"),
    ("--target", "--for ENGINE"),
    ("--input", "the name of the file alone, without a flag"),
    ("--out", "-o OUT"),
    ("--folder", "-o FOLDER/"),
    ("--dir", "-o FOLDER/"),
    ("--recursive", "the name of the folder: all below it is read"),
    ("--overwrite", "--force"),
    ("--yes", "--force"),
    ("--silent", "--quiet"),
    ("--threads", "--jobs N"),
    ("--parallel", "--jobs N"),
    ("--export", "--for ENGINE, or -o with the extension of the format"),
];

/// Commands that are none, and those that do what they say.
const COMMANDS: [(&str, &str); 16] = [
    ("ls", "list"),
    ("lst", "list"),
    ("animations", "list"),
    ("info", "inspect"),
    ("show", "render or report"),
    ("view", "render or report"),
    ("html", "report"),
    ("plot", "render, or --plot of inspect, find and make"),
    ("loop", "make"),
    ("create", "make"),
    ("validate", "check"),
    ("test", "check"),
    ("export", "convert"),
    ("search", "find"),
    ("query", "catalog, or match query"),
    ("transfer", "retarget"),
];

/// What the standard library says of numbers that are none, and what helps.
const NUMBERS: [(&str, &str); 5] = [
    ("invalid float literal", "must be a number, such as 30 or 0.5"),
    (
        "cannot parse float from empty string",
        "must be a number, such as 30 or 0.5",
    ),
    ("invalid digit found in string", "must be a whole number, such as 3"),
    (
        "cannot parse integer from empty string",
        "must be a whole number, such as 3",
    ),
    (
        "number would be zero for non-zero type",
        "must be a whole number from 1 on",
    ),
];

/// Says of a value that is no number what it must be.
fn with_numbers_explained(error: Error) -> Error {
    let Some(source) = std::error::Error::source(&error).map(ToString::to_string) else {
        return error;
    };
    let Some((_, helps)) = NUMBERS.iter().find(|(said, _)| *said == source) else {
        return error;
    };
    let (Some(ContextValue::String(argument)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
    else {
        return error;
    };
    let text = format!("invalid value '{value}' for '{argument}': {helps}\n\nFor more information, try '--help'.\n");
    Error::raw(error.kind(), text)
}

/// The error with what was meant in place of what is spelled alike.
pub(crate) fn explained(error: Error) -> Error {
    let mut error = with_numbers_explained(error);
    let (kind, list, spelled): (_, &[(&str, &str)], _) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, &FLAGS, ContextKind::SuggestedArg),
        ErrorKind::InvalidSubcommand => (
            ContextKind::InvalidSubcommand,
            &COMMANDS,
            ContextKind::SuggestedSubcommand,
        ),
        _ => return error,
    };
    let Some(ContextValue::String(typed)) = error.get(kind) else {
        return error;
    };
    let word = typed.split('=').next().unwrap_or_default();
    let Some((_, meant)) = list.iter().find(|(other, _)| *other == word) else {
        return error;
    };
    let tip = StyledStr::from(format!("perhaps you mean {meant}"));
    error.remove(spelled);
    // The usage would name the flag that is spelled alike.
    error.remove(ContextKind::Usage);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}
