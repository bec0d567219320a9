//! Compares what sayso says about a run with what the run could and did do: the same programs under every sandbox, each
//! sentence (Would, Refused, May write, Network) against what the host observed, never against the run's receipt.
//!
//! Each program acts on one file of its own, whose name occurs in its text once. Writes and deletions are checked on
//! disk; reads by a word in the program's output that only that file contains; sending by a socket of this test.

use crate::home::{Done, Home};
use crate::model_server::ModelServer;
use serde_json::Value;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program tries to do with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Read,
    Create,
    Append,
    Overwrite,
    Delete,
    DeleteTree,
    MakeFolder,
    Move,
}

/// Where its file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// In the working folder.
    Here,
    /// In a folder of the working folder.
    Below,
    /// In the person's home folder.
    Home,
    /// In a folder of secrets in the home folder.
    Secrets,
    /// In a folder beside the working folder.
    Beside,
    /// In the hooks folder of the working folder's repository.
    Hooks,
    /// In a folder of the system.
    System,
}

const PLAN: &[(Act, &[Where])] = &[
    (Act::Read, &[Where::Here, Where::Below, Where::Home, Where::Secrets, Where::Beside]),
    (Act::Create, &[Where::Here, Where::Below, Where::Home, Where::Beside, Where::Hooks, Where::System]),
    (Act::Append, &[Where::Here, Where::Secrets]),
    (Act::Overwrite, &[Where::Below, Where::Beside]),
    (Act::Delete, &[Where::Here, Where::Home]),
    (Act::DeleteTree, &[Where::Here, Where::Beside]),
    (Act::MakeFolder, &[Where::Here, Where::Home]),
    (Act::Move, &[Where::Here]),
];

/// A program, and the file that it acts on.
struct Program {
    language: &'static str,
    act: Act,
    place: Where,
    /// The unique name of its file.
    name: String,
    /// The path as the program names it.
    path: PathBuf,
    /// The word that only this file contains.
    word: String,
}

/// A computer in a folder: a home, a working folder, folders beside it.
struct Computer {
    home: Home,
    work: PathBuf,
    beside: PathBuf,
    programs: Vec<Program>,
}

