//! Chooses between the two front ends: panes, or plain lines where panes can't be drawn or are not wanted.

use crate::driver::Driver;
use crate::engine::State;
use crate::report::{Failure, FailureClass};
use crate::tui::widgets::layout::Borders;
use crate::tui::{Exit, LineMode, Options, Tui, TuiError};
use std::io::{self, IsTerminal as _};

pub(super) enum FrontEnd {
    Panes(Box<Tui>),
    LineMode(Box<LineMode>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrontEndKind {
    Panes,
    LineMode,
}

/// Returns `LineMode` if the command line or `ACCESSIBLE=1` asks for it or the terminal can't draw (`TERM=dumb`), else
/// `Panes`.
///
/// # Errors
/// When there is no terminal to ask at.
pub(super) fn kind(plain: bool) -> Result<FrontEndKind, Failure> {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    let kind = if plain || is("ACCESSIBLE", "1") || is("TERM", "dumb") {
        FrontEndKind::LineMode
    } else {
        FrontEndKind::Panes
    };
    let what = match kind {
        FrontEndKind::LineMode if io::stdin().is_terminal() => return Ok(kind),
        FrontEndKind::Panes if io::stdin().is_terminal() && io::stdout().is_terminal() => return Ok(kind),
        FrontEndKind::LineMode => "sayso needs a terminal to ask at, and standard input is none",
        FrontEndKind::Panes => "sayso needs a terminal for its panes, and this is none",
    };
    Err(Failure::new(FailureClass::Usage, what)
        .hint("sayso run \"PROMPT\" does one turn without a terminal."))
}

impl FrontEnd {
    /// Takes over the terminal. Must be called inside the runtime.
    pub(super) fn open(kind: FrontEndKind, options: &Options) -> Result<Self, TuiError> {
        Ok(match kind {
            FrontEndKind::Panes => Self::Panes(Box::new(Tui::open(options)?)),
            FrontEndKind::LineMode => Self::LineMode(Box::new(LineMode::open()?)),
        })
    }

    /// Runs one session until the person leaves it.
    pub(super) async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        match self {
            Self::Panes(tui) => tui.run(driver, options).await,
            Self::LineMode(lines) => lines.run(driver, options).await,
        }
    }

    /// Shows the progress of work that takes a session's place on screen, and calls `stop` when the person interrupts
    /// it. Panes meanwhile show `seen`, the end of the session that is being opened.
    pub(super) async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        progress: impl Fn() -> String,
        stop: impl Fn(),
        seen: Option<&State>,
        options: &Options,
    ) -> T {
        match self {
            Self::Panes(tui) => tui.wait_for(work, progress, stop, seen, options).await,
            Self::LineMode(lines) => lines.wait_for(work, progress, stop).await,
        }
    }

    /// The current borders between panes; `None` in the plain front end.
    pub(super) fn borders(&self) -> Option<Borders> {
        match self {
            Self::Panes(tui) => tui.borders(),
            Self::LineMode(_) => None,
        }
    }

    pub(super) fn close(self) {
        if let Self::Panes(tui) = self {
            tui.close();
        }
    }
}
