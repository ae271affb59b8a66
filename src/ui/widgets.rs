//! The few controls that every screen shares: cards, cards that can be chosen, the primary button,
//! links, notices and badges. Each takes words and returns a response; none knows what it stands for.

use eframe::egui::{
    Align, Button, Color32, CornerRadius, CursorIcon, Frame, Label, Layout, Margin, Rect, Response, RichText, Role,
    Sense, Stroke, StrokeKind, TextStyle, TextWrapMode, Ui, UiBuilder, WidgetInfo, WidgetText,
    containers::menu::MenuButton, pos2, vec2,
};

use super::theme::{self, CARD_RADIUS, CONTROL_HEIGHT, CONTROL_RADIUS, GRID, Palette};

/// A card across the whole width.
pub fn card_ui<R>(ui: &mut Ui, add_contents: impl FnOnce(&mut Ui) -> R) -> R {
    let palette = Palette::of(ui);
    Frame::new()
        .fill(palette.card)
        .stroke(Stroke::new(1.0, palette.line))
        .corner_radius(CARD_RADIUS)
        .inner_margin(theme::card_margin())
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            add_contents(ui)
        })
        .inner
}

/// Rows of one height, of which only those that can be seen are drawn, inside whatever scrolls.
pub fn rows_ui(ui: &mut Ui, height: f32, count: usize, mut row: impl FnMut(&mut Ui, usize)) {
    let step = height + GRID;
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), (step * count as f32 - GRID).max(0.0)));
    let seen = ui.clip_rect().intersect(area);
    if !seen.is_positive() {
        return;
    }
    // One more on either side, so that the keyboard finds its way on.
    let first = ((seen.top() - area.top()) / step).floor() as usize;
    let last = ((seen.bottom() - area.top()) / step).ceil() as usize + 1;
    for index in first.saturating_sub(1)..last.min(count) {
        let corner = pos2(area.left(), area.top() + step * index as f32);
        let rect = Rect::from_min_size(corner, vec2(area.width(), height));
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(("row", index)));
        row(&mut child, index);
    }
}

/// What a choice is, beside how it looks.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Its name for screen readers; unique on its screen.
    pub name: &'a str,
    /// Whether it is the chosen one.
    pub selected: bool,
    /// Whether it can be chosen.
    pub enabled: bool,
    /// Its height at least, in points, so that neighbours are equal.
    pub least_height: f32,
}

/// A card that can be chosen by mouse and keyboard.
pub fn choice_ui(ui: &mut Ui, choice: Choice<'_>, add_contents: impl FnOnce(&mut Ui)) -> Response {
    let palette = Palette::of(ui);
    let id = ui.make_persistent_id(("choice", choice.name));
    let hovered = choice.enabled && ui.ctx().read_response(id).is_some_and(|response| response.hovered());
    let (fill, line) = match (choice.selected, hovered) {
        (true, _) => (palette.wal_tint, palette.wal),
        (false, true) => (palette.card, palette.dim),
        (false, false) => (palette.card, palette.line),
    };
    let shown = Frame::new()
        .fill(fill)
        .stroke(Stroke::new(1.0, line))
        .corner_radius(CARD_RADIUS)
        .inner_margin(Margin::symmetric(14, 9))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.set_min_height(choice.least_height - 20.0);
            if !choice.enabled {
                ui.multiply_opacity(0.6);
            }
            add_contents(ui);
        });
    let sense = if choice.enabled { Sense::click() } else { Sense::hover() };
    let response = ui.interact(shown.response.rect, id, sense);
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, choice.enabled, choice.selected, choice.name));
    focus_ring(ui, &response, CARD_RADIUS);
    if choice.enabled { response.on_hover_cursor(CursorIcon::PointingHand) } else { response }
}

/// A choice inside `ui.columns`, whose layout would spread the words of a line.
pub fn left_choice_ui(ui: &mut Ui, choice: Choice<'_>, add_contents: impl FnOnce(&mut Ui)) -> Response {
    ui.with_layout(Layout::top_down(Align::Min), |ui| choice_ui(ui, choice, add_contents)).inner
}

/// Shows where the keyboard is.
fn focus_ring(ui: &Ui, response: &Response, radius: u8) {
    if response.has_focus() {
        let stroke = Stroke::new(2.0, Palette::of(ui).wal);
        ui.painter().rect_stroke(response.rect, CornerRadius::same(radius), stroke, StrokeKind::Inside);
    }
}

