//! What is drawn of a body: a surface of triangles, and where bones carry its vertices.

use glam::{DAffine3, DVec3, Mat4, Vec3A};
use image::{ImageReader, Limits, imageops};
use loopwright_formats::mesh::Mesh;

/// Widest and highest picture that is read, and that is drawn: a larger one is made smaller.
const MAX_READ_PIXELS: u32 = 16_384;
const MAX_DRAWN_PIXELS: u32 = 2048;

/// Most memory for one picture, bytes.
const MAX_PICTURE_BYTES: u64 = 512 << 20;

/// A surface with its pictures, ready to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// Its triangles; the images of the file are not kept.
    pub(crate) mesh: Mesh,
    /// A picture for each image; `None` for one that cannot be read.
    pub(crate) pictures: Vec<Option<Picture>>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Four bytes for each pixel: red, green, blue and opacity.
    pub(crate) rgba: Vec<u8>,
}

/// A vertex where it is drawn: its position, from an origin, and its normal.
pub(crate) type Posed = [[f32; 3]; 2];

impl Surface {
    /// A surface with its pictures read.
    pub(crate) fn of(mut mesh: Mesh) -> Self {
        let images = std::mem::take(&mut mesh.images);
        Self {
            pictures: images.iter().map(|bytes| Picture::read(bytes)).collect(),
            mesh,
        }
    }

    /// All vertices where these bones carry them, from an origin.
    pub(crate) fn posed(&self, bones: &[DAffine3], origin: DVec3) -> Vec<Posed> {
        // Bones in single precision and near the origin: a body that has walked far is as sharp as at its start.
        let bones: Vec<Mat4> = (bones.iter())
            .map(|bone| {
                let near = DAffine3 {
                    translation: bone.translation - origin,
                    ..*bone
                };
                Mat4::from_cols(
                    near.matrix3.x_axis.extend(0.0).as_vec4(),
                    near.matrix3.y_axis.extend(0.0).as_vec4(),
                    near.matrix3.z_axis.extend(0.0).as_vec4(),
                    near.translation.extend(1.0).as_vec4(),
                )
            })
            .collect();
        (self.mesh.vertices.iter())
            .map(|vertex| {
                let of_slot = |slot: usize| bones[usize::from(vertex.bones[slot])];
                let carrier = match vertex.weights[0] {
                    1.0 => of_slot(0),
                    _ => (0..4)
                        .filter(|&slot| vertex.weights[slot] > 0.0)
                        .fold(Mat4::ZERO, |sum, slot| sum + of_slot(slot) * vertex.weights[slot]),
                };
                let position = carrier.transform_point3a(Vec3A::from_array(vertex.position));
                let normal = carrier.transform_vector3a(Vec3A::from_array(vertex.normal));
                [position.to_array(), normal.to_array()]
            })
            .collect()
    }
}

impl Picture {
    /// Reads a PNG or a JPEG; `None` for what is neither, and what is too large.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = ImageReader::new(std::io::Cursor::new(bytes))
            .with_guessed_format()
            .ok()?;
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_READ_PIXELS);
        limits.max_image_height = Some(MAX_READ_PIXELS);
        limits.max_alloc = Some(MAX_PICTURE_BYTES);
        reader.limits(limits);
        let picture = reader.decode().ok()?.into_rgba8();
        let picture = match picture.width().max(picture.height()) > MAX_DRAWN_PIXELS {
            true => imageops::thumbnail(
                &picture,
                picture.width().min(MAX_DRAWN_PIXELS),
                picture.height().min(MAX_DRAWN_PIXELS),
            ),
            false => picture,
        };
        Some(Self {
            width: picture.width(),
            height: picture.height(),
            rgba: picture.into_raw(),
        })
    }
}
