//! A check in general: one row each, from which grades, words and docs/checks.md follow.

use core::fmt;

use loopwright_formats::loop_file::facts::{CheckFacts, Grade, Unmeasured};

/// The largest value that is good, and the largest that is not bad.
#[value(Copy)]
pub struct Limits {
    review: f64,
    bad: f64,
}

impl Limits {
    /// Creates limits of a figure of which smaller is better: above `review` it is not good, above `bad` it is bad.
    pub const fn new(review: f64, bad: f64) -> Self {
        Self { review, bad }
    }

    /// Creates limits of a figure that is never bad.
    pub const fn never_bad(review: f64) -> Self {
        Self::new(review, f64::INFINITY)
    }

    /// Returns the larger of each of the two limits.
    #[must_use]
    pub fn or_wider(self, other: Self) -> Self {
        Self::new(self.review.max(other.review), self.bad.max(other.bad))
    }

    /// Multiplies both limits by a number.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::new(self.review * factor, self.bad * factor)
    }

    fn grade(self, value: f64) -> Grade {
        if value > self.bad {
            Grade::Bad
        } else if value > self.review {
            Grade::Review
        } else {
            Grade::Good
        }
    }
}

/// Where the limits of a check come from.
#[value(Copy)]
pub enum LimitsFrom {
    /// The same limits for every body, in the unit of the check.
    Row(Limits),
    /// Limits that grow with the body: for an adult of 1.7 m in SI units, and the factor to the unit of the check.
    Body(Limits, f64),
    /// Limits that depend on the loop, or no grade: the limits of good and bad, in words.
    Loop([&'static str; 2]),
}

impl LimitsFrom {
    /// Returns [`Limits::new`] for every body.
    pub const fn fixed(review: f64, bad: f64) -> Self {
        Self::Row(Limits::new(review, bad))
    }

    /// Returns [`Limits::never_bad`] for every body.
    pub const fn never_bad(review: f64) -> Self {
        Self::Row(Limits::never_bad(review))
    }
}

/// Everything known about a check except how it is measured.
#[derive(Debug)]
pub struct CheckRow {
    /// Its id in sidecars, answers and flags.
    pub id: &'static str,
    /// What it measures, as a Markdown phrase without the unit.
    pub measures: &'static str,
    /// The unit of its value and limit; empty for plain numbers.
    pub unit: &'static str,
    /// Its limits.
    pub limits: LimitsFrom,
    /// The remedy if it is not good.
    pub cure: &'static str,
    /// The remedy for a ping-pong loop, if it differs.
    pub cure_of_ping_pong: Option<&'static str>,
    /// Words the fault that a person sees or has to know of.
    pub reason: fn(&CheckFacts) -> String,
}

/// A check: its row, and how it is measured.
#[derive(Debug)]
pub struct Check<M: 'static> {
    /// The definition of the check.
    pub row: CheckRow,
    /// How it is measured.
    pub measure: M,
}

impl CheckRow {
    /// Returns the check without a value, for this reason.
    pub fn unmeasured(&self, why: Unmeasured) -> CheckFacts {
        CheckFacts {
            unmeasured: Some(why),
            ..self.empty()
        }
    }

    fn empty(&self) -> CheckFacts {
        CheckFacts {
            id: self.id.to_owned(),
            unit: self.unit.to_owned(),
            ..CheckFacts::default()
        }
    }

    /// Returns the check with its value, graded for a body of `body_size` times the size of an adult if limits grow with the
    /// body. Limits that depend on the loop give no grade.
    pub fn graded(&self, value: f64, body_size: f64) -> CheckFacts {
        match self.limits {
            LimitsFrom::Row(limits) => self.graded_by(limits, value),
            LimitsFrom::Body(limits, unit) => self.graded_by(limits.scaled(unit * body_size), value),
            LimitsFrom::Loop(_) => CheckFacts {
                value: Some(value),
                ..self.empty()
            },
        }
    }

    /// Returns the check of a question, with 1 for yes and 0 for no.
    pub fn answered(&self, is_so: bool) -> CheckFacts {
        self.graded(f64::from(u8::from(is_so)), 1.0)
    }

    /// Returns the check with its value, graded by these limits instead of the row's.
    pub fn graded_by(&self, limits: Limits, value: f64) -> CheckFacts {
        CheckFacts {
            value: Some(value),
            limit: Some(limits.review),
            grade: Some(limits.grade(value)),
            ..self.empty()
        }
    }

    /// Whether the check is in the list but its value is unknown.
    pub fn is_unknown(&self, checks: &[CheckFacts]) -> bool {
        checks.iter().any(|check| {
            check.id == self.id && check.value.is_none() && check.unmeasured != Some(Unmeasured::NotApplicable)
        })
    }

    /// Returns the remedy for a closed loop or for a ping-pong loop.
    pub fn cure(&self, is_ping_pong: bool) -> &'static str {
        self.cure_of_ping_pong.filter(|_| is_ping_pong).unwrap_or(self.cure)
    }
}

/// Writes the check's line in the table of docs/checks.md: id, measured quantity, unit, limit of good, limit of bad, remedy.
impl fmt::Display for CheckRow {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "| `{}` | {} | {} | ", self.id, self.measures, self.unit)?;
        match self.limits {
            LimitsFrom::Row(limits) => write!(f, "{limits}")?,
            LimitsFrom::Body(limits, unit) => write!(f, "{}", limits.scaled(unit))?,
            LimitsFrom::Loop([good, bad]) => write!(f, "{good} | {bad}")?,
        }
        write!(f, " | {} |", self.cure)
    }
}

/// Two cells of a table.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // Factors between units leave errors in the last digits.
        let [review, bad] = [self.review, self.bad].map(|limit| (1e6 * limit).round() / 1e6);
        if bad.is_finite() {
            write!(f, "{review} | {bad}")
        } else {
            write!(f, "{review} | -")
        }
    }
}

