//! Converts arrays to takes: our own layout, and that of Kimodo.

use std::collections::HashSet;

use glam::{DMat3, DQuat, DVec3};
use loopwright_core::{Joint, Skeleton, Take, math::mean};

use super::{
    array::Array,
    error::NpzError,
    kimodo,
    source::NpzSource,
    zip::{self, Entry},
};
use crate::{
    entry::Loaded,
    error::ReadError,
    excerpt::one_line,
    limits::{MAX_DEPTH_WITH_ROOT, SizeLimits, is_plausible},
    robot::error::RobotMotionError,
    settings::ReadSettings,
    source::{LoadedTake, Source},
    space::{Space, UnitChoice, UpChoice},
    warning::FileWarning,
};

/// A joint is fixed at its offset if its translation in its parent stays within this distance of it, metres; positions have
/// single precision.
const RIGID_METRES: f64 = 2e-5;

/// Shorter quaternions are not rotations, whatever the rounding.
const SHORTEST_ROTATION: f64 = 1e-3;

/// Largest difference of a rotation's determinant from one; matrices have single precision or less.
const MOST_GROWTH: f64 = 0.05;

/// Implements [`crate::read_take`] for NPZ.
pub(super) fn read_take(bytes: &[u8], name: &str, settings: &ReadSettings, _: &mut Vec<FileWarning>) -> Loaded {
    let arrays = Arrays::new(bytes, &settings.limits)?;
    let motion = if arrays.has("names") {
        own(&arrays)?
    } else if arrays.has("posed_joints") && arrays.has("global_rot_mats") {
        of_kimodo(&arrays)?
    } else if arrays.has("joint_pos") && arrays.has("body_pos_w") {
        return Err(RobotMotionError::NoRobot { format: "such NPZ" }.into());
    } else if arrays.has("poses") && arrays.has("trans") {
        return Err(NpzError::Amass.into());
    } else {
        return Err(NpzError::Unknown {
            names: arrays.entries.iter().map(|entry| stem(entry).to_owned()).collect(),
        }
        .into());
    };
    let take = motion.take(name, settings)?;
    let source = Source::Npz(NpzSource::for_take(&take));
    Ok(LoadedTake::new(take, source))
}

/// The arrays of a file, unpacked on request.
pub(super) struct Arrays<'a> {
    entries: Vec<Entry<'a>>,
    file_bytes: usize,
    limits: &'a SizeLimits,
}

/// Returns the name of an array.
fn stem<'a>(entry: &'a Entry<'_>) -> &'a str {
    entry.name.strip_suffix(".npy").unwrap_or(&entry.name)
}

