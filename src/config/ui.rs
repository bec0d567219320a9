//! Defines the settings of the terminal's look and of editing, with their defaults.

use serde::{Deserialize, Serialize};

/// The look of the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Ui {
    /// The chosen theme; by default it depends on the terminal's background.
    pub(crate) theme: Option<ThemeChoice>,
    /// Whether sayso handles clicks, drags and the wheel.
    pub(crate) mouse: bool,
    /// Whether anything on screen is animated.
    pub(crate) motion: bool,
    /// How images are drawn.
    pub(crate) images: Images,
    /// The most frames per second while text streams in.
    pub(crate) fps: u32,
    /// Whether the terminal notifies the person when a block waits long.
    pub(crate) notify: bool,
}

/// A theme, or one for each background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ThemeChoice {
    /// This one.
    One(String),
    /// One for each background. If only one is given, it is used for both.
    Pair {
        /// On a dark background.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dark: Option<String>,
        /// On a light background.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        light: Option<String>,
    },
}

impl ThemeChoice {
    /// The name of the theme for this background.
    pub(crate) fn for_background(&self, dark_background: bool) -> Option<&str> {
        match self {
            ThemeChoice::One(name) => Some(name),
            ThemeChoice::Pair { dark, light } => {
                let (first, other) = if dark_background { (dark, light) } else { (light, dark) };
                first.as_deref().or(other.as_deref())
            }
        }
    }
}

/// How images are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Images {
    /// The best method that the terminal supports.
    #[default]
    Auto,
    /// By kitty's graphics protocol.
    Kitty,
    /// By iTerm2's inline images.
    Iterm2,
    /// By sixels.
    Sixel,
    /// In half blocks.
    Half,
    /// Not at all: a line of text names each image.
    Off,
}

/// How texts are edited: here, and in the external editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Editor {
    /// Whether Message and the editor of blocks use vim's keys.
    pub(crate) vim: bool,
    /// The command of the editor, instead of `VISUAL` and `EDITOR`.
    pub(crate) command: Option<String>,
}

impl Default for Ui {
    fn default() -> Self {
        Self { theme: None, mouse: true, motion: true, images: Images::default(), fps: 30, notify: true }
    }
}
