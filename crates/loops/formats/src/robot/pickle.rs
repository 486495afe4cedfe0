//! Motion of GMR: a pickle of a dict of arrays, read as data. No code of it runs, and nothing is imported.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use loopwright_core::math::Rigid;

use super::{
    error::RobotMotionError,
    motion::{RobotMotion, Written},
    rows::Robot,
    source::Layout,
};
use crate::{
    excerpt::one_line,
    limits::SizeLimits,
    npz::array::{Element, whole},
};

/// Memory of a value, bytes, rounded up.
const VALUE_BYTES: u64 = 160;

/// A value: containers refer to others by number, so that none is copied and each may be shared.
enum Value {
    Mark,
    /// Anything that neither makes nor describes data of interest.
    Other,
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<usize>),
    Dict(Vec<(usize, usize)>),
    /// A function or a type, by its name in [`KNOWN`].
    Known(&'static str),
    /// The type of elements, and whether it is big-endian.
    Kind(Element, bool),
    /// An array: its shape, its kind, and its elements.
    Array(Vec<usize>, Element, Vec<u8>),
}

/// Functions and types that make or describe arrays, each behind its module.
const KNOWN: [(&str, &str); 6] = [
    ("numpy.multiarray", "_reconstruct"),
    ("numpy.multiarray", "scalar"),
    ("numpy.numeric", "_frombuffer"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
];

fn known(module: &str, name: &str) -> Result<Value> {
    let plain = module.replace("._core", "").replace(".core", "");
    match KNOWN.into_iter().find(|known| *known == (&*plain, name)) {
        Some((_, known)) => Ok(Value::Known(known)),
        None => Err(refused(format!("it calls {}.{}", one_line(module), one_line(name)))),
    }
}

type Result<T, E = RobotMotionError> = core::result::Result<T, E>;

fn damaged(detail: &'static str) -> RobotMotionError {
    RobotMotionError::Pickle { detail }
}

fn refused(detail: impl Into<String>) -> RobotMotionError {
    RobotMotionError::Unsafe { detail: detail.into() }
}

/// Returns how many bytes the number after an operation has.
fn width_of(code: u8) -> usize {
    match code {
        b'K' | b'C' | b'q' | b'h' | 0x80 | 0x8A | 0x8C => 1,
        b'M' => 2,
        b'J' | b'X' | b'B' | b'r' | b'j' => 4,
        _ => 8,
    }
}

/// The machine that a pickle is a program of, as far as data need it.
struct Machine<'a> {
    /// What is left to run.
    bytes: &'a [u8],
    values: Vec<Value>,
    stack: Vec<usize>,
    memo: BTreeMap<usize, usize>,
    limits: &'a SizeLimits,
}

