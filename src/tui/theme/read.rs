//! Parses a theme file: from TOML to the style of each slot, with a warning and its line for everything that is wrong.

use super::colour::{Colour, Rgb, ansi_index};
use super::slot::{Slot, Syntax};
use crate::text::position::{line_of, start_of};
use ratatui::style::Modifier;
use std::collections::HashMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a file says about a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SlotStyle {
    pub(crate) fg: Option<Colour>,
    pub(crate) bg: Option<Colour>,
    pub(crate) modifier: Modifier,
    /// Replaces all of the above where the terminal has no colours.
    pub(crate) mono: Option<Modifier>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    /// The theme that this one inherits from.
    pub(crate) inherits: Option<String>,
    /// The background that the theme is made for, if it sets none.
    pub(crate) assumed: Option<Rgb>,
    pub(crate) slots: HashMap<Slot, SlotStyle>,
    pub(crate) syntax: HashMap<Syntax, SlotStyle>,
}

/// Something in a theme file that was ignored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("theme {theme}, line {line}: {text}")]
pub struct Warning {
    pub(crate) theme: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// What is wrong with it.
    pub(crate) text: String,
}

/// The warnings about themes, in one line.
pub(crate) fn warnings_line(warnings: &[Warning]) -> Option<String> {
    let (first, more) = warnings.split_first()?;
    Some(match more.len() {
        0 => first.to_string(),
        more => format!("{first}; {more} more: sayso config check"),
    })
}

/// Why a theme can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// The file is not valid TOML.
    #[error("{0}")]
    Syntax(Warning),
    /// The file of the theme can't be read: the theme, and why.
    #[error("theme {0} can't be used: {1}")]
    Unreadable(String, String),
    /// No theme has this name.
    #[error("there is no theme `{0}` (shipped: terminal, ink, paper, contrast, blue-orange, mono)")]
    Unknown(String),
    /// The themes inherit in a circle.
    #[error("themes inherit in a circle: {0}")]
    Circle(String),
}

/// Reads a theme file.
///
/// # Errors
/// When the text is not valid TOML. Anything else that is wrong becomes a warning.
pub(super) fn read(name: &str, text: &str) -> Result<(Sheet, Vec<Warning>), ThemeError> {
    let mut reader = ThemeReader { name, text, palette: HashMap::new(), warnings: Vec::new() };
    let table = DeTable::parse(text)
        .map_err(|error| ThemeError::Syntax(reader.warning(start_of(&error), error.message())))?;
    let sheet = reader.sheet(table.get_ref());
    Ok((sheet, reader.warnings))
}

struct ThemeReader<'a> {
    name: &'a str,
    text: &'a str,
    palette: HashMap<String, Colour>,
    warnings: Vec<Warning>,
}

