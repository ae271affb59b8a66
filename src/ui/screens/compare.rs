//! The place Compare: which results are beside each other, what must be known about them, and the same
//! numbers of all of them.

use eframe::egui::{
    Align, Checkbox, ComboBox, Label, Layout, Rect, RichText, Role, ScrollArea, TextStyle, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};

use super::super::{
    bars::mark,
    sections::{self, Told as OnPage},
    state::{
        Action, Compare, CompareAction, State,
        compare::{Column, Listed, Told},
    },
    theme::{self, GRID, Palette},
    widgets::{Grave, button_ui, card_ui, link_ui, notice_ui, rows_ui, secondary_ui},
};
use crate::{report::compare::MOST_DRAWN, units};

/// The height of a row, in points.
const ROW: f32 = 32.0;
/// A longer list scrolls by itself, in points.
const LIST: f32 = 236.0;
/// Below this width rows show fewer columns, in points.
const WIDE: f32 = 700.0;

/// Shows the place.
pub fn compare_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let compare = &state.compare;
    let mut action = None;
    ui.add(Label::new(theme::sentence("Compare")).wrap());
    if compare.files.is_empty() {
        secondary_ui(
            ui,
            "Drop result files here, or a folder of them, to see the same numbers beside each other. Results of your own are compared too",
        );
    }
    action = buttons_ui(ui, state).or(action);
    for problem in &compare.problems {
        notice_ui(ui, Grave::Error, problem);
    }
    if compare.more_problems() > 0 {
        let more = units::count(compare.more_problems() as u64);
        secondary_ui(ui, &format!("{more} more files could not be opened"));
    }
    if compare.reading > 0 {
        secondary_ui(ui, &format!("Opening {} files", units::count(compare.reading as u64)));
    }
    if !compare.files.is_empty() {
        action = card_ui(ui, |ui| files_ui(ui, compare)).or(action);
    }
    match &compare.told {
        Some(told) => told_ui(ui, compare, told).or(action),
        None => {
            if !compare.files.is_empty() && compare.ticked.len() < 2 {
                secondary_ui(ui, "Tick two results or more to compare them");
            }
            action
        }
    }
}

fn buttons_ui(ui: &mut Ui, state: &State) -> Option<Action> {
    let compare = &state.compare;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(12.0, GRID);
        let mut chosen = None;
        if button_ui(ui, "Add files...").clicked() {
            chosen = Some(CompareAction::AskForFiles);
        }
        if state.history.is_some() && button_ui(ui, "Add my results").clicked() {
            chosen = Some(CompareAction::AddKept);
        }
        if !compare.files.is_empty() && button_ui(ui, "Clear").clicked() {
            chosen = Some(CompareAction::Clear);
        }
        let mut published = compare.published;
        if ui.add(Checkbox::new(&mut published, "Published results")).changed() {
            chosen = Some(CompareAction::SwitchPublished);
        }
        chosen.map(Action::Compare)
    })
    .inner
}

fn files_ui(ui: &mut Ui, compare: &Compare) -> Option<Action> {
    ui.spacing_mut().item_spacing.y = GRID / 2.0;
    let count = units::count(compare.files.len() as u64);
    let title = if compare.files.len() == 1 { "1 result".to_owned() } else { format!("{count} results") };
    ui.label(theme::title(title));
    secondary_ui(
        ui,
        &format!("Those with a tick are compared, {MOST_DRAWN} at most. The others are compared with number 1"),
    );
    let filter = if compare.files.len() > MOST_DRAWN { filters_ui(ui, compare) } else { None };
    let wide = ui.available_width() >= WIDE;
    let sort = headings_ui(ui, compare, wide);
    let mut chosen = None;
    let height = LIST.min((ROW + GRID) * compare.shown.len() as f32);
    ScrollArea::vertical().id_salt("files").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        rows_ui(ui, ROW, compare.shown.len(), |ui, place| {
            let index = compare.shown.get(place).copied().unwrap_or_default();
            if let Some(listed) = compare.files.get(index) {
                chosen = chosen.take().or(file_ui(ui, compare, index, listed, wide));
            }
        });
    });
    chosen.or(sort).or(filter).map(Action::Compare)
}

fn filters_ui(ui: &mut Ui, compare: &Compare) -> Option<CompareAction> {
    ui.horizontal_wrapped(|ui| {
        let mut chosen = None;
        for (column, choices) in &compare.choices {
            let now = compare.filters.iter().find(|(known, _)| known == column).map(|(_, value)| value);
            let all = format!("{}: all", column.name());
            let shown = now.map_or(all.as_str(), String::as_str);
            let filter =
                ComboBox::from_id_salt(column.name()).selected_text(shown).truncate().width(150.0).show_ui(ui, |ui| {
                    if ui.selectable_label(now.is_none(), &all).clicked() {
                        chosen = Some(CompareAction::Filter(*column, None));
                    }
                    for choice in choices {
                        if ui.selectable_label(now == Some(choice), choice).clicked() {
                            chosen = Some(CompareAction::Filter(*column, Some(choice.clone())));
                        }
                    }
                });
            filter.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, column.name()));
        }
        chosen
    })
    .inner
}

