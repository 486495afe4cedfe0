//! Draws bodies with depth, light and a soft shadow, by OpenGL 3 or WebGL 2.
//!
//! Data on the graphics card is renewed only when it changes: a surface when another body is shown, vertices and shadow when the pose
//! changes. Moving the camera changes neither.

#![allow(
    unsafe_code,
    reason = "OpenGL is called through pointers to functions; all names that are used here were made here, and sizes are those of \
              the slices that are given"
)]

use std::{collections::HashMap, sync::Arc};

use ::image::RgbaImage;
use eframe::egui::PaintCallbackInfo;
use eframe::egui_glow::{Painter, ShaderVersion};
use eframe::glow::{self, HasContext as _, PixelUnpackData};

use super::posed::{self, Drawn, Frame, Ground, PosedBody};
use super::shaders::{
    BLUR_FRAGMENT, BLUR_VERTEX, BODY_FRAGMENT, BODY_VERTEX, FLOOR_FRAGMENT, FLOOR_VERTEX, GROUND_FRAGMENT,
    GROUND_VERTEX, SHADOW_FRAGMENT, SHADOW_VERTEX,
};
use loopwright_formats::mesh::Posed;

use crate::surface::Surface;

/// Side of a cast shadow, pixels: it is blurred over several of them.
const CAST_PIXELS: i32 = 256;

/// Mipmap levels of the cast shadow below its full size, each half as large; the last one is blurred.
const CAST_LEVELS: i32 = 2;

/// Pixels of the blurred shadow.
const SHADOW_PIXELS: i32 = 64;

/// Extent of the marked ground to each side of the body, metres.
const GROUND_METRES: f32 = 9.0;

/// Opacity of the darkest shadow.
const SHADOW: f32 = 0.42;