impl<'a> Machine<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, left) = self
            .bytes
            .split_at_checked(count)
            .ok_or_else(|| damaged("it is cut off"))?;
        self.bytes = left;
        Ok(taken)
    }

    /// Reads a little-endian whole number.
    fn whole(&mut self, width: usize) -> Result<usize> {
        usize::try_from(whole(self.take(width)?)).map_err(|_| damaged("a size is out of range"))
    }

    /// Takes bytes with their number before them, which has this width.
    fn counted(&mut self, width: usize) -> Result<&'a [u8]> {
        let length = self.whole(width)?;
        self.take(length)
    }

    fn line(&mut self) -> Result<String> {
        let length = self.bytes.iter().position(|byte| *byte == b'\n');
        let line = self.take(length.ok_or_else(|| damaged("it is cut off"))?)?;
        self.take(1)?;
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    fn push(&mut self, value: Value) -> Result<()> {
        let room = (self.values.len() as u64).saturating_mul(VALUE_BYTES);
        self.limits
            .check_room(room)
            .map_err(|_| damaged("it holds too many values"))?;
        self.values.push(value);
        self.stack.push(self.values.len() - 1);
        Ok(())
    }

    fn pop(&mut self) -> Result<usize> {
        self.stack.pop().ok_or_else(|| damaged("a value is missing"))
    }

    fn top(&self) -> Result<usize> {
        self.stack.last().copied().ok_or_else(|| damaged("a value is missing"))
    }

    /// Takes the values after the last mark.
    fn since_mark(&mut self) -> Result<Vec<usize>> {
        let at = self
            .stack
            .iter()
            .rposition(|index| matches!(self.values[*index], Value::Mark));
        let values = self
            .stack
            .split_off(at.ok_or_else(|| damaged("a mark is missing"))? + 1);
        self.stack.pop();
        Ok(values)
    }

    /// Takes the last values, in their order.
    fn last(&mut self, count: usize) -> Result<Vec<usize>> {
        let at = self.stack.len().checked_sub(count);
        Ok(self.stack.split_off(at.ok_or_else(|| damaged("a value is missing"))?))
    }

    /// Runs the program; returns the value that is left.
    fn run(&mut self) -> Result<usize> {
        loop {
            let code = self.take(1)?[0];
            let width = width_of(code);
            let value = match code {
                b'.' => return self.pop(),
                b'(' => Value::Mark,
                b'}' => Value::Dict(Vec::new()),
                b']' | b')' => Value::List(Vec::new()),
                b't' => Value::List(self.since_mark()?),
                0x85..=0x87 => Value::List(self.last(usize::from(code - 0x84))?),
                b'X' | 0x8C | 0x8D => Value::Text(String::from_utf8_lossy(self.counted(width)?).into_owned()),
                b'C' | b'B' | 0x8E | 0x96 => Value::Bytes(self.counted(width)?.to_vec()),
                b'K' | b'M' => Value::Number(self.whole(width)? as f64),
                b'J' => Value::Number((self.whole(width)? as u32 as i32).into()),
                0x8A => {
                    let bytes = self.counted(width)?;
                    let is_negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                    let highest = if is_negative { -1.0 } else { 0.0 };
                    let lower = bytes.iter().rev();
                    Value::Number(lower.fold(highest, |number, byte| 256.0 * number + f64::from(*byte)))
                }
                b'G' => Value::Number(f64::from_be_bytes(self.take(width)?.try_into().unwrap_or_default())),
                b'N' => Value::Other,
                0x88 | 0x89 => Value::Number(f64::from(0x89 - code)),
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    known(&module, &name)?
                }
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    let (Value::Text(module), Value::Text(name)) = (&self.values[module], &self.values[name]) else {
                        return Err(damaged("a name is no text"));
                    };
                    known(module, name)?
                }
                b'R' => {
                    let (arguments, function) = (self.pop()?, self.pop()?);
                    self.called(function, arguments)?
                }
                // The others push no new value.
                0x80 | 0x95 => {
                    self.take(width)?;
                    continue;
                }
                b'a' | b'e' | b's' | b'u' => {
                    let added = match code {
                        b'a' => self.last(1)?,
                        b's' => self.last(2)?,
                        _ => self.since_mark()?,
                    };
                    let top = self.top()?;
                    match (&mut self.values[top], code) {
                        (Value::List(items), b'a' | b'e') => items.extend(added),
                        (Value::Dict(items), b's' | b'u') => {
                            items.extend(added.chunks_exact(2).map(|pair| (pair[0], pair[1])));
                        }
                        (_, b'a' | b'e') => return Err(damaged("something is no list")),
                        _ => return Err(damaged("something is no dict")),
                    }
                    continue;
                }
                b'q' | b'r' | 0x94 => {
                    let place = if code == 0x94 {
                        self.memo.len()
                    } else {
                        self.whole(width)?
                    };
                    let top = self.top()?;
                    self.memo.insert(place, top);
                    continue;
                }
                b'h' | b'j' => {
                    let place = self.whole(width)?;
                    let value = self.memo.get(&place).ok_or_else(|| damaged("a place is empty"))?;
                    self.stack.push(*value);
                    continue;
                }
                b'b' => {
                    let (state, value) = (self.pop()?, self.top()?);
                    self.values[value] = self.restored(value, state)?;
                    continue;
                }
                _ => return Err(refused(format!("it uses the operation {code:#04x}"))),
            };
            self.push(value)?;
        }
    }

    fn items(&self, value: usize) -> &[usize] {
        match &self.values[value] {
            Value::List(items) => items,
            _ => &[],
        }
    }

    fn number(&self, value: Option<&usize>) -> Option<f64> {
        match self.values.get(*value?)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn sizes(&self, value: usize) -> Vec<usize> {
        self.items(value)
            .iter()
            .filter_map(|item| self.number(Some(item)))
            .map(|number| number as usize)
            .collect()
    }

    /// Returns a value of a list.
    fn item(&self, list: usize, number: usize) -> Result<usize> {
        self.items(list)
            .get(number)
            .copied()
            .ok_or_else(|| damaged("a list is too short"))
    }

    fn array(&self, sizes: Vec<usize>, kind: usize, bytes: usize) -> Result<Value> {
        let Value::Kind(element, is_big) = self.values[kind] else {
            return Err(refused("an array of other elements than numbers"));
        };
        let Element { kind, width } = element;
        if is_big || !matches!(kind, 'f' | 'i' | 'u' | 'b') || !matches!(width, 1 | 2 | 4 | 8) {
            return Err(refused("an array of other elements than numbers, lowest byte first"));
        }
        let Value::Bytes(elements) = &self.values[bytes] else {
            return Err(damaged("the elements of an array are no bytes"));
        };
        let count = sizes.iter().try_fold(width, |count, size| count.checked_mul(*size));
        if count != Some(elements.len()) {
            return Err(damaged("an array has other bytes than its shape says"));
        }
        let room = (self.values.len() as u64).saturating_mul(elements.len() as u64);
        self.limits
            .check_room(room)
            .map_err(|_| damaged("it holds too many arrays"))?;
        Ok(Value::Array(sizes, element, elements.clone()))
    }

    /// Returns the result of calling a known function.
    fn called(&self, function: usize, arguments: usize) -> Result<Value> {
        let Value::Known(function) = self.values[function] else {
            return Err(refused("it calls something unknown"));
        };
        let argument = |number: usize| self.item(arguments, number);
        match function {
            "_reconstruct" => Ok(Value::Known("ndarray")),
            "dtype" => {
                let Value::Text(kind) = &self.values[argument(0)?] else {
                    return Err(refused("an array of other elements than numbers"));
                };
                let mut letters = kind.trim_start_matches(['<', '|']).chars();
                let element = Element {
                    kind: letters.next().unwrap_or_default(),
                    width: letters.as_str().parse().unwrap_or(0),
                };
                Ok(Value::Kind(element, kind.starts_with('>')))
            }
            "encode" => match (&self.values[argument(0)?], &self.values[argument(1)?]) {
                (Value::Text(text), Value::Text(code)) if code == "latin1" => {
                    let letters: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
                    Ok(Value::Bytes(letters.ok_or_else(|| damaged("bytes are out of range"))?))
                }
                _ => Err(refused("it encodes text")),
            },
            "scalar" => match self.array(vec![1], argument(0)?, argument(1)?)? {
                Value::Array(_, element, bytes) => {
                    Ok(Value::Number(element.numbers(&bytes).next().unwrap_or_default()))
                }
                other => Ok(other),
            },
            "_frombuffer" => self.array(self.sizes(argument(2)?), argument(1)?, argument(0)?),
            "ndarray" => self.array(self.sizes(argument(0)?), argument(1)?, argument(2)?),
            _ => Err(refused("it calls something unknown")),
        }
    }

    /// Returns a value with its state.
    fn restored(&self, value: usize, state: usize) -> Result<Value> {
        match self.values[value] {
            Value::Kind(element, _) => match &self.values[self.item(state, 1)?] {
                Value::Text(order) => Ok(Value::Kind(element, order == ">")),
                _ => Err(refused("an array of other elements than numbers")),
            },
            Value::Known("ndarray") => {
                let order = self.number(self.items(state).get(3));
                if order.is_some_and(|is_fortran| is_fortran != 0.0) {
                    return Err(refused("an array in the order of Fortran"));
                }
                let item = |number: usize| self.item(state, number);
                self.array(self.sizes(item(1)?), item(2)?, item(4)?)
            }
            _ => Err(refused("it sets the state of something unknown")),
        }
    }

    /// Returns the numbers of an array, or of lists of lists, under a key, and the number of them per row.
    fn of_key(&self, dict: usize, key: &'static str) -> Result<(Vec<f64>, usize)> {
        let missing = || RobotMotionError::NoKey { key };
        let Value::Dict(items) = &self.values[dict] else {
            return Err(missing());
        };
        let (_, value) = items
            .iter()
            .find(|(at, _)| matches!(&self.values[*at], Value::Text(text) if text == key))
            .ok_or_else(missing)?;
        match &self.values[*value] {
            Value::Number(number) => Ok((vec![*number], 1)),
            Value::Array(sizes, element, bytes) => {
                Ok((element.numbers(bytes).collect(), sizes.get(1).copied().unwrap_or(1)))
            }
            Value::List(rows) => {
                let width = rows.first().map_or(1, |row| self.items(*row).len());
                let numbers: Option<Vec<f64>> = rows
                    .iter()
                    .flat_map(|row| self.items(*row))
                    .map(|cell| self.number(Some(cell)))
                    .collect();
                Ok((numbers.ok_or_else(missing)?, width))
            }
            _ => Err(missing()),
        }
    }
}

