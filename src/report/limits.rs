//! A first look at a file from a stranger, before anything of it is kept: how many values it holds, how
//! long its texts are and how large its numbers. It reads the bytes once and allocates nothing, so that no
//! file can fill the memory or make a later sum overflow. Called by `load`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The most values in a file. A Full result has a few ten thousand; a plan at its limits a few hundred thousand.
const MOST_VALUES: u32 = 1_000_000;
/// The longest text, in bytes. The longest that this program writes is a warning of some hundred.
const LONGEST_TEXT: usize = 20_000;
/// The largest number among the measurements: bytes, microseconds or operations of years. A million of them
/// can be added up in 64 bits.
const LARGEST: f64 = 1e13;
/// The smallest number above zero among the measurements: no clock has so fine a tick, and its inverse is
/// still a number that can be drawn.
const SMALLEST: f64 = 1e-12;
/// The parts of a file that sums and pictures are made of.
const MEASUREMENTS: [&str; 2] = ["experiments", "plan"];

/// Counts what is in a file.
#[derive(Debug, Default)]
pub(super) struct Limits {
    values: u32,
    /// Which limit was passed, in words.
    pub(super) passed: Option<String>,
}

impl Limits {
    /// Looks through a whole file.
    ///
    /// # Errors
    /// It is not JSON, or more than is allowed; the latter is in `passed` too.
    pub(super) fn check(&mut self, bytes: &[u8]) -> serde_json::Result<()> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        Look { limits: self, level: 0, measured: false }.deserialize(&mut json)?;
        json.end()
    }

    fn count(&mut self) -> Result<(), String> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(self.pass(format!("it holds more than {} values", crate::units::count(MOST_VALUES.into()))));
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST_TEXT {
            return Err(self.pass(format!("a text in it has {} bytes", crate::units::count(text.len() as u64))));
        }
        Ok(())
    }

    fn number(&mut self, number: f64) -> Result<(), String> {
        let size = number.abs();
        if size > LARGEST || (size > 0.0 && size < SMALLEST) {
            return Err(self.pass(format!("it measured {number:e}, which nothing can")));
        }
        Ok(())
    }

    fn pass(&mut self, words: String) -> String {
        self.passed = Some(words.clone());
        words
    }
}

/// One value of the file.
struct Look<'a> {
    limits: &'a mut Limits,
    /// How deep it lies; serde_json itself refuses more than 128.
    level: u8,
    /// Whether it belongs to the measurements.
    measured: bool,
}

impl Look<'_> {
    fn below(&mut self, measured: bool) -> Look<'_> {
        Look { limits: self.limits, level: self.level + 1, measured }
    }

    fn number<E: Error>(self, number: f64) -> Result<(), E> {
        if self.measured { self.limits.number(number).map_err(E::custom) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.limits.count().map_err(D::Error::custom)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.number(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.number(number as f64)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.number(number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.limits.text(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        let measured = self.measured;
        while values.next_element_seed(self.below(measured))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key_seed(Name(self.limits))? {
            let measured = self.measured || (self.level == 0 && name);
            fields.next_value_seed(self.below(measured))?;
        }
        Ok(())
    }
}

/// The name of a field: whether it begins the measurements.
struct Name<'a>(&'a mut Limits);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        self.0.text(name).map_err(E::custom)?;
        Ok(MEASUREMENTS.contains(&name))
    }
}
