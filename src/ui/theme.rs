//! How the window looks: colours for light and dark, the fonts, sizes and spacing, all in one place.
//! `install` hands them to egui once; screens and charts ask [`Palette::of`] for the colours that egui
//! has no name for.

use std::sync::Arc;

use eframe::egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, RichText, Shadow, Stroke,
    Style, TextStyle, Theme, Ui, Vec2, Visuals,
    style::{ScrollAnimation, ScrollStyle, Selection, WidgetVisuals, Widgets},
    vec2,
};

use crate::{
    export::look::{self, Colors, Rgb},
    section::Hue,
};

/// The grid everything sits on, in points.
pub const GRID: f32 = 8.0;
/// The corners of cards.
pub const CARD_RADIUS: u8 = 12;
/// The corners of buttons and fields.
pub const CONTROL_RADIUS: u8 = 8;
/// The height of buttons and fields: large enough for a finger.
pub const CONTROL_HEIGHT: f32 = 36.0;

/// Every colour of one of the two themes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Behind everything.
    pub ground: Color32,
    /// Cards, fields and the rail.
    pub card: Color32,
    /// Hairlines.
    pub line: Color32,
    /// The empty part of a bar.
    pub track: Color32,
    /// Text.
    pub ink: Color32,
    /// Secondary text.
    pub dim: Color32,
    /// WAL, and whatever is chosen or primary.
    pub wal: Color32,
    /// What is chosen, as a ground.
    pub wal_tint: Color32,
    /// The rollback journals.
    pub rollback: Color32,
    /// Good news.
    pub good: Color32,
    /// The ground of good news.
    pub good_tint: Color32,
    /// Warnings.
    pub warning: Color32,
    /// The ground of warnings.
    pub warning_tint: Color32,
    /// Errors.
    pub error: Color32,
    /// The ground of errors.
    pub error_tint: Color32,
    /// Text on the primary button.
    pub on_primary: Color32,
    /// The files that are compared.
    pub files: [Color32; 8],
}

/// The light theme.
pub const LIGHT: Palette = Palette::painted(&look::LIGHT);

/// The dark theme.
pub const DARK: Palette = Palette::painted(&look::DARK);

/// A colour as egui has it.
const fn painted(color: Rgb) -> Color32 {
    Color32::from_rgb(color.0, color.1, color.2)
}

impl Palette {
    const fn painted(colors: &Colors) -> Self {
        Self {
            ground: painted(colors.ground),
            card: painted(colors.card),
            line: painted(colors.line),
            track: painted(colors.track),
            ink: painted(colors.ink),
            dim: painted(colors.dim),
            wal: painted(colors.wal),
            wal_tint: painted(colors.wal_tint),
            rollback: painted(colors.rollback),
            good: painted(colors.good),
            good_tint: painted(colors.good_tint),
            warning: painted(colors.warning),
            warning_tint: painted(colors.warning_tint),
            error: painted(colors.error),
            error_tint: painted(colors.error_tint),
            on_primary: painted(colors.on_primary),
            files: {
                let [one, two, three, four, five, six, seven, eight] = colors.files();
                [
                    painted(one),
                    painted(two),
                    painted(three),
                    painted(four),
                    painted(five),
                    painted(six),
                    painted(seven),
                    painted(eight),
                ]
            },
        }
    }

    /// The colours of the theme that this part of the window has.
    pub fn of(ui: &Ui) -> &'static Self {
        Self::of_visuals(ui.visuals())
    }

    /// The colours of the theme with these visuals.
    pub fn of_visuals(visuals: &Visuals) -> &'static Self {
        if visuals.dark_mode { &DARK } else { &LIGHT }
    }

    /// The colour of a family of settings.
    pub fn hue(&self, hue: Hue) -> Color32 {
        match hue {
            Hue::Wal => self.wal,
            Hue::Rollback => self.rollback,
            Hue::Nth(index) => self.files.get(usize::from(index) % self.files.len()).copied().unwrap_or(self.dim),
            Hue::Neutral => self.dim,
        }
    }

    /// The same, faint enough to lie under dots.
    pub fn hue_tint(&self, hue: Hue) -> Color32 {
        self.track.lerp_to_gamma(self.hue(hue), 0.36)
    }
}

