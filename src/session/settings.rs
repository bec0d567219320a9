//! What the engine has to know beforehand, from the configuration and the place.

use super::factory::SessionFactory;
use crate::config::ExecutorChoice;
use crate::domain::{FunctionFile, KernelLanguages, ModelName, Policy, RunConditions, SandboxLevel};
use crate::engine::{JudgeSettings, Settings, prompt};
use crate::{exec, recipe, workspace};

impl SessionFactory {
    /// What the engine has to know beforehand.
    pub(crate) fn settings(&self, policy: Policy) -> Settings {
        let config = &self.loaded.config;
        let (dialect, languages) = (config.dialect, self.languages.all.clone());
        let cwd = self.place.cwd.display().to_string();
        let terminals = if self.run_terminals { config.terminals() } else { Vec::new() };
        let os = std::env::consts::OS;
        // The model is told of what is there only; what it writes in another language can still be read and saved.
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
            judge: self.judge(),
            functions: self.functions().0,
            workflows: recipe::workflows(),
            masker: self.masker(),
        }
    }

    /// The conditions of runs as they are asked for: what enforces them tells the rest.
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
                // Nothing holds a kernel of Jupyter to these.
                (limits.memory_bytes, limits.processes) = (0, 0);
                self.kernels(kernel.as_deref())
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

    /// The languages that have a Jupyter kernel: on this machine they are looked up, a server is asked later.
    fn kernels(&self, wanted: Option<&str>) -> KernelLanguages {
        let config = &self.loaded.config;
        if config.executors.jupyter.url.is_some() {
            return KernelLanguages::Unknown;
        }
        let all = &self.languages.all;
        KernelLanguages::Known(exec::found::kernel_languages(all, config.run.python.as_deref(), wanted))
    }

    /// The files of the person's own functions, and what is wrong with the others.
    pub(super) fn functions(&self) -> (Vec<FunctionFile>, Vec<String>) {
        let usual = self.functions_file();
        let listed = &self.loaded.config.functions.files;
        // The usual file is loaded as soon as it is there; one that is configured has to be there.
        let files = if listed.is_empty() && usual.exists() { std::slice::from_ref(&usual) } else { listed };
        if self.loaded.config.executor == ExecutorChoice::Local || files.is_empty() {
            return workspace::functions::read_all(files);
        }
        (Vec::new(), vec!["functions: files of your own are loaded into the local kernel only".into()])
    }

    /// When a second opinion is asked for, and of whom. A name that leads to no model is kept: another model than the
    /// one that was named must not be shown the code, and asking this one says why it can't be asked.
    fn judge(&self) -> JudgeSettings {
        let review = &self.loaded.config.review;
        let named = |name: &String| match self.loaded.config.resolve(name) {
            Ok(chosen) => chosen.name,
            Err(_) => match name.split_once('/') {
                Some((provider, model)) => ModelName { provider: provider.into(), model: model.into() },
                None => ModelName { provider: name.clone(), model: String::new() },
            },
        };
        JudgeSettings { from: review.judge, model: review.judge_model.as_ref().map(named) }
    }
}
