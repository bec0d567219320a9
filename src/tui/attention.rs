//! Tells the terminal what the session is doing, for a person who looks elsewhere: one call when something
//! waits, the progress mark of the tab, and the program's state. Pure: takes what is known of the terminal,
//! returns bytes.
//!
//! The messages contain no code, paths or names. Desktop messages and progress go only to terminals known to
//! support them: others would print the text, or take progress for a message. The state (OSC 7501) goes to all
//! terminals except those known to print sequences they don't support (consoles, and terminals without a name).
//! In tmux each sequence is wrapped; tmux drops it where `allow-passthrough` is off.

use crate::engine::{Phase, State};
use std::time::{Duration, Instant};

/// Ghostty removes a progress mark that was not sent again for 15 s.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// What the session is doing, as far as somebody outside needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramStatus {
    /// Nothing runs and nothing waits.
    Idle,
    /// The model answers, or a block runs.
    Working,
    /// A block waits for a decision.
    Permission,
    /// Another question waits for an answer.
    Question,
    /// The session can't continue without the person.
    Failed,
}

impl ProgramStatus {
    /// Returns the status of a session in this state.
    pub(crate) fn of(state: &State) -> Self {
        match state.phase() {
            Phase::Idle => ProgramStatus::Idle,
            Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => ProgramStatus::Working,
            Phase::Deciding(_) => ProgramStatus::Permission,
            Phase::Asking(_) => ProgramStatus::Question,
            Phase::Stuck(_) => ProgramStatus::Failed,
        }
    }

    /// What a message on the desktop says, the state of OSC 7501, and the progress of OSC 9;4.
    fn words(self) -> [&'static str; 3] {
        match self {
            ProgramStatus::Idle => ["It waits for you", "idle", "0"],
            ProgramStatus::Working => ["It waits for you", "working", "3"],
            ProgramStatus::Permission => ["A block waits for you", "blocked:kind=permission", "0"],
            ProgramStatus::Question => ["A question waits for you", "blocked:kind=question", "0"],
            ProgramStatus::Failed => ["It waits for you", "error", "2;100"],
        }
    }
}

/// How the terminal shows a message on the desktop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NotificationMethod {
    /// The terminal is not known to show messages: ring the bell only.
    #[default]
    Bell,
    /// OSC 9: iTerm2, Warp.
    Osc9,
    /// OSC 777: Ghostty, WezTerm, foot, rxvt, the terminals of GNOME.
    Osc777,
    /// OSC 99: kitty.
    Osc99,
}

/// What this terminal understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TerminalSupport {
    message: NotificationMethod,
    /// Whether it shows progress (OSC 9;4).
    progress: bool,
    /// Whether progress has to be sent again while work continues (Ghostty). A failure is sent once: no event
    /// follows that would send it again, and the terminal shows it for as long as it shows any mark.
    repeats_progress: bool,
    /// Whether it gets the state (OSC 7501).
    status: bool,
    /// Whether tmux runs in between.
    tmux: bool,
}

impl TerminalSupport {
    /// Finds out from the environment what the terminal understands.
    pub(crate) fn of(env: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| env(name).unwrap_or_default();
        let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
        let is = |name: &str| program == name || value("LC_TERMINAL") == name;
        let version = version(&value("TERM_PROGRAM_VERSION"));
        let ghostty = is("ghostty") || term.contains("ghostty") || env("GHOSTTY_RESOURCES_DIR").is_some();
        let vte = value("VTE_VERSION").parse::<u32>().unwrap_or(0);
        let message = if env("KITTY_WINDOW_ID").is_some() || term.contains("kitty") {
            NotificationMethod::Osc99
        } else if ghostty
            || is("WezTerm")
            || term.starts_with("foot")
            || term.starts_with("rxvt")
            || vte >= 4600
        {
            NotificationMethod::Osc777
        } else if is("iTerm.app") || is("iTerm2") || is("WarpTerminal") {
            NotificationMethod::Osc9
        } else {
            NotificationMethod::Bell
        };
        // Older versions take progress for a message.
        let knows_progress = (program == "ghostty" && version >= (1, 2, 0))
            || (program == "iTerm.app" && version >= (3, 6, 6))
            || vte >= 8000
            || env("WT_SESSION").is_some()
            || value("ConEmuANSI") == "ON";
        Self {
            message,
            progress: knows_progress,
            repeats_progress: ghostty,
            status: !is_console(&term),
            tmux: env("TMUX").is_some(),
        }
    }

