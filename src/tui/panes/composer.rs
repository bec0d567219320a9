//! The message being written: its text, long pastes as chips, older messages.
//!
//! It does not decide when to send; the caller takes the finished text.

use crate::tui::editing::vim::{Mode, Vim};
use crate::tui::widgets::field::{Edit, Field, Motion};
use crate::tui::widgets::words;

/// A paste longer than this many characters, or of more lines than [`CHIP_LINES`], becomes a chip.
const CHIP_CHARACTERS: usize = 800;
/// See [`CHIP_CHARACTERS`].
const CHIP_LINES: usize = 3;

/// A long paste: the text contains a short mark for it, and the message is sent with all of it. It is kept until a
/// message is sent, even without its mark, because undo may bring the mark back.
#[derive(Debug)]
struct Chip {
    mark: String,
    text: String,
}

/// Which older message is shown.
#[derive(Clone, Debug)]
struct HistoryPlace {
    /// Which message, counted from the newest.
    back: usize,
    /// The draft to come back to.
    draft: String,
    /// The field's generation with the unchanged older message; any other means that the person edited it.
    generation: u64,
}

/// The message being written.
#[derive(Debug)]
pub struct Composer {
    /// The text as the box shows it.
    pub field: Field,
    chips: Vec<Chip>,
    pastes: usize,
    history: Vec<String>,
    past: Option<HistoryPlace>,
}

impl Default for Composer {
    fn default() -> Self {
        Self { field: Field::multi_line(), chips: Vec::new(), pastes: 0, history: Vec::new(), past: None }
    }
}

impl Composer {
    /// Enables the vim keys; letters insert text at first.
    pub(crate) fn use_vim(&mut self) {
        self.field.vim = Some(Vim::new(Mode::Insert));
    }

    /// Switches to the insert mode of vim.
    pub(crate) fn to_insert(&mut self) {
        if let Some((vim, text)) = self.field.vim() {
            vim.set_mode(Mode::Insert, text);
        }
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.field.is_empty()
    }

    /// The text with all pastes in full. A mark inside a paste is not expanded.
    pub fn full_text(&self) -> String {
        let text = self.field.text();
        let (mut full, mut rest) = (String::with_capacity(text.len()), text.as_str());
        let first = |rest: &str| {
            let found = self.chips.iter().filter_map(|chip| Some((rest.find(&chip.mark)?, chip)));
            found.min_by_key(|(at, _)| *at)
        };
        while let Some((at, chip)) = first(rest) {
            full.push_str(rest.get(..at).unwrap_or_default());
            full.push_str(&chip.text);
            rest = rest.get(at + chip.mark.len()..).unwrap_or_default();
        }
        full.push_str(rest);
        full
    }

    /// Returns the text with all pastes in full and empties the box; the text is added to the older messages.
    pub(crate) fn send(&mut self) -> String {
        let text = self.full_text();
        self.remember(text.clone());
        let vim = self.field.vim.take();
        self.field = Field::multi_line();
        self.field.vim = vim;
        self.to_insert();
        self.chips.clear();
        self.past = None;
        text
    }

    /// Empties the box; undo brings its content back.
    pub(crate) fn clear(&mut self) {
        let _ = self.field.take();
    }

    /// Replaces the text, for example by that of an external editor or by a message taken back from the queue.
    pub fn set(&mut self, text: &str) {
        self.field.set(text);
    }

    /// Adds a text after the draft.
    pub(crate) fn add(&mut self, text: &str) {
        let draft = self.past().map_or_else(|| self.field.text(), |past| past.draft);
        self.set(&if draft.trim().is_empty() { text.to_owned() } else { format!("{draft}\n\n{text}") });
    }

    /// Adds to the older messages; a message equal to the last one is not added again.
    pub fn remember(&mut self, text: String) {
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }

    /// The older messages, oldest first.
    pub(crate) fn history(&self) -> &[String] {
        &self.history
    }

