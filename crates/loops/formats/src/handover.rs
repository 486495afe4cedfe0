//! Serialization of parts of sources for which serde has no form.

#[cfg(feature = "fbx")]
pub(crate) mod shared_bytes {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Bytes;

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        Ok(Bytes::deserialize(deserializer)?.0.into())
    }
}

/// Buffers of a glTF file, each once.
pub(crate) mod buffers {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::Bytes;

    type Buffers = Vec<Option<Arc<Vec<u8>>>>;

    /// Indices of the buffers that follow.
    type Indices = Vec<Option<usize>>;

    pub(crate) fn serialize<S: Serializer>(buffers: &[Option<Arc<Vec<u8>>>], serializer: S) -> Result<S::Ok, S::Error> {
        let mut each: Vec<&Arc<Vec<u8>>> = Vec::new();
        let mut indices = Indices::new();
        for buffer in buffers {
            indices.push(buffer.as_ref().map(|buffer| {
                let known = each.iter().position(|other| Arc::ptr_eq(other, buffer));
                known.unwrap_or_else(|| {
                    each.push(buffer);
                    each.len() - 1
                })
            }));
        }
        let each: Vec<BytesRef<'_>> = each.into_iter().map(|buffer| BytesRef(buffer)).collect();
        (indices, each).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Buffers, D::Error> {
        let (indices, each) = <(Indices, Vec<Bytes>)>::deserialize(deserializer)?;
        let each: Vec<Arc<Vec<u8>>> = each.into_iter().map(|Bytes(bytes)| Arc::new(bytes)).collect();
        Ok(indices
            .into_iter()
            .map(|index| index.and_then(|index| each.get(index).cloned()))
            .collect())
    }

    struct BytesRef<'a>(&'a [u8]);

    impl serde::Serialize for BytesRef<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
}

/// JSON as text, because the types of its values are not known in advance.
pub(crate) mod json {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};
    use serde_json::Value;

    pub(crate) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        value.to_string().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The warning of a new FBX file about left-out contents: one of two, if any.
pub(crate) mod leaves {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::FileWarning;

    #[derive(Serialize, Deserialize)]
    enum Leaves {
        Nothing,
        Rest,
        Meshes,
    }

    pub(crate) fn serialize<S: Serializer>(leaves: &Option<FileWarning>, serializer: S) -> Result<S::Ok, S::Error> {
        let leaves = match leaves {
            None => Leaves::Nothing,
            Some(FileWarning::MeshesLeftOut) => Leaves::Meshes,
            Some(_) => Leaves::Rest,
        };
        leaves.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FileWarning>, D::Error> {
        Ok(match Leaves::deserialize(deserializer)? {
            Leaves::Nothing => None,
            Leaves::Rest => Some(FileWarning::RestNotKept),
            Leaves::Meshes => Some(FileWarning::MeshesLeftOut),
        })
    }
}

/// How a node of an FBX file inherits scales, as a number.
#[cfg(feature = "fbx")]
pub(crate) mod inherit_mode {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use ufbx::InheritMode;

    pub(crate) fn serialize<S: Serializer>(mode: &InheritMode, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(*mode as u32)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<InheritMode, D::Error> {
        let number = u32::deserialize(deserializer)?;
        let all = [
            InheritMode::Normal,
            InheritMode::IgnoreParentScale,
            InheritMode::ComponentwiseScale,
        ];
        Ok(all
            .into_iter()
            .find(|mode| *mode as u32 == number)
            .unwrap_or(InheritMode::Normal))
    }
}

/// Bytes that are read in one piece.
struct Bytes(Vec<u8>);

impl<'de> serde::Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Piece;

        impl serde::de::Visitor<'_> for Piece {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }

        deserializer.deserialize_bytes(Piece)
    }
}
