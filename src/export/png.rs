//! A picture for a forum post: the sentence, the figures, the main chart, and what it was measured on. It
//! is composed as SVG and drawn by resvg with Inter, which is part of the program, so it looks the same on
//! every system. A result that is not steady says so in the picture.

use std::sync::{Arc, LazyLock};

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};

use super::{
    look::{Colors, INTER_MEDIUM, INTER_REGULAR, INTER_SEMI_BOLD, LIGHT, Paint},
    page::Page,
    svg::{self, Anchor, Canvas, Drawing, Ink, Style, fitted, number, width_of},
};
use crate::section::{Chart, Section};

/// The width of the picture, in pixels.
const WIDTH: f64 = 1200.0;
/// Left and right of everything.
const MARGIN: f64 = 48.0;
/// Inside a box.
const INSET: f64 = 28.0;
/// How much wider strong letters are.
const STRONG: f64 = 1.03;
/// Between boxes.
const GAP: f64 = 20.0;
/// More rows than this, which no real result has in its main chart, are left out.
const MOST_SERIES: usize = 16;
/// More letters than this are no sentence.
const MOST_LETTERS: usize = 400;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for font in [INTER_REGULAR, INTER_MEDIUM, INTER_SEMI_BOLD] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("Inter");
    Arc::new(fonts)
});

/// A picture for the clipboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels in a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel, line by line from the top.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// Every pixel of the drawing is opaque, so nothing has to be divided by its opacity.
    pub(super) fn of(drawn: &Pixmap) -> Self {
        Self { width: drawn.width() as usize, height: drawn.height() as usize, rgba: drawn.data().to_vec() }
    }
}

