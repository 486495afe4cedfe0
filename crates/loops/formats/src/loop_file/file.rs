//! Writes a loop, reads it back, and measures the result.

use std::borrow::Cow;

use loopwright_core::{
    BodyOverrides, LoopClip, MadeLoop, Quality, RootMode, RootSettings, Take,
    analysis::{Body, BodyError},
    loop_clip::{KeyLayout, KeysError, LoopKeys},
    math::Rigid,
    pipeline::MakeError,
    quality,
    root_motion::RootSpace,
};

use super::{
    describe,
    facts::{
        BlendFacts, CandidateFacts, ClosureFacts, FeetFacts, PlaybackFacts, RecenteredFacts, RootMotionFacts, TakeFacts,
    },
    sidecar::Sidecar,
};
use crate::{
    animated_file::AnimatedFile,
    error::{ReadError, WriteError},
    keyed_motion::KeyedMotion,
    naming,
    settings::{AnimationChoice, ClosingKey, LoopWriteSettings, ReadSettings},
    source::Source,
    space::{Space, SpaceSettings},
    warning::FileWarning,
    write::{with_facts, write_loop_on_feet},
    written::WrittenFile,
};

/// Most keys of a file: copies and rates multiply, and a typing error must not fill the disk.
const MAX_KEYS: usize = 2_000_000;

/// Shorter paths are too short to be compared with an arc, metres.
const SHORTEST_PATH_METRES: f64 = 0.05;

/// A loop as the bytes of a file, measured on those bytes.
#[value]
pub struct LoopFile {
    /// The file, and the changes made to write it; [`Self::bytes`] includes the facts.
    pub written: WrittenFile,
    /// All facts about the loop. The caller adds warnings and the names of files.
    pub sidecar: Sidecar,
    /// Figures of the loop as written.
    pub quality: Quality,
}

/// A loop in a file of several, measured as written.
#[value]
pub struct MeasuredLoop {
    /// All facts about it. The caller adds warnings.
    pub sidecar: Sidecar,
    /// Its figures.
    pub quality: Quality,
}

/// Why a loop cannot be written.
#[error_kinds]
pub enum LoopFileError {
    #[error("{keys} keys exceed the limit of {limit}")]
    TooManyKeys { keys: usize, limit: usize },
    /// The loop does not fit into the form of its source.
    Write(WriteError),
    #[error("the loop cannot be read back: {0}")]
    ReadBack(#[from] ReadError),
    #[error("the loop cannot be read back: the root joint is not where it was put")]
    NoRootJoint,
    #[error("the loop cannot be read back: its joint \"{joint}\" is missing")]
    NoJoint { joint: String },
    #[error("the loop cannot be read back: {0}")]
    Keys(#[from] KeysError),
    /// The file that was read lacks joints that the caller names.
    Body(BodyError),
    #[error("motion beside the pose cannot be looped along: {0}")]
    Along(#[source] Box<MakeError>),
}

impl From<MakeError> for LoopFileError {
    fn from(error: MakeError) -> Self {
        Self::Along(Box::new(error))
    }
}

/// The sources of a blend.
#[derive(Clone, Debug)]
pub struct BlendOrigin<'a> {
    /// The file of the first loop, as a take.
    pub take: TakeFacts,
    /// The facts of the first loop.
    pub first: &'a Sidecar,
    /// Joints named by the caller.
    pub overrides: &'a BodyOverrides,
    /// The loops and their weights.
    pub blend: BlendFacts,
    /// The treatment of its feet.
    pub feet: FeetFacts,
    /// The use of the root motion.
    pub mode: RootMode,
    /// Whether a root joint is added, which the loops lack.
    pub add_root: bool,
    /// The motion that brought the blend to the origin.
    pub recentered_by: Option<Rigid>,
}

/// The source of a loop that was carried over to another rig.
#[derive(Clone, Debug)]
pub struct RetargetOrigin<'a> {
    /// The file of the loop, and the rig.
    pub take: TakeFacts,
    /// The facts of the loop.
    pub first: &'a Sidecar,
    /// The treatment of its feet on the rig.
    pub feet: FeetFacts,
    /// The joint of the rig that carries only the root motion, if it has one.
    pub root_joint: Option<usize>,
    /// Whether such a joint is added.
    pub add_root: bool,
    /// The motion that brought the loop to the origin.
    pub recentered_by: Option<Rigid>,
}

impl LoopFile {
    /// Writes a loop in the form of a source, reads it back, and measures the result.
    pub fn write(made: &MadeLoop, source: &Source) -> Result<Self, LoopFileError> {
        let take = TakeFacts::new(made.take.name(), &made.take, source.space());
        Self::write_with(made, take, source, &LoopWriteSettings::of_mode(made.root.mode))
    }

