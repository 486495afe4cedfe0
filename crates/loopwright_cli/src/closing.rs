//! From a recipe to the settings of the closure, and back.

use loopwright::{
    candidate::LoopCandidate,
    closure::{self, ClosureSettings, Order, SeamMotion, Shape, Shares},
    pipeline::{self, LoopSettings, MakeError},
    take::Skeleton,
};

use crate::{
    exit::Failure,
    load::Loaded,
    recipe::{ClosureRecipe, JointMethod, Method, MotionChoice, OrderChoice, Recipe},
};

/// Blend time unless given, seconds.
const BLEND_SECS: f64 = closure::DEFAULT_BLEND_SECS;

/// Half-life of a spring unless given, seconds.
const HALF_LIFE_SECS: f64 = 0.1;

/// Hardness of a soft fade unless given, and its duration, seconds: those of the article.
const HARDNESS: f64 = 16.0;
const DURATION_SECS: f64 = 0.4;

/// The settings that a recipe asks for; those of `auto` are chosen later.
pub(crate) fn settings(recipe: &Recipe, skeleton: &Skeleton) -> Result<ClosureSettings, Failure> {
    let closure = &recipe.closure;
    check(closure)?;
    let shares = shares(&closure.share)?;
    let of_all = closure.method.unwrap_or(Method::Quintic);
    let [start, end] = [closure.method_start, closure.method_end].map(|own| own.unwrap_or(of_all));
    if start != end
        && [start, end]
            .iter()
            .any(|method| matches!(method, Method::Auto | Method::Crossfade))
    {
        return Err(
            Failure::error("auto and crossfade are methods of the whole seam, not of one of its ends")
                .try_this("--closure for both ends, or other methods at both"),
        );
    }
    let blend_start = closure.blend_start.or(closure.blend);
    let blend_end = closure.blend_end.or(closure.blend);
    let crossfades = start == Method::Crossfade;
    let method = closure::Method {
        start: shape(start, blend_start.filter(|_| !crossfades), closure.hardness),
        end: shape(end, blend_end.filter(|_| !crossfades), closure.hardness),
        shares,
        order: order(closure.order),
        crossfade_secs: crossfades.then(|| blend_start.unwrap_or(BLEND_SECS)),
    };
    let mut joints = Vec::new();
    for joint in &recipe.joints {
        let matching = skeleton.joints_matching(&joint.pattern);
        if matching.is_empty() {
            return Err(Failure::error(format!("no joint's name is like \"{}\"", joint.pattern))
                .because("patterns must fit the whole name; * stands for any letters, ? for any one")
                .try_this("`loopwright inspect TAKE --json` lists the joints"));
        }
        if let Some(secs) = joint.blend {
            positive("the seconds of --joint", secs, "--joint 'Hand*:spring:0.1'")?;
        }
        let own = joint_method(joint.method).map(|name| {
            let crossfades = name == Method::Crossfade;
            closure::Method {
                crossfade_secs: crossfades.then(|| joint.blend.unwrap_or(BLEND_SECS)),
                shares,
                order: order(closure.order),
                ..closure::Method::of(shape(name, joint.blend.filter(|_| !crossfades), closure.hardness))
            }
        });
        joints.extend(matching.into_iter().map(|joint| (joint, own)));
    }
    Ok(ClosureSettings {
        method,
        motion: match closure.motion.unwrap_or(MotionChoice::Layered) {
            MotionChoice::Layered => SeamMotion::Layered,
            MotionChoice::Central => SeamMotion::Central,
        },
        joints,
    })
}

/// Values that the core would refuse too, told in the words of the command line.
fn check(closure: &ClosureRecipe) -> Result<(), Failure> {
    for (name, secs) in [
        ("--blend", closure.blend),
        ("--blend-start", closure.blend_start),
        ("--blend-end", closure.blend_end),
    ] {
        if let Some(secs) = secs {
            positive(name, secs, &format!("{name} 0.4"))?;
        }
    }
    if let Some(hardness) = closure.hardness
        && !(hardness > 0.0 && hardness.is_finite())
    {
        return Err(
            Failure::error(format!("--hardness must be a positive number, found {hardness}")).try_this("--hardness 16"),
        );
    }
    Ok(())
}

fn positive(name: &str, secs: f64, hint: &str) -> Result<(), Failure> {
    if secs > 0.0 && secs.is_finite() {
        return Ok(());
    }
    Err(Failure::error(format!("{name} must be a positive number of seconds, found {secs:e}")).try_this(hint))
}

