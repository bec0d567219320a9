//! Computes the terms of a package installation, and starts it.

use super::{Local, RunHost};
use crate::domain::{
    ExecutorKind, InstallInto, Interpreter, Language, Limits, PackageList, ProjectPython, Rights, Terms,
};
use crate::exec::ExecutorError;
use crate::exec::backend::BackendRun;
use crate::exec::error::ExecError;
use crate::exec::helper_wire::HelperOrder;
use crate::exec::interpreters::static_facts;
use crate::exec::node_modules::NodeModules;
use crate::exec::packages::{self, Manager};
use crate::exec::sandbox::{Allowance, SandboxError, Scratch};
use crate::exec::{blob, process};
use std::path::{Path, PathBuf};

impl Local {
    /// The terms under which packages for a language would be installed by this program. Such a run gets the network,
    /// and may write to the folder of packages only.
    pub(super) fn install_terms_of(
        &mut self,
        language: &Language,
        (installer, into): (&Interpreter, InstallInto),
        limits: Limits,
    ) -> Result<Terms, ExecutorError> {
        let folder = self.folder_of_packages(language, into)?;
        let environment = packages::environment(&self.environment, std::env::vars_os());
        let programs = self.programs(&installer.path, into);
        // uv starts the Python for which it installs.
        let asked = (Manager::of(&installer.path, language.as_str()) == Manager::Uv)
            .then(|| programs.get(1).cloned());
        let python = asked.flatten().map(|path| ProjectPython {
            version: static_facts::version(&path),
            path,
            wanted: None,
        });
        let sandbox = self.prepared_sandbox()?;
        let environment = sandbox.passed_variables(&environment);
        let Allowance { read, write, network } = sandbox.allowance_to_install(&programs, &folder);
        let sandbox = sandbox.report().clone();
        Ok(Terms {
            language: language.clone(),
            executor: ExecutorKind::Installer,
            interpreter: installer.path.clone(),
            version: installer.version.clone(),
            kernel: None,
            cwd: folder,
            rights: Rights { read, write, network, environment, python, terminal: false, sandbox }.into(),
            limits,
            shared: None,
            target: None,
        })
    }

    /// The private folders of the next installation. Whoever does not start it gives them back to `to_install`.
    pub(super) fn folders_to_install(&mut self) -> Result<Option<Scratch>, SandboxError> {
        match self.to_install.take() {
            Some(folders) => Ok(Some(folders)),
            None => self.prepared_sandbox()?.folders_to_install(),
        }
    }

    fn folder_of_packages(&self, language: &Language, into: InstallInto) -> Result<PathBuf, ExecutorError> {
        match into {
            InstallInto::Session => Ok(packages::folder(&self.setup.blobs, language.as_str())),
            InstallInto::Project => self.finder.project_venv().ok_or(ExecutorError::NoVenv),
        }
    }

    /// Whether an installation under these terms is for the session or the project.
    pub(super) fn into_of(&self, terms: &Terms) -> InstallInto {
        let is_project = self.finder.project_venv().is_some_and(|venv| venv == terms.cwd);
        if is_project { InstallInto::Project } else { InstallInto::Session }
    }

    /// The programs that an installation starts: the package manager and a Python.
    pub(super) fn programs(&self, installer: &Path, into: InstallInto) -> Vec<PathBuf> {
        std::iter::once(installer.to_path_buf()).chain(self.finder.python_to_install(into)).collect()
    }

    /// The terms under which an approved installation would run now.
    pub(super) fn install_terms_again(
        &mut self,
        approved: &Terms,
        source: &str,
    ) -> Result<Terms, ExecutorError> {
        let list = PackageList::parse(approved.language.as_str(), source)?;
        let installer = self.finder.installer(&approved.language, list.into)?;
        self.install_terms_of(&approved.language, (&installer, list.into), approved.limits)
    }

    pub(super) fn begin_install(
        &mut self,
        BackendRun { terms, source, .. }: &BackendRun,
    ) -> Result<RunHost, ExecError> {
        let language = terms.language.as_str();
        let list = PackageList::parse(language, source)?;
        // The approved folder. A new search could find another one by now.
        let folder = terms.cwd.clone();
        if list.into == InstallInto::Session {
            blob::make_folder(&folder)?;
        }
        if language != "python" {
            NodeModules::of(&self.setup.blobs).make_ready()?;
        }
        let python = self.finder.python_to_install(list.into).unwrap_or_default();
        let manager = Manager::of(&terms.interpreter, language);
        let mut env = packages::environment(&self.environment, std::env::vars_os());
        let programs = self.programs(&terms.interpreter, list.into);
        let private = self.folders_to_install()?;
        let sandbox = self.prepared_sandbox()?;
        sandbox.set_variables_to_install(&mut env, private.as_ref());
        if private.is_some() {
            packages::follow_no_settings(&mut env);
        }
        let enclosure = sandbox.enclosure_to_install(&programs, &folder, private.as_ref());
        let invocation = packages::invocation((manager, &terms.interpreter), &python, &folder, &list, env);
        let mut process = process::start(&enclosure, &terms.limits, invocation, |_| Err(ExecError::Ended))?;
        process.private = private;
        process.link.order(&HelperOrder::Begin(terms.limits));
        Ok(RunHost::Program(Box::new(process), None))
    }
}
