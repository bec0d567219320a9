//! Names sessions for people: a session is named after its first prompt until the person renames it. Names appear in
//! titles and lists, so keys are masked in them.

use super::{Engine, notices};
use crate::domain::{Entry, MaskedValue, Prompt, SessionNameError, session_name};

const MAX_NAME_CHARS: usize = 32;

/// Words that say little about what a session is for.
const FILLERS: [&str; 32] = [
    "a", "an", "the", "please", "can", "could", "would", "you", "me", "my", "i", "to", "of", "for", "and",
    "in", "on", "it", "is", "with", "from", "that", "this", "some", "want", "need", "let", "lets", "us",
    "then", "do", "what",
];

/// A short name from a prompt: lower-case words joined by hyphens, safe as a file name and on a command line.
/// `Load sales.csv, plot revenue by region` becomes `load-sales-csv-plot-revenue`.
pub(crate) fn name_for(prompt: &MaskedValue<String>) -> String {
    let start: String = prompt.chars().take(400).collect();
    let words = start.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase);
    let (telling, filling): (Vec<_>, Vec<_>) = words.partition(|w| !FILLERS.contains(&w.as_str()));
    let chosen = if telling.is_empty() { filling } else { telling };
    let mut name = String::new();
    let mut len = 0;
    for word in chosen.iter().take(5) {
        let more = word.chars().count() + usize::from(len > 0);
        if len > 0 && len + more > MAX_NAME_CHARS {
            break;
        }
        if len > 0 {
            name.push('-');
        }
        name.extend(word.chars().take(MAX_NAME_CHARS));
        len += more;
    }
    if name.is_empty() { "session".into() } else { name }
}

impl Engine {
    /// Begins a turn with this prompt; the first prompt names the session.
    pub(super) fn prompted(&mut self, prompt: Prompt) {
        let name = name_for(&self.settings.masker.mask(prompt.text.clone()));
        self.prompted_as(prompt, name);
    }

    /// Begins a turn with this prompt; a session without a name gets this one.
    pub(super) fn prompted_as(&mut self, prompt: Prompt, name: String) {
        self.record(Entry::Prompt(prompt));
        if self.state.transcript.name.is_empty() {
            self.record(Entry::Renamed(name));
        }
    }

    /// The name of a session that begins with a file: the file's name, if it is a valid session name.
    pub(super) fn name_of_file(&self, name: &str) -> String {
        let masked = self.settings.masker.text(name);
        session_name(&masked)
            .map_or_else(|_| name_for(&self.settings.masker.mask(name.to_owned())), str::to_owned)
    }

    /// The person renames the session.
    pub(super) fn rename(&mut self, name: &str) {
        let name = match session_name(name) {
            Ok(name) => self.settings.masker.text(name),
            Err(SessionNameError::Empty) => return,
            Err(why) => return self.notify(notices::no_name(why)),
        };
        if name != self.state.transcript.name {
            self.record(Entry::Renamed(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name_for as named;
    use crate::domain::{Entry, Masker};
    use crate::engine::dialogue::Dialogue;
    use crate::engine::{Command, Settings};
    use proptest::prelude::*;

    fn name_for(prompt: &str) -> String {
        named(&Masker::default().mask(prompt.to_owned()))
    }

    #[test]
    fn names_tell_what_was_asked() {
        assert_eq!(
            name_for("Load sales.csv, plot revenue by region per month"),
            "load-sales-csv-plot-revenue"
        );
        assert_eq!(name_for("Please can you compute the square root of 2?"), "compute-square-root-2");
        assert_eq!(name_for("do it"), "do-it");
        assert_eq!(name_for("Zähle die Wörter"), "zähle-die-wörter");
        assert_eq!(name_for("数える"), "数える");
        assert_eq!(name_for("?!  "), "session");
        assert_eq!(name_for("../../etc/passwd"), "etc-passwd");
        assert_eq!(name_for(&"x".repeat(500)).len(), 32);
    }

    #[test]
    fn the_first_prompt_names_the_session_and_no_later_one_does() {
        let mut d = Dialogue::new();
        assert_eq!(d.user("Plot the sales"), "+prompt, +named plot-sales, ask s1 | replying s1");
        d.reply("Done.");
        assert_eq!(d.user("and the costs"), "+prompt, ask s2 | replying s2");
        d.reply("Done.");
        d.reopen();
        assert_eq!(d.user("once more"), "+prompt, ask s3 | replying s3");
    }

    #[test]
    fn a_name_of_the_person_stays() {
        let mut d = Dialogue::new();
        assert_eq!(d.command(Command::Rename(" mine ".into())), "+named mine | idle");
        assert_eq!(d.user("plot the sales"), "+prompt, ask s1 | replying s1");
    }

    #[test]
    fn a_key_does_not_get_into_a_name() {
        let settings = Settings { masker: Masker::knowing(["swordfish2024".into()]), ..Settings::default() };
        let mut d = Dialogue::with(settings);
        d.user("try swordfish2024");
        d.command(Command::Rename("swordfish2024".into()));
        let named = d.entries().iter().filter_map(|(_, entry)| match entry {
            Entry::Renamed(name) => Some(name.clone()),
            _ => None,
        });
        let named: Vec<_> = named.collect();
        assert_eq!(named.len(), 2);
        assert!(!named.concat().contains("swordfish"), "{named:?}");
    }

    proptest! {
        #[test]
        fn names_are_safe(prompt in ".{0,300}") {
            let name = name_for(&prompt);
            prop_assert!(!name.is_empty());
            prop_assert!(name.chars().count() <= 40, "{}", name);
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-' || !c.is_ascii()), "{}", name);
            prop_assert!(!name.starts_with('-'));
        }
    }
}
