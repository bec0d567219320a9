//! Rules as data: what a rule file may say.
//!
//! `book` reads and indexes rule files, `judge` matches them.

use crate::domain::Severity;
use serde::Deserialize;
use std::collections::HashMap;

/// What one rule file holds. Unknown keys are refused, with their line.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    /// The language that the rules read; needed in a person's own file, known by the name of a shipped one.
    pub(super) language: Option<String>,
    /// Other names of modules and functions, and the name that the rules use.
    #[serde(default)]
    pub(super) names: HashMap<String, String>,
    /// Modules, functions and methods (`*.name`) that do nothing but compute, or nothing that no rule tells. What is
    /// neither here nor in a rule makes the effects of a text unknown.
    #[serde(default)]
    pub(super) quiet: Vec<String>,
    /// Clients of services, and the host that each speaks to.
    #[serde(default)]
    pub(super) services: HashMap<String, String>,
    /// Functions whose result carries a mark.
    #[serde(default)]
    pub(super) source: Vec<RuleSource>,
    /// Programs that run another program (shells only).
    #[serde(default)]
    pub(super) wrapper: Vec<Wrapper>,
    /// Programs whose first operand is a verb (shells only).
    #[serde(default)]
    pub(super) verbs: Vec<String>,
    /// Options that take a value, by program (shells only).
    #[serde(default)]
    pub(super) values: HashMap<String, Vec<String>>,
    /// Paths that mean something wherever they appear.
    #[serde(default)]
    pub(super) place: Vec<PlaceRow>,
    /// Ways of doing one thing, that several rules speak of.
    #[serde(default)]
    pub(super) act: Vec<NamedShape>,
    /// The rules, in any order.
    #[serde(default)]
    pub(super) rule: Vec<Rule>,
}

impl RuleFile {
    /// Adds what another file says. Its names and values win.
    pub(super) fn extend(&mut self, other: RuleFile) {
        self.names.extend(other.names);
        self.quiet.extend(other.quiet);
        self.services.extend(other.services);
        self.values.extend(other.values);
        self.source.extend(other.source);
        self.wrapper.extend(other.wrapper);
        self.verbs.extend(other.verbs);
        self.place.extend(other.place);
        self.act.extend(other.act);
        self.rule.extend(other.rule);
    }
}

/// A way of doing something: which calls, which of their arguments is the concrete thing, under which conditions.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedShape {
    /// What is done; rows of one name belong together.
    pub(super) name: String,
    pub(super) calls: Vec<String>,
    #[serde(default)]
    pub(super) target: Vec<String>,
    #[serde(default)]
    pub(super) when: Vec<Condition>,
    /// What stood there before is replaced, so that deleting it later in the same text loses nothing more.
    #[serde(default)]
    pub(super) makes: bool,
    /// What stands there comes from the network.
    #[serde(default)]
    pub(super) fetches: bool,
    /// Where the operands of a program stand, when the target is its name alone.
    #[serde(default)]
    pub(super) words: Vec<String>,
}

/// Calls whose result is marked.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSource {
    pub(super) calls: Vec<String>,
    pub(super) mark: TaintMark,
}

/// The marks that values carry; see `Taint`.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum TaintMark {
    Decoded,
    Downloaded,
    Secret,
    Environment,
    File,
}

/// A program that runs what follows it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrapper {
    pub(super) names: Vec<String>,
    /// Options that take a value in the next word.
    #[serde(default)]
    pub(super) values: Vec<String>,
    /// Operands of its own before the command.
    #[serde(default)]
    pub(super) skip: usize,
    /// The rest is put together to one text and run by a shell (`ssh host 'cmd'`, `eval`, `watch`).
    #[serde(default)]
    pub(super) text: bool,
    /// Operands are added from standard input (`xargs`).
    #[serde(default)]
    pub(super) stdin: bool,
}

/// A path with a meaning.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceRow {
    pub(super) class: PathClass,
    /// In words: `an SSH key`.
    pub(super) what: String,
    /// Globs: `~` is any home, `*` all but `/`, `**` all; without a `/` the last part of the path is meant.
    pub(super) paths: Vec<String>,
    /// Globs that are not meant.
    #[serde(default)]
    pub(super) except: Vec<String>,
}

/// What the target of an act is. For paths and hosts alike, so that rules can ask for any of them.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum PathClass {
    /// Below the working folder.
    Inside,
    Outside,
    /// The working folder itself, a folder above it, a home, or the top of the system: all is lost with it.
    Root,
    /// Below `/etc`, `/usr` and their like.
    System,
    /// The system's folder for temporary files.
    Temp,
    /// A temporary folder or file that the code itself made.
    Scratch,
    /// A file that the code itself wrote before.
    Own,
    /// A folder that a build makes anew, or something in one.
    Derived,
    /// A file that the code itself downloaded before.
    Fetched,
    Device,
    /// A device or stream that keeps nothing: `/dev/null`.
    Null,
    /// Read by a program when it starts.
    Start,
    Secret,
    /// Private, with secrets in it now and then: `.env`, histories.
    Private,
    Local,
    Remote,
    /// Only known at run time.
    Unknown,
}