/// Reads a motion. Errors: [`RobotMotionError`]; no code of the file runs.
pub(super) fn read(bytes: &[u8], (_, hinges): Robot, limits: &SizeLimits) -> Result<(RobotMotion, Layout)> {
    let mut machine = Machine {
        bytes,
        values: Vec::new(),
        stack: Vec::new(),
        memo: BTreeMap::new(),
        limits,
    };
    let dict = machine.run()?;
    let (fps, _) = machine.of_key(dict, "fps")?;
    let (places, three) = machine.of_key(dict, "root_pos")?;
    let (quats, four) = machine.of_key(dict, "root_rot")?;
    let (angles, width) = machine.of_key(dict, "dof_pos")?;
    for (found, expected) in [(three, 3), (four, 4), (width, hinges.each().count())] {
        if found != expected {
            return Err(RobotMotionError::Columns {
                row: 0,
                found,
                expected: expected.to_string(),
            });
        }
    }
    let mut motion = RobotMotion::new(fps.first().copied().unwrap_or_default());
    for ((place, quat), angles) in places
        .chunks_exact(3)
        .zip(quats.chunks_exact(4))
        .zip(angles.chunks_exact(width.max(1)))
    {
        motion.push(
            DVec3::from_slice(place),
            DQuat::from_slice(quat),
            angles.iter().copied(),
        )?;
    }
    Ok((motion, Layout::Gmr))
}

