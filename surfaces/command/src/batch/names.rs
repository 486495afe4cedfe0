//! Names of outputs: made from a template, and unique.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use loopwright_formats::Format;
use loopwright_job::name_part;

/// Longest file name on common file systems, bytes.
const MAX_NAME_BYTES: usize = 255;

/// Bytes kept free after a stem, for a number and the sidecar's `.json`.
const RESERVED_BYTES: usize = 16;

/// A part of a name.
#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Field(Field),
}

/// Writes a fact of a loop that is known before it is named.
type Field = fn(Named<'_>) -> String;

const FIELDS: [(&str, Field); 5] = [
    ("stem", |named| named.stem.to_owned()),
    ("animation", |named| name_part(named.animation.unwrap_or(named.stem))),
    ("kind", |named| name_part(named.kind)),
    ("speed", |named| format!("{:.1}", named.speed_mps)),
    ("row", |named| named.row.to_string()),
];

/// A pattern for the names of outputs: `{stem}-{kind}-{speed}`.
#[derive(Clone, Debug, Default)]
pub struct Template {
    parts: Vec<Part>,
    /// The format, if the template ends in its extension.
    pub format: Option<Format>,
    text: String,
}

/// The facts of a loop that its name may contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    pub stem: &'a str,
    pub animation: Option<&'a str>,
    pub kind: &'a str,
    pub speed_mps: f64,
    pub row: usize,
}

impl Template {
    /// Reads a template. Errors say which fields there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.contains(['/', '\\']) || text.chars().any(char::is_control) {
            return Err("must be the name of a file, without folders, such as {stem}-{kind}-{speed}".to_owned());
        }
        let (stem, format) = match text.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => match Format::from_extension(extension) {
                Some(format) => (stem, Some(format)),
                None => (text, None),
            },
            _ => (text, None),
        };
        let mut parts = Vec::new();
        let mut rest = stem;
        while let Some((before, after)) = rest.split_once('{') {
            let (field, behind) = after.split_once('}').ok_or("a { has no } behind it")?;
            let known = FIELDS.iter().find(|(name, _)| *name == field).ok_or_else(|| {
                let names = FIELDS.map(|(name, _)| format!("{{{name}}}"));
                format!("{{{field}}} is none of {}", names.join(", "))
            })?;
            parts.extend((!before.is_empty()).then(|| Part::Text(before.to_owned())));
            parts.push(Part::Field(known.1));
            rest = behind;
        }
        parts.extend((!rest.is_empty()).then(|| Part::Text(rest.to_owned())));
        Ok(Self {
            parts,
            format,
            text: text.to_owned(),
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Fills the facts of a loop into the template; returns the name of its file without extension, cut so that [`RESERVED_BYTES`] stay
    /// free.
    fn stem(&self, loop_named: Named) -> String {
        let mut stem = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => stem.push_str(text),
                Part::Field(written) => stem.push_str(&written(loop_named)),
            }
        }
        stem.char_indices()
            .take_while(|(index, letter)| index + letter.len_utf8() <= MAX_NAME_BYTES - RESERVED_BYTES)
            .map(|(_, letter)| letter)
            .collect()
    }
}

/// All names of a run; none is given twice.
///
/// Names that differ only in case count as one, as on the file systems of Windows and macOS.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// By name, the owner: its take, by the path below the folder that all inputs share, and whether this run gave the name.
    taken: HashMap<String, (String, bool)>,
}

impl Names {
    /// Keeps a name for a take that had it in an earlier run.
    pub fn keep(&mut self, output: &Path, take: &str) {
        self.taken.insert(key(output), (take.to_owned(), false));
    }

    /// Returns the path of a loop's file in a folder. A take may reuse its names of an earlier run; if another loop has the name, a number
    /// is added.
    pub fn give(
        &mut self,
        folder: &Path,
        template: &Template,
        loop_named: Named,
        extension: &str,
        take: &str,
    ) -> Given {
        let stem = template.stem(loop_named);
        let wanted = folder.join(format!("{stem}.{extension}"));
        let mut path = wanted.clone();
        let mut number = 1;
        while self
            .taken
            .get(&key(&path))
            .is_some_and(|(other, is_given)| other != take || *is_given)
        {
            number += 1;
            path = folder.join(format!("{stem}-{number}.{extension}"));
        }
        let before = self.taken.insert(key(&path), (take.to_owned(), true));
        let is_numbered = path != wanted;
        Given {
            was_ours: before.is_some(),
            wanted: is_numbered.then_some(wanted),
            path,
        }
    }
}

/// The name of a loop.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    pub path: PathBuf,
    /// The name from the template, if another loop has it.
    pub wanted: Option<PathBuf>,
    /// Whether the take had this name in an earlier run, so that its file may be replaced.
    pub was_ours: bool,
}

/// Returns a path in lower case, for comparison.
fn key(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(stem: &str) -> Named<'_> {
        Named {
            stem,
            animation: None,
            kind: "turning_walk",
            speed_mps: 1.36,
            row: 2,
        }
    }

    #[test]
    fn templates_name_loops() {
        for (template, wanted, format) in [
            ("{stem}-loop", "walk-loop", None),
            ("{stem}-{kind}-{speed}", "walk-turning_walk-1.4", None),
            ("{row}_{stem}.glb", "2_walk", Some(Format::Glb)),
            ("{stem}.v2", "walk.v2", None),
            ("{animation}", "walk", None),
        ] {
            let template = Template::parse(template).unwrap();
            assert_eq!(template.stem(named("walk")), wanted);
            assert_eq!(template.format, format);
        }
        for wrong in ["", "a/b", "{stem", "{name}", "..\\x", "a\nb"] {
            assert!(Template::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let template = Template::parse("{stem}-loop").unwrap();
        let mut names = Names::default();
        names.keep(Path::new("out/walk-loop.bvh"), "a/walk.bvh");
        let mut give = |stem: &str, take: &str| {
            let given = names.give(Path::new("out"), &template, named(stem), "bvh", take);
            (given.path.display().to_string(), given.wanted.is_some())
        };
        let given = |path: &str, is_numbered| (path.to_owned(), is_numbered);
        // The first take had the name in an earlier run.
        assert_eq!(give("walk", "a/walk.bvh"), given("out/walk-loop.bvh", false));
        assert_eq!(give("Walk", "b/Walk.fbx"), given("out/Walk-loop-2.bvh", true));
        assert_eq!(give("walk", "c/walk.glb"), given("out/walk-loop-3.bvh", true));
        // A second loop of the first take.
        assert_eq!(give("walk", "a/walk.bvh"), given("out/walk-loop-4.bvh", true));
    }

    #[test]
    fn long_names_are_cut_to_what_file_systems_take() {
        let template = Template::parse("{stem}-loop").unwrap();
        let stem = "ä".repeat(125);
        let mut names = Names::default();
        let one = names.give(Path::new(""), &template, named(&stem), "bvh", "a");
        let name = one.path.file_name().unwrap().len();
        assert!(name + ".json".len() <= MAX_NAME_BYTES && name > 230, "{name}");
        let other = names.give(Path::new(""), &template, named(&stem), "bvh", "b");
        assert!(other.path != one.path && other.wanted.is_some());
    }
}
