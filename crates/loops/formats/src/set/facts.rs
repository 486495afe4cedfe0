//! Facts shared by manifests and the JSON beside passages: the purpose of a clip, its root, its ends, and its foot events.

use glam::{DQuat, DVec3, DVec4};
use loopwright_core::{analysis::FootEventKind, math::Rigid};

/// What a clip is for.
#[in_words("_")]
#[in_schema(read)]
#[derive(Copy, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ClipKind {
    /// It repeats.
    #[default]
    Loop,
    /// From standing to a gait.
    Start,
    /// From a gait to standing.
    Stop,
    /// A turn between standing and standing.
    TurnInPlace,
    /// A turn between a gait and a gait.
    Turn,
    /// Both feet leave the ground, once.
    Jump,
    /// From any loop to any other.
    Transition,
    /// An action: a blow, a shot, a bite, a spell.
    Attack,
    /// An action: it is hit.
    Hit,
    /// An action: it dies.
    Death,
    /// An action: it waves, nods, cheers.
    Gesture,
    /// Another action.
    Action,
    /// A kind that this version does not know: it happens once.
    #[serde(other)]
    #[schemars(skip)]
    Other,
}

/// A moment of a loop.
#[in_schema(read)]
pub struct LoopStateFacts {
    // The JSON beside a passage calls it `loop`.
    /// The name of the loop.
    #[serde(alias = "loop")]
    pub clip: String,
    /// Seconds since its start.
    pub secs: f64,
}

// The JSON beside a passage calls the keys `translation_m` and `rotation_xyzw`.
/// The root over time, seen from its first key.
#[in_schema(read)]
pub struct RootKeys {
    /// Seconds since the first key.
    #[serde(default)]
    pub secs: Vec<f64>,
    /// Places in metres, three numbers a key.
    #[serde(rename = "translation", alias = "translation_m")]
    pub metres: Vec<f64>,
    /// Rotations as quaternions, four numbers a key: x, y, z, w.
    #[serde(rename = "rotation", alias = "rotation_xyzw")]
    pub xyzw: Vec<f64>,
}

impl RootKeys {
    /// Creates keys of transforms at equal steps in seconds.
    pub fn new(step_secs: f64, roots: &[Rigid]) -> Self {
        let metres = roots.iter().flat_map(|root| root.translation.to_array());
        let xyzw = roots.iter().flat_map(|root| root.rotation.to_array());
        // Zeros have no sign.
        Self {
            secs: (0..roots.len()).map(|key| key as f64 * step_secs).collect(),
            metres: metres.map(|value| value + 0.0).collect(),
            xyzw: xyzw.map(|value| value + 0.0).collect(),
        }
    }

    /// Whether there are three and four numbers for each of `count` keys.
    pub fn are_for(&self, count: usize) -> bool {
        let (places, no_place) = self.metres.as_chunks::<3>();
        let (rotations, no_rotation) = self.xyzw.as_chunks::<4>();
        places.len() == count && rotations.len() == count && no_place.is_empty() && no_rotation.is_empty()
    }

    /// Returns the transforms; an invalid rotation in an edited file, such as zeros, becomes `unsound`.
    pub fn transforms(&self, unsound: DQuat) -> Vec<Rigid> {
        self.metres
            .as_chunks()
            .0
            .iter()
            .zip(self.xyzw.as_chunks().0)
            .map(|(&metres, &xyzw)| {
                let unit = DVec4::from_array(xyzw).try_normalize();
                Rigid::new(unit.map_or(unsound, DQuat::from_vec4), DVec3::from_array(metres))
            })
            .collect()
    }
}

/// A foot that touches down or lifts.
#[in_schema(read)]
pub struct FootEventFacts {
    /// Seconds since the start of the clip.
    pub secs: f64,
    /// The phase of a loop then, 0 to 1.
    #[absent]
    pub phase: Option<f64>,
    /// left, right, or the joint where no side is known.
    pub foot: String,
    /// The kind of event.
    #[word(FootEventKind)]
    pub kind: FootEventKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_as_their_words_and_unknown_ones_are_other() {
        for kind in ClipKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        let read = |word: &str| serde_json::from_value::<ClipKind>(word.into()).unwrap();
        assert_eq!(read("turn_in_place"), ClipKind::TurnInPlace);
        assert_eq!(read("somersault"), ClipKind::Other);
    }

    #[test]
    fn root_keys_come_back_and_what_is_no_rotation_is_as_asked_for() {
        let roots = [
            Rigid::IDENTITY,
            Rigid::from_yaw(0.5, DVec3::new(0.25, 0.0, 1.0)),
            Rigid::from_yaw(-2.0, DVec3::new(-0.0, 0.5, 3.0)),
        ];
        let mut keys = RootKeys::new(0.25, &roots);
        assert_eq!(keys.secs, [0.0, 0.25, 0.5]);
        assert!(keys.are_for(3) && !keys.are_for(2));
        for (read, root) in keys.transforms(DQuat::NAN).iter().zip(roots) {
            assert_eq!(read.translation, root.translation);
            assert!(read.rotation.angle_between(root.rotation) < 1e-7);
        }
        keys.xyzw[4..8].fill(0.0);
        assert_eq!(keys.transforms(DQuat::IDENTITY)[1].rotation, DQuat::IDENTITY);
        assert!(keys.transforms(DQuat::NAN)[1].rotation.is_nan());
        keys.xyzw.pop();
        assert!(!keys.are_for(3));
    }
}
