//! Flags with a default in their help that count only where they are typed.

use std::ffi::OsStr;

use clap::{Arg, Command, builder::TypedValueParser, parser::ValueSource};

/// Reads a value: `None` if the user did not type it.
#[derive(Clone)]
pub(crate) struct IfTyped<P>(pub(crate) P);

impl<P: TypedValueParser> TypedValueParser for IfTyped<P> {
    type Value = Option<P::Value>;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        self.0.parse_ref(cmd, arg, value).map(Some)
    }

    fn parse_ref_(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<Self::Value, clap::Error> {
        match source {
            ValueSource::DefaultValue => Ok(None),
            _ => self.parse_ref(cmd, arg, value),
        }
    }
}
