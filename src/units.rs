//! Numbers as a person says them: at most three significant digits, always with a unit where the
//! unit is not in the heading. Every front end uses these, so a number reads the same everywhere.
//! Text that came from elsewhere is made harmless here too.

use std::borrow::Cow;

use humansize::{DECIMAL, FormatSizeOptions, format_size};

/// A whole number with its thousands set apart: `18,200`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with at most three significant digits: `687`, `18,200`, `4.13`, `0.052`.
pub fn number(value: f64) -> String {
    significant(value, 3)
}

/// How many times as fast: `4.1`, `83`, `109`, `0.97`. Two digits below ten, for nobody's decision
/// hangs on the third.
pub fn ratio(value: f64) -> String {
    significant(value, if value.abs() < 10.0 { 2 } else { 3 })
}

/// Operations a second in words: `687 a second`.
pub fn rate(per_second: f64) -> String {
    format!("{} a second", number(per_second))
}

/// A duration in the unit that suits it: `12 µs`, `1.5 ms`, `14.6 s`, `11 min`.
pub fn seconds(seconds: f64) -> String {
    let size = seconds.abs();
    if size == 0.0 {
        "0 s".to_owned()
    } else if size < 0.000_999_5 {
        format!("{} µs", number(seconds * 1e6))
    } else if size < 0.999_5 {
        format!("{} ms", number(seconds * 1e3))
    } else if size < 120.0 {
        format!("{} s", number(seconds))
    } else if size < 7200.0 {
        format!("{} min", number((seconds / 60.0).round()))
    } else {
        format!("{} h", number(seconds / 3600.0))
    }
}

/// How long something takes, for a person who waits: `about 1 minute`, `about 30 seconds`.
pub fn about(seconds: f64) -> String {
    let (value, unit) = if seconds < 55.0 {
        (((seconds / 5.0).ceil() * 5.0).max(5.0), "second")
    } else if seconds < 5400.0 {
        ((seconds / 60.0).round().max(1.0), "minute")
    } else {
        ((seconds / 3600.0).round(), "hour")
    };
    let plural = if value == 1.0 { "" } else { "s" };
    format!("about {value} {unit}{plural}")
}

/// A size in decimal units, as drives are sold: `240 MB`, `1.2 TB`.
pub fn bytes(bytes: u64) -> String {
    let scaled = 1000_f64.powi((bytes.max(1) as f64).log(1000.0).floor() as i32);
    let places = if bytes < 1000 || bytes as f64 / scaled >= 9.95 { 0 } else { 1 };
    format_size(bytes, FormatSizeOptions::from(DECIMAL).decimal_places(places).decimal_zeroes(0)).replace(" kB", " KB")
}

/// A part of one in per cent: `96 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent != 0.0 && percent.abs() < 0.95 {
        format!("{} %", significant(percent, 1))
    } else {
        format!("{percent:.0} %")
    }
}

/// `one`, `two` ... `nine`, then digits: for numbers inside a sentence.
pub fn in_words(value: u64) -> String {
    const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    usize::try_from(value).ok().and_then(|index| WORDS.get(index)).map_or_else(|| count(value), ToString::to_string)
}

/// Text from a file or a system, fit to be shown on one line: tabs and line ends become spaces, and
/// characters that would act unseen, the controls of Unicode's class Cc and those that turn the reading
/// direction, are named instead (`[U+202E]`). Ordinary text is returned as it is.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(acts_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => shown.push(' '),
            unseen if acts_unseen(unseen) => shown.push_str(&format!("[U+{:04X}]", u32::from(unseen))),
            seen => shown.push(seen),
        }
    }
    Cow::Owned(shown)
}

/// Controls, ends of lines and paragraphs, and the characters with the property `Bidi_Control`
/// (Unicode Standard Annex 9, section 2).
fn acts_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let unit = 10_f64.powi(magnitude - digits + 1);
    let rounded = (value / unit).round() * unit;
    if rounded.abs() >= 1000.0 {
        let sign = if rounded < 0.0 { "-" } else { "" };
        return format!("{sign}{}", count(rounded.abs().round() as u64));
    }
    // Rounding may have gained a digit (9.96 to 10.0), so the places are counted afterwards.
    let places = (digits - 1 - rounded.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{rounded:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The first letter in upper case, for the start of a sentence.
pub fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_three_significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (4.13, "4.13"),
            (9.996, "10"),
            (166.3, "166"),
            (18_181.8, "18,200"),
            (999_600.0, "1,000,000"),
            (0.052_37, "0.0524"),
            (-1.5, "-1.5"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn ratios_read_as_published() {
        for (value, text) in
            [(4.130, "4.1"), (83.35, "83.3"), (109.3, "109"), (1.312, "1.3"), (1.0, "1"), (0.968, "0.97")]
        {
            assert_eq!(ratio(value), text);
        }
    }

    #[test]
    fn durations_choose_their_unit() {
        for (value, text) in [
            (0.0, "0 s"),
            (0.000_012, "12 µs"),
            (0.001_5, "1.5 ms"),
            (0.999_7, "1 s"),
            (14.56, "14.6 s"),
            (660.0, "11 min"),
            (7200.0, "2 h"),
        ] {
            assert_eq!(seconds(value), text);
        }
    }

    #[test]
    fn waiting_times_are_round() {
        for (value, text) in [
            (0.2, "about 5 seconds"),
            (28.0, "about 30 seconds"),
            (58.0, "about 1 minute"),
            (662.0, "about 11 minutes"),
            (7300.0, "about 2 hours"),
        ] {
            assert_eq!(about(value), text);
        }
    }

    #[test]
    fn sizes_are_decimal_as_drives_are_sold() {
        for (value, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_500, "1.5 KB"),
            (240_000_000, "240 MB"),
            (1_200_000_000_000, "1.2 TB"),
            (640_100_000_000, "640 GB"),
        ] {
            assert_eq!(bytes(value), text);
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        for (value, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (10_000, "10,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn text_that_acts_unseen_is_shown() {
        for (value, text) in [
            ("Samsung SSD 990 PRO, ext4: größer, 速い, مرحبا, שלום, \u{1F600}", None),
            ("my\tnote\r\nline two\u{2028}three", Some("my note  line two three")),
            ("drive\u{202E}gnp.exe\u{202C}", Some("drive[U+202E]gnp.exe[U+202C]")),
            ("\u{1b}[31mred\0", Some("[U+001B][31mred[U+0000]")),
            ("\u{9b}2J\u{7f}", Some("[U+009B]2J[U+007F]")),
            ("\u{61c}a\u{200e}b\u{200f}c", Some("[U+061C]a[U+200E]b[U+200F]c")),
            ("\u{2066}x\u{2067}y\u{2068}z\u{2069}", Some("[U+2066]x[U+2067]y[U+2068]z[U+2069]")),
        ] {
            let shown = harmless(value);
            assert_eq!(shown, text.unwrap_or(value));
            assert_eq!(matches!(shown, Cow::Borrowed(_)), text.is_none(), "ordinary text is not copied");
            assert_eq!(harmless(&shown), shown, "what is shown once stays so");
        }
    }
}
