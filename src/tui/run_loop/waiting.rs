//! Work in place of a session, such as loading a large one: shows its progress and the part of the session that
//! is known, and handles the key that stops it. There is no engine yet, so nothing can be decided or sent. Text
//! typed while Message is visible is in the message box once the session is open.

use super::{InputEvent, Keymap, Options, Tui};
use crate::driver::Clock;
use crate::engine::State;
use crate::tui::action::Action;
use crate::tui::editing::cluster;
use crate::tui::input::Signal;
use crate::tui::keymap::{Context, Key};
use crate::tui::paint::canvas::Canvas;
use crate::tui::screen::{Ctx, Screen};
use crate::tui::theme::{Slot, Theme};
use crate::tui::view;
use crate::tui::widgets::safe;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use std::time::Duration;
use tokio::time::Instant;

/// Work that finishes sooner is not shown: the screen stays unchanged.
const NOTICE_DELAY: Duration = Duration::from_millis(300);

/// The status row and the key row.
const LAST_ROWS: u16 = 2;

/// The time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(200);

impl Tui {
    /// Waits for the work. `progress` returns what is being done and how far it is; `stop` asks the work to end, and
    /// it is waited for all the same. The known part of the session (`known_part`) is shown at once.
    pub(crate) async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        progress: impl Fn() -> String,
        stop: impl Fn(),
        known_part: Option<&State>,
        options: &Options,
    ) -> T {
        tokio::pin!(work);
        if known_part.is_some() {
            // If the terminal is gone, the next session will notice.
            let _ = self.await_colours(options).await;
        }
        let mut due = Instant::now() + if known_part.is_some() { Duration::ZERO } else { NOTICE_DELAY };
        let (mut has_input, mut is_shown) = (true, false);
        loop {
            let event = tokio::select! {
                biased;
                done = &mut work => return done,
                timed = self.input.next(), if has_input => Some(timed.map(|timed| timed.event)),
                () = tokio::time::sleep_until(due) => None,
            };
            match event {
                Some(None) => {
                    (has_input, self.leaves) = (false, true);
                    stop();
                }
                Some(Some(InputEvent::Resize(width, height))) => self.terminal.resized((width, height)),
                Some(Some(event)) if self.answered(&event, options) => {}
                Some(Some(InputEvent::Key(key))) if stops(&self.keymap, &key) => stop(),
                Some(Some(InputEvent::Signal(Signal::Interrupt))) => stop(),
                Some(Some(
                    InputEvent::Hangup
                    | InputEvent::Signal(Signal::Terminate | Signal::Quit | Signal::Hangup),
                )) => {
                    self.leaves = true;
                    stop();
                }
                // Message is visible: typed text goes into it.
                Some(Some(event)) if known_part.is_some() && types(&mut self.draft, &event) => {}
                // All other keys are dropped: there is nothing to type into.
                Some(Some(_)) => continue,
                None => is_shown = true,
            }
            if is_shown {
                due = Instant::now() + FRAME_INTERVAL;
                self.show_progress(&progress(), known_part, options);
            }
        }
    }

    /// Draws the progress, below the known part of a session if there is one.
    fn show_progress(&mut self, text: &str, known_part: Option<&State>, options: &Options) {
        match known_part {
            Some(state) => self.show(state, text, options),
            None => {
                let theme = &self.theme;
                let _ = self.terminal.draw(|buf| {
                    draw(text, buf, buf.area, theme);
                    None
                });
            }
        }
    }

    /// Draws the known part of a session, with the progress in place of the keys, which do nothing yet.
    fn show(&mut self, state: &State, text: &str, options: &Options) {
        let at = std::time::Instant::now();
        let mut setup = options.setup.clone();
        (setup.welcome, setup.pick_session, setup.address) = (false, None, None);
        let mut screen = Screen::new(setup, self.keymap.clone(), self.terminal.size(), at);
        let context = options.draw_context(&self.theme, &self.keymap, Clock::System.now());
        screen.panes.composer.set(&self.draft);
        let ctx = Ctx { state, draw: context, at };
        screen.arrange(ctx);
        let _ = self.terminal.draw(|buf| {
            view::draw(&screen, ctx, buf);
            let area = buf.area;
            let height = area.height.min(LAST_ROWS);
            draw(text, buf, Rect { y: area.bottom().saturating_sub(height), height, ..area }, context.theme);
            None
        });
    }
}

