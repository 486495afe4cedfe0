//! The motion in a picture: a take as recorded, a cut repeated unchanged, or a loop.

use glam::{DAffine3, DVec3};
use loopwright_core::{
    Analysis, LoopClip, Pose, RootMotion, Take,
    analysis::Heading,
    loop_clip::KeyLayout,
    math::{mean, percentile::extremes},
    root_motion::RootRelativeClip,
};

use crate::{Figure, Surface};

/// Poses at even intervals, and how they repeat.
#[value]
pub struct DrawnMotion {
    /// The body.
    pub(crate) figure: Figure,
    step_secs: f64,
    /// All joints in root space, frame by frame, with the context frames.
    poses: Vec<Pose>,
    /// First frame played, after the context frames.
    first: usize,
    /// Frames played in one cycle.
    num_frames: usize,
    /// The root, which a take does not have: it stays at the origin.
    pub(crate) root: RootMotion,
    repeats: bool,
    /// Source frame of the first frame played, and source frames per frame, for captions.
    numbering: [f64; 2],
    /// Middle of the body for each frame played, in root space; smoothed so that a camera can follow it.
    guide: Vec<DVec3>,
    /// Horizontal direction in which the body moves.
    pub(super) heading: DVec3,
}

/// Why poses cannot be drawn.
#[error_kinds(Copy, Eq)]
pub enum MotionError {
    #[error("the figure has another number of joints than the motion")]
    OtherSkeleton,
    #[error("there are no frames {first} to {last}, only {num_frames} frames")]
    NoSuchFrames {
        first: usize,
        last: usize,
        num_frames: usize,
    },
}

/// Half the time over which the path of a take is averaged for the camera, seconds: longer than a step.
const GUIDE_SECS: f64 = 0.6;

impl DrawnMotion {
    /// Creates the frames `first` to `last` of a take, as recorded.
    pub fn of_take(analysis: &Analysis, figure: &Figure, first: usize, last: usize) -> Result<Self, MotionError> {
        let take = &analysis.take;
        let num_frames = take.num_frames();
        if first > last || last >= num_frames {
            return Err(MotionError::NoSuchFrames {
                first,
                last,
                num_frames,
            });
        }
        let mut motion = Self::still(figure, take.frame_time_secs(), take.num_joints())?;
        motion.poses = (first..=last)
            .map(|frame| take.pose(frame).world(take.skeleton()))
            .collect();
        motion.num_frames = last - first + 1;
        motion.numbering = [first as f64, 1.0];
        let hips = motion.hips();
        motion.guide = smoothed(&hips, (GUIDE_SECS / take.frame_time_secs()).round().min(1e6) as usize);
        motion.heading = heading_of(&hips, &analysis.heading, first);
        Ok(motion)
    }

    /// Creates a cut repeated unchanged, with its jump at the seam; its root continues along the twist.
    ///
    /// `start_frame` and `num_source_frames` are the frames of the take, for captions.
    pub fn of_cut(
        source: &RootRelativeClip,
        figure: &Figure,
        start_frame: f64,
        num_source_frames: f64,
    ) -> Result<Self, MotionError> {
        let clip = &source.clip;
        let mut motion = Self::still(figure, clip.step_secs(), clip.skeleton().num_joints())?;
        motion.poses = clip
            .sample_range()
            .map(|sample| clip.pose(sample).world(clip.skeleton()))
            .collect();
        motion.first = clip.sample_range().start().unsigned_abs();
        motion.num_frames = clip.num_intervals();
        motion.numbering = [start_frame, num_source_frames / clip.num_intervals() as f64];
        motion.root = source.root;
        motion.repeating();
        Ok(motion)
    }

    /// Creates a loop after closing.
    pub fn of_loop(loop_clip: &LoopClip, figure: &Figure) -> Result<Self, MotionError> {
        let mut motion = Self::still(figure, loop_clip.step_secs(), loop_clip.skeleton().num_joints())?;
        for sample in 0..=loop_clip.num_samples() {
            // A root on a path sways about its twist, so points are relative to the twist.
            let sway =
                loop_clip.root().at(sample as f64 * loop_clip.step_secs()).inverse() * loop_clip.root_pose(sample);
            motion
                .poses
                .push(loop_clip.body_pose(sample).world(loop_clip.skeleton()).moved(sway));
        }
        motion.num_frames = loop_clip.num_samples();
        motion.root = *loop_clip.root();
        motion.repeating();
        Ok(motion)
    }

