//! The helper is the running program, whatever a run does to the file that it was started from. And if the sandbox test
//! can't be completed, it reports that. Tested through the program itself.

use crate::languages::write_program;
use crate::support::{Shop, helper};
use sayso::domain::*;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A person's home folder with a working folder in it.
struct Place {
    _folder: tempfile::TempDir,
    base: PathBuf,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // An account without any rights has to be able to enter.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let path = base.join("bin");
        for folder in [&base.join("work"), &path] {
            fs::create_dir(folder).unwrap();
        }
        let place = Self { _folder: folder, base, path };
        for name in ["bash", "sh", "python3", "cat", "cp", "mv", "rm", "ln", "chmod", "grep", "dd", "sleep"] {
            let found = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            symlink(found.iter().find(|path| path.exists()).unwrap(), place.path.join(name)).unwrap();
        }
        place
    }

    fn with_bwrap(self) -> Self {
        symlink("/usr/bin/bwrap", self.path.join("bwrap")).unwrap();
        self
    }

    fn work(&self) -> PathBuf {
        self.base.join("work")
    }

    /// A copy of the program in the working folder.
    fn inside(&self) -> PathBuf {
        let own = self.work().join("sayso");
        // Written by another process: a fork in a parallel test inherits what this one has open for writing, and then
        // the program can't be started.
        assert!(Command::new("cp").arg(helper()).arg(&own).status().unwrap().success());
        own
    }

    /// Runs files in one session. Returns one object for each.
    fn exec(&self, program: &Path, cwd: &Path, files: &[(&str, &str)]) -> (Vec<Value>, Output) {
        let mut args = vec!["exec", "--json", "--sandbox", "workspace", "--timeout", "60"];
        for (name, text) in files {
            fs::write(cwd.join(name), text).unwrap();
            args.push(name);
        }
        let output = Command::new(program)
            .args(args)
            .current_dir(cwd)
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.base)
            .env("TMPDIR", std::env::temp_dir())
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let objects = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (objects, output)
    }
}

/// The program that replaces the helper: it does what no run may do, and would report success.
const OTHER: &str = "#!/usr/bin/bash\necho > \"${0%/*}/../escaped\"; echo other started >&2\n";

/// A block that reports where it runs.
const SEEN: &str = "from pathlib import Path\nstatus = Path('/proc/self/status').read_text()\n\
                    print([line for line in status.splitlines() if line.startswith('Seccomp:')])\n\
                    try: Path('../outside').write_text('x')\nexcept OSError as error: print('closed')\n";

/// Ways to put another file there, which is in `other`.
const WAYS: [(&str, &str); 6] = [
    ("renamed over it", "mv other sayso"),
    ("removed and made anew", "rm -f sayso; cp other sayso; chmod +x sayso"),
    ("overwritten in place", "cat other > sayso; dd if=other of=sayso conv=notrunc 2>&1"),
    ("truncated in place", ": > sayso"),
    ("a link instead", "rm -f sayso; ln -s other sayso"),
    ("moved away with its folder", "mv sayso gone"),
];

#[test]
#[ignore = "needs bubblewrap and landlock"]
fn the_helper_is_not_what_lies_at_its_path_with_bwrap_and_without() {
    let with_bwrap = || Place::new().with_bwrap();
    for ((way, how), place) in WAYS.iter().flat_map(|way| [(way, with_bwrap()), (way, Place::new())]) {
        let way = format!("{way}, bwrap: {}", place.path.join("bwrap").exists());
        let program = place.inside();
        fs::write(place.work().join("other"), OTHER).unwrap();
        fs::set_permissions(place.work().join("other"), fs::Permissions::from_mode(0o755)).unwrap();
        let files = [("a.sh", *how), ("b.py", SEEN), ("c.sh", "grep Seccomp: /proc/self/status")];
        let (objects, output) = place.exec(&program, &place.work(), &files);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(objects.len(), 3, "{way}: {told}");
        for object in &objects[1..] {
            let out = object["stdout"].as_str().unwrap();
            assert!(out.contains("Seccomp:\t2") || out.contains("Seccomp:\\t2"), "{way}: {object:#}\n{told}");
        }
        assert!(objects[1]["stdout"].as_str().unwrap().contains("closed"), "{way}: {objects:#?}");
        for made in ["escaped", "outside"] {
            assert!(!place.base.join(made).exists(), "{way}: {made}\n{told}");
        }
    }
}

