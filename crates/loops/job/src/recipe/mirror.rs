//! Left and right: which joints mirror each other, as a recipe states it.

use loopwright_core::{Analysis, mirror::Mirror};

use super::RecipeError;

/// Parses `LEFT=RIGHT`, or one name twice for a joint on the mirror plane. Errors: it is neither.
pub fn mirror_pair(pair: &str) -> Result<(String, String), RecipeError> {
    let names: Vec<&str> = pair.split('=').map(str::trim).collect();
    match names.as_slice() {
        [left, right] if !left.is_empty() && !right.is_empty() => Ok(((*left).to_owned(), (*right).to_owned())),
        [alone] if !alone.is_empty() => Ok(((*alone).to_owned(), (*alone).to_owned())),
        _ => Err(RecipeError::Pair { pair: pair.to_owned() }),
    }
}

/// Returns the mirror of a take from the names of its joints and from pairs that override them. Errors: a pair is invalid, or
/// the sides cannot be exchanged.
pub fn mirror(analysis: &Analysis, pairs: &[String]) -> Result<Mirror, RecipeError> {
    analysis
        .mirror(
            &pairs
                .iter()
                .map(|pair| mirror_pair(pair))
                .collect::<Result<Vec<_>, _>>()?,
        )
        .map_err(RecipeError::Mirror)
}