/// The family of a weight of Inter.
fn family(name: &str) -> FontFamily {
    FontFamily::Name(name.into())
}

/// Text in the medium weight, for buttons and what is chosen.
pub fn medium(text: impl Into<String>) -> RichText {
    RichText::new(text).family(family("medium"))
}

/// Text in the strong weight, at the size of normal text.
pub fn strong(text: impl Into<String>) -> RichText {
    RichText::new(text).family(family("strong"))
}

/// The one sentence of a screen, 24 points.
pub fn sentence(text: impl Into<String>) -> RichText {
    strong(text).size(24.0)
}

/// The title of a section, 15 points.
pub fn title(text: impl Into<String>) -> RichText {
    strong(text).size(15.0)
}

/// A figure to be read from across the room, 26 points.
pub fn figure(text: impl Into<String>) -> RichText {
    strong(text).size(26.0)
}

/// Secondary text, 12.5 points, in the dim colour.
pub fn secondary(ui: &Ui, text: impl Into<String>) -> RichText {
    RichText::new(text).text_style(TextStyle::Small).line_height(Some(17.5)).color(Palette::of(ui).dim)
}

/// Running text, 14 points, with lines far enough apart to be read.
pub fn prose(text: impl Into<String>) -> RichText {
    RichText::new(text).line_height(Some(20.0))
}

/// The font of secondary text, for charts.
pub fn small_font() -> FontId {
    FontId::new(12.5, FontFamily::Proportional)
}

/// Hands fonts, colours and sizes to egui, for both themes; the system chooses between them.
pub fn install(context: &Context) {
    context.set_fonts(fonts());
    context.set_theme(eframe::egui::ThemePreference::System);
    // Where the system does not say, as many Linux desktops do not, light is what most people expect.
    context.options_mut(|options| options.fallback_theme = Theme::Light);
    for (theme, palette) in [(Theme::Light, &LIGHT), (Theme::Dark, &DARK)] {
        context.style_mut_of(theme, |style| restyle(style, palette));
    }
}

fn fonts() -> FontDefinitions {
    // egui's own fonts stay behind Inter for the signs that it lacks; the system's come after them.
    let mut fonts = FontDefinitions::default();
    let weights: [(&str, &[u8]); 3] =
        [("regular", look::INTER_REGULAR), ("medium", look::INTER_MEDIUM), ("strong", look::INTER_SEMI_BOLD)];
    let fallback = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    for (name, bytes) in weights {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
        let mut chain = vec![name.to_owned()];
        chain.extend(fallback.iter().cloned());
        if name == "regular" {
            fonts.families.insert(FontFamily::Proportional, chain.clone());
        }
        fonts.families.insert(family(name), chain);
    }
    fonts
}

fn restyle(style: &mut Style, palette: &Palette) {
    let text = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, text(12.5)),
        (TextStyle::Body, text(14.0)),
        (TextStyle::Button, FontId::new(14.0, family("medium"))),
        (TextStyle::Heading, FontId::new(15.0, family("strong"))),
        (TextStyle::Monospace, FontId::new(13.0, FontFamily::Monospace)),
    ]
    .into();
    // Nothing moves: animation costs the processor time that is being measured.
    style.animation_time = 0.0;
    style.scroll_animation = ScrollAnimation::none();
    style.interaction.selectable_labels = false;
    style.explanation_tooltips = false;
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::splat(GRID);
    spacing.button_padding = vec2(14.0, 8.0);
    spacing.interact_size = vec2(40.0, CONTROL_HEIGHT);
    spacing.icon_width = 18.0;
    spacing.icon_width_inner = 10.0;
    spacing.scroll = ScrollStyle { bar_width: 8.0, ..ScrollStyle::floating() };
    spacing.scroll.fade.strength = 0.0;
    spacing.scroll.kinetic.decay_time = 0.0;
    recolour(&mut style.visuals, palette);
}

