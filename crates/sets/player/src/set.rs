//! A set for playing: clips, blend spaces, and the ways between them.

use std::{collections::BTreeMap, fmt::Display};

use loopwright_core::{
    Skeleton, Take,
    math::{Decay, DecayKind},
};
use loopwright_formats::{
    AnimatedFile, AnimationChoice, ReadSettings,
    set::{ClipKind, Manifest},
};
use loopwright_moves::{passage::LoopState, play::switch::FADE_SECS};

use crate::{
    SetError,
    clip::{self, MotionClip},
    keys::Lanes,
    legs::Leg,
    space::{self, PlayedSpace},
};

/// The fade of a switch for which the manifest states none.
pub(crate) const FADE: Decay = Decay::Quintic { blend_secs: FADE_SECS };

/// Half-life of a change of speed or turn rate if the manifest states none, seconds; docs/math/fit.md.
const HALF_LIFE_SECS: f64 = 0.4;

/// Costs of ways between spaces in a plan: a passage is made for its purpose; a transition of the manifest fades at its least
/// visible moment; an immediate switch fades at equal phase. A fade between standing and moving slides the feet.
const PASSAGE: f64 = 1.0;
const TRANSITION: f64 = 2.0;
const ONCE: f64 = 3.0;
const STANDING: f64 = 2.0;

/// Cost of a change into a loop that goes the opposite way; it exceeds all the others, so that the change leads through an idle if there is
/// one.
const OPPOSED: f64 = 15.0;

/// A state of a blend space: a point and a phase.
#[value(Copy)]
pub(crate) struct Moment {
    pub at: [f64; 2],
    pub phase: f64,
}

/// A way from space to space.
#[value(Copy)]
pub(crate) struct Way {
    pub from: usize,
    pub to: usize,
    pub passage: Option<usize>,
    /// Its fade if it is not a passage.
    pub fade: Decay,
    /// Its beginning and its end; `None` at any time, at equal phase.
    pub ends: Option<[Moment; 2]>,
    pub cost: f64,
}

/// The clips of a character and the ways between them.
#[derive(Clone, Debug)]
pub struct MotionSet {
    skeleton: Skeleton,
    pub(crate) clips: Vec<MotionClip>,
    pub(crate) spaces: Vec<PlayedSpace>,
    pub(crate) ways: Vec<Way>,
    pub(crate) half_life_secs: f64,
    /// The left and the right leg, or none.
    pub(crate) legs: Vec<Leg>,
    /// The joints of the upper body: those that hang from the hips, but not by a leg; none without legs.
    pub(crate) upper: Vec<usize>,
    versions: Vec<Vec<usize>>,
}

/// The file of a clip, as the manifest states it.
#[value(Copy)]
pub struct ClipSource<'a> {
    /// The clip.
    pub clip: &'a str,
    /// Its file.
    pub file: &'a str,
    /// The animation in it; `None` if the format has no names.
    pub animation: Option<&'a str>,
    /// Seconds between the poses that are read, from 0 on.
    pub step_secs: f64,
    /// Number of poses that are read.
    pub keys: usize,
}

impl MotionSet {
    /// Returns the files that a manifest names, each once. Errors: the manifest is invalid.
    pub fn files(manifest: &[u8]) -> Result<Vec<String>, SetError> {
        Ok(Manifest::parse(manifest)?
            .files()
            .into_iter()
            .map(str::to_owned)
            .collect())
    }

