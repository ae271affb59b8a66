//! The places, at the left of the window or, where it is narrow, above the screen.

use eframe::egui::{
    Align, Button, Color32, Label, Layout, Rect, RichText, Role, Sense, Stroke, TextStyle, TextWrapMode, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

use super::super::{
    state::{Action, Place},
    theme::{self, GRID, Palette},
};

/// The places from top to bottom, under the name of the program.
pub fn rail_ui(ui: &mut Ui, here: Place) -> Option<Action> {
    ui.spacing_mut().item_spacing.y = 3.0;
    name_ui(ui);
    ui.add_space(8.0);
    let mut action = None;
    for place in Place::ALL {
        let width = ui.available_width();
        if place_ui(ui, place, here, width) {
            action = Some(Action::Go(place));
        }
    }
    ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
        ui.horizontal(|ui| {
            ui.add_space(10.0);
            let version = theme::secondary(ui, format!("SQLite {}", rusqlite::version()));
            ui.label(version);
        });
    });
    action
}

/// The places side by side.
pub fn bar_ui(ui: &mut Ui, here: Place) -> Option<Action> {
    let mut action = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for place in Place::ALL {
            if place_ui(ui, place, here, 0.0) {
                action = Some(Action::Go(place));
            }
        }
    });
    action
}

fn name_ui(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.add_space(10.0);
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(18.0), Sense::hover());
        icon(ui, rect);
        ui.add(Label::new(theme::title("CommitMark")).extend());
    });
}

/// The program's icon, as in assets/icon.svg.
fn icon(ui: &Ui, rect: Rect) {
    let palette = Palette::of(ui);
    let painter = ui.painter();
    painter.rect_filled(rect, 4.8, palette.wal);
    for (left, top) in [(0.273, 0.461), (0.5625, 0.266)] {
        let bar = Rect::from_min_max(
            rect.min + rect.size() * vec2(left, top),
            pos2(rect.left() + rect.width() * (left + 0.164), rect.top() + rect.height() * 0.766),
        );
        painter.rect_filled(bar, 0.6, palette.on_primary);
    }
}

fn place_ui(ui: &mut Ui, place: Place, here: Place, width: f32) -> bool {
    let palette = Palette::of(ui);
    let selected = place == here;
    let text = if selected {
        theme::medium(place.name()).color(palette.wal)
    } else {
        RichText::new(place.name()).text_style(TextStyle::Body).color(palette.dim)
    };
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        widgets.inactive.bg_stroke = Stroke::NONE;
        widgets.inactive.weak_bg_fill = if selected { palette.wal_tint } else { Color32::TRANSPARENT };
        widgets.hovered.bg_stroke = Stroke::NONE;
        widgets.hovered.weak_bg_fill = if selected { palette.wal_tint } else { palette.track };
        widgets.active.weak_bg_fill = widgets.inactive.weak_bg_fill;
        ui.spacing_mut().button_padding = vec2(10.0, GRID);
        let button = if width > 0.0 { Button::new(text).right_text("") } else { Button::new(text) };
        // What has no room on a line stands whole on the next.
        let response = ui.add(button.wrap_mode(TextWrapMode::Extend).min_size(vec2(width, 36.0)));
        response.widget_info(|| WidgetInfo::selected(Role::Tab, true, selected, place.name()));
        response.clicked()
    })
    .inner
}
