//! How a search compares loops.

use loopwright_core::{candidate::ChooseBy, math::DecayKind};

use super::{described::described, words::optional_text};

described! {
    /// What few people set of a search, as the table `[search]` of a recipe.
    #[derive(Copy, Default)]
    #[serde(default)]
    pub struct SearchRecipe {
        /// Only loops that climb at this rate, m/s; one end may be left out.
        pub climb: Option<[f64; 2]> as "optional_text" = "# climb = \"0.1:0.5\"",
        /// What the recommended loop is chosen by: outcome, what a person sees of it, or cost, the price of its seam.
        pub choose: Option<ChooseBy> as "optional_text" = "choose = \"outcome\"",
        /// How a jump at the seam would fade, by which seams are compared: spring, cubic or quintic.
        pub fade: Option<DecayKind> as "optional_text" = "fade = \"spring\"",
        /// Half-life of that fade, seconds, above 0 (59.7% is left after it); longer weighs velocities more.
        pub half_life: Option<f64> = "half-life = 0.1",
        /// Whether shifted and multiple versions of loops are listed one by one.
        pub shifted: Option<bool> = "shifted = false",
    }
}
