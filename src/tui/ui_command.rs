//! What the screen asks the run loop to do; the screen itself has no effect on the world.

use crate::domain::{BranchPoint, RunControl, RunId};
use crate::driver::Job;
use crate::engine::Command;
use crate::tui::setup::FoundLocation;
use secrecy::SecretString;
use std::path::PathBuf;

/// A request of the screen to the run loop.
#[derive(Debug)]
pub enum UiCommand {
    /// Send this to the engine.
    Send(Command),
    /// Control a run beside the engine: its terminal, and what its time limit counts.
    Control(RunId, RunControl),
    /// Start a job beside the session.
    Job(Job),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Open a text in the person's editor; the result is put into the target.
    Editor(EditTarget, String),
    /// Show a text in the person's pager.
    Pager(PagerText),
    /// Draw everything again.
    Redraw,
    /// Suspend the program and return to the shell.
    Suspend,
    /// Use another theme.
    Theme(String),
    /// Capture the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Call the person's attention.
    Notify,
    /// Leave the screen.
    Leave(Exit),
}

/// Where the text from the editor is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditTarget {
    /// Into the message box.
    Message,
    /// Into the waiting block, as an edit.
    Block,
    /// Into the editor of the code pane.
    EditMode,
    /// Into the focused field of the form.
    Form,
}

/// What a pager shows.
#[derive(Clone, Debug, Hash)]
pub enum PagerText {
    /// A file with all output.
    File(PathBuf),
    /// A text.
    Text(String),
}

/// Why the screen was left, and what comes next.
#[derive(Debug)]
pub enum Exit {
    /// The person quits.
    Quit,
    /// Open another session, at a place in it.
    OpenSession(PathBuf, Option<FoundLocation>),
    /// Begin a new session.
    NewSession,
    /// Continue in a branch that starts from this point of the session.
    Branch(BranchPoint),
    /// Continue this session with another provider.
    UseProvider(Choice),
    /// The terminal is gone, or the program was asked to end.
    Hangup,
}

/// The provider that the person chose on screen.
#[derive(Debug)]
pub enum Choice {
    /// The demo with its built-in stories.
    Demo,
    /// A model server on this computer.
    Server {
        /// Its name in the configuration.
        provider: String,
        /// A model that the server offers, if it was asked.
        model: Option<String>,
    },
    /// A provider in the cloud, by its name in the configuration.
    Cloud {
        /// Its name.
        provider: String,
        /// A key that the person pasted; else the known one is used.
        key: Option<SecretString>,
    },
    /// Any server that speaks the same protocol.
    Address {
        /// Its address.
        base_url: String,
        /// A key that the person pasted.
        key: Option<SecretString>,
    },
}
