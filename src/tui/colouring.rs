//! Requests syntax colours for the text in the code pane. The request follows a frame and is worked out on the
//! highlighter's thread; until the answer arrives, and on lines that changed since, code is drawn plain.

use super::paint::highlight::Highlighter;
use super::panes::code::CodePane;
use super::panes::code::highlight::ColourRequest;
use super::theme::Theme;
use crate::engine::State;

/// The highlighter, and the last request to it.
pub struct Colouring {
    highlighter: Highlighter,
    /// The key and the hash of the text that was last requested.
    asked: Option<(u64, u64)>,
    /// The theme for which the colours were requested.
    theme: String,
}

impl Colouring {
    /// Starts without loading any grammar; the first code does that. `waker` is called on another thread when
    /// results are ready.
    pub fn start(waker: impl Fn() + Send + 'static) -> Self {
        Self { highlighter: Highlighter::start(waker), asked: None, theme: String::new() }
    }

    /// Requests the colours of what the pane shows, unless they are already known in this theme.
    pub fn request_colours(&mut self, pane: &CodePane, state: &State, theme: &Theme) {
        if self.theme != theme.name() {
            theme.name().clone_into(&mut self.theme);
            if let Some((key, _)) = self.asked.take() {
                self.highlighter.forget(key);
            }
        }
        let Some(wanted) = pane.wants_colours(state).filter(|wanted| !wanted.text.is_empty()) else { return };
        let ColourRequest { key, fingerprint, language, text } = wanted;
        if self.asked == Some((key, fingerprint)) {
            return;
        }
        if let Some((before, _)) = self.asked.filter(|(before, _)| *before != key) {
            self.highlighter.forget(before);
        }
        self.asked = Some((key, fingerprint));
        self.highlighter.request(key, &language, text.whole());
    }

    /// Takes the finished results. Returns whether the pane looks different now.
    pub fn apply_results(&mut self, pane: &mut CodePane, theme: &Theme) -> bool {
        let mut changed = false;
        for painted in self.highlighter.take() {
            if self.asked.is_some_and(|(key, _)| key == painted.key) {
                let lines = painted.lines.iter().map(|(text, classes)| {
                    let styles = classes.iter().map(|(range, class)| (range.clone(), theme.syntax(*class)));
                    (text.as_str(), styles.collect())
                });
                pane.colours.set(painted.first_line, lines, painted.resumes_at_old_line);
                changed = true;
            }
        }
        changed
    }
}
