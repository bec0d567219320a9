//! What the screen asks the run loop to do: it does nothing to the world itself.

use crate::domain::{BranchPoint, CountedTime, RunId};
use crate::driver::Job;
use crate::engine::Command;
use crate::tui::setup::FoundPlace;
use secrecy::SecretString;
use std::path::PathBuf;

/// Something that the screen asks for.
#[derive(Debug)]
pub enum UiCommand {
    /// Send this to the engine.
    Send(Command),
    /// Type this into the terminal of a run.
    Type(RunId, Vec<u8>),
    /// The terminal of a run has so many rows and columns.
    ResizeTerminal(RunId, u16, u16),
    /// The time limit of a run in a terminal of its own counts this from now on, and begins anew.
    Count(RunId, CountedTime),
    /// Have a job done beside the session.
    Job(Job),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Open a text in the person's editor; what comes back goes there.
    Editor(PageTarget, String),
    /// Show a text in the person's pager.
    Pager(PagerText),
    /// Draw everything anew.
    Redraw,
    /// Stop, and give the terminal back to the shell.
    Suspend,
    /// Use another theme.
    Theme(String),
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Call the person.
    Call,
    /// Leave the screen.
    Leave(Exit),
}

/// Where a text goes that comes back from the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTarget {
    /// Into the message.
    Message,
    /// Into the block that waits, as an edit.
    Block,
    /// Into the editor of the code pane.
    EditMode,
    /// Into the field of the form that has the cursor.
    Form,
}

/// What a pager shows.
#[derive(Clone, Debug)]
pub enum PagerText {
    /// A file with all output.
    File(PathBuf),
    /// A text.
    Text(String),
}

/// Why the screen was left, and what comes next.
#[derive(Debug)]
pub enum Exit {
    /// The person is done. `now`: what still runs is ended by force.
    Quit {
        /// Whether what runs is ended by force.
        now: bool,
    },
    /// Open another session, at a place of it.
    OpenSession(PathBuf, Option<FoundPlace>),
    /// Begin a new session.
    NewSession,
    /// Go on in a branch of this session, which begins as it was there.
    Branch(BranchPoint),
    /// Take replies from somewhere else, in this session.
    UseProvider(Choice),
    /// The terminal is gone, or the program was told to end.
    Hangup,
}

/// Where answers come from, as chosen on screen.
#[derive(Debug)]
pub enum Choice {
    /// The shipped stories.
    Demo,
    /// A model server on this computer.
    Server {
        /// Its name in the configuration.
        provider: String,
        /// A model that it offers, where it was asked.
        model: Option<String>,
    },
    /// A provider in the cloud, by its name in the configuration.
    Cloud {
        /// Its name.
        provider: String,
        /// A key that was pasted; else the one that is known.
        key: Option<SecretString>,
    },
    /// Any server that speaks the same language.
    Address {
        /// Its address.
        base_url: String,
        /// A key that was pasted.
        key: Option<SecretString>,
    },
}
