//! The table of everything that sayso starts by itself. Data only.
//!
//! The working folder of each is `/`, or a private folder that holds only what the program is given (editor, pager,
//! questions to interpreters). None is started in the person's folder, which may hold settings for it. `git` and
//! `docker` are not in the table: sayso starts neither. Package managers are started only by an approved run.

use super::environment::KeptVariables;

/// Something that sayso starts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Start {
    /// The outer layer of the sandbox on Linux.
    Bwrap,
    /// The sandbox on macOS.
    SandboxExec,
    /// A query to an interpreter: its version, or whether it has a module.
    Question,
    /// The shell behind lines of the person's configuration.
    Shell,
    /// `providers.*.key_command`.
    KeyCommand,
    /// The keyring on Linux.
    SecretTool,
    /// The keyring on macOS.
    Security,
    /// `executors.jupyter.token_command`.
    TokenCommand,
    /// The tunnel to a container engine.
    Ssh,
    /// The buffer of tmux, for copying.
    Tmux,
    /// The clipboard of Wayland.
    WlCopy,
    /// The clipboard of X11.
    Xclip,
    /// The clipboard of X11 by another program.
    Xsel,
    /// The clipboard of macOS.
    Pbcopy,
    /// The desktop's opener on Linux.
    XdgOpen,
    /// The desktop's opener on macOS.
    Open,
    /// `$VISUAL`, `$EDITOR`.
    Editor,
    /// `$PAGER`.
    Pager,
}

/// How a program is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindRule {
    /// By its name, on the trusted part of `PATH`.
    OnPath(&'static str),
    /// At this path only.
    At(&'static str),
    /// The person's configuration or environment names it; a bare name is looked up on the trusted part of `PATH`.
    ByThePerson,
    /// On the trusted part of `PATH`; started inside a sandbox or not at all.
    InTheSandbox,
}

impl FindRule {
    /// The name of the program; empty if the person chooses the program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FindRule::OnPath(name) => name,
            FindRule::At(place) => place.rsplit('/').next().unwrap_or(place),
            FindRule::ByThePerson | FindRule::InTheSandbox => "",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct StartRow {
    pub(crate) start: Start,
    pub(crate) found: FindRule,
    /// Which environment variables it keeps. `PATH` is set apart from this.
    pub(crate) keeps: KeptVariables,
    /// Environment variables that are set for it.
    pub(crate) sets: &'static [(&'static str, &'static str)],
}

/// Variables that a program needs to reach the person's desktop.
const DESKTOP: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP",
    "XDG_SESSION_TYPE",
    "XDG_SESSION_DESKTOP",
    "DESKTOP_SESSION",
    "DBUS_SESSION_BUS_ADDRESS",
];

const fn row(start: Start, found: FindRule, keeps: KeptVariables) -> StartRow {
    StartRow { start, found, keeps, sets: &[] }
}

/// Everything that sayso starts by itself.
pub(crate) const TABLE: &[StartRow] = &[
    row(Start::Bwrap, FindRule::OnPath("bwrap"), KeptVariables::Only(&[])),
    row(Start::SandboxExec, FindRule::At("/usr/bin/sandbox-exec"), KeptVariables::Only(&[])),
    row(Start::Question, FindRule::InTheSandbox, KeptVariables::Only(&["HOME", "LANG"])),
    row(Start::Shell, FindRule::At("/bin/sh"), KeptVariables::Person),
    row(Start::KeyCommand, FindRule::ByThePerson, KeptVariables::Person),
    row(Start::SecretTool, FindRule::OnPath("secret-tool"), KeptVariables::Only(DESKTOP)),
    row(Start::Security, FindRule::At("/usr/bin/security"), KeptVariables::Only(&["HOME", "USER", "LANG"])),
    row(Start::TokenCommand, FindRule::ByThePerson, KeptVariables::Person),
    row(
        Start::Ssh,
        FindRule::OnPath("ssh"),
        KeptVariables::Only(&[
            "HOME",
            "USER",
            "LOGNAME",
            "LANG",
            "SSH_AUTH_SOCK",
            "KRB5CCNAME",
            "XDG_RUNTIME_DIR",
        ]),
    ),
    row(
        Start::Tmux,
        FindRule::OnPath("tmux"),
        KeptVariables::Only(&["HOME", "LANG", "TERM", "TMUX", "TMUX_PANE", "TMUX_TMPDIR"]),
    ),
    row(Start::WlCopy, FindRule::OnPath("wl-copy"), KeptVariables::Only(DESKTOP)),
    row(Start::Xclip, FindRule::OnPath("xclip"), KeptVariables::Only(DESKTOP)),
    row(Start::Xsel, FindRule::OnPath("xsel"), KeptVariables::Only(DESKTOP)),
    row(Start::Pbcopy, FindRule::At("/usr/bin/pbcopy"), KeptVariables::Only(&["HOME", "LANG"])),
    row(Start::XdgOpen, FindRule::OnPath("xdg-open"), KeptVariables::Only(DESKTOP)),
    row(Start::Open, FindRule::At("/usr/bin/open"), KeptVariables::Only(&["HOME", "USER", "LANG"])),
    row(Start::Editor, FindRule::ByThePerson, KeptVariables::Person),
    StartRow {
        // The commands of `less` could start a shell, its preprocessors programs, and its options (`LESS`) either, on a
        // text that somebody else wrote.
        sets: &[("LESSSECURE", "1")],
        ..row(Start::Pager, FindRule::ByThePerson, KeptVariables::Person)
    },
];

/// For [`Start::row`] when the table lacks a row, which a test rules out.
static EMPTY_ROW: StartRow = row(Start::Shell, FindRule::ByThePerson, KeptVariables::Only(&[]));

impl Start {
    pub(crate) fn row(self) -> &'static StartRow {
        TABLE.iter().find(|row| row.start == self).unwrap_or(&EMPTY_ROW)
    }
}
