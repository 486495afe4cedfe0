//! How the seam is closed: as requested, as the core's settings, and as finally decided.

use std::str::FromStr;

use loopwright_core::{
    ClosureSettings, Skeleton,
    analysis::similar_joints,
    closure::{ClosureName, DEFAULT_BLEND_SECS, Method, Order, Preset, SeamMotion, Shape, ShapeKey, ShapeKind, Shares},
};

use super::{
    RecipeError,
    described::described,
    unusual,
    words::{optional_text, read_one_of},
};
#[cfg(feature = "clap")]
use super::{headings::SEAM, words::choice};

described! {
    /// How the seam is closed, as flags or as the table `[closure]` of a recipe. Times in seconds.
    #[derive(Default)]
    #[serde(default)]
    flags(SEAM)
    pub struct ClosureRecipe {
        /// How the seam is closed [default: quintic].
        flag(long = "closure", value_name = "METHOD", value_parser = choice::<ClosureName>())
        pub method: Option<ClosureName> as "optional_text" = "# method = \"quintic\"",
        /// A method of the article by its name: start, end, both, cubic, linear, softfade, or linear-with-kink, whose velocities jump.
        pub preset: Option<Preset> as "optional_text" = "# preset = \"both\"",
        /// Another method for the start of the loop.
        pub method_start: Option<ClosureName> as "optional_text" = "# method-start = \"quintic\"",
        /// Another method for the end of the loop.
        pub method_end: Option<ClosureName> as "optional_text" = "# method-end = \"quintic\"",
        /// Blend time at both ends, seconds (for a spring, its half-life).
        flag(long, value_name = "S")
        pub blend: Option<f64> = "# blend = 0.35",
        /// Another blend time for the start, seconds.
        pub blend_start: Option<f64> = "# blend-start = 0.35",
        /// Another blend time for the end, seconds.
        pub blend_end: Option<f64> = "# blend-end = 0.35",
        /// Fade of velocities apart, seconds, of spring and softfade [default: as the pose; softfade 0.35].
        pub velocity_blend: Option<f64> = "# velocity-blend = 0.35",
        /// Another fade of velocities for the start, seconds.
        pub velocity_blend_start: Option<f64> = "# velocity-blend-start = 0.35",
        /// Another fade of velocities for the end, seconds.
        pub velocity_blend_end: Option<f64> = "# velocity-blend-end = 0.35",
        /// How sharply softfade bends, 0.5 or more.
        pub hardness: Option<f64> = "# hardness = 16.0",
        /// Another hardness for the start.
        pub hardness_start: Option<f64> = "# hardness-start = 16.0",
        /// Another hardness for the end.
        pub hardness_end: Option<f64> = "# hardness-end = 16.0",
        /// Share of the gaps closed at the start, 0 to 1: of pose, velocity and acceleration, or one for all.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub share: Vec<f64> = "# share = [0.5]",
        /// What meets at the seam: c0, pose alone, c1, velocity as well, or c2, acceleration too [default: c2 where the method allows it].
        pub continuity: Option<Order> as "optional_text" = "# continuity = \"c2\"",
        /// How velocities are estimated: layered, from nine frames, or central, from neighbouring frames, noise included.
        pub seam_motion: Option<SeamMotion> as "optional_text" = "# seam-motion = \"layered\"",
    }
}

described! {
    /// Joints that are closed in their own way, as a table `[[joint]]` of a recipe or short, `NAME:METHOD[:SECONDS]`.
    pub struct JointRecipe {
        /// Names of joints, * for any letters and ? for any one.
        pub pattern: String = "# pattern = \"Hand*\"",
        /// How they are closed: a method of the seam, or open.
        pub method: ClosureName as "joint_method" = "# method = \"spring\"",
        /// Blend time, seconds [default: the method's].
        pub blend: Option<f64> = "# blend = 0.1",
    }
}

/// Names of the closure methods of single joints.
mod joint_method {
    use serde::{Deserialize, Deserializer, de::Error};

    pub(super) use super::super::words::text::serialize;
    use super::{ClosureName, read_one_of};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ClosureName, D::Error> {
        read_one_of(ClosureName::OF_JOINTS, &String::deserialize(from)?).map_err(Error::custom)
    }
}