/// The one button of a screen that does what the screen is for.
pub fn primary_button_ui(ui: &mut Ui, enabled: bool, text: &str) -> Response {
    let palette = Palette::of(ui);
    let response = ui
        .scope(|ui| {
            ui.spacing_mut().button_padding = vec2(22.0, 11.0);
            let widgets = &mut ui.visuals_mut().widgets;
            for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active, &mut widgets.noninteractive]
            {
                state.weak_bg_fill = palette.wal;
                state.bg_stroke = Stroke::NONE;
                state.fg_stroke.color = palette.on_primary;
            }
            widgets.hovered.weak_bg_fill = palette.wal.lerp_to_gamma(palette.ink, 0.15);
            widgets.active.weak_bg_fill = widgets.hovered.weak_bg_fill;
            let text = theme::medium(text).size(15.0);
            ui.add_enabled(enabled, Button::new(text).min_size(vec2(0.0, 44.0)))
        })
        .inner;
    if response.has_focus() {
        let stroke = Stroke::new(2.0, palette.wal);
        ui.painter().rect_stroke(
            response.rect.expand(2.0),
            CornerRadius::same(CONTROL_RADIUS + 2),
            stroke,
            StrokeKind::Outside,
        );
    }
    response
}

/// An ordinary button.
pub fn button_ui(ui: &mut Ui, text: &str) -> Response {
    ui.add(Button::new(text).min_size(vec2(0.0, CONTROL_HEIGHT)))
}

/// An ordinary button with choices below it. Returns what was chosen.
pub fn menu_ui<T>(ui: &mut Ui, text: &str, add_choices: impl FnOnce(&mut Ui) -> Option<T>) -> Option<T> {
    let button = Button::new(text).min_size(vec2(0.0, CONTROL_HEIGHT));
    let (_, shown) = MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_width(310.0);
        ui.spacing_mut().interact_size.y = 32.0;
        ui.spacing_mut().button_padding = vec2(12.0, 6.0);
        add_choices(ui)
    });
    shown.and_then(|shown| shown.inner)
}

/// One of a few answers side by side. Returns whether it was chosen.
pub fn option_ui(ui: &mut Ui, name: &str, selected: bool) -> bool {
    let palette = Palette::of(ui);
    let mut button = Button::new(theme::medium(name).color(if selected { palette.wal } else { palette.ink }));
    if selected {
        button = button.fill(palette.wal_tint).stroke(Stroke::new(1.0, palette.wal));
    }
    let response = ui.add(button.wrap_mode(TextWrapMode::Extend).min_size(vec2(0.0, CONTROL_HEIGHT)));
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, selected, name));
    focus_ring(ui, &response, CONTROL_RADIUS);
    response.clicked()
}

/// A link that does something in the window.
pub fn link_ui(ui: &mut Ui, text: &str) -> Response {
    let palette = Palette::of(ui);
    let words = RichText::new(text).text_style(TextStyle::Small).color(palette.wal).underline();
    let response = ui.add(Label::new(words).sense(Sense::click()));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text));
    focus_ring(ui, &response, 2);
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// How grave a notice is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Grave {
    /// Something to know.
    Warning,
    /// Something went wrong.
    Error,
}

/// A sentence that must be seen. Its text can be selected, for it may hold a path.
pub fn notice_ui(ui: &mut Ui, grave: Grave, text: &str) {
    let palette = Palette::of(ui);
    let (ink, ground) = match grave {
        Grave::Warning => (palette.warning, palette.warning_tint),
        Grave::Error => (palette.error, palette.error_tint),
    };
    Frame::new().fill(ground).corner_radius(CARD_RADIUS).inner_margin(Margin::symmetric(14, 10)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(Label::new(theme::prose(text).color(ink)).wrap().selectable(true));
    });
}

/// A few words in a coloured pill.
pub fn badge_ui(ui: &mut Ui, text: &str, ink: Color32, ground: Color32) {
    let words = WidgetText::from(theme::medium(text).size(12.5).color(ink));
    let words = words.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Small);
    let (rect, response) = ui.allocate_exact_size(words.size() + vec2(20.0, 8.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    ui.painter().rect_filled(rect, rect.height() / 2.0, ground);
    ui.painter().galley(rect.center() - words.size() / 2.0, words, ink);
}

/// Secondary text that wraps.
pub fn secondary_ui(ui: &mut Ui, text: &str) -> Response {
    let text = theme::secondary(ui, text);
    ui.add(Label::new(text).wrap())
}

/// Two groups on one line: the first at the left and wrapping, the second at the right. On a narrow
/// window the second comes below the first.
pub fn sides_ui(ui: &mut Ui, right_width: f32, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    let width = ui.available_width();
    if width < right_width + 220.0 {
        left(ui);
        ui.horizontal_wrapped(right);
        return;
    }
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.set_width(width - right_width - GRID);
            left(ui);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
}