    /// Inserts a pasted text: a short one as it is, a long one as a chip.
    pub(crate) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = text.lines().count();
        if text.chars().count() <= CHIP_CHARACTERS && lines <= CHIP_LINES {
            self.field.apply(Edit::Paste(text));
            return;
        }
        // A mark must not be equal to anything that was written or pasted.
        let (written, mut mark) = (self.field.text(), String::new());
        while mark.is_empty() || written.contains(&mark) || text.contains(&mark) {
            self.pastes += 1;
            mark = format!("[paste {}: {}]", self.pastes, words::count(lines, "line"));
        }
        self.field.apply(Edit::Paste(mark.clone()));
        self.chips.push(Chip { mark, text });
    }

    /// Replaces the chip under the cursor by its text; `false` if there is none.
    pub(crate) fn open_chip(&mut self) -> bool {
        let at = self.field.cursor();
        let Some(line) = self.field.lines().get(at.line) else { return false };
        let found = self.chips.iter().find(|chip| {
            line.find(&chip.mark).is_some_and(|from| (from..from + chip.mark.len()).contains(&at.byte))
        });
        let Some(chip) = found else { return false };
        let text = self.field.text().replacen(&chip.mark, &chip.text, 1);
        self.field.content.replace_all(&text);
        true
    }

    /// Makes one change. Deletes a chip as a whole.
    pub(crate) fn apply(&mut self, edit: Edit) {
        if edit == Edit::Backspace && self.field.selection().is_none() {
            let before = self.field.before_cursor();
            if let Some(chip) = self.chips.iter().find(|chip| before.ends_with(&chip.mark)) {
                return self.field.delete_before(chip.mark.len());
            }
        }
        self.field.change(|text| text.apply(edit));
    }

    /// Replaces this many bytes before the cursor.
    pub(crate) fn replace_before(&mut self, bytes: usize, text: &str) {
        self.field.delete_before(bytes);
        self.field.apply(Edit::Paste(text.to_owned()));
    }

    /// Whether the cursor follows a backslash at the end of its line: Enter then begins a new line.
    pub(crate) fn continues(&self) -> bool {
        let at = self.field.cursor();
        self.field.lines().get(at.line).is_some_and(|l| l.ends_with('\\') && l.len() == at.byte)
    }

    /// Replaces that backslash by a line break.
    pub(crate) fn continue_line(&mut self) {
        self.field.apply(Edit::Backspace);
        self.field.apply(Edit::Newline);
    }

    /// Moves the cursor one row up; from the first row it goes to the message before.
    pub(crate) fn up(&mut self) {
        let before = self.field.cursor();
        self.field.apply(Edit::Move(Motion::Up, false));
        if self.field.cursor() != before {
            return;
        }
        let (back, draft) =
            self.past().map_or_else(|| (0, self.field.text()), |past| (past.back + 1, past.draft));
        self.show_past(back, draft);
    }

    /// The older message that is shown, unless the text was changed since.
    fn past(&self) -> Option<HistoryPlace> {
        let generation = self.field.content.generation;
        self.past.as_ref().filter(|past| past.generation == generation).cloned()
    }

    /// Shows an older message, if it exists.
    fn show_past(&mut self, back: usize, draft: String) {
        let Some(text) = self.history.iter().rev().nth(back).cloned() else { return };
        self.set(&text);
        let generation = self.field.content.generation;
        self.past = Some(HistoryPlace { back, draft, generation });
    }

    /// Moves the cursor one row down; from the last row it goes to the message after.
    pub(crate) fn down(&mut self) {
        let before = self.field.cursor();
        self.field.apply(Edit::Move(Motion::Down, false));
        if self.field.cursor() != before {
            return;
        }
        let Some(past) = self.past() else { return };
        match past.back.checked_sub(1) {
            None => self.set(&past.draft),
            Some(back) => self.show_past(back, past.draft),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::field::Pos;

    fn typed(text: &str) -> Composer {
        let mut composer = Composer::default();
        text.chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer
    }

    #[test]
    fn a_long_paste_is_a_chip_and_is_sent_in_full() {
        let mut composer = typed("look: ");
        let long = "line\n".repeat(214);
        composer.paste(&long);
        composer.paste("a\nb\nc\nd");
        assert_eq!(composer.field.text(), "look: [paste 1: 214 lines][paste 2: 4 lines]");
        composer.apply(Edit::Backspace);
        assert_eq!(composer.field.text(), "look: [paste 1: 214 lines]");
        let mut one = Composer::default();
        one.paste(&"x".repeat(CHIP_CHARACTERS + 1));
        assert_eq!(one.field.text(), "[paste 1: 1 line]");
        assert_eq!(composer.send(), format!("look: {long}"));
        assert!(composer.is_empty());
    }

    #[test]
    fn a_chip_that_comes_back_brings_its_text() {
        let long = "a\nb\nc\nd";
        let undone = |act: fn(&mut Composer)| {
            let mut composer = Composer::default();
            composer.remember("older".into());
            composer.paste(long);
            act(&mut composer);
            for _ in 0..2 {
                if !composer.full_text().contains(long) {
                    composer.apply(Edit::Undo);
                }
            }
            composer.send()
        };
        assert_eq!(undone(|composer| composer.apply(Edit::Backspace)), long);
        assert_eq!(undone(Composer::up), long);
        assert_eq!(undone(|composer| composer.set("other")), long);
        assert_eq!(undone(Composer::clear), long);
        let opened = undone(|composer| {
            composer.apply(Edit::Move(Motion::Left, false));
            assert!(composer.open_chip());
            composer.apply(Edit::Undo);
            assert!(composer.field.text().starts_with("[paste"));
        });
        assert_eq!(opened, long);
    }

    #[test]
    fn a_paste_that_holds_a_mark_is_sent_as_it_is() {
        let mut composer = Composer::default();
        composer.paste("[paste 1: 4 lines]\n[paste 2: 4 lines]\n[paste 3: 4 lines]\n");
        composer.paste("a\nb\nc\nd");
        let whole = composer.full_text();
        assert_eq!(whole, "[paste 1: 4 lines]\n[paste 2: 4 lines]\n[paste 3: 4 lines]\na\nb\nc\nd");
    }

    #[test]
    fn what_is_selected_goes_before_a_chip() {
        let mut composer = typed("one ");
        composer.paste("a\nb\nc\nd");
        composer.apply(Edit::SelectAll);
        composer.apply(Edit::Backspace);
        assert!(composer.is_empty());
    }

    /// An older message that was changed in any way is now the draft, and no other message replaces it.
    #[test]
    fn an_older_message_that_was_changed_stays() {
        for change in [
            (|composer: &mut Composer| composer.apply(Edit::Insert('!'))) as fn(&mut Composer),
            |composer| composer.paste("!"),
            |composer| composer.field.content.replace(Pos::default(), Pos::default(), "!"),
            |composer| composer.replace_before(1, "!"),
        ] {
            let mut composer = typed("draft");
            composer.remember("older".into());
            composer.up();
            change(&mut composer);
            let changed = composer.full_text();
            assert!(changed.contains('!'));
            composer.down();
            assert_eq!(composer.full_text(), changed);
        }
    }

    #[test]
    fn a_chip_opens_under_the_cursor() {
        let mut composer = Composer::default();
        composer.paste("a\nb\nc\nd");
        assert!(!composer.open_chip(), "the cursor stands behind it");
        composer.apply(Edit::Move(Motion::Left, false));
        assert!(composer.open_chip());
        assert_eq!(composer.field.text(), "a\nb\nc\nd");
    }

    #[test]
    fn older_messages_come_and_the_draft_comes_back() {
        let mut composer = typed("one");
        composer.send();
        "two".chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer.send();
        "draft".chars().for_each(|c| composer.apply(Edit::Insert(c)));
        composer.up();
        assert_eq!(composer.field.text(), "two");
        composer.up();
        assert_eq!(composer.field.text(), "one");
        composer.up();
        assert_eq!(composer.field.text(), "one");
        composer.down();
        composer.down();
        assert_eq!(composer.field.text(), "draft");
    }

    #[test]
    fn a_backslash_before_enter_begins_a_line() {
        let mut composer = typed("one\\");
        assert!(composer.continues());
        composer.continue_line();
        assert_eq!(composer.field.text(), "one\n");
    }
}