impl ThemeReader<'_> {
    fn warning(&self, at: usize, text: impl Into<String>) -> Warning {
        Warning { theme: self.name.into(), line: line_of(self.text, at), text: text.into() }
    }

    fn warn(&mut self, at: usize, text: impl Into<String>) {
        self.warnings.push(self.warning(at, text));
    }

    fn sheet(&mut self, table: &DeTable<'_>) -> Sheet {
        let mut sheet = Sheet::default();
        if let Some(palette) = table.get("palette") {
            self.palette(palette);
        }
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "palette" => {}
                "inherits" => match value.get_ref().as_str() {
                    Some(parent) => sheet.inherits = Some(parent.into()),
                    None => self.warn(value.span().start, "`inherits` takes the name of a theme"),
                },
                "assumed" => match value.get_ref().as_str().and_then(Rgb::parse) {
                    Some(rgb) => sheet.assumed = Some(rgb),
                    None => self.warn(value.span().start, "`assumed` takes a colour such as \"#1c1c1c\""),
                },
                "slots" => self.slots(value, &mut sheet),
                other => {
                    self.warn(
                        key.span().start,
                        format!("`{other}` is none of: inherits, assumed, palette, slots"),
                    );
                }
            }
        }
        sheet
    }

    fn palette(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.warn(value.span().start, "`palette` is a table of colours");
        };
        for (key, value) in table {
            let colour = match value.get_ref() {
                DeValue::String(text) => Colour::parse(text),
                DeValue::Table(table) => colour_with_substitutes(table),
                _ => None,
            };
            match colour {
                Some(colour) => {
                    self.palette.insert(key.get_ref().to_string(), colour);
                }
                None => self.warn(
                    value.span().start,
                    format!(
                        "`{}` is no colour: write \"#rrggbb\", a name of the 16, or {{ rgb = \"#rrggbb\", c256 = 0-255, c16 = \"name\" }}",
                        key.get_ref()
                    ),
                ),
            }
        }
    }

    fn slots(&mut self, value: &Spanned<DeValue<'_>>, sheet: &mut Sheet) {
        let Some(table) = value.get_ref().as_table() else {
            return self.warn(value.span().start, "`slots` is a table of looks");
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let look = self.look(value);
            if let Some(slot) = Slot::parse(name) {
                sheet.slots.insert(slot, look);
            } else if let Some(class) = Syntax::parse(name) {
                sheet.syntax.insert(class, look);
            } else {
                self.warn(key.span().start, format!("there is no slot `{name}`"));
            }
        }
    }

    fn look(&mut self, value: &Spanned<DeValue<'_>>) -> SlotStyle {
        let mut look = SlotStyle::default();
        let Some(table) = value.get_ref().as_table() else {
            self.warn(value.span().start, "a look is written { fg = \"red\", bold = true }");
            return look;
        };
        for (key, value) in table {
            let at = value.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                (side @ ("fg" | "bg"), DeValue::String(text)) => {
                    let colour = self.palette.get(text.as_ref()).copied().or_else(|| Colour::parse(text));
                    match colour {
                        Some(colour) if side == "fg" => look.fg = Some(colour),
                        Some(colour) => look.bg = Some(colour),
                        None => self.warn(at, format!("there is no colour `{text}`")),
                    }
                }
                ("mono", DeValue::String(text)) => {
                    let words: Vec<_> = text.split_whitespace().map(modifier).collect();
                    if words.contains(&None) {
                        self.warn(at, "`mono` takes words of: bold, underline, reverse");
                    }
                    look.mono = Some(words.into_iter().flatten().collect());
                }
                (word, DeValue::Boolean(on)) => match modifier(word) {
                    Some(m) => look.modifier.set(m, *on),
                    None => self.warn(at, format!("there is no attribute `{word}`")),
                },
                (word, _) => self.warn(at, format!("`{word}` is not understood here")),
            }
        }
        look
    }
}

/// `{ rgb = "#d7a100", c256 = 178, c16 = "yellow" }`: missing substitutes are computed.
fn colour_with_substitutes(table: &DeTable<'_>) -> Option<Colour> {
    let known = ["rgb", "c256", "c16"];
    if table.keys().any(|key| !known.contains(&key.get_ref().as_ref())) {
        return None;
    }
    let rgb = Rgb::parse(table.get("rgb")?.get_ref().as_str()?)?;
    let c256 = match table.get("c256") {
        Some(value) => {
            let integer = value.get_ref().as_integer()?;
            u8::from_str_radix(integer.as_str(), integer.radix()).ok()?
        }
        None => rgb.nearest256(),
    };
    let c16 = match table.get("c16") {
        Some(value) => ansi_index(value.get_ref().as_str()?)?,
        None => rgb.nearest16(),
    };
    Some(Colour::Rgb(rgb, c256, c16))
}

fn modifier(word: &str) -> Option<Modifier> {
    Some(match word {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underline" => Modifier::UNDERLINED,
        "reverse" => Modifier::REVERSED,
        "strike" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}
