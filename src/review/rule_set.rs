//! The rules of one language, indexed by the names they apply to.
//!
//! The shipped sets are parsed at the first use; `rule_registry` makes sets that include the person's own rules.

use super::grammar::Grammar;
use super::queries::{self, CompiledQueries};
use super::rule_error::RuleError;
use super::rules::{ActRow, Condition, ReviewRule, RuleFile, TaintMark};
use super::value::Value;
use crate::text::position::{line_of, start_of};
use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

/// One way (shape) in which a rule may match.
#[derive(Debug)]
pub(super) struct RuleShape {
    rule: usize,
    pub(super) target: Vec<String>,
    /// The target itself, if no argument names it.
    pub(super) path: Option<Value>,
    pub(super) when: Vec<Condition>,
    pub(super) words: Vec<String>,
    /// The act creates what it writes, or overwrites it.
    pub(super) makes: bool,
    /// What the act writes comes from the network.
    pub(super) fetches: bool,
}

/// The rules of one language, with an index by called name.
#[derive(Debug, Default)]
pub(super) struct RuleSet {
    pub(super) file: RuleFile,
    queries: OnceLock<Option<CompiledQueries>>,
    shapes: Vec<RuleShape>,
    exact: HashMap<String, Vec<usize>>,
    prefixes: Vec<(String, usize)>,
    suffixes: Vec<(String, usize)>,
    /// Patterns with a `*` inside, split at the stars.
    globs: Vec<(Vec<String>, usize)>,
    marks: HashMap<String, TaintMark>,
    mark_prefixes: Vec<(String, TaintMark)>,
    /// Names whose calls only compute, or do what rules report; what other calls do is not known.
    quiet: HashSet<String>,
    /// All words that occur in names of the rules.
    words: HashSet<String>,
}

/// Parses a rule file. `name` is for messages.
pub(super) fn parse(name: &str, text: &str) -> Result<RuleFile, RuleError> {
    toml::from_str(text).map_err(|error| RuleError::Unreadable {
        file: name.to_owned(),
        line: line_of(text, start_of(&error)),
        reason: error.message().trim().replace('\n', ", "),
    })
}

impl RuleSet {
    /// Indexes a rule file. `name` is for messages.
    pub(super) fn new(name: &str, file: RuleFile) -> Result<Self, RuleError> {
        let mut set = RuleSet::default();
        let mut seen = HashSet::new();
        for (index, rule) in file.rule.iter().enumerate() {
            validate(name, rule, &mut seen)?;
            let own = ActRow { calls: rule.calls.clone(), target: rule.target.clone(), ..ActRow::default() };
            set.add(index, &own, &[]);
            for wanted in &rule.acts {
                let mut known = false;
                for act in file.act.iter().filter(|act| act.name == *wanted) {
                    known = true;
                    set.add(index, act, &rule.target);
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
                    Some(prefix) => set.mark_prefixes.push((prefix.to_owned(), source.mark)),
                    None => drop(set.marks.insert(call.clone(), source.mark)),
                }
            }
        }
        set.quiet = file.quiet.iter().cloned().collect();
        let spoken = set.exact.keys().chain(&set.quiet).chain(file.names.keys()).chain(file.names.values());
        let words =
            spoken.chain(set.marks.keys()).flat_map(|name| name.split(['.', '(', ')', '*', '[', ']']));
        set.words = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        set.file = file;
        Ok(set)
    }

    /// Adds a shape of a rule; the rule's `target` takes precedence over that of the act.
    fn add(&mut self, rule: usize, act: &ActRow, target: &[String]) {
        if act.calls.is_empty() {
            return;
        }
        let shape = self.shapes.len();
        let target = if target.is_empty() { act.target.clone() } else { target.to_vec() };
        let (when, words) = (act.when.clone(), act.words.clone());
        let path = act.path.as_ref().map(Value::text);
        self.shapes.push(RuleShape {
            rule,
            target,
            path,
            when,
            words,
            makes: act.makes,
            fetches: act.fetches,
        });
        for call in &act.calls {
            if call.matches('*').count() > 1 || call.trim_matches('*').contains('*') {
                self.globs.push((call.split('*').map(str::to_owned).collect(), shape));
            } else if let Some(prefix) = call.strip_suffix('*') {
                self.prefixes.push((prefix.to_owned(), shape));
            } else if let Some(suffix) = call.strip_prefix('*') {
                self.suffixes.push((suffix.to_owned(), shape));
            } else {
                self.exact.entry(call.clone()).or_default().push(shape);
            }
        }
    }