impl Computer {
    /// The working folder is inside the home folder, or is the home folder itself.
    fn new(in_home: bool, languages: &[&'static str]) -> Self {
        let home = Home::new();
        let base = home.work().parent().unwrap().canonicalize().unwrap();
        let work = if in_home { base.clone() } else { base.join("work") };
        let beside = base.join("beside");
        for folder in [&beside, &base.join(".ssh"), &work.join("below"), &work.join(".git/hooks")] {
            fs::create_dir_all(folder).unwrap();
        }
        let mut computer = Self { home, work, beside, programs: Vec::new() };
        for language in languages {
            for (act, places) in PLAN {
                places.iter().for_each(|place| computer.add(language, *act, *place, &base));
            }
        }
        computer
    }

    fn add(&mut self, language: &'static str, act: Act, place: Where, home: &Path) {
        let n = self.programs.len();
        let own = self.home.work().parent().unwrap().file_name().unwrap().to_string_lossy().replace('.', "");
        let name = format!("thing{n}x{own}");
        let path = match place {
            Where::Here => self.work.join(&name),
            Where::Below => self.work.join("below").join(&name),
            Where::Home => home.join(&name),
            Where::Secrets => home.join(".ssh").join(&name),
            Where::Beside => self.beside.join(&name),
            Where::Hooks => self.work.join(".git/hooks").join(&name),
            Where::System => Path::new("/usr/share").join(&name),
        };
        let word = format!("canary{n}word");
        match act {
            Act::Read | Act::Append | Act::Overwrite | Act::Delete | Act::Move => {
                fs::write(&path, &word).unwrap();
            }
            Act::DeleteTree => {
                fs::create_dir(&path).unwrap();
                fs::write(path.join("inside"), &word).unwrap();
            }
            Act::Create | Act::MakeFolder => {}
        }
        self.programs.push(Program { language, act, place, name, path, word });
    }

    /// One reply with all programs in it.
    fn reply(&self) -> String {
        self.programs.iter().map(|p| format!("```{}\n{}\n```\n\n", p.language, p.text())).collect()
    }

    /// A turn in which all of them run.
    fn turn(&self, options: &[&str], environment: &[(&str, &str)]) -> Done {
        let server = ModelServer::replying(&[&self.reply(), "Done."]);
        let fixed = ["--json", "--approve", "all", "--cwd", self.work.to_str().unwrap()];
        let mut command = self.home.turn_command(&server, "go", &[&fixed[..], options].concat());
        crate::home::run_to_end(command.envs(environment.iter().copied()).current_dir(&self.work))
    }
}

impl Drop for Computer {
    fn drop(&mut self) {
        let outside = self.programs.iter().filter(|program| program.place == Where::System);
        outside.for_each(|program| drop(fs::remove_file(&program.path)));
    }
}

impl Program {
    /// Its text, which catches all errors so that the turn continues.
    fn text(&self) -> String {
        let path = self.path.to_str().unwrap();
        match self.language {
            "python" => {
                let act = match self.act {
                    Act::Read => format!("print(open({path:?}).read())"),
                    Act::Create => format!("open({path:?}, 'w').write('made')"),
                    Act::Append => format!("open({path:?}, 'a').write('more')"),
                    Act::Overwrite => format!("open({path:?}, 'w').write('other')"),
                    Act::Delete => format!("import os; os.remove({path:?})"),
                    Act::DeleteTree => format!("import shutil; shutil.rmtree({path:?})"),
                    Act::MakeFolder => format!("import os; os.mkdir({path:?})"),
                    Act::Move => format!("import os; os.rename({path:?}, {:?})", format!("{path}.moved")),
                };
                format!("try:\n    {act}\nexcept OSError as e:\n    print(type(e).__name__)")
            }
            "javascript" => {
                let act = match self.act {
                    Act::Read => format!("console.log(fs.readFileSync({path:?}, 'utf8'))"),
                    Act::Create => format!("fs.writeFileSync({path:?}, 'made')"),
                    Act::Append => format!("fs.appendFileSync({path:?}, 'more')"),
                    Act::Overwrite => format!("fs.writeFileSync({path:?}, 'other')"),
                    Act::Delete => format!("fs.unlinkSync({path:?})"),
                    Act::DeleteTree => format!("fs.rmSync({path:?}, {{ recursive: true }})"),
                    Act::MakeFolder => format!("fs.mkdirSync({path:?})"),
                    Act::Move => format!("fs.renameSync({path:?}, {:?})", format!("{path}.moved")),
                };
                format!("const fs = require('fs');\ntry {{ {act} }} catch (e) {{ console.log(e.code) }}")
            }
            _ => {
                let act = match self.act {
                    Act::Read => format!("cat '{path}'"),
                    Act::Create => format!("echo made > '{path}'"),
                    Act::Append => format!("echo more >> '{path}'"),
                    Act::Overwrite => format!("echo other > '{path}'"),
                    Act::Delete => format!("rm '{path}'"),
                    Act::DeleteTree => format!("rm -r '{path}'"),
                    Act::MakeFolder => format!("mkdir '{path}'"),
                    Act::Move => format!("mv '{path}' '{path}.moved'"),
                };
                format!("{act} || true")
            }
        }
    }

    /// Whether the action happened, as observed on the host.
    fn happened(&self, printed: &str) -> bool {
        let text = || fs::read_to_string(&self.path).unwrap_or_default();
        match self.act {
            Act::Read => printed.contains(&self.word),
            Act::Create => text().starts_with("made"),
            Act::Append => text().contains("more"),
            Act::Overwrite => text().starts_with("other"),
            Act::Delete | Act::Move => !self.path.exists(),
            Act::DeleteTree => !self.path.join("inside").exists(),
            Act::MakeFolder => self.path.is_dir(),
        }
    }

    /// The kinds of effects of which at least one has to name the file.
    fn kinds(&self) -> &'static [&'static str] {
        match self.act {
            Act::Read => &["reads"],
            Act::Create | Act::Append | Act::Overwrite | Act::MakeFolder => &["writes"],
            Act::Delete | Act::DeleteTree => &["deletes"],
            Act::Move => &["deletes", "writes"],
        }
    }

    /// Whether it changes the file.
    fn changes(&self) -> bool {
        self.act != Act::Read
    }
}

