//! The vertex and fragment shaders.

/// The vertices of a body, which are already posed.
pub const BODY_VERTEX: &str = "
in vec3 position;
in vec3 normal;
in vec3 colour;
in vec2 place;
uniform mat4 clip_from_near;
out vec3 a_normal;
out vec3 a_colour;
out vec2 a_place;
void main() {
    gl_Position = clip_from_near * vec4(position, 1.0);
    a_normal = normal;
    a_colour = colour;
    a_place = place;
}";

/// The pixels of a body. Colours are linear; squares and roots approximate the transfer curve of a screen.
pub const BODY_FRAGMENT: &str = "
in vec3 a_normal;
in vec3 a_colour;
in vec2 a_place;
uniform sampler2D picture;
uniform float has_picture;
uniform vec3 to_light;
uniform vec4 tint;
uniform float opacity;
out vec4 pixel;
void main() {
    vec3 base = a_colour;
    if (has_picture > 0.5) {
        vec4 texel = texture(picture, a_place);
        if (texel.a < 0.5) { discard; }
        base *= texel.rgb * texel.rgb;
    }
    vec3 normal = normalize(a_normal + vec3(0.0, 1e-6, 0.0));
    normal = gl_FrontFacing ? normal : -normal;
    float direct = max(dot(normal, to_light), 0.0);
    float around = 0.5 + 0.5 * normal.y;
    vec3 lit = sqrt(base * (0.12 + 0.3 * around + 0.68 * direct));
    lit = mix(lit, tint.rgb * (0.55 + 0.45 * direct), tint.a);
    pixel = vec4(lit * opacity, opacity);
}";

/// Projects a point along the light to the floor, at height zero.
pub const SHADOW_VERTEX: &str = "
in vec3 position;
uniform vec4 area;
uniform vec2 slant;
void main() {
    vec2 at = position.xz - slant * max(position.y, 0.0);
    gl_Position = vec4((at - area.xy) / area.zw, 0.0, 1.0);
}";

/// Marks every pixel of the body as shadow.
pub const SHADOW_FRAGMENT: &str = "
out vec4 pixel;
void main() { pixel = vec4(1.0); }";

/// The rectangle of the floor that contains a shadow.
pub const FLOOR_VERTEX: &str = "
uniform vec4 area;
uniform mat4 clip_from_near;
out vec2 a_place;
void main() {
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    a_place = 0.5 + 0.5 * corner;
    gl_Position = clip_from_near * vec4(area.x + corner.x * area.z, 0.0, area.y + corner.y * area.w, 1.0);
}";

/// Covers a whole texture, to compute it from another one.
pub const BLUR_VERTEX: &str = "
out vec2 a_place;
void main() {
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    a_place = 0.5 + 0.5 * corner;
    gl_Position = vec4(corner, 0.0, 1.0);
}";

/// Blurs a shadow: nine texels of the levels that hold means of 4 x 4 pixels. Done once for the few texels of a shadow, not for each pixel
/// of the floor, of which a large window has thirty times as many.
pub const BLUR_FRAGMENT: &str = "
in vec2 a_place;
uniform sampler2D sharp;
out vec4 pixel;
void main() {
    float sum = 0.0;
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            float weight = (x == 0 ? 2.0 : 1.0) * (y == 0 ? 2.0 : 1.0);
            sum += weight * textureLod(sharp, a_place + vec2(x, y) * (3.0 / 256.0), 1.6).r;
        }
    }
    pixel = vec4(sum / 16.0);
}";

/// A square of ground around a point, in coordinates near that point.
pub const GROUND_VERTEX: &str = "
    uniform vec2 middle;
    uniform float reach;
    uniform mat4 clip_from_near;
    out vec2 a_place;
    void main() {
        vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
        a_place = middle + reach * corner;
        gl_Position = clip_from_near * vec4(reach * corner.x, 0.0, reach * corner.y, 1.0);
    }";

/// A checkerboard of metres with lines between the squares, every fifth one stronger, and those through the origin in the colours of their
/// axes; everything fades with distance.
pub const GROUND_FRAGMENT: &str = "
    in vec2 a_place;
    uniform vec2 middle;
    uniform float reach;
    uniform vec3 line;
    uniform vec3 along_x;
    uniform vec3 along_z;
    out vec4 pixel;
    void main() {
        float near = clamp(1.0 - length(a_place - middle) / reach, 0.0, 1.0);
        vec2 cell = floor(a_place);
        vec4 shown = vec4(line, 1.0) * (mod(cell.x + cell.y, 2.0) < 0.5 ? 0.13 : 0.0);
        vec2 number = round(a_place);
        vec2 on = clamp(1.0 - abs(a_place - number) / fwidth(a_place), 0.0, 1.0);
        on *= mix(vec2(0.35), vec2(0.9), lessThan(abs(mod(number + 0.5, 5.0) - 0.5), vec2(0.25)));
        vec3 colour_x = number.x == 0.0 ? along_z : line;
        vec3 colour_z = number.y == 0.0 ? along_x : line;
        shown = mix(shown, vec4(colour_x, 1.0), number.x == 0.0 ? on.x / 0.9 : on.x);
        shown = mix(shown, vec4(colour_z, 1.0), number.y == 0.0 ? on.y / 0.9 : on.y);
        pixel = shown * near;
    }";

/// Darkens the floor.
pub const FLOOR_FRAGMENT: &str = "
in vec2 a_place;
uniform sampler2D shadow;
uniform float darkness;
out vec4 pixel;
void main() {
    pixel = vec4(0.0, 0.0, 0.0, darkness * texture(shadow, a_place).r);
}";
