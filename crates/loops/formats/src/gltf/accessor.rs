//! Numbers in buffers: views, strides, component types, normalization and sparse values.

use core::cell::{Cell, RefCell};
use std::{collections::HashMap, rc::Rc};

use serde::Deserialize;
use serde_json::Value;

use super::{container::Document, error::GltfError, parts};

/// Values allowed per byte of a file and its buffers, and values allowed for any file.
///
/// Exporters share key times between tracks; they do not use one part of a buffer for thousands of accessors.
const VALUES_PER_BYTE: usize = 4;
const FREE_VALUES: usize = 1_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    #[serde(default)]
    normalized: bool,
    count: usize,
    #[serde(rename = "type")]
    shape: String,
    sparse: Option<Sparse>,
}

#[derive(Deserialize)]
struct Sparse {
    count: usize,
    indices: SparsePart,
    values: SparsePart,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparsePart {
    buffer_view: usize,
    #[serde(default)]
    byte_offset: usize,
    /// Stated for indices alone.
    #[serde(default)]
    component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    byte_stride: Option<usize>,
    #[serde(default)]
    extensions: serde_json::Map<String, Value>,
}

/// A type of single numbers.
struct Component {
    /// Its number in files.
    code: u32,
    /// Its bytes.
    size: usize,
    /// Reads a number from its bytes, which zeros follow.
    read: fn([u8; 4]) -> f64,
    /// The number that stands for one where numbers are normalized.
    one: Option<f64>,
}

#[rustfmt::skip]
static COMPONENTS: [Component; 6] = [
    Component { code: 5120, size: 1, read: |[a, ..]| f64::from(a as i8), one: Some(127.0) },
    Component { code: 5121, size: 1, read: |[a, ..]| f64::from(a), one: Some(255.0) },
    Component { code: 5122, size: 2, read: |[a, b, ..]| f64::from(i16::from_le_bytes([a, b])), one: Some(32767.0) },
    Component { code: 5123, size: 2, read: |[a, b, ..]| f64::from(u16::from_le_bytes([a, b])), one: Some(65535.0) },
    Component { code: 5125, size: 4, read: |bytes| f64::from(u32::from_le_bytes(bytes)), one: Some(u32::MAX as f64) },
    Component { code: 5126, size: 4, read: |bytes| f64::from(f32::from_le_bytes(bytes)), one: None },
];

impl Component {
    fn of(code: u32, at: &str) -> Result<&'static Self, GltfError> {
        let known = COMPONENTS.iter().find(|component| component.code == code);
        known.ok_or_else(|| GltfError::Kind {
            at: format!("{at}.componentType"),
            expected: "one of the known types of numbers",
            found: code.to_string(),
        })
    }
}

/// Returns the number of components of a shape.
fn width_of(shape: &str) -> usize {
    match shape {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 1,
    }
}

/// Reads accessors, each of them at most once.
pub(crate) struct Accessors<'a> {
    document: &'a Document,
    faults: &'a [String],
    num_bytes: usize,
    num_values: Cell<usize>,
    read: RefCell<HashMap<usize, Rc<[f64]>>>,
    /// What was found out about each use of an accessor.
    known: RefCell<HashMap<[usize; 3], Result<bool, GltfError>>>,
}

impl<'a> Accessors<'a> {
    /// `faults` says for each buffer why it is missing, `num_bytes` is the size of the file.
    pub(crate) fn new(document: &'a Document, faults: &'a [String], num_bytes: usize) -> Self {
        Self {
            document,
            faults,
            num_bytes: num_bytes.saturating_add(document.num_buffer_bytes()),
            num_values: Cell::new(0),
            read: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Reads all numbers of an accessor of that shape (such as VEC3), element by element. Errors: as [`Self::values_in`].
    pub(crate) fn values(&self, index: usize, shape: &'static str, asked_by: &str) -> Result<Rc<[f64]>, GltfError> {
        Ok(self.values_in(index, &[shape], asked_by)?.0)
    }

    /// Reads all numbers of an accessor of one of these shapes, element by element, and returns them with the width of an element.
    ///
    /// `asked_by` is the JSON position of the number `index`. Errors: any part of it is invalid or beyond the file's end.
    pub(crate) fn values_in(
        &self,
        index: usize,
        shapes: &[&'static str],
        asked_by: &str,
    ) -> Result<(Rc<[f64]>, usize), GltfError> {
        let accessor: Accessor = parts::part(self.document, "accessors", index, asked_by)?;
        let at = format!("accessors[{index}]");
        if !shapes.contains(&accessor.shape.as_str()) {
            return Err(GltfError::Kind {
                at: asked_by.to_owned(),
                expected: shapes[0],
                found: crate::excerpt::excerpt(&accessor.shape),
            });
        }
        let width = width_of(&accessor.shape);
        if let Some(known) = self.read.borrow().get(&index) {
            return Ok((Rc::clone(known), width));
        }
        let values: Rc<[f64]> = self.decode(&accessor, width, &at)?.into();
        self.read.borrow_mut().insert(index, Rc::clone(&values));
        Ok((values, width))
    }

    /// Returns what there is to find out about a use of an accessor, which thousands of samplers may share. Errors: those of `find`, with the
    /// position of the first of these samplers.
    pub(super) fn once(
        &self,
        used: [usize; 3],
        find: impl FnOnce() -> Result<bool, GltfError>,
    ) -> Result<bool, GltfError> {
        self.known.borrow_mut().entry(used).or_insert_with(find).clone()
    }

    /// Returns the bytes of a view. Errors: it is beyond its buffer's end.
    pub(crate) fn bytes(&self, view: usize, asked_by: &str) -> Result<&'a [u8], GltfError> {
        Ok(self.view(view, asked_by)?.0)
    }

    fn decode(&self, accessor: &Accessor, width: usize, at: &str) -> Result<Vec<f64>, GltfError> {
        let component = Component::of(accessor.component_type, at)?;
        let num_values = accessor.count.saturating_mul(width);
        let spent = self.num_values.get().saturating_add(num_values);
        let limit = self
            .num_bytes
            .saturating_mul(VALUES_PER_BYTE)
            .saturating_add(FREE_VALUES);
        if spent > limit {
            return Err(GltfError::OutOfProportion {
                at: at.to_owned(),
                bytes: self.num_bytes,
            });
        }
        self.num_values.set(spent);
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let place = Place {
                    at,
                    view,
                    offset: accessor.byte_offset,
                    may_stride: true,
                };
                self.elements(&place, component, width, accessor.count, accessor.normalized)?
            }
            None => vec![0.0; num_values],
        };
        if let Some(sparse) = &accessor.sparse {
            let at = &format!("{at}.sparse");
            if sparse.count > accessor.count {
                return Err(GltfError::no_such(format!("{at}.count"), sparse.count, accessor.count));
            }
            let kind = Component::of(sparse.indices.component_type, &format!("{at}.indices"))?;
            let indices = Place {
                at,
                view: sparse.indices.buffer_view,
                offset: sparse.indices.byte_offset,
                may_stride: false,
            };
            let replaced = Place {
                view: sparse.values.buffer_view,
                offset: sparse.values.byte_offset,
                ..indices
            };
            let indices = self.elements(&indices, kind, 1, sparse.count, false)?;
            let replaced = self.elements(&replaced, component, width, sparse.count, accessor.normalized)?;
            for (index, element) in indices.into_iter().zip(replaced.chunks_exact(width)) {
                // Negative numbers and fractions are invalid indices; they count as out of range.
                let found = if index >= 0.0 && index.fract() == 0.0 {
                    index as usize
                } else {
                    usize::MAX
                };
                GltfError::check_index(found, accessor.count, || format!("{at}.indices"))?;
                values[found * width..(found + 1) * width].copy_from_slice(element);
            }
        }
        Ok(values)
    }

