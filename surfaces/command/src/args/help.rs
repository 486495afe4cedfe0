//! Two sizes of help from one definition of the flags: `-h` shows what most people need, `--help` everything by headings.

use std::{collections::HashMap, ffi::OsStr};

use clap::{Arg, Command, CommandFactory, Id, builder::StyledStr};
use loopwright_formats::Format;

use super::Cli;
use crate::headings::OUTPUT;

/// Flags that stand below the heading of the output, whichever command has them.
const OF_OUTPUT: [&str; 7] = ["output", "to", "split", "plot", "force", "verbose", "json"];

/// The rows of `-h`, one per command: its name | flags, in long form | the example, which `--help` has too.
const SUMMARIES: &str = "
    inspect | contacts plot unit up json | loopwright inspect walk.bvh --plot walk.svg
    list | animation json | loopwright list pack.glb --animation 'Walk*'
    find | top within like plot | loopwright find walk.bvh --turning none
    make | output all-animations range root-motion for | loopwright make takes/ -o loops/ --catalog loops/all.csv
    close | range output closure blend | loopwright close walk.bvh --range 120:185 --blend 0.3 -o walk-loop.bvh
    listen | output port record seconds | loopwright listen --port 39539 -o walk-loop.bvh --record walk.bvh
    blend | output weights speed turn-rate | loopwright blend walk-loop.bvh run-loop.bvh --speed 2.5 -o jog-loop.bvh
    set | output rig style for | loopwright set takes/ -o hero/ --rig hero.glb --to glb
    play | output seconds seed cycles fps | loopwright play loops/ --seconds 60 -o played.bvh
    cut | output kind transitions fps for | loopwright cut walk.bvh idle-loop.bvh walk-loop.bvh -o passages/
    cost | top fade half-life joint-weight plot | loopwright cost walk-loop.bvh run-loop.bvh --plot cost.svg
    match | | loopwright match build takes/ -o takes.lwmatch
    match build | output tag tags features add | loopwright match build takes/ --tag style=walk -o takes.lwmatch
    match inspect | json | loopwright match inspect takes.lwmatch
    match query | speed turn-rate tag standing top | loopwright match query takes.lwmatch walk.bvh:120 --speed 1.4
    match walk | output tag stay force | loopwright match walk takes.lwmatch path.csv -o walked.bvh
    match export | npy take force json | loopwright match export takes.lwmatch --npy rows.npy
    check | take config max-foot-slide verbose | loopwright check loops/ --max-foot-slide 3
    catalog | kind speed straight max-foot-slide grade | loopwright catalog loops.csv --kind walk --speed 1.2:1.6 --max-foot-slide 1
    report | output take title force json | loopwright report loops/ -o report.html
    fit | toml plot | loopwright fit takes/ --toml controller.toml
    render | output view cycles onion size | loopwright render walk.bvh walk-loop.bvh -o compare.gif
    convert | for mirror unit up force | loopwright convert walk.bvh walk.glb
    retarget | rig output map save-map for | loopwright retarget walk-loop.bvh --rig hero.glb -o hero-walk.glb
    synth | output seconds speed turn-rate seed | loopwright synth -o walk.bvh --speed 1.4
    demo | output force | loopwright demo -o demo/
    studio | | loopwright studio walk.bvh
    mcp | | loopwright mcp
    completions | | loopwright completions bash
    man | output force | loopwright man -o man1/
    recipe | | loopwright recipe closure
    schema | | loopwright schema
    licences | | loopwright licences
";

/// A row of [`SUMMARIES`].
struct Summary {
    /// One word, or two for a subcommand such as `match build`.
    command: &'static str,
    flags: Vec<&'static str>,
    example: &'static str,
}

fn summaries() -> impl Iterator<Item = Summary> {
    SUMMARIES.trim().lines().map(|row| {
        let mut parts = row.split('|').map(str::trim);
        let mut part = || parts.next().expect("a row has three parts");
        Summary {
            command: part(),
            flags: part().split_whitespace().collect(),
            example: part(),
        }
    })
}

/// Commands that `loopwright -h` lists.
const MAIN_COMMANDS: [&str; 5] = ["inspect", "list", "find", "make", "check"];

/// A summary lists its flags without headings, which would take more lines than the flags.
const SUMMARY_TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{options}{after-help}";

/// The template for the list of commands.
const COMMANDS_TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{subcommands}{after-help}";

/// How much help is asked for.
#[value(Copy, Eq)]
enum Size {
    Summary,
    Full,
}

/// Builds the command line with help of the size that these arguments ask for; all else is the same for both sizes.
pub(super) fn command<T: AsRef<OsStr>>(args: &[T]) -> Command {
    let is_bare = args.len() <= 1;
    let asks = args.iter().any(|arg| arg.as_ref() == "-h");
    printed(if is_bare || asks { Size::Summary } else { Size::Full })
}

