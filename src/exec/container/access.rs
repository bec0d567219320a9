//! Connects a session to its container engine, and decides what containers of the session may do. Starts no container.

use super::engine::{ContainerEngine, Image};
use super::error::ContainerError;
use super::grants::{self, Grants, WithheldPlaces, may_mount};
use super::plan::{self, ContainerFrame};
use super::{owner, shell};
use crate::config::{ContainerExecutor, FolderInContainer};
use crate::domain::language::LanguageEntry;
use crate::domain::{Language, Limits, SandboxLevel};
use crate::exec::{Setup, blob, environment};
use crate::text::number::hex;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// The engine of one session. It is contacted when it is first needed.
pub(super) struct EngineAccess {
    pub(crate) setup: Arc<Setup>,
    pub(crate) config: ContainerExecutor,
    /// The one image for all languages, if the person named one.
    image: Option<String>,
    /// Random digits that are part of the names and labels of all containers of the session.
    pub(crate) session: String,
    engine: Option<Rc<ContainerEngine>>,
}

/// What has to be known about a language before a block in it runs.
pub(super) struct LanguageFacts {
    pub(crate) engine: Rc<ContainerEngine>,
    pub(crate) frame: ContainerFrame,
    pub(crate) entry: LanguageEntry,
    pub(crate) image: Image,
}

impl LanguageFacts {
    /// The variables of a container in which no block has run.
    pub(super) fn usual(&self) -> environment::Environment {
        shell::usual(&self.image.env, &self.frame, plan::HOSTNAME)
    }
}

impl EngineAccess {
    /// Does not contact the engine yet. `image` is for all languages.
    pub(super) fn new(setup: Arc<Setup>, config: ContainerExecutor, image: Option<String>) -> Self {
        let session = hex(&blob::random::<6>().unwrap_or_default());
        Self { setup, config, image, session, engine: None }
    }

    /// Returns the engine; connects if it was not connected yet or does not answer any more. If a kernel uses it
    /// (`in_use`), it is not checked.
    pub(super) async fn engine(&mut self, in_use: bool) -> Result<Rc<ContainerEngine>, ContainerError> {
        if let Some(engine) = &self.engine {
            if in_use || engine.check_alive().await.is_ok() {
                return Ok(engine.clone());
            }
            self.engine = None;
        }
        let engine =
            Rc::new(ContainerEngine::reach(self.config.host.as_deref(), &self.setup.launcher()).await?);
        let sweeper = engine.clone();
        tokio::task::spawn_local(async move {
            let removed = sweeper.sweep().await;
            if removed > 0 {
                tracing::info!(removed, "containers that were left over are removed");
            }
        });
        self.engine = Some(engine.clone());
        Ok(engine)
    }

    /// What a container on this engine may do. `limits` are those of the session for a kernel, those of the block for a
    /// program.
    pub(super) fn frame(
        &self,
        engine: &ContainerEngine,
        limits: &Limits,
    ) -> Result<ContainerFrame, ContainerError> {
        let mut config = self.config.clone();
        // A limit of 0 means no limit: then only the configuration of containers applies.
        if limits.memory_bytes > 0 {
            config.memory = config.memory.min(limits.memory_bytes);
        }
        config.tmp = config.tmp.min(config.memory);
        if limits.processes > 0 {
            config.processes = config.processes.min(limits.processes);
        }
        if self.setup.sandbox.level == SandboxLevel::ReadOnly && config.folder == FolderInContainer::Writable
        {
            config.folder = FolderInContainer::ReadOnly;
        }
        let env = environment::declared(std::env::vars_os(), &self.setup.environment);
        let text = |value: &std::ffi::OsStr| value.to_str().map(str::to_owned);
        let declared = env.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        let own = [
            ("HOME", plan::HOME),
            ("LANG", "C.UTF-8"),
            ("MPLBACKEND", "Agg"),
            ("R_DEFAULT_DEVICE", "png"),
            ("TMPDIR", "/tmp"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let labels = HashMap::from([
            (owner::SESSION.to_owned(), self.session.clone()),
            (owner::OWNER.to_owned(), owner::own()),
        ]);
        let account = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let remote = engine.able.remote;
        let how = if remote { FolderInContainer::None } else { config.folder };
        let cwd = grants::real(&self.setup.cwd);
        let folder = (how != FolderInContainer::None).then_some((cwd.as_path(), how));
        let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let closed = &WithheldPlaces::find(home.as_deref(), engine.socket.as_deref(), &self.setup.own);
        if let Some((path, _)) = folder {
            may_mount(path, closed).map_err(|why| ContainerError::Folder { path: path.into(), why })?;
        }
        let sandbox = &self.setup.sandbox;
        Ok(ContainerFrame {
            granted: Grants::check(sandbox, folder, closed, remote)?,
            asked_off: sandbox.asked && sandbox.level == SandboxLevel::Off,
            config,
            limits: *limits,
            able: engine.able,
            folder: cwd,
            account,
            env: own.into_iter().chain(declared).collect(),
            labels,
        })
    }

    /// The image of a language: the one for all languages if there is one, else that of the configuration.
    pub(super) fn image_of(&self, language: &Language) -> Result<String, ContainerError> {
        self.image
            .clone()
            .or_else(|| self.config.images.get(language.as_str()).cloned())
            .ok_or_else(|| ContainerError::NoImageFor(language.to_string()))
    }

    /// Finds out what has to be known before a block in this language runs.
    pub(super) async fn language_facts(
        &mut self,
        language: &Language,
        limits: &Limits,
        in_use: bool,
    ) -> Result<LanguageFacts, ContainerError> {
        let entry = self.setup.languages.0.iter().find(|entry| entry.name == *language).cloned();
        let entry = entry.ok_or_else(|| ContainerError::NotSetUp(language.clone()))?;
        let wanted = self.image_of(language)?;
        let engine = self.engine(in_use).await?;
        let limits = if is_kernel(&entry) { self.kernel_limits(limits)? } else { *limits };
        let frame = self.frame(&engine, &limits)?;
        let image = engine.image(&wanted).await?;
        Ok(LanguageFacts { engine, frame, entry, image })
    }

    /// The limits of a kernel's container: those of the session. A block in the kernel may differ from them only in
    /// time and output.
    fn kernel_limits(&self, limits: &Limits) -> Result<Limits, ContainerError> {
        let own = self.setup.limits;
        let Limits { wall_ms, output_kept_bytes, output_file_bytes, .. } = *limits;
        if (Limits { wall_ms, output_kept_bytes, output_file_bytes, ..own }) == *limits {
            return Ok(own);
        }
        Err(ContainerError::Limits)
    }
}

/// Whether blocks of this language hand their shell state on to the next one.
pub(super) fn is_shell(entry: &LanguageEntry) -> bool {
    entry.name.as_str() == "bash"
}

/// Whether blocks of this language share a kernel.
pub(super) fn is_kernel(entry: &LanguageEntry) -> bool {
    entry.persistent && entry.name.as_str() == "python"
}
