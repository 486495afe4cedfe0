//! Messages of the libraries and the command in words of Python: settings are keyword arguments, commands are functions.

use loopwright_cli::Failure;
use loopwright_job::{RecipeError, recipe};

/// The text of a failure: what failed and where, facts, and one thing to try.
#[derive(Debug)]
pub struct Words {
    pub what: String,
    pub details: Vec<String>,
    pub hint: Option<String>,
}

impl From<String> for Words {
    /// Words that are Python's already.
    fn from(what: String) -> Self {
        Self {
            what,
            details: Vec::new(),
            hint: None,
        }
    }
}

impl From<Failure> for Words {
    fn from(failure: Failure) -> Self {
        Self {
            what: in_python(failure.what()),
            details: failure.details().iter().map(|detail| in_python(detail)).collect(),
            hint: failure.hint().map(in_python),
        }
    }
}

impl From<RecipeError> for Words {
    fn from(error: RecipeError) -> Self {
        let hint = match &error {
            RecipeError::Shares => Some("share=0.5, or 1 to leave the end unchanged".to_owned()),
            RecipeError::WholeSeam => Some("method= for both ends, or other methods for each end".to_owned()),
            RecipeError::NoSuchFoot { .. } => Some("feet=[...] names the joints of others".to_owned()),
            RecipeError::Mirror(_) | RecipeError::Pair { .. } => {
                Some("mirror={\"LeftArm\": \"RightArm\"}, or pairs= of loopwright.mirror".to_owned())
            }
            error => error.hint().as_deref().map(in_python),
        };
        Self {
            what: in_python(&error.to_string()),
            details: error.reason().iter().map(|reason| in_python(reason)).collect(),
            hint,
        }
    }
}

/// The keyword of a key of recipes.
pub fn keyword_of(key: &str) -> String {
    match key.rsplit('.').next().unwrap_or(key) {
        // A word of Python.
        "for" => "for_".to_owned(),
        name => name.replace('-', "_"),
    }
}

/// Flags of the command that have another name here, or stand for a method.
const FLAGS: [(&str, &str); 6] = [
    ("closure", "method"),
    ("joint-weight", "weights"),
    ("tag", "tags"),
    ("for", "for_"),
    ("max-memory", "max_memory of the command"),
    ("force", "force=True"),
];

/// Functions that do what the command of this name does.
const FUNCTIONS: [(&str, &str); 9] = [
    ("inspect", "loopwright.inspect(take)"),
    ("list", "loopwright.list_loops(path)"),
    ("find", "take.find()"),
    ("make --range", "take.close(start, end)"),
    ("make", "take.make()"),
    ("check", "loopwright.check(loop)"),
    ("retarget", "loopwright.retarget()"),
    ("blend", "loopwright.blend()"),
    ("recipe", "help(loopwright.Settings)"),
];

/// A text with keyword arguments in place of flags and keys of recipes, and functions in place of commands. What is quoted stays.
pub fn in_python(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => unquoted(part),
        _ => part.to_owned(),
    };
    text.split('"').enumerate().map(part).collect::<Vec<_>>().join("\"")
}

fn unquoted(text: &str) -> String {
    let mut text = text.to_owned();
    for (command, function) in FUNCTIONS {
        while let Some(start) = text.find(&format!("`loopwright {command}")) {
            let end = text[start + 1..].find('`').map_or(text.len(), |end| start + end + 2);
            text.replace_range(start..end, function);
        }
    }
    let mut keys = recipe::keys();
    // A key may begin as another one does.
    keys.sort_by_key(|key| core::cmp::Reverse(key.len()));
    for key in keys.iter().filter(|key| key.contains('.')) {
        text = text.replace(key.as_str(), &keyword_of(key));
    }
    let forms = [
        ("--set ", ""),
        ("LOW:HIGH", "(LOW, HIGH)"),
        ("--range START:END", "close(START, END)"),
        ("START:END", "(START, END)"),
    ];
    for (of_command, of_python) in forms {
        text = text.replace(of_command, of_python);
    }
    without_flags(&text)
}

/// A text with `name` or, before a value, `name=` for each flag.
fn without_flags(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("--") {
        let length = after
            .find(|letter: char| !(letter.is_ascii_lowercase() || letter == '-'))
            .unwrap_or(after.len());
        let (flag, after) = after.split_at(length);
        let known = FLAGS.iter().find(|(name, _)| *name == flag);
        said.push_str(before);
        said.push_str(&known.map_or_else(|| flag.replace('-', "_"), |(_, keyword)| (*keyword).to_owned()));
        // A value is a number, a range, or a word in capitals that stands for one.
        let is_value = |letter: char| letter.is_ascii_digit() || letter.is_ascii_uppercase() || letter == '(';
        rest = after;
        if let Some(value) = after.strip_prefix(' ').filter(|value| value.starts_with(is_value)) {
            said.push('=');
            rest = value;
        }
    }
    said + rest
}
