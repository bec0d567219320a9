//! Finds the address of the container engine: the one that was set, or the first socket that exists. Pure.

use super::error::ContainerError;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// A socket on this machine.
    Unix(PathBuf),
    /// An engine over the network.
    Tcp {
        /// `tcp://host:port`.
        url: String,
        /// The folder with `key.pem`, `cert.pem` and `ca.pem`. `None` means no TLS, which is allowed only to this
        /// machine.
        tls: Option<PathBuf>,
    },
    /// An engine behind `ssh`.
    Ssh {
        /// `user@host` or `host`.
        host: String,
        port: Option<u16>,
        /// The path of the engine's socket on that host.
        socket: String,
    },
}

impl Address {
    /// The host that is reached over the network, with its port if one was given.
    pub(super) fn host(&self) -> Option<String> {
        match self {
            Address::Unix(_) => None,
            Address::Tcp { url, .. } => {
                let host = url.split_once("://").map_or(url.as_str(), |(_, host)| host);
                Some(host.trim_end_matches('/').to_owned())
            }
            Address::Ssh { host, .. } => Some(host.rsplit('@').next().unwrap_or_default().to_owned()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(path) => write!(f, "unix://{}", path.display()),
            Address::Tcp { url, .. } => f.write_str(url),
            Address::Ssh { host, port, socket } => {
                write!(f, "ssh://{host}")?;
                if let Some(port) = port {
                    write!(f, ":{port}")?;
                }
                f.write_str(socket)
            }
        }
    }
}

/// The address set by the configuration or `DOCKER_HOST`, else the first of the usual sockets that exists.
///
/// # Errors
/// When the address can't be used, or no socket exists.
pub(super) fn find(
    host: Option<&str>,
    env: &dyn Fn(&str) -> Option<String>,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<Address, ContainerError> {
    if let Some(set) = host.map(str::to_owned).or_else(|| env("DOCKER_HOST")) {
        return parse(set.trim(), env);
    }
    let runtime = env("XDG_RUNTIME_DIR").map(PathBuf::from);
    let home = env("HOME").map(PathBuf::from);
    let below = |base: &Option<PathBuf>, rest: &str| base.as_ref().map(|base| base.join(rest));
    let usual = [
        Some(PathBuf::from("/var/run/docker.sock")),
        below(&runtime, "docker.sock"),
        below(&runtime, "podman/podman.sock"),
        Some(PathBuf::from("/run/podman/podman.sock")),
        below(&home, ".docker/run/docker.sock"),
        below(&home, ".colima/default/docker.sock"),
    ];
    usual.into_iter().flatten().find(|path| exists(path)).map(Address::Unix).ok_or(ContainerError::NoEngine)
}

fn parse(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Address, ContainerError> {
    let refuse = |why: &str| Err(ContainerError::Address { address: text.into(), why: why.into() });
    let Some((scheme, rest)) = text.split_once("://") else {
        return refuse("it has to begin with unix://, tcp:// or ssh://");
    };
    match scheme {
        "unix" if rest.starts_with('/') => Ok(Address::Unix(rest.into())),
        "unix" => refuse("the path of the socket has to be absolute"),
        "tcp" | "http" | "https" => {
            let verify = scheme == "https" || env("DOCKER_TLS_VERIFY").is_some();
            let folder = env("DOCKER_CERT_PATH")
                .map(PathBuf::from)
                .or_else(|| env("HOME").map(|home| PathBuf::from(home).join(".docker")));
            let tls = folder.filter(|_| verify);
            let name = rest.split(['/', '?']).next().unwrap_or(rest);
            let local = ["localhost", "127.0.0.1", "[::1]"]
                .iter()
                .any(|own| name == *own || name.strip_prefix(own).is_some_and(|port| port.starts_with(':')));
            if name.is_empty() || name.contains('@') {
                return refuse("it has to name a host");
            }
            if tls.is_none() && !local {
                return refuse(
                    "without TLS anybody on the way could run code there: set DOCKER_TLS_VERIFY=1 and \
                     DOCKER_CERT_PATH, or use ssh://",
                );
            }
            Ok(Address::Tcp { url: format!("tcp://{rest}"), tls })
        }
        "ssh" => ssh(rest).map_or_else(|| refuse("it is read as ssh://user@host:port"), Ok),
        _ => refuse("it has to begin with unix://, tcp:// or ssh://"),
    }
}

fn ssh(rest: &str) -> Option<Address> {
    let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse().ok()?)),
        None => (host, None),
    };
    // ssh would take a name that begins with a dash as an option.
    let plain = |c: char| c.is_ascii_alphanumeric() || "@._-".contains(c);
    if host.is_empty() || host.starts_with('-') || host.contains("@-") || !host.chars().all(plain) {
        return None;
    }
    let socket = if path.is_empty() { "/var/run/docker.sock".to_owned() } else { format!("/{path}") };
    if socket.contains([':', '\0', '\n']) {
        return None;
    }
    Some(Address::Ssh { host: host.into(), port, socket })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    fn set(text: &str) -> Result<Address, ContainerError> {
        find(Some(text), &none, &|_| false)
    }

    #[test]
    fn the_usual_sockets_in_their_order() {
        let env = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/1".to_owned());
        let found = find(None, &env, &|path| path.starts_with("/run")).unwrap();
        assert_eq!(found, Address::Unix("/run/user/1/docker.sock".into()));
        assert_eq!(find(None, &env, &|_| false), Err(ContainerError::NoEngine));
        let env = |name: &str| (name == "DOCKER_HOST").then(|| "unix:///x.sock".to_owned());
        assert_eq!(find(None, &env, &|_| true).unwrap(), Address::Unix("/x.sock".into()));
    }

    #[test]
    fn hosts_are_told_of_what_is_reached_over_the_network() {
        assert_eq!(set("unix:///x.sock").unwrap().host(), None);
        assert_eq!(set("tcp://127.0.0.1:2375").unwrap().host().as_deref(), Some("127.0.0.1:2375"));
        assert_eq!(set("ssh://ann@build.example.org").unwrap().host().as_deref(), Some("build.example.org"));
    }

    #[test]
    fn over_the_network_with_tls_only() {
        assert!(set("tcp://build.example.org:2375").is_err());
        assert!(set("tcp://127.0.0.1.example.org:2375").is_err());
        assert!(set("tcp://localhost@example.org:2375").is_err());
        assert!(matches!(set("tcp://127.0.0.1:2375"), Ok(Address::Tcp { tls: None, .. })));
        let env = |name: &str| match name {
            "DOCKER_TLS_VERIFY" => Some("1".to_owned()),
            "HOME" => Some("/home/me".to_owned()),
            _ => None,
        };
        let found = find(Some("tcp://build.example.org:2376"), &env, &|_| false).unwrap();
        let tls = Some(PathBuf::from("/home/me/.docker"));
        assert_eq!(found, Address::Tcp { url: "tcp://build.example.org:2376".into(), tls });
    }

    #[test]
    fn behind_ssh() {
        let text = "ssh://me@build.example.org:2222/run/podman/podman.sock";
        assert_eq!(set(text).unwrap().to_string(), text);
        assert!(
            matches!(set("ssh://build"), Ok(Address::Ssh { socket, .. }) if socket == "/var/run/docker.sock")
        );
        for text in
            ["ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://h:x", "ssh://h/a:b", "ssh://me@-x"]
        {
            assert!(set(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_address() {
        for text in ["", "build", "unix://x.sock", "ftp://x", "tcp://"] {
            assert!(matches!(set(text), Err(ContainerError::Address { .. })), "{text}");
        }
    }
}
