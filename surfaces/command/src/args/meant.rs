//! Suggestions for flags and commands that other programs have: the nearest spelling is often something else altogether.

use clap::{
    Command, Error,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use loopwright_core::names;

use super::help::full;

/// Flags that do not exist | what does their job: a row each.
const FLAGS: &str = "
--all | `loopwright make TAKE --pick all -o FOLDER/` makes every loop; `loopwright find TAKE --top 1000` lists them
--start | --range START:END
--end | --range START:END
--frames | --range START:END, or --set output.frames=N
--range | --within START:END, or `loopwright make TAKE --range START:END`
-v | --json, which holds all that is known
--verbose | --json, which holds all that is known
--in-place | --root-motion in-place
--inplace | --root-motion in-place
--list | `loopwright list FILE` lists animations, `loopwright find FILE` the loops of a take
--format | --to FORMAT, or a name with its extension after -o
--engine | --for ENGINE
--straight | --turning none
--target | --for ENGINE
--input | the name of the file alone, without a flag
--out | -o OUT
--folder | -o FOLDER/
--dir | -o FOLDER/
--recursive | the name of the folder: all below it is read
--overwrite | --force
--yes | --force
--silent | --quiet
--threads | --jobs N
--parallel | --jobs N
--export | --for ENGINE, or -o with the extension of the format
";

/// Commands that do not exist | the command that does their job.
const COMMANDS: &str = "
ls | list
lst | list
animations | list
info | inspect
show | render or report
view | render or report
html | report
plot | render, or --plot of inspect, find and make
loop | make
create | make
validate | check
test | check
export | convert
search | find
query | catalog, or match query
transfer | retarget
";

/// Messages of the standard library about bad numbers | a clearer message.
const NUMBERS: &str = "
invalid float literal | must be a number, such as 30 or 0.5
cannot parse float from empty string | must be a number, such as 30 or 0.5
invalid digit found in string | must be a whole number, such as 3
cannot parse integer from empty string | must be a whole number, such as 3
number would be zero for non-zero type | must be a whole number from 1 on
";

/// Looks a word up in a table.
fn meaning(table: &'static str, word: &str) -> Option<&'static str> {
    let mut rows = table.lines().filter_map(|row| row.split_once(" | "));
    rows.find_map(|(said, meant)| (said == word).then_some(meant))
}

/// Words the error for a bad number.
fn with_numbers_explained(error: Error) -> Error {
    let Some(source) = std::error::Error::source(&error).map(ToString::to_string) else {
        return error;
    };
    let Some(helps) = meaning(NUMBERS, &source)
        .map(str::to_owned)
        .or_else(|| of_range(&source))
    else {
        return error;
    };
    let (Some(ContextValue::String(argument)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
    else {
        return error;
    };
    Error::raw(
        error.kind(),
        format!("invalid value '{value}' for '{argument}': {helps}\n\nFor more information, try '--help'.\n"),
    )
}

/// Words the range of a number, from `0 is not in 1..=4294967295`.
fn of_range(said: &str) -> Option<String> {
    let (_, range) = said.split_once(" is not in ")?;
    let (least, most) = range.split_once("..=")?;
    Some(match most.parse() {
        Ok(u32::MAX) => format!("must be a whole number from {least} on"),
        _ => format!("must be a whole number from {least} to {most}"),
    })
}

/// Returns the error with a suggestion by meaning in place of one by spelling.
pub fn explained(error: Error) -> Error {
    let mut error = with_numbers_explained(error);
    let (kind, spelled) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        ErrorKind::ArgumentConflict => return with_tip_on_patterns(error),
        _ => return error,
    };
    let Some(ContextValue::String(typed)) = error.get(kind) else {
        return error;
    };
    let word = typed.split('=').next().unwrap_or_default().to_owned();
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => meant_by_flag(&word, &usage(&error)),
        _ => meaning(COMMANDS, &word).map(|meant| format!("perhaps you mean {meant}")),
    };
    if let Some(tip) = tip {
        error.remove(spelled);
        // The usage would name the flag with the similar spelling.
        error.remove(ContextKind::Usage);
        let tip = StyledStr::from(tip);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        return error;
    }
    // A file is rarely named like a flag, so the tip on how to pass one is no help.
    error.remove(ContextKind::Suggested);
    if let Some(ContextValue::Strings(similar)) = error.get(spelled) {
        let near = names::nearest(&word, similar.iter().map(String::as_str), 1);
        if let Some(near) = near.first().map(|near| (*near).to_owned()) {
            error.insert(spelled, ContextValue::String(near));
        }
    }
    error
}

fn usage(error: &Error) -> String {
    match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    }
}

/// Suggests what to use for a flag that this command lacks: flags of other programs, outputs, and flags of other commands.
fn meant_by_flag(flag: &str, usage: &str) -> Option<String> {
    if let Some(meant) = meaning(FLAGS, flag) {
        return Some(format!("perhaps you mean {meant}"));
    }
    if flag.parse::<f64>().is_ok() {
        return Some(format!(
            "a number below 0 follows its flag with an equals sign: --FLAG={flag}"
        ));
    }
    let program = full();
    let having: Vec<&str> = program
        .get_subcommands()
        .filter(|command| {
            let mut args = command.get_arguments().filter(|arg| !arg.is_positional());
            args.any(|arg| {
                let long = arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
                long || arg.get_short().is_some_and(|short| flag == format!("-{short}"))
            })
        })
        .map(Command::get_name)
        .collect();
    match &having[..] {
        [] => None,
        _ if ["-o", "--output"].contains(&flag) && usage.contains(" convert ") => {
            Some("the last name is the output: loopwright convert walk.bvh walk.glb".to_owned())
        }
        [one] => Some(format!("{flag} is a flag of {one} alone")),
        [most @ .., last] => Some(format!("{flag} is a flag of {} and {last}", most.join(", "))),
    }
}

/// Adds to the error of a repeated `--animation` how one pattern names several; leaves other errors as they are.
fn with_tip_on_patterns(mut error: Error) -> Error {
    let is_animation = |kind| match error.get(kind) {
        Some(ContextValue::String(argument)) => argument.starts_with("--animation "),
        _ => false,
    };
    if is_animation(ContextKind::InvalidArg) && is_animation(ContextKind::PriorArg) {
        let tip = StyledStr::from("a pattern names several: --animation 'Walk*'".to_owned());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
