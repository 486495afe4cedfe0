//! Serialization of parts of sources for which serde has no form.

/// Buffers of a glTF file.
pub(crate) mod buffers {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Buffer(#[serde(with = "loopwright_core::plain_bytes")] Arc<Vec<u8>>);

    pub(crate) fn serialize<S: Serializer>(buffers: &[Option<Arc<Vec<u8>>>], serializer: S) -> Result<S::Ok, S::Error> {
        let each = buffers.iter().map(|buffer| buffer.clone().map(Buffer));
        serializer.collect_seq(each)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<Arc<Vec<u8>>>>, D::Error> {
        let each = Vec::<Option<Buffer>>::deserialize(deserializer)?;
        Ok(each.into_iter().map(|buffer| Some(buffer?.0)).collect())
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