    /// Elements in a view, checked against its end before memory is reserved for them.
    fn elements(
        &self,
        place: &Place,
        component: &Component,
        width: usize,
        count: usize,
        normalized: bool,
    ) -> Result<Vec<f64>, GltfError> {
        let (bytes, stride) = self.view(place.view, place.at)?;
        let size = component.size * width;
        // Overlapping elements would give many values for few bytes.
        let stride = stride
            .filter(|&stride| place.may_stride && stride >= size)
            .unwrap_or(size);
        let needed = match count {
            0 => place.offset as u64,
            _ => (place.offset as u64)
                .saturating_add((count as u64 - 1).saturating_mul(stride as u64))
                .saturating_add(size as u64),
        };
        if needed > bytes.len() as u64 {
            return Err(GltfError::BeyondEnd {
                at: place.at.to_owned(),
                needed,
                available: bytes.len() as u64,
            });
        }
        let one = component.one.filter(|_| normalized);
        let mut values = Vec::with_capacity(count * width);
        for element in 0..count {
            let start = place.offset + element * stride;
            let numbers = bytes[start..start + size].chunks_exact(component.size);
            values.extend(numbers.map(|number| {
                let value = (component.read)(match *number {
                    [a] => [a, 0, 0, 0],
                    [a, b] => [a, b, 0, 0],
                    [a, b, c, d] => [a, b, c, d],
                    _ => [0; 4],
                });
                // Signed types reach slightly below minus one.
                one.map_or(value, |one| (value / one).max(-1.0))
            }));
        }
        Ok(values)
    }

    /// Returns the bytes of a requested view, and the stride of its elements.
    fn view(&self, number: usize, asked_by: &str) -> Result<(&'a [u8], Option<usize>), GltfError> {
        let view: View = parts::part(self.document, "bufferViews", number, &format!("{asked_by}.bufferView"))?;
        if let Some(extension) = view.extensions.keys().find(|name| name.ends_with("_compression")) {
            return Err(GltfError::Compressed {
                view: number,
                extension: crate::excerpt::excerpt(extension),
            });
        }
        let buffers = &self.document.buffers;
        GltfError::check_index(view.buffer, buffers.len(), || format!("bufferViews[{number}].buffer"))?;
        let buffer = buffers[view.buffer].as_deref().ok_or_else(|| GltfError::NoBuffer {
            buffer: view.buffer,
            reason: self.faults.get(view.buffer).cloned().unwrap_or_default(),
        })?;
        let bytes = GltfError::part(buffer, view.byte_offset, view.byte_length, || {
            format!("bufferViews[{number}]")
        })?;
        Ok((bytes, view.byte_stride))
    }
}

/// Position and layout of elements.
struct Place<'a> {
    /// The JSON position that refers to them.
    at: &'a str,
    view: usize,
    offset: usize,
    /// Whether other bytes may lie between them.
    may_stride: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_broken_is_found_out_once() {
        let document = Document {
            json: json!({}),
            buffers: Vec::new(),
        };
        let accessors = Accessors::new(&document, &[], 0);
        let num_looks = Cell::new(0);
        let find = || {
            num_looks.set(num_looks.get() + 1);
            Err(GltfError::NoAnimations)
        };
        for _ in 0..3 {
            assert_eq!(accessors.once([1, 0, 0], find), Err(GltfError::NoAnimations));
        }
        assert_eq!(num_looks.get(), 1);
    }
}
