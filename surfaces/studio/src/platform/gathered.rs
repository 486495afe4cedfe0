//! glTF files whose buffers lie in files of their own.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use loopwright_formats::mesh::MeshImage;
use serde::Deserialize;

/// Prefix of a URI that contains its data.
const DATA: &str = "data:";

/// The part of a glTF file that names other files.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
struct Buffer {
    uri: Option<String>,
}

/// Embeds the buffers of a `.gltf` file, as `find` returns them by name. Bytes of another kind, and names that are not found, stay as they
/// are: reading the result reports the problem.
///
/// The text around the buffers is kept byte by byte, so that a loop made from it equals the one that the command makes from the separate
/// files.
pub fn gathered(bytes: Vec<u8>, find: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<u8> {
    let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
    let Some(named) = is_json.then(|| serde_json::from_slice::<Named>(&bytes).ok()).flatten() else {
        return bytes;
    };
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return error.into_bytes(),
    };
    for uri in named.buffers.into_iter().filter_map(|buffer| buffer.uri) {
        if uri.starts_with(DATA) {
            continue;
        }
        if let (Some(place), Some(bytes)) = (place_of(&text, &uri), find(&MeshImage::path_of(&uri))) {
            let data = format!("\"{DATA}application/octet-stream;base64,{}\"", STANDARD.encode(bytes));
            text.replace_range(place, &data);
        }
    }
    text.into_bytes()
}

/// Returns where a file states this URI, as a string of JSON.
fn place_of(text: &str, uri: &str) -> Option<std::ops::Range<usize>> {
    let written = serde_json::to_string(uri).ok()?;
    [written.replace('/', "\\/"), written].iter().find_map(|form| {
        let (at, _) = text.match_indices(form.as_str()).find(|&(at, _)| {
            let before = text[..at].trim_end().strip_suffix(':');
            before.is_some_and(|before| before.trim_end().ends_with("\"uri\""))
        })?;
        Some(at..at + form.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_put_where_they_are_named() {
        let file = br#"{ "nodes": [{"name": "a b.bin", "scale": 1e0}], "buffers": [{"uri" : "a%20b.bin"}, {"uri": "in\/c.bin"}, {}] }"#;
        let find = |name: &str| match name {
            "a b.bin" => Some(vec![1, 2, 3]),
            "in/c.bin" => Some(vec![4]),
            _ => None,
        };
        let wanted = br#"{ "nodes": [{"name": "a b.bin", "scale": 1e0}], "buffers": [{"uri" : "data:application/octet-stream;base64,AQID"}, {"uri": "data:application/octet-stream;base64,BA=="}, {}] }"#;
        let made = gathered(file.to_vec(), find);
        assert_eq!(
            String::from_utf8(made.clone()).unwrap(),
            std::str::from_utf8(wanted).unwrap()
        );
        assert_eq!(gathered(made.clone(), find), made, "there is nothing more to find");
    }

    #[test]
    fn what_is_not_found_and_what_is_no_gltf_stays_as_it_is() {
        for file in [
            "{\"buffers\": [{\"uri\": \"a.bin\"}]}",
            "{\"buffers\": 3}",
            "{",
            "HIERARCHY",
            "",
            "{\"buffers\": [{\"uri\": \"%zz%\"}]}",
        ] {
            assert_eq!(gathered(file.into(), |_| None), file.as_bytes());
        }
    }
}
