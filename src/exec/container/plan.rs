//! Computes what a container may do: the request to the engine, and the rights shown to the person. Pure.

use super::grants::Grants;
use crate::config::{ContainerExecutor, FolderInContainer};
use crate::domain::sentences;
use crate::domain::{
    Enforcement, Layer, Limits, Reach, Reachability, ReachablePath, Rights, SandboxLevel, SandboxReport,
};
use crate::text::number::memory;
use bollard::models::{ContainerCreateBody, HostConfig, ResourcesUlimits};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The home folder in the container.
pub(super) const HOME: &str = "/tmp/home";

/// The host name in the container.
pub(super) const HOSTNAME: &str = "sayso";

/// Where a container starts if the working folder is not mounted.
const NO_FOLDER: &str = "/tmp";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Abilities {
    /// It is on another machine, so folders of this one can't be mounted in its containers.
    pub(crate) remote: bool,
    /// It is rootless Docker: this account is user 0 in the container.
    pub(crate) rootless: bool,
    /// It is rootless Podman: this account keeps its user id in the container if that is requested.
    pub(crate) keeps_id: bool,
    /// It enforces memory limits.
    pub(crate) memory: bool,
    /// It enforces limits on the number of processes.
    pub(crate) processes: bool,
    /// How many processors it has, if it enforces a limit on them.
    pub(crate) processors: Option<u32>,
    /// It can pause and resume a container.
    pub(crate) pauses: bool,
}

/// What all containers of one session have in common.
#[derive(Clone, Debug)]
pub(super) struct ContainerFrame {
    pub(crate) config: ContainerExecutor,
    /// The limits of the runs in them.
    pub(crate) limits: Limits,
    pub(crate) able: Abilities,
    /// The working folder, with the same path here and in the container.
    pub(crate) folder: PathBuf,
    /// What the person opened beside the working folder.
    pub(crate) granted: Grants,
    /// Whether the person asked for no sandbox. A container is restricted anyway.
    pub(crate) asked_off: bool,
    /// User id and group id of this account.
    pub(crate) account: (u32, u32),
    /// Environment variables of the programs.
    pub(crate) env: Vec<(String, String)>,
    pub(crate) labels: HashMap<String, String>,
}

impl ContainerFrame {
    /// How containers see the working folder.
    pub(super) fn mount(&self) -> FolderInContainer {
        if self.able.remote { FolderInContainer::None } else { self.config.folder }
    }

    /// The working folder and how it is mounted; `None` if it is not.
    fn mounted(&self) -> Option<(&Path, FolderInContainer)> {
        let how = self.mount();
        (how != FolderInContainer::None).then_some((self.folder.as_path(), how))
    }

    /// The folder in which a container starts.
    pub(super) fn cwd(&self) -> PathBuf {
        if self.mount() == FolderInContainer::None { NO_FOLDER.into() } else { self.folder.clone() }
    }

    /// The folders that every container of the session has, at the same path as here.
    pub(super) fn persistent_folders(&self) -> Vec<PathBuf> {
        let mounts = self.granted.mounts(self.mounted());
        mounts.into_iter().filter_map(|mount| mount.target).map(PathBuf::from).collect()
    }

    /// The user in the container, `UID:GID`.
    pub(super) fn user(&self) -> String {
        match &self.config.user {
            Some(user) => user.clone(),
            None if self.able.rootless => "0:0".into(),
            None => format!("{}:{}", self.account.0, self.account.1),
        }
    }

    fn processors(&self) -> Option<u32> {
        self.able.processors.map(|all| self.config.processors.min(all.max(1)))
    }

    /// The request to the engine. `image` is an id, so that exactly the inspected image is started.
    pub(super) fn body(
        &self,
        image: &str,
        entrypoint: &[&str],
        arguments: Vec<String>,
    ) -> ContainerCreateBody {
        let memory = i64::try_from(self.config.memory).unwrap_or(i64::MAX);
        let mounts = Some(self.granted.mounts(self.mounted())).filter(|mounts| !mounts.is_empty());
        let tmp = format!("rw,exec,nosuid,nodev,mode=1777,size={}", self.config.tmp);
        let host = HostConfig {
            memory: Some(memory),
            memory_swap: Some(memory),
            pids_limit: Some(i64::from(self.config.processes)),
            nano_cpus: self.processors().map(|n| i64::from(n) * 1_000_000_000),
            auto_remove: Some(true),
            // If the network is open, it is the default network of the engine.
            network_mode: (!self.granted.network).then(|| "none".into()),
            cap_drop: Some(vec!["ALL".into()]),
            security_opt: Some(vec!["no-new-privileges".into()]),
            readonly_rootfs: Some(true),
            privileged: Some(false),
            tmpfs: Some(HashMap::from([("/tmp".to_owned(), tmp)])),
            ulimits: Some(self.ulimits()),
            shm_size: Some(64 << 20),
            mounts,
            userns_mode: self.able.keeps_id.then(|| "keep-id".into()),
            ..HostConfig::default()
        };
        ContainerCreateBody {
            image: Some(image.into()),
            hostname: Some(HOSTNAME.into()),
            user: Some(self.user()),
            // Only sayso is attached to the input: when sayso ends, the input ends, and with it the container.
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            open_stdin: Some(true),
            stdin_once: Some(true),
            tty: Some(false),
            entrypoint: Some(entrypoint.iter().map(ToString::to_string).collect()),
            cmd: Some(arguments),
            env: Some(self.env.iter().map(|(name, value)| format!("{name}={value}")).collect()),
            working_dir: Some(self.cwd().to_string_lossy().into_owned()),
            labels: Some(self.labels.clone()),
            host_config: Some(host),
            ..ContainerCreateBody::default()
        }
    }

