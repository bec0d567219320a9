//! Themes: a style for every meaning on screen, as data.
//!
//! A theme is resolved once, at the start or when it changes, into a plain table of styles for the terminal's colour
//! depth; looking up a style is an array access. Themes inherit; a slot that no theme names takes the style of its
//! parent slot. This module reads no file: user themes arrive as text.

mod choose;
pub(crate) mod colour;
mod own_themes;
mod read;
mod slot;
#[cfg(test)]
mod tests;

pub use choose::{Preference, choose};
pub use colour::{Depth, Rgb};
pub use own_themes::OwnThemes;
pub use read::Warning;
pub(crate) use read::{ThemeError, warnings_line};
pub use slot::{Slot, Syntax};

use ratatui::style::{Color, Modifier, Style};
use read::{Sheet, SlotStyle};

/// The shipped themes: name and text.
pub(crate) const SHIPPED: [(&str, &str); 6] = [
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("ink", include_str!("../../themes/ink.toml")),
    ("paper", include_str!("../../themes/paper.toml")),
    ("contrast", include_str!("../../themes/contrast.toml")),
    ("blue-orange", include_str!("../../themes/blue-orange.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
];

/// How much of the slot's colour the background of a tinted line has, in percent.
const TINT_PERCENT: u16 = 10;
/// The same for the emphasised part of a tinted line.
const STRONG_TINT_PERCENT: u16 = 30;

/// A theme, resolved for one colour depth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theme {
    name: String,
    depth: Depth,
    assumed: Rgb,
    styles: Vec<Style>,
    syntax: Vec<Style>,
}

/// A theme with the warnings about its files.
#[derive(Clone, Debug)]
pub struct LoadedTheme {
    /// The theme.
    pub theme: Theme,
    /// What was ignored in the files, with line numbers.
    pub(crate) warnings: Vec<Warning>,
}

impl Theme {
    /// Loads a theme by its name. `user` returns the text of the user's own theme of a name, or why it can't be read;
    /// that theme takes precedence over the shipped one (and may inherit the shipped theme of its own name).
    ///
    /// # Errors
    /// When no theme has that name, a file can't be read or is not valid TOML, or themes inherit in a circle.
    pub fn load(
        name: &str,
        depth: Depth,
        user: impl Fn(&str) -> Option<Result<String, String>>,
    ) -> Result<LoadedTheme, ThemeError> {
        let (sheets, warnings) = chain(name, user)?;
        let theme = Theme {
            name: name.into(),
            depth,
            assumed: sheets.iter().find_map(|s| s.assumed).unwrap_or_default(),
            styles: Slot::ALL.iter().map(|slot| slot_style(&sheets, *slot, depth)).collect(),
            syntax: Syntax::ALL
                .iter()
                .map(|class| {
                    style(sheets.iter().filter_map(|s| s.syntax.get(class)), depth).unwrap_or_default()
                })
                .collect(),
        };
        Ok(LoadedTheme { theme, warnings })
    }

    /// The theme that sets no background and uses the 16 colours of the user's palette. Never fails: should its file be
    /// broken, all styles are plain.
    pub fn terminal(depth: Depth) -> Self {
        let plain = Self { name: "terminal".into(), depth, ..Self::default() };
        Self::load("terminal", depth, |_| None).map_or(plain, |loaded| loaded.theme)
    }

    /// The theme's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The colour depth that it was resolved for.
    pub(crate) fn depth(&self) -> Depth {
        self.depth
    }

    pub(crate) fn style(&self, slot: Slot) -> Style {
        self.styles.get(slot as usize).copied().unwrap_or_default()
    }

    /// The style of code of this class, to be patched onto `ui.text`.
    pub(crate) fn syntax(&self, class: Syntax) -> Style {
        self.syntax.get(class as usize).copied().unwrap_or_default()
    }

    /// The style of characters that are not drawn as they are but as text (`<U+202E>`).
    pub(crate) fn mark(&self) -> Style {
        self.style(Slot::FindingHigh)
    }

    /// The background of the emphasised part of a tinted line.
    pub fn tint_more(&self, slot: Slot) -> Style {
        self.mixed(slot, STRONG_TINT_PERCENT)
    }

    /// A background for lines with a slot's meaning: a little of its colour over the theme's background. No background
    /// where the colours are the terminal's own, because its real background is unknown.
    pub fn tint(&self, slot: Slot) -> Style {
        self.mixed(slot, TINT_PERCENT)
    }

    fn mixed(&self, slot: Slot, hundredths: u16) -> Style {
        let (style, own) = (self.style(slot), self.background());
        let known = |colour: &Color| {
            matches!(
                (colour, self.depth),
                (Color::Rgb(..), Depth::True) | (Color::Indexed(16..), Depth::Ansi256)
            )
        };
        let colours =
            [style.fg, style.bg].into_iter().flatten().filter(known).filter_map(colour::approximate);
        // Where the slot has a background of its own, that is the colour that stands out.
        let Some(rgb) = colours.max_by(|a, b| a.contrast(own).total_cmp(&b.contrast(own))) else {
            return Style::new();
        };
        // The steps between the 256 colours are wide: a smaller share picks the nearest one.
        let hundredths = if self.depth == Depth::True { hundredths } else { hundredths * 2 / 3 };
        Style { bg: own.towards(rgb, hundredths).at(self.depth), ..Style::new() }
    }

    /// The background behind text: the theme's own, or the one that the theme is made for.
    pub fn background(&self) -> Rgb {
        self.style(Slot::UiText).bg.and_then(colour::approximate).unwrap_or(self.assumed)
    }
}

/// The named theme and all themes that it inherits, nearest first.
fn chain(
    name: &str,
    user: impl Fn(&str) -> Option<Result<String, String>>,
) -> Result<(Vec<Sheet>, Vec<Warning>), ThemeError> {
    let mut sheets: Vec<Sheet> = Vec::new();
    let mut warnings = Vec::new();
    let mut visited: Vec<(String, bool)> = Vec::new();
    let mut next = Some(name.to_string());
    while let Some(name) = next.take() {
        let shipped = SHIPPED.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_string());
        let own = if visited.contains(&(name.clone(), true)) { None } else { user(&name) };
        let own = own.transpose().map_err(|why| ThemeError::Unreadable(name.clone(), why))?;
        let is_own = own.is_some();
        let key = (name.clone(), is_own);
        if visited.contains(&key) {
            let mut names: Vec<&str> = visited.iter().map(|(n, _)| n.as_str()).collect();
            names.push(&name);
            return Err(ThemeError::Circle(names.join(" -> ")));
        }
        let Some(text) = own.or(shipped) else {
            return Err(if visited.iter().any(|(n, _)| *n == name) {
                ThemeError::Circle(format!("{name} -> {name}"))
            } else {
                ThemeError::Unknown(name)
            });
        };
        visited.push(key);
        let (sheet, mut found) = read::read(&name, &text)?;
        warnings.append(&mut found);
        next.clone_from(&sheet.inherits);
        sheets.push(sheet);
    }
    Ok((sheets, warnings))
}

/// The style of a slot: from the nearest theme that names it, else from its parent slot.
fn slot_style(sheets: &[Sheet], slot: Slot, depth: Depth) -> Style {
    let parent = |slot: &Slot| Some(slot.parent()).filter(|parent| parent != slot);
    let mut slots = std::iter::successors(Some(slot), parent);
    let named = slots.find_map(|slot| style(sheets.iter().filter_map(|s| s.slots.get(&slot)), depth));
    named.unwrap_or_default()
}

/// The style of the nearest theme; if that theme says nothing for terminals without colours, an inherited one may.
fn style<'a>(mut looks: impl Iterator<Item = &'a SlotStyle>, depth: Depth) -> Option<Style> {
    let first = looks.next()?;
    if depth == Depth::Mono {
        let allowed = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
        let mono = first.mono.or_else(|| looks.find_map(|look| look.mono)).unwrap_or(first.modifier);
        return Some(Style::new().add_modifier(mono & allowed));
    }
    let mut style = Style::new().add_modifier(first.modifier);
    style.fg = first.fg.and_then(|c| c.at(depth));
    style.bg = first.bg.and_then(|c| c.at(depth));
    Some(style)
}
