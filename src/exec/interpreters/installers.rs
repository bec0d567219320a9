//! Finds the programs that install packages, and the Python that they may start for that.

use super::Finder;
use super::static_facts::{self, executable_path};
use crate::domain::{InstallInto, Interpreter, Language};
use crate::exec::ExecutorError;
use crate::exec::sandbox::is_system;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

impl Finder {
    /// The package manager for a language: uv, else pip as a module of the kernel's Python; npm. A pip of the project
    /// installs into the project only, so that nothing of the project influences what is installed beside the session.
    ///
    /// # Errors
    /// When there is none.
    pub(in crate::exec) fn installer(
        &self,
        language: &Language,
        into: InstallInto,
    ) -> Result<Interpreter, ExecutorError> {
        let made = |path: &Path| Interpreter {
            language: language.clone(),
            path: executable_path(path),
            version: None,
        };
        match language.as_str() {
            "python" => {
                let found = self.find(language)?;
                let python = self.python_to_install(into).ok_or(ExecutorError::ProjectPip)?;
                let python = Interpreter { path: python, ..found };
                if let Some(uv) = self.place.launcher.find(OsStr::new("uv")) {
                    return Ok(made(&uv));
                }
                if self.has_pip(&python, into) {
                    return Ok(Interpreter { version: None, ..python });
                }
                if self.has_pip(&python, InstallInto::Project) {
                    return Err(ExecutorError::ProjectPip);
                }
                Err(ExecutorError::NoPip(python.path))
            }
            "javascript" => self
                .launcher()
                .find(OsStr::new("npm"))
                .map(|npm| Interpreter { language: language.clone(), path: npm, version: None })
                .ok_or(ExecutorError::NoNpm),
            _ => Err(ExecutorError::NoInstaller(language.clone())),
        }
    }

    /// The Python that an installation may start. For an installation beside the session it is never one that came with
    /// the project, but the Python behind the project's environment, if that is the system's or a version manager's.
    pub(in crate::exec) fn python_to_install(&self, into: InstallInto) -> Option<PathBuf> {
        let python = self.find(&Language::python()).ok()?.path;
        if into == InstallInto::Project || !self.place.launcher.is_foreign(&python) {
            return Some(python);
        }
        let base = fs::canonicalize(&python).ok().filter(|base| self.place.launcher.trusts(base))?;
        let managed = [".local/share/uv/python", ".pyenv/versions"];
        let home = self.place.home.as_ref();
        let of_person = home.is_some_and(|home| managed.iter().any(|part| base.starts_with(home.join(part))));
        (of_person || is_system(&base)).then_some(base)
    }

    /// The programs that install packages, with their paths.
    pub(in crate::exec) fn installers(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let program = |name: &str| self.place.launcher.find(OsStr::new(name));
        let pip =
            self.find(&Language::python()).ok().filter(|python| self.has_pip(python, InstallInto::Project));
        vec![("uv", program("uv")), ("pip", pip.map(|python| python.path)), ("npm", program("npm"))]
    }

    /// Whether this Python has a pip that may install there. An environment of the project installs into the project
    /// only.
    pub(super) fn has_pip(&self, python: &Interpreter, into: InstallInto) -> bool {
        let of_project = self.place.launcher.is_foreign(&python.path);
        let may = match into {
            InstallInto::Session => !of_project,
            InstallInto::Project => !of_project || self.project_venv().is_some(),
        };
        may && (static_facts::holds_package(&python.path, self.place.home.as_deref(), "pip")
            || self.has(&python.path, "pip"))
    }

    /// The project's `.venv`, if it is the environment of the Python in use.
    pub(in crate::exec) fn project_venv(&self) -> Option<PathBuf> {
        let python = self.find(&Language::python()).ok()?;
        let cwd = fs::canonicalize(&self.place.cwd).ok()?;
        let venv = fs::canonicalize(cwd.join(".venv")).ok()?;
        let is_in_use = venv.starts_with(&cwd) && python.path.parent() == Some(&venv.join("bin"));
        (is_in_use && venv.join("pyvenv.cfg").is_file()).then_some(venv)
    }
}
