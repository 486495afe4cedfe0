//! Small glTF files put together by hand.

use serde_json::{Value, json};

#[derive(Clone)]
pub(crate) struct GltfFile {
    pub json: Value,
    pub bytes: Vec<u8>,
}

/// JSON from its text.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

impl GltfFile {
    /// Creates a file with the nodes of a text, see [`Self::of_nodes`].
    pub(crate) fn of(nodes: &str) -> Self {
        Self::of_nodes(parsed(nodes))
    }

    /// Creates a file with these nodes, of which those that are no children are roots of the scene.
    pub(crate) fn of_nodes(nodes: Value) -> Self {
        let all = nodes.as_array().unwrap();
        let children = all.iter().filter_map(|node| node.get("children")?.as_array());
        let children: Vec<u64> = children.flatten().filter_map(Value::as_u64).collect();
        let roots = (0..all.len()).filter(|&node| !children.contains(&(node as u64)));
        let roots: Vec<usize> = roots.collect();
        Self {
            json: json!({
                "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
                "animations": [], "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}],
            }),
            bytes: Vec::new(),
        }
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        self.json[name].as_array_mut().unwrap()
    }

    /// Returns a view of its own over some bytes; its number.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(offset, 0xEE);
        self.bytes.extend_from_slice(bytes);
        let views = self.list("bufferViews");
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}));
        views.len() - 1
    }

    /// Returns an accessor; its number.
    pub(crate) fn accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.list("accessors");
        accessors.push(accessor);
        accessors.len() - 1
    }

    /// Single precision numbers of that shape with a view of their own; the number of their accessor.
    pub(crate) fn floats(&mut self, shape: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let count = numbers.len() / width_of(shape);
        self.accessor(json!({"bufferView": view, "componentType": 5126, "type": shape, "count": count}))
    }

    /// Adds an animation in which a property of one node has keys, with straight lines between them.
    pub(crate) fn move_node(&mut self, name: &str, (node, path): (usize, &str), times: &[f32], values: &[f32]) {
        let input = self.floats("SCALAR", times);
        let output = self.floats(if path == "rotation" { "VEC4" } else { "VEC3" }, values);
        self.animate(name, &[(node, path, "LINEAR", input, output)]);
    }

    /// Creates a file of one node, a property of which has keys.
    pub(crate) fn moving(path: &str, times: &[f32], values: &[f32]) -> Self {
        let mut file = Self::of(r#"[{"name": "a"}]"#);
        file.move_node("a", (0, path), times, values);
        file
    }

    /// Puts a value, given as text, at a path such as `/nodes/3/children`.
    pub(crate) fn edit(mut self, path: &str, value: &str) -> Self {
        let value = parsed(value);
        let (parent, key) = path.rsplit_once('/').unwrap();
        match self.json.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        self
    }

    /// Adds an animation of channels: node, property, interpolation, input and output.
    pub(crate) fn animate(&mut self, name: &str, channels: &[(usize, &str, &str, usize, usize)]) {
        let samplers: Vec<Value> = channels.iter()
            .map(|&(_, _, interpolation, input, output)| {
                json!({"input": input, "output": output, "interpolation": interpolation})
            })
            .collect();
        let channels: Vec<Value> = channels
            .iter()
            .enumerate()
            .map(|(sampler, &(node, path, ..))| json!({"sampler": sampler, "target": {"node": node, "path": path}}))
            .collect();
        self.list("animations")
            .push(json!({"name": name, "samplers": samplers, "channels": channels}));
    }

    /// Returns the file in its binary form.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = self.bytes.len().into();
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bytes.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
        let whole = (12 + 8 + text.len() + 8 + bin.len()) as u32;
        [
            &b"glTF"[..],
            &2_u32.to_le_bytes(),
            &whole.to_le_bytes(),
            &length(&text),
            b"JSON",
            &text,
            &length(&bin),
            b"BIN\0",
            &bin,
        ]
        .concat()
    }
}

/// Returns how many numbers an element of a shape has.
fn width_of(shape: &str) -> usize {
    match shape {
        "MAT4" => 16,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 1,
    }
}

/// Returns the JSON of a binary file, and the bytes of its buffer.
pub(crate) fn parts_of(glb: &[u8]) -> (Value, &[u8]) {
    let end = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..end]).unwrap(), &glb[end + 8..])
}

/// Returns the accessor of the keys of a channel: its `input` or its `output`.
pub(crate) fn accessor_of<'a>(json: &'a Value, animation: &Value, channel: &Value, end: &str) -> &'a Value {
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    &json["accessors"][number(&animation["samplers"][number(&channel["sampler"])][end])]
}

/// Returns the numbers of an accessor, of types that real characters have.
pub(crate) fn numbers(json: &Value, bin: &[u8], accessor: &Value) -> Vec<f64> {
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let width = width_of(accessor["type"].as_str().unwrap());
    let kind = number(&accessor["componentType"]);
    let size = [1, 1, 2, 2, 4, 4, 4][kind - 5120];
    let stride = view["byteStride"]
        .as_u64()
        .map_or(width * size, |stride| stride as usize);
    let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    let one = |at: usize| match kind {
        5121 => f64::from(bin[at]),
        5123 => f64::from(u16::from_le_bytes([bin[at], bin[at + 1]])),
        5126 => f64::from(f32::from_le_bytes(bin[at..at + 4].try_into().unwrap())),
        other => panic!("{other}"),
    };
    (0..number(&accessor["count"]))
        .flat_map(|element| (0..width).map(move |part| one(start + element * stride + part * size)))
        .collect()
}
