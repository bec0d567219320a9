//! Opens a session file on another thread than the terminal's, because a large file takes seconds, and shows the
//! progress.

use super::front_end::{FrontEnd, FrontEndKind};
use crate::domain::Policy;
use crate::domain::sentences::saving;
use crate::engine::State;
use crate::provider::Provider;
use crate::session::factory::SessionFactory;
use crate::session::opening::OpenSession;
use crate::store::{self, ReadProgress, StoreError};
use crate::text::number::size;
use crate::tui::Options;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long opening stays silent, so that a quick one shows no progress.
const QUIET_DELAY: Duration = Duration::from_millis(700);

const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Opens the session that the program starts with. Also returns the front end if it had to take the terminal for
/// that.
pub(super) async fn at_start(
    factory: &SessionFactory,
    path: PathBuf,
    provider: Option<Provider>,
    (kind, options): (FrontEndKind, &Options),
) -> (Result<OpenSession, StoreError>, Option<FrontEnd>) {
    let reading = Arc::new(ReadProgress::default());
    let work = read(factory, path.clone(), provider, reading.clone());
    tokio::pin!(work);
    if kind == FrontEndKind::Panes {
        // A timeout of zero polls the work once, which starts it. For a large session its end is shown while the rest
        // is read.
        if let Ok(done) = tokio::time::timeout(Duration::ZERO, &mut work).await {
            return (done, None);
        }
        if let Some(seen) = seen(&path)
            && let Ok(mut front_end) = FrontEnd::open(kind, options)
        {
            let told = || progress_message(&reading, saving::opening_behind);
            let wait = front_end.wait_for(&mut work, told, || reading.stop(), Some(&seen), options);
            let done = wait.await;
            return (done, Some(front_end));
        }
    }
    (in_one_line(work, &reading).await, None)
}

/// The end of the session, if it is large enough to be shown before the rest was read.
fn seen(path: &Path) -> Option<State> {
    store::glance(path).map(State::at_a_glance)
}

/// The progress of the reading, or that it is being stopped.
fn progress_message(reading: &ReadProgress, far_in_words: fn(Option<&str>) -> String) -> String {
    if reading.is_wanted() {
        far_in_words(progress_text(reading).as_deref())
    } else {
        saving::STOPPING.to_owned()
    }
}

/// Shows the progress on one line of standard error. The terminal is not taken yet, so Ctrl-C ends the program.
async fn in_one_line(
    mut work: impl Future<Output = Result<OpenSession, StoreError>> + Unpin,
    reading: &ReadProgress,
) -> Result<OpenSession, StoreError> {
    let mut shown = 0;
    let mut pause = QUIET_DELAY;
    loop {
        let done = tokio::time::timeout(pause, &mut work).await;
        let mut err = io::stderr();
        if let Ok(done) = done {
            let _ = write!(err, "{}", if shown > 0 { format!("\r{:shown$}\r", "") } else { String::new() });
            return done;
        }
        if err.is_terminal() {
            // The text is cut to the width of the terminal: a line that wraps could not be overwritten.
            let room = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
            let text: String = saving::opening(progress_text(reading).as_deref())
                .chars()
                .take(room.saturating_sub(1))
                .collect();
            let _ = write!(err, "\r{text:<shown$}");
            let _ = err.flush();
            (shown, pause) = (text.len(), PROGRESS_INTERVAL);
        }
    }
}

/// Opens a session while another is on screen. If the person stops it, the result is `StoreError::Stopped` and the
/// other one stays.
pub(super) async fn over(
    front_end: &mut FrontEnd,
    factory: &SessionFactory,
    path: PathBuf,
    provider: Option<Provider>,
    options: &Options,
) -> Result<OpenSession, StoreError> {
    if !path.exists() {
        // A branch that starts before the first message has no file yet: its first message makes it.
        return Ok(factory.begin_at(&path, provider, Policy::Ask));
    }
    let reading = Arc::new(ReadProgress::default());
    // The work is awaited even after it was stopped, because until then it holds the lock on the file.
    let seen = seen(&path);
    let work = read(factory, path, provider, reading.clone());
    let words = if seen.is_some() { saving::opening_behind } else { saving::opening };
    let told = || progress_message(&reading, words);
    let opened = front_end.wait_for(work, told, || reading.stop(), seen.as_ref(), options).await?;
    if reading.is_wanted() {
        return Ok(opened);
    }
    if let Err(why) = opened.driver.close().await {
        tracing::warn!(%why, "a session that was not wanted any more");
    }
    Err(StoreError::Stopped)
}

async fn read(
    factory: &SessionFactory,
    path: PathBuf,
    provider: Option<Provider>,
    reading: Arc<ReadProgress>,
) -> Result<OpenSession, StoreError> {
    let factory = factory.clone();
    let work = move || factory.resume(&path, provider, Policy::Ask, &reading);
    match tokio::task::spawn_blocking(work).await {
        Ok(opened) => opened,
        Err(broke) if broke.is_panic() => std::panic::resume_unwind(broke.into_panic()),
        Err(_) => Err(StoreError::Stopped),
    }
}

/// For example `45 MB of 133 MB`, and `133 MB were read` while the session is being put together. `None` before the
/// size is known.
fn progress_text(reading: &ReadProgress) -> Option<String> {
    match reading.progress() {
        (_, 0) => None,
        (read, of) if read < of => Some(format!("{} of {}", size(read), size(of))),
        (read, _) => Some(format!("{} were read", size(read))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_of_a_reading_is_not_told() {
        let told = |reading: &ReadProgress| progress_message(reading, saving::opening_behind);
        let reading = ReadProgress::default();
        assert_eq!(
            told(&reading),
            "Opening the session. Its end is shown, not checked yet. Ctrl-C stops it."
        );
        reading.stop();
        assert_eq!(told(&reading), "Stopping.");
    }
}
