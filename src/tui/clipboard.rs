//! Copies text to the clipboard, and says truthfully what became of it.
//!
//! Over SSH the clipboard is on the other computer: tmux's buffer is used where tmux runs, else the terminal's
//! own sequence (OSC 52, up to 100 KB). Locally the system's clipboard programs are used; they confirm what
//! they took. Choosing a method is pure; only [`copy`] starts programs.

use crate::launch::{Launcher, Start};
use crate::text::number::counted;
use std::fmt;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The longest text that is sent through the terminal, in bytes.
pub(crate) const MAX_TERMINAL_BYTES: usize = 100 * 1024;

/// The environment, as far as it decides how to copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClipboardEnv {
    /// `SSH_CONNECTION` or `SSH_TTY` is set.
    pub(crate) ssh: bool,
    /// `TMUX` is set.
    pub(crate) tmux: bool,
    /// `WAYLAND_DISPLAY` is set.
    pub(crate) wayland: bool,
    /// `DISPLAY` is set.
    pub(crate) x11: bool,
    pub(crate) mac: bool,
}

/// One way to reach the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyMethod {
    /// A program that reads the text from its standard input and confirms by its exit status; with its
    /// arguments.
    Program(Start, &'static [&'static str]),
    /// OSC 52; the terminal never confirms it.
    Terminal,
}

/// Returns the methods to try, best first.
pub(crate) fn copy_methods(env: ClipboardEnv) -> Vec<CopyMethod> {
    let mut methods = Vec::new();
    if env.tmux {
        methods.push(CopyMethod::Program(Start::Tmux, &["load-buffer", "-w", "-"]));
    }
    if !env.ssh {
        let native: &[CopyMethod] = if env.mac {
            &[CopyMethod::Program(Start::Pbcopy, &[])]
        } else if env.wayland {
            &[CopyMethod::Program(Start::WlCopy, &[])]
        } else if env.x11 {
            &[
                CopyMethod::Program(Start::Xclip, &["-selection", "clipboard"]),
                CopyMethod::Program(Start::Xsel, &["--clipboard", "--input"]),
            ]
        } else {
            &[]
        };
        // Locally, the system's own clipboard comes before tmux's buffer.
        methods.splice(0..0, native.iter().copied());
    }
    methods.push(CopyMethod::Terminal);
    methods
}

/// What became of a copy; `Display` writes it for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CopyResult {
    /// A program took it.
    Confirmed { lines: usize },
    /// The caller must write these bytes to the terminal, which never confirms that it took them.
    Send {
        lines: usize,
        /// OSC 52 with the text.
        bytes: String,
    },
    /// No method takes a text of this size.
    TooLarge {
        /// Size of the text in bytes.
        bytes: usize,
    },
}

impl fmt::Display for CopyResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |lines: usize| counted(lines, "line");
        match self {
            CopyResult::Confirmed { lines } => write!(f, "Copied {}.", count(*lines)),
            CopyResult::Send { lines, .. } => {
                f.write_str(&crate::domain::sentences::sending::to_clipboard(&count(*lines)))
            }
            CopyResult::TooLarge { bytes } => write!(
                f,
                "Too large for the terminal clipboard ({} KB). w writes it to a file.",
                bytes.div_ceil(1024)
            ),
        }
    }
}

/// Copies a text with the first method that works. Starts programs and waits for them: call it on a worker.
pub(crate) fn copy(text: &str, methods: &[CopyMethod], programs: &Launcher) -> CopyResult {
    let lines = text.lines().count();
    for method in methods {
        match method {
            CopyMethod::Program(start, arguments) => {
                if programs.command(*start).is_ok_and(|command| pipe_text(command, arguments, text)) {
                    return CopyResult::Confirmed { lines };
                }
            }
            CopyMethod::Terminal if text.len() <= MAX_TERMINAL_BYTES => {
                return CopyResult::Send { lines, bytes: osc52(text) };
            }
            CopyMethod::Terminal => {}
        }
    }
    CopyResult::TooLarge { bytes: text.len() }
}

/// Returns the sequence that asks the terminal to store the text.
fn osc52(text: &str) -> String {
    use base64::Engine as _;
    format!("\x1b]52;c;{}\x07", base64::engine::general_purpose::STANDARD.encode(text))
}

/// Pipes the text to a program. Returns whether the program succeeded.
fn pipe_text(mut command: Command, arguments: &[&str], text: &str) -> bool {
    let child =
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_ssh_tmux_then_the_terminal() {
        let ssh = ClipboardEnv { ssh: true, x11: true, ..ClipboardEnv::default() };
        assert_eq!(copy_methods(ssh), [CopyMethod::Terminal]);
        let tmux = copy_methods(ClipboardEnv { tmux: true, ..ssh });
        assert_eq!(
            tmux,
            [CopyMethod::Program(Start::Tmux, &["load-buffer", "-w", "-"]), CopyMethod::Terminal]
        );
    }

    #[test]
    fn locally_the_system_first() {
        let local = ClipboardEnv { wayland: true, tmux: true, ..ClipboardEnv::default() };
        assert_eq!(copy_methods(local).first(), Some(&CopyMethod::Program(Start::WlCopy, &[])));
        assert_eq!(copy_methods(ClipboardEnv::default()), [CopyMethod::Terminal]);
    }

    #[test]
    fn words_are_true() {
        let launcher = Launcher::default();
        let by_terminal = copy("a\nb\n", &[CopyMethod::Terminal], &launcher);
        assert_eq!(by_terminal.to_string(), "Sent 2 lines to the terminal clipboard.");
        assert!(matches!(&by_terminal, CopyResult::Send { bytes, .. } if bytes == "\x1b]52;c;YQpiCg==\x07"));
        let large = copy(&"x".repeat(140 * 1024), &[CopyMethod::Terminal], &launcher);
        assert_eq!(
            large.to_string(),
            "Too large for the terminal clipboard (140 KB). w writes it to a file."
        );
        // The shell stands in for a clipboard program.
        let taken = copy("one", &[CopyMethod::Program(Start::Shell, &["-c", "cat >/dev/null"])], &launcher);
        assert_eq!(taken.to_string(), "Copied 1 line.");
    }

    #[test]
    fn a_program_that_fails_or_is_missing_confirms_nothing() {
        let nothing = Launcher::new("".as_ref(), crate::launch::WritableFolders::default());
        let failing = CopyMethod::Program(Start::Shell, &["-c", "cat >/dev/null; exit 1"]);
        for (method, launcher) in
            [(failing, Launcher::default()), (CopyMethod::Program(Start::Xclip, &[]), nothing)]
        {
            assert!(matches!(copy("x", &[method, CopyMethod::Terminal], &launcher), CopyResult::Send { .. }));
        }
    }
}
