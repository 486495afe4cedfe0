//! A close view of the seam: the pose that ends a cycle over the one that starts it, and the frames around both.

use glam::DVec3;

use super::{
    camera::Camera,
    canvas::{Canvas, Colour},
    mesh::PosedMesh,
    motion::DrawnMotion,
    picture::Picture,
    scene::{RenderError, Scene, draw_body},
};

/// Frames shown as sticks on either side of the seam.
const FRAMES: isize = 3;

/// The colour scale ends at a gap of at least this, metres, so that rounding errors stay invisible.
const FULL_COLOUR_METRES: f64 = 0.01;

/// Sticks of the frames after the seam and before it.
const AFTER: Colour = Colour([0.00, 0.45, 0.70, 1.0]);
const BEFORE: Colour = Colour([0.84, 0.37, 0.00, 1.0]);

/// Limbs that match, and those with the largest gap.
const MEETS: [f64; 3] = [0.80, 0.82, 0.85];
const OFF: [f64; 3] = [0.80, 0.12, 0.05];

/// Returns the onion skin of a seam.
///
/// The pose at the start is grey. The pose at the end, moved back by one cycle, is drawn over it and is redder where the gap
/// is larger. The sticks are the three frames before the seam and the three after it; they are evenly spaced where nothing
/// jumps.
///
/// Errors: [`RenderError::NoSeam`] for a motion that does not repeat.
pub fn onion(scene: &Scene) -> Result<Picture, RenderError> {
    let motion = scene.motion;
    if !motion.repeats() {
        return Err(RenderError::NoSeam);
    }
    let (mut canvas, camera) = scene.set(0.0)?;
    let (start, end) = (motion.around_the_seam(0), motion.end_at_seam());
    let limbs = motion.figure.limbs();
    let gap_of = |point: usize| end[point].distance(start[point]);
    let widest = limbs
        .iter()
        .flat_map(|limb| limb.ends)
        .max_by(|&a, &b| gap_of(a).total_cmp(&gap_of(b)));
    let largest = widest.map_or(0.0, gap_of);
    let full = largest.max(FULL_COLOUR_METRES);
    let (mut below, mut above) = canvas
        .layer()
        .zip(canvas.layer())
        .ok_or(RenderError::of_size(scene.size))?;
    let colour_of =
        |gap: f64| core::array::from_fn(|part| MEETS[part] + (OFF[part] - MEETS[part]) * (gap / full).min(1.0));
    if let (Some((surface, first)), Some((_, last))) = (motion.surface_at(0.0), motion.surface_at_seam()) {
        let [first, last] = [first, last].map(|bones| PosedMesh::new(surface, &bones, camera.target));
        let Colour([red, green, blue, _]) = Colour::GREY;
        let grey = [red, green, blue].map(|channel| channel as f32);
        first.draw(&camera, &mut below, |_| grey);
        last.draw(&camera, &mut above, |vertex| {
            colour_of(last.points[vertex].distance(first.points[vertex])).map(|channel| channel as f32)
        });
    } else {
        draw_body(motion, &start, &camera, &mut below, |_, _| Colour::GREY);
        draw_body(motion, &end, &camera, &mut above, |index, _| {
            let [red, green, blue] = colour_of(limbs[index].ends.map(gap_of).into_iter().fold(0.0, f64::max));
            Colour([red, green, blue, 1.0])
        });
    }
    canvas.lay_layer(&below, 0.65);
    canvas.lay_layer(&above, 0.6);

    let reach = FRAMES.min(motion.num_frames() as isize);
    draw_sticks(motion, &camera, &mut canvas, reach);
    let facts = match widest {
        Some(point) if largest >= 5e-7 => format!(
            "largest gap at the seam {:.1} mm, {}",
            largest * 1e3,
            motion.figure.name_of(point)
        ),
        _ => "first and last pose are the same".to_owned(),
    };
    scene.lay_title(&mut canvas);
    canvas.lay(
        &scene.footnotes(&[&facts, &format!("orange: {reach} frames before, blue: {reach} after")])?,
        [0, 0],
    );
    Ok(canvas.finish())
}

/// Draws the frames before and after the seam, `reach` on either side, as sticks.
fn draw_sticks(motion: &DrawnMotion, camera: &Camera, canvas: &mut Canvas, reach: isize) {
    for offset in (-reach..=reach).filter(|&offset| offset != 0) {
        let points: Vec<DVec3> = motion.around_the_seam(offset);
        let colour = if offset < 0 { BEFORE } else { AFTER };
        for limb in motion.figure.limbs() {
            if let [Some(from), Some(to)] = limb.ends.map(|point| camera.project(points[point])) {
                canvas.stick(
                    [from.at, to.at],
                    colour.faded(0.8 * (1.0 - 0.22 * (offset.abs() - 1) as f64)),
                    1.2,
                );
            }
        }
    }
}
