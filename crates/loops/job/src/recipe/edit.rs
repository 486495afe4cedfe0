//! Edits of the closed loop: layers that an artist adds, applied in order.

use std::str::FromStr;

use loopwright_core::{
    Skeleton,
    analysis::{Body, FoundBy, similar_joints},
    edit::{EditKey, EditKind, EditValue, EditValues, EditedJoints, LoopEdit},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error, ser::SerializeMap};

use super::{RecipeError, edited_body::EditedBody};

/// The key that switches an edit of any kind off.
const OFF: &str = "off";

/// An edit of the closed loop, as a table `[[edit]]` of a recipe; some are flags as well.
///
/// Rotations are rotation vectors in degrees and positions in metres, both in the axes of the joint's parent; raise, spread and twist
/// are degrees about axes of the body.
#[value]
pub struct EditRecipe {
    /// Its kind.
    pub kind: EditKind,
    /// The joint that it changes, or names of joints, `*` for any letters and `?` for any one; the kind's usual ones where it is left
    /// out.
    pub joint: Option<String>,
    /// The numbers that are stated of it.
    pub values: EditValues,
    /// Whether it is left out, and kept for another time.
    pub is_off: bool,
}

impl FromStr for EditRecipe {
    type Err = String;

    /// Parses `aim:DEG`, `noise:DEG[:SEED]`, `offset:JOINT:X,Y,Z`, `offset:JOINT:raise=DEG,spread=DEG,twist=DEG` or
    /// `swing:JOINT:SCALE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        // From the end, because names of joints may contain colons.
        let (joint, last) = rest.rsplit_once(':').unwrap_or_default();
        let (kind, values, needs) = match word {
            "aim" => (
                EditKind::Aim,
                stated(EditKey::Turn, rest),
                "must be a number of degrees, such as 30",
            ),
            "noise" => {
                let (deviation, seed) = rest.split_once(':').unwrap_or((rest, "0"));
                let values = stated(EditKey::Deviation, deviation).zip(seed.trim().parse().ok());
                (
                    EditKind::Noise,
                    values.map(|(values, seed)| values.with(EditKey::Seed, EditValue::Whole(seed))),
                    "must be DEG[:SEED], degrees and a whole number from 0, such as 1.5 or 1.5:7",
                )
            }
            "offset" => (
                EditKind::Offset,
                turned(last),
                "must be JOINT:X,Y,Z, degrees about the axes of its parent, such as Head:10,0,0, or \
                 JOINT:raise=20,spread=10,twist=-5",
            ),
            "swing" => (
                EditKind::Swing,
                stated(EditKey::Scale, last),
                "must be JOINT:SCALE, such as LeftArm:0.3; 0 holds it still",
            ),
            _ => {
                return Err(
                    "must be aim:DEG, noise:DEG[:SEED], offset:JOINT:X,Y,Z, swing:JOINT:SCALE, or a table of TOML"
                        .to_owned(),
                );
            }
        };
        let joint = matches!(kind, EditKind::Offset | EditKind::Swing).then(|| joint.to_owned());
        match values {
            Some(values) if joint.as_deref() != Some("") => Ok(Self {
                kind,
                joint,
                values,
                is_off: false,
            }),
            _ => Err(format!("{word} {needs}")),
        }
    }
}

/// Reads the only number of an edit.
fn stated(key: EditKey, text: &str) -> Option<EditValues> {
    Some(EditValues::default().with(key, number(text)?))
}

/// Reads a rotation: its vector, or some of the angles about axes of the body, each once.
fn turned(text: &str) -> Option<EditValues> {
    let values = EditValues::default();
    if !text.contains('=') {
        let angles = text.split(',').map(number).collect::<Option<Vec<f64>>>()?;
        let rotation = EditValue::Vector(angles.try_into().ok()?);
        return Some(values.with(EditKey::Rotation, rotation));
    }
    text.split(',').try_fold(values, |values, angle| {
        let (word, degrees) = angle.split_once('=')?;
        let mut keys = EditKey::TURNS.into_iter();
        let key = keys.find(|key| key.as_str() == word.trim() && values.get(*key).is_none())?;
        Some(values.with(key, number(degrees)?))
    })
}

impl EditRecipe {
    /// Converts to the core's edit. Errors: no joint, or more than one, has the name; a time is given twice.
    fn meant(&self, edited: &EditedBody) -> Result<LoopEdit, RecipeError> {
        let joint = self.joint.as_deref();
        let joints = match self.kind.descriptor().joints {
            EditedJoints::Root => Vec::new(),
            EditedJoints::One => vec![one(edited, joint.unwrap_or_default())?],
            EditedJoints::All => some(edited, joint, |_| true)?,
            EditedJoints::UpperBody => {
                let lower = lower_joints(edited.skeleton, edited.body);
                some(edited, joint, |joint| !lower.contains(&joint))?
            }
        };
        if self
            .values
            .get(EditKey::Time)
            .and(self.values.get(EditKey::Phase))
            .is_some()
        {
            return Err(RecipeError::TwoTimes {
                joint: joint.unwrap_or_default().to_owned(),
            });
        }
        Ok(LoopEdit::new(self.kind, &joints, &self.values))
    }
}

