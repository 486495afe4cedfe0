//! Attributes that many types share, each in a word. They stand above all others of their type.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Values that another instance of this very build may get, where the crate has its feature `handover`: serde reads and writes them.
#[proc_macro_attribute]
pub fn handed_over(_: TokenStream, item: TokenStream) -> TokenStream {
    below(
        "#[cfg_attr(feature = \"handover\", derive(serde::Serialize, serde::Deserialize))]",
        item,
    )
}

/// Facts of JSON documents: in the crate's own tests they have a schema, with which the documentation is compared. What `schemars(...)`
/// says of their fields counts there alone.
#[proc_macro_attribute]
pub fn in_schema(_: TokenStream, item: TokenStream) -> TokenStream {
    below(
        "#[cfg_attr(test, derive(schemars::JsonSchema))]",
        schemars_in_tests(item),
    )
}

/// The item with `#[cfg_attr(test, schemars(...))]` in place of `#[schemars(...)]`.
fn schemars_in_tests(item: TokenStream) -> TokenStream {
    let each = |tree| {
        let TokenTree::Group(group) = tree else { return tree };
        let mut inside = schemars_in_tests(group.stream());
        if group.delimiter() == Delimiter::Bracket && inside.to_string().starts_with("schemars") {
            inside = format!("cfg_attr(test, {inside})")
                .parse()
                .expect("an attribute is Rust");
        }
        let mut changed = Group::new(group.delimiter(), inside);
        changed.set_span(group.span());
        changed.into()
    };
    item.into_iter().map(each).collect()
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
