//! The surface of a body: triangles, and the bones that move its vertices.

use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbaImage};
use loopwright_formats::mesh::{Mesh, MeshImage};

use crate::model::Beside;

/// Largest side of a drawn picture; a larger picture is scaled down.
const MAX_DRAWN_SIDE: u32 = 2048;

/// Most pixels of a picture that is read, of all that are read for a surface, and of all that are drawn.
const MAX_READ_PIXELS: u64 = 1 << 26;
const MAX_ALL_READ_PIXELS: u64 = 1 << 29;
const MAX_DRAWN_PIXELS: u64 = 1 << 26;

/// Most memory for one picture, bytes.
const MAX_PICTURE_BYTES: u64 = 512 << 20;

/// Cells along the longest side of a surface; vertices of one bone within a cell are merged for the shadow. A shadow of 256 pixels is
/// blurred over ten, which would hide even coarser cells.
const SHADOW_CELLS: f32 = 50.0;

/// A surface with its pictures, ready to be drawn.
pub struct Surface {
    /// Its triangles; the images of the file are not kept.
    pub mesh: Mesh,
    /// Indices of fewer triangles, which cast its shadow.
    pub shadow_indices: Vec<u32>,
    /// A picture for each image; `None` for one that cannot be read.
    pub pictures: Vec<Option<RgbaImage>>,
    /// Whether it has no holes, so that triangles that face away from the eye are hidden and need not be drawn.
    pub is_closed: bool,
}

impl Surface {
    /// Creates a surface and reads its pictures; those in separate files are found beside its file.
    pub fn new(mut mesh: Mesh, beside: &Beside) -> Self {
        let images = std::mem::take(&mut mesh.images);
        let mut room = [MAX_ALL_READ_PIXELS, MAX_DRAWN_PIXELS];
        let pictures = images.iter().map(|image| match image {
            MeshImage::Here(bytes) => picture(bytes, &mut room),
            MeshImage::Beside(uri) => {
                let path = MeshImage::path_of(uri);
                // If the file was moved without the folders that it names, its pictures often lie right beside it.
                let bytes = beside.find(&path).or_else(|| beside.find(path.rsplit('/').next()?));
                picture(&bytes?, &mut room)
            }
        });
        Self {
            pictures: pictures.collect(),
            shadow_indices: mesh.coarse(SHADOW_CELLS),
            mesh,
            is_closed: false,
        }
    }
}

/// Reads a PNG or a JPEG; `None` if it is neither, or too large. `room` counts the pixels that may still be read and drawn.
fn picture(bytes: &[u8], room: &mut [u64; 2]) -> Option<RgbaImage> {
    let mut reader = ImageReader::new(std::io::Cursor::new(bytes))
        .with_guessed_format()
        .ok()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_PICTURE_BYTES);
    reader.limits(limits);
    let decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let [drawn_width, drawn_height] = [width, height].map(|side| side.min(MAX_DRAWN_SIDE));
    let pixels = |width: u32, height: u32| u64::from(width) * u64::from(height);
    let read = Some(pixels(width, height)).filter(|&read| read <= MAX_READ_PIXELS)?;
    *room = [
        room[0].checked_sub(read)?,
        room[1].checked_sub(pixels(drawn_width, drawn_height))?,
    ];
    let picture = DynamicImage::from_decoder(decoder).ok()?;
    let picture = if (width, height) == (drawn_width, drawn_height) {
        picture
    } else {
        picture.thumbnail_exact(drawn_width, drawn_height)
    };
    Some(picture.into_rgba8())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use loopwright_formats::mesh::Vertex;

    use super::*;

    /// A sheet of this many quads a side, a metre wide.
    fn sheet(quads: u32) -> Mesh {
        let side = quads + 1;
        let vertices = (0..side * side)
            .map(|number| Vertex {
                position: [
                    (number % side) as f32 / quads as f32,
                    0.0,
                    (number / side) as f32 / quads as f32,
                ],
                normal: [0.0, 1.0, 0.0],
                texture_at: [0.0; 2],
                colour: [1.0; 3],
                bones: [0; 4],
                weights: [1.0, 0.0, 0.0, 0.0],
            })
            .collect();
        let indices = (0..quads * quads)
            .flat_map(|quad| {
                let corner = quad / quads * side + quad % quads;
                [
                    corner,
                    corner + side,
                    corner + 1,
                    corner + 1,
                    corner + side,
                    corner + side + 1,
                ]
            })
            .collect();
        Mesh {
            vertices,
            indices,
            ..Mesh::default()
        }
    }

    /// Area of triangles as seen from above.
    fn area(mesh: &Mesh, indices: &[u32]) -> f32 {
        indices
            .chunks_exact(3)
            .map(|corners| {
                let [a, b, c] =
                    [0, 1, 2].map(|corner| Vec3::from_array(mesh.vertices[corners[corner] as usize].position));
                0.5 * (b - a).cross(c - a).y
            })
            .sum()
    }

    #[test]
    fn a_picture_in_a_file_of_its_own_is_found_beside() {
        let mut png = Vec::new();
        let pixel = RgbaImage::from_pixel(1, 1, image::Rgba([10, 20, 30, 255]));
        pixel
            .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
            .unwrap();
        let here = MeshImage::Here(png.clone().into());
        let beside =
            Beside::found_by(move |path| ["skins/of hero.png", "beside.png"].contains(&path).then(|| png.clone()));
        let named = |uri: &str| MeshImage::Beside(uri.to_owned());
        let mesh = Mesh {
            images: vec![
                here,
                named("skins/of%20hero.png"),
                named("gone.png"),
                named("../art/beside.png"),
            ],
            ..sheet(1)
        };
        let pictures = Surface::new(mesh, &beside).pictures;
        assert_eq!(**pictures[0].as_ref().unwrap(), [10, 20, 30, 255]);
        assert_eq!(pictures[1], pictures[0]);
        assert_eq!(pictures[2], None);
        assert_eq!(pictures[3], pictures[0], "where its name alone lies beside");
    }

    #[test]
    fn a_fine_surface_has_the_same_shadow_of_fewer_triangles_and_a_coarse_one_its_own() {
        let shadow = |mesh: &Mesh| Surface::new(mesh.clone(), &Beside::default()).shadow_indices;
        for coarse in [sheet(10), Mesh::default()] {
            assert_eq!(shadow(&coarse), coarse.indices);
        }
        let fine = sheet(400);
        let coarse = shadow(&fine);
        let is_right = coarse.len() * 10 < fine.indices.len();
        assert!(is_right, "{} of {}", coarse.len(), fine.indices.len());
        // Equal except for half a cell along the edges.
        assert!((area(&fine, &coarse) - 1.0).abs() < 0.03, "{}", area(&fine, &coarse));
    }
}
