//! Detects the up axis and the unit of a file from the body in it.

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Skeleton, Take,
    analysis::{Body, FoundBy, guess_parts},
    math::{greatest, mean, ops, percentile},
    motion::{Pose, PoseRef},
    retarget,
};

use super::{
    Axis, NAMED_UNITS, Space, Up,
    choice::{SpaceSettings, UnitChoice, UpChoice},
    warning::SpaceWarning,
};
use crate::warning::FileWarning;

/// Heights of people in metres: the range for a detected unit. No two named units are both in this range for one body.
pub(super) const HEIGHT_METRES: core::ops::RangeInclusive<f64> = 1.2..=2.2;

/// The length of the chain of bones from ankle to head joint, and from ankle to hips, as shares of the height of a body.
///
/// Real takes measure 1.25 to 1.74 m and 0.87 to 1.04 m. If the chain were taken as the height, a short body in inches would
/// fall between inches and the CMU unit.
const STATURE_SHARE: f64 = 0.87;
const LEG_SHARE: f64 = 0.54;

/// An axis is unclear if another one reaches this share of its height.
const UNCLEAR_SHARE: f64 = 0.9;

/// Number of a person's feet. Animals with more legs have all sizes.
const TWO_LEGS: usize = 2;

/// Offsets beyond this many units indicate centimetres if there is no body.
const LARGE_OFFSET: f64 = 10.0;

/// Determines the space of a file by frames of its take and its rest pose, if known, still in the file's own axes and unit.
///
/// Doubts are reported in `warnings`.
pub(crate) fn settle(
    probe: &Take,
    rest: Option<&Pose>,
    settings: &SpaceSettings,
    warnings: &mut Vec<FileWarning>,
) -> Space {
    let up = match settings.up {
        UpChoice::Given(up) => up,
        UpChoice::Auto => guess_up(probe, rest, warnings),
    };
    let mut space = Space {
        up,
        up_given: settings.up != UpChoice::Auto,
        unit_metres: 1.0,
        unit_given: settings.unit != UnitChoice::Auto,
    };
    space.unit_metres = match settings.unit {
        UnitChoice::Metres(metres) => metres,
        UnitChoice::Auto => {
            // Without known names the feet are detected as the lowest joints, so the probe must be upright.
            let upright = probe.turned(space.turn());
            match find_body(&upright).and_then(|body| height_of(&body, &upright)) {
                Some(height) => unit_by_height(height, warnings),
                None => unit_by_offsets(probe, warnings),
            }
        }
    };
    space
}

/// Determines the space of a BVH file: its joints rest without rotations.
pub(crate) fn settle_unturned(probe: &Take, settings: &SpaceSettings, warnings: &mut Vec<FileWarning>) -> Space {
    settle(
        probe,
        Some(&retarget::unturned(probe.skeleton(), DQuat::IDENTITY)),
        settings,
        warnings,
    )
}

pub(super) fn find_body(take: &Take) -> Option<Body> {
    let with_parts = guess_parts(take).map(|parts| take.clone().with_parts(parts));
    Body::find(with_parts.as_ref().unwrap_or(take), &BodyOverrides::default()).ok()
}

/// Share of the way from feet to head along an axis in a body that stands along it: within 30 degrees.
const STANDING_SHARE: f64 = 0.87;

/// The joints that show which way a body stands.
///
/// For an animal with more than two legs, whose head is also far ahead of its feet, the tops are the upper ends of the legs.
struct Stature {
    tops: Vec<usize>,
    /// The joints of the feet, and where each stands in their axes.
    feet: Vec<(usize, DVec3)>,
}

impl Stature {
    /// Finds a head, or hips if no head is known, above feet; `None` if they are unknown.
    fn of(probe: &Take) -> Option<Self> {
        let body = find_body(probe)
            .filter(|body| !body.feet.is_empty() && body.found_by != FoundBy::AllLeaves)
            .filter(|body| body.head.is_some() || body.found_by == FoundBy::Names)?;
        Some(Self {
            tops: match body.feet.len() {
                ..=TWO_LEGS => vec![body.head.unwrap_or(body.hips)],
                _ => tops_of_legs(&body, probe),
            },
            feet: body
                .feet
                .iter()
                .map(|foot| (foot.ankle, body.end_of(foot.ankle)))
                .collect(),
        })
    }

    /// Returns the places of the feet and of the top in a local pose.
    fn ends(&self, skeleton: &Skeleton, pose: PoseRef) -> [DVec3; 2] {
        let world = pose.world(skeleton);
        [
            mean(
                self.feet
                    .iter()
                    .map(|&(joint, end)| world.joint(joint).transform_point(end)),
            ),
            mean(self.tops.iter().map(|&joint| world.translations[joint])),
        ]
    }

