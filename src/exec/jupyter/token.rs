//! The token of a Jupyter server: finds it, and masks it in everything that could be shown.

use super::error::JupyterError;
use crate::config::JupyterExecutor;
use crate::domain::Masker;
use crate::launch::{Launcher, Start};
use crate::text::system_error::words;
use secrecy::{ExposeSecret, SecretString};
use std::process::Stdio;
use std::time::Duration;
use tokio::time::timeout;

/// How long a command may take to print the token.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(20);

/// A token, or none, and the masker that removes it from what the server sends, since that is shown on the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerToken(Option<SecretString>, Masker);

impl ServerToken {
    fn new(text: &str) -> Self {
        Self(Some(text.into()), Masker::only([text.into()]))
    }

    /// Finds the configured token: from an environment variable, or printed by a command.
    ///
    /// # Errors
    /// When the token is configured but not available.
    pub(super) async fn find(config: &JupyterExecutor, programs: &Launcher) -> Result<Self, JupyterError> {
        if let Some(name) = &config.token_env {
            let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
            let value =
                value.ok_or_else(|| JupyterError::Token(format!("{name} is not set in the environment")))?;
            return Ok(Self::new(value.trim()));
        }
        let Some(command) = &config.token_command else { return Ok(Self::default()) };
        let failed = |why: String| JupyterError::Token(format!("token_command {why}"));
        let shell = programs.shell_command(Start::TokenCommand, command);
        let run = tokio::process::Command::from(shell.map_err(|why| failed(why.to_string()))?)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .output();
        let done = timeout(TOKEN_TIMEOUT, run).await.map_err(|_| failed("takes too long".into()))?;
        let done = done.map_err(|error| failed(format!("could not be started: {}", words(&error))))?;
        if !done.status.success() {
            return Err(failed(format!("failed ({})", done.status)));
        }
        let text = String::from_utf8(done.stdout).map_err(|_| failed("prints what is no text".into()))?;
        let first = text.lines().next().unwrap_or_default().trim();
        if first.is_empty() { Err(failed("prints nothing".into())) } else { Ok(Self::new(first)) }
    }

    /// The text of the token, for the header only.
    pub(super) fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Masks the token in bytes from a server or kernel, which are shown and could contain it. The length stays the
    /// same.
    pub(super) fn mask(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.1.mask(bytes).into_inner()
    }

    pub(super) fn masked(&self, text: String) -> String {
        self.1.mask(text).into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_masked_at_its_length_and_short_words_are_left() {
        let token = ServerToken::new("a1b2c3d4e5");
        let bytes = token.mask(b"a1b2c3d4e5 and a1b2c3d4 and \xffa1b2c3d4e5a1b2c3d4e5".to_vec());
        assert_eq!(bytes, b"[redacted] and a1b2c3d4 and \xff[redacted][redacted]");
        assert_eq!(token.masked("x a1b2c3d4e5".into()), "x [redacted]");
        assert!(!format!("{token:?}").contains("a1b2"));
        assert_eq!(ServerToken::new("none").mask(b"none".to_vec()), b"none");
        assert_eq!(ServerToken::default().masked("ghp_x".into()), "ghp_x");
    }
}