impl FromStr for JointRecipe {
    type Err = String;

    /// Parses `PATTERN:METHOD[:SECONDS]` from its end, because joint names may contain colons.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "must be PATTERN:METHOD[:SECONDS], such as 'Hand*:spring:0.1', with a method of {}",
                ClosureName::OF_JOINTS
                    .iter()
                    .map(|name| name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        };
        let (rest, last) = text.rsplit_once(':').ok_or_else(wrong)?;
        let method = |word: &str| read_one_of(ClosureName::OF_JOINTS, word).ok();
        let (pattern, method, blend) = match (method(last), last.trim().parse::<f64>()) {
            (Some(method), _) => (rest, method, None),
            (None, Ok(secs)) => {
                let (pattern, word) = rest.rsplit_once(':').ok_or_else(wrong)?;
                (pattern, method(word).ok_or_else(wrong)?, Some(secs))
            }
            (None, Err(_)) => return Err(wrong()),
        };
        if pattern.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            method,
            blend,
        })
    }
}

impl ClosureRecipe {
    /// Returns the core's settings; `auto` is resolved later.
    ///
    /// Errors: a number is out of its range, methods cannot be mixed, or a pattern matches no joint's name.
    pub fn settings(&self, joints: &[JointRecipe], skeleton: &Skeleton) -> Result<ClosureSettings, RecipeError> {
        self.check()?;
        if let Some(preset) = self.preset {
            return self.after(preset).settings(joints, skeleton);
        }
        let of_all = self.method.unwrap_or(ClosureName::Shape(ShapeKind::Quintic));
        let [start, end] = [self.method_start, self.method_end].map(|own| own.unwrap_or(of_all));
        let is_whole = |name| matches!(name, ClosureName::Auto | ClosureName::Crossfade);
        if start != end && (is_whole(start) || is_whole(end)) {
            return Err(RecipeError::WholeSeam);
        }
        let [given_start, given_end] = [1, 2].map(|end| {
            move |key| {
                let stated = self.stated(key);
                stated[end].or(stated[0])
            }
        });
        let method = self.method_of(start, end, given_start, given_end)?;
        let mut of_joints = Vec::new();
        for joint in joints {
            let matching = skeleton.joints_matching(&joint.pattern);
            if matching.is_empty() {
                return Err(RecipeError::NoSuchJoint {
                    pattern: joint.pattern.clone(),
                    similar: similar_joints(skeleton, &joint.pattern),
                });
            }
            if let Some(secs) = joint.blend {
                positive("the blend of a joint", secs, "--set 'joint=Hand*:spring:0.1'")?;
            }
            let given = |key| match key {
                ShapeKey::Blend => joint.blend,
                key => self.stated(key)[0],
            };
            let own = self.method_of(joint.method, joint.method, given, given)?;
            of_joints.extend(matching.into_iter().map(|joint| (joint, own)));
        }
        let names = [start, end].into_iter().chain(joints.iter().map(|joint| joint.method));
        let fades_apart = |name: ClosureName| match name {
            ClosureName::Shape(kind) => kind.descriptor().parameter(ShapeKey::VelocityBlend).is_some(),
            _ => false,
        };
        if self.stated(ShapeKey::VelocityBlend).iter().any(Option::is_some) && !names.into_iter().any(fades_apart) {
            return Err(RecipeError::VelocityBlend);
        }
        Ok(ClosureSettings {
            // Only single joints may be left open.
            method: method.unwrap_or_default(),
            motion: self.seam_motion.unwrap_or_default(),
            joints: of_joints,
        })
    }

    /// Returns a copy with a preset's values for all settings that are not stated.
    fn after(&self, preset: Preset) -> Self {
        let Method {
            shares, order, start, ..
        } = preset.method();
        Self {
            preset: None,
            method: self.method.or(Some(ClosureName::from(start))),
            share: if self.share.is_empty() {
                vec![shares.rho]
            } else {
                self.share.clone()
            },
            continuity: self.continuity.or(Some(order)),
            seam_motion: self.seam_motion.or(Some(SeamMotion::Central)),
            ..self.clone()
        }
    }

