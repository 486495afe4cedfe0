//! How a table of a recipe is defined together with the lines that explain its keys.

/// Defines a table of a recipe, which serde reads and writes. Each field is followed by its line in the recipe that lists all keys:
/// `key = value` with the default, or `#` in front if there is no default before the take is known. The first line of the field's docs
/// is its description. A module that reads and writes a value as text stands behind its type: `Option<Order> as "optional_text"`. With
/// `flags(HEADING)` above the struct, `flag(...)` below the docs are the attributes of a field's flag.
macro_rules! described {
    (
        $(#[$meta:meta])* $(flags($($heading:ident)?))? pub struct $Name:ident {
            $(#[doc = $doc:literal] $(flag($($flag:tt)*))? $(#[$attr:meta])* pub $field:ident: $Type:ty $(as $text:literal)? = $line:literal,)+
        }
    ) => {
        $(#[flags($($heading)?)])?
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        $(#[$meta])*
        pub struct $Name {
            $(#[doc = $doc] $(#[flag($($flag)*)])? $(#[serde(with = $text)])? $(#[$attr])* pub $field: $Type,)+
        }

        impl $Name {
            /// The description of each key, and its line in the recipe that lists all keys.
            pub(super) const KEYS: &'static [(&'static str, &'static str)] = &[$(($doc, $line)),+];
        }
    };
}
pub(super) use described;
