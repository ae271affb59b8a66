//! The page as Markdown, as GitHub, GitLab and forums read it: for an issue tracker. Text from a result
//! is escaped so that it shows as it is: it makes no markup, mentions nobody and links nowhere.

use super::page::{Facts, Page};
use crate::section::{Section, Table};

/// The page as Markdown.
pub(super) fn write(page: &Page) -> String {
    let mut text = format!("## {}\n\n", escape(&page.sentence));
    text.extend(page.detail.as_deref().map(|detail| format!("{}\n\n", escape(detail))));
    let reason = page.reason.as_deref().map(|reason| format!(": {}", escape(reason))).unwrap_or_default();
    text.push_str(&format!("**{}**{reason}\n\n", page.badge));
    text.push_str(&format!("{}\n\n", page.facts.iter().map(|fact| escape(fact)).collect::<Vec<_>>().join(" · ")));
    text.extend(page.note.as_deref().map(|note| format!("Note: {}\n\n", escape(note))));
    for figure in &page.figures {
        text.push_str(&format!("- **{}** {}\n", escape(&figure.value), escape(&figure.label)));
    }
    for part in &page.sections {
        text.push_str(&section(page, part));
    }
    if !page.warnings.is_empty() {
        text.push_str("\n### Warnings\n\n");
        text.extend(page.warnings.iter().map(|warning| format!("- {}\n", escape(warning))));
    }
    text.push_str(&facts("Machine", &page.machine));
    text.push_str(&facts("Volume and drive", &page.volume));
    text.push_str(&format!(
        "\nMeasured with CommitMark {} and SQLite {}\n",
        escape(&page.version),
        escape(&page.sqlite)
    ));
    text
}

fn section(page: &Page, section: &Section) -> String {
    let work = section.work.as_deref().map(|work| format!(" ({})", escape(work))).unwrap_or_default();
    let mut text = format!("\n### {}{work}\n\n", escape(&section.title));
    if section.verdict != page.sentence {
        text.push_str(&format!("{}\n\n", escape(&section.verdict)));
    }
    text.extend(page.detail_of(section).map(|detail| format!("{}\n\n", escape(detail))));
    text.push_str(&table(&section.table));
    text
}

fn table(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let is_number = |column: usize| table.rows.iter().any(|row| row.get(column).is_some_and(|cell| cell.is_number()));
    let rules = (0..table.columns.len()).map(|column| if is_number(column) { "---:" } else { "---" }.to_owned());
    let mut text = line(table.columns.iter().map(|column| escape(column)));
    text.push_str(&line(rules));
    text.extend(table.rows.iter().map(|row| line(row.iter().map(|cell| escape(&cell.text())))));
    text
}

/// Folded, for they are long and few ask for them.
fn facts(title: &str, facts: &Facts) -> String {
    let mut text = format!("\n<details><summary>{title}</summary>\n\n");
    text.push_str(&line(["Fact", "Value"].map(str::to_owned).into_iter()));
    text.push_str(&line(["---", "---"].map(str::to_owned).into_iter()));
    text.extend(facts.iter().map(|(name, value)| line([escape(name), escape(value)].into_iter())));
    text.push_str("\n</details>\n");
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Text that Markdown shows as it is. A space of no width parts what trackers would make a mention, a
/// reference or a link.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for (place, letter) in text.char_indices() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '@' => escaped.push_str("@&#8203;"),
            '#' => escaped.push_str("\\#&#8203;"),
            '/' if before == '/' => escaped.push_str("&#8203;/"),
            '.' if text.get(..place).is_some_and(|start| start.to_ascii_lowercase().ends_with("www")) => {
                escaped.push_str("&#8203;.")
            }
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            // Lists, rules and headings begin with these.
            '-' | '+' | '=' if place == 0 => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '.' | ')' if is_list_number(text, place) => {
                escaped.push('\\');
                escaped.push(letter);
            }
            // Emoji of GitHub's: a word between colons.
            ':' if before.is_alphanumeric() && text.get(..place).is_some_and(ends_in_short_code) => {
                escaped.push_str("&#8203;:");
            }
            other => escaped.push(other),
        }
        before = letter;
    }
    escaped
}

/// Whether nothing but a number stands before this place, and a space after it: `1. item`.
fn is_list_number(text: &str, place: usize) -> bool {
    let (start, rest) = text.split_at_checked(place).unwrap_or_default();
    let ends = rest.chars().nth(1).is_none_or(char::is_whitespace);
    ends && !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the text ends in a colon and a word of letters, digits and signs: `:smile`.
fn ends_in_short_code(start: &str) -> bool {
    let word = start.rsplit(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
    word.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_makes_no_markup() {
        for (text, escaped) in [
            ("a | b", "a \\| b"),
            ("<script>", "&lt;script&gt;"),
            ("`x` *y* _z_", "\\`x\\` \\*y\\* \\_z\\_"),
            ("[a](b)", "\\[a\\](b)"),
            ("@octocat fixes #1", "@&#8203;octocat fixes \\#&#8203;1"),
            ("https://example.org", "https:/&#8203;/example.org"),
            ("www.example.org", "www&#8203;.example.org"),
            ("- item", "\\- item"),
            ("1. item", "1\\. item"),
            ("4.1 times", "4.1 times"),
            (":smile:", ":smile&#8203;:"),
            ("wal/full: 3", "wal/full: 3"),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }
}
