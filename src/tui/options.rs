//! What the terminal front end has to know: values from the configuration, the command line and the environment.
//! All of them are given; nothing is looked up here.

use super::TuiError;
use super::attention::Attention;
use super::clipboard::ClipboardEnv;
use super::graphics::ImageMode;
use super::keymap::Keymap;
use super::paint::hyperlinks::Hyperlinks;
use super::setup::Setup;
use super::theme::{self, Depth, Preference, Theme};
use super::widgets::look::Glyphs;
use super::widgets::words::Locale;
use crate::domain::Answers;
use crate::engine::OpenedFile;
use crate::launch::Launcher;
use std::collections::BTreeSet;
use std::time::Duration;

/// The options.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the screen has to know.
    pub(crate) setup: Setup,
    /// The person's own keymap: the name of its file (for errors) and its text.
    pub(crate) keymap: Option<(String, String)>,
    pub(crate) theme: Preference,
    /// How many colours there are.
    pub(crate) depth: Depth,
    /// The variable `COLORFGBG`.
    pub(crate) colorfgbg: Option<String>,
    /// Whether lines and corners can be drawn, or ASCII only.
    pub(crate) ascii: bool,
    /// Whether anything moves by itself.
    pub(crate) motion: bool,
    /// Frames a second at the most, while text streams in.
    pub(crate) frames: u32,
    /// How pictures are drawn.
    pub(crate) images: ImageMode,
    /// Addresses that the terminal opens by itself; none where it is not known to take them.
    pub(crate) links: Hyperlinks,
    /// What the terminal is told for a person who looks elsewhere; nothing where that is not wished.
    pub(crate) attention: Option<Attention>,
    /// How long Esc is waited for that begins a longer sequence.
    pub(crate) esc_delay: Duration,
    /// Use the kitty keyboard protocol where the terminal knows it.
    pub(crate) kitty: bool,
    /// What decides how text is copied.
    pub(crate) surroundings: ClipboardEnv,
    /// The programs that may be started.
    pub(crate) launcher: Launcher,
    /// The command of the external editor.
    pub(crate) editor: String,
    /// The command of the pager.
    pub(crate) pager: String,
    /// How times and paths are written.
    pub(crate) place: Locale,
    /// What is asked at once, as given on the command line.
    pub(crate) first_prompt: Option<String>,
    /// The file that the session begins with.
    pub(crate) first_file: Option<OpenedFile>,
    /// The recipe that the session begins with.
    pub(crate) first_recipe: Option<FirstRecipe>,
    /// What the person should know at the start.
    pub(crate) notices: Vec<crate::domain::Notice>,
}

/// The recipe that a session begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRecipe {
    /// Its name.
    pub name: String,
    /// The answers that are there already.
    pub answers: Answers,
    /// Whether its form is shown although it is filled.
    pub shown: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            setup: Setup::default(),
            keymap: None,
            theme: Preference::default(),
            depth: Depth::True,
            colorfgbg: None,
            ascii: false,
            motion: true,
            frames: 30,
            images: ImageMode::HalfBlocks,
            links: Hyperlinks::default(),
            attention: Some(Attention::default()),
            esc_delay: Duration::from_millis(25),
            kitty: true,
            surroundings: ClipboardEnv::default(),
            launcher: Launcher::default(),
            editor: "vi".into(),
            pager: "less".into(),
            place: Locale::default(),
            first_prompt: None,
            first_file: None,
            first_recipe: None,
            notices: Vec::new(),
        }
    }
}

impl Options {
    /// The text of the person's own theme of a name.
    pub(super) fn user_theme(&self, name: &str) -> Option<String> {
        self.setup.themes.text(name)
    }

    /// What is wrong with the person's own themes, those included that are not in use: what they say in vain, and that
    /// one can't be read.
    pub(crate) fn wrong_in_own_themes(&self) -> Vec<String> {
        let mut wrong = BTreeSet::new();
        for name in self.setup.themes.names() {
            match Theme::load(&name, self.depth, |name| self.user_theme(name)) {
                Ok(loaded) => wrong.extend(loaded.warnings.iter().map(ToString::to_string)),
                Err(error) => drop(wrong.insert(error.to_string())),
            }
        }
        wrong.into_iter().collect()
    }

    /// Whether the keymap and the theme are understood; gives what the theme in use says in vain.
    ///
    /// # Errors
    /// Why not, with the file and the line: as `Tui::open` would say it.
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
        // Both may inherit the same.
        warnings.sort();
        warnings.dedup();
        Ok(warnings)
    }

    /// The signs to draw with.
    pub(super) fn glyphs(&self) -> Glyphs {
        if self.ascii { Glyphs::ASCII } else { Glyphs::LINES }
    }
}
