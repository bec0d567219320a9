//! What the screen has to know beforehand: values, all of them given.

use super::widgets::layout::Borders;
use crate::domain::{Languages, RecipeCards};
use crate::driver::SessionPlace;
use crate::tui::guard::Times;
use crate::tui::theme::OwnThemes;
use std::path::PathBuf;

/// What the screen has to know beforehand.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The name of the program, as written on screen.
    pub app: String,
    /// The working folder.
    pub cwd: PathBuf,
    /// Where the person put the borders between panes.
    pub borders: Borders,
    /// The times of the guard.
    pub times: Times,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether texts take the keys of vim.
    pub vim: bool,
    /// Whether the terminal uses the kitty keyboard protocol.
    pub kitty: bool,
    /// The languages that can be run.
    pub languages: Languages,
    /// Providers in the cloud, with what is known of their keys.
    pub clouds: Vec<Cloud>,
    /// The model server that is expected on this computer.
    pub usual: UsualServer,
    /// The person's own themes.
    pub themes: OwnThemes,
    /// Whether the provider has to be chosen first.
    pub welcome: bool,
    /// The address of a server that was typed and led to no model: it can be corrected.
    pub address: Option<TypedAddress>,
    /// The session that is marked in the list of sessions, where that is open at the start.
    pub pick_session: Option<SessionPick>,
    /// The place of the session that it is opened at; `None`: its end.
    pub place: Option<FoundPlace>,
    /// Whether the provider was chosen just now: it is tried by a request, over the list of its models.
    pub try_provider: bool,
    /// The file that the log is written to.
    pub log: Option<PathBuf>,
    /// Settings of the project that were ignored, each with its place and why.
    pub ignored: Vec<String>,
    /// What is wrong with the session's file, in full.
    pub damage: Vec<String>,
    /// That the session is foreign, and why, where it is.
    pub foreign: Option<String>,
    /// The recipes that can be begun, in the order of their list.
    pub recipes: RecipeCards,
    /// What stands in a conversation that is empty.
    pub opening: Opening,
}

/// Which session is marked in a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPick {
    /// The newest of the folder that is worked in.
    Newest,
    /// The one in this file, among those of all folders.
    File(PathBuf),
}

/// The model server that is expected on this computer, as the configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsualServer {
    /// Where it is asked.
    pub address: String,
    /// Whether that is another computer: nothing goes there before it is chosen.
    pub elsewhere: bool,
}

/// The address of a server that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedAddress {
    /// As it was typed.
    pub text: String,
    /// Whether a key was pasted for it.
    pub with_key: bool,
}

/// A place of a session, and what it was found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlace {
    /// Where it stands.
    pub place: SessionPlace,
    /// The words that were looked for, as they were typed and without filters; empty: none were.
    pub words: String,
}

/// What stands in a conversation that is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// How it goes, in Markdown.
    pub text: String,
    /// What can be asked first.
    pub prompts: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            app: "sayso".into(),
            cwd: PathBuf::new(),
            borders: Borders::default(),
            times: Times::default(),
            mouse: true,
            vim: false,
            kitty: false,
            languages: Languages::default(),
            clouds: Vec::new(),
            usual: UsualServer::default(),
            themes: OwnThemes::default(),
            welcome: false,
            address: None,
            pick_session: None,
            place: None,
            try_provider: false,
            log: None,
            ignored: Vec::new(),
            damage: Vec::new(),
            foreign: None,
            recipes: RecipeCards::default(),
            opening: Opening::default(),
        }
    }
}

/// A provider in the cloud that the screen knows by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// Its name in the configuration.
    pub provider: String,
    /// Its name as its maker writes it.
    pub title: String,
    /// Where its key is looked for: `OPENAI_API_KEY`.
    pub place: String,
    /// Where its key is kept, if there is one.
    pub kept: Option<String>,
}
