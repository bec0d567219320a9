//! Which front end a person gets: panes, or lines where panes can't be drawn or are not wanted.

use crate::driver::Driver;
use crate::engine::State;
use crate::report::{Failure, FailureClass};
use crate::tui::widgets::layout::Borders;
use crate::tui::{Exit, Options, Plain, Tui, TuiError};
use std::io::{self, IsTerminal as _};

/// The front end of this terminal.
pub(super) enum FrontEnd {
    Panes(Box<Tui>),
    Plain(Box<Plain>),
}

/// Which of them is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrontEndKind {
    Panes,
    Plain,
}

/// Lines where they were asked for, by the command line or by `ACCESSIBLE=1`, and where nothing can be drawn
/// (`TERM=dumb`); panes otherwise.
///
/// # Errors
/// When there is no terminal to ask at.
pub(super) fn kind(plain: bool) -> Result<FrontEndKind, Failure> {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    let kind = if plain || is("ACCESSIBLE", "1") || is("TERM", "dumb") {
        FrontEndKind::Plain
    } else {
        FrontEndKind::Panes
    };
    let what = match kind {
        FrontEndKind::Plain if io::stdin().is_terminal() => return Ok(kind),
        FrontEndKind::Panes if io::stdin().is_terminal() && io::stdout().is_terminal() => return Ok(kind),
        FrontEndKind::Plain => "sayso needs a terminal to ask at, and standard input is none",
        FrontEndKind::Panes => "sayso needs a terminal for its panes, and this is none",
    };
    Err(Failure::new(FailureClass::Usage, what)
        .hint("sayso run \"PROMPT\" does one turn without a terminal."))
}

impl FrontEnd {
    /// Takes the terminal. Call it inside the runtime.
    pub(super) fn open(kind: FrontEndKind, options: &Options) -> Result<Self, TuiError> {
        Ok(match kind {
            FrontEndKind::Panes => Self::Panes(Box::new(Tui::open(options)?)),
            FrontEndKind::Plain => Self::Plain(Box::new(Plain::open()?)),
        })
    }

    /// Works on one session until the person leaves it.
    pub(super) async fn run(&mut self, driver: &mut Driver, options: &Options) -> Result<Exit, TuiError> {
        match self {
            Self::Panes(tui) => tui.run(driver, options).await,
            Self::Plain(plain) => plain.run(driver, options).await,
        }
    }

    /// Tells how far some work is that goes on in the place of a session, and stops it when the person says so. What is
    /// `seen` of the session that comes is shown meanwhile, where there are panes.
    pub(super) async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        far: impl Fn() -> String,
        stop: impl Fn(),
        (seen, options): (Option<&State>, &Options),
    ) -> T {
        match self {
            Self::Panes(tui) => tui.wait_for(work, far, stop, (seen, options)).await,
            Self::Plain(plain) => plain.wait_for(work, far, stop).await,
        }
    }

    /// Where the person left the borders between panes, where there are any.
    pub(super) fn borders(&self) -> Option<Borders> {
        match self {
            Self::Panes(tui) => tui.borders(),
            Self::Plain(_) => None,
        }
    }

    pub(super) fn close(self) {
        if let Self::Panes(tui) = self {
            tui.close();
        }
    }
}
