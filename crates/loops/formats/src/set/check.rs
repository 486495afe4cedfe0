//! Reads, writes and checks manifests, as far as a player relies on them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::manifest::{Manifest, SET_FORMAT, SET_VERSION, SetClip};
use crate::loop_file::{
    from_text,
    json::{Marks, reason},
    numbers::{WildNumber, check_numbers, in_range},
    to_short_text,
};

/// Largest manifest that is read, bytes.
const MAX_BYTES: usize = 64 << 20;

/// Largest number in a manifest, in any unit.
const MAX_NUMBER: f64 = 1e9;

/// Why bytes are not a manifest that a player can rely on.
#[error_kinds]
pub enum ManifestError {
    #[error("a manifest of {found} bytes is larger than the limit of {MAX_BYTES}")]
    TooLarge { found: usize },
    #[error("line {line}, column {column}: {reason}")]
    Json { line: usize, column: usize, reason: String },
    #[error("this is no set: its format is \"{found}\", expected \"{SET_FORMAT}\"")]
    Format { found: String },
    #[error(
        "the set has version {found}, this program reads version {SET_VERSION}; update the program or make the set again"
    )]
    Version { found: u64 },
    /// A number is not finite or plausible.
    OutOfRange(WildNumber),
    #[error("{at} names the clip \"{name}\", which the set does not have")]
    NoClip { at: String, name: String },
    #[error("two clips are named \"{name}\"")]
    Twice { name: String },
    /// Lists or keys contradict each other.
    #[error("{at}: {reason}")]
    Contradicts { at: String, reason: &'static str },
}

impl From<serde_json::Error> for ManifestError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json {
            line: error.line(),
            column: error.column(),
            reason: reason(&error),
        }
    }
}

impl Manifest {
    /// Reads a manifest and checks it: every number is finite, every name is that of a clip, and lists have matching lengths.
    /// Errors: [`ManifestError`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest = Self::parse(bytes)?;
        manifest.check()?;
        Ok(manifest)
    }

    /// Reads a manifest without checking its values but for the time of fades, for a player that checks what it plays. Errors:
    /// [`ManifestError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        if bytes.len() > MAX_BYTES {
            return Err(ManifestError::TooLarge { found: bytes.len() });
        }
        let marks: Marks = from_text(bytes)?;
        if marks.format != SET_FORMAT {
            return Err(ManifestError::Format {
                found: marks.format.chars().take(40).collect(),
            });
        }
        if marks.version != u64::from(SET_VERSION) {
            return Err(ManifestError::Version { found: marks.version });
        }
        let manifest: Self = from_text(bytes)?;
        manifest.check_fades()?;
        Ok(manifest)
    }

    /// Checks that fades last some time, also in single precision: players divide by it. Errors: the first that does not.
    fn check_fades(&self) -> Result<(), WildNumber> {
        let actions = self.clips.iter().map(|clip| ("clips", clip.fade_secs));
        let jumps = self
            .transitions
            .iter()
            .map(|jump| ("transitions", Some(jump.fade_secs)));
        let mut fades = actions.enumerate().chain(jumps.enumerate());
        fades.try_for_each(|(index, (list, secs))| {
            let path = format!("{list}[{index}].fade_secs");
            in_range(&path, secs, f32::MIN_POSITIVE.into()..=MAX_NUMBER)
        })
    }

    /// Formats the manifest as JSON on one line, its numbers in single precision. Errors: it could not be read again.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        // Reports the position of invalid numbers, which JSON would write as null.
        self.check()?;
        let text = to_short_text(self)?;
        Self::from_json(text.as_bytes())?;
        Ok(text)
    }

    /// Checks what a player relies on. Errors: the first fault.
    fn check(&self) -> Result<(), ManifestError> {
        in_range("fps", [self.fps], 1e-3..=1e6)?;
        let mut names = BTreeSet::new();
        for clip in &self.clips {
            if !names.insert(clip.name.as_str()) {
                return Err(ManifestError::Twice {
                    name: clip.name.clone(),
                });
            }
        }
        for (index, clip) in self.clips.iter().enumerate() {
            clip.check(&format!("clips[{index}]"), &names)?;
        }
        for (index, space) in self.blend_spaces.iter().enumerate() {
            let at = format!("blend_spaces[{index}]");
            for point in &space.points {
                named(&names, &at, &point.clip)?;
                agree(
                    &at,
                    point.at.len() == space.axes.len(),
                    "a point needs one number for each axis",
                )?;
            }
            are_plausible(&at, space)?;
            let most = space.points.len();
            agree(
                &at,
                space.triangles.iter().flatten().all(|corner| *corner < most),
                "a triangle names a point that is not there",
            )?;
        }
        for (index, each) in self.transitions.iter().enumerate() {
            let at = format!("transitions[{index}]");
            named(&names, &at, &each.from)?;
            named(&names, &at, &each.to)?;
            are_plausible(&at, each)?;
        }
        for (index, each) in self.filled.iter().enumerate() {
            let at = format!("filled[{index}]");
            for name in each.from.iter().chain([&each.clip]) {
                named(&names, &at, name)?;
            }
            agree(&at, each.from.len() == each.weights.len(), "each clip needs one weight")?;
        }
        Ok(())
    }
}

/// Checks the name of a clip. Errors: no clip has it.
fn named(names: &BTreeSet<&str>, at: &str, name: &str) -> Result<(), ManifestError> {
    if names.contains(name) {
        return Ok(());
    }
    Err(ManifestError::NoClip {
        at: at.to_owned(),
        name: name.to_owned(),
    })
}

impl SetClip {
    fn check(&self, at: &str, names: &BTreeSet<&str>) -> Result<(), ManifestError> {
        in_range(&format!("{at}.seconds"), [self.seconds], 1e-6..=MAX_NUMBER)?;
        in_range(&format!("{at}.frames"), [self.frames as f64], 1.0..=MAX_NUMBER)?;
        are_plausible(at, self)?;
        for state in [&self.from, &self.to, &self.entry]
            .into_iter()
            .flatten()
            .chain(&self.next)
        {
            named(names, at, &state.clip)?;
        }
        if self.is_loop() {
            agree(at, self.twist.is_some(), "a loop needs its twist")?;
            let phase = self.phase.as_ref();
            agree(at, phase.is_some(), "a loop needs its phase")?;
            agree(
                at,
                phase.is_none_or(|phase| phase.warp.abs() * core::f64::consts::PI < 1.0),
                "its phase runs backwards: the warp must be less than 1/pi",
            )?;
        } else {
            let keys = self.root.as_ref();
            agree(at, keys.is_some(), "what happens once needs the keys of its root")?;
            agree(
                at,
                keys.is_none_or(|keys| keys.are_for(keys.secs.len())),
                "the keys of its root need three and four numbers each",
            )?;
        }
        if let Some(name) = &self.variant_of {
            named(names, at, name)?;
        }
        Ok(())
    }
}

fn agree(at: &str, is_so: bool, reason: &'static str) -> Result<(), ManifestError> {
    if is_so {
        return Ok(());
    }
    Err(ManifestError::Contradicts {
        at: at.to_owned(),
        reason,
    })
}

/// Checks all numbers of a part. Errors: the first one that is not finite or plausible.
fn are_plausible(at: &str, part: &impl Serialize) -> Result<(), WildNumber> {
    check_numbers(part, MAX_NUMBER).map_err(|wild| WildNumber {
        path: format!("{at}.{}", wild.path),
        ..wild
    })
}