/// Adds typed text to a message that can't be sent yet; returns whether the event was such text.
fn types(draft: &mut String, event: &InputEvent) -> bool {
    match event {
        InputEvent::Paste(text) => draft.push_str(text),
        InputEvent::Key(key) if key.kind != KeyEventKind::Release => match key.code {
            KeyCode::Char(c) if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => draft.push(c),
            KeyCode::Backspace => draft.truncate(cluster::previous(draft, draft.len())),
            _ => return false,
        },
        _ => return false,
    }
    true
}

/// Whether a key stops the work.
fn stops(keymap: &Keymap, event: &KeyEvent) -> bool {
    let key = Key::new(event.code, event.modifiers);
    event.kind != KeyEventKind::Release && keymap.action(Context::Message, key) == Some(Action::Stop)
}

/// Draws the text in the first rows of an area that is otherwise blank.
fn draw(text: &str, buf: &mut Canvas, area: Rect, theme: &Theme) {
    buf.set_blank(area, theme.style(Slot::UiText));
    let width = area.width.saturating_sub(2);
    let rows = safe::wrap_words(text, width.into(), theme.style(Slot::StatusInfo));
    for (y, row) in (area.y..area.bottom()).zip(&rows) {
        buf.set_line(area.x + 1, y, row, width);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;
    use crate::tui::terminal::{ModeOptions, tests::*};
    use crate::tui::theme::Depth;
    use std::io::Write as _;
    use std::sync::Arc;
    use tokio::sync::Notify;

    /// Ctrl-C comes after the answers, so they were handled once it stops the work.
    #[test]
    fn what_the_terminal_answers_while_a_session_is_opened_is_heard() {
        let _turn = turn();
        let mut pty = pty();
        let terminal = pty.open(ModeOptions::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let options = Options::default();
            let input = Input::start(terminal.reader().unwrap(), Duration::from_millis(25)).unwrap();
            let keymap = Arc::new(Keymap::load(None).unwrap());
            let mut tui = Tui::new(terminal, input, Theme::terminal(Depth::Mono), keymap);
            pty.person.write_all(b"\x1b[?0u\x1b[?2026;2$y\x03").unwrap();
            let stopped = Notify::new();
            let work = tokio::time::timeout(Duration::from_secs(10), stopped.notified());
            let stop = || stopped.notify_one();
            tui.wait_for(work, String::new, stop, None, &options).await.expect("Ctrl-C stops it");
            tui.close();
        });
        let text = String::from_utf8(pty.read_until(LEFT)).unwrap();
        for off in ["\x1b[<u", "\x1b[?2026l"] {
            assert!(text.contains(off), "{off:?} in {text:?}");
        }
    }

    #[test]
    fn a_character_of_several_code_points_is_typed_and_deleted_whole() {
        let mut draft = String::new();
        let mut key = |code: KeyCode| assert!(types(&mut draft, &InputEvent::Key(code.into())));
        for c in "ae\u{301}".chars() {
            key(KeyCode::Char(c));
        }
        key(KeyCode::Backspace);
        assert_eq!(draft, "a");
        for _ in 0..2 {
            types(&mut draft, &InputEvent::Key(KeyCode::Backspace.into()));
        }
        assert_eq!(draft, "");
    }

    #[test]
    fn it_is_said_at_every_size_and_one_key_stops_it() {
        let text = "Opening the session: 45 MB of 133 MB. Ctrl-C stops it.";
        for (width, height) in [(0, 0), (1, 1), (3, 2), (40, 12), (80, 24)] {
            let mut buf = Canvas::new((width, height));
            let area = buf.area;
            draw(text, &mut buf, area, &Theme::terminal(Depth::Mono));
            let buf = buf.to_buffer();
            let row: String = (0..width.min(80)).map(|x| buf[(x, 0)].symbol().to_owned()).collect();
            assert!(width < 80 || row.contains(text), "{row}");
        }
        let keymap = Keymap::load(None).unwrap();
        let key = |code, modifiers| stops(&keymap, &KeyEvent::new(code, modifiers));
        assert!(key(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(!key(KeyCode::Char('c'), KeyModifiers::NONE) && !key(KeyCode::Enter, KeyModifiers::NONE));
    }
}
