//! The facts of loops, and of clips whose middle repeats, in the extras of their animations.

use serde_json::Value;

use super::{edit, meshopt};
use crate::{
    limits::SizeLimits,
    loop_file::sidecar::{Sidecar, SidecarError},
};

/// Implements [`crate::with_facts`] for glTF: writes facts into the extras of the animations of these names.
pub(super) fn with_facts(bytes: &[u8], facts: Vec<(&str, Value)>) -> Option<Vec<u8>> {
    let (mut document, _) = meshopt::document(bytes, None, &SizeLimits::default()).ok()?;
    let animations = edit::Animations::of(&document);
    for (name, value) in facts {
        animations.set_extra(&mut document, name, value);
    }
    Some(if bytes.starts_with(b"glTF") {
        document.to_glb()
    } else {
        document.to_gltf()
    })
}

/// Implements [`crate::facts_in`] for glTF: reads the extras of the animation.
pub(super) fn facts_in(bytes: &[u8], animation: &str) -> Option<Result<Sidecar, SidecarError>> {
    let (document, _) = meshopt::document(bytes, None, &SizeLimits::default()).ok()?;
    // Motion written without facts has only some sections, and no format.
    let extras = edit::extra(document.list("animations"), animation).filter(|extras| extras.get("format").is_some())?;
    Some(Sidecar::from_extras(extras))
}

/// Returns the seconds from key to key of an animation that we wrote: as its facts state them, or a loop's period divided by its samples.
pub(super) fn stated_step_secs(animation: &Value) -> Option<f64> {
    let facts = edit::extra_in(animation)?;
    if let Some(stated) = facts.get("frame_time_secs") {
        return stated.as_f64();
    }
    let period_secs = facts.pointer("/candidate/period_secs")?.as_f64()?;
    let samples = facts.pointer("/playback/samples")?.as_f64()?;
    let last_step = facts.pointer("/playback/last_step").and_then(Value::as_f64);
    Some(period_secs / (samples - 1.0 + last_step.unwrap_or(1.0))).filter(|step| step.is_finite())
}
