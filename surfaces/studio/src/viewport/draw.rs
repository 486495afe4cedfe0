//! Draws bodies with depth, light and a soft shadow, by OpenGL 3 or WebGL 2.
//!
//! Data on the graphics card is renewed only when it changes: a surface when another body is shown, vertices and shadow when the pose
//! changes. Moving the camera changes neither.

#![allow(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    reason = "OpenGL is called through pointers to functions; all names that are used here were made here, and sizes are those of \
              the slices that are given"
)]

use std::{collections::HashMap, sync::Arc};

use eframe::{
    egui::PaintCallbackInfo,
    egui_glow::{Painter, ShaderVersion},
    glow::{self, Context, HasContext as _, PixelUnpackData},
};

use super::{
    posed::{self, Drawn, Frame, Ground, PosedBody},
    shaders::{
        BLUR_FRAGMENT, BLUR_VERTEX, BODY_FRAGMENT, BODY_VERTEX, FLOOR_FRAGMENT, FLOOR_VERTEX, GROUND_FRAGMENT,
        GROUND_VERTEX, SHADOW_FRAGMENT, SHADOW_VERTEX,
    },
};
use loopwright_formats::mesh::Posed;

use crate::surface::Surface;

/// Side of a cast shadow, pixels: it is blurred over several of them.
const CAST_PIXELS: i32 = 256;

/// Mipmap levels of the cast shadow below its full size, each half as large; the last one is blurred.
const CAST_LEVELS: u32 = 2;

/// Mipmap levels without a limit.
const ALL_LEVELS: u32 = 1000;

/// Pixels of the blurred shadow.
const SHADOW_PIXELS: i32 = 64;

/// Extent of the marked ground to each side of the body, metres.
const GROUND_METRES: f32 = 9.0;

/// Opacity of the darkest shadow.
const SHADOW: f32 = 0.42;

/// Number of the first vertex attribute, the position; those of normal, colour and place follow.
const POSITION: u32 = 0;

/// Programs and data of the graphics card.
#[derive(Default)]
pub struct Renderer {
    /// Created at the first frame; or the reason why drawing is impossible.
    ready: Option<Result<Ready, String>>,
}

impl Renderer {
    /// The reason why nothing can be drawn.
    pub fn fault(&self) -> Option<&str> {
        self.ready.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Draws a frame into the rectangle that egui has set.
    pub fn paint(&mut self, info: &PaintCallbackInfo, painter: &Painter, frame: &Frame) {
        // SAFETY: egui calls back with its context current.
        unsafe {
            if let Some(ready) = self.ready(painter.gl()) {
                ready.paint(info, painter, frame);
            }
        }
    }

    /// Draws the ground, below everything else.
    pub fn paint_ground(&mut self, painter: &Painter, ground: &Ground) {
        // SAFETY: egui calls back with its context current.
        unsafe {
            if let Some(ready) = self.ready(painter.gl()) {
                ready.draw_ground(painter.gl(), ground);
            }
        }
    }

    unsafe fn ready(&mut self, gl: &Context) -> Option<&mut Ready> {
        self.ready.get_or_insert_with(|| Ready::new(gl)).as_mut().ok()
    }
}

struct Ready {
    body: Program,
    shadow: Program,
    blur: Program,
    floor: Program,
    ground: Program,
    shadow_framebuffer: glow::Framebuffer,
    /// The shadow of the body being drawn, before it is blurred.
    cast: glow::Texture,
    /// An array without attributes, for drawing without vertices.
    nothing: glow::VertexArray,
    /// The surface that the bodies share.
    surface: Option<Loaded>,
    slots: Vec<Slot>,
}

struct Program {
    program: glow::Program,
    /// Its uniforms by name, looked up once; textures are always those of the first unit.
    uniforms: HashMap<String, glow::UniformLocation>,
}

/// A surface on the graphics card.
struct Loaded {
    of: Arc<Surface>,
    looks: glow::Buffer,
    /// Indices of the body, followed by those of its shadow.
    indices: glow::Buffer,
    pictures: Vec<Option<glow::Texture>>,
}

/// A body on the graphics card.
struct Slot {
    array: glow::VertexArray,
    vertices: glow::Buffer,
    shadow: glow::Texture,
    /// The number of the pose that it holds.
    holds: Option<u64>,
    has_shadow_of: Option<u64>,
}

impl Program {
    unsafe fn new(gl: &Context, [vertex, fragment]: [&str; 2]) -> Result<Self, String> {
        let version = ShaderVersion::get(gl);
        if !version.is_new_shader_interface() {
            return Err("the body needs OpenGL 3 or WebGL 2".to_owned());
        }
        let head = format!("{}\nprecision highp float;\n", version.version_declaration());
        let program = gl.create_program()?;
        for (kind, text) in [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)] {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, &format!("{head}{text}"));
            gl.compile_shader(shader);
            if !gl.get_shader_compile_status(shader) {
                return Err(gl.get_shader_info_log(shader));
            }
            gl.attach_shader(program, shader);
            gl.delete_shader(shader);
        }
        for (number, name) in (POSITION..).zip(["position", "normal", "colour", "place"]) {
            gl.bind_attrib_location(program, number, name);
        }
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(gl.get_program_info_log(program));
        }
        Ok(Self {
            program,
            uniforms: (0..gl.get_active_uniforms(program))
                .filter_map(|index| {
                    let name = gl.get_active_uniform(program, index)?.name;
                    let at = gl.get_uniform_location(program, &name)?;
                    Some((name, at))
                })
                .collect(),
        })
    }

    /// Draws by this program from now on, with these uniforms.
    unsafe fn start(&self, gl: &Context, uniforms: &[(&str, &[f32])]) {
        gl.use_program(Some(self.program));
        self.set(gl, uniforms);
    }

    /// Sets uniforms of one to four numbers, and matrices.
    unsafe fn set(&self, gl: &Context, uniforms: &[(&str, &[f32])]) {
        for &(name, numbers) in uniforms {
            let at = self.uniforms.get(name);
            match numbers.len() {
                1 => gl.uniform_1_f32_slice(at, numbers),
                2 => gl.uniform_2_f32_slice(at, numbers),
                3 => gl.uniform_3_f32_slice(at, numbers),
                4 => gl.uniform_4_f32_slice(at, numbers),
                _ => gl.uniform_matrix_4_f32_slice(at, false, numbers),
            }
        }
    }
}