impl<'a> Arrays<'a> {
    /// Errors: the file is no archive.
    pub(super) fn new(bytes: &'a [u8], limits: &'a SizeLimits) -> Result<Self, ReadError> {
        Ok(Self {
            entries: zip::entries(bytes)?,
            file_bytes: bytes.len(),
            limits,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| stem(entry) == name)
    }

    /// Unpacks and reads an array.
    pub(super) fn array(&self, name: &'static str) -> Result<Array, ReadError> {
        let entry = self.entries.iter().find(|entry| stem(entry) == name);
        Ok(Array::read(
            name,
            entry
                .ok_or(NpzError::NoArray { name })?
                .unpacked(self.file_bytes, self.limits)?,
        )?)
    }

    /// Reads the numbers of an array of this shape, and its sizes. Errors: it has another shape, or a number out of range.
    pub(super) fn numbers(
        &self,
        name: &'static str,
        shape: &[Option<usize>],
    ) -> Result<(Vec<f64>, Vec<usize>), ReadError> {
        let array = self.array(name)?;
        array.check_shape(shape)?;
        if let [frames, joints, _, ..] = array.shape[..] {
            self.limits.check_transforms(frames, joints)?;
        }
        Ok((array.numbers()?, array.shape))
    }

    pub(super) fn vectors(
        &self,
        name: &'static str,
        shape: &[Option<usize>],
    ) -> Result<(Vec<DVec3>, Vec<usize>), ReadError> {
        let (numbers, shape) = self.numbers(name, shape)?;
        Ok((numbers.chunks_exact(3).map(DVec3::from_slice).collect(), shape))
    }

    fn rotations(&self, name: &'static str, shape: &[Option<usize>]) -> Result<Vec<DQuat>, ReadError> {
        let (numbers, shape) = self.numbers(name, shape)?;
        let rotations: Vec<DQuat> = numbers.chunks_exact(4).map(DQuat::from_slice).collect();
        match rotations
            .iter()
            .position(|rotation| rotation.length() < SHORTEST_ROTATION)
        {
            Some(at) => Err(no_rotation(name, at, shape[1])),
            None => Ok(rotations),
        }
    }
}

fn no_rotation(name: &'static str, at: usize, num_joints: usize) -> ReadError {
    let (frame, joint) = (at / num_joints, at % num_joints);
    NpzError::NoRotation { name, frame, joint }.into()
}

/// A motion as the arrays state it.
struct Motion {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    /// The offsets; `None` if only the motion shows them.
    offsets: Option<Vec<DVec3>>,
    tips: Vec<Option<DVec3>>,
    fps: f64,
    positions: Vec<DVec3>,
    world: Vec<DQuat>,
    local: Option<Vec<DQuat>>,
}

/// Reads our own layout.
fn own(arrays: &Arrays) -> Result<Motion, ReadError> {
    let names = arrays.array("names")?;
    names.check_shape(&[None])?;
    let num_joints = names.shape[0];
    let names: Vec<String> = names.texts()?.iter().map(|name| one_line(name)).collect();
    let joints = Some(num_joints);
    let (parents, _) = arrays.numbers("parents", &[joints])?;
    let (positions, shape) = arrays.vectors("positions", &[None, joints, Some(3)])?;
    let frames = Some(shape[0]);
    let world = arrays.rotations("world_rotations", &[frames, joints, Some(4)])?;
    let local = arrays
        .has("local_rotations")
        .then(|| arrays.rotations("local_rotations", &[frames, joints, Some(4)]))
        .transpose()?;
    let offsets = arrays
        .has("offsets")
        .then(|| arrays.vectors("offsets", &[joints, Some(3)]))
        .transpose()?;
    let fps = arrays.array("fps")?.numbers()?;
    let &[fps] = &fps[..] else {
        return Err(NpzError::Shape {
            name: "fps".to_owned(),
            found: vec![fps.len()],
            expected: "one number".to_owned(),
        }
        .into());
    };
    Ok(Motion {
        parents: parents
            .iter()
            .map(|&parent| (parent >= 0.0).then_some(parent as usize))
            .collect(),
        tips: tips(arrays, num_joints)?,
        names,
        offsets: offsets.map(|(offsets, _)| offsets),
        fps,
        positions,
        world,
        local,
    })
}

/// Reads the tips of joints without children; NaN stands for an unknown tip.
fn tips(arrays: &Arrays, num_joints: usize) -> Result<Vec<Option<DVec3>>, ReadError> {
    if !arrays.has("tips") {
        return Ok(vec![None; num_joints]);
    }
    let array = arrays.array("tips")?;
    array.check_shape(&[Some(num_joints), Some(3)])?;
    Ok(array
        .any_numbers()?
        .chunks_exact(3)
        .map(DVec3::from_slice)
        .map(|tip| Some(tip).filter(|&tip| is_plausible(tip)))
        .collect())
}

fn of_kimodo(arrays: &Arrays) -> Result<Motion, ReadError> {
    let joints = Some(kimodo::JOINTS.len());
    let (positions, shape) = arrays.vectors("posed_joints", &[None, joints, Some(3)])?;
    let (matrices, _) = arrays.numbers("global_rot_mats", &[Some(shape[0]), joints, Some(3), Some(3)])?;
    // Row-major order.
    let matrices: Vec<DMat3> = matrices
        .chunks_exact(9)
        .map(|nine| DMat3::from_cols_slice(nine).transpose())
        .collect();
    let mut growths = matrices.iter().map(|matrix| (matrix.determinant() - 1.0).abs());
    if let Some(at) = growths.position(|growth| growth > MOST_GROWTH) {
        return Err(no_rotation("global_rot_mats", at, shape[1]));
    }
    Ok(Motion {
        names: kimodo::JOINTS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        parents: kimodo::JOINTS.iter().map(|(_, above)| *above).collect(),
        offsets: None,
        tips: vec![None; kimodo::JOINTS.len()],
        fps: kimodo::FPS,
        world: matrices.iter().map(DQuat::from_mat3).collect(),
        positions,
        local: None,
    })
}

impl Motion {
    fn take(self, name: &str, settings: &ReadSettings) -> Result<Take, ReadError> {
        self.check_joints()?;
        let num_joints = self.names.len();
        let num_frames = self.positions.len() / num_joints.max(1);
        let world = |index: usize| self.world[index].normalize();
        let mut translations = Vec::with_capacity(self.positions.len());
        let mut rotations = Vec::with_capacity(self.positions.len());
        for frame in 0..num_frames {
            for (joint, parent) in self.parents.iter().enumerate() {
                let at = frame * num_joints + joint;
                let above = parent.map(|parent| frame * num_joints + parent);
                translations.push(match above {
                    Some(above) => world(above).conjugate() * (self.positions[at] - self.positions[above]),
                    None => self.positions[at],
                });
                rotations.push(match (&self.local, above) {
                    (Some(local), _) => local[at],
                    (None, Some(above)) => world(above).conjugate() * world(at),
                    (None, None) => world(at),
                });
            }
        }
        let offsets = self.settle_offsets(&mut translations);
        let mut space = Space::METRES_Y_UP;
        if let UpChoice::Given(up) = settings.space.up {
            space.up = up;
        }
        if let UnitChoice::Metres(metres) = settings.space.unit {
            space.unit_metres = metres;
        }
        space.settle(num_joints, &mut translations, &mut rotations);
        let joints = self.names.into_iter().enumerate().map(|(joint, name)| Joint {
            tip: self.tips[joint].map(|tip| tip * space.unit_metres),
            ..Joint::new(name, self.parents[joint], offsets[joint] * space.unit_metres)
        });
        let skeleton = Skeleton::new(joints.collect())?;
        Ok(Take::new(name, skeleton, 1.0 / self.fps, translations, rotations)?)
    }