    /// Writes like [`Self::write`], with facts of the take for the loop file, and settings of the writer. Errors: [`LoopFileError`].
    pub fn write_with(
        made: &MadeLoop,
        take: TakeFacts,
        source: &Source,
        writing: &LoopWriteSettings,
    ) -> Result<Self, LoopFileError> {
        let clip = &made.from_start();
        let has_sides = made.candidate.pairing.is_mirrored() && made.of_take.is_none() && source.form().has_sides();
        let source = &source.along(made)?;
        let feet = describe::feet_of(made);
        let mut written = checked(clip, Some(&feet), source, writing)?;
        written.warnings.extend(has_sides.then_some(FileWarning::SidesEvened));
        let MeasuredLoop { sidecar, quality } = measured(
            made,
            (take, feet),
            (source, writing),
            &AnimatedFile::parse(&written.bytes, "loop", None)?,
            written.animation.clone(),
        )?;
        Ok(Self {
            written,
            sidecar,
            quality,
        })
    }

    /// Returns the file, including the facts if its format supports it.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        with_facts(&self.written, &self.sidecar).map_or(Cow::Borrowed(&self.written.bytes), Cow::Owned)
    }
}

/// A loop made of others, ready to be written.
#[derive(Clone, Debug)]
pub struct DerivedLoop {
    pub(super) clip: LoopClip,
    /// Facts that follow from the other loops; the rest is measured.
    facts: Sidecar,
    mode: RootMode,
    space: RootSpace,
    recentered_by: Option<Rigid>,
    overrides: BodyOverrides,
    pub(super) writing: LoopWriteSettings,
}

impl DerivedLoop {
    /// Describes a blend of loops.
    pub fn blended(clip: &LoopClip, origin: BlendOrigin) -> Self {
        let writing = LoopWriteSettings {
            add_root: origin.add_root,
            ..LoopWriteSettings::of_mode(origin.mode)
        };
        let first = &origin.first.playback;
        let facts = Sidecar {
            candidate: CandidateFacts {
                start_frame: 0.0,
                end_frame: clip.num_samples() as f64,
                source_period_secs: clip.period_secs(),
                period_secs: clip.period_secs(),
                cycles: origin.first.candidate.cycles,
                ..CandidateFacts::default()
            },
            closure: ClosureFacts {
                method: "blend".to_owned(),
                ..ClosureFacts::default()
            },
            playback: PlaybackFacts {
                root_joint_added: first.root_joint_added || origin.add_root,
                carrier_joint: first.carrier_joint.clone(),
                root_joint: first.root_joint.clone(),
                ..PlaybackFacts::default()
            },
            feet: Some(origin.feet),
            blend: Some(origin.blend),
            take: origin.take,
            ..Sidecar::new()
        };
        Self {
            clip: clip.clone(),
            facts,
            mode: origin.mode,
            space: origin.first.root_motion.space,
            recentered_by: origin.recentered_by,
            overrides: origin.overrides.clone(),
            writing,
        }
    }

    /// Describes a loop carried over to another rig.
    pub fn retargeted(clip: &LoopClip, origin: RetargetOrigin) -> Self {
        let first = origin.first;
        let mode = first.root_motion.mode;
        // Loops in BVH files are named after their file.
        let clip = clip.clone().named(naming::loop_name(clip.name()));
        let writing = LoopWriteSettings {
            add_root: origin.add_root,
            closing_key: if first.playback.closing_key {
                ClosingKey::Repeat
            } else {
                ClosingKey::Drop
            },
            copies: first.playback.copies,
            ..LoopWriteSettings::of_mode(mode)
        };
        let joint = |joint: usize| describe::name_of(clip.skeleton(), joint);
        let facts = Sidecar {
            kind: first.kind.clone(),
            candidate: first.candidate.clone(),
            mean_cycle: first.mean_cycle.clone(),
            variation: first.variation.clone(),
            time: first.time.clone(),
            edits: first.edits.clone(),
            closure: first.closure.clone(),
            playback: PlaybackFacts {
                root_joint_added: origin.add_root,
                carrier_joint: joint(clip.carrier()),
                root_joint: origin.root_joint.map(joint),
                seam_sample: first.playback.seam_sample,
                ..PlaybackFacts::default()
            },
            feet: Some(origin.feet),
            blend: first.blend.clone(),
            take: origin.take,
            ..Sidecar::new()
        };
        Self {
            clip,
            facts,
            mode,
            space: first.root_motion.space,
            recentered_by: origin.recentered_by,
            overrides: BodyOverrides::default(),
            writing,
        }
    }