/// Vertex attributes by number.
const POSITION: u32 = 0;
const NORMAL: u32 = 1;
const COLOUR: u32 = 2;
const PLACE: u32 = 3;

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
        let gl = painter.gl();
        if let Ok(ready) = self.ready.get_or_insert_with(|| Ready::new(gl)) {
            // SAFETY: egui calls back with its context current.
            unsafe {
                ready.paint(gl, info, painter, frame);
            }
        }
    }

    /// Draws the ground, below everything else.
    pub fn paint_ground(&mut self, painter: &Painter, ground: &Ground) {
        let gl = painter.gl();
        if let Ok(ready) = self.ready.get_or_insert_with(|| Ready::new(gl)) {
            // SAFETY: egui calls back with its context current.
            unsafe {
                ready.draw_ground(gl, ground);
            }
        }
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
    /// Its uniforms by name, looked up once.
    uniforms: HashMap<&'static str, glow::UniformLocation>,
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
    unsafe fn new(
        gl: &glow::Context,
        [vertex, fragment]: [&str; 2],
        uniforms: &[&'static str],
    ) -> Result<Self, String> {
        let version = ShaderVersion::get(gl);
        if !version.is_new_shader_interface() {
            return Err("the body needs OpenGL 3 or WebGL 2".to_owned());
        }
        let head = format!("{}\nprecision highp float;\n", version.version_declaration());
        unsafe {
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
            for (number, name) in [
                (POSITION, "position"),
                (NORMAL, "normal"),
                (COLOUR, "colour"),
                (PLACE, "place"),
            ] {
                gl.bind_attrib_location(program, number, name);
            }
            gl.link_program(program);
            if !gl.get_program_link_status(program) {
                return Err(gl.get_program_info_log(program));
            }
            let uniforms = (uniforms.iter()).filter_map(|&name| Some((name, gl.get_uniform_location(program, name)?)));
            Ok(Self {
                program,
                uniforms: uniforms.collect(),
            })
        }
    }

    fn at(&self, name: &str) -> Option<&glow::UniformLocation> {
        self.uniforms.get(name)
    }
}

impl Ready {
    fn new(gl: &glow::Context) -> Result<Self, String> {
        // SAFETY: as in all of this file; names are created and used in one context.
        unsafe {
            Ok(Self {
                body: Program::new(
                    gl,
                    [BODY_VERTEX, BODY_FRAGMENT],
                    &[
                        "clip_from_near",
                        "to_light",
                        "tint",
                        "opacity",
                        "picture",
                        "has_picture",
                    ],
                )?,
                shadow: Program::new(gl, [SHADOW_VERTEX, SHADOW_FRAGMENT], &["area", "slant"])?,
                blur: Program::new(gl, [BLUR_VERTEX, BLUR_FRAGMENT], &["sharp"])?,
                floor: Program::new(
                    gl,
                    [FLOOR_VERTEX, FLOOR_FRAGMENT],
                    &["clip_from_near", "area", "darkness", "shadow"],
                )?,
                ground: Program::new(
                    gl,
                    [GROUND_VERTEX, GROUND_FRAGMENT],
                    &["clip_from_near", "middle", "reach", "line", "along_x", "along_z"],
                )?,
                shadow_framebuffer: gl.create_framebuffer()?,
                cast: shadow_texture(gl, CAST_PIXELS, CAST_LEVELS)?,
                nothing: gl.create_vertex_array()?,
                surface: None,
                slots: Vec::new(),
            })
        }
    }

    unsafe fn paint(&mut self, gl: &glow::Context, info: &PaintCallbackInfo, painter: &Painter, frame: &Frame) {
        unsafe {
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
                self.draw_shadow(gl, drawn);
            }
            gl.use_program(Some(self.body.program));
            let uniform = |name| self.body.at(name);
            let [x, y, z] = posed::to_light();
            gl.uniform_3_f32(uniform("to_light"), x, y, z);
            gl.uniform_1_i32(uniform("picture"), 0);
            gl.active_texture(glow::TEXTURE0);
            gl.enable(glow::DEPTH_TEST);
            gl.depth_func(glow::LEQUAL);
            gl.depth_mask(true);
            gl.clear_depth_f32(1.0);
            if frame.surface.is_closed {
                gl.enable(glow::CULL_FACE);
            }
            for Drawn {
                body,
                place,
                clip_from_near,
            } in &frame.bodies
            {
                gl.uniform_matrix_4_f32_slice(uniform("clip_from_near"), false, clip_from_near);
                // Other poses lie behind the body, each seen as a single translucent layer: depth first, then colour.
                gl.clear(glow::DEPTH_BUFFER_BIT);
                let [red, green, blue, share] = body.veil.tint;
                gl.uniform_4_f32(uniform("tint"), red, green, blue, share);
                gl.uniform_1_f32(uniform("opacity"), body.veil.opacity);
                if body.veil.opacity < 1.0 {
                    gl.color_mask(false, false, false, false);
                    self.draw(gl, *place);
                    gl.color_mask(true, true, true, true);
                    gl.enable(glow::BLEND);
                    gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
                } else {
                    gl.disable(glow::BLEND);
                }
                self.draw(gl, *place);
            }
            gl.enable(glow::BLEND);
            gl.disable(glow::DEPTH_TEST);
            gl.disable(glow::CULL_FACE);
            gl.bind_vertex_array(None);
        }
    }

    /// Uploads a surface, unless it is there already.
    unsafe fn take_surface(&mut self, gl: &glow::Context, surface: &Arc<Surface>) -> Option<()> {
        if matches!(&self.surface, Some(loaded) if Arc::ptr_eq(&loaded.of, surface)) {
            return Some(());
        }
        unsafe {
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
            let looks: Vec<[f32; 5]> = (surface.mesh.vertices.iter())
                .map(|vertex| {
                    let ([red, green, blue], [right, down]) = (vertex.colour, vertex.texture_at);
                    [red, green, blue, right, down]
                })
                .collect();
            let (looks_buffer, indices) = (gl.create_buffer().ok()?, gl.create_buffer().ok()?);
            gl.bind_vertex_array(None);
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(looks_buffer));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(&looks), glow::STATIC_DRAW);
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(indices));
            let both = [surface.mesh.indices.as_slice(), &surface.shadow_indices].concat();
            gl.buffer_data_u8_slice(
                glow::ELEMENT_ARRAY_BUFFER,
                bytemuck::cast_slice(&both),
                glow::STATIC_DRAW,
            );
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, None);
            let pictures = (surface.pictures.iter()).map(|picture| upload(gl, picture.as_ref()?));
            self.surface = Some(Loaded {
                of: Arc::clone(surface),
                looks: looks_buffer,
                indices,
                pictures: pictures.collect(),
            });
        }
        Some(())
    }

    /// Uploads the vertices of a body, unless they are there already.
    unsafe fn take_pose(&mut self, gl: &glow::Context, slot: usize, body: &PosedBody) -> Option<()> {
        let surface = self.surface.as_ref()?;
        unsafe {
            while self.slots.len() <= slot {
                self.slots.push(Slot::new(gl, surface)?);
            }
            let slot = &mut self.slots[slot];
            if slot.holds != Some(body.number) {
                gl.bind_buffer(glow::ARRAY_BUFFER, Some(slot.vertices));
                let bytes = bytemuck::cast_slice(&body.vertices);
                gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes);
                slot.holds = Some(body.number);
            }
        }
        Some(())
    }

    /// Draws the shadow of a body from above, unless that of this pose is there already.
    unsafe fn cast_shadow(&mut self, gl: &glow::Context, drawn: &Drawn, screen: Option<glow::Framebuffer>) {
        let (body, slot) = (&drawn.body, drawn.place);
        if self.slots[slot].has_shadow_of == Some(body.number) {
            return;
        }
        self.slots[slot].has_shadow_of = Some(body.number);
        let shadow = self.slots[slot].shadow;
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.shadow_framebuffer));
            gl.disable(glow::SCISSOR_TEST);
            gl.disable(glow::BLEND);
            draw_into(gl, self.cast, CAST_PIXELS);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gl.clear(glow::COLOR_BUFFER_BIT);
            gl.use_program(Some(self.shadow.program));
            let [x, z, half_x, half_z] = body.shadow_area;
            gl.uniform_4_f32(self.shadow.at("area"), x, z, half_x, half_z);
            let [along_x, along_z] = posed::slant();
            gl.uniform_2_f32(self.shadow.at("slant"), along_x, along_z);
            self.draw_shadow_triangles(gl, slot);
            draw_into(gl, shadow, SHADOW_PIXELS);
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.cast));
            gl.generate_mipmap(glow::TEXTURE_2D);
            gl.use_program(Some(self.blur.program));
            gl.uniform_1_i32(self.blur.at("sharp"), 0);
            gl.bind_vertex_array(Some(self.nothing));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
            gl.bind_framebuffer(glow::FRAMEBUFFER, screen);
            gl.enable(glow::SCISSOR_TEST);
            gl.enable(glow::BLEND);
        }
    }

    /// Draws the marks of the ground.
    unsafe fn draw_ground(&self, gl: &glow::Context, ground: &Ground) {
        unsafe {
            gl.use_program(Some(self.ground.program));
            let uniform = |name| self.ground.at(name);
            gl.uniform_matrix_4_f32_slice(uniform("clip_from_near"), false, &ground.clip_from_near);
            gl.uniform_2_f32_slice(uniform("middle"), &ground.middle);
            gl.uniform_1_f32(uniform("reach"), GROUND_METRES);
            for (name, colour) in ["line", "along_x", "along_z"].into_iter().zip(&ground.colours) {
                gl.uniform_3_f32_slice(uniform(name), colour);
            }
            gl.enable(glow::BLEND);
            gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
            gl.bind_vertex_array(Some(self.nothing));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
            gl.bind_vertex_array(None);
        }
    }

    /// Darkens the floor.
    unsafe fn draw_shadow(&self, gl: &glow::Context, drawn: &Drawn) {
        unsafe {
            gl.use_program(Some(self.floor.program));
            let uniform = |name| self.floor.at(name);
            gl.uniform_matrix_4_f32_slice(uniform("clip_from_near"), false, &drawn.clip_from_near);
            let [x, z, half_x, half_z] = drawn.body.shadow_area;
            gl.uniform_4_f32(uniform("area"), x, z, half_x, half_z);
            gl.uniform_1_f32(uniform("darkness"), SHADOW);
            gl.uniform_1_i32(uniform("shadow"), 0);
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.slots[drawn.place].shadow));
            gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
            gl.bind_vertex_array(Some(self.nothing));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
        }
    }

    /// Draws all triangles of a body with its pictures.
    unsafe fn draw(&self, gl: &glow::Context, slot: usize) {
        let Some(surface) = &self.surface else { return };
        unsafe {
            gl.bind_vertex_array(Some(self.slots[slot].array));
            let has_picture = self.body.at("has_picture");
            for part in &surface.of.mesh.parts {
                let picture = part.image.and_then(|image| surface.pictures[image]);
                gl.uniform_1_f32(has_picture, if picture.is_some() { 1.0 } else { 0.0 });
                gl.bind_texture(glow::TEXTURE_2D, picture);
                triangles(gl, part.indices.start, part.indices.len());
            }
        }
    }

    /// Draws the triangles that cast the shadow of a body.
    unsafe fn draw_shadow_triangles(&self, gl: &glow::Context, slot: usize) {
        let Some(surface) = &self.surface else { return };
        unsafe {
            gl.bind_vertex_array(Some(self.slots[slot].array));
            triangles(gl, surface.of.mesh.indices.len(), surface.of.shadow_indices.len());
        }
    }
}