    /// The rules that may apply to a call of this name, each with the shape that matched.
    pub(super) fn rules_for<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a ReviewRule, &'a RuleShape)> {
        let exact = self.exact.get(name).into_iter().flatten().copied();
        let prefixed =
            self.prefixes.iter().filter(move |(p, _)| name.starts_with(p.as_str())).map(|(_, i)| *i);
        let suffixed = self.suffixes.iter().filter(move |(s, _)| name.ends_with(s.as_str())).map(|(_, i)| *i);
        let globbed = self.globs.iter().filter(move |(parts, _)| matches_glob(parts, name)).map(|(_, i)| *i);
        let shapes =
            exact.chain(prefixed).chain(suffixed).chain(globbed).filter_map(|index| self.shapes.get(index));
        shapes.filter_map(|shape| Some((self.file.rule.get(shape.rule)?, shape)))
    }

    /// The compiled queries of the rules, made at the first use; `None` if there are none.
    pub(super) fn queries(&self, grammar: Grammar) -> Option<&CompiledQueries> {
        let compile = || queries::compile("", grammar, &self.file.rule).ok().flatten();
        self.queries.get_or_init(compile).as_ref()
    }

    /// Whether a rule mentions exactly this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.exact.contains_key(name)
    }

    /// The host that a client of a service contacts.
    pub(super) fn host_of(&self, name: &str) -> Option<&str> {
        self.file.services.get(name).map(String::as_str)
    }

    /// Whether a word is part of a name that rules mention.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether it is known what a call of this name does: rules speak of it, the text defines it, or it, its module or
    /// its method is listed as quiet.
    pub(super) fn knows_effects_of(&self, name: &str) -> bool {
        if name.starts_with(['@', '('])
            || ["def ", "class ", "function "].iter().any(|own| name.starts_with(own))
        {
            return true;
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        if name.contains('.') && self.quiet.contains(&format!("*.{last}")) {
            return true;
        }
        let ends = name.match_indices(['.', '(']).map(|(at, _)| at).chain([name.len()]);
        let mut heads = ends.filter_map(|end| name.get(..end));
        heads.any(|head| self.quiet.contains(head)) || self.rules_for(name).next().is_some()
    }

    /// The taint mark of the result of calling this name.
    pub(super) fn mark_of(&self, name: &str) -> Option<TaintMark> {
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

/// Whether a name consists of these parts in order, with anything in between.
fn matches_glob(parts: &[String], name: &str) -> bool {
    let [first, inner @ .., last] = parts else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in inner {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last.as_str())
}

/// Checks that a rule has exactly one matcher, a message if it needs one, and an unused id.
fn validate<'r>(file: &str, rule: &'r ReviewRule, seen: &mut HashSet<&'r str>) -> Result<(), RuleError> {
    let (file, id) = (file.to_owned(), rule.id.clone());
    let ways = [
        !rule.calls.is_empty(),
        !rule.acts.is_empty(),
        rule.query.is_some() && !rule.on.is_empty(),
        rule.builtin.is_some(),
    ];
    if ways.iter().filter(|way| **way).count() != 1 {
        return Err(RuleError::NoMatcher { file, rule: id });
    }
    if rule.severity.is_some() && rule.message.trim().is_empty() {
        return Err(RuleError::NoMessage { file, rule: id });
    }
    if !seen.insert(&rule.id) {
        return Err(RuleError::Twice { file, rule: id });
    }
    Ok(())
}

/// The name and the text of a shipped rule file.
pub(super) fn shipped(grammar: Grammar) -> (&'static str, &'static str) {
    match grammar {
        Grammar::Python => ("python.toml", include_str!("../../assets/rules/python.toml")),
        Grammar::Javascript => ("javascript.toml", include_str!("../../assets/rules/javascript.toml")),
        Grammar::Bash => ("bash.toml", include_str!("../../assets/rules/bash.toml")),
        Grammar::Sql => ("sql.toml", include_str!("../../assets/rules/sql.toml")),
        Grammar::Other => ("other.toml", include_str!("../../assets/rules/other.toml")),
    }
}

/// The file name and text of the rules for every language.
pub(super) const COMMON: (&str, &str) = ("common.toml", include_str!("../../assets/rules/common.toml"));

/// The rules for every language, and the shipped sensitive places.
pub(super) fn common() -> &'static RuleSet {
    static BOOK: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(COMMON));
    &BOOK
}

/// The shipped rules of a language, parsed at the first use.
pub(super) fn shipped_rules(grammar: Grammar) -> &'static RuleSet {
    static PYTHON: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(shipped(Grammar::Python)));
    static JAVASCRIPT: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(shipped(Grammar::Javascript)));
    static BASH: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(shipped(Grammar::Bash)));
    static SQL: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(shipped(Grammar::Sql)));
    static OTHER: LazyLock<RuleSet> = LazyLock::new(|| read_shipped(shipped(Grammar::Other)));
    match grammar {
        Grammar::Python => &PYTHON,
        Grammar::Javascript => &JAVASCRIPT,
        Grammar::Bash => &BASH,
        Grammar::Sql => &SQL,
        Grammar::Other => &OTHER,
    }
}

/// A test reads the shipped files, so the empty default is never used.
fn read_shipped((name, text): (&str, &str)) -> RuleSet {
    parse(name, text).and_then(|file| RuleSet::new(name, file)).unwrap_or_default()
}
