//! Draws a chart as SVG: a pure function of the chart, a width and colours. The HTML export puts the
//! drawings into its page, with the variables of its style sheet for colours; the PNG export draws a card
//! around one, with those of a theme. The parts are laid out for a width, so text keeps its size.

mod curves;
mod rows;

use std::fmt::Write;

use super::{
    look::Paint,
    scale::{BarScale, WIDE_SPAN},
};
use crate::{
    section::{Chart, ChartKind, Hue, Scale},
    units,
};

/// What a drawing needs to know beside the chart.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The width, in pixels of CSS.
    pub width: f64,
    /// The size of ordinary text, in pixels of CSS; everything else follows from it.
    pub text: f64,
    /// The colours.
    pub paint: &'a Paint,
    /// How much wider than Inter the text may turn out, where the reader's system chooses the font.
    pub spread: f64,
    /// For a chart of medians that spans much: by powers of ten instead of from zero.
    pub log: bool,
}

impl Style<'_> {
    fn width_of(&self, text: &str, size: f64) -> f64 {
        width_of(text, size * self.spread)
    }

    fn fitted(&self, text: &str, size: f64, width: f64) -> String {
        fitted(text, size * self.spread, width)
    }
}

/// A finished drawing: SVG elements from (0, 0) to (width, height), without an `<svg>` around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The elements.
    pub elements: String,
    /// The width, in pixels of CSS.
    pub width: f64,
    /// The height, in pixels of CSS.
    pub height: f64,
}

impl Drawing {
    /// As an element of an HTML page; the label says what there is to see, for those who do not.
    pub fn inline(&self, label: &str) -> String {
        self.element(&format!("role=\"img\" aria-label=\"{}\"", escape(label)))
    }

    /// As a file of its own.
    pub fn file(&self) -> String {
        self.element("xmlns=\"http://www.w3.org/2000/svg\"")
    }

    fn element(&self, attributes: &str) -> String {
        let (width, height) = (number(self.width), number(self.height));
        format!(
            "<svg {attributes} viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"{FONTS}\">{}</svg>",
            self.elements
        )
    }
}

/// Inter where it is there, and what the system has in its place.
pub const FONTS: &str = "Inter, system-ui, sans-serif";

/// Draws a chart.
pub fn draw(chart: &Chart, style: &Style<'_>) -> Drawing {
    match chart.kind {
        ChartKind::Medians => rows::medians(chart, style),
        ChartKind::Ratios => rows::ratios(chart, style),
        ChartKind::Curves => curves::curves(chart, style),
    }
}

/// Whether a chart of medians is worth drawing on both scales.
pub fn has_two_scales(chart: &Chart) -> bool {
    chart.kind == ChartKind::Medians && chart.span() > WIDE_SPAN
}

/// Whether an experiment wants its medians on a log scale in the first place.
pub fn prefers_log(chart: &Chart) -> bool {
    has_two_scales(chart) && chart.scale == Scale::Log
}

fn bar_scale(chart: &Chart, log: bool) -> BarScale {
    if log { BarScale::log(chart) } else { BarScale::linear(chart) }
}

/// Where a text's place is in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink<'a> {
    pub size: f64,
    pub weight: u16,
    pub color: &'a str,
}

/// Elements being written.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    pub elements: String,
}

impl Canvas {
    /// Writing to a `String` cannot fail.
    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = self.elements.write_fmt(element);
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, ink: Ink<'_>, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\">{}</text>",
            number(x),
            number(y),
            number(ink.size),
            ink.weight,
            ink.color,
            escape(text)
        ));
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), color: &str, width: f64, dashes: &str) {
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.push(format_args!(
            "<path d=\"M{} {}L{} {}\" stroke=\"{color}\" stroke-width=\"{}\"{dashes} fill=\"none\"/>",
            number(x1),
            number(y1),
            number(x2),
            number(y2),
            number(width)
        ));
    }

    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), radius: f64, color: &str) {
        self.push(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{color}\"/>",
            number(x),
            number(y),
            number(width.max(0.0)),
            number(height.max(0.0)),
            number(radius)
        ));
    }

    /// Marks of one family: circles for WAL, diamonds for rollback journals, squares for the rest.
    pub fn marks(&mut self, hue: Hue, at: &[(f64, f64)], radius: f64, color: &str, opacity: f64) {
        if at.is_empty() {
            return;
        }
        self.push(format_args!("<g fill=\"{color}\" fill-opacity=\"{}\">", number(opacity)));
        for (x, y) in at {
            self.push(format_args!("<path d=\"{}\"/>", shape(hue, *x, *y, radius)));
        }
        self.push(format_args!("</g>"));
    }

    /// A single mark that stands out from a line behind it; hollow, to tell it from others of its family.
    pub fn bold_mark(&mut self, hue: Hue, (x, y): (f64, f64), radius: f64, fill: &str, edge: &str) {
        let shape = shape(hue, x, y, radius);
        self.push(format_args!("<path d=\"{shape}\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1.5\"/>"));
    }
}