fn shares(given: &[f64]) -> Result<Shares, Failure> {
    let wrong = given.len() > 3 || given.iter().any(|share| !(0.0..=1.0).contains(share));
    if wrong {
        return Err(Failure::error(
            "--share takes one to three numbers from 0 to 1: of pose, velocity and acceleration",
        )
        .try_this("--share 0.5, or --share 1 to leave the end as it is"));
    }
    let rho = given.first().copied().unwrap_or(0.5);
    let sigma = given.get(1).copied().unwrap_or(rho);
    let tau = given.get(2).copied().unwrap_or(sigma);
    Ok(Shares { rho, sigma, tau })
}

fn order(choice: Option<OrderChoice>) -> Order {
    match choice {
        Some(OrderChoice::C1) => Order::C1,
        Some(OrderChoice::C2) | None => Order::C2,
    }
}

/// The shape of a method at one end; a crossfade closes by quintics what it leaves.
fn shape(method: Method, secs: Option<f64>, hardness: Option<f64>) -> Shape {
    let blend_secs = secs.unwrap_or(BLEND_SECS);
    match method {
        Method::Auto | Method::Quintic | Method::Crossfade => Shape::Quintic { blend_secs },
        Method::Cubic => Shape::Cubic { blend_secs },
        Method::Spring => Shape::Spring {
            half_life_secs: secs.unwrap_or(HALF_LIFE_SECS),
        },
        Method::Linear => Shape::Linear { blend_secs },
        Method::Softfade => Shape::SoftFade {
            duration_secs: secs.unwrap_or(DURATION_SECS),
            hardness: hardness.unwrap_or(HARDNESS),
            blend_secs,
        },
        Method::Adjustment => Shape::Adjustment { blend_secs },
    }
}

fn joint_method(method: JointMethod) -> Option<Method> {
    Some(match method {
        JointMethod::Quintic => Method::Quintic,
        JointMethod::Cubic => Method::Cubic,
        JointMethod::Spring => Method::Spring,
        JointMethod::Linear => Method::Linear,
        JointMethod::Softfade => Method::Softfade,
        JointMethod::Adjustment => Method::Adjustment,
        JointMethod::Crossfade => Method::Crossfade,
        JointMethod::Open => return None,
    })
}

/// Chooses the method where the recipe leaves it to us, and puts it into the settings.
pub(crate) fn choose_method(
    loaded: &Loaded,
    chosen: &LoopCandidate,
    recipe: &Recipe,
    settings: &mut LoopSettings,
) -> Result<Option<pipeline::auto::Choice>, MakeError> {
    if recipe.closure.method != Some(Method::Auto) {
        return Ok(None);
    }
    let choice = pipeline::auto::choose(loaded.take(), &loaded.analysis, &chosen.cut, chosen.cycles, settings)?;
    settings.closure.method = choice.method;
    Ok(Some(choice))
}

/// The recipe with everything in it that was decided on the way.
pub(crate) fn done(recipe: &Recipe, chosen: &LoopCandidate, choice: Option<&pipeline::auto::Choice>) -> Recipe {
    let mut done = recipe.clone();
    done.stretch.start = Some(chosen.cut.start_frame());
    done.stretch.end = Some(chosen.cut.end_frame());
    done.stretch.cycles = Some(chosen.cycles);
    done.stretch.symmetric = chosen.is_mirrored.then_some(true);
    if let Some(choice) = choice {
        let (method, secs) = match (choice.method.crossfade_secs, choice.method.start) {
            (Some(secs), _) => (Method::Crossfade, secs),
            (None, Shape::Cubic { blend_secs }) => (Method::Cubic, blend_secs),
            (None, Shape::Spring { half_life_secs }) => (Method::Spring, half_life_secs),
            (None, Shape::Linear { blend_secs }) => (Method::Linear, blend_secs),
            (None, Shape::Adjustment { blend_secs }) => (Method::Adjustment, blend_secs),
            (None, Shape::SoftFade { duration_secs, .. }) => (Method::Softfade, duration_secs),
            (None, shape) => (Method::Quintic, shape.secs()),
        };
        done.closure = ClosureRecipe {
            method: Some(method),
            blend: Some(secs),
            hardness: match choice.method.start {
                Shape::SoftFade { hardness, .. } => Some(hardness),
                _ => None,
            },
            share: done.closure.share,
            order: done.closure.order,
            motion: done.closure.motion,
            ..ClosureRecipe::default()
        };
    }
    done
}
