//! What the terminal front end needs to know: values from the configuration, the command line and the
//! environment. All of them are passed in; nothing is read here.

use super::TuiError;
use super::attention::TerminalSupport;
use super::clipboard::ClipboardEnv;
use super::graphics::ImageMode;
use super::keymap::Keymap;
use super::paint::hyperlinks::Hyperlinks;
use super::setup::Setup;
use super::theme::{self, Depth, Preference, Theme};
use super::widgets::draw_context::{DrawContext, Glyphs};
use super::widgets::words::Locale;
use crate::domain::{Answers, Language, Timestamp};
use crate::engine::OpenedFile;
use crate::launch::Launcher;
use std::collections::BTreeSet;
use std::time::Duration;

/// The settings with which the terminal front end starts.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the screen needs to know.
    pub(crate) setup: Setup,
    /// The person's own keymap: the name of its file (for errors) and its text.
    pub(crate) keymap: Option<(String, String)>,
    pub(crate) theme: Preference,
    /// How many colours the terminal has.
    pub(crate) depth: Depth,
    /// The variable `COLORFGBG`.
    pub(crate) colorfgbg: Option<String>,
    /// Whether to draw with ASCII only instead of lines and corners.
    pub(crate) ascii: bool,
    /// Whether animations are allowed.
    pub(crate) motion: bool,
    /// The highest frame rate while text streams in, in frames a second.
    pub(crate) frames: u32,
    /// How pictures are drawn.
    pub(crate) images: ImageMode,
    /// Hyperlinks for the terminal to open; disabled where the terminal is not known to support them.
    pub(crate) links: Hyperlinks,
    /// What the terminal gets to know for a person who looks elsewhere; `None` where the person does not want
    /// that.
    pub(crate) attention: Option<TerminalSupport>,
    /// How long to wait after Esc for the rest of a longer sequence.
    pub(crate) esc_delay: Duration,
    /// What decides how text is copied.
    pub(crate) clipboard_env: ClipboardEnv,
    /// The programs that may be started.
    pub(crate) launcher: Launcher,
    /// The command of the external editor.
    pub(crate) editor: String,
    /// The command of the pager.
    pub(crate) pager: String,
    /// How times and paths are written.
    pub(crate) locale: Locale,
    /// The first message to send, as given on the command line.
    pub(crate) first_prompt: Option<String>,
    /// The file that the session starts with.
    pub(crate) first_file: Option<OpenedFile>,
    /// The recipe that the session starts with.
    pub(crate) first_recipe: Option<FirstRecipe>,
    /// Notices to show at the start.
    pub(crate) notices: Vec<crate::domain::Notice>,
}

/// The recipe that a session starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRecipe {
    /// Its name.
    pub name: String,
    /// The answers that are already given.
    pub answers: Answers,
    /// Whether to show the form although it is filled in.
    pub shown: bool,
}

impl Options {
    /// Returns the text of the person's own theme with this name, or why it can't be read.
    pub(super) fn user_theme(&self, name: &str) -> Option<Result<String, String>> {
        self.setup.themes.text(name)
    }

    /// Returns what is wrong with the person's own themes, unused ones included: entries without effect, and
    /// themes that can't be read or parsed.
    pub(crate) fn wrong_in_own_themes(&self) -> Vec<String> {
        let mut wrong = BTreeSet::new();
        // Read once: each lookup in `themes` reads all files.
        let own = self.setup.themes.all();
        let text = |name: &str| own.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        for (name, _) in &own {
            match Theme::load(name, self.depth, text) {
                Ok(loaded) => wrong.extend(loaded.warnings.iter().map(ToString::to_string)),
                Err(error) => drop(wrong.insert(error.to_string())),
            }
        }
        wrong.into_iter().collect()
    }

    /// Checks the keymap and the theme; returns the entries of the theme in use that have no effect.
    ///
    /// # Errors
    /// Why one of them can't be parsed, with the file and the line: the same error as from `Tui::open`.
    pub(crate) fn check(&self) -> Result<Vec<theme::Warning>, TuiError> {
        Keymap::load(self.keymap.as_ref().map(|(file, text)| (file.as_str(), text.as_str())))?;
        let names = match &self.theme {
            Preference::Named(name) => vec![name],
            Preference::ByBackground { dark, light } => vec![dark, light],
        };
        let mut warnings = Vec::new();
        for name in names {
            warnings.extend(Theme::load(name, self.depth, |name| self.user_theme(name))?.warnings);
        }
        // Both variants of the theme may inherit the same entry.
        warnings.sort();
        warnings.dedup();
        Ok(warnings)
    }

    /// The characters to draw with.
    pub(super) fn glyphs(&self) -> Glyphs {
        if self.ascii { Glyphs::ASCII } else { Glyphs::LINES }
    }

    /// What views need for drawing.
    pub(super) fn draw_context<'a>(
        &'a self,
        theme: &'a Theme,
        keymap: &'a Keymap,
        now: Timestamp,
    ) -> DrawContext<'a> {
        let (glyphs, motion) = (self.glyphs(), self.motion);
        DrawContext { theme, links: &self.links, keymap, glyphs, locale: &self.locale, now, motion }
    }

    /// The extension of files in a language, without the dot.
    pub(super) fn extension(&self, language: Option<&Language>) -> String {
        let entry = language.and_then(|language| self.setup.languages.find(language.as_str()));
        entry.and_then(|entry| entry.extensions.first().cloned()).unwrap_or_else(|| "txt".into())
    }
}