    /// Creates a loop as its file holds it.
    ///
    /// Errors: the file has fewer frames than the layout says, or other joints than the figure.
    pub fn of_written(
        written: &Take,
        layout: KeyLayout,
        root: RootMotion,
        figure: &Figure,
    ) -> Result<Self, MotionError> {
        let missing = |last| MotionError::NoSuchFrames {
            first: 0,
            last,
            num_frames: written.num_frames(),
        };
        if layout.last_step != 1.0 {
            // All of the body moves with its first joint.
            return Self::of_loop(
                &LoopClip::from_keys(written, layout, layout.shown(&root), 0)
                    .map_err(|_| missing(layout.num_samples))?,
                figure,
            );
        }
        let last = layout.num_samples.max(1) - 1 + usize::from(layout.has_closing_key);
        if last >= written.num_frames() {
            return Err(missing(last));
        }
        let mut motion = Self::still(figure, written.frame_time_secs(), written.num_joints())?;
        motion.root = layout.shown(&root);
        for frame in 0..=last {
            let root_from_world = motion.root.at(frame as f64 * motion.step_secs).inverse();
            motion
                .poses
                .push(written.pose(frame).world(written.skeleton()).moved(root_from_world));
        }
        motion.num_frames = layout.num_samples.max(1);
        motion.repeating();
        Ok(motion)
    }

    /// Creates a motion without frames. Errors: a pose has another number of joints than the figure.
    fn still(figure: &Figure, step_secs: f64, num_joints: usize) -> Result<Self, MotionError> {
        if num_joints != figure.num_joints() {
            return Err(MotionError::OtherSkeleton);
        }
        Ok(Self {
            figure: figure.clone(),
            step_secs,
            poses: Vec::new(),
            first: 0,
            num_frames: 0,
            root: RootMotion::NONE,
            repeats: false,
            numbering: [0.0, 1.0],
            guide: Vec::new(),
            heading: DVec3::Z,
        })
    }

    /// Completes a repeating motion: in root space the body stays near one point.
    fn repeating(&mut self) {
        self.repeats = true;
        self.guide = vec![mean(self.hips()); self.num_frames];
        // In a turn, the middle of the cycle represents the whole.
        self.heading = self.root.at(0.5 * self.period_secs()).rotation * DVec3::Z;
    }

    /// Returns the hips in the frames played, in root space.
    fn hips(&self) -> Vec<DVec3> {
        self.poses[self.first..self.first + self.num_frames]
            .iter()
            .map(|pose| pose.translations[self.figure.hips()])
            .collect()
    }

    /// Returns the number of frames of one cycle, or of the whole take.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }

    /// Returns the seconds of one cycle, or of a take from its first frame to its last.
    pub fn period_secs(&self) -> f64 {
        (self.num_frames - usize::from(!self.repeats)) as f64 * self.step_secs
    }

    /// Whether the last frame leads to the first.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Returns the seconds between frames.
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// Returns the frame's number in the source, for captions.
    pub(super) fn number_of(&self, frame: usize) -> f64 {
        self.numbering[0] + self.numbering[1] * (frame % self.num_frames) as f64
    }

    /// Returns the world position that a camera follows, `secs` after the start; a take stops at its ends.
    pub(super) fn guide_at(&self, secs: f64) -> DVec3 {
        let ([before, after], u) = self.around(secs);
        self.root
            .at(secs)
            .transform_point(self.guide[before].lerp(self.guide[after % self.num_frames], u))
    }

    /// Returns the world positions of the figure's points `secs` after the start; a repeating motion continues for any number
    /// of cycles.
    pub(super) fn points_at(&self, secs: f64) -> Vec<DVec3> {
        self.in_world(&self.body_at(secs), secs)
    }

    /// Returns the points in the axes of the root at a time, in the world.
    fn in_world(&self, points: &[DVec3], secs: f64) -> Vec<DVec3> {
        let root = self.root.at(secs);
        points.iter().map(|&point| root.transform_point(point)).collect()
    }