    /// Writes the loop in the form of a source, reads it back, and measures it. Errors: [`LoopFileError`].
    pub fn write(&self, source: &Source) -> Result<LoopFile, LoopFileError> {
        let source = &source.without_shapes();
        let written = checked(&self.clip, self.facts.feet.as_ref(), source, &self.writing_into(source))?;
        let MeasuredLoop { sidecar, quality } = self.measured(
            &AnimatedFile::parse(&written.bytes, "loop", None)?,
            written.animation.clone(),
            source,
        )?;
        Ok(LoopFile {
            written,
            sidecar,
            quality,
        })
    }

    /// Returns its layout in a file of that form, which may not support a root joint.
    fn writing_into(&self, source: &Source) -> LoopWriteSettings {
        LoopWriteSettings {
            add_root: self.writing.add_root && source.capabilities().takes_root_joint,
            ..self.writing
        }
    }

    /// Measures the loop as an animation of a file shows it. Errors: it cannot be read back.
    pub(super) fn measured(
        &self,
        file: &AnimatedFile,
        animation: Option<String>,
        source: &Source,
    ) -> Result<MeasuredLoop, LoopFileError> {
        let Self { clip, facts, .. } = self;
        let writing = &self.writing_into(source);
        let seam_sample = facts.playback.seam_sample;
        let copies = facts.num_copies();
        let back = ReadBack::new(file, animation.as_deref(), clip, source, writing, seam_sample, copies)?;
        let (take, keys) = (&back.take, &back.keys);
        let body = Body::find(take, &self.overrides)?;
        let quality = quality::measure(keys, &body, None);
        let facts = facts.clone();
        let sidecar = Sidecar {
            root_motion: RootMotionFacts {
                recentered: self.recentered_by.map(RecenteredFacts::new),
                ..describe::root_motion(clip.root(), self.mode, self.space)
            },
            feet: facts.feet.map(|feet| FeetFacts {
                stances: describe::stances(clip, &quality::stands(keys, &body, None), seam_sample),
                ..feet
            }),
            quality: describe::quality(&quality, None, clip.skeleton()),
            playback: PlaybackFacts {
                samples: back.layout.num_samples,
                last_step: back.layout.stated_last_step(),
                closing_key: writing.closing_key == ClosingKey::Repeat,
                copies: writing.copies,
                animation,
                ..facts.playback
            }
            .in_space(source.space(), &facts.take),
            ..facts
        };
        Ok(back.with_added_root(MeasuredLoop { sidecar, quality }))
    }
}

/// Measures a loop as an animation of its file shows it. Errors: it cannot be read back.
pub(super) fn measured(
    made: &MadeLoop,
    facts: (TakeFacts, FeetFacts),
    (source, writing): (&Source, &LoopWriteSettings),
    file: &AnimatedFile,
    animation: Option<String>,
) -> Result<MeasuredLoop, LoopFileError> {
    let (clip, seam_sample, copies) = (&made.from_start(), made.seam_sample(), made.num_copies());
    let back = ReadBack::new(file, animation.as_deref(), clip, source, writing, seam_sample, copies)?;
    let (form, keys) = ((source.space(), writing), (&back.keys, &back.layout));
    let described = described(made, facts, form, animation, keys);
    Ok(back.with_added_root(described))
}

/// Returns the facts and figures of a loop whose keys were read back from its file.
pub(super) fn described(
    made: &MadeLoop,
    (take, feet): (TakeFacts, FeetFacts),
    (space, writing): (&Space, &LoopWriteSettings),
    animation: Option<String>,
    (keys, layout): (&LoopKeys, &KeyLayout),
) -> MeasuredLoop {
    let (clip, seam_sample) = (&made.from_start(), made.seam_sample());
    let (body, uncut) = (&made.body, Some(&made.source));
    let (fit, feet_of_made) = (made.source.fit, &made.feet);
    let quality = quality::measure(keys, body, uncut);
    let RootSettings { mode, .. } = made.root;
    let joint = |joint: usize| describe::name_of(clip.skeleton(), joint);
    let copies = made.num_copies();
    let one = describe::candidate(&made.candidate, clip.period_secs());
    let sidecar = Sidecar {
        candidate: CandidateFacts {
            source_period_secs: copies as f64 * one.source_period_secs,
            cycles: copies * one.cycles,
            ..one
        },
        variation: made
            .variation
            .as_ref()
            .map(|variation| describe::variation(variation, clip.skeleton())),
        mean_cycle: made
            .mean_cycle
            .as_ref()
            .map(|mean| describe::mean_cycle(mean, made.take.skeleton())),
        time: made.retimed.as_ref().map(describe::time),
        closure: describe::closure(&made.closed),
        edits: made.edits.iter().map(|edit| describe::edit(edit, clip)).collect(),
        root_motion: RootMotionFacts {
            take_linear_velocity_mps: feet_of_made
                .replaced_velocity
                .or(feet_of_made
                    .speed
                    .filter(|_| feet_of_made.speed_is_theirs)
                    .map(|speed| speed.of_poses))
                .map(|velocity| velocity.to_array()),
            recentered: made.recentered_by.map(RecenteredFacts::new),
            path_smoothing_secs: mode.follows_path().then_some(made.root.path_smoothing_secs),
            fit_residual_mm: fit.map(|fit| 1e3 * fit.residual_metres),
            arc_to_path_ratio: fit
                .filter(|fit| fit.path_metres > SHORTEST_PATH_METRES)
                .map(|fit| fit.arc_metres / fit.path_metres),
            ..describe::root_motion(clip.root(), mode, made.root.space)
        },
        feet: Some(FeetFacts {
            stances: describe::stances(clip, &quality::stands(keys, body, uncut), seam_sample),
            ..feet
        }),
        quality: describe::quality(&quality, Some(&made.closed), clip.skeleton()),
        playback: PlaybackFacts {
            samples: layout.num_samples,
            last_step: layout.stated_last_step(),
            seam_sample,
            closing_key: writing.closing_key == ClosingKey::Repeat,
            copies: writing.copies,
            root_joint_added: writing.add_root,
            carrier_joint: joint(clip.carrier()),
            root_joint: made.source.root_joint.map(joint),
            animation,
            ..PlaybackFacts::default()
        }
        .in_space(space, &take),
        take,
        ..Sidecar::new()
    };
    MeasuredLoop { sidecar, quality }
}