    /// Returns the method for these names and numbers at both ends; `None` if nothing is closed.
    fn method_of(
        &self,
        start: ClosureName,
        end: ClosureName,
        given_start: impl Fn(ShapeKey) -> Option<f64>,
        given_end: impl Fn(ShapeKey) -> Option<f64>,
    ) -> Result<Option<Method>, RecipeError> {
        let crossfades = start == ClosureName::Crossfade;
        let shares = shares(&self.share)?;
        // The crossfade's time does not apply to the offsets, which close what the crossfade leaves.
        let applies = |key: ShapeKey| !(crossfades && key == ShapeKey::Blend);
        let shapes = (
            start.shape(|key| given_start(key).filter(|_| applies(key))),
            end.shape(|key| given_end(key).filter(|_| applies(key))),
        );
        let (Some(start), Some(end)) = shapes else {
            return Ok(None);
        };
        Ok(Some(Method {
            start,
            end,
            shares,
            order: self.continuity.unwrap_or_default(),
            crossfade_secs: crossfades.then(|| given_start(ShapeKey::Blend).unwrap_or(DEFAULT_BLEND_SECS)),
        }))
    }

    /// Returns the stated values of a parameter of shapes: for both ends, for the start, for the end.
    fn stated(&self, key: ShapeKey) -> [Option<f64>; 3] {
        match key {
            ShapeKey::Blend => [self.blend, self.blend_start, self.blend_end],
            ShapeKey::VelocityBlend => [self.velocity_blend, self.velocity_blend_start, self.velocity_blend_end],
            ShapeKey::Hardness => [self.hardness, self.hardness_start, self.hardness_end],
        }
    }

