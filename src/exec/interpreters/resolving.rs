//! Resolves the path of a program to the real executable, through links and the shims of version managers.

use super::static_facts::{self, executable_path};
use super::{Finder, version_in};
use crate::domain::{Interpreter, Language};
use crate::launch::is_program;
use std::fs;
use std::path::{Path, PathBuf};

impl Finder {
    /// Resolves a path to the real executable.
    pub(super) fn resolve(&self, language: &Language, path: PathBuf) -> Interpreter {
        let made = |path: PathBuf, version| Interpreter { language: language.clone(), path, version };
        if !static_facts::is_stand_in(&path) {
            return made(self.resolved_path(&path), None);
        }
        if let Some((real, version)) = self.stands_for(language, &path) {
            return made(executable_path(&real), version);
        }
        match static_facts::stand_in_target(&path).filter(|real| self.place.launcher.trusts(real)) {
            Some(behind) => made(executable_path(&behind), None),
            None => made(self.resolved_path(&path), None),
        }
    }

    /// The real executable. If the path itself is not trusted but the real executable would be, the path stays as it
    /// is: a link in the working folder must not make a program trusted.
    fn resolved_path(&self, path: &Path) -> PathBuf {
        let real = executable_path(path);
        if self.place.launcher.trusts(path) || !self.place.launcher.trusts(&real) {
            return real;
        }
        let below = path.strip_prefix(&self.place.cwd).ok();
        below
            .and_then(|below| Some(fs::canonicalize(&self.place.cwd).ok()?.join(below)))
            .unwrap_or_else(|| path.into())
    }

    /// The program that a shim starts outside of any project, and its version, both as the shim reports them.
    fn stands_for(&self, language: &Language, path: &Path) -> Option<(PathBuf, Option<String>)> {
        let question: &[&str] = match language.as_str() {
            "python" => &["-I", "-c", "import sys; print(sys.executable); print(sys.version.split()[0])"],
            "javascript" => &["-e", "console.log(process.execPath); console.log(process.versions.node)"],
            "rust" => &["--print", "sysroot"],
            _ => return None,
        };
        let answer = self.ask(path, question).text()?;
        let mut lines = answer.lines().map(str::trim);
        let first = PathBuf::from(lines.next().filter(|line| line.starts_with('/'))?);
        let real = if language.as_str() == "rust" { first.join("bin/rustc") } else { first };
        is_program(&real).then(|| (real, lines.next().and_then(version_in)))
    }
}