/// Whether one of these lines names the file.
fn names(lines: &Value, name: &str) -> bool {
    lines
        .as_array()
        .is_some_and(|lines| lines.iter().any(|line| line.as_str().is_some_and(|l| l.contains(name))))
}

/// All false statements, one line each.
fn untrue(computer: &Computer, done: &Done) -> Vec<String> {
    let (reviews, decisions, runs) = (done.events("review"), done.events("decision"), done.events("run"));
    let mut wrong = Vec::new();
    for (index, program) in computer.programs.iter().enumerate() {
        let of = |events: &[Value]| events.iter().rfind(|e| e["block"] == index as u64 + 1).cloned();
        let (Some(review), Some(run)) = (of(&reviews), of(&runs)) else {
            wrong.push(format!("block {} did not run: {}", index + 1, program.text()));
            continue;
        };
        let case = || {
            let said = format!("refused {}, effects {}", review["refused"], review["effects"]);
            format!(
                "{} {:?} {:?}: {said}; printed {}",
                program.language, program.act, program.place, run["stdout"]
            )
        };
        let happened = program.happened(run["stdout"].as_str().unwrap_or_default());
        let refused = names(&review["refused"], &program.name);
        if refused == happened {
            wrong.push(format!(
                "it {} and `refused` says otherwise: {}",
                if happened { "happened" } else { "did not happen" },
                case()
            ));
        }
        let told = program.kinds().iter().all(|kind| names(&review["effects"][kind], &program.name));
        if !told && review["effects"]["unknown"] != true {
            wrong.push(format!("what it would do is told as complete and is not: {}", case()));
        }
        let sandbox = of(&decisions).map(|decision| decision["sandbox"].clone()).unwrap_or_default();
        let folder = program.path.parent().and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
        let allowed = match sandbox["write"].as_str() {
            Some("none") => false,
            Some("workspace") => folder.starts_with(&computer.work),
            _ => true,
        };
        if happened && program.changes() && !allowed {
            wrong.push(format!(
                "it changed what may not be written, as {} says: {}",
                sandbox["write"],
                case()
            ));
        }
    }
    wrong
}

const ALL: &[&str] = &["python", "bash", "javascript"];