    /// Refuses values that the core would also refuse, with messages that name the flags.
    fn check(&self) -> Result<(), RecipeError> {
        for key in ShapeKey::ALL {
            for (value, end) in self.stated(key).into_iter().zip(["", "-start", "-end"]) {
                let name = format!("closure.{key}{end}");
                match (key, end, value) {
                    (ShapeKey::Blend, "", Some(secs)) => positive("--blend", secs, "--blend 0.4")?,
                    (ShapeKey::Hardness, _, Some(found)) if !(found > 0.0 && found.is_finite()) => {
                        return Err(RecipeError::Hardness { name, found });
                    }
                    (ShapeKey::Blend | ShapeKey::VelocityBlend, _, Some(secs)) => {
                        positive(&name, secs, &format!("--set {name}=0.4"))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Returns this recipe with a method and an estimate of velocities written out, so that [`Self::settings`] returns them
    /// again.
    #[must_use]
    pub fn stating(&self, method: &Method, motion: SeamMotion) -> Self {
        let [name, name_of_end] = method.names();
        let crossfade = method.crossfade_secs;
        // The shapes under a crossfade have the times of their names.
        let own = |shape: Shape| crossfade.is_none().then_some(shape);
        let [start, end] = [method.start, method.end].map(own);
        let secs = |shape: Option<Shape>| crossfade.or(shape.map(Shape::secs));
        let number = |shape: Option<Shape>, key: ShapeKey| shape.and_then(|shape| shape.get(key));
        let Shares { rho, sigma, tau } = method.shares;
        Self {
            preset: None,
            method: Some(name),
            method_start: None,
            method_end: (name_of_end != name).then_some(name_of_end),
            blend: secs(start),
            blend_start: None,
            blend_end: secs(end).filter(|_| start != end),
            // Keys for both ends also set joints of their own method, and stay as they were.
            velocity_blend_start: number(start, ShapeKey::VelocityBlend),
            velocity_blend_end: number(end, ShapeKey::VelocityBlend),
            hardness_start: number(start, ShapeKey::Hardness),
            hardness_end: number(end, ShapeKey::Hardness),
            share: if method.shares == Shares::all(0.5) {
                Vec::new()
            } else {
                vec![rho, sigma, tau]
            },
            continuity: unusual(method.order),
            seam_motion: unusual(motion),
            ..self.clone()
        }
    }

    /// Returns the recipe for a method chosen for the whole seam.
    pub fn chosen(&self, method: &Method) -> Self {
        let (name, secs) = match method.crossfade_secs {
            Some(secs) => (ClosureName::Crossfade, secs),
            None => (ClosureName::from(method.start), method.start.secs()),
        };
        let shape = method.start;
        // A chosen shape keeps its one time if joints state another one for the velocity.
        let one_time = self.velocity_blend.and(Some(shape.secs()));
        let velocity_secs = shape
            .kind()
            .descriptor()
            .parameter(ShapeKey::VelocityBlend)
            .and_then(|_| shape.get(ShapeKey::VelocityBlend).or(one_time));
        Self {
            method: Some(name),
            blend: Some(secs),
            // Keys for both ends also set joints of their own method, and stay as they were.
            velocity_blend_start: velocity_secs,
            velocity_blend_end: velocity_secs,
            hardness_start: shape.get(ShapeKey::Hardness),
            hardness_end: shape.get(ShapeKey::Hardness),
            method_start: None,
            method_end: None,
            blend_start: None,
            blend_end: None,
            ..self.clone()
        }
    }
}

/// Checks a time. Errors: it is not a positive number of seconds.
pub(super) fn positive(name: &str, secs: f64, hint: &str) -> Result<(), RecipeError> {
    if secs > 0.0 && secs.is_finite() {
        return Ok(());
    }
    Err(RecipeError::Secs {
        name: name.to_owned(),
        found: secs,
        hint: hint.to_owned(),
    })
}

fn shares(given: &[f64]) -> Result<Shares, RecipeError> {
    if given.len() > 3 || given.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return Err(RecipeError::Shares);
    }
    let rho = given.first().copied().unwrap_or(0.5);
    let sigma = given.get(1).copied().unwrap_or(rho);
    Ok(Shares {
        rho,
        sigma,
        tau: given.get(2).copied().unwrap_or(sigma),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a person sets at sliders comes back to the bit, through the text of a recipe too.
    #[test]
    fn a_stated_method_is_the_method_again() {
        let joint = loopwright_core::Joint::new("a", None, Default::default());
        let skeleton = Skeleton::new(vec![joint]).unwrap();
        let times = [Some(0.123_456_789), Some(0.31)];
        for &name in ClosureName::OF_BODIES {
            for order in Order::ALL {
                for motion in SeamMotion::ALL {
                    for (end_secs, rho) in [(times[0], 0.5), (Some(0.2), 0.3)] {
                        let shape = |secs: Option<f64>| {
                            name.shape(|key| match key {
                                ShapeKey::Blend => secs,
                                ShapeKey::VelocityBlend => times[1],
                                ShapeKey::Hardness => Some(7.0),
                            })
                        };
                        let (Some(start), Some(end)) = (shape(times[0]), shape(end_secs)) else {
                            continue;
                        };
                        let mut method = Method {
                            start,
                            end,
                            shares: Shares {
                                rho,
                                sigma: 0.5,
                                tau: 0.5,
                            },
                            order,
                            crossfade_secs: None,
                        };
                        if name == ClosureName::Crossfade {
                            let plain = name.shape(|_| None).unwrap();
                            (method.start, method.end) = (plain, plain);
                            method.crossfade_secs = Some(0.27);
                        }
                        let stated = ClosureRecipe::default().stating(&method, motion);
                        let text = toml::to_string(&stated).unwrap();
                        let read: ClosureRecipe = toml::from_str(&text).unwrap();
                        let settings = read.settings(&[], &skeleton).unwrap();
                        assert_eq!((settings.method, settings.motion), (method, motion), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn joints_are_read_from_the_end() {
        let joint = |text: &str| text.parse::<JointRecipe>();
        let hands = joint("Hand*:spring:0.1").unwrap();
        assert_eq!(
            (hands.pattern.as_str(), hands.method, hands.blend),
            ("Hand*", ClosureName::Shape(ShapeKind::Spring), Some(0.1))
        );
        let with_colons = joint("mixamorig:Left*:open").unwrap();
        assert_eq!(
            (with_colons.pattern.as_str(), with_colons.method, with_colons.blend),
            ("mixamorig:Left*", ClosureName::Open, None)
        );
        for wrong in ["", "Hand", "Hand*:0.1", "Hand*:fast", ":spring", "Hand*:spring:long"] {
            assert!(joint(wrong).unwrap_err().contains("PATTERN:METHOD"), "{wrong}");
        }
    }
}