impl Serialize for EditRecipe {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let descriptor = self.kind.descriptor();
        let mut table = to.serialize_map(None)?;
        table.serialize_entry("kind", descriptor.name)?;
        if self.is_off {
            table.serialize_entry(OFF, &true)?;
        }
        if let Some(joint) = &self.joint {
            table.serialize_entry("joint", joint)?;
        }
        for parameter in descriptor.parameters {
            let key = parameter.key.as_str();
            match self.values.get(parameter.key) {
                Some(EditValue::Number(number)) => table.serialize_entry(key, &number)?,
                Some(EditValue::Vector(vector)) if vector != [0.0; 3] => table.serialize_entry(key, &vector)?,
                Some(EditValue::Whole(whole)) if whole != 0 => table.serialize_entry(key, &whole)?,
                _ => {}
            }
        }
        table.end()
    }
}

impl<'de> Deserialize<'de> for EditRecipe {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::from_table(toml::Table::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl EditRecipe {
    /// Reads an edit from a table. Errors: a key that the kind does not have, a missing key, or a value of the wrong type.
    fn from_table(mut table: toml::Table) -> Result<Self, String> {
        let missing = |key: &str| format!("missing field `{key}`");
        let kind: String = taken(&mut table, "kind", "a string")?.ok_or_else(|| missing("kind"))?;
        let kind = *EditKind::ALL
            .iter()
            .find(|known| known.descriptor().name == kind)
            .ok_or_else(|| {
                format!(
                    "unknown variant `{kind}`, expected one of {}",
                    quoted(EditKind::ALL.iter().map(|kind| kind.descriptor().name))
                )
            })?;
        let descriptor = kind.descriptor();
        let is_off = taken(&mut table, OFF, "a boolean")?.unwrap_or_default();
        let has_joints = descriptor.joints != EditedJoints::Root;
        let joint = if has_joints {
            taken(&mut table, "joint", "a string")?
        } else {
            None
        };
        if descriptor.joints == EditedJoints::One && joint.is_none() {
            return Err(missing("joint"));
        }
        let mut values = EditValues::default();
        for parameter in descriptor.parameters {
            let key = parameter.key.as_str();
            let value = match parameter.default {
                EditValue::Number(_) => taken(&mut table, key, "a number")?.map(EditValue::Number),
                EditValue::Vector(_) => taken(&mut table, key, "three numbers")?.map(EditValue::Vector),
                EditValue::Whole(_) => taken(&mut table, key, "a whole number from 0")?.map(EditValue::Whole),
            };
            match value {
                Some(value) => values.set(parameter.key, value),
                None if parameter.is_required => return Err(missing(key)),
                None => {}
            }
        }
        match table.keys().next() {
            Some(unknown) => {
                let parameters = descriptor.parameters.iter().map(|parameter| parameter.key.as_str());
                let fields = quoted(has_joints.then_some("joint").into_iter().chain(parameters).chain([OFF]));
                Err(format!("unknown field `{unknown}`, expected one of {fields}"))
            }
            None => Ok(Self {
                kind,
                joint,
                values,
                is_off,
            }),
        }
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Takes a value out of a table, if it is there.
fn taken<'de, T: Deserialize<'de>>(table: &mut toml::Table, key: &str, expected: &str) -> Result<Option<T>, String> {
    let Some(value) = table.remove(key) else {
        return Ok(None);
    };
    let found = value.type_str();
    value
        .try_into()
        .map(Some)
        .map_err(|_| format!("invalid type of `{key}`: {found}, expected {expected}"))
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Converts to the core's edits, without those that are off. Errors: no joint, or more than one, has a name; a time is given
/// twice.
pub fn edits(recipes: &[EditRecipe], edited: &EditedBody) -> Result<Vec<LoopEdit>, RecipeError> {
    recipes
        .iter()
        .filter(|recipe| !recipe.is_off)
        .map(|recipe| recipe.meant(edited))
        .collect()
}

fn no_such_joint(edited: &EditedBody, name: &str) -> RecipeError {
    RecipeError::NoJointNamed {
        name: name.to_owned(),
        is_character: edited.is_character,
        similar: similar_joints(edited.skeleton, name),
    }
}

/// Finds the joint of that name.
fn one(edited: &EditedBody, name: &str) -> Result<usize, RecipeError> {
    let named = |joint: &usize| edited.skeleton.joint(*joint).name == name;
    let found: Vec<usize> = (0..edited.skeleton.num_joints()).filter(named).collect();
    match found[..] {
        [] => Err(no_such_joint(edited, name)),
        [joint] => Ok(joint),
        _ => Err(RecipeError::AmbiguousJoint {
            name: name.to_owned(),
            count: found.len(),
        }),
    }
}

/// Returns the joints whose names match, or the usual ones without a pattern. The rig's root joint and control joints are not
/// included.
fn some(
    edited: &EditedBody<'_>,
    pattern: Option<&str>,
    is_usual: impl Fn(usize) -> bool,
) -> Result<Vec<usize>, RecipeError> {
    let skeleton = edited.skeleton;
    let matching: Vec<usize> = match pattern {
        Some(pattern) => skeleton.joints_matching(pattern),
        None => (0..skeleton.num_joints()).filter(|&joint| is_usual(joint)).collect(),
    };
    if let (Some(pattern), true) = (pattern, matching.is_empty()) {
        return Err(no_such_joint(edited, pattern));
    }
    Ok(matching
        .into_iter()
        .filter(|&joint| Some(joint) != edited.root_joint && !edited.body.is_control(joint))
        .collect())
}

/// Returns the hips, their ancestors, the legs and the feet; nothing for a body without legs.
fn lower_joints(skeleton: &Skeleton, body: &Body) -> Vec<usize> {
    if body.found_by == FoundBy::AllLeaves {
        return Vec::new();
    }
    let mut lower = skeleton.path_from_root(body.hips);
    for foot in &body.feet {
        lower.extend(skeleton.path_from_root(foot.ankle));
        lower.extend(skeleton.self_and_below(foot.ankle));
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_from_their_end() {
        let offset = "offset:rig:Head:10,-2.5,0".parse::<EditRecipe>().unwrap();
        assert_eq!(
            (offset.kind, offset.joint.as_deref()),
            (EditKind::Offset, Some("rig:Head"))
        );
        assert_eq!(offset.values.vector(EditKey::Rotation), Some([10.0, -2.5, 0.0]));
        let words = "offset:rig:Head:twist=-5, raise=20".parse::<EditRecipe>().unwrap();
        let stated = EditKey::TURNS.map(|key| words.values.number(key));
        assert_eq!(stated, [Some(20.0), None, Some(-5.0)]);
        for wrong in [
            "",
            "Head",
            "Head:raise",
            "Head:raise=",
            "Head:raise=x",
            "Head:raise=1,raise=2",
            "Head:raise=1,2",
            "Head:turn=1",
            ":raise=1",
            "Head:1,2",
            "Head:1,2,3,4",
            "Head:a,b,c",
            ":1,2,3",
            "Head:1,2,inf",
        ] {
            assert!(format!("offset:{wrong}").parse::<EditRecipe>().is_err(), "{wrong}");
        }
        let noise = |text: &str| {
            let values = format!("noise:{text}").parse::<EditRecipe>().ok()?.values;
            Some((values.number(EditKey::Deviation)?, values.whole(EditKey::Seed)?))
        };
        assert_eq!((noise("1.5"), noise("2:7")), (Some((1.5, 0)), Some((2.0, 7))));
        assert_eq!(
            (noise("2:"), noise("nan"), noise("2:-1"), noise(":1")),
            (None, None, None, None)
        );
        let aim: EditRecipe = "aim:-30".parse().unwrap();
        assert_eq!(aim.values.number(EditKey::Turn), Some(-30.0));
        assert!("aim:left".parse::<EditRecipe>().is_err());
    }

    #[test]
    fn tables_come_back_as_they_were_written() {
        let text = r#"[[edit]]
kind = "move"
joint = "LeftArm"
phase = 0.95
width = 0.4
rotation = [0.0, 0.0, 20.0]

[[edit]]
kind = "offset"
off = true
joint = "Hips"
position = [0.0, -0.05, 0.0]
raise = 20.0
twist = -5.0

[[edit]]
kind = "smooth"
joint = "*Hand*"
deviation = 0.05

[[edit]]
kind = "aim"
turn = 30.0

[[edit]]
kind = "noise"
deviation = 1.5
seed = 7
"#;
        let recipe: crate::recipe::Recipe = toml::from_str(text).unwrap();
        assert_eq!(recipe.edits.len(), 5);
        assert!(
            recipe
                .edits
                .iter()
                .map(|edit| edit.is_off)
                .eq([false, true, false, false, false])
        );
        assert_eq!(toml::to_string(&recipe).unwrap(), text);
        // Whole numbers are valid, too.
        let whole: crate::recipe::Recipe = toml::from_str("[[edit]]\nkind = \"aim\"\nturn = 30\n").unwrap();
        assert_eq!(whole.edits[0].values.number(EditKey::Turn), Some(30.0));
        for (wrong, why) in [
            ("kind = \"twist\"", "unknown variant `twist`"),
            (
                "kind = \"aim\"\nturn = 3\nangle = 3",
                "unknown field `angle`, expected one of `turn`",
            ),
            ("kind = \"aim\"\nturn = 3\njoint = \"a\"", "unknown field `joint`"),
            (
                "kind = \"aim\"\nturn = 3\noff = 1",
                "invalid type of `off`: integer, expected a boolean",
            ),
            (
                "kind = \"aim\"\nturn = \"left\"",
                "invalid type of `turn`: string, expected a number",
            ),
            (
                "kind = \"noise\"\ndeviation = 1\nseed = -1",
                "expected a whole number from 0",
            ),
            ("kind = \"aim\"", "missing field `turn`"),
            ("kind = \"offset\"", "missing field `joint`"),
            ("turn = 3", "missing field `kind`"),
        ] {
            let error = toml::from_str::<crate::recipe::Recipe>(&format!("[[edit]]\n{wrong}")).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