fn assert_true(computer: &Computer, done: &Done) {
    assert_eq!(done.events("run").len(), computer.programs.len(), "{}\n{}", done.out, done.err);
    let wrong = untrue(computer, done);
    assert!(wrong.is_empty(), "{} untrue sentences:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many programs changed something, so that a test in which nothing happens fails.
fn happened(computer: &Computer) -> usize {
    computer.programs.iter().filter(|program| program.changes() && program.happened("")).count()
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn in_the_sandbox() {
    let computer = Computer::new(false, ALL);
    assert_true(&computer, &computer.turn(&[], &[]));
    assert!(happened(&computer) >= 3 * 8, "{}", happened(&computer));
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn in_the_sandbox_that_only_reads() {
    let computer = Computer::new(false, ALL);
    assert_true(&computer, &computer.turn(&["--sandbox", "read-only"], &[]));
    assert_eq!(happened(&computer), 0);
}

#[test]
fn without_a_sandbox() {
    let computer = Computer::new(false, ALL);
    let done = computer.turn(&["--sandbox", "off"], &[]);
    let wrong = untrue(&computer, &done);
    let made = happened(&computer);
    // Nothing is claimed about what the account itself may not write.
    let wrong: Vec<String> = wrong.into_iter().filter(|line| !line.contains("System: refused []")).collect();
    assert!(wrong.is_empty(), "{} untrue sentences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(made >= 3 * 16, "{made}");
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn in_the_home_folder_and_once_more() {
    let computer = Computer::new(true, &["python", "bash"]);
    let done = computer.turn(&[], &[]);
    assert_true(&computer, &done);
    // The second start finds the files of the first one in the home folder.
    let again = {
        let mut again = computer;
        again.programs.clear();
        again.add("bash", Act::Create, Where::System, Path::new("/"));
        again
    };
    let done = again.turn(&[], &[]);
    assert_true(&again, &done);
    let sandbox = &done.events("decision")[0]["sandbox"];
    assert_ne!(sandbox["level"], "off", "{sandbox}");
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn without_bubblewrap() {
    let computer = Computer::new(false, &["python", "bash"]);
    let programs = computer.home.work().parent().unwrap().join("programs");
    fs::create_dir(&programs).unwrap();
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let python = PathBuf::from(String::from_utf8(python.stdout).unwrap().trim());
    let on_path = |name: &str| {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(name))
            .find(|path| path.metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0));
        found.unwrap()
    };
    for name in ["python3", "bash", "sh", "cat", "rm", "mkdir", "mv"] {
        let found = if name == "python3" { python.clone() } else { on_path(name) };
        symlink(found.canonicalize().unwrap(), programs.join(name)).unwrap();
    }
    let path = programs.to_str().unwrap();
    let done = computer.turn(&[], &[("PATH", path)]);
    assert_true(&computer, &done);
    let layers = &done.events("decision")[0]["sandbox"]["layers"];
    let bwrap = layers.as_array().unwrap().iter().find(|layer| layer["name"] == "bwrap").unwrap();
    assert_eq!(bwrap["active"], false, "{layers}");
}

/// What is said about the network, and whether data then arrives here.
fn network(options: &[&str]) -> (bool, bool) {
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let (t, u) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let code = format!(
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nfor act in (lambda: s.sendto(b'x', ('127.0.0.1', {u})), lambda: socket.create_connection(('127.0.0.1', {t}), 2)):\n    try:\n        act()\n    except OSError as e:\n        print(e)"
    );
    let home = Home::new();
    let server = ModelServer::replying(&[&format!("```python\n{code}\n```\n"), "Done."]);
    let done = home.turn(&server, "go", &[&["--json", "--approve", "all"], options].concat());
    assert_eq!(done.events("run").len(), 1, "{}\n{}", done.out, done.err);
    let said = done.events("decision")[0]["sandbox"]["network"].clone();
    let (tcp, udp) = (tcp.accept().is_ok(), udp.recv(&mut [0; 8]).is_ok());
    assert_eq!(tcp, udp, "one of both arrived: {}", done.out);
    (said == "open", tcp)
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn the_network_is_as_it_is_said() {
    for (options, open) in [
        (&[][..], false),
        (&["--sandbox", "read-only"], false),
        (&["--sandbox", "off"], true),
        (&["--allow-network"], true),
    ] {
        assert_eq!(network(options), (open, open), "{options:?}");
    }
}

#[test]
fn what_a_run_leaves_for_git_to_obey_is_told_whatever_its_folder_is_called() {
    let home = Home::new();
    let code = "mkdir -p data/objects data/refs && echo 'ref: refs/heads/main' > data/HEAD && \
                printf '[core]\\n\\tworktree = ..\\n\\tfsmonitor = id\\n' > data/config && echo 'gitdir: data' > .git";
    let server = ModelServer::replying(&[&format!("```bash\n{code}\n```\n"), "Done."]);
    let done = home.turn(&server, "go", &["--json", "--approve", "all", "--sandbox", "off"]);
    let runs = done.events("run");
    assert_eq!(runs.len(), 1, "{}\n{}", done.out, done.err);
    let files = runs[0]["receipt"]["files"].as_array().cloned().unwrap_or_default();
    let obeyed = files.iter().filter(|file| file["obeyed"].is_string());
    let obeyed: Vec<&str> = obeyed.filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(obeyed, [".git", "data/config"], "{files:?}");
}

#[test]
#[ignore = "needs bubblewrap or landlock"]
fn files_that_have_names_elsewhere_are_told_before_a_run_changes_them_there() {
    let home = Home::new();
    let stored = home.work().parent().unwrap().join("store.js");
    fs::write(&stored, "as it was\n").unwrap();
    fs::create_dir_all(home.work().join("node_modules/x")).unwrap();
    fs::hard_link(&stored, home.work().join("node_modules/x/index.js")).unwrap();
    let code = "echo more >> node_modules/x/index.js";
    let server = ModelServer::replying(&[&format!("```bash\n{code}\n```\n"), "Done."]);
    let done = home.turn(&server, "go", &["--json", "--approve", "all"]);
    assert_eq!(fs::read_to_string(&stored).unwrap(), "as it was\nmore\n", "{}\n{}", done.out, done.err);
    assert_eq!(done.events("review")[0]["hard_links"]["files"], 1, "{}", done.out);
}