    /// Returns the positions of the figure's points `secs` after the start, in the axes of the root.
    pub(crate) fn body_at(&self, secs: f64) -> Vec<DVec3> {
        let (frames, u) = self.around(secs);
        let [before, after] = frames.map(|frame| self.frame(frame as isize));
        before
            .into_iter()
            .zip(after)
            .map(|(a, b)| if u > 0.0 { a.lerp(b, u) } else { a })
            .collect()
    }

    /// Returns the pose that ends a cycle, in the axes of the root: if it differs from the one that starts it, the seam is a jump.
    pub(crate) fn body_at_end(&self) -> Vec<DVec3> {
        self.frame(self.end_frame() as isize)
    }

    /// Returns all joints in the axes of the root.
    pub(crate) fn joints_at(&self, secs: f64) -> Pose {
        let (frames, u) = self.around(secs);
        let [before, after] = frames.map(|frame| self.joints(frame as isize));
        if u == 0.0 {
            return before.clone();
        }
        (0..before.rotations.len())
            .map(|joint| {
                (
                    before.translations[joint].lerp(after.translations[joint], u),
                    before.rotations[joint].lerp(after.rotations[joint], u),
                )
            })
            .collect()
    }

    /// Returns all joints in the world.
    fn world_at(&self, secs: f64) -> Pose {
        self.joints_at(secs).moved(self.root.at(secs))
    }

    /// Returns all joints of the pose that ends a cycle, in the axes of the root.
    pub(crate) fn joints_at_end(&self) -> &Pose {
        self.joints(self.end_frame() as isize)
    }

    /// Returns all joints at a frame, in root space; context frames have negative numbers or numbers beyond the cycle.
    fn joints(&self, frame: isize) -> &Pose {
        &self.poses[(self.first as isize + frame).clamp(0, self.poses.len() as isize - 1) as usize]
    }

    /// Returns the mesh of the body and its bones in the world; `None` for a body of capsules.
    pub(super) fn surface_at(&self, secs: f64) -> Option<(&Surface, Vec<DAffine3>)> {
        self.surface_of(&self.world_at(secs))
    }

    /// Returns the mesh and its bones in the pose that ends a cycle and should equal the one that starts it.
    pub(super) fn surface_at_seam(&self) -> Option<(&Surface, Vec<DAffine3>)> {
        self.surface_of(&self.joints_at_end().clone().moved(self.root.at(0.0)))
    }

    fn surface_of(&self, world: &Pose) -> Option<(&Surface, Vec<DAffine3>)> {
        let surface = self.figure.surface()?;
        Some((surface, surface.mesh.bones_at(world)))
    }

    /// Returns world positions that show the extent of the mesh, and whether each belongs to a sole; none for a body of capsules.
    pub(super) fn reach_at(&self, secs: f64) -> Vec<(DVec3, bool)> {
        self.reach_of(&self.world_at(secs))
    }

    /// Returns positions that show the extent of the mesh, and whether each belongs to a sole, for joints in any axes.
    pub(crate) fn reach_of(&self, joints: &Pose) -> Vec<(DVec3, bool)> {
        let Some(surface) = self.figure.surface() else {
            return Vec::new();
        };
        let (reach, origin) = (&surface.reach, joints.translations[self.figure.hips()]);
        reach
            .posed(&reach.bones_at(joints), origin)
            .into_iter()
            .zip(&reach.vertices)
            .map(|([position, _], vertex)| {
                (
                    origin + DVec3::from_array(position.map(f64::from)),
                    self.figure.is_of_sole(reach.bones[usize::from(vertex.bones[0])].joint),
                )
            })
            .filter(|(place, _)| place.is_finite())
            .collect()
    }

    /// Whether the pose that ends a cycle is held apart from the one that starts it.
    pub(crate) fn ends_apart(&self) -> bool {
        self.end_frame() != 0
    }