impl Ready {
    unsafe fn new(gl: &Context) -> Result<Self, String> {
        Ok(Self {
            body: Program::new(gl, [BODY_VERTEX, BODY_FRAGMENT])?,
            shadow: Program::new(gl, [SHADOW_VERTEX, SHADOW_FRAGMENT])?,
            blur: Program::new(gl, [BLUR_VERTEX, BLUR_FRAGMENT])?,
            floor: Program::new(gl, [FLOOR_VERTEX, FLOOR_FRAGMENT])?,
            ground: Program::new(gl, [GROUND_VERTEX, GROUND_FRAGMENT])?,
            shadow_framebuffer: gl.create_framebuffer()?,
            cast: texture(gl, [CAST_PIXELS; 2], CAST_LEVELS, None)?,
            nothing: gl.create_vertex_array()?,
            surface: None,
            slots: Vec::new(),
        })
    }

    unsafe fn paint(&mut self, info: &PaintCallbackInfo, painter: &Painter, frame: &Frame) {
        let gl = painter.gl();
        if self.take_surface(gl, &frame.surface).is_none() {
            return;
        }
        for drawn in &frame.bodies {
            if self.take_pose(gl, drawn.place, &drawn.body).is_none() {
                return;
            }
        }
        if let Some(drawn) = frame.bodies.last() {
            self.cast_shadow(gl, drawn, painter.intermediate_fbo());
            let viewport = info.viewport_in_pixels();
            gl.viewport(
                viewport.left_px,
                viewport.from_bottom_px,
                viewport.width_px,
                viewport.height_px,
            );
            // Darkens the floor.
            self.floor.start(
                gl,
                &[
                    ("clip_from_near", &drawn.clip_from_near),
                    ("area", &drawn.body.shadow_area),
                    ("darkness", &[SHADOW]),
                ],
            );
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.slots[drawn.place].shadow));
            gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
            self.draw_square(gl);
        }
        self.body.start(gl, &[("to_light", &posed::to_light())]);
        gl.active_texture(glow::TEXTURE0);
        gl.enable(glow::DEPTH_TEST);
        gl.depth_func(glow::LEQUAL);
        gl.depth_mask(true);
        gl.clear_depth_f32(1.0);
        if frame.surface.is_closed {
            gl.enable(glow::CULL_FACE);
        }
        for drawn in &frame.bodies {
            // Other poses lie behind the body, each seen as a single translucent layer: depth first, then colour.
            gl.clear(glow::DEPTH_BUFFER_BIT);
            let veil = drawn.body.veil;
            self.body.set(
                gl,
                &[
                    ("clip_from_near", &drawn.clip_from_near),
                    ("tint", &veil.tint),
                    ("opacity", &[veil.opacity]),
                ],
            );
            if veil.opacity < 1.0 {
                gl.color_mask(false, false, false, false);
                self.draw(gl, drawn.place);
                gl.color_mask(true, true, true, true);
                gl.enable(glow::BLEND);
                gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
            } else {
                gl.disable(glow::BLEND);
            }
            self.draw(gl, drawn.place);
        }
        gl.enable(glow::BLEND);
        gl.disable(glow::DEPTH_TEST);
        gl.disable(glow::CULL_FACE);
        gl.bind_vertex_array(None);
    }

    /// Uploads a surface, unless it is there already.
    unsafe fn take_surface(&mut self, gl: &Context, surface: &Arc<Surface>) -> Option<()> {
        if matches!(&self.surface, Some(loaded) if Arc::ptr_eq(&loaded.of, surface)) {
            return Some(());
        }
        for slot in self.slots.drain(..) {
            gl.delete_vertex_array(slot.array);
            gl.delete_buffer(slot.vertices);
            gl.delete_texture(slot.shadow);
        }
        if let Some(former) = self.surface.take() {
            gl.delete_buffer(former.looks);
            gl.delete_buffer(former.indices);
            for picture in former.pictures.into_iter().flatten() {
                gl.delete_texture(picture);
            }
        }
        let looks: Vec<[f32; 5]> = surface
            .mesh
            .vertices
            .iter()
            .map(|vertex| {
                let [red, green, blue] = vertex.colour;
                let [right, down] = vertex.texture_at;
                [red, green, blue, right, down]
            })
            .collect();
        let both = [surface.mesh.indices.as_slice(), &surface.shadow_indices].concat();
        gl.bind_vertex_array(None);
        let pictures = surface.pictures.iter().map(|picture| {
            let picture = picture.as_ref()?;
            texture(
                gl,
                [picture.width(), picture.height()].map(|pixels| pixels as i32),
                ALL_LEVELS,
                Some(picture),
            )
            .ok()
        });
        self.surface = Some(Loaded {
            of: Arc::clone(surface),
            looks: buffer(gl, glow::ARRAY_BUFFER, bytemuck::cast_slice(&looks))?,
            indices: buffer(gl, glow::ELEMENT_ARRAY_BUFFER, bytemuck::cast_slice(&both))?,
            pictures: pictures.collect(),
        });
        Some(())
    }

    /// Uploads the vertices of a body, unless they are there already.
    unsafe fn take_pose(&mut self, gl: &Context, slot: usize, body: &PosedBody) -> Option<()> {
        let surface = self.surface.as_ref()?;
        while self.slots.len() <= slot {
            self.slots.push(Slot::new(gl, surface)?);
        }
        let slot = &mut self.slots[slot];
        if slot.holds.replace(body.number) != Some(body.number) {
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(slot.vertices));
            gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytemuck::cast_slice(&body.vertices));
        }
        Some(())
    }

    /// Draws the shadow of a body from above, unless that of this pose is there already.
    unsafe fn cast_shadow(&mut self, gl: &Context, drawn: &Drawn, screen: Option<glow::Framebuffer>) {
        let body = &drawn.body;
        let slot = &mut self.slots[drawn.place];
        if slot.has_shadow_of.replace(body.number) == Some(body.number) {
            return;
        }
        let array = slot.array;
        let shadow = slot.shadow;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.shadow_framebuffer));
        gl.disable(glow::SCISSOR_TEST);
        gl.disable(glow::BLEND);
        draw_into(gl, self.cast, CAST_PIXELS);
        gl.clear_color(0.0, 0.0, 0.0, 0.0);
        gl.clear(glow::COLOR_BUFFER_BIT);
        self.shadow
            .start(gl, &[("area", &body.shadow_area), ("slant", &posed::slant())]);
        if let Some(surface) = &self.surface {
            gl.bind_vertex_array(Some(array));
            triangles(gl, surface.of.mesh.indices.len(), surface.of.shadow_indices.len());
        }
        draw_into(gl, shadow, SHADOW_PIXELS);
        gl.active_texture(glow::TEXTURE0);
        gl.bind_texture(glow::TEXTURE_2D, Some(self.cast));
        gl.generate_mipmap(glow::TEXTURE_2D);
        self.blur.start(gl, &[]);
        self.draw_square(gl);
        gl.bind_framebuffer(glow::FRAMEBUFFER, screen);
        gl.enable(glow::SCISSOR_TEST);
        gl.enable(glow::BLEND);
    }

    /// Draws the marks of the ground.
    unsafe fn draw_ground(&self, gl: &Context, ground: &Ground) {
        let [line, along_x, along_z] = &ground.colours;
        self.ground.start(
            gl,
            &[
                ("clip_from_near", &ground.clip_from_near),
                ("middle", &ground.middle),
                ("reach", &[GROUND_METRES]),
                ("line", line),
                ("along_x", along_x),
                ("along_z", along_z),
            ],
        );
        gl.enable(glow::BLEND);
        gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
        self.draw_square(gl);
        gl.bind_vertex_array(None);
    }

    /// Draws a square, whose corners the program makes.
    unsafe fn draw_square(&self, gl: &Context) {
        gl.bind_vertex_array(Some(self.nothing));
        gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
    }

    /// Draws all triangles of a body with its pictures.
    unsafe fn draw(&self, gl: &Context, slot: usize) {
        let Some(surface) = &self.surface else { return };
        gl.bind_vertex_array(Some(self.slots[slot].array));
        for part in &surface.of.mesh.parts {
            let picture = part.image.and_then(|image| surface.pictures[image]);
            self.body.set(gl, &[("has_picture", &[f32::from(picture.is_some())])]);
            gl.bind_texture(glow::TEXTURE_2D, picture);
            triangles(gl, part.indices.start, part.indices.len());
        }
    }
}