/// Writes a motion, using only numbers and arrays of NumPy.
pub(super) fn write(written: &Written<'_, '_>, step_secs: f64) -> Vec<u8> {
    let (mut places, mut quats, mut angles, mut rows) = (Vec::new(), Vec::new(), Vec::new(), 0_u32);
    for keys in written.keys() {
        let base = keys.moving(0, Rigid::IDENTITY).at;
        places.extend(base.translation.to_array());
        quats.extend(base.rotation.to_array());
        angles.extend(&keys.own.angles);
        rows += 1;
    }
    let mut bytes = vec![0x80, 4, b'}', b'('];
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.push(b'X');
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    text(&mut bytes, "fps");
    bytes.push(b'G');
    bytes.extend((1.0 / step_secs).to_be_bytes());
    for (name, numbers) in [("root_pos", places), ("root_rot", quats), ("dof_pos", angles)] {
        text(&mut bytes, name);
        bytes.extend(b"cnumpy\nndarray\n(");
        for size in [rows, numbers.len() as u32 / rows.max(1)] {
            bytes.push(b'J');
            bytes.extend(size.to_le_bytes());
        }
        bytes.extend(b"\x86cnumpy\ndtype\n");
        text(&mut bytes, "<f8");
        bytes.extend(b"\x85RB");
        bytes.extend((8 * numbers.len() as u32).to_le_bytes());
        bytes.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
        bytes.extend(b"tR");
    }
    for name in ["local_body_pos", "link_body_list"] {
        text(&mut bytes, name);
        bytes.push(b'N');
    }
    bytes.extend(b"u.");
    bytes
}
