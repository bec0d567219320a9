//! Connects to an engine behind `ssh`: the person's own `ssh` forwards its socket, with their keys and known hosts.

use super::address::Address;
use crate::launch::{LaunchError, Launcher, PrivateFolder, Start};
use crate::text::line::one_line;
use crate::text::system_error::words;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// How long `ssh` may take to log in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, thiserror::Error)]
pub(super) enum TunnelError {
    #[error("it is not behind ssh")]
    NotSsh,
    /// The folder for the socket could not be made.
    #[error("{}", words(.0))]
    Folder(std::io::Error),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("ssh could not be started: {}", words(.0))]
    Start(std::io::Error),
    #[error("ssh was not through after {} s", LOGIN_TIMEOUT.as_secs())]
    TooSlow,
    #[error("ssh ended without a word")]
    Silent,
    #[error("ssh said: {0}")]
    Said(String),
}

/// A local socket that is connected to the remote engine. Dropping it ends `ssh`.
pub(super) struct Tunnel {
    _ssh: Child,
    _folder: PrivateFolder,
    socket: PathBuf,
}

impl Tunnel {
    /// Logs in without prompting.
    ///
    /// # Errors
    /// Why it failed, with what `ssh` printed.
    pub(super) async fn open(address: &Address, programs: &Launcher) -> Result<Self, TunnelError> {
        let Address::Ssh { host, port, socket: there } = address else {
            return Err(TunnelError::NotSsh);
        };
        let folder = PrivateFolder::make().map_err(TunnelError::Folder)?;
        let socket = folder.path().join("engine.sock");
        let mut ssh = Command::from(programs.command(Start::Ssh)?)
            .args(arguments(host, *port, &socket, there))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(TunnelError::Start)?;
        let until = Instant::now() + LOGIN_TIMEOUT;
        while !socket.exists() {
            if ssh.try_wait().is_ok_and(|status| status.is_some()) {
                return Err(read_error(&mut ssh).await);
            }
            if Instant::now() > until {
                return Err(TunnelError::TooSlow);
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(Self { _ssh: ssh, _folder: folder, socket })
    }

    /// The socket on this machine.
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }
}

fn arguments(host: &str, port: Option<u16>, here: &Path, there: &str) -> Vec<String> {
    let mut words: Vec<String> =
        ["-N", "-T", "-oBatchMode=yes", "-oExitOnForwardFailure=yes", "-oServerAliveInterval=15"]
            .map(str::to_owned)
            .to_vec();
    words.push("-L".into());
    words.push(format!("{}:{there}", here.display()));
    if let Some(port) = port {
        words.extend(["-p".to_owned(), port.to_string()]);
    }
    words.extend(["--".to_owned(), host.to_owned()]);
    words
}

/// What `ssh` printed before it ended.
async fn read_error(ssh: &mut Child) -> TunnelError {
    let mut text = Vec::new();
    if let Some(pipe) = ssh.stderr.take() {
        let _ = tokio::time::timeout(Duration::from_secs(1), pipe.take(2000).read_to_end(&mut text)).await;
    }
    let text = one_line(&String::from_utf8_lossy(&text));
    if text.is_empty() { TunnelError::Silent } else { TunnelError::Said(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ssh_is_told() {
        let words =
            arguments("me@build", Some(2222), Path::new("/tmp/x/engine.sock"), "/var/run/docker.sock");
        assert_eq!(
            words.join(" "),
            "-N -T -oBatchMode=yes -oExitOnForwardFailure=yes -oServerAliveInterval=15 \
             -L /tmp/x/engine.sock:/var/run/docker.sock -p 2222 -- me@build"
        );
    }
}