    /// Returns the median vector from the feet to the top over the frames, and the range of the top's motion along each axis.
    fn over(&self, probe: &Take) -> [DVec3; 2] {
        let frames = (0..probe.num_frames()).map(|frame| self.ends(probe.skeleton(), probe.pose(frame)));
        let frames: Vec<[DVec3; 2]> = frames.collect();
        let way = |axis: usize| percentile::upper_median(frames.iter().map(|[feet, top]| (*top - *feet)[axis]));
        let span = |axis: usize| {
            let (low, high) = percentile::extremes(frames.iter().map(|[_, top]| top[axis]));
            high - low
        };
        [
            DVec3::from_array([0, 1, 2].map(way)),
            DVec3::from_array([0, 1, 2].map(span)),
        ]
    }

    /// Whether the body stands along an axis in a pose.
    fn stands(&self, skeleton: &Skeleton, pose: &Pose, up: Up) -> bool {
        let [feet, top] = self.ends(skeleton, pose.as_ref());
        is_along(top - feet, up)
    }
}

fn is_along(way: DVec3, up: Up) -> bool {
    way.dot(up.unit()) > STANDING_SHARE * way.length()
}

/// Returns the direction along which a body on two legs stands by its motion and in its rest pose, if that is not Y.
pub(crate) fn stands_otherwise(probe: &Take, rest: &Pose) -> Option<Up> {
    let stature = Stature::of(probe).filter(|stature| stature.feet.len() <= TWO_LEGS)?;
    let [way, _] = stature.over(probe);
    Up::ALL
        .into_iter()
        .filter(|&up| up != Up::Y)
        .find(|&up| is_along(way, up) && stature.stands(probe.skeleton(), rest, up))
}

/// Returns the direction in which the head is highest above the feet, if the body stands that way: at rest too, or while it travels across
/// by more than its length. Otherwise it may lie, swim or crawl, and Y is up as in most files.
fn guess_up(probe: &Take, rest: Option<&Pose>, warnings: &mut Vec<FileWarning>) -> Up {
    let unknown = SpaceWarning::UpUnknown.into();
    let Some(stature) = Stature::of(probe) else {
        warnings.push(unknown);
        return Up::Y;
    };
    let [way, span] = stature.over(probe);
    let mut by_height = Axis::ALL;
    by_height.sort_by(|p, q| way[q.index()].abs().total_cmp(&way[p.index()].abs()));
    let [first, second, _] = by_height;
    let size = |axis: Axis| way[axis.index()].abs();
    let up = Up {
        axis: first,
        is_against: way[first.index()] < 0.0,
    };
    let crosses = || {
        let along = span[first.index()];
        is_along(way, up) && along < way.length() && (span.length_squared() - along * along).sqrt() > way.length()
    };
    let stands = || rest.is_none_or(|rest| stature.stands(probe.skeleton(), rest, up) || crosses());
    let doubt = if size(first) == 0.0 {
        unknown
    } else if size(second) >= UNCLEAR_SHARE * size(first) {
        let other = if first == Axis::Y { second } else { first };
        SpaceWarning::UpUnclear { other }.into()
    } else if up == Up::Y {
        return up;
    } else if stands() {
        warnings.extend(up.is_against.then(|| SpaceWarning::UpsideDown { axis: first }.into()));
        return up;
    } else {
        SpaceWarning::Lies { along: up }.into()
    };
    warnings.push(doubt);
    Up::Y
}

/// Returns for each foot the joint from which its leg hangs: the last one on its path that leads to another foot.
fn tops_of_legs(body: &Body, take: &Take) -> Vec<usize> {
    let paths: Vec<Vec<usize>> = body
        .feet
        .iter()
        .map(|foot| take.skeleton().path_from_root(foot.ankle))
        .collect();
    paths
        .iter()
        .enumerate()
        .map(|(foot, path)| {
            let is_shared = |joint: &&usize| {
                let mut paths = paths.iter().enumerate();
                paths.any(|(other, path)| other != foot && path.contains(joint))
            };
            path.iter().rfind(is_shared).copied().unwrap_or(body.hips)
        })
        .collect()
}

