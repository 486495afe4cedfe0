//! Serializes numbers as their bytes in memory, many times as fast as one by one. For `#[serde(with)]`.

use std::{fmt, marker::PhantomData};

use bytemuck::Pod;
use serde::{Deserializer, Serializer, de::Visitor};

/// Serializes numbers as bytes.
///
/// Errors: those of the serializer.
pub fn serialize<T: Pod, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytemuck::cast_slice(values))
}

/// Deserializes numbers, or what is made of them, from bytes.
///
/// Errors: those of the deserializer, and bytes that are not a whole number of values.
pub fn deserialize<'de, T: Pod, V: From<Vec<T>>, D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error> {
    Ok(deserializer.deserialize_bytes(Bytes(PhantomData::<T>))?.into())
}

struct Bytes<T>(PhantomData<T>);

impl<T: Pod> Visitor<'_> for Bytes<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the bytes of numbers")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
        if bytes.len().is_multiple_of(size_of::<T>()) {
            Ok(bytemuck::pod_collect_to_vec(bytes))
        } else {
            Err(E::invalid_length(bytes.len(), &self))
        }
    }
}