    /// Returns the bytes that call the person: the bell, and a message where the terminal shows messages.
    pub(crate) fn notification(self, status: ProgramStatus) -> String {
        let [what, ..] = status.words();
        let message = match self.message {
            NotificationMethod::Bell => String::new(),
            NotificationMethod::Osc9 => format!("\x1b]9;sayso: {what}\x1b\\"),
            NotificationMethod::Osc777 => format!("\x1b]777;notify;sayso;{what}\x1b\\"),
            NotificationMethod::Osc99 => format!("\x1b]99;i=sayso;sayso: {what}\x1b\\"),
        };
        format!("\x07{}", self.sequence(!message.is_empty(), &message))
    }

    fn status(self, status: ProgramStatus) -> String {
        let [_, state, _] = status.words();
        self.sequence(self.status, &format!("\x1b]7501;state={state}:app=sayso\x1b\\"))
    }

    fn progress(self, status: ProgramStatus) -> String {
        let [.., progress] = status.words();
        self.sequence(self.progress, &format!("\x1b]9;4;{progress}\x1b\\"))
    }

    /// Returns the bytes that clear the state and the progress mark.
    pub(crate) fn clear(self) -> String {
        self.sequence(self.status, "\x1b]7501;state=clear\x1b\\") + &self.progress(ProgramStatus::Idle)
    }

    /// A sequence for a terminal that knows it, wrapped where tmux runs in between; else nothing.
    fn sequence(self, is_known: bool, bare: &str) -> String {
        match (is_known, self.tmux) {
            (false, _) => String::new(),
            (true, false) => bare.to_owned(),
            (true, true) => format!("\x1bPtmux;{}\x1b\\", bare.replace('\x1b', "\x1b\x1b")),
        }
    }
}

/// Whether this `TERM` is a console, or not known: these print sequences they don't know.
pub(crate) fn is_console(term: &str) -> bool {
    ["", "linux", "dumb", "unknown"].contains(&term) || term.starts_with("vt")
}

/// Parses the first three numbers of a version.
pub(crate) fn version(text: &str) -> (u32, u32, u32) {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

/// Remembers what was sent to the terminal last, and when, so that only changes are sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttentionSender {
    support: TerminalSupport,
    last_sent: Option<(ProgramStatus, Instant)>,
}

impl AttentionSender {
    pub(crate) fn new(support: TerminalSupport) -> Self {
        Self { support, last_sent: None }
    }

    /// Returns the bytes to send now; empty while nothing changed.
    pub(crate) fn update(&mut self, status: ProgramStatus, now: Instant) -> String {
        let support = self.support;
        let last_sent = self.last_sent;
        if let Some((last_status, sent_at)) = last_sent
            && last_status == status
        {
            let is_repeated = support.repeats_progress && status == ProgramStatus::Working;
            if !is_repeated || now.saturating_duration_since(sent_at) < PROGRESS_INTERVAL {
                return String::new();
            }
            self.last_sent = Some((status, now));
            return support.progress(status);
        }
        self.last_sent = Some((status, now));
        let last_status = last_sent.map_or(ProgramStatus::Idle, |(last_status, _)| last_status);
        let progress = support.progress(status);
        let is_new = progress != support.progress(last_status);
        support.status(status) + if is_new { &progress } else { "" }
    }

