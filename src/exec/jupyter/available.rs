//! Finds the kernels that a session could start: those installed on this machine, or those of the server. Starts none.

use super::discovery;
use super::error::JupyterError;
use super::server::JupyterServer;
use super::specs::{self, Spec};
use crate::config::JupyterExecutor;
use crate::domain::sentences::sandbox;
use crate::domain::{Language, Layer, SandboxLevel, SandboxReport};
use crate::exec::{Setup, environment};
use std::sync::Arc;

pub(super) struct AvailableKernels {
    pub(crate) setup: Arc<Setup>,
    pub(crate) config: JupyterExecutor,
    /// The name of the kernel to use, if the person gave one.
    wanted: Option<String>,
    /// The server, once it was contacted.
    pub(crate) server: Option<JupyterServer>,
    specs: Option<Vec<Spec>>,
}

impl AvailableKernels {
    /// Contacts nothing yet. `wanted` names the kernel to use.
    pub(super) fn new(setup: Arc<Setup>, config: JupyterExecutor, wanted: Option<String>) -> Self {
        Self { setup, config, wanted, server: None, specs: None }
    }

    /// A phrase: `on this machine`, or `at` the address of the server.
    pub(super) fn place(&self) -> String {
        match &self.server {
            Some(server) => format!("at {}", server.redacted()),
            None => "on this machine".into(),
        }
    }

    /// The kernels that can be started. Those of this machine are read anew each time; a server is asked only once.
    async fn specs(&mut self) -> Result<Vec<Spec>, JupyterError> {
        let Some(url) = self.config.url.clone() else {
            return Ok(discovery::here(self.setup.python.as_deref()));
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

    /// The kernel for a language, or the one that the person named.
    pub(super) async fn spec(&mut self, language: &Language) -> Result<Spec, JupyterError> {
        self.may_be_open()?;
        let specs = self.specs().await?;
        specs::choose(&specs, self.wanted.as_deref(), language.as_str(), &self.place())
    }

    /// Refuses if the person asked for a sandbox, which these kernels do not have.
    pub(super) fn may_be_open(&self) -> Result<(), JupyterError> {
        let asked = self.setup.sandbox.asked && self.setup.sandbox.level != SandboxLevel::Off;
        if asked { Err(JupyterError::Sandbox) } else { Ok(()) }
    }

    /// The report of the sandbox: sayso enforces nothing here.
    pub(super) fn report(&self) -> SandboxReport {
        let why = match &self.config.url {
            Some(_) => sandbox::ON_SERVER,
            None => sandbox::JUPYTER_OPEN,
        };
        let name = sandbox::JUPYTER_LAYER.to_owned();
        let layer = Layer { name, active: false, tested: false, why: Some(why.into()) };
        SandboxReport { layers: vec![layer], notes: vec![why.into()], ..SandboxReport::default() }
    }

    /// The environment of a kernel on this machine.
    pub(super) fn environment(&self, spec: &Spec) -> environment::Environment {
        let mut env = environment::allowed(std::env::vars_os(), &self.setup.environment);
        for (name, value) in &spec.env {
            crate::exec::plan::set(&mut env, name, value);
        }
        env.sort();
        env
    }
}