impl PathClass {
    /// Whether it tells what a path is for, rather than where it is.
    pub(super) fn is_meaning(self) -> bool {
        matches!(self, PathClass::Start | PathClass::Secret | PathClass::Private)
    }
}

/// What a rule's target is, for the effects of the review.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effect {
    Reads,
    Writes,
    Deletes,
    Hosts,
    Programs,
    Packages,
    Environment,
}

/// How text that is an argument runs.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum InnerPattern {
    /// By a shell; a list is the words of one command.
    Bash,
    Python,
    Javascript,
    Sql,
    /// Any other language, read by its words.
    Other,
}

/// A condition on arguments; it holds when one of those that it names fulfils all that it says.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    /// Selectors (`0`, `-1`, `1..`, `*`, `receiver`, a name); all that they name are looked at.
    pub(super) at: Vec<String>,
    /// Whether such an argument is given at all.
    pub(super) given: Option<bool>,
    /// Its text, number or truth is one of these.
    pub(super) is: Option<Vec<String>>,
    /// Its text holds one of these.
    pub(super) contains: Option<Vec<String>>,
    /// Its text begins with one of these.
    pub(super) starts: Option<Vec<String>>,
    /// It is what one of these names stands for, or what a call of it gave (`os.getpid()`).
    pub(super) named: Option<Vec<String>>,
    /// It carries one of these marks.
    pub(super) mark: Option<Vec<TaintMark>>,
    /// Whether all of it is known.
    pub(super) constant: Option<bool>,
    /// The condition is turned round.
    #[serde(default)]
    pub(super) not: bool,
}

/// One rule: what it matches, what it says, why, and examples that are run as tests.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    /// Missing: the rule makes no finding, it only tells effects.
    #[serde(default, deserialize_with = "severity")]
    pub(super) severity: Option<Severity>,
    /// Full names of what is called; a `*` at the end stands for any rest, one at the start for any beginning.
    #[serde(default)]
    pub(super) calls: Vec<String>,
    /// Names of ways of doing something (`[[act]]`), instead of `calls` and `target`.
    #[serde(default)]
    pub(super) acts: Vec<String>,
    /// A tree-sitter query instead; the finding is placed at its capture `@found`, `{target}` is `@target`.
    pub(super) query: Option<String>,
    /// Kinds of nodes that the query begins at.
    #[serde(default)]
    pub(super) on: Vec<String>,
    /// A matcher that is written in code, instead.
    pub(super) builtin: Option<Builtin>,
    /// Where the concrete thing stands: selectors, the first that is given counts.
    #[serde(default)]
    pub(super) target: Vec<String>,
    /// All of these have to hold, and those of the act.
    #[serde(default)]
    pub(super) when: Vec<Condition>,
    /// The target has to be one of these.
    pub(super) r#where: Option<Vec<PathClass>>,
    /// The target may be none of these.
    #[serde(default)]
    pub(super) except: Vec<PathClass>,
    pub(super) effect: Option<Effect>,
    /// Milder rules that say the same of one act; they are silent where this one speaks.
    #[serde(default)]
    pub(super) over: Vec<String>,
    /// The target is itself code.
    pub(super) runs: Option<InnerPattern>,
    /// `{target}`, `{what}` (of a place with a meaning), `{name}` are filled in.
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) reference: String,
    /// Texts that the rule has to find.
    #[serde(default)]
    pub(super) matches: Vec<String>,
    /// Texts that look like it and that it has to pass over.
    #[serde(default)]
    pub(super) near_misses: Vec<String>,
}

/// A matcher that is written in code.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Builtin {
    /// Characters that are not drawn, or drawn elsewhere.
    Hidden,
    /// Names that read like others.
    Lookalike,
    /// Code out of sight.
    Shape,
    /// What the grammar could not read.
    Unread,
    /// Keys in the text.
    Keys,
    /// What the person forbids.
    Forbid,
}

fn severity<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Severity>, D::Error> {
    let word = String::deserialize(deserializer)?;
    match word.as_str() {
        "info" => Ok(Some(Severity::Info)),
        "medium" => Ok(Some(Severity::Medium)),
        "high" => Ok(Some(Severity::High)),
        _ => Err(serde::de::Error::custom(format!("unknown severity {word}: info, medium or high"))),
    }
}
