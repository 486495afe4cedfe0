//! Motion of GMR: a pickle of a dict of arrays, read as data. No code of it runs, and nothing is imported.

use glam::{DQuat, DVec3};
use loopwright_core::motion::Hinges;

use super::error::RobotMotionError;
use super::motion::{RobotMotion, Written};
use crate::excerpt::one_line;
use crate::limits::SizeLimits;
use loopwright_core::math::Rigid;

/// Memory of a value, bytes, rounded up.
const VALUE_BYTES: u64 = 160;

/// A value: containers refer to others by number, so that none is copied and each may be shared.
#[derive(Clone, Debug)]
enum Value {
    Mark,
    /// Anything that neither makes nor describes data of interest.
    Other,
    Number(f64),
    Text(String),
    /// Bytes of the file, from the first to the last.
    Bytes(usize, usize),
    /// The bytes that a text of one byte per letter encodes.
    Letters(Vec<u8>),
    List(Vec<usize>),
    Dict(Vec<(usize, usize)>),
    /// A function or a type, by its name.
    Known(&'static str),
    /// The type of elements: its kind and width, such as `f8`, and whether it is big-endian.
    Kind(String, bool),
    /// An array: its shape, its kind, and its elements.
    Array(Vec<usize>, String, Vec<u8>),
}

const DTYPE: &str = "dtype";
const NDARRAY: &str = "ndarray";
const RECONSTRUCT: &str = "_reconstruct";
const SCALAR: &str = "scalar";
const FROM_BUFFER: &str = "_frombuffer";
const ENCODE: &str = "encode";

fn known(module: &str, name: &str) -> Option<&'static str> {
    let numpy = module
        .strip_prefix("numpy")
        .map(|rest| rest.trim_start_matches("._core").trim_start_matches(".core"));
    match (numpy, name) {
        (Some(".multiarray"), "_reconstruct") => Some(RECONSTRUCT),
        (Some(".multiarray"), "scalar") => Some(SCALAR),
        (Some(".numeric"), "_frombuffer") => Some(FROM_BUFFER),
        (Some(""), "ndarray") => Some(NDARRAY),
        (Some(""), "dtype") => Some(DTYPE),
        _ if (module, name) == ("_codecs", "encode") => Some(ENCODE),
        _ => None,
    }
}

type Result<T, E = RobotMotionError> = core::result::Result<T, E>;

fn damaged(detail: &'static str) -> RobotMotionError {
    RobotMotionError::Pickle { detail }
}

fn refused(detail: impl Into<String>) -> RobotMotionError {
    RobotMotionError::Unsafe { detail: detail.into() }
}

/// The machine that a pickle is a program of, as far as data need it.
struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<Value>,
    stack: Vec<usize>,
    memo: Vec<Option<usize>>,
    limits: &'a SizeLimits,
}

