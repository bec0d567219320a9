//! The rule book of a language: its rule file, indexed by the names that rules speak of, read at its first use.

use super::rules::{Condition, Mark, NamedShape, Rule, RuleError, RuleFile, Tongue};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A rule together with one way of doing what it speaks of.
#[derive(Debug)]
pub(super) struct Shape {
    rule: usize,
    pub(super) target: Vec<String>,
    pub(super) when: Vec<Condition>,
    pub(super) words: Vec<String>,
}

/// The rules of one language, with an index by called name.
#[derive(Debug, Default)]
pub(super) struct RuleBook {
    pub(super) file: RuleFile,
    shapes: Vec<Shape>,
    exact: HashMap<String, Vec<usize>>,
    prefixes: Vec<(String, usize)>,
    suffixes: Vec<(String, usize)>,
    marks: HashMap<String, Mark>,
    mark_prefixes: Vec<(String, Mark)>,
}

impl RuleBook {
    /// Reads a rule file. `name` is for messages.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, RuleError> {
        let file: RuleFile =
            toml::from_str(text).map_err(|source| RuleError::Unreadable { file: name.to_owned(), source })?;
        let mut book = RuleBook::default();
        for (index, rule) in file.rule.iter().enumerate() {
            let own = NamedShape {
                calls: rule.calls.clone(),
                target: rule.target.clone(),
                ..NamedShape::default()
            };
            book.add(index, &own, &[]);
            for wanted in &rule.acts {
                let mut known = false;
                for act in file.act.iter().filter(|act| act.name == *wanted) {
                    known = true;
                    book.add(index, act, &rule.target);
                }
                if !known {
                    let (file, rule, act) = (name.to_owned(), rule.id.clone(), wanted.clone());
                    return Err(RuleError::NoAct { file, rule, act });
                }
            }
        }
        for source in &file.source {
            for call in &source.calls {
                match call.strip_suffix('*') {
                    Some(prefix) => book.mark_prefixes.push((prefix.to_owned(), source.mark)),
                    None => drop(book.marks.insert(call.clone(), source.mark)),
                }
            }
        }
        book.file = file;
        Ok(book)
    }

    /// Adds a way of doing what a rule speaks of; `target` of the rule goes before that of the act.
    fn add(&mut self, rule: usize, act: &NamedShape, target: &[String]) {
        if act.calls.is_empty() {
            return;
        }
        let shape = self.shapes.len();
        let target = if target.is_empty() { act.target.clone() } else { target.to_vec() };
        self.shapes.push(Shape { rule, target, when: act.when.clone(), words: act.words.clone() });
        for call in &act.calls {
            if let Some(prefix) = call.strip_suffix('*') {
                self.prefixes.push((prefix.to_owned(), shape));
            } else if let Some(suffix) = call.strip_prefix('*') {
                self.suffixes.push((suffix.to_owned(), shape));
            } else {
                self.exact.entry(call.clone()).or_default().push(shape);
            }
        }
    }

    /// The rules that may apply to a call of this name, each with the way in which it does.
    pub(super) fn rules_for<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Rule, &'a Shape)> {
        let exact = self.exact.get(name).into_iter().flatten().copied();
        let prefixed =
            self.prefixes.iter().filter(move |(p, _)| name.starts_with(p.as_str())).map(|(_, i)| *i);
        let suffixed = self.suffixes.iter().filter(move |(s, _)| name.ends_with(s.as_str())).map(|(_, i)| *i);
        let shapes = exact.chain(prefixed).chain(suffixed).filter_map(|index| self.shapes.get(index));
        shapes.filter_map(|shape| Some((self.file.rule.get(shape.rule)?, shape)))
    }

    /// Whether any rule speaks of exactly this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.exact.contains_key(name)
    }

    /// The mark that the result of calling this name carries.
    pub(super) fn mark_of(&self, name: &str) -> Option<Mark> {
        let prefixed =
            || self.mark_prefixes.iter().find(|(p, _)| name.starts_with(p.as_str())).map(|(_, m)| *m);
        self.marks.get(name).copied().or_else(prefixed)
    }

    /// The name that rules use for this one: its longest known beginning replaced.
    pub(super) fn canonical(&self, name: &str) -> Option<String> {
        let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
        let mut best = None;
        for end in ends {
            if let Some(other) = name.get(..end).and_then(|head| self.file.names.get(head)) {
                let rest = name.get(end..).unwrap_or_default();
                let joined = format!("{other}{rest}");
                best = Some(joined.strip_prefix('.').map(str::to_owned).unwrap_or(joined));
            }
        }
        best
    }
}

/// The texts of the shipped rule files.
pub(super) fn shipped(tongue: Tongue) -> (&'static str, &'static str) {
    match tongue {
        Tongue::Python => ("python.toml", include_str!("../../assets/rules/python.toml")),
        Tongue::Javascript => ("javascript.toml", include_str!("../../assets/rules/javascript.toml")),
        Tongue::Bash => ("bash.toml", include_str!("../../assets/rules/bash.toml")),
    }
}

/// The rules that hold in every language, and the places with a meaning.
pub(super) fn common() -> &'static RuleBook {
    static BOOK: LazyLock<RuleBook> =
        LazyLock::new(|| read_shipped("common.toml", include_str!("../../assets/rules/common.toml")));
    &BOOK
}

/// The rules of a language, read at their first use.
pub(super) fn book(tongue: Tongue) -> &'static RuleBook {
    static PYTHON: LazyLock<RuleBook> = LazyLock::new(|| load(Tongue::Python));
    static JAVASCRIPT: LazyLock<RuleBook> = LazyLock::new(|| load(Tongue::Javascript));
    static BASH: LazyLock<RuleBook> = LazyLock::new(|| load(Tongue::Bash));
    match tongue {
        Tongue::Python => &PYTHON,
        Tongue::Javascript => &JAVASCRIPT,
        Tongue::Bash => &BASH,
    }
}

fn load(tongue: Tongue) -> RuleBook {
    let (name, text) = shipped(tongue);
    read_shipped(name, text)
}

/// The shipped files are read by a test, so that the empty book can't be met.
fn read_shipped(name: &str, text: &str) -> RuleBook {
    RuleBook::read(name, text).unwrap_or_default()
}
