//! Links of the documentation: files and headings that they name exist, and every page is in the contents of the site.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Component, Path, PathBuf},
};

/// The contents of the site.
const CONTENTS: &str = "mkdocs.yml";

/// Where pages are looked for: files and folders below the checkout.
const PLACES: [&str; 7] = [
    "README.md",
    "ARCHITECTURE.md",
    "ATTRIBUTION.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
];

/// Fails if a link of a page leads nowhere, or if the contents of the site lack a page.
pub(crate) fn check(checkout: &Path) -> Result<(), String> {
    let mut pages = BTreeMap::new();
    for place in PLACES {
        read_pages(&checkout.join(place), Path::new(place), &mut pages)?;
    }
    let contents = std::fs::read_to_string(checkout.join(CONTENTS)).map_err(|error| format!("{CONTENTS}: {error}"))?;
    let mut faults = faults(&pages, &|path| checkout.join(path).exists());
    faults.extend(missing_pages(&pages, &contents));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

/// All Markdown pages at or below a place, by their paths below the checkout.
fn read_pages(place: &Path, name: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", name.display());
    if place.is_dir() {
        for entry in std::fs::read_dir(place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            read_pages(&entry.path(), &name.join(entry.file_name()), pages)?;
        }
    } else if name.extension().is_some_and(|extension| extension == "md") {
        pages.insert(name.to_owned(), std::fs::read_to_string(place).map_err(failed)?);
    }
    Ok(())
}

/// Returns the links of the pages that lead nowhere, where `exists` knows the files of the checkout.
fn faults(pages: &BTreeMap<PathBuf, String>, exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let anchors: HashMap<&PathBuf, Vec<String>> = pages.iter().map(|(path, text)| (path, headings(text))).collect();
    let mut faults = Vec::new();
    for (page, text) in pages {
        for (line, link) in links(text) {
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let path = match target {
                "" => page.clone(),
                _ => plain(&page.parent().unwrap_or(Path::new("")).join(target)),
            };
            let is_there = anchor.is_empty()
                || anchors
                    .get(&path)
                    .is_some_and(|all| all.iter().any(|one| one == anchor));
            if !exists(&path) || !is_there {
                faults.push(format!("{}:{line}: {link} leads nowhere", page.display()));
            }
        }
    }
    faults
}

/// Pages below docs that the contents of the site do not list. Decisions are listed by their folder.
fn missing_pages(pages: &BTreeMap<PathBuf, String>, contents: &str) -> Vec<String> {
    let paths = pages.keys().map(|path| path.to_string_lossy().replace('\\', "/"));
    let of_site = paths.filter(|path| path.starts_with("docs/") && !path.starts_with("docs/decisions/"));
    of_site
        .filter(|path| !contents.contains(path.as_str()))
        .map(|path| format!("{CONTENTS} lacks {path}"))
        .collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Lines that are prose, each with its number from 1: neither indented code nor fenced code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            return None;
        }
        (!is_fenced && !line.starts_with("    ")).then_some((index + 1, line))
    })
}

/// Targets of links and pictures, each with its line. Code has none.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line: String = line.split('`').step_by(2).collect::<Vec<&str>>().join("code");
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        found.extend(targets.map(|(target, _)| (number, target.to_owned())));
    }
    found
}

/// The anchors of the headings of a page, as GitHub makes them.
fn headings(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let words = title.trim().to_lowercase().replace(' ', "-");
        let anchor: String = words
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect();
        let earlier = anchors.iter().filter(|one| **one == anchor).count();
        anchors.push(match earlier {
            0 => anchor,
            _ => format!("{anchor}-{earlier}"),
        });
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

    #[test]
    fn every_link_of_the_documentation_leads_somewhere() {
        check(Path::new(CHECKOUT)).unwrap();
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let page = "# A\n\n## `make` and `close`: what, why\n\n## A\n\n[a](b.md), ![b](x.png)\n[c](#a-1) `[d](code.md)` [e](b.md#b)\n\
                    [f](#make-and-close-what-why)\n\n    [g](indented.md)\n";
        let mut pages = BTreeMap::from([
            ("docs/a.md".into(), page.to_owned()),
            ("docs/b.md".into(), "# B".to_owned()),
        ]);
        let exists = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
        assert_eq!(faults(&pages, &exists), ["docs/a.md:7: x.png leads nowhere"]);
        for (link, fault) in [
            ("[x](b.md#c)", "docs/c.md:1: b.md#c leads nowhere"),
            ("[x](#c)", "docs/c.md:1: #c leads nowhere"),
            ("[x](../d.txt)", "docs/c.md:1: ../d.txt leads nowhere"),
        ] {
            pages.insert("docs/c.md".into(), link.to_owned());
            assert!(faults(&pages, &exists).contains(&fault.to_owned()), "{link}");
        }
        assert_eq!(
            missing_pages(&pages, "docs/a.md docs/c.md"),
            ["mkdocs.yml lacks docs/b.md"]
        );
    }
}
