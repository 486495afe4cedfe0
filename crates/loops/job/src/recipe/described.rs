//! How a table of a recipe is defined together with the lines that explain its keys.

/// Defines a table of a recipe. Behind each field stands its line in the recipe that lists all keys: `key = value`, with the value that it
/// has where it is left out, or with `#` in front where there is none before the take is known; the first line of its docs says what it means.
macro_rules! described {
    (
        $(#[$meta:meta])* pub struct $Name:ident {
            $(#[doc = $doc:literal] $(#[$attr:meta])* pub $field:ident: $Type:ty = $line:literal,)+
        }
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $(#[doc = $doc] $(#[$attr])* pub $field: $Type,)+
        }

        impl $Name {
            /// What each key means, and its line in the recipe that lists all keys.
            pub(super) const KEYS: &'static [(&'static str, &'static str)] = &[$(($doc, $line)),+];
        }
    };
}
pub(super) use described;