impl Slot {
    unsafe fn new(gl: &Context, surface: &Loaded) -> Option<Self> {
        let slot = Self {
            array: gl.create_vertex_array().ok()?,
            vertices: gl.create_buffer().ok()?,
            shadow: texture(gl, [SHADOW_PIXELS; 2], 0, None).ok()?,
            holds: None,
            has_shadow_of: None,
        };
        gl.bind_vertex_array(Some(slot.array));
        let attribute = |number: u32, size: i32, stride: i32, offset: i32| {
            gl.enable_vertex_attrib_array(number);
            gl.vertex_attrib_pointer_f32(number, size, glow::FLOAT, false, 4 * stride, 4 * offset);
        };
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(slot.vertices));
        let bytes = size_of::<Posed>() * surface.of.mesh.vertices.len();
        gl.buffer_data_size(glow::ARRAY_BUFFER, bytes as i32, glow::DYNAMIC_DRAW);
        attribute(POSITION, 3, 6, 0);
        attribute(POSITION + 1, 3, 6, 3);
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(surface.looks));
        attribute(POSITION + 2, 3, 5, 0);
        attribute(POSITION + 3, 2, 5, 3);
        gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(surface.indices));
        gl.bind_vertex_array(None);
        Some(slot)
    }
}

/// Creates a buffer of this kind that does not change.
unsafe fn buffer(gl: &Context, kind: u32, bytes: &[u8]) -> Option<glow::Buffer> {
    let buffer = gl.create_buffer().ok()?;
    gl.bind_buffer(kind, Some(buffer));
    gl.buffer_data_u8_slice(kind, bytes, glow::STATIC_DRAW);
    gl.bind_buffer(kind, None);
    Some(buffer)
}

