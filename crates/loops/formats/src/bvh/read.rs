//! Parses BVH files and converts their contents to takes.

use core::ops::Range;

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Skeleton, Take, analysis::probe_stride};

use super::{
    BvhJoint, Hierarchy,
    channel::ChannelKind,
    hierarchy::{self, Tree},
    lex::Lexer,
    motion::{self, RowSink},
    source::BvhSource,
    warning::BvhWarning,
};
use crate::{
    entry::Loaded,
    error::ReadError,
    euler,
    excerpt::cut,
    settings::ReadSettings,
    source::{LoadedTake, Source},
    space::{Space, guess},
    text,
    warning::FileWarning,
};

/// Whether a file is BVH: its first word is HIERARCHY.
pub(super) fn is_bvh(bytes: &[u8]) -> bool {
    const FIRST_WORD: &[u8] = b"HIERARCHY";
    let head = text::from_first_letter(bytes).get(..FIRST_WORD.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(FIRST_WORD))
}

/// Whether a file is text in 16-bit units, little or big end first.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        // Without a mark: letters with a zero byte between them.
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Opens the contents of a file that may be BVH.
fn open(bytes: &[u8]) -> Result<Lexer<'_>, ReadError> {
    if text::from_first_letter(bytes).is_empty() {
        return Err(ReadError::Empty);
    }
    if is_utf16(bytes) {
        return Err(ReadError::Utf16);
    }
    Ok(Lexer::new(text::without_byte_order_mark(bytes)))
}

/// Local transforms of rows, in the axes and unit of the file until [`Space::settle`] converts them.
pub(super) struct Frames {
    num_joints: usize,
    pub translations: Vec<DVec3>,
    pub rotations: Vec<DQuat>,
}

impl Frames {
    /// Creates an empty list of frames.
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        Self {
            num_joints: hierarchy.joints().len(),
            translations: Vec::new(),
            rotations: Vec::new(),
        }
    }

    pub(super) fn append(&mut self, hierarchy: &Hierarchy, row: &[f64]) {
        let mut values = row.iter();
        for joint in hierarchy.joints() {
            let (translation, rotation) = transform(joint, &mut values);
            self.translations.push(translation);
            self.rotations.push(rotation);
        }
    }

    /// Whether positions count from the OFFSETs: all below the root are zero, which would make the body a point.
    fn are_from_offsets(&self, hierarchy: &Hierarchy) -> bool {
        let mut frames = self.translations.chunks(self.num_joints);
        hierarchy.joints[1..].iter().any(|joint| joint.offset != DVec3::ZERO)
            && frames.all(|frame| frame[1..].iter().all(|position| *position == DVec3::ZERO))
    }

    /// Puts all joints below the root at their OFFSETs, and removes their position channels, which programs read in two ways.
    fn add_offsets(&mut self, hierarchy: &mut Hierarchy) {
        for (index, joint) in hierarchy.joints.iter_mut().enumerate().skip(1) {
            joint.channels.retain(|channel| channel.kind != ChannelKind::Position);
            let positions = self.translations.iter_mut().skip(index);
            positions
                .step_by(self.num_joints)
                .for_each(|position| *position = joint.offset);
        }
    }

    /// Returns every n-th frame.
    fn every(&self, stride: usize) -> Self {
        let translations = self.translations.chunks(self.num_joints).step_by(stride);
        let rotations = self.rotations.chunks(self.num_joints).step_by(stride);
        Self {
            num_joints: self.num_joints,
            translations: translations.flatten().copied().collect(),
            rotations: rotations.flatten().copied().collect(),
        }
    }

    /// Returns the frames as a take; they are in the axes and unit of `space`, or still in the file's if these are not known
    /// yet.
    pub(super) fn take(
        mut self,
        name: &str,
        hierarchy: &Hierarchy,
        space: &Space,
        frame_time_secs: f64,
    ) -> Result<Take, ReadError> {
        // A file may declare more rows than it has.
        self.translations.shrink_to_fit();
        self.rotations.shrink_to_fit();
        let skeleton = skeleton(hierarchy, space)?;
        Ok(Take::new(
            name,
            skeleton,
            frame_time_secs,
            self.translations,
            self.rotations,
        )?)
    }
}

