//! The figures of the README: each is a cell of docs/benchmark.md.
//!
//! They stand in the table of one section, whose rows and columns have the names that they have on the page.

use std::path::Path;

use crate::{benchmark::PAGE, page};

/// Heading of the section of figures.
const SECTION: &str = "## How well it works";

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
    faults
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
        let readme = |table: &str| format!("# x\n\n{SECTION}\n\n{table}\n\n## Then\n");
        assert!(faults(&readme(TABLE), TABLE).is_empty());
        for (table, fault) in [
            (
                &*TABLE.replace("0.2", "0.1"),
                "docs/benchmark.md has no 0.1 for slide, mm, ours",
            ),
            (
                &TABLE.replace("slide", "slides"),
                "docs/benchmark.md has no 13.1 for slides, mm, raw cut",
            ),
            ("", "no table under ## How well it works"),
        ] {
            assert_eq!(faults(&readme(table), TABLE)[0], fault);
        }
    }
}
