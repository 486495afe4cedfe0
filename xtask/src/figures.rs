//! The figures of the README: each is a cell of docs/benchmark.md.
//!
//! They stand in the table of one section, whose rows and columns have the names that they have on the page. Prose has none, so that
//! none can be added unseen: a number in the prose of that section is refused, and elsewhere one with a unit.

use std::path::Path;

use crate::{benchmark::PAGE, page};

/// Heading of the section of figures.
const SECTION: &str = "## How well it works";

/// Words behind a number that was measured.
const UNITS: [&str; 16] = [
    "mm", "cm", "µm", "%", "degrees", "deg", "frames", "fps", "ms", "s", "seconds", "times", "MB", "MiB", "takes",
    "loops",
];

/// Fails if the README states a figure that the page does not have.
pub(crate) fn check(checkout: &Path) -> Result<(), String> {
    let read = |name: &str| std::fs::read_to_string(checkout.join(name)).map_err(|error| format!("{name}: {error}"));
    let faults = faults(&read("README.md")?, &read(PAGE)?);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("README.md: {}", faults.join("; ")))
    }
}

/// Returns the faults in the figures of a README.
fn faults(readme: &str, page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let measured = page::rows(page);
    let section = readme.split_once(SECTION).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let stated = page::rows(section);
    if stated.is_empty() {
        faults.push(format!("no table under {SECTION}"));
    }
    for (row, cells) in stated {
        for (column, value) in cells {
            let is_there = measured
                .iter()
                .any(|(name, cells)| *name == row && cells.contains(&(column.clone(), value.clone())));
            if !is_there {
                faults.push(format!("{PAGE} has no {value} for {row}, {column}"));
            }
        }
    }
    let (before, rest) = readme.split_once(SECTION).unwrap_or((readme, ""));
    let after = rest.strip_prefix(section).unwrap_or_default();
    let prose: Vec<&str> = section.lines().filter(|line| !line.starts_with('|')).collect();
    let of_section = figures(&prose.join("\n")).into_iter().map(|(number, _)| number);
    let elsewhere = [before, after].into_iter().flat_map(figures);
    let with_units = elsewhere.filter(|(_, unit)| UNITS.contains(&unit.as_str()));
    let outside = of_section.chain(with_units.map(|(number, unit)| format!("{number} {unit}")));
    faults.extend(outside.map(|figure| format!("a figure outside of its table: {figure}")));
    faults
}

/// The numbers of a text, each with its unit or the word behind it. Code has none, and "95th" is none.
fn figures(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with("    "));
    let prose = lines.collect::<Vec<&str>>().join(" ");
    let prose = prose.split('`').step_by(2).collect::<Vec<&str>>().join(" ");
    let words = prose
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "(),.;:~".contains(c)));
    let words: Vec<&str> = words.collect();
    let followed = words.iter().zip(words.iter().skip(1).chain(&[""]));
    followed
        .filter_map(|(word, next)| {
            let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
            let is_number = number.contains(|c: char| c.is_ascii_digit())
                && number.chars().all(|c| c.is_ascii_digit() || ".,-".contains(c));
            let unit = Some(&word[number.len()..]).filter(|unit| !unit.is_empty());
            (is_number && unit != Some("th")).then(|| (number.to_owned(), unit.unwrap_or(next).to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| measure | raw cut | ours |\n| --- | --- | --- |\n| slide, mm | 13.1 | 0.2 |\n";

    #[test]
    fn every_figure_of_the_readme_is_a_cell_of_the_benchmark() {
        check(Path::new(crate::CHECKOUT)).unwrap();
    }

    #[test]
    fn a_figure_that_is_not_measured_is_refused() {
        let readme =
            |table: &str, prose: &str| format!("# x\n{prose}\n{SECTION}\n\n{table}\n\n## Then\n\n    in 5 ms\n");
        assert!(faults(&readme(TABLE, "FBX of versions 3000 to 7700, and `5 mm`"), TABLE).is_empty());
        for (table, prose, fault) in [
            (
                &*TABLE.replace("0.2", "0.1"),
                "",
                "docs/benchmark.md has no 0.1 for slide, mm, ours",
            ),
            (
                &TABLE.replace("slide", "slides"),
                "",
                "docs/benchmark.md has no 13.1 for slides, mm, raw cut",
            ),
            (TABLE, "moved by 3.0 mm.", "a figure outside of its table: 3.0 mm"),
            (TABLE, "in 99% of them", "a figure outside of its table: 99 %"),
            (TABLE, "| a | in 5\nms |", "a figure outside of its table: 5 ms"),
            (
                &format!("{TABLE}\nOf 42 clips all loop."),
                "",
                "a figure outside of its table: 42",
            ),
            ("", "", "no table under ## How well it works"),
        ] {
            assert_eq!(faults(&readme(table, prose), TABLE)[0], fault);
        }
    }
}
