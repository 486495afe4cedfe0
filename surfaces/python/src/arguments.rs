//! Keyword arguments as values of Rust. What does not fit is said in the words of the caller: the name of the argument, what is expected, and
//! what was found.

use std::path::PathBuf;

use loopwright_job::recipe::words::Choice;
use pyo3::{prelude::*, types::PyDict};
use pythonize::depythonize;
use serde::de::DeserializeOwned;
use toml::Value;

use crate::fault::Fault;

/// Most letters of a value that a message shows.
const MOST_SHOWN: usize = 60;

/// Keyword arguments; those that are `None` are left out.
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Arguments<'py>(Bound<'py, PyDict>);

/// One of them.
pub struct Argument<'py> {
    pub name: String,
    value: Bound<'py, PyAny>,
}

impl<'py> Arguments<'py> {
    /// All of them, in their order.
    pub fn all(&self) -> PyResult<Vec<Argument<'py>>> {
        let named =
            |(name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| Ok(Argument::new(name.extract::<String>()?, value));
        self.0.iter().map(named).collect()
    }

    /// Reads an argument, if it is given.
    pub fn get<T>(&self, name: &str, read: impl FnOnce(&Argument<'py>) -> Result<T, Fault>) -> PyResult<Option<T>> {
        let value = self.0.get_item(name)?;
        let argument = value.map(|value| Argument::new(name, value));
        Ok(argument.as_ref().map(read).transpose()?)
    }

    /// Errors: two arguments that exclude each other are given.
    pub fn exclude(&self, one: &str, others: &[&str]) -> PyResult<()> {
        for other in others {
            if self.0.contains(one)? && self.0.contains(other)? {
                return Err(Fault::setting(format!("{one}: excludes {other}, and both are given")).into());
            }
        }
        Ok(())
    }

    /// Errors: an argument is given without another one that it is about.
    pub fn require(&self, names: &[&str], needed: &str) -> PyResult<()> {
        for name in names {
            if self.0.contains(name)? && !self.0.contains(needed)? {
                return Err(Fault::setting(format!("{name}: expected {needed}= as well, found none")).into());
            }
        }
        Ok(())
    }
}

impl<'py> Argument<'py> {
    pub fn new(name: impl Into<String>, value: Bound<'py, PyAny>) -> Self {
        let name = name.into();
        Self { name, value }
    }

    /// The error of a value that is not what is expected.
    pub fn expected(&self, expected: &str) -> Fault {
        let found = self
            .value
            .repr()
            .map_or_else(|_| String::new(), |text| text.to_string());
        let shown: String = found.chars().take(MOST_SHOWN).collect();
        Fault::setting(format!("{}: expected {expected}, found {shown}", self.name))
    }

    /// A number, a text, a list or a table. Errors: another object.
    pub fn value(&self) -> Result<Value, Fault> {
        depythonize(&self.value).map_err(|_| self.expected("numbers, texts, lists or tables"))
    }

    pub fn number(&self) -> Result<f64, Fault> {
        match self.value() {
            Ok(Value::Float(number)) => Ok(number),
            Ok(Value::Integer(number)) => Ok(number as f64),
            _ => Err(self.expected("a number")),
        }
    }

    /// A number that passes.
    pub fn number_that(&self, expected: &str, passes: impl FnOnce(f64) -> bool) -> Result<f64, Fault> {
        match self.number() {
            Ok(number) if passes(number) => Ok(number),
            _ => Err(self.expected(expected)),
        }
    }

    /// Numbers of a list, or a single one.
    pub fn numbers(&self) -> Result<Vec<f64>, Fault> {
        let single = self.number().map(|number| vec![number]);
        single.or_else(|_| depythonize(&self.value).map_err(|_| self.expected("a number or a list of numbers")))
    }

    /// A whole number from the least one on.
    pub fn count<T: TryFrom<i64> + PartialOrd + std::fmt::Display>(&self, least: T) -> Result<T, Fault> {
        let expected = || self.expected(&format!("a whole number from {least}"));
        let Ok(Value::Integer(number)) = self.value() else {
            return Err(expected());
        };
        T::try_from(number)
            .ok()
            .filter(|number| *number >= least)
            .ok_or_else(expected)
    }

    pub fn switch(&self) -> Result<bool, Fault> {
        match self.value() {
            Ok(Value::Boolean(is_on)) => Ok(is_on),
            _ => Err(self.expected("True or False")),
        }
    }

    pub fn text(&self) -> Result<String, Fault> {
        match self.value() {
            Ok(Value::String(text)) => Ok(text),
            _ => Err(self.expected("text")),
        }
    }

    /// Texts of a list, of one text with commas between them, or of a dict as `NAME=VALUE`.
    pub fn texts(&self) -> Result<Vec<String>, Fault> {
        let expected = "a list of texts, or a dict";
        match self.value() {
            Ok(Value::String(text)) => Ok(text.split(',').map(|part| part.trim().to_owned()).collect()),
            Ok(Value::Table(_)) => {
                let said = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let entries = self.table::<Value>(expected)?.into_iter();
                Ok(entries.map(|(name, value)| format!("{name}={}", said(value))).collect())
            }
            _ => depythonize(&self.value).map_err(|_| self.expected(expected)),
        }
    }

    /// A table, in its order.
    pub fn table<T: DeserializeOwned>(&self, expected: &str) -> Result<Vec<(String, T)>, Fault> {
        let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Some((name.extract().ok()?, depythonize(&value).ok()?))
        };
        let table = self.value.cast::<PyDict>().ok();
        let entries = table.and_then(|table| table.iter().map(entry).collect());
        entries.ok_or_else(|| self.expected(expected))
    }

    pub fn path(&self) -> Result<PathBuf, Fault> {
        self.value.extract().map_err(|_| self.expected("a path"))
    }

    /// One of some words, in any case.
    pub fn word<T: Copy>(&self, known: &[(&str, T)]) -> Result<T, Fault> {
        let found = self.text().ok();
        let named = known
            .iter()
            .find(|(word, _)| found.as_ref().is_some_and(|found| word.eq_ignore_ascii_case(found)));
        let words = || known.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>();
        named
            .map(|&(_, value)| value)
            .ok_or_else(|| self.expected(&format!("one of {}", words().join(", "))))
    }

    pub fn choice<T: Choice>(&self) -> Result<T, Fault> {
        let known: Vec<(&str, T)> = T::ALL.iter().map(|&choice| (choice.word(), choice)).collect();
        self.word(&known)
    }

    /// A range, either end of which may be open.
    pub fn bounds(&self) -> Result<[f64; 2], Fault> {
        let bounds = match self.value.extract::<Vec<Option<f64>>>().as_deref() {
            Ok(&[low, high]) => Some([low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)]),
            _ => None,
        };
        bounds
            .filter(|[low, high]| low <= high && (low.is_finite() || high.is_finite()))
            .ok_or_else(|| self.expected("(low, high), in order, either of which may be None"))
    }

    /// The first and the last frame.
    pub fn frames(&self) -> Result<(usize, usize), Fault> {
        match self.value.extract::<Vec<usize>>().as_deref() {
            Ok(&[start, end]) => Ok((start, end)),
            _ => Err(self.expected("(start, end), two whole frames counted from 0")),
        }
    }
}
