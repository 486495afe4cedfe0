//! Attributes that many types share, each in a word. They stand above all others of their type.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// For values that are compared, copied, and passed to another instance of the same build if the crate has its feature `handover`: serde
/// reads and writes them, and their fields take serde's attributes from `handed(...)`. Its arguments are derived, too.
#[proc_macro_attribute]
pub fn handed_over(derives: TokenStream, item: TokenStream) -> TokenStream {
    below(
        &format!(
            "#[derive(Clone, Debug, PartialEq, {derives})] \
             #[cfg_attr(feature = \"handover\", derive(serde::Serialize, serde::Deserialize))]"
        ),
        replaced(item, &|name, arguments| {
            (name == "handed").then(|| format!("cfg_attr(feature = \"handover\", serde{arguments})"))
        }),
    )
}

/// For facts of JSON documents, which serde writes. In the crate's own tests they have a schema, with which the documentation is compared;
/// `schemars(...)` on their fields applies only there.
/// Those with `in_schema(read)` are read again, and are values: compared, copied, and empty by default.
///
/// On their fields, `word(Choice)` and `optional_word(Choice)` stand for a choice by its name, and `absent` for a key that is missing where
/// there is no value.
#[proc_macro_attribute]
pub fn in_schema(read: TokenStream, item: TokenStream) -> TokenStream {
    let written = "#[derive(serde::Serialize)] #[cfg_attr(test, derive(schemars::JsonSchema))]";
    let as_values = match read.is_empty() {
        true => "",
        false => "#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]",
    };
    below(
        &format!("{written} {as_values}"),
        replaced(item, &|name, arguments| {
            let choice = arguments.trim_matches(['(', ')']);
            let module = match name {
                "schemars" => return Some(format!("cfg_attr(test, schemars{arguments})")),
                "absent" => return Some("serde(default, skip_serializing_if = \"Option::is_none\")".to_owned()),
                "word" => "word",
                "optional_word" => "word::optional_word",
                _ => return None,
            };
            Some(format!(
                "cfg_attr(all(), serde(with = \"crate::loop_file::{module}\"), \
                 cfg_attr(test, schemars(schema_with = \"crate::tests::{name}::<{choice}>\")))"
            ))
        }),
    )
}

/// Returns the item with other attributes in place of those for whose names and arguments `other` has one.
fn replaced(item: TokenStream, other: &dyn Fn(&str, &str) -> Option<String>) -> TokenStream {
    let each = |tree| {
        let TokenTree::Group(group) = tree else { return tree };
        let mut trees = group.stream().into_iter();
        let mut next = || trees.next().map_or_else(String::new, |tree| tree.to_string());
        let attribute = other(&next(), &next()).filter(|_| group.delimiter() == Delimiter::Bracket);
        let inside = match attribute {
            Some(attribute) => attribute.parse().expect("an attribute is Rust"),
            None => replaced(group.stream(), other),
        };
        let mut changed = Group::new(group.delimiter(), inside);
        changed.set_span(group.span());
        changed.into()
    };
    item.into_iter().map(each).collect()
}

/// For the errors of a stage, as values that are compared and copied: more kinds may be added, and the messages explain the fields of each.
/// Its arguments are derived, too. A kind that is another error, and has no message, shows that of the other error and is made from it.
#[proc_macro_attribute]
pub fn error_kinds(derives: TokenStream, item: TokenStream) -> TokenStream {
    below(
        &format!(
            "#[derive(Clone, Debug, PartialEq, thiserror::Error, {derives})] #[non_exhaustive] \
             #[expect(missing_docs, reason = \"messages show what their fields are\")]"
        ),
        from_others(item),
    )
}

/// For choices whose words are the names of their variants, in lower case and joined by hyphens: `loopwright_core::words!` without a list.
#[proc_macro_attribute]
pub fn in_words(_: TokenStream, item: TokenStream) -> TokenStream {
    let is_ident = |tree: &TokenTree| matches!(tree, TokenTree::Ident(_));
    let mut trees = item.clone().into_iter();
    let choice = trees.by_ref().skip_while(|tree| tree.to_string() != "enum").nth(1);
    let choice = choice.expect("a choice is an enum");
    let Some(TokenTree::Group(variants)) = trees.next() else {
        panic!("a choice has variants");
    };
    let variants = variants.stream().into_iter().filter(is_ident);
    let words = variants.map(|variant| {
        let mut word = String::new();
        for letter in variant.to_string().chars() {
            if letter.is_uppercase() && !word.is_empty() {
                word.push('-');
            }
            word.extend(letter.to_lowercase());
        }
        format!("{variant}: {word:?},")
    });
    let words = format!("loopwright_core::words!({choice} {{ {} }});", words.collect::<String>());
    let words: TokenStream = words.parse().expect("a macro call is Rust");
    [item, words].into_iter().collect()
}

/// The item below attributes.
fn below(attributes: &str, item: TokenStream) -> TokenStream {
    let attributes: TokenStream = attributes.parse().expect("attributes are Rust");
    [attributes, item].into_iter().collect()
}

/// Returns an enum of errors with the attributes of the kinds that are other errors: those without a message.
fn from_others(item: TokenStream) -> TokenStream {
    let mut has_message = false;
    let mut shown = |tree: TokenTree| -> TokenStream {
        match &tree {
            TokenTree::Punct(mark) if mark.as_char() == ',' => has_message = false,
            TokenTree::Group(attribute) if attribute.delimiter() == Delimiter::Bracket => {
                has_message |= attribute.stream().to_string().starts_with("error");
            }
            TokenTree::Ident(_) if !has_message => return below("#[error(transparent)]", tree.into()),
            TokenTree::Group(other) if !has_message => {
                let other = Group::new(other.delimiter(), below("#[from]", other.stream()));
                return TokenTree::from(other).into();
            }
            _ => {}
        }
        tree.into()
    };
    let each = |tree| match tree {
        TokenTree::Group(kinds) if kinds.delimiter() == Delimiter::Brace => {
            let mut changed = Group::new(
                Delimiter::Brace,
                kinds.stream().into_iter().flat_map(&mut shown).collect(),
            );
            changed.set_span(kinds.span());
            TokenTree::Group(changed)
        }
        tree => tree,
    };
    item.into_iter().map(each).collect()
}
