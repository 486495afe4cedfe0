//! Words for choices, in flags, recipes and sidecars.

use crate::names;

/// A word that matches none of the choices.
#[value(Eq, thiserror::Error)]
#[error("must be one of {}, found \"{found}\"{}", .known.join(", "), did_you_mean(.found, .known))]
pub struct UnknownWord {
    /// The word given.
    pub found: String,
    /// The known words.
    pub known: Vec<&'static str>,
}

/// Returns the known word that resembles the given one, as the end of a message; empty if none does.
pub fn did_you_mean(found: &str, known: &[&str]) -> String {
    let near = names::nearest(found, known.iter().copied(), 1);
    near.first()
        .map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

/// Implements words for an enum without fields: `ALL` (every choice), `as_str`, `Display` and `FromStr`. `#[in_words]` does it for words
/// that are the names of the variants.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side {
///     Left,
///     Right,
/// }
/// loopwright_core::words!(Side { Left: "left", Right: "right" });
///
/// assert_eq!("left".parse(), Ok(Side::Left));
/// assert_eq!(Side::ALL.map(Side::as_str), ["left", "right"]);
/// ```
#[macro_export]
macro_rules! words {
    ($Choice:ident { $($Variant:ident: $word:literal),+ $(,)? }) => {
        impl $Choice {
            /// Every choice, in the order in which they are listed.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$Variant),+];

            /// Returns the word of the choice.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$Variant => $word),+
                }
            }

        }

        impl core::fmt::Display for $Choice {
            fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $Choice {
            type Err = $crate::words::UnknownWord;

            /// Parses a word, exactly as written.
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$Variant),)+
                    _ => Err($crate::words::UnknownWord {
                        found: word.to_owned(),
                        known: Self::ALL.map(Self::as_str).to_vec(),
                    }),
                }
            }
        }
    };
}

/// Implements `Display` and `FromStr` for a choice of words or of a number in a range; the literal at the end is the error of other texts.
macro_rules! words_or_number {
    ($Choice:ident { $($Variant:ident $(($of:path))?: $word:literal,)+ } $Number:ident in $range:expr, $other:literal) => {
        impl core::fmt::Display for $Choice {
            fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
                match self {
                    $(Self::$Variant $(($of))? => f.write_str($word),)+
                    Self::$Number(number) => write!(f, "{number}"),
                }
            }
        }

        impl core::str::FromStr for $Choice {
            type Err = &'static str;

            /// Parses a word, exactly as written, or a number.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$Variant $(($of))?),)+
                    number => number
                        .parse()
                        .ok()
                        .filter(|number| ($range).contains(number))
                        .map(Self::$Number)
                        .ok_or($other),
                }
            }
        }
    };
}
pub(crate) use words_or_number;

#[cfg(test)]
mod tests {
    use crate::{candidate::WholeClipKind, closure::Order};

    #[test]
    fn words_are_the_names_of_variants_joined_by_hyphens() {
        assert_eq!(
            WholeClipKind::ALL.map(WholeClipKind::as_str),
            ["loops", "ends-as-it-begins", "cycle", "mended"]
        );
        assert_eq!("c2".parse(), Ok(Order::C2));
    }
}
