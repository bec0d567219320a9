//! Finds out the version of a program, from its files or by a query, and whether it is new enough.

use super::environments::{self, ProjectSite};
use super::static_facts::{self, executable_path};
use super::{Finder, embedded_version, which};
use crate::domain::language::RunMethod;
use crate::domain::{Interpreter, Language};
use crate::exec::asking::QuestionResult;
use crate::text::number::version_numbers;
use std::env;
use std::path::{Path, PathBuf};

impl Finder {
    /// The version of a program as far as its files show it.
    pub(super) fn version_by_files(found: &Interpreter, way: &RunMethod) -> Option<String> {
        let of_node =
            || (way.command == "node").then(|| embedded_version::node_version(&found.path)).flatten();
        found.version.clone().or_else(|| static_facts::version(&found.path)).or_else(of_node)
    }

    /// If the program is too old, what is needed: `node 22.13 or newer (it is 20.20.2)`.
    pub(super) fn too_old(&self, found: &Interpreter, way: &RunMethod) -> Option<String> {
        let since = way.since.as_deref()?;
        let version = match Self::version_by_files(found, way) {
            Some(told) => Some(told),
            None => match self.ask(&found.path, &["--version"]) {
                QuestionResult::Said(text) => version_in(&text),
                QuestionResult::Silent => None,
                // The version can't be found out beforehand. A program that is too old will report that when it runs.
                QuestionResult::NotAsked if self.place.launcher.trusts(&found.path) => return None,
                QuestionResult::NotAsked => None,
            },
        };
        match version {
            Some(version) if version_numbers(&version) >= version_numbers(since) => None,
            Some(version) => Some(format!("{} {since} or newer (it is {version})", way.command)),
            // The person named this very file, which may not be queried. It is used; if it is too old, it will report
            // that itself.
            None if Path::new(&way.command).is_absolute() => None,
            None => Some(format!("{} {since} or newer", way.command)),
        }
    }

    /// The version of Python that the project asks for, if another one is used because it is not installed.
    pub(in crate::exec) fn missing_python(&self) -> Option<String> {
        if self.chosen_program(&Language::python()).is_some() {
            return None;
        }
        let wanted = environments::missing_version(self.site())?;
        let found = self.find(&Language::python()).ok()?;
        let version = found.version.or_else(|| static_facts::version(&found.path))?;
        let (wanted_numbers, numbers) = (version_numbers(&wanted), version_numbers(&version));
        let fits = wanted_numbers.iter().zip(&numbers).all(|(wanted, is)| wanted == is);
        (!fits).then_some(wanted)
    }
}

/// The versions of Python, bash and node that blocks would use, as far as their paths and files show them. Starts
/// nothing. `python` is the Python that the person chose.
pub(crate) fn versions_by_files(
    cwd: &Path,
    home: Option<&Path>,
    python: Option<&Path>,
) -> Vec<(Language, String)> {
    let site = ProjectSite { cwd, home, var: &|name| env::var_os(name) };
    let python = match python {
        Some(chosen) => which(chosen),
        None => environments::python_of(site).or_else(|| which(Path::new("python3"))),
    };
    let version = |language: &Language, path: PathBuf| {
        let real = if static_facts::is_stand_in(&path) {
            static_facts::stand_in_target(&path)?
        } else {
            executable_path(&path)
        };
        static_facts::version(&real).or_else(|| match language.as_str() {
            "bash" => embedded_version::bash_version(&real),
            "javascript" => embedded_version::node_version(&real),
            _ => None,
        })
    };
    let named = |name: &str| which(Path::new(name));
    let found = [
        (Language::python(), python),
        (Language::bash(), named("bash")),
        (Language::javascript(), named("node")),
    ];
    let told = |(language, path): (Language, Option<PathBuf>)| {
        let version = version(&language, path?)?;
        Some((language, version))
    };
    found.into_iter().filter_map(told).collect()
}

/// The first word that looks like a version.
pub(super) fn version_in(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || c == ',' || c == '(')
        .map(|word| word.trim_start_matches('v').trim_end_matches(')'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(ToString::to_string)
}