/// Builds the command line as its help lists it: without clap's own `help` command, which `--help` replaces.
fn printed(size: Size) -> Command {
    let mut cli = sized(size);
    if size == Size::Full {
        // Clap adds the `help` command when it builds. Manual pages are written from the line that is not built: they would have one for
        // each command below `help`.
        cli.build();
        cli = cli.mut_subcommand("help", |help| help.hide(true));
    }
    cli
}

/// The command line with the help of `-h`.
pub fn short() -> Command {
    sized(Size::Summary)
}

/// The command line with the help of `--help`.
pub fn full() -> Command {
    sized(Size::Full)
}

fn sized(size: Size) -> Command {
    let cli = Cli::command().mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        with_help(
            command.mut_subcommands(|below| {
                let name = format!("{name} {}", below.get_name());
                with_help(below, &name, size)
            }),
            &name,
            size,
        )
    });
    match size {
        Size::Summary => cli
            .mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg })
            .mut_subcommands(|command| {
                let hidden = !MAIN_COMMANDS.contains(&command.get_name());
                command.hide(hidden)
            })
            .disable_help_subcommand(true)
            .help_template(COMMANDS_TEMPLATE)
            .after_help("Example: loopwright make walk.bvh -o walk-loop.bvh\n`loopwright --help` lists all commands."),
        Size::Full => cli.after_help(
            "`loopwright COMMAND -h` summarizes a command, `loopwright COMMAND --help` shows all its flags.\n\
             Exit status: 0 done; 1 nothing found, or a check failed; 2 error.",
        ),
    }
}

/// Gives a command help of a size.
fn with_help(command: Command, name: &str, size: Size) -> Command {
    let Some(summary) = summaries().find(|summary| summary.command == name) else {
        return command;
    };
    let command = in_order(command).mut_args(|arg| with_animations(arg, name));
    match size {
        Size::Summary => summarized(command, &summary),
        Size::Full => with_conflicts(command)
            .mut_args(with_values_explained)
            .after_help(format!("Example: {}", summary.example)),
    }
}

/// Lists arguments first, then flags that have a short form, then the others as they are declared.
fn in_order(command: Command) -> Command {
    let mut index = 0;
    command.mut_args(|arg| {
        index += 1;
        let rank = match (arg.is_positional(), arg.get_short()) {
            (true, _) => 0,
            (false, Some(_)) => 1000,
            (false, None) => 2000,
        };
        let arg = with_formats(arg).display_order(rank + index);
        if OF_OUTPUT.contains(&arg.get_id().as_str()) {
            arg.help_heading(OUTPUT)
        } else {
            arg
        }
    })
}

/// The help of an argument.
fn help_of(arg: &Arg) -> String {
    arg.get_help().map(StyledStr::to_string).unwrap_or_default()
}

/// Adds which animations a command reads when none is named, unless that is the longest one.
fn with_animations(arg: Arg, command: &str) -> Arg {
    let all = match command {
        "list" | "set" => "all",
        "check" | "report" | "blend" | "play" => "all loops",
        _ => return arg,
    };
    if arg.get_long() != Some("animation") {
        return arg;
    }
    let help = help_of(&arg).replace("Animation to read", "Animations to read");
    arg.help(help.replace("the longest", all))
}

/// Fills the names of all formats into a help text.
fn with_formats(arg: Arg) -> Arg {
    let help = help_of(&arg);
    if !help.contains('{') {
        return arg;
    }
    let all = &Format::ALL;
    arg.help(
        help.replace("{formats}", &Format::names("or"))
            .replace("{extensions}", &Format::extensions(all, ""))
            .replace("{.extensions}", &Format::extensions(all, ".")),
    )
}

fn summarized(command: Command, summary: &Summary) -> Command {
    let after = format!(
        "Example: {}\n`loopwright {} --help` shows all flags.",
        summary.example, summary.command
    );
    let template = if command.has_subcommands() {
        COMMANDS_TEMPLATE
    } else {
        SUMMARY_TEMPLATE
    };
    command
        .help_template(template)
        .mut_args(|arg| {
            if arg.get_long().is_some_and(|long| summary.flags.contains(&long)) {
                on_one_line(arg)
            } else {
                arg.hide_short_help(true)
            }
        })
        .after_help(after)
}

/// Width of a help text in a summary, behind the flag, letters.
const LINE: usize = 71;

/// Joins the values that fit into so many letters, with three points for the rest.
fn first_of(values: &[String], letters: usize) -> String {
    let all = values.join(", ");
    if all.len() <= letters {
        return all;
    }
    let mut shown = String::new();
    for value in values {
        if shown.len() + value.len() + 5 > letters {
            break;
        }
        shown = format!("{shown}{value}, ");
    }
    format!("{shown}...")
}

/// Drops the default, and adds the values in a few characters.
fn on_one_line(arg: Arg) -> Arg {
    let help = help_of(&arg);
    let mut help = help.split(" [default").next().unwrap_or_default().to_owned();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    if !arg.get_action().takes_values() {
        return arg.help(help);
    }
    if values.is_empty() {
        return arg.help(help).hide_default_value(true);
    }
    help = format!("{help}: {}", first_of(&values, LINE.saturating_sub(help.len() + 2)));
    arg.help(help).hide_possible_values(true).hide_default_value(true)
}

