//! Words that several experiments share: the plain name of a setting and what a power cut can take
//! from it.

use crate::{
    measure::{
        database::{JournalMode, Settings, Synchronous},
        outcome::Case,
    },
    section::{Cell, Hue},
    units,
};

/// The plain name of a setting: "Safe and faster".
pub fn plain_name(settings: &Settings) -> &'static str {
    use JournalMode::{Delete, Persist, Truncate, Wal};
    match (settings.journal_mode, settings.synchronous) {
        (_, Synchronous::Off) => "Unsafe",
        (Delete, Synchronous::Full) => "Safe default",
        (Delete, Synchronous::Normal) => "Default, lighter",
        (Delete, Synchronous::Extra) => "Safest default",
        (Wal, Synchronous::Full) => "Safe and faster",
        (Wal, Synchronous::Extra) => "Safe and faster, extra",
        (Wal, Synchronous::Normal) => "Fast, may lose the last saves",
        (Truncate, _) => "Default, journal emptied",
        (Persist, _) => "Default, journal kept",
    }
}

/// SQLite's own terms, as in its documentation: "WAL, FULL".
pub fn technical_name(settings: &Settings) -> String {
    let mut name = settings.name().to_uppercase().replace('/', ", ");
    if settings.fullfsync == Some(1) {
        name.push_str(", fullfsync");
    }
    name
}

/// Which family a setting belongs to.
pub fn hue(settings: &Settings) -> Hue {
    if settings.journal_mode == JournalMode::Wal { Hue::Wal } else { Hue::Rollback }
}

/// A table's cell for a case: its setting, or its name where it has none.
pub fn case_cell<S>(case: &Case<S>) -> Cell {
    match &case.settings {
        Some(settings) => Cell::Setting {
            plain: plain_name(settings).to_owned(),
            technical: technical_name(settings),
            hue: hue(settings),
        },
        None => Cell::Text(case.name.clone()),
    }
}

/// A case in SQLite's own terms, or its name where it has no settings.
pub fn case_technical<S>(case: &Case<S>) -> String {
    case.settings.as_ref().map_or_else(|| case.name.clone(), technical_name)
}

/// The family of a case.
pub fn case_hue<S>(case: &Case<S>) -> Hue {
    case.settings.as_ref().map_or(Hue::Neutral, hue)
}

/// What a power cut can take, from SQLite's pages on `PRAGMA synchronous` and on WAL. An app crash alone
/// takes nothing in any of these.
pub fn power_cut(settings: &Settings) -> &'static str {
    match (settings.journal_mode, settings.synchronous) {
        (_, Synchronous::Off) => "The whole database",
        (JournalMode::Wal, Synchronous::Normal) => "The last saves, never the database",
        (JournalMode::Wal, _) | (_, Synchronous::Extra) => "Nothing that was saved",
        (JournalMode::Delete, Synchronous::Full) => "Very rarely the last save",
        (JournalMode::Truncate | JournalMode::Persist, Synchronous::Full) => "Nothing that was saved",
        (_, Synchronous::Normal) => "Very rarely the last save; old file systems more",
    }
}

/// "between 3.8 and 4.5 times, from 5 rounds", with the confidence where it is below the usual 95 %.
pub fn interval_words(low: f64, high: f64, confidence: f64, rounds: u64) -> String {
    if rounds < 2 {
        return "measured once, so there is no interval".to_owned();
    }
    let certainty =
        if confidence < 0.93 { format!(" ({} certain)", units::percent(confidence)) } else { String::new() };
    let (low, high) = (units::ratio(low), units::ratio(high));
    let range = if low == high { format!("{low} times") } else { format!("between {low} and {high} times") };
    format!("{range}{certainty}, from {rounds} rounds")
}
