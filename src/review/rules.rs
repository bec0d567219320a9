//! The format of rule files.
//!
//! `rule_set` parses and indexes them, `judge` matches them.

use super::grammar::Grammar;
use crate::domain::Severity;
use serde::Deserialize;
use std::collections::HashMap;

/// The content of one rule file. Unknown keys are refused, with their line.
#[derive(Deserialize, Debug, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RuleFile {
    /// The language of the rules. A person's own file has to give it; that of a shipped file is known by the file.
    pub(super) language: Option<String>,
    /// Other names of modules and functions, and the name that the rules use for each.
    pub(super) names: HashMap<String, String>,
    /// Modules, functions and methods (`*.name`) that only compute, or do nothing that a rule has to report. A call
    /// that is neither here nor in a rule makes the effects of a text unknown.
    pub(super) quiet: Vec<String>,
    /// Clients of services, and the host that each contacts.
    pub(super) services: HashMap<String, String>,
    /// Functions whose result carries a mark.
    pub(super) source: Vec<RuleSource>,
    /// Programs that run another program (shells only).
    pub(super) wrapper: Vec<Wrapper>,
    /// Programs whose first operand is a verb (shells only).
    pub(super) verbs: Vec<String>,
    /// Options that take a value, by program (shells only).
    pub(super) values: HashMap<String, Vec<String>>,
    /// Sensitive paths.
    pub(super) place: Vec<PlaceRow>,
    /// Acts: sets of calls that do the same thing, shared by several rules.
    pub(super) act: Vec<ActRow>,
    /// The rules, in any order.
    pub(super) rule: Vec<ReviewRule>,
}

impl RuleFile {
    /// Adds the content of another file. Its names and values take precedence.
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

/// A way of doing something: the calls, which argument is the target, and under which conditions.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRow {
    /// The name of the act; rows with the same name belong together.
    pub(super) name: String,
    pub(super) calls: Vec<String>,
    #[serde(default)]
    pub(super) target: Vec<String>,
    /// The target itself, if no argument names it: `a.out` for a compiler.
    pub(super) path: Option<String>,
    #[serde(default)]
    pub(super) when: Vec<Condition>,
    /// The old content is replaced, so deleting it later in the same text loses nothing more.
    #[serde(default)]
    pub(super) makes: bool,
    /// The new content comes from the network.
    #[serde(default)]
    pub(super) fetches: bool,
    /// Selectors of a program's operands, if the target is only its name.
    #[serde(default)]
    pub(super) words: Vec<String>,
}

/// Calls whose result carries a taint mark.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSource {
    pub(super) calls: Vec<String>,
    pub(super) mark: TaintMark,
}

/// The taint marks of values; see `Taint`.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum TaintMark {
    Decoded,
    Downloaded,
    Secret,
    Environment,
    File,
}

/// A program that runs the command after it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrapper {
    pub(super) names: Vec<String>,
    /// Options that take a value in the next word.
    #[serde(default)]
    pub(super) values: Vec<String>,
    /// How many operands of its own come before the command.
    #[serde(default)]
    pub(super) skip: usize,
    /// Whether the rest is joined into one text and run by a shell (`ssh host 'cmd'`, `eval`, `watch`).
    #[serde(default)]
    pub(super) text: bool,
    /// Whether operands are added from standard input (`xargs`).
    #[serde(default)]
    pub(super) stdin: bool,
}

/// A sensitive path.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceRow {
    pub(super) class: TargetClass,
    /// What it is: `an SSH key`.
    pub(super) what: String,
    /// Globs: `~` is any home, `*` any text without `/`, `**` any text. A glob without `/` matches the last part of a
    /// path.
    pub(super) paths: Vec<String>,
    /// Globs that are excluded.
    #[serde(default)]
    pub(super) except: Vec<String>,
}

/// The class of a target, for paths and hosts alike, so that rules can ask for any of them.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum TargetClass {
    /// Below the working folder.
    Inside,
    Outside,
    /// The working folder itself, a folder above it, a home, or the root of the file system: deleting it loses
    /// everything.
    Root,
    /// Below `/etc`, `/usr` and the like.
    System,
    /// The system's folder for temporary files.
    Temp,
    /// A temporary folder or file that the code itself made.
    Scratch,
    /// A file that the code itself wrote before.
    Own,
    /// A folder that a build recreates, or something in it.
    Derived,
    /// A file that the code itself downloaded before.
    Fetched,
    Device,
    /// A device or stream that stores nothing: `/dev/null`.
    Null,
    /// A file that a program reads when it starts.
    Start,
    Secret,
    /// Private, and may contain secrets: `.env`, histories.
    Private,
    Local,
    Remote,
    /// Known only at run time.
    Unknown,
}

