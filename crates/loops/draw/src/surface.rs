//! The surface of a character as it is drawn: few enough triangles, and a colour for each vertex.

use std::{
    io::Cursor,
    sync::{Arc, OnceLock},
};

use loopwright_formats::mesh::{Mesh, MeshImage};

use crate::{
    mesh::{thinned, to_screen},
    report::PageMesh,
};

/// Most triangles that are drawn: more are smaller than the pixels of any picture, and take seconds for each.
const MAX_TRIANGLES: usize = 200_000;

/// Most pixels of all textures of a mesh: thirty of 4096 x 4096, which take some seconds.
const MAX_PIXELS: u64 = 1 << 29;

/// Widest texture: a row is held in memory.
const MAX_WIDTH: u32 = 1 << 16;

/// Most bytes of a texture besides its pixels.
const MAX_CHUNK_BYTES: usize = 1 << 24;

/// Linear brightness of surfaces with an unreadable texture: white ones would not stand out from the paper.
const UNREAD: f32 = 0.6;

/// Most vertices that the extent of a body is taken from.
const MAX_REACH: usize = 2_000;

/// The mesh of a character, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(crate) mesh: Mesh,
    /// Colours of the vertices as screens show them, from 0 to 1.
    pub(crate) inks: Vec<[f32; 3]>,
    /// The vertices that reach farthest, six for each bone, without triangles.
    pub(crate) reach: Mesh,
    page: OnceLock<Option<Arc<PageMesh>>>,
}

impl PartialEq for Surface {
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh
    }
}

impl Surface {
    /// Colours a mesh, with textures sampled at its vertices; `beside` reads a texture from another file, by the
    /// path in the mesh.
    ///
    /// Supports PNG. `None` for a mesh without triangles, for one with too many bones to be thinned, and for the capsules that
    /// represent a missing character.
    pub fn new(mut mesh: Mesh, beside: impl Fn(&str) -> Option<Vec<u8>>) -> Option<Self> {
        if mesh.is_stand_in || mesh.indices.is_empty() {
            return None;
        }
        let images = core::mem::take(&mut mesh.images);
        let mut pixels = MAX_PIXELS;
        for (image, vertices) in images.iter().zip(coloured_by(&mesh, images.len())) {
            if vertices.is_empty() {
                continue;
            }
            let places: Vec<[f32; 2]> = vertices.iter().map(|&index| mesh.vertices[index].texture_at).collect();
            let texels = match image {
                MeshImage::Here(bytes) => texels(bytes, &places, &mut pixels),
                MeshImage::Beside(uri) => {
                    let path = MeshImage::path_of(uri);
                    // If the file was moved without its folders, its pictures are often just beside it.
                    let bytes = beside(&path).or_else(|| beside(path.rsplit('/').next()?));
                    bytes.and_then(|bytes| texels(&bytes, &places, &mut pixels))
                }
            };
            for (index, vertex) in vertices.into_iter().enumerate() {
                let texel = texels.as_ref().map_or([UNREAD; 3], |texels| texels[index]);
                let colour = &mut mesh.vertices[vertex].colour;
                *colour = [0, 1, 2].map(|channel| colour[channel] * texel[channel]);
            }
        }
        mesh.parts.clear();
        let mesh = thinned(&mesh, |_, triangles| triangles <= MAX_TRIANGLES)?;
        Some(Self {
            inks: mesh
                .vertices
                .iter()
                .map(|vertex| vertex.colour.map(to_screen))
                .collect(),
            reach: farthest_vertices(&mesh),
            mesh,
            page: OnceLock::new(),
        })
    }

    /// Returns the mesh that a page shows; `None` if it cannot be made small enough.
    pub(crate) fn of_page(&self) -> Option<&Arc<PageMesh>> {
        self.page
            .get_or_init(|| PageMesh::new(&self.mesh).map(Arc::new))
            .as_ref()
    }
}

/// Returns the farthest vertices of each bone along the axes.
fn farthest_vertices(mesh: &Mesh) -> Mesh {
    let mut farthest: Vec<[Option<u32>; 6]> = vec![[None; 6]; mesh.bones.len()];
    let along = |vertex: u32, side: usize| {
        let sign = if side < 3 { 1.0 } else { -1.0 };
        sign * mesh.vertices[vertex as usize].position[side % 3]
    };
    for (vertex, number) in mesh.vertices.iter().zip(0..) {
        for (side, best) in farthest[usize::from(vertex.bones[0])].iter_mut().enumerate() {
            if best.is_none_or(|best| along(number, side) > along(best, side)) {
                *best = Some(number);
            }
        }
    }
    let mut numbers: Vec<u32> = farthest.into_iter().flatten().flatten().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let every = numbers.len().div_ceil(MAX_REACH).max(1);
    Mesh {
        vertices: numbers
            .into_iter()
            .step_by(every)
            .map(|number| mesh.vertices[number as usize])
            .collect(),
        bones: mesh.bones.clone(),
        ..Mesh::default()
    }
}

