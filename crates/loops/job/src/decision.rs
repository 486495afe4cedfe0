//! Choices made for the user, with their reasons.

use std::fmt;

use loopwright_core::{closure::Method, pipeline::ClosureChoice};

/// A choice that was made for the user.
#[handed_over]
pub enum Decision {
    /// The closure method, chosen by trying several.
    Closure(ClosureChoice),
    /// Another loop than the requested one, because the seam showed or the grade was `review` or worse.
    Instead {
        /// First and last frame of the loop that was made.
        made_of: [f64; 2],
        /// First and last frame of the requested loop, if it is a different stretch.
        asked_for: Option<[f64; 2]>,
        /// How it is closed.
        method: Method,
        /// The fault of the requested loop.
        reason: String,
        /// Number of loops that were made.
        tried: usize,
    },
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
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
