//! What the screen needs to know at the start: values, all of them passed in.

use super::widgets::layout::Borders;
use crate::domain::{Languages, RecipeCards};
use crate::driver::SessionLocation;
use crate::tui::guard::Times;
use crate::tui::theme::OwnThemes;
use std::path::PathBuf;

/// What the screen needs to know at the start.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The working folder.
    pub cwd: PathBuf,
    /// Where the person placed the borders between panes.
    pub borders: Borders,
    /// The waiting times of the guard.
    pub times: Times,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether text fields use the keys of vim.
    pub vim: bool,
    /// Whether the terminal uses the kitty keyboard protocol.
    pub kitty: bool,
    /// The languages that can be run.
    pub languages: Languages,
    /// The providers in the cloud, with what is known of their keys.
    pub clouds: Vec<Cloud>,
    /// The names of all configured providers.
    pub providers: Vec<String>,
    /// The model server that is expected on this computer.
    pub usual: UsualServer,
    /// The person's own themes.
    pub themes: OwnThemes,
    /// Whether the person has to choose a provider first.
    pub welcome: bool,
    /// The server address that the person typed and at which no model was found: it can be corrected.
    pub address: Option<TypedAddress>,
    /// Whether the person just chose the model server of this computer: its row stays marked if it did not answer.
    pub chose_server: bool,
    /// The session to mark in the list of sessions, where that list is open at the start.
    pub pick_session: Option<SessionPick>,
    /// The place at which the session is opened; `None`: its end.
    pub place: Option<FoundLocation>,
    /// Whether the provider was just chosen: it is tried with a request, and the list of its models is open.
    pub try_provider: bool,
    /// The file that the log is written to.
    pub log: Option<PathBuf>,
    /// Settings of the project that were ignored, each with its position and the reason.
    pub ignored: Vec<String>,
    /// What is wrong with the session file, in full.
    pub damage: Vec<String>,
    /// Why the session counts as foreign; `None`: it does not.
    pub foreign: Option<String>,
    /// The recipes that can be started, in the order in which they are listed.
    pub recipes: RecipeCards,
    /// What an empty conversation shows.
    pub opening: Opening,
}

/// Which session is marked in a list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPick {
    /// The newest session of the working folder.
    Newest,
    /// The session in this file, in the list of all folders' sessions.
    File(PathBuf),
}

/// The model server that is expected on this computer, as the configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsualServer {
    /// Its address.
    pub address: String,
    /// Whether that is another computer: nothing is sent to it before the person chose it.
    pub elsewhere: bool,
}

/// The address of a server, as the person typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedAddress {
    /// The address.
    pub text: String,
    /// Whether the person pasted a key for it.
    pub with_key: bool,
}

/// A place of a session, and the search that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLocation {
    /// The place.
    pub place: SessionLocation,
    /// The words that were searched for, as typed and without filters; empty if there were none.
    pub words: String,
}

/// What an empty conversation shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The introduction, in Markdown.
    pub text: String,
    /// Suggestions for the first message.
    pub prompts: Vec<String>,
}

/// A provider in the cloud that the screen knows by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// Its name in the configuration.
    pub provider: String,
    /// Its name as its maker writes it.
    pub title: String,
    /// The name under which its key is looked for: `OPENAI_API_KEY`.
    pub key_name: String,
    /// Where its key is stored, if there is one.
    pub key_location: Option<String>,
}