/// Returns the vertices that each image colours: a vertex belongs to the image of the first part that uses it.
fn coloured_by(mesh: &Mesh, num_images: usize) -> Vec<Vec<usize>> {
    let mut vertices = vec![Vec::new(); num_images];
    let mut is_coloured = vec![false; mesh.vertices.len()];
    for part in &mesh.parts {
        let Some(own) = part.image.and_then(|image| vertices.get_mut(image)) else {
            continue;
        };
        for &index in mesh.indices.get(part.indices.clone()).unwrap_or_default() {
            let vertex = index as usize;
            if !core::mem::replace(&mut is_coloured[vertex], true) {
                own.push(vertex);
            }
        }
    }
    vertices
}

/// First column and row of the passes of a picture, and the steps between its columns and rows.
type Pass = [u32; 4];

const WHOLE: [Pass; 1] = [[0, 0, 1, 1]];

/// Passes of interlaced pictures. Source: PNG specification, "Interlaced data order".
const ADAM7: [Pass; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];

/// Samples a PNG at positions given as shares of its width and height; pictures repeat. Returns linear colours. The PNG is read row by row:
/// a whole picture takes far more memory than its file.
///
/// `None` if it is no PNG, or has more pixels than `pixels`, from which its number is subtracted.
fn texels(png: &[u8], places: &[[f32; 2]], pixels: &mut u64) -> Option<Vec<[f32; 3]>> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(png), png::Limits { bytes: MAX_CHUNK_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let (width, height) = decoder.read_header_info().ok()?.size();
    if width > MAX_WIDTH {
        return None;
    }
    *pixels = pixels.checked_sub(u64::from(width) * u64::from(height))?;
    let at = |place: f32, size: u32| ((place - place.floor()) * size as f32).min(size as f32 - 1.0) as u32;
    let mut wanted: Vec<[u32; 3]> = places
        .iter()
        .zip(0..)
        .map(|(place, index)| [at(place[1], height), at(place[0], width), index])
        .collect();
    wanted.sort_unstable();
    let mut reader = decoder.read_info().ok()?;
    let passes = if reader.info().interlaced { &ADAM7[..] } else { &WHOLE };
    let channels = reader.output_color_type().0.samples();
    let mut texels = vec![[0.0; 3]; places.len()];
    for &[left, top, right, down] in passes.iter().filter(|pass| pass[0] < width) {
        for row in (top..height).step_by(down as usize) {
            let line = reader.next_row().ok()??;
            let of_row = &wanted[wanted.partition_point(|at| at[0] < row)..];
            for &[_, column, index] in of_row
                .iter()
                .take_while(|at| at[0] == row)
                .filter(|at| at[1] % right == left)
            {
                let pixel = line.data().get((column / right) as usize * channels..)?;
                // Grey ones have one value, and perhaps how opaque they are.
                let colour = if channels < 3 { [0; 3] } else { [0, 1, 2] };
                texels[index as usize] = colour.map(|channel| {
                    let value = pixel.get(channel).map_or(0.0, |&value| f32::from(value) / 255.0);
                    value * value
                });
            }
        }
    }
    Some(texels)
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine};

    use super::*;

    /// Grey as 50 for each column and 5 for each row of five.
    const INTERLACED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAAAAAHfA0mvAAAALUlEQVR42mNgYDjBIHKHIYWhgoEr7xKD0TQGmwUMbqsYWM0zZ59l4HcsXnodAKjkCr9kWlvXAAAAAElFTkSuQmCC";

    #[test]
    fn interlaced_pictures_are_read_pass_by_pass_while_there_is_room() {
        let png = BASE64_STANDARD.decode(INTERLACED).unwrap();
        let at = |index: usize| [index % 5, index / 5].map(|at| (at as f32 + 0.5) / 5.0);
        let places: Vec<[f32; 2]> = (0..25).map(at).collect();
        let mut pixels = 60;
        let found = texels(&png, &places, &mut pixels).unwrap();
        for (index, texel) in found.into_iter().enumerate() {
            let grey = (50 * (index % 5) + 5 * (index / 5)) as f32 / 255.0;
            assert_eq!(texel, [grey * grey; 3], "{index}");
        }
        // Each picture takes its pixels from the allowance.
        assert!(texels(&png, &places, &mut pixels).is_some());
        assert!(texels(&png, &places, &mut pixels).is_none());
    }
}