/// Words the fault of a check that has no reason of its own.
pub fn not_passed(check: &CheckFacts) -> String {
    format!("the check {} is not passed", check.id)
}

/// Returns the joint's name for a reason.
pub(super) fn joint(check: &CheckFacts) -> &str {
    check.joint.as_deref().unwrap_or("a joint")
}

/// Returns the time for a reason.
pub(super) fn at(check: &CheckFacts) -> String {
    check
        .time_secs
        .map_or_else(String::new, |secs| format!(" at {secs:.2} s"))
}

/// Formats the size of a value with two significant digits, without decimals from 10 on.
fn short(check: &CheckFacts) -> String {
    let value = value(check).abs();
    if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// Completes a sentence about a check: `{joint}`, `{at}` the time, and `{size}` the value as [`short`] has it.
pub(super) fn said(sentence: &str, check: &CheckFacts) -> String {
    // The name of a joint comes last: it may look like the others.
    sentence
        .replace("{at}", &at(check))
        .replace("{size}", &short(check))
        .replace("{joint}", joint(check))
}

/// Returns the value of a check.
pub(super) fn value(check: &CheckFacts) -> f64 {
    check.value.unwrap_or_default()
}

/// Defines constants for [`checks!`](crate::checks!): the fields of a [`CheckRow`], and how the check is measured.
///
/// The unit is left out for plain numbers. All are measured alike: `of` is the type of the measure, `by` the variant that wraps it, if it is an enum.
#[macro_export]
macro_rules! check_rows {
    (@check $vis:vis $NAME:ident, $Measure:ty, [$($by:path)?] {
        id: $id:expr,
        measures: $measures:expr,
        $(unit: $unit:literal,)?
        limits: $limits:expr,
        cure: $cure:expr,
        $(cure_of_ping_pong: $of_ping_pong:expr,)?
        reason: $reason:expr,
        measure: $measure:expr,
    }) => {
        $vis const $NAME: $crate::checks::Check<$Measure> = $crate::checks::Check {
            row: $crate::checks::CheckRow {
                id: $id,
                measures: $measures,
                unit: concat!($($unit)?),
                limits: $limits,
                cure: $cure,
                cure_of_ping_pong: [$(Some($of_ping_pong),)? None][0],
                reason: $reason,
            },
            measure: $($by)? ($measure),
        };
    };
    ($vis:vis of $Measure:ident by $by:path; $($NAME:ident $row:tt)+) => {
        $($crate::check_rows! { @check $vis $NAME, $Measure, [$by] $row })+
    };
    ($vis:vis of $Measure:ty; $($NAME:ident $row:tt)+) => {
        $($crate::check_rows! { @check $vis $NAME, $Measure, [] $row })+
    };
}

/// Lists checks, each with the constant that holds its row and how it is measured: an enum of their ids.
///
/// ```
/// use loopwright_formats::loop_file::facts::CheckFacts;
/// use loopwright_job::checks::{CheckRow, LimitsFrom, not_passed};
///
/// loopwright_job::check_rows! {
///     of fn(&CheckRow, usize) -> CheckFacts;
///
///     PARTNERS {
///         id: "partners",
///         measures: "how many dancers are alone",
///         limits: LimitsFrom::fixed(0.0, 1.0),
///         cure: "another dancer",
///         reason: not_passed,
///         measure: |row, dancers| row.graded((dancers % 2) as f64, 1.0),
///     }
/// }
///
/// loopwright_job::checks! {
///     /// The checks of a dance.
///     pub enum DanceCheckId: fn(&CheckRow, usize) -> CheckFacts {
///         /// Nobody dances alone.
///         Partners = PARTNERS,
///     }
/// }
///
/// assert_eq!("partners".parse(), Ok(DanceCheckId::Partners));
/// let check = DanceCheckId::Partners.check();
/// assert_eq!((check.measure)(&check.row, 3).value, Some(1.0));
/// ```
#[macro_export]
macro_rules! checks {
    ($(#[$meta:meta])* pub enum $Id:ident: $Measure:ty { $(#[doc = $doc:literal] $Name:ident = $check:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $Id {
            $(#[doc = $doc] $Name,)+
        }

        impl $Id {
            /// All checks, in the order in which answers list them.
            pub const ALL: [Self; [$(stringify!($Name)),+].len()] = [$(Self::$Name),+];

            /// Returns the check: its row, and how it is measured.
            fn check(self) -> &'static $crate::checks::Check<$Measure> {
                match self {
                    $(Self::$Name => {
                        static CHECK: $crate::checks::Check<$Measure> = $check;
                        &CHECK
                    })+
                }
            }

            /// Returns everything known about the check.
            pub fn row(self) -> &'static $crate::checks::CheckRow {
                &self.check().row
            }

            /// Returns the row of the check with this id, if it is one of these.
            pub fn row_of(id: &str) -> Option<&'static $crate::checks::CheckRow> {
                id.parse().ok().map(Self::row)
            }

            /// Returns its id.
            pub fn as_str(self) -> &'static str {
                self.row().id
            }
        }

        impl ::core::fmt::Display for $Id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::str::FromStr for $Id {
            type Err = ::loopwright_core::words::UnknownWord;

            /// Parses an id, exactly as written.
            fn from_str(id: &str) -> Result<Self, Self::Err> {
                Self::ALL.into_iter()
                    .find(|check| check.as_str() == id)
                    .ok_or_else(|| ::loopwright_core::words::UnknownWord {
                        found: id.to_owned(),
                        known: Self::ALL.map(Self::as_str).to_vec(),
                    })
            }
        }
    };
}
