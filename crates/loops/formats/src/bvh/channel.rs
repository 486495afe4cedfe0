//! The channels of a joint: the effect of a value of a row, and its axis.

use core::fmt;

use crate::space::Axis;

/// The effect of a channel.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum ChannelKind {
    /// Replaces a component of the offset, in the file's unit.
    Position,
    /// Rotates about an axis, in degrees.
    Rotation,
    /// Scales along an axis; must be 1 throughout.
    Scale,
}

/// One channel of a joint.
#[handed_over(Copy, Eq)]
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
        let mut all = ChannelKind::ALL
            .into_iter()
            .flat_map(|kind| Axis::ALL.map(|axis| Self { kind, axis }));
        all.find(|channel| channel.to_string().as_bytes().eq_ignore_ascii_case(word))
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.axis, self.kind)
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
