//! Small glTF files put together by hand.

use serde_json::{Value, json};

pub(crate) struct GltfFile {
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
}

impl GltfFile {
    /// A file with these nodes, of which those that are no children are roots of the scene.
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

    /// A view of its own over some bytes; its number.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(offset, 0xEE);
        self.bytes.extend_from_slice(bytes);
        let views = self.list("bufferViews");
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}));
        views.len() - 1
    }

    /// An accessor; its number.
    pub(crate) fn accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.list("accessors");
        accessors.push(accessor);
        accessors.len() - 1
    }

    /// Single precision numbers of that shape with a view of their own; the number of their accessor.
    pub(crate) fn floats(&mut self, shape: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let width = match shape {
            "MAT4" => 16,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        self.accessor(json!({"bufferView": view, "componentType": 5126, "type": shape, "count": numbers.len() / width}))
    }

    /// Adds an animation of channels: node, property, interpolation, input and output.
    pub(crate) fn animate(&mut self, name: &str, channels: &[(usize, &str, &str, usize, usize)]) {
        let samplers: Vec<Value> = (channels.iter())
            .map(|&(_, _, interpolation, input, output)| {
                json!({"input": input, "output": output, "interpolation": interpolation})
            })
            .collect();
        let channels: Vec<Value> = (channels.iter().enumerate())
            .map(|(sampler, &(node, path, ..))| json!({"sampler": sampler, "target": {"node": node, "path": path}}))
            .collect();
        self.list("animations")
            .push(json!({"name": name, "samplers": samplers, "channels": channels}));
    }

    /// The file in its binary form.
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

/// The JSON of a binary file, and the bytes of its buffer.
pub(crate) fn parts_of(glb: &[u8]) -> (Value, &[u8]) {
    let end = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..end]).unwrap(), &glb[end + 8..])
}