/// Draws the picture.
///
/// # Errors
/// The renderer's, in words; never for a result that was measured or opened.
pub(super) fn draw(page: &Page) -> Result<Pixmap, String> {
    let options = Options { font_family: "Inter".to_owned(), fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(&card(page).file(), &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size();
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or_else(|| "it would be too large".to_owned())?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    Ok(pixmap)
}

/// The drawing as a PNG file.
///
/// # Errors
/// The encoder's, in words.
pub(super) fn encode(drawn: &Pixmap) -> Result<Vec<u8>, String> {
    drawn.encode_png().map_err(|error| error.to_string())
}

/// The whole picture as SVG.
pub(super) fn card(page: &Page) -> Drawing {
    let mut card = Card { canvas: Canvas::default(), colors: &LIGHT, y: 0.0 };
    card.brand(page);
    card.words(page);
    card.figures(page);
    if let Some((section, chart)) = main_chart(page) {
        card.chart(section, chart);
    }
    card.facts(page);
    let height = card.y.ceil();
    let mut whole = Canvas::default();
    whole.rect((0.0, 0.0), (WIDTH, height), 0.0, &LIGHT.ground.to_string());
    whole.elements.push_str(&card.canvas.elements);
    Drawing { elements: whole.elements, width: WIDTH, height }
}

/// The first chart, which is about the sentence wherever its section has one.
fn main_chart(page: &Page) -> Option<(&Section, Chart)> {
    page.sections.iter().find_map(|section| {
        let mut chart = section.chart.clone().filter(|chart| !chart.series.is_empty())?;
        chart.series.truncate(MOST_SERIES);
        Some((section, chart))
    })
}

/// The picture as far as it is drawn.
struct Card<'a> {
    canvas: Canvas,
    colors: &'a Colors,
    y: f64,
}

impl Card<'_> {
    /// The program's sign and name, and the badge.
    fn brand(&mut self, page: &Page) {
        let (ink, wal, card) = (self.colors.ink.to_string(), self.colors.wal.to_string(), self.colors.card.to_string());
        self.canvas.rect((MARGIN, 40.0), (32.0, 32.0), 8.0, &wal);
        self.canvas.rect((MARGIN + 9.0, 56.0), (5.0, 9.0), 1.5, &card);
        self.canvas.rect((MARGIN + 18.0, 48.0), (5.0, 17.0), 1.5, &card);
        let name = Ink { size: 22.0, weight: 600, color: &ink };
        self.canvas.text((MARGIN + 46.0, 64.0), Anchor::Start, name, "CommitMark");
        let (text, ground) = match page.steady {
            true => (self.colors.good, self.colors.good_tint),
            false => (self.colors.warning, self.colors.warning_tint),
        };
        let width = width_of(page.badge, 20.0) + 36.0;
        self.canvas.rect((WIDTH - MARGIN - width, 37.0), (width, 38.0), 19.0, &ground.to_string());
        let badge = Ink { size: 20.0, weight: 500, color: &text.to_string() };
        self.canvas.text((WIDTH - MARGIN - width / 2.0, 63.0), Anchor::Middle, badge, page.badge);
        self.y = 96.0;
    }

    fn words(&mut self, page: &Page) {
        let (ink, dim, warning) =
            (self.colors.ink.to_string(), self.colors.dim.to_string(), self.colors.warning.to_string());
        let width = WIDTH - 2.0 * MARGIN;
        // On one line where it can be.
        let size = [40.0, 38.0, 36.0].into_iter().find(|size| width_of(&page.sentence, size * STRONG) <= width);
        let sentence = Ink { size: size.unwrap_or(40.0), weight: 600, color: &ink };
        self.paragraph(&page.sentence, sentence, (MARGIN, width), 3);
        self.y += 4.0;
        if let Some(detail) = &page.detail {
            self.paragraph(detail, Ink { size: 20.0, weight: 400, color: &dim }, (MARGIN, width), 2);
        }
        if let Some(reason) = &page.reason {
            self.paragraph(reason, Ink { size: 20.0, weight: 400, color: &warning }, (MARGIN, width), 3);
        }
        self.y += GAP;
    }

    fn figures(&mut self, page: &Page) {
        if page.figures.is_empty() {
            return;
        }
        let count = page.figures.len() as f64;
        let width = (WIDTH - 2.0 * MARGIN - GAP * (count - 1.0)) / count;
        let inner = width - 2.0 * INSET;
        let lines: Vec<Vec<String>> =
            page.figures.iter().map(|figure| wrapped(&figure.label, 18.0, inner, 2)).collect();
        let height = 92.0 + 24.0 * lines.iter().map(Vec::len).max().unwrap_or_default() as f64;
        let (top, ink, dim) = (self.y, self.colors.ink.to_string(), self.colors.dim.to_string());
        for (index, (figure, lines)) in page.figures.iter().zip(lines).enumerate() {
            let left = MARGIN + index as f64 * (width + GAP);
            self.boxed((left, top), (width, height));
            let value = Ink { size: 38.0, weight: 600, color: &ink };
            let shown = fitted(&figure.value, value.size * STRONG, inner);
            self.canvas.text((left + INSET, top + 58.0), Anchor::Start, value, &shown);
            for (line, words) in lines.iter().enumerate() {
                let at = (left + INSET, top + 90.0 + 24.0 * line as f64);
                self.canvas.text(at, Anchor::Start, Ink { size: 18.0, weight: 400, color: &dim }, words);
            }
        }
        self.y = top + height + GAP;
    }

    fn chart(&mut self, section: &Section, chart: Chart) {
        let paint = Paint::fixed(self.colors);
        let width = WIDTH - 2.0 * MARGIN - 2.0 * INSET;
        let log = svg::prefers_log(&chart);
        let drawn = svg::draw(&chart, &Style { width, text: 20.0, paint: &paint, spread: 1.0, log });
        let top = self.y;
        self.boxed((MARGIN, top), (WIDTH - 2.0 * MARGIN, drawn.height + 112.0));
        self.y = top + INSET - 4.0;
        let (ink, dim) = (self.colors.ink.to_string(), self.colors.dim.to_string());
        self.paragraph(&section.title, Ink { size: 24.0, weight: 600, color: &ink }, (MARGIN + INSET, width), 1);
        let below = section.work.as_deref().unwrap_or(&section.verdict);
        self.paragraph(below, Ink { size: 18.0, weight: 400, color: &dim }, (MARGIN + INSET, width), 1);
        self.canvas.elements.push_str(&format!(
            "<g transform=\"translate({} {})\">{}</g>",
            number(MARGIN + INSET),
            number(top + 92.0),
            drawn.elements
        ));
        self.y = top + drawn.height + 112.0 + GAP;
    }

    fn facts(&mut self, page: &Page) {
        let (ink, dim) = (self.colors.ink.to_string(), self.colors.dim.to_string());
        let width = WIDTH - 2.0 * MARGIN;
        self.paragraph(&page.drive, Ink { size: 20.0, weight: 500, color: &ink }, (MARGIN, width), 2);
        let made = format!(
            "{} test  ·  SQLite {}  ·  CommitMark {}  ·  {}",
            page.preset, page.sqlite, page.version, page.date
        );
        self.paragraph(&made, Ink { size: 18.0, weight: 400, color: &dim }, (MARGIN, width), 2);
        self.y += MARGIN - 12.0;
    }

    /// A white box with a hairline.
    fn boxed(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (line, card) = (self.colors.line.to_string(), self.colors.card.to_string());
        self.canvas.rect((x, y), (width, height), 14.0, &line);
        self.canvas.rect((x + 1.5, y + 1.5), (width - 3.0, height - 3.0), 12.5, &card);
    }

    /// Lines of text; moves down by their height.
    fn paragraph(&mut self, text: &str, ink: Ink<'_>, (left, width): (f64, f64), most_lines: usize) {
        let size = if ink.weight > 400 { ink.size * STRONG } else { ink.size };
        for line in wrapped(text, size, width, most_lines) {
            self.canvas.text((left, self.y + ink.size), Anchor::Start, ink, &line);
            self.y += ink.size * 1.36;
        }
    }
}

