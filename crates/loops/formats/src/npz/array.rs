//! Arrays in NumPy's format: a header in Python syntax, then the elements.

use super::error::NpzError;
use crate::limits::MAX_VALUE;

const START: &[u8] = b"\x93NUMPY";

/// Headers end so that elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Elements of an array: NumPy's letter for their kind, and the bytes of each.
#[value(Copy, Eq)]
pub(crate) struct Element {
    /// f, i, u and b for numbers; U for text in 32-bit characters, S for text in 8-bit characters.
    pub kind: char,
    pub width: usize,
}

impl Element {
    /// Returns the numbers of some elements, lowest byte first; NaN for floats of other widths than 4 and 8.
    pub(crate) fn numbers(self, elements: &[u8]) -> impl Iterator<Item = f64> {
        let Self { kind, width } = self;
        elements.chunks_exact(width).map(move |bytes| {
            let bits = whole(bytes);
            match (kind, width) {
                ('f', 8) => f64::from_bits(bits),
                ('f', 4) => f32::from_bits(bits as u32).into(),
                ('f', _) => f64::NAN,
                ('i', _) => (((bits << (64 - 8 * width)) as i64) >> (64 - 8 * width)) as f64,
                _ => bits as f64,
            }
        })
    }
}

/// Returns a whole number of at most eight bytes, the lowest first.
pub(crate) fn whole(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// An array as read.
#[derive(Debug)]
pub(super) struct Array {
    name: &'static str,
    /// The description of its type by NumPy, such as `<f4`.
    descr: String,
    element: Element,
    pub shape: Vec<usize>,
    elements: Vec<u8>,
}

impl Array {
    /// Reads an array of this name. Errors: it is damaged, or its kind is not supported.
    pub(super) fn read(name: &'static str, mut bytes: Vec<u8>) -> Result<Self, NpzError> {
        let damaged = |detail: &'static str| NpzError::Damaged {
            name: name.to_owned(),
            detail,
        };
        let cut_off = || damaged("its header is cut off");
        if !bytes.starts_with(START) {
            return Err(damaged("it is no array of NumPy"));
        }
        let start: usize = if *bytes.get(6).ok_or_else(cut_off)? == 1 {
            10
        } else {
            12
        };
        let end = start.saturating_add(whole(bytes.get(8..start).ok_or_else(cut_off)?) as usize);
        let header = bytes.get(start..end).ok_or_else(cut_off)?;
        let header = core::str::from_utf8(header).map_err(|_| damaged("its header is no text"))?;
        let value = |key: &str| {
            Some(
                header
                    .split_once(&format!("'{key}'"))?
                    .1
                    .trim_start()
                    .strip_prefix(':')?
                    .trim_start(),
            )
        };
        let no_key = || damaged("its header lacks a key");
        let descr = value("descr").ok_or_else(no_key)?;
        let Some((descr, _)) = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')) else {
            return Err(kind_error(name, "several fields", "numbers or text"));
        };
        if value("fortran_order").ok_or_else(no_key)?.starts_with("True") {
            return Err(NpzError::Order { name: name.to_owned() });
        }
        let shape = value("shape").and_then(|shape| shape.strip_prefix('(')?.split_once(')'));
        let shape = shape.ok_or_else(no_key)?.0.split(',').map(str::trim);
        let shape = shape
            .filter(|size| !size.is_empty())
            .map(str::parse::<usize>)
            .collect::<Result<Vec<_>, _>>();
        let shape = shape.map_err(|_| damaged("its shape is no list of sizes"))?;
        let (descr, element) = (descr.to_owned(), element_of(name, descr)?);
        bytes.drain(..end);
        let stated = shape
            .iter()
            .try_fold(element.width, |bytes, size| bytes.checked_mul(*size));
        if stated != Some(bytes.len()) {
            return Err(damaged("it has other bytes than its shape states"));
        }
        Ok(Self {
            name,
            descr,
            element,
            shape,
            elements: bytes,
        })
    }

    /// Checks the shape; `None` stands for any size. Errors: it differs.
    pub(super) fn check_shape(&self, expected: &[Option<usize>]) -> Result<(), NpzError> {
        let mut sizes = self.shape.iter().zip(expected);
        if self.shape.len() == expected.len() && sizes.all(|(found, size)| size.is_none_or(|size| size == *found)) {
            return Ok(());
        }
        let expected: Vec<String> = expected
            .iter()
            .map(|size| size.map_or("any".to_owned(), |size| size.to_string()))
            .collect();
        Err(NpzError::Shape {
            name: self.name.to_owned(),
            found: self.shape.clone(),
            expected: format!("[{}]", expected.join(", ")),
        })
    }

    /// Returns its elements as numbers. Errors: it holds text, or a number that is not finite or plausible.
    pub(super) fn numbers(&self) -> Result<Vec<f64>, NpzError> {
        let numbers = self.any_numbers()?;
        match numbers
            .iter()
            .position(|number| number.is_nan() || number.abs() > MAX_VALUE)
        {
            None => Ok(numbers),
            Some(element) => Err(NpzError::OutOfRange {
                name: self.name.to_owned(),
                element,
            }),
        }
    }

    /// Returns its elements as numbers of any size. Errors: it holds text.
    pub(super) fn any_numbers(&self) -> Result<Vec<f64>, NpzError> {
        match (self.element.kind, self.element.width) {
            ('f', 4 | 8) | ('i', 1 | 2 | 4 | 8) | ('b', 1) | ('u', 1 | 4) => {
                Ok(self.element.numbers(&self.elements).collect())
            }
            _ => Err(kind_error(self.name, &self.descr, "numbers of 32 or 64 bits")),
        }
    }

    /// Returns its elements as texts. Errors: it holds numbers, or invalid characters.
    pub(super) fn texts(&self) -> Result<Vec<String>, NpzError> {
        let Element { kind, width } = self.element;
        // An array of empty texts has no bytes.
        if width == 0 {
            return Ok(vec![String::new(); self.shape.iter().product::<usize>().min(1)]);
        }
        let texts = self.elements.chunks_exact(width).map(|text| {
            let text = match kind {
                'U' => text
                    .chunks_exact(4)
                    .map(|four| char::from_u32(whole(four) as u32))
                    .collect::<Option<String>>()?,
                'S' => core::str::from_utf8(text).ok()?.to_owned(),
                _ => return None,
            };
            Some(text.trim_end_matches('\0').to_owned())
        });
        let texts: Option<Vec<String>> = texts.collect();
        texts.ok_or_else(|| kind_error(self.name, &self.descr, "text"))
    }
}