impl TargetClass {
    /// Whether the class says what a path is for, rather than where it is.
    pub(super) fn is_meaning(self) -> bool {
        matches!(self, TargetClass::Start | TargetClass::Secret | TargetClass::Private)
    }
}

/// The list of the review's effects to which a rule's target is added.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename = "Effect", rename_all = "lowercase")]
pub(super) enum EffectKind {
    Reads,
    Writes,
    Deletes,
    Hosts,
    Programs,
    Packages,
    Environment,
}

/// A condition on arguments; it holds if one of the selected arguments meets all of its tests.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    /// Selectors (`0`, `-1`, `1..`, `*`, `receiver`, a name); all arguments that they select are tested.
    pub(super) at: Vec<String>,
    /// Whether such an argument has to be present or absent.
    pub(super) given: Option<bool>,
    /// Its text, number or boolean is one of these.
    pub(super) is: Option<Vec<String>>,
    /// Its text contains one of these.
    pub(super) contains: Option<Vec<String>>,
    /// Its text begins with one of these.
    pub(super) starts: Option<Vec<String>>,
    /// Its text ends with one of these.
    pub(super) ends: Option<Vec<String>>,
    /// It is one of these names, or the result of calling one (`os.getpid()`).
    pub(super) named: Option<Vec<String>>,
    /// It carries one of these marks.
    pub(super) mark: Option<Vec<TaintMark>>,
    /// Whether it has to be fully known.
    pub(super) constant: Option<bool>,
    /// Negates the condition.
    #[serde(default)]
    pub(super) not: bool,
}

/// One rule: what it matches, its message and reason, and examples that are run as tests.
#[derive(Deserialize, Debug)]
#[serde(rename = "Rule", deny_unknown_fields)]
pub(super) struct ReviewRule {
    pub(super) id: String,
    /// If missing, the rule gives no finding, only effects.
    #[serde(default, deserialize_with = "severity")]
    pub(super) severity: Option<Severity>,
    /// Full names of calls; a `*` at the end matches any rest, one at the start any beginning.
    #[serde(default)]
    pub(super) calls: Vec<String>,
    /// Names of acts (`[[act]]`), instead of `calls`.
    #[serde(default)]
    pub(super) acts: Vec<String>,
    /// A tree-sitter query instead; its capture `@found` gives the place of the finding, `@target` the `{target}`.
    pub(super) query: Option<String>,
    /// The kinds of nodes at which the query begins.
    #[serde(default)]
    pub(super) on: Vec<String>,
    /// A matcher written in Rust, instead.
    pub(super) builtin: Option<Builtin>,
    /// Selectors of the target; the first one that selects an argument counts.
    #[serde(default)]
    pub(super) target: Vec<String>,
    /// Conditions that all have to hold, in addition to those of the act.
    #[serde(default)]
    pub(super) when: Vec<Condition>,
    /// The target has to be in one of these classes.
    pub(super) r#where: Option<Vec<TargetClass>>,
    /// The target must be in none of these classes.
    #[serde(default)]
    pub(super) except: Vec<TargetClass>,
    pub(super) effect: Option<EffectKind>,
    /// Milder rules on the same act, which are silent if this one matches.
    #[serde(default)]
    pub(super) over: Vec<String>,
    /// What the act does is not known, unless it runs a file that the text wrote itself.
    #[serde(default)]
    pub(super) unknown: bool,
    /// The target is itself code, in this language. In bash, a list is the words of one command.
    pub(super) runs: Option<Grammar>,
    /// May contain `{target}`; and, in a rule without a query, `{what}` (what a sensitive place is), `{name}` and
    /// `{folder}` (` in …`, where that is not the folder in which the text starts).
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) reference: String,
    /// Texts in which the rule has to find something.
    #[serde(default)]
    pub(super) matches: Vec<String>,
    /// Similar texts in which the rule must find nothing.
    #[serde(default)]
    pub(super) near_misses: Vec<String>,
}

/// A matcher written in Rust.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Builtin {
    /// Characters that are invisible, or shown in another place.
    Hidden,
    /// Names that look like others.
    Lookalike,
    /// Code out of sight.
    Shape,
    /// Code that the grammar could not parse.
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