    /// Returns where the body stands on the ground in a pose, by its points and the reach of its mesh: the soles of its mesh, else those of its capsules;
    /// all points of a body without feet.
    fn standing(&self, points: Vec<DVec3>, mut of_mesh: Vec<(DVec3, bool)>) -> Vec<DVec3> {
        of_mesh.retain(|(_, is_of_sole)| *is_of_sole);
        let soles = self.figure.soles();
        if !of_mesh.is_empty() {
            of_mesh.into_iter().map(|(place, _)| place).collect()
        } else if soles.is_empty() {
            points
        } else {
            let below = |&(point, above): &(usize, f64)| points[point] - DVec3::Y * above;
            soles.iter().map(below).collect()
        }
    }

    /// Returns where the body stands in the world.
    pub(super) fn standing_at(&self, secs: f64) -> Vec<DVec3> {
        self.standing(self.points_at(secs), self.reach_at(secs))
    }

    /// Returns the lowest possible height of the ground: under the lowest point that stands on it, or under the lowest point of all.
    pub(crate) fn lowest_sole(&self) -> f64 {
        let (lowest, _) = extremes(
            (0..self.num_frames as isize)
                .flat_map(|frame| self.standing(self.frame(frame), self.reach_of(self.joints(frame))))
                .map(|place| place.y),
        );
        if lowest.is_finite() { lowest } else { 0.0 }
    }

    /// Returns the two frames around a time, whose points and joints are known, and the fraction between them.
    fn around(&self, secs: f64) -> ([usize; 2], f64) {
        let last = self.num_frames - 1;
        let frame = secs / self.step_secs;
        // Rounding must not change a whole frame into the one just before it.
        let whole = (frame + 1e-6).floor().max(0.0);
        let u = (frame - whole).clamp(0.0, 1.0);
        let u = if u < 1e-6 { 0.0 } else { u };
        let whole = whole as usize;
        if !self.repeats && whole >= last {
            return ([last; 2], 0.0);
        }
        let before = whole % self.num_frames;
        // Up to the pose that ends the cycle: if it differs from the one that starts the cycle, the seam is a jump.
        let after = if before == last { self.end_frame() } else { before + 1 };
        ([before, after], u)
    }

    /// Returns the figure's points at a frame, in root space.
    fn frame(&self, frame: isize) -> Vec<DVec3> {
        self.figure.points(self.joints(frame))
    }

    /// Returns the world positions at the seam: of the frames that start a cycle when `offset` is 0 or more, else of the frames
    /// before it.
    ///
    /// The frames before end a cycle; they are moved to where the next cycle starts.
    pub(super) fn around_the_seam(&self, offset: isize) -> Vec<DVec3> {
        let frame = if offset < 0 {
            self.num_frames as isize + offset
        } else {
            offset
        };
        self.in_world(&self.frame(frame), offset as f64 * self.step_secs)
    }

    /// Returns the world positions of the pose that ends a cycle and should equal the one that starts it.
    pub(super) fn end_at_seam(&self) -> Vec<DVec3> {
        self.in_world(&self.body_at_end(), 0.0)
    }

    /// Returns the frame after the last one played; for a loop without its closing frame, the first.
    fn end_frame(&self) -> usize {
        if self.first + self.num_frames < self.poses.len() {
            self.num_frames
        } else {
            0
        }
    }
}

/// Returns a moving average over equally many frames on either side, fewer at the ends.
fn smoothed(track: &[DVec3], reach: usize) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO];
    for &p in track {
        sums.push(sums[sums.len() - 1] + p);
    }
    (0..track.len())
        .map(|at| {
            let reach = reach.min(at).min(track.len() - 1 - at);
            (sums[at + reach + 1] - sums[at - reach]) / (2 * reach + 1) as f64
        })
        .collect()
}

/// A body that moves less than this uses its facing as heading, metres.
const LEAST_MOTION: f64 = 1.0;

/// Returns the heading of a span of a take: the direction of its motion, or the mean facing of the body if it hardly moves.
fn heading_of(hips: &[DVec3], heading: &Heading, first: usize) -> DVec3 {
    let motion = hips
        .last()
        .zip(hips.first())
        .map_or(DVec3::ZERO, |(&end, &start)| end - start);
    if motion.with_y(0.0).length() > LEAST_MOTION {
        return motion;
    }
    (first..first + hips.len())
        .map(|frame| heading.world_from_heading(frame).rotation * DVec3::Z)
        .sum()
}
