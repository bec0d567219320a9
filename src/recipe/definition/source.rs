//! Reads values from the tables of a definition, and collects errors with their places.

use crate::recipe::text::Text;
use crate::text::near::nearest;
use crate::text::position::{LocatedError, Position};
use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const MAX_FAULTS: usize = 50;

/// A table and its place in the text.
pub(super) struct TablePlace<'t> {
    pub(super) table: &'t DeTable<'t>,
    pub(super) span: Range<usize>,
    pub(super) source: &'t DefinitionSource<'t>,
}

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct SpannedValue<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// A text of the file and its place in it.
pub(super) type SpannedString = SpannedValue<String>;

pub(super) const MAX_NAME_BYTES: usize = 40;
/// The most bytes of a text shown in one line.
pub(super) const MAX_LINE_BYTES: usize = 200;
/// The most bytes of a text for the model.
pub(super) const MAX_TEXT_BYTES: usize = 16 << 10;

/// A text with places for values; blank if the key is missing.
pub(super) type LocatedText = SpannedValue<Text>;

/// The text of a definition, and the errors found in it so far.
pub(super) struct DefinitionSource<'s> {
    text: &'s str,
    file: PathBuf,
    faults: RefCell<Vec<LocatedError>>,
}

impl<'s> DefinitionSource<'s> {
    pub(super) fn new(text: &'s str, file: PathBuf) -> Self {
        Self { text, file, faults: RefCell::default() }
    }

    pub(super) fn fault(&self, span: &Range<usize>, what: impl Into<String>, hint: impl Into<String>) {
        let position = Position::of(self.text, span.start);
        let fault = LocatedError { file: self.file.clone(), position, what: what.into(), hint: hint.into() };
        let mut faults = self.faults.borrow_mut();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }

    pub(super) fn is_sound(&self) -> bool {
        self.faults.borrow().is_empty()
    }

    /// The errors in the order of the text, at most `MAX_FAULTS`.
    pub(super) fn faults(self) -> Vec<LocatedError> {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|fault| fault.position);
        faults.truncate(MAX_FAULTS);
        faults
    }

    /// Reports a name that is not made of small letters, digits, `_` and `-`, or that is reserved.
    pub(super) fn name_fits(&self, name: &SpannedString, reserved: &[&str]) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        let starts = name.value.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || !name.value.chars().all(fits) {
            let hint = "a name has small letters, digits, _ and -, and begins with a letter";
            self.fault(&name.span, format!("{} is no name", printable(&name.value)), hint);
        } else if reserved.contains(&name.value.as_str()) {
            let what = format!("{} means something else here", name.value);
            self.fault(&name.span, what, "give it another name");
        }
    }

    /// Reports a name that is not known.
    pub(super) fn unknown(&self, name: &SpannedString, what: &str, known: &[&str]) {
        let said = format!("there is no {what} {}", printable(&name.value));
        let hint = if known.is_empty() {
            format!("there is no {what} at all")
        } else {
            closest_word(&name.value, known)
        };
        self.fault(&name.span, said, hint);
    }

    fn fits(&self, key: &str, text: &str, span: &Range<usize>, most: usize) -> bool {
        let hostile = |c: char| c.is_control() && c != '\n' && c != '\t';
        if text.trim().is_empty() {
            self.fault(span, format!("{key} is empty"), "write a text, or leave the key out");
        } else if text.len() > most {
            let what = format!("{key} has {} bytes, and {most} at most are read", text.len());
            self.fault(span, what, "make it shorter");
        } else if text.contains(hostile) {
            self.fault(span, format!("{key} has control characters"), "take them out");
        } else {
            return true;
        }
        false
    }
}

