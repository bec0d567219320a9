//! Lists with a filter: sessions, commands, recipes, messages sent before.

use crate::domain::RecipeCard;
use crate::driver::Summary;
use crate::tui::screen::commands::{self, Entry};
use crate::tui::screen::field::Field;
use crate::tui::screen::filter::{Cursor, rank};
use std::path::{Path, PathBuf};

/// The sessions.
#[derive(Debug, Default)]
pub struct Sessions {
    /// Letters that a session has to hold.
    pub filter: Field,
    /// All sessions, newest first; `None` while they are being listed.
    pub all: Option<Vec<Summary>>,
    /// Only those of this folder.
    pub here: Option<PathBuf>,
    /// The chosen row.
    pub cursor: Cursor,
    /// The end of the chosen one, as it was read.
    pub preview: Option<(PathBuf, Vec<String>)>,
    /// Another name that is being typed for the chosen one.
    pub rename: Option<Field>,
}

impl Sessions {
    /// The sessions that the filter leaves, best first.
    pub fn shown(&self) -> Vec<&Summary> {
        let all: Vec<&Summary> = self
            .all
            .iter()
            .flatten()
            .filter(|s| self.here.as_deref().is_none_or(|here| s.cwd == here))
            .collect();
        let texts: Vec<String> = all.iter().map(|s| format!("{} {}", s.name, s.first_prompt)).collect();
        rank(&self.filter.text(), &texts).into_iter().filter_map(|i| all.get(i).copied()).collect()
    }

    /// The chosen session; `None`: the row for a new one.
    pub fn chosen(&self) -> Option<&Summary> {
        self.shown().get(self.cursor.0).copied()
    }

    /// How many rows there are, the one for a new session counted.
    pub fn rows(&self) -> usize {
        self.shown().len() + 1
    }

    /// The file whose preview is wanted and not there.
    pub fn wants_preview(&self) -> Option<&Path> {
        let path = self.chosen()?.path.as_path();
        (self.preview.as_ref().map(|p| p.0.as_path()) != Some(path)).then_some(path)
    }

    pub(super) fn field(&mut self) -> &mut Field {
        self.rename.as_mut().unwrap_or(&mut self.filter)
    }
}

/// The commands.
#[derive(Debug, Default)]
pub struct CommandList {
    /// What was typed, the slash left out.
    pub filter: Field,
    /// The chosen row.
    pub cursor: Cursor,
}

impl CommandList {
    /// The commands that the filter leaves.
    pub fn shown(&self) -> Vec<&'static Entry> {
        let text = self.filter.text();
        commands::matching(text.split_whitespace().next().unwrap_or(""))
    }

    /// The chosen command and what was typed behind its name.
    pub fn chosen(&self) -> Option<(&'static Entry, String)> {
        let text = self.filter.text();
        let argument = text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        self.shown().get(self.cursor.0).map(|entry| (*entry, argument.to_owned()))
    }
}

/// The recipes.
#[derive(Debug, Default)]
pub struct Recipes {
    /// Letters.
    pub filter: Field,
    /// All of them, in the order of their list.
    pub all: Vec<RecipeCard>,
    /// The chosen row.
    pub cursor: Cursor,
}

impl Recipes {
    /// The recipes that the filter leaves.
    pub fn shown(&self) -> Vec<&RecipeCard> {
        let texts: Vec<String> =
            self.all.iter().map(|card| format!("{} {} {}", card.name, card.title, card.when)).collect();
        rank(&self.filter.text(), &texts).into_iter().filter_map(|at| self.all.get(at)).collect()
    }

    /// The chosen one.
    pub fn chosen(&self) -> Option<&RecipeCard> {
        self.shown().get(self.cursor.0).copied()
    }
}

/// Messages sent before, newest first.
#[derive(Debug, Default)]
pub struct OldMessages {
    /// Letters.
    pub filter: Field,
    /// The messages, newest first.
    pub all: Vec<String>,
    /// The chosen row.
    pub cursor: Cursor,
}

impl OldMessages {
    /// The messages that the filter leaves.
    pub fn shown(&self) -> Vec<&str> {
        rank(&self.filter.text(), &self.all)
            .into_iter()
            .filter_map(|i| self.all.get(i).map(String::as_str))
            .collect()
    }
}