/// Appends to the help of each flag the flags that it excludes.
fn with_conflicts(command: Command) -> Command {
    let excluded = |arg: &Arg| -> Vec<String> {
        command
            .get_arg_conflicts_with(arg)
            .into_iter()
            .filter_map(|other| Some(other.get_long()?.to_owned()))
            .collect()
    };
    let all: HashMap<Id, Vec<String>> = command
        .get_arguments()
        .map(|arg| (arg.get_id().clone(), excluded(arg)))
        .collect();
    command.mut_args(|arg| {
        let Some(others) = all.get(arg.get_id()).filter(|others| !others.is_empty()) else {
            return arg;
        };
        // Without dashes: a line that begins with them reads as a flag.
        let help = format!("{} [not with: {}]", help_of(&arg), others.join(", "));
        arg.help(help)
    })
}

/// Lists the meanings of values under the help of their flag: clap itself does so only in a layout of three lines a flag.
fn with_values_explained(arg: Arg) -> Arg {
    if arg.is_hide_possible_values_set() {
        return arg;
    }
    let values = arg.get_possible_values();
    let explained: Vec<(&str, String)> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .filter_map(|value| Some((value.get_name(), value.get_help()?.to_string())))
        .collect();
    let Some(longest) = explained.iter().map(|(name, _)| name.len()).max() else {
        return arg;
    };
    let mut help = help_of(&arg);
    // Clap would put the default after the last value.
    for default in arg.get_default_values() {
        help.push_str(&format!(" [default: {}]", default.to_string_lossy()));
    }
    for (name, meaning) in explained {
        help.push_str(&format!("\n  {name:longest$}  {meaning}"));
    }
    arg.help(help).hide_possible_values(true).hide_default_value(true)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::{args::parsed, headings};

    const HEADINGS: [&str; 18] = [
        headings::INPUT,
        headings::WHICH_LOOP,
        headings::SEAM,
        headings::ROOT_MOTION,
        headings::FEET,
        OUTPUT,
        headings::ENGINE,
        headings::MANY,
        headings::MIX,
        headings::JUMP,
        headings::LIMITS,
        headings::MATCH,
        headings::MEMORY,
        headings::MESSAGES,
        headings::FIT,
        headings::NUMBERS_ALONE,
        headings::PICTURE,
        headings::WALK,
    ];

    #[test]
    fn clap_finds_no_fault_in_either_size() {
        sized(Size::Summary).debug_assert();
        sized(Size::Full).debug_assert();
    }

    #[test]
    fn every_command_has_a_summary_of_flags_that_it_has() {
        let cli = Cli::command();
        let below = cli.get_subcommands().flat_map(Command::get_subcommands);
        assert_eq!(cli.get_subcommands().count() + below.count(), summaries().count());
        for summary in summaries() {
            let words = summary.command.split(' ');
            let command = words.fold(&cli, |command, word| command.find_subcommand(word).unwrap());
            for flag in summary.flags {
                let mut args = command.get_arguments();
                let is_right = args.any(|arg| arg.get_long() == Some(flag));
                assert!(is_right, "{} --{flag}", summary.command);
            }
        }
    }

    /// Every example is a command line that parses, without the other commands.
    #[test]
    fn examples_parse() {
        for summary in summaries() {
            let words: Vec<OsString> = summary.example.split(' ').map(OsString::from).collect();
            let (program, _) = parsed(&words).unwrap_or_else(|error| panic!("{}: {error}", summary.example));
            let built: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
            let own = summary.command.split(' ').next().unwrap();
            assert!(
                built.contains(&own) && built.len() <= 2,
                "{}: {built:?}",
                summary.example
            );
        }
    }

    #[test]
    fn every_flag_has_a_heading_and_a_help() {
        let mut cli = sized(Size::Full);
        cli.build();
        let all = cli.get_subcommands().flat_map(|command| {
            let below = command.get_subcommands();
            core::iter::once(command).chain(below)
        });
        for command in all.filter(|command| command.get_name() != "help") {
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let flag = format!("{} {}", command.get_name(), arg.get_id());
                let heading = arg.get_help_heading();
                let is_said = heading.is_some_and(|heading| HEADINGS.contains(&heading));
                assert!(is_said, "{flag}: {heading:?}");
                let is_right = arg.get_help().is_some_and(|help| !help.to_string().is_empty());
                assert!(is_right, "{flag}");
            }
        }
    }

    /// Nobody reads more flags than these: rarely used settings are keys of `--set`.
    #[test]
    fn no_command_has_many_flags() {
        let mut cli = sized(Size::Full);
        cli.build();
        for command in cli.get_subcommands() {
            let flags = command.get_arguments().filter(|arg| arg.get_long().is_some()).count();
            assert!(flags <= 52, "{}: {flags}", command.get_name());
        }
    }
}