impl Machine<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8]> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| damaged("it is cut off"))?;
        let start = core::mem::replace(&mut self.at, end);
        Ok(&self.bytes[start..end])
    }

    /// Reads a little-endian whole number.
    fn whole(&mut self, width: usize) -> Result<usize> {
        let bytes = self.take(width)?;
        let number = bytes
            .iter()
            .rev()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        usize::try_from(number).map_err(|_| damaged("a size is out of range"))
    }

    fn line(&mut self) -> Result<String> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(|| damaged("it is cut off"))?;
        let line = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.at += length + 1;
        Ok(line)
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

    /// Takes the values after the last mark.
    fn since_mark(&mut self) -> Result<Vec<usize>> {
        let is_mark = |index: &usize| matches!(self.values[*index], Value::Mark);
        let at = self
            .stack
            .iter()
            .rposition(is_mark)
            .ok_or_else(|| damaged("a mark is missing"))?;
        let values = self.stack.split_off(at + 1);
        self.stack.pop();
        Ok(values)
    }

    fn text(&mut self, width: usize) -> Result<()> {
        let length = self.whole(width)?;
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.push(Value::Text(text))
    }

    fn data(&mut self, width: usize) -> Result<()> {
        let length = self.whole(width)?;
        let start = self.at;
        self.take(length)?;
        self.push(Value::Bytes(start, start + length))
    }

    fn tuple(&mut self, count: usize) -> Result<()> {
        let at = self
            .stack
            .len()
            .checked_sub(count)
            .ok_or_else(|| damaged("a value is missing"))?;
        let values = self.stack.split_off(at);
        self.push(Value::List(values))
    }

    fn append(&mut self, added: Vec<usize>) -> Result<()> {
        let list = *self.stack.last().ok_or_else(|| damaged("a list is missing"))?;
        match &mut self.values[list] {
            Value::List(items) => items.extend(added),
            _ => return Err(damaged("something is no list")),
        }
        Ok(())
    }

    fn set(&mut self, added: &[usize]) -> Result<()> {
        let dict = *self.stack.last().ok_or_else(|| damaged("a dict is missing"))?;
        match &mut self.values[dict] {
            Value::Dict(items) => items.extend(added.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            _ => return Err(damaged("something is no dict")),
        }
        Ok(())
    }

    fn named(&mut self, module: &str, name: &str) -> Result<()> {
        match known(module, name) {
            Some(known) => self.push(Value::Known(known)),
            None => Err(refused(format!("it calls {}.{}", one_line(module), one_line(name)))),
        }
    }

    fn memoize(&mut self, place: usize) -> Result<()> {
        let top = *self.stack.last().ok_or_else(|| damaged("a value is missing"))?;
        if place > self.bytes.len() {
            return Err(damaged("a place is out of range"));
        }
        if self.memo.len() <= place {
            self.memo.resize(place + 1, None);
        }
        self.memo[place] = Some(top);
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Result<()> {
        let value = self
            .memo
            .get(place)
            .copied()
            .flatten()
            .ok_or_else(|| damaged("a place is empty"))?;
        self.stack.push(value);
        Ok(())
    }

    /// Runs the program; returns the value that is left.
    fn run(&mut self) -> Result<usize> {
        loop {
            match self.take(1)?[0] {
                0x80 => self.take(1).map(|_| ())?,
                0x95 => self.take(8).map(|_| ())?,
                b'.' => return self.pop(),
                b'(' => self.push(Value::Mark)?,
                b'}' => self.push(Value::Dict(Vec::new()))?,
                b']' | b')' => self.push(Value::List(Vec::new()))?,
                b't' => {
                    let values = self.since_mark()?;
                    self.push(Value::List(values))?;
                }
                0x85 => self.tuple(1)?,
                0x86 => self.tuple(2)?,
                0x87 => self.tuple(3)?,
                b'a' => {
                    let value = self.pop()?;
                    self.append(vec![value])?;
                }
                b'e' => {
                    let values = self.since_mark()?;
                    self.append(values)?;
                }
                b's' => {
                    let value = self.pop()?;
                    let key = self.pop()?;
                    self.set(&[key, value])?;
                }
                b'u' => {
                    let values = self.since_mark()?;
                    self.set(&values)?;
                }
                0x8C => self.text(1)?,
                b'X' => self.text(4)?,
                0x8D => self.text(8)?,
                b'C' => self.data(1)?,
                b'B' => self.data(4)?,
                0x8E | 0x96 => self.data(8)?,
                b'K' => {
                    let number = self.whole(1)?;
                    self.push(Value::Number(number as f64))?;
                }
                b'M' => {
                    let number = self.whole(2)?;
                    self.push(Value::Number(number as f64))?;
                }
                b'J' => {
                    let number = self.whole(4)? as u32 as i32;
                    self.push(Value::Number(number.into()))?;
                }
                0x8A => {
                    let length = self.whole(1)?;
                    let bytes = self.take(length)?;
                    let number = bytes
                        .iter()
                        .rev()
                        .fold(0.0, |number, byte| 256.0 * number + f64::from(*byte));
                    let is_negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                    let over = if is_negative { 256_f64.powi(length as i32) } else { 0.0 };
                    self.push(Value::Number(number - over))?;
                }
                b'G' => {
                    let bytes = self.take(8)?.try_into().unwrap_or_default();
                    self.push(Value::Number(f64::from_be_bytes(bytes)))?;
                }
                b'N' => self.push(Value::Other)?,
                0x88 => self.push(Value::Number(1.0))?,
                0x89 => self.push(Value::Number(0.0))?,
                b'q' => {
                    let place = self.whole(1)?;
                    self.memoize(place)?;
                }
                b'r' => {
                    let place = self.whole(4)?;
                    self.memoize(place)?;
                }
                0x94 => {
                    let place = self.memo.len();
                    self.memoize(place)?;
                }
                b'h' => {
                    let place = self.whole(1)?;
                    self.recall(place)?;
                }
                b'j' => {
                    let place = self.whole(4)?;
                    self.recall(place)?;
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    self.named(&module, &name)?;
                }
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    let (Value::Text(module), Value::Text(name)) = (&self.values[module], &self.values[name]) else {
                        return Err(damaged("a name is no text"));
                    };
                    let (module, name) = (module.clone(), name.clone());
                    self.named(&module, &name)?;
                }
                b'R' => {
                    let (arguments, function) = (self.pop()?, self.pop()?);
                    let value = self.called(function, arguments)?;
                    self.push(value)?;
                }
                b'b' => {
                    let state = self.pop()?;
                    let value = *self.stack.last().ok_or_else(|| damaged("a value is missing"))?;
                    self.values[value] = self.restored(value, state)?;
                }
                code => return Err(refused(format!("it uses the operation {code:#04x}"))),
            }
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
        let items = self.items(value).iter();
        items
            .filter_map(|item| self.number(Some(item)))
            .map(|number| number as usize)
            .collect()
    }

    fn bytes_of(&self, value: usize) -> Result<&[u8]> {
        match &self.values[value] {
            Value::Bytes(start, end) => Ok(&self.bytes[*start..*end]),
            Value::Letters(bytes) => Ok(bytes),
            _ => Err(damaged("the elements of an array are no bytes")),
        }
    }

    fn array(&self, sizes: Vec<usize>, kind: usize, bytes: usize) -> Result<Value> {
        let Value::Kind(kind, is_big) = &self.values[kind] else {
            return Err(refused("an array of other elements than numbers"));
        };
        let width: usize = kind.get(1..).and_then(|width| width.parse().ok()).unwrap_or(0);
        if *is_big || !kind.starts_with(['f', 'i', 'u', 'b']) || !matches!(width, 1 | 2 | 4 | 8) {
            return Err(refused("an array of other elements than numbers, lowest byte first"));
        }
        let elements = self.bytes_of(bytes)?;
        let count = sizes.iter().try_fold(width, |count, size| count.checked_mul(*size));
        if count != Some(elements.len()) {
            return Err(damaged("an array has other bytes than its shape says"));
        }
        let room = (self.values.len() as u64).saturating_mul(elements.len() as u64);
        self.limits
            .check_room(room)
            .map_err(|_| damaged("it holds too many arrays"))?;
        Ok(Value::Array(sizes, kind.clone(), elements.to_vec()))
    }

    /// Returns the result of calling a known function.
    fn called(&self, function: usize, arguments: usize) -> Result<Value> {
        let Value::Known(function) = self.values[function] else {
            return Err(refused("it calls something unknown"));
        };
        let given = self.items(arguments);
        let argument = |number: usize| {
            given
                .get(number)
                .copied()
                .ok_or_else(|| damaged("an argument is missing"))
        };
        match function {
            RECONSTRUCT => Ok(Value::Known(NDARRAY)),
            DTYPE => match &self.values[argument(0)?] {
                Value::Text(kind) => Ok(Value::Kind(
                    kind.trim_start_matches(['<', '|']).to_owned(),
                    kind.starts_with('>'),
                )),
                _ => Err(refused("an array of other elements than numbers")),
            },
            ENCODE => match (&self.values[argument(0)?], &self.values[argument(1)?]) {
                (Value::Text(text), Value::Text(code)) if code == "latin1" => {
                    let letters: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(letter).ok()).collect();
                    letters
                        .map(Value::Letters)
                        .ok_or_else(|| damaged("bytes are out of range"))
                }
                _ => Err(refused("it encodes text")),
            },
            SCALAR => match self.array(vec![1], argument(0)?, argument(1)?)? {
                Value::Array(_, kind, elements) => {
                    let number = elements_of(&kind, &elements).next().unwrap_or_default();
                    Ok(Value::Number(number))
                }
                other => Ok(other),
            },
            FROM_BUFFER => self.array(self.sizes(argument(2)?), argument(1)?, argument(0)?),
            NDARRAY => {
                let kind = match &self.values[argument(1)?] {
                    Value::Kind(..) => argument(1)?,
                    _ => return Err(refused("an array of other elements than numbers")),
                };
                self.array(self.sizes(argument(0)?), kind, argument(2)?)
            }
            _ => Err(refused("it calls something unknown")),
        }
    }

    /// Returns a value with its state.
    fn restored(&self, value: usize, state: usize) -> Result<Value> {
        let state = self.items(state);
        let item = |number: usize| {
            state
                .get(number)
                .copied()
                .ok_or_else(|| damaged("a state is too short"))
        };
        match &self.values[value] {
            Value::Kind(kind, _) => match &self.values[item(1)?] {
                Value::Text(order) => Ok(Value::Kind(kind.clone(), order == ">")),
                _ => Err(refused("an array of other elements than numbers")),
            },
            Value::Known(NDARRAY) => {
                if self.number(state.get(3)).is_some_and(|is_fortran| is_fortran != 0.0) {
                    return Err(refused("an array in the order of Fortran"));
                }
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
        let is_key = |at: usize| matches!(&self.values[at], Value::Text(text) if text == key);
        let (_, value) = items.iter().find(|(at, _)| is_key(*at)).ok_or_else(missing)?;
        match &self.values[*value] {
            Value::Number(number) => Ok((vec![*number], 1)),
            Value::Array(sizes, kind, elements) => Ok((
                elements_of(kind, elements).collect(),
                sizes.get(1).copied().unwrap_or(1),
            )),
            Value::List(rows) => {
                let width = rows.first().map_or(1, |row| self.items(*row).len());
                let cells = rows.iter().flat_map(|row| self.items(*row));
                let numbers: Option<Vec<f64>> = cells.map(|cell| self.number(Some(cell))).collect();
                Ok((numbers.ok_or_else(missing)?, width))
            }
            _ => Err(missing()),
        }
    }
}

/// Returns the numbers of elements of a kind.
fn elements_of<'a>(kind: &str, elements: &'a [u8]) -> impl Iterator<Item = f64> + 'a {
    let width = kind.get(1..).and_then(|width| width.parse().ok()).unwrap_or(1);
    let is_float = kind.starts_with('f');
    let is_signed = kind.starts_with('i');
    elements.chunks_exact(width).map(move |bytes| {
        let bits = bytes
            .iter()
            .rev()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        match (is_float, width) {
            (true, 8) => f64::from_bits(bits),
            (true, 4) => f32::from_bits(bits as u32).into(),
            (true, _) => f64::NAN,
            (false, _) if is_signed => (((bits << (64 - 8 * width)) as i64) >> (64 - 8 * width)) as f64,
            _ => bits as f64,
        }
    })
}

