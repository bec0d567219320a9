//! Settings for what carries out runs: this machine, containers or Jupyter kernels, and how the last two are reached.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What carries out runs, as named by `executor` and `--executor`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ExecutorChoice {
    /// This machine: the kernel, and a program for each block in another language.
    #[default]
    Local,
    /// Containers, all of this image or each language's own.
    Container(Option<String>),
    /// Jupyter kernels: the one of this name, or each language's own.
    Jupyter(Option<String>),
}

/// The text does not name an executor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an executor is local, container, container:IMAGE, jupyter or jupyter:KERNEL")]
pub struct NoExecutor;

impl FromStr for ExecutorChoice {
    type Err = NoExecutor;

    fn from_str(text: &str) -> Result<Self, NoExecutor> {
        let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+ ".contains(c);
        let rest = match rest {
            Some(rest) if rest.trim() != rest || rest.is_empty() || !rest.chars().all(plain) => {
                return Err(NoExecutor);
            }
            other => other.map(str::to_owned),
        };
        match (kind, rest) {
            ("local", None) => Ok(ExecutorChoice::Local),
            ("container", image) => Ok(ExecutorChoice::Container(image)),
            ("jupyter", kernel) => Ok(ExecutorChoice::Jupyter(kernel)),
            _ => Err(NoExecutor),
        }
    }
}

impl fmt::Display for ExecutorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, rest) = match self {
            ExecutorChoice::Local => ("local", &None),
            ExecutorChoice::Container(image) => ("container", image),
            ExecutorChoice::Jupyter(kernel) => ("jupyter", kernel),
        };
        match rest {
            Some(rest) => write!(f, "{kind}:{rest}"),
            None => f.write_str(kind),
        }
    }
}

impl TryFrom<String> for ExecutorChoice {
    type Error = NoExecutor;

    fn try_from(text: String) -> Result<Self, NoExecutor> {
        text.parse()
    }
}

impl From<ExecutorChoice> for String {
    fn from(choice: ExecutorChoice) -> Self {
        choice.to_string()
    }
}

/// How executors other than this machine are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Executors {
    /// Containers.
    pub container: ContainerExecutor,
    /// Jupyter kernels.
    pub jupyter: JupyterExecutor,
}

/// What a container may do with the working folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderInContainer {
    /// It can read and write it.
    #[default]
    Writable,
    /// It can read it.
    ReadOnly,
    /// It does not see it.
    None,
}

/// Containers. Sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContainerExecutor {
    /// The address of the engine, instead of `DOCKER_HOST` and the usual sockets.
    pub host: Option<String>,
    /// The image of each language.
    pub images: BTreeMap<String, String>,
    /// What a container may do with the working folder.
    pub folder: FolderInContainer,
    /// Memory of a container.
    pub memory: u64,
    /// Size of its `/tmp`, which counts as memory.
    pub tmp: u64,
    /// Processes in a container.
    pub(crate) processes: u32,
    /// The most processors that a container may use.
    pub(crate) processors: u32,
    /// The user in a container, `UID:GID`; by default the account's own.
    pub(crate) user: Option<String>,
}

/// Jupyter kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JupyterExecutor {
    /// The address of a Jupyter Server, JupyterHub or Enterprise Gateway; by default kernels of this machine are
    /// started.
    pub url: Option<String>,
    /// The environment variable that holds the token of the server.
    pub token_env: Option<String>,
    /// A command that prints the token of the server.
    pub token_command: Option<String>,
    /// Seconds that a kernel may take to start.
    pub(crate) start: u64,
    /// Seconds during which a lost connection is retried.
    pub reconnect: u64,
}

impl Default for ContainerExecutor {
    fn default() -> Self {
        let images = [
            ("python", "docker.io/library/python:3.13-slim"),
            ("bash", "docker.io/library/python:3.13-slim"),
            ("javascript", "docker.io/library/node:22-slim"),
        ];
        Self {
            host: None,
            images: images.into_iter().map(|(name, image)| (name.to_owned(), image.to_owned())).collect(),
            folder: FolderInContainer::default(),
            memory: 2 << 30,
            tmp: 512 << 20,
            processes: 256,
            processors: 2,
            user: None,
        }
    }
}

impl Default for JupyterExecutor {
    fn default() -> Self {
        Self { url: None, token_env: None, token_command: None, start: 60, reconnect: 60 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executors_by_name() {
        for text in ["local", "container", "container:localhost:5000/a/b:1.2@sha256", "jupyter", "jupyter:ir"]
        {
            assert_eq!(text.parse::<ExecutorChoice>().unwrap().to_string(), text);
        }
        for text in
            ["", "Local", "local:x", "docker", "container:", "jupyter: x", "container:a\u{7}", "jupyter:a;b"]
        {
            assert_eq!(text.parse::<ExecutorChoice>(), Err(NoExecutor), "{text:?}");
        }
    }
}