    /// What a block in such a container may do.
    pub(super) fn rights(&self) -> Rights {
        let cwd = self.cwd();
        let tmp = PathBuf::from("/tmp");
        let (mut read, mut write) = match self.mount() {
            FolderInContainer::Writable => (vec![cwd.clone(), tmp.clone()], vec![cwd, tmp]),
            FolderInContainer::ReadOnly => (vec![cwd, tmp.clone()], vec![tmp]),
            FolderInContainer::None => (vec![tmp.clone()], vec![tmp]),
        };
        read.extend(self.granted.read.iter().chain(&self.granted.write).cloned());
        write.extend(self.granted.write.iter().cloned());
        Rights {
            python: None,
            terminal: false,
            read,
            write,
            network: self.granted.network,
            environment: self.env.iter().map(|(name, _)| name.clone()).collect(),
            sandbox: self.report(),
        }
    }

    /// What a block in such a container can reach, according to its mounts.
    pub(super) fn reach(&self) -> Reach {
        let unknown = |path: &str| ReachablePath {
            read: Reachability::Unknown,
            write: Reachability::Unknown,
            private: true,
            ..ReachablePath::to_read(path)
        };
        let mut places = ["/proc", "/sys", "/dev"].map(unknown).to_vec();
        places.push(ReachablePath { private: true, ..ReachablePath::to_write("/tmp") });
        let mounts = self.granted.mounts(self.mounted()).into_iter();
        places.extend(mounts.filter_map(|mount| match (mount.target, mount.read_only) {
            (Some(target), Some(false)) => Some(ReachablePath::to_write(target)),
            (Some(target), _) => Some(ReachablePath::to_read(target)),
            (None, _) => None,
        }));
        let network = if self.granted.network { Reachability::Yes } else { Reachability::No };
        // The rest of the file system is the image's: its content is unknown, and none of it is writable.
        Reach {
            places,
            read: Reachability::Unknown,
            write: Reachability::No,
            own_tree: true,
            network,
            home: Some(HOME.into()),
        }
    }

    /// Limits of each process. For open files and file size, 0 means no limit.
    fn ulimits(&self) -> Vec<ResourcesUlimits> {
        let (files, bytes) = (u64::from(self.limits.open_files), self.limits.file_bytes);
        let of = |name, most: u64| (most > 0).then(|| limit(name, most));
        [of("nofile", files), of("fsize", bytes), Some(limit("core", 0))].into_iter().flatten().collect()
    }

    /// What is enforced, in the form that is common to all sandboxes.
    fn report(&self) -> SandboxReport {
        let level = match self.mount() {
            FolderInContainer::Writable => SandboxLevel::Workspace,
            FolderInContainer::ReadOnly | FolderInContainer::None => SandboxLevel::ReadOnly,
        };
        let mut notes = Vec::new();
        if self.able.remote {
            notes.push("the working folder stays here: the engine is on another machine".to_owned());
        }
        if self.asked_off {
            notes.push(sentences::sandbox::CONTAINER_ANYWAY.to_owned());
        }
        SandboxReport {
            level,
            network_blocked: !self.granted.network,
            writes_confined: true,
            reads_confined: true,
            contained: true,
            memory: if self.able.memory { Enforcement::Enforced } else { Enforcement::None },
            processes: if self.able.processes { Enforcement::Enforced } else { Enforcement::None },
            files: Enforcement::Enforced,
            layers: self.layers(),
            notes,
        }
    }

