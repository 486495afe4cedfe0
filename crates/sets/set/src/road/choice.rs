//! Chooses the form of a set, and the loops that have it.

use std::collections::BTreeMap;

use loopwright_core::math::ordered;
use loopwright_formats::{Format, Target, set::LeftOut};
use loopwright_job::max_rate_hz;

use super::{MakeSetError, SetNote, SetSettings};
use crate::{
    blend::format_for,
    set::{Member, Offered, SetForm, TakeLoop, gait_of, name_of, place_of},
};

/// Returns the form of the set: the rate and the format of most loops, unless settings say otherwise. Errors: more frames than
/// an engine uses.
pub(super) fn form(
    settings: &SetSettings,
    loops: &[TakeLoop],
    notes: &mut Vec<SetNote>,
) -> Result<SetForm, MakeSetError> {
    let own_hz = rate_of_most(loops);
    let engine = settings.target.unwrap_or(Target::Generic);
    let own = loops.first().map_or(Format::Bvh, |(stored, _)| {
        format_for(engine, stored.file.source.format())
    });
    let format = settings.format.unwrap_or(own);
    let fps = settings.fps.unwrap_or_else(|| engine.sampled_rate(own_hz));
    let limit_hz = max_rate_hz(own_hz);
    if fps > limit_hz {
        return Err(MakeSetError::Rate {
            wanted_hz: fps,
            limit_hz,
        });
    }
    let mut formats = loops.iter().map(|(stored, _)| stored.file.source.format());
    if format == Format::Fbx && formats.any(|own| matches!(own, Format::Glb | Format::Gltf)) {
        notes.push(SetNote::Mesh);
    }
    notes.extend(
        engine
            .complaint(format)
            .into_iter()
            .chain(engine.rate_complaint(fps))
            .map(SetNote::Engine),
    );
    let take = &settings.recipe.take;
    Ok(SetForm {
        fps,
        target: settings.target,
        format,
        overrides: match take.rig {
            Some(_) => Default::default(),
            None => take.overrides(),
        },
    })
}

/// Returns the rate of most loops, hertz.
fn rate_of_most(loops: &[TakeLoop]) -> f64 {
    let mut rates: BTreeMap<u64, usize> = BTreeMap::new();
    for (stored, _) in loops {
        // In thousandths, because files round frame times.
        *rates.entry((1e3 / stored.clip.step_secs()).round() as u64).or_default() += 1;
    }
    let own = rates
        .iter()
        .max_by_key(|(rate, count)| (**count, **rate))
        .map_or(30.0, |(rate, _)| *rate as f64 / 1e3);
    // A rate that is whole within rounding is whole.
    if (own - own.round()).abs() < 0.02 {
        own.round()
    } else {
        own
    }
}

/// Returns the loops that a set can use.
pub(super) fn members(loops: Vec<TakeLoop>, form: &SetForm, left_out: &mut Vec<LeftOut>) -> Vec<Offered> {
    let mut offered = Vec::new();
    for (stored, made) in loops {
        let take = place_of(&made);
        let member = Member::new(stored, made, form).map_err(|error| error.to_string());
        match member.and_then(|member| Ok((gait_of(&member)?, member))) {
            Ok((gait, member)) => offered.push(Offered { member, gait }),
            Err(why) => left_out.push(LeftOut { take, why }),
        }
    }
    offered
}

/// Returns the loops on the most frequent skeleton.
pub(super) fn of_one_skeleton(
    offered: Vec<Offered>,
    left_out: &mut Vec<LeftOut>,
    notes: &mut Vec<SetNote>,
) -> Vec<Offered> {
    let mut groups: Vec<Vec<Offered>> = Vec::new();
    for each in offered {
        match groups
            .iter_mut()
            .find(|group| each.member.differs_from(&group[0].member).is_none())
        {
            Some(group) => group.push(each),
            None => groups.push(vec![each]),
        }
    }
    // The first of several of one size.
    let Some(most) = (0..groups.len()).rev().max_by_key(|&group| groups[group].len()) else {
        return Vec::new();
    };
    let kept = groups.swap_remove(most);
    let mut said: Vec<&str> = Vec::new();
    for other in groups.iter().flatten() {
        let take = other.member.made.take.as_str();
        if said.contains(&take) {
            continue;
        }
        said.push(take);
        if let Some(difference) = other.member.differs_from(&kept[0].member) {
            let left = LeftOut {
                take: take.to_owned(),
                why: format!(
                    "it has another skeleton than \"{}\": {difference}; --rig FILE puts all on one",
                    kept[0].member.made.take
                ),
            };
            notes.push(SetNote::Skeleton(left.clone()));
            left_out.push(left);
        }
    }
    kept
}

/// A difference between the bones of takes above which their clips visibly do not meet, metres: a step as over a seam.
const SHOWS_METRES: f64 = 0.002;

/// Notes that takes belong to different bodies, whose clips cannot meet.
pub(super) fn bones_apart(kept: &[Offered]) -> Option<SetNote> {
    let (first, others) = kept.split_first()?;
    let (metres, other) = others
        .iter()
        .map(|other| (other.member.bones_apart(&first.member), other))
        .max_by_key(|(metres, _)| ordered(*metres))?;
    (metres > SHOWS_METRES).then(|| SetNote::Bones {
        one: name_of(first),
        other: name_of(other),
        metres,
    })
}
