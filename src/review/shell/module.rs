//! Reads `python -m MODULE`: a module that is a program of its own, one of the standard library, or code that nobody saw.

use super::ShellReader;
use super::change::is_or;
use crate::review::folder;
use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::programs;
use crate::review::value::Argument;
use std::ops::Range;
use tree_sitter::Node;

/// Modules that are read like the program of their name, besides those that run what the folder says.
const PROGRAMS: &[&str] = &["pip", "pipx", "conda"];

/// Modules of the standard library that run no code but their own.
const STANDARD: &[&str] = &[
    "ast",
    "base64",
    "calendar",
    "compileall",
    "dis",
    "ensurepip",
    "filecmp",
    "gzip",
    "http.server",
    "json",
    "json.tool",
    "locale",
    "mimetypes",
    "platform",
    "py_compile",
    "site",
    "SimpleHTTPServer",
    "sysconfig",
    "tabnanny",
    "tarfile",
    "this",
    "tokenize",
    "uuid",
    "venv",
    "zipapp",
    "zipfile",
];

impl ShellReader<'_, '_> {
    /// The module's own command, if it is a program: `python -m pip …` is `pip …`. Reports what other modules do as not
    /// known.
    pub(super) fn module(
        &mut self,
        name: &str,
        words: &[Argument],
        span: &Range<usize>,
    ) -> Option<Vec<Argument>> {
        let command = module_words(words).filter(|_| is_python(name))?;
        let module = command.first()?.value.as_whole_text().unwrap_or("the module").to_owned();
        let first = module.split('.').next().unwrap_or_default();
        if self.scope.modules.contains_key(first) {
            // It is looked for in the folder first, as by an import.
            let import = NestedCode::text(Grammar::Python, format!("import {first}"), span.clone());
            self.reading.nested.push(import.within(self.folder.clone()));
        }
        // `Scope::modules` is of the folder where the text starts.
        self.reading.unknown |= folder::may_be_elsewhere(self.folder.as_ref(), self.scope);
        let runs_folder = programs::shipped().get(&module).is_some_and(|program| program.project);
        if PROGRAMS.contains(&module.as_str()) || runs_folder {
            return Some(command);
        }
        if !STANDARD.contains(&module.as_str()) {
            self.not_known(&module, span, false);
        }
        if let ("venv", [_, place]) = (module.as_str(), command.as_slice()) {
            let place = place.value.as_whole_text().filter(|_| self.folder.is_none());
            self.activation = place.map(|place| (format!("{place}/bin/activate"), self.reading.acts.len()));
        }
        None
    }

    /// Whether this is the script that the command before has just made, so that nothing can have changed it, nor the
    /// folder.
    pub(super) fn is_fresh_activation(&self, path: &str) -> bool {
        let Some((made, before)) = &self.activation else { return false };
        let acts = self.reading.acts.get(*before..).unwrap_or_default();
        let is_next = match acts {
            [] => true,
            [make, rest @ ..] => {
                make.name.starts_with("python") && rest.iter().all(|act| matches!(&*act.name, "." | "source"))
            }
        };
        made.trim_start_matches("./") == path.trim_start_matches("./") && is_next
    }
}

/// Whether a program of this name is Python.
pub(super) fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    name == "py" || version.is_some_and(|version| version.chars().all(|c| !c.is_alphabetic()))
}

/// Whether nothing decides if a command runs: it stands alone, or first in a list.
pub(super) fn runs_always(command: Node<'_>) -> bool {
    let mut node = command;
    while let Some(outer) = node.parent() {
        let is_first = outer.named_child(0).is_some_and(|first| first.id() == node.id());
        let goes_on =
            outer.kind() == "redirected_statement" || outer.kind() == "list" && is_first && !is_or(outer);
        if !goes_on {
            return outer.kind() == "program";
        }
        node = outer;
    }
    false
}

/// The module that the options of python name, and the words after it.
fn module_words(words: &[Argument]) -> Option<Vec<Argument>> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        // An unknown word may be an option, or nothing.
        let Some(text) = word.value.as_whole_text() else { continue };
        if text == "--check-hash-based-pycs" {
            rest.next();
            continue;
        }
        let flags = text.strip_prefix('-').filter(|flags| !flags.is_empty())?;
        let letters = if flags.starts_with('-') { "" } else { flags };
        let Some(at) = letters.find(['c', 'm', 'W', 'X']) else { continue };
        let (option, attached) = letters.get(at..)?.split_at(1);
        match (option, attached) {
            ("c", _) => return None,
            ("m", "") => return Some(rest.cloned().collect()),
            ("m", module) => {
                let module = Argument::text(module, &word.span);
                return Some(std::iter::once(module).chain(rest.cloned()).collect());
            }
            (_, "") => _ = rest.next(),
            _ => {}
        }
    }
    None
}