/// The words of a text; a number and its unit are one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches([',', '.', ')', ';']);
        match words.last_mut().filter(|last| last.ends_with(|letter: char| letter.is_ascii_digit())) {
            Some(number) if ["s", "ms", "µs", "min", "h", "%", "KB", "MB", "GB"].contains(&unit) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The text in lines of this width, the last one cut where there are more words than lines.
fn wrapped(text: &str, size: f64, width: f64, most_lines: usize) -> Vec<String> {
    let text: String = text.chars().take(MOST_LETTERS).collect();
    let mut lines: Vec<String> = Vec::new();
    for word in words(&text) {
        let last = lines.len() == most_lines;
        match lines.last_mut() {
            Some(line) if last || width_of(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.iter().map(|line| fitted(line, size, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        export::clean::private,
        plan::{Plan, Preset},
        report::{Report, Status, Warning},
        system::{Machine, Volume},
    };

    #[test]
    fn lines_hold_whole_words_and_the_last_is_cut() {
        let text = "one two three four five six seven eight nine ten";
        let lines = wrapped(text, 10.0, 100.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'), "{lines:?}");
        assert_eq!(wrapped(text, 10.0, 1000.0, 2), [text]);
        assert!(wrapped("", 10.0, 100.0, 2).is_empty());
        assert_eq!(words("errors in 1 s, from 5 rounds"), ["errors", "in", "1 s,", "from", "5", "rounds"]);
    }

    #[test]
    fn the_picture_names_nobody_and_obeys_nobody() {
        let mut report = Report::new(Plan::new(Preset::Quick), None, Machine::default(), Volume::default());
        report.volume.drive_model = Some(r"Disk of C:\Users\Wilhelmine\x".to_owned());
        report.warnings = vec![Warning::new("failed", "Not readable \u{202e}<b>: /home/wilhelmine/x.db")];
        report.status = Status::Complete;
        let drawn = card(&Page::new(&private(&report).unwrap()).unwrap()).file();
        assert!(!drawn.to_lowercase().contains("wilhelmine"), "{drawn}");
        assert!(drawn.contains(r"Disk of C:\Users\~\x"), "{drawn}");
        assert!(drawn.contains("Not readable [U+202E]&lt;b&gt;: /home/~/x.db"), "{drawn}");
        assert!(drawn.contains("Noisy: run again") && drawn.contains("CommitMark"));
    }
}
