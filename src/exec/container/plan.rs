//! What a container may do, as the engine is asked for it, and as the person is told. Pure.

use super::error::ContainerError;
use crate::config::{ContainerExecutor, FolderInContainer};
use crate::domain::{Hold, Layer, Limits, Rights, SandboxLevel, SandboxReport};
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType, ResourcesUlimits};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The home folder inside.
pub const HOME: &str = "/tmp/home";

/// Where a container starts that does not see the working folder.
const NO_FOLDER: &str = "/tmp";

/// Folders of a system: a working folder that is one of them, or lies in the first ones, would hide the container's own.
const SYSTEM: &[&str] = &[
    "/", "/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/var", "/run", "/opt", "/tmp", "/home", "/root",
];
const SYSTEM_TREES: &[&str] = &["/proc", "/sys", "/dev", "/run", "/var/run"];

/// What is known of the engine that matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It is on another machine: folders of this one can't be given to its containers.
    pub remote: bool,
    /// It is Docker without root: the account is user 0 inside.
    pub rootless: bool,
    /// It is Podman without root: the account keeps its number inside when asked for.
    pub keeps_id: bool,
    /// It enforces the memory of a container.
    pub memory: bool,
    /// It enforces the number of processes.
    pub processes: bool,
    /// It enforces the processors; how many it has.
    pub processors: Option<u32>,
}

/// Everything about containers of one session that does not change.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What was configured.
    pub config: ContainerExecutor,
    /// The limits of what runs in them.
    pub limits: Limits,
    /// What the engine can.
    pub able: Abilities,
    /// The folder on this machine, and in the container.
    pub folder: PathBuf,
    /// User and group of this account.
    pub account: (u32, u32),
    /// Variables that a program is given.
    pub env: Vec<(String, String)>,
    /// Labels by which it is known.
    pub labels: HashMap<String, String>,
}

impl Frame {
    /// How containers see the working folder.
    pub fn mount(&self) -> FolderInContainer {
        if self.able.remote { FolderInContainer::None } else { self.config.folder }
    }

    /// The folder in which a container starts.
    pub fn cwd(&self) -> PathBuf {
        if self.mount() == FolderInContainer::None { NO_FOLDER.into() } else { self.folder.clone() }
    }

    /// The user in the container, `UID:GID`.
    pub fn user(&self) -> String {
        match &self.config.user {
            Some(user) => user.clone(),
            None if self.able.rootless => "0:0".into(),
            None => format!("{}:{}", self.account.0, self.account.1),
        }
    }

    fn processors(&self) -> Option<u32> {
        self.able.processors.map(|all| self.config.processors.min(all.max(1)))
    }