    /// Call this after another program had the terminal: everything is sent again.
    pub(crate) fn forget(&mut self) {
        self.last_sent = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(env: &[(&str, &str)]) -> TerminalSupport {
        TerminalSupport::of(|name| {
            env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn each_terminal_is_called_as_it_understands() {
        for (env, expected) in [
            (&[("TERM", "xterm-256color")][..], "\x07"),
            (&[("TERM", "xterm-kitty")], "\x07\x1b]99;i=sayso;sayso: A block waits for you\x1b\\"),
            (
                &[("TERM", "xterm-ghostty"), ("TERM_PROGRAM", "ghostty")],
                "\x07\x1b]777;notify;sayso;A block waits for you\x1b\\",
            ),
            (
                &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")],
                "\x07\x1b]9;sayso: A block waits for you\x1b\\",
            ),
            (
                &[("TERM", "tmux-256color"), ("TMUX", "/tmp/tmux"), ("LC_TERMINAL", "iTerm2")],
                "\x07\x1bPtmux;\x1b\x1b]9;sayso: A block waits for you\x1b\x1b\\\x1b\\",
            ),
        ] {
            assert_eq!(at(env).notification(ProgramStatus::Permission), expected, "{env:?}");
        }
    }

    /// A change is sent once, and cleared at the end.
    #[test]
    fn a_change_is_told_once() {
        let attention = at(&[("TERM", "xterm-256color"), ("VTE_VERSION", "8003")]);
        let (mut sender, now) = (AttentionSender::new(attention), Instant::now());
        let later = now + Duration::from_secs(60);
        assert_eq!(sender.update(ProgramStatus::Idle, now), "\x1b]7501;state=idle:app=sayso\x1b\\");
        assert_eq!(sender.update(ProgramStatus::Idle, later), "");
        let working = "\x1b]7501;state=working:app=sayso\x1b\\\x1b]9;4;3\x1b\\";
        assert_eq!(sender.update(ProgramStatus::Working, now), working);
        assert_eq!(sender.update(ProgramStatus::Working, later), "");
        let waits = "\x1b]7501;state=blocked:kind=permission:app=sayso\x1b\\\x1b]9;4;0\x1b\\";
        assert_eq!(sender.update(ProgramStatus::Permission, now), waits);
        assert_eq!(sender.update(ProgramStatus::Permission, later), "");
        let failed = "\x1b]7501;state=error:app=sayso\x1b\\\x1b]9;4;2;100\x1b\\";
        assert_eq!(sender.update(ProgramStatus::Failed, now), failed);
        assert_eq!(attention.clear(), "\x1b]7501;state=clear\x1b\\\x1b]9;4;0\x1b\\");
        sender.forget();
        assert_ne!(sender.update(ProgramStatus::Failed, now), "");
    }

    #[test]
    fn ghostty_is_told_again_what_lasts() {
        let ghostty =
            [("TERM", "xterm-ghostty"), ("TERM_PROGRAM", "ghostty"), ("TERM_PROGRAM_VERSION", "1.2.3")];
        let (mut sender, now) = (AttentionSender::new(at(&ghostty)), Instant::now());
        assert!(sender.update(ProgramStatus::Working, now).ends_with("\x1b]9;4;3\x1b\\"));
        assert_eq!(sender.update(ProgramStatus::Working, now + Duration::from_secs(9)), "");
        assert_eq!(sender.update(ProgramStatus::Working, now + Duration::from_secs(11)), "\x1b]9;4;3\x1b\\");
        assert_eq!(sender.update(ProgramStatus::Working, now + Duration::from_secs(12)), "");
    }

    #[test]
    fn a_terminal_that_would_write_it_is_told_nothing() {
        for term in ["linux", "dumb", "vt100", ""] {
            let mut sender = AttentionSender::new(at(&[("TERM", term)]));
            assert_eq!(sender.update(ProgramStatus::Working, Instant::now()), "", "{term}");
            assert_eq!(at(&[("TERM", term)]).clear(), "");
        }
        // These versions would take it for a message.
        for (name, version) in [("ghostty", "1.1.9"), ("iTerm.app", "3.5.14")] {
            let old = at(&[("TERM", "xterm"), ("TERM_PROGRAM", name), ("TERM_PROGRAM_VERSION", version)]);
            assert!(!old.progress, "{name} {version}");
        }
    }
}
