//! Visits every number of facts through their serialization, so that none is forgotten.

use core::ops::RangeInclusive;
use std::fmt;

use serde::ser::{self, Serialize, Serializer};

/// Checks every number of facts. Errors: the first one that is not finite, or beyond `most`, with the path of its key.
pub(crate) fn check_numbers(facts: &impl Serialize, most: f64) -> Result<(), WildNumber> {
    facts.serialize(&mut Walk { path: Vec::new(), most })
}

/// Checks that numbers are within a range. Errors: the first one out of it, with the path of its key.
pub(crate) fn in_range(
    path: &str,
    numbers: impl IntoIterator<Item = f64>,
    range: RangeInclusive<f64>,
) -> Result<(), WildNumber> {
    match numbers.into_iter().find(|number| !range.contains(number)) {
        None => Ok(()),
        Some(found) => Err(WildNumber {
            path: path.to_owned(),
            found,
        }),
    }
}

/// A number that is not finite, or beyond any plausible size.
#[value(thiserror::Error)]
#[error("{path} is out of range: {found}")]
pub struct WildNumber {
    /// The keys that lead to it, with points between them.
    pub path: String,
    /// The number.
    pub found: f64,
}

impl ser::Error for WildNumber {
    /// Facts of numbers, texts, lists and keys have no error of their own.
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            path: message.to_string(),
            found: f64::NAN,
        }
    }
}

/// A serializer that writes nothing and checks numbers.
struct Walk {
    path: Vec<&'static str>,
    most: f64,
}

type Walked = Result<(), WildNumber>;

impl Walk {
    /// Visits a value below these keys, one or none.
    fn enter(&mut self, keys: &[&'static str], value: &(impl Serialize + ?Sized)) -> Walked {
        self.path.extend(keys);
        value.serialize(&mut *self)?;
        self.path.truncate(self.path.len() - keys.len());
        Ok(())
    }
}

/// Implements values that contain no floating-point number.
macro_rules! passes {
    ($($name:ident($($Type:ty),*)),+ $(,)?) => {$(
        fn $name(self, $(_: $Type),*) -> Walked {
            Ok(())
        }
    )+};
}

/// Implements values with others inside, which are visited one by one.
macro_rules! opens {
    ($($name:ident($($Type:ty),*)),+ $(,)?) => {$(
        fn $name(self, $(_: $Type),*) -> Result<Self, WildNumber> {
            Ok(self)
        }
    )+};
}

impl Serializer for &mut Walk {
    type Ok = ();
    type Error = WildNumber;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    passes! {
        serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_u8(u8),
        serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_none(), serialize_unit(), serialize_unit_struct(&'static str), serialize_unit_variant(&'static str, u32, &'static str),
    }

    opens! {
        serialize_seq(Option<usize>), serialize_tuple(usize), serialize_tuple_struct(&'static str, usize),
        serialize_tuple_variant(&'static str, u32, &'static str, usize), serialize_map(Option<usize>),
        serialize_struct(&'static str, usize), serialize_struct_variant(&'static str, u32, &'static str, usize),
    }

    fn serialize_f32(self, value: f32) -> Walked {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Walked {
        if value.abs() <= self.most {
            return Ok(());
        }
        Err(WildNumber {
            path: self.path.join("."),
            found: value,
        })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Walked {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Walked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        key: &'static str,
        value: &T,
    ) -> Walked {
        self.enter(&[key], value)
    }
}

/// Implements lists of values, and of values with keys.
macro_rules! lists {
    ($($Trait:ident: $name:ident($($key:ident)?)),+ $(,)?) => {$(
        impl ser::$Trait for &mut Walk {
            type Ok = ();
            type Error = WildNumber;

            fn $name<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Walked {
                self.enter(&[$($key)?], value)
            }

            fn end(self) -> Walked {
                Ok(())
            }
        }
    )+};
}

lists! {
    SerializeSeq: serialize_element(),
    SerializeTuple: serialize_element(),
    SerializeTupleStruct: serialize_field(),
    SerializeTupleVariant: serialize_field(),
    SerializeStruct: serialize_field(key),
    SerializeStructVariant: serialize_field(key),
}

impl ser::SerializeMap for &mut Walk {
    type Ok = ();
    type Error = WildNumber;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Walked {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Walked {
        value.serialize(&mut **self)
    }

    fn end(self) -> Walked {
        Ok(())
    }
}