/// Estimates the height of the whole body in the take's unit from its bones; `None` without legs, or with more than two: only a
/// person's height indicates the unit.
pub(super) fn height_of(body: &Body, take: &Take) -> Option<f64> {
    if body.feet.len() > TWO_LEGS {
        return None;
    }
    let height = match body.stature(take) {
        Some(stature) => stature / STATURE_SHARE,
        None if body.found_by == FoundBy::AllLeaves => return None,
        None => length_of_legs(body, take)? / LEG_SHARE,
    };
    (height > 0.0).then_some(height)
}

/// Returns the length of the longest leg, along its bones from the hips to the ankle.
fn length_of_legs(body: &Body, take: &Take) -> Option<f64> {
    let translations = take.translations(take.num_frames() / 2);
    body.feet
        .iter()
        .filter_map(|foot| {
            let path = take.skeleton().path_from_root(foot.ankle);
            let hips = path.iter().position(|&joint| joint == body.hips)?;
            Some(
                path[hips + 1..]
                    .iter()
                    .map(|&joint| translations[joint].length())
                    .sum::<f64>(),
            )
        })
        .max_by(f64::total_cmp)
}

fn unit_by_height(height: f64, warnings: &mut Vec<FileWarning>) -> f64 {
    // The distance from the window as the logarithm of a ratio.
    let miss = |metres: f64| {
        let height = height * metres;
        ops::ln(HEIGHT_METRES.start() / height)
            .max(ops::ln(height / HEIGHT_METRES.end()))
            .max(0.0)
    };
    let units = NAMED_UNITS.map(|(_, metres)| metres).into_iter();
    // The first of the nearest.
    let unit_metres = units.min_by(|p, q| miss(*p).total_cmp(&miss(*q))).unwrap_or(1.0);
    if miss(unit_metres) > 0.0 {
        warnings.push(SpaceWarning::UnitUnclear { height, unit_metres }.into());
    }
    unit_metres
}

fn unit_by_offsets(take: &Take, warnings: &mut Vec<FileWarning>) -> f64 {
    let offsets = take.skeleton().joints()[1..]
        .iter()
        .flat_map(|joint| [Some(joint.rest_offset), joint.tip])
        .chain([take.skeleton().joint(0).tip]);
    let largest = greatest(offsets.flatten().map(DVec3::length));
    let unit_metres = if largest > LARGE_OFFSET { 0.01 } else { 1.0 };
    warnings.push(SpaceWarning::UnitUnknown { unit_metres }.into());
    unit_metres
}

#[cfg(test)]
mod tests {
    use loopwright_core::Joint;

    use super::*;

    /// Returns a body of that height standing along `up`; the first of three frames lies on its side.
    fn standing(up: DVec3, height: f64) -> Take {
        let stature = height * STATURE_SHARE;
        let offsets = [
            DVec3::ZERO,
            up * (-0.6 * stature),
            up * (-0.6 * stature),
            up * (0.4 * stature),
        ];
        let skeleton = Skeleton::new(vec![
            Joint::new("Hips", None, offsets[0]),
            Joint::new("LeftFoot", Some(0), offsets[1]),
            Joint::new("RightFoot", Some(0), offsets[2]),
            Joint::new("Head", Some(0), offsets[3]),
        ])
        .unwrap();
        let mut rotations = vec![DQuat::IDENTITY; 12];
        rotations[0] = DQuat::from_rotation_arc(up, DVec3::new(up.z, up.x, up.y));
        Take::new("t", skeleton, 0.1, offsets.repeat(3), rotations).unwrap()
    }

    fn settled(take: &Take) -> (Up, f64, Vec<FileWarning>) {
        let mut warnings = Vec::new();
        let space = settle_unturned(take, &SpaceSettings::default(), &mut warnings);
        assert!(!space.up_given && !space.unit_given);
        (space.up, space.unit_metres, warnings)
    }

    #[test]
    fn a_standing_body_gives_axis_and_unit() {
        for up in [Up::X, Up::Y, Up::Z] {
            for (_, metres) in NAMED_UNITS {
                assert_eq!(settled(&standing(up.unit(), 1.6 / metres)), (up, metres, vec![]));
            }
        }
    }

    #[test]
    fn doubts_are_reported() {
        let (up, _, warnings) = settled(&standing(-DVec3::Z, 1.6));
        assert_eq!(
            (up, warnings),
            (
                Up::against(Axis::Z),
                vec![SpaceWarning::UpsideDown { axis: Axis::Z }.into()]
            )
        );
        let (up, _, warnings) = settled(&standing(DVec3::new(0.0, 1.0, 1.0).normalize(), 1.6));
        assert_eq!(
            (up, warnings),
            (Up::Y, vec![SpaceWarning::UpUnclear { other: Axis::Z }.into()])
        );
        let (_, unit_metres, warnings) = settled(&standing(DVec3::Y, 1.1));
        assert_eq!(unit_metres, 1.0);
        assert!(
            matches!(warnings[..], [FileWarning::Space(SpaceWarning::UnitUnclear { height, .. })] if (height - 1.1).abs() < 1e-12)
        );
    }

