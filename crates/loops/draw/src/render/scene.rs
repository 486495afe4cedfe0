//! A motion with its ground, light and camera.

use glam::DVec3;
use loopwright_core::{analysis::Side, math::bounds};

use super::{
    camera::{Camera, Orientation, View},
    canvas::{Canvas, Colour, Ink, MAX_PIXELS},
    caption::{self, Caption},
    ground::Ground,
    mesh::PosedMesh,
    motion::DrawnMotion,
    picture::Picture,
};
use crate::plot::PngError;

/// The view of a motion.
#[value(Copy)]
pub struct SceneSettings {
    /// Side from which the body is seen.
    pub view: View,
    /// Whether the camera is fixed and shows the whole path, instead of following the body.
    pub is_fixed: bool,
    /// Pixels across and down, 16 to 4096.
    pub size: [u32; 2],
    /// Cycles shown of a repeating motion, at least 1.
    pub cycles: u32,
}

impl Default for SceneSettings {
    fn default() -> Self {
        Self {
            view: View::ThreeQuarter,
            is_fixed: false,
            size: [512, 512],
            cycles: 1,
        }
    }
}

/// Why a picture cannot be drawn.
#[error_kinds]
pub enum RenderError {
    #[error("a picture of {width} x {height} pixels cannot be made; its sides must lie between {} and {}, and a sheet of many may hold {MAX_PIXELS} pixels", SIDES.start(), SIDES.end())]
    Size { width: u32, height: u32 },
    #[error("the motion does not repeat, so it has no seam")]
    NoSeam,
    /// Text could not be drawn, or the picture could not be encoded.
    Png(PngError),
    /// An animation could not be encoded.
    #[error("the animation cannot be packed: {why}")]
    Packing { why: String },
}

impl RenderError {
    pub(super) fn of_size([width, height]: [u32; 2]) -> Self {
        Self::Size { width, height }
    }
}

/// Range of a picture's width and height, pixels.
const SIDES: core::ops::RangeInclusive<u32> = 16..=4096;

/// Most frames used to position the camera.
const MAX_LOOKS: usize = 400;

const PATH_POINTS: usize = 240;

/// Text height as a share of the picture's shorter side.
const TYPE: f64 = 0.034;

/// A motion ready to be drawn at any time.
pub struct Scene<'a> {
    pub(super) motion: &'a DrawnMotion,
    /// Pixels across and down.
    pub(super) size: [u32; 2],
    axes: Orientation,
    distance: f64,
    is_fixed: bool,
    /// Offset from the path that the camera follows to its target; for a fixed camera, the target in the world.
    target: DVec3,
    ground: Ground,
    path: Vec<DVec3>,
    shown_secs: f64,
    title: Option<Picture>,
}

impl<'a> Scene<'a> {
    /// Sets up ground and camera so that the whole body is in the picture at all times.
    ///
    /// `title` is written at the top. Errors: [`RenderError::Size`].
    pub fn new(motion: &'a DrawnMotion, settings: &SceneSettings, title: &str) -> Result<Self, RenderError> {
        if !settings.size.iter().all(|side| SIDES.contains(side)) {
            return Err(RenderError::of_size(settings.size));
        }
        let cycles = if motion.repeats() { settings.cycles.max(1) } else { 1 };
        let shown_secs = f64::from(cycles) * motion.period_secs();
        let ground = Ground::under(motion, shown_secs);
        let axes = Orientation::new(settings.view, motion.heading);
        let looks = ((shown_secs / motion.step_secs()).round() as usize).clamp(1, MAX_LOOKS);
        let times: Vec<f64> = (0..=looks).map(|at| shown_secs * at as f64 / looks as f64).collect();
        let (low, high) = bounds(times.iter().flat_map(|&secs| {
            let origin = if settings.is_fixed {
                DVec3::ZERO
            } else {
                motion.guide_at(secs)
            };
            drawn(motion, secs).map(move |point| point - origin)
        }));
        let mut scene = Self {
            motion,
            size: settings.size,
            axes,
            distance: 1.0,
            is_fixed: settings.is_fixed,
            target: if low.is_finite() && high.is_finite() {
                (low + high) / 2.0
            } else {
                DVec3::ZERO
            },
            ground,
            path: (0..=PATH_POINTS)
                .map(|at| motion.guide_at(shown_secs * at as f64 / PATH_POINTS as f64))
                .map(|position| ground.below(position))
                .collect(),
            shown_secs,
            title: None,
        };
        // Margin around the points for the thickness of the body.
        let flesh = DVec3::splat(0.06 * motion.figure.stature());
        scene.distance = axes.distance(
            times.iter().flat_map(|&secs| {
                let target = scene.target_at(secs);
                drawn(motion, secs).flat_map(move |point| [point - target - flesh, point - target + flesh])
            }),
            settings.size,
        );
        if !title.is_empty() {
            let height = scene.type_height();
            scene.title = Some(scene.words([(1.5 * height, true, title)])?);
        }
        Ok(scene)
    }

