//! Packets of Open Sound Control 1.0, as far as messages of motion need it.
//!
//! A packet is a message, or a bundle: `#bundle`, eight bytes of a time, and packets with their lengths before them. A message is an
//! address, the types of its values behind a comma, and the values. Texts end with a zero and are filled up to four bytes, numbers have
//! their highest byte first.

use core::str;

/// Deepest nesting of bundles; programs do not nest them.
const MAX_DEPTH: usize = 8;

/// Bytes before the packets of a bundle: its mark and its time.
const BUNDLE: &[u8; 8] = b"#bundle\0";
const TIME_BYTES: usize = 8;

/// Why bytes are not a packet.
#[error_kinds(Copy, Eq)]
pub enum OscError {
    #[error("it ends within a message or a bundle")]
    Short,
    #[error("a part of a bundle is not a whole number of four bytes long")]
    Length,
    #[error("bundles are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("it begins with no address")]
    Address,
    #[error("a text is not UTF-8, or is not filled up with zeros")]
    Text,
    #[error("the types of a message are missing, or one is unknown")]
    Types,
    #[error("bytes are left behind the last value of a message")]
    Rest,
}

/// A value of a message.
#[value(Copy)]
pub(super) enum Value<'a> {
    /// A whole number of 32 bits.
    Int(i32),
    /// A number of 32 or 64 bits.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// A value of another type.
    Other,
}

/// A message: its address and its values.
#[value]
pub(super) struct Message<'a> {
    /// Its address, such as `/VMC/Ext/T`.
    pub address: &'a str,
    /// Its values, in order.
    pub values: Vec<Value<'a>>,
}

/// Parses all messages of a packet, in order. Errors: it is not a packet, and none of its messages can be trusted.
pub(super) fn messages(packet: &[u8]) -> Result<Vec<Message<'_>>, OscError> {
    let mut found = Vec::new();
    read(packet, 0, &mut found)?;
    Ok(found)
}

fn read<'a>(packet: &'a [u8], depth: usize, found: &mut Vec<Message<'a>>) -> Result<(), OscError> {
    let Some(parts) = packet.strip_prefix(BUNDLE) else {
        found.push(message(packet)?);
        return Ok(());
    };
    if depth >= MAX_DEPTH {
        return Err(OscError::TooDeep);
    }
    let mut parts = Bytes(parts);
    parts.take(TIME_BYTES)?;
    while !parts.0.is_empty() {
        let length = u32::from_be_bytes(parts.take_array()?);
        if !length.is_multiple_of(4) {
            return Err(OscError::Length);
        }
        read(
            parts.take(usize::try_from(length).map_err(|_| OscError::Short)?)?,
            depth + 1,
            found,
        )?;
    }
    Ok(())
}

fn message(packet: &[u8]) -> Result<Message<'_>, OscError> {
    let mut bytes = Bytes(packet);
    if packet.first() != Some(&b'/') {
        return Err(OscError::Address);
    }
    let address = bytes.take_text()?;
    let types = bytes.take_text()?.strip_prefix(',').ok_or(OscError::Types)?;
    let mut values = Vec::with_capacity(types.len());
    for kind in types.bytes() {
        values.push(match kind {
            b'i' => Value::Int(i32::from_be_bytes(bytes.take_array()?)),
            b'f' => Value::Float(f32::from_be_bytes(bytes.take_array()?).into()),
            b'd' => Value::Float(f64::from_be_bytes(bytes.take_array()?)),
            b's' | b'S' => Value::Text(bytes.take_text()?),
            b'h' | b't' => bytes.take(8).map(|_| Value::Other)?,
            b'c' | b'r' | b'm' => bytes.take(4).map(|_| Value::Other)?,
            b'b' => {
                let filled = u32::from_be_bytes(bytes.take_array()?)
                    .checked_next_multiple_of(4)
                    .ok_or(OscError::Short)?;
                bytes.take(usize::try_from(filled).map_err(|_| OscError::Short)?)?;
                Value::Other
            }
            b'T' | b'F' | b'N' | b'I' | b'[' | b']' => Value::Other,
            _ => return Err(OscError::Types),
        });
    }
    if bytes.0.is_empty() {
        Ok(Message { address, values })
    } else {
        Err(OscError::Rest)
    }
}

