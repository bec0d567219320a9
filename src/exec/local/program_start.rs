//! Starts the program that runs a block of a language without a kernel.

use super::{Local, RunHost};
use crate::domain::{SandboxLevel, Terms};
use crate::exec::backend::BackendRun;
use crate::exec::environment::{self, Environment};
use crate::exec::error::ExecError;
use crate::exec::helper_wire::HelperOrder;
use crate::exec::kernel_wire::FrameToken;
use crate::exec::languages::{self, TextName};
use crate::exec::own_names::OwnNames;
use crate::exec::plan::{self, InheritedFd};
use crate::exec::{memory_file, packages, process};
use crate::launch::PrivateFolder;
use crate::text::number::hex;
use std::os::fd::OwnedFd;

impl Local {
    /// The folder in which programs are built: the temporary folder of the sandbox, or without a sandbox one that is
    /// removed with this executor.
    fn folder_to_build(&mut self, env: &Environment) -> Result<String, ExecError> {
        if self.prepared_sandbox()?.report().level == SandboxLevel::Off {
            let folder = match self.built.take() {
                Some(folder) => folder,
                None => PrivateFolder::make()?,
            };
            return Ok(self.built.insert(folder).path().to_string_lossy().into_owned());
        }
        let named = environment::value(env, "TMPDIR").filter(|folder| !folder.is_empty());
        let folder = named.map_or("/tmp".into(), |folder| folder.to_string_lossy());
        Ok(folder.trim_end_matches('/').to_owned())
    }

    /// The environment of the program that runs a block, made from the usual one. `needs_file`: it gets the text in a
    /// file.
    fn block_environment(&self, usual: Environment, terms: &Terms, needs_file: bool) -> Environment {
        let language = terms.language.as_str();
        let mut env = if language == "bash" { self.shell.environment(&usual) } else { usual };
        if matches!(language, "javascript" | "typescript") {
            let packages = packages::folder(&self.setup.blobs, "node");
            if needs_file {
                // The file lies in a private folder, so node finds no packages beside it.
                let folders = [self.finder.node_packages(), packages.join("node_modules")];
                plan::set(&mut env, "NODE_PATH", std::env::join_paths(folders).unwrap_or_default());
            }
            plan::set(&mut env, packages::VARIABLE, packages);
        }
        if language == "r" && environment::value(&env, "R_DEFAULT_DEVICE").is_none() {
            // A plot without a device becomes a picture that can be shown, instead of a PDF.
            plan::set(&mut env, "R_DEFAULT_DEVICE", "png");
        }
        if terms.rights.terminal {
            // Every machine has a description of this terminal; it fits the sequences that are obeyed and the keys that
            // are sent.
            plan::set(&mut env, "TERM", "xterm-256color");
        }
        env
    }

    pub(super) fn begin_program(&mut self, job: &BackendRun) -> Result<RunHost, ExecError> {
        let BackendRun { terms, label, source, token, .. } = job;
        let language = terms.language.as_str();
        let enclosure = self.prepared_sandbox()?.enclosure(&terms.interpreter, language == "python");
        let usual = self.program_environment()?;
        let way = self.finder.run_method(&terms.language);
        let needs_file = way.as_ref().is_some_and(|(way, _)| languages::needs_file(way));
        let folder = if needs_file {
            format!("{}/{}", self.folder_to_build(&usual)?, mark_of(token))
        } else {
            String::new()
        };
        let env = self.block_environment(usual, terms, needs_file);
        let mut state = None;
        let mut invocation = match way {
            Some((way, extension)) => {
                let name = TextName { label, folder: &folder };
                let extension = languages::extension_of(&extension, source);
                languages::invocation(language, &way, extension, &terms.interpreter, name, &terms.cwd, env)
            }
            None => plan::subprocess(language, &terms.interpreter, label, &terms.cwd, env),
        };
        invocation.program.terminal = terms.rights.terminal;
        if language == "bash" {
            invocation.names = OwnNames::of_bash(label, source);
        }
        if terms.rights.terminal {
            invocation.names = invocation.names.in_terminal();
        }
        let process = process::start(&enclosure, &terms.limits, invocation, |fd| match fd {
            InheritedFd::State => {
                let file = memory_file::empty()?;
                let copy = file.try_clone()?;
                state = Some(file);
                Ok(OwnedFd::from(copy))
            }
            InheritedFd::Profile => memory_file::sealed(languages::profile(language).as_bytes()),
            _ => memory_file::sealed(source.as_bytes()),
        })?;
        process.link.order(&HelperOrder::Begin(terms.limits));
        Ok(RunHost::Program(Box::new(process), state))
    }
}

/// The name of a private folder: nobody can guess it, and no other run has the same.
fn mark_of(token: &FrameToken) -> String {
    format!("sayso-{}", hex(token.get(..8).unwrap_or(token)))
}
