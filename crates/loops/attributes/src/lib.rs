//! Attributes that many types share, each in a word. They stand above all others of their type.

use proc_macro::TokenStream;

/// Values that another instance of this very build may get, where the crate has its feature `handover`: serde reads and writes them.
#[proc_macro_attribute]
pub fn handed_over(_: TokenStream, item: TokenStream) -> TokenStream {
    below("#[cfg_attr(feature = \"handover\", derive(serde::Serialize, serde::Deserialize))]", item)
}

/// Facts of JSON documents: in the crate's own tests they have a schema, with which the documentation is compared.
#[proc_macro_attribute]
pub fn in_schema(_: TokenStream, item: TokenStream) -> TokenStream {
    below("#[cfg_attr(test, derive(schemars::JsonSchema))]", item)
}

/// What can go wrong in a stage: more kinds may come, and messages show what the fields of each are.
#[proc_macro_attribute]
pub fn error_kinds(_: TokenStream, item: TokenStream) -> TokenStream {
    below(
        "#[derive(thiserror::Error)] #[non_exhaustive] \
         #[expect(missing_docs, reason = \"messages show what their fields are\")]",
        item,
    )
}

/// The item below attributes.
fn below(attributes: &str, item: TokenStream) -> TokenStream {
    let attributes: TokenStream = attributes.parse().expect("attributes are Rust");
    [attributes, item].into_iter().collect()
}
