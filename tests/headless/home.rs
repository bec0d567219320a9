//! A separate home for each test, so that no configuration, key or session of the machine affects it.

use crate::model_server::ModelServer;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a test waits for something.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// A home with a working folder in it.
pub struct Home {
    folder: tempfile::TempDir,
}

/// The result of a command.
pub struct Done {
    /// Its arguments, for messages.
    args: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Done {
    /// The JSON values of standard output, one a line; panics if there is anything else.
    pub fn json(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}\n{}", self.err)))
            .collect()
    }

    /// Asserts its exit code; a failure shows the arguments and all that was printed.
    #[track_caller]
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}\n{}", self.args, self.out, self.err);
        self
    }

    /// Asserts that each of these is on standard error; a failure shows all that was printed.
    #[track_caller]
    pub fn tells(self, parts: &[&str]) -> Self {
        let missing = parts.iter().find(|part| !self.err.contains(**part));
        assert_eq!(missing, None, "{}\n{}\n{}", self.args, self.out, self.err);
        self
    }

    /// Asserts that each of these is on standard output; a failure shows all that was printed.
    #[track_caller]
    pub fn prints(self, parts: &[&str]) -> Self {
        let missing = parts.iter().find(|part| !self.out.contains(**part));
        assert_eq!(missing, None, "{}\n{}\n{}", self.args, self.out, self.err);
        self
    }

    /// The last JSON value of standard output.
    #[track_caller]
    pub fn last(&self) -> Value {
        self.json().pop().unwrap_or_else(|| panic!("nothing was printed: {}", self.err))
    }

    /// The events of this kind.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        self.json().into_iter().filter(|event| event["event"] == kind).collect()
    }
}

impl Home {
    pub fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(home.work()).unwrap();
        home
    }

    /// A home with these files in its working folder.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let home = Self::new();
        for (name, text) in files {
            home.file(name, text);
        }
        home
    }

    /// The working folder.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// sayso's own folder.
    pub fn sayso(&self) -> PathBuf {
        self.folder.path().join("sayso")
    }

    /// The session files, by name.
    pub fn session_files(&self) -> Vec<PathBuf> {
        let folder = std::fs::read_dir(self.sayso().join("sessions")).unwrap().flatten();
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        files.sort();
        files
    }

    /// The only session file.
    pub fn session_file(&self) -> PathBuf {
        let mut files = self.session_files();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    /// The text of a file in the working folder.
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap()
    }

    /// The id of the only session.
    pub fn session_id(&self) -> String {
        self.session_file().file_stem().unwrap().to_string_lossy().into_owned()
    }

    /// Writes a file into the working folder, or below it.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        written(self.work().join(name), text)
    }

    /// Writes a file into sayso's own folder, or below it.
    pub fn own(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        written(self.sayso().join(name), text)
    }

    /// Writes the configuration.
    pub fn configure(&self, text: impl AsRef<[u8]>) {
        self.own("config.toml", text);
    }

    /// The program with these arguments, ready to start.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.args(args).current_dir(self.work()).env_clear().stdin(Stdio::null());
        for name in ["PATH", "LANG"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("HOME", self.folder.path()).env("SAYSO_HOME", self.sayso());
        command
    }

    /// A shell with a command's program and arguments as `$0` and `$@`, and its environment.
    pub fn shell(&self, script: &str, command: &Command) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
        shell.current_dir(self.work()).env_clear().stdin(Stdio::null());
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Done {
        run_to_end(&mut self.command(args))
    }

    /// Runs the program with more of the environment.
    pub fn run_in(&self, env: &[(&str, impl AsRef<OsStr>)], args: &[&str]) -> Done {
        run_to_end(self.command(args).envs(env.iter().map(|(name, value)| (name, value))))
    }

    /// Runs the program with this on standard input.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Done {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The program may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Done { args: arguments(&command), ..finish(child) }
    }

    /// Runs a turn with this prompt and this model server.
    pub fn turn(&self, server: &ModelServer, prompt: &str, options: &[&str]) -> Done {
        run_to_end(&mut self.turn_command(server, prompt, options))
    }

    /// The program that would run such a turn, ready to start.
    pub fn turn_command(&self, server: &ModelServer, prompt: &str, options: &[&str]) -> Command {
        let fixed = ["run", prompt, "--model", "openai/test", "--base-url", &server.v1()];
        self.command(&[&fixed[..], options].concat())
    }

    /// Runs one file with `exec --json` and these options; returns its JSON object and the result.
    pub fn exec(&self, name: &str, text: impl AsRef<[u8]>, options: &[&str]) -> (Value, Done) {
        self.file(name, text);
        let mut args = vec!["exec", "--json", "--sandbox", "off", name];
        args.extend(options);
        let done = self.run(&args);
        let objects = done.json();
        assert_eq!(objects.len(), 1, "{}\n{}", done.out, done.err);
        (objects[0].clone(), done)
    }
}

fn written(path: PathBuf, text: impl AsRef<[u8]>) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// Moves a script to where it is a program. Another process does it: otherwise a process started by another test may
/// hold the program open for writing for a moment.
pub fn install(script: &Path, program: &Path) {
    let made = Command::new("install").args(["-m", "0755"]).args([script, program]).status();
    assert!(made.unwrap().success());
}

/// Asserts that a text contains each of these parts.
#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// Runs a command to its end.
pub fn run_to_end(command: &mut Command) -> Done {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    Done { args: arguments(command), ..finish(child) }
}

fn arguments(command: &Command) -> String {
    format!("{:?}", command.get_args().collect::<Vec<_>>())
}

/// Waits for the end of a child, with a time limit.
pub fn finish(mut child: Child) -> Done {
    fn reader(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        })
    }
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = wait_for(|| child.try_wait().unwrap(), "the end of the program");
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| String::from_utf8(thread.join().unwrap()).unwrap();
    Done { args: String::new(), code: status.code(), out: text(out), err: text(err) }
}

/// Waits until `look` returns something.
pub fn wait_for<T>(mut look: impl FnMut() -> Option<T>, what: &str) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Whether a process with this id exists and is no zombie.
pub fn alive(pid: &str) -> bool {
    // Parsed as a number, because an empty id would read `/proc/stat`, which always exists.
    let pid: u32 = pid.trim().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
}

/// Interrupts a process as Ctrl-C does.
pub fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The output of a command that has to start.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}
