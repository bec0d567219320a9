//! How runs are carried out: on which executor, within which limits, and how they are confined.

use super::factory::SessionFactory;
use super::process_context::own_folders;
use crate::config::Origin;
use crate::domain::Limits;
use crate::exec::{DisabledLayers, Executor, SandboxRequest, Setup};
use crate::launch::Launcher;
use std::path::PathBuf;

impl SessionFactory {
    /// The configured executor. It stores large outputs in `blobs`.
    pub(crate) fn executor(&self, blobs: PathBuf) -> Executor {
        let config = &self.loaded.config;
        Executor::of(self.setup(blobs), &config.executor, &config.executors)
    }

    /// The executor for this machine, whichever one is configured.
    pub(crate) fn local_executor(&self) -> Executor {
        Executor::new(self.setup(self.loaded.sessions().join("blobs")))
    }

    /// Finds the programs that sayso may start by itself in this place.
    pub(crate) fn launcher(&self) -> Launcher {
        self.place.launcher(&self.loaded)
    }

    fn setup(&self, blobs: PathBuf) -> Setup {
        let config = &self.loaded.config;
        Setup {
            helper: self.place.program.clone(),
            cwd: self.place.cwd.clone(),
            blobs,
            languages: self.languages.all.clone(),
            environment: config.run.environment.clone(),
            python: config.run.python.clone(),
            limits: self.limits(),
            sandbox: self.sandbox_request(),
            without: DisabledLayers::default(),
            home: self.place.home.clone(),
            own: own_folders(&self.loaded),
            worked: self.place.worked.clone(),
            masker: self.masker(),
        }
    }

    /// The limits of a run. If the person chose no memory limit, it is at most half of the machine's memory (but not below
    /// 256 MiB).
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = self.loaded.config.limits();
        if !self.loaded.is_chosen("limits.memory") {
            let machine = rustix::system::sysinfo();
            let all = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
            limits.memory_bytes = limits.memory_bytes.min((all / 2).max(1 << 28));
        }
        limits
    }

    /// How runs are to be confined. A level that the person chose is required; the default one is applied as far as
    /// this machine supports it.
    fn sandbox_request(&self) -> SandboxRequest {
        let sandbox = &self.loaded.config.sandbox;
        SandboxRequest {
            level: sandbox.level,
            asked: *self.loaded.origins.of("sandbox.level") != Origin::Default,
            read: sandbox.read.clone(),
            write: sandbox.write.clone(),
            network: sandbox.network,
        }
    }
}
