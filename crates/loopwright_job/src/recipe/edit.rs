//! Edits of the closed loop: layers that an artist adds, in the order in which they apply.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright::{
    Skeleton,
    analysis::{Body, FoundBy},
    edit::{DEFAULT_NOISE_HZ, JointOffset, LoopEdit, Moment},
    names,
};
use serde::{Deserialize, Serialize};

use super::{RecipeError, edited_body::EditedBody, is_default};

/// An edit of the closed loop, as a table `[[edit]]` of a recipe; some are flags as well.
///
/// Rotations are rotation vectors in degrees and positions in metres, both in the axes of the joint's parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
pub enum EditRecipe {
    /// Offsets a joint at one time, less before and after it.
    Move {
        /// Its name.
        joint: String,
        /// When, seconds since the start of the loop; the start where neither it nor `phase` is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
        /// The same as a share of the loop.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<f64>,
        /// Seconds from where nothing is changed yet to where nothing is changed any more.
        #[serde(skip_serializing_if = "Option::is_none")]
        width: Option<f64>,
        /// Degrees.
        #[serde(default, skip_serializing_if = "is_default")]
        rotation: [f64; 3],
        /// Metres.
        #[serde(default, skip_serializing_if = "is_default")]
        position: [f64; 3],
    },
    /// Offsets a joint all the time.
    Offset {
        /// Its name.
        joint: String,
        /// Degrees.
        #[serde(default, skip_serializing_if = "is_default")]
        rotation: [f64; 3],
        /// Metres.
        #[serde(default, skip_serializing_if = "is_default")]
        position: [f64; 3],
    },
    /// Takes fast motion out of joints.
    Smooth {
        /// Names, `*` for any letters and `?` for any one; all joints where it is left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        joint: Option<String>,
        /// Standard deviation of the weights, seconds.
        deviation: f64,
    },
    /// Makes the loop end in another heading than it begins.
    Aim {
        /// Its turn, degrees, left positive.
        turn: f64,
    },
    /// Adds noise that repeats with the loop.
    Noise {
        /// Names, `*` for any letters and `?` for any one; trunk, arms and head where it is left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        joint: Option<String>,
        /// Root mean square of the angle, degrees.
        deviation: f64,
        /// Highest rate in it, hertz.
        #[serde(skip_serializing_if = "Option::is_none")]
        highest: Option<f64>,
        /// The same seed gives the same noise.
        #[serde(default, skip_serializing_if = "is_default")]
        seed: u32,
    },
}

impl EditRecipe {
    /// The turn of a loop, `DEG`.
    pub fn parse_aim(text: &str) -> Result<Self, &'static str> {
        let turn = number(text).ok_or("must be a number of degrees, such as 30")?;
        Ok(Self::Aim { turn })
    }

    /// Noise, `DEG[:SEED]`.
    pub fn parse_noise(text: &str) -> Result<Self, &'static str> {
        let (deviation, seed) = text.split_once(':').unwrap_or((text, "0"));
        match (number(deviation), seed.trim().parse()) {
            (Some(deviation), Ok(seed)) => Ok(Self::Noise {
                joint: None,
                deviation,
                highest: None,
                seed,
            }),
            _ => Err("must be DEG[:SEED], degrees and a whole number from 0, such as 1.5 or 1.5:7"),
        }
    }

    /// An offset of a joint all the time, `JOINT:X,Y,Z`, parsed from its end because joint names may contain colons.
    pub fn parse_offset(text: &str) -> Result<Self, &'static str> {
        let offset = text.rsplit_once(':').and_then(|(joint, angles)| {
            let angles = angles.split(',').map(number).collect::<Option<Vec<f64>>>()?;
            let rotation = angles.try_into().ok()?;
            (!joint.is_empty()).then(|| Self::Offset {
                joint: joint.to_owned(),
                rotation,
                position: [0.0; 3],
            })
        });
        offset.ok_or("must be JOINT:X,Y,Z, degrees about the axes of its parent, such as Head:10,0,0")
    }

    /// The core's edit. Errors: no joint, or more than one, has the name; a time is given twice.
    fn meant(&self, edited: &EditedBody<'_>) -> Result<LoopEdit, RecipeError> {
        let skeleton = edited.skeleton;
        let offset = |rotation: &[f64; 3], position: &[f64; 3]| JointOffset {
            rotation: DVec3::from_array(*rotation) * (TAU / 360.0),
            position: DVec3::from_array(*position),
        };
        Ok(match self {
            Self::Move {
                joint,
                time,
                phase,
                width,
                rotation,
                position,
            } => LoopEdit::Move {
                joint: one(skeleton, joint)?,
                at: match (time, phase) {
                    (Some(_), Some(_)) => return Err(RecipeError::TwoTimes { joint: joint.clone() }),
                    (Some(secs), None) => Moment::Secs(*secs),
                    (None, phase) => Moment::Phase(phase.unwrap_or(0.0)),
                },
                width_secs: *width,
                offset: offset(rotation, position),
            },
            Self::Offset {
                joint,
                rotation,
                position,
            } => LoopEdit::Offset {
                joint: one(skeleton, joint)?,
                offset: offset(rotation, position),
            },
            Self::Smooth { joint, deviation } => LoopEdit::Smooth {
                joints: some(edited, joint.as_deref(), |_| true)?,
                deviation_secs: *deviation,
            },
            Self::Aim { turn } => LoopEdit::Aim {
                turn: turn.to_radians(),
            },
            Self::Noise {
                joint,
                deviation,
                highest,
                seed,
            } => {
                let lower = lower_joints(skeleton, edited.body);
                LoopEdit::Noise {
                    joints: some(edited, joint.as_deref(), |joint| !lower.contains(&joint))?,
                    deviation: deviation.to_radians(),
                    highest_hz: highest.unwrap_or(DEFAULT_NOISE_HZ),
                    seed: u64::from(*seed),
                }
            }
        })
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The core's edits. Errors: no joint, or more than one, has a name; a time is given twice.
pub fn edits(recipes: &[EditRecipe], edited: &EditedBody<'_>) -> Result<Vec<LoopEdit>, RecipeError> {
    recipes.iter().map(|recipe| recipe.meant(edited)).collect()
}

/// How many similar names are shown.
const MAX_SIMILAR: usize = 5;

fn no_such_joint(skeleton: &Skeleton, name: &str) -> RecipeError {
    let joints = (0..skeleton.num_joints()).map(|joint| skeleton.joint(joint).name.as_str());
    RecipeError::NoJointNamed {
        name: name.to_owned(),
        similar: (names::nearest(name, joints, MAX_SIMILAR).into_iter())
            .map(str::to_owned)
            .collect(),
    }
}

/// The joint of that name.
fn one(skeleton: &Skeleton, name: &str) -> Result<usize, RecipeError> {
    let named = |joint: &usize| skeleton.joint(*joint).name == name;
    let mut found = (0..skeleton.num_joints()).filter(named);
    let joint = found.next().ok_or_else(|| no_such_joint(skeleton, name))?;
    match found.count() {
        0 => Ok(joint),
        others => Err(RecipeError::AmbiguousJoint {
            name: name.to_owned(),
            count: 1 + others,
        }),
    }
}

/// The joints whose names match, or without a pattern those that are usual. The rig's root joint and what only steers the rig is
/// among neither.
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
        return Err(no_such_joint(skeleton, pattern));
    }
    let controls = &edited.body.controls;
    Ok((matching.into_iter())
        .filter(|joint| Some(*joint) != edited.root_joint && !controls.contains(joint))
        .collect())
}