    /// Returns the seconds shown: all cycles of a repeating motion.
    pub fn shown_secs(&self) -> f64 {
        self.shown_secs
    }

    fn target_at(&self, secs: f64) -> DVec3 {
        if self.is_fixed {
            self.target
        } else {
            self.motion.guide_at(secs) + self.target
        }
    }

    /// Returns an empty sheet with grid and path, and the camera, at a time.
    pub(super) fn set(&self, secs: f64) -> Result<(Canvas, Camera), RenderError> {
        let mut canvas = Canvas::new(self.size).ok_or(RenderError::of_size(self.size))?;
        let camera = Camera::new(self.axes, self.target_at(secs), self.distance, self.size);
        self.ground.draw_grid(&camera, &mut canvas);
        let at = ((self.share_of(secs) * PATH_POINTS as f64) as usize).min(PATH_POINTS);
        canvas.line(&camera, &self.path[at..], Ink::PathAhead, 1.0);
        canvas.line(&camera, &self.path[..=at], Ink::PathBehind, 1.0);
        if self.motion.repeats() && self.motion.period_secs() > 0.0 {
            self.draw_marks(&camera, &mut canvas);
        }
        Ok((canvas, camera))
    }

    /// A line across the path at the start of each cycle.
    fn draw_marks(&self, camera: &Camera, canvas: &mut Canvas) {
        let cycles = (self.shown_secs / self.motion.period_secs()).round() as u32;
        for cycle in 0..=cycles {
            let secs = f64::from(cycle) * self.motion.period_secs();
            let aside = self.motion.root.at(secs).rotation * (DVec3::X * (0.05 * self.motion.figure.stature()));
            let at = self.motion.guide_at(secs);
            canvas.line(
                camera,
                &[at - aside, at + aside].map(|position| self.ground.below(position)),
                Ink::Mark,
                1.0,
            );
        }
    }

    /// Returns the picture at a time, seconds after the start; a repeating motion continues for any number of cycles.
    pub fn frame(&self, secs: f64) -> Result<Picture, RenderError> {
        let mut canvas = self.untitled(secs)?;
        self.lay_title(&mut canvas);
        Ok(canvas.finish())
    }

    /// Returns the picture at a time without the title.
    pub(super) fn untitled(&self, secs: f64) -> Result<Canvas, RenderError> {
        let (mut canvas, camera) = self.set(secs)?;
        if let Some((surface, bones)) = self.motion.surface_at(secs) {
            let posed = PosedMesh::new(surface, &bones, camera.target);
            self.ground
                .draw_mesh_shadow(&posed.points, posed.indices(), &camera, &mut canvas);
            posed.draw(&camera, &mut canvas, |vertex| surface.inks[vertex]);
        } else {
            let points = self.motion.points_at(secs);
            self.ground.draw_shadow(self.motion, &points, &camera, &mut canvas);
            draw_body(self.motion, &points, &camera, &mut canvas, |_, side| {
                Colour::of_side(side)
            });
        }
        self.draw_clock(secs, &mut canvas);
        Ok(canvas)
    }

