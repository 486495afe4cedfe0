//! Tags of takes, read from a table.

use std::path::Path;

use loopwright_core::names;

use crate::{
    args::parse_tag,
    exit::{Failure, Result},
    files,
    motions::NamedMotion,
};

/// Lines of patterns and tags.
#[derive(Debug, Default)]
pub struct TagTable {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    pattern: String,
    tags: Vec<(String, String)>,
    is_used: bool,
}

impl TagTable {
    /// Reads lines of a pattern and tags, separated by commas. Blank lines and those that begin with # are ignored.
    pub fn read(file: &Path) -> Result<Self> {
        let wrong = |what: String| {
            Failure::cannot("read the tags", file, what).try_this("lines such as *run*,style=run,mood=calm")
        };
        let mut table = Self::default();
        for (number, line) in files::lines(file, wrong)? {
            let mut cells = line
                .split([',', ';', '\t'])
                .map(str::trim)
                .filter(|cell| !cell.is_empty());
            let pattern = cells.next().unwrap_or_default().to_owned();
            let tags: Result<Vec<_>, String> = cells.map(parse_tag).collect();
            let tags = tags.map_err(|why| wrong(format!("line {number}: a tag {why}")))?;
            if tags.is_empty() {
                return Err(wrong(format!("line {number} has no tag behind its pattern")));
            }
            table.lines.push(Line {
                pattern,
                tags,
                is_used: false,
            });
        }
        Ok(table)
    }

    /// Returns the tags of a motion from all lines whose pattern fits its name, its path or its file's name, with or without its range of
    /// frames.
    pub fn of(&mut self, named: &NamedMotion, name: &str) -> Vec<(String, String)> {
        let file = named.path.file_name().map(|file| file.to_string_lossy().into_owned());
        let mut names = vec![name.to_owned(), named.path.display().to_string()];
        names.extend(file);
        if let Some((start, end)) = named.frames {
            let ranges: Vec<String> = names.iter().map(|name| format!("{name}:{start}:{end}")).collect();
            names.extend(ranges);
        }
        let mut tags = Vec::new();
        for line in &mut self.lines {
            if names.iter().any(|name| names::matches(&line.pattern, name)) {
                line.is_used = true;
                tags.extend(line.tags.iter().cloned());
            }
        }
        tags
    }

    /// Warns of patterns that fit nothing, since they may be mistyped.
    pub fn warn_of_unused(&self) {
        for line in self.lines.iter().filter(|line| !line.is_used) {
            warning!(
                "no take has a name like \"{}\", which the table of tags names",
                line.pattern
            );
        }
    }
}
