//! Runs the person's key command and returns the key that it prints. Its output and its time are limited, and its
//! output is never shown.
//!
//! Only the person's own configuration can name the command (a project's file can't), so it runs without approval,
//! with the person's environment, in `/`. A program that a run or the project could have put there is refused.

use crate::config::OneOrMore;
use crate::launch::{LaunchError, Launcher, Start};
use crate::text::system_error::words;
use KeyCommandError::{
    Failed, NoOutput, NoProgram, NoText, NotAllowed, NotStarted, Nothing, SeveralLines, Signal, TooLate,
    TooLong, Unreadable,
};
use secrecy::SecretString;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long the program may take: a password manager may ask the person something in a window of its own.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of output that are read.
const MAX_OUTPUT_BYTES: u64 = 64 << 10;

/// Why a program gave no key, as the rest of a sentence that starts with the program. Never contains its output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeyCommandError {
    #[error("names no program")]
    NoProgram,
    /// The launch table refuses the program.
    #[error(transparent)]
    NotAllowed(LaunchError),
    #[error("can't be started: {0}")]
    NotStarted(String),
    #[error("gave no key within {} s", .0.as_secs_f64().ceil())]
    TooLate(Duration),
    #[error("has no output")]
    NoOutput,
    #[error("can't be read: {0}")]
    Unreadable(String),
    #[error("wrote more than 64 KiB: that is no key")]
    TooLong,
    #[error("wrote something that is no text")]
    NoText,
    #[error("wrote nothing")]
    Nothing,
    #[error("wrote more than one line: only the key may stand there")]
    SeveralLines,
    #[error("ended with exit code {0}")]
    Failed(i32),
    #[error("was ended by a signal")]
    Signal,
}

/// Returns the key that the program writes.
pub(super) fn run(command: &OneOrMore, programs: &Launcher) -> Result<SecretString, KeyCommandError> {
    run_for(command, programs, COMMAND_TIMEOUT)
}

fn run_for(
    command: &OneOrMore,
    programs: &Launcher,
    timeout: Duration,
) -> Result<SecretString, KeyCommandError> {
    let mut program = program(command, programs)?;
    program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child =
        program.process_group(0).spawn().map_err(|error| NotStarted(words(&error).to_lowercase()))?;
    let deadline = Instant::now() + timeout;
    let output = read(&mut child, deadline);
    let status = if let Ok(Some(_)) = output { wait(&mut child, deadline) } else { None };
    // Ends all that the program started, too.
    kill(&mut child);
    let output = output?.ok_or(TooLate(timeout))?;
    let status = status.ok_or(TooLate(timeout))?;
    if status.success() { key(output) } else { Err(status.code().map_or(Signal, Failed)) }
}

fn program(command: &OneOrMore, programs: &Launcher) -> Result<Command, KeyCommandError> {
    match command {
        OneOrMore::One(line) => programs.shell_command(Start::KeyCommand, line).map_err(NotAllowed),
        OneOrMore::Several(words) => {
            let Some((first, rest)) = words.split_first() else { return Err(NoProgram) };
            let keyring = [Start::SecretTool, Start::Security].into_iter();
            let mut program = match keyring.into_iter().find(|start| start.row().found.name() == first) {
                Some(keyring) => programs.command(keyring).map_err(|why| NotStarted(why.to_string()))?,
                None => programs.command_named(Start::KeyCommand, first).map_err(NotAllowed)?,
            };
            program.args(rest);
            Ok(program)
        }
    }
}

/// Reads all output until the program closes it; `None`: it took too long.
fn read(child: &mut Child, deadline: Instant) -> Result<Option<Vec<u8>>, KeyCommandError> {
    let pipe = child.stdout.take().ok_or(NoOutput)?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let done = pipe.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes);
        // Fails if the receiver has given up waiting.
        let _ = sender.send(done);
    });
    match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(Ok(bytes)) if bytes.len() as u64 <= MAX_OUTPUT_BYTES => Ok(Some(bytes)),
        Ok(Ok(_)) => Err(TooLong),
        Ok(Err(error)) => Err(Unreadable(words(&error))),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
    }
}

/// Waits until the program has ended; `None`: it took too long.
fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::park_timeout(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

fn kill(child: &mut Child) {
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // Fails if the whole group has already ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}

fn key(output: Vec<u8>) -> Result<SecretString, KeyCommandError> {
    let text = String::from_utf8(output).map_err(|_| NoText)?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next()) {
        (None, _) => Err(Nothing),
        (Some(key), None) => Ok(key.to_owned().into()),
        (Some(_), Some(_)) => Err(SeveralLines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    fn line(text: &str) -> Result<String, String> {
        let launcher = Launcher::default();
        run_for(&OneOrMore::One(text.into()), &launcher, Duration::from_secs(20))
            .map(|key| key.expose_secret().to_owned())
            .map_err(|why| why.to_string())
    }

    #[test]
    fn the_key_is_the_line_that_it_writes() {
        assert_eq!(line("echo ' sk-1 '; echo noise >&2"), Ok("sk-1".into()));
        // A list of words is run without a shell.
        let words = OneOrMore::Several(["printf", "%s", "a $HOME `b`"].map(str::to_owned).into());
        assert_eq!(run(&words, &Launcher::default()).unwrap().expose_secret(), "a $HOME `b`");
    }

    #[test]
    fn what_is_no_key_is_told_without_repeating_it() {
        for (text, why) in [
            ("true", "wrote nothing"),
            ("echo sk-1; exit 3", "ended with exit code 3"),
            ("echo sk-1; echo sk-2", "wrote more than one line: only the key may stand there"),
            ("printf '\\377'", "wrote something that is no text"),
            ("kill -9 $$", "was ended by a signal"),
            ("yes", "wrote more than 64 KiB: that is no key"),
        ] {
            assert_eq!(line(text), Err(why.into()), "{text}");
        }
        let missing =
            run(&OneOrMore::Several(vec!["/nowhere/pass".into()]), &Launcher::default()).unwrap_err();
        let missing = missing.to_string();
        assert!(missing.starts_with("can't be started: no such file"), "{missing}");
    }

    #[test]
    fn it_is_ended_when_it_takes_too_long_with_all_that_it_started() {
        for text in ["sleep 600", "sleep 600 & echo sk-1", "exec 1>&-; sleep 600"] {
            let start = Instant::now();
            let told =
                run_for(&OneOrMore::One(text.into()), &Launcher::default(), Duration::from_millis(200))
                    .unwrap_err();
            assert_eq!(told.to_string(), "gave no key within 1 s", "{text}");
            assert!(start.elapsed() < Duration::from_secs(10));
        }
    }
}
