//! The surface of a character as it is drawn: few enough triangles, and a colour for each vertex.

use std::sync::{Arc, OnceLock};

use loopwright_formats::mesh::{Mesh, MeshImage, Vertex};
use resvg::tiny_skia::Pixmap;

use crate::mesh::{thinned, to_screen};
use crate::report::PageMesh;

/// Most triangles that are drawn: more are smaller than the pixels of any picture, and take seconds for each.
const MAX_TRIANGLES: usize = 200_000;

/// Most pixels of a texture that is read: 256 MB while it is.
const MAX_PIXELS: u64 = 1 << 26;

/// Linear brightness of surfaces with an unreadable texture: white ones would not stand out from the paper.
const UNREAD: f32 = 0.6;

/// Most vertices that the extent of a body is taken from.
const MAX_REACH: usize = 2_000;

/// The mesh of a character, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Surface {
    mesh: Mesh,
    /// Colours of the vertices as screens show them, from 0 to 1.
    inks: Vec<[f32; 3]>,
    /// The vertices that reach farthest, six for each bone.
    reach: Mesh,
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
        let pictures: Vec<Option<Pixmap>> = (images.iter())
            .map(|image| match image {
                MeshImage::Here(bytes) => picture(bytes),
                MeshImage::Beside(uri) => {
                    let path = MeshImage::path_of(uri);
                    // If the file was moved without its folders, its pictures are often just beside it.
                    let bytes = beside(&path).or_else(|| beside(path.rsplit('/').next()?));
                    picture(&bytes?)
                }
            })
            .collect();
        let mut is_coloured = vec![false; mesh.vertices.len()];
        for part in &mesh.parts {
            let Some(image) = part.image else { continue };
            let picture = pictures.get(image).and_then(Option::as_ref);
            for &index in mesh.indices.get(part.indices.clone()).unwrap_or_default() {
                let vertex = index as usize;
                if !core::mem::replace(&mut is_coloured[vertex], true) {
                    let Vertex { colour, texture_at, .. } = &mut mesh.vertices[vertex];
                    let texel = picture.map_or([UNREAD; 3], |picture| texel(picture, *texture_at));
                    *colour = [0, 1, 2].map(|channel| colour[channel] * texel[channel]);
                }
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
            reach: reach(&mesh),
            mesh,
            page: OnceLock::new(),
        })
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    pub(crate) fn inks(&self) -> &[[f32; 3]] {
        &self.inks
    }

    /// Returns its vertices that reach farthest, without triangles.
    pub(crate) fn reach(&self) -> &Mesh {
        &self.reach
    }

    /// Returns the mesh that a page shows; `None` if it cannot be made small enough.
    pub(crate) fn of_page(&self) -> Option<&Arc<PageMesh>> {
        self.page
            .get_or_init(|| PageMesh::new(&self.mesh).map(Arc::new))
            .as_ref()
    }
}

/// Returns the vertices of each bone that reach farthest along the axes.
fn reach(mesh: &Mesh) -> Mesh {
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
    let kept = numbers.into_iter().step_by(every);
    Mesh {
        vertices: kept.map(|number| mesh.vertices[number as usize]).collect(),
        bones: mesh.bones.clone(),
        ..Mesh::default()
    }
}

/// Decodes a PNG; `None` if it is not one, or too large.
fn picture(bytes: &[u8]) -> Option<Pixmap> {
    // Width and height stand at the start of every file.
    let side = |at: usize| Some(u64::from(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    if side(16)?.checked_mul(side(20)?)? > MAX_PIXELS {
        return None;
    }
    Pixmap::decode_png(bytes).ok()
}

/// The linear colour of a picture at a place in its widths and heights; pictures repeat.
fn texel(picture: &Pixmap, place: [f32; 2]) -> [f32; 3] {
    let at = |place: f32, size: u32| ((place - place.floor()) * size as f32).min(size as f32 - 1.0) as u32;
    let [x, y] = [at(place[0], picture.width()), at(place[1], picture.height())];
    let Some(pixel) = picture.pixel(x, y) else {
        return [UNREAD; 3];
    };
    let colour = pixel.demultiply();
    [colour.red(), colour.green(), colour.blue()].map(|channel| {
        let channel = f32::from(channel) / 255.0;
        channel * channel
    })
}
