//! Closes the last session, and says on the last line how to continue it.

use crate::app::front_end::FrontEnd;
use crate::domain::sentences::saving;
use crate::domain::visible::visible_line;
use crate::session::factory::SessionFactory;
use crate::session::opening::OpenSession;
use crate::text::shell::quoted;

/// Closes the last session; returns the line that says how to continue it.
pub(super) async fn close(
    factory: &SessionFactory,
    front_end: FrontEnd,
    opened: OpenSession,
) -> Option<String> {
    let name = continue_with(factory, &opened);
    // The terminal is released first, because closing the session may take a moment.
    front_end.close();
    let closed = opened.driver.close().await;
    name.map(|name| match closed {
        Ok(()) => saving::at_the_end(&as_argument(&name)),
        Err(why) => saving::lost_at_the_end(&why.to_string()),
    })
}

/// The name or id to give to `sayso resume`; `None` if the session has no file because nothing was asked in it.
fn continue_with(factory: &SessionFactory, opened: &OpenSession) -> Option<String> {
    let path = opened.driver.session_path();
    if !path.exists() {
        return None;
    }
    let name = opened.driver.state().transcript.name.clone();
    // A name with characters that can't be printed can't be typed either; the id is used then.
    let typed = visible_line(&name) == name;
    let unique = typed && !name.is_empty() && factory.find_session(&name).is_ok_and(|found| found == path);
    if unique { Some(name) } else { path.file_stem().map(|id| id.to_string_lossy().into_owned()) }
}

/// A session's name as a shell argument. Anybody may have written the name, so control and invisible characters are
/// written out and the rest is quoted.
fn as_argument(name: &str) -> String {
    quoted(&visible_line(name))
}

#[cfg(test)]
mod tests {
    use super::as_argument;
    use crate::domain::sentences::saving;
    use crate::store::StoreError;

    #[test]
    fn what_was_not_saved_is_told_once() {
        let last = |why: StoreError| saving::lost_at_the_end(&why.to_string());
        assert_eq!(
            last(StoreError::NotSaved("no space left".into())),
            "Session not saved to its end: no space left."
        );
        assert_eq!(last(StoreError::Closed), "Session not saved to its end: the session is closed.");
    }

    #[test]
    fn the_last_line_prints_nothing_that_acts_or_hides() {
        let last = |name: &str| saving::at_the_end(&as_argument(name));
        assert_eq!(last("load-sales"), "Session saved. Continue: sayso resume load-sales");
        let line = last("a\u{202e}b\u{200b}\u{e0041}\u{1b}[2J");
        assert!(line.ends_with("'a<U+202E>b<U+200B><U+E0041>\\x1b[2J'"), "{line}");
        assert_eq!(last("zähle-die"), "Session saved. Continue: sayso resume 'zähle-die'");
        assert_eq!(last("it's; rm"), "Session saved. Continue: sayso resume 'it'\\''s; rm'");
    }
}
