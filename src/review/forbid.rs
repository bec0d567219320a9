//! The person's list of forbidden modules, calls, programs and rules. A block that uses one is refused until it is
//! edited.
//!
//! One list serves all: `urllib` is the module and everything called in it, `os.system` one call in any spelling,
//! `curl` a program in any shell, `py.eval*` whatever those rules find. Names are compared after aliases were resolved.

use super::diagnostic::Diagnostic;
use super::value::Act;
use crate::domain::{Review, Severity};
use std::ops::Range;

/// The strict profile: the names that the sandboxes of function-calling demos forbid, and the ways around those.
const STRICT: &str = include_str!("../../assets/rules/strict.toml");

/// Names that may not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forbid {
    names: Vec<String>,
    /// Whether the list contains the whole strict profile.
    strict: bool,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    forbid: Vec<String>,
}

impl Forbid {
    /// A list of these names. One that ends with `*` covers all names that begin with it.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut names: Vec<String> =
            names.into_iter().map(|n| n.trim().to_owned()).filter(|n| !n.is_empty() && n != "*").collect();
        names.sort_unstable();
        names.dedup();
        let strict = Self::strict();
        let strict = !strict.is_empty() && strict.iter().all(|name| names.binary_search(name).is_ok());
        Self { names, strict }
    }

    pub(crate) fn strict() -> Vec<String> {
        toml::from_str::<Profile>(STRICT).map(|profile| profile.forbid).unwrap_or_default()
    }

    /// The names on the list, as `review.forbid` configures them.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the strict profile applies, under which an unchecked text is forbidden, too.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The entry that covers a name: the name itself, something that contains it, or a prefix with `*`.
    fn entry(&self, name: &str) -> Option<&str> {
        let hit = |entry: &&String| match entry.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => name
                .strip_prefix(entry.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '/', ' ', '['])),
        };
        self.names.iter().find(hit).map(String::as_str)
    }

    pub(super) fn rule(&self, id: &str) -> bool {
        self.entry(id).is_some()
    }

    /// Marks findings whose rules are on the list, in reviews of blocks without code (files, packages).
    pub(crate) fn mark(&self, review: &mut Review) {
        for finding in &mut review.findings {
            finding.forbidden |= self.rule(&finding.rule);
        }
    }

    /// A diagnostic if the act is forbidden. Names with a `?` are not known, so they match nothing.
    pub(super) fn act(&self, act: &Act) -> Option<Diagnostic> {
        let name = act.name.as_str();
        // Tries the program with its verb, then the program alone.
        let found = self.entry(name).or_else(|| self.entry(name.split(' ').next().unwrap_or_default()))?;
        Some(diagnostic(found, &format!("calls {name}"), &act.span))
    }

    /// A diagnostic if the import is forbidden.
    pub(super) fn import(&self, module: &str, span: &Range<usize>) -> Option<Diagnostic> {
        let found = self.entry(module)?;
        Some(diagnostic(found, &format!("uses {module}"), span))
    }
}

fn diagnostic(entry: &str, what: &str, span: &Range<usize>) -> Diagnostic {
    let message = format!("forbidden ({entry}): {what}");
    let told = Diagnostic::new("common.forbidden", Severity::High, span.clone(), message);
    Diagnostic { forbidden: true, ..told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Language;
    use crate::review::rule_registry::example_scope;
    use crate::review::{RuleRegistry, review};

    fn review_forbidding(language: &str, source: &str, forbid: Vec<&str>) -> Review {
        let forbid = Forbid::new(forbid.into_iter().map(str::to_owned));
        let scope = example_scope(RuleRegistry::default().forbidding(forbid));
        review(source, Some(&Language(language.to_owned())), &scope)
    }

    #[test]
    fn one_thing_is_forbidden_in_all_its_spellings() {
        for source in [
            "import os\nos.system('ls')",
            "import os as o\no.system('ls')",
            "from os import system",
            "from os import system as s\ns('ls')",
            "from os import *\nsystem('ls')",
            "import posix\nposix.system('ls')",
            "getattr(__import__('os'), 'sys' + 'tem')('ls')",
            "import importlib\nimportlib.import_module('os').system('ls')",
            "exec(\"import os; os.system('ls')\")",
            "import subprocess\nsubprocess.run(['python3', '-c', 'import os; os.system(1)'])",
        ] {
            assert!(review_forbidding("python", source, vec!["os.system"]).forbidden(), "{source}");
        }
        for source in ["import os\nprint(os.getcwd())", "system = 1", "print('os.system')", "import osx"] {
            assert!(!review_forbidding("python", source, vec!["os.system"]).forbidden(), "{source}");
        }
    }

    #[test]
    fn modules_programs_and_rules_can_be_named() {
        assert!(review_forbidding("python", "import http.client", vec!["http"]).forbidden());
        assert!(!review_forbidding("python", "import httpx", vec!["http"]).forbidden());
        assert!(review_forbidding("javascript", "import fs from 'node:fs/promises'", vec!["fs"]).forbidden());
        assert!(review_forbidding("bash", "ls | sudo xargs curl x", vec!["curl"]).forbidden());
        assert!(review_forbidding("bash", "git -C a push origin", vec!["git push"]).forbidden());
        assert!(!review_forbidding("bash", "git status", vec!["git push"]).forbidden());
        let review = review_forbidding("python", "import os\nos.remove('a')", vec!["py.delete-*"]);
        let marked: Vec<_> = review.findings.iter().filter(|f| f.forbidden).map(|f| f.place.line).collect();
        assert_eq!(marked, [2]);
        assert!(!review_forbidding("python", "print(1)", vec!["*", "", " "]).forbidden());
    }

    #[test]
    fn acts_on_files_and_installations_are_barred_by_their_rules() {
        let finding = |rule: &str| crate::domain::Finding::new(rule, Severity::Medium, "x");
        let findings: Vec<_> = ["file.outside", "file.remark", "sayso.install"].map(finding).into();
        let marked = |forbid: &[&str]| {
            let mut review = Review { findings: findings.clone(), ..Review::default() };
            Forbid::new(forbid.iter().map(|name| (*name).to_owned())).mark(&mut review);
            review.findings.iter().map(|finding| finding.forbidden).collect::<Vec<_>>()
        };
        assert_eq!(marked(&["file.outside"]), [true, false, false]);
        assert_eq!(marked(&["file*", "sayso.install"]), [true, true, true]);
        assert_eq!(marked(&["os.system"]), [false; 3]);
    }

    #[test]
    fn the_strict_profile_closes_its_holes() {
        let strict = Forbid::strict();
        assert!(strict.len() > 100);
        let names: Vec<&str> = strict.iter().map(String::as_str).collect();
        for source in [
            "import urllib.request",
            "from http import client",
            "import importlib",
            "import ctypes",
            "from os import system",
            "import os as o",
            "eval('1')",
            "__builtins__['ev' + 'al']('1')",
            "open('a')",
            "import builtins as b\nb.open('a')",
            "import socket, requests",
        ] {
            assert!(review_forbidding("python", source, names.clone()).forbidden(), "{source}");
        }
        for source in [
            "import math, re, json, statistics\nprint(math.pi)",
            "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\nprint(df.a.mean(), df.eval('a + 1'))",
            "from collections import Counter\ndef f(x: list) -> int:\n    return sum(x)",
        ] {
            let review = review_forbidding("python", source, names.clone());
            assert!(!review.forbidden(), "{source} {:?}", review.findings);
        }
    }
}
