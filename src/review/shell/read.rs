//! Sets the variables that `read`, `mapfile`, `printf -v` and other builtins set.

use super::ShellReader;
use super::change::{ChangeTarget, ERREXIT, POSITIONS};
use super::keyword::is_declaration;
use super::printed_text::formatted;
use super::variable::DEFAULT_SEPARATORS;
use crate::review::value::{Argument, Value};

/// The most lines that `mapfile` reads.
const MAX_LINES: usize = 256;

impl ShellReader<'_, '_> {
    /// Follows a builtin that sets variables.
    pub(super) fn bound_by(&mut self, name: &str, words: &[Argument], input: Option<&Argument>) {
        let texts: Vec<Option<&str>> = words.iter().map(|word| word.value.as_whole_text()).collect();
        match name {
            "printf" => self.printed_into(words, &texts),
            "read" => self.read_into(&texts, input),
            "mapfile" | "readarray" => self.lines_into(&texts, input),
            "getopts" => {
                self.forget_named(&texts);
                self.forget_named(&[Some("OPTARG"), Some("OPTIND")]);
            }
            _ if name == "let" || is_declaration(name) => self.forget_named(&texts),
            "wait" if texts.contains(&Some("-p")) => self.forget_named(&texts),
            "set" => {
                self.set_errexit(words);
                self.set_positions(words);
            }
            "shopt" => self.forget(ERREXIT),
            "shift" => self.shift(words),
            "." | "source" => {
                self.forget_target(ChangeTarget::Everything);
                self.forget(POSITIONS);
            }
            _ => {}
        }
    }

    /// `printf -v NAME …`.
    fn printed_into(&mut self, words: &[Argument], texts: &[Option<&str>]) {
        match texts {
            [Some("-v"), Some(name), ..] if is_name(name) => {
                let values: Vec<Value> = words.iter().skip(2).map(|word| word.value.clone()).collect();
                self.assign(name, formatted(&values));
            }
            [Some(option), target, ..] if option.starts_with("-v") => {
                self.forget_named(&[*target, option.strip_prefix("-v")]);
            }
            [None, ..] => self.forget_target(ChangeTarget::Everything),
            _ => {}
        }
    }

    /// `read`: known are only the words of one line of known text, split at white space.
    fn read_into(&mut self, texts: &[Option<&str>], input: Option<&Argument>) {
        let plain = texts.first() == Some(&Some("-r"));
        let names: Option<Vec<&str>> = texts.iter().skip(usize::from(plain)).copied().collect();
        let names = names.filter(|names| !names.is_empty() && names.iter().all(|name| is_name(name)));
        let held = plain_text(input);
        let usual = !self.odd_input && self.separators().as_deref() == Some(DEFAULT_SEPARATORS);
        let (Some(names), Some(held), true) = (names, held, usual) else {
            self.forget_named(texts);
            return self.forget_named(&[Some("REPLY")]);
        };
        let blank = [' ', '\t'];
        let mut rest = held.split('\n').next().unwrap_or_default().trim_matches(blank);
        for (index, name) in names.iter().enumerate() {
            let (word, more) = match rest.split_once(blank) {
                Some((word, more)) if index + 1 < names.len() => (word, more.trim_start_matches(blank)),
                _ => (rest, ""),
            };
            self.assign(name, Value::text(word));
            rest = more;
        }
    }

    /// `mapfile -t`: an array of the lines.
    fn lines_into(&mut self, texts: &[Option<&str>], input: Option<&Argument>) {
        let held = plain_text(input).filter(|held| !self.odd_input && held.split('\n').count() <= MAX_LINES);
        let name = match texts {
            [Some("-t")] => Some("MAPFILE"),
            [Some("-t"), Some(name)] if is_name(name) => Some(*name),
            _ => None,
        };
        match (name, held) {
            (Some(name), Some(held)) => {
                let lines = held.strip_suffix('\n').unwrap_or(held).split('\n').map(Value::text);
                let lines = if held.is_empty() { Vec::new() } else { lines.collect() };
                self.assign(name, Value::list(lines));
            }
            _ => {
                self.forget_named(texts);
                self.forget_named(&[Some("MAPFILE")]);
            }
        }
    }
}

/// The text of an input that is known and holds no sign with a meaning of its own.
fn plain_text(input: Option<&Argument>) -> Option<&str> {
    input?.value.as_whole_text().filter(|held| !held.contains(['$', '`', '\\']))
}

/// Whether a word is the name of a variable.
fn is_name(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