/// Returns the written loop if it does not exceed the limit of keys.
fn checked(
    clip: &LoopClip,
    feet: Option<&FeetFacts>,
    source: &Source,
    writing: &LoopWriteSettings,
) -> Result<WrittenFile, LoopFileError> {
    let keys = clip.num_samples().saturating_mul(writing.copies);
    if keys > MAX_KEYS {
        return Err(LoopFileError::TooManyKeys { keys, limit: MAX_KEYS });
    }
    Ok(write_loop_on_feet(clip, feet, source, writing)?)
}

/// A loop as an animation of its file shows it.
struct ReadBack {
    /// On the loop's own skeleton.
    take: Take,
    keys: LoopKeys,
    /// How the keys lie in the file.
    layout: KeyLayout,
    /// The name in the file of an added root joint, since other nodes may use its usual name.
    added_root: Option<String>,
    /// The joint that carries root motion in the file, if it differs from the loop's.
    carrier: Option<String>,
}

impl ReadBack {
    /// Reads an animation whose seam is at `seam_sample`; `source` and `writing` are those it was written with.
    fn new(
        file: &AnimatedFile,
        animation: Option<&str>,
        clip: &LoopClip,
        source: &Source,
        writing: &LoopWriteSettings,
        seam_sample: usize,
        num_cycles: usize,
    ) -> Result<Self, LoopFileError> {
        let settings = ReadSettings {
            animation: animation.map_or(AnimationChoice::Auto, AnimationChoice::Given),
            robot: Some(clip.skeleton()),
            // There are too few frames to detect axes and unit.
            ..ReadSettings::in_space(SpaceSettings::from(source.space()))
        };
        let take = file.read(&settings, &mut Vec::new())?.take;
        let added_root = writing.add_root.then(|| take.skeleton().joint(0).name.clone());
        let (take, carrier) = if writing.add_root {
            // Folding an added root joint leaves the root motion on the topmost joint, whichever joint carried it in the take.
            (take.without_root_joint().ok_or(LoopFileError::NoRootJoint)?, 0)
        } else {
            (take, clip.carrier())
        };
        let motion = KeyedMotion::from_loop(clip, None, writing)?.in_format(source.capabilities());
        let take = source.form().shown_on(take, &motion)?;
        // Files list joints in an order of their own, and a still branch is read as joints once a node above it has a track.
        let take = take.on(clip.skeleton()).map_err(|joint| LoopFileError::NoJoint {
            joint: clip.skeleton().joint(joint).name.clone(),
        })?;
        let layout = KeyLayout {
            num_samples: motion.cycle,
            last_step: motion.last_step(),
            has_closing_key: writing.closing_key == ClosingKey::Repeat || writing.copies > 1,
            in_place: writing.in_place,
            seam_sample,
            num_cycles,
        };
        let keys = LoopKeys::new(&take, layout, *clip.root(), carrier)?;
        Ok(Self {
            take,
            keys,
            layout,
            added_root,
            carrier: source.carrier(),
        })
    }

    /// Returns the facts with the names of the joints that were added and that carry root motion.
    fn with_added_root(self, mut measured: MeasuredLoop) -> MeasuredLoop {
        let playback = &mut measured.sidecar.playback;
        playback.root_joint = self.added_root.or(playback.root_joint.take());
        if let Some(carrier) = self.carrier {
            measured.sidecar = measured.sidecar.carried_by(carrier);
        }
        measured
    }
}
