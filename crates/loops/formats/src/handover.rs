//! Serialization of parts of sources for which serde has no form.

/// Buffers of a glTF file, each once.
pub(crate) mod buffers {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Buffer(#[serde(with = "loopwright_core::plain_bytes")] Arc<Vec<u8>>);

    /// Indices of the buffers that follow.
    type Indices = Vec<Option<usize>>;

    pub(crate) fn serialize<S: Serializer>(buffers: &[Option<Arc<Vec<u8>>>], serializer: S) -> Result<S::Ok, S::Error> {
        let mut each: Vec<Buffer> = Vec::new();
        let mut indices = Indices::new();
        for buffer in buffers {
            indices.push(buffer.as_ref().map(|buffer| {
                each.iter()
                    .position(|other| Arc::ptr_eq(&other.0, buffer))
                    .unwrap_or_else(|| {
                        each.push(Buffer(Arc::clone(buffer)));
                        each.len() - 1
                    })
            }));
        }
        (indices, each).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<Arc<Vec<u8>>>>, D::Error> {
        let (indices, each) = <(Indices, Vec<Buffer>)>::deserialize(deserializer)?;
        let buffer = |index: Option<usize>| Some(Arc::clone(&each.get(index?)?.0));
        Ok(indices.into_iter().map(buffer).collect())
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
        Ok([InheritMode::IgnoreParentScale, InheritMode::ComponentwiseScale]
            .into_iter()
            .find(|mode| *mode as u32 == number)
            .unwrap_or(InheritMode::Normal))
    }
}