    /// What the engine is asked for. `image` is its id: what was looked at is what is started.
    pub fn body(&self, image: &str, entrypoint: &[&str], arguments: Vec<String>) -> ContainerCreateBody {
        let memory = i64::try_from(self.config.memory).unwrap_or(i64::MAX);
        let mount = self.mount();
        let mounts = (mount != FolderInContainer::None).then(|| {
            vec![Mount {
                target: Some(self.folder.to_string_lossy().into_owned()),
                source: Some(self.folder.to_string_lossy().into_owned()),
                typ: Some(MountType::BIND),
                read_only: Some(mount == FolderInContainer::ReadOnly),
                ..Mount::default()
            }]
        });
        let tmp = format!("rw,exec,nosuid,nodev,mode=1777,size={}", self.config.tmp);
        let host = HostConfig {
            memory: Some(memory),
            memory_swap: Some(memory),
            pids_limit: Some(i64::from(self.config.processes)),
            nano_cpus: self.processors().map(|n| i64::from(n) * 1_000_000_000),
            auto_remove: Some(true),
            network_mode: Some("none".into()),
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
            hostname: Some("sayso".into()),
            user: Some(self.user()),
            // Its input belongs to us alone: when we are gone, it ends, and with it the container.
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
    pub fn rights(&self) -> Rights {
        let cwd = self.cwd();
        let tmp = PathBuf::from("/tmp");
        let (read, write) = match self.mount() {
            FolderInContainer::Writable => (vec![cwd.clone(), tmp.clone()], vec![cwd, tmp]),
            FolderInContainer::ReadOnly => (vec![cwd, tmp.clone()], vec![tmp]),
            FolderInContainer::None => (vec![tmp.clone()], vec![tmp]),
        };
        Rights {
            read,
            write,
            network: false,
            environment: self.env.iter().map(|(name, _)| name.clone()).collect(),
            sandbox: self.report(),
        }
    }

    /// Limits of each process; 0 is none of open files and file size.
    fn ulimits(&self) -> Vec<ResourcesUlimits> {
        let (files, bytes) = (u64::from(self.limits.open_files), self.limits.file_bytes);
        let of = |name, most: u64| (most > 0).then(|| limit(name, most));
        [of("nofile", files), of("fsize", bytes), Some(limit("core", 0))].into_iter().flatten().collect()
    }

    /// What is enforced, in the words that hold for every sandbox.
    fn report(&self) -> SandboxReport {
        let level = match self.mount() {
            FolderInContainer::Writable => SandboxLevel::Workspace,
            FolderInContainer::ReadOnly | FolderInContainer::None => SandboxLevel::ReadOnly,
        };
        let mut notes = Vec::new();
        if self.able.remote {
            notes.push("the working folder stays here: the engine is on another machine".to_owned());
        }
        SandboxReport {
            level,
            network_blocked: true,
            writes_confined: true,
            reads_confined: true,
            contained: true,
            memory: if self.able.memory { Hold::Enforced } else { Hold::None },
            processes: if self.able.processes { Hold::Enforced } else { Hold::None },
            files: Hold::Enforced,
            layers: self.layers(),
            notes,
        }
    }

    /// The measures of a container. Those that are `tested` are looked at from inside before it is given any code.
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
        let memory = size(self.config.memory);
        let processors = self.processors();
        vec![
            layer("no network".into(), true, true, None),
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
        ]
    }
}

fn limit(name: &str, most: u64) -> ResourcesUlimits {
    let most = i64::try_from(most).ok();
    ResourcesUlimits { name: Some(name.into()), soft: most, hard: most }
}

/// Whether the working folder may be given to a container at all. `home` is the account's, `socket` the engine's.
///
/// # Errors
/// With the reason, when it may not.
pub fn may_mount(folder: &Path, home: Option<&Path>, socket: Option<&Path>) -> Result<(), ContainerError> {
    let refuse = |why| Err(ContainerError::Folder { path: folder.into(), why });
    if home.is_some_and(|home| home.starts_with(folder)) {
        return refuse("it holds your home folder, with its keys");
    }
    if socket.is_some_and(|socket| socket.starts_with(folder)) {
        return refuse("it holds the engine's socket, which is as good as root");
    }
    let tree = SYSTEM_TREES.iter().any(|tree| folder.starts_with(tree));
    if tree || SYSTEM.iter().any(|system| folder == Path::new(system)) {
        return refuse("it is one of the system's own");
    }
    if folder.to_str().is_none() {
        return refuse("its name is not UTF-8");
    }
    Ok(())
}

/// A size in words.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return format!("{} {unit}", (value * 10.0).round() / 10.0);
        }
        value /= 1024.0;
    }
    format!("{} TiB", (value * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        Frame {
            config: ContainerExecutor::default(),
            limits: Limits::default(),
            able: Abilities { memory: true, processes: true, processors: Some(1), ..Abilities::default() },
            folder: "/home/me/work".into(),
            account: (1000, 100),
            env: vec![("HOME".into(), HOME.into())],
            labels: HashMap::from([("sayso".to_owned(), "1".to_owned())]),
        }
    }

    #[test]
    fn what_the_engine_is_asked_for() {
        let body = frame().body("sha256:1", &["python3", "-c"], vec!["pass".into()]);
        insta::assert_snapshot!("asked_for", serde_json::to_string_pretty(&body).unwrap());
    }

    #[test]
    fn what_the_person_is_told() {
        let mut frame = frame();
        let names = |frame: &Frame| -> Vec<String> {
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
    fn folders_that_stay_outside() {
        let home = Some(Path::new("/home/me"));
        let socket = Some(Path::new("/srv/docker/docker.sock"));
        for folder in
            ["/", "/home", "/home/me", "/usr", "/proc/self", "/srv/docker", "/run/user/1000", "/tmp"]
        {
            assert!(may_mount(Path::new(folder), home, socket).is_err(), "{folder}");
        }
        for folder in ["/home/me/work", "/srv/data", "/tmp/x", "/usr/local/src/x"] {
            assert_eq!(may_mount(Path::new(folder), home, socket), Ok(()), "{folder}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size(2 << 30), "2 GiB");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 40), "3 TiB");
    }
}