    /// Returns the offsets of all joints, as stated or on average, and moves joints that do not slide to their offsets.
    fn settle_offsets(&self, translations: &mut [DVec3]) -> Vec<DVec3> {
        let num_joints = self.names.len();
        let num_frames = translations.len() / num_joints.max(1);
        let mut settled = Vec::with_capacity(num_joints);
        for joint in 0..num_joints {
            let frames = (joint..num_frames * num_joints).step_by(num_joints);
            let has_parent = self.parents[joint].is_some();
            let offset = match &self.offsets {
                Some(offsets) => offsets[joint],
                None if has_parent => mean(frames.clone().map(|at| translations[at])),
                None => DVec3::ZERO,
            };
            settled.push(offset);
            let mut off = frames.clone().map(|at| (translations[at] - offset).length());
            if has_parent && (self.offsets.is_none() || off.all(|off| off <= RIGID_METRES)) {
                frames.for_each(|at| translations[at] = offset);
            }
        }
        settled
    }

    /// Checks the joints. Errors: they do not form a skeleton.
    fn check_joints(&self) -> Result<(), ReadError> {
        let mut names = HashSet::new();
        if let Some(name) = self.names.iter().find(|name| !names.insert(*name)) {
            return Err(NpzError::SameName { name: name.clone() }.into());
        }
        let mut depths: Vec<usize> = Vec::with_capacity(self.parents.len());
        for (joint, parent) in self.parents.iter().enumerate() {
            let depth = match *parent {
                Some(parent) if parent >= joint => {
                    return Err(loopwright_core::motion::SkeletonError::ParentNotBefore { joint, parent }.into());
                }
                Some(parent) => depths[parent] + 1,
                None => 0,
            };
            if depth >= MAX_DEPTH_WITH_ROOT {
                return Err(NpzError::TooDeep {
                    limit: MAX_DEPTH_WITH_ROOT,
                }
                .into());
            }
            depths.push(depth);
        }
        Ok(())
    }
}
