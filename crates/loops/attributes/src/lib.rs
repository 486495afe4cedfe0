//! Attributes that many types share, each in a word. They stand above all others of their type.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// For values: they are cloned, shown and compared. Its arguments are derived, too.
#[proc_macro_attribute]
pub fn value(derives: TokenStream, item: TokenStream) -> TokenStream {
    below(&format!("#[derive(Clone, Debug, PartialEq, {derives})]"), item)
}

/// For values that are compared, copied, and passed to another instance of the same build if the crate has its feature `handover`: serde
/// reads and writes them, and their fields take serde's attributes from `handed(...)`. Its arguments are derived, too.
#[proc_macro_attribute]
pub fn handed_over(derives: TokenStream, item: TokenStream) -> TokenStream {
    let item = replaced(item, &|name, arguments| {
        (name == "handed").then(|| format!("cfg_attr(feature = \"handover\", serde{arguments})"))
    });
    let handed = "#[cfg_attr(feature = \"handover\", derive(serde::Serialize, serde::Deserialize))]";
    value(derives, below(handed, item))
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

/// For settings that are flags as well where the crate has its feature `clap`, under a heading of the help if one is given: `flag(...)`
/// on a field has the attributes of its flag. A field without it, or with `flag(skip)`, is no flag.
#[proc_macro_attribute]
pub fn flags(heading: TokenStream, item: TokenStream) -> TokenStream {
    let heading = match heading.is_empty() {
        true => String::new(),
        false => format!("#[cfg_attr(feature = \"clap\", command(next_help_heading = {heading}))]"),
    };
    let item = completed(item, "flag", |tree| tree.to_string() == "pub", ["#[flag(skip)]", ""]);
    below(
        &format!("#[cfg_attr(feature = \"clap\", derive(clap::Args))] {heading}"),
        replaced(item, &|name, arguments| {
            (name == "flag").then(|| format!("cfg_attr(feature = \"clap\", arg{arguments})"))
        }),
    )
}

/// For the flags of a command, under a heading of its help if one is given. A field without an attribute is a switch of its own name, one with
/// `argument("NAME")` is followed by a value of that name, and `args` stands for all flags of its type.
#[proc_macro_attribute]
pub fn arguments(heading: TokenStream, item: TokenStream) -> TokenStream {
    let heading = match heading.is_empty() {
        true => String::new(),
        false => format!("#[command(next_help_heading = {heading})]"),
    };
    let item = completed(item, "arg", |tree| tree.to_string() == "pub", ["#[arg(long)]", ""]);
    below(
        &format!("#[derive(Clone, Debug, clap::Args)] {heading}"),
        replaced(item, &|name, arguments| match name {
            "args" => Some("command(flatten)".to_owned()),
            "argument" => Some(format!("arg(long, value_name = {}", arguments.trim_start_matches('('))),
            _ => None,
        }),
    )
}

/// Returns the item with attributes before each of its fields or variants that has none beginning with `mark`, and within what it wraps.
/// `is_head` tells where they begin, behind their attributes.
fn completed(
    item: TokenStream,
    mark: &str,
    is_head: fn(&TokenTree) -> bool,
    [before, within]: [&str; 2],
) -> TokenStream {
    let (mut is_marked, mut is_opened) = (false, false);
    let mut complete = |tree: TokenTree| {
        is_marked |= tree.to_string().trim_start_matches(['[', ' ']).starts_with(mark);
        let begins = is_head(&tree) && !core::mem::take(&mut is_marked);
        let tree = match tree {
            TokenTree::Group(group) if is_opened => Group::new(group.delimiter(), below(within, group.stream())).into(),
            other => other,
        };
        is_opened = begins;
        below(if begins { before } else { "" }, tree.into())
    };
    let each = |tree| match tree {
        TokenTree::Group(parts) if parts.delimiter() == Delimiter::Brace => Group::new(
            Delimiter::Brace,
            parts.stream().into_iter().map(&mut complete).collect(),
        )
        .into(),
        other => other,
    };
    item.into_iter().map(each).collect()
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
        wrapping(item),
    )
}

/// For errors of several stages, each of which is wrapped as in [`error_kinds`]; more may be added.
#[proc_macro_attribute]
pub fn error_sum(_: TokenStream, item: TokenStream) -> TokenStream {
    below("#[derive(Debug, thiserror::Error)] #[non_exhaustive]", wrapping(item))
}

/// Returns the item with the attributes of thiserror for those of its variants that wrap another error.
fn wrapping(item: TokenStream) -> TokenStream {
    let is_name = |tree: &TokenTree| matches!(tree, TokenTree::Ident(_));
    completed(item, "error", is_name, ["#[error(transparent)]", "#[from]"])
}

/// For choices whose words are the names of their variants, in lower case and joined by hyphens, or by the text that is given, as in
/// `in_words("_")`: `loopwright_core::words!` without a list.
#[proc_macro_attribute]
pub fn in_words(joined_by: TokenStream, item: TokenStream) -> TokenStream {
    let joined_by = joined_by.to_string();
    let between = if joined_by.is_empty() {
        "-"
    } else {
        joined_by.trim_matches('"')
    };
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
                word.push_str(between);
            }
            word.extend(letter.to_lowercase());
        }
        format!("{variant}: {word:?},")
    });
    let words = format!("loopwright_core::words!({choice} {{ {} }});", words.collect::<String>());
    let words: TokenStream = words.parse().expect("a macro call is Rust");
    [item, words].into_iter().collect()
}

/// For choices [`in_words`] that are values: compared and copied.
#[proc_macro_attribute]
pub fn choice_in_words(joined_by: TokenStream, item: TokenStream) -> TokenStream {
    below(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]",
        in_words(joined_by, item),
    )
}

/// The item below attributes.
fn below(attributes: &str, item: TokenStream) -> TokenStream {
    let attributes: TokenStream = attributes.parse().expect("attributes are Rust");
    [attributes, item].into_iter().collect()
}
