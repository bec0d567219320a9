//! The token of a server: where it comes from, and that nothing shows it.

use super::error::JupyterError;
use crate::config::JupyterExecutor;
use secrecy::{ExposeSecret, SecretString};
use std::process::Stdio;
use std::time::Duration;
use tokio::time::timeout;

/// How long a command may take to print it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A shorter token would mask ordinary words.
const SHORTEST: usize = 8;

/// A token, or none.
#[derive(Clone, Debug, Default)]
pub struct Token(Option<SecretString>);

impl Token {
    /// The token, as configured: of the environment, or printed by a command.
    ///
    /// # Errors
    /// When it can't be had.
    pub async fn find(config: &JupyterExecutor) -> Result<Self, JupyterError> {
        if let Some(name) = &config.token_env {
            let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
            let value =
                value.ok_or_else(|| JupyterError::Token(format!("{name} is not set in the environment")))?;
            return Ok(Self(Some(value.trim().into())));
        }
        let Some(command) = &config.token_command else { return Ok(Self::default()) };
        let failed = |why: String| JupyterError::Token(format!("token_command {why}"));
        let run = tokio::process::Command::new("/bin/sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .output();
        let done = timeout(PATIENCE, run).await.map_err(|_| failed("takes too long".into()))?;
        let done = done.map_err(|error| failed(format!("could not be started: {error}")))?;
        if !done.status.success() {
            return Err(failed(format!("failed ({})", done.status)));
        }
        let text = String::from_utf8(done.stdout).map_err(|_| failed("prints what is no text".into()))?;
        let first = text.lines().next().unwrap_or_default().trim();
        if first.is_empty() { Err(failed("prints nothing".into())) } else { Ok(Self(Some(first.into()))) }
    }

    /// Its text, for the header alone.
    pub fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Masks it wherever it stands, at its length: what a server or a kernel tells could hold it, and would be shown.
    pub fn mask(&self, bytes: &mut [u8]) {
        let Some(token) = self.expose().map(str::as_bytes).filter(|token| token.len() >= SHORTEST) else {
            return;
        };
        let mut from = 0;
        while let Some(rest) = bytes.get_mut(from..)
            && let Some(at) = rest.windows(token.len()).position(|part| part == token)
        {
            if let Some(part) = rest.get_mut(at..at + token.len()) {
                part.fill(b'*');
            }
            from += at + token.len();
        }
    }

    /// The same for a text.
    pub fn masked(&self, text: String) -> String {
        match self.expose() {
            Some(token) if token.len() >= SHORTEST => text.replace(token, &"*".repeat(token.len())),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_masked_at_its_length_and_short_words_are_left() {
        let token = Token(Some("a1b2c3d4e5".into()));
        let mut bytes = b"a1b2c3d4e5 and a1b2c3d4 and \xffa1b2c3d4e5a1b2c3d4e5".to_vec();
        token.mask(&mut bytes);
        assert_eq!(bytes, b"********** and a1b2c3d4 and \xff********************");
        assert_eq!(token.masked("x a1b2c3d4e5".into()), "x **********");
        assert!(!format!("{token:?}").contains("a1b2"));
        let mut bytes = b"none".to_vec();
        Token(Some("none".into())).mask(&mut bytes);
        assert_eq!(bytes, b"none");
        Token::default().mask(&mut bytes);
    }
}