/// Hips, legs, feet, and what the hips hang from: none of a body without legs.
fn lower_joints(skeleton: &Skeleton, body: &Body) -> Vec<usize> {
    if body.found_by == FoundBy::AllLeaves {
        return Vec::new();
    }
    let mut lower = skeleton.path_from_root(body.hips);
    for foot in &body.feet {
        lower.extend(skeleton.path_from_root(foot.ankle));
    }
    for joint in 0..skeleton.num_joints() {
        let ends = |foot: &loopwright::analysis::Foot| skeleton.path_from_root(joint).contains(&foot.ankle);
        if body.feet.iter().any(ends) {
            lower.push(joint);
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_from_their_end() {
        let offset = EditRecipe::parse_offset("rig:Head:10,-2.5,0").unwrap();
        let expected = EditRecipe::Offset {
            joint: "rig:Head".to_owned(),
            rotation: [10.0, -2.5, 0.0],
            position: [0.0; 3],
        };
        assert_eq!(offset, expected);
        for wrong in [
            "",
            "Head",
            "Head:1,2",
            "Head:1,2,3,4",
            "Head:a,b,c",
            ":1,2,3",
            "Head:1,2,inf",
        ] {
            assert!(EditRecipe::parse_offset(wrong).is_err(), "{wrong}");
        }
        let noise = |text: &str| match EditRecipe::parse_noise(text) {
            Ok(EditRecipe::Noise { deviation, seed, .. }) => Some((deviation, seed)),
            _ => None,
        };
        assert_eq!((noise("1.5"), noise("2:7")), (Some((1.5, 0)), Some((2.0, 7))));
        assert_eq!(
            (noise("2:"), noise("nan"), noise("2:-1"), noise(":1")),
            (None, None, None, None)
        );
        assert_eq!(EditRecipe::parse_aim("-30"), Ok(EditRecipe::Aim { turn: -30.0 }));
        assert!(EditRecipe::parse_aim("left").is_err());
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
joint = "Hips"
position = [0.0, -0.05, 0.0]

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
        assert_eq!(toml::to_string(&recipe).unwrap(), text);
        // Whole numbers are numbers, too.
        let whole: crate::recipe::Recipe = toml::from_str("[[edit]]\nkind = \"aim\"\nturn = 30\n").unwrap();
        assert_eq!(whole.edits, [EditRecipe::Aim { turn: 30.0 }]);
        for (wrong, why) in [
            ("kind = \"twist\"", "unknown variant `twist`"),
            ("kind = \"aim\"\nangle = 3", "unknown field `angle`"),
            ("kind = \"aim\"", "missing field `turn`"),
            ("turn = 3", "missing field `kind`"),
        ] {
            let error = toml::from_str::<crate::recipe::Recipe>(&format!("[[edit]]\n{wrong}")).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