#[test]
#[ignore = "needs bubblewrap and landlock"]
fn the_second_start_in_the_home_folder_has_its_sandbox_too() {
    let at_home = || Place::new();
    for place in [at_home().with_bwrap(), at_home()] {
        for folder in [".ssh", ".config/gh", ".local/share/keyrings"] {
            fs::create_dir_all(place.base.join(folder)).unwrap();
            fs::write(place.base.join(folder).join("id"), "canary").unwrap();
        }
        for start in 1..=3 {
            let text = "cat ~/.ssh/id .ssh/id .config/gh/id .local/share/keyrings/id .local/share/sayso/*/* 2>/dev/null";
            let (objects, output) = place.exec(&helper(), &place.base, &[("a.sh", text)]);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(objects[0]["sandbox"]["level"], "read-only", "start {start}: {objects:#?} {told}");
            assert_eq!(objects[0]["stdout"], "", "start {start}");
        }
    }
}

/// A bwrap that hangs for the first times that it is asked for a sandbox.
fn slow_bwrap(place: &Place, times: usize) {
    let text = format!(
        "#!/usr/bin/bash\n[ \"$1\" = --version ] && exec /usr/bin/bwrap --version\n\
         count=$(cat {flag} 2>/dev/null || echo 0); echo $((count + 1)) > {flag}\n\
         [ $count -lt {times} ] && exec sleep 300\nexec /usr/bin/bwrap \"$@\"\n",
        flag = place.base.join("asked").display()
    );
    write_program(&place.path.join("bwrap"), &text);
}

#[test]
#[ignore = "needs bubblewrap and landlock"]
fn a_test_that_could_not_be_finished_is_repeated() {
    let place = Place::new();
    slow_bwrap(&place, 1);
    let (objects, output) = place.exec(&helper(), &place.work(), &[("a.sh", "echo fine")]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(objects[0]["stdout"], "fine\n", "{told}");
    let layers = objects[0]["sandbox"]["layers"].to_string();
    assert!(layers.contains("bwrap"), "the layer was left out: {layers}");
    let asked = fs::read_to_string(place.base.join("asked")).unwrap();
    assert!(asked.trim().parse::<usize>().unwrap() >= 3, "{asked}");
}

#[tokio::test]
async fn a_kernel_that_can_not_start_is_not_started_by_itself_without_a_sandbox_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("python3");
    let count = folder.path().join("count");
    let text = format!("#!/bin/sh\necho >> {}\necho 'no such library' >&2\nexit 3\n", count.display());
    write_program(&broken, &text);
    let shop = Shop::with(|setup| {
        setup.sandbox = sayso::exec::SandboxRequest::default();
        setup.python = Some(broken);
    });
    let started = || fs::read_to_string(&count).map_or(0, |lines| lines.lines().count());
    for _ in 0..40 {
        shop.executor.warm(&Language::python());
    }
    // Orders are carried out in turn, so when this one is answered, the others are done.
    shop.executor.sandbox().await.unwrap();
    assert_eq!(started(), 0);
    // For an approved run it is tried once.
    let told = shop.py("1").await;
    assert!(matches!(&told.report.outcome, Outcome::NotStarted(why) if why.contains("no such library")));
    shop.executor.warm(&Language::python());
    shop.executor.sandbox().await.unwrap();
    assert_eq!(started(), 1);
}

#[test]
fn a_limit_on_files_is_an_error_and_not_the_end() {
    let place = Place::new();
    fs::write(
        place.work().join("a.py"),
        "for n in range(200): print('x' * 1000)\nopen('b', 'wb').write(b'x' * 100000)\n",
    )
    .unwrap();
    let script = "ulimit -f 12; exec \"$0\" exec --json --sandbox off a.py";
    let output = Command::new("/bin/bash")
        .args(["-c", script])
        .arg(helper())
        .current_dir(place.work())
        .env_clear()
        .env("PATH", &place.path)
        .env("HOME", &place.base)
        .output()
        .unwrap();
    use std::os::unix::process::ExitStatusExt as _;
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), None, "{told}");
    assert!(output.status.code().is_some_and(|code| code != 0), "{told}");
}