/// The columns of the list with their places, as parts of the width; the first begins beside the tick.
fn columns(wide: bool) -> &'static [(Column, f32, f32)] {
    const ALL: [(Column, f32, f32); 5] = [
        (Column::Name, 0.0, 0.40),
        (Column::FileSystem, 0.41, 0.53),
        (Column::Bus, 0.54, 0.66),
        (Column::System, 0.67, 0.84),
        (Column::Number, 0.85, 1.0),
    ];
    const FEW: [(Column, f32, f32); 2] = [(Column::Name, 0.0, 0.74), (Column::Number, 0.75, 1.0)];
    if wide { &ALL } else { &FEW }
}

/// The left edge of the first column: room for the tick and the mark, in points.
const TICK: f32 = 84.0;

fn place(row: Rect, from: f32, to: f32) -> Rect {
    let width = row.width() - TICK;
    Rect::from_min_max(
        pos2(row.left() + TICK + width * from, row.top()),
        pos2(row.left() + TICK + width * to, row.bottom()),
    )
}

fn headings_ui(ui: &mut Ui, compare: &Compare, wide: bool) -> Option<CompareAction> {
    let (_, row) = ui.allocate_space(vec2(ui.available_width(), 22.0));
    let mut chosen = None;
    for (column, from, to) in columns(wide) {
        let rect = place(row, *from, *to);
        let layout = if *column == Column::Number { right() } else { left() };
        let mut cell = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout).id_salt(column.name()));
        let arrow = match compare.sorted {
            Some((sorted, true)) if sorted == *column => ", largest first",
            Some((sorted, false)) if sorted == *column => ", smallest first",
            _ => "",
        };
        if link_ui(&mut cell, &format!("{}{arrow}", column.name())).clicked() {
            chosen = Some(CompareAction::SortBy(*column));
        }
    }
    chosen
}

fn left() -> Layout {
    Layout::left_to_right(Align::Center)
}

fn right() -> Layout {
    Layout::right_to_left(Align::Center)
}

fn file_ui(ui: &mut Ui, compare: &Compare, index: usize, listed: &Listed, wide: bool) -> Option<CompareAction> {
    let row = ui.max_rect();
    let number = compare.ticked.iter().position(|ticked| *ticked == index);
    let mut chosen = None;
    let mut tick = ui.new_child(UiBuilder::new().max_rect(row).layout(left()).id_salt("tick"));
    let mut ticked = number.is_some();
    let may = ticked || compare.ticked.len() < MOST_DRAWN;
    let name = listed.subject.name.as_str();
    let box_ = tick.add_enabled(may, Checkbox::without_text(&mut ticked));
    box_.widget_info(|| WidgetInfo::selected(Role::CheckBox, may, number.is_some(), name));
    if box_.changed() {
        chosen = Some(CompareAction::Tick(index));
    }
    if box_.gained_focus() {
        box_.scroll_to_me(None);
    }
    if let (Some(number), Some(hue)) = (number, compare.hue(index)) {
        swatch(ui, pos2(row.left() + 40.0, row.center().y), hue);
        let text = RichText::new((number + 1).to_string()).text_style(TextStyle::Small);
        let rect = Rect::from_min_max(pos2(row.left() + 52.0, row.top()), pos2(row.left() + TICK - 4.0, row.bottom()));
        let mut cell = ui.new_child(UiBuilder::new().max_rect(rect).layout(left()).id_salt("number"));
        cell.label(text);
    }
    for (column, from, to) in columns(wide) {
        let layout = if *column == Column::Number { right() } else { left() };
        let mut cell =
            ui.new_child(UiBuilder::new().max_rect(place(row, *from, *to)).layout(layout).id_salt(column.name()));
        if *column == Column::Name && number.is_some_and(|number| number > 0) {
            let link = link_ui(&mut cell, "make 1");
            link.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Compare the others with {name}")));
            if link.clicked() {
                chosen = Some(CompareAction::MakeFirst(index));
            }
        }
        let text = listed.fact(*column);
        let text = if *column == Column::Name { RichText::new(text) } else { theme::secondary(&cell, text) };
        cell.add(Label::new(text).truncate());
    }
    chosen
}

/// The colour and shape of a file.
fn swatch(ui: &Ui, center: eframe::egui::Pos2, hue: crate::section::Hue) {
    mark(ui.painter(), center, 5.0, hue, Palette::of(ui).hue(hue));
}

fn told_ui(ui: &mut Ui, compare: &Compare, told: &Told) -> Option<Action> {
    ui.spacing_mut().item_spacing = vec2(14.0, 14.0);
    cautions_ui(ui, told);
    let mut action = None;
    for section in &told.sections {
        if sections::section_ui(ui, section, &compare.flipped, OnPage::default()).is_some() {
            action = Some(Action::Compare(CompareAction::FlipScale(section.id.clone())));
        }
    }
    action
}

fn cautions_ui(ui: &mut Ui, told: &Told) {
    let (grave, light): (Vec<_>, Vec<_>) = told.cautions.iter().partition(|caution| caution.must_not);
    if !grave.is_empty() {
        let lines: Vec<&str> = grave.iter().map(|caution| caution.message.as_str()).collect();
        notice_ui(ui, Grave::Warning, &lines.join("\n"));
    }
    for caution in light {
        secondary_ui(ui, &caution.message);
    }
}
