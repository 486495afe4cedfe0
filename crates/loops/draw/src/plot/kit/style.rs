//! The style of all plots: colours, sizes, line widths. No other module defines any.
//!
//! Colours are those of Okabe and Ito, which can be distinguished with any common kind of colour blindness. A plot is on its own
//! card, light or dark by the viewer's colour scheme, so it is readable on any page.

/// Width of every plot, in the units of the picture.
pub const WIDTH: f64 = 960.0;

/// Space between the card's edge and its contents.
pub const MARGIN: f64 = 20.0;

/// Room for tick labels and the unit left of a panel.
pub const LEFT: f64 = 68.0;

/// Room for tick labels and the axis' name below a panel.
pub const BELOW: f64 = 40.0;

/// Room for the last tick's label to the right of a panel.
pub const RIGHT: f64 = 16.0;

/// Width without the margins.
pub const FULL: f64 = WIDTH - 2.0 * MARGIN;

/// Left side of the leftmost chart.
pub const CHART_LEFT: f64 = MARGIN + LEFT;

/// Width of a chart that takes the whole width.
pub const CHART_WIDTH: f64 = WIDTH - CHART_LEFT - MARGIN - RIGHT;

/// Size of ordinary text.
pub const TEXT: f64 = 12.0;

/// Size of the plot's title.
pub(crate) const TITLE: f64 = 17.0;

/// Size of a panel's title.
pub(crate) const HEAD: f64 = 13.0;

/// The role of a line, a mark or an area; each has a colour in light and in dark.
#[value(Copy, Eq)]
pub enum Ink {
    /// The first series, and results.
    Blue,
    /// The second series, and selected or wrong values.
    Vermillion,
    /// The third series.
    Green,
    /// The fourth series.
    Purple,
    /// The original.
    Grey,
    /// The original, where it is less important.
    Faint,
    /// Text.
    Text,
}

/// Colours of series, in the order in which they are given out.
pub(crate) const SERIES: [Ink; 4] = [Ink::Blue, Ink::Vermillion, Ink::Green, Ink::Purple];

/// Short names of the inks in the style sheet, in their order, and their colours on a light and on a dark card; all have a contrast of at
/// least 3 to it, save the faint one.
const INKS: [(char, [&str; 2]); 7] = [
    ('b', ["#0072b2", "#56b4e9"]),
    ('v', ["#d55e00", "#f0803c"]),
    ('g', ["#00875f", "#21c095"]),
    ('p', ["#b0578a", "#dc9cc1"]),
    ('y', ["#8a8f98", "#8d949e"]),
    ('z', ["#c9cdd3", "#4b525c"]),
    ('t', ["#1f2328", "#e6e9ed"]),
];

impl Ink {
    /// Returns its class for lines.
    pub(crate) fn line(self) -> String {
        format!("l{}", INKS[self as usize].0)
    }

    /// Returns its class for areas.
    pub(crate) fn fill(self) -> String {
        format!("f{}", INKS[self as usize].0)
    }
}

/// Colours of areas and lines other than data: class, property, light, dark.
const GROUNDS: [(&str, &str, [&str; 2]); 9] = [
    ("card", "fill", ["#ffffff", "#16191d"]),
    ("panel", "fill", ["#f7f8fa", "#1d2126"]),
    ("grid", "stroke", ["#1f23281c", "#e6e9ed24"]),
    ("edge", "stroke", ["#b4bac2", "#555d67"]),
    ("soft", "fill", ["#57606a", "#a3abb5"]),
    ("moving", "fill", ["#dcecf7", "#1b3346"]),
    ("idle", "fill", ["#f6e7c8", "#40371f"]),
    ("leader", "stroke", ["#ffffff", "#e6e9ed"]),
    ("chip", "fill", ["#ffffff", "#16191d"]),
];

/// Families tried by viewers; the rasteriser has the first one with it.
const FAMILIES: &str = "'DejaVu Sans',Verdana,'Segoe UI',Arial,sans-serif";

/// Returns the rules of the light or the dark scheme.
fn rules(dark: usize) -> String {
    let mut rules = String::new();
    for (class, colours) in INKS {
        let colour = colours[dark];
        rules += &format!(".l{class}{{stroke:{colour}}}.f{class}{{fill:{colour}}}");
    }
    for (class, property, colours) in GROUNDS {
        rules += &format!(".{class}{{{property}:{}}}", colours[dark]);
    }
    rules
}

/// Returns the style sheet of a plot.
pub(crate) fn sheet() -> String {
    format!(
        "text{{font-family:{FAMILIES};font-size:{TEXT}px}}\
         .h{{font-size:{HEAD}px;font-weight:bold}}.title{{font-size:{TITLE}px;font-weight:bold}}\
         .line{{fill:none;stroke-width:1.6;stroke-linejoin:round}}\
         {}@media (prefers-color-scheme:dark){{{}}}",
        rules(0),
        rules(1)
    )
}

/// Colours from the worst to the best value of a map: dark blue to yellow, rising in lightness for every eye.
///
/// Sampled from viridis (Smith and van der Walt, CC0).
const MAP: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

/// Returns the colour of a map at a share from 0, the worst, to 1, the best.
pub(crate) fn map_colour(share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let before = (at.floor() as usize).min(MAP.len() - 2);
    let u = at - before as f64;
    let [red, green, blue] =
        [0, 1, 2].map(|channel| (MAP[before][channel] * (1.0 - u) + MAP[before + 1][channel] * u).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