    /// Lying bodies are as high along another axis as those that stand along it.
    #[test]
    fn a_body_that_lies_is_not_set_upright() {
        let upright = standing(DVec3::Y, 1.6);
        let laid = |way: DVec3| {
            let turn = DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2);
            let poses = (0..3).flat_map(|frame| {
                let mut at = upright.translations(2).to_vec();
                at[0] = way * f64::from(frame);
                at
            });
            let mut rotations = vec![DQuat::IDENTITY; 12];
            rotations.iter_mut().step_by(4).for_each(|hips| *hips = turn);
            Take::new("t", upright.skeleton().clone(), 0.1, poses.collect(), rotations).unwrap()
        };
        // It swims in its own direction or in place, and walks across.
        let lies = vec![SpaceWarning::Lies { along: Up::Z }.into()];
        for (way, expected) in [
            (DVec3::Z, (Up::Y, lies.clone())),
            (DVec3::ZERO, (Up::Y, lies)),
            (DVec3::X, (Up::Z, vec![])),
        ] {
            let (up, _, warnings) = settled(&laid(way));
            assert_eq!((up, warnings), expected, "{way}");
        }
    }

    #[test]
    fn legs_do_where_there_is_no_head() {
        let mut joints = standing(DVec3::Z, 172.0).skeleton().joints().to_vec();
        joints[3].name = "Chest".to_owned();
        let offsets: Vec<DVec3> = joints.iter().map(|joint| joint.rest_offset).collect();
        let take = Take::new(
            "t",
            Skeleton::new(joints).unwrap(),
            0.1,
            offsets,
            vec![DQuat::IDENTITY; 4],
        )
        .unwrap();
        assert_eq!(settled(&take), (Up::Z, 0.01, vec![]));
    }

    /// One frame of an animal whose feet have these names, one metre tall along Z; it faces along Y.
    fn standing_animal(feet: [&str; 4]) -> Take {
        let joints = vec![
            Joint::new("body", None, DVec3::Z),
            Joint::new("head", Some(0), DVec3::new(0.0, 1.6, 0.3)),
            Joint::new("chest", Some(0), DVec3::Y),
            Joint::new(feet[0], Some(2), DVec3::new(-0.2, 0.0, -1.0)),
            Joint::new(feet[1], Some(2), DVec3::new(0.2, 0.0, -1.0)),
            Joint::new(feet[2], Some(0), DVec3::new(-0.2, 0.0, -1.0)),
            Joint::new(feet[3], Some(0), DVec3::new(0.2, 0.0, -1.0)),
            Joint::new("tail", Some(0), DVec3::new(0.0, -0.5, -0.2)),
        ];
        let offsets: Vec<DVec3> = joints.iter().map(|joint| joint.rest_offset).collect();
        let rotations = vec![DQuat::IDENTITY; joints.len()];
        Take::new("t", Skeleton::new(joints).unwrap(), 0.1, offsets, rotations).unwrap()
    }

    #[test]
    fn the_legs_of_animals_point_down() {
        let settled = |feet| settled(&standing_animal(feet));
        // The head is as far ahead of the feet as above them, and an animal's size does not indicate the unit.
        let (up, unit_metres, warnings) = settled(["front_paw_l", "front_paw_r", "hind_paw_l", "hind_paw_r"]);
        assert_eq!((up, unit_metres), (Up::Z, 1.0));
        assert_eq!(warnings, [SpaceWarning::UnitUnknown { unit_metres }.into()]);
        // A fish has no side that must be up.
        let (up, _, warnings) = settled(["fin_a_l", "fin_a_r", "fin_b_l", "fin_b_r"]);
        assert_eq!((up, warnings.first()), (Up::Y, Some(&SpaceWarning::UpUnknown.into())));
    }

    #[test]
    fn stated_spaces_are_not_questioned() {
        let settings = SpaceSettings::new(UpChoice::X, UnitChoice::Metres(0.3));
        let mut warnings = Vec::new();
        let space = settle_unturned(&standing(DVec3::Y, 1.6), &settings, &mut warnings);
        assert_eq!((space.up, space.unit_metres), (Up::X, 0.3));
        assert!(space.up_given && space.unit_given && warnings.is_empty());
    }
}