fn recolour(visuals: &mut Visuals, palette: &Palette) {
    visuals.weak_text_color = Some(palette.dim);
    visuals.hyperlink_color = palette.wal;
    visuals.faint_bg_color = palette.ground;
    visuals.extreme_bg_color = palette.card;
    visuals.text_edit_bg_color = Some(palette.card);
    visuals.code_bg_color = palette.track;
    visuals.warn_fg_color = palette.warning;
    visuals.error_fg_color = palette.error;
    visuals.window_fill = palette.card;
    visuals.window_stroke = Stroke::new(1.0, palette.line);
    visuals.window_shadow = Shadow::NONE;
    visuals.popup_shadow = Shadow::NONE;
    visuals.window_corner_radius = CornerRadius::same(CARD_RADIUS);
    visuals.menu_corner_radius = CornerRadius::same(CONTROL_RADIUS);
    visuals.panel_fill = palette.ground;
    visuals.text_cursor.blink = false;
    visuals.text_cursor.stroke = Stroke::new(1.5, palette.ink);
    visuals.selection = Selection { bg_fill: palette.wal_tint, stroke: Stroke::new(1.5, palette.wal) };
    visuals.interact_cursor = None;
    visuals.indent_has_left_vline = false;
    visuals.widgets = widgets(palette);
}

fn widgets(palette: &Palette) -> Widgets {
    let rest = WidgetVisuals {
        bg_fill: palette.card,
        weak_bg_fill: palette.card,
        bg_stroke: Stroke::new(1.0, palette.line),
        corner_radius: CornerRadius::same(CONTROL_RADIUS),
        fg_stroke: Stroke::new(1.0, palette.ink),
        expansion: 0.0,
    };
    let hovered = WidgetVisuals { weak_bg_fill: palette.track, bg_stroke: Stroke::new(1.0, palette.dim), ..rest };
    // Also what has the keyboard: the ring must be seen.
    let active = WidgetVisuals { bg_stroke: Stroke::new(2.0, palette.wal), ..rest };
    Widgets { noninteractive: rest, inactive: rest, hovered, active, open: hovered }
}

/// The margin inside a card.
pub fn card_margin() -> Margin {
    Margin::symmetric(18, 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance and contrast as WCAG 2.2 defines them.
    fn contrast(one: Color32, other: Color32) -> f64 {
        let luminance = |colour: Color32| {
            let channel = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(colour.r()) + 0.7152 * channel(colour.g()) + 0.0722 * channel(colour.b())
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn the_contrast_formula_gives_the_known_values() {
        assert!((contrast(Color32::WHITE, Color32::BLACK) - 21.0).abs() < 0.01);
        // #767676 is the lightest grey that passes on white: 4.54.
        assert!((contrast(Color32::from_rgb(0x76, 0x76, 0x76), Color32::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_has_enough_contrast_on_every_ground_it_stands_on() {
        for palette in [LIGHT, DARK] {
            let grounds = [palette.ground, palette.card];
            let texts = [palette.ink, palette.dim, palette.wal, palette.rollback, palette.error];
            for text in texts.into_iter().chain(palette.files) {
                for ground in grounds {
                    assert!(contrast(text, ground) >= 4.5, "{text:?} on {ground:?}: {}", contrast(text, ground));
                }
            }
            for (text, ground) in [
                (palette.ink, palette.wal_tint),
                (palette.dim, palette.wal_tint),
                (palette.wal, palette.wal_tint),
                (palette.ink, palette.track),
                (palette.good, palette.good_tint),
                (palette.warning, palette.warning_tint),
                (palette.dim, palette.track),
                (palette.error, palette.error_tint),
                (palette.on_primary, palette.wal),
            ] {
                assert!(contrast(text, ground) >= 4.5, "{text:?} on {ground:?}: {}", contrast(text, ground));
            }
        }
    }
}
