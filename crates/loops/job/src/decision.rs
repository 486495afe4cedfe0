//! What was chosen for the user, and why.

use std::fmt;

use loopwright_core::{closure::Method, pipeline::ClosureChoice};

/// A choice that was made for the user.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub enum Decision {
    /// A closure, by trying several.
    Closure(ClosureChoice),
    /// Another loop than the one asked for, whose seam shows or which a person would have to look at.
    Instead {
        /// First and last frame of the loop that was made, and of the one asked for.
        made_of: [f64; 2],
        /// First and last frame of the loop asked for, where that is another stretch.
        asked_for: Option<[f64; 2]>,
        /// How it is closed.
        method: Method,
        /// The fault of the loop asked for.
        reason: String,
        /// Loops that were made.
        tried: usize,
    },
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closure(choice) => choice.fmt(f),
            Self::Instead {
                made_of: [start, end],
                asked_for,
                method,
                reason,
                tried,
            } => {
                let ([name, _], [secs, _]) = (method.names(), method.secs());
                write!(f, "took frames {start:.0}-{end:.0} closed by {name} over {secs:.2} s; ")?;
                match asked_for {
                    Some([start, end]) => write!(f, "of frames {start:.0}-{end:.0},")?,
                    None => f.write_str("closed as usual,")?,
                }
                write!(f, " {reason} ({tried} loops were tried)")
            }
        }
    }
}
