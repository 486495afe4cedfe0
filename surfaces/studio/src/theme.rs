//! The colours and sizes of the window: the same tokens, light and dark, for the interface and for the view.
//!
//! Each colour has one meaning: orange for things to check, green for good, red for bad or failed, blue for the choice.

use eframe::egui::{Color32, Context, CornerRadius, FontId, Stroke, Style, TextStyle, Theme, Ui, vec2};

/// Declares the colours of a theme, each with its dark and its light value.
macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident: $dark:literal, $light:literal;)+) => {
        /// The colours of one theme.
        #[derive(Clone, Copy)]
        pub struct Tokens {
            $($(#[$doc])* pub $name: Color32,)+
        }

        /// Returns the colours of a theme.
        pub fn tokens(is_dark: bool) -> Tokens {
            let of = |dark: u32, light: u32| {
                let [_, red, green, blue] = (if is_dark { dark } else { light }).to_be_bytes();
                Color32::from_rgb(red, green, blue)
            };
            Tokens {
                $($name: of($dark, $light),)+
            }
        }
    };
}

tokens! {
    /// Panels; buttons and other raised parts; charts and fields.
    ground: 0x1b1d22, 0xf6f7f9;
    raised: 0x2d3139, 0xe2e5ea;
    hovered: 0x3a3f49, 0xd3d8e0;
    sunken: 0x121317, 0xffffff;
    line: 0x343841, 0xd0d4dc;
    /// Check boxes, and the edges of fields.
    edge: 0x6e7484, 0x838995;
    text: 0xcdd1d8, 0x282c34;
    strong: 0xf4f6fa, 0x0a0c10;
    weak: 0x949aa6, 0x5c626e;
    /// The chosen item: its background, and lines and words on any background.
    chosen: 0x223e68, 0xcfe0fa;
    accent: 0x70aeff, 0x1858c4;
    /// The one filled button, and its label.
    filled: 0x2c6ce0, 0x1e5ed0;
    on_filled: 0xffffff, 0xffffff;
    good: 0x5ac88c, 0x007546;
    review: 0xf4ac48, 0x965600;
    bad: 0xf47066, 0xbe281e;
    /// Poses and curves before the seam.
    before_seam: 0xba92ff, 0x763ec8;
    /// Further compared loops.
    teal: 0x5cb0be, 0x0e6a7c;
    rose: 0xcc8aaa, 0x9c3f6e;
    /// The axes x, y and z.
    axis_x: 0xf07484, 0xc02846;
    axis_y: 0x7ece80, 0x147a28;
    axis_z: 0x70aeff, 0x1858c4;
    sky: 0x16181c, 0xe8ebf0;
    ground_line: 0x788091, 0x787e8c;
    /// Bodies. Left and right differ in brightness too, for people who do not see the hues apart.
    left: 0x5cb0be, 0x3c9cb0;
    right: 0xc480a0, 0xd480a6;
    trunk: 0xc4cad4, 0xc4cad4;
}

/// Windows narrower than this have the panels below the viewport, points.
pub const NARROW_POINTS: f32 = 720.0;

/// Least size of touchable parts on a narrow window, points.
pub const TOUCH_POINTS: f32 = 40.0;

/// Size of text in charts and bars, points.
pub const SMALL_POINTS: f32 = 11.0;

impl Tokens {
    /// Returns the colours of the axes.
    pub fn axes(&self) -> [Color32; 3] {
        [self.axis_x, self.axis_y, self.axis_z]
    }

    /// Colours of compared loops, for curves and words.
    pub fn series(&self) -> [Color32; 8] {
        [
            self.accent,
            self.review,
            self.good,
            self.before_seam,
            self.bad,
            self.teal,
            self.rose,
            self.text,
        ]
    }
}

/// Returns the colours of the theme that a part of the window has.
pub fn of(ui: &Ui) -> Tokens {
    tokens(ui.visuals().dark_mode)
}

/// Whether the window is narrow.
pub fn is_narrow(ui: &Ui) -> bool {
    ui.ctx().content_rect().width() < NARROW_POINTS
}

/// Returns the font of small text in a chart.
pub fn small() -> FontId {
    FontId::proportional(SMALL_POINTS)
}

/// Sets up both themes.
pub fn set(ctx: &Context) {
    for theme in [Theme::Dark, Theme::Light] {
        ctx.style_mut_of(theme, |style| lay_out(style, &tokens(theme == Theme::Dark)));
    }
}

/// Makes touchable parts large enough for fingers.
pub fn for_fingers(style: &mut Style) {
    style.spacing.interact_size = vec2(TOUCH_POINTS, TOUCH_POINTS);
    style.spacing.button_padding = vec2(12.0, 8.0);
    style.spacing.icon_width = 22.0;
    style.spacing.icon_width_inner = 14.0;
}

fn lay_out(style: &mut Style, tokens: &Tokens) {
    for (text, points) in [
        (TextStyle::Small, SMALL_POINTS),
        (TextStyle::Body, 13.5),
        (TextStyle::Button, 13.5),
        (TextStyle::Monospace, 13.5),
        (TextStyle::Heading, 17.0),
    ] {
        style.text_styles.insert(text, FontId::proportional(points));
    }
    style.spacing.item_spacing = vec2(8.0, 6.0);
    style.spacing.button_padding = vec2(9.0, 4.0);
    style.spacing.interact_size.y = 24.0;
    let visuals = &mut style.visuals;
    visuals.panel_fill = tokens.ground;
    visuals.window_fill = tokens.ground;
    visuals.window_stroke = Stroke::new(1.0, tokens.line);
    visuals.extreme_bg_color = tokens.sunken;
    visuals.faint_bg_color = tokens.raised.gamma_multiply(0.5);
    visuals.code_bg_color = tokens.raised;
    visuals.weak_text_color = Some(tokens.weak);
    visuals.hyperlink_color = tokens.accent;
    visuals.warn_fg_color = tokens.review;
    visuals.error_fg_color = tokens.bad;
    visuals.selection.bg_fill = tokens.chosen;
    visuals.selection.stroke = Stroke::new(1.0, tokens.accent);
    visuals.slider_trailing_fill = true;
    let widgets = &mut visuals.widgets;
    for (widget, fill, text) in [
        (&mut widgets.noninteractive, tokens.ground, tokens.text),
        (&mut widgets.inactive, tokens.raised, tokens.text),
        (&mut widgets.hovered, tokens.hovered, tokens.strong),
        (&mut widgets.active, tokens.hovered, tokens.strong),
        (&mut widgets.open, tokens.raised, tokens.strong),
    ] {
        // For check boxes and the rails of sliders.
        widget.bg_fill = tokens.edge;
        widget.weak_bg_fill = fill;
        widget.fg_stroke = Stroke::new(1.0, text);
        widget.bg_stroke = Stroke::NONE;
        widget.corner_radius = CornerRadius::same(5);
        widget.expansion = 0.0;
    }
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, tokens.line);
    // The focused widget has an edge.
    widgets.hovered.bg_stroke = Stroke::new(1.0, tokens.accent);
    widgets.active.bg_stroke = Stroke::new(1.0, tokens.accent);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of WCAG 2.1.
    fn luminance(colour: Color32) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn contrast(one: Color32, other: Color32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// WCAG 2.1 asks for 4.5 to 1 for text, and for 3 to 1 for marks; egui's weak text has 2.3.
    #[test]
    fn words_and_marks_can_be_seen() {
        let ctx = Context::default();
        set(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = ctx.style_of(theme).visuals.clone();
            let tokens = tokens(theme == Theme::Dark);
            let words = [
                visuals.text_color(),
                visuals.weak_text_color(),
                visuals.strong_text_color(),
                tokens.accent,
                tokens.good,
                tokens.review,
                tokens.bad,
            ];
            for text in words {
                for ground in [visuals.panel_fill, visuals.extreme_bg_color] {
                    let found = contrast(text, ground);
                    assert!(found >= 4.5, "{theme:?}: {text:?} on {ground:?}: {found:.2}");
                }
            }
            for text in tokens.series() {
                for ground in [tokens.sky, tokens.ground, tokens.raised] {
                    let found = contrast(text, ground);
                    assert!(found >= 4.5, "{theme:?}: {text:?} on {ground:?}: {found:.2}");
                }
            }
            for (text, ground) in [
                (tokens.on_filled, tokens.filled),
                (tokens.accent, tokens.chosen),
                (visuals.text_color(), tokens.raised),
            ] {
                let found = contrast(text, ground);
                assert!(found >= 4.5, "{theme:?}: {text:?} on {ground:?}: {found:.2}");
            }
            assert_eq!(visuals.widgets.inactive.bg_fill, tokens.edge);
            for ground in [visuals.panel_fill, visuals.extreme_bg_color] {
                let found = contrast(tokens.edge, ground);
                assert!(found >= 3.0, "{theme:?}: {found:.2}");
            }
            assert!(contrast(visuals.text_color(), tokens.edge) >= 3.0, "the tick of a box");
            for mark in tokens.axes().into_iter().chain([tokens.before_seam]) {
                assert!(contrast(mark, tokens.sunken) >= 3.0, "{theme:?}: {mark:?}");
            }
        }
    }

    /// Changing digits do not move what is beside them.
    #[test]
    fn figures_are_equally_wide() {
        let ctx = Context::default();
        ctx.set_fonts(crate::fonts::fonts());
        let output = ctx.run_ui(Default::default(), |ui| {
            let width = |figure: char| {
                let text = ui
                    .painter()
                    .layout_no_wrap(figure.to_string(), FontId::proportional(40.0), Color32::WHITE);
                text.size().x
            };
            let zero = width('0');
            assert!(('1'..='9').all(|figure| (width(figure) - zero).abs() < 0.01));
        });
        output.drop_without_applying_deltas();
    }
}
