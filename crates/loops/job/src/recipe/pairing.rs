//! How the ends of a stretch meet, as a recipe states it.

use loopwright_core::{Analysis, mirror::Pairing, take::DEFAULT_EASE_SECS};

use super::{RecipeError, StretchRecipe, closure::positive, mirror};

/// Returns how the ends of stretches of a take meet; `pairs` are joints that mirror each other. Errors: two pairings at once, a turn
/// without duration or without ping-pong, or a body whose sides cannot be exchanged.
pub fn pairing(analysis: &Analysis, stretch: &StretchRecipe, pairs: &[String]) -> Result<Pairing, RecipeError> {
    let is_symmetric = stretch.symmetric == Some(true);
    let ease_secs = stretch.ease.unwrap_or(DEFAULT_EASE_SECS);
    positive("stretch.ease", ease_secs, "--set stretch.ease=0.5")?;
    let is_ping_pong = stretch.ping_pong == Some(true);
    if is_ping_pong && is_symmetric {
        Err(RecipeError::TwoPairings)
    } else if is_ping_pong {
        Ok(Pairing::PingPong {
            ease_frames: ease_secs / analysis.take.frame_time_secs(),
        })
    } else if stretch.ease.is_some() {
        Err(RecipeError::EaseAlone)
    } else if is_symmetric {
        Ok(Pairing::Mirrored(mirror(analysis, pairs)?))
    } else {
        Ok(Pairing::Same)
    }
}
