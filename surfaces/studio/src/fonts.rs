//! The font of the window: one typeface. Those for emoji and code are not needed, and would be a quarter of the page.

use std::sync::Arc;

use eframe::egui::{FontData, FontDefinitions, FontFamily};
use epaint_default_fonts::UBUNTU_LIGHT;

/// The typeface for all words.
pub fn fonts() -> FontDefinitions {
    const NAME: &str = "Ubuntu-Light";
    let mut fonts = FontDefinitions::empty();
    fonts
        .font_data
        .insert(NAME.to_owned(), Arc::new(FontData::from_static(UBUNTU_LIGHT)));
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec![NAME.to_owned()]);
    }
    fonts
}