fn kind_error(name: &str, found: &str, expected: &'static str) -> NpzError {
    NpzError::Kind {
        name: name.to_owned(),
        found: found.to_owned(),
        expected,
    }
}

/// Reads the kind of elements from their description.
fn element_of(name: &str, descr: &str) -> Result<Element, NpzError> {
    let unknown = || kind_error(name, descr, "numbers or text, lowest byte first");
    let mut letters = descr.chars();
    let (order, kind) = (letters.next(), letters.next());
    if kind == Some('O') {
        return Err(NpzError::Objects { name: name.to_owned() });
    }
    let width: usize = letters.as_str().parse().map_err(|_| unknown())?;
    let (Some('<' | '|'), Some(kind @ ('f' | 'i' | 'u' | 'b' | 'U' | 'S'))) = (order, kind) else {
        return Err(unknown());
    };
    let width = match kind {
        'U' => width.checked_mul(4),
        'S' => Some(width),
        _ => Some(width).filter(|&width| width > 0),
    };
    let width = width.ok_or_else(unknown)?;
    Ok(Element { kind, width })
}

/// Writes an array.
fn written(descr: &str, shape: &[usize], elements: impl Iterator<Item = u8>) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = match &sizes[..] {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + header.len() + 1).next_multiple_of(ALIGNMENT);
    header += &" ".repeat(length - 11 - header.len());
    header.push('\n');
    let mut bytes = START.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend(elements);
    bytes
}

/// Writes single-precision numbers.
pub(super) fn singles(shape: &[usize], numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    written("<f4", shape, numbers.flat_map(|number| (number as f32).to_le_bytes()))
}

pub(super) fn doubles(shape: &[usize], numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    written("<f8", shape, numbers.flat_map(f64::to_le_bytes))
}

pub(super) fn ints(shape: &[usize], numbers: impl Iterator<Item = i32>) -> Vec<u8> {
    written("<i4", shape, numbers.flat_map(i32::to_le_bytes))
}

pub(super) fn bools(shape: &[usize], values: impl Iterator<Item = bool>) -> Vec<u8> {
    written("|b1", shape, values.map(u8::from))
}

/// Writes texts, each with room for the longest.
pub(super) fn texts(shape: &[usize], texts: &[&str]) -> Vec<u8> {
    // NumPy has no texts of length zero.
    let most = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let letters = texts
        .iter()
        .flat_map(|text| text.chars().map(u32::from).chain(core::iter::repeat(0)).take(most));
    written(&format!("<U{most}"), shape, letters.flat_map(u32::to_le_bytes))
}