/// Reads a motion. Errors: [`RobotMotionError`]; no code of the file runs.
pub(super) fn read(bytes: &[u8], hinges: &Hinges, limits: &SizeLimits) -> Result<RobotMotion> {
    let mut machine = Machine {
        bytes,
        at: 0,
        values: Vec::new(),
        stack: Vec::new(),
        memo: Vec::new(),
        limits,
    };
    let dict = machine.run()?;
    let (fps, _) = machine.of_key(dict, "fps")?;
    let (places, three) = machine.of_key(dict, "root_pos")?;
    let (quats, four) = machine.of_key(dict, "root_rot")?;
    let (angles, width) = machine.of_key(dict, "dof_pos")?;
    let (row, expected) = (0, hinges.each().count());
    for (found, expected) in [(three, 3), (four, 4), (width, expected)] {
        if found != expected {
            let expected = expected.to_string();
            return Err(RobotMotionError::Columns { row, found, expected });
        }
    }
    let mut motion = RobotMotion {
        fps: fps.first().copied().unwrap_or_default(),
        ..RobotMotion::default()
    };
    let rows = places
        .chunks_exact(3)
        .zip(quats.chunks_exact(4))
        .zip(angles.chunks_exact(width.max(1)));
    for ((place, quat), angles) in rows {
        motion.push(
            DVec3::from_slice(place),
            DQuat::from_slice(quat),
            angles.iter().copied(),
        )?;
    }
    Ok(motion)
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
