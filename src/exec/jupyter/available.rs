//! The kernels that a session could start: those that are installed on this machine, or those of the server. It starts
//! none.

use super::error::JupyterError;
use super::server::JupyterServer;
use super::specs::{self, Spec};
use crate::config::JupyterExecutor;
use crate::domain::sentences::sandbox;
use crate::domain::{Language, Layer, SandboxLevel, SandboxReport};
use crate::exec::{Setup, environment};
use std::sync::Arc;

/// The kernels that can be had, and under which conditions.
pub(super) struct AvailableKernels {
    pub(crate) setup: Arc<Setup>,
    pub(crate) config: JupyterExecutor,
    /// The kernel to use, where one was named.
    wanted: Option<String>,
    /// The server, once it was asked.
    pub(crate) server: Option<JupyterServer>,
    specs: Option<Vec<Spec>>,
}

impl AvailableKernels {
    /// Nothing is reached yet. `wanted` names the kernel to use.
    pub(super) fn new(setup: Arc<Setup>, config: JupyterExecutor, wanted: Option<String>) -> Self {
        Self { setup, config, wanted, server: None, specs: None }
    }

    /// Where: `on this machine`, or the address of the server.
    pub(super) fn place(&self) -> String {
        match &self.server {
            Some(server) => format!("at {}", server.redacted()),
            None => "on this machine".into(),
        }
    }

    /// The kernels that can be started. Those of this machine are looked up anew each time; a server is asked once.
    async fn specs(&mut self) -> Result<Vec<Spec>, JupyterError> {
        let Some(url) = self.config.url.clone() else {
            let env = |name: &str| std::env::var(name).ok();
            let prefixes = specs::prefixes(&env, self.setup.python.as_deref());
            return Ok(specs::installed(&specs::folders(&env, &prefixes)));
        };
        if let Some(specs) = &self.specs {
            return Ok(specs.clone());
        }
        let server = JupyterServer::new(&self.config, &url, &self.setup.launcher()).await?;
        if let Some(token) = server.token().expose() {
            self.setup.masker.learn([token.into()]);
        }
        let specs = server.specs().await?;
        self.server = Some(server);
        self.specs = Some(specs.clone());
        Ok(specs)
    }

    /// The kernel for a language, or the one that was named.
    pub(super) async fn spec(&mut self, language: &Language) -> Result<Spec, JupyterError> {
        self.may_be_open()?;
        let specs = self.specs().await?;
        specs::choose(&specs, self.wanted.as_deref(), language.as_str(), &self.place())
    }

    /// What was asked for is had, or nothing runs.
    pub(super) fn may_be_open(&self) -> Result<(), JupyterError> {
        let asked = self.setup.sandbox.asked && self.setup.sandbox.level != SandboxLevel::Off;
        if asked { Err(JupyterError::Sandbox) } else { Ok(()) }
    }

    /// What is enforced: nothing of ours.
    pub(super) fn report(&self) -> SandboxReport {
        let why = match &self.config.url {
            Some(_) => "the code runs on the Jupyter server, with what the kernel's account can do there",
            None => sandbox::JUPYTER_OPEN,
        };
        let name = sandbox::JUPYTER_LAYER.to_owned();
        let layer = Layer { name, active: false, tested: false, why: Some(why.into()) };
        SandboxReport { layers: vec![layer], notes: vec![why.into()], ..SandboxReport::default() }
    }

    /// The environment of a kernel of this machine.
    pub(super) fn environment(&self, spec: &Spec) -> environment::Environment {
        let mut env = environment::allowed(std::env::vars_os(), &self.setup.environment);
        for (name, value) in &spec.env {
            crate::exec::plan::set(&mut env, name, value);
        }
        env.sort();
        env
    }
}