/// Bytes that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], OscError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(OscError::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], OscError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(OscError::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Takes a text up to its zero; it is padded to four bytes.
    fn take_text(&mut self) -> Result<&'a str, OscError> {
        let length = self.0.iter().position(|&byte| byte == 0).ok_or(OscError::Short)?;
        // At least one zero.
        let text = self.take((length / 4 + 1) * 4)?;
        let (text, zeros) = text.split_at(length);
        if zeros.iter().all(|&byte| byte == 0) {
            str::from_utf8(text).map_err(|_| OscError::Text)
        } else {
            Err(OscError::Text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(parts: &[&[u8]]) -> Vec<u8> {
        let mut bytes = [&BUNDLE[..], &[0, 0, 0, 0, 0, 0, 0, 1]].concat();
        for part in parts {
            bytes.extend((part.len() as u32).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }

    /// The examples of the specification of Open Sound Control 1.0: an oscillator, and a message of all usual types.
    #[test]
    fn reads_the_examples_of_the_specification() {
        let oscillator = b"/oscillator/4/frequency\0,f\0\0\x43\xdc\0\0";
        let expected = Message {
            address: "/oscillator/4/frequency",
            values: vec![Value::Float(440.0)],
        };
        assert_eq!(messages(oscillator), Ok(vec![expected.clone()]));
        let foo = b"/foo\0\0\0\0,iisff\0\0\0\0\x03\xe8\xff\xff\xff\xffhello\0\0\0\x3f\x9d\xf3\xb6\x40\xb5\xb2\x2d";
        let read = messages(foo).unwrap().remove(0);
        assert_eq!(read.address, "/foo");
        assert_eq!(
            read.values[..3],
            [Value::Int(1000), Value::Int(-1), Value::Text("hello")]
        );
        assert_eq!(
            read.values[3..],
            [Value::Float(1.234_f32.into()), Value::Float(5.678_f32.into())]
        );
        let nested = bundle(&[oscillator, &bundle(&[oscillator]), &bundle(&[])]);
        assert_eq!(messages(&nested), Ok(vec![expected.clone(), expected]));
        let others = b"/a\0\0,hTb[d]N\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x05abcde\0\0\0\x3f\xf8\0\0\0\0\0\0";
        let values = messages(others).unwrap().remove(0).values;
        assert_eq!((values.len(), values[4]), (7, Value::Float(1.5)));
    }

    #[test]
    fn refuses_what_is_no_packet() {
        let deep = (0..9).fold(b"/a\0\0,\0\0\0".to_vec(), |inner, _| bundle(&[&inner]));
        let odd = [&bundle(&[])[..], &[0, 0, 0, 5], b"/a\0\0,"].concat();
        let long = [&bundle(&[])[..], &[0xFF, 0xFF, 0xFF, 0xFC], b"/a\0\0,\0\0\0"].concat();
        for (packet, error) in [
            (&b""[..], OscError::Address),
            (b"hello\0\0\0,\0\0\0", OscError::Address),
            (b"/a", OscError::Short),
            (b"/a\0\0", OscError::Short),
            (b"/a\0\0f\0\0\0", OscError::Types),
            (b"/a\0\0,q\0\0", OscError::Types),
            (b"/a\0\0,f\0\0\0\0", OscError::Short),
            (b"/a\0\0,b\0\0\xff\xff\xff\xff", OscError::Short),
            (b"/a\0\0,\0\0\0\0\0\0\0", OscError::Rest),
            (b"/\xff\0\0,\0\0\0", OscError::Text),
            (b"/a\0b,\0\0\0", OscError::Text),
            (&deep, OscError::TooDeep),
            (&odd, OscError::Length),
            (&long, OscError::Short),
            (b"#bundle\0\0\0\0", OscError::Short),
        ] {
            assert_eq!(messages(packet), Err(error), "{}", String::from_utf8_lossy(packet));
        }
    }
}
