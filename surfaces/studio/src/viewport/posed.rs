//! Bodies ready for drawing: posed, tinted, with the area of their shadow.

use std::sync::Arc;

use glam::{DAffine3, DVec3, Mat4};
use loopwright_formats::mesh::{Mesh, MeshPart, Posed, Vertex};

use crate::surface::Surface;

/// Direction to the light: above, a little in front and to the side.
const TO_LIGHT: [f32; 3] = [0.36, 0.86, 0.36];

/// Room around a shadow for its soft edge, metres.
const SOFT_METRES: f32 = 0.12;

pub struct PosedBody {
    /// A number that no other pose has.
    pub number: u64,
    /// Its vertices, relative to the origin of the scene on the floor.
    pub vertices: Vec<Posed>,
    pub veil: Veil,
    /// The area of its shadow: the middle along x and z, and half the sizes.
    pub shadow_area: [f32; 4],
}

/// A tint and an opacity, laid over the colours of a body.
#[derive(Clone, Copy)]
pub struct Veil {
    /// A colour, and its share over the body's own.
    pub tint: [f32; 4],
    /// 1 for an opaque body.
    pub opacity: f32,
}

impl Veil {
    /// For the body itself: no tint, opaque.
    pub const NONE: Self = Self {
        tint: [0.0; 4],
        opacity: 1.0,
    };

    /// For a translucent body with a tint.
    pub fn new([red, green, blue]: [f32; 3], opacity: f32) -> Self {
        Self {
            tint: [red, green, blue, 0.85],
            opacity,
        }
    }
}

impl PosedBody {
    /// Poses a surface by its bones, relative to an origin on the floor.
    pub fn new(surface: &Surface, bones: &[DAffine3], origin: DVec3, veil: Veil, number: u64) -> Self {
        let vertices = surface.mesh.posed(bones, origin);
        let slant = slant();
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for [[x, y, z], _] in &vertices {
            let height = y.max(0.0);
            let at = [x - slant[0] * height, z - slant[1] * height];
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        let [x, z] = [0, 1].map(|axis| 0.5 * (high[axis] + low[axis]));
        let [half_x, half_z] = [0, 1].map(|axis| 0.5 * (high[axis] - low[axis]) + SOFT_METRES);
        Self {
            number,
            vertices,
            veil,
            shadow_area: [x, z, half_x, half_z],
        }
    }

    /// Height above the floor, or extent to the sides if that is larger, metres.
    pub fn size(&self) -> f64 {
        f64::from(
            self.vertices
                .iter()
                .fold(0.0_f32, |size, [[x, y, z], _]| size.max(*y).max(x.hypot(*z))),
        )
    }
}

/// Displacement of a shadow along x and z per metre of height.
pub fn slant() -> [f32; 2] {
    let [x, y, z] = TO_LIGHT;
    [x / y, z / y]
}

/// Everything that is drawn in one view.
pub struct Frame {
    pub surface: Arc<Surface>,
    /// The last one hides the others and has a shadow.
    pub bodies: Vec<Drawn>,
}

impl Frame {
    /// Returns an invisible body, drawn in every way in which bodies are: drivers compile programs at the first drawing, and some take a
    /// twentieth of a second for it.
    pub fn rehearsal() -> Self {
        let corner = Vertex {
            position: [0.0; 3],
            normal: [0.0; 3],
            colour: [0.0; 3],
            texture_at: [0.0; 2],
            bones: [0; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
        };
        let indices = vec![0, 1, 2];
        let surface = Surface {
            mesh: Mesh {
                vertices: vec![corner; 3],
                bones: Vec::new(),
                indices: indices.clone(),
                parts: vec![MeshPart {
                    indices: 0..indices.len(),
                    image: None,
                }],
                ..Mesh::default()
            },
            shadow_indices: indices,
            pictures: Vec::new(),
            is_closed: false,
        };
        Self {
            bodies: ([Veil::new([0.0; 3], 0.0), Veil::NONE].into_iter().enumerate())
                .map(|(place, veil)| Drawn {
                    body: Arc::new(PosedBody::new(&surface, &[DAffine3::IDENTITY], DVec3::ZERO, veil, 0)),
                    place,
                    clip_from_near: Mat4::IDENTITY.to_cols_array(),
                })
                .collect(),
            surface: Arc::new(surface),
        }
    }
}

/// The ground in a view.
pub struct Ground {
    /// The point of it below the body, along x and z.
    pub middle: [f32; 2],
    /// Colours of lines, and of those through the origin along x and z.
    pub colours: [[f32; 3]; 3],
    pub clip_from_near: [f32; 16],
}

/// A body in a view.
pub struct Drawn {
    pub body: Arc<PosedBody>,
    /// Its place among the bodies on the graphics card.
    pub place: usize,
    /// From axes near its origin into the view, column by column.
    pub clip_from_near: [f32; 16],
}

/// Returns the unit vector to the light.
pub fn to_light() -> [f32; 3] {
    glam::Vec3::from_array(TO_LIGHT).normalize().to_array()
}