/// Creates a texture with this many mipmap levels below its full size: a picture, or without one a single channel to draw into.
unsafe fn texture(
    gl: &Context,
    [width, height]: [i32; 2],
    levels: u32,
    picture: Option<&[u8]>,
) -> Result<glow::Texture, String> {
    let (internal, format, wrap) = match picture {
        Some(_) => (glow::RGBA8, glow::RGBA, glow::REPEAT),
        None => (glow::R8, glow::RED, glow::CLAMP_TO_EDGE),
    };
    let texture = gl.create_texture()?;
    gl.active_texture(glow::TEXTURE0);
    gl.bind_texture(glow::TEXTURE_2D, Some(texture));
    gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 1);
    gl.tex_image_2d(
        glow::TEXTURE_2D,
        0,
        internal as i32,
        width,
        height,
        0,
        format,
        glow::UNSIGNED_BYTE,
        PixelUnpackData::Slice(picture),
    );
    for (parameter, value) in [
        (glow::TEXTURE_WRAP_S, wrap),
        (glow::TEXTURE_WRAP_T, wrap),
        (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR),
        (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
        (glow::TEXTURE_MAX_LEVEL, levels),
    ] {
        gl.tex_parameter_i32(glow::TEXTURE_2D, parameter, value as i32);
    }
    gl.generate_mipmap(glow::TEXTURE_2D);
    Ok(texture)
}

/// Directs drawing into a square texture, in the bound framebuffer.
unsafe fn draw_into(gl: &Context, texture: glow::Texture, pixels: i32) {
    gl.framebuffer_texture_2d(
        glow::FRAMEBUFFER,
        glow::COLOR_ATTACHMENT0,
        glow::TEXTURE_2D,
        Some(texture),
        0,
    );
    gl.viewport(0, 0, pixels, pixels);
}

/// Draws `count` indices of the bound vertex array, from `first` on.
unsafe fn triangles(gl: &Context, first: usize, count: usize) {
    gl.draw_elements(
        glow::TRIANGLES,
        count as i32,
        glow::UNSIGNED_INT,
        (size_of::<u32>() * first) as i32,
    );
}