    /// Reads a set from the bytes of a manifest and of its files; `file` returns each file once, by its name in the manifest.
    ///
    /// Poses are in metres with +Y up, in the order of the skeleton of the first clip's file. Errors: [`SetError`]; no input
    /// panics.
    pub fn read<E: Display>(
        manifest: &[u8],
        mut file: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<Self, SetError> {
        let unread = |name: &str, error: &dyn Display| SetError::File {
            name: name.to_owned(),
            reason: error.to_string(),
        };
        let mut parsed: BTreeMap<String, AnimatedFile> = BTreeMap::new();
        for name in Self::files(manifest)? {
            let bytes = file(&name).map_err(|error| unread(&name, &error))?;
            let found = AnimatedFile::parse(&bytes, &name, None).map_err(|error| unread(&name, &error))?;
            parsed.insert(name, found);
        }
        Self::from_takes(manifest, |source| {
            // The files of all clips are there.
            let animated = &parsed[source.file];
            let choice = match source.animation {
                // A file of one animation belongs to the clip, whatever its name.
                Some(name) if animated.num_animations() > 1 => AnimationChoice::Given(name),
                _ => AnimationChoice::Auto,
            };
            let settings = ReadSettings {
                animation: choice,
                ..ReadSettings::default()
            };
            Ok(animated
                .read(&settings, &mut Vec::new())
                .map_err(|error| unread(source.file, &error))?
                .take)
        })
    }

    /// Builds a set from a manifest and a take for each clip, for engines with their own joint space.
    ///
    /// The skeleton is that of the first take; others may have its joints in another order. A joint that carries only the root
    /// motion may be left out. Errors: [`SetError`], and those of `take`.
    pub fn from_takes(
        manifest: &[u8],
        mut take: impl FnMut(&ClipSource<'_>) -> Result<Take, SetError>,
    ) -> Result<Self, SetError> {
        let manifest = Manifest::parse(manifest)?;
        let index = |name: &str| {
            manifest
                .clips
                .iter()
                .position(|entry| entry.name == name)
                .ok_or_else(|| SetError::NoClip { name: name.to_owned() })
        };
        let mut skeleton: Option<Skeleton> = None;
        let mut legs: Option<Vec<Leg>> = None;
        let mut clips = Vec::new();
        for entry in &manifest.clips {
            clip::check(entry).map_err(|reason| SetError::MotionClip {
                name: entry.name.clone(),
                reason,
            })?;
            let take = take(&ClipSource {
                clip: &entry.name,
                file: &entry.file,
                animation: entry.animation.as_deref(),
                step_secs: entry.step_secs(),
                keys: clip::num_keys(entry),
            })?;
            let skeleton = skeleton.get_or_insert_with(|| take.skeleton().clone());
            let carrier = manifest.root_joint.as_ref().unwrap_or(&manifest.skeleton.carrier);
            let carrier = (!manifest.in_place).then(|| skeleton.find(carrier)).flatten();
            let tracks = clip::tracks_of(entry, &take, skeleton, carrier)?;
            let legs = legs.get_or_insert_with(|| Leg::pair(&tracks).unwrap_or_default());
            clips.push(MotionClip::new(entry, &tracks, legs, index)?);
        }
        let spaces = space::spaces(&manifest, &clips, index)?;
        let half_life = manifest
            .controller
            .iter()
            .flat_map(|controller| &controller.modes)
            .filter(|mode| mode.mode == "all")
            .find_map(|mode| mode.velocity_half_life_secs);
        let (Some(skeleton), false) = (skeleton, spaces.is_empty()) else {
            return Err(SetError::NoLoops);
        };
        let versions = (0..clips.len())
            .map(|clip| {
                let others = (0..clips.len()).filter(|other| clips[*other].variant_of == Some(clip));
                std::iter::once(clip).chain(others).collect()
            })
            .collect();
        let legs = legs.unwrap_or_default();
        let mut set = Self {
            upper: upper(&skeleton, &legs),
            skeleton,
            clips,
            spaces,
            ways: Vec::new(),
            legs,
            versions,
            half_life_secs: half_life.filter(|secs| *secs > 0.0).unwrap_or(HALF_LIFE_SECS),
        };
        set.ways = set.ways_between(&manifest, index)?;
        Ok(set)
    }

    /// Returns the joints that the clips move.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the blend spaces, including those of single loops.
    pub fn spaces(&self) -> &[PlayedSpace] {
        &self.spaces
    }

    /// Returns the clips.
    pub fn clips(&self) -> &[MotionClip] {
        &self.clips
    }

    /// Returns a loop and its versions.
    pub(crate) fn versions(&self, clip: usize) -> &[usize] {
        &self.versions[clip]
    }

    /// Returns an empty row of transforms: the joints, and the tips of the feet.
    pub(crate) fn row(&self) -> Vec<Lanes> {
        vec![Lanes::default(); self.skeleton.num_joints() + self.legs.len()]
    }

    /// Returns the clip of that name.
    pub(crate) fn clip(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.name == name)
    }

    /// Returns the spaces in which a loop is played: a standing loop is played alone, even if it is a corner of slow walks.
    fn spaces_of(&self, clip: usize) -> impl Iterator<Item = usize> {
        let stands = self.clips[clip].stands();
        (0..self.spaces.len()).filter(move |&index| {
            let space = &self.spaces[index];
            space.stands == stands && space.clips.contains(&clip)
        })
    }

    /// Returns the space in which a loop is played, preferably the given one.
    pub(crate) fn space_of(&self, clip: usize, preferred: usize) -> Option<usize> {
        self.spaces_of(clip).min_by_key(|space| *space != preferred)
    }

    /// Returns the moment of a space in which a loop is in a state.
    pub(crate) fn moment(&self, space: usize, LoopState { loop_index, secs }: LoopState) -> Moment {
        Moment {
            at: self.spaces[space].point_of(loop_index),
            phase: self.clips[loop_index].phase_at(secs),
        }
    }

    fn ways_between(
        &self,
        manifest: &Manifest,
        index: impl Fn(&str) -> Result<usize, SetError>,
    ) -> Result<Vec<Way>, SetError> {
        let mut ways = Vec::new();
        for (passage, clip) in self.clips.iter().enumerate() {
            // Jumps are played by name only.
            if let (Some(from), Some(to)) = (clip.from, clip.to)
                && !clip.loops()
                && clip.kind != ClipKind::Jump
            {
                self.join([from, to], Some(passage), FADE, &mut ways);
            }
        }
        for entry in &manifest.transitions {
            let kind: Option<DecayKind> = entry.fade.parse().ok();
            let fade = kind.map_or(FADE, |kind| kind.lasting(entry.fade_secs, entry.fade_secs));
            let [from, to] = [(&entry.from, entry.leave_secs), (&entry.to, entry.enter_secs)]
                .map(|(name, secs)| index(name).map(|loop_index| LoopState { loop_index, secs }));
            self.join([from?, to?], None, fade, &mut ways);
        }
        for from in 0..self.spaces.len() {
            for to in 0..self.spaces.len() {
                if from != to {
                    ways.push(Way {
                        from,
                        to,
                        passage: None,
                        fade: FADE,
                        ends: None,
                        cost: ONCE + self.slides([from, to], [from, to].map(|space| self.spaces[space].middle())),
                    });
                }
            }
        }
        Ok(ways)
    }

    /// Adds the ways between the spaces in which two loops are played.
    fn join(&self, ends: [LoopState; 2], passage: Option<usize>, fade: Decay, ways: &mut Vec<Way>) {
        for from in self.spaces_of(ends[0].loop_index) {
            for to in self.spaces_of(ends[1].loop_index) {
                if passage.is_none() && from == to {
                    continue;
                }
                let moments = [(from, ends[0]), (to, ends[1])].map(|(space, state)| self.moment(space, state));
                ways.push(Way {
                    from,
                    to,
                    passage,
                    fade,
                    ends: Some(moments),
                    cost: if passage.is_some() {
                        PASSAGE
                    } else {
                        TRANSITION + self.slides([from, to], moments.map(|moment| moment.at))
                    },
                });
            }
        }
    }

    /// Returns the cost of changing between points of spaces without a passage: between standing and moving, and into the other direction.
    fn slides(&self, spaces: [usize; 2], points: [[f64; 2]; 2]) -> f64 {
        let stands = spaces.map(|space| self.spaces[space].stands);
        let velocities = [0, 1].map(|end| {
            let space = &self.spaces[spaces[end]];
            PlayedSpace::twist(&self.clips, &space.weights(&self.clips, points[end])).linear
        });
        if stands[0] != stands[1] {
            STANDING
        } else if velocities[0].dot(velocities[1]) < 0.0 {
            OPPOSED
        } else {
            0.0
        }
    }
}

fn upper(skeleton: &Skeleton, legs: &[Leg]) -> Vec<usize> {
    let Some(Leg { hips, .. }) = legs.first() else {
        return Vec::new();
    };
    let below_hips = |joint: usize| {
        skeleton
            .path_from_root(joint)
            .into_iter()
            .skip_while(move |above| above != hips)
            .nth(1)
    };
    let of_legs: Vec<Option<usize>> = legs.iter().map(|leg| below_hips(leg.tip)).collect();
    (0..skeleton.num_joints())
        .filter(|&joint| below_hips(joint).is_some_and(|branch| !of_legs.contains(&Some(branch))))
        .collect()
}
