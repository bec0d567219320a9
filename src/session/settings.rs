//! Makes the engine's settings from the configuration and the place.

use super::factory::SessionFactory;
use crate::config::ExecutorChoice;
use crate::domain::{FunctionFile, KernelLanguages, ModelName, Notice, Policy, RunConditions, SandboxLevel};
use crate::engine::{OpinionSettings, Settings, prompt};
use crate::{exec, recipe, workspace};

impl SessionFactory {
    pub(crate) fn settings(&self, policy: Policy, functions: Vec<FunctionFile>) -> Settings {
        let config = &self.loaded.config;
        let (dialect, languages) = (config.dialect, self.languages.all.clone());
        let cwd = self.place.cwd.display().to_string();
        let terminals = if self.run_terminals { config.terminals() } else { Vec::new() };
        let os = std::env::consts::OS;
        // The prompt names only languages that are installed. Blocks in other configured languages can still be read
        // and saved.
        let system_prompt = match config.executor {
            ExecutorChoice::Jupyter(_) => prompt::system_of_kernels(&cwd, os),
            _ => prompt::system(self.languages.available(), &terminals, &cwd, os),
        };
        Settings {
            step_limit: config.step_limit,
            repeat_limit: config.repeat_limit,
            dialect,
            languages,
            terminals,
            system_prompt,
            conditions: Some(self.conditions()),
            policy,
            foreign: false,
            reads_only: false,
            unconfined: config.sandbox.level == SandboxLevel::Off,
            output_to_model: usize::try_from(config.limits.to_model).unwrap_or(usize::MAX),
            context_tokens: config.context.tokens,
            images: config.context.images,
            use_instructions: config.instructions.project,
            own_instructions: config.instructions.text.clone().unwrap_or_default(),
            prices: self.prices(),
            session_budget: config.budget.session.map(|dollars| dollars.0),
            opinion: self.opinion(),
            functions,
            workflows: recipe::workflows(),
            masker: self.masker(),
        }
    }

    /// The conditions of runs as they are requested; the executor reports the rest.
    fn conditions(&self) -> RunConditions {
        let (sandbox, executor) = (&self.loaded.config.sandbox, &self.loaded.config.executor);
        let confined = match executor {
            ExecutorChoice::Local => sandbox.level != SandboxLevel::Off,
            ExecutorChoice::Container(_) => true,
            ExecutorChoice::Jupyter(_) => false,
        };
        let cwd = (sandbox.level != SandboxLevel::ReadOnly).then(|| self.place.cwd.clone());
        let known = match executor {
            ExecutorChoice::Local => {
                self.versions.take(&self.place, self.loaded.config.run.python.as_deref())
            }
            _ => Vec::new(),
        };
        let mut limits = self.limits();
        let kernels = match executor {
            ExecutorChoice::Jupyter(kernel) => {
                // Jupyter does not enforce these limits.
                (limits.memory_bytes, limits.processes) = (0, 0);
                self.kernel_languages(kernel.as_deref())
            }
            _ => KernelLanguages::Unused,
        };
        let conditions = RunConditions {
            confined,
            network: sandbox.network || !confined,
            write: cwd.into_iter().chain(sandbox.write.clone()).collect(),
            limits,
            kernels,
            ..RunConditions::default()
        };
        conditions.with_versions(known)
    }

    /// The languages that have a Jupyter kernel. Kernels on this machine are looked up now; a server is asked later.
    fn kernel_languages(&self, wanted: Option<&str>) -> KernelLanguages {
        let config = &self.loaded.config;
        if config.executors.jupyter.url.is_some() {
            return KernelLanguages::Unknown;
        }
        let all = &self.languages.all;
        KernelLanguages::Known(exec::discovery::kernel_languages(all, config.run.python.as_deref(), wanted))
    }

    /// The files with the person's own functions, and what is wrong with those that can't be used.
    pub(super) fn functions(&self) -> (Vec<FunctionFile>, Vec<Notice>) {
        let usual = self.functions_file();
        let listed = &self.loaded.config.functions.files;
        // The default file is loaded if it exists; a configured file must exist.
        let files = if listed.is_empty() && usual.exists() { std::slice::from_ref(&usual) } else { listed };
        if self.loaded.config.executor == ExecutorChoice::Local || files.is_empty() {
            let (files, troubles) = workspace::functions::read_all(files);
            return (files, troubles.into_iter().map(Notice::warn).collect());
        }
        (Vec::new(), vec![Notice::warn("functions: files of your own are loaded into the local kernel only")])
    }

    /// When to request a second opinion, and from which model. A name that resolves to no model is kept: asking it
    /// then reports why it can't be asked, and the code is never shown to another model than the one that was named.
    fn opinion(&self) -> OpinionSettings {
        let review = &self.loaded.config.review;
        let named = |name: &String| match self.loaded.config.resolve(name) {
            Ok(chosen) => chosen.name,
            Err(_) => match name.split_once('/') {
                Some((provider, model)) => ModelName { provider: provider.into(), model: model.into() },
                None => ModelName { provider: name.clone(), model: String::new() },
            },
        };
        OpinionSettings { from: review.opinion, model: review.opinion_model.as_ref().map(named) }
    }
}