fn shape(hue: Hue, x: f64, y: f64, radius: f64) -> String {
    let n = number;
    match hue {
        Hue::Wal | Hue::Nth(0) => {
            let (r, twice) = (n(radius), n(radius * 2.0));
            format!("M{} {}a{r} {r} 0 1 0 {twice} 0a{r} {r} 0 1 0 -{twice} 0", n(x - radius), n(y))
        }
        Hue::Rollback | Hue::Nth(1) => {
            let arm = radius * 1.3;
            let arm_text = n(arm);
            format!("M{} {}l{arm_text} {arm_text} -{arm_text} {arm_text} -{arm_text} -{arm_text}z", n(x), n(y - arm))
        }
        Hue::Nth(index @ 3..=6) => {
            let (r, twice) = (n(radius * 1.1), n(radius * 2.2));
            let tip = radius * 1.1;
            match index {
                3 => format!("M{} {}l{r} {twice}h-{twice}z", n(x), n(y - tip)),
                4 => format!("M{} {}l{r} -{twice}h-{twice}z", n(x), n(y + tip)),
                5 => format!("M{} {}l{twice} {r}v-{twice}z", n(x - tip), n(y)),
                _ => format!("M{} {}l-{twice} {r}v-{twice}z", n(x + tip), n(y)),
            }
        }
        Hue::Nth(7..) => {
            let (arm, bar) = (n(radius * 0.7), n(radius * 0.6));
            format!(
                "M{} {}h{bar}v{arm}h{arm}v{bar}h-{arm}v{arm}h-{bar}v-{arm}h-{arm}v-{bar}h{arm}z",
                n(x - radius * 0.3),
                n(y - radius)
            )
        }
        Hue::Nth(2) | Hue::Neutral => {
            let half = radius * 0.9;
            let side = n(half * 2.0);
            format!("M{} {}h{side}v{side}h-{side}z", n(x - half), n(y - half))
        }
    }
}

/// A coordinate to a tenth of a pixel; what is no number stands at zero.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML and HTML hold it: markup escaped, and nothing in it that acts unseen or that XML forbids.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in units::harmless(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// About how wide a text is in Inter.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().map(width_of_letter).sum::<f64>() * size
}

/// In parts of the size, from Inter's own widths; letters of far scripts may be as wide as high.
fn width_of_letter(letter: char) -> f64 {
    match letter {
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.86,
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '['
        | ']' => 0.32,
        'A'..='Z' => 0.69,
        '0'..='9' => 0.64,
        near if near < '\u{2E80}' => 0.59,
        _ => 1.0,
    }
}

/// The text, or its beginning and an ellipsis where it is wider than this.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if width_of(text, size) <= width {
        return text.to_owned();
    }
    let (mut shown, mut used) = (String::new(), size);
    for letter in text.chars() {
        used += width_of_letter(letter) * size;
        if used > width {
            break;
        }
        shown.push(letter);
    }
    format!("{}…", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        for (value, text) in
            [(0.0, "0"), (12.34, "12.3"), (-0.01, "0"), (5.0, "5"), (f64::NAN, "0"), (f64::INFINITY, "0")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn text_is_escaped_for_xml() {
        assert_eq!(
            escape("<b a=\"1\">'&'\u{202e}\u{0}\u{ffff}"),
            "&lt;b a=&quot;1&quot;&gt;&#39;&amp;&#39;[U+202E][U+0000]\u{fffd}"
        );
    }

    #[test]
    fn a_long_text_ends_in_an_ellipsis() {
        let long = "x".repeat(500);
        let shown = fitted(&long, 14.0, 200.0);
        assert!(shown.ends_with('…') && width_of(&shown, 14.0) <= 200.0 + 14.0, "{shown}");
        assert_eq!(fitted("short", 14.0, 200.0), "short");
    }
}
