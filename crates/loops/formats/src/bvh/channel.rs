//! The channels of a joint: the effect of a value of a row, and its axis.

use core::fmt;

use crate::space::Axis;

/// The effect of a channel.
#[handed_over]
#[derive(Copy, Eq)]
pub enum ChannelKind {
    /// Replaces a component of the offset, in the file's unit.
    Position,
    /// Rotates about an axis, in degrees.
    Rotation,
    /// Scales along an axis; must be 1 throughout.
    Scale,
}

/// One channel of a joint.
#[handed_over]
#[derive(Copy, Eq)]
pub struct Channel {
    /// Its effect.
    pub kind: ChannelKind,
    /// Its axis.
    pub axis: Axis,
}

/// Most channels of one joint: three kinds along three axes.
pub(crate) const MAX_CHANNELS: usize = 9;

impl Channel {
    /// Creates a position channel.
    pub const fn position(axis: Axis) -> Self {
        Self {
            kind: ChannelKind::Position,
            axis,
        }
    }

    /// Creates a rotation channel.
    pub const fn rotation(axis: Axis) -> Self {
        Self {
            kind: ChannelKind::Rotation,
            axis,
        }
    }

    /// Parses the name of a channel, in any case.
    pub(crate) fn from_word(word: &[u8]) -> Option<Self> {
        let (first, rest) = word.split_first()?;
        let axis = match first.to_ascii_lowercase() {
            b'x' => Axis::X,
            b'y' => Axis::Y,
            b'z' => Axis::Z,
            _ => return None,
        };
        let kinds = [
            (&b"position"[..], ChannelKind::Position),
            (b"rotation", ChannelKind::Rotation),
            (b"scale", ChannelKind::Scale),
        ];
        let (_, kind) = kinds.into_iter().find(|(name, _)| rest.eq_ignore_ascii_case(name))?;
        Some(Self { kind, axis })
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ChannelKind::Position => "position",
            ChannelKind::Rotation => "rotation",
            ChannelKind::Scale => "scale",
        };
        write!(f, "{}{kind}", self.axis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_by_name() {
        for kind in [ChannelKind::Position, ChannelKind::Rotation, ChannelKind::Scale] {
            for axis in Axis::ALL {
                let channel = Channel { kind, axis };
                assert_eq!(Channel::from_word(channel.to_string().as_bytes()), Some(channel));
                assert_eq!(
                    Channel::from_word(channel.to_string().to_uppercase().as_bytes()),
                    Some(channel)
                );
            }
        }
        for word in ["", "X", "Wrotation", "Xrotations", "position"] {
            assert_eq!(Channel::from_word(word.as_bytes()), None, "{word}");
        }
    }
}