impl Slot {
    unsafe fn new(gl: &glow::Context, surface: &Loaded) -> Option<Self> {
        unsafe {
            let slot = Self {
                array: gl.create_vertex_array().ok()?,
                vertices: gl.create_buffer().ok()?,
                shadow: shadow_texture(gl, SHADOW_PIXELS, 0).ok()?,
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
            attribute(NORMAL, 3, 6, 3);
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(surface.looks));
            attribute(COLOUR, 3, 5, 0);
            attribute(PLACE, 2, 5, 3);
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(surface.indices));
            gl.bind_vertex_array(None);
            Some(slot)
        }
    }
}

/// Creates a square texture of one channel with this many mipmap levels.
unsafe fn shadow_texture(gl: &glow::Context, pixels: i32, levels: i32) -> Result<glow::Texture, String> {
    unsafe {
        let texture = gl.create_texture()?;
        gl.active_texture(glow::TEXTURE0);
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        image(gl, glow::R8, glow::RED, [pixels; 2], None);
        wrap(gl, glow::CLAMP_TO_EDGE);
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, levels);
        gl.generate_mipmap(glow::TEXTURE_2D);
        Ok(texture)
    }
}

/// Directs drawing into a square texture, in the bound framebuffer.
unsafe fn draw_into(gl: &glow::Context, texture: glow::Texture, pixels: i32) {
    unsafe {
        gl.framebuffer_texture_2d(
            glow::FRAMEBUFFER,
            glow::COLOR_ATTACHMENT0,
            glow::TEXTURE_2D,
            Some(texture),
            0,
        );
        gl.viewport(0, 0, pixels, pixels);
    }
}

