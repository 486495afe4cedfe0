//! Colours of the window that differ from those of egui: its explanations are too faint to be read.

use eframe::egui::{Color32, Context, Theme};

/// Text and weak text, light on dark and dark on light.
const TEXTS: [(Theme, u8, u8); 2] = [(Theme::Dark, 200, 150), (Theme::Light, 40, 95)];

/// Makes text, and above all weak text, readable in both themes.
pub(crate) fn make_readable(ctx: &Context) {
    for (theme, text, weak) in TEXTS {
        ctx.style_mut_of(theme, |style| {
            style.visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(text);
            style.visuals.weak_text_color = Some(Color32::from_gray(weak));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of WCAG 2.1.
    fn luminance(colour: Color32) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            match part <= 0.04045 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn contrast(one: Color32, other: Color32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// WCAG 2.1 asks for 4.5 to 1; egui's weak text has 2.3.
    #[test]
    fn explanations_can_be_read() {
        let ctx = Context::default();
        make_readable(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = ctx.style_of(theme).visuals.clone();
            for text in [visuals.text_color(), visuals.weak_text_color()] {
                for ground in [visuals.panel_fill, visuals.extreme_bg_color] {
                    let found = contrast(text, ground);
                    assert!(found >= 4.5, "{theme:?}: {found:.2}");
                }
            }
        }
    }
}