    /// The restrictions of a container. Those that are `tested` are verified inside the container before it gets any
    /// code.
    fn layers(&self) -> Vec<Layer> {
        let layer = |name: String, active: bool, tested: bool, why: Option<&str>| Layer {
            name: format!("container: {name}"),
            active,
            tested,
            why: why.map(str::to_owned),
        };
        let able = self.able;
        let not = |able: bool| (!able).then_some("the engine's system can't enforce it");
        let folder = match self.mount() {
            FolderInContainer::Writable => "working folder writable",
            FolderInContainer::ReadOnly => "working folder read-only",
            FolderInContainer::None => "working folder absent",
        };
        let memory = memory(self.config.memory);
        let processors = self.processors();
        let closed = !self.granted.network;
        let mut layers = vec![
            layer(
                sentences::network::CLOSED_IN_CONTAINER.into(),
                closed,
                closed,
                (!closed).then_some("you opened it"),
            ),
            layer("no capabilities, no new privileges".into(), true, true, None),
            layer("root read-only".into(), true, true, None),
            layer(folder.into(), true, false, able.remote.then_some("the engine is on another machine")),
            layer(format!("user {}", self.user()), true, false, None),
            layer(format!("memory {memory}"), able.memory, false, not(able.memory)),
            layer(format!("{} processes", self.config.processes), able.processes, false, not(able.processes)),
            layer(
                format!("{} processors", processors.unwrap_or(self.config.processors)),
                processors.is_some(),
                false,
                not(processors.is_some()),
            ),
        ];
        if self.mount() == FolderInContainer::Writable || !self.granted.write.is_empty() {
            layers.insert(4, layer("protected names read-only".into(), true, false, None));
        }
        layers
    }
}

fn limit(name: &str, most: u64) -> ResourcesUlimits {
    let most = i64::try_from(most).ok();
    ResourcesUlimits { name: Some(name.into()), soft: most, hard: most }
}

#[cfg(test)]
pub(super) mod samples {
    use super::*;

    pub(in super::super) fn frame() -> ContainerFrame {
        ContainerFrame {
            config: ContainerExecutor::default(),
            limits: Limits::default(),
            able: Abilities { memory: true, processes: true, processors: Some(1), ..Abilities::default() },
            folder: "/home/me/work".into(),
            granted: Grants::default(),
            asked_off: false,
            account: (1000, 100),
            env: vec![("HOME".into(), HOME.into())],
            labels: HashMap::from([("sayso".to_owned(), "1".to_owned())]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::frame;
    use super::*;

    #[test]
    fn what_the_engine_is_asked_for() {
        let body = frame().body("sha256:1", &["python3", "-c"], vec!["pass".into()]);
        insta::assert_snapshot!("asked_for", serde_json::to_string_pretty(&body).unwrap());
    }

    #[test]
    fn what_the_person_is_told() {
        let mut frame = frame();
        let names = |frame: &ContainerFrame| -> Vec<String> {
            frame.rights().sandbox.layers.into_iter().filter(|l| l.active).map(|l| l.name).collect()
        };
        insta::assert_snapshot!("told", names(&frame).join("\n"));
        assert!(frame.rights().write.contains(&"/home/me/work".into()));
        frame.config.folder = FolderInContainer::ReadOnly;
        assert_eq!(frame.rights().write, [PathBuf::from("/tmp")]);
        frame.able.remote = true;
        assert_eq!(frame.rights().read, [PathBuf::from("/tmp")]);
        assert!(frame.body("x", &[], vec![]).host_config.unwrap().mounts.is_none());
        frame.able.memory = false;
        assert!(!names(&frame).iter().any(|name| name.contains("memory")));
    }

    #[test]
    fn what_the_person_opened_is_asked_for_and_told() {
        let mut frame = frame();
        frame.granted.network = true;
        frame.granted.read = vec!["/srv/in".into()];
        frame.granted.write = vec!["/srv/out".into()];
        frame.granted.guarded.protected = vec!["/home/me/work/.git/hooks".into()];
        let host = frame.body("x", &[], vec![]).host_config.unwrap();
        assert_eq!(host.network_mode, None);
        let targets: Vec<String> =
            host.mounts.unwrap().into_iter().filter_map(|mount| mount.target).collect();
        assert_eq!(targets, ["/home/me/work", "/home/me/work/.git/hooks", "/srv/in", "/srv/out"]);
        let rights = frame.rights();
        assert!(rights.network && !rights.sandbox.network_blocked);
        assert!(rights.write.contains(&"/srv/out".into()) && !rights.write.contains(&"/srv/in".into()));
        assert!(rights.read.contains(&"/srv/in".into()));
        let reach = frame.reach();
        for (path, writes) in [
            ("/home/me/work/a", Reachability::Yes),
            ("/home/me/work/.git/hooks/a", Reachability::No),
            ("/srv/in/a", Reachability::No),
            ("/srv/out/a", Reachability::Yes),
            ("/tmp/a", Reachability::Yes),
            ("/usr/a", Reachability::No),
        ] {
            assert_eq!(reach.writes(Path::new(path)), writes, "{path}");
        }
        let expected = (Reachability::Unknown, Reachability::Yes);
        assert_eq!((reach.reads(Path::new("/etc/passwd")), reach.network), expected);
        let network = &rights.sandbox.layers[0];
        assert!(!network.active && !network.tested && network.why.is_some());
    }
}