/// Draws `count` indices of the bound vertex array, from `first` on.
unsafe fn triangles(gl: &glow::Context, first: usize, count: usize) {
    unsafe {
        let offset = (size_of::<u32>() * first) as i32;
        gl.draw_elements(glow::TRIANGLES, count as i32, glow::UNSIGNED_INT, offset);
    }
}

unsafe fn upload(gl: &glow::Context, picture: &RgbaImage) -> Option<glow::Texture> {
    unsafe {
        let texture = gl.create_texture().ok()?;
        gl.active_texture(glow::TEXTURE0);
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        let size = [picture.width(), picture.height()].map(|pixels| pixels as i32);
        image(gl, glow::RGBA8, glow::RGBA, size, Some(picture));
        wrap(gl, glow::REPEAT);
        gl.generate_mipmap(glow::TEXTURE_2D);
        Some(texture)
    }
}

unsafe fn image(gl: &glow::Context, internal: u32, format: u32, [width, height]: [i32; 2], bytes: Option<&[u8]>) {
    unsafe {
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
            PixelUnpackData::Slice(bytes),
        );
    }
}

unsafe fn wrap(gl: &glow::Context, mode: u32) {
    unsafe {
        for (parameter, value) in [
            (glow::TEXTURE_WRAP_S, mode),
            (glow::TEXTURE_WRAP_T, mode),
            (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR),
            (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
        ] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, parameter, value as i32);
        }
    }
}