    /// Writes the title at the top.
    pub(super) fn lay_title(&self, canvas: &mut Canvas) {
        if let Some(title) = &self.title {
            canvas.lay(title, [0, 0]);
        }
    }

    /// Returns the share of the shown motion that has passed at a time.
    fn share_of(&self, secs: f64) -> f64 {
        if self.shown_secs > 0.0 {
            (secs / self.shown_secs).clamp(0.0, 1.0)
        } else {
            1.0
        }
    }

    /// A progress bar along the bottom, with a gap at every seam.
    fn draw_clock(&self, secs: f64, canvas: &mut Canvas) {
        let [width, height] = self.size.map(f64::from);
        let thick = (height.min(width) / 170.0).max(1.0);
        canvas.bar(0.0, height - thick, width * self.share_of(secs), thick, Colour::GREY);
        if self.motion.repeats() {
            let cycles = (self.shown_secs / self.motion.period_secs()).round();
            for cycle in 1..cycles.min(width / 4.0) as u32 {
                let at = width * f64::from(cycle) / cycles;
                canvas.bar(
                    at - thick,
                    height - 2.0 * thick,
                    2.0 * thick,
                    2.0 * thick,
                    Colour::PAPER,
                );
            }
        }
    }

    /// Lines of text at the bottom of the picture.
    pub(super) fn footnotes(&self, lines: &[&str]) -> Result<Picture, RenderError> {
        let height = self.type_height();
        let bottom = f64::from(self.size[1]) - 0.9 * height;
        self.words(
            lines
                .iter()
                .enumerate()
                .map(|(line, words)| (bottom - 1.35 * height * (lines.len() - 1 - line) as f64, false, *words)),
        )
    }

    fn type_height(&self) -> f64 {
        let [width, height] = self.size.map(f64::from);
        (TYPE * width.min(height)).max(9.0)
    }

    /// Lines of text: baseline in pixels from the top, whether bold, and the text.
    fn words<'w>(&self, lines: impl IntoIterator<Item = (f64, bool, &'w str)>) -> Result<Picture, RenderError> {
        let height = self.type_height();
        Ok(caption::sheet(
            self.size,
            &lines
                .into_iter()
                .map(|(base, is_bold, words)| Caption {
                    at: [0.7 * height, base],
                    height,
                    is_bold,
                    words: words.to_owned(),
                    width: f64::from(self.size[0]) - 1.4 * height,
                })
                .collect::<Vec<_>>(),
        )?)
    }
}

/// Returns the points of a motion that capsules are drawn between, and those that a mesh reaches.
fn drawn(motion: &DrawnMotion, secs: f64) -> impl Iterator<Item = DVec3> {
    let reach: Vec<DVec3> = motion.reach_at(secs).into_iter().map(|(place, _)| place).collect();
    let points = motion.points_at(secs);
    let limbs: Vec<[usize; 2]> = motion.figure.limbs().iter().map(|limb| limb.ends).collect();
    let ends: Vec<usize> = if limbs.is_empty() {
        (0..points.len()).collect()
    } else {
        limbs.into_iter().flatten().collect()
    };
    ends.into_iter().map(move |end| points[end]).chain(reach)
}

/// Draws all capsules, the farthest first; `colour` returns a capsule's colour by index and side.
pub(super) fn draw_body(
    motion: &DrawnMotion,
    points: &[DVec3],
    camera: &Camera,
    canvas: &mut Canvas,
    colour: impl Fn(usize, Option<Side>) -> Colour,
) {
    let limbs = motion.figure.limbs();
    let depth = |index: &usize| {
        let [from, to] = limbs[*index].ends.map(|end| points[end]);
        camera.project((from + to) / 2.0).map_or(0.0, |spot| spot.depth)
    };
    let mut order: Vec<usize> = (0..limbs.len()).collect();
    order.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    for index in order {
        let limb = &limbs[index];
        canvas.capsule(
            camera,
            limb.ends.map(|end| points[end]),
            limb.radii,
            colour(index, limb.side),
        );
    }
}
