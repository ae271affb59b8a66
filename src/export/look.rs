//! How everything that CommitMark shows looks: the colours of light and dark, and the fonts. The window
//! makes its theme of them, the exporters their style sheets and pictures.

use std::fmt;

use crate::section::Hue;

/// Inter in its three weights (SIL Open Font License, see assets/fonts).
pub const INTER_REGULAR: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.ttf");
/// Weight 500.
pub const INTER_MEDIUM: &[u8] = include_bytes!("../../assets/fonts/Inter-Medium.ttf");
/// Weight 600.
pub const INTER_SEMI_BOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.ttf");

/// How much of a hue is in the ground of a bar; the rest is the track. Faint enough to lie under dots.
const BAR_TINT: f64 = 0.36;

/// An opaque colour: red, green, blue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// From `0xRRGGBB`.
    const fn new(hex: u32) -> Self {
        Self((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
    }

    /// This colour with a share, from 0 to 1, of another.
    pub fn mixed(self, other: Self, share: f64) -> Self {
        let mix = |one: u8, other: u8| (f64::from(one) * (1.0 - share) + f64::from(other) * share).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

impl fmt::Display for Rgb {
    /// As CSS and SVG write it: `#1F5FD6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

macro_rules! colors {
    ($($(#[$doc:meta])+ $name:ident $light:literal $dark:literal)+) => {
        /// Every colour of one of the two themes.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Colors {
            $($(#[$doc])+ pub $name: Rgb,)+
        }

        /// The light theme.
        pub const LIGHT: Colors = Colors { $($name: Rgb::new($light),)+ };

        /// The dark theme.
        pub const DARK: Colors = Colors { $($name: Rgb::new($dark),)+ };

        impl Colors {
            /// Each colour with its name.
            pub fn named(&self) -> Vec<(&'static str, Rgb)> {
                vec![$((stringify!($name), self.$name),)+]
            }
        }
    };
}

colors! {
    /// Behind everything.
    ground 0xF6F7F9 0x14171B
    /// Cards, fields and the rail.
    card 0xFFFFFF 0x1C2025
    /// Hairlines.
    line 0xE2E5EA 0x2D333B
    /// The empty part of a bar.
    track 0xEDF0F3 0x262B32
    /// Text.
    ink 0x1B1F24 0xE8EAED
    /// Secondary text.
    dim 0x5C6570 0xA4ACB6
    /// WAL, and whatever is chosen or primary.
    wal 0x1F5FD6 0x79A8FF
    /// What is chosen, as a ground.
    wal_tint 0xE8EEFB 0x1D2A44
    /// The rollback journals.
    rollback 0xB45309 0xF0A04B
    /// Good news.
    good 0x15803D 0x6FCF8E
    /// The ground of good news.
    good_tint 0xECF7F0 0x1B3324
    /// Warnings.
    warning 0x92600A 0xE5B85C
    /// The ground of warnings.
    warning_tint 0xFDF4DC 0x2E2818
    /// Errors.
    error 0xB42318 0xFF8A7A
    /// The ground of errors.
    error_tint 0xFDEEEC 0x38201E
    /// Text on the primary button.
    on_primary 0xFFFFFF 0x14171B
    /// The first of the files that are compared.
    file_1 0x1F5FD6 0x79A8FF
    /// The second of the files that are compared.
    file_2 0xB45309 0xF0A04B
    /// The third of the files that are compared.
    file_3 0x0B765B 0x4FD1A7
    /// The fourth of the files that are compared.
    file_4 0x8E2F7C 0xE393D6
    /// The fifth of the files that are compared.
    file_5 0x3A424C 0xD3D9E0
    /// The sixth of the files that are compared.
    file_6 0x0C76A3 0x62C9EE
    /// The seventh of the files that are compared.
    file_7 0x756600 0xDDCC52
    /// The eighth of the files that are compared.
    file_8 0xB82E4E 0xFF8FA3
}

impl Colors {
    /// The colour of a family of settings.
    pub const fn hue(&self, hue: Hue) -> Rgb {
        match hue {
            Hue::Wal => self.wal,
            Hue::Rollback => self.rollback,
            Hue::Nth(index) => self.files()[(index % 8) as usize],
            Hue::Neutral => self.dim,
        }
    }

    /// The files that are compared, which have a shape each too. The first four are far apart for every kind
    /// of colour vision: blue, orange, green and purple (after Okabe and Ito, Color universal design, 2008,
    /// darkened or lightened until they are seen on the ground).
    pub const fn files(&self) -> [Rgb; 8] {
        [self.file_1, self.file_2, self.file_3, self.file_4, self.file_5, self.file_6, self.file_7, self.file_8]
    }

    /// The same, as the ground of a bar.
    pub fn bar(&self, hue: Hue) -> Rgb {
        self.track.mixed(self.hue(hue), BAR_TINT)
    }
}

/// Colours as a picture names them: fixed, or as the variables of a style sheet that knows both themes.
#[derive(Clone, Debug)]
pub struct Paint {
    /// Text.
    pub ink: String,
    /// Secondary text.
    pub dim: String,
    /// Hairlines.
    pub line: String,
    /// The empty part of a bar.
    pub track: String,
    /// Behind the picture.
    pub card: String,
    hues: [(String, String); 11],
}

impl Paint {
    /// The colours of a theme.
    pub fn fixed(colors: &Colors) -> Self {
        Self {
            ink: colors.ink.to_string(),
            dim: colors.dim.to_string(),
            line: colors.line.to_string(),
            track: colors.track.to_string(),
            card: colors.card.to_string(),
            hues: HUES.map(|(hue, _)| (colors.hue(hue).to_string(), colors.bar(hue).to_string())),
        }
    }

    /// The variables that [`variables`] defines.
    pub fn of_style_sheet() -> Self {
        let variable = |name: &str| format!("var(--{name})");
        Self {
            ink: variable("ink"),
            dim: variable("dim"),
            line: variable("line"),
            track: variable("track"),
            card: variable("card"),
            hues: HUES.map(|(_, name)| (variable(&format!("{name}-hue")), variable(&format!("{name}-bar")))),
        }
    }

    /// The colour of a family of settings.
    pub fn hue(&self, hue: Hue) -> &str {
        &self.of(hue).0
    }

    /// The same, as the ground of a bar.
    pub fn bar(&self, hue: Hue) -> &str {
        &self.of(hue).1
    }

    fn of(&self, hue: Hue) -> &(String, String) {
        let [neutral, wal, rollback, files @ ..] = &self.hues;
        match hue {
            Hue::Wal => wal,
            Hue::Rollback => rollback,
            Hue::Nth(index) => files.get(usize::from(index) % files.len()).unwrap_or(neutral),
            Hue::Neutral => neutral,
        }
    }
}

const HUES: [(Hue, &str); 11] = [
    (Hue::Neutral, "neutral"),
    (Hue::Wal, "wal"),
    (Hue::Rollback, "rollback"),
    (Hue::Nth(0), "first"),
    (Hue::Nth(1), "second"),
    (Hue::Nth(2), "third"),
    (Hue::Nth(3), "fourth"),
    (Hue::Nth(4), "fifth"),
    (Hue::Nth(5), "sixth"),
    (Hue::Nth(6), "seventh"),
    (Hue::Nth(7), "eighth"),
];

/// The colours as variables of CSS: `--ink:#1B1F24;--wal-tint:...`.
pub fn variables(colors: &Colors) -> String {
    let mut css: String =
        colors.named().iter().map(|(name, color)| format!("--{}:{color};", name.replace('_', "-"))).collect();
    for (hue, name) in HUES {
        css.push_str(&format!("--{name}-hue:{};--{name}-bar:{};", colors.hue(hue), colors.bar(hue)));
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_written_as_css_writes_them() {
        assert_eq!(LIGHT.wal.to_string(), "#1F5FD6");
        assert_eq!(Rgb(0, 0, 0).mixed(Rgb(255, 255, 255), 0.5).to_string(), "#808080");
        assert!(variables(&DARK).starts_with("--ground:#14171B;"));
    }

    #[test]
    fn every_colour_of_a_picture_is_a_variable_of_the_style_sheet() {
        let (css, paint) = (variables(&LIGHT), Paint::of_style_sheet());
        let hues = HUES.iter().flat_map(|(hue, _)| [paint.hue(*hue), paint.bar(*hue)]);
        for used in hues.chain([&paint.ink, &paint.dim, &paint.line, &paint.track, &paint.card].map(String::as_str)) {
            let name = used.trim_start_matches("var(").trim_end_matches(')');
            assert!(css.contains(&format!("{name}:#")), "{name} is not in {css}");
        }
    }
}