impl<'t> TablePlace<'t> {
    pub(super) fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.iter().find(|(known, _)| known.get_ref().as_ref() == key).map(|(_, value)| value)
    }

    /// Reports keys that are not known.
    pub(super) fn refuse_unknown(&self, known: &[&str]) {
        for (key, _) in self.table {
            if !known.contains(&key.get_ref().as_ref()) {
                let what = format!("unknown key {}", printable(key.get_ref()));
                self.source.fault(&key.span(), what, closest_word(key.get_ref(), known));
            }
        }
    }

    /// A text that is not blank, of at most `most` bytes; `None` if the key is missing or the value does not fit.
    pub(super) fn text(&self, key: &str, most: usize) -> Option<SpannedString> {
        let value = self.get(key)?;
        let span = value.span();
        let Some(text) = value.get_ref().as_str() else {
            self.source.fault(&span, format!("{key} has to be a text"), format!("write {key} = \"…\""));
            return None;
        };
        self.source.fits(key, text, &span, most).then(|| SpannedValue { value: text.trim().to_owned(), span })
    }

    /// A text with places for values; blank if the key is missing.
    pub(super) fn text_or_blank(&self, key: &str, most: usize) -> LocatedText {
        match self.text(key, most) {
            Some(SpannedValue { value, span }) => LocatedText { value: Text::parse(&value), span },
            None => LocatedText { value: Text::default(), span: self.span.clone() },
        }
    }

    /// A text whose key must not be missing.
    pub(super) fn needed(&self, key: &str, most: usize) -> Option<SpannedString> {
        if self.get(key).is_none() {
            self.source.fault(&self.span, format!("{key} is missing"), format!("add {key} = \"…\""));
        }
        self.text(key, most)
    }

    /// A text that has to be one of these words.
    pub(super) fn word(&self, key: &str, words: &[&str]) -> Option<SpannedString> {
        let found = self.text(key, 200)?;
        if words.contains(&found.value.as_str()) {
            return Some(found);
        }
        let what = format!("{key} is {}, but has to be one of {}", printable(&found.value), words.join(", "));
        self.source.fault(&found.span, what, closest_word(&found.value, words));
        None
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.source.fault(&value.span(), format!("{key} has to be true or false"), "");
        }
        flag
    }

    pub(super) fn whole(&self, key: &str, (min, max): (i64, i64)) -> Option<SpannedValue<i64>> {
        let value = self.get(key)?;
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|number| i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok());
        if let Some(number) = number.filter(|n| (min..=max).contains(n)) {
            return Some(SpannedValue { value: number, span: value.span() });
        }
        let bounds =
            if (min, max) == (i64::MIN, i64::MAX) { String::new() } else { format!(" from {min} to {max}") };
        self.source.fault(&value.span(), format!("{key} has to be a whole number{bounds}"), "");
        None
    }

    /// A limit; `usual` if the key is missing or its value does not fit.
    pub(super) fn limit(&self, key: &str, usual: u32) -> u32 {
        self.whole(key, (1, 100)).and_then(|at| u32::try_from(at.value).ok()).unwrap_or(usual)
    }

    /// A list of texts that are not blank.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<SpannedString>> {
        let value = self.get(key)?;
        let Some(items) = value.get_ref().as_array() else {
            let hint = format!("write {key} = [\"…\", \"…\"]");
            self.source.fault(&value.span(), format!("{key} has to be a list of texts"), hint);
            return None;
        };
        let mut texts = Vec::new();
        for item in items {
            let span = item.span();
            match item.get_ref().as_str() {
                Some(text) if self.source.fits(key, text, &span, 200) => {
                    texts.push(SpannedValue { value: text.trim().to_owned(), span });
                }
                Some(_) => {}
                None => self.source.fault(&span, format!("{key} has to be a list of texts"), ""),
            }
        }
        Some(texts)
    }

    /// A table within this one.
    pub(super) fn table(&self, key: &str) -> Option<TablePlace<'t>> {
        let value = self.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.source.fault(&value.span(), format!("{key} has to be a table"), format!("write [{key}]"));
        }
        Some(TablePlace { table: table?, span: value.span(), source: self.source })
    }

    /// A list of tables: `[[step]]`.
    pub(super) fn tables(&self, key: &str) -> Vec<TablePlace<'t>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let table = |item: &'t Spanned<DeValue<'t>>| {
            Some(TablePlace { table: item.get_ref().as_table()?, span: item.span(), source: self.source })
        };
        let items = value.get_ref().as_array();
        match items.and_then(|items| items.iter().map(table).collect::<Option<Vec<_>>>()) {
            Some(tables) => tables,
            None => {
                let what = format!("{key} has to be a list of tables");
                self.source.fault(&value.span(), what, format!("write [[{key}]]"));
                Vec::new()
            }
        }
    }
}

/// A text of the file, made safe to show.
pub(super) fn printable(text: &str) -> String {
    let text = crate::recipe::text::printable(text, 60);
    if text.is_empty() { "\"\"".into() } else { text }
}

/// A hint: the known word closest to this one, or all known words.
pub(super) fn closest_word(word: &str, known: &[&str]) -> String {
    nearest(word, known.iter().copied())
        .map_or_else(|| format!("known are {}", known.join(", ")), |name| format!("did you mean {name}?"))
}
