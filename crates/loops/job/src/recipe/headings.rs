//! The headings under which `--help` lists the flags of a recipe.

/// Which file, and how it is read.
pub const INPUT: &str = "Input";
/// Which frames.
pub const WHICH_LOOP: &str = "Which loop";
/// How the seam is closed.
pub const SEAM: &str = "Seam";
/// What the root does.
pub const ROOT_MOTION: &str = "Root motion";
/// When feet stand, and whether they are held.
pub const FEET: &str = "Feet";
/// What is written.
pub const OUTPUT: &str = "Output";
/// For which engine.
pub const ENGINE: &str = "Engine";