/// Collects the poses of all rows.
struct Poses<'h> {
    hierarchy: &'h Hierarchy,
    /// Most transforms allowed.
    limit: usize,
    /// The range of its values in a row.
    values: Range<usize>,
    frames: Frames,
}

impl RowSink for Poses<'_> {
    fn expect(&mut self, max_rows: usize) {
        let most = self.limit.saturating_sub(self.frames.translations.len());
        let count = max_rows.saturating_mul(self.hierarchy.joints().len()).min(most);
        self.frames.translations.reserve_exact(count);
        self.frames.rotations.reserve_exact(count);
    }

    fn push(&mut self, row: &[f64]) {
        // Reading continues, because a later error is reported before the number of rows.
        let num = self.frames.translations.len() + self.hierarchy.joints().len();
        if num <= self.limit {
            self.frames.append(self.hierarchy, &row[self.values.clone()]);
        }
    }
}

/// Implements [`crate::read_take`] for BVH. Apart from the take, it uses no memory in proportion to the file.
///
/// Every dialect of docs/formats/bvh.md is read. The call stack does not grow with the nesting of joints, and memory does not grow
/// with a number that the file only states.
pub(super) fn read_take(bytes: &[u8], name: &str, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Loaded {
    let mut lexer = open(bytes)?;
    let trees = hierarchy::read(&mut lexer, warnings)?;
    let Tree { mut hierarchy, values } = trees.chosen(settings.skin, warnings)?;
    let num_joints = hierarchy.joints().len();
    let mut poses = Poses {
        hierarchy: &hierarchy,
        limit: settings.limits.most_transforms(),
        values,
        frames: Frames::new(&hierarchy),
    };
    let (frame_time, num_frames) = motion::read(&mut lexer, &trees.whole, &mut poses, warnings)?;
    settings.limits.check_transforms(num_frames, num_joints)?;
    let frame_time_secs = frame_time.secs;
    let mut frames = poses.frames;
    if frames.are_from_offsets(&hierarchy) {
        warnings.push(BvhWarning::ZeroPositions.into());
        frames.add_offsets(&mut hierarchy);
    }
    let some = frames.every(probe_stride(num_frames));
    let probe = some.take("", &hierarchy, &Space::METRES_Y_UP, frame_time_secs)?;
    let space = guess::settle_unturned(&probe, &settings.space, warnings);
    space.settle(frames.num_joints, &mut frames.translations, &mut frames.rotations);
    let take = frames.take(name, &hierarchy, &space, frame_time_secs)?;
    let source = Source::Bvh(BvhSource {
        hierarchy,
        frame_time,
        space,
    });
    Ok(LoadedTake::new(take, source))
}

pub(super) fn skeleton(hierarchy: &Hierarchy, space: &Space) -> Result<Skeleton, ReadError> {
    let joints = hierarchy
        .joints()
        .iter()
        .zip(hierarchy::are_leaves(hierarchy.joints()))
        .map(|(joint, is_leaf)| {
            // The root's offset is a position in the world, so it rotates with the axes.
            let offset = if joint.parent.is_none() {
                space.turned(joint.offset)
            } else {
                joint.offset
            };
            let name = cut(&joint.name, hierarchy::MAX_SHOWN_NAME);
            Joint {
                tip: joint
                    .end_sites
                    .first()
                    .filter(|_| is_leaf)
                    .map(|tip| *tip * space.unit_metres),
                ..Joint::new(name, joint.parent, offset * space.unit_metres)
            }
        })
        .collect();
    Ok(Skeleton::new(joints)?)
}

/// Computes the local transform of a joint from the next values of a row, in the file's axes and unit.
#[inline(always)]
fn transform(joint: &BvhJoint, values: &mut core::slice::Iter<'_, f64>) -> (DVec3, DQuat) {
    let mut translation = joint.offset;
    let mut rotation = DQuat::IDENTITY;
    for (channel, value) in joint.channels.iter().zip(values) {
        match channel.kind {
            ChannelKind::Position => translation[channel.axis.index()] = *value,
            ChannelKind::Rotation => rotation = euler::turned(rotation, channel.axis, value.to_radians()),
            ChannelKind::Scale => {}
        }
    }
    (translation, rotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{SpaceSettings, UnitChoice, UpChoice};

    const HEAD: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 1 2 3\n";

    fn read(text: &str, up: UpChoice) -> Take {
        let settings = SpaceSettings::new(up, UnitChoice::Metres(0.1));
        crate::read_take(text.as_bytes(), "t", &ReadSettings::in_space(settings), &mut Vec::new())
            .unwrap()
            .take
    }

    #[test]
    fn positions_replace_the_offset_component_by_component() {
        let take = read(
            &format!("{HEAD}CHANNELS 2 Zposition Xposition\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n30 10\n"),
            UpChoice::Y,
        );
        assert_eq!(take.translations(0)[0], DVec3::new(1.0, 0.2, 3.0));
        assert!((take.skeleton().joint(0).rest_offset - DVec3::new(0.1, 0.2, 0.3)).length() < 1e-15);
    }

    #[test]
    fn rotations_apply_in_the_order_of_the_list_whatever_stands_between_them() {
        let take = read(
            &format!("{HEAD}CHANNELS 3 Zrotation Yposition Xrotation\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n90 0 90\n"),
            UpChoice::Y,
        );
        // About X first: Y goes to Z, which the rotation about Z does not change.
        assert!((take.rotations(0)[0] * DVec3::Y - DVec3::Z).length() < 1e-15);
        assert!((take.rotations(0)[0] * DVec3::X - DVec3::Y).length() < 1e-15);
    }

    /// Two bodies in one file, of which the second has more joints.
    #[test]
    fn of_several_trees_one_is_chosen() {
        let text = "HIERARCHY ROOT Prop { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition }
            ROOT Hips { OFFSET 0 0 0 CHANNELS 1 Yposition JOINT Head { OFFSET 0 6 0 CHANNELS 1 Yrotation } }
            MOTION Frames: 2 Frame Time: 0.1 1 2 3 9 30 4 5 6 8 60";
        let read = |skin: Option<&str>| {
            let settings = ReadSettings {
                skin,
                ..ReadSettings::in_space(SpaceSettings::new(UpChoice::Y, UnitChoice::Metres(1.0)))
            };
            let mut warnings = Vec::new();
            let read = crate::read_take(text.as_bytes(), "t", &settings, &mut warnings).map(|loaded| loaded.take);
            (read, warnings)
        };
        let names = ["Prop", "Hips"].map(str::to_owned).to_vec();
        let (largest, warnings) = read(None);
        let warning = FileWarning::OtherSkeletons {
            taken: "Hips".to_owned(),
            names: names.clone(),
            count: 1,
        };
        assert!(warnings.contains(&warning), "{warnings:?}");
        for take in [
            largest.unwrap(),
            read(Some("Hips")).0.unwrap(),
            read(Some("1")).0.unwrap(),
        ] {
            assert_eq!(take.num_joints(), 2);
            assert_eq!((take.translations(0)[0].y, take.translations(1)[0].y), (9.0, 8.0));
            assert!(
                (take.rotations(1)[1] * DVec3::Z).distance(DQuat::from_rotation_y(60_f64.to_radians()) * DVec3::Z)
                    < 1e-12
            );
        }
        let (prop, warnings) = read(Some("Prop"));
        assert_eq!(prop.unwrap().translations(1)[0], DVec3::new(4.0, 5.0, 6.0));
        assert!(
            !warnings
                .iter()
                .any(|warning| matches!(warning, FileWarning::OtherSkeletons { .. }))
        );
        let wanted = "Wing".to_owned();
        assert_eq!(read(Some("Wing")).0, Err(ReadError::NoSuchSkeleton { wanted, names }));
    }

    #[test]
    fn positions_that_are_all_zero_count_from_the_offsets() {
        let text = |x: &str, offset: &str| {
            format!(
                "{HEAD}CHANNELS 3 Xposition Yposition Zposition JOINT b {{ OFFSET {offset} CHANNELS 4 Xposition Yposition \
                 Zposition Yrotation }} }} MOTION Frames: 2 Frame Time: 0.1 1 2 3 0 0 0 9 4 5 6 {x} 0 0 8"
            )
        };
        let settings = ReadSettings::in_space(SpaceSettings::new(UpChoice::Y, UnitChoice::Metres(1.0)));
        let read = |text: &[u8]| {
            let mut warnings = Vec::new();
            let loaded = crate::read_take(text, "t", &settings, &mut warnings).unwrap();
            (loaded, warnings.contains(&BvhWarning::ZeroPositions.into()))
        };
        let (loaded, warned) = read(text("0", "0 7 1").as_bytes());
        assert!(warned);
        let at: Vec<DVec3> = (0..2).map(|frame| loaded.take.translations(frame)[1]).collect();
        assert_eq!(at, [DVec3::new(0.0, 7.0, 1.0); 2]);
        let (again, warned) = read(&crate::write_take(&loaded.take, &loaded.source).unwrap().bytes);
        assert_eq!(
            (again.take.values().translations, warned),
            (loaded.take.values().translations, false)
        );
        // The convention of the format, where any position is not zero or no OFFSET is.
        for (x, offset) in [("0.5", "0 7 1"), ("0", "0 0 0")] {
            let (loaded, warned) = read(text(x, offset).as_bytes());
            assert_eq!((loaded.take.translations(0)[1], warned), (DVec3::ZERO, false));
        }
    }

    #[test]
    fn another_up_axis_turns_the_root_alone() {
        let text = "HIERARCHY ROOT a { OFFSET 0 0 9 CHANNELS 4 Xposition Yposition Zposition Zrotation
            JOINT b { OFFSET 0 0 5 CHANNELS 0 End Site { OFFSET 0 0 1 } } }
            MOTION Frames: 1 Frame Time: 0.1 1 2 3 90";
        let take = read(text, UpChoice::Z);
        assert!((take.translations(0)[0] - DVec3::new(0.1, 0.3, -0.2)).length() < 1e-15);
        assert!((take.skeleton().joint(0).rest_offset - DVec3::new(0.0, 0.9, 0.0)).length() < 1e-15);
        assert!((take.skeleton().joint(1).rest_offset - DVec3::new(0.0, 0.0, 0.5)).length() < 1e-15);
        let world = take.world_tracks();
        assert!((world.position(0, 1) - DVec3::new(0.1, 0.8, -0.2)).length() < 1e-15);
        // A left turn about the file's up axis is one about +Y.
        assert!((take.rotations(0)[0] * DVec3::X - DVec3::NEG_Z).length() < 1e-15);
    }

    #[test]
    fn memory_stays_in_proportion_where_rows_cost_nothing() {
        let mut text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition\n".to_owned();
        for _ in 0..2000 {
            text.push_str("JOINT b { OFFSET 0 1 0 }\n");
        }
        text.push_str("}\nMOTION\nFrames: 5000\nFrame Time: 0.1\n");
        text.push_str(&"0\n".repeat(5000));
        let error = crate::read_take(text.as_bytes(), "t", &ReadSettings::default(), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, ReadError::Memory(_)), "{error}");
    }

    #[test]
    fn poses_stop_at_the_limit() {
        let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition JOINT b { OFFSET 0 1 0 } }\nMOTION\n";
        let mut lexer = open(text.as_bytes()).unwrap();
        let trees = hierarchy::read(&mut lexer, &mut Vec::new()).unwrap();
        let hierarchy = trees.chosen(None, &mut Vec::new()).unwrap().hierarchy;
        for (limit, kept) in [(6, 6), (7, 6), (100, 20)] {
            let mut poses = Poses {
                hierarchy: &hierarchy,
                limit,
                values: 0..1,
                frames: Frames::new(&hierarchy),
            };
            poses.expect(10);
            for _ in 0..10 {
                poses.push(&[0.5]);
            }
            let Frames {
                translations,
                rotations,
                ..
            } = &poses.frames;
            assert_eq!((translations.len(), rotations.len()), (kept, kept));
            assert!(translations.capacity() <= limit);
        }
    }

    #[test]
    fn text_in_units_of_16_bits_is_no_bvh() {
        for bytes in [&b"\xFF\xFEH\0I\0"[..], b"H\0I\0E\0", b"\0H\0I\0E"] {
            assert_eq!(open(bytes).err(), Some(ReadError::Utf16), "{bytes:?}");
        }
    }
}
