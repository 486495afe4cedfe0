//! The flags for reading a take.

use std::{ffi::OsStr, path::PathBuf, str::FromStr};

use clap::{
    Arg, ArgMatches, Args, Command, Error, FromArgMatches, builder::TypedValueParser, error::ErrorKind,
    parser::ValueSource,
};
use loopwright_formats::{UnitChoice, UpChoice};

use super::{
    headings::INPUT,
    keys::{Sets, Setting, recipe_of},
    robot_file::RobotFile,
    take::{StudyArgs, TakeArgs},
    words::Written,
};

/// The value of a flag whose default appears in the help: `None` if the user did not type it, so that a recipe's value applies.
///
/// An alias, because clap treats a plain `Option` as a flag without a default.
type Typed<T> = Option<T>;

#[derive(Args)]
#[command(next_help_heading = INPUT)]
struct ReadingFlags {
    /// Axis that points up in the file: x, y, z, -x, -y, -z or auto.
    #[arg(long, value_name = "AXIS", default_value = "auto", allow_hyphen_values = true, value_parser = IfTyped(UpChoice::from_str))]
    up: Typed<UpChoice>,
    /// Length unit of the file: m, cm, mm, in, cmu, a number of metres, or auto.
    #[arg(long, value_name = "UNIT", default_value = "auto", value_parser = IfTyped(UnitChoice::from_str))]
    unit: Typed<UnitChoice>,
    /// Animation to read, by name in any case, pattern ('Walk*') or number from 0 [default: the longest].
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// The robot whose motion this is: its MJCF or URDF file.
    #[arg(long, value_name = "FILE", value_parser = <RobotFile as Written>::read)]
    robot: Option<RobotFile>,
}

#[derive(Args)]
#[command(next_help_heading = INPUT)]
struct TakeFlags {
    #[command(flatten)]
    reading: ReadingFlags,
    /// Skin, hips or feet, such as take.feet=LeftFoot,RightFoot; `loopwright recipe take` explains them; repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Setting::of_reading)]
    set: Vec<Setting>,
}

#[derive(Args)]
#[command(next_help_heading = INPUT)]
struct StudyFlags {
    #[command(flatten)]
    reading: ReadingFlags,
    /// Smooth the take first: remove motion faster than this, Hz.
    #[arg(long, value_name = "HZ")]
    smooth: Option<f64>,
    /// The character to put the loop on ({formats}); the output is a copy of its file.
    #[arg(long, value_name = "FILE")]
    rig: Option<PathBuf>,
    /// Joint map, in TOML [default: matched by names and shape].
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Set any key of a recipe, such as take.feet=LeftFoot,RightFoot; `loopwright recipe` lists them. Flags override it, it overrides a recipe;
    /// repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = Setting::from_str)]
    set: Vec<Setting>,
}

/// Reads a value: `None` if the user did not type it.
#[derive(Clone)]
struct IfTyped<P>(P);

impl<P: TypedValueParser> TypedValueParser for IfTyped<P> {
    type Value = Option<P::Value>;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Self::Value, Error> {
        self.0.parse_ref(cmd, arg, value).map(Some)
    }

    fn parse_ref_(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<Self::Value, Error> {
        match source {
            ValueSource::DefaultValue => Ok(None),
            _ => self.parse_ref(cmd, arg, value),
        }
    }
}

impl StudyArgs {
    fn under(self, flags: ReadingFlags) -> Self {
        Self {
            up: flags.up.or(self.up),
            unit: flags.unit.or(self.unit),
            animation: flags.animation.or(self.animation),
            robot: flags.robot.or(self.robot),
            ..self
        }
    }
}

/// Reads flags into a type that is none of flags.
macro_rules! read_into {
    ($Name:ident, $augment:path, |$matches:ident| $read:expr) => {
        impl Args for $Name {
            fn augment_args(command: Command) -> Command {
                $augment(command)
            }

            fn augment_args_for_update(command: Command) -> Command {
                $augment(command)
            }
        }

        impl FromArgMatches for $Name {
            fn from_arg_matches($matches: &ArgMatches) -> Result<Self, Error> {
                $read
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

// Other flags declare `--set`.
read_into!(Sets, core::convert::identity, |matches| {
    let settings = matches.get_many::<Setting>("set").into_iter().flatten();
    let wrong = |error| Error::raw(ErrorKind::ValueValidation, format!("{error}\n"));
    recipe_of(settings).map(Self).map_err(wrong)
});

read_into!(TakeArgs, TakeFlags::augment_args, |matches| {
    let set = Sets::from_arg_matches(matches)?.0.take;
    let flags = TakeFlags::from_arg_matches(matches)?;
    Ok(set.under(flags.reading).reading())
});

read_into!(StudyArgs, StudyFlags::augment_args, |matches| {
    let set = Sets::from_arg_matches(matches)?.0.take;
    let flags = StudyFlags::from_arg_matches(matches)?;
    Ok(Self {
        smooth: flags.smooth.or(set.smooth),
        rig: flags.rig,
        map: flags.map,
        ..set.under(flags.reading)
    })
});
