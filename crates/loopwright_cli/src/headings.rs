//! The headings under which `--help` lists flags: what one wants, in the order in which a loop is made.

pub(crate) const INPUT: &str = "Input";
pub(crate) const WHICH_LOOP: &str = "Which loop";
pub(crate) const SEAM: &str = "Seam";
pub(crate) const ROOT_MOTION: &str = "Root motion";
pub(crate) const FEET: &str = "Feet";
pub(crate) const OUTPUT: &str = "Output";
pub(crate) const ENGINE: &str = "Engine";

/// How loops are mixed, or follow one another.
pub(crate) const MIX: &str = "Mix";
/// What a jump between two motions costs.
pub(crate) const JUMP: &str = "Jump";
/// What `check` allows.
pub(crate) const LIMITS: &str = "Limits";
/// What `fit` measures.
pub(crate) const FIT: &str = "Fit";
/// What `fit` computes without a take.
pub(crate) const NUMBERS_ALONE: &str = "From numbers alone";
/// What a picture shows.
pub(crate) const PICTURE: &str = "Picture";
/// How the synthetic walker moves.
pub(crate) const WALK: &str = "Walk";
